/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From accepted writes to member bios, and back.
 */
#ifndef RAIZN_IO_IO_H
#define RAIZN_IO_IO_H

#include "io/open_zone.h"

/* Largest page with copies of user data (order). */
#define RAIZN_COPY_ORDER	3U

/* Reserve of pages for copies. */
#define RAIZN_COPY_RESERVE	16

/**
 * struct raizn_lost_unit - data of a missing column, in memory
 * @node:	in oz->lost; zone->lock
 * @refs:	one for the list, one for each reader
 * @stripe:	stripe number
 * @column:	the missing column
 * @data:	one stripe unit, filled from its beginning
 * @bad:	first row (sector) that could not be reconstructed
 * @bad_end:	row after the last such row; 0: none
 */
struct raizn_lost_unit {
	struct list_head node;
	refcount_t refs;
	u32 stripe;
	u32 column;
	u32 bad;
	u32 bad_end;
	void *data;
};

/**
 * struct raizn_flusher - flushes, and FUA writes that need one
 * @arr:	the array
 * @lock:	irq-safe; protects @bios and @fua
 * @bios:	flushes for the flush worker
 * @fua:	FUA writes for the flush worker; their data is written
 * @work:	the flush worker
 * @targets:	nr_open_zones entries, of the flush worker
 */
struct raizn_flusher {
	struct raizn_array *arr;
	spinlock_t lock;
	struct bio_list bios;
	struct bio_list fua;
	struct work_struct work;
	struct raizn_flush_target *targets;
};

/**
 * struct raizn_relog - the switch of a partial-parity log
 * @mutex:	one log switches at a time
 * @slot:	member with the log that switches; @mutex, read by zone workers while
 *		oz->relog
 * @targets:	zones that log their tails again, nr_open_zones entries; @mutex
 */
struct raizn_relog {
	struct mutex mutex;
	u32 slot;
	struct raizn_open_zone **targets;
};

/* fault_record.c */
int raizn_zone_disown(struct raizn_zone *z);
void raizn_fail_work(struct work_struct *work);

/* complete.c */
void raizn_io_put(struct bio *bio, blk_status_t status);
void raizn_end_bios(struct bio_list *bios, blk_status_t status);
void raizn_parity_free(struct raizn_array *arr, struct raizn_parity_buffer *pb);
void raizn_batch_put(struct raizn_batch *batch);
void raizn_member_bio_endio(struct bio *bio);
void raizn_wait_drained(struct raizn_zone *z);
void raizn_set_durable(const struct raizn_flush_target *t);
void raizn_flush_get(struct bio *bio);
void raizn_flush_queue(struct raizn_array *arr, struct bio *bio);
void raizn_flush_put(struct bio *bio, blk_status_t status);
void raizn_lost_put(struct raizn_array *arr, struct raizn_lost_unit *lu);
void raizn_lost_drop(struct raizn_open_zone *oz, u32 stripes);
void raizn_flush_members_for(struct raizn_array *arr, struct bio *user);
void raizn_copy_to_bio(struct bio *bio, struct bvec_iter *iter,
		       const void *data, u32 bytes);
void raizn_note_sound(struct raizn_zone *z);
void raizn_keep_column(struct raizn_zone *z, u32 column);
bool raizn_remap(struct raizn_array *arr, struct bio *bio, u32 zone,
		 const struct raizn_place *place);
bool raizn_remap_read(struct raizn_array *arr, struct bio *bio);

/* stable.c */
bool raizn_bio_may_change(struct bio *bio);
struct page *raizn_copy_alloc(struct raizn_open_zone *oz, u32 bytes, gfp_t gfp);
bool raizn_copies_alloc(struct raizn_batch *batch, struct page **pages, u32 nr,
			u32 bytes);
void raizn_copies_free(struct raizn_array *arr, struct raizn_batch *batch);

/* budget.c */
void raizn_budget_init(struct raizn_array *arr);
void raizn_budget_init_zone(struct raizn_open_zone *oz);
bool raizn_budget_has_room(struct raizn_zone *z);
bool raizn_budget_in_use(const struct raizn_zone *z);
bool raizn_budget_turns_away(const struct raizn_zone *z);
blk_status_t raizn_budget_wait(struct raizn_open_zone *oz, struct raizn_zone *z,
			       u32 offset, bool nowait);
void raizn_budget_issue(struct raizn_open_zone *oz);

/* lost_unit.c */
int raizn_lost_pool_init(struct raizn_array *arr);
bool raizn_lost_prepare(struct raizn_open_zone *oz, u32 columns, gfp_t gfp);
void raizn_lost_add(struct raizn_open_zone *oz, u32 column, u32 sector,
		    const void *data, u32 bytes);
void raizn_lost_add_bad(struct raizn_open_zone *oz, u32 column, u32 sector,
			u32 nr);
int raizn_lost_copy(struct raizn_open_zone *oz, u32 column, u32 stripe,
		    u32 row, u32 nr, void *buf);
void raizn_lost_go_back(struct raizn_open_zone *oz, u32 stripe);
int raizn_lost_read(struct raizn_zone *z, struct bio *bio, u32 column,
		    u32 stripe, u32 row);

/* pp_log.c */
void raizn_active_zones_kick(struct raizn_array *arr);
void raizn_pp_log_switch(struct work_struct *work);
int raizn_pp_log_join(struct raizn_member *m);
int raizn_pp_log_start(struct raizn_array *arr);

/* partial_parity.c */
bool raizn_pp_issue(struct raizn_open_zone *oz, struct raizn_batch *batch);
bool raizn_pp_relog(struct raizn_open_zone *oz, struct raizn_batch *batch);

/* relocate.c */
u64 raizn_relocate_room(const struct raizn_array *arr);
u64 raizn_relocate_room_now(const struct raizn_array *arr);
u64 raizn_relocate_cost(const struct raizn_geometry *geo, u32 rows);
void raizn_relocate_reserve(struct raizn_array *arr);
u32 raizn_relocate(const struct raizn_zone *z, u32 column, u32 row, struct page *page, u32 bytes,
		   u32 offset, bool *in_place);
void raizn_relocate_log(struct raizn_zone *z, struct raizn_batch *batch);
int raizn_relocate_again(struct raizn_member *m);

/* issue.c */
struct raizn_batch *raizn_batch_open(struct raizn_open_zone *oz, bool fua);
void raizn_batch_close(struct raizn_open_zone *oz);
void raizn_issue_write(struct raizn_open_zone *oz, struct bio *bio);
void raizn_issue_parity_tail(struct raizn_open_zone *oz);
u32 raizn_column_vecs(const struct raizn_array *arr, u32 sectors);
bool raizn_log_tail(struct raizn_open_zone *oz);

#endif /* RAIZN_IO_IO_H */
