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
		lsinitrd "/boot/initrd.img-$kernel" | grep 61-raizn.rules >/dev/null
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
	came_up "reboot" reboot
	root_is_on_array
	check "dracut made the initramfs" eval "journalctl -b --no-pager | grep -q dracut"
	check_equal "the array was stopped cleanly" "$(recoveries)" 0
	check "write files" write_files
	down "another reboot" systemctl reboot
	;;
again)
	came_up "another reboot" reboot
	root_is_on_array
	check_equal "the array that was in use to the end is clean" "$(recoveries)" 0
	check "files are right" files_are_right
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
