/* SPDX-License-Identifier: GPL-2.0 */
/*
 * faults - makes the k-th command of a drive fail, for every k
 *
 * A fixed workload runs on an array of simulated drives (tests/zonesim), and
 * one command of one member fails: the first one of its kind, in the next
 * experiment the second one, and so on until the workload ends without having
 * met the fault. The user of the volume must not notice anything.
 *
 *	main.c		options
 *	enumerate.c	the experiments, one after the other
 *	experiment.c	one of them: workload, fault, what must hold then
 *	double.c	one with a second member failing after the first
 *	pairs.c		pairs of faults that parity makes up for, one after the other
 *	pair.c		one of them
 *	workload.c	what is done to the volume
 *	replace.c	the other workload, in which members are replaced
 *	image.c		makes the drives what they were before
 *
 * Drives, array and model are those of powercut.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "../powercut/powercut.h"

#define NR_KINDS	7
#define NR_VARIANTS	12

/**
 * struct variant - how a command fails
 * @name:	for options and messages
 * @fault:	in the words of the drive's attribute
 * @kinds:	of commands that can fail so, separated by blanks
 * @gone:	the drive is, from then on
 * @main:	tried at every single command
 */
struct variant {
	const char *name;
	const char *fault;
	const char *kinds;
	bool gone;
	bool main;
};

/**
 * struct plan - one experiment
 * @variant:	how the command fails; NULL for no fault
 * @kind:	which kind of command
 * @nth:	of that kind
 * @member:	of which member; shape.members for the drive that becomes one
 * @replaces:	the workload is the one in which members are replaced
 * @at_start:	counted from the array's start on, not from the workload's
 * @ends_by_cut: a power cut ends it, not a clean stop
 * @ends_early:	it is over when the array runs well, in spite of the fault
 * @second:	member that fails after the first, or -1
 * @second_nth:	write of it that fails, counted from the first one's failure
 */
struct plan {
	const struct variant *variant;
	const char *kind;
	u32 nth;
	u32 member;
	bool replaces;
	bool at_start;
	bool ends_by_cut;
	bool ends_early;
	int second;
	u32 second_nth;
};

/**
 * struct pair - one experiment with two faults, which parity makes up for
 * @fault:	both, counted from the workload's begin on, or from that of a start; of two
 *		of the same member, the first one strikes first
 * @ends_by_cut: a power cut ends it, not a clean stop, unless a fault is still to come
 */
struct pair {
	struct plan fault[2];
	bool ends_by_cut;
};

static inline bool is_same_member(const struct pair *p)
{
	return p->fault[0].member == p->fault[1].member;
}

/**
 * enum outcome - of an experiment with a pair
 * @BOTH_STRUCK: and nobody noticed
 * @ONE_STRUCK:	at most; there are not so many commands
 * @IMPOSSIBLE:	the member failed with the first fault
 */
enum outcome {
	BOTH_STRUCK, ONE_STRUCK, IMPOSSIBLE,
};

/**
 * struct tally - what the experiments came to
 * @planned:	experiments, by what the drives were sent in one without a fault
 * @struck:	experiments in which all faults struck that were planned
 * @faults:	that struck
 * @absorbed:	after which the array was whole again
 * @failed:	after which the member did not take part any more
 * @at_stop:	that struck in the stop or the power cut's aftermath
 * @beyond:	that struck while another member was missing
 * @refused_starts: that failed because the fault struck during them
 * @served:	stripe units read with more lost than parity makes up for
 * @refused:	and those that could not be
 * @switches:	most log switches in a workload
 * @impossible:	pairs of which the first fault left no command for the second
 */
struct tally {
	u64 planned, struck, faults, absorbed, failed, at_stop, beyond, refused_starts;
	u64 served, refused, switches, impossible;
};

/**
 * struct only - which experiments there are to be
 * @variant:	the only variant, or NULL
 * @kind:	the only kind of command, or NULL
 * @end:	the only end: 0 a clean stop, 1 a power cut; or -1
 * @member:	the only member that fails, or -1
 * @nth:	the only command that fails, or 0
 * @at_start:	commands of the array's start
 * @none:	no command fails
 * @replaces:	the workload in which members are replaced
 * @twice:	a second member fails after the first
 * @pairs:	pairs of faults that parity makes up for
 * @sample:	so many of them by chance, or 0 for all
 * @seed:	of this chance
 * @second_variant: the only variant of the second of a pair, or NULL
 * @second:	the only one that does, or -1
 * @second_nth:	with its only command
 * @every:	step of the command's number, for the main variants
 * @stride:	the same for the others
 * @after:	each so manieth array is started again
 */
struct only {
	const char *variant;
	const char *kind;
	int end;
	int member;
	u32 nth;
	bool at_start;
	bool none;
	bool replaces;
	bool twice;
	bool pairs;
	u32 sample;
	u64 seed;
	const char *second_variant;
	int second;
	u32 second_nth;
	u32 every;
	u32 stride;
	u32 after;
};

extern struct only only;
extern struct tally tally;
extern const struct variant variants[NR_VARIANTS];

/* Of commands; and how many of each a drive gets without a fault. */
extern const char * const kinds[NR_KINDS];
extern u64 commands[NR_KINDS][MAX_DRIVES];

/* enumerate.c */
int experiments_run(void);

/* image.c */
void image_save(void);
void image_restore(void);

/* workload.c */
void workload_fill(u32 zone);
void workload_reads(void);
void workload_run(void);

/* experiment.c */
bool no_excuse(void);
void plan_describe(const struct plan *p, char *text, size_t size);
void array_begin(void);
void array_start(u32 absent, bool degraded);
void settle_down(struct volume_state *s);
bool takes_part(const struct volume_state *s, u32 member);
void check_letters(u32 suspects, const struct volume_state *s);
void check_struck(const struct plan *p, u32 suspects, struct volume_state *s);
void check_parity(struct volume_state *s);
u64 plan_fault(const struct plan *p);
bool conclude(const struct plan *p, u64 times);
bool experiment(const struct plan *p);
void experiment_without(const struct plan *p);
void experiment_count(const struct plan *p);

/* replace.c */
void replace_begin(void);
void replace_run(void);
void replace_end(void);
bool experiment_replace(const struct plan *p);

/* double.c */
bool experiment_double(const struct plan *p);

/* pair.c */
extern u64 pair_commands[MAX_MEMBERS];
void pair_count(void);
void pair_describe(const struct pair *p, char *text, size_t size);
enum outcome experiment_pair(const struct pair *p);

/* pairs.c */
void pairs_run(void);

#endif /* FAULTS_H */
