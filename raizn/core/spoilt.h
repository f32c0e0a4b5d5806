/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of rows that hold no data in place: debris that a recovery left where it was, and
 * padding behind it.  Pure.  See "stripe unit relocation" in section 5.2 of the RAIZN paper.
 *
 * Their data is in RELOCATED records of the column's member.  The list is short and changes at
 * starts, so it is an array, searched from its start.
 */
#ifndef RAIZN_SPOILT_H
#define RAIZN_SPOILT_H

#include "portable.h"
#include "format.h"
#include "payload.h"
#include "geometry.h"

/**
 * struct raizn_spoilt - see struct raizn_spoilt_entry
 * @generation:	generation of the zone
 * @zone:	logical zone
 * @physical:	member zone that holds the column
 * @column:	column
 * @from:	first row (sectors in the column)
 * @end:	row behind the last one
 */
struct raizn_spoilt {
	u64 generation;
	u32 zone;
	u32 physical;
	u32 column;
	u32 from;
	u32 end;
};

/**
 * struct raizn_spoilt_list - the list
 * @version:	counts changes; of two members' lists the higher version counts
 * @nr:		entries
 * @at:		the entries; those of a column neither overlap nor touch
 */
struct raizn_spoilt_list {
	u64 version;
	u32 nr;
	struct raizn_spoilt at[RAIZN_SPOILT_MAX];
};

/* Payload bytes of a SPOILT record of @nr entries: one block at least. */
static inline u32 raizn_spoilt_payload(u32 nr)
{
	u32 bytes = (nr ? nr : 1) * (u32)sizeof(struct raizn_spoilt_entry);

	return (bytes + RAIZN_BLOCK_SIZE - 1) & ~(RAIZN_BLOCK_SIZE - 1);
}

/**
 * raizn_spoilt_beside() - do rows of one column overlap or touch?
 * @a:		rows
 * @b:		rows
 *
 * Return: whether they are of the same column, in the same place and life of its zone, and can be
 * one entry.
 */
bool raizn_spoilt_beside(const struct raizn_spoilt *a, const struct raizn_spoilt *b);

/**
 * raizn_spoilt_extend() - extend rows by others beside them
 * @rows:	rows, extended
 * @other:	raizn_spoilt_beside() is true
 */
void raizn_spoilt_extend(struct raizn_spoilt *rows, const struct raizn_spoilt *other);

/**
 * raizn_spoilt_add() - add rows of a column
 * @list:	list
 * @rows:	the rows
 * @max:	entries that the list may have, at most RAIZN_SPOILT_MAX
 *
 * They become one entry with those that they overlap or touch.
 *
 * Return: 0, or -ENOSPC when the list is full.
 */
int raizn_spoilt_add(struct raizn_spoilt_list *list, const struct raizn_spoilt *rows, u32 max);

/**
 * raizn_spoilt_keep() - drop entries that do not count any more
 * @list:	list
 * @counts:	does an entry count?
 * @data:	for @counts
 *
 * Return: whether the list has changed.
 */
bool raizn_spoilt_keep(struct raizn_spoilt_list *list,
		       bool (*counts)(const struct raizn_spoilt *rows, void *data), void *data);

/**
 * raizn_spoilt_fill() - begin a SPOILT record
 * @rec:	record initialised with a payload of raizn_spoilt_payload() bytes
 * @version:	version of the list
 * @nr:		entries, to be put into the record by raizn_spoilt_put()
 */
void raizn_spoilt_fill(struct raizn_record *rec, u64 version, u32 nr);

/**
 * raizn_spoilt_put() - put an entry into a SPOILT record
 * @rec:	record begun by raizn_spoilt_fill()
 * @i:		number of the entry
 * @rows:	the entry
 */
void raizn_spoilt_put(struct raizn_record *rec, u32 i, const struct raizn_spoilt *rows);

/**
 * raizn_spoilt_replay() - take over a SPOILT record
 * @list:	list, zeroed before the first record
 * @rec:	record that raizn_record_fits() accepted, with its payload
 *
 * A record of an older version than the list's is void.  Entries that overlap are joined.
 */
void raizn_spoilt_replay(struct raizn_spoilt_list *list, const struct raizn_record *rec);

#endif /* RAIZN_SPOILT_H */
