// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery of one zone: read or decode its data, fill missing sectors below the write
 * pointer, and compute the running parity of the tail.
 *
 * Sources stay as they were found: a filled sector does not become a source, so a zone is
 * filled in any order.
 */
#include "start/start.h"

/* Sectors handled at once; the size of buffers. */
#define CHUNK	RAIZN_DECODE_ROWS

/* Read rows of a partial-parity record. */
static int read_pp_row(struct raizn_array *arr, const struct raizn_pp_entry *e,
		       u32 row, u32 nr, void *buf)
{
	struct raizn_member *m = &arr->members[e->location >> 56];
	u64 sector = e->location & (BIT_ULL(56) - 1);
	u32 in_payload = (row - e->row) & (arr->geo.su - 1);

	raizn_count(arr, RAIZN_MEMBER_READ, nr);
	return raizn_member_read(m->bdev, sector + in_payload, buf,
				 nr << SECTOR_SHIFT);
}

/* Note an error: another start may decode the sectors with logs that this one has not read. */
static int read_column(struct raizn_array *arr, u32 zone, u32 column,
		       u32 sector, u32 nr, void *buf)
{
	int err = raizn_member_read(arr->members[column].bdev,
				    raizn_column_start(arr, zone, column) + sector,
				    buf, nr << SECTOR_SHIFT);

	raizn_count(arr, RAIZN_MEMBER_READ, nr);
	if (err)
		arr->recovery->unreadable = true;
	return err;
}

/* In place of a column: a record could not be read. */
#define NO_COLUMN	RAIZN_MAX_MEMBERS

/*
 * Decode one block from P and the other data of its rows; see struct raizn_source.  After
 * an error @failed is the column that could not be read, or NO_COLUMN.
 */
static int decode_block(struct raizn_array *arr, const struct raizn_zone_facts *facts,
			const struct raizn_place *place,
			const struct raizn_source *src, u32 *failed, void *buf,
			void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 pc = raizn_parity_column(geo, facts->zone, place->stripe);
	u32 offset = place->stripe * geo->stripe + place->row;
	u32 nr = geo->block;
	u32 pos, column;
	int err;

	/* With one parity, the only unknown is the block itself: see find_parities(). */
	if (WARN_ON_ONCE(src->unknown != BIT(place->pos) ||
			 src->parity[0] == RAIZN_NO_PARITY))
		return -EIO;
	if (src->parity[0] == RAIZN_FINAL_PARITY) {
		err = read_column(arr, facts->zone, pc, place->sector, nr, buf);
		*failed = pc;
	} else {
		err = read_pp_row(arr, &facts->pp[src->parity[0]], place->row,
				  nr, buf);
		*failed = NO_COLUMN;
	}
	for (pos = 0; !err && pos < geo->nr_data; pos++, offset += geo->su) {
		if (pos == place->pos || offset >= src->limit[0])
			continue;
		column = raizn_data_column(geo, pc, pos);
		err = read_column(arr, facts->zone, column, place->sector, nr,
				  tmp);
		*failed = column;
		if (!err)
			raizn_parity_decode_one(buf, tmp, nr << SECTOR_SHIFT);
	}
	return err;
}

/* Skip the @nr newest records. */
static void skip_records(struct raizn_zone_facts *facts, u32 nr)
{
	facts->pp += nr;
	facts->nr_pp -= nr;
}

/*
 * Read one block from any source.  A column or a record that cannot be read counts as
 * missing for this block; the next source may do without it.
 */
static int read_block(struct raizn_array *arr, struct raizn_zone_work *w,
		      u32 offset, void *buf, void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_zone_facts facts = w->facts;
	struct raizn_source src;
	struct raizn_place place;
	u32 failed;
	int err;

	raizn_place(geo, w->zone, offset, &place);
	while (raizn_find_source(geo, &facts, offset, &src)) {
		failed = place.column;
		err = src.direct ?
		      read_column(arr, w->zone, place.column, place.sector,
				  geo->block, buf) :
		      decode_block(arr, &facts, &place, &src, &failed, buf, tmp);
		if (!err)
			return 0;
		if (failed == NO_COLUMN) {
			skip_records(&facts, src.parity[0] + 1);
			continue;
		}
		if (!(w->unreadable & BIT(failed)))
			raizn_read_failed(&arr->members[failed]);
		w->unreadable |= BIT(failed);
		facts.missing |= BIT(failed);
	}
	return -EIO;
}

