// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery of one zone: read or decode its data, fill missing sectors below the write
 * pointer, and compute the running parity of the tail.
 *
 * Sources stay as they were found: a filled sector does not become a source, so a zone is
 * filled in any order.
 */
#include "start/start.h"
#include "trace.h"

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
	struct raizn_zone *z = &arr->zones[zone];
	struct raizn_relocation *rel;
	int err = 0;
	u32 some;

	if (raizn_rows_are_bad(z, column, sector, nr, RAIZN_BAD_PLACEHOLDER))
		return -EIO;
	for (; !err && nr; nr -= some, sector += some, buf += some << SECTOR_SHIFT) {
		some = raizn_relocation_rows(z, column, sector, nr, &rel);
		if (unlikely(rel)) {
			err = raizn_relocation_read(rel, sector, buf, some);
			raizn_relocation_put(rel);
			continue;
		}
		err = raizn_member_read(raizn_zone_member(z, column)->bdev,
					raizn_column_start(arr, zone, column) + sector,
					buf, some << SECTOR_SHIFT);
		raizn_count(arr, RAIZN_MEMBER_READ, some);
	}
	if (err)
		arr->recovery->unreadable = true;
	return err;
}

/* How many of some rows of a column are there, from the first one on? */
static u32 nr_there(const struct raizn_geometry *geo, const struct raizn_zone_facts *facts,
		    u32 column, u32 sector, u32 nr)
{
	u32 there = 0;

	if (facts->missing & BIT(column))
		return 0;
	if (likely(!facts->nr_spoilt))
		return min(nr, facts->extents[column] - min(facts->extents[column], sector));
	while (there < nr && raizn_row_is_there(facts, column, sector + there))
		there += geo->block;
	return min(there, nr);
}

/* In place of a column, with the index of a record that could not be read. */
#define NO_COLUMN	RAIZN_MAX_MEMBERS

/* Read the rows of a parity; @failed is set as by decode_block(). */
static int read_parity(struct raizn_array *arr, const struct raizn_zone_facts *facts,
		       const struct raizn_place *place, u32 parity, int where,
		       u32 *failed, void *buf)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 pc = raizn_parity_column(geo, facts->zone, place->stripe);

	if (where != RAIZN_FINAL_PARITY) {
		*failed = NO_COLUMN + where;
		return read_pp_row(arr, &facts->pp[where], place->row, geo->block, buf);
	}
	*failed = raizn_parity_column_nth(geo, pc, parity);
	return read_column(arr, facts->zone, *failed, place->sector, geo->block, buf);
}

/* Take data that is there out of each parity that it is part of. */
static int subtract_known(struct raizn_array *arr, const struct raizn_zone_facts *facts,
			  const struct raizn_place *place,
			  const struct raizn_source *src, u32 *failed, void **parity)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 pc = raizn_parity_column(geo, facts->zone, place->stripe);
	u32 offset = place->stripe * geo->stripe + place->row;
	void *data = arr->recovery->block[0];
	bool in_p, in_q;
	u32 pos;
	int err;

	for (pos = 0; pos < geo->nr_data; pos++, offset += geo->su) {
		in_p = parity[0] && offset < src->limit[0];
		in_q = parity[1] && offset < src->limit[1];
		if (src->unknown & BIT(pos) || !(in_p || in_q))
			continue;
		*failed = raizn_data_column(geo, pc, pos);
		err = read_column(arr, facts->zone, *failed, place->sector,
				  geo->block, data);
		if (err)
			return err;
		raizn_parity_subtract(in_p ? parity[0] : NULL, in_q ? parity[1] : NULL,
				      data, geo->block << SECTOR_SHIFT, pos);
	}
	return 0;
}

/*
 * Decode one block from parity and the other data of its rows; see struct raizn_source.
 * After an error @failed is the column that could not be read, or NO_COLUMN and the index of
 * the record that could not.
 */
