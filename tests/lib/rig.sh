# SPDX-License-Identifier: GPL-2.0
# Shared by the suites that run as root in a guest. Source it, then:
#
#	scenario			first: names the scenario after its file below
#					tests/rig; everything is cleaned up at exit
#	suite NAME			the same with a name of one's own
#	ok WHAT / not_ok WHAT [WHY] / skip WHAT WHY
#	check WHAT COMMAND...		ok when the command succeeds
#	check_fails WHAT REGEX COMMAND...
#					ok when it fails and its output matches
#	load_module / unload_module	dm-raizn
#	drives NAME N [KEY=VALUE...]	N zoned null_blk drives NAME0..; their
#					devices go to the array DRIVES
#	drives_gone			removes all drives made by this suite
#	volume_up / volume_down / volume_restart
#					the array under test (see below)
#	finish				last; the exit status tells all
#
# One line per check goes to standard output; output of commands that failed
# follows as lines that begin with "# ".

RIG_TOP=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
RIG_BIN=$RIG_TOP/tests/rig/bin
PATH=$RIG_TOP/tools:$RIG_TOP/scripts:$RIG_BIN:/usr/sbin:/sbin:$PATH
export PATH LC_ALL=C.UTF-8

# How much work the suites do, in percent; less where a CPU is emulated.
: "${RAIZN_TEST_SCALE:=100}"

RIG_FAILED=0
RIG_PASSED=0
RIG_SKIPPED=0
RIG_DRIVES=()		# null_blk names, to be removed
RIG_CLEANUPS=()		# commands, run at exit in reverse order
DRIVES=()

# SEED: seed of everything random in this run. RAIZN_TEST_SEED repeats a run.
suite()
{
	SUITE=$1
	SEED=${RAIZN_TEST_SEED:-$EPOCHSECONDS}
	TMP=$(mktemp -d "/tmp/${SUITE//\//-}.XXXXXX")
	# The guest's own files stay as they are.
	export RAIZN_HISTORY=$TMP
	trap rig_cleanup EXIT
	trap 'exit 130' INT TERM
	# The kernel log says which check a message belongs to.
	rig_mark "suite $SUITE starts"
}

