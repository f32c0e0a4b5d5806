// SPDX-License-Identifier: GPL-2.0
/*
 * Find the work that a power cut left, zone by zone.  Reads only; the planner
 * (recovery_plan.c) decides, recover.c carries out.
 *
 * A zone that is empty or full on all members needs no work, so the cost of a start grows
 * with the number of zones that were open, not with the capacity.
 */
#include <linux/sort.h>

#include "assemble.h"

/* Records of partial parity in memory after which superseded ones are dropped. */
#define PP_ENTRIES	65536U

/*
 * Limits to the cost of crafted logs.  The newest record of each row, for both parities, is
 * among the newest 4,096 of a zone, because its data is written in order.  With two members
 * missing, all records of 128 tails may have to stay until the second parity is read.
 */
#define MAX_PP_OF_ZONE	10000U
#define MAX_PP_LEFT	4000000U

/**
 * struct examination - state of examining an array
 * @arr:	the array
 * @rec:	result
 * @by_slot:	trusted members' drives
 * @missing:	some zone lacks a column
 * @unlogged:	members (bit by slot) without partial parity, see struct raizn_zone_facts
 * @slot:	slot of the member with the partial-parity log that is read
 * @pp_seen:	zones that have partial parity, if members are missing (bit by zone)
 * @block:	buffer of a block
 * @max_works:	allocated entries of rec->works
 * @max_pp:	allocated entries of rec->pp and rec->pp_zone
 * @drop_at:	number of entries of rec->pp after which superseded ones are dropped
 */
struct examination {
	struct raizn_array *arr;
	struct raizn_recovery *rec;
	struct raizn_probe **by_slot;
	bool missing;
	u32 unlogged;
	u16 slot;
	unsigned long *pp_seen;
	void *block;
	u32 max_works;
	u32 max_pp;
	u32 drop_at;
};

/* Make room for one more entry of @size bytes. */
static int grow(void **array, u32 nr, u32 *max, size_t size)
{
	u32 more = max_t(u32, 2 * nr, 16);
	void *bigger;

	if (nr < *max)
		return 0;
	bigger = kvcalloc(more, size, GFP_KERNEL);
	if (!bigger)
		return -ENOMEM;
	if (nr)
		memcpy(bigger, *array, nr * size);
	kvfree(*array);
	*array = bigger;
	*max = more;
	return 0;
}

static bool is_cond_unusable(u8 cond)
{
	return cond == BLK_ZONE_COND_READONLY || cond == BLK_ZONE_COND_OFFLINE;
}

/* Trusted drive of the member that a column belongs to, or NULL. */
static struct raizn_probe *probe_of(const struct examination *ex, u32 zone, u32 column)
{
	return ex->by_slot[raizn_zone_member(&ex->arr->zones[zone], column)->slot];
}

/* Number of a column's member zone on its drive. */
static u32 zone_number(const struct raizn_array *arr, u32 zone, u32 column)
{
	return arr->geo.first_zone +
	       raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
}

static void gather_facts(struct examination *ex, u32 zone,
			 struct raizn_zone_facts *facts)
{
	struct raizn_array *arr = ex->arr;
	const struct raizn_zone *z = &arr->zones[zone];
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_probe *p;
	u32 number, c;

	memset(facts, 0, sizeof(*facts));
	facts->zone = zone;
	facts->state = arr->zone_state[zone];
	facts->unlogged = raizn_zone_columns(z, ex->unlogged);
	for (c = 0; c < geo->nr_members; c++) {
		p = probe_of(ex, zone, c);
		if (!p) {
			facts->missing |= BIT(c);
			continue;
		}
		if (raizn_column_rebuilding(z, c)) {
			/* Its member's logs lack records of before, and perhaps the first ones. */
			facts->unlogged |= BIT(c);
			facts->missing |= BIT(c);
			continue;
		}
		if (raizn_zone_map_physical(geo, &arr->map, zone, c) == RAIZN_NOWHERE) {
			facts->missing |= BIT(c);
			continue;
		}
		number = zone_number(arr, zone, c);
		if (is_cond_unusable(p->conds[number])) {
			facts->missing |= BIT(c);
			continue;
		}
		if (p->conds[number] == BLK_ZONE_COND_FULL)
			facts->full |= BIT(c);
		facts->extents[c] = min(p->extents[number], geo->member_zone_cap);
	}
	raizn_spoilt_facts(arr, facts);
	raizn_distrust_full(geo, facts);
}

