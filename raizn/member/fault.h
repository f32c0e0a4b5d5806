/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marking failures of members and columns.
 */
#ifndef RAIZN_MEMBER_FAULT_H
#define RAIZN_MEMBER_FAULT_H

#include "member/column.h"

/* Default number of errors after which a member fails. */
#define RAIZN_ERROR_LIMIT	20U

/**
 * enum raizn_drop - permitted cost of doing without a column
 * @RAIZN_DROP_UNASKED:	nothing: all data stays readable, all zones stay writable
 * @RAIZN_DROP_ASKED:	by request: empty zones may lack too many columns, and take no writes then
 * @RAIZN_DROP_LOST:	the column failed, or the owner accepts it: also, unreadable sectors of
 *			other columns may be lost, but nothing that can be read now
 */
enum raizn_drop {
	RAIZN_DROP_UNASKED,
	RAIZN_DROP_ASKED,
	RAIZN_DROP_LOST,
};

/* may_drop.c */
bool raizn_rows_needed(const struct raizn_zone *z, u32 column);
bool raizn_may_drop(const struct raizn_zone *z, u32 column, enum raizn_drop why);

/* fault.c */
bool raizn_array_move(struct raizn_array *arr, enum raizn_array_state state);
void raizn_array_fail(struct raizn_array *arr, const char *what,
		      blk_status_t status);
void raizn_array_event(struct raizn_array *arr);
void raizn_array_listen(struct raizn_array *arr, struct dm_table *table);
u64 raizn_counter_read(struct raizn_array *arr, enum raizn_counter c);
bool raizn_member_give_up(struct raizn_member *m);
bool raizn_member_failed(struct raizn_member *m, const char *what,
			 blk_status_t status);
bool raizn_column_failed(struct raizn_zone *z, u32 column, const char *what,
			 blk_status_t status);
bool raizn_column_give_up(struct raizn_zone *z, u32 column);
int raizn_settle(struct raizn_array *arr);
void raizn_end_bio(struct raizn_array *arr, struct bio *bio,
		   blk_status_t status);
void raizn_judge_errors(struct raizn_member *m, const char *why_now);
void raizn_members_judge(struct raizn_array *arr);
void raizn_error_is_retired(struct raizn_member *m);
void raizn_errors_forget(struct raizn_member *m);
void raizn_read_failed(struct raizn_member *m);
void raizn_report_failed(struct raizn_member *m);
void raizn_write_failed(struct raizn_member *m);
int raizn_fail_member(struct raizn_array *arr, u32 slot, bool lose);
u32 raizn_degraded_zones(const struct raizn_array *arr);
u32 raizn_damaged_zones(const struct raizn_array *arr);
u32 raizn_unwritable_zones(const struct raizn_array *arr);

/* judge.c */
int raizn_judge_members(struct raizn_array *arr, u32 failing);

#endif /* RAIZN_MEMBER_FAULT_H */
