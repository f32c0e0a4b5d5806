/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of raizn inspect.
 */
#ifndef INSPECT_H
#define INSPECT_H

#include "member.h"

/*
 * Each prints one part of what stands on @member.  As JSON that is one member
 * of an object whose braces the caller prints; these print no comma.
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int inspect_superblock(const struct member *member, bool json);
int inspect_log(const struct member *member, bool json);
int inspect_zones(const struct member *member, bool json);

/* Number of the drive's zone that log zone @index is. */
static inline u32 log_zone_number(const struct member *member, u32 index)
{
	return member->first_zone + index;
}

/* English name of a log's role. */
const char *log_role_name(u8 role);

#endif /* INSPECT_H */
