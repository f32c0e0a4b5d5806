// SPDX-License-Identifier: GPL-2.0
/*
 * Reads.  A read within one stripe unit is remapped to its member; a longer one is cut at
 * the end of the unit and device mapper submits the rest again.  Nothing is allocated and
 * nothing waits, so NOWAIT costs nothing.  Only reads of a missing column take another
 * way: a worker decodes them, and waits in place of the submitter.
 */
#include "zone/zone.h"

static int read_zeros(struct bio *bio)
{
	zero_fill_bio(bio);
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

/*
 * Does a read begin with a whole stripe that lacks a unit of data?  Its units are better
 * read once, together, than each by itself and again to decode the missing unit.
 */
static bool is_lossy_stripe(struct raizn_zone *z, u32 offset, u32 sectors,
			    u32 readable)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	u32 zone = raizn_zone_number(z);
	u32 lost = raizn_zone_lost(z);
	u32 pc, i;

	if (raizn_is_mirror(geo) || offset % geo->stripe ||
	    min(sectors, readable - offset) < geo->stripe ||
	    geo->su > RAIZN_DECODE_ROWS || raizn_zone_damaged(z) ||
	    raizn_zone_too_many(z, lost))
		return false;
	pc = raizn_parity_column(geo, zone, offset / geo->stripe);
	for (i = 0; i < geo->nr_parity; i++)
		lost &= ~BIT(raizn_parity_column_nth(geo, pc, i));
	return lost;
}

/*
 * The column to read from in a mirror: the live one with the fewest reads under way.  Of
 * equals, one that has just read up to here, as a disk need not move its heads then; else
 * the one that would hold the data at other levels, which changes from unit to unit.
 */
static u32 choose_copy(const struct raizn_zone *z, const struct raizn_place *place)
{
	struct raizn_array *arr = z->arr;
	u32 nr = arr->geo.nr_members, lost = raizn_zone_lost(z);
	u32 best = place->column, least = U32_MAX;
	struct raizn_member *m;
	u32 i, c, cost;

	for (i = 0; i < nr; i++) {
		c = (place->column + i) % nr;
		m = raizn_zone_member(z, c);
		if (lost & BIT(c))
			continue;
		cost = 2 * atomic_read(&m->reading) +
		       (READ_ONCE(m->read_end) !=
			raizn_column_start(arr, raizn_zone_number(z), c) + place->sector);
		if (cost < least) {
			least = cost;
			best = c;
		}
	}
	return best;
}

/* Answer a read of a missing column from memory, or by decoding. */
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

/* Is the request at fault, and not the drive? */
static bool is_of_request(blk_status_t error)
{
	return error == BLK_STS_AGAIN ||
	       (RAIZN_HAS_STS_INVAL && error == BLK_STS_INVAL);
}

/**
 * raizn_read_done() - a bio of the volume ended
 * @bio:	clone from device mapper
 * @error:	result of the bio
 *
 * A read that a member failed is decoded instead.  One that may have met the old place of a
 * column is done again.
 *
 * Context: any.  Return: DM_ENDIO_*.
 */
int raizn_read_done(struct bio *bio, blk_status_t *error)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	bool moved;

	if (!io->remapped)
		return DM_ENDIO_DONE;
	if (raizn_is_mirror(&io->arr->geo))
		atomic_dec(&io->arr->members[io->slot].reading);
	moved = raizn_moved(io->arr, io->moves);
	if ((likely(!*error) && !moved) || is_of_request(*error))
		return DM_ENDIO_DONE;
	io->remapped = false;
	bio->bi_iter = io->iter;
	bio->bi_status = BLK_STS_OK;
	/*
	 * Restore the fields that merging into a request, splitting and the sharing of the
	 * drive's queue have changed; nothing else does.  See dm_bio_restore().
	 */
	bio->bi_next = NULL;
	bio->bi_flags = io->flags;
	atomic_set(&bio->__bi_remaining, 1);
	raizn_decode_queue(io->arr, bio, !moved);
	return DM_ENDIO_INCOMPLETE;
}

/**
 * raizn_map_read() - map a read
 * @arr:	array
 * @bio:	clone from device mapper; its sector is that of the volume
 *
 * Sectors beyond the write pointer read as zeros, even if a member holds other data
 * there, and so do sectors with a write that has not completed.  In a damaged zone such
 * reads fail, because the write pointer is not known.
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
		if (unlikely(raizn_zone_damaged(z)) && !raizn_zone_unwritable(z)) {
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
	if (raizn_is_mirror(geo))
		place.column = choose_copy(z, &place);
	len = min3(sectors, readable - offset, geo->su - place.row);
	if (len < sectors)
		dm_accept_partial_bio(bio, len);
	raizn_count(arr, RAIZN_USER_READ, len);
	if (unlikely(!raizn_column_live(z, place.column)))
		return map_missing(z, bio, &place);
	bdev = raizn_zone_member(z, place.column)->bdev;
	if (unlikely((bio->bi_opf & REQ_NOWAIT) && !bdev_nowait(bdev))) {
		bio_wouldblock_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (likely(raizn_remap(arr, bio, zone, &place)))
		return DM_MAPIO_REMAPPED;
	raizn_decode_queue(arr, bio, true);
	return DM_MAPIO_SUBMITTED;
}
