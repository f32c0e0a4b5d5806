#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive stalls while its array is started, while it is stopped, and while it is tried as a new
# member: another array is created, started and stopped meanwhile. A start reads the other drives of
# its array meanwhile, too.
. "$(dirname "$0")/harness.sh"

OTHERS=(/dev/ot{0,1,2})

# other_array_works WHAT
other_array_works()
{
	check "$1 waits" all_wait
	check "$1: another array starts" soon dmsetup create other --table "$OTHER_TABLE"
	dmsetup mknodes other
	check "$1: a zone of it is reset" soon blkzone reset -c 1 /dev/mapper/other
	check "$1: it takes data" soon dd if=/dev/zero of=/dev/mapper/other bs=64k count=1 \
		oflag=direct conv=notrunc status=none
	check "$1: it takes another table" soon eval \
		'dmsetup load other --table "$OTHER_TABLE" && dmsetup suspend other &&
		 dmsetup resume other'
	check "$1: it stops" soon dmsetup remove --retry other
	check "$1 still waits" all_wait
}

# was_read DRIVE: since its counters were cleared
was_read()
{
	grep -q '^read [1-9]' "$GROUP/$1/counters"
}

array_up
simulated_drives ot 3 || exit 1
check "another array" raizn create other "${OTHERS[@]}" --stripe-unit ${UNIT}K --spare-zones 4
OTHER_TABLE=$(dmsetup table other)
check "it is stopped" raizn stop other
check "data" eval "WP[0]=0 && put 0 $STRIPE && WP[0]=$STRIPE"
TABLE=$(dmsetup table $VOLUME)
check "remove the device for zone operations" dmsetup remove --retry ${OPS##*/}
check "stop" raizn stop $VOLUME

attribute stall 1
for i in 0 1 3 4; do
	simulated_set st$i counters 0
done
later start dmsetup create $VOLUME --table "$TABLE"
sleep 1
for i in 0 1 3 4; do
	check "a start reads drive $i while one stalls" was_read st$i
done
other_array_works "a start"
later "second start" dmsetup create second --table "$TABLE"
sleep 1
check "a start of another volume on the same drives waits, too" all_wait
attribute stall 0
check "the start ends, and the other volume is refused" eval \
	'unset "WAITING[second start]" && all_end && await $PATIENCE eval "! dmsetup info second"'
check_equal "the volume is there" "$(dmsetup table $VOLUME)" "$TABLE"
dmsetup mknodes $VOLUME
check "data are right" all_right

WAITING=()
attribute stall 1
later stop dmsetup remove $VOLUME
sleep 1
other_array_works "a stop"
attribute stall 0
check "the stop ends" all_end
WAITING=()

check "start" raizn start $VOLUME
dmsetup mknodes $VOLUME
check "a member is given up" raizn fail $VOLUME $STALLED --force
check "its drive leaves" raizn remove $VOLUME $STALLED
read -ra words <<<"$TABLE"
attribute stall 1
later "a new member" dmsetup load $VOLUME --table "${words[*]:0:9} 1 rebuild=$STALLED"
sleep 1
other_array_works "a look at a new member"
attribute stall 0
check "it ends" all_end
dmsetup clear $VOLUME
check "data are right" all_right
check "stop" raizn stop $VOLUME
finish
