/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel says while it refuses something.
 */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include <stddef.h>

/**
 * struct kernel_log - the kernel's messages from one moment on
 * @fd:	/dev/kmsg, or -1 if it cannot be read
 */
struct kernel_log {
	int fd;
};

void kernel_log_open(struct kernel_log *log);
void kernel_log_close(struct kernel_log *log);

/**
 * kernel_log_explain() - say why the kernel refused something
 * @log:	opened before it did
 * @name:	the array
 * @what:	what it did not do, as "start the array"
 * @otherwise:	what to say when the kernel log tells nothing
 *
 * Return: TOOL_FAILED, after one line.
 */
int kernel_log_explain(struct kernel_log *log, const char *name,
		       const char *what, const char *otherwise);

/**
 * kernel_log_find() - the last thing the target said about something
 * @log:	opened before it did
 * @word:	what it must contain
 * @said:	result, from @word on; empty if there was none
 * @size:	bytes at @said
 */
void kernel_log_find(struct kernel_log *log, const char *word, char *said,
		     size_t size);

#endif /* KERNEL_LOG_H */
