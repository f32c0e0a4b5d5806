#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two commands fail in one workload, on an array with two parities (src/faults/, --pairs), and
# the user of the volume does not notice. Pairs by chance: any commands of any members, also
# two of one member, each with an error or with its drive gone from then on. In the end the
# array is whole again. The scenarios pairs-WAY-WAY, as pairs-error-gone, try all of these pairs.
. "$(dirname "$0")/harness.sh"

pairs "$(scaled 100 20)"
