/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recovery planner: from the state of one logical zone on the members after a crash to the
 * plan of its recovery.  Pure; docs/recovery.md has the table of cases that it implements,
 * tests/model goes through all of them.
 *
 * All offsets, extents and rows are sectors.
 */
#ifndef RAIZN_RECOVERY_PLAN_H
#define RAIZN_RECOVERY_PLAN_H

#include "portable.h"
#include "geometry.h"
#include "zone_facts.h"

enum raizn_zone_action {
	RAIZN_ZONE_LEAVE,	/* nothing to do */
	RAIZN_ZONE_RESET,	/* reset all columns, log "done" */
	RAIZN_ZONE_FINISH,	/* fill, then finish all columns */
	RAIZN_ZONE_REPAIR,	/* fill, then see to debris and padding, by column */
	RAIZN_ZONE_DAMAGED,	/* more is lost than parity makes up for, now or
				 * at an earlier start: change nothing; data below
				 * @wp is there or can be decoded now
				 */
};

/**
 * struct raizn_zone_plan - recovery of one zone
 * @action:	see above
 * @wp:		the zone's write pointer afterwards (offset)
 * @keep:	by column: sectors that are valid now
 * @want:	by column: sectors that the column must hold afterwards.  Sectors above
 *		@keep are filled in, unless raizn_row_is_there(); sectors above @want in a
 *		column of an open zone are debris, unless they are spoilt.  In a finished zone
 *		a parity column's @want includes the parity of the incomplete stripe
 * @debris:	by column: end of the debris, or 0 if there is none
 */
struct raizn_zone_plan {
	enum raizn_zone_action action;
	u32 wp;
	u32 keep[RAIZN_MAX_MEMBERS];
	u32 want[RAIZN_MAX_MEMBERS];
	u32 debris[RAIZN_MAX_MEMBERS];
};

#define RAIZN_FINAL_PARITY	(-1)
#define RAIZN_NO_PARITY		(-2)

/**
 * struct raizn_source - source of one data sector
 * @direct:	the sector itself can be read; the other fields are undefined then
 * @unknown:	data positions (bit by position) of the row to solve for, at most as many as
 *		there are parities
 * @parity:	by parity: RAIZN_FINAL_PARITY, RAIZN_NO_PARITY, or the index of
 *		the partial-parity record that holds the row
 * @limit:	by parity: offset below which the stripe's data is part of the parity
 */
struct raizn_source {
	bool direct;
	u32 unknown;
	int parity[RAIZN_MAX_PARITY];
	u32 limit[RAIZN_MAX_PARITY];
};

/**
 * raizn_find_source() - find a source of a data sector: itself, or parity to decode it with
 * @geo:	geometry
 * @facts:	the zone
 * @offset:	sector in the logical zone, below zone_cap
 * @source:	filled if there is one
 *
 * A sector is decodable from the final parity of its row, or from any partial-parity record
 * that covers the row and the sector, if all other data of that parity is there.  The
 * newest record is tried first, then older ones: the newest may cover data that did not
 * survive, while an older one covers just the data that a flush had promised.  Two parities
 * that cover the same unknown data solve for it together, also from different records: a
 * log switch replaces the record of one parity by a later one, and leaves that of the other
 * parity.
 *
 * Return: true if there is a source.
 */
bool raizn_find_source(const struct raizn_geometry *geo,
		       const struct raizn_zone_facts *facts, u32 offset,
		       struct raizn_source *source);

/**
 * raizn_find_row_parity() - newest logged parity of a row that is made of surviving data
 * @geo:	geometry
 * @facts:	the zone
 * @offset:	offset of the row's first data sector
 * @wp:		the zone's write pointer by the plan, behind @offset in the same stripe
 * @parity:	0 = P, 1 = Q
 * @record:	set to the index of the partial-parity record
 * @limit:	set to the offset below which all of the row's data is in the parity
 *
 * Return: true if there is one.
 */
bool raizn_find_row_parity(const struct raizn_geometry *geo,
			   const struct raizn_zone_facts *facts, u32 offset,
			   u32 wp, u32 parity, u32 *record, u32 *limit);

