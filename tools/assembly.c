// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the drives found an array can be started from.
 */
#include <stdarg.h>
#include <stdio.h>

#include "assembly.h"
#include "history.h"
#include "text.h"
#include "trust.h"

struct slots_text slots_text(u32 slots)
{
	struct slots_text text;
	const char *separator = "";
	u32 left = slots, i;
	size_t at;

	at = snprintf(text.s, sizeof(text.s), "slot%s",
		      plural(__builtin_popcount(slots)));
	for (i = 0; left && at < sizeof(text.s); i++) {
		if (!(left & (1U << i)))
			continue;
		left &= ~(1U << i);
		if (!left && *separator)
			separator = " and";
		at += snprintf(text.s + at, sizeof(text.s) - at, "%s %u",
			       separator, i);
		separator = ",";
	}
	return text;
}

/* The first reason counts. */
[[gnu::format(printf, 3, 4)]]
static void object(struct assembly *assembly, enum tool_exit code,
		   const char *format, ...)
{
	va_list args;

	if (*assembly->why)
		return;
	assembly->code = code;
	va_start(args, format);
	vsnprintf(assembly->why, sizeof(assembly->why), format, args);
	va_end(args);
}

/* What all members of an array must say alike. */
static bool members_agree(const struct member *a, const struct member *b)
{
	return !memcmp(&a->geo, &b->geo, sizeof(a->geo)) &&
	       superblocks_agree(member_sb(a), member_sb(b),
				 a->geo.nr_members);
}

/* What no option helps against. */
static void object_to_drives(const struct array *array,
			     struct assembly *assembly)
{
	const struct member *newest = array->newest;
	u32 slot;

	if (array->unusable && array->unusable->verdict == MEMBER_UNSUPPORTED)
		object(assembly, TOOL_REFUSED,
		       "%s can not be used: %s; use the version of raizn that made it",
		       array->unusable->drive.path, array->unusable->why);
	else if (array->unusable && !array->nr_found)
		object(assembly, TOOL_REFUSED,
		       "%s can not be used: %s; see 'raizn inspect' of it",
		       array->unusable->drive.path, array->unusable->why);
	for (slot = 0; slot < newest->geo.nr_members; slot++) {
		const struct member *member = array->slots[slot];

		if (!member)
			continue;
		if (array->twins[slot])
			object(assembly, TOOL_REFUSED,
			       "%s and %s hold the same member (slot %u), one is a copy; disconnect the copy",
			       member->drive.path,
			       array->twins[slot]->drive.path, slot);
		else if (member->verdict == MEMBER_UNFINISHED &&
			 member_event(newest) == 1)
			object(assembly, TOOL_REFUSED,
			       "its creation was interrupted (no checkpoint on %s); create it again with --force",
			       member->drive.path);
		else if (!members_agree(member, newest))
			object(assembly, TOOL_REFUSED,
			       "%s and %s disagree on what the array is; compare 'raizn inspect' of both",
			       newest->drive.path, member->drive.path);
	}
}

/**
 * struct loss - why a slot counts as missing
 * @code:	exit code
 * @text:	what was found, without what to do
 */
struct loss {
	enum tool_exit code;
	char text[600];
};

[[gnu::format(printf, 3, 4)]]
static bool lose(struct loss *loss, enum tool_exit code, const char *format, ...)
{
	va_list args;

	loss->code = code;
	va_start(args, format);
	vsnprintf(loss->text, sizeof(loss->text), format, args);
	va_end(args);
	return true;
}

/* Is the member of a slot missing, as far as the array can know? */
static bool slot_lost(const struct array *array, u32 slot,
		      const struct raizn_trust *trust, struct loss *loss)
{
	const struct member *newest = array->newest;
	const struct member *member = array->slots[slot];
	const struct member *suspect = array->suspect;
	const u8 *id = member_sb(newest)->members[slot].uuid;
	struct uuid_text uuid = uuid_text(id);

	if (!member && array->unusable)
		return lose(loss, TOOL_REFUSED, "%s can not be used: %s",
			    array->unusable->drive.path, array->unusable->why);
	if (!member && suspect)
		return lose(loss, TOOL_NOT_FOUND,
			    "the drive of slot %u (member %s%s) is missing; it may be %s: %s",
			    slot, uuid.s, history_text(array->uuid, id).s,
			    suspect->drive.path, suspect->why);
	if (!member)
		return lose(loss, TOOL_NOT_FOUND,
			    "the drive of slot %u (member %s%s) is missing", slot,
			    uuid.s, history_text(array->uuid, id).s);
	if (member->verdict == MEMBER_UNFINISHED)
		return lose(loss, TOOL_REFUSED,
			    "%s has no complete checkpoint in its general log",
			    member->drive.path);
	if (trust->failed & (1U << slot))
		return lose(loss, TOOL_REFUSED,
			    "%s is stale: it took part up to event %llu, the others up to %llu",
			    member->drive.path,
			    (unsigned long long)member_event(member),
			    (unsigned long long)trust->base);
	return false;
}

