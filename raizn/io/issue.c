// SPDX-License-Identifier: GPL-2.0
/*
 * From accepted writes to member bios: one large bio for each member and batch, running
 * parity, and copies of data that its owner may change.
 *
 * One caller at a time issues the writes of a zone, see zone_worker.c.
 */
#include <linux/blk-cgroup.h>

#include "io/io.h"
#include "member/relocation.h"
#include "trace.h"

/* Maximum number of data units of a stripe with parity that is computed at once. */
#define TOGETHER	8U

/* Maximum bytes of a stripe that are copied to one place, and maximum number of places. */
#define STRIPE_COPY	((u32)(PAGE_SIZE << RAIZN_COPY_ORDER))
#define STRIPE_COPIES	(RAIZN_BATCH_SECTORS * SECTOR_SIZE / STRIPE_COPY + TOGETHER)

static void submit_column(struct raizn_open_zone *oz, u32 column)
{
	struct bio *bio = oz->cur[column];

	oz->cur[column] = NULL;
	submit_bio_noacct(bio);
}

static void submit_columns(struct raizn_open_zone *oz)
{
	u32 column;

	for (column = 0; column < oz->zone->arr->geo.nr_members; column++)
		if (oz->cur[column])
			submit_column(oz, column);
}

/*
 * Begin a bio for @column at @sector of its member zone.  If memory is short, all bios
 * built so far are submitted before waiting for memory, so that the pool can fill up again.
 */
static void begin_column(struct raizn_open_zone *oz, u32 column, u32 sector,
			 unsigned int nr_vecs)
{
	struct raizn_array *arr = oz->zone->arr;
	struct raizn_member *m = raizn_zone_member(oz->zone, column);
	struct raizn_batch *batch = oz->batch;
	bool fua = batch->fua && raizn_fua_keeps_order();
	blk_opf_t opf = REQ_OP_WRITE | REQ_SYNC | batch->idle |
			(fua ? REQ_FUA : 0);
	struct raizn_member_bio *mb;
	struct bio *bio;

	bio = bio_alloc_bioset(m->bdev, nr_vecs, opf, GFP_NOWAIT | __GFP_NOWARN,
			       &arr->bios);
	if (!bio) {
		submit_columns(oz);
		bio = bio_alloc_bioset(m->bdev, nr_vecs, opf, GFP_NOIO,
				       &arr->bios);
	}
	/*
	 * Writes of a zone come from many tasks.  A limit of one task's cgroup must not
	 * hold a write back: the next write would overtake it.
	 */
	bio_associate_blkg_from_css(bio, blkcg_root_css);
	bio->bi_ioprio = oz->ioprio;
	raizn_set_write_hint(bio, oz->hint);
	bio->bi_iter.bi_sector = sector +
		raizn_column_start(arr, raizn_zone_number(oz->zone), column);
	bio->bi_end_io = raizn_member_bio_endio;
	mb = container_of(bio, struct raizn_member_bio, bio);
	mb->member = m;
	mb->batch = batch;
	atomic_inc(&batch->refs);
	oz->cur[column] = bio;
}

/* Does a bio lack room for a block that begins at @sector and exceeds this fragment? */
static bool lacks_room(const struct raizn_array *arr, const struct bio *bio, u32 sector,
		       u32 bytes)
{
	u32 inside = arr->granularity - 1;

	return (bytes >> SECTOR_SHIFT) & inside && !(sector & inside) &&
	       bio->bi_max_vecs - bio->bi_vcnt <= arr->granularity;
}

/*
 * Append a fragment to the bio of its column; @sector continues the bio.  Behind a fragment
 * that is no whole block there is room for the rest of the block, because drives take whole
 * blocks only.
 */
