// SPDX-License-Identifier: GPL-2.0
/*
 * Assembly: from what the members hold to an array in memory.  Reads only, and
 * trusts nothing it reads.
 *
 * An array is taken as it is when its newest superblocks say "clean" and all
 * that was read agrees: every member's general log adds up to the same zone
 * states, and every zone's member zones have write pointers that belong
 * together.  Anything else needs recovery and is refused.
 */
#include <linux/sort.h>

#include "raizn.h"
#include "trace.h"

/**
 * struct probe - what is known of one drive
 * @bdev:	the drive
 * @nr_zones:	zones with the full capacity, from zone 0
 * @first_zone:	first sequential zone
 * @capacity:	sectors of a sequential zone
 * @short_zone:	the last zone seen has a smaller capacity
 * @extents:	sectors written, by zone; the capacity for full zones
 * @conds:	BLK_ZONE_COND_*, by zone
 * @bad:	static text: what rules the drive out, or NULL
 * @sb:		newest superblock record, header and body
 * @slot:	its place in the array
 */
struct probe {
	struct block_device *bdev;
	u32 nr_zones;
	u32 first_zone;
	u32 capacity;
	bool short_zone;
	u32 *extents;
	u8 *conds;
	const char *bad;
	struct raizn_record *sb;
	u16 slot;
};

static int probe_zone(struct blk_zone *zone, unsigned int idx, void *data)
{
	struct probe *p = data;
	u32 written = zone->cond == BLK_ZONE_COND_EMPTY ? 0 :
		      zone->wp - zone->start;

	if (zone->type == BLK_ZONE_TYPE_CONVENTIONAL) {
		if (p->nr_zones > p->first_zone)
			p->bad = "conventional zones behind sequential ones";
		p->first_zone++;
		p->nr_zones++;
		return 0;
	}
	if (zone->type != BLK_ZONE_TYPE_SEQWRITE_REQ) {
		p->bad = "not all zones require sequential writes";
		return 0;
	}
	if (p->short_zone)
		p->bad = "zones of different capacities";
	if (!p->capacity)
		p->capacity = zone->capacity;
	if (zone->capacity != p->capacity) {
		/* Disks may end with a shorter zone; it is left out. */
		p->short_zone = true;
		return 0;
	}
	if (zone->cond == BLK_ZONE_COND_FULL || written > p->capacity)
		written = p->capacity;
	p->extents[idx] = written;
	p->conds[idx] = zone->cond;
	p->nr_zones++;
	return 0;
}

static void probe_free(struct probe *p)
{
	kvfree(p->extents);
	kvfree(p->conds);
	kfree(p->sb);
}

/* Read the newest superblock of the log zones' first blocks. */
static int probe_superblock(struct probe *p, void *block)
{
	u64 zone_size = bdev_zone_sectors(p->bdev);
	struct raizn_record *rec = block;
	u32 i, zone;
	int err;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		zone = p->first_zone + i;
		if (zone >= p->nr_zones ||
		    p->extents[zone] < RAIZN_BLOCK_SECTORS)
			continue;
		err = raizn_member_read(p->bdev, zone * zone_size, block,
					RAIZN_BLOCK_SIZE);
		if (err)
			return err;
		if (raizn_record_verify(block, RAIZN_BLOCK_SIZE) ||
		    le16_to_cpu(rec->type) != RAIZN_REC_SUPERBLOCK)
			continue;
		if (p->sb && le64_to_cpu(p->sb->seq) >= le64_to_cpu(rec->seq))
			continue;
		if (!p->sb)
			p->sb = kmalloc(RAIZN_BLOCK_SIZE, GFP_KERNEL);
		if (!p->sb)
			return -ENOMEM;
		memcpy(p->sb, block, RAIZN_BLOCK_SIZE);
	}
	return 0;
}

