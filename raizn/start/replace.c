// SPDX-License-Identifier: GPL-2.0
/*
 * A drive takes the place of a failed member: a blank drive, a copy of the member, or the member
 * itself that is back.  Done by a table reload, so no I/O is under way.
 *
 *   crash after		the next start
 *   unusable zones disowned	goes on without the member, which may be back later
 *   old marks removed		the same: marks concern members that are being rebuilt
 *   zones with old data reset	goes on without the member: the others call it failed
 *   fresh log on the drive	the same: no other member has its superblock
 *   its superblock on some	the same, or as below; nothing else was changed
 *   ... on all			has a member that is being rebuilt
 *   columns called nowhere	the same; their member zones are in no map, and are emptied
 *   whole columns marked	the same; these columns count.  RAIZN_ZONE_TRUNCATED is gone
 *				if no member is failed, see raizn_general_joined()
 *
 * On a member that is back, zones count if its log has their generation, unless the zone
 * was recovered without the member: then its column may be of a past that the others have
 * left.  See RAIZN_ZONE_TRUNCATED.
 */
#include <linux/uuid.h>

#include "assemble.h"

static int check_blank(struct raizn_probe *p)
{
	u32 i;

	for (i = p->first_zone; i < p->nr_zones; i++) {
		if (!p->extents[i])
			continue;
		DMERR("%pg: zone %u is not empty: a drive that is not a member of this array must be empty to become one",
		      p->bdev, i);
		return -EINVAL;
	}
	return 0;
}

static int check_limits(struct raizn_array *arr, struct raizn_probe *p)
{
	u32 active = bdev_max_active_zones(p->bdev);
	u32 open = bdev_max_open_zones(p->bdev);
	u32 granularity = bdev_zone_write_granularity(p->bdev) >> SECTOR_SHIFT;

	if (granularity > arr->granularity) {
		DMERR("%pg: takes writes of multiples of %u sectors, the array's are of %u",
		      p->bdev, granularity, arr->granularity);
		return -EINVAL;
	}
	if ((!active || active >= arr->max_active + RAIZN_MD_ACTIVE_ZONES) &&
	    (!open || open >= arr->max_open + RAIZN_MD_ACTIVE_ZONES))
		return 0;
	DMERR("%pg: allows %u active and %u open zones, the array needs %u and %u",
	      p->bdev, active, open, arr->max_active + RAIZN_MD_ACTIVE_ZONES,
	      arr->max_open + RAIZN_MD_ACTIVE_ZONES);
	return -EINVAL;
}

/*
 * Each log needs a log zone, and both need one more to switch.  The contents of a former
 * member's other log zones are dropped, those of its general log only once it has a new
 * one: see clear_logs().
 */
static bool has_log_zones(const struct raizn_member *m)
{
	u32 nr = 0, general = 0;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		general += m->reserved[i] == RAIZN_USE_GENERAL;
		nr += m->reserved[i] == RAIZN_USE_FREE ||
		      m->reserved[i] == RAIZN_USE_DIRTY ||
		      m->reserved[i] == RAIZN_USE_STALE ||
		      m->reserved[i] == RAIZN_USE_VOID_PP;
	}
	return nr >= 2 && nr + general >= 3;
}

/*
 * User space copies the zones of a member to another drive, and writes a log there with the zone
 * states that the member knew.  In the same start the copy counts as the member itself would.
 * Later zones may have been recovered without the member; see RAIZN_ZONE_TRUNCATED.
 */
static bool is_copy(const struct raizn_array *arr, u32 slot,
		    const struct raizn_superblock *sb)
{
	if (!memcmp(sb->member_uuid, arr->members[slot].uuid, RAIZN_UUID_SIZE))
		return false;
	return sb->start == arr->sb.start &&
	       !memcmp(sb->copy_of, arr->members[slot].uuid, RAIZN_UUID_SIZE);
}

/* Check that the drive was the member in the slot, or is its copy, and read its logs. */
static int check_former(struct raizn_array *arr, u32 slot, struct raizn_probe *p,
			struct raizn_member *m)
{
	const struct raizn_superblock *sb = raizn_probe_sb(p);
	u8 uuid[RAIZN_UUID_SIZE];
	int err;

