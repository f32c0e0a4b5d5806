#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes images of arrays in the on-disk format of this tree: tests/images/format-VERSION,
# which tools/older-format starts. A change of the format makes new ones and keeps the old:
#
#	scripts/lab run uml --lab-dir DIR -- tests/images/make.sh
#	cp DIR/format-VERSION/* tests/images/format-VERSION/
#
# An image is a text STATE and the data STATE.gz. The text says, a line each:
#
#	drives NR zones NR size KIB capacity KIB block BYTES open NR
#	volume ZONE SECTORS SHA256	what the first sectors of a zone of the volume hold
#	drive NR ZONE CONDITION SECTORS	what a drive holds; all of it, in this order, is
#					the data
. "$(dirname "$0")/../lib/rig.sh"
. "$RIG_TOP/tests/lib/simulated.sh"
. "$RIG_TOP/tests/lib/editor.sh"
suite images

NR=4
SETTINGS=(nr_zones=20 zone_size_kib=2048 zone_capacity_kib=1024 block_size=4096
	  max_open=14 max_active=14)
GEOMETRY="zones 20 size 2048 capacity 1024 block 4096 open 14"
TYPES='["checkpoint","finish","partial parity","reset","superblock","zone map","zone table"]'
ZONE=8192		# sectors from one zone of the volume to the next, ...
FULL=6144		# ... of which these can be written
STRIPE=96
VOLUME=tank
DEV=/dev/mapper/tank
VERSION=$(sed -n 's/^#define RAIZN_FORMAT_VERSION[[:space:]]*//p' "$RIG_TOP/raizn/core/format.h")
OUT=$LAB_DIR/format-$VERSION

# put ZONE SECTOR SECTORS: data at a write pointer, durable if anything is
put()
{
	pattern write $DEV "$1" $(($1 * ZONE + $2)):"$3"
}

operate()
{
	blkzone "$1" -o $(($2 * ZONE)) -c 1 $DEV
}

# Does a column of a zone have another place now, and is the rebuild at its end?
column_moved()
{
	status_is degraded 0 action idle member1 '*,1'
}

# An array with a zone in each state that the format can tell: 0 is full, 1 ends inside a
# stripe, 2 was reset and written again, 3 reset, 4 and 6 finished; one column of 5 is in a
# spare zone. A start in between makes a checkpoint of what was until then.
history_of()
{
	simulated_drives "$1" $NR "${SETTINGS[@]}" || return 1
	DRIVES=()
	for ((i = 0; i < NR; i++)); do
		DRIVES+=("/dev/$1$i")
	done
	raizn create tank "${DRIVES[@]}" --stripe-unit 16K --label "of format $VERSION" &&
		raizn set tank speed_max=200M autostart=no && dmsetup mknodes tank &&
		put 0 0 $FULL &&
		put 1 0 1000 &&
		put 2 0 504 && operate reset 2 && put 2 0 264 &&
		put 3 0 $STRIPE && operate reset 3 &&
		put 4 0 704 && operate finish 4 &&
		put 5 0 $((4 * STRIPE)) && sync $DEV &&
		raizn stop tank && raizn start tank "${DRIVES[@]}" && dmsetup mknodes tank &&
		put 3 0 $STRIPE && operate reset 3 &&
		put 6 0 $((STRIPE + 48)) && operate finish 6 || return 1
	home=$(raizn inspect "${DRIVES[1]}" superblock --json | jq .superblock.nr_reserved)
	simulated_zones_turn "$1"1 readonly $((home + 5)) &&
		put 5 $((4 * STRIPE)) $((2 * STRIPE + 8)) && sync $DEV &&
		await 20 column_moved
}

# volume_line ZONE SECTORS: what is durable in a zone now
volume_line()
{
	echo "volume $1 $2 $(dd if=$DEV bs=4K skip=$(($1 * ZONE / 8)) count=$(($2 / 8)) \
		iflag=direct status=none | sha256sum | cut -d ' ' -f 1)"
}

volume_lines()
{
	volume_line 0 $FULL && volume_line 1 1000 && volume_line 2 264 &&
		volume_line 4 704 && volume_line 5 $((6 * STRIPE + 8)) &&
		volume_line 6 $((STRIPE + 48))
}

# record_types: those in the logs of all drives
record_types()
{
	local drive

	for drive in "${DRIVES[@]}"; do
		raizn inspect "$drive" log --json
	done | jq -sc '[.[].log[].records[].type]|unique'
}

# image STATE DEVICE...: what the drives hold, and the lines in $TMP/volume
image()
{
	local state=$1 word
	shift

	ask dump "$TMP/data" "$@" || return 1
	{
		echo "drives $# $GEOMETRY"
		cat "$TMP/volume"
		for word in $ANSWER; do
			echo "drive ${word//:/ }"
		done
	} >"$OUT/$state"
	gzip -9n <"$TMP/data" >"$OUT/$state.gz" && rmdir "${DRIVES[@]/#"/dev"/$GROUP}"
}

stop_tank()
{
	[ ! -e $DEV ] || raizn stop tank
}

mkdir -p "$OUT" && load_module && simulated_group images || exit 1
at_exit stop_tank

check "history that ends with a stop" history_of clean
volume_lines >"$TMP/volume"
check "stop" raizn stop tank
check_equal "all types of records are there" "$(record_types)" "$TYPES"
check "image" image clean "${DRIVES[@]}"

check "history that a power cut ends" history_of cut
volume_lines >"$TMP/volume"
check "data that no flush covers" eval \
	'put 1 1000 $((3 * STRIPE)) && put 7 0 $((2 * STRIPE + 16))'
check "the power cut" eval 'simulated_set . power 0; dmsetup remove --retry tank &&
	simulated_set . power 1'
check "image" image power-cut "${DRIVES[@]}"

check "history of an array that loses a member" history_of less
check "the member fails" raizn fail tank 3 --force
check "the array goes on" eval 'put 1 1000 40 && put 7 0 $((5 * STRIPE + 48)) && sync $DEV'
{
	volume_lines | sed '/^volume 1 /d'
	volume_line 1 1040
	volume_line 7 $((5 * STRIPE + 48))
} >"$TMP/volume"
check "stop" raizn stop tank
check "image of the others" image degraded "${DRIVES[@]:0:3}"
finish
