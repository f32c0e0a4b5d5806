# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of the device-mapper target, which work with the volume of
# tests/lib/rig.sh, and with its table lines. Sourced by them, it names the scenario.
. "${BASH_SOURCE[0]%/*}/../../lib/rig.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/editor.sh"
scenario

HERE=${BASH_SOURCE[0]%/*}
MIB_SECTORS=2048
# Drives of 48 small zones: a volume of zones of 16 MiB, of which 12 can be written.
SMALL_ZONES=(size=192 zone_size=4 zone_capacity=3)

# up CREATE-OPTION...: an array of RIG_MEMBER_SETTINGS; nothing goes on without it.
up()
{
	if ! volume_up "$@" >"$TMP/output" 2>&1; then
		not_ok "the volume comes up"
		rig_show "$TMP/output"
		finish
	fi
	# Sectors of a zone, and of the volume; the members of the table line.
	ZONE=$(queue chunk_sectors)
	read -r LENGTH <"/sys/block/$DEV_NAME/size"
	ALL=("${DRIVES[@]}")
}

down()
{
	check "${1:-down}" volume_down
}

queue()
{
	local value
	read -r value <"/sys/block/$DEV_NAME/queue/$1"
	echo "$value"
}

# parity WHAT OPTION...: parity and data agree, on the members.
parity()
{
	check "$1" parity_check "${@:2}" "${DRIVES[@]}"
	note "$(tail -n 1 "$TMP/output")"
}

members_state()
{
	fingerprint "${DRIVES[@]}"
}

# volume_state NR: what the first NR zones of the volume are for its users.
volume_state()
{
	fingerprint --volume "$1" "$DEV"
}

is_clean()
{
	raizn inspect "${DRIVES[1]}" superblock --json | jq .superblock.clean
}

# ---- the kernel log ---------------------------------------------------------

# log_from_here: what `logged` looks at begins now.
log_from_here()
{
	LOG_MARK="log mark ${EPOCHREALTIME//[!0-9]/}"
	rig_mark "$LOG_MARK"
}

log_lines()
{
	dmesg | sed "1,/$LOG_MARK/d"
}

# logged REGEX: how many lines match.
logged()
{
	log_lines | grep -Ec -- "$1"
}

# ---- writing ----------------------------------------------------------------

# write_zone ZONE KIB [BLOCK-KIB]: so much in an empty zone, in blocks.
write_zone()
{
	local block=${3:-4}

	dd if=/dev/urandom of="$DEV" bs="${block}k" count=$(($2 / block)) \
		oflag=direct,seek_bytes seek=$(($1 * ZONE * 512)) conv=fsync,notrunc
}

zone_wp()
{
	local report
	report=$(blkzone report -o $(($1 * ZONE)) -c 1 "$DEV")
	report=${report#*wptr }
	echo $((${report%% *}))
}

# write_on ZONE KIB: random data from the write pointer on, and a flush.
write_on()
{
	dd if=/dev/urandom of="$DEV" bs=4k count=$(($2 / 4)) oflag=direct,seek_bytes \
		seek=$((($1 * ZONE + $(zone_wp "$1")) * 512)) conv=fsync,notrunc
}

# Many writes at once.
write_deep()
{
	fio --name=w --filename="$DEV" --zonemode=zbd --direct=1 --rw=write \
	    --ioengine=libaio "$@"
}

# resets N: N times a block is written and its zone reset.
resets()
{
	python3 -IS "$HERE/resets.py" "$DEV" "$1"
}

# Zones in every state, and tails that end in every data position.
zones_in_all_states()
{
	local i

	write_zone 0 5096 52 && write_zone 1 $((12 * 1024)) 64 &&
		write_zone 2 3100 && blkzone finish -o $((2 * ZONE)) -c 1 "$DEV" &&
		write_zone 3 1024 64 &&
		blkzone reset -o $((3 * ZONE)) -c 1 "$DEV" || return 1
	for i in 4 5 6 7; do
		write_on $i $((20 + 64 * (i - 4))) || return 1
	done
}

# ---- table lines ------------------------------------------------------------

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

reload()
{
	dmsetup reload "$VOLUME" --table "$1" &&
		dmsetup suspend "$VOLUME" && dmsetup resume "$VOLUME"
}

# refused WHAT REGEX TABLE...: the table is turned down with a word about it in the
# kernel log, and the members stay as they are.
refused()
{
	local what=$1 pattern=$2 before after
	shift 2

	before=$(members_state)
	log_from_here
	if dmsetup create rig-bad --table "$*" >"$TMP/output" 2>&1; then
		dmsetup remove rig-bad
		not_ok "refused: $what" "it was taken"
		return
	fi
	after=$(members_state)
	log_lines >"$TMP/log"
	if ! grep -Eq -- "$pattern" "$TMP/log"; then
		not_ok "refused: $what" "no '$pattern' in the kernel log"
		rig_show "$TMP/log"
	elif [ "$before" != "$after" ]; then
		not_ok "refused: $what" "the members were changed"
	else
		ok "refused: $what"
	fi
}

# ---- a power cut ------------------------------------------------------------

# power_cut NAME [LOST...]: copies of the members, as a power cut leaves them, become
# DRIVES; the array that ran on the others stops and they go. LOST is "SLOT EDIT" for
# what a member loses, see tests/lib/drive-editor.py.
power_cut()
{
	local name=$1 i lost edits old=("${DRIVES[@]}") names
	shift

	mapfile -t names < <(nullblk list)
	drives "$name" ${#old[@]} "${RIG_MEMBER_SETTINGS[@]}" || return 1
	for i in "${!old[@]}"; do
		edits=()
		for lost; do
			[ "${lost%% *}" != "$i" ] || edits+=("${lost#* }")
		done
		copy_drive "${old[i]}" "${DRIVES[i]}" "${edits[@]}" || return 1
	done
	# Not by the tool: it would see the copies, too.
	dmsetup remove --retry "$VOLUME" || return 1
	RIG_VOLUME_UP=
	raizn inspect "${old[0]}" superblock --json | jq -e .superblock.clean ||
		return 1
	drive_gone "${names[@]}"
}

load_module || { not_ok "load the module"; finish; }
