// SPDX-License-Identifier: GPL-2.0
/*
 * Reconstruction of rows of a stripe: columns that are wanted are computed from columns that
 * can be read, in complete stripes, in finished zones, and in a tail whose running parity the
 * caller has.
 *
 * Each unit of data that is wanted, lost or unreadable is an unknown, and takes one parity.
 * A parity is read into the buffer of the unknown that it is for.  All other data is taken out
 * of it, and the rest is solved for the unknowns in place.  A column that turns out to be
 * unreadable is one more unknown, as long as there is parity for it.
 */
#include "member/bad_block.h"
#include "member/relocation.h"
#include "repair/repair.h"
#include "trace.h"

/* In dec->solves[]: the parity is not needed. */
#define UNUSED	U32_MAX

/**
 * raizn_decode_alloc() - make buffers to reconstruct with
 * @arr:	array
 * @rows:	sectors that each buffer has room for
 * @gfp:	how to allocate
 *
 * Return: buffers, or NULL.
 */
struct raizn_decode *raizn_decode_alloc(struct raizn_array *arr, u32 rows, gfp_t gfp)
{
	struct raizn_decode *dec = kzalloc(sizeof(*dec), gfp);
	u32 c;

	if (!dec)
		return NULL;
	for (c = 0; c < arr->geo.nr_members; c++) {
		/* kmalloc() aligns a power of two to its size. */
		dec->buf[c] = kmalloc(roundup_pow_of_two(rows) << SECTOR_SHIFT,
				      gfp);
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

/**
 * raizn_decode_free() - free buffers of raizn_decode_alloc()
 * @arr:	array
 * @dec:	buffers
 */
void raizn_decode_free(struct raizn_array *arr, struct raizn_decode *dec)
{
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++)
		kfree(dec->buf[c]);
	kfree(dec);
}

static void *decode_pool_alloc(gfp_t gfp, void *data)
{
	return raizn_decode_alloc(data, RAIZN_DECODE_ROWS, gfp);
}

static void decode_pool_free(void *element, void *data)
{
	raizn_decode_free(data, element);
}

/**
 * raizn_decode_pool_init() - make arr->decode_pool
 * @arr:	array
 *
 * Return: 0 or -ENOMEM.
 */
int raizn_decode_pool_init(struct raizn_array *arr)
{
	/* Rebuilders and the scrub keep their buffers as long as they run. */
	return mempool_init(&arr->decode_pool, RAIZN_REBUILDERS + 1 + 2,
			    decode_pool_alloc, decode_pool_free, arr);
}

/**
 * raizn_rows_read() - read rows of a column, from its member or from memory
 * @z:		zone
 * @column:	column whose member is live
 * @sector:	first row (sectors in the column)
 * @start:	its place on the member
 * @buf:	buffer of @nr sectors
 * @nr:		rows
 *
 * Context: process.  Return: 0, -errno of the read, or -EIO if a row is spoilt in place and not in
 * memory.
 */
int raizn_rows_read(const struct raizn_zone *z, u32 column, u32 sector, sector_t start,
		    void *buf, u32 nr)
{
	struct raizn_relocation *rel;
	int err = 0;
	u32 some;

	for (; !err && nr; nr -= some, sector += some, start += some) {
		some = raizn_relocation_rows(z, column, sector, nr, &rel);
		if (unlikely(rel)) {
			err = raizn_relocation_read(rel, sector, buf, some);
			raizn_relocation_put(rel);
			if (!err)
				trace_raizn_relocate(raizn_zone_number(z), column, sector, some,
						     RAIZN_RELOCATED_READ);
		} else {
			err = raizn_member_read(raizn_zone_member(z, column)->bdev, start, buf,
						some << SECTOR_SHIFT);
			if (!err)
				raizn_count(z->arr, RAIZN_MEMBER_READ, some);
		}
		buf += some << SECTOR_SHIFT;
	}
	return err;
}

/**
 * raizn_column_read() - read rows of a column from its member
 * @z:		zone
 * @column:	column whose member is live
 * @sector:	first row (sectors in the column)
 * @buf:	buffer of @nr sectors
 * @nr:		rows, within one stripe unit
 *
 * If the column moves meanwhile, it is read at its new place.
 *
 * Context: process.  Return: 0, -errno of the read, or -EIO if a row is a placeholder or the
 * column is nowhere.
 */
int raizn_column_read(const struct raizn_zone *z, u32 column, u32 sector, void *buf, u32 nr)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	u32 moves, physical;
	sector_t start;
	int err;

