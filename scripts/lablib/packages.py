# SPDX-License-Identifier: GPL-2.0
"""The packages of the repository, as a server builds and installs them.

A server installs them with apt, and DKMS builds the module there: for the kernel that runs,
and for each one that is installed later. An emulated CPU takes minutes for that; so the
same is done here once, beside its root file system, and ccache keeps what the
compiler made. In the guest all goes the same way, only the compiler has little to do.
"""

import io
import subprocess
import tarfile

from . import host
from .config import CACHE, REPO, LabError

# Where set-up leaves the packages of a newer kernel, see scripts/guest/server/newer-kernel.
NEWER_KERNEL = "/srv/kernel"

BUILD = r"""
mkdir /tmp/source
tar -x -C /tmp/source
cd /tmp/source
rm -rf /build/packages
DEB_BUILD_OPTIONS=nocheck make deb PACKAGES=/build/packages
rm /build/packages/*-dbgsym_*
"""

# Each package as the next version of itself, too: to be upgraded to. The module of that says so.
NEXT = r"""
mkdir /build/packages/next
for package in /build/packages/*.deb; do
	rm -rf /tmp/next
	dpkg-deb -R $package /tmp/next
	sed -i 's/^Version: .*/&+next/' /tmp/next/DEBIAN/control
	for file in /tmp/next/usr/src/*/raizn/array/target.c; do
		[ ! -e $file ] ||
			sed -i 's/^MODULE_VERSION(RAIZN_VERSION/& "+next"/' $file
	done
	dpkg-deb --root-owner-group -Znone -b /tmp/next /build/packages/next
done
"""

# The headers are all that DKMS wants of a kernel.
INSTALL = r"""
export CCACHE_DIR=/build/ccache DEBIAN_KERNEL_USE_CCACHE=1
rm -rf $CCACHE_DIR
mkdir $CCACHE_DIR
# Neither times of files nor the language count: they are others in the guest.
printf '%%s\n' "compiler_check = content" "sloppiness = locale" >$CCACHE_DIR/ccache.conf
apt-get install -y /build/packages/*.deb
cp /usr/sbin/raizn /build/tools/raizn
xz -dc $(modinfo -k $LAB_KERNEL -n dm-raizn) >/build/dm-raizn.ko
apt-get install -y /build/packages/next/dm-raizn-dkms_*.deb
dpkg --force-depends -i %s/linux-headers-*.deb %s/linux-kbuild-*.deb
""" % (NEWER_KERNEL, NEWER_KERNEL)


def source(names):
    """The files of these names as an archive."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name in sorted(names):
            tar.add(REPO / name, name)
    return archive.getvalue()


def build(root, binds, names, env):
    """Leaves in the guest's build tree, one of binds: packages, next versions of them, the
    program and the module that they have, and what ccache keeps of building it."""
    log = CACHE / "build" / "packages.log"
    with open(log, "wb") as out:
        result = subprocess.run(
            host.chroot_argv(root, binds, ["sh", "-ec", BUILD + NEXT + INSTALL], env=env,
                             layer=True),
            input=source(names), stdout=out, stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        print("\n".join("    " + line for line in
                        log.read_text(errors="replace").splitlines()[-15:]))
        raise LabError(f"the packages cannot be built and installed; the whole log is in {log}")
