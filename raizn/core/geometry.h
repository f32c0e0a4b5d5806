/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Placement: from an offset in a logical zone to stripe, column and sector, and back.
 * Pure; shared by the module, the tools and the tests.
 *
 * A logical zone has W = D + P columns.  Every column holds one stripe unit of
 * every stripe, at the sector stripe * su of its member zone.  In stripe s of
 * zone z the first parity column is (W - 1 - (s + z) % W), a second one follows
 * it (modulo W), and data positions 0..D-1 follow the parity (left-symmetric):
 * sequential reads use all members, and each column is written front to back.
 *
 * All quantities are sectors (512 bytes) unless a name says otherwise.
 */
#ifndef RAIZN_GEOMETRY_H
#define RAIZN_GEOMETRY_H

#include "portable.h"
#include "format.h"

/**
 * struct raizn_geometry - everything that placement depends on
 * @nr_members:	    W, columns per logical zone
 * @nr_data:	    D, data units per stripe
 * @nr_parity:	    P, parity units per stripe
 * @level:	    RAID level as named by the user
 * @su:		    stripe unit, a power of two
 * @su_shift:	    log2(@su)
 * @stripe:	    data of one stripe, D * su
 * @block:	    logical block
 * @member_zone_size: sectors from one member zone to the next
 * @member_zone_cap:  usable sectors of a member zone, a multiple of @su
 * @member_zone_pad:  writable sectors of a member zone behind @member_zone_cap
 * @nr_stripes:	    stripes per logical zone
 * @zone_cap:	    logical zone capacity, D * member_zone_cap
 * @zone_size:	    logical zone size, the next power of two
 * @zone_shift:	    log2(@zone_size)
 * @nr_zones:	    logical zones
 * @first_zone:	    first sequential zone of a member
 * @nr_reserved:    reserved zones of a member, from @first_zone on
 */
struct raizn_geometry {
	u32 nr_members;
	u32 nr_data;
	u32 nr_parity;
	u32 level;
	u32 su;
	u32 su_shift;
	u32 stripe;
	u32 block;
	u64 member_zone_size;
	u32 member_zone_cap;
	u32 member_zone_pad;
	u32 nr_stripes;
	u32 zone_cap;
	u64 zone_size;
	u32 zone_shift;
	u32 nr_zones;
	u32 first_zone;
	u32 nr_reserved;
};

/**
 * struct raizn_place - place of one offset of a logical zone
 * @stripe:	stripe number
 * @pos:	data position, 0..D-1
 * @row:	sector within the stripe unit
 * @column:	column that holds the data
 * @sector:	sector within that column's member zone (stripe * su + row)
 */
struct raizn_place {
	u32 stripe;
	u32 pos;
	u32 row;
	u32 column;
	u32 sector;
};

/**
 * raizn_geometry_init() - derive the geometry from a superblock's numbers
 * @geo:	to fill
 * @level:	0, 1, 5 or 6
 * @nr_members:	W
 * @su:		stripe unit (sectors)
 * @block_size:	logical block size (bytes), 512 or 4096
 * @member_zone_size: sectors, a power of two
 * @member_zone_capacity: writable sectors of a member zone, <= size
 * @first_zone:	first sequential member zone
 * @nr_reserved: reserved member zones, at least RAIZN_NR_LOG_ZONES +
 *		RAIZN_MIN_SPARE_ZONES
 * @nr_zones:	logical zones, at least 1
 * @why:	set on error to a static text (no newline) that names the fault
 *
 * The inputs may be hostile (they come from a drive): every value is checked, no arithmetic
 * overflows.  Sizes of member zones and of logical zones are at most 2^31 sectors (1 TiB,
 * the limit of the block layer); the array and the used part of a member must be
 * addressable by bytes in 63 bits (loff_t), and the zone numbers of a member must fit 26
 * bits, as zone map entries have them in memory.
 *
 * Members: level 0 two or more, level 1 two or three (copies), level 5 three or
 * more, level 6 four or more; never more than RAIZN_MAX_MEMBERS.
 *
 * Return: 0 or -EINVAL.
 */
int raizn_geometry_init(struct raizn_geometry *geo, u32 level, u32 nr_members,
			u32 su, u32 block_size, u64 member_zone_size,
			u64 member_zone_capacity, u32 first_zone,
			u32 nr_reserved, u32 nr_zones, const char **why);

