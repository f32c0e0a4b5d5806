/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VERSION_H
#define VERSION_H

#define RAIZN_VERSION "0.1.0"

#endif /* VERSION_H */
