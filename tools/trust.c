// SPDX-License-Identifier: GPL-2.0
/*
 * Which members of an array are to be trusted, by what their superblocks say.
 */
#include "trust.h"

/* What a superblock says of itself and of the one it replaced. */
static void make_claim(const struct raizn_superblock *sb, u32 nr,
		       struct raizn_member_claim *claim)
{
	u64 event;
	u32 i;

	claim->there = true;
	claim->event = le64_to_cpu(sb->event);
	for (i = 0; i < nr; i++) {
		event = le64_to_cpu(sb->members[i].event);
		if (sb->members[i].state != RAIZN_MEMBER_ACTIVE)
			claim->failed |= 1U << i;
		if (event > claim->base)
			claim->base = event;
	}
	for (i = 0; i < nr; i++)
		if (le64_to_cpu(sb->members[i].event) < claim->base)
			claim->base_failed |= 1U << i;
}

int members_trust(const struct member *const *members, u32 nr,
		  struct raizn_trust *trust)
{
	struct raizn_member_claim claims[RAIZN_MAX_MEMBERS] = { };
	u32 i;

	for (i = 0; i < nr; i++)
		if (members[i])
			make_claim(member_sb(members[i]), nr, &claims[i]);
	return raizn_join_claims(claims, nr, trust);
}