	do {
		moves = raizn_moves(arr);
		physical = raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
		if (!raizn_rows_at(z, column, sector, nr, &start) || physical == RAIZN_NOWHERE)
			return -EIO;
		err = raizn_rows_read(z, column, sector, start, buf, nr);
		/* When the map changes, no row is spoilt any more; then that counts as a move. */
	} while (raizn_moved(arr, moves) ||
		 physical != raizn_zone_map_physical(&arr->geo, &arr->map, zone, column));
	return err;
}

static void gather_endio(struct bio *bio)
{
	struct raizn_member_bio *mb =
		container_of(bio, struct raizn_member_bio, bio);
	struct raizn_decode *dec = bio->bi_private;
	blk_status_t status = bio->bi_status;

	if (status)
		set_bit(mb->column, &dec->failed);
	bio_put(bio);
	raizn_group_put(&dec->reads, status);
}

static void refuse_column(struct raizn_decode *dec, u32 column)
{
	set_bit(column, &dec->failed);
	WRITE_ONCE(dec->reads.status, BLK_STS_MEDIUM);
}

/*
 * Begin to read the first @nr of the rows of a column to @buf.  A placeholder is as good as a
 * block that the drive cannot read.
 */
static void gather_column(struct raizn_array *arr, struct raizn_decode *dec,
			  u32 column, void *buf, u32 nr)
{
	struct raizn_zone *z = &arr->zones[dec->zone];
	sector_t start;
	struct bio *bio;

	if (raizn_rows_are_spoilt(z, column, dec->sector, nr)) {
		if (raizn_column_read(z, column, dec->sector, buf, nr))
			refuse_column(dec, column);
		return;
	}
	if (unlikely(!raizn_rows_at(z, column, dec->sector, nr, &start))) {
		refuse_column(dec, column);
		return;
	}
	bio = bio_alloc_bioset(raizn_zone_member(z, column)->bdev, 1,
			       REQ_OP_READ | REQ_SYNC | dec->alone,
			       GFP_NOIO, &arr->bios);
	container_of(bio, struct raizn_member_bio, bio)->column = column;
	bio->bi_iter.bi_sector = start;
	bio->bi_private = dec;
	bio->bi_end_io = gather_endio;
	__bio_add_page(bio, virt_to_page(buf), nr << SECTOR_SHIFT,
		       offset_in_page(buf));
	raizn_group_get(&dec->reads);
	raizn_count(arr, RAIZN_MEMBER_READ, nr);
	submit_bio(bio);
}

/* Fill the buffer of a unit of data: rows behind the write pointer are zeros. */
static void gather_data(struct raizn_array *arr, struct raizn_decode *dec, u32 column,
			u32 have)
{
	memset(dec->buf[column] + (have << SECTOR_SHIFT), 0,
	       (dec->nr - have) << SECTOR_SHIFT);
	if (have)
		gather_column(arr, dec, column, dec->buf[column], have);
}

static void gather_init(struct raizn_array *arr, struct raizn_decode *dec)
{
	dec->life = READ_ONCE(arr->zones[dec->zone].life);
	dec->moves = raizn_moves(arr);
	dec->failed = 0;
	raizn_group_init(&dec->reads);
}

/*
 * Blocks that are known to be lost cannot be healed.  Beside them, only the read of a single
 * block proves it unreadable: others may have failed together with the read of a lost one.
 */
static bool may_be_known(const struct raizn_zone *z, const struct raizn_decode *dec, u32 column)
{
	return raizn_zone_has_bad(z) &&
	       (!dec->alone || raizn_rows_are_bad(z, column, dec->sector, dec->nr, 0));
}

/* Return: 0, -errno of a read, or -ESTALE if a column may have left its place meanwhile. */
static int gather_end(struct raizn_array *arr, struct raizn_decode *dec)
{
	struct raizn_zone *z = &arr->zones[dec->zone];
	int err = raizn_group_wait(&dec->reads);
	unsigned long c;

	if (raizn_moved(arr, dec->moves))
		return -ESTALE;
	/* Some drives fail reads of sectors that were emptied. */
	if (READ_ONCE(z->resets) || READ_ONCE(z->life) != dec->life)
		dec->failed = 0;
	for_each_set_bit(c, &dec->failed, arr->geo.nr_members)
		if (!may_be_known(z, dec, c))
			raizn_note_unreadable(z, c, dec->life);
	return err;
}

