// SPDX-License-Identifier: GPL-2.0
/*
 * raizn check: what recovery would do, zone by zone.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"
#include "check.h"

static bool column_readable(const struct zbd_zone *zone)
{
	return zone->cond != ZBD_ZONE_COND_OFFLINE &&
	       zone->cond != ZBD_ZONE_COND_READONLY;
}

const struct zbd_zone *check_column(const struct check *check, u32 zone,
				    u32 column)
{
	const struct raizn_geometry *geo = check->geo;
	const struct slot *slot = &check->slots[check_slot(check, zone, column)];
	u32 physical = raizn_zone_map_physical(geo, check->map, zone, column);

	if (physical == RAIZN_NOWHERE || physical >= member_zones(slot->member, slot->zones))
		return NULL;
	return &slot->zones[geo->first_zone + physical];
}

/* Column of a member that is being rebuilt, and has not been completed. */
static bool column_rebuilding(const struct check *check, u32 zone, u32 column)
{
	return check->rebuilding & (1U << check_slot(check, zone, column)) &&
	       check_column(check, zone, column) &&
	       !raizn_zone_map_whole(check->geo, check->map, zone, column);
}

static u32 columns_rebuilding(const struct check *check, u32 zone)
{
	u32 columns = 0;
	u32 c;

	for (c = 0; c < check->geo->nr_members; c++)
		if (column_rebuilding(check, zone, c))
			columns |= 1U << c;
	return columns;
}

/* The zone's records, without those that make no difference. */
static int zone_records(const struct check *check,
			struct raizn_zone_facts *facts)
{
	u32 whole = raizn_whole_stripes(check->geo, facts);
	size_t low = 0, high = check->nr_pp, middle, i;
	struct raizn_pp_entry *entries;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (check->pp[middle].zone < facts->zone)
			low = middle + 1;
		else
			high = middle;
	}
	while (high < check->nr_pp && check->pp[high].zone == facts->zone)
		high++;
	if (low == high)
		return TOOL_OK;
	entries = calloc(high - low, sizeof(*entries));
	if (!entries)
		return fail_memory();
	for (i = low; i < high; i++)
		if (check->pp[i].entry.start / check->geo->stripe >= whole)
			entries[facts->nr_pp++] = check->pp[i].entry;
	facts->pp = entries;
	return TOOL_OK;
}

/* These are as the module's functions of the same names, see raizn/start/examine.c. */
static bool is_written_to(const struct check *check, u32 zone, u32 column, u32 end,
			  void *block)
{
	const struct slot *slot = &check->slots[check_slot(check, zone, column)];
	u64 start = check_column(check, zone, column)->start;
	u32 bytes = check->geo->block << 9;

	return !end ||
	       (pread(slot->member->drive.fd, block, bytes,
		      start + ((u64)end << 9) - bytes) == bytes &&
		raizn_looks_written(block, bytes));
}

static bool others_are_written(const struct check *check,
			       const struct raizn_zone_facts *facts,
			       const u32 *ends, void *block)
{
	u32 c;

	if (facts->state.flags & RAIZN_ZONE_FINISHED)
		return true;
	for (c = 0; c < check->geo->nr_members; c++)
		if (!(facts->missing & (1U << c)) && facts->full & (1U << c) &&
		    !is_written_to(check, facts->zone, c, ends[c], block))
			return false;
	return true;
}

/* Do zones of a drive that counts go on behind the last stripe unit? */
static bool is_padded(const struct check *check)
{
	u32 slot;

	for (slot = 0; slot < check->geo->nr_members; slot++)
		if (!(check->untrusted & (1U << slot)) &&
		    check->slots[slot].member->logs[0].zone.capacity >> 9 >
		    check->geo->member_zone_cap)
			return true;
	return false;
}

static bool holds_column(const struct check *check, const struct raizn_zone_facts *facts,
			 u32 column, u32 end, void *block)
{
	const struct zbd_zone *zone;

	if (check->untrusted & (1U << check_slot(check, facts->zone, column)))
		return false;
	zone = check_column(check, facts->zone, column);
	if (!column_rebuilding(check, facts->zone, column))
		return zone && zone->cond == ZBD_ZONE_COND_READONLY &&
		       (facts->state.flags & RAIZN_ZONE_FINISHED || !is_padded(check)) &&
		       is_written_to(check, facts->zone, column, end, block);
	if (!column_readable(zone))
		return false;
	if (zbd_zone_full(zone))
		return is_written_to(check, facts->zone, column, end, block);
	return zone_written(zone) >> 9 >= end &&
	       !(facts->state.flags & RAIZN_ZONE_FINISHED);
}

