// SPDX-License-Identifier: GPL-2.0
/*
 * How far a rebuild or scrub is.
 */
#include <stdio.h>
#include <unistd.h>

#include "dm_event.h"
#include "progress.h"
#include "text.h"
#include "tool.h"

#define BAR_WIDTH	20
#define REFRESH		1000	/* milliseconds */

double progress_percent(const struct volume_state *state)
{
	if (!state->total || state->done >= state->total)
		return 100;
	return 100.0 * state->done / state->total;
}

u64 progress_rate(const struct volume_state *state)
{
	if (!state->elapsed)
		return 0;
	return (double)state->done * 512 * 1000 / state->elapsed;
}

bool progress_left(const struct volume_state *state, u64 *seconds)
{
	if (state->paused || !state->done || state->done > state->total)
		return false;
	*seconds = (double)(state->total - state->done) * state->elapsed /
		   state->done / 1000;
	return true;
}

static void duration_text(char *text, size_t size, u64 seconds)
{
	unsigned long long hours = seconds / 3600;
	unsigned int minutes = seconds / 60 % 60, rest = seconds % 60;

	if (hours)
		snprintf(text, size, "%llu:%02u:%02u", hours, minutes, rest);
	else
		snprintf(text, size, "%u:%02u", minutes, rest);
}

struct progress_text progress_text(const struct volume_state *state)
{
	double percent = progress_percent(state);
	u32 filled = BAR_WIDTH * percent / 100;
	char bar[BAR_WIDTH + 1], left[64] = "";
	struct progress_text text;
	u64 seconds;
	size_t at;

	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '=', filled);
	if (filled < BAR_WIDTH)
		bar[filled] = '>';
	bar[BAR_WIDTH] = '\0';
	at = snprintf(text.s, sizeof(text.s), "[%s] %5.1f%%  %s of %s", bar,
		      percent, sectors_text(state->done).s,
		      sectors_text(state->total).s);
	if (state->paused) {
		snprintf(text.s + at, sizeof(text.s) - at, ", paused");
		return text;
	}
	if (progress_rate(state))
		at += snprintf(text.s + at, sizeof(text.s) - at, ", %s/s",
			       size_text(progress_rate(state)).s);
	if (progress_left(state, &seconds)) {
		duration_text(left, sizeof(left), seconds);
		snprintf(text.s + at, sizeof(text.s) - at, ", %s left", left);
	}
	return text;
}

static int read_again(struct volume_state *state)
{
	struct volume volume;

	if (!volume_by_uuid(state->volume.uuid, &volume))
		return fail(TOOL_FAILED, "%s: was stopped meanwhile",
			    state->volume.name);
	return volume_state_read_lines(&volume, state);
}

static void show(const struct volume_state *state)
{
	/* The next line may be shorter. */
	printf("\r\033[K%s: %s %s", state->volume.name,
	       action_names[state->action], progress_text(state).s);
	fflush(stdout);
}

static int wait_on(struct volume_state *state, int fd, bool terminal,
		   bool (*busy)(const struct volume_state *state))
{
	int ret;

	for (;;) {
		ret = dm_event_arm(fd);
		if (!ret)
			ret = read_again(state);
		if (ret || !busy(state))
			return ret;
		if (terminal && state->action != ACTION_IDLE)
			show(state);
		ret = dm_event_wait(fd, terminal ? REFRESH : -1);
		if (ret)
			return ret;
	}
}

int progress_wait(struct volume_state *state,
		  bool (*busy)(const struct volume_state *state))
{
	bool terminal = isatty(STDOUT_FILENO);
	int fd, ret;

	fd = dm_event_open();
	if (fd < 0)
		return TOOL_FAILED;
	ret = wait_on(state, fd, terminal, busy);
	if (terminal)
		printf("\r\033[K");
	dm_event_close(fd);
	return ret;
}

void progress_tell_left(const struct volume_state *state,
			const struct volume_state *now)
{
	const char *name = state->volume.name;

	if (now->scrub_next >= now->nr_zones)
		return;
	printf("%s: 'raizn scrub %s %s --from %llu' goes on with it\n", name,
	       name, action_names[state->action], (unsigned long long)now->scrub_next);
}
