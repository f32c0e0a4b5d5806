#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After any history, a member that was rebuilt holds what it would hold if nothing had
# ever failed: the same bytes, up to the same write pointers.
#
# Two arrays get the same work (src/equivalence.c), one of them in good health, the
# other in bad: its members fail, are replaced or come back, its zones turn bad, it is
# stopped or loses power in the middle of a rebuild. After each of these events the
# arrays are compared, column by column, through the maps of zones.
#
# RAIZN_TEST_SCALE=100 is 6 histories. A seed repeats a run, as far as time is not part
# of it; EQUIVALENCE_ONLY names the events to use.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
scenario

WELL=/sys/kernel/config/zonesim/well
SICK=/sys/kernel/config/zonesim/sick
HISTORIES=$(scaled 6)
STEPS=4
WORKERS=()
read -ra EVENTS <<<"${EQUIVALENCE_ONLY:-replaced blank_drive away readonly unreadable write_error restarted power_cut twice shaky later last_stripe}"

note "seed $SEED"

. "$(dirname "$0")/../lib/chance.sh"

nap()
{
	pick "$1"
	sleep "$(printf '0.%03d' $PICKED)"
}

# ---- the arrays -------------------------------------------------------------

# The shape of both arrays. A capacity that is no multiple of the stripe unit has
# members' zones finished by the module.
shape()
{
	pick_of 3 5 5
	MEMBERS=$PICKED
	pick_of 1536 1540
	CAPACITY=$PICKED
	pick_of 8K 16K 64K
	UNIT=$PICKED
	pick_of back back through
	MODE=$PICKED
	pick_of 1 1 0
	CACHE=$PICKED
	CREATE=(raizn create sick)
	! percent 40 || CREATE=(array_permuted sick $RANDOM)
}

# drive NAME: a new drive of the group NAME begins with, with power
drive()
{
	GROUP=/sys/kernel/config/zonesim/${1%%[0-9]*} simulated_drive "$1" \
		zone_capacity_kib=$CAPACITY write_cache=$CACHE
}

# array NAME: with drives NAME0...; the sick one may have columns on members of other slots
array()
{
	local i names=() create=(raizn create "$1")

	[ "$1" != sick ] || create=("${CREATE[@]}")

	mkdir "/sys/kernel/config/zonesim/$1" || return 1
	for ((i = 0; i < MEMBERS; i++)); do
		drive "$1$i" || return 1
		names+=("/dev/$1$i")
	done
	"${create[@]}" "${names[@]}" --stripe-unit $UNIT --spare-zones 4 \
		--write-cache $MODE && dmsetup mknodes "$1"
}

arrays_begin()
{
	local i

	DRIVE=()
	for ((i = 0; i < MEMBERS; i++)); do
		DRIVE+=("sick$i")
	done
	NEXT_DRIVE=$MEMBERS
	PHASE=0
	array well && array sick
}

arrays_end()
{
	local name status=0

	for name in well sick; do
		raizn stop $name || status=1
	done
	[ $status = 0 ] && simulated_group_gone $WELL &&
		simulated_group_gone $SICK
}

give_up()
{
	local name

	[ -z "${WORKERS[*]}" ] || kill "${WORKERS[@]}"
	for name in well sick; do
		dmsetup remove --force $name
	done
	simulated_group_gone $WELL
	simulated_group_gone $SICK
}

letters()
{
	dmsetup status sick | cut -d ' ' -f 6
}

letter_is()
{
	[ "$(letters | cut -c $((SLOT + 1)))" = "$1" ]
}

whole()
{
	[ "$(raizn status sick --json |
	     jq -c '.arrays[0]|[.state,.degraded_zones]')" = '["active",0]' ]
}

# ---- work -------------------------------------------------------------------

# The same for both arrays, at the same time.
work_begin()
{
	local name

	PHASE=$((PHASE + 1))
	WORKERS=()
	for name in well sick; do
		equivalence work /dev/mapper/$name "$SEED$HISTORY" $PHASE "$1" \
			>"$TMP/$name.work" 2>&1 &
		WORKERS+=($!)
	done
}

