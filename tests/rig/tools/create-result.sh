#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What create announces in a dry run, what it writes, and what inspect, list and status
# say of it.
. "$(dirname "$0")/harness.sh"
six_drives

before=$(guarded)
shows "a dry run shows the layout" \
	'^volume: +1.92 GiB in 41 zones of 64 MiB, of which 48 MiB' \
	create --dry-run
check_equal "a dry run has no limits but the drives'" \
	"$(grep '^limits:' "$TMP/out")" "limits:   9 open and 9 active zones"
check_equal "a dry run changes nothing" "$(guarded)" "$before"

check "create --no-start" create --no-start --label 'für Äpfel' --write-cache through
check "it does not start" test ! -e /dev/mapper/tank
before=$(guarded)
for device in "${FIVE[@]}"; do
	raizn inspect "$device" superblock --json
done >"$TMP/superblocks"
json "its superblock" \
	'.superblock|select(.slot==0)|[.name,.label,.level,.nr_members,.nr_parity,.stripe_unit_sectors,.block_size,.zone_size_sectors,.zone_capacity_sectors,.first_zone,.nr_reserved,.nr_zones,.clean,.write_through,.event,.seq]' \
	'["tank","für Äpfel",5,5,1,128,4096,32768,24576,0,7,41,true,true,1,1]' \
	cat "$TMP/superblocks"
check_equal "members know their slots, and have identities" \
	"$(jq -sc '[map(.superblock.slot),(map(.superblock.member_uuid)|unique|length)]' \
		"$TMP/superblocks")" '[[0,1,2,3,4],5]'
json "the log of a new member" \
	'[.log[]|[.zone,.role,.complete,(.records|map(.type+" "+.verdict))]]|.[0:2]' \
	'[[0,"general log",true,["superblock ok","checkpoint ok"]],[1,"no log",false,[]]]' \
	raizn inspect "${FIVE[1]}" log --json
json "the zones of a new member" \
	'[.contradictions,(.zones|length),.zones[5].role,.zones[7].role,.zones[47].role,.zones[47].generation]' \
	'[0,48,"spare","data 0","data 40",0]' \
	raizn inspect "${FIVE[1]}" zones --json
json "inspect --json of all parts is one object" 'keys|length' 8 \
	raizn inspect "${FIVE[1]}" --json
shows "inspect for people" 'checkpoint +of superblock 1; ok' \
	raizn inspect "${FIVE[1]}"
json "list of a stopped array" \
	'.arrays[]|[.name,.label,.running,.state,.nr_members,.nr_found]' \
	'["tank","für Äpfel",false,"stopped",5,5]' raizn list --json
json "status of a stopped array" \
	'.arrays[]|[.state,.level,.stripe_unit,.write_cache,.nr_zones,(.members|map(.state)|unique)]' \
	'["stopped",5,65536,"through",41,["found"]]' raizn status tank --json
shows "list for people" '^tank .* stopped +5/5 +für Äpfel' raizn list
shows "status for people" "action: 'raizn start tank' starts it" raizn status
check_equal "inspect, list and status change nothing" "$(guarded)" "$before"
load_module
advice_helps tank start active
check "stop" raizn stop tank
finish
