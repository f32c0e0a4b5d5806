// SPDX-License-Identifier: GPL-2.0
/*
 * Switching a partial-parity log.
 *
 * A record may be dropped when its zone was reset, or when a later record or the final
 * parity covers it AND is durable together with all the data that it covers.  So after the
 * log has moved to an empty zone, every zone whose tail stripe has its parity on this
 * member writes a record of its whole tail, and the member's relocated rows are written again;
 * then all members are flushed; then the old zone
 * is reset.
 *
 *   crash after		recovery finds
 *   new zone opened		old zone's records, all of them
 *   some tails logged again	both; newest first, older where data is missing
 *   flush			old ones no longer needed
 *   old zone reset		new zone only
 *
 * Meanwhile flushes write records to the new zone, except to the space that is kept for the
 * tails: the switch never waits for itself.
 */
#include "io/io.h"

/*
 * Ask the worker of every active zone to log its whole tail again if the tail's parity is
 * on this member.  Wait until that record, and all writes that the zone issued before, are
 * completed: then the new record covers the tail's stripe, and final parity covers the
 * stripes before it.  relog->mutex is held.
 */
static int relog_tails(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	struct raizn_open_zone *oz;
	struct raizn_zone *z;
	u32 nr = 0;
	u32 i;

	arr->relog->slot = m->slot;
	for (i = 0; i < arr->nr_open_zones; i++) {
		oz = &arr->open_zones[i];
		z = READ_ONCE(oz->zone);
		if (!z)
			continue;
		spin_lock_irq(&z->lock);
		if (z->oz == oz) {
			oz->relog = true;
			oz->relog_issued = false;
			arr->relog->targets[nr++] = oz;
			queue_work(arr->zone_wq, &z->work);
		}
		spin_unlock_irq(&z->lock);
	}

	while (nr--) {
		oz = arr->relog->targets[nr];
		wait_event(arr->sync_wait, !READ_ONCE(oz->relog) ||
			   raizn_array_failed(arr));
	}
	return raizn_array_failed(arr) ? -EIO : 0;
}

/**
 * raizn_active_zones_kick() - run the workers of all active zones
 * @arr:	array
 *
 * A worker that waits for space in a log tries again.  Context: process.
 */
void raizn_active_zones_kick(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z)
			queue_work(arr->zone_wq, &z->work);
	}
}

static int pp_log_move(struct raizn_log *log, struct raizn_log_space *old)
{
	struct raizn_array *arr = log->member->arr;
	u64 seq;
	int err;

	err = raizn_log_open_zone(log, old, &seq);
	if (err)
		return err;
	wake_up(&arr->sync_wait);
	raizn_active_zones_kick(arr);
	err = relog_tails(log->member);
	if (!err)
		err = raizn_relocate_again(log->member);
	if (err)
		return err;
	err = raizn_flush_members(arr);
	return err ? err : raizn_settle(arr);
}

/**
 * raizn_pp_log_switch() - work: move a full partial-parity log to another zone
 * @work:	log->switch_work
 */
void raizn_pp_log_switch(struct work_struct *work)
{
	struct raizn_log *log = container_of(work, struct raizn_log, switch_work);
	struct raizn_array *arr = log->member->arr;
	struct raizn_log_space old;
	bool again;
	int err;

	mutex_lock(&arr->relog->mutex);
	do {
		err = pp_log_move(log, &old);
		if (!err)
			err = raizn_log_drop_zone(log, &old);
		spin_lock_irq(&log->lock);
		again = !err && log->full;
		log->full = false;
		log->switching = again;
		spin_unlock_irq(&log->lock);
	} while (again);
	mutex_unlock(&arr->relog->mutex);
	raizn_active_zones_kick(arr);
}

/**
 * raizn_pp_log_join() - begin a partial-parity log on one member
 * @m:		member that begins to take part
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_pp_log_join(struct raizn_member *m)
{
	struct raizn_log_space old;
	int err;

	if (!raizn_running_parities(&m->arr->geo))
		return 0;
	mutex_lock(&m->arr->relog->mutex);
	err = pp_log_move(m->pp, &old);
	mutex_unlock(&m->arr->relog->mutex);
	return err;
}

/**
 * raizn_pp_log_start() - begin a fresh partial-parity log on live members
 * @arr:	array with running parity loaded, that takes no I/O yet
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_pp_log_start(struct raizn_array *arr)
{
	struct raizn_log_space old;
	int err = 0;
	u32 slot;

	if (!raizn_running_parities(&arr->geo))
		return 0;
	mutex_lock(&arr->relog->mutex);
	for (slot = 0; !err && slot < arr->geo.nr_members; slot++)
		if (raizn_member_live(&arr->members[slot]))
			err = pp_log_move(arr->members[slot].pp, &old);
	mutex_unlock(&arr->relog->mutex);
	return err;
}
