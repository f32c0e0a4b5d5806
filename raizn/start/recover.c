// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery, and every other start: carry out the work that raizn_examine() found.
 *
 * The steps are those of docs/recovery.md, which says for each step in which state a crash
 * after it leaves the members, and why the next recovery gets that right.
 */
#include <linux/ktime.h>

#include "start/start.h"

/**
 * raizn_drop_logs() - reset log zones that an earlier start left behind
 * @m:		member
 * @use:	use of the zones to reset
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_drop_logs(struct raizn_member *m, enum raizn_use use)
{
	u64 start;
	u32 i;
	int err;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		if (READ_ONCE(m->reserved[i]) != use)
			continue;
		start = raizn_reserved_zone_start(&m->arr->geo, i);
		err = raizn_member_zone_op(m, REQ_OP_ZONE_RESET, start);
		if (err)
			return err;
		spin_lock_irq(&m->zones_lock);
		m->reserved[i] = RAIZN_USE_FREE;
		spin_unlock_irq(&m->zones_lock);
	}
	return 0;
}

static int for_live_members(struct raizn_array *arr,
			    enum raizn_use use)
{
	u32 slot;
	int err = 0;

	for (slot = 0; !err && slot < arr->geo.nr_members; slot++)
		if (raizn_member_live(&arr->members[slot]))
			err = raizn_drop_logs(&arr->members[slot], use);
	return err;
}

/* Old general logs are not needed any more once fresh ones are complete. */
static void general_logs_are_stale(struct raizn_array *arr)
{
	u32 i, j;

	for (i = 0; i < arr->geo.nr_members; i++)
		for (j = 0; j < RAIZN_NR_LOG_ZONES; j++)
			if (arr->members[i].reserved[j] == RAIZN_USE_GENERAL)
				arr->members[i].reserved[j] = RAIZN_USE_DIRTY;
}

/*
 * An absent member may hold more of a zone than this start finds: its column must not be
 * trusted when the member is back.  Full zones keep their end.  If no member is absent,
 * there is none to distrust: see raizn_general_whole().  A zone that was damaged until now
 * may get another end also after a clean stop.
 */
static void distrust_absent(struct raizn_array *arr)
{
	struct raizn_zone_state *zs;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		zs = &arr->zone_state[i];
		/* Nothing of a damaged zone is cut off yet. */
		if (raizn_zone_damaged(&arr->zones[i]))
			continue;
		if (!arr->dead)
			zs->flags &= ~RAIZN_ZONE_TRUNCATED;
		else if ((!arr->recovery->clean || zs->flags & RAIZN_ZONE_UNLOGGED) &&
			 arr->zones[i].cond != BLK_ZONE_COND_FULL)
			zs->flags |= RAIZN_ZONE_TRUNCATED;
	}
}

static bool is_marked(const struct raizn_zone *z, u32 column)
{
	const struct raizn_array *arr = z->arr;

	return raizn_zone_map_whole(&arr->geo, &arr->map, raizn_zone_number(z), column);
}

/*
 * Does the drive of a member that this start leaves out hold all of its column?  It does in a zone
 * that this start finds damaged, for nothing is written to that from here on.  No mark goes before
 * the superblocks are written: if this start is interrupted, the next one may have the member.
 */
static bool begins_to_be_kept(const struct raizn_zone *z, u32 column, const void *unused)
{
	const struct raizn_array *arr = z->arr;
	u32 left_out = arr->dead & ~arr->base_failed & ~arr->rebuilding;

	return is_marked(z, column) ||
	       (raizn_zone_damaged(z) && raizn_zone_columns(z, left_out) & BIT(column));
}

/* A zone that is not damaged any more is written without its missing columns. */
static bool is_kept(const struct raizn_zone *z, u32 column, const void *unused)
{
	return is_marked(z, column) && raizn_zone_damaged(z) &&
	       !raizn_member_live(raizn_zone_member(z, column));
}

static u32 columns_to_renew(const struct raizn_zone_work *w)
{
	return w->plan.action == RAIZN_ZONE_DAMAGED ? 0 :
	       w->facts.missing & w->facts.full;
}

