#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The device-mapper target itself: table lines, status, limits, requests it must
# turn down, suspend and reload under load, log switches, write amplification,
# a second owner, starts after a crash and without a member, and what unloading
# leaves behind.
# TARGET_ONLY="limits amplification ..." picks some parts.
. "$(dirname "$0")/../lib/rig.sh"
suite target

HERE=$(cd "$(dirname "$0")" && pwd)
MIB_SECTORS=2048

wanted()
{
	[[ -z ${TARGET_ONLY:-} || " $TARGET_ONLY " == *" $1 "* ]]
}

# up CREATE-OPTION...: an array, or a failed check.
up()
{
	volume_up "$@" >"$TMP/output" 2>&1 && return 0
	not_ok "the volume comes up"
	rig_show "$TMP/output"
	volume_down >/dev/null 2>&1
	return 1
}

down()
{
	check "$1: down" volume_down
}

parity()
{
	check "$1" parity_check "${@:2}" "${DRIVES[@]}"
	note "$(tail -n 1 "$TMP/output")"
}

queue()
{
	cat "/sys/block/$DEV_NAME/queue/$1"
}

# All zones of all members, and what stands in their log zones. One program:
# in a guest it takes long to start many.
members_state()
{
	python3 - "${DRIVES[@]}" <<-'END'
	import fcntl, hashlib, mmap, os, struct, sys
	digest, buffer = hashlib.sha256(), mmap.mmap(-1, 1 << 20)
	for path in sys.argv[1:]:
	    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
	    size = struct.unpack("I", fcntl.ioctl(fd, 0x80041284, bytes(4)))[0]
	    nr = struct.unpack("I", fcntl.ioctl(fd, 0x80041285, bytes(4)))[0]
	    report = bytearray(16 + 64 * nr)
	    struct.pack_into("QII", report, 0, 0, nr, 0)
	    fcntl.ioctl(fd, 0xc0101282, report)
	    digest.update(report)
	    for i in range(5):
	        os.preadv(fd, [buffer], i * size * 512)
	        digest.update(buffer)
	print(digest.hexdigest())
	END
}

# What the volume is for its users: state, write pointer and data of its first
# zones.  Zones that were open may be closed.
volume_state()
{
	local zone i

	zone=$(($(queue chunk_sectors) / MIB_SECTORS))
	blkzone report -c "$1" "$DEV" | sed -E \
		-e 's/.*start: (\w+).*zcond:14.*/\1 full/' \
		-e 's/.*start: (\w+).*wptr (\w+).*/\1 \2/'
	for ((i = 0; i < $1; i++)); do
		dd if="$DEV" bs=1M count=$((zone * 3 / 4)) skip=$((i * zone)) \
			iflag=direct status=none || echo "zone $i: not readable"
	done | md5sum
}

# write_on ZONE KIB: random data from the write pointer on, and a flush.
write_on()
{
	local size start wp

	size=$(queue chunk_sectors)
	start=$(($1 * size))
	wp=$(blkzone report -o $start -c 1 "$DEV" |
		sed -E 's/.*wptr (\w+).*/\1/')
	dd if=/dev/urandom of="$DEV" bs=4k count=$(($2 / 4)) oflag=direct,seek_bytes \
		seek=$(((start + wp) * 512)) conv=fsync,notrunc
}

# ---- table lines ------------------------------------------------------------

# refused WHAT REGEX TABLE...: the table is turned down with a word about it in
# the kernel log, and the members stay as they are.
refused()
{
	local what=$1 pattern=$2 before after
	shift 2

	before=$(members_state)
	rig_mark "$what"
	kernel_log_new >/dev/null
	if dmsetup create rig-bad --table "$*" >"$TMP/output" 2>&1; then
		dmsetup remove rig-bad
		not_ok "table: $what" "it was taken"
		return
	fi
	after=$(members_state)
	kernel_log_new >"$TMP/log"
	if ! grep -v "$what" "$TMP/log" | grep -Eq -- "$pattern"; then
		not_ok "table: $what" "no '$pattern' in the kernel log"
		rig_show "$TMP/log"
	elif [ "$before" != "$after" ]; then
		not_ok "table: $what" "the members were changed"
	else
		ok "table: $what"
	fi
}

