#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In an array without a drive another one fails a write: only that zone takes no more writes.
# Its data can be read and outlive a power cut, the other zones go on, and the zone is written
# again after a reset, or after a stop and a start.
. "$(dirname "$0")/harness.sh"

# op3_fails KIND ZONE EFFECT [TIMES [NTH]]: the next such commands to its part of a zone of the
# volume, or from the NTH on
op3_fails()
{
	local part=$(($(zone_at op3 "$2") / 4096))

	simulated_set op3 fault "$1 ${5:-1} zone=$part effect=$3 times=${4:-1}"
}

# ends_at ZONE: its write pointer (KiB)
ends_at()
{
	echo $(($(blkzone report -o $(($1 * ZONE)) -c 1 $DEV |
		sed 's/.*wptr \(0x[0-9a-f]*\).*/\1/') / 2))
}

# many_writes ZONE: many at a time, one after the other, while others sync
many_writes()
{
	local status

	while sync $DEV; do :; done &
	fio --name=w --filename=$DEV --zonemode=zbd --rw=write --bs=16k --iodepth=64 \
		--thinktime=300 --thinktime_spin=300 --ioengine=libaio --direct=1 \
		--offset=$(($1 * ZONE * 512)) --size=1z --buffer_pattern=0x5a
	status=$?
	kill -0 $! || echo "a sync has failed"
	jobs_end
	return $status
}

# holds_pattern ZONE FROM TO: what many_writes() has written
holds_pattern()
{
	local bytes=$((($3 - $2) * 1024))

	((bytes >= 0)) && cmp -n $bytes \
		<(dd if=$DEV bs=4k iflag=direct,skip_bytes status=none \
			skip=$(($1 * ZONE * 512 + $2 * 1024)) count=$((bytes / 4096))) \
		<(head -c $bytes /dev/zero | tr '\0' Z)
}

# closed ZONE FROM: it can be read only, and takes no writes from there on.
closed()
{
	blkzone report -o $(($1 * ZONE)) -c 1 $DEV | grep -q '(ro)' &&
		! zone_write "$1" "$2" 16 && ! zone_finish "$1"
}

# read_only NR: so many zones can only be read, because of that
read_only()
{
	[ "$(blkzone report $DEV | grep -c '(ro)')" = "$1" ] &&
		status_is damaged 0 unwritable "$1"
}

# the_array_goes_on ZONE FROM: another zone takes data, which are synced.
the_array_goes_on()
{
	check "the array goes on" status_is state degraded letters "A[F-]AAA"
	check "a single zone is read-only" read_only 1
	check "another zone is written and synced" zone_write "$1" "$2" 768 256 fsync
	check "and holds that" zone_holds "$1" "$2" 768
}

array_up
fill_zones
check "a drive fails" raizn fail $VOLUME 1 --force

# Zone 9: two stripes and three units, of which one is synced.
check "zone 9 is written" zone_write 9 0 144 16 fsync
check "and more" zone_write 9 144 32 16
check "another drive fails a write to it" op3_fails write 9 none
check_fails "the writer hears of it" 'Input/output error' zone_write 9 176 256
check "the zone is read-only" await 30 closed 9 176
check "it holds what was written" zone_holds 9 0 176
the_array_goes_on 10 0
check "a sync does not fail" sync $DEV
check "it holds what was written" zone_holds 9 0 176
check "the array is suspended and resumed" raizn rebuild $VOLUME
check "it still holds that" zone_holds 9 0 176

check "reset" zone_reset 9
check "the zone is written again" zone_write 9 0 176 16
check "and holds that" zone_holds 9 0 176

# A finish, which begins with the parity of the third stripe: that is on this drive.
for command in finish write; do
	check "another drive fails a $command at the finish of it" op3_fails $command 9 none
	check_fails "who finishes it hears of it" 'Input/output error' zone_finish 9
	check "the zone is read-only" await 30 closed 9 176
	check "it holds what was written" zone_holds 9 0 176
	check "a stop and a start" restart
	check "the finish was done" zone_is_full 9
	check "it holds what was written" zone_holds 9 0 176
	check "reset" zone_reset 9
	check "zone 9 is written" zone_write 9 0 176 16
done

