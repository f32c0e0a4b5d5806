// SPDX-License-Identifier: GPL-2.0
/*
 * Rebuilding a column of a zone into another zone of its member, from the other
 * columns.
 *
 *   crash after		recovery finds
 *   some or all is written	the column missing, as before; it resets the copy,
 *				which belongs to nobody
 *   flush			the same
 *   ZONE_MAP record, FUA	the column, whole, at its new place
 */
#include "raizn.h"

/* Sectors of a column when all of the zone is in place. */
static u32 column_end(struct raizn_zone *z, u32 column)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	u32 zone = raizn_zone_number(z);
	u32 extent = raizn_column_extent(geo, zone, column, z->wp);
	u32 tail = z->wp % geo->stripe;
	u32 pc = raizn_parity_column(geo, zone, z->wp / geo->stripe);
	u32 nth = (column + geo->nr_members - pc) % geo->nr_members;

	/* Finishing wrote the tail's parity in place. */
	if (z->cond == BLK_ZONE_COND_FULL && nth < geo->nr_parity)
		extent += min(tail, geo->su);
	return extent;
}

/* @nr sectors of the column go to dec->buf. */
static int get_rows(struct raizn_zone *z, struct raizn_decode *dec, u32 column,
		    u32 sector, u32 nr)
{
	struct raizn_array *arr = z->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 stripe = sector >> geo->su_shift;

	if (z->oz && raizn_lost_copy(z->oz, column, stripe,
				     sector & (geo->su - 1), nr,
				     dec->buf[column]))
		return 0;
	return raizn_decode_rows(arr, dec, raizn_zone_number(z), column, sector,
				 nr, z->wp);
}

static int write_column(struct raizn_zone *z, struct raizn_decode *dec,
			u32 column, u32 physical)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = &arr->members[column];
	sector_t start = raizn_reserved_zone_start(&arr->geo, physical);
	u32 end = column_end(z, column);
	u32 sector, nr;
	int err;

	for (sector = 0; sector < end; sector += nr) {
		nr = min3(end - sector, RAIZN_DECODE_ROWS,
			  arr->geo.su - (sector & (arr->geo.su - 1)));
		err = get_rows(z, dec, column, sector, nr);
		if (!err)
			err = raizn_member_write(m, start + sector,
						 dec->buf[column],
						 nr << SECTOR_SHIFT);
		if (err)
			return err;
		cond_resched();
	}
	if (z->cond == BLK_ZONE_COND_FULL && end)
		return raizn_member_zone_op(m, REQ_OP_ZONE_FINISH, start);
	return 0;
}

/**
 * raizn_rebuild_column() - bring a missing column of a zone back
 * @z:		zone that takes no I/O; only @column is missing
 * @column:	the column; its member is live
 * @physical:	empty member zone, counted from the first reserved one
 *
 * Context: process.  Return: 0 or -errno; then nothing has changed but the
 * content of @physical.
 */
int raizn_rebuild_column(struct raizn_zone *z, u32 column, u32 physical)
{
	struct raizn_array *arr = z->arr;
	struct raizn_decode *dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);
	int err;

	err = write_column(z, dec, column, physical);
	mempool_free(dec, &arr->decode_pool);
	/* The record vouches for what was written. */
	if (!err)
		err = raizn_flush_members(arr);
	if (!err)
		err = raizn_general_map(arr, raizn_zone_number(z), column,
					physical);
	if (err)
		return err;
	z->missing &= ~BIT(column);
	if (z->oz) {
		spin_lock_irq(&z->lock);
		raizn_lost_drop(z->oz, U32_MAX);
		spin_unlock_irq(&z->lock);
	}
	return 0;
}
