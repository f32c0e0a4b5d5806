/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in /run of arrays that do not come up by themselves, for their status, for the monitor,
 * and for the next process that waits if the first one ends before late drives come, as it does
 * at the end of an initramfs.
 */
#ifndef WAITING_H
#define WAITING_H

#include <time.h>

#include "../raizn/core/format.h"

enum waiting_kind {
	WAITING_DRIVES,		/* not started: drives are missing */
	WAITING_LATE,		/* started without drives, or about to be; adds them when they come */
	WAITING_OWNER,		/* not started: the start was refused */
	NR_WAITING_KINDS,
};

/**
 * struct waiting - a record
 * @uuid:	UUID of the array
 * @name:	its name; its UUID if it has none that is possible
 * @kind:	what it waits for
 * @since:	when that began, seconds since the epoch
 * @begun:	the same, seconds of CLOCK_BOOTTIME, which nobody sets
 * @slots:	slots (bits) whose drives it waits for
 * @reason:	one line for people, with the advice
 * @held:	the process that waits is alive
 */
struct waiting {
	u8 uuid[RAIZN_UUID_SIZE];
	char name[RAIZN_NAME_SIZE];
	enum waiting_kind kind;
	time_t since;
	int64_t begun;
	u32 slots;
	char reason[2048];
	bool held;
};

/**
 * waiting_open() - take hold of the record of an array
 * @uuid:	the array
 *
 * The record of an earlier process stays until waiting_write() or waiting_end().
 *
 * Return: a descriptor; -1 if another process holds the record, or /run cannot be written.
 */
int waiting_open(const u8 *uuid);

/**
 * waiting_write() - write the record
 * @fd:		of waiting_open(); nothing is done if it is negative
 * @record:	what is written; @since and @begun are those of the record before if that is of
 *		the same kind, and else now
 */
void waiting_write(int fd, const struct waiting *record);

/**
 * waiting_adopt() - go on waiting for late drives after another process
 * @uuid:	the array
 * @slots:	filled: slots (bits) of the drives
 *
 * Return: as waiting_open(); also -1 if there is nothing to go on with.
 */
int waiting_adopt(const u8 *uuid, u32 *slots);

/* Remove the record, and let go of it; nothing if @fd is negative. */
void waiting_end(int fd, const u8 *uuid);

/* Remove a record that no process holds: it is out of date. */
void waiting_void(const u8 *uuid);

/* Read the record of an array; false if it has none. */
bool waiting_read(const u8 *uuid, struct waiting *record);

/**
 * waiting_list() - read all records
 * @records:	allocated array, free() it
 * @nr:		how many
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int waiting_list(struct waiting **records, u32 *nr);

/* Seconds since it began, whatever happens to the clock. */
int64_t waiting_age(const struct waiting *record);

/* Listen for changes of records; return a descriptor that can be polled, -1 if there is none. */
int waiting_listen(void);

/* Forget what was heard; return whether it was about a record. */
bool waiting_heard(int fd);

#endif /* WAITING_H */
