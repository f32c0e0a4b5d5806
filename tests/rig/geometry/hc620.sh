#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five shingled disks, with conventional zones in front and no limit of active zones. From
# run to run their blocks are of 4096 bytes, or 512e.
. "$(dirname "$0")/harness.sh"

array_of 5 "$(one_of hc620:4096 hc620:512e)"
whole_life
finish
