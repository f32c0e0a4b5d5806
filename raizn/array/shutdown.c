// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays that are in use when the machine goes down, or when kexec starts another kernel.
 *
 * User space stops arrays at shutdown once their file systems are unmounted.  The root file
 * system is never unmounted, and a forced reboot unmounts nothing.  Such arrays are
 * suspended here, before the drives are shut down, and are never resumed: all written data
 * becomes durable, and their superblocks say clean.  md does the same (md_notify_reboot()).
 *
 * Hibernation ends like a shutdown, too, but its image has the arrays as they were before:
 * nothing on their drives may change until the image is resumed.
 */
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "array/array.h"

/* The machine goes down after this time, even if a drive hangs. */
#define SHUTDOWN_TIMEOUT	(60 * HZ)

/**
 * struct shutdown - an array that is suspended
 * @work:	suspends the array; drives that hang hold up their own array only
 * @md:		its mapped device, held
 */
struct shutdown {
	struct work_struct work;
	struct mapped_device *md;
};

static struct workqueue_struct *shutdown_wq;
static DECLARE_WAIT_QUEUE_HEAD(shutdown_wait);

/* Number of work items that have not ended. */
static atomic_t shutdown_left;

/* The machine hibernates. */
static bool hibernating;

static void shutdown_end(void)
{
	if (atomic_dec_and_test(&shutdown_left))
		wake_up(&shutdown_wait);
}

static void shutdown_array_work(struct work_struct *work)
{
	struct shutdown *shutdown = container_of(work, struct shutdown, work);

	dm_internal_suspend_noflush(shutdown->md);
	dm_put(shutdown->md);
	kfree(shutdown);
	shutdown_end();
}

static void shutdown_array(struct raizn_array *arr)
{
	struct shutdown *shutdown = kmalloc(sizeof(*shutdown), GFP_NOIO);

	if (!shutdown)
		return;
	shutdown->md = arr->md;
	if (dm_hold(arr->md)) {
		kfree(shutdown);
		return;
	}
	INIT_WORK(&shutdown->work, shutdown_array_work);
	atomic_inc(&shutdown_left);
	queue_work(shutdown_wq, &shutdown->work);
}

static int shutdown_notify(struct notifier_block *block, unsigned long code, void *data)
{
	if (READ_ONCE(hibernating))
		return NOTIFY_DONE;
	atomic_set(&shutdown_left, 1);
	raizn_arrays_each(shutdown_array);
	shutdown_end();
	if (!wait_event_timeout(shutdown_wait, !atomic_read(&shutdown_left),
				SHUTDOWN_TIMEOUT))
		DMERR("arrays could not be stopped in %u s, the machine goes down without; they are recovered when they start",
		      SHUTDOWN_TIMEOUT / HZ);
	return NOTIFY_DONE;
}

/* Runs before drives are shut down, which some drives do in a notifier of their own. */
static struct notifier_block shutdown_block = {
	.notifier_call	= shutdown_notify,
	.priority	= INT_MAX,
};

static int hibernation_notify(struct notifier_block *block, unsigned long event, void *data)
{
	if (event == PM_HIBERNATION_PREPARE || event == PM_POST_HIBERNATION)
		WRITE_ONCE(hibernating, event == PM_HIBERNATION_PREPARE);
	return NOTIFY_DONE;
}

static struct notifier_block hibernation_block = {
	.notifier_call	= hibernation_notify,
};

/**
 * raizn_shutdown_init() - stop arrays when the machine goes down
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_shutdown_init(void)
{
	int err;

	shutdown_wq = alloc_workqueue("raizn_shutdown", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!shutdown_wq)
		return -ENOMEM;
	err = register_pm_notifier(&hibernation_block);
	if (err)
		goto destroy;
	err = register_reboot_notifier(&shutdown_block);
	if (!err)
		return 0;
	unregister_pm_notifier(&hibernation_block);
destroy:
	destroy_workqueue(shutdown_wq);
	return err;
}

/**
 * raizn_shutdown_exit() - undo raizn_shutdown_init()
 *
 * Context: process; there are no arrays.
 */
void raizn_shutdown_exit(void)
{
	unregister_reboot_notifier(&shutdown_block);
	unregister_pm_notifier(&hibernation_block);
	destroy_workqueue(shutdown_wq);
}
