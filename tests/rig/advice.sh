#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An owner who does what status advises, and nothing else, never has less than before: drives
# fail in any order, the array stops and loses power, and after each step that status advised
# every block that could be read can be read still. In the end, when the drives are back or were
# replaced, all that they did not lose can be read.
#
# RAIZN_TEST_SCALE=100 is 12 histories. A seed repeats a run, as far as time is not part of it.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
. "$(dirname "$0")/../lib/advice.sh"
. "$(dirname "$0")/../lib/faults.sh"
scenario

VOLUME=advised
DEV=/dev/mapper/$VOLUME
HISTORIES=$(scaled 12)
EVENTS=6
MAX_STEPS=20
ZONES=5			# of the volume, that are written
CAPACITY=1536		# KiB of a member zone

note "seed $SEED"

. "$(dirname "$0")/../lib/chance.sh"

# ---- the array ------------------------------------------------------------------

shape()
{
	pick_of 5 5 6 6 1
	LEVEL=$PICKED
	case $LEVEL in
	1) pick_of 2 3 ;;
	5) pick_of 3 4 5 ;;
	6) pick_of 4 5 6 ;;
	esac
	MEMBERS=$PICKED
	pick_of 16K 16K 64K
	UNIT=$PICKED
	pick_of 1 1 0
	CACHE=$PICKED
}

# ---- what is written, and what can be read ---------------------------------------

# look MAP
look()
{
	extents >"$TMP/extents"
	timeout 60 python3 "$RIG_TOP/tests/lib/readable.py" map $DEV "$TMP/data" \
		"$TMP/extents" >"$TMP/$1"
}

# compare WHAT: nothing is wrong, and what was right is right
compare()
{
	runs || return 0
	look now || { WHY="the volume cannot be read"; return 1; }
	if grep -q w "$TMP/now"; then
		WHY="$1: wrong data: $(grep -m 3 w "$TMP/now" | tr '\n' ' ')"
		return 1
	fi
	if [ -e "$TMP/before" ] && ! python3 "$RIG_TOP/tests/lib/readable.py" less \
		"$TMP/before" "$TMP/now" >"$TMP/less"; then
		WHY="$1: cannot be read any more: $(head -n 3 "$TMP/less" | tr '\n' ' ')"
		return 1
	fi
	mv "$TMP/now" "$TMP/before"
}

# ---- what status advises ------------------------------------------------------------

# connect_all [DRIVE...]: those that are off, and work if somebody connects them; all of them
connect_all()
{
	local name found=1

	[ $# -gt 0 ] || set -- "${!OFF[@]}"
	for name; do
		[[ ${OFF[$name]:-} && -z ${DEAD[$name]:-} ]] || continue
		simulated_set "$name" power 1
		await 10 test -b "/dev/$name" && rig_scheduler "/dev/$name"
		unset "OFF[$name]"
		note "  $ID: connect $name"
		found=0
	done
	return $found
}

all_are_off()
{
	local name

	for name in "${DRIVE[@]}"; do
		[ "${OFF[$name]:-}" ] || return 1
	done
}

# carry_out NUMBER: one of the commands, with drives filled in
carry_out()
{
	local command=${COMMANDS[$1]} slot=

	if [[ $command = *NEW-DRIVE* ]]; then
		drive || return 1
		slot=$(awk '{ print $4 }' <<<"$command")
		# In rows with lost blocks, what only the former drive has is given up.
		[ "$(status_field lost)" = 0 ] || LOST=1
		command=${command//NEW-DRIVE//dev/$NEW}
	fi
	command=${command//DRIVE//dev/${CONNECTED:-none}}
	DONE="$ID: $command"
	note "  $DONE"
	timeout 100 python3 "$RIG_TOP/tests/lib/terminal.py" y bash -c "$command" \
		>"$TMP/said" 2>&1 || {
		REFUSED=1
		note "    $(tail -n 1 "$TMP/said")"
		return 1
	}
	dmsetup mknodes
	[ -z "$slot" ] || DRIVE[slot]=$NEW
}

# Has the array lost more members than parity makes up for? It may not know that yet.
lost_too_much()
{
	local slot lost=0 letters parities

	letters=$(dmsetup status $VOLUME | awk '{ print $6 }')
	case $LEVEL in
	1) parities=$((MEMBERS - 1)) ;;
	5) parities=1 ;;
	6) parities=2 ;;
	esac
	for ((slot = 0; slot < MEMBERS; slot++)); do
		[[ ${letters:slot:1} = [AR] && -z ${OFF[${DRIVE[slot]}]:-} ]] || lost=$((lost + 1))
	done
	((lost > parities))
}

