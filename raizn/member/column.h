/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Logical zones and their columns: lost columns, and the member zones of the others.
 */
#ifndef RAIZN_MEMBER_COLUMN_H
#define RAIZN_MEMBER_COLUMN_H

#include "member/member.h"

struct raizn_job;

/**
 * struct raizn_zone - a logical zone; there may be 100,000, so it is small
 * @arr:	the array
 * @lock:	irq-safe; protects @wp, @life, @pending and the fields of the
 *		open zone that say so.  Lock order: zone->lock, arr->cond_lock.
 * @wp:		accepted write pointer; a finished zone keeps it
 * @readable:	end of the readable data, at most @wp; reads beyond it return zeros.  For a
 *		damaged zone see raizn_zone_load_damaged() and raizn_zone_damage()
 * @life:	number of resets and finishes carried out, modulo 65,536; no comparison
 *		spans that many
 * @missing:	columns (bit by column) that the zone does without; changes only
 *		while the zone is idle.  See raizn_zone_lost()
 * @failing:	columns (bit by column) that failed since they last took part; fail_lock
 * @heal:	columns in use that have unreadable sectors or wrong parity and are to be
 *		rewritten.  See raizn_may_drop() for giving up others meanwhile, and
 *		raizn_relocation_requested() for columns that are rewritten for spoilt rows
 * @ops:	resets and finishes accepted and not yet carried out
 * @resets:	resets among @ops: batches that retire then belong to the previous life
 * @cond:	BLK_ZONE_COND_*; written under arr->cond_lock and @lock, except
 *		that an implicitly open zone may be closed under cond_lock alone
 * @pending:	accepted writes and zone operations, in order, for the worker
 * @work:	the zone's worker; one at a time
 * @busy:	writes and records are being issued, by the worker, a submitter or the flush
 *		worker; only the holder issues, and only the worker may then release @oz
 * @expiring:	the zone held data when its reset was accepted: the next start would still
 *		find the data
 * @broken:	a write or finish of this life failed, and parity does not make up for it:
 *		nothing more is issued, and the worker makes the zone read-only
 * @tried:	columns whose rebuild has failed in epoch @tried_in of the array
 * @tried_in:	see raizn_zone_tried()
 * @oz:		state of an active zone, or NULL; set under both locks
 * @job:	job that rebuilds a column of the zone, or NULL
 */
struct raizn_zone {
	struct raizn_array *arr;
	spinlock_t lock;
	u32 wp;
	u32 readable;
	u32 missing;
	u32 failing;
	u32 heal;
	u16 life;
	u16 ops;
	u16 resets;
	u8 cond;
	bool busy:1;
	bool expiring:1;
	bool broken:1;
	u32 tried;
	u32 tried_in;
	struct bio_list pending;
	struct work_struct work;
	struct raizn_open_zone *oz;
	struct raizn_job *job;
};

static inline u32 raizn_zone_number(const struct raizn_zone *z)
{
	return z - z->arr->zones;
}

/* The member that a column belongs to, also while it is nowhere. */
static inline struct raizn_member *raizn_zone_member(const struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;

	return &arr->members[raizn_zone_map_slot(&arr->geo, &arr->map, raizn_zone_number(z),
						 column)];
}

/* The column of a zone that belongs to the member in a slot. */
static inline u32 raizn_zone_column(const struct raizn_zone *z, u32 slot)
{
	const struct raizn_array *arr = z->arr;

	return raizn_zone_map_column(&arr->geo, &arr->map, raizn_zone_number(z), slot);
}

/* Columns (bit by column) of a zone that belong to members (bit by slot). */
static inline u32 raizn_zone_columns(const struct raizn_zone *z, u32 slots)
{
	const struct raizn_array *arr = z->arr;

	return raizn_zone_map_columns(&arr->geo, &arr->map, raizn_zone_number(z), slots);
}

/* Members (bit by slot) that columns (bit by column) of a zone belong to. */
static inline u32 raizn_zone_slots(const struct raizn_zone *z, u32 columns)
{
	const struct raizn_array *arr = z->arr;

	return raizn_zone_map_slots(&arr->geo, &arr->map, raizn_zone_number(z), columns);
}

