#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A damaged record of the zone map on one drive means that the drive's later records are not
# believed either: start and check find it, and a start without that member works.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "two zones of a drive are lost" simulated_zones_turn op4 offline \
	"$(home 1)" "$(home 2)"
check "a scrub meets that" eval "raizn scrub $VOLUME --wait || true"
check "they are rebuilt into other ones" await 30 status_is action idle \
	member4 '*,[2-9]'
at=$(raizn inspect /dev/op0 log --json | jq '[.log[] |
	select(.role == "general log") as $l | $l.records[] |
	select(.type == "zone map") | $l.zone * 4096 + .offset / 512] | first')
check_true "the logs tell of that" "${at:-0} > 0"
check "all is durable" sync $DEV
power_cut
check "a record is damaged" simulated_set op0 flip "$((at + 8)) 1"
# It is found by the module, or already by the tools if it is of the checkpoint.
check_fails "a start finds that" 'general log makes no sense|checkpoint' \
	raizn start $VOLUME
raizn check $VOLUME >"$TMP/out" 2>&1
says "and so does check" 'contradict|checkpoint'
check "a start without the member" raizn start $VOLUME --degraded
dmsetup mknodes $VOLUME
check "data are right" data_are_right
# With a damaged checkpoint it was not even given.
check "the drive is let go, and emptied" eval \
	"{ letters_are -AAAA || raizn remove $VOLUME 0; } && blkzone reset /dev/op0"
check "it takes its place again" raizn add $VOLUME /dev/op0
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
finish
