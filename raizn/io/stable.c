// SPDX-License-Identifier: GPL-2.0
/*
 * Keep data stable from the moment at which parity is computed until all members have the
 * data.
 *
 * The owner of a buffer may change it while a write is under way: a program that writes
 * with O_DIRECT, or the owner of memory that a program mapped. The members would get other
 * data than parity was computed from, and a lost member's data of that row, also that of
 * other users, could not be reconstructed. So such data is copied first. Page cache under
 * write-back is stable, because the volume asks for that (stable_writes), and so is the
 * kernel's own memory.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "io/io.h"

/* Without waiting: all callers have a fallback. */
#define GFP_COPY	(GFP_NOWAIT | __GFP_NOWARN | __GFP_NORETRY | __GFP_COMP)

/* May the data of a page change? Its folio tells. */
static bool page_may_change(struct page *page, bool direct)
{
	struct folio *folio = page_folio(page);
	struct address_space *mapping;

	if (folio_test_slab(folio))
		return false;
	/* A user that pinned the page, such as direct I/O, can change it without a page table. */
	if (folio_test_anon(folio) || folio_maybe_dma_pinned(folio))
		return true;
	mapping = READ_ONCE(folio->mapping);
	/* A driver's memory that users have mapped. */
	if (!mapping)
		return raizn_folio_mapped(folio);
	/* Write-back of a file's memory may be to another drive, which asks for nothing. */
	return direct || !folio_test_writeback(folio) ||
	       !raizn_write_back_is_stable(mapping);
}

/**
 * raizn_bio_may_change() - may a write's data change while it is under way?
 * @bio:	write or append with data
 *
 * Context: any. Return: true unless the data is known to be stable.
 */
bool raizn_bio_may_change(struct bio *bio)
{
	/* Set by direct I/O, and kept by drivers that pass it on; write-back never sets it. */
	bool direct = bio->bi_opf & REQ_IDLE;
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_segment(bv, bio, iter)
		if (page_may_change(bv.bv_page, direct))
			return true;
	return false;
}

/**
 * raizn_copy_alloc() - allocate memory for copies of a batch's data
 * @oz:		open zone with a batch
 * @bytes:	bytes to be copied; at least a page is allocated
 * @gfp:	GFP_NOIO, which waits for copies that are under way, or GFP_NOWAIT
 *
 * The copies are freed with the batch: see raizn_copies_free().
 *
 * Context: the caller has claimed the zone; with GFP_NOIO its batch holds no copy yet.
 * Return: a page of the order that compound_order() tells, or NULL.
 */
struct page *raizn_copy_alloc(struct raizn_open_zone *oz, u32 bytes, gfp_t gfp)
{
	struct raizn_array *arr = oz->zone->arr;
	struct raizn_batch *batch = oz->batch;
	struct page *page = NULL;
	u32 order = 0;

	while (order < RAIZN_COPY_ORDER && bytes >= PAGE_SIZE << (order + 1))
		order++;
	if (order)
		page = alloc_pages(GFP_COPY, order);
	if (!page)
		page = mempool_alloc(&arr->copy_pool, gfp | __GFP_NOWARN);
	if (!page)
		return NULL;
	list_add(&page->lru, &batch->copies);
	batch->held += page_size(page);
	return page;
}

/**
 * raizn_copies_alloc() - allocate all pages for copies of a batch's data, or none
 * @batch:	batch
 * @pages:	filled
 * @nr:		number of pages
 * @bytes:	size of each page, a power of two
 *
 * Context: the caller has claimed the zone.
 * Return: false if the kernel does not have all of the memory at hand.
 */
bool raizn_copies_alloc(struct raizn_batch *batch, struct page **pages, u32 nr,
			u32 bytes)
{
	u32 order = get_order(bytes);
	u32 i;

	for (i = 0; i < nr; i++) {
		pages[i] = alloc_pages(GFP_COPY, order);
		if (!pages[i])
			break;
	}
	if (i < nr) {
		while (i--)
			__free_pages(pages[i], order);
		return false;
	}
	while (i--)
		list_add(&pages[i]->lru, &batch->copies);
	batch->held += nr * bytes;
	return true;
}

/**
 * raizn_copies_free() - free the copies of a batch that is written
 * @arr:	array
 * @batch:	batch
 *
 * Context: any.
 */
void raizn_copies_free(struct raizn_array *arr, struct raizn_batch *batch)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &batch->copies, lru) {
		list_del(&page->lru);
		if (PageCompound(page))
			__free_pages(page, compound_order(page));
		else
			mempool_free(page, &arr->copy_pool);
	}
}
