/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As what this machine saw the drives of an array last, for when one is missing.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include "member.h"

/* Remember the members that are there; NULL for others.  What is known of those stays.  A
 * machine that cannot write that down does without.
 */
void history_note(const u8 *array, const struct member *const *members, u32 nr);

/**
 * struct seen_text - a drive as it was seen last
 * @s:	", last seen as nvme2n1, serial S123"; empty if it never was
 */
struct seen_text {
	char s[200];
};

struct seen_text history_text(const u8 *array, const u8 *member);

#endif /* HISTORY_H */
