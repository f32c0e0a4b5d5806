# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of faults: runs of the program src/faults/, and what they came to.
. "${BASH_SOURCE[0]%/*}/../../lib/rig.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/rounds.sh"
scenario

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
	total=$((total + $(program_result "faults injected")))
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
