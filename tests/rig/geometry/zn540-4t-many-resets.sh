#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ZNS drives whose log zones have room for 275,000 records, after 50,000 resets of zones: what a
# start and status read.
. "$(dirname "$0")/harness.sh"

array_of 5 zn540-4t:4096
many_resets
finish
