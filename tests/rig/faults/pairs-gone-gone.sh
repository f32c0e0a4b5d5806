#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every pair of commands in one workload, on an array with two parities: the drives of both
# are gone from then on. See pairs.
. "$(dirname "$0")/harness.sh"

all_pairs gone gone
