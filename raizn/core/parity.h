/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parity arithmetic, byte-exact the same in kernel and user space.
 *
 * P is the XOR of a stripe's data units, row by row.  Q is the Reed-Solomon
 * syndrome of Linux' raid6: sum of g^pos * data in GF(2^8), polynomial 0x11d,
 * g = 2.  The running parity of a stripe's tail takes missing data as zeros.
 */
#ifndef RAIZN_PARITY_H
#define RAIZN_PARITY_H

#include "portable.h"

/**
 * raizn_parity_add() - add data to the running parity of a stripe
 * @p:		P accumulator at the first row of @src (NULL: no P)
 * @q:		Q accumulator at the first row of @src (NULL: no Q)
 * @src:	data
 * @len:	bytes, a multiple of 512
 * @pos:	data position of @src in the stripe
 *
 * Position 0 comes first in every row (zones are written in order), so it
 * overwrites the accumulators and they need no clearing.
 *
 * Context: in the kernel, task context with interrupts and softirqs enabled (no
 * spin_lock_bh() held), for the vector unit.  Buffers need no alignment; aligned
 * to 64 bytes they are fast.
 */
void raizn_parity_add(void *p, void *q, const void *src, size_t len, u32 pos);

/**
 * raizn_parity_generate() - parity of all data of some rows
 * @p:		P, overwritten
 * @q:		Q, overwritten (NULL: no Q)
 * @srcs:	data, by position
 * @nr:		data units of the stripe
 * @len:	bytes, a multiple of 512
 *
 * Context: as raizn_parity_add().
 */
void raizn_parity_generate(void *p, void *q, const void * const *srcs, u32 nr,
			   size_t len);

/**
 * raizn_parity_subtract() - take data out of the parity of a stripe, or put it in
 * @p:		P at the first row of @src (NULL: no P)
 * @q:		Q at the first row of @src (NULL: no Q)
 * @src:	data
 * @len:	bytes, a multiple of 512
 * @pos:	data position of @src in the stripe
 *
 * Where parity is right, zeros are left when all data was taken out.
 *
 * Context: as raizn_parity_add().
 */
void raizn_parity_subtract(void *p, void *q, const void *src, size_t len, u32 pos);

/**
 * raizn_parity_decode_one() - recover one lost data unit from P
 * @dst:	in: P; out: the lost data
 * @src:	one surviving data unit; call once for each
 * @len:	bytes, a multiple of 512
 *
 * Context: as raizn_parity_add().
 */
void raizn_parity_decode_one(void *dst, const void *src, size_t len);

/**
 * raizn_parity_solve() - recover the lost data units of a stripe
 * @p:		in: P after raizn_parity_subtract() of all data that is there; out: the lost
 *		data of position @a.  NULL: no P
 * @q:		in: Q after the same; out: the lost data of position @b, or, without P, of
 *		position @a.  NULL: no Q
 * @len:	bytes, a multiple of 512
 * @a:		data position of a lost unit
 * @b:		that of the other one, with both parities; not @a
 *
 * Two unknown units in two equations, see H. P. Anvin, "The mathematics of RAID-6",
 * section 4.
 *
 * Context: any.
 */
void raizn_parity_solve(void *p, void *q, size_t len, u32 a, u32 b);

/* Results of raizn_parity_guilty() that are no data position. */
#define RAIZN_GUILTY_NONE	64U
#define RAIZN_GUILTY_P		65U
#define RAIZN_GUILTY_Q		66U
#define RAIZN_GUILTY_UNKNOWN	67U

/**
 * raizn_parity_guilty() - find the wrong unit of a stripe
 * @p:		P after raizn_parity_subtract() of all data
 * @q:		Q after raizn_parity_subtract() of all data (NULL: no Q)
 * @len:	bytes, a multiple of 512
 * @nr_data:	data units of the stripe
 *
 * Works if a single unit is wrong.  A wrong data unit changes P and Q by the same
 * difference, times the unit's factor in Q (H. P. Anvin, "The mathematics of RAID-6",
 * section 4).  One parity cannot tell the units apart.
 *
 * Context: any.
 * Return: data position of the wrong unit, RAIZN_GUILTY_P or RAIZN_GUILTY_Q;
 * RAIZN_GUILTY_NONE when all units are right; RAIZN_GUILTY_UNKNOWN when several units are
 * wrong, or P is wrong and there is no Q.
 */
u32 raizn_parity_guilty(const void *p, const void *q, size_t len, u32 nr_data);

#endif /* RAIZN_PARITY_H */
