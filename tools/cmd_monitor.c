// SPDX-License-Identifier: GPL-2.0
/*
 * raizn monitor
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tool.h"
#include "child.h"
#include "event_program.h"
#include "metrics.h"
#include "progress.h"
#include "spare.h"
#include "text.h"
#include "vanished.h"

#define LOOK_INTERVAL		15000	/* milliseconds */
#define ACTION_LIMIT		120	/* seconds */

static const char help[] =
"usage: raizn monitor [NAME|UUID...] [--program PATH] [--prometheus FILE]\n"
"                     [--spare DEVICE...] [--once]\n"
"\n"
"Watches arrays that run or should, those named or all, until it is interrupted. A member\n"
"whose drive is gone from the system is called failed, also if nothing is read or written.\n"
"\n"
"  --program PATH     run it on each change: PATH ARRAY WHAT OLD NEW; raizn-events(8) tells\n"
"                     what WHAT can be, raizn-monitor(8) what is in the environment\n"
"  --prometheus FILE  keep metrics there, for node_exporter's textfile collector\n"
"  --spare DEVICE     put this drive in the place of a member that fails, if it is\n"
"                     blank then; may be given several times\n"
"  --once             do what there is to be done now, and end\n";

/**
 * struct monitor - what is to be done on a change
 * @watch:	the arrays
 * @wake:	descriptor for all that there is to wait for
 * @program:	to be run; NULL for none
 * @metrics:	file to be written; NULL for none
 * @spares, @nr_spares: drives that wait
 * @once:	end after the first look
 * @changes, @nr_changes: that the program was not run for yet
 * @teller:	runs the program
 */
struct monitor {
	struct watch watch;
	int wake;
	const char *program;
	const char *metrics;
	struct spare spares[MAX_SPARES];
	u32 nr_spares;
	bool once;
	struct change *changes;
	u32 nr_changes;
	struct child teller;
};

/**
 * struct outcome - what was done for an array
 * @vanished, @refused, @waits: for struct watched
 * @gone:	spares (by bit) that were taken or cannot be used
 */
struct outcome {
	bool vanished;
	bool waits;
	u64 refused;
	u64 gone;
};

static void keep_change(const struct change *change, void *data)
{
	struct monitor *monitor = data;
	struct change *grown;

	if (!monitor->program)
		return;
	grown = realloc(monitor->changes,
			(monitor->nr_changes + 1) * sizeof(*grown));
	if (!grown) {
		fail_memory();
		return;
	}
	monitor->changes = grown;
	grown[monitor->nr_changes++] = *change;
}

/* A file system may be full for a while. */
static int write_metrics(const struct monitor *monitor)
{
	if (monitor->metrics &&
	    metrics_write(&monitor->watch, monitor->metrics) && monitor->once)
		return TOOL_FAILED;
	return TOOL_OK;
}

/*
 * Let something wake the monitor: the end of a child, which is @source then, or a change of a
 * record, with its descriptor as @source, or any event if it is NULL.
 */
static int wake_by(const struct monitor *monitor, int fd, void *source)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = source };

	if (epoll_ctl(monitor->wake, EPOLL_CTL_ADD, fd, &event))
		return fail(TOOL_FAILED, "cannot wait for events: %m");
	return TOOL_OK;
}

/*
 * Children that were started later have its descriptor, too, so that closing it would not take
 * it from those that wake the monitor.
 */
static bool collect(const struct monitor *monitor, struct child *child, void *result,
		    size_t size)
{
	epoll_ctl(monitor->wake, EPOLL_CTL_DEL, child->fd, NULL);
	return child_collect(child, result, size);
}

/* One program after the other, while the monitor goes on. */
static void tell(struct monitor *monitor)
{
	u32 i;

	if (!monitor->nr_changes || child_works(&monitor->teller))
		return;
	switch (child_begin(&monitor->teller)) {
	case 0:
		for (i = 0; i < monitor->nr_changes; i++)
			event_program_run(monitor->program, &monitor->changes[i]);
		child_end(&monitor->teller, NULL, 0);
	case 1:
		wake_by(monitor, monitor->teller.fd, &monitor->teller);
		monitor->nr_changes = 0;
	}
}