static int decode_block(struct raizn_array *arr, const struct raizn_zone_facts *facts,
			const struct raizn_place *place,
			const struct raizn_source *src, u32 *failed, void *buf)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 a = __ffs(src->unknown), b = __fls(src->unknown);
	u32 left = hweight32(src->unknown);
	void *parity[RAIZN_MAX_PARITY] = { NULL };
	u32 i, last = 0;
	int err;

	for (i = 0; i < geo->nr_parity && left; i++) {
		if (src->parity[i] == RAIZN_NO_PARITY)
			continue;
		parity[i] = arr->recovery->block[1 + i];
		err = read_parity(arr, facts, place, i, src->parity[i], failed, parity[i]);
		if (err)
			return err;
		last = i;
		left--;
	}
	if (raizn_is_mirror(geo)) {
		memcpy(buf, parity[last], geo->block << SECTOR_SHIFT);
		return 0;
	}
	err = subtract_known(arr, facts, place, src, failed, parity);
	if (err)
		return err;
	raizn_parity_solve(parity[0], parity[1], geo->block << SECTOR_SHIFT, a, b);
	memcpy(buf, parity[!parity[0] || (a != b && place->pos == b)],
	       geo->block << SECTOR_SHIFT);
	return 0;
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
		      u32 offset, void *buf)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_zone *z = &arr->zones[w->zone];
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
		      decode_block(arr, &facts, &place, &src, &failed, buf);
		if (!err)
			return 0;
		if (failed >= NO_COLUMN) {
			skip_records(&facts, failed - NO_COLUMN + 1);
			continue;
		}
		facts.missing |= BIT(failed);
		/* Blocks that are known to be lost cannot be healed. */
		if (raizn_rows_are_bad(z, failed, place.sector, geo->block, 0))
			continue;
		if (!(w->unreadable & BIT(failed)))
			raizn_read_failed(raizn_zone_member(z, failed));
		w->unreadable |= BIT(failed);
	}
	return -EIO;
}

/* Read @nr sectors of one stripe unit, below the zone's write pointer, from any source. */
static int read_data(struct raizn_array *arr, struct raizn_zone_work *w,
		     u32 offset, u32 nr, void *buf)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_place place;
	u32 there;
	int err = 0;

	while (nr && !err) {
		raizn_place(geo, w->zone, offset, &place);
		there = nr_there(geo, &w->facts, place.column, place.sector, nr);
		if (!there || read_column(arr, w->zone, place.column,
					  place.sector, there, buf)) {
			there = geo->block;
			err = read_block(arr, w, offset, buf);
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
			     u32 sector, u32 nr)
{
	u32 c;

	for (c = 0; c < geo->nr_members; c++)
		if (c != column && nr_there(geo, facts, c, sector, nr) < nr)
			return false;
	return geo->nr_parity == 1;
}

static int add_others(struct raizn_array *arr, struct raizn_zone_work *w,
		      u32 column, u32 sector, u32 nr, void *buf)
{
	void *other = arr->recovery->other;
	u32 c;
	int err = 0;

	memset(buf, 0, nr << SECTOR_SHIFT);
	for (c = 0; !err && c < arr->geo.nr_members; c++) {
		if (c == column)
			continue;
		err = read_column(arr, w->zone, c, sector, nr, other);
		if (!err)
			raizn_parity_decode_one(buf, other, nr << SECTOR_SHIFT);
	}
	return err;
}

static int produce(struct raizn_array *arr, struct raizn_zone_work *w,
		   u32 column, u32 sector, u32 nr, void *buf);

/* As produce(), block by block: some blocks cannot be read. */
static int produce_blocks(struct raizn_array *arr, struct raizn_zone_work *w,
			  u32 column, u32 sector, u32 nr, void *buf)
{
	const u32 block = arr->geo.block;
	int err = 0;

	for (; !err && nr; nr -= block, sector += block, buf += block << SECTOR_SHIFT)
		err = produce(arr, w, column, sector, block, buf);
	return err;
}

/*
 * Produce sectors of a column, data or parity, as the zone should have them.  Sectors that
 * the column holds itself are taken as they are, if they can be read.
 */
static int produce(struct raizn_array *arr, struct raizn_zone_work *w,
		   u32 column, u32 sector, u32 nr, void *buf)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 stripe = sector >> geo->su_shift;
	u32 pc = raizn_parity_column(geo, w->zone, stripe);
	u32 nth = (column + geo->nr_members - pc) % geo->nr_members;
	u32 offset = stripe * geo->stripe + (sector & (geo->su - 1));
	void *data = arr->recovery->other;
	bool parity = nth < geo->nr_parity;
	u32 pos, have;
	bool own;
	int err;

	own = nr_there(geo, &w->facts, column, sector, nr) == nr;
	if (own && parity) {
		if (!read_column(arr, w->zone, column, sector, nr, buf))
			return 0;
		if (nr > geo->block)
			return produce_blocks(arr, w, column, sector, nr, buf);
	}
	if ((!own || parity) &&
	    is_sum_of_others(geo, &w->facts, column, sector, nr) &&
	    !add_others(arr, w, column, sector, nr, buf))
		return 0;
	if (!parity)
		return read_data(arr, w, offset +
				 ((nth - geo->nr_parity) << geo->su_shift), nr,
				 buf);

	memset(buf, 0, nr << SECTOR_SHIFT);
	for (pos = 0; pos < geo->nr_data && offset < w->plan.wp;
	     pos++, offset += geo->su) {
		have = min(nr, w->plan.wp - offset);
		err = read_data(arr, w, offset, have, data);
		if (err)
			return err;
		raizn_parity_subtract(nth ? NULL : buf, nth ? buf : NULL, data,
				      have << SECTOR_SHIFT, pos);
	}
	return 0;
}

