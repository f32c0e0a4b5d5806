// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the drives found an array can be started from.
 */
#include <stdarg.h>
#include <stdio.h>

#include "assembly.h"
#include "history.h"
#include "host.h"
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

struct assembly_text assembly_text(const struct assembly *assembly)
{
	struct assembly_text text;

	snprintf(text.s, sizeof(text.s), "%s%s%s", assembly->why,
		 *assembly->advice.text ? "; " : "", assembly->advice.text);
	return text;
}

/* The first reason counts; returns whether this is it, and advice is to be given. */
[[gnu::format(printf, 3, 4)]]
static bool object(struct assembly *assembly, enum tool_exit code,
		   const char *format, ...)
{
	va_list args;

	if (*assembly->why)
		return false;
	assembly->code = code;
	va_start(args, format);
	vsnprintf(assembly->why, sizeof(assembly->why), format, args);
	va_end(args);
	return true;
}

/* What all members of an array must say alike. */
static bool members_agree(const struct member *member, const struct member *newest)
{
	return !memcmp(&member->geo, &newest->geo, sizeof(member->geo)) &&
	       superblocks_agree(member_sb(member), member->slot, member_sb(newest),
				 newest->geo.nr_members);
}

static void object_to_unusable(const struct array *array, struct assembly *assembly)
{
	const struct member *member = array->unusable;

	if (member->verdict == MEMBER_UNSUPPORTED) {
		if (object(assembly, TOOL_REFUSED, "%s cannot be used: %s",
			   member->drive.path, member->why))
			advise(&assembly->advice, "version-of-drive",
			       "use the version that wrote it, or a newer one");
	} else if (!array->nr_found) {
		if (object(assembly, TOOL_REFUSED, "%s cannot be used: %s",
			   member->drive.path, member->why))
			advise(&assembly->advice, "inspect", "see 'raizn inspect %s'",
			       member->drive.path);
	}
}

static void object_to_member(const struct array *array, u32 slot,
			     struct assembly *assembly)
{
	const struct member *newest = array->newest;
	const struct member *member = array->slots[slot];

	if (array->twins[slot]) {
		if (object(assembly, TOOL_REFUSED,
			   "%s and %s hold the same member (slot %u), one is a copy",
			   member->drive.path, array->twins[slot]->drive.path, slot))
			advise(&assembly->advice, "copy", "disconnect the copy");
	} else if (member->verdict == MEMBER_UNFINISHED && member_event(newest) == 1) {
		if (object(assembly, TOOL_REFUSED,
			   "its creation was interrupted (no checkpoint on %s)",
			   member->drive.path))
			advise(&assembly->advice, "create-again",
			       "'raizn create %s DEVICE... --force' creates it again",
			       array_name(array));
	} else if (!members_agree(member, newest)) {
		if (object(assembly, TOOL_REFUSED,
			   "%s and %s disagree on the description of the array",
			   newest->drive.path, member->drive.path))
			advise(&assembly->advice, "disagree",
			       "compare 'raizn inspect %s' and 'raizn inspect %s'",
			       newest->drive.path, member->drive.path);
	}
}

/* What no option helps against. */
static void object_to_drives(const struct array *array,
			     struct assembly *assembly)
{
	u32 slot;

	if (array->unusable)
		object_to_unusable(array, assembly);
	for (slot = 0; slot < array->newest->geo.nr_members; slot++)
		if (array->slots[slot])
			object_to_member(array, slot, assembly);
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
		return lose(loss, TOOL_REFUSED, "%s cannot be used: %s",
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
	if (trust->unproven & (1U << slot))
		return lose(loss, TOOL_REFUSED, "%s: " LOG_NOT_MADE_UP_FOR,
			    member->drive.path);
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

bool array_is_torn(const struct array *array)
{
	struct raizn_trust trust = { };

	return array->newest->verdict == MEMBER_SOUND && judge_members(array, &trust);
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
		/* The array does without what was never whole, unless that may have gone on alone. */
		if (raizn_members_to_spare(&array->newest->geo, rebuilding)) {
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
		if (member->hidden ||
		    !(le32_to_cpu(member_sb(member)->flags) & RAIZN_SB_CLEAN) ||
		    (event && member_event(member) != event))
			return false;
		event = member_event(member);
	}
	return true;
}

static void advise_to_connect(struct assembly *assembly)
{
	advise(&assembly->advice, "connect", "connect all drives");
}

static void advise_degraded(const struct array *array, struct assembly *assembly)
{
	bool elsewhere = host_is_other(member_sb(array->newest)) && !assembly->clean;
	bool newer = array->suspect && array->suspect->verdict == MEMBER_UNSUPPORTED;

	/* Newer code is at work there, or was: to start without the drive is no advice. */
	if (elsewhere && newer)
		advise(&assembly->advice, "version-elsewhere",
		       "use the version that wrote it, or a newer one, on the machine that used the array last");
	else if (elsewhere)
		advise(&assembly->advice, "degraded-elsewhere",
		       "connect the right drive; or, if the machine that used it last does not any more, start without it: 'raizn start %s --degraded --force'",
		       array->word);
	else if (newer)
		advise(&assembly->advice, "version-or-degraded",
		       "use the version that wrote it, or a newer one, or start without it: 'raizn start %s --degraded'",
		       array->word);
	else
		advise(&assembly->advice, "degraded",
		       "connect the right drive, or start without it: 'raizn start %s --degraded'",
		       array->word);
}

/* More or less than parity makes up for is missing. */
static void object_to_losses(const struct array *array, struct assembly *assembly,
			     const struct loss *first)
{
	u32 slots = assembly->known | assembly->missing;
	u32 nr_parity = array->newest->geo.nr_parity;
	u32 gone = __builtin_popcount(slots);

	assembly->startable = !*assembly->why && gone <= nr_parity;
	assembly->lossy = __builtin_popcount(slots | assembly->rebuilding) > (int)nr_parity;
	if (!assembly->missing && !assembly->startable) {
		object(assembly, TOOL_REFUSED,
		       "%u members have failed, parity makes up for %u; the array cannot be started",
		       gone, nr_parity);
	} else if (!assembly->startable && gone > 1) {
		if (object(assembly, first->code,
			   "%s; without %s there is too little to start from, parity makes up for %u",
			   first->text, slots_text(slots).s, nr_parity))
			advise_to_connect(assembly);
	} else if (assembly->missing && assembly->lossy) {
		if (object(assembly, first->code,
			   "%s; what is not rebuilt on %s yet cannot be read without %s",
			   first->text, slots_text(assembly->rebuilding & ~slots).s,
			   slots_text(slots).s))
			advise_degraded(array, assembly);
	} else if (assembly->missing) {
		if (object(assembly, first->code, "%s", first->text))
			advise_degraded(array, assembly);
	}
}

bool array_assemble(const struct array *array, struct assembly *assembly)
{
	const struct member *newest = array->newest;
	struct raizn_trust trust = { };
	struct loss first;

	memset(assembly, 0, sizeof(*assembly));
	object_to_drives(array, assembly);
	if (newest->verdict != MEMBER_SOUND &&
	    newest->verdict != MEMBER_UNFINISHED)
		return false;
	if (newest->verdict == MEMBER_SOUND && judge_members(array, &trust)) {
		if (object(assembly, TOOL_REFUSED,
			   "two groups of its drives may each have gone on without the other"))
			advise_to_connect(assembly);
		return false;
	}
	find_losses(array, assembly, &trust, &first);
	assembly->clean = all_clean(array, assembly);
	object_to_losses(array, assembly, &first);
	return !*assembly->why;
}
