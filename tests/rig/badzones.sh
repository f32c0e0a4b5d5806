#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones of members turn read-only or offline, or are found full, while the array is
# stopped, at a power cut or under load: each is a missing column of its zone only,
# and is rebuilt into a spare zone in the background.
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

# Fields of the status line, from behind the write cache's mode on.
status_word()
{
	local -a words

	read -ra words <<<"$(dmsetup status $VOLUME)"
	echo "${words[21 + $1]}"
}

# Zones that lack a column, and how many columns moved to other member zones.
lacks_and_moved()
{
	local word healed=0
	local -a words

	read -ra words <<<"$(dmsetup status $VOLUME)"
	for word in "${words[@]:33}"; do
		[[ $word = *,* ]] || continue
		healed=$((healed + ${word##*,}))
	done
	echo "$(status_word 1) degraded, $healed moved"
}

# settled WANT: wait until nothing is rebuilt any more; prints what is lacked then. What
# begins by itself may begin a moment later, so for what is wanted there is time.
settled()
{
	local i idle=0

	for ((i = 0; i < 600; i++)); do
		idle=$([[ $(status_word 2) = idle ]] && echo $((idle + 1)) || echo 0)
		((idle >= 5)) && [ "$(lacks_and_moved)" = "$1" ] && break
		sleep 0.1
	done
	lacks_and_moved
}

check_settled()
{
	check_equal "$1" "$(settled "$2")" "$2"
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
	check_settled "$what: all are rebuilt" "0 degraded, 5 moved"
	check_equal "$what: data are right" "$(sums)" "$before"
	check "$what: write on in an open zone" dd if=/dev/zero of=$DEV bs=4k \
		count=9 status=none oflag=direct,seek_bytes conv=notrunc \
		seek=$(((ZONE + 637 * 8) * 512))
	before=$(sums)
	check "$what: stop again" dmsetup remove --retry $VOLUME
	check "$what: start without a member" start " 1 degraded"
	check_settled "$what: nothing is left to rebuild" "0 degraded, 0 moved"
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
	check "too many: start" start
	check_settled "too many: as many are rebuilt as there is room" \
		"$((6 - SPARE)) degraded, $SPARE moved"
	check_equal "too many: data are right" "$(sums)" "$before"
	check "too many: a zone without a column can be written" dd if=/dev/urandom \
		of=$DEV bs=4k count=777 status=none oflag=direct,seek_bytes \
		conv=notrunc seek=$((5 * ZONE * 512))
	check "too many: stop for good" drop_array
}

# rescued ZONE: reads the zone unit by unit; prints how many units are as they were, how
# many can not be read, and how many are something else.
rescued()
{
	local i right=0 refused=0 wrong=0

	for ((i = 0; i < 384; i++)); do
		if ! dd if=$DEV of="$TMP/unit" bs=16k count=1 iflag=direct,skip_bytes \
			skip=$(($1 * ZONE * 512 + i * 16384)) status=none 2>&1; then
			refused=$((refused + 1))
		elif cmp -s "$TMP/unit" <(tail -c +$((i * 16384 + 1)) "$TMP/zone" |
				head -c 16384); then
			right=$((right + 1))
		else
			wrong=$((wrong + 1))
		fi
	done >"$TMP/errors"
	echo "$right right, $refused refused, $wrong wrong"
}

# Two columns of a zone are gone: no data are made up, and what there is can be read.
damaged()
{
	check "damaged: an array" make_array || return
	check "damaged: data" fill_zones
	check "damaged: what a full zone holds" dd if=$DEV of="$TMP/zone" bs=64k \
		count=96 iflag=direct status=none
	check "damaged: stop" dmsetup remove --retry $VOLUME
	spoil 0 1 offline
	spoil 3 1 offline
	spoil 0 0 offline
	spoil 3 0 offline
	kernel_log_new >/dev/null
	check "damaged: start" start
	check_true "damaged: the kernel log says which zone" \
		"$(kernel_log_new | grep -c 'logical zone 1: more is lost') == 1"
	check_equal "damaged: the zone is reported as read-only" \
		"$(blkzone report -o "$ZONE" -c 1 $DEV | grep -o '(ro)')" "(ro)"
	check_fails "damaged: it takes no writes" "." dd if=/dev/zero of=$DEV \
		bs=4k count=1 oflag=direct,seek_bytes conv=notrunc \
		seek=$(((ZONE + 637 * 8) * 512))
	# Of five units of each stripe, three are left: two or three of data.
	check_equal "damaged: a full zone" "$(rescued 0)" \
		"$((384 * 3 / 5)) right, $((384 * 2 / 5 + 1)) refused, 0 wrong"
	check_fails "damaged: beyond its write pointer nobody knows" \
		"Input/output error" dd if=$DEV of=/dev/null bs=4k count=1 \
		iflag=direct,skip_bytes skip=$(((ZONE + 1000 * 8) * 512))
	check "damaged: the others can be read" dd if=$DEV of=/dev/null bs=1M \
		count=4 iflag=direct,skip_bytes skip=$((2 * ZONE * 512)) status=none
	check "damaged: stop for good" drop_array
}

# Two columns of a finished zone with one block are gone: it is finished as before, if
# neither had the block. Nor is it lost for good if the other one was empty: parity has
# it, though reads do not decode with two columns missing.
finished()
{
	local pair what members found=""

	for pair in "0 1" "1 2" "2 3" "3 4" "4 0"; do
		what="finished: members $pair"
		read -ra members <<<"$pair"
		check "$what: an array" make_array || return
		dd if=/dev/urandom of="$TMP/block" bs=4k count=1 status=none
		check "$what: a block" dd if="$TMP/block" of=$DEV bs=4k count=1 \
			oflag=direct status=none conv=notrunc
		check "$what: finish" blkzone finish -o 0 -c 1 $DEV
		check "$what: stop" dmsetup remove --retry $VOLUME
		spoil "${members[0]}" 0 offline
		spoil "${members[1]}" 0 offline
		check "$what: start" start
		if cmp -s -n 4096 $DEV "$TMP/block"; then
			found+="right "
		else
			found+="lost "
		fi
		found+="$(blkzone report -o 0 -c 1 $DEV | grep -o '([a-z]*) \[')
"
		check "$what: stop for good" drop_array
	done
	check_equal "finished: what becomes of the zone" \
		"$(sort <<<"$found" | uniq -c | tr -d '\n' | tr -s ' ')" \
		" 1 1 lost (fu) [ 1 lost (ro) [ 3 right (fu) ["
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

# What a drive does while the array is used, and whether that costs a zone's column
# or the member: FAULT, where the array stands then.
at_work()
{
	local fault=$1 want=$2 before
	local what="at work: $fault"

	check "$what: an array" make_array || return
	echo "$fault" >$GROUP/bz2/fault
	check "$what: data" fill_zones
	check "$what: reset" blkzone reset -f -o $((2 * ZONE)) -c 1 $DEV
	dd if=/dev/urandom of="$TMP/data" bs=4k count=777 status=none
	check "$what: write" dd if="$TMP/data" of=$DEV bs=4k count=777 \
		oflag=direct,seek_bytes seek=$((5 * ZONE * 512)) \
		conv=notrunc,fsync status=none
	check "$what: read" cmp -n $((777 * 4096)) "$TMP/data" \
		<(dd if=$DEV bs=4k count=777 iflag=direct,skip_bytes \
		skip=$((5 * ZONE * 512)) status=none)
	check_equal "$what: where it stands" \
		"$(settled "${want%, *}"), $(dmsetup status $VOLUME | awk '{ print $4, $6 }')" "$want"
	before=$(sums)
	check "$what: stop" dmsetup remove --retry $VOLUME
	echo clear >$GROUP/bz2/fault
	echo 1 >$GROUP/bz2/power
	check "$what: start" start
	check_equal "$what: data are still right" "$(sums)" "$before"
	check "$what: stop for good" drop_array
}

ONE_ZONE="0 degraded, 1 moved, active AAAAA"
MEMBER="19 degraded, 0 moved, degraded AAFAA"

load_module || exit 1
load_zonesim || exit 1
check "another array" faster
at_exit faster_no_more
mkdir $GROUP
spoiled 0 "after a stop"
spoiled 1 "after a power cut"
too_many
damaged
finished
filled
at_work "write 3" "$ONE_ZONE"
at_work "write 20 effect=part" "$ONE_ZONE"
at_work "write 5 then=offline" "$ONE_ZONE"
at_work "write 40 then=readonly" "$ONE_ZONE"
at_work "write 3 then=off" "$MEMBER"
at_work "append 3" "$MEMBER"
at_work "flush 2" "$MEMBER"
at_work "reset 1" "$ONE_ZONE"
at_work "finish 1" "$ONE_ZONE"
at_work "read 1 times=15" "$ONE_ZONE"
finish
