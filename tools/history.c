// SPDX-License-Identifier: GPL-2.0
/*
 * As what this machine saw the drives of an array last: a file for each array, with a line
 * for each member, "UUID NODE SERIAL" with tabs between, and an event count behind that if the
 * array was started without the member by itself.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history.h"
#include "text.h"

#define FOLDER	"/var/lib/raizn"

/* More is not read of a file. */
#define MOST_LINES	(4 * RAIZN_MAX_MEMBERS)

/* Tenths of a second to wait for another process that writes a note. */
#define LOCK_TRIES	300

/* RAIZN_HISTORY is another folder. */
static const char *history_folder(void)
{
	const char *folder = getenv("RAIZN_HISTORY");

	return folder ? folder : FOLDER;
}

static void history_path(const u8 *array, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", history_folder(), uuid_text(array).s);
}

/*
 * Of two processes that note something at once, the later one must know what the earlier one
 * wrote.  Returns the descriptor that has the lock, to close; -1 if there is no folder.
 */
static int lock_history(void)
{
	u32 tries;
	int fd;

	if (!getenv("RAIZN_HISTORY"))
		mkdir(FOLDER, 0755);
	fd = open(history_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && tries < LOCK_TRIES; tries++)
		usleep(100000);
	return fd;
}

static void unlock_history(int fd)
{
	if (fd >= 0)
		close(fd);
}

static bool parse_line(char *line, struct sighting *sighting)
{
	char *node, *serial, *event;

	line[strcspn(line, "\n")] = '\0';
	node = strchr(line, '\t');
	serial = node ? strchr(node + 1, '\t') : NULL;
	if (!serial)
		return false;
	*node++ = '\0';
	*serial++ = '\0';
	event = strchr(serial, '\t');
	if (event)
		*event++ = '\0';
	if (!event || !parse_number(event, UINT64_MAX, &sighting->left_out))
		sighting->left_out = 0;
	text_printable(sighting->node, sizeof(sighting->node), node, strlen(node));
	text_printable(sighting->serial, sizeof(sighting->serial), serial,
		       strlen(serial));
	return parse_uuid(line, sighting->member);
}

static u32 read_sightings(const u8 *array, struct sighting *list)
{
	char path[PATH_MAX], line[256];
	FILE *file;
	u32 nr = 0;

	history_path(array, path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (nr < MOST_LINES && fgets(line, sizeof(line), file))
		nr += parse_line(line, &list[nr]);
	fclose(file);
	return nr;
}

/* Nobody finds it half written, also after a power cut.  The caller has the lock. */
static bool write_sightings(const u8 *array, const struct sighting *list, u32 nr)
{
	char path[PATH_MAX], new[PATH_MAX + 8];
	FILE *file;
	bool good;
	u32 i;

	history_path(array, path, sizeof(path));
	snprintf(new, sizeof(new), "%s.new", path);
	file = fopen(new, "we");
	if (!file)
		return false;
	for (i = 0; i < nr; i++) {
		fprintf(file, "%s\t%s\t%s", uuid_text(list[i].member).s,
			list[i].node, list[i].serial);
		if (list[i].left_out)
			fprintf(file, "\t%llu", (unsigned long long)list[i].left_out);
		fputc('\n', file);
	}
	good = !fflush(file) && !ferror(file) && !fsync(fileno(file));
	if (!fclose(file) && good && !rename(new, path))
		return true;
	unlink(new);
	return false;
}

static struct sighting *find_sighting(struct sighting *list, u32 nr, const u8 *member)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!memcmp(list[i].member, member, RAIZN_UUID_SIZE))
			return &list[i];
	return NULL;
}

void history_note(const u8 *array, const struct member *const *members, u32 nr)
{
	struct sighting old[MOST_LINES], now[2 * MOST_LINES];
	u32 nr_old, nr_now = 0, i;
	int lock = lock_history();

	nr_old = read_sightings(array, old);
	for (i = 0; i < nr; i++) {
		struct sighting *sighting = &now[nr_now];

		if (!members[i])
			continue;
		memset(sighting, 0, sizeof(*sighting));
		memcpy(sighting->member, member_sb(members[i])->member_uuid,
		       RAIZN_UUID_SIZE);
		text_copy(sighting->node, sizeof(sighting->node),
			  members[i]->drive.node);
		text_copy(sighting->serial, sizeof(sighting->serial),
			  members[i]->drive.serial);
		nr_now++;
	}
	/* The newest come first; those of members long gone are cut off at some time. */
	for (i = 0; i < nr_old && nr_now < MOST_LINES; i++)
		if (!find_sighting(now, nr_now, old[i].member))
			now[nr_now++] = old[i];
	write_sightings(array, now, nr_now);
	unlock_history(lock);
}

bool history_find(const u8 *array, const u8 *member, struct sighting *sighting)
{
	struct sighting list[MOST_LINES];
	const struct sighting *found =
		find_sighting(list, read_sightings(array, list), member);

	if (found)
		*sighting = *found;
	return found;
}

struct seen_text history_text(const u8 *array, const u8 *member)
{
	struct seen_text text = { "" };
	struct sighting sighting;

	if (history_find(array, member, &sighting) && *sighting.node)
		snprintf(text.s, sizeof(text.s), ", last seen as %s%s%s",
			 sighting.node, *sighting.serial ? ", serial " : "",
			 sighting.serial);
	return text;
}

static bool leave_out(const u8 *array, const u8 *member, u64 event)
{
	struct sighting list[MOST_LINES];
	u32 nr = read_sightings(array, list);
	struct sighting *sighting = find_sighting(list, nr, member);

	if (!sighting && event) {
		nr -= nr == MOST_LINES;
		sighting = &list[nr++];
		memset(sighting, 0, sizeof(*sighting));
		memcpy(sighting->member, member, RAIZN_UUID_SIZE);
	}
	if (!sighting || sighting->left_out == event)
		return true;
	sighting->left_out = event;
	return write_sightings(array, list, nr);
}

bool history_leave_out(const u8 *array, const u8 *member, u64 event)
{
	int lock = lock_history();
	bool done = leave_out(array, member, event);

	unlock_history(lock);
	return done;
}

u64 history_left_out(const u8 *array, const u8 *member)
{
	struct sighting sighting;

	return history_find(array, member, &sighting) ? sighting.left_out : 0;
}

bool history_exists(const u8 *array)
{
	char path[PATH_MAX];

	history_path(array, path, sizeof(path));
	return !access(path, F_OK);
}
