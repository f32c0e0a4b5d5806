// SPDX-License-Identifier: GPL-2.0
/*
 * Starting an array that was found.
 */
#include <stdio.h>

#include "../raizn/version.h"
#include "tool.h"
#include "assembly.h"
#include "history.h"
#include "host.h"
#include "onlooker.h"
#include "scheduler.h"
#include "start.h"
#include "text.h"
#include "volume_state.h"
#include "waiting.h"

bool write_cache_valid(const char *text)
{
	return !strcmp(text, "back") || !strcmp(text, "through");
}

static int check_name(const struct array *array, const char *name)
{
	struct volume volume;

	if (volume_by_uuid(array->uuid, &volume))
		return fail(TOOL_REFUSED,
			    "%s: already running as /dev/mapper/%s; see 'raizn status %s'",
			    array_name(array), volume.name, volume.name);
	if (volume_by_name(name, &volume))
		return fail(TOOL_REFUSED,
			    "%s: %s has this name; start this one under another: 'raizn start %s --as NAME'",
			    name, volume.is_raizn ? "another array that runs" :
						    "another mapped device",
			    uuid_text(array->uuid).s);
	return TOOL_OK;
}

/* A machine that stopped the array has no use for it; one that did not may be using it now. */
static int check_host(const struct array *array, const struct assembly *assembly,
		      const struct start_options *options)
{
	const char *name = array_name(array);

	if (options->take || !host_is_other(member_sb(array->newest)))
		return TOOL_OK;
	if (options->table.read_only) {
		if (!assembly->clean)
			complain("%s: %s started it last and has not stopped it: if that one still writes to it, it reads as something else here",
				 name, host_other_text());
		return TOOL_OK;
	}
	if (!assembly->clean)
		return fail(TOOL_REFUSED,
			    "%s: %s started it last and has not stopped it: two machines at work on it destroy it; if that one does not use it any more: 'raizn start %s%s --force'",
			    name, host_other_text(), uuid_text(array->uuid).s,
			    assembly->missing ? " --degraded" : "");
	if (options->unasked)
		return fail(TOOL_REFUSED,
			    "%s: %s used it last; to use it on this one: 'raizn start %s'",
			    name, host_other_text(), uuid_text(array->uuid).s);
	return TOOL_OK;
}

static int set_schedulers(const struct array *array,
			  const struct assembly *assembly)
{
	u32 i;
	int ret;

	if (!scheduler_needed())
		return TOOL_OK;
	for (i = 0; i < array->newest->geo.nr_members; i++) {
		if (!assembly->members[i])
			continue;
		ret = scheduler_set(&assembly->members[i]->drive);
		if (ret)
			return ret;
	}
	return TOOL_OK;
}

/* Slots of members that are not in use, though they were when they were looked at. */
static u32 failed_meanwhile(const struct array *array)
{
	struct volume_state state;
	struct volume volume;

	if (!volume_by_uuid(array->uuid, &volume) ||
	    volume_state_read_lines(&volume, &state))
		return 0;
	return slots_with_letter(&state, 'F');
}

/* One member with features that must be known to write is enough. */
static void tell_read_only(const char *name, const struct array *array,
			   const struct assembly *assembly)
{
	u64 features;
	u32 i;

	for (i = 0; i < array->newest->geo.nr_members; i++) {
		const struct member *member = assembly->members[i];

		if (!member)
			continue;
		features = le64_to_cpu(member_sb(member)->ro_compat) &
			   ~RAIZN_RO_COMPAT_SUPPORTED;
		if (!features)
			continue;
		printf("%s: read-only: %s has features (ro-compat 0x%llx) that raizn " RAIZN_VERSION " (format version %u) cannot write; " USE_NEWER "\n",
		       name, member->drive.path, (unsigned long long)features,
		       RAIZN_FORMAT_VERSION);
		return;
	}
}

/* What the user should know of the start beside that it worked. */
static void tell_start(const struct array *array, const char *name,
		       const struct assembly *assembly, bool read_only,
		       const char *said)
{
	u32 gone = assembly->known | assembly->missing;
	u32 failed = failed_meanwhile(array) & ~gone;
	u32 left;

	printf("%s: started as /dev/mapper/%s\n", name, name);
	if (*said)
		printf("%s: %s\n", name, said);
	else if (!assembly->clean && !read_only)
		printf("%s: recovered, it was not stopped cleanly\n", name);
	if (read_only)
		printf("%s: read-only: nothing is written to its drives\n", name);
	else
		tell_read_only(name, array, assembly);
	if (assembly->rebuilding & ~failed && !read_only)
		printf("%s: the rebuild of %s goes on; 'raizn rebuild %s --wait' waits for the end\n",
		       name, slots_text(assembly->rebuilding & ~failed).s, name);
	if (failed)
		complain("%s: the drive%s of %s failed during the start", name,
			 plural(__builtin_popcount(failed)),
			 slots_text(failed).s);
	gone |= failed;
	left = array->newest->geo.nr_parity - __builtin_popcount(gone);
	if (gone)
		complain("%s: degraded: it works without the member%s of %s and survives %s; see 'raizn status %s'",
			 name, plural(__builtin_popcount(gone)),
			 slots_text(gone).s,
			 left ? "one more failure" : "no further failure",
			 name);
}

int start_array(const struct array *array, const struct start_options *options)
{
	const char *name = options->name ? options->name : array_name(array);
	struct table_options table = options->table;
	struct assembly assembly;
	u8 host[RAIZN_UUID_SIZE];
	char said[400];
	int ret;

	ret = check_name(array, name);
	if (ret)
		return ret;
	if (!array_assemble(array, &assembly) &&
	    !(table.degraded && assembly.startable))
		return fail(assembly.code, "%s: %s", name, assembly_text(&assembly).s);
	ret = check_host(array, &assembly, options);
	if (ret)
		return ret;
	if (!table.read_only && host_identity(host))
		table.host = host;
	/* It may find in the logs of a drive what speaks against it. */
	table.degraded |= assembly.missing;
	if (!table.read_only)
		ret = set_schedulers(array, &assembly);
	if (!ret) {
		onlooker_of_start(name, array->uuid);
		ret = volume_start(name, array->uuid, &array->newest->geo,
				   assembly.members, &table, said, sizeof(said));
		onlooker_end(!ret);
	}
	if (!ret) {
		waiting_void(array->uuid);
		history_note(array->uuid,
			     (const struct member *const *)assembly.members,
			     array->newest->geo.nr_members);
	}
	if (!ret && !options->quiet)
		tell_start(array, name, &assembly, table.read_only, said);
	return ret;
}