/*
 * A column that moves takes its lost blocks along: a placeholder, or a placeholder in place of a
 * block that its drive cannot read.
 */
static int move_lost_block(struct raizn_array *arr, struct raizn_zone_work *w, u32 column,
			   u32 sector, void *buf)
{
	struct raizn_zone *z = &arr->zones[w->zone];
	const u32 block = arr->geo.block;
	int err;

	if (!w->moves_to || !raizn_rows_are_bad(z, column, sector, block, 0))
		return -EIO;
	err = raizn_bad_note(z, column, w->moves_to, 0, sector, block);
	raizn_bad_blocks_placeholder(buf, block << SECTOR_SHIFT, block << SECTOR_SHIFT);
	return err;
}

/* As produce(); of a column that moves, lost blocks are left out. */
static int produce_or_leave_out(struct raizn_array *arr, struct raizn_zone_work *w,
				u32 column, u32 sector, u32 nr, void *buf)
{
	const u32 block = arr->geo.block;
	int err = produce(arr, w, column, sector, nr, buf);

	if (!err || !w->moves_to)
		return err;
	for (err = 0; !err && nr; nr -= block, sector += block, buf += block << SECTOR_SHIFT)
		if (produce(arr, w, column, sector, block, buf))
			err = move_lost_block(arr, w, column, sector, buf);
	return err;
}

/* Produce rows of a column up to @end, within one stripe unit, in arr->recovery->rows. */
static int produce_next(struct raizn_array *arr, struct raizn_zone_work *w, u32 column,
			u32 sector, u32 end, u32 *nr)
{
	const u32 su = arr->geo.su;

	*nr = min3(end - sector, CHUNK, su - (sector & (su - 1)));
	cond_resched();
	return produce_or_leave_out(arr, w, column, sector, *nr, arr->recovery->rows);
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
 *
 * Not durable on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_recover_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column, sector_t start, u32 sector,
			 raizn_member_write_fn write)
{
	struct raizn_member *m = raizn_zone_member(&arr->zones[w->zone], column);
	u32 end = w->plan.want[column];
	int err = 0;
	u32 nr;

	for (; !err && sector < end; sector += nr) {
		err = produce_next(arr, w, column, sector, end, &nr);
		if (!err)
			err = write(m, start + sector, arr->recovery->rows, nr << SECTOR_SHIFT);
	}
	return err;
}

