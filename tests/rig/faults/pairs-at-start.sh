#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two commands fail while an array with two parities starts after a power cut: it starts,
# again if one was a read, and holds all that was flushed. By chance, otherwise as pairs.
. "$(dirname "$0")/harness.sh"

pairs "$(scaled 30 20 1500)" --at-start
