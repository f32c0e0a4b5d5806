/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics of running arrays for Prometheus, by way of a file that its node_exporter
 * picks up.
 */
#ifndef METRICS_H
#define METRICS_H

#include "watch.h"

/* Write the file anew: whoever reads it finds the old one or the new one.  Return
 * TOOL_OK, or TOOL_FAILED after a message.
 */
int metrics_write(const struct watch *watch, const char *path);

#endif /* METRICS_H */
