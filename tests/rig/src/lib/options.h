/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of a command line, from a table that says where their values go.
 */
#ifndef LIB_OPTIONS_H
#define LIB_OPTIONS_H

#include <stdio.h>

#include "common.h"

/**
 * enum opt_kind - type of an option's argument, and of its variable
 * @OPT_FLAG:	no argument; bool
 * @OPT_INT:	a number; int
 * @OPT_U32:	a number; u32
 * @OPT_U64:	a number; u64
 * @OPT_SIZE:	bytes; u64. A plain number counts @unit bytes, one with the suffix
 *		K, M or G so many KiB, MiB or GiB
 * @OPT_TEXT:	any text; const char *
 * @OPT_CHOICE:	one of the words of @argument, which are separated by '|'; its index,
 *		int
 */
enum opt_kind {
	OPT_FLAG, OPT_INT, OPT_U32, OPT_U64, OPT_SIZE, OPT_TEXT, OPT_CHOICE,
};

/**
 * struct opt - an option
 * @name:	--NAME
 * @letter:	-L as well, if not 0
 * @kind:	of the argument
 * @value:	variable for the value
 * @argument:	its name in the usage, or the words of a choice
 * @help:	for the usage; a line each
 * @least:	smallest number allowed; for sizes in bytes
 * @most:	largest number allowed, 0 for no limits
 * @unit:	of a size, in bytes
 * @repeat:	it changes the meaning of a seed: part of options_repeat()
 */
struct opt {
	const char *name;
	char letter;
	enum opt_kind kind;
	void *value;
	const char *argument;
	const char *help;
	u64 least;
	u64 most;
	u64 unit;
	bool repeat;
};

/* The option of a seed, a u64 that options_parse() begins with the time. */
#define OPT_SEED(variable) {						\
	.name = "seed", .letter = 's', .kind = OPT_U64,			\
	.value = (variable), .argument = "S",				\
	.help = "of everything random (default: the time)",		\
}

/**
 * struct command - a program's command line
 * @summary:	text of the usage above the options
 * @operands:	words behind the options in the usage
 * @nr_operands: how many there have to be; -1 for at least one
 * @opts:	options, ended by one without a name; --help is one more
 * @more:	prints more of the usage, below the options; may be NULL
 */
struct command {
	const char *summary;
	const char *operands;
	int nr_operands;
	const struct opt *opts;
	void (*more)(FILE *out);
};

char **options_parse(const struct command *c, int argc, char **argv);
void options_misuse(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
const char *options_repeat(void);

#endif /* LIB_OPTIONS_H */
