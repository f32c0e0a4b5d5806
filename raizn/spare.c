// SPDX-License-Identifier: GPL-2.0
/*
 * Which zones of a member are in use, and taking one that is not.
 */
#include "raizn.h"

/* Errors of resets after which a drive is left alone. */
#define MAX_ERRORS	3U

/* Member zones, counted from the first reserved one. */
static u32 nr_physical(const struct raizn_array *arr)
{
	return arr->geo.nr_reserved + arr->geo.nr_zones;
}

/**
 * raizn_spare_init() - note which zones of a member hold columns
 * @m:		member
 *
 * All others but the log zones count as free until the caller says otherwise.
 *
 * Context: process.  Return: 0 or -ENOMEM.
 */
int raizn_spare_init(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	u32 nr = nr_physical(arr);
	u32 physical, i;

	if (!m->use)
		m->use = kvmalloc(nr, GFP_KERNEL);
	if (!m->use)
		return -ENOMEM;
	memset(m->use, RAIZN_PHYSICAL_USED, RAIZN_NR_LOG_ZONES);
	memset(m->use + RAIZN_NR_LOG_ZONES, RAIZN_PHYSICAL_FREE,
	       nr - RAIZN_NR_LOG_ZONES);
	for (i = 0; i < arr->geo.nr_zones; i++) {
		physical = raizn_zone_map_physical(&arr->geo, &arr->map, i,
						   m->slot);
		if (physical != RAIZN_NOWHERE)
			m->use[physical] = RAIZN_PHYSICAL_USED;
	}
	return 0;
}

/**
 * raizn_spare_take() - find an empty member zone
 * @m:		member
 * @physical:	set to the zone, counted from the first reserved one
 *
 * Context: process.  Return: 0 or -ENOSPC.
 */
int raizn_spare_take(struct raizn_member *m, u32 *physical)
{
	u32 nr = nr_physical(m->arr);
	int err = -ENOSPC;
	u32 i;

	spin_lock_irq(&m->zones_lock);
	for (i = RAIZN_NR_LOG_ZONES; err && i < nr; i++) {
		if (m->use[i] != RAIZN_PHYSICAL_FREE)
			continue;
		m->use[i] = RAIZN_PHYSICAL_USED;
		*physical = i;
		err = 0;
	}
	spin_unlock_irq(&m->zones_lock);
	return err;
}

/**
 * raizn_spare_set() - say what a member zone is used for from now on
 * @m:		member
 * @physical:	zone, counted from the first reserved one
 * @use:	enum raizn_physical
 *
 * Context: process.
 */
void raizn_spare_set(struct raizn_member *m, u32 physical,
		     enum raizn_physical use)
{
	spin_lock_irq(&m->zones_lock);
	WRITE_ONCE(m->use[physical], use);
	spin_unlock_irq(&m->zones_lock);
}

/**
 * raizn_spare_clean_member() - reset zones that hold what nobody needs
 * @m:		member
 *
 * One that cannot be reset is of no use any more, and that is all.
 *
 * Context: process; the array takes no I/O.
 */
void raizn_spare_clean_member(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	u32 errors = 0;
	u32 i;
	int err;

	for (i = RAIZN_NR_LOG_ZONES; raizn_member_live(m) &&
	     errors < MAX_ERRORS && i < nr_physical(arr); i++) {
		if (m->use[i] != RAIZN_PHYSICAL_DIRTY)
			continue;
		err = raizn_member_try_zone_op(m, REQ_OP_ZONE_RESET,
					       raizn_reserved_zone_start(&arr->geo, i));
		raizn_spare_set(m, i, err ? RAIZN_PHYSICAL_BAD :
					    RAIZN_PHYSICAL_FREE);
		if (!err)
			continue;
		errors++;
		/* A start that fails would take it for the reason: see find_failed(). */
		if (arr->activated)
			raizn_write_failed(m);
	}
}

/**
 * raizn_spare_clean() - the same for all members
 * @arr:	array that takes no I/O
 *
 * Context: process.
 */
void raizn_spare_clean(struct raizn_array *arr)
{
	u32 slot;

	for (slot = 0; slot < arr->geo.nr_members; slot++)
		raizn_spare_clean_member(&arr->members[slot]);
}

/**
 * raizn_spare_left() - has a member a zone that a column can be moved to?
 * @m:		member
 *
 * Context: any.
 */
bool raizn_spare_left(const struct raizn_member *m)
{
	u32 i;

	for (i = RAIZN_NR_LOG_ZONES; i < nr_physical(m->arr); i++)
		if (READ_ONCE(m->use[i]) == RAIZN_PHYSICAL_FREE)
			return true;
	return false;
}

/* What the zone of a column is used for; -ENOENT without one, or without its member. */
static int column_use(const struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = &arr->members[column];
	u32 physical = raizn_zone_map_physical(&arr->geo, &arr->map,
					       raizn_zone_number(z), column);

	if (!raizn_member_live(m) || physical == RAIZN_NOWHERE)
		return -ENOENT;
	return READ_ONCE(m->use[physical]);
}

/**
 * raizn_column_exists() - has a column a zone that can be used?
 * @z:		zone
 * @column:	column
 *
 * What is in there need not be right: see z->missing.
 *
 * Context: any.
 */
bool raizn_column_exists(const struct raizn_zone *z, u32 column)
{
	int use = column_use(z, column);

	return use >= 0 && use != RAIZN_PHYSICAL_BAD;
}

/**
 * raizn_column_is_unusable() - has a column a zone of a member that cannot be used?
 * @z:		zone
 * @column:	column
 *
 * Context: any.
 */
bool raizn_column_is_unusable(const struct raizn_zone *z, u32 column)
{
	return column_use(z, column) == RAIZN_PHYSICAL_BAD;
}
