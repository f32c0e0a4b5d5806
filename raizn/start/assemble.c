// SPDX-License-Identifier: GPL-2.0
/*
 * Assembly: from the contents of the members to an array in memory.  Reads only, and trusts
 * nothing it reads.
 *
 * A member is trusted if raizn_join_claims() trusts it by the superblocks, and if its log
 * knows the intent of every reset that another such member's log calls done: an intent is
 * durable on all members before its reset goes on.
 *
 * The logs of other members make up for parts of a member's general log that its drive cannot
 * read: see raizn_join_partial().
 *
 * A member that is not trusted counts as missing.  The logs of trusted members are joined;
 * docs/recovery.md says why that is right.
 */
#include "assemble.h"

static void read_work(struct work_struct *work)
{
	struct raizn_probe *p = container_of(work, struct raizn_probe, work);

	p->err = p->read(p->arr, p);
}

/*
 * Read all drives side by side, each in a work item: a start takes as long as the slowest drive.
 * Results are in p->err; lines for the kernel log wait for raizn_probe_tell().
 */
static void side_by_side(struct raizn_array *arr, struct raizn_probe *probes, u32 nr,
			 int (*read)(struct raizn_array *arr, struct raizn_probe *p))
{
	u32 i;

	for (i = 0; i < nr; i++) {
		probes[i].arr = arr;
		probes[i].read = read;
		INIT_WORK(&probes[i].work, read_work);
		queue_work(arr->read_wq, &probes[i].work);
	}
	for (i = 0; i < nr; i++)
		flush_work(&probes[i].work);
}

static int take_geometry(struct raizn_array *arr, struct raizn_probe *p)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(p->sb);
	const char *why;

	if (raizn_sb_geometry(sb, &arr->geo, &why)) {
		DMERR("%pg: superblock: %s", p->bdev, why);
		return -EINVAL;
	}
	return 0;
}

/* Least capacity of a member zone (sectors). */
static u32 zone_capacity(const struct raizn_geometry *geo)
{
	return geo->member_zone_cap + geo->member_zone_pad;
}

/**
 * raizn_probe_fits() - are a drive's zones and blocks those of the array?
 * @arr:	array with geometry
 * @p:		drive
 *
 * The drive may have more zones, which are spare, and zones of a larger capacity.
 *
 * Return: 0 or -EINVAL.
 */
int raizn_probe_fits(struct raizn_array *arr, struct raizn_probe *p)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 need = geo->first_zone + raizn_common_zones(geo);
	u32 append;

	if (bdev_zone_sectors(p->bdev) != geo->member_zone_size ||
	    p->capacity < zone_capacity(geo) ||
	    p->first_zone != geo->first_zone || p->nr_zones < need ||
	    bdev_logical_block_size(p->bdev) != geo->block << SECTOR_SHIFT) {
		DMERR("%pg: zones (size %llu, capacity %u, first %u, number %u) or blocks are not those of the array",
		      p->bdev, (u64)bdev_zone_sectors(p->bdev), p->capacity,
		      p->first_zone, p->nr_zones);
		return -EINVAL;
	}
	append = min(bdev_max_zone_append_sectors(p->bdev),
		     queue_max_sectors(bdev_get_queue(p->bdev)));
	if (append < RAIZN_RECORD_MAX >> SECTOR_SHIFT) {
		DMERR("%pg: takes zone appends of %u sectors only, %u are needed",
		      p->bdev, append, RAIZN_RECORD_MAX >> SECTOR_SHIFT);
		return -EINVAL;
	}
	return 0;
}

