// SPDX-License-Identifier: GPL-2.0
/*
 * Options of a command line, from a table.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "options.h"

#define MAX_OPTIONS	32
#define HELP_COLUMN	26

static char repeat[200];

void options_misuse(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("; see --help\n", stderr);
	exit(2);
}

/* Options given whose values change what a seed means, as text to give again. */
const char *options_repeat(void)
{
	return repeat;
}

static void remember(const struct opt *o, const char *argument)
{
	size_t n = strlen(repeat);

	snprintf(repeat + n, sizeof(repeat) - n, " --%s%s%s", o->name,
		 argument ? " " : "", argument ? argument : "");
}

/* ---- usage ----------------------------------------------------------------- */

static void print_help(FILE *out, const char *help, int column)
{
	if (column >= HELP_COLUMN) {
		fputc('\n', out);
		column = 0;
	}
	for (;; column = 0) {
		size_t n = strcspn(help, "\n");

		fprintf(out, "%*s%.*s\n", HELP_COLUMN - column, "", (int)n, help);
		if (!help[n])
			return;
		help += n + 1;
	}
}

static void usage(FILE *out, const struct command *c)
{
	const struct opt *o;

	fprintf(out, "usage: %s [OPTION...]%s%s\n%s",
		program_invocation_short_name, c->operands ? " " : "",
		c->operands ? c->operands : "", c->summary);
	for (o = c->opts; o->name; o++) {
		int column = o->letter ? fprintf(out, "  -%c, ", o->letter) :
			     fprintf(out, "  ");

		column += fprintf(out, "--%s", o->name);
		if (o->kind != OPT_FLAG)
			column += fprintf(out, " %s", o->argument);
		print_help(out, o->help, column);
	}
	if (c->more)
		c->more(out);
}

/* ---- values ---------------------------------------------------------------- */

static u64 number(const struct opt *o, const char *text, char **end)
{
	u64 value;

	errno = 0;
	value = strtoull(text, end, 0);
	if (*end == text || errno || strchr(text, '-'))
		options_misuse("--%s: '%s' is not a number", o->name, text);
	return value;
}

static u64 plain_number(const struct opt *o, const char *text)
{
	char *end;
	u64 value = number(o, text, &end);

	if (*end)
		options_misuse("--%s: '%s' is not a number", o->name, text);
	return value;
}

static u64 size(const struct opt *o, const char *text)
{
	static const char suffixes[] = "KMG";
	u64 value, unit = o->unit ? o->unit : 1;
	const char *suffix;
	char *end;

	value = number(o, text, &end);
	if (*end) {
		suffix = strchr(suffixes, *end);
		if (!suffix || end[1])
			options_misuse("--%s: '%s' is not a size", o->name, text);
		unit = 1024ULL << 10 * (suffix - suffixes);
	}
	if (__builtin_mul_overflow(value, unit, &value))
		options_misuse("--%s: %s is too much", o->name, text);
	return value;
}

static int choice(const struct opt *o, const char *text)
{
	const char *word = o->argument;
	int i;

	for (i = 0;; i++) {
		size_t n = strcspn(word, "|");

		if (strlen(text) == n && !memcmp(word, text, n))
			return i;
		if (!word[n])
			options_misuse("--%s: '%s' is none of %s", o->name,
				       text, o->argument);
		word += n + 1;
	}
}

static u64 in_range(const struct opt *o, u64 value)
{
	u64 most = o->most;

	if (!most && o->kind == OPT_INT)
		most = INT32_MAX;
	if (!most && o->kind == OPT_U32)
		most = UINT32_MAX;
	if (value < o->least || (most && value > most))
		options_misuse("--%s: %" PRIu64 " is not between %" PRIu64 " and %" PRIu64,
			       o->name, value, o->least,
			       most ? most : UINT64_MAX);
	return value;
}

static void take(const struct opt *o, const char *argument)
{
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		break;
	case OPT_INT:
		*(int *)o->value = in_range(o, plain_number(o, argument));
		break;
	case OPT_U32:
		*(u32 *)o->value = in_range(o, plain_number(o, argument));
		break;
	case OPT_U64:
		*(u64 *)o->value = in_range(o, plain_number(o, argument));
		break;
	case OPT_SIZE:
		*(u64 *)o->value = in_range(o, size(o, argument));
		break;
	case OPT_TEXT:
		*(const char **)o->value = argument;
		break;
	case OPT_CHOICE:
		*(int *)o->value = choice(o, argument);
		break;
	}
	if (o->repeat)
		remember(o, argument);
}

/**
 * options_parse() - read a command line
 * @c: what it may hold
 * @argc: of main()
 * @argv: of main()
 *
 * Ends the program when it is not as it should be, or after --help.
 *
 * Return: the operands
 */
char **options_parse(const struct command *c, int argc, char **argv)
{
	struct option longs[MAX_OPTIONS + 2] = { { NULL } };
	char letters[2 * MAX_OPTIONS + 2] = "h", *l = letters + 1;
	const struct opt *o;
	int nr, index, found;

	for (nr = 0; c->opts[nr].name; nr++) {
		o = &c->opts[nr];
		if (nr == MAX_OPTIONS)
			abort();
		longs[nr].name = o->name;
		longs[nr].has_arg = o->kind == OPT_FLAG ? no_argument :
				    required_argument;
		if (!strcmp(o->name, "seed"))
			*(u64 *)o->value = time(NULL) * 1000003ULL + getpid();
		if (!o->letter)
			continue;
		*l++ = o->letter;
		if (o->kind != OPT_FLAG)
			*l++ = ':';
	}
	longs[nr].name = "help";
	while (index = nr, (found = getopt_long(argc, argv, letters, longs, &index)) != -1) {
		if (found == '?') {
			usage(stderr, c);
			exit(2);
		}
		if (found == 'h' || (!found && index == nr)) {
			usage(stdout, c);
			exit(0);
		}
		for (o = c->opts; found && o->letter != found; o++)
			;
		take(found ? o : &c->opts[index], optarg);
	}
	if (c->nr_operands < 0 ? optind == argc :
	    argc - optind != c->nr_operands) {
		usage(stderr, c);
		exit(2);
	}
	return argv + optind;
}
