# SPDX-License-Identifier: GPL-2.0
# Programs that do so many rounds of something random to arrays on simulated drives
# (rig/src/powercut, failures and faults), for suites that source it behind rig.sh.
# PROGRAM_OPTIONS in the environment goes to every run of such a program.
. "$(dirname "${BASH_SOURCE[0]}")/simulated.sh"

ROUNDS_TOTAL=0
ROUNDS_PLANNED=0

# rounds_begin PROGRAM COUNT-OPTION RESULT N: each run is told with COUNT-OPTION how much of
# N to do, and prints "RESULT: NUMBER" in the end.
rounds_begin()
{
	ROUNDS_PROGRAM=$1
	ROUNDS_OPTION=$2
	ROUNDS_RESULT=$3
	ROUNDS=$4
	ROUNDS_SEED=$SEED
	note "seed $SEED"
	programs_begin
}

# Modules, another array, and the end of what a program that failed left.
programs_begin()
{
	load_module && load_zonesim || exit 1
	check "another array" faster
	at_exit program_remains_gone
}

# All such programs call their array and its drives so.
program_remains_gone()
{
	local group=/sys/kernel/config/zonesim/powercut

	dmsetup remove --force --retry powercut
	[ ! -d $group ] || rmdir $group/*/ $group
}

# program_result NAME: the number that it printed for it
program_result()
{
	sed -n "s/^$1: //p" "$TMP/log"
}

# run_program WHAT PROGRAM OPTION...: its output is in $TMP/log
run_program()
{
	local what=$1 status
	shift

	rig_mark "$SUITE: $what"
	# shellcheck disable=SC2086
	"$@" ${PROGRAM_OPTIONS:-} >"$TMP/log" 2>&1 </dev/null
	status=$?
	sed -n '/^# /p' "$TMP/log"
	if [ $status -eq 0 ]; then
		ok "$what"
	else
		not_ok "$what" "exit status $status"
		RIG_SHOW_LINES=400 rig_show "$TMP/log"
	fi
	return $status
}

# rounds WHAT PERCENT OPTION...: so many percent of all, with a seed of its own
rounds()
{
	local what=$1 n=$((ROUNDS * $2 / 100))
	shift 2

	((n > 0)) || n=1
	ROUNDS_SEED=$((ROUNDS_SEED + 1))
	ROUNDS_PLANNED=$((ROUNDS_PLANNED + n))
	# A task that hangs goes on hanging; the others would meet its remains.
	run_program "$what" "$ROUNDS_PROGRAM" --seed $ROUNDS_SEED \
		"$ROUNDS_OPTION" $n "$@" || finish
	ROUNDS_TOTAL=$((ROUNDS_TOTAL + $(program_result "$ROUNDS_RESULT")))
}

# rounds_in_all_modes PERCENT PERCENT: of each write-cache mode with each kind of drive, with
# several threads, and with one command at a time
rounds_in_all_modes()
{
	local mode cache what options

	for mode in back through; do
		for cache in 1 0; do
			what="write_cache=$mode, drives with$([ $cache = 1 ] || echo out) a volatile cache"
			options=(--write-cache "$mode" --volatile "$cache")
			rounds "$what" "$1" "${options[@]}"
			rounds "$what, one command at a time" "$2" \
				"${options[@]}" --threads 1
		done
	done
}

# rounds_end: tells how many there were, at least as many as were planned, and ends
rounds_end()
{
	check_true "$ROUNDS_TOTAL of $ROUNDS_PLANNED planned" \
		"$ROUNDS_TOTAL >= ROUNDS_PLANNED"
	programs_end "$ROUNDS_RESULT" $ROUNDS_TOTAL
}

# programs_end RESULT NUMBER
programs_end()
{
	note "$1: $2"
	echo "$1: $2"
	check "the modules can be unloaded" \
		eval "faster_no_more && unload_module && rmmod zonesim"
	finish
}
