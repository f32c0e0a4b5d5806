// SPDX-License-Identifier: GPL-2.0
/*
 * What each zone may and must hold.
 *
 * After a power cut the write pointer of a zone is anywhere from what was
 * durable to what was sent, and below it is exactly what was written.  A reset
 * or finish that was not acknowledged was done as a whole or not at all; one
 * that was acknowledged is done.  What the verification finds is what holds
 * from then on, and it is durable: somebody has seen it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "model.h"

#define CHUNK	2048U		/* sectors read at once */

struct zone zones[MAX_ZONES];
pthread_mutex_t model_lock = PTHREAD_MUTEX_INITIALIZER;
u32 nr_active, nr_explicit;

static u8 *chunk;
static const char *moment = "after start";	/* of the verification */

/* ---- history --------------------------------------------------------------- */

void model_record(u32 number, const char *format, ...)
{
	struct zone *z = &zones[number];
	va_list args;

	va_start(args, format);
	vsnprintf(z->history[z->nr_history++ % HISTORY],
		  sizeof(z->history[0]), format, args);
	va_end(args);
}

void model_print(u32 number)
{
	static const char * const pending[] = {
		"", ", reset under way", ", reset of all under way",
		", finish under way"
	};
	const struct zone *z = &zones[number];
	unsigned int i = z->nr_history > HISTORY ? z->nr_history - HISTORY : 0;

	fprintf(stderr, "zone %u by the model: durable %" PRIu64
		", acknowledged %" PRIu64 ", sent %" PRIu64 " of %" PRIu64
		"%s%s; version %u\n", number, z->durable, z->acked, z->issued,
		shape.cap, z->finished ? ", finished" : "", pending[z->pending],
		z->version);
	fprintf(stderr, "  written since:");
	for (u32 s = 0; s < z->nr_segments; s++)
		fprintf(stderr, " %u:v%u", z->segment[s].from,
			z->segment[s].version);
	fputc('\n', stderr);
	for (; i < z->nr_history; i++)
		fprintf(stderr, "  %s\n", z->history[i % HISTORY]);
}

/* ---- data ------------------------------------------------------------------ */

static u32 version_at(const struct zone *z, u64 sector)
{
	u32 i = z->nr_segments;

	while (i && z->segment[i - 1].from > sector)
		i--;
	return i ? z->segment[i - 1].version : 0;
}

/* First word of a sector: 0x5a, zone, version, sector in the zone. */
static u64 tag(u32 number, u32 version, u64 sector)
{
	return 0x5aULL << 56 | (u64)(number & 0xff) << 48 |
	       (u64)(version & 0xffffff) << 24 | (sector & 0xffffff);
}

static void make_sector(u64 *words, u32 number, u32 version, u64 sector)
{
	u64 first = tag(number, version, sector);
	u64 h = mix(first ^ set.seed);
	unsigned int i;

	words[0] = first;
	for (i = 1; i < SECTOR / sizeof(*words); i++) {
		h += 0x9e3779b97f4a7c15ULL;
		words[i] = h ^ h >> 29;
	}
}

void make_data(u8 *buf, u32 number, u64 sector, u64 nr)
{
	const struct zone *z = &zones[number];

	for (; nr; nr--, sector++, buf += SECTOR)
		make_sector((u64 *)buf, number, version_at(z, sector), sector);
}

static void describe(char *text, size_t size, const u64 *words, u32 number)
{
	u64 w = words[0];
	unsigned int i;

	for (i = 0; i < SECTOR / sizeof(*words) && !words[i]; i++)
		;
	if (i == SECTOR / sizeof(*words))
		snprintf(text, size, "zeros");
	else if (w >> 56 != 0x5a)
		snprintf(text, size, "foreign data %016" PRIx64, w);
	else
		snprintf(text, size, "data of %szone %u, version %u, sector %u",
			 ((w >> 48) & 0xff) == number ? "this " : "",
			 (u32)(w >> 48) & 0xff, (u32)(w >> 24) & 0xffffff,
			 (u32)w & 0xffffff);
}

