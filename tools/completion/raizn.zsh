#compdef raizn
# SPDX-License-Identifier: GPL-2.0
# Completion of raizn(8) for zsh: the program knows its words, arrays and drives.
local -a found
found=("${(@f)$(raizn complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ -z $found ]]; then
	_files
elif [[ $found[1] == *= ]]; then
	compadd -S '' -a found
else
	compadd -a found
fi
