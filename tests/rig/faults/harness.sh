# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of faults: runs of the program src/faults/, and what they came to.
. "${BASH_SOURCE[0]%/*}/../../lib/rig.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/rounds.sh"
scenario

RESULT="faults injected"	# that the program counts
total=0
planned=0
struck=0

# at_least_1 N
at_least_1()
{
	echo $(($1 < 1 ? 1 : $1))
}

# sweep WHAT OPTION...
sweep()
{
	local what=$1
	shift

	if ! run_program "$what" faults "$@"; then
		program_remains_gone
		return 1
	fi
	total=$((total + $(program_result "$RESULT")))
}

# strike WHAT OPTION...: a sweep in which faults strike.  What goes on in the background is
# not the same each time, so a few that are planned may come too late.
strike()
{
	local p s

	sweep "$@" || return
	p=$(program_result "experiments planned")
	s=$(program_result "experiments that struck")
	check "$1: $s of $p experiments struck" \
		test $((s > 0 && (s + 2) * 10 >= p * 8)) -eq 1
	planned=$((planned + p))
	struck=$((struck + s))
}

# Commands that drives are sent without a fault make so many, at least. Fewer would mean that
# the workload has lost something.
ALL_PAIRS=1600

# pairs NR OPTION...: so many pairs of faults by chance, or all with NR 0, and the end
pairs()
{
	local nr=$1 least=$(($1 ? $1 : ALL_PAIRS))
	shift

	RESULT="pairs of faults injected"
	note "seed $SEED"
	programs_begin
	if [ -n "${PROGRAM_OPTIONS:-}" ]; then
		sweep "as asked for" --pairs
		finish
	fi
	strike "pairs of faults" --pairs --sample "$nr" --seed "$SEED" "$@"
	check "of $planned pairs that were planned, both struck in $struck" \
		test $((struck > 0 && struck * 50 >= planned * 49)) -eq 1
	check "$total pairs struck, $least are the least there should be" \
		test $((total >= least)) -eq 1
	programs_end "$RESULT" $total
}

# all_pairs WAY WAY: the first of two commands fails in one way, the second in the other
all_pairs()
{
	local nr=0

	((RAIZN_TEST_SCALE >= 100)) || nr=$(scaled 2000)
	pairs "$nr" --variant "$1" --second-variant "$2"
}