/* How many of the rows of data position @pos are below the write pointer? */
static u32 present_rows(const struct raizn_geometry *geo, const struct raizn_decode *dec,
			u32 pos)
{
	u32 offset = (dec->sector >> geo->su_shift) * geo->stripe +
		     (pos << geo->su_shift) + (dec->sector & (geo->su - 1));

	return dec->wp <= offset ? 0 : min(dec->nr, dec->wp - offset);
}

static u32 parity_column(const struct raizn_geometry *geo, const struct raizn_decode *dec)
{
	return raizn_parity_column(geo, dec->zone, dec->sector >> geo->su_shift);
}

static void gather_all(struct raizn_array *arr, struct raizn_decode *dec)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 pc = parity_column(geo, dec);
	u32 pos, i, c;

	gather_init(arr, dec);
	for (i = 0; i < geo->nr_parity; i++) {
		c = raizn_parity_column_nth(geo, pc, i);
		gather_column(arr, dec, c, dec->buf[c], dec->nr);
	}
	for (pos = 0; pos < geo->nr_data; pos++)
		gather_data(arr, dec, raizn_data_column(geo, pc, pos),
			    present_rows(geo, dec, pos));
}

/**
 * raizn_gather_rows() - read the same rows of all columns, parity included
 * @arr:	array
 * @dec:	buffers; the rows of each column are read into its own buffer
 * @zone:	logical zone number; no column of the zone is missing
 * @sector:	first sector in the columns, in a complete stripe, or in the incomplete
 *		stripe of a finished zone
 * @nr:		sectors, within one stripe unit, at most RAIZN_DECODE_ROWS
 * @wp:		write pointer of the zone (offset); data beyond it counts as zeros
 *
 * Context: process.  Return: 0, or -errno when a column cannot be read.
 */
int raizn_gather_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 sector, u32 nr, u32 wp)
{
	int err;

	dec->zone = zone;
	dec->sector = sector;
	dec->nr = nr;
	dec->wp = wp;
	do {
		if (raizn_zone_lost(&arr->zones[zone]))
			return -EIO;
		gather_all(arr, dec);
		err = gather_end(arr, dec);
	} while (err == -ESTALE);
	return err;
}

static void copy_up(const struct raizn_geometry *geo, struct raizn_decode *dec)
{
	u32 from = raizn_data_column(geo, parity_column(geo, dec), 0);
	u32 c;

	for (c = 0; c < geo->nr_members; c++)
		if (c != from && dec->want & BIT(c))
			memcpy(dec->buf[c], dec->buf[from], dec->nr << SECTOR_SHIFT);
}

/* Compute the parities that are wanted: all data is there now. */
static void add_up(const struct raizn_geometry *geo, struct raizn_decode *dec)
{
	u32 pc = parity_column(geo, dec);
	void *parity[RAIZN_MAX_PARITY] = { NULL };
	u32 pos, i, c;
	bool any = false;

	if (raizn_is_mirror(geo)) {
		copy_up(geo, dec);
		return;
	}
	for (i = 0; i < geo->nr_parity; i++) {
		c = raizn_parity_column_nth(geo, pc, i);
		if (dec->want & BIT(c))
			parity[i] = dec->buf[c];
		any |= !!parity[i];
	}
	for (pos = 0; any && pos < geo->nr_data; pos++)
		raizn_parity_add(parity[0], parity[1],
				 dec->buf[raizn_data_column(geo, pc, pos)],
				 dec->nr << SECTOR_SHIFT, pos);
}

/* Rows of a column from byte @at on. */
static void *rows_of(const struct raizn_decode *dec, u32 column, u32 at)
{
	return dec->buf[column] + at;
}

