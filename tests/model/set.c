// SPDX-License-Identifier: GPL-2.0
#include "set.h"

static u64 *find(const struct set *s, u64 hash)
{
	u64 i = hash >> 8 & (s->size - 1);

	while (s->slot[i] && (s->slot[i] ^ hash) & ~1ULL)
		i = (i + 1) & (s->size - 1);
	return &s->slot[i];
}

static void grow(struct set *s)
{
	struct set bigger = { .size = s->size ? s->size * 2 : 1 << 16 };
	u64 i;

	bigger.slot = calloc(bigger.size, sizeof(u64));
	if (!bigger.slot) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
	for (i = 0; i < s->size; i++)
		if (s->slot[i])
			*find(&bigger, s->slot[i]) = s->slot[i];
	bigger.nr = s->nr;
	free(s->slot);
	*s = bigger;
}

int set_add(struct set *s, u64 hash, bool mark)
{
	u64 *entry;

	if (s->nr * 2 >= s->size)
		grow(s);
	hash |= 2;	/* no entry is zero */
	entry = find(s, hash);
	if (!*entry) {
		s->nr++;
		*entry = (hash & ~1ULL) | mark;
		return 2;
	}
	if (!mark || *entry & 1)
		return 0;
	*entry |= 1;
	return 1;
}

bool set_has(const struct set *s, u64 hash)
{
	return s->nr && *find(s, hash | 2);
}
