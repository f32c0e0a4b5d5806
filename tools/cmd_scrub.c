// SPDX-License-Identifier: GPL-2.0
/*
 * raizn scrub
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"
#include "background.h"
#include "confirm.h"
#include "mismatches.h"
#include "progress.h"
#include "text.h"

static const char help[] =
"usage: raizn scrub NAME|UUID [check|repair] [--from ZONE] [--force]\n"
"                   [--wait [--[no-]progress]]\n"
"       raizn scrub NAME|UUID pause|resume|stop\n"
"\n"
"Reads all data and compares it with its parity while the array is in use. 'check',\n"
"the default, counts stripes that do not match. 'repair' also computes their parity\n"
"anew from the data: what the data were if they are wrong is lost with that.\n"
"\n"
"  --from         begin with a zone, as one that was stopped says\n"
"  --force        do not ask before 'repair'\n"
"  --wait         until it is done, also for one that was begun before; fails if\n"
"                 stripes that do not match are left\n"
"  --progress     show how far it is also without a terminal\n"
"  --no-progress  never show that\n";

enum verb {
	CHECK,
	REPAIR,
	PAUSE,
	RESUME,
	STOP,
	NR_VERBS,
};

static const char *const verbs[NR_VERBS] = {
	[CHECK] = "check",
	[REPAIR] = "repair",
	[PAUSE] = "pause",
	[RESUME] = "resume",
	[STOP] = "stop",
};

static bool parse_verb(const char *word, enum verb *verb)
{
	u32 i;

	for (i = 0; i < NR_VERBS; i++) {
		if (!strcmp(word, verbs[i])) {
			*verb = i;
			return true;
		}
	}
	return false;
}

/* In all zones: single ones that lack a column are passed over. */
static bool lacks_parity(const struct volume_state *state)
{
	return !strcmp(state->state, "failed") ||
	       strspn(state->letters, "A") != state->nr_members;
}

static int check_begin(const struct volume_state *state)
{
	const char *name = state->volume.name;

	if (is_scrubbing(state))
		return fail(TOOL_REFUSED,
			    "%s: a %s is %s already; wait for it ('raizn scrub %s --wait') or stop it ('raizn scrub %s stop')",
			    name, action_names[state->action],
			    state->paused ? "paused" : "running", name, name);
	if (state->action == ACTION_REBUILD)
		return fail(TOOL_REFUSED,
			    "%s: it is being rebuilt; wait for that ('raizn rebuild %s --wait')",
			    name, name);
	if (lacks_parity(state))
		return fail(TOOL_REFUSED,
			    "%s: it is %s, so there is no parity left to compare with; see 'raizn status %s'",
			    name, state->state, name);
	return TOOL_OK;
}

/* What the user asks for; @given: with a word for it. */
struct wish {
	enum verb verb;
	bool given;
	u32 from;
	bool wait;
	bool force;
};

static int send(const struct volume_state *state, const struct wish *wish)
{
	const char *name = state->volume.name;
	int ret = TOOL_OK;
	char text[48];

	snprintf(text, sizeof(text), "scrub %s", verbs[wish->verb]);
	if (wish->verb == CHECK || wish->verb == REPAIR) {
		snprintf(text, sizeof(text), "scrub %s %u", verbs[wish->verb],
			 wish->from);
		ret = check_begin(state);
	} else if (!is_scrubbing(state)) {
		ret = fail(TOOL_REFUSED, "%s: no scrub is running", name);
	}
	if (!ret && wish->verb == REPAIR)
		ret = confirm(wish->force,
			      "%s: parity that does not match its data will be overwritten, or the unit that two parities or three copies show to be wrong",
			      name);
	return ret ? ret : volume_message(&state->volume, text);
}