/*
 * Read @nr sectors of one stripe unit, below the zone's write pointer, from any source;
 * @tmp is one block.
 */
static int read_data(struct raizn_array *arr, struct raizn_zone_work *w,
		     u32 offset, u32 nr, void *buf, void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_place place;
	u32 there;
	int err = 0;

	while (nr && !err) {
		raizn_place(geo, w->zone, offset, &place);
		there = w->facts.missing & BIT(place.column) ? 0 :
			min(nr, w->facts.extents[place.column] -
				min(w->facts.extents[place.column], place.sector));
		if (!there || read_column(arr, w->zone, place.column,
					  place.sector, there, buf)) {
			there = geo->block;
			err = read_block(arr, w, offset, buf, tmp);
		}
		offset += there;
		nr -= there;
		buf += there << SECTOR_SHIFT;
	}
	return err;
}

/* With one parity, a column is the sum of the others as far as all others are in place. */
static bool is_sum_of_others(const struct raizn_geometry *geo,
			     const struct raizn_zone_facts *facts, u32 column,
			     u32 end)
{
	u32 c;

	for (c = 0; c < geo->nr_members; c++)
		if (c != column && (facts->missing & BIT(c) ||
				    facts->extents[c] < end))
			return false;
	return geo->nr_parity == 1;
}

static int add_others(struct raizn_array *arr, struct raizn_zone_work *w,
		      u32 column, u32 sector, u32 nr, void *buf, void *tmp)
{
	u32 c;
	int err = 0;

	memset(buf, 0, nr << SECTOR_SHIFT);
	for (c = 0; !err && c < arr->geo.nr_members; c++) {
		if (c == column)
			continue;
		err = read_column(arr, w->zone, c, sector, nr, tmp);
		if (!err)
			raizn_parity_decode_one(buf, tmp, nr << SECTOR_SHIFT);
	}
	return err;
}

static int produce(struct raizn_array *arr, struct raizn_zone_work *w,
		   u32 column, u32 sector, u32 nr, void *buf, void *tmp);

/* As produce(), block by block: some blocks cannot be read. */
static int produce_blocks(struct raizn_array *arr, struct raizn_zone_work *w,
			  u32 column, u32 sector, u32 nr, void *buf, void *tmp)
{
	const u32 block = arr->geo.block;
	int err = 0;

	for (; !err && nr; nr -= block, sector += block, buf += block << SECTOR_SHIFT)
		err = produce(arr, w, column, sector, block, buf, tmp);
	return err;
}

/*
 * Produce sectors of a column, data or parity, as the zone should have them.  Sectors that
 * the column holds itself are taken as they are, if they can be read.
 */
static int produce(struct raizn_array *arr, struct raizn_zone_work *w,
		   u32 column, u32 sector, u32 nr, void *buf, void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 stripe = sector >> geo->su_shift;
	u32 pc = raizn_parity_column(geo, w->zone, stripe);
	u32 nth = (column + geo->nr_members - pc) % geo->nr_members;
	u32 offset = stripe * geo->stripe + (sector & (geo->su - 1));
	void *data = tmp + (geo->block << SECTOR_SHIFT);
	bool parity = nth < geo->nr_parity;
	u32 pos, have;
	bool own;
	int err;

	own = !(w->facts.missing & BIT(column)) &&
	      sector + nr <= w->facts.extents[column];
	if (own && parity) {
		if (!read_column(arr, w->zone, column, sector, nr, buf))
			return 0;
		if (nr > geo->block)
			return produce_blocks(arr, w, column, sector, nr, buf, tmp);
	}
	if ((!own || parity) &&
	    is_sum_of_others(geo, &w->facts, column, sector + nr) &&
	    !add_others(arr, w, column, sector, nr, buf, tmp))
		return 0;
	if (!parity)
		return read_data(arr, w, offset +
				 ((nth - geo->nr_parity) << geo->su_shift), nr,
				 buf, tmp);

	memset(buf, 0, nr << SECTOR_SHIFT);
	for (pos = 0; pos < geo->nr_data && offset < w->plan.wp;
	     pos++, offset += geo->su) {
		have = min(nr, w->plan.wp - offset);
		err = read_data(arr, w, offset, have, data, tmp);
		if (err)
			return err;
		raizn_parity_decode_one(buf, data, have << SECTOR_SHIFT);
	}
	return 0;
}

