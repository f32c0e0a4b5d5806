// SPDX-License-Identifier: GPL-2.0
/*
 * raizn monitor
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"
#include "metrics.h"
#include "spare.h"
#include "text.h"
#include "uevent.h"
#include "vanished.h"

#define LOOK_INTERVAL		15000	/* milliseconds */
#define PROGRAM_LIMIT		60	/* seconds */

static const char help[] =
"usage: raizn monitor [NAME|UUID...] [--program PATH] [--prometheus FILE]\n"
"                     [--spare DEVICE...] [--once]\n"
"\n"
"Watches running arrays, those named or all, until it is interrupted. A member whose\n"
"drive is gone from the system is called failed, also if nothing is read or written.\n"
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
 * @uevents:	tells that devices come and go; -1 if it can not
 * @program:	to be run; NULL for none
 * @metrics:	file to be written; NULL for none
 * @spares, @nr_spares: drives that wait
 * @waits:	an array would take a spare, and there is none that it takes now, or somebody
 *		else is at work on one
 * @once:	end after the first look
 * @changes, @nr_changes: that the program was not run for yet
 */
struct monitor {
	struct watch watch;
	int uevents;
	const char *program;
	const char *metrics;
	struct spare spares[MAX_SPARES];
	u32 nr_spares;
	bool waits;
	bool once;
	struct change *changes;
	u32 nr_changes;
};

/* What there is to do for arrays comes before what there is to say of them. */
static void keep_change(const struct change *change, void *data)
{
	struct monitor *monitor = data;
	struct change *grown;

	grown = realloc(monitor->changes,
			(monitor->nr_changes + 1) * sizeof(*grown));
	if (!grown) {
		fail_memory();
		return;
	}
	monitor->changes = grown;
	grown[monitor->nr_changes++] = *change;
}

static void set_environment(const struct change *change)
{
	const struct watched *array = change->array;
	char slot[16] = "";
	bool of_member = change_of_member(change->what);

	if (of_member)
		snprintf(slot, sizeof(slot), "%u", change->slot);
	setenv("RAIZN_TIME", change->time, 1);
	setenv("RAIZN_ARRAY", array->state.volume.name, 1);
	setenv("RAIZN_UUID", uuid_text(array->state.volume.uuid).s, 1);
	setenv("RAIZN_STATE", array->state.state, 1);
	setenv("RAIZN_WHAT", change_names[change->what], 1);
	setenv("RAIZN_OLD", change->old, 1);
	setenv("RAIZN_NEW", change->new, 1);
	setenv("RAIZN_SLOT", slot, 1);
	setenv("RAIZN_DEVICE", of_member ? array->nodes[change->slot] : "", 1);
}

/* A program that hangs must not keep the monitor from its work. */
static void wait_program(const char *program, pid_t child)
{
	int status = 0;
	u32 tenths;

	for (tenths = 0; tenths < 10 * PROGRAM_LIMIT; tenths++) {
		if (waitpid(child, &status, WNOHANG))
			break;
		usleep(100000);
	}
	if (tenths == 10 * PROGRAM_LIMIT) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		complain("%s: was killed, it took longer than %u seconds",
			 program, PROGRAM_LIMIT);
	} else if (status) {
		complain("%s: ended with %s %d", program,
			 WIFEXITED(status) ? "status" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) :
			 WTERMSIG(status));
	}
}

static void run_program(const char *program, const struct change *change)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0) {
		complain("%s: can not be run: %m", program);
		return;
	}
	if (!child) {
		set_environment(change);
		execl(program, program, change->array->state.volume.name,
		      change_names[change->what], change->old, change->new,
		      NULL);
		complain("%s: can not be run: %m", program);
		_exit(127);
	}
	wait_program(program, child);
}

/* A file system may be full for a while. */
static int write_metrics(const struct monitor *monitor)
{
	if (monitor->metrics &&
	    metrics_write(&monitor->watch, monitor->metrics) && monitor->once)
		return TOOL_FAILED;
	return TOOL_OK;
}

static int act(struct monitor *monitor)
{
	int ret;
	u32 i;

	/* What follows may have to wait for a drive. */
	write_metrics(monitor);
	monitor->waits = false;
	for (i = 0; i < monitor->watch.nr; i++) {
		monitor->waits |= vanished_fail(monitor->watch.arrays[i]);
		monitor->waits |= spares_use(monitor->spares,
					     monitor->nr_spares,
					     monitor->watch.arrays[i]);
	}
	ret = write_metrics(monitor);
	for (i = 0; i < monitor->nr_changes && monitor->program; i++)
		run_program(monitor->program, &monitor->changes[i]);
	monitor->nr_changes = 0;
	fflush(stdout);
	return ret;
}

static bool looks_again(const struct monitor *monitor)
{
	return monitor->metrics || monitor->waits || monitor->uevents < 0;
}

static int watch_over(struct monitor *monitor)
{
	int ret;

	spares_check(monitor->spares, monitor->nr_spares);
	ret = watch_open(&monitor->watch);
	if (ret)
		return ret;
	monitor->uevents = uevent_open();
	do {
		uevent_drain(monitor->uevents);
		ret = watch_look(&monitor->watch);
		if (!ret)
			ret = act(monitor);
		if (!ret && !monitor->once)
			ret = watch_wait(&monitor->watch, monitor->uevents,
					 looks_again(monitor) ?
					 LOOK_INTERVAL : -1);
	} while (!ret && !monitor->once);
	uevent_close(monitor->uevents);
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
		return fail(TOOL_REFUSED, "%s: can not be run: %m; give the path of a program",
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
	ret = parse(self, &monitor, argc, argv);
	return ret ? ret : watch_over(&monitor);
}

const struct command command_monitor = {
	.name = "monitor",
	.help = help,
	.needs_root = true,
	.run = run,
};
