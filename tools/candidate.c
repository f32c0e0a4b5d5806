// SPDX-License-Identifier: GPL-2.0
/*
 * Drives that are to become members of an array, and what speaks against it.  Nothing here writes to a drive.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "candidate.h"
#include "confirm.h"
#include "holders.h"
#include "progress.h"
#include "same_drive.h"
#include "signature.h"
#include "text.h"
#include "tool.h"

static int check_model(const struct drive *drive)
{
	char zoned[32] = "none", dm_uuid[16];

	drive_attribute(drive, "queue/zoned", zoned, sizeof(zoned));
	if (!drive_is_host_managed(drive))
		return fail(TOOL_REFUSED,
			    "%s: not a host-managed zoned drive (zoned model: %s); give ZNS or HM-SMR drives",
			    drive->path, zoned);
	if (drive_attribute(drive, "dm/uuid", dm_uuid, sizeof(dm_uuid)) &&
	    !strncmp(dm_uuid, "RAIZN-", strlen("RAIZN-")))
		return fail(TOOL_REFUSED, "%s: the volume of an array itself; give drives",
			    drive->path);
	if (drive->block_size != 512 && drive->block_size != 4096)
		return fail(TOOL_REFUSED,
			    "%s: its logical block is %u bytes; only drives with 512 or 4096 can be members",
			    drive->path, drive->block_size);
	return TOOL_OK;
}

void candidate_release(struct candidate *candidate)
{
	if (candidate->hold >= 0)
		close(candidate->hold);
	candidate->hold = -1;
}

int candidate_hold(struct candidate *candidate)
{
	const struct drive *drive = &candidate->member.drive;
	char user[400];
	int read_only;

	candidate->hold = open(drive->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (candidate->hold < 0 && errno == EBUSY) {
		if (!find_owner(drive->dev, user, sizeof(user)) &&
		    !find_process(drive->dev, user, sizeof(user)))
			text_copy(user, sizeof(user), "held by the kernel");
		return fail(TOOL_REFUSED, "%s: in use: %s; free it first, or give another drive",
			    drive->path, user);
	}
	if (candidate->hold < 0)
		return fail(TOOL_FAILED, "%s: cannot be opened: %m; check the drive",
			    drive->path);
	if (!ioctl(candidate->hold, BLKROGET, &read_only) && read_only)
		return fail(TOOL_REFUSED,
			    "%s: read-only; 'blockdev --setrw' it if it should not be",
			    drive->path);
	return TOOL_OK;
}

static int check_limits(const struct drive *drive)
{
	bool open = drive->max_open && drive->max_open <= MD_ACTIVE_ZONES;
	bool active = drive->max_active && drive->max_active <= MD_ACTIVE_ZONES;

	if (open || active)
		return fail(TOOL_REFUSED,
			    "%s: takes only %u %s zones; a member needs at least %u, of which metadata uses %u",
			    drive->path,
			    active ? drive->max_active : drive->max_open,
			    active ? "active" : "open", MD_ACTIVE_ZONES + 1,
			    MD_ACTIVE_ZONES);
	if (drive->max_append < RAIZN_RECORD_MAX)
		return fail(TOOL_REFUSED,
			    "%s: takes zone appends of %s, metadata needs %s; see queue/zone_append_max_bytes and queue/max_sectors_kb in sysfs",
			    drive->path, size_text(drive->max_append).s,
			    size_text(RAIZN_RECORD_MAX).s);
	return TOOL_OK;
}

static int check_zone(struct candidate *candidate, u32 nr)
{
	const struct zbd_zone *zone = &candidate->zones[nr];
	const struct drive *drive = &candidate->member.drive;
	bool last = nr == drive->nr_zones - 1;
	struct size_pair holds;

	if (!zbd_zone_swr(zone))
		return fail(TOOL_REFUSED,
			    "%s: zone %u is not sequential, but zones before it are; only drives with all conventional zones at the front can be members",
			    drive->path, nr);
	if (zbd_zone_offline(zone) || zbd_zone_rdonly(zone))
		return fail(TOOL_REFUSED, "%s: zone %u is %s; give a drive whose zones all work",
			    drive->path, nr,
			    zbd_zone_offline(zone) ? "offline" : "read-only");
	if (nr == candidate->member.first_zone)
		candidate->capacity = zone->capacity >> 9;
	if (zone->len == drive->zone_size << 9 &&
	    zone->capacity == candidate->capacity << 9) {
		candidate->nr_usable++;
		return TOOL_OK;
	}
	if (last && candidate->nr_usable)
		return TOOL_OK;
	holds = sectors_apart(zone->capacity >> 9, candidate->capacity);
	return fail(TOOL_REFUSED,
		    "%s: zone %u can hold %s, zones before it %s; all zones of a member must be alike",
		    drive->path, nr, holds.a.s, holds.b.s);
}

static int check_zones(struct candidate *candidate)
{
	const struct drive *drive = &candidate->member.drive;
	u32 first = 0, i;
	int ret;

	candidate->zones = drive_report_all(drive);
	if (!candidate->zones)
		return TOOL_FAILED;
	while (first < drive->nr_zones && zbd_zone_cnv(&candidate->zones[first]))
		first++;
	candidate->member.first_zone = first;
	for (i = first; i < drive->nr_zones; i++) {
		ret = check_zone(candidate, i);
		if (ret)
			return ret;
	}
	if (!candidate->nr_usable)
		return fail(TOOL_REFUSED,
			    "%s: has no sequential zones; give a drive with sequential zones",
			    drive->path);
	return TOOL_OK;
}

[[gnu::format(printf, 2, 3)]]
static void add_loss(struct candidate *candidate, const char *format, ...)
{
	size_t at = strlen(candidate->destroys);
	size_t left = sizeof(candidate->destroys) - at;
	va_list args;

	if (at) {
		snprintf(candidate->destroys + at, left, ", ");
		at = strlen(candidate->destroys);
		left = sizeof(candidate->destroys) - at;
	}
	va_start(args, format);
	vsnprintf(candidate->destroys + at, left, format, args);
	va_end(args);
}

static void find_membership(struct candidate *candidate)
{
	const struct member *member = &candidate->member;

	if (member->has_sb && member->verdict == MEMBER_UNFINISHED)
		add_loss(candidate, "the unfinished array '%s' (%s)",
			 member->name, uuid_text(member->sb.array_uuid).s);
	else if (member->has_sb && member->verdict == MEMBER_UNSUPPORTED)
		add_loss(candidate, "a member of array '%s' (%s; %s)",
			 member->name, uuid_text(member->sb.array_uuid).s,
			 member->why);
	else if (member->has_sb)
		add_loss(candidate, "a member of array '%s' (%s%s)",
			 member->name, uuid_text(member->sb.array_uuid).s, member->partial ?
			 "; the drive cannot read all of its log, which tells what it has" : "");
	else if (member->verdict != MEMBER_NONE)
		add_loss(candidate, "a member of an array (%s)", member->why);
}

static void find_data(struct candidate *candidate)
{
	const struct member *member = &candidate->member;
	u32 nr_zones = member->drive.nr_zones, written = 0, i;

	for (i = member->first_zone; i < nr_zones; i++)
		written += !zbd_zone_empty(&candidate->zones[i]);
	if (written)
		add_loss(candidate, "data in %u of %u sequential zones", written,
			 nr_zones - member->first_zone);
}

static int find_signatures(struct candidate *candidate)
{
	char text[100];
	bool found;
	int ret;

	ret = signature_find(candidate->hold, candidate->member.drive.path,
			     &found, text, sizeof(text));
	if (!ret && found)
		add_loss(candidate, "%s", text);
	return ret;
}

static int check_content(struct candidate *candidate,
			 enum content_policy policy)
{
	const char *path = candidate->member.drive.path;
	int ret;

	find_membership(candidate);
	find_data(candidate);
	ret = find_signatures(candidate);
	if (ret || !*candidate->destroys)
		return ret;
	if (policy == CONTENT_DESTROY)
		return TOOL_OK;
	if (policy == CONTENT_ASK && isatty(STDIN_FILENO))
		return confirm(false, "%s holds %s; all of that is destroyed",
			       path, candidate->destroys);
	return fail(TOOL_REFUSED, "%s: holds %s; use --force to destroy it",
		    path, candidate->destroys);
}

static int check_drive(struct candidate *candidate)
{
	int ret;

	ret = check_model(&candidate->member.drive);
	if (!ret)
		ret = candidate_hold(candidate);
	if (!ret)
		ret = check_limits(&candidate->member.drive);
	if (!ret)
		ret = check_zones(candidate);
	return ret;
}

static int check_candidate(struct candidate *candidate, bool force)
{
	int ret;

	ret = check_drive(candidate);
	if (ret)
		return ret;
	return check_content(candidate, force ? CONTENT_DESTROY : CONTENT_REFUSE);
}

/* Two paths to a drive show the same member; so does a copy of a drive. */
static bool is_same_member(const struct member *a, const struct member *b)
{
	return a->verdict == MEMBER_SOUND && b->verdict == MEMBER_SOUND &&
	       !memcmp(member_sb(a)->member_uuid, member_sb(b)->member_uuid, RAIZN_UUID_SIZE);
}

