// SPDX-License-Identifier: GPL-2.0
/*
 * Which members of an array are to be trusted, by what their superblocks say.
 */
#include "trust.h"

int members_trust(const struct member *const *members, u32 nr,
		  struct raizn_trust *trust)
{
	struct raizn_member_claim claims[RAIZN_MAX_MEMBERS] = { };
	u32 i;

	for (i = 0; i < nr; i++)
		if (members[i])
			raizn_superblock_claim(member_sb(members[i]),
					       &claims[i]);
	return raizn_join_claims(claims, nr, trust);
}

static bool is_active(const struct raizn_superblock *sb, u32 slot)
{
	return sb->members[slot].state == RAIZN_MEMBER_ACTIVE;
}

bool superblocks_agree(const struct raizn_superblock *a,
		       const struct raizn_superblock *b, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (is_active(a, i) && is_active(b, i) &&
		    memcmp(a->members[i].uuid, b->members[i].uuid,
			   RAIZN_UUID_SIZE))
			return false;
	return !memcmp(a->name, b->name, sizeof(a->name));
}