work_end()
{
	local pid status=0

	for pid in "${WORKERS[@]}"; do
		wait "$pid" || status=1
	done
	WORKERS=()
	cat "$TMP"/{well,sick}.work
	return $status
}

# columns NAME DRIVE...: a line for each column of each zone
columns()
{
	local group=/sys/kernel/config/zonesim/$1 drive zone
	zone=$((2048 * 2))
	shift

	for drive; do
		raizn inspect "/dev/$drive" zones --json |
			jq -r '.zones[] | select(.logical_zone != null) |
			       "\(.zone) \(.logical_zone) \(.column)"' |
			awk -v drive="$drive" -v size=$zone '
				NR == FNR { owner[$1] = $2; column[$1] = $3; next }
				!($1 in owner) { next }
				{ cond = $2 }
				cond ~ /OPEN|CLOSED/ { cond = "active" }
				{ print owner[$1], column[$1], "/dev/" drive,
				  $1 * size, cond, $3, $4 }
			' - "$group/$drive/zones"
	done | sort -n -k 1,1 -k 2,2
}

same()
{
	local well=() i

	for ((i = 0; i < MEMBERS; i++)); do
		well+=("well$i")
	done
	columns well "${well[@]}" >"$TMP/well.columns"
	columns sick "${DRIVE[@]}" >"$TMP/sick.columns"
	equivalence volumes /dev/mapper/well /dev/mapper/sick &&
		equivalence columns "$TMP/well.columns" "$TMP/sick.columns" &&
		HOW=$(tail -n 1 "$TMP/output")
}

# ---- what happens to the members ----------------------------------------------

slot()
{
	pick $MEMBERS
	SLOT=$PICKED
	HOW="member $SLOT"
}

attribute()
{
	echo "$2" >"$SICK/${DRIVE[SLOT]}/$1"
}

# lose: the member of SLOT is gone, by request, its power, or as a whole
lose()
{
	pick_of fail power unplug
	LOST_BY=$PICKED
	HOW+=", $LOST_BY"
	case $LOST_BY in
	fail) raizn fail sick $SLOT --force ;;
	power) attribute power 0 ;;
	unplug) attribute unplug 1 ;;
	esac
}

# It is seen when something is asked of the drive; of an idle one, nothing is.  It may
# just have been, and then there is nothing left to be failed by hand.
is_lost()
{
	await 1 letter_is F || raizn fail sick $SLOT --force || letter_is F
}

# It is back, with what it kept.
back()
{
	local device=/dev/${DRIVE[SLOT]}

	[ $LOST_BY = fail ] || {
		raizn remove sick $SLOT && attribute power 1 &&
			await 30 test -b "$device" && rig_scheduler "$device"
	} && raizn add sick "$device"
}

replace()
{
	local name=sick$NEXT_DRIVE

	drive "$name" && raizn replace --no-copy sick $SLOT "/dev/$name" --force ||
		return 1
	DRIVE[SLOT]=$name
	NEXT_DRIVE=$((NEXT_DRIVE + 1))
}

slowly()
{
	raizn set sick speed_max=64K
}

settle()
{
	raizn set sick speed_min=10M speed_max=0 &&
		timeout 30 raizn rebuild sick --wait
	await 30 whole
}

# ---- events: each begins and ends with an array that is whole -------------------

# Lost while it is written to, and replaced.
replaced()
{
	slot
	work_begin 60
	nap 300
	lose && is_lost || return 1
	pick_of work_end true
	$PICKED && replace && work_end && settle
}

# Sectors of writes and of appends that a drive was sent.
sectors_sent()
{
	awk '$1 == "write" || $1 == "append" { printf "%d ", $3 }' \
		"$SICK/$1/counters"
}

# finish_active NAME: users finish all zones that they have not filled
finish_active()
{
	local start

	for start in $(blkzone report "/dev/mapper/$1" |
		       sed -n 's/^ *start: \(0x[0-9a-f]*\),.*zcond: [234](.*/\1/p'); do
		blkzone finish -o $((start)) -c 1 "/dev/mapper/$1" || return 1
	done
}

