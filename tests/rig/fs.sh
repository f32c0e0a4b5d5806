#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# File systems and device-mapper targets on the volume: made, filled, verified,
# mounted again, verified after a restart of the array, checked.
# FS_ONLY="f2fs btrfs ..." picks some.
. "$(dirname "$0")/../lib/rig.sh"
suite fs

# Small zones, so that many are filled, finished and reset, and the logs
# switch often. f2fs goes on to the next zone while writes to the last one are
# still queued (with a capacity below the zone size it does not wait), and loses
# data when that makes too many active; so the limits are high here.
RIG_MEMBER_SETTINGS=(size=512 zone_size=8 zone_capacity=6 zone_max_open=40
		     zone_max_active=40)
RIG_RAW_SETTINGS=(size=1856 zone_size=32 zone_capacity=24 zone_max_open=36
		  zone_max_active=36)
HERE=$(cd "$(dirname "$0")" && pwd)
MNT=$TMP/mnt
mkdir "$MNT"
at_exit 'umount "$MNT"'

# After this a balance has to have something done in each ten seconds.  The kernel complains
# of who waits for two minutes.
BALANCE_SECONDS=90

wanted()
{
	[[ " ${FS_ONLY:-f2fs btrfs zonefs xfs linear crypt replaced} " == *" $1 "* ]]
}

has_fs()
{
	modprobe -q "$1"
	grep -qw "$1" /proc/filesystems
}

# A drive without zones, for file systems that want one beside the volume.
conventional()
{
	CONV=$(nullblk create "$1" zoned=0 size="$2") || return 1
	RIG_DRIVES+=("$1")
}

empty_volume()
{
	blkzone reset "$DEV"
}

parity()
{
	volume_is_array || return 0
	check "$1" sh -c 'sync "$0" && parity_check --volume "$0" "$@"' \
		"$DEV" "${DRIVES[@]}"
	note "$(tail -n 1 "$TMP/output")"
}

write_files()
{
	"$HERE/files.py" write "$MNT" "$@"
}

verify_files()
{
	"$HERE/files.py" verify "$MNT" "$@"
}

# cycle NAME MOUNT-COMMAND MIB: an empty file system was made. MOUNT-COMMAND
# is a function.
cycle()
{
	local name=$1 mount=$2 mib=$3

	check "$name: mount" "$mount" || return 1
	check "$name: write, delete, overwrite" \
		write_files "$TMP/$name.1" --seed 1 --mib "$mib" --churn
	note "$(cat "$TMP/output")"
	check "$name: verify" verify_files "$TMP/$name.1"
	check "$name: unmount" umount "$MNT" || return 1
	check "$name: mount again" "$mount" || return 1
	check "$name: verify after mount" verify_files "$TMP/$name.1"
	check "$name: fill" write_files "$TMP/$name.2" --seed 2 \
		--mib "$(scaled "${4:-$mib}" 20)"
	note "$(cat "$TMP/output")"
	check "$name: verify what filled it" verify_files "$TMP/$name.2"
	check "$name: unmount again" umount "$MNT" || return 1
	parity "$name: members and volume"
	check "$name: restart of the array" volume_restart || return 1
	check "$name: mount after restart" "$mount" || return 1
	check "$name: verify after restart" verify_files "$TMP/$name.1"
	check "$name: verify the rest after restart" \
		verify_files "$TMP/$name.2"
	check "$name: write after restart" \
		write_files "$TMP/$name.3" --seed 3 --mib 10 --churn
	check "$name: verify again" verify_files "$TMP/$name.3"
	check "$name: last unmount" umount "$MNT"
}

# ---- f2fs -------------------------------------------------------------------

mount_f2fs()
{
	mount -t f2fs "$CONV" "$MNT"
}

# What fsck.f2fs finds, without numbers. It complains about free segments on
# any device whose zones have less capacity than size, so its verdict on the
# array is compared with that on a plain drive of the same shape.
f2fs_findings()
{
	fsck.f2fs -f --dry-run "$1" >"$TMP/fsck" 2>&1
	echo "exit status $?"
	grep -E '\[Fail\]|ASSERT|ERR' "$TMP/fsck" | sed -E 's/[0-9]+|0x[0-9a-f]+/N/g' |
		sort -u
}

f2fs_on_plain_drive()
{
	local plain

	plain=$(nullblk create plain "${RIG_RAW_SETTINGS[@]}") || return 1
	RIG_DRIVES+=(plain)
	rig_scheduler "$plain"
	mkfs.f2fs -f -m -c "$plain" "$CONV" && mount_f2fs &&
		write_files "$TMP/plain" --seed 1 --mib "$1" --churn &&
		umount "$MNT" || return 1
	f2fs_findings "$CONV" >"$TMP/f2fs.plain"
	drive_gone plain
}

