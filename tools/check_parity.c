// SPDX-License-Identifier: GPL-2.0
/*
 * raizn check: does parity agree with the data?
 *
 * Of every zone all complete stripes are compared, and the tail: that of a
 * finished zone has its parity in place, that of another one in the
 * partial-parity log.
 */
#include <stdlib.h>
#include <unistd.h>

#include "../raizn/core/parity.h"
#include "tool.h"
#include "check.h"
#include "log.h"

/* Read from each member at a time, if a stripe unit is not larger. */
#define CHUNK_BYTES	(1U << 20)

/**
 * struct scan_state - comparing
 * @check:	the array
 * @facts, @plan: the zone
 * @chunk:	stripes read at a time
 * @columns:	by column: what was read
 * @failed:	by column: it could not be read
 * @unit:	a stripe unit for each parity that is computed, and one for data
 *		that is missing
 * @record:	room for a partial-parity record
 * @progress:	of what is read
 */
struct scan_state {
	struct check *check;
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u32 chunk;
	u8 *columns[RAIZN_MAX_MEMBERS];
	u32 failed;
	u8 *parity[RAIZN_MAX_PARITY];
	u8 *missing;
	struct raizn_record *record;
	struct progress progress;
};

static bool is_missing(const struct scan_state *state, u32 column)
{
	return (state->facts.missing | state->failed) & (1U << column);
}

/* Read sectors of a column; what cannot be read counts as missing. */
static void read_column(struct scan_state *state, u32 column, u32 sector,
			u32 nr, u8 *to)
{
	size_t bytes = (size_t)nr << 9;
	u8 *rows = to;
	ssize_t got;
	u64 at;
	int fd;

	if (is_missing(state, column))
		return;
	fd = state->check->slots[check_slot(state->check, state->facts.zone, column)]
		.member->drive.fd;
	at = check_column(state->check, state->facts.zone, column)->start +
	     ((u64)sector << 9);
	while (bytes) {
		got = pread(fd, to, bytes, at);
		if (got <= 0 || got % 512) {
			state->failed |= 1U << column;
			return;
		}
		to += got;
		at += got;
		bytes -= got;
	}
	if (!check_read_spoilt(state->check, &state->facts, column, sector, nr, rows))
		state->failed |= 1U << column;
}

static void tell_unreadable(struct scan_state *state, u32 stripe)
{
	u32 c;

	state->check->parity.unreadable++;
	for (c = 0; c < state->check->geo->nr_members; c++)
		if (state->failed & (1U << c))
			check_problem(state->check,
				      "%s: data of zone %u, stripe %u cannot be read; see the kernel log",
				      check_device(state->check, state->facts.zone, c),
				      state->facts.zone, stripe);
}

static u32 first_difference(const u8 *a, const u8 *b, u32 sectors)
{
	u32 i;

	for (i = 0; i < sectors; i++)
		if (memcmp(a + i * 512, b + i * 512, 512))
			break;
	return i;
}

static void tell_mismatch(struct scan_state *state, u32 stripe, u32 parity,
			  u32 column, u32 row)
{
	state->check->parity.mismatches++;
	if (raizn_is_mirror(state->check->geo)) {
		check_problem(state->check,
			      "zone %u, stripe %u: the copy on %s is another one from row %u on",
			      state->facts.zone, stripe,
			      check_device(state->check, state->facts.zone, column), row);
		return;
	}
	check_problem(state->check,
		      "zone %u, stripe %u: parity %c on %s does not agree with the data from row %u on",
		      state->facts.zone, stripe, parity ? 'Q' : 'P',
		      check_device(state->check, state->facts.zone, column), row);
}

/**
 * struct stripe - one stripe in memory
 * @nr:		its number
 * @offset:	of its units in the columns' buffers
 * @rows:	by data position: rows that hold data
 */
struct stripe {
	u32 nr;
	u32 offset;
	u32 rows[RAIZN_MAX_MEMBERS];
};

static void set_rows(const struct raizn_geometry *geo, struct stripe *stripe,
		     u32 tail)
{
	u32 pos;

	for (pos = 0; pos < geo->nr_data; pos++) {
		stripe->rows[pos] = tail < geo->su ? tail : geo->su;
		tail -= stripe->rows[pos];
	}
}

static u8 *unit_at(const struct scan_state *state, const struct stripe *stripe,
		   u32 column)
{
	return state->columns[column] + stripe->offset;
}

/* Parities of the data; a missing unit is taken from @state->missing. */
static void compute(struct scan_state *state, const struct stripe *stripe,
		    u32 pc)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 pos, c;

	for (pos = 0; pos < geo->nr_data && stripe->rows[pos]; pos++) {
		c = raizn_data_column(geo, pc, pos);
		raizn_parity_add(state->parity[0],
				 geo->nr_parity > 1 ? state->parity[1] : NULL,
				 is_missing(state, c) ? state->missing :
				 unit_at(state, stripe, c),
				 stripe->rows[pos] << 9, pos);
	}
	if (geo->nr_parity > 2)		/* copies */
		memcpy(state->parity[2], state->parity[0], stripe->rows[0] << 9);
}

