// SPDX-License-Identifier: GPL-2.0
/*
 * raizn inspect DEVICE superblock: the newest superblock of the log zones.
 */
#include <stdio.h>
#include <time.h>

#include "tool.h"
#include "inspect.h"
#include "json_out.h"
#include "text.h"

static void flags_text(u32 flags, char *text, size_t size)
{
	u32 unknown = flags & ~(RAIZN_SB_CLEAN | RAIZN_SB_WRITE_THROUGH |
				RAIZN_SB_SETTINGS | RAIZN_SB_TRUST_BUFFERS);
	size_t at;

	at = snprintf(text, size, "%s%s%s",
		      flags & RAIZN_SB_CLEAN ? "clean" : "not clean",
		      flags & RAIZN_SB_WRITE_THROUGH ? ", write-through" : "",
		      flags & RAIZN_SB_TRUST_BUFFERS ? ", buffers are trusted" : "");
	if (unknown)
		snprintf(text + at, size - at, ", unknown 0x%x", unknown);
}

static void created_text(u64 created, char *text, size_t size)
{
	time_t seconds = created;
	struct tm tm;

	if (created > INT32_MAX * 100ULL || !gmtime_r(&seconds, &tm) ||
	    !strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &tm))
		snprintf(text, size, "%llu seconds after 1970",
			 (unsigned long long)created);
}

/* Slots worth showing; what the superblock says need not make sense. */
static u32 nr_slots(const struct raizn_superblock *sb)
{
	return sb->nr_members < RAIZN_MAX_MEMBERS ? sb->nr_members :
						    RAIZN_MAX_MEMBERS;
}

static void scrub_text(const struct raizn_superblock *sb)
{
	u32 scrub = le32_to_cpu(sb->scrub);

	if (!(scrub & RAIZN_SB_SCRUB))
		return;
	printf("scrub            %s%s, goes on with zone %u, %llu stripes did not match, %llu repaired\n",
	       scrub & RAIZN_SB_SCRUB_REPAIR ? "repair" : "check",
	       scrub & RAIZN_SB_SCRUB_PAUSED ? ", paused" : "",
	       le32_to_cpu(sb->scrub_next),
	       (unsigned long long)le64_to_cpu(sb->mismatches),
	       (unsigned long long)le64_to_cpu(sb->repaired));
}

static void superblock_text(const struct member *member)
{
	const struct raizn_superblock *sb = member_sb(member);
	char flags[64], created[64];
	u32 i;

	flags_text(le32_to_cpu(sb->flags), flags, sizeof(flags));
	created_text(le64_to_cpu(sb->created), created, sizeof(created));
	printf("array name       %s\n", member->name);
	printf("array UUID       %s\n", uuid_text(member->sb.array_uuid).s);
	printf("label            %s\n", *member->label ? member->label : "-");
	printf("created          %s\n", created);
	printf("this member      slot %u, UUID %s\n",
	       le16_to_cpu(member->sb.member), uuid_text(sb->member_uuid).s);
	printf("written          sequence number %llu, epoch %llu of the %s\n",
	       (unsigned long long)le64_to_cpu(member->sb.seq),
	       (unsigned long long)le64_to_cpu(member->sb.epoch),
	       log_role_name(member->sb.role));
	printf("event            %llu\n",
	       (unsigned long long)le64_to_cpu(sb->event));
	printf("start            %llu\n",
	       (unsigned long long)le64_to_cpu(sb->start));
	printf("era              %llu\n",
	       (unsigned long long)le64_to_cpu(sb->era));
	printf("flags            %s\n", flags);
	if (le32_to_cpu(sb->flags) & RAIZN_SB_SETTINGS)
		printf("settings         speed_min %u KiB/s, speed_max %u KiB/s, error_limit %u\n",
		       le32_to_cpu(sb->speed_min), le32_to_cpu(sb->speed_max),
		       le32_to_cpu(sb->error_limit));
	if (sb->max_active || sb->max_open)
		printf("limits           %u active and %u open zones of a drive at least\n",
		       le32_to_cpu(sb->max_active), le32_to_cpu(sb->max_open));
	printf("autostart        %s\n",
	       autostart_text(le32_to_cpu(sb->autostart)).s);
	printf("last machine     %s\n", uuid_text(sb->host).s);
	scrub_text(sb);
	printf("features         compat 0x%llx, ro-compat 0x%llx, incompat 0x%llx\n",
	       (unsigned long long)le64_to_cpu(sb->compat),
	       (unsigned long long)le64_to_cpu(sb->ro_compat),
	       (unsigned long long)le64_to_cpu(sb->incompat));
	printf("level            %u: %u members, %u of each stripe for parity\n",
	       sb->level, sb->nr_members, sb->nr_parity);
	printf("stripe unit      %s\n",
	       sectors_text(le32_to_cpu(sb->stripe_unit)).s);
	printf("logical block    %u bytes\n", le32_to_cpu(sb->block_size));
	printf("member zones     %llu sectors, of which %llu can be written\n",
	       (unsigned long long)le64_to_cpu(sb->zone_size),
	       (unsigned long long)le64_to_cpu(sb->zone_capacity));
	printf("first zone       %u\n", le32_to_cpu(sb->first_zone));
	printf("reserved zones   %u\n", le32_to_cpu(sb->nr_reserved));
	printf("logical zones    %u\n", le32_to_cpu(sb->nr_zones));
	for (i = 0; i < nr_slots(sb); i++)
		printf("slot %-11u %s, %s, event %llu\n", i,
		       uuid_text(sb->members[i].uuid).s,
		       raizn_member_state_name(sb->members[i].state),
		       (unsigned long long)le64_to_cpu(sb->members[i].event));
}

