// SPDX-License-Identifier: GPL-2.0
/*
 * raizn replace
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confirm.h"
#include "copy.h"
#include "progress.h"
#include "replacement.h"
#include "service.h"
#include "text.h"
#include "trial.h"

/* How often the kernel is asked to spare a member whose copy is made. */
#define GIVE_UP_TRIES	6
#define GIVE_UP_WAIT	5	/* seconds */

static const char help[] =
"usage: raizn replace NAME|UUID SLOT|OLD-DEVICE NEW-DEVICE [--force] [--no-copy]\n"
"                     [--[no-]progress]\n"
"\n"
"Puts a drive in the place of a member while the array is in use. The drive must have\n"
"zones like those of the array's drives and enough of them; it may be larger. What a\n"
"member that works holds is copied first; it is a member as before until the copy is\n"
"nearly complete. What cannot be copied, or has changed, is rebuilt.\n"
"\n"
"  --force        do not ask; destroy the contents of the new drive\n"
"  --no-copy      call a member that works failed at once, and rebuild all it held:\n"
"                 until that is done the array survives no further failure\n"
"  --progress     show how far it is also without a terminal\n"
"  --no-progress  never show that\n";

/**
 * struct request - what the user wants
 * @word:	slot or drive of the member
 * @path:	the new drive
 * @force:	do not ask
 * @no_copy:	give up a member that works at once
 */
struct request {
	const char *word;
	const char *path;
	bool force;
	bool no_copy;
};

/* A drive of the array would only be called busy. */
static int check_new(const struct running *running, u32 slot, const char *path)
{
	const char *name = running_name(running);
	struct stat st;
	u32 i;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return TOOL_OK;	/* whoever opens it says more */
	for (i = 0; i < running->roster.nr; i++)
		if (running->roster.slots[i].dev == st.st_rdev)
			return fail(TOOL_REFUSED,
				    "%s: is in slot %u of %s already; give another drive, or take it back with 'raizn add %s %s'",
				    path, i, name, name, path);
	return replacement_check_alone(running, slot, st.st_rdev, path);
}

/*
 * A member that works is given up only for a drive that is ready, and a drive is emptied
 * only for a member that can be given up: which comes first depends on what is in doubt.
 */
static int confirm_fail(const struct running *running, u32 slot, bool force)
{
	if (service_slot_gone(running, slot))
		return TOOL_OK;
	return confirm(force,
		       "%s: %s works and will be called failed; until the new drive is rebuilt the array survives no further failure",
		       running_name(running),
		       roster_text(&running->roster, slot).s);
}

static int free_slot(const struct running *running, u32 slot)
{
	struct slot_text who = roster_text(&running->roster, slot);
	const char *name = running_name(running);
	int ret;

	if (service_slot_gone(running, slot))
		return TOOL_OK;
	ret = running_fail(running, slot, false);
	if (!ret)
		printf("%s: %s is called failed now\n", name, who.s);
	return ret;
}

/* Zones that lack columns may need it, and sectors that other drives could not read. */
static bool is_in_doubt(const struct running *running, u32 slot)
{
	const struct volume_state *state = &running->state;
	u32 i;

	for (i = 0; i < state->nr_members; i++)
		if (i != slot && state->errors[i].read)
			return true;
	return state->degraded_zones;
}

/*
 * A member that works, and that can be read.  With lost blocks the kernel spares hardly any member,
 * and says so at once.
 */
static bool can_copy(const struct running *running, u32 slot)
{
	const struct member *member = running->array ? running->array->slots[slot] : NULL;

	return member && member->verdict == MEMBER_SOUND && !running->state.lost_sectors &&
	       running->state.letters[slot] == 'A' &&
	       running->roster.slots[slot].member == member;
}

/* Commands may change the array while the copy is made, and may have done so. */
static int open_again(struct running *running, u32 slot, const u8 *member)
{
	struct uuid_text uuid = uuid_text(running->state.volume.uuid);
	const struct array *array;
	int ret;

	ret = running_open(running, uuid.s);
	if (ret)
		return ret;
	ret = running_fail_gone(running, NULL);
	if (ret)
		return ret;
	array = running->array;
	if (!array || !array->slots[slot] ||
	    memcmp(member_sb(array->slots[slot])->member_uuid, member, RAIZN_UUID_SIZE))
		return fail(TOOL_FAILED,
			    "%s: another drive is in slot %u by now, so the copy is of no use",
			    running_name(running), slot);
	if (running->state.letters[slot] == 'R')
		return fail(TOOL_REFUSED, "%s: slot %u is being rebuilt itself, so the copy is of no use",
			    running_name(running), slot);
	return service_check_spared(running, slot);
}

/* No signal ends the command while the slot has no drive. */
static void hold_signals(bool on)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGPIPE);
	sigprocmask(on ? SIG_BLOCK : SIG_UNBLOCK, &signals, NULL);
}

