/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deliberate mistakes in the protocols, for tests that must notice them.
 *
 * A module built with RAIZN_MUTANTS (tests only) makes the mistake that its
 * parameter "mutant" names by number; any other is built without all of this.
 */
#ifndef RAIZN_MUTANT_H
#define RAIZN_MUTANT_H

/* tests/rig/mutants.sh has a line for each of them. */
enum raizn_mutant {
	RAIZN_MUTANT_NONE,
	/* A log switch does not log the tails again. */
	RAIZN_MUTANT_DROP_PP_EARLY,
	/* A log switch resets the old log zone before the new one is durable. */
	RAIZN_MUTANT_LOG_RESET_BEFORE_FLUSH,
	/* Members' zones are reset before the intent is durable. */
	RAIZN_MUTANT_RESET_WITHOUT_INTENT,
	/* The next life of a zone begins before its generation is durable. */
	RAIZN_MUTANT_RESET_WITHOUT_DONE,
	/* Recovery takes partial parity of any generation. */
	RAIZN_MUTANT_ANY_GENERATION,
	/* A flush does not log the tails. */
	RAIZN_MUTANT_FLUSH_WITHOUT_PP,
	/* A flush does not reach the members. */
	RAIZN_MUTANT_FLUSH_NOT_SENT,
	/* A flush's records of partial parity are no FUA writes. */
	RAIZN_MUTANT_RECORD_NOT_FUA,
	/* A FUA write is acknowledged although what is before it is not durable. */
	RAIZN_MUTANT_FUA_ALONE,
	/* The finish record is written before the zone's data is durable. */
	RAIZN_MUTANT_FINISH_WITHOUT_FLUSH,
	/* Recovery fills data and leaves parity out. */
	RAIZN_MUTANT_FILL_WITHOUT_PARITY,
	/* Recovery tries the newest partial parity only. */
	RAIZN_MUTANT_NO_FALLBACK,
	/* A column's new place is logged before the copy is durable. */
	RAIZN_MUTANT_MAP_BEFORE_FLUSH,
	/* Recovery drops the old partial-parity logs before it writes new ones. */
	RAIZN_MUTANT_OLD_LOGS_FIRST,
	/* "Clean" is written without a flush before it. */
	RAIZN_MUTANT_CLEAN_WITHOUT_FLUSH,
	/* Bios end before the failure that was absorbed for them is durable. */
	RAIZN_MUTANT_FAIL_NOT_HELD,
	/* That a column failed is not recorded. */
	RAIZN_MUTANT_COLUMN_NOT_RECORDED,
	/* A zone goes on without a column whose data in the tail nobody computed. */
	RAIZN_MUTANT_DEGRADE_WITHOUT_TAIL,
	/* Of a member that is back, zones of any generation count. */
	RAIZN_MUTANT_BACK_ANY_GENERATION,
	/* A reset does not reach a member that is being rebuilt. */
	RAIZN_MUTANT_RESET_NOT_REBUILDING,
	/* A scrub believes what it saw of a zone that was reset meanwhile. */
	RAIZN_MUTANT_SCRUB_ACROSS_RESET,
	/* Answer a read with what was decoded while its zone was reset. */
	RAIZN_MUTANT_DECODE_ACROSS_RESET,
	/* A reset takes back what a rebuild has just completed. */
	RAIZN_MUTANT_DONE_CANCELLED,
	/* A full zone gives up its place before it is durable. */
	RAIZN_MUTANT_RELEASED_UNSETTLED,
	/* A flush without the worker does not wait for its records. */
	RAIZN_MUTANT_FLUSH_BEFORE_RECORDS,
	/* Data that its owner may change is not copied. */
	RAIZN_MUTANT_NOT_COPIED,
	/* A flush does not wait for the parity of a stripe that has become full. */
	RAIZN_MUTANT_FLUSH_BEFORE_PARITY,
	RAIZN_NR_MUTANTS,
};

#ifdef RAIZN_MUTANTS
extern unsigned int raizn_mutant;
#endif

/* Is this the mistake to make? */
static inline bool raizn_is_mutant(enum raizn_mutant which)
{
#ifdef RAIZN_MUTANTS
	return READ_ONCE(raizn_mutant) == which;
#else
	return false;
#endif
}

#endif /* RAIZN_MUTANT_H */
