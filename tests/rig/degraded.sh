#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Random operations of several threads, checked by a model (src/zonemodel/), on an
# array without a member and while that is rebuilt: reads of data that has to be
# decoded, beside writes, finishes and resets of the same zones.
# src/reset_reads.c does more of the last with one zone.
# A seed repeats the operations, though not their order among threads.
#
# Simulated drives (tests/zonesim) that take their time, each another one.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
scenario

VOLUME=degraded
DEV=/dev/mapper/$VOLUME
LOST=2
OPS=$(scaled 4000 400)
LIVES=$(scaled 400 50)
note "seed $SEED"

drives_on()
{
	local i

	for i in 0 1 2 3 4; do
		simulated_drive dg$i nr_zones=40 zone_size_kib=1024 \
			zone_capacity_kib="$1" jitter_us=300 || return 1
	done
}

# The model is at work no more, and the array is gone.
array_gone()
{
	[ -z "${LOAD:-}" ] || { kill "$LOAD"; wait "$LOAD"; }
	! dmsetup info $VOLUME || raizn stop $VOLUME ||
		dmsetup remove --force $VOLUME
}

model()
{
	local what=$1
	shift
	SEED=$((SEED + 1))
	check "$what" zonemodel --seed $SEED --threads 4 --budget 64 "$@" $DEV
	local status=$?
	note "$(tail -n 1 "$TMP/output" | cut -c 1-300)"
	return $status
}

# A model that is loaded knows the volume as it is after a start.
again()
{
	raizn stop $VOLUME && raizn start $VOLUME /dev/dg{0..4} &&
		dmsetup mknodes $VOLUME
}

# A member leaves and comes back, and all the time the model is at work.
leaves_and_returns()
{
	local name="$1: at work" state=$2

	SEED=$((SEED + 1))
	zonemodel --seed $SEED --threads 4 --budget 64 --ops 100000000 --orderly \
		--load "$state" --save "$state" $DEV >"$TMP/load" 2>&1 &
	LOAD=$!
	under_load "$name: a member fails" raizn fail $VOLUME $LOST --force
	under_load "$name: it is removed" raizn remove $VOLUME $LOST
	under_load "$name: it is back" raizn add $VOLUME /dev/dg$LOST
	under_load "$name: it is rebuilt" timeout 120 raizn rebuild $VOLUME \
		--wait
	check "$name: the model ends" kill -TERM $LOAD
	check "$name: all was right" wait $LOAD || rig_show "$TMP/load"
	LOAD=
}

# shape NAME ZONE-CAPACITY STRIPE-UNIT, both in KiB
shape()
{
	local name=$1 state=$TMP/model

	check "$name: drives" drives_on "$2" || return
	check "$name: an array" raizn create $VOLUME /dev/dg{0..4} \
		--stripe-unit "$3K" --spare-zones 4 || return
	dmsetup mknodes $VOLUME
	check "$name: a member fails" raizn fail $VOLUME $LOST --force
	check "$name: reads beside resets" reset_reads $DEV 0 "$LIVES"
	note "$(tail -n 1 "$TMP/output")"
	check "$name: appends" append zones=8 threads=4 appends="$LIVES"
	check "$name: reset" blkzone reset $DEV
	model "$name: degraded" --ops "$OPS" --save "$state"
	check "$name: a start without it" again
	check "$name: it is back" raizn add $VOLUME /dev/dg$LOST
	model "$name: while it is rebuilt" --orderly --load "$state" --ops "$OPS" \
		--save "$state"
	check "$name: it is rebuilt" timeout 120 raizn rebuild $VOLUME --wait
	check "$name: a start with it" again
	leaves_and_returns "$name" "$state"
	check "$name: parity is right" raizn scrub $VOLUME --wait
	check "$name: stop" raizn stop $VOLUME
	# The model may have left no more than ends of zones.
	check "$name: members agree" parity_check --min-stripes 0 /dev/dg{0..4}
	note "$(tail -n 1 "$TMP/output")"
	check "$name: start" raizn start $VOLUME /dev/dg{0..4}
	dmsetup mknodes $VOLUME
	model "$name: verify" --load "$state" --verify
	check "$name: the end" eval "raizn stop $VOLUME && rmdir $GROUP/*/"
}

load_module && simulated_group degraded || exit 1
at_exit array_gone
shape "16 KiB units" 768 16
# Member zones do not end with a stripe unit.
shape "32 KiB units, zones with a pad" 784 32
finish
