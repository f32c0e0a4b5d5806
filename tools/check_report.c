// SPDX-License-Identifier: GPL-2.0
/*
 * raizn check: telling what was found.
 */
#include <stdio.h>

#include "tool.h"
#include "check.h"
#include "json_out.h"
#include "text.h"

const char *slot_condition_name(enum slot_condition condition)
{
	static const char *const names[] = {
		[SLOT_OK] = "ok",
		[SLOT_REBUILDING] = "rebuilding",
		[SLOT_MISSING] = "missing",
		[SLOT_FAILED] = "failed",
		[SLOT_STALE] = "stale",
		[SLOT_UNUSABLE] = "unusable",
	};

	return names[condition];
}

static const char *action_name(const struct zone_work *work)
{
	static const char *const names[] = {
		[RAIZN_ZONE_LEAVE] = "rebuild",
		[RAIZN_ZONE_RESET] = "reset",
		[RAIZN_ZONE_FINISH] = "finish",
		[RAIZN_ZONE_REPAIR] = "repair",
		[RAIZN_ZONE_DAMAGED] = "damaged",
	};

	return work->finish ? "finish" : names[work->plan.action];
}

enum check_result check_result(const struct check *check)
{
	if (check->nr_problems)
		return CHECK_DAMAGED;
	if (!check->clean || check->apart || check->untrusted ||
	    check->rebuilding || check->nr_work || check->nr_leftovers)
		return CHECK_WORK;
	return CHECK_CLEAN;
}

/* Sectors that have to be written to a column; none if it is not there. */
static u32 to_fill(const struct zone_work *work, u32 column)
{
	const struct raizn_zone_plan *plan = &work->plan;

	if (work->facts.missing & (1U << column) ||
	    (plan->action != RAIZN_ZONE_REPAIR &&
	     plan->action != RAIZN_ZONE_FINISH))
		return 0;
	return plan->want[column] - plan->keep[column];
}

/* Sectors of a column beyond the write pointer, which must go. */
static u32 debris(const struct zone_work *work, u32 column)
{
	const struct raizn_zone_plan *plan = &work->plan;
	u32 extent = work->facts.extents[column];

	if (work->facts.missing & (1U << column) ||
	    plan->action != RAIZN_ZONE_REPAIR || extent <= plan->want[column])
		return 0;
	return extent - plan->want[column];
}

/* Each resolved by a reset; or it stays, or what is valid moves. */
static bool debris_is_all(const struct zone_work *work, u32 column)
{
	return !work->plan.want[column];
}

/* ---- for people ------------------------------------------------------------------ */

/* Slot of a column of a zone with work. */
static u32 slot_of(const struct check *check, const struct zone_work *work, u32 column)
{
	return check_slot(check, work->facts.zone, column);
}

static const char *slot_device(const struct check *check, u32 slot)
{
	const struct member *member = check->slots[slot].member;

	return member ? member->drive.path : "-";
}

static void text_members(const struct check *check)
{
	const struct raizn_superblock *sb =
		raizn_record_sb_const(check->newest);
	u32 nr = check->geo->nr_members, i;

	printf("members:  %u of %u can be used\n",
	       nr - __builtin_popcount(check->untrusted), nr);
	for (i = 0; i < nr; i++)
		if (check->slots[i].condition != SLOT_OK)
			printf("  slot %u (%s, member %s) is %s: %s\n", i,
			       slot_device(check, i),
			       uuid_text(sb->members[i].uuid).s,
			       slot_condition_name(check->slots[i].condition),
			       check->slots[i].why);
}

static void text_metadata(const struct check *check)
{
	printf("metadata: %llu sound records in %u log zones\n",
	       (unsigned long long)check->nr_records, check->nr_log_zones);
	if (check->torn)
		printf("  %u record%s not completed when power was cut\n",
		       check->torn, check->torn == 1 ? " was" : "s were");
	if (check->apart)
		puts("  the members' logs do not say the same: a record did not reach all of them");
	if (check->generations_full)
		printf("  %u zone%s cannot be reset again before 'raizn maintain %s'\n",
		       check->generations_full, plural(check->generations_full),
		       array_name(check->array));
}

static const char *zone_why(const struct zbd_zone *zone)
{
	switch (zone->cond) {
	case ZBD_ZONE_COND_OFFLINE:
		return "offline";
	case ZBD_ZONE_COND_READONLY:
		return "read-only";
	default:
		return "full, though it should not be";
	}
}

static void text_rebuild(const struct check *check,
			 const struct zone_work *work, u32 column)
{
	const struct zbd_zone *zone = check_column(check, work->facts.zone,
						   column);
	u32 slot = slot_of(check, work, column);
	const char *device = slot_device(check, slot);

	if (zone)
		printf("  slot %u (%s): rebuild the contents of its zone %llu in a spare zone: it is %s\n",
		       slot, device,
		       (unsigned long long)(zone->start / zone->len),
		       zone_why(zone));
	else
		printf("  slot %u (%s): rebuild its column in a spare zone: a write to it failed\n",
		       slot, device);
}

