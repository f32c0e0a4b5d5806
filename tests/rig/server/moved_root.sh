# SPDX-License-Identifier: GPL-2.0
# The root file system of a server, moved onto an array.

VOLUME=tank
DEV=/dev/mapper/$VOLUME
NEW=/mnt/root
FILES=/var/lib/files

# Folders that are not copied: the array is small, and the guest needs none of them.
LEFT_OUT=(usr/src usr/share/doc usr/share/locale usr/share/man usr/include usr/lib/gcc
	  var/cache srv/kernel)

# As lsblk shows it: blkid does not see file systems on zones of 4 GiB and more.
file_system_uuid()
{
	udevadm settle && lsblk -dnro UUID $DEV
}

copy_root()
{
	(cd / && tar -c --one-file-system "${LEFT_OUT[@]/#/--exclude=./}" . | tar -x -C $NEW) &&
		mkdir -p $NEW/disk $NEW$FILES
}

# /boot stays where the boot loader looks for it.
write_fstab()
{
	cat >$NEW/etc/fstab <<-END
	UUID=$(file_system_uuid) / btrfs defaults 0 0
	LABEL=lab-root /disk ext4 defaults 0 2
	/disk/boot /boot none bind 0 0
	END
}

bind_system()
{
	local folder

	for folder in dev proc sys run boot; do
		mount --bind /$folder $NEW/$folder || return
	done
}

# move_root SERIAL...: onto an array of these drives
move_root()
{
	local serial drives=()

	for serial; do
		drives+=("$(node "$serial")")
	done
	check "create" raizn create $VOLUME "${drives[@]}"
	check "a file system" mkfs.btrfs -q -f -m single -d single $DEV
	mkdir -p $NEW
	check "mount" mount $DEV $NEW
	check "copy the root file system" copy_root
	check "its fstab" write_fstab
	check "devices, /proc, /sys, /run and /boot are there" bind_system
}

# As docs/operations.md says: GRUB cannot read the new root file system.
update_grub()
{
	sed -i "s/^GRUB_CMDLINE_LINUX=\"/&root=UUID=$(file_system_uuid) /" \
		$NEW/etc/default/grub &&
		chroot $NEW update-grub && grep -q "root=UUID" /boot/grub/grub.cfg
}

# root_is_on_array [STATE]
root_is_on_array()
{
	check_equal "boot $LAB_BOOT: the root file system" \
		"$(findmnt -no SOURCE /) $(json .state)" "$DEV ${1:-active}"
	check "boot $LAB_BOOT: systemd says running" system_is_running
}

# One more file, which is synced.
write_files()
{
	local name

	name=file$(cat "$NOTES/sums" 2>/dev/null | wc -l)
	head -c 3000000 /dev/urandom >"$FILES/$name" &&
		(cd $FILES && sha256sum "$name") >>"$NOTES/sums" && sync -f $FILES
}

files_are_right()
{
	(cd $FILES && sha256sum --quiet -c "$NOTES/sums")
}

# The second boot.
moved()
{
	came_up "reboot" reboot
	root_is_on_array
	check_equal "the array was stopped cleanly" "$(recoveries)" 0
	check "write files" write_files
	down "another reboot" systemctl reboot
}

# The third one.
moved_and_rebooted()
{
	came_up "another reboot" reboot
	root_is_on_array
	check_equal "the array that was in use to the end is clean" "$(recoveries)" 0
	check "files are right" files_are_right
}

# The next boot is from the disk again: a scenario leaves no array behind.
boot_from_disk()
{
	update-initramfs -u &&
		sed -i -E 's/ root=[^ ]+/ root=LABEL=lab-root/g' /boot/grub/grub.cfg && sync
}

array_is_left()
{
	check_equal "the root file system is on the disk again" "$(findmnt -no FSTYPE /)" ext4
	check "the array starts" await 120 json_is .state active
	check "stop" raizn stop $VOLUME
	check "it was stopped cleanly" raizn check $VOLUME || note "$(raizn check $VOLUME)"
	check "the module goes" modprobe -r dm-raizn
}
