# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of the suite server: a Debian server, where systemd is
# process 1. What is written to its disk lasts for the run; a scenario that
# reboots begins anew with a higher LAB_BOOT, and $LAB_DIR knows what it noted.
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
scenario

# The program that was installed is what is tested.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:$RIG_BIN

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

# A package of what was built outside and `make install` would install.
install_raizn()
{
	local root=$TMP/package

	install -D -m 644 "$(module_file)" \
		"$root/usr/lib/modules/$(uname -r)/updates/dm-raizn.ko" &&
		install -D -m 755 "$RIG_TOP/tools/raizn" "$root/usr/local/sbin/raizn" &&
		mkdir "$root/DEBIAN" &&
		printf '%s\n' "Package: raizn-test" "Version: 1" \
			"Architecture: $(dpkg --print-architecture)" \
			"Maintainer: nobody <nobody@localhost>" \
			"Description: what a scenario installs" >"$root/DEBIAN/control" &&
		dpkg-deb --root-owner-group -Znone -b "$root" "$TMP/raizn-test.deb" &&
		dpkg -i "$TMP/raizn-test.deb" && depmod -a
}
