// SPDX-License-Identifier: GPL-2.0
/*
 * What is the matter with an array, and what to do about it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "tool.h"
#include "diagnosis.h"
#include "general_log.h"
#include "host.h"
#include "map.h"
#include "size.h"
#include "text.h"
#include "waiting.h"

/**
 * struct slot_word - a slot as a command takes it
 * @s:	its number, or SLOT
 */
struct slot_word {
	char s[16];
};

/**
 * struct start_words - what stands behind "raizn start" for an array
 * @s:	words
 */
struct start_words {
	char s[200];
};

[[gnu::format(printf, 3, 4)]]
static void diagnose(struct overview *overview, const char *condition,
		     const char *format, ...)
{
	va_list args;

	overview->condition = condition;
	va_start(args, format);
	vsnprintf(overview->happened, sizeof(overview->happened), format, args);
	va_end(args);
}

static u64 unknown_features(const struct array *array)
{
	return le64_to_cpu(member_sb(array->newest)->ro_compat) &
	       ~RAIZN_RO_COMPAT_SUPPORTED;
}

/* Is a counter of zone resets at its end?  Every member's log tells. */
static bool counters_exhausted(const struct array *array)
{
	struct general_log log;
	bool found = false;
	u32 i;

	if (!array || array->newest->verdict != MEMBER_SOUND)
		return false;
	if (!general_log_read(&log, array->newest))
		for (i = 0; i < array->newest->geo.nr_zones; i++)
			found |= log.zones[i].generation >= RAIZN_GENERATION_MAX;
	general_log_free(&log);
	return found;
}

/* The command that starts a stopped array again, under the name that it has now. */
static struct start_words restart_words(const struct overview *overview)
{
	const struct array *array = overview->array;
	struct start_words words;

	if (array && !strcmp(array_name(array), overview->name))
		snprintf(words.s, sizeof(words.s), "%s", array->word);
	else
		snprintf(words.s, sizeof(words.s), "%s --as %s",
			 uuid_text(overview->uuid).s, overview->name);
	return words;
}

/* Is a drive write-protected? */
static bool is_protected(dev_t dev)
{
	char path[64];
	int answer = '0';
	FILE *file;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/ro", major(dev), minor(dev));
	file = fopen(path, "re");
	if (file) {
		answer = fgetc(file);
		fclose(file);
	}
	return answer == '1';
}

/* Its drives, or its owner, allow only to read it. */
static void diagnose_protected(struct overview *overview)
{
	const struct volume_state *state = &overview->state;
	const struct roster *roster = &overview->roster;
	char drives[300] = "", set[300] = "";
	size_t at = 0, set_at = 0;
	u32 i;

	for (i = 0; i < roster->nr; i++) {
		if (!roster->slots[i].dev || !is_protected(roster->slots[i].dev) ||
		    at > sizeof(drives) - 100 || set_at > sizeof(set) - 100)
			continue;
		at += snprintf(drives + at, sizeof(drives) - at, "%s%.90s", at ? ", " : "",
			       roster_text(roster, i).s);
		set_at += snprintf(set + set_at, sizeof(set) - set_at, " %.90s",
				   roster->slots[i].path);
	}
	diagnose(overview, "read-only", "%s%s%s%s%s%s",
		 state->volume.read_only ? "it was started read-only" : "it takes no writes",
		 ": nothing is written to its drives",
		 state->stand_in_sectors ? ", and data that they lack is in memory: " : "",
		 state->stand_in_sectors ? size_text(state->stand_in_sectors << 9).s : "",
		 at ? "; write-protected: " : "", drives);
	if (at)
		advise(&overview->advice, "write-protected",
		       "none needed to read it; to write it: 'blockdev --setrw%s', if that is what protects them, then 'raizn stop %s' and 'raizn start %s'",
		       set, overview->name, restart_words(overview).s);
	else
		advise(&overview->advice, "read-only",
		       "none needed to read it; to write it: 'raizn stop %s' and 'raizn start %s'",
		       overview->name, restart_words(overview).s);
}

