// SPDX-License-Identifier: GPL-2.0
/*
 * Rows that are spoilt in place, as the module's tracepoint tells of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "powercut.h"

#define TRACING	"/sys/kernel/tracing/"

static const char * const actions[] = {
	"left", "written", "carried on", "read", "decoded", "rewritten",
};

#define NR_ACTIONS	(sizeof(actions) / sizeof(*actions))

static u64 sectors[NR_ACTIONS];

static void put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		die("%s: %s", path, strerror(errno));
}

/* "...: zone 3 column 1 row 64: 8 sectors written" */
static void count_line(const char *line)
{
	const char *event = strstr(line, "raizn_relocate: ");
	char action[16];
	u32 nr, i;

	if (!event || sscanf(event, "%*s zone %*u column %*u row %*u: %u sectors %15[a-z ]",
			     &nr, action) != 2)
		return;
	for (i = 0; i < NR_ACTIONS; i++)
		if (!strcmp(action, actions[i]))
			sectors[i] += nr;
}

/* Begins to count. */
void relocated_begin(void)
{
	put_text(TRACING "trace", "");
	put_text(TRACING "events/raizn/raizn_relocate/enable", "1");
}

/* Counts the events since the last time, which the kernel forgets. */
void relocated_count(void)
{
	FILE *trace = fopen(TRACING "trace", "r");
	char line[256];

	if (!trace)
		die("trace: %s", strerror(errno));
	while (fgets(line, sizeof(line), trace))
		count_line(line);
	fclose(trace);
	put_text(TRACING "trace", "");
}

void relocated_print(void)
{
	u32 i;

	printf("# sectors of rows spoilt in place:");
	for (i = 0; i < NR_ACTIONS; i++)
		printf("%s %s %" PRIu64, i ? "," : "", actions[i], sectors[i]);
	putchar('\n');
}
