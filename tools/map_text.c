// SPDX-License-Identifier: GPL-2.0
/*
 * raizn map, for people.
 *
 * A cell is two characters, the sign of a condition and how full it is; in an array of
 * which a zone lacks a column a third one marks such zones.
 */
#include <stdarg.h>
#include <stdio.h>

#include "map.h"
#include "terminal.h"

#define MAX_ROWS	20

/* A row has a multiple of so many cells, and a gap after twice as many. */
#define CELLS_STEP	5
#define CELLS_GROUP	10

#define MARK		'!'
#define MARK_COLOUR	"1;31"

/* Colours of conditions, for a terminal. */
static const char *const colours[NR_MAP_CONDITIONS] = {
	[MAP_EMPTY] = "2",
	[MAP_FULL] = "34",
	[MAP_CLOSED] = "33",
	[MAP_IMPLICITLY_OPEN] = "32",
	[MAP_EXPLICITLY_OPEN] = "1;32",
	[MAP_READ_ONLY] = "35",
	[MAP_OFFLINE] = "31",
};

/**
 * struct fills - characters for how full a cell is
 * @levels:	level of a full cell
 * @chars:	by level; 0 is that of an empty cell
 * @legend:	explains those between
 */
struct fills {
	u32 levels;
	const char *chars[12];
	const char *legend;
};

static const struct fills ascii_fills = {
	.levels = 11,
	.chars = { ".", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "#" },
	.legend = "0-9 tenths written",
};

static const struct fills utf8_fills = {
	.levels = 8,
	.chars = { "·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
	.legend = "▁▄▇ written in part",
};

/**
 * struct page - how a map is laid out
 * @width:	columns of a line
 * @colour:	colours are used
 * @marked:	cells have a mark
 * @fills:	characters in use
 * @label:	columns of the number before a row
 * @cells:	cells of a row
 * @per_cell:	zones of a cell
 * @at:		column that words have come to
 */
struct page {
	u32 width;
	bool colour;
	bool marked;
	const struct fills *fills;
	u32 label;
	u32 cells;
	u32 per_cell;
	u32 at;
};

static u32 row_width(const struct page *page, u32 cells)
{
	return page->label + 1 + cells * (page->marked ? 3 : 2) +
	       (cells - 1) / CELLS_GROUP;
}

static void lay_out(struct page *page, const struct map *map)
{
	page->width = terminal_width(STDOUT_FILENO);
	page->colour = terminal_takes_colour();
	page->fills = terminal_takes_utf8() ? &utf8_fills : &ascii_fills;
	page->marked = map->degraded;
	page->label = snprintf(NULL, 0, "%u", map->nr_zones - 1);
	page->cells = CELLS_STEP;
	while (row_width(page, page->cells + CELLS_STEP) <= page->width)
		page->cells += CELLS_STEP;
	page->per_cell = map_zones_per_cell(map, page->cells * MAX_ROWS);
}

/* Columns that text takes; all our characters take one. */
static u32 columns_of(const char *text)
{
	u32 columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

static void colour_begin(const struct page *page, const char *colour)
{
	if (page->colour)
		printf("\033[%sm", colour);
}

static void colour_end(const struct page *page)
{
	if (page->colour)
		printf("\033[0m");
}

/* Room for so many columns, in this line or the next one, behind @gap blanks. */
static void make_room(struct page *page, u32 columns, u32 gap)
{
	if (page->at && page->at + gap + columns > page->width) {
		puts("");
		page->at = 0;
	}
	if (page->at)
		page->at += printf("%*s", (int)gap, "");
	page->at += columns;
}

static void end_line(struct page *page)
{
	if (page->at)
		puts("");
	page->at = 0;
}

/* Words that are broken between lines where they have to be. */
[[gnu::format(printf, 2, 3)]]
static void put_words(struct page *page, const char *format, ...)
{
	char text[512], *word, *rest;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (word = strtok_r(text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		make_room(page, columns_of(word), 1);
		fputs(word, stdout);
	}
}

static void put_head(struct page *page, const struct map *map)
{
	put_words(page, "%s: %s; %s", map->state.volume.name,
		  map_state_words(map).s, map_size_words(map).s);
	end_line(page);
	if (page->per_cell > 1)
		put_words(page, "each cell is %u zones: the gravest condition among them, how full they are on average%s",
			  page->per_cell,
			  page->marked ? ", and whether one lacks a column" : "");
	end_line(page);
}

static void put_cell(struct page *page, const struct map_cell *cell)
{
	const struct fills *fills = page->fills;

	colour_begin(page, colours[cell->condition]);
	printf("%c%s", map_conditions[cell->condition].sign,
	       fills->chars[map_cell_level(cell, fills->levels)]);
	colour_end(page);
	if (cell->lacks) {
		colour_begin(page, MARK_COLOUR);
		printf("%c", MARK);
		colour_end(page);
	}
}

static void put_cells(struct page *page, const struct map *map)
{
	u32 nr = map_nr_cells(map, page->per_cell), i, blanks = 0;

	for (i = 0; i < nr; i++) {
		struct map_cell cell = map_cell(map, page->per_cell, i);
		u32 column = i % page->cells;

		if (!column)
			printf("%s%*u ", i ? "\n" : "", (int)page->label,
			       cell.first);
		else
			printf("%*s", (int)(blanks + !(column % CELLS_GROUP)), "");
		put_cell(page, &cell);
		blanks = page->marked && !cell.lacks;
	}
	puts("");
}

/* "O explicitly open: 2" */
static void put_condition(struct page *page, enum map_condition condition, u32 nr)
{
	char text[64], key[8];

	snprintf(key, sizeof(key), "%c", map_conditions[condition].sign);
	if (condition == MAP_EMPTY)
		snprintf(key, sizeof(key), "%s", page->fills->chars[0]);
	if (condition == MAP_FULL)
		snprintf(key, sizeof(key), "%s",
			 page->fills->chars[page->fills->levels]);
	snprintf(text, sizeof(text), " %s: %u", map_conditions[condition].name,
		 nr);
	make_room(page, 1 + columns_of(text), 3);
	colour_begin(page, colours[condition]);
	fputs(key, stdout);
	colour_end(page);
	fputs(text, stdout);
}

static bool any_in_part(const struct page *page, const struct map *map)
{
	u32 nr = map_nr_cells(map, page->per_cell), i;

	for (i = 0; i < nr; i++) {
		struct map_cell cell = map_cell(map, page->per_cell, i);

		if (cell.written && cell.written < cell.room)
			return true;
	}
	return false;
}

static void put_legend(struct page *page, const struct map *map)
{
	enum map_condition i;

	for (i = 0; i < NR_MAP_CONDITIONS; i++)
		if (map->counts[i])
			put_condition(page, i, map->counts[i]);
	if (any_in_part(page, map)) {
		make_room(page, columns_of(page->fills->legend), 3);
		fputs(page->fills->legend, stdout);
	}
	end_line(page);
	if (!map->degraded)
		return;
	make_room(page, 1, 0);
	colour_begin(page, MARK_COLOUR);
	printf("%c", MARK);
	colour_end(page);
	put_words(page, "lacks a column: %u; %s", map->degraded,
		  map_lacking_words(map).s);
	end_line(page);
}

void map_text(const struct map *map)
{
	struct page page = { };

	lay_out(&page, map);
	put_head(&page, map);
	puts("");
	put_cells(&page, map);
	puts("");
	put_legend(&page, map);
}