static void diagnose_read_only(struct overview *overview)
{
	u64 unknown = overview->array ? unknown_features(overview->array) : 0;

	if (counters_exhausted(overview->array)) {
		diagnose(overview, "read-only",
			 "a zone was reset as often as its counter allows; the array takes no writes");
		advise(&overview->advice, "maintain",
		       "'raizn stop %s', then 'raizn maintain %s --start', which restarts all counters",
		       overview->name, overview->array->word);
		return;
	}
	if (unknown) {
		diagnose(overview, "read-only",
			 "the array takes no writes: it has features unknown here (ro-compat 0x%llx)",
			 (unsigned long long)unknown);
		advise(&overview->advice, "version-of-array",
		       "use the version that made it");
		return;
	}
	diagnose_protected(overview);
}

/* How many more members may fail; UINT32_MAX if that is not known. */
static u32 failures_left(const struct array *array, u32 gone)
{
	u32 nr = __builtin_popcount(gone);

	if (!array || array->newest->verdict != MEMBER_SOUND)
		return UINT32_MAX;
	return nr < array->newest->geo.nr_parity ?
	       array->newest->geo.nr_parity - nr : 0;
}

/* More members than parity makes up for; false if no drive tells. */
static bool too_many(const struct array *array, u32 slots)
{
	return array && array->newest->verdict == MEMBER_SOUND &&
	       __builtin_popcount(slots) > array->newest->geo.nr_parity;
}

/*
 * A drive that is there, was in the slot, and is not used by the array now.  It is taken back only if
 * it can read all of its log, see raizn_replace_check().
 */
static const struct member *find_former(const struct overview *overview,
					u32 slot)
{
	const struct member *member = NULL;

	if (overview->array)
		member = overview->array->slots[slot];
	if (!member || member->verdict != MEMBER_SOUND ||
	    member->drive.dev == overview->roster.slots[slot].dev)
		return NULL;
	return member;
}

static void advise_gone(struct overview *overview, u32 slot)
{
	const struct member *former = find_former(overview, slot);
	bool missing = overview->state.letters[slot] == '-';
	const char *name = overview->name;
	struct slot_text who = roster_text(&overview->roster, slot);

	if (former && !former->partial)
		advise(&overview->advice, "add-back",
		       "%s is missing, but its drive is there: if it works take it back: 'raizn add %s %s'",
		       who.s, name, former->drive.path);
	else if (overview->state.damaged_zones)
		advise(&overview->advice, "needed-member",
		       "%s %s, and zones lack what is on its drive, so no spare takes its place: connect it, if it can be made to work; a new drive gives that up: 'raizn replace %s %u NEW-DRIVE'",
		       who.s, missing ? "is missing" : "failed", name, slot);
	else if (former)
		advise(&overview->advice, "add-unreadable",
		       "%s is missing; its drive is there, but cannot read all of its log, which tells what it has: if it works otherwise it is rebuilt from the others: 'raizn add %s %s --force'",
		       who.s, name, former->drive.path);
	else if (missing)
		advise(&overview->advice, "missing",
		       "%s is missing: connect its drive and 'raizn add %s DRIVE', or replace it: 'raizn replace %s %u NEW-DRIVE'",
		       who.s, name, name, slot);
	else
		advise(&overview->advice, "failed-member",
		       "%s failed: replace it: 'raizn replace %s %u NEW-DRIVE'",
		       who.s, name, slot);
}

static void diagnose_gone(struct overview *overview, u32 gone)
{
	u32 left = failures_left(overview->array, gone);
	char survives[40] = "no further failure";

	if (left && left != UINT32_MAX)
		snprintf(survives, sizeof(survives), "%u more failure%s", left,
			 plural(left));
	diagnose(overview, "degraded",
		 "the array works without the member%s of %s and survives %s",
		 plural(__builtin_popcount(gone)), slots_text(gone).s, survives);
	advise_gone(overview, __builtin_ctz(gone));
}

static void advise_to_wait(struct overview *overview)
{
	advise(&overview->advice, "rebuild", "none needed; 'raizn rebuild %s --wait' waits for the end",
	       overview->name);
}