/* Check that a drive's superblock belongs to the array, and find the drive's slot. */
static int place_member(struct raizn_array *arr, struct raizn_probe *p)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(p->sb);
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_geometry own;
	const char *why;
	u32 i;
	int err;

	if (memcmp(p->sb->array_uuid, arr->uuid, RAIZN_UUID_SIZE)) {
		DMERR("%pg: belongs to array %pU, not to %pU", p->bdev,
		      p->sb->array_uuid, arr->uuid);
		return -EINVAL;
	}
	if (raizn_sb_geometry(sb, &own, &why)) {
		DMERR("%pg: superblock: %s", p->bdev, why);
		return -EINVAL;
	}
	if (memcmp(&own, geo, sizeof(own))) {
		DMERR("%pg: superblock disagrees with the other members' on the geometry",
		      p->bdev);
		return -EINVAL;
	}
	err = raizn_probe_fits(arr, p);
	if (err)
		return err;
	for (i = 0; i < geo->nr_members; i++)
		if (!memcmp(sb->members[i].uuid, sb->member_uuid,
			    RAIZN_UUID_SIZE))
			break;
	if (i != le16_to_cpu(p->sb->member)) {
		DMERR("%pg: superblock does not say which member it is",
		      p->bdev);
		return -EINVAL;
	}
	p->slot = i;
	return 0;
}

/* A limit of the superblock, or 0 if there is none, or none that an array can have. */
static u32 known_limit(__le32 limit)
{
	return le32_to_cpu(limit) > RAIZN_MD_ACTIVE_ZONES ? le32_to_cpu(limit) : 0;
}

/*
 * Limits of the volume and sizes that depend on them.  The drive of a missing member may have the
 * least limits; the superblock knows them, so that the member can come back.
 */
static int set_limits(struct raizn_array *arr)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 record = raizn_pp_record_sectors(geo);
	u32 capacity = zone_capacity(geo);
	u32 active = arr->dead ? known_limit(arr->sb.max_active) : 0;
	u32 open = arr->dead ? known_limit(arr->sb.max_open) : 0;
	struct raizn_member *m;
	u32 i;

	if (capacity < raizn_log_zone_min(geo)) {
		DMERR("log zones of %u sectors are too small for this array",
		      capacity);
		return -EINVAL;
	}
	arr->granularity = geo->block;
	for (i = 0; i < geo->nr_members; i++) {
		m = &arr->members[i];
		if (!raizn_member_live(m))
			continue;
		active = min_not_zero(active, m->max_active);
		open = min_not_zero(open, m->max_open);
		arr->granularity = max(arr->granularity,
				       bdev_zone_write_granularity(m->bdev) >>
				       SECTOR_SHIFT);
		arr->volatile_cache |= m->volatile_cache;
	}
	if ((active && active <= RAIZN_MD_ACTIVE_ZONES) ||
	    (open && open <= RAIZN_MD_ACTIVE_ZONES)) {
		DMERR("members allow %u active and %u open zones: at least %u are needed",
		      active, open, RAIZN_MD_ACTIVE_ZONES + 1);
		return -EINVAL;
	}
	if (!arr->dead) {
		arr->sb.max_active = cpu_to_le32(active);
		arr->sb.max_open = cpu_to_le32(open);
	}
	active = active ? active - RAIZN_MD_ACTIVE_ZONES : RAIZN_DEFAULT_ACTIVE;
	/* Partial parity of all active zones must fit half of a log zone, see make_room(). */
	arr->max_active = min(active, capacity / 2 / record);
	open = open ? open - RAIZN_MD_ACTIVE_ZONES : arr->max_active;
	arr->max_open = min(open, arr->max_active);
	for (i = 0; i < geo->nr_members; i++) {
		m = &arr->members[i];
		m->general->capacity = capacity;
		m->pp->capacity = capacity;
	}
	return 0;
}

/**
 * raizn_member_set_device() - assign a drive to a member
 * @m:		member
 * @bdev:	the drive, or NULL
 */
void raizn_member_set_device(struct raizn_member *m, struct block_device *bdev)
{
	m->bdev = bdev;
	if (!bdev)
		return;
	m->volatile_cache = bdev_write_cache(bdev);
	m->max_open = bdev_max_open_zones(bdev);
	m->max_active = bdev_max_active_zones(bdev);
	if (raizn_bdev_lacks_scheduler(bdev))
		DMWARN("%pg: has no I/O scheduler: this kernel needs mq-deadline there to keep writes in order",
		       bdev);
}

