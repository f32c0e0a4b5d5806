#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A server with an array, a file system on it and a line in fstab is rebooted, reset and
# switched off, with all drives and without one. The file system is mounted when the drives
# are there, however late, or without one where the owner wants that; a drive that comes
# late is added. Mail and metrics tell of an array that waits and of a drive that dies under load;
# a spare takes its place. Another array is scrubbed by its timer, and waits for a drive of a newer
# format. The program and the module's source are upgraded while both arrays run, and so is the
# kernel, for which DKMS builds the module. An array that another machine has used does not start
# by itself. At the end the packages are purged.
#
# RAIZN_TEST_SCALE below 100 leaves out two of the five boots: the one after a reboot with a
# container, and the one that starts no array by itself, which udev is made to show without it.
# It also leaves out the new module, the new kernel, each initramfs, and waits for udev, which
# hangs, to their ends.
#
# One CPU: emulation carries out all of them in one thread, and two take a fifth longer.
# lab: own-boot --drives 5 --cpus 1
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/packages.sh"
. "$(dirname "$0")/pool.sh"
. "$(dirname "$0")/dying_drive.sh"

VOLUME=tank
DEV=/dev/mapper/$VOLUME
MOUNT=/srv/tank
# The serial of the drive that is missing; the last drive is a spare.
LATE=zns3
SPARE=zns4

BOOTS=(first rebooted reset lacks_a_drive last)
((RAIZN_TEST_SCALE >= 100)) || BOOTS=(first reset lacks_a_drive)
BOOT=${BOOTS[LAB_BOOT - 1]:-}

machine()
{
	check_equal "boot $LAB_BOOT: process 1" "$(cat /proc/1/comm)" systemd
	check "boot $LAB_BOOT: systemd says running" system_is_running
	check_equal "boot $LAB_BOOT: what was installed is there" \
		"$(package_state '${db:Status-Status}'; \
		   raizn --version >/dev/null && modinfo -F name dm-raizn)" \
		"installed installed dm_raizn"
}

mounted()
{
	mountpoint -q $MOUNT
}

files_are_right()
{
	(cd $MOUNT && sha256sum --quiet -c $NOTES/sums)
}

# More files, which are synced.
write_files()
{
	head -c 3000000 /dev/urandom >"$MOUNT/file$LAB_BOOT" &&
		(cd $MOUNT && sha256sum "file$LAB_BOOT") >>"$NOTES/sums" &&
		sync -f $MOUNT
}

udev_says()
{
	udevadm info -q property --property="$2" --value -n "$1"
}

# runs WHAT: the array and its file system are there, without anybody's help.
runs()
{
	check "boot $LAB_BOOT: $1: mounted" await 300 mounted ||
		note "$(systemctl --no-pager -l status 'raizn*' '*.mount' 2>&1 | tail -n 40)"
	check_equal "boot $LAB_BOOT: udev's link" \
		"$(readlink -f /dev/disk/by-id/dm-name-$VOLUME)" \
		"$(readlink -f $DEV)"
	check "boot $LAB_BOOT: files are right" files_are_right
}

# A container, whose root is a directory on the array, runs until everything is killed at the
# end of a shutdown; the file system is unmounted for all others before.
container_runs()
{
	local root=$MOUNT/container

	mkdir $root && ldd /usr/bin/sleep | grep -o '/[^ ]*' |
		xargs cp -L --parents -t $root /usr/bin/sleep &&
		systemd-run --unit=container -p DefaultDependencies=no -p RootDirectory=$root \
			/usr/bin/sleep infinity &&
		await 10 eval "[ \$(systemctl show -P MainPID container) != 0 ]" &&
		await 10 grep -q "^$DEV / " "/proc/$(systemctl show -P MainPID container)/mounts"
}

# As snapd has it: a mount unit of a file on the array
snap_is_mounted()
{
	local file=$MOUNT/one.snap

	truncate -s 16M $file && mkfs.ext4 -q $file && sync -f $file || return
	printf '[Mount]\nWhat=%s\nWhere=/snap/one\nType=ext4\nOptions=ro\nLazyUnmount=yes\n' \
		$file >/etc/systemd/system/snap-one.mount
	systemctl daemon-reload && systemctl start snap-one.mount
}

container_had_mount()
{
	journalctl -b -1 -u raizn --no-pager | grep -q \
		"$VOLUME: in use: mounted on / in the mount namespace of process [0-9]* (sleep)"
}

