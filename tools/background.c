// SPDX-License-Identifier: GPL-2.0
/*
 * How far an array is with what it does on its own: a rebuild, a scrub, a recovery.
 */
#include <stdio.h>

#include "background.h"
#include "dm_event.h"
#include "progress.h"
#include "tool.h"

#define BAR_WIDTH	20
#define REFRESH		500	/* milliseconds */

struct amount background_amount(const struct volume_state *state)
{
	bool steps = state->action == ACTION_RECOVER;

	return (struct amount) {
		.unit = steps ? AMOUNT_STEPS : AMOUNT_BYTES,
		.done = steps ? state->done : state->done << 9,
		.total = steps ? state->total : state->total << 9,
		.paused = state->paused,
		.rate_known = state->rate > 0,
		.rate = state->rate,
	};
}

struct background_text background_text(const struct volume_state *state)
{
	struct amount amount = background_amount(state);
	u32 filled = BAR_WIDTH * amount_percent(&amount) / 100;
	struct background_text text;
	char bar[BAR_WIDTH + 1];

	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '=', filled);
	if (filled < BAR_WIDTH)
		bar[filled] = '>';
	bar[BAR_WIDTH] = '\0';
	snprintf(text.s, sizeof(text.s), "[%s] %s", bar, amount_text(&amount).s);
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

/* What is shown, and of which action: it may be followed by another one. */
struct shown {
	struct progress progress;
	enum volume_action action;
};

static void show(struct shown *shown, const struct volume_state *state)
{
	const char *name = state->volume.name, *action = action_names[state->action];

	/* It may have to begin yet, or again. */
	if (state->action == ACTION_IDLE)
		return;
	if (state->action != shown->action) {
		progress_end(&shown->progress);
		shown->action = state->action;
		progress_begin(&shown->progress, background_amount(state),
			       "%s: %s", name, action);
		progress_on_signal("%s: the %s goes on without this command; 'raizn status %s --watch' shows it",
				   name, action, name);
	}
	progress_take(&shown->progress, background_amount(state));
}

static int wait_on(struct volume_state *state, int fd, struct shown *shown,
		   bool (*busy)(const struct volume_state *state))
{
	int ret;

	for (;;) {
		ret = dm_event_arm(fd);
		if (!ret)
			ret = read_again(state);
		if (ret || !busy(state))
			return ret;
		show(shown, state);
		ret = dm_event_wait(fd, progress_is_shown() ? REFRESH : -1);
		if (ret)
			return ret;
	}
}

int background_wait(struct volume_state *state,
		    bool (*busy)(const struct volume_state *state))
{
	struct shown shown = { .action = ACTION_IDLE };
	int fd, ret;

	fd = dm_event_open();
	if (fd < 0)
		return TOOL_FAILED;
	ret = wait_on(state, fd, &shown, busy);
	/* The kernel keeps the numbers of what was done last. */
	if (!ret && state->action == ACTION_IDLE && state->total)
		progress_take(&shown.progress, background_amount(state));
	progress_end(&shown.progress);
	dm_event_close(fd);
	return ret;
}

void background_tell_left(const struct volume_state *state,
			  const struct volume_state *now)
{
	const char *name = state->volume.name;

	if (now->scrub_next >= now->nr_zones)
		return;
	printf("%s: 'raizn scrub %s %s --from %llu' goes on with it\n", name,
	       name, action_names[state->action], (unsigned long long)now->scrub_next);
}
