/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hot spares: blank drives that take the place of a member that fails.
 */
#ifndef SPARE_H
#define SPARE_H

#include "watch.h"

/**
 * struct spare - a drive that waits
 * @path:	device node
 * @gone:	it was taken, or cannot be
 */
struct spare {
	const char *path;
	bool gone;
};

#define MAX_SPARES	64

/* Look at the drives; those that are not blank, or in use, get a message and are
 * not used.
 */
void spares_check(struct spare *spares, u32 nr);

/* Does an array lack a member, and is there a spare? */
bool spares_are_due(const struct spare *spares, u32 nr, struct watched *array);

/* Give an array that lacks a member a spare, if there is one that fits; return whether it
 * would take one still.  Others may do so for other arrays at the same time.
 */
bool spares_use(struct spare *spares, u32 nr, struct watched *array);

#endif /* SPARE_H */
