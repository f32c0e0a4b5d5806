// SPDX-License-Identifier: GPL-2.0
/*
 * Parity against GF(2^8) done byte by byte, and against the tables of Linux'
 * raid6.
 */
#include "unit.h"
#include <cmocka.h>

#define MAX_DATA 32
#define UNIT 4096	/* bytes; a small stripe unit */

static u8 data[MAX_DATA][UNIT], p[UNIT], q[UNIT];

static void fill(struct rng *rng, u8 *to, size_t len)
{
	u64 word;

	for (; len; len -= sizeof(word), to += sizeof(word)) {
		word = rnd(rng);
		memcpy(to, &word, sizeof(word));
	}
}

/* Shift and add, the schoolbook way. */
static u8 slow_mul(u8 a, u8 b)
{
	u8 sum = 0;

	while (b) {
		if (b & 1)
			sum ^= a;
		a = (u8)(a & 0x80 ? a << 1 ^ 0x1d : a << 1);
		b >>= 1;
	}
	return sum;
}

static u8 slow_exp(u32 n)
{
	u8 power = 1;

	while (n--)
		power = slow_mul(power, 2);
	return power;
}

static void slow_pq(u32 nr, u32 at, u8 *sum, u8 *syndrome)
{
	u32 i;

	*sum = 0;
	*syndrome = 0;
	for (i = 0; i < nr; i++) {
		*sum ^= data[i][at];
		*syndrome ^= slow_mul(slow_exp(i), data[i][at]);
	}
}

/* The start of raid6_gfexp[] as in the kernel's generated tables.c. */
static const u8 raid6_gfexp[MAX_DATA] = {
	0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80,
	0x1d, 0x3a, 0x74, 0xe8, 0xcd, 0x87, 0x13, 0x26,
	0x4c, 0x98, 0x2d, 0x5a, 0xb4, 0x75, 0xea, 0xc9,
	0x8f, 0x03, 0x06, 0x0c, 0x18, 0x30, 0x60, 0xc0,
};

static void generator_of_raid6(void **state)
{
	u8 one[512], sum[512];
	u32 pos, i;

	(void)state;
	memset(one, 1, sizeof(one));
	for (pos = 0; pos < MAX_DATA; pos++) {
		memset(sum, 0, sizeof(sum));
		raizn_parity_add(NULL, sum, one, sizeof(one), pos);
		for (i = 0; i < sizeof(sum); i++)
			check(sum[i] == raid6_gfexp[pos], "pos %u byte %u", pos,
			      i);
		assert_int_equal(slow_exp(pos), raid6_gfexp[pos]);
	}
}

/* Every byte value at every position, in every byte of a word. */
static void every_product(void **state)
{
	u8 src[512], sum[512];
	u32 pos, i, turn;

	(void)state;
	for (pos = 0; pos < MAX_DATA; pos++) {
		for (turn = 0; turn < 8; turn++) {
			for (i = 0; i < sizeof(src); i++)
				src[i] = (u8)(i + turn);
			memset(sum, 0, sizeof(sum));
			raizn_parity_add(NULL, sum, src, sizeof(src), pos);
			for (i = 0; i < sizeof(src); i++)
				check(sum[i] == slow_mul(raid6_gfexp[pos],
							 src[i]),
				      "pos %u value %u", pos, src[i]);
		}
	}
}

/* Stripes of every width, added unit by unit to what memory held before. */
static void whole_stripes(void **state)
{
	struct rng rng = { unit_seed() };
	u32 nr, i;
	u8 sum, syndrome;

	(void)state;
	for (nr = 1; nr <= MAX_DATA; nr++) {
		fill(&rng, data[0], sizeof(data));
		fill(&rng, p, sizeof(p));
		fill(&rng, q, sizeof(q));
		for (i = 0; i < nr; i++)
			raizn_parity_add(p, q, data[i], UNIT, i);
		for (i = 0; i < UNIT; i++) {
			slow_pq(nr, i, &sum, &syndrome);
			check(p[i] == sum, "D %u byte %u", nr, i);
			check(q[i] == syndrome, "D %u byte %u", nr, i);
		}
	}
}

/* Of any number of units, wherever they lie in memory. */
static void all_at_once(void **state)
{
	struct rng rng = { unit_seed() };
	const void *srcs[MAX_DATA];
	u32 nr, i, at, len;
	u8 sum, syndrome;

	(void)state;
	for (i = 0; i < MAX_DATA; i++)
		fill(&rng, data[i], UNIT);
	for (nr = 1; nr < MAX_DATA; nr++) {
		at = (u32)rnd(&rng) % 4 * 8;
		len = (1 + (u32)rnd(&rng) % 7) * 512;
		for (i = 0; i < nr; i++)
			srcs[i] = data[i] + at;
		memset(p, 0xa5, sizeof(p));
		memset(q, 0xa5, sizeof(q));
		raizn_parity_generate(p, nr % 2 ? q : NULL, srcs, nr, len);
		for (i = 0; i < len; i++) {
			slow_pq(nr, at + i, &sum, &syndrome);
			assert_int_equal(p[i], sum);
			assert_int_equal(q[i], nr % 2 ? syndrome : 0xa5);
		}
		assert_int_equal(p[len], 0xa5);
		assert_int_equal(q[len], 0xa5);
	}
}

