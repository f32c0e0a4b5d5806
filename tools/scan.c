// SPDX-License-Identifier: GPL-2.0
/*
 * Which arrays the drives of this machine make up.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "answer.h"
#include "dm.h"
#include "holders.h"
#include "scan.h"
#include "text.h"

/* How often a drive is asked that has just been in use, before it counts as silent. */
#define ANSWER_TRIES	3

static int add_member(struct scan *scan, struct member *member)
{
	struct member **grown;

	grown = realloc(scan->members, (scan->nr + 1) * sizeof(*grown));
	if (!grown)
		return fail_memory();
	scan->members = grown;
	grown[scan->nr++] = member;
	return TOOL_OK;
}

static struct member *open_member(const char *path, bool briefly, int *ret)
{
	struct member *member = malloc(sizeof(*member));

	if (!member) {
		*ret = fail_memory();
		return NULL;
	}
	*ret = briefly ? member_open_briefly(member, path) : member_open(member, path);
	if (*ret) {
		free(member);
		return NULL;
	}
	return member;
}

static void look_at_member(const char *path)
{
	int ret;

	open_member(path, true, &ret);
}

/* A drive in /sys/block.  One of a running array that does not answer is no news: the
 * array knows it.
 */
static struct member *open_node(const char *node, enum scan_depth depth, int *ret)
{
	bool held = held_by_array(node), before;
	struct member *member;
	char path[300];

	drive_node_path(node, path, sizeof(path));
	if (!drive_answers(path, look_at_member)) {
		*ret = fail(TOOL_FAILED, "%s: does not answer; it is left out",
			    path);
		return NULL;
	}
	before = complaints_hold_back(held);
	member = open_member(path, depth == SCAN_BRIEFLY ||
			     (held && depth == SCAN_RUNNING_BRIEFLY), ret);
	complaints_hold_back(before);
	return member;
}

static bool sysfs_says(const char *node, const char *attribute,
		       const char *value)
{
	char path[320], line[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/%s/%s", node, attribute);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return !strncmp(line, value, strlen(value));
}

bool scan_looks_at(const char *node)
{
	return sysfs_says(node, "queue/zoned", "host-managed") &&
	       !sysfs_says(node, "hidden", "1") &&
	       !sysfs_says(node, "dm/uuid", "RAIZN-") && !map_without_table(node) &&
	       !held_by_other_map(node);
}

int scan_system(struct scan *scan, enum scan_depth depth)
{
	struct dirent *entry;
	struct member *member;
	int ret = TOOL_OK;
	DIR *dir;

	memset(scan, 0, sizeof(*scan));
	dir = opendir("/sys/block");
	if (!dir)
		return fail(TOOL_FAILED, "/sys/block cannot be read: %m; mount sysfs");
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !scan_looks_at(entry->d_name))
			continue;
		member = open_node(entry->d_name, depth, &ret);
		if (!member) {
			/* One bad drive must not hide the others. */
			ret = TOOL_OK;
			continue;
		}
		if (member->verdict == MEMBER_NONE) {
			member_close(member);
			free(member);
			continue;
		}
		ret = add_member(scan, member);
	}
	closedir(dir);
	if (ret)
		scan_free(scan);
	return ret;
}

int scan_devices(struct scan *scan, char *const *paths, u32 nr)
{
	struct member *member;
	int ret = TOOL_OK;
	u32 i, j;

	memset(scan, 0, sizeof(*scan));
	scan->named = true;
	for (i = 0; i < nr && !ret; i++) {
		member = open_member(paths[i], false, &ret);
		if (!member)
			break;
		ret = add_member(scan, member);
		for (j = 0; j < i && !ret; j++)
			if (scan->members[j]->drive.dev == member->drive.dev)
				ret = fail(TOOL_REFUSED,
					   "%s: the same drive as %s; name each drive once",
					   paths[i], paths[j]);
	}
	if (ret)
		scan_free(scan);
	return ret;
}

/* A busy machine may take longer than a drive that works. */
static bool answers_at_last(const char *path)
{
	u32 try;

	for (try = 0; try < ANSWER_TRIES; try++)
		if (drive_answers(path, look_at_member))
			return true;
	complain("%s: does not answer; it is left out", path);
	return false;
}

