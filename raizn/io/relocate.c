// SPDX-License-Identifier: GPL-2.0
/*
 * Writes of rows that are spoilt in place: their data goes to memory, and to the partial-parity log
 * of the member that the column belongs to, in RELOCATED records.  See section 5.2 of the RAIZN
 * paper.
 *
 * Each log zone has each row once, or twice if it was written while the log moved.  Space for that
 * is kept free in the log, so that writes do not wait for it.  If many small writes take more, the
 * zone does without the column, which is rebuilt elsewhere.
 *
 * When the log moves, the rows are logged again.  A row belongs to the log zone in which its writer
 * has claimed space, so it is either below @logged when the move looks, or goes to the new zone.
 */
#include "io/io.h"
#include "member/relocation.h"
#include "trace.h"

/* Log moves, at most, that a writer meets when it claims space. */
#define MAX_TRIES	4U

/* Payload of the largest record, in sectors. */
#define ROWS_MAX	((RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE) >> SECTOR_SHIFT)

static u32 record_sectors(u32 rows)
{
	return RAIZN_BLOCK_SECTORS + round_up(rows, RAIZN_BLOCK_SECTORS);
}

/**
 * raizn_relocate_cost() - log space for rows
 * @geo:	geometry
 * @rows:	rows (sectors)
 *
 * Return: sectors of a log zone, if each logical block gets a record of its own.
 */
u64 raizn_relocate_cost(const struct raizn_geometry *geo, u32 rows)
{
	return (u64)DIV_ROUND_UP(rows, geo->block) * record_sectors(geo->block);
}

/**
 * raizn_relocate_room() - log space that relocated rows of a member may ever take
 * @arr:	array
 *
 * Return: sectors.  Tails of zones may take half of a log zone.
 */
u64 raizn_relocate_room(const struct raizn_array *arr)
{
	return (arr->geo.member_zone_cap + arr->geo.member_zone_pad) / 4;
}

/**
 * raizn_relocate_room_now() - log space that relocated rows of a member may take by this start
 * @arr:	array
 *
 * A log zone begins with tails and relocated rows, and keeps space for as many.  The rest must
 * hold another record.
 *
 * Return: sectors, at most raizn_relocate_room().
 */
u64 raizn_relocate_room_now(const struct raizn_array *arr)
{
	u32 record = raizn_pp_record_sectors(&arr->geo);
	u64 taken = (2ULL * arr->nr_open_zones + 1) * record + RAIZN_BLOCK_SECTORS;
	u64 capacity = arr->geo.member_zone_cap + arr->geo.member_zone_pad;

	return capacity > taken ? min((capacity - taken) / 2, raizn_relocate_room(arr)) : 0;
}

/**
 * raizn_relocate_reserve() - keep space for relocated rows free in the logs
 * @arr:	array that takes no I/O yet
 *
 * Context: process.
 */
void raizn_relocate_reserve(struct raizn_array *arr)
{
	u32 tails = arr->nr_open_zones * raizn_pp_record_sectors(&arr->geo);
	u64 cost[RAIZN_MAX_MEMBERS] = { 0 };
	struct raizn_relocation *rel;
	struct raizn_log *log;
	u32 slot, n;

	for (n = 0; (rel = raizn_relocation_nth(arr, n)); n++) {
		slot = raizn_zone_member(&arr->zones[rel->rows.zone], rel->rows.column)->slot;
		cost[slot] += raizn_relocate_cost(&arr->geo, rel->rows.end - rel->rows.from);
		raizn_relocation_put(rel);
	}
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		log = arr->members[slot].pp;
		spin_lock_irq(&log->lock);
		log->tails = tails;
		log->reserve = tails + min(cost[slot], raizn_relocate_room(arr));
		spin_unlock_irq(&log->lock);
	}
}

static void copy_rows(struct raizn_relocation *rel, u32 row, struct page *page, u32 bytes,
		      u32 offset)
{
	void *data = kmap_local_page(page);

	raizn_relocation_write(rel, row, data + offset, bytes >> SECTOR_SHIFT);
	kunmap_local(data);
}