/* Columns of members that are not in use. */
static inline u32 raizn_zone_dead(const struct raizn_zone *z)
{
	u32 dead = READ_ONCE(z->arr->dead);

	return unlikely(dead) ? raizn_zone_columns(z, dead) : 0;
}

/* Columns of a zone that must be neither read nor written. */
static inline u32 raizn_zone_lost(const struct raizn_zone *z)
{
	return READ_ONCE(z->missing) | READ_ONCE(z->failing) | raizn_zone_dead(z);
}

/* Are these more columns (bit by column) of a zone than parity makes up for? */
static inline bool raizn_zone_too_many(const struct raizn_zone *z, u32 columns)
{
	return hweight32(columns) > z->arr->geo.nr_parity;
}

/* Lost columns that the zone does not do without yet. */
static inline u32 raizn_zone_newly_lost(const struct raizn_zone *z)
{
	return raizn_zone_lost(z) & ~z->missing;
}

/* Columns whose rebuild failed in the current epoch of the array. */
static inline u32 raizn_zone_tried(const struct raizn_zone *z)
{
	if (READ_ONCE(z->tried_in) != (u32)atomic_read(&z->arr->epoch))
		return 0;
	/* Pairs with raizn_zone_note_tried(). */
	smp_rmb();
	return READ_ONCE(z->tried);
}

/* Columns to be rewritten, except columns whose rewrite failed in the current epoch. */
static inline u32 raizn_zone_to_heal(const struct raizn_zone *z)
{
	return READ_ONCE(z->heal) & ~raizn_zone_tried(z);
}

/*
 * The zone lost more than parity makes up for, see raizn_zone_load_damaged(), or could not be
 * written to its end, see raizn_zone_end_writing().
 */
static inline bool raizn_zone_damaged(const struct raizn_zone *z)
{
	return READ_ONCE(z->cond) == BLK_ZONE_COND_READONLY;
}

/* Only the end of the zone could not be written; all data before it is there. */
static inline bool raizn_zone_unwritable(const struct raizn_zone *z)
{
	return raizn_zone_damaged(z) && READ_ONCE(z->oz) && !raizn_array_failed(z->arr);
}

/*
 * Does a zone hold data that a failure could lose?  An empty zone that lacks columns merely
 * takes no writes.  Writes that wait behind a reset do not count yet.
 */
static inline bool raizn_zone_at_risk(const struct raizn_zone *z)
{
	u8 cond = READ_ONCE(z->cond);

	/* Pairs with raizn_zone_empty(). */
	smp_rmb();
	if (READ_ONCE(z->resets)) {
		/* Pairs with raizn_accept_reset(). */
		smp_rmb();
		return z->expiring;
	}
	return cond != BLK_ZONE_COND_EMPTY &&
	       (cond != BLK_ZONE_COND_READONLY || raizn_zone_unwritable(z));
}

/*
 * Does a full zone lack data that parity does not make up for, though it is not called damaged yet?
 * Columns that are newly lost do not count.
 */
static inline bool raizn_zone_lost_data(const struct raizn_zone *z)
{
	return unlikely(raizn_zone_too_many(z, READ_ONCE(z->missing))) &&
	       READ_ONCE(z->cond) == BLK_ZONE_COND_FULL && !READ_ONCE(z->oz) &&
	       !READ_ONCE(z->resets);
}

/* A zone at the last generation takes no reset: the next start is read-only. */
static inline bool raizn_zone_may_reset(const struct raizn_zone *z)
{
	return READ_ONCE(z->arr->zone_state[raizn_zone_number(z)].generation) <
	       RAIZN_GENERATION_MAX;
}

/* Does a reset have something to do?  zone->lock is held. */
static inline bool raizn_zone_needs_reset(const struct raizn_zone *z)
{
	return z->wp || z->cond == BLK_ZONE_COND_FULL || raizn_zone_damaged(z) ||
	       z->ops;
}