[[gnu::noreturn]] static void act_and_end(struct monitor *monitor, struct watched *array)
{
	struct outcome outcome = { };
	u32 i;

	outcome.waits = vanished_fail(array);
	outcome.waits |= spares_use(monitor->spares, monitor->nr_spares, array);
	outcome.vanished = array->vanished;
	outcome.refused = array->refused;
	for (i = 0; i < monitor->nr_spares; i++)
		if (monitor->spares[i].gone)
			outcome.gone |= 1ULL << i;
	child_end(&array->actor, &outcome, sizeof(outcome));
}

/* Do for an array what it needs. That may have to wait, for a drive or for udev. */
static void act(struct monitor *monitor, struct watched *array)
{
	bool needed = vanished_is_due(array);

	needed |= spares_are_due(monitor->spares, monitor->nr_spares, array);
	if (child_works(&array->actor)) {
		array->waits |= needed;
		return;
	}
	array->waits = false;
	if (!needed)
		return;
	switch (child_begin(&array->actor)) {
	case 0:
		act_and_end(monitor, array);
	case 1:
		wake_by(monitor, array->actor.fd, &array->actor);
		break;
	default:
		array->waits = true;
	}
}

static void action_ended(struct monitor *monitor, struct watched *array)
{
	struct outcome outcome;
	u32 i;

	if (!collect(monitor, &array->actor, &outcome, sizeof(outcome))) {
		array->waits = true;
		return;
	}
	array->vanished = outcome.vanished;
	array->refused = outcome.refused;
	array->waits |= outcome.waits;
	for (i = 0; i < monitor->nr_spares; i++)
		monitor->spares[i].gone |= outcome.gone >> i & 1;
}

static void child_ended(struct monitor *monitor, struct child *child)
{
	u32 i;

	if (child == &monitor->teller)
		collect(monitor, child, NULL, 0);
	for (i = 0; i < monitor->watch.nr; i++)
		if (child == &monitor->watch.arrays[i]->actor)
			action_ended(monitor, monitor->watch.arrays[i]);
}

/* Metrics are written and programs begun before any action, which may have to wait. */
static int look(struct monitor *monitor)
{
	int ret;
	u32 i;

	ret = watch_look(&monitor->watch);
	if (!ret)
		ret = write_metrics(monitor);
	if (ret)
		return ret;
	tell(monitor);
	for (i = 0; i < monitor->watch.nr; i++)
		act(monitor, monitor->watch.arrays[i]);
	fflush(stdout);
	return TOOL_OK;
}

static void tell_late(struct watched *array)
{
	if (child_is_late(&array->actor, ACTION_LIMIT))
		complain("%s: an action that it needs takes longer than %u seconds, a drive or udev does not answer; see 'raizn status %s' and the kernel log",
			 array->state.volume.name, ACTION_LIMIT,
			 array->state.volume.name);
}

/* Is anything under way that has an end? */
static bool works(const struct monitor *monitor)
{
	bool works = child_works(&monitor->teller);
	u32 i;

	for (i = 0; i < monitor->watch.nr; i++)
		works |= child_works(&monitor->watch.arrays[i]->actor) &&
			 !monitor->watch.arrays[i]->actor.late;
	return works;
}

static bool looks_again(const struct monitor *monitor)
{
	bool waits = false;
	u32 i;

	for (i = 0; i < monitor->watch.nr; i++)
		waits |= monitor->watch.arrays[i]->waits;
	return monitor->metrics || waits || works(monitor) ||
	       monitor->watch.uevents < 0;
}

/* Milliseconds until the next look if nothing happens, -1 for never. */
static int until_look(const struct monitor *monitor)
{
	int due = monitor->watch.due;

	if (!looks_again(monitor))
		return due;
	return due < 0 || due > LOOK_INTERVAL ? LOOK_INTERVAL : due;
}

