// SPDX-License-Identifier: GPL-2.0
/*
 * Placement: see geometry.h.
 */
#include "geometry.h"

/* The block layer keeps a zone's size in 32 bits, and it is a power of two. */
#define MAX_ZONE_SIZE	0x80000000ULL

/* Sectors that loff_t, 63 bits of bytes, can address. */
#define MAX_SECTORS	0x40000000000000ULL

/* Zone map entries have room for their numbers, except the last one: see RAIZN_PLACE_ZONE. */
#define MAX_MEMBER_ZONES	0x3ffffffULL

static const char *check_members(u32 level, u32 nr_members, u32 *nr_parity)
{
	if (nr_members > RAIZN_MAX_MEMBERS)
		return "too many members";

	switch (level) {
	case 0:
		*nr_parity = 0;
		return nr_members < 2 ? "level 0 needs 2 members" : NULL;
	case 1:
		/* one data unit per stripe, the parities are copies of it */
		*nr_parity = nr_members - 1;
		if (nr_members < 2)
			return "level 1 needs 2 members";
		return *nr_parity > RAIZN_MAX_PARITY ?
			"level 1 takes at most 4 members" : NULL;
	case 5:
		*nr_parity = 1;
		return nr_members < 3 ? "level 5 needs 3 members" : NULL;
	case 6:
		*nr_parity = 2;
		return nr_members < 4 ? "level 6 needs 4 members" : NULL;
	default:
		return "unknown level";
	}
}

/* is_power_of_2() would cut 64 bits to the machine's long. */
static bool power_of_two(u64 n)
{
	return n && !(n & (n - 1));
}

static const char *check_zones(u32 su, u32 block_size, u64 zone_size,
			       u64 zone_capacity)
{
	if (block_size != 512 && block_size != 4096)
		return "block size is neither 512 nor 4096";
	if (!power_of_two(su))
		return "stripe unit is not a power of two";
	if (su < RAIZN_MIN_SU || su > RAIZN_MAX_SU)
		return "stripe unit is not between 4 KiB and 1 MiB";
	if (!power_of_two(zone_size))
		return "member zone size is not a power of two";
	if (zone_size > MAX_ZONE_SIZE)
		return "member zone size is above 1 TiB";
	if (zone_capacity > zone_size)
		return "member zone capacity is above the zone size";
	if (zone_capacity & ((block_size >> 9) - 1))
		return "member zone capacity is not a multiple of the block size";
	if (zone_capacity < su)
		return "member zone capacity is below the stripe unit";
	return NULL;
}

int raizn_geometry_init(struct raizn_geometry *geo, u32 level, u32 nr_members,
			u32 su, u32 block_size, u64 member_zone_size,
			u64 member_zone_capacity, u32 first_zone,
			u32 nr_reserved, u32 nr_zones, const char **why)
{
	u32 nr_parity = 0;
	u64 member_zones, cap;

	*why = check_members(level, nr_members, &nr_parity);
	if (*why)
		return -EINVAL;

	*why = check_zones(su, block_size, member_zone_size,
			   member_zone_capacity);
	if (*why)
		return -EINVAL;

	if (nr_reserved < RAIZN_NR_LOG_ZONES + RAIZN_MIN_SPARE_ZONES) {
		*why = "too few reserved zones";
		return -EINVAL;
	}
	if (!nr_zones) {
		*why = "no data zones";
		return -EINVAL;
	}
	member_zones = (u64)first_zone + nr_reserved + nr_zones;
	if (member_zones > MAX_MEMBER_ZONES) {
		*why = "more member zones than 26 bits can number";
		return -EINVAL;
	}
	/* both factors fit 32 bits */
	if (member_zones * member_zone_size >= MAX_SECTORS) {
		*why = "member is larger than can be addressed";
		return -EINVAL;
	}

	/* all zero first: two geometries can be compared with memcmp() */
	memset(geo, 0, sizeof(*geo));
	geo->nr_members = nr_members;
	geo->nr_parity = nr_parity;
	geo->nr_data = nr_members - nr_parity;
	geo->level = level;
	geo->su = su;
	while (su >> (geo->su_shift + 1))
		geo->su_shift++;
	geo->stripe = geo->nr_data * su;
	geo->block = block_size >> 9;
	geo->member_zone_size = member_zone_size;
	geo->member_zone_cap = (u32)member_zone_capacity & ~(su - 1);
	geo->member_zone_pad = (u32)member_zone_capacity & (su - 1);
	geo->nr_stripes = geo->member_zone_cap >> geo->su_shift;
	geo->nr_zones = nr_zones;
	geo->first_zone = first_zone;
	geo->nr_reserved = nr_reserved;

	cap = (u64)geo->nr_data * geo->member_zone_cap;
	if (cap > MAX_ZONE_SIZE) {
		*why = "logical zone size is above 1 TiB";
		return -EINVAL;
	}
	geo->zone_cap = (u32)cap;
	while ((1ULL << geo->zone_shift) < cap)
		geo->zone_shift++;
	geo->zone_size = 1ULL << geo->zone_shift;

	if (nr_zones * geo->zone_size >= MAX_SECTORS) {
		*why = "array is larger than can be addressed";
		return -EINVAL;
	}
	return 0;
}