static int probe_device(struct probe *p, char **error)
{
	u32 nr = bdev_nr_zones(p->bdev);
	void *block;
	int err;

	if (!raizn_bdev_is_host_managed(p->bdev)) {
		DMERR("%pg: not a host-managed zoned drive", p->bdev);
		*error = "Member is not a host-managed zoned drive";
		return -EINVAL;
	}
	block = kmalloc(RAIZN_BLOCK_SIZE, GFP_KERNEL);
	p->extents = kvcalloc(nr, sizeof(*p->extents), GFP_KERNEL);
	p->conds = kvcalloc(nr, sizeof(*p->conds), GFP_KERNEL);
	err = -ENOMEM;
	if (!block || !p->extents || !p->conds)
		goto out;

	err = blkdev_report_zones(p->bdev, 0, nr, probe_zone, p);
	if (err < 0) {
		DMERR("%pg: zone report failed: %d", p->bdev, err);
		goto out;
	}
	err = -EINVAL;
	if (p->bad) {
		DMERR("%pg: %s", p->bdev, p->bad);
		goto out;
	}
	err = probe_superblock(p, block);
	if (err) {
		DMERR("%pg: can not read the log zones: %d", p->bdev, err);
		goto out;
	}
	if (!p->sb) {
		DMERR("%pg: no superblock found: not a member of an array",
		      p->bdev);
		err = -EINVAL;
	}
out:
	if (err)
		*error = "Member can not be used, see the kernel log";
	kfree(block);
	return err;
}

/* Feature words decide whether this code may write the array, or use it. */
static int check_features(struct raizn_array *arr, struct block_device *bdev,
			  const struct raizn_superblock *sb)
{
	u64 unknown;

	unknown = le64_to_cpu(sb->incompat) & ~RAIZN_INCOMPAT_SUPPORTED;
	if (unknown) {
		DMERR("%pg: array uses features this kernel lacks (incompat %#llx): a newer dm-raizn is needed",
		      bdev, unknown);
		return -EOPNOTSUPP;
	}
	unknown = le64_to_cpu(sb->ro_compat) & ~RAIZN_RO_COMPAT_SUPPORTED;
	if (unknown) {
		DMWARN("%pg: array uses features this kernel can not write (ro-compat %#llx): read-only",
		       bdev, unknown);
		arr->read_only = true;
	}
	return 0;
}