/* One copy of a block differs from all others: that one; else those that differ from the data. */
static u32 wrong_copies(const struct raizn_geometry *geo, const struct raizn_decode *dec,
			u32 at)
{
	u32 first = raizn_data_column(geo, parity_column(geo, dec), 0);
	u32 other = first ? 0 : 1, bytes = geo->block << SECTOR_SHIFT;
	u32 wrong = 0, c;

	for (c = 0; c < geo->nr_members; c++)
		if (memcmp(rows_of(dec, c, at), rows_of(dec, first, at), bytes))
			wrong |= BIT(c);
	if (hweight32(wrong) < geo->nr_parity || geo->nr_parity < 2)
		return wrong;
	for (c = 0; c < geo->nr_members; c++)
		if (c != first &&
		    memcmp(rows_of(dec, c, at), rows_of(dec, other, at), bytes))
			return wrong;
	return BIT(first);
}

/* Take all data out of the parities: zeros are left where parity is right. */
static void subtract_data(const struct raizn_geometry *geo, struct raizn_decode *dec)
{
	u32 pc = parity_column(geo, dec);
	void *p = dec->buf[pc];
	void *q = geo->nr_parity > 1 ?
		  dec->buf[raizn_parity_column_nth(geo, pc, 1)] : NULL;
	u32 pos;

	for (pos = 0; pos < geo->nr_data && geo->nr_parity && !raizn_is_mirror(geo); pos++)
		raizn_parity_subtract(p, q, dec->buf[raizn_data_column(geo, pc, pos)],
				      dec->nr << SECTOR_SHIFT, pos);
}

/* Wrong columns of a block, after subtract_data(). */
static u32 wrong_in_block(const struct raizn_geometry *geo,
			  const struct raizn_decode *dec, u32 at)
{
	u32 pc = parity_column(geo, dec), columns = 0, pos, i;
	void *q = NULL;

	if (!geo->nr_parity)
		return 0;
	if (raizn_is_mirror(geo))
		return wrong_copies(geo, dec, at);
	if (geo->nr_parity > 1)
		q = rows_of(dec, raizn_parity_column_nth(geo, pc, 1), at);
	pos = raizn_parity_guilty(rows_of(dec, pc, at), q, geo->block << SECTOR_SHIFT,
				  geo->nr_data);
	switch (pos) {
	case RAIZN_GUILTY_NONE:
		return 0;
	case RAIZN_GUILTY_P:
		return BIT(pc);
	case RAIZN_GUILTY_Q:
		return BIT(raizn_parity_column_nth(geo, pc, 1));
	case RAIZN_GUILTY_UNKNOWN:
		for (i = 0; i < geo->nr_parity; i++)
			columns |= BIT(raizn_parity_column_nth(geo, pc, i));
		return columns;
	default:
		return BIT(raizn_data_column(geo, pc, pos));
	}
}

/**
 * raizn_wrong_columns() - find the wrong columns in rows that were gathered
 * @geo:	geometry
 * @dec:	buffers of raizn_gather_rows(); those of parity are used up
 *
 * Each block is judged by itself: a single unit of it may be wrong.
 *
 * Return: columns (bit by column); if they cannot be identified, those of the parities.
 */
u32 raizn_wrong_columns(const struct raizn_geometry *geo, struct raizn_decode *dec)
{
	u32 columns = 0, at;

	subtract_data(geo, dec);
	for (at = 0; at < dec->nr; at += geo->block)
		columns |= wrong_in_block(geo, dec, at << SECTOR_SHIFT);
	return columns;
}

/* If a block of data is wrong, make it right; see wrong_in_block(). */
static void put_right(const struct raizn_geometry *geo, struct raizn_decode *dec, u32 at)
{
	u32 pc = parity_column(geo, dec), bytes = geo->block << SECTOR_SHIFT;
	u32 wrong = wrong_in_block(geo, dec, at);
	u32 pos, c;

	for (pos = 0; pos < geo->nr_data; pos++) {
		c = raizn_data_column(geo, pc, pos);
		if (!(wrong & BIT(c)))
			continue;
		if (raizn_is_mirror(geo))
			memcpy(rows_of(dec, c, at), rows_of(dec, pc, at), bytes);
		else
			raizn_parity_subtract(rows_of(dec, c, at), NULL,
					      rows_of(dec, pc, at), bytes, 0);
	}
}

