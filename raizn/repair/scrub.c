// SPDX-License-Identifier: GPL-2.0
/*
 * Scrub: compare parity with the data below all write pointers, in the background.
 *
 * Only stripes are compared that have their parity in place and that no write can change
 * any more; a reset meanwhile voids the result.  With two parities a single wrong unit of a
 * stripe can be identified.  With one parity it cannot: as with md, repair then trusts the
 * data, and rewrites the column with the parity in a spare zone.
 *
 * Every superblock records the position of the scrub: the scrub continues there after a
 * stop, and after a crash with the zone that it had reached some seconds before.
 */
#include "member/bad_block.h"
#include "repair/repair.h"

/* Interval at which a scrub has a superblock written. */
#define NOTE_EVERY	(15 * HZ)

/* A second comparison had no result: the zone was reset, or lacks a column. */
#define VOID		U32_MAX

/**
 * struct scrub_window - rows of a zone that can be compared
 * @end:	end of the last row (sectors of a column); 0: there are none
 * @wp:		the zone's write pointer
 * @life:	changes with each reset and finish
 * @generation:	changes with each reset
 * @ops:	a reset or finish is under way, so that @end is 0
 */
struct scrub_window {
	u32 end;
	u32 wp;
	u32 life;
	u64 generation;
	bool ops;
};

/* Is a zone still whole, and in the same life? */
static bool still_valid(struct raizn_zone *z, u32 life)
{
	bool valid;

	spin_lock_irq(&z->lock);
	valid = z->life == life && !z->ops && !raizn_zone_lost(z);
	spin_unlock_irq(&z->lock);
	return valid;
}

static int gather_and_compare(struct raizn_zone *z, struct raizn_decode *dec, u32 sector,
			      u32 nr, u32 wp, u32 *wrong)
{
	struct raizn_array *arr = z->arr;
	int err = raizn_gather_rows(arr, dec, raizn_zone_number(z), sector, nr, wp);

	if (!err)
		*wrong |= raizn_wrong_columns(&arr->geo, dec);
	return err;
}

/* Replace a placeholder if it can be computed by now. */
static void try_to_compute(struct raizn_zone *z, struct raizn_decode *dec, u32 column,
			   u32 sector, u32 nr, u32 wp)
{
	if (!raizn_decode_rows(z->arr, dec, raizn_zone_number(z), BIT(column), sector, nr, wp,
			       NULL))
		raizn_heal_request(z, column);
}

/* Rows that a drive could not read before: perhaps it can by now. */
static void try_to_read(struct raizn_zone *z, struct raizn_decode *dec, u32 column,
			u32 sector, u32 nr)
{
	if (!raizn_column_read(z, column, sector, dec->buf[column], nr))
		raizn_bad_readable(z, column, sector, nr);
}

/* Rows with a placeholder cannot be compared. */
static bool is_left_out(struct raizn_zone *z, struct raizn_decode *dec, u32 sector, u32 nr,
			u32 wp)
{
	bool found = false;
	u32 c;

	for (c = 0; c < z->arr->geo.nr_members; c++) {
		if (raizn_rows_are_bad(z, c, sector, nr, RAIZN_BAD_PLACEHOLDER)) {
			found = true;
			try_to_compute(z, dec, c, sector, nr, wp);
		} else if (raizn_rows_are_bad(z, c, sector, nr, 0) &&
			   raizn_column_live(z, c)) {
			try_to_read(z, dec, c, sector, nr);
		}
	}
	return found;
}

/* Compare rows of a stripe.  Sets @wrong to the wrong columns; returns 0 or -errno. */
static int compare_rows(struct raizn_zone *z, struct raizn_decode *dec, u32 sector,
			u32 nr, u32 wp, u32 *wrong)
{
	const u32 block = z->arr->geo.block, end = sector + nr;
	int err, ret = 0;

	*wrong = 0;
	err = gather_and_compare(z, dec, sector, nr, wp, wrong);
	if (!err || !raizn_zone_has_bad(z))
		return err;
	dec->alone = REQ_NOMERGE;
	for (; sector < end; sector += block) {
		if (is_left_out(z, dec, sector, block, wp))
			continue;
		err = gather_and_compare(z, dec, sector, block, wp, wrong);
		if (err)
			ret = err;
	}
	dec->alone = 0;
	return ret;
}

