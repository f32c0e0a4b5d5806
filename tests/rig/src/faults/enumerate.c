// SPDX-License-Identifier: GPL-2.0
/*
 * Which experiments there are to be, one after the other.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "faults.h"

/*
 * Every kind of command, every way to fail that a driver reports, with what a
 * drive may have done in spite of it, and what it does then.
 */
const struct variant variants[NR_VARIANTS] = {
	{ .name = "error", .fault = "status=ioerr effect=none",
	  .kinds = "write append flush reset finish read report", .main = true },
	{ .name = "gone", .fault = "status=ioerr effect=none then=off",
	  .kinds = "write append flush reset finish read report", .gone = true,
	  .main = true },
	{ .name = "done", .fault = "status=timeout effect=all",
	  .kinds = "write append flush reset finish" },
	{ .name = "part", .fault = "status=medium effect=part",
	  .kinds = "write append" },
	{ .name = "readonly", .fault = "status=ioerr effect=none then=readonly",
	  .kinds = "write append reset finish" },
	{ .name = "readonly-part", .fault = "status=ioerr effect=part then=readonly",
	  .kinds = "write append" },
	{ .name = "offline", .fault = "status=ioerr effect=none then=offline",
	  .kinds = "write append reset finish read" },
	{ .name = "offline-done", .fault = "status=offline effect=all then=offline",
	  .kinds = "write append reset finish" },
	{ .name = "gone-done", .fault = "status=timeout effect=all then=off",
	  .kinds = "write append flush reset finish", .gone = true },
	{ .name = "gone-part", .fault = "status=transport effect=part then=off",
	  .kinds = "write append", .gone = true },
	{ .name = "medium", .fault = "status=medium effect=none",
	  .kinds = "read" },
	{ .name = "broken", .fault = "status=ioerr effect=none times=100000",
	  .kinds = "write append flush reset finish read report" },
};

const char * const kinds[NR_KINDS] = {
	"write", "append", "flush", "reset", "finish", "read", "report",
};

/* The second member may have no write left, and other ones have one still. */
#define ENOUGH_MISSES	3

struct tally tally;

static bool run(const struct plan *p)
{
	char text[200];
	bool struck;

	plan_describe(p, text, sizeof(text));
	set_rerun("%s", text);
	chain_now++;
	if (!p->variant) {
		experiment_without(p);
		return true;
	}
	struck = p->second >= 0 ? experiment_double(p) :
		 p->replaces ? experiment_replace(p) : experiment(p);
	tally.struck += struck;
	if (set.verbose)
		printf("%s: %s\n", text, struck ? "struck" : "did not");
	return struck;
}

static bool is_chosen(const char *chosen, const char *name)
{
	return !chosen || !strcmp(chosen, name);
}

static bool ends_by_cut(const struct plan *p)
{
	if (only.end >= 0)
		return only.end == 1;
	return (p->nth / 2 + p->member) % 2;
}

/* How many experiments there are to be with every @step-th of @nr commands. */
static void expect(u64 nr, u32 first, u32 step)
{
	if (nr >= first)
		tally.planned += (nr - first) / step + 1;
}

static u64 commands_of(const char *kind, u32 member)
{
	u32 k;

	for (k = 0; strcmp(kinds[k], kind); k++)
		;
	return commands[k][member];
}

/* The k-th command for every k, or for every so many. */
static void every_command(struct plan p)
{
	u32 step = p.variant->main && !p.at_start ? only.every : only.stride;
	u64 nr;

	if (only.nth) {
		p.nth = only.nth;
		p.ends_by_cut = ends_by_cut(&p);
		run(&p);
		return;
	}
	nr = commands_of(p.kind, p.member);
	if (!nr)
		return;
	/* At least one of them, however few there are to be. */
	p.nth = 1 + (p.member + (p.variant - variants)) % (nr < step ? nr : step);
	expect(nr, p.nth, step);
	do {
		p.ends_by_cut = ends_by_cut(&p);
		p.ends_early = (p.nth / step + p.member) % only.after;
		if (!run(&p))
			break;
		p.nth += step;
		/* With faults there may be more of them than were counted. */
	} while (step == 1 || p.nth <= nr);
}

static void every_member(struct plan p)
{
	u32 drives = shape.members + shape.has_spare;

	for (p.member = 0; p.member < drives; p.member++)
		if (only.member < 0 || only.member == (int)p.member)
			every_command(p);
}