/* Does every column that is there hold exactly @extent sectors? */
static bool all_extents(const struct raizn_geometry *geo,
			const struct raizn_zone_facts *facts, u32 extent)
{
	u32 c;

	for (c = 0; c < geo->nr_members; c++)
		if (!(facts->missing & BIT(c)) && facts->extents[c] != extent)
			return false;
	return true;
}

static int add_work(struct examination *ex, struct raizn_zone_facts *facts,
		    bool pad)
{
	struct raizn_recovery *rec = ex->rec;
	struct raizn_zone_work *w;
	int err;

	err = grow((void **)&rec->works, rec->nr_works, &ex->max_works,
		   sizeof(*w));
	if (err)
		return err;
	w = &rec->works[rec->nr_works++];
	w->zone = facts->zone;
	w->facts = *facts;
	w->pad = pad;
	return 0;
}

/* A drive may have finished a member zone by itself, before sectors up to @end were written. */
static bool is_written_to(struct examination *ex, u32 zone, u32 column, u32 end)
{
	const struct raizn_geometry *geo = &ex->arr->geo;
	u64 start = zone_number(ex->arr, zone, column) * geo->member_zone_size;
	u32 bytes = geo->block << SECTOR_SHIFT;

	return !end ||
	       (!raizn_member_read(probe_of(ex, zone, column)->bdev,
				   start + end - geo->block, ex->block, bytes) &&
		raizn_looks_written(ex->block, bytes));
}

/* Are all full columns that are there written to their end?  In a finished zone they are. */
static bool others_are_written(struct examination *ex,
			       const struct raizn_zone_facts *facts, const u32 *ends)
{
	u32 c;

	if (facts->state.flags & RAIZN_ZONE_FINISHED)
		return true;
	for (c = 0; c < ex->arr->geo.nr_members; c++)
		if (!(facts->missing & BIT(c)) && facts->full & BIT(c) &&
		    !is_written_to(ex, facts->zone, c, ends[c]))
			return false;
	return true;
}

/*
 * Does a missing column of a full or finished zone hold all of its data?  Either its member is
 * being rebuilt, or its member zone has become read-only, so that no write pointer tells.  A
 * read-only zone of a member that is being rebuilt may hold data of an earlier life of the zone.
 */
static bool holds_column(struct examination *ex, const struct raizn_zone_facts *facts,
			 u32 column, u32 end)
{
	struct raizn_array *arr = ex->arr;
	const struct raizn_probe *p = probe_of(ex, facts->zone, column);
	u32 number;
	u8 cond;

	if (!p || raizn_zone_map_physical(&arr->geo, &arr->map, facts->zone, column) ==
	    RAIZN_NOWHERE)
		return false;
	number = zone_number(arr, facts->zone, column);
	cond = p->conds[number];
	/* A start finishes full member zones that go on behind the column: this one it cannot. */
	if (!raizn_column_rebuilding(&arr->zones[facts->zone], column))
		return cond == BLK_ZONE_COND_READONLY &&
		       (facts->state.flags & RAIZN_ZONE_FINISHED || !raizn_members_padded(arr)) &&
		       is_written_to(ex, facts->zone, column, end);
	if (cond == BLK_ZONE_COND_FULL)
		return is_written_to(ex, facts->zone, column, end);
	return !is_cond_unusable(cond) && p->extents[number] >= end &&
	       !(facts->state.flags & RAIZN_ZONE_FINISHED);
}

