# SPDX-License-Identifier: GPL-2.0
# For scenarios of target without a member, sourced behind harness.sh.
RIG_MEMBER_SETTINGS=("${SMALL_ZONES[@]}")

# array_with_zones CREATE-OPTION...: an array that does not run, with zones in all
# states; STATE is what it holds.
array_with_zones()
{
	up "$@"
	check "zones in all states" zones_in_all_states
	STATE=$(volume_state 9)
	check "stop" stop_table
}

# The second member is not among the drives that are there.
without_second()
{
	DRIVES=("${ALL[0]}" "${ALL[@]:2}")
}

# Zones that are active already: there may be no room for more.
write_in_tails()
{
	local i

	for i in 0 6 7; do
		write_on $i 84 || return 1
	done
}