static void add_in_place(struct raizn_open_zone *oz, u32 column, u32 sector,
			 struct page *page, u32 bytes, u32 page_offset)
{
	if (oz->cur[column] &&
	    !lacks_room(oz->zone->arr, oz->cur[column], sector, bytes) &&
	    bio_add_page(oz->cur[column], page, bytes, page_offset) == bytes)
		return;
	if (oz->cur[column])
		submit_column(oz, column);
	begin_column(oz, column, sector, oz->column_vecs);
	__bio_add_page(oz->cur[column], page, bytes, page_offset);
}

/* As add_to_column(), of a zone with rows that are spoilt in place. */
static void add_around_spoilt(struct raizn_open_zone *oz, u32 column, u32 sector,
			      struct page *page, u32 bytes, u32 page_offset)
{
	bool in_place;
	u32 done;

	for (; bytes; bytes -= done, sector += done >> SECTOR_SHIFT, page_offset += done) {
		done = raizn_relocate(oz->zone, column, sector, page, bytes, page_offset,
				      &in_place);
		if (in_place)
			add_in_place(oz, column, sector, page, done, page_offset);
		else if (oz->cur[column])
			submit_column(oz, column);
	}
}

/*
 * Append a fragment to its column.  A lost column is not written, even if the zone does not do
 * without it yet: running parity has the data.
 */
static void add_to_column(struct raizn_open_zone *oz, u32 column, u32 sector,
			  struct page *page, u32 bytes, u32 page_offset)
{
	if (unlikely(!raizn_column_live(oz->zone, column)))
		return;
	if (unlikely(raizn_zone_is_spoilt(oz->zone)))
		add_around_spoilt(oz, column, sector, page, bytes, page_offset);
	else
		add_in_place(oz, column, sector, page, bytes, page_offset);
}

/* Append a fragment of data to its column, in a mirror to all columns. */
static void add_data(struct raizn_open_zone *oz, const struct raizn_place *place,
		     struct page *page, u32 bytes, u32 page_offset)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 column;

	add_to_column(oz, place->column, place->sector, page, bytes, page_offset);
	if (!raizn_is_mirror(geo))
		return;
	for (column = 0; column < geo->nr_members; column++)
		if (column != place->column)
			add_to_column(oz, column, place->sector, page, bytes,
				      page_offset);
	raizn_count(oz->zone->arr, RAIZN_PARITY_WRITTEN,
		    (u64)(bytes >> SECTOR_SHIFT) * geo->nr_parity);
}

/**
 * raizn_batch_open() - begin a batch at oz->issued
 * @oz:		open zone without a batch
 * @fua:	all writes of the batch are FUA
 *
 * Context: the caller has claimed the zone; may sleep, no bio is held unsubmitted.
 */
struct raizn_batch *raizn_batch_open(struct raizn_open_zone *oz, bool fua)
{
	struct raizn_zone *z = oz->zone;
	struct raizn_batch *batch;

	batch = mempool_alloc(&z->arr->batch_pool, GFP_NOIO);
	memset(batch, 0, sizeof(*batch));
	batch->oz = oz;
	batch->fua = fua;
	batch->start = oz->issued;
	atomic_set(&batch->refs, 1);
	bio_list_init(&batch->bios);
	INIT_LIST_HEAD(&batch->copies);
	oz->batch = batch;
	spin_lock_irq(&z->lock);
	list_add_tail(&batch->node, &oz->batches);
	spin_unlock_irq(&z->lock);
	blk_start_plug(&batch->plug);
	return batch;
}

/**
 * raizn_batch_close() - submit the batch that is being built, if there is one
 * @oz:		open zone
 *
 * A FUA batch that ends inside a stripe gets its partial-parity record here.  Without log
 * space for the record, the bios of the batch go to the flush worker.
 *
 * Context: the caller has claimed the zone.
 */