test_table()
{
	local len line all other blank

	up || return
	len=$(blockdev --getsz "$DEV")
	line=$(dmsetup table "$VOLUME")
	check_true "table: one line of the right length" \
		"$(wc -l <<<"$line") == 1 && $(cut -d' ' -f2 <<<"$line") == $len"
	check "table: stop" volume_stop
	# numbers of the members, as the table line has them
	all=$(cut -d' ' -f5- <<<"$line")
	# shellcheck disable=SC2086
	set -- $all
	check_equal "table: names all members" $# 5

	other=$(nullblk create other) && RIG_DRIVES+=(other)
	blank=$(nullblk create flat zoned=0 size=64) && RIG_DRIVES+=(flat)
	rig_scheduler "$other"

	refused "no words" "raizn" 0 "$len" raizn
	refused "no members" "number of members" 0 "$len" raizn 0
	refused "one member" "number of members" 0 "$len" raizn 1 "$1"
	refused "33 members" "number of members" 0 "$len" raizn 33 $all
	refused "a number that is none" "number of members" \
		0 "$len" raizn five $all
	refused "more members than words" "Fewer devices" \
		0 "$len" raizn 6 $all
	refused "fewer members than words" "options|has 5 members" \
		0 "$len" raizn 4 $all
	refused "a member less" "has 5 members" \
		0 "$len" raizn 4 "$1" "$2" "$3" "$4"
	refused "a member twice" "named twice" \
		0 "$len" raizn 5 "$1" "$2" "$3" "$4" "$4"
	refused "a missing member" "member 0 .* is missing: connect it" \
		0 "$len" raizn 5 - "$2" "$3" "$4" "$5"
	refused "a missing member at the end" "member 4 .* is missing" \
		0 "$len" raizn 5 "$1" "$2" "$3" "$4" -
	refused "more missing members than parity" "2 members are missing" \
		0 "$len" raizn 5 "$1" - "$3" "$4" - 1 degraded
	refused "only missing members" "No member given" \
		0 "$len" raizn 5 - - - - - 1 degraded
	refused "a member less, degraded" "has 5 members" \
		0 "$len" raizn 4 "$1" "$2" "$3" "$4" 1 degraded
	refused "a device that is not there" "can not be opened|Can not open" \
		0 "$len" raizn 5 "$1" "$2" "$3" "$4" /dev/not-there
	refused "a foreign drive" "no superblock" \
		0 "$len" raizn 5 "$1" "$2" "$3" "$4" "$other"
	refused "a conventional drive" "not a host-managed" \
		0 "$len" raizn 5 "$1" "$2" "$3" "$4" "$blank"
	refused "a length that is too small" "[Ll]ength" \
		0 $((len - 131072)) raizn 5 $all
	refused "a length that is too large" "[Ll]ength" \
		0 $((len + 131072)) raizn 5 $all
	refused "a length that is no number of zones" "." \
		0 $((len - 8)) raizn 5 $all
	refused "more options than there are" "number of options" \
		0 "$len" raizn 5 $all 5 degraded maintain degraded maintain degraded
	refused "a drive to rebuild on, of an array that does not run" \
		"no superblock" \
		0 "$len" raizn 5 "$1" "$2" "$3" "$4" "$other" 1 rebuild=4
	refused "a member to rebuild that the array does not have" "no such member" \
		0 "$len" raizn 5 $all 1 rebuild=100000000
	refused "an unknown option" "unknown option" \
		0 "$len" raizn 5 $all 1 write_cache=sideways
	refused "options that are not there" "." \
		0 "$len" raizn 5 $all 2 write_cache=back
	refused "words behind the options" "[Mm]ore words|option" \
		0 "$len" raizn 5 $all 1 write_cache=back more
	refused "a number of options that is none" "." \
		0 "$len" raizn 5 $all some
	refused "a place behind another target" "." \
		"0 131072 zero
		 131072 $len raizn 5 $all"

	# In another order, by path, with an option: all the same array.
	check "table: members in another order" dmsetup create "$VOLUME" \
		--table "0 $len raizn 5 $5 $3 $1 $4 $2 1 write_cache=through"
	RIG_VOLUME_UP=1
	check_equal "table: write_cache=through" \
		"$(status_field write_cache)" through
	check "table: remove" dmsetup remove --retry "$VOLUME"
	RIG_VOLUME_UP=
	check "table: start" volume_start
	check_equal "table: write_cache=back again" \
		"$(status_field write_cache)" back
	drive_gone other flat
	down table
}

# ---- status and limits --------------------------------------------------------

write_sequential()
{
	fio --name=w --filename="$DEV" --zonemode=zbd --direct=1 --rw=write \
	    --ioengine=libaio --iodepth=8 "$@"
}

# counters_add_up: nothing written by users is lost in the sums. The volume
# wrote $1 sectors in whole stripes of four units.
counters_add_up()
{
	local user=$1

	check_equal "status: user sectors written" \
		"$(status_field user_written)" "$user"
	check_equal "status: data sectors written" \
		"$(status_field data)" "$user"
	check_equal "status: parity sectors written" \
		"$(status_field parity)" $((user / 4))
	check_equal "status: no partial parity" \
		"$(status_field partial_parity)" 0
}

test_status()
{
	local pattern size=$((20 * MIB_SECTORS))

	up || return
	pattern="^0 [0-9]+ raizn active 5 A{5} [0-9]+( [0-9]+){10} 0 0 9 9 back"
	pattern+=" 0 idle 0 0 0 0 0 0 10240 0 20( 0,0,0){5} 0 0$"
	check_true "status: has its shape" \
		"$(dmsetup status "$VOLUME" | grep -Ec "$pattern") == 1"
	note "$(dmsetup status "$VOLUME")"
	counters_add_up 0
	check "status: write 20 MiB" write_sequential --bs=256k \
		--size=1z --io_size=20M
	counters_add_up $size
	check_equal "status: one zone open" "$(status_field open)" 1
	check_equal "status: one zone active" "$(status_field active)" 1
	check "status: read 4 MiB" dd if="$DEV" of=/dev/null bs=1M count=4 \
		iflag=direct
	check_true "status: sectors read" \
		"$(status_field user_read) >= 4 * 2048 &&
		 $(status_field member_read) >= 4 * 2048"
	check "status: write 4 KiB, FUA" write_sequential --ioengine=psync \
		--sync=1 --bs=4k --offset=1z --size=1z --io_size=4k
	check_true "status: partial parity of it" \
		"$(status_field partial_parity) > 0 &&
		 $(status_field partial_parity) <= 16"
	check_equal "status: no flush to drives without a cache" \
		"$(status_field flushes)" 0
	# The record of a write that is durable must be there now.
	parity "status: members hold what FUA promised" --volume "$DEV"
	check "status: reset" blkzone reset -c 2 "$DEV"
	check_equal "status: no zone active" "$(status_field active)" 0
	down status
}

# memory_field WHAT: bytes that the message "memory" says of zones, active or pools.
memory_field()
{
	dmsetup message "$VOLUME" 0 memory |
		sed -nE "s/.*$1( [0-9]+)? bytes ([0-9]+).*/\2/p"
}

test_memory()
{
	local nr pattern

	up || return
	nr=$(queue nr_zones)
	pattern="^zones $nr bytes [0-9]+; active 0 bytes 0; pools bytes [0-9]+$"
	check_true "memory: the message answers" \
		"$(dmsetup message "$VOLUME" 0 memory | grep -Ec "$pattern") == 1"
	note "$(dmsetup message "$VOLUME" 0 memory)"
	# And one for each member's zone. Locks that are watched are larger.
	if [ -e /proc/lockdep ]; then
		skip "memory: 128 bytes for each zone" "not in a debug kernel"
	else
		check_true "memory: 128 bytes for each zone" \
			"$(memory_field zones) <= 128 * $nr + 100"
	fi
	check "memory: write half a stripe" write_sequential --bs=4k \
		--size=1z --io_size=128k
	check_true "memory: of an active zone, one stripe unit and a little" \
		"$(memory_field active) > 65536 && $(memory_field active) < 66000"
	check "memory: reset" blkzone reset -c 1 "$DEV"
	check_equal "memory: of no active zone, none" "$(memory_field active)" 0
	down memory
}

