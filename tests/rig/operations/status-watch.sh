#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# status --watch shows the array when it changes and not before; monitor --once runs its
# program and writes metrics for what is wrong already.
. "$(dirname "$0")/harness.sh"

array_up
telling_program
background watch raizn status $VOLUME --watch
check "status --watch shows the array" await 30 grep -q '^   array: ops' "$TMP/watch"
sleep 2
check_equal "status --watch says nothing twice" \
	"$(grep -c '^   array: ops' "$TMP/watch")" 1
check "a member is failed" raizn fail $VOLUME 1 --force
check "status --watch shows that" await 30 grep -q 'state: degraded' "$TMP/watch"
background_ends $BACKGROUND
check "monitor --once" raizn monitor --once --program "$TMP/program" \
	--prometheus "$TMP/once.prom"
check "monitor --once runs the program" grep -qx \
	'ops state unknown degraded ops state unknown degraded degraded' "$TMP/told"
check "monitor --once writes metrics" grep -qx \
	'raizn_array_state{array="ops",state="degraded"} 1' "$TMP/once.prom"
finish
