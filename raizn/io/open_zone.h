/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Active zones, their batches, and per-bio data.
 */
#ifndef RAIZN_IO_OPEN_ZONE_H
#define RAIZN_IO_OPEN_ZONE_H

#include "log/log.h"

/* A batch is closed when it holds this much data (sectors). */
#define RAIZN_BATCH_SECTORS	2048U

/**
 * struct raizn_parity_buffer - parity of one stripe in one parity column
 * @next:	next buffer of the batch
 * @data:	one stripe unit
 */
struct raizn_parity_buffer {
	struct raizn_parity_buffer *next;
	void *data;
};

/**
 * struct raizn_batch - writes of one zone issued together
 * @node:	in oz->batches, in order of issue; zone->lock
 * @oz:		open zone; stays active until its last batch is retired
 * @refs:	one for each member bio and record under way, one for the issuer
 * @start:	offset of the first sector
 * @end:	offset behind the last sector
 * @fua:	all member bios and the partial-parity record are FUA
 * @idle:	REQ_IDLE if the first user bio has it, else 0
 * @has_pp:	a partial-parity record covers the tail up to @end
 * @relog:	issued for a log switch
 * @done:	all references are gone; zone->lock
 * @status:	first error
 * @bios:	user bios that end in this batch
 * @continued:	user bio that continues in the next batch, or NULL
 * @flush:	flush that waits until the batch is retired, or NULL
 * @parity:	parity buffers under way
 * @copies:	pages with copies of user data
 * @held:	bytes of parity buffers and copies
 * @plug:	holds the member bios back until the batch is closed
 */
struct raizn_batch {
	struct list_head node;
	struct raizn_open_zone *oz;
	atomic_t refs;
	u32 start;
	u32 end;
	bool fua;
	bool has_pp;
	bool relog;
	bool done;
	blk_opf_t idle;
	blk_status_t status;
	struct bio_list bios;
	struct bio *continued;
	struct bio *flush;
	struct raizn_parity_buffer *parity;
	struct list_head copies;
	u32 held;
	struct blk_plug plug;
};

/**
 * struct raizn_open_zone - state of an active zone
 *
 * Offsets, each at most the one before it:
 *   zone->wp   accepted
 *   issued	handed to the members
 *   completed	completed by them, without a gap
 *   protected	completed, and so is parity or partial parity that covers it
 *   durable	protected, and will survive power loss
 * raizn_column_extent() derives the extent of each column from these, so no
 * state is kept by column while all members work.
 *
 * @zone:	NULL while unused; arr->cond_lock
 * @lru:	free list or list of implicitly open zones; arr->cond_lock
 *
 * Owned by the zone's worker, or the submitter that set zone->busy:
 * @issued:	see above
 * @logged:	end of the data covered by partial-parity records that were issued
 * @parity:	running parity of the incomplete stripe (P buffers)
 * @batch:	the batch being built, or NULL
 * @copy:	page of the batch that has room for more copies, or NULL
 * @copy_used:	bytes of @copy in use
 * @cur:	member bios being built, by column
 * @column_vecs: bio_vecs of a new member bio
 * @ioprio:	I/O priority of the member bios: that of the user's write
 * @hint:	write hint of the member bios: that of the user's write
 *
 * Protected by zone->lock:
 * @batches:	issued batches that are not retired, oldest first
 * @completed:	see above
 * @protected:	see above
 * @durable:	see above
 * @sync_wanted: a flush waits for @protected
 * @sync_offset: offset up to which the flush wants the zone to be protected
 * @sync_end:	offset that has to be completed for the flush: the end of the record made
 *		for it, or of the stripe if it has become full; 0: not known yet
 * @relog:	a log switch wants a record of the whole tail, or waits for it
 * @relog_issued: the worker has issued that record
 * @last:	bios that filled or emptied the zone, or failed in it when it was broken; ended
 *		when the worker has seen to that
 * @sound:	@completed when a write to a column first failed, or a column was given up for
 *		unreadable sectors; U32_MAX: not since all columns were whole
 * @sound_durable: @durable at that moment
 * @rebuild_at:	a rebuild that needs its last stripe complete is tried again when so much is
 *		completed; 0: there is none
 * @retired:	columns in use (bit by column) that a start would not use, since their drives call
 *		their member zones read-only or offline; of a zone that takes no more writes
 * @lost:	struct raizn_lost_unit: data of missing columns in stripes whose parity is not
 *		completed; the worker fills the last one
 *
 * Writers of the zone, or of the zone that used this entry before:
 * @sleepers:	writers that wait for room, see budget.c
 * @turned_away: time at which a writer last began or ended to wait, or got EAGAIN (jiffies)
 * @turned_at:	offset of the write that was turned away (sectors)
 */