# A closed zone when all that may be are open explicitly: it is not finished, and nobody
# waits for that.
finish_without_room()
{
	local size
	size=$(queue chunk_sectors)

	check "limits: a zone is written, and closed" eval \
		"dd if=/dev/zero of=$DEV bs=64k count=1 oflag=direct conv=notrunc \
			status=none &&
		 blkzone close -o 0 -c 1 $DEV"
	check "limits: three others are open" blkzone open -o "$size" -c 3 "$DEV"
	check_fails "limits: there is no place to finish it" FINISHZONE \
		blkzone finish -o 0 -c 1 "$DEV"
	check "limits: a flush ends" timeout 60 sync "$DEV"
	check "limits: with a place it is finished" eval \
		"blkzone close -o $size -c 1 $DEV && blkzone finish -o 0 -c 1 $DEV"
}

test_limits()
{
	up || return
	check_equal "limits: zoned" "$(queue zoned)" host-managed
	check_equal "limits: zone size" "$(queue chunk_sectors)" 131072
	check_equal "limits: zones" "$(queue nr_zones)" 41
	check_equal "limits: open zones" "$(queue max_open_zones)" 9
	check_equal "limits: active zones" "$(queue max_active_zones)" 9
	check_equal "limits: smallest good I/O" "$(queue minimum_io_size)" 65536
	check_equal "limits: best I/O" "$(queue optimal_io_size)" 262144
	check_equal "limits: logical block" "$(queue logical_block_size)" 4096
	check_equal "limits: write granularity" \
		"$(queue zone_write_granularity)" 4096
	check_true "limits: zone append" "$(queue zone_append_max_bytes) >= 65536"
	check_equal "limits: stable writes" "$(queue stable_writes)" 1
	check_equal "limits: discard" "$(queue discard_max_bytes)" 0
	check_equal "limits: a volatile cache" "$(queue write_cache)" "write back"
	check_equal "limits: FUA" "$(queue fua)" 1
	check_equal "limits: capacity of zones" "$(blkzone report -c 1 "$DEV" |
		sed 's/.*cap \(0x[0-9a-f]*\).*/\1/')" 0x018000
	check_fails "limits: members are taken" "busy" \
		python3 -c "import os, sys
os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)" "${DRIVES[0]}"
	down limits

	RIG_MEMBER_SETTINGS=(zone_max_open=0 zone_max_active=0)
	if up --stripe-unit 4K; then
		note "members without limits: $(queue max_open_zones) open," \
		     "$(queue max_active_zones) active"
		check_equal "limits: stripe unit" "$(queue minimum_io_size)" 4096
		down "limits: members without any"
	fi
	RIG_MEMBER_SETTINGS=(blocksize=512 zone_max_open=8)
	if up --write-cache through; then
		check_equal "limits: 512-byte blocks" \
			"$(queue logical_block_size)" 512
		check_equal "limits: fewer open zones" "$(queue max_open_zones)" 3
		check_equal "limits: write-through has no cache" \
			"$(queue write_cache)" "write through"
		finish_without_room
		down "limits: 512-byte blocks"
	fi
	RIG_MEMBER_SETTINGS=(zone_size=1 zone_capacity=1 size=64)
	if up --stripe-unit 16K; then
		check "limits: as many zones are active as may be, at any moment" \
			active_zones "$DEV" "$(queue max_active_zones)" \
			"$(scaled 3000 300)" 65536
		note "$(tail -n 1 "$TMP/output")"
		down "limits: small zones"
	fi
	RIG_MEMBER_SETTINGS=()
}

# ---- requests -------------------------------------------------------------------

reset_all_at_once()
{
	local i

	if ! kernel_at_least 6 11; then
		skip "requests: resets of all zones at once" \
			"this kernel makes each one a reset of every zone"
		return
	fi
	# Of so many zones that writes may come while all are reset.
	RIG_MEMBER_SETTINGS=(zone_size=4 zone_capacity=4 size=16384)
	up --stripe-unit 16K || { RIG_MEMBER_SETTINGS=(); return; }
	for i in 1 2 3; do
		check "requests: another name for all zones, $i" \
			dmsetup create rig-all$i --table \
			"0 $(blockdev --getsz "$DEV") linear $DEV 0"
	done
	check "requests: resets of all zones at once" reset_alls "$DEV" \
		"$(scaled 100 20)" /dev/mapper/rig-all{1,2,3}
	note "$(tail -n 1 "$TMP/output")"
	check "requests: the other names go" dmsetup remove --retry rig-all{1,2,3}
	down "requests: many zones"
	RIG_MEMBER_SETTINGS=()
}

test_requests()
{
	local verdict what

	up || return
	"$HERE/hostile.py" "$DEV" >"$TMP/output" 2>&1 </dev/null
	while read -r verdict what; do
		case $verdict in
		ok) ok "requests: $what" ;;
		not) not_ok "requests: ${what#ok }" ;;
		*) note "$verdict $what" ;;
		esac
	done <"$TMP/output"
	check_true "requests: many were tried" \
		"$(grep -c '^ok' "$TMP/output") >= 40"
	down requests
	reset_all_at_once
}

# A write that may not wait is done, or fails with EAGAIN and changes nothing.
nowait_writes()
{
	python3 - "$DEV" <<-'END'
	import errno, mmap, os, sys
	fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
	buffer = mmap.mmap(-1, 4096)
	zone, at, again = 5 << 26, 0, 0
	for i in range(500):
	    try:
	        os.pwritev(fd, [buffer], zone + at, os.RWF_NOWAIT)
	    except OSError as error:
	        if error.errno not in (errno.EAGAIN, errno.EOPNOTSUPP):
	            raise
	        again += 1
	        os.pwritev(fd, [buffer], zone + at)
	    at += 4096
	print(f"{500 - again} of 500")
	END
}

test_nowait()
{
	local answered

	up || return
	check "nowait: write" write_sequential --bs=1m --size=2z --io_size=64M
	check "nowait: reads" "$HERE/nowait.py" "$DEV" 2000 $((40 << 8))
	answered=$(sed 's/ of.*//' "$TMP/output")
	check_true "nowait: most are answered at once" "${answered:-0} >= 1500"
	note "answered without waiting: $(cat "$TMP/output")"
	check "nowait: writes" nowait_writes
	note "written without waiting: $(cat "$TMP/output")"
	down nowait
}

# ---- zone append ------------------------------------------------------------------