/* The array may be at work with something that needs the member for a moment. */
static int give_up(struct running *running, u32 slot, struct copy *copy, const u8 *member)
{
	struct volume volume = running->state.volume;
	bool before, near = true;
	u32 tries;
	int ret;

	for (tries = 0;; tries++) {
		before = complaints_hold_back(tries < GIVE_UP_TRIES);
		ret = open_again(running, slot, member);
		if (!ret)
			ret = copy_is_near(copy, &near);
		if (!ret && near) {
			hold_signals(true);
			ret = free_slot(running, slot);
			if (ret)
				hold_signals(false);
		}
		complaints_hold_back(before);
		if ((!ret && near) || (ret && tries == GIVE_UP_TRIES))
			return ret;
		if (tries == GIVE_UP_TRIES)
			return fail(TOOL_FAILED,
				    "%s: slot %u is written as fast as it is copied; try again when less is written, or with --no-copy",
				    running_name(running), slot);
		running_close(running);
		running->state.volume = volume;
		if (ret) {
			sleep(GIVE_UP_WAIT);
			continue;
		}
		ret = copy_passes(copy);
		if (ret)
			return ret;
	}
}

static int confirm_unreadable(const struct copy *copy, const struct running *running, bool force)
{
	u32 nr = copy_unreadable(copy);

	if (!nr)
		return TOOL_OK;
	return confirm(force,
		       "%s: %u zones of the member cannot be read to their ends and would be computed; what another drive cannot read there is lost then",
		       running_name(running), nr);
}

/* Finish the copy, and have it take the member's place, or else the member itself. */
static int change_over(struct running *running, u32 slot, struct copy *copy,
		       struct candidate *candidate)
{
	/* The kernel failed it, or this command did. */
	bool works = running->state.letters[slot] == 'A';
	dev_t former = running->roster.slots[slot].dev;
	int ret;

	ret = copy_finish(copy);
	copy_end(copy);
	if (!ret)
		ret = replacement_take(running, slot, candidate);
	if (ret && works && former && !running_rebuild(running, slot, former))
		complain("%s: slot %u has its former drive again", running_name(running), slot);
	return ret;
}

/* Copy, with the array open for other commands, then give up the member for its copy. */
static int copy_member(struct running *running, u32 slot, struct candidate *candidate, bool force)
{
	struct copy *copy = copy_begin(running, slot, candidate);
	struct volume volume = running->state.volume;
	u8 member[RAIZN_UUID_SIZE];
	int ret;

	if (!copy)
		return TOOL_FAILED;
	memcpy(member, member_sb(running->array->slots[slot])->member_uuid, RAIZN_UUID_SIZE);
	running_close(running);
	running->state.volume = volume;
	ret = copy_passes(copy);
	if (!ret)
		ret = confirm_unreadable(copy, running, force);
	if (!ret)
		ret = give_up(running, slot, copy, member);
	if (!ret)
		return change_over(running, slot, copy, candidate);
	copy_end(copy);
	return ret;
}

static int replace(struct running *running, const struct request *request)
{
	const char *path = request->path;
	bool force = request->force, free_first, copies;
	struct candidate *candidate;
	struct vacancy vacancy;
	u32 slot;
	int ret;

	ret = running_slot(running, request->word, &slot);
	if (!ret)
		ret = running_fail_gone(running, NULL);
	if (!ret)
		ret = service_check_spared(running, slot);
	if (!ret)
		ret = check_new(running, slot, path);
	if (!ret)
		ret = replacement_vacancy(running, slot, &vacancy);
	if (!ret)
		ret = candidate_open_for(path, &vacancy, false,
					 force ? CONTENT_DESTROY : CONTENT_ASK,
					 &candidate);
	if (ret)
		return ret;
	copies = !request->no_copy && can_copy(running, slot);
	free_first = !copies && is_in_doubt(running, slot);
	ret = copies ? TOOL_OK : confirm_fail(running, slot, force);
	if (!ret)
		ret = replacement_confirm(running, slot, force);
	if (!ret)
		ret = drives_try(candidate, 1);
	if (!ret && free_first)
		ret = free_slot(running, slot);
	if (!ret)
		ret = replacement_prepare(candidate, true);
	if (!ret && copies) {
		ret = copy_member(running, slot, candidate, force);
	} else {
		if (!ret && !free_first)
			ret = free_slot(running, slot);
		if (!ret)
			ret = replacement_take(running, slot, candidate);
	}
	candidates_close(candidate, 1);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, 'f' },
		{ "no-copy", no_argument, NULL, 'n' },
		PROGRESS_OPTIONS,
		{ }
	};
	struct request request = { };
	struct running running;
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == 'f')
			request.force = true;
		else if (option == 'n')
			request.no_copy = true;
		else if (!progress_option(option))
			return fail_option(self, argv, option);
	}
	if (argc - optind != 3)
		return fail_usage(self,
				  "name an array, one of its members and the new drive");
	ret = running_open(&running, argv[optind]);
	if (ret)
		return ret;
	request.word = argv[optind + 1];
	request.path = argv[optind + 2];
	ret = replace(&running, &request);
	running_close(&running);
	return ret;
}

const struct command command_replace = {
	.name = "replace",
	.help = help,
	.needs_root = true,
	.run = run,
};
