#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The machine is reset in the middle of a rebuild, under load, again and again. Each time
# the rebuild goes on where it was, and whatever an fsync() had returned for is there.
#
# Runs in a QEMU guest, whose drives keep their state over a reset of the machine.
# RAIZN_TEST_SCALE=100 is 3 resets, more are not made.
# lab: own-boot
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/boots.sh"
scenario
boots_begin

VOLUME=rebuilt
DEV=/dev/mapper/$VOLUME
# The last one takes the place of the second.
OLD=${ZNS[1]}
NEW=${ZNS[4]}

# Zones for writes that are synced, for fio's load, and those that are rebuilt.
SYNCED_ZONES=2
LOAD_ZONES=2
FULL_ZONES=8
FIRST_FULL=$((SYNCED_ZONES + LOAD_ZONES))

# Parts of a hundred that are rebuilt when the machine is reset, by boot.
PROGRESS=(0 15 30 45)
RESETS=$(scaled 3 1)
((RESETS < ${#PROGRESS[@]})) || RESETS=$((${#PROGRESS[@]} - 1))
# At first and after each reset, to be in its middle for long; and from when all was
# looked at.
SLOW=256K
FASTER=2M

letters()
{
	dmsetup status $VOLUME | cut -d ' ' -f 6
}

letters_are()
{
	[ "$(letters)" = "$1" ]
}

zone_bytes()
{
	echo $(($(zone_sectors) * 512))
}

load_begin()
{
	local before
	before=$(wc -l <"$LAB_DIR/zones")

	fsynced zones $DEV "$LAB_DIR/zones" 0 $SYNCED_ZONES $BOOT_SEED \
		>"$TMP/fsynced" 2>&1 &
	LOAD=($!)
	fio --name=load --thread --filename=$DEV --zonemode=zbd --direct=1 \
		--rw=randwrite --bs=32k --iodepth=4 --ioengine=libaio \
		--offset=$((SYNCED_ZONES * $(zone_bytes))) \
		--size=$((LOAD_ZONES * $(zone_bytes))) --max_open_zones=2 \
		--rate=4m --time_based --runtime=600 >"$TMP/fio" 2>&1 &
	LOAD+=($!)
	await 60 eval "[ \$(wc -l <'$LAB_DIR/zones') -gt $((before + 5)) ]" ||
		fail "the load begins"
	# Before it does it asks for a report of zones, which it cannot have just while
	# a member is replaced.
	await 60 zones_begun $DEV $((SYNCED_ZONES * $(zone_bytes) / 512)) $LOAD_ZONES ||
		fail "fio begins"
}

# It is still at work: nothing failed.
load_is_well()
{
	cat "$TMP"/{fsynced,fio}
	kill -0 "${LOAD[0]}" && kill -0 "${LOAD[1]}" && [ ! -s "$TMP/fsynced" ] &&
		! grep -q 'error=' "$TMP/fio"
}

load_end()
{
	load_is_well || return 1
	kill -KILL "${LOAD[@]}"
	wait "${LOAD[@]}"
	:
}

# What was synced was seen to be right: there is room for the next syncs, and the load
# begins anew.
make_room()
{
	local zone size=$(($(zone_bytes) / 512))

	for ((zone = 0; zone < FIRST_FULL; zone++)); do
		((zone == 0 || zone >= SYNCED_ZONES)) ||
			blkzone report -o $((zone * size)) -c 1 $DEV |
			grep -q '(fu)' || continue
		blkzone reset -f -o $((zone * size)) -c 1 $DEV || return 1
		sed -i "/^$zone /d" "$LAB_DIR/zones"
	done
}

# held DRIVE: sectors that it holds of the full zones
held()
{
	raizn inspect "$1" zones --json | jq "[.zones[] |
		select(.logical_zone >= $FIRST_FULL and
		       .logical_zone < $((FIRST_FULL + FULL_ZONES))) |
		.written_sectors] | add"
}

holds()
{
	[ "$(held "$1")" -ge "$2" ]
}

full_sectors()
{
	echo $((FULL_ZONES * $(cat "$LAB_DIR/column")))
}

fill()
{
	fsynced zones-fill $DEV "$LAB_DIR/zones" $FIRST_FULL $FULL_ZONES
}

reset_machine()
{
	held "$1" >"$LAB_DIR/held"
	echo "# boot $LAB_BOOT: $(($(cat "$LAB_DIR/held") / 2048)) of" \
		"$(($(full_sectors) / 2048)) MiB are rebuilt," \
		"$(grep -c . "$LAB_DIR/zones") syncs noted, reset"
	sync
	machine_reset
}

# rebuild_and_reset DRIVE SECTORS: reset when the drive holds them
rebuild_and_reset()
{
	holds "$1" "$2" || must "faster" raizn set $VOLUME speed_max=$FASTER
	await 180 holds "$1" "$2" || fail "the rebuild makes progress"
	letters_are "$LETTERS" || fail "it is not in its middle: $(letters)"
	must "slowly" raizn set $VOLUME speed_max=$SLOW
	must "the load goes on until the reset" load_is_well
	reset_machine "$1"
}

is_slow()
{
	raizn status $VOLUME --json |
		jq -e ".arrays[0].settings.speed_max == $((${SLOW%K} << 10))"
}

# goes_on DRIVE: started with a rebuild that is where it was. A zone that was in its
# middle may begin anew.
goes_on()
{
	local before now

	before=$(cat "$LAB_DIR/held")
	must "start" raizn start $VOLUME
	must "it is as slow as it was" is_slow
	now=$(held "$1")
	letters_are "$LETTERS" || fail "started with members $(letters)"
	((now >= before - $(cat "$LAB_DIR/column"))) ||
		fail "the rebuild began anew: $((now / 2048)) MiB after the start"
	ok "boot $LAB_BOOT: the rebuild goes on at $((now / 2048)) MiB"
	must "what was synced is right" fsynced zones-check $DEV \
		"$LAB_DIR/zones"
	sed "s/^/# boot $LAB_BOOT: /" "$TMP/out"
	must "empty zones" make_room
}

first_boot()
{
	must "create" raizn create $VOLUME "${ZNS[@]:0:4}"
	: >"$LAB_DIR/zones"
	must "full zones" fill
	raizn inspect "$OLD" zones --json |
		jq "[.zones[] | select(.logical_zone == $FIRST_FULL)][0].written_sectors" \
		>"$LAB_DIR/column"
	load_begin
	must "a member fails" raizn fail $VOLUME 1 --force
	must "slowly" raizn set $VOLUME speed_max=$SLOW
	must "replace" raizn replace --no-copy $VOLUME 1 "$NEW"
}

load_module || fail "load the module"
at_exit "jobs_end; ! dmsetup info $VOLUME || raizn stop $VOLUME"
LETTERS=ARAA
if ((LAB_BOOT == 1)); then
	first_boot
else
	goes_on "$NEW"
	load_begin
fi
if ((LAB_BOOT <= RESETS)); then
	rebuild_and_reset "$NEW" \
		$(($(full_sectors) * PROGRESS[LAB_BOOT] / 100))
fi

must "at full speed" raizn set $VOLUME speed_max=0
check_equal "resets" $((LAB_BOOT - 1)) $RESETS
check "after them the rebuild ends" \
	timeout 120 raizn rebuild $VOLUME --wait
check "all members are there" letters_are AAAA
check "the load goes on until then" load_end
check "what was synced is right" fsynced zones-check $DEV "$LAB_DIR/zones"
check "no error is counted" eval "raizn status $VOLUME --json |
	jq -e '[.arrays[0].members[]|.read_errors+.write_errors]|add == 0'"
check "stop" raizn stop $VOLUME
check "all members agree" raizn check $VOLUME
finish
