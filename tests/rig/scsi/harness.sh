# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of the suite scsi: host-managed SCSI disks as shingled
# disks are, made by the kernel's scsi_debug. They have conventional zones in
# front, zones as large as their capacity, and no limit of active zones.
#
# Each disk is a host of its own with a memory of its own. A disk that is
# deleted and found again by a scan of its host has kept zones and data; one
# whose host is removed has lost all.
# shellcheck disable=SC2034 # variables for the scenarios
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
scenario

VOLUME=scsi
DEV=/dev/mapper/$VOLUME
MOUNT=$TMP/mount
NR_CONVENTIONAL=2
ZONE_MIB=4
ZONES=32
SCSI_DEBUG=/sys/bus/pseudo/drivers/scsi_debug

# FORMAT: of the disks, where one kind is enough for a run. Each comes in turn.
FORMAT=$(one_of 4kn 512e)

# scsi_disks N 512e|4kn [KEY=VALUE...]: N new disks like HC620, but with small zones; their
# devices go to DRIVES, their hosts to HOSTS.
scsi_disks()
{
	local -a settings
	local word

	read -ra settings <<<"$(drive-profile "hc620:${2/4kn/4096}" scsi_debug \
		--zones $ZONES --zone-mib $ZONE_MIB)"
	for word in "${settings[@]}"; do
		[[ $word != zone_nr_conv=* ]] || NR_CONVENTIONAL=${word#*=}
	done
	modprobe scsi_debug "${settings[@]}" per_host_store=1 add_host="$1" delay=0 \
		"${@:3}" || return 1
	SCSI_LOADED=1
	find_disks "$1"
}

# find_disks N: waits until each of N hosts has its disk
find_disks()
{
	local adapter

	await 60 disks_are "$1" || return 1
	DRIVES=()
	HOSTS=()
	for adapter in "$SCSI_DEBUG"/adapter*/; do
		HOSTS+=("$(basename "$adapter"/host*)")
		DRIVES+=("$(disk_of "${HOSTS[-1]}")")
	done
	udevadm settle
}

disks_are()
{
	local -a found

	found=("$SCSI_DEBUG"/adapter*/host*/target*/*/block/sd*/queue/nr_zones)
	[ ${#found[@]} -eq "$1" ] && [ -e "${found[0]}" ]
}

# disk_of HOST: its device
disk_of()
{
	local -a disk

	disk=("$SCSI_DEBUG"/adapter*/"$1"/target*/*/block/sd*)
	[ -e "${disk[0]}" ] && echo "/dev/${disk[0]##*/}"
}

# scsi_delete DISK: as if it was pulled
scsi_delete()
{
	echo 1 >"/sys/block/${1#/dev/}/device/delete"
}

# scsi_rescan HOST: finds its disk again, by another name maybe: FOUND
scsi_rescan()
{
	echo "- - -" >"/sys/class/scsi_host/$1/scan"
	await 60 disk_of "$1" || return 1
	FOUND=$(disk_of "$1")
	udevadm settle
}

disks_gone()
{
	[ -n "${SCSI_LOADED:-}" ] || return 0
	# udev looks at a disk as long as it likes.
	udevadm settle
	await 30 modprobe -r scsi_debug || return 1
	SCSI_LOADED=
	DRIVES=()
}

volume_create()
{
	raizn create $VOLUME "${DRIVES[@]}" "$@" || return 1
	RIG_VOLUME_UP=1
	DEV_NAME=$(sysfs_name $DEV)
}

everything_gone()
{
	mountpoint -q "$MOUNT" && umount "$MOUNT"
	[ -z "${RIG_VOLUME_UP:-}" ] || raizn stop $VOLUME ||
		dmsetup remove --force $VOLUME
	disks_gone
	unload_module
}

queue()
{
	cat "/sys/block/${1#/dev/}/queue/$2"
}

letters()
{
	dmsetup status $VOLUME | awk '{ print $4, $6 }'
}

mkdir -p "$MOUNT"
at_exit everything_gone
load_module || { not_ok "load the module"; finish; }
