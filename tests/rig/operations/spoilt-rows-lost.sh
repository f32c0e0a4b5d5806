#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a power cut a spoilt row is in no log, and another drive cannot read its part of the same
# stripe: the row is lost, and counts as such from then on. The zone keeps its end, after a clean stop
# and after a power cut without another drive.
. "$(dirname "$0")/harness.sh"

# more_on DRIVE: 60 KiB more than belong to its part of zone 5
more_on()
{
	dd if="$TMP/data" of="/dev/$1" bs=4k count=15 skip=77 status=none conv=notrunc \
		oflag=direct,seek_bytes seek=$((($(zone_at "$1" 5) + $(written_at "$1" 5)) * 512))
}

# cut_with_loss DRIVE: all drives lose power, and only this one loses what is not durable.
cut_with_loss()
{
	local i

	simulated_set . keep none && simulated_set "$1" power 0 && simulated_set . keep all &&
		for i in 0 1 2 3 4; do
			[ op$i = "$1" ] || simulated_set op$i power 0 || return 1
		done
	dmsetup remove --retry $VOLUME && simulated_set . keep random && simulated_set . power 1
}

# The write pointer of zone 5, in KiB
end_of_zone()
{
	blkzone report -o $((5 * ZONE)) -c 1 $DEV |
		sed -n 's/.*wptr 0x\([0-9a-f]*\).*/\1/p' | { read -r end; echo $((0x$end / 2)); }
}

# refused: blocks of zone 5 that cannot be read; the others are right.
refused()
{
	local read

	read=$(what_is_read "$TMP/data" 4096 $((written / 4)) $((5 * ZONE)))
	[[ $read = *" 0 wrong" ]] || { echo "$read"; return; }
	read=${read#*, }
	echo "${read% refused*}"
}

array_up
debris_stays 1024
check "16 stripes and a half unit, which is op0's" zone_write 5 0 1032 8
written=1032
check "all is durable" sync $DEV
power_cut
check "op2 has more than belongs there" more_on op2
check "start" start
check "four units are spoilt" status_is spoilt 128
check "more, not durable" zone_write 5 1032 228 4
check "a power cut takes it from op2" cut_with_loss op2
check "op3 cannot read a block beside it" simulated_set op3 bad_sectors \
	"$(($(zone_at op3 5) + 544)) 8"
check "start" start
written=$(end_of_zone)
check_true "the zone ends behind that" "$written >= 1152"
check_equal "a block or two are lost" "$(refused)" "$(refused | grep -x '[12]')"
lost=$(refused)
check "more, durable" zone_write 5 "$written" 100 4 dsync
((written += 100))
check "stop" raizn stop $VOLUME
check "start after a clean stop" start
check_equal "the zone keeps its end" "$(end_of_zone)" "$written"
check_equal "no more is lost" "$(refused)" "$lost"
power_cut
check "op3 can read the block now" simulated_set op3 bad_sectors clear
check "op0 is not there" simulated_set op0 power 0
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check_equal "the zone keeps its end without op0" "$(end_of_zone)" "$written"
check_true "with little more that cannot be read" "$(refused) <= $lost + 3"
finish
