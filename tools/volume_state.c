// SPDX-License-Identifier: GPL-2.0
/*
 * What a running array says of itself: its table, its status line, its zones.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tool.h"
#include "text.h"
#include "volume_state.h"

/* Zones asked of the volume at a time. */
#define REPORT_ZONES	1024U

const char *const zone_count_names[NR_ZONE_COUNTS] = {
	[ZONES_EMPTY] = "empty",
	[ZONES_OPEN] = "open",
	[ZONES_CLOSED] = "closed",
	[ZONES_FULL] = "full",
	[ZONES_READ_ONLY] = "read-only",
	[ZONES_OFFLINE] = "offline",
};

const char *const action_names[NR_ACTIONS] = {
	[ACTION_IDLE] = "idle",
	[ACTION_REBUILD] = "rebuild",
	[ACTION_CHECK] = "check",
	[ACTION_REPAIR] = "repair",
	[ACTION_RECOVER] = "recover",
};

/* The next word of a line that strtok_r() works on. */
static bool next_word(char **rest, char *word, size_t size)
{
	char *found = strtok_r(NULL, " ", rest);

	return found && text_copy(word, size, found);
}

static bool next_number(char **rest, u64 *number)
{
	char *found = strtok_r(NULL, " ", rest);

	return found && parse_number(found, UINT64_MAX, number);
}

static bool next_flag(char **rest, bool *flag)
{
	u64 number;

	if (!next_number(rest, &number) || number > 1)
		return false;
	*flag = number;
	return true;
}

static bool next_action(char **rest, enum volume_action *action)
{
	char *found = strtok_r(NULL, " ", rest);
	u32 i;

	for (i = 0; found && i < NR_ACTIONS; i++) {
		if (!strcmp(found, action_names[i])) {
			*action = i;
			return true;
		}
	}
	return false;
}

/* "READ,WRITE,HEALED" */
static bool next_errors(char **rest, struct member_errors *errors)
{
	char *found = strtok_r(NULL, " ", rest), *part, *save;
	u64 *numbers[] = { &errors->read, &errors->write, &errors->healed };
	u32 i;

	part = found ? strtok_r(found, ",", &save) : NULL;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!part || !parse_number(part, UINT64_MAX, numbers[i]))
			return false;
		part = strtok_r(NULL, ",", &save);
	}
	return !part;
}

static void set_rate(struct volume_state *state)
{
	u32 unit = state->action == ACTION_RECOVER ? 1 : 512;

	state->rate = state->elapsed ?
		      1000.0 * unit * state->done / state->elapsed : 0;
}

/* What the array does on its own, and what went wrong. */
static bool parse_service(char **rest, struct volume_state *state)
{
	u32 i;

	if (!next_number(rest, &state->degraded_zones) ||
	    !next_action(rest, &state->action) ||
	    !next_flag(rest, &state->paused) ||
	    !next_number(rest, &state->done) ||
	    !next_number(rest, &state->total) ||
	    !next_number(rest, &state->elapsed) ||
	    !next_number(rest, &state->mismatches) ||
	    !next_number(rest, &state->repaired) ||
	    !next_number(rest, &state->speed_min) ||
	    !next_number(rest, &state->speed_max) ||
	    !next_number(rest, &state->error_limit))
		return false;
	set_rate(state);
	for (i = 0; i < state->nr_members; i++)
		if (!next_errors(rest, &state->errors[i]))
			return false;
	if (!next_number(rest, &state->scrub_next) ||
	    !next_number(rest, &state->damaged_zones))
		return false;
	/* A module that does not say so copies nothing. */
	if (!next_flag(rest, &state->trust_buffers))
		state->trust_buffers = true;
	/* Such a module fails the array instead. */
	if (!next_number(rest, &state->unwritable_zones))
		state->unwritable_zones = 0;
	/* Such a module does not rebuild a column that lacks single blocks. */
	if (!next_number(rest, &state->lost_sectors))
		state->lost_sectors = 0;
	/* With such a module the superblock tells. */
	state->knows_autostart = next_number(rest, &state->autostart);
	if (!next_number(rest, &state->spoilt_sectors))
		state->spoilt_sectors = 0;
	/* Such a module does not tell which of the unwritable zones a start would damage. */
	if (!next_number(rest, &state->retired_zones) ||
	    !next_number(rest, &state->retired_zone))
		state->retired_zones = 0;
	/* Such a module does not count damaged zones. */
	if (!next_number(rest, &state->places) || state->places > state->max_active)
		state->places = state->max_active;
	/* Such a module starts nothing read-only that has to be recovered. */
	if (!next_number(rest, &state->stand_in_sectors))
		state->stand_in_sectors = 0;
	return true;
}