/* The rows that no write can change any more, at this moment. */
static struct scrub_window take_window(struct raizn_zone *z)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	const struct raizn_zone_state *zs = &z->arr->zone_state[raizn_zone_number(z)];
	struct scrub_window window;

	spin_lock_irq(&z->lock);
	window = (struct scrub_window) {
		.wp = z->wp,
		.life = z->life,
		.generation = READ_ONCE(zs->generation),
		.ops = z->ops,
	};
	if (z->ops || raizn_zone_lost(z) ||
	    z->cond == BLK_ZONE_COND_READONLY)
		window.end = 0;
	else if (z->oz)
		window.end = z->oz->completed / geo->stripe << geo->su_shift;
	else
		window.end = (z->wp / geo->stripe << geo->su_shift) +
			    min(z->wp % geo->stripe, geo->su);
	spin_unlock_irq(&z->lock);
	return window;
}

/* A member that is not whole leaves nothing to compare with, in any zone. */
static bool must_end(const struct raizn_array *arr)
{
	return raizn_not_whole(arr) || !raizn_array_running(arr) ||
	       READ_ONCE(arr->scrub->stop);
}

static bool wait_while_paused(struct raizn_array *arr)
{
	/* A pause may last for hours, which is no hang. */
	wait_event_idle(arr->sync_wait,
			!READ_ONCE(arr->background->paused) || must_end(arr));
	return must_end(arr);
}

/* Wait until no reset or finish is under way.  Returns false when the scrub has to end. */
static bool wait_for_window(struct raizn_zone *z, struct scrub_window *window)
{
	struct raizn_array *arr = z->arr;

	do {
		wait_event_idle(arr->sync_wait,
				!READ_ONCE(z->ops) || !raizn_array_writable(arr) ||
				must_end(arr));
		if (must_end(arr))
			return false;
		*window = take_window(z);
	} while (window->ops && raizn_array_writable(arr));
	return true;
}

static void note_found(struct raizn_scrub *scrub, u32 zone, u32 stripe, u32 column)
{
	spin_lock(&scrub->lock);
	if (scrub->nr_found < RAIZN_SCRUB_FOUND)
		scrub->found[scrub->nr_found++] = (struct raizn_mismatch) {
			.zone = zone, .stripe = stripe, .column = column,
		};
	spin_unlock(&scrub->lock);
}

static void tell_of_wrong(const struct raizn_zone *z, u32 stripe, u32 pc, u32 column)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	u32 nth = (column + geo->nr_members - pc) % geo->nr_members;
	u32 slot = raizn_zone_member(z, column)->slot;

	if (raizn_is_mirror(geo))
		DMWARN_LIMIT("array %pU: logical zone %u, stripe %u: the copy on member %u differs from another one",
			     z->arr->uuid, raizn_zone_number(z), stripe, slot);
	else if (nth < geo->nr_parity)
		DMWARN_LIMIT("array %pU: logical zone %u, stripe %u: parity on member %u does not match the data",
			     z->arr->uuid, raizn_zone_number(z), stripe, slot);
	else
		DMWARN_LIMIT("array %pU: logical zone %u, stripe %u: data on member %u do not match the parities, which match each other",
			     z->arr->uuid, raizn_zone_number(z), stripe, slot);
}

/* If parity may be wrong, it is P that is remembered: nothing else is certain then. */
static void report_mismatch(struct raizn_zone *z, u32 stripe, unsigned long columns)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	u32 pc = raizn_parity_column(&arr->geo, zone, stripe);
	unsigned long c;

	for_each_set_bit(c, &columns, arr->geo.nr_members)
		tell_of_wrong(z, stripe, pc, c);
	note_found(arr->scrub, zone, stripe, columns & BIT(pc) ? pc : __ffs(columns));
	if (atomic64_inc_return(&arr->background->mismatches) == 1)
		raizn_array_event(arr);
}

static void repair_columns(struct raizn_zone *z, unsigned long columns)
{
	unsigned long c;

	if (!z->arr->scrub->repair)
		return;
	for_each_set_bit(c, &columns, z->arr->geo.nr_members)
		raizn_heal_request(z, c);
}

/*
 * Compare all of a zone.  @wrong is set to the number of wrong stripes, @generation to the
 * zone's generation.  A second, @quiet comparison also counts stripes that could not be
 * compared; it sets @wrong to VOID if there are no rows to compare, or if the zone is not of
 * @generation any more.  A finish does not change rows that were compared.  Returns false
 * when it was interrupted: the zone is compared again later.
 */
