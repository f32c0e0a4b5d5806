// SPDX-License-Identifier: GPL-2.0
/*
 * Members that fail while zones lack columns of other members: does the array go on with the
 * zones that do not need them, or does it fail and keep the failure out of the superblocks?
 */
#include "member/background.h"
#include "member/fault.h"

/*
 * Does a zone lack data because of members (bit by slot) that failed just now?  A suspicion is
 * checked again with the locks held: without them a concurrent reset may be seen in part.
 */
static bool zone_needs(struct raizn_zone *z, u32 failing, bool *active)
{
	struct raizn_array *arr = z->arr;
	u32 lost = raizn_zone_lost(z);
	u32 new;
	bool needs;

	if (likely(!raizn_zone_too_many(z, lost)))
		return false;
	new = raizn_zone_columns(z, failing);
	if (raizn_zone_too_many(z, lost & ~new))
		return false;
	spin_lock_irq(&z->lock);
	spin_lock(&arr->fail_lock);
	lost = raizn_zone_lost(z);
	needs = !raizn_zone_too_many(z, lost & ~new) &&
		!raizn_may_drop(z, __ffs(new), RAIZN_DROP_LOST);
	spin_unlock(&arr->fail_lock);
	*active |= needs && z->oz;
	spin_unlock_irq(&z->lock);
	return needs;
}

/* Does a member answer that failed just now? */
static bool one_answers(struct raizn_array *arr, unsigned long failing)
{
	unsigned long slot;

	for_each_set_bit(slot, &failing, arr->geo.nr_members)
		if (raizn_member_zone_condition(&arr->members[slot], 0) >= 0)
			return true;
	return false;
}

/* One error is none of a drive that is gone; it is counted. */
static bool is_silent(struct raizn_member *m)
{
	if (raizn_member_zone_condition(m, 0) >= 0)
		return false;
	raizn_report_failed(m);
	return raizn_member_zone_condition(m, 0) < 0;
}

/* Live members (bit by slot) that do not answer. */
static u32 silent_members(struct raizn_array *arr)
{
	struct raizn_member *m;
	u32 silent = 0;

	for (m = arr->members; m < arr->members + arr->geo.nr_members; m++)
		if (raizn_member_live(m) && is_silent(m))
			silent |= BIT(m->slot);
	return silent;
}

/*
 * Are members gone, too, whose failure was not noticed yet, and which parity does not make up for?
 * A record of the failure would keep the failed members out of a start that needs them.
 */
static bool more_are_gone(struct raizn_array *arr)
{
	unsigned long silent = silent_members(arr);

	if (hweight32(READ_ONCE(arr->dead) | silent) <= arr->geo.nr_parity)
		return false;
	DMERR("array %pU: member %*pbl does not answer, either: stop the array, and start it with all drives",
	      arr->uuid, RAIZN_MAX_MEMBERS, &silent);
	return true;
}

/* Is there a member that neither failed nor is being rebuilt? */
static bool one_is_whole(struct raizn_array *arr)
{
	return hweight32(raizn_not_whole(arr)) < arr->geo.nr_members;
}

/**
 * raizn_judge_members() - may the failure of members be recorded?
 * @arr:	array
 * @failing:	members (bit by slot) that have failed, and that no superblock calls failed
 *
 * Zones may lack data without these members.  The next start finds all of it if a member is there
 * again and its failure was not recorded.  Later it is found only in full zones.  So the array goes
 * on without members that are gone if only full zones need them; else it fails.  It also fails if
 * zones need them and all members that are left are being rebuilt.  These would become a group of
 * members that went on alone, and the next start could not tell which group is right.
 *
 * Context: process, no spinlock is held.  Return: 0, or -EIO if the array has failed.
 */
int raizn_judge_members(struct raizn_array *arr, u32 failing)
{
	unsigned long needed = failing;
	bool active = false;
	u32 nr = 0, last = 0;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones && !raizn_array_failed(arr); i++) {
		if (!zone_needs(&arr->zones[i], failing, &active))
			continue;
		last = i;
		nr++;
	}
	if (nr && (active || !one_is_whole(arr) || one_answers(arr, needed))) {
		DMERR("array %pU: member %*pbl failed, and has data of %u logical zones (the last one is %u) that cannot be computed without it: stop the array, and start it with all drives",
		      arr->uuid, RAIZN_MAX_MEMBERS, &needed, nr, last);
		raizn_array_fail(arr, "a member that is needed", BLK_STS_IOERR);
	}
	if (!raizn_array_failed(arr) && more_are_gone(arr))
		raizn_array_fail(arr, "a member beside others", BLK_STS_IOERR);
	return raizn_array_failed(arr) ? -EIO : 0;
}
