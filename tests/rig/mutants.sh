#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Is the fuzzer blind? Each deliberate mistake of raizn/mutant.h has to be found
# by power cuts (src/powercut/), and without a mistake nothing may be found.
# Needs a module built with RAIZN_MUTANTS=y: make check-mutants.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
suite mutants

PARAMETER=/sys/module/dm_raizn/parameters/mutant
CUTS=$(scaled 1000 50)

# What to look for each of them with, in the order of enum raizn_mutant.
MUTANTS=(
	"DROP_PP_EARLY --write-cache back"
	"LOG_RESET_BEFORE_FLUSH --write-cache back --volatile 1"
	"RESET_WITHOUT_INTENT"
	"RESET_WITHOUT_DONE"
	"ANY_GENERATION"
	"FLUSH_WITHOUT_PP --write-cache back"
	"FLUSH_NOT_SENT --write-cache back --volatile 1"
	"FUA_ALONE --write-cache back --volatile 1"
	"FINISH_WITHOUT_FLUSH --volatile 1 --write-cache back"
	"FILL_WITHOUT_PARITY"
	"NO_FALLBACK"
	"MAP_BEFORE_FLUSH --volatile 1"
	"OLD_LOGS_FIRST"
	"CLEAN_WITHOUT_FLUSH --volatile 1"
)

load_module || exit 1
if [ ! -e $PARAMETER ]; then
	not_ok "the module can make mistakes" "it is not built with RAIZN_MUTANTS=y"
	finish
fi
load_zonesim || exit 1
check "another array" faster
at_exit faster_no_more

# cut_power OPTION...: power cuts, until something is found or CUTS are over.
cut_power()
{
	powercut --seed 1 --cuts "$CUTS" "$@" >"$TMP/log" 2>&1 </dev/null
}

check "without a mistake nothing is found" cut_power
for i in "${!MUTANTS[@]}"; do
	read -r name options <<<"${MUTANTS[i]}"
	[ -z "${MUTANTS_ONLY:-}" ] || [[ " $MUTANTS_ONLY " == *" $name "* ]] ||
		continue
	rig_mark "$SUITE: $name"
	echo $((i + 1)) >$PARAMETER
	SECONDS=0
	# shellcheck disable=SC2086
	if cut_power $options; then
		not_ok "$name is found by powercut" "$CUTS cuts, $SECONDS s"
	else
		note "$(grep -aom 1 'FAILED.*' "$TMP/log" | cut -c 1-160)"
		ok "$name is found by powercut ($SECONDS s)"
	fi
	echo 0 >$PARAMETER
done
finish
