/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an owner is advised to do.
 */
#ifndef ADVICE_H
#define ADVICE_H

#include "json_out.h"

/**
 * struct advice - one advice
 * @id:		its name, for programs and tests; NULL if there is none
 * @text:	one line; each command in it stands between single quotes, complete but for
 *		words in capital letters
 */
struct advice {
	const char *id;
	char text[1200];
};

/**
 * advise() - fill an advice
 * @advice:	to be filled
 * @id:		a literal that no other call has: a test carries out the commands of each
 * @format:	text
 *
 * A command that may have to be typed by someone in a hurry must not make things worse.
 */
[[gnu::format(printf, 3, 4)]]
void advise(struct advice *advice, const char *id, const char *format, ...);

/* Add words, without commands, to an advice. */
[[gnu::format(printf, 2, 3)]]
void advice_add(struct advice *advice, const char *format, ...);

/* Add the commands of an advice to a list. */
void advice_commands(const struct advice *advice, struct json_object *list);

#endif /* ADVICE_H */
