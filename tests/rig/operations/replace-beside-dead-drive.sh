#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two of three copies are lost: one by request, and the drive of the other one is there, but does
# not answer. Both are replaced, one after the other. In between the array is started while
# that drive answers, which does not know of the replacement.
. "$(dirname "$0")/harness.sh"
CAPACITY=1536
ZONE=4096

drives_up 5
array_of /dev/op{0..2} --level 1
check "a zone has data" zone_write 0 0 256 "" fsync
check "a drive loses power" simulated_set op1 power 0
check "another one is failed" raizn fail $VOLUME 0 --force
check "a write is noticed by both" eval 'zone_write 0 256 256 "" fsync && letters_are FFA'
check "one is replaced" raizn replace $VOLUME 0 /dev/op3 --force
check "it is rebuilt" await 60 status_is letters 'A[F-]A' action idle
check "stop" raizn stop $VOLUME
check "the drive of the other one answers again" simulated_set op1 power 1
raizn check $VOLUME >"$TMP/output" 2>&1
check_equal "check finds that a member is missing, and no damage" $? 1 || rig_show "$TMP/output"
check "start" start
check "the new drive is used" status_is letters 'A[F-]A'
check "the drive of the other one loses power again" simulated_set op1 power 0
check "the other one is replaced" raizn replace $VOLUME 1 /dev/op4 --force
check "it is rebuilt" await 60 status_is letters AAA action idle
check "data are right" data_are_right
check "stop" raizn stop $VOLUME
check "check finds nothing wrong" raizn check /dev/op{2,3,4}
finish
