# SPDX-License-Identifier: GPL-2.0
"""Makes the caches: root file systems, UML kernels, boot files for QEMU."""

import hashlib
import os
import re
import shutil
import subprocess

from . import host, initramfs
from .config import (BACKPORTS_OF, BACKPORTS_PACKAGES, CACHE, PACKAGES, SCRIPTS,
                     LabError, note)

# Raise when what is made below changes in a way its inputs do not show.
ROOT_REVISION = "1"
UML_REVISION = "2"
BOOT_REVISION = "1"

# Where things are inside every guest and every chroot.
MOUNT_POINTS = ("build", "lab", "ctl", "kernel", "src")


def _digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _stamp_holds(stamp, value):
    try:
        return stamp.read_text() == value
    except OSError:
        return False


def root_dir(guest):
    return CACHE / "root" / guest.release


def _root_stamp_value(release):
    return _digest(ROOT_REVISION, release, *PACKAGES, *BACKPORTS_PACKAGES)


def _setup_root(release):
    root = CACHE / "root" / release
    stamp = CACHE / "root" / f"{release}.stamp"
    value = _root_stamp_value(release)
    if _stamp_holds(stamp, value):
        return
    with host.locked(CACHE / "root" / f"{release}.lock",
                     f"the root file system of {release}"):
        if _stamp_holds(stamp, value):
            return
        host.install_tools({"mmdebstrap": "mmdebstrap",
                            "mke2fs": "e2fsprogs"})
        host.need_archive_keys(release)
        if not host.suite_is_served(release):
            raise LabError(f"the mirror {host.mirror()} has no {release}; "
                           "set RAIZN_MIRROR to one that has")
        backports = BACKPORTS_OF.get(release)
        if backports and not host.suite_is_served(backports):
            note(f"the mirror has no {backports}: the guests made of it "
                 "can not be had; set RAIZN_MIRROR to one that has it")
            backports = None
        _make_root(release, backports, root)
        stamp.write_text(value)


def _make_root(release, backports, root):
    note(f"making the root file system of {release} (1 to 3 minutes)")
    new = root.with_name(release + ".new")
    log = root.with_name(release + ".log")
    for old in (root, new):
        shutil.rmtree(old, ignore_errors=True)
    log.unlink(missing_ok=True)
    mirror = host.mirror()
    hooks = []
    if backports:
        # Two kernels of one meta package: the second goes on top.
        hooks.append(
            f'echo "deb {mirror} {backports} main" '
            '>> "$1/etc/apt/sources.list"; chroot "$1" apt-get update && '
            'chroot "$1" apt-get install -y -t ' + backports + ' ' +
            " ".join(BACKPORTS_PACKAGES))
    hooks.append('mkdir -p ' +
                 " ".join(f'"$1/{name}"' for name in MOUNT_POINTS))
    # No init system in there: these do without one.
    hooks.append('for n in reboot poweroff halt; do '
                 'ln -sf /usr/bin/busybox "$1/usr/local/sbin/$n"; done')
    argv = ["mmdebstrap", "--mode=root", "--variant=minbase",
            "--aptopt=APT::Install-Recommends \"false\"",
            "--include=" + ",".join(PACKAGES)]
    argv += [f"--aptopt={line}" for line in host.apt_proxy_options()]
    argv += [f"--customize-hook={hook}" for hook in hooks]
    argv += [release, str(new), f"deb {mirror} {release} main"]
    host.run_logged(argv, log, f"mmdebstrap {release}")
    for source in (new / "usr/src").glob("linux-source-*.tar.xz"):
        # Only the UML builds read it; keep it out of the guests' disks.
        target = CACHE / "uml" / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)
    new.rename(root)


