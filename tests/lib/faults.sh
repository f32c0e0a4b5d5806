# SPDX-License-Identifier: GPL-2.0
# An array of simulated drives, what its user writes, and what goes wrong by chance, for suites
# that source it behind simulated.sh, with chance.sh. They set LEVEL, MEMBERS, UNIT and CACHE,
# as well as VOLUME, DEV, ZONES (of the volume, that are written) and CAPACITY (KiB of a member
# zone).
#
#	DRIVE		names of the drives by slot
#	OFF, DEAD	by name: drives without power; those that are broken for good
#	WRITTEN, END	KiB by zone: what is written; or -1, with the end of what is right
#	HOW		what went wrong, in words
#	LOST		set if the drives lost something
#
# goes_off NAME, if there is such a function, is called before a drive loses power.

# ---- the array and its drives -----------------------------------------------------

# drive: a new one, in the variable NEW
drive()
{
	NEW=adv$NEXT_DRIVE
	NEXT_DRIVE=$((NEXT_DRIVE + 1))
	simulated_drive "$NEW" zone_capacity_kib=$CAPACITY write_cache=$CACHE
}

array_begins()
{
	local slot names=() create=(raizn create $VOLUME)

	! percent 40 || create=(array_permuted $VOLUME $RANDOM)
	DRIVE=()
	NEXT_DRIVE=0
	declare -gA OFF=() DEAD=()
	simulated_group adv || return 1
	for ((slot = 0; slot < MEMBERS; slot++)); do
		drive || return 1
		DRIVE+=("$NEW")
		names+=("/dev/$NEW")
	done
	"${create[@]}" "${names[@]}" --level $LEVEL --stripe-unit $UNIT \
		--spare-zones 4 || return 1
	dmsetup mknodes
	CHUNK=$(cat "/sys/block/$(sysfs_name $DEV)/queue/chunk_sectors")
	ZONE_CAPACITY=$(blkzone report -c 1 $DEV | sed -n 's/.*cap 0x\([0-9a-f]*\).*/\1/p')
	ZONE_CAPACITY=$((0x$ZONE_CAPACITY / 2))
	WRITTEN=()
	for ((zone = 0; zone < ZONES; zone++)); do
		WRITTEN+=(0)
	done
	rm -f "$TMP/data"
	truncate -s $((ZONES * CHUNK / 2))K "$TMP/data"
}

array_ends()
{
	! runs || raizn stop $VOLUME
	simulated_group_gone
}

give_up()
{
	dmsetup remove --force --retry $VOLUME
	simulated_group_gone
}

runs()
{
	[ -e $DEV ]
}

# ---- what is written ----------------------------------------------------------------

# write_zone ZONE KIB: a zone whose write failed holds what was there before, and is not written
# any more.
write_zone()
{
	local zone=$1 size=$2

	head -c ${size}K /dev/urandom >"$TMP/new"
	if dd if="$TMP/new" of=$DEV bs=${size}k oflag=direct,seek_bytes \
		seek=$((zone * CHUNK * 512 + WRITTEN[zone] * 1024)) \
		conv=notrunc,fsync status=none; then
		dd if="$TMP/new" of="$TMP/data" bs=${size}k oflag=seek_bytes status=none \
			seek=$((zone * CHUNK * 512 + WRITTEN[zone] * 1024)) conv=notrunc
		WRITTEN[zone]=$((WRITTEN[zone] + size))
	else
		END[zone]=${WRITTEN[zone]}
		WRITTEN[zone]=-1
	fi
}

write_some()
{
	local n zone size

	runs || return 0
	for n in 1 2 3; do
		pick $ZONES
		zone=$PICKED
		pick 128
		size=$((4 + 4 * PICKED))
		((WRITTEN[zone] >= 0 && WRITTEN[zone] + size <= ZONE_CAPACITY)) || continue
		write_zone "$zone" $size
	done
}

# extents: what must be right if it can be read
extents()
{
	local zone end

	for ((zone = 0; zone < ZONES; zone++)); do
		end=${WRITTEN[zone]}
		((end >= 0)) || end=${END[zone]}
		((end == 0)) || echo "$((zone * CHUNK * 512)) $((end * 1024))"
	done
}

# ---- what goes wrong ----------------------------------------------------------------

slot()
{
	pick $MEMBERS
	SLOT=$PICKED
	HOW+=" $SLOT(${DRIVE[SLOT]})"
}

# off ATTRIBUTE VALUE: the drive of SLOT loses power; it may be broken for good
off()
{
	local name=${DRIVE[SLOT]}

	[ -z "${OFF[$name]:-}" ] || return 0
	! declare -F goes_off >/dev/null || goes_off "$name"
	simulated_set "$name" "$1" "$2"
	OFF[$name]=1
	! percent 40 || { DEAD[$name]=1; LOST=1; HOW+=" for good"; }
}

power() { slot; off power 0; }
unplug() { slot; off unplug 1; }
by_hand() { slot; ! runs || raizn fail $VOLUME $SLOT --force || HOW+=" refused"; }

# data_zones: those of the drive of SLOT that hold something of the volume
data_zones()
{
	awk '$1 > 4 && $4 > 0 { print $1, $4 }' "$GROUP/${DRIVE[SLOT]}/zones"
}

bad_sectors()
{
	local n zone length lines

	slot
	mapfile -t lines < <(data_zones)
	((${#lines[@]})) || return 0
	pick 4
	for ((n = PICKED; n >= 0; n--)); do
		pick_of "${lines[@]}"
		read -r zone length <<<"$PICKED"
		pick $(((length + 7) / 8))
		simulated_set "${DRIVE[SLOT]}" bad_sectors $((zone * 4096 + PICKED * 8))
		HOW+=" $zone:$((PICKED * 8))"
	done
}

bad_zone()
{
	local lines condition

	slot
	mapfile -t lines < <(data_zones)
	((${#lines[@]})) || return 0
	pick_of readonly offline
	condition=$PICKED
	pick_of "${lines[@]}"
	HOW+=" $condition ${PICKED% *}"
	simulated_set "${DRIVE[SLOT]}" zone_cond "${PICKED% *} $condition"
}

write_error()
{
	local effect

	slot
	pick_of none part all
	effect=$PICKED
	pick 4
	HOW+=" $effect"
	simulated_set "${DRIVE[SLOT]}" fault \
		"write,append $((PICKED + 1)) status=medium effect=$effect"
	write_some
	simulated_set "${DRIVE[SLOT]}" fault clear
}

# Some may not come back, or later.
power_cut()
{
	local name

	simulated_set . power 0
	! runs || dmsetup remove --retry $VOLUME || return 1
	for name in "${DRIVE[@]}"; do
		[ -z "${OFF[$name]:-}" ] || continue
		simulated_set "$name" power 1
	done
	if percent 40; then
		slot
		off power 0
	fi
}

restart()
{
	! runs || raizn stop $VOLUME || return 1
	percent 50 || return 0
	slot
	off unplug 1
}

slowly()
{
	! runs || raizn set $VOLUME speed_max=64K speed_min=1
}

# ---- what comes back -----------------------------------------------------------------

# The drive of SLOT, in the variable CONNECTED.
connect()
{
	CONNECTED=${DRIVE[SLOT]}
	simulated_set "$CONNECTED" power 1
	await 10 test -b "/dev/$CONNECTED" && rig_scheduler "/dev/$CONNECTED"
	unset "OFF[$CONNECTED]"
	DONE="$ID: connect $CONNECTED"
	note "  $DONE"
}
