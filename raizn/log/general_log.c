// SPDX-License-Identifier: GPL-2.0
/*
 * The general log: records that concern the array.  Every live member gets a copy of each
 * record, under one sequence number.
 *
 * arr->md_mutex orders all records: a record's sequence number is taken, and zone_state[]
 * is changed as the record says, in one critical section.  So a checkpoint written from
 * zone_state[] is exactly the sum of all records with lower numbers.  Appends are waited
 * for outside, except those of superblocks and zone maps: each of these relies on the one
 * before, and appends that are under way together may end up in any order.
 *
 * A general log that is full, or has too much behind its checkpoint, switches at once, inside the
 * mutex: records that concern the array are rare, and a checkpoint of 3,840 zones is one 64 KiB
 * append.
 */
#include <linux/sched/mm.h>

#include "log/log.h"
#include "member/bad_block.h"
#include "member/relocation.h"

/*
 * Bytes of records behind the checkpoint after which a log switches.  A fresh checkpoint has their
 * sum and makes them void: two of 4 KiB for each reset of a zone.  A start and raizn(8) read all of
 * the log, which must not grow with the number of resets.  While the array runs, one checkpoint for
 * hundreds of resets holds up the records that come next; at a stop nothing waits, and the next
 * start reads less.
 */
#define GROWN_RUNNING	(4U << 20)
#define GROWN_AT_STOP	(256U << 10)

/* A zone with this state needs no entry in a checkpoint. */
static bool zone_state_is_default(const struct raizn_zone_state *zs)
{
	return !zs->generation && !zs->flags;
}

static int checkpoint_append(struct raizn_log *log, struct raizn_log_record *lr,
			     bool fua)
{
	u64 seq = atomic64_inc_return(&log->member->arr->seq);

	if (!raizn_log_reserve(log, lr->bytes >> SECTOR_SHIFT, RAIZN_CLAIM_SWITCH,
			       &lr->space)) {
		raizn_log_record_free(lr);
		DMERR("%pg: checkpoint does not fit a log zone",
		      log->member->bdev);
		return -ENOSPC;
	}
	return raizn_log_append(lr, seq, fua);
}

/* Write all zone states that differ from the default.  md_mutex is held. */
static int checkpoint_zone_table(struct raizn_log *log)
{
	struct raizn_array *arr = log->member->arr;
	struct raizn_log_record *lr;
	u32 zone = 0;
	u32 nr;
	int err;

	lockdep_assert_held(&arr->md_mutex);
	while (zone < arr->geo.nr_zones) {
		if (zone_state_is_default(&arr->zone_state[zone])) {
			zone++;
			continue;
		}
		nr = min(arr->geo.nr_zones - zone, RAIZN_ZONE_TABLE_MAX);
		while (zone_state_is_default(&arr->zone_state[zone + nr - 1]))
			nr--;
		lr = raizn_log_record_alloc(&arr->general_pool, log,
					    RAIZN_REC_ZONE_TABLE,
					    raizn_zone_table_payload(nr));
		raizn_zone_table_fill(lr->rec, arr->zone_state, zone, nr);
		err = checkpoint_append(log, lr, false);
		if (err)
			return err;
		zone += nr;
	}
	return 0;
}

static u32 map_entries(const struct raizn_array *arr)
{
	size_t all = (size_t)arr->geo.nr_zones * arr->geo.nr_members;
	u32 nr = 0;
	size_t i;

	for (i = 0; arr->map.entries && i < all; i++)
		nr += !!arr->map.entries[i];
	return nr;
}

/*
 * Write the entries of the zone map.  For a map without entries one default entry is
 * written, because the record keeps the version of the map.  md_mutex is held.
 */
static int checkpoint_zone_map(struct raizn_log *log)
{
	struct raizn_array *arr = log->member->arr;
	u32 left = map_entries(arr);
	struct raizn_log_record *lr;
	bool none = arr->map.version && !left;
	size_t i = 0;
	u32 nr, payload;
	int err;

	while (left || none) {
		nr = min(left, RAIZN_ZONE_MAP_MAX);
		left -= nr;
		payload = raizn_zone_map_payload(max(nr, 1U));
		lr = raizn_log_record_alloc(&arr->general_pool, log,
					    RAIZN_REC_ZONE_MAP, payload);
		memset(lr->rec + 1, 0, payload);
		lr->rec->start = cpu_to_le64(arr->map.version);
		if (none)
			raizn_zone_map_add(&arr->geo, lr->rec, 0, 0, RAIZN_PLACE_HOME);
		none = false;
		for (; nr; i++) {
			if (!arr->map.entries[i])
				continue;
			raizn_zone_map_add(&arr->geo, lr->rec, i / arr->geo.nr_members,
					   i % arr->geo.nr_members,
					   arr->map.entries[i]);
			nr--;
		}
		err = checkpoint_append(log, lr, false);
		if (err)
			return err;
	}
	return 0;
}

