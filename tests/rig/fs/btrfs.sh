#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# btrfs keeps its files over remounts and a restart of the array; its check, a scrub and
# a full balance, which rewrites and resets zones, find nothing wrong.
. "$(dirname "$0")/harness.sh"

# After this a balance has to have something done in each ten seconds.  The kernel complains
# of a task that waits for two minutes.
BALANCE_SECONDS=90

btrfs_scrub()
{
	mount_btrfs && btrfs scrub start -B "$MNT" || return 1
	umount "$MNT"
}

# Relocates block groups: zones are rewritten and reset. btrfs with large folios may wait
# for itself, on any drive: relocation holds a folio that is dirty already while it waits
# for space, and the task that makes space waits for that folio. If so, the volume has
# nothing to do; relocation can be killed, and lets go. Return: 2 then.
btrfs_balance()
{
	local pid before stuck=

	mount_btrfs || return 1
	btrfs balance start --full-balance "$MNT" &
	pid=$!
	await $BALANCE_SECONDS eval "! kill -0 $pid"
	while kill -0 $pid; do
		before=$(cat "/sys/block/$DEV_NAME/stat")
		await 10 eval "! kill -0 $pid" && break
		[ "$(cat "/sys/block/$DEV_NAME/stat")" = "$before" ] || continue
		stuck=$(xargs <"/sys/block/$DEV_NAME/inflight")
		echo "balance does not go on; requests of $DEV: $stuck"
		kill -KILL $pid
		break
	done
	wait $pid || [ -n "$stuck" ] || return 1
	[ -z "$stuck" ] || [ "$stuck" = "0 0" ] || return 1
	verify_files "$TMP/files.1" && umount "$MNT" || return 1
	[ -z "$stuck" ] || return 2
}

check_balance()
{
	local status

	btrfs_balance >"$TMP/output" 2>&1
	status=$?
	case $status in
	0)
		ok "balance"
		;;
	2)
		skip "balance" "btrfs of this kernel waited for itself"
		;;
	*)
		not_ok "balance" "exit status $status"
		rig_show "$TMP/output"
		;;
	esac
}

needs_fs btrfs
btrfs_complains && not_here "btrfs" "$FAILS_ON_DRIVES"
fs_volume
must "mkfs" mkfs_btrfs
lives mount_btrfs "$(scaled 150 20)" 350
check "check" btrfs check "$DEV"
check "scrub" btrfs_scrub
check_balance
check "check after balance" btrfs check "$DEV"
fs_end