static int take_geometry(struct raizn_array *arr, struct probe *p)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(p->sb);
	const char *why;
	int err;

	err = check_features(arr, p->bdev, sb);
	if (err)
		return err;
	if (raizn_sb_geometry(sb, &arr->geo, &why)) {
		DMERR("%pg: superblock: %s", p->bdev, why);
		return -EINVAL;
	}
	if (arr->geo.nr_parity != 1 || arr->geo.level != 5) {
		DMERR("%pg: level %u is not available yet", p->bdev,
		      arr->geo.level);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Does a drive's own superblock belong to the array, and where? */
static int place_member(struct raizn_array *arr, struct probe *p)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(p->sb);
	const struct raizn_geometry *geo = &arr->geo;
	struct raizn_geometry own;
	const char *why;
	u32 need = geo->first_zone + geo->nr_reserved + geo->nr_zones;
	u32 append;
	u32 i;

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
	if (bdev_zone_sectors(p->bdev) != geo->member_zone_size ||
	    p->capacity != geo->member_zone_cap + geo->member_zone_pad ||
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

/*
 * Walk the records of a log zone.  @fn returns 0 to go on.  The array is clean
 * if all records are sound; the first that is not ends the walk.
 */
static int walk_log_zone(struct raizn_array *arr, struct probe *p, u32 zone,
			 struct raizn_record *buf,
			 int (*fn)(struct raizn_record *rec, void *data),
			 void *data)
{
	u32 extent = p->extents[arr->geo.first_zone + zone];
	u64 start = raizn_reserved_zone_start(&arr->geo, zone);
	enum raizn_record_verdict verdict;
	struct raizn_record *rec;
	u32 have = 0, pos = 0, off = 0;
	int err;

	/* @pos is where @buf was read from, @off what of it is consumed. */
	while (pos + off + RAIZN_BLOCK_SECTORS <= extent) {
		rec = (void *)buf + (off << SECTOR_SHIFT);
		verdict = have - off < RAIZN_BLOCK_SECTORS ?
			  RAIZN_RECORD_BAD_LENGTH :
			  raizn_record_verify(rec, (have - off) << SECTOR_SHIFT);
		if (verdict == RAIZN_RECORD_BAD_LENGTH && (off || !have)) {
			pos += off;
			off = 0;
			have = min(extent - pos,
				   (u32)(RAIZN_RECORD_MAX >> SECTOR_SHIFT));
			have = rounddown(have, RAIZN_BLOCK_SECTORS);
			err = raizn_member_read(p->bdev, start + pos, buf,
						have << SECTOR_SHIFT);
			if (err)
				return err;
			continue;
		}
		if (verdict || !raizn_record_fits(rec, &arr->geo, arr->uuid)) {
			DMERR("%pg: reserved zone %u, sector %u: %s", p->bdev,
			      zone, pos + off, verdict ?
			      raizn_record_verdict_name(verdict) :
			      "record does not fit this array");
			return -EUCLEAN;
		}
		err = fn(rec, data);
		if (err)
			return err;
		off += raizn_record_bytes(rec) >> SECTOR_SHIFT;
	}
	return 0;
}

/**
 * struct log_zone - what the records of a log zone say of it
 * @zone:	reserved zone
 * @epoch:	its epoch
 * @begin:	sequence number of the superblock it begins with
 * @role:	enum raizn_log_role
 * @complete:	it has the checkpoint that @begin announced
 */
struct log_zone {
	u32 zone;
	u64 epoch;
	u64 begin;
	u8 role;
	bool complete;
};

static int look_at_record(struct raizn_record *rec, void *data)
{
	struct log_zone *lz = data;

	if (le16_to_cpu(rec->type) == RAIZN_REC_CHECKPOINT &&
	    le64_to_cpu(rec->start) == lz->begin)
		lz->complete = true;
	return 0;
}

static int compare_epochs(const void *a, const void *b)
{
	const struct log_zone *x = a, *y = b;

	return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

/**
 * struct replay - state of replaying one member's general log
 * @arr:	the array
 * @p:		the member's drive
 * @zones:	what its records add up to
 * @newest:	newest superblock seen
 * @begin:	records with lower sequence numbers do not count
 */
struct replay {
	struct raizn_array *arr;
	struct probe *p;
	struct raizn_zone_state *zones;
	struct raizn_record *newest;
	u64 begin;
};

static int replay_one(struct raizn_record *rec, void *data)
{
	struct replay *r = data;
	u64 seq = le64_to_cpu(rec->seq);

	if (seq > atomic64_read(&r->arr->seq))
		atomic64_set(&r->arr->seq, seq);
	if (seq < r->begin)
		return 0;
	if (le16_to_cpu(rec->type) == RAIZN_REC_SUPERBLOCK &&
	    seq >= le64_to_cpu(r->newest->seq))
		memcpy(r->newest, rec, RAIZN_BLOCK_SIZE);
	return raizn_replay_record(&r->arr->geo, r->zones, rec);
}

/*
 * Find the log zones of a member and note their use, epochs included, then
 * replay its general log into r->zones.
 */
static int replay_member(struct replay *r, struct raizn_record *buf)
{
	struct raizn_array *arr = r->arr;
	struct probe *p = r->p;
	struct raizn_member *m = &arr->members[p->slot];
	struct log_zone general[RAIZN_NR_LOG_ZONES];
	u32 nr = 0, base = 0;
	struct log_zone lz;
	bool found = false;
	u8 cond;
	u64 start;
	u32 i;
	int err;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		cond = p->conds[arr->geo.first_zone + i];
		if (cond == BLK_ZONE_COND_READONLY ||
		    cond == BLK_ZONE_COND_OFFLINE) {
			DMERR("%pg: reserved zone %u is read-only or offline: repair is not available yet",
			      p->bdev, i);
			return -EUCLEAN;
		}
		if (!p->extents[arr->geo.first_zone + i]) {
			m->reserved[i] = RAIZN_RESERVED_FREE;
			continue;
		}
		m->reserved[i] = RAIZN_RESERVED_STALE;
		start = raizn_reserved_zone_start(&arr->geo, i);
		err = raizn_member_read(p->bdev, start, buf, RAIZN_BLOCK_SIZE);
		if (err)
			return err;
		if (raizn_record_verify(buf, RAIZN_BLOCK_SIZE) ||
		    le16_to_cpu(buf->type) != RAIZN_REC_SUPERBLOCK) {
			DMERR("%pg: reserved zone %u does not begin with a superblock",
			      p->bdev, i);
			return -EUCLEAN;
		}
		memset(&lz, 0, sizeof(lz));
		lz.zone = i;
		lz.role = buf->role;
		lz.epoch = le64_to_cpu(buf->epoch);
		lz.begin = le64_to_cpu(buf->seq);
		if (lz.role != RAIZN_LOG_GENERAL) {
			m->pp.epoch = max(m->pp.epoch, lz.epoch);
			continue;
		}
		m->general.epoch = max(m->general.epoch, lz.epoch);
		err = walk_log_zone(arr, p, i, buf, look_at_record, &lz);
		if (err)
			return err;
		general[nr++] = lz;
	}

	sort(general, nr, sizeof(general[0]), compare_epochs, NULL);
	for (i = 0; i < nr; i++) {
		if (!general[i].complete)
			continue;
		base = i;
		found = true;
	}
	if (!found) {
		DMERR("%pg: no complete checkpoint in the general log",
		      p->bdev);
		return -EUCLEAN;
	}
	r->begin = general[base].begin;
	for (i = base; i < nr; i++) {
		err = walk_log_zone(arr, p, general[i].zone, buf, replay_one, r);
		if (err)
			return err;
	}
	return 0;
}

static int check_clean(struct raizn_array *arr, struct replay *r)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(r->newest);
	u32 i;
	int err;

	err = check_features(arr, r->p->bdev, sb);
	if (err)
		return err;
	for (i = 0; i < arr->geo.nr_members; i++) {
		if (sb->members[i].state == RAIZN_MEMBER_ACTIVE)
			continue;
		DMERR("%pg: member %u is %s: degraded operation is not available yet",
		      r->p->bdev, i,
		      raizn_member_state_name(sb->members[i].state));
		return -EOPNOTSUPP;
	}
	if (!(le32_to_cpu(sb->flags) & RAIZN_SB_CLEAN)) {
		DMERR("%pg: array %pU was not stopped cleanly: recovery is not available yet, nothing was changed",
		      r->p->bdev, arr->uuid);
		return -EUCLEAN;
	}
	if (arr->event && arr->event != le64_to_cpu(sb->event)) {
		DMERR("%pg: event count %llu, other members have %llu: the member is stale or they are",
		      r->p->bdev, le64_to_cpu(sb->event), arr->event);
		return -EUCLEAN;
	}
	arr->sb = *sb;
	arr->event = le64_to_cpu(sb->event);
	return 0;
}

/* Replay every member's general log; all must come to the same result. */
static int replay_members(struct raizn_array *arr, struct probe *probes)
{
	u32 nr_zones = arr->geo.nr_zones;
	struct replay r = { .arr = arr };
	struct raizn_record *buf;
	int err = -ENOMEM;
	u32 i;

	buf = kmalloc(RAIZN_RECORD_MAX, GFP_KERNEL);
	r.newest = kzalloc(RAIZN_BLOCK_SIZE, GFP_KERNEL);
	r.zones = kvcalloc(nr_zones, sizeof(*r.zones), GFP_KERNEL);
	if (!buf || !r.newest || !r.zones)
		goto out;

	for (i = 0; i < arr->geo.nr_members; i++) {
		r.p = &probes[i];
		memset(r.newest, 0, RAIZN_BLOCK_SIZE);
		memset(r.zones, 0, nr_zones * sizeof(*r.zones));
		err = replay_member(&r, buf);
		if (err)
			break;
		err = check_clean(arr, &r);
		if (err)
			break;
		if (!i) {
			memcpy(arr->zone_state, r.zones,
			       nr_zones * sizeof(*r.zones));
			continue;
		}
		if (memcmp(arr->zone_state, r.zones,
			   nr_zones * sizeof(*r.zones))) {
			DMERR("%pg: general log disagrees with that of %pg",
			      r.p->bdev, probes[0].bdev);
			err = -EUCLEAN;
			break;
		}
	}
out:
	kvfree(r.zones);
	kfree(r.newest);
	kfree(buf);
	return err;
}

static int load_zone(struct raizn_array *arr, struct probe *probes, u32 zone)
{
	const struct raizn_geometry *geo = &arr->geo;
	const struct raizn_zone_state *zs = &arr->zone_state[zone];
	u32 number = geo->first_zone + geo->nr_reserved + zone;
	bool finished = zs->flags & RAIZN_ZONE_FINISHED;
	u32 extents[RAIZN_MAX_MEMBERS];
	struct probe *p;
	u32 wp = zs->wp;
	u32 i;

	if (zs->generation >= RAIZN_GENERATION_MAX && !arr->read_only) {
		DMWARN("logical zone %u was reset too often for its counter: the array is read-only",
		       zone);
		arr->read_only = true;
	}
	for (i = 0; i < geo->nr_members; i++) {
		p = &probes[i];
		if (p->conds[number] == BLK_ZONE_COND_READONLY ||
		    p->conds[number] == BLK_ZONE_COND_OFFLINE) {
			DMERR("%pg: zone %u is read-only or offline: repair is not available yet",
			      p->bdev, number);
			return -EUCLEAN;
		}
		if (finished && p->conds[number] != BLK_ZONE_COND_FULL) {
			DMERR("%pg: zone %u should be full", p->bdev, number);
			return -EUCLEAN;
		}
		extents[p->slot] = min(p->extents[number],
				       geo->member_zone_cap);
	}
	if (zs->flags & RAIZN_ZONE_RESETTING ||
	    (!finished && raizn_wp_from_columns(geo, zone, extents, &wp))) {
		DMERR("logical zone %u: the members' write pointers do not belong together: recovery is not available yet",
		      zone);
		return -EUCLEAN;
	}
	return raizn_zone_load(&arr->zones[zone], wp, finished);
}

/* Limits of the volume and sizes that depend on them. */
static int set_limits(struct raizn_array *arr)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 record = raizn_pp_record_sectors(geo);
	u32 capacity = geo->member_zone_cap + geo->member_zone_pad;
	u32 active = 0, open = 0;
	struct raizn_member *m;
	u32 checkpoint;
	u32 i;

	/* The zone table between a superblock and a CHECKPOINT record. */
	checkpoint = DIV_ROUND_UP(geo->nr_zones, RAIZN_ZONE_TABLE_MAX) *
		     (RAIZN_RECORD_MAX >> SECTOR_SHIFT) +
		     2 * RAIZN_BLOCK_SECTORS;
	arr->granularity = geo->block;
	for (i = 0; i < geo->nr_members; i++) {
		m = &arr->members[i];
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
	active = active ? active - RAIZN_MD_ACTIVE_ZONES : RAIZN_DEFAULT_ACTIVE;
	/* Partial parity of all of them must fit half of a log zone. */
	arr->max_active = min(active, capacity / 2 / record);
	open = open ? open - RAIZN_MD_ACTIVE_ZONES : arr->max_active;
	arr->max_open = min(open, arr->max_active);
	if (!arr->max_active || checkpoint > capacity / 2) {
		DMERR("log zones of %u sectors are too small for this array",
		      capacity);
		return -EINVAL;
	}
	for (i = 0; i < geo->nr_members; i++) {
		m = &arr->members[i];
		m->general.capacity = capacity;
		m->pp.capacity = capacity;
		m->pp.reserve = arr->max_active * record;
	}
	return 0;
}

static int set_members(struct raizn_array *arr, struct probe *probes)
{
	struct raizn_member *m;
	struct probe *p;
	u32 i;

	arr->members = kvcalloc(arr->geo.nr_members, sizeof(*arr->members),
				GFP_KERNEL);
	if (!arr->members)
		return -ENOMEM;
	for (i = 0; i < arr->geo.nr_members; i++) {
		p = &probes[i];
		m = &arr->members[p->slot];
		if (m->bdev) {
			DMERR("%pg and %pg are both member %u", m->bdev,
			      p->bdev, p->slot);
			return -EINVAL;
		}
		m->arr = arr;
		m->bdev = p->bdev;
		m->slot = p->slot;
		m->state = RAIZN_MEMBER_ACTIVE;
		m->volatile_cache = bdev_write_cache(p->bdev);
		arr->rotational |= raizn_bdev_is_rotational(p->bdev);
		if (bdev_read_only(p->bdev)) {
			DMWARN("%pg: is read-only, and so is the array",
			       p->bdev);
			arr->read_only = true;
		}
		m->max_open = bdev_max_open_zones(p->bdev);
		m->max_active = bdev_max_active_zones(p->bdev);
		memcpy(m->uuid, raizn_record_sb_const(p->sb)->member_uuid,
		       RAIZN_UUID_SIZE);
		spin_lock_init(&m->zones_lock);
		raizn_log_init(&m->general, m, RAIZN_LOG_GENERAL);
		raizn_log_init(&m->pp, m, RAIZN_LOG_PARTIAL_PARITY);
		INIT_WORK(&m->pp.switch_work, raizn_pp_log_switch);
		if (raizn_bdev_lacks_scheduler(p->bdev))
			DMWARN("%pg: has no I/O scheduler: this kernel needs mq-deadline there to keep writes in order",
			       p->bdev);
	}
	return 0;
}

int raizn_assemble(struct raizn_array *arr, struct block_device **bdevs, u32 nr,
		   char **error)
{
	struct probe *probes;
	int err = 0;
	u32 i;

	probes = kcalloc(nr, sizeof(*probes), GFP_KERNEL);
	if (!probes)
		return -ENOMEM;
	for (i = 0; !err && i < nr; i++) {
		probes[i].bdev = bdevs[i];
		err = probe_device(&probes[i], error);
	}
	if (err)
		goto out;

	*error = "Members do not make an array, see the kernel log";
	memcpy(arr->uuid, probes[0].sb->array_uuid, RAIZN_UUID_SIZE);
	err = take_geometry(arr, &probes[0]);
	if (!err && nr != arr->geo.nr_members) {
		DMERR("array %pU has %u members, %u devices given", arr->uuid,
		      arr->geo.nr_members, nr);
		err = -EINVAL;
	}
	for (i = 0; !err && i < nr; i++)
		err = place_member(arr, &probes[i]);
	if (!err)
		err = set_members(arr, probes);
	if (!err)
		err = set_limits(arr);
	if (err)
		goto out;

	*error = "Array can not be started, see the kernel log";
	arr->zone_state = kvcalloc(arr->geo.nr_zones, sizeof(*arr->zone_state),
				   GFP_KERNEL);
	err = arr->zone_state ? raizn_zones_init(arr) : -ENOMEM;
	if (!err)
		err = replay_members(arr, probes);
	for (i = 0; !err && i < arr->geo.nr_zones; i++) {
		err = load_zone(arr, probes, i);
		if (err == -ENOSPC)
			DMERR("more than %u zones are active", arr->max_active);
		cond_resched();
	}
out:
	for (i = 0; i < nr; i++)
		probe_free(&probes[i]);
	kfree(probes);
	return err;
}

/* Recompute the running parity of one zone's tail stripe. */
static int load_tail(struct raizn_open_zone *oz, void *buf)
{
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = raizn_zone_number(oz->zone);
	u32 offset = rounddown(oz->issued, geo->stripe);
	struct raizn_place place;
	u32 sectors, i;
	int err;

	if (offset == oz->issued)
		return 0;
	for (i = 0; i < geo->nr_parity; i++) {
		oz->parity[i] = mempool_alloc(&arr->parity_pool, GFP_KERNEL);
		if (!oz->parity[i])
			return -ENOMEM;
	}
	for (; offset < oz->issued; offset += sectors) {
		sectors = min(oz->issued - offset, geo->su);
		raizn_place(geo, zone, offset, &place);
		err = raizn_member_read(arr->members[place.column].bdev,
					raizn_data_zone_start(geo, zone) +
					place.sector, buf,
					sectors << SECTOR_SHIFT);
		if (err)
			return err;
		raizn_count(arr, RAIZN_MEMBER_READ, sectors);
		raizn_parity_add(oz->parity[0]->data,
				 geo->nr_parity > 1 ? oz->parity[1]->data : NULL,
				 buf, sectors << SECTOR_SHIFT, place.pos);
	}
	return 0;
}

int raizn_load_tails(struct raizn_array *arr)
{
	void *buf;
	int err = 0;
	u32 i;

	buf = kmalloc(arr->geo.su << SECTOR_SHIFT, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	for (i = 0; !err && i < arr->max_active; i++)
		if (arr->open_zones[i].zone)
			err = load_tail(&arr->open_zones[i], buf);
	kfree(buf);
	return err;
}
