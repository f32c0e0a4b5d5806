# SPDX-License-Identifier: GPL-2.0
# Sourced by suites that start arrays by the hundred on simulated drives.

# Most of the time of a round would be the device mapper's waiting for RCU when
# it destroys the memory caches of its last user. So there is another array all
# the time, and RCU does not wait for the timer.
faster()
{
	local keeper=/sys/kernel/config/zonesim/keeper i devices=()

	echo 1 >/sys/kernel/rcu_expedited
	for i in first next; do
		echo 0 >/sys/module/rcutree/parameters/jiffies_till_${i}_fqs
	done
	mkdir $keeper
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
	raizn stop keeper
	rmdir /sys/kernel/config/zonesim/keeper/keeper*
	rmdir /sys/kernel/config/zonesim/keeper
}
