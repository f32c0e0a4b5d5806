// SPDX-License-Identifier: GPL-2.0
/*
 * The memory behind the zones: pages, allocated when they are first written.
 *
 * The callers hold zs_group.lock.
 */
#include <linux/highmem.h>
#include <linux/mm.h>

#include "zonesim.h"

static unsigned int nr_pages(const struct zs_zone *zone)
{
	return DIV_ROUND_UP_ULL(zone->cap << SECTOR_SHIFT, PAGE_SIZE);
}

/* The page of a byte of the zone, allocated if it has to be. */
static struct page *page_to_write(struct zs_zone *zone, u64 byte)
{
	struct page **page;

	if (!zone->pages)
		zone->pages = kvcalloc(nr_pages(zone), sizeof(*zone->pages),
				       GFP_NOIO);
	if (!zone->pages)
		return NULL;
	page = &zone->pages[byte >> PAGE_SHIFT];
	if (!*page)
		*page = alloc_page(GFP_NOIO | __GFP_ZERO);
	return *page;
}

/* The page of a byte of the zone, NULL if it was never written. */
static struct page *page_to_read(const struct zs_zone *zone, u64 byte)
{
	return zone->pages ? zone->pages[byte >> PAGE_SHIFT] : NULL;
}

/**
 * zs_store_write - keep the data of a write
 * @zone:	zone it goes to
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
	struct req_iterator iter;
	struct bio_vec bvec;

	rq_for_each_segment(bvec, rq, iter) {
		unsigned int done = 0;

		while (done < bvec.bv_len && byte < end) {
			unsigned int in_page = offset_in_page(byte);
			unsigned int n = min_t(u64, end - byte,
					       min_t(u64, bvec.bv_len - done,
						     PAGE_SIZE - in_page));
			struct page *page = page_to_write(zone, byte);

			if (!page)
				return false;
			memcpy_page(page, in_page, bvec.bv_page,
				    bvec.bv_offset + done, n);
			done += n;
			byte += n;
		}
		if (byte == end)
			break;
	}
	return true;
}

/* Bytes of one page of the zone, from @byte on, go to a page of a request. */
static void read_bytes(struct zs_zone *zone, u64 byte, u64 end,
		       struct page *to, unsigned int to_offset, unsigned int n,
		       u8 fill)
{
	struct page *page = byte < end ? page_to_read(zone, byte) : NULL;
	unsigned int there = 0;

	if (page) {
		there = min_t(u64, n, end - byte);
		memcpy_page(to, to_offset, page, offset_in_page(byte), there);
	}
	if (there < n) {
		void *mapped = kmap_local_page(to);

		memset(mapped + to_offset + there, fill, n - there);
		kunmap_local(mapped);
	}
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
		unsigned int done = 0;

		while (done < bvec.bv_len) {
			unsigned int n = min_t(u64, bvec.bv_len - done,
					       PAGE_SIZE - offset_in_page(byte));

			read_bytes(zone, byte, end_byte, bvec.bv_page,
				   bvec.bv_offset + done, n, fill);
			done += n;
			byte += n;
		}
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
	struct page *page = page_to_read(zone, byte);
	unsigned int i;
	u8 *mapped;

	if (!page)
		return;
	mapped = kmap_local_page(page);
	for (i = 0; i < SECTOR_SIZE; i++)
		mapped[offset_in_page(byte) + i] ^= 0xff;
	kunmap_local(mapped);
}

/**
 * zs_store_free - give the memory of a zone back
 * @zone:	zone
 */
void zs_store_free(struct zs_zone *zone)
{
	unsigned int i;

	if (!zone->pages)
		return;
	for (i = 0; i < nr_pages(zone); i++)
		if (zone->pages[i])
			__free_page(zone->pages[i]);
	kvfree(zone->pages);
	zone->pages = NULL;
}
