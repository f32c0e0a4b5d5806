// SPDX-License-Identifier: GPL-2.0
/*
 * raizn complete: answers the completion of shells, see tools/completion/.  Options and
 * fixed words are taken from the commands' help, so that they are written once.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"
#include "overview.h"

static const char help[] =
"usage: raizn complete [WORD...]\n"
"\n"
"Prints the words that may stand at the end of 'raizn WORD...' in the place of the last\n"
"WORD and begin with it, one on a line. For shells.\n";

/**
 * struct places - the arguments of a command
 * @command:	its name
 * @kinds:	a letter for each argument, the last one also for all that follow: an array
 *		that is (r)unning, (s)topped or (a)ny, the slot of a (m)ember, a zoned
 *		(d)rive, a (w)ord of the command's usage, a (c)ommand; '-' for nothing
 */
struct places {
	const char *command;
	const char *kinds;
};

static const struct places all_places[] = {
	{ "create", "-d" },
	{ "start", "sd" },
	{ "stop", "r-" },
	{ "status", "a-" },
	{ "map", "r-" },
	{ "replace", "rmd-" },
	{ "add", "rd-" },
	{ "rebuild", "r-" },
	{ "fail", "rm-" },
	{ "remove", "rm-" },
	{ "scrub", "rw-" },
	{ "set", "rw" },
	{ "events", "r" },
	{ "monitor", "r" },
	{ "inspect", "dw-" },
	{ "check", "sd" },
	{ "maintain", "sd" },
};

/* What candidates have to begin with. */
static const char *stem = "";

static void offer(const char *candidate, size_t len)
{
	if (len >= strlen(stem) && !strncmp(candidate, stem, strlen(stem)))
		printf("%.*s\n", (int)len, candidate);
}

static void offer_commands(void)
{
	u32 i;

	for (i = 0; commands[i]; i++)
		if (commands[i] != &command_complete &&
		    commands[i] != &command_probe)
			offer(commands[i]->name, strlen(commands[i]->name));
	offer("help", 4);
}

/* Length of a word such as "--write-cache", "check" or "speed_min". */
static size_t word_length(const char *at)
{
	size_t len = 0;

	while (islower(at[len]) || at[len] == '-' || at[len] == '_')
		len++;
	return len;
}

/* Offer "a", "b" and "c" of "a|b|c"; return the length of that. */
static size_t offer_alternatives(const char *at)
{
	size_t len = 0, word;

	while ((word = word_length(at + len))) {
		offer(at + len, word);
		len += word;
		if (at[len] != '|')
			break;
		len++;
	}
	return len;
}

/* The usage lines of a help text, and the lines that begin with two blanks, explain words. */
static const char *next_line(const char *line, const char *text)
{
	const char *end = strstr(text, "\n\n");

	do {
		line = strchr(line, '\n');
		if (!line || !line[1])
			return NULL;
		line++;
	} while (line > end && strncmp(line, "  ", 2));
	return line;
}

/* What follows @option where @text explains it, if that is a value, else NULL. */
static const char *option_value(const char *text, const char *option)
{
	size_t len = strlen(option);
	const char *line, *at;

	for (line = text; line; line = next_line(line, text)) {
		for (at = line; (at = strstr(at, option)); at += len) {
			if (at > strchr(line, '\n'))
				break;
			if (at[len] == ' ' && (isalnum(at[len + 1])))
				return at + len + 1;
		}
	}
	return NULL;
}

static void offer_options(const char *text)
{
	const char *line, *at, *seen;
	char option[64];

	for (line = text; line; line = next_line(line, text)) {
		for (at = line; (at = strstr(at, "--")); at += 2) {
			if (at > strchr(line, '\n'))
				break;
			snprintf(option, sizeof(option), "%.*s",
				 (int)word_length(at), at);
			seen = strstr(text, option);
			while (seen < at && word_length(seen) != strlen(option))
				seen = strstr(seen + 2, option);
			if (seen == at && option[2])
				offer(option, strlen(option));
		}
	}
	offer("--help", 6);
}

/* "check" and "repair" of a usage line with "[check|repair]"; "speed_min=" where that is
 * explained.
 */
static void offer_words(const char *text)
{
	const char *end = strstr(text, "\n\n"), *line, *at;
	size_t len;

	for (at = text; at < end; at += len ? len : 1) {
		len = word_length(at);
		if (len && *at != '-' && at[len] == '|')
			len = offer_alternatives(at);
	}
	for (line = end; line; line = next_line(line, text)) {
		len = strncmp(line, "  ", 2) ? 0 : word_length(line + 2);
		if (len && line[2 + len] == '=')
			offer(line + 2, len + 1);
	}
}

static void offer_drives(void)
{
	struct dirent *entry;
	char path[300];
	DIR *dir;

	dir = opendir("/sys/block");
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !scan_looks_at(entry->d_name))
			continue;
		drive_node_path(entry->d_name, path, sizeof(path));
		offer(path, strlen(path));
	}
	if (dir)
		closedir(dir);
}

static void offer_slots(const struct overview *overview)
{
	char slot[16];
	u32 i;

	for (i = 0; i < overview->state.nr_members; i++) {
		snprintf(slot, sizeof(slot), "%u", i);
		offer(slot, strlen(slot));
	}
}

/* Arrays are known to root only. */
static void offer_arrays(char kind, const char *array)
{
	struct overviews overviews;
	u32 i;

	if (geteuid() || overviews_read(&overviews))
		return;
	for (i = 0; i < overviews.nr; i++) {
		const struct overview *overview = &overviews.list[i];

		if (kind == 'm' && overview->running &&
		    !strcmp(overview->name, array))
			offer_slots(overview);
		if (kind == 'a' || (kind == 'r' && overview->running) ||
		    (kind == 's' && !overview->running))
			offer(overview->name, strlen(overview->name));
	}
	overviews_free(&overviews);
}

static void offer_argument(const struct command *command, u32 number,
			   const char *array)
{
	const char *kinds = "-";
	char kind;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all_places); i++)
		if (!strcmp(all_places[i].command, command->name))
			kinds = all_places[i].kinds;
	kind = number < strlen(kinds) ? kinds[number] :
					kinds[strlen(kinds) - 1];
	if (kind == 'd')
		offer_drives();
	else if (kind == 'w')
		offer_words(command->help);
	else if (kind != '-')
		offer_arrays(kind, array);
}

static void offer_value(const char *value)
{
	if (!strncmp(value, "DEVICE", 6))
		offer_drives();
	else if (islower(*value))
		offer_alternatives(value);
}

static int run(const struct command *self, int argc, char **argv)
{
	const struct command *command;
	const char *array = NULL, *value = NULL;
	u32 number = 0;
	int i;

	(void)self;
	complaints_hold_back(true);
	if (argc > 1)
		stem = argv[argc - 1];
	if (argc < 3 || (argc == 3 && !strcmp(argv[1], "help"))) {
		offer_commands();
		return TOOL_OK;
	}
	command = command_named(argv[1]);
	for (i = 2; command && i < argc - 1; i++) {
		if (value)
			value = NULL;
		else if (argv[i][0] == '-')
			value = option_value(command->help, argv[i]);
		else if (!number++)
			array = argv[i];
	}
	if (command && value)
		offer_value(value);
	else if (command && *stem == '-')
		offer_options(command->help);
	else if (command)
		offer_argument(command, number, array);
	return TOOL_OK;
}

const struct command command_complete = {
	.name = "complete",
	.help = help,
	.run = run,
};
