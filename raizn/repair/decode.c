// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of columns that are lost, or that their member cannot read.
 */
#include "member/bad_block.h"
#include "member/relocation.h"
#include "repair/repair.h"

/* Get buffers for a read of @sectors.  Never fails, but may wait for other reads. */
static struct raizn_decode *get_decode(struct raizn_array *arr, u32 sectors)
{
	struct raizn_decode *dec = NULL;

	/* The buffers of the pool are large and few; most reads are small. */
	if (sectors < RAIZN_DECODE_ROWS)
		dec = raizn_decode_alloc(arr, sectors, GFP_NOWAIT | __GFP_NOWARN |
					 __GFP_NOMEMALLOC);
	if (!dec) {
		dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);
		dec->pooled = true;
	}
	return dec;
}

static void put_decode(struct raizn_array *arr, struct raizn_decode *dec)
{
	if (!dec->pooled) {
		raizn_decode_free(arr, dec);
		return;
	}
	dec->pooled = false;
	mempool_free(dec, &arr->decode_pool);
}

/* Read rows of a live column from its own member. */
static int read_own_column(struct raizn_array *arr, u32 zone, u32 column, u32 sector,
			   void *buf, u32 nr)
{
	struct raizn_zone *z = &arr->zones[zone];
	u16 life = READ_ONCE(z->life);
	int err;

	if (!raizn_column_live(z, column))
		return -EIO;
	err = raizn_column_read(z, column, sector, buf, nr);
	if (err && raizn_column_live(z, column) &&
	    !raizn_rows_are_bad(z, column, sector, nr, 0))
		raizn_note_unreadable(z, column, life);
	return err;
}

/*
 * Two columns may both have unreadable rows, but different ones: read each block from its
 * own column, or decode it if that fails.
 */
static int decode_by_blocks(struct raizn_array *arr, struct raizn_decode *dec,
			    struct bio *bio, struct bvec_iter *iter, u32 column,
			    u32 sector, u32 nr, u32 wp)
{
	const u32 zone = bio->bi_iter.bi_sector >> arr->geo.zone_shift;
	const u32 block = arr->geo.block, end = sector + nr;
	void *buf = dec->buf[column];
	int err = 0;

	dec->alone = REQ_NOMERGE;
	for (; sector < end && !err; sector += block) {
		err = read_own_column(arr, zone, column, sector, buf, block);
		if (err)
			err = raizn_decode_rows(arr, dec, zone, BIT(column),
						sector, block, wp, NULL);
		if (!err)
			raizn_copy_to_bio(bio, iter, buf, block << SECTOR_SHIFT);
	}
	dec->alone = 0;
	return err;
}

static int decode_bio(struct raizn_array *arr, struct bio *bio)
{
	const struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	u32 offset = bio->bi_iter.bi_sector & (geo->zone_size - 1);
	u32 wp = READ_ONCE(arr->zones[zone].wp);
	struct bvec_iter iter = bio->bi_iter;
	struct raizn_decode *dec;
	struct raizn_place place;
	bool single;
	u32 nr;
	int err = 0;

	/* Pairs with raizn_zone_damage(). */
	smp_rmb();
	dec = get_decode(arr, bio_sectors(bio));
	raizn_place(geo, zone, offset, &place);
	if (io->refused)
		place.column = io->column;
	/* In a zone with lost blocks the read may have failed together with that of one. */
	single = io->refused && raizn_zone_has_bad(&arr->zones[zone]);
	while (iter.bi_size && !err) {
		nr = min(iter.bi_size >> SECTOR_SHIFT, RAIZN_DECODE_ROWS);
		err = single ? -EIO :
			       raizn_decode_rows(arr, dec, zone, BIT(place.column),
						 place.sector, nr, wp, NULL);
		if (!err)
			raizn_copy_to_bio(bio, &iter, dec->buf[place.column],
					  nr << SECTOR_SHIFT);
		else
			err = decode_by_blocks(arr, dec, bio, &iter, place.column,
					       place.sector, nr, wp);
		place.sector += nr;
	}
	put_decode(arr, dec);
	return err;
}

/*
 * Read a whole stripe that lacks a unit.  The other data units, which decoding that unit
 * takes, are wanted anyway.
 */
