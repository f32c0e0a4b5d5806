#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array starts by itself as its owner said: when all drives are there, also without one
# after a while, or never. It says which drive it waits for; one that comes late is added, also
# when another process goes on waiting.
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

# state_is WORD: the array's state
state_is()
{
	json_is .state "$1"
}

# The array is stopped, and op4 is gone.
stopped_without_drive()
{
	check "stop" raizn stop $VOLUME
	simulated_set op4 unplug 1
}

array_up
fill_zones
UUID=$(json .uuid)
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
since=$(stat -c %.Y "/run/raizn-$UUID.waiting")
timeout 3 raizn start "$UUID" --auto >/dev/null
check_equal "another process that waits leaves the time as it is" \
	"$(stat -c %.Y "/run/raizn-$UUID.waiting")" "$since"
check "it does not run" state_is incomplete
simulated_set op4 power 1
check "the drive comes: it starts" await 30 state_is active
check "with all drives" await 30 letters_are AAAAA
check "and the waiting ends" wait $BACKGROUND
dmsetup mknodes $VOLUME
check "data are right" data_are_right
check_true "nothing says that it waits" "$(! ls /run/raizn-*.waiting 2>/dev/null; echo $((! $?)))"

check "set degraded-after" raizn set $VOLUME autostart=degraded-after=2
check_equal "it is kept" "$(raizn inspect /dev/op0 superblock --json |
	jq -r .superblock.autostart)" degraded-after=2
stopped_without_drive
waiter
check "it starts without the drive" await 30 letters_are AAAA-
dmsetup mknodes $VOLUME
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
simulated_set op4 power 1
check "start by hand" start
check "add the drive by hand" raizn add $VOLUME /dev/op4
rebuild_ends

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
finish
