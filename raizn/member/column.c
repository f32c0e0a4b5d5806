// SPDX-License-Identifier: GPL-2.0
/*
 * Columns of zones: their member zones, free member zones, unreadable columns, and columns to
 * be rebuilt.
 */
#include "member/fault.h"
#include "member/relocation.h"

/**
 * raizn_spare_init() - note which zones of a member hold columns
 * @m:		member that is not live yet, or of an array that is not started
 * @nr:		zones of its drive that logs and columns can have; it has no column behind these
 *
 * Zones without a column, except log zones, count as free until the caller says otherwise.
 *
 * Context: process.  Return: 0 or -ENOMEM.
 */
int raizn_spare_init(struct raizn_member *m, u32 nr)
{
	struct raizn_array *arr = m->arr;
	u8 *use = kvmalloc(nr, GFP_KERNEL);
	u8 *old = m->use;
	u32 physical, column, i;

	if (!use)
		return -ENOMEM;
	memset(use, RAIZN_USE_TAKEN, RAIZN_NR_LOG_ZONES);
	memset(use + RAIZN_NR_LOG_ZONES, RAIZN_USE_FREE, nr - RAIZN_NR_LOG_ZONES);
	for (i = 0; i < arr->geo.nr_zones; i++) {
		column = raizn_zone_map_column(&arr->geo, &arr->map, i, m->slot);
		physical = raizn_zone_map_physical(&arr->geo, &arr->map, i, column);
		if (physical != RAIZN_NOWHERE)
			use[physical] = RAIZN_USE_TAKEN;
	}
	spin_lock_irq(&m->zones_lock);
	m->use = use;
	m->held = 0;
	m->nr_physical = nr;
	spin_unlock_irq(&m->zones_lock);
	kvfree(old);
	return 0;
}

/*
 * End of the zones that a column may move to.  Superblocks must call surplus zones taken before
 * one is written, which a start does at its beginning, see raizn_general_surplus().
 */
static u32 spare_end(const struct raizn_member *m)
{
	const struct raizn_array *arr = m->arr;

	return raizn_array_started(arr) || raizn_has_surplus(arr) ?
	       m->nr_physical : raizn_common_zones(&arr->geo);
}

/**
 * raizn_spare_take() - find an empty member zone
 * @m:		member
 * @physical:	set to the zone, counted from the first reserved one
 *
 * Surplus zones come last.  Context: process.  Return: 0 or -ENOSPC.
 */
int raizn_spare_take(struct raizn_member *m, u32 *physical)
{
	u32 nr = spare_end(m);
	int err = -ENOSPC;
	u32 i;

	spin_lock_irq(&m->zones_lock);
	for (i = RAIZN_NR_LOG_ZONES; err && i < nr; i++) {
		if (m->use[i] != RAIZN_USE_FREE)
			continue;
		m->use[i] = RAIZN_USE_TAKEN;
		*physical = i;
		err = 0;
	}
	spin_unlock_irq(&m->zones_lock);
	return err;
}

/* Every change from or to RAIZN_USE_HELD is counted here. */
static void set_use(struct raizn_member *m, u32 physical, enum raizn_use use)
{
	lockdep_assert_held(&m->zones_lock);
	WRITE_ONCE(m->held, m->held + (use == RAIZN_USE_HELD) -
		   (m->use[physical] == RAIZN_USE_HELD));
	WRITE_ONCE(m->use[physical], use);
}

/**
 * raizn_spare_set() - set the use of a member zone
 * @m:		member
 * @physical:	zone, counted from the first reserved one
 * @use:	enum raizn_use
 *
 * Context: process.
 */
void raizn_spare_set(struct raizn_member *m, u32 physical,
		     enum raizn_use use)
{
	spin_lock_irq(&m->zones_lock);
	set_use(m, physical, use);
	spin_unlock_irq(&m->zones_lock);
}

static bool has_zone(const struct raizn_member *m, enum raizn_use use)
{
	u32 nr = spare_end(m);
	u32 i;

	for (i = RAIZN_NR_LOG_ZONES; i < nr; i++)
		if (READ_ONCE(m->use[i]) == use)
			return true;
	return false;
}

/**
 * raizn_spare_left() - does a member have a free zone for a column?
 * @m:		member
 *
 * Context: any.
 */
bool raizn_spare_left(const struct raizn_member *m)
{
	return has_zone(m, RAIZN_USE_FREE);
}

