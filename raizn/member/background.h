/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Background work: pace, progress, and its state in the superblocks.
 */
#ifndef RAIZN_MEMBER_BACKGROUND_H
#define RAIZN_MEMBER_BACKGROUND_H

#include "raizn.h"

/* Default pace of rebuild and scrub while users are active, in KiB a second and member. */
#define RAIZN_SPEED_MIN		10240U

/* Lowest pace, in KiB a second and member: every rebuild must end. */
#define RAIZN_SPEED_LEAST	64U

/* Maximum number of mismatches that a scrub keeps. */
#define RAIZN_SCRUB_FOUND	32

/**
 * struct raizn_mismatch - a stripe with parity that does not match its data
 * @zone:	logical zone number
 * @stripe:	stripe number in the zone
 * @column:	wrong column; the parity column if the stripe does not tell which one is wrong
 */
struct raizn_mismatch {
	u32 zone;
	u32 stripe;
	u32 column;
};

/**
 * struct raizn_scrub_sums - results of a scrub
 * @mismatches:	stripes with parity that does not match
 * @repaired:	stripes repaired
 * @nr_found:	entries of scrub->found in use
 */
struct raizn_scrub_sums {
	s64 mismatches;
	s64 repaired;
	u32 nr_found;
};

/**
 * struct raizn_scrub - a scrub
 * @arr:	the array
 * @work:	compares all zones, one after the other
 * @active:	a scrub is under way, or continues at the next resume; changes with the
 *		background action, under arr->rebuild->mutex
 * @remembered:	the superblock describes an earlier scrub that has not been continued yet
 * @stop:	the scrub has been asked to end
 * @repair:	wrong parity is rewritten
 * @noted:	time of the last superblock with the position of the scrub (jiffies); @work
 * @lock:	protects the fields below; only @work changes them while @active
 * @next:	zone being compared
 * @before:	results of the zones before @next
 * @nr_found:	entries of @found in use
 * @found:	first mismatches since the array was started
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
 * @lock:	protects @action, @begun, @total, the window and @users
 * @action:	action under way
 * @begun:	time at which @action began
 * @total:	sectors of the whole action; steps of a recovery
 * @done:	sectors done, or steps
 * @window:	start of the interval over which the speed is measured
 * @window_done: sectors done since @window
 * @paused:	the scrub has been asked to wait
 * @mismatches:	mismatches found by the last scrub
 * @repaired:	stripes repaired by the last scrub
 * @users:	sectors read and written by users up to @window
 * @users_active: users read or wrote during the interval before @window
 * @speed_min:	pace while users are active, in KiB a second and member
 * @speed_max:	limit of the pace, in KiB a second and member; 0: none
 */
struct raizn_background {
	spinlock_t lock;
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