static void text_work(const struct check *check, const struct zone_work *work)
{
	const struct raizn_zone_plan *plan = &work->plan;
	u32 c, slot, nr;

	switch (plan->action) {
	case RAIZN_ZONE_LEAVE:
		printf("zone %u: %s, write pointer %u\n", work->facts.zone,
		       work->finish ? "its finish has to be completed" :
		       "has to be rebuilt", plan->wp);
		break;
	case RAIZN_ZONE_RESET:
		printf("zone %u: its reset has to be completed\n",
		       work->facts.zone);
		return;
	case RAIZN_ZONE_FINISH:
		printf("zone %u: its finish has to be completed, write pointer %u\n",
		       work->facts.zone, plan->wp);
		break;
	case RAIZN_ZONE_REPAIR:
		printf("zone %u: has to be repaired, write pointer %u\n",
		       work->facts.zone, plan->wp);
		break;
	default:
		printf("zone %u: damaged, readable below %u\n",
		       work->facts.zone, plan->wp);
	}
	for (c = 0; c < check->geo->nr_members; c++) {
		slot = slot_of(check, work, c);
		nr = to_fill(work, c);
		if (nr)
			printf("  slot %u (%s): fill in %u sectors at %u\n", slot,
			       slot_device(check, slot), nr, plan->keep[c]);
		nr = debris(work, c);
		if (nr && debris_is_all(work, c))
			printf("  slot %u (%s): remove %u sectors by a reset of its zone\n",
			       slot, slot_device(check, slot), nr);
		else if (nr)
			printf("  slot %u (%s): leave %u sectors in place, or move the %u before them to a spare zone\n",
			       slot, slot_device(check, slot), nr, plan->want[c]);
		if (work->rebuild & (1U << c))
			text_rebuild(check, work, c);
	}
}

static void text_zones(const struct check *check)
{
	u32 i;

	printf("state:    %s\n", check->clean ? "stopped cleanly" :
	       "not stopped cleanly");
	for (i = 0; i < check->nr_work && i < CHECK_MAX_TEXT_LINES; i++)
		text_work(check, &check->work[i]);
	if (i < check->nr_work)
		printf("%u more zones have work (--json lists all)\n",
		       check->nr_work - i);
	for (i = 0; i < check->nr_leftovers && i < CHECK_MAX_TEXT_LINES; i++)
		printf("slot %u (%s): zone %u holds a copy that is not needed and has to be reset\n",
		       check->leftovers[i].slot,
		       slot_device(check, check->leftovers[i].slot),
		       check->leftovers[i].zone);
	if (i < check->nr_leftovers)
		printf("%u more such zones\n", check->nr_leftovers - i);
}

static void text_parity(const struct check *check)
{
	const struct parity_result *parity = &check->parity;

	if (!parity->done) {
		puts("parity:   not compared");
		return;
	}
	printf("parity:   %llu zones with data: %llu stripes, %llu tails, %llu partial parities compared, %llu wrong\n",
	       (unsigned long long)parity->zones,
	       (unsigned long long)parity->stripes,
	       (unsigned long long)parity->tails,
	       (unsigned long long)parity->records,
	       (unsigned long long)parity->mismatches);
	if (parity->unverifiable)
		printf("  %llu stripes have no parity left to compare with\n",
		       (unsigned long long)parity->unverifiable);
	if (parity->lost)
		printf("  %llu stripe%s with lost blocks cannot be compared\n",
		       (unsigned long long)parity->lost, plural(parity->lost));
}

static void text_result(const struct check *check)
{
	switch (check_result(check)) {
	case CHECK_CLEAN:
		printf("result:   %s\n", check->parity.done ?
		       "clean and consistent" :
		       "clean, its metadata is consistent");
		break;
	case CHECK_WORK:
		if (check->untrusted || check->rebuilding)
			puts("result:   degraded: the data that is there is consistent, but the next failure may lose data");
		if (!check->clean || check->apart || check->nr_work ||
		    check->nr_leftovers)
			printf("result:   a start recovers the array: %u zone%s with work\n",
			       check->nr_work, plural(check->nr_work));
		break;
	default:
		printf("result:   damaged: %llu problem%s\n",
		       (unsigned long long)check->nr_problems,
		       plural(check->nr_problems));
	}
}

void check_print_text(const struct check *check)
{
	u64 i;

	printf("array:    %s (%s), level %u\n", array_name(check->array),
	       uuid_text(check->array->uuid).s, check->geo->level);
	text_members(check);
	text_metadata(check);
	text_zones(check);
	text_parity(check);
	for (i = 0; i < check->nr_problems && i < CHECK_MAX_TEXT_LINES; i++)
		printf("damage:   %s\n", check->problems[i].text);
	if (i < check->nr_problems)
		printf("%llu more problems (--json lists up to %u)\n",
		       (unsigned long long)(check->nr_problems - i),
		       CHECK_MAX_PROBLEMS);
	text_result(check);
}

