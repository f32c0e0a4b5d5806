/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which drive is in which slot of a running array.  The kernel tells devices in
 * the order of the table; slots are told by the drives' superblocks, as far as
 * they can be read.
 */
#ifndef ROSTER_H
#define ROSTER_H

#include "scan.h"
#include "volume_state.h"

/**
 * struct roster_slot - one slot
 * @place:	its place in the table
 * @dev:	device number; 0 if the table has none
 * @node:	the kernel's name of it; "-" if there is none
 * @path:	its device node, or @node if that is gone
 * @gone:	the system does not have it any more
 * @member:	what the drive says; NULL if it cannot be read
 */
struct roster_slot {
	u32 place;
	dev_t dev;
	char node[NODE_SIZE];
	char path[PATH_MAX];
	bool gone;
	const struct member *member;
};

/**
 * struct roster - all slots
 * @nr:		how many
 * @slots:	the slots
 */
struct roster {
	u32 nr;
	struct roster_slot slots[RAIZN_MAX_MEMBERS];
};

/* Fill @roster from what @scan found; it refers to that. */
void roster_make(struct roster *roster, const struct volume_state *state,
		 const struct scan *scan);

/* Slots (bits) in which the array has a drive that the system does not have any more. */
u32 roster_gone(const struct roster *roster);

/* Does the system have this block device? */
bool device_exists(dev_t dev);

/**
 * struct slot_text - a slot for people
 * @s:	"member 2 (nvme2n1)", without a drive "member 2"
 */
struct slot_text {
	char s[96];
};

struct slot_text roster_text(const struct roster *roster, u32 slot);

#endif /* ROSTER_H */
