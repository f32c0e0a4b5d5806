/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Logical zones, as users see them.
 */
#ifndef RAIZN_ZONE_ZONE_H
#define RAIZN_ZONE_ZONE_H

#include "repair/repair.h"

/* Writes of a zone that may wait for earlier ones: twice the default of fs.aio-max-nr. */
#define RAIZN_EARLY_MAX		131072U

/**
 * struct raizn_early - writes that wait for earlier ones of their zone, see early.c
 * @arr:	the array
 * @lock:	protects the four below
 * @writes:	waiting writes, by sector
 * @zones:	zones with waiting writes (bit by zone); read without the lock
 * @queue:	waiting writes, by time
 * @heads:	waiting writes that do not begin where another one ends
 * @suspending:	true from the beginning of a suspend to the resume
 * @grace:	writes may overtake others
 * @grace_work:	ends @grace some time after a resume
 * @work:	fails writes that waited too long
 * @canary_out:	the canary is under way, see canary.c
 */
struct raizn_early {
	struct raizn_array *arr;
	spinlock_t lock;
	struct rb_root writes;
	unsigned long *zones;
	struct list_head queue;
	struct list_head heads;
	bool suspending;
	bool grace;
	struct delayed_work grace_work;
	struct delayed_work work;
	bool canary_out;
};

/**
 * struct raizn_reset_all - resets of all zones
 * @arr:	the array
 * @lock:	irq-safe; protects @bios
 * @bios:	the resets
 * @work:	carries them out
 * @map:	zones to be reset on the members (bit by zone); arr->freeze, for writing
 */
struct raizn_reset_all {
	struct raizn_array *arr;
	spinlock_t lock;
	struct bio_list bios;
	struct work_struct work;
	unsigned long *map;
};

/* Does a zone have writes that wait for earlier ones? */
static inline bool raizn_early_waits(const struct raizn_zone *z)
{
	return !RB_EMPTY_ROOT(&z->arr->early->writes) &&
	       test_bit(raizn_zone_number(z), z->arr->early->zones);
}

/* zone.c */
void raizn_zone_empty(struct raizn_zone *z);
void raizn_zone_lose(struct raizn_zone *z);
void raizn_zone_damage(struct raizn_zone *z);
void raizn_zone_end_writing(struct raizn_zone *z, u32 retired);
u32 raizn_retired_zones(struct raizn_array *arr, u32 *first);
void raizn_zone_release(struct raizn_zone *z, struct bio_list *last);
bool raizn_may_activate(const struct raizn_array *arr);
blk_status_t raizn_accept_write(struct raizn_zone *z, struct bio *bio);
blk_status_t raizn_accept_close(struct raizn_zone *z);
blk_status_t raizn_accept_open(struct raizn_zone *z);
bool raizn_accept_reset(struct raizn_zone *z);
blk_status_t raizn_accept_finish(struct raizn_zone *z, bool *work);
void raizn_zone_accept_early(struct raizn_zone *z, struct bio_list *failed);
int raizn_zone_load(struct raizn_zone *z, u32 wp, bool finished);
void raizn_zone_load_damaged(struct raizn_zone *z, u32 wp, u32 readable);
void raizn_zone_describe(struct raizn_zone *z, struct blk_zone *zone);

/* early.c */
void raizn_early_init(struct raizn_array *arr);
void raizn_early_suspend(struct raizn_array *arr);
void raizn_early_resumed(struct raizn_array *arr);
blk_status_t raizn_early_keep(struct raizn_zone *z, struct bio *bio,
			      blk_status_t status);
struct bio *raizn_early_take(struct raizn_zone *z);
void raizn_early_work(struct work_struct *work);
void raizn_early_exit(struct raizn_array *arr);

/* canary.c */
void raizn_canary_send(struct raizn_array *arr);
void raizn_canary_wait(struct raizn_array *arr);

/* zone_ops.c */
bool raizn_zone_find_columns(struct raizn_zone *z);
void raizn_zone_reset(struct raizn_zone *z, struct bio *bio);
bool raizn_zone_finish(struct raizn_zone *z, struct bio *bio);
blk_status_t raizn_reset_all_queue(struct raizn_array *arr, struct bio *bio);
void raizn_reset_all_work(struct work_struct *work);

/* zone_worker.c */
void raizn_zone_work(struct work_struct *work);
void raizn_zone_unclaim(struct raizn_zone *z);
bool raizn_zone_is_idle(const struct raizn_zone *z);
bool raizn_zone_sync(struct raizn_zone *z);
void raizn_zone_kick(struct raizn_zone *z, u32 waiting, bool nowait);

/* accept.c */
blk_status_t raizn_zone_accept(struct raizn_array *arr, struct bio *bio);
int raizn_zones_init(struct raizn_array *arr);
int raizn_open_zones_init(struct raizn_array *arr, u32 nr);
void raizn_zones_exit(struct raizn_array *arr);

/* flush.c */
int raizn_sync_all(struct raizn_array *arr);
void raizn_flush_work(struct work_struct *work);
void raizn_flush(struct raizn_array *arr, struct bio *bio);

/* read.c */
int raizn_read_done(struct bio *bio, blk_status_t *error);
int raizn_map_read(struct raizn_array *arr, struct bio *bio);

#endif /* RAIZN_ZONE_ZONE_H */