static int set_members(struct raizn_array *arr, struct raizn_probe *probes,
		       u32 nr)
{
	struct raizn_member *m;
	u32 i;

	arr->dead = raizn_all_members(arr);
	arr->members = kvcalloc(arr->geo.nr_members, sizeof(*arr->members),
				GFP_KERNEL);
	arr->logs = kvcalloc(2 * arr->geo.nr_members, sizeof(*arr->logs),
			     GFP_KERNEL);
	if (!arr->members || !arr->logs)
		return -ENOMEM;
	for (i = 0; i < arr->geo.nr_members; i++) {
		m = &arr->members[i];
		m->arr = arr;
		m->slot = i;
		spin_lock_init(&m->zones_lock);
		m->general = &arr->logs[2 * i];
		m->pp = &arr->logs[2 * i + 1];
		raizn_log_init(m->general, m, RAIZN_LOG_GENERAL);
		raizn_log_init(m->pp, m, RAIZN_LOG_PARTIAL_PARITY);
		INIT_WORK(&m->pp->switch_work, raizn_pp_log_switch);
	}
	for (i = 0; i < nr; i++) {
		m = &arr->members[probes[i].slot];
		if (m->bdev) {
			DMERR("%pg and %pg are both member %u", m->bdev,
			      probes[i].bdev, m->slot);
			return -EINVAL;
		}
		raizn_member_set_device(m, probes[i].bdev);
		m->zone_pad = probes[i].capacity - arr->geo.member_zone_cap;
		m->nr_physical = raizn_member_zones(&arr->geo, probes[i].nr_zones);
		memcpy(m->uuid, raizn_probe_sb(&probes[i])->member_uuid,
		       RAIZN_UUID_SIZE);
	}
	return 0;
}

static int read_device(struct raizn_array *arr, struct raizn_probe *p)
{
	return raizn_probe_device(p);
}

/* Probe all drives.  Only the first one, in the order of the table, that cannot be used is told. */
static int probe_devices(struct raizn_array *arr, struct raizn_probe *probes, u32 nr, char **error)
{
	u32 i;

	side_by_side(arr, probes, nr, read_device);
	for (i = 0; i < nr; i++) {
		raizn_probe_tell(&probes[i]);
		if (!probes[i].err)
			continue;
		*error = probes[i].error;
		return probes[i].err;
	}
	return 0;
}

static int read_logs(struct raizn_array *arr, struct raizn_probe *p)
{
	return raizn_log_replay(arr, p, &arr->members[p->slot]);
}

/*
 * Read every member's logs.  A member with invalid logs is not trusted.  Logs that newer
 * code has written to may be right where this code does not understand them: the start
 * fails.
 */
static int replay_members(struct raizn_array *arr, struct raizn_probe *probes, u32 nr)
{
	u32 i;
	int err;

	side_by_side(arr, probes, nr, read_logs);
	for (i = 0; i < nr; i++) {
		raizn_probe_tell(&probes[i]);
		err = probes[i].err;
		if (err == -ENOMEM || err == -EOPNOTSUPP)
			return err;
		probes[i].trusted = !err;
		if (err)
			DMWARN("%pg: member %u is not trusted: its logs cannot be read",
			       probes[i].bdev, probes[i].slot);
	}
	return 0;
}

/* Do the records of a drive's general log count?  Of a partial one, at most its superblock does. */
static bool has_log(const struct raizn_probe *p)
{
	return p->trusted && !p->partial;
}

/* The superblock of the highest event count among the members with a complete log. */
static struct raizn_probe *newest_probe(struct raizn_probe *probes, u32 nr)
{
	struct raizn_probe *newest = NULL;
	u32 i;

	for (i = 0; i < nr; i++)
		if (has_log(&probes[i]) &&
		    (!newest || le64_to_cpu(raizn_probe_sb(&probes[i])->event) >
				le64_to_cpu(raizn_probe_sb(newest)->event)))
			newest = &probes[i];
	return newest;
}