static void all_single(bool at_start)
{
	struct plan count = { .at_start = at_start, .replaces = only.replaces };
	u32 v, k;

	experiment_count(&count);
	for (v = 0; v < NR_VARIANTS; v++) {
		struct plan p = {
			.variant = &variants[v], .at_start = at_start,
			.replaces = only.replaces, .second = -1,
		};

		if (!is_chosen(only.variant, variants[v].name))
			continue;
		for (k = 0; k < NR_KINDS; k++) {
			p.kind = kinds[k];
			if (is_chosen(only.kind, p.kind) &&
			    strstr(p.variant->kinds, p.kind))
				every_member(p);
		}
	}
}

static void no_fault(void)
{
	struct plan p = { .replaces = only.replaces, .second = -1 };

	run(&p);
	p.ends_by_cut = true;
	run(&p);
}

/*
 * A member is gone with its k-th write, for every k; then others fail, each in its turn, in
 * each variant, and after a few writes more or less.
 */
static void every_pair(struct plan p)
{
	u64 nr = commands_of("write", p.member) + commands_of("append", p.member);
	u32 first = 1 + p.member % only.every, turn, missed = 0;

	expect(nr, first, only.every);
	for (turn = 0; missed < ENOUGH_MISSES; turn++) {
		p.nth = first + turn * only.every;
		p.variant = &variants[1 + 7 * (turn % 2)];	/* gone, gone-done */
		p.second = (p.member + 1 + turn / 2 % (shape.members - 1)) %
			   shape.members;
		p.second_nth = 1 + turn % 5;
		p.ends_by_cut = ends_by_cut(&p);
		missed = run(&p) ? 0 : missed + 1;
	}
}

static void all_double(void)
{
	struct plan p = { .kind = "write" };
	u32 v;

	if (only.nth) {
		for (v = 0; v < NR_VARIANTS; v++)
			if (is_chosen(only.variant, variants[v].name))
				p.variant = &variants[v];
		p.nth = only.nth;
		p.member = only.member;
		p.second = only.second;
		p.second_nth = only.second_nth;
		p.ends_by_cut = ends_by_cut(&p);
		run(&p);
		return;
	}
	experiment_count(&p);
	for (p.member = 0; p.member < shape.members; p.member++)
		every_pair(p);
}

/* Small zones, so that logs move; as few members as there can be. */
static void make_shape(void)
{
	shape.level = set.level;
	shape.members = set.members;
	shape.drive_zones = 16;
	shape.spares = 2;
	shape.zone_kib = 512;
	shape.cap_kib = 392;
	shape.spare_cap_kib = shape.cap_kib;
	shape.block = 1;
	shape.su = 64;
	shape.limit = 10;
	/* Each fault may cost a spare zone. */
	if (only.pairs) {
		shape.spares = 4;
		shape.drive_zones = 13;
	}
	shape.cached = true;
	shape.through = set.through > 0;
	shape.fua = true;
	shape.finish_flushes = true;
	shape.max_io_kib = 512;
	shape.completion = "direct";
	shape.threads = 1;
	shape.serial = true;
	shape.has_spare = only.replaces;
	shape_complete();
}

/* Return: exit status of the program. */
int experiments_run(void)
{
	u64 begin = now_usec();

	volume_clear();
	phase("creation");
	make_shape();
	io_excuse = no_excuse;
	drives_make();
	drives_seed(1, "random");
	volume_create();
	image_save();
	if (only.none)
		no_fault();
	else if (only.pairs)
		pairs_run();
	else if (only.twice || only.second >= 0)
		all_double();
	else
		all_single(only.at_start);
	drives_gone();

	printf("# %" PRIu64 " experiments in %.1f s; at the stop %" PRIu64 "; whole again %" PRIu64 ", without the member %" PRIu64 "; log switches %" PRIu64 "\n",
	       chain_now, (now_usec() - begin) / 1e6, tally.at_stop,
	       tally.absorbed, tally.failed, tally.switches);
	print_phases();
	if (tally.refused_starts)
		printf("# starts that failed with the fault: %" PRIu64 "\n",
		       tally.refused_starts);
	if (tally.beyond)
		printf("# while another member was missing: %" PRIu64 "\n",
		       tally.beyond);
	if (tally.served)
		printf("# with too little left: %" PRIu64 " units read, %" PRIu64 " refused\n",
		       tally.served, tally.refused);
	printf("experiments planned: %" PRIu64 "\n", tally.planned);
	printf("experiments that struck: %" PRIu64 "\n", tally.struck);
	printf("%sfaults injected: %" PRIu64 "\n", only.pairs ? "pairs of " : "",
	       tally.faults);
	return 0;
}
