// SPDX-License-Identifier: GPL-2.0
/*
 * Reads.  A read that stays in one stripe unit is remapped to its member; a
 * longer one is cut at the unit's end and device mapper sends the rest again.
 * Nothing is allocated and nothing waits, so NOWAIT costs nothing.  Only reads of
 * a missing column take another way.
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

/* A read of a column that is not there: from memory, or by decoding. */
static int map_missing(struct raizn_zone *z, struct bio *bio,
		       const struct raizn_place *place)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (raizn_lost_read(z, bio, place->column, place->stripe, place->row)) {
		bio_endio(bio);
	} else if (bio->bi_opf & REQ_NOWAIT) {
		bio_wouldblock_error(bio);
	} else {
		io->arr = z->arr;
		INIT_WORK(&io->work, raizn_decode_work);
		queue_work(z->arr->read_wq, &io->work);
	}
	return DM_MAPIO_SUBMITTED;
}

/**
 * raizn_map_read() - map a read
 * @arr:	array
 * @bio:	clone from device mapper; its sector is that of the volume
 *
 * Sectors beyond the write pointer read as zeros, whatever a member holds there,
 * and so do those whose write has not completed.
 *
 * Context: any that may submit bios; does not sleep.  Return: DM_MAPIO_*.
 */
int raizn_map_read(struct raizn_array *arr, struct bio *bio)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	u32 offset = bio->bi_iter.bi_sector & (geo->zone_size - 1);
	u32 readable = READ_ONCE(arr->zones[zone].readable);
	u32 sectors = bio_sectors(bio);
	struct block_device *bdev;
	struct raizn_place place;
	u32 len;

	if (offset >= readable) {
		len = min_t(u64, sectors, geo->zone_size - offset);
		if (len < sectors)
			dm_accept_partial_bio(bio, len);
		raizn_count(arr, RAIZN_USER_READ, len);
		return read_zeros(bio);
	}

	raizn_place(geo, zone, offset, &place);
	len = min3(sectors, readable - offset, geo->su - place.row);
	if (len < sectors)
		dm_accept_partial_bio(bio, len);
	raizn_count(arr, RAIZN_USER_READ, len);
	if (unlikely(!raizn_column_live(&arr->zones[zone], place.column)))
		return map_missing(&arr->zones[zone], bio, &place);
	raizn_count(arr, RAIZN_MEMBER_READ, len);
	bdev = arr->members[place.column].bdev;
	if (unlikely((bio->bi_opf & REQ_NOWAIT) && !bdev_nowait(bdev))) {
		bio_wouldblock_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
	bio_set_dev(bio, bdev);
	bio->bi_iter.bi_sector = raizn_column_start(arr, zone, place.column) +
				 place.sector;
	return DM_MAPIO_REMAPPED;
}
