// SPDX-License-Identifier: GPL-2.0
/*
 * Degrading a zone: the zone goes on without a column that failed.
 *
 * Running parity, and the parity of complete stripes, cover all data that was sent to the
 * column.  Only the column's data in the tail stripe has to be saved: it is computed from
 * running parity and kept in memory, see lost_unit.c.  Until then zone->readable stands
 * still and reads of the column wait.
 */
#include "repair/repair.h"

static int keep_rows(struct raizn_open_zone *oz, struct raizn_decode *dec,
		     u32 column, u32 sector, u32 nr)
{
	struct raizn_array *arr = oz->zone->arr;
	const void *parity[RAIZN_MAX_PARITY];
	int err;

	raizn_running_parity(oz, sector, parity);
	err = raizn_decode_rows(arr, dec, raizn_zone_number(oz->zone), BIT(column),
				sector, nr, oz->issued, parity);

	if (!err)
		raizn_lost_add(oz, column, sector, dec->buf[column],
			       nr << SECTOR_SHIFT);
	return err;
}

/*
 * Another column cannot be read: these rows of the two columns are lost, but the zone can
 * still be written, because its running parity is right.  Rows beyond zone->readable fail
 * the array: their write has not ended, and must not end as a success.
 */
static int keep_blocks(struct raizn_open_zone *oz, struct raizn_decode *dec,
		       u32 column, u32 sector, u32 nr, u32 offset)
{
	struct raizn_zone *z = oz->zone;
	struct raizn_array *arr = z->arr;
	const u32 block = arr->geo.block, end = sector + nr;
	int err = 0;

	dec->alone = REQ_NOMERGE;
	for (; sector < end && !err; sector += block, offset += block) {
		/* A drive may take seconds for each block; a reset makes that useless. */
		if (READ_ONCE(z->resets))
			break;
		if (raizn_array_failed(arr) ||
		    raizn_zone_too_many(z, raizn_zone_lost(z))) {
			err = -EIO;
			break;
		}
		err = keep_rows(oz, dec, column, sector, block);
		if (!err || offset + block > READ_ONCE(z->readable))
			continue;
		err = 0;
		raizn_lost_add_bad(oz, column, sector, block);
		DMERR_LIMIT("array %pU: sectors %u to %u of member %u in logical zone %u are lost: another member cannot read the data that is needed to compute them",
			    arr->uuid, sector, sector + block - 1,
			    raizn_zone_member(z, column)->slot, raizn_zone_number(z));
	}
	dec->alone = 0;
	return err;
}

/* Keep the tail's unit of a data column, decoded from running parity and other data. */
static int keep_unit(struct raizn_open_zone *oz, struct raizn_decode *dec,
		     u32 column, u32 offset)
{
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = raizn_zone_number(oz->zone);
	u32 stripe = oz->issued / geo->stripe;
	u32 sector = stripe << geo->su_shift;
	u32 end = raizn_column_extent(geo, zone, column, oz->issued);
	int err = 0;
	u32 nr;

	for (; sector < end && !err; sector += nr, offset += nr) {
		nr = min(end - sector, RAIZN_DECODE_ROWS);
		if (keep_rows(oz, dec, column, sector, nr))
			err = keep_blocks(oz, dec, column, sector, nr, offset);
	}
	return err;
}

static int keep_tail(struct raizn_open_zone *oz, u32 lost)
{
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 pc = raizn_parity_column(geo, raizn_zone_number(oz->zone),
				     oz->issued / geo->stripe);
	u32 offset = rounddown(oz->issued, geo->stripe);
	struct raizn_decode *dec;
	u32 pos, column;
	int err = 0;

	raizn_lost_prepare(oz, lost, GFP_NOIO);
	dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);
	for (pos = 0; !err && pos < geo->nr_data; pos++, offset += geo->su) {
		column = raizn_data_column(geo, pc, pos);
		if (lost & BIT(column))
			err = keep_unit(oz, dec, column, offset);
	}
	mempool_free(dec, &arr->decode_pool);
	return err;
}

/* The open zone, which tells how much of its columns is right, may be gone before the record. */
static void keep_columns(struct raizn_zone *z, u32 lost)
{
	struct raizn_array *arr = z->arr;
	unsigned long columns = lost & READ_ONCE(z->failing) & ~raizn_zone_dead(z);
	unsigned long c;

	if (!columns)
		return;
	mutex_lock(&arr->place_mutex);
	for_each_set_bit(c, &columns, arr->geo.nr_members)
		raizn_keep_column(z, c);
	mutex_unlock(&arr->place_mutex);
}

/**
 * raizn_zone_degrade() - do without the columns that failed
 * @z:		zone
 *
 * Context: the zone's worker, no batch is being built.
 */
void raizn_zone_degrade(struct raizn_zone *z)
{
	u32 lost = raizn_zone_newly_lost(z);
	struct raizn_open_zone *oz = z->oz;
	int err = 0;

	if (oz)
		raizn_wait_drained(z);
	if (raizn_array_failed(z->arr))
		return;
	if (oz)
		keep_columns(z, lost);
	/* Running parity has data that is nowhere else. */
	if (z->broken && !READ_ONCE(z->resets) && oz->completed % z->arr->geo.stripe)
		err = -EIO;
	/*
	 * Keep nothing of a finished zone (its tail's parity is in place, the buffer is
	 * gone) or behind an accepted reset (the data is not read any more).  For more lost
	 * columns than parity makes up for, see below.
	 */
	if (!err && oz && oz->issued % z->arr->geo.stripe && oz->parity[0] &&
	    !READ_ONCE(z->resets) && !raizn_zone_too_many(z, z->missing | lost))
		err = keep_tail(oz, lost);
	/* Incomplete data does not matter if a reset was accepted meanwhile. */
	if (err && !READ_ONCE(z->resets)) {
		raizn_array_fail(z->arr, "reading the end of a degraded zone",
				 errno_to_blk_status(err));
		return;
	}
	spin_lock_irq(&z->lock);
	/*
	 * A write to the empty zone may have been accepted a moment ago, before this column
	 * was lost; other columns may have been lost meanwhile.  For a zone that is not active see
	 * go_idle().
	 */
	if (oz && !raizn_may_drop(z, __ffs(lost), RAIZN_DROP_LOST)) {
		spin_unlock_irq(&z->lock);
		raizn_array_fail(z->arr, "another column of a zone that is written",
				 BLK_STS_IOERR);
		return;
	}
	if (oz && !z->resets)
		WRITE_ONCE(z->readable, oz->completed);
	/* Pairs with all_degraded(): held writes may end now, and reads must find their data. */
	smp_store_release(&z->missing, z->missing | lost);
	/* A rewrite of the column may have failed, which says nothing of its rebuild. */
	WRITE_ONCE(z->tried, z->tried & ~lost);
	spin_unlock_irq(&z->lock);
	wake_up(&z->arr->sync_wait);
	/* Jobs passed over the zone, also those of columns that were lost before. */
	if (raizn_zone_wanted(z))
		raizn_rebuild_kick(z->arr);
}
