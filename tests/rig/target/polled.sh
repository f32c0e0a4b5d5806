#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reads and writes that are polled for are right if the drives can be polled, also those that
# wait for room and those of a lost member; otherwise they are refused as on a linear device.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

# polled_run WHAT OPTION...: PRINTED is what the program counted.
polled_run()
{
	local what=$1
	shift

	check "$what" timeout -s KILL 60 polled "$@" "$SEED"
	PRINTED=$(tail -n 1 "$TMP/output")
	note "$PRINTED"
}

all_right()
{
	check_true "all are right, $1" "$(grep -c '^[1-9][0-9]* right, 0 unsupported, 0 again$' \
		<<<"$PRINTED") == 1"
}

crowded()
{
	polled_run "write far more at once than a zone may have under way" \
		write "$DEV" "$ZONE" $((40 << 8)) 512
	all_right "many writes at once"
	polled_run "read all at once" read "$DEV" "$ZONE" $((40 << 8)) 512
	all_right "many reads at once"
	check "flush" sync "$DEV"
	parity "parity and data agree" --min-stripes 150 --volume "$DEV"
}

degraded()
{
	check "a member fails" raizn fail "$VOLUME" 1 --force
	polled_run "read without it" read "$DEV" 0 $blocks 16
	all_right "reads without a member"
	polled_run "write without it" write "$DEV" $((2 * ZONE)) $blocks 16
	all_right "writes without a member"
	polled_run "read what was written without it" read "$DEV" $((2 * ZONE)) $blocks 16
	all_right "reads of that"
	check "flush without it" sync "$DEV"
	DRIVES=("${DRIVES[0]}" "${DRIVES[@]:2}")
	parity "parity and data agree without it" --degraded --volume "$DEV"
}

note "seed $SEED"
# So slow that a zone's writes pile up.
RIG_MEMBER_SETTINGS=(irqmode=2 completion_nsec=5000000)
up
note "io_poll: $(queue io_poll)"
blocks=$((8 << 8))
polled_run "write" write "$DEV" 0 $blocks 16
all_right "writes"
polled_run "read" read "$DEV" 0 $blocks 16
all_right "reads"
# That of 6.1 never ends a polled request that got EAGAIN, that of 6.12 calls it complete.
if kernel_at_least 7 0; then
	crowded
else
	skip "many at once" "io_uring loses requests that get EAGAIN"
fi
degraded
down

# Drives that cannot be polled.
simulated_group polled || exit 1
check "simulated drives" simulated_drives po 4 || finish
VOLUME=polled
DEV=/dev/mapper/$VOLUME
check "an array" raizn create $VOLUME /dev/po{0..2} || finish
at_exit "raizn stop $VOLUME"
at_exit "dmsetup remove --retry polled-linear"
dmsetup mknodes $VOLUME
check "a linear device" dmsetup create polled-linear --table \
	"0 $(blockdev --getsz /dev/po3) linear /dev/po3 0"
dmsetup mknodes polled-linear
for verb in write read; do
	polled_run "$verb, linear device" $verb /dev/mapper/polled-linear 0 256 16
	wanted=$PRINTED
	polled_run "$verb, volume" $verb $DEV 0 256 16
	check_equal "they have the same answers: $verb" "$PRINTED" "$wanted"
done
finish