/* If more is missing than parity makes up for, use missing columns that hold all data. */
static void use_missing(struct examination *ex, struct raizn_zone_facts *facts)
{
	struct raizn_array *arr = ex->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 ends[RAIZN_MAX_MEMBERS];
	struct raizn_zone_facts now = *facts;
	const struct raizn_probe *p;
	unsigned long slots;
	u8 cond;
	u32 c;

	if (!raizn_needs_missing(geo, facts, ends) ||
	    !others_are_written(ex, facts, ends))
		return;
	for (c = 0; c < geo->nr_members; c++) {
		if (!(facts->missing & BIT(c)) || !holds_column(ex, facts, c, ends[c]))
			continue;
		now.missing &= ~BIT(c);
		now.extents[c] = geo->member_zone_cap;
		p = probe_of(ex, facts->zone, c);
		cond = p->conds[zone_number(arr, facts->zone, c)];
		if (cond == BLK_ZONE_COND_FULL || cond == BLK_ZONE_COND_READONLY)
			now.full |= BIT(c);
	}
	if (hweight32(now.missing) > geo->nr_parity)
		return;
	slots = raizn_zone_slots(&arr->zones[facts->zone], facts->missing & ~now.missing);
	DMWARN_LIMIT("logical zone %u: is whole with columns of members that are being rebuilt, or of read-only member zones (members %*pbl)",
		     facts->zone, RAIZN_MAX_MEMBERS, &slots);
	*facts = now;
}

static u32 columns_rebuilding(const struct raizn_zone *z)
{
	u32 columns = 0;
	u32 c;

	for (c = 0; c < z->arr->geo.nr_members; c++)
		if (raizn_column_rebuilding(z, c))
			columns |= BIT(c);
	return columns;
}

/* Is a zone full, but its member zones not finished, as they are to be? */
static bool needs_pad(const struct raizn_array *arr, const struct raizn_zone_facts *facts)
{
	u32 all = (u32)(BIT_ULL(arr->geo.nr_members) - 1);

	return all_extents(&arr->geo, facts, arr->geo.member_zone_cap) &&
	       raizn_members_padded(arr) && (facts->full | facts->missing) != all;
}

static int examine_zone(struct examination *ex, u32 zone)
{
	struct raizn_array *arr = ex->arr;
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_zone *z = &arr->zones[zone];
	struct raizn_zone_facts facts;
	u32 all = (u32)(BIT_ULL(geo->nr_members) - 1);
	unsigned long slots;
	bool finished;

	gather_facts(ex, zone, &facts);
	use_missing(ex, &facts);
	z->missing = facts.missing;
	slots = raizn_zone_slots(z, facts.missing & ~facts.full & ~raizn_zone_dead(z) &
				 ~columns_rebuilding(z));
	if (slots)
		DMWARN("logical zone %u: not all member zones can be used (members %*pbl): it is degraded",
		       zone, RAIZN_MAX_MEMBERS, &slots);
	if (facts.state.flags & RAIZN_ZONE_RESETTING) {
		__set_bit(zone, ex->rec->resets);
		return 0;
	}
	slots = raizn_zone_slots(z, facts.missing & facts.full);
	if (slots)
		DMWARN("logical zone %u: member zones are full though others are not (members %*pbl): their contents do not count",
		       zone, RAIZN_MAX_MEMBERS, &slots);
	finished = facts.state.flags & RAIZN_ZONE_FINISHED;
	if (!(facts.missing & facts.full) && !facts.nr_spoilt &&
	    raizn_zone_is_empty(geo, &facts, test_bit(zone, ex->pp_seen)))
		return 0;
	if (hweight32(facts.missing) <= geo->nr_parity) {
		/* Its logs tell whether its spoilt rows are there. */
		if (facts.nr_spoilt)
			return add_work(ex, &facts, !finished && needs_pad(arr, &facts));
		if (finished && (facts.full | facts.missing) == all)
			return raizn_zone_load(z, facts.state.wp, true);
		if (!finished &&
		    all_extents(geo, &facts, geo->member_zone_cap)) {
			if (!needs_pad(arr, &facts))
				return raizn_zone_load(z, geo->zone_cap, false);
			return add_work(ex, &facts, true);
		}
	}
	return add_work(ex, &facts, false);
}

/*
 * Has a member no partial-parity log, because it has just come, or lost it to a log zone that
 * turned bad, or whose first block is damaged?  Every start begins such a log; a new array has
 * none before its first start.  The log moves to another zone when it is full, and the old zone is
 * reset later: one that tells nothing may be the new one.
 */
