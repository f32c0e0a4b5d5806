// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel says while it refuses something.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel_log.h"
#include "text.h"
#include "tool.h"

void kernel_log_open(struct kernel_log *log)
{
	log->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log->fd >= 0)
		lseek(log->fd, 0, SEEK_END);
}

void kernel_log_close(struct kernel_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

/* The target's own words: behind "device-mapper: raizn: ", or behind
 * "device-mapper: table: 253:0: raizn: " for what the core says in its name.
 */
static const char *message_of_target(const char *record)
{
	const char *text = strstr(record, "device-mapper: ");

	if (text)
		text = strstr(text, ": raizn: ");
	return text ? text + strlen(": raizn: ") : NULL;
}

/* The next thing that the target said; false if there is none. */
static bool next_message(struct kernel_log *log, char *line, size_t size)
{
	char record[2048];
	const char *text;
	ssize_t len;

	while (log->fd >= 0) {
		len = read(log->fd, record, sizeof(record) - 1);
		if (len < 0 && errno == EPIPE)	/* overtaken: go on behind it */
			continue;
		if (len <= 0)
			return false;
		record[len] = '\0';
		text = message_of_target(record);
		if (!text)
			continue;
		text_printable(line, size, text, strcspn(text, "\n"));
		return true;
	}
	return false;
}

int kernel_log_explain(struct kernel_log *log, const char *name,
		       const char *what, const char *otherwise)
{
	char said[1200] = "", line[400];
	size_t at;

	while (next_message(log, line, sizeof(line))) {
		at = strlen(said);
		/* The core may only repeat the target with an error number; a second start repeats all. */
		if (!at || (strncmp(said, line, at) && !strstr(said, line)))
			snprintf(said + at, sizeof(said) - at, "%s%s",
				 at ? "; " : "", line);
	}
	if (*said)
		return fail(TOOL_FAILED, "%s: the kernel did not %s: %s", name,
			    what, said);
	return fail(TOOL_FAILED, "%s: the kernel did not %s: %s; see the kernel log",
		    name, what, otherwise);
}

void kernel_log_find(struct kernel_log *log, const char *word, char *said,
		     size_t size)
{
	char line[400], *found;

	*said = '\0';
	while (next_message(log, line, sizeof(line))) {
		found = strstr(line, word);
		if (found)
			text_copy(said, size, found);
	}
}
