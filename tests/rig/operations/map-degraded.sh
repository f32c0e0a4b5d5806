#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# map marks the zones that lack a column, those that are rebuilt no longer, and zones that
# lost too much; the message "degraded" says which they are.
. "$(dirname "$0")/harness.sh"

# map FILTER: what jq finds in the map
map()
{
	raizn map $VOLUME --json | jq -c "$1"
}

# text: the map for people, in $TMP/map
text()
{
	LC_ALL=C COLUMNS=80 raizn map $VOLUME >"$TMP/map"
}

zone_0_is_rebuilt()
{
	[ "$(map '.zones[0]|[.first,.lacks]')" = '[0,[]]' ]
}

message()
{
	dmsetup message $VOLUME 0 "$@"
}

array_up
fill_zones
nr=$(map .nr_zones)
check_equal "no zone lacks a column" "$(map '[.degraded_zones,[.zones[].lacks[]]]')" '[0,[]]'
check_equal "so says the message" "$(message degraded)" "$nr"

# ---- a member fails --------------------------------------------------------------

check "fail" raizn fail $VOLUME 1 --force
check_equal "all zones lack a column, that of slot 1" \
	"$(map '[.state,.degraded_zones,([.zones[].lacks]|unique)]')" \
	"[\"degraded\",$nr,[[1]]]"
check_equal "the message" "$(message degraded)" "0,$nr,0x2 $nr"
check_equal "the message from zone 3 on" "$(message degraded 3)" "3,$((nr - 3)),0x2 $nr"
check_equal "the message from behind the last zone on" "$(message degraded 4000000000)" "$nr"
check_fails "the message with a wrong zone" 'Invalid argument' message degraded x
check_fails "the message with too many words" 'Invalid argument' message degraded 1 2
check "a map" text
sed 's/^/# /' "$TMP/map"
check "it marks zones" grep -q '^ 0  #! #! #!c\?o\?[0-9]!  \?\.! ' "$TMP/map"
check "it counts them" grep -qx "! lacks a column: $nr; slot 1 in $nr zones" "$TMP/map"
check "a picture" eval "raizn map $VOLUME --svg >$TMP/svg"
check_equal "it marks all zones, and explains that" "$(grep -c 'class="lacks"' "$TMP/svg")" \
	$((nr + 1))
check "it says what they lack" grep -q 'zone 0: full, 100% written, lacks slot 1<' "$TMP/svg"

# ---- it is replaced ----------------------------------------------------------------

check "slowly" raizn set $VOLUME speed_max=1M
check "a new drive" simulated_drive op5
check "replace" raizn replace --no-copy $VOLUME 1 /dev/op5 --force
check "zone 0 is rebuilt" await 60 zone_0_is_rebuilt
check "more slowly" raizn set $VOLUME speed_max=16K
degraded=$(map .degraded_zones)
check_true "other zones are not" "$degraded > 0 && $degraded < $nr"
check "a map meanwhile" text
sed 's/^/# /' "$TMP/map"
check "it says how far that is" grep -q '^ops: degraded, rebuild [0-9.]*%; ' "$TMP/map"
check "it marks only the others" grep -q '^ 0  #  .*!' "$TMP/map"
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check_equal "no zone lacks a column after that" \
	"$(map '[.state,.degraded_zones,[.zones[].lacks[]]]')" '["active",0,[]]'
check "a map of the whole array" text
check "it has no mark" eval "! grep -n '!' $TMP/map"

# ---- a zone loses two columns --------------------------------------------------------

check "stop" raizn stop $VOLUME
check "two drives lose their part of zone 1" eval \
	"simulated_zones_turn op2 offline $(home 1) &&
	 simulated_zones_turn op3 offline $(home 1)"
check "start" start
check_equal "zone 1 is read-only and lacks both" \
	"$(map '.zones[]|select(.condition == "read-only")|[.first,.count,.lacks]')" \
	'[1,1,[2,3]]'
check "a map of the damage" text
sed 's/^/# /' "$TMP/map"
check "it has the sign" grep -q '^ 0  #  *r[0-9#]!' "$TMP/map"
check "stop" raizn stop $VOLUME
finish
