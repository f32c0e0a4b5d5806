#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands that change an array refuse wrong arguments, and what they refuse changes
# nothing.
. "$(dirname "$0")/harness.sh"

array_up
check "a drive of no array" simulated_drive op5

refused "a command without an array" 2 'name an array and one of its members' \
	raizn fail
refused "fail without a member" 2 'name an array and one of its members' \
	raizn fail $VOLUME
refused "remove with too much" 2 'name an array and one of its members' \
	raizn remove $VOLUME 1 2
refused "an option that is none" 2 "no option '--frce'" \
	raizn fail $VOLUME 1 --frce
refused "replace without a new drive" 2 'and the new drive' \
	raizn replace $VOLUME 1
refused "add without a drive" 2 'name an array and a drive' \
	raizn add $VOLUME
refused "an array that does not run" 4 'none: no array of this name' \
	raizn fail none 1 --force
refused "a slot that is not there" 4 'has no slot 5, its slots are 0 to 4' \
	raizn fail $VOLUME 5 --force
refused "a name that is no drive" 4 'neither a slot of ops nor a device' \
	raizn fail $VOLUME opx --force
refused "fail of a drive of no array" 4 '/dev/op5: not a drive of ops' \
	raizn fail $VOLUME /dev/op5 --force
refused "fail without --force" 3 \
	'without member 1 .op1. it survives no further failure; use --force' \
	raizn fail $VOLUME 1
refused "remove of a member that works" 3 \
	"member 1 .op1. is in use; 'raizn fail ops 1' first" \
	raizn remove $VOLUME /dev/op1
refused "add where nothing is missing" 3 'all 5 members are there' \
	raizn add $VOLUME /dev/op5
refused "scrub with a wrong word" 2 "'look' is none of check, repair" \
	raizn scrub $VOLUME look
refused "pause of no scrub" 3 'no scrub is running' \
	raizn scrub $VOLUME pause
refused "--wait for a pause" 2 '--wait is for check and repair' \
	raizn scrub $VOLUME pause --wait
refused "repair without --force" 3 'will be overwritten, .*; use --force' \
	raizn scrub $VOLUME repair
refused "set without a value" 2 'name an array and what to set' \
	raizn set $VOLUME
refused "set of something else" 2 "'speed=1' is none of speed_min=" \
	raizn set $VOLUME speed=1
refused "a speed that is none" 2 'speed_max is a size from 1K to.*fast' \
	raizn set $VOLUME speed_max=fast
refused "a speed without a unit" 2 'speed_max is a size from 1K to.*100' \
	raizn set $VOLUME speed_max=100
refused "a speed that is too large" 2 'speed_max is a size from 1K to.*5T' \
	raizn set $VOLUME speed_max=5T
refused "an error limit that is none" 2 'error_limit is a number' \
	raizn set $VOLUME error_limit=-1
refused "the second setting is looked at before the first is made" 2 \
	'error_limit is a number' \
	raizn set $VOLUME speed_max=1M error_limit=x
refused "monitor with nothing to do" 2 'say what to do' raizn monitor
refused "monitor with a program that is none" 3 '/nowhere: cannot be run' \
	raizn monitor --program /nowhere --once
refused "watch with a wrong number" 2 '--watch takes seconds' \
	raizn status --watch=0
finish