# stopped_after_unmount: before the last boot. The line in fstab names the file system by its
# UUID there, so only the place of raizn.service in the order of units says so.
stopped_after_unmount()
{
	check_equal "boot $LAB_BOOT: arrays were stopped after the file system was unmounted" \
		"$(journalctl -b -1 -o cat --no-pager -u srv-tank.mount -u raizn.service |
			grep -oE '^(Unmounted srv-tank|Stopping raizn)' | tail -n 2 | tr '\n' ' ')" \
		"Unmounted srv-tank Stopping raizn "
}

# to_BOOT: bring the next boot about.
to_rebooted()
{
	check "a container has its root on the array" container_runs ||
		note "$(systemctl --no-pager -l status container; cat "/proc/$(systemctl show -P MainPID container)/mounts")"
	check "a file on the array is mounted" snap_is_mounted
	down "reboot" systemctl reboot
}

to_reset()
{
	monitor_options
	check "one drive is missing at the next boot" missing_at_boot $LATE
	down "reset under the mounted volume" press_reset
}

# As docs/operations.md says. The boots before found the file system by its UUID.
mount_by_name()
{
	local options=nofail,x-systemd.device-timeout=0,x-systemd.requires=raizn.service

	sed -i "s:^UUID=.* btrfs nofail[^ ]*:/dev/disk/by-id/dm-name-$VOLUME $MOUNT btrfs $options:" \
		/etc/fstab && grep "^/dev/disk/by-id/dm-name-$VOLUME .*$options 0 0$" /etc/fstab
}

to_lacks_a_drive()
{
	check "fstab names the volume" mount_by_name
	check "set degraded-after" raizn set $VOLUME autostart=degraded-after=5
	down "power off with the mounted volume" systemctl poweroff
}

to_last()
{
	check "do not start by itself any more" raizn set $VOLUME autostart=no
	check "one drive is missing at the next boot, too" missing_at_boot $LATE
	down "power off again" systemctl poweroff
}

# all_drives_come: udev sees them as it does in a boot, and is done; so is what it started.
all_drives_come()
{
	udevadm trigger --action=add --subsystem-match=block && udevadm settle &&
		await 60 eval "[ ! \"\$(systemctl list-units --no-legend --state=active,activating \
			'raizn-assemble@*')\" ]"
}

# The drives go to another machine, which uses them, and come back.
another_machine()
{
	local uuid said="another machine used it last; .*'raizn start $(json .uuid)'"

	uuid=$(json .uuid)
	check "unmount" umount $MOUNT
	check "stop" raizn stop $VOLUME
	tr -d - <<<"$uuid" >"$TMP/machine-id"
	check "this is another machine" mount --bind "$TMP/machine-id" /etc/machine-id
	check "which starts it" raizn start $VOLUME
	check "and stops it" raizn stop $VOLUME
	check "this is the first one" umount /etc/machine-id
	check "drives come" all_drives_come
	check "it does not start by itself" json_is .state stopped
	check "the journal says why" eval \
		"journalctl -b -u raizn-assemble@$uuid --no-pager | grep -q \"$said\"" ||
		note "$(journalctl -b -u "raizn-assemble@$uuid" --no-pager)"
	check_fails "nor with --all" "$said" raizn start --all
	check "its owner starts it" raizn start $VOLUME
	check "mount" mount $MOUNT
	systemctl reset-failed
}

# Without a boot: udev sees the drives as it does in one.
last_without_boot()
{
	check "do not start by itself any more" raizn set $VOLUME autostart=no
	check "unmount" umount $MOUNT
	check "stop" raizn stop $VOLUME
	check "one drive is missing" drive_pulled $LATE
	check "drives come" udevadm trigger --action=add --subsystem-match=block
	does_not_start
}

does_not_start()
{
	check "udev is done" udevadm settle
	check "it does not start by itself without a drive" json_is .state incomplete ||
		note "$(raizn status $VOLUME)"
	check "the drive comes late" drives_return
	check "it is seen" await 60 json_is .state stopped
	check "udev is done with it" udevadm settle
	check "it does not start by itself" json_is .state stopped
	check "it was stopped cleanly" raizn check $VOLUME || note "$(raizn check $VOLUME)"
	check "start" raizn start $VOLUME
	check "stop" raizn stop $VOLUME
	check "udev hangs" pkill -STOP systemd-udevd
	check_fails "a start does not hang with it" 'udev has not answered for 30 seconds' \
		eval "timeout 60 raizn start $VOLUME && false"
	check "the array runs" json_is .state active
	check "udev goes on" pkill -CONT systemd-udevd
	check "stop after that" raizn stop $VOLUME
	check "the module goes" modprobe -r dm-raizn
	purge_packages
}

