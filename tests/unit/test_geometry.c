// SPDX-License-Identifier: GPL-2.0
/*
 * Geometry: every mapping against a second, naive way to compute it, over all
 * levels and member counts.
 */
#include "unit.h"
#include <cmocka.h>

#define SHAPE "level %u W %u su %u stripes %u zone %u"
#define SHAPE_OF(g, z) (g)->level, (g)->nr_members, (g)->su, (g)->nr_stripes, z

static const u32 levels[] = { 0, 1, 5, 6 };

static void make(struct raizn_geometry *geo, u32 level, u32 members, u32 su,
		 u32 stripes, u32 pad)
{
	const char *why = "";
	u64 size = 1;

	while (size < (u64)su * stripes + pad)
		size <<= 1;
	check(!raizn_geometry_init(geo, level, members, su, 512, size,
				   (u64)su * stripes + pad, 0, 7, 1, &why),
	      "%s (level %u W %u su %u)", why, level, members, su);
}

/* Call fn for every level and W, with small and odd numbers of stripes. */
static void every_shape(void (*fn)(const struct raizn_geometry *geo, u32 zone))
{
	const u32 su = 8;
	u32 l, w, s, z;

	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (w = 2; w <= 32; w++) {
			const u32 stripes[] = { 1, w, 2 * w + 3 };
			const u32 zones[] = { 0, 1, w - 1, 0xfffffffe };

			if (parities(levels[l], w) < 0)
				continue;
			for (s = 0; s < ARRAY_SIZE(stripes); s++) {
				struct raizn_geometry geo;

				make(&geo, levels[l], w, su, stripes[s],
				     s % 2 ? su - 1 : 0);
				for (z = 0; z < ARRAY_SIZE(zones); z++)
					fn(&geo, zones[z]);
			}
		}
	}
}

/* col() of the recovery model, for any P, with the zone's rotation. */
static u32 naive_column(const struct raizn_geometry *geo, u32 zone, u32 stripe,
			u32 nth)
{
	u64 turn = ((u64)zone + stripe) % geo->nr_members;

	return (u32)((geo->nr_members - 1 - turn + nth) % geo->nr_members);
}

/*
 * Write a zone sector by sector; every column must be hit front to back, and at
 * the end every sector of every column exactly once, by data or by parity.
 */
static void check_mapping(const struct raizn_geometry *geo, u32 zone)
{
	u32 next[RAIZN_MAX_MEMBERS] = { 0 };
	struct raizn_place at;
	u32 offset, stripe, i, pc;

	for (offset = 0; offset < geo->zone_cap; offset++) {
		stripe = offset / (geo->nr_data * geo->su);
		raizn_place(geo, zone, offset, &at);

		check(at.stripe == stripe, SHAPE " offset %u",
		      SHAPE_OF(geo, zone), offset);
		check(at.pos == offset / geo->su % geo->nr_data,
		      SHAPE " offset %u", SHAPE_OF(geo, zone), offset);
		check(at.row == offset % geo->su, SHAPE " offset %u",
		      SHAPE_OF(geo, zone), offset);
		check(at.column == naive_column(geo, zone, stripe,
						geo->nr_parity + at.pos),
		      SHAPE " offset %u", SHAPE_OF(geo, zone), offset);
		check(at.sector == next[at.column], SHAPE " offset %u",
		      SHAPE_OF(geo, zone), offset);
		next[at.column]++;

		if ((offset + 1) % geo->stripe)
			continue;
		pc = raizn_parity_column(geo, zone, stripe);
		for (i = 0; i < geo->nr_parity; i++) {
			u32 c = raizn_parity_column_nth(geo, pc, i);

			check(c == naive_column(geo, zone, stripe, i),
			      SHAPE " stripe %u", SHAPE_OF(geo, zone), stripe);
			check(next[c] == stripe * geo->su, SHAPE " stripe %u",
			      SHAPE_OF(geo, zone), stripe);
			next[c] += geo->su;
		}
		for (i = 0; i < geo->nr_members; i++)
			check(next[i] == (stripe + 1) * geo->su,
			      SHAPE " stripe %u column %u", SHAPE_OF(geo, zone),
			      stripe, i);
	}
	for (i = 0; i < geo->nr_members; i++)
		check(next[i] == geo->member_zone_cap, SHAPE " column %u",
		      SHAPE_OF(geo, zone), i);
}