/* Checks what was read; from @wp on there must be zeros. */
void check_data(const u8 *buf, u32 number, u64 sector, u64 nr, u64 wp,
		const char *how)
{
	for (; nr; nr--, sector++, buf += SECTOR) {
		u64 want[SECTOR / sizeof(u64)] = { 0 };
		u32 version = version_at(&zones[number], sector);
		char is[80];

		if (sector < wp)
			make_sector(want, number, version, sector);
		if (!memcmp(buf, want, SECTOR))
			continue;
		describe(is, sizeof(is), (const u64 *)buf, number);
		model_print(number);
		if (sector < wp)
			fail("%s: zone %u sector %" PRIu64 " (write pointer %" PRIu64 ") should be version %u, is %s%s",
			     how, number, sector, wp, version, is,
			     !memcmp(buf, want, 8) ? " with a wrong rest" : "");
		fail("%s: zone %u sector %" PRIu64 " is beyond the write pointer %" PRIu64 " and not zero but %s",
		     how, number, sector, wp, is);
	}
}

/* ---- changes --------------------------------------------------------------- */

void model_set_active(struct zone *z, bool active)
{
	nr_active += active - z->active;
	z->active = active;
	if (!active)
		model_set_explicit(z, false);
}

void model_set_explicit(struct zone *z, bool explicit)
{
	nr_explicit += explicit - z->explicit;
	z->explicit = explicit;
}

/* Another life of the zone begins. */
void model_emptied(struct zone *z)
{
	z->issued = 0;
	z->acked = 0;
	z->durable = 0;
	z->finished = false;
	z->pending = PENDING_NONE;
	z->nr_segments = 0;
	z->version++;
	model_set_active(z, false);
}

/* A write up to @end is about to be sent. */
void model_write_begins(struct zone *z, u64 end)
{
	u32 n = z->nr_segments;

	if (!n || z->segment[n - 1].version != z->version) {
		if (n == MAX_SEGMENTS)
			die("too many crashes in one zone's life");
		z->segment[n].from = z->issued;
		z->segment[n].version = z->version;
		z->nr_segments++;
	}
	z->issued = end;
	z->touched = true;
}

void model_new(void)
{
	memset(zones, 0, sizeof(zones));
	nr_active = 0;
	nr_explicit = 0;
}

/* ---- verification ---------------------------------------------------------- */

static void get_report(struct blk_zone *out)
{
	static struct {
		struct blk_zone_report head;
		struct blk_zone zones[MAX_ZONES];
	} report;

	memset(&report, 0, sizeof(report));
	report.head.nr_zones = MAX_ZONES;
	if (ioctl(volume_fd, BLKREPORTZONE, &report))
		fail("report of zones: %s", strerror(errno));
	if (report.head.nr_zones != shape.nr_zones)
		fail("the volume has %u zones, not %u", report.head.nr_zones,
		     shape.nr_zones);
	memcpy(out, report.zones, shape.nr_zones * sizeof(*out));
}

static void __attribute__((noreturn))
wrong_report(u32 number, const struct blk_zone *r, const char *why)
{
	model_print(number);
	fail("%s: zone %u is reported with condition %u, write pointer +%" PRIu64 ": %s",
	     moment, number, r->cond, (u64)(r->wp - r->start), why);
}

/* What a full zone was before. */
static u64 full_zone(u32 number, const struct blk_zone *r)
{
	struct zone *z = &zones[number];

	if (r->wp != r->start + shape.cap && r->wp != r->start + shape.zone_size)
		wrong_report(number, r, "a full zone's is at its end");
	if (z->finished || z->issued == shape.cap)
		return z->issued;
	if (z->pending != PENDING_FINISH)
		wrong_report(number, r, "it was neither filled nor finished");
	z->finished = true;
	stats.in_flight_done++;
	return z->issued;
}

static bool reset_is_pending(const struct zone *z)
{
	return z->pending == PENDING_RESET || z->pending == PENDING_RESET_ALL;
}