/* A newer module may say more behind what is known here. */
static bool parse_status(char *line, struct volume_state *state)
{
	u64 nr_members;
	char *word, *rest;
	u32 i;

	word = strtok_r(line, " ", &rest);
	if (!word || !text_copy(state->state, sizeof(state->state), word) ||
	    !next_number(&rest, &nr_members) ||
	    nr_members > RAIZN_MAX_MEMBERS ||
	    !next_word(&rest, state->letters, sizeof(state->letters)) ||
	    strlen(state->letters) != nr_members ||
	    !next_number(&rest, &state->event))
		return false;
	state->nr_members = nr_members;
	for (i = 0; i < NR_COUNTERS; i++)
		if (!next_number(&rest, &state->counters[i]))
			return false;
	return next_number(&rest, &state->open) &&
	       next_number(&rest, &state->active) &&
	       next_number(&rest, &state->max_open) &&
	       next_number(&rest, &state->max_active) &&
	       next_word(&rest, state->write_cache, sizeof(state->write_cache)) &&
	       parse_service(&rest, state);
}

/* "W MAJOR:MINOR|- ... [NR OPTION...]" */
static bool parse_table(char *line, struct volume_state *state)
{
	unsigned int major_nr, minor_nr;
	u64 nr_devices, nr_options = 0, i;
	char *word, *rest;
	size_t at = 0;

	word = strtok_r(line, " ", &rest);
	if (!word || !parse_number(word, RAIZN_MAX_MEMBERS, &nr_devices))
		return false;
	state->nr_devices = nr_devices;
	for (i = 0; i < nr_devices; i++) {
		word = strtok_r(NULL, " ", &rest);
		if (!word)
			return false;
		if (sscanf(word, "%u:%u", &major_nr, &minor_nr) == 2)
			state->devices[i] = makedev(major_nr, minor_nr);
		else if (strcmp(word, "-"))
			return false;
	}
	word = strtok_r(NULL, " ", &rest);
	if (word && !parse_number(word, 8, &nr_options))
		return false;
	for (i = 0; i < nr_options; i++) {
		word = strtok_r(NULL, " ", &rest);
		if (!word || at + strlen(word) + 2 > sizeof(state->options))
			return false;
		at += snprintf(state->options + at, sizeof(state->options) - at,
			       "%s%s", at ? " " : "", word);
	}
	return !strtok_r(NULL, " ", &rest);
}

