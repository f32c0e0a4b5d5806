#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five shingled disks, with conventional zones in front and no limit of active zones.
. "$(dirname "$0")/harness.sh"

array_of 5 hc620
whole_life
finish
