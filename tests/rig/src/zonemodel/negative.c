// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that must fail, and change nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <string.h>
#include <unistd.h>

#include "zonemodel.h"

static void must_fail(struct thread *t, struct zone *z, u64 offset, u64 bytes,
		      int want, const char *what)
{
	ssize_t ret;
	u64 at;

	memset(t->wbuf, 0xbb, bytes);
	record(z, "must fail: %s, %" PRIu64 " bytes +%" PRIu64, what, offset,
	       bytes);
	ret = pwrite(dev.fd, t->wbuf, bytes, z->start * SECTOR + offset);
	if (ret >= 0)
		fail(z, "%s: write of zone %u at byte %" PRIu64 "+%" PRIu64 " succeeded",
		     what, z->number, offset, bytes);
	if (errno != want)
		fail(z, "%s: write of zone %u fails with '%s', not '%s'", what,
		     z->number, strerror(errno), strerror(want));
	/* On a plain drive the report is also what mends the zone's write
	 * plug. The array needs no such thing.
	 */
	if (!dev.strict || percent(t, 70))
		check_zone(z, what);
	/* What is around it? */
	at = offset / SECTOR / dev.unit * dev.unit;
	at = at > 16 * dev.unit ? at - 16 * dev.unit : 0;
	read_owned(t, z->start + at,
		   dev.zone_size - at < 64 * dev.unit ? dev.zone_size - at : 64 * dev.unit, 0,
		   what);
}

static void range_must_fail(struct zone *z, unsigned long request, u64 sector,
			    u64 nr, const char *what)
{
	int error = zone_ioctl(request, sector, nr);

	if (error != EINVAL)
		fail(z, "%s: result is '%s', not '%s'", what,
		     strerror(error), strerror(EINVAL));
	check_zone(z, what);
}

void op_negative(struct thread *t, struct zone *z)
{
	u64 len = (1 + below(t, SMALL_BYTES / SECTOR / dev.unit)) * dev.unit;
	u64 left, at;

	switch (below(t, 8)) {
	case 0:			/* behind the write pointer */
		if (z->state == FULL || z->cap - z->wp <= dev.unit)
			return;
		at = z->wp + (1 + below(t, (z->cap - z->wp) / dev.unit - 1)) * dev.unit;
		if (at + len > z->cap)
			len = z->cap - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write behind the write pointer");
		break;
	case 1:			/* before the write pointer */
		if (!z->wp)
			return;
		at = below(t, z->wp / dev.unit) * dev.unit;
		if (at + len > z->cap)
			len = z->cap - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write before the write pointer");
		break;
	case 2:			/* beyond the capacity, from the write pointer */
		left = z->cap - z->wp;
		if (!is_active(z) || left * SECTOR >= SMALL_BYTES)
			return;
		if (z->wp + left + dev.unit > dev.zone_size)
			return;	/* the block layer, or device mapper, may split it */
		must_fail(t, z, z->wp * SECTOR, (left + dev.unit) * SECTOR, EIO,
			  "write beyond the capacity");
		break;
	case 3:			/* into the gap */
		if (z->cap == dev.zone_size)
			return;
		at = z->cap + below(t, (dev.zone_size - z->cap) / dev.unit) * dev.unit;
		if (at + len > dev.zone_size)
			len = dev.zone_size - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write behind the capacity");
		break;
	case 4:
		if (z->state != FULL)
			return;
		at = percent(t, 50) ? 0 : z->cap - dev.unit;
		if (at + len > z->cap)
			len = z->cap - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write to a full zone");
		break;
	case 5:			/* the block layer refuses parts of logical blocks */
		if (dev.unit > 1)
			must_fail(t, z, z->wp * SECTOR, SECTOR,
				  dev.block > 1 ? EINVAL : EIO,
				  "write of less than a block");
		else
			must_fail(t, z, z->wp * SECTOR, 100, EINVAL,
				  "write of less than a block");
		break;
	case 6:
		if (dev.unit > 1)
			must_fail(t, z, (z->wp + 1) * SECTOR, dev.unit * SECTOR,
				  dev.block > 1 ? EINVAL : EIO,
				  "write between blocks");
		break;
	default:
		range_must_fail(z, BLKRESETZONE, z->start + dev.unit, dev.zone_size,
				"reset of a part of a zone");
		range_must_fail(z, BLKFINISHZONE, z->start, dev.zone_size / 2,
				"finish of a part of a zone");
		range_must_fail(z, BLKOPENZONE, dev.size, dev.zone_size,
				"open behind the end");
		range_must_fail(z, BLKRESETZONE, z->start,
				dev.size - z->start + dev.zone_size,
				"reset across the end");
		break;
	}
	t->count[C_NEGATIVE]++;
}