/* Is a zone left that all members have, or will be when it is emptied? */
static bool has_common_zone(const struct raizn_member *m)
{
	u32 i;

	for (i = RAIZN_NR_LOG_ZONES; i < raizn_common_zones(&m->arr->geo); i++)
		if (m->use[i] == RAIZN_USE_FREE || m->use[i] == RAIZN_USE_DIRTY)
			return true;
	return false;
}

/* A column that moves leaves a free zone behind, so one is enough for all of a member. */
static bool needs_surplus(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	const struct raizn_zone_work *w;
	const struct raizn_member *m;
	u32 slots = 0;
	u32 left;

	for (w = rec->works; w < rec->works + rec->nr_works; w++)
		slots |= raizn_zone_slots(&arr->zones[w->zone],
					  w->debris | columns_to_renew(w));
	for (left = slots & ~arr->dead; left; left &= left - 1) {
		m = &arr->members[__ffs(left)];
		if (m->nr_physical > raizn_common_zones(&arr->geo) && !has_common_zone(m))
			return true;
	}
	return false;
}

/*
 * A log zone of unknown role, which may be the newest partial-parity log of a member, goes in
 * step 2.  Until the fresh partial-parity logs count, logs prove nothing about zones that may go on
 * in a column that is missing at the next start.
 */
static void mark_before_loss(struct raizn_array *arr)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		if (arr->zones[i].cond != BLK_ZONE_COND_FULL)
			arr->zone_state[i].flags |= RAIZN_ZONE_UNLOGGED;
}

/*
 * Step 1: write the joined state to fresh general logs of all live members.  Marks that are new
 * come with the superblocks that need them; marks that do not count any more go when all
 * superblocks are there.
 */
static int persist_joined(struct raizn_array *arr)
{
	u32 all = raizn_all_members(arr);
	u32 rebuilding = arr->rebuilding & ~arr->dead;
	int err;

	distrust_absent(arr);
	if (needs_surplus(arr))
		arr->sb.incompat |= cpu_to_le64(RAIZN_INCOMPAT_SURPLUS);
	if (arr->recovery->unidentified)
		mark_before_loss(arr);
	err = raizn_general_mark_later(arr, arr->dead, begins_to_be_kept, NULL);
	if (err >= 0)
		err = for_live_members(arr, RAIZN_USE_DIRTY);
	/* Other logs, in new zones, would not show which resets a partial one knows. */
	if (!err)
		err = raizn_general_start(arr, arr->recovery->partial);
	if (err)
		return err;
	general_logs_are_stale(arr);
	err = for_live_members(arr, RAIZN_USE_DIRTY);
	return err ? err : raizn_general_mark(arr, all & ~rebuilding, is_kept, NULL);
}

/* Step 4: resets that were interrupted, all of them under one record. */
static int complete_resets(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	u32 zone;
	int err;

	if (bitmap_empty(rec->resets, arr->geo.nr_zones))
		return 0;
	for_each_set_bit(zone, rec->resets, arr->geo.nr_zones) {
		err = raizn_data_zone_op(arr, REQ_OP_ZONE_RESET, zone);
		if (!err)
			err = raizn_zone_disown(&arr->zones[zone]);
		if (err)
			return err;
		rec->reset++;
		raizn_background_step(arr);
		cond_resched();
	}
	err = raizn_general_reset(arr, RAIZN_ZONE_ALL, RAIZN_RESET_DONE);
	if (err)
		return err;
	/* Beside reset columns, full ones looked as if their drives had finished them. */
	for_each_set_bit(zone, rec->resets, arr->geo.nr_zones)
		raizn_zone_find_columns(&arr->zones[zone]);
	return 0;
}

/*
 * Step 4: rebuild columns that raizn_distrust_full() called missing.  Do so while partial
 * parity is still there, so that another power cut finds a zone that lacks nothing,
 * whichever members are lost then; and before other columns are filled, for the full column
 * is believed if these are at most two units shorter.
 */
static int renew_columns(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	u32 c;
	int err;

	for (w = rec->works; w < rec->works + rec->nr_works; w++) {
		for (c = 0; c < arr->geo.nr_members; c++) {
			if (!(columns_to_renew(w) & BIT(c)))
				continue;
			err = raizn_renew_column(arr, w, c);
			if (err)
				return err;
			raizn_background_step(arr);
		}
	}
	return 0;
}

