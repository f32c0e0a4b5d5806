#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five ZNS drives with 40,704 small zones, of which 379 can be active.
. "$(dirname "$0")/harness.sh"

array_of 5 pm1731a
whole_life
finish
