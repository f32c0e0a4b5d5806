#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Power cuts by the thousand leave nothing wrong, in both write-cache modes, on drives
# with and without a volatile cache, with several threads and with one (src/powercut/).
# RAIZN_TEST_SCALE=100 is 2,000 of them. With one command at a time a seed repeats a run.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/rounds.sh"
scenario

rounds_begin powercut --cuts "power cuts" "$(scaled 2000 80)"
rounds_in_all_modes 16 6
rounds "write_cache=back, all members stay" 6 --write-cache back --no-loss
rounds "each command in turn" 6 --enumerate
rounds_end
