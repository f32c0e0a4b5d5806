// SPDX-License-Identifier: GPL-2.0
/*
 * raizn inspect
 */
#include <getopt.h>
#include <stdio.h>

#include "tool.h"
#include "inspect.h"
#include "json_out.h"
#include "text.h"

static const char help[] =
"usage: raizn inspect DEVICE [superblock|log|zones] [--json]\n"
"\n"
"Decodes what an array keeps on one of its drives. Only reads; the array may be\n"
"running. Without a part, all of them are shown.\n"
"\n"
"  superblock  the newest superblock\n"
"  log         every record of every log zone, with a verdict\n"
"  zones       every zone of the drive: what it is for, how far it is written,\n"
"              and its generation by the log\n"
"  --json      for programs\n";

static const struct part {
	const char *name;
	int (*inspect)(const struct member *member, bool json);
} parts[] = {
	{ "superblock", inspect_superblock },
	{ "log", inspect_log },
	{ "zones", inspect_zones },
};

static const char *verdict_text(const struct member *member)
{
	switch (member->verdict) {
	case MEMBER_SOUND:
		return "a member";
	case MEMBER_UNFINISHED:
		return "a member of an array whose creation was interrupted";
	case MEMBER_UNSUPPORTED:
		return "a member, unsupported";
	case MEMBER_DAMAGED:
		return "a member, damaged";
	default:
		return "no member";
	}
}

static void print_head(const struct member *member, bool json)
{
	struct json_object *object;
	const char *text;

	if (!json) {
		printf("%s: %s%s%s\n", member->drive.path, verdict_text(member),
		       *member->why ? ": " : "", member->why);
		return;
	}
	object = json_object_new_object();
	json_add_text(object, "device", member->drive.path);
	json_add_text(object, "verdict", verdict_text(member));
	json_add_text(object, "why", member->why);
	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	/* The parts go on in the same object. */
	printf("%.*s", (int)strlen(text) - 1, text);
	json_object_put(object);
}

static int inspect(const struct member *member, const struct part *wanted,
		   bool json)
{
	int ret = TOOL_OK;
	size_t i;

	if (!drive_is_host_managed(&member->drive))
		return fail(TOOL_REFUSED,
			    "%s: not a host-managed zoned drive, so no member of an array",
			    member->drive.path);
	if (member->verdict == MEMBER_NONE)
		return fail(TOOL_NOT_FOUND,
			    "%s: holds no array's metadata; see 'raizn list' for drives that do",
			    member->drive.path);
	print_head(member, json);
	for (i = 0; i < ARRAY_SIZE(parts) && !ret; i++) {
		if (wanted && wanted != &parts[i])
			continue;
		printf("%s\n", json ? "," : "");
		ret = parts[i].inspect(member, json);
	}
	if (json)
		printf("\n}\n");
	if (!ret && member_is_unusable(member))
		ret = fail(TOOL_REFUSED, "%s: %s; the array cannot use it",
			   member->drive.path, member->why);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	const struct part *wanted = NULL;
	struct member member;
	bool json = false;
	int option, ret;
	size_t i;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'j')
			return fail_option(self, argv, option);
		json = true;
	}
	if (optind == argc || argc - optind > 2)
		return fail_usage(self, "name one drive and at most one part");
	if (optind + 1 < argc) {
		for (i = 0; i < ARRAY_SIZE(parts); i++)
			if (!strcmp(parts[i].name, argv[optind + 1]))
				wanted = &parts[i];
		if (!wanted)
			return fail_usage(self, "the parts are superblock, log and zones, not '%s'",
					  argv[optind + 1]);
	}
	ret = member_open(&member, argv[optind]);
	if (ret)
		return ret;
	ret = inspect(&member, wanted, json);
	member_close(&member);
	return ret;
}

const struct command command_inspect = {
	.name = "inspect",
	.help = help,
	.needs_root = true,
	.run = run,
};
