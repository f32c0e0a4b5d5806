#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As many ZNS drives as an array takes: a zone of the volume holds 33 GiB.
. "$(dirname "$0")/harness.sh"

array_of 32 zn540-1t
whole_life
finish
