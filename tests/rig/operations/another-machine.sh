#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array that another machine may be using is not started, by itself or with --all; its
# owner can, with --force if that machine has not stopped it; the monitor tells. A machine without
# an identity takes each machine that an array names for another one. Two arrays of one name run
# side by side if one gets another.
. "$(dirname "$0")/harness.sh"

HERE=11111111-1111-4111-8111-111111111111
THERE=22222222-2222-4222-8222-222222222222
MAYBE='a machine that may be another \(this one has no identity in /etc/machine-id\)'
export RAIZN_HOST=$HERE

# refuses CODE PATTERN COMMAND...: with one line on standard error
refuses()
{
	local code=$1 pattern=$2
	shift 2
	"$@" >"$TMP/out" 2>"$TMP/err"
	[ $? = "$code" ] && grep -qE "$pattern" "$TMP/err" && [ "$(wc -l <"$TMP/err")" = 1 ] ||
		{ cat "$TMP/out" "$TMP/err"; return 1; }
}

# refusal_is PATTERN: what status says that the array was not started for
refusal_is()
{
	[[ $(json .refused.reason) =~ ^$1 ]]
}

host_is()
{
	[ "$(raizn inspect /dev/op1 superblock --json | jq -r .superblock.host)" = "$1" ]
}

array_up
fill_zones
UUID=$(json .uuid)
telling_program
check "the members know this machine" host_is $HERE

# The power fails, and the drives are put into another machine.
power_cut
export RAIZN_HOST=none
check "not by a machine without an identity" refuses 3 "$MAYBE started it last and has not stopped it" \
	raizn start "$UUID" --auto
check "nor by that with --all" refuses 3 "$MAYBE started it last" raizn start --all
check "nor by its name" refuses 3 "'raizn start $UUID --force'" raizn start $VOLUME
shows "status of that says so" "last used by $MAYBE, which did not stop it" raizn status $VOLUME
check "the members are as they were" host_is $HERE
check "its owner starts it there" raizn start $VOLUME --force
check "nobody knows that" host_is $HERE
power_cut
export RAIZN_HOST=$THERE
check "not by itself" refuses 3 'another machine started it last and has not stopped it' \
	raizn start "$UUID" --auto
check "status --json knows that" refusal_is 'another machine started it last'
background monitor raizn monitor --program "$TMP/program" --prometheus "$TMP/prom"
MONITOR=$BACKGROUND
check "the monitor tells" await 30 grep -qx 'ops state unknown refused .* refused' "$TMP/told"
check "not by itself, again" refuses 3 'another machine started it last and has not stopped it' \
	raizn start "$UUID" --auto
check "metrics say so" await 30 state_metric_is ops refused
check "not with --all" refuses 3 'another machine started it last' raizn start --all
check "not by its name" refuses 3 "'raizn start $UUID --force'" raizn start $VOLUME
shows "status says so" 'last used by another machine, which did not stop it' \
	raizn status $VOLUME
check "the members are as they were" host_is $HERE
advice_helps $VOLUME recover-here active
check "the monitor tells that it runs" await 30 grep -qx 'ops state refused active .* active' "$TMP/told"
check_equal "it has told of that once" "$(grep -c refused "$TMP/told")" 2
check_equal "status --json does not speak of the refusal any more" "$(json .refused)" null
check "the members know that machine" host_is $THERE
check "restart" restart

check "stop" raizn stop $VOLUME
export RAIZN_HOST=$HERE
check "a stopped one not with --all" refuses 3 "another machine used it last; .*'raizn start $UUID'" \
	raizn start --all
shows "status says so" 'last used by another machine, which stopped it' raizn status $VOLUME
advice_helps $VOLUME start-here active
check "the members know this machine again" host_is $HERE
check "a machine without an identity" eval "RAIZN_HOST=none restart"
check "changes nothing" host_is $HERE
check "stop" raizn stop $VOLUME
export RAIZN_HOST=none
check "that one starts a stopped one not with --all" refuses 3 "$MAYBE used it last; .*'raizn start $UUID'" \
	raizn start --all
check "nor by itself" refuses 3 "$MAYBE used it last" raizn start "$UUID" --auto
shows "status says so" "last used by $MAYBE, which stopped it" raizn status $VOLUME
advice_helps $VOLUME start-here active
export RAIZN_HOST=$HERE

# A second array of this name, made while the drives of the first one were elsewhere.
simulated_drives oq 3 || exit 1
check "stop" raizn stop $VOLUME
for i in 0 1 2 3 4; do
	simulated_set op$i unplug 1
done
check "another array of this name" raizn create $VOLUME /dev/oq{0..2} --stripe-unit 16K \
	--spare-zones 4 --no-start
for i in 0 1 2 3 4; do
	simulated_set op$i power 1
done
OTHER=$(raizn inspect /dev/oq0 superblock --json | jq -r .superblock.array_uuid)
check "the name tells no array" refuses 3 "two arrays have this name; name it by UUID.* --as" \
	raizn start $VOLUME
advice_helps "$UUID" start active
check "the name is taken" refuses 3 "another array that runs has this name; .*'raizn start $OTHER --as NAME'" \
	raizn start "$OTHER"
check "nor does it start by itself" refuses 3 'another array that runs has this name' \
	raizn start "$OTHER" --auto
check "metrics know it by its UUID" await 30 state_metric_is "$OTHER" refused ||
	rig_show "$TMP/prom"
check "and the other one by the name" state_metric_is ops active
for i in 0 1 2; do
	simulated_set oq$i unplug 1
done
check "its drives go: metrics do not know it any more" await 30 eval "! grep '$OTHER' '$TMP/prom'"
check_equal "nor is there a record" "$(ls /run/raizn-*.waiting 2>/dev/null)" ""
for i in 0 1 2; do
	simulated_set oq$i power 1
done
background_ends $MONITOR
at_exit "raizn stop other"
advice_helps "$OTHER" start active NEW-NAME=other
check_equal "both run" "$(raizn list --json | jq -c '[.arrays[]|select(.running)|.name]|sort')" \
	'["ops","other"]'
check "no name" refuses 2 "cannot be the name of an array" raizn start "$OTHER" --as a/b
check "stop it by that name" raizn stop other

# The power fails again, and one drive stays behind when the others are taken elsewhere.
check "stop" raizn stop $VOLUME
check "start" raizn start "$UUID"
power_cut
export RAIZN_HOST=$THERE
simulated_set op4 unplug 1
check "what is said of one leads to a start" refuses 3 "'raizn start $UUID --degraded --force'" \
	raizn start "$UUID" --degraded
advice_helps "$UUID" degraded-elsewhere degraded
simulated_set op4 power 1
advice_helps "$UUID" add-back active
finish
