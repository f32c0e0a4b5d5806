// SPDX-License-Identifier: GPL-2.0
/*
 * Making a drive empty.
 */
#include "erase.h"
#include "signature.h"
#include "tool.h"

/* Reset every run of sequential zones that are not empty. */
static int reset_zones(int fd, const struct candidate *candidate)
{
	const struct drive *drive = &candidate->member.drive;
	const struct zbd_zone *zones = candidate->zones;
	u32 first = candidate->member.first_zone, end;
	u64 start, len;

	for (; first < drive->nr_zones; first = end) {
		end = first + 1;
		if (zbd_zone_empty(&zones[first]))
			continue;
		while (end < drive->nr_zones && !zbd_zone_empty(&zones[end]))
			end++;
		start = zones[first].start;
		len = zones[end - 1].start + zones[end - 1].len - start;
		if (zbd_reset_zones(fd, start, len))
			return fail(TOOL_FAILED,
				    "%s: zones %u to %u can not be reset: %m; see the kernel log",
				    drive->path, first, end - 1);
	}
	return TOOL_OK;
}

int candidate_erase(const struct candidate *candidate, int fd)
{
	int ret;

	ret = reset_zones(fd, candidate);
	if (!ret && candidate->member.first_zone)
		ret = signature_wipe(candidate->member.drive.path);
	return ret;
}