# Nothing else goes on, and there are no tails to protect: what is valid is written to
# the new drive, once.  Appended are 4 and 64 KiB for its trial; a record of 8 KiB for each
# zone, that its column is whole; and, at the join and at the end, three checkpoints of at
# most 32 KiB and a few superblocks, together no more than 128 KiB.
blank_drive()
{
	local written appended zones valid

	slot
	work_begin 60
	work_end && finish_active well && finish_active sick &&
		raizn fail sick $SLOT --force && replace && settle || return 1
	read -r written appended <<<"$(sectors_sent "${DRIVE[SLOT]}")"
	read -r zones valid <<<"$(columns sick "${DRIVE[SLOT]}" |
		awk '{ n += $7; zones += $7 > 0 } END { print zones, n }')"
	HOW+=", $((written / 2)) KiB of data and $((appended / 2)) KiB of records for $((valid / 2)) KiB"
	((written == valid && appended <= 2 * (4 + 64 + 8 * zones + 128)))
}

# It was away while the others went on.
away()
{
	slot
	work_begin 40
	nap 200
	lose && is_lost && work_end || return 1
	work_begin 40
	pick_of work_end true
	$PICKED && back && work_end && settle
}

# zone_is_known ZONE: where the member keeps it, in $TMP/zone; its log may just move
zone_is_known()
{
	raizn inspect "/dev/${DRIVE[SLOT]}" zones --json >"$TMP/zones" &&
		jq -e "[.zones[] | select(.logical_zone == $1)][0].zone" \
			"$TMP/zones" >"$TMP/zone"
}

# A zone of a member cannot be written any more, or not be read either. If the work
# does not meet it, a finish or a reset does: left alone, it would be a second failure
# later.
readonly()
{
	local zone op

	slot
	pick_of readonly offline
	HOW+=", $PICKED"
	pick "$NR_ZONES"
	zone=$PICKED
	work_begin 60
	nap 200
	await 30 zone_is_known "$zone" &&
		attribute zone_cond "$(cat "$TMP/zone") ${HOW##* }" || return 1
	work_end || return 1
	for op in finish reset; do
		blkzone $op -o $((zone * ZONE)) -c 1 /dev/mapper/well &&
			blkzone $op -o $((zone * ZONE)) -c 1 /dev/mapper/sick ||
			return 1
	done
	settle
}

# Blocks that cannot be read are met by a reader of everything.
unreadable()
{
	local n

	slot
	work_begin 60
	work_end || return 1
	for n in 1 2 3; do
		pick 10000
		columns sick "${DRIVE[@]}" | awk -v drive="/dev/${DRIVE[SLOT]}" -v at=$PICKED '
			$3 == drive && $7 { start[n++] = $4; data[n - 1] = $7 }
			END { i = at % n
			      print start[i] + int(at * data[i] / 80000) * 8 }
			' >"$SICK/${DRIVE[SLOT]}/bad_sectors"
	done
	equivalence volumes /dev/mapper/well /dev/mapper/sick && settle &&
		attribute bad_sectors clear
}

# Writes fail, whatever becomes of their data.
write_error()
{
	slot
	pick_of none part all
	HOW+=", effect=$PICKED"
	work_begin 60
	nap 200
	attribute fault "write 2 status=medium effect=$PICKED"
	work_end && attribute fault clear && settle
}

# begin_slowly: a rebuild that will not end by itself soon
begin_slowly()
{
	slot
	lose && is_lost && slowly || return 1
	pick_of replace back
	HOW+=", $PICKED"
	work_begin 30
	$PICKED && work_end
}

# The speed is not known before the array runs; so the drive is slow as long. What was
# little may still have been rebuilt meanwhile.
start_again()
{
	attribute latency_us 5000 && raizn start sick && dmsetup mknodes sick &&
		slowly && attribute latency_us 0
}

# In the middle of a rebuild, unless there was too little to be slow with.
in_its_middle()
{
	letter_is R || HOW+=", whole already"
}

# The array is stopped in the middle of a rebuild, and started.
restarted()
{
	begin_slowly && in_its_middle && raizn stop sick && start_again || return 1
	work_begin 30
	nap 300
	work_end && raizn stop sick && start_again && settle
}