static void scrub_json(struct json_object *object, const struct raizn_superblock *sb)
{
	u32 scrub = le32_to_cpu(sb->scrub);

	if (!(scrub & RAIZN_SB_SCRUB))
		return;
	object = json_sub(object, "scrub");
	json_add_text(object, "kind",
		      scrub & RAIZN_SB_SCRUB_REPAIR ? "repair" : "check");
	json_add_bool(object, "paused", scrub & RAIZN_SB_SCRUB_PAUSED);
	json_add_number(object, "next_zone", le32_to_cpu(sb->scrub_next));
	json_add_number(object, "mismatches", le64_to_cpu(sb->mismatches));
	json_add_number(object, "repaired", le64_to_cpu(sb->repaired));
}

static void superblock_json(const struct member *member)
{
	const struct raizn_superblock *sb = member_sb(member);
	struct json_object *object = json_object_new_object(), *list, *entry;
	u32 flags = le32_to_cpu(sb->flags), i;
	bool first = true;

	json_add_text(object, "name", member->name);
	json_add_uuid(object, "array_uuid", member->sb.array_uuid);
	json_add_text(object, "label", member->label);
	json_add_number(object, "created", le64_to_cpu(sb->created));
	json_add_number(object, "slot", le16_to_cpu(member->sb.member));
	json_add_uuid(object, "member_uuid", sb->member_uuid);
	json_add_number(object, "seq", le64_to_cpu(member->sb.seq));
	json_add_number(object, "epoch", le64_to_cpu(member->sb.epoch));
	json_add_number(object, "event", le64_to_cpu(sb->event));
	json_add_number(object, "start", le64_to_cpu(sb->start));
	json_add_number(object, "era", le64_to_cpu(sb->era));
	json_add_bool(object, "clean", flags & RAIZN_SB_CLEAN);
	json_add_bool(object, "write_through", flags & RAIZN_SB_WRITE_THROUGH);
	json_add_bool(object, "trust_buffers", flags & RAIZN_SB_TRUST_BUFFERS);
	json_add_number(object, "flags", flags);
	if (flags & RAIZN_SB_SETTINGS) {
		json_add_number(object, "speed_min",
				(u64)le32_to_cpu(sb->speed_min) << 10);
		json_add_number(object, "speed_max",
				(u64)le32_to_cpu(sb->speed_max) << 10);
		json_add_number(object, "error_limit",
				le32_to_cpu(sb->error_limit));
	}
	json_add_number(object, "max_active", le32_to_cpu(sb->max_active));
	json_add_number(object, "max_open", le32_to_cpu(sb->max_open));
	json_add_text(object, "autostart",
		      autostart_text(le32_to_cpu(sb->autostart)).s);
	json_add_uuid(object, "host", sb->host);
	scrub_json(object, sb);
	json_add_number(object, "compat", le64_to_cpu(sb->compat));
	json_add_number(object, "ro_compat", le64_to_cpu(sb->ro_compat));
	json_add_number(object, "incompat", le64_to_cpu(sb->incompat));
	json_add_number(object, "level", sb->level);
	json_add_number(object, "nr_members", sb->nr_members);
	json_add_number(object, "nr_parity", sb->nr_parity);
	json_add_number(object, "stripe_unit_sectors", le32_to_cpu(sb->stripe_unit));
	json_add_number(object, "block_size", le32_to_cpu(sb->block_size));
	json_add_number(object, "zone_size_sectors", le64_to_cpu(sb->zone_size));
	json_add_number(object, "zone_capacity_sectors",
			le64_to_cpu(sb->zone_capacity));
	json_add_number(object, "first_zone", le32_to_cpu(sb->first_zone));
	json_add_number(object, "nr_reserved", le32_to_cpu(sb->nr_reserved));
	json_add_number(object, "nr_zones", le32_to_cpu(sb->nr_zones));
	list = json_list(object, "members");
	for (i = 0; i < nr_slots(sb); i++) {
		entry = json_object_new_object();
		json_add_uuid(entry, "uuid", sb->members[i].uuid);
		json_add_text(entry, "state",
			      raizn_member_state_name(sb->members[i].state));
		json_add_number(entry, "event", le64_to_cpu(sb->members[i].event));
		json_object_array_add(list, entry);
	}
	printf("  \"superblock\":");
	json_item(object, &first);
}

int inspect_superblock(const struct member *member, bool json)
{
	if (json && member->has_sb)
		superblock_json(member);
	else if (json)
		printf("  \"superblock\": null");
	else if (member->has_sb)
		superblock_text(member);
	else
		puts("no sound superblock");
	return TOOL_OK;
}