/**
 * raizn_recover_pad() - write zeros to a column, where its rows are spoilt
 * @z:		zone of an array that takes no I/O yet
 * @column:	column
 * @row:	first row, the one behind the last one written (sectors in the column)
 * @end:	row behind the last one
 *
 * Not durable on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_recover_pad(struct raizn_zone *z, u32 column, u32 row, u32 end)
{
	struct raizn_array *arr = z->arr;
	sector_t start = raizn_column_start(arr, raizn_zone_number(z), column);
	void *zeros = arr->recovery->other;
	int err = 0;
	u32 nr;

	memset(zeros, 0, CHUNK << SECTOR_SHIFT);
	for (; !err && row < end; row += nr) {
		nr = min(end - row, CHUNK);
		err = raizn_member_write(raizn_zone_member(z, column), start + row, zeros,
					 nr << SECTOR_SHIFT);
	}
	return err;
}

/*
 * A row that is spoilt in place can be had from nowhere: it is lost, and a placeholder goes to the
 * logs.  The next start must not take it for one that was never written.
 */
static void lose_relocated(struct raizn_array *arr, struct raizn_zone_work *w, u32 column,
			   struct raizn_relocation *rel, u32 row)
{
	u32 block = arr->geo.block, bytes = block << SECTOR_SHIFT;

	w->unreadable |= BIT(column);
	/* A read of a row that is not in memory gets an error. */
	if (raizn_array_read_only(arr))
		return;
	if (raizn_bad_note(&arr->zones[w->zone], column, rel->rows.physical, 0, row, block))
		return;
	raizn_bad_blocks_placeholder(arr->recovery->rows, bytes, bytes);
	raizn_relocation_write(rel, row, arr->recovery->rows, block);
}

/* Get rows that are spoilt in place, and not in the logs. */
static void fill_relocated(struct raizn_array *arr, struct raizn_zone_work *w, u32 column,
			   struct raizn_relocation *rel)
{
	u32 row = rel->rows.from, end = min(rel->rows.end, w->plan.want[column]), nr;
	const u32 su = arr->geo.su;
	int err;

	for (; row < end; row += nr) {
		nr = nr_there(&arr->geo, &w->facts, column, row, end - row);
		if (nr)
			continue;
		nr = w->facts.nr_relocated ? arr->geo.block :
		     min3(end - row, su - (row & (su - 1)), CHUNK);
		err = produce(arr, w, column, row, nr, arr->recovery->rows);
		if (err && nr > arr->geo.block) {
			nr = arr->geo.block;
			err = produce(arr, w, column, row, nr, arr->recovery->rows);
		}
		cond_resched();
		if (err) {
			lose_relocated(arr, w, column, rel, row);
		} else {
			raizn_relocation_write(rel, row, arr->recovery->rows, nr);
			trace_raizn_relocate(w->zone, column, row, nr, RAIZN_RELOCATED_DECODED);
		}
		arr->recovery->filled += nr;
	}
}

static void fill_spoilt(struct raizn_array *arr, struct raizn_zone_work *w, u32 column)
{
	struct raizn_zone *z = &arr->zones[w->zone];
	struct raizn_relocation *rel;
	u32 row = 0;

	while ((rel = raizn_relocation_next(z, column, row))) {
		row = rel->rows.end;
		fill_relocated(arr, w, column, rel);
		raizn_relocation_put(rel);
	}
}

/* Write the rows of a column that are behind its end, and padding where they are spoilt. */
static int fill_column(struct raizn_array *arr, struct raizn_zone_work *w, u32 column)
{
	struct raizn_zone *z = &arr->zones[w->zone];
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 end = raizn_relocation_end(z, column, w->plan.want[column]);
	sector_t start = raizn_column_start(arr, w->zone, column);
	u32 row, limit, nr;
	int err = 0;

	for (row = w->facts.extents[column]; !err && row < end; row += nr) {
		nr = raizn_relocation_end(z, column, row) - row;
		if (nr) {
			err = raizn_recover_pad(z, column, row, row + nr);
			continue;
		}
		limit = row + raizn_rows_in_place(z, column, row, end - row);
		err = produce_next(arr, w, column, row, limit, &nr);
		if (!err)
			err = raizn_member_write(m, start + row, arr->recovery->rows,
						 nr << SECTOR_SHIFT);
		arr->recovery->filled += nr;
	}
	return err;
}

