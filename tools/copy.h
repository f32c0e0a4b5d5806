/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copying the zones of a working member to the drive that is to take its place.
 *
 * The array goes on meanwhile: zones are written, reset and moved.  So the copy is made in passes.
 * Before a pass the member's log is read.  A zone of the copy counts with the owner and the
 * generation that this log gave it: data that was read later is of this generation, or of a later
 * one, and then the next log says so, and the zone is copied again.  Below its write pointer a zone
 * does not change in one generation and one start of the array, as long as it holds the column.  If
 * any column has moved when a zone was copied, another one may have been there meanwhile: the zone
 * is copied again, after another look.
 */
#ifndef COPY_H
#define COPY_H

#include "candidate.h"
#include "running.h"

struct copy;

/**
 * copy_begin() - prepare to copy a member
 * @running:	the array; it may be closed afterwards
 * @slot:	slot of the member, which works
 * @to:		the new drive, which is empty; it stays open
 *
 * Return: what the other functions need, or NULL after a message.
 */
struct copy *copy_begin(const struct running *running, u32 slot, const struct candidate *to);

/**
 * copy_passes() - copy until little is left
 * @copy:	from copy_begin()
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message: the new drive cannot be written, or there is
 * nothing to copy from.
 */
int copy_passes(struct copy *copy);

/**
 * copy_is_near() - is so little left that the member may be given up?
 * @copy:	from copy_begin()
 * @near:	set
 *
 * Return: as copy_passes().
 */
int copy_is_near(struct copy *copy, bool *near);

/* Zones that the member could not read to their ends in the last pass. */
u32 copy_unreadable(const struct copy *copy);

/**
 * copy_finish() - copy the rest, and make the copy count
 * @copy:	from copy_begin(); the array does not write the member any more
 *
 * The new drive gets a log with the states of the zones as the member knew them.  The kernel takes
 * it in the place of the member, until the array is stopped.
 *
 * Return: as copy_passes().
 */
int copy_finish(struct copy *copy);

void copy_end(struct copy *copy);

#endif /* COPY_H */