/* Write the list of lost blocks, if there ever was an entry.  md_mutex is held. */
static int checkpoint_bad_blocks(struct raizn_log *log)
{
	struct raizn_array *arr = log->member->arr;
	struct raizn_log_record *lr;

	if (!arr->bad->version)
		return 0;
	lr = raizn_log_record_alloc(&arr->general_pool, log, RAIZN_REC_BAD_BLOCKS,
				    raizn_bad_blocks_payload(arr->bad->nr));
	raizn_bad_blocks_fill(lr->rec, arr->bad);
	return checkpoint_append(log, lr, false);
}

/* Write the list of rows that are spoilt in place, if there ever were any.  md_mutex is held. */
static int checkpoint_spoilt(struct raizn_log *log)
{
	struct raizn_array *arr = log->member->arr;
	struct raizn_log_record *lr;

	if (!arr->spoilt_version)
		return 0;
	lr = raizn_log_record_alloc(&arr->general_pool, log, RAIZN_REC_SPOILT,
				    raizn_spoilt_payload(raizn_relocation_nr(arr)));
	raizn_relocation_fill(arr, lr->rec);
	return checkpoint_append(log, lr, false);
}

/*
 * Move a general log to a new zone with a complete checkpoint, then drop the old zone.  The
 * CHECKPOINT record makes the new zone count, so all records that it vouches for are
 * flushed before it.  md_mutex is held: no other record can come between.
 */
static int general_switch(struct raizn_log *log, bool drop)
{
	struct raizn_array *arr = log->member->arr;
	struct raizn_log_record *lr;
	struct raizn_log_space old;
	u64 seq;
	int err;

	log->checkpoint = 0;
	err = raizn_log_open_zone(log, &old, &seq);
	if (!err)
		err = checkpoint_zone_table(log);
	if (!err)
		err = checkpoint_zone_map(log);
	if (!err)
		err = checkpoint_bad_blocks(log);
	if (!err)
		err = checkpoint_spoilt(log);
	if (!err)
		err = raizn_flush_members(arr);
	if (err)
		return err;

	lr = raizn_log_record_alloc(&arr->general_pool, log,
				    RAIZN_REC_CHECKPOINT, 0);
	lr->rec->start = cpu_to_le64(seq);
	err = checkpoint_append(log, lr, true);
	log->checkpoint = log->used;
	if (!err && drop)
		err = raizn_log_drop_zone(log, &old);
	return err;
}

/*
 * Is a log to switch because more than @bytes were appended behind its checkpoint, and more than
 * the checkpoint has?  So no more is written again than was appended.  Such a switch can wait: an
 * empty log zone is left for the partial-parity log, which may be full at any time, and no more
 * zones are active than users may have.  md_mutex is held.
 */
static bool has_grown(struct raizn_log *log, u32 bytes)
{
	const struct raizn_array *arr = log->member->arr;
	u32 grown = log->used - log->checkpoint;

	lockdep_assert_held(&arr->md_mutex);
	return grown > max(bytes >> SECTOR_SHIFT, log->checkpoint) &&
	       READ_ONCE(arr->nr_active) <= raizn_places(arr) && raizn_log_may_move(log);
}

/**
 * struct general_record - contents of a record of the array
 * @type:	enum raizn_record_type
 * @zone:	logical zone number or RAIZN_ZONE_ALL
 * @generation:	see struct raizn_record
 * @start:	see struct raizn_record
 * @flags:	see struct raizn_record
 * @column:	ZONE_MAP: column that moves
 * @entry:	ZONE_MAP: new entry of the column, RAIZN_PLACE_*
 */
struct general_record {
	u16 type;
	u32 zone;
	u64 generation;
	u64 start;
	u32 flags;
	u32 column;
	u32 entry;
};

static void fill_record(struct raizn_log_record *lr,
			const struct general_record *what)
{
	struct raizn_record *rec = lr->rec;

	rec->zone = cpu_to_le32(what->zone);
	rec->generation = cpu_to_le64(what->generation);
	rec->start = cpu_to_le64(what->start);
	rec->flags = cpu_to_le32(what->flags);
	if (what->type == RAIZN_REC_SUPERBLOCK) {
		raizn_fill_superblock(lr->log->member, rec);
	} else if (what->type == RAIZN_REC_ZONE_MAP) {
		rec->zone = 0;
		memset(rec + 1, 0, le32_to_cpu(rec->payload_len));
		raizn_zone_map_add(&lr->log->member->arr->geo, rec, what->zone, what->column,
				   what->entry);
	} else if (what->type == RAIZN_REC_BAD_BLOCKS) {
		raizn_bad_blocks_fill(rec, lr->log->member->arr->bad);
	} else if (what->type == RAIZN_REC_SPOILT) {
		raizn_relocation_fill(lr->log->member->arr, rec);
	}
}

