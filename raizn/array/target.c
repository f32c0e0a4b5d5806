// SPDX-License-Identifier: GPL-2.0
/*
 * Device-mapper glue of the raizn target.
 *
 * Table line:
 *   0 LENGTH raizn <nr members> <device or -> ... [<nr options> <option> ...]
 * Options:
 *   write_cache=back|through
 *   degraded	start without members that are given as "-" or are stale, though the
 *		superblocks call them good
 *   maintain	restart all generations
 *   host=UUID	identity of the machine that starts it, kept in the superblocks
 *   rebuild=SLOT	reload only: the device that no member has takes the place of
 *		member SLOT, which failed or is absent
 * Everything else comes from the members' superblocks.
 */
#include <linux/module.h>

#include "array/array.h"
#include "member/relocation.h"
#include "version.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/**
 * struct raizn_target - one table's use of an array
 * @arr_lock:	held for reading by status and messages, which come at any time; held for
 *		writing when a start replaces @arr.  I/O, zone reports and all other callers
 *		need no lock: the device is suspended then
 * @arr:	the array
 * @devs:	members in the order of the table line; NULL: absent
 * @nr_devs:	number of them
 * @cache_given: a write_cache option was given
 * @start:	other options
 * @write_through: write_cache=through is in force
 */
struct raizn_target {
	struct rw_semaphore arr_lock;
	struct raizn_array *arr;
	struct dm_dev *devs[RAIZN_MAX_MEMBERS];
	u32 nr_devs;
	bool cache_given;
	struct raizn_start_options start;
	bool write_through;
};

static void put_devices(struct dm_target *ti, struct raizn_target *rt)
{
	u32 i;

	for (i = 0; i < rt->nr_devs; i++)
		if (rt->devs[i])
			dm_put_device(ti, rt->devs[i]);
}

static int get_devices(struct dm_target *ti, struct raizn_target *rt,
		       struct dm_arg_set *as, u32 nr)
{
	struct dm_dev *dev;
	const char *path;
	u32 i, j;
	int err;

	for (i = 0; i < nr; i++) {
		path = dm_shift_arg(as);
		if (!strcmp(path, "-")) {
			rt->devs[rt->nr_devs++] = NULL;
			rt->start.nr_absent++;
			continue;
		}
		err = dm_get_device(ti, path, dm_table_get_mode(ti->table),
				    &dev);
		if (err) {
			DMERR("%s: cannot be opened: %d", path, err);
			ti->error = "Cannot open a member";
			return err;
		}
		rt->devs[rt->nr_devs++] = dev;
		for (j = 0; j < i; j++) {
			if (!rt->devs[j] || rt->devs[j]->bdev != dev->bdev)
				continue;
			DMERR("%pg: named twice", dev->bdev);
			ti->error = "Member named twice";
			return -EINVAL;
		}
	}
	return 0;
}

static int parse_options(struct dm_target *ti, struct raizn_target *rt,
			 struct dm_arg_set *as)
{
	static const struct dm_arg args[] = {
		{ 0, 5, "Invalid number of options" },
	};
	const char *option;
	unsigned int nr;
	int err;

	if (!as->argc)
		return 0;
	err = dm_read_arg_group(args, as, &nr, &ti->error);
	if (err)
		return err;
	while (nr--) {
		option = dm_shift_arg(as);
		if (!strcmp(option, "write_cache=through")) {
			rt->write_through = true;
			rt->cache_given = true;
		} else if (!strcmp(option, "write_cache=back")) {
			rt->cache_given = true;
		} else if (!strcmp(option, "degraded")) {
			rt->start.degraded = true;
		} else if (!strcmp(option, "maintain")) {
			rt->start.renumber = true;
		} else if (!strncmp(option, "rebuild=", 8) &&
			   !kstrtou32(option + 8, 10, &rt->start.rebuild_slot)) {
			rt->start.rebuild = true;
		} else if (strncmp(option, "host=", 5) ||
			   uuid_parse(option + 5, &rt->start.host)) {
			DMERR("unknown option %s", option);
			ti->error = "Unknown option";
			return -EINVAL;
		}
	}
	if (as->argc) {
		ti->error = "More words than the number of options says";
		return -EINVAL;
	}
	return 0;
}