static void diagnose_rebuilding(struct overview *overview, u32 rebuilding)
{
	u32 slot = __builtin_ctz(rebuilding);
	u32 left = failures_left(overview->array, rebuilding);
	char survives[40] = "no failure";

	if (left && left != UINT32_MAX)
		snprintf(survives, sizeof(survives), "%u failure%s", left, plural(left));
	diagnose(overview, "degraded",
		 "%s is being rebuilt; until that is done the array survives %s of another",
		 roster_text(&overview->roster, slot).s, survives);
	if (overview->state.action == ACTION_REBUILD)
		advise_to_wait(overview);
	else
		advise(&overview->advice, "rebuild-again",
		       "if it makes no progress, the kernel log names the zones that cannot be rebuilt; 'raizn rebuild %s' tries them again; a zone whose incomplete stripe too many drives cannot read is rebuilt by itself when that is complete, or the zone is finished or reset%s",
		       overview->name, zones_too_many(&overview->state) ?
		       "; so are active zones that are too many for the drive, when others become full or are reset" :
		       "");
}

/* The slot that most zones lack, or a word for it if the kernel does not tell. */
static struct slot_word lacking_slot(const struct overview *overview)
{
	bool before = complaints_hold_back(true);
	struct slot_word word = { "SLOT" };
	struct map map;
	u32 most = 0, i;

	if (!map_gather(&map, &overview->state.volume)) {
		for (i = 0; i < map.state.nr_members; i++) {
			if (map.lacking[i] <= most)
				continue;
			most = map.lacking[i];
			snprintf(word.s, sizeof(word.s), "%u", i);
		}
		map_free(&map);
	}
	complaints_hold_back(before);
	return word;
}

/* Single zones lost a column: their drive's zones cannot be used any more. */
static void diagnose_zones(struct overview *overview)
{
	unsigned long long nr = overview->state.degraded_zones;

	diagnose(overview, "degraded",
		 "all %u members work, but %llu zone%s lack%s a column",
		 overview->state.nr_members, nr, plural(nr),
		 nr == 1 ? "s" : "");
	if (overview->state.action == ACTION_REBUILD)
		advise_to_wait(overview);
	else
		advise(&overview->advice, "zones",
		       "'raizn rebuild %s' tries again; if that does not help, a drive has no zone left for them, replace it: 'raizn replace %s %s NEW-DRIVE'",
		       overview->name, overview->name, lacking_slot(overview).s);
}

/* The member with the most errors; false if there are none. */
static bool most_errors(const struct volume_state *state, u32 *slot)
{
	u64 most = 0, errors;
	u32 i;

	for (i = 0; i < state->nr_members; i++) {
		errors = state->errors[i].read + state->errors[i].write;
		if (errors <= most)
			continue;
		most = errors;
		*slot = i;
	}
	return most;
}

/* A drive is gone, which the array has not noticed. */
static void diagnose_vanished(struct overview *overview, u32 slot)
{
	const char *name = overview->name;

	diagnose(overview, "active",
		 "all %u members worked when they were asked, but the drive of member %u is gone",
		 overview->state.nr_members, slot);
	advise(&overview->advice, "gone",
	       "the array notices with its next I/O to the drive, or by a monitor; 'raizn fail %s %u' tells it now; if that is refused because other drives need it, connect it again, then 'raizn stop %s' and 'raizn start %s', or, if it does not work any more, 'raizn fail %s %u --lose' gives up what only it has",
	       name, slot, name, restart_words(overview).s, name, slot);
}

static void diagnose_active(struct overview *overview)
{
	const struct volume_state *state = &overview->state;
	unsigned long long wrong = state->mismatches - state->repaired;
	u32 vanished = roster_gone(&overview->roster);
	const char *name = overview->name;
	u32 slot;

	if (vanished) {
		diagnose_vanished(overview, __builtin_ctz(vanished));
		return;
	}
	diagnose(overview, "active", "all %u members work", state->nr_members);
	if (state->mismatches > state->repaired)
		advise(&overview->advice, "mismatches",
		       "the last scrub left %llu stripe%s whose parity does not match: find out why, then 'raizn scrub %s repair'",
		       wrong, plural(wrong), name);
	else if (state->lost_sectors)
		advise(&overview->advice, "lost-sectors",
		       "'raizn scrub %s' tries to read them again, and 'raizn status %s --blocks' lists those that stay lost: restore what was there from a backup",
		       name, name);
	else if (most_errors(state, &slot))
		advise(&overview->advice, "errors",
		       "%s had errors, which were made up for: watch it, or replace it: 'raizn replace %s %u NEW-DRIVE'",
		       roster_text(&overview->roster, slot).s, name, slot);
	else
		advise(&overview->advice, "none", "none needed");
}

