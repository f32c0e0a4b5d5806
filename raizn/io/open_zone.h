/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Active zones, their batches, and what a bio of a user needs.
 */
#ifndef RAIZN_IO_OPEN_ZONE_H
#define RAIZN_IO_OPEN_ZONE_H

#include "log/log.h"

/* A batch is closed when it holds this much data (sectors). */
#define RAIZN_BATCH_SECTORS	2048U

/**
 * struct raizn_parity_buffer - parity of one stripe in one parity column
 * @next:	in a batch
 * @data:	one stripe unit
 */
struct raizn_parity_buffer {
	struct raizn_parity_buffer *next;
	void *data;
};

/**
 * struct raizn_batch - writes of one zone issued together
 * @node:	in oz->batches, in order of issue; zone->lock
 * @oz:		the zone, active until its last batch is retired
 * @refs:	one for each member bio and record under way, one for the worker
 * @start:	offset of its first sector
 * @end:	offset behind its last one
 * @fua:	every bio of it, and its partial-parity record, is FUA
 * @idle:	REQ_IDLE, if its first bio has that, or 0
 * @has_pp:	has a partial-parity record that covers the tail up to @end
 * @relog:	was issued for a log switch
 * @done:	all refs gone; zone->lock
 * @status:	first error
 * @bios:	user bios whose last sector is in this batch
 * @continued:	user bio that goes on in the next batch, or NULL
 * @flush:	flush that waits for it to be retired, or NULL
 * @parity:	parity buffers under way
 * @copies:	pages with copies of its data
 * @held:	bytes of parity buffers and copies
 * @plug:	holds its member bios back until it is closed
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
 * struct raizn_open_zone - what an active zone needs in memory
 *
 * Offsets, each at most the one before it:
 *   zone->wp   accepted
 *   issued	handed to the members
 *   completed	completed by them, without a gap
 *   protected	completed, and so is parity or partial parity that covers it
 *   durable	protected, and will survive power loss
 * How far each column is follows from these by raizn_column_extent(), so there
 * is no state by column while all members work.
 *
 * @zone:	NULL while unused; arr->cond_lock
 * @lru:	free list or list of implicitly open zones; arr->cond_lock
 *
 * Owned by the zone's worker, or who made zone->busy true:
 * @issued:	see above
 * @logged:	a partial-parity record was issued up to here
 * @parity:	running parity of the incomplete stripe (P buffers)
 * @batch:	the batch being built, or NULL
 * @copy:	of its copies the one with room for more, or NULL
 * @copy_used:	bytes of that which are taken
 * @cur:	its member bios being built, by column
 * @column_vecs: bio_vecs for a new one
 * @ioprio:	their I/O priority: that of the user's write
 * @hint:	their write hint: the same
 *
 * Protected by zone->lock:
 * @batches:	issued batches that are not retired, oldest first
 * @completed:	see above
 * @protected:	see above
 * @durable:	see above
 * @sync_wanted: a flush waits for @protected
 * @sync_offset: what it wants to be protected
 * @sync_end:	what has to be completed so that it is: with the record that was made for
 *		it, or without one, as its stripe is full; 0: not known yet
 * @relog:	a log switch wants a record of the whole tail, or waits for it
 * @relog_issued: the worker has issued that record
 * @last:	bios that filled or emptied the zone; ended when it is released
 * @lost:	data of missing columns in stripes whose parity is not completed,
 *		struct raizn_lost_unit; the last one is filled by the worker
 *
 * Of writers of the zone, or of the one that had this entry before:
 * @sleepers:	so many wait for room, see budget.c
 * @turned_away: when one last began or ended that, or was told to come again (jiffies)
 * @turned_at:	what it wants to write begins there (offset in the zone, sectors)
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
 * struct raizn_flush_target - a zone a flush waits for
 * @zone:	the zone
 * @life:	zone->life at that time
 * @offset:	what must become protected
 * @work:	the zone has to do something for that
 */
struct raizn_flush_target {
	struct raizn_zone *zone;
	u32 offset;
	u16 life;
	bool work;
};

/* Zones that a flush has to do with when its submitter carries it out. */
#define RAIZN_FLUSH_HERE	4U

/**
 * struct raizn_io - per-bio data
 * @refs:	batches that hold a part of the bio; flush: what it waits for
 * @status:	first error
 * @arr:	the array
 * @copy:	write whose data is to be copied
 * @again:	flush that is left to the flush worker after all
 * @nr_synced:	the same: zones that were not durable
 * @synced:	the same: which, and up to where they are now
 * @remapped:	read that was sent to a member
 * @refused:	read that a member failed
 * @iter:	the same: what was asked of the volume
 * @flags:	the same: bio->bi_flags before that
 * @sent:	the same: where on the member it went
 * @life:	the same: zone->life then
 * @early:	write that waits for others: where it is sorted in, by sector and time; is it
 *		one of arr->early_heads; when it began to wait (jiffies); in the first one of
 *		a zone, how many the zone has; in which life of its zone it came
 * @work:	read that must be decoded
 */
struct raizn_io {
	atomic_t refs;
	blk_status_t status;
	struct raizn_array *arr;
	bool remapped;
	bool refused;
	bool copy;
	bool again;
	u8 nr_synced;
	union {
		struct raizn_flush_target synced[RAIZN_FLUSH_HERE];
		struct {
			struct bvec_iter iter;
			unsigned short flags;
			sector_t sent;
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

/* Write pointer as far as the members know it. */
static inline u32 raizn_issued_wp(const struct raizn_zone *z)
{
	return z->oz ? z->oz->issued : z->wp;
}

#endif /* RAIZN_IO_OPEN_ZONE_H */