/* Where does the zone end?  Fails if it cannot be there. */
static u64 find_end(u32 number, const struct blk_zone *r, bool exact)
{
	struct zone *z = &zones[number];
	u64 least = exact ? z->acked : z->durable, wp;
	bool empty;

	if (r->start != zone_start(number) || r->len != shape.zone_size ||
	    r->capacity != shape.cap || r->type != BLK_ZONE_TYPE_SEQWRITE_REQ)
		wrong_report(number, r, "start, size, capacity or type changed");
	if (r->cond == BLK_ZONE_COND_FULL)
		return full_zone(number, r);
	if (r->cond != BLK_ZONE_COND_EMPTY &&
	    r->cond != BLK_ZONE_COND_CLOSED &&
	    r->cond != BLK_ZONE_COND_IMP_OPEN)
		wrong_report(number, r, "impossible then");
	wp = r->wp - r->start;
	empty = r->cond == BLK_ZONE_COND_EMPTY;
	if (empty == !!wp || wp >= shape.cap)
		wrong_report(number, r, "they contradict each other");
	if (!wp && reset_is_pending(z)) {
		z->finished = false;
		return 0;
	}
	if (z->finished)
		wrong_report(number, r, "the zone was finished");
	if (wp < least)
		wrong_report(number, r, exact && wp >= z->durable ?
			     "completed data were on all drives and are lost" :
			     "durable data are lost");
	if (wp > z->issued)
		wrong_report(number, r, "more than was ever written");
	return wp;
}

static void read_chunk(u32 number, u64 sector, u64 nr)
{
	ssize_t ret = pread(volume_fd, chunk, nr * SECTOR,
			    (zone_start(number) + sector) * SECTOR);

	if (ret == (ssize_t)(nr * SECTOR))
		return;
	model_print(number);
	fail("%s: read of zone %u sector %" PRIu64 "+%" PRIu64 ": %s",
	     moment, number, sector, nr, ret < 0 ? strerror(errno) : "short");
}

static void need_chunk(void)
{
	if (!chunk && posix_memalign((void **)&chunk, 4096, CHUNK * SECTOR))
		die("out of memory");
}

/* One number for what the volume has, and how it reports its zones. */
u64 model_digest(void)
{
	struct blk_zone report[MAX_ZONES];
	u64 sum = 0, at, n, i;
	u32 number;

	moment = "digest";
	need_chunk();
	get_report(report);
	for (number = 0; number < shape.nr_zones; number++) {
		sum = mix(sum ^ report[number].cond) + report[number].wp;
		for (at = 0; at < shape.cap; at += n) {
			n = shape.cap - at < CHUNK ? shape.cap - at : CHUNK;
			read_chunk(number, at, n);
			for (i = 0; i < n * SECTOR / sizeof(u64); i++)
				sum = mix(sum ^ ((u64 *)chunk)[i]);
		}
	}
	return sum;
}

/* All data, and some of what is behind them. */
static void check_zone_data(u32 number, u64 wp)
{
	u64 end = wp + 2 * shape.stripe + 128, at, n;

	end -= end % shape.block;
	if (end > shape.cap)
		end = shape.cap;
	for (at = 0; at < end; at += n) {
		n = end - at < CHUNK ? end - at : CHUNK;
		read_chunk(number, at, n);
		check_data(chunk, number, at, n, wp, moment);
		stats.sectors_verified += n;
	}
}

/* What was found is what holds from now on. */
static void settle(u32 number, u64 wp)
{
	struct zone *z = &zones[number];
	bool crashed = z->issued != wp;

	if (reset_is_pending(z) || (z->pending == PENDING_FINISH &&
				    !z->finished))
		stats.in_flight_undone++;
	if (z->acked > wp)
		stats.zones_shorter++;
	z->pending = PENDING_NONE;
	if (crashed) {
		z->version++;
		while (z->nr_segments &&
		       z->segment[z->nr_segments - 1].from >= wp)
			z->nr_segments--;
	}
	z->issued = wp;
	z->acked = wp;
	z->durable = wp;
	model_set_active(z, wp && !zone_is_full(z));
	model_set_explicit(z, false);
}

/*
 * The array was started, or nothing is under way: is every zone as it may be?
 * Data are read of zones that were touched since the last time and of some
 * others, or of @all.  With @exact nothing that was acknowledged may be missing.
 */
