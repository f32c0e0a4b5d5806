# SPDX-License-Identifier: GPL-2.0
"""What the lab is made of: guests, packages, places."""

import os
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
SCRIPTS = REPO / "scripts"


def _cache_dir():
    if os.environ.get("RAIZN_CACHE"):
        return Path(os.environ["RAIZN_CACHE"]).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return (Path(base) / "dm-raizn").absolute()


CACHE = _cache_dir()


class Guest:
    """One kernel that can be booted, and the Debian release it lives in.

    kernel_suite names the suite whose kernel is used; it differs from the
    release for the backports kernel and for User-Mode Linux. A server boots
    as a machine does: boot loader, initramfs and systemd of its own disk,
    which it can write to. root names the root file system in the cache.
    """

    def __init__(self, name, rig, release, kernel_suite, about, server=False):
        self.name = name
        self.rig = rig
        self.release = release
        self.kernel_suite = kernel_suite
        self.about = about
        self.server = server
        self.root = name if server else release


GUESTS = {g.name: g for g in (
    Guest("bookworm", "qemu", "bookworm", "bookworm",
          "Debian 12's kernel in QEMU"),
    Guest("trixie", "qemu", "trixie", "trixie",
          "Debian 13's kernel in QEMU"),
    Guest("backports", "qemu", "trixie", "trixie-backports",
          "Debian 13's backports kernel in QEMU"),
    Guest("trixie-server", "qemu", "trixie", "trixie",
          "Debian 13 as a server in QEMU: systemd, a disk of its own",
          server=True),
    Guest("uml", "uml", "trixie", "trixie-backports",
          "User-Mode Linux, fast build"),
    Guest("uml-debug", "uml", "trixie", "trixie-backports",
          "User-Mode Linux, KASAN + lockdep + object debugging"),
)}

# Everything the builds and the tests use; installed into the guests' root
# file systems, never on the machine.
PACKAGES = """
    build-essential bc bison flex libelf-dev libssl-dev kmod cpio sparse file
    linux-image-amd64 linux-headers-amd64
    libzbd-dev libdevmapper-dev libjson-c-dev uuid-dev libudev-dev libblkid-dev
    zlib1g-dev libcmocka-dev liburing-dev pkg-config
    fio zbd-utils nvme-cli dmsetup mdadm cryptsetup-bin
    f2fs-tools btrfs-progs xfsprogs e2fsprogs
    udev util-linux fdisk bsdextrautils procps python3 jq strace mandoc
    busybox-static xz-utils zstd
""".split()

# Packages that only some releases have.
MORE_PACKAGES = {"trixie": ["zonefs-tools"]}

# A server: what Debian's installer puts on every machine (mmdebstrap's variant
# "important") and these. It has no network: what packages under test depend on
# has to be here. The first lines are what the README asks users to install, and what apt
# installs with our packages; ccache has what DKMS compiles, see packages.py; tcmu-runner
# emulates host-managed SCSI disks whose contents are in files.
SERVER_PACKAGES = """
    linux-image-amd64 linux-headers-amd64 build-essential debhelper dh-dkms dkms pkgconf
    libdevmapper-dev libzbd-dev libjson-c-dev uuid-dev libblkid-dev libcmocka-dev
    ccache
    grub-pc-bin grub2-common initramfs-tools dracut-core zstd dbus libpam-systemd
    libcap2-bin dmsetup zbd-utils nvme-cli btrfs-progs f2fs-tools xfsprogs fio
    jq python3 bsdextrautils file strace tcmu-runner
""".split()

# On top, from the release's backports suite, where that has them.
BACKPORTS_PACKAGES = ["linux-image-amd64", "linux-headers-amd64",
                      "linux-source"]
BACKPORTS_OF = {"trixie": "trixie-backports"}

# The suite for sources and programs that a release lacks, or has only in an older version.
NEWEST_SUITE = "sid"


class LabError(Exception):
    """An error the user reads as one line."""


def note(text):
    # In one piece: print() writes the end of the line apart, and another
    # thread's line comes between.
    sys.stderr.write(f"lab: {text}\n")
    sys.stderr.flush()


def guest_named(name):
    if name not in GUESTS:
        raise LabError(f"no guest named '{name}'; "
                       f"the guests are: {' '.join(GUESTS)}")
    return GUESTS[name]
