// SPDX-License-Identifier: GPL-2.0
/*
 * Partial-parity records: they protect the incomplete stripe at the write
 * pointer once a flush, FUA or write_cache=through needs that.
 *
 * A record holds the parity of rows over all data below its @end.  A record made by a flush
 * carries only the rows that changed since the zone's previous record; recovery looks rows
 * up in older records as well.
 */
#include "io/io.h"

/* Payload of the largest record, in sectors. */
#define PP_ROWS_MAX	((RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE) >> SECTOR_SHIFT)

/* Log space of @nr_rows rows, headers included. */
static u32 rows_sectors(u32 nr_rows)
{
	u32 full = nr_rows / PP_ROWS_MAX;
	u32 rest = nr_rows % PP_ROWS_MAX;
	u32 sectors = full * (RAIZN_RECORD_MAX >> SECTOR_SHIFT);

	if (rest)
		sectors += RAIZN_BLOCK_SECTORS +
			   round_up(rest, RAIZN_BLOCK_SECTORS);
	return sectors;
}

/* Copy @nr rows from @row on, modulo the stripe unit. */
static void copy_parity_rows(const struct raizn_geometry *geo, void *to,
			     const void *unit, u32 row, u32 nr)
{
	u32 head = min(nr, geo->su - row);

	memcpy(to, unit + (row << SECTOR_SHIFT), head << SECTOR_SHIFT);
	memcpy(to + (head << SECTOR_SHIFT), unit, (nr - head) << SECTOR_SHIFT);
}

static void pp_done(struct raizn_log_record *lr, blk_status_t status)
{
	struct raizn_batch *batch = lr->private;

	raizn_log_record_free(lr);
	if (unlikely(status))
		WRITE_ONCE(batch->status, status);
	raizn_batch_put(batch);
}

/*
 * Append the parity rows that data in [@start, oz->issued) touches, all of one
 * stripe, to the log of one parity member.  Space is claimed.
 */
static void append_rows(struct raizn_open_zone *oz, struct raizn_batch *batch,
			struct raizn_log *log, u32 parity, u32 start,
			const struct raizn_log_space *space)
{
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = raizn_zone_number(oz->zone);
	u32 nr_rows = min(oz->issued - start, geo->su);
	u32 row = start & (geo->su - 1);
	struct raizn_log_record *lr;
	u32 payload;
	u32 nr;

	for (; nr_rows; nr_rows -= nr) {
		nr = min(nr_rows, PP_ROWS_MAX);
		payload = round_up(nr << SECTOR_SHIFT, RAIZN_BLOCK_SIZE);
		lr = raizn_log_record_alloc(&arr->pp_pool, log,
					    RAIZN_REC_PARTIAL_PARITY, payload);
		lr->space = *space;
		lr->rec->parity = parity;
		lr->rec->zone = cpu_to_le32(zone);
		/* The caller has claimed the zone: a reset of it cannot race. */
		lr->rec->generation =
			cpu_to_le64(READ_ONCE(arr->zone_state[zone].generation));
		lr->rec->start = cpu_to_le64(start);
		lr->rec->end = cpu_to_le64(oz->issued);
		lr->rec->row = cpu_to_le32(row);
		lr->rec->nr_rows = cpu_to_le32(nr);
		copy_parity_rows(geo, lr->rec + 1, oz->parity[parity]->data, row, nr);
		memset((void *)(lr->rec + 1) + (nr << SECTOR_SHIFT), 0,
		       payload - (nr << SECTOR_SHIFT));
		row = (row + nr) & (geo->su - 1);
		lr->done = pp_done;
		lr->private = batch;
		atomic_inc(&batch->refs);
		/* Flushes of the members do not wait for the record: see flush.c. */
		raizn_log_submit(lr, atomic64_inc_return(&arr->seq), true);
	}
}

/* Log of the member that the column of a parity of the tail belongs to. */
static struct raizn_log *tail_log(struct raizn_open_zone *oz, u32 parity)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 stripe = oz->issued / geo->stripe;
	u32 pc = raizn_parity_column(geo, raizn_zone_number(oz->zone), stripe);

	return raizn_zone_member(oz->zone, raizn_parity_column_nth(geo, pc, parity))->pp;
}

/**
 * raizn_pp_issue() - log the rows of the tail that are not logged yet
 * @oz:		open zone; everything up to oz->issued is in its running parity
 * @batch:	last batch of the zone so far, in which the records are counted
 *
 * Context: the caller has claimed the zone.
 * Return: false if a log has no space.  Nothing is written then; the log switches, and
 * wakes the worker after that.
 */
bool raizn_pp_issue(struct raizn_open_zone *oz, struct raizn_batch *batch)
{
	struct raizn_array *arr = oz->zone->arr;
	struct raizn_log_space space[RAIZN_MAX_PARITY];
	u32 base = rounddown(oz->issued, arr->geo.stripe);
	u32 start = max(oz->logged, base);
	struct raizn_log *log;
	u32 reserved = 0;
	u32 sectors;
	u32 i;

	if (!raizn_running_parities(&arr->geo))
		start = oz->issued;
	if (start == oz->issued) {
		batch->has_pp = true;
		return true;
	}

	sectors = rows_sectors(min(oz->issued - start, arr->geo.su));
	for (i = 0; i < arr->geo.nr_parity; i++) {
		log = tail_log(oz, i);
		if (!raizn_member_live(log->member))
			continue;
		if (raizn_log_reserve(log, sectors, RAIZN_CLAIM_RECORD, &space[i])) {
			reserved |= BIT(i);
			continue;
		}
		raizn_log_request_switch(log);
		while (i--)
			if (reserved & BIT(i))
				raizn_log_unreserve(tail_log(oz, i), sectors,
						    &space[i]);
		return false;
	}

	for (i = 0; i < arr->geo.nr_parity; i++)
		if (reserved & BIT(i))
			append_rows(oz, batch, tail_log(oz, i), i, start,
				    &space[i]);
	oz->logged = oz->issued;
	batch->has_pp = true;
	return true;
}

/**
 * raizn_pp_relog() - log the whole tail again for a log switch
 * @oz:		open zone with oz->relog set
 * @batch:	empty batch to count the record in
 *
 * Writes nothing when the switching member holds no parity of the tail.
 *
 * Context: the zone's worker.
 * Return: false if there is no space, which the switch rules out by keeping some back; the
 * array cannot go on then.
 */
bool raizn_pp_relog(struct raizn_open_zone *oz, struct raizn_batch *batch)
{
	struct raizn_array *arr = oz->zone->arr;
	u32 base = rounddown(oz->issued, arr->geo.stripe);
	struct raizn_log_space space;
	struct raizn_log *log;
	u32 sectors;
	u32 i;

	batch->relog = true;
	/* A finished zone has its tail's parity in place, and its buffer is gone. */
	if (base == oz->issued || !oz->parity[0])
		return true;

	sectors = rows_sectors(min(oz->issued - base, arr->geo.su));
	for (i = 0; i < arr->geo.nr_parity; i++) {
		log = tail_log(oz, i);
		if (log->member->slot != arr->relog->slot)
			continue;
		if (!raizn_log_reserve(log, sectors, RAIZN_CLAIM_SWITCH, &space))
			return false;
		append_rows(oz, batch, log, i, base, &space);
		/* With one parity column the whole tail is logged now. */
		if (arr->geo.nr_parity == 1) {
			oz->logged = oz->issued;
			batch->has_pp = true;
		}
	}
	return true;
}
