// SPDX-License-Identifier: GPL-2.0
/*
 * A process that shows how far the kernel is while the one that began it waits for the kernel.
 *
 * Of an array that is started, the kernel reads the drives while there is no table yet that
 * could be asked; then there is one, still suspended, whose status tells of the recovery.
 */
#include <signal.h>
#include <string.h>

#include "background.h"
#include "child.h"
#include "onlooker.h"
#include "progress.h"
#include "tool.h"

#define REFRESH		250	/* milliseconds */

static struct child onlooker;

/* SIGUSR1 is its end; it is blocked in both processes when there is a new one. */
static sigset_t end_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return set;
}

/* Is it over, and @whole?  If not, some time has passed. */
static bool is_over(bool *whole)
{
	const struct timespec time = { .tv_nsec = REFRESH * 1000000L };
	sigset_t set = end_signal();
	siginfo_t info;

	if (sigtimedwait(&set, &info, &time) != SIGUSR1)
		return false;
	*whole = info.si_value.sival_int;
	return true;
}

static void end_for_message(void)
{
	onlooker_end(false);
}

/* Return whether this is the new process. */
static bool begin(void)
{
	sigset_t set = end_signal(), before;
	int which;

	if (!progress_is_shown() || child_works(&onlooker))
		return false;
	sigprocmask(SIG_BLOCK, &set, &before);
	which = child_begin(&onlooker);
	if (!which)
		return true;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (which > 0)
		complaints_prepare(end_for_message);
	return false;
}

void onlooker_end(bool whole)
{
	if (!child_works(&onlooker))
		return;
	complaints_prepare(NULL);
	sigqueue(onlooker.pid, SIGUSR1, (union sigval) { .sival_int = whole });
	child_collect(&onlooker, NULL, 0);
}

[[gnu::noreturn]] static void end(struct progress *progress, bool whole)
{
	if (whole)
		progress_update(progress, progress->amount.total);
	progress_end(progress);
	child_end(&onlooker, NULL, 0);
}

static bool recovers(const u8 *uuid, struct volume_state *state)
{
	struct volume volume;

	return volume_by_uuid(uuid, &volume) && volume.has_table &&
	       volume.suspended && !volume_state_read_lines(&volume, state) &&
	       state->action == ACTION_RECOVER && state->total;
}

static void begin_recovery(struct progress *progress, const char *name,
			   const struct volume_state *state)
{
	progress_end(progress);
	progress_begin(progress, background_amount(state), "%s: recovery", name);
	progress_on_signal("%s: a start cannot be interrupted, it ends with the recovery; 'raizn status %s --watch' shows it",
			   name, name);
}

void onlooker_of_start(const char *name, const u8 *uuid)
{
	struct volume_state state;
	struct progress progress;
	bool recovery = false, whole;

	if (!begin())
		return;
	/* The process that waits tells what fails. */
	complaints_hold_back(true);
	progress_begin(&progress, (struct amount) { .unit = AMOUNT_UNKNOWN },
		       "%s: starting, the kernel reads the drives", name);
	progress_on_signal("%s: a start cannot be interrupted; 'raizn status %s' tells the result",
			   name, name);
	while (!is_over(&whole)) {
		if (!recovers(uuid, &state)) {
			progress_update(&progress, progress.amount.done);
			continue;
		}
		if (!recovery)
			begin_recovery(&progress, name, &state);
		recovery = true;
		progress_take(&progress, background_amount(&state));
	}
	end(&progress, whole);
}

void onlooker_of_stop(const char *name)
{
	struct progress progress;
	bool whole;

	if (!begin())
		return;
	progress_begin(&progress, (struct amount) { .unit = AMOUNT_UNKNOWN },
		       "%s: stopping", name);
	progress_on_signal("%s: the stop goes on; 'raizn status %s' tells the result",
			   name, name);
	while (!is_over(&whole))
		progress_update(&progress, 0);
	end(&progress, whole);
}