static void mapping_is_bijection(void **state)
{
	(void)state;
	every_shape(check_mapping);
}

/* Every column takes each role equally often, and zones start apart. */
static void parity_rotates(void **state)
{
	struct raizn_geometry geo;
	u32 l, w, z, s;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (w = 2; w <= 32; w++) {
			u32 hits[RAIZN_MAX_MEMBERS] = { 0 };

			if (parities(levels[l], w) < 0)
				continue;
			make(&geo, levels[l], w, 8, 2 * w, 0);
			assert_int_equal(raizn_parity_column(&geo, 0, 0), w - 1);
			for (z = 0; z < w; z++) {
				for (s = 0; s < w; s++) {
					u32 c = raizn_parity_column(&geo, z, s);

					hits[c]++;
					check(c == raizn_parity_column(&geo, 0,
								       s + z),
					      "W %u", w);
				}
			}
			for (s = 0; s < w; s++)
				check(hits[s] == w, "W %u column %u", w, s);
		}
	}
}

/* Large units and zones: too many sectors to try all, so some of each kind. */
static void large_units(void **state)
{
	struct rng rng = { unit_seed() };
	struct raizn_place a, b;
	struct raizn_geometry geo;
	u32 i, l, w, su, d, p, offset, zone, c, grown;

	(void)state;
	for (i = 0; i < 200000; i++) {
		l = levels[rnd_below(&rng, 4)];
		w = 2 + rnd_below(&rng, 31);
		if (parities(l, w) < 0)
			continue;
		p = (u32)parities(l, w);
		d = w - p;
		su = 8U << rnd_below(&rng, 9);
		/* from one stripe to the largest zone there can be */
		make(&geo, l, w, su,
		     1 + rnd_below(&rng, (u32)((1ULL << 31) / d / su)),
		     rnd_below(&rng, 2) ? 0 : rnd_below(&rng, su) & ~7U);
		zone = (u32)rnd(&rng);
		offset = rnd_below(&rng, 8) ? rnd_below(&rng, geo.zone_cap) :
					      geo.zone_cap - 1;

		raizn_place(&geo, zone, offset, &a);
		check(((u64)a.stripe * d + a.pos) * su + a.row == offset,
		      SHAPE " offset %u", SHAPE_OF(&geo, zone), offset);
		check(a.pos < d && a.row < su &&
		      a.sector < geo.member_zone_cap &&
		      a.sector == a.stripe * su + a.row,
		      SHAPE " offset %u", SHAPE_OF(&geo, zone), offset);
		check(a.column == naive_column(&geo, zone, a.stripe, p + a.pos),
		      SHAPE " offset %u", SHAPE_OF(&geo, zone), offset);

		/* one sector more: one column grows, parity if it was the last; all copies */
		for (c = 0; c < w; c++) {
			grown = raizn_column_extent(&geo, zone, c, offset + 1) -
				raizn_column_extent(&geo, zone, c, offset);
			if (c == a.column || d == 1)
				check(grown == 1, SHAPE " offset %u column %u",
				      SHAPE_OF(&geo, zone), offset, c);
			else if ((offset + 1ULL) % ((u64)d * su))
				check(!grown, SHAPE " offset %u column %u",
				      SHAPE_OF(&geo, zone), offset, c);
			else if ((c + w - naive_column(&geo, zone, a.stripe, 0)) %
				 w < p)
				check(grown == su, SHAPE " offset %u column %u",
				      SHAPE_OF(&geo, zone), offset, c);
			else
				check(!grown, SHAPE " offset %u column %u",
				      SHAPE_OF(&geo, zone), offset, c);
		}
		check(raizn_column_extent(&geo, zone, a.column, offset) ==
		      a.sector, SHAPE " offset %u", SHAPE_OF(&geo, zone),
		      offset);

		/* the next sector of the zone is the next of some column */
		if (offset + 1 == geo.zone_cap)
			continue;
		raizn_place(&geo, zone, offset + 1, &b);
		check(b.row ? b.column == a.column && b.sector == a.sector + 1 :
			      b.column == (b.pos ? (a.column + 1) % w :
					   naive_column(&geo, zone, b.stripe,
							p)),
		      SHAPE " offset %u", SHAPE_OF(&geo, zone), offset);
	}
}