	if (memcmp(p->sb->array_uuid, arr->uuid, RAIZN_UUID_SIZE) ||
	    le16_to_cpu(p->sb->member) != slot ||
	    (memcmp(sb->member_uuid, arr->members[slot].uuid, RAIZN_UUID_SIZE) &&
	     !is_copy(arr, slot, sb))) {
		DMERR("%pg: carries a superblock of member %u of array %pU, which is not member %u of this array: empty the drive to use it",
		      p->bdev, le16_to_cpu(p->sb->member), p->sb->array_uuid,
		      slot);
		return -EINVAL;
	}
	memcpy(uuid, sb->member_uuid, RAIZN_UUID_SIZE);
	p->slot = slot;
	err = raizn_log_replay(arr, p, m);
	raizn_probe_tell(p);
	/* The states of the zones that the member knew are in no other log. */
	if (!err && p->partial) {
		DMERR("%pg: the drive cannot read all of its general log, which tells what it holds: empty the drive to use it",
		      p->bdev);
		return -ENODATA;
	}
	/* The log may hold a newer superblock. */
	sb = raizn_probe_sb(p);
	if (!err && (memcmp(sb->member_uuid, uuid, RAIZN_UUID_SIZE) ||
		     memcmp(sb->members[slot].uuid, uuid, RAIZN_UUID_SIZE)))
		err = -EUCLEAN;
	if (err == -EUCLEAN)
		DMERR("%pg: its logs make no sense: empty the drive to use it",
		      p->bdev);
	else if (err && err != -EOPNOTSUPP)
		DMERR("%pg: its logs cannot be read: %d", p->bdev, err);
	if (err)
		return err;
	if (raizn_probe_forbids_writing(p))
		return -EOPNOTSUPP;
	if (has_log_zones(m))
		return 0;
	DMERR("%pg: too few of its log zones can be written", p->bdev);
	return -EROFS;
}

static int probe_candidate(struct raizn_array *arr, u32 slot,
			   struct raizn_probe *p, struct raizn_member *m)
{
	int err;

	p->may_be_blank = true;
	err = raizn_probe_device(p);
	raizn_probe_tell(p);
	if (!err)
		err = raizn_probe_fits(arr, p);
	if (!err)
		err = check_limits(arr, p);
	if (!err && bdev_read_only(p->bdev)) {
		DMERR("%pg: is read-only", p->bdev);
		err = -EROFS;
	}
	if (!err)
		err = p->sb ? check_former(arr, slot, p, m) : check_blank(p);
	return err;
}

/**
 * struct candidate - scratch member for the contents of a drive
 * @member:	the member that it would become
 * @general:	its general log
 * @pp:		its partial-parity log
 */
struct candidate {
	struct raizn_member member;
	struct raizn_log general;
	struct raizn_log pp;
};

/**
 * raizn_replace_check() - can a drive take the place of a member?
 * @arr:	array
 * @slot:	slot of the member, which is not live
 * @bdev:	the drive
 *
 * Reads only.  Context: process.  Return: 0 or -errno.
 */
int raizn_replace_check(struct raizn_array *arr, u32 slot,
			struct block_device *bdev)
{
	/* Another table may be taking in the member itself at this moment. */
	struct candidate *c = kzalloc(sizeof(*c), GFP_KERNEL);
	struct raizn_probe p = { .bdev = bdev };
	int err;

	if (!c)
		return -ENOMEM;
	c->member.general = &c->general;
	c->member.pp = &c->pp;
	err = probe_candidate(arr, slot, &p, &c->member);
	raizn_probe_free(&p);
	kfree(c);
	return err;
}

/* Reset log zones of a former member that do not count any more. */
static int clear_logs(struct raizn_member *m, const struct raizn_probe *p)
{
	int err = 0;

	if (!p->sb) {
		memset(m->reserved, RAIZN_USE_FREE, sizeof(m->reserved));
		m->general->epoch = 0;
		m->pp->epoch = 0;
		return 0;
	}
	err = raizn_drop_logs(m, RAIZN_USE_DIRTY);
	if (!err)
		err = raizn_drop_logs(m, RAIZN_USE_STALE);
	if (!err)
		err = raizn_drop_logs(m, RAIZN_USE_VOID_PP);
	return err;
}

static void come_alive(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	struct raizn_zone *z;
	u32 column, i;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		z = &arr->zones[i];
		column = raizn_zone_column(z, m->slot);
		WRITE_ONCE(z->missing, z->missing | BIT(column));
		WRITE_ONCE(z->failing, z->failing & ~BIT(column));
	}
	spin_lock_irq(&arr->fail_lock);
	raizn_errors_forget(m);
	WRITE_ONCE(arr->rebuilding, arr->rebuilding | BIT(m->slot));
	/* Pairs with raizn_member_state() and raizn_not_whole(). */
	smp_wmb();
	WRITE_ONCE(arr->dead, arr->dead & ~BIT(m->slot));
	spin_unlock_irq(&arr->fail_lock);
}

/*
 * May marks count that a start made when it left the member out?  Not if the drive lacks the last
 * superblock that the others know the member to have had: it was restored from a copy.  Not if it
 * was being rebuilt, either: its marks may be older than its loss.
 */