def _version_key(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def kernel_version(guest):
    """The kernel's release string, or None when it is not set up."""
    if guest.rig == "uml":
        try:
            return (uml_dir(guest) / "include/config/kernel.release"
                    ).read_text().strip()
        except OSError:
            return None
    versions = sorted((p.name for p in
                       (root_dir(guest) / "usr/lib/modules").glob("*")
                       if (p / "kernel").is_dir()), key=_version_key)
    if not versions:
        return None
    if guest.kernel_suite == guest.release:
        return versions[0]
    return versions[-1] if len(versions) > 1 else None


# ---- User-Mode Linux -------------------------------------------------------

def uml_dir(guest):
    return CACHE / "uml" / guest.name


def uml_source():
    tarballs = sorted((CACHE / "uml").glob("linux-source-*.tar.xz"),
                      key=lambda p: _version_key(p.name))
    if not tarballs:
        raise LabError("no linux-source package in the backports suite of "
                       "this mirror; set RAIZN_MIRROR to one that has it")
    return tarballs[-1], tarballs[-1].with_name(tarballs[-1].name[:-7])


def _uml_patches():
    return sorted(SCRIPTS.glob("uml-*.patch"))


def _uml_fragment(guest):
    text = (SCRIPTS / "uml.config").read_text()
    if guest.name == "uml-debug":
        more = (SCRIPTS / "uml-debug.config").read_text()
        # A symbol set twice would make kconfig warn.
        for symbol in re.findall(r"^(CONFIG_\w+)=", more, re.M):
            text = re.sub(rf"^{symbol}=.*\n", "", text, flags=re.M)
        text += more
    return text


def _config_values(text):
    return dict(re.findall(r"^(CONFIG_\w+)=(.*)$", text, re.M))


def _setup_uml(guest):
    fragment = _uml_fragment(guest)
    build = uml_dir(guest)
    stamp = build.with_name(guest.name + ".stamp")
    tarball, source = uml_source()
    patches = _digest(*(p.read_text() for p in _uml_patches()))
    asked = "\n".join(sorted(map("=".join, _config_values(fragment).items())))
    value = _digest(UML_REVISION, tarball.name, asked, patches,
                    _root_stamp_value(guest.release))
    if _stamp_holds(stamp, value):
        return
    with host.locked(build.with_name(guest.name + ".lock"),
                     f"the kernel build of {guest.name}"):
        if _stamp_holds(stamp, value):
            return
        _unpack_uml_source(guest, tarball, source, patches)
        note(f"building the {guest.name} kernel from {source.name} "
             "(4 to 12 minutes on two cores)")
        build.mkdir(parents=True, exist_ok=True)
        (build / "fragment").write_text(fragment)
        log = build.with_name(guest.name + ".log")
        log.unlink(missing_ok=True)
        make = (f"make -s -C /src ARCH=um O=/kernel "
                f"-j{os.cpu_count()}")
        host.run_logged(host.chroot_argv(
            root_dir(guest), {"/kernel": build, "/src": source},
            ["sh", "-ec", f"{make} KCONFIG_ALLCONFIG=/kernel/fragment "
             f"allnoconfig; {make}; rm -rf /kernel/installed; "
             f"{make} INSTALL_MOD_PATH=/kernel/installed "
             "INSTALL_MOD_STRIP=1 modules_install"]), log, f"building {guest.name}")
        have = _config_values((build / ".config").read_text())
        for symbol, wanted in _config_values(fragment).items():
            if have.get(symbol, "n") != wanted:
                note(f"{guest.name}: {symbol} is {have.get(symbol, 'n')}, "
                     f"not {wanted} as asked")
        stamp.write_text(value)


def _unpack_uml_source(guest, tarball, source, patches):
    stamp = source.with_name(source.name + ".stamp")
    with host.locked(CACHE / "uml" / "source.lock", "the kernel source"):
        if _stamp_holds(stamp, patches):
            return
        note(f"unpacking {tarball.name}")
        stamp.unlink(missing_ok=True)
        unpack = CACHE / "uml" / "unpack"
        for old in (unpack, source):
            shutil.rmtree(old, ignore_errors=True)
        unpack.mkdir(parents=True)
        subprocess.run(["tar", "-C", unpack, "-xf", tarball], check=True)
        (unpack / source.name).rename(source)
        unpack.rmdir()
        log = source.with_name(source.name + ".log")
        log.unlink(missing_ok=True)
        for patch in _uml_patches():
            host.run_logged(host.chroot_argv(
                root_dir(guest), {"/src": source, "/lab": SCRIPTS},
                ["patch", "-d", "/src", "-p1", "-i", f"/lab/{patch.name}"]),
                log, f"patching the kernel source with {patch.name}")
        stamp.write_text(patches)


# ---- QEMU ------------------------------------------------------------------

def boot_dir(guest):
    return CACHE / "boot" / guest.name


def disk_image(guest):
    return CACHE / "root" / f"{guest.release}.ext4"


def _setup_boot(guest):
    """The root file system as a disk, kernel and initramfs beside it."""
    host.install_tools({"qemu-system-x86_64": "qemu-system-x86"})
    version = kernel_version(guest)
    if not version:
        raise LabError(f"the mirror has no kernel for {guest.name}; set "
                       "RAIZN_MIRROR to one that has the suite "
                       f"{guest.kernel_suite}, then: scripts/lab clean-cache "
                       f"root && scripts/lab setup {guest.name}")
    script = (SCRIPTS / "guest/initramfs-init").read_text()
    value = _digest(BOOT_REVISION, version, script, *initramfs.MODULES,
                    _root_stamp_value(guest.release))
    stamp = boot_dir(guest) / "stamp"
    if _stamp_holds(stamp, value):
        return
    with host.locked(CACHE / "root" / f"{guest.release}.lock",
                     f"the root file system of {guest.release}"):
        _make_disk(guest)
        boot = boot_dir(guest)
        boot.mkdir(parents=True, exist_ok=True)
        root = root_dir(guest)
        shutil.copyfile(root / f"boot/vmlinuz-{version}", boot / "vmlinuz")
        initramfs.make(boot / "initrd", root, version, script)
        stamp.write_text(value)


def _make_disk(guest):
    image = disk_image(guest)
    stamp = image.with_name(image.name + ".stamp")
    value = _root_stamp_value(guest.release)
    if _stamp_holds(stamp, value):
        return
    note(f"making the disk of {guest.release}")
    root = root_dir(guest)
    used = int(subprocess.run(["du", "-s", "--block-size=1M", root],
                              capture_output=True, text=True,
                              check=True).stdout.split()[0])
    new = image.with_name(image.name + ".new")
    new.unlink(missing_ok=True)
    log = image.with_name(image.name + ".log")
    host.run_logged(["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal",
                     "-L", "lab-root", "-d", str(root), str(new),
                     f"{used * 5 // 4 + 64}M"], log, "mke2fs")
    new.rename(image)
    stamp.write_text(value)


# ---- all -------------------------------------------------------------------

def is_set_up(guest):
    if not _stamp_holds(CACHE / "root" / f"{guest.release}.stamp",
                        _root_stamp_value(guest.release)):
        return False
    if guest.rig == "uml":
        return (uml_dir(guest).with_name(guest.name + ".stamp")).exists()
    return (boot_dir(guest) / "stamp").exists()


def setup(guest):
    host.need_root()
    _setup_root(guest.release)
    if guest.rig == "uml":
        _setup_uml(guest)
    else:
        _setup_boot(guest)


def cache_entries():
    """(what, path, bytes on disk) of everything in the cache."""
    entries = []
    for path in sorted(CACHE.glob("*")):
        inside = sorted(path.glob("*")) if path.is_dir() else [path]
        for entry in inside:
            size = subprocess.run(["du", "-s", "--block-size=1", entry],
                                  capture_output=True, text=True,
                                  check=False).stdout.split()
            entries.append((entry, int(size[0]) if size else 0))
    return entries


def clean_cache(parts):
    for part in parts or ["."]:
        path = (CACHE / part).resolve()
        if path != CACHE.resolve() and CACHE.resolve() not in path.parents:
            raise LabError(f"{part} is not in the cache")
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
