#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A server moves its root file system onto an array of ZN540 drives, whose zones libblkid does
# not understand, and boots from there with an initramfs of dracut's.
# lab: own-boot --drives 3 --profile zn540-1t --drive-zones 16
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/packages.sh"
. "$(dirname "$0")/moved_root.sh"

BOOTS=(first moved again back)
BOOT=${BOOTS[LAB_BOOT - 1]:-}

# For this machine: our module of dracut has to see what its root file system is on.
make_initramfs()
{
	local kernel

	kernel=$(uname -r)
	chroot $NEW dracut --force --hostonly "/boot/initrd.img-$kernel" "$kernel" &&
		lsinitrd "/boot/initrd.img-$kernel" >"$TMP/files" &&
		grep -q 61-raizn.rules "$TMP/files" && grep -q /btrfs.ko "$TMP/files"
}

case $BOOT in
first)
	check "install" install_packages
	move_root zns0 zns1 zns2
	check "update-grub" update_grub
	check "an initramfs of dracut's" make_initramfs
	down "reboot" systemctl reboot
	;;
moved)
	check "dracut made the initramfs" eval "journalctl -b --no-pager | grep -q dracut"
	moved
	;;
again)
	moved_and_rebooted
	check "back to the disk" boot_from_disk
	down "the last reboot" systemctl reboot
	;;
back)
	came_up "the last reboot" reboot
	array_is_left
	;;
*)
	not_ok "boot $LAB_BOOT is one too many"
	;;
esac
finish
