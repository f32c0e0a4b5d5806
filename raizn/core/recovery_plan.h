/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recovery planner: from what the members hold of one logical zone after a
 * crash to what must be done about it.  Pure; docs/recovery.md has the table of
 * cases it implements, tests/model goes through them.
 *
 * All offsets, extents and rows are sectors.
 */
#ifndef RAIZN_RECOVERY_PLAN_H
#define RAIZN_RECOVERY_PLAN_H

#include "portable.h"
#include "geometry.h"
#include "replay.h"

/**
 * struct raizn_pp_entry - one partial-parity record of the zone's generation
 * @seq:	its sequence number
 * @location:	where its payload is, for the caller
 * @start:	first offset whose rows it brings up to date
 * @end:	data below it is covered, same stripe as @start
 * @row:	first row in the payload
 * @nr_rows:	rows in the payload, modulo the stripe unit
 * @parity:	0 = P, 1 = Q
 */
struct raizn_pp_entry {
	u64 seq;
	u64 location;
	u32 start;
	u32 end;
	u32 row;
	u32 nr_rows;
	u8 parity;
};

/**
 * struct raizn_zone_facts - what is known of a zone after a crash
 * @zone:	logical zone number
 * @state:	what the general logs say of it, joined over the members
 * @missing:	columns (bit by column) whose member zone cannot be read
 * @full:	columns whose member zone is full for the drive
 * @unlogged:	members (bit by slot) whose logs do not tell: not there, new, or without
 *		the partial-parity log they had
 * @extents:	sectors written, by column; no meaning for missing ones
 * @pp:		partial-parity records of the zone's generation, newest (highest
 *		seq) first; those of stripes that all columns hold completely
 *		make no difference and need not be there
 * @nr_pp:	number of them
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
};

enum raizn_zone_action {
	RAIZN_ZONE_LEAVE,	/* nothing to do */
	RAIZN_ZONE_RESET,	/* reset all columns, log "done" */
	RAIZN_ZONE_FINISH,	/* fill, then finish all columns */
	RAIZN_ZONE_REPAIR,	/* fill, then remove debris, by column */
	RAIZN_ZONE_DAMAGED,	/* more is gone than parity makes up for, now or
				 * at a start before: touch nothing, @wp is what
				 * can be read
				 */
};

/**
 * struct raizn_zone_plan - what to do about a zone
 * @action:	see above
 * @wp:		the zone's write pointer afterwards (offset)
 * @keep:	by column: sectors that are valid now
 * @want:	by column: sectors it must hold afterwards.  Above @keep they
 *		are filled in; what an open zone's column holds above @want is
 *		debris.  In a finished zone a parity column's @want includes the
 *		parity of the incomplete stripe
 */
struct raizn_zone_plan {
	enum raizn_zone_action action;
	u32 wp;
	u32 keep[RAIZN_MAX_MEMBERS];
	u32 want[RAIZN_MAX_MEMBERS];
};

#define RAIZN_FINAL_PARITY	(-1)
#define RAIZN_NO_PARITY		(-2)

/**
 * struct raizn_source - how to get one data sector
 * @direct:	it is there to be read; the rest has no meaning then
 * @unknown:	data positions (bit by position) of the row to solve for: there
 *		are at least as many parities as bits
 * @parity:	by parity: RAIZN_FINAL_PARITY, RAIZN_NO_PARITY, or the index of
 *		the partial-parity record that holds the row
 * @limit:	by parity: it is made of the stripe's data below this offset
 */
struct raizn_source {
	bool direct;
	u32 unknown;
	int parity[RAIZN_MAX_PARITY];
	u32 limit[RAIZN_MAX_PARITY];
};