/* Namespaces of one drive have its serial number, as have paths to it. */
static bool is_same_serial(const struct drive *a, const struct drive *b)
{
	return *a->serial && !strcmp(a->serial, b->serial) && !strcmp(a->model, b->model);
}

static int check_twins(const struct candidate *candidates, u32 nr, bool force)
{
	const struct drive *a = &candidates[nr].member.drive;
	char node[64];
	u32 i;

	for (i = 0; i < nr; i++) {
		const struct drive *b = &candidates[i].member.drive;

		if (a->dev == b->dev ||
		    (*a->wwid && !strcmp(a->wwid, b->wwid)))
			return fail(TOOL_REFUSED, "%s: the same drive as %s; name each drive once",
				    a->path, b->path);
		if (drive_shared(a->dev, b->dev, node, sizeof(node)))
			return fail(TOOL_REFUSED,
				    "%s: on the drive %s, as is %s; give drives that fail one by one",
				    a->path, node, b->path);
		if (is_same_member(&candidates[nr].member, &candidates[i].member))
			return fail(TOOL_REFUSED,
				    "%s: has the metadata of the same member as %s: the same drive, or a copy; name each drive once, or reset the zones of a copy",
				    a->path, b->path);
		if (!force && is_same_serial(a, b))
			return fail(TOOL_REFUSED,
				    "%s: has the serial number of %s (%s): name each drive once; --force takes several namespaces of one drive, which fail together",
				    a->path, b->path, a->serial);
	}
	return TOOL_OK;
}

