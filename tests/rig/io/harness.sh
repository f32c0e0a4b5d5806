# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of io: jobs of fio that write the volume in many ways,
# verify what they wrote, and read it again after a restart of the array.
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
scenario

# Most jobs end in the middle of a zone, and all their zones are to be there
# after the restart: they stay active.
RIG_MEMBER_SETTINGS=(zone_max_open=44 zone_max_active=44)
RIG_RAW_SETTINGS+=(zone_max_open=40 zone_max_active=40)

MIB=$((1 << 20))

# Each job owns some zones, so that all its data is still there after the
# restart:  NAME FIRST-ZONE ZONES MIB FIO-OPTIONS...  (MIB scaled; zones hold
# 48 MiB each.)
all_jobs()
{
	cat <<-'END'
	4k-libaio-qd32           0 1 24 --rw=write --bs=4k --ioengine=libaio --iodepth=32
	4k-io_uring-qd32         1 1 24 --rw=write --bs=4k --ioengine=io_uring --iodepth=32
	64k-io_uring-qd16        2 2 72 --rw=write --bs=64k --ioengine=io_uring --iodepth=16
	256k-libaio-qd8          4 2 96 --rw=write --bs=256k --ioengine=libaio --iodepth=8
	4m-libaio-qd4            6 2 96 --rw=write --bs=4m --ioengine=libaio --iodepth=4
	148k-libaio-qd8          8 1 44 --rw=write --bs=148k --ioengine=libaio --iodepth=8
	mixed-sizes-libaio-qd8   9 2 64 --rw=write --bsrange=4k-1m --bs_unaligned=0 --blockalign=4k --ioengine=libaio --iodepth=8
	4k-sync-dsync           11 1  2 --rw=write --bs=4k --ioengine=psync --sync=1
	36k-libaio-dsync-qd8    12 1 16 --rw=write --bs=36k --ioengine=libaio --iodepth=8 --sync=1
	16k-libaio-fsync        13 1 12 --rw=write --bs=16k --ioengine=libaio --iodepth=4 --fsync=8
	20k-psync-fdatasync     14 1  8 --rw=write --bs=20k --ioengine=psync --fdatasync=3
	1m-psync                15 1 48 --rw=write --bs=1m --ioengine=psync
	zones-in-parallel       16 8 96 --rw=randwrite --bs=32k --ioengine=libaio --iodepth=16 --max_open_zones=8
	4-jobs                  24 4 96 --rw=write --bs=64k --ioengine=libaio --iodepth=8 --numjobs=4 --job_max_open_zones=2
	4-jobs-fsync            28 4 32 --rw=write --bs=12k --ioengine=io_uring --iodepth=4 --numjobs=4 --fsync=16
	read-while-writing      32 4 64 --rw=randrw --rwmixread=40 --bs=16k --ioengine=libaio --iodepth=8 --max_open_zones=4
	END
}

jobs()
{
	if fio_takes_any_size; then
		all_jobs
	else
		all_jobs | grep -vE -- '--bs=(148|36|20|12)k'
	fi
}

# fio_writes WHAT MIN-BYTES FIO-OPTION...: fails also when fio did less than it should; a
# verification of nothing is none.
fio_writes()
{
	local what=$1 least=$2 status bytes
	shift 2
	rig_mark "$SUITE: $what"
	fio --name=job --filename="$DEV" --zonemode=zbd --direct=1 \
	    --verify=crc32c --verify_fatal=1 --verify_interval=4k \
	    --verify_state_save=0 --randrepeat=1 --group_reporting \
	    --output-format=json --output="$TMP/fio.json" \
	    "$@" >"$TMP/fio.out" 2>&1 </dev/null
	status=$?
	bytes=$(sed -n '/^{/,$p' "$TMP/fio.json" | jq '[.jobs[].write.io_bytes] | add' 2>/dev/null)
	if [ $status -ne 0 ] || ((${bytes:-0} < least)); then
		not_ok "$what" "exit status $status, ${bytes:-no} of $least bytes"
		note "fio $*"
		rig_show "$TMP/fio.out"
		sed '/^{/,$d' "$TMP/fio.json" | tail -n 20 | sed 's/^/# /'
		return 1
	fi
	ok "$what"
}

# The options that say where a job works; several jobs get a zone each.
place()
{
	local first=$1 zones=$2 options=$3 jobs

	case $options in
	*--numjobs=*)
		jobs=${options##*--numjobs=}
		jobs=${jobs%% *}
		echo "--offset=${first}z --size=$((zones / jobs))z" \
		     "--offset_increment=$((zones / jobs))z"
		;;
	*)
		echo "--offset=${first}z --size=${zones}z"
		;;
	esac
}