static void set_claim(const struct raizn_probe *p, struct raizn_member_claim *claim)
{
	raizn_superblock_claim(raizn_probe_sb(p), claim);
	claim->partial = p->partial;
	claim->hidden = p->hidden;
}

static void distrust_partial(struct raizn_probe *p)
{
	DMWARN("%pg: member %u is not trusted: its drive cannot read all of its general log, and the other members' logs do not make up for that",
	       p->bdev, p->slot);
	p->trusted = false;
}

static int judge_claims(struct raizn_array *arr, struct raizn_probe *probes,
			u32 nr)
{
	struct raizn_member_claim claims[RAIZN_MAX_MEMBERS] = { 0 };
	struct raizn_trust trust;
	u32 i;
	int err;

	for (i = 0; i < nr; i++)
		if (probes[i].trusted)
			set_claim(&probes[i], &claims[probes[i].slot]);
	err = raizn_join_partial(claims, arr->geo.nr_members, arr->geo.nr_parity, &trust);
	if (err) {
		DMERR("array %pU: two groups of members may each have gone on without the other: give the members of one group only",
		      arr->uuid);
		return err;
	}
	for (i = 0; i < nr; i++) {
		if (probes[i].trusted && trust.unproven & ~trust.failed & BIT(probes[i].slot)) {
			distrust_partial(&probes[i]);
			continue;
		}
		if (!probes[i].trusted || !(trust.failed & BIT(probes[i].slot)))
			continue;
		DMWARN("%pg: member %u is stale (event %llu, the array went on from %llu without it) and is not used",
		       probes[i].bdev, probes[i].slot,
		       claims[probes[i].slot].event, trust.base);
		probes[i].trusted = false;
	}
	/* superblock_change() adds 1. */
	arr->event = trust.event - 1;
	arr->base_event = trust.base;
	arr->base_failed = trust.base_failed;
	return 0;
}

/*
 * The part of a member's log that can be read does not tell which resets it knows.  But a member
 * with a record that is newer than all resets that are done was not left behind before these.  A
 * checkpoint has no records of resets: those that it covers were done before the log zone began.
 */
static bool goes_beyond_resets(struct raizn_probe *probes, u32 nr, const struct raizn_probe *p,
			       u64 era)
{
	u64 newest = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!has_log(&probes[i]) || le64_to_cpu(raizn_probe_sb(&probes[i])->era) != era)
			continue;
		newest = max3(newest, probes[i].done, probes[i].begin);
	}
	return p->top >= newest;
}

/* Does a member's log know of every reset that another one calls done? */
static bool knows_resets(struct raizn_array *arr, struct raizn_probe *p)
{
	const struct raizn_zone_state *own, *all;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		own = &p->zones[i];
		all = &arr->zone_state[i];
		if (raizn_zone_state_knows(own, all))
			continue;
		DMWARN("%pg: member %u is stale (zone %u of generation %llu, the array's is %llu) and is not used",
		       p->bdev, p->slot, i, own->generation, all->generation);
		return false;
	}
	return true;
}

/*
 * Join a zone's state by one log.  RAIZN_ZONE_UNLOGGED counts only from logs with the
 * newest start number, for the flag and that number change in one checkpoint.
 */
static void join_zone(struct raizn_zone_state *zone,
		      const struct raizn_zone_state *own, bool newest_start)
{
	struct raizn_zone_state state = *own;

	if (!newest_start)
		state.flags &= ~RAIZN_ZONE_UNLOGGED;
	raizn_zone_state_join(zone, &state);
}

