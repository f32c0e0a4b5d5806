#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Members fail, stall, come back and are replaced under load, and users of the volume
# notice nothing (src/failures/). Scrubs run, power is cut in the middle of it, parity
# silently changes, in both write-cache modes, with several threads and with one.
# RAIZN_TEST_SCALE=100 is 1,000 rounds.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/rounds.sh"
scenario

rounds_begin failures --rounds "failure rounds" "$(scaled 1000 40)"
rounds_in_all_modes 20 5
rounds_end