test_f2fs()
{
	local mib

	mib=$(scaled 150 20)
	if ! has_fs f2fs; then
		skip "f2fs" "not in this kernel"
		return
	fi
	conventional conv 256
	check "f2fs: a plain drive to compare with" f2fs_on_plain_drive "$mib"
	check "f2fs: mkfs" mkfs.f2fs -f -m -c "$DEV" "$CONV" || return
	cycle f2fs mount_f2fs "$mib" 400
	f2fs_findings "$CONV" >"$TMP/f2fs.array"
	if [ -s "$TMP/f2fs.array" ] &&
	   diff "$TMP/f2fs.plain" "$TMP/f2fs.array" >"$TMP/output"; then
		ok "f2fs: fsck says what it says of a plain drive"
	else
		not_ok "f2fs: fsck says what it says of a plain drive"
		rig_show "$TMP/output"
	fi
	note "$(tr '\n' ';' <"$TMP/f2fs.array")"
	drive_gone conv
}

# ---- btrfs ------------------------------------------------------------------

mount_btrfs()
{
	mount -t btrfs "$DEV" "$MNT"
}

btrfs_scrub()
{
	mount_btrfs && btrfs scrub start -B "$MNT" || return 1
	umount "$MNT"
}

# Relocates block groups: zones are rewritten and reset. btrfs with large folios may wait
# for itself, on any drive: relocation holds a folio that is dirty already while it waits
# for space, and who makes space waits for that folio. If so, the volume has nothing to do;
# relocation can be killed, and lets go. Return: 2 then.
btrfs_balance()
{
	local pid before stuck=

	mount_btrfs || return 1
	btrfs balance start --full-balance "$MNT" &
	pid=$!
	await $BALANCE_SECONDS eval "! kill -0 $pid"
	while kill -0 $pid; do
		before=$(cat "/sys/block/$DEV_NAME/stat")
		await 10 eval "! kill -0 $pid" && break
		[ "$(cat "/sys/block/$DEV_NAME/stat")" = "$before" ] || continue
		stuck=$(xargs <"/sys/block/$DEV_NAME/inflight")
		echo "balance does not go on; requests of $DEV: $stuck"
		kill -KILL $pid
		break
	done
	wait $pid || [ -n "$stuck" ] || return 1
	[ -z "$stuck" ] || [ "$stuck" = "0 0" ] || return 1
	verify_files "$TMP/btrfs.1" && umount "$MNT" || return 1
	[ -z "$stuck" ] || return 2
}

test_balance()
{
	local status

	btrfs_balance >"$TMP/output" 2>&1
	status=$?
	case $status in
	0)
		ok "btrfs: balance"
		;;
	2)
		skip "btrfs: balance" "btrfs of this kernel waited for itself"
		;;
	*)
		not_ok "btrfs: balance" "exit status $status"
		rig_show "$TMP/output"
		;;
	esac
}

test_btrfs()
{
	if ! has_fs btrfs; then
		skip "btrfs" "not in this kernel"
		return
	fi
	check "btrfs: mkfs" mkfs.btrfs -f -O zoned -d single -m single "$DEV" ||
		return
	cycle btrfs mount_btrfs "$(scaled 150 20)" 350
	check "btrfs: check" btrfs check "$DEV"
	check "btrfs: scrub" btrfs_scrub
	if ! kernel_at_least 6 5; then
		# It warns in btrfs_remove_block_group(), on any zoned drive.
		skip "btrfs: balance" "btrfs of this kernel complains of itself"
		return
	fi
	test_balance
	check "btrfs: check after balance" btrfs check "$DEV"
}

# ---- zonefs -----------------------------------------------------------------

mount_zonefs()
{
	mount -t zonefs -o explicit-open "$DEV" "$MNT"
}

# Some stable kernels take every synchronous write for a misplaced one: zonefs
# moves its write pointer before it compares. A plain drive tells.
zonefs_works_here()
{
	local plain status=0

	plain=$(nullblk create plain "${RIG_RAW_SETTINGS[@]}") || return 1
	RIG_DRIVES+=(plain)
	rig_scheduler "$plain"
	"$HERE/mkzonefs.py" "$plain" &&
		mount -t zonefs "$plain" "$MNT" &&
		dd if=/dev/zero of="$MNT/seq/0" bs=4k count=2 oflag=direct,sync \
		   conv=notrunc || status=1
	umount "$MNT"
	drive_gone plain
	return $status
}

