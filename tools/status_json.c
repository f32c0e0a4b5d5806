// SPDX-License-Identifier: GPL-2.0
/*
 * raizn status, for programs.
 */
#include <stdlib.h>
#include <string.h>

#include "background.h"
#include "history.h"
#include "lost_blocks.h"
#include "mismatches.h"
#include "status.h"
#include "text.h"
#include "waiting.h"

static void json_layout(struct json_object *object,
			const struct overview *overview)
{
	const struct member *newest = overview->array->newest;
	u32 flags = le32_to_cpu(member_sb(newest)->flags);
	const struct raizn_geometry *geo = &newest->geo;
	const char *cache = flags & RAIZN_SB_WRITE_THROUGH ? "through" : "back";
	bool trust = flags & RAIZN_SB_TRUST_BUFFERS;

	if (newest->verdict != MEMBER_SOUND)
		return;
	if (overview->running) {
		cache = overview->state.write_cache;
		trust = overview->state.trust_buffers;
	}
	json_add_text(object, "autostart",
		      autostart_text(overview_autostart(overview)).s);
	json_add_number(object, "level", geo->level);
	json_add_number(object, "data_units", geo->nr_data);
	json_add_number(object, "parity_units", geo->nr_parity);
	json_add_number(object, "stripe_unit", geo->su << 9);
	json_add_text(object, "write_cache", cache);
	json_add_bool(object, "trust_buffers", trust);
	json_add_number(object, "capacity",
			((u64)geo->nr_zones * geo->zone_cap) << 9);
	json_add_number(object, "nr_zones", geo->nr_zones);
	json_add_number(object, "zone_size", geo->zone_size << 9);
	json_add_number(object, "zone_capacity", (u64)geo->zone_cap << 9);
	json_add_number(object, "reserved_zones", geo->nr_reserved);
	json_add_number(object, "conventional_zones", geo->first_zone);
}

static void json_service(struct json_object *object,
			 const struct volume_state *state)
{
	struct amount amount = background_amount(state);
	struct json_object *sub;
	u64 seconds;

	sub = json_sub(object, "operation");
	json_add_text(sub, "kind", action_names[state->action]);
	json_add_bool(sub, "paused", state->paused);
	json_add_number(sub, "done", amount.done);
	json_add_number(sub, "total", amount.total);
	json_add_number(sub, "elapsed_ms", state->elapsed);
	json_add_number(sub, "rate", amount.rate);
	json_object_object_add(sub, "seconds_left",
			       state->action != ACTION_IDLE &&
			       amount_left(&amount, &seconds) ?
			       json_object_new_uint64(seconds) : NULL);
	json_add_number(object, "degraded_zones", state->degraded_zones);
	json_add_number(object, "mismatches", state->mismatches);
	json_add_number(object, "repaired", state->repaired);
	mismatches_json(state, json_list(object, "mismatches_at"));
	json_add_number(object, "scrub_next_zone", state->scrub_next);
	json_add_number(object, "lost_sectors", state->lost_sectors);
	json_add_number(object, "spoilt_sectors", state->spoilt_sectors);
	json_add_number(object, "retired_zones", state->retired_zones);
	lost_blocks_json(state, json_list(object, "lost_blocks"));
	sub = json_sub(object, "settings");
	json_add_number(sub, "speed_min", state->speed_min << 10);
	json_add_number(sub, "speed_max", state->speed_max << 10);
	json_add_number(sub, "error_limit", state->error_limit);
}

static void json_running(struct json_object *object,
			 const struct volume_state *state)
{
	static const char *const names[] = {
		[USER_READ] = "user_read",
		[USER_WRITTEN] = "user_written",
		[MEMBER_READ] = "member_read",
		[DATA_WRITTEN] = "data_written",
		[PARITY_WRITTEN] = "parity_written",
		[PARTIAL_PARITY_WRITTEN] = "partial_parity_written",
		[METADATA_WRITTEN] = "metadata_written",
		[REBUILD_WRITTEN] = "rebuild_written",
	};
	u64 all = member_sectors_written(state);
	struct json_object *sub;
	u32 i;

	sub = json_sub(object, "zones");
	for (i = 0; i < NR_ZONE_COUNTS; i++)
		json_add_number(sub, zone_count_names[i], state->zones[i]);
	sub = json_sub(object, "limits");
	json_add_number(sub, "open", state->open);
	json_add_number(sub, "active", state->active);
	json_add_number(sub, "max_open", state->max_open);
	json_add_number(sub, "max_active", state->max_active);
	json_add_number(sub, "places", state->places);
	json_add_number(sub, "too_many", zones_too_many(state));
	sub = json_sub(object, "bytes");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		json_add_number(sub, names[i], state->counters[i] << 9);
	json_add_number(sub, "member_written", all << 9);
	json_object_object_add(object, "write_amplification",
			       state->counters[USER_WRITTEN] ?
			       json_object_new_double(status_amplification(state)) :
			       NULL);
	json_add_number(object, "flushes", state->counters[FLUSHES_SENT]);
	json_add_number(object, "log_switches", state->counters[LOG_SWITCHES]);
	json_add_number(object, "event", state->event);
	json_service(object, state);
}

