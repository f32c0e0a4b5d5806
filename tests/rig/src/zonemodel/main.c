// SPDX-License-Identifier: GPL-2.0
/*
 * Options, and the order of things.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "../lib/options.h"
#include "zonemodel.h"

struct settings set = {
	.ops = 1000, .threads = 1, .budget = 512ULL << 20, .max_write = 4U << 20,
};

static const struct opt opts[] = {
	OPT_SEED(&set.seed),
	{ .name = "ops", .letter = 'n', .kind = OPT_U64, .value = &set.ops,
	  .argument = "N", .help = "operations of each thread (1000)" },
	{ .name = "threads", .letter = 't', .kind = OPT_U32, .value = &set.threads,
	  .argument = "N", .help = "threads (1)", .least = 1, .most = MAX_THREADS },
	{ .name = "zones", .letter = 'z', .kind = OPT_U32, .value = &set.zones,
	  .argument = "N", .help = "zones to use (all)" },
	{ .name = "first", .letter = 'f', .kind = OPT_U32, .value = &set.first_zone,
	  .argument = "N", .help = "first zone to use (0)" },
	{ .name = "budget", .letter = 'b', .kind = OPT_SIZE, .value = &set.budget,
	  .argument = "MIB", .unit = 1U << 20,
	  .help = "reset zones when more data than this are held (512)" },
	{ .name = "max-write", .letter = 'w', .kind = OPT_SIZE,
	  .value = &set.max_write, .argument = "KIB", .unit = 1U << 10,
	  .help = "longest write (4096)", .least = 1, .most = BUF_BYTES },
	{ .name = "reset", .letter = 'r', .kind = OPT_FLAG, .value = &set.reset_first,
	  .help = "reset the zones first; otherwise they must be empty\nor in the state of --load" },
	{ .name = "any-memory", .kind = OPT_FLAG, .value = &set.any_memory,
	  .help = "buffers at any multiple of 512 also for larger\nblocks; null_blk drives do not take that" },
	{ .name = "orderly", .kind = OPT_FLAG, .value = &set.orderly,
	  .help = "no wrong writes under way with others: the volume is\nsuspended meanwhile, and takes writes for early ones" },
	{ .name = "plain", .kind = OPT_FLAG, .value = &set.plain,
	  .help = "a mapped device that is no more than the drive below\nit" },
	{ .name = "save", .kind = OPT_TEXT, .value = &set.save_file,
	  .argument = "FILE", .help = "write the model to FILE at the end" },
	{ .name = "load", .kind = OPT_TEXT, .value = &set.load_file,
	  .argument = "FILE",
	  .help = "begin with the model in FILE; the device was restarted" },
	{ .name = "verify", .kind = OPT_FLAG, .value = &set.verify_only,
	  .help = "only compare the device with the model" },
	{ .name = NULL }
};

static void exit_status(FILE *out)
{
	fputs("SIGTERM ends the operations early.\n"
	      "Exit status: 0 all as it must be, 1 the device was wrong, 2 trouble.\n", out);
}

static const struct command zonemodel = {
	.summary = "Random operations on a zoned block device, checked by a model. All data on\nthe device are lost.\n",
	.operands = "DEVICE", .nr_operands = 1, .opts = opts, .more = exit_status,
};

int main(int argc, char **argv)
{
	pthread_rwlockattr_t attr;
	u32 i;

	set.device = options_parse(&zonemodel, argc, argv)[0];
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr,
				      PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&world, &attr);

	open_device();
	if (set.threads > nr_zones)
		die("more threads than zones");
	count_foreign_zones();
	if (set.load_file)
		load();
	start_threads();
	probe_memory_alignment();
	printf("zonemodel: %s: %u of %u zones of %" PRIu64 " sectors, capacity %" PRIu64 ", at most %" PRIu64 " open, %" PRIu64 " active; seed %" PRIu64 "\n",
	       set.device, nr_zones, dev.nr_zones, dev.zone_size, zones[0].cap,
	       dev.max_open, dev.max_active, set.seed);
	fflush(stdout);
	if (set.reset_first)
		for (i = 0; i < nr_zones; i++)
			op_reset(&threads[0], &zones[i]);

	verify_all(&threads[0]);
	if (!set.verify_only) {
		work_all();
		verify_all(&threads[0]);
	}
	end_threads();
	check_limits("at the end");
	if (set.save_file)
		save();
	print_summary();
	return 0;
}