struct table_text volume_table(const struct volume_state *state,
			       const dev_t *devices, int rebuild)
{
	char options[sizeof(state->options) + 32] = "", copy[128];
	size_t at, end = 0;
	struct table_text text;
	u32 nr_options = 0, i;
	char *word, *rest;

	memcpy(copy, state->options, sizeof(copy));
	for (word = strtok_r(copy, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		if (!strncmp(word, "rebuild=", strlen("rebuild=")))
			continue;
		end += snprintf(options + end, sizeof(options) - end, " %s",
				word);
		nr_options++;
	}
	if (rebuild >= 0) {
		snprintf(options + end, sizeof(options) - end, " rebuild=%d",
			 rebuild);
		nr_options++;
	}

	at = snprintf(text.s, sizeof(text.s), "%u", state->nr_devices);
	for (i = 0; i < state->nr_devices; i++)
		if (devices[i])
			at += snprintf(text.s + at, sizeof(text.s) - at,
				       " %u:%u", major(devices[i]),
				       minor(devices[i]));
		else
			at += snprintf(text.s + at, sizeof(text.s) - at, " -");
	if (nr_options)
		snprintf(text.s + at, sizeof(text.s) - at, " %u%s", nr_options,
			 options);
	return text;
}

const char *letter_name(char letter)
{
	switch (letter) {
	case 'A':
		return "active";
	case 'F':
		return "failed";
	case 'R':
		return "rebuilding";
	case '-':
		return "missing";
	default:
		return "unknown";
	}
}

u32 slots_with_letter(const struct volume_state *state, char letter)
{
	u32 slots = 0, i;

	for (i = 0; i < state->nr_members; i++)
		if (state->letters[i] == letter)
			slots |= 1U << i;
	return slots;
}

u64 zones_too_many(const struct volume_state *state)
{
	bool usual = state->places == state->max_active && state->active <= state->max_active;

	return usual || state->active < state->places ? 0 : state->active - state->places + 1;
}

bool is_scrubbing(const struct volume_state *state)
{
	return state->action == ACTION_CHECK || state->action == ACTION_REPAIR;
}

static int read_line(struct volume_state *state, bool status,
		     bool (*parse)(char *line, struct volume_state *state))
{
	char *line = volume_line(&state->volume, status);
	int ret = TOOL_OK;

	if (!line)
		return TOOL_FAILED;
	if (!parse(line, state))
		ret = fail(TOOL_FAILED,
			   "%s: the module's %s line is not understood, it is older or newer than raizn; use those that came together",
			   state->volume.name, status ? "status" : "table");
	free(line);
	return ret;
}

static void count_zone(struct volume_state *state, const struct zbd_zone *zone)
{
	switch (zone->cond) {
	case ZBD_ZONE_COND_EMPTY:
		state->zones[ZONES_EMPTY]++;
		break;
	case ZBD_ZONE_COND_IMP_OPEN:
	case ZBD_ZONE_COND_EXP_OPEN:
		state->zones[ZONES_OPEN]++;
		break;
	case ZBD_ZONE_COND_CLOSED:
		state->zones[ZONES_CLOSED]++;
		break;
	case ZBD_ZONE_COND_FULL:
		state->zones[ZONES_FULL]++;
		break;
	case ZBD_ZONE_COND_READONLY:
		if (!state->zones[ZONES_READ_ONLY])
			state->damaged_at = zone->start >> 9;
		state->zones[ZONES_READ_ONLY]++;
		break;
	case ZBD_ZONE_COND_OFFLINE:
		state->zones[ZONES_OFFLINE]++;
		break;
	}
}

static int read_zones(struct volume_state *state)
{
	struct zbd_zone *zones;
	struct drive drive;
	char path[64];
	u32 first, nr, i;
	int ret;

	snprintf(path, sizeof(path), "/dev/dm-%u", state->volume.minor);
	ret = drive_open(&drive, path);
	if (ret)
		return ret;
	zones = calloc(REPORT_ZONES, sizeof(*zones));
	if (!zones)
		ret = fail_memory();
	state->nr_zones = drive.nr_zones;
	state->zone_size = drive.zone_size << 9;
	for (first = 0; first < drive.nr_zones && !ret; first += nr) {
		nr = drive.nr_zones - first;
		if (nr > REPORT_ZONES)
			nr = REPORT_ZONES;
		ret = drive_report(&drive, first, nr, zones);
		for (i = 0; i < nr && !ret; i++)
			count_zone(state, &zones[i]);
		if (!ret)
			state->zone_capacity = zones[0].capacity;
	}
	free(zones);
	drive_close(&drive);
	return ret;
}

int volume_state_read_lines(const struct volume *volume,
			    struct volume_state *state)
{
	int ret;

	memset(state, 0, sizeof(*state));
	state->volume = *volume;
	ret = read_line(state, false, parse_table);
	if (!ret)
		ret = read_line(state, true, parse_status);
	return ret;
}

int volume_state_add_zones(struct volume_state *state)
{
	return state->volume.suspended ? TOOL_OK : read_zones(state);
}

int volume_state_read(const struct volume *volume, struct volume_state *state)
{
	int ret = volume_state_read_lines(volume, state);

	return ret ? ret : volume_state_add_zones(state);
}

u64 member_sectors_written(const struct volume_state *state)
{
	return state->counters[DATA_WRITTEN] + state->counters[PARITY_WRITTEN] +
	       state->counters[PARTIAL_PARITY_WRITTEN] +
	       state->counters[METADATA_WRITTEN];
}
