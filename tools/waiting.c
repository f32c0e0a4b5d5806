// SPDX-License-Identifier: GPL-2.0
/*
 * Records in /run of arrays that do not come up by themselves: a JSON object in a file for each.
 * A process that waits has locked it.  One that was killed leaves it, so that the array is not
 * forgotten: the record is void when the array runs, or when no drive of the array is there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_out.h"
#include "text.h"
#include "tool.h"
#include "waiting.h"

#define FOLDER		"/run"
#define PREFIX		"raizn-"
#define SUFFIX		".waiting"

/* Always written as a whole, so that a reader finds the old record or the new one. */
#define RECORD_SIZE	8192

/* A reader may meet a writer. */
#define READ_TRIES	3

static const char *const kind_names[NR_WAITING_KINDS] = {
	[WAITING_DRIVES] = "waiting",
	[WAITING_LATE] = "late",
	[WAITING_OWNER] = "refused",
};

static void waiting_path(const u8 *uuid, char *path, size_t size)
{
	snprintf(path, size, FOLDER "/" PREFIX "%s" SUFFIX, uuid_text(uuid).s);
}

static int64_t boot_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_BOOTTIME, &time);
	return time.tv_sec;
}

int64_t waiting_age(const struct waiting *record)
{
	return boot_seconds() - record->begun;
}

static bool take_record(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_SETLK, &lock);
}