/* Grow a zone sector by sector, and compare every column at every step. */
static void check_extents(const struct raizn_geometry *geo, u32 zone)
{
	u32 extent[RAIZN_MAX_MEMBERS] = { 0 };
	u32 wp, c, i, found;

	if (geo->nr_stripes > geo->nr_members)
		return;
	for (wp = 0;; wp++) {
		for (c = 0; c < geo->nr_members; c++)
			check(raizn_column_extent(geo, zone, c, wp) ==
			      extent[c], SHAPE " wp %u column %u",
			      SHAPE_OF(geo, zone), wp, c);

		found = ~0U;
		check(!raizn_wp_from_columns(geo, zone, extent, &found) &&
		      found == wp, SHAPE " wp %u found %u",
		      SHAPE_OF(geo, zone), wp, found);

		if (wp == geo->zone_cap)
			break;
		extent[naive_column(geo, zone, wp / geo->stripe,
				    geo->nr_parity +
				    wp / geo->su % geo->nr_data)]++;
		for (i = 0; i < geo->nr_parity && geo->nr_data == 1; i++)
			extent[naive_column(geo, zone, wp / geo->stripe, i)]++;
		if ((wp + 1) % geo->stripe || geo->nr_data == 1)
			continue;
		for (i = 0; i < geo->nr_parity; i++)
			extent[naive_column(geo, zone, wp / geo->stripe, i)] +=
				geo->su;
	}
}

static void extents_and_back(void **state)
{
	(void)state;
	every_shape(check_extents);
}

/* Every write pointer's extents, to search through. */
struct all_extents {
	u32 nr;
	u32 (*of)[RAIZN_MAX_MEMBERS];
};

static void list_extents(const struct raizn_geometry *geo, u32 zone,
			 struct all_extents *all)
{
	u32 c;

	all->of = calloc(geo->zone_cap + 1ULL, sizeof(*all->of));
	assert_non_null(all->of);
	for (all->nr = 0; all->nr <= geo->zone_cap; all->nr++) {
		for (c = 0; c < geo->nr_members; c++)
			all->of[all->nr][c] = raizn_column_extent(geo, zone, c,
								  all->nr);
	}
}

/* raizn_wp_from_columns() must say what a search through all of them says. */
static void compare_with_search(const struct raizn_geometry *geo, u32 zone,
				const struct all_extents *all, const u32 *extent)
{
	u32 wp, got = ~0U;
	int ret = raizn_wp_from_columns(geo, zone, extent, &got);

	for (wp = 0; wp < all->nr; wp++) {
		if (!memcmp(all->of[wp], extent,
			    geo->nr_members * sizeof(*extent)))
			break;
	}
	if (wp < all->nr)
		check(!ret && got == wp, SHAPE " wp %u got %u (%d)",
		      SHAPE_OF(geo, zone), wp, got, ret);
	else
		check(ret == -EUCLEAN, SHAPE " got %u (%d) for no wp",
		      SHAPE_OF(geo, zone), got, ret);
}

/* Each combination of extents there can be, and some there cannot. */
static void all_extents_small(void **state)
{
	static const struct { u32 level, members, stripes; } shapes[] = {
		{ 0, 2, 3 }, { 1, 2, 3 }, { 1, 3, 2 }, { 5, 3, 2 }, { 0, 3, 2 },
		{ 6, 4, 1 }, { 5, 4, 1 }, { 0, 4, 1 },
	};
	struct raizn_geometry geo;
	struct all_extents all;
	u32 extent[RAIZN_MAX_MEMBERS];
	u32 i, c, zone, limit;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		make(&geo, shapes[i].level, shapes[i].members, 8,
		     shapes[i].stripes, 0);
		limit = geo.member_zone_cap + 2;
		for (zone = 0; zone < geo.nr_members; zone++) {
			list_extents(&geo, zone, &all);
			memset(extent, 0, sizeof(extent));
			for (;;) {
				compare_with_search(&geo, zone, &all, extent);
				for (c = 0; c < geo.nr_members; c++) {
					if (++extent[c] < limit)
						break;
					extent[c] = 0;
				}
				if (c == geo.nr_members)
					break;
			}
			free(all.of);
		}
	}
}

static const u32 odd_extents[] = {
	0, 1, 7, 8, 9, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff,
};

#define NR_BENDS (8 + ARRAY_SIZE(odd_extents))