/**
 * raizn_find_source() - is a data sector there, or can it be decoded?
 * @geo:	geometry
 * @facts:	the zone
 * @offset:	sector in the logical zone, below zone_cap
 * @source:	filled when it is
 *
 * A sector is decodable from the final parity of its row, or from any
 * partial-parity record that covers the row and the sector and whose other data
 * is there: the newest is tried first, then older ones.  The newest may cover
 * data that did not survive, while an older one covers just what a flush had
 * promised.  With two parities, those that cover the same unknown data solve
 * for it together, whichever records they are from: when a log switches, one
 * parity's record is replaced by a later one and the other parity's is not.
 *
 * Return: true when it can be had.
 */
bool raizn_find_source(const struct raizn_geometry *geo,
		       const struct raizn_zone_facts *facts, u32 offset,
		       struct raizn_source *source);

/**
 * raizn_find_row_parity() - the newest first parity that was logged of a row, and is not
 * made of data that did not survive
 * @geo:	geometry
 * @facts:	the zone
 * @offset:	of the row's first sector of data
 * @wp:		the zone's write pointer by the plan, behind @offset in the same stripe
 * @record:	set to the partial-parity record that holds it
 * @limit:	set to the offset below which all of the row's data is in it
 *
 * Return: whether there is one.
 */
bool raizn_find_row_parity(const struct raizn_geometry *geo,
			   const struct raizn_zone_facts *facts, u32 offset,
			   u32 wp, u32 *record, u32 *limit);

/**
 * raizn_zone_is_empty() - is nothing there, and nothing that is not there to be seen?
 * @geo:	geometry
 * @facts:	the zone; its @pp does not matter
 * @logged:	partial parity of the zone was found, of any generation
 *
 * The first data of a zone is in one column, and partial parity of it in the logs of the
 * members with the parity of its stripe, or, once that is complete, in their columns.
 * Without any of these nobody knows.  With RAIZN_ZONE_UNLOGGED logs do not tell.
 */
bool raizn_zone_is_empty(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts, bool logged);

/**
 * struct raizn_member_claim - what one member's newest superblock says
 * @there:	the member is there; the rest has no meaning if not
 * @failed:	members (bit by slot) that are not to be trusted
 * @event:	its event count
 * @base:	event count of the superblock that this one took the place of,
 *		which counted then and was on all members that it was for: the
 *		highest event count in the member table
 * @base_failed: members that one called failed: those with a lower event count
 *		in the member table
 */
struct raizn_member_claim {
	bool there;
	u32 failed;
	u32 base_failed;
	u64 event;
	u64 base;
};

/**
 * struct raizn_trust - what all claims together come to
 * @failed:	members (bit by slot) that are not to be trusted, whether they are
 *		there or not
 * @base:	for the next superblock: the event count of what it is based on,
 *		to stand in the member table for all members but @base_failed
 * @base_failed: members that superblock called failed: their event counts in the
 *		member table stay
 * @event:	for the next superblock: higher than that of any member that is
 *		there, trusted or not
 */
struct raizn_trust {
	u32 failed;
	u32 base_failed;
	u64 base;
	u64 event;
};

/**
 * raizn_join_claims() - which members are to be trusted after a crash?
 * @claims:	by slot
 * @nr:		slots, at most RAIZN_MAX_MEMBERS
 * @trust:	filled
 *
 * A superblock with a new event count goes to all members that it does not call
 * failed, and is acted upon when all have it.  So one that such a member shows
 * never to have had was interrupted, nothing was changed because of it, and it
 * does not count, however high its event count: its author may have missed
 * members that went on without it later.  Of those that are left, and of those
 * that any is based on, the highest counts.
 *
 * A member that is behind what another one's superblock is based on was
 * replayed: it shows a past that it once had left.
 *
 * Return: 0, or -EUCLEAN when two groups of members each may have gone on
 * without the other, so that nobody can tell which one is right; with more than
 * half of the members needed for a start that cannot happen within what parity
 * makes up for.
 */
int raizn_join_claims(const struct raizn_member_claim *claims, u32 nr,
		      struct raizn_trust *trust);