# The slot that a command of the advice has as its third word.
slot_of()
{
	SLOT=$(awk '{ print $4 }' <<<"${COMMANDS[$1]}")
}

can_connect()
{
	local name=${DRIVE[SLOT]}

	[ "${OFF[$name]:-}" ] && [ -z "${DEAD[$name]:-}" ]
}

# restore_needed: a drive that is gone, and that the array cannot be told to do without
restore_needed()
{
	slot_of 0
	if [ "${DEAD[${DRIVE[SLOT]}]:-}" ]; then
		carry_out 3
	else
		! can_connect || connect
		carry_out 1 && carry_out 2
	fi
}

# finish_zones: those that are written in part, or none is left
finish_zones()
{
	local zone found=

	for ((zone = 0; zone < ZONES; zone++)); do
		((WRITTEN[zone] > 0 && WRITTEN[zone] < ZONE_CAPACITY)) || continue
		blkzone finish -o $((zone * CHUNK)) -c 1 $DEV || continue
		END[zone]=${WRITTEN[zone]}
		WRITTEN[zone]=-1
		found=1
	done
	DONE="$ID: finish zones"
	note "  $DONE"
	[ $found ] || { WHY="no zone is written in part, and it makes no progress"; return 1; }
	timeout 60 raizn rebuild $VOLUME --wait >/dev/null 2>&1
	return 0
}

# It is given up by its owner, who saved what can be read.
forget_zone()
{
	local at

	[ "$LOST" ] || { WHY="the zone is given up, though its drives are there"; return 1; }
	at=$(grep -o -- '-o [0-9]*' <<<"$DONE")
	at=$((${at#-o } / CHUNK))
	WRITTEN[at]=0
	END[at]=0
	awk -v from=$((at * CHUNK * 512)) -v to=$(((at + 1) * CHUNK * 512)) \
		'$1 < from || $1 >= to' "$TMP/before" >"$TMP/kept"
	mv "$TMP/kept" "$TMP/before"
}

# One step. Return: 0 there may be more to do, 1 not.
follow()
{
	case $ID in
	none) return 1 ;;
	errors)
		percent 30 || return 1
		carry_out 0
		;;
	rebuild) raizn set $VOLUME speed_max=0 && carry_out 0 ;;
	rebuild-again)
		AGAIN=$((AGAIN + 1))
		if [ $AGAIN -gt 2 ]; then
			finish_zones
		else
			carry_out 0
		fi
		;;
	gone) carry_out 0 || restore_needed ;;
	add-back | start | recover) carry_out 0 ;;
	unwritable | damaged-rebuild)
		if [ $ID = damaged-rebuild ] && [ "$LAST" = damaged-rebuild ]; then
			carry_out 2 && forget_zone
		else
			carry_out 0 && carry_out 1
		fi
		;;
	damaged) carry_out 0 && forget_zone ;;
	retired)
		if [ "$LAST" = retired ]; then
			carry_out 1 && forget_zone
		else
			carry_out 0
			timeout 60 raizn rebuild $VOLUME --wait >/dev/null 2>&1
		fi
		;;
	lost-sectors)
		[ "$LAST" != lost-sectors ] || return 1
		carry_out 0
		timeout 60 raizn scrub $VOLUME --wait >/dev/null 2>&1
		;;
	zones)
		if [ "$LAST" = zones ]; then
			carry_out 1
		else
			carry_out 0
			timeout 60 raizn rebuild $VOLUME --wait >/dev/null 2>&1
		fi
		;;
	missing)
		slot_of 1
		if can_connect && percent 60; then
			connect
			carry_out 0
		else
			carry_out 1
		fi
		;;
	failed-member | needed-member)
		slot_of 0
		if can_connect && { percent 50 || [ $ID = needed-member ]; }; then
			connect
		else
			carry_out 0
		fi
		;;
	connect)
		connect_all || { WAITS=1; return 1; }
		;;
	degraded)
		if percent 60 && connect_all; then
			DONE="$ID: connect all"
		else
			carry_out 0
		fi
		;;
	failed)
		! percent 60 || connect_all
		carry_out 0 && carry_out 1
		;;
	failed-drives)
		connect_all || { WAITS=1; return 1; }
		;;
	*)
		WHY="status advises $ID"
		return 1
		;;
	esac
	return 0
}