static bool needs_fill(const struct raizn_zone_work *w)
{
	return w->plan.action == RAIZN_ZONE_REPAIR ||
	       w->plan.action == RAIZN_ZONE_FINISH;
}

/* Step 4: put all data below the write pointers in place, and make it durable. */
static int fill_zones(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	int err = 0;

	for (w = rec->works; !err && w < rec->works + rec->nr_works; w++) {
		if (!needs_fill(w))
			continue;
		err = raizn_recover_fill(arr, w);
		raizn_background_step(arr);
		cond_resched();
	}
	return err ? err : raizn_flush_members(arr);
}

/* Must the member zones of a zone be finished? */
static bool needs_finish(const struct raizn_array *arr,
			 const struct raizn_zone_work *w)
{
	return w->plan.action == RAIZN_ZONE_FINISH || w->pad ||
	       (w->plan.action == RAIZN_ZONE_REPAIR &&
		w->plan.wp == arr->geo.zone_cap && raizn_members_padded(arr));
}

/* Step 4: finish zones.  Finished zones take no more writes, so they are filled before. */
static int finish_zones(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	int err = 0;

	for (w = rec->works; !err && w < rec->works + rec->nr_works; w++) {
		if (!needs_finish(arr, w))
			continue;
		err = raizn_data_zone_op(arr, REQ_OP_ZONE_FINISH, w->zone);
		rec->finished++;
		raizn_background_step(arr);
	}
	return err;
}

/* Column of a zone that belongs to the member in a slot. */
static u32 column_of(const struct raizn_array *arr, const struct raizn_zone_work *w, u32 slot)
{
	return raizn_zone_column(&arr->zones[w->zone], slot);
}

/*
 * The zone that gives up its column on a member most cheaply, among zones with debris there that
 * lack no column; NULL if there is none.  @wanted tells if debris of the member must be moved.
 */
static struct raizn_zone_work *smallest_debris(struct raizn_array *arr, u32 slot,
					       bool *wanted)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w, *found = NULL;
	u32 column, least = U32_MAX;

	*wanted = false;
	for (w = rec->works; w < rec->works + rec->nr_works; w++) {
		column = column_of(arr, w, slot);
		if (!(w->debris & BIT(column)) || !w->plan.want[column])
			continue;
		*wanted = true;
		if (arr->zones[w->zone].missing || w->plan.want[column] >= least)
			continue;
		least = w->plan.want[column];
		found = w;
	}
	return found;
}

/*
 * Step 9 needs a free zone on each member with debris to move.  A member without a free
 * zone gives up a column, while that can be read for the zone's tail.  The column is
 * rebuilt once the other ones are moved; until then its zone survives one failure less.  If
 * a member cannot give up a column, no member does, and the start ends in step 9.
 */
static void give_up_columns(struct raizn_array *arr)
{
	struct raizn_zone_work *given[RAIZN_MAX_MEMBERS] = { NULL };
	bool wanted, refused = false;
	struct raizn_zone *z;
	u32 slot, column;

	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		given[slot] = smallest_debris(arr, slot, &wanted);
		if (!wanted || raizn_spare_left(&arr->members[slot])) {
			given[slot] = NULL;
		} else if (given[slot]) {
			z = &arr->zones[given[slot]->zone];
			z->missing |= BIT(raizn_zone_column(z, slot));
		} else {
			refused = true;
		}
	}
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		if (!given[slot])
			continue;
		column = column_of(arr, given[slot], slot);
		if (refused) {
			arr->zones[given[slot]->zone].missing &= ~BIT(column);
			continue;
		}
		DMWARN("logical zone %u: member %u (%pg) has no free zone to move its column to: it is rebuilt",
		       given[slot]->zone, slot, arr->members[slot].bdev);
		given[slot]->debris &= ~BIT(column);
	}
}

/*
 * A column with debris that its drive cannot read in the tail cannot be moved once the logs
 * that know its data are gone.  It is given up while they are there, and rebuilt.  A column
 * that cannot be read elsewhere only is moved: its other sectors may be the only source of
 * sectors that another drive cannot read.
 */