static bool compare_zone(struct raizn_zone *z, struct raizn_decode *dec,
			 bool quiet, u32 *wrong, u64 *generation)
{
	struct raizn_array *arr = z->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = raizn_zone_number(z);
	u32 bad_stripe = U32_MAX;
	struct scrub_window window;
	u32 columns;
	u32 sector, nr;
	int err;

	if (!wait_for_window(z, &window))
		return false;
	if (!quiet)
		*generation = window.generation;
	*wrong = 0;
	if (quiet && (!window.end || window.generation != *generation)) {
		*wrong = VOID;
		return true;
	}
	for (sector = 0; sector < window.end; sector += nr) {
		if (wait_while_paused(arr))
			return false;
		nr = min3(window.end - sector, RAIZN_DECODE_ROWS,
			  geo->su - (sector & (geo->su - 1)));
		err = compare_rows(z, dec, sector, nr, window.wp, &columns);
		if (!still_valid(z, window.life)) {
			if (!wait_for_window(z, &window))
				return false;
			if (!window.end || window.generation != *generation) {
				*wrong = quiet ? VOID : 0;
				return true;
			}
			nr = 0;
			continue;
		}
		if (err)
			DMWARN_LIMIT("array %pU: logical zone %u, stripe %u cannot be compared: %d",
				     arr->uuid, zone, sector >> geo->su_shift,
				     err);
		if (!quiet)
			repair_columns(z, columns);
		if ((columns || (err && quiet)) &&
		    bad_stripe != sector >> geo->su_shift) {
			bad_stripe = sector >> geo->su_shift;
			++*wrong;
			if (!quiet)
				report_mismatch(z, bad_stripe, columns);
		}
		raizn_background_pace(arr, quiet, nr, &arr->scrub->stop);
	}
	return true;
}

/* Compare a zone.  In a repair, wait until wrong columns are rewritten, and compare again. */
static bool scrub_zone(struct raizn_zone *z, struct raizn_decode *dec)
{
	struct raizn_array *arr = z->arr;
	u32 wrong, still;
	u64 generation;

	if (!compare_zone(z, dec, false, &wrong, &generation))
		return false;
	if (!wrong || !arr->scrub->repair)
		return true;
	wait_event_idle(arr->sync_wait, raizn_zone_lost(z) ||
			(!raizn_zone_to_heal(z) && !READ_ONCE(z->job)) ||
			!raizn_array_writable(arr) || must_end(arr));
	if (!compare_zone(z, dec, true, &still, &generation))
		return false;
	if (still < wrong)
		atomic64_add(wrong - still, &arr->background->repaired);
	return true;
}

static u64 sectors_to_scrub(struct raizn_array *arr, u32 from)
{
	u64 sum = 0;
	u32 i;

	for (i = from; i < arr->geo.nr_zones; i++)
		sum += take_window(&arr->zones[i]).end;
	return sum;
}

/* The scrub has come to @zone: note the position and the results so far. */
static void set_scrub_position(struct raizn_array *arr, u32 zone)
{
	struct raizn_scrub *scrub = arr->scrub;

	spin_lock(&scrub->lock);
	WRITE_ONCE(scrub->next, zone);
	scrub->before = (struct raizn_scrub_sums) {
		.mismatches = atomic64_read(&arr->background->mismatches),
		.repaired = atomic64_read(&arr->background->repaired),
		.nr_found = scrub->nr_found,
	};
	spin_unlock(&scrub->lock);
}

static void begin_zone_again(struct raizn_array *arr)
{
	struct raizn_scrub *scrub = arr->scrub;
	struct raizn_scrub_sums sums;

	spin_lock(&scrub->lock);
	sums = raizn_scrub_sums_again(arr);
	atomic64_set(&arr->background->mismatches, sums.mismatches);
	atomic64_set(&arr->background->repaired, sums.repaired);
	scrub->nr_found = sums.nr_found;
	scrub->before = sums;
	spin_unlock(&scrub->lock);
}

static void note_now_and_then(struct raizn_array *arr)
{
	struct raizn_scrub *scrub = arr->scrub;

	if (time_before(jiffies, scrub->noted + NOTE_EVERY))
		return;
	raizn_general_note(arr);
	scrub->noted = jiffies;
}