/**
 * raizn_spare_is_stuck() - has a member zones for columns whose reset failed?
 * @m:		member
 *
 * Context: any.
 */
bool raizn_spare_is_stuck(const struct raizn_member *m)
{
	return has_zone(m, RAIZN_USE_STUCK);
}

/**
 * raizn_spare_is_dirty() - did a column leave a member zone?
 * @m:		member
 * @physical:	zone, counted from the first reserved one
 *
 * Context: process.
 */
bool raizn_spare_is_dirty(struct raizn_member *m, u32 physical)
{
	bool dirty;

	/* Most zones are not; the others are read again, with all that led to the mark. */
	if (likely(READ_ONCE(m->use[physical]) != RAIZN_USE_DIRTY))
		return false;
	spin_lock_irq(&m->zones_lock);
	dirty = m->use[physical] == RAIZN_USE_DIRTY;
	spin_unlock_irq(&m->zones_lock);
	return dirty;
}

/**
 * raizn_spare_count() - free zones of a member for columns
 * @m:		member
 *
 * Context: process.  Return: number of zones.
 */
u32 raizn_spare_count(struct raizn_member *m)
{
	u32 nr = 0;
	u32 i;

	spin_lock_irq(&m->zones_lock);
	for (i = RAIZN_NR_LOG_ZONES; m->use && i < m->nr_physical; i++)
		nr += m->use[i] == RAIZN_USE_FREE;
	spin_unlock_irq(&m->zones_lock);
	return nr;
}

/* Use of the member zone of a column; -ENOENT if it has none, or its member is not live. */
static int column_use(const struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 physical;

	if (!raizn_member_live(m))
		return -ENOENT;
	/* Pairs with come_alive(): the drive before had other zones. */
	smp_rmb();
	physical = raizn_zone_map_physical(&arr->geo, &arr->map, raizn_zone_number(z), column);
	return physical == RAIZN_NOWHERE ? -ENOENT : READ_ONCE(m->use[physical]);
}

/**
 * raizn_column_hold() - note whether a column is active on its drive, and counted by nothing else
 * @z:		zone that is damaged; or that a job has begun, which none goes on with
 * @column:	column
 * @active:	it is: its member zone is open, or written in part
 *
 * It is until a reset of the zone, or another job of the column.
 *
 * Context: any.
 */
void raizn_column_hold(const struct raizn_zone *z, u32 column, bool active)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 physical = raizn_zone_map_physical(&arr->geo, &arr->map, raizn_zone_number(z), column);
	enum raizn_use from = active ? RAIZN_USE_TAKEN : RAIZN_USE_HELD;
	unsigned long flags;

	if (physical == RAIZN_NOWHERE || !raizn_member_live(m))
		return;
	spin_lock_irqsave(&m->zones_lock, flags);
	if (m->use[physical] == from)
		set_use(m, physical, active ? RAIZN_USE_HELD : RAIZN_USE_TAKEN);
	spin_unlock_irqrestore(&m->zones_lock, flags);
}

/**
 * raizn_places() - active zones that users may have
 * @arr:	array
 *
 * Columns of damaged zones, and others with RAIZN_USE_HELD, take places of users, as far as a
 * member that is in use has no other room for them.
 *
 * Context: any.  Return: zones, at most arr->max_active.
 */
u32 raizn_places(const struct raizn_array *arr)
{
	u32 places = arr->max_active;
	const struct raizn_member *m;
	u32 most;

	for (m = arr->members; m < arr->members + arr->geo.nr_members; m++) {
		if (likely(!READ_ONCE(m->held)) || !m->max_active || !raizn_member_live(m))
			continue;
		most = m->max_active - RAIZN_MD_ACTIVE_ZONES;
		places = min(places, most - min(READ_ONCE(m->held), most));
	}
	return places;
}

/**
 * raizn_column_exists() - does a column have a usable member zone?
 * @z:		zone
 * @column:	column
 *
 * The contents of the column need not be valid: see z->missing.
 *
 * Context: any.
 */
bool raizn_column_exists(const struct raizn_zone *z, u32 column)
{
	int use = column_use(z, column);

	return use >= 0 && use != RAIZN_USE_BAD;
}

/**
 * raizn_column_is_unusable() - does a column have a member zone that cannot be used?
 * @z:		zone
 * @column:	column
 *
 * Context: any.
 */
bool raizn_column_is_unusable(const struct raizn_zone *z, u32 column)
{
	return column_use(z, column) == RAIZN_USE_BAD;
}

