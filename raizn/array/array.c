// SPDX-License-Identifier: GPL-2.0
/*
 * Life of an array.
 *
 * An array belongs to a mapped device, not to a table: a table reload finds the
 * running array again by its members and takes another reference, so nothing is
 * read twice and nothing in memory is lost.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "array/array.h"
#include "member/relocation.h"

/*
 * Protects the lists and all references.  Not held while drives are waited for: a drive that does
 * not answer holds up its own array only.
 */
static DEFINE_MUTEX(raizn_registry_lock);
static LIST_HEAD(raizn_registry);
static LIST_HEAD(raizn_claims);
static DECLARE_WAIT_QUEUE_HEAD(raizn_claims_wait);

/**
 * struct claim - drives of an array that is being assembled or freed
 * @node:	in raizn_claims
 * @bdevs:	the drives
 * @nr:		number of them
 */
struct claim {
	struct list_head node;
	struct block_device *bdevs[RAIZN_MAX_MEMBERS];
	u32 nr;
};

static bool is_among(struct block_device *bdev, struct block_device **bdevs,
		     u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (bdevs[i] == bdev)
			return true;
	return false;
}

static bool is_claimed(struct block_device **bdevs, u32 nr)
{
	struct claim *claim;
	u32 i;

	lockdep_assert_held(&raizn_registry_lock);
	list_for_each_entry(claim, &raizn_claims, node)
		for (i = 0; i < claim->nr; i++)
			if (is_among(claim->bdevs[i], bdevs, nr))
				return true;
	return false;
}

/* Take raizn_registry_lock when no array is being assembled from, or freed on, any of @bdevs. */
static int lock_registry(struct block_device **bdevs, u32 nr)
{
	DEFINE_WAIT(wait);
	int err = 0;

	mutex_lock(&raizn_registry_lock);
	while (!err && is_claimed(bdevs, nr)) {
		prepare_to_wait(&raizn_claims_wait, &wait, TASK_KILLABLE);
		mutex_unlock(&raizn_registry_lock);
		schedule();
		finish_wait(&raizn_claims_wait, &wait);
		err = fatal_signal_pending(current) ? -EINTR : 0;
		mutex_lock(&raizn_registry_lock);
	}
	if (err)
		mutex_unlock(&raizn_registry_lock);
	return err;
}

static void claim_init(struct claim *claim, struct block_device **bdevs, u32 nr)
{
	claim->nr = nr;
	memcpy(claim->bdevs, bdevs, nr * sizeof(*bdevs));
}

/* Claim drives that no other task claims, and drop raizn_registry_lock, for work that waits. */
static void claim_and_unlock(struct claim *claim)
{
	lockdep_assert_held(&raizn_registry_lock);
	list_add(&claim->node, &raizn_claims);
	mutex_unlock(&raizn_registry_lock);
}

/* End a claim.  raizn_registry_lock is held. */
static void claim_end(struct claim *claim)
{
	lockdep_assert_held(&raizn_registry_lock);
	list_del(&claim->node);
	wake_up_all(&raizn_claims_wait);
}

static void *parity_pool_alloc(gfp_t gfp, void *data)
{
	struct raizn_array *arr = data;
	struct raizn_parity_buffer *pb = kmalloc(sizeof(*pb), gfp);

	if (!pb)
		return NULL;
	pb->data = kmalloc(arr->geo.su << SECTOR_SHIFT, gfp);
	if (!pb->data) {
		kfree(pb);
		return NULL;
	}
	return pb;
}

static void parity_pool_free(void *element, void *data)
{
	struct raizn_parity_buffer *pb = element;

	kfree(pb->data);
	kfree(pb);
}

/*
 * Pools are sized so that the write path goes on when memory is short: every
 * active zone may hold the running parity of its tail, plus one stripe's parity
 * under way; every member one bio.
 */
