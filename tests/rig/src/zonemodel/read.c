// SPDX-License-Identifier: GPL-2.0
/*
 * Reads, and verification of all that is there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "zonemodel.h"

void read_owned(struct thread *t, u64 sector, u64 nr, int flags,
		const char *how)
{
	u8 *buf = some_place(t, t->rbuf);
	struct iovec iov[4];
	int n = make_iovec(t, iov, buf, nr * SECTOR);
	ssize_t ret;

	memset(buf, 0xee, nr * SECTOR);
	ret = preadv2(dev.fd, iov, n, sector * SECTOR, flags);
	if (ret < 0 && errno == EAGAIN && flags & RWF_NOWAIT)
		return;
	if (ret != (ssize_t)(nr * SECTOR))
		fail(&zones[sector / dev.zone_size - set.first_zone],
		     "%s at sector %" PRIu64 "+%" PRIu64 ": %s", how, sector,
		     nr, ret < 0 ? strerror(errno) : "short");
	check_data(buf, sector, nr, how);
	t->count[flags & RWF_NOWAIT ? C_READ_NOWAIT : C_READ]++;
}

void op_read(struct thread *t, struct zone *z)
{
	u64 owned_end = zones[t->first + t->nr - 1].start + dev.zone_size;
	u64 nr = some_length(t, BUF_BYTES / SECTOR), sector;

	switch (below(t, 10)) {
	case 0:			/* anywhere, also behind the capacity */
		sector = z->start + below(t, dev.zone_size / dev.unit) * dev.unit;
		break;
	case 1:			/* across the end of the zone */
		sector = z->start + dev.zone_size - (1 + below(t, nr / dev.unit)) * dev.unit;
		break;
	case 2 ... 3:		/* across the write pointer */
		sector = z->start + z->wp;
		sector -= (z->wp < nr ? below(t, z->wp / dev.unit + 1) :
			   below(t, nr / dev.unit + 1)) * dev.unit;
		break;
	default:
		sector = z->start + below(t, (z->wp ? z->wp : z->cap) / dev.unit) *
			dev.unit;
		break;
	}
	if (sector + nr > owned_end)
		nr = owned_end - sector;
	if (nr)
		read_owned(t, sector, nr, percent(t, 20) ? RWF_NOWAIT : 0,
			   "read");
}

/* A zone someone else works on at the moment. */
void op_read_other(struct thread *t)
{
	struct zone *z = &zones[below(t, nr_zones)];
	u64 gen, gen_after, wp, from, nr, i;
	u64 word;
	ssize_t ret;

	if (z >= &zones[t->first] && z < &zones[t->first + t->nr])
		return;
	gen = atomic_load(&z->seen_gen);
	wp = atomic_load(&z->seen_wp);
	if (gen != atomic_load(&z->seen_gen))
		return;
	from = wp < 256 ? 0 : wp - 128 - below(t, (wp - 128) / dev.unit) * dev.unit;
	from -= from % dev.unit;
	nr = some_length(t, z->cap - from);
	ret = pread(dev.fd, t->rbuf, nr * SECTOR, (z->start + from) * SECTOR);
	if (ret != (ssize_t)(nr * SECTOR))
		fail(z, "foreign read of zone %u at %" PRIu64 "+%" PRIu64 ": %s",
		     z->number, from, nr, ret < 0 ? strerror(errno) : "short");
	gen_after = atomic_load(&z->seen_gen);
	for (i = 0; i < nr; i++) {
		u64 want[SECTOR / sizeof(u64)], g;
		char is[80];

		memcpy(&word, t->rbuf + i * SECTOR, sizeof(word));
		describe(is, sizeof(is), (u64 *)(t->rbuf + i * SECTOR));
		if (gen == gen_after && from + i < wp) {
			make_sector(want, z, gen, from + i);
			if (memcmp(want, t->rbuf + i * SECTOR, SECTOR))
				fail(z, "foreign read of zone %u: sector %" PRIu64 " was written, reads %s",
				     z->number, from + i, is);
			continue;
		}
		/* A reset may have overtaken the read: it got to the drive. */
		if (!word || (word == UINT64_MAX &&
			      (!dev.strict || gen != gen_after || !wp)))
			continue;
		for (g = gen ? gen - 1 : 0; g <= gen_after; g++)
			if (word == tag(z, g, from + i))
				break;
		if (g > gen_after)
			fail(z, "foreign read of zone %u: sector %" PRIu64 " reads %s",
			     z->number, from + i, is);
	}
	t->count[C_READ_OTHER]++;
}

void verify_zone(struct thread *t, struct zone *z)
{
	u64 step = BUF_BYTES / SECTOR, end, at, nr;

	check_zone(z, "verify");
	/* All the data, and something of what follows. */
	end = z->wp + 512 < dev.zone_size ? z->wp + 512 : dev.zone_size;
	for (at = 0; at < end; at += nr) {
		nr = end - at < step ? end - at : step;
		memset(t->rbuf, 0xee, nr * SECTOR);
		if (pread(dev.fd, t->rbuf, nr * SECTOR, (z->start + at) * SECTOR) !=
		    (ssize_t)(nr * SECTOR))
			fail(z, "verify: read of zone %u at %" PRIu64 "+%" PRIu64 ": %s",
			     z->number, at, nr, strerror(errno));
		check_data(t->rbuf, z->start + at, nr, "verify");
	}
}

void verify_all(struct thread *t)
{
	u32 i;

	for (i = 0; i < nr_zones; i++)
		verify_zone(t, &zones[i]);
	t->count[C_VERIFY]++;
}
