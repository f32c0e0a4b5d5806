// SPDX-License-Identifier: GPL-2.0
/*
 * raizn set
 */
#include <getopt.h>
#include <stdio.h>

#include "tool.h"
#include "text.h"
#include "volume_state.h"

static const char help[] =
"usage: raizn set NAME|UUID SETTING=VALUE...\n"
"\n"
"Changes how a running array behaves, now and when it is started again. 'raizn status'\n"
"shows what is set.\n"
"\n"
"  speed_min=SIZE  rate at which it rebuilds and scrubs also while the volume is busy,\n"
"                  per second and member; 10M by default, 0 for none\n"
"  speed_max=SIZE  rate that it does not exceed; 0, the default, for no limit\n"
"  error_limit=N   read and write errors after which a member fails; 20 by default, 0\n"
"                  for never\n"
"  trust_buffers=yes|no\n"
"                  whether programs are trusted not to change a buffer while it is being\n"
"                  written with O_DIRECT; no by default: what they write is copied\n"
"  autostart=complete|no|degraded-after=SECONDS\n"
"                  whether it starts by itself when the machine boots or drives come: if\n"
"                  all are there, the default, never, or also without missing ones so\n"
"                  long after the first; a drive that comes later is added again\n";

/* Seconds of autostart=degraded-after=: a year. */
#define AUTOSTART_MOST	31536000U

/**
 * struct setting - one assignment
 * @key:	word of the message
 * @value:	number in it
 */
struct setting {
	const char *key;
	u64 value;
};

static int parse_speed(const struct command *self, const char *key,
		       const char *text, u64 *kib)
{
	u64 bytes;

	if (!parse_size(text, &bytes) || (bytes && bytes < 1024) ||
	    bytes >> 10 > UINT32_MAX)
		return fail_usage(self,
				  "%s is a size from 1K to 4095G, such as 100M, or 0, not '%s'",
				  key, text);
	*kib = bytes >> 10;
	return TOOL_OK;
}

static int parse_answer(const struct command *self, const char *key,
			const char *text, u64 *answer)
{
	*answer = !strcmp(text, "yes");
	if (!*answer && strcmp(text, "no"))
		return fail_usage(self, "%s is yes or no, not '%s'", key, text);
	return TOOL_OK;
}

static int parse_autostart(const struct command *self, const char *text,
			   u64 *policy)
{
	static const char after[] = "degraded-after=";

	if (!strcmp(text, "complete"))
		*policy = RAIZN_AUTOSTART_COMPLETE;
	else if (!strcmp(text, "no"))
		*policy = RAIZN_AUTOSTART_NO;
	else if (strncmp(text, after, strlen(after)) ||
		 !parse_number(text + strlen(after), AUTOSTART_MOST, policy) ||
		 !*policy)
		return fail_usage(self,
				  "autostart is complete, no, or degraded-after= and seconds from 1 to %u, not '%s'",
				  AUTOSTART_MOST, text);
	return TOOL_OK;
}

static int parse_setting(const struct command *self, const char *word,
			 struct setting *setting)
{
	static const char *const keys[] = {
		"speed_min", "speed_max", "error_limit", "trust_buffers",
		"autostart",
	};
	const char *value = strchr(word, '=');
	size_t len = value ? value - word : 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys) && value; i++)
		if (strlen(keys[i]) == len && !strncmp(word, keys[i], len))
			break;
	if (!value || i == ARRAY_SIZE(keys))
		return fail_usage(self,
				  "'%s' is none of speed_min=, speed_max=, error_limit=, trust_buffers= and autostart=",
				  word);
	setting->key = keys[i];
	if (i < 2)
		return parse_speed(self, keys[i], value + 1, &setting->value);
	if (i == 3)
		return parse_answer(self, keys[i], value + 1, &setting->value);
	if (i == 4)
		return parse_autostart(self, value + 1, &setting->value);
	if (!parse_number(value + 1, UINT32_MAX, &setting->value))
		return fail_usage(self, "error_limit is a number, or 0, not '%s'",
				  value + 1);
	return TOOL_OK;
}

static int apply(const struct volume *volume, const struct setting *setting)
{
	char text[64];

	snprintf(text, sizeof(text), "set %s %llu", setting->key,
		 (unsigned long long)setting->value);
	return volume_message(volume, text);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = { { } };
	struct setting settings[8];
	struct volume volume;
	int option, ret, i;
	u32 nr = 0;

	opterr = 0;
	option = getopt_long(argc, argv, ":", options, NULL);
	if (option != -1)
		return fail_option(self, argv, option);
	if (argc - optind < 2)
		return fail_usage(self, "name an array and what to set");
	if (argc - optind - 1 > (int)ARRAY_SIZE(settings))
		return fail_usage(self, "set each thing once");
	for (i = optind + 1; i < argc; i++) {
		ret = parse_setting(self, argv[i], &settings[nr++]);
		if (ret)
			return ret;
	}
	ret = volume_wanted(argv[optind], &volume);
	for (i = 0; i < (int)nr && !ret; i++)
		ret = apply(&volume, &settings[i]);
	return ret;
}

const struct command command_set = {
	.name = "set",
	.help = help,
	.needs_root = true,
	.run = run,
};
