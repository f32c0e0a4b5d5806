// SPDX-License-Identifier: GPL-2.0
/*
 * The order of locks, for lockdep.
 */
#include "array/array.h"

static void take_leaf(spinlock_t *lock)
{
	spin_lock(lock);
	spin_unlock(lock);
}

/* Spinlocks that completions take. */
static void take_spinlocks(struct raizn_array *arr)
{
	struct raizn_member *m = &arr->members[0];

	spin_lock_irq(&arr->zones[0].lock);
	spin_lock(&arr->cond_lock);
	spin_lock(&arr->fail_lock);
	take_leaf(&arr->bad_lock);
	spin_lock(&arr->relocation_lock);
	take_leaf(&m->pp->lock);
	spin_unlock(&arr->relocation_lock);
	spin_unlock(&arr->fail_lock);
	take_leaf(&m->general->lock);
	take_leaf(&m->pp->lock);
	take_leaf(&m->zones_lock);
	take_leaf(&arr->flush->lock);
	take_leaf(&arr->reset_all->lock);
	take_leaf(&arr->early->lock);
	spin_unlock(&arr->cond_lock);
	spin_unlock_irq(&arr->zones[0].lock);
}

/**
 * raizn_teach_lock_order() - take the locks of an array once, in the order of raizn.h
 * @arr:	array that nothing uses yet
 *
 * Lockdep then reports the first use of two locks in another order, also on a path that only
 * an error takes, and need not meet both orders.
 *
 * Context: process; raizn_registry_lock is held.
 */
void raizn_teach_lock_order(struct raizn_array *arr)
{
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING))
		return;
	percpu_down_read(&arr->freeze);
	mutex_lock(&arr->rebuild->mutex);
	mutex_lock(&arr->place_mutex);
	mutex_lock(&arr->relog->mutex);
	mutex_lock(&arr->md_mutex);
	mutex_lock(&arr->flush_mutex);
	mutex_lock(&arr->event_mutex);
	spin_lock(&arr->sb_lock);
	take_leaf(&arr->scrub->lock);
	spin_unlock(&arr->sb_lock);
	take_leaf(&arr->background->lock);
	take_spinlocks(arr);
	mutex_unlock(&arr->event_mutex);
	mutex_unlock(&arr->flush_mutex);
	mutex_unlock(&arr->md_mutex);
	mutex_unlock(&arr->relog->mutex);
	mutex_unlock(&arr->place_mutex);
	mutex_unlock(&arr->rebuild->mutex);
	percpu_up_read(&arr->freeze);
}
