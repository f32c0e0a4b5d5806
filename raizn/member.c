// SPDX-License-Identifier: GPL-2.0
/*
 * Plain operations on the drives.
 */
#include "raizn.h"
#include "trace.h"

int raizn_member_read(struct block_device *bdev, sector_t sector, void *buf,
		      u32 bytes)
{
	struct bio_vec bvec;
	struct bio bio;
	int err;

	bio_init(&bio, bdev, &bvec, 1, REQ_OP_READ | REQ_SYNC | REQ_META);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, virt_to_page(buf), bytes, offset_in_page(buf));
	err = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return err;
}

int raizn_member_write(struct raizn_member *m, sector_t sector, void *buf,
		       u32 bytes)
{
	struct bio_vec bvec;
	struct bio bio;
	int err;

	bio_init(&bio, m->bdev, &bvec, 1, REQ_OP_WRITE | REQ_SYNC);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, virt_to_page(buf), bytes, offset_in_page(buf));
	err = submit_bio_wait(&bio);
	if (err)
		raizn_array_fail(m->arr, m, "write", bio.bi_status);
	else if (m->volatile_cache)
		atomic64_inc(&m->written);
	bio_uninit(&bio);
	return err;
}

void raizn_flush_unknown(struct raizn_array *arr)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_members; i++)
		if (arr->members[i].volatile_cache)
			atomic64_inc(&arr->members[i].written);
}

int raizn_member_zone_op(struct raizn_member *m, enum req_op op,
			 sector_t sector)
{
	struct bio bio;
	int err;

	bio_init(&bio, m->bdev, NULL, 0, op | REQ_SYNC);
	bio.bi_iter.bi_sector = sector;
	err = submit_bio_wait(&bio);
	if (err)
		raizn_array_fail(m->arr, m, op == REQ_OP_ZONE_RESET ?
				 "zone reset" : "zone finish", bio.bi_status);
	bio_uninit(&bio);
	return err;
}

/* Bios to all members that are waited for together. */
struct fan_out {
	atomic_t pending;
	struct completion completion;
	blk_status_t status;
};

static void fan_out_put(struct fan_out *fo)
{
	if (atomic_dec_and_test(&fo->pending))
		complete(&fo->completion);
}

static void fan_out_endio(struct bio *bio)
{
	struct fan_out *fo = bio->bi_private;
	struct raizn_member_bio *mb =
		container_of(bio, struct raizn_member_bio, bio);
	struct raizn_member *m = mb->member;

	if (unlikely(bio->bi_status)) {
		WRITE_ONCE(fo->status, bio->bi_status);
		raizn_array_fail(m->arr, m,
				 bio_op(bio) == REQ_OP_ZONE_RESET ? "zone reset" :
				 bio_op(bio) == REQ_OP_ZONE_FINISH ? "zone finish" :
				 "flush", bio->bi_status);
	}
	bio_put(bio);
	fan_out_put(fo);
}

static void fan_out_init(struct fan_out *fo)
{
	atomic_set(&fo->pending, 1);
	init_completion(&fo->completion);
	fo->status = BLK_STS_OK;
}

static void fan_out_submit(struct fan_out *fo, struct raizn_member *m,
			   blk_opf_t opf, sector_t sector)
{
	struct bio *bio = bio_alloc_bioset(m->bdev, 0, opf, GFP_NOIO,
					   &m->arr->bios);

	container_of(bio, struct raizn_member_bio, bio)->member = m;
	bio->bi_iter.bi_sector = sector;
	bio->bi_private = fo;
	bio->bi_end_io = fan_out_endio;
	atomic_inc(&fo->pending);
	submit_bio(bio);
}

static int fan_out_wait(struct fan_out *fo)
{
	fan_out_put(fo);
	wait_for_completion_io(&fo->completion);
	return blk_status_to_errno(fo->status);
}

int raizn_data_zone_op(struct raizn_array *arr, enum req_op op, u32 zone)
{
	struct fan_out fo;
	u32 i;

	fan_out_init(&fo);
	for (i = 0; i < arr->geo.nr_members; i++)
		if (raizn_column_live(&arr->zones[zone], i))
			fan_out_submit(&fo, &arr->members[i], op | REQ_SYNC,
				       raizn_column_start(arr, zone, i));
	return fan_out_wait(&fo);
}

int raizn_flush_members(struct raizn_array *arr)
{
	u64 written[RAIZN_MAX_MEMBERS];
	struct raizn_member *m;
	struct fan_out fo;
	u32 i;
	int err;

	mutex_lock(&arr->flush_mutex);
	fan_out_init(&fo);
	for (i = 0; i < arr->geo.nr_members; i++) {
		m = &arr->members[i];
		if (!raizn_member_live(m))
			continue;
		/* What completes after this line may or may not be covered. */
		written[i] = atomic64_read(&m->written);
		if (written[i] == m->flushed)
			continue;
		raizn_count(arr, RAIZN_FLUSHES, 1);
		fan_out_submit(&fo, m, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC,
			       0);
	}
	err = fan_out_wait(&fo);
	if (!err)
		for (i = 0; i < arr->geo.nr_members; i++)
			if (raizn_member_live(&arr->members[i]))
				arr->members[i].flushed = written[i];
	mutex_unlock(&arr->flush_mutex);
	return err;
}
