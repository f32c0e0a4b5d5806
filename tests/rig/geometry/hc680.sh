#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five shingled disks with 100,584 zones and 512e blocks.
. "$(dirname "$0")/harness.sh"

array_of 5 hc680
whole_life
finish