/**
 * raizn_relocate() - take over the rows of a fragment that are spoilt in place
 * @z:		zone
 * @column:	column that is in use
 * @row:	first row (sectors in the column)
 * @page:	data
 * @bytes:	its length, within a stripe unit
 * @offset:	its place in @page
 * @in_place:	set if the rows are to be written in place
 *
 * Context: the caller has claimed the zone.
 * Return: bytes, from the fragment's beginning on, that were taken over, or are for @in_place.
 */
u32 raizn_relocate(const struct raizn_zone *z, u32 column, u32 row, struct page *page, u32 bytes,
		   u32 offset, bool *in_place)
{
	struct raizn_relocation *rel;

	bytes = raizn_relocation_rows(z, column, row, bytes >> SECTOR_SHIFT, &rel) <<
		SECTOR_SHIFT;
	*in_place = !rel;
	if (!rel)
		return bytes;
	bytes = min_t(u32, bytes, PAGE_SIZE - offset % PAGE_SIZE);
	copy_rows(rel, row, page + offset / PAGE_SIZE, bytes, offset % PAGE_SIZE);
	raizn_relocation_put(rel);
	return bytes;
}

/* Make a record of @nr rows from @row on, within a stripe unit. */
static struct raizn_log_record *make_record(struct raizn_relocation *rel, struct raizn_log *log,
					    u32 row, u32 nr, enum raizn_relocated why)
{
	u32 bytes = nr << SECTOR_SHIFT, payload = round_up(bytes, RAIZN_BLOCK_SIZE);
	struct raizn_log_record *lr;

	lr = raizn_log_record_alloc(&rel->arr->pp_pool, log, RAIZN_REC_RELOCATED, payload);
	lr->rec->zone = cpu_to_le32(rel->rows.zone);
	lr->rec->generation = cpu_to_le64(rel->rows.generation);
	lr->rec->column = cpu_to_le16(rel->rows.column);
	lr->rec->start = cpu_to_le64(row);
	lr->rec->nr_rows = cpu_to_le32(nr);
	/* The rows are there. */
	raizn_relocation_read(rel, row, lr->rec + 1, nr);
	memset((void *)(lr->rec + 1) + bytes, 0, payload - bytes);
	trace_raizn_relocate(rel->rows.zone, rel->rows.column, row, nr, why);
	return lr;
}

static void relocated(struct raizn_log_record *lr, blk_status_t status)
{
	struct raizn_batch *batch = lr->private;

	raizn_log_record_free(lr);
	if (unlikely(status))
		WRITE_ONCE(batch->status, status);
	raizn_batch_put(batch);
}

/*
 * Claim space for the next rows that a batch has written, and call them logged, in one step, so
 * that a move of the log knows in which zone they are.  Returns false if there is no space.
 */
static bool claim(struct raizn_relocation *rel, struct raizn_log *log, u32 nr,
		  struct raizn_log_space *space)
{
	struct raizn_array *arr = rel->arr;
	bool claimed = false;
	u32 tries = 0;

	while (!claimed && tries++ < MAX_TRIES && raizn_member_live(log->member) &&
	       !raizn_array_failed(arr)) {
		/* A log that moves is ready without help of the zone's writer. */
		wait_event(arr->sync_wait, READ_ONCE(log->ready) || raizn_array_failed(arr) ||
			   !raizn_member_live(log->member));
		spin_lock_irq(&arr->relocation_lock);
		claimed = raizn_log_reserve(log, record_sectors(nr), RAIZN_CLAIM_RELOCATED, space);
		rel->logged += claimed ? nr : 0;
		spin_unlock_irq(&arr->relocation_lock);
	}
	if (unlikely(!claimed))
		rel->logged += nr;
	/* Not waited for: the move of another log may wait for the zone's writer. */
	if (READ_ONCE(log->used) > log->capacity - log->reserve)
		raizn_log_request_switch(log);
	return claimed;
}

/*
 * There is no space for rows of a column: the zone does without it.  Returns false if it cannot.
 */
static bool give_column_up(const struct raizn_relocation *rel)
{
	struct raizn_zone *z = &rel->arr->zones[rel->rows.zone];

	raizn_note_sound(z);
	return raizn_column_failed(z, rel->rows.column, "space for relocated rows",
				   BLK_STS_DEV_RESOURCE);
}

