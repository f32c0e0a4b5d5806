// SPDX-License-Identifier: GPL-2.0
/*
 * Terminals: their width, their characters, their colours.
 */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"
#include "text.h"

#define USUAL_WIDTH	80
#define LARGEST_WIDTH	10000

u32 terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	u64 width;

	if (columns && parse_number(columns, LARGEST_WIDTH, &width) && width)
		return width;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return USUAL_WIDTH;
}

bool terminal_takes_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", NULL);
	bool utf8;

	if (!locale)
		return false;
	utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return utf8;
}

bool terminal_takes_colour(void)
{
	const char *unwanted = getenv("NO_COLOR"), *kind = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(unwanted && *unwanted) &&
	       kind && strcmp(kind, "dumb");
}