/**
 * raizn_gather_right() - get rows of a column as they should be, though it may be wrong
 * @arr:	array with two parities or more, or copies
 * @dec:	buffers; the result is in that of the column
 * @zone:	logical zone number; no column of the zone is missing
 * @column:	column
 * @sector:	first sector in the column, in a complete stripe, or in the incomplete
 *		stripe of a finished zone
 * @nr:		sectors, within one stripe unit, at most RAIZN_DECODE_ROWS
 * @wp:		write pointer of the zone (offset)
 *
 * Context: process.  Return: 0, or -errno when a column cannot be read.
 */
int raizn_gather_right(struct raizn_array *arr, struct raizn_decode *dec, u32 zone,
		       u32 column, u32 sector, u32 nr, u32 wp)
{
	int err = raizn_gather_rows(arr, dec, zone, sector, nr, wp);
	u32 at;

	if (err)
		return err;
	subtract_data(&arr->geo, dec);
	for (at = 0; at < nr; at += arr->geo.block)
		put_right(&arr->geo, dec, at << SECTOR_SHIFT);
	dec->want = BIT(column);
	add_up(&arr->geo, dec);
	return 0;
}

/*
 * Choose a parity for each unknown, and note for which: dec->solves[] has the data position
 * of each parity that is used, or UNUSED.  Returns false if there are too few.
 */
static bool choose_parities(const struct raizn_geometry *geo, struct raizn_decode *dec)
{
	u32 pc = parity_column(geo, dec);
	u32 pos, i = 0;

	for (pos = 0; pos < geo->nr_data; pos++) {
		if (!(dec->unknown & BIT(pos)))
			continue;
		while (i < geo->nr_parity && !dec->parity[i] &&
		       dec->avoid & BIT(raizn_parity_column_nth(geo, pc, i)))
			dec->solves[i++] = UNUSED;
		if (i == geo->nr_parity)
			return false;
		dec->solves[i++] = pos;
	}
	while (i < geo->nr_parity)
		dec->solves[i++] = UNUSED;
	return true;
}

/*
 * Data positions whose columns cannot be read.  Behind the write pointer there is no data; but
 * the write pointer of a damaged zone is not known.
 */
static u32 find_unknown(struct raizn_array *arr, struct raizn_decode *dec)
{
	const struct raizn_geometry *geo = &arr->geo;
	bool damaged = raizn_zone_damaged(&arr->zones[dec->zone]);
	u32 pc = parity_column(geo, dec);
	u32 unknown = 0, pos;

	for (pos = 0; pos < geo->nr_data; pos++)
		if (dec->avoid & BIT(raizn_data_column(geo, pc, pos)) &&
		    (damaged || present_rows(geo, dec, pos)))
			unknown |= BIT(pos);
	return unknown;
}

/* Begin to read all that is needed, without the columns of dec->avoid. */
static int begin(struct raizn_array *arr, struct raizn_decode *dec)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 pc = parity_column(geo, dec);
	u32 pos, i, c, have;
	void *buf;

	dec->avoid |= raizn_zone_lost(&arr->zones[dec->zone]);
	dec->unknown = find_unknown(arr, dec);
	if (!choose_parities(geo, dec))
		return -EIO;
	gather_init(arr, dec);
	for (i = 0; i < geo->nr_parity; i++) {
		if (dec->solves[i] == UNUSED)
			continue;
		buf = dec->buf[raizn_data_column(geo, pc, dec->solves[i])];
		if (dec->parity[i])
			memcpy(buf, dec->parity[i], dec->nr << SECTOR_SHIFT);
		else
			gather_column(arr, dec, raizn_parity_column_nth(geo, pc, i),
				      buf, dec->nr);
	}
	for (pos = 0; pos < geo->nr_data; pos++) {
		c = raizn_data_column(geo, pc, pos);
		have = present_rows(geo, dec, pos);
		if (!(dec->unknown & BIT(pos)))
			gather_data(arr, dec, c, have);
	}
	return 0;
}

/**
 * raizn_running_parity() - running parity of rows of a zone's tail
 * @oz:		open zone with running parity, which belongs to the caller
 * @sector:	first row (sectors in the columns)
 * @parity:	set, for each parity, to the rows in memory
 */
void raizn_running_parity(const struct raizn_open_zone *oz, u32 sector,
			  const void **parity)
{
	const struct raizn_geometry *geo = &oz->zone->arr->geo;
	u32 i;

	for (i = 0; i < geo->nr_parity; i++)
		parity[i] = raizn_parity_rows(oz, i, sector & (geo->su - 1));
}