/* Log the rows of an entry that were written since the last time. */
static void log_rows(struct raizn_relocation *rel, struct raizn_log *log,
		     struct raizn_batch *batch)
{
	const u32 su = rel->arr->geo.su;
	struct raizn_log_record *lr;
	u32 row, nr;

	while ((row = rel->logged) < rel->filled &&
	       raizn_column_live(&rel->arr->zones[rel->rows.zone], rel->rows.column)) {
		nr = min3(rel->filled - row, ROWS_MAX, su - (row & (su - 1)));
		lr = make_record(rel, log, row, nr, RAIZN_RELOCATED_WRITTEN);
		if (!claim(rel, log, nr, &lr->space)) {
			raizn_log_record_free(lr);
			if (!give_column_up(rel))
				WRITE_ONCE(batch->status, BLK_STS_NOSPC);
			continue;
		}
		lr->done = relocated;
		lr->private = batch;
		atomic_inc(&batch->refs);
		raizn_log_submit(lr, atomic64_inc_return(&rel->arr->seq), batch->fua);
	}
	/* If the member is lost, and comes back, the log that it begins then has the other rows. */
	spin_lock_irq(&rel->arr->relocation_lock);
	rel->logged = rel->filled;
	spin_unlock_irq(&rel->arr->relocation_lock);
}

/**
 * raizn_relocate_log() - log the spoilt rows that a batch has written
 * @z:		zone with rows that are spoilt in place
 * @batch:	batch in which the records are counted
 *
 * Context: the caller has claimed the zone.
 */
void raizn_relocate_log(struct raizn_zone *z, struct raizn_batch *batch)
{
	struct raizn_relocation *rel;
	u32 column, row;

	for (column = 0; column < z->arr->geo.nr_members; column++) {
		row = 0;
		while ((rel = raizn_relocation_next(z, column, row))) {
			row = rel->rows.end;
			log_rows(rel, raizn_zone_member(z, column)->pp, batch);
			raizn_relocation_put(rel);
		}
	}
}

/* Log all rows of an entry again that are in the log zone that is left. */
static int log_again(struct raizn_relocation *rel, struct raizn_log *log)
{
	struct raizn_array *arr = rel->arr;
	struct raizn_log_record *lr;
	u32 row = rel->rows.from, end, nr;
	int err = 0;

	spin_lock_irq(&arr->relocation_lock);
	end = rel->logged;
	spin_unlock_irq(&arr->relocation_lock);
	while (!err && (nr = raizn_relocation_run(rel, &row, end))) {
		nr = min(nr, ROWS_MAX);
		lr = make_record(rel, log, row, nr, RAIZN_RELOCATED_CARRIED_ON);
		if (raizn_log_reserve(log, record_sectors(nr), RAIZN_CLAIM_SWITCH, &lr->space)) {
			err = raizn_log_append(lr, atomic64_inc_return(&arr->seq), false);
		} else {
			raizn_log_record_free(lr);
			return give_column_up(rel) ? 0 : -ENOSPC;
		}
		row += nr;
	}
	return err;
}

/**
 * raizn_relocate_again() - log the relocated rows of a member again, in a new log zone
 * @m:		member whose partial-parity log moves
 *
 * Not durable on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_relocate_again(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	struct raizn_relocation *rel;
	struct raizn_zone *z;
	int err = 0;
	u32 n;

	if (likely(list_empty(&arr->relocations)))
		return 0;
	/* No entry goes meanwhile. */
	mutex_lock(&arr->md_mutex);
	for (n = 0; !err && (rel = raizn_relocation_nth(arr, n)); n++) {
		z = &arr->zones[rel->rows.zone];
		if (raizn_zone_member(z, rel->rows.column) == m)
			err = log_again(rel, m->pp);
		raizn_relocation_put(rel);
	}
	mutex_unlock(&arr->md_mutex);
	if (err == -ENOSPC && !raizn_array_failed(arr))
		raizn_array_fail(arr, "space for relocated rows", BLK_STS_NOSPC);
	return err;
}
