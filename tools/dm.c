// SPDX-License-Identifier: GPL-2.0
/*
 * The device mapper: which volumes run, starting and stopping them.
 */
#include <libdevmapper.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dm.h"
#include "freeze.h"
#include "kernel_log.h"
#include "text.h"
#include "tool.h"

#define TARGET		"raizn"
#define MODULE		"dm-raizn"
#define UUID_PREFIX	"RAIZN-"

/* The last error libdevmapper had to tell. */
static char dm_message[256];

[[gnu::format(printf, 5, 6)]]
static void keep_message(int level, const char *file, int line, int error,
			 const char *format, ...)
{
	va_list args;

	(void)file;
	(void)line;
	(void)error;
	if ((level & 7) > 3)	/* what does not fail the operation */
		return;
	va_start(args, format);
	vsnprintf(dm_message, sizeof(dm_message), format, args);
	va_end(args);
}

void volume_dm_init(void)
{
	dm_log_with_errno_init(keep_message);
}

void volume_dm_exit(void)
{
	dm_lib_release();
}

static void dm_uuid_of(const u8 *uuid, char *text, size_t size)
{
	size_t i, at;

	at = snprintf(text, size, UUID_PREFIX);
	for (i = 0; i < RAIZN_UUID_SIZE && at < size; i++)
		at += snprintf(text + at, size - at, "%02x", uuid[i]);
}

bool volume_array_uuid(const char *dm_uuid, u8 *uuid)
{
	size_t prefix = strlen(UUID_PREFIX);

	return !strncmp(dm_uuid, UUID_PREFIX, prefix) &&
	       parse_uuid(dm_uuid + prefix, uuid);
}

/* Fill @volume from a task that ran; false if there is no such device. */
static bool take_info(struct dm_task *task, struct volume *volume)
{
	struct dm_info info;

	if (!dm_task_get_info(task, &info) || !info.exists)
		return false;
	memset(volume, 0, sizeof(*volume));
	snprintf(volume->name, sizeof(volume->name), "%s",
		 dm_task_get_name(task));
	snprintf(volume->dm_uuid, sizeof(volume->dm_uuid), "%s",
		 dm_task_get_uuid(task));
	volume->is_raizn = volume_array_uuid(volume->dm_uuid, volume->uuid);
	volume->major = info.major;
	volume->minor = info.minor;
	volume->open_count = info.open_count;
	volume->suspended = info.suspended;
	volume->has_table = info.live_table;
	volume->read_only = info.read_only;
	return true;
}

static bool device_mapper_there(void)
{
	return !access("/dev/mapper/control", F_OK) ||
	       !access("/sys/class/misc/device-mapper", F_OK);
}

static bool find_volume(const char *name, const char *dm_uuid,
			struct volume *volume)
{
	struct dm_task *task;
	bool found = false;

	if (!device_mapper_there())
		return false;
	task = dm_task_create(DM_DEVICE_INFO);
	if (!task)
		return false;
	if ((name ? dm_task_set_name(task, name) :
		    dm_task_set_uuid(task, dm_uuid)) &&
	    dm_task_run(task))
		found = take_info(task, volume);
	dm_task_destroy(task);
	return found;
}

bool volume_by_name(const char *name, struct volume *volume)
{
	return find_volume(name, NULL, volume);
}

bool volume_by_uuid(const u8 *uuid, struct volume *volume)
{
	char dm_uuid[64];

	dm_uuid_of(uuid, dm_uuid, sizeof(dm_uuid));
	return find_volume(NULL, dm_uuid, volume);
}

int volume_wanted(const char *wanted, struct volume *volume)
{
	u8 uuid[RAIZN_UUID_SIZE];

	if (parse_uuid(wanted, uuid) && volume_by_uuid(uuid, volume))
		return TOOL_OK;
	if (!volume_by_name(wanted, volume))
		return fail(TOOL_NOT_FOUND,
			    "%s: no array of this name or UUID runs; see 'raizn list'",
			    wanted);
	if (!volume->is_raizn)
		return fail(TOOL_REFUSED,
			    "%s: a mapped device, but not an array's; leave it to its owner",
			    wanted);
	return TOOL_OK;
}

/* Walk the kernel's list of names; entries are linked by byte offsets. */
static int collect(const struct dm_names *names, struct volume **volumes,
		   u32 *nr)
{
	struct volume volume, *grown;

	if (!names->dev)
		return TOOL_OK;
	for (;;) {
		/* It may have gone since the list was made. */
		if (volume_by_name(names->name, &volume) && volume.is_raizn) {
			grown = realloc(*volumes, (*nr + 1) * sizeof(**volumes));
			if (!grown)
				return fail_memory();
			*volumes = grown;
			grown[(*nr)++] = volume;
		}
		if (!names->next)
			return TOOL_OK;
		names = (const void *)((const char *)names + names->next);
	}
}