/**
 * raizn_decode_begin() - begin to compute rows of columns from other columns
 * @arr:	array
 * @dec:	buffers
 * @zone:	logical zone number
 * @want:	columns (bit by column), data or parity; missing, or not to be trusted
 * @sector:	first sector in the columns, in a complete stripe, or in the incomplete
 *		stripe of a finished zone, or in the tail if @parity is given
 * @nr:		sectors, within one stripe unit, at most RAIZN_DECODE_ROWS
 * @wp:		write pointer of the zone (offset); data beyond it counts as zeros
 * @parity:	each parity of these rows, in memory; or NULL: read it
 *
 * Context: process.  Return: 0, and raizn_decode_end() must follow; or -EIO when too many
 * columns are missing.
 */
int raizn_decode_begin(struct raizn_array *arr, struct raizn_decode *dec,
		       u32 zone, u32 want, u32 sector, u32 nr, u32 wp,
		       const void * const *parity)
{
	u32 i;

	dec->zone = zone;
	dec->sector = sector;
	dec->nr = nr;
	dec->wp = wp;
	dec->want = want;
	dec->avoid = want;
	dec->failed = 0;
	for (i = 0; i < arr->geo.nr_parity; i++)
		dec->parity[i] = parity ? parity[i] : NULL;
	return begin(arr, dec);
}

/* All data that is there was read, and the parities for the rest: compute the rest. */
static void solve(const struct raizn_geometry *geo, struct raizn_decode *dec)
{
	u32 bytes = dec->nr << SECTOR_SHIFT, pc = parity_column(geo, dec);
	void *p = NULL, *q = NULL;
	u32 a = 0, b = 0, pos;

	/* A copy is the data. */
	if (!dec->unknown || raizn_is_mirror(geo))
		return;
	if (dec->solves[0] != UNUSED) {
		a = dec->solves[0];
		p = dec->buf[raizn_data_column(geo, pc, a)];
	}
	if (geo->nr_parity > 1 && dec->solves[1] != UNUSED) {
		b = dec->solves[1];
		q = dec->buf[raizn_data_column(geo, pc, b)];
	}
	for (pos = 0; pos < geo->nr_data; pos++)
		if (!(dec->unknown & BIT(pos)) && present_rows(geo, dec, pos))
			raizn_parity_subtract(p, q,
					      dec->buf[raizn_data_column(geo, pc, pos)],
					      bytes, pos);
	raizn_parity_solve(p, q, bytes, p ? a : b, b);
}

/**
 * raizn_decode_end() - wait for the reads, and compute the columns that are wanted
 * @arr:	array
 * @dec:	buffers of raizn_decode_begin(); the result is in the buffer of each column
 *		that is wanted, the rows of every column of data in its own buffer
 *
 * A column that cannot be read is avoided in another try.  If a column has moved meanwhile, all is
 * read again.
 *
 * Context: process.  Return: 0 or -errno when too many columns cannot be read.
 */
int raizn_decode_end(struct raizn_array *arr, struct raizn_decode *dec)
{
	int err = gather_end(arr, dec);

	while (err == -ESTALE || (err && dec->failed & ~dec->avoid)) {
		if (err != -ESTALE)
			dec->avoid |= dec->failed;
		if (begin(arr, dec))
			return err == -ESTALE ? -EIO : err;
		err = gather_end(arr, dec);
	}
	if (err)
		return err;
	solve(&arr->geo, dec);
	add_up(&arr->geo, dec);
	return 0;
}

/**
 * raizn_decode_rows() - raizn_decode_begin() and raizn_decode_end() in one
 * @arr:	array
 * @dec:	buffers; see raizn_decode_end()
 * @zone:	logical zone number
 * @want:	columns (bit by column)
 * @sector:	first sector in the columns
 * @nr:		sectors
 * @wp:		write pointer of the zone (offset)
 * @parity:	each parity of these rows, or NULL to read it
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_decode_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 want, u32 sector, u32 nr, u32 wp,
		      const void * const *parity)
{
	int err = raizn_decode_begin(arr, dec, zone, want, sector, nr, wp,
				     parity);

	return err ? err : raizn_decode_end(arr, dec);
}
