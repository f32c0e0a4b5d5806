#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Power cuts by the thousand (src/powercut/): in both write-cache modes, on
# drives with and without a volatile cache, several threads and one.
# RAIZN_TEST_SCALE=100 is 2,000 of them. POWERCUT_SEED repeats a run;
# POWERCUT_OPTIONS goes to every run of the program.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
suite powercut

SEED=${POWERCUT_SEED:-$(date +%s)}
CUTS=$(scaled 2000 80)
total=0
note "seed $SEED"

# runs WHAT PERCENT OPTION...: percent of all cuts
runs()
{
	local what=$1 n=$((CUTS * $2 / 100)) log=$TMP/log status
	shift 2

	((n > 0)) || n=1
	SEED=$((SEED + 1))
	rig_mark "$SUITE: $what"
	# shellcheck disable=SC2086
	powercut --seed "$SEED" --cuts $n "$@" ${POWERCUT_OPTIONS:-} \
		>"$log" 2>&1 </dev/null
	status=$?
	sed -n '/^# /p' "$log"
	if [ $status -eq 0 ]; then
		ok "$what"
		total=$((total + $(sed -n 's/^power cuts: //p' "$log")))
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
		runs "$what" 16 "${mode_options[@]}"
		runs "$what, one command at a time" 6 "${mode_options[@]}" \
			--threads 1
	done
done
runs "write_cache=back, all members stay" 6 --write-cache back --no-loss
runs "each command in turn" 6 --enumerate

note "power cuts: $total"
echo "power cuts: $total"
check "the modules can be unloaded" \
	eval "faster_no_more && unload_module && rmmod zonesim"
finish
