#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What users write may look like records of a log, and so may partial parity of it: a
# start after a power cut does not take it for records.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/copies.sh"
six_drives
copy_drives
GUARDED=()
new_array tank "${FIVE[@]}"
check "an array" start_array tank "${FIVE[@]}"
read_logs
zone=$(log_zone 4 "partial-parity log")
check "data like records" ask records "${FIVE[4]}" "$zone" $((1 << 40)) "$TMP/records"
check "they are written" dd if="$TMP/records" of=/dev/mapper/tank bs=16K \
	oflag=direct conv=fsync,notrunc status=none
read_logs
at=$(log_offset 4 "partial-parity log" "partial parity")
copies 4 "cut=$zone:$((at + 16))"
check "power is cut in the middle of their parity" dmsetup remove --retry tank
shows "start" '^tank: recovered' raizn start tank "${COPIES[@]}"
check "stop" raizn stop tank
json "no record is made of data" '[.log[].records[].seq]|max<1000000' true \
	raizn inspect "${COPIES[4]}" log --json
finish
