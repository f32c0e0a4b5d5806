#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The monitor looks after two arrays. Neither a program that hangs nor a spare that does not
# answer the first of them keeps the second from its spare; the program is told of all, and
# the first array takes the drive when it answers again. A monitor that begins with such a spare
# does not wait for it.
. "$(dirname "$0")/harness.sh"

# Hangs at the first change it is told of, until $TMP/go is there.
hanging_program()
{
	cat >"$TMP/program" <<-END
	#!/bin/sh
	echo "\$@ \$RAIZN_ARRAY \$RAIZN_WHAT \$RAIZN_SLOT" >>"$TMP/told"
	while [ ! -e "$TMP/go" ]; do sleep 0.2; done
	END
	chmod 755 "$TMP/program"
	: >"$TMP/told"
}

# letters NAME: of the members of an array
letters()
{
	dmsetup status "$1" | cut -d ' ' -f 6
}

letters_of()
{
	[ "$(letters "$1")" = "$2" ]
}

# takes_spare NAME DEVICE: it has it, and is whole.
takes_spare()
{
	raizn status "$1" --json | jq -e --arg device "$2" '.arrays[0] |
		.state == "active" and any(.members[]; .device == $device)' >/dev/null
}

array_up
simulated_drives oq 3 || exit 1
check "another array" raizn create other /dev/oq{0..2} --stripe-unit 16K --spare-zones 4
at_exit "raizn stop other"
dmsetup mknodes other
check "spares" eval 'simulated_drive op5 && simulated_drive op6'
hanging_program
background monitor raizn monitor --program "$TMP/program" --prometheus "$TMP/prom" \
	--spare /dev/op5 --spare /dev/op6
check "the monitor has seen both" await 30 grep -qxF \
	'raizn_array_state{array="other",state="active"} 1' "$TMP/prom"

check "the first spare does not answer" simulated_set op5 stall 1
check "a member of the first array fails" raizn fail $VOLUME 1 --force
check "the program is run, and hangs" await 30 grep -q 'ops member active failed' "$TMP/told"
check "metrics tell of it" await 30 grep -qxF \
	'raizn_array_state{array="ops",state="degraded"} 1' "$TMP/prom"
check "a member of the second array fails" raizn fail other 2 --force
check "metrics tell of that, too" await 30 grep -qxF \
	'raizn_array_state{array="other",state="degraded"} 1' "$TMP/prom"
check "it takes the second spare" await 30 takes_spare other /dev/op6 ||
	rig_show "$TMP/monitor"
check_equal "the first array has none yet" "$(letters $VOLUME)" AFAAA
check_equal "the program hangs still" "$(wc -l <"$TMP/told")" 1
check "the program goes on" touch "$TMP/go"
check "it is told of the other array" await 30 grep -q 'other state active degraded' "$TMP/told"
# The first program has ended before what the first array waits for.
check "the second array is whole" await 30 letters_of other AAA
check "another member of it fails" raizn fail other 0 --force
check "the program is told of that" await 30 grep -q 'other member active failed other member 0' \
	"$TMP/told" || rig_show "$TMP/told"
check_equal "the first array has none yet" "$(letters $VOLUME)" AFAAA
check "the first spare answers again" simulated_set op5 stall 0
check "the first array takes it" await 60 takes_spare $VOLUME /dev/op5 ||
	rig_show "$TMP/monitor"
check "the program is told of that" await 30 grep -q 'ops state degraded active' "$TMP/told"
background_ends $BACKGROUND

check "a spare that does not answer" eval 'blkzone reset /dev/op1 && simulated_set op1 stall 1'
rm "$TMP/prom"
background monitor raizn monitor --prometheus "$TMP/prom" --spare /dev/op1
check "a monitor begins with it" await 30 grep -qxF \
	'raizn_array_state{array="ops",state="active"} 1' "$TMP/prom"
check "and says so" grep -q '/dev/op1: does not answer; it is looked at again' "$TMP/monitor"
check "the spare answers again" simulated_set op1 stall 0
check "the array that lacks a member takes it" await 60 takes_spare other /dev/op1 ||
	rig_show "$TMP/monitor"
background_ends $BACKGROUND
finish