# scenario: tests/rig/operations/settings.sh is the scenario operations/settings.
scenario()
{
	local path=./$0

	[[ $0 != /* ]] || path=$0
	path=$(cd "${path%/*}" && pwd)/${0##*/}
	path=${path%.sh}
	suite "${path#"$RIG_TOP"/tests/rig/}"
}

# await SECONDS COMMAND...: until the command succeeds; so long at most.
await()
{
	local end=$((SECONDS + $1))
	shift

	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}

rig_mark()
{
	echo "<5>test: $*" >/dev/kmsg 2>/dev/null || true
}

rig_cleanup()
{
	local i status=$?

	trap - EXIT INT TERM
	set +e
	for ((i = ${#RIG_CLEANUPS[@]} - 1; i >= 0; i--)); do
		eval "${RIG_CLEANUPS[i]}" >/dev/null 2>&1
	done
	drives_gone >/dev/null 2>&1
	rm -rf "$TMP"
	rig_mark "suite $SUITE ends"
	exit $status
}

# at_exit COMMAND: one string, evaluated at the end of the suite.
at_exit()
{
	RIG_CLEANUPS+=("$1")
}

# jobs_end: kills all that this shell runs in the background, and waits for it.
jobs_end()
{
	local jobs

	mapfile -t jobs < <(jobs -p)
	[ ${#jobs[@]} -eq 0 ] || kill -KILL "${jobs[@]}"
	wait
}

# scaled N [MIN [MAX]]: N times RAIZN_TEST_SCALE percent, at least MIN (1), at most MAX.
scaled()
{
	local n=$(($1 * RAIZN_TEST_SCALE / 100)) min=${2:-1} max

	n=$((n < min ? min : n))
	max=${3:-$n}
	echo $((n > max ? max : n))
}

# one_of WORD...: another one each time, by the seed
one_of()
{
	local words=("$@")

	echo "${words[SEED % $#]}"
}

note()
{
	echo "# $*"
}

ok()
{
	RIG_PASSED=$((RIG_PASSED + 1))
	echo "ok - $SUITE: $1"
	rig_mark "ok - $SUITE: $1"
}

not_ok()
{
	RIG_FAILED=$((RIG_FAILED + 1))
	echo "not ok - $SUITE: $1${2:+ ($2)}"
	rig_mark "not ok - $SUITE: $1"
}

skip()
{
	RIG_SKIPPED=$((RIG_SKIPPED + 1))
	echo "skip - $SUITE: $1 ($2)"
}

# The output of a command, made part of the report: what failed comes first, for of a
# long report somebody may see the beginning only.
rig_show()
{
	sed -n '/: FAILED/{p;n;p;q}' "$1" | sed 's/^/# /'
	tail -n "${RIG_SHOW_LINES:-30}" "$1" | sed 's/^/# /'
}

check()
{
	local what=$1 status
	shift
	rig_mark "$SUITE: $what"
	"$@" >"$TMP/output" 2>&1 </dev/null
	status=$?
	if [ $status -eq 0 ]; then
		ok "$what"
	else
		not_ok "$what" "exit status $status"
		note "command: $*"
		rig_show "$TMP/output"
	fi
	return $status
}

check_fails()
{
	local what=$1 pattern=$2 status
	shift 2
	rig_mark "$SUITE: $what"
	"$@" >"$TMP/output" 2>&1 </dev/null
	status=$?
	if [ $status -eq 0 ]; then
		not_ok "$what" "it succeeded"
	elif [ $status -ge 124 ]; then
		not_ok "$what" "exit status $status"
	elif ! grep -Eq -- "$pattern" "$TMP/output"; then
		not_ok "$what" "no '$pattern' in its output"
	else
		ok "$what"
		return 0
	fi
	note "command: $*"
	rig_show "$TMP/output"
	return 1
}

# check_equal WHAT GOT WANTED
check_equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', want '$3'"
		return 1
	fi
}

# check_true WHAT EXPRESSION: an arithmetic one, shown when it is false.
check_true()
{
	if (($2)); then
		ok "$1"
	else
		not_ok "$1" "$2"
		return 1
	fi
}

# Summary for people, exit status for programs. A scenario that skips everything is well.
finish()
{
	note "$SUITE: $RIG_PASSED passed, $RIG_FAILED failed," \
	     "$RIG_SKIPPED skipped"
	[ $RIG_FAILED -eq 0 ] && [ $((RIG_PASSED + RIG_SKIPPED)) -gt 0 ]
	exit
}

# ---- kernel ---------------------------------------------------------------

# kernel_at_least MAJOR MINOR
kernel_at_least()
{
	local major minor
	IFS=.- read -r major minor _ </proc/sys/kernel/osrelease
	((major > $1 || (major == $1 && minor >= $2)))
}

module_file()
{
	find "$RIG_TOP" -name dm-raizn.ko -print -quit
}

load_module()
{
	local ko

	[ -d /sys/module/dm_raizn ] && return 0
	ko=$(module_file)
	[ -n "$ko" ] || { echo "dm-raizn.ko is not built" >&2; return 1; }
	modinfo -F depends "$ko" | tr ',' '\n' | while read -r dependency; do
		[ -z "$dependency" ] || modprobe "$dependency"
	done
	modprobe dm-mod
	insmod "$ko"
}

unload_module()
{
	[ ! -d /sys/module/dm_raizn ] || rmmod dm-raizn
}

# Simulated drives that lose power and fail on demand, from tests/zonesim.
load_zonesim()
{
	local ko

	[ -d /sys/module/zonesim ] && return 0
	ko=$(find "$RIG_TOP" -name zonesim.ko -print -quit)
	[ -n "$ko" ] || { echo "zonesim.ko is not built" >&2; return 1; }
	insmod "$ko"
}

# append PARAMETER...: zone appends to $DEV. Only the kernel can submit them: a module
# does, and loads if all was right.
append()
{
	insmod "$(find "$RIG_TOP" -name zone_append.ko -print -quit)" \
		device="$DEV" "$@" && rmmod zone_append
}

# Lines the kernel logged since the last call of this function.
RIG_LOG_SEEN=
kernel_log_new()
{
	local all
	all=$(dmesg)
	if [ -n "$RIG_LOG_SEEN" ]; then
		echo "$all" | awk -v seen="$RIG_LOG_SEEN" \
			'found { print } $0 == seen { found = 1 }'
	fi
	RIG_LOG_SEEN=$(echo "$all" | tail -n 1)
}

# ---- drives ---------------------------------------------------------------

drives()
{
	local name=$1 n=$2 i device names=()
	shift 2
	for ((i = 0; i < n; i++)); do
		names+=("$name$i")
	done
	mapfile -t DRIVES < <(nullblk create "${names[@]}" "$@")
	# In the order of their names; after a failure the first ones are there.
	RIG_DRIVES+=("${names[@]:0:${#DRIVES[@]}}")
	for device in "${DRIVES[@]}"; do
		rig_scheduler "$device"
	done
	[ "${#DRIVES[@]}" -eq "$n" ]
}

# Kernels before 6.10 keep the order of writes only with mq-deadline.
rig_scheduler()
{
	local queue=/sys/block/${1##*/}/queue zoned

	read -r zoned <"$queue/zoned"
	if [ "$zoned" = host-managed ] && ! kernel_at_least 6 10; then
		echo mq-deadline >"$queue/scheduler"
	fi
}

# drive_gone NAME...
drive_gone()
{
	local name other left=()

	nullblk destroy "$@" || return 1
	for other in "${RIG_DRIVES[@]}"; do
		for name; do
			[ "$other" = "$name" ] && continue 2
		done
		left+=("$other")
	done
	RIG_DRIVES=("${left[@]}")
}

drives_gone()
{
	[ ${#RIG_DRIVES[@]} -eq 0 ] || nullblk destroy "${RIG_DRIVES[@]}"
	RIG_DRIVES=()
	DRIVES=()
}

# ---- the volume under test ------------------------------------------------
#
# volume_up [CREATE OPTION...] makes five drives (RIG_MEMBERS of them, with
# the null_blk settings RIG_MEMBER_SETTINGS) and an array named $VOLUME on
# them; $DEV is its device, DRIVES its members. With TARGET_DEV=raw in the
# environment a plain zoned null_blk drive of the same shape takes the array's
# place, so that a suite can be tried on a drive that is known to be right; any
# other value of TARGET_DEV is the device to use. A suite asks `volume_is_array`
# before it checks what only an array has.

VOLUME=${VOLUME:-rig}
RIG_MEMBERS=5
RIG_MEMBER_SETTINGS=()
RIG_RAW_SETTINGS=(zone_size=64 zone_capacity=48 size=2688 zone_max_open=10
		  zone_max_active=10)

volume_is_array()
{
	[ -z "${TARGET_DEV:-}" ]
}

# Before 3.36 fio wants zones to be a multiple of the block size.
fio_takes_any_size()
{
	local major minor

	IFS=.- read -r _ major minor _ <<<"$(fio --version)"
	((major > 3 || (major == 3 && minor >= 36)))
}

# odd_size KIB: a block size for fio that divides neither zones nor stripe
# units, where fio takes that.
odd_size()
{
	if fio_takes_any_size; then
		echo "${1}k"
	else
		echo 32k
	fi
}

# What sysfs calls a device: dm-N.
sysfs_name()
{
	local major minor path
	read -r major minor <<<"$(stat -Lc '%t %T' "$1")"
	path=$(readlink "/sys/dev/block/$((0x$major)):$((0x$minor))")
	echo "${path##*/}"
}

volume_up()
{
	case ${TARGET_DEV:-} in
	'')
		load_module || return 1
		drives "$VOLUME" "$RIG_MEMBERS" "${RIG_MEMBER_SETTINGS[@]}" ||
			return 1
		raizn create "$VOLUME" "${DRIVES[@]}" "$@" || return 1
		dmsetup mknodes "$VOLUME"
		DEV=/dev/mapper/$VOLUME
		RIG_VOLUME_UP=1
		RIG_CLEANUPS+=("volume_gone")
		;;
	raw)
		drives "$VOLUME" 1 "${RIG_RAW_SETTINGS[@]}" || return 1
		DEV=${DRIVES[0]}
		;;
	*)
		DEV=$TARGET_DEV
		;;
	esac
	DEV_NAME=$(sysfs_name "$DEV")
}

# Stops the array; its drives stay.
volume_stop()
{
	volume_is_array || return 0
	raizn stop "$VOLUME" || return 1
	RIG_VOLUME_UP=
}

volume_start()
{
	volume_is_array || return 0
	raizn start "$VOLUME" "${DRIVES[@]}" || return 1
	dmsetup mknodes "$VOLUME"
	DEV_NAME=$(sysfs_name "$DEV")
	RIG_VOLUME_UP=1
}

volume_restart()
{
	volume_stop && volume_start
}

# Array and drives, the former stopped if it still runs.
volume_gone()
{
	local status=0

	if [ -n "${RIG_VOLUME_UP:-}" ]; then
		raizn stop "$VOLUME" || dmsetup remove --force "$VOLUME" ||
			status=1
		RIG_VOLUME_UP=
	fi
	drives_gone || status=1
	return $status
}

volume_down()
{
	volume_gone
}

# Words of the target's status line, from the third on. Behind them comes a word for
# each member, which status_is() calls member0, member1 and so on.
RIG_STATUS=(state members letters event user_read user_written member_read data parity
	    partial_parity metadata rebuild flushes log_switches open active max_open
	    max_active write_cache degraded action paused "done" total milliseconds
	    mismatches repaired speed_min speed_max error_limit)
# Behind the members' words
RIG_STATUS_END=(scrub_next damaged trust_buffers unwritable lost autostart spoilt
		retired retired_at places stand_ins)

# status_words: the status line, split, is in RIG_WORDS; an element for each name.
declare -A RIG_WORDS
status_words()
{
	local -a words
	local i

	RIG_WORDS=()
	read -ra words < <(dmsetup status "$VOLUME")
	((${#words[@]} > ${#RIG_STATUS[@]} + 3)) || return 1
	for i in "${!RIG_STATUS[@]}"; do
		RIG_WORDS[${RIG_STATUS[i]}]=${words[i + 3]}
	done
	for ((i = 0; i < ${RIG_WORDS[members]}; i++)); do
		RIG_WORDS[member$i]=${words[i + 3 + ${#RIG_STATUS[@]}]}
	done
	for i in "${!RIG_STATUS_END[@]}"; do
		RIG_WORDS[${RIG_STATUS_END[i]}]=${words[
			i + 3 + ${#RIG_STATUS[@]} + RIG_WORDS[members]]}
	done
}

# status_field NAME: one word of the target's status line.
status_field()
{
	status_words && [ -n "${RIG_WORDS[$1]:-}" ] && echo "${RIG_WORDS[$1]}"
}

# status_is NAME PATTERN [NAME PATTERN]...: all of these words match their patterns of
# the shell. It starts one program, and so is cheap to wait for.
status_is()
{
	status_words || return 1
	while (($#)); do
		[[ ${RIG_WORDS[$1]} = $2 ]] || return 1
		shift 2
	done
}

# zones_begun DEVICE SECTOR NR: something was written to one of NR zones from there on.
zones_begun()
{
	blkzone report -o "$2" -c "$3" "$1" | grep -qE '\((oi|oe|cl|fu)\)'
}

# what_is_read FILE SIZE BLOCKS [SECTOR]: reads so many blocks of SIZE bytes of $DEV, from
# this sector on, and compares them with the file, which holds no block of zeros. Prints how
# many are right, how many could not be read and how many are wrong.
what_is_read()
{
	local refused differ

	dd if="$DEV" of="$TMP/read" bs="$2" count="$3" conv=noerror,sync status=noxfer \
		iflag=direct,skip_bytes skip=$((${4:-0} * 512)) 2>"$TMP/errors"
	[ "$(stat -c %s "$TMP/read")" = $(($2 * $3)) ] || return 1
	refused=$(grep -c 'error reading' "$TMP/errors")
	# A block that could not be read is zeros now, and so differs.
	differ=$(cmp -l -n $(($2 * $3)) "$TMP/read" "$1" | awk -v size="$2" \
		'!seen[int(($1 - 1) / size)]++ { n++ } END { print n + 0 }')
	echo "$(($3 - differ)) right, $refused refused, $((differ - refused)) wrong"
}

# Sectors that users have written, and read if LOAD_VERIFIES: what looks at its data in
# the end works, too.
user_sectors()
{
	echo $(($(status_field user_written) +
		${LOAD_VERIFIES:-0} * $(status_field user_read)))
}

# Some work is done by the process $LOAD, from now on.
load_works()
{
	local before

	before=$(user_sectors)
	for _ in $(seq 600); do
		(($(user_sectors) > before + 256)) && return 0
		kill -0 $LOAD 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

# under_load WHAT COMMAND...: and some work is done after it.
under_load()
{
	check "$@" || return 1
	load_works && return
	not_ok "$1: the load goes on"
	rig_show "$TMP/load"
	return 1
}
