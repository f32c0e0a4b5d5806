#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Are the fuzzers blind? Each deliberate mistake that tests/mutants.patch adds to the module
# has to be found by power cuts (src/powercut/), by members that fail (src/failures/), or by
# a scenario: members that stall (stalls/), work on a degraded array (degraded.sh), buffers
# that change (target/changing-buffers.sh), blocks that can be computed and are not read
# (computable.sh), a power cut at one moment (operations/). Without a mistake nothing may be found.
# MUTANTS_ONLY selects some by name.
# lab: --patch tests/mutants.patch
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
scenario

PARAMETER=/sys/module/dm_raizn/parameters/mutant
CUTS=$(scaled 1000 50)
ROUNDS=$(scaled 1000 50)

# Which program is to find each of them, and with what, in the order of enum
# raizn_mutant.
MUTANTS=(
	"DROP_PP_EARLY powercut --write-cache back"
	"LOG_RESET_BEFORE_FLUSH operations/power-cut-in-log-switch.sh"
	"RESET_WITHOUT_INTENT powercut"
	"RESET_WITHOUT_DONE powercut"
	"ANY_GENERATION powercut"
	"FLUSH_WITHOUT_PP powercut --write-cache back"
	"FLUSH_NOT_SENT powercut --write-cache back --volatile 1"
	"RECORD_NOT_FUA powercut --write-cache back --volatile 1"
	"FUA_ALONE powercut --write-cache back --volatile 1"
	"FINISH_WITHOUT_FLUSH powercut --volatile 1 --write-cache back"
	"FILL_WITHOUT_PARITY powercut"
	"NO_FALLBACK powercut"
	"MAP_BEFORE_FLUSH powercut --volatile 1"
	"OLD_LOGS_FIRST powercut"
	"CLEAN_WITHOUT_FLUSH operations/power-cut-after-stop.sh"
	"FAIL_NOT_HELD failures"
	"COLUMN_NOT_RECORDED failures"
	"DEGRADE_WITHOUT_TAIL failures"
	"BACK_ANY_GENERATION failures"
	"RESET_NOT_REBUILDING failures"
	"SCRUB_ACROSS_RESET failures"
	"DECODE_ACROSS_RESET degraded.sh"
	"DONE_CANCELLED failures"
	"RELEASED_UNSETTLED operations/power-cut-after-filling.sh"
	"FLUSH_BEFORE_RECORDS stalls/flush.sh"
	"NOT_COPIED target/changing-buffers.sh"
	"FLUSH_BEFORE_PARITY stalls/flush-after-parity.sh"
	"OLD_PLACE_READ operations/old-places-come-free.sh"
	"LOST_TOO_SOON computable.sh"
	"UNIT_LEFT_OUT computable.sh"
	"SPOILT_READ operations/debris-stays.sh"
	"DEBRIS_NOT_RECORDED operations/debris-stays.sh"
	"ROWS_NOT_AGAIN operations/debris-stays.sh"
	"SPOILT_AFTER_MOVE operations/spoilt-rows-unreadable.sh"
)

load_module || exit 1
if [ ! -e $PARAMETER ]; then
	not_ok "the module can make mistakes" "it is not built with tests/mutants.patch"
	finish
fi
load_zonesim || exit 1
check "another array" faster

# look PROGRAM OPTION...: until something is found or the rounds are over.
look()
{
	case $1 in
	powercut)
		"$@" --seed 1 --cuts "$CUTS"
		;;
	failures)
		"$@" --seed 1 --rounds "$ROUNDS"
		;;
	*)
		"$(dirname "$0")/$1"
		;;
	esac >"$TMP/log" 2>&1 </dev/null
}

# Rounds until it was found, if it was in rounds.
how_soon()
{
	sed -n 's/.*FAILED.* in round \([0-9]*\) of chain \([0-9]*\) .*/round \1 of chain \2, /p' \
		"$TMP/log"
}

is_wanted()
{
	[ -z "${MUTANTS_ONLY:-}" ] || [[ " $MUTANTS_ONLY " == *" $1 "* ]]
}

# once PROGRAM: without a mistake.
once()
{
	local what="without a mistake nothing is found by $1"

	[[ "$SEEN" != *" $1 "* ]] || return 0
	SEEN+="$1 "
	if look "$1"; then
		ok "$what"
	else
		not_ok "$what" "$(how_soon)"
		RIG_SHOW_LINES=400 rig_show "$TMP/log"
	fi
}

SEEN=" "
for i in "${!MUTANTS[@]}"; do
	read -r name program options <<<"${MUTANTS[i]}"
	is_wanted "$name" || continue
	once "$program"
	rig_mark "$SUITE: $name"
	echo $((i + 1)) >$PARAMETER
	SECONDS=0
	# shellcheck disable=SC2086
	if look "$program" $options; then
		not_ok "$name is found by $program" "$SECONDS s"
	else
		note "$(grep -aom 1 'FAILED.*' "$TMP/log" | cut -c 1-160)"
		ok "$name is found by $program ($(how_soon)$SECONDS s)"
	fi
	echo 0 >$PARAMETER
done
finish