static int init_pools(struct raizn_array *arr)
{
	u32 parity = (arr->nr_open_zones + 1) * raizn_running_parities(&arr->geo);
	int err;

	err = mempool_init_kmalloc_pool(&arr->batch_pool, 16,
					sizeof(struct raizn_batch));
	if (!err)
		err = mempool_init(&arr->parity_pool, max(parity, 1U),
				   parity_pool_alloc, parity_pool_free, arr);
	if (!err)
		err = mempool_init_page_pool(&arr->copy_pool, RAIZN_COPY_RESERVE, 0);
	if (!err)
		err = raizn_log_pool_init(&arr->pp_pool, 4);
	if (!err)
		err = raizn_lost_pool_init(arr);
	if (!err)
		err = raizn_decode_pool_init(arr);
	if (!err)
		err = raizn_log_pool_init(&arr->general_pool,
					  arr->geo.nr_members);
	if (!err)
		err = bioset_init(&arr->bios, 4 * arr->geo.nr_members,
				  offsetof(struct raizn_member_bio, bio),
				  BIOSET_NEED_BVECS);
	return err;
}

static int init_workqueues(struct raizn_array *arr)
{
	arr->zone_wq = alloc_workqueue("raizn_zone",
				       WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_HIGHPRI,
				       0);
	arr->flush_wq = alloc_workqueue("raizn_flush",
					WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	arr->log_wq = alloc_workqueue("raizn_log",
				      WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	arr->fail_wq = alloc_workqueue("raizn_fail",
				       WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	arr->read_wq = alloc_workqueue("raizn_read",
				       WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!arr->zone_wq || !arr->flush_wq || !arr->log_wq || !arr->fail_wq ||
	    !arr->read_wq)
		return -ENOMEM;
	return 0;
}

static void array_free(struct raizn_array *arr)
{
	u32 i;

	raizn_early_exit(arr);
	if (arr->rebuild_wq) {
		cancel_delayed_work_sync(&arr->rebuild->relocated);
		destroy_workqueue(arr->rebuild_wq);
	}
	if (arr->read_wq)
		destroy_workqueue(arr->read_wq);
	if (arr->fail_wq)
		destroy_workqueue(arr->fail_wq);
	if (arr->log_wq)
		destroy_workqueue(arr->log_wq);
	if (arr->flush_wq)
		destroy_workqueue(arr->flush_wq);
	if (arr->zone_wq)
		destroy_workqueue(arr->zone_wq);
	/* Completion functions of finished commands may not have returned yet. */
	synchronize_rcu();
	raizn_recovery_free(arr);
	raizn_zones_exit(arr);
	mempool_exit(&arr->decode_pool);
	mempool_exit(&arr->lost_pool);
	bioset_exit(&arr->bios);
	mempool_exit(&arr->general_pool);
	mempool_exit(&arr->pp_pool);
	mempool_exit(&arr->copy_pool);
	mempool_exit(&arr->parity_pool);
	mempool_exit(&arr->batch_pool);
	percpu_free_rwsem(&arr->freeze);
	free_percpu(arr->counters);
	kvfree(arr->bad);
	raizn_relocation_free(arr);
	kvfree(arr->map.entries);
	raizn_quarantine_forget(arr, U32_MAX);
	kvfree(arr->zone_state);
	for (i = 0; arr->members && i < arr->geo.nr_members; i++)
		kvfree(arr->members[i].use);
	kvfree(arr->members);
	kvfree(arr->logs);
	kfree(container_of(arr, struct raizn_array_parts, arr));
}

static struct raizn_array *array_alloc(struct mapped_device *md)
{
	struct raizn_array_parts *parts = kzalloc(sizeof(*parts), GFP_KERNEL);
	struct raizn_array *arr;

	if (!parts)
		return NULL;
	arr = &parts->arr;
	arr->early = &parts->early;
	arr->flush = &parts->flush;
	arr->relog = &parts->relog;
	arr->reset_all = &parts->reset_all;
	arr->rebuild = &parts->rebuild;
	arr->scrub = &parts->scrub;
	arr->background = &parts->background;
	arr->counters = alloc_percpu(struct raizn_counters);
	arr->bad = kvcalloc(1, sizeof(*arr->bad), GFP_KERNEL);
	if (!arr->counters || !arr->bad || percpu_init_rwsem(&arr->freeze)) {
		free_percpu(arr->counters);
		kvfree(arr->bad);
		kfree(parts);
		return NULL;
	}
	arr->md = md;
	arr->refs = 1;
	spin_lock_init(&arr->cond_lock);
	spin_lock_init(&arr->sb_lock);
	spin_lock_init(&arr->bad_lock);
	spin_lock_init(&arr->relocation_lock);
	arr->flush->arr = arr;
	spin_lock_init(&arr->flush->lock);
	arr->reset_all->arr = arr;
	spin_lock_init(&arr->reset_all->lock);
	spin_lock_init(&arr->fail_lock);
	spin_lock_init(&arr->background->lock);
	mutex_init(&arr->event_mutex);
	mutex_init(&arr->place_mutex);
	mutex_init(&arr->md_mutex);
	mutex_init(&arr->flush_mutex);
	mutex_init(&arr->relog->mutex);
	init_waitqueue_head(&arr->sync_wait);
	INIT_LIST_HEAD(&arr->oz_free);
	INIT_LIST_HEAD(&arr->imp_open);
	INIT_LIST_HEAD(&arr->quarantine);
	INIT_LIST_HEAD(&arr->relocations);
	bio_list_init(&arr->flush->bios);
	bio_list_init(&arr->flush->fua);
	bio_list_init(&arr->reset_all->bios);
	bio_list_init(&arr->held);
	INIT_WORK(&arr->fail_work, raizn_fail_work);
	raizn_scrub_init(arr);
	raizn_early_init(arr);
	INIT_WORK(&arr->flush->work, raizn_flush_work);
	INIT_WORK(&arr->reset_all->work, raizn_reset_all_work);
	return arr;
}

static struct raizn_array *array_create(struct block_device **bdevs, u32 nr,
					const struct raizn_start_options *opts,
					struct mapped_device *md, char **error)
{
	struct raizn_array *arr = array_alloc(md);
	int err;

	if (!arr)
		return ERR_PTR(-ENOMEM);
	err = init_workqueues(arr);
	if (!err)
		err = raizn_assemble(arr, bdevs, nr, opts, error);
	if (!err && opts->rebuild && opts->rebuild_slot >= arr->geo.nr_members) {
		*error = "The array has no such member to rebuild";
		err = -EINVAL;
	}
	if (!err)
		err = init_pools(arr);
	if (!err)
		err = raizn_rebuild_init(arr);
	if (err) {
		array_free(arr);
		return ERR_PTR(err);
	}
	return arr;
}

static bool has_member(struct raizn_array *arr, struct block_device *bdev)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_members; i++)
		if (arr->members[i].bdev == bdev)
			return true;
	return false;
}

/* Number of @bdevs that belong to @arr. */
static u32 count_members(struct raizn_array *arr, struct block_device **bdevs,
			 u32 nr)
{
	u32 count = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		count += has_member(arr, bdevs[i]);
	return count;
}

/* The device that no member has, or NULL. */
static struct block_device *new_device(struct raizn_array *arr,
				       struct block_device **bdevs, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!has_member(arr, bdevs[i]))
			return bdevs[i];
	return NULL;
}