void model_verify(struct rng *r, bool all, bool exact, const char *when)
{
	struct blk_zone report[MAX_ZONES];
	bool went = false, stayed = false;
	u32 i;

	moment = when;
	need_chunk();
	get_report(report);
	for (i = 0; i < shape.nr_zones; i++) {
		struct zone *z = &zones[i];
		bool was_all = z->pending == PENDING_RESET_ALL;
		bool was_there = z->durable || z->finished;
		u64 wp = find_end(i, &report[i], exact);

		if (was_all && (wp || z->finished))
			stayed = true;
		else if (was_all && was_there)
			went = true;
		if (!wp && !z->finished) {
			if (reset_is_pending(z) && was_there)
				stats.in_flight_done++;
			if (z->acked)
				z->touched = true;
			model_record(i, "round %" PRIu64 " starts: empty",
				     round_now);
			model_emptied(z);
		} else {
			model_record(i, "round %" PRIu64 " starts: %" PRIu64 " (%" PRIu64 " %" PRIu64 " %" PRIu64 ")%s",
				     round_now, wp, z->durable, z->acked,
				     z->issued, z->finished ? " finished" : "");
			settle(i, wp);
		}
		if (all || z->touched || percent(r, 15))
			check_zone_data(i, wp);
		z->touched = false;
	}
	if (went && stayed)
		fail("%s: a reset of all zones was done for some of them only",
		     moment);
}

/* Where a zone ends of which everything was acknowledged. */
static void check_running_zone(u32 number, const struct blk_zone *r)
{
	struct zone *z = &zones[number];
	u64 wp = r->wp - r->start;

	if (z->issued != z->acked || z->pending)
		fail("zone %u: the model knows of work under way", number);
	if (zone_is_full(z) ? r->cond != BLK_ZONE_COND_FULL :
			      wp != z->issued || r->cond == BLK_ZONE_COND_FULL)
		wrong_report(number, r, "everything was acknowledged");
}

/*
 * The array runs and nothing is under way; all went well.  Is every zone as it
 * must be?
 */
void model_verify_running(struct rng *r, bool all, const char *when)
{
	struct blk_zone report[MAX_ZONES];
	u32 i;

	moment = when;
	need_chunk();
	get_report(report);
	for (i = 0; i < shape.nr_zones; i++) {
		check_running_zone(i, &report[i]);
		if (all || zones[i].touched || percent(r, 15))
			check_zone_data(i, zones[i].issued);
		zones[i].touched = false;
	}
}

/* Is a zone reported as read-only: it lost more than parity makes up for? */
bool model_is_damaged(void)
{
	struct blk_zone report[MAX_ZONES];
	u32 i;

	get_report(report);
	for (i = 0; i < shape.nr_zones; i++)
		if (report[i].cond == BLK_ZONE_COND_READONLY)
			return true;
	return false;
}

/* Reads a stripe unit that may be lost.  Return: it could be served. */
static bool try_unit(u32 number, u64 at, u64 nr)
{
	ssize_t ret = pread(volume_fd, chunk, nr * SECTOR,
			    (zone_start(number) + at) * SECTOR);

	/* What is wrong is what the drive says, which may be one thing or another. */
	if (ret < 0)
		return false;
	if (ret != (ssize_t)(nr * SECTOR))
		fail("%s: read of zone %u sector %" PRIu64 "+%" PRIu64 ": short",
		     moment, number, at, nr);
	check_data(chunk, number, at, nr, nr + at, moment);
	return true;
}

/* The array was started anew: what was not durable may be gone. */
void model_forget_rest(void)
{
	u32 i;

	for (i = 0; i < shape.nr_zones; i++)
		zones[i].acked = zones[i].durable;
}

/* Member that has a unit. */
static u32 member_of_unit(u32 number, u64 at)
{
	u64 stripe = at / shape.stripe;
	u32 parity = shape.members - 1 - (number + stripe) % shape.members;
	u32 unit = at % shape.stripe / shape.su;

	return slot_of(number, (parity + shape.parity + unit) % shape.members);
}

/*
 * More members are lost than parity makes up for: what is acknowledged can be
 * read as it was written, or not at all; not the latter of what is on members that
 * are @well (bit by slot), for that takes nobody else.
 */
void model_verify_rest(const char *when, u32 well, u64 *served, u64 *refused)
{
	u32 i;
	u64 at, n;

	moment = when;
	need_chunk();
	for (i = 0; i < shape.nr_zones; i++) {
		struct zone *z = &zones[i];

		if (reset_is_pending(z))
			continue;
		for (at = 0; at < z->acked; at += n) {
			n = shape.su < z->acked - at ? shape.su : z->acked - at;
			if (try_unit(i, at, n))
				++*served;
			else if (well & 1U << member_of_unit(i, at))
				fail("%s: zone %u sector %" PRIu64 " is on member %u, which works, and cannot be read",
				     moment, i, at, member_of_unit(i, at));
			else
				++*refused;
		}
	}
}
