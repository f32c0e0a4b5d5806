#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array starts by itself as its owner said: when all drives are there, also without one
# after a while, or never. It says which drive it waits for, and the monitor tells if that takes
# long, also when the process that waits was killed; nobody hears of an array without any drive.
# One that comes late is added, also when another process goes on waiting, and in a later boot,
# unless it had errors or was called failed. A drive of a mirror that went on alone is not added.
. "$(dirname "$0")/harness.sh"

# waiter: raizn start --auto in the background
waiter()
{
	: >"$TMP/auto"
	background auto raizn start "$UUID" --auto
}

# The kernel is at work on the table, which is not resumed yet.
start_is_under_way()
{
	[[ $(dmsetup info -c --noheadings -o attr $VOLUME 2>/dev/null) == L?s* ]]
}

# record_ages: as if the array had waited for all but three of the seconds that are not told.
record_ages()
{
	local uptime

	read -r uptime _ </proc/uptime
	jq -c ".boot_seconds = ${uptime%.*} - 27" "$RECORD" >"$TMP/record" &&
		cat "$TMP/record" >"$RECORD"
}

# told WORDS NR: the monitor's program was told that so often.
told()
{
	[ "$(grep -cxF "ops state $1 ops state $1 ${1#* }" "$TMP/told")" = "$2" ]
}

# drives_are POWER DRIVE...: 1 for there, or gone
drives_are()
{
	local power=$1 drive
	shift

	for drive; do
		if ((power)); then
			simulated_set "$drive" power 1
		else
			simulated_set "$drive" unplug 1
		fi || return 1
	done
}

no_record()
{
	[ ! -e "$RECORD" ]
}

# state_is WORD: the array's state
state_is()
{
	json_is .state "$1"
}

# waits_for_late [LETTERS]: it runs without op4, or as these say, waits for it, and has noted that.
waits_for_late()
{
	letters_are "${1:-AAAA-}" && [ -s "/run/raizn-$UUID.waiting" ] &&
		grep -q $'\t[0-9][0-9]*$' "$TMP/var/$UUID"
}

# stays_out: op4 is not taken back while the process that waits looks at it.
stays_out()
{
	local _

	for _ in 1 2 3; do
		uevent_comes
		sleep 0.5
		letters_are AAAA- || return 1
	done
}

# rests: the process that waits reads nothing.
rests()
{
	local before

	before=$(grep syscr "/proc/$BACKGROUND/io") && sleep 1 &&
		[ "$(grep syscr "/proc/$BACKGROUND/io")" = "$before" ]
}

# uevent_comes: those that wait look at the drives again.
uevent_comes()
{
	echo change >/sys/block/op0/uevent
}

# left_out: it starts without op4, and waits for it.
left_out()
{
	stopped_without_drive
	waiter
	check "it starts without the drive" await 30 waits_for_late
}

# next_boot WHAT LETTERS: all drives are there; the array starts with those that it takes.
next_boot()
{
	check "stop" raizn stop $VOLUME
	check "the next boot ends its wait at once" timeout 20 raizn start "$UUID" --auto
	check "$1" letters_are "$2"
	check "it is seen by udev again" timeout 20 raizn start "$UUID" --auto
	check "$1 then, either" letters_are "$2"
	dmsetup mknodes $VOLUME
}

# The array is stopped, and op4 is gone.
stopped_without_drive()
{
	check "stop" raizn stop $VOLUME
	simulated_set op4 unplug 1
}

export RAIZN_HISTORY=$TMP/var
mkdir "$TMP/var"
array_up
fill_zones
UUID=$(json .uuid)
RECORD=/run/raizn-$UUID.waiting
telling_program
check_equal "by default it starts when it is complete" "$(json .autostart)" complete

check "stop" raizn stop $VOLUME
check "all drives are there: it starts" raizn start "$UUID" --auto
check "it runs" state_is active
check "it runs already: nothing to do" raizn start "$UUID" --auto

stopped_without_drive
waiter
check "it says which drive it waits for" await 30 grep -q \
	'ops: waits: the drive of slot 4 (member .*, last seen as op4.*) is missing' "$TMP/auto"
shows "so does status, and since when" \
	'it waits since 20[0-9-]+ [0-9:]+ and starts by itself' raizn status $VOLUME
since=$(stat -c %.Y "$RECORD")
timeout 3 raizn start "$UUID" --auto >/dev/null
check_equal "another process that waits leaves the time as it is" \
	"$(stat -c %.Y "$RECORD")" "$since"
check "it does not run" state_is incomplete
check_equal "the record names the array and the slot" \
	"$(jq -c '[.array,.uuid,.state,.slots]' "$RECORD")" "[\"ops\",\"$UUID\",\"waiting\",[4]]"
since=$(jq .since "$RECORD")
check_true "and the time" "$((EPOCHSECONDS - since < 60 && since <= EPOCHSECONDS))"
check_equal "status --json: since when it waits for which slots" \
	"$(json '[.waiting,.refused]')" "[{\"since\":$since,\"slots\":[4]},null]"
check_equal "status --json: as what the drive was seen last" \
	"$(json '.members|map(.last_device)')" '[null,null,null,null,"op4"]'

WAITER=$BACKGROUND
background monitor raizn monitor --program "$TMP/program" --prometheus "$TMP/prom"
MONITOR=$BACKGROUND
background events.json raizn events --json
EVENTS=$BACKGROUND
check "the monitor looks" await 30 test -s "$TMP/prom"
check "events listens" await 30 listens $EVENTS
check_equal "a short wait is not told" "$(grep array= "$TMP/prom"; cat "$TMP/told" "$TMP/events.json")" ""
check "the wait takes long" record_ages
check "the monitor tells of it" await 30 told "stopped incomplete" 1 || rig_show "$TMP/told"
check "metrics do" await 30 state_metric_is ops incomplete
check "events --json tells why" await 30 jq -se '.[0] | .what == "state" and .new == "incomplete" and
	(.reason | test("^the drive of slot 4 .* is missing; connect"))' "$TMP/events.json" ||
	rig_show "$TMP/events.json"
kill -KILL $WAITER
wait $WAITER
check_equal "the process is killed: status --json says that nothing waits" "$(json .waiting)" null
check "one look is enough to tell of the array" raizn monitor --once --program "$TMP/program"
check "as the first one does" told "unknown incomplete" 1 || rig_show "$TMP/told"
check "all drives go" drives_are 0 op0 op1 op2 op3
check "the monitor tells that it waits no more" await 30 told "incomplete stopped" 1
check "metrics do not know it any more" await 30 eval "! grep array= '$TMP/prom'"
check "nor is there a record" no_record
check "four drives are back" drives_are 1 op0 op1 op2 op3
waiter
check "another process waits" await 30 test -s "$RECORD"
check "all drives go again" drives_are 0 op0 op1 op2 op3
check "it drops its record" await 30 no_record
check "four drives are back again" drives_are 1 op0 op1 op2 op3
check "it waits again" await 30 grep -q '"slots":\[4\]' "$RECORD"
check "and for long" record_ages
check "which is told once more" await 30 told "stopped incomplete" 2
simulated_set op4 power 1
check "the drive comes: it starts" await 30 state_is active
check "with all drives" await 30 letters_are AAAAA
check "and the waiting ends" wait $BACKGROUND
check "the monitor tells that it runs" await 30 told "incomplete active" 1 || rig_show "$TMP/told"
check_equal "and told no other states" "$(grep -c '^ops state' "$TMP/told")" 5 || rig_show "$TMP/told"
background_ends $MONITOR $EVENTS
dmsetup mknodes $VOLUME
check "data are right" data_are_right
check_true "nothing says that it waits" "$(! ls /run/raizn-*.waiting 2>/dev/null; echo $((! $?)))"

check "set degraded-after" raizn set $VOLUME autostart=degraded-after=2
check_equal "it is kept" "$(raizn inspect /dev/op0 superblock --json |
	jq -r .superblock.autostart)" degraded-after=2
stopped_without_drive
simulated_set op3 unplug 1
waiter
check "it waits for two drives" await 30 grep -q '"slots":\[3,4\]' "$RECORD"
check "longer than it would for one" sleep 3
check "it does not look for them all the time" await 10 rests
check "one of them comes" simulated_set op3 power 1
check "it starts without the drive" await 30 letters_are AAAA-
dmsetup mknodes $VOLUME
check_equal "status --json: it still waits for the drive" "$(json .waiting.slots)" "[4]"
check "write meanwhile" zone_write 3 1792 768
simulated_set op4 power 1
check "the drive comes late and is added" await 30 letters_are AAAAA
rebuild_ends
check "that ends the wait" wait $BACKGROUND
check "the array is whole" whole
check "data are right" data_are_right

stopped_without_drive
simulated_set op0 latency_us 250000
waiter
check "a start without the drive is under way" await 30 start_is_under_way
# The system goes on where an initramfs ends. What the kernel has begun goes on, too.
kill -TERM $BACKGROUND
wait $BACKGROUND
simulated_set op0 latency_us 0
check "it starts without the drive, once more" await 30 letters_are AAAA-
dmsetup mknodes $VOLUME
waiter
simulated_set op4 power 1
check "another process goes on waiting and adds the drive" await 30 letters_are AAAAA
rebuild_ends
check "that ends its wait" wait $BACKGROUND
check "data are right" data_are_right

stopped_without_drive
waiter
check "it starts without the drive again" await 30 letters_are AAAA-
check "stop while a drive is late" raizn stop $VOLUME
check "that ends the wait, too" wait $BACKGROUND
waiter
check "the next boot: it starts at once, and waits" await 30 waits_for_late
check "stop once more" raizn stop $VOLUME
check "that ends this wait, too" wait $BACKGROUND
simulated_set op4 power 1
check "start by hand" start
check "that adds nothing" letters_are AAAA-
check "write meanwhile" zone_write 3 2560 768
check "the drive is seen by udev: it is added" raizn start "$UUID" --auto
check "it catches up" await 30 letters_are AAAAA
rebuild_ends
check "data are right" data_are_right

left_out
check "stop" raizn stop $VOLUME
check "that ends the wait" wait $BACKGROUND
mv "$TMP/var" "$TMP/later"
simulated_set op4 power 1
waiter
check "a boot with the drive, before /var is mounted: it starts" await 30 letters_are AAAA-
check "it does not know of the drive yet" stays_out
mv "$TMP/later" "$TMP/var"
uevent_comes
check "/var is mounted: the drive is added" await 30 letters_are AAAAA
check "that ends the wait" wait $BACKGROUND
rebuild_ends

check "its owner calls the drive failed" raizn fail $VOLUME 4 --force
next_boot "that is not taken back" AAAA-
check "add the drive by hand" raizn add $VOLUME /dev/op4
rebuild_ends
simulated_set op4 fault "write 1 times=100000 status=ioerr"
check "write to a drive that fails" zone_write 3 3328 768
check "it has failed" await 30 letters_are AAAAF
simulated_set op4 fault clear
next_boot "that is not taken back" AAAA-

check "rebuild slowly" raizn set $VOLUME speed_max=64K
check "add the drive by hand" raizn add $VOLUME /dev/op4
stopped_without_drive
waiter
check "it starts without the drive that was being rebuilt" await 30 waits_for_late
simulated_set op4 power 1
check "the drive is added" await 30 letters_are AAAAR
check "that ends the wait" wait $BACKGROUND
check "rebuild fast" raizn set $VOLUME speed_max=0
rebuild_ends

left_out
simulated_set op4 fault "append 1 times=100000 status=ioerr"
simulated_set op4 power 1
check "that ends the wait" wait $BACKGROUND
check "the drive is not taken, it cannot be written" letters_are AAAA-
simulated_set op4 fault clear
next_boot "it stays out, then" AAAA-
check "add the drive by hand" raizn add $VOLUME /dev/op4
rebuild_ends

left_out
mv "$TMP/var" "$TMP/later"
simulated_set op4 power 1
check "the drive is added" await 30 letters_are AAAAA
check "that ends the wait" wait $BACKGROUND
rebuild_ends
check "its owner calls it failed" raizn fail $VOLUME 4 --force
mv "$TMP/later" "$TMP/var"
next_boot "it stays out, though an old note says that it was left out" AAAA-
check "add the drive by hand" raizn add $VOLUME /dev/op4
rebuild_ends
check "data are right" data_are_right

check "set no" raizn set $VOLUME autostart=no
check "stop" raizn stop $VOLUME
check "it does not start by itself" raizn start "$UUID" --auto
check "it does not run" state_is stopped
check "start by hand" start
refused_setting()
{
	! raizn set $VOLUME "autostart=$1" 2>"$TMP/err" && grep -q "$2" "$TMP/err"
}
for word in sometimes degraded-after=0 degraded-after= degraded-after=x degraded-after=99999999999; do
	check "no setting: $word" refused_setting $word \
		'autostart is complete, no, or degraded-after= and seconds'
done

check "stop" raizn stop $VOLUME
VOLUME=pair
simulated_drives oq 2 || exit 1
at_exit "raizn stop pair"
check "a mirror" raizn create pair /dev/oq{0,1} --level 1 --stripe-unit 16K --spare-zones 4
UUID=$(json .uuid)
check "set degraded-after" raizn set pair autostart=degraded-after=1
check "stop" raizn stop pair
rm -f "$TMP/var/$UUID"
flock "$TMP/var" sleep 1000 &
holder=$!
background noting raizn start pair
check "it starts while another process writes a note" await 30 letters_are AA
check "its own note waits" test ! -e "$TMP/var/$UUID"
kill $(pgrep -P $holder) $holder
check "it ends" wait $BACKGROUND
check "the note is there" test -s "$TMP/var/$UUID"
check "stop" raizn stop pair
simulated_set oq1 unplug 1
waiter
check "it starts without the second drive" await 30 letters_are A-
kill -TERM $BACKGROUND
wait $BACKGROUND
rm "$TMP/var/$UUID"
waiter
check "another process goes on waiting, and notes that" await 30 waits_for_late A-
check "stop" raizn stop pair
check "that ends the wait" wait $BACKGROUND
simulated_set oq0 unplug 1
simulated_set oq1 power 1
check "the second drive goes on alone on another machine" \
	eval "RAIZN_HISTORY=$TMP/elsewhere raizn start pair --degraded"
power_cut
simulated_set oq1 unplug 1
waiter
check "the first drive starts" await 30 letters_are A-
simulated_set oq1 power 1
check "the second one may have gone on: it is not added" await 30 grep -q \
	"pair: /dev/oq1 may have gone on without the others.*'raizn add pair /dev/oq1'" "$TMP/auto" ||
	rig_show "$TMP/auto"
check "that ends the wait" wait $BACKGROUND
check "it is not there" letters_are A-
finish
