#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every pair of commands in one workload, on an array with two parities: both fail. See pairs.
. "$(dirname "$0")/harness.sh"

all_pairs error error
