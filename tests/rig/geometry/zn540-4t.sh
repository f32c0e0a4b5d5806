#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five ZNS drives with 3,688 zones of 2 GiB.
. "$(dirname "$0")/harness.sh"

array_of 5 zn540-4t
whole_life
finish
