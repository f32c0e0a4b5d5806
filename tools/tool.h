/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all of raizn(8) shares: exit codes, messages, the subcommands.
 *
 * Functions that can fail in a way the user must hear of print one line with
 * fail() at the place that knows most, and return its exit code; callers only
 * pass the code on.
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stdint.h>

/* Exit codes; raizn(8) documents them. */
enum tool_exit {
	TOOL_OK = 0,
	TOOL_FAILED = 1,	/* the system did not do what was asked of it */
	TOOL_USAGE = 2,		/* words of the command line make no sense */
	TOOL_REFUSED = 3,	/* input not acceptable, or only with --force */
	TOOL_NOT_FOUND = 4,	/* no such array, device or member */
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Print "raizn: <message>" to standard error. */
[[gnu::format(printf, 1, 2)]]
void complain(const char *format, ...);

/* The same, and return @code. */
[[gnu::format(printf, 2, 3)]]
int fail(enum tool_exit code, const char *format, ...);

/* Hold back all messages from now on, or no longer; return what was so before. */
bool complaints_hold_back(bool on);

/* Have @prepare called before each message, or nothing for NULL: the cursor may stand behind
 * something.
 */
void complaints_prepare(void (*prepare)(void));

/* The last message, without "raizn: ", also if it was held back; empty if there was none. */
const char *complaint_last(void);

/* Complain that memory is short; return TOOL_FAILED. */
int fail_memory(void);

/**
 * struct command - one subcommand
 * @name:	word on the command line
 * @help:	what --help prints: usage line, description, options
 * @needs_root:	reads drives or talks to the device mapper
 * @trouble:	exit code when it cannot even run, or its output is lost; 0 for
 *		TOOL_FAILED
 * @run:	does it; @argv[0] is the subcommand's name
 */
struct command {
	const char *name;
	const char *help;
	bool needs_root;
	int trouble;
	int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command command_create;
extern const struct command command_start;
extern const struct command command_stop;
extern const struct command command_list;
extern const struct command command_status;
extern const struct command command_map;
extern const struct command command_inspect;
extern const struct command command_check;
extern const struct command command_maintain;
extern const struct command command_fail;
extern const struct command command_remove;
extern const struct command command_replace;
extern const struct command command_add;
extern const struct command command_rebuild;
extern const struct command command_scrub;
extern const struct command command_set;
extern const struct command command_events;
extern const struct command command_monitor;
extern const struct command command_complete;
extern const struct command command_probe;
extern const struct command command_report;

/* All of them; NULL is the end. */
extern const struct command *const commands[];

/* The one of that name, or NULL. */
const struct command *command_named(const char *name);

/* Complain about how @self was called and name its --help. */
[[gnu::format(printf, 2, 3)]]
int fail_usage(const struct command *self, const char *format, ...);

/* The same for what getopt_long(3) returned when it found no option it knows. */
int fail_option(const struct command *self, char **argv, int option);

/* Print @self's help to standard output; return TOOL_OK. */
int show_help(const struct command *self);

#endif /* TOOL_H */