/* The one missing data unit, from P. */
static void decode(struct scan_state *state, const struct stripe *stripe, u32 pc)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 pos, c;

	memcpy(state->missing, unit_at(state, stripe, pc), stripe->rows[0] << 9);
	for (pos = 0; pos < geo->nr_data && stripe->rows[pos]; pos++) {
		c = raizn_data_column(geo, pc, pos);
		if (!is_missing(state, c))
			raizn_parity_decode_one(state->missing,
						unit_at(state, stripe, c),
						stripe->rows[pos] << 9);
	}
}

static bool has_placeholder(const struct scan_state *state, u32 stripe)
{
	const struct raizn_bad_blocks *list = state->check->bad_blocks;
	u32 i;

	for (i = 0; list && i < list->nr; i++)
		if (list->at[i].zone == state->facts.zone &&
		    list->at[i].flags & RAIZN_BAD_PLACEHOLDER &&
		    list->at[i].sector >> state->check->geo->su_shift == stripe)
			return true;
	return false;
}

/*
 * Compare a stripe whose parity is in place.  With one member missing there is
 * something to compare only if there are two parities: what P says is missing,
 * Q must confirm.  Returns whether there was something.
 */
static bool compare(struct scan_state *state, const struct stripe *stripe)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 pc = raizn_parity_column(geo, state->facts.zone, stripe->nr);
	u32 gone = __builtin_popcount(state->facts.missing | state->failed);
	u32 rows = stripe->rows[0], c, i, pos, row;
	bool data_missing = false;

	if (has_placeholder(state, stripe->nr)) {
		state->check->parity.lost++;
		return false;
	}
	if (state->failed)
		tell_unreadable(state, stripe->nr);
	if (gone >= geo->nr_parity) {
		state->check->parity.unverifiable++;
		return false;
	}
	for (pos = 0; pos < geo->nr_data; pos++)
		data_missing |= stripe->rows[pos] &&
				is_missing(state, raizn_data_column(geo, pc, pos));
	if (data_missing)
		decode(state, stripe, pc);
	compute(state, stripe, pc);
	for (i = data_missing ? 1 : 0; i < geo->nr_parity; i++) {
		c = raizn_parity_column_nth(geo, pc, i);
		if (is_missing(state, c))
			continue;
		row = first_difference(state->parity[i],
				       unit_at(state, stripe, c), rows);
		if (row < rows)
			tell_mismatch(state, stripe->nr, i, c, row);
	}
	return true;
}

static void read_units(struct scan_state *state, u32 first, u32 nr)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 c;

	state->failed = 0;
	for (c = 0; c < geo->nr_members; c++)
		read_column(state, c, first << geo->su_shift,
			    nr << geo->su_shift, state->columns[c]);
}

/* Bytes of a stripe that are read, as long as all drives can be read. */
static u64 stripe_bytes(const struct check *check)
{
	u32 gone = check->untrusted | check->rebuilding;

	return (u64)(check->geo->nr_members - __builtin_popcount(gone)) *
	       (check->geo->su << 9);
}

static void compare_stripes(struct scan_state *state, u32 first, u32 nr)
{
	const struct raizn_geometry *geo = state->check->geo;
	struct stripe stripe;
	u32 i;

	read_units(state, first, nr);
	/* One bad sector must not hide its neighbours. */
	if (state->failed && nr > 1) {
		for (i = 0; i < nr; i++)
			compare_stripes(state, first + i, 1);
		return;
	}
	set_rows(geo, &stripe, geo->stripe);
	for (i = 0; i < nr; i++) {
		stripe.nr = first + i;
		stripe.offset = i * geo->su << 9;
		state->check->parity.stripes += compare(state, &stripe);
	}
	progress_add(&state->progress, nr * stripe_bytes(state->check));
}

/* The tail of a finished zone, or of a mirror: its parity is in place. */
static void compare_tail(struct scan_state *state, u32 wp)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 pc, c, pos, i;
	struct stripe stripe = { .nr = wp / geo->stripe };
	u32 first = stripe.nr << geo->su_shift;

	set_rows(geo, &stripe, wp % geo->stripe);
	pc = raizn_parity_column(geo, state->facts.zone, stripe.nr);
	state->failed = 0;
	for (pos = 0; pos < geo->nr_data; pos++) {
		c = raizn_data_column(geo, pc, pos);
		read_column(state, c, first, stripe.rows[pos],
			    state->columns[c]);
	}
	for (i = 0; i < geo->nr_parity; i++) {
		c = raizn_parity_column_nth(geo, pc, i);
		read_column(state, c, first, stripe.rows[0], state->columns[c]);
	}
	state->check->parity.tails += compare(state, &stripe);
}