# Bytes that a job writes, and of those that are asked for at least: fio counts
# what a mixed job reads as part of its size.
share_of()
{
	local mib=$1 options=$2 jobs=1

	case $options in
	*--numjobs=*)
		jobs=${options##*--numjobs=}
		jobs=${jobs%% *}
		;;
	esac
	echo $(($(scaled "$mib" 2) * MIB / jobs))
}

least_of()
{
	local bytes
	bytes=$(share_of "$@")

	case $2 in
	*--rw=randrw*) echo $((bytes / 2)) ;;
	*) echo $((bytes * 9 / 10)) ;;
	esac
}

write_all()
{
	local label=$1 name first zones mib options bytes

	while read -r name first zones mib options; do
		bytes=$(share_of "$mib" "$options")
		# shellcheck disable=SC2046,SC2086
		fio_writes "$label: $name" \
			"$(least_of "$mib" "$options")" \
			$(place "$first" "$zones" "$options") \
			--io_size=$bytes --do_verify=1 $options
	done < <(jobs)
}

# The jobs that read back what others wrote, each in large reads, and one more at random,
# all at once: in User-Mode Linux each start of fio takes a second.
reading_jobs()
{
	local name first zones rest

	cat <<-END
	[global]
	filename=$DEV
	zonemode=zbd
	direct=1
	thread=1
	verify=crc32c
	verify_fatal=1
	verify_interval=4k
	verify_state_save=0
	rw=read
	bs=64k
	ioengine=libaio
	iodepth=8
	END
	while read -r name first zones rest; do
		printf '[%s]\noffset=%sz\nsize=%sz\n' "$name" "$first" "$zones"
	done < <(jobs)
	cat <<-END
	[random reads]
	size=36z
	rw=randread
	norandommap=1
	bssplit=4k/50:20k/20:132k/20:512k/10
	blockalign=4k
	ioengine=io_uring
	iodepth=16
	io_size=$(($(scaled 64 8) * MIB))
	END
}

# read_right LABEL NAME LEAST: what the run of all reading jobs says of one of them
read_right()
{
	local error bytes

	read -r error bytes < <(sed -n '/^{/,$p' "$TMP/fio.json" | jq -r --arg name "$2" \
		'.jobs[] | select(.jobname == $name) | "\(.error) \(.read.io_bytes)"')
	if [ "${error:-none}" != 0 ] || ((bytes < $3)); then
		not_ok "$1: $2" "error ${error:-none}, ${bytes:-no} of $3 bytes"
		return 1
	fi
	ok "$1: $2"
}

verify_all()
{
	local label=$1 name first zones mib options status=0 bad=0

	rig_mark "$SUITE: $label"
	reading_jobs >"$TMP/fio.jobs"
	fio --output-format=json --output="$TMP/fio.json" "$TMP/fio.jobs" \
		>"$TMP/fio.out" 2>&1 </dev/null || status=$?
	while read -r name first zones mib options; do
		read_right "$label" "$name" "$(least_of "$mib" "$options")" || bad=1
	done < <(jobs)
	read_right "$label" "random reads" $((4 * MIB)) || bad=1
	if ((status && !bad)); then
		not_ok "$label: fio" "exit status $status"
		bad=1
	fi
	((bad)) || return 0
	rig_show "$TMP/fio.out"
	sed '/^{/,$d' "$TMP/fio.json" | tail -n 20 | sed 's/^/# /'
}

check_parity()
{
	volume_is_array || return 0
	check "$1" parity_check --min-stripes 100 "${@:2}" "${DRIVES[@]}"
	[ ! -s "$TMP/output" ] || note "$(tail -n 1 "$TMP/output")"
}

# fio_round [CREATE-OPTION...]: all jobs write and verify, and read again before and
# after a restart of the array; the parity is recomputed from the members.
fio_round()
{
	if ! volume_up "$@" >"$TMP/output" 2>&1; then
		not_ok "the volume comes up"
		rig_show "$TMP/output"
		return
	fi
	fio_takes_any_size ||
		skip "block sizes that do not divide the zone" "$(fio --version)"
	write_all "write"
	verify_all "read again"
	check "flush" sync "$DEV"
	check_parity "parity and data of the running array" --volume "$DEV"
	check "stop" volume_stop
	check_parity "parity of the stopped array"
	check "start" volume_start
	verify_all "read after restart"
	check_parity "parity and data after the restart" --volume "$DEV"
	check "down" volume_down
}
