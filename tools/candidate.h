/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drives that are to become members of a new array, and what speaks against
 * it.  Nothing here writes to a drive.
 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "member.h"

/**
 * struct candidate - a drive for a new array
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

void candidates_close(struct candidate *candidates, u32 nr);

#endif /* CANDIDATE_H */