void raizn_batch_close(struct raizn_open_zone *oz)
{
	struct raizn_array *arr = oz->zone->arr;
	struct raizn_batch *batch = oz->batch;

	if (!batch)
		return;
	batch->end = oz->issued;
	oz->batch = NULL;
	oz->copy = NULL;
	raizn_count(arr, RAIZN_DATA_WRITTEN, batch->end - batch->start);
	raizn_count(arr, RAIZN_USER_WRITTEN, batch->end - batch->start);
	submit_columns(oz);
	if (unlikely(raizn_zone_is_spoilt(oz->zone)))
		raizn_relocate_log(oz->zone, batch);
	if (batch->fua && !batch->has_pp &&
	    batch->end % arr->geo.stripe)
		raizn_pp_issue(oz, batch);
	trace_raizn_batch_issue(oz->zone, batch);
	/* Members do not wait for the next step of the worker. */
	blk_finish_plug(&batch->plug);
	raizn_batch_put(batch);
}

/* Close a batch in the middle of a user bio, which continues in the next batch. */
static void close_within(struct raizn_open_zone *oz, struct bio *bio)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (!oz->batch)
		return;
	atomic_inc(&io->refs);
	oz->batch->continued = bio;
	raizn_batch_close(oz);
}

/*
 * Get running parity for a new stripe, and memory for its data of missing columns.  Buffers
 * come back as batches complete, so the batch is closed before waiting for a buffer.
 */
static void need_parity(struct raizn_open_zone *oz, struct bio *bio)
{
	struct raizn_array *arr = oz->zone->arr;
	u32 i;

	for (i = 0; i < raizn_running_parities(&arr->geo); i++) {
		if (oz->parity[i])
			continue;
		oz->parity[i] = mempool_alloc(&arr->parity_pool,
					      GFP_NOWAIT | __GFP_NOWARN);
		if (oz->parity[i])
			continue;
		close_within(oz, bio);
		oz->parity[i] = mempool_alloc(&arr->parity_pool, GFP_NOIO);
	}
	if (unlikely(oz->zone->missing) &&
	    !raizn_lost_prepare(oz, oz->zone->missing,
				GFP_NOWAIT | __GFP_NOWARN)) {
		close_within(oz, bio);
		raizn_lost_prepare(oz, oz->zone->missing, GFP_NOIO);
	}
}

/* Send @rows rows of the tail stripe's running parity to its columns. */
static void issue_parity(struct raizn_open_zone *oz, u32 stripe, u32 rows)
{
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 pc = raizn_parity_column(geo, raizn_zone_number(oz->zone), stripe);
	struct raizn_parity_buffer *pb;
	u32 i;

	for (i = 0; i < raizn_running_parities(geo); i++) {
		pb = oz->parity[i];
		add_to_column(oz, raizn_parity_column_nth(geo, pc, i),
			      stripe << geo->su_shift, virt_to_page(pb->data),
			      rows << SECTOR_SHIFT, offset_in_page(pb->data));
		pb->next = oz->batch->parity;
		oz->batch->parity = pb;
		oz->batch->held += sizeof(*pb) + (geo->su << SECTOR_SHIFT);
		oz->parity[i] = NULL;
	}
	raizn_count(arr, RAIZN_PARITY_WRITTEN, (u64)rows * i);
}

/* Is the next sector the first of a block?  User memory may end, or change pages, inside one. */
static bool at_block(const struct raizn_open_zone *oz)
{
	return !(oz->issued & (oz->zone->arr->granularity - 1));
}

/* Add a fragment to running parity, and to the kept data of a missing column. */
static void add_to_parity(struct raizn_open_zone *oz, struct bio_vec *bv,
			  const struct raizn_place *place, u32 bytes)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 row_bytes = place->row << SECTOR_SHIFT;
	void *p, *q, *data;

	if (!raizn_running_parities(geo))
		return;
	p = oz->parity[0]->data + row_bytes;
	q = geo->nr_parity > 1 ? oz->parity[1]->data + row_bytes : NULL;
	data = bvec_kmap_local(bv);
	raizn_parity_add(p, q, data, bytes, place->pos);
	if (unlikely(oz->zone->missing & BIT(place->column)))
		raizn_lost_add(oz, place->column, place->sector, data, bytes);
	kunmap_local(data);
}

