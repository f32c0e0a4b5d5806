/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The general log of one member, put together.
 */
#ifndef GENERAL_LOG_H
#define GENERAL_LOG_H

#include "../raizn/core/bad_blocks.h"
#include "../raizn/core/replay.h"
#include "../raizn/core/spoilt.h"
#include "member.h"

/**
 * struct general_log - what a member's general log adds up to
 * @complete:	one of its log zones has a complete checkpoint
 * @era:	era of its generations
 * @zones:	states of the logical zones
 * @map:	where their columns are
 * @bad_blocks:	what is lost of them
 * @spoilt:	their rows that are spoilt in place
 * @begin:	sequence number of the superblock that begins its log zone
 * @done:	that of the last reset that it calls done
 * @contradictions: records that contradict what came before them, or that were
 *		gone when they were read again
 */
struct general_log {
	bool complete;
	u64 era;
	struct raizn_zone_state *zones;
	struct raizn_zone_map map;
	struct raizn_bad_blocks *bad_blocks;
	struct raizn_spoilt_list *spoilt;
	u64 begin;
	u64 done;
	u32 contradictions;
};

/**
 * general_log_read() - replay the general log of a member
 * @log:	to fill; general_log_free() it also after an error
 * @member:	one that is sound or unfinished
 *
 * Only the newest log zone with a complete checkpoint counts.  Without one all
 * zones are in their default state.
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int general_log_read(struct general_log *log, const struct member *member);

/* The log zone that counts; NULL if none has a complete checkpoint. */
const struct log_zone *general_log_zone(const struct member *member);

void general_log_free(struct general_log *log);

#endif /* GENERAL_LOG_H */
