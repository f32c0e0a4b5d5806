// SPDX-License-Identifier: GPL-2.0
/*
 * Pace and progress of rebuild and scrub. Recovery has only progress, in steps, because the
 * array has no users yet.
 *
 * As in md, background work runs at speed_min while users are active, as fast as possible
 * otherwise, and never above speed_max.
 */
#include <linux/delay.h>

#include "member/background.h"
#include "member/fault.h"

/* Interval over which the speed is measured. */
#define WINDOW_MS	500

/**
 * raizn_background_begin() - begin an action
 * @arr:	array
 * @action:	action that begins
 * @total:	sectors to be handled, or steps of a recovery
 *
 * Context: process.
 */
void raizn_background_begin(struct raizn_array *arr, enum raizn_action action,
			    u64 total)
{
	struct raizn_background *bg = arr->background;

	spin_lock(&bg->lock);
	bg->action = action;
	bg->begun = ktime_get();
	bg->total = total;
	bg->window = bg->begun;
	bg->window_done = 0;
	atomic64_set(&bg->done, 0);
	spin_unlock(&bg->lock);
	raizn_array_event(arr);
}

/**
 * raizn_background_more() - set the amount of work that an action has left
 * @arr:	array
 * @left:	sectors still to be handled
 *
 * Context: process.
 */
void raizn_background_more(struct raizn_array *arr, u64 left)
{
	struct raizn_background *bg = arr->background;

	spin_lock(&bg->lock);
	bg->total = atomic64_read(&bg->done) + left;
	spin_unlock(&bg->lock);
}

/**
 * raizn_background_less() - take sectors that are rebuilt already off the work of a rebuild
 * @arr:	array
 * @sectors:	number of sectors
 *
 * Context: process.
 */
void raizn_background_less(struct raizn_array *arr, u64 sectors)
{
	struct raizn_background *bg = arr->background;
	u64 done;

	spin_lock(&bg->lock);
	done = atomic64_read(&bg->done);
	if (bg->action == RAIZN_ACTION_REBUILD && bg->total > done)
		bg->total -= min(sectors, bg->total - done);
	spin_unlock(&bg->lock);
}

/**
 * raizn_background_step() - count a completed step of recovery
 * @arr:	array
 */
void raizn_background_step(struct raizn_array *arr)
{
	atomic64_inc(&arr->background->done);
}

/**
 * raizn_background_end() - end the action under way
 * @arr:	array
 *
 * Context: process.
 */
void raizn_background_end(struct raizn_array *arr)
{
	struct raizn_background *bg = arr->background;

	spin_lock(&bg->lock);
	bg->action = RAIZN_ACTION_IDLE;
	spin_unlock(&bg->lock);
	raizn_array_event(arr);
}

/* Sectors that may be handled in the first @ms milliseconds of a window. */
static u64 allowance(struct raizn_array *arr, s64 ms)
{
	struct raizn_background *bg = arr->background;
	u64 speed = READ_ONCE(bg->speed_max);
	u64 slow = max(READ_ONCE(bg->speed_min), RAIZN_SPEED_LEAST);

	if (bg->users_active)
		speed = speed ? min(speed, slow) : slow;
	/* The speed is in KiB a second; a KiB has two sectors. */
	return speed ? div_u64(speed * 2 * (ms + 1), 1000) : U64_MAX;
}

static bool too_fast(struct raizn_array *arr)
{
	struct raizn_background *bg = arr->background;
	ktime_t now = ktime_get();
	u64 users;
	bool fast;

	spin_lock(&bg->lock);
	if (ktime_ms_delta(now, bg->window) >= WINDOW_MS &&
	    bg->window_done <= allowance(arr, ktime_ms_delta(now, bg->window))) {
		users = raizn_counter_read(arr, RAIZN_USER_READ) +
			raizn_counter_read(arr, RAIZN_USER_WRITTEN);
		bg->users_active = users != bg->users;
		bg->users = users;
		bg->window = now;
		bg->window_done = 0;
	}
	fast = bg->window_done > allowance(arr, ktime_ms_delta(now, bg->window));
	spin_unlock(&bg->lock);
	return fast;
}

/**
 * raizn_background_pace() - count handled sectors, and wait if the pace is too fast
 * @arr:	array
 * @rebuild:	the sectors were rebuilt; a rebuild may serve a scrub, which has its own
 *		progress
 * @sectors:	number of sectors, per member
 * @stop:	do not wait once *@stop is true
 *
 * Context: process.
 */
void raizn_background_pace(struct raizn_array *arr, bool rebuild, u32 sectors,
			   const bool *stop)
{
	struct raizn_background *bg = arr->background;
	bool rebuilding;

	spin_lock(&bg->lock);
	rebuilding = bg->action == RAIZN_ACTION_REBUILD;
	if (rebuild == rebuilding)
		atomic64_add(sectors, &bg->done);
	bg->window_done += sectors;
	spin_unlock(&bg->lock);
	while (!READ_ONCE(*stop) && raizn_array_running(arr) && too_fast(arr))
		msleep(20);
	cond_resched();
}