/**
 * raizn_recover_column() - write a column, from some sector to its end
 * @arr:	array that takes no I/O yet
 * @w:		the zone
 * @column:	column
 * @start:	first sector of the member zone to write it to
 * @sector:	first sector to write, counted from @start: all sectors below it are written
 * @write:	raizn_member_write(), or raizn_member_try_write() if the array can do
 *		without the column
 * @buf:	RAIZN_DECODE_ROWS sectors
 * @tmp:	RAIZN_DECODE_ROWS sectors and a block
 *
 * Not durable on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_recover_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column, sector_t start, u32 sector,
			 raizn_member_write_fn write, void *buf, void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 end = w->plan.want[column];
	u32 nr;
	int err;

	for (; sector < end; sector += nr) {
		nr = min3(end - sector, CHUNK,
			  geo->su - (sector & (geo->su - 1)));
		err = produce(arr, w, column, sector, nr, buf, tmp);
		if (!err)
			err = write(&arr->members[column], start + sector, buf,
				    nr << SECTOR_SHIFT);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

static int fill_column(struct raizn_array *arr, struct raizn_zone_work *w,
		       u32 column, void *buf, void *tmp)
{
	sector_t start = raizn_column_start(arr, w->zone, column);
	int err;

	err = raizn_recover_column(arr, w, column, start, w->plan.keep[column],
				   raizn_member_write, buf, tmp);
	if (!err)
		arr->recovery->filled += w->plan.want[column] - w->plan.keep[column];
	return err;
}

/**
 * raizn_recover_fill() - write the missing sectors below a zone's write pointer
 * @arr:	array that takes no I/O yet
 * @w:		the zone
 * @buf:	RAIZN_DECODE_ROWS sectors
 * @tmp:	RAIZN_DECODE_ROWS sectors and a block
 *
 * Not durable on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_recover_fill(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp)
{
	u32 c;
	int err = 0;

	/* A finished column holds all sectors that it should. */
	for (c = 0; c < arr->geo.nr_members; c++)
		if (w->plan.action == RAIZN_ZONE_FINISH &&
		    w->facts.full & BIT(c))
			w->facts.extents[c] = w->plan.want[c];
	for (c = 0; !err && c < arr->geo.nr_members; c++)
		if (!(w->facts.missing & BIT(c)) &&
		    !(w->plan.action == RAIZN_ZONE_FINISH &&
		      w->facts.full & BIT(c)))
			err = fill_column(arr, w, c, buf, tmp);
	return err;
}

/*
 * Parity of a block of rows with data that cannot be had: the logged parity, and the data
 * that was written behind that.
 */
static int row_parity_from_log(struct raizn_array *arr, struct raizn_zone_work *w,
			       u32 offset, u32 unknown, void *p, void *buf,
			       void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 wp = arr->zones[w->zone].oz->issued;
	struct raizn_zone_facts facts = w->facts;
	u32 record, limit, pos;
	int err = -EIO;

	while (err && geo->nr_parity == 1 &&
	       raizn_find_row_parity(geo, &facts, offset, wp, &record, &limit)) {
		err = read_pp_row(arr, &facts.pp[record], offset % geo->stripe,
				  geo->block, p);
		if (err)
			skip_records(&facts, record + 1);
	}
	for (pos = 0; !err && pos < geo->nr_data && offset < wp;
	     pos++, offset += geo->su) {
		if (offset < limit)
			continue;
		err = unknown & BIT(pos) ? -EIO :
		      read_data(arr, w, offset, geo->block, buf, tmp);
		if (!err)
			raizn_parity_decode_one(p, buf, geo->block << SECTOR_SHIFT);
	}
	return err;
}

