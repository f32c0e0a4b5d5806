#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five shingled disks with 100,584 zones. From run to run their blocks are 512e, or of 4096
# bytes.
. "$(dirname "$0")/harness.sh"

array_of 5 "$(one_of hc680:512e hc680:4096)"
whole_life
finish