/* Sectors of zones that are whole otherwise. */
static void diagnose_lost(struct overview *overview, u64 nr)
{
	size_t at = strlen(overview->happened);

	snprintf(overview->happened + at, sizeof(overview->happened) - at,
		 "; %s of the volume is lost, because more drives could not read it than parity makes up for",
		 size_text(nr << 9).s);
}

/* Zones that can be read in part, until they are given up. */
static void diagnose_damaged(struct overview *overview, u32 nr, bool rebuilding,
			     bool more_to_do)
{
	const char *them = nr == 1 ? "it" : "them, one by one,";
	size_t at = strlen(overview->happened);

	snprintf(overview->happened + at, sizeof(overview->happened) - at,
		 "; %u zone%s lost more than parity makes up for and can be read in part at most",
		 nr, plural(nr));
	if (more_to_do)
		return;
	if (rebuilding)
		advise(&overview->advice, "damaged-rebuild",
		       "'raizn stop %s' and 'raizn start %s' look for the missing data on the drive that is being rebuilt; if it is not there, save the readable data of the read-only zone%s, then give %s up by a reset: 'blkzone reset -o %llu -c 1 /dev/mapper/%s'",
		       overview->name, restart_words(overview).s, plural(nr), them,
		       (unsigned long long)overview->state.damaged_at, overview->name);
	else
		advise(&overview->advice, "damaged",
		       "save the readable data of the read-only zone%s, then give %s up by a reset: 'blkzone reset -o %llu -c 1 /dev/mapper/%s'",
		       plural(nr), them, (unsigned long long)overview->state.damaged_at,
		       overview->name);
}

/* Zones in which a write failed that parity does not make up for: a start recovers them. */
static void diagnose_unwritable(struct overview *overview, u32 nr, bool more_to_do)
{
	size_t at = strlen(overview->happened);

	snprintf(overview->happened + at, sizeof(overview->happened) - at,
		 "; %u zone%s take%s no more writes, since one failed there that parity does not make up for; all earlier ones can be read",
		 nr, plural(nr), nr == 1 ? "s" : "");
	if (!more_to_do)
		advise(&overview->advice, "unwritable",
		       "'raizn stop %s' and 'raizn start %s' make the read-only zone%s writable again",
		       overview->name, restart_words(overview).s, plural(nr));
}

/*
 * Zones as above of which a start would read less: drives have retired parts of them, which count as
 * missing at a start.
 */
static void diagnose_retired(struct overview *overview, bool more_to_do)
{
	const struct volume_state *state = &overview->state;
	unsigned long long nr = state->retired_zones;
	size_t at = strlen(overview->happened);

	snprintf(overview->happened + at, sizeof(overview->happened) - at,
		 "; %llu zone%s take%s no more writes, and less could be read of %s after a start, since a drive has retired a part", nr,
		 plural(nr), nr == 1 ? "s" : "", nr == 1 ? "it" : "them");
	if (!more_to_do)
		advise(&overview->advice, "retired",
		       "do not stop the array before: 'raizn rebuild %s' tries to rebuild what the read-only zone%s lack%s; if that does not help, save the readable data, then give %s up by a reset: 'blkzone reset -o %llu -c 1 /dev/mapper/%s'",
		       overview->name, plural(nr), nr == 1 ? "s" : "",
		       nr == 1 ? "it" : "them, one by one,",
		       (unsigned long long)(state->retired_zone * (state->zone_size >> 9)),
		       overview->name);
}

