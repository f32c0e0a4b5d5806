// SPDX-License-Identifier: GPL-2.0
/*
 * Making a drive empty.
 */
#include "erase.h"
#include "signature.h"
#include "tool.h"

/* Zones that are reset by one call of the kernel: it tells nothing before its end. */
#define ZONES_AT_ONCE	32U

u32 candidate_written_zones(const struct candidate *candidate)
{
	u32 nr = 0, i;

	for (i = candidate->member.first_zone;
	     i < candidate->member.drive.nr_zones; i++)
		nr += !zbd_zone_empty(&candidate->zones[i]);
	return nr;
}

/* The end of the zones from @first on that one call resets. */
static u32 end_of_run(const struct candidate *candidate, u32 first, u32 at_once)
{
	u32 nr_zones = candidate->member.drive.nr_zones, end = first;

	while (end < nr_zones && end - first < at_once &&
	       !zbd_zone_empty(&candidate->zones[end]))
		end++;
	return end;
}

/* Reset sequential zones that are not empty. */
static int reset_zones(int fd, const struct candidate *candidate,
		       struct progress *progress)
{
	const struct drive *drive = &candidate->member.drive;
	const struct zbd_zone *zones = candidate->zones;
	u32 first = candidate->member.first_zone, end, at_once = ZONES_AT_ONCE;
	u64 start, len;

	/* Many drives reset all of their zones as fast as one. */
	if (candidate_written_zones(candidate) == drive->nr_zones)
		at_once = drive->nr_zones;
	for (; first < drive->nr_zones; first = end) {
		end = first + 1;
		if (zbd_zone_empty(&zones[first]))
			continue;
		end = end_of_run(candidate, first, at_once);
		start = zones[first].start;
		len = zones[end - 1].start + zones[end - 1].len - start;
		if (zbd_reset_zones(fd, start, len))
			return fail(TOOL_FAILED,
				    "%s: zones %u to %u cannot be reset: %m; see the kernel log",
				    drive->path, first, end - 1);
		progress_add(progress, end - first);
	}
	return TOOL_OK;
}

int candidate_erase(const struct candidate *candidate, int fd,
		    struct progress *progress)
{
	int ret;

	ret = reset_zones(fd, candidate, progress);
	if (!ret && candidate->member.first_zone)
		ret = signature_wipe(candidate->member.drive.path);
	return ret;
}
