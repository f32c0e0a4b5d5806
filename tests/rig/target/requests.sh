#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Requests that a zoned volume must turn down, or answer in one way only (hostile.py).
. "$(dirname "$0")/harness.sh"
up
python3 -IS "$HERE/hostile.py" "$DEV" >"$TMP/output" 2>&1 </dev/null
while read -r verdict what; do
	case $verdict in
	ok) ok "$what" ;;
	not) not_ok "${what#ok }" ;;
	*) note "$verdict $what" ;;
	esac
done <"$TMP/output"
check_true "many were tried" "$(grep -c '^ok' "$TMP/output") >= 40"
down
finish
