// SPDX-License-Identifier: GPL-2.0
/*
 * The array.  The tool makes it; from then on this talks to the device mapper
 * itself, which takes a fraction of the time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dm-ioctl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "powercut.h"

#define NAME		"powercut"
#define BUSY_TRIES	5000	/* one each millisecond */

int volume_fd = -1;
char volume_path[64];

/* One request with its answer. */
struct request {
	struct dm_ioctl head;
	char data[4096];
};

static u32 volume_minor, volume_major;
static atomic_bool wiped;

static int dm(unsigned long command, struct request *rq, u32 flags)
{
	static int control = -1;

	if (control < 0)
		control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		die("/dev/mapper/control: %s", strerror(errno));
	rq->head.version[0] = DM_VERSION_MAJOR;
	rq->head.data_size = sizeof(*rq);
	rq->head.data_start = sizeof(rq->head);
	rq->head.flags = flags;
	snprintf(rq->head.name, sizeof(rq->head.name), NAME);
	return ioctl(control, command, rq) ? -errno : 0;
}

static void add_target(struct request *rq, const char *type, const char *words)
{
	struct dm_target_spec *spec = (void *)rq->data;

	rq->head.target_count = 1;
	spec->length = shape.nr_zones * shape.zone_size;
	snprintf(spec->target_type, sizeof(spec->target_type), "%s", type);
	snprintf((char *)(spec + 1), sizeof(rq->data) - sizeof(*spec), "%s",
		 words);
}

/* Words of the table of the last start; a reload has to name the same members. */
static char table[512];

/* Members that the table in use does not name (bit by slot). */
static u32 left_out;

static void make_table(u32 absent, bool degraded, bool maintain, int rebuild)
{
	u32 nr_options = shape.through_by_table + degraded + maintain +
			 (rebuild >= 0), i;
	size_t n = snprintf(table, sizeof(table), "%u", shape.members);

	for (i = 0; i < shape.members; i++)
		n += snprintf(table + n, sizeof(table) - n, " %s",
			      absent >> i & 1 ? "-" : drive_path(i));
	n += snprintf(table + n, sizeof(table) - n, " %u%s%s%s", nr_options,
		      !shape.through_by_table ? "" : shape.through ?
		      " write_cache=through" : " write_cache=back",
		      degraded ? " degraded" : "", maintain ? " maintain" : "");
	if (rebuild >= 0)
		snprintf(table + n, sizeof(table) - n, " rebuild=%d", rebuild);
}

static int load_table(u32 flags)
{
	struct request rq = { 0 };

	add_target(&rq, "raizn", table);
	return dm(DM_TABLE_LOAD, &rq, flags);
}

static int resume(void)
{
	struct request rq = { 0 };

	return dm(DM_DEV_SUSPEND, &rq, 0);
}

static int suspend(void)
{
	struct request rq = { 0 };

	return dm(DM_DEV_SUSPEND, &rq, DM_SUSPEND_FLAG);
}

/* Somebody else may look at the device for a moment. */
static int remove_device(void)
{
	int err, tries = BUSY_TRIES;

	do {
		struct request rq = { 0 };

		err = dm(DM_DEV_REMOVE, &rq, 0);
		if (err != -EBUSY)
			return err;
		usleep(1000);
	} while (tries--);
	return err;
}

/* What a run that failed may have left. */
void volume_clear(void)
{
	remove_device();
}

/* Has columns on members of other slots. */
static void permute(void)
{
	char seed[16], *argv[MAX_MEMBERS + 4] = { "permute", "--seed", seed };
	u32 i;

	snprintf(seed, sizeof(seed), "%u", shape.permuted);
	for (i = 0; i < shape.members; i++)
		argv[3 + i] = (char *)drive_path(i);
	if (run_program("permute", argv))
		die("permute failed");
}

static void set_debris(void)
{
	FILE *f = fopen("/sys/module/dm_raizn/parameters/relocation_max", "w");

	if (!f || fprintf(f, "%u", shape.debris_kib ? shape.debris_kib : 1024) < 0 || fclose(f))
		die("cannot set relocation_max");
}

/* Makes the array; it does not run then. */
void volume_create(void)
{
	char unit[16], spares[16], level[16];
	char *argv[MAX_MEMBERS + 16] = {
		"raizn", "create", NAME, "--no-start", "--spare-zones", spares,
		"--stripe-unit", unit, "--level", level, "--write-cache",
		shape.through != shape.through_by_table ? "through" : "back",
	};
	u32 n = 12, i;

	set_debris();
	if (shape.trusting)
		argv[n++] = "--trust-buffers";
	snprintf(level, sizeof(level), "%u", shape.level);
	snprintf(unit, sizeof(unit), "%uK", shape.su / 2);
	snprintf(spares, sizeof(spares), "%u", shape.spares);
	for (i = 0; i < shape.members; i++)
		argv[n++] = (char *)drive_path(i);
	if (run_program("raizn", argv))
		die("raizn create failed");
	if (shape.permuted)
		permute();
}

static int start_volume(u32 absent, bool degraded, bool maintain, bool read_only)
{
	struct request rq = { 0 };
	int err;

	err = dm(DM_DEV_CREATE, &rq, 0);
	if (err)
		fail("no mapped device: %s", strerror(-err));
	volume_major = major(rq.head.dev);
	volume_minor = minor(rq.head.dev);
	snprintf(volume_path, sizeof(volume_path), "/dev/dm-%u", volume_minor);
	make_table(absent, degraded, maintain, -1);
	err = load_table(read_only ? DM_READONLY_FLAG : 0);
	if (!err)
		err = resume();
	if (!err) {
		left_out = absent;
		volume_fd = open(volume_path, (read_only ? O_RDONLY : O_RDWR) |
				 O_DIRECT | O_CLOEXEC);
		if (volume_fd < 0)
			fail("%s: %s", volume_path, strerror(errno));
		return 0;
	}
	if (remove_device())
		fail("a mapped device that did not start cannot be removed");
	return err;
}

