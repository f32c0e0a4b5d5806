#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a terminal every long command shows how much of what is done, how fast, and the time
# left, in one line that is whole at its end, also when it is interrupted; elsewhere it shows
# nothing unless it is asked to.
. "$(dirname "$0")/harness.sh"

TIME='[0-9]+:[0-9]{2}:[0-9]{2}'
BYTES='[0-9.]+ ([KMG]iB|bytes)'

# on_terminal [--interrupt REGEX] COMMAND...: in the background; what the command writes goes
# to $TMP/tty, which is empty at once: what a command before wrote is never taken for it.
on_terminal()
{
	: >"$TMP/tty"
	python3 "$RIG_TOP/tests/lib/on-terminal.py" "$@" >"$TMP/tty" 2>&1 </dev/null &
	BACKGROUND=$!
	at_exit "kill $BACKGROUND"
}

# tty_has REGEX: a line as it stood on the terminal at some time, but for blanks and Ctrl-C
# at its end
tty_has()
{
	tr '\r' '\n' <"$TMP/tty" | sed 's/ *\(\^C\)\?$//' | grep -Eqx -- "$1"
}

# amount UNIT: a regular expression for done, total and rate
amount()
{
	if [ "$1" = bytes ]; then
		echo "[0-9.]+%  $BYTES of $BYTES, $BYTES/s"
	else
		echo "[0-9.]+%  [0-9]+ of [0-9]+ $1, [0-9.]+ $1/s"
	fi
}

# shows_progress NAME UNIT: so does the command on the terminal, called NAME
shows_progress()
{
	check "$1: done, total, rate and time left" \
		await 60 tty_has "(ops: )?$1: +$(amount "$2"), $TIME left" ||
		rig_show "$TMP/tty"
}

# ends NAME: the command succeeds, and leaves a line of all that it did. What takes no time
# has no rate.
ends()
{
	wait $BACKGROUND
	check_equal "$1: exit status" $? 0
	check "$1: the last line is whole" \
		tty_has "(ops: )?$1: 100.0%  [^,]* of [^,]*(, [^,]*/s)?, took $TIME" ||
		rig_show "$TMP/tty"
}

# silent NAME SECONDS FASTER COMMAND...: it writes nothing of that, though it is slow for so
# long, before FASTER makes it fast.
silent()
{
	local name=$1 seconds=$2 faster=$3
	shift 3

	"$@" >"$TMP/out" 2>&1 </dev/null &
	sleep "$seconds"
	eval "$faster"
	wait $!
	check_equal "$name: exit status" $? 0
	check_equal "$name: no progress" \
		"$(grep -Ec "[0-9]%  |, took |, $TIME" "$TMP/out")" 0 ||
		rig_show "$TMP/out"
}

# resets_take US DRIVE...: each, of these drives; "": none of them takes time
resets_take()
{
	local drive time=${1:+0:$1}
	shift

	for drive; do
		simulated_set "$drive" reset_us "$time" || not_ok "resets of $drive take '$time'"
	done
}

# ---- by the kernel, in the background: scrub and rebuild ------------------------

array_up
fill_zones
check "slowly" raizn set $VOLUME speed_max=256K
on_terminal raizn scrub $VOLUME --wait
shows_progress check bytes
check "status --watch: done, total, rate and time left" timeout 60 bash -c \
	"raizn status $VOLUME --watch | grep -Eqm 1 \
		'^   check: \[=*> *\] +$(amount bytes), $TIME left$'"
check "quickly" raizn set $VOLUME speed_max=0
ends check
check "slowly" raizn set $VOLUME speed_max=256K
silent "check without a terminal" 3 "raizn set $VOLUME speed_max=0" raizn scrub $VOLUME --wait

