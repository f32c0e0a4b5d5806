/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the volume's zones may and must hold.
 */
#ifndef POWERCUT_MODEL_H
#define POWERCUT_MODEL_H

#include "powercut.h"

#define HISTORY		24
#define MAX_SEGMENTS	256

/* An operation of which nobody knows whether it happened. */
enum pending {
	PENDING_NONE,
	PENDING_RESET,
	PENDING_RESET_ALL,
	PENDING_FINISH,
};

/**
 * struct segment - a part of a zone that was written between two crashes
 * @from:	where it begins; it ends where the next one begins
 * @version:	what its data are made from
 */
struct segment {
	u32 from;
	u32 version;
};

/**
 * struct zone - what is known of a zone
 * @issued:	writes were sent up to here
 * @acked:	and completed up to here
 * @durable:	and this much survives a power cut
 * @finished:	by a finish that was acknowledged; @issued, @acked and @durable
 *		are the write pointer then
 * @explicit:	opened explicitly
 * @active:	counts against the limit of active zones
 * @pending:	a reset or finish that was not acknowledged
 * @version:	data written from now on; another one after each reset and each
 *		crash, so that no lost data can be taken for those in their
 *		place
 * @nr_segments: in @segment
 * @segment:	what was written, in ascending order
 * @touched:	since the last verification
 * @nr_history:	operations so far
 * @history:	the last ones, for the report of a failure
 *
 * Protected by model_lock, but for @history, which belongs to the thread that
 * owns the zone.
 */
struct zone {
	u64 issued;
	u64 acked;
	u64 durable;
	bool finished;
	bool explicit;
	bool active;
	enum pending pending;
	u32 version;
	u32 nr_segments;
	struct segment segment[MAX_SEGMENTS];
	bool touched;
	unsigned int nr_history;
	char history[HISTORY][80];
};

extern struct zone zones[MAX_ZONES];
extern pthread_mutex_t model_lock;
extern u32 nr_active, nr_explicit;

static inline u64 zone_start(u32 number)
{
	return number * shape.zone_size;
}

static inline bool zone_is_full(const struct zone *z)
{
	return z->finished || z->issued == shape.cap;
}

void model_record(u32 number, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void model_emptied(struct zone *z);
void model_set_active(struct zone *z, bool active);
void model_set_explicit(struct zone *z, bool explicit);
void model_write_begins(struct zone *z, u64 end);
void make_data(u8 *buf, u32 number, u64 sector, u64 nr);
void check_data(const u8 *buf, u32 number, u64 sector, u64 nr, u64 wp,
		const char *how);

#endif /* POWERCUT_MODEL_H */