/* First parity column of stripe @stripe in logical zone @zone. */
static inline u32 raizn_parity_column(const struct raizn_geometry *geo,
				      u32 zone, u32 stripe)
{
	/* each term modulo W first: the sum must not overflow 32 bits */
	return geo->nr_members - 1 -
	       (zone % geo->nr_members + stripe % geo->nr_members) %
	       geo->nr_members;
}

/* Does every column hold the same data?  Each is written as data comes, so no tail has parity. */
static inline bool raizn_is_mirror(const struct raizn_geometry *geo)
{
	return geo->nr_data == 1;
}

/* Parities that a tail has in memory, and in logs, until its stripe is complete. */
static inline u32 raizn_running_parities(const struct raizn_geometry *geo)
{
	return raizn_is_mirror(geo) ? 0 : geo->nr_parity;
}

/* Column of data position @pos, given the stripe's first parity column. */
static inline u32 raizn_data_column(const struct raizn_geometry *geo,
				    u32 parity_column, u32 pos)
{
	u32 c = parity_column + geo->nr_parity + pos;

	return c >= geo->nr_members ? c - geo->nr_members : c;
}

/* Column of parity @i (0 = P, 1 = Q), given the first parity column. */
static inline u32 raizn_parity_column_nth(const struct raizn_geometry *geo,
					  u32 parity_column, u32 i)
{
	u32 c = parity_column + i;

	return c >= geo->nr_members ? c - geo->nr_members : c;
}

/**
 * raizn_place() - locate one data sector
 * @geo:	geometry
 * @zone:	logical zone number
 * @offset:	sector in the logical zone, below zone_cap
 * @place:	result
 */
void raizn_place(const struct raizn_geometry *geo, u32 zone, u32 offset,
		 struct raizn_place *place);

/**
 * raizn_column_extent() - sectors that a column holds below a write pointer
 * @geo:	geometry
 * @zone:	logical zone number
 * @column:	column
 * @wp:		logical write pointer (sectors in the zone), <= zone_cap
 *
 * Return: sectors @column's member zone holds when everything below @wp is
 * written, with the final parity of every complete stripe and no parity for the
 * incomplete one.
 */
u32 raizn_column_extent(const struct raizn_geometry *geo, u32 zone, u32 column,
			u32 wp);

/**
 * raizn_wp_from_columns() - logical write pointer of a cleanly stopped zone
 * @geo:	geometry
 * @zone:	logical zone number
 * @extents:	sectors written in each of the W columns' member zones
 * @wp:		result (sectors in the logical zone)
 *
 * Return: 0, or -EUCLEAN when no write pointer gives exactly these extents, so
 * the zone needs recovery.
 */
int raizn_wp_from_columns(const struct raizn_geometry *geo, u32 zone,
			  const u32 *extents, u32 *wp);

/* First sector of data zone @zone on a member (absolute). */
static inline u64 raizn_data_zone_start(const struct raizn_geometry *geo,
					u32 zone)
{
	return ((u64)geo->first_zone + geo->nr_reserved + zone) *
	       geo->member_zone_size;
}

/*
 * Zones that every member has, from the first reserved zone on.  Those behind them are surplus
 * zones, of which each drive has its own number.
 */
static inline u32 raizn_common_zones(const struct raizn_geometry *geo)
{
	return geo->nr_reserved + geo->nr_zones;
}

/**
 * raizn_most_zones() - end of the member zones that a column can be in
 * @geo:	geometry
 *
 * A member has as many surplus zones as data zones at most, so that memory does not depend on
 * the size that a drive claims.
 *
 * Return: zones, counted from the first reserved one; their numbers on a drive fit 26 bits.
 */
u32 raizn_most_zones(const struct raizn_geometry *geo);

/**
 * raizn_member_zones() - zones of a member that logs and columns can be in
 * @geo:	geometry
 * @drive_zones: zones of the drive, without a last one of another capacity
 *
 * Return: zones, counted from the first reserved one.
 */
u32 raizn_member_zones(const struct raizn_geometry *geo, u32 drive_zones);

/* First sector of reserved zone @i on a member (absolute). */
static inline u64 raizn_reserved_zone_start(const struct raizn_geometry *geo,
					    u32 i)
{
	return ((u64)geo->first_zone + i) * geo->member_zone_size;
}

#endif /* RAIZN_GEOMETRY_H */
