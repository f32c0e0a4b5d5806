#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive without a free zone cannot read some sectors, so all others are needed to compute
# them: none of them is given up for its own bad blocks, or by "raizn fail" without --lose. If
# one is unplugged, status advises to connect it again before a restart.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
write_tail
free=$(free_zones op0)
check "a drive has no free zones" simulated_zones_turn op0 readonly $free
check "it cannot read two blocks" bad_blocks op0 8 40
check_equal "all can be read" "$(unreadable 44)" 0
check "the errors were seen" await 30 status_is action idle member0 '[1-9]*,*,*'
refused "another drive cannot be spared" 1 'cannot be spared' \
	raizn fail $VOLUME 1 --force
check "the volume is suspended and resumed" eval \
	"dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
refused "it still cannot" 1 'cannot be spared' raizn fail $VOLUME 1 --force
simulated_set op1 unplug 1
check_fails "nor when its drive is gone" 'cannot be spared' terminal y raizn fail $VOLUME 1
check "it is connected again" simulated_set op1 power 1
advice_helps $VOLUME gone:2,3 degraded
advice_helps $VOLUME add-back active
check_equal "all can be read" "$(unreadable 44)" 0
check "the errors were seen" await 30 status_is action idle member0 '[1-9]*,*,*'

check "this drive cannot read two other blocks" bad_blocks op1 16 56
# Behind the second one is its unit of the incomplete stripe: a drive gets a request for both.
check "all can be read, many at once" fio --name=read --filename=$DEV --readonly --rw=read \
	--bs=4k --offset=$((9 * ZONE * 512)) --size=176k --direct=1 --ioengine=libaio \
	--iodepth=44 --iodepth_batch=44
check_equal "all can be read" "$(unreadable 44)" 0
check "they are healed" await 30 healed 1
check "a third drive cannot read a block of the incomplete stripe" bad_blocks op4 72
check_equal "this block is an error" "$(unreadable 44)" 1
check "it is healed, too, and no column was given up for it" await 30 status_is \
	state active action idle member4 '*,[1-9]*'
check_equal "all can be read" "$(unreadable 44)" 0
check_equal "all errors are counted, once" "$(json '[.members[].read_errors]|add')" 3

simulated_set op1 unplug 1
advice_helps $VOLUME gone:4 degraded
check "that costs blocks of the two drives" eval '[[ "$(unreadable 44)" = [234] ]]'
check "it is connected again" simulated_set op1 power 1
check "it is back" raizn add $VOLUME /dev/op1
# These blocks are needed to compute what it lacks.
timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
check "good sectors again" good_sectors op0 op1 op4
check "the free zones work again" simulated_zones_turn op0 empty $free
check_equal "all can be read" "$(unreadable 44)" 0
check "a restart" restart
tail_is_right 44
check "data are right" data_are_right
finish