/*
 * As zones are written: in order, in pieces of any number of sectors.  After
 * each piece every row holds the parity of what was written of it so far.
 */
static void running_parity(void **state)
{
	struct rng rng = { unit_seed() };
	u32 round, nr, wp, sectors, row, i, units;
	u8 sum, syndrome;

	(void)state;
	for (round = 0; round < 40; round++) {
		nr = 1 + rnd_below(&rng, MAX_DATA);
		fill(&rng, data[0], sizeof(data));
		fill(&rng, p, sizeof(p));
		fill(&rng, q, sizeof(q));
		for (wp = 0; wp < nr * UNIT / 512; wp += sectors) {
			row = wp % (UNIT / 512);
			sectors = 1 + rnd_below(&rng, UNIT / 512 - row);
			raizn_parity_add(p + row * 512, q + row * 512,
					 data[wp / (UNIT / 512)] + row * 512,
					 sectors * 512, wp / (UNIT / 512));
			for (i = 0; i < UNIT; i += 64) {
				units = wp + sectors > i / 512 ?
					(wp + sectors - i / 512 - 1) /
					(UNIT / 512) + 1 : 0;
				if (!units)
					continue;
				slow_pq(units, i, &sum, &syndrome);
				check(p[i] == sum && q[i] == syndrome,
				      "D %u wp %u byte %u", nr, wp + sectors,
				      i);
			}
		}
	}
}

/* Any address, any length; nothing else changes; either parity may be left out */
static void buffers(void **state)
{
	static u8 src[UNIT + 128], a[UNIT + 128], b[UNIT + 128], was[UNIT + 128];
	struct rng rng = { unit_seed() };
	u32 round, len, pos, from, to, i;

	(void)state;
	for (round = 0; round < 4000; round++) {
		len = 512 * (1 + rnd_below(&rng, UNIT / 512));
		pos = rnd_below(&rng, MAX_DATA);
		from = rnd_below(&rng, 128);
		to = rnd_below(&rng, 128);
		fill(&rng, src, sizeof(src));
		fill(&rng, was, sizeof(was));

		memcpy(a, was, sizeof(a));
		memcpy(b, was, sizeof(b));
		switch (round % 3) {
		case 0:
			raizn_parity_add(a + to, b + to, src + from, len, pos);
			break;
		case 1:
			raizn_parity_add(a + to, NULL, src + from, len, pos);
			raizn_parity_add(NULL, b + to, src + from, len, pos);
			break;
		default:
			if (!pos)
				continue;
			memcpy(b, was, sizeof(b));
			raizn_parity_decode_one(a + to, src + from, len);
			raizn_parity_add(NULL, b + to, src + from, len, pos);
		}
		for (i = 0; i < sizeof(a); i++) {
			u8 s, x = was[i], y = was[i];

			if (i >= to && i < to + len) {
				s = src[from + i - to];
				x = pos ? x ^ s : s;
				y = pos ? y ^ slow_mul(raid6_gfexp[pos], s) : s;
			}
			check(a[i] == x && b[i] == y,
			      "round %u len %u pos %u from %u to %u byte %u",
			      round, len, pos, from, to, i);
		}
	}
}

static void one_lost(void **state)
{
	static u8 out[UNIT];
	struct rng rng = { unit_seed() };
	u32 nr, lost, i;

	(void)state;
	for (nr = 1; nr <= MAX_DATA; nr++) {
		fill(&rng, data[0], sizeof(data));
		for (i = 0; i < nr; i++)
			raizn_parity_add(p, NULL, data[i], UNIT, i);
		for (lost = 0; lost < nr; lost++) {
			memcpy(out, p, UNIT);
			for (i = nr; i--;) {
				if (i != lost)
					raizn_parity_decode_one(out, data[i],
								UNIT);
			}
			check(!memcmp(out, data[lost], UNIT), "D %u lost %u",
			      nr, lost);
		}
	}
}

/* Lose units @a and @b of @nr, or only @a if they are the same, and solve for them. */
static void lose(u32 nr, u32 a, u32 b, bool with_p, bool with_q)
{
	static u8 left_p[512], left_q[512];
	u8 *first = with_p ? left_p : NULL, *second = with_q ? left_q : NULL;
	u32 i;

	memcpy(left_p, p, sizeof(left_p));
	memcpy(left_q, q, sizeof(left_q));
	for (i = 0; i < nr; i++) {
		if (i != a && i != b)
			raizn_parity_subtract(first, second, data[i], sizeof(left_p), i);
	}
	raizn_parity_solve(first, second, sizeof(left_p), a, b);
	check(!memcmp(first ? first : second, data[a], sizeof(left_p)),
	      "D %u lost %u %u, first", nr, a, b);
	check(a == b || !memcmp(second, data[b], sizeof(left_p)),
	      "D %u lost %u %u, second", nr, a, b);
}

