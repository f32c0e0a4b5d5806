// SPDX-License-Identifier: GPL-2.0
/*
 * Parity arithmetic: see parity.h.
 */
#include "parity.h"

#ifdef __KERNEL__
#include "compat.h"
#include "format.h"
#endif

/* Sources that the kernel's vector code takes at once. */
#define XOR_SOURCES	4U

static u64 load_word(const u8 *p)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static void store_word(u8 *p, u64 word)
{
	memcpy(p, &word, sizeof(word));
}

static void xor_one(u8 *dst, const u8 *src, size_t len)
{
	size_t i;

	for (i = 0; i < len; i += sizeof(u64))
		store_word(dst + i, load_word(dst + i) ^ load_word(src + i));
}

#ifdef __KERNEL__
/*
 * The kernel's vector code faults on addresses that are not aligned.  The volume's
 * dma_alignment aligns pages from the block layer; memory that another driver passes down may
 * be unaligned.
 */
static bool are_aligned(const void * const *srcs, u32 nr)
{
	unsigned long addresses = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		addresses |= (unsigned long)srcs[i];
	return !(addresses & 63);
}

/* Returns false if the kernel has no code for this. */
static bool generate_both(void *p, void *q, const void * const *srcs, u32 nr,
			  size_t len)
{
	const void *ptrs[RAIZN_MAX_MEMBERS];

	if (nr < 2 || nr > RAIZN_MAX_MEMBERS - 2)
		return false;
	memcpy(ptrs, srcs, nr * sizeof(*srcs));
	ptrs[nr] = p;
	ptrs[nr + 1] = q;
	if (!are_aligned(ptrs, nr + 2))
		return false;
	raizn_raid6_generate(nr + 2, len, (void **)ptrs);
	return true;
}

static bool add_to_both(void *p, void *q, const void *src, size_t len, u32 pos)
{
	const void *ptrs[RAIZN_MAX_MEMBERS + 2] = { src, p, q };
	u32 disks = pos < 2 ? 4 : pos + 3;

	if (!are_aligned(ptrs, 3) || disks > ARRAY_SIZE(ptrs) || !raizn_raid6_can_add())
		return false;
	ptrs[pos] = src;
	ptrs[disks - 2] = p;
	ptrs[disks - 1] = q;
	raizn_raid6_add(disks, pos, len, (void **)ptrs);
	return true;
}
#endif /* __KERNEL__ */

/* dst ^= up to XOR_SOURCES sources */
static void xor_into(u8 *dst, const void * const *srcs, u32 nr, size_t len)
{
	u32 i;
#ifdef __KERNEL__
	if (!((unsigned long)dst & 63) && are_aligned(srcs, nr)) {
		raizn_xor(dst, srcs, nr, len);
		return;
	}
#endif
	for (i = 0; i < nr; i++)
		xor_one(dst, srcs[i], len);
}

/* Eight bytes times g = 2: each doubles, and is reduced if its top bit fell out. */
static u64 gf_double(u64 word)
{
	u64 top = word & 0x8080808080808080ULL;
	u64 mask = (top << 1) - (top >> 7);	/* 0xff in every such byte */

	return ((word << 1) & 0xfefefefefefefefeULL) ^
	       (mask & 0x1d1d1d1d1d1d1d1dULL);
}

static u64 gf_mul(u64 word, u8 factor)
{
	u64 product = 0;

	for (; factor; factor >>= 1) {
		if (factor & 1)
			product ^= word;
		word = gf_double(word);
	}
	return product;
}

/* g^n */
static u8 gf_exp(u32 n)
{
	u64 power = 1;

	while (n--)
		power = gf_double(power);
	return (u8)power;
}

/* The element whose product with @a, which is not 0, is 1: a^254. */
static u8 gf_invert(u8 a)
{
	u64 square = a, product = 1;
	u32 i;

	for (i = 1; i < 8; i++) {
		square = gf_mul(square, (u8)square);
		product = gf_mul(product, (u8)square);
	}
	return (u8)product;
}