/**
 * raizn_recover_fill() - write the missing sectors below a zone's write pointer
 * @arr:	array that takes no I/O yet
 * @w:		the zone
 *
 * Of a read-only array, raizn_stand_ins_make() has made all of these sectors rows in memory.
 * Not durable on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_recover_fill(struct raizn_array *arr, struct raizn_zone_work *w)
{
	u32 c;
	int err = 0;

	/* A finished column holds all sectors that it should. */
	for (c = 0; c < arr->geo.nr_members; c++)
		if (w->plan.action == RAIZN_ZONE_FINISH &&
		    w->facts.full & BIT(c))
			w->facts.extents[c] = w->plan.want[c];
	for (c = 0; c < arr->geo.nr_members; c++)
		if (!(w->facts.missing & BIT(c)))
			fill_spoilt(arr, w, c);
	if (raizn_array_read_only(arr))
		return 0;
	for (c = 0; !err && c < arr->geo.nr_members; c++)
		if (!(w->facts.missing & BIT(c)) &&
		    !(w->plan.action == RAIZN_ZONE_FINISH &&
		      w->facts.full & BIT(c)))
			err = fill_column(arr, w, c);
	return err;
}

/*
 * A parity of a block of rows with data that cannot be had: the logged parity, and the data
 * that was written behind that.
 */
static int row_parity_from_log(struct raizn_array *arr, struct raizn_zone_work *w,
			       u32 offset, u32 unknown, u32 parity, void *to)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 wp = arr->zones[w->zone].oz->issued;
	struct raizn_zone_facts facts = w->facts;
	void *data = arr->recovery->other;
	u32 record, limit, pos;
	int err = -EIO;

	while (err && raizn_find_row_parity(geo, &facts, offset, wp, parity, &record,
					    &limit)) {
		err = read_pp_row(arr, &facts.pp[record], offset % geo->stripe,
				  geo->block, to);
		if (err)
			skip_records(&facts, record + 1);
	}
	for (pos = 0; !err && pos < geo->nr_data && offset < wp;
	     pos++, offset += geo->su) {
		if (offset < limit)
			continue;
		err = unknown & BIT(pos) ? -EIO :
		      read_data(arr, w, offset, geo->block, data);
		if (!err)
			raizn_parity_subtract(parity ? NULL : to, parity ? to : NULL,
					      data, geo->block << SECTOR_SHIFT, pos);
	}
	return err;
}

/* Recover a block of rows: the data that can be had, and parity in any case. */
static int recover_rows(struct raizn_array *arr, struct raizn_zone_work *w, u32 row)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	const u32 first = rounddown(oz->issued, geo->stripe) + row;
	const u32 bytes = geo->block << SECTOR_SHIFT;
	void *rows = arr->recovery->rows;
	u32 offset = first, unknown = 0, pos, i;
	struct raizn_place place;
	int err;

	for (pos = 0; pos < geo->nr_data && offset < oz->issued;
	     pos++, offset += geo->su) {
		raizn_place(geo, w->zone, offset, &place);
		err = read_data(arr, w, offset, geo->block, rows);
		if (err) {
			unknown |= BIT(pos);
			if (!raizn_column_live(oz->zone, place.column))
				raizn_lost_add_bad(oz, place.column, place.sector,
						   geo->block);
			continue;
		}
		raizn_parity_subtract(raizn_parity_rows(oz, 0, row),
				      raizn_parity_rows(oz, 1, row), rows, bytes, pos);
		if (!raizn_column_live(oz->zone, place.column))
			raizn_lost_add(oz, place.column, place.sector, rows, bytes);
	}
	if (!unknown)
		return 0;
	for (err = 0, i = 0; i < geo->nr_parity && !err; i++)
		err = row_parity_from_log(arr, w, first, unknown, i,
					  raizn_parity_rows(oz, i, row));
	if (!err)
		DMERR_LIMIT("array %pU: logical zone %u: sectors %u to %u of units (%#x) are lost: too many members cannot read them",
			    arr->uuid, w->zone, row, row + geo->block - 1, unknown);
	return err;
}

