/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trial of drives before anything on them is destroyed.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include "candidate.h"

/**
 * drives_try() - have the kernel append to each drive what metadata is as large as
 * @candidates:	drives that are about to be erased, checked otherwise
 * @nr:		how many
 *
 * An empty zone of each drive is used and emptied again, so that a refusal changes nothing. A
 * drive without one, or with as many active zones as it allows, comes last, and loses one
 * zone. Without a module that can do it a note says that it was not done.
 *
 * Return: TOOL_OK, or an exit code after a message about the first drive that fails.
 */
int drives_try(struct candidate *candidates, u32 nr);

#endif /* TRIAL_H */
