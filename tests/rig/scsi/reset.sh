#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The machine is reset while an array of host-managed SCSI disks is written to;
# it recovers at the next start, and whatever an fsync() had returned for is there.
#
# scsi_debug keeps its disks in the kernel's memory, which a reset clears. These
# are disks of tcmu-runner, whose zones and data are in files, on a file system
# with direct access (DAX) in memory that outlives a reset: what was written to
# a disk before the reset is there, as on a disk without a write cache.
# lab: own-boot --drives 0 --mem 4G --kernel-args memmap=1G!4G
. "$(dirname "$0")/harness.sh"

STORE=$TMP/store
NOTES=$LAB_DIR/scsi-reset
CORE=/sys/kernel/config/target/core
LOOPBACK=/sys/kernel/config/target/loopback
DISKS=4
MIB=$((ZONE_MIB * ZONES))

# All blocks of the files are allocated in advance: what the file system notes
# of them does not change later.
make_store()
{
	local i

	mkfs.ext4 -q -F -b 4096 /dev/pmem0 || return 1
	mount -o dax=always /dev/pmem0 "$STORE" || return 1
	for ((i = 0; i < DISKS; i++)); do
		dd if=/dev/zero of="$STORE/disk$i" bs=1M count=$((MIB + 1)) \
			status=none || return 1
	done
	sync -f "$STORE"
}

# smr_disks OPTIONS: the disks of the files; with options they are formatted
smr_disks()
{
	local i disk wwn

	modprobe -a target_core_user tcm_loop && systemctl start tcmu-runner ||
		return 1
	for ((i = 0; i < DISKS; i++)); do
		disk=$CORE/user_$i/disk$i
		mkdir -p "$disk" &&
			echo "dev_config=zbc/$1$STORE/disk$i" >"$disk/control" &&
			echo "dev_size=$((MIB << 20))" >"$disk/control" &&
			echo "raizn-test-$i" >"$disk/wwn/vpd_unit_serial" &&
			echo 1 >"$disk/enable" || return 1
		wwn=naa.500140500000000$i
		mkdir -p "$LOOPBACK/$wwn/tpgt_1/lun/lun_0" &&
			echo "naa.500140500000001$i" >"$LOOPBACK/$wwn/tpgt_1/nexus" &&
			ln -s "$disk" "$LOOPBACK/$wwn/tpgt_1/lun/lun_0/disk" || return 1
	done
	await 60 smr_disks_are_there
}

smr_names()
{
	local host

	DRIVES=()
	for host in /sys/class/scsi_host/host*; do
		[ "$(cat "$host/proc_name")" = tcm_loopback ] || continue
		DRIVES+=("/dev/$(basename "$host"/device/target*/*/block/sd*)")
	done
}

smr_disks_are_there()
{
	local disk

	smr_names
	[ ${#DRIVES[@]} -eq $DISKS ] || return 1
	for disk in "${DRIVES[@]}"; do
		[ -b "$disk" ] || return 1
	done
}

smr_disks_gone()
{
	local i wwn failed=0

	for ((i = 0; i < DISKS; i++)); do
		wwn=naa.500140500000000$i
		rm -f "$LOOPBACK/$wwn/tpgt_1/lun/lun_0/disk"
		rmdir "$LOOPBACK/$wwn/tpgt_1/lun/lun_0" "$LOOPBACK/$wwn/tpgt_1" \
			"$LOOPBACK/$wwn" "$CORE/user_$i/disk$i" "$CORE/user_$i" || failed=1
	done
	systemctl stop tcmu-runner && umount "$STORE" && ((!failed))
}

press_reset()
{
	trap - EXIT
	echo reset >/ctl/ask.new && mv /ctl/ask.new /ctl/ask
	sleep 600
}

# noted N: so many syncs are
noted()
{
	[ "$(grep -c . "$NOTES/zones")" -ge "$1" ]
}

mkdir -p "$STORE" "$NOTES"
at_exit smr_disks_gone
at_exit "raizn stop $VOLUME"
await 60 test -b /dev/pmem0

if [ "$LAB_BOOT" = 1 ]; then
	check "memory that outlives a reset" make_store || finish
	check "disks" smr_disks \
		"model-HM/lba-4096/zsize-$ZONE_MIB/conv-$NR_CONVENTIONAL/open-128@" ||
		finish
	check_equal "they are host-managed" "$(queue "${DRIVES[0]}" zoned)" \
		host-managed
	check "create" volume_create --stripe-unit 16K || finish
	: >"$NOTES/zones"
	note "seed $SEED"
	fsynced zones $DEV "$NOTES/zones" 0 4 "$SEED" &
	check "syncs are noted" await 300 noted 20
	note "reset after $(grep -c . "$NOTES/zones") syncs"
	press_reset
	not_ok "the machine resets"
	finish
fi
mount -o dax=always /dev/pmem0 "$STORE"
check "the disks are back" smr_disks / || finish
check "start" raizn start $VOLUME || finish
note "$(dmesg | grep -o 'raizn: array.*recovered.*' | tail -n 1)"
check "what was synced is there" fsynced zones-check $DEV "$NOTES/zones"
note "$(tail -n 1 "$TMP/output")"
check "parity" parity_check --volume $DEV "${DRIVES[@]}"
check "stop" raizn stop $VOLUME
check "members agree" raizn check "${DRIVES[@]}"
check "the disks go" smr_disks_gone
check "the module goes" unload_module
finish