static inline bool raizn_column_live(const struct raizn_zone *z, u32 column)
{
	return !(raizn_zone_lost(z) & BIT(column));
}

/*
 * Is a column the place of a rebuild that has not completed it?  It is missing then, though its
 * data is right up to the member zone's write pointer.
 */
static inline bool raizn_column_rebuilding(const struct raizn_zone *z, u32 column)
{
	const struct raizn_array *arr = z->arr;
	u32 entry = raizn_zone_map_entry(&arr->geo, &arr->map, raizn_zone_number(z), column);

	return raizn_member_state(raizn_zone_member(z, column)) == RAIZN_MEMBER_REBUILDING &&
	       (entry & RAIZN_PLACE_ZONE) != RAIZN_PLACE_NOWHERE &&
	       !(entry & RAIZN_PLACE_WHOLE);
}

/* First sector of a column's member zone, on its member. */
static inline sector_t raizn_column_start(const struct raizn_array *arr, u32 zone, u32 column)
{
	return raizn_reserved_zone_start(&arr->geo,
					 raizn_zone_map_physical(&arr->geo, &arr->map,
								 zone, column));
}

/**
 * raizn_moves() - begin to use the places of columns
 * @arr:	array
 *
 * A member zone that a column left is emptied and used again while reads of it may be under way.
 * A place that is looked up after this call was the column's all the time if raizn_moved() is
 * false after the read.
 *
 * Context: any.  Return: number of moves so far.
 */
static inline u32 raizn_moves(const struct raizn_array *arr)
{
	u32 moves = READ_ONCE(arr->moves);

	/* Pairs with raizn_general_map(), which changes the place first. */
	smp_rmb();
	return moves;
}

/**
 * raizn_moved() - may a read have met a member zone that is not the column's any more?
 * @arr:	array
 * @moves:	result of raizn_moves() before the place was looked up
 *
 * Context: any, after the read.
 */
static inline bool raizn_moved(const struct raizn_array *arr, u32 moves)
{
	/* The end of the read comes before. */
	smp_rmb();
	return unlikely(READ_ONCE(arr->moves) != moves);
}

/* column.c */
int raizn_spare_init(struct raizn_member *m, u32 nr);
int raizn_spare_take(struct raizn_member *m, u32 *physical);
void raizn_spare_set(struct raizn_member *m, u32 physical, enum raizn_use use);
bool raizn_spare_left(const struct raizn_member *m);
bool raizn_spare_is_stuck(const struct raizn_member *m);
bool raizn_spare_is_dirty(struct raizn_member *m, u32 physical);
u32 raizn_spare_count(struct raizn_member *m);
void raizn_column_hold(const struct raizn_zone *z, u32 column, bool active);
bool raizn_column_is_held(const struct raizn_zone *z, u32 column);
u32 raizn_places(const struct raizn_array *arr);
bool raizn_column_exists(const struct raizn_zone *z, u32 column);
bool raizn_column_is_unusable(const struct raizn_zone *z, u32 column);
void raizn_note_unreadable(struct raizn_zone *z, u32 column, u16 life);
u32 raizn_columns_wanted(const struct raizn_zone *z, u32 lost);
u32 raizn_zone_wanted(const struct raizn_zone *z);
void raizn_zone_note_tried(struct raizn_zone *z, u32 column, u32 epoch);
void raizn_rebuild_kick(struct raizn_array *arr);
void raizn_rebuild_eased(struct raizn_array *arr);
void raizn_heal_request(struct raizn_zone *z, u32 column);

/* quarantine.c */
void raizn_quarantine_begin(struct raizn_zone *z, u32 column, u32 end, u32 durable);
bool raizn_quarantine_keep(struct raizn_zone *z, u32 column, s64 written);
u32 raizn_quarantine_find(const struct raizn_zone *z, u32 column, u32 end);
void raizn_quarantine_end(struct raizn_zone *z, u32 columns);
void raizn_quarantine_yield(struct raizn_zone *z, u32 column);
void raizn_quarantine_forget(struct raizn_array *arr, u32 slots);

#endif /* RAIZN_MEMBER_COLUMN_H */
