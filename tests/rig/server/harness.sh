# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of the suite server: a Debian server, where systemd is
# process 1. What is written to its disk lasts for the run; a scenario that
# reboots begins anew with a higher LAB_BOOT, and $LAB_DIR knows what it noted.
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
scenario
unset RAIZN_HISTORY

# The program that was installed is what is tested.
PATH=/usr/sbin:/usr/bin:$RIG_BIN

NOTES=$LAB_DIR/notes
mkdir -p "$NOTES"

# down WHAT COMMAND...: the machine goes down by that, and the scenario ends
# here; the next boot begins with came_up().
down()
{
	local what=$1

	shift
	echo "$what" >"$NOTES/down"
	note "boot $LAB_BOOT: $what"
	# What is done at exit belongs to the last boot.
	trap - EXIT INT TERM
	rm -rf "$TMP"
	"$@" >/dev/null 2>&1
	sleep 600
	not_ok "$what: the machine goes down"
	exit 1
}

# came_up WHAT KIND: this boot is what was asked for. The host knows why the
# machine boots: "reboot", which it or a bug of it did; "power", which it had
# switched off; "reset", by the button.
came_up()
{
	check_equal "it has booted: $1" "$(cat "$NOTES/down")" "$1"
	check_equal "it went down by: $2" "$(tail -n 1 /ctl/power)" "$2"
	check_equal "the $LAB_BOOT. boot" "$(wc -l </ctl/power)" $((LAB_BOOT - 1))
}

press_reset()
{
	echo reset >/ctl/ask.new && mv /ctl/ask.new /ctl/ask
}

system_is_running()
{
	[ "$(timeout 300 systemctl is-system-running --wait)" = running ] &&
		return
	systemctl --failed --no-legend
	return 1
}

# json FILTER: of the status of $VOLUME
json()
{
	raizn status $VOLUME --json | jq -rc ".arrays[0]|$1"
}

json_is()
{
	[ "$(json "$1")" = "$2" ]
}

# How often the kernel that runs has recovered an array.
recoveries()
{
	journalctl -b -k --no-pager | grep -c ': recovered: '
}

# node SERIAL: device node of the drive
node()
{
	lsblk -dnro NAME,SERIAL | sed -n "s:^\(.*\) $1\$:/dev/\1:p"
}

# controller SERIAL: directory of the NVMe controller in /sys
controller()
{
	local serial file

	for file in /sys/class/nvme/*/serial; do
		read -r serial <"$file"
		[ "$serial" != "$1" ] || { echo "${file%/serial}"; return; }
	done
	return 1
}

# drive_pulled SERIAL: as by a hand.
drive_pulled()
{
	local found

	found=$(controller "$1") && echo 1 >"$found/device/remove"
}

drives_return()
{
	echo 1 >/sys/bus/pci/rescan
}

# missing_at_boot SERIAL...: these are not there when udev of the next boots begins.
missing_at_boot()
{
	printf '%s\n' "$@" >/etc/lab-missing
	[ ! -e /etc/systemd/system/lab-missing.service ] || { sync; return; }
	{
		declare -f controller drive_pulled
		cat <<-'END'
		for serial in $(cat /etc/lab-missing); do
			until drive_pulled "$serial"; do
				sleep 0.1
			done
		done
		END
	} >/usr/local/sbin/lab-missing
	cat >/etc/systemd/system/lab-missing.service <<-'END'
	[Unit]
	DefaultDependencies=no
	Before=systemd-udev-trigger.service
	[Service]
	Type=oneshot
	TimeoutStartSec=120
	ExecStart=/bin/bash /usr/local/sbin/lab-missing
	[Install]
	WantedBy=sysinit.target
	END
	systemctl daemon-reload && systemctl enable lab-missing.service && sync
}
