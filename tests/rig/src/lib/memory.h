/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of whole pages, for programs of one file.
 */
#ifndef LIB_MEMORY_H
#define LIB_MEMORY_H

#include <err.h>
#include <stddef.h>
#include <sys/mman.h>

static inline void *memory(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap of %zu bytes", bytes);
	return p;
}

#endif /* LIB_MEMORY_H */