/* To ask takes no lock, which would keep a process from its record. */
static bool record_is_held(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

/* Another process may have removed the file meanwhile; then this is another one. */
static int open_record(const u8 *uuid, int flags)
{
	struct stat st;
	char path[80];
	int fd;

	waiting_path(uuid, path, sizeof(path));
	for (;;) {
		fd = open(path, flags | O_RDWR | O_CLOEXEC, 0644);
		if (fd < 0)
			return -1;
		if (!take_record(fd) || fstat(fd, &st)) {
			close(fd);
			return -1;
		}
		if (st.st_nlink)
			return fd;
		close(fd);
	}
}

int waiting_open(const u8 *uuid)
{
	return open_record(uuid, O_CREAT);
}

static const char *text_of(struct json_object *object, const char *key)
{
	return json_object_get_string(json_object_object_get(object, key));
}

static int64_t number_of(struct json_object *object, const char *key)
{
	return json_object_get_int64(json_object_object_get(object, key));
}

static u32 slots_of(struct json_object *list)
{
	u32 slots = 0;
	size_t i;

	for (i = 0; json_object_is_type(list, json_type_array) &&
	     i < json_object_array_length(list); i++)
		slots |= 1U << (json_object_get_int(json_object_array_get_idx(list, i)) %
				RAIZN_MAX_MEMBERS);
	return slots;
}

/* A name that is none may stand in a superblock. */
static void set_name(struct waiting *record, const char *name)
{
	if (!name || !array_name_valid(name))
		name = uuid_text(record->uuid).s;
	snprintf(record->name, sizeof(record->name), "%s", name);
}

static bool parse_record(const char *text, struct waiting *record)
{
	struct json_object *object = json_tokener_parse(text);
	const char *kind = object ? text_of(object, "state") : NULL;
	const char *reason = object ? text_of(object, "reason") : NULL;
	bool known = false;
	u32 i;

	for (i = 0; kind && i < NR_WAITING_KINDS; i++) {
		if (strcmp(kind, kind_names[i]))
			continue;
		known = true;
		record->kind = i;
		set_name(record, text_of(object, "array"));
		record->since = number_of(object, "since");
		record->begun = number_of(object, "boot_seconds");
		record->slots = slots_of(json_object_object_get(object, "slots"));
		text_printable(record->reason, sizeof(record->reason), reason ? reason : "",
			       reason ? strlen(reason) : 0);
	}
	json_object_put(object);
	return known;
}

/* @record->uuid is set. */
static bool read_record(int fd, struct waiting *record)
{
	char text[RECORD_SIZE + 1];
	ssize_t len;
	u32 try;

	for (try = 0; try < READ_TRIES; try++) {
		len = pread(fd, text, RECORD_SIZE, 0);
		if (len <= 0)
			return false;
		text[len] = '\0';
		if (parse_record(text, record))
			return true;
		usleep(1000);
	}
	return false;
}

bool waiting_read(const u8 *uuid, struct waiting *record)
{
	char path[80];
	bool found;
	int fd;

	memset(record, 0, sizeof(*record));
	memcpy(record->uuid, uuid, RAIZN_UUID_SIZE);
	waiting_path(uuid, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = read_record(fd, record);
	record->held = record_is_held(fd);
	close(fd);
	return found;
}

static struct json_object *record_object(const struct waiting *record)
{
	struct json_object *object = json_object_new_object();

	json_add_text(object, "array", record->name);
	json_add_uuid(object, "uuid", record->uuid);
	json_add_text(object, "state", kind_names[record->kind]);
	json_add_number(object, "since", record->since);
	json_object_object_add(object, "boot_seconds", json_object_new_int64(record->begun));
	json_add_slots(object, "slots", record->slots);
	json_add_text(object, "reason", record->reason);
	return object;
}

void waiting_write(int fd, const struct waiting *record)
{
	struct waiting before = { .kind = NR_WAITING_KINDS }, now = *record;
	struct json_object *object;
	char text[RECORD_SIZE];
	int len;

	if (fd < 0)
		return;
	memcpy(before.uuid, record->uuid, RAIZN_UUID_SIZE);
	read_record(fd, &before);
	now.since = before.kind == now.kind ? before.since : time(NULL);
	now.begun = before.kind == now.kind ? before.begun : boot_seconds();
	object = record_object(&now);
	memset(text, ' ', sizeof(text));
	len = snprintf(text, sizeof(text), "%s",
		       json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	if (len < (int)sizeof(text))
		text[len] = ' ';
	text[sizeof(text) - 1] = '\n';
	if (pwrite(fd, text, sizeof(text), 0) != sizeof(text))
		complain("%s: cannot be noted in " FOLDER ": %m", now.name);
}

int waiting_adopt(const u8 *uuid, u32 *slots)
{
	struct waiting record = { .kind = NR_WAITING_KINDS };
	int fd = open_record(uuid, 0);

	if (fd < 0)
		return -1;
	memcpy(record.uuid, uuid, RAIZN_UUID_SIZE);
	if (read_record(fd, &record) && record.kind == WAITING_LATE && record.slots) {
		*slots = record.slots;
		return fd;
	}
	close(fd);
	return -1;
}

void waiting_end(int fd, const u8 *uuid)
{
	char path[80];

	if (fd < 0)
		return;
	waiting_path(uuid, path, sizeof(path));
	unlink(path);
	close(fd);
}

void waiting_void(const u8 *uuid)
{
	waiting_end(open_record(uuid, 0), uuid);
}

/* Is a file in the folder a record, and of which array? */
static bool record_of(const char *file, u8 *uuid)
{
	char word[40];
	size_t prefix = strlen(PREFIX), len = strlen(file), suffix = strlen(SUFFIX);

	if (strncmp(file, PREFIX, prefix) || len < prefix + suffix ||
	    strcmp(file + len - suffix, SUFFIX))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)(len - prefix - suffix), file + prefix);
	return parse_uuid(word, uuid);
}

static int add_record(struct waiting **records, u32 *nr, const struct waiting *record)
{
	struct waiting *grown = realloc(*records, (*nr + 1) * sizeof(*grown));

	if (!grown)
		return fail_memory();
	*records = grown;
	grown[(*nr)++] = *record;
	return TOOL_OK;
}

int waiting_list(struct waiting **records, u32 *nr)
{
	u8 uuid[RAIZN_UUID_SIZE];
	struct waiting record;
	struct dirent *entry;
	int ret = TOOL_OK;
	DIR *dir;

	*records = NULL;
	*nr = 0;
	dir = opendir(FOLDER);
	while (dir && !ret && (entry = readdir(dir)))
		if (record_of(entry->d_name, uuid) && waiting_read(uuid, &record))
			ret = add_record(records, nr, &record);
	if (dir)
		closedir(dir);
	return ret;
}

int waiting_listen(void)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd >= 0 && inotify_add_watch(fd, FOLDER, IN_MODIFY | IN_DELETE) >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool waiting_heard(int fd)
{
	char some[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *event;
	u8 uuid[RAIZN_UUID_SIZE];
	bool heard = false;
	ssize_t len, at;

	while (fd >= 0 && (len = read(fd, some, sizeof(some))) > 0) {
		for (at = 0; at < len; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)(some + at);
			heard |= event->mask & IN_Q_OVERFLOW ||
				 (event->len && record_of(event->name, uuid));
		}
	}
	return heard;
}
