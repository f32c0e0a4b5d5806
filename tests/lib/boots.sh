# SPDX-License-Identifier: GPL-2.0
# Several boots of one QEMU guest whose drives keep their state when the machine is reset,
# for suites that source it behind rig.sh, and call boots_begin behind scenario.
# LAB_BOOT counts the boots; LAB_DIR is outside, and keeps what has to be known later.

# boots_begin: SEED is the same in all boots. ZNS holds the zoned drives.
boots_begin()
{
	local i

	[ "$LAB_BOOT" != 1 ] || echo "$SEED" >"$LAB_DIR/seed"
	read -r SEED <"$LAB_DIR/seed"
	BOOT_SEED=$((SEED + LAB_BOOT * 7919))
	RANDOM=$((BOOT_SEED & 0x7fffffff))
	[ "$LAB_BOOT" != 1 ] || note "seed $SEED"
	ZNS=()
	for i in 0 1 2 3 4; do
		ZNS+=("$(readlink -f "/dev/lab/zns$i")")
	done
}

# fail WHAT: and nothing more
fail()
{
	not_ok "boot $LAB_BOOT: $1"
	dmesg | grep -E 'raizn|blk_update|I/O error' | tail -n 20 | sed 's/^/# /'
	finish
}

# must WHAT COMMAND...: a step that is no check, unless it fails
must()
{
	local what=$1
	shift

	"$@" >"$TMP/out" 2>&1 && return
	sed 's/^/# /' "$TMP/out"
	fail "$what"
}

# machine_reset: at once, without any write
machine_reset()
{
	echo 1 >/proc/sys/kernel/sysrq
	echo b >/proc/sysrq-trigger
	sleep 60
	fail "the machine resets"
}

# zone_sectors: of the device $DEV
zone_sectors()
{
	cat "/sys/block/$(sysfs_name "$DEV")/queue/chunk_sectors"
}