/* If more is missing than parity makes up for, use missing columns that hold all data. */
static int use_missing(const struct check *check, struct raizn_zone_facts *facts)
{
	const struct raizn_geometry *geo = check->geo;
	struct raizn_zone_facts now = *facts;
	u32 ends[RAIZN_MAX_MEMBERS];
	const struct zbd_zone *zone;
	void *block;
	u32 c;

	if (!raizn_needs_missing(geo, facts, ends))
		return TOOL_OK;
	block = alloc_block_buffer(RAIZN_BLOCK_SIZE);
	if (!block)
		return TOOL_FAILED;
	if (!others_are_written(check, facts, ends, block))
		goto out;
	for (c = 0; c < geo->nr_members; c++) {
		if (!(facts->missing & (1U << c)) ||
		    !holds_column(check, facts, c, ends[c], block))
			continue;
		now.missing &= ~(1U << c);
		now.extents[c] = geo->member_zone_cap;
		zone = check_column(check, facts->zone, c);
		if (zbd_zone_full(zone) || zone->cond == ZBD_ZONE_COND_READONLY)
			now.full |= 1U << c;
	}
	if (__builtin_popcount(now.missing) <= (int)geo->nr_parity)
		*facts = now;
out:
	free(block);
	return TOOL_OK;
}

/* Columns (bits by column) of a zone that belong to slots (bits by slot). */
static u32 columns_of(const struct check *check, u32 zone, u32 slots)
{
	return raizn_zone_map_columns(check->geo, check->map, zone, slots);
}

int check_facts(const struct check *check, u32 zone,
		struct raizn_zone_facts *facts)
{
	const struct raizn_geometry *geo = check->geo;
	int ret;
	u32 c;

	memset(facts, 0, sizeof(*facts));
	facts->zone = zone;
	facts->state = check->zones[zone];
	facts->missing = columns_of(check, zone, check->untrusted) |
			 columns_rebuilding(check, zone);
	facts->unlogged = facts->missing | columns_of(check, zone, check->pp_lost);
	for (c = 0; c < geo->nr_members; c++) {
		const struct zbd_zone *column;
		u64 written;

		if (facts->missing & (1U << c))
			continue;
		column = check_column(check, zone, c);
		if (!column || !column_readable(column)) {
			facts->missing |= 1U << c;
			continue;
		}
		if (zbd_zone_full(column))
			facts->full |= 1U << c;
		written = zone_written(column) >> 9;
		facts->extents[c] = written < geo->member_zone_cap ?
				    written : geo->member_zone_cap;
	}
	ret = check_spoilt_facts(check, facts);
	if (ret)
		return ret;
	raizn_distrust_full(geo, facts);
	ret = use_missing(check, facts);
	return ret ? ret : zone_records(check, facts);
}

static int add_work(struct check *check, const struct zone_work *work)
{
	struct zone_work *grown;
	u32 size;

	if (check->nr_work == check->size_work) {
		size = check->size_work ? 2 * check->size_work : 64;
		grown = realloc(check->work, size * sizeof(*grown));
		if (!grown)
			return fail_memory();
		check->work = grown;
		check->size_work = size;
	}
	grown = &check->work[check->nr_work++];
	*grown = *work;
	grown->facts.pp = NULL;
	grown->facts.nr_pp = 0;
	grown->facts.spoilt = NULL;
	grown->facts.nr_spoilt = 0;
	grown->facts.relocated = NULL;
	grown->facts.nr_relocated = 0;
	return TOOL_OK;
}

/* Full by writes, which does not fill the zones of all drives? */
static bool lacks_finish(const struct check *check, const struct zone_work *work)
{
	const struct raizn_zone_facts *facts = &work->facts;
	const struct raizn_geometry *geo = check->geo;
	u32 all = (u32)((1ULL << geo->nr_members) - 1);

	return is_padded(check) &&
	       !(facts->state.flags &
		 (RAIZN_ZONE_RESETTING | RAIZN_ZONE_FINISHED)) &&
	       (work->plan.action == RAIZN_ZONE_LEAVE ||
		work->plan.action == RAIZN_ZONE_REPAIR) &&
	       work->plan.wp == geo->zone_cap &&
	       (facts->full | facts->missing) != all;
}

static void judge_plan(struct check *check, const struct zone_work *work)
{
	u32 zone = work->facts.zone;

	if (work->plan.action == RAIZN_ZONE_DAMAGED)
		check_problem(check, "zone %u: more is gone than parity makes up for; sectors below %u can be read",
			      zone,
			      raizn_readable_end(check->geo, &work->facts,
						 work->plan.wp));
	if (work->plan.action == RAIZN_ZONE_REPAIR && check->clean &&
	    !work->facts.nr_spoilt &&
	    !(work->facts.state.flags & RAIZN_ZONE_UNLOGGED))
		check_problem(check, "zone %u: the members' write pointers do not belong together, yet the array was stopped cleanly: something else wrote to them",
			      zone);
}

