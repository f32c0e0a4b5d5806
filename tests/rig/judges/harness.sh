# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios in which programs of other people judge the volume:
# what they find is compared with what they find on a plain zoned drive of the
# same geometry.
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
scenario

VOLUME=judged

# Four drives with zones of 1 MiB make a volume with zones of 4 MiB, of which
# 3 MiB can be written. 16 of its 256 zones can be open or active.
RIG_MEMBERS=4
RIG_MEMBER_SETTINGS=(zone_size=1 zone_capacity=1 size=263 zone_max_open=21
		     zone_max_active=21)

judged_volume_up()
{
	volume_up --stripe-unit 16K --spare-zones 2
}

# plain_drive_up: the drive PLAIN has the geometry of the volume.
plain_drive_up()
{
	local queue=/sys/block/$DEV_NAME/queue zone capacity

	zone=$(cat "$queue/chunk_sectors")
	capacity=$(($(blkzone report -c 1 "$DEV" |
		      sed -n 's/.*, cap \(0x[0-9a-f]*\),.*/\1/p')))
	PLAIN=$(nullblk create plain \
		size=$(($(cat "/sys/block/$DEV_NAME/size") / 2048)) \
		zone_size=$((zone / 2048)) zone_capacity=$((capacity / 2048)) \
		zone_max_open="$(cat "$queue/max_open_zones")" \
		zone_max_active="$(cat "$queue/max_active_zones")" \
		blocksize="$(cat "$queue/logical_block_size")") || return 1
	RIG_DRIVES+=(plain)
	rig_scheduler "$PLAIN"
}