test_zonefs()
{
	local io=$HERE/zonefs_io.py share

	if ! has_fs zonefs; then
		skip "zonefs" "not in this kernel"
		return
	fi
	if ! zonefs_works_here >"$TMP/output" 2>&1; then
		skip "zonefs" "it fails on a plain drive in this kernel"
		return
	fi
	share=$(scaled 100 25)
	check "zonefs: mkfs" "$HERE/mkzonefs.py" "$DEV" || return
	check "zonefs: mount" mount_zonefs || return
	check "zonefs: append, truncate, verify" "$io" write "$MNT" 1 "$share"
	check "zonefs: unmount" umount "$MNT" || return
	check "zonefs: mount again" mount_zonefs || return
	check "zonefs: verify" "$io" verify "$MNT" 1 "$share"
	check "zonefs: rewrite all" "$io" write "$MNT" 2 "$share"
	check "zonefs: unmount again" umount "$MNT" || return
	parity "zonefs: members and volume"
	check "zonefs: restart of the array" volume_restart || return
	check "zonefs: mount after restart" mount_zonefs || return
	check "zonefs: verify after restart" "$io" verify "$MNT" 2 "$share"
	check "zonefs: write after restart" "$io" write "$MNT" 3 "$share"
	check "zonefs: last unmount" umount "$MNT"
}

# ---- xfs --------------------------------------------------------------------

mount_xfs()
{
	mount -t xfs -o rtdev="$DEV" "$CONV" "$MNT"
}

test_xfs()
{
	if ! kernel_at_least 6 15 || ! has_fs xfs; then
		skip "xfs on zones" "not in this kernel"
		return
	fi
	conventional conv 512
	if ! mkfs.xfs -f -r zoned=1,rtdev="$DEV" "$CONV" >"$TMP/mkfs" 2>&1 &&
	   grep -qi 'unknown\|usage\|illegal' "$TMP/mkfs"; then
		skip "xfs on zones" "mkfs.xfs knows no zones: $(mkfs.xfs -V)"
		drive_gone conv
		return
	fi
	check "xfs: mkfs" mkfs.xfs -f -r zoned=1,rtdev="$DEV" "$CONV" || return
	cycle xfs mount_xfs "$(scaled 150 20)"
	check "xfs: repair finds nothing" xfs_repair -n -r "$DEV" "$CONV"
	drive_gone conv
}

# ---- device mapper on top ----------------------------------------------------

# The zones 8 to 31, as a device of their own.
linear_up()
{
	local zone

	zone=$(cat "/sys/block/$DEV_NAME/queue/chunk_sectors")
	dmsetup create rig-linear --table \
		"0 $((24 * zone)) linear $DEV $((8 * zone))" &&
		dmsetup mknodes rig-linear
}

test_linear()
{
	local plain=--plain

	! volume_is_array || plain=
	# shellcheck disable=SC2086
	at_exit 'dmsetup remove --retry rig-linear'
	check "dm-linear: a part of the zones" linear_up || return
	check "dm-linear: zone model" zonemodel $plain --threads 2 \
		--ops "$(scaled 400 100)" --budget 100 --save "$TMP/linear" \
		/dev/mapper/rig-linear
	note "$(tail -n 1 "$TMP/output" | cut -c 1-200)"
	check "dm-linear: remove" dmsetup remove --retry rig-linear || return
	parity "dm-linear: members and volume"
	volume_is_array || return 0	# a plain drive would not restart
	check "dm-linear: restart of the array" volume_restart || return
	check "dm-linear: back" linear_up || return
	check "dm-linear: zone model after restart" zonemodel \
		--load "$TMP/linear" --verify /dev/mapper/rig-linear
	check "dm-linear: last remove" dmsetup remove --retry rig-linear
}

crypt_up()
{
	dmsetup create rig-crypt --table "0 $(blockdev --getsz "$DEV") crypt \
		aes-xts-plain64 $(printf '%064d' 7) 0 $DEV 0" &&
		dmsetup mknodes rig-crypt
}

crypt_fio()
{
	fio --name=crypt --filename=/dev/mapper/rig-crypt --zonemode=zbd \
	    --direct=1 --ioengine=libaio --iodepth=8 --offset=2z --size=4z \
	    --io_size="$(scaled 40 8)M" --verify=crc32c --verify_fatal=1 \
	    --verify_interval=4k --verify_state_save=0 --max_open_zones=4 "$@"
}

mount_crypt()
{
	mount -t btrfs /dev/mapper/rig-crypt "$MNT"
}

restart_under_crypt()
{
	dmsetup remove --retry rig-crypt && volume_restart && crypt_up
}