static int give_up_unreadable(struct raizn_array *arr, struct raizn_zone_work *w,
			      u32 in_tail)
{
	u32 columns = w->debris & in_tail;
	unsigned long slots;

	if (!columns || hweight32(arr->zones[w->zone].missing | w->unreadable) >
	    arr->geo.nr_parity)
		return 0;
	slots = raizn_zone_slots(&arr->zones[w->zone], columns);
	DMWARN("logical zone %u: members %*pbl cannot read sectors of the last stripe: their columns are rebuilt",
	       w->zone, RAIZN_MAX_MEMBERS, &slots);
	w->debris &= ~columns;
	return raizn_recover_tail_without(arr, w, columns);
}

/* @give_up: the start writes, and moves columns with debris. */
static int load_tails(struct raizn_array *arr, bool give_up)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	u32 before, in_tail;
	int err = 0;

	for (w = rec->works; !err && w < rec->works + rec->nr_works; w++) {
		before = w->unreadable;
		w->unreadable = 0;
		err = raizn_recover_tail(arr, w);
		in_tail = w->unreadable;
		w->unreadable |= before;
		if (!err && give_up)
			err = give_up_unreadable(arr, w, in_tail);
	}
	return err;
}

/*
 * Mark damaged zones: fresh logs have partial parity of all other zones.  Returns true if a
 * mark has changed.
 */
static bool mark_unlogged(struct raizn_array *arr)
{
	bool changed = false;
	u32 flags, i;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		flags = arr->zone_state[i].flags & ~RAIZN_ZONE_UNLOGGED;
		if (raizn_zone_damaged(&arr->zones[i]))
			flags |= RAIZN_ZONE_UNLOGGED;
		changed |= flags != arr->zone_state[i].flags;
		arr->zone_state[i].flags = flags;
	}
	return changed;
}

/*
 * Steps 5 to 7: fresh partial-parity logs, which count from step 6 on.  The marks of
 * damaged zones change together with the start number, in one checkpoint.
 */
static int fresh_pp_logs(struct raizn_array *arr)
{
	int err;

	arr->sb.start = cpu_to_le64(++arr->recovery->log_start);
	raizn_relocate_reserve(arr);
	err = raizn_pp_log_start(arr);
	if (!err)
		err = mark_unlogged(arr) ? raizn_general_start(arr, 0) :
					   raizn_general_superblock(arr, false);
	if (!err)
		err = for_live_members(arr, RAIZN_USE_STALE);
	return err;
}

/* Step 9: rid columns of debris. */
static int remove_debris(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	u32 c;
	int err;

	for (w = rec->works; w < rec->works + rec->nr_works; w++) {
		for (c = 0; c < arr->geo.nr_members; c++) {
			if (!(w->debris & BIT(c)))
				continue;
			err = raizn_rewrite_column(arr, w, c);
			if (err)
				return err;
			rec->moved++;
			raizn_background_step(arr);
		}
	}
	return 0;
}

/*
 * Restart all generations: fresh partial-parity logs that name generation 0, then fresh
 * general logs of a new era, which make both count at once.
 *
 * The number of an era is the count of the event that begins it.  A member that got the
 * logs of an era, and was left out then, has a number that does not come again: a start
 * without the member counts an event before it can begin an era.
 */
static int renumber(struct raizn_array *arr)
{
	u32 i, j;
	int err;

	for (i = 0; i < arr->geo.nr_zones; i++)
		arr->zone_state[i].generation = 0;
	raizn_bad_renumber(arr);
	raizn_relocation_renumber(arr);
	for (i = 0; i < arr->geo.nr_members; i++)
		for (j = 0; j < RAIZN_NR_LOG_ZONES; j++)
			if (arr->members[i].reserved[j] == RAIZN_USE_TAKEN)
				arr->members[i].reserved[j] = RAIZN_USE_STALE;
	arr->sb.start = cpu_to_le64(++arr->recovery->log_start);
	arr->sb.era = cpu_to_le64(arr->event + 1);
	err = raizn_pp_log_start(arr);
	if (!err)
		err = raizn_general_start(arr, 0);
	if (!err)
		err = for_live_members(arr, RAIZN_USE_STALE);
	if (!err)
		DMINFO("array %pU: all generations are restarted", arr->uuid);
	return err;
}

/*
 * Step 10: find the valid columns of members that are being rebuilt.  Those that are whole are
 * marked before users write, so that they count at the next start.
 */
