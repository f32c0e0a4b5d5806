// SPDX-License-Identifier: GPL-2.0
/*
 * Exhaustive exploration of the crash model.
 *
 * All sequences of operations up to a length, from a new array; every state a
 * power cut can leave behind, at every moment; every set of members that may be
 * lost after it; recovery; in it, at every step, the same again; then what
 * recovery came to is checked, and the array goes on from there, crashes again,
 * and so on.  Equal states are looked at once.
 *
 *	crash_model [--long] [--jobs N]
 *	crash_model --replay "STRING"	what a failure printed
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../raizn/core/parity.h"
#include "model.h"

/* Configurations of a run. */
static const struct config normal[] = {
	/* level members unit stripes through relocate depth redepth */
	{ 6, 5, 1, 2, 0, 0, 2, 1 },
	{ 6, 5, 2, 1, 0, 0, 2, 0 },
	{ 6, 4, 2, 2, 1, 0, 2, 1 },
	{ 6, 4, 1, 2, 0, 0, 3, 1 },
	{ 5, 5, 1, 2, 0, 0, 3, 1 },
	{ 5, 4, 1, 3, 0, 0, 3, 1 },
	{ 5, 3, 4, 2, 0, 0, 3, 1 },
	{ 5, 3, 2, 2, 1, 0, 3, 2 },
	{ 5, 3, 2, 2, 0, 0, 3, 2 },
	{ 1, 3, 2, 2, 0, 0, 3, 1 },
	{ 1, 2, 2, 3, 0, 0, 3, 2 },
	{ 0, 3, 2, 2, 0, 0, 3, 2 },
	{ 5, 3, 2, 2, 0, 1, 3, 2 },
	{ 6, 4, 2, 2, 0, 1, 2, 0 },
	{ 1, 3, 2, 2, 0, 1, 2, 1 },
	{ 0, 3, 2, 2, 0, 1, 3, 1 },
};

static const struct config thorough[] = {
	{ 6, 5, 1, 2, 0, 0, 3, 2 },
	{ 6, 5, 2, 1, 0, 0, 3, 2 },
	{ 6, 4, 2, 2, 0, 0, 3, 1 },
	{ 6, 4, 2, 2, 1, 0, 3, 2 },
	{ 6, 4, 1, 3, 0, 0, 4, 1 },
	{ 5, 5, 1, 2, 0, 0, 4, 2 },
	{ 5, 4, 1, 3, 0, 0, 4, 2 },
	{ 5, 4, 2, 2, 0, 0, 3, 2 },
	{ 5, 3, 4, 2, 0, 0, 3, 2 },
	{ 5, 3, 2, 3, 1, 0, 4, 2 },
	{ 5, 3, 2, 3, 0, 0, 4, 2 },
	{ 1, 3, 2, 2, 0, 0, 4, 2 },
	{ 1, 2, 2, 3, 0, 0, 4, 2 },
	{ 0, 3, 2, 2, 0, 0, 4, 2 },
	{ 5, 3, 4, 2, 0, 1, 3, 1 },
	{ 5, 4, 1, 3, 0, 1, 3, 1 },
	{ 6, 4, 2, 2, 0, 1, 2, 1 },
};

struct result *result;
u64 limit;
struct token path[MAX_PATH];
u32 path_nr;
bool replaying;

/* In a replay only this path is taken. */
static struct token guide[MAX_PATH];
static u32 guide_nr;

static const char op_letter[] = "wWfirxsbme";

bool push(char kind, u32 n, struct op op)
{
	struct token t = { kind, op.kind, op.arg, n };

	if (path_nr == MAX_PATH)
		abort();
	if (replaying &&
	    (path_nr >= guide_nr || memcmp(&guide[path_nr], &t, sizeof(t))))
		return false;
	path[path_nr++] = t;
	return true;
}

static int print_path(char *to, size_t size)
{
	int n = snprintf(to, size, "%u,%u,%u,%u,%u,%u,%llu", cfg.level, cfg.members,
			 cfg.su, cfg.stripes, cfg.through, cfg.relocate,
			 (unsigned long long)limit);
	u32 i;

	for (i = 0; i < path_nr; i++) {
		if (path[i].kind == 'o')
			n += snprintf(to + n, size - n, " %c%u",
				      op_letter[path[i].op], path[i].arg);
		else
			n += snprintf(to + n, size - n, " %c%u", path[i].kind,
				      path[i].n);
	}
	return n;
}

static void parse_path(char *text)
{
	struct token *t = guide;
	char *word = strtok(text, " ");
	unsigned long long l;

	if (!word || sscanf(word, "%u,%u,%u,%u,%u,%u,%llu", &cfg.level,
			    &cfg.members, &cfg.su, &cfg.stripes, &cfg.through,
			    &cfg.relocate, &l) != 7) {
		fprintf(stderr, "that is not what a failure prints\n");
		exit(2);
	}
	limit = l;
	while ((word = strtok(NULL, " ")) && t < guide + MAX_PATH) {
		const char *op = strchr(op_letter, word[0]);

		memset(t, 0, sizeof(*t));
		t->kind = op ? 'o' : word[0];
		if (op) {
			t->op = (u8)(op - op_letter);
			t->arg = (u8)atoi(word + 1);
		} else {
			t->n = (u32)atoi(word + 1);
		}
		t++;
	}
	guide_nr = (u32)(t - guide);
	replaying = true;
}

