#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A shelf of 24 shingled disks: 2.4 million zones.
. "$(dirname "$0")/harness.sh"

array_of 24 hc680
whole_life
finish