static bool lost_pp_log(struct raizn_array *arr, const struct raizn_probe *p,
			const struct raizn_member *m)
{
	bool bad = raizn_member_state(m) == RAIZN_MEMBER_REBUILDING;
	u64 start = le64_to_cpu(arr->sb.start);
	bool found = false, unidentified = false, empty = false;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		found |= p->logs[i].role == RAIZN_LOG_PARTIAL_PARITY &&
			 p->logs[i].start == start;
		unidentified |= p->logs[i].unidentified;
		empty |= p->logs[i].maybe_empty;
		bad |= m->reserved[i] == RAIZN_USE_BAD;
	}
	arr->recovery->unidentified |= unidentified;
	/* If the log can be nowhere else, it is the zone with one block. */
	if ((found || (empty && !bad)) && !unidentified)
		return false;
	return bad || (start && raizn_running_parities(&arr->geo));
}

static u32 unlogged_members(struct examination *ex)
{
	struct raizn_array *arr = ex->arr;
	struct raizn_member *m;
	u32 unlogged = 0;
	u32 slot;

	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		m = &arr->members[slot];
		if (!ex->by_slot[slot] || lost_pp_log(arr, ex->by_slot[slot], m))
			unlogged |= BIT(slot);
	}
	return unlogged;
}

/* Does any zone lack a column? */
static bool missing_anywhere(struct examination *ex)
{
	struct raizn_zone_facts facts;
	bool missing = false;
	u32 i;

	for (i = 0; i < ex->arr->geo.nr_zones; i++) {
		gather_facts(ex, i, &facts);
		missing |= !!facts.missing;
	}
	return missing;
}