/* Payload bytes of a record outside a checkpoint.  md_mutex is held. */
static u32 payload_of(struct raizn_array *arr, u16 type)
{
	switch (type) {
	case RAIZN_REC_ZONE_MAP:
		return raizn_zone_map_payload(1);
	case RAIZN_REC_BAD_BLOCKS:
		return raizn_bad_blocks_payload(arr->bad->nr);
	case RAIZN_REC_SPOILT:
		return raizn_spoilt_payload(raizn_relocation_nr(arr));
	default:
		return 0;
	}
}

/* Append one record to the general logs of all live members. */
static int try_append(struct raizn_array *arr, struct raizn_group *group,
		      const struct general_record *what)
{
	u32 payload = payload_of(arr, what->type);
	u32 sectors = (RAIZN_BLOCK_SIZE + payload) >> SECTOR_SHIFT;
	struct raizn_log_space space;
	struct raizn_log_record *lr;
	struct raizn_log *log;
	u64 seq = 0;
	u32 slot;
	int err;

	lockdep_assert_held(&arr->md_mutex);
	/* A record must not follow a failed one that it may rely on. */
	if (raizn_array_failed(arr))
		return -EIO;
	/*
	 * Find space on all members first: a switch writes a checkpoint, which must not
	 * come between the sequence number and the record.
	 */
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		log = arr->members[slot].general;
		if (!raizn_member_live(log->member))
			continue;
		if (!has_grown(log, GROWN_RUNNING) &&
		    raizn_log_reserve(log, sectors, RAIZN_CLAIM_RECORD, &space)) {
			raizn_log_unreserve(log, sectors, &space);
			continue;
		}
		err = general_switch(log, true);
		if (err && raizn_member_live(log->member))
			return err;
	}

	seq = atomic64_inc_return(&arr->seq);
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		log = arr->members[slot].general;
		if (!raizn_member_live(log->member))
			continue;
		lr = raizn_log_record_alloc(&arr->general_pool, log, what->type,
					    payload);
		if (!raizn_log_reserve(log, sectors, RAIZN_CLAIM_RECORD, &lr->space)) {
			raizn_log_record_free(lr);
			if (!raizn_member_live(log->member))
				continue;
			return -ENOSPC;
		}
		fill_record(lr, what);
		lr->done = raizn_log_done;
		lr->private = group;
		raizn_group_get(group);
		raizn_log_submit(lr, seq, true);
	}
	return 0;
}

/*
 * Append a record as try_append(), and stop writing if that fails, because members and
 * memory no longer agree on the records.  md_mutex is held.  @group collects the
 * completions.
 */
static int general_append(struct raizn_array *arr, struct raizn_group *group,
			  const struct general_record *what)
{
	int err = try_append(arr, group, what);

	if (err)
		raizn_array_fail(arr, "general log", errno_to_blk_status(err));
	return err;
}

/* Log the list of rows that are spoilt in place, in a new version.  md_mutex is held. */
static int append_spoilt(struct raizn_array *arr)
{
	struct general_record what = { .type = RAIZN_REC_SPOILT };
	struct raizn_group group;
	int err, err2;

	raizn_group_init(&group);
	arr->spoilt_version++;
	err = general_append(arr, &group, &what);
	err2 = raizn_group_wait(&group);
	if (!err)
		err = err2;
	if (!err)
		arr->spoilt_unlogged = false;
	return err;
}

