// SPDX-License-Identifier: GPL-2.0
/*
 * The list of blocks that are lost: see bad_blocks.h.
 */
#include "bad_blocks.h"

static u32 end_of(const struct raizn_bad_block *block)
{
	return block->sector + block->nr;
}

/* Are two entries of the same column, in the same place and life of its zone? */
static bool same_column(const struct raizn_bad_block *a, const struct raizn_bad_block *b)
{
	return a->zone == b->zone && a->column == b->column &&
	       a->physical == b->physical && a->generation == b->generation;
}

static bool overlap(const struct raizn_bad_block *a, const struct raizn_bad_block *b)
{
	return a->sector < end_of(b) && b->sector < end_of(a);
}

/* Put rows into an entry that they extend, or that has them.  Returns whether there is one. */
static bool extend(struct raizn_bad_block *entry, const struct raizn_geometry *geo,
		   const struct raizn_bad_block *block)
{
	u32 end = end_of(entry);

	if (!same_column(entry, block) || entry->flags != block->flags ||
	    entry->sector >> geo->su_shift != block->sector >> geo->su_shift ||
	    block->sector > end || end_of(block) < entry->sector)
		return false;
	if (end < end_of(block))
		end = end_of(block);
	if (entry->sector > block->sector)
		entry->sector = block->sector;
	entry->nr = end - entry->sector;
	return true;
}

int raizn_bad_blocks_add(struct raizn_bad_blocks *list, const struct raizn_geometry *geo,
			 const struct raizn_bad_block *block)
{
	u32 i;

	/* No reader would accept such an entry, nor any other one of its record. */
	if (block->physical == RAIZN_NOWHERE)
		return 0;
	for (i = 0; i < list->nr; i++)
		if (extend(&list->at[i], geo, block))
			return 0;
	if (list->nr == RAIZN_BAD_BLOCKS_MAX)
		return -ENOSPC;
	list->at[list->nr++] = *block;
	return 0;
}

bool raizn_bad_blocks_find(const struct raizn_bad_blocks *list,
			   const struct raizn_bad_block *block)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		if (same_column(&list->at[i], block) && overlap(&list->at[i], block) &&
		    (list->at[i].flags & block->flags) == block->flags)
			return true;
	return false;
}

static void drop_entry(struct raizn_bad_blocks *list, u32 i)
{
	list->at[i] = list->at[--list->nr];
}

bool raizn_bad_blocks_cut(struct raizn_bad_blocks *list, u32 zone, u32 column,
			  u32 physical, u32 sector)
{
	struct raizn_bad_block *entry;
	bool changed = false;
	u32 i = 0;

	while (i < list->nr) {
		entry = &list->at[i];
		if (entry->zone != zone || entry->column != column ||
		    entry->physical != physical || end_of(entry) <= sector) {
			i++;
			continue;
		}
		changed = true;
		if (entry->sector < sector)
			entry->nr = sector - entry->sector;
		else
			drop_entry(list, i);
	}
	return changed;
}

bool raizn_bad_blocks_shrink(struct raizn_bad_blocks *list,
			     const struct raizn_bad_block *block)
{
	struct raizn_bad_block *entry;
	u32 i;

	for (i = 0; i < list->nr; i++) {
		entry = &list->at[i];
		if (!same_column(entry, block) || entry->flags || block->nr > entry->nr ||
		    (block->sector != entry->sector && end_of(block) != end_of(entry)))
			continue;
		if (block->sector == entry->sector)
			entry->sector += block->nr;
		entry->nr -= block->nr;
		if (!entry->nr)
			drop_entry(list, i);
		return true;
	}
	return false;
}

/* Is there a placeholder in any of the rows, of whichever column? */
static bool has_placeholder(const struct raizn_bad_blocks *list,
			    const struct raizn_bad_block *block)
{
	const struct raizn_bad_block *entry;

	for (entry = list->at; entry < list->at + list->nr; entry++)
		if (entry->zone == block->zone && overlap(entry, block) &&
		    entry->flags & RAIZN_BAD_PLACEHOLDER)
			return true;
	return false;
}

