// SPDX-License-Identifier: GPL-2.0
/*
 * raizn map --svg: the map as a picture that needs nothing else.
 *
 * Sizes and places are in pixels.  A cell is a square that fills from below; zones that
 * are neither empty nor full have the sign of their condition, so that no colour is
 * needed to read it.
 */
#include <stdio.h>

#include "map.h"
#include "text.h"

#define MAX_CELLS	4000

/* More of them have no words of their own. */
#define MAX_TITLES	1000

/* Cells of a row. */
#define LEAST_COLUMNS	40
#define MOST_COLUMNS	80
#define LEAST_ROWS	10

#define CELL		14
#define PITCH		16
#define MARGIN		16
#define LABEL		56
#define HEAD		64
#define LEGEND_LINE	22
#define LEGEND_ITEM	160

/**
 * struct picture - how a picture is laid out
 * @per_cell:	zones of a cell
 * @nr_cells:	number of cells
 * @columns:	cells of a row
 * @rows:	number of rows
 * @width:	pixels
 * @height:	pixels
 */
struct picture {
	u32 per_cell;
	u32 nr_cells;
	u32 columns;
	u32 rows;
	u32 width;
	u32 height;
};

static void lay_out(struct picture *picture, const struct map *map)
{
	picture->per_cell = map_zones_per_cell(map, MAX_CELLS);
	picture->nr_cells = map_nr_cells(map, picture->per_cell);
	picture->columns = LEAST_COLUMNS;
	while (picture->columns < MOST_COLUMNS &&
	       picture->nr_cells > picture->columns * LEAST_ROWS)
		picture->columns += 10;
	picture->rows = (picture->nr_cells - 1) / picture->columns + 1;
	picture->width = 2 * MARGIN + LABEL + picture->columns * PITCH;
	/* Conditions in two lines at most, the mark in another one. */
	picture->height = HEAD + picture->rows * PITCH + MARGIN +
			  3 * LEGEND_LINE + MARGIN;
}

/* Text of an element; a volume may have any name. */
static void put_text(const char *text)
{
	char clean[512];
	const char *c;

	text_printable(clean, sizeof(clean), text, strlen(text));
	for (c = clean; *c; c++) {
		switch (*c) {
		case '&':
			fputs("&amp;", stdout);
			break;
		case '<':
			fputs("&lt;", stdout);
			break;
		case '>':
			fputs("&gt;", stdout);
			break;
		default:
			putchar(*c);
		}
	}
}

static void put_style(void)
{
	fputs("<style>\n"
	      "text { font: 12px sans-serif; fill: #222 }\n"
	      ".head { font-size: 18px; font-weight: bold }\n"
	      ".label { text-anchor: end; fill: #666 }\n"
	      ".sign { font: bold 10px sans-serif; text-anchor: middle }\n"
	      ".room { fill: #f4f4f4; stroke: #bbb }\n"
	      ".full { fill: #3465a4 }\n"
	      ".closed { fill: #e9b96e }\n"
	      ".implicit { fill: #8ae234 }\n"
	      ".explicit { fill: #4e9a06 }\n"
	      ".readonly { fill: #ad7fa8 }\n"
	      ".offline { fill: #888 }\n"
	      ".lacks { fill: #cc0000 }\n"
	      "</style>\n", stdout);
}

static void put_summary(const struct map *map)
{
	put_text(map->state.volume.name);
	fputs(": ", stdout);
	put_text(map_state_words(map).s);
}

static void put_head(const struct picture *picture, const struct map *map)
{
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" aria-labelledby=\"title desc\">\n",
	       picture->width, picture->height, picture->width, picture->height);
	fputs("<title id=\"title\">Zones of ", stdout);
	put_summary(map);
	fputs("</title>\n<desc id=\"desc\">", stdout);
	put_text(map_size_words(map).s);
	printf("; %u lack a column</desc>\n", map->degraded);
	put_style();
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", stdout);
	printf("<text class=\"head\" x=\"%u\" y=\"28\">", MARGIN);
	put_summary(map);
	printf("</text>\n<text x=\"%u\" y=\"48\">", MARGIN);
	put_text(map_size_words(map).s);
	if (picture->per_cell > 1)
		printf("; each square is %u zones", picture->per_cell);
	fputs("</text>\n", stdout);
}

