// SPDX-License-Identifier: GPL-2.0
/*
 * raizn status
 */
#include <getopt.h>
#include <stdio.h>

#include "tool.h"
#include "json_out.h"
#include "overview.h"
#include "text.h"

static const char help[] =
"usage: raizn status [NAME|UUID] [--json]\n"
"\n"
"Tells of one array, or of all: its state, what happened, what to do, its layout,\n"
"its drives, its zones and what was read and written since it was started.\n"
"\n"
"  --json  for programs\n";

struct traffic {
	u64 read;	/* sectors since the system started */
	u64 written;
};

static struct traffic drive_traffic(const struct drive *drive)
{
	unsigned long long read, written;
	struct traffic traffic = { };
	char line[200];

	if (drive_attribute(drive, "stat", line, sizeof(line)) &&
	    sscanf(line, "%*u %*u %llu %*u %*u %*u %llu", &read, &written) == 2) {
		traffic.read = read;
		traffic.written = written;
	}
	return traffic;
}

/* Member bytes written for each byte the user wrote; 0 if there was none. */
static double amplification(const struct volume_state *state, u64 sectors)
{
	u64 user = state->counters[USER_WRITTEN];

	return user ? (double)sectors / user : 0;
}

static void text_layout(const struct overview *overview)
{
	const struct member *newest = overview->array->newest;
	const struct raizn_geometry *geo = &newest->geo;
	u32 flags = le32_to_cpu(member_sb(newest)->flags);
	const char *cache = flags & RAIZN_SB_WRITE_THROUGH ? "through" : "back";

	if (newest->verdict != MEMBER_SOUND)
		return;
	if (overview->running)
		cache = overview->state.write_cache;
	printf("  layout: level %u of %u drives, stripe unit %s, write cache %s\n",
	       geo->level, geo->nr_members, sectors_text(geo->su).s, cache);
	printf("capacity: %s in %u zones of %s, of which %s can be written\n",
	       sectors_text((u64)geo->nr_zones * geo->zone_cap).s,
	       geo->nr_zones, sectors_text(geo->zone_size).s,
	       sectors_text(geo->zone_cap).s);
	if (geo->first_zone)
		printf("          %u conventional zones of each drive are not used\n",
		       geo->first_zone);
}

static void text_zones(const struct volume_state *state)
{
	const char *separator = "   zones: ";
	u32 i;

	for (i = 0; i < NR_ZONE_COUNTS; i++) {
		if (!state->zones[i])
			continue;
		printf("%s%u %s", separator, state->zones[i],
		       zone_count_names[i]);
		separator = ", ";
	}
	puts("");
	printf("  limits: %llu of %llu zones open, %llu of %llu active\n",
	       (unsigned long long)state->open,
	       (unsigned long long)state->max_open,
	       (unsigned long long)state->active,
	       (unsigned long long)state->max_active);
}

static void text_counters(const struct volume_state *state)
{
	const u64 *counters = state->counters;
	u64 all = member_sectors_written(state);

	puts("\nsince it was started:");
	printf("  read by users      %-12s from drives  %s\n",
	       sectors_text(counters[USER_READ]).s,
	       sectors_text(counters[MEMBER_READ]).s);
	printf("  written by users   %-12s to drives    %s\n",
	       sectors_text(counters[USER_WRITTEN]).s, sectors_text(all).s);
	printf("    data             %-12s parity       %s\n",
	       sectors_text(counters[DATA_WRITTEN]).s,
	       sectors_text(counters[PARITY_WRITTEN]).s);
	printf("    partial parity   %-12s metadata     %s\n",
	       sectors_text(counters[PARTIAL_PARITY_WRITTEN]).s,
	       sectors_text(counters[METADATA_WRITTEN]).s);
	if (counters[USER_WRITTEN])
		printf("  write amplification %.3f\n", amplification(state, all));
	printf("  flushes sent to drives %llu, log switches %llu\n",
	       (unsigned long long)counters[FLUSHES_SENT],
	       (unsigned long long)counters[LOG_SWITCHES]);
}

static void text_members(const struct overview *overview)
{
	const struct array *array = overview->array;
	u32 slot;

	printf("\n%-4s  %-20s  %-10s  %-10s  %-10s  %s\n", "slot", "drive",
	       "state", "read", "written", "serial");
	for (slot = 0; slot < overview_nr_members(overview); slot++) {
		const struct member *member = array ? array->slots[slot] : NULL;
		struct traffic traffic;

		if (!member) {
			printf("%-4u  %-20s  %s\n", slot, "-",
			       overview_member_state(overview, slot));
			continue;
		}
		traffic = drive_traffic(&member->drive);
		printf("%-4u  %-20s  %-10s  %-10s  %-10s  %s\n", slot,
		       member->drive.path,
		       overview_member_state(overview, slot),
		       sectors_text(traffic.read).s,
		       sectors_text(traffic.written).s,
		       *member->drive.serial ? member->drive.serial : "-");
	}
}

static void status_text(const struct overview *overview)
{
	const struct array *array = overview->array;

	printf("   array: %s\n", overview->name);
	printf("    uuid: %s\n", uuid_text(overview->uuid).s);
	if (array && *array->newest->label)
		printf("   label: %s\n", array->newest->label);
	printf("   state: %s\n", overview->condition);
	printf("  status: %s\n", overview->happened);
	printf("  action: %s\n", overview->action);
	if (array)
		text_layout(overview);
	if (overview->running)
		text_zones(&overview->state);
	text_members(overview);
	if (overview->running)
		text_counters(&overview->state);
}

