#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What an operator does when drives fail: raizn(8) from the failure to the array that
# is whole again, with data written all the time.
#
# Simulated drives (tests/zonesim).
. "$(dirname "$0")/../lib/rig.sh"
suite operations

GROUP=/sys/kernel/config/zonesim/operations
VOLUME=ops
DEV=/dev/mapper/$VOLUME

# OPERATIONS_ONLY: the parts to run; all if it is empty. The array is whole at the
# end of each.
: "${OPERATIONS_ONLY:=}"

# drive NAME [KEY=VALUE...]: a new drive, with power
drive()
{
	local d=$GROUP/$1 setting
	shift

	mkdir "$d" || return 1
	for setting in nr_zones=28 zone_size_kib=2048 zone_capacity_kib=1536 \
		       block_size=4096 max_open=14 max_active=14 \
		       write_cache=1 fua=1 "$@"; do
		echo "${setting#*=}" >"$d/${setting%%=*}" || return 1
	done
	echo 1 >"$d/power"
	rig_scheduler "/dev/${d##*/}"
}

# zones_turn DRIVE CONDITION ZONE...
zones_turn()
{
	local drive=$1 condition=$2 zone
	shift 2

	for zone; do
		echo "$zone $condition" >"$GROUP/$drive/zone_cond" || return 1
	done
}

drives_off()
{
	rmdir $GROUP/* $GROUP
}

letters()
{
	dmsetup status $VOLUME | cut -d ' ' -f 6
}

letters_are()
{
	[ "$(letters)" = "$1" ]
}

# json FILTER: of the array's status
json()
{
	raizn status $VOLUME --json | jq -rc ".arrays[0]|$1"
}

json_is()
{
	[ "$(json "$1")" = "$2" ]
}

# shows WHAT REGEX COMMAND...: it succeeds and its output matches.
shows()
{
	local what=$1 pattern=$2
	shift 2

	if "$@" >"$TMP/out" 2>&1 </dev/null &&
	   grep -Eq -- "$pattern" "$TMP/out"; then
		ok "$what"
		return 0
	fi
	not_ok "$what" "no success, or no '$pattern' in its output"
	note "command: $*"
	rig_show "$TMP/out"
	return 1
}

# refused WHAT CODE REGEX COMMAND...: with this exit code and one line that matches,
# and the array is as it was.
refused()
{
	local what=$1 code=$2 pattern=$3 before status
	shift 3

	before=$(dmsetup table; dmsetup status $VOLUME 2>&1 | cut -d ' ' -f 4-7)
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	if [ "$status" != "$code" ]; then
		not_ok "$what" "exit code $status, want $code"
	elif [ "$(wc -l <"$TMP/err")" != 1 ]; then
		not_ok "$what" "not one line on standard error"
	elif ! grep -Eq -- "^raizn: .*$pattern" "$TMP/err"; then
		not_ok "$what" "no '$pattern' on standard error"
	elif [ "$before" != "$(dmsetup table; dmsetup status $VOLUME 2>&1 |
			       cut -d ' ' -f 4-7)" ]; then
		not_ok "$what" "the array is not as it was"
	else
		ok "$what"
		return 0
	fi
	note "command: $*"
	rig_show "$TMP/err"
	return 1
}

# terminal ANSWER COMMAND...: at a terminal, where somebody answers what is asked.
terminal()
{
	python3 - "$@" <<'PYTHON'
import os, pty, sys

pid, fd = pty.fork()
if not pid:
    os.execvp(sys.argv[2], sys.argv[2:])
said, answered = b"", False
while True:
    try:
        got = os.read(fd, 4096)
    except OSError:
        break
    if not got:
        break
    said += got
    if said.endswith(b"[y/N] ") and not answered:
        os.write(fd, sys.argv[1].encode() + b"\n")
        answered = True
sys.stdout.write(said.decode())
if not answered:
    sys.exit(99)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON
}

# A writer that never stops: zone after zone from a file of data, each synced and
# compared, then reset. It ends with the first error, or when the file is removed.
load_begin()
{
	touch "$TMP/go"
	(
		zone=${1:-6}
		first=$zone
		while [ -e "$TMP/go" ]; do
			at=$((zone * ZONE * 512))
			dd if="$TMP/data" of=$DEV bs=256k status=none \
				oflag=direct,seek_bytes conv=notrunc,fsync \
				seek=$at || exit 1
			dd if=$DEV bs=256k count=$((CAPACITY / 512)) \
				iflag=direct,skip_bytes skip=$at status=none |
				cmp -n $((CAPACITY * 512)) - "$TMP/data" || exit 1
			echo $((zone)) >>"$TMP/zones"
			blkzone reset -o $((zone * ZONE)) -c 1 $DEV || exit 1
			zone=$((zone + 1))
			((zone < first + 6)) || zone=$first
		done
	) >"$TMP/load" 2>&1 &
	LOAD=$!
}

# The writer has gone round at least once since.
load_goes_on()
{
	local before
	before=$(wc -l <"$TMP/zones")

	await 30 eval "[ \$(wc -l <'$TMP/zones') -gt $((before + 1)) ]"
}

load_end()
{
	rm -f "$TMP/go"
	wait $LOAD
}

# What is in zones 0 to 3.
sums()
{
	dd if=$DEV bs=1M count=$((4 * ZONE / 2048)) iflag=direct status=none |
		sha256sum
}

rebuild_ends()
{
	check "rebuild --wait" timeout 60 raizn rebuild $VOLUME --wait ||
		note "$(dmsetup status $VOLUME)"
}

whole()
{
	json_is '[.state,([.members[].state]|unique),.degraded_zones]' \
		'["active",["active"],0]'
}

# ---- parts ------------------------------------------------------------------

arguments()
{
	refused "a command without an array" 2 'name an array and one of its members' \
		raizn fail
	refused "fail without a member" 2 'name an array and one of its members' \
		raizn fail $VOLUME
	refused "remove with too much" 2 'name an array and one of its members' \
		raizn remove $VOLUME 1 2
	refused "an option that is none" 2 "no option '--frce'" \
		raizn fail $VOLUME 1 --frce
	refused "replace without a new drive" 2 'and the new drive' \
		raizn replace $VOLUME 1
	refused "add without a drive" 2 'name an array and a drive' \
		raizn add $VOLUME
	refused "an array that does not run" 4 'none: no array of this name' \
		raizn fail none 1 --force
	refused "a slot that is not there" 4 'has no slot 5, its slots are 0 to 4' \
		raizn fail $VOLUME 5 --force
	refused "a name that is no drive" 4 'neither a slot of ops nor a device' \
		raizn fail $VOLUME opx --force
	refused "a drive of no array" 4 '/dev/op5: not a drive of ops' \
		raizn fail $VOLUME /dev/op5 --force
	refused "fail without --force" 3 \
		'without member 1 .op1. it survives no further failure; use --force' \
		raizn fail $VOLUME 1
	refused "remove of a member that works" 3 \
		"member 1 .op1. is in use; 'raizn fail ops 1' first" \
		raizn remove $VOLUME /dev/op1
	refused "add where nothing is missing" 3 'all 5 members are there' \
		raizn add $VOLUME /dev/op5
	refused "scrub with a wrong word" 2 "'look' is none of check, repair" \
		raizn scrub $VOLUME look
	refused "pause of no scrub" 3 'no scrub is running' \
		raizn scrub $VOLUME pause
	refused "--wait for a pause" 2 '--wait is for check and repair' \
		raizn scrub $VOLUME pause --wait
	refused "repair without --force" 3 'will be overwritten; use --force' \
		raizn scrub $VOLUME repair
	refused "set without a value" 2 'name an array and what to set' \
		raizn set $VOLUME
	refused "set of something else" 2 "'speed=1' is none of speed_min=" \
		raizn set $VOLUME speed=1
	refused "a speed that is none" 2 'speed_max is a size from 1K to.*fast' \
		raizn set $VOLUME speed_max=fast
	refused "a speed without a unit" 2 'speed_max is a size from 1K to.*100' \
		raizn set $VOLUME speed_max=100
	refused "a speed that is too large" 2 'speed_max is a size from 1K to.*5T' \
		raizn set $VOLUME speed_max=5T
	refused "an error limit that is none" 2 'error_limit is a number' \
		raizn set $VOLUME error_limit=-1
	refused "the second setting is looked at before the first is made" 2 \
		'error_limit is a number' \
		raizn set $VOLUME speed_max=1M error_limit=x
	refused "monitor with nothing to do" 2 'say what to do' raizn monitor
	refused "monitor with a program that is none" 3 '/nowhere: can not be run' \
		raizn monitor --program /nowhere --once
	refused "watch with a wrong number" 2 '--watch takes seconds' \
		raizn status --watch=0
}

settings_are_known()
{
	local drive

	for drive; do
		raizn inspect "$drive" superblock --json |
			jq -e '.superblock | .speed_max == 104857600 and
				.error_limit == 7' ||
			return 1
	done
}

settings()
{
	check "set" raizn set $VOLUME speed_min=2M speed_max=100M error_limit=7
	check_equal "what was set" "$(json '.settings')" \
		'{"speed_min":2097152,"speed_max":104857600,"error_limit":7}'
	shows "status shows it" \
		'settings: speed_min 2 MiB/s, speed_max 100 MiB/s, a member fails for errors: after 7 errors' \
		raizn status $VOLUME
	check "a stop" raizn stop $VOLUME
	check "all members know what was set" settings_are_known /dev/op{0..4}
	check "a start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "what was set is in force" "$(json '.settings')" \
		'{"speed_min":2097152,"speed_max":104857600,"error_limit":7}'
	check "set it back" raizn set $VOLUME speed_min=0 speed_max=0 \
		error_limit=0
	shows "status shows that, too" \
		'settings: speed_min none, speed_max none, a member fails for errors: never' \
		raizn status $VOLUME
	check "as it was" raizn set $VOLUME speed_min=10M error_limit=20
}

# bad_drive WHAT REGEX [KEY=VALUE...]
bad_drive()
{
	local what=$1 pattern=$2
	shift 2

	drive bad "$@" || return 1
	refused "a new drive $what" 3 "/dev/bad: $pattern" \
		raizn replace $VOLUME 2 /dev/bad --force
	rmdir $GROUP/bad
}

new_drives()
{
	bad_drive "with other zones" \
		'its zone size is 4 MiB, the array.s drives have 2 MiB' \
		zone_size_kib=4096
	bad_drive "with another capacity" \
		'its zone capacity is 1 MiB, the array needs 1.5 MiB' \
		zone_capacity_kib=1024
	bad_drive "with other blocks" \
		'its logical block is 512 bytes, the array.s drives have 4096' \
		block_size=512
	bad_drive "that takes larger writes" \
		'it takes writes of multiples of 8192 bytes, the array.s drives of 4096' \
		write_granularity=8192
	bad_drive "that is too small" \
		'too small: it has 27 sequential zones, the array needs 28' \
		nr_zones=27
	bad_drive "with conventional zones" \
		'it has 1 conventional zones, the array.s drives have 0' \
		nr_zones=29 nr_conventional=1
	bad_drive "that takes few active zones" \
		'takes only 13 active zones, the array uses up to 14' \
		max_open=13 max_active=13
	refused "a new drive that is there already" 3 \
		'/dev/op3: is in slot 3 of ops already' \
		raizn replace $VOLUME 2 /dev/op3 --force
	refused "a new drive that is nowhere" 4 '/dev/nowhere: no such device' \
		raizn replace $VOLUME 2 /dev/nowhere --force
	refused "a new drive that is no drive" 3 '/dev/null: not a block device' \
		raizn replace $VOLUME 2 /dev/null --force
	refused "a new drive with data" 3 \
		'/dev/op5: holds data in 1 of 32 sequential zones; use --force' \
		raizn replace $VOLUME 2 /dev/op5
	mount_user
}

# A drive that somebody else has.
mount_user()
{
	local size
	size=$(blockdev --getsz /dev/op6)

	check "another user of a drive" dmsetup create opsuser --table \
		"0 $size linear /dev/op6 0"
	refused "a new drive that is in use" 3 \
		'/dev/op6: in use: part of the mapped device opsuser' \
		raizn replace $VOLUME 2 /dev/op6 --force
	dmsetup remove --retry opsuser
}

event_seen()
{
	grep -Eq -- "$1" "$TMP/events"
}

# seen WHAT REGEX: raizn events tells of it, soon.
seen()
{
	if await 30 event_seen "$2"; then
		ok "events: $1"
	else
		not_ok "events: $1" "no '$2'"
		rig_show "$TMP/events"
	fi
}

watchers_begin()
{
	raizn events $VOLUME >"$TMP/events" 2>&1 &
	EVENTS=$!
	raizn events --json >"$TMP/events.json" 2>&1 &
	EVENTS_JSON=$!
	raizn monitor --program "$TMP/program" --prometheus "$TMP/ops.prom" \
		>"$TMP/monitor" 2>&1 &
	MONITOR=$!
	at_exit "kill $EVENTS $EVENTS_JSON $MONITOR"
	check "the monitor writes its file" await 30 test -s "$TMP/ops.prom"
}

watchers_end()
{
	kill $EVENTS $EVENTS_JSON $MONITOR
	wait $EVENTS $EVENTS_JSON $MONITOR
}

switches()
{
	awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$1/status"
}

sleeps_on()
{
	local before

	before=$(switches "$1")
	sleep 2
	[ "$before" ] && [ "$(switches "$1")" = "$before" ]
}

# Nothing happens: who waits for events does nothing, once it has told the last ones.
idle_watchers()
{
	check "raizn events sleeps while nothing happens" await 30 \
		sleeps_on $EVENTS
}

metric()
{
	grep -F "$1" "$TMP/ops.prom" | cut -d ' ' -f 2
}

metric_is()
{
	[ "$(metric "$1")" = "$2" ]
}

# A drive dies under load, is replaced by a larger one, and the array is rebuilt.
failure()
{
	local before

	watchers_begin
	idle_watchers
	before=$(sums)
	check "metrics: the array is well" \
		metric_is 'raizn_array_state{array="ops",state="active"}' 1
	load_begin
	check "the load goes on" load_goes_on
	echo 0 >$GROUP/op2/power
	check "a drive dies under load: the array sees it" \
		await 30 letters_are AAFAA
	check "the load goes on without it" load_goes_on
	check_equal "status: state" "$(json '[.state,.members[2].state]')" \
		'["degraded","failed"]'
	shows "status: advice" \
		'action: member 2 .op2. failed: replace it: raizn replace ops 2 NEW-DRIVE' \
		raizn status $VOLUME
	seen "the member" '^20[-0-9]*T[0-9:]*[-+][0-9]* ops member 2 \(op2\): active -> failed$'
	seen "the state" ' ops state: active -> degraded$'
	check "events --json" await 30 eval "jq -se 'any(.[]; .array == \"ops\"
		and .what == \"member\" and .slot == 2 and .device == \"op2\" and
		.old == \"active\" and .new == \"failed\")' '$TMP/events.json'"
	check "each event is one line" await 30 eval \
		"[ \$(wc -l <'$TMP/events.json') = \$(jq -s length '$TMP/events.json') ]"
	check "the program runs" await 30 grep -qx \
		'ops member active failed ops member 2 op2 active failed degraded' \
		"$TMP/told"
	check "metrics: the state" await 30 metric_is \
		'raizn_array_state{array="ops",state="degraded"}' 1
	check "metrics: the member" await 30 metric_is \
		'raizn_member_state{array="ops",slot="2",device="op2",state="failed"}' 1
	refused "another member can not be called failed" 3 \
		'works without member 2 .op2. already' \
		raizn fail $VOLUME 1 --force
	refused "another member can not be replaced" 3 \
		'works without member 2 .op2. already' \
		raizn replace $VOLUME 1 /dev/op5 --force
	refused "scrub of a degraded array" 3 'it is degraded, so there is no parity left' \
		raizn scrub $VOLUME
	check_fails "rebuild --wait without a drive" \
		'no drive for the member of slot 2' raizn rebuild $VOLUME --wait

	check "a slow rebuild" raizn set $VOLUME speed_max=64K
	check_fails "replace asks before data are destroyed" \
		'holds data in 1 of 32 sequential zones' \
		raizn replace $VOLUME 2 /dev/op5
	shows "replace" '/dev/op5 is in slot 2 now and is being rebuilt' \
		raizn replace $VOLUME 2 /dev/op5 --force
	check "it is being rebuilt" await 30 letters_are AARAA
	check "the load goes on meanwhile" load_goes_on
	check "there is progress" await 30 json_is \
		'.operation|.kind == "rebuild" and .done > 0 and .total > .done and .rate > 0' \
		true
	shows "status: progress" \
		' rebuild: \[=*> *\] +[0-9.]+%  .* of .*iB.*/s, [0-9:]+ left' \
		raizn status $VOLUME
	shows "status: what it means" 'member 2 .op5. is being rebuilt' \
		raizn status $VOLUME
	shows "rebuild tells how far it is" 'ops: rebuild \[.*%' \
		raizn rebuild $VOLUME
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	shows "what rebuild says then" 'ops: all members are whole' \
		raizn rebuild $VOLUME
	check "the array is whole" whole
	seen "the rebuild begins" ' ops action: idle -> rebuild$'
	seen "the member is back" ' ops member 2 \(op5\): rebuilding -> active$'
	seen "the state is back" ' ops state: degraded -> active$'
	check "the load ends without an error" load_end ||
		rig_show "$TMP/load"
	check_equal "data are right" "$(sums)" "$before"
	echo 1 >$GROUP/op2/power
	watchers_end
}