advice()
{
	local json

	json=$(raizn status $VOLUME --json 2>"$TMP/errors") || true
	ID=$(jq -r '.arrays[0].advice // empty' <<<"$json")
	mapfile -t COMMANDS < <(jq -r '.arrays[0].commands[]?' <<<"$json")
	ACTION=$(jq -r '.arrays[0].action // empty' <<<"$json")
}

# until_done: does all that status advises
until_done()
{
	local step

	LAST=
	WAITS=
	AGAIN=0
	DONE="as it is"
	compare "$HOW" || return 1
	for ((step = 0; step < MAX_STEPS; step++)); do
		advice
		# Of an array none of whose drives is there, status knows nothing.
		if [ -z "$ID" ] && all_are_off; then
			# Former drives know an older state.
			connect_all "${DRIVE[@]}" || { WAITS=1; break; }
			continue
		fi
		if [ -z "$ID" ]; then
			WHY="no advice: $(head -n 1 "$TMP/errors")"
			return 1
		fi
		REFUSED=
		follow || break
		# Known: no advice helps then.
		if [ "$REFUSED" ] && runs && lost_too_much && ! connect_all; then
			WAITS=1
			break
		fi
		[ -z "$WHY" ] || return 1
		LAST=$ID
		compare "$DONE" || return 1
	done
	[ -z "$WHY" ] || return 1
	if ((step == MAX_STEPS)); then
		WHY="the advice has no end: $ACTION"
		return 1
	fi
	[ "$WAITS" ] && return
	runs || { WHY="the array does not run"; return 1; }
	# All drives are back or replaced: everything is there.
	if [ -z "$LOST" ]; then
		mv "$TMP/all" "$TMP/before"
		compare "in the end"
		return
	fi
	# Bad sectors are found and healed before they add to what the next event does.
	timeout 60 raizn scrub $VOLUME --wait >/dev/null 2>&1
	timeout 60 raizn rebuild $VOLUME --wait >/dev/null 2>&1
	compare "after a scrub"
}

event()
{
	pick_of power unplug by_hand bad_sectors bad_sectors bad_zone write_error power_cut restart
	[[ $PICKED != bad_* ]] || LOST=1
	HOW+="${HOW:+; }$PICKED"
	"$PICKED" || WHY="$HOW"
}

# Return: the array goes on.
one_event()
{
	local what="history $HISTORY, event $EVENT"

	HOW=
	WHY=
	LOST=
	rm -f "$TMP/before"
	rig_mark "$SUITE: $what"
	! percent 30 || slowly >/dev/null 2>&1
	write_some >"$TMP/output" 2>&1
	look before
	cp "$TMP/before" "$TMP/all"
	event >>"$TMP/output" 2>&1
	if percent 40; then
		event >>"$TMP/output" 2>&1
		! percent 30 || event >>"$TMP/output" 2>&1
	fi
	note "$what: $HOW"
	# From here on; what was lost by the event is lost.
	rm -f "$TMP/before"
	! runs || ! percent 50 || write_some >>"$TMP/output" 2>&1
	if [ -z "$WHY" ] && until_done; then
		ok "$what: $HOW"
		[ -z "$WAITS" ]
		return
	fi
	not_ok "$what: $HOW" "$WHY"
	note "$(raizn status $VOLUME 2>&1 | head -n 4)"
	note "$(dmsetup status $VOLUME 2>&1)"
	note "$(dmesg | grep raizn | tail -n 12)"
	rig_show "$TMP/output"
	return 1
}

history()
{
	shape
	note "history $HISTORY: level $LEVEL, $MEMBERS drives, stripe unit $UNIT," \
		"$([ $CACHE = 1 ] || echo no) volatile cache"
	check "history $HISTORY: an array" array_begins || finish
	write_some
	write_some
	for ((EVENT = 1; EVENT <= EVENTS; EVENT++)); do
		one_event || break
	done
	((RIG_FAILED == 0)) || finish
	check "history $HISTORY: the end" array_ends
}

load_module || exit 1
load_zonesim || exit 1
check "another array" faster
at_exit give_up
for ((HISTORY = 1; HISTORY <= HISTORIES; HISTORY++)); do
	history
done
finish
