/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device mapper: which volumes run, starting and stopping them.
 */
#ifndef DM_H
#define DM_H

#include "../raizn/core/geometry.h"
#include "member.h"

/**
 * struct volume - a mapped device
 * @name:	its name
 * @dm_uuid:	its device-mapper UUID
 * @is_raizn:	it is an array's
 * @uuid:	array UUID, if it is
 * @major, @minor: its device number
 * @open_count:	who has it open, mounted or mapped
 * @suspended:	it is suspended
 * @has_table:	it has a live table
 * @read_only:	it takes no writes by its table
 */
struct volume {
	char name[128];
	char dm_uuid[130];
	bool is_raizn;
	u8 uuid[RAIZN_UUID_SIZE];
	u32 major;
	u32 minor;
	u32 open_count;
	bool suspended;
	bool has_table;
	bool read_only;
};

/* The array whose mapped device has this UUID; false if it is not an array's. */
bool volume_array_uuid(const char *dm_uuid, u8 *uuid);

/* Has its table a target that is not ours, such as "error"?  @target is what it has. */
bool volume_is_foreign(const struct volume *volume, char *target, size_t size);

/* Keep libdevmapper's own messages for ours; release what it holds. */
void volume_dm_init(void);
void volume_dm_exit(void);

/**
 * volume_list() - all running arrays
 * @volumes:	allocated array, free() it
 * @nr:		how many
 *
 * A kernel without device mapper runs none.
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int volume_list(struct volume **volumes, u32 *nr);

/* The mapped device named @name, whatever it is; false if there is none. */
bool volume_by_name(const char *name, struct volume *volume);

/* The running array @uuid; false if it does not run. */
bool volume_by_uuid(const u8 *uuid, struct volume *volume);

/* The running array that the user means by a name or UUID; return TOOL_OK, or an
 * exit code after a message.
 */
int volume_wanted(const char *wanted, struct volume *volume);

/* Have the kernel know the target, loading its module if need be; TOOL_FAILED
 * after a message if it cannot.
 */
int volume_need_target(void);

/* Does the kernel know the target @name?  Our module is loaded for that if it is installed. */
bool volume_has_target(const char *name);

/* The target takes the option host=; volume_need_target() was called. */
bool volume_target_takes_host(void);

/**
 * struct table_options - words behind the members in an array's table, and its mode
 * @write_cache: "back", "through", or NULL for what the superblocks say
 * @degraded:	start without members that the array counts on
 * @maintain:	have all counters of zone resets begin anew
 * @host:	identity of this machine, for the superblocks, or NULL; left out if the
 *		module is too old for it
 * @read_only:	the drives are opened for reading, and nothing is written to them
 */
struct table_options {
	const char *write_cache;
	bool degraded;
	bool maintain;
	const u8 *host;
	bool read_only;
};

/**
 * volume_start() - create a mapped device with an array's table
 * @name:	its name
 * @uuid:	array UUID
 * @geo:	the array's geometry
 * @members:	members in slot order, geo->nr_members of them; NULL for each that
 *		is missing
 * @options:	how to start it
 * @said:	what the target said about recovery; empty if nothing
 * @size:	bytes at @said
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int volume_start(const char *name, const u8 *uuid,
		 const struct raizn_geometry *geo,
		 struct member *const *members,
		 const struct table_options *options, char *said, size_t size);

/* Remove a mapped device; a message on failure. */
int volume_remove(const struct volume *volume);

/**
 * volume_reload() - have a running array go on with another table
 * @volume:	the array's
 * @line:	the parameters behind the target's name
 *
 * I/O waits for a moment.  When the kernel turns the table down, the array goes on
 * with the one it has.
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int volume_reload(const struct volume *volume, const char *line);

/* Have the kernel suspend an array and go on with it, so that it tries again what it has
 * given up; I/O waits for a moment.  Return TOOL_OK, or TOOL_FAILED after a message.
 */
int volume_cycle(const struct volume *volume);

/* Send a running array's target a message; return TOOL_OK, or TOOL_FAILED after
 * a message of ours that says why the kernel did not do it.
 */
int volume_message(const struct volume *volume, const char *text);

/* Longest answer to a message. */
#define VOLUME_ANSWER	2048

/* Send a message that is answered.  Return: there is an answer. */
bool volume_ask(const struct volume *volume, const char *text, char *answer,
		size_t size);

/**
 * volume_line() - table or status line of a running array
 * @volume:	the array's
 * @status:	status, else table
 *
 * Return: the parameters behind the target's name, free() them; NULL after a
 * message.
 */
char *volume_line(const struct volume *volume, bool status);

#endif /* DM_H */