/* All members of an array are alike in all that placement needs, but may have more zones. */
static int check_alike(const struct candidate *a, const struct candidate *b)
{
	const struct drive *da = &a->member.drive, *db = &b->member.drive;
	struct size_pair zone = sectors_apart(da->zone_size, db->zone_size);
	struct size_pair capacity = sectors_apart(a->capacity, b->capacity);

	if (da->zone_size != db->zone_size)
		return fail(TOOL_REFUSED,
			    "%s: its zone size is %s, %s has %s; all drives of an array must be alike",
			    db->path, zone.b.s, da->path, zone.a.s);
	if (a->capacity != b->capacity)
		return fail(TOOL_REFUSED,
			    "%s: its zone capacity is %s, %s has %s; all drives of an array must be alike",
			    db->path, capacity.b.s, da->path, capacity.a.s);
	if (da->block_size != db->block_size)
		return fail(TOOL_REFUSED,
			    "%s: its logical block is %u bytes, %s has %u; all drives of an array must be alike",
			    db->path, db->block_size, da->path, da->block_size);
	if (a->member.first_zone != b->member.first_zone)
		return fail(TOOL_REFUSED,
			    "%s: it has %u conventional zones, %s has %u; all drives of an array must be alike",
			    db->path, b->member.first_zone, da->path, a->member.first_zone);
	return TOOL_OK;
}

