/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of one logical zone on the members after a crash, for the recovery planner.  Pure.
 *
 * All offsets, extents and rows are sectors.
 */
#ifndef RAIZN_ZONE_FACTS_H
#define RAIZN_ZONE_FACTS_H

#include "portable.h"
#include "geometry.h"
#include "replay.h"

/**
 * struct raizn_pp_entry - one partial-parity record of the zone's generation
 * @seq:	its sequence number
 * @location:	place of its payload; only the caller interprets it
 * @start:	first offset with parity rows that the record brings up to date
 * @end:	offset below which data is covered, same stripe as @start
 * @row:	first row in the payload
 * @nr_rows:	rows in the payload, modulo the stripe unit
 * @parity:	0 = P, 1 = Q
 * @needed:	for raizn_keep_needed()
 */
struct raizn_pp_entry {
	u64 seq;
	u64 location;
	u32 start;
	u32 end;
	u32 row;
	u32 nr_rows;
	u8 parity;
	bool needed;
};

/**
 * struct raizn_spoilt_rows - rows of a column that hold debris or padding in place
 * @column:	column
 * @from:	first row (sectors in the column)
 * @end:	row behind the last one, at the end of a stripe unit
 *
 * Data of these rows is in the log of the column's member.
 */
struct raizn_spoilt_rows {
	u32 column;
	u32 from;
	u32 end;
};

/**
 * struct raizn_relocated_rows - one record with rows that are spoilt in place
 * @location:	place of its payload; only the caller interprets it
 * @column:	column
 * @row:	first row (sectors in the column)
 * @nr_rows:	rows
 */
struct raizn_relocated_rows {
	u64 location;
	u32 column;
	u32 row;
	u32 nr_rows;
};

/**
 * struct raizn_zone_facts - state of a zone on the members after a crash
 * @zone:	logical zone number
 * @state:	state by the general logs, joined over the members
 * @missing:	columns (bit by column) that cannot be read, or do not count
 * @full:	columns (bit by column) in member zones that their drives call full
 * @unlogged:	columns (bit by column) whose members are without the partial parity that was
 *		logged on them: absent, new, or with a lost partial-parity log
 * @extents:	sectors written, by column; undefined for missing columns
 * @pp:		partial-parity records of the zone's generation, newest (highest seq) first;
 *		records of stripes that all columns hold completely may be left out
 * @nr_pp:	entries of @pp
 * @spoilt:	spoilt rows of the zone's columns, which do not overlap
 * @nr_spoilt:	entries of @spoilt
 * @relocated:	records of the zone's generation with rows of @spoilt; where they overlap they
 *		hold the same
 * @nr_relocated: entries of @relocated
 */
struct raizn_zone_facts {
	u32 zone;
	struct raizn_zone_state state;
	u32 missing;
	u32 full;
	u32 unlogged;
	u32 extents[RAIZN_MAX_MEMBERS];
	const struct raizn_pp_entry *pp;
	u32 nr_pp;
	const struct raizn_spoilt_rows *spoilt;
	u32 nr_spoilt;
	const struct raizn_relocated_rows *relocated;
	u32 nr_relocated;
};

/**
 * raizn_spoilt_end() - where is a column written in place again?
 * @facts:	the zone
 * @column:	column
 * @row:	row (sectors in the column)
 *
 * Return: row behind the spoilt rows that @row is one of, or @row if it is not spoilt.
 */
u32 raizn_spoilt_end(const struct raizn_zone_facts *facts, u32 column, u32 row);

/**
 * raizn_row_is_there() - can a row of a column be read, in place or from a log?
 * @facts:	the zone
 * @column:	column
 * @row:	row (sectors in the column)
 */
bool raizn_row_is_there(const struct raizn_zone_facts *facts, u32 column, u32 row);

/**
 * raizn_relocated() - find the record with a spoilt row
 * @facts:	the zone
 * @column:	column
 * @row:	row (sectors in the column)
 *
 * Return: a record of @facts->relocated, or NULL.
 */
const struct raizn_relocated_rows *raizn_relocated(const struct raizn_zone_facts *facts,
						   u32 column, u32 row);

#endif /* RAIZN_ZONE_FACTS_H */