test_append()
{
	local mode

	if [ -z "$(find "$RIG_TOP" -name zone_append.ko -print -quit)" ]; then
		skip "append" "zone_append.ko is not built"
		return
	fi
	for mode in back through; do
		up --write-cache $mode || continue
		check "append: many zones, $mode" append zones=8 threads=4 \
			appends="$(scaled 600 150)"
		check "append: flush, $mode" sync "$DEV"
		parity "append: members and volume, $mode" --volume "$DEV"
		check "append: reset, $mode" blkzone reset "$DEV"
		check "append: until a zone is full, $mode" append zones=1 \
			threads=4 appends=200
		check "append: restart, $mode" volume_restart
		parity "append: members and volume after restart, $mode" \
			--volume "$DEV"
		down "append, $mode"
	done
	RIG_MEMBER_SETTINGS=(blocksize=512 size=384)
	if up --stripe-unit 4K; then
		check "append: small blocks and units" append first=3 zones=3 \
			threads=3 appends="$(scaled 600 150)" kib=64
		check "append: small blocks and units, flush" sync "$DEV"
		parity "append: small blocks and units, members and volume" \
			--volume "$DEV"
		down "append: small blocks and units"
	fi
	RIG_MEMBER_SETTINGS=()
	note "$(dmesg | grep -c 'zone_append: .*: right') rounds were right"
}

# ---- suspend and reload under load -----------------------------------------------

# The zone model works all the time: it notices whatever goes wrong.
model_begins()
{
	zonemodel --reset --orderly --ops 100000000 --threads 4 --budget 100 "$DEV" \
		>"$TMP/load" 2>&1 &
	LOAD=$!
	LOAD_VERIFIES=0
	at_exit "kill $LOAD"
}

# fio, which verifies in the end; its report of zones must not meet a suspended
# device, so it begins before.
fio_begins()
{
	fio --name=load --filename="$DEV" --zonemode=zbd --direct=1 \
	    --rw=write --bs="$(odd_size 36)" --ioengine=libaio --iodepth=8 \
	    --offset=4z --size=8z --io_size="$(scaled 300 60)M" \
	    --rate="$(scaled 12 1)m" --fsync=100 --verify=crc32c \
	    --verify_fatal=1 --verify_interval=4k --verify_state_save=0 \
	    >"$TMP/load" 2>&1 &
	LOAD=$!
	LOAD_VERIFIES=1
	at_exit "kill $LOAD"
	check "suspend: fio begins" load_works
}

# fio as fast as it can, with all its writes under way in one zone: some are held back
# by each suspend, and others come at once after it.
fio_hurries()
{
	fio --name=load --filename="$DEV" --zonemode=zbd --direct=1 \
	    --rw=write --bs=16k --ioengine=libaio --iodepth=32 \
	    --offset=4z --size=8z --io_size=100G --max_open_zones=1 \
	    --time_based --runtime="$(scaled 30 10)" >"$TMP/load" 2>&1 &
	LOAD=$!
	LOAD_VERIFIES=0
	at_exit "kill $LOAD"
	check "suspend: fio hurries" load_works
}

suspend_resume()
{
	dmsetup suspend "$@" "$VOLUME" && dmsetup resume "$VOLUME"
}

reload()
{
	dmsetup reload "$VOLUME" --table "$1" &&
		dmsetup suspend "$VOLUME" && dmsetup resume "$VOLUME"
}

suspend_and_reload()
{
	local line=$1 label=$2

	under_load "suspend: and resume, $label" suspend_resume &&
	under_load "suspend: noflush, $label" suspend_resume --noflush &&
	under_load "suspend: nolockfs, $label" suspend_resume --nolockfs &&
	under_load "reload: the same table, $label" reload "$line" &&
	under_load "reload: write-through, $label" \
		reload "$line 1 write_cache=through" &&
	check_equal "reload: it is write-through, $label" \
		"$(status_field write_cache)" through &&
	under_load "reload: back, $label" reload "$line 1 write_cache=back" &&
	check_equal "reload: it is back, $label" \
		"$(status_field write_cache)" back
}

test_suspend()
{
	local line i status

	up || return
	line=$(dmsetup table "$VOLUME")
	model_begins
	sleep 1
	for i in $(seq "$(scaled 5 2)"); do
		suspend_and_reload "$line" "$i" || break
	done
	kill $LOAD
	wait $LOAD 2>/dev/null
	status=$?
	check_equal "suspend: the zone model found nothing wrong" $status 0
	rig_show "$TMP/load"

	check "suspend: reset all" blkzone reset "$DEV"
	fio_begins
	sleep 2
	suspend_and_reload "$line" "fio"
	wait $LOAD
	status=$?
	check_equal "suspend: fio verifies what it wrote" $status 0
	[ $status -eq 0 ] || rig_show "$TMP/load"

	check "suspend: reset all" blkzone reset "$DEV"
	fio_hurries
	for i in $(seq "$(scaled 100 20)"); do
		suspend_resume --nolockfs || break
	done
	wait $LOAD
	status=$?
	check_equal "suspend: fio with many writes of a zone under way" $status 0
	[ $status -eq 0 ] || rig_show "$TMP/load"

	check_fails "reload: another length" "." dmsetup reload "$VOLUME" \
		--table "$(awk '{ $2 -= 131072; print }' <<<"$line")"
	check_fails "reload: a member less" "." dmsetup reload "$VOLUME" \
		--table "$(awk '{ $4 = 4; NF -= 1; print }' <<<"$line")"
	# A clean superblock while suspended, and not after.
	check "suspend: for a moment" dmsetup suspend "$VOLUME"
	check_equal "suspend: members are marked clean" "$(is_clean)" true
	check "suspend: resume" dmsetup resume "$VOLUME"
	check_equal "suspend: members are not clean after resume" \
		"$(is_clean)" false
	check "suspend: flush" sync "$DEV"
	parity "suspend: members and volume" --volume "$DEV"
	check "suspend: restart" volume_restart
	parity "suspend: members and volume after restart" --volume "$DEV"
	down suspend
}

is_clean()
{
	raizn inspect "${DRIVES[1]}" superblock --json | jq .superblock.clean
}

# ---- log switches ----------------------------------------------------------------

resets()
{
	python3 - "$DEV" "$1" <<-'END'
	import fcntl, mmap, os, struct, sys
	fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
	zone = struct.unpack("I", fcntl.ioctl(fd, 0x80041284, bytes(4)))[0]
	buffer = mmap.mmap(-1, 4096)
	for i in range(int(sys.argv[2])):
	    at = (10 + i % 3) * zone
	    os.pwrite(fd, buffer, at * 512)
	    fcntl.ioctl(fd, 0x40101283, struct.pack("QQ", at, zone))
	END
}