# The old drive is back: it claims the slot, and must not get it.
replaced()
{
	local before

	before=$(sums)
	echo 1 >$GROUP/op2/power
	shows "status: a replaced drive" '/dev/op2 +replaced +.was slot 2' \
		raizn status $VOLUME
	check "stop" raizn stop $VOLUME
	check_equal "list counts the drives that belong to it" \
		"$(raizn list --json | jq -rc \
		   '.arrays[]|select(.name == "ops")|[.state,.nr_found]')" \
		'["stopped",5]'
	check "check leaves the replaced one out" raizn check $VOLUME
	echo >$GROUP/op5/unplug
	refused "start while the new drive is away" 4 \
		'the drive of slot 2 .* is missing' raizn start $VOLUME
	echo 1 >$GROUP/op5/power
	refused "a replaced drive that is named" 3 \
		'/dev/op2: was replaced, another drive has its slot 2' \
		raizn start $VOLUME /dev/op{0,1,2,3,4,5}
	shows "start leaves the replaced one out" 'ops: started' \
		raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "the right one is used" "$(json '.members[2].device')" /dev/op5
	check_equal "data are right" "$(sums)" "$before"
	check "the array is whole" whole
}

# Invert a block of member 1 that no data is read from: it is parity.
flip_parity()
{
	local zone=$1 before stripe
	before=$(sums)

	for stripe in 0 1 2 3 4; do
		echo $((zone * 4096 + 32 * stripe)) 8 >$GROUP/op1/flip
		[ "$(sums)" != "$before" ] || return 0
		echo $((zone * 4096 + 32 * stripe)) 8 >$GROUP/op1/flip
	done
	return 1
}

# Not from the tool, which looks at all drives: a scrub does not wait for that.
scrub_is_at()
{
	[ "$(dmsetup status $VOLUME | awk '{ print $(NF - 1) }')" -ge "$1" ]
}

scrub_noted()
{
	raizn inspect /dev/op0 superblock --json | jq -c ".superblock|$1"
}

# A scrub is slow enough to be found in its third zone; it has passed what is wrong.
scrub_in_the_middle()
{
	check "slowly" raizn set $VOLUME speed_max=256K
	shows "scrub" 'check begun' raizn scrub $VOLUME
	check "it comes to the third zone" await 60 scrub_is_at 2
	check "it stays there" raizn set $VOLUME speed_max=64K
}

scrub_went_on()
{
	check_equal "$1: it goes on and has not forgotten what it found" \
		"$(json '[.operation.kind,.mismatches]')" '["check",1]'
	check "$1: where it was" scrub_is_at 2
	check "$1: at full speed" raizn set $VOLUME speed_max=0
	check "$1: it ends" await 30 json_is '.operation.kind' idle
	check_equal "$1: it found nothing else" "$(json .mismatches)" 1
	check_equal "$1: the superblock forgets it" \
		"$(scrub_noted '[.slot,.scrub]')" "[0,null]"
}

# Parity of zone $1 is wrong.
scrub_goes_on()
{
	check_equal "the wrong zone is before the third" "$(($1 < 2))" 1
	scrub_in_the_middle
	shows "the array is stopped" 'it goes on when the array is started' \
		raizn stop $VOLUME
	check_equal "the superblock has it" \
		"$(scrub_noted '[.scrub.kind,.scrub.mismatches,.scrub.next_zone>=2]')" \
		'["check",1,true]'
	check "and started" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	scrub_went_on "after a stop"

	scrub_in_the_middle
	shows "pause" 'scrub paused' raizn scrub $VOLUME pause
	check "the power goes" eval "echo 0 >$GROUP/power"
	check "the array goes" dmsetup remove $VOLUME
	check "the power is back" eval "echo 1 >$GROUP/power"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "it is paused still" \
		"$(json '[.operation.kind,.operation.paused]')" '["check",true]'
	check "resume" raizn scrub $VOLUME resume
	scrub_went_on "after a power cut"
}

scrub()
{
	local zone

	check "scrub finds nothing" raizn scrub $VOLUME --wait
	check "a sector of parity changes silently" flip_parity 9
	zone=$(raizn inspect /dev/op1 zones --json |
		jq '.zones[] | select(.zone == 9).logical_zone')
	check_fails "scrub from its zone on finds it" '1 stripe did not match' \
		raizn scrub $VOLUME --from "$zone" --wait
	check "scrub from the next zone on does not" \
		raizn scrub $VOLUME check --from $((zone + 1)) --wait
	refused "scrub from a zone beyond the last" 1 'it has [0-9]* zones' \
		raizn scrub $VOLUME --from 1000000
	check_fails "scrub finds it" '1 stripe did not match, 0 repaired' \
		raizn scrub $VOLUME check --wait
	check_equal "status counts it" "$(json '[.mismatches,.repaired]')" '[1,0]'
	check_equal "and knows where it is" \
		"$(json '.mismatches_at|map([.zone,.parity_slot])')" "[[$zone,1]]"
	shows "status: advice" \
		'action: the last scrub left 1 stripe whose parity does not match: .*raizn scrub ops repair' \
		raizn status $VOLUME
	shows "status: where" "zone $zone, stripe [0-9]*: parity is in slot 1" \
		raizn status $VOLUME
	scrub_goes_on "$zone"
	shows "repair" '1 stripe did not match, 1 repaired' \
		raizn scrub $VOLUME repair --wait --force
	check "nothing is left" raizn scrub $VOLUME --wait
	check "slowly" raizn set $VOLUME speed_max=64K
	shows "scrub in the background" 'ops: check begun' raizn scrub $VOLUME
	refused "a second one" 3 'a check is running already' \
		raizn scrub $VOLUME repair --force
	shows "pause" 'scrub paused' raizn scrub $VOLUME pause
	check "it is paused" json_is '[.operation.kind,.operation.paused]' \
		'["check",true]'
	shows "resume" 'scrub goes on' raizn scrub $VOLUME resume
	check "it is not paused" json_is '.operation.paused' false
	raizn scrub $VOLUME --wait >"$TMP/waits" 2>&1 &
	# libdevmapper has the control device open, and who waits for an event once more.
	check "somebody waits for it" await 30 eval \
		"[ \$(ls -l /proc/$!/fd | grep -c mapper/control) -ge 2 ]"
	shows "stop" 'raizn scrub ops check --from [0-9]' raizn scrub $VOLUME stop
	wait $!
	check_equal "who waits hears that: exit code" $? 1
	check "and where it was" grep -q \
		'stopped before its end; .raizn scrub ops --from [0-9]' \
		"$TMP/waits" || rig_show "$TMP/waits"
	check "it is stopped" await 30 json_is '.operation.kind' idle
	check "at full speed" raizn set $VOLUME speed_max=0
	check "the array is stopped" raizn stop $VOLUME
	check "and started" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "it is idle" json_is '.operation.kind' idle
}

# A repair that has no zone to write to tells what is left, and does not wait for one.
repair_without_room()
{
	local free

	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	free=$(free_zones op1)
	check "a sector of parity changes silently" flip_parity 10
	check "its drive has no free zones" zones_turn op1 readonly $free
	check_fails "repair can not write it" '1 stripe did not match, 0 repaired' \
		timeout 60 raizn scrub $VOLUME repair --wait --force
	check "the free zones work again" zones_turn op1 empty $free
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	shows "repair" '1 stripe did not match, 1 repaired' \
		raizn scrub $VOLUME repair --wait --force
	check "nothing is left" raizn scrub $VOLUME --wait
	check "the array is whole" whole
}

# A member is taken out, the array goes on, and it comes back as it was.
# write_mib ZONE FROM: 1.5 MiB, from so many times 256 KiB on
write_mib()
{
	dd if="$TMP/data" of=$DEV bs=256k count=6 skip=$2 status=none conv=notrunc \
		oflag=direct,seek_bytes seek=$((($1 * ZONE + $2 * 512) * 512))
}

readd()
{
	local before moved

	before=$(sums)
	raizn status $VOLUME --watch >"$TMP/watch" 2>&1 &
	WATCH=$!
	at_exit "kill $WATCH"
	check "status --watch shows it" await 30 grep -q '^   array: ops' "$TMP/watch"
	check_fails "fail asks at a terminal" 'nothing was changed' \
		terminal n raizn fail $VOLUME /dev/op1
	check "it is not failed" letters_are AAAAA
	sleep 2
	check_equal "status --watch says nothing twice" \
		"$(grep -c '^   array: ops' "$TMP/watch")" 1
	shows "fail, and somebody says yes" 'member 1 .op1. is called failed now' \
		terminal y raizn fail $VOLUME /dev/op1
	check "status --watch sees it" await 30 grep -q 'state: degraded' \
		"$TMP/watch"
	kill $WATCH
	check "monitor --once" raizn monitor --once --program "$TMP/program" \
		--prometheus "$TMP/once.prom"
	check "monitor --once runs the program" grep -qx \
		'ops state unknown degraded ops state unknown degraded degraded' \
		"$TMP/told"
	check "monitor --once writes metrics" grep -qx \
		'raizn_array_state{array="ops",state="degraded"} 1' \
		"$TMP/once.prom"
	check "it is failed" letters_are AFAAA
	refused "fail it again" 3 'member 1 .op1. is not in use already' \
		raizn fail $VOLUME 1 --force
	shows "remove" 'let go of /dev/op1; slot 1 is empty' \
		raizn remove $VOLUME 1
	check "it is gone" letters_are A-AAA
	refused "remove it again" 3 'slot 1 has no drive' raizn remove $VOLUME 1
	check "the drive is free" dd if=/dev/op1 of=/dev/null bs=4k count=1 \
		iflag=direct
	shows "status: advice" \
		'action: member 1 is missing, but its drive is there: if it works take it back: raizn add ops /dev/op1' \
		raizn status $VOLUME
	load_begin
	check "the load goes on" load_goes_on
	shows "add takes it back without --force" '/dev/op1 is in slot 1 now' \
		raizn add $VOLUME /dev/op1
	rebuild_ends
	check "the load ends without an error" load_end ||
		rig_show "$TMP/load"
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"

	shows "fail, without letting go of it" 'is called failed now' \
		raizn fail $VOLUME 1 --force
	moved=$(json '.bytes.rebuild_written')
	shows "take it back" '/dev/op1 is back in slot 1' \
		raizn add $VOLUME /dev/op1
	rebuild_ends
	check "the array is whole" whole
	check_true "what it missed is little" \
		"$(json '.bytes.rebuild_written') - moved < 1 << 20"
	note "$(($(json '.bytes.rebuild_written') - moved)) bytes"

	check "1.5 MiB in a zone" write_mib 7 0
	check "fail, once more" raizn fail $VOLUME 1 --force
	check "1.5 MiB more meanwhile" write_mib 7 6
	moved=$(json '.bytes.rebuild_written')
	check "take it back" raizn add $VOLUME /dev/op1
	rebuild_ends
	check "the array is whole" whole
	moved=$(($(json '.bytes.rebuild_written') - moved))
	note "$moved bytes of 393216 that it missed"
	check_true "what it missed is written, and little else" \
		"$moved >= 393216 - 65536 && $moved <= 393216 + 65536"
	check "all is right" eval "dd if=$DEV bs=256k count=12 iflag=direct,skip_bytes \
		status=none skip=$((7 * ZONE * 512)) | cmp -n 3145728 - '$TMP/data'"
	check "it is reset for the next" blkzone reset -o $((7 * ZONE)) -c 1 $DEV
	check "parity is right" raizn scrub $VOLUME --wait
}