u32 raizn_most_zones(const struct raizn_geometry *geo)
{
	u64 most = raizn_common_zones(geo) + (u64)geo->nr_zones;
	u64 room = MAX_MEMBER_ZONES - geo->first_zone;

	return (u32)(most < room ? most : room);
}

u32 raizn_member_zones(const struct raizn_geometry *geo, u32 drive_zones)
{
	u32 most = raizn_most_zones(geo);
	u32 nr = drive_zones > geo->first_zone ? drive_zones - geo->first_zone : 0;

	return nr < most ? nr : most;
}

void raizn_place(const struct raizn_geometry *geo, u32 zone, u32 offset,
		 struct raizn_place *place)
{
	u32 in_stripe;

	place->stripe = offset / geo->stripe;
	in_stripe = offset % geo->stripe;
	place->pos = in_stripe >> geo->su_shift;
	place->row = in_stripe & (geo->su - 1);
	place->column = raizn_data_column(geo,
					  raizn_parity_column(geo, zone,
							      place->stripe),
					  place->pos);
	place->sector = (place->stripe << geo->su_shift) + place->row;
}

u32 raizn_column_extent(const struct raizn_geometry *geo, u32 zone, u32 column,
			u32 wp)
{
	u32 stripe = wp / geo->stripe;
	u32 tail = wp % geo->stripe;
	u32 extent = stripe << geo->su_shift;
	u32 first = raizn_parity_column(geo, zone, stripe);
	/* columns counted from the stripe's first parity column */
	u32 nth = column >= first ? column - first :
				    column + geo->nr_members - first;
	u32 before;

	if (raizn_is_mirror(geo))
		return wp;
	if (nth < geo->nr_parity)
		return extent;

	before = (nth - geo->nr_parity) << geo->su_shift;
	if (tail <= before)
		return extent;
	tail -= before;
	return extent + (tail < geo->su ? tail : geo->su);
}

/*
 * Every complete stripe adds one unit to every column, and at least one column (a parity
 * column, or without parity the last data position) does not hold a whole unit of the
 * stripe behind them: the shortest column counts the complete stripes.  All sectors beyond
 * those stripes are data of the tail.  Their number gives the only candidate for the write
 * pointer; the candidate is right if it gives exactly these extents.
 */
int raizn_wp_from_columns(const struct raizn_geometry *geo, u32 zone,
			  const u32 *extents, u32 *wp)
{
	u32 shortest = extents[0];
	u32 stripes, c;
	u64 sum;

	for (c = 1; c < geo->nr_members; c++) {
		if (extents[c] < shortest)
			shortest = extents[c];
	}
	stripes = shortest >> geo->su_shift;

	sum = (u64)stripes * geo->stripe;
	for (c = 0; c < (raizn_is_mirror(geo) ? 1 : geo->nr_members); c++)
		sum += extents[c] - (stripes << geo->su_shift);
	if (sum > geo->zone_cap)
		return -EUCLEAN;

	for (c = 0; c < geo->nr_members; c++) {
		if (extents[c] != raizn_column_extent(geo, zone, c, (u32)sum))
			return -EUCLEAN;
	}
	*wp = (u32)sum;
	return 0;
}
