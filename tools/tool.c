// SPDX-License-Identifier: GPL-2.0
/*
 * Messages to the user.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#include "tool.h"
#include "text.h"

/* Bytes of a message with a few paths in it; the rest is cut off. */
#define MESSAGE_SIZE	4096

static bool held_back;
static void (*before_message)(void);
static char last_message[MESSAGE_SIZE];

void complaints_prepare(void (*prepare)(void))
{
	before_message = prepare;
}

bool complaints_hold_back(bool on)
{
	bool before = held_back;

	held_back = on;
	return before;
}

[[gnu::format(printf, 1, 0)]]
static void complain_args(const char *format, va_list args)
{
	char text[MESSAGE_SIZE];

	vsnprintf(text, sizeof(text), format, args);
	/* A name or path may hold a newline, but a message is one line. */
	text_printable(last_message, sizeof(last_message), text, sizeof(text));
	if (held_back)
		return;
	if (before_message)
		before_message();
	fflush(stdout);
	fprintf(stderr, "raizn: %s\n", last_message);
}

const char *complaint_last(void)
{
	return last_message;
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_args(format, args);
	va_end(args);
}

int fail(enum tool_exit code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_args(format, args);
	va_end(args);
	return code;
}

int fail_memory(void)
{
	return fail(TOOL_FAILED, "out of memory");
}

int fail_usage(const struct command *self, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return fail(TOOL_USAGE, "%s: %s; see 'raizn %s --help'", self->name,
		    text, self->name);
}

int fail_option(const struct command *self, char **argv, int option)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return fail_usage(self, "%s needs a value", word);
	return fail_usage(self, "no option '%s', or it takes no value", word);
}

int show_help(const struct command *self)
{
	fputs(self->help, stdout);
	return TOOL_OK;
}