# A zone that is not full: nobody knows what the member that is back lacks of it.
damaged_for_good()
{
	local other before

	before=$(sums)
	other=$(json '.members[3].device' | sed 's,.*/,,')
	check "a member fails" raizn fail $VOLUME 1 --force
	check "the zone that is not full is lost on another drive" zones_turn "$other" \
		offline $(($(zone_at "$other" 3) / 4096))
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	seen "it" ' ops damaged: 0 -> 1$'
	check "take the member back" raizn add $VOLUME /dev/op1
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "status: advice" await 30 eval "raizn status $VOLUME |
		grep -q 'by a reset: blkzone reset -o $((3 * ZONE)) -c 1 /dev/mapper/ops'"
	check "it is given up" blkzone reset -o $((3 * ZONE)) -c 1 $DEV
	seen "it" ' ops damaged: 1 -> 0$'
	rebuild_ends
	check "the array is whole" whole
	check "the zone is written anew" dd if="$TMP/data" of=$DEV bs=256k \
		count=7 status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((3 * ZONE * 512))
	check_equal "data are right" "$(sums)" "$before"
}

# What is lost with two columns of a zone, and how the zone is had again.
damaged()
{
	local before

	before=$(sums)
	raizn events $VOLUME >"$TMP/events" 2>&1 &
	EVENTS=$!
	at_exit "kill $EVENTS"
	check "a member fails" raizn fail $VOLUME 1 --force
	check "a zone of another drive is lost" eval \
		"echo $(($(zone_at op3 0) / 4096)) offline >$GROUP/op3/zone_cond"
	check "stop" raizn stop $VOLUME
	raizn check $VOLUME >"$TMP/out" 2>&1
	check_equal "check: exit code" $? 2
	check "check names the zone" grep -q 'zone 0: damaged' "$TMP/out" ||
		rig_show "$TMP/out"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_fails "reads of the zone" 'Input/output error' \
		dd if=$DEV of=/dev/null bs=64k count=1 iflag=direct
	shows "status says so" '; 1 zone lost more than parity makes up for' \
		raizn status $VOLUME
	seen "it" ' ops damaged: 0 -> 1$'
	check "metrics" raizn monitor $VOLUME --once --prometheus "$TMP/metrics.prom"
	check "the number of damaged zones" \
		grep -qx 'raizn_damaged_zones{array="ops"} 1' "$TMP/metrics.prom"
	shows "take the member back" '/dev/op1 is in slot 1 now' \
		raizn add $VOLUME /dev/op1
	timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
	check_equal "rebuild --wait ends: exit code" $? 1
	check "it says that one zone is left" \
		grep -q 'nothing is rebuilt, but 1 zone lacks a column' "$TMP/out" ||
		rig_show "$TMP/out"
	shows "status: advice" 'action: stop and start the array, which looks whether' \
		raizn status $VOLUME
	check "stop" raizn stop $VOLUME
	raizn check $VOLUME >"$TMP/out" 2>&1
	check_equal "check: nothing is damaged: exit code" $? 1
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "the zone is whole with what the member that is back has" \
		"$(sums)" "$before"
	seen "it" ' ops damaged: 1 -> 0$'
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	damaged_for_good
	kill $EVENTS
	wait $EVENTS
	check "parity is right" raizn scrub $VOLUME --wait
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# A zone that is whole on a new drive, which is rebuilt still, loses another column.
rebuilt_counts()
{
	local before other

	before=$(sums)
	other=$(json '.members[4].device' | sed 's,.*/,,')
	check "slowly" raizn set $VOLUME speed_max=256K
	check "a new drive" drive op16
	check "replace a member that works" raizn replace $VOLUME 0 /dev/op16 \
		--force
	check "zone 0 is rebuilt" await 60 eval '[ "$(written_at op16 0)" = 3072 ]'
	check "more slowly" raizn set $VOLUME speed_max=16K
	check "not all are" letters_are RAAAA
	check "the zone is lost on another drive" zones_turn "$other" offline \
		$(($(zone_at "$other" 0) / 4096))
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "zone 0 is right" is_data 0
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# All there was of a zone is lost: nobody can tell that from a zone without data, so it is
# not called empty.
lost_at_the_begin()
{
	local drive other

	check "a zone with a little data" eval "blkzone reset -o 0 -c 1 $DEV &&
		dd if=$TMP/data of=$DEV bs=8k count=1 status=none conv=notrunc \
			oflag=direct && sync $DEV"
	drive=$(json '.members[0].device' | sed 's,.*/,,')
	other=$(json '.members[4].device')
	check "the member with its parity fails" raizn fail $VOLUME 4 --force
	check "the zone with the data is lost" eval \
		"echo $(($(zone_at "$drive" 0) / 4096)) offline >$GROUP/$drive/zone_cond"
	check "stop" raizn stop $VOLUME
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	shows "status: it is damaged" '; 1 zone lost more than parity makes up for' \
		raizn status $VOLUME
	check "take the member back" raizn add $VOLUME "$other"
	check "stop" raizn stop $VOLUME
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_fails "it is damaged still: a read" 'Input/output error' \
		dd if=$DEV of=/dev/null bs=4k count=1 iflag=direct
	check "the zone is given up" blkzone reset -o 0 -c 1 $DEV
	rebuild_ends
	check "the array is whole" whole
	check "the zone is written anew" dd if="$TMP/data" of=$DEV bs=256k \
		count=24 status=none conv=notrunc oflag=direct
	check "parity is right" raizn scrub $VOLUME --wait
}

# Of the data only a partial-parity record is left, and the start begins new logs: the zone
# is damaged at the next one, too.
logged_at_the_begin()
{
	local drive other start

	check "a zone with a little data" eval "blkzone reset -o 0 -c 1 $DEV &&
		dd if=$TMP/data of=$DEV bs=8k count=1 status=none conv=notrunc \
			oflag=direct && sync $DEV"
	drive=$(json '.members[0].device' | sed 's,.*/,,')
	other=$(json '.members[2].device')
	check "a member without data of it fails" raizn fail $VOLUME 2 --force
	check "the zone with the data is lost" eval \
		"echo $(($(zone_at "$drive" 0) / 4096)) offline >$GROUP/$drive/zone_cond"
	for start in first second third; do
		check "stop" raizn stop $VOLUME
		raizn check $VOLUME >"$TMP/out" 2>&1
		check "$start start: check says that it is damaged" \
			grep -q 'zone 0: damaged' "$TMP/out" ||
			rig_show "$TMP/out"
		check "$start start" raizn start $VOLUME
		dmsetup mknodes $VOLUME
		check_fails "$start start: it is damaged" 'Input/output error' \
			dd if=$DEV of=/dev/null bs=4k count=1 iflag=direct
		check_fails "$start start: it is not written" \
			'Input/output error' dd if="$TMP/data" of=$DEV bs=4k \
			count=1 status=none conv=notrunc oflag=direct
		[ $start = second ] &&
			check "take the member back" raizn add $VOLUME "$other"
	done
	check "the mark is to be seen" eval "raizn inspect $other zones --json |
		jq -e '.zones[]|select(.logical_zone == 0)|.unlogged'"
	check "the zone is given up" blkzone reset -o 0 -c 1 $DEV
	rebuild_ends
	check "the array is whole" whole
	check "the zone is written anew" dd if="$TMP/data" of=$DEV bs=256k \
		count=24 status=none conv=notrunc oflag=direct
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	check "parity is right" raizn scrub $VOLUME --wait
}

# The same, and power fails in the start that finds it, at one moment or another.
cut_at_the_begin()
{
	local zone drive other commands=0 nth=0 cuts bad=()

	# The drive of slot 1 has neither data of these nor parity.
	for zone in 5 6 7 10 11; do
		check "zone $zone: a little data" eval \
			"blkzone reset -o $((zone * ZONE)) -c 1 $DEV &&
			dd if=$TMP/data of=$DEV bs=8k count=1 status=none \
				conv=notrunc oflag=direct,seek_bytes \
				seek=$((zone * ZONE * 512))"
	done
	check "all is durable" sync $DEV
	other=$(json '.members[1].device' | sed 's,.*/,,')
	echo 0 >"$GROUP/$other/in_cut"
	echo >"$GROUP/$other/unplug"
	check "a drive is gone" raizn monitor --once --program /bin/true
	for zone in 5 6 7 10 11; do
		drive=$(json ".members[$(((5 - zone % 5) % 5))].device" |
			sed 's,.*/,,')
		check_equal "zone $zone begins there" \
			"$(written_at "$drive" "$zone")" 16
		bad+=("$drive $(($(zone_at "$drive" "$zone") / 4096))")
		echo "${bad[-1]#* } offline" >"$GROUP/$drive/zone_cond"
		check "stop" raizn stop $VOLUME
		cuts=$(cat $GROUP/cuts)
		echo 1 >$GROUP/mark
		echo $((commands * nth / 5)) >$GROUP/cut_at
		raizn start $VOLUME >"$TMP/out" 2>&1
		[ $nth -gt 0 ] || commands=$(cat $GROUP/commands)
		check_equal "power fails at $((commands * nth / 5)) of $commands commands" \
			$(($(cat $GROUP/cuts) - cuts)) $((nth++ > 0))
		[ ! -e $DEV ] || dmsetup remove --retry $VOLUME
		echo 0 >$GROUP/cut_at
		echo 1 >$GROUP/power
		check "start" raizn start $VOLUME
		dmsetup mknodes $VOLUME
		check_fails "zone $zone is not called empty" \
			'Input/output error' dd if=$DEV of=/dev/null bs=4k \
			count=1 iflag=direct,skip_bytes \
			skip=$((zone * ZONE * 512))
	done
	check "nor are the others" json_is '.zones."read-only"' 5
	check "the drive is back" eval "echo 1 >$GROUP/$other/power &&
		echo 1 >$GROUP/$other/in_cut"
	check "take it back" eval "raizn remove $VOLUME 1;
		raizn add $VOLUME /dev/$other"
	for zone in 5 6 7 10 11; do
		check "zone $zone is given up" blkzone reset \
			-o $((zone * ZONE)) -c 1 $DEV
	done
	rebuild_ends
	check "the array is whole" whole
	for zone in "${bad[@]}"; do
		echo "${zone#* } empty" >"$GROUP/${zone% *}/zone_cond"
	done
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
}

# free_zones DRIVE: those that a column could be moved to
free_zones()
{
	raizn inspect "/dev/$1" zones --json | jq '.zones[] |
		select((has("logical_zone") | not) and
		       (.role | test("^spare|moved|lost"))) | .zone'
}

# A power cut leaves more on a drive than the array can use, and that has no zone left
# to move the rest to, with some data of the incomplete stripe among it.
no_room()
{
	local before one n free

	before=$(sums)
	check "slowly" raizn set $VOLUME speed_max=64K
	check "stripes, a unit and a half" eval \
		"blkzone reset -o $((5 * ZONE)) -c 1 $DEV &&
		dd if=$TMP/data of=$DEV bs=8k count=643 status=none \
			conv=notrunc oflag=direct,seek_bytes seek=$((5 * ZONE * 512))"
	check "all is durable" sync $DEV
	for n in 0 1 2 3 4; do
		one=$(json ".members[$n].device" | sed 's,.*/,,')
		[ "$(written_at "$one" 5)" = 2592 ] && break
	done
	check_equal "it has the unit" "$(written_at "$one" 5)" 2592
	free=$(free_zones "$one")
	check "its free zones can not be used" zones_turn "$one" readonly \
		$free
	check "the power is off" eval "echo 0 >$GROUP/power"
	check "the array ends" dmsetup remove --retry $VOLUME
	check "it is on again" eval "echo 1 >$GROUP/power"
	check "more than belongs there" dd if="$TMP/data" of="/dev/$one" bs=4k \
		count=2 status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((($(zone_at "$one" 5) + 2592) * 512))
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "a column was given up" "$(json .degraded_zones)" 1
	check "what was written is there" eval "dd if=$DEV bs=8k count=643 \
		status=none iflag=direct,skip_bytes skip=$((5 * ZONE * 512)) |
		cmp -n $((643 * 8192)) - $TMP/data"
	check "the zone goes on" dd if="$TMP/data" of=$DEV bs=8k count=64 \
		status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((5 * ZONE * 512 + 643 * 8192))
	check "at full speed" raizn set $VOLUME speed_max=0
	check "the column is rebuilt" await 30 whole
	check "what was written is there" eval "dd if=$DEV bs=8k count=643 \
		status=none iflag=direct,skip_bytes skip=$((5 * ZONE * 512)) |
		cmp -n $((643 * 8192)) - $TMP/data"
	check_equal "data are right" "$(sums)" "$before"
	check "the free zones work again" zones_turn "$one" empty \
		$free
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	check "parity is right" raizn scrub $VOLUME --wait
}

# Power fails when a full zone is reset on all drives but one: that is no reason to think
# that this one has finished it by itself.
reset_cut()
{
	local keep kinds before places now n

	places=$(for n in 0 1 2 3 4; do
		zone_at "$(json ".members[$n].device" | sed 's,.*/,,')" 5
	done | xargs)
	keep=$(cat $GROUP/keep)
	kinds=$(cat $GROUP/cut_kinds)
	check "a full zone" eval "blkzone reset -o $((5 * ZONE)) -c 1 $DEV &&
		dd if=$TMP/data of=$DEV bs=256k count=24 status=none \
			conv=notrunc oflag=direct,seek_bytes seek=$((5 * ZONE * 512))"
	check "all is durable" sync $DEV
	before=$(sums)
	check "power fails at the fourth reset" eval "echo all >$GROUP/keep &&
		echo reset >$GROUP/cut_kinds && echo 1 >$GROUP/mark &&
		echo 4 >$GROUP/cut_at"
	check_fails "reset" 'error' blkzone reset -o $((5 * ZONE)) -c 1 $DEV
	check "the array ends" dmsetup remove --retry $VOLUME
	check "the power is back" eval "echo 0 >$GROUP/cut_at &&
		echo $keep >$GROUP/keep && echo $kinds >$GROUP/cut_kinds &&
		echo 1 >$GROUP/power"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	now=$(for n in 0 1 2 3 4; do
		zone_at "$(json ".members[$n].device" | sed 's,.*/,,')" 5
	done | xargs)
	check_equal "all columns are where they were" "$now" "$places"
	check_equal "data are right" "$(sums)" "$before"
}

# No report for a moment: there is no path to the drive, or it is suspended.
report_again()
{
	local one physical

	one=$(json '.members[2].device' | sed 's,.*/,,')
	check "zone 4 is reset" blkzone reset -o $((4 * ZONE)) -c 1 $DEV
	check "a zone has data" dd if="$TMP/data" of=$DEV bs=256k count=2 \
		status=none conv=notrunc oflag=direct,seek_bytes,dsync \
		seek=$((4 * ZONE * 512))
	physical=$(($(zone_at "$one" 4) / 4096))
	check "a drive's zone is read-only, and a report has to wait" eval \
		"echo '$physical readonly' >$GROUP/$one/zone_cond &&
			echo 'report 1 times=20 status=again' >$GROUP/$one/fault"
	check "a write that meets it" dd if="$TMP/data" of=$DEV bs=256k count=2 \
		status=none conv=notrunc oflag=direct,seek_bytes,dsync \
		seek=$((4 * ZONE * 512 + 2 * 262144))
	check "the zone is rebuilt" await 30 whole
	check "the member is not failed" letters_are AAAAA
	check_true "reports were waited for" \
		"$(grep -c again $GROUP/$one/fault) == 0"
	check "data are right" eval "dd if=$DEV bs=256k skip=$((4 * ZONE / 512)) \
		count=4 iflag=direct status=none | cmp - \
		<(head -c 524288 $TMP/data; head -c 524288 $TMP/data)"
	check "zone 4 is reset" blkzone reset -o $((4 * ZONE)) -c 1 $DEV
	check "the drive's zone works again" eval \
		"echo '$physical empty' >$GROUP/$one/zone_cond"
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
}

# A zone of a member turns read-only under load.
bad_zone()
{
	local before physical

	# It need not be where it was at first.
	physical=$(($(zone_at op3 3) / 4096))
	raizn events $VOLUME >"$TMP/events" 2>&1 &
	EVENTS=$!
	at_exit "kill $EVENTS"
	load_begin
	check "the load goes on" load_goes_on
	echo "$physical readonly" >$GROUP/op3/zone_cond
	check "a write that meets it" dd if="$TMP/data" of=$DEV bs=256k count=2 \
		status=none conv=notrunc oflag=direct,seek_bytes,dsync \
		seek=$((3 * ZONE * 512 + 7 * 262144))
	before=$(sums)
	check "the load goes on without a zone of a drive" load_goes_on
	check "the load ends without an error" load_end ||
		rig_show "$TMP/load"
	check "the zone is rebuilt without a command" await 30 whole
	check "the member is not failed" letters_are AAAAA
	check "its error is counted" await 30 json_is \
		'.members[3]|.write_errors > 0 and .healed > 0' true
	seen "its error" ' ops errors 3 \(op3\): 0 -> [1-9][0-9]*$'
	kill $EVENTS
	wait $EVENTS
	shows "status: advice" \
		'action: member 3 .op3. had errors, which were made up for: watch it' \
		raizn status $VOLUME
	check_equal "data are right" "$(sums)" "$before"
}

# The machine goes down in the middle of a rebuild.
interrupted()
{
	local before

	before=$(sums)
	check "slowly" raizn set $VOLUME speed_max=64K
	check "a blank drive" drive op8
	raizn monitor $VOLUME --spare /dev/op8 >"$TMP/monitor" 2>&1 &
	MONITOR=$!
	at_exit "kill $MONITOR"
	sleep 1
	check "replace a member that works" raizn replace $VOLUME 0 /dev/op6 \
		--force
	sleep 1
	check_equal "a spare is not taken for it" "$(cat "$TMP/monitor")" ""
	kill $MONITOR
	check "it is being rebuilt" await 30 letters_are RAAAA
	refused "a second drive has to wait" 3 'works without member 0 .op6. already' \
		raizn fail $VOLUME 1 --force
	check "it takes its time" await 30 json_is '.operation |
		.kind == "rebuild" and .elapsed_ms >= 3000' true
	# What is read ahead may be written at once.
	check "it is no faster than it may be" json_is '.operation |
		.kind == "rebuild" and
		.done <= .elapsed_ms * 65.536 + 524288' true ||
		note "$(json .operation)"
	check "stop" raizn stop $VOLUME
	check_equal "list" "$(raizn list --json | jq -rc \
		'.arrays[]|select(.name == "ops")|[.state,.nr_found]')" \
		'["stopped",5]'
	raizn check $VOLUME >"$TMP/out" 2>&1
	check_equal "check: exit code" $? 1
	check "check says that a member is being rebuilt" \
		grep -q 'slot 0 (/dev/op6, .* is rebuilding' "$TMP/out" ||
		rig_show "$TMP/out"
	shows "status of the stopped array" \
		'stopped cleanly while slot 0 was being rebuilt; a start goes on with that' \
		raizn status $VOLUME
	shows "start" 'ops: the rebuild of slot 0 goes on' raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# A hot spare is taken by itself, and only a blank one.
spare()
{
	local before

	before=$(sums)
	check "blank drives" eval 'drive op7 && drive op9'
	raizn monitor $VOLUME --spare /dev/op0 --spare /dev/op3 \
		--spare /dev/op9 --spare /dev/op7 >"$TMP/monitor" 2>&1 &
	MONITOR=$!
	at_exit "kill $MONITOR"
	check "the monitor refuses a drive with data" await 30 \
		grep -q '/dev/op0: not used as a spare' "$TMP/monitor"
	check "the monitor refuses a drive of the array" await 30 \
		grep -q '/dev/op3: in use: part of the running array ops' \
		"$TMP/monitor"
	check "a spare gets data later" dd if="$TMP/data" of=/dev/op9 bs=64k \
		count=1 oflag=direct
	echo >$GROUP/op4/unplug
	dd if=$DEV of=/dev/null bs=1M count=4 iflag=direct status=none
	check "the spare is taken" await 30 json_is ".members[4] |
		.device == \"/dev/op7\" and .state != \"missing\"" true
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "the spare that got data is refused" await 30 grep -q \
		'/dev/op9: holds data in 1 of 28 sequential zones' "$TMP/monitor"
	check "the monitor says so" await 30 grep -q \
		'/dev/op7 is in slot 4 now' "$TMP/monitor"
	kill $MONITOR
	wait $MONITOR
}

# A spare that is refused is taken as soon as nothing speaks against it.
spare_later()
{
	local before

	before=$(sums)
	[ -e /dev/op10 ] || check "a blank drive" drive op10
	raizn monitor $VOLUME --spare /dev/op10 \
		--spare "$(json '.members[1].device')" >"$TMP/later" 2>&1 &
	MONITOR=$!
	at_exit "kill $MONITOR"
	check "the monitor has looked at spares" await 30 \
		grep -q 'in use: part of the running array' "$TMP/later"
	check "the spare gets data" dd if="$TMP/data" of=/dev/op10 bs=64k \
		count=1 oflag=direct
	check "a member fails" raizn fail $VOLUME 2 --force
	check "the spare is refused" await 30 grep -q \
		'/dev/op10: holds data in 1 of 28 sequential zones' "$TMP/later"
	check "it is emptied" await 30 blkzone reset /dev/op10
	check "it is taken" await 40 json_is ".members[2] |
		.device == \"/dev/op10\" and .state != \"missing\"" true ||
		{ rig_show "$TMP/later"; note "$(dmesg | tail -n 12)"; }
	check_equal "it was refused in one line" \
		"$(grep -c 'holds data' "$TMP/later")" 1
	kill $MONITOR
	wait $MONITOR
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# A drive has no zones left that work: it is replaced, though all members do.
used_up()
{
	local before one zone

	before=$(sums)
	one=$(json '.members[1].device' | sed 's,.*/,,')
	check "the drive's spare zones fail, and one with data" zones_turn "$one" offline \
		5 6 7 8 $(($(zone_at "$one" 2) / 4096))
	check "stop" raizn stop $VOLUME
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "a zone lacks a column for good" await 30 json_is \
		'[([.members[].state]|unique),.degraded_zones,.operation.kind]' \
		'[["active"],1,"idle"]'
	shows "status: advice" 'the spare zones of a drive are used up: .*replace it' \
		raizn status $VOLUME
	shows "the other zones are scrubbed" \
		'1 zone was not compared, for want of a column' \
		raizn scrub $VOLUME --wait
	[ -e /dev/op11 ] || check "a new drive" drive op11
	shows "replace" '/dev/op11 is in slot 1 now' \
		raizn replace $VOLUME 1 /dev/op11 --force
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# Two drives can not use their zones of one that is empty: it has other ones.
lost_empty()
{
	local before one another

	before=$(sums)
	one=$(json '.members[2].device' | sed 's,.*/,,')
	another=$(json '.members[3].device' | sed 's,.*/,,')
	check "an empty zone is lost on two drives" eval \
		"echo $(($(zone_at "$one" 11) / 4096)) offline >$GROUP/$one/zone_cond &&
		echo $(($(zone_at "$another" 11) / 4096)) offline >$GROUP/$another/zone_cond"
	check "stop" raizn stop $VOLUME
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "both have other zones for it" await 30 whole
	check "it takes writes" dd if="$TMP/data" of=$DEV bs=256k count=2 \
		status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((11 * ZONE * 512))
	check "and a reset" blkzone reset -o $((11 * ZONE)) -c 1 $DEV
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# A zone that was given up can not be reset: nobody needs it.
spare_stuck()
{
	local before one at

	before=$(sums)
	one=$(json '.members[1].device' | sed 's,.*/,,')
	at=$(zone_at "$one" 0)
	check "a drive can not read a sector" eval \
		"echo '$at 8' >$GROUP/$one/bad_sectors"
	check "scrub" eval "raizn scrub $VOLUME --wait || true"
	check "it is healed" await 30 json_is \
		'[.operation.kind,.members[1].healed>0]' '["idle",true]'
	check "resets of the drive fail" eval \
		"echo reset 1 times=100 status=ioerr >$GROUP/$one/fault"
	check "stop" raizn stop $VOLUME
	check "the drive works again" eval "echo clear >$GROUP/$one/fault &&
		echo clear >$GROUP/$one/bad_sectors"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# A record of the zone map is damaged on one drive: what that says of zones is not all,
# though its last record is sound.
map_damaged()
{
	local before one at

	before=$(sums)
	one=$(json '.members[4].device' | sed 's,.*/,,')
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "two zones of a drive are lost" zones_turn "$one" offline \
		$(($(zone_at "$one" 1) / 4096)) $(($(zone_at "$one" 2) / 4096))
	check "a scrub meets that" eval "raizn scrub $VOLUME --wait || true"
	check "it is rebuilt into another one" await 30 json_is \
		'[.operation.kind,.members[4].healed >= 2]' '["idle",true]'
	one=$(json '.members[0].device')
	at=$(raizn inspect "$one" log --json | jq '[.log[] |
		select(.role == "general log") as $l | $l.records[] |
		select(.type == "zone map") | $l.zone * 4096 + .offset / 512] | first')
	check_true "the logs tell of that" "$at > 0"
	check "all is durable" sync $DEV
	check "the power is off" eval "echo 0 >$GROUP/power"
	check "the array ends" dmsetup remove --retry $VOLUME
	check "it is on again" eval "echo 1 >$GROUP/power"
	check "a record is damaged" eval \
		"echo $((at + 8)) 1 >$GROUP/${one##*/}/flip"
	# It is found by the module, or already by the tools if it is of the checkpoint.
	check_fails "a start finds that" 'general log makes no sense|checkpoint' \
		raizn start $VOLUME
	raizn check $VOLUME >"$TMP/out" 2>&1
	check "and so does check" grep -q 'contradict\|checkpoint' "$TMP/out" ||
		rig_show "$TMP/out"
	check "a start without the member" raizn start $VOLUME --degraded
	dmsetup mknodes $VOLUME
	check_equal "data are right" "$(sums)" "$before"
	# With a damaged checkpoint it was not even given.
	check "the drive is let go, and emptied" eval \
		"{ letters_are -AAAA || raizn remove $VOLUME 0; } &&
			blkzone reset $one"
	check "it takes its place again" raizn add $VOLUME "$one"
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# A rebuild that can not come to its end, because another drive has a bad sector.
rebuild_fails()
{
	local before one at

	before=$(sums)
	one=$(json '.members[3].device' | sed 's,.*/,,')
	at=$(zone_at "$one" 0)
	check "a drive can not read a sector" eval \
		"echo '$((at + 64)) 8' >$GROUP/$one/bad_sectors"
	[ -e /dev/op12 ] || check "a new drive" drive op12
	check "replace a member" raizn replace $VOLUME 0 /dev/op12 --force
	timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
	check_equal "rebuild --wait ends: exit code" $? 1
	check "it says what is left" grep -q \
		'nothing is rebuilt, but 1 zone lacks a column' "$TMP/out" ||
		rig_show "$TMP/out"
	shows "status: advice" 'see the kernel log for what can not be rebuilt; .raizn rebuild ops. tries that again' \
		raizn status $VOLUME
	check "the sector can be read again" eval \
		"echo clear >$GROUP/$one/bad_sectors"
	shows "rebuild tries again" 'tries again what could not be rebuilt' \
		timeout 60 raizn rebuild $VOLUME --wait
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# bad_zone_of DRIVE ZONE: it can not read the beginning of two stripes, one of which is data
bad_zone_of()
{
	local at
	at=$(zone_at "$1" "$2")

	echo "$at 8" >"$GROUP/$1/bad_sectors" &&
		echo "$((at + 32)) 8" >"$GROUP/$1/bad_sectors"
}

# After so many errors a drive is not used any more.
error_limit()
{
	local before one other worst zone healed

	before=$(sums)
	one=$(json '.members[1].device' | sed 's,.*/,,')
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "two errors are put up with" raizn set $VOLUME error_limit=2
	for zone in 0 1 2; do
		check "a drive can not read a sector" eval \
			"echo '$(zone_at "$one" $zone) 8' >$GROUP/$one/bad_sectors"
		check_equal "error $((zone + 1)): data are right" "$(sums)" \
			"$before"
		check "it is counted" await 30 json_is '.members[1].read_errors' \
			$((zone + 1))
		[ $zone = 2 ] && break
		check "it is healed" await 30 json_is \
			'[.operation.kind,.members[1].healed]' \
			"[\"idle\",$((zone + 1))]"
		check "the drive is used" letters_are AAAAA
	done
	check "one more, and it is not" await 30 letters_are AFAAA
	check "good sectors again" eval "echo clear >$GROUP/$one/bad_sectors"
	check "no number of errors is too large" raizn set $VOLUME error_limit=0
	check "take it back" raizn add $VOLUME "/dev/$one"
	rebuild_ends
	check "the array is whole" whole
	for zone in 0 1 2; do
		check "a drive can not read a sector" eval \
			"echo '$(zone_at "$one" $zone) 8' >$GROUP/$one/bad_sectors"
		check_equal "data are right" "$(sums)" "$before"
	done
	check "three errors" await 30 json_is \
		'[.operation.kind,.members[1].read_errors]' '["idle",3]'
	check "the drive is used" letters_are AAAAA
	check "good sectors again" eval "echo clear >$GROUP/$one/bad_sectors"
	worst=$(json '.members[4].device' | sed 's,.*/,,')
	healed=$(json '.members[4].healed')
	for zone in 0 1 2 3; do
		check "another one can not read some sectors" \
			bad_zone_of "$worst" $zone
		check_equal "data are right" "$(sums)" "$before"
		check "error $((zone + 1)): it is healed" await 30 json_is \
			'[.operation.kind,.members[4].read_errors,.members[4].healed]' \
			"[\"idle\",$((zone + 1)),$((healed + zone + 1))]"
		check "with the zone that it was in for the next" eval \
			"dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
	done
	check "good sectors again" eval "echo clear >$GROUP/$worst/bad_sectors"
	other=$(json '.members[3].device')
	check "another member fails" raizn fail $VOLUME 3 --force
	check "two errors are put up with" raizn set $VOLUME error_limit=2
	check "the other member is rebuilt" raizn add $VOLUME "$other"
	check "it is there, and the worst drive not needed" await 30 \
		letters_are AAAAF
	check_equal "data are right" "$(sums)" "$before"
	check "take it back" raizn add $VOLUME "/dev/$worst"
	check "it is there, and the next one not needed" await 30 \
		letters_are AFAAA
	check_equal "data are right" "$(sums)" "$before"
	check "take it back" raizn add $VOLUME "/dev/$one"
	rebuild_ends
	check "as it was" raizn set $VOLUME error_limit=20
	check "the array is whole" whole
}

# A drive with too many errors is put up with for an empty zone, which could take no
# writes without it; and for what another one can not read, until that is reset.
error_limit_waits()
{
	local before one other free lost zone

	write_tail
	before=$(sums)
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	one=$(json '.members[1].device' | sed 's,.*/,,')
	other=$(json '.members[2].device' | sed 's,.*/,,')
	free=$(free_zones "$one")
	lost=$(($(zone_at "$one" 11) / 4096))
	check "a drive has no free zones" zones_turn "$one" readonly $free
	check "it can not read a block" bad_blocks "$one" 8
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check "that was seen" await 30 json_is \
		'[.operation.kind,.members[1].read_errors]' '["idle",1]'
	check "two errors are put up with" raizn set $VOLUME error_limit=2
	for zone in 0 1 2; do
		check "another drive can not read some sectors" \
			bad_zone_of "$other" $zone
		check_equal "data are right" "$(sums)" "$before"
	done
	check "that is healed, and the drive used" await 30 json_is \
		'[.operation.kind,.members[2].healed,.members[2].state]' \
		'["idle",3,"active"]'
	check "a zone of the first one fails" zones_turn "$one" offline $lost
	check "an empty zone lacks it for good" eval \
		"dd if=$TMP/data of=$DEV bs=256k count=1 status=none \
			conv=notrunc oflag=direct,seek_bytes \
			seek=$((11 * ZONE * 512)) &&
		blkzone reset -o $((11 * ZONE)) -c 1 $DEV"
	check "the array lacks nothing else" await 30 json_is \
		'[.operation.kind,.degraded_zones]' '["idle",1]'
	check "what can not be read is reset" \
		blkzone reset -o $((9 * ZONE)) -c 1 $DEV
	sleep 1
	check "the drive is used" letters_are AAAAA
	check "for the empty zone takes writes" dd if="$TMP/data" of=$DEV \
		bs=256k count=1 status=none conv=notrunc \
		oflag=direct,seek_bytes seek=$((11 * ZONE * 512))
	check "it is reset" blkzone reset -o $((11 * ZONE)) -c 1 $DEV
	check "good blocks again" good_blocks "$one"
	check "and good zones" zones_turn "$one" empty $free $lost
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "good sectors again" good_blocks "$other"
	check "as it was" raizn set $VOLUME error_limit=20
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# The same without the empty zone: with the reset the drive is not needed any more.
judged_after_reset()
{
	local before one other free zone

	write_tail
	before=$(sums)
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	one=$(json '.members[1].device' | sed 's,.*/,,')
	other=$(json '.members[2].device' | sed 's,.*/,,')
	free=$(free_zones "$one")
	check "a drive has no free zones" zones_turn "$one" readonly $free
	check "it can not read a block" bad_blocks "$one" 8
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check "that was seen" await 30 json_is \
		'[.operation.kind,.members[1].read_errors]' '["idle",1]'
	check "one error is too many" raizn set $VOLUME error_limit=1
	for zone in 0 1; do
		check "another drive can not read some sectors" \
			bad_zone_of "$other" $zone
		check_equal "data are right" "$(sums)" "$before"
	done
	check "that is healed, and the drive used" await 30 json_is \
		'[.operation.kind,.members[2].healed,.members[2].state]' \
		'["idle",2,"active"]'
	check "what can not be read is reset" \
		blkzone reset -o $((9 * ZONE)) -c 1 $DEV
	check "the drive is not used any more" await 30 letters_are AAFAA
	check "good sectors again" good_blocks "$one" "$other"
	check "and good zones" zones_turn "$one" empty $free
	check "as it was" raizn set $VOLUME error_limit=20
	check "take it back" raizn add $VOLUME "/dev/$other"
	rebuild_ends
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# A drive can not read the end of what it takes to know whether one that comes back has
# all of a zone: it has, if that looks written.
end_needed()
{
	local before one other at

	before=$(sums)
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	one=$(json '.members[1].device' | sed 's,.*/,,')
	other=$(json '.members[3].device' | sed 's,.*/,,')
	check_equal "a zone is full" "$(written_at "$one" 1)" 3072
	check "a drive fails" raizn fail $VOLUME 1 --force
	at=$(zone_at "$other" 1)
	check "another one can not read the end of its zone" eval \
		"echo '$((at + 3072 - 128)) 128' >$GROUP/$other/bad_sectors"
	check "take the first one back" raizn add $VOLUME "/dev/$one"
	rebuild_ends
	check "all is whole, and healed" await 30 json_is \
		'[.state,.operation.kind,.members[3].healed]' '["active","idle",1]'
	check "good sectors again" good_blocks "$other"
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# The same where what it has does not look written: that is not thrown away while nobody
# knows, and written anew elsewhere when all can be read again.
end_unknown()
{
	local before one other at

	before=$(sums)
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	one=$(json '.members[1].device' | sed 's,.*/,,')
	other=$(json '.members[3].device' | sed 's,.*/,,')
	check "a zone that ends with zeros" eval "{
		head -c $((CAPACITY * 512 - (1 << 20))) $TMP/data
		head -c $((1 << 20)) /dev/zero; } >$TMP/zeros &&
		dd if=$TMP/zeros of=$DEV bs=256k status=none conv=notrunc,fsync \
			oflag=direct,seek_bytes seek=$((8 * ZONE * 512))"
	check_equal "it is full" "$(written_at "$one" 8)" 3072
	check "a drive fails" raizn fail $VOLUME 1 --force
	at=$(zone_at "$other" 8)
	check "another one can not read the end of its zone" eval \
		"echo '$((at + 3072 - 256)) 256' >$GROUP/$other/bad_sectors"
	check "take the first one back" raizn add $VOLUME "/dev/$one"
	timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
	check_equal "it can not be rebuilt: exit code" $? 1
	check_equal "the zone holds what it held" "$(written_at "$one" 8)" 3072
	check "good sectors again" good_blocks "$other"
	rebuild_ends
	check "the array is whole" await 30 whole
	check "all of it is right" eval "dd if=$DEV bs=256k iflag=direct,skip_bytes \
		status=none skip=$((8 * ZONE * 512)) |
		cmp -n $((CAPACITY * 512)) - $TMP/zeros"
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "it is reset" blkzone reset -o $((8 * ZONE)) -c 1 $DEV
}

# What a drive can not read is known of it also when it was away for a moment.
known_after_all()
{
	local before one free

	before=$(sums)
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	one=$(json '.members[1].device' | sed 's,.*/,,')
	free=$(free_zones "$one")
	check "a drive has no free zones" zones_turn "$one" readonly $free
	check "it can not read some sectors of a zone" bad_zone_of "$one" 1
	check_equal "data are right" "$(sums)" "$before"
	check "that was seen" await 30 json_is \
		'[.operation.kind,.members[1].read_errors > 0]' '["idle",true]'
	refused "another drive can not be spared" 1 'can not be spared' \
		raizn fail $VOLUME 2 --force
	check "the drive fails" raizn fail $VOLUME 1 --force
	check "and is taken back" raizn add $VOLUME "/dev/$one"
	check "it is whole" await 30 letters_are AAAAA
	refused "the other drive still can not be spared" 1 'can not be spared' \
		raizn fail $VOLUME 2 --force
	check "good sectors again" good_blocks "$one"
	check "and good zones" zones_turn "$one" empty $free
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" await 30 whole
	check_equal "data are right" "$(sums)" "$before"
}

# A drive can not read a block in a zone that another one is missing from: that counts as
# one error, and is healed as soon as the other drive is back.
error_in_degraded()
{
	local before one other try

	before=$(sums)
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	one=$(json '.members[1].device' | sed 's,.*/,,')
	other=$(json '.members[3].device' | sed 's,.*/,,')
	check "a drive fails" raizn fail $VOLUME 1 --force
	check "another one can not read a block" eval \
		"echo '$(($(zone_at "$other" 1) + 64)) 8' >$GROUP/$other/bad_sectors"
	for try in 1 2 3; do
		check_fails "what it takes both for is an error" 'error' \
			dd if=$DEV of=/dev/null bs=64k iflag=direct status=none \
			count=$((2 * ZONE / 128))
	done
	check "one" json_is '.members[3].read_errors' 1
	check "take the first one back" raizn add $VOLUME "/dev/$one"
	check "all is whole, and healed" await 60 json_is \
		'[.state,.operation.kind,.members[3].healed]' '["active","idle",1]'
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "good sectors again" good_blocks "$other"
}

# sample: bytes that are rebuilt, and at what time
sample()
{
	json '.operation | select(.kind == "rebuild") | "\(.done) \(.elapsed_ms)"'
}

# A rebuild holds back while users are at work, and no longer. What they do not do for a
# moment, on a machine that has other work, does not matter: there is speed_max.
foreground()
{
	local before done ms then was

	before=$(sums)
	check "slowly beside users, faster without" \
		raizn set $VOLUME speed_min=64K speed_max=1M
	load_begin
	check "somebody works" load_goes_on
	check "a blank drive takes the place of another" eval \
		"raizn fail $VOLUME 1 --force && raizn remove $VOLUME 1 &&
			blkzone reset /dev/op1 && raizn add $VOLUME /dev/op1"
	check "it is being rebuilt" await 30 letters_are ARAAA
	check "for a second" await 30 json_is '.operation.elapsed_ms >= 1000' true
	read -r was then <<<"$(sample)"
	check "and four more" await 60 json_is \
		".operation.elapsed_ms >= $((then + 4000))" true
	read -r done ms <<<"$(sample)"
	note "$((done - was)) bytes in $((ms - then)) ms"
	check_true "it holds back" \
		"$done - $was <= ($ms - $then) * 524 + 262144"
	check "the load ends without an error" load_end || rig_show "$TMP/load"
	read -r was then <<<"$(sample)"
	check "nobody works for four seconds, or it is done" await 60 json_is \
		".operation.kind == \"idle\" or .operation.elapsed_ms >= $((then + 4000))" \
		true
	read -r done ms <<<"$(sample)"
	[ -n "$done" ] && check_true "it is faster" \
		"$done - $was > ($ms - $then) * 262"
	check "as it was" raizn set $VOLUME speed_min=10M speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# A drive is pulled out of an array that nobody uses.
vanished()
{
	local before one

	before=$(sums)
	one=$(json '.members[4].device' | sed 's,.*/,,')
	echo >"$GROUP/$one/unplug"
	shows "status: the drive is gone" \
		'the drive of member 4 is gone' raizn status $VOLUME
	shows "status: advice" "action: the array notices .*'raizn fail ops 4' tells it now" \
		raizn status $VOLUME
	check "the array has not noticed" letters_are AAAAA
	shows "the monitor sees it" \
		'ops: member 4 \(.*\) is called failed now, its drive is gone' \
		raizn monitor --once --program "$TMP/program"
	check "the array goes on without it" letters_are AAAAF
	check "let go of it" raizn remove $VOLUME 4
	check "the drive is back" eval "echo 1 >$GROUP/$one/power"
	check "take it back" raizn add $VOLUME "/dev/$one"
	rebuild_ends
	check "the array is whole" whole

	raizn monitor --program "$TMP/program" >"$TMP/monitor" 2>&1 &
	MONITOR=$!
	at_exit "kill $MONITOR"
	sleep 1
	echo >"$GROUP/$one/unplug"
	check "a monitor that waits sees it, too" await 30 letters_are AAAAF ||
		rig_show "$TMP/monitor"
	check "and says so" await 30 grep -q \
		'ops: member 4 (.*) is called failed now, its drive is gone' \
		"$TMP/monitor" ||
		rig_show "$TMP/monitor"
	kill $MONITOR
	check "let go of it" raizn remove $VOLUME 4
	check "the drive is back" eval "echo 1 >$GROUP/$one/power"
	check "take it back" raizn add $VOLUME "/dev/$one"
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# zones_in_part DRIVE: how many it holds in part behind its logs
zones_in_part()
{
	blkzone report -o $((5 * 4096)) "/dev/$1" | grep -vc '(fu)\|(em)'
}

# A new drive that allows more active zones than the others has many rebuilt at once, and
# users have all of theirs.
larger_limits()
{
	local before zone errors

	for zone in 4 5 6; do
		check "zone $zone is full" dd if="$TMP/data" of=$DEV bs=256k \
			count=24 status=none conv=notrunc \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512))
	done
	before=$(sums)
	check "a drive with larger limits" drive op13 max_open=18 max_active=18
	check "slowly" raizn set $VOLUME speed_max=64K
	check "replace a member that works" raizn replace $VOLUME 0 /dev/op13 \
		--force
	check "it is being rebuilt" await 30 letters_are RAAAA
	errors=$(json '[.members[].write_errors]|add')
	check "four zones at once" await 60 eval '[ "$(zones_in_part op13)" -ge 4 ]'
	for zone in 7 8 9 10 11 12 13 14; do
		check "a user writes zone $zone" dd if="$TMP/data" of=$DEV bs=68k \
			count=1 status=none conv=notrunc,fsync \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512))
	done
	check_equal "no write failed" "$(json '[.members[].write_errors]|add')" "$errors"
	check "stop" raizn stop $VOLUME
	check_true "four zones are not whole yet" "$(zones_in_part op13) >= 12"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "all of them go on" await 60 eval '[ "$(zones_in_part op13)" -ge 12 ]'
	check "suspend and resume" eval "dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
	check "they do so again" await 60 eval '[ "$(zones_in_part op13)" -ge 12 ]'
	check "faster" raizn set $VOLUME speed_max=256K
	check "some are whole" await 90 json_is '.degraded_zones <= 3' true
	check "two of the others are reset" blkzone reset -o $((4 * ZONE)) -c 2 $DEV
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "no write has failed" "$(json '[.members[].write_errors]|add')" 0
	check "what was written meanwhile goes" blkzone reset -o $((7 * ZONE)) -c 8 $DEV
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# is_data ZONE: it holds the data, to its end
is_data()
{
	dd if=$DEV bs=256k count=24 iflag=direct,skip_bytes status=none \
		skip=$(($1 * ZONE * 512)) | cmp - "$TMP/data"
}

# A new drive whose zones hold more than those of the others: full ones are not full there
# before they are finished.
larger_zones()
{
	local before zone old one errors

	before=$(sums)
	old=$(json '.members[0].device')
	one=$(json '.members[1].device')
	check "zones are empty" blkzone reset -o $((4 * ZONE)) -c 15 $DEV
	check "zone 4 is written" dd if="$TMP/data" of=$DEV bs=68k count=1 \
		status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((4 * ZONE * 512))
	check "and finished" blkzone finish -o $((4 * ZONE)) -c 1 $DEV
	check "a drive whose zones hold more" drive op18 zone_capacity_kib=1804
	check "replace a member that works" raizn replace $VOLUME 0 /dev/op18 \
		--force
	rebuild_ends
	check "the array is whole" whole
	check_equal "the zone that is not full is active there" "$(zones_in_part op18)" 1
	errors=$(json '[.members[].write_errors]|add')
	# More of them than drives let be active.
	for zone in 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
		check "zone $zone is filled" dd if="$TMP/data" of=$DEV bs=256k \
			count=24 status=none conv=notrunc \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512))
	done
	check_equal "none of them is active there" "$(zones_in_part op18)" 1
	check_equal "no write failed" "$(json '[.members[].write_errors]|add')" "$errors"
	check "stop" raizn stop $VOLUME
	check "nothing is left to do" raizn check $VOLUME
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	check "another member fails" raizn fail $VOLUME 1 --force
	check_equal "data are right" "$(sums)" "$before"
	check "of the new zones, too" eval "is_data 5 && is_data 11 && is_data 18"
	check "zone 18 is reset" blkzone reset -o $((18 * ZONE)) -c 1 $DEV
	check "and filled without the member" dd if="$TMP/data" of=$DEV bs=256k \
		count=24 status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((18 * ZONE * 512))
	check "the member is back" raizn add $VOLUME "$one"
	rebuild_ends
	check "the array is whole" whole
	check "zones are reset" blkzone reset -o $((4 * ZONE)) -c 14 $DEV
	check "a drive like the others in its place" raizn replace $VOLUME 0 "$old" \
		--force
	rebuild_ends
	check "the array is whole" whole
	check "data are right" is_data 18
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "what was written meanwhile goes" blkzone reset -o $((18 * ZONE)) -c 1 $DEV
}

# A member is back that lacks something of all zones that users have active. They finish
# these and open others: together that is more than its drive allows.
many_active()
{
	local before one zone errors

	before=$(sums)
	one=$(json '.members[2].device')
	# With zone 3 users have all of theirs active.
	for zone in 4 5 6 7 8 9 10 11; do
		check "zone $zone is active" dd if="$TMP/data" of=$DEV bs=68k \
			count=1 status=none conv=notrunc,fsync \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512))
	done
	check "slowly" raizn set $VOLUME speed_max=64K
	check "a member fails" raizn fail $VOLUME 2 --force
	for zone in 4 5 6 7 8 9 10 11; do
		check "zone $zone goes on without it" dd if="$TMP/data" of=$DEV \
			bs=1028k count=1 status=none conv=notrunc,fsync \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512 + 69632))
	done
	check "the member is back" raizn add $VOLUME "$one"
	check "it is being rebuilt" await 30 letters_are AARAA
	errors=$(json '[.members[].write_errors]|add')
	check "zones are finished" blkzone finish -o $((5 * ZONE)) -c 7 $DEV
	for zone in 12 13 14 15 16 17 18; do
		check "zone $zone is written instead" dd if="$TMP/data" of=$DEV \
			bs=68k count=1 status=none conv=notrunc,fsync \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512))
	done
	check_equal "no write failed" "$(json '[.members[].write_errors]|add')" "$errors"
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "no write has failed" "$(json '[.members[].write_errors]|add')" "$errors"
	check "parity is right" raizn scrub $VOLUME --wait
	check "what was written meanwhile goes" blkzone reset -o $((4 * ZONE)) -c 15 $DEV
	check_equal "data are right" "$(sums)" "$before"
}

# Zones that are full, on all drives, as they know themselves at this moment.
nr_full()
{
	cat $GROUP/*/zones | grep -c ' FULL '
}

latency()
{
	local file
	for file in $GROUP/*/latency_us; do
		echo "$1" >"$file" || return 1
	done
}

is_full()
{
	blkzone report -o $(($1 * ZONE)) -c 1 $DEV | grep -q '(fu)'
}

# Who hears that a zone is finished may rely on it, also if another one has filled it, or
# finished it, at this moment.
finishes()
{
	local before what

	check "zone 4 has some room left" dd if="$TMP/data" of=$DEV bs=256k \
		count=23 status=none conv=notrunc \
		oflag=direct,seek_bytes seek=$((4 * ZONE * 512))
	check "zone 5 is written" dd if="$TMP/data" of=$DEV bs=68k count=1 \
		status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((5 * ZONE * 512))
	for what in write finish; do
		before=$(nr_full)
		check "drives are slow" latency 300000
		if [ $what = write ]; then
			set -- 4 dd if="$TMP/data" of=$DEV bs=256k count=1 \
				status=none conv=notrunc oflag=direct,seek_bytes \
				seek=$((4 * ZONE * 512 + 23 * 262144))
		else
			set -- 5 blkzone finish -o $((5 * ZONE)) -c 1 $DEV
		fi
		"${@:2}" &
		check "a $what is under way" await 10 is_full "$1"
		check "zone $1 is finished" blkzone finish -f -o $(($1 * ZONE)) -c 1 $DEV
		check_equal "it is full on all members" "$(nr_full)" $((before + 5))
		check "drives are fast" latency 0
		check "the $what succeeds" wait $!
	done
	check "zones 4 and 5 are reset" blkzone reset -o $((4 * ZONE)) -c 2 $DEV
}

# Memory that does not begin at a block: what is made of it for the members does.
misaligned()
{
	local errors unit

	cat >"$TMP/misaligned.py" <<-'PYTHON'
		import mmap, os, sys
		device, offset, name, nr = sys.argv[1:]
		fd = os.open(device, os.O_RDWR | os.O_DIRECT)
		data = open(name, "rb").read(int(nr))
		memory = mmap.mmap(-1, len(data) + 4096)
		memory[512:512 + len(data)] = data
		pieces = memoryview(memory)[512:512 + len(data)]
		at = os.pwrite(fd, pieces[:4096], int(offset))
		while at < len(data):
		    at += os.pwrite(fd, pieces[at:], int(offset) + at)
	PYTHON
	errors=$(json '[.members[].write_errors]|add')
	check "a write from memory between blocks" python3 "$TMP/misaligned.py" $DEV \
		$((4 * ZONE * 512)) "$TMP/data" 6291456
	check "it is what was written" is_data 4
	check_equal "no write failed" "$(json '[.members[].write_errors]|add')" "$errors"
	check "the array is whole" whole
	check "zone 4 is reset" blkzone reset -o $((4 * ZONE)) -c 1 $DEV
	for unit in 4K 8K; do
		check "drives" eval 'for i in 0 1 2 3 4; do drive mis$i; done'
		check "an array of $unit" raizn create mis /dev/mis{0..4} \
			--stripe-unit $unit
		dmsetup mknodes mis
		check "a write from memory between blocks" python3 \
			"$TMP/misaligned.py" /dev/mapper/mis 0 "$TMP/data" 6291456
		check "it is what was written" cmp -n 6291456 "$TMP/data" /dev/mapper/mis
		check_equal "nothing failed" "$(raizn status mis --json |
			jq -c '.arrays[0]|[.state,([.members[].write_errors]|add)]')" \
			'["active",0]'
		check "stop" raizn stop mis
		rmdir $GROUP/mis?
	done
}