/*
 * The device that option rebuild makes a member: one that no member has, or else the device
 * of the failed member, which keeps its device if it was failed by request.
 */
static struct block_device *candidate(struct raizn_array *arr,
				      struct block_device **bdevs, u32 nr,
				      const struct raizn_start_options *opts)
{
	struct block_device *bdev = new_device(arr, bdevs, nr);
	struct raizn_member *m = &arr->members[opts->rebuild_slot];

	if (!opts->rebuild || raizn_member_live(m))
		return NULL;
	if (!bdev && m->bdev && is_among(m->bdev, bdevs, nr))
		bdev = m->bdev;
	return bdev;
}

/* May a table with these devices take the place of the one in use? */
static int check_devices(struct raizn_array *arr, struct block_device **bdevs,
			 u32 nr, const struct raizn_start_options *opts)
{
	u32 unknown = nr - count_members(arr, bdevs, nr);
	struct raizn_member *m;
	u32 i;

	if (nr + opts->nr_absent != arr->geo.nr_members) {
		DMERR("array %pU has %u members, %u devices given", arr->uuid,
		      arr->geo.nr_members, nr + opts->nr_absent);
		return -EINVAL;
	}
	for (i = 0; i < arr->geo.nr_members; i++) {
		m = &arr->members[i];
		if (raizn_member_live(m) && !is_among(m->bdev, bdevs, nr)) {
			DMERR("array %pU: the new table leaves out member %u (%pg), which is in use",
			      arr->uuid, i, m->bdev);
			return -EINVAL;
		}
	}
	if (opts->rebuild && opts->rebuild_slot >= arr->geo.nr_members) {
		DMERR("array %pU has no member %u", arr->uuid,
		      opts->rebuild_slot);
		return -EINVAL;
	}
	if (unknown > opts->rebuild) {
		DMERR("array %pU: %pg belongs to none of its members: option rebuild would make it one",
		      arr->uuid, new_device(arr, bdevs, nr));
		return -EINVAL;
	}
	if (unknown && raizn_member_live(&arr->members[opts->rebuild_slot])) {
		DMERR("array %pU: member %u has not failed: nothing can take its place",
		      arr->uuid, opts->rebuild_slot);
		return -EBUSY;
	}
	if (!candidate(arr, bdevs, nr, opts))
		return 0;
	return raizn_replace_check(arr, opts->rebuild_slot,
				   candidate(arr, bdevs, nr, opts));
}

