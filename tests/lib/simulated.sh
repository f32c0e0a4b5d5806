# SPDX-License-Identifier: GPL-2.0
# Simulated drives (tests/zonesim), for suites that source it behind rig.sh.
# The drives of a group share one power switch for each drive; GROUP is the
# folder of the group in configfs.

# Settings of every drive that simulated_drive() makes; later ones win.
SIMULATED_SETTINGS=(nr_zones=28 zone_size_kib=2048 zone_capacity_kib=1536
		    block_size=4096 max_open=14 max_active=14 write_cache=1
		    fua=1)

# simulated_group NAME: loads the simulator, makes the group; gone at exit.
simulated_group()
{
	GROUP=/sys/kernel/config/zonesim/$1
	load_zonesim && mkdir "$GROUP" || return 1
	at_exit "simulated_group_gone '$GROUP'"
}

simulated_group_gone()
{
	local group=${1:-$GROUP} drive drives=()

	[ -d "$group" ] || return 0
	for drive in "$group"/*/; do
		[ ! -d "$drive" ] || drives+=("$drive")
	done
	rmdir "${drives[@]}" "$group"
}

# simulated_drive NAME [KEY=VALUE...]: a new drive /dev/NAME, with power
simulated_drive()
{
	mkdir "$GROUP/$1" && simulated_drive_on "$@"
}

# simulated_drives NAME N [KEY=VALUE...]: N such drives, NAME0 and so on
simulated_drives()
{
	local name=$1 n=$2 i
	local -a drives
	shift 2

	for ((i = 0; i < n; i++)); do
		drives+=("$GROUP/$name$i")
	done
	mkdir "${drives[@]}" || return 1
	for ((i = 0; i < n; i++)); do
		simulated_drive_on "$name$i" "$@" || return 1
	done
}

simulated_drive_on()
{
	local drive=$GROUP/$1 setting
	shift

	for setting in "${SIMULATED_SETTINGS[@]}" "$@"; do
		echo "${setting#*=}" >"$drive/${setting%%=*}" || return 1
	done
	echo 1 >"$drive/power"
	rig_scheduler "/dev/${drive##*/}"
}

# array_permuted NAME SEED WORD...: what `raizn create NAME WORD...` makes, with the columns of
# each zone on members of other slots; drives are /dev/...
array_permuted()
{
	local name=$1 seed=$2 word drives=()
	shift 2

	for word; do
		[[ $word != /dev/* ]] || drives+=("$word")
	done
	raizn create "$name" "$@" --no-start && permute --seed "$seed" "${drives[@]}" &&
		raizn start "$name"
}

# simulated_set DRIVE ATTRIBUTE VALUE: the drive "." is the whole group
simulated_set()
{
	echo "$3" >"$GROUP/$1/$2"
}

# simulated_latency US: of all commands of all drives
simulated_latency()
{
	local drive

	for drive in "$GROUP"/*/; do
		echo "$1" >"$drive/latency_us" || return 1
	done
}

# simulated_zones_turn DRIVE CONDITION ZONE...
simulated_zones_turn()
{
	local drive=$1 condition=$2 zone
	shift 2

	for zone; do
		echo "$zone $condition" >"$GROUP/$drive/zone_cond" || return 1
	done
}

# faster: most of the time of a round would be the device mapper's waiting for RCU when
# it destroys the memory caches of its last user. So there is another array, "keeper", all
# the time until the exit or faster_no_more, and RCU does not wait for the timer.
RCU_PARAMETERS=/sys/module/rcutree/parameters
faster()
{
	local keeper=/sys/kernel/config/zonesim/keeper i devices=()

	at_exit faster_no_more
	read -r FASTER_EXPEDITED </sys/kernel/rcu_expedited
	echo 1 >/sys/kernel/rcu_expedited
	FASTER_JIFFIES=()
	for i in first next; do
		FASTER_JIFFIES+=("$(cat $RCU_PARAMETERS/jiffies_till_${i}_fqs)")
		echo 0 >$RCU_PARAMETERS/jiffies_till_${i}_fqs
	done
	mkdir $keeper || return 1
	for i in 0 1 2; do
		mkdir $keeper/keeper$i
		echo 16 >$keeper/keeper$i/nr_zones
		echo 1024 >$keeper/keeper$i/zone_size_kib
		echo 1024 >$keeper/keeper$i/zone_capacity_kib
		devices+=("/dev/keeper$i")
	done
	echo 1 >$keeper/power
	raizn create keeper "${devices[@]}" --stripe-unit 4K
}

faster_no_more()
{
	local keeper=/sys/kernel/config/zonesim/keeper

	[ -d $keeper ] || return 0
	raizn stop keeper
	rmdir $keeper/keeper* $keeper || return 1
	echo "${FASTER_JIFFIES[0]}" >$RCU_PARAMETERS/jiffies_till_first_fqs
	echo "${FASTER_JIFFIES[1]}" >$RCU_PARAMETERS/jiffies_till_next_fqs
	echo "$FASTER_EXPEDITED" >/sys/kernel/rcu_expedited
}