case $BOOT in
first)
	check "the initramfs stays, or is made" spare_initramfs
	check "install" install_packages
	machine
	check "the smoke test of the packages" "$RIG_TOP/debian/tests/smoke"
	check "the monitor runs" systemctl is-active raizn-monitor
	check_equal "it was not started again" \
		"$(systemctl show -P NRestarts raizn-monitor)" 0
	check "create" raizn create $VOLUME "$(node zns0)" "$(node zns1)" \
		"$(node zns2)" "$(node zns3)"
	check "a file system" mkfs.btrfs -q -f -m single -d single $DEV
	udevadm settle
	check_equal "udev knows a member" \
		"$(udev_says "$(node zns1)" ID_FS_TYPE) $(udev_says "$(node zns1)" SYSTEMD_READY)" \
		"raizn_member 0"
	check_equal "lsblk knows a member" \
		"$(lsblk -dnro FSTYPE,LABEL,UUID "$(node zns2)")" \
		"raizn_member $VOLUME $(json .uuid)"
	fs=$(blkid -p -s UUID -o value $DEV)
	mkdir -p $MOUNT
	# As docs/operations.md says.
	echo "UUID=$fs $MOUNT btrfs nofail,x-systemd.device-timeout=0 0 0" >>/etc/fstab
	systemctl daemon-reload
	check "mount" mount $MOUNT
	check "write files" write_files
	pool_up
	pool_is_scrubbed
	upgrade_program
	((RAIZN_TEST_SCALE < 100)) || upgrade_module
	check "the array is in use still" json_is .state active
	check "and so is one that nothing uses" pool_is active
	check "the file system is written" dd if=/dev/urandom of=$MOUNT/more bs=1M count=1 conv=fsync
	newer_drive_comes
	((RAIZN_TEST_SCALE < 100)) || replaced_without_udev
	pool_down
	check "files are right after the upgrade" files_are_right
	((RAIZN_TEST_SCALE < 100)) || upgrade_kernel
	;;
rebooted)
	came_up "reboot" reboot
	machine
	check_equal "the next module runs" "$(cat /sys/module/dm_raizn/version)" \
		"$(raizn --version | cut -d' ' -f2)+next"
	runs "after a reboot"
	check_equal "it was stopped cleanly, though a container and a snap had it in use" "$(recoveries)" 0
	check "it was in use then" container_had_mount
	stopped_after_unmount
	check "write more files" write_files
	;;
reset)
	came_up "reset under the mounted volume" reset
	((RAIZN_TEST_SCALE < 100)) ||
		check_equal "the newer kernel runs" "$(uname -r)" "$(newer_kernel)"
	check "the array waits" await 300 json_is .state incomplete
	check "it says for what" eval "raizn status $VOLUME | grep -q \
		'the drive of slot 3 .*last seen as nvme[0-9]*n1, serial zns3'" || note "$(raizn status $VOLUME)"
	check "it waits still, some seconds later" eval "sleep 3 && json_is .state incomplete"
	check "it is not mounted" eval "! mounted"
	check "mail tells of it" await 120 grep -q \
		'Subject: server: raizn: tank: state: .* -> incomplete' "$NOTES/mail" ||
		note "$(systemctl --no-pager -l status raizn-monitor; cat /run/raizn-*.waiting)"
	check "metrics do" await 60 grep -qx \
		"raizn_array_state{array=\"$VOLUME\",state=\"incomplete\"} 1" $METRICS
	check "the drive comes late" drives_return
	runs "with the late drive"
	machine
	check_equal "no drive was left out" "$(json .state)" active
	check_equal "it was recovered" "$(recoveries)" 1
	check "write more files after the reset" write_files
	;;
lacks_a_drive)
	came_up "power off with the mounted volume" power
	runs "without a drive"
	check_equal "it was stopped cleanly" "$(recoveries)" 0
	stopped_after_unmount
	machine
	check_equal "it lacks the drive" "$(json '[.state,.members[3].state]')" \
		'["degraded","missing"]'
	check "write meanwhile" write_files
	check "the drive comes late" drives_return
	check "it is added and catches up" await 120 json_is .state active
	check "files are right" files_are_right

	monitor_with_spare
	drive_dies
	another_machine
	;;
last)
	came_up "power off again" power
	# Otherwise systemd mounts the volume when it appears below, and may find it gone.
	check "its mount does not wait for it" systemctl stop srv-tank.mount
	does_not_start
	;;
*)
	not_ok "boot $LAB_BOOT is one too many"
	finish
	;;
esac

if [ "${BOOTS[LAB_BOOT]:-}" ]; then
	"to_${BOOTS[LAB_BOOT]}"
elif [ "$BOOT" = lacks_a_drive ]; then
	last_without_boot
fi
finish
