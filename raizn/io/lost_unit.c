// SPDX-License-Identifier: GPL-2.0
/*
 * Data of missing columns in stripes without their parity in place.
 *
 * Data written to a missing column exists only in the parity of its stripe.  Until that
 * parity is completed the data cannot be decoded, so it is kept in memory and reads are
 * answered from there: no read depends on writes under way.
 *
 * Invariant: every sector of a missing column below zone->readable is either in oz->lost or
 * in a stripe below oz->completed.
 */
#include "io/io.h"

static void *lost_pool_alloc(gfp_t gfp, void *data)
{
	struct raizn_array *arr = data;
	struct raizn_lost_unit *lu = kmalloc(sizeof(*lu), gfp);

	if (!lu)
		return NULL;
	lu->data = kmalloc(arr->geo.su << SECTOR_SHIFT, gfp);
	if (!lu->data) {
		kfree(lu);
		return NULL;
	}
	return lu;
}

static void lost_pool_free(void *element, void *data)
{
	struct raizn_lost_unit *lu = element;

	kfree(lu->data);
	kfree(lu);
}

/**
 * raizn_lost_pool_init() - make arr->lost_pool
 * @arr:	array
 *
 * A degraded array needs a unit for the tail of every active zone, and one to go on with.
 * A whole array keeps them in reserve: a member may fail when no memory can be allocated.
 *
 * Return: 0 or -ENOMEM.
 */
int raizn_lost_pool_init(struct raizn_array *arr)
{
	u32 nr = max(1U, (arr->nr_open_zones + 1) * raizn_running_parities(&arr->geo));

	return mempool_init(&arr->lost_pool, nr, lost_pool_alloc,
			    lost_pool_free, arr);
}

static struct raizn_lost_unit *find_lost_unit(struct raizn_open_zone *oz, u32 stripe,
					      u32 column)
{
	struct raizn_lost_unit *lu;

	list_for_each_entry_reverse(lu, &oz->lost, node)
		if (lu->stripe == stripe && lu->column == column)
			return lu;
	return NULL;
}

static bool prepare_column(struct raizn_open_zone *oz, u32 stripe, u32 column,
			   gfp_t gfp)
{
	struct raizn_zone *z = oz->zone;
	struct raizn_lost_unit *lu;

	/* Only the worker adds units, but units of older stripes may be dropped at any time. */
	spin_lock_irq(&z->lock);
	lu = find_lost_unit(oz, stripe, column);
	spin_unlock_irq(&z->lock);
	if (lu)
		return true;
	lu = mempool_alloc(&z->arr->lost_pool, gfp);
	if (!lu)
		return false;
	refcount_set(&lu->refs, 1);
	lu->stripe = stripe;
	lu->column = column;
	lu->bad = 0;
	lu->bad_end = 0;
	spin_lock_irq(&z->lock);
	list_add_tail(&lu->node, &oz->lost);
	spin_unlock_irq(&z->lock);
	return true;
}

/**
 * raizn_lost_prepare() - get memory for missing columns of the stripe at oz->issued
 * @oz:		open zone
 * @columns:	columns that are missing (bit by column)
 * @gfp:	allocation flags
 *
 * Context: the zone's worker.  Return: false if there is no memory.
 */
bool raizn_lost_prepare(struct raizn_open_zone *oz, u32 columns, gfp_t gfp)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 stripe = oz->issued / geo->stripe;
	u32 pc = raizn_parity_column(geo, raizn_zone_number(oz->zone), stripe);
	u32 pos, column;

	/* Another copy has the data at once. */
	for (pos = 0; pos < geo->nr_data && !raizn_is_mirror(geo); pos++) {
		column = raizn_data_column(geo, pc, pos);
		if (columns & BIT(column) &&
		    !prepare_column(oz, stripe, column, gfp))
			return false;
	}
	return true;
}

static struct raizn_lost_unit *find_prepared(struct raizn_open_zone *oz,
					     u32 stripe, u32 column)
{
	struct raizn_lost_unit *lu;
	unsigned long flags;

	spin_lock_irqsave(&oz->zone->lock, flags);
	lu = find_lost_unit(oz, stripe, column);
	spin_unlock_irqrestore(&oz->zone->lock, flags);
	/* The unit stays: its stripe is not complete before this data is issued. */
	WARN_ON_ONCE(!lu);
	return lu;
}

/**
 * raizn_lost_add() - keep data of a missing column
 * @oz:		open zone for which raizn_lost_prepare() succeeded
 * @column:	the column
 * @sector:	sector of the data in the member zone of the column
 * @data:	the data
 * @bytes:	its length, within the stripe unit
 *
 * Context: the zone's worker.
 */
