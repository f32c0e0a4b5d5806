/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Logs of the members.
 */
#ifndef RAIZN_LOG_LOG_H
#define RAIZN_LOG_LOG_H

#include "member/background.h"
#include "member/fault.h"

/**
 * struct raizn_log_space - room claimed in a log zone
 * @epoch:	epoch of the log zone
 * @zone:	reserved zone
 */
struct raizn_log_space {
	u64 epoch;
	u32 zone;
};

/**
 * struct raizn_log_record - one record on its way to one log
 * @log:	destination
 * @pool:	pool of the record, or NULL
 * @rec:	header block with payload behind it, physically contiguous
 * @bytes:	size of header and payload
 * @space:	claimed room in the log
 * @done:	called when the append has completed, in any context; frees the record
 * @private:	argument of @done
 * @bio:	the append
 * @bvec:	its only bio_vec: header and payload
 */
struct raizn_log_record {
	struct raizn_log *log;
	mempool_t *pool;
	struct raizn_record *rec;
	u32 bytes;
	struct raizn_log_space space;
	void (*done)(struct raizn_log_record *lr, blk_status_t status);
	void *private;
	struct bio bio;
	struct bio_vec bvec;
};

/* Claims of log space: those below one of them may use the space that is kept for it. */
enum raizn_log_claim {
	RAIZN_CLAIM_RECORD,
	RAIZN_CLAIM_RELOCATED,	/* rows that are spoilt in place */
	RAIZN_CLAIM_SWITCH,	/* records that the switch under way needs */
};

/**
 * struct raizn_log - one log of one member
 * @member:	the member
 * @role:	enum raizn_log_role
 * @lock:	irq-safe; protects the fields below it
 * @zone:	reserved zone in use
 * @used:	sectors handed out in @zone
 * @capacity:	sectors of a log zone
 * @tails:	partial-parity log: sectors of @capacity kept for the tails that a switch logs
 * @reserve:	sectors of @capacity kept for the records of a switch: @tails, relocated rows
 * @checkpoint:	general log: @used when the checkpoint of @zone was complete; md_mutex
 * @epoch:	epoch of @zone
 * @switching:	set from the moment space ran out until the switch is complete
 * @ready:	@zone takes records (its superblock is written)
 * @full:	space ran out again, in the zone that the switch opened
 * @inflight:	sectors claimed and not yet written, by parity of the epoch
 * @drained:	woken when an @inflight reaches zero
 * @switch_work: partial-parity log: the switch
 */
struct raizn_log {
	struct raizn_member *member;
	u8 role;
	spinlock_t lock;
	u32 zone;
	u32 used;
	u32 capacity;
	u32 tails;
	u32 reserve;
	u32 checkpoint;
	u64 epoch;
	bool switching;
	bool ready;
	bool full;
	atomic_t inflight[2];
	wait_queue_head_t drained;
	struct work_struct switch_work;
};

/* log.c */
void raizn_log_init(struct raizn_log *log, struct raizn_member *m, u8 role);
void raizn_log_idle(struct raizn_log *log);
int raizn_log_pool_init(mempool_t *pool, int nr);
struct raizn_log_record *raizn_log_record_alloc(mempool_t *pool,
						struct raizn_log *log, u16 type,
						u32 payload);
void raizn_log_record_free(struct raizn_log_record *lr);
bool raizn_log_reserve(struct raizn_log *log, u32 sectors, enum raizn_log_claim claim,
		       struct raizn_log_space *space);
void raizn_log_request_switch(struct raizn_log *log);
void raizn_log_unreserve(struct raizn_log *log, u32 sectors,
			 const struct raizn_log_space *space);
void raizn_log_submit(struct raizn_log_record *lr, u64 seq, bool fua);
void raizn_log_done(struct raizn_log_record *lr, blk_status_t status);
int raizn_log_append(struct raizn_log_record *lr, u64 seq, bool fua);
int raizn_log_open_zone(struct raizn_log *log, struct raizn_log_space *old,
			u64 *seq);
int raizn_log_drop_zone(struct raizn_log *log,
			const struct raizn_log_space *old);
void raizn_log_wait_idle(struct raizn_log *log);
int raizn_log_readable(struct raizn_log *log, void *buf);
bool raizn_log_may_move(struct raizn_log *log);
void raizn_fill_superblock(struct raizn_member *m, struct raizn_record *rec);

/* general_log.c */
int raizn_general_reset(struct raizn_array *arr, u32 zone, u32 flags);
int raizn_general_finish(struct raizn_array *arr, u32 zone, u32 wp);
int raizn_general_map(struct raizn_array *arr, u32 zone, u32 column,
		      u32 physical);
typedef bool raizn_mark_fn(const struct raizn_zone *z, u32 column, const void *data);
int raizn_general_mark_later(struct raizn_array *arr, u32 slots, raizn_mark_fn *whole,
			     const void *data);
int raizn_general_joined(struct raizn_member *m, raizn_mark_fn *whole);
int raizn_general_mark(struct raizn_array *arr, u32 slots, raizn_mark_fn *whole,
		       const void *data);
int raizn_general_bad_blocks(struct raizn_array *arr);
int raizn_general_spoilt(struct raizn_array *arr);
void raizn_general_drop_spoilt(struct raizn_zone *z, u32 column);
int raizn_general_forget_member(struct raizn_member *m);
int raizn_general_forget_spoilt(struct raizn_array *arr, u32 zone, u32 column);
int raizn_general_superblock(struct raizn_array *arr, bool clean);
int raizn_general_settings(struct raizn_array *arr);
int raizn_general_note(struct raizn_array *arr);
int raizn_general_surplus(struct raizn_array *arr);
int raizn_general_whole(struct raizn_array *arr);
int raizn_general_join(struct raizn_member *m);
int raizn_general_start(struct raizn_array *arr, u32 first);
int raizn_general_tidy(struct raizn_array *arr);

/* bad_log.c */
int raizn_bad_note(struct raizn_zone *z, u32 column, u32 physical, u32 unreadable,
		   u32 sector, u32 nr);
int raizn_bad_readable(struct raizn_zone *z, u32 column, u32 sector, u32 nr);
int raizn_bad_forget_rows(struct raizn_zone *z, u32 column, u32 physical, u32 sector);
int raizn_bad_tidy(struct raizn_zone *z);
void raizn_bad_renumber(struct raizn_array *arr);

#endif /* RAIZN_LOG_LOG_H */
