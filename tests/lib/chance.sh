# SPDX-License-Identifier: GPL-2.0
# Choices that the seed of the run makes, for suites that source it behind `scenario`. They are
# not for subshells, which would make the same choices again.
#
#	pick N			PICKED is a number below N
#	pick_of WORD...		PICKED is one of the words
#	percent N		true in so many of 100 cases

RANDOM=$((SEED & 0x7fffffff))

pick()
{
	PICKED=$((RANDOM % $1))
}

pick_of()
{
	pick $#
	shift $PICKED
	PICKED=$1
}

percent()
{
	((RANDOM % 100 < $1))
}
