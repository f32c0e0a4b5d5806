// SPDX-License-Identifier: GPL-2.0
/*
 * Which members of an array are to be trusted, by what their superblocks say.
 */
#include "trust.h"

int members_trust(const struct member *const *members, u32 nr,
		  struct raizn_trust *trust)
{
	struct raizn_member_claim claims[RAIZN_MAX_MEMBERS] = { };
	u32 nr_parity = 0, i;

	for (i = 0; i < nr; i++) {
		if (!members[i])
			continue;
		raizn_superblock_claim(member_sb(members[i]), &claims[i]);
		claims[i].partial = members[i]->partial;
		claims[i].hidden = members[i]->hidden;
		nr_parity = members[i]->geo.nr_parity;
	}
	return raizn_join_partial(claims, nr, nr_parity, trust);
}

static bool is_active(const struct raizn_superblock *sb, u32 slot)
{
	return sb->members[slot].state == RAIZN_MEMBER_ACTIVE;
}

bool superblocks_agree(const struct raizn_superblock *sb, u32 slot,
		       const struct raizn_superblock *newest, u32 nr)
{
	u32 i;

	if (newest->members[slot].state == RAIZN_MEMBER_FAILED)
		return true;
	for (i = 0; i < nr; i++)
		if (is_active(sb, i) && is_active(newest, i) &&
		    memcmp(sb->members[i].uuid, newest->members[i].uuid,
			   RAIZN_UUID_SIZE))
			return false;
	return !memcmp(sb->name, newest->name, sizeof(sb->name));
}
