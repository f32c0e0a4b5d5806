// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that an array takes, for the message "memory".
 *
 * Sizes are those that the module asked for; allocators round them up.  Memory of single
 * requests is not counted, nor memory that is needed only while an array starts.
 */
#include "array/array.h"
#include "member/relocation.h"

/* Memory of all zones, active or not. */
static u64 zones_bytes(struct raizn_array *arr)
{
	const struct raizn_geometry *geo = &arr->geo;
	u64 bytes;
	u32 i;

	bytes = (u64)geo->nr_zones *
		(sizeof(*arr->zones) + sizeof(*arr->zone_state));
	bytes += 4 * BITS_TO_LONGS(geo->nr_zones) * sizeof(long);
	if (READ_ONCE(arr->map.entries))
		bytes += (u64)geo->nr_zones * geo->nr_members * sizeof(u32);
	for (i = 0; i < geo->nr_members; i++)
		if (arr->members[i].use)
			bytes += arr->members[i].nr_physical;
	return bytes;
}

/*
 * Memory of a zone that is active now: running parity, data of missing columns, and batches
 * under way with their buffers.
 */
static u64 open_zone_bytes(struct raizn_open_zone *oz)
{
	struct raizn_zone *z = READ_ONCE(oz->zone);
	struct raizn_lost_unit *lu;
	struct raizn_batch *batch;
	u64 bytes = 0;
	u64 su;
	u32 i;

	if (!z)
		return 0;
	su = (u64)z->arr->geo.su << SECTOR_SHIFT;
	spin_lock_irq(&z->lock);
	/* The entry may belong to another zone by now, which is counted or not. */
	if (z->oz == oz) {
		for (i = 0; i < z->arr->geo.nr_parity; i++)
			if (READ_ONCE(oz->parity[i]))
				bytes += sizeof(struct raizn_parity_buffer) + su;
		list_for_each_entry(lu, &oz->lost, node)
			bytes += sizeof(*lu) + su;
		list_for_each_entry(batch, &oz->batches, node)
			bytes += sizeof(*batch) + READ_ONCE(batch->held);
	}
	spin_unlock_irq(&z->lock);
	return bytes;
}

static u64 pool_bytes(const mempool_t *pool, u64 element)
{
	return pool->min_nr * element;
}

/* Memory that is always kept: reserves, tables for active zones, and the array itself. */
static u64 pools_bytes(struct raizn_array *arr)
{
	u64 record = sizeof(struct raizn_log_record) + RAIZN_RECORD_MAX;
	u64 su = (u64)arr->geo.su << SECTOR_SHIFT;
	u64 bytes = sizeof(struct raizn_array_parts) + sizeof(*arr->bad);

	bytes += num_possible_cpus() * sizeof(struct raizn_counters);
	bytes += arr->geo.nr_members *
		 (sizeof(*arr->members) + 2 * sizeof(*arr->logs));
	bytes += (u64)arr->nr_open_zones * (sizeof(*arr->open_zones) +
					 sizeof(*arr->flush->targets) +
					 sizeof(*arr->relog->targets));
	bytes += pool_bytes(&arr->batch_pool, sizeof(struct raizn_batch));
	bytes += pool_bytes(&arr->parity_pool,
			    sizeof(struct raizn_parity_buffer) + su);
	bytes += pool_bytes(&arr->copy_pool, PAGE_SIZE);
	bytes += pool_bytes(&arr->lost_pool,
			    sizeof(struct raizn_lost_unit) + su);
	bytes += pool_bytes(&arr->decode_pool,
			    sizeof(struct raizn_decode) + arr->geo.nr_members *
			    (RAIZN_DECODE_ROWS << SECTOR_SHIFT));
	bytes += pool_bytes(&arr->pp_pool, record);
	bytes += pool_bytes(&arr->general_pool, record);
	bytes += pool_bytes(&arr->bios.bio_pool,
			    sizeof(struct raizn_member_bio));
	bytes += pool_bytes(&arr->bios.bvec_pool,
			    BIO_MAX_VECS * sizeof(struct bio_vec));
	return bytes;
}

/**
 * raizn_memory() - memory that an array takes
 * @arr:	array
 * @memory:	filled
 *
 * Context: process.
 */
void raizn_memory(struct raizn_array *arr, struct raizn_memory *memory)
{
	u32 i;

	memory->zones = zones_bytes(arr);
	memory->active = 0;
	for (i = 0; i < arr->nr_open_zones; i++)
		memory->active += open_zone_bytes(&arr->open_zones[i]);
	memory->active += raizn_relocation_sectors(arr) << SECTOR_SHIFT;
	memory->pools = pools_bytes(arr);
}
