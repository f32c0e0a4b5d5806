// SPDX-License-Identifier: GPL-2.0
/*
 * Work that may take long, each piece in a process of its own.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "tool.h"

static time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

int child_begin(struct child *child)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	/* A program that it runs must not keep the pipe open. */
	if (pipe2(fds, O_CLOEXEC)) {
		complain("no process can be started: %m");
		return -1;
	}
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		complain("no process can be started: %m");
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	/* It ends with the process that would take its result, which may be gone by now. */
	if (!pid && (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent))
		_exit(1);
	close(fds[pid ? 1 : 0]);
	*child = (struct child) {
		.pid = pid,
		.fd = fds[pid ? 0 : 1],
		.begun = seconds_now(),
	};
	return pid ? 1 : 0;
}

[[gnu::noreturn]] void child_end(const struct child *child, const void *result, size_t size)
{
	fflush(stdout);
	/* A result fits into the pipe. */
	_exit(size && write(child->fd, result, size) != (ssize_t)size);
}

bool child_collect(struct child *child, void *result, size_t size)
{
	bool whole = read(child->fd, result, size) == (ssize_t)size;

	close(child->fd);
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
	return whole;
}

bool child_is_late(struct child *child, unsigned int seconds)
{
	if (!child_works(child) || child->late ||
	    seconds_now() - child->begun < (time_t)seconds)
		return false;
	child->late = true;
	return true;
}
