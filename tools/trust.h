/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which members of an array are to be trusted, by what their superblocks say.
 */
#ifndef TRUST_H
#define TRUST_H

#include "../raizn/core/claims.h"
#include "member.h"

/* Why a member of raizn_trust.unproven does not count. */
#define LOG_NOT_MADE_UP_FOR \
	"its drive cannot read all of its general log, and the other members' logs do not make up for that"

/**
 * members_trust() - have the planner judge the members' superblocks
 * @members:	by slot, NULL where none is there
 * @nr:		slots
 * @trust:	filled
 *
 * Members in @trust->base_failed are known to have failed; others in
 * @trust->failed show a past that the array has left.  Those in @trust->unproven do
 * not count, either.
 *
 * Return: 0, or -EUCLEAN when two groups of members may each have gone on without
 * the other.
 */
int members_trust(const struct member *const *members, u32 nr,
		  struct raizn_trust *trust);

/* Does the superblock of the member in @slot mean the same array as the newest one?  Their
 * members may differ in a slot that was without a working member when one of them was
 * written: it may have got another drive since.  A member that failed does not know of
 * drives that came after that, and is left out, whatever it says.
 */
bool superblocks_agree(const struct raizn_superblock *sb, u32 slot,
		       const struct raizn_superblock *newest, u32 nr);

#endif /* TRUST_H */