/**
 * raizn_general_reset() - log the intent to reset, or that a reset is done
 * @arr:	array
 * @zone:	logical zone number or RAIZN_ZONE_ALL
 * @flags:	RAIZN_RESET_INTENT or RAIZN_RESET_DONE
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_reset(struct raizn_array *arr, u32 zone, u32 flags)
{
	bool all = zone == RAIZN_ZONE_ALL;
	u32 first = all ? 0 : zone;
	u32 last = all ? arr->geo.nr_zones - 1 : zone;
	struct general_record what = {
		.type = RAIZN_REC_RESET, .zone = zone, .flags = flags,
	};
	struct raizn_zone_state *zs;
	struct raizn_group group;
	bool gone = false, spoilt = false;
	int err = 0, err2;
	u32 i;

	raizn_group_init(&group);
	mutex_lock(&arr->md_mutex);
	what.generation = all ? 0 : arr->zone_state[zone].generation;
	/* Acceptance of a reset and the start have checked this before. */
	for (i = first; i <= last; i++)
		if (arr->zone_state[i].generation >= RAIZN_GENERATION_MAX &&
		    (flags & RAIZN_RESET_INTENT ||
		     arr->zone_state[i].flags & RAIZN_ZONE_RESETTING))
			err = -EOVERFLOW;
	if (!err)
		err = general_append(arr, &group, &what);
	for (i = first; !err && i <= last; i++) {
		zs = &arr->zone_state[i];
		if (flags & RAIZN_RESET_INTENT) {
			zs->flags |= RAIZN_ZONE_RESETTING;
		} else if (zs->flags & RAIZN_ZONE_RESETTING) {
			zs->generation++;
			zs->flags = 0;
			zs->wp = 0;
			gone |= raizn_bad_end_of_life(&arr->zones[i]);
			spoilt |= raizn_relocation_drop(&arr->zones[i], U32_MAX);
		}
	}
	/* The entries in the list are void in the new generation, so they may go later. */
	if (!err && spoilt)
		err = append_spoilt(arr);
	mutex_unlock(&arr->md_mutex);
	/* These blocks may have kept a member with too many errors from being given up. */
	if (gone)
		raizn_rebuild_eased(arr);
	err2 = raizn_group_wait(&group);
	return err ? err : err2;
}

/**
 * raizn_general_finish() - log that a zone is finished at a write pointer
 * @arr:	array
 * @zone:	logical zone number
 * @wp:		write pointer of the zone (sectors in the zone)
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_finish(struct raizn_array *arr, u32 zone, u32 wp)
{
	struct general_record what = {
		.type = RAIZN_REC_FINISH, .zone = zone, .start = wp,
	};
	struct raizn_group group;
	int err, err2;

	raizn_group_init(&group);
	mutex_lock(&arr->md_mutex);
	what.generation = arr->zone_state[zone].generation;
	err = general_append(arr, &group, &what);
	if (!err) {
		arr->zone_state[zone].flags |= RAIZN_ZONE_FINISHED;
		arr->zone_state[zone].wp = wp;
	}
	mutex_unlock(&arr->md_mutex);
	err2 = raizn_group_wait(&group);
	return err ? err : err2;
}

/* Allocate the zone map, which most arrays never need.  md_mutex is held. */
static int have_map(struct raizn_array *arr)
{
	size_t nr = (size_t)arr->geo.nr_zones * arr->geo.nr_members;
	unsigned int noio;
	u32 *entries;

	lockdep_assert_held(&arr->md_mutex);
	if (arr->map.entries)
		return 0;
	/* Memory must not be freed by writing to the array. */
	noio = memalloc_noio_save();
	entries = kvcalloc(nr, sizeof(u32), GFP_KERNEL);
	memalloc_noio_restore(noio);
	/* Readers of the map take no lock. */
	smp_store_release(&arr->map.entries, entries);
	return entries ? 0 : -ENOMEM;
}

static void set_entry(struct raizn_array *arr, u32 zone, u32 column, u32 entry)
{
	WRITE_ONCE(arr->map.entries[raizn_zone_map_index(&arr->geo, zone, column)], entry);
}

/* Entry of a column that is whole in a member zone. */
static u32 entry_of(const struct raizn_array *arr, u32 zone, u32 column, u32 physical)
{
	u32 slot = raizn_zone_map_slot(&arr->geo, &arr->map, zone, column);
	bool rebuilding = READ_ONCE(arr->rebuilding) & BIT(slot);

	return raizn_zone_map_moved(&arr->geo, &arr->map, zone, column, physical, rebuilding);
}

/*
 * A column leaves its place, or begins from its start there: its rows are not spoilt any more.
 * That is durable before the place is used again, in this life of the zone.  md_mutex is held.
 */
static int forget_spoilt(struct raizn_array *arr, u32 zone, u32 column)
{
	return raizn_relocation_drop(&arr->zones[zone], BIT(column)) ? append_spoilt(arr) : 0;
}

/**
 * raizn_general_map() - log that a column has another member zone, or is whole in its own
 * @arr:	array
 * @zone:	logical zone number
 * @column:	column
 * @physical:	member zone, counted from the first reserved one, or RAIZN_NOWHERE
 *
 * A column of a member that is being rebuilt is marked as whole.
 *
 * Durable on all members on return.  Context: process; the column is not in use.
 * Return: 0 or -errno.
 */
