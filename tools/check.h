/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raizn check: an array that does not run, examined without changing it.
 *
 * What its members' logs say is joined as recovery does it, the planner of
 * recovery says what a start would do, and parity is compared with the data.
 */
#ifndef CHECK_H
#define CHECK_H

#include "../raizn/core/recovery_plan.h"
#include "general_log.h"
#include "progress.h"
#include "scan.h"

/* Problems and zones with work that are told one by one. */
#define CHECK_MAX_PROBLEMS	1000U
#define CHECK_MAX_TEXT_LINES	20U

enum slot_condition {
	SLOT_OK,
	SLOT_REBUILDING,	/* its logs count, and columns that are marked as whole */
	SLOT_MISSING,		/* no drive with this identity was found */
	SLOT_FAILED,		/* the superblocks say so */
	SLOT_STALE,		/* was away while the array went on */
	SLOT_UNUSABLE,		/* its metadata cannot be trusted */
};

/**
 * struct slot - a member, or where one should be
 * @member:	NULL if none was found
 * @condition:	whether what it holds counts
 * @why:	why not
 * @log:	what its general log adds up to
 * @zones:	its zone report
 */
struct slot {
	const struct member *member;
	enum slot_condition condition;
	char why[200];
	struct general_log log;
	struct zbd_zone *zones;
};

/**
 * struct pp_record - a partial-parity record that counts
 * @zone:	logical zone
 * @entry:	for the planner; @location is made by pp_location()
 */
struct pp_record {
	u32 zone;
	struct raizn_pp_entry entry;
};

/**
 * struct relocated_record - a record with rows that are spoilt in place
 * @zone:	logical zone
 * @rows:	for the planner; its location is made by pp_location()
 */
struct relocated_record {
	u32 zone;
	struct raizn_relocated_rows rows;
};

/**
 * struct leftover - a zone that should be empty
 * @slot:	member
 * @zone:	number of the drive's zone
 */
struct leftover {
	u32 slot;
	u32 zone;
};

/**
 * struct zone_work - a zone that a start would work on, or could not
 * @facts:	what is known; its @pp is not valid any more
 * @plan:	what recovery would do
 * @rebuild:	columns (bits by column) to be rebuilt in other zones of their members
 * @finish:	all of it is written, its member zones are not all finished
 */
struct zone_work {
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u32 rebuild;
	bool finish;
};

/**
 * struct problem - damage that was found
 * @text:	which drive or zone, and what
 */
struct problem {
	char text[256];
};

/**
 * struct parity_result - what the comparison came to
 * @done:	it was asked for and made
 * @zones:	zones with data
 * @stripes:	complete stripes that were compared
 * @tails:	incomplete ones
 * @records:	partial-parity records that were compared
 * @unverifiable: stripes without enough redundancy left to compare
 * @mismatches:	wrong parities
 * @unreadable:	stripes with a sector that cannot be read
 * @lost:	stripes with a placeholder, which cannot be compared
 */
struct parity_result {
	bool done;
	u64 zones;
	u64 stripes;
	u64 tails;
	u64 records;
	u64 unverifiable;
	u64 mismatches;
	u64 unreadable;
	u64 lost;
};

/**
 * struct check - an array under examination
 * @array:	as found
 * @geo:	its geometry
 * @slots:	its members
 * @newest:	superblock that counts
 * @clean:	all members that count say that it was stopped cleanly
 * @apart:	members' general logs do not say the same
 * @untrusted:	slots (bits) that do not count
 * @pp_lost:	slots (bits) that lost their partial-parity log
 * @rebuilding:	slots (bits) that count, but of whose columns only marked ones do
 * @zones:	joined states
 * @map:	the zone map that counts, belongs to a slot; NULL if it makes no
 *		sense
 * @bad_blocks:	the list of lost blocks that counts, belongs to a slot; or NULL
 * @spoilt:	the list of spoilt rows that counts, belongs to a slot; or NULL
 * @relocated, @nr_relocated: records of such rows
 * @pp, @nr_pp:	partial-parity records by zone, newest first
 * @nr_records:	sound records in all log zones
 * @nr_log_zones: log zones that hold any
 * @torn:	records that power cut short
 * @work, @nr_work, @size_work: zones with work
 * @leftovers, @nr_leftovers: zones to be reset
 * @generations_full: zones whose generation cannot grow any more
 * @problems, @nr_problems: damage; the first CHECK_MAX_PROBLEMS are kept
 * @parity:	of the comparison
 * @progress:	of what is read of logs
 */