/* ---- for programs ---------------------------------------------------------------- */

static void json_members(struct json_object *list, const struct check *check)
{
	const struct raizn_superblock *sb =
		raizn_record_sb_const(check->newest);
	struct json_object *object;
	u32 i;

	for (i = 0; i < check->geo->nr_members; i++) {
		const struct slot *slot = &check->slots[i];

		object = json_object_new_object();
		json_object_array_add(list, object);
		json_add_number(object, "slot", i);
		json_add_uuid(object, "uuid", sb->members[i].uuid);
		json_add_text(object, "condition",
			      slot_condition_name(slot->condition));
		json_add_text(object, "why", slot->why);
		if (!slot->member)
			continue;
		json_add_text(object, "device", slot->member->drive.path);
		json_add_number(object, "event", member_event(slot->member));
	}
}

static void json_columns(struct json_object *list, const struct check *check,
			 const struct zone_work *work)
{
	struct json_object *object;
	u32 c, fill, beyond;
	bool rebuild;

	for (c = 0; c < check->geo->nr_members; c++) {
		fill = to_fill(work, c);
		beyond = debris(work, c);
		rebuild = work->rebuild & (1U << c);
		if (!fill && !beyond && !rebuild)
			continue;
		object = json_object_new_object();
		json_object_array_add(list, object);
		json_add_number(object, "slot", slot_of(check, work, c));
		json_add_number(object, "valid_sectors", work->plan.keep[c]);
		json_add_number(object, "fill_sectors", fill);
		json_add_number(object, "debris_sectors", beyond);
		json_add_bool(object, "rebuild", rebuild);
		if (beyond)
			json_add_text(object, "debris_removed_by",
				      debris_is_all(work, c) ? "reset" : "move");
	}
}

static void json_work(struct json_object *list, const struct check *check)
{
	struct json_object *object;
	u32 i;

	for (i = 0; i < check->nr_work; i++) {
		const struct zone_work *work = &check->work[i];

		object = json_object_new_object();
		json_object_array_add(list, object);
		json_add_number(object, "zone", work->facts.zone);
		json_add_text(object, "action", action_name(work));
		json_add_number(object, "write_pointer_sectors", work->plan.wp);
		json_columns(json_list(object, "columns"), check, work);
	}
}

static void json_leftovers(struct json_object *list, const struct check *check)
{
	struct json_object *object;
	u32 i;

	for (i = 0; i < check->nr_leftovers; i++) {
		object = json_object_new_object();
		json_object_array_add(list, object);
		json_add_number(object, "slot", check->leftovers[i].slot);
		json_add_number(object, "member_zone", check->leftovers[i].zone);
	}
}

static void json_parity(struct json_object *object, const struct check *check)
{
	const struct parity_result *parity = &check->parity;

	json_add_bool(object, "compared", parity->done);
	json_add_number(object, "zones", parity->zones);
	json_add_number(object, "stripes", parity->stripes);
	json_add_number(object, "tails", parity->tails);
	json_add_number(object, "partial_parities", parity->records);
	json_add_number(object, "unverifiable", parity->unverifiable);
	json_add_number(object, "mismatches", parity->mismatches);
	json_add_number(object, "unreadable", parity->unreadable);
	json_add_number(object, "lost", parity->lost);
}

void check_print_json(const struct check *check)
{
	static const char *const results[] = {
		[CHECK_CLEAN] = "clean",
		[CHECK_WORK] = "work",
		[CHECK_DAMAGED] = "damaged",
	};
	const struct raizn_superblock *sb =
		raizn_record_sb_const(check->newest);
	struct json_object *object = json_object_new_object(), *list;
	u64 i;

	json_add_text(object, "name", array_name(check->array));
	json_add_uuid(object, "uuid", check->array->uuid);
	json_add_text(object, "result", results[check_result(check)]);
	json_add_bool(object, "clean", check->clean);
	json_add_bool(object, "degraded", check->untrusted | check->rebuilding);
	json_add_bool(object, "logs_agree", !check->apart);
	json_add_number(object, "event", le64_to_cpu(sb->event));
	json_add_number(object, "start", le64_to_cpu(sb->start));
	json_add_number(object, "era", le64_to_cpu(sb->era));
	json_add_number(object, "zone_map_version",
			check->map ? check->map->version : 0);
	json_add_number(object, "records", check->nr_records);
	json_add_number(object, "log_zones", check->nr_log_zones);
	json_add_number(object, "incomplete_records", check->torn);
	json_add_number(object, "full_generations", check->generations_full);
	json_members(json_list(object, "members"), check);
	json_work(json_list(object, "zones"), check);
	json_leftovers(json_list(object, "leftovers"), check);
	json_parity(json_sub(object, "parity"), check);
	json_add_number(object, "nr_problems", check->nr_problems);
	list = json_list(object, "problems");
	for (i = 0; i < check->nr_problems && i < CHECK_MAX_PROBLEMS; i++)
		json_object_array_add(list,
				      json_object_new_string(check->problems[i].text));
	json_print(object);
}
