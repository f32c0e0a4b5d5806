// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of rounds.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "../lib/options.h"
#include "failures.h"

#define CHAIN_ROUNDS	40U

struct array array;
struct counts counts;

static void one_chain(u32 nr_rounds)
{
	struct rng r = rng_for(set.seed, chain_now, 0);

	choose_shape(&r);
	if (shape.level == 5 && shape.members < 3)
		shape.members = 3;
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
	set_rerun("failures --seed %" PRIu64 "%s --chain %" PRIu64 " --chains 1 --rounds %" PRIu64,
		  set.seed, options_repeat(), chain_now, set.cuts);
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
	array = (struct array){ 0 };
	for (round_now = 0; round_now < nr_rounds && !array.ends; round_now++) {
		r = rng_for(set.seed, chain_now, 1000 + round_now);
		one_round(&r, round_now + 1 == nr_rounds);
		if (set.verbose)
			printf("  round %" PRIu64 ": out %x, suspects %x, %s\n",
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
	printf("# seed %" PRIu64 "%s: %" PRIu64 " rounds in %.1f s; starts %" PRIu64 ", clean stops %" PRIu64 ", power cuts %" PRIu64 ", with a member lost %" PRIu64 "\n",
	       set.seed, options_repeat(), counts.rounds, usec / 1e6, counts.starts,
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

/* Chains until there were enough rounds. Return: exit status of the program. */
int chains_run(void)
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
