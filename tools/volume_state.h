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
	FLUSHES_SENT,		/* a number */
	LOG_SWITCHES,		/* a number */
	NR_COUNTERS,
};

/**
 * struct volume_state - a running array
 * @volume:	its mapped device
 * @state:	"active", "read-only" or "failed"
 * @nr_members:	slots
 * @letters:	one per slot: A active, F failed, R rebuilding, - missing
 * @nr_devices:	drives in the table
 * @devices:	their device numbers, in the table's order, not by slot
 * @event:	event count
 * @counters:	see enum volume_counter
 * @open, @active: zones now
 * @max_open, @max_active: limits
 * @write_cache: "back" or "through"
 * @zones:	logical zones by condition
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
	u64 event;
	u64 counters[NR_COUNTERS];
	u64 open;
	u64 active;
	u64 max_open;
	u64 max_active;
	char write_cache[16];
	u32 zones[NR_ZONE_COUNTS];
	u32 nr_zones;
	u64 zone_size;
	u64 zone_capacity;
};

/* Ask the kernel about @volume; return TOOL_OK, or an exit code after a
 * message.
 */
int volume_state_read(const struct volume *volume, struct volume_state *state);

/* Sectors written to members for any reason. */
u64 member_sectors_written(const struct volume_state *state);

#endif /* VOLUME_STATE_H */
