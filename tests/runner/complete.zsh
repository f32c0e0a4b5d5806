#!/bin/zsh
# SPDX-License-Identifier: GPL-2.0
# complete.zsh [FOLDER]: completes words of raizn in an interactive zsh, as the Tab key does,
# with the functions of FOLDER, or those that are installed. Prints a line for each that is
# completed wrongly. A stub of the program stands for arrays.
zmodload zsh/zpty
folder=${1:+"fpath=($1 \$fpath)"}
work=$(mktemp -d)
trap 'zpty -d shell; rm -rf $work' EXIT

# await FILE: for 10 seconds at most
await()
{
	local n

	for ((n = 0; n < 200; n++)); do
		[[ ! -e $1 ]] || return 0
		sleep 0.05
	done
}

# Knows the words of the program, and an array.
cat >$work/raizn <<END
#!/bin/sh
case "\$*" in
"complete stop"*) echo tank ;;
*) exec $(command -v raizn) "\$@" ;;
esac
END
chmod 755 $work/raizn

# The Tab key, and one that tells what the line is then. Before the editor is ready the
# terminal itself would take some of the keys.
cat >$work/settings <<END
PATH=$work:\$PATH
$folder
autoload -Uz compinit && compinit -u -D
told() { print -r -- "\$BUFFER|" >$work/line.new; mv $work/line.new $work/line }
zle -N told
bindkey '^I' complete-word
bindkey '^O' told
zle-line-init() { : >$work/ready }
zle -N zle-line-init
setopt no_beep
END
zpty shell zsh -f -i
zpty -w shell ". $work/settings"
await $work/ready

# completes WORDS LINE: the Tab key behind WORDS makes LINE of it.
completes()
{
	local line

	rm -f $work/line
	zpty -w -n shell "$1"$'\t\x0f\x15'
	await $work/line
	line=$(cat $work/line 2>/dev/null)
	[[ $line = "$2|" ]] || print -r -- "'$1' becomes '${line%|}', not '$2'"
}

completes "raizn stat" "raizn status "
completes "raizn stop ta" "raizn stop tank "
completes "raizn set tank speed_mi" "raizn set tank speed_min="
completes "raizn set tank spe" "raizn set tank speed_m"
completes "raizn create tank /etc/hostna" "raizn create tank /etc/hostname "
