// SPDX-License-Identifier: GPL-2.0
/*
 * The target "raizn-trial": does a drive take the zone appends that logs are written with?
 *
 * Table line:
 *   0 LENGTH raizn-trial <device> <sector>
 *
 * Loading the table is the trial: it appends to the empty zone at <sector> as a log does,
 * and reads the data back.  The table loads if both succeed.  User space, which has no
 * interface for zone appends to every drive, resets the zone and does not resume the
 * device.
 */
#include "array/array.h"

/* Contents of an append; no record begins with this byte. */
#define TRIAL_BYTE	0x5a

/* Sizes of the smallest and the largest record, in bytes. */
static const u32 trial_sizes[] = { RAIZN_BLOCK_SIZE, RAIZN_RECORD_MAX };

/* Read or append; @sector is set to the place of the appended data. */
static int trial_io(struct block_device *bdev, blk_opf_t opf, sector_t *sector,
		    void *data, u32 bytes)
{
	struct bio_vec bvec;
	struct bio bio;
	int err;

	bio_init(&bio, bdev, &bvec, 1, opf);
	bio.bi_iter.bi_sector = *sector;
	__bio_add_page(&bio, virt_to_page(data), bytes, offset_in_page(data));
	err = submit_bio_wait(&bio);
	*sector = bio.bi_iter.bi_sector;
	bio_uninit(&bio);
	return err;
}

static int trial_append(struct block_device *bdev, sector_t zone, sector_t expected,
			void *data, u32 bytes, char **error)
{
	sector_t sector = zone;
	int err;

	memset(data, TRIAL_BYTE, bytes);
	err = trial_io(bdev, REQ_OP_ZONE_APPEND | REQ_SYNC | REQ_FUA, &sector, data,
		       bytes);
	if (err) {
		*error = "The zone append failed";
		return err;
	}
	if (sector != expected) {
		*error = "The zone append went to another place than the next one";
		return -EIO;
	}
	memset(data, 0, bytes);
	err = trial_io(bdev, REQ_OP_READ, &sector, data, bytes);
	if (err) {
		*error = "What was appended cannot be read";
		return err;
	}
	if (memchr_inv(data, TRIAL_BYTE, bytes)) {
		*error = "What was appended reads as something else";
		return -EIO;
	}
	return 0;
}

static int trial_run(struct block_device *bdev, sector_t zone, char **error)
{
	sector_t expected = zone;
	void *data;
	int err = 0;
	u32 i;

	data = kmalloc(RAIZN_RECORD_MAX, GFP_KERNEL);
	if (!data) {
		*error = "Out of memory";
		return -ENOMEM;
	}
	for (i = 0; i < ARRAY_SIZE(trial_sizes) && !err; i++) {
		err = trial_append(bdev, zone, expected, data, trial_sizes[i], error);
		expected += trial_sizes[i] >> SECTOR_SHIFT;
	}
	kfree(data);
	return err;
}

static int trial_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct dm_dev *dev;
	u64 zone;
	int err;

	if (argc != 2 || kstrtou64(argv[1], 10, &zone)) {
		ti->error = "Want a device and the first sector of a zone";
		return -EINVAL;
	}
	err = dm_get_device(ti, argv[0], dm_table_get_mode(ti->table), &dev);
	if (err) {
		ti->error = "Cannot open the drive";
		return err;
	}
	if (!raizn_bdev_is_host_managed(dev->bdev) ||
	    zone >= bdev_nr_sectors(dev->bdev) ||
	    zone & (bdev_zone_sectors(dev->bdev) - 1)) {
		ti->error = "No zone of a host-managed zoned drive begins there";
		err = -EINVAL;
	} else {
		err = trial_run(dev->bdev, zone, &ti->error);
	}
	dm_put_device(ti, dev);
	return err;
}

static int trial_map(struct dm_target *ti, struct bio *bio)
{
	return DM_MAPIO_KILL;
}

static struct target_type trial_target = {
	.name	 = "raizn-trial",
	.version = { 1, 0, 0 },
	.module	 = THIS_MODULE,
	.ctr	 = trial_ctr,
	.map	 = trial_map,
};

/**
 * raizn_trial_init() - register the target
 *
 * Return: 0 or -errno.
 */
int raizn_trial_init(void)
{
	return dm_register_target(&trial_target);
}

/**
 * raizn_trial_exit() - undo raizn_trial_init()
 */
void raizn_trial_exit(void)
{
	dm_unregister_target(&trial_target);
}