/* Free bytes in the current page for copies. */
static u32 copy_room(const struct raizn_open_zone *oz)
{
	return oz->copy ? page_size(oz->copy) - oz->copy_used : 0;
}

/* Replace @bv with a copy of its first @bytes, for which there is room. */
static void copy_fragment(struct raizn_open_zone *oz, struct bio_vec *bv, u32 bytes)
{
	void *data = bvec_kmap_local(bv);

	memcpy(page_address(oz->copy) + oz->copy_used, data, bytes);
	kunmap_local(data);
	bv->bv_page = oz->copy;
	bv->bv_offset = oz->copy_used;
	bv->bv_len = bytes;
	oz->copy_used += bytes;
}

/*
 * Issue up to one stripe unit of data from one page, or the rest of a block.  With
 * @has_parity the data is in running parity already; with @copy the data may change, and
 * there is room for the rest of the block.  Returns the number of sectors issued.
 */
static u32 issue_fragment(struct raizn_open_zone *oz, struct bio_vec *bv,
			  bool has_parity, bool copy)
{
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_place place;
	u32 sectors;

	raizn_place(geo, raizn_zone_number(oz->zone), oz->issued, &place);
	sectors = min(bv->bv_len >> SECTOR_SHIFT, geo->su - place.row);
	if (unlikely(!at_block(oz)))
		sectors = min(sectors, arr->granularity -
				       (oz->issued & (arr->granularity - 1)));
	if (copy) {
		sectors = min(sectors, copy_room(oz) >> SECTOR_SHIFT);
		copy_fragment(oz, bv, sectors << SECTOR_SHIFT);
	}
	add_data(oz, &place, bv->bv_page, sectors << SECTOR_SHIFT, bv->bv_offset);
	if (!has_parity)
		add_to_parity(oz, bv, &place, sectors << SECTOR_SHIFT);
	oz->issued += sectors;
	if (!(oz->issued % geo->stripe))
		issue_parity(oz, place.stripe, geo->su);
	return sectors;
}

/*
 * Is the next data a whole stripe in one bio?  Its parity is then computed at once, which
 * reads and writes the parity fewer times.
 */
static bool is_whole_stripe(struct raizn_open_zone *oz, const struct bvec_iter *iter)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;

	return !(oz->issued % geo->stripe) && raizn_running_parities(geo) &&
	       geo->nr_data <= TOGETHER && !IS_ENABLED(CONFIG_HIGHMEM) &&
	       iter->bi_size >> SECTOR_SHIFT >= geo->stripe &&
	       geo->stripe <= RAIZN_BATCH_SECTORS && !oz->zone->missing;
}

/* Bytes of a stripe that are copied to one place. */
static u32 stripe_copy_bytes(const struct raizn_geometry *geo)
{
	return min(geo->su << SECTOR_SHIFT, STRIPE_COPY);
}

/* Copy rows of one unit to their place in @copies; returns that place. */
static const void *copy_unit_rows(const struct raizn_geometry *geo, struct page **copies,
				  u32 pos, u32 row, const void *data, u32 len)
{
	u32 bytes = stripe_copy_bytes(geo);
	u32 at = pos * (geo->su << SECTOR_SHIFT) + row;
	void *copy = page_address(copies[at / bytes]) + at % bytes;

	return memcpy(copy, data, len);
}

/*
 * Compute the parity of a stripe that begins at @iter, some rows of all units at a time.
 * Unless @copies is NULL, the data is copied there and parity is computed from the copies.
 */
