#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands fail in every way they can be told to, with the effect that was asked for.
. "$(dirname "$0")/harness.sh"

drive zsa max_open=0 max_active=0
for name in ioerr medium target timeout transport offline; do
	put zsa fault "write 1 status=$name"
	fails "a write fails: $name" wr zsa 0 0 8
done
is "none of them had an effect" zsa 0 "EMPTY 0 0 0 0"
check "the next one works" wr zsa 0 0 8
put zsa fault "write 2 zone=0"
check "a fault waits for its command" wr zsa 0 8 8
check "... in its zone" wr zsa 1 0 8
fails "... then it strikes" wr zsa 0 16 8
put zsa fault "write 1 times=2"
fails "twice: once" wr zsa 0 16 8
fails "twice: again" wr zsa 0 16 8
check "twice: not thrice" wr zsa 0 16 8
put zsa fault "write 1 effect=all"
fails "an error although it was written" wr zsa 2 0 8
is "... it was" zsa 2 "IMP_OPEN 8 8 0 0"
put zsa fault "write 1 effect=part"
fails "an error after a part" wr zsa 2 8 64
name=$(zone zsa 2 | awk '{ print $2 }')
check_true "... a part was written" "$name > 8 && $name < 72"
put zsa fault "flush 1 status=ok effect=none"
check "a flush that lies" flush zsa
is "... nothing is durable" zsa 0 "IMP_OPEN 24 24 0 0"
for name in read,report reset finish open close reset_all; do
	put zsa fault "$name 1"
done
fails "a read fails" rd zsa 0 0 8
fails "reset fails" op zsa reset 0
fails "finish fails" op zsa finish 0
fails "open fails" op zsa open 0
fails "close fails" op zsa close 0
fails "reset of all fails" op zsa reset
is "none had an effect" zsa 0 "IMP_OPEN 24 24 0 0"
put zsa fault "report 1"
fails "a report fails" blkzone report /dev/zsa
check_equal "no faults are left" "$(cat "$GROUP/zsa/fault")" ""
fails "no such fault" put zsa fault "write 1 zone=99"
fails "no such kind" put zsa fault "wrote 1"

put zsa fault "write 1 zone=3 then=readonly"
wr zsa 3 0 8 2>/dev/null
is "then=readonly" zsa 3 "READONLY * * * *"
put zsa zone_cond "0 readonly"
check "a read-only zone can be read" holds zsa 0 0 24
fails "... not written" wr zsa 0 24 8
fails "... not reset" op zsa reset 0
put zsa zone_cond "0 offline"
fails "an offline zone cannot be read" rd zsa 0 0 8
check "the report shows it" eval \
	'blkzone report -c 1 /dev/zsa | grep -q "zcond:15"'
put zsa zone_cond "0 empty"
check "a healed zone is empty" wr zsa 0 0 8
put zsa fault "read 1 status=ok then=hold"
rd zsa 0 0 8 &
reader=$!
check "a command is held" await 10 eval '! grep -q . "$GROUP/zsa/fault"'
check "... others go on" wr zsa 0 8 8
check "... the zone is reset" op zsa reset 0
check "... it is still there" kill -0 $reader
put zsa stall 0
check "... and goes on" wait $reader
check "the zone is written" wr zsa 0 0 8
put zsa fault "write 1 then=off"
fails "then=off" wr zsa 0 8 8
check_equal "... it is off" "$(cat "$GROUP/zsa/state")" off
zonesim_end
