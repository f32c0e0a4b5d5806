// SPDX-License-Identifier: GPL-2.0
/*
 * Scrub: compare parity with the data below all write pointers, in the background.
 *
 * Only stripes are looked at whose parity is in place and that no write can change
 * any more; a reset meanwhile makes what was found void.  With one parity nobody can
 * tell which unit of a stripe is wrong; as with md, repair takes the data for right
 * and writes the parity's column anew, in a spare zone.
 */
#include "raizn.h"

/* One look at some rows of a stripe.  Returns whether parity is right, or -errno. */
static int look(struct raizn_array *arr, struct raizn_decode *dec, u32 zone,
		u32 sector, u32 nr, u32 wp)
{
	const struct raizn_geometry *geo = &arr->geo;
	u32 stripe = sector >> geo->su_shift;
	u32 pc = raizn_parity_column(geo, zone, stripe);
	u32 data = (pc + 1) % geo->nr_members;
	int err;

	err = raizn_decode_rows(arr, dec, zone, pc, sector, nr, wp, NULL);
	if (err)
		return err;
	/* What a data column's buffer holds is of no use any more. */
	err = raizn_member_read(arr->members[pc].bdev,
				raizn_column_start(arr, zone, pc) + sector,
				dec->buf[data], nr << SECTOR_SHIFT);
	raizn_count(arr, RAIZN_MEMBER_READ, nr);
	if (err) {
		raizn_note_unreadable(&arr->zones[zone], pc);
		return err;
	}
	return !memcmp(dec->buf[data], dec->buf[pc], nr << SECTOR_SHIFT);
}

/* Stripes of a zone that can be looked at, and what they were written as. */
static u32 settled_sectors(struct raizn_zone *z, u32 *wp, u32 *life)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	u32 sectors;

	spin_lock_irq(&z->lock);
	*life = z->life;
	*wp = z->wp;
	if (z->ops || raizn_zone_lost(z) ||
	    z->cond == BLK_ZONE_COND_READONLY)
		sectors = 0;
	else if (z->oz)
		sectors = z->oz->completed / geo->stripe << geo->su_shift;
	else
		sectors = (z->wp / geo->stripe << geo->su_shift) +
			  min(z->wp % geo->stripe, geo->su);
	spin_unlock_irq(&z->lock);
	return sectors;
}

static bool still_valid(struct raizn_zone *z, u32 life)
{
	bool valid;

	spin_lock_irq(&z->lock);
	valid = (z->life == life && !z->ops && !raizn_zone_lost(z)) ||
		raizn_is_mutant(RAIZN_MUTANT_SCRUB_ACROSS_RESET);
	spin_unlock_irq(&z->lock);
	return valid;
}

static bool wait_while_paused(struct raizn_array *arr)
{
	struct raizn_background *bg = &arr->background;

	wait_event(arr->sync_wait, !READ_ONCE(bg->paused) ||
		   READ_ONCE(bg->stop) || READ_ONCE(arr->scrub.stop));
	return READ_ONCE(bg->stop) || READ_ONCE(arr->scrub.stop);
}

static void report(struct raizn_zone *z, u32 stripe)
{
	struct raizn_array *arr = z->arr;
	u32 pc = raizn_parity_column(&arr->geo, raizn_zone_number(z), stripe);

	DMWARN_LIMIT("array %pU: logical zone %u, stripe %u: parity on member %u does not match the data",
		     arr->uuid, raizn_zone_number(z), stripe, pc);
	if (atomic64_inc_return(&arr->background.mismatches) == 1)
		raizn_array_event(arr);
	if (arr->scrub.repair)
		raizn_heal_request(z, pc);
}

/*
 * Look at all of a zone.  @wrong is set to the number of stripes that are.  Returns
 * false when it was interrupted: the zone is looked at again later.
 */
static bool look_at_zone(struct raizn_zone *z, struct raizn_decode *dec,
			 bool quiet, u32 *wrong)
{
	struct raizn_array *arr = z->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = raizn_zone_number(z);
	u32 bad_stripe = U32_MAX;
	u32 end, sector, nr, wp, life;
	int right;

	*wrong = 0;

	end = settled_sectors(z, &wp, &life);
	for (sector = 0; sector < end; sector += nr) {
		if (wait_while_paused(arr))
			return false;
		nr = min3(end - sector, RAIZN_DECODE_ROWS,
			  geo->su - (sector & (geo->su - 1)));
		right = look(arr, dec, zone, sector, nr, wp);
		if (!still_valid(z, life))
			return true;
		if (right < 0)
			DMWARN_LIMIT("array %pU: logical zone %u, stripe %u can not be compared: %d",
				     arr->uuid, zone, sector >> geo->su_shift,
				     right);
		if (!right && bad_stripe != sector >> geo->su_shift) {
			bad_stripe = sector >> geo->su_shift;
			++*wrong;
			if (!quiet)
				report(z, bad_stripe);
		}
		raizn_background_pace(arr, quiet, nr, &arr->scrub.stop);
	}
	return true;
}

