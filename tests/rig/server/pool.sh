# SPDX-License-Identifier: GPL-2.0
# A second array of a server, of null_blk drives, which the next boot does not have.
. "$RIG_TOP/tests/lib/editor.sh"

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

# scrub_waits INSTANCE: no such array runs, and systemd will try it again, until the package goes.
scrub_waits()
{
	local unit="raizn-scrub@$1.service"

	check "start $unit" systemctl start "$unit"
	check "it waits for its array" await 60 eval \
		"[ \$(systemctl show -P SubState $unit) = auto-restart ]" ||
		note "$(systemctl --no-pager -l status "$unit")"
	check "stop it as raizn.prerm does" systemctl stop 'raizn-scrub@*.service'
	check_equal "nothing is left of it" "$(systemctl show -P ActiveState "$unit")" inactive
}

# As docs/operations.md says. The timer stays enabled; the purge of the packages ends that.
pool_is_scrubbed()
{
	check "enable its monthly scrub" systemctl enable --now raizn-scrub@$POOL.timer
	check_equal "the timer waits" "$(systemctl show -P SubState raizn-scrub@$POOL.timer)" \
		waiting
	scrub_waits absent
	scrub_runs $POOL
	scrub_runs "$(pool_json .uuid | tr -d -)"
}

# zone_of DRIVE ROLE: its log zone of that role
zone_of()
{
	raizn inspect "$1" log --json | jq ".log[]|select(.role==\"$2\")|.zone"
}

# drives_come NAME...: udev sees them as it does at boot, and is done.
drives_come()
{
	udevadm trigger --action=add "${@/#//sys/class/block/}" && udevadm settle
}

# A drive comes whose format a newer version has written: it is kept from others, and the array
# waits for it; other arrays start. In the end the drive is as it was.
newer_drive_comes()
{
	local drive zones uuid known property zone said

	uuid=$(pool_json .uuid)
	drive=$("$RIG_TOP/scripts/nullblk" path pool1)
	said="$drive: its metadata is of format version 9, raizn .* knows version"
	zones=("$(zone_of "$drive" "general log")" "$(zone_of "$drive" "partial-parity log")")
	check "stop the other array" raizn stop $POOL
	for zone in "${zones[@]}"; do
		check "zone $zone of $drive is of another format" \
			rewrite "$drive" "$zone" 0:version=9
	done
	check "unmount" umount $MOUNT
	check "stop" raizn stop $VOLUME
	check "all drives come" drives_come pool0 pool1 pool2 \
		"$(basename "$(node zns0)")" "$(basename "$(node zns1)")" \
		"$(basename "$(node zns2)")" "$(basename "$(node zns3)")"
	known=$(for property in ID_FS_TYPE ID_FS_VERSION ID_FS_UUID SYSTEMD_READY; do
		udev_says "$drive" $property
	done | paste -sd ' ')
	check_equal "udev knows the drive as a member of that format" "$known" "raizn_member 9 0"
	check "another array starts" await 60 json_is .state active
	check "mount its file system again" mount $MOUNT
	check_equal "the array of that drive waits" "$(pool_json .state)" incomplete
	check "the journal names the drive and its format" await 30 eval \
		"journalctl -u raizn-assemble@$uuid --no-pager | grep -q '$said'" ||
		note "$(journalctl -u "raizn-assemble@$uuid" --no-pager)"
	check_equal "status names it in one line" \
		"$(raizn status | grep -c "^$said")" 1

	for zone in "${zones[@]}"; do
		check "zone $zone of $drive is as it was" rewrite "$drive" "$zone"
	done
	check "the drive comes again" drives_come pool1
	check "the array starts" await 60 pool_is active
}

# A member is replaced while udev hangs.
replaced_without_udev()
{
	local drive

	drive=$("$RIG_TOP/scripts/nullblk" create pool3)
	check "a member fails" raizn fail $POOL 2 --force
	check "udev hangs" pkill -STOP systemd-udevd
	check "replace does not hang with it" \
		eval "timeout 60 raizn replace $POOL 2 $drive >$TMP/out 2>&1"
	check "it says what it has waited for" \
		grep -q 'udev has not answered for 30 seconds' "$TMP/out" ||
		rig_show "$TMP/out"
	check "the new member is whole" await 60 pool_is active
	check "udev goes on" pkill -CONT systemd-udevd
}