/* With P and Q any two units can be computed, with either of them any one. */
static void lost_units(void **state)
{
	struct rng rng = { unit_seed() };
	u32 nr, a, b, i;

	(void)state;
	for (nr = 1; nr <= MAX_DATA; nr++) {
		fill(&rng, data[0], sizeof(data));
		for (i = 0; i < nr; i++)
			raizn_parity_add(p, q, data[i], 512, i);
		for (a = 0; a < nr; a++) {
			lose(nr, a, a, true, false);
			lose(nr, a, a, false, true);
			for (b = 0; b < nr; b++) {
				if (a != b)
					lose(nr, a, b, true, true);
			}
		}
	}
}

/* What is left of both parities when all data is taken out; @with_q: of both. */
static u32 guilty(u32 nr, u8 *left_p, u8 *left_q, bool with_q)
{
	u32 i;

	memcpy(left_p, p, UNIT);
	memcpy(left_q, q, UNIT);
	for (i = nr; i--;)
		raizn_parity_subtract(left_p, with_q ? left_q : NULL, data[i],
				      UNIT, i);
	return raizn_parity_guilty(left_p, with_q ? left_q : NULL, UNIT, nr);
}

/* One unit of a stripe is wrong, in one byte or in many: both parities tell which. */
static void one_guilty(void **state)
{
	static u8 left_p[UNIT], left_q[UNIT], was[UNIT];
	struct rng rng = { unit_seed() };
	u32 nr, i, bytes, who;

	(void)state;
	for (nr = 1; nr <= MAX_DATA - 2; nr++) {
		fill(&rng, data[0], sizeof(data));
		for (i = 0; i < nr; i++)
			raizn_parity_add(p, q, data[i], UNIT, i);
		assert_int_equal(guilty(nr, left_p, left_q, true),
				 RAIZN_GUILTY_NONE);
		assert_int_equal(guilty(nr, left_p, left_q, false),
				 RAIZN_GUILTY_NONE);
		for (i = 0; i < nr + 2; i++) {
			u8 *unit = i < nr ? data[i] : i == nr ? p : q;

			who = i < nr ? i :
			      i == nr ? RAIZN_GUILTY_P : RAIZN_GUILTY_Q;
			memcpy(was, unit, UNIT);
			for (bytes = 1 + rnd_below(&rng, 50); bytes; bytes--)
				unit[rnd_below(&rng, UNIT)] ^= 1 + rnd_below(&rng, 255);
			if (!memcmp(was, unit, UNIT))
				unit[UNIT - 1] ^= 1;
			check(guilty(nr, left_p, left_q, true) == who,
			      "D %u unit %u", nr, i);
			check(guilty(nr, left_p, left_q, false) ==
			      (unit == q ? RAIZN_GUILTY_NONE : RAIZN_GUILTY_UNKNOWN),
			      "D %u unit %u, one parity", nr, i);
			memcpy(unit, was, UNIT);
		}
	}
}

/* Two units are wrong in different rows: nobody is accused who is not. */
static void two_guilty(void **state)
{
	static u8 left_p[UNIT], left_q[UNIT];
	struct rng rng = { unit_seed() };
	u32 nr, a, b, i;

	(void)state;
	for (nr = 2; nr <= MAX_DATA - 2; nr++) {
		fill(&rng, data[0], sizeof(data));
		for (i = 0; i < nr; i++)
			raizn_parity_add(p, q, data[i], UNIT, i);
		a = rnd_below(&rng, nr);
		b = (a + 1 + rnd_below(&rng, nr - 1)) % nr;
		data[a][rnd_below(&rng, UNIT / 2)] ^= 1 + rnd_below(&rng, 255);
		data[b][UNIT / 2 + rnd_below(&rng, UNIT / 2)] ^=
			1 + rnd_below(&rng, 255);
		check(guilty(nr, left_p, left_q, true) == RAIZN_GUILTY_UNKNOWN,
		      "D %u units %u and %u", nr, a, b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generator_of_raid6),
		cmocka_unit_test(every_product),
		cmocka_unit_test(whole_stripes),
		cmocka_unit_test(all_at_once),
		cmocka_unit_test(running_parity),
		cmocka_unit_test(buffers),
		cmocka_unit_test(one_lost),
		cmocka_unit_test(lost_units),
		cmocka_unit_test(one_guilty),
		cmocka_unit_test(two_guilty),
	};

	return cmocka_run_group_tests_name("parity", tests, NULL, NULL);
}
