// SPDX-License-Identifier: GPL-2.0
/*
 * What the programs have in common: failing, running other programs, and a
 * parent process that watches the one that does the work, because that may hang
 * in the kernel for good.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "powercut.h"

#define HANG_SECONDS	60
#define MAX_PHASES	32

u64 chain_now, round_now;
struct stats stats;

/* Seen by both processes. */
static struct {
	_Atomic u64 beats;
	_Atomic bool failed;
	char what[64];
	char rerun[256];
} *shared;

/* ---- failing --------------------------------------------------------------- */

static pthread_mutex_t failing = PTHREAD_MUTEX_INITIALIZER;

void fail(const char *format, ...)
{
	char status[STATUS_SIZE];
	va_list args;

	/* Never unlocked: one failure is enough. */
	pthread_mutex_lock(&failing);
	shared->failed = true;
	fflush(stdout);
	fprintf(stderr, "%s: FAILED in round %" PRIu64 " of chain %" PRIu64 " (%s): ",
		program_invocation_short_name, round_now, chain_now,
		shared->what);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nto run it again: %s\n", shared->rerun);
	print_shape(stderr);
	fputc('\n', stderr);
	volume_status(status, sizeof(status));
	fprintf(stderr, "status: %s\n", status);
	fflush(stderr);
	if (system("dmesg | grep -v ' test: ' | tail -n 40 >&2"))
		fputs("no kernel log\n", stderr);
	drives_dump();
	_exit(1);
}

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (round %" PRIu64 " of chain %" PRIu64 "; %s)\n",
		round_now, chain_now, shared ? shared->rerun : "");
	_exit(2);
}

/* How the work of now can be repeated. */
void set_rerun(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(shared->rerun, sizeof(shared->rerun), format, args);
	va_end(args);
}

u64 now_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

/* Where the time went, by phase. */
static struct {
	const char *what;
	u64 usec;
	u64 times;
} spent[MAX_PHASES];

static void account(const char *what)
{
	static u64 since;
	static int last = -1;
	u64 now = now_usec();
	int i;

	if (last >= 0)
		spent[last].usec += now - since;
	since = now;
	for (i = 0; i < MAX_PHASES - 1 && spent[i].what; i++)
		if (!strcmp(spent[i].what, what))
			break;
	if (!spent[i].what)
		spent[i].what = what;
	spent[i].times++;
	last = i;
}

void print_phases(void)
{
	int i;

	account("");
	printf("# ms each:");
	for (i = 0; i < MAX_PHASES && spent[i].what; i++)
		if (*spent[i].what)
			printf(" %s %.1f (%" PRIu64 ");", spent[i].what,
			       spent[i].usec / 1e3 / spent[i].times,
			       spent[i].times);
	putchar('\n');
}

/* Tells the parent that it goes on, and with what: a constant string. */
void phase(const char *what)
{
	account(what);
	snprintf(shared->what, sizeof(shared->what), "%s", what);
	shared->beats++;
}

/*
 * Runs a program and waits for it; its output is shown when it fails.  There
 * must be no threads.
 *
 * Return: its exit status.
 */
int run_program(const char *program, char *const argv[])
{
	int status, out;
	pid_t child;

	out = memfd_create("output", MFD_CLOEXEC);
	fflush(NULL);
	child = fork();
	if (!child) {
		dup2(out, 1);
		dup2(out, 2);
		execvp(program, argv);
		_exit(127);
	}
	if (out < 0 || child < 0 || waitpid(child, &status, 0) != child)
		die("cannot run %s: %s", program, strerror(errno));
	if (status) {
		char text[2048];
		ssize_t n = pread(out, text, sizeof(text), 0);

		fprintf(stderr, "%s:\n%.*s\n", program, n < 0 ? 0 : (int)n,
			text);
	}
	close(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- the parent ------------------------------------------------------------ */

/* Who waits where, for the kernel log. */
static void dump_tasks(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "w", 1) == 1)
		close(fd);
	if (system("dmesg | tail -n 150 >&2"))
		fputs("no kernel log\n", stderr);
}

static int watch(pid_t child)
{
	u64 beats = 0, since = now_usec();
	int status;

	for (;;) {
		pid_t ended = waitpid(child, &status, WNOHANG);

		if (ended == child)
			break;
		if (shared->beats != beats) {
			beats = shared->beats;
			since = now_usec();
		}
		if (now_usec() - since > HANG_SECONDS * 1000000ULL) {
			fprintf(stderr, "%s: FAILED: hangs (%s)\nto run it again: %s\n",
				program_invocation_short_name, shared->what, shared->rerun);
			dump_tasks();
			kill(child, SIGKILL);
			return 1;
		}
		usleep(20000);
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "%s: FAILED: ended by signal %d (%s)\nto run it again: %s\n",
		program_invocation_short_name, WTERMSIG(status), shared->what,
		shared->rerun);
	return 1;
}

/* Runs @work in a process of its own.  Return: the exit status. */
int harness_run(int (*work)(void))
{
	pid_t child;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	child = fork();
	if (child < 0)
		return 2;
	if (!child) {
		int ret = work();

		fflush(NULL);
		_exit(ret);
	}
	return watch(child);
}
