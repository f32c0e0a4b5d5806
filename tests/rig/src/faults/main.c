// SPDX-License-Identifier: GPL-2.0
/*
 * Options.
 */
#include <stdio.h>
#include <string.h>

#include "../lib/options.h"
#include "faults.h"

struct settings set = { .level = 5, .members = 3 };

struct only only = {
	.end = -1, .member = -1, .second = -1, .every = 1, .stride = 7, .after = 1,
};

static bool through;

static const struct opt opts[] = {
	{ .name = "members", .kind = OPT_INT, .value = &set.members, .argument = "N",
	  .help = "of the array (3)", .least = 3, .most = MAX_MEMBERS },
	{ .name = "through", .kind = OPT_FLAG, .value = &through,
	  .help = "its write cache is through" },
	{ .name = "no-fault", .kind = OPT_FLAG, .value = &only.none,
	  .help = "just the workload; with --verbose, what each drive got" },
	{ .name = "at-start", .kind = OPT_FLAG, .value = &only.at_start,
	  .help = "count commands from the array's start on, and only\nthose of the start" },
	{ .name = "replace", .kind = OPT_FLAG, .value = &only.replaces,
	  .help = "the workload in which members are replaced; --member\nmay also be the drive that becomes one, the last one" },
	{ .name = "double", .kind = OPT_FLAG, .value = &only.twice,
	  .help = "a second member fails after the first" },
	{ .name = "pairs", .kind = OPT_FLAG, .value = &only.pairs,
	  .help = "pairs of faults in an array of level 6, which makes up for both" },
	{ .name = "sample", .kind = OPT_U32, .value = &only.sample, .argument = "N",
	  .help = "only N of these pairs, by chance" },
	{ .name = "seed", .kind = OPT_U64, .value = &only.seed, .argument = "S",
	  .help = "of this chance (0)" },
	{ .name = "second-variant", .kind = OPT_TEXT, .value = &only.second_variant,
	  .argument = "V", .help = "of the second fault of a pair" },
	{ .name = "every", .kind = OPT_U32, .value = &only.every, .argument = "N",
	  .help = "of k, in the main variants and with --double (1)",
	  .least = 1, .most = UINT32_MAX },
	{ .name = "stride", .kind = OPT_U32, .value = &only.stride, .argument = "N",
	  .help = "the same in the others, and in those of the start (7)",
	  .least = 1, .most = UINT32_MAX },
	{ .name = "after", .kind = OPT_U32, .value = &only.after, .argument = "N",
	  .help = "stop, start again and look at it after each Nth (1)",
	  .least = 1, .most = UINT32_MAX },
	{ .name = "variant", .kind = OPT_TEXT, .value = &only.variant, .argument = "V",
	  .help = "this one only, as the following ones" },
	{ .name = "kind", .kind = OPT_TEXT, .value = &only.kind, .argument = "K",
	  .help = "of command" },
	{ .name = "member", .kind = OPT_INT, .value = &only.member, .argument = "M",
	  .help = "that fails" },
	{ .name = "nth", .kind = OPT_U32, .value = &only.nth, .argument = "N",
	  .help = "command of it" },
	{ .name = "end", .kind = OPT_CHOICE, .value = &only.end,
	  .argument = "stop|power-cut", .help = "of the experiment" },
	{ .name = "second", .kind = OPT_INT, .value = &only.second, .argument = "M",
	  .help = "second member that fails" },
	{ .name = "second-nth", .kind = OPT_U32, .value = &only.second_nth,
	  .argument = "N", .help = "write of it, from the first failure on" },
	{ .name = "verbose", .kind = OPT_FLAG, .value = &set.verbose,
	  .help = "a line for each experiment" },
	{ .name = NULL }
};

static void more(FILE *out)
{
	u32 i;

	fputs("Variants:\n", out);
	for (i = 0; i < NR_VARIANTS; i++)
		fprintf(out, "  %-14s %s: %s%s\n", variants[i].name,
			variants[i].fault, variants[i].kinds,
			variants[i].main ? "; main" : "");
	fputs("Exit status: 0 all right, 1 something is wrong, 2 trouble.\n", out);
}

static const struct command faults = {
	.summary = "Makes the k-th command of a simulated drive fail, for every k.\n",
	.opts = opts, .more = more,
};

static bool is_way(const char *variant)
{
	return !variant || !strcmp(variant, "error") || !strcmp(variant, "gone");
}

int main(int argc, char **argv)
{
	options_parse(&faults, argc, argv);
	if (only.replaces && (only.at_start || only.twice))
		options_misuse("--replace goes neither with --at-start nor with --double");
	if (only.pairs && (only.replaces || only.twice))
		options_misuse("--pairs goes neither with --replace nor with --double");
	if (only.pairs && !(is_way(only.variant) && is_way(only.second_variant)))
		options_misuse("the variants of --pairs are error and gone");
	if (only.pairs) {
		set.level = 6;
		set.members = set.members < 4 ? 4 : set.members;
	}
	set.through = through;
	return harness_run(experiments_run);
}