/**
 * raizn_superblock_claim() - what a superblock says of itself and of the one it
 * replaced
 * @sb:		superblock that raizn_sb_geometry() accepted
 * @claim:	filled
 */
void raizn_superblock_claim(const struct raizn_superblock *sb,
			    struct raizn_member_claim *claim);

/**
 * raizn_zone_state_knows() - does a member's log know of all resets of a zone?
 * @own:	what the log says of the zone
 * @joined:	what all logs together say
 *
 * The intent of a reset is durable on all members before anything else is done.
 *
 * Return: false when the member shows a past that it had left.
 */
bool raizn_zone_state_knows(const struct raizn_zone_state *own,
			    const struct raizn_zone_state *joined);

/**
 * raizn_zone_state_join() - add what another member's general log says
 * @zone:	state of a zone so far
 * @other:	what the other log adds up to
 *
 * Every member gets every record, so each log on its own is a lower bound of
 * what was logged: the higher generation counts, and within one generation all
 * flags of both.
 */
void raizn_zone_state_join(struct raizn_zone_state *zone,
			   const struct raizn_zone_state *other);

/**
 * raizn_whole_stripes() - stripes that every readable column holds completely
 * @geo:	geometry
 * @facts:	the zone
 *
 * Return: number of stripes.
 */
u32 raizn_whole_stripes(const struct raizn_geometry *geo,
			const struct raizn_zone_facts *facts);

/**
 * raizn_readable_end() - how far is a damaged zone to be read?
 * @geo:	geometry
 * @facts:	the zone
 * @wp:		its write pointer by the plan, in sectors
 *
 * Below the end, what cannot be had can be told from what can.  In the stripe that is not
 * complete that is only so of what is in place: partial parity is gone after the start,
 * and final parity that is there for some of its rows is of more than what users may read.
 * With more columns missing than parity makes up for nothing is decoded, and reads of
 * these are errors.
 *
 * Return: sectors in the zone.
 */
u32 raizn_readable_end(const struct raizn_geometry *geo,
		       const struct raizn_zone_facts *facts, u32 wp);

/* What was never written reads as one byte over and over, or not at all. */
static inline bool raizn_looks_written(const void *block, u32 bytes)
{
	return memcmp(block, block + 1, bytes - 1);
}

/**
 * raizn_needs_rebuilt() - can only members that are being rebuilt complete a zone?
 * @geo:	geometry
 * @facts:	the zone; columns of such members are missing
 * @ends:	set to what they must hold, by column, if so
 *
 * What such a member holds is right, but may end too early, and parity can make up for
 * that.  Where more is missing than that, what it holds is still of use if the zone is full
 * or finished, which all columns tell that are there: then it is known where each one ends.
 */
bool raizn_needs_rebuilt(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts,
			 u32 ends[RAIZN_MAX_MEMBERS]);

/**
 * raizn_distrust_full() - is a column full because it was written to its end?
 * @geo:	geometry
 * @facts:	the zone; columns that are not become missing
 *
 * A drive may finish a zone on its own.  What lies behind its write pointer then
 * was never written, but nothing tells where that was: such a column is as good as
 * lost.  One that is a unit or two ahead of the others at the end of the zone was
 * written to its end.
 */
void raizn_distrust_full(const struct raizn_geometry *geo,
			 struct raizn_zone_facts *facts);

/**
 * raizn_plan_zone() - decide what to do about a zone
 * @geo:	geometry
 * @facts:	the zone
 * @plan:	filled
 *
 * The write pointer becomes the largest offset below which every sector is
 * there or decodable.  At least everything that was durable is below it.  A zone that
 * lacks the column in which it may have gone on is damaged if nobody can tell: if it was
 * damaged before (RAIZN_ZONE_UNLOGGED), or if the log that would tell is lost.
 */
void raizn_plan_zone(const struct raizn_geometry *geo,
		     const struct raizn_zone_facts *facts,
		     struct raizn_zone_plan *plan);

#endif /* RAIZN_RECOVERY_PLAN_H */
