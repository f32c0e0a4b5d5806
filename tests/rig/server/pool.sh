# SPDX-License-Identifier: GPL-2.0
# A second array of a server, of null_blk drives, which the next boot does not have.

# systemd unescapes a "-" in the name of an instance to "/".
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

# scrub_runs INSTANCE: the unit of that instance reads the data of the array.
scrub_runs()
{
	local unit="raizn-scrub@$1.service" before

	before=$(pool_json .bytes.member_read)
	check "start $unit" systemctl start "$unit"
	check "it ends" await 60 eval "[ \$(systemctl show -P ActiveState $unit) = inactive ]"
	check "it has found no mismatch" await 10 eval \
		"journalctl -b -u $unit --no-pager | grep -q '$POOL: all parity that was compared matches'" ||
		note "$(journalctl -b -u "$unit" --no-pager)"
	check "it has read all data" \
		eval "((\$(pool_json .bytes.member_read) - $before >= POOL_DATA))"
}

# As docs/operations.md says. The timer stays enabled; the purge of the packages ends that.
pool_is_scrubbed()
{
	check "enable its monthly scrub" systemctl enable --now raizn-scrub@$POOL.timer
	check_equal "the timer waits" "$(systemctl show -P SubState raizn-scrub@$POOL.timer)" \
		waiting
	scrub_runs $POOL
	scrub_runs "$(pool_json .uuid | tr -d -)"
}
