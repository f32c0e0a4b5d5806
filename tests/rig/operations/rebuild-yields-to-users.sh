#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A rebuild holds back while users are at work, and is faster when they are not.
. "$(dirname "$0")/harness.sh"

# sample: bytes that are rebuilt, and after how many ms
sample()
{
	json '.operation | select(.kind == "rebuild") | "\(.done) \(.elapsed_ms)"'
}

array_up
fill_zones
check "slowly beside users, faster without" raizn set $VOLUME speed_min=64K speed_max=1M
load_begin
check "users work" load_goes_on
check "a blank drive takes the place of another" eval \
	"raizn fail $VOLUME 1 --force && raizn remove $VOLUME 1 &&
		blkzone reset /dev/op1 && raizn add $VOLUME /dev/op1"
check "it is being rebuilt" await 30 letters_are ARAAA
check "for half a second" await 30 json_is '.operation.elapsed_ms >= 500' true
read -r was since <<<"$(sample)"
check "and two more" await 60 json_is ".operation.elapsed_ms >= $((since + 2000))" true
read -r bytes ms <<<"$(sample)"
beside=$(((bytes - was) * 1000 / (ms - since)))
note "$((bytes - was)) bytes in $((ms - since)) ms"
# Users may pause for a moment, on a machine that has other work: then it is faster.
check_true "it holds back" "$bytes - $was <= ($ms - $since) * 262 + 262144"
check "the load ends without an error" load_end || rig_show "$TMP/load"

read -r was since <<<"$(sample)"
check "two seconds without users, or it is done" await 60 json_is \
	".operation.kind == \"idle\" or .operation.elapsed_ms >= $((since + 2000))" true
read -r bytes ms <<<"$(sample)"
[ -z "$bytes" ] || check_true "it is faster" \
	"($bytes - $was) * 1000 / ($ms - $since) > $beside"
check "at full speed" raizn set $VOLUME speed_min=10M speed_max=0
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