/* More zones are active than may be, as after a start with drives that allow fewer. */
static void diagnose_too_many(struct overview *overview, u64 nr)
{
	bool damaged = overview->state.places < overview->state.max_active;
	size_t at = strlen(overview->happened);

	snprintf(overview->happened + at, sizeof(overview->happened) - at,
		 "; %llu active%s zone%s must become full or be reset before new ones can be opened",
		 (unsigned long long)nr, damaged ? " or damaged" : "", plural(nr));
}

static u32 slots_gone(const struct volume_state *state)
{
	return slots_with_letter(state, 'F') | slots_with_letter(state, '-');
}

/* Slots (bits) of the drives that an array could be started from. */
static u32 slots_used(const struct assembly *assembly)
{
	u32 slots = 0, i;

	for (i = 0; i < RAIZN_MAX_MEMBERS; i++)
		if (assembly->members[i])
			slots |= 1U << i;
	return slots;
}

/*
 * Would a start use only drives that the running array went on without?  Their superblocks do not
 * know that, and what was written since is on none of them.
 */
static bool goes_back(const struct overview *overview)
{
	return member_event(overview->array->newest) < overview->state.event &&
	       !(slots_used(&overview->assembly) & ~slots_gone(&overview->state));
}

/* What it serves is lost by a stop when what is there is too little to start from. */
static void advise_restart(struct overview *overview)
{
	struct assembly *assembly = &overview->assembly;
	bool startable = overview->array &&
			 (array_assemble(overview->array, assembly) || assembly->startable);
	bool back = startable && goes_back(overview);
	u32 used = slots_used(assembly);

	if (startable && !back) {
		advise(&overview->advice, "failed",
		       "see the kernel log, check the drives, then 'raizn stop %s' and 'raizn start %s%s'",
		       overview->name, restart_words(overview).s,
		       assembly->missing ? " --degraded" : "");
		return;
	}
	advise(&overview->advice, "failed-drives",
	       "see the kernel log and check the drives; do not stop the array before, for it could not be started now");
	if (back)
		advice_add(&overview->advice,
			   ": only %s can be used, without all that was written since the array left %s behind",
			   slots_text(used).s, used & (used - 1) ? "them" : "it");
	else if (overview->array)
		advice_add(&overview->advice, ": %s", assembly->why);
}

static void diagnose_failed(struct overview *overview)
{
	diagnose(overview, "failed",
		 "more failed than the parity can replace; I/O that cannot be served gets errors");
	advise_restart(overview);
}

/* More drives are gone than the array can do without, and it has not asked for them since. */
static void diagnose_too_few(struct overview *overview, u32 vanished)
{
	u32 nr = __builtin_popcount(vanished);

	diagnose(overview, overview->state.state,
		 "the drive%s of %s %s gone, which the array has not noticed; without %s it lacks more than parity makes up for",
		 plural(nr), slots_text(vanished).s, nr == 1 ? "is" : "are",
		 nr == 1 ? "it" : "them");
	advise_restart(overview);
}

void diagnose_running(struct overview *overview)
{
	const struct volume_state *state = &overview->state;
	u32 gone = slots_gone(state);
	u32 rebuilding = slots_with_letter(state, 'R');
	u32 vanished = roster_gone(&overview->roster) & ~gone;
	bool more_to_do;

	if (state->volume.suspended) {
		diagnose(overview, "suspended",
			 "the volume is suspended, I/O to it waits");
		advise(&overview->advice, "suspended",
		       "if no other program is at work on it: 'dmsetup resume %s'", overview->name);
	} else if (!strcmp(state->state, "failed")) {
		diagnose_failed(overview);
	} else if (!strcmp(state->state, "read-only")) {
		diagnose_read_only(overview);
	} else if (vanished && too_many(overview->array, gone | vanished)) {
		diagnose_too_few(overview, vanished);
	} else if (gone) {
		diagnose_gone(overview, gone);
	} else if (rebuilding) {
		diagnose_rebuilding(overview, rebuilding);
	} else if (state->degraded_zones) {
		diagnose_zones(overview);
	} else {
		diagnose_active(overview);
	}
	if (!state->volume.suspended && state->lost_sectors)
		diagnose_lost(overview, state->lost_sectors);
	more_to_do = gone || vanished || state->action != ACTION_IDLE ||
		     !strcmp(state->state, "failed") || !strcmp(state->state, "read-only");
	if (!state->volume.suspended && state->retired_zones)
		diagnose_retired(overview, more_to_do);
	else if (!state->volume.suspended && state->unwritable_zones)
		diagnose_unwritable(overview, state->unwritable_zones, more_to_do);
	if (!state->volume.suspended && state->damaged_zones)
		diagnose_damaged(overview, state->damaged_zones, rebuilding,
				 more_to_do || state->unwritable_zones);
	if (!state->volume.suspended && zones_too_many(state))
		diagnose_too_many(overview, zones_too_many(state));
}