test_crypt()
{
	modprobe -q dm-crypt
	if ! dmsetup targets | grep -q '^crypt'; then
		skip "dm-crypt" "not in this kernel"
		return
	fi
	at_exit 'dmsetup remove --retry rig-crypt'
	check "dm-crypt: up" crypt_up || return
	check "dm-crypt: fio, sequential" crypt_fio --rw=write \
		--bs="$(odd_size 68)"
	check "dm-crypt: reset" blkzone reset /dev/mapper/rig-crypt
	check "dm-crypt: fio, zones in parallel" crypt_fio --rw=randwrite \
		--bs=16k --fsync=32
	check "dm-crypt: fio, read back" crypt_fio --rw=read --bs=64k
	check "dm-crypt: restart of the array" restart_under_crypt || return
	check "dm-crypt: fio, read back after restart" crypt_fio --rw=read \
		--bs=64k
	if has_fs btrfs; then
		check "dm-crypt: mkfs.btrfs" mkfs.btrfs -f -O zoned -d single \
			-m single /dev/mapper/rig-crypt &&
		check "dm-crypt: mount" mount_crypt &&
		check "dm-crypt: write" write_files "$TMP/crypt" --seed 5 \
			--mib "$(scaled 40 10)" --churn &&
		check "dm-crypt: unmount" umount "$MNT" &&
		check "dm-crypt: second restart" restart_under_crypt &&
		check "dm-crypt: mount after restart" mount_crypt &&
		check "dm-crypt: verify" verify_files "$TMP/crypt" &&
		check "dm-crypt: last unmount" umount "$MNT"
	fi
	check "dm-crypt: remove" dmsetup remove --retry rig-crypt
}

# ---- a member replaced under btrfs ------------------------------------------

# Eight at a time, so that block groups are begun while others are written.
write_block_groups()
{
	local n each all=()

	for ((n = 0; n < 40; n++)); do
		dd if="$TMP/data" of="$MNT/$n" bs=1M conv=fsync status=none &
		all+=($!)
		((n % 8 == 7)) || continue
		for each in "${all[@]}"; do
			wait "$each" || return 1
		done
		[ ! -e "$TMP/enough" ] || return 0
		all=()
		# Fast machines would be done too early.
		sleep 2
	done
}

verify_block_groups()
{
	local file

	for file in "$MNT"/*; do
		cmp "$TMP/data" "$file" || return 1
	done
}

# Each file is more or less a zone, for which btrfs asks the volume, and device mapper has
# no answer while it is suspended: for long, as the new drive is slow.
test_replaced()
{
	local slow load

	volume_is_array || return
	if ! has_fs btrfs; then
		skip "replaced" "no btrfs in this kernel"
		return
	fi
	check "replaced: mkfs.btrfs" mkfs.btrfs -f -O zoned -d single -m single \
		"$DEV" || return
	check "replaced: mount" mount_btrfs || return
	slow=$(nullblk create slow "${RIG_MEMBER_SETTINGS[@]}" irqmode=2 \
		completion_nsec=100000000)
	check "replaced: a slow drive" test -b "$slow" || return
	RIG_DRIVES+=(slow)
	rig_scheduler "$slow"
	head -c 25165824 /dev/urandom >"$TMP/data"
	write_block_groups >"$TMP/load" 2>&1 &
	load=$!
	check "replaced: the load has begun" await 60 test -s "$MNT/7"
	check "replaced: replace a member" raizn replace "$VOLUME" 0 "$slow" --force
	check "replaced: the load goes on meanwhile" kill -0 $load
	touch "$TMP/enough"
	check "replaced: all is written" wait $load || rig_show "$TMP/load"
	check "replaced: the slow drive fails" raizn fail "$VOLUME" 0 --force
	check "replaced: somebody else freezes it" fsfreeze --freeze "$MNT"
	check "replaced: the drive is let go" raizn remove "$VOLUME" 0
	check "replaced: he has it go on" fsfreeze --unfreeze "$MNT"
	check "replaced: it can be written still" cp "$TMP/data" "$MNT/x"
	check "replaced: unmount" umount "$MNT"
	check "replaced: mount again" mount_btrfs
	check "replaced: verify" verify_block_groups
	check "replaced: last unmount" umount "$MNT"
	check "replaced: the drive is gone" drive_gone slow
}

if ! volume_up >"$TMP/output" 2>&1; then
	not_ok "the volume comes up"
	rig_show "$TMP/output"
	finish
fi
for what in f2fs btrfs zonefs xfs linear crypt replaced; do
	wanted $what || continue
	empty_volume
	test_$what
	umount "$MNT" 2>/dev/null
done
check "down" volume_down
finish
