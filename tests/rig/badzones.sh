#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones of members turn read-only or offline, or are found full, while the array is
# stopped or at a power cut: each is a missing column of its zone only, and is
# rebuilt into a spare zone by the next start.
#
# Simulated drives (tests/zonesim).
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
suite badzones

GROUP=/sys/kernel/config/zonesim/badzones
VOLUME=badzones
DEV=/dev/mapper/$VOLUME
SPARE=4
RESERVED=$((5 + SPARE))

make_array()
{
	local i drive

	for i in 0 1 2 3 4; do
		drive=$GROUP/bz$i
		mkdir "$drive" || return 1
		echo 28 >"$drive/nr_zones"
		echo 2048 >"$drive/zone_size_kib"
		echo 1536 >"$drive/zone_capacity_kib"
		echo 4096 >"$drive/block_size"
		echo 14 >"$drive/max_open"
		echo 14 >"$drive/max_active"
		echo 1 >"$drive/write_cache"
		echo 1 >"$drive/fua"
	done
	echo 1 >$GROUP/power
	raizn create $VOLUME /dev/bz{0..4} --stripe-unit 16K \
		--spare-zones $SPARE >/dev/null || return 1
	TABLE=$(dmsetup table $VOLUME)
	ZONE=$(cat "/sys/block/$(sysfs_name $DEV)/queue/chunk_sectors")
}

drop_array()
{
	dmsetup remove --retry $VOLUME && rmdir $GROUP/bz*
}

# Zone 0 full, 1 and 2 open in the middle of a stripe, 3 finished, 4 empty.
fill_zones()
{
	local zone blocks

	for zone in 0 1 2 3; do
		blocks=$((6 * 256))
		((zone == 0)) || blocks=$((600 + 37 * zone))
		dd if=/dev/urandom of=$DEV bs=4k count=$blocks status=none \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512)) \
			conv=notrunc || return 1
	done
	blkzone finish -o $((3 * ZONE)) -c 1 $DEV && sync $DEV
}

sums()
{
	dd if=$DEV bs=1M count=$((5 * ZONE / 2048)) iflag=direct status=none |
		sha256sum
}

# spoil MEMBER ZONE CONDITION: the member zone that is a zone's home.
spoil()
{
	echo "$((RESERVED + $2)) $3" >"$GROUP/bz$1/zone_cond"
}

start()
{
	dmsetup create $VOLUME --table "$TABLE${1:-}" && dmsetup mknodes $VOLUME
}

rebuilt()
{
	kernel_log_new | grep -o '[0-9]* rebuilt' | tail -n 1
}

# spoiled WHAT: zones of different members, all of them after a stop or a cut.
spoiled()
{
	local before cut=$1 what=$2

	check "$what: an array" make_array || return
	check "$what: data" fill_zones
	before=$(sums)
	if ((cut)); then
		echo 0 >$GROUP/power
		dmsetup remove --retry $VOLUME
		echo 1 >$GROUP/power
	else
		check "$what: stop" dmsetup remove --retry $VOLUME
	fi
	spoil 0 0 offline
	spoil 1 1 readonly
	spoil 2 2 offline
	spoil 3 3 readonly
	spoil 4 4 readonly
	kernel_log_new >/dev/null
	check "$what: start" start
	check_equal "$what: all are rebuilt" "$(rebuilt)" "5 rebuilt"
	check_equal "$what: data are right" "$(sums)" "$before"
	check "$what: write on in an open zone" dd if=/dev/zero of=$DEV bs=4k \
		count=9 status=none oflag=direct,seek_bytes conv=notrunc \
		seek=$(((ZONE + 637 * 8) * 512))
	before=$(sums)
	check "$what: stop again" dmsetup remove --retry $VOLUME
	kernel_log_new >/dev/null
	check "$what: start without a member" start " 1 degraded"
	check_equal "$what: nothing is left to rebuild" "$(rebuilt)" ""
	check_equal "$what: data are still right" "$(sums)" "$before"
	check "$what: stop for good" drop_array
}

# More zones go bad than there are spare ones: those left stay degraded.
too_many()
{
	local before zone

	check "too many: an array" make_array || return
	check "too many: data" fill_zones
	before=$(sums)
	check "too many: stop" dmsetup remove --retry $VOLUME
	for zone in 0 1 2 3 4 5; do
		spoil 2 $zone offline
	done
	kernel_log_new >/dev/null
	check "too many: start" start
	check_equal "too many: as many are rebuilt as there is room" \
		"$(rebuilt)" "$SPARE rebuilt"
	check_equal "too many: data are right" "$(sums)" "$before"
	check "too many: a zone without a column can be written" dd if=/dev/urandom \
		of=$DEV bs=4k count=777 status=none oflag=direct,seek_bytes \
		conv=notrunc seek=$((5 * ZONE * 512))
	check "too many: stop for good" drop_array
}

# Two columns of a zone are gone: no data are made up.
damaged()
{
	check "damaged: an array" make_array || return
	check "damaged: data" fill_zones
	check "damaged: stop" dmsetup remove --retry $VOLUME
	spoil 0 1 offline
	spoil 3 1 offline
	kernel_log_new >/dev/null
	check "damaged: start" start
	check_true "damaged: the kernel log says which zone" \
		"$(kernel_log_new | grep -c 'logical zone 1: more is lost') == 1"
	check_equal "damaged: the zone is reported as read-only" \
		"$(blkzone report -o "$ZONE" -c 1 $DEV | grep -o '(ro)')" "(ro)"
	check_fails "damaged: it takes no writes" "." dd if=/dev/zero of=$DEV \
		bs=4k count=1 oflag=direct,seek_bytes conv=notrunc \
		seek=$(((ZONE + 637 * 8) * 512))
	check "damaged: the others can be read" dd if=$DEV of=/dev/null bs=1M \
		count=6 iflag=direct status=none
	check "damaged: stop for good" drop_array
}

# Many zones are filled without a flush, and the drives lose the ends of them: no
# more zones may be open again than the array has room for.
filled()
{
	local seed zone

	for seed in 1 2 3 4; do
		check "filled: an array" make_array || return
		echo $seed >$GROUP/seed
		for ((zone = 0; zone < 16; zone++)); do
			dd if=/dev/zero of=$DEV bs=512k count=12 status=none \
				oflag=direct,seek_bytes conv=notrunc \
				seek=$((zone * ZONE * 512)) || break
		done
		check_equal "filled: zones" $zone 16
		echo 0 >$GROUP/power
		dmsetup remove --retry $VOLUME
		echo 1 >$GROUP/power
		check "filled: start after the power cut" start || {
			dmesg | grep raizn | tail -n 3 | sed 's/^/# /'
			return
		}
		check "filled: stop for good" drop_array
	done
}

load_module || exit 1
load_zonesim || exit 1
check "another array" faster
at_exit faster_no_more
mkdir $GROUP
spoiled 0 "after a stop"
spoiled 1 "after a power cut"
too_many
damaged
filled
finish
