// SPDX-License-Identifier: GPL-2.0
/*
 * Starting an array that was found.
 */
#include <stdio.h>

#include "tool.h"
#include "dm.h"
#include "scheduler.h"
#include "start.h"
#include "text.h"

bool write_cache_valid(const char *text)
{
	return !strcmp(text, "back") || !strcmp(text, "through");
}

static int check_name(const struct array *array)
{
	const char *name = array_name(array);
	struct volume volume;

	if (volume_by_uuid(array->uuid, &volume))
		return fail(TOOL_REFUSED,
			    "%s: already running as /dev/mapper/%s; see 'raizn status %s'",
			    name, volume.name, volume.name);
	if (volume_by_name(name, &volume))
		return fail(TOOL_REFUSED,
			    "%s: another mapped device has this name; remove it ('dmsetup remove %s') or rename it",
			    name, name);
	return TOOL_OK;
}

static int set_schedulers(const struct array *array)
{
	u32 i;
	int ret;

	if (!scheduler_needed())
		return TOOL_OK;
	for (i = 0; i < array->newest->geo.nr_members; i++) {
		ret = scheduler_set(&array->slots[i]->drive);
		if (ret)
			return ret;
	}
	return TOOL_OK;
}

int start_array(const struct array *array, const char *write_cache)
{
	const struct raizn_superblock *sb = member_sb(array->newest);
	u64 ro_compat = le64_to_cpu(sb->ro_compat) & ~RAIZN_RO_COMPAT_SUPPORTED;
	const char *name = array_name(array), *obstacle;
	enum tool_exit code;
	char buffer[600];
	int ret;

	ret = check_name(array);
	if (ret)
		return ret;
	obstacle = array_obstacle(array, &code, buffer, sizeof(buffer));
	if (obstacle)
		return fail(code, "%s: %s", name, obstacle);
	ret = set_schedulers(array);
	if (!ret)
		ret = volume_start(name, array->uuid, &array->newest->geo,
				   array->slots, write_cache);
	if (ret)
		return ret;
	printf("%s: started as /dev/mapper/%s\n", name, name);
	if (ro_compat)
		printf("%s: read-only, it has features unknown here (ro-compat 0x%llx)\n",
		       name, (unsigned long long)ro_compat);
	return TOOL_OK;
}