static int load_rebuilding(struct raizn_array *arr)
{
	u32 slots = arr->rebuilding & ~arr->dead;
	u32 slot;
	int err = 0;

	for (slot = 0; !err && slot < arr->geo.nr_members; slot++)
		if (slots & BIT(slot))
			err = raizn_rebuild_load(&arr->members[slot], NULL, false);
	if (!err && arr->spoilt_unlogged)
		err = raizn_general_spoilt(arr);
	return err || !slots ? err : raizn_general_mark(arr, slots, raizn_column_is_whole, NULL);
}

static int recover_column_nowhere(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 zone = raizn_zone_number(z);
	u32 old = raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
	int err;

	if (old == RAIZN_NOWHERE)
		return 0;
	err = raizn_general_map(arr, zone, column, RAIZN_NOWHERE);
	if (!err && READ_ONCE(m->use[old]) != RAIZN_USE_BAD)
		raizn_spare_set(m, old, RAIZN_USE_DIRTY);
	return err;
}

/*
 * Must the next start not believe a column?  A column in a zone that cannot be used now may
 * end where the zone ended before this start; other missing columns are to be rebuilt if
 * that is possible.
 */
static bool must_be_nowhere(const struct raizn_zone *z, u32 column)
{
	const struct raizn_array *arr = z->arr;
	u32 flags = arr->zone_state[raizn_zone_number(z)].flags;

	if (!(z->missing & BIT(column)) || !raizn_member_live(raizn_zone_member(z, column)))
		return false;
	/* A finished zone keeps its end. */
	if (hweight32(z->missing) > arr->geo.nr_parity)
		return raizn_column_is_unusable(z, column) &&
		       !(flags & RAIZN_ZONE_FINISHED);
	return !raizn_column_rebuilding(z, column) || raizn_column_is_unusable(z, column);
}

/*
 * Step 8: record as nowhere the columns that this start calls missing though their members
 * are there: a drive made their zone unusable, or has no free zone for their valid data, or
 * they could not be rebuilt.  Once users have written the zone, the next start could not
 * see that these columns are missing.
 */
static int record_missing(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 i, c;
	int err = 0;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		z = &arr->zones[i];
		/* More of a damaged zone may be there at the next start. */
		if (!z->missing || raizn_zone_damaged(z))
			continue;
		for (c = 0; c < arr->geo.nr_members && !err; c++)
			if (must_be_nowhere(z, c))
				err = recover_column_nowhere(z, c);
	}
	return err;
}

/* Steps that may take long: zones to reset, fill and finish, columns to rewrite or move. */
static u64 count_steps(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	u64 steps = bitmap_weight(rec->resets, arr->geo.nr_zones);
	struct raizn_zone_work *w;

	for (w = rec->works; w < rec->works + rec->nr_works; w++)
		steps += hweight32(columns_to_renew(w)) + needs_fill(w) +
			 needs_finish(arr, w) + hweight32(w->debris);
	return steps;
}

/*
 * Step 11: forget lost blocks behind the ends of their columns, where users write other data.  A
 * rebuild that was under way may have entries there, if members are missing now.
 */
static int trim_lost_blocks(struct raizn_array *arr)
{
	struct raizn_bad_block block;
	struct raizn_zone *z;
	int err = 0;
	u32 i = 0;
	u32 end;

	while (!err && i < arr->bad->nr) {
		block = arr->bad->at[i];
		z = &arr->zones[block.zone];
		end = raizn_zone_damaged(z) ? U32_MAX : raizn_column_end(z, block.column);
		if (end < block.sector + block.nr)
			err = raizn_bad_forget_rows(z, block.column, block.physical, end);
		else
			i++;
	}
	return err;
}

/*
 * All zones are filled, and their tails are in memory: rows behind the ends of columns, from which
 * others may have been decoded, do not count any more.
 */
static void end_relocations(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	u32 c;

	for (w = rec->works; w < rec->works + rec->nr_works; w++)
		for (c = 0; c < arr->geo.nr_members && w->plan.action != RAIZN_ZONE_DAMAGED; c++)
			raizn_relocation_end_at(&arr->zones[w->zone], c, w->plan.want[c]);
}

