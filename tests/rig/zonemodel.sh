#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Random operations checked by a model (src/zonemodel/), on arrays of several
# shapes, across restarts, with the parity recomputed from the members.
# RAIZN_TEST_SCALE=100 is 1,000 operations; less than 13 tries some of the shapes only,
# which the seed chooses.
. "$(dirname "$0")/../lib/rig.sh"
scenario

OPS=$(scaled 1000 100)
note "seed $SEED"

# Shapes: NAME THREADS PERCENT-OF-OPS MEMBERS | null_blk settings | create options
shapes()
{
	cat <<-'END'
	one thread     | 1 100 5 | | --write-cache back
	four threads   | 4  50 5 | | --write-cache back --trust-buffers
	through        | 4  40 5 | | --write-cache through
	whole zones    | 3  30 5 | zone_capacity=16 | --write-cache back
	512-byte blocks| 3  30 5 | blocksize=512 | --trust-buffers
	4 KiB units    | 3  30 3 | size=512 | --stripe-unit 4K
	1 MiB units    | 3  30 4 | zone_size=32 zone_capacity=30 | --stripe-unit 1M
	9 members      | 3  30 9 | zone_size=8 zone_capacity=7 size=384 | --stripe-unit 32K
	few open zones | 2  30 5 | zone_max_open=9 zone_max_active=14 | --write-cache back
	conventional zones | 2 30 5 | zone_nr_conv=3 | --write-cache back
	END
}

NR_SHAPES=$(shapes | wc -l)
CHOSEN=$(scaled 80 4)

# chosen N: that shape is one of those that this run tries.
chosen()
{
	(((SEED + $1 * 7) % NR_SHAPES < CHOSEN))
}

model()
{
	local what=$1
	shift
	check "$what" zonemodel --budget "$(scaled 400 150)" "$@" "$DEV"
	local status=$?
	note "$(tail -n 1 "$TMP/output" | cut -c 1-300)"
	return $status
}

# The array at rest: members, and with them the volume if it runs. All zones may just
# have been reset; some stripes there must be in the end, of all shapes together.
STRIPES=0
members_agree()
{
	volume_is_array || return 0
	check "$1" parity_check --min-stripes 0 "${@:2}" "${DRIVES[@]}"
	note "$(tail -n 1 "$TMP/output")"
	STRIPES=$((STRIPES +
		   $(sed -n 's/.* \([0-9]*\) complete stripes.*/\1/p' "$TMP/output")))
}

one_shape()
{
	local name=$1 threads=$2 ops=$(($OPS * $3 / 100)) state=$TMP/model
	RIG_MEMBERS=$4
	read -ra RIG_MEMBER_SETTINGS <<<"$5"
	read -ra options <<<"$6"

	if ! volume_up "${options[@]}" >"$TMP/output" 2>&1; then
		not_ok "$name: the volume comes up"
		rig_show "$TMP/output"
		volume_down >/dev/null 2>&1
		return
	fi
	if model "$name" --seed $((SEED + NUMBER)) --threads "$threads" --ops $ops \
		 --save "$state"; then
		check "$name: flush" sync "$DEV"
		members_agree "$name: members and volume" --volume "$DEV"
		check "$name: stop" volume_stop
		members_agree "$name: members of the stopped array"
		check "$name: start" volume_start &&
		model "$name: after a restart" --load "$state" --verify &&
		model "$name: on after a restart" --load "$state" \
		      --threads "$threads" --ops $((ops / 2)) --save "$state" &&
		check "$name: second stop and start" volume_restart &&
		model "$name: after a second restart" --load "$state" \
		      --verify &&
		members_agree "$name: members and volume in the end" \
			      --volume "$DEV"
	fi
	check "$name: down" volume_down
}

if volume_is_array; then
	NUMBER=0
	while IFS='|' read -r name numbers settings options <&3; do
		name=$(echo $name)
		NUMBER=$((NUMBER + 1))
		if [[ ${ZONEMODEL_ONLY:-} ]]; then
			[[ $name == $ZONEMODEL_ONLY ]] || continue
		else
			chosen $NUMBER || continue
		fi
		# shellcheck disable=SC2086
		one_shape "$name" $numbers "$settings" "$options"
	done 3< <(shapes)
	check_true "stripes that were compared: $STRIPES" "$STRIPES >= 20"
else
	# A plain drive: its own state lives in memory only, so no restarts.
	volume_up || exit 1
	model "one thread" --seed "$SEED" --ops "$OPS"
	model "back to empty" --reset --ops 0
	model "four threads" --seed $((SEED + 1)) --threads 4 --ops $((OPS / 2))
fi
finish
