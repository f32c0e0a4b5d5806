// SPDX-License-Identifier: GPL-2.0
/*
 * raizn probe: answers udev, see tools/system/61-raizn.rules.
 */
#include <blkid/blkid.h>
#include <stdio.h>

#include "tool.h"
#include "dm.h"
#include "file_system.h"
#include "member.h"
#include "text.h"

static const char help[] =
"usage: raizn probe DEVICE\n"
"\n"
"Prints what udev(7) wants to know of a member of an array, or of the file system on the\n"
"volume of one; fails without a word if the device is neither. Reads a few blocks.\n";

static void property(const char *key, const char *value)
{
	char encoded[256];

	if (!*value || blkid_encode_string(value, encoded, sizeof(encoded)))
		return;
	printf("ID_FS_%s_ENC=%s\n", key, encoded);
	if (!blkid_safe_string(value, encoded, sizeof(encoded)))
		printf("ID_FS_%s=%s\n", key, encoded);
}

static int probe_member(const struct drive *drive)
{
	char name[RAIZN_NAME_SIZE];
	struct raizn_record sb;
	u16 version;

	version = drive_is_host_managed(drive) ? member_identify(drive, &sb) : 0;
	if (!version)
		return TOOL_NOT_FOUND;
	puts("ID_FS_TYPE=raizn_member");
	puts("ID_FS_USAGE=raid");
	printf("ID_FS_VERSION=%u\n", version);
	/* What else it says may be said otherwise. */
	if (version != RAIZN_FORMAT_VERSION)
		return TOOL_OK;
	text_printable(name, sizeof(name),
		       (const char *)raizn_record_sb_const(&sb)->name,
		       sizeof(raizn_record_sb_const(&sb)->name));
	property("UUID", uuid_text(sb.array_uuid).s);
	property("UUID_SUB", uuid_text(raizn_record_sb_const(&sb)->member_uuid).s);
	property("LABEL", name);
	return TOOL_OK;
}

static int probe_volume(const struct drive *drive)
{
	struct file_system found;

	if (!file_system_find(drive, &found))
		return TOOL_NOT_FOUND;
	printf("ID_FS_TYPE=%s\n", found.type);
	puts("ID_FS_USAGE=filesystem");
	property("UUID", found.uuid);
	property("UUID_SUB", found.uuid_sub);
	property("LABEL", found.label);
	return TOOL_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	char dm_uuid[130];
	struct drive drive;
	u8 uuid[RAIZN_UUID_SIZE];
	int ret;

	if (argc != 2)
		return fail_usage(self, "name a device");
	complaints_hold_back(true);
	ret = drive_open(&drive, argv[1]);
	if (ret)
		return ret;
	if (drive_attribute(&drive, "dm/uuid", dm_uuid, sizeof(dm_uuid)) &&
	    volume_array_uuid(dm_uuid, uuid))
		ret = probe_volume(&drive);
	else
		ret = probe_member(&drive);
	drive_close(&drive);
	return ret;
}

const struct command command_probe = {
	.name = "probe",
	.help = help,
	.needs_root = true,
	.run = run,
};
