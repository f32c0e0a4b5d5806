// SPDX-License-Identifier: GPL-2.0
/*
 * The tail of a zone in which a write failed that parity does not make up for.
 *
 * Running parity is that of the data that was issued, and some of that is nowhere.  So it is
 * computed again from the data that was completed: that of missing columns is in memory, all
 * other is on the members.
 */
#include "member/bad_block.h"
#include "repair/repair.h"

static int read_unit(struct raizn_open_zone *oz, const struct raizn_place *place, u32 nr,
		     void *buf)
{
	struct raizn_zone *z = oz->zone;

	if (!raizn_column_live(z, place->column))
		return raizn_lost_copy(oz, place->column, place->stripe, place->row, nr, buf);
	return raizn_column_read(z, place->column, place->sector, buf, nr);
}

static int add_units(struct raizn_open_zone *oz, void *buf)
{
	struct raizn_zone *z = oz->zone;
	const struct raizn_geometry *geo = &z->arr->geo;
	struct raizn_place place;
	u32 offset, nr;
	int err;

	for (offset = rounddown(oz->issued, geo->stripe); offset < oz->issued; offset += nr) {
		raizn_place(geo, raizn_zone_number(z), offset, &place);
		nr = min3(oz->issued - offset, RAIZN_DECODE_ROWS, geo->su - place.row);
		err = read_unit(oz, &place, nr, buf);
		if (err)
			return err;
		raizn_parity_add(raizn_parity_rows(oz, 0, place.row),
				 raizn_parity_rows(oz, 1, place.row), buf,
				 nr << SECTOR_SHIFT, place.pos);
	}
	return 0;
}

/**
 * raizn_tail_go_back() - take the data that was issued and not completed out of a zone
 * @oz:		open zone without batches under way
 *
 * The tail is to be logged anew: a later record is of data that was not written.
 *
 * Context: the zone's worker.  Return: 0 or -errno.
 */
int raizn_tail_go_back(struct raizn_open_zone *oz)
{
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_decode *dec;
	int err;
	u32 i;

	if (oz->issued == oz->completed && (oz->parity[0] || !(oz->issued % geo->stripe)))
		return 0;
	oz->issued = oz->completed;
	oz->logged = rounddown(oz->issued, geo->stripe);
	raizn_lost_go_back(oz, DIV_ROUND_UP(oz->issued, geo->stripe));
	if (!(oz->issued % geo->stripe) || !raizn_running_parities(geo))
		return 0;
	for (i = 0; i < geo->nr_parity; i++)
		if (!oz->parity[i])
			oz->parity[i] = mempool_alloc(&arr->parity_pool, GFP_NOIO);
	dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);
	err = add_units(oz, dec->buf[0]);
	mempool_free(dec, &arr->decode_pool);
	return err;
}