static void scrub_work(struct work_struct *work)
{
	struct raizn_scrub *scrub = container_of(work, struct raizn_scrub, work);
	struct raizn_array *arr = scrub->arr;
	struct raizn_decode *dec;
	const char *how;

	/* The work was queued again while the scrub ended. */
	if (!READ_ONCE(scrub->active))
		return;
	dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);
	scrub->noted = jiffies;
	while (scrub->next < arr->geo.nr_zones && !must_end(arr) &&
	       scrub_zone(&arr->zones[scrub->next], dec) && !raizn_not_whole(arr)) {
		set_scrub_position(arr, scrub->next + 1);
		note_now_and_then(arr);
	}
	mempool_free(dec, &arr->decode_pool);
	if (scrub->next >= arr->geo.nr_zones) {
		how = "done";
	} else if (READ_ONCE(scrub->stop)) {
		how = "stopped";
	} else if (raizn_not_whole(arr)) {
		how = "stopped, because a member is missing";
		WRITE_ONCE(scrub->stop, true);
	} else if (raizn_array_failed(arr)) {
		how = "stopped, because the array has failed";
	} else {
		/* A suspended array continues the scrub at the resume. */
		begin_zone_again(arr);
		return;
	}
	DMINFO("array %pU: scrub %s: %lld stripes do not match, %u zones lack a column",
	       arr->uuid, how, (s64)atomic64_read(&arr->background->mismatches),
	       raizn_degraded_zones(arr));
	raizn_general_note(arr);
	mutex_lock(&arr->rebuild->mutex);
	raizn_background_end(arr);
	WRITE_ONCE(scrub->active, false);
	mutex_unlock(&arr->rebuild->mutex);
	/* Rebuilds that are under way become the background action. */
	raizn_rebuild_kick(arr);
}

static void begin_scrub(struct raizn_array *arr, u32 from, u64 mismatches, u64 repaired)
{
	struct raizn_scrub *scrub = arr->scrub;

	atomic64_set(&arr->background->mismatches, mismatches);
	atomic64_set(&arr->background->repaired, repaired);
	set_scrub_position(arr, from);
	WRITE_ONCE(scrub->active, true);
	raizn_background_begin(arr, scrub->repair ? RAIZN_ACTION_REPAIR :
						    RAIZN_ACTION_CHECK,
			       sectors_to_scrub(arr, from));
}

static int scrub_start(struct raizn_array *arr, bool repair, u32 from)
{
	struct raizn_scrub *scrub = arr->scrub;

	lockdep_assert_held(&arr->rebuild->mutex);
	/* Zones that lack a column are passed over: there may be any number of them. */
	if (READ_ONCE(scrub->active) || raizn_not_whole(arr) || raizn_array_failed(arr) ||
	    READ_ONCE(arr->background->action) == RAIZN_ACTION_REBUILD ||
	    (repair && !raizn_array_writable(arr))) {
		DMERR("array %pU: no scrub now: %s", arr->uuid,
		      READ_ONCE(scrub->active) ? "one is under way" :
		      "something is missing or being rebuilt, or the array cannot be written");
		return -EBUSY;
	}
	scrub->remembered = false;
	scrub->repair = repair;
	WRITE_ONCE(scrub->stop, false);
	WRITE_ONCE(arr->background->paused, false);
	spin_lock(&scrub->lock);
	scrub->nr_found = 0;
	spin_unlock(&scrub->lock);
	begin_scrub(arr, from, 0, 0);
	queue_work(arr->rebuild_wq, &scrub->work);
	return 0;
}

/**
 * raizn_scrub_start() - begin a scrub
 * @arr:	array
 * @repair:	rewrite wrong parity
 * @from:	first zone to compare, for a scrub that was stopped there
 *
 * Context: process.
 * Return: 0, -EINVAL when there is no such zone, or -EBUSY when a scrub or rebuild is under
 * way, a member is not whole, or the array cannot be written.
 */
int raizn_scrub_start(struct raizn_array *arr, bool repair, u32 from)
{
	int err;

	if (from >= arr->geo.nr_zones) {
		DMERR("array %pU: no scrub from zone %u on: it has %u zones",
		      arr->uuid, from, arr->geo.nr_zones);
		return -EINVAL;
	}
	mutex_lock(&arr->rebuild->mutex);
	err = scrub_start(arr, repair, from);
	mutex_unlock(&arr->rebuild->mutex);
	/* The scrub has begun, even if no superblock can record it. */
	if (!err)
		raizn_general_note(arr);
	return err;
}