/* Bend one or two columns a little, by a unit, against each other, to nonsense. */
static void bend(u32 *extent, u32 members, u32 su, u32 how, struct rng *rng)
{
	u32 *one = extent + rnd_below(rng, members);
	u32 *other = extent + rnd_below(rng, members);
	u32 c, was;

	switch (how) {
	case 0:
		++*one;
		break;
	case 1:
		--*one;
		break;
	case 2:
		*one += su;
		break;
	case 3:
		*one -= su;
		break;
	case 4:
		was = *one;
		*one = *other;
		*other = was;
		break;
	case 5:
		++*one;
		--*other;
		break;
	case 6:
		*one += su;
		*other -= su;
		break;
	case 7:
		for (c = 0; c < members; c++)
			extent[c] += su;
		break;
	default:
		*one = odd_extents[how - 8];
	}
}

static void check_bent(const struct raizn_geometry *geo, struct rng *rng)
{
	u32 extent[RAIZN_MAX_MEMBERS];
	u32 zone = (u32)rnd(rng);
	struct all_extents all;
	u32 wp, how, c;

	list_extents(geo, zone, &all);
	for (wp = 0; wp < all.nr; wp++) {
		for (how = 0; how < NR_BENDS; how++) {
			memcpy(extent, all.of[wp], sizeof(extent));
			bend(extent, geo->nr_members, geo->su, how, rng);
			compare_with_search(geo, zone, &all, extent);
		}
	}
	for (how = 0; how < ARRAY_SIZE(odd_extents); how++) {
		for (c = 0; c < geo->nr_members; c++)
			extent[c] = odd_extents[how];
		compare_with_search(geo, zone, &all, extent);
	}
	free(all.of);
}

static void perturbed_extents(void **state)
{
	struct rng rng = { unit_seed() };
	struct raizn_geometry geo;
	u32 l, w;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (w = 2; w <= 32; w += w < 8 ? 1 : 6) {
			if (parities(levels[l], w) < 0)
				continue;
			make(&geo, levels[l], w, 8, 3, 0);
			check_bent(&geo, &rng);
		}
	}
}

struct numbers {
	u32 level, members, su, block;
	u64 zone_size, zone_cap;
	u32 first, reserved, zones;
};

static int init(struct raizn_geometry *geo, const struct numbers *n,
		const char **why)
{
	return raizn_geometry_init(geo, n->level, n->members, n->su, n->block,
				   n->zone_size, n->zone_cap, n->first,
				   n->reserved, n->zones, why);
}

/* The rules once more, in numbers that cannot overflow. */
static bool allowed(const struct numbers *n)
{
	/* bytes of loff_t */
	const unsigned __int128 limit = (unsigned __int128)1 << 63;
	unsigned __int128 member_zones, cap, size = 1;

	if (parities(n->level, n->members) < 0)
		return false;
	if (__builtin_popcount(n->su) != 1 || n->su < 8 || n->su > 2048)
		return false;
	if (n->block != 512 && n->block != 4096)
		return false;
	if (__builtin_popcountll(n->zone_size) != 1 ||
	    n->zone_size > (1ULL << 31) || n->zone_cap > n->zone_size ||
	    n->zone_cap < n->su || n->zone_cap * 512 % n->block)
		return false;
	member_zones = (unsigned __int128)n->first + n->reserved + n->zones;
	if (n->reserved < 7 || !n->zones || member_zones > 0x3ffffff ||
	    member_zones * n->zone_size * 512 >= limit)
		return false;
	cap = (unsigned __int128)(n->members - (u32)parities(n->level, n->members)) *
	      (n->zone_cap / n->su * n->su);
	while (size < cap)
		size *= 2;
	return size <= (1ULL << 31) && size * n->zones * 512 < limit;
}