static void set_target(struct dm_target *ti, struct raizn_target *rt)
{
	/* A write-through volume has no volatile cache: no flushes, no FUA. */
	ti->num_flush_bios = rt->write_through ? 0 : 1;
	ti->flush_supported = !rt->write_through;
	ti->per_io_data_size = sizeof(struct raizn_io);
}

/* Get the members' devices of a table; returns their number. */
static u32 table_devices(struct raizn_target *rt, struct block_device **bdevs)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < rt->nr_devs; i++)
		if (rt->devs[i])
			bdevs[nr++] = rt->devs[i]->bdev;
	return nr;
}

static int raizn_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	static const struct dm_arg args[] = {
		{ 2, RAIZN_MAX_MEMBERS, "Invalid number of members" },
	};
	struct block_device *bdevs[RAIZN_MAX_MEMBERS];
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	struct raizn_target *rt;
	u64 length;
	unsigned int nr;
	u32 nr_bdevs;
	int err;

	err = dm_read_arg(args, &as, &nr, &ti->error);
	if (err)
		return err;
	if (as.argc < nr) {
		ti->error = "Fewer devices than the number of members says";
		return -EINVAL;
	}
	rt = kzalloc(sizeof(*rt), GFP_KERNEL);
	if (!rt) {
		ti->error = "Out of memory";
		return -ENOMEM;
	}
	init_rwsem(&rt->arr_lock);
	err = get_devices(ti, rt, &as, nr);
	if (!err)
		err = parse_options(ti, rt, &as);
	if (err)
		goto bad;

	nr_bdevs = table_devices(rt, bdevs);
	if (!nr_bdevs) {
		ti->error = "No member given";
		err = -EINVAL;
		goto bad;
	}
	rt->arr = raizn_array_get(bdevs, nr_bdevs, &rt->start,
				  dm_table_get_md(ti->table), &ti->error);
	if (IS_ERR(rt->arr)) {
		err = PTR_ERR(rt->arr);
		goto bad;
	}
	length = (u64)rt->arr->geo.nr_zones << rt->arr->geo.zone_shift;
	if (ti->len != length) {
		DMERR("length is %llu sectors, the array has %llu",
		      (u64)ti->len, length);
		ti->error = "Length is not that of the array";
		raizn_array_put(rt->arr);
		err = -EINVAL;
		goto bad;
	}
	if (!rt->cache_given)
		rt->write_through = le32_to_cpu(rt->arr->sb.flags) &
				    RAIZN_SB_WRITE_THROUGH;
	set_target(ti, rt);
	ti->private = rt;
	return 0;
bad:
	put_devices(ti, rt);
	kfree(rt);
	return err;
}

static void raizn_dtr(struct dm_target *ti)
{
	struct raizn_target *rt = ti->private;

	raizn_array_put(rt->arr);
	put_devices(ti, rt);
	kfree(rt);
}

