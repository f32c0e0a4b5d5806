#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A member is lost: reads through io_uring, which tries each without waiting first, are all
# answered, though parts of them come from drives that take their time.
. "$(dirname "$0")/harness.sh"
RIG_MEMBER_SETTINGS=("${SMALL_ZONES[@]}" irqmode=2 completion_nsec=5000000)
up
note "seed $SEED"
check "write" polled write "$DEV" 0 1024 16 "$SEED" plain
check "a member fails" raizn fail "$VOLUME" 1 --force
check "read without it" polled read "$DEV" 0 1024 16 "$SEED" plain
note "$(tail -n 1 "$TMP/output")"
check_true "all are right" \
	"$(grep -c '^[1-9][0-9]* right, 0 unsupported, 0 again$' "$TMP/output") == 1"
down
finish