int raizn_general_map(struct raizn_array *arr, u32 zone, u32 column,
		      u32 physical)
{
	struct general_record what = {
		.type = RAIZN_REC_ZONE_MAP, .zone = zone, .column = column,
	};
	struct raizn_group group;
	int err, err2;
	bool moves = false;

	raizn_group_init(&group);
	mutex_lock(&arr->md_mutex);
	what.entry = entry_of(arr, zone, column, physical);
	what.start = arr->map.version + 1;
	err = have_map(arr);
	if (!err)
		err = general_append(arr, &group, &what);
	if (!err) {
		arr->map.version++;
		moves = physical != raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
		set_entry(arr, zone, column, what.entry);
		/* Pairs with raizn_moves(). */
		smp_wmb();
		if (moves)
			WRITE_ONCE(arr->moves, arr->moves + 1);
	}
	err2 = raizn_group_wait(&group);
	if (!err && !err2 && moves)
		err = forget_spoilt(arr, zone, column);
	mutex_unlock(&arr->md_mutex);
	return err ? err : err2;
}

/**
 * raizn_general_forget_spoilt() - log that rows of a column are not spoilt any more
 * @arr:	array
 * @zone:	logical zone number
 * @column:	column that has no data, or does not count and was emptied
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_forget_spoilt(struct raizn_array *arr, u32 zone, u32 column)
{
	int err;

	mutex_lock(&arr->md_mutex);
	err = forget_spoilt(arr, zone, column);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_general_drop_spoilt() - forget that rows of a column are spoilt
 * @z:		zone
 * @column:	column whose member zone was emptied, and that does not take part
 *
 * The list is to be logged later, by raizn_general_spoilt() or in a checkpoint.  Until then the
 * next start finds an empty column with spoilt rows, which does not count, either.
 *
 * Context: process.
 */
void raizn_general_drop_spoilt(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;

	mutex_lock(&arr->md_mutex);
	if (raizn_relocation_drop(z, BIT(column))) {
		arr->spoilt_version++;
		arr->spoilt_unlogged = true;
	}
	mutex_unlock(&arr->md_mutex);
}

/**
 * raizn_general_forget_member() - log that a member has no rows that are spoilt in place
 * @m:		member on a new drive, with its logs begun
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_forget_member(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	bool any = false;
	u32 i, column;
	int err = 0;

	mutex_lock(&arr->md_mutex);
	for (i = 0; i < arr->geo.nr_zones; i++) {
		column = raizn_zone_column(&arr->zones[i], m->slot);
		any |= raizn_relocation_drop(&arr->zones[i], BIT(column));
	}
	if (any)
		err = append_spoilt(arr);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_general_spoilt() - log the list of rows that are spoilt in place
 * @arr:	array that takes no I/O yet, with a new list
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_spoilt(struct raizn_array *arr)
{
	int err;

	mutex_lock(&arr->md_mutex);
	err = append_spoilt(arr);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/* Mark a column, or remove its mark.  Returns whether that changed the map. */
static bool mark_column(struct raizn_array *arr, u32 zone, u32 column, bool whole)
{
	u32 old = raizn_zone_map_entry(&arr->geo, &arr->map, zone, column);
	u32 new = whole ? old | RAIZN_PLACE_WHOLE : old & ~RAIZN_PLACE_WHOLE;

	lockdep_assert_held(&arr->md_mutex);
	if ((old & RAIZN_PLACE_ZONE) == RAIZN_PLACE_NOWHERE || old == new)
		return false;
	set_entry(arr, zone, column, new);
	return true;
}

/* The map is allocated only for a mark.  Returns as raizn_general_mark_later(). */
static int choose_marks(struct raizn_array *arr, u32 slots, raizn_mark_fn *whole,
			const void *data)
{
	bool changed = false;
	u32 zone, left, column;
	bool mark;

	for (zone = 0; (whole || arr->map.entries) && zone < arr->geo.nr_zones; zone++) {
		for (left = slots; left; left &= left - 1) {
			column = raizn_zone_column(&arr->zones[zone], __ffs(left));
			mark = whole && whole(&arr->zones[zone], column, data);
			if (mark && have_map(arr))
				return -ENOMEM;
			changed |= arr->map.entries && mark_column(arr, zone, column, mark);
		}
	}
	arr->map.version += changed;
	return changed;
}

/*
 * Write a checkpoint to every general log that has grown by more than @bytes; to all of them if
 * that is 0.  md_mutex is held.
 */