/* An array that runs on any of @bdevs. */
static struct raizn_array *array_find(struct block_device **bdevs, u32 nr)
{
	struct raizn_array *arr;

	list_for_each_entry(arr, &raizn_registry, node)
		if (count_members(arr, bdevs, nr))
			return arr;
	return NULL;
}

/*
 * Wait until nothing is under way: batches without user bios, and records, hold no
 * reference from device mapper.  There is no new I/O to the array.
 */
static void quiesce(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 i;

	wait_event(arr->sync_wait, !atomic_read(&arr->plugs));
	/* A log switch wakes zone workers, which then do not start another one. */
	flush_workqueue(arr->flush_wq);
	flush_workqueue(arr->zone_wq);
	flush_workqueue(arr->log_wq);
	flush_workqueue(arr->fail_wq);
	flush_workqueue(arr->zone_wq);

	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z)
			raizn_wait_drained(z);
	}
	for (i = 0; i < arr->geo.nr_members; i++) {
		raizn_log_wait_idle(arr->members[i].general);
		raizn_log_wait_idle(arr->members[i].pp);
	}
	/* Retired batches may have left failures, and full zones to release. */
	flush_workqueue(arr->fail_wq);
	flush_workqueue(arr->zone_wq);
}

/* Drives that an array may have I/O under way to. */
static void claim_members(struct claim *claim, const struct raizn_array *arr)
{
	u32 i;

	claim->nr = 0;
	for (i = 0; i < arr->geo.nr_members; i++)
		if (arr->members[i].bdev)
			claim->bdevs[claim->nr++] = arr->members[i].bdev;
}

/**
 * raizn_array_put() - drop a reference; the last one frees the array
 * @arr:	array
 *
 * Context: process, may sleep.
 */
void raizn_array_put(struct raizn_array *arr)
{
	struct claim claim;

	mutex_lock(&raizn_registry_lock);
	if (--arr->refs) {
		mutex_unlock(&raizn_registry_lock);
		return;
	}
	list_del(&arr->node);
	claim_members(&claim, arr);
	claim_and_unlock(&claim);
	quiesce(arr);
	array_free(arr);
	mutex_lock(&raizn_registry_lock);
	claim_end(&claim);
	mutex_unlock(&raizn_registry_lock);
}

/* Add an array to the list, with the reference that it was made with. */
static void array_register(struct raizn_array *arr)
{
	lockdep_assert_held(&raizn_registry_lock);
	raizn_teach_lock_order(arr);
	list_add(&arr->node, &raizn_registry);
}

/*
 * May another table use a running array?  A drive that is to take the place of a member is read.
 * raizn_registry_lock is held before and after.
 */
