/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers, UUIDs and strings as people write and read them.
 */
#ifndef TEXT_H
#define TEXT_H

#include <time.h>

#include "../raizn/core/format.h"
#include "size.h"

/* Printable forms, returned by value so that they can stand in an argument
 * list: printf("%s", size_text(n).s).
 */
struct uuid_text {
	char s[37];
};

struct uuid_text uuid_text(const u8 *uuid);

/* Read a decimal number up to @max; return whether it is one. */
bool parse_number(const char *text, u64 max, u64 *number);

/* Read a UUID with or without dashes; return whether it is one. */
bool parse_uuid(const char *text, u8 *uuid);

/**
 * text_printable() - copy a string that may come from a drive
 * @to:		result, always terminated
 * @size:	bytes at @to
 * @from:	terminated or @from_size bytes long
 * @from_size:	bytes at @from
 *
 * What is not UTF-8 or would control a terminal becomes '?'.
 *
 * Return: whether nothing had to be replaced or cut off.
 */
bool text_printable(char *to, size_t size, const char *from, size_t from_size);

/**
 * struct name_text - the name of a mapped device for people
 * @s:	one line; see text_printable()
 */
struct name_text {
	char s[128];
};

struct name_text name_text(const char *name);

/**
 * struct label_text - a name as the value of a label, in metrics for Prometheus
 * @s:	with the escapes of its exposition format; other bytes are as of text_printable()
 */
struct label_text {
	char s[256];
};

struct label_text label_text(const char *name);

/* Copy @from if it fits @size bytes with its end; else @to becomes empty. */
bool text_copy(char *to, size_t size, const char *from);

/* Can @name be an array's, and so a device-mapper device's name? */
bool array_name_valid(const char *name);

/* Local time, for people. */
struct moment_text {
	char s[32];
};

struct moment_text moment_text(time_t time);

/* A superblock's @autostart as raizn-set(8) writes it. */
struct autostart_text {
	char s[40];
};

struct autostart_text autostart_text(u32 autostart);

/* "s" unless @n is one: printf("%u zone%s", n, plural(n)). */
const char *plural(u64 n);

#endif /* TEXT_H */
