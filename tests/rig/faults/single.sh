#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A member fails at any moment (src/faults/): the k-th command of every kind, on
# every member, for every k, in the ways that drives fail. The user of the volume
# must not notice; with a second member lost, he gets right data or errors.
#
# RAIZN_TEST_SCALE=100 tries the two main ways everywhere, the others at each
# command out of 21, and starts the array again after some; more does that more
# often, less tries the main ways less often, too. The write cache through, and more
# members, are tried at half as many commands; a second member is lost after each
# write of the first, and while members are replaced the main ways are tried at each
# command out of 4. PROGRAM_OPTIONS replaces all of it by one run with these options.
#
# Before each part the program counts what the drives are sent without a fault. So it is
# known how many faults there are to be, and a part in which much fewer strike has failed.
. "$(dirname "$0")/harness.sh"

EVERY=$(at_least_1 $((100 / RAIZN_TEST_SCALE)))
STRIDE=$(at_least_1 $((2100 / RAIZN_TEST_SCALE)))
SELDOM=$((2 * STRIDE))
REPLACE=$(at_least_1 $((400 / RAIZN_TEST_SCALE)))
PAIRS=$(at_least_1 $((100 / RAIZN_TEST_SCALE)))
AFTER=$(at_least_1 $((800 / RAIZN_TEST_SCALE)))
AT_START=$(at_least_1 $((300 / RAIZN_TEST_SCALE)))
MEMBERS=5

programs_begin
if [ -n "${PROGRAM_OPTIONS:-}" ]; then
	sweep "as asked for"
	finish
fi
sweep "no fault" --no-fault
for variant in error gone; do
	strike "$variant, at one command out of $EVERY" --variant $variant \
		--every "$EVERY" --after "$AFTER"
done
for variant in "done" part readonly readonly-part offline offline-done \
	       gone-done gone-part medium broken; do
	strike "$variant" --variant $variant --stride "$STRIDE"
done
for variant in error gone readonly broken; do
	strike "$variant, during a start" --variant $variant --at-start \
		--stride "$AT_START"
done
strike "two members, at one write out of $PAIRS" --double --every "$PAIRS"
sweep "replacement, no fault" --replace --no-fault
for variant in error gone; do
	strike "$variant, replacement, at one command out of $REPLACE" --replace \
		--variant $variant --every "$REPLACE" --after "$AFTER"
done
for variant in "done" part readonly offline broken; do
	strike "$variant, replacement" --replace --variant $variant \
		--stride "$SELDOM" --after "$AFTER"
done
for variant in error gone readonly; do
	strike "$variant, write cache through" --through --variant $variant \
		--every "$SELDOM" --stride "$SELDOM" --after "$AFTER"
done
strike "$MEMBERS members" --members "$MEMBERS" --variant error \
	--every "$SELDOM" --after "$AFTER"

# However often a scale asks for, there are only so many commands.
least=$(scaled 1200 300)
least=$((least < 1200 ? least : 1200))
check "$struck of $planned experiments struck, $least are the least there should be" \
	test $((struck >= least && struck * 20 >= planned * 19)) -eq 1
programs_end "faults injected" $total
