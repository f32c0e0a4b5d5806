// SPDX-License-Identifier: GPL-2.0
/*
 * Options, and what is enumerated.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"

/*
 * Every kind of command, every way to fail that a driver reports, with what a
 * drive may have done in spite of it, and what it does then.
 */
static const struct variant variants[] = {
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

#define NR_VARIANTS	(sizeof(variants) / sizeof(*variants))

const char * const kinds[NR_KINDS] = {
	"write", "append", "flush", "reset", "finish", "read", "report",
};

/* The second member may have no write left, and other ones have one still. */
#define ENOUGH_MISSES	3

struct settings set = { .members = 3 };
struct tally tally;

static struct {
	const char *variant;	/* this one, this kind, ... only */
	const char *kind;
	const char *end;
	int member;
	u32 nth;
	bool at_start;
	bool none;
	bool replaces;
	bool twice;
	int second;
	u32 second_nth;
	u32 every;		/* k of the main variants */
	u32 stride;		/* of the others */
	u32 after;		/* each so manieth is started again */
} only = { .member = -1, .second = -1, .every = 1, .stride = 7, .after = 1 };

/* ---- one after the other ----------------------------------------------------- */

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
	if (only.end)
		return !strcmp(only.end, "power-cut");
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

/* ---- options ----------------------------------------------------------------- */

/* Small zones, so that logs move; as few members as there can be. */
static void make_shape(void)
{
	shape.members = set.members;
	shape.drive_zones = 16;
	shape.spares = 2;
	shape.zone_kib = 512;
	shape.cap_kib = 392;
	shape.spare_cap_kib = shape.cap_kib;
	shape.block = 1;
	shape.su = 64;
	shape.limit = 10;
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

static int child_main(void)
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
	printf("faults injected: %" PRIu64 "\n", tally.faults);
	return 0;
}

static void usage(FILE *out)
{
	u32 i;

	fputs("usage: faults [OPTION...]\n"
	      "Makes the k-th command of a simulated drive fail, for every k.\n"
	      "  --members N       of the array (3)\n"
	      "  --through         its write cache is through\n"
	      "  --no-fault        just the workload; with --verbose, what each drive got\n"
	      "  --at-start        count commands from the array's start on, and only those\n"
	      "                    of the start\n"
	      "  --replace         the workload in which members are replaced; --member may also\n"
	      "                    be the drive that becomes one, the last one\n"
	      "  --double          a second member fails after the first\n"
	      "  --every N         of k, in the main variants and with --double (1)\n"
	      "  --stride N        the same in the others, and in those of the start (7)\n"
	      "  --after N         stop, start again and look at it after each Nth (1)\n"
	      "  --variant V, --kind K, --member M, --nth K, --end stop|power-cut\n"
	      "  --second M, --second-nth K\n"
	      "                    this one only\n"
	      "  --verbose\n"
	      "Variants:\n", out);
	for (i = 0; i < NR_VARIANTS; i++)
		fprintf(out, "  %-14s %s: %s%s\n", variants[i].name,
			variants[i].fault, variants[i].kinds,
			variants[i].main ? "; main" : "");
	fputs("Exit status: 0 all right, 1 something is wrong, 2 trouble.\n",
	      out);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "members", required_argument, NULL, 'm' },
		{ "through", no_argument, NULL, 't' },
		{ "variant", required_argument, NULL, 'v' },
		{ "kind", required_argument, NULL, 'k' },
		{ "member", required_argument, NULL, 'M' },
		{ "nth", required_argument, NULL, 'n' },
		{ "end", required_argument, NULL, 'e' },
		{ "no-fault", no_argument, NULL, 'N' },
		{ "at-start", no_argument, NULL, 's' },
		{ "replace", no_argument, NULL, 'r' },
		{ "double", no_argument, NULL, 'd' },
		{ "second", required_argument, NULL, 'o' },
		{ "second-nth", required_argument, NULL, 'O' },
		{ "after", required_argument, NULL, 'a' },
		{ "every", required_argument, NULL, 'E' },
		{ "stride", required_argument, NULL, 'S' },
		{ "verbose", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL }
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		u32 n = optarg ? strtoul(optarg, NULL, 0) : 0;

		switch (c) {
		case 'm':
			set.members = n;
			break;
		case 't':
			set.through = 1;
			break;
		case 'v':
			only.variant = optarg;
			break;
		case 'k':
			only.kind = optarg;
			break;
		case 'M':
			only.member = n;
			break;
		case 'n':
			only.nth = n;
			break;
		case 'e':
			only.end = optarg;
			break;
		case 'N':
			only.none = true;
			break;
		case 's':
			only.at_start = true;
			break;
		case 'r':
			only.replaces = true;
			break;
		case 'd':
			only.twice = true;
			break;
		case 'o':
			only.second = n;
			break;
		case 'O':
			only.second_nth = n;
			break;
		case 'a':
			only.after = n;
			break;
		case 'E':
			only.every = n;
			break;
		case 'S':
			only.stride = n;
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
	if (optind < argc || set.members < 3 || set.members > MAX_MEMBERS ||
	    (only.replaces && (only.at_start || only.twice)) ||
	    !only.every || !only.stride || !only.after) {
		usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	return harness_run(child_main);
}