/* What starts an array that does not run: the name may be another's by now. */
static struct start_words start_words(const struct array *array)
{
	struct start_words words;
	struct volume volume;

	if (volume_by_name(array_name(array), &volume))
		snprintf(words.s, sizeof(words.s), "%s --as NEW-NAME",
			 uuid_text(array->uuid).s);
	else
		snprintf(words.s, sizeof(words.s), "%s", array->word);
	return words;
}

/* It could be started; what is to be said of that? */
static void diagnose_ready(struct overview *overview)
{
	const struct assembly *assembly = &overview->assembly;
	struct start_words words = start_words(overview->array);
	struct advice *advice = &overview->advice;
	char without[300] = "";

	if (assembly->rebuilding)
		snprintf(without, sizeof(without), " while %s was being rebuilt; a start goes on with that",
			 slots_text(assembly->rebuilding).s);
	if (assembly->known)
		snprintf(without, sizeof(without), ", degraded: without the member%s of %s",
			 plural(__builtin_popcount(assembly->known)),
			 slots_text(assembly->known).s);
	if (host_is_other(member_sb(overview->array->newest))) {
		diagnose(overview, assembly->clean ? "stopped" : "unclean",
			 "the array was last used by %s, which %s it%s",
			 host_other_text(), assembly->clean ? "stopped" : "did not stop", without);
		if (assembly->clean)
			advise(advice, "start-here", "'raizn start %s' starts it here",
			       words.s);
		else
			advise(advice, "recover-here",
			       "if that machine does not use it any more: 'raizn start %s --force' recovers and starts it here",
			       words.s);
	} else if (assembly->clean) {
		diagnose(overview, "stopped", "the array was stopped cleanly%s",
			 without);
		advise(advice, "start", "'raizn start %s' starts it", words.s);
	} else {
		diagnose(overview, "unclean",
			 "the array was not stopped cleanly%s", without);
		advise(advice, "recover",
		       "'raizn start %s' recovers and starts it; 'raizn check %s' tells what that will do",
		       words.s, overview->array->word);
	}
}

void diagnose_stopped(struct overview *overview)
{
	struct assembly *assembly = &overview->assembly;
	struct waiting record;

	if (array_assemble(overview->array, assembly)) {
		diagnose_ready(overview);
		return;
	}
	diagnose(overview, assembly->startable ||
		 assembly->code == TOOL_NOT_FOUND ? "incomplete" : "unusable",
		 "%s", assembly->why);
	overview->advice = assembly->advice;
	if (waiting_read(overview->uuid, &record) && record.held && record.kind == WAITING_DRIVES)
		advice_add(&overview->advice,
			   "; it waits since %s and starts by itself when that is there",
			   moment_text(record.since).s);
	else if (!overview->advice.id)
		advise(&overview->advice, "hopeless", "none known; keep the drives as they are");
}

void diagnose_foreign(struct overview *overview, const char *target)
{
	if (*target) {
		diagnose(overview, "unknown",
			 "the mapped device with the array's UUID is none of an array: its target is %s",
			 target);
		advise(&overview->advice, "foreign",
		       "'raizn stop %s' removes it; its drives are not touched by that",
		       overview->name);
	} else {
		diagnose(overview, "unknown", "the kernel tells nothing of it that can be understood");
		advise(&overview->advice, "versions",
		       "use a module and a program of one version; 'raizn stop %s' stops it",
		       overview->name);
	}
}
