// SPDX-License-Identifier: GPL-2.0
/*
 * Options.
 */
#include <stdio.h>

#include "../lib/options.h"
#include "powercut.h"

struct settings set = {
	.cuts = 100, .chains = UINT64_MAX, .level = -1, .members = -1, .through = -1,
	.cached = -1, .threads = -1, .permute = -1,
};

static const struct opt opts[] = {
	OPT_SEED(&set.seed),
	{ .name = "cuts", .kind = OPT_U64, .value = &set.cuts, .argument = "N",
	  .help = "power cuts (100)" },
	{ .name = "chain", .kind = OPT_U64, .value = &set.first_chain, .argument = "N",
	  .help = "begin with chain N (0)" },
	{ .name = "chains", .kind = OPT_U64, .value = &set.chains, .argument = "N",
	  .help = "run so many chains at most" },
	{ .name = "rounds", .kind = OPT_U64, .value = &set.rounds, .argument = "N",
	  .help = "of each chain (default: by chance)", .repeat = true },
	{ .name = "level", .kind = OPT_INT, .value = &set.level, .argument = "N",
	  .help = "0, 1, 5 or 6 (this and the following: by chance)",
	  .most = 6, .repeat = true },
	{ .name = "members", .kind = OPT_INT, .value = &set.members, .argument = "N",
	  .help = "3 to 8",
	  .least = 3, .most = MAX_MEMBERS, .repeat = true },
	{ .name = "write-cache", .kind = OPT_CHOICE, .value = &set.through,
	  .argument = "back|through", .help = "of the array", .repeat = true },
	{ .name = "volatile", .kind = OPT_INT, .value = &set.cached, .argument = "0|1",
	  .help = "do the drives have a volatile cache?", .most = 1, .repeat = true },
	{ .name = "threads", .kind = OPT_INT, .value = &set.threads, .argument = "N",
	  .help = "1: one command at a time, the same with each run",
	  .least = 1, .most = MAX_THREADS, .repeat = true },
	{ .name = "permute", .kind = OPT_INT, .value = &set.permute, .argument = "0|1",
	  .help = "are columns on members of other slots?", .most = 1, .repeat = true },
	{ .name = "no-loss", .kind = OPT_FLAG, .value = &set.lossless,
	  .help = "all members stay", .repeat = true },
	{ .name = "no-cut", .kind = OPT_FLAG, .value = &set.cutless,
	  .help = "clean stops only, N of them", .repeat = true },
	{ .name = "enumerate", .kind = OPT_FLAG, .value = &set.enumerate,
	  .help = "a fixed workload, cut at each of its commands", .repeat = true },
	{ .name = "verbose", .kind = OPT_FLAG, .value = &set.verbose,
	  .help = "a line for each round" },
	{ .name = NULL }
};

static void exit_status(FILE *out)
{
	fputs("Exit status: 0 all right, 1 something is wrong, 2 trouble.\n", out);
}

static const struct command powercut = {
	.summary = "Cuts the power of arrays on simulated drives and checks what is left.\n",
	.opts = opts, .more = exit_status,
};

int main(int argc, char **argv)
{
	options_parse(&powercut, argc, argv);
	return harness_run(chains_run);
}