static void generate_parity(struct raizn_open_zone *oz, struct bio *bio,
			    const struct bvec_iter *iter, struct page **copies)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 unit = geo->su << SECTOR_SHIFT;
	u32 bytes = copies ? stripe_copy_bytes(geo) : unit;
	const void *data[TOGETHER], *mapped[TOGETHER];
	struct bvec_iter iters[TOGETHER];
	struct bio_vec bv;
	u32 pos, row, len;

	for (pos = 0; pos < geo->nr_data; pos++) {
		iters[pos] = *iter;
		bio_advance_iter(bio, &iters[pos], pos * unit);
	}
	for (row = 0; row < unit; row += len) {
		len = bytes - row % bytes;
		for (pos = 0; pos < geo->nr_data; pos++) {
			bv = bio_iter_iovec(bio, iters[pos]);
			len = min(len, bv.bv_len);
			mapped[pos] = bvec_kmap_local(&bv);
		}
		for (pos = 0; pos < geo->nr_data; pos++)
			data[pos] = copies ? copy_unit_rows(geo, copies, pos, row,
							    mapped[pos], len) :
				    mapped[pos];
		raizn_parity_generate(oz->parity[0]->data + row,
				      geo->nr_parity > 1 ? oz->parity[1]->data + row : NULL,
				      data, geo->nr_data, len);
		for (pos = geo->nr_data; pos--;) {
			kunmap_local(mapped[pos]);
			bio_advance_iter_single(bio, &iters[pos], len);
		}
	}
}

/*
 * Issue copies of a whole stripe that begins at @iter.  Returns false when there is no
 * memory for all of them at once.
 */
static bool issue_stripe_copied(struct raizn_open_zone *oz, struct bio *bio,
				const struct bvec_iter *iter)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 zone = raizn_zone_number(oz->zone);
	u32 bytes = stripe_copy_bytes(geo);
	u32 nr = (geo->stripe << SECTOR_SHIFT) / bytes;
	struct page *copies[STRIPE_COPIES];
	struct raizn_place place;
	u32 i;

	if (!raizn_copies_alloc(oz->batch, copies, nr, bytes))
		return false;
	generate_parity(oz, bio, iter, copies);
	for (i = 0; i < nr; i++) {
		raizn_place(geo, zone, oz->issued, &place);
		add_to_column(oz, place.column, place.sector, copies[i], bytes, 0);
		oz->issued += bytes >> SECTOR_SHIFT;
	}
	issue_parity(oz, place.stripe, geo->su);
	return true;
}

static void begin_batch(struct raizn_open_zone *oz, struct bio *bio, bool fua)
{
	raizn_batch_open(oz, fua);
	/* Members must not throttle direct I/O as they do write-back. */
	oz->batch->idle = bio->bi_opf & REQ_IDLE;
}

/*
 * Get room to copy a block.  Copies are freed as batches complete, so the batch is closed
 * before waiting for a page.
 */
static void need_copy(struct raizn_open_zone *oz, struct bio *bio, u32 bytes)
{
	bool fua = oz->batch->fua;

	if (copy_room(oz) >> SECTOR_SHIFT >= oz->zone->arr->granularity)
		return;
	oz->copy = raizn_copy_alloc(oz, bytes, GFP_NOWAIT);
	if (!oz->copy) {
		if (oz->issued != oz->batch->start) {
			close_within(oz, bio);
			begin_batch(oz, bio, fua);
		}
		oz->copy = raizn_copy_alloc(oz, bytes, GFP_NOIO);
	}
	oz->copy_used = 0;
}

/* Member bios from here on have the priority and the hint of this write. */
static void take_attributes(struct raizn_open_zone *oz, const struct bio *bio)
{
	u16 ioprio = raizn_write_ioprio(bio, RAIZN_IOPRIO);
	u8 hint = raizn_write_hint(bio);

	if (likely(oz->ioprio == ioprio && oz->hint == hint))
		return;
	submit_columns(oz);
	oz->ioprio = ioprio;
	oz->hint = hint;
}

/**
 * raizn_issue_write() - add a write to the batch that is being built
 * @oz:		open zone
 * @bio:	the next write of the zone
 *
 * Context: the caller has claimed the zone; may sleep.
 */
