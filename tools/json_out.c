// SPDX-License-Identifier: GPL-2.0
/*
 * Output for programs.
 */
#include <stdio.h>

#include "json_out.h"
#include "text.h"

void json_add_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

void json_add_number(struct json_object *object, const char *key, u64 value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

void json_add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

void json_add_uuid(struct json_object *object, const char *key, const u8 *uuid)
{
	json_add_text(object, key, uuid_text(uuid).s);
}

struct json_object *json_list(struct json_object *object, const char *key)
{
	struct json_object *list = json_object_new_array();

	json_object_object_add(object, key, list);
	return list;
}

struct json_object *json_sub(struct json_object *object, const char *key)
{
	struct json_object *sub = json_object_new_object();

	json_object_object_add(object, key, sub);
	return sub;
}

void json_add_slots(struct json_object *object, const char *key, u32 slots)
{
	struct json_object *list = json_list(object, key);
	u32 i;

	for (i = 0; i < 32; i++)
		if (slots & (1U << i))
			json_object_array_add(list, json_object_new_int(i));
}

void json_print(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void json_print_line(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	fflush(stdout);
}

void json_item(struct json_object *item, bool *first)
{
	printf("%s    %s", *first ? "\n" : ",\n",
	       json_object_to_json_string_ext(item, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(item);
	*first = false;
}
