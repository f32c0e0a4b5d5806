// SPDX-License-Identifier: GPL-2.0
/*
 * Reads.  A read that stays in one stripe unit is remapped to its member; a
 * longer one is cut at the unit's end and device mapper sends the rest again.
 * Nothing is allocated and nothing waits, so NOWAIT costs nothing.  Only reads of
 * a missing column take another way: a worker decodes them, and waits in place of the
 * submitter.
 */
#include <linux/highmem.h>

#include "raizn.h"

static int read_zeros(struct bio *bio)
{
	zero_fill_bio(bio);
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

/**
 * raizn_copy_to_bio() - answer a part of a read from memory
 * @bio:	the read
 * @iter:	where in it; moved on
 * @data:	what to answer
 * @bytes:	how much of it
 */
void raizn_copy_to_bio(struct bio *bio, struct bvec_iter *iter,
		       const void *data, u32 bytes)
{
	struct bio_vec bv;
	u32 n;

	while (bytes) {
		bv = bio_iter_iovec(bio, *iter);
		n = min(bytes, bv.bv_len);
		memcpy_to_page(bv.bv_page, bv.bv_offset, data, n);
		flush_dcache_page(bv.bv_page);
		bio_advance_iter_single(bio, iter, n);
		data += n;
		bytes -= n;
	}
}

/*
 * Does a read begin with a whole stripe that lacks a unit of data?  Then its units are
 * better read once, together, than each by itself and again to decode the missing one.
 */
static bool is_lossy_stripe(struct raizn_zone *z, u32 offset, u32 sectors,
			    u32 readable)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	u32 zone = raizn_zone_number(z);
	u32 pc;

	if (offset % geo->stripe || min(sectors, readable - offset) < geo->stripe ||
	    geo->su > RAIZN_DECODE_ROWS || geo->nr_parity != 1 ||
	    raizn_zone_damaged(z))
		return false;
	pc = raizn_parity_column(geo, zone, offset / geo->stripe);
	return hweight32(raizn_zone_lost(z)) == 1 && raizn_column_live(z, pc);
}

/* A read of a column that is not there: from memory, or by decoding. */
static int map_missing(struct raizn_zone *z, struct bio *bio,
		       const struct raizn_place *place)
{
	int err = raizn_lost_read(z, bio, place->column, place->stripe,
				  place->row);

	if (err == -ENOENT) {
		raizn_decode_queue(z->arr, bio, false);
		return DM_MAPIO_SUBMITTED;
	}
	bio->bi_status = errno_to_blk_status(err);
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

/* Is it what was asked for that is wrong, and not the drive? */
static bool is_of_request(blk_status_t error)
{
	return error == BLK_STS_AGAIN ||
	       (RAIZN_HAS_STS_INVAL && error == BLK_STS_INVAL);
}

/**
 * raizn_read_done() - a bio of the volume ended
 * @bio:	clone from device mapper
 * @error:	how
 *
 * A read that a member failed is decoded instead.
 *
 * Context: any.  Return: DM_ENDIO_*.
 */
int raizn_read_done(struct bio *bio, blk_status_t *error)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (likely(!*error) || !io->remapped || is_of_request(*error))
		return DM_ENDIO_DONE;
	io->remapped = false;
	bio->bi_iter = io->iter;
	bio->bi_status = BLK_STS_OK;
	/*
	 * Of a request that it was merged into, of having been split, and of how the
	 * drive's queue was shared; nobody else restores that.  See dm_bio_restore().
	 */
	bio->bi_next = NULL;
	bio->bi_flags = io->flags;
	atomic_set(&bio->__bi_remaining, 1);
	raizn_decode_queue(io->arr, bio, true);
	return DM_ENDIO_INCOMPLETE;
}

/* May parity of the stripe not be in place yet? */
static bool is_tail(struct raizn_array *arr, u32 zone, u32 stripe)
{
	return (stripe + 1) * arr->geo.stripe > READ_ONCE(arr->zones[zone].readable);
}

