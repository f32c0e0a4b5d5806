/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which arrays the drives of this machine make up.
 */
#ifndef SCAN_H
#define SCAN_H

#include "member.h"

/**
 * struct scan - drives that were looked at
 * @members:	those with any sign of an array; all of them if the user named
 *		the drives
 * @nr:		how many
 */
struct scan {
	struct member **members;
	u32 nr;
};

/**
 * struct array - an array as found on drives
 * @uuid:	which one
 * @newest:	the member whose superblock counts
 * @slots:	sound members by slot, NULL where none was found
 * @nr_found:	slots that are not NULL
 * @twins:	a second drive with the identity of the one in that slot
 * @unusable:	a drive of this array that can not be used, or NULL
 * @suspect:	a damaged drive that may be one of this array's, or NULL
 */
struct array {
	u8 uuid[RAIZN_UUID_SIZE];
	const struct member *newest;
	struct member *slots[RAIZN_MAX_MEMBERS];
	u32 nr_found;
	const struct member *twins[RAIZN_MAX_MEMBERS];
	const struct member *unusable;
	const struct member *suspect;
};

/* Look at every zoned drive of the system; a drive that can not be read gets a
 * message and is left out.
 */
int scan_system(struct scan *scan);

/**
 * scan_devices() - look at the drives the user named
 * @scan:	to fill; @members has one entry for each path, in order
 * @paths:	device nodes
 * @nr:		how many
 *
 * Return: TOOL_OK, or an exit code after a message: one that can not be read,
 * or the same drive twice.
 */
int scan_devices(struct scan *scan, char *const *paths, u32 nr);

void scan_free(struct scan *scan);

/* The arrays in @scan, allocated, free() them; NULL after a message or when
 * there are none (@nr is 0).
 */
struct array *scan_arrays(const struct scan *scan, u32 *nr);

/**
 * arrays_find() - the array the user means
 * @arrays:	all arrays
 * @nr:		how many
 * @wanted:	name or UUID
 * @array:	result
 *
 * Return: TOOL_OK, or an exit code after a message (none, ambiguous).
 */
int arrays_find(const struct array *arrays, u32 nr, const char *wanted,
		const struct array **array);

/* What keeps an array from starting, as far as its drives tell; NULL if
 * nothing.  The text is in @buffer.
 */
const char *array_obstacle(const struct array *array, enum tool_exit *code,
			   char *buffer, size_t size);

/* Does the array say that it was stopped cleanly? */
static inline bool array_is_clean(const struct array *array)
{
	return le32_to_cpu(member_sb(array->newest)->flags) & RAIZN_SB_CLEAN;
}

static inline const char *array_name(const struct array *array)
{
	return array->newest->name;
}

#endif /* SCAN_H */