int volume_list(struct volume **volumes, u32 *nr)
{
	struct dm_task *task;
	int ret;

	*volumes = NULL;
	*nr = 0;
	if (!device_mapper_there())
		return TOOL_OK;
	task = dm_task_create(DM_DEVICE_LIST);
	if (!task)
		return fail(TOOL_FAILED, "device mapper: %s", dm_message);
	if (dm_task_run(task))
		ret = collect(dm_task_get_names(task), volumes, nr);
	else
		ret = fail(TOOL_FAILED, "device mapper: cannot list devices: %s",
			   dm_message);
	dm_task_destroy(task);
	if (ret) {
		free(*volumes);
		*volumes = NULL;
		*nr = 0;
	}
	return ret;
}

/* The target takes host= from this version on. */
#define HOST_VERSION	1

/* Minor version of a target of the kernel; -1 if it has none of that name. */
static int version_of(const char *name)
{
	struct dm_versions *target;
	struct dm_task *task;
	int version = -1;

	task = dm_task_create(DM_DEVICE_LIST_VERSIONS);
	if (!task)
		return version;
	if (dm_task_run(task)) {
		target = dm_task_get_versions(task);
		for (;;) {
			if (!strcmp(target->name, name))
				version = target->version[1];
			if (!target->next)
				break;
			target = (void *)((char *)target + target->next);
		}
	}
	dm_task_destroy(task);
	return version;
}

static int target_version(void)
{
	return version_of(TARGET);
}

static bool kernel_has_target(void)
{
	return target_version() >= 0;
}

bool volume_target_takes_host(void)
{
	return target_version() >= HOST_VERSION;
}

static void load_module(const char *module)
{
	pid_t child = fork();

	if (!child) {
		execlp("modprobe", "modprobe", "-q", module, NULL);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

bool volume_has_target(const char *name)
{
	if (!device_mapper_there() || !kernel_has_target())
		load_module(MODULE);
	return device_mapper_there() && version_of(name) >= 0;
}

int volume_need_target(void)
{
	struct utsname system;

	if (device_mapper_there() && kernel_has_target())
		return TOOL_OK;
	load_module(MODULE);
	if (device_mapper_there() && kernel_has_target())
		return TOOL_OK;
	uname(&system);
	return fail(TOOL_FAILED,
		    "kernel %s has no device-mapper target 'raizn'; install the module %s for it, then 'modprobe %s'",
		    system.release, MODULE, MODULE);
}

/* "W MAJOR:MINOR|-... [NR OPTION...]" */
static char *table_line(const struct raizn_geometry *geo,
			struct member *const *members,
			const struct table_options *options)
{
	const u8 *host = volume_target_takes_host() ? options->host : NULL;
	u32 nr = !!options->write_cache + options->degraded + options->maintain +
		 !!host;
	size_t size = 192 + 24 * geo->nr_members, at;
	char *line = malloc(size);
	u32 i;

	if (!line)
		return NULL;
	at = snprintf(line, size, "%u", geo->nr_members);
	for (i = 0; i < geo->nr_members; i++)
		if (members[i])
			at += snprintf(line + at, size - at, " %u:%u",
				       major(members[i]->drive.dev),
				       minor(members[i]->drive.dev));
		else
			at += snprintf(line + at, size - at, " -");
	if (nr)
		at += snprintf(line + at, size - at, " %u", nr);
	if (options->write_cache)
		at += snprintf(line + at, size - at, " write_cache=%s",
			       options->write_cache);
	snprintf(line + at, size - at, "%s%s%s%s",
		 options->degraded ? " degraded" : "",
		 options->maintain ? " maintain" : "",
		 host ? " host=" : "", host ? uuid_text(host).s : "");
	return line;
}

static sigset_t signals_before;
static bool signals_held;

/*
 * Between the two steps in which a table takes effect nobody is to be interrupted who would
 * leave a device without one, or with one that waits.
 */
static void hold_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGTSTP);
	signals_held = !sigprocmask(SIG_BLOCK, &signals, &signals_before);
}

static void let_signals(void)
{
	if (signals_held)
		sigprocmask(SIG_SETMASK, &signals_before, NULL);
	signals_held = false;
}

/* How long udev may take, and how often it is asked (milliseconds). */
#define UDEV_PATIENCE	30000
#define UDEV_INTERVAL	5