flushes()
{
	fio --name=flush --filename="$DEV" --zonemode=zbd --direct=1 \
	    --rw=write --bs=4k --ioengine=psync --fsync=1 --numjobs=4 \
	    --offset_increment=1z --offset=0 --size=1z --io_size="$1" \
	    --verify=crc32c --verify_fatal=1 --verify_state_save=0 \
	    --group_reporting
}

test_switches()
{
	local before n mode

	# Log zones of 3 MiB fill up after some 380 records of 8 KiB.
	RIG_MEMBER_SETTINGS=(size=192 zone_size=4 zone_capacity=3)
	for mode in back through; do
		up --write-cache $mode || continue
		before=$(status_field log_switches)
		n=$(scaled 1500 400)
		check "switches: $((4 * n)) flushed writes, $mode" flushes $((n * 4))k
		n=$(($(status_field log_switches) - before))
		note "log switches by flushes: $n"
		check_true "switches: the parity logs switched, $mode" "$n >= 2"
		check "switches: flush, $mode" sync "$DEV"
		parity "switches: members and volume, $mode" --volume "$DEV" \
			--min-stripes 1

		before=$(status_field log_switches)
		n=$(scaled 2000 800)
		check "switches: $n resets, $mode" resets "$n"
		n=$(($(status_field log_switches) - before))
		note "log switches by resets: $n"
		check_true "switches: the general logs switched, $mode" "$n >= 5"
		check "switches: zone model, $mode" zonemodel --first 16 \
			--ops "$(scaled 500 100)" --threads 2 --budget 50 \
			--save "$TMP/model" "$DEV"
		check "switches: restart, $mode" volume_restart
		check "switches: read back, $mode" fio --name=flush \
			--filename="$DEV" --zonemode=zbd --direct=1 --rw=read \
			--bs=4k --ioengine=libaio --iodepth=8 --offset=0 \
			--size=4z --verify=crc32c --verify_fatal=1 \
			--verify_state_save=0
		check "switches: zone model after restart, $mode" zonemodel \
			--first 16 --load "$TMP/model" --verify "$DEV"
		parity "switches: members and volume after restart, $mode" \
			--volume "$DEV"
		down "switches, $mode"
	done
	RIG_MEMBER_SETTINGS=()
}

# ---- promises about flushes --------------------------------------------------------

test_flushes()
{
	local before

	# Drives with a volatile cache get flushes, but only when there is
	# something to flush.
	RIG_MEMBER_SETTINGS=(cache_size=4)
	if ! up; then
		RIG_MEMBER_SETTINGS=()
		return
	fi
	if [ "$(cat "/sys/block/${DRIVES[0]##*/}/queue/write_cache")" != "write back" ]; then
		skip "flushes: drives with a cache" "null_blk has none here"
	else
		before=$(status_field flushes)
		check "flushes: write and flush" write_sequential --bs=64k \
			--size=1z --io_size=2M --end_fsync=1
		check_true "flushes: drives were flushed" \
			"$(status_field flushes) > before"
		before=$(status_field flushes)
		check "flushes: once more, nothing new" sync "$DEV"
		check_equal "flushes: none were sent" \
			"$(status_field flushes)" "$before"
		check "flushes: zone model" zonemodel --reset --threads 2 \
			--ops "$(scaled 300 100)" --budget 100 "$DEV"
		check "flushes: flush" sync "$DEV"
		parity "flushes: members and volume" --min-stripes 0 --volume "$DEV"
	fi
	down "flushes"
	RIG_MEMBER_SETTINGS=()

	# Write-through: nothing is ever to be flushed.
	up --write-cache through || return
	check "through: write" write_sequential --bs="$(odd_size 20)" --size=1z --io_size=4M
	parity "through: members hold all without a flush" --volume "$DEV" \
		--min-stripes 8
	down "through"
}

# ---- write amplification ----------------------------------------------------------

test_amplification()
{
	local user others n

	up || return
	check "amplification: 4 KiB writes at depth 32" write_sequential \
		--bs=4k --iodepth=32 --size=8z --io_size="$(scaled 240 40)M"
	user=$(status_field user_written)
	others=$(($(status_field data) + $(status_field parity) +
		  $(status_field partial_parity) + $(status_field metadata)))
	n=$((others * 1000 / (user ? user : 1)))
	note "member bytes / user bytes: $((n / 1000)).$(printf %03d $((n % 1000)))" \
	     "after $((user / MIB_SECTORS)) MiB"
	check_true "amplification: at most 1.27" "$user > 0 && $n <= 1270"
	# More is not possible: every stripe has its parity.
	check_true "amplification: at least 1.24" "$n >= 1240"
	down amplification
}

# ---- owners and crashes --------------------------------------------------------------

# copy_drive FROM TO [ZONE SECTORS]: all written zones, as a crash would leave
# them; of one zone the last sectors are lost.
copy_drive()
{
	python3 - "$@" <<-'END'
	import mmap, os, struct, fcntl, sys
	source = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
	target = os.open(sys.argv[2], os.O_RDWR | os.O_DIRECT)
	short, lost = map(int, sys.argv[3:5]) if len(sys.argv) > 3 else (-1, 0)
	zone = struct.unpack("I", fcntl.ioctl(source, 0x80041284, bytes(4)))[0]
	nr = struct.unpack("I", fcntl.ioctl(source, 0x80041285, bytes(4)))[0]
	request = bytearray(16 + 64 * nr)
	struct.pack_into("QII", request, 0, 0, nr, 0)
	fcntl.ioctl(source, 0xc0101282, request)
	buffer = mmap.mmap(-1, 1 << 20)
	for i in range(nr):
	    at = 16 + 64 * i
	    start, _, wp = struct.unpack_from("QQQ", request, at)
	    end = wp
	    if request[at + 25] == 14:
	        end = start + struct.unpack_from("Q", request, at + 32)[0]
	    if i == short:
	        end -= lost
	    while start < end:
	        n = min(2048, end - start)
	        with memoryview(buffer) as view:
	            os.preadv(source, [view[:n * 512]], start * 512)
	            os.pwrite(target, view[:n * 512], start * 512)
	        start += n
	    if request[at + 25] == 14 and i != short:
	        fcntl.ioctl(target, 0x40101288, struct.pack(
	            "QQ", i * zone, zone))
	END
}

# The members, as a crash leaves them, become DRIVES; the array that ran on
# the others stops and they go.  lose SLOT: "ZONE SECTORS", see copy_drive.
crash()
{
	local name=$1 i device copies=() numbers=()
	shift

	for i in "${!DRIVES[@]}"; do
		device=$(nullblk create "$name$i" "${RIG_MEMBER_SETTINGS[@]}") &&
			RIG_DRIVES+=("$name$i") && rig_scheduler "$device" &&
			read -ra numbers <<<"$(lose "$i")" &&
			copy_drive "${DRIVES[i]}" "$device" "${numbers[@]}" ||
			return 1
		copies+=("$device")
	done
	# Not by the tool: it would see the copies, too.
	dmsetup remove --retry "$VOLUME" || return 1
	RIG_VOLUME_UP=
	raizn inspect "${DRIVES[0]}" superblock --json | jq -e .superblock.clean ||
		return 1
	mapfile -t names < <(nullblk list | grep -v "^$name[0-9]")
	drive_gone "${names[@]}"
	DRIVES=("${copies[@]}")
}

# The second and third member lose two stripes of what was not flushed.
lose()
{
	case $1 in
	1 | 2) echo "$((RESERVED + 3))" 200 ;;
	*) echo ;;
	esac
}

