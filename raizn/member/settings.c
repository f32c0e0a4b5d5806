// SPDX-License-Identifier: GPL-2.0
/*
 * Settings that the owner may change while the array runs: the pace of background work, the
 * number of errors after which a member fails, whether data that could change is copied,
 * and when user space starts the array by itself. The superblocks hold the settings, so
 * that they are in force from the beginning of the next start.
 */
#include "member/background.h"
#include "member/fault.h"

/**
 * raizn_settings_load() - apply the settings in the superblock
 * @arr:	array that is being assembled
 */
void raizn_settings_load(struct raizn_array *arr)
{
	const struct raizn_superblock *sb = &arr->sb;

	arr->background->speed_min = RAIZN_SPEED_MIN;
	arr->error_limit = RAIZN_ERROR_LIMIT;
	arr->trust_buffers = le32_to_cpu(sb->flags) & RAIZN_SB_TRUST_BUFFERS;
	arr->autostart = le32_to_cpu(sb->autostart);
	if (!(le32_to_cpu(sb->flags) & RAIZN_SB_SETTINGS))
		return;
	arr->background->speed_min = le32_to_cpu(sb->speed_min);
	arr->background->speed_max = le32_to_cpu(sb->speed_max);
	arr->error_limit = le32_to_cpu(sb->error_limit);
}

/**
 * raizn_settings_store() - put the current settings into the next superblock
 * @arr:	array; md_mutex is held
 */
void raizn_settings_store(struct raizn_array *arr)
{
	struct raizn_superblock *sb = &arr->sb;

	lockdep_assert_held(&arr->md_mutex);
	spin_lock(&arr->sb_lock);
	sb->flags |= cpu_to_le32(RAIZN_SB_SETTINGS);
	sb->flags &= ~cpu_to_le32(RAIZN_SB_TRUST_BUFFERS);
	if (READ_ONCE(arr->trust_buffers))
		sb->flags |= cpu_to_le32(RAIZN_SB_TRUST_BUFFERS);
	sb->speed_min = cpu_to_le32(READ_ONCE(arr->background->speed_min));
	sb->speed_max = cpu_to_le32(READ_ONCE(arr->background->speed_max));
	sb->error_limit = cpu_to_le32(READ_ONCE(arr->error_limit));
	sb->autostart = cpu_to_le32(READ_ONCE(arr->autostart));
	spin_unlock(&arr->sb_lock);
}

/**
 * raizn_scrub_sums_again() - results of a scrub that will compare its current zone again
 * @arr:	array; scrub->lock is held
 *
 * Mismatches that a repair has found in that zone count as repaired; stripes that are still
 * wrong will be found again.
 *
 * Return: the sums.
 */
struct raizn_scrub_sums raizn_scrub_sums_again(struct raizn_array *arr)
{
	struct raizn_scrub_sums sums = arr->scrub->before;
	s64 found = atomic64_read(&arr->background->mismatches) - sums.mismatches;

	lockdep_assert_held(&arr->scrub->lock);
	if (arr->scrub->repair) {
		sums.mismatches += found;
		sums.repaired += found;
	}
	return sums;
}

/**
 * raizn_scrub_store() - put the position of the scrub into the next superblock
 * @arr:	array; md_mutex and sb_lock are held
 */
void raizn_scrub_store(struct raizn_array *arr)
{
	struct raizn_scrub *scrub = arr->scrub;
	struct raizn_superblock *sb = &arr->sb;
	struct raizn_scrub_sums sums;
	u32 flags = RAIZN_SB_SCRUB;

	lockdep_assert_held(&arr->sb_lock);
	if (READ_ONCE(scrub->remembered))
		return;
	if (!READ_ONCE(scrub->active) || READ_ONCE(scrub->stop) ||
	    READ_ONCE(scrub->next) >= arr->geo.nr_zones) {
		sb->scrub = 0;
		return;
	}
	if (READ_ONCE(scrub->repair))
		flags |= RAIZN_SB_SCRUB_REPAIR;
	if (READ_ONCE(arr->background->paused))
		flags |= RAIZN_SB_SCRUB_PAUSED;
	sb->scrub = cpu_to_le32(flags);
	spin_lock(&scrub->lock);
	sums = raizn_scrub_sums_again(arr);
	sb->scrub_next = cpu_to_le32(scrub->next);
	spin_unlock(&scrub->lock);
	sb->mismatches = cpu_to_le64(sums.mismatches);
	sb->repaired = cpu_to_le64(sums.repaired);
}