/*
 * Starts the array, with the members of the mask @absent not named and with
 * options of the table.  Without power this fails, and leaves nothing behind.
 *
 * Return: 0 or a negative error.
 */
int volume_start(u32 absent, bool degraded, bool maintain)
{
	return start_volume(absent, degraded, maintain, false);
}

/* The same, but nothing is written to the drives. */
int volume_start_read_only(u32 absent, bool degraded)
{
	return start_volume(absent, degraded, false, true);
}

/* Removes the mapped device; with power, the array is clean then. */
void volume_stop(void)
{
	int err;

	if (volume_fd >= 0)
		close(volume_fd);
	volume_fd = -1;
	err = remove_device();
	if (err)
		fail("the volume cannot be removed: %s", strerror(-err));
	atomic_store(&wiped, false);
}

/*
 * Suspends and resumes the volume under load, perhaps with a table loaded anew.
 *
 * Return: 0 or a negative error; then it may be suspended.
 */
int volume_cycle(bool reload)
{
	int err = 0;

	if (reload)
		err = load_table(0);
	if (!err)
		err = suspend();
	if (!err)
		err = resume();
	return err;
}

/*
 * Members of the mask are not named any more: their devices are let go.
 *
 * Return: 0 or a negative error; then it may be suspended.
 */
int volume_leave_out(u32 absent)
{
	int err;

	make_table(absent, false, false, -1);
	err = volume_cycle(true);
	if (!err)
		left_out = absent;
	return err;
}

/* Members that the array does not know the drives of; a table names them to rebuild them. */
u32 volume_left_out(void)
{
	return left_out;
}

/*
 * The drive that is in @slot by now takes the place of the member that failed
 * there.
 *
 * Return: 0 or a negative error; then it may be suspended.
 */
int volume_rebuild(u32 slot, u32 absent)
{
	int err;

	make_table(absent, false, false, slot);
	err = volume_cycle(true);
	if (!err)
		left_out = absent;
	make_table(absent, false, false, -1);
	return err;
}

/* Whatever waits for a volume that does not resume gets errors. */
void volume_wipe(void)
{
	struct request rq = { 0 };
	int err;

	atomic_store(&wiped, true);
	add_target(&rq, "error", "");
	err = dm(DM_TABLE_LOAD, &rq, 0);
	if (!err)
		err = suspend();
	if (!err)
		err = resume();
	if (err)
		fail("the volume takes no table of errors: %s", strerror(-err));
}

/*
 * Has the volume a table of errors, or will it have one at any time?  Device mapper sends
 * no flush to that target, and so a flush ends well that nobody has carried out.
 */
bool volume_is_wiped(void)
{
	return atomic_load(&wiped);
}

/* The target's status line. */
void volume_status(char *text, size_t size)
{
	struct request rq = { 0 };
	struct dm_target_spec *spec = (void *)rq.data;

	*text = '\0';
	if (!dm(DM_TABLE_STATUS, &rq, 0) && rq.head.target_count)
		snprintf(text, size, "%s", (char *)(spec + 1));
}

/*
 * What the status line says.  A target that tells less than this program knows
 * has nothing missing and does nothing.
 */
void volume_state(struct volume_state *s)
{
	char text[STATUS_SIZE];
	int n, at = 0;

	memset(s, 0, sizeof(*s));
	snprintf(s->action, sizeof(s->action), "idle");
	volume_status(text, sizeof(text));
	n = sscanf(text, "%15s %*s %15s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %"
		   SCNu64 " %*s %*s %*s %*s %*s %u %15s %*s %" SCNu64 " %" SCNu64
		   " %*s %" SCNu64 " %" SCNu64 " %*s %*s %*s %n",
		   s->state, s->letters, &s->log_switches, &s->degraded_zones,
		   s->action, &s->done, &s->total, &s->mismatches,
		   &s->repaired, &at);
	if (n < 3 || strlen(s->letters) != shape.members)
		fail("strange status: %s", text);
	s->complete = n == 9;
	if (!s->complete)
		return;
	for (u32 i = 0; i < shape.members; i++) {
		int used = 0;

		if (sscanf(text + at, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 "%n",
			   &s->read_errors[i], &s->write_errors[i],
			   &s->healed[i], &used) != 3)
			fail("strange status: %s", text);
		at += used;
	}
	sscanf(text + at, "%*s %*s %*s %*s %*s %*s %" SCNu64, &s->spoilt);
}

/*
 * Sends a message to the target.
 *
 * Return: 0 or a negative error.
 */
int volume_message(const char *text)
{
	struct request rq = { 0 };
	struct dm_target_msg *msg = (void *)rq.data;

	snprintf(msg->message, sizeof(rq.data) - sizeof(*msg), "%s", text);
	return dm(DM_TARGET_MSG, &rq, 0);
}

/* A number of the volume in sysfs. */
u32 volume_limit(const char *name)
{
	char path[128], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/%s",
		 volume_major, volume_minor, name);
	f = fopen(path, "re");
	if (!f || !fgets(text, sizeof(text), f))
		die("cannot read %s", path);
	fclose(f);
	return strtoul(text, NULL, 10);
}