# Writes that drives take long for: many are under way when one fails, or several do.
for which in "1 1" "16 1" "16 40"; do
	check "reset" zone_reset 11
	check "zone 11 is written" zone_write 11 0 48 16 dsync
	# shellcheck disable=SC2086
	check "another drive fails writes to it" op3_fails write 11 part $which
	simulated_latency 20000
	check_fails "writes among many fail" 'Input/output error' many_writes 11
	check_equal "no sync does" "$(grep -c 'sync has failed' "$TMP/output")" 0
	simulated_latency 0
	check "the zone is read-only" await 30 closed 11 48
	check "it holds what was synced" zone_holds 11 0 48
	check "and what was written up to its end" holds_pattern 11 48 "$(ends_at 11)"
	simulated_set op3 fault clear
done
the_array_goes_on 10 768

check "the drive is back" raizn add $VOLUME /dev/op1
check "all zones are rebuilt" await 60 status_is action idle degraded 0 letters AAAAA
check "one of them still takes no writes" read_only 1
check "it holds what was synced" zone_holds 11 0 48
check "and what was written up to its end" holds_pattern 11 48 "$(ends_at 11)"
shows "status: what happened" '1 zone takes no more writes, since one failed there' \
	raizn status $VOLUME
advice_helps $VOLUME unwritable active
check "the array is whole" await 30 whole
check "no zone is read-only" read_only 0
check "it holds what was synced" zone_holds 11 0 48
check "and so do the others" zone_holds 10 0 1536
check "the zone can be reset" zone_reset 11

check "the drive fails again" raizn fail $VOLUME 1 --force

# The power fails when the zone is read-only: what was synced since then is there.
close_and_cut()
{
	check "zone 9 is written" zone_write 9 0 176 16
	check "another drive fails a write to it" op3_fails write 9 part
	check_fails "the writer hears of it" 'Input/output error' zone_write 9 176 256
	check "the zone is read-only" await 30 closed 9 176
	"$@"
	power_cut none
	check "a start" start
	check "no zone is read-only" read_only 0
	check "it holds what was synced" zone_holds 9 0 176
}

logs_begin_anew()
{
	local switches

	switches=$(status_field log_switches)
	check "zone 8 is written, and each block synced" zone_write 8 0 $CAPACITY 4 dsync
	check_true "all logs have begun anew" $(($(status_field log_switches) >= switches + 4))
}

# A finish that comes while the write is under way, and a sync behind both.
check "reset" zone_reset 9
check "zone 9 is written" zone_write 9 0 176 16
check "another drive fails a write to it" op3_fails write 9 part
simulated_latency 20000
zone_write 9 176 256 >"$TMP/write" 2>&1 &
sleep 0.02
check_fails "the finish behind it fails" 'Input/output error' zone_finish 9
check "a sync does not" sync $DEV
check_fails "nor does the write succeed" 'Input/output error' \
	eval 'wait $!; cat "$TMP/write"; false'
simulated_latency 0
check "the zone is read-only" await 30 closed 9 176
power_cut none
check "a start" start
check "it holds what was synced" zone_holds 9 0 176

check "reset" zone_reset 9
close_and_cut check "sync" sync $DEV
check "reset" zone_reset 9
close_and_cut logs_begin_anew
check "the other zone holds what was synced, too" zone_holds 8 0 $CAPACITY
# A part of the write that failed may be there, too.
ends=$(ends_at 9)
check_true "it ends there, or behind" $((ends >= 176))
check "the zone is written on" zone_write 9 $ends 256
check "and holds that" zone_holds 9 0 $((ends + 256))

check "the drive is back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait

# A drive cannot write its part of the zone any more: the next start does without that, and needs
# the column of the drive that is missing.
check "reset" zone_reset 9
check "zone 9 is written" zone_write 9 0 176 16
check "the drive fails again" raizn fail $VOLUME 1 --force
check "a zone is retired" simulated_zones_turn op3 readonly $(($(zone_at op3 9) / 4096))
check_fails "a write to it fails" 'Input/output error' zone_write 9 176 256
check "the zone is read-only" await 30 closed 9 176
check "a new drive" simulated_drive op5
check "takes the place of the first" raizn replace $VOLUME 1 /dev/op5 --force
check "all zones are rebuilt" await 60 status_is action idle degraded 0 letters AAAAA
check "one of them still takes no writes" read_only 1
check "it holds what was written" zone_holds 9 0 176
advice_helps $VOLUME unwritable active
rebuild_ends
check "the array is whole" whole
ends=$(ends_at 9)
check_true "it ends there, or behind" $((ends >= 176))
check "it is written on" zone_write 9 $ends 256
check "and holds that" zone_holds 9 0 $((ends + 256))
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