struct check {
	const struct array *array;
	const struct raizn_geometry *geo;
	struct slot slots[RAIZN_MAX_MEMBERS];
	const struct raizn_record *newest;
	bool clean;
	bool apart;
	u32 untrusted;
	u32 pp_lost;
	u32 rebuilding;
	struct raizn_zone_state *zones;
	const struct raizn_zone_map *map;
	struct raizn_bad_blocks *bad_blocks;
	struct raizn_spoilt_list *spoilt;
	struct relocated_record *relocated;
	u32 nr_relocated;
	struct pp_record *pp;
	size_t nr_pp;
	u64 nr_records;
	u32 nr_log_zones;
	u32 torn;
	struct zone_work *work;
	u32 nr_work;
	u32 size_work;
	struct leftover *leftovers;
	u32 nr_leftovers;
	u32 generations_full;
	struct problem *problems;
	u64 nr_problems;
	struct parity_result parity;
	struct progress progress;
};

/* Note damage. */
[[gnu::format(printf, 2, 3)]]
void check_problem(struct check *check, const char *format, ...);

/**
 * check_metadata() - read all logs, and decide what counts
 * @check:	@array and @geo are set, slots with drives have @member
 *
 * Return: TOOL_OK, or an exit code after a message: no array can be made of
 * these members.
 */
int check_metadata(struct check *check);

/* Have the planner look at every zone; return TOOL_OK, or TOOL_FAILED after a
 * message.  Without a sound zone map there is nothing to look at.
 */
int check_zones(struct check *check);

/* Compare parity with data, given a zone map; return as check_zones(). */
int check_parity(struct check *check);

/**
 * check_facts() - what the planner has to know of a zone
 * @check:	after check_metadata()
 * @zone:	logical zone
 * @facts:	filled; check_facts_free() it
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int check_facts(const struct check *check, u32 zone,
		struct raizn_zone_facts *facts);

void check_facts_free(struct raizn_zone_facts *facts);

/* Does an entry concern the place where its column is, in this life of the zone?  @data: check */
bool check_spoilt_counts(const struct raizn_spoilt *rows, void *data);

/* Note a RELOCATED record of a slot's partial-parity log; return TOOL_OK, or
 * TOOL_FAILED after a message.
 */
int check_add_relocated(struct check *check, u32 slot, const struct raizn_record *rec,
			u64 location);

/* Tell the planner of spoilt rows; return as check_add_relocated(). */
int check_spoilt_facts(const struct check *check, struct raizn_zone_facts *facts);

/**
 * check_read_spoilt() - read rows of a column that are spoilt in place
 * @check:	after check_metadata()
 * @facts:	the zone
 * @column:	column
 * @sector:	first row in @to (sectors in the column)
 * @nr:		rows in @to
 * @to:		rows that are spoilt are replaced
 *
 * Return: false if one of them is not there, or cannot be read.
 */
bool check_read_spoilt(const struct check *check, const struct raizn_zone_facts *facts,
		       u32 column, u32 sector, u32 nr, u8 *to);

/* Slot that a column belongs to, by check->map. */
static inline u32 check_slot(const struct check *check, u32 zone, u32 column)
{
	return raizn_zone_map_slot(check->geo, check->map, zone, column);
}

/* Device of the member that a column belongs to, which is there. */
static inline const char *check_device(const struct check *check, u32 zone, u32 column)
{
	return check->slots[check_slot(check, zone, column)].member->drive.path;
}

/* The member zone that holds a column; NULL if none does.  The member must be
 * there.
 */
const struct zbd_zone *check_column(const struct check *check, u32 zone,
				    u32 column);

/* Where a partial-parity record is: slot, log zone, bytes from its start. */
static inline u64 pp_location(u32 slot, u32 log, u64 pos)
{
	return (u64)slot << 58 | (u64)log << 54 | pos;
}

static inline u32 pp_location_slot(u64 location)
{
	return location >> 58;
}

static inline u32 pp_location_log(u64 location)
{
	return location >> 54 & 15;
}

static inline u64 pp_location_pos(u64 location)
{
	return location & ((1ULL << 54) - 1);
}

/* What to tell when what is shown now is interrupted. */
void check_on_signal(void);

enum check_result {
	CHECK_CLEAN = 0,
	CHECK_WORK = 1,
	CHECK_DAMAGED = 2,
	CHECK_UNKNOWN = 3,
};

enum check_result check_result(const struct check *check);

void check_print_text(const struct check *check);
void check_print_json(const struct check *check);

const char *slot_condition_name(enum slot_condition condition);

#endif /* CHECK_H */
