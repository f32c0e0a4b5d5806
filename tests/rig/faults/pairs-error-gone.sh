#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every pair of commands in one workload, on an array with two parities: the first one fails,
# and the drive of the second one is gone from then on. See pairs.
. "$(dirname "$0")/harness.sh"

all_pairs error gone
