# SPDX-License-Identifier: GPL-2.0
# What `raizn status` advises, carried out as it is printed, for scenarios that source it
# behind rig.sh. `tests/run host plans` fails if a scenario is missing for an advice of tools/.
#
#	advice_helps NAME ID STATE [WORD=VALUE...]
#				status of the array NAME gives the advice ID; its commands
#				are carried out, with DRIVE and the like filled in. Then the
#				array is in this state, and the advice is another one.
#	advice_helps NAME ID:1,2 ...	the first two of its commands
#	advice_tells NAME ID:N CODE REGEX
#				its command N changes nothing; it exits with CODE and says
#				something that matches
#	advice_by_hand NAME ID STATE COMMAND...
#				it has no command; COMMAND does what it says
#	advice_is NAME ID	it has no command, and says nothing that a test could do

# terminal ANSWER COMMAND...: at a terminal, where somebody answers what is asked.
terminal()
{
	python3 "$RIG_TOP/tests/lib/terminal.py" "$@"
}

# advice_of NAME FILTER: what jq finds in the array's status
advice_of()
{
	raizn status "$1" --json | jq -r ".arrays[0]|$2"
}

advice_given()
{
	[ "$(advice_of "$1" .advice)" = "$2" ]
}

advice_is()
{
	check "status of $1 has the advice $2" await 30 advice_given "$1" "$2" ||
		{ note "$(raizn status "$1" 2>&1 | sed -n '1,6p')"; return 1; }
}

# advice_commands NAME: as printed for people, in ADVICE
advice_commands()
{
	mapfile -t ADVICE < <(raizn status "$1" | sed -n 's/^  action: //p' |
		grep -o "'[^']*'" | tr -d "'")
	check_equal "status has the same commands for programs" \
		"$(advice_of "$1" '.commands|join(";")')" "$(IFS=';'; echo "${ADVICE[*]}")"
}

# advice_filled COMMAND WORD=VALUE...
advice_filled()
{
	local -a words filled
	local word pair
	read -ra words <<<"$1"
	shift

	for word in "${words[@]}"; do
		for pair; do
			[ "$word" != "${pair%%=*}" ] || word=${pair#*=}
		done
		filled+=("$word")
	done
	echo "${filled[*]}"
}

# advice_remember NAME: what advice_has_helped() compares with
advice_remember()
{
	ADVICE_BEFORE=$(advice_of "$1" .action)
	ADVICE_UUID=$(advice_of "$1" .uuid)
}

# advice_helped NAME STATE: the array may have another name now, or, created again, another
# UUID.
advice_helped()
{
	local name=$ADVICE_UUID

	raizn status "$name" >/dev/null 2>&1 || name=$1
	[ "$(advice_of "$name" .state)" = "$2" ] &&
		[ "$(advice_of "$name" .action)" != "$ADVICE_BEFORE" ]
}

# advice_has_helped NAME STATE
advice_has_helped()
{
	dmsetup mknodes
	check "that helps: the array is $2" await 30 advice_helped "$@" ||
		{ note "$(raizn status 2>&1 | sed -n '1,6p')"; return 1; }
}

advice_helps()
{
	local name=$1 id=${2%%:*} numbers=${2#"${2%%:*}"} state=$3 number command
	shift 3

	advice_is "$name" "$id" && advice_commands "$name" || return 1
	advice_remember "$name"
	numbers=${numbers#:}
	for number in $(seq ${#ADVICE[@]}); do
		[[ -z $numbers || ,$numbers, = *,$number,* ]] || continue
		command=$(advice_filled "${ADVICE[number - 1]}" "$@")
		check "as advised: $command" terminal y bash -c "$command" || return 1
	done
	advice_has_helped "$name" "$state"
}

advice_tells()
{
	local name=$1 id=${2%%:*} number=${2##*:} before

	advice_is "$name" "$id" && advice_commands "$name" || return 1
	before=$(raizn status "$name" --json | jq -c 'del(.arrays[].members[].bytes_read)')
	bash -c "${ADVICE[number - 1]}" >"$TMP/advice" 2>&1 </dev/null
	check_equal "as advised: ${ADVICE[number - 1]}" $? "$3" || rig_show "$TMP/advice"
	check "it says what is to be known" grep -Eq -- "$4" "$TMP/advice" ||
		rig_show "$TMP/advice"
	check_equal "and changes nothing" "$(raizn status "$name" --json |
		jq -c 'del(.arrays[].members[].bytes_read)')" "$before"
}

advice_by_hand()
{
	local name=$1 id=$2 state=$3
	shift 3

	advice_is "$name" "$id" || return 1
	advice_remember "$name"
	check "as advised, by hand" "$@" || return 1
	advice_has_helped "$name" "$state"
}
