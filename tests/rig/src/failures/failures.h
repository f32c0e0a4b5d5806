/* SPDX-License-Identifier: GPL-2.0 */
/*
 * failures - members fail, come back and are replaced, again and again
 *
 * Threads write, flush, reset, finish ... zones of an array of simulated drives.
 * Meanwhile commands fail, zones turn bad, drives stall, are pulled, replaced by
 * blank ones or come back, scrubs run, power is cut, at any moment of any of it.
 * The model of powercut says what the volume must hold, and that no error may be
 * seen while parity makes up for what is lost. Parity that silently changes is
 * found and repaired.
 *
 *	main.c		options
 *	chain.c		chains of rounds
 *	round.c		one round: work, what goes wrong meanwhile, what must hold then
 *	trouble.c	what goes wrong
 *	repair.c	what somebody does about it
 *	corrupt.c	parity that turns wrong, and its repair
 */
#ifndef FAILURES_H
#define FAILURES_H

#include "../powercut/powercut.h"

#define NEEDED_LOG_ZONES	3U	/* of those, by a member that is added again */
#define MAX_BAD_ZONES	3U	/* of a drive; there are spares for so many */

/**
 * struct array - what is known of the array from round to round
 * @runs:	it was started
 * @busy:	work is under way, and what was armed for it may still strike
 * @out:	members that do not take part (bit mask, like all masks)
 * @out_known:	those that the superblocks of the others call failed
 * @suspects:	members that have had a fault since all was whole: with more than
 *		parity makes up for, errors are excused
 * @latent:	those of them whose fault may be there without being noticed
 * @blank:	members whose drives were replaced or emptied: a power cut may have been
 *		faster, and they are blank until they are replaced again
 * @ends:	it is of no use any more
 * @rebuilt:	since parity was last checked
 * @exact:	nothing that was acknowledged may be missing after the next start
 * @bad_zones:	of each member's drive, at most
 * @rounds_out:	rounds without a member
 */
struct array {
	bool runs;
	bool busy;
	u32 out;
	u32 out_known;
	u32 suspects;
	u32 latent;
	u32 blank;
	bool ends;
	bool rebuilt;
	bool exact;
	u32 bad_zones[MAX_MEMBERS];
	u32 rounds_out;
};

/**
 * struct counts - what happened, for the summary
 */
struct counts {
	u64 rounds;
	u64 faults, pulls, bad_zones, bad_sectors, requests, doubles;
	u64 stalls, cuts, cut_off, starts, clean_stops;
	u64 members_failed, failed_arrays, damaged;
	u64 refused, replaced, readded, under_load, rebuilds, interrupted;
	u64 parity_checks, scrubs, scrubs_under_load, scrubs_resumed, flips;
};

extern struct array array;
extern struct counts counts;

/* trouble.c */
void trouble_prepare(struct rng *r);
void trouble_meanwhile(struct rng *r);
void trouble_stall_ends(void);
void trouble_over(void);
void trouble_past(void);
bool trouble_power_was_cut(void);
bool trouble_excuses(void);

/* repair.c */
void repair(struct rng *r);
void repair_under_load(struct rng *r);
void wait_until_whole(void);
void look_at_members(void);

/* corrupt.c */
void corrupt(struct rng *r);

/* round.c */
void one_round(struct rng *r, bool last);

static inline bool too_many(u32 members)
{
	return __builtin_popcount(members) > (int)shape.parity;
}

/* One of the members of a mask that is not empty. */
static inline u32 any_of(struct rng *r, u32 members)
{
	u32 skip = below(r, __builtin_popcount(members));

	while (skip--)
		members &= members - 1;
	return __builtin_ctz(members);
}

/* The first zone of a drive that holds data, or is spare. */
static inline u32 first_data_zone(void)
{
	return shape.nr_conventional + LOG_ZONES;
}

#endif /* FAILURES_H */