void raizn_issue_write(struct raizn_open_zone *oz, struct bio *bio)
{
	struct raizn_array *arr = oz->zone->arr;
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	u32 generated = 0;
	bool fua = (bio->bi_opf & REQ_FUA) || arr->write_through;
	struct bvec_iter iter = bio->bi_iter;
	struct bio_vec bv;
	u32 sectors;

	if (unlikely(!raizn_array_writable(arr))) {
		raizn_io_put(bio, BLK_STS_IOERR);
		return;
	}

	if (oz->batch && oz->batch->fua != fua)
		raizn_batch_close(oz);
	take_attributes(oz, bio);
	while (iter.bi_size) {
		/* No batch ends in a stripe with parity that is ahead of its data. */
		if (oz->batch && at_block(oz) && !generated &&
		    oz->issued - oz->batch->start >= RAIZN_BATCH_SECTORS)
			close_within(oz, bio);
		if (!oz->batch)
			raizn_budget_issue(oz);
		need_parity(oz, bio);
		if (!oz->batch)
			begin_batch(oz, bio, fua);
		if (!generated && is_whole_stripe(oz, &iter)) {
			if (!io->copy) {
				generate_parity(oz, bio, &iter, NULL);
				generated = arr->geo.stripe;
			} else if (issue_stripe_copied(oz, bio, &iter)) {
				bio_advance_iter(bio, &iter,
						 arr->geo.stripe << SECTOR_SHIFT);
				continue;
			}
		}
		if (io->copy && at_block(oz))
			need_copy(oz, bio, iter.bi_size);
		bv = bio_iter_iovec(bio, iter);
		sectors = issue_fragment(oz, &bv, generated, io->copy);
		generated -= min(generated, sectors);
		bio_advance_iter_single(bio, &iter, sectors << SECTOR_SHIFT);
	}
	bio_list_add(&oz->batch->bios, bio);
}

/**
 * raizn_issue_parity_tail() - write the parity of an incomplete stripe in place
 * @oz:		open zone that is being finished
 *
 * Unwritten data of the stripe counts as zeros.  Rows without data are not written.
 *
 * Context: the zone's worker, no batch is being built.
 */
void raizn_issue_parity_tail(struct raizn_open_zone *oz)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 tail = oz->issued % geo->stripe;

	if (!tail || !raizn_running_parities(geo))
		return;
	raizn_batch_open(oz, true);
	oz->batch->has_pp = true;
	oz->column_vecs = 1;
	issue_parity(oz, oz->issued / geo->stripe, min(tail, geo->su));
	/* The parity is in place now: this tail needs no more records. */
	oz->logged = oz->issued;
	raizn_batch_close(oz);
}

/**
 * raizn_column_vecs() - bio_vecs that a column's bio may need
 * @arr:	array
 * @sectors:	data of the zone to be issued, counted in full pages
 *
 * Context: any.  Return: number of bio_vecs.
 */
u32 raizn_column_vecs(const struct raizn_array *arr, u32 sectors)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 pages = min(sectors, RAIZN_BATCH_SECTORS) >> (PAGE_SHIFT - SECTOR_SHIFT);

	return clamp(pages / geo->nr_data + (geo->su >> 3) + 2,
		     max(arr->granularity + 1, 4U), (u32)BIO_MAX_VECS);
}

/**
 * raizn_log_tail() - log the part of the tail that is not logged yet
 * @oz:		open zone
 *
 * Context: the caller has claimed the zone.
 * Return: false when there is no space: the log's switch wakes the worker.
 */
bool raizn_log_tail(struct raizn_open_zone *oz)
{
	bool logged;

	if (!oz->batch)
		raizn_batch_open(oz, false);
	logged = raizn_pp_issue(oz, oz->batch);
	raizn_batch_close(oz);
	return logged;
}
