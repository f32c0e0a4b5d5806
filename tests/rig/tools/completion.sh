#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Completion offers what fits: commands, options, their values, words, and the names of
# arrays, slots and drives that there are.
. "$(dirname "$0")/harness.sh"
six_drives
three_drives
load_module
new_array tank "${FIVE[@]}"
new_array other "${THREE[@]}"
check "start one of two arrays" start_array tank
. "$RIG_TOP/tools/completion/raizn.bash"

# offers WHAT WORDS WORD...: as bash asks for "raizn WORD..."
offers()
{
	local what=$1 want=$2
	shift 2
	COMP_WORDS=(raizn "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_raizn
	check_equal "$what" "${COMPREPLY[*]}" "$want"
}

offers "commands" "start stop status" st
offers "commands to get help on" "events" help ev
offers "options" "--write-cache" create tank --w
offers "an option of its usage only once" "--wait" scrub tank --w
offers "options that all long commands have" "--no-parity --no-progress" check tank --no
offers "help" "--help" stop --h
offers "values of an option" "back through" start tank --write-cache ""
offers "drives for an option" "$SPARE" monitor --spare "$SPARE"
offers "words of a usage" "repair resume" scrub tank re
offers "the parts to inspect" "superblock log zones" inspect "${FIVE[0]}" ""
offers "settings" "speed_min= speed_max=" set tank sp
offers "arrays that run" "tank" stop ""
offers "arrays with zones to show" "tank" map ""
offers "outputs of map" "--json --svg --help" map tank --
offers "arrays that do not" "other" start ""
offers "slots" "0 1 2 3 4" fail tank ""
offers "nothing for a name that only the user knows" "" create ""
offers "nothing behind all arguments" "" fail tank 1 ""
offers "nothing for an option's free value" "" scrub tank --from ""
offers "nothing for a command that there is not" "" nonsense ""
COMP_WORDS=(raizn replace tank 0 /dev/)
COMP_CWORD=4
_raizn
# The machine may have drives of its own.
check_equal "drives, and no volume among them" \
	"$(printf '%s\n' "${COMPREPLY[@]}" | grep -v '^/dev/nvme' | sort)" \
	"$(printf '%s\n' "${ALL[@]}" "${THREE[@]}" | sort)"
check "stop" raizn stop tank
finish