static int tell_result(const struct volume_state *state)
{
	unsigned long long wrong = state->mismatches, right = state->repaired;
	const char *name = state->volume.name;
	struct volume_state now;
	int ret;

	if (lacks_parity(state))
		return fail(TOOL_FAILED,
			    "%s: it is %s now, the scrub did not come to its end; see 'raizn status %s'",
			    name, state->state, name);
	ret = volume_state_read(&state->volume, &now);
	if (ret)
		return ret;
	if (state->scrub_next < now.nr_zones)
		return fail(TOOL_FAILED,
			    "%s: the scrub was stopped before its end; 'raizn scrub %s --from %llu' goes on",
			    name, name, (unsigned long long)state->scrub_next);
	if (!wrong)
		printf("%s: all parity that was compared matches\n", name);
	else
		printf("%s: %llu stripe%s did not match, %llu repaired\n", name,
		       wrong, plural(wrong), right);
	mismatches_text(state, "  ");
	if (now.degraded_zones)
		printf("%s: %llu zone%s not compared, for want of a column; see 'raizn status %s'\n",
		       name, (unsigned long long)now.degraded_zones,
		       now.degraded_zones == 1 ? " was" : "s were", name);
	return right < wrong ? TOOL_FAILED : TOOL_OK;
}

static void tell_stop(const struct volume_state *state)
{
	struct volume_state now;

	printf("%s: scrub stopped\n", state->volume.name);
	if (!volume_state_read(&state->volume, &now))
		background_tell_left(state, &now);
}

static int scrub(const char *wanted, const struct wish *wish)
{
	static const char *const done[] = {
		[CHECK] = "check begun",
		[REPAIR] = "repair begun",
		[PAUSE] = "scrub paused",
		[RESUME] = "scrub goes on",
	};
	struct volume_state state;
	struct volume volume;
	int ret;

	ret = volume_wanted(wanted, &volume);
	if (!ret)
		ret = volume_state_read_lines(&volume, &state);
	if (ret)
		return ret;
	/* Asked only to wait, it waits for what there is. */
	if (wish->given || !wish->wait || !is_scrubbing(&state))
		ret = send(&state, wish);
	if (ret)
		return ret;
	if (wish->verb == STOP) {
		tell_stop(&state);
		return TOOL_OK;
	}
	if (!wish->wait) {
		printf("%s: %s\n", volume.name, done[wish->verb]);
		return TOOL_OK;
	}
	ret = background_wait(&state, is_scrubbing);
	return ret ? ret : tell_result(&state);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "from", required_argument, NULL, 'z' },
		{ "wait", no_argument, NULL, 'w' },
		{ "force", no_argument, NULL, 'f' },
		PROGRESS_OPTIONS,
		{ }
	};
	struct wish wish = { .verb = CHECK };
	bool from = false;
	int option;
	u64 zone;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'z':
			if (!parse_number(optarg, UINT32_MAX, &zone))
				return fail_usage(self,
						  "--from: '%s' is not the number of a zone",
						  optarg);
			wish.from = zone;
			from = true;
			break;
		case 'w':
			wish.wait = true;
			break;
		case 'f':
			wish.force = true;
			break;
		default:
			if (progress_option(option))
				break;
			return fail_option(self, argv, option);
		}
	}
	if (argc - optind < 1 || argc - optind > 2)
		return fail_usage(self, "name one array, and what to do");
	/* Where to begin is said of a scrub that begins. */
	wish.given = argc - optind == 2 || from;
	if (argc - optind == 2 && !parse_verb(argv[optind + 1], &wish.verb))
		return fail_usage(self,
				  "'%s' is none of check, repair, pause, resume and stop",
				  argv[optind + 1]);
	if ((wish.wait || from) && wish.verb != CHECK && wish.verb != REPAIR)
		return fail_usage(self, "%s is for check and repair",
				  from ? "--from" : "--wait");
	return scrub(argv[optind], &wish);
}

const struct command command_scrub = {
	.name = "scrub",
	.help = help,
	.needs_root = true,
	.run = run,
};