void raizn_lost_add(struct raizn_open_zone *oz, u32 column, u32 sector,
		    const void *data, u32 bytes)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	struct raizn_lost_unit *lu = find_prepared(oz, sector >> geo->su_shift,
						   column);

	if (lu)
		memcpy(lu->data + ((sector & (geo->su - 1)) << SECTOR_SHIFT),
		       data, bytes);
}

/**
 * raizn_lost_add_bad() - mark data of a missing column as lost
 * @oz:		open zone for which raizn_lost_prepare() succeeded
 * @column:	the column
 * @sector:	sector of the data in the member zone of the column
 * @nr:		sectors, within the stripe unit
 *
 * Reads of these sectors fail, and so do reads of sectors between them and other lost ones
 * of the unit.
 *
 * Context: the zone's worker, before the zone does without the column.
 */
void raizn_lost_add_bad(struct raizn_open_zone *oz, u32 column, u32 sector,
			u32 nr)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	struct raizn_lost_unit *lu = find_prepared(oz, sector >> geo->su_shift,
						   column);
	u32 row = sector & (geo->su - 1);

	if (!lu)
		return;
	if (!lu->bad_end)
		lu->bad = row;
	lu->bad = min(lu->bad, row);
	lu->bad_end = max(lu->bad_end, row + nr);
}

/**
 * raizn_lost_go_back() - free kept data that was issued and not completed
 * @oz:		open zone without batches under way
 * @stripe:	this stripe and later ones have no completed data
 *
 * Context: the zone's worker.
 */
void raizn_lost_go_back(struct raizn_open_zone *oz, u32 stripe)
{
	struct raizn_lost_unit *lu, *next;

	spin_lock_irq(&oz->zone->lock);
	list_for_each_entry_safe(lu, next, &oz->lost, node) {
		if (lu->stripe < stripe)
			continue;
		list_del(&lu->node);
		raizn_lost_put(oz->zone->arr, lu);
	}
	spin_unlock_irq(&oz->zone->lock);
}

static bool are_bad(const struct raizn_lost_unit *lu, u32 row, u32 nr)
{
	return row < lu->bad_end && row + nr > lu->bad;
}

/**
 * raizn_lost_copy() - get data of a missing column from memory
 * @oz:		open zone that takes no I/O
 * @column:	the column
 * @stripe:	stripe number
 * @row:	first sector in the stripe unit
 * @nr:		sectors
 * @buf:	filled
 *
 * Return: 0; -ENOENT if the data is not kept, because it can be decoded; -EIO if it is
 * lost.
 */
int raizn_lost_copy(struct raizn_open_zone *oz, u32 column, u32 stripe,
		    u32 row, u32 nr, void *buf)
{
	struct raizn_lost_unit *lu = find_lost_unit(oz, stripe, column);

	if (!lu)
		return -ENOENT;
	memcpy(buf, lu->data + (row << SECTOR_SHIFT), nr << SECTOR_SHIFT);
	return are_bad(lu, row, nr) ? -EIO : 0;
}

/**
 * raizn_lost_read() - answer a read of a missing column from memory
 * @z:		zone
 * @bio:	the read, below z->readable and within one stripe unit
 * @column:	the column
 * @stripe:	stripe number
 * @row:	first sector in the stripe unit
 *
 * The kept data of a newly lost column is not complete before the zone does without the
 * column.
 *
 * Context: any.  Return: as raizn_lost_copy().
 */
int raizn_lost_read(struct raizn_zone *z, struct bio *bio, u32 column,
		    u32 stripe, u32 row)
{
	struct raizn_lost_unit *lu = NULL;
	struct bvec_iter iter = bio->bi_iter;
	u32 end = (iter.bi_sector & (z->arr->geo.zone_size - 1)) +
		  bio_sectors(bio);
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&z->lock, flags);
	/* After a reset the unit may be one of the next life, which holds less data. */
	if (z->oz && end <= z->readable &&
	    !(raizn_zone_newly_lost(z) & BIT(column)))
		lu = find_lost_unit(z->oz, stripe, column);
	if (lu)
		refcount_inc(&lu->refs);
	spin_unlock_irqrestore(&z->lock, flags);
	if (!lu)
		return -ENOENT;
	if (are_bad(lu, row, bio_sectors(bio)))
		err = -EIO;
	else
		raizn_copy_to_bio(bio, &iter, lu->data + (row << SECTOR_SHIFT),
				  iter.bi_size);
	raizn_lost_put(z->arr, lu);
	return err;
}
