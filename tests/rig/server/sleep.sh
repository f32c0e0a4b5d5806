#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A server with an array is suspended to RAM, twice while the array is written and once
# while a member is replaced, and wakes up: what was written is right, and no drive was lost.
#
# The shares of the host do not outlive that sleep, as 9p's driver does not know of it. So a
# unit of the server's own does the work, with everything it needs on the server's disk; it
# reboots the machine at the end, and the next boot reads what it noted.
# lab: own-boot --drives 5
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/packages.sh"

VOLUME=tank
DEV=/dev/mapper/$VOLUME
SLEPT=/root/slept

awake()
{
	dmesg | grep -c 'PM: suspend exit'
}

# Puts the machine to sleep as an owner would; returns when it has been woken.
# shellcheck disable=SC2317 # the unit calls it
nap()
{
	local before

	before=$(awake)
	systemctl suspend && await 120 eval "((\$(awake) > $before))"
}

# shellcheck disable=SC2317
writer()
{
	fio --name=sleep --filename=$DEV --zonemode=zbd --rw=write --bs=64k --direct=1 \
		--size=4z --rate=3m --verify=crc32c --ioengine=libaio --iodepth=4 --fsync=64 \
		>$SLEPT/fio 2>&1
	echo $? >$SLEPT/fio-status
}

# noted FILE COMMAND...: its output goes to that file, its exit status to FILE-status.
# shellcheck disable=SC2317
noted()
{
	local file=$1

	shift
	"$@" >"$SLEPT/$file" 2>&1
	echo $? >"$SLEPT/$file-status"
}

# The work of the unit.
# shellcheck disable=SC2317
sleeper()
{
	cd $SLEPT || exit
	writer &
	sleep 5
	noted first-nap nap
	sleep 5
	noted second-nap nap
	jobs %1 >still-writing
	noted replace eval "raizn set $VOLUME speed_max=1K && raizn replace --no-copy $VOLUME 1 $SPARE --force"
	await 30 json_is .members[1].state rebuilding
	noted third-nap nap
	json .members[1].state >member
	wait
	raizn set $VOLUME speed_max=0
	noted active await 120 json_is .state active
	json '[.members[]|.read_errors+.write_errors]' >errors
	noted stop raizn stop $VOLUME
	noted check raizn check $VOLUME
	awake >awake
	dmesg >dmesg
	sync -f $SLEPT
	systemctl reboot --force --force
}

sleeping_unit()
{
	local SPARE

	SPARE=$(node zns4)
	{
		declare -p PATH VOLUME DEV SLEPT SPARE
		declare -f await json json_is awake nap writer noted sleeper
		echo sleeper
	} >$SLEPT/sleeper
	systemd-run --unit=sleeper bash $SLEPT/sleeper
}

# went_well WHAT FILE: the command of noted() succeeded.
went_well()
{
	check_equal "$1" "$(cat "$SLEPT/$2-status")" 0 || note "$(cat "$SLEPT/$2")"
}

if [ "$LAB_BOOT" = 1 ]; then
	mkdir $SLEPT
	check "install" install_packages
	check "create" raizn create $VOLUME "$(node zns0)" "$(node zns1)" "$(node zns2)" \
		"$(node zns3)"
	check "do not start by itself" raizn set $VOLUME autostart=no
	down "the machine sleeps" sleeping_unit
fi

came_up "the machine sleeps" reboot
went_well "it slept while the array was written" first-nap
went_well "and once more" second-nap
check "fio was writing then" grep -q Running $SLEPT/still-writing
went_well "it slept while a member was replaced" third-nap
check_equal "the member was being rebuilt then" "$(cat $SLEPT/member)" rebuilding ||
	note "$(cat $SLEPT/replace)"
check_equal "three times" "$(cat $SLEPT/awake)" 3 || note "$(tail -n 60 $SLEPT/dmesg)"
went_well "fio has written and read all of it" fio
went_well "the member is replaced" active
check_equal "no drive had errors" "$(cat $SLEPT/errors)" '[0,0,0,0]'
went_well "stop" stop
went_well "check" check
check "start" raizn start $VOLUME
check_equal "the array is active" "$(json .state)" active
check_equal "the spare is in" "$(json .members[1].serial)" zns4
check "stop again" raizn stop $VOLUME
finish
