#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A server is rebooted, reset and switched off. What was installed is there
# afterwards, systemd has nothing to complain of, and an array that is started
# by hand has its data, also when it was running as the machine went down.
# lab: own-boot --drives 4
. "$(dirname "$0")/harness.sh"

VOLUME=tank
DEV=/dev/mapper/$VOLUME
MOUNT=/srv/tank
ZNS=(/dev/lab/zns{0..3})

machine()
{
	check_equal "boot $LAB_BOOT: process 1" "$(cat /proc/1/comm)" systemd
	check "boot $LAB_BOOT: systemd says running" system_is_running
	check_equal "boot $LAB_BOOT: what was installed is there" \
		"$(dpkg-query -W -f '${db:Status-Status} ' raizn-test; \
		   raizn --version >/dev/null && modinfo -F name dm-raizn)" \
		"installed dm_raizn"
}

# Start loads the module, udev makes the link.
start()
{
	check_true "boot $LAB_BOOT: the module is not loaded yet" \
		"$([ -d /sys/module/dm_raizn ]; echo $?)"
	check "boot $LAB_BOOT: start" raizn start $VOLUME
	check_equal "boot $LAB_BOOT: udev's link" \
		"$(readlink -f /dev/disk/by-id/dm-name-$VOLUME)" \
		"$(readlink -f $DEV)"
	check "boot $LAB_BOOT: mount" mount $DEV $MOUNT
	check "boot $LAB_BOOT: files are right" \
		eval "(cd $MOUNT && sha256sum --quiet -c $NOTES/sums)"
}

# More files, which are synced.
write_files()
{
	head -c 3000000 /dev/urandom >"$MOUNT/file$LAB_BOOT" &&
		(cd $MOUNT && sha256sum "file$LAB_BOOT") >>"$NOTES/sums" &&
		sync -f $MOUNT
}

case $LAB_BOOT in
1)
	check "install" install_raizn
	machine
	check_equal "udev knows the drives" \
		"$(udevadm info -q property --property=ID_SERIAL_SHORT --value \
		   -n "$(readlink -f "${ZNS[0]}")")" zns0
	check "create" raizn create $VOLUME "${ZNS[@]}"
	check "a file system" mkfs.btrfs -q -f -m single -d single $DEV
	mkdir -p $MOUNT
	check "mount" mount $DEV $MOUNT
	check "write files" write_files
	check "unmount" umount $MOUNT
	check "stop" raizn stop $VOLUME
	down "reboot" systemctl reboot
	;;
2)
	came_up "reboot" reboot
	machine
	start
	check "write more files" write_files
	down "reset under the mounted volume" press_reset
	;;
3)
	came_up "reset under the mounted volume" reset
	machine
	start
	check "write more files after the reset" write_files
	down "power off with the mounted volume" systemctl poweroff
	;;
4)
	came_up "power off with the mounted volume" power
	machine
	start
	check "unmount for good" umount $MOUNT
	check "stop for good" raizn stop $VOLUME
	check "members agree" raizn check "${ZNS[@]}"
	check "the module goes" modprobe -r dm-raizn
	finish
	;;
*)
	not_ok "boot $LAB_BOOT is one too many"
	finish
	;;
esac