static int checkpoint_logs(struct raizn_array *arr, u32 bytes)
{
	struct raizn_log *log;
	u32 slot;
	int err;

	lockdep_assert_held(&arr->md_mutex);
	if (raizn_array_failed(arr))
		return -EIO;
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		log = arr->members[slot].general;
		if (!raizn_member_live(log->member) || !log->ready ||
		    (bytes && !has_grown(log, bytes)))
			continue;
		err = general_switch(log, true);
		if (err && raizn_member_live(log->member)) {
			raizn_array_fail(arr, "general log", errno_to_blk_status(err));
			return err;
		}
	}
	return 0;
}

/**
 * raizn_general_mark_later() - choose which columns of members the next checkpoint marks
 * @arr:	array
 * @slots:	members (bit by slot)
 * @whole:	is a column whole that has a place?  NULL: remove the marks
 * @data:	for @whole
 *
 * Context: process.  Return: 1 if marks have changed, 0 if not, or -ENOMEM.
 */
int raizn_general_mark_later(struct raizn_array *arr, u32 slots, raizn_mark_fn *whole,
			     const void *data)
{
	int ret;

	mutex_lock(&arr->md_mutex);
	ret = choose_marks(arr, slots, whole, data);
	mutex_unlock(&arr->md_mutex);
	return ret;
}

/**
 * raizn_general_mark() - record which columns of members are whole
 * @arr:	array
 * @slots:	members (bit by slot)
 * @whole:	is a column whole that has a place?  NULL: remove the marks
 * @data:	for @whole
 *
 * All changes are in one checkpoint for each member: there may be one for each zone.  While a
 * member is being rebuilt, its marked columns count.  Marks of missing members may count when they
 * are back, see raizn_column_stays_kept(); marks of others mean nothing.
 *
 * Durable on all members that have a log on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_mark(struct raizn_array *arr, u32 slots, raizn_mark_fn *whole,
		       const void *data)
{
	int ret;

	mutex_lock(&arr->md_mutex);
	ret = choose_marks(arr, slots, whole, data);
	if (ret > 0)
		ret = checkpoint_logs(arr, 0);
	mutex_unlock(&arr->md_mutex);
	return ret;
}

/*
 * If no member is failed, none can come back with an old state of a zone: see
 * raizn_general_joined().  Returns whether that changed the zone table.
 */
static bool trust_all(struct raizn_array *arr)
{
	bool changed = false;
	u32 i;

	lockdep_assert_held(&arr->md_mutex);
	for (i = 0; !READ_ONCE(arr->dead) && i < arr->geo.nr_zones; i++) {
		changed |= arr->zone_state[i].flags & RAIZN_ZONE_TRUNCATED;
		arr->zone_state[i].flags &= ~RAIZN_ZONE_TRUNCATED;
	}
	return changed;
}

/**
 * raizn_general_joined() - record which columns are whole of a member that has joined
 * @m:		member that all superblocks call rebuilding, without data that does not count
 * @whole:	is a column whole that has a place?
 *
 * As raizn_general_mark().  If no member is failed now, all zones lose RAIZN_ZONE_TRUNCATED, too:
 * if this member is away again, its data is right then, except in zones recovered without it.
 *
 *	crash after		the next start finds
 *	superblock on all	a member that is rebuilt, and the flags
 *	checkpoint on some	the same: flags of all logs count.  Without the members that
 *				have the flags, or with checkpoints on all, zones without them
 *
 * With the flags, data of a member that is missing then is not believed when it is back, though it
 * is right.  Without them it is, unless the start without it recovers the zone: that sets them.
 *
 * Durable on all members that have a log on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_joined(struct raizn_member *m, raizn_mark_fn *whole)
{
	struct raizn_array *arr = m->arr;
	int ret;

	mutex_lock(&arr->md_mutex);
	ret = choose_marks(arr, BIT(m->slot), whole, NULL);
	if (ret >= 0 && (trust_all(arr) || ret))
		ret = checkpoint_logs(arr, 0);
	mutex_unlock(&arr->md_mutex);
	return ret;
}

/**
 * raizn_general_bad_blocks() - log the list of lost blocks
 * @arr:	array; arr->bad has a new version
 *
 * Durable on all members on return.  Context: process, md_mutex is held.
 * Return: 0 or -errno.
 */
int raizn_general_bad_blocks(struct raizn_array *arr)
{
	struct general_record what = { .type = RAIZN_REC_BAD_BLOCKS };
	struct raizn_group group;
	int err, err2;

	raizn_group_init(&group);
	err = general_append(arr, &group, &what);
	err2 = raizn_group_wait(&group);
	return err ? err : err2;
}

/*
 * Prepare the next superblock: count an event and set the clean flag.  The superblock names
 * the one that it replaces, which all members have except those that the replaced one calls
 * failed: see raizn_join_claims().  md_mutex is held; one such superblock is written at a
 * time.
 */