static int decode_stripe(struct raizn_array *arr, struct bio *bio)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	u32 offset = bio->bi_iter.bi_sector & (geo->zone_size - 1);
	u32 stripe = offset / geo->stripe;
	u32 pc = raizn_parity_column(geo, zone, stripe);
	u32 lost = raizn_zone_lost(&arr->zones[zone]);
	struct bvec_iter iter = bio->bi_iter;
	struct raizn_decode *dec;
	u32 pos;
	int err;

	dec = get_decode(arr, geo->su);
	/* If no column is lost any more, decode parity, or else the unit that is unreadable. */
	err = raizn_decode_rows(arr, dec, zone, lost ? lost : BIT(pc),
				stripe << geo->su_shift, geo->su,
				offset + geo->stripe, NULL);
	for (pos = 0; pos < geo->nr_data && err && !lost; pos++)
		err = raizn_decode_rows(arr, dec, zone,
					BIT(raizn_data_column(geo, pc, pos)),
					stripe << geo->su_shift, geo->su,
					offset + geo->stripe, NULL);
	for (pos = 0; pos < geo->nr_data && !err; pos++)
		raizn_copy_to_bio(bio, &iter,
				  dec->buf[raizn_data_column(geo, pc, pos)],
				  geo->su << SECTOR_SHIFT);
	put_decode(arr, dec);
	return err;
}

/*
 * Life of its zone that a read is for; -1 if a reset was accepted after the read, so that
 * its data is gone or about to go.
 */
static int read_life(struct raizn_zone *z, const struct bio *bio)
{
	u32 end = (bio->bi_iter.bi_sector & (z->arr->geo.zone_size - 1)) +
		  bio_sectors(bio);
	int life;

	spin_lock_irq(&z->lock);
	life = z->resets || end > z->readable ? -1 : z->life;
	spin_unlock_irq(&z->lock);
	return life;
}

/* Did a read fail at the place where its column is now? */
static bool refused_here(struct raizn_array *arr, const struct raizn_io *io,
			 u32 zone, const struct raizn_place *place)
{
	return io->sent == raizn_column_start(arr, zone, place->column) +
			   place->sector;
}

/* A zone that a start found damaged, or that lost too much later: no worker has its tail. */
static bool is_damaged(const struct raizn_zone *z)
{
	return raizn_zone_damaged(z) && !raizn_zone_unwritable(z);
}

/*
 * Is the parity of a stripe in place?  Copies are as soon as the data is.  Of a damaged zone, data
 * behind the whole stripes may be read, but its parity is not in place, unless by a finish.
 */
static bool is_stripe_complete(struct raizn_zone *z, u32 stripe)
{
	const struct raizn_array *arr = z->arr;
	bool complete;

	if (raizn_is_mirror(&arr->geo))
		return true;
	spin_lock_irq(&z->lock);
	if (z->oz)
		complete = stripe < z->oz->completed / arr->geo.stripe;
	else
		complete = !is_damaged(z) || stripe < z->wp / arr->geo.stripe ||
			   READ_ONCE(arr->zone_state[raizn_zone_number(z)].flags) &
			   RAIZN_ZONE_FINISHED;
	spin_unlock_irq(&z->lock);
	return complete;
}

/*
 * Give up a column of this zone that could not be read, unless another column is lost, or has
 * sectors that only this one can supply (-EIO).  The column may have been reset since the
 * read, or rewritten to another place for the sake of other stripes: it has not failed there.
 * Returns -EAGAIN in that case.
 */
static int give_up_here(struct raizn_array *arr, struct bio *bio, int life,
			struct raizn_zone *z, const struct raizn_place *place)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	u32 column = place->column;
	int err = -EAGAIN;

	mutex_lock(&arr->place_mutex);
	if (read_life(z, bio) == life &&
	    refused_here(arr, io, raizn_zone_number(z), place)) {
		raizn_note_sound(z);
		err = raizn_column_give_up(z, column) ? 0 : -EIO;
	}
	mutex_unlock(&arr->place_mutex);
	/* A job rewrites the column when its turn comes, including this tail. */
	if (err == -EIO)
		raizn_note_unreadable(z, column, life);
	else if (!err)
		raizn_read_failed(raizn_zone_member(z, column));
	return err;
}

/*
 * Read rows of a column in use that are spoilt in place, or beside such rows.  Only in a complete
 * stripe can they be decoded if that fails.
 */
static int read_spoilt(struct raizn_array *arr, struct bio *bio, const struct raizn_place *place,
		       bool complete)
{
	u32 zone = bio->bi_iter.bi_sector >> arr->geo.zone_shift, nr = bio_sectors(bio);
	struct raizn_decode *dec = get_decode(arr, nr);
	u32 wp = READ_ONCE(arr->zones[zone].wp);
	void *buf = dec->buf[place->column];
	struct bvec_iter iter = bio->bi_iter;
	int err;

	if (complete) {
		err = decode_by_blocks(arr, dec, bio, &iter, place->column, place->sector, nr, wp);
	} else {
		err = raizn_column_read(&arr->zones[zone], place->column, place->sector, buf, nr);
		if (!err)
			raizn_copy_to_bio(bio, &iter, buf, nr << SECTOR_SHIFT);
	}
	put_decode(arr, dec);
	return err;
}

/*
 * Read a column that is lost, or that could not be read.  The tail stripe can be decoded
 * only from running parity, which belongs to the zone's worker: a column that cannot be
 * read there is given up in this zone, and the worker keeps its data in memory.  Returns
 * -EAGAIN when the column is back meanwhile.
 */