int scan_numbers(struct scan *scan, const dev_t *devs, u32 nr)
{
	struct member *member;
	char node[64], path[300];
	int ret = TOOL_OK, failed;
	bool before;
	u32 i;

	memset(scan, 0, sizeof(*scan));
	for (i = 0; i < nr && !ret; i++) {
		if (!devs[i] || !drive_node(devs[i], node, sizeof(node)))
			continue;
		drive_node_path(node, path, sizeof(path));
		if (!answers_at_last(path))
			continue;
		before = complaints_hold_back(true);
		member = open_member(path, false, &failed);
		complaints_hold_back(before);
		if (member)
			ret = add_member(scan, member);
	}
	if (ret)
		scan_free(scan);
	return ret;
}

int scan_named(struct scan *scan, char *const *words, u32 nr,
	       const char **wanted)
{
	/* No array's name has a slash, every device node's has. */
	*wanted = strchr(words[0], '/') ? NULL : words[0];
	if (!*wanted)
		return scan_devices(scan, words, nr);
	return nr == 1 ? scan_system(scan, SCAN_LOGS) : scan_devices(scan, words + 1, nr - 1);
}

void scan_free(struct scan *scan)
{
	u32 i;

	for (i = 0; i < scan->nr; i++) {
		member_close(scan->members[i]);
		free(scan->members[i]);
	}
	free(scan->members);
	memset(scan, 0, sizeof(*scan));
}

static bool newer(const struct member *a, const struct member *b)
{
	if (a->verdict != b->verdict)
		return a->verdict < b->verdict;
	/* A running array has it: others were left behind, whatever they say. */
	if (a->brief != b->brief)
		return a->brief;
	if (a->partial != b->partial)
		return b->partial;
	if (member_event(a) != member_event(b))
		return member_event(a) > member_event(b);
	return le64_to_cpu(a->sb.seq) > le64_to_cpu(b->sb.seq);
}

/* Does another drive have its slot now?  The newest superblock knows. */
static bool was_replaced(const struct array *array, const struct member *member)
{
	const struct member *newest = array->newest;

	return newest->verdict == MEMBER_SOUND &&
	       member->slot < newest->geo.nr_members &&
	       memcmp(member_sb(member)->member_uuid,
		      member_sb(newest)->members[member->slot].uuid,
		      RAIZN_UUID_SIZE);
}

static void place_member(struct array *array, struct member *member)
{
	u32 slot = member->slot;

	if (member->verdict != MEMBER_SOUND &&
	    member->verdict != MEMBER_UNFINISHED) {
		array->unusable = member;
		return;
	}
	if (was_replaced(array, member)) {
		if (array->nr_replaced < RAIZN_MAX_MEMBERS)
			array->replaced[array->nr_replaced++] = member;
		return;
	}
	if (array->slots[slot]) {
		array->twins[slot] = member;
		return;
	}
	array->slots[slot] = member;
	array->nr_found++;
}

static struct array *array_of(struct array *arrays, u32 nr,
			      const struct member *member)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (member_is_of(member, arrays[i].uuid))
			return &arrays[i];
	return NULL;
}

static void set_words(struct array *arrays, u32 nr)
{
	bool shared;
	u32 i, j;

	for (i = 0; i < nr; i++) {
		shared = false;
		for (j = 0; j < nr; j++)
			shared |= j != i && !strcmp(array_name(&arrays[i]),
						    array_name(&arrays[j]));
		snprintf(arrays[i].word, sizeof(arrays[i].word), "%s",
			 shared ? uuid_text(arrays[i].uuid).s : array_name(&arrays[i]));
	}
}

struct array *scan_arrays(const struct scan *scan, u32 *nr)
{
	const struct member *suspect = NULL;
	struct array *arrays, *array;
	u32 i;