static void check_numbers(const struct numbers *n)
{
	const char *why = NULL;
	struct raizn_geometry geo, copy;
	u32 d, most;

	memset(&geo, 0xff, sizeof(geo));
	if (!allowed(n)) {
		check(init(&geo, n, &why) == -EINVAL && why && why[0],
		      "taken: level %u W %u su %u block %u size %#llx cap %#llx first %u reserved %u zones %u",
		      n->level, n->members, n->su, n->block,
		      (unsigned long long)n->zone_size,
		      (unsigned long long)n->zone_cap, n->first, n->reserved,
		      n->zones);
		return;
	}
	check(!init(&geo, n, &why),
	      "refused (%s): level %u W %u su %u block %u size %#llx cap %#llx first %u reserved %u zones %u",
	      why, n->level, n->members, n->su, n->block,
	      (unsigned long long)n->zone_size, (unsigned long long)n->zone_cap,
	      n->first, n->reserved, n->zones);

	d = n->members - (u32)parities(n->level, n->members);
	assert_int_equal(geo.nr_members, n->members);
	assert_int_equal(geo.nr_data, d);
	assert_int_equal(geo.nr_parity, n->members - d);
	assert_int_equal(geo.level, n->level);
	assert_int_equal(geo.su, n->su);
	assert_int_equal(1U << geo.su_shift, n->su);
	assert_int_equal(geo.stripe, d * n->su);
	assert_int_equal(geo.block, n->block / 512);
	assert_int_equal(geo.member_zone_size, n->zone_size);
	assert_int_equal(geo.nr_stripes, n->zone_cap / n->su);
	assert_int_equal(geo.member_zone_cap, n->zone_cap / n->su * n->su);
	assert_int_equal(geo.member_zone_pad, n->zone_cap % n->su);
	assert_int_equal(geo.zone_cap, (u64)geo.nr_stripes * d * n->su);
	assert_int_equal(geo.zone_size, 1ULL << geo.zone_shift);
	check(geo.zone_size >= geo.zone_cap && geo.zone_size / 2 < geo.zone_cap,
	      "size %llu cap %u", (unsigned long long)geo.zone_size,
	      geo.zone_cap);
	assert_int_equal(geo.nr_zones, n->zones);
	assert_int_equal(geo.first_zone, n->first);
	assert_int_equal(geo.nr_reserved, n->reserved);

	/* places on the member: one behind the other, none beyond 63 bits */
	assert_int_equal(raizn_reserved_zone_start(&geo, 0),
			 n->first * n->zone_size);
	assert_int_equal(raizn_reserved_zone_start(&geo, n->reserved),
			 raizn_data_zone_start(&geo, 0));
	assert_int_equal(raizn_data_zone_start(&geo, n->zones - 1),
			 ((u64)n->first + n->reserved + n->zones - 1) *
			 n->zone_size);

	/* zones of a member: as the drive says, but bounded, and their numbers fit 26 bits */
	most = raizn_most_zones(&geo);
	assert_true(most >= raizn_common_zones(&geo));
	assert_true(most - raizn_common_zones(&geo) <= n->zones);
	assert_true((u64)n->first + most <= 0x3ffffff);
	assert_true(most - raizn_common_zones(&geo) == n->zones ||
		    n->first + most == 0x3ffffff);
	assert_int_equal(raizn_member_zones(&geo, n->first), 0);
	assert_int_equal(raizn_member_zones(&geo, n->first + raizn_common_zones(&geo)),
			 raizn_common_zones(&geo));
	assert_int_equal(raizn_member_zones(&geo, n->first + most - 1), most - 1);
	assert_int_equal(raizn_member_zones(&geo, ~0U), most);

	/* what was in the memory before must not show: they are compared */
	memset(&copy, 0, sizeof(copy));
	assert_int_equal(init(&copy, n, &why), 0);
	assert_memory_equal(&copy, &geo, sizeof(geo));
}

