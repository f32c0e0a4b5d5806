#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report collects what a report of a bug wants, and nothing that is stored on a volume.
. "$(dirname "$0")/harness.sh"
six_drives
load_module
check "an array" create
dmsetup mknodes tank
word=secret-that-is-stored
check "store something" eval "yes $word | head -c 64K |
	dd of=/dev/mapper/tank bs=64K count=1 iflag=fullblock oflag=direct"
check "report" raizn report "$TMP/report.tar.gz"
check "it is an archive" tar -xzf "$TMP/report.tar.gz" -C "$TMP"
check_equal "only root can read it" "$(stat -c %a "$TMP/report.tar.gz")" 600
report=$(echo "$TMP"/raizn-report-*/)
check "it has the state" grep -q 'state: active' "$report/status"
check "it has the state for programs" jq -e '.arrays[0].name == "tank"' "$report/status.json"
check "it has the table" grep -q '^tank: .* raizn 5' "$report/dmsetup"
check "it has the zones" grep -q '^tank: ' "$report/map"
check "it has the zones for programs" jq -e .zones "$report/map.json"
check_equal "it has the metadata of all members" \
	"$(grep -l 'array name  *tank' "$report"/inspect-* | wc -l)" 5
check "it has the kernel's log" grep -q 'report starts' "$report/kernel"
check "nothing that is stored is in it" eval "! grep -rq $word '$report'"
check_equal "nothing is left behind" "$(ls -d /tmp/raizn-report.* 2>/dev/null)" ""
refused "a file that cannot be written" 1 '/nowhere/report.tar.gz: cannot be written' \
	raizn report /nowhere/report.tar.gz
refused "an option" 2 'takes the name of a file' raizn report --all
check "stop" raizn stop tank
finish