static void json_errors(struct json_object *object,
			const struct member_errors *errors)
{
	json_add_number(object, "read_errors", errors->read);
	json_add_number(object, "write_errors", errors->write);
	json_add_number(object, "healed", errors->healed);
}

static void json_replaced(struct json_object *list, const struct array *array)
{
	struct json_object *object;
	u32 i;

	for (i = 0; array && i < array->nr_replaced; i++) {
		object = json_object_new_object();
		json_object_array_add(list, object);
		json_add_number(object, "slot", array->replaced[i]->slot);
		json_add_text(object, "device", array->replaced[i]->drive.path);
	}
}

/* As what this machine saw the drive of a slot last. */
static void json_last(struct json_object *object, const struct array *array, u32 slot)
{
	struct sighting last;

	if (!array || !history_find(array->uuid, member_sb(array->newest)->members[slot].uuid,
				    &last) || !*last.node)
		return;
	json_add_text(object, "last_device", last.node);
	json_add_text(object, "last_serial", last.serial);
}

/* Null for what it does not wait for. */
static void json_waiting(struct json_object *object, const struct overview *overview)
{
	struct json_object *waits = NULL, *refused = NULL;
	struct waiting record;
	bool found = waiting_read(overview->uuid, &record);

	if (found && record.kind == WAITING_OWNER && !overview->running) {
		refused = json_object_new_object();
		json_add_number(refused, "since", record.since);
		json_add_text(refused, "reason", record.reason);
	} else if (found && record.kind != WAITING_OWNER && record.held) {
		waits = json_object_new_object();
		json_add_number(waits, "since", record.since);
		json_add_slots(waits, "slots", record.slots);
	}
	json_object_object_add(object, "waiting", waits);
	json_object_object_add(object, "refused", refused);
}

/* The next word of the message "spares"; null for a member that is not live, or an older module. */
static void json_spares(struct json_object *object, const char **words)
{
	char *end;
	u64 nr = strtoull(*words, &end, 10);

	if (end == *words) {
		json_object_object_add(object, "free_zones", NULL);
		end += strcspn(end, " ");
	} else {
		json_add_number(object, "free_zones", nr);
	}
	*words = end + strspn(end, " ");
}

static void json_members(struct json_object *list,
			 const struct overview *overview)
{
	const struct array *array = overview->array;
	char spares[VOLUME_ANSWER] = "";
	const char *words = spares;
	struct json_object *object;
	struct traffic traffic;
	u32 slot;

	if (overview->running)
		volume_ask(&overview->state.volume, "spares", spares, sizeof(spares));
	for (slot = 0; slot < overview_nr_members(overview); slot++) {
		const struct member *member = overview_member(overview, slot);

		object = json_object_new_object();
		json_object_array_add(list, object);
		json_add_number(object, "slot", slot);
		json_add_text(object, "state", overview_member_state(overview, slot));
		if (array)
			json_add_uuid(object, "uuid",
				      member_sb(array->newest)->members[slot].uuid);
		if (overview->running) {
			json_errors(object, &overview->state.errors[slot]);
			json_spares(object, &words);
		}
		if (!member) {
			json_last(object, array, slot);
			continue;
		}
		traffic = drive_traffic(&member->drive);
		json_add_text(object, "device", member->drive.path);
		json_add_text(object, "serial", member->drive.serial);
		json_add_text(object, "model", member->drive.model);
		json_add_number(object, "bytes_read", traffic.read << 9);
		json_add_number(object, "bytes_written", traffic.written << 9);
	}
}

void status_json(struct json_object *list, const struct overview *overview)
{
	struct json_object *object = json_object_new_object();
	const struct array *array = overview->array;

	json_object_array_add(list, object);
	json_add_text(object, "name", overview->name);
	json_add_uuid(object, "uuid", overview->uuid);
	json_add_text(object, "label", array ? array->newest->label : "");
	json_add_bool(object, "running", overview->running);
	json_add_text(object, "state", overview->condition);
	json_add_text(object, "status", overview->happened);
	json_waiting(object, overview);
	json_add_text(object, "action", overview->advice.text);
	json_add_text(object, "advice", overview->advice.id ? overview->advice.id : "");
	advice_commands(&overview->advice, json_list(object, "commands"));
	if (array)
		json_layout(object, overview);
	if (overview->running)
		json_running(object, &overview->state);
	json_members(json_list(object, "members"), overview);
	json_replaced(json_list(object, "replaced_drives"), array);
}
