// SPDX-License-Identifier: GPL-2.0
/*
 * Drives that do not answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer.h"

/* Much longer than a look takes. */
#define PATIENCE_MS	5000

/* Nobody is to wait for what this process has open, but for @end, or finds it in use. */
static bool keep_only(int end)
{
	int null = open("/dev/null", O_RDWR);

	return null >= 0 && dup2(null, 0) >= 0 && dup2(null, 1) >= 0 &&
	       dup2(null, 2) >= 0 && dup2(end, 3) >= 0 &&
	       !close_range(4, ~0U, 0);
}

/* In a grandchild, so that nobody has to wait for it.  Its end closes the pipe. */
static pid_t begin(void (*look)(const char *path), const char *path, int end)
{
	pid_t child = fork();

	if (child)
		return child;
	if (!fork() && keep_only(end))
		look(path);
	_exit(0);
}

static bool is_closed_soon(int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	int ret;

	do {
		ret = poll(&end, 1, PATIENCE_MS);
	} while (ret < 0 && errno == EINTR);
	return ret;
}

bool drive_answers(const char *path, void (*look)(const char *path))
{
	bool answers = true;
	int ends[2];
	pid_t child;

	/* Without a pipe or a process it is asked directly, by who wants to know. */
	if (pipe2(ends, O_CLOEXEC))
		return true;
	child = begin(look, path, ends[1]);
	close(ends[1]);
	if (child > 0) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		answers = is_closed_soon(ends[0]);
	}
	close(ends[0]);
	return answers;
}