/* Wait until wrong parity is written anew, and look whether it is right now. */
static bool scrub_zone(struct raizn_zone *z, struct raizn_decode *dec)
{
	struct raizn_array *arr = z->arr;
	u32 wrong, still;

	if (!look_at_zone(z, dec, false, &wrong))
		return false;
	if (!wrong || !arr->scrub.repair)
		return true;
	wait_event(arr->sync_wait, raizn_zone_lost(z) ||
		   (!READ_ONCE(z->heal) && !READ_ONCE(z->job)) ||
		   READ_ONCE(arr->background.stop) || READ_ONCE(arr->scrub.stop));
	if (!look_at_zone(z, dec, true, &still))
		return false;
	if (still < wrong)
		atomic64_add(wrong - still, &arr->background.repaired);
	return true;
}

static u64 sectors_to_scrub(struct raizn_array *arr, u32 from)
{
	u64 sum = 0;
	u32 wp, life;
	u32 i;

	for (i = from; i < arr->geo.nr_zones; i++)
		sum += settled_sectors(&arr->zones[i], &wp, &life);
	return sum;
}

static void scrub_work(struct work_struct *work)
{
	struct raizn_array *arr = container_of(work, struct raizn_array,
					       scrub.work);
	struct raizn_scrub *scrub = &arr->scrub;
	struct raizn_decode *dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);

	while (scrub->next < arr->geo.nr_zones && !READ_ONCE(scrub->stop) &&
	       !READ_ONCE(arr->background.stop) &&
	       scrub_zone(&arr->zones[scrub->next], dec))
		WRITE_ONCE(scrub->next, scrub->next + 1);
	mempool_free(dec, &arr->decode_pool);
	/* A suspended array goes on with it later. */
	if (scrub->next < arr->geo.nr_zones && !READ_ONCE(scrub->stop))
		return;
	DMINFO("array %pU: scrub %s: %lld stripes do not match", arr->uuid,
	       READ_ONCE(scrub->stop) ? "stopped" : "done",
	       (s64)atomic64_read(&arr->background.mismatches));
	WRITE_ONCE(scrub->active, false);
	raizn_background_end(arr);
}

/**
 * raizn_scrub_start() - begin a scrub
 * @arr:	array
 * @repair:	write parity anew that is wrong
 * @from:	first zone to look at, for a scrub that was stopped there
 *
 * Context: process.
 * Return: 0, -EINVAL when there is no such zone, or -EBUSY when something else is
 * going on.
 */
int raizn_scrub_start(struct raizn_array *arr, bool repair, u32 from)
{
	struct raizn_scrub *scrub = &arr->scrub;

	if (from >= arr->geo.nr_zones) {
		DMERR("array %pU: no scrub from zone %u on: it has %u zones",
		      arr->uuid, from, arr->geo.nr_zones);
		return -EINVAL;
	}
	if (READ_ONCE(scrub->active) || raizn_rebuild_wanted(arr) ||
	    (repair && !raizn_array_writable(arr))) {
		DMERR("array %pU: no scrub now: %s", arr->uuid,
		      READ_ONCE(scrub->active) ? "one is under way" :
		      "columns are missing, or the array can not be written");
		return -EBUSY;
	}
	scrub->repair = repair;
	WRITE_ONCE(scrub->next, from);
	WRITE_ONCE(scrub->stop, false);
	WRITE_ONCE(scrub->active, true);
	WRITE_ONCE(arr->background.paused, false);
	atomic64_set(&arr->background.mismatches, 0);
	atomic64_set(&arr->background.repaired, 0);
	raizn_background_begin(arr, repair ? RAIZN_ACTION_REPAIR :
					     RAIZN_ACTION_CHECK,
			       sectors_to_scrub(arr, from));
	raizn_scrub_resume(arr);
	return 0;
}

/**
 * raizn_scrub_resume() - go on with a scrub, if there is one
 * @arr:	array
 *
 * Context: process.
 */
void raizn_scrub_resume(struct raizn_array *arr)
{
	if (READ_ONCE(arr->scrub.active))
		queue_work(arr->rebuild_wq, &arr->scrub.work);
}

/**
 * raizn_scrub_control() - pause, resume or stop a scrub
 * @arr:	array
 * @what:	"pause", "resume" or "stop"
 *
 * Context: process.
 * Return: 0, -EBUSY when there is no scrub, or -ENOENT when there is no such word.
 */
int raizn_scrub_control(struct raizn_array *arr, const char *what)
{
	if (!READ_ONCE(arr->scrub.active)) {
		DMERR("array %pU: no scrub is under way", arr->uuid);
		return -EBUSY;
	}
	if (!strcmp(what, "pause"))
		WRITE_ONCE(arr->background.paused, true);
	else if (!strcmp(what, "resume"))
		WRITE_ONCE(arr->background.paused, false);
	else if (!strcmp(what, "stop"))
		WRITE_ONCE(arr->scrub.stop, true);
	else
		return -ENOENT;
	wake_up(&arr->sync_wait);
	return 0;
}

/**
 * raizn_scrub_init() - make ready for scrubs
 * @arr:	array
 */
void raizn_scrub_init(struct raizn_array *arr)
{
	INIT_WORK(&arr->scrub.work, scrub_work);
}