static struct raizn_zone_work *find_work(struct raizn_recovery *rec, u32 zone)
{
	u32 low = 0, high = rec->nr_works, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (rec->works[mid].zone == zone)
			return &rec->works[mid];
		if (rec->works[mid].zone < zone)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static void swap_entries(struct raizn_recovery *rec, u32 a, u32 b)
{
	swap(rec->pp[a], rec->pp[b]);
	swap(rec->pp_zone[a], rec->pp_zone[b]);
}

/* By zone, newest first. */
static bool comes_before(const struct raizn_recovery *rec, u32 a, u32 b)
{
	if (rec->pp_zone[a] != rec->pp_zone[b])
		return rec->pp_zone[a] < rec->pp_zone[b];
	return rec->pp[a].seq > rec->pp[b].seq;
}

static void sift_down(struct raizn_recovery *rec, u32 root, u32 nr)
{
	u32 child;

	while ((child = 2 * root + 1) < nr) {
		if (child + 1 < nr && comes_before(rec, child, child + 1))
			child++;
		if (!comes_before(rec, root, child))
			return;
		swap_entries(rec, root, child);
		root = child;
	}
}

/* Heap sort of two arrays by one order, which sort() cannot do. */
static void sort_pp(struct raizn_recovery *rec)
{
	u32 i;

	for (i = rec->nr_pp / 2; i--; )
		sift_down(rec, i, rec->nr_pp);
	for (i = rec->nr_pp; i > 1; i--) {
		swap_entries(rec, 0, i - 1);
		sift_down(rec, 0, i - 1);
		cond_resched();
	}
}

static void give_pp(struct raizn_recovery *rec)
{
	struct raizn_zone_work *w = rec->works;
	u32 i;

	for (i = 0; i < rec->nr_pp; i++) {
		while (w->zone != rec->pp_zone[i])
			w++;
		if (w->facts.nr_pp == MAX_PP_OF_ZONE)
			continue;
		if (!w->facts.nr_pp++)
			w->facts.pp = &rec->pp[i];
	}
}

/*
 * Drop records that newer ones supersede: of a zone whose stripe is written with a flush after each
 * block, all but the newest of each row.  As many records as zones, rows and members have need are
 * left, however many there are in the logs.
 */
static int drop_superseded(struct examination *ex)
{
	struct raizn_recovery *rec = ex->rec;
	struct raizn_zone_work *w;
	u32 nr = 0, first, left, i;

	sort_pp(rec);
	give_pp(rec);
	for (w = rec->works; w < rec->works + rec->nr_works; w++) {
		if (!w->facts.nr_pp)
			continue;
		first = w->facts.pp - rec->pp;
		left = raizn_keep_needed(&ex->arr->geo, &w->facts, &rec->pp[first]);
		memmove(&rec->pp[nr], &rec->pp[first], left * sizeof(*rec->pp));
		for (i = 0; i < left; i++)
			rec->pp_zone[nr++] = w->zone;
		w->facts.nr_pp = 0;
		w->facts.pp = NULL;
		cond_resched();
	}
	rec->nr_pp = nr;
	ex->drop_at = max(PP_ENTRIES, 2 * nr);
	return nr > MAX_PP_LEFT ? -E2BIG : 0;
}

static int add_pp(const struct raizn_record *r, u64 sector, void *data)
{
	struct examination *ex = data;
	const struct raizn_geometry *geo = &ex->arr->geo;
	struct raizn_recovery *rec = ex->rec;
	u32 zone = le32_to_cpu(r->zone);
	struct raizn_zone_work *w;
	struct raizn_pp_entry *e;
	u32 max_zones = ex->max_pp;
	int err = 0;

	if (le16_to_cpu(r->type) == RAIZN_REC_RELOCATED)
		raizn_relocated_take(ex->arr, ex->slot, r);
	if (le16_to_cpu(r->type) != RAIZN_REC_PARTIAL_PARITY)
		return 0;
	w = find_work(rec, zone);
	if (!w || le64_to_cpu(r->generation) != w->facts.state.generation ||
	    le64_to_cpu(r->end) <=
	    raizn_whole_stripes(geo, &w->facts) * geo->stripe)
		return 0;
	if (rec->nr_pp >= ex->drop_at)
		err = drop_superseded(ex);
	if (!err)
		err = grow((void **)&rec->pp_zone, rec->nr_pp, &max_zones, sizeof(u32));
	if (!err)
		err = grow((void **)&rec->pp, rec->nr_pp, &ex->max_pp,
			   sizeof(*e));
	if (err)
		return err;
	rec->pp_zone[rec->nr_pp] = zone;
	e = &rec->pp[rec->nr_pp++];
	e->seq = le64_to_cpu(r->seq);
	e->location = ((u64)ex->slot << 56) | (sector + RAIZN_BLOCK_SECTORS);
	e->start = le64_to_cpu(r->start);
	e->end = le64_to_cpu(r->end);
	e->row = le32_to_cpu(r->row);
	e->nr_rows = le32_to_cpu(r->nr_rows);
	e->parity = r->parity;
	return 0;
}

static int see_pp(const struct raizn_record *r, u64 sector, void *data)
{
	struct examination *ex = data;

	if (le16_to_cpu(r->type) == RAIZN_REC_PARTIAL_PARITY)
		__set_bit(le32_to_cpu(r->zone), ex->pp_seen);
	return 0;
}

/*
 * A member's log has a sector that its drive cannot read, and may have had records of any zone
 * from there on.  Those that were read count.
 */
static void lose_pp_log(struct examination *ex, u32 reserved)
{
	struct raizn_zone_work *w;
	struct raizn_zone *z;

	if (!(ex->unlogged & BIT(ex->slot)))
		DMWARN("%pg: partial-parity log in reserved zone %u: the drive cannot read all of it",
		       ex->by_slot[ex->slot]->bdev, reserved);
	ex->unlogged |= BIT(ex->slot);
	for (w = ex->rec->works; w < ex->rec->works + ex->rec->nr_works; w++) {
		z = &ex->arr->zones[w->zone];
		w->facts.unlogged |= BIT(raizn_zone_column(z, ex->slot));
	}
}

/*
 * The start number says which partial-parity log zones count.  The other ones stay until
 * all members agree that they do not count.
 */
static int read_pp_logs(struct examination *ex, const struct raizn_log_buffer *buf,
			raizn_record_fn fn)
{
	struct raizn_array *arr = ex->arr;
	u64 start = le64_to_cpu(arr->sb.start);
	struct raizn_member *m;
	struct raizn_probe *p;
	u64 log_start;
	u32 slot, i;
	int err;

	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		p = ex->by_slot[slot];
		if (!p)
			continue;
		m = &arr->members[slot];
		ex->slot = slot;
		log_start = start;
		for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
			/* An interrupted start may have opened a log that does not tell. */
			log_start += p->logs[i].unidentified || p->logs[i].maybe_empty;
			ex->rec->log_start = max3(ex->rec->log_start, log_start,
						  p->logs[i].start);
			if (p->logs[i].role != RAIZN_LOG_PARTIAL_PARITY)
				continue;
			if (p->logs[i].start != start) {
				if (m->reserved[i] == RAIZN_USE_STALE)
					m->reserved[i] = RAIZN_USE_VOID_PP;
				continue;
			}
			if (ex->rec->clean && !ex->missing && !ex->rec->read_logs &&
			    list_empty(&arr->relocations))
				continue;
			err = raizn_log_read_zone(arr, p, i, buf, fn, ex);
			raizn_probe_tell(p);
			if (err == -ENODATA) {
				lose_pp_log(ex, i);
				continue;
			}
			if (!err)
				continue;
			if (err != -EOPNOTSUPP)
				DMERR("%pg: partial-parity log in reserved zone %u cannot be read (%d): start without this member",
				      p->bdev, i, err);
			return err;
		}
		if ((u64)atomic64_read(&arr->seq) < p->seq)
			atomic64_set(&arr->seq, p->seq);
	}
	return 0;
}