check "a drive with data" simulated_drive op5
check "data on it" dd if="$TMP/data" of=/dev/op5 bs=64k count=1 oflag=direct
check "slowly" raizn set $VOLUME speed_max=256K
check "replace" eval \
	"raizn replace --no-copy $VOLUME 1 /dev/op5 --force --progress >'$TMP/tty' 2>&1"
check "replace --progress without a terminal: whole lines" tty_has \
	"erasing /dev/op5: 100.0%  1 of 1 zones.*, took $TIME"
on_terminal --interrupt '/s, [0-9:]+ left' raizn rebuild $VOLUME --wait
shows_progress rebuild bytes
wait $BACKGROUND
check_equal "rebuild: Ctrl-C: exit status" $? 130
check "rebuild: Ctrl-C: what goes on, on a line of its own" tty_has \
	"raizn: ops: the rebuild goes on without this command; 'raizn status ops --watch' shows it" ||
	rig_show "$TMP/tty"
check "it goes on" status_is action rebuild
on_terminal raizn rebuild $VOLUME --wait --progress
check "who waits again sees it at once" await 30 tty_has 'ops: rebuild: .*'
check "quickly" raizn set $VOLUME speed_max=0
ends rebuild

# ---- by the kernel, before the array is there: start ----------------------------

for zone in 4 5 6 7 8 9; do
	check "zone $zone: a little data" zone_write $zone 0 16
done
check "all is durable" sync $DEV
check "power fails in a reset of all zones" eval \
	'simulated_set . keep all && simulated_set . cut_kinds reset &&
	 simulated_set . mark 1 && simulated_set . cut_at 4'
check_fails "reset" 'error' blkzone reset $DEV
check "the array ends" dmsetup remove --retry $VOLUME
check "the power is back" eval \
	'simulated_set . cut_at 0 && simulated_set . power 1'
resets_take 300000 op0
on_terminal raizn start $VOLUME
shows_progress recovery steps
check "status shows it, too" eval \
	"raizn status $VOLUME | grep -Eq '^ recover: \[=*> *\] +$(amount steps), $TIME left$'"
resets_take "" op0
ends recovery
check "status shows that only while it goes on" json_is \
	'.operation|[.kind,.done,.total]' '["idle",0,0]'
dmsetup mknodes $VOLUME

# ---- by raizn: check and create ---------------------------------------------------

zones_have_data()
{
	local zone

	for zone in 0 1 2 3; do
		check "zone $zone has data" zone_write $zone 0 $CAPACITY
	done
}

zones_have_data
check "stop" eval "raizn stop $VOLUME --progress >'$TMP/tty' 2>&1"
check "stop --progress without a terminal" tty_has "ops: stopping, $TIME"
simulated_set op0 latency_us 250000
on_terminal raizn check $VOLUME
shows_progress "comparing parity" bytes
simulated_set op0 latency_us 0
ends "comparing parity"
simulated_set op0 latency_us 250000
silent "comparing parity without a terminal" 8 "simulated_set op0 latency_us 0" \
	raizn check $VOLUME --json

resets_take 300000 op{0..5}
on_terminal --interrupt '/s, [0-9:]+ left' \
	raizn create $VOLUME /dev/op{0..5} --force
shows_progress "erasing 6 drives" zones
wait $BACKGROUND
check_equal "create: Ctrl-C: exit status" $? 130
check "create: Ctrl-C: what is left, on a line of its own" tty_has \
	'raizn: ops: interrupted: no array was made, and a part of .*' ||
	rig_show "$TMP/tty"
resets_take "" op{0..5}
on_terminal raizn create $VOLUME /dev/op{0..5} --force --progress
ends "erasing 6 drives"
dmsetup mknodes $VOLUME
zones_have_data
check "stop" raizn stop $VOLUME
resets_take 300000 op{0..5}
silent "--no-progress on a terminal" 4 'resets_take "" op{0..5}' \
	python3 "$RIG_TOP/tests/lib/on-terminal.py" \
	raizn create $VOLUME /dev/op{0..5} --force --no-progress
finish
