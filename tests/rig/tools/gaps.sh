#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data in many small pieces, which some drives do not take, is no failure of a member.
. "$(dirname "$0")/harness.sh"
GUARDED=()
load_module

drives gap 3 virt_boundary=1
check "an array of drives that take no gaps" raizn create gap "${DRIVES[@]}"
dmsetup mknodes gap
check "some data" dd if=/dev/urandom of=/dev/mapper/gap bs=128K count=2 \
	oflag=direct status=none
check "read and write it in pieces, before and after a reset" \
	python3 -IS "$(dirname "$0")/gaps.py" /dev/mapper/gap
json "no drive had an error" \
	'.arrays[]|select(.name=="gap")|[.state,([.members[]|.read_errors+.write_errors]|add)]' \
	'["active",0]' raizn status gap --json
check "stop it" raizn stop gap
finish
