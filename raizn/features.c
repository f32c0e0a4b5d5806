// SPDX-License-Identifier: GPL-2.0
/*
 * Features of the kernel that the module is built for.  Kbuild compiles this file, which is
 * not part of the module: a feature whose lines compile is defined in raizn-features.h for
 * compat.h.  So a kernel of a distribution counts by its contents, not by its version.
 *
 * Each feature begins with "#line 1 "NAME"", so that errors of the compiler name it.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/pagemap.h>
#include <linux/raid/pq.h>

#line 1 "RAIZN_HAS_NOTHING"
int raizn_has_nothing = raizn_undeclared;

#line 1 "RAIZN_HAS_MAPPING_STABLE_WRITES"
bool raizn_has_mapping_stable_writes(struct address_space *mapping);
bool raizn_has_mapping_stable_writes(struct address_space *mapping)
{
	return mapping_stable_writes(mapping);
}

#line 1 "RAIZN_HAS_ZONED_MODEL"
bool raizn_has_zoned_model(struct block_device *bdev);
bool raizn_has_zoned_model(struct block_device *bdev)
{
	return bdev_zoned_model(bdev) == BLK_ZONED_HM;
}

#line 1 "RAIZN_HAS_ZONE_WRITE_PLUGS"
unsigned int raizn_has_zone_write_plugs(struct gendisk *disk);
unsigned int raizn_has_zone_write_plugs(struct gendisk *disk)
{
	return disk->zone_wplugs_hash_bits;
}

#line 1 "RAIZN_HAS_WRITE_HINT"
unsigned int raizn_has_write_hint(struct bio *bio);
unsigned int raizn_has_write_hint(struct bio *bio)
{
	return bio->bi_write_hint;
}

#line 1 "RAIZN_HAS_HW_ZONE_APPEND_LIMIT"
unsigned int raizn_has_hw_zone_append_limit(struct queue_limits *limits);
unsigned int raizn_has_hw_zone_append_limit(struct queue_limits *limits)
{
	return limits->max_hw_zone_append_sectors;
}

#line 1 "RAIZN_HAS_RAID6_CALL"
void *raizn_has_raid6_call(void);
void *raizn_has_raid6_call(void)
{
	return raid6_call.gen_syndrome;
}

#line 1 "RAIZN_HAS_REPORT_ARGS"
void *raizn_has_report_args(struct dm_report_zones_args *args);
void *raizn_has_report_args(struct dm_report_zones_args *args)
{
	return args->rep_args;
}
