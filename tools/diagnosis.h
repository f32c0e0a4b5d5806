/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is the matter with an array, and what to do about it.
 */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "overview.h"

/* Fill @condition, @happened and @action of an array that runs, whose @state and
 * @roster are known.
 */
void diagnose_running(struct overview *overview);

/* The same, and @assembly, of one that does not run. */
void diagnose_stopped(struct overview *overview);

/* The same of one under whose UUID something runs that tells nothing: another target, whose
 * name is @target, or, if that is empty, a module of another version.
 */
void diagnose_foreign(struct overview *overview, const char *target);

#endif /* DIAGNOSIS_H */