# Zone 4 has some room left, and something wrong near its end.
wrong_at_the_end()
{
	check "zone 4 has some room left" dd if="$TMP/data" of=$DEV bs=256k \
		count=23 status=none conv=notrunc,fsync \
		oflag=direct,seek_bytes seek=$((4 * ZONE * 512))
	check "something near its end changes silently" eval \
		"echo $(($(zone_at "$1" 4) + 80 * 32)) 8 >$GROUP/$1/flip"
}

scrub_has_found_it()
{
	check "the scrub ends" await 60 json_is .operation.kind idle
	check_equal "it has found what is wrong" "$(json .mismatches)" 1
	check "zone 4 is reset" blkzone reset -o $((4 * ZONE)) -c 1 $DEV
}

# A zone that is being finished is looked at all the same, to its end.
scrub_meets_finish()
{
	local one

	one=$(json '.members[0].device' | sed 's,.*/,,')
	wrong_at_the_end "$one"
	check "slowly" raizn set $VOLUME speed_max=256K
	check "scrub" raizn scrub $VOLUME --from 4
	check "it is at zone 4" await 30 scrub_is_at 4
	check "which is finished" blkzone finish -o $((4 * ZONE)) -c 1 $DEV
	check "at full speed" raizn set $VOLUME speed_max=0
	scrub_has_found_it

	wrong_at_the_end "$one"
	check "drives are slow" latency 300000
	blkzone finish -o $((4 * ZONE)) -c 1 $DEV &
	check "a finish is under way" await 10 is_full 4
	check "scrub" dmsetup message $VOLUME 0 scrub check 4
	check "drives are fast" latency 0
	check "the finish succeeds" wait $!
	scrub_has_found_it
}

