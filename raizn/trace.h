/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: the life of a write, a flush, a reset, a log switch.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM raizn

#if !defined(RAIZN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RAIZN_TRACE_H

#include <linux/tracepoint.h>

#include "member/relocation.h"
#include "zone/zone.h"

TRACE_EVENT(raizn_rebuild,
	TP_PROTO(u32 zone, u32 column, u32 physical, u32 sectors, int err),
	TP_ARGS(zone, column, physical, sectors, err),
	TP_STRUCT__entry(
		__field(u32, zone)
		__field(u32, column)
		__field(u32, physical)
		__field(u32, sectors)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->zone = zone;
		__entry->column = column;
		__entry->physical = physical;
		__entry->sectors = sectors;
		__entry->err = err;
	),
	TP_printk("zone %u column %u to member zone %u: %u sectors, %d",
		  __entry->zone, __entry->column, __entry->physical,
		  __entry->sectors, __entry->err)
);

TRACE_EVENT(raizn_accept,
	TP_PROTO(struct raizn_zone *z, struct bio *bio, blk_status_t status),
	TP_ARGS(z, bio, status),
	TP_STRUCT__entry(
		__field(u32, zone)
		__field(u32, op)
		__field(u64, sector)
		__field(u32, sectors)
		__field(u8, status)
	),
	TP_fast_assign(
		__entry->zone = raizn_zone_number(z);
		__entry->op = (__force u32)bio_op(bio);
		__entry->sector = bio->bi_iter.bi_sector;
		__entry->sectors = bio_sectors(bio);
		__entry->status = (__force u8)status;
	),
	TP_printk("zone %u op %u sector %llu + %u status %u", __entry->zone,
		  __entry->op, __entry->sector, __entry->sectors,
		  __entry->status)
);

DECLARE_EVENT_CLASS(raizn_batch,
	TP_PROTO(struct raizn_zone *z, struct raizn_batch *batch),
	TP_ARGS(z, batch),
	TP_STRUCT__entry(
		__field(u32, zone)
		__field(u32, start)
		__field(u32, end)
		__field(bool, fua)
		__field(bool, has_pp)
		__field(u8, status)
	),
	TP_fast_assign(
		__entry->zone = raizn_zone_number(z);
		__entry->start = batch->start;
		__entry->end = batch->end;
		__entry->fua = batch->fua;
		__entry->has_pp = batch->has_pp;
		__entry->status = (__force u8)batch->status;
	),
	TP_printk("zone %u offsets %u..%u fua %d partial parity %d status %u",
		  __entry->zone, __entry->start, __entry->end, __entry->fua,
		  __entry->has_pp, __entry->status)
);

DEFINE_EVENT(raizn_batch, raizn_batch_issue,
	TP_PROTO(struct raizn_zone *z, struct raizn_batch *batch),
	TP_ARGS(z, batch)
);

DEFINE_EVENT(raizn_batch, raizn_batch_done,
	TP_PROTO(struct raizn_zone *z, struct raizn_batch *batch),
	TP_ARGS(z, batch)
);

TRACE_EVENT(raizn_flush_begin,
	TP_PROTO(u32 flushes, u32 fua, u32 zones),
	TP_ARGS(flushes, fua, zones),
	TP_STRUCT__entry(
		__field(u32, flushes)
		__field(u32, fua)
		__field(u32, zones)
	),
	TP_fast_assign(
		__entry->flushes = flushes;
		__entry->fua = fua;
		__entry->zones = zones;
	),
	TP_printk("%u flushes, %u fua writes, waiting for %u zones",
		  __entry->flushes, __entry->fua, __entry->zones)
);

TRACE_EVENT(raizn_flush_end,
	TP_PROTO(int err),
	TP_ARGS(err),
	TP_STRUCT__entry(
		__field(int, err)
	),
	TP_fast_assign(
		__entry->err = err;
	),
	TP_printk("error %d", __entry->err)
);

TRACE_EVENT(raizn_reset,
	TP_PROTO(u32 zone, int err),
	TP_ARGS(zone, err),
	TP_STRUCT__entry(
		__field(u32, zone)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->zone = zone;
		__entry->err = err;
	),
	TP_printk("zone %d error %d", (int)__entry->zone, __entry->err)
);

TRACE_EVENT(raizn_finish,
	TP_PROTO(u32 zone, u32 wp, int err),
	TP_ARGS(zone, wp, err),
	TP_STRUCT__entry(
		__field(u32, zone)
		__field(u32, wp)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->zone = zone;
		__entry->wp = wp;
		__entry->err = err;
	),
	TP_printk("zone %u write pointer %u error %d", __entry->zone,
		  __entry->wp, __entry->err)
);

TRACE_EVENT(raizn_log_switch,
	TP_PROTO(u16 slot, u8 role, u64 epoch, u32 zone),
	TP_ARGS(slot, role, epoch, zone),
	TP_STRUCT__entry(
		__field(u16, slot)
		__field(u8, role)
		__field(u64, epoch)
		__field(u32, zone)
	),
	TP_fast_assign(
		__entry->slot = slot;
		__entry->role = role;
		__entry->epoch = epoch;
		__entry->zone = zone;
	),
	TP_printk("member %u %s log epoch %llu in reserved zone %u",
		  __entry->slot,
		  __entry->role == RAIZN_LOG_GENERAL ? "general" :
						       "partial-parity",
		  __entry->epoch, __entry->zone)
);

TRACE_DEFINE_ENUM(RAIZN_RELOCATED_LEFT);
TRACE_DEFINE_ENUM(RAIZN_RELOCATED_WRITTEN);
TRACE_DEFINE_ENUM(RAIZN_RELOCATED_CARRIED_ON);
TRACE_DEFINE_ENUM(RAIZN_RELOCATED_READ);
TRACE_DEFINE_ENUM(RAIZN_RELOCATED_DECODED);
TRACE_DEFINE_ENUM(RAIZN_RELOCATED_REWRITTEN);

TRACE_EVENT(raizn_relocate,
	TP_PROTO(u32 zone, u32 column, u32 row, u32 nr, enum raizn_relocated action),
	TP_ARGS(zone, column, row, nr, action),
	TP_STRUCT__entry(
		__field(u32, zone)
		__field(u32, column)
		__field(u32, row)
		__field(u32, nr)
		__field(u32, action)
	),
	TP_fast_assign(
		__entry->zone = zone;
		__entry->column = column;
		__entry->row = row;
		__entry->nr = nr;
		__entry->action = action;
	),
	TP_printk("zone %u column %u row %u: %u sectors %s", __entry->zone,
		  __entry->column, __entry->row, __entry->nr,
		  __print_symbolic(__entry->action,
				   { RAIZN_RELOCATED_LEFT, "left" },
				   { RAIZN_RELOCATED_WRITTEN, "written" },
				   { RAIZN_RELOCATED_CARRIED_ON, "carried on" },
				   { RAIZN_RELOCATED_READ, "read" },
				   { RAIZN_RELOCATED_DECODED, "decoded" },
				   { RAIZN_RELOCATED_REWRITTEN, "rewritten" }))
);

#endif /* RAIZN_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
