# SPDX-License-Identifier: GPL-2.0
# What an owner does with packages. scripts/lablib/packages.py brings those of this source,
# and what ccache keeps of compiling the module: DKMS does all that it does elsewhere, but
# an emulated CPU has hardly anything to compile.

export DEBIAN_FRONTEND=noninteractive DEBIAN_KERNEL_USE_CCACHE=1
export CCACHE_DIR=/var/cache/ccache
PACKAGES=$RIG_TOP/packages
NEWER_KERNEL=/srv/kernel

# package_state FORMAT: of both packages, one after the other
package_state()
{
	dpkg-query -W -f "$1 " raizn dm-raizn-dkms
}

# Below a scale of 100 no package makes an initramfs: an emulated CPU takes 40 seconds for
# each, and the one of the image boots as well.
spare_initramfs()
{
	((RAIZN_TEST_SCALE >= 100)) ||
		sed -i 's/^update_initramfs=.*/update_initramfs=no/' \
			/etc/initramfs-tools/update-initramfs.conf
}

install_packages()
{
	cp -r "$RIG_TOP/ccache" "$CCACHE_DIR" && apt-get install -y "$PACKAGES"/*.deb
}

# With arrays that are in use, or could be: neither they nor their users notice.
upgrade_program()
{
	local before entered

	before=$(systemctl show -P MainPID raizn-monitor)
	entered=$(systemctl show -P ActiveEnterTimestampMonotonic raizn.service)
	check "upgrade of the program" apt-get install -y "$PACKAGES"/next/raizn_*.deb
	check_equal "the program's package is the next one" \
		"$(package_state '${Version}' | grep -o 'next')" next
	check "the monitor goes on" systemctl is-active raizn-monitor
	check "as the new program" [ "$(systemctl show -P MainPID raizn-monitor)" != "$before" ]
	check_equal "raizn.service was neither stopped nor started" \
		"$(systemctl show -P ActiveEnterTimestampMonotonic raizn.service)" "$entered"
}

# The module of the running kernel, on disk
module_on_disk()
{
	modinfo -F version dm-raizn
}

# With arrays that are in use: they go on with the module that is loaded, the next start of the
# machine has the next one.
upgrade_module()
{
	local loaded

	loaded=$(cat /sys/module/dm_raizn/version)
	check "upgrade of the module's source" \
		apt-get install -y "$PACKAGES"/next/dm-raizn-dkms_*.deb
	check_equal "the module on disk is the next one" "$(module_on_disk)" "$loaded+next"
	check_equal "the one that is loaded is not" \
		"$(cat /sys/module/dm_raizn/version)" "$loaded"
	check_equal "no unit has failed" "$(systemctl --failed --no-legend)" ""
}

newer_kernel()
{
	local found

	found=$(echo "$NEWER_KERNEL"/linux-headers-*-amd64_*.deb)
	found=${found##*/linux-headers-}
	echo "${found%%_*}"
}

upgrade_kernel()
{
	check "upgrade of the kernel" apt-get install -y "$NEWER_KERNEL"/*.deb
	check_equal "DKMS has built the module for it" \
		"$(modinfo -k "$(newer_kernel)" -F vermagic dm-raizn | cut -d' ' -f1)" \
		"$(newer_kernel)"
}

# Files with our name on the disk of the server, without those of the lab.
files_of_ours()
{
	find / -xdev -iname '*raizn*' ! -path '/tmp/*' ! -path '/root/*'
}

purge_packages()
{
	check "purge" apt-get purge -y raizn dm-raizn-dkms
	check_equal "nothing is left of it" "$(files_of_ours)" ""
	check_equal "no unit is left of it" \
		"$(systemctl list-unit-files --no-legend 'raizn*'; systemctl --failed --no-legend
		   systemctl list-units --no-legend 'raizn*')" ""
}
