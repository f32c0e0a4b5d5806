#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# At each moment of a history of faults, every block that can be computed from what the drives
# hold is read, or a reason is known why not: tests/lib/computable computes it from the drives
# themselves, and names the reasons. Drives fail and come back in any combination, arrays of all
# levels are written, stopped, started, rebuilt and lose power, and nobody asks status what to do.
#
# RAIZN_TEST_SCALE=100 is 20 histories. A seed repeats a run, as far as time is not part of it.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
. "$(dirname "$0")/../lib/faults.sh"
scenario

VOLUME=computed
DEV=/dev/mapper/$VOLUME
HISTORIES=$(scaled 20)
STEPS=14
ZONES=5			# of the volume, that are written
CAPACITY=1536		# KiB of a member zone

note "seed $SEED"

. "$(dirname "$0")/../lib/chance.sh"

# The level of a short run's histories is not left to chance.
shape()
{
	local levels=(5 6 0 1)

	LEVEL=${levels[(HISTORY + SEED) % 4]}
	case $LEVEL in
	0 | 1) pick_of 2 3 4 ;;
	5) pick_of 3 4 5 ;;
	6) pick_of 4 5 6 ;;
	esac
	MEMBERS=$PICKED
	pick_of 16K 16K 64K
	UNIT=$PICKED
	pick_of 1 1 0
	CACHE=$PICKED
}

# ---- the array's user --------------------------------------------------------------

