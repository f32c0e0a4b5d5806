#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every pair of commands in one workload, on an array with two parities: the drive of the first
# one is gone from then on, and the second one fails. See pairs.
. "$(dirname "$0")/harness.sh"

all_pairs gone error
