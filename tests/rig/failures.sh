#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Members fail, stall, come back and are replaced under load, scrubs run, power is cut
# in the middle of it, parity silently changes (src/failures/): in both write-cache
# modes, several threads and one.
# RAIZN_TEST_SCALE=100 is 1,000 rounds. FAILURES_SEED repeats a run;
# FAILURES_OPTIONS goes to every run of the program.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
suite failures

SEED=${FAILURES_SEED:-$(date +%s)}
ROUNDS=$(scaled 1000 40)
planned=0
total=0
note "seed $SEED"

# runs WHAT PERCENT OPTION...: percent of all rounds
runs()
{
	local what=$1 n=$((ROUNDS * $2 / 100)) log=$TMP/log status
	shift 2

	SEED=$((SEED + 1))
	planned=$((planned + n))
	rig_mark "$SUITE: $what"
	# shellcheck disable=SC2086
	failures --seed "$SEED" --rounds $n "$@" ${FAILURES_OPTIONS:-} \
		>"$log" 2>&1 </dev/null
	status=$?
	sed -n '/^# /p' "$log"
	if [ $status -eq 0 ]; then
		ok "$what"
		total=$((total + $(sed -n 's/^failure rounds: //p' "$log")))
	else
		not_ok "$what" "exit status $status"
		RIG_SHOW_LINES=400 rig_show "$log"
		# What hangs, hangs; the rest would find its remains.
		finish
	fi
}

load_module || exit 1
load_zonesim || exit 1
check "another array" faster
at_exit faster_no_more

for mode in back through; do
	for cache in 1 0; do
		what="write_cache=$mode, drives with$([ $cache = 1 ] || echo out) a volatile cache"
		mode_options=(--write-cache $mode --volatile $cache)
		runs "$what" 20 "${mode_options[@]}"
		runs "$what, one command at a time" 5 "${mode_options[@]}" \
			--threads 1
	done
done

note "failure rounds: $total"
echo "failure rounds: $total"
check "that are all that were planned" test "$total" -ge "$planned"
check "the modules can be unloaded" \
	eval "faster_no_more && unload_module && rmmod zonesim"
finish