static void put_square(const struct map_cell *cell, u32 x, u32 y)
{
	const struct map_condition_text *text = &map_conditions[cell->condition];
	double filled = (double)cell->written / cell->room * CELL;

	if (cell->condition == MAP_OFFLINE)
		filled = CELL;
	printf("<rect class=\"room\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
	       x, y, CELL, CELL);
	if (filled > 0)
		printf("<rect class=\"%s\" x=\"%u\" y=\"%.2f\" width=\"%u\" height=\"%.2f\"/>",
		       text->svg_class, x, y + CELL - filled, CELL, filled);
	if (text->sign != ' ')
		printf("<text class=\"sign\" x=\"%u\" y=\"%u\">%c</text>",
		       x + CELL / 2, y + CELL - 4, text->sign);
	if (cell->lacks)
		printf("<path class=\"lacks\" d=\"M%u %uh%uv%uz\"/>",
		       x + CELL / 2, y, CELL - CELL / 2, CELL / 2);
}

static void put_title(const struct map_cell *cell, u32 nr_members)
{
	const char *separator = ", lacks slot ";
	u32 slot;

	if (cell->nr == 1)
		printf("<title>zone %u: ", cell->first);
	else
		printf("<title>zones %u to %u: ", cell->first,
		       cell->first + cell->nr - 1);
	printf("%s, %.0f%% written", map_conditions[cell->condition].name,
	       100.0 * cell->written / cell->room);
	for (slot = 0; slot < nr_members; slot++) {
		if (!(cell->lacks >> slot & 1))
			continue;
		printf("%s%u", separator, slot);
		separator = ", ";
	}
	fputs("</title>", stdout);
}

static void put_cells(const struct picture *picture, const struct map *map)
{
	u32 i;

	for (i = 0; i < picture->nr_cells; i++) {
		struct map_cell cell = map_cell(map, picture->per_cell, i);
		u32 x = MARGIN + LABEL + i % picture->columns * PITCH;
		u32 y = HEAD + i / picture->columns * PITCH;

		if (i % picture->columns == 0)
			printf("<text class=\"label\" x=\"%u\" y=\"%u\">%u</text>\n",
			       x - 6, y + CELL - 3, cell.first);
		fputs("<g>", stdout);
		if (picture->nr_cells <= MAX_TITLES)
			put_title(&cell, map->state.nr_members);
		put_square(&cell, x, y);
		fputs("</g>\n", stdout);
	}
}

/* A square of the legend and the beginning of its words. */
static void begin_item(const struct map_cell *cell, u32 x, u32 y)
{
	put_square(cell, x, y);
	printf("<text x=\"%u\" y=\"%u\">", x + CELL + 6, y + CELL - 3);
}

static void put_legend(const struct picture *picture, const struct map *map)
{
	u32 top = HEAD + picture->rows * PITCH + MARGIN, nr = 0, i;
	struct map_cell cell;

	for (i = 0; i < NR_MAP_CONDITIONS; i++) {
		if (!map->counts[i])
			continue;
		cell = (struct map_cell) {
			.condition = i,
			.written = i != MAP_EMPTY,
			.room = i == MAP_FULL ? 1 : 2,
		};
		begin_item(&cell, MARGIN + nr % 4 * LEGEND_ITEM,
			   top + nr / 4 * LEGEND_LINE);
		printf("%s: %u</text>\n", map_conditions[i].name,
		       map->counts[i]);
		nr++;
	}
	if (!map->degraded)
		return;
	cell = (struct map_cell) { .room = 1, .lacks = 1 };
	begin_item(&cell, MARGIN, top + 2 * LEGEND_LINE);
	printf("lacks a column: %u; ", map->degraded);
	put_text(map_lacking_words(map).s);
	fputs("</text>\n", stdout);
}

void map_svg(const struct map *map)
{
	struct picture picture;

	lay_out(&picture, map);
	put_head(&picture, map);
	put_cells(&picture, map);
	put_legend(&picture, map);
	fputs("</svg>\n", stdout);
}