/* udev may hang, or be stopped: the array runs without it, and others have to be served. */
static void wait_for_udev(u32 cookie)
{
	u32 waited;
	int ready;

	for (waited = 0; waited < UDEV_PATIENCE; waited += UDEV_INTERVAL) {
		if (!dm_udev_wait_immediate(cookie, &ready) || ready)
			return;
		usleep(UDEV_INTERVAL * 1000);
	}
	complain("udev has not answered for %u seconds: links in /dev may be missing; see 'systemctl status systemd-udevd'",
		 UDEV_PATIENCE / 1000);
}

/* Run a task that makes or removes a device node, and wait for udev. */
static bool run_with_udev(struct dm_task *task)
{
	u32 cookie = 0;
	bool ok;

	ok = dm_task_set_cookie(task, &cookie, 0) && dm_task_run(task);
	/* Who failed has more to do.  udev may want to write. */
	if (ok) {
		thaw_users();
		let_signals();
	}
	if (cookie)
		wait_for_udev(cookie);
	dm_task_update_nodes();
	return ok;
}

int volume_start(const char *name, const u8 *uuid,
		 const struct raizn_geometry *geo,
		 struct member *const *members,
		 const struct table_options *options, char *said, size_t size)
{
	struct kernel_log log;
	struct dm_task *task;
	char dm_uuid[64];
	char *line;
	int ret;

	ret = volume_need_target();
	if (ret)
		return ret;
	dm_uuid_of(uuid, dm_uuid, sizeof(dm_uuid));
	line = table_line(geo, members, options);
	task = dm_task_create(DM_DEVICE_CREATE);
	if (!line || !task) {
		ret = fail_memory();
		goto out;
	}
	kernel_log_open(&log);
	hold_signals();
	if (!dm_task_set_name(task, name) ||
	    !dm_task_set_uuid(task, dm_uuid) ||
	    !dm_task_add_target(task, 0, geo->nr_zones * geo->zone_size,
				TARGET, line) ||
	    (options->read_only && !dm_task_set_ro(task)) ||
	    !run_with_udev(task))
		ret = kernel_log_explain(&log, name, "start the array",
					 dm_message);
	else
		kernel_log_find(&log, "recovered", said, size);
	let_signals();
	kernel_log_close(&log);
out:
	if (task)
		dm_task_destroy(task);
	free(line);
	return ret;
}

int volume_remove(const struct volume *volume)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_REMOVE);
	int ret = TOOL_OK;

	if (!task)
		return fail_memory();
	/* udev may look into the device for a moment. */
	if (!dm_task_set_name(task, volume->name) ||
	    !dm_task_retry_remove(task) || !run_with_udev(task))
		ret = fail(TOOL_FAILED, "%s: cannot be stopped: %s",
			   volume->name, dm_message);
	dm_task_destroy(task);
	return ret;
}

static bool load_table(const struct volume *volume, u64 length,
		       const char *line)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_RELOAD);
	bool ok;

	ok = task && dm_task_set_name(task, volume->name) &&
	     dm_task_add_target(task, 0, length, TARGET, line) &&
	     dm_task_run(task);
	if (task)
		dm_task_destroy(task);
	return ok;
}

/*
 * Let the table that was loaded take effect.  No file system needs to be frozen for that, as
 * device mapper would: it thaws it while the volume still counts as suspended, and btrfs,
 * which asks for zone reports then, takes their lack for an error.
 */
static bool resume(const struct volume *volume)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_RESUME);
	bool ok;

	ok = task && dm_task_set_name(task, volume->name) &&
	     dm_task_skip_lockfs(task) && run_with_udev(task);
	if (task)
		dm_task_destroy(task);
	return ok;
}

/* Forget the table that was loaded. */
static void clear_table(const struct volume *volume)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_CLEAR);

	if (!task)
		return;
	if (dm_task_set_name(task, volume->name))
		dm_task_run(task);
	dm_task_destroy(task);
}

static bool table_length(const struct volume *volume, u64 *length)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_TABLE);
	char *type = NULL, *params;
	u64 start;
	bool ok;

	ok = task && dm_task_set_name(task, volume->name) && dm_task_run(task);
	if (ok)
		dm_get_next_target(task, NULL, &start, length, &type, &params);
	if (task)
		dm_task_destroy(task);
	return ok && type;
}

/* Nothing can be synced to one that is suspended already. */
static void freeze_users_of(const struct volume *volume)
{
	struct volume now;

	if (volume_by_uuid(volume->uuid, &now) && !now.suspended)
		freeze_users(makedev(volume->major, volume->minor));
}

/*
 * The end of what hold_signals() began: messages may be meant for a file system that is
 * frozen.  @step: what the kernel did not do, or NULL.
 */