static bool may_have_kept(const struct raizn_array *arr, u32 slot,
			  const struct raizn_superblock *sb)
{
	return !is_copy(arr, slot, sb) &&
	       sb->members[slot].state == RAIZN_MEMBER_ACTIVE &&
	       le64_to_cpu(sb->event) >= le64_to_cpu(arr->sb.members[slot].event);
}

static int take_in(struct raizn_member *m, struct raizn_probe *p)
{
	struct raizn_array *arr = m->arr;
	bool same_era = p->sb && raizn_probe_sb(p)->era == arr->sb.era;
	const struct raizn_zone_state *known = same_era ? p->zones : NULL;
	bool keeps = p->sb && may_have_kept(arr, m->slot, raizn_probe_sb(p));
	u32 nr_physical = raizn_member_zones(&arr->geo, p->nr_zones);
	u32 i;
	int err;

	/* The superblocks call the slot failed. */
	err = raizn_settle(arr);
	if (!err)
		err = raizn_rebuild_disown(m, p->conds + arr->geo.first_zone, nr_physical,
					   known, p->sb);
	/* Marks of an earlier member in the slot must not make columns of this one count. */
	if (!err)
		err = raizn_general_mark(arr, BIT(m->slot),
					 keeps ? raizn_column_stays_kept : NULL, known);
	if (err)
		return err;
	raizn_member_set_device(m, p->bdev);
	m->zone_pad = p->capacity - arr->geo.member_zone_cap;
	arr->volatile_cache |= m->volatile_cache;
	/* The drive may hold data that no flush has covered. */
	atomic64_inc(&m->written);
	if ((u64)atomic64_read(&arr->seq) < p->seq)
		atomic64_set(&arr->seq, p->seq);
	raizn_log_idle(m->general);
	raizn_log_idle(m->pp);
	raizn_quarantine_forget(arr, BIT(m->slot));
	err = raizn_spare_init(m, nr_physical);
	if (err)
		return err;
	if (!p->sb)
		generate_random_uuid(m->uuid);
	else if (is_copy(arr, m->slot, raizn_probe_sb(p)))
		memcpy(m->uuid, raizn_probe_sb(p)->member_uuid, RAIZN_UUID_SIZE);
	come_alive(m);
	/* Zones that a rebuild has left partly written are on the drive before this one. */
	raizn_rebuild_forget_left(arr, m->slot);
	err = clear_logs(m, p);
	if (!err)
		err = raizn_rebuild_load(m, known, p->sb);
	if (!err)
		err = raizn_general_join(m);
	if (!err)
		err = raizn_pp_log_join(m);
	for (i = 0; !err && i < RAIZN_NR_LOG_ZONES; i++)
		if (m->reserved[i] == RAIZN_USE_GENERAL)
			m->reserved[i] = RAIZN_USE_DIRTY;
	if (!err)
		err = raizn_drop_logs(m, RAIZN_USE_DIRTY);
	/* With its logs complete, the list of spoilt rows may change. */
	if (!err && !p->sb)
		err = raizn_general_forget_member(m);
	else if (!err && arr->spoilt_unlogged)
		err = raizn_general_spoilt(arr);
	if (!err)
		err = raizn_rebuild_keep(m);
	/* With its logs complete, columns may count: those of empty zones, and whole ones. */
	if (!err)
		err = raizn_flush_members(arr);
	if (!err)
		err = raizn_general_joined(m, raizn_column_is_whole);
	if (err)
		memcpy(m->uuid, arr->sb.members[m->slot].uuid, RAIZN_UUID_SIZE);
	return err;
}

/**
 * raizn_replace_member() - put a drive in the place of a member
 * @arr:	array that is written and takes no I/O at the moment
 * @slot:	slot of the member, which is not live
 * @bdev:	the drive
 *
 * Context: process.  Return: 0 or -errno; the array goes on without the drive then.
 */
int raizn_replace_member(struct raizn_array *arr, u32 slot,
			 struct block_device *bdev)
{
	struct raizn_member *m = &arr->members[slot];
	struct raizn_probe p = { .bdev = bdev };
	int err;

	err = probe_candidate(arr, slot, &p, m);
	if (!err) {
		DMINFO("array %pU: %pg %s member %u", arr->uuid, bdev, !p.sb ? "becomes" :
		       is_copy(arr, slot, raizn_probe_sb(&p)) ? "is a copy and becomes" :
		       "is back as", slot);
		err = take_in(m, &p);
		if (err)
			raizn_member_failed(m, "becoming a member",
					    errno_to_blk_status(err));
	}
	raizn_probe_free(&p);
	return err;
}
