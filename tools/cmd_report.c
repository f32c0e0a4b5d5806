// SPDX-License-Identifier: GPL-2.0
/*
 * raizn report
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"
#include "scan.h"
#include "text.h"

static const char help[] =
"usage: raizn report [FILE]\n"
"\n"
"Writes what a report of a bug should have into a compressed tar archive: versions, the\n"
"state of all arrays, what their members' metadata says, and what the kernel and the\n"
"services logged. It has names, UUIDs, serial numbers and mount points, but nothing that is\n"
"stored on a volume. Changes nothing.\n"
"\n"
"  FILE  the archive; raizn-report-HOST-TIME.tar.gz by default\n";

/* No command is waited for longer than this (seconds). */
#define PATIENCE	60

/**
 * struct section - one file of the archive
 * @file:	its name
 * @command:	what writes it, for sh(1)
 */
struct section {
	const char *file;
	const char *command;
};

static const struct section sections[] = {
	{ "versions", "raizn --version; uname -a; cat /etc/os-release; modinfo dm-raizn; dmsetup version; dmsetup targets; dkms status dm-raizn" },
	{ "list", "raizn list" },
	{ "status", "raizn status" },
	{ "status.json", "raizn status --json" },
	{ "dmsetup", "dmsetup info -c; dmsetup table; dmsetup status; dmsetup udevcookies" },
	{ "map", "for v in $(dmsetup ls --target raizn | cut -f 1); do raizn map \"$v\"; done" },
	{ "map.json", "for v in $(dmsetup ls --target raizn | cut -f 1); do raizn map \"$v\" --json; done" },
	{ "memory", "for v in $(dmsetup ls --target raizn | cut -f 1); do echo \"$v:\"; dmsetup message \"$v\" 0 memory; done" },
	{ "block", "lsblk -O; for q in /sys/block/*/queue; do echo \"$q\"; grep -H . \"$q\"/* 2>/dev/null; done" },
	{ "udev", "for d in /sys/block/*; do udevadm info \"$d\"; done" },
	{ "mounts", "cat /proc/self/mountinfo /proc/swaps; sed -E '/^[[:space:]]*#/d; s/((pass|user|cred|secret|key)[a-z]*=)[^,[:space:]]*/\\1-/g' /etc/fstab" },
	{ "kernel", "dmesg" },
	{ "services", "systemctl --no-pager -l status 'raizn*'; journalctl --no-pager -b -n 5000 -u 'raizn*' -t raizn" },
	{ "history", "grep -r . /var/lib/raizn" },
};

static bool wait_for(pid_t child)
{
	u32 tenths;

	for (tenths = 0; tenths < 10 * PATIENCE; tenths++) {
		if (waitpid(child, NULL, WNOHANG))
			return true;
		usleep(100000);
	}
	/* With its children; a drive that hangs may keep it from dying. */
	kill(-child, SIGKILL);
	return waitpid(child, NULL, WNOHANG);
}

/* Has sh(1) run @command in @folder, what it says goes to @file there. */
static void run_section(const char *folder, const char *file, const char *command)
{
	char path[PATH_MAX];
	pid_t child;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fflush(stdout);
	child = fork();
	if (!child) {
		setpgid(0, 0);
		fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
		if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
			_exit(127);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	if (child < 0 || !wait_for(child))
		complain("%s: not complete, a command took longer than %u seconds",
			 file, PATIENCE);
}

static void run_inspect(const char *folder)
{
	char file[96], command[PATH_MAX + 64];
	struct scan scan;
	u32 i;

	if (scan_system(&scan, SCAN_LOGS))
		return;
	for (i = 0; i < scan.nr; i++) {
		const struct drive *drive = &scan.members[i]->drive;

		snprintf(file, sizeof(file), "inspect-%s", drive->node);
		snprintf(command, sizeof(command), "raizn inspect '%s'", drive->path);
		run_section(folder, file, command);
	}
	scan_free(&scan);
}

static int pack(const char *parent, const char *name, const char *archive)
{
	int status = -1;
	pid_t child;

	child = fork();
	if (!child) {
		execlp("tar", "tar", "-czf", archive, "-C", parent, name, NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		return fail(TOOL_FAILED, "%s: cannot be written by tar", archive);
	return TOOL_OK;
}

static void erase_folder(const char *folder)
{
	pid_t child = fork();

	if (!child) {
		execlp("rm", "rm", "-rf", folder, NULL);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static int write_report(const char *archive, const char *name)
{
	char parent[] = "/tmp/raizn-report.XXXXXX", folder[PATH_MAX];
	size_t i;
	int fd, ret;

	/* Before the work is done. */
	fd = open(archive, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(TOOL_FAILED, "%s: cannot be written: %m", archive);
	close(fd);
	if (!mkdtemp(parent))
		return fail(TOOL_FAILED, "%s: cannot be made: %m", parent);
	snprintf(folder, sizeof(folder), "%s/%s", parent, name);
	if (mkdir(folder, 0700)) {
		ret = fail(TOOL_FAILED, "%s: cannot be made: %m", folder);
		rmdir(parent);
		return ret;
	}
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		run_section(folder, sections[i].file, sections[i].command);
	run_inspect(folder);
	ret = pack(parent, name, archive);
	erase_folder(parent);
	if (!ret)
		printf("%s: written; look into it before you send it to anybody\n",
		       archive);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	char name[128], archive[160], when[32] = "";
	time_t now = time(NULL);
	struct utsname system;
	struct tm tm;

	if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
		return fail_usage(self, "takes the name of a file and nothing else");
	uname(&system);
	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	snprintf(name, sizeof(name), "raizn-report-%.64s-%s", system.nodename, when);
	snprintf(archive, sizeof(archive), "%s.tar.gz", name);
	umask(077);
	return write_report(argc == 2 ? argv[1] : archive, name);
}

const struct command command_report = {
	.name = "report",
	.help = help,
	.needs_root = true,
	.run = run,
};
