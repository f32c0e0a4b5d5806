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
 * @named:	the user named them
 */
struct scan {
	struct member **members;
	u32 nr;
	bool named;
};

/**
 * struct array - an array as found on drives
 * @uuid:	which one
 * @word:	its name, or its UUID if another array that was found has that name
 * @newest:	the member whose superblock counts
 * @slots:	sound members by slot, NULL where none was found
 * @nr_found:	slots that are not NULL
 * @twins:	a second drive with the identity of the one in that slot
 * @replaced:	drives that were in a slot which has another one now
 * @nr_replaced: how many; those beyond RAIZN_MAX_MEMBERS are left out
 * @unusable:	a drive of this array that cannot be used, or NULL
 * @suspect:	a damaged or unsupported drive that may be one of this array's, or NULL
 */
struct array {
	u8 uuid[RAIZN_UUID_SIZE];
	char word[RAIZN_NAME_SIZE];
	const struct member *newest;
	struct member *slots[RAIZN_MAX_MEMBERS];
	u32 nr_found;
	const struct member *twins[RAIZN_MAX_MEMBERS];
	const struct member *replaced[RAIZN_MAX_MEMBERS];
	u32 nr_replaced;
	const struct member *unusable;
	const struct member *suspect;
};

/* Is @node of /sys/block a zoned drive to look at?  One below another mapped device (a path
 * of a multipath map, say) is not: that device is.  The same goes for paths of an NVMe
 * namespace.
 */
bool scan_looks_at(const char *node);

/* How much is read of a drive */
enum scan_depth {
	SCAN_BRIEFLY,		/* superblocks only, see member_open_briefly() */
	SCAN_RUNNING_BRIEFLY,	/* general logs, too, but not of running arrays */
	SCAN_LOGS,		/* general logs of all drives */
};

/* Look at every zoned drive of the system; a drive that cannot be read gets a
 * message and is left out.
 */
int scan_system(struct scan *scan, enum scan_depth depth);

/**
 * scan_devices() - look at the drives the user named
 * @scan:	to fill; @members has one entry for each path, in order
 * @paths:	device nodes
 * @nr:		how many
 *
 * Return: TOOL_OK, or an exit code after a message: one that cannot be read,
 * or the same drive twice.
 */
int scan_devices(struct scan *scan, char *const *paths, u32 nr);

/* Look at the drives with these device numbers (0 for none), whatever else uses them; one
 * that cannot be read is left out, with a message if it does not answer.
 */
int scan_numbers(struct scan *scan, const dev_t *devs, u32 nr);

/**
 * scan_named() - look at what the user named: an array, its drives, or both
 * @scan:	to fill: the drives named, or all of the system
 * @words:	a name or UUID, device nodes, or the one and then the others
 * @nr:		how many
 * @wanted:	the name or UUID; NULL if only drives were named
 *
 * Return: as scan_devices().
 */
int scan_named(struct scan *scan, char *const *words, u32 nr,
	       const char **wanted);

void scan_free(struct scan *scan);

/* The arrays in @scan, allocated, free() them; NULL after a message or when
 * there are none (@nr is 0).
 */
struct array *scan_arrays(const struct scan *scan, u32 *nr);

/* What to do about a drive that is MEMBER_UNSUPPORTED. */
#define USE_NEWER "use the version that wrote it, or a newer one"

/* Say that the array called @wanted, or any if that is NULL, is not there; return an exit
 * code.
 */
int scan_found_none(const struct scan *scan, const char *wanted);

/**
 * arrays_find() - the array the user means
 * @scan:	the drives
 * @arrays:	all arrays on them
 * @nr:		how many
 * @wanted:	name or UUID
 * @array:	result
 *
 * Return: TOOL_OK, or an exit code after a message (none, ambiguous).
 */
int arrays_find(const struct scan *scan, const struct array *arrays, u32 nr,
		const char *wanted, const struct array **array);

/* Refuse drives that are of another array than @array; return TOOL_OK, or TOOL_REFUSED
 * after a message about the first.
 */
int scan_refuse_others(const struct scan *scan, const struct array *array);

/* The array that scan_named()'s @wanted is, or that the drives make up; return
 * TOOL_OK, or an exit code after a message, also if a drive that the user named
 * is not of that array.
 */
int scan_find(const struct scan *scan, const struct array *arrays, u32 nr,
	      const char *wanted, const struct array **array);

static inline const char *array_name(const struct array *array)
{
	return array->newest->name;
}

#endif /* SCAN_H */