static void finish_child(void)
{
	if (replaying)
		exit(!!result->failed);
	_exit(0);
}

void violation(const char *fmt, ...)
{
	char *t = result->text;
	size_t size = sizeof(result->text);
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t, size, fmt, args);
	va_end(args);
	n += snprintf(t + n, size - n, "; --replay \"");
	n += print_path(t + n, size - n);
	snprintf(t + n, size - n, "\"");
	result->failed = VIOLATED;
	if (replaying)
		printf("violation: %s\n", t);
	finish_child();
	abort();
}

static void check_arithmetic(void)
{
	u64 d[3] = { 0x0123456789abcdefULL, 0xfedcba9876543210ULL,
		     0x8040201008040201ULL };
	u64 p, q, v = 0;
	u32 i;

	for (i = 0; i < 3; i++) {
		raizn_parity_add(&p, &q, &d[i], sizeof(u64), i);
		v ^= gf_power(d[i], i);
	}
	if (p != (d[0] ^ d[1] ^ d[2]) || q != v) {
		fprintf(stderr, "the model's arithmetic is not the module's\n");
		exit(2);
	}
}

static void explore_all(void)
{
	static struct run r;

	geometry_setup();
	check_arithmetic();
	run_init(&r);
	explore(&r, replaying ? MAX_PATH : cfg.depth);
	explore_bases();
}

static const char *describe(const struct config *c)
{
	static char text[128];

	snprintf(text, sizeof(text),
		 "level %u, %u members, unit %u, %u stripes, write_cache=%s%s",
		 c->level, c->members, c->su, c->stripes,
		 c->through ? "through" : "back",
		 c->relocate ? ", debris stays" : "");
	return text;
}

static int replay(char *text)
{
	parse_path(text);
	result = calloc(1, sizeof(*result));
	if (!result)
		abort();
	printf("%s\n", describe(&cfg));
	explore_all();
	printf("no violation\n");
	return 0;
}

/* Wait for one of the children and say what came of it. */
static bool reap(const pid_t *pids, const struct config *configs,
		 const struct result *all, u32 nr)
{
	const struct result *r;
	pid_t pid = wait(NULL);
	u32 i;

	for (i = 0; i < nr && pids[i] != pid; i++)
		;
	if (i == nr)
		return true;
	r = &all[i];
	printf("# %s: %llu states (%llu of crashed recoveries), %llu operations, %llu recovered arrays, %llu moments, %llu thinned\n",
	       describe(&configs[i]), (unsigned long long)r->states,
	       (unsigned long long)r->nested,
	       (unsigned long long)r->operations,
	       (unsigned long long)r->resumed,
	       (unsigned long long)r->moments,
	       (unsigned long long)r->thinned);
	if (!r->failed) {
		printf("ok - model: %s\n", describe(&configs[i]));
		return true;
	}
	printf("not ok - model: %s (%s)\n", describe(&configs[i]), r->text);
	return false;
}

int main(int argc, char **argv)
{
	const struct config *configs = normal;
	u32 nr = ARRAY_SIZE(normal);
	u32 jobs = 2, only = ~0U, running = 0, i;
	bool stop = false, failed = false;
	pid_t parent = getpid(), pid;
	pid_t pids[ARRAY_SIZE(thorough)] = { 0 };
	struct result *all;
	u64 states = 0;

	limit = 5000;
	for (i = 1; i < (u32)argc; i++) {
		if (!strcmp(argv[i], "--long")) {
			configs = thorough;
			nr = ARRAY_SIZE(thorough);
			limit = 20000;
		} else if (!strcmp(argv[i], "--replay") && i + 1 < (u32)argc) {
			return replay(argv[i + 1]);
		} else if (!strcmp(argv[i], "--jobs") && i + 1 < (u32)argc) {
			jobs = (u32)atoi(argv[++i]);
		} else if (!strcmp(argv[i], "--only") && i + 1 < (u32)argc) {
			only = (u32)atoi(argv[++i]);
		} else if (!strcmp(argv[i], "--stop")) {
			stop = true;
		} else {
			fprintf(stderr, "usage: crash_model [--long] [--jobs N] [--only N] [--stop] | --replay STRING\n");
			return 2;
		}
	}

	all = mmap(NULL, nr * sizeof(*all), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < nr; i++) {
		if (only != ~0U && i != only)
			continue;
		if (running == jobs) {
			failed |= !reap(pids, configs, all, nr);
			running--;
		}
		if (stop && failed)
			break;
		pid = fork();
		if (!pid) {
			/* nobody is left behind by a timeout */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(2);
			cfg = configs[i];
			result = &all[i];
			result->failed = UNFINISHED;
			snprintf(result->text, sizeof(result->text),
				 "did not come to its end");
			explore_all();
			result->failed = 0;
			finish_child();
		}
		pids[i] = pid;
		running++;
	}
	/* the end of this process is the end of the others, see above */
	for (; running && !(stop && failed); running--)
		failed |= !reap(pids, configs, all, nr);
	for (i = 0; i < nr; i++)
		states += all[i].states;
	printf("# crash states: %llu\n", (unsigned long long)states);
	return failed;
}
