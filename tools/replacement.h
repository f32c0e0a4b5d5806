/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Giving a slot of a running array a drive.
 */
#ifndef REPLACEMENT_H
#define REPLACEMENT_H

#include "candidate.h"
#include "running.h"

/* Describe a slot of a running array that wants a drive; return TOOL_OK, or an exit
 * code after a message.
 */
int replacement_vacancy(const struct running *running, u32 slot,
			struct vacancy *vacancy);

/* Refuse a drive @dev for a slot that a member in another slot is on, too; return TOOL_OK, or
 * TOOL_REFUSED after a message.
 */
int replacement_check_alone(const struct running *running, u32 slot, dev_t dev,
			    const char *path);

/* Make a drive from candidate_open_for() ready for an array; with @erase what it holds
 * is destroyed.  Return TOOL_OK, or TOOL_FAILED after a message.
 */
int replacement_prepare(const struct candidate *candidate, bool erase);

/**
 * replacement_take() - have a drive take the place of a slot, and say so
 * @running:	the array; the slot's member has failed or is missing
 * @slot:	the slot
 * @candidate:	the drive, which is ready; it is let go of
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int replacement_take(const struct running *running, u32 slot,
		     struct candidate *candidate);

/* With another drive in a slot, the former one is not taken back: ask if zones lack data that may
 * be on that.  Return TOOL_OK, or TOOL_REFUSED after a message.
 */
int replacement_confirm(const struct running *running, u32 slot, bool force);

/**
 * replacement_add() - give the one slot that lacks a member a drive
 * @running:	the array
 * @path:	the drive that was there before, or another, which is tried before anything changes
 * @force:	destroy what another one holds
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int replacement_add(struct running *running, const char *path, bool force);

#endif /* REPLACEMENT_H */