/* Returns true if all members with joined logs know all resets. */
static bool join_logs(struct raizn_array *arr, struct raizn_probe *probes,
		      u32 nr, u64 era)
{
	struct raizn_probe *p;
	bool ok = true;
	u64 start = 0;
	u32 i, z;

	memset(arr->zone_state, 0,
	       arr->geo.nr_zones * sizeof(*arr->zone_state));
	for (i = 0; i < nr; i++)
		if (has_log(&probes[i]))
			start = max(start, le64_to_cpu(raizn_probe_sb(&probes[i])->start));
	for (i = 0; i < nr; i++) {
		p = &probes[i];
		if (!has_log(p) || le64_to_cpu(raizn_probe_sb(p)->era) != era)
			continue;
		for (z = 0; z < arr->geo.nr_zones; z++)
			join_zone(&arr->zone_state[z], &p->zones[z],
				  le64_to_cpu(raizn_probe_sb(p)->start) == start);
		cond_resched();
	}
	for (i = 0; i < nr; i++) {
		p = &probes[i];
		if (p->trusted && p->partial && !goes_beyond_resets(probes, nr, p, era)) {
			distrust_partial(p);
			ok = false;
		}
		if (!has_log(p) || le64_to_cpu(raizn_probe_sb(p)->era) != era)
			continue;
		p->trusted = knows_resets(arr, p);
		ok &= p->trusted;
	}
	return ok;
}

/*
 * A drive may have fewer zones than the member had: by a copy, or a change of its own.  The columns
 * behind its end are rebuilt in other zones.  They stay nowhere for a later start that finds the
 * zones again: the map has a new version, which is durable before anything else is written.
 */
static void cut_map(struct raizn_array *arr, const struct raizn_probe *p)
{
	u32 nr = arr->members[p->slot].nr_physical;
	u32 cut = raizn_zone_map_cut(&arr->geo, &arr->map, p->slot, nr);

	if (!cut)
		return;
	arr->map.version++;
	arr->recovery->cut_off |= BIT(p->slot);
	DMWARN("%pg: member %u has %u columns behind the end of the drive, which has %u zones: they count as lost",
	       p->bdev, p->slot, cut, p->nr_zones);
}

static int join_maps(struct raizn_array *arr, struct raizn_probe *probes, u32 nr)
{
	struct raizn_probe *best = NULL;
	u32 *used;
	u32 i;
	int err;

	for (i = 0; i < nr; i++)
		if (has_log(&probes[i]) &&
		    (!best || probes[i].map.version > best->map.version))
			best = &probes[i];
	if (!best->map.entries)
		return 0;
	if (best->map.permuted && !raizn_has_distances(arr)) {
		DMERR("%pg: zone map puts columns on members of other slots, which the newest superblock does not allow",
		      best->bdev);
		return -EUCLEAN;
	}
	used = kvmalloc_array(raizn_most_zones(&arr->geo), sizeof(*used), GFP_KERNEL);
	if (!used)
		return -ENOMEM;
	err = raizn_zone_map_check(&arr->geo, &best->map, used);
	kvfree(used);
	if (err) {
		DMERR("%pg: zone map uses a member zone twice, or a member twice in a logical zone",
		      best->bdev);
		return err;
	}
	arr->map = best->map;
	best->map.entries = NULL;
	for (i = 0; i < nr; i++)
		if (probes[i].trusted)
			cut_map(arr, &probes[i]);
	return 0;
}

/* The newest list of lost blocks, without those that do not count any more. */
static void join_bad_blocks(struct raizn_array *arr, struct raizn_probe *probes, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (probes[i].trusted && probes[i].bad_blocks &&
		    probes[i].bad_blocks->version > arr->bad->version)
			*arr->bad = *probes[i].bad_blocks;
	raizn_bad_blocks_keep(arr->bad, RAIZN_ZONE_ALL, raizn_bad_counts, arr);
}

/*
 * The newest list of spoilt rows.  The list that a start writes first is a new version, for entries
 * that do not count any more are not in it.
 */
static int join_spoilt(struct raizn_array *arr, struct raizn_probe *probes, u32 nr)
{
	const struct raizn_spoilt_list *newest = NULL;
	u32 i;

	for (i = 0; i < nr; i++)
		if (probes[i].trusted && probes[i].spoilt &&
		    (!newest || probes[i].spoilt->version > newest->version))
			newest = probes[i].spoilt;
	if (!newest)
		return 0;
	arr->spoilt_version = newest->version + 1;
	return raizn_spoilt_load(arr, newest);
}

