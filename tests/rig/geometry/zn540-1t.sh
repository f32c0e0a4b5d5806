#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five ZNS drives with zones of 2 GiB, of which 9 can be active.
. "$(dirname "$0")/harness.sh"

array_of 5 zn540-1t
whole_life
finish