second_owner()
{
	kernel_log_new >/dev/null
	check_fails "crash: a second device over the same members" \
		"busy|Busy|failed" dmsetup create rig-second --table "$1"
	check_true "crash: the kernel log says why" \
		"$(kernel_log_new | grep -Ec 'already running') >= 1"
	check_equal "crash: the first goes on" "$(status_field state)" active
}

zone_wp()
{
	echo $(($(blkzone report -o "$(($1 * $(queue chunk_sectors)))" -c 1 \
		"$DEV" | sed -E 's/.*wptr (\w+).*/\1/')))
}

# The data of a zone up to a number of sectors.
zone_sum()
{
	dd if="$DEV" bs=4k count=$(($2 / 8)) iflag=direct,skip_bytes \
		skip=$(($1 * $(queue chunk_sectors) * 512)) status=none | md5sum
}

test_crash()
{
	local line before wp state

	up || return
	line=$(dmsetup table "$VOLUME")
	RESERVED=$(raizn inspect "${DRIVES[0]}" superblock --json |
		jq .superblock.nr_reserved)
	check "crash: some data" write_sequential --bs="$(odd_size 52)" --size=3z \
		--io_size=20M --end_fsync=1
	check_equal "crash: a running array is not clean" "$(is_clean)" false
	second_owner "$line"
	check "crash: write on" write_sequential --bs="$(odd_size 52)" --offset=3z \
		--size=1z --io_size=4M
	state=$(volume_state 1)
	dd if="$DEV" of="$TMP/zone3" bs=4k count=1024 iflag=direct,skip_bytes \
		skip=$((3 * $(queue chunk_sectors) * 512)) status=none
	check "crash: the members as a crash leaves them" crash copy

	before=$(members_state)
	kernel_log_new >/dev/null
	check_fails "crash: a read-only table does not start it" "." \
		dmsetup create --readonly rig-second --table \
		"0 $(cut -d' ' -f2 <<<"$line") raizn 5 ${DRIVES[*]}"
	dmsetup remove rig-second 2>/dev/null
	check_true "crash: the kernel log says that recovery has to write" \
		"$(kernel_log_new | grep -c 'recovery has to write') >= 1"
	check_equal "crash: the members are as they were" \
		"$(members_state)" "$before"

	if check "crash: it starts" volume_start; then
		kernel_log_new >"$TMP/log"
		check_true "crash: the kernel log says that it was recovered" \
			"$(grep -c 'recovered: .* [1-9][0-9]* columns cleared' \
			   "$TMP/log") == 1"
		check_equal "crash: it is whole" \
			"$(status_field state) $(status_field letters)" \
			"active AAAAA"
		check_equal "crash: what was flushed is there" \
			"$(volume_state 1)" "$state"
		wp=$(zone_wp 3)
		note "of 8192 sectors that were not flushed $wp are left"
		check_true "crash: what was not ends where members lost it" \
			"$wp > 8192 - 4 * 512 && $wp < 8192 - 104"
		check "crash: and is what was written" cmp -n $((wp * 512)) \
			"$TMP/zone3" <(dd if="$DEV" bs=4k count=$((wp / 8)) \
			iflag=direct,skip_bytes status=none \
			skip=$((3 * $(queue chunk_sectors) * 512)))
		check "crash: write on after recovery" write_on 3 300
		parity "crash: members and volume" --volume "$DEV"
		check_true "crash: columns were moved" \
			"$(grep -c 'columns moved' "$TMP/output") == 1"
		check "crash: zone model after recovery" zonemodel --first 8 \
			--threads 2 --ops "$(scaled 400 100)" --budget 60 \
			--save "$TMP/model" "$DEV"
		state=$(volume_state 4)
		kernel_log_new >/dev/null
		check "crash: restart" volume_restart
		check_true "crash: nothing is to be recovered then" \
			"$(kernel_log_new | grep -c 'recovered:') == 0"
		check_equal "crash: the same data" "$(volume_state 4)" "$state"
		check "crash: zone model after restart" zonemodel --first 8 \
			--load "$TMP/model" --verify "$DEV"
		check "crash: flush" sync "$DEV"
		parity "crash: members and volume after restart" --volume "$DEV"
	fi
	down crash
}

# ---- without a member ---------------------------------------------------------------

