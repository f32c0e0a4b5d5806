# SPDX-License-Identifier: GPL-2.0
# Drives as a power cut leaves them, and forged metadata, for scenarios that source it
# behind rig.sh. It starts drive-editor.py when it is asked something for the first
# time, and talks to it through a pipe.

# ask COMMAND WORD...: the editor's answer is in ANSWER; fails if it has none. Not in
# a subshell: the editor would be started for that alone.
ask()
{
	local IFS=$'\t'

	[ -n "${DRIVE_EDITOR_PID:-}" ] || editor_starts
	ANSWER=
	echo "$*" >&"${DRIVE_EDITOR[1]}"
	IFS= read -r ANSWER <&"${DRIVE_EDITOR[0]}"
	case $ANSWER in
	'' | error:*) note "drive editor: $ANSWER" >&2; return 1 ;;
	esac
}

editor_starts()
{
	coproc DRIVE_EDITOR { exec python3 -IS "$RIG_TOP/tests/lib/drive-editor.py"; }
	at_exit "kill $DRIVE_EDITOR_PID; wait $DRIVE_EDITOR_PID"
}

# forge DEVICE EDIT...: rewrite the superblock of a member that was just made.
forge()
{
	ask forge "$@"
}

# keep_superblocks DEVICE...: from now on forge begins with what is there now.
keep_superblocks()
{
	ask keep "$@"
}

# rewrite DEVICE ZONE EDIT...: change records of a log zone, as it was at the first time.
rewrite()
{
	ask rewrite "$@"
}

# copy_drive FROM TO EDIT...: what a drive holds, to another one.
copy_drive()
{
	ask copy "$@"
}
