// SPDX-License-Identifier: GPL-2.0
/*
 * The end of relocation: a column with rows that are spoilt in place is rewritten to a spare zone,
 * like one that is healed, and has all its rows in place there.  See "Spoilt rows" in
 * docs/recovery.md.
 */
#include <linux/moduleparam.h>

#include "member/background.h"
#include "member/relocation.h"
#include "repair/repair.h"

/* Sectors that users may read and write meanwhile, and are idle: monitors and probes do. */
#define IDLE_SECTORS	2048U

/* KiB. */
static unsigned int relocation_max = 1024;
module_param(relocation_max, uint, 0644);
MODULE_PARM_DESC(relocation_max,
		 "spoilt rows of a column that stay, at most (KiB); with more, it is rewritten beside users; 0: starts move debris");

/* Seconds. */
static unsigned int relocation_idle = 60;
module_param(relocation_idle, uint, 0644);
MODULE_PARM_DESC(relocation_idle,
		 "columns with relocated rows are rewritten when users are idle for so long (seconds); 0: never");

/* Spoilt rows of a column (sectors). */
static u32 rows_of_column(const struct raizn_zone *z, u32 column)
{
	struct raizn_relocation *rel;
	u32 row = 0, rows = 0;

	while ((rel = raizn_relocation_next(z, column, row))) {
		row = rel->rows.end;
		rows += row - rel->rows.from;
		raizn_relocation_put(rel);
	}
	return rows;
}

/* Without a free zone the rows stay as they are. */
static bool can_be_rewritten(const struct raizn_zone *z, u32 column)
{
	return raizn_column_live(z, column) &&
	       raizn_spare_left(raizn_zone_member(z, column));
}

/* Request the rewrite of columns that have more spoilt rows than @most (sectors). */
static void request_rewrites(struct raizn_array *arr, u32 most)
{
	struct raizn_relocation *rel;
	bool requested = false;
	struct raizn_zone *z;
	u32 n;

	/* An entry that goes meanwhile may hide another one, until the next time. */
	for (n = 0; (rel = raizn_relocation_nth(arr, n)); n++) {
		z = &arr->zones[rel->rows.zone];
		if (can_be_rewritten(z, rel->rows.column) &&
		    rows_of_column(z, rel->rows.column) > most)
			requested |= raizn_relocation_request(rel);
		raizn_relocation_put(rel);
	}
	if (requested)
		raizn_rebuild_kick(arr);
}

/**
 * raizn_relocated_most() - spoilt rows that a column may keep
 *
 * Return: sectors; 0 if debris does not stay.
 */
u32 raizn_relocated_most(void)
{
	return min(READ_ONCE(relocation_max), RAIZN_SPOILT_ROWS) * (1024U >> SECTOR_SHIFT);
}

/* Have users read and written next to nothing since the last look? */
static bool users_are_idle(struct raizn_array *arr)
{
	u64 users = raizn_counter_read(arr, RAIZN_USER_READ) +
		    raizn_counter_read(arr, RAIZN_USER_WRITTEN);
	u64 before = arr->rebuild->users;

	arr->rebuild->users = users;
	return users - before <= IDLE_SECTORS;
}

static void look_again(struct raizn_array *arr)
{
	u32 idle = READ_ONCE(relocation_idle);

	/* If it is 0 now, it may be changed. */
	queue_delayed_work(arr->rebuild_wq, &arr->rebuild->relocated,
			   min(idle ? idle : 60, 3600U) * HZ);
}

static void relocated_work(struct work_struct *work)
{
	struct raizn_rebuild *rb =
		container_of(to_delayed_work(work), struct raizn_rebuild, relocated);
	struct raizn_array *arr = rb->rebuilders[0].arr;

	if (!raizn_array_in_use(arr) || !raizn_relocation_nr(arr))
		return;
	request_rewrites(arr, users_are_idle(arr) && READ_ONCE(relocation_idle) ?
			 0 : raizn_relocated_most());
	look_again(arr);
}

/**
 * raizn_relocated_begin() - begin to rewrite columns that have spoilt rows
 * @arr:	array that takes I/O; more rows become spoilt only at a start
 *
 * Those with too many at once, others when users are idle.
 *
 * Context: process.
 */
void raizn_relocated_begin(struct raizn_array *arr)
{
	if (!raizn_array_writable(arr) || !raizn_relocation_nr(arr))
		return;
	users_are_idle(arr);
	request_rewrites(arr, raizn_relocated_most());
	look_again(arr);
}

/**
 * raizn_relocated_init() - initialize the look for idle users
 * @rb:		rebuilders
 */
void raizn_relocated_init(struct raizn_rebuild *rb)
{
	INIT_DELAYED_WORK(&rb->relocated, relocated_work);
}