/* ---- partial parity ------------------------------------------------------------ */

static bool read_record(struct scan_state *state,
			const struct raizn_pp_entry *entry)
{
	u32 slot = pp_location_slot(entry->location);
	const struct member *member = state->check->slots[slot].member;
	const struct zbd_zone *zone =
		&member->logs[pp_location_log(entry->location)].zone;
	u64 pos = pp_location_pos(entry->location);
	size_t bytes = RAIZN_BLOCK_SIZE + raizn_parity_payload(entry->nr_rows);
	ssize_t got;

	got = pread(member->drive.fd, state->record, bytes, zone->start + pos);
	if (got == (ssize_t)bytes &&
	    raizn_record_verify(state->record, bytes) == RAIZN_RECORD_OK &&
	    le64_to_cpu(state->record->seq) == entry->seq)
		return true;
	check_problem(state->check, "%s: partial parity %llu cannot be read any more",
		      member->drive.path, (unsigned long long)entry->seq);
	return false;
}

/* Is all data there that a record covers? */
static bool record_data_there(const struct scan_state *state,
			      const struct stripe *stripe)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 pc = raizn_parity_column(geo, state->facts.zone, stripe->nr);
	u32 pos, c;

	for (pos = 0; pos < geo->nr_data && stripe->rows[pos]; pos++) {
		c = raizn_data_column(geo, pc, pos);
		if (is_missing(state, c) || state->facts.extents[c] <
		    (stripe->nr << geo->su_shift) + stripe->rows[pos])
			return false;
	}
	return true;
}

static void compare_record(struct scan_state *state,
			   const struct raizn_pp_entry *entry)
{
	const struct raizn_geometry *geo = state->check->geo;
	struct stripe stripe = { .nr = entry->start / geo->stripe };
	u32 pc = raizn_parity_column(geo, state->facts.zone, stripe.nr);
	const u8 *payload = (const u8 *)(state->record + 1);
	u32 pos, c, i, row;

	set_rows(geo, &stripe, entry->end - stripe.nr * geo->stripe);
	state->failed = 0;
	if (!record_data_there(state, &stripe))
		return;
	for (pos = 0; pos < geo->nr_data; pos++) {
		c = raizn_data_column(geo, pc, pos);
		read_column(state, c, stripe.nr << geo->su_shift,
			    stripe.rows[pos], state->columns[c]);
	}
	if (state->failed) {
		tell_unreadable(state, stripe.nr);
		return;
	}
	if (!read_record(state, entry))
		return;
	compute(state, &stripe, pc);
	state->check->parity.records++;
	for (i = 0; i < entry->nr_rows; i++) {
		row = (entry->row + i) & (geo->su - 1);
		if (row >= stripe.rows[0] ||
		    !memcmp(payload + i * 512,
			    state->parity[entry->parity] + row * 512, 512))
			continue;
		state->check->parity.mismatches++;
		check_problem(state->check,
			      "zone %u, stripe %u: partial parity %llu on %s does not agree with the data, row %u",
			      state->facts.zone, stripe.nr,
			      (unsigned long long)entry->seq,
			      state->check->slots[pp_location_slot(entry->location)].member->drive.path,
			      row);
		return;
	}
}

/* Does a record hold a parity of @row that covers all of the tail's data? */
static bool row_covered(const struct scan_state *state, u32 stripe, u32 parity,
			u32 row)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 tail = state->plan.wp % geo->stripe;
	u32 last = row + ((tail - 1 - row) & ~(geo->su - 1));
	u32 i;

	for (i = 0; i < state->facts.nr_pp; i++) {
		const struct raizn_pp_entry *e = &state->facts.pp[i];

		if (e->parity == parity && e->start / geo->stripe == stripe &&
		    ((row - e->row) & (geo->su - 1)) < e->nr_rows &&
		    e->end > stripe * geo->stripe + last)
			return true;
	}
	return false;
}

/* A clean stop protects all tails. */
static void check_tail_covered(struct scan_state *state)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 stripe = state->plan.wp / geo->stripe;
	u32 tail = state->plan.wp % geo->stripe;
	u32 pc = raizn_parity_column(geo, state->facts.zone, stripe);
	u32 parity, column, row;

	if (!tail || !geo->nr_parity)
		return;
	state->check->parity.tails++;
	for (parity = 0; parity < geo->nr_parity; parity++) {
		column = raizn_parity_column_nth(geo, pc, parity);
		if (state->facts.missing & (1U << column))
			continue;
		for (row = 0; row < tail && row < geo->su; row += geo->block) {
			if (row_covered(state, stripe, parity, row))
				continue;
			check_problem(state->check,
				      "zone %u, stripe %u: no partial parity %c on %s for row %u of the tail",
				      state->facts.zone, stripe,
				      parity ? 'Q' : 'P',
				      check_device(state->check, state->facts.zone, column),
				      row);
			break;
		}
	}
}