static bool is_of_zone(const struct raizn_bad_block *block, u32 zone)
{
	return zone == RAIZN_ZONE_ALL || block->zone == zone;
}

bool raizn_bad_blocks_keep(struct raizn_bad_blocks *list, u32 zone,
			   bool (*counts)(const struct raizn_bad_block *block, void *data),
			   void *data)
{
	u32 before = list->nr;
	u32 i = 0;

	while (i < list->nr) {
		if (!is_of_zone(&list->at[i], zone) || counts(&list->at[i], data))
			i++;
		else
			drop_entry(list, i);
	}
	for (i = 0; i < list->nr;) {
		if (!is_of_zone(&list->at[i], zone) ||
		    has_placeholder(list, &list->at[i]))
			i++;
		else
			drop_entry(list, i);
	}
	return list->nr != before;
}

bool raizn_bad_block_offset(const struct raizn_geometry *geo,
			    const struct raizn_bad_block *block, u32 *offset)
{
	u32 stripe = block->sector >> geo->su_shift;
	u32 pc = raizn_parity_column(geo, block->zone, stripe);
	u32 nth = (block->column + geo->nr_members - pc) % geo->nr_members;

	*offset = stripe * geo->stripe + (block->sector & (geo->su - 1));
	if (raizn_is_mirror(geo))
		return true;
	if (nth < geo->nr_parity)
		return false;
	*offset += (nth - geo->nr_parity) << geo->su_shift;
	return true;
}

bool raizn_bad_blocks_lists_first(const struct raizn_bad_blocks *list,
				  const struct raizn_geometry *geo, u32 i)
{
	const struct raizn_bad_block *block = &list->at[i];
	u32 offset;

	if (!raizn_bad_block_offset(geo, block, &offset))
		return false;
	while (raizn_is_mirror(geo) && i--)
		if (list->at[i].zone == block->zone &&
		    list->at[i].generation == block->generation &&
		    list->at[i].sector <= block->sector &&
		    block->sector < end_of(&list->at[i]))
			return false;
	return true;
}

void raizn_bad_blocks_placeholder(void *buf, u32 bytes, u32 block)
{
	static const char text[] = "Placeholder of dm-raizn for a block that is lost. ";
	u32 i;

	for (i = 0; i < bytes; i++)
		((char *)buf)[i] = text[i % block % (sizeof(text) - 1)];
}

void raizn_bad_blocks_fill(struct raizn_record *rec, const struct raizn_bad_blocks *list)
{
	struct raizn_bad_entry *entry = (void *)(rec + 1);
	const struct raizn_bad_block *block;
	u32 i;

	rec->start = cpu_to_le64(list->version);
	rec->nr_zones = cpu_to_le32(list->nr);
	memset(entry, 0, raizn_bad_blocks_payload(list->nr));
	for (i = 0; i < list->nr; i++, entry++) {
		block = &list->at[i];
		entry->zone = cpu_to_le32(block->zone);
		entry->physical = cpu_to_le32(block->physical);
		entry->generation = cpu_to_le64(block->generation);
		entry->sector = cpu_to_le32(block->sector);
		entry->nr = cpu_to_le32(block->nr);
		entry->column = cpu_to_le16(block->column);
		entry->flags = cpu_to_le16(block->flags);
	}
}

void raizn_bad_blocks_replay(struct raizn_bad_blocks *list, const struct raizn_record *rec)
{
	const struct raizn_bad_entry *entry = (const void *)(rec + 1);
	u64 version = le64_to_cpu(rec->start);
	u32 i;

	if (version < list->version)
		return;
	list->version = version;
	list->nr = le32_to_cpu(rec->nr_zones);
	for (i = 0; i < list->nr; i++, entry++)
		list->at[i] = (struct raizn_bad_block) {
			.generation = le64_to_cpu(entry->generation),
			.zone = le32_to_cpu(entry->zone),
			.physical = le32_to_cpu(entry->physical),
			.sector = le32_to_cpu(entry->sector),
			.nr = le32_to_cpu(entry->nr),
			.column = le16_to_cpu(entry->column),
			.flags = le16_to_cpu(entry->flags),
		};
}