/* Is that one more reason to look, or the end of a child? */
static bool is_news(struct monitor *monitor, void *source)
{
	if (source == &monitor->watch.records)
		return waiting_heard(monitor->watch.records);
	if (source)
		child_ended(monitor, source);
	return !source;
}

/* Wait; @again: not only for work that ends. */
static int wait_for_more(struct monitor *monitor, bool *again)
{
	struct epoll_event events[16];
	int nr, i;
	u32 k;

	*again = false;
	nr = epoll_wait(monitor->wake, events, ARRAY_SIZE(events),
			until_look(monitor));
	if (nr < 0 && errno != EINTR)
		return fail(TOOL_FAILED, "cannot wait for events: %m");
	for (i = 0; i < nr; i++)
		*again |= is_news(monitor, events[i].data.ptr);
	*again |= nr <= 0;
	for (k = 0; k < monitor->watch.nr; k++)
		tell_late(monitor->watch.arrays[k]);
	return TOOL_OK;
}

static int watch_on(struct monitor *monitor)
{
	bool again = true;
	int ret = TOOL_OK;

	while (!ret) {
		ret = again ? look(monitor) : TOOL_OK;
		/* There may be more to tell by now. */
		tell(monitor);
		if (!ret && monitor->once && !works(monitor))
			return write_metrics(monitor);
		if (!ret)
			ret = wait_for_more(monitor, &again);
		again &= !monitor->once;
	}
	return ret;
}

static int watch_over(struct monitor *monitor)
{
	int ret;

	spares_check(monitor->spares, monitor->nr_spares);
	ret = watch_open(&monitor->watch);
	if (ret)
		return ret;
	monitor->wake = epoll_create1(EPOLL_CLOEXEC);
	/* After the only look nothing is waited for but the end of what it began. */
	if (!monitor->once)
		ret = wake_by(monitor, monitor->watch.fd, NULL);
	if (!ret && !monitor->once && monitor->watch.uevents >= 0)
		ret = wake_by(monitor, monitor->watch.uevents, NULL);
	if (!ret && !monitor->once && monitor->watch.records >= 0)
		ret = wake_by(monitor, monitor->watch.records, &monitor->watch.records);
	if (!ret)
		ret = watch_on(monitor);
	close(monitor->wake);
	free(monitor->changes);
	watch_close(&monitor->watch);
	return ret;
}

static int parse(const struct command *self, struct monitor *monitor, int argc,
		 char **argv)
{
	static const struct option options[] = {
		{ "program", required_argument, NULL, 'p' },
		{ "prometheus", required_argument, NULL, 'm' },
		{ "spare", required_argument, NULL, 's' },
		{ "once", no_argument, NULL, 'o' },
		{ }
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			monitor->program = optarg;
			break;
		case 'm':
			monitor->metrics = optarg;
			break;
		case 's':
			if (monitor->nr_spares == MAX_SPARES)
				return fail_usage(self, "at most %u spares",
						  MAX_SPARES);
			monitor->spares[monitor->nr_spares++].path = optarg;
			break;
		case 'o':
			monitor->once = true;
			break;
		default:
			return fail_option(self, argv, option);
		}
	}
	if (!monitor->program && !monitor->metrics && !monitor->nr_spares)
		return fail_usage(self, "say what to do: --program, --prometheus or --spare");
	if (monitor->program && access(monitor->program, X_OK))
		return fail(TOOL_REFUSED, "%s: cannot be run: %m; give the path of a program",
			    monitor->program);
	monitor->watch.names = argv + optind;
	monitor->watch.nr_names = argc - optind;
	return TOOL_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct monitor monitor = { .watch.tell = keep_change };
	int ret;

	monitor.watch.data = &monitor;
	/* A spare is erased while other things are told. */
	progress_option(PROGRESS_HIDE);
	ret = parse(self, &monitor, argc, argv);
	return ret ? ret : watch_over(&monitor);
}

const struct command command_monitor = {
	.name = "monitor",
	.help = help,
	.needs_root = true,
	.run = run,
};