# pick_zone: ZONE is one that is written in part, if there is one
pick_zone()
{
	local zone zones=()

	for ((zone = 0; zone < ZONES; zone++)); do
		((WRITTEN[zone] < 0 || WRITTEN[zone] == ZONE_CAPACITY)) || zones+=("$zone")
	done
	((${#zones[@]})) || zones=(0)
	pick_of "${zones[@]}"
	ZONE=$PICKED
	HOW+=" zone $ZONE"
}

fill_zone()
{
	pick_zone
	((WRITTEN[ZONE] < 0 || WRITTEN[ZONE] == ZONE_CAPACITY)) ||
		write_zone "$ZONE" $((ZONE_CAPACITY - WRITTEN[ZONE]))
}

finish_zone()
{
	pick_zone
	((WRITTEN[ZONE] > 0)) || return 0
	blkzone finish -o $((ZONE * CHUNK)) -c 1 $DEV
	END[ZONE]=${WRITTEN[ZONE]}
	WRITTEN[ZONE]=-1
}

# Of a reset that failed nothing is known.
reset_zone()
{
	pick $ZONES
	HOW+=" zone $PICKED"
	END[PICKED]=0
	WRITTEN[PICKED]=-1
	! blkzone reset -o $((PICKED * CHUNK)) -c 1 $DEV || WRITTEN[PICKED]=0
}

# ---- drives ------------------------------------------------------------------------

# Two drives cannot read the same row: their columns of a zone are in the same member zone at
# first.
bad_row()
{
	local zone length lines at

	slot
	mapfile -t lines < <(data_zones)
	((${#lines[@]})) || return 0
	pick_of "${lines[@]}"
	read -r zone length <<<"$PICKED"
	pick $(((length + 7) / 8))
	at=$((zone * 4096 + PICKED * 8))
	HOW+=" $zone:$((PICKED * 8))"
	simulated_set "${DRIVE[SLOT]}" bad_sectors $at
	pick $((MEMBERS - 1))
	SLOT=$(((SLOT + 1 + PICKED) % MEMBERS))
	HOW+=" $SLOT(${DRIVE[SLOT]})"
	simulated_set "${DRIVE[SLOT]}" bad_sectors $at
}

# ---- the array's owner -------------------------------------------------------------

# carry_out COMMAND...
carry_out()
{
	HOW+=" ($*"
	echo "+ $*"
	if timeout 100 python3 "$RIG_TOP/tests/lib/terminal.py" y "$@"; then
		HOW+=")"
		dmsetup mknodes
	else
		HOW+=": refused)"
		return 1
	fi
}

# event_of DRIVE: how new the state is that it knows
event_of()
{
	raizn inspect "/dev/$1" superblock --json | jq '.superblock.event // 0'
}

declare -A SEEN=()
goes_off()
{
	SEEN[$1]=$(event_of "$1")
}

# Is there a drive that knows what the array did last? Drives that were away before cannot know
# that the array went on without them, and an owner who starts it from these alone goes back.
newest_is_there()
{
	local name event here=0 away=0

	for name in "${DRIVE[@]}"; do
		if [ "${OFF[$name]:-}" ]; then
			event=${SEEN[$name]:-0}
			away=$((event > away ? event : away))
		else
			event=$(event_of "$name")
			here=$((event > here ? event : here))
		fi
	done
	((here >= away))
}

# connect_some PERCENT
connect_some()
{
	local slot

	for slot in "${!DRIVE[@]}"; do
		[[ ${OFF[${DRIVE[slot]}]:-} ]] && percent "$1" || continue
		SLOT=$slot
		connect
		HOW+=" connect $CONNECTED"
		! runs || BACK[$CONNECTED]=1
	done
}

state_is()
{
	runs && [[ $(dmsetup status $VOLUME) = *" raizn $1 "* ]]
}

# A start opens all drives anew.
starts()
{
	carry_out raizn start $VOLUME "$@" || return 1
	BACK=()
	RETURNED=1
}

# begin [PERCENT]: with so many of the drives that were away
begin()
{
	connect_some "${1:-60}"
	starts || { newest_is_there && starts --degraded; } || true
}

again()
{
	carry_out raizn stop $VOLUME || return 0
	begin
}

# One of the drives that are there and whose member is not.
take_back()
{
	local slot letters lacks=()

	connect_some 60
	letters=$(dmsetup status $VOLUME | awk '{ print $6 }')
	for ((slot = 0; slot < MEMBERS; slot++)); do
		[[ ${letters:slot:1} = [F-] && -z ${OFF[${DRIVE[slot]}]:-} ]] && lacks+=("$slot")
	done
	((${#lacks[@]})) || return 0
	pick_of "${lacks[@]}"
	carry_out raizn add $VOLUME "/dev/${DRIVE[PICKED]}" || return 0
	unset "BACK[${DRIVE[PICKED]}]"
	RETURNED=1
}

replace()
{
	slot
	drive && carry_out raizn replace $VOLUME $SLOT "/dev/$NEW" || return 0
	DRIVE[SLOT]=$NEW
}

fast() { raizn set $VOLUME speed_max=0; }

rebuild()
{
	fast
	timeout 60 raizn rebuild $VOLUME --wait
	return 0
}

scrub()
{
	fast
	timeout 60 raizn scrub $VOLUME repair --wait
	return 0
}

# ---- what can be computed ------------------------------------------------------------

# count FILE: lines "NUMBER WHAT" are added up
declare -A COUNTED=()
count()
{
	local nr what

	while read -r nr what; do
		[[ $nr != [0-9]* ]] || COUNTED[$what]=$((${COUNTED[$what]:-0} + nr))
	done <"$1"
}

all_are_off()
{
	local name

	for name in "${DRIVE[@]}"; do
		[ "${OFF[$name]:-}" ] || return 1
	done
}

# Half of the members, or fewer, may start the array. "After two groups without a common member
# were started, nothing shows which one is right, and all members together are refused"
# (docs/recovery.md).
are_two_groups()
{
	((LEVEL == 1 || (LEVEL == 6 && MEMBERS == 4))) &&
		grep -q "two groups of its drives may each have gone on" "$TMP/output"
}

# "A start is also ended by an unreadable sector [...], if its column has debris, and columns are
# missing or cannot be read that are, with this one, more than parity makes up for"
# (docs/failures.md).
is_debris_unreadable()
{
	grep -q "its column of logical zone [0-9]* cannot be moved: -" "$TMP/output"
}

# An array that does not run says what to do; and it runs if all drives are there.
is_explained()
{
	local advice

	advice=$(raizn status $VOLUME --json | jq -r '.arrays[0].advice // empty')
	[ "$advice" ] || all_are_off || { WHY="it does not run, and there is no advice"; return 1; }
	echo "1 moments without the array, ${advice:-no drive}" >"$TMP/look"
	[[ $ACTION = begin* && ${#OFF[@]} = 0 ]] || return 0
	if are_two_groups; then
		echo "1 moments without the array, two groups" >"$TMP/look"
		return 0
	elif is_debris_unreadable; then
		echo "1 moments without the array, debris that cannot be read" >"$TMP/look"
		return 0
	fi
	WHY="all drives are there, and it does not start"
	return 1
}

look()
{
	if runs; then
		extents >"$TMP/extents"
		timeout 100 python3 "$RIG_TOP/tests/lib/computable/check.py" $VOLUME "$GROUP" \
			"$TMP/data" "$TMP/extents" "$TMP/listed" ${RETURNED:+--returned} \
			--back "${!BACK[@]}" >"$TMP/look" 2>&1 || {
			WHY=$(grep -m 1 wrong: "$TMP/look" || tail -n 1 "$TMP/look")
			return 1
		}
		echo "1 moments with the array" >>"$TMP/look"
	else
		is_explained || return 1
	fi
	count "$TMP/look"
}

# ---- histories -----------------------------------------------------------------------

# The next event: ACTION
choose()
{
	if ! runs && ((STEP == STEPS)); then
		ACTION="begin 100"
	elif ! runs; then
		ACTION=begin
	elif state_is failed; then
		pick_of again again power_cut "connect_some 60"
		ACTION=$PICKED
	else
		pick_of fault fault fault user owner owner
		case $PICKED in
		fault)
			pick_of power unplug by_hand bad_sectors bad_row bad_row bad_zone \
				write_error power_cut restart
			;;
		user) pick_of fill_zone fill_zone finish_zone reset_zone ;;
		owner) pick_of take_back take_back replace rebuild rebuild scrub slowly again ;;
		esac
		ACTION=$PICKED
	fi
}

# Return: the history goes on.
step()
{
	local what="history $HISTORY, step $STEP"

	HOW=
	WHY=
	RETURNED=
	choose
	HOW=$ACTION
	rig_mark "$SUITE: $what: $ACTION"
	{
		! percent 60 || write_some
		$ACTION
		! percent 30 || write_some
	} >"$TMP/output" 2>&1
	note "$what: $HOW"
	if look; then
		ok "$what: $HOW"
		return 0
	fi
	not_ok "$what: $HOW" "$WHY"
	rig_show "$TMP/look"
	note "$(raizn status $VOLUME 2>&1 | head -n 4)"
	note "$(dmsetup status $VOLUME 2>&1)"
	note "$(dmesg | grep raizn | tail -n 20)"
	rig_show "$TMP/output"
	return 1
}

history()
{
	shape
	note "history $HISTORY: level $LEVEL, $MEMBERS drives, stripe unit $UNIT," \
		"$([ $CACHE = 1 ] || echo no) volatile cache"
	check "history $HISTORY: an array" array_begins || finish
	declare -gA BACK=()
	rm -f "$TMP/listed"
	write_some
	SEEN=()
	for ((STEP = 1; STEP <= STEPS; STEP++)); do
		step || finish
	done
	check "history $HISTORY: the end" array_ends
}

show_counted()
{
	local what

	for what in "${!COUNTED[@]}"; do
		echo "# $what: ${COUNTED[$what]}"
	done | sort
}

load_module || exit 1
load_zonesim || exit 1
[ -d /sys/kernel/config/zonesim/keeper ] || check "another array" faster
at_exit give_up
for ((HISTORY = 1; HISTORY <= HISTORIES; HISTORY++)); do
	history
done
show_counted
finish