# ---- all of it ----------------------------------------------------------------

load_module || exit 1
load_zonesim || exit 1
mkdir $GROUP
at_exit drives_off
at_exit "raizn stop $VOLUME || dmsetup remove --force $VOLUME"
dd if=/dev/urandom of="$TMP/data" bs=1M count=6 status=none
check "drives" eval 'for i in 0 1 2 3 4; do drive op$i; done'
check "spare drives, one of them larger" eval 'drive op5 nr_zones=32 && drive op6'
check "data on the larger one" dd if="$TMP/data" of=/dev/op5 bs=64k count=1 \
	oflag=direct
check "an array" raizn create $VOLUME /dev/op{0..4} --stripe-unit 16K \
	--spare-zones 4
dmsetup mknodes $VOLUME
ZONE=$(cat "/sys/block/$(sysfs_name $DEV)/queue/chunk_sectors")
CAPACITY=12288		# sectors of a zone that can be written
for zone in 0 1 2 3; do
	dd if="$TMP/data" of=$DEV bs=256k status=none conv=notrunc \
		count=$((zone == 3 ? 7 : 24)) oflag=direct,seek_bytes \
		seek=$((zone * ZONE * 512))
done
: >"$TMP/zones"
cat >"$TMP/program" <<PROGRAM
#!/bin/sh
echo \$* \$RAIZN_ARRAY \$RAIZN_WHAT \$RAIZN_SLOT \$RAIZN_DEVICE \$RAIZN_OLD \$RAIZN_NEW \$RAIZN_STATE >>$TMP/told
PROGRAM
chmod +x "$TMP/program"
: >"$TMP/told"
# A drive that can be read and not written is met by a start.
start_fault()
{
	local before

	before=$(sums)
	check "stop" raizn stop $VOLUME
	check "a drive fails" eval "echo write,append,reset,finish,flush 1 \
		times=100000 status=ioerr >$GROUP/op1/fault"
	shows "the array starts without it" \
		'the drive of slot 1 failed during the start' raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "it is failed" letters_are AFAAA
	check_equal "data are right" "$(sums)" "$before"
	check "a new cable" eval "echo clear >$GROUP/op1/fault"
	shows "take it back" '/dev/op1 is back in slot 1' \
		raizn add $VOLUME /dev/op1
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
}