/* Would a zone have its data if members were there that are being rebuilt? */
static bool needs_absent(const struct raizn_array *arr, const struct raizn_zone_work *w)
{
	u32 slots = arr->dead & arr->rebuilding & ~arr->base_failed;
	u32 absent = raizn_zone_columns(&arr->zones[w->zone], slots);
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++)
		if (!raizn_zone_map_whole(&arr->geo, &arr->map, w->zone, c))
			absent &= ~BIT(c);
	return absent && hweight32(w->facts.missing & ~absent) <= arr->geo.nr_parity;
}

/* Would a zone have its data if drives had the zones behind their ends that columns are in? */
static bool needs_cut_off(const struct raizn_array *arr, const struct raizn_zone_work *w)
{
	u32 cut = w->facts.missing &
		  raizn_zone_columns(&arr->zones[w->zone], arr->recovery->cut_off);
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++)
		if (raizn_zone_map_physical(&arr->geo, &arr->map, w->zone, c) != RAIZN_NOWHERE)
			cut &= ~BIT(c);
	return cut && hweight32(w->facts.missing & ~cut) <= arr->geo.nr_parity;
}

static int load_damaged_zone(struct raizn_array *arr, struct raizn_zone_work *w)
{
	u32 end = raizn_readable_end(&arr->geo, &w->facts, w->plan.wp);
	u32 wp = w->plan.wp;

	/* A member that is not whole may be left out unasked, but not its data. */
	if (!arr->recovery->degraded && needs_absent(arr, w)) {
		DMERR("array %pU: logical zone %u lacks a column, and data of a member that was being rebuilt and is missing: connect it, or start with the option degraded, which leaves it behind",
		      arr->uuid, w->zone);
		return -ENODEV;
	}
	if (!arr->recovery->degraded && needs_cut_off(arr, w)) {
		DMERR("array %pU: logical zone %u lacks a column, and data behind the end of a drive that has fewer zones than before: give the whole drive, or start with the option degraded, which gives this data up",
		      arr->uuid, w->zone);
		return -ENODEV;
	}
	DMERR("logical zone %u: more is lost than parity makes up for: read-only, all of it can be read below sector %u",
	      w->zone, min(end, w->plan.wp));
	/* Reads can decode whole stripes, and a tail whose parity a finish wrote. */
	if (hweight32(w->facts.missing) <= arr->geo.nr_parity &&
	    !(w->facts.state.flags & RAIZN_ZONE_FINISHED))
		wp = min(wp, raizn_whole_stripes(&arr->geo, &w->facts) * arr->geo.stripe);
	raizn_zone_load_damaged(&arr->zones[w->zone], wp, end);
	arr->recovery->nr_damaged++;
	return 0;
}

/*
 * Before a clean stop all spoilt rows were in the logs.  If some are not there, a part of their log
 * is lost, also if the log looks sound.
 */
static void plan_without_logs(struct raizn_array *arr, struct raizn_zone_work *w)
{
	u32 i;

	if (w->plan.action != RAIZN_ZONE_REPAIR || !arr->recovery->clean || !w->facts.nr_spoilt)
		return;
	for (i = 0; i < w->facts.nr_spoilt; i++)
		w->facts.unlogged |= BIT(w->facts.spoilt[i].column);
	raizn_plan_zone(&arr->geo, &w->facts, &w->plan);
}

