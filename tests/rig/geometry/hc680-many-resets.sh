#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Shingled disks, after 50,000 resets of zones: what a start and status read.
. "$(dirname "$0")/harness.sh"

array_of 5 hc680:4096
many_resets
finish
