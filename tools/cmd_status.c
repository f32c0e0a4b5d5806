// SPDX-License-Identifier: GPL-2.0
/*
 * raizn status
 */
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "tool.h"
#include "dm_event.h"
#include "rates.h"
#include "status.h"
#include "text.h"

static const char help[] =
"usage: raizn status [NAME|UUID] [--json | --blocks] [--watch[=SECONDS]]\n"
"\n"
"Tells of one array, or of all: its state, what happened, what to do, its layout,\n"
"its drives, its zones and what was read and written since it was started.\n"
"\n"
"  --json             for programs\n"
"  --blocks           list the sectors that are lost, too\n"
"  --watch[=SECONDS]  show it again when something changes, each second while a rebuild,\n"
"                     scrub or recovery runs, and after so many seconds in any case\n";

#define REFRESH	1000	/* milliseconds */

/**
 * struct choice - what is to be shown
 * @wanted:	name or UUID of the array; NULL for all
 * @json:	for programs
 * @blocks:	list lost blocks
 */
struct choice {
	const char *wanted;
	bool json;
	bool blocks;
};

static bool is_wanted(const struct overview *overview, const char *wanted)
{
	u8 uuid[RAIZN_UUID_SIZE];

	return !wanted || !strcmp(overview->name, wanted) ||
	       (parse_uuid(wanted, uuid) &&
		!memcmp(overview->uuid, uuid, sizeof(uuid)));
}

static int show(const struct overviews *overviews, const struct choice *choice)
{
	const char *wanted = choice->wanted;
	bool json = choice->json;
	struct json_object *root = json_object_new_object();
	struct json_object *list = json_list(root, "arrays");
	u32 i, shown = 0;

	for (i = 0; i < overviews->nr; i++) {
		const struct overview *overview = &overviews->list[i];

		if (!is_wanted(overview, wanted))
			continue;
		if (json) {
			status_json(list, overview);
		} else {
			if (shown)
				puts("");
			status_text(overview, choice->blocks);
		}
		shown++;
	}
	if (json && (shown || !wanted)) {
		json_print(root);
		return TOOL_OK;
	}
	json_object_put(root);
	if (wanted && !shown)
		return fail(TOOL_NOT_FOUND,
			    "%s: no array of this name or UUID found; see 'raizn list'",
			    wanted);
	if (!shown)
		puts("no arrays found");
	if (!wanted)
		overviews_tell_unusable(overviews);
	return TOOL_OK;
}

/* Does anything move that no event tells of? */
static bool is_moving(const struct overviews *overviews, const char *wanted)
{
	u32 i;

	for (i = 0; i < overviews->nr; i++) {
		const struct overview *overview = &overviews->list[i];

		if (is_wanted(overview, wanted) && overview->running &&
		    overview->state.action != ACTION_IDLE)
			return true;
	}
	return false;
}

/* @rates: of looks before, or NULL. */
static int look(const struct choice *choice, bool *moving, struct rates *rates)
{
	struct overviews overviews;
	u32 i;
	int ret;

	ret = overviews_read(&overviews);
	if (ret)
		return ret;
	for (i = 0; rates && i < overviews.nr; i++)
		if (overviews.list[i].running)
			rates_note(rates, &overviews.list[i].state);
	ret = show(&overviews, choice);
	*moving = is_moving(&overviews, choice->wanted);
	overviews_free(&overviews);
	fflush(stdout);
	return ret;
}

/* What cannot be read was told once.  An array may go while it is looked at. */
static int look_again(const struct choice *choice, bool *moving, struct rates *rates)
{
	bool before = complaints_hold_back(true);
	int ret;

	ret = look(choice, moving, rates);
	complaints_hold_back(before);
	return ret ? look(choice, moving, rates) : TOOL_OK;
}

static int watch(const struct choice *choice, int interval)
{
	bool terminal = isatty(STDOUT_FILENO), moving, again = false;
	struct rates rates = { };
	int fd, ret;

	fd = dm_event_open();
	if (fd < 0)
		return TOOL_FAILED;
	for (;;) {
		ret = dm_event_arm(fd);
		if (ret)
			break;
		if (terminal)
			fputs("\033[H\033[2J", stdout);
		else if (again && !choice->json)
			puts("");
		ret = again ? look_again(choice, &moving, &rates) :
			      look(choice, &moving, &rates);
		if (!ret)
			ret = dm_event_wait(fd, moving ? REFRESH : interval);
		if (ret || ferror(stdout))
			break;
		again = true;
	}
	rates_free(&rates);
	dm_event_close(fd);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "blocks", no_argument, NULL, 'b' },
		{ "watch", optional_argument, NULL, 'w' },
		{ }
	};
	struct choice choice = { };
	bool watching = false, moving;
	int interval = -1, option;
	u64 seconds;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			choice.json = true;
			break;
		case 'b':
			choice.blocks = true;
			break;
		case 'w':
			watching = true;
			if (!optarg)
				break;
			if (!parse_number(optarg, 86400, &seconds) || !seconds)
				return fail_usage(self, "--watch takes seconds from 1 on, not '%s'",
						  optarg);
			interval = 1000 * seconds;
			break;
		default:
			return fail_option(self, argv, option);
		}
	}
	if (argc - optind > 1)
		return fail_usage(self, "name one array, or none for all");
	choice.wanted = optind < argc ? argv[optind] : NULL;
	return watching ? watch(&choice, interval) : look(&choice, &moving, NULL);
}

const struct command command_status = {
	.name = "status",
	.help = help,
	.needs_root = true,
	.run = run,
};