/* Continue the scrub of the superblock, unless a member is missing now. */
static void go_on_as_remembered(struct raizn_array *arr)
{
	const struct raizn_superblock *sb = &arr->sb;
	struct raizn_scrub *scrub = arr->scrub;
	u32 flags = le32_to_cpu(sb->scrub);
	u32 next = le32_to_cpu(sb->scrub_next);

	if (raizn_not_whole(arr)) {
		DMWARN("array %pU: a member is missing: the scrub that had come to zone %u does not go on",
		       arr->uuid, next);
	} else {
		scrub->repair = flags & RAIZN_SB_SCRUB_REPAIR;
		DMINFO("array %pU: %s goes on with zone %u%s", arr->uuid,
		       scrub->repair ? "repair" : "check", next,
		       flags & RAIZN_SB_SCRUB_PAUSED ? " once it is resumed" : "");
		WRITE_ONCE(arr->background->paused, flags & RAIZN_SB_SCRUB_PAUSED);
		begin_scrub(arr, next, le64_to_cpu(sb->mismatches),
			    le64_to_cpu(sb->repaired));
	}
	WRITE_ONCE(scrub->remembered, false);
}

/**
 * raizn_scrub_load() - does the superblock say that a scrub is under way?
 * @arr:	array that is being assembled
 * @clean:	it was stopped cleanly
 */
void raizn_scrub_load(struct raizn_array *arr, bool clean)
{
	struct raizn_superblock *sb = &arr->sb;
	u32 flags = le32_to_cpu(sb->scrub);

	arr->scrub->remembered = (flags & RAIZN_SB_SCRUB) &&
				le32_to_cpu(sb->scrub_next) < arr->geo.nr_zones;
	/* After a crash the user must resume a repair, which rewrites parity. */
	if (flags & RAIZN_SB_SCRUB_REPAIR && !clean)
		sb->scrub = cpu_to_le32(flags | RAIZN_SB_SCRUB_PAUSED);
}

/**
 * raizn_scrub_found() - get the stripes that the last scrub found wrong
 * @arr:	array
 * @found:	filled with the first ones since the array was started; room for
 *		%RAIZN_SCRUB_FOUND
 *
 * Context: process.  Return: their number.
 */
u32 raizn_scrub_found(struct raizn_array *arr, struct raizn_mismatch *found)
{
	struct raizn_scrub *scrub = arr->scrub;
	u32 nr;

	spin_lock(&scrub->lock);
	nr = scrub->nr_found;
	memcpy(found, scrub->found, nr * sizeof(*found));
	spin_unlock(&scrub->lock);
	return nr;
}

/**
 * raizn_scrub_resume() - continue a scrub, if there is one
 * @arr:	array
 *
 * Context: process.
 */
void raizn_scrub_resume(struct raizn_array *arr)
{
	bool go_on = raizn_array_in_use(arr);

	mutex_lock(&arr->rebuild->mutex);
	go_on = go_on && arr->scrub->remembered;
	if (go_on)
		go_on_as_remembered(arr);
	mutex_unlock(&arr->rebuild->mutex);
	/* The superblocks may still say that the scrub is under way. */
	if (go_on && !arr->scrub->active)
		raizn_general_note(arr);
	if (READ_ONCE(arr->scrub->active))
		queue_work(arr->rebuild_wq, &arr->scrub->work);
}

/**
 * raizn_scrub_control() - pause, resume or stop a scrub
 * @arr:	array
 * @what:	"pause", "resume" or "stop"
 *
 * Context: process.
 * Return: 0, -EBUSY when there is no scrub, -ENOENT when @what is another word, or -errno
 * when no superblock could be written: members may not record the change then.
 */
int raizn_scrub_control(struct raizn_array *arr, const char *what)
{
	if (!READ_ONCE(arr->scrub->active)) {
		DMERR("array %pU: no scrub is under way", arr->uuid);
		return -EBUSY;
	}
	if (!strcmp(what, "pause"))
		WRITE_ONCE(arr->background->paused, true);
	else if (!strcmp(what, "resume"))
		WRITE_ONCE(arr->background->paused, false);
	else if (!strcmp(what, "stop"))
		WRITE_ONCE(arr->scrub->stop, true);
	else
		return -ENOENT;
	wake_up(&arr->sync_wait);
	return raizn_general_note(arr);
}

/**
 * raizn_scrub_init() - make ready for scrubs
 * @arr:	array
 */
void raizn_scrub_init(struct raizn_array *arr)
{
	arr->scrub->arr = arr;
	spin_lock_init(&arr->scrub->lock);
	INIT_WORK(&arr->scrub->work, scrub_work);
}