/**
 * raizn_column_is_held() - is a column active, and counted by nothing else?
 * @z:		zone
 * @column:	column
 *
 * See raizn_column_hold().  Context: any.
 */
bool raizn_column_is_held(const struct raizn_zone *z, u32 column)
{
	return column_use(z, column) == RAIZN_USE_HELD;
}

/**
 * raizn_note_unreadable() - note that a column in use has unreadable sectors
 * @z:		zone
 * @column:	column
 * @life:	zone->life at the time of the read; errors of an earlier life are ignored
 *
 * The column is counted once, and rewritten as soon as no column of the zone is lost.  The
 * first error lets a job of the zone that failed for it be tried again, because it may have
 * been transient.  Later errors do not: two columns that need each other would be tried in
 * turns for ever.
 *
 * Context: process.
 */
void raizn_note_unreadable(struct raizn_zone *z, u32 column, u16 life)
{
	bool known;

	/* Count merged reads, which fail together, once. */
	spin_lock_irq(&z->lock);
	known = z->heal & BIT(column) || z->resets ||
		z->life != life;
	if (!known) {
		WRITE_ONCE(z->heal, z->heal | BIT(column));
		WRITE_ONCE(z->tried, 0);
	}
	spin_unlock_irq(&z->lock);
	if (known)
		return;
	raizn_read_failed(raizn_zone_member(z, column));
	raizn_rebuild_kick(z->arr);
}

/**
 * raizn_columns_wanted() - columns of a zone that a job should rebuild or rewrite
 * @z:		zone
 * @lost:	raizn_zone_lost() of the zone
 *
 * Lost columns come first.  A column in use is rewritten as long as parity makes up for it,
 * too.
 *
 * Context: any.  Return: columns, bit by column.
 */
u32 raizn_columns_wanted(const struct raizn_zone *z, u32 lost)
{
	u32 columns = lost & ~raizn_zone_dead(z) & ~raizn_zone_tried(z);

	if (columns || raizn_zone_damaged(z) ||
	    hweight32(lost) >= z->arr->geo.nr_parity)
		return columns;
	columns = READ_ONCE(z->heal) | raizn_relocation_requested(z);
	return columns & ~raizn_zone_tried(z) & ~lost;
}

/**
 * raizn_zone_wanted() - columns of a zone to be rebuilt or rewritten
 * @z:		zone
 *
 * Context: any.
 */
u32 raizn_zone_wanted(const struct raizn_zone *z)
{
	return raizn_columns_wanted(z, raizn_zone_lost(z));
}

/**
 * raizn_zone_note_tried() - note that the rebuild of a column has failed
 * @z:		zone; its lock is held
 * @column:	the column
 * @epoch:	arr->epoch when the rebuild began
 *
 * Context: any.
 */
void raizn_zone_note_tried(struct raizn_zone *z, u32 column, u32 epoch)
{
	lockdep_assert_held(&z->lock);
	if (z->tried_in != epoch) {
		WRITE_ONCE(z->tried, 0);
		/* Pairs with raizn_zone_tried(). */
		smp_wmb();
		WRITE_ONCE(z->tried_in, epoch);
	}
	WRITE_ONCE(z->tried, z->tried | BIT(column));
}

/**
 * raizn_rebuild_kick() - start rebuilding the columns that can be rebuilt
 * @arr:	array
 *
 * Context: any.
 */
void raizn_rebuild_kick(struct raizn_array *arr)
{
	queue_work(arr->rebuild_wq, &arr->rebuild_kick);
}

/**
 * raizn_rebuild_eased() - an obstacle is gone that may have made jobs fail
 * @arr:	array
 *
 * The obstacle may also have kept a member with too many errors from being given up.
 * Context: any.
 */
void raizn_rebuild_eased(struct raizn_array *arr)
{
	atomic_inc(&arr->epoch);
	raizn_rebuild_kick(arr);
}

/**
 * raizn_heal_request() - request the rewrite of a column in use
 * @z:		zone
 * @column:	column that holds wrong parity
 *
 * Context: process.
 */
void raizn_heal_request(struct raizn_zone *z, u32 column)
{
	bool again;

	spin_lock_irq(&z->lock);
	again = raizn_zone_to_heal(z) & BIT(column);
	WRITE_ONCE(z->heal, z->heal | BIT(column));
	WRITE_ONCE(z->tried, z->tried & ~BIT(column));
	spin_unlock_irq(&z->lock);
	if (!again)
		raizn_rebuild_kick(z->arr);
}