static int check_claimed(struct raizn_array *arr, struct claim *claim,
			 const struct raizn_start_options *opts)
{
	int err;

	claim_and_unlock(claim);
	err = check_devices(arr, claim->bdevs, claim->nr, opts);
	mutex_lock(&raizn_registry_lock);
	claim_end(claim);
	return err;
}

/* Assemble an array from drives that none runs on.  As check_claimed(). */
static struct raizn_array *create_claimed(struct claim *claim,
					  const struct raizn_start_options *opts,
					  struct mapped_device *md, char **error)
{
	struct raizn_array *arr;

	claim_and_unlock(claim);
	arr = array_create(claim->bdevs, claim->nr, opts, md, error);
	mutex_lock(&raizn_registry_lock);
	claim_end(claim);
	if (!IS_ERR(arr))
		array_register(arr);
	return arr;
}

/**
 * raizn_array_get() - find the running array, or assemble it from its members
 * @bdevs:	the members' devices, in any order
 * @nr:		number of them
 * @opts:	options of the table line
 * @md:		mapped device that will run the array
 * @error:	static text for ti->error on failure
 *
 * Reads only.  Waits for no drives but @bdevs, and for other tasks that assemble or free an array
 * of these.  Context: process, may sleep.
 * Return: the array with a reference, or an ERR_PTR().
 */
struct raizn_array *raizn_array_get(struct block_device **bdevs, u32 nr,
				    const struct raizn_start_options *opts,
				    struct mapped_device *md, char **error)
{
	struct raizn_array *arr;
	struct claim claim;
	int err;

	err = lock_registry(bdevs, nr);
	if (err) {
		*error = "Interrupted";
		return ERR_PTR(err);
	}
	claim_init(&claim, bdevs, nr);
	arr = array_find(bdevs, nr);
	if (!arr) {
		arr = create_claimed(&claim, opts, md, error);
	} else if (arr->md != md) {
		DMERR("array %pU is already running as %s", arr->uuid,
		      dm_device_name(arr->md));
		*error = "Array is already running";
		arr = ERR_PTR(-EBUSY);
	} else {
		arr->refs++;
		err = check_claimed(arr, &claim, opts);
	}
	mutex_unlock(&raizn_registry_lock);
	if (!err)
		return arr;
	*error = "Members cannot be those of the running array";
	raizn_array_put(arr);
	return ERR_PTR(err);
}

/**
 * raizn_arrays_each() - call a function for each array
 * @call:	function; must not get or put an array
 *
 * Context: process, may sleep; raizn_registry_lock is held while @call runs.
 */
void raizn_arrays_each(void (*call)(struct raizn_array *arr))
{
	struct raizn_array *arr;

	mutex_lock(&raizn_registry_lock);
	list_for_each_entry(arr, &raizn_registry, node)
		call(arr);
	mutex_unlock(&raizn_registry_lock);
}

/* The member that has a drive, if the member failed during the first start of the array. */
static struct raizn_member *find_failed(struct raizn_array *arr,
					struct block_device *bdev)
{
	struct raizn_member *m;
	u32 i;

	for (i = 0; i < arr->geo.nr_members; i++) {
		m = &arr->members[i];
		if (m->bdev == bdev && !raizn_array_started(arr) &&
		    raizn_member_live(m) && m->write_errors)
			return m;
	}
	return NULL;
}

/*
 * Assemble an array again without the members that failed in its start.  These members keep
 * their drives, as other failed members do.
 */
