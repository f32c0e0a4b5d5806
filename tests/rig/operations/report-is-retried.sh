#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A report of zones that has to be tried again, as when a drive has no path for a moment, does
# not cost the member.
. "$(dirname "$0")/harness.sh"

array_up
check "a zone has data" zone_write 4 0 512 "" dsync
check "a drive's zone is read-only, and a report has to wait" eval \
	'simulated_zones_turn op2 readonly $(home 4) &&
	 simulated_set op2 fault "report 1 times=20 status=again"'
check "a write that meets it" zone_write 4 512 512 "" dsync
check "the zone is rebuilt" await 30 whole
check "the member is not failed" letters_are AAAAA
check_equal "reports were waited for" "$(grep -c again "$GROUP/op2/fault")" 0
check "data are right" zone_holds 4 0 1024
finish
