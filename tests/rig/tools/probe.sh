#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# probe tells udev what a member is, from a few blocks, and which file system a volume has,
# also where libblkid does not see it: btrfs on zones of 4 GiB and more.
. "$(dirname "$0")/harness.sh"
. "$RIG_TOP/tests/lib/simulated.sh"

# property KEY DEVICE: as udev would import it.
property()
{
	raizn probe "$2" | sed -n "s/^$1=//p"
}

load_module
simulated_group probe || exit 1
# Zones of 2 GiB, as a ZN540 has them: those of the volume have 8.
read -ra SIMULATED_SETTINGS <<<"$(drive-profile zn540-1t zonesim --drives 6 --zones 40)"
simulated_drives pr 6 || exit 1
check_equal "a drive that is no member" "$(raizn probe /dev/pr5 2>&1; echo $?)" 4
check "create" raizn create tank /dev/pr{0..4} --label 'a label' || finish
at_exit "raizn stop tank"
dmsetup mknodes tank
uuid=$(raizn status tank --json | jq -r .arrays[0].uuid)
check_equal "the type of a member" "$(property ID_FS_TYPE /dev/pr1)" raizn_member
check_equal "the version of the format" "$(property ID_FS_VERSION /dev/pr1)" 1
check_equal "the array's UUID" "$(property ID_FS_UUID /dev/pr1)" "$uuid"
check_equal "the member's UUID" "$(property ID_FS_UUID_SUB /dev/pr1)" \
	"$(raizn inspect /dev/pr1 superblock --json | jq -r .superblock.member_uuid)"
check_equal "the array's name" "$(property ID_FS_LABEL /dev/pr1)" tank

volume=/dev/$(sysfs_name /dev/mapper/tank)
check_equal "a volume without a file system" "$(raizn probe "$volume" 2>&1; echo $?)" 4
check "a file system" mkfs.btrfs -q -f -m single -d single -L 'my data' "$volume"
check_equal "its type" "$(property ID_FS_TYPE "$volume")" btrfs
check_equal "its label" "$(property ID_FS_LABEL_ENC "$volume")" 'my\x20data'
check_equal "its UUID" "$(property ID_FS_UUID "$volume")" \
	"$(btrfs inspect-internal dump-super "$volume" | awk '$1 == "fsid" { print $2 }')"
check "stop" raizn stop tank

# What it reads is bounded, whatever the drive holds.
read0=$(cut -d ' ' -f 3 <<<"$(tr -s ' ' </sys/block/pr1/stat | sed 's/^ //')")
raizn probe /dev/pr1 >"$TMP/out"
read1=$(cut -d ' ' -f 3 <<<"$(tr -s ' ' </sys/block/pr1/stat | sed 's/^ //')")
check_true "it reads a few blocks ($((read1 - read0)) sectors)" "$((read1 - read0 <= 64))"
finish
