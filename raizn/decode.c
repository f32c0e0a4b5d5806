// SPDX-License-Identifier: GPL-2.0
/*
 * Data of missing columns, decoded from the other columns of complete stripes and
 * of finished zones.  With one parity, the missing unit is the XOR of all others.
 */
#include <linux/completion.h>

#include "raizn.h"

static void *decode_pool_alloc(gfp_t gfp, void *data)
{
	struct raizn_array *arr = data;
	struct raizn_decode *dec = kzalloc(sizeof(*dec), gfp);
	u32 c;

	if (!dec)
		return NULL;
	for (c = 0; c < arr->geo.nr_members; c++) {
		dec->buf[c] = kmalloc(RAIZN_DECODE_ROWS << SECTOR_SHIFT, gfp);
		if (!dec->buf[c])
			goto free;
	}
	return dec;
free:
	while (c--)
		kfree(dec->buf[c]);
	kfree(dec);
	return NULL;
}

static void decode_pool_free(void *element, void *data)
{
	struct raizn_decode *dec = element;
	struct raizn_array *arr = data;
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++)
		kfree(dec->buf[c]);
	kfree(dec);
}

/**
 * raizn_decode_pool_init() - make arr->decode_pool
 * @arr:	array
 *
 * Return: 0 or -ENOMEM.
 */
int raizn_decode_pool_init(struct raizn_array *arr)
{
	return mempool_init(&arr->decode_pool, 2, decode_pool_alloc,
			    decode_pool_free, arr);
}

/* Reads of several columns that are waited for together. */
struct gather {
	atomic_t pending;
	struct completion completion;
	blk_status_t status;
};

static void gather_put(struct gather *g)
{
	if (atomic_dec_and_test(&g->pending))
		complete(&g->completion);
}

static void gather_endio(struct bio *bio)
{
	struct gather *g = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(g->status, bio->bi_status);
	bio_put(bio);
	gather_put(g);
}

static void gather_column(struct raizn_array *arr, struct gather *g, u32 zone,
			  u32 column, u32 sector, void *buf, u32 nr)
{
	struct bio *bio = bio_alloc_bioset(arr->members[column].bdev, 1,
					   REQ_OP_READ | REQ_SYNC, GFP_NOIO,
					   &arr->bios);

	bio->bi_iter.bi_sector = raizn_column_start(arr, zone, column) + sector;
	bio->bi_private = g;
	bio->bi_end_io = gather_endio;
	__bio_add_page(bio, virt_to_page(buf), nr << SECTOR_SHIFT,
		       offset_in_page(buf));
	atomic_inc(&g->pending);
	raizn_count(arr, RAIZN_MEMBER_READ, nr);
	submit_bio(bio);
}

/* Of @nr sectors of a column from @sector on, how many are below @wp? */
static u32 present(const struct raizn_geometry *geo, u32 zone, u32 column,
		   u32 sector, u32 nr, u32 wp)
{
	u32 stripe = sector >> geo->su_shift;
	u32 pc = raizn_parity_column(geo, zone, stripe);
	u32 nth = (column + geo->nr_members - pc) % geo->nr_members;
	u32 offset;

	if (nth < geo->nr_parity)
		return nr;
	offset = stripe * geo->stripe +
		 ((nth - geo->nr_parity) << geo->su_shift) +
		 (sector & (geo->su - 1));
	return wp <= offset ? 0 : min(nr, wp - offset);
}

/**
 * raizn_decode_rows() - compute sectors of a column from all other columns
 * @arr:	array with one parity
 * @dec:	buffers; the result is in the one of @column
 * @zone:	logical zone number
 * @column:	column, data or parity; missing, or not to be trusted
 * @sector:	first sector in the column, of a stripe that is complete, or of the
 *		incomplete one of a finished zone
 * @nr:		sectors, within one stripe unit, at most RAIZN_DECODE_ROWS
 * @wp:		write pointer of the zone (offset); data beyond counts as zeros
 *
 * Context: process.  Return: 0 or -EIO when another column is missing, too, or
 * can not be read.
 */
int raizn_decode_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 column, u32 sector, u32 nr, u32 wp)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct gather g = { .pending = ATOMIC_INIT(1) };
	u32 bytes = nr << SECTOR_SHIFT;
	u32 c, have;

	if ((arr->zones[zone].missing & ~BIT(column)) || geo->nr_parity != 1)
		return -EIO;
	init_completion(&g.completion);
	for (c = 0; c < geo->nr_members; c++) {
		have = c == column ? 0 :
		       present(geo, zone, c, sector, nr, wp);
		memset(dec->buf[c] + (have << SECTOR_SHIFT), 0,
		       (nr - have) << SECTOR_SHIFT);
		if (have)
			gather_column(arr, &g, zone, c, sector, dec->buf[c],
				      have);
	}
	gather_put(&g);
	wait_for_completion_io(&g.completion);
	if (g.status)
		return blk_status_to_errno(g.status);
	for (c = 0; c < geo->nr_members; c++)
		if (c != column)
			raizn_parity_decode_one(dec->buf[column], dec->buf[c],
						bytes);
	return 0;
}

static int decode_bio(struct raizn_array *arr, struct bio *bio)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	u32 offset = bio->bi_iter.bi_sector & (geo->zone_size - 1);
	u32 wp = READ_ONCE(arr->zones[zone].wp);
	struct bvec_iter iter = bio->bi_iter;
	struct raizn_decode *dec;
	struct raizn_place place;
	u32 nr;
	int err = 0;

	dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);
	raizn_place(geo, zone, offset, &place);
	while (iter.bi_size && !err) {
		nr = min(iter.bi_size >> SECTOR_SHIFT, RAIZN_DECODE_ROWS);
		err = raizn_decode_rows(arr, dec, zone, place.column,
					place.sector, nr, wp);
		if (!err)
			raizn_copy_to_bio(bio, &iter, dec->buf[place.column],
					  nr << SECTOR_SHIFT);
		place.sector += nr;
	}
	mempool_free(dec, &arr->decode_pool);
	return err;
}

/**
 * raizn_decode_work() - work: answer a read of a missing column
 * @work:	in the bio's struct raizn_io
 */
void raizn_decode_work(struct work_struct *work)
{
	struct raizn_io *io = container_of(work, struct raizn_io, work);
	struct bio *bio = dm_bio_from_per_bio_data(io, sizeof(*io));

	bio->bi_status = errno_to_blk_status(decode_bio(io->arr, bio));
	bio_endio(bio);
}
