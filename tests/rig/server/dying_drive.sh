# SPDX-License-Identifier: GPL-2.0
# A drive of a server dies while its file system is written; a spare takes its place.

METRICS=/run/raizn.prom

# monitor_options [OPTION...]: of the service, beside mail, which goes to $NOTES/mail, and metrics
monitor_options()
{
	printf '#!/bin/sh\ncat >>%s/mail\n' "$NOTES" >/usr/sbin/sendmail
	chmod 755 /usr/sbin/sendmail
	echo "RAIZN_MONITOR=\"--program /usr/libexec/raizn/notify --prometheus $METRICS $*\"" \
		>/etc/default/raizn
}

monitor_with_spare()
{
	monitor_options --spare "$(node $SPARE)"
	check "the monitor has a spare" systemctl restart raizn-monitor
	check "and writes metrics" await 60 metrics_say active active
}

# metrics_say ARRAY MEMBER: the states of the array, and of its slot 1
metrics_say()
{
	grep -qx "raizn_array_state{array=\"$VOLUME\",state=\"$1\"} 1" $METRICS &&
		grep -qx "raizn_member_state{array=\"$VOLUME\",slot=\"1\",device=\"[^\"]*\",state=\"$2\"} 1" \
			$METRICS
}

# Writes files until $TMP/enough is there; fails with the first error.
load()
{
	local n

	for ((n = 0; n < 500; n++)); do
		[ ! -e "$TMP/enough" ] || return 0
		head -c 200000 /dev/urandom >"$MOUNT/load$n" && sync -f $MOUNT &&
			(cd $MOUNT && sha256sum "load$n") >>"$TMP/load" || return
	done
}

load_is_at()
{
	(($(wc -l <"$TMP/load") >= $1))
}

# The spare is locked until the failure was seen everywhere. udev hangs while it is taken, and
# at a scale of 100 for longer than the monitor waits for it.
drive_dies()
{
	local writer lock

	: >"$TMP/load"
	load &
	writer=$!
	check "the file system is written" await 60 load_is_at 3
	exec {lock}<"$(node $SPARE)"
	check "the spare is locked" flock $lock
	check "a drive dies" drive_pulled zns1
	check "mail tells of it" await 120 grep -q \
		'Subject: server: raizn: tank: member 1 .*active -> failed' "$NOTES/mail"
	check "metrics tell of it" await 60 metrics_say degraded failed ||
		note "$(cat $METRICS)"
	check "the file system is written on" await 60 \
		load_is_at $(($(wc -l <"$TMP/load") + 3))
	check "udev hangs" pkill -STOP systemd-udevd
	exec {lock}<&-
	check "the spare takes its place" await 120 json_is .state active ||
		note "$(raizn status $VOLUME; systemctl status raizn-monitor)"
	check "metrics tell of that" await 60 metrics_say active active
	check "of the spare" grep -q \
		"^raizn_member_state{array=\"$VOLUME\",slot=\"1\",device=\"$(basename "$(node $SPARE)")\"" \
		$METRICS
	((RAIZN_TEST_SCALE < 100)) ||
		check "the monitor says what it has waited for" await 60 eval \
			"journalctl -b -u raizn-monitor --no-pager | grep -q 'udev has not answered for 30 seconds'"
	check "udev goes on" pkill -CONT systemd-udevd
	: >"$TMP/enough"
	check "the writer has seen no error" wait $writer
	note "$(wc -l <"$TMP/load") files were written meanwhile"
	cat "$TMP/load" >>"$NOTES/sums"
	check_equal "it is the spare" "$(json .members[1].serial)" $SPARE
	check "udev knows the spare as a member" await 30 eval \
		'[ "$(udev_says "$(node $SPARE)" ID_FS_TYPE)" = raizn_member ]'
	check "files are right" files_are_right
}
