# SPDX-License-Identifier: GPL-2.0
# For scenarios of target that suspend and reload under load, sourced behind harness.sh.
# The load is the process LOAD.

# load_begins WHAT COMMAND...
load_begins()
{
	local what=$1
	shift

	"$@" >"$TMP/load" 2>&1 </dev/null &
	LOAD=$!
	at_exit "kill $LOAD && wait $LOAD"
	check "$what begins" load_works || rig_show "$TMP/load"
}

# load_ends WHAT [STATUS]: it found nothing wrong.
load_ends()
{
	local status

	wait $LOAD
	status=$?
	check_equal "$1" $status "${2:-0}" || rig_show "$TMP/load"
}

suspend_resume()
{
	dmsetup suspend "$@" "$VOLUME" && dmsetup resume "$VOLUME"
}

# suspend_and_reload TABLE LABEL: each of them once, and the load goes on.
suspend_and_reload()
{
	local line=$1 label=$2

	under_load "suspend and resume, $label" suspend_resume &&
	under_load "suspend, noflush, $label" suspend_resume --noflush &&
	under_load "suspend, nolockfs, $label" suspend_resume --nolockfs &&
	under_load "reload, the same table, $label" reload "$line" &&
	under_load "reload, write-through, $label" \
		reload "$line 1 write_cache=through" &&
	check_equal "it is write-through, $label" \
		"$(status_field write_cache)" through &&
	under_load "reload, back, $label" reload "$line 1 write_cache=back" &&
	check_equal "it is back, $label" "$(status_field write_cache)" back
}
