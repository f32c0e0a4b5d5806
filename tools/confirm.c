// SPDX-License-Identifier: GPL-2.0
/*
 * Asking before something is done that cannot be taken back.
 */
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "confirm.h"
#include "text.h"
#include "tool.h"

static bool is_yes(const char *answer)
{
	return !strcasecmp(answer, "y\n") || !strcasecmp(answer, "yes\n");
}

int confirm(bool force, const char *format, ...)
{
	char text[800], line[800], answer[16] = "";
	va_list args;

	if (force)
		return TOOL_OK;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!isatty(STDIN_FILENO))
		return fail(TOOL_REFUSED, "%s; use --force to do it", text);
	text_printable(line, sizeof(line), text, sizeof(text));
	fprintf(stderr, "%s.\nDo it? [y/N] ", line);
	if (!fgets(answer, sizeof(answer), stdin) || !is_yes(answer))
		return fail(TOOL_REFUSED, "nothing was changed");
	return TOOL_OK;
}
