#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a machine without arrays every command says that there are none. (First, that the
# fingerprint notices a write, by which all scenarios of tools see that drives are left
# alone.)
. "$(dirname "$0")/harness.sh"
six_drives

before=$(guarded)
check "a fingerprint" test -n "$before"
dd if=/dev/urandom of="$SPARE" bs=4K count=1 oflag=direct status=none
check "these tests would notice a write" test "$(guarded)" != "$before"
blkzone reset "$SPARE"
check_equal "and its being taken back" "$(guarded)" "$before"
blkzone open -c 1 "$SPARE"
check "and a zone that is opened" test "$(guarded)" != "$before"
blkzone reset "$SPARE"

shows "list without arrays" '^no arrays found' raizn list
json "list --json without arrays" .arrays '[]' raizn list --json
shows "status without arrays" '^no arrays found' raizn status
refused "status of an unknown array" 4 '^raizn: tank: no array' raizn status tank
refused "map of an unknown array" 4 '^raizn: tank: no array' raizn map tank
refused "start of an unknown array" 4 '^raizn: tank: no array' raizn start tank
refused "start --all without arrays" 4 'no arrays found' raizn start --all
refused "stop of an unknown array" 4 '^raizn: tank: no array' raizn stop tank
refused "check of an unknown array" 3 'nobody: no array' raizn check nobody
refused "maintain of an unknown array" 4 'nobody: no array' raizn maintain nobody
refused "inspect of an empty drive" 4 "$SPARE: holds no array's metadata" \
	raizn inspect "$SPARE"
finish