/* ---- zones ------------------------------------------------------------------------ */

/* Stripes with their parity in place. */
static u32 complete_stripes(const struct scan_state *state)
{
	const struct raizn_geometry *geo = state->check->geo;
	const struct raizn_zone_facts *facts = &state->facts;
	u32 stripes = raizn_whole_stripes(geo, facts);

	if (facts->state.flags & RAIZN_ZONE_FINISHED &&
	    facts->state.wp / geo->stripe < stripes)
		stripes = facts->state.wp / geo->stripe;
	return stripes;
}

static bool is_finished(const struct scan_state *state)
{
	u32 all = (u32)((1ULL << state->check->geo->nr_members) - 1);

	return state->facts.state.flags & RAIZN_ZONE_FINISHED &&
	       (state->facts.full | state->facts.missing) == all;
}

static int load_zone(struct scan_state *state, u32 zone)
{
	int ret = check_facts(state->check, zone, &state->facts);

	if (!ret)
		raizn_plan_zone(state->check->geo, &state->facts, &state->plan);
	return ret;
}

static int compare_zone(struct scan_state *state, u32 zone)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 stripes, first, nr, i;
	int ret;

	ret = load_zone(state, zone);
	if (ret)
		return ret;
	if (state->plan.action == RAIZN_ZONE_RESET || !state->plan.wp)
		goto out;
	state->check->parity.zones++;
	stripes = complete_stripes(state);
	for (first = 0; first < stripes; first += nr) {
		nr = stripes - first;
		if (nr > state->chunk)
			nr = state->chunk;
		compare_stripes(state, first, nr);
	}
	if (is_finished(state)) {
		if (state->facts.state.wp % geo->stripe)
			compare_tail(state, state->facts.state.wp);
		goto out;
	}
	if (raizn_is_mirror(geo)) {
		if (state->plan.action == RAIZN_ZONE_LEAVE &&
		    state->plan.wp % geo->stripe)
			compare_tail(state, state->plan.wp);
		goto out;
	}
	for (i = 0; i < state->facts.nr_pp; i++)
		compare_record(state, &state->facts.pp[i]);
	if (state->check->clean && state->plan.action == RAIZN_ZONE_LEAVE)
		check_tail_covered(state);
out:
	check_facts_free(&state->facts);
	return TOOL_OK;
}

static int count_bytes(struct scan_state *state, u64 *bytes)
{
	u32 i;
	int ret;

	*bytes = 0;
	for (i = 0; i < state->check->geo->nr_zones; i++) {
		ret = load_zone(state, i);
		if (ret)
			return ret;
		if (state->plan.action != RAIZN_ZONE_RESET)
			*bytes += complete_stripes(state) *
				  stripe_bytes(state->check);
		check_facts_free(&state->facts);
	}
	return TOOL_OK;
}

static bool alloc_buffers(struct scan_state *state)
{
	const struct raizn_geometry *geo = state->check->geo;
	u32 unit = geo->su << 9, i;

	state->chunk = unit < CHUNK_BYTES ? CHUNK_BYTES / unit : 1;
	for (i = 0; i < geo->nr_members; i++) {
		state->columns[i] = alloc_block_buffer((size_t)unit * state->chunk);
		if (!state->columns[i])
			return false;
	}
	for (i = 0; i < RAIZN_MAX_PARITY; i++) {
		state->parity[i] = alloc_block_buffer(unit);
		if (!state->parity[i])
			return false;
	}
	state->missing = alloc_block_buffer(unit);
	state->record = alloc_block_buffer(RAIZN_RECORD_MAX);
	return state->missing && state->record;
}

static void free_buffers(struct scan_state *state)
{
	u32 i;

	for (i = 0; i < RAIZN_MAX_MEMBERS; i++)
		free(state->columns[i]);
	for (i = 0; i < RAIZN_MAX_PARITY; i++)
		free(state->parity[i]);
	free(state->missing);
	free(state->record);
}

int check_parity(struct check *check)
{
	struct scan_state state = { .check = check };
	struct amount amount = { .unit = AMOUNT_BYTES };
	int ret = TOOL_FAILED;
	u32 i;

	if (!alloc_buffers(&state))
		goto out;
	ret = count_bytes(&state, &amount.total);
	if (ret)
		goto out;
	progress_begin(&state.progress, amount, "comparing parity");
	check_on_signal();
	for (i = 0; i < check->geo->nr_zones && !ret; i++)
		ret = compare_zone(&state, i);
	progress_end(&state.progress);
	check->parity.done = !ret;
out:
	free_buffers(&state);
	return ret;
}
