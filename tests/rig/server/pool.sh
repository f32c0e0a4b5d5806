# SPDX-License-Identifier: GPL-2.0
# A second array of a server, of null_blk drives, which the next boot does not have.

POOL=my-pool
POOL_DEV=/dev/mapper/$POOL
POOL_DATA=$((2 << 20))

pool_json()
{
	VOLUME=$POOL json "$1"
}

pool_is()
{
	[ "$(pool_json .state)" = "$1" ]
}

pool_up()
{
	local drives

	mapfile -t drives < <("$RIG_TOP/scripts/nullblk" create pool0 pool1 pool2)
	check "create another array" raizn create $POOL "${drives[@]}"
	check "write to it" dd if=/dev/urandom of=$POOL_DEV bs=$POOL_DATA count=1 \
		iflag=fullblock oflag=direct conv=fsync
}

pool_down()
{
	local names

	mapfile -t names < <("$RIG_TOP/scripts/nullblk" list)
	check "stop the other array" raizn stop $POOL
	"$RIG_TOP/scripts/nullblk" destroy "${names[@]}"
}
