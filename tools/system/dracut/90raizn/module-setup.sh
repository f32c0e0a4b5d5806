#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Has dracut add the program, the rule and the module that start arrays to an initramfs. systemd
# starts them there as it does later.

# is_volume MAJOR:MINOR
is_volume()
{
	local uuid

	uuid=$(cat "/sys/dev/block/$1/dm/uuid" 2>/dev/null)
	[[ $uuid == RAIZN-* ]]
}

check()
{
	require_binaries @SBINDIR@/raizn || return 1
	# shellcheck disable=SC2154	# dracut sets it
	[[ $hostonly || $mount_needs ]] || return 0
	for_each_host_dev_and_slaves is_volume || return 255
}

# print_file_system MAJOR:MINOR: what is on a volume. dracut asks libblkid, which does not see
# file systems on zones of 4 GiB and more. Fails, so that the next device is asked, too.
print_file_system()
{
	! is_volume "$1" || lsblk -dnro FSTYPE "/dev/block/$1"
	return 1
}

file_systems()
{
	# shellcheck disable=SC2154	# dracut sets it
	[[ ! $hostonly ]] || for_each_host_dev_and_slaves print_file_system
}

depends()
{
	echo dm systemd
	[[ $(file_systems) != *btrfs* ]] || echo btrfs
}

installkernel()
{
	local types

	# shellcheck disable=SC2154	# dracut sets it
	modinfo -k "$kernel" dm-raizn >/dev/null 2>&1 ||
		derror "raizn: kernel $kernel has no module dm-raizn, its initramfs will start no array; install the kernel's headers, then: dkms autoinstall -k $kernel, and run dracut again"
	mapfile -t types < <(file_systems)
	hostonly='' instmods dm-raizn
	[[ ! ${types[*]} ]] || hostonly='' instmods "${types[@]}"
}

# Of this machine: its identity, because an array that another one used last does not start by
# itself; and as what it saw drives last, for messages that name a missing one.
# shellcheck disable=SC2154	# dracut sets it
install()
{
	inst_multiple @SBINDIR@/raizn
	inst_rules 61-raizn.rules
	inst_simple "$systemdsystemunitdir/raizn-assemble@.service"
	[[ ! $hostonly ]] || inst_multiple -H -o /etc/machine-id /var/lib/raizn/*
}
