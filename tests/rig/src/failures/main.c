// SPDX-License-Identifier: GPL-2.0
/*
 * Options and chains of rounds.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "failures.h"

#define CHAIN_ROUNDS	40U

struct settings set = {
	.cuts = 100, .chains = UINT64_MAX, .members = -1, .through = -1,
	.cached = -1, .threads = -1,
};

struct array array;
struct counts counts;

static void one_chain(u32 nr_rounds)
{
	struct rng r = rng_for(set.seed, chain_now, 0);

	choose_shape(&r);
	shape.has_spare = true;
	shape.spare_cap_kib = shape.cap_kib;
	if (percent(&r, 50))
		shape.spare_cap_kib += 4 * below(&r, (shape.zone_kib -
						      shape.cap_kib) / 4 + 1);
	shape.spares = 2 + MAX_BAD_ZONES;
	shape_complete();
	shape.fill = 0;		/* parity_check asks for that */
	/* Time is better spent on more rounds. */
	if (shape.latency_us) {
		shape.latency_us = 20;
		shape.jitter_us = 50;
	}
	shape.enumerated = false;
	shape.renewed = false;
	set_rerun("failures --seed %" PRIu64 " --chain %" PRIu64 " --chains 1 --rounds %" PRIu64,
		  set.seed, chain_now, set.cuts);
	if (set.verbose) {
		printf("chain %" PRIu64 ": ", chain_now);
		print_shape(stdout);
		putchar('\n');
	}

	phase("creation");
	drives_make();
	drives_seed(rnd(&r), "random");
	volume_create();
	model_new();
	array = (struct array){ .out = -1, .blank = -1 };
	for (round_now = 0; round_now < nr_rounds && !array.ends; round_now++) {
		r = rng_for(set.seed, chain_now, 1000 + round_now);
		one_round(&r, round_now + 1 == nr_rounds);
		if (set.verbose)
			printf("  round %" PRIu64 ": out %d, suspects %x, %s\n",
			       round_now, array.out, array.suspects,
			       array.runs ? "runs" : "stopped");
	}
	if (array.runs) {
		phase("last stop");
		volume_stop();
	}
	phase("the end of an array");
	drives_gone();
}

static void print_counts(u64 usec)
{
	printf("# seed %" PRIu64 ": %" PRIu64 " rounds in %.1f s; starts %" PRIu64 ", clean stops %" PRIu64 ", power cuts %" PRIu64 ", with a member lost %" PRIu64 "\n",
	       set.seed, counts.rounds, usec / 1e6, counts.starts,
	       counts.clean_stops, counts.cuts, counts.cut_off);
	printf("# commands to fail %" PRIu64 ", drives pulled %" PRIu64 ", zones bad %" PRIu64 ", sectors bad %" PRIu64 ", failed by request %" PRIu64 ", second failures %" PRIu64 ", drives stalled %" PRIu64 ", parity changed %" PRIu64 "\n",
	       counts.faults, counts.pulls, counts.bad_zones,
	       counts.bad_sectors, counts.requests, counts.doubles,
	       counts.stalls, counts.flips);
	printf("# rounds that ended without a member %" PRIu64 ", with too little left %" PRIu64 ", damaged %" PRIu64 "; replaced %" PRIu64 ", added again %" PRIu64 ", refused %" PRIu64 ", under load %" PRIu64 "; rebuilds waited for %" PRIu64 ", not waited for %" PRIu64 "; parity checks %" PRIu64 ", scrubs %" PRIu64 ", under load %" PRIu64 ", found at a start %" PRIu64 "\n",
	       counts.members_failed, counts.failed_arrays, counts.damaged, counts.replaced,
	       counts.readded, counts.refused, counts.under_load, counts.rebuilds,
	       counts.interrupted, counts.parity_checks, counts.scrubs,
	       counts.scrubs_under_load, counts.scrubs_resumed);
	print_phases();
	printf("failure rounds: %" PRIu64 "\n", counts.rounds);
}

static int child_main(void)
{
	u64 begin = now_usec();

	io_excuse = trouble_excuses;
	volume_clear();
	for (chain_now = set.first_chain;
	     chain_now - set.first_chain < set.chains &&
	     counts.rounds < set.cuts; chain_now++) {
		u64 left = set.cuts - counts.rounds;

		one_chain(left < CHAIN_ROUNDS ? left : CHAIN_ROUNDS);
	}
	print_counts(now_usec() - begin);
	return 0;
}

static void usage(FILE *out)
{
	fputs("usage: failures [OPTION...]\n"
	      "Members fail, come back and are replaced while threads write.\n"
	      "  --seed S          of all chance (default: the time)\n"
	      "  --rounds N        how many (100)\n"
	      "  --chain N         begin with chain N (0)\n"
	      "  --chains N        run so many chains at most\n"
	      "  --members N       3 to 8 (these and the following: by chance)\n"
	      "  --write-cache back|through\n"
	      "  --volatile 0|1    do the drives have a volatile cache?\n"
	      "  --threads N       1: one command at a time\n"
	      "  --verbose\n"
	      "Exit status: 0 all right, 1 something is wrong, 2 trouble.\n", out);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'n' },
		{ "chain", required_argument, NULL, 'c' },
		{ "chains", required_argument, NULL, 'C' },
		{ "members", required_argument, NULL, 'm' },
		{ "write-cache", required_argument, NULL, 'w' },
		{ "volatile", required_argument, NULL, 'v' },
		{ "threads", required_argument, NULL, 't' },
		{ "verbose", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL }
	};
	int c;

	set.seed = time(NULL);
	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		u64 n = optarg ? strtoull(optarg, NULL, 0) : 0;

		switch (c) {
		case 's':
			set.seed = n;
			break;
		case 'n':
			set.cuts = n;
			break;
		case 'c':
			set.first_chain = n;
			break;
		case 'C':
			set.chains = n;
			break;
		case 'm':
			set.members = n;
			break;
		case 'w':
			set.through = !strcmp(optarg, "through");
			break;
		case 'v':
			set.cached = n;
			break;
		case 't':
			set.threads = n;
			break;
		case 'V':
			set.verbose = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind < argc || set.members > MAX_MEMBERS ||
	    (set.members >= 0 && set.members < 3) || !set.threads ||
	    set.threads > MAX_THREADS) {
		usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	return harness_run(child_main);
}