static void plan_zone(struct raizn_array *arr, struct raizn_zone_work *w)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_zone_plan *plan = &w->plan;
	u32 c;

	raizn_plan_zone(geo, &w->facts, plan);
	plan_without_logs(arr, w);
	for (c = 0; c < geo->nr_members; c++)
		if (!(w->facts.missing & BIT(c)) &&
		    plan->action == RAIZN_ZONE_REPAIR &&
		    plan->debris[c])
			w->debris |= BIT(c);
}

/* Columns of a damaged zone that are written in part are active on their members. */
static void hold_columns(struct examination *ex, u32 zone)
{
	struct raizn_array *arr = ex->arr;
	const struct raizn_probe *p;
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++) {
		p = probe_of(ex, zone, c);
		if (p && raizn_zone_map_physical(&arr->geo, &arr->map, zone, c) != RAIZN_NOWHERE)
			raizn_column_hold(&arr->zones[zone], c,
					  raizn_is_cond_active(p->conds[zone_number(arr, zone,
										    c)]));
	}
}

static int load_planned_zone(struct examination *ex, struct raizn_zone_work *w)
{
	const struct raizn_zone_plan *plan = &w->plan;
	struct raizn_array *arr = ex->arr;

	if (plan->action == RAIZN_ZONE_DAMAGED) {
		hold_columns(ex, w->zone);
		return load_damaged_zone(arr, w);
	}
	/* A damaged zone that is whole again may need repair after a clean stop, too. */
	if (plan->action == RAIZN_ZONE_REPAIR && arr->recovery->clean &&
	    !w->facts.nr_spoilt && !(w->facts.state.flags & RAIZN_ZONE_UNLOGGED)) {
		DMERR("logical zone %u: the members' write pointers do not belong together, yet the array was stopped cleanly: something else wrote to them; see raizn check",
		      w->zone);
		return -EUCLEAN;
	}
	return raizn_zone_load(&arr->zones[w->zone], plan->wp,
			       w->facts.state.flags & RAIZN_ZONE_FINISHED);
}

/* Will a zone be active? */
static bool is_found_active(const struct raizn_array *arr, const struct raizn_zone_work *w)
{
	return w->plan.action != RAIZN_ZONE_DAMAGED && w->plan.wp &&
	       w->plan.wp < arr->geo.zone_cap && !(w->facts.state.flags & RAIZN_ZONE_FINISHED);
}

/*
 * Make room for the active zones.  There may be more than users may have: of drives with smaller
 * limits than before, or when damaged zones are whole again.  Partial parity of all of them must
 * fit half of a log zone, as always: else a log would switch for ever.
 */
static int make_room(struct raizn_array *arr)
{
	const struct raizn_recovery *rec = arr->recovery;
	u32 record = raizn_pp_record_sectors(&arr->geo);
	u32 most = arr->members[0].pp->capacity / 2 / record;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < rec->nr_works; i++)
		nr += is_found_active(arr, &rec->works[i]);
	if (raizn_running_parities(&arr->geo) && nr > most) {
		DMERR("array %pU: %u zones are active, logs have room for %u", arr->uuid, nr, most);
		return -ENOSPC;
	}
	if (nr > arr->max_active)
		DMWARN("array %pU: %u zones are active, users may have %u: no other zone can be opened until enough of them are full or reset",
		       arr->uuid, nr, arr->max_active);
	nr = max(nr, arr->max_active);
	for (i = 0; i < arr->geo.nr_members; i++)
		arr->members[i].pp->reserve = nr * record;
	return raizn_open_zones_init(arr, nr);
}

/* Note member zones that are unusable, and unused ones that hold data. */
static int note_physical(struct examination *ex, u32 slot)
{
	struct raizn_array *arr = ex->arr;
	struct raizn_member *m = &arr->members[slot];
	struct raizn_probe *p = ex->by_slot[slot];
	u32 number, i;

	if (raizn_spare_init(m, m->nr_physical))
		return -ENOMEM;
	for (i = RAIZN_NR_LOG_ZONES; i < m->nr_physical; i++) {
		number = arr->geo.first_zone + i;
		if (is_cond_unusable(p->conds[number]))
			m->use[i] = RAIZN_USE_BAD;
		else if (m->use[i] == RAIZN_USE_FREE && p->extents[number])
			m->use[i] = RAIZN_USE_DIRTY;
	}
	return 0;
}

/**
 * raizn_recovery_alloc() - make the state of a start
 * @arr:	array
 *
 * Context: process.  Return: 0 or -ENOMEM; raizn_recovery_free() must follow either.
 */
