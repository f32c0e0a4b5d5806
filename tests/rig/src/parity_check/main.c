// SPDX-License-Identifier: GPL-2.0
/*
 * Options, and the order of things.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "../lib/options.h"
#include "parity_check.h"

struct settings set = { .volume_fd = -1, .min_stripes = 1 };
struct tally tally;

static const struct opt opts[] = {
	{ .name = "volume", .letter = 'v', .kind = OPT_TEXT, .value = &set.volume,
	  .argument = "DEVICE",
	  .help = "compare the running, idle volume with them too" },
	{ .name = "degraded", .kind = OPT_FLAG, .value = &set.degraded,
	  .help = "a member may be missing: compute what it holds" },
	{ .name = "no-tails", .kind = OPT_FLAG, .value = &set.no_tails,
	  .help = "ask for no partial parity: not everything was flushed" },
	{ .name = "min-stripes", .letter = 'm', .kind = OPT_U64,
	  .value = &set.min_stripes, .argument = "N",
	  .help = "fewer complete stripes are a failure (1)" },
	{ .name = NULL }
};

static void exit_status(FILE *out)
{
	fputs("Exit status: 0 all right, 1 something is wrong, 2 trouble.\n", out);
}

static const struct command parity_check = {
	.summary = "Recomputes the parity of an array from its members.\n",
	.operands = "MEMBER...", .nr_operands = -1, .opts = opts, .more = exit_status,
};

static void open_drives(char **paths)
{
	for (; *paths; paths++) {
		struct drive *d = &drives[nr_drives++];

		if (nr_drives > RAIZN_MAX_MEMBERS)
			die("too many members");
		d->path = *paths;
		d->fd = open(d->path, O_RDONLY | O_DIRECT | O_CLOEXEC);
		if (d->fd < 0)
			die("%s: %s", d->path, strerror(errno));
		d->zones = report(d->fd, d->path, &d->nr_zones);
		d->buf = pages(CHUNK_BYTES);
	}
}

static void print_tally(void)
{
	printf("parity_check: %u+%u members, %" PRIu64 " zones with data: %" PRIu64 " complete stripes, %" PRIu64 " incomplete ones with %" PRIu64 " rows of partial parity",
	       array.nr_data, array.nr_parity, tally.zones, tally.stripes, tally.tails,
	       tally.rows);
	if (tally.columns_moved)
		printf(", %" PRIu64 " columns moved", tally.columns_moved);
	if (array.lost_member >= 0)
		printf(", member %d computed", array.lost_member);
	if (tally.columns_nowhere)
		printf(", %" PRIu64 " columns computed", tally.columns_nowhere);
	if (tally.relocated)
		printf(", %" PRIu64 " relocated rows", tally.relocated);
	if (set.volume)
		printf(", %" PRIu64 " MiB compared with the volume",
		       tally.volume_bytes >> 20);
	printf(": %" PRIu64 " errors\n", tally.errors);
}

int main(int argc, char **argv)
{
	struct blk_zone *volume_zones = NULL;
	u32 volume_nr = 0, z;

	open_drives(options_parse(&parity_check, argc, argv));
	read_metadata();
	if (set.volume) {
		set.volume_fd = open(set.volume, O_RDONLY | O_DIRECT | O_CLOEXEC);
		if (set.volume_fd < 0)
			die("%s: %s", set.volume, strerror(errno));
		volume_zones = report(set.volume_fd, set.volume, &volume_nr);
		if (volume_nr != array.nr_zones)
			die("%s has %u zones, the array %u", set.volume, volume_nr,
			    array.nr_zones);
	}
	for (z = 0; z < array.nr_zones; z++)
		check_zone(z, volume_zones ? &volume_zones[z] : NULL);
	print_tally();
	if (tally.stripes < set.min_stripes) {
		printf("parity_check: only %" PRIu64 " complete stripes\n",
		       tally.stripes);
		return 1;
	}
	return tally.errors ? 1 : 0;
}
