// SPDX-License-Identifier: GPL-2.0
/*
 * raizn check
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"
#include "check.h"
#include "holders.h"
#include "progress.h"
#include "text.h"

static const char help[] =
"usage: raizn check NAME|UUID [DEVICE...] [--no-parity] [--json] [--[no-]progress]\n"
"       raizn check DEVICE... [--no-parity] [--json] [--[no-]progress]\n"
"\n"
"Examines an array that does not run: every record of its logs, what a start\n"
"would do to its zones, and whether parity agrees with the data. Only reads.\n"
"Members that are missing are told; parity must make up for them.\n"
"\n"
"  --no-parity    only the metadata; does not read the data\n"
"  --json         for programs\n"
"  --progress     show how far it is also without a terminal\n"
"  --no-progress  never show that\n"
"\n"
"Exit status: 0 clean and consistent, 1 a start has work to do or a member is\n"
"missing, 2 damaged, 3 it could not be told.\n";

/* Keep others off the drives that count, and learn who uses them. */
static int hold(const struct member *member, int *fd)
{
	const struct drive *drive = &member->drive;
	char user[400];

	*fd = open(drive->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (*fd >= 0)
		return TOOL_OK;
	if (errno != EBUSY)
		return fail(TOOL_FAILED, "%s: cannot be opened: %m; check the drive",
			    drive->path);
	if (!find_owner(drive->dev, user, sizeof(user)) &&
	    !find_process(drive->dev, user, sizeof(user)))
		text_copy(user, sizeof(user), "held by the kernel");
	return fail(TOOL_REFUSED, "%s: in use: %s; only an array that is stopped can be checked",
		    drive->path, user);
}

void check_on_signal(void)
{
	progress_on_signal("check: interrupted: the part that was not examined yet may be damaged; nothing was changed");
}

/* Slots of the array, and what speaks against drives that have none. */
static int set_members(struct check *check, const struct scan *scan)
{
	const struct array *array = check->array;
	u32 i;

	for (i = 0; i < check->geo->nr_members; i++) {
		if (array->twins[i])
			return fail(TOOL_REFUSED,
				    "%s and %s hold the same member (slot %u), one is a copy; name only one of them",
				    array->slots[i]->drive.path,
				    array->twins[i]->drive.path, i);
		check->slots[i].member = array->slots[i];
	}
	for (i = 0; i < scan->nr; i++) {
		const struct member *member = scan->members[i];

		if (member->has_sb ? !member_is_of(member, array->uuid) :
				     array->nr_found == check->geo->nr_members)
			continue;
		if (member_is_unusable(member))
			check_problem(check, "%s: %s; it was left out",
				      member->drive.path, member->why);
		else if (member->verdict == MEMBER_UNFINISHED &&
			 member_event(array->newest) == 1)
			check_problem(check, "%s: its creation was interrupted",
				      member->drive.path);
	}
	return TOOL_OK;
}

static int examine(struct check *check, bool parity)
{
	int fds[RAIZN_MAX_MEMBERS], ret = TOOL_OK;
	u32 i;

	for (i = 0; i < RAIZN_MAX_MEMBERS; i++)
		fds[i] = -1;
	for (i = 0; i < check->geo->nr_members && !ret; i++)
		if (check->slots[i].member)
			ret = hold(check->slots[i].member, &fds[i]);
	if (!ret)
		ret = check_metadata(check);
	if (!ret && check->map)
		ret = check_zones(check);
	if (!ret && parity && check->map && check->geo->nr_parity)
		ret = check_parity(check);
	for (i = 0; i < RAIZN_MAX_MEMBERS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return ret;
}

static void release(struct check *check)
{
	u32 i;

	for (i = 0; i < RAIZN_MAX_MEMBERS; i++) {
		general_log_free(&check->slots[i].log);
		free(check->slots[i].zones);
	}
	free(check->zones);
	free(check->pp);
	free(check->relocated);
	free(check->work);
	free(check->leftovers);
	free(check->problems);
}

static int check_array(const struct array *array, const struct scan *scan,
		       bool parity, bool json)
{
	struct check check = { .array = array, .geo = &array->newest->geo };
	const char *name = array_name(array);
	int ret;

	if (!array->nr_found)
		return fail(TOOL_REFUSED, "%s: %s: %s", name,
			    array->newest->drive.path, array->newest->why);
	ret = set_members(&check, scan);
	if (!ret)
		ret = examine(&check, parity);
	if (!ret && json)
		check_print_json(&check);
	else if (!ret)
		check_print_text(&check);
	ret = ret ? CHECK_UNKNOWN : (int)check_result(&check);
	release(&check);
	return ret;
}

static int check(const struct scan *scan, const char *wanted, bool parity,
		 bool json)
{
	const struct array *array;
	struct array *arrays;
	int ret;
	u32 nr;

	arrays = scan_arrays(scan, &nr);
	if (!arrays)
		return CHECK_UNKNOWN;
	if (scan_find(scan, arrays, nr, wanted, &array))
		ret = CHECK_UNKNOWN;
	else
		ret = check_array(array, scan, parity, json);
	free(arrays);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "no-parity", no_argument, NULL, 'n' },
		PROGRESS_OPTIONS,
		{ }
	};
	bool json = false, parity = true;
	const char *wanted;
	struct scan scan;
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'n':
			parity = false;
			break;
		default:
			if (progress_option(option))
				break;
			fail_option(self, argv, option);
			return CHECK_UNKNOWN;
		}
	}
	if (optind == argc) {
		fail_usage(self, "name an array or its drives");
		return CHECK_UNKNOWN;
	}
	if (scan_named(&scan, argv + optind, argc - optind, &wanted))
		return CHECK_UNKNOWN;
	ret = check(&scan, wanted, parity, json);
	scan_free(&scan);
	return ret;
}

const struct command command_check = {
	.name = "check",
	.help = help,
	.needs_root = true,
	.trouble = CHECK_UNKNOWN,
	.run = run,
};
