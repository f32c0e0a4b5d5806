#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Sectors that cannot be read, or changed silently, are those that were named.
. "$(dirname "$0")/harness.sh"

drive zsa
wr zsa 1 0 64
put zsa bad_sectors "$((ZONE + 16)) 2"
fails "a bad sector" rd zsa 1 0 64
check "... beside it" holds zsa 1 18 46
put zsa power 0
put zsa power 1
fails "... stays bad" rd zsa 1 17 1
op zsa reset 1
wr zsa 1 0 64
check "... until it is written anew" holds zsa 1 0 64
put zsa bad_sectors "$((ZONE + 16)) 2 2"
check "sectors that turn bad can be read before" holds zsa 1 0 64
check "... so many times" holds zsa 1 17 1
fails "... no more" rd zsa 1 16 2
fails "... and it stays bad" rd zsa 1 0 64
put zsa bad_sectors clear
put zsa flip $((ZONE + 5))
fails "a sector changed silently" holds zsa 1 0 64
check "... that one only" eval "holds zsa 1 0 5 && holds zsa 1 6 58"
fails "no flip where nothing was written" \
	put zsa flip $((2 * ZONE))
zonesim_end