/* A drive and its zones may be larger than what they replace, and allow more. */
static int check_fits(const struct candidate *candidate,
		      const struct vacancy *vacancy)
{
	const struct raizn_geometry *geo = &vacancy->like->geo;
	const struct raizn_superblock *sb = member_sb(vacancy->like);
	const struct drive *drive = &candidate->member.drive;
	u32 nr_zones = raizn_common_zones(geo);
	u32 active = vacancy->max_active + MD_ACTIVE_ZONES;
	u32 open = vacancy->max_open + MD_ACTIVE_ZONES;
	u64 capacity = le64_to_cpu(sb->zone_capacity);
	u32 block_size = le32_to_cpu(sb->block_size);
	struct size_pair zone = sectors_apart(drive->zone_size, geo->member_zone_size);
	struct size_pair holds = sectors_apart(candidate->capacity, capacity);

	if (drive->zone_size != geo->member_zone_size)
		return fail(TOOL_REFUSED,
			    "%s: its zone size is %s, the array's drives have %s; give a drive with zones of that size",
			    drive->path, zone.a.s, zone.b.s);
	if (candidate->capacity < capacity)
		return fail(TOOL_REFUSED,
			    "%s: its zone capacity is %s, the array needs %s; give a drive with zones of at least that capacity",
			    drive->path, holds.a.s, holds.b.s);
	if (drive->block_size != block_size)
		return fail(TOOL_REFUSED,
			    "%s: its logical block is %u bytes, the array's drives have %u; format it to that, or give another drive",
			    drive->path, drive->block_size, block_size);
	if (drive->write_granularity > vacancy->write_granularity)
		return fail(TOOL_REFUSED,
			    "%s: it takes writes of multiples of %u bytes, the array's drives of %u; give another drive",
			    drive->path, drive->write_granularity,
			    vacancy->write_granularity);
	if (candidate->member.first_zone != geo->first_zone)
		return fail(TOOL_REFUSED,
			    "%s: it has %u conventional zones, the array's drives have %u; give a drive with as many",
			    drive->path, candidate->member.first_zone,
			    geo->first_zone);
	if (candidate->nr_usable < nr_zones)
		return fail(TOOL_REFUSED,
			    "%s: too small: it has %u sequential zones, the array needs %u; give a drive with at least as many",
			    drive->path, candidate->nr_usable, nr_zones);
	if (drive->max_active && drive->max_active < active)
		return fail(TOOL_REFUSED,
			    "%s: takes only %u active zones, the array uses up to %u; give a drive that takes as many",
			    drive->path, drive->max_active, active);
	if (drive->max_open && drive->max_open < open)
		return fail(TOOL_REFUSED,
			    "%s: takes only %u open zones, the array uses up to %u; give a drive that takes as many",
			    drive->path, drive->max_open, open);
	return TOOL_OK;
}

bool vacancy_is_former(const struct vacancy *vacancy,
		       const struct member *member)
{
	const struct raizn_superblock *sb = member_sb(vacancy->like);

	return member->verdict == MEMBER_SOUND && !member->partial &&
	       member_is_of(member, vacancy->like->sb.array_uuid) &&
	       member->slot == vacancy->slot &&
	       !memcmp(member_sb(member)->member_uuid,
		       sb->members[vacancy->slot].uuid, RAIZN_UUID_SIZE);
}

static int check_for(struct candidate *candidate, const struct vacancy *vacancy,
		     bool keep, enum content_policy policy)
{
	int ret;

	if (keep && vacancy_is_former(vacancy, &candidate->member))
		return candidate_hold(candidate);
	ret = check_drive(candidate);
	if (!ret)
		ret = check_fits(candidate, vacancy);
	return ret ? ret : check_content(candidate, policy);
}

int candidate_open_for(const char *path, const struct vacancy *vacancy,
		       bool keep, enum content_policy policy,
		       struct candidate **result)
{
	struct candidate *candidate = calloc(1, sizeof(*candidate));
	int ret;

	*result = NULL;
	if (!candidate)
		return fail_memory();
	candidate->hold = -1;
	candidate->member.drive.fd = -1;
	ret = member_open(&candidate->member, path);
	if (!ret)
		ret = check_for(candidate, vacancy, keep, policy);
	if (ret)
		candidates_close(candidate, 1);
	else
		*result = candidate;
	return ret;
}

static void keep_first(int *first, int ret)
{
	if (!*first)
		*first = ret;
}

int candidates_open(char *const *paths, u32 nr, bool force,
		    struct candidate **result)
{
	struct candidate *candidates;
	struct progress progress;
	int ret = TOOL_OK;
	u32 i;

	*result = NULL;
	candidates = calloc(nr, sizeof(*candidates));
	if (!candidates)
		return fail_memory();
	for (i = 0; i < nr; i++) {
		candidates[i].hold = -1;
		candidates[i].member.drive.fd = -1;
	}
	for (i = 0; i < nr; i++) {
		keep_first(&ret, member_open(&candidates[i].member, paths[i]));
		if (candidates[i].member.drive.dev)
			keep_first(&ret, check_twins(candidates, i, force));
	}
	if (ret)	/* the same drive twice would look like one in use */
		goto out;
	progress_begin(&progress, (struct amount) {
			       .unit = AMOUNT_DRIVES, .total = nr },
		       "examining drives");
	for (i = 0; i < nr; i++) {
		keep_first(&ret, check_candidate(&candidates[i], force));
		progress_add(&progress, 1);
	}
	progress_end(&progress);
	for (i = 1; i < nr && !ret; i++)
		ret = check_alike(&candidates[0], &candidates[i]);
out:
	if (ret)
		candidates_close(candidates, nr);
	else
		*result = candidates;
	return ret;
}

void candidates_close(struct candidate *candidates, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		candidate_release(&candidates[i]);
		free(candidates[i].zones);
		member_close(&candidates[i].member);
	}
	free(candidates);
}
