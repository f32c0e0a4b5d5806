// SPDX-License-Identifier: GPL-2.0
/*
 * Which drive is in which slot of a running array.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "roster.h"
#include "text.h"

#define NO_SLOT	UINT32_MAX

static const struct member *find_member(const struct scan *scan, const u8 *uuid,
					dev_t dev)
{
	u32 i;

	for (i = 0; i < scan->nr; i++) {
		const struct member *member = scan->members[i];

		if (member->drive.dev == dev && member_is_of(member, uuid))
			return member;
	}
	return NULL;
}

/* What is there of it in sysfs; returns the length, or -1. */
static ssize_t read_link(dev_t dev, char *target, size_t size)
{
	char link[64];

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(dev),
		 minor(dev));
	return readlink(link, target, size);
}

bool device_exists(dev_t dev)
{
	char target[8];

	return read_link(dev, target, sizeof(target)) >= 0 || errno != ENOENT;
}

/* The device's name from sysfs; its number when it is gone from there. */
static void set_names(struct roster_slot *slot)
{
	char target[PATH_MAX], *name;
	struct stat st;
	ssize_t len;

	snprintf(slot->node, sizeof(slot->node), "-");
	snprintf(slot->path, sizeof(slot->path), "-");
	if (!slot->dev)
		return;
	len = read_link(slot->dev, target, sizeof(target) - 1);
	slot->gone = len < 0 && errno == ENOENT;
	if (len < 0) {
		snprintf(slot->node, sizeof(slot->node), "%u:%u, gone",
			 major(slot->dev), minor(slot->dev));
		text_copy(slot->path, sizeof(slot->path), slot->node);
		return;
	}
	target[len] = '\0';
	name = strrchr(target, '/');
	text_copy(slot->node, sizeof(slot->node), name ? name + 1 : target);
	while ((name = strchr(slot->node, '!')))
		*name = '/';
	snprintf(slot->path, sizeof(slot->path), "/dev/%s", slot->node);
	if (stat(slot->path, &st) || st.st_rdev != slot->dev)
		text_copy(slot->path, sizeof(slot->path), slot->node);
}

static void assign(struct roster *roster, const struct volume_state *state,
		   u32 slot, u32 place, const struct member *member)
{
	roster->slots[slot] = (struct roster_slot) {
		.place = place,
		.dev = state->devices[place],
		.member = member,
	};
	set_names(&roster->slots[slot]);
}

void roster_make(struct roster *roster, const struct volume_state *state,
		 const struct scan *scan)
{
	const u8 *uuid = state->volume.uuid;
	u32 taken = 0, known = 0, i, slot;

	memset(roster, 0, sizeof(*roster));
	roster->nr = state->nr_members;
	for (i = 0; i < state->nr_devices; i++) {
		const struct member *member =
			state->devices[i] ?
			find_member(scan, uuid, state->devices[i]) : NULL;

		slot = member ? le16_to_cpu(member->sb.member) : NO_SLOT;
		if (slot >= roster->nr || taken & (1U << slot))
			continue;
		assign(roster, state, slot, i, member);
		taken |= 1U << slot;
		known |= 1U << i;
	}
	/* raizn(8) loads tables in the order of slots; what cannot be read is
	 * most likely where it was put.
	 */
	for (i = 0; i < state->nr_devices && i < roster->nr; i++) {
		if ((known | taken) & (1U << i))
			continue;
		assign(roster, state, i, i, NULL);
		taken |= 1U << i;
		known |= 1U << i;
	}
	for (i = 0, slot = 0; i < state->nr_devices; i++) {
		if (known & (1U << i))
			continue;
		while (slot < roster->nr && taken & (1U << slot))
			slot++;
		if (slot == roster->nr)
			break;
		assign(roster, state, slot, i, NULL);
		taken |= 1U << slot;
	}
}

u32 roster_gone(const struct roster *roster)
{
	u32 slots = 0, i;

	for (i = 0; i < roster->nr; i++)
		if (roster->slots[i].gone)
			slots |= 1U << i;
	return slots;
}

struct slot_text roster_text(const struct roster *roster, u32 slot)
{
	const struct roster_slot *entry = &roster->slots[slot];
	struct slot_text text;

	if (entry->dev)
		snprintf(text.s, sizeof(text.s), "member %u (%s)", slot,
			 entry->node);
	else
		snprintf(text.s, sizeof(text.s), "member %u", slot);
	return text;
}