static int tell_after(struct kernel_log *log, const struct volume *volume, const char *step,
		      const char *message)
{
	int ret = TOOL_OK;

	thaw_users();
	let_signals();
	if (step)
		ret = kernel_log_explain(log, volume->name, step, message);
	kernel_log_close(log);
	return ret;
}

/* Let the table that was loaded take effect, or go on without; returns whether it does. */
static bool change_over(const struct volume *volume, char *message, size_t size)
{
	struct volume now;

	freeze_users_of(volume);
	if (resume(volume))
		return true;
	text_copy(message, size, dm_message);
	clear_table(volume);
	/* What is suspended by this serves nobody. */
	if (!volume->suspended && volume_by_uuid(volume->uuid, &now) && now.suspended)
		resume(volume);
	return false;
}

int volume_reload(const struct volume *volume, const char *line)
{
	char message[sizeof(dm_message)] = "";
	const char *step = NULL;
	struct kernel_log log;
	u64 length;

	kernel_log_open(&log);
	hold_signals();
	if (!table_length(volume, &length) ||
	    !load_table(volume, length, line)) {
		step = "take the new table";
		text_copy(message, sizeof(message), dm_message);
	} else if (!change_over(volume, message, sizeof(message))) {
		step = "change over to the new table";
	}
	return tell_after(&log, volume, step, message);
}

static bool suspend(const struct volume *volume)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_SUSPEND);
	bool ok;

	ok = task && dm_task_set_name(task, volume->name) &&
	     dm_task_skip_lockfs(task) && dm_task_run(task);
	if (task)
		dm_task_destroy(task);
	return ok;
}

int volume_cycle(const struct volume *volume)
{
	char message[sizeof(dm_message)] = "";
	const char *step = NULL;
	struct kernel_log log;

	kernel_log_open(&log);
	hold_signals();
	freeze_users_of(volume);
	if (!suspend(volume)) {
		step = "suspend";
		text_copy(message, sizeof(message), dm_message);
	} else if (!resume(volume)) {
		step = "go on";
		text_copy(message, sizeof(message), dm_message);
		/* What is suspended by this serves nobody. */
		resume(volume);
	}
	return tell_after(&log, volume, step, message);
}

int volume_message(const struct volume *volume, const char *text)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_TARGET_MSG);
	struct kernel_log log;
	int ret = TOOL_OK;
	char what[80];

	if (!task)
		return fail_memory();
	kernel_log_open(&log);
	snprintf(what, sizeof(what), "do '%s'", text);
	if (!dm_task_set_name(task, volume->name) ||
	    !dm_task_set_sector(task, 0) || !dm_task_set_message(task, text) ||
	    !dm_task_run(task))
		ret = kernel_log_explain(&log, volume->name, what,
					 strerror(dm_task_get_errno(task)));
	kernel_log_close(&log);
	dm_task_destroy(task);
	return ret;
}

bool volume_ask(const struct volume *volume, const char *text, char *answer,
		size_t size)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_TARGET_MSG);
	const char *response = NULL;

	if (task && dm_task_set_name(task, volume->name) &&
	    dm_task_set_sector(task, 0) && dm_task_set_message(task, text) &&
	    dm_task_run(task))
		response = dm_task_get_message_response(task);
	snprintf(answer, size, "%s", response ? response : "");
	if (task)
		dm_task_destroy(task);
	return *answer;
}

bool volume_is_foreign(const struct volume *volume, char *target, size_t size)
{
	char *type = NULL, *params = NULL;
	struct dm_task *task;
	bool foreign = false;
	u64 start, length;

	task = dm_task_create(DM_DEVICE_TABLE);
	if (task && dm_task_set_name(task, volume->name) && dm_task_run(task)) {
		dm_get_next_target(task, NULL, &start, &length, &type, &params);
		foreign = type && strcmp(type, TARGET);
		if (foreign)
			text_printable(target, size, type, strlen(type));
	}
	if (task)
		dm_task_destroy(task);
	return foreign;
}

char *volume_line(const struct volume *volume, bool status)
{
	struct dm_task *task;
	char *line = NULL, *type = NULL, *params = NULL;
	u64 start, length;

	task = dm_task_create(status ? DM_DEVICE_STATUS : DM_DEVICE_TABLE);
	if (task && dm_task_set_name(task, volume->name) &&
	    dm_task_no_flush(task) && dm_task_run(task)) {
		dm_get_next_target(task, NULL, &start, &length, &type, &params);
		if (type && params && !strcmp(type, TARGET))
			line = strdup(params);
		else
			snprintf(dm_message, sizeof(dm_message),
				 "it has no table");
	}
	if (task)
		dm_task_destroy(task);
	if (!line)
		fail(TOOL_FAILED, "%s: cannot be examined: %s", volume->name,
		     dm_message);
	return line;
}
