/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drives that do not answer.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include <stdbool.h>

/**
 * drive_answers() - does a drive answer who looks at it?
 * @path:	device node
 * @look:	reads what is of interest; what it finds, or prints, is lost
 *
 * Who reads a drive that stalls cannot be interrupted, so another process does it
 * first: that stays behind until the drive, or the kernel's patience, comes to an end.
 * An error is an answer.
 *
 * Return: false when there was none for some seconds.
 */
bool drive_answers(const char *path, void (*look)(const char *path));

#endif /* ANSWER_H */