static int carry_out_plan(struct raizn_array *arr)
{
	int err;

	if (!arr->recovery->clean)
		raizn_flush_unknown(arr);
	err = raizn_flush_members(arr);
	if (!err)
		err = persist_joined(arr);
	if (!err)
		err = for_live_members(arr, RAIZN_USE_VOID_PP);
	if (!err) {
		raizn_spare_clean(arr);
		err = complete_resets(arr);
	}
	if (!err)
		err = renew_columns(arr);
	if (!err)
		err = fill_zones(arr);
	if (!err)
		err = finish_zones(arr);
	if (!err) {
		give_up_columns(arr);
		err = load_tails(arr, true);
	}
	if (!err) {
		end_relocations(arr);
		err = fresh_pp_logs(arr);
	}
	if (!err)
		err = record_missing(arr);
	if (!err) {
		raizn_spare_clean(arr);
		err = raizn_debris_leave(arr);
	}
	if (!err)
		err = remove_debris(arr);
	if (!err)
		err = load_rebuilding(arr);
	if (!err)
		err = trim_lost_blocks(arr);
	if (!err && arr->recovery->renumber)
		err = renumber(arr);
	return err;
}

/* Heal columns with sectors that drives could not read, once the array runs. */
static void ask_for_healing(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	struct raizn_zone *z;

	for (w = rec->works; w < rec->works + rec->nr_works; w++) {
		z = &arr->zones[w->zone];
		WRITE_ONCE(z->heal, z->heal | (w->unreadable & ~z->missing));
	}
}

/* Must anything be written before the array can be read? */
static bool needs_writing(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;

	if (!bitmap_empty(rec->resets, arr->geo.nr_zones))
		return true;
	for (w = rec->works; w < rec->works + rec->nr_works; w++)
		if (w->plan.action != RAIZN_ZONE_LEAVE &&
		    w->plan.action != RAIZN_ZONE_DAMAGED)
			return true;
	return false;
}

/*
 * The work of a start that writes nothing: resets are in effect and zones have ended, as they were
 * loaded, and columns without valid contents, or with debris, stay where they are.  Left is data
 * that members lack.
 */
static int recover_in_memory(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	int err = 0;

	if (needs_writing(arr)) {
		err = raizn_stand_ins_make(arr);
		for (w = rec->works; !err && w < rec->works + rec->nr_works; w++) {
			if (needs_fill(w))
				err = raizn_recover_fill(arr, w);
			rec->finished += needs_finish(arr, w);
			cond_resched();
		}
		rec->reset = bitmap_weight(rec->resets, arr->geo.nr_zones);
	}
	if (!err)
		err = load_tails(arr, false);
	rec->in_memory = !err;
	return err;
}

static void report_recovery(struct raizn_array *arr, ktime_t begun)
{
	struct raizn_recovery *rec = arr->recovery;
	s64 ms = ktime_ms_delta(ktime_get(), begun);

	if (rec->clean)
		return;
	DMINFO("array %pU: recovered%s: %u open zones examined, %llu sectors filled, %u columns cleared of debris, %u left with debris, %u zones reset, %u finished, %u damaged, in %lld.%03lld seconds",
	       arr->uuid, raizn_array_read_only(arr) ? " in memory, nothing is written" : "",
	       rec->nr_works, rec->filled, rec->moved, rec->spoilt,
	       rec->reset, rec->finished, rec->nr_damaged, ms / 1000, ms % 1000);
}

/**
 * raizn_recover() - make an assembled array ready for its first I/O
 * @arr:	array with arr->recovery
 *
 * For a read-only array, the work is done in memory, once.  May be interrupted anywhere and
 * begun again.
 *
 * Context: process.  Return: 0 or -errno; after an error the array stays unused.
 */
int raizn_recover(struct raizn_array *arr)
{
	ktime_t begun = ktime_get();
	int err;

	if (raizn_array_read_only(arr) && arr->recovery->in_memory)
		return 0;
	if (!raizn_array_read_only(arr)) {
		raizn_debris_choose(arr);
		raizn_background_begin(arr, RAIZN_ACTION_RECOVER, count_steps(arr));
		err = carry_out_plan(arr);
		/* A running array does not report the progress of its start. */
		raizn_background_begin(arr, RAIZN_ACTION_IDLE, 0);
	} else {
		err = recover_in_memory(arr);
	}
	if (!err) {
		ask_for_healing(arr);
		report_recovery(arr, begun);
	}
	return err;
}
