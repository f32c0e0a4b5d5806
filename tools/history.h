/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As what this machine saw the drives of an array last, for when one is missing.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include "member.h"

/* Remember the members that are there; NULL for others.  What is known of those stays.  A
 * machine that cannot write that down does without.
 */
void history_note(const u8 *array, const struct member *const *members, u32 nr);

/**
 * struct sighting - a drive as this machine saw it last
 * @member:	member UUID
 * @node:	the kernel's name of the drive; empty if it was not seen
 * @serial:	its serial number, or empty
 * @left_out:	event count of the array when it was without the member; 0 if it never was
 */
struct sighting {
	u8 member[RAIZN_UUID_SIZE];
	char node[64];
	char serial[64];
	u64 left_out;
};

/* As what was the drive of a member seen last?  False if it never was. */
bool history_find(const u8 *array, const u8 *member, struct sighting *sighting);

/**
 * struct seen_text - a drive as it was seen last
 * @s:	", last seen as nvme2n1, serial S123"; empty if it never was
 */
struct seen_text {
	char s[200];
};

struct seen_text history_text(const u8 *array, const u8 *member);

/**
 * history_leave_out() - remember that an array was started by itself without a member
 * @array:	UUID of the array
 * @member:	UUID of the member
 * @event:	event count of the array without it, or 0 to forget that
 *
 * A superblock of the member with a higher event count says that it took part after that.
 *
 * Return: false if it cannot be written down, now at least.
 */
bool history_leave_out(const u8 *array, const u8 *member, u64 event);

/* The event count that was remembered, 0 if none was. */
u64 history_left_out(const u8 *array, const u8 *member);

/* Is anything remembered of the array?  Its file may be on a file system that is mounted later. */
bool history_exists(const u8 *array);

#endif /* HISTORY_H */
