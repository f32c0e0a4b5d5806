/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RAIZN_VERSION_H
#define RAIZN_VERSION_H

/* Version of module, tools and packages; dkms.conf and the Makefile read the next line. */
#define RAIZN_VERSION "0.1.0"

#endif /* RAIZN_VERSION_H */
