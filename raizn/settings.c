// SPDX-License-Identifier: GPL-2.0
/*
 * What the owner may set while the array runs: the pace of work in the background, after
 * how many errors a member fails, whether data is copied that could change, and when user
 * space starts the array by itself. The superblocks have it, so that it is in force from the
 * next start's first moment on.
 */
#include "raizn.h"

/**
 * raizn_settings_load() - put in force what the superblock says
 * @arr:	array that is being assembled
 */
void raizn_settings_load(struct raizn_array *arr)
{
	const struct raizn_superblock *sb = &arr->sb;

	arr->background.speed_min = RAIZN_SPEED_MIN;
	arr->error_limit = RAIZN_ERROR_LIMIT;
	arr->trust_buffers = le32_to_cpu(sb->flags) & RAIZN_SB_TRUST_BUFFERS;
	arr->autostart = le32_to_cpu(sb->autostart);
	if (!(le32_to_cpu(sb->flags) & RAIZN_SB_SETTINGS))
		return;
	arr->background.speed_min = le32_to_cpu(sb->speed_min);
	arr->background.speed_max = le32_to_cpu(sb->speed_max);
	arr->error_limit = le32_to_cpu(sb->error_limit);
}

/**
 * raizn_settings_store() - the next superblock has what is in force
 * @arr:	array; md_mutex is held
 */
void raizn_settings_store(struct raizn_array *arr)
{
	struct raizn_superblock *sb = &arr->sb;

	lockdep_assert_held(&arr->md_mutex);
	sb->flags |= cpu_to_le32(RAIZN_SB_SETTINGS);
	sb->flags &= ~cpu_to_le32(RAIZN_SB_TRUST_BUFFERS);
	if (READ_ONCE(arr->trust_buffers))
		sb->flags |= cpu_to_le32(RAIZN_SB_TRUST_BUFFERS);
	sb->speed_min = cpu_to_le32(READ_ONCE(arr->background.speed_min));
	sb->speed_max = cpu_to_le32(READ_ONCE(arr->background.speed_max));
	sb->error_limit = cpu_to_le32(READ_ONCE(arr->error_limit));
	sb->autostart = cpu_to_le32(READ_ONCE(arr->autostart));
}

/**
 * raizn_settings_change() - set something, and have members remember it
 * @arr:	array
 * @name:	what
 * @number:	KiB a second and member, errors, RAIZN_AUTOSTART_*, or 1 for yes and 0 for no
 *
 * Context: process.  Return: 0, -ENOENT when there is no such thing or number, or -errno of
 * members; it is in force then.
 */
int raizn_settings_change(struct raizn_array *arr, const char *name, u32 number)
{
	if (!strcmp(name, "speed_min"))
		WRITE_ONCE(arr->background.speed_min, number);
	else if (!strcmp(name, "speed_max"))
		WRITE_ONCE(arr->background.speed_max, number);
	else if (!strcmp(name, "error_limit"))
		WRITE_ONCE(arr->error_limit, number);
	else if (!strcmp(name, "trust_buffers") && number <= 1)
		WRITE_ONCE(arr->trust_buffers, number);
	else if (!strcmp(name, "autostart"))
		WRITE_ONCE(arr->autostart, number);
	else
		return -ENOENT;
	return raizn_general_settings(arr);
}
