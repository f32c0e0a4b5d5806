/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output for programs.  Objects are built with json-c; long lists are written
 * item by item, so that no list on a drive can fill the memory.
 */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <json-c/json.h>

#include "../raizn/core/portable.h"

/* Add one member to @object. */
void json_add_text(struct json_object *object, const char *key, const char *value);
void json_add_number(struct json_object *object, const char *key, u64 value);
void json_add_bool(struct json_object *object, const char *key, bool value);
void json_add_uuid(struct json_object *object, const char *key, const u8 *uuid);

/* A new array or object as member @key of @object. */
struct json_object *json_list(struct json_object *object, const char *key);
struct json_object *json_sub(struct json_object *object, const char *key);

/* A list of the numbers of the bits of @slots. */
void json_add_slots(struct json_object *object, const char *key, u32 slots);

/* Print @object, end the line, and free it. */
void json_print(struct json_object *object);

/* The same, all of it in one line, which is written at once. */
void json_print_line(struct json_object *object);

/* Print an item of a list that is written piece by piece, and free it. */
void json_item(struct json_object *item, bool *first);

#endif /* JSON_OUT_H */
