#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five ZNS drives with zones of 2 GiB and blocks of 512 bytes.
. "$(dirname "$0")/harness.sh"

array_of 5 zn540-1t:512
whole_life
finish
