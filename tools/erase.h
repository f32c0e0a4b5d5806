/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making a drive empty.
 */
#ifndef ERASE_H
#define ERASE_H

#include "candidate.h"
#include "progress.h"

/* Sequential zones that are not empty, which takes time to change. */
u32 candidate_written_zones(const struct candidate *candidate);

/**
 * candidate_erase() - destroy all that a drive holds
 * @candidate:	the drive
 * @fd:		open for writing
 * @progress:	counts the zones that were written
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int candidate_erase(const struct candidate *candidate, int fd,
		    struct progress *progress);

#endif /* ERASE_H */
