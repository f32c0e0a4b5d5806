/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which file systems a volume can hold, and what makes them.
 */
#ifndef MKFS_ADVICE_H
#define MKFS_ADVICE_H

#include "../raizn/core/geometry.h"
#include "limits.h"

/**
 * mkfs_advice() - print for each file system the line to type, or why there is none
 * @name:	of the array
 * @geo:	its geometry
 * @limits:	what may be open and active at once
 * @write_through: completed writes are durable
 */
void mkfs_advice(const char *name, const struct raizn_geometry *geo,
		 const struct limits *limits, bool write_through);

#endif /* MKFS_ADVICE_H */
