/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making a drive empty.
 */
#ifndef ERASE_H
#define ERASE_H

#include "candidate.h"

/* Destroy all that the drive holds; @fd is open for writing.  Return TOOL_OK, or
 * TOOL_FAILED after a message.
 */
int candidate_erase(const struct candidate *candidate, int fd);

#endif /* ERASE_H */