static void superblock_change(struct raizn_array *arr, u32 failed, bool clean)
{
	u32 flags = le32_to_cpu(arr->sb.flags) & ~RAIZN_SB_CLEAN;
	u64 base = arr->base_event;
	u64 left;
	u8 state;
	u32 slot;

	lockdep_assert_held(&arr->md_mutex);
	spin_lock(&arr->sb_lock);
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		left = min(le64_to_cpu(arr->sb.members[slot].event), base - 1);
		arr->sb.members[slot].event =
			cpu_to_le64(arr->base_failed & BIT(slot) ? left : base);
		state = raizn_member_state(&arr->members[slot]);
		/* Members that failed after @failed was read are for the next superblock. */
		if (failed & BIT(slot))
			arr->sb.members[slot].state = RAIZN_MEMBER_FAILED;
		else if (state != RAIZN_MEMBER_FAILED)
			arr->sb.members[slot].state = state;
	}
	raizn_scrub_store(arr);
	arr->event++;
	arr->sb.event = cpu_to_le64(arr->event);
	arr->sb.flags = cpu_to_le32(flags | (clean ? RAIZN_SB_CLEAN : 0));
	spin_unlock(&arr->sb_lock);
	arr->base_event = arr->event;
	arr->base_failed = failed;
}

/* Find the members that the next superblock calls failed, if it may.  md_mutex is held. */
static int judge_failed(struct raizn_array *arr, u32 *failed)
{
	u32 failing;

	*failed = READ_ONCE(arr->dead);
	/* Read the failed members first: the state of the zones is then at least as new. */
	smp_rmb();
	failing = *failed & ~arr->base_failed;
	return unlikely(failing) ? raizn_judge_members(arr, failing) : 0;
}

/* See raizn_general_superblock().  md_mutex is held. */
static int write_superblock(struct raizn_array *arr, bool clean)
{
	struct general_record what = {
		.type = RAIZN_REC_SUPERBLOCK, .zone = RAIZN_ZONE_ALL,
	};
	struct raizn_group group;
	int err, err2;
	u32 failed;

	raizn_group_init(&group);
	err = judge_failed(arr, &failed);
	if (!err) {
		superblock_change(arr, failed, clean);
		err = general_append(arr, &group, &what);
	}
	err2 = raizn_group_wait(&group);
	return err ? err : err2;
}

/**
 * raizn_general_superblock() - write a new superblock to all members
 * @arr:	array
 * @clean:	the array is stopped and will need no recovery
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_superblock(struct raizn_array *arr, bool clean)
{
	int err;

	mutex_lock(&arr->md_mutex);
	err = write_superblock(arr, clean);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/*
 * Write a superblock with new settings or a new position of the scrub.  Not during a start
 * or the join of a member: each of their superblocks commits one of their steps, and has
 * the new values, too.
 */
static int write_what_is_new(struct raizn_array *arr)
{
	return raizn_array_in_use(arr) ? write_superblock(arr, false) : 0;
}

/**
 * raizn_general_settings() - save the settings of the owner in the superblocks
 * @arr:	array
 *
 * Durable on all members on return, unless the array is starting or suspended: then the
 * next superblock has the settings.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_settings(struct raizn_array *arr)
{
	int err;

	mutex_lock(&arr->md_mutex);
	raizn_settings_store(arr);
	err = write_what_is_new(arr);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_general_note() - save the position of the scrub in the superblocks
 * @arr:	array
 *
 * As raizn_general_settings().  Context: process.  Return: 0 or -errno.
 */