static void remap(struct raizn_array *arr, struct bio *bio, u32 zone,
		  const struct raizn_place *place)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	raizn_count(arr, RAIZN_MEMBER_READ, bio_sectors(bio));
	io->arr = arr;
	io->remapped = true;
	io->iter = bio->bi_iter;
	io->flags = bio->bi_flags;
	/* A drive gives up early what may fail, and that must not count as its error. */
	bio->bi_opf &= ~(REQ_RAHEAD | REQ_FAILFAST_MASK);
	/*
	 * A drive that cannot read a block fails the whole request.  Other blocks of it are
	 * decoded then, but nothing can decode those of a tail: they get a request of their own.
	 */
	if (is_tail(arr, zone, place->stripe))
		bio->bi_opf |= REQ_NOMERGE;
	bio_set_dev(bio, arr->members[place->column].bdev);
	bio->bi_iter.bi_sector = raizn_column_start(arr, zone, place->column) +
				 place->sector;
	io->sent = bio->bi_iter.bi_sector;
	io->life = READ_ONCE(arr->zones[zone].life);
}

/**
 * raizn_remap_read() - direct a read that had to wait to its member
 * @arr:	array
 * @bio:	read of the volume, within one stripe unit
 *
 * Context: any.
 */
void raizn_remap_read(struct raizn_array *arr, struct bio *bio)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	struct raizn_place place;

	raizn_place(geo, zone, bio->bi_iter.bi_sector & (geo->zone_size - 1),
		    &place);
	remap(arr, bio, zone, &place);
}

/**
 * raizn_map_read() - map a read
 * @arr:	array
 * @bio:	clone from device mapper; its sector is that of the volume
 *
 * Sectors beyond the write pointer read as zeros, whatever a member holds there,
 * and so do those whose write has not completed.  In a damaged zone nobody knows
 * where the write pointer was.
 *
 * Context: any that may submit bios; does not sleep.  Return: DM_MAPIO_*.
 */
int raizn_map_read(struct raizn_array *arr, struct bio *bio)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	u32 offset = bio->bi_iter.bi_sector & (geo->zone_size - 1);
	struct raizn_zone *z = &arr->zones[zone];
	u32 readable = READ_ONCE(z->readable);
	u32 sectors = bio_sectors(bio);
	struct block_device *bdev;
	struct raizn_place place;
	u32 len;

	if (offset >= readable) {
		if (unlikely(raizn_zone_damaged(z))) {
			bio_io_error(bio);
			return DM_MAPIO_SUBMITTED;
		}
		len = min_t(u64, sectors, geo->zone_size - offset);
		if (len < sectors)
			dm_accept_partial_bio(bio, len);
		raizn_count(arr, RAIZN_USER_READ, len);
		return read_zeros(bio);
	}

	if (unlikely(raizn_zone_lost(z)) &&
	    is_lossy_stripe(z, offset, sectors, readable)) {
		if (geo->stripe < sectors)
			dm_accept_partial_bio(bio, geo->stripe);
		raizn_count(arr, RAIZN_USER_READ, geo->stripe);
		raizn_decode_queue(arr, bio, false);
		return DM_MAPIO_SUBMITTED;
	}

	raizn_place(geo, zone, offset, &place);
	len = min3(sectors, readable - offset, geo->su - place.row);
	if (len < sectors)
		dm_accept_partial_bio(bio, len);
	raizn_count(arr, RAIZN_USER_READ, len);
	if (unlikely(!raizn_column_live(z, place.column)))
		return map_missing(z, bio, &place);
	bdev = arr->members[place.column].bdev;
	if (unlikely((bio->bi_opf & REQ_NOWAIT) && !bdev_nowait(bdev))) {
		bio_wouldblock_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
	remap(arr, bio, zone, &place);
	return DM_MAPIO_REMAPPED;
}
