// SPDX-License-Identifier: GPL-2.0
/*
 * What an owner is advised to do.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"

void advise(struct advice *advice, const char *id, const char *format, ...)
{
	va_list args;

	advice->id = id;
	va_start(args, format);
	vsnprintf(advice->text, sizeof(advice->text), format, args);
	va_end(args);
}

void advice_add(struct advice *advice, const char *format, ...)
{
	size_t at = strlen(advice->text);
	va_list args;

	va_start(args, format);
	vsnprintf(advice->text + at, sizeof(advice->text) - at, format, args);
	va_end(args);
}

void advice_commands(const struct advice *advice, struct json_object *list)
{
	const char *begin, *end;

	for (begin = strchr(advice->text, '\''); begin; begin = strchr(end + 1, '\'')) {
		end = strchr(++begin, '\'');
		if (!end)
			return;
		json_object_array_add(list, json_object_new_string_len(begin, end - begin));
	}
}