static void hostile_numbers(void **state)
{
	static const u32 lvl[] = { 0, 1, 2, 4, 5, 6, 7, 0xffffffff };
	static const u32 members[] = { 0, 1, 2, 3, 4, 5, 31, 32, 33, 34, 256,
				       0x80000000, 0xffffffff };
	static const u32 su[] = { 0, 1, 4, 7, 8, 9, 12, 128, 2047, 2048, 4096,
				  0x80000000, 0xfffffff8, 0xffffffff };
	static const u32 block[] = { 0, 1, 511, 512, 1024, 4096, 8192,
				     0xffffffff };
	static const u64 size[] = { 0, 1, 8, 4096, 4097, 1ULL << 19, 3ULL << 19,
				    1ULL << 26, 1ULL << 27, 1ULL << 30,
				    1ULL << 31, 1ULL << 32, 1ULL << 63,
				    ~0ULL };
	static const u64 cap[] = { 0, 1, 7, 8, 9, 2047, 2048, 4096, 4104,
				   (1ULL << 26) + 8, (1ULL << 31) / 31 / 2048 * 2048,
				   (1ULL << 31) / 31 / 2048 * 2048 + 2048,
				   1ULL << 30, 1ULL << 31, (1ULL << 32) + 8,
				   1ULL << 63, ~0ULL };
	static const u32 first[] = { 0, 1, 1006, 0x3ffffff, 0xfffffff7,
				     0xfffffff8, 0xfffffff9, 0xffffffff };
	static const u32 reserved[] = { 0, 4, 5, 6, 7, 8, 0x3ffffff, 0xfffffffa,
					0xffffffff };
	static const u32 zones[] = { 0, 1, 2, 3, 100584, 1U << 22,
				     (1U << 23) - 8, 1U << 23, 1U << 30,
				     0xffffffff };
	/* close to a limit by one value at a time, from arrays that are fine */
	static const struct numbers fine[] = {
		{ 5, 5, 128, 4096, 4096, 4096, 0, 7, 100 },
		{ 6, 32, 8, 512, 1ULL << 26, (1ULL << 26) + 0, 0, 7, 1 },
		{ 0, 2, 2048, 4096, 1ULL << 31, 1ULL << 30, 1, 7, 2 },
		{ 1, 3, 16, 512, 1ULL << 31, 1ULL << 31, 0, 7, 1U << 22 },
		{ 1, 2, 8, 512, 8, 8, 0, 7, 100584 },
		{ 0, 2, 8, 512, 1ULL << 30, 1ULL << 30, 0, 7, (1U << 23) - 8 },
		{ 0, 32, 8, 512, 1ULL << 26, 1ULL << 26, 0, 7, (1U << 23) - 1 },
	};
	struct rng rng = { unit_seed() };
	struct numbers n;
	u32 i, k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(fine); k++) {
		check_numbers(&fine[k]);
		assert_true(allowed(&fine[k]));
#define EACH(list, field) do {						\
	for (i = 0; i < ARRAY_SIZE(list); i++) {			\
		n = fine[k];						\
		n.field = (list)[i];					\
		check_numbers(&n);					\
	}								\
} while (0)
		EACH(lvl, level);
		EACH(members, members);
		EACH(su, su);
		EACH(block, block);
		EACH(size, zone_size);
		EACH(cap, zone_cap);
		EACH(first, first);
		EACH(reserved, reserved);
		EACH(zones, zones);
#undef EACH
	}

	/* and all together, mostly from the sane ends of the lists */
#define PICK(list) ((list)[rnd_below(&rng, ARRAY_SIZE(list))])
	for (i = 0; i < 2000000; i++) {
		n = fine[rnd_below(&rng, ARRAY_SIZE(fine))];
		for (k = 0; k < 3; k++) {
			switch (rnd_below(&rng, 9)) {
			case 0:
				n.level = PICK(lvl);
				break;
			case 1:
				n.members = PICK(members);
				break;
			case 2:
				n.su = PICK(su);
				break;
			case 3:
				n.block = PICK(block);
				break;
			case 4:
				n.zone_size = PICK(size);
				break;
			case 5:
				n.zone_cap = PICK(cap);
				break;
			case 6:
				n.first = PICK(first);
				break;
			case 7:
				n.reserved = PICK(reserved);
				break;
			default:
				n.zones = PICK(zones);
			}
		}
		check_numbers(&n);
	}
#undef PICK
}