/* A member is trusted though its drive cannot read all of its general log. */
static void note_partial(struct raizn_recovery *rec, const struct raizn_probe *p)
{
	u32 i;

	rec->partial |= BIT(p->slot);
	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		if (p->sights[i].unreadable && p->sights[i].role != RAIZN_LOG_PARTIAL_PARITY)
			DMWARN("%pg: member %u: the drive cannot read %u blocks of reserved zone %u: the other members' logs make up for these",
			       p->bdev, p->slot, p->sights[i].unreadable, i);
}

/* Decide which members are trusted, and join their logs. */
static int join_members(struct raizn_array *arr, struct raizn_probe *probes,
			u32 nr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_probe *newest;
	u64 era;
	u32 i;
	int err;

	do {
		err = newest_probe(probes, nr) ? judge_claims(arr, probes, nr) :
						 0;
		if (err)
			return err;
		newest = newest_probe(probes, nr);
		if (!newest) {
			DMERR("array %pU: no member is left that can be trusted",
			      arr->uuid);
			return -EUCLEAN;
		}
		era = 0;
		for (i = 0; i < nr; i++)
			if (has_log(&probes[i]))
				era = max(era, le64_to_cpu(raizn_probe_sb(&probes[i])->era));
	} while (!join_logs(arr, probes, nr, era));

	arr->sb = *raizn_probe_sb(newest);
	raizn_settings_load(arr);
	rec->clean = true;
	for (i = 0; i < nr; i++) {
		if (!probes[i].trusted)
			continue;
		if (probes[i].partial)
			note_partial(rec, &probes[i]);
		if (probes[i].hidden || raizn_probe_sb(&probes[i])->event != arr->sb.event ||
		    !(le32_to_cpu(raizn_probe_sb(&probes[i])->flags) &
		      RAIZN_SB_CLEAN))
			rec->clean = false;
		if ((u64)atomic64_read(&arr->seq) < probes[i].seq)
			atomic64_set(&arr->seq, probes[i].seq);
	}
	raizn_scrub_load(arr, rec->clean);
	err = join_maps(arr, probes, nr);
	if (!err)
		join_bad_blocks(arr, probes, nr);
	return err;
}

/*
 * Members that any trusted member's superblock calls rebuilding: a superblock that was
 * interrupted may give such a member another state.
 */
static u32 find_rebuilding(struct raizn_array *arr, struct raizn_probe *probes,
			   u32 nr)
{
	u32 mask = 0;
	u32 i, slot;

	for (i = 0; i < nr; i++)
		for (slot = 0; has_log(&probes[i]) &&
		     slot < arr->geo.nr_members; slot++)
			if (raizn_probe_sb(&probes[i])->members[slot].state ==
			    RAIZN_MEMBER_REBUILDING)
				mask |= BIT(slot);
	return mask;
}

/* Decide which members the array goes on with, and check that they are enough. */
static int decide_members(struct raizn_array *arr, struct raizn_probe *probes,
			  u32 nr, const struct raizn_start_options *opts)
{
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_member *m;
	u32 missing, known;
	u32 i;

	arr->rebuilding = find_rebuilding(arr, probes, nr);
	known = arr->base_failed | raizn_members_to_spare(geo, arr->rebuilding);
	for (i = 0; i < nr; i++) {
		if (!probes[i].trusted)
			continue;
		m = &arr->members[probes[i].slot];
		arr->dead &= ~BIT(m->slot);
		arr->rotational |= raizn_bdev_is_rotational(m->bdev);
		if (bdev_read_only(m->bdev)) {
			DMWARN("%pg: is read-only, and so is the array",
			       m->bdev);
			arr->read_only = true;
		}
	}
	for (i = 0; i < geo->nr_members; i++) {
		m = &arr->members[i];
		if (raizn_member_live(m))
			continue;
		memcpy(m->uuid, arr->sb.members[i].uuid, RAIZN_UUID_SIZE);
		if (known & BIT(i) || opts->degraded)
			continue;
		DMERR("array %pU: member %u (%pU) is missing: connect it, or start with the option degraded, which leaves it behind",
		      arr->uuid, i, m->uuid);
		return -ENODEV;
	}
	missing = hweight32(arr->dead);
	if (missing > geo->nr_parity) {
		DMERR("array %pU: %u members are missing, its parity makes up for %u",
		      arr->uuid, missing, geo->nr_parity);
		return -ENODEV;
	}
	if (missing)
		DMWARN("array %pU: starts degraded, without %u of its members",
		       arr->uuid, missing);
	return 0;
}

