/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work in the background: pace, progress, and what superblocks remember of it.
 */
#ifndef RAIZN_MEMBER_BACKGROUND_H
#define RAIZN_MEMBER_BACKGROUND_H

#include "raizn.h"

/* Pace of rebuild and scrub while users are at work, in KiB a second and member. */
#define RAIZN_SPEED_MIN		10240U

/* A rebuild comes to its end, whatever users say. */
#define RAIZN_SPEED_LEAST	64U

/* Stripes of which is told where they are. */
#define RAIZN_SCRUB_FOUND	32

/**
 * struct raizn_mismatch - a stripe whose parity does not match its data
 * @zone:	logical zone
 * @stripe:	stripe of it
 * @column:	that is wrong, and so its member; the one of the parity when nobody can tell
 */
struct raizn_mismatch {
	u32 zone;
	u32 stripe;
	u32 column;
};

/**
 * struct raizn_scrub_sums - what a scrub has come to
 * @mismatches:	stripes that were found wrong
 * @repaired:	and made right
 * @nr_found:	of the first ones, see struct raizn_scrub
 */
struct raizn_scrub_sums {
	s64 mismatches;
	s64 repaired;
	u32 nr_found;
};

/**
 * struct raizn_scrub - a scrub
 * @arr:	the array
 * @work:	looks at all zones
 * @active:	one is under way, or goes on when the array is resumed; changes with the
 *		background action, under arr->rebuild->mutex
 * @remembered:	one was under way when the array was last stopped, and the superblock
 *		says which; nothing of it is here until it goes on
 * @stop:	it is to end
 * @repair:	wrong parity is written anew
 * @noted:	when the superblock was last told (jiffies); @work
 * @lock:	protects what follows; only @work changes it while @active
 * @next:	zone that is looked at
 * @before:	what the zones before it came to
 * @nr_found:	places in use
 * @found:	the first stripes that were found wrong since the array was started
 */
struct raizn_scrub {
	struct raizn_array *arr;
	struct work_struct work;
	bool active;
	bool remembered;
	bool stop;
	bool repair;
	unsigned long noted;
	spinlock_t lock;
	u32 next;
	struct raizn_scrub_sums before;
	u32 nr_found;
	struct raizn_mismatch found[RAIZN_SCRUB_FOUND];
};

enum raizn_action {
	RAIZN_ACTION_IDLE,
	RAIZN_ACTION_REBUILD,
	RAIZN_ACTION_CHECK,
	RAIZN_ACTION_REPAIR,
	RAIZN_ACTION_RECOVER,
};

/**
 * struct raizn_background - pace and progress of rebuild and scrub, progress of recovery
 * @lock:	protects what has no other rule
 * @stop:	the array is about to be suspended: end
 * @action:	what is going on
 * @begun:	since when
 * @total:	sectors it will handle; of recovery, steps
 * @done:	sectors it has handled, or steps
 * @window:	speed is measured since then
 * @window_done: sectors handled since then
 * @paused:	the scrub is to wait
 * @mismatches:	stripes that the last scrub found wrong
 * @repaired:	and made right
 * @users:	sectors that users had read and written then
 * @users_active: they were at work in the window before
 * @speed_min:	KiB a second and member while users are at work
 * @speed_max:	KiB a second and member, 0: no limit
 */
struct raizn_background {
	spinlock_t lock;
	bool stop;
	enum raizn_action action;
	ktime_t begun;
	u64 total;
	atomic64_t done;
	ktime_t window;
	u64 window_done;
	bool paused;
	atomic64_t mismatches;
	atomic64_t repaired;
	u64 users;
	bool users_active;
	u32 speed_min;
	u32 speed_max;
};

/* background.c */
void raizn_background_begin(struct raizn_array *arr, enum raizn_action action,
			    u64 total);
void raizn_background_more(struct raizn_array *arr, u64 left);
void raizn_background_less(struct raizn_array *arr, u64 sectors);
void raizn_background_step(struct raizn_array *arr);
void raizn_background_end(struct raizn_array *arr);
void raizn_background_pace(struct raizn_array *arr, bool rebuild, u32 sectors,
			   const bool *stop);

/* settings.c */
void raizn_settings_load(struct raizn_array *arr);
void raizn_settings_store(struct raizn_array *arr);
struct raizn_scrub_sums raizn_scrub_sums_again(struct raizn_array *arr);
void raizn_scrub_store(struct raizn_array *arr);

#endif /* RAIZN_MEMBER_BACKGROUND_H */