struct raizn_open_zone {
	struct raizn_zone *zone;
	struct list_head lru;

	u32 issued;
	u32 logged;
	struct raizn_parity_buffer *parity[RAIZN_MAX_PARITY];
	struct raizn_batch *batch;
	struct page *copy;
	u32 copy_used;
	struct bio *cur[RAIZN_MAX_MEMBERS];
	u16 column_vecs;
	u16 ioprio;
	u8 hint;

	struct list_head batches;
	u32 completed;
	u32 sound;
	u32 sound_durable;
	u32 rebuild_at;
	u32 retired;
	u32 protected;
	u32 durable;
	u32 sync_offset;
	u32 sync_end;
	bool sync_wanted;
	bool relog;
	bool relog_issued;
	struct bio_list last;
	struct list_head lost;

	atomic_t sleepers;
	unsigned long turned_away;
	u32 turned_at;
};

/**
 * struct raizn_flush_target - a zone that a flush waits for
 * @zone:	the zone
 * @offset:	offset up to which the zone must become protected
 * @life:	zone->life when the flush came
 * @work:	the zone's tail has to be logged first
 */
struct raizn_flush_target {
	struct raizn_zone *zone;
	u32 offset;
	u16 life;
	bool work;
};

/* Maximum number of zones of a flush that its submitter carries out. */
#define RAIZN_FLUSH_HERE	4U

/**
 * struct raizn_io - per-bio data
 * @refs:	write: batches that hold a part of the bio; flush: member flushes and batches
 *		that it waits for
 * @status:	first error
 * @arr:	the array
 * @remapped:	read: sent to a member
 * @refused:	read: the member failed it
 * @column:	read: column that it was sent to, or that it waits for
 * @slot:	read: slot of the member that it was sent to
 * @copy:	write: its data is to be copied
 * @again:	flush: left to the flush worker after all
 * @nr_synced:	flush: entries of @synced
 * @synced:	flush: zones that were not durable, and the offsets that become durable
 * @iter:	read: bio->bi_iter of the volume
 * @flags:	read: bio->bi_flags before the remap
 * @sent:	read: first sector on the member
 * @moves:	read: raizn_moves() at the remap
 * @life:	read: zone->life at the remap
 * @work:	read: work item that decodes it
 * @early:	write that waits for others: place by sector, by time and among the heads;
 *		start of the wait (jiffies); number of writes of the zone (first one only);
 *		zone->life when it came
 */
struct raizn_io {
	atomic_t refs;
	blk_status_t status;
	struct raizn_array *arr;
	bool remapped;
	bool refused;
	u8 column;
	u8 slot;
	bool copy;
	bool again;
	u8 nr_synced;
	union {
		struct raizn_flush_target synced[RAIZN_FLUSH_HERE];
		struct {
			struct bvec_iter iter;
			unsigned short flags;
			sector_t sent;
			u32 moves;
			u16 life;
			struct work_struct work;
		};
		struct {
			struct rb_node node;
			struct list_head queue;
			struct list_head head;
			unsigned long since;
			u32 nr;
			u16 life;
		} early;
	};
};

/* Running parity of the tail, from a row (sector in the stripe unit) on; NULL: no such parity. */
static inline void *raizn_parity_rows(const struct raizn_open_zone *oz, u32 parity, u32 row)
{
	if (parity >= oz->zone->arr->geo.nr_parity)
		return NULL;
	return oz->parity[parity]->data + (row << SECTOR_SHIFT);
}

/* Write pointer up to which data was issued to the members. */
static inline u32 raizn_issued_wp(const struct raizn_zone *z)
{
	return z->oz ? z->oz->issued : z->wp;
}

#endif /* RAIZN_IO_OPEN_ZONE_H */