# table_of WITHOUT [OPTION...]: the table line with "-" for some members.
table_of()
{
	local without=" $1 " i options=
	shift

	[ $# -eq 0 ] || options=" $# $*"
	echo -n "0 $LENGTH raizn ${#ALL[@]}"
	for i in "${!ALL[@]}"; do
		if [[ $without == *" $i "* ]]; then
			echo -n " -"
		else
			echo -n " ${ALL[i]}"
		fi
	done
	echo "$options"
}

# start_table TABLE [DMSETUP-OPTION...]
start_table()
{
	dmsetup create "${@:2}" "$VOLUME" --table "$1" || return 1
	RIG_VOLUME_UP=1
	dmsetup mknodes "$VOLUME"
	DEV_NAME=$(sysfs_name "$DEV")
}

stop_table()
{
	dmsetup remove --retry "$VOLUME" && RIG_VOLUME_UP=
}

# Zones in every state, and tails that end in every data position.
some_zones()
{
	local i

	write_sequential --bs="$(odd_size 52)" --size=1z --io_size=5M \
		--end_fsync=1 || return 1
	write_sequential --bs=64k --offset=1z --size=1z || return 1
	write_sequential --bs=4k --offset=2z --size=1z --io_size=3100k || return 1
	blkzone finish -o $((2 * $(queue chunk_sectors))) -c 1 "$DEV" || return 1
	write_sequential --bs=4k --offset=3z --size=1z --io_size=1M || return 1
	blkzone reset -o $((3 * $(queue chunk_sectors))) -c 1 "$DEV" || return 1
	for i in 4 5 6 7; do
		write_on $i $((20 + 64 * (i - 4))) || return 1
	done
}

# A start without each of the members, which changes nothing.
each_member_missing()
{
	local state=$1 before slot letters

	before=$(members_state)
	for slot in "${!ALL[@]}"; do
		letters=AAAAA
		letters=${letters:0:slot}-${letters:slot+1}
		check "degraded: read-only without member $slot" start_table \
			"$(table_of "$slot" degraded)" --readonly || continue
		check_equal "degraded: its state without member $slot" \
			"$(status_field state) $(status_field letters)" \
			"read-only $letters"
		check_equal "degraded: all data without member $slot" \
			"$(volume_state 9)" "$state"
		check_fails "degraded: no write without member $slot" "." \
			dd if=/dev/zero of="$DEV" bs=4k count=1 oflag=direct \
			seek=$((8 * $(queue chunk_sectors) / 8))
		check "degraded: stop without member $slot" stop_table
	done
	check_equal "degraded: no member was changed" "$(members_state)" "$before"
}

# Whole stripes: each unit that is there is read once.
degraded_reads()
{
	local label=$1 zone user member

	zone=$(($(queue chunk_sectors) / MIB_SECTORS))
	user=$(status_field user_read)
	member=$(status_field member_read)
	check "degraded: read whole stripes, $label" dd if="$DEV" bs=1M \
		of=/dev/null iflag=direct count=$((zone * 3 / 4)) skip=$((8 * zone))
	check_equal "degraded: each unit is read once, $label" \
		$(($(status_field member_read) - member)) \
		$(($(status_field user_read) - user))
}

# What runs without its second member is worked with.
degraded_work()
{
	local label=$1 line

	check "degraded: write on in tails, $label" degraded_tails
	check "degraded: reset, $label" blkzone reset \
		-o $((4 * $(queue chunk_sectors))) -c 1 "$DEV"
	check "degraded: finish, $label" blkzone finish \
		-o $((5 * $(queue chunk_sectors))) -c 1 "$DEV"
	check "degraded: fill, $label" write_sequential --bs=256k \
		--offset=8z --size=1z --end_fsync=1
	degraded_reads "$label"
	check "degraded: zone model, $label" zonemodel --first 10 --threads 2 \
		--ops "$(scaled 600 120)" --budget 100 --save "$TMP/model" "$DEV"
	line=$(dmsetup table "$VOLUME")
	check "degraded: reload, $label" reload "$line"
	check_equal "degraded: the table is the same, $label" \
		"$(dmsetup table "$VOLUME")" "$line"
	check "degraded: flush, $label" sync "$DEV"
	parity "degraded: members and volume, $label" --degraded --volume "$DEV"
}

# Zones that are active already: there may be no room for more.
degraded_tails()
{
	local i

	for i in 0 6 7; do
		write_on $i 84 || return 1
	done
}

degraded_same()
{
	local label=$1 state=$2

	check_equal "degraded: its state, $label" \
		"$(status_field state) $(status_field letters)" \
		"degraded A${3:--}AAA"
	check_equal "degraded: all data, $label" "$(volume_state 9)" "$state"
	check "degraded: zone model, $label" zonemodel --first 10 \
		--load "$TMP/model" --verify "$DEV"
	parity "degraded: members and volume, $label" --degraded --volume "$DEV"
}

# The old drive of a slot that went on without it.
stale_member()
{
	local state=$1 survivors=("${DRIVES[@]}") before

	DRIVES=("${ALL[1]}")
	before=$(members_state)
	DRIVES=("${survivors[@]}")
	refused "a stale member in place of a good one" "2 members are missing" \
		"$(table_of 3 degraded)"
	kernel_log_new >/dev/null
	if check "degraded: start with the stale member" start_table \
	   "$(table_of "")"; then
		check_true "degraded: the kernel log says that it is stale" \
			"$(kernel_log_new | grep -c 'member 1 is stale') == 1"
		degraded_same "with the stale member" "$state" F
		check "degraded: write with the stale member" write_on 0 20
		check "degraded: stop with the stale member" stop_table
	fi
	DRIVES=("${ALL[1]}")
	check_equal "degraded: the stale member is as it was" \
		"$(members_state)" "$before"
	DRIVES=("${survivors[@]}")
}

foreign_member()
{
	local kept=("${DRIVES[@]}") foreign

	drives other 3 "${RIG_MEMBER_SETTINGS[@]}"
	foreign=${DRIVES[1]}
	raizn create other "${DRIVES[@]}" --no-start >/dev/null
	DRIVES=("${kept[@]}")
	refused "a member of another array" "belongs to array" \
		"$(table_of 1 | sed "s: - : $foreign :")"
	refused "a member of another array, degraded" "belongs to array" \
		"$(table_of 1 degraded | sed "s: - : $foreign :")"
	drive_gone other{0..2}
}

degraded_round()
{
	local mode=$1 state

	up --write-cache "$mode" || return
	ALL=("${DRIVES[@]}")
	LENGTH=$(blockdev --getsz "$DEV")
	check "degraded: zones in all states, $mode" some_zones
	state=$(volume_state 9)
	check "degraded: stop, $mode" stop_table
	[ "$mode" = through ] || each_member_missing "$state"

	DRIVES=("${ALL[0]}" "${ALL[@]:2}")
	refused "a member that was there, $mode" \
		"member 1 .* is missing: connect it, or start with .* degraded" \
		"$(table_of 1)"
	if ! check "degraded: start, $mode" start_table "$(table_of 1 degraded)"; then
		down "degraded, $mode"
		return
	fi
	check_equal "degraded: its state, $mode" \
		"$(status_field state) $(status_field letters)" "degraded A-AAA"
	check_true "degraded: its table line, $mode" \
		"$(dmsetup table "$VOLUME" | grep -c ' - .* 1 degraded$') == 1"
	check_equal "degraded: all data, $mode" "$(volume_state 9)" "$state"
	parity "degraded: members and volume at first, $mode" --degraded \
		--volume "$DEV"
	degraded_work "$mode"
	state=$(volume_state 9)
	check "degraded: stop after work, $mode" stop_table
	check "degraded: start, which needs no option now, $mode" \
		start_table "$(table_of 1)" || return
	degraded_same "second start, $mode" "$state"
	check "degraded: stop again, $mode" stop_table
	if [ "$mode" = back ]; then
		refused "a second missing member" "missing" "$(table_of "1 4")"
		refused "a second missing member, degraded" \
			"2 members are missing" "$(table_of "1 4" degraded)"
		foreign_member
		stale_member "$state"
	fi
	degraded_crash "$mode"
	ALL=()
	down "degraded, $mode"
}

# Power goes while a member is missing.
degraded_crash()
{
	local mode=$1 state i

	check "degraded: start for a crash, $mode" \
		start_table "$(table_of 1)" || return
	check "degraded: write before the crash, $mode" degraded_tails
	state=$(volume_state 9)
	lose() { echo; }
	check "degraded: crash, $mode" crash "cut" || return
	ALL=("${DRIVES[0]}" - "${DRIVES[@]:1}")
	kernel_log_new >/dev/null
	check "degraded: start after the crash, $mode" start_table "$(table_of 1)" ||
		return
	check_true "degraded: it was recovered, $mode" \
		"$(kernel_log_new | grep -c 'recovered:') == 1"
	degraded_same "after the crash, $mode" "$state"
	check "degraded: write after the crash, $mode" degraded_tails
	check "degraded: stop after the crash, $mode" stop_table
	check "degraded: start after recovery, $mode" start_table "$(table_of 1)" ||
		return
	parity "degraded: members and volume after recovery, $mode" --degraded \
		--volume "$DEV"
}

test_degraded()
{
	local mode

	RIG_MEMBER_SETTINGS=(size=192 zone_size=4 zone_capacity=3)
	for mode in back through; do
		[ "$mode" = back ] || [ "$RAIZN_TEST_SCALE" -ge 20 ] || continue
		degraded_round $mode
	done
	RIG_MEMBER_SETTINGS=()
}

# ---- generations that begin anew ----------------------------------------------------

test_maintain()
{
	local state

	RIG_MEMBER_SETTINGS=(size=192 zone_size=4 zone_capacity=3)
	if ! up; then
		RIG_MEMBER_SETTINGS=()
		return
	fi
	ALL=("${DRIVES[@]}")
	LENGTH=$(blockdev --getsz "$DEV")
	check "maintain: zones in all states" some_zones
	check "maintain: resets" resets 40
	check "maintain: zone model" zonemodel --first 16 --threads 2 \
		--ops "$(scaled 400 100)" --budget 60 --save "$TMP/model" "$DEV"
	state=$(volume_state 9)
	check "maintain: stop" stop_table
	kernel_log_new >/dev/null
	check "maintain: start" start_table "$(table_of "" maintain)"
	check_true "maintain: the kernel log says so" \
		"$(kernel_log_new | grep -c 'all generations begin anew') == 1"
	check_equal "maintain: the same data" "$(volume_state 9)" "$state"
	check "maintain: write on" write_on 4 84
	check "maintain: zone model goes on" zonemodel --first 16 --threads 2 \
		--ops "$(scaled 200 50)" --budget 60 --load "$TMP/model" \
		--save "$TMP/model" "$DEV"
	state=$(volume_state 9)
	check "maintain: stop again" stop_table
	check "maintain: restart" volume_start
	check_equal "maintain: the same data after restart" \
		"$(volume_state 9)" "$state"
	check "maintain: zone model after restart" zonemodel --first 16 \
		--load "$TMP/model" --verify "$DEV"
	check "maintain: flush" sync "$DEV"
	parity "maintain: members and volume" --volume "$DEV"
	down maintain
	RIG_MEMBER_SETTINGS=()
}

# ---- the module comes and goes ----------------------------------------------------------

KMEMLEAK=/sys/kernel/debug/kmemleak

leaks()
{
	# Young objects are no leaks yet, and the first scan may see a pointer
	# that is gone at the next.
	sleep 6
	echo scan >$KMEMLEAK
	sleep 6
	echo scan >$KMEMLEAK
	grep -A40 '^unreferenced' $KMEMLEAK | grep -B40 -A8 'raizn' || true
}

test_module()
{
	local i

	if [ -e $KMEMLEAK ]; then
		echo scan >$KMEMLEAK 2>/dev/null
		echo clear >$KMEMLEAK
	fi
	for i in 1 2 3; do
		check "module: load, $i" load_module
		up || break
		check "module: work, $i" zonemodel --ops "$(scaled 200 60)" \
			--threads 2 --budget 60 "$DEV"
		check_fails "module: in use, it stays" "in use" rmmod dm-raizn
		check "module: array down, $i" volume_down
		check "module: unload, $i" unload_module
		check_true "module: no slab is left, $i" \
			"$(find /sys/kernel/slab -maxdepth 1 -name '*raizn*' |
			   wc -l) == 0"
		check_true "module: no work queue is left, $i" \
			"$(find /sys/bus/workqueue/devices -maxdepth 1 \
			   -name '*raizn*' 2>/dev/null | wc -l) == 0"
		check_true "module: the target is gone, $i" \
			"$(dmsetup targets | grep -c '^raizn') == 0"
	done
	if [ -e $KMEMLEAK ]; then
		leaks >"$TMP/output"
		check_true "module: no memory is lost" \
			"$(wc -l <"$TMP/output") == 0"
		rig_show "$TMP/output"
	else
		skip "module: no memory is lost" "kmemleak is not in this kernel"
	fi
}

load_module || { not_ok "load the module"; finish; }
for part in table status memory limits requests nowait append suspend switches flushes \
	    amplification crash degraded maintain module; do
	wanted $part || continue
	SECONDS=0
	test_$part
	note "$part took $SECONDS s"
done
finish