int raizn_general_note(struct raizn_array *arr)
{
	int err;

	mutex_lock(&arr->md_mutex);
	err = write_what_is_new(arr);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_general_surplus() - record that columns may be in surplus zones
 * @arr:	array that is started, and not suspended
 *
 * Modules that do not know surplus zones refuse the array from then on.  They would not empty such
 * a zone, either, so this comes before the first write of a job to one.  A start that needs surplus
 * zones has the bit in its first superblocks instead, see persist_joined().
 *
 *	crash after		the next start finds
 *	superblock on some	the array as it was; older modules may refuse it
 *	... on all		the same
 *	part of a copy		a copy in a surplus zone that belongs to no column
 *	ZONE_MAP record, FUA	the column in the surplus zone
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_surplus(struct raizn_array *arr)
{
	int err = 0;

	mutex_lock(&arr->md_mutex);
	if (!raizn_has_surplus(arr)) {
		spin_lock(&arr->sb_lock);
		arr->sb.incompat |= cpu_to_le64(RAIZN_INCOMPAT_SURPLUS);
		spin_unlock(&arr->sb_lock);
		/* An error stops all writing to the array. */
		err = write_superblock(arr, false);
	} else if (raizn_array_failed(arr)) {
		err = -EIO;
	}
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_general_whole() - record that a member holds all of its columns
 * @arr:	array; the state of the member is active
 *
 * If no member is failed, all zones lose RAIZN_ZONE_TRUNCATED, see raizn_general_joined().
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_whole(struct raizn_array *arr)
{
	mutex_lock(&arr->md_mutex);
	trust_all(arr);
	mutex_unlock(&arr->md_mutex);
	return raizn_general_superblock(arr, false);
}

/* Set @uuid, which is one of the superblock in memory. */
static void set_uuid(struct raizn_array *arr, u8 *uuid, const u8 *value)
{
	lockdep_assert_held(&arr->md_mutex);
	spin_lock(&arr->sb_lock);
	memcpy(uuid, value, RAIZN_UUID_SIZE);
	spin_unlock(&arr->sb_lock);
}

/**
 * raizn_general_join() - begin the general log of a member that joins the array
 * @m:		member without logs, live as of now
 *
 * The log of the member comes first, so that no other log names a member without a log.
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_join(struct raizn_member *m)
{
	struct general_record what = {
		.type = RAIZN_REC_SUPERBLOCK, .zone = RAIZN_ZONE_ALL,
	};
	struct raizn_array *arr = m->arr;
	u8 *uuid = arr->sb.members[m->slot].uuid;
	u8 before[RAIZN_UUID_SIZE];
	struct raizn_group group;
	u32 base_failed, failed;
	u64 base_event;
	int err, err2;

	raizn_group_init(&group);
	mutex_lock(&arr->md_mutex);
	base_event = arr->base_event;
	base_failed = arr->base_failed;
	memcpy(before, uuid, RAIZN_UUID_SIZE);
	err = judge_failed(arr, &failed);
	if (err)
		goto out;
	set_uuid(arr, uuid, m->uuid);
	superblock_change(arr, failed, false);
	err = general_switch(m->general, false);
	if (err) {
		/* The next superblock does not replace one that no other member has. */
		arr->base_event = base_event;
		arr->base_failed = base_failed;
		/* The former member still has the slot, and may come back. */
		set_uuid(arr, uuid, before);
	} else {
		err = general_append(arr, &group, &what);
	}
out:
	err2 = raizn_group_wait(&group);
	mutex_unlock(&arr->md_mutex);
	return err ? err : err2;
}

/* Begin a fresh general log on live members (bit by slot).  md_mutex is held. */
static int start_logs(struct raizn_array *arr, u32 slots)
{
	struct raizn_log *log;
	int err = 0;
	u32 slot;

	for (slot = 0; !err && slot < arr->geo.nr_members; slot++) {
		log = arr->members[slot].general;
		if (slots & BIT(slot) && raizn_member_live(log->member))
			err = general_switch(log, log->ready);
	}
	return err;
}

/**
 * raizn_general_start() - begin a fresh general log on all live members
 * @arr:	assembled array that takes no I/O yet
 * @first:	members (bit by slot) that get it before the others
 *
 * The new superblocks say that the array is running.  A log that an earlier start
 * left behind stays for raizn_drop_logs().
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_general_start(struct raizn_array *arr, u32 first)
{
	int err;

	mutex_lock(&arr->md_mutex);
	superblock_change(arr, READ_ONCE(arr->dead), false);
	err = start_logs(arr, first);
	if (!err)
		err = start_logs(arr, ~first);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_general_tidy() - switch general logs that have grown before a clean stop
 * @arr:	array without I/O, all of whose data is durable
 *
 * Logs with few records behind the checkpoint stay as they are.  If a log was switched, a
 * superblock that says "not clean" follows: a log whose newest record cannot be read is trusted
 * if the one before is newer than all other logs, and a checkpoint is not, see
 * goes_beyond_resets().
 *
 *	crash after		the next start finds
 *	a switch of a log	the same, and an array that was not stopped cleanly
 *	all of them		the same
 *	superblock on some	the same
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_general_tidy(struct raizn_array *arr)
{
	const struct raizn_log *log;
	bool bare = false;
	u32 slot;
	int err;

	mutex_lock(&arr->md_mutex);
	err = checkpoint_logs(arr, GROWN_AT_STOP);
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		log = arr->members[slot].general;
		bare |= raizn_member_live(log->member) && log->used == log->checkpoint;
	}
	mutex_unlock(&arr->md_mutex);
	return err || !bare ? err : raizn_general_superblock(arr, false);
}