static int raizn_map(struct dm_target *ti, struct bio *bio)
{
	struct raizn_target *rt = ti->private;
	struct raizn_array *arr = rt->arr;
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	blk_status_t status;

	io->remapped = false;
	bio->bi_iter.bi_sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	if (bio_op(bio) == REQ_OP_READ)
		return raizn_map_read(arr, bio);

	if (bio->bi_opf & REQ_PREFLUSH) {
		/* Device mapper sends a preflush apart from its data. */
		raizn_flush(arr, bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (bio_op(bio) == REQ_OP_ZONE_RESET_ALL)
		status = raizn_reset_all_queue(arr, bio);
	else
		status = raizn_zone_accept(arr, bio);
	if (status) {
		bio->bi_status = status;
		bio_endio(bio);
	}
	return DM_MAPIO_SUBMITTED;
}

static int raizn_end_io(struct dm_target *ti, struct bio *bio,
			blk_status_t *error)
{
	return raizn_read_done(bio, error);
}

static int resume_array(struct dm_target *ti, struct raizn_target *rt)
{
	rt->arr->write_through = rt->write_through;
	rt->arr->table_read_only = raizn_table_is_read_only(ti->table);
	return raizn_array_resume(rt->arr);
}

static int resume_array_again(struct dm_target *ti, struct raizn_target *rt,
			      struct block_device **bdevs, u32 nr, bool without_failed)
{
	struct raizn_array *old = rt->arr;
	struct raizn_array *arr;

	arr = raizn_array_again(old, bdevs, nr, &rt->start, without_failed);
	if (IS_ERR(arr))
		return PTR_ERR(arr);
	down_write(&rt->arr_lock);
	rt->arr = arr;
	up_write(&rt->arr_lock);
	raizn_array_put(old);
	return resume_array(ti, rt);
}

static int raizn_preresume(struct dm_target *ti)
{
	struct block_device *bdevs[RAIZN_MAX_MEMBERS];
	struct raizn_target *rt = ti->private;
	u32 nr = table_devices(rt, bdevs);
	int err, again;

	err = resume_array(ti, rt);
	/*
	 * Another start sees a zone that turned bad, and a transient error is gone.  If it
	 * fails, too, go on without the members that failed.
	 */
	if (err) {
		again = resume_array_again(ti, rt, bdevs, nr, false);
		if (again && again != -ENOMEM)
			again = resume_array_again(ti, rt, bdevs, nr, true);
		if (!again)
			err = 0;
	}
	if (!err)
		raizn_array_take_devices(rt->arr, bdevs, nr, &rt->start);
	/* The option counts once: a drive that fails later stays away. */
	rt->start.rebuild = false;
	return err;
}

static void raizn_resume(struct dm_target *ti)
{
	struct raizn_target *rt = ti->private;
	struct raizn_array *arr = rt->arr;
	/* A file system may refuse a volume with more active zones than its limit; 0 is none. */
	u32 active = max3(1U, raizn_places(arr), READ_ONCE(arr->nr_active));

	raizn_early_resumed(arr);
	raizn_disk_limits(dm_disk(arr->md), min(arr->max_open, active), active, arr->rotational);
	raizn_array_listen(rt->arr, ti->table);
	/* Events since the last table had no listener. */
	raizn_array_event(rt->arr);
}

static void raizn_presuspend(struct dm_target *ti)
{
	struct raizn_target *rt = ti->private;

	raizn_early_suspend(rt->arr);
}

/* The suspend was interrupted. */
static void raizn_presuspend_undo(struct dm_target *ti)
{
	struct raizn_target *rt = ti->private;

	raizn_early_resumed(rt->arr);
}

static void raizn_postsuspend(struct dm_target *ti)
{
	struct raizn_target *rt = ti->private;

	raizn_array_suspend(rt->arr);
	raizn_array_listen(rt->arr, NULL);
}

static int scrub_message(struct raizn_array *arr, const char *what, const char *zone)
{
	u32 from = 0;

	if (zone && kstrtou32(zone, 0, &from))
		return -ENOENT;
	if (!strcmp(what, "check"))
		return raizn_scrub_start(arr, false, from);
	if (!strcmp(what, "repair"))
		return raizn_scrub_start(arr, true, from);
	return zone ? -ENOENT : raizn_scrub_control(arr, what);
}

/* A value other than 0 or an error tells device mapper that there is a result. */
static int memory_message(struct raizn_array *arr, char *result, unsigned int maxlen)
{
	struct raizn_memory memory;
	unsigned int sz = 0;

	raizn_memory(arr, &memory);
	DMEMIT("zones %u bytes %llu; active %u bytes %llu; pools bytes %llu",
	       arr->geo.nr_zones, memory.zones, READ_ONCE(arr->nr_active),
	       memory.active, memory.pools);
	return 1;
}

static u32 slot_of(const struct raizn_array *arr, u32 zone, u32 column)
{
	return raizn_zone_member(&arr->zones[zone], column)->slot;
}

/*
 * Report wrong stripes that a scrub has found: zone, stripe, slot with the wrong unit, and the slot
 * with the stripe's parity, unless all columns are on the members in the slots of their numbers.
 */
static int mismatches_message(struct raizn_array *arr, char *result, unsigned int maxlen)
{
	struct raizn_mismatch found[RAIZN_SCRUB_FOUND];
	u32 nr = raizn_scrub_found(arr, found);
	unsigned int sz = 0;
	u32 i, pc;

	DMEMIT("%u", nr);
	for (i = 0; i < nr; i++) {
		DMEMIT(" %u,%u,%u", found[i].zone, found[i].stripe,
		       slot_of(arr, found[i].zone, found[i].column));
		pc = raizn_parity_column(&arr->geo, found[i].zone, found[i].stripe);
		if (arr->map.permuted)
			DMEMIT(",%u", slot_of(arr, found[i].zone, pc));
	}
	return 1;
}

/*
 * Report how often columns have left their member zones, which may hold other columns then: for
 * programs that read the members themselves.
 */
static int moves_message(struct raizn_array *arr, char *result, unsigned int maxlen)
{
	unsigned int sz = 0;

	DMEMIT("%u", raizn_moves(arr));
	return 1;
}

/* Report how many free zones each member has for columns, "-" for one that is not live. */
static int spares_message(struct raizn_array *arr, char *result, unsigned int maxlen)
{
	unsigned int sz = 0;
	u32 i;

	for (i = 0; i < arr->geo.nr_members; i++) {
		if (raizn_member_live(&arr->members[i]))
			DMEMIT("%u ", raizn_spare_count(&arr->members[i]));
		else
			DMEMIT("- ");
	}
	return 1;
}

/* Maximum number of runs of zones in one answer, which stays below 2 KiB. */
#define DEGRADED_RUNS	32

/* Members (bit by slot) whose columns a zone lacks. */
static u32 lacking_slots(const struct raizn_zone *z)
{
	return raizn_zone_slots(z, raizn_zone_lost(z));
}

/*
 * Report zones from @zone on that lack columns, with the members that these belong to, and the zone
 * at which the next message begins.
 */
static int degraded_message(struct raizn_array *arr, u32 zone, char *result,
			    unsigned int maxlen)
{
	u32 nr_zones = arr->geo.nr_zones;
	unsigned int sz = 0;
	u32 nr_runs = 0;
	u32 first, lost;

	while (zone < nr_zones && nr_runs < DEGRADED_RUNS) {
		first = zone;
		lost = lacking_slots(&arr->zones[zone]);
		do {
			zone++;
		} while (zone < nr_zones &&
			 lacking_slots(&arr->zones[zone]) == lost);
		if (!lost)
			continue;
		DMEMIT("%u,%u,%#x ", first, zone - first, lost);
		nr_runs++;
	}
	DMEMIT("%u", min(zone, nr_zones));
	return 1;
}

/* Maximum number of entries in one answer, which stays below 2 KiB. */
#define BAD_BLOCKS	32

/*
 * Report lost sectors of the volume, from an index in the list on: first sector, number of
 * sectors, member, and p for a placeholder or u for sectors that the drive cannot read.  The
 * index with which the next message begins comes last, or 0.
 */
static int bad_blocks_message(struct raizn_array *arr, u32 i, char *result,
			      unsigned int maxlen)
{
	struct raizn_bad_block block;
	unsigned int sz = 0;
	u32 offset, nr;

	for (nr = 0; nr < BAD_BLOCKS; nr++) {
		i = raizn_bad_next(arr, i, &block, &offset);
		if (!i)
			break;
		DMEMIT("%llu,%u,%u,%c ", ((u64)block.zone << arr->geo.zone_shift) + offset,
		       block.nr, slot_of(arr, block.zone, block.column),
		       block.flags & RAIZN_BAD_PLACEHOLDER ? 'p' : 'u');
	}
	DMEMIT("%u", i);
	return 1;
}

static int carry_out_message(struct raizn_array *arr, unsigned int argc, char **argv,
			     char *result, unsigned int maxlen)
{
	int err = -ENOENT;
	u32 number;

	if (argc == 1 && !strcmp(argv[0], "memory"))
		return memory_message(arr, result, maxlen);
	if (argc == 1 && !strcmp(argv[0], "mismatches"))
		return mismatches_message(arr, result, maxlen);
	if (argc == 1 && !strcmp(argv[0], "moves"))
		return moves_message(arr, result, maxlen);
	if (argc == 1 && !strcmp(argv[0], "spares"))
		return spares_message(arr, result, maxlen);
	if (argc == 1 && !strcmp(argv[0], "degraded"))
		return degraded_message(arr, 0, result, maxlen);
	if (argc == 2 && !strcmp(argv[0], "degraded") &&
	    !kstrtou32(argv[1], 0, &number))
		return degraded_message(arr, number, result, maxlen);
	if (argc == 1 && !strcmp(argv[0], "bad_blocks"))
		return bad_blocks_message(arr, 0, result, maxlen);
	if (argc == 2 && !strcmp(argv[0], "bad_blocks") &&
	    !kstrtou32(argv[1], 0, &number))
		return bad_blocks_message(arr, number, result, maxlen);
	if ((argc == 2 || (argc == 3 && !strcmp(argv[2], "lose"))) &&
	    !strcmp(argv[0], "fail") && !kstrtou32(argv[1], 0, &number))
		return raizn_fail_member(arr, number, argc == 3);
	if ((argc == 2 || argc == 3) && !strcmp(argv[0], "scrub"))
		err = scrub_message(arr, argv[1], argc == 3 ? argv[2] : NULL);
	if (argc == 3 && !strcmp(argv[0], "set") &&
	    !kstrtou32(argv[2], 0, &number))
		err = raizn_settings_change(arr, argv[1], number);
	if (err != -ENOENT)
		return err;
	DMERR("message is not known, lacks an argument, or has a wrong one");
	return -EINVAL;
}

static int raizn_message(struct dm_target *ti, unsigned int argc, char **argv,
			 char *result, unsigned int maxlen)
{
	struct raizn_target *rt = ti->private;
	int ret;

	down_read(&rt->arr_lock);
	ret = carry_out_message(rt->arr, argc, argv, result, maxlen);
	up_read(&rt->arr_lock);
	return ret;
}

static const char *state_name(const struct raizn_array *arr)
{
	if (raizn_array_failed(arr))
		return "failed";
	if (raizn_array_writable(arr) && raizn_degraded_zones(arr))
		return "degraded";
	return raizn_array_writable(arr) ? "active" : "read-only";
}

static char member_letter(const struct raizn_member *m)
{
	switch (raizn_member_state(m)) {
	case RAIZN_MEMBER_ACTIVE:
		return 'A';
	case RAIZN_MEMBER_REBUILDING:
		return 'R';
	default:
		return m->bdev ? 'F' : '-';
	}
}

static unsigned int background_status(struct raizn_array *arr, char *result,
				      unsigned int maxlen, unsigned int sz)
{
	static const char * const names[] = {
		[RAIZN_ACTION_IDLE] = "idle",
		[RAIZN_ACTION_REBUILD] = "rebuild",
		[RAIZN_ACTION_CHECK] = "check",
		[RAIZN_ACTION_REPAIR] = "repair",
		[RAIZN_ACTION_RECOVER] = "recover",
	};
	struct raizn_background *bg = arr->background;
	enum raizn_action action;
	u64 total;
	s64 ms;

	spin_lock(&bg->lock);
	action = bg->action;
	total = bg->total;
	ms = action == RAIZN_ACTION_IDLE ? 0 :
	     ktime_ms_delta(ktime_get(), bg->begun);
	spin_unlock(&bg->lock);
	DMEMIT(" %u %s %u %llu %llu %lld %llu %llu %u %u %u",
	       raizn_degraded_zones(arr), names[action],
	       READ_ONCE(bg->paused), (u64)atomic64_read(&bg->done), total, ms,
	       (u64)atomic64_read(&bg->mismatches),
	       (u64)atomic64_read(&bg->repaired), READ_ONCE(bg->speed_min),
	       READ_ONCE(bg->speed_max), READ_ONCE(arr->error_limit));
	return sz;
}

static void raizn_status(struct dm_target *ti, status_type_t type,
			 unsigned int status_flags, char *result,
			 unsigned int maxlen)
{
	struct raizn_target *rt = ti->private;
	struct raizn_array *arr;
	unsigned int sz = 0;
	u32 i, retired, first;
	u64 spoilt;

	down_read(&rt->arr_lock);
	arr = rt->arr;
	switch (type) {
	case STATUSTYPE_INFO:
		DMEMIT("%s %u ", state_name(arr), arr->geo.nr_members);
		for (i = 0; i < arr->geo.nr_members; i++)
			DMEMIT("%c", member_letter(&arr->members[i]));
		DMEMIT(" %llu", arr->event);
		for (i = 0; i < RAIZN_NR_COUNTERS; i++)
			DMEMIT(" %llu", raizn_counter_read(arr, i));
		DMEMIT(" %u %u %u %u %s",
		       READ_ONCE(arr->nr_imp_open) + READ_ONCE(arr->nr_exp_open),
		       READ_ONCE(arr->nr_active), arr->max_open,
		       arr->max_active, arr->write_through ? "through" : "back");
		sz = background_status(arr, result, maxlen, sz);
		for (i = 0; i < arr->geo.nr_members; i++)
			DMEMIT(" %u,%u,%u", READ_ONCE(arr->members[i].read_errors),
			       READ_ONCE(arr->members[i].write_errors),
			       READ_ONCE(arr->members[i].healed));
		retired = raizn_retired_zones(arr, &first);
		spoilt = raizn_relocation_sectors(arr);
		DMEMIT(" %u %u %u %u %llu %u %llu %u %u %u %u", READ_ONCE(arr->scrub->next),
		       raizn_damaged_zones(arr), READ_ONCE(arr->trust_buffers),
		       raizn_unwritable_zones(arr), raizn_bad_sectors(arr),
		       READ_ONCE(arr->autostart),
		       spoilt - min_t(u64, spoilt, arr->stand_ins),
		       retired, first, raizn_places(arr), arr->stand_ins);
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%u", rt->nr_devs);
		for (i = 0; i < rt->nr_devs; i++)
			DMEMIT(" %s", rt->devs[i] ? rt->devs[i]->name : "-");
		i = rt->cache_given + rt->start.degraded + rt->start.renumber +
		    rt->start.rebuild + !uuid_is_null(&rt->start.host);
		if (i)
			DMEMIT(" %u", i);
		if (rt->cache_given)
			DMEMIT(" write_cache=%s",
			       rt->write_through ? "through" : "back");
		if (rt->start.degraded)
			DMEMIT(" degraded");
		if (rt->start.renumber)
			DMEMIT(" maintain");
		if (rt->start.rebuild)
			DMEMIT(" rebuild=%u", rt->start.rebuild_slot);
		if (!uuid_is_null(&rt->start.host))
			DMEMIT(" host=%pU", &rt->start.host);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",members=%u,stripe_unit=%u,write_cache=%s;",
		       arr->geo.nr_members, arr->geo.su,
		       rt->write_through ? "through" : "back");
		break;
	}
	up_read(&rt->arr_lock);
}

static bool is_of_failed_member(const struct raizn_array *arr, const struct block_device *bdev)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_members; i++)
		if (READ_ONCE(arr->members[i].bdev) == bdev)
			return !raizn_member_live(&arr->members[i]);
	return false;
}