static int judge_members(const struct array *array, struct raizn_trust *trust)
{
	const struct member *members[RAIZN_MAX_MEMBERS] = { };
	u32 slot;

	for (slot = 0; slot < array->newest->geo.nr_members; slot++)
		if (array->slots[slot] &&
		    array->slots[slot]->verdict == MEMBER_SOUND)
			members[slot] = array->slots[slot];
	return members_trust(members, array->newest->geo.nr_members, trust);
}

static void find_losses(const struct array *array, struct assembly *assembly,
			const struct raizn_trust *trust, struct loss *first)
{
	const struct raizn_superblock *sb = member_sb(array->newest);
	struct loss loss;
	bool rebuilding;
	u32 slot;

	for (slot = 0; slot < array->newest->geo.nr_members; slot++) {
		if (trust->base_failed & (1U << slot)) {
			assembly->known |= 1U << slot;
			continue;
		}
		rebuilding = sb->members[slot].state == RAIZN_MEMBER_REBUILDING;
		if (!slot_lost(array, slot, trust, &loss)) {
			assembly->members[slot] = array->slots[slot];
			if (rebuilding)
				assembly->rebuilding |= 1U << slot;
			continue;
		}
		/* The array does without what was never whole. */
		if (rebuilding) {
			assembly->known |= 1U << slot;
			continue;
		}
		if (!assembly->missing)
			*first = loss;
		assembly->missing |= 1U << slot;
	}
}

static bool all_clean(const struct array *array,
		      const struct assembly *assembly)
{
	u64 event = 0;
	u32 i;

	for (i = 0; i < array->newest->geo.nr_members; i++) {
		const struct member *member = assembly->members[i];

		if (!member)
			continue;
		if (!(le32_to_cpu(member_sb(member)->flags) & RAIZN_SB_CLEAN) ||
		    (event && member_event(member) != event))
			return false;
		event = member_event(member);
	}
	return true;
}

bool array_assemble(const struct array *array, struct assembly *assembly)
{
	const struct member *newest = array->newest;
	struct raizn_trust trust = { };
	struct loss first;
	u32 gone;

	memset(assembly, 0, sizeof(*assembly));
	object_to_drives(array, assembly);
	if (newest->verdict != MEMBER_SOUND &&
	    newest->verdict != MEMBER_UNFINISHED)
		return false;
	if (newest->verdict == MEMBER_SOUND && judge_members(array, &trust)) {
		object(assembly, TOOL_REFUSED,
		       "two groups of its drives may each have gone on without the other; name the drives of one group only");
		return false;
	}
	find_losses(array, assembly, &trust, &first);
	assembly->clean = all_clean(array, assembly);
	gone = __builtin_popcount(assembly->known | assembly->missing |
				  assembly->rebuilding);
	assembly->startable = !*assembly->why && gone <= newest->geo.nr_parity;
	if (!assembly->missing && !assembly->startable)
		object(assembly, TOOL_REFUSED,
		       "%u members have failed or are not rebuilt, parity makes up for %u; the array can not be started",
		       gone, newest->geo.nr_parity);
	else if (!assembly->startable && gone > 1)
		object(assembly, first.code,
		       "%s; without %s there is too little to start from, parity makes up for %u; connect all drives",
		       first.text,
		       slots_text(assembly->known | assembly->missing |
				  assembly->rebuilding).s,
		       newest->geo.nr_parity);
	else if (assembly->missing)
		object(assembly, first.code,
		       "%s; connect the right drive, or start without it: 'raizn start %s --degraded'",
		       first.text, array_name(array));
	return !*assembly->why;
}
