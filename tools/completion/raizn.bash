# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of raizn(8) for bash: the program knows its words, arrays and drives.
_raizn()
{
	mapfile -t COMPREPLY < <(raizn complete \
		"${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	# Values follow.
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _raizn raizn
