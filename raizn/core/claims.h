/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which members are trusted after a crash, by the claims of their newest superblocks.  Pure;
 * docs/recovery.md has the rules, tests/model goes through histories of superblocks.
 */
#ifndef RAIZN_CLAIMS_H
#define RAIZN_CLAIMS_H

#include "portable.h"
#include "format.h"
#include "geometry.h"

/**
 * struct raizn_member_claim - claims of one member's newest superblock
 * @there:	the member is there; the other fields are undefined if not
 * @failed:	members (bit by slot) that the superblock calls failed
 * @event:	its event count
 * @base:	event count of the superblock that this one replaced, which counted then and
 *		was on all members that it was for: the highest event count in the member
 *		table
 * @base_failed: members that the superblock of @base called failed: members with a lower
 *		event count in the member table
 * @clean:	the array was stopped
 * @partial:	a part of the member's general log cannot be read
 * @hidden:	a newer superblock may be in that part
 */
struct raizn_member_claim {
	bool there;
	bool clean;
	bool partial;
	bool hidden;
	u32 failed;
	u32 base_failed;
	u64 event;
	u64 base;
};

/**
 * struct raizn_trust - result of joining the claims of all members
 * @failed:	members (bit by slot) that are not to be trusted, there or not
 * @base:	for the next superblock: event count of the superblock that it replaces, to
 *		stand in the member table for all members but @base_failed
 * @base_failed: members that the replaced superblock called failed: their event counts in
 *		the member table stay
 * @event:	for the next superblock: higher than the event count of any member that is
 *		there, trusted or not
 * @unproven:	members with a log that cannot be read in part (bit by slot) that may have records
 *		which no other log has, or may be stale: not to be trusted, either
 */
struct raizn_trust {
	u32 failed;
	u32 unproven;
	u32 base_failed;
	u64 base;
	u64 event;
};

/**
 * raizn_join_claims() - decide which members are trusted after a crash
 * @claims:	by slot
 * @nr:		slots, at most RAIZN_MAX_MEMBERS
 * @trust:	filled
 *
 * A superblock with a new event count goes to all members that it does not call failed, and
 * takes effect when all of them have it.  If one of these members is there and never had
 * it, the write was interrupted, and nothing was changed because of the superblock.  It
 * does not count then, however high its event count is: its author may have missed members
 * that went on without it later.  Of the remaining superblocks, and of those that they
 * replaced, the one with the highest event count counts.
 *
 * A member with an older superblock than the one that another member's superblock replaced
 * was replayed: it shows a past that it had left.
 *
 * Return: 0, or -EUCLEAN when each of two groups of members may have gone on without the
 * other, so that it is unknown which group is right.  If a start needs more than half of
 * the members, that cannot happen within the failures that parity makes up for.
 */
int raizn_join_claims(const struct raizn_member_claim *claims, u32 nr,
		      struct raizn_trust *trust);

/**
 * raizn_join_partial() - decide which members are trusted, some with unreadable log sectors
 * @claims:	by slot
 * @nr:		slots, at most RAIZN_MAX_MEMBERS
 * @nr_parity:	columns that parity makes up for
 * @trust:	filled
 *
 * As raizn_join_claims(), which must trust a member by its newest superblock.  The log of a
 * @partial member adds nothing else, so the complete logs of other members have to be enough
 * to know all that was done: one after a clean stop, else one more than may have failed unseen.
 *
 * The superblocks of a @hidden member do not take part in the decision.  As many other members
 * as a start needs must be there, of which any two such groups have one in common; so they know
 * of any later start.  And a superblock of the member must show that it had the one that
 * counts, or the one before that: then it got the one that counts, or nothing was changed
 * because of that.
 *
 * Return: as raizn_join_claims(), but 0 if all members that are there are @hidden: none of them is
 * trusted.
 */
int raizn_join_partial(const struct raizn_member_claim *claims, u32 nr, u32 nr_parity,
		       struct raizn_trust *trust);

/*
 * Of members that are being rebuilt, those that a start does without if they are missing.  If half
 * of the members may start the array, they may be the ones that went on alone, with zones that
 * they alone have.
 */
static inline u32 raizn_members_to_spare(const struct raizn_geometry *geo, u32 rebuilding)
{
	return geo->nr_members > 2 * geo->nr_parity ? rebuilding : 0;
}

/**
 * raizn_superblock_claim() - read the claims of a superblock
 * @sb:		superblock that raizn_sb_geometry() accepted
 * @claim:	filled
 */
void raizn_superblock_claim(const struct raizn_superblock *sb,
			    struct raizn_member_claim *claim);

#endif /* RAIZN_CLAIMS_H */
