#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A closed zone is not finished when all zones that may be are open explicitly, and
# nobody waits for that.
. "$(dirname "$0")/harness.sh"
RIG_MEMBER_SETTINGS=(blocksize=512 zone_max_open=8)
up --write-cache through

check "a zone is written" write_zone 0 64 64
check "it is closed" blkzone close -o 0 -c 1 "$DEV"
check "three others are open" blkzone open -o "$ZONE" -c 3 "$DEV"
check_fails "there is no place to finish it" FINISHZONE \
	blkzone finish -o 0 -c 1 "$DEV"
check "a flush ends" timeout 60 sync "$DEV"
check "one of them is closed" blkzone close -o "$ZONE" -c 1 "$DEV"
check "with a place it is finished" blkzone finish -o 0 -c 1 "$DEV"
down
finish