void raizn_parity_add(void *p, void *q, const void *src, size_t len, u32 pos)
{
	if (pos) {
		raizn_parity_subtract(p, q, src, len, pos);
		return;
	}
	if (p)
		memcpy(p, src, len);
	if (q)
		memcpy(q, src, len);
}

void raizn_parity_generate(void *p, void *q, const void * const *srcs, u32 nr,
			   size_t len)
{
	u32 i, n;

	if (q) {
#ifdef __KERNEL__
		if (generate_both(p, q, srcs, nr, len))
			return;
#endif
		for (i = 0; i < nr; i++)
			raizn_parity_add(p, q, srcs[i], len, i);
		return;
	}
	memcpy(p, srcs[0], len);
	for (i = 1; i < nr; i += n) {
		n = nr - i < XOR_SOURCES ? nr - i : XOR_SOURCES;
		xor_into(p, srcs + i, n, len);
	}
}

void raizn_parity_subtract(void *p, void *q, const void *src, size_t len, u32 pos)
{
	u8 factor = gf_exp(pos);
	const u8 *s = src;
	u8 *d = q;
	size_t i;

#ifdef __KERNEL__
	if (p && q && add_to_both(p, q, src, len, pos))
		return;
#endif
	if (p)
		xor_into(p, &src, 1, len);
	if (!q)
		return;
	for (i = 0; i < len; i += sizeof(u64))
		store_word(d + i, load_word(d + i) ^
				  gf_mul(load_word(s + i), factor));
}

void raizn_parity_decode_one(void *dst, const void *src, size_t len)
{
	raizn_parity_subtract(dst, NULL, src, len, 0);
}

static void solve_from_q(u8 *q, size_t len, u32 a)
{
	u8 factor = gf_invert(gf_exp(a));
	size_t i;

	for (i = 0; i < len; i += sizeof(u64))
		store_word(q + i, gf_mul(load_word(q + i), factor));
}

/* x + y = P and g^a x + g^b y = Q, so y = (Q + g^a P) / (g^a + g^b). */
static void solve_two(u8 *p, u8 *q, size_t len, u32 a, u32 b)
{
	u8 factor = gf_exp(a), scale = gf_invert(factor ^ gf_exp(b));
	u64 sum, y;
	size_t i;

	for (i = 0; i < len; i += sizeof(u64)) {
		sum = load_word(p + i);
		y = gf_mul(load_word(q + i) ^ gf_mul(sum, factor), scale);
		store_word(q + i, y);
		store_word(p + i, sum ^ y);
	}
}

void raizn_parity_solve(void *p, void *q, size_t len, u32 a, u32 b)
{
	if (p && q)
		solve_two(p, q, len, a, b);
	else if (q)
		solve_from_q(q, len, a);
	/* The rest of P is the lost unit already. */
}

static bool all_zero(const u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i += sizeof(u64))
		if (load_word(p + i))
			return false;
	return true;
}

/* Is @q equal to @p times the factor of data position @pos? */
static bool off_at(const u8 *p, const u8 *q, size_t len, u32 pos)
{
	u8 factor = gf_exp(pos);
	size_t i;

	for (i = 0; i < len; i += sizeof(u64))
		if (gf_mul(load_word(p + i), factor) != load_word(q + i))
			return false;
	return true;
}

u32 raizn_parity_guilty(const void *p, const void *q, size_t len, u32 nr_data)
{
	bool p_right = all_zero(p, len);
	bool q_right = !q || all_zero(q, len);
	u32 pos;

	if (p_right)
		return q_right ? RAIZN_GUILTY_NONE : RAIZN_GUILTY_Q;
	if (!q)
		return RAIZN_GUILTY_UNKNOWN;
	if (q_right)
		return RAIZN_GUILTY_P;
	for (pos = 0; pos < nr_data; pos++)
		if (off_at(p, q, len, pos))
			return pos;
	return RAIZN_GUILTY_UNKNOWN;
}
