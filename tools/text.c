// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers, UUIDs and strings as people write and read them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <uuid/uuid.h>

#include "text.h"

struct uuid_text uuid_text(const u8 *uuid)
{
	struct uuid_text text;

	uuid_unparse_lower(uuid, text.s);
	return text;
}

bool parse_number(const char *text, u64 max, u64 *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number <= max;
}

bool parse_uuid(const char *text, u8 *uuid)
{
	char dashed[37];
	size_t i, n = 0;

	for (i = 0; text[i]; i++) {
		if (text[i] == '-')
			continue;
		if (!isxdigit((unsigned char)text[i]) || n >= 36)
			return false;
		dashed[n++] = text[i];
		if (n == 8 || n == 13 || n == 18 || n == 23)
			dashed[n++] = '-';
	}
	dashed[n] = '\0';
	return n == 36 && !uuid_parse(dashed, uuid);
}

/* Bytes of the UTF-8 sequence at @s that is fit to print; 0 if it is not. */
static size_t utf8_sequence(const unsigned char *s, size_t avail)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len, i;
	u32 point;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] >= 0xf8 || s[0] < 0xc0)
		return 0;
	len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (len > avail)
		return 0;
	point = s[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (s[i] & 0x3f);
	}
	/* Overlong, C1 controls, surrogates, direction marks, too large. */
	if (point < least[len] || point < 0xa0 || point > 0x10ffff ||
	    (point >= 0xd800 && point < 0xe000) ||
	    (point >= 0x2028 && point <= 0x202e) ||
	    (point >= 0x2066 && point <= 0x2069))
		return 0;
	return len;
}

bool text_printable(char *to, size_t size, const char *from, size_t from_size)
{
	size_t in = 0, out = 0, len;
	bool clean = true;

	while (in < from_size && from[in]) {
		len = utf8_sequence((const unsigned char *)from + in,
				    from_size - in);
		if (out + (len ? len : 1) >= size) {
			clean = false;
			break;
		}
		if (len) {
			memcpy(to + out, from + in, len);
			in += len;
			out += len;
		} else {
			to[out++] = '?';
			in++;
			clean = false;
		}
	}
	to[out] = '\0';
	return clean;
}

struct name_text name_text(const char *name)
{
	struct name_text text;

	text_printable(text.s, sizeof(text.s), name, strlen(name));
	return text;
}

struct label_text label_text(const char *name)
{
	static const char special[] = "\\\"\n", escapes[] = "\\\"n";
	struct label_text text = { "" };
	const char *found;
	size_t at = 0, len;

	while (*name && at + 2 < sizeof(text.s)) {
		found = strchr(special, *name);
		len = found ? 1 : strcspn(name, special);
		if (found) {
			text.s[at++] = '\\';
			text.s[at++] = escapes[found - special];
		} else {
			text_printable(text.s + at, sizeof(text.s) - at, name, len);
			at += strlen(text.s + at);
		}
		name += len;
	}
	text.s[at] = '\0';
	return text;
}

bool text_copy(char *to, size_t size, const char *from)
{
	size_t len = strlen(from);

	*to = '\0';
	if (len >= size)
		return false;
	memcpy(to, from, len + 1);
	return true;
}

bool array_name_valid(const char *name)
{
	size_t i, len = strlen(name);

	if (!len || len >= RAIZN_NAME_SIZE || !strcmp(name, "control"))
		return false;
	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) &&
		    !strchr("#+-.:=@_", name[i]))
			return false;
	return name[0] != '-' && name[0] != '.';
}

const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}

struct moment_text moment_text(time_t time)
{
	struct moment_text text;
	struct tm tm;

	if (!localtime_r(&time, &tm) ||
	    !strftime(text.s, sizeof(text.s), "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(text.s, "-");
	return text;
}

struct autostart_text autostart_text(u32 autostart)
{
	struct autostart_text text;

	if (autostart == RAIZN_AUTOSTART_COMPLETE)
		strcpy(text.s, "complete");
	else if (autostart == RAIZN_AUTOSTART_NO)
		strcpy(text.s, "no");
	else
		snprintf(text.s, sizeof(text.s), "degraded-after=%u", autostart);
	return text;
}