/* As the module's function of the same name. */
static void plan_without_logs(struct check *check, struct zone_work *work)
{
	u32 i;

	if (work->plan.action != RAIZN_ZONE_REPAIR || !check->clean || !work->facts.nr_spoilt)
		return;
	for (i = 0; i < work->facts.nr_spoilt; i++)
		work->facts.unlogged |= 1U << work->facts.spoilt[i].column;
	raizn_plan_zone(check->geo, &work->facts, &work->plan);
}

static int plan_zone(struct check *check, u32 zone)
{
	const struct raizn_geometry *geo = check->geo;
	struct zone_work work = { };
	int ret;

	ret = check_facts(check, zone, &work.facts);
	if (ret)
		return ret;
	if (!raizn_zone_is_empty(geo, &work.facts, work.facts.nr_pp))
		raizn_plan_zone(geo, &work.facts, &work.plan);
	plan_without_logs(check, &work);
	if (__builtin_popcount(work.facts.missing) == 1 &&
	    work.plan.action != RAIZN_ZONE_DAMAGED &&
	    work.plan.action != RAIZN_ZONE_RESET)
		work.rebuild = work.facts.missing &
			       ~columns_of(check, zone, check->untrusted) &
			       ~columns_rebuilding(check, zone);
	work.finish = lacks_finish(check, &work);
	judge_plan(check, &work);
	if (work.plan.action != RAIZN_ZONE_LEAVE || work.rebuild || work.finish)
		ret = add_work(check, &work);
	check_facts_free(&work.facts);
	return ret;
}

static int add_leftover(struct check *check, u32 slot, u32 zone)
{
	struct leftover *grown;

	grown = realloc(check->leftovers,
			(check->nr_leftovers + 1) * sizeof(*grown));
	if (!grown)
		return fail_memory();
	check->leftovers = grown;
	grown[check->nr_leftovers++] = (struct leftover) {
		.slot = slot,
		.zone = zone,
	};
	return TOOL_OK;
}

/* Zones of a member that hold no column should be empty. */
static int find_leftovers(struct check *check, u32 slot, u32 *used)
{
	const struct raizn_geometry *geo = check->geo;
	u32 nr = member_zones(check->slots[slot].member, check->slots[slot].zones);
	u32 physical, column, beyond = 0, i;
	int ret = TOOL_OK;

	memset(used, 0, nr * sizeof(*used));
	for (i = 0; i < geo->nr_zones; i++) {
		column = raizn_zone_map_column(geo, check->map, i, slot);
		physical = raizn_zone_map_physical(geo, check->map, i, column);
		if (physical == RAIZN_NOWHERE)
			continue;
		if (physical < nr)
			used[physical] = 1;
		else
			beyond++;
	}
	if (beyond)
		check_problem(check, "%s: has %u zones, and %u columns are in zones behind these; a start rebuilds them",
			      check->slots[slot].member->drive.path,
			      check->slots[slot].member->drive.nr_zones, beyond);
	for (i = RAIZN_NR_LOG_ZONES; i < nr && !ret; i++) {
		const struct zbd_zone *zone =
			&check->slots[slot].zones[geo->first_zone + i];

		if (!used[i] && !zbd_zone_empty(zone) && column_readable(zone))
			ret = add_leftover(check, slot, geo->first_zone + i);
	}
	return ret;
}

/* Why a zone map makes no sense, or NULL. */
static const char *map_fault(const struct check *check, u32 *used)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(check->newest);

	if (check->map->permuted &&
	    !(le64_to_cpu(sb->incompat) & RAIZN_INCOMPAT_DISTANCE))
		return "has columns on members of other slots, which the newest superblock does not allow";
	if (raizn_zone_map_check(check->geo, check->map, used))
		return "names a member zone twice, or a member twice in a zone";
	return NULL;
}

int check_zones(struct check *check)
{
	const struct raizn_geometry *geo = check->geo;
	struct progress progress;
	const char *fault;
	int ret = TOOL_OK;
	u32 *used, i;

	used = calloc(raizn_most_zones(geo), sizeof(*used));
	if (!used)
		return fail_memory();
	fault = map_fault(check, used);
	if (fault) {
		check_problem(check, "the zone map %s; zones were not looked at", fault);
		check->map = NULL;
		free(used);
		return TOOL_OK;
	}
	progress_begin(&progress, (struct amount) {
			       .unit = AMOUNT_ZONES, .total = geo->nr_zones },
		       "examining zones");
	check_on_signal();
	for (i = 0; i < geo->nr_zones && !ret; i++) {
		ret = plan_zone(check, i);
		progress_add(&progress, 1);
	}
	progress_end(&progress);
	for (i = 0; i < geo->nr_members && !ret; i++)
		if (!(check->untrusted & (1U << i)))
			ret = find_leftovers(check, i, used);
	free(used);
	return ret;
}