/* Recover a block of rows: the data that can be had, and parity in any case. */
static int recover_rows(struct raizn_array *arr, struct raizn_zone_work *w, u32 row,
			void *buf, void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	const u32 first = rounddown(oz->issued, geo->stripe) + row;
	const u32 bytes = geo->block << SECTOR_SHIFT;
	void *p = oz->parity[0]->data + (row << SECTOR_SHIFT);
	void *q = geo->nr_parity > 1 ?
		  oz->parity[1]->data + (row << SECTOR_SHIFT) : NULL;
	u32 offset = first, unknown = 0, pos;
	struct raizn_place place;
	int err;

	for (pos = 0; pos < geo->nr_data && offset < oz->issued;
	     pos++, offset += geo->su) {
		raizn_place(geo, w->zone, offset, &place);
		err = read_data(arr, w, offset, geo->block, buf, tmp);
		if (err) {
			unknown |= BIT(pos);
			if (!raizn_column_live(oz->zone, place.column))
				raizn_lost_add_bad(oz, place.column, place.sector,
						   geo->block);
			continue;
		}
		raizn_parity_add(p, q, buf, bytes, pos);
		if (!raizn_column_live(oz->zone, place.column))
			raizn_lost_add(oz, place.column, place.sector, buf, bytes);
	}
	if (!unknown)
		return 0;
	err = row_parity_from_log(arr, w, first, unknown, p, buf, tmp);
	if (!err)
		DMERR_LIMIT("array %pU: logical zone %u: sectors %u to %u of units (%#x) are lost: too many members cannot read them",
			    arr->uuid, w->zone, row, row + geo->block - 1, unknown);
	return err;
}

static int recover_by_rows(struct raizn_array *arr, struct raizn_zone_work *w,
			   void *buf, void *tmp)
{
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	u32 rows = min(oz->issued % arr->geo.stripe, arr->geo.su);
	u32 row, i;
	int err = 0;

	for (i = 0; i < arr->geo.nr_parity; i++)
		memset(oz->parity[i]->data, 0, arr->geo.su << SECTOR_SHIFT);
	for (row = 0; !err && row < rows; row += arr->geo.block)
		err = recover_rows(arr, w, row, buf, tmp);
	return err;
}

static int recover_units(struct raizn_array *arr, struct raizn_zone_work *w,
			 void *buf, void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	struct raizn_place place;
	u32 offset, nr;
	void *p, *q;
	int err;

	for (offset = rounddown(oz->issued, geo->stripe); offset < oz->issued;
	     offset += nr) {
		raizn_place(geo, w->zone, offset, &place);
		nr = min3(oz->issued - offset, CHUNK, geo->su - place.row);
		err = read_data(arr, w, offset, nr, buf, tmp);
		if (err)
			return err;
		p = oz->parity[0]->data + (place.row << SECTOR_SHIFT);
		q = geo->nr_parity > 1 ?
		    oz->parity[1]->data + (place.row << SECTOR_SHIFT) : NULL;
		raizn_parity_add(p, q, buf, nr << SECTOR_SHIFT, place.pos);
		if (!raizn_column_live(oz->zone, place.column))
			raizn_lost_add(oz, place.column, place.sector, buf,
				       nr << SECTOR_SHIFT);
	}
	return 0;
}

/**
 * raizn_recover_tail() - compute running parity, and missing data, of the tail stripe
 * @arr:	array that takes no I/O yet
 * @w:		zone that is loaded
 * @buf:	RAIZN_DECODE_ROWS sectors
 * @tmp:	one block
 *
 * Sectors of a row that two members cannot read are lost, but not the zone, if the row's
 * parity was logged.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_recover_tail(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	int err = 0;
	u32 i;

	/* A read-only array may have been here before. */
	if (!oz || !(oz->issued % geo->stripe) || oz->parity[0])
		return 0;
	for (i = 0; i < geo->nr_parity && !err; i++) {
		oz->parity[i] = mempool_alloc(&arr->parity_pool, GFP_KERNEL);
		if (!oz->parity[i])
			err = -ENOMEM;
	}
	if (!err && !raizn_lost_prepare(oz, oz->zone->missing, GFP_KERNEL))
		err = -ENOMEM;
	if (!err)
		err = recover_units(arr, w, buf, tmp);
	if (err && err != -ENOMEM)
		err = recover_by_rows(arr, w, buf, tmp);
	if (!err)
		return 0;
	/* Another resume must not take incomplete parity for complete. */
	for (i = 0; i < geo->nr_parity; i++) {
		if (oz->parity[i])
			raizn_parity_free(arr, oz->parity[i]);
		oz->parity[i] = NULL;
	}
	raizn_lost_drop(oz, U32_MAX);
	return err;
}
