// SPDX-License-Identifier: GPL-2.0
/*
 * The program that an owner wants to be run on each change.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event_program.h"
#include "text.h"
#include "tool.h"

#define PROGRAM_LIMIT		60	/* seconds */

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
	setenv("RAIZN_REASON", array->hindered ? array->reason : "", 1);
	setenv("RAIZN_WHAT", change_names[change->what], 1);
	setenv("RAIZN_OLD", change->old, 1);
	setenv("RAIZN_NEW", change->new, 1);
	setenv("RAIZN_SLOT", slot, 1);
	setenv("RAIZN_DEVICE", of_member ? array->nodes[change->slot] : "", 1);
}

/* A program that hangs must not keep others from being run. */
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

void event_program_run(const char *program, const struct change *change)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0) {
		complain("%s: cannot be run: %m", program);
		return;
	}
	if (!child) {
		set_environment(change);
		execl(program, program, change->array->state.volume.name,
		      change_names[change->what], change->old, change->new,
		      NULL);
		complain("%s: cannot be run: %m", program);
		_exit(127);
	}
	wait_program(program, child);
}
