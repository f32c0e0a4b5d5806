/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the commands share that change the members of a running array.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include "running.h"
#include "tool.h"

/* Parse a command line with --force and what progress.h has; the arguments are at optind.
 * Return TOOL_OK, or an exit code after a message.
 */
int service_parse_force(const struct command *self, int argc, char **argv,
			bool *force);

/* Has the member in @slot failed, or is there none? */
bool service_slot_gone(const struct running *running, u32 slot);

/* Can the array do without @slot?  Return TOOL_OK, or TOOL_REFUSED after a message. */
int service_check_spared(const struct running *running, u32 slot);

#endif /* SERVICE_H */
