/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drives that are to become members of an array, and what speaks against it.  Nothing here writes to a drive.
 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "member.h"

/**
 * struct candidate - a drive for an array
 * @member:	the drive and what it says now
 * @hold:	open exclusively, so that nobody else starts to use it
 * @zones:	its zone report
 * @nr_usable:	sequential zones of full capacity
 * @capacity:	writable sectors of each
 * @destroys:	what formatting it would destroy; empty if nothing
 */
struct candidate {
	struct member member;
	int hold;
	struct zbd_zone *zones;
	u32 nr_usable;
	u64 capacity;
	char destroys[400];
};

/**
 * candidates_open() - look at all drives and check each
 * @paths:	device nodes
 * @nr:		how many
 * @force:	what a drive holds may be destroyed
 * @result:	allocated array of @nr; candidates_close() it
 *
 * Every drive that does not fit gets a line.
 *
 * Return: TOOL_OK, or the exit code of the first problem.
 */
int candidates_open(char *const *paths, u32 nr, bool force,
		    struct candidate **result);

/**
 * struct vacancy - a slot of an array that wants a drive
 * @like:	a member of the array, which tells its geometry
 * @slot:	the slot
 * @write_granularity: bytes of which the array's writes are a multiple
 * @max_open, @max_active: zones of the array that may be open and active
 */
struct vacancy {
	const struct member *like;
	u32 slot;
	u32 write_granularity;
	u32 max_open;
	u32 max_active;
};

/* What to do with a drive that holds something. */
enum content_policy {
	CONTENT_REFUSE,
	CONTENT_ASK,
	CONTENT_DESTROY,
};

/* Is @member the drive that has the slot already, by what the array knows, with a log that tells
 * what it has?
 */
bool vacancy_is_former(const struct vacancy *vacancy,
		       const struct member *member);

/**
 * candidate_open_for() - look at a drive for a slot
 * @path:	device node
 * @vacancy:	the slot
 * @keep:	the slot's former member may come back with what it holds
 * @policy:	what to do if any other drive holds something
 * @result:	allocated; candidates_close() it
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int candidate_open_for(const char *path, const struct vacancy *vacancy,
		       bool keep, enum content_policy policy,
		       struct candidate **result);

/* Let others use the drive for a moment, and keep them off it again; return TOOL_OK, or an
 * exit code after a message, which names who has it.
 */
void candidate_release(struct candidate *candidate);
int candidate_hold(struct candidate *candidate);

void candidates_close(struct candidate *candidates, u32 nr);

#endif /* CANDIDATE_H */