/*
 * The array answers for its members: each member is passed to the callback, but only errors
 * count.  Device mapper would reject the members because their zones are smaller than the
 * volume's.  Assembly checks all else that the callbacks of device mapper guard against.
 *
 * Drives of failed members do not count: device mapper would refuse a table with one that does
 * not report its zones.
 */
static int raizn_iterate_devices(struct dm_target *ti,
				 iterate_devices_callout_fn fn, void *data)
{
	struct raizn_target *rt = ti->private;
	int ret;
	u32 i;

	for (i = 0; i < rt->nr_devs; i++) {
		if (!rt->devs[i] || is_of_failed_member(rt->arr, rt->devs[i]->bdev))
			continue;
		ret = fn(ti, rt->devs[i], 0,
			 bdev_nr_sectors(rt->devs[i]->bdev), data);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static void raizn_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	struct raizn_target *rt = ti->private;
	const struct raizn_geometry *geo = &rt->arr->geo;

	limits->chunk_sectors = geo->zone_size;
	limits->zone_write_granularity = rt->arr->granularity << SECTOR_SHIFT;
	limits->io_min = geo->su << SECTOR_SHIFT;
	limits->io_opt = geo->stripe << SECTOR_SHIFT;
	/* Parity is computed from bio_vecs of whole sectors. */
	limits->dma_alignment = max_t(u32, limits->dma_alignment,
				      SECTOR_SIZE - 1);
	raizn_hint_limits(limits, min(RAIZN_APPEND_SECTORS, geo->zone_cap));
}

static int raizn_report_zones(struct dm_target *ti,
			      struct dm_report_zones_args *args,
			      unsigned int nr_zones)
{
	struct raizn_target *rt = ti->private;
	struct raizn_array *arr = rt->arr;
	u32 number = dm_target_offset(ti, args->next_sector) >>
		     arr->geo.zone_shift;
	struct blk_zone zone;
	int err;

	while (nr_zones-- && number < arr->geo.nr_zones) {
		raizn_zone_describe(&arr->zones[number++], &zone);
		err = raizn_report_zone(args, &zone);
		if (err)
			return err;
	}
	return 0;
}

static struct target_type raizn_target = {
	.name		 = "raizn",
	.version	 = { 1, 1, 0 },
	.features	 = DM_TARGET_ZONED_HM | DM_TARGET_NOWAIT |
			   DM_TARGET_SINGLETON,
	.module		 = THIS_MODULE,
	.ctr		 = raizn_ctr,
	.dtr		 = raizn_dtr,
	.map		 = raizn_map,
	.end_io		 = raizn_end_io,
	.message	 = raizn_message,
	.preresume	 = raizn_preresume,
	.resume		 = raizn_resume,
	.presuspend	 = raizn_presuspend,
	.presuspend_undo = raizn_presuspend_undo,
	.postsuspend	 = raizn_postsuspend,
	.status		 = raizn_status,
	.report_zones	 = raizn_report_zones,
	.iterate_devices = raizn_iterate_devices,
	.io_hints	 = raizn_io_hints,
};

static int __init raizn_init(void)
{
	int err = dm_register_target(&raizn_target);

	if (err)
		return err;
	err = raizn_trial_init();
	if (err)
		goto unregister;
	err = raizn_shutdown_init();
	if (!err)
		return 0;
	raizn_trial_exit();
unregister:
	dm_unregister_target(&raizn_target);
	return err;
}

static void __exit raizn_exit(void)
{
	raizn_shutdown_exit();
	raizn_trial_exit();
	dm_unregister_target(&raizn_target);
}

module_init(raizn_init);
module_exit(raizn_exit);

MODULE_DESCRIPTION(DM_NAME " RAID for host-managed zoned drives");
MODULE_AUTHOR("dm-raizn developers");
MODULE_VERSION(RAIZN_VERSION);
MODULE_LICENSE("GPL");
