/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a running array says of itself: its table, its status line, its zones.
 */
#ifndef VOLUME_STATE_H
#define VOLUME_STATE_H

#include <sys/types.h>

#include "dm.h"

/* Conditions that logical zones are counted by. */
enum zone_count {
	ZONES_EMPTY,
	ZONES_OPEN,
	ZONES_CLOSED,
	ZONES_FULL,
	ZONES_READ_ONLY,
	ZONES_OFFLINE,
	NR_ZONE_COUNTS,
};

extern const char *const zone_count_names[NR_ZONE_COUNTS];

/* Counters of the status line, in its order. */
enum volume_counter {
	USER_READ,		/* sectors */
	USER_WRITTEN,
	MEMBER_READ,
	DATA_WRITTEN,
	PARITY_WRITTEN,
	PARTIAL_PARITY_WRITTEN,
	METADATA_WRITTEN,
	REBUILD_WRITTEN,
	FLUSHES_SENT,		/* a number */
	LOG_SWITCHES,		/* a number */
	NR_COUNTERS,
};

/* What an array does on its own beside serving users. */
enum volume_action {
	ACTION_IDLE,
	ACTION_REBUILD,
	ACTION_CHECK,
	ACTION_REPAIR,
	ACTION_RECOVER,
	NR_ACTIONS,
};

extern const char *const action_names[NR_ACTIONS];

#define NODE_SIZE	64	/* bytes for the name of a drive */

/**
 * struct member_errors - what went wrong on a member since it was started
 * @read:	reads that failed
 * @write:	writes that failed
 * @healed:	columns of zones that were written anew because of that
 */
struct member_errors {
	u64 read;
	u64 write;
	u64 healed;
};

/**
 * struct volume_state - a running array
 * @volume:	its mapped device
 * @state:	"active", "degraded", "read-only" or "failed"
 * @nr_members:	slots
 * @letters:	one per slot: A active, F failed, R rebuilding, - missing
 * @nr_devices:	devices in the table, and places for them
 * @devices:	their device numbers, in the table's order, not by slot; 0 for
 *		a place without one
 * @options:	words behind the devices in the table
 * @event:	event count
 * @counters:	see enum volume_counter
 * @open, @active: zones now
 * @max_open, @max_active: limits
 * @places:	zones that may be active beside damaged ones, which are active, too
 * @write_cache: "back" or "through"
 * @degraded_zones: logical zones that lack a column
 * @action:	what it does on its own
 * @paused:	that waits
 * @done, @total: how far it is (sectors; steps of a recovery)
 * @elapsed:	milliseconds since it began
 * @rate:	what is done in a second (bytes or steps), the mean since it began; 0 if that
 *		cannot be told yet
 * @mismatches:	stripes that the last scrub found wrong
 * @repaired:	those of them that were made right
 * @speed_min, @speed_max: its limits (KiB/s of each member); 0 for none
 * @error_limit: errors after which a member fails; 0 for never
 * @errors:	by slot
 * @scrub_next:	logical zone that the last scrub looked at, or would have next
 * @damaged_zones: logical zones that lost more than parity makes up for
 * @unwritable_zones: logical zones that could not be written to their end
 * @retired_zones: those of them of which less could be read after a start
 * @retired_zone: the first of these, if there are any
 * @lost_sectors: sectors that too many drives could not read
 * @spoilt_sectors: sectors of columns that hold debris, so that their data is in logs
 * @stand_in_sectors: sectors in memory that its start would have written, if it was read-only
 * @knows_autostart: the module tells @autostart
 * @autostart:	RAIZN_AUTOSTART_*, or seconds
 * @trust_buffers: it does not copy data that could change while it is written
 * @zones:	logical zones by condition
 * @damaged_at:	sector of the first one that is read-only, if there are any
 * @nr_zones:	logical zones
 * @zone_size, @zone_capacity: bytes
 */
struct volume_state {
	struct volume volume;
	char state[16];
	u32 nr_members;
	char letters[RAIZN_MAX_MEMBERS + 1];
	u32 nr_devices;
	dev_t devices[RAIZN_MAX_MEMBERS];
	char options[128];
	u64 event;
	u64 counters[NR_COUNTERS];
	u64 open;
	u64 active;
	u64 max_open;
	u64 max_active;
	u64 places;
	char write_cache[16];
	u64 degraded_zones;
	enum volume_action action;
	bool paused;
	u64 done;
	u64 total;
	u64 elapsed;
	double rate;
	u64 mismatches;
	u64 repaired;
	u64 speed_min;
	u64 speed_max;
	u64 error_limit;
	struct member_errors errors[RAIZN_MAX_MEMBERS];
	u64 scrub_next;
	u64 damaged_zones;
	u64 unwritable_zones;
	u64 retired_zones;
	u64 retired_zone;
	u64 lost_sectors;
	u64 spoilt_sectors;
	u64 stand_in_sectors;
	bool knows_autostart;
	u64 autostart;
	bool trust_buffers;
	u32 zones[NR_ZONE_COUNTS];
	u64 damaged_at;
	u32 nr_zones;
	u64 zone_size;
	u64 zone_capacity;
};

/* Ask the kernel about @volume; return TOOL_OK, or an exit code after a
 * message.
 */
int volume_state_read(const struct volume *volume, struct volume_state *state);

/* The same without the zones, which takes no time and does not open the volume. */
int volume_state_read_lines(const struct volume *volume,
			    struct volume_state *state);

/* Add the zones; return as above.  There are none of a suspended volume, whose report would
 * wait for the resume.
 */
int volume_state_add_zones(struct volume_state *state);

/*
 * How many zones must become full or be reset before others can be opened?  0 also if that is only
 * because as many are active as usual.
 */
u64 zones_too_many(const struct volume_state *state);

/**
 * struct table_text - parameters of a table
 * @s:	the words behind the target's name
 */
struct table_text {
	char s[640];
};

/**
 * volume_table() - an array's table with another set of devices
 * @state:	the array; its options stay, but for an older rebuild=
 * @devices:	device numbers as in @state
 * @rebuild:	slot whose place the new device takes; -1 for none
 *
 * Return: the table.
 */
struct table_text volume_table(const struct volume_state *state,
			       const dev_t *devices, int rebuild);

/* A member's state in a word, by its letter. */
const char *letter_name(char letter);

/* The bit of each slot whose member has this letter. */
u32 slots_with_letter(const struct volume_state *state, char letter);

/* Is parity being compared, or does that wait? */
bool is_scrubbing(const struct volume_state *state);

/* Sectors written to members for any reason. */
u64 member_sectors_written(const struct volume_state *state);

#endif /* VOLUME_STATE_H */