/* The limits themselves: the last value taken, the first refused. */
static void limits(void **state)
{
	static const struct {
		struct numbers n;
		const char *why;	/* NULL: taken */
	} cases[] = {
		/* 1 TiB: 2^31 sectors, D 2 */
		{ { 0, 2, 8, 512, 1ULL << 30, 1ULL << 30, 0, 7, 1 }, NULL },
		{ { 0, 3, 8, 512, 1ULL << 30, 1ULL << 30, 0, 7, 1 },
		  "logical zone size is above 1 TiB" },
		{ { 0, 2, 8, 512, 1ULL << 31, (1ULL << 30) + 8, 0, 7, 1 },
		  "logical zone size is above 1 TiB" },
		/* member: 2^54 sectors; zones of 2^31: 2^23 - 1 of them */
		{ { 1, 2, 8, 512, 1ULL << 31, 8, 0, 7, (1U << 23) - 8 }, NULL },
		{ { 1, 2, 8, 512, 1ULL << 31, 8, 0, 7, (1U << 23) - 7 },
		  "member is larger than can be addressed" },
		/* array: D 31, so logical zones are 32 times as large */
		{ { 5, 32, 8, 512, 1ULL << 26, 1ULL << 26, 0, 7, (1U << 23) - 1 },
		  NULL },
		{ { 5, 32, 8, 512, 1ULL << 26, 1ULL << 26, 0, 7, 1U << 23 },
		  "array is larger than can be addressed" },
		/* zone numbers: 26 bits */
		{ { 1, 2, 8, 512, 8, 8, 0x3ffffff - 8, 7, 1 }, NULL },
		{ { 1, 2, 8, 512, 8, 8, 0x3ffffff - 7, 7, 1 },
		  "more member zones than 26 bits can number" },
		{ { 1, 2, 8, 512, 8, 8, 0, 0x3fffffe, 1 }, NULL },
		{ { 1, 2, 8, 512, 8, 8, 0, 0x3ffffff, 1 },
		  "more member zones than 26 bits can number" },
		{ { 1, 2, 8, 512, 8, 8, 0, 7, 0x3ffffff - 7 }, NULL },
		{ { 1, 2, 8, 512, 8, 8, 0, 7, 0x3ffffff },
		  "more member zones than 26 bits can number" },
		{ { 1, 5, 8, 512, 8, 8, 0, 7, 1 },
		  "level 1 takes at most 4 members" },
		{ { 5, 2, 8, 512, 8, 8, 0, 7, 1 }, "level 5 needs 3 members" },
		{ { 6, 3, 8, 512, 8, 8, 0, 7, 1 }, "level 6 needs 4 members" },
		{ { 0, 1, 8, 512, 8, 8, 0, 7, 1 }, "level 0 needs 2 members" },
		{ { 1, 1, 8, 512, 8, 8, 0, 7, 1 }, "level 1 needs 2 members" },
		{ { 1, 0, 8, 512, 8, 8, 0, 7, 1 }, "level 1 needs 2 members" },
		{ { 4, 3, 8, 512, 8, 8, 0, 7, 1 }, "unknown level" },
		{ { 5, 33, 8, 512, 8, 8, 0, 7, 1 }, "too many members" },
		{ { 5, 3, 8, 512, 8, 8, 0, 6, 1 }, "too few reserved zones" },
		{ { 5, 3, 8, 512, 8, 8, 0, 7, 0 }, "no data zones" },
		{ { 5, 3, 4, 512, 8, 8, 0, 7, 1 },
		  "stripe unit is not between 4 KiB and 1 MiB" },
		{ { 5, 3, 4096, 512, 8192, 8192, 0, 7, 1 },
		  "stripe unit is not between 4 KiB and 1 MiB" },
		{ { 5, 3, 24, 512, 8192, 8192, 0, 7, 1 },
		  "stripe unit is not a power of two" },
		{ { 5, 3, 8, 1024, 8192, 8192, 0, 7, 1 },
		  "block size is neither 512 nor 4096" },
		{ { 5, 3, 8, 512, 8191, 8190, 0, 7, 1 },
		  "member zone size is not a power of two" },
		{ { 5, 3, 8, 512, 1ULL << 32, 8, 0, 7, 1 },
		  "member zone size is above 1 TiB" },
		{ { 5, 3, 8, 512, 4096, 4097, 0, 7, 1 },
		  "member zone capacity is above the zone size" },
		{ { 5, 3, 8, 4096, 4096, 4092, 0, 7, 1 },
		  "member zone capacity is not a multiple of the block size" },
		{ { 5, 3, 16, 512, 4096, 15, 0, 7, 1 },
		  "member zone capacity is below the stripe unit" },
	};
	struct raizn_geometry geo;
	const char *why;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		why = NULL;
		if (cases[i].why) {
			assert_int_equal(init(&geo, &cases[i].n, &why),
					 -EINVAL);
			assert_string_equal(why, cases[i].why);
		} else {
			check(!init(&geo, &cases[i].n, &why), "case %u: %s", i,
			      why);
		}
		check_numbers(&cases[i].n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapping_is_bijection),
		cmocka_unit_test(parity_rotates),
		cmocka_unit_test(large_units),
		cmocka_unit_test(extents_and_back),
		cmocka_unit_test(all_extents_small),
		cmocka_unit_test(perturbed_extents),
		cmocka_unit_test(hostile_numbers),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
