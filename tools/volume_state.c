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
	       next_word(&rest, state->write_cache, sizeof(state->write_cache));
}

/* "W MAJOR:MINOR|- ..." and options. */
static bool parse_table(char *line, struct volume_state *state)
{
	unsigned int major_nr, minor_nr;
	u64 nr_devices, i;
	char *word, *rest;

	word = strtok_r(line, " ", &rest);
	if (!word || !parse_number(word, RAIZN_MAX_MEMBERS, &nr_devices))
		return false;
	for (i = 0; i < nr_devices; i++) {
		word = strtok_r(NULL, " ", &rest);
		if (!word)
			return false;
		if (sscanf(word, "%u:%u", &major_nr, &minor_nr) == 2)
			state->devices[state->nr_devices++] =
				makedev(major_nr, minor_nr);
	}
	return true;
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
			   "%s: the kernel's %s line is not understood; use the raizn that came with the module",
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

int volume_state_read(const struct volume *volume, struct volume_state *state)
{
	int ret;

	memset(state, 0, sizeof(*state));
	state->volume = *volume;
	ret = read_line(state, false, parse_table);
	if (!ret)
		ret = read_line(state, true, parse_status);
	/* A report would wait for the resume. */
	if (!ret && !volume->suspended)
		ret = read_zones(state);
	return ret;
}

u64 member_sectors_written(const struct volume_state *state)
{
	return state->counters[DATA_WRITTEN] + state->counters[PARITY_WRITTEN] +
	       state->counters[PARTIAL_PARITY_WRITTEN] +
	       state->counters[METADATA_WRITTEN];
}
