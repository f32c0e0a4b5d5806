#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# map shows zones by condition and fill in any width and locale, says the same as the zone
# report, and sums up zones where there are more than cells.
. "$(dirname "$0")/harness.sh"
six_drives
new_array tank "${FIVE[@]}"
ZONE=131072	# sectors from one zone of tank to the next

# zone_write ZONE MIB: that much from its beginning on
zone_write()
{
	dd if=/dev/zero of=/dev/mapper/tank bs=1M count="$2" oflag=direct,seek_bytes \
		seek=$(($1 * ZONE * 512)) conv=notrunc status=none
}

# zone_do ACTION ZONE: an action of blkzone
zone_do()
{
	blkzone "$1" -o $(($2 * ZONE)) -c 1 /dev/mapper/tank
}

# map_in LOCALE WIDTH [NAME]: the map as text, in $TMP/map
map_in()
{
	LC_ALL=$1 COLUMNS=$2 raizn map "${3:-tank}" >"$TMP/map"
}

# fits LOCALE WIDTH: no line of $TMP/map is wider, and there are at most 20 rows of cells.
fits()
{
	local LC_ALL=$1 line rows=0

	while IFS= read -r line; do
		if [ ${#line} -gt "$2" ]; then
			echo "too wide: $line"
			return 1
		fi
		[[ ! $line =~ ^\ *[0-9]+\ [\ coOrx] ]] || rows=$((rows + 1))
	done <"$TMP/map"
	echo "$rows rows"
	[ $rows -gt 0 ] && [ $rows -le 20 ]
}

# reported: each zone with its write pointer (bytes) and condition, as blkzone says
reported()
{
	local line number=0
	local -A names=([em]="empty" [oi]="implicitly open" [oe]="explicitly open"
			[cl]="closed" [fu]="full" [ro]="read-only" [of]="offline")

	while read -r line; do
		[[ $line =~ wptr\ (0x[0-9a-f]+).*zcond:\ *[0-9]+\(([a-z]+)\) ]] || continue
		echo "$number $((BASH_REMATCH[1] * 512)) ${names[${BASH_REMATCH[2]}]}"
		number=$((number + 1))
	done < <(blkzone report /dev/mapper/tank)
}

# mapped_zones: the same, as map --json says
mapped_zones()
{
	raizn map tank --json | jq -r '.zones[] | . as $run |
		range(.first; .first + .count) |
		"\(.) \($run.write_pointer) \($run.condition)"'
}

# in_terminal COMMAND: what it prints on a terminal of 60 columns
in_terminal()
{
	script -qec "stty cols 60; $1" /dev/null </dev/null | tr -d '\r' >"$TMP/map"
}

# svg_has EXPRESSION: true of the picture in $TMP/svg, whose elements are all("NAME")
svg_has()
{
	python3 - "$TMP/svg" "$1" <<-'PYTHON'
	import sys
	from xml.dom import minidom
	all = minidom.parse(sys.argv[1]).getElementsByTagName
	sys.exit(0 if eval(sys.argv[2]) else 1)
	PYTHON
}

# ---- what is refused -----------------------------------------------------------

refused "map without a name" 2 'name one array' raizn map
refused "map of two arrays" 2 'name one array' raizn map tank tank
refused "map as two things" 2 '--json and --svg exclude each other' \
	raizn map tank --json --svg
refused "map of an array that does not run" 4 'tank: no array of this name or UUID runs' \
	raizn map tank
check "a mapped device of somebody else" mapped other "$SPARE"
refused "map of that" 3 "other: a mapped device, but not an array's" raizn map other
unmapped other
GUARDED=()

# ---- zones in all conditions that a volume without damage has ------------------

check "start" start_array tank
check "a map of empty zones" map_in C 80
check "they are alike" eval \
	"[ \"\$(raizn map tank --json | jq -c '[.zones[]|[.first,.count,.condition]]')\" = \
	   '[[0,41,\"empty\"]]' ]"
check "write a quarter of zone 1" zone_write 1 12
check "open zone 2" zone_do open 2
check "write a twelfth of zone 3" zone_write 3 4
check "close zone 3" zone_do close 3
check "write three quarters of zone 11" zone_write 11 36
check "write and finish zone 0" eval "zone_write 0 1 && zone_do finish 0"
check "finish zone 40" zone_do finish 40

check "a map in ASCII" map_in C 80
sed 's/^/# /' "$TMP/map"
check_equal "its head" "$(head -n 1 "$TMP/map")" \
	"tank: active; 41 zones of 64 MiB, 48 MiB of each can be written"
check_equal "its cells" "$(sed -n '3,4p' "$TMP/map")" \
" 0  #o2O.c0 . . . . . .  .o7 . . . . . . . .  . . . . . . . . . .  . . . . .
35  . . . . . #"
check_equal "its legend" "$(tail -n +6 "$TMP/map")" \
". empty: 35   # full: 2   c closed: 1   o implicitly open: 2
O explicitly open: 1   0-9 tenths written"
check "a map in UTF-8" map_in C.UTF-8 80
sed 's/^/# /' "$TMP/map"
check_equal "its cells, in UTF-8" "$(sed -n '4p' "$TMP/map")" "35  · · · · · █"
for locale in C C.UTF-8; do
	for width in 1 40 80 200; do
		check "a map of width $width, $locale" map_in $locale $width
		[ $width = 1 ] || check "it fits" fits $locale $width
	done
done
check_equal "all zones fit into 200 columns" "$(grep -c '^ *[0-9]* [ cor]' "$TMP/map")" 1

check "on a terminal" in_terminal "LC_ALL=C TERM=linux raizn map tank"
check "there is colour" grep -q $'\033\\[32mo2\033\\[0m' "$TMP/map"
check "on a terminal without colour" in_terminal \
	"LC_ALL=C TERM=linux NO_COLOR=1 raizn map tank"
check "there is none" eval "! grep -n $'\033' $TMP/map"
check "it has the width of the terminal" grep -q '^25 ' "$TMP/map"

check_equal "JSON says what the zone report says" "$(mapped_zones)" "$(reported)"
json "the array in JSON" \
	'[.name,.state,.nr_members,.nr_zones,.zone_size,.zone_capacity,.degraded_zones,.counts.full,([.zones[].lacks[]]|length)]' \
	'["tank","active",5,41,67108864,50331648,0,2,0]' raizn map tank --json
uuid=$(superblock .array_uuid)
json "map by UUID" .uuid "$uuid" raizn map "$uuid" --json
check "a picture" eval "raizn map tank --svg >$TMP/svg"
check "it has a title for each zone, and its own" svg_has 'len(all("title")) == 42'
check "it has the sign of zone 2" svg_has \
	'[t.firstChild.data for t in all("text") if t.getAttribute("class") == "sign"][1] == "O"'
check "it has no mark" svg_has 'not all("path")'

check "suspend" dmsetup suspend tank
refused "map of a suspended array" 3 'tank: suspended' timeout 20 raizn map tank
check "resume" dmsetup resume tank
check "stop" raizn stop tank

# ---- more zones than cells -----------------------------------------------------

check "drives of 3000 zones" drives m 3 zone_size=1 zone_capacity=1 size=3000
check "an array of them" raizn create many "${DRIVES[@]}" --stripe-unit 4K
dmsetup mknodes many
nr=$(raizn map many --json | jq .nr_zones)
check "finish zone 7" blkzone finish -o $((7 * 4096)) -c 1 /dev/mapper/many
check "open the last zone" blkzone open -o $(((nr - 1) * 4096)) -c 1 /dev/mapper/many
for width in 40 80 200; do
	check "a map of $nr zones, width $width" map_in C $width many
	check "it fits" fits C $width
	check "it says how many are a cell" grep -q '^each cell is [0-9]* zones' "$TMP/map"
	check "it has the last one" grep -q 'O\.$' "$TMP/map"
done
sed 's/^/# /' "$TMP/map"
check "a full zone and an empty one are half a cell" grep -q '^ *0  \. \. \. 5 \. ' \
	"$TMP/map"
check "it counts zones, not cells" grep -q ". empty: $((nr - 2))   # full: 1" "$TMP/map"
check_equal "zones that are alike are one item" \
	"$(raizn map many --json | jq -c '[.zones[:5][]|[.first,.count]]')" \
	"[[0,7],[7,1],[8,$((nr - 9))],[$((nr - 1)),1]]"
check "a picture of so many" eval "raizn map many --svg >$TMP/svg"
check "it has no title but its own" svg_has 'len(all("title")) == 1'
check "it has them all" svg_has "len(all('g')) == $nr"
check "stop it" raizn stop many
finish
