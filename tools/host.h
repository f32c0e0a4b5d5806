/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which machine this is, and whether an array was last used by another.
 */
#ifndef HOST_H
#define HOST_H

#include "../raizn/core/format.h"

/**
 * host_identity() - what superblocks say of this machine
 * @host:	made of machine-id(5), which it does not disclose; zero if there is none
 *
 * The variable RAIZN_HOST has another identity, a UUID.
 *
 * Return: whether the machine has one.
 */
bool host_identity(u8 *host);

/* May another machine than this have started the array last?  False if its superblock names
 * none; true if it names one, and this machine has no identity.
 */
bool host_is_other(const struct raizn_superblock *sb);

/* That machine, for people: "another machine". */
const char *host_other_text(void);

#endif /* HOST_H */
