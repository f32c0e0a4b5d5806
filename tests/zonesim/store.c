// SPDX-License-Identifier: GPL-2.0
/*
 * The memory behind the zones.  A page is allocated when it is first written,
 * unless it repeats one word: of such a page only the word is kept, as zram does,
 * so that zones of gigabytes can be filled with a pattern.
 *
 * The callers hold zs_group.lock.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "zonesim.h"

#define WORDS_OF_PAGE	(PAGE_SIZE / sizeof(unsigned long))

/* Does a page repeat one word, which fits an XArray value? */
static bool repeats_word(const unsigned long *words, unsigned long *word)
{
	unsigned int i;

	*word = words[0];
	if (*word > LONG_MAX || words[WORDS_OF_PAGE - 1] != *word)
		return false;
	for (i = 1; i < WORDS_OF_PAGE - 1; i++)
		if (words[i] != *word)
			return false;
	return true;
}

/* Keeps a word in place of a page. */
static bool keep_word(struct zs_store *store, pgoff_t index, unsigned long word)
{
	void *old = xa_store(&store->pages, index, xa_mk_value(word), GFP_NOIO);

	if (xa_is_err(old))
		return false;
	if (old && !xa_is_value(old))
		__free_page(old);
	return true;
}

/* A page that can be changed, NULL without memory. */
static struct page *page_to_write(struct zs_store *store, pgoff_t index)
{
	void *entry = xa_load(&store->pages, index);
	struct page *page;

	if (entry && !xa_is_value(entry))
		return entry;
	page = alloc_page(GFP_NOIO | __GFP_ZERO);
	if (!page)
		return NULL;
	if (entry)
		memset_l(page_address(page), xa_to_value(entry), WORDS_OF_PAGE);
	if (xa_is_err(xa_store(&store->pages, index, page, GFP_NOIO))) {
		__free_page(page);
		return NULL;
	}
	return page;
}

static bool write_bytes(struct zs_store *store, u64 byte, const u8 *from,
			unsigned int n)
{
	unsigned int offset = offset_in_page(byte);
	pgoff_t index = byte >> PAGE_SHIFT;
	unsigned long word;
	struct page *page;

	if (n == PAGE_SIZE && repeats_word((void *)from, &word))
		return keep_word(store, index, word);
	page = page_to_write(store, index);
	if (!page)
		return false;
	memcpy(page_address(page) + offset, from, n);
	/* It may be complete, and worth no memory, with its last part. */
	if (n < PAGE_SIZE && offset + n == PAGE_SIZE &&
	    repeats_word(page_address(page), &word))
		return keep_word(store, index, word);
	return true;
}

static struct zs_store *new_store(struct zs_zone *zone)
{
	struct zs_store *store = kzalloc(sizeof(*store), GFP_NOIO);

	if (!store)
		return NULL;
	store->zone = zone;
	INIT_LIST_HEAD(&store->dirty);
	xa_init(&store->pages);
	zone->store = store;
	return store;
}

/**
 * zs_store_write - keep the data of a write
 * @zone:	zone it goes to; has a store afterwards
 * @offset:	first sector, relative to the zone
 * @rq:		request with the data
 * @nr_sectors:	how much of them to keep
 *
 * Return: false without memory.
 */
bool zs_store_write(struct zs_zone *zone, sector_t offset, struct request *rq,
		    unsigned int nr_sectors)
{
	u64 byte = (u64)offset << SECTOR_SHIFT;
	u64 end = byte + ((u64)nr_sectors << SECTOR_SHIFT);
	struct zs_store *store = zone->store ?: new_store(zone);
	struct req_iterator iter;
	struct bio_vec bvec;
	bool done = store;

	rq_for_each_segment(bvec, rq, iter) {
		u8 *from = bvec_kmap_local(&bvec);
		unsigned int left = min_t(u64, bvec.bv_len, end - byte);
		unsigned int at = 0, n;

		for (; done && at < left; at += n, byte += n) {
			n = min_t(u64, left - at,
				  PAGE_SIZE - offset_in_page(byte));
			done = write_bytes(store, byte, from + at, n);
		}
		kunmap_local(from);
		if (!done || byte == end)
			break;
	}
	return done;
}

/* A word, repeated from @byte of a page on. */
static void repeat(u8 *to, u64 byte, unsigned int n, unsigned long word)
{
	const u8 *bytes = (u8 *)&word;
	unsigned int i;

	for (i = 0; i < n; i++)
		to[i] = bytes[(byte + i) % sizeof(word)];
}

/* Bytes of one page of the zone, from @byte on, up to the end of its data. */
static void read_bytes(const struct zs_zone *zone, u64 byte, u64 end, u8 *to,
		       unsigned int n, u8 fill)
{
	void *entry = zone->store && byte < end ?
		      xa_load(&zone->store->pages, byte >> PAGE_SHIFT) : NULL;
	unsigned int there = entry ? min_t(u64, n, end - byte) : 0;

	if (there == PAGE_SIZE && xa_is_value(entry))
		memset_l((void *)to, xa_to_value(entry), WORDS_OF_PAGE);
	else if (there && xa_is_value(entry))
		repeat(to, byte, there, xa_to_value(entry));
	else if (there)
		memcpy(to, page_address(entry) + offset_in_page(byte), there);
	memset(to + there, fill, n - there);
}

/**
 * zs_store_read - answer a read
 * @zone:	zone to read from
 * @offset:	first sector, relative to the zone
 * @end:	of the data of the zone
 * @rq:		request to fill
 * @fill:	byte to return where there are no data
 */
void zs_store_read(struct zs_zone *zone, sector_t offset, sector_t end,
		   struct request *rq, u8 fill)
{
	u64 end_byte = (u64)end << SECTOR_SHIFT;
	u64 byte = (u64)offset << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec bvec;

	rq_for_each_segment(bvec, rq, iter) {
		u8 *to = bvec_kmap_local(&bvec);
		unsigned int at, n;

		for (at = 0; at < bvec.bv_len; at += n, byte += n) {
			n = min_t(u64, bvec.bv_len - at,
				  PAGE_SIZE - offset_in_page(byte));
			read_bytes(zone, byte, end_byte, to + at, n, fill);
		}
		kunmap_local(to);
		flush_dcache_page(bvec.bv_page);
	}
}

/**
 * zs_store_flip - change the data of a sector behind everybody's back
 * @zone:	zone
 * @offset:	sector, relative to the zone, below the end of its data
 */
void zs_store_flip(struct zs_zone *zone, sector_t offset)
{
	u64 byte = (u64)offset << SECTOR_SHIFT;
	struct zs_store *store = zone->store;
	struct page *page;
	unsigned int i;
	u8 *bytes;

	if (!store || !xa_load(&store->pages, byte >> PAGE_SHIFT))
		return;
	page = page_to_write(store, byte >> PAGE_SHIFT);
	if (!page)
		return;
	bytes = page_address(page) + offset_in_page(byte);
	for (i = 0; i < SECTOR_SIZE; i++)
		bytes[i] ^= 0xff;
}

/**
 * zs_store_free - give the memory of a zone back
 * @zone:	zone; it has no store afterwards
 */
void zs_store_free(struct zs_zone *zone)
{
	struct zs_store *store = zone->store;
	unsigned long index;
	void *entry;

	if (!store)
		return;
	xa_for_each(&store->pages, index, entry)
		if (!xa_is_value(entry))
			__free_page(entry);
	xa_destroy(&store->pages);
	list_del(&store->dirty);
	kfree(store);
	zone->store = NULL;
}