static int read_lost_column(struct raizn_array *arr, struct bio *bio, int life)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	struct raizn_zone *z = &arr->zones[zone];
	struct raizn_place place;
	bool complete, stays, too_many;
	int err;

	raizn_place(geo, zone, bio->bi_iter.bi_sector & (geo->zone_size - 1),
		    &place);
	/* Another copy may have been asked. */
	if (io->refused)
		place.column = io->column;
	io->column = place.column;
	if (raizn_column_live(z, place.column)) {
		/* Check this once: a column that is given up below must not be healed first. */
		complete = is_stripe_complete(z, place.stripe);
		if (raizn_rows_are_spoilt(z, place.column, place.sector, bio_sectors(bio))) {
			err = read_spoilt(arr, bio, &place, complete);
			if (!err || complete)
				return err;
		}
		/* The column is back, or the read failed in another place or life: read again. */
		if (!io->refused || io->life != (u16)life ||
		    !refused_here(arr, io, zone, &place))
			return -EAGAIN;
		/*
		 * An unreadable sector must not fail the array, as one lost column too many
		 * would.  If the array takes no writes, the column must not fail, either.
		 */
		too_many = raizn_zone_too_many(z, raizn_zone_lost(z) | BIT(place.column));
		stays = complete || too_many || !raizn_array_writable(arr);
		/* See decode_bio() for a zone with lost blocks. */
		if (stays && !raizn_zone_has_bad(z))
			raizn_note_unreadable(z, place.column, life);
		if (too_many || (!complete && (stays || is_damaged(z))))
			return -EIO;
		err = stays ? 0 : give_up_here(arr, bio, life, z, &place);
		if (err)
			return err;
	}
	wait_event(arr->sync_wait, !raizn_zone_newly_lost(z) ||
		   raizn_array_failed(arr));
	err = raizn_lost_read(z, bio, place.column, place.stripe, place.row);
	if (err != -ENOENT)
		return err;
	/* A zone that is being finished has no running parity: wait for its final parity. */
	wait_event(arr->sync_wait, is_stripe_complete(z, place.stripe) ||
		   raizn_column_live(z, place.column) || is_damaged(z) ||
		   raizn_array_failed(arr) || read_life(z, bio) != life);
	if (!is_stripe_complete(z, place.stripe))
		return raizn_column_live(z, place.column) ? -EAGAIN : -EIO;
	err = decode_bio(arr, bio);
	/*
	 * The data of a placeholder can be computed, now that others can be read: replace it.  Not
	 * again and again, if that has failed.
	 */
	if (!err && raizn_rows_are_bad(z, place.column, place.sector, bio_sectors(bio),
				       RAIZN_BAD_PLACEHOLDER) &&
	    !(raizn_zone_tried(z) & BIT(place.column)))
		raizn_heal_request(z, place.column);
	return err;
}

static void decode_work(struct work_struct *work)
{
	struct raizn_io *io = container_of(work, struct raizn_io, work);
	struct bio *bio = dm_bio_from_per_bio_data(io, sizeof(*io));
	struct raizn_array *arr = io->arr;
	struct raizn_zone *z =
		&arr->zones[bio->bi_iter.bi_sector >> arr->geo.zone_shift];
	int life = read_life(z, bio);
	int before = -1;
	int err = 0;

	/* A reset does not empty all columns at once: data decoded meanwhile is garbage. */
	while (life >= 0 && life != before) {
		before = life;
		err = bio_sectors(bio) > arr->geo.su ?
			decode_stripe(arr, bio) : read_lost_column(arr, bio, life);
		life = read_life(z, bio);
	}
	/* The reset came while the read was under way, so the read may come after it. */
	if (life < 0) {
		zero_fill_bio(bio);
		err = 0;
	}
	if (err == -EAGAIN) {
		if (raizn_remap_read(arr, bio))
			submit_bio_noacct(bio);
		else
			raizn_decode_queue(arr, bio, true);
	} else {
		bio->bi_status = errno_to_blk_status(err);
		bio_endio(bio);
	}
}

/**
 * raizn_decode_queue() - answer a read of a column that is lost or unreadable
 * @arr:	array
 * @bio:	read of the volume, within one stripe unit, or of a complete stripe
 * @refused:	the member of the column failed the read, or has a placeholder there
 *
 * Context: any.
 */
void raizn_decode_queue(struct raizn_array *arr, struct bio *bio, bool refused)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	io->arr = arr;
	io->refused = refused;
	/*
	 * The worker may wait.  To fail this part of a read with EAGAIN would be worse: up to
	 * 6.12, io_uring first tries all reads without waiting, and fails a read that gets EAGAIN
	 * from an interrupt, after its other parts were read.
	 */
	bio->bi_opf &= ~REQ_NOWAIT;
	INIT_WORK(&io->work, decode_work);
	queue_work(arr->read_wq, &io->work);
}