static int recover_by_rows(struct raizn_array *arr, struct raizn_zone_work *w)
{
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	u32 rows = min(oz->issued % arr->geo.stripe, arr->geo.su);
	u32 row, i;
	int err = 0;

	for (i = 0; i < arr->geo.nr_parity; i++)
		memset(oz->parity[i]->data, 0, arr->geo.su << SECTOR_SHIFT);
	for (row = 0; !err && row < rows; row += arr->geo.block)
		err = recover_rows(arr, w, row);
	return err;
}

static int recover_units(struct raizn_array *arr, struct raizn_zone_work *w)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	void *rows = arr->recovery->rows;
	struct raizn_place place;
	u32 offset, nr;
	int err;

	for (offset = rounddown(oz->issued, geo->stripe); offset < oz->issued;
	     offset += nr) {
		raizn_place(geo, w->zone, offset, &place);
		nr = min3(oz->issued - offset, CHUNK, geo->su - place.row);
		err = read_data(arr, w, offset, nr, rows);
		if (err)
			return err;
		raizn_parity_add(raizn_parity_rows(oz, 0, place.row),
				 raizn_parity_rows(oz, 1, place.row), rows,
				 nr << SECTOR_SHIFT, place.pos);
		if (!raizn_column_live(oz->zone, place.column))
			raizn_lost_add(oz, place.column, place.sector, rows,
				       nr << SECTOR_SHIFT);
	}
	return 0;
}

static void drop_tail(struct raizn_open_zone *oz)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(oz->parity); i++) {
		if (oz->parity[i])
			raizn_parity_free(oz->zone->arr, oz->parity[i]);
		oz->parity[i] = NULL;
	}
	raizn_lost_drop(oz, U32_MAX);
}

/**
 * raizn_recover_tail() - compute running parity, and missing data, of the tail stripe
 * @arr:	array that takes no I/O yet
 * @w:		zone that is loaded
 *
 * Sectors of a row that two members cannot read are lost, but not the zone, if the row's
 * parity was logged.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_recover_tail(struct raizn_array *arr, struct raizn_zone_work *w)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_open_zone *oz = arr->zones[w->zone].oz;
	int err = 0;
	u32 i;

	/* A read-only array may have been here before. */
	if (!oz || !(oz->issued % geo->stripe) || !raizn_running_parities(geo) ||
	    oz->parity[0])
		return 0;
	for (i = 0; i < geo->nr_parity && !err; i++) {
		oz->parity[i] = mempool_alloc(&arr->parity_pool, GFP_KERNEL);
		if (!oz->parity[i])
			err = -ENOMEM;
	}
	if (!err && !raizn_lost_prepare(oz, oz->zone->missing, GFP_KERNEL))
		err = -ENOMEM;
	if (!err)
		err = recover_units(arr, w);
	if (err && err != -ENOMEM)
		err = recover_by_rows(arr, w);
	/* Another resume must not take incomplete parity for complete. */
	if (err)
		drop_tail(oz);
	return err;
}

/**
 * raizn_recover_tail_without() - do without columns whose part of the tail cannot be read
 * @arr:	array that takes no I/O yet
 * @w:		zone with its tail recovered
 * @columns:	columns (bits) that become missing; their data of the tail stripe goes to memory
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_recover_tail_without(struct raizn_array *arr, struct raizn_zone_work *w,
			       u32 columns)
{
	struct raizn_zone *z = &arr->zones[w->zone];

	z->missing |= columns;
	drop_tail(z->oz);
	return raizn_recover_tail(arr, w);
}