	*nr = 0;
	arrays = calloc(scan->nr ? scan->nr : 1, sizeof(*arrays));
	if (!arrays) {
		fail_memory();
		return NULL;
	}
	for (i = 0; i < scan->nr; i++) {
		const struct member *member = scan->members[i];

		if (!member->has_sb) {
			if (member_is_unusable(member))
				suspect = member;
			continue;
		}
		array = array_of(arrays, *nr, member);
		if (!array) {
			array = &arrays[(*nr)++];
			memcpy(array->uuid, member->sb.array_uuid,
			       RAIZN_UUID_SIZE);
		}
		if (!array->newest || newer(member, array->newest))
			array->newest = member;
	}
	for (i = 0; i < scan->nr; i++)
		if (scan->members[i]->has_sb)
			place_member(array_of(arrays, *nr, scan->members[i]),
				     scan->members[i]);
	for (i = 0; i < *nr; i++)
		arrays[i].suspect = suspect;
	set_words(arrays, *nr);
	return arrays;
}

int scan_found_none(const struct scan *scan, const char *wanted)
{
	char subject[300] = "";
	u32 i;

	if (wanted)
		snprintf(subject, sizeof(subject), "%s: ", wanted);
	for (i = 0; i < scan->nr; i++) {
		const struct member *member = scan->members[i];

		if (member->verdict == MEMBER_UNSUPPORTED && !member->has_sb)
			return fail(TOOL_REFUSED,
				    "%sno array%s found; %s cannot be used: %s; " USE_NEWER,
				    subject,
				    wanted ? " of this name or UUID" : "",
				    member->drive.path, member->why);
	}
	if (wanted)
		return fail(TOOL_NOT_FOUND,
			    "%s: no array of this name or UUID found; see 'raizn list', check that its drives are connected",
			    wanted);
	return fail(TOOL_NOT_FOUND, "no arrays found; check that the drives are connected");
}

int arrays_find(const struct scan *scan, const struct array *arrays, u32 nr,
		const char *wanted, const struct array **array)
{
	const struct array *found = NULL;
	u8 uuid[RAIZN_UUID_SIZE];
	bool by_uuid;
	u32 i;

	by_uuid = parse_uuid(wanted, uuid);
	for (i = 0; i < nr; i++) {
		if (by_uuid && !memcmp(arrays[i].uuid, uuid, sizeof(uuid))) {
			*array = &arrays[i];
			return TOOL_OK;
		}
		if (strcmp(array_name(&arrays[i]), wanted))
			continue;
		if (found)
			return fail(TOOL_REFUSED,
				    "%s: two arrays have this name; name it by UUID, %s or %s; 'raizn start UUID --as NAME' runs one under another",
				    wanted, uuid_text(found->uuid).s,
				    uuid_text(arrays[i].uuid).s);
		found = &arrays[i];
	}
	if (!found)
		return scan_found_none(scan, wanted);
	*array = found;
	return TOOL_OK;
}

int scan_refuse_others(const struct scan *scan, const struct array *array)
{
	u32 i;

	for (i = 0; i < scan->nr; i++) {
		const struct member *member = scan->members[i];

		if (member->has_sb && !member_is_of(member, array->uuid))
			return fail(TOOL_REFUSED,
				    "%s: a member of array '%s' (%s), not of '%s'; leave it out",
				    member->drive.path, member->name,
				    uuid_text(member->sb.array_uuid).s,
				    array_name(array));
	}
	return TOOL_OK;
}

int scan_find(const struct scan *scan, const struct array *arrays, u32 nr,
	      const char *wanted, const struct array **array)
{
	int ret;
	u32 i;

	if (!scan->named)
		return arrays_find(scan, arrays, nr, wanted, array);
	for (i = 0; i < scan->nr; i++) {
		const struct member *member = scan->members[i];

		if (member->verdict == MEMBER_NONE)
			return fail(TOOL_REFUSED, "%s: not a member of any array; leave it out",
				    member->drive.path);
	}
	if (!nr)
		return fail(TOOL_REFUSED, "%s: %s; see 'raizn inspect %s'",
			    scan->members[0]->drive.path, scan->members[0]->why,
			    scan->members[0]->drive.path);
	if (wanted) {
		ret = arrays_find(scan, arrays, nr, wanted, array);
		return ret ? ret : scan_refuse_others(scan, *array);
	}
	if (nr > 1)
		return fail(TOOL_REFUSED,
			    "%s is a member of array '%s', %s of '%s'; name the drives of one array",
			    arrays[0].newest->drive.path, array_name(&arrays[0]),
			    arrays[1].newest->drive.path, array_name(&arrays[1]));
	*array = &arrays[0];
	return TOOL_OK;
}