static struct raizn_array *create_without(struct raizn_array *old,
					  struct block_device **bdevs, u32 nr,
					  const struct raizn_start_options *opts)
{
	struct block_device *left[RAIZN_MAX_MEMBERS];
	struct raizn_start_options without = *opts;
	struct raizn_array *arr;
	struct raizn_member *m;
	u32 nr_left = 0;
	char *error;
	u32 i;

	for (i = 0; i < nr; i++)
		if (!find_failed(old, bdevs[i]))
			left[nr_left++] = bdevs[i];
	without.nr_absent += nr - nr_left;
	without.degraded = true;
	/* Generations can be restarted another day, when no drive fails. */
	if (!nr_left || opts->renumber)
		return ERR_PTR(-EIO);
	arr = array_create(left, nr_left, &without, old->md, &error);
	if (IS_ERR(arr))
		return arr;
	if (arr->recovery->nr_damaged > old->recovery->nr_damaged) {
		DMERR("array %pU: a member fails while the array is started, and zones that lack another column would be lost without it",
		      arr->uuid);
		array_free(arr);
		return ERR_PTR(-EIO);
	}
	for (i = 0; i < nr; i++) {
		m = find_failed(old, bdevs[i]);
		if (!m)
			continue;
		DMERR("array %pU: member %u (%pg) failed while the array was started, which goes on without it",
		      arr->uuid, m->slot, m->bdev);
		raizn_member_set_device(&arr->members[m->slot], bdevs[i]);
	}
	return arr;
}

/**
 * raizn_array_again() - assemble an array again after a member failed in its start, or
 * could not read something
 * @old:	array that raizn_array_resume() did not make ready; the caller puts it
 * @bdevs:	the members' devices, in any order
 * @nr:		number of them
 * @opts:	options of the table line
 * @without_failed: leave out members that failed
 *
 * A start may be interrupted anywhere, and any member may be missing at the next start, so
 * that the next start may follow at once.
 *
 * Context: process; no I/O to the array is under way.
 * Return: the array with a reference, or an ERR_PTR() if another start is of no use.
 */
struct raizn_array *raizn_array_again(struct raizn_array *old,
				      struct block_device **bdevs, u32 nr,
				      const struct raizn_start_options *opts,
				      bool without_failed)
{
	const struct raizn_recovery *rec = old->recovery;
	struct raizn_start_options again = *opts;
	struct raizn_array *arr = ERR_PTR(-EIO);
	bool failed = false;
	struct claim claim;
	char *error;
	u32 i;

	if (lock_registry(bdevs, nr))
		return ERR_PTR(-EINTR);
	for (i = 0; i < nr; i++)
		failed |= !!find_failed(old, bdevs[i]);
	again.read_logs = rec && (rec->read_logs || rec->unreadable);
	/* Another table may use the array, too, if it was read without being written. */
	if ((failed || (rec && rec->unreadable)) && old->refs == 1) {
		claim_init(&claim, bdevs, nr);
		claim_and_unlock(&claim);
		quiesce(old);
		arr = failed && without_failed ?
		      create_without(old, bdevs, nr, &again) :
		      array_create(bdevs, nr, &again, old->md, &error);
		mutex_lock(&raizn_registry_lock);
		claim_end(&claim);
		if (!IS_ERR(arr))
			array_register(arr);
	}
	mutex_unlock(&raizn_registry_lock);
	return arr;
}

/* Does the superblock that was written last say clean? */
static bool is_marked_clean(const struct raizn_array *arr)
{
	return le32_to_cpu(READ_ONCE(arr->sb.flags)) & RAIZN_SB_CLEAN;
}

/* The first start, or the first start that may write. */
static int array_activate(struct raizn_array *arr)
{
	int err = raizn_recover(arr);

	if (raizn_array_read_only(arr))
		return err;
	if (err) {
		raizn_array_fail(arr, "start", errno_to_blk_status(err));
		return err;
	}
	raizn_recovery_free(arr);
	return 0;
}

/**
 * raizn_array_resume() - make the array ready for I/O
 * @arr:	array
 *
 * Marks the superblocks not clean; the first start also begins fresh logs.
 * Context: process; no I/O to the array is under way.  Return: 0 or -errno.
 */
int raizn_array_resume(struct raizn_array *arr)
{
	int err = 0;

	if (raizn_array_failed(arr))
		return raizn_array_started(arr) ? 0 : -EIO;
	if (!raizn_array_started(arr))
		err = array_activate(arr);
	else if (raizn_array_writable(arr) && is_marked_clean(arr))
		err = raizn_general_superblock(arr, false);
	if (err)
		DMERR("%s: cannot start: %d", dm_device_name(arr->md), err);
	return err;
}