static int assemble(struct raizn_array *arr, struct raizn_probe *probes, u32 nr,
		    const struct raizn_start_options *opts)
{
	struct raizn_probe *by_slot[RAIZN_MAX_MEMBERS] = { NULL };
	u32 i;
	int err;

	arr->zone_state = kvcalloc(arr->geo.nr_zones, sizeof(*arr->zone_state),
				   GFP_KERNEL);
	err = arr->zone_state ? replay_members(arr, probes, nr) : -ENOMEM;
	if (!err)
		err = join_members(arr, probes, nr);
	if (!err && !uuid_is_null(&opts->host))
		export_uuid(arr->sb.host, &opts->host);
	if (!err)
		err = decide_members(arr, probes, nr, opts);
	for (i = 0; !err && i < nr; i++)
		arr->read_only |= raizn_probe_forbids_writing(&probes[i]);
	if (!err)
		err = set_limits(arr);
	if (!err)
		err = raizn_zones_init(arr);
	for (i = 0; !err && i < arr->bad->nr; i++)
		raizn_bad_refresh(&arr->zones[arr->bad->at[i].zone]);
	if (!err)
		err = join_spoilt(arr, probes, nr);
	if (!err) {
		for (i = 0; i < nr; i++)
			if (probes[i].trusted)
				by_slot[probes[i].slot] = &probes[i];
		err = raizn_examine(arr, by_slot);
	}
	return err;
}

/**
 * raizn_assemble() - read superblocks, logs and zone reports of all members
 * @arr:	new array; filled
 * @bdevs:	the devices, in any order
 * @nr:		number of them
 * @opts:	from the table line
 * @error:	static text for ti->error on failure
 *
 * Reads only, the drives side by side, on arr->read_wq.
 *
 * Return: 0 or -errno, with the details in the kernel log.
 */
int raizn_assemble(struct raizn_array *arr, struct block_device **bdevs, u32 nr,
		   const struct raizn_start_options *opts, char **error)
{
	struct raizn_probe *probes;
	int err;
	u32 i;

	err = raizn_recovery_alloc(arr);
	if (err)
		return err;
	arr->recovery->renumber = opts->renumber;
	arr->recovery->read_logs = opts->read_logs;
	arr->recovery->degraded = opts->degraded;

	probes = kcalloc(nr, sizeof(*probes), GFP_KERNEL);
	if (!probes)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		probes[i].bdev = bdevs[i];
	err = probe_devices(arr, probes, nr, error);
	if (err)
		goto out;

	*error = "Members do not make an array, see the kernel log";
	memcpy(arr->uuid, probes[0].sb->array_uuid, RAIZN_UUID_SIZE);
	err = take_geometry(arr, &probes[0]);
	if (!err && nr + opts->nr_absent != arr->geo.nr_members) {
		DMERR("array %pU has %u members, %u devices given", arr->uuid,
		      arr->geo.nr_members, nr + opts->nr_absent);
		err = -EINVAL;
	}
	for (i = 0; !err && i < nr; i++)
		err = place_member(arr, &probes[i]);
	if (!err)
		err = set_members(arr, probes, nr);
	if (err)
		goto out;

	*error = "Array cannot be started, see the kernel log";
	err = assemble(arr, probes, nr, opts);
out:
	for (i = 0; i < nr; i++)
		raizn_probe_free(&probes[i]);
	kfree(probes);
	return err;
}