/**
 * raizn_keep_needed() - drop partial-parity records that newer ones supersede
 * @geo:	geometry
 * @facts:	the zone, with those of its records that were read so far
 * @pp:		the same records as @facts->pp; those that stay come first, in the same order
 *
 * The zone's write pointer by the other records will be no lower than by these.  So these have to
 * stay: the sources of all data below that write pointer, the newest parity of each row of its
 * stripe, and records of data behind it.  The plan of the zone is the same without the others, and
 * so is the parity of its tail.  A start that cannot read sectors in place, or records, has fewer
 * others to try.
 *
 * Return: number of records that stay.
 */
u32 raizn_keep_needed(const struct raizn_geometry *geo, const struct raizn_zone_facts *facts,
		      struct raizn_pp_entry *pp);

/**
 * raizn_zone_is_empty() - is a zone certainly empty?
 * @geo:	geometry
 * @facts:	the zone; its @pp does not matter
 * @logged:	partial parity of the zone was found, of any generation
 *
 * The first data of a zone is in one column, and its partial parity in the logs of the
 * members with the parity of its stripe, or, once the stripe is complete, in their columns.
 * If all of these are missing, the zone may hold data.  With RAIZN_ZONE_UNLOGGED the logs
 * prove nothing.
 */
bool raizn_zone_is_empty(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts, bool logged);

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
 * raizn_readable_end() - end of the readable part of a damaged zone
 * @geo:	geometry
 * @facts:	the zone
 * @wp:		its write pointer by the plan (sectors)
 *
 * A read below the end returns valid data or an error.  In the incomplete stripe the end is
 * that of the data in place: partial parity is gone after the start, and final parity that
 * is there for some of its rows covers more data than users may read.  With more columns
 * missing than parity makes up for nothing is decoded, and reads of missing columns are
 * errors, whose first one may be at @wp: the other columns are read to the end of their data.
 *
 * Return: sectors in the zone.
 */
u32 raizn_readable_end(const struct raizn_geometry *geo,
		       const struct raizn_zone_facts *facts, u32 wp);

/* A block that was never written reads as one repeated byte, or as an error. */
static inline bool raizn_looks_written(const void *block, u32 bytes)
{
	return memcmp(block, block + 1, bytes - 1);
}

/**
 * raizn_needs_missing() - can only columns that count as missing complete a zone?
 * @geo:	geometry
 * @facts:	the zone; columns of unknown ends are missing: those of members that are being
 *		rebuilt, and those in read-only member zones
 * @ends:	set, if so, to the sectors that each column must hold
 *
 * The data of such a column is valid, but may end too early, and parity can make up for
 * that.  If more is missing than that, the data is still of use if the zone is full or
 * finished, as all columns that are there tell: then the end of each column is known.
 */
bool raizn_needs_missing(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts,
			 u32 ends[RAIZN_MAX_MEMBERS]);

/**
 * raizn_distrust_full() - call full columns missing that may not be written to their end
 * @geo:	geometry
 * @facts:	the zone; such columns become missing
 *
 * A drive may finish a zone by itself.  The sectors behind its write pointer were never
 * written then, and the write pointer is lost: such a column counts as missing.  A full
 * column that is a unit or two ahead of the others at the end of the zone was written to
 * its end.  Full columns are believed if parity cannot make up for them beside the columns
 * that are missing anyway.
 */
void raizn_distrust_full(const struct raizn_geometry *geo,
			 struct raizn_zone_facts *facts);

/**
 * raizn_plan_zone() - plan the recovery of a zone
 * @geo:	geometry
 * @facts:	the zone
 * @plan:	filled
 *
 * The write pointer becomes the largest offset below which every sector is there or
 * decodable; all durable data is below it.  A zone that lacks the column in which its data
 * may go on is damaged if no log can tell: if the zone was damaged before
 * (RAIZN_ZONE_UNLOGGED), or if the log that would tell is lost.
 */
void raizn_plan_zone(const struct raizn_geometry *geo,
		     const struct raizn_zone_facts *facts,
		     struct raizn_zone_plan *plan);

#endif /* RAIZN_RECOVERY_PLAN_H */
