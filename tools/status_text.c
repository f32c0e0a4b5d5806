// SPDX-License-Identifier: GPL-2.0
/*
 * raizn status, for people.
 */
#include <stdio.h>

#include "background.h"
#include "lost_blocks.h"
#include "mismatches.h"
#include "status.h"
#include "text.h"

struct traffic drive_traffic(const struct drive *drive)
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

double status_amplification(const struct volume_state *state)
{
	u64 user = state->counters[USER_WRITTEN];

	return user ? (double)member_sectors_written(state) / user : 0;
}

static void text_layout(const struct overview *overview)
{
	const struct member *newest = overview->array->newest;
	const struct raizn_geometry *geo = &newest->geo;
	u32 flags = le32_to_cpu(member_sb(newest)->flags);
	const char *cache = flags & RAIZN_SB_WRITE_THROUGH ? "through" : "back";
	bool trust = flags & RAIZN_SB_TRUST_BUFFERS;

	if (newest->verdict != MEMBER_SOUND)
		return;
	if (overview->running) {
		cache = overview->state.write_cache;
		trust = overview->state.trust_buffers;
	}
	printf("  layout: level %u of %u drives, stripe unit %s, write cache %s%s\n",
	       geo->level, geo->nr_members, sectors_text(geo->su).s, cache,
	       trust ? ", buffers are trusted" : "");
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
	if (state->degraded_zones)
		printf("; %llu lack%s a column",
		       (unsigned long long)state->degraded_zones,
		       state->degraded_zones == 1 ? "s" : "");
	puts("");
	printf("  limits: %llu of %llu zones open, %llu of %llu active",
	       (unsigned long long)state->open,
	       (unsigned long long)state->max_open,
	       (unsigned long long)state->active,
	       (unsigned long long)state->max_active);
	if (state->places < state->max_active)
		printf("; damaged zones take %llu",
		       (unsigned long long)(state->max_active - state->places));
	puts("");
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
	if (counters[REBUILD_WRITTEN])
		printf("  written by rebuild %s\n",
		       sectors_text(counters[REBUILD_WRITTEN]).s);
	if (counters[USER_WRITTEN])
		printf("  write amplification %.3f\n", status_amplification(state));
	printf("  flushes sent to drives %llu, log switches %llu\n",
	       (unsigned long long)counters[FLUSHES_SENT],
	       (unsigned long long)counters[LOG_SWITCHES]);
}

/* Read, write and healed, "-" where there were none. */
static void errors_text(const struct overview *overview, u32 slot, char *text,
			size_t size)
{
	const struct member_errors *errors = &overview->state.errors[slot];

	if (!overview->running ||
	    (!errors->read && !errors->write && !errors->healed))
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%llu/%llu/%llu",
			 (unsigned long long)errors->read,
			 (unsigned long long)errors->write,
			 (unsigned long long)errors->healed);
}

static void text_member(const struct overview *overview, u32 slot)
{
	const struct member *member = overview_member(overview, slot);
	struct traffic traffic = { };
	const char *serial = "-";
	char errors[72];

	errors_text(overview, slot, errors, sizeof(errors));
	if (member) {
		traffic = drive_traffic(&member->drive);
		if (*member->drive.serial)
			serial = member->drive.serial;
	}
	printf("%-4u  %-20s  %-10s  %-10s  %-10s  %-10s  %s\n", slot,
	       overview_path(overview, slot),
	       overview_member_state(overview, slot),
	       member ? sectors_text(traffic.read).s : "-",
	       member ? sectors_text(traffic.written).s : "-", errors, serial);
}

static void text_members(const struct overview *overview)
{
	const struct array *array = overview->array;
	u32 i;

	/* Errors: of reads, of writes, columns of zones written anew. */
	printf("\n%-4s  %-20s  %-10s  %-10s  %-10s  %-10s  %s\n", "slot", "drive",
	       "state", "read", "written", "errors", "serial");
	for (i = 0; i < overview_nr_members(overview); i++)
		text_member(overview, i);
	for (i = 0; array && i < array->nr_replaced; i++)
		printf("%-4s  %-20s  replaced    (was slot %u)\n", "-",
		       array->replaced[i]->drive.path, array->replaced[i]->slot);
}

/* A line of its own for what the array does, or came to. */
static void text_service(const struct volume_state *state)
{
	if (state->action != ACTION_IDLE)
		printf("%8s: %s\n", action_names[state->action],
		       background_text(state).s);
	if (state->mismatches)
		printf("   scrub: %llu stripe%s did not match, %llu repaired\n",
		       (unsigned long long)state->mismatches,
		       plural(state->mismatches),
		       (unsigned long long)state->repaired);
	mismatches_text(state, "          ");
}

static void speed_text(char *text, size_t size, u64 kib)
{
	if (kib)
		snprintf(text, size, "%s/s", size_text(kib << 10).s);
	else
		snprintf(text, size, "none");
}

static void text_settings(const struct volume_state *state)
{
	char least[40], most[40], errors[40] = "never";

	speed_text(least, sizeof(least), state->speed_min);
	speed_text(most, sizeof(most), state->speed_max);
	if (state->error_limit)
		snprintf(errors, sizeof(errors), "after %llu errors",
			 (unsigned long long)state->error_limit);
	printf("settings: speed_min %s, speed_max %s, a member fails for errors: %s\n",
	       least, most, errors);
}

/* It has the name of the array in it. */
static void text_line(const char *title, const char *said)
{
	char line[sizeof(((struct advice *)NULL)->text)];

	text_printable(line, sizeof(line), said, strlen(said));
	printf("%8s: %s\n", title, line);
}

void status_text(const struct overview *overview, bool blocks)
{
	const struct array *array = overview->array;

	text_line("array", overview->name);
	printf("    uuid: %s\n", uuid_text(overview->uuid).s);
	if (array && *array->newest->label)
		printf("   label: %s\n", array->newest->label);
	printf("   state: %s\n", overview->condition);
	text_line("status", overview->happened);
	text_line("action", overview->advice.text);
	if (overview->running)
		text_service(&overview->state);
	if (overview->running && blocks)
		lost_blocks_text(&overview->state);
	if (array)
		text_layout(overview);
	if (overview->running) {
		text_zones(&overview->state);
		text_settings(&overview->state);
	}
	if (array && array->newest->has_sb)
		printf("    boot: autostart %s\n",
		       autostart_text(overview_autostart(overview)).s);
	text_members(overview);
	if (overview->running)
		text_counters(&overview->state);
}