/**
 * raizn_array_take_devices() - use the devices of another table from now on
 * @arr:	array that raizn_array_resume() made ready
 * @bdevs:	the members' devices, in any order
 * @nr:		number of them
 * @opts:	options of the table line
 *
 * Failed members lose a device that is not among @bdevs; with the option rebuild, a device
 * takes the place of a member, see candidate().
 *
 * Context: process; no I/O to the array is under way.
 */
void raizn_array_take_devices(struct raizn_array *arr,
			      struct block_device **bdevs, u32 nr,
			      const struct raizn_start_options *opts)
{
	struct block_device *bdev;
	struct raizn_member *m;
	unsigned int noio;
	u32 i;

	bdev = opts->rebuild ? candidate(arr, bdevs, nr, opts) : NULL;
	for (i = 0; i < arr->geo.nr_members; i++) {
		m = &arr->members[i];
		if (m->bdev && !is_among(m->bdev, bdevs, nr))
			raizn_member_set_device(m, NULL);
	}
	if (bdev && raizn_array_writable(arr)) {
		/* The array is suspended: memory must not be freed by writing to it. */
		noio = memalloc_noio_save();
		raizn_replace_member(arr, opts->rebuild_slot, bdev);
		memalloc_noio_restore(noio);
	}
	raizn_array_move(arr, RAIZN_ARRAY_RUNNING);
	raizn_rebuild_eased(arr);
	raizn_relocated_begin(arr);
	raizn_scrub_resume(arr);
}

/**
 * raizn_array_suspend() - make all data durable and mark the array clean
 * @arr:	array
 *
 * An array with a zone that could not be written to its end is not marked clean: the next
 * start recovers it.
 *
 * Context: process; no I/O to the array is under way.
 */
void raizn_array_suspend(struct raizn_array *arr)
{
	int err;

	/* No member is given up from here on. */
	spin_lock_irq(&arr->fail_lock);
	raizn_array_move(arr, RAIZN_ARRAY_SUSPENDING);
	spin_unlock_irq(&arr->fail_lock);
	wake_up(&arr->sync_wait);
	flush_workqueue(arr->rebuild_wq);
	if (!raizn_array_started(arr) || raizn_array_read_only(arr) || is_marked_clean(arr)) {
		raizn_array_move(arr, RAIZN_ARRAY_STOPPED);
		return;
	}
	quiesce(arr);
	err = raizn_array_failed(arr) ? -EIO : raizn_sync_all(arr);
	quiesce(arr);
	if (!err)
		raizn_spare_clean(arr);
	if (!err && !raizn_unwritable_zones(arr))
		err = raizn_general_tidy(arr);
	/* A member that fails in this write makes the other superblocks say not clean. */
	while (!err && !is_marked_clean(arr) && !raizn_unwritable_zones(arr)) {
		err = raizn_general_superblock(arr, true);
		flush_workqueue(arr->fail_wq);
	}
	if (err)
		DMERR("%s: stopped, but not cleanly: %d",
		      dm_device_name(arr->md), err);
	else
		raizn_array_move(arr, RAIZN_ARRAY_STOPPED);
}

/**
 * raizn_settings_change() - change a setting, and save it in the superblocks
 * @arr:	array
 * @name:	name of the setting
 * @number:	KiB a second and member, errors, RAIZN_AUTOSTART_*, or 1 for yes and 0 for no
 *
 * Context: process.  Return: 0, -ENOENT if there is no such setting or value, or -errno of
 * members; the setting is in force then.
 */
int raizn_settings_change(struct raizn_array *arr, const char *name, u32 number)
{
	if (!strcmp(name, "speed_min"))
		WRITE_ONCE(arr->background->speed_min, number);
	else if (!strcmp(name, "speed_max"))
		WRITE_ONCE(arr->background->speed_max, number);
	else if (!strcmp(name, "error_limit"))
		WRITE_ONCE(arr->error_limit, number);
	else if (!strcmp(name, "trust_buffers") && number <= 1)
		WRITE_ONCE(arr->trust_buffers, number);
	else if (!strcmp(name, "autostart"))
		WRITE_ONCE(arr->autostart, number);
	else
		return -ENOENT;
	return raizn_general_settings(arr);
}
