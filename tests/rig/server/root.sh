#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A server moves its root file system onto an array as docs/operations.md says; /boot stays on
# a disk. It boots from there with the initramfs of initramfs-tools: after reboots, which cannot
# stop the array and leave it clean all the same, as kexec does; without a drive, which comes
# late, once the system runs; after a reset.
# lab: own-boot --drives 4 --drive-zones 120
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/packages.sh"
. "$(dirname "$0")/moved_root.sh"

# The PCI device that an initramfs of ours removes, before udev looks at it.
LATE=zns2
REMOVE=/etc/initramfs-tools/scripts/init-top/aa-lab-missing

BOOTS=(first moved again lacks_a_drive reset kexec back)
BOOT=${BOOTS[LAB_BOOT - 1]:-}

initramfs_without()
{
	local address

	address=$(readlink -f "$(controller $LATE)/device")
	printf '#!/bin/sh\n[ "$1" != prereqs ] || exit 0\necho 1 >%s/remove\n' \
		"$address" >$REMOVE
	chmod 755 $REMOVE
	update-initramfs -u && sync
}

# As 'systemctl kexec --force --force' does where kexec-tools are installed: nothing is
# unmounted.
kexec_now()
{
	# The host does not see that the machine boots.
	echo kexec >>/ctl/power
	python3 - <<-'END'
	import ctypes
	libc = ctypes.CDLL(None, use_errno=True)
	words = open("/proc/cmdline", "rb").read().strip() + b"\0"
	with open("/boot/vmlinuz-" + open("/proc/sys/kernel/osrelease").read().strip()) as kernel, \
	     open("/boot/initrd.img-" + open("/proc/sys/kernel/osrelease").read().strip()) as initrd:
	    if libc.syscall(320, kernel.fileno(), initrd.fileno(), len(words), words, 0):
	        raise OSError(ctypes.get_errno(), "kexec_file_load")
	libc.syscall(169, 0xfee1dead, 672274793, 0x45584543, 0)
	END
}

case $BOOT in
first)
	check "install" install_packages
	check "the initramfs has what starts arrays" eval \
		"lsinitramfs /initrd.img | grep -q /raizn$ && lsinitramfs /initrd.img | grep -q dm-raizn.ko"
	move_root zns0 zns1 zns2 zns3
	# The lab's initramfs has modules that it names only; others have those of file systems.
	echo btrfs >>$NEW/etc/initramfs-tools/modules
	check "update-initramfs" chroot $NEW update-initramfs -u
	check "update-grub" update_grub
	down "reboot" systemctl reboot
	;;
moved)
	moved
	;;
again)
	moved_and_rebooted
	check "set degraded-after" raizn set $VOLUME autostart=degraded-after=5
	check "an initramfs that takes a drive away" initramfs_without
	down "power off" systemctl poweroff
	;;
lacks_a_drive)
	came_up "power off" power
	root_is_on_array degraded
	check_equal "it lacks the drive" "$(json .members[2].state)" missing
	check "files are right without it" files_are_right
	check "write without it" write_files
	check "the drive comes late" drives_return
	check "it is added and catches up" await 120 json_is .state active ||
		note "$(raizn status; systemctl --no-pager -l status 'raizn-assemble@*')"
	check "the next initramfs leaves drives alone" eval "rm $REMOVE && update-initramfs -u && sync"
	check "write before the reset" write_files
	down "reset" press_reset
	;;
reset)
	came_up "reset" reset
	root_is_on_array
	check_equal "the array was recovered" "$(recoveries)" 1
	check "files are right" files_are_right
	check "write before kexec" write_files
	down "kexec" kexec_now
	;;
kexec)
	came_up "kexec" kexec
	root_is_on_array
	check_equal "the array that was in use is clean after kexec, too" "$(recoveries)" 0
	check "files are right" files_are_right
	check "back to the disk" boot_from_disk
	down "reboot by force" systemctl reboot --force --force
	;;
back)
	came_up "reboot by force" reboot
	check_equal "the array in use is clean after that, too" "$(recoveries)" 0
	array_is_left
	;;
*)
	not_ok "boot $LAB_BOOT is one too many"
	;;
esac
finish
