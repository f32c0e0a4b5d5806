# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of raizn(8). Sourced by them, it names the scenario and
# gives them, beside tests/lib:
#
#	six_drives			ALL, the first five FIVE, the last one SPARE
#	three_drives			three more: THREE
#	refused, shows, json, checked	checks of a command
#	new_array, superblock		an array on FIVE, and what is written there
#
# Few programs are started here, since that takes long in a guest.
. "${BASH_SOURCE[0]%/*}/../../lib/rig.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/editor.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/advice.sh"
scenario

# Drives that `refused` and `checked` find as they were.
GUARDED=()

six_drives()
{
	drives t 6
	ALL=("${DRIVES[@]}")
	FIVE=("${DRIVES[@]:0:5}")
	SPARE=${DRIVES[5]}
	GUARDED=("${ALL[@]}")
	# Sectors of a drive.
	read -r LENGTH <"/sys/class/block/${SPARE##*/}/size"
}

three_drives()
{
	drives u 3
	THREE=("${DRIVES[@]}")
}

# drive NAME [KEY=VALUE...]: one drive, its device in DRIVE.
drive()
{
	local kept=("${DRIVES[@]}") name=$1
	shift
	drives "$name" 1 "$@" || return 1
	DRIVE=${DRIVES[0]}
	DRIVES=("${kept[@]}")
}

# new_array NAME DRIVE...: an array that does not run.
new_array()
{
	raizn create "$@" --no-start --force >"$TMP/out" 2>&1 || {
		not_ok "create $1"
		rig_show "$TMP/out"
		return 1
	}
}

# start_array NAME [DRIVE...]
start_array()
{
	load_module && raizn start "$@" && dmsetup mknodes "$1"
}

# create OPTION...: the array tank on FIVE
create()
{
	raizn create tank "${FIVE[@]}" "$@"
}

# superblock FILTER [DEVICE]: what jq finds in it.
superblock()
{
	raizn inspect "${2:-${FIVE[0]}}" superblock --json | jq -rc ".superblock|$1"
}

# matches REGEX FILE: a line of it does.
matches()
{
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line =~ $1 ]] && return 0
	done <"$2"
	return 1
}

# strangers: a line on standard error does not begin as those of raizn do.
strangers()
{
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line == "raizn: "* ]] || return 0
	done <"$TMP/err"
	return 1
}

# guarded: a fingerprint of the guarded drives.
guarded()
{
	[ ${#GUARDED[@]} -eq 0 ] || fingerprint "${GUARDED[@]}"
}

# refused WHAT CODE REGEX COMMAND...: the exit code is CODE, every line it says
# begins as errors do, one of them matches, and the guarded drives are as they were.
refused()
{
	local what=$1 code=$2 pattern=$3 before after status
	shift 3
	rig_mark "$SUITE: $what"
	before=$(guarded)
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	after=$(guarded)
	if [ "$status" != "$code" ]; then
		not_ok "$what" "exit code $status, want $code"
	elif ! matches "$pattern" "$TMP/err"; then
		not_ok "$what" "no '$pattern' on standard error"
	elif strangers; then
		not_ok "$what" "a line that does not begin with 'raizn: '"
	elif [ "$before" != "$after" ]; then
		not_ok "$what" "the drives were changed"
	else
		ok "$what"
		return 0
	fi
	note "command: $*"
	rig_show "$TMP/err"
	return 1
}

# shows WHAT REGEX COMMAND...: it succeeds and its output matches.
shows()
{
	local what=$1 pattern=$2
	shift 2
	rig_mark "$SUITE: $what"
	if "$@" >"$TMP/out" 2>&1 </dev/null && matches "$pattern" "$TMP/out"; then
		ok "$what"
		return 0
	fi
	not_ok "$what" "no success, or no '$pattern' in its output"
	note "command: $*"
	rig_show "$TMP/out"
	return 1
}

# json WHAT FILTER WANTED COMMAND...: what jq finds in the output.
json()
{
	local what=$1 filter=$2 wanted=$3
	shift 3
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	check_equal "$what" "$(jq -rc "$filter" "$TMP/out" 2>&1)" "$wanted"
}

# checked WHAT CODE FILTER WANTED ARGUMENT...: `raizn check` exits with CODE, jq
# finds WANTED in what it says, and the guarded drives are as they were.
checked()
{
	local what=$1 code=$2 filter=$3 wanted=$4 before after status got
	shift 4
	rig_mark "$SUITE: $what"
	before=$(guarded)
	raizn check --json "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	after=$(guarded)
	got=$(jq -rc "$filter" "$TMP/out" 2>&1)
	if [ "$status" != "$code" ]; then
		not_ok "$what" "exit code $status, want $code"
	elif [ "$got" != "$wanted" ]; then
		not_ok "$what" "got '$got', want '$wanted'"
	elif [ "$before" != "$after" ]; then
		not_ok "$what" "the drives were changed"
	else
		ok "$what"
		return 0
	fi
	note "command: raizn check --json $*"
	rig_show "$TMP/err"
	RIG_SHOW_LINES=60 rig_show "$TMP/out"
	return 1
}

# crashed LIMIT STATUS WORD...: the command ended with a status of LIMIT or more, which
# is no answer; it is shown.
crashed()
{
	[ "$2" -ge "$1" ] || return 1
	note "exit status $2: raizn ${*:3}"
	rig_show "$TMP/out"
}

# mapped NAME DRIVE [FIRST]: a mapped device over a drive, from a sector of it on.
mapped()
{
	local name=$1 drive=$2 first=${3:-0}

	dmsetup create --noudevsync "$name" \
		--table "0 $((LENGTH - first)) linear $drive $first" &&
		at_exit "dmsetup remove --retry '$name'" &&
		# udev, where it runs, makes the node.
		await 30 test -b "/dev/mapper/$name"
}

unmapped()
{
	dmsetup remove --retry "$1"
}

# Data of 1.25 MiB, and whether the volume has it.
write_data()
{
	[ -e "$TMP/data" ] ||
		dd if=/dev/urandom of="$TMP/data" bs=64K count=20 status=none
	dd if="$TMP/data" of=/dev/mapper/tank bs=64K oflag=direct conv=fsync status=none
}

has_data()
{
	dmsetup mknodes tank &&
		dd if=/dev/mapper/tank of="$TMP/read" bs=64K count=20 iflag=direct \
			status=none &&
		cmp "$TMP/data" "$TMP/read"
}

# An array with data, running.
array_with_data()
{
	new_array tank "${FIVE[@]}" && start_array tank "${FIVE[@]}" >/dev/null &&
		write_data
}

# After a failure an array may run still.
stop_arrays()
{
	local users=0

	[ ! -d /sys/module/dm_raizn ] || read -r users </sys/module/dm_raizn/refcnt
	[ "$users" -eq 0 ] || raizn stop --all
}
at_exit stop_arrays
