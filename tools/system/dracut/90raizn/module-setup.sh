#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# dracut: what starts arrays before the root file system is mounted. systemd does it there as
# it does later.

check()
{
	local fs

	require_binaries @SBINDIR@/raizn || return 1
	# shellcheck disable=SC2154	# dracut sets it
	[[ $hostonly || $mount_needs ]] || return 0
	for fs in "${host_fs_types[@]}"; do
		[[ $fs != raizn_member ]] || return 0
	done
	return 255
}

depends()
{
	echo dm systemd
}

installkernel()
{
	instmods dm-raizn
}

# shellcheck disable=SC2154	# dracut sets it
install()
{
	inst_multiple @SBINDIR@/raizn
	inst_rules 61-raizn.rules
	inst_simple "$systemdsystemunitdir/raizn-assemble@.service"
	# An array that another machine used last does not start by itself.
	[[ ! $hostonly ]] || inst_multiple -H -o /etc/machine-id
}