static void json_layout(struct json_object *object,
			const struct overview *overview)
{
	const struct member *newest = overview->array->newest;
	u32 flags = le32_to_cpu(member_sb(newest)->flags);
	const struct raizn_geometry *geo = &newest->geo;
	const char *cache = flags & RAIZN_SB_WRITE_THROUGH ? "through" : "back";

	if (newest->verdict != MEMBER_SOUND)
		return;
	if (overview->running)
		cache = overview->state.write_cache;
	json_add_number(object, "level", geo->level);
	json_add_number(object, "data_units", geo->nr_data);
	json_add_number(object, "parity_units", geo->nr_parity);
	json_add_number(object, "stripe_unit", geo->su << 9);
	json_add_text(object, "write_cache", cache);
	json_add_number(object, "capacity",
			((u64)geo->nr_zones * geo->zone_cap) << 9);
	json_add_number(object, "nr_zones", geo->nr_zones);
	json_add_number(object, "zone_size", geo->zone_size << 9);
	json_add_number(object, "zone_capacity", (u64)geo->zone_cap << 9);
	json_add_number(object, "reserved_zones", geo->nr_reserved);
	json_add_number(object, "conventional_zones", geo->first_zone);
}

static void json_running(struct json_object *object,
			 const struct volume_state *state)
{
	static const char *const names[] = {
		[USER_READ] = "user_read",
		[USER_WRITTEN] = "user_written",
		[MEMBER_READ] = "member_read",
		[DATA_WRITTEN] = "data_written",
		[PARITY_WRITTEN] = "parity_written",
		[PARTIAL_PARITY_WRITTEN] = "partial_parity_written",
		[METADATA_WRITTEN] = "metadata_written",
	};
	u64 all = member_sectors_written(state);
	struct json_object *sub;
	u32 i;

	sub = json_sub(object, "zones");
	for (i = 0; i < NR_ZONE_COUNTS; i++)
		json_add_number(sub, zone_count_names[i], state->zones[i]);
	sub = json_sub(object, "limits");
	json_add_number(sub, "open", state->open);
	json_add_number(sub, "active", state->active);
	json_add_number(sub, "max_open", state->max_open);
	json_add_number(sub, "max_active", state->max_active);
	sub = json_sub(object, "bytes");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		json_add_number(sub, names[i], state->counters[i] << 9);
	json_add_number(sub, "member_written", all << 9);
	json_object_object_add(object, "write_amplification",
			       state->counters[USER_WRITTEN] ?
			       json_object_new_double(amplification(state, all)) :
			       NULL);
	json_add_number(object, "flushes", state->counters[FLUSHES_SENT]);
	json_add_number(object, "log_switches", state->counters[LOG_SWITCHES]);
	json_add_number(object, "event", state->event);
}

static void json_members(struct json_object *list,
			 const struct overview *overview)
{
	const struct array *array = overview->array;
	struct json_object *object;
	struct traffic traffic;
	u32 slot;

	for (slot = 0; slot < overview_nr_members(overview); slot++) {
		const struct member *member = array ? array->slots[slot] : NULL;

		object = json_object_new_object();
		json_object_array_add(list, object);
		json_add_number(object, "slot", slot);
		json_add_text(object, "state", overview_member_state(overview, slot));
		if (array)
			json_add_uuid(object, "uuid",
				      member_sb(array->newest)->members[slot].uuid);
		if (!member)
			continue;
		traffic = drive_traffic(&member->drive);
		json_add_text(object, "device", member->drive.path);
		json_add_text(object, "serial", member->drive.serial);
		json_add_text(object, "model", member->drive.model);
		json_add_number(object, "bytes_read", traffic.read << 9);
		json_add_number(object, "bytes_written", traffic.written << 9);
	}
}

static void status_json(struct json_object *list,
			const struct overview *overview)
{
	struct json_object *object = json_object_new_object();
	const struct array *array = overview->array;

	json_object_array_add(list, object);
	json_add_text(object, "name", overview->name);
	json_add_uuid(object, "uuid", overview->uuid);
	json_add_text(object, "label", array ? array->newest->label : "");
	json_add_bool(object, "running", overview->running);
	json_add_text(object, "state", overview->condition);
	json_add_text(object, "status", overview->happened);
	json_add_text(object, "action", overview->action);
	if (array)
		json_layout(object, overview);
	if (overview->running)
		json_running(object, &overview->state);
	json_members(json_list(object, "members"), overview);
}

static bool is_wanted(const struct overview *overview, const char *wanted)
{
	u8 uuid[RAIZN_UUID_SIZE];

	return !wanted || !strcmp(overview->name, wanted) ||
	       (parse_uuid(wanted, uuid) &&
		!memcmp(overview->uuid, uuid, sizeof(uuid)));
}

static int show(const struct overviews *overviews, const char *wanted, bool json)
{
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
			status_text(overview);
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
	return TOOL_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	struct overviews overviews;
	bool json = false;
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'j')
			return fail_option(self, argv, option);
		json = true;
	}
	if (argc - optind > 1)
		return fail_usage(self, "name one array, or none for all");
	ret = overviews_read(&overviews);
	if (ret)
		return ret;
	ret = show(&overviews, optind < argc ? argv[optind] : NULL, json);
	overviews_free(&overviews);
	return ret;
}

const struct command command_status = {
	.name = "status",
	.help = help,
	.needs_root = true,
	.run = run,
};