# All drives lose power in the middle of a rebuild. What was written is durable.
power_cut()
{
	begin_slowly && in_its_middle || return 1
	nap 300
	echo 0 >$SICK/power
	# The rebuild may have met that, and then the array has failed.
	raizn stop sick 2>&1 | grep 'not cleanly\|it had failed' || return 1
	echo 1 >$SICK/power
	start_again || return 1
	work_begin 30
	nap 300
	work_end && settle
}

# The new drive fails before it is rebuilt, and gets a successor.
twice()
{
	begin_slowly && in_its_middle || return 1
	work_begin 30
	nap 200
	lose && is_lost && replace && work_end && settle
}

# Some writes of what is rebuilt fail, whatever becomes of their data, and one of the
# next tries, too.
shaky()
{
	local nth

	begin_slowly && in_its_middle || return 1
	for nth in 1 2 40; do
		pick_of none part all
		HOW+=", $PICKED"
		attribute fault "write $nth status=medium effect=$PICKED" ||
			return 1
	done
	settle && attribute fault clear
}

# The member is away, and back, and away again before it is rebuilt.
later()
{
	slot
	work_begin 30
	lose && is_lost && slowly && work_end || return 1
	work_begin 30
	back && nap 500 && lose && is_lost && work_end || return 1
	work_begin 30
	back && work_end && settle
}

# The column ends with its last stripe unit, but the zone does not yet.
last_stripe()
{
	local cap name stripes=$((1536 / ${UNIT%K}))

	SLOT=$(((MEMBERS - (stripes - 1) % MEMBERS) % MEMBERS))
	HOW="member $SLOT"
	cap=$(blkzone report -c 1 /dev/mapper/sick |
		sed -n 's/.*cap 0x\([0-9a-f]*\).*/\1/p')
	head -c $((0x$cap * 512 - 4096)) /dev/urandom >"$TMP/zone" || return 1
	for name in well sick; do
		blkzone reset /dev/mapper/$name &&
			dd if="$TMP/zone" of=/dev/mapper/$name bs=4k \
				oflag=direct conv=fsync,notrunc || return 1
	done
	raizn fail sick $SLOT --force && replace && settle
}

# ---- histories ----------------------------------------------------------------

# The next events, each of them before one comes again.
declare -a AHEAD=()
next_event()
{
	local left=() i

	[ ${#AHEAD[@]} -gt 0 ] || AHEAD=("${EVENTS[@]}")
	pick_of "${AHEAD[@]}"
	for i in "${AHEAD[@]}"; do
		[ "$i" = "$PICKED" ] || left+=("$i")
	done
	AHEAD=("${left[@]}")
	EVENT=$PICKED
}

# must WHAT COMMAND...: in this shell; the rest would be compared in vain.
must()
{
	local what=$1
	shift

	HOW=
	rig_mark "$SUITE: $what"
	if ! "$@" >"$TMP/output" 2>&1 </dev/null; then
		not_ok "$what" "${HOW:-it failed}"
		rig_show "$TMP/output"
		note "$(dmsetup status sick)"
		finish
	fi
	ok "$what${HOW:+: $HOW}"
}

history()
{
	local step what="history $HISTORY"

	shape
	note "$what: $MEMBERS drives, capacity $CAPACITY KiB, stripe unit $UNIT," \
	     "$MODE, $([ $CACHE = 1 ] || echo no) volatile cache"
	must "$what: arrays" arrays_begin
	NR_ZONES=$(blkzone report -c 100 /dev/mapper/sick | wc -l)
	ZONE=$(cat "/sys/block/$(sysfs_name /dev/mapper/sick)/queue/chunk_sectors")
	work_begin 120
	must "$what: work" work_end
	for ((step = 1; step <= STEPS; step++)); do
		next_event
		must "$what: $EVENT" "$EVENT"
		must "$what: the drives hold the same" same
	done
	must "$what: parity" raizn scrub sick --wait
	must "$what: stop" arrays_end
}

load_module || exit 1
load_zonesim || exit 1
check "another array" faster
at_exit give_up
for ((HISTORY = 1; HISTORY <= HISTORIES; HISTORY++)); do
	history
done
finish