# zone_in_part DRIVE: the first zone behind its logs that is neither empty nor full: its start
zone_in_part()
{
	blkzone report -o $((5 * 4096)) "/dev/$1" | grep -v '(fu)\|(em)' |
		sed -n 's/^ *start: \(0x[0-9a-f]*\).*/\1/p' | grep -m 1 .
}

# The drive finishes the very zone that is being written anew.
finished_in_rebuild()
{
	local before at

	before=$(sums)
	check "slowly" raizn set $VOLUME speed_max=256K
	check "the drive of before, emptied" blkzone reset /dev/op0
	check "replace a member that works" raizn replace $VOLUME 0 /dev/op0 \
		--force
	check "it is being rebuilt" await 30 letters_are RAAAA
	check "one of its zones is written in part" await 30 \
		eval 'at=$(zone_in_part op0)'
	check "the drive finishes that" eval \
		"echo $((at / 4096)) full >$GROUP/op0/zone_cond"
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# The drive finishes a zone of a member that is not whole while the array is stopped.
finished_while_stopped()
{
	local before at

	before=$(sums)
	check "slowly" raizn set $VOLUME speed_max=256K
	check "the drive of before, emptied" blkzone reset /dev/op6
	check "replace a member that works" raizn replace $VOLUME 0 /dev/op6 \
		--force
	check "it is being rebuilt" await 30 letters_are RAAAA
	check "one zone is whole" await 30 json_is '.degraded_zones < 4' true
	for try in 1 2 3 4 5; do
		check "another one is written in part" await 30 zone_in_part op6
		check "stop" raizn stop $VOLUME
		at=$(zone_in_part op6)
		# It may have become full while the array was stopped.
		[ -z "$at" ] || break
		check "start" raizn start $VOLUME
	done
	check_true "one is" "${at:-0} > 0"
	check "the drive finishes that" blkzone finish -o "$at" -c 1 /dev/op6
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "data are right" "$(sums)" "$before"
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# A start without a member, after a power cut, believes nobody who comes back of zones
# that may have been cut short.  Who takes its place is believed at the next start.
believed()
{
	local before one zone

	one=$(json '.members[2].device')
	check "a zone that is not full" eval "blkzone reset -o $((3 * ZONE)) -c 1 $DEV &&
		dd if=$TMP/data of=$DEV bs=256k status=none conv=notrunc \
			count=7 oflag=direct,seek_bytes seek=$((3 * ZONE * 512))"
	check "all is durable" sync $DEV
	before=$(sums)
	check "slowly" raizn set $VOLUME speed_max=64K
	check "a member fails" raizn fail $VOLUME 2 --force
	check "the power is off" eval "echo 0 >$GROUP/power"
	check "the array ends" dmsetup remove --retry $VOLUME
	check "it is on again" eval "echo 1 >$GROUP/power"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "a drive in its place" eval \
		"blkzone reset $one && raizn add $VOLUME $one"
	check "it is being rebuilt" await 30 letters_are AARAA
	check "a zone is whole" await 60 json_is '.degraded_zones' 3
	check_equal "it is the one that is not full" \
		"$(written_at "${one#/dev/}" 3)" 896
	for zone in 0 1 2; do
		check_true "zone $zone is not" \
			"$(written_at "${one#/dev/}" $zone) < 3072"
	done
	check "stop" raizn stop $VOLUME
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_true "what was rebuilt counts" "$(json .degraded_zones) <= 3"
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
}

# zone_at DRIVE ZONE: first sector of the drive's zone that holds a zone of the volume
zone_at()
{
	raizn inspect "/dev/$1" zones --json |
		jq ".zones[] | select(.logical_zone == $2).zone * 4096"
}

# written_at DRIVE ZONE: sectors written there
written_at()
{
	raizn inspect "/dev/$1" zones --json |
		jq ".zones[] | select(.logical_zone == $2).written_sectors"
}

# Two drives can not read some sectors of the same stripes, but nowhere in the same rows:
# each has what the other needs.
bad_sectors()
{
	local one another first second stripe before

	before=$(sums)
	one=$(json '.members[1].device' | sed 's,.*/,,')
	another=$(json '.members[2].device' | sed 's,.*/,,')
	first=$(zone_at "$one" 1)
	second=$(zone_at "$another" 1)
	check "a drive can not read some sectors, nor can another" eval '
		for stripe in 0 1 2 3 4; do
			echo "$((first + 32 * stripe)) 8" >$GROUP/$one/bad_sectors &&
			echo "$((second + 32 * stripe + 16)) 8" >$GROUP/$another/bad_sectors ||
				break
		done'
	check "scrub" raizn scrub $VOLUME --wait
	check "both are healed" await 60 json_is \
		'[.operation.kind,.members[1].healed>0,.members[2].healed>0]' \
		'["idle",true,true]'
	check "the array is whole" whole
	check "that took few errors" json_is \
		'[.members[].read_errors]|add<=4' true
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "no drive fails to read now" json_is \
		'[.members[].read_errors]|add<=4' true
	check "stop" raizn stop $VOLUME
	check "good sectors again" eval "echo clear >$GROUP/$one/bad_sectors &&
		echo clear >$GROUP/$another/bad_sectors"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
}

# The same, and users read before anything of it is healed.
bad_rows()
{
	local before one another first second

	before=$(sums)
	one=$(json '.members[1].device' | sed 's,.*/,,')
	another=$(json '.members[2].device' | sed 's,.*/,,')
	first=$(zone_at "$one" 1)
	second=$(zone_at "$another" 1)
	check "a drive can not read some sectors, nor can another" eval '
		for stripe in 0 1 2 3 4; do
			echo "$((first + 32 * stripe)) 8" >$GROUP/$one/bad_sectors &&
			echo "$((second + 32 * stripe + 16)) 8" >$GROUP/$another/bad_sectors ||
				break
		done'
	check_equal "data are right" "$(sums)" "$before"
	check "both are healed" await 60 json_is \
		'[.operation.kind,.members[1].healed>0,.members[2].healed>0]' \
		'["idle",true,true]'
	check "stop" raizn stop $VOLUME
	check "good sectors again" eval "echo clear >$GROUP/$one/bad_sectors &&
		echo clear >$GROUP/$another/bad_sectors"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "parity is right" raizn scrub $VOLUME --wait
}

# A zone that lacks a column is reset, and another drive's part of it fails just then.
reset_of_degraded()
{
	local before one other bad

	other=$(json '.members[1].device')
	one=$(json '.members[3].device' | sed 's,.*/,,')
	check "some stripes" dd if="$TMP/data" of=$DEV bs=256k count=5 status=none \
		conv=notrunc oflag=direct,seek_bytes seek=$((9 * ZONE * 512))
	before=$(sums)
	check "a drive fails" raizn fail $VOLUME 1 --force
	bad=$(($(zone_at "$one" 9) / 4096))
	echo "$bad readonly" >$GROUP/$one/zone_cond
	check "reset" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
	check "the array goes on" json_is .state degraded
	check "the other drive has another zone for it" \
		await 30 json_is '.members[3].healed>0' true
	check "the zone is written again" dd if="$TMP/data" of=$DEV bs=256k \
		count=3 status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((9 * ZONE * 512))
	check "what was written is there" eval "dd if=$DEV bs=256k count=3 \
		status=none iflag=direct,skip_bytes skip=$((9 * ZONE * 512)) |
		cmp -n $((3 * 262144)) - $TMP/data"
	check "the first one is back" raizn add $VOLUME "$other"
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "the bad zone works again" eval \
		'echo "$bad empty" >$GROUP/$one/zone_cond'
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "it is reset for the next" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
}

# Of a zone, two stripes and three units of the next one.
write_tail()
{
	check "stripes and some units" dd if="$TMP/data" of=$DEV bs=16k count=11 \
		status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((9 * ZONE * 512))
}

# with_tail: members that have a unit of these
with_tail()
{
	local n

	for n in 0 1 2 3 4; do
		[ "$(written_at "$(json ".members[$n].device" | sed 's,.*/,,')" \
			9)" = 96 ] && echo $n
	done
}

# unreadable FROM END: how many of these blocks of the zone can not be read?
# What can be read is right, or the answer is "wrong".
unreadable()
{
	local block nr=0

	for ((block = $1; block < $2; block++)); do
		if ! dd if=$DEV of="$TMP/block" bs=4k count=1 status=none \
			iflag=direct,skip_bytes 2>"$TMP/err" \
			skip=$((9 * ZONE * 512 + block * 4096)); then
			((++nr))
		elif ! cmp -s -n 4096 -i 0:$((block * 4096)) "$TMP/block" \
			"$TMP/data"; then
			echo wrong
			return
		fi
	done
	echo $nr
}

# bad_blocks NAME SECTOR...: blocks of its part of the zone that a drive can not read
bad_blocks()
{
	local name=$1 at sector
	at=$(zone_at "$name" 9)
	shift

	for sector; do
		echo "$((at + sector)) 8" >"$GROUP/$name/bad_sectors" || return 1
	done
}

# good_blocks NAME...: all can be read again
good_blocks()
{
	local name

	for name; do
		echo clear >"$GROUP/$name/bad_sectors" || return 1
	done
}

# tail_is_right BLOCKS: nothing is missing, and the zone is free for the next part
tail_is_right()
{
	check "the array is whole" await 30 whole
	check_equal "all can be read" "$(unreadable 0 "$1")" 0
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "it is reset for the next" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
}

# A drive fails, and another one can not read what it takes to compute the last of its data.
tail_lost()
{
	local before one other
	local -a members

	write_tail
	before=$(sums)
	mapfile -t members < <(with_tail)
	check_equal "so many have a part of the incomplete stripe" ${#members[@]} 3
	one=$(json ".members[${members[0]}].device" | sed 's,.*/,,')
	other=$(json ".members[${members[2]}].device")
	check "a drive can not read a block of it" bad_blocks "$one" 72
	check "another drive fails" raizn fail $VOLUME "${members[2]}" --force
	check "the array goes on" json_is .state degraded
	check_equal "two blocks can not be read" "$(unreadable 0 44)" 2
	check "the zone goes on" eval "dd if=$TMP/data bs=16k skip=11 count=9 \
		status=none | dd of=$DEV bs=16k iflag=fullblock status=none \
		conv=notrunc oflag=direct,seek_bytes \
		seek=$((9 * ZONE * 512 + 11 * 16384))"
	check_equal "they still can not" "$(unreadable 0 80)" 2
	check "the block can be read again" good_blocks "$one"
	check_equal "and so can all" "$(unreadable 0 80)" 0
	check "the drive is back" raizn add $VOLUME "$other"
	rebuild_ends
	tail_is_right 80
}

# A drive that has no free zone can not read some sectors: it takes all others to know
# what is in them.
needed()
{
	local before free n errors
	local -a members names

	write_tail
	before=$(sums)
	errors=$(json '[.members[].read_errors]|add')
	mapfile -t members < <(with_tail)
	for n in 0 1 2; do
		names[n]=$(json ".members[${members[n]}].device" | sed 's,.*/,,')
	done
	free=$(free_zones "${names[0]}")
	check "a drive has no free zones" zones_turn "${names[0]}" readonly \
		$free
	check "it can not read two blocks" bad_blocks "${names[0]}" 8 40
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check "that was seen" await 30 json_is \
		"[.operation.kind,.members[${members[0]}].read_errors>0]" '["idle",true]'
	refused "another drive can not be spared" 1 'can not be spared' \
		raizn fail $VOLUME "${members[1]}" --force
	check "the volume is suspended and resumed" eval \
		"dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
	refused "it still can not" 1 'can not be spared' \
		raizn fail $VOLUME "${members[1]}" --force
	check "that can not read two others" bad_blocks "${names[1]}" 16 48
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check "they are healed" await 30 json_is \
		"[.operation.kind,.members[${members[1]}].healed>0]" '["idle",true]'
	check "a third one can not read a block of the incomplete stripe" \
		bad_blocks "${names[2]}" 72
	check_equal "that block is an error" "$(unreadable 0 44)" 1
	check "it is healed, too, and no column was given up for it" \
		await 30 json_is "[.state,.operation.kind,
			.members[${members[2]}].healed>0]" '["active","idle",true]'
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check_equal "all errors are counted, once" \
		$(($(json '[.members[].read_errors]|add') - errors)) 3
	check "another drive is given up all the same" \
		raizn fail $VOLUME "${members[1]}" --lose --force
	check "that costs blocks of the two drives" \
		eval '[[ "$(unreadable 0 44)" = [234] ]]'
	check "it is back" raizn add $VOLUME "/dev/${names[1]}"
	# These blocks are needed to compute what it lacks.
	timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
	check "good sectors again" good_blocks "${names[@]}"
	check "the free zones work again" zones_turn "${names[0]}" empty \
		$free
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	tail_is_right 44
}

# A drive fails while another one's sectors are waiting to be written anew: the first one
# is not needed for more than it holds.
pending_heal()
{
	local before one
	local -a members

	write_tail
	before=$(sums)
	mapfile -t members < <(with_tail)
	one=$(json ".members[${members[0]}].device" | sed 's,.*/,,')
	check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
	check "a drive can not read two blocks" bad_blocks "$one" 8 40
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check "it is to be healed" await 30 json_is \
		".members[${members[0]}].read_errors>0" true
	refused "another drive can not be spared" 1 'can not be spared' \
		raizn fail $VOLUME "${members[1]}" --force
	check "it is given up all the same" \
		raizn fail $VOLUME "${members[1]}" --lose --force
	check "a new drive" drive op14
	check "replace" raizn replace $VOLUME "${members[1]}" /dev/op14 --force
	check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
	timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
	check_equal "it can not be rebuilt: exit code" $? 1
	check "it can be given up again" raizn fail $VOLUME "${members[1]}" --force
	check "good sectors again" good_blocks "$one"
	check "it is back" raizn add $VOLUME /dev/op14
	rebuild_ends
	tail_is_right 44
}

# Drives can not read parts of the incomplete stripe that the start needs.
unreadable_end()
{
	local before one another other
	local -a members

	write_tail
	before=$(sums)
	mapfile -t members < <(with_tail)
	one=$(json ".members[${members[0]}].device" | sed 's,.*/,,')
	another=$(json ".members[${members[1]}].device" | sed 's,.*/,,')
	other=$(json ".members[${members[2]}].device")
	check "stop" raizn stop $VOLUME
	check "a drive can not read a block of the end" bad_blocks "$one" 72
	check "nor another one, in another row" bad_blocks "$another" 80
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check "both are healed" await 30 json_is "[.state,.operation.kind,
		.members[${members[0]}].healed>0,.members[${members[1]}].healed>0]" \
		'["active","idle",true,true]'
	check_equal "all can be read" "$(unreadable 0 44)" 0
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "another drive fails" raizn fail $VOLUME "${members[2]}" --force
	check_equal "all can be read without it" "$(unreadable 0 44)" 0
	check "stop" raizn stop $VOLUME
	check "the first one can not read a block where it is now" \
		bad_blocks "$one" 72
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "data are right" "$(sums)" "$before"
	check_equal "that block can not be read, nor the other one of its row" \
		"$(unreadable 0 44)" 2
	check "good sectors again" good_blocks "$one" "$another"
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check_equal "nothing was lost with that" "$(unreadable 0 44)" 0
	check "the drive is back" raizn add $VOLUME "$other"
	rebuild_ends
	tail_is_right 44
}

# Of two units of the incomplete stripe one is on a drive that failed, and the other can not
# be read: the first one was logged before there was a second.
older_record()
{
	local before one other n

	for n in 9 10; do
		check "$n units" eval "dd if=$TMP/data bs=16k skip=$((n == 9 ? 0 : 9)) \
			count=$((n == 9 ? 9 : 1)) status=none | dd of=$DEV bs=16k \
			iflag=fullblock status=none conv=notrunc \
			oflag=direct,seek_bytes \
			seek=$((9 * ZONE * 512 + (n == 9 ? 0 : 9) * 16384))"
		check "all is durable" sync $DEV
		[ $n = 9 ] && other=$(with_tail)
	done
	before=$(sums)
	one=$(with_tail | grep -vx "$other")
	one=$(json ".members[$one].device" | sed 's,.*/,,')
	check "the drive with the first one fails" raizn fail $VOLUME "$other" --force
	other=$(json ".members[$other].device")
	check "stop" raizn stop $VOLUME
	check "the other one can not read a block" bad_blocks "$one" 72
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "that block can not be read, and all others can" \
		"$(unreadable 0 40)" 1
	check "good sectors again" good_blocks "$one"
	check_equal "all can be read" "$(unreadable 0 40)" 0
	check "the drive is back" raizn add $VOLUME "$other"
	rebuild_ends
	tail_is_right 40
}

# put SKIP FIRST NR: so many stripe units of a zone, from the data SKIP units further on
put()
{
	dd if="$TMP/data" bs=16k skip=$(($2 + $1)) count="$3" status=none |
		dd of=$DEV bs=16k iflag=fullblock status=none conv=notrunc \
			oflag=direct,seek_bytes seek=$((9 * ZONE * 512 + $2 * 16384))
}

# holds SKIP FIRST NR: what put() has written
holds()
{
	cmp <(dd if="$TMP/data" bs=16k skip=$(($2 + $1)) count="$3" status=none) \
		<(dd if=$DEV bs=16k skip=$((9 * ZONE / 32 + $2)) count="$3" \
			status=none iflag=direct)
}

# put_anew SKIP: in the zone's next life
put_anew()
{
	check "a reset" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
	check "data" put "$1" 0 320
}

# zone_is CONDITION: what became of the zone at $at of the drive $one
zone_is()
{
	check "that zone of $one turns $1" eval \
		"echo $((at / 4096)) $1 >$GROUP/$one/zone_cond"
}

# free_zones_are CONDITION: what became of the zones $free of the drive $one
free_zones_are()
{
	check "free zones of $one turn $1" zones_turn "$one" $1 \
		$free
}

# power_cut: what was not flushed is lost
power_cut()
{
	local keep

	keep=$(cat $GROUP/keep)
	check "the power is off" eval \
		"echo none >$GROUP/keep && echo 0 >$GROUP/power"
	check "the array ends" dmsetup remove --retry $VOLUME
	check "it is on again" eval \
		"echo $keep >$GROUP/keep && echo 1 >$GROUP/power"
}

# A drive is back while a zone of it can not be used, and still has what was there before a
# reset that did not reach it: when the drive was away, or when it was back.  Nobody
# believes that when the zone is good again.
back_unusable()
{
	local one at free reset

	one=$(json '.members[1].device' | sed 's,.*/,,')
	check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
	for reset in away back; do
		at=$(zone_at "$one" 9)
		free=$(free_zones "$one")
		put_anew 1
		check "a drive fails" raizn fail $VOLUME 1 --force
		[ $reset = away ] && put_anew 0
		zone_is readonly
		# For an empty zone there would be another one at once.
		[ $reset = back ] && free_zones_are offline
		check "the drive is back" raizn add $VOLUME "/dev/$one"
		[ $reset = back ] && put_anew 0
		check "a column is missing" json_is '.degraded_zones > 0' true
		check "stop" raizn stop $VOLUME
		zone_is closed
		check "start" raizn start $VOLUME
		dmsetup mknodes $VOLUME
		check "data are right" holds 0 0 320
		check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
		rebuild_ends
		check "the array is whole" await 30 whole
		check "data are still right" holds 0 0 320
		check "parity is right" raizn scrub $VOLUME --wait
		check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
	done
	check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
	free_zones_are empty
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" await 30 whole
	check "it is reset for the next" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
}

# The same with a drive that holds more than the others after a power cut.
back_beyond()
{
	local one other at

	one=$(json '.members[1].device' | sed 's,.*/,,')
	other=$(json '.members[0].device' | sed 's,.*/,,')
	at=$(zone_at "$one" 9)
	check "a reset" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
	check "data" put 1 0 120
	check "a drive fails" raizn fail $VOLUME 1 --force
	check "another zone goes on" eval "blkzone reset -o $((10 * ZONE)) -c 1 $DEV &&
		dd if=$TMP/data of=$DEV bs=64k count=80 status=none conv=notrunc \
			oflag=direct,seek_bytes seek=$((10 * ZONE * 512))"
	check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
	check "it is back" raizn add $VOLUME "/dev/$one"
	check "it is being rebuilt" letters_are ARAAA
	check "all is durable" sync $DEV
	check "more data" put 1 120 120
	check "durable on this drive" sync "/dev/$one"
	power_cut
	check_true "it has more than the others" \
		"$(written_at "$one" 9) > $(written_at "$other" 9)"
	zone_is readonly
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "other data in its place" put 0 120 200
	check "it is being rebuilt" letters_are ARAAA
	check "stop" raizn stop $VOLUME
	zone_is closed
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "data are right" holds 0 120 200
	check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
	rebuild_ends
	check "the array is whole" await 30 whole
	check "data are still right" holds 0 120 200
	check "parity is right" raizn scrub $VOLUME --wait
	check "both are reset for the next" blkzone reset -o $((9 * ZONE)) -c 2 $DEV
}

# A zone that is given up by a reset, which does not reach a drive's part of it: that counts
# no more when it can be had again.
damaged_unusable()
{
	local one other at free

	put_anew 1
	one=$(json '.members[3].device' | sed 's,.*/,,')
	at=$(zone_at "$one" 9)
	free=$(free_zones "$one")
	other=$(json '.members[1].device')
	check "a drive fails" raizn fail $VOLUME 1 --force
	check "stop" raizn stop $VOLUME
	zone_is offline
	free_zones_are offline
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	shows "a zone is damaged" '1 zone lost more than parity' raizn status $VOLUME
	check "it is given up" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
	check "the other drive is back" raizn add $VOLUME "$other"
	timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
	check "other data" await 60 put 0 0 320
	check "stop" raizn stop $VOLUME
	zone_is closed
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check "data are right" holds 0 0 320
	free_zones_are empty
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	rebuild_ends
	check "the array is whole" await 30 whole
	check "data are still right" holds 0 0 320
	check "parity is right" raizn scrub $VOLUME --wait
	check "it is reset for the next" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
}

# flip NAME SECTOR...: they change silently in its part of the zone, or change back
flip()
{
	local name=$1 at sector
	at=$(zone_at "$name" 9)
	shift

	for sector; do
		check "sector $sector of $name changes silently" eval \
			"echo $((at + sector)) 1 >$GROUP/$name/flip"
	done
}

# After a power cut a column has to be moved, of which the drive can not read some blocks,
# of data and parity; other sectors of the same units stay as they are, also where data and
# parity contradict each other.
unreadable_debris()
{
	local one name at n
	local -a names

	for n in 0 1 2 3 4; do
		names[n]=$(json ".members[$n].device" | sed 's,.*/,,')
	done
	check "a reset" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
	check "data, and a unit" put 0 0 321
	for n in 0 1 2 3 4; do
		(($(written_at "${names[n]}" 9) <= 2560)) || one=$n
	done
	put_anew 0
	for n in 1 2 3 4; do
		check "all is durable" sync $DEV
		power_cut
		name=${names[(one + n) % 5]}
		at=$(zone_at "$name" 9)
		check "$name has more than the others" dd if="$TMP/data" bs=16k count=1 \
			of="/dev/$name" status=none conv=notrunc \
			oflag=direct,seek_bytes seek=$(((at + 2560) * 512))
		check "and can not read a block of each stripe" \
			bad_blocks "$name" 8 40 72 104 136 1200
		((n > 1)) || flip "$name" 16 48 80 112 144
		check "start" raizn start $VOLUME
		dmsetup mknodes $VOLUME
		check "the column is elsewhere" test "$(zone_at "$name" 9)" != "$at"
		check "good sectors again" good_blocks "$name"
		check "the array is whole" await 30 whole
		((n > 1)) || {
			check_fails "nothing is covered up" '5 stripes did not match' \
				raizn scrub $VOLUME --wait
			flip "$name" 16 48 80 112 144
			check "that was all" raizn scrub $VOLUME --wait
		}
		check "data are right" holds 0 0 320
	done
	check "parity is right" raizn scrub $VOLUME --wait
	check "it is reset for the next" blkzone reset -o $((9 * ZONE)) -c 1 $DEV
}

# A new drive dies before it is a member: the old one may come back.
stillborn()
{
	local before other

	before=$(sums)
	other=$(json '.members[4].device')
	check "a new drive" drive op15
	check "it does not write" eval \
		'echo "append 1 times=100000 status=ioerr" >$GROUP/op15/fault'
	check_fails "replace" 'see the kernel log' \
		raizn replace $VOLUME 4 /dev/op15 --force
	check "the array goes on" letters_are AAAA-
	shows "the old drive is taken back" 'is (back )?in slot 4' \
		raizn add $VOLUME "$other"
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "the new drive goes" rmdir $GROUP/op15
}

# The end of a zone is on a drive that fails, and its partial parity in a log that another
# drive loses: nobody can tell where the zone ends.
log_lost()
{
	local one other logs zone

	check "two stripes and a unit" dd if="$TMP/data" of=$DEV bs=16k count=9 \
		status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$((9 * ZONE * 512))
	check "all is durable" sync $DEV
	one=$(with_tail)
	other=$(json ".members[$(((one + 4) % 5))].device" | sed 's,.*/,,')
	check "the drive with the unit fails" raizn fail $VOLUME "$one" --force
	one=$(json ".members[$one].device")
	check "stop" raizn stop $VOLUME
	logs=$(raizn inspect "/dev/$other" zones --json |
		jq '.zones[]|select(.role|test("partial-parity"))|.zone')
	check_true "it has one" "${#logs} > 0"
	check "the log is lost" zones_turn "$other" offline $logs
	raizn check $VOLUME >"$TMP/out" 2>&1
	check "check says that it is damaged" grep -q 'zone 9: damaged' "$TMP/out" ||
		rig_show "$TMP/out"
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "what may be there is an error" "$(unreadable 0 36)" 4
	check "the drive is back" raizn add $VOLUME "$one"
	# So may others have had more than is known, and empty ones anything.
	check "what is damaged is given up" eval 'blkzone report $DEV |
		sed -n "s/^ *start: \(0x[0-9a-f]*\),.*(ro).*/\1/p" |
		while read -r zone; do
			blkzone reset -o "$zone" -c 1 $DEV || exit
		done'
	rebuild_ends
	check "the array is whole" whole
	check "the log's zones are good again" zones_turn "$other" empty $logs
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
	check "parity is right" raizn scrub $VOLUME --wait
}

# filled_in_part: a zone of which a drive may finish its part
filled_in_part()
{
	check "a zone with room" eval "blkzone reset -o $((3 * ZONE)) -c 1 $DEV &&
		dd if=$TMP/data of=$DEV bs=256k status=none conv=notrunc \
			count=7 oflag=direct,seek_bytes seek=$((3 * ZONE * 512)) &&
		dd if=$TMP/data of=$DEV bs=4k status=none conv=notrunc skip=448 \
			count=7 oflag=direct,seek_bytes \
			seek=$((3 * ZONE * 512 + 7 * 262144))"
}

# fill_the_rest: what filled_in_part() left
fill_the_rest()
{
	check "the zone is filled" eval "dd if=$TMP/data of=$DEV bs=4k status=none \
			conv=notrunc skip=455 count=9 oflag=direct,seek_bytes \
			seek=$((3 * ZONE * 512 + 455 * 4096)) &&
		dd if=$TMP/data of=$DEV bs=64k status=none conv=notrunc skip=29 \
			count=355 oflag=direct,seek_bytes \
			seek=$((3 * ZONE * 512 + 29 * 65536))"
}

# A drive may finish a zone whenever it likes.  What it holds beyond what was written is
# believed by no start that has all members, which computes it anew before anything else can go wrong.
finished_by_drive()
{
	local one other at before n

	other=$(json '.members[2].device')
	for n in 1 3; do
		check "slowly" raizn set $VOLUME speed_max=64K
		one=$(json ".members[$n].device" | sed 's,.*/,,')
		filled_in_part
		before=$(sums)
		at=$(zone_at $one 3)
		check "stop" raizn stop $VOLUME
		check "$one finishes a zone" blkzone finish -o "$at" -c 1 /dev/$one
		check "start" raizn start $VOLUME
		dmsetup mknodes $VOLUME
		check "the array is whole at once" whole
		check "at full speed" raizn set $VOLUME speed_max=0
		check_equal "data are right" "$(sums)" "$before"
		check "the column is elsewhere" test "$(zone_at $one 3)" != "$at"
		check "parity is right" raizn scrub $VOLUME --wait
		check "another drive fails" raizn fail $VOLUME 2 --force
		check_equal "data are right without it" "$(sums)" "$before"
		check "it is back" raizn add $VOLUME "$other"
		rebuild_ends
		fill_the_rest
		before=$(sums)
		check "another start" eval "raizn stop $VOLUME && raizn start $VOLUME"
		dmsetup mknodes $VOLUME
		check "the array is whole" whole
		check_equal "data are right" "$(sums)" "$before"
		check "parity is right" raizn scrub $VOLUME --wait
	done
}

# The same when the drive has no other zone: what it holds is not believed by the start
# after that either, also when the zone is full by then.
finished_without_room()
{
	local one at before free

	one=$(json '.members[1].device' | sed 's,.*/,,')
	filled_in_part
	check "slowly" raizn set $VOLUME speed_max=64K
	at=$(zone_at "$one" 3)
	free=$(free_zones "$one")
	check "stop" raizn stop $VOLUME
	check "a drive finishes a zone" blkzone finish -o "$at" -c 1 "/dev/$one"
	check "its free zones fail" zones_turn "$one" offline \
		$free
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "a column is missing" "$(json .degraded_zones)" 1
	fill_the_rest
	before=$(sums)
	check_equal "the column is missing still" "$(json .degraded_zones)" 1
	check "stop" raizn stop $VOLUME
	check "start" raizn start $VOLUME
	dmsetup mknodes $VOLUME
	check_equal "data are right" "$(sums)" "$before"
	check_equal "the column is known to be missing" "$(json .degraded_zones)" 1
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check_equal "data are right" "$(sums)" "$before"
	check "parity is right" raizn scrub $VOLUME --wait
	check "the free zones work again" zones_turn "$one" empty \
		$free
	check "a restart" eval "raizn stop $VOLUME && raizn start $VOLUME"
	dmsetup mknodes $VOLUME
	check "the array is whole" whole
}

for part in arguments settings finishes misaligned new_drives failure replaced scrub \
	    repair_without_room scrub_meets_finish \
	    readd damaged rebuilt_counts \
	    start_fault report_again bad_zone bad_sectors bad_rows reset_of_degraded tail_lost needed \
	    pending_heal unreadable_end older_record back_unusable back_beyond \
	    damaged_unusable unreadable_debris stillborn log_lost \
	    finished_by_drive finished_without_room interrupted foreground \
	    finished_in_rebuild finished_while_stopped \
	    believed spare lost_empty spare_stuck spare_later used_up \
	    rebuild_fails map_damaged lost_at_the_begin logged_at_the_begin \
	    cut_at_the_begin no_room reset_cut error_limit error_limit_waits \
	    judged_after_reset end_needed end_unknown known_after_all \
	    error_in_degraded vanished many_active larger_limits \
	    larger_zones; do
	case " $OPERATIONS_ONLY " in
	*" $part "* | "  ") $part ;;
	esac
done
finish
