/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signatures of file systems, RAIDs and partition tables on a drive.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * signature_find() - look for any signature libblkid knows
 * @fd:		the drive, open for reading without O_DIRECT
 * @path:	for messages
 * @found:	whether there is one, or sectors that could have one cannot be read
 * @text:	what it is, e.g. "a signature (f2fs)"
 * @size:	bytes at @text
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int signature_find(int fd, const char *path, bool *found, char *text,
		   size_t size);

/* Erase all signatures on the drive, whose sequential zones are empty already;
 * return TOOL_OK, or TOOL_FAILED after a message.
 */
int signature_wipe(const char *path);

#endif /* SIGNATURE_H */