int raizn_recovery_alloc(struct raizn_array *arr)
{
	struct raizn_recovery *rec = kzalloc(sizeof(*rec), GFP_KERNEL);
	bool all;
	u32 i;

	if (!rec)
		return -ENOMEM;
	arr->recovery = rec;
	rec->rows = kmalloc(RAIZN_DECODE_ROWS << SECTOR_SHIFT, GFP_KERNEL);
	rec->other = kmalloc(RAIZN_DECODE_ROWS << SECTOR_SHIFT, GFP_KERNEL);
	all = rec->rows && rec->other;
	for (i = 0; i < ARRAY_SIZE(rec->block); i++) {
		rec->block[i] = kmalloc(RAIZN_BLOCK_SIZE, GFP_KERNEL);
		all &= !!rec->block[i];
	}
	return all ? 0 : -ENOMEM;
}

/**
 * raizn_recovery_free() - free the state of the start
 * @arr:	array
 */
void raizn_recovery_free(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	u32 i;

	if (!rec)
		return;
	for (i = 0; i < ARRAY_SIZE(rec->block); i++)
		kfree(rec->block[i]);
	kfree(rec->other);
	kfree(rec->rows);
	bitmap_free(rec->resets);
	kvfree(rec->facts);
	kvfree(rec->facts_zone);
	kvfree(rec->relocated);
	kvfree(rec->pp_zone);
	kvfree(rec->pp);
	kvfree(rec->works);
	WRITE_ONCE(arr->recovery, NULL);
	kfree(rec);
}

static int examine(struct raizn_array *arr, struct raizn_probe **by_slot,
		   const struct raizn_log_buffer *buf)
{
	struct raizn_recovery *rec = arr->recovery;
	struct examination ex = {
		.arr = arr, .rec = rec, .by_slot = by_slot, .block = buf->rec,
		.drop_at = PP_ENTRIES,
	};
	u32 i;
	int err = 0;

	rec->log_start = le64_to_cpu(arr->sb.start);
	rec->resets = bitmap_zalloc(arr->geo.nr_zones, GFP_KERNEL);
	if (!rec->resets)
		return -ENOMEM;

	for (i = 0; !err && i < arr->geo.nr_members; i++)
		if (by_slot[i])
			err = note_physical(&ex, i);
	ex.pp_seen = bitmap_zalloc(arr->geo.nr_zones, GFP_KERNEL);
	if (!ex.pp_seen)
		err = -ENOMEM;
	ex.unlogged = unlogged_members(&ex);
	ex.missing = missing_anywhere(&ex);
	if (!err && ex.missing)
		err = read_pp_logs(&ex, buf, see_pp);
	for (i = 0; !err && i < arr->geo.nr_zones; i++) {
		if (arr->zone_state[i].generation >= RAIZN_GENERATION_MAX &&
		    !rec->renumber && !arr->read_only) {
			DMWARN("logical zone %u was reset too often for its counter: the array is read-only until raizn maintain",
			       i);
			arr->read_only = true;
		}
		err = examine_zone(&ex, i);
		cond_resched();
	}
	bitmap_free(ex.pp_seen);
	if (!err)
		err = read_pp_logs(&ex, buf, add_pp);
	if (err)
		return err;
	sort_pp(rec);
	give_pp(rec);
	err = raizn_relocated_facts(arr);
	for (i = 0; !err && i < rec->nr_works; i++) {
		plan_zone(arr, &rec->works[i]);
		cond_resched();
	}
	if (!err)
		err = make_room(arr);
	for (i = 0; !err && i < rec->nr_works; i++) {
		err = load_planned_zone(&ex, &rec->works[i]);
		cond_resched();
	}
	return err;
}

/**
 * raizn_examine() - find the work for every zone, and load the zones
 * @arr:	array with members, zone states, zone map and arr->recovery
 * @by_slot:	drives of the members that are trusted, NULL for others
 *
 * Return: 0 or -errno.
 */
int raizn_examine(struct raizn_array *arr, struct raizn_probe **by_slot)
{
	struct raizn_log_buffer buf;
	int err = raizn_log_buffer_alloc(&buf);

	if (err)
		return err;
	err = examine(arr, by_slot, &buf);
	kfree(buf.rec);
	return err;
}
