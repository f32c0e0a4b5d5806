# SPDX-License-Identifier: GPL-2.0
"""Makes the caches: root file systems, UML kernels, boot files for QEMU."""

import hashlib
import os
import re
import shlex
import shutil
import struct
import subprocess
import threading
from concurrent import futures

from . import host, initramfs
from .config import (BACKPORTS_OF, BACKPORTS_PACKAGES, CACHE, MORE_PACKAGES,
                     NEWEST_SUITE, PACKAGES, SCRIPTS, SERVER_PACKAGES, LabError, note)

# Raise when what is made below changes in a way its inputs do not show.
ROOT_REVISION = "1"
UML_REVISION = "2"
BOOT_REVISION = "1"

# A server's disk: where its partition begins, and what is free for packages.
PARTITION_MIB = 1
SERVER_FREE_MIB = 2048

NEWER_XFSPROGS = SCRIPTS / "guest/newer-xfsprogs"

QEMU_TOOLS = {"qemu-system-x86_64": "qemu-system-x86"}
SERVER_TOOLS = {"qemu-img": "qemu-utils", **QEMU_TOOLS}

# Two fifths of the source are never read by a build for User-Mode Linux. The Kconfig files
# of other architectures are: crypto/Kconfig includes them.
UNUSED_SOURCE = [f"*/{directory}/*.{suffix}" for directory in (
    "drivers/gpu", "drivers/media", "drivers/net/ethernet",
    "drivers/net/wireless", "sound", "tools/testing/selftests",
    *(f"arch/{arch}" for arch in (
        "alpha", "arc", "arm", "arm64", "csky", "hexagon", "loongarch",
        "m68k", "microblaze", "mips", "nios2", "openrisc", "parisc",
        "powerpc", "riscv", "s390", "sh", "sparc", "xtensa")))
    for suffix in ("[chS]", "dts", "dtsi")]

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
    return CACHE / "root" / guest.root


def _server_files():
    return sorted((SCRIPTS / "guest/server").iterdir())


def _root_stamp_value(guest):
    if guest.server:
        return _digest(ROOT_REVISION, guest.release, *SERVER_PACKAGES,
                       *(p.read_text() for p in _server_files()))
    values = [ROOT_REVISION, guest.release, *PACKAGES, *BACKPORTS_PACKAGES,
              *MORE_PACKAGES.get(guest.release, [])]
    if guest.release in BACKPORTS_OF:
        values.append(NEWER_XFSPROGS.read_text())
    return _digest(*values)


def _root_lock(guest):
    return host.locked(CACHE / "root" / f"{guest.root}.lock",
                       f"the root file system of {guest.root}")


def _setup_root(guest):
    release = guest.release
    stamp = CACHE / "root" / f"{guest.root}.stamp"
    value = _root_stamp_value(guest)
    if _stamp_holds(stamp, value):
        return
    with _root_lock(guest):
        if _stamp_holds(stamp, value):
            return
        host.install_tools({"mmdebstrap": "mmdebstrap",
                            "mke2fs": "e2fsprogs"})
        host.need_archive_keys(release)
        if not host.suite_is_served(release):
            raise LabError(f"the mirror {host.mirror()} has no {release}; "
                           "set RAIZN_MIRROR to one that has")
        backports = None if guest.server else BACKPORTS_OF.get(release)
        if backports and not host.suite_is_served(backports):
            note(f"the mirror has no {backports}: the guests made of it "
                 "cannot be had; set RAIZN_MIRROR to one that has it")
            backports = None
        _make_root(guest, backports)
        stamp.write_text(value)


def _make_root(guest, backports):
    note(f"making the root file system of {guest.root} (1 to 3 minutes)")
    root = root_dir(guest)
    new = root.with_name(guest.root + ".new")
    log = root.with_name(guest.root + ".log")
    shutil.rmtree(new, ignore_errors=True)
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
        if host.suite_is_served(NEWEST_SUITE):
            hooks.append(f'{shlex.quote(str(NEWER_XFSPROGS))} "$1" '
                         f'{shlex.quote(mirror)} {NEWEST_SUITE}')
        else:
            note(f"the mirror has no {NEWEST_SUITE}: no xfs on zones; set "
                 "RAIZN_MIRROR to one that has it")
    hooks.append('mkdir -p ' +
                 " ".join(f'"$1/{name}"' for name in MOUNT_POINTS))
    if guest.server:
        variant, packages = "important", SERVER_PACKAGES
        scripts = shlex.quote(str(SCRIPTS / "guest/server"))
        hooks.append(f'{scripts}/customize "$1"')
        newer = BACKPORTS_OF[guest.release]
        if not host.suite_is_served(newer):
            raise LabError(f"the mirror {mirror} has no {newer}, of which a server gets a "
                           "newer kernel; set RAIZN_MIRROR to one that has it")
        hooks.append(f'{scripts}/newer-kernel "$1" {shlex.quote(mirror)} {newer}')
    else:
        variant = "minbase"
        packages = PACKAGES + MORE_PACKAGES.get(guest.release, [])
        # No init system in there: these do without one.
        hooks.append('for n in reboot poweroff halt; do '
                     'ln -sf /usr/bin/busybox "$1/usr/local/sbin/$n"; done')
    argv = ["mmdebstrap", "--mode=root", f"--variant={variant}",
            "--aptopt=APT::Install-Recommends \"false\"",
            "--include=" + ",".join(packages)]
    argv += [f"--aptopt={line}" for line in host.apt_proxy_options()]
    argv += [f"--customize-hook={hook}" for hook in hooks]
    argv += [guest.release, str(new), f"deb {mirror} {guest.release} main"]
    try:
        host.run_logged(argv, log, f"mmdebstrap {guest.release}")
    except LabError:
        missing = re.findall(r"^E: (?:Unable to locate package|Package) '?"
                             r"([^\s']+)", log.read_text(errors="replace"),
                             re.M)
        if missing:
            raise LabError(f"the mirror {mirror} has not in {guest.release}: "
                           f"{' '.join(sorted(set(missing)))}; set "
                           "RAIZN_MIRROR to a complete one") from None
        raise
    for source in (new / "usr/src").glob("linux-source-*.tar.xz"):
        # Only the UML builds read it; keep it out of the guests' disks.
        target = CACHE / "uml" / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)
    shutil.rmtree(root, ignore_errors=True)
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
                    _root_stamp_value(guest))
    if _stamp_holds(stamp, value):
        return
    with host.locked(build.with_name(guest.name + ".lock"),
                     f"the kernel build of {guest.name}"):
        if _stamp_holds(stamp, value):
            return
        unpack_uml_source(guest)
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


def unpack_uml_source(guest):
    tarball, source = uml_source()
    patches = _digest(*(p.read_text() for p in _uml_patches()))
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
        host.run_logged(["tar", "-C", unpack, *(f"--exclude={pattern}"
                         for pattern in UNUSED_SOURCE), "-xf", tarball],
                        unpack.with_name("unpack.log"),
                        f"unpacking {tarball.name}")
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
    suffix = "disk" if guest.server else "ext4"
    return CACHE / "root" / f"{guest.root}.{suffix}"


def _setup_boot(guest):
    """The root file system as a disk, kernel and initramfs beside it."""
    host.install_tools(QEMU_TOOLS)
    version = kernel_version(guest)
    if not version:
        raise LabError(f"the mirror has no kernel for {guest.name}; set "
                       "RAIZN_MIRROR to one that has the suite "
                       f"{guest.kernel_suite}, then: scripts/lab clean-cache "
                       f"root && scripts/lab setup {guest.name}")
    script = (SCRIPTS / "guest/initramfs-init").read_text()
    value = _digest(BOOT_REVISION, version, script, *initramfs.MODULES,
                    _root_stamp_value(guest))
    stamp = boot_dir(guest) / "stamp"
    if _stamp_holds(stamp, value):
        return
    with _root_lock(guest):
        _make_disk(guest)
        boot = boot_dir(guest)
        boot.mkdir(parents=True, exist_ok=True)
        root = root_dir(guest)
        shutil.copyfile(root / f"boot/vmlinuz-{version}", boot / "vmlinuz")
        initramfs.make(boot / "initrd", root, version, script)
        stamp.write_text(value)


def _disk_stamp(guest):
    image = disk_image(guest)
    return image.with_name(image.name + ".stamp")


def _disk_holds(guest):
    return _stamp_holds(_disk_stamp(guest), _root_stamp_value(guest))


def _make_disk(guest):
    if _disk_holds(guest):
        return
    image = disk_image(guest)
    note(f"making the disk of {guest.root}")
    root = root_dir(guest)
    used = int(subprocess.run(["du", "-s", "--block-size=1M", root],
                              capture_output=True, text=True,
                              check=True).stdout.split()[0])
    new = image.with_name(image.name + ".new")
    new.unlink(missing_ok=True)
    log = image.with_name(image.name + ".log")
    if guest.server:
        size = used * 5 // 4 + SERVER_FREE_MIB
        kind = ["-E", f"offset={PARTITION_MIB << 20}"]
    else:
        size = used * 5 // 4 + 64
        kind = ["-O", "^has_journal"]
    host.run_logged(["mke2fs", "-q", "-t", "ext4", *kind, "-L", "lab-root",
                     "-d", str(root), str(new), f"{size}M"], log, "mke2fs")
    if guest.server:
        _make_bootable(new, size, root)
    new.rename(image)
    _disk_stamp(guest).write_text(_root_stamp_value(guest))


def _make_bootable(image, size, root):
    """GRUB before the only partition, as grub-install puts it there."""
    grub = root / "boot/grub/i386-pc"
    boot = bytearray((grub / "boot.img").read_bytes())
    core = (grub / "core.img").read_bytes()
    # Bootable, cylinders and heads that nobody reads, Linux, start, length. In
    # the place of the other three GRUB has code for floppy disks.
    boot[446:510] = struct.pack("<8B2I48x", 0x80, 254, 255, 255, 0x83, 254,
                                255, 255, PARTITION_MIB * 2048, size * 2048)
    boot[510:512] = b"\x55\xaa"
    with open(image, "r+b") as disk:
        disk.write(boot + core)
        disk.truncate((PARTITION_MIB + size) << 20)


def _setup_server(guest):
    """Its disk has all that it boots from."""
    host.install_tools(SERVER_TOOLS)
    if not _disk_holds(guest):
        with _root_lock(guest):
            _make_disk(guest)


# ---- all -------------------------------------------------------------------

def is_set_up(guest):
    if not _stamp_holds(CACHE / "root" / f"{guest.root}.stamp",
                        _root_stamp_value(guest)):
        return False
    if guest.rig == "uml":
        return (uml_dir(guest).with_name(guest.name + ".stamp")).exists()
    if guest.server:
        return _disk_holds(guest)
    return (boot_dir(guest) / "stamp").exists()


# MiB of what each part takes at most while it is made.
ROOT_MIB, DISK_MIB, UML_MIB, SOURCE_MIB = 1500, 1700, 1200, 1500


def _need_space(guests):
    """Says before the work, not in its middle, that the disk is too small."""
    need = 0
    for root, guest in {g.root: g for g in guests}.items():
        if not _stamp_holds(CACHE / "root" / f"{root}.stamp",
                            _root_stamp_value(guest)):
            need += ROOT_MIB
    for image in {disk_image(g) for g in guests if g.rig == "qemu"}:
        need += 0 if image.exists() else DISK_MIB
    builds = [g for g in guests if g.rig == "uml"
              and not uml_dir(g).with_name(g.name + ".stamp").exists()]
    if builds:
        need += SOURCE_MIB + UML_MIB * len(builds)
    CACHE.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(CACHE).free >> 20
    if need > free:
        raise LabError(f"the cache {CACHE} needs {need / 1024:.1f} GiB more, "
                       f"and its disk has {free / 1024:.1f} free: make room, "
                       "or set RAIZN_CACHE to a folder on a larger disk")


def setup(guest):
    host.need_root()
    if not is_set_up(guest):
        _need_space([guest])
    _setup_root(guest)
    if guest.rig == "uml":
        _setup_uml(guest)
    elif guest.server:
        _setup_server(guest)
    else:
        _setup_boot(guest)


def setup_all(guests, ready=lambda guest: None):
    """The same for several guests, side by side; calls ready() as each is made,
    from one thread at a time.

    Making a root file system waits for the mirror and the disk, building a
    kernel for the CPU: so the kernels are built as soon as the root that has
    their compiler is there, which therefore is made first. One kernel after
    the other: what waits for the first one can begin before the second.
    """
    host.need_root()
    _need_space(guests)
    # Each part installs what it needs; at once it takes less time.
    host.install_tools({"mmdebstrap": "mmdebstrap", "mke2fs": "e2fsprogs",
                        **(QEMU_TOOLS if any(g.rig == "qemu" for g in guests)
                           else {}),
                        **(SERVER_TOOLS if any(g.server for g in guests)
                           else {})})
    uml = [g for g in guests if g.rig == "uml"]
    roots = {}
    for guest in uml + [g for g in guests if g.rig != "uml"]:
        roots.setdefault(guest.root, []).append(guest)
    jobs = []
    # More than two at once only wait for each other.
    making = threading.Semaphore(2)
    telling = threading.Lock()
    with futures.ThreadPoolExecutor(len(roots) + 1) as pool:

        def tell(guest):
            with telling:
                ready(guest)

        def build_kernels(builds):
            for guest in builds:
                _setup_uml(guest)
                tell(guest)

        def one_root(members):
            with making:
                _setup_root(members[0])
            builds = [g for g in members if g.rig == "uml"]
            if builds:
                unpack_uml_source(builds[0])
                jobs.append(pool.submit(build_kernels, builds))
            for guest in members:
                if guest.rig != "uml":
                    setup(guest)
                    tell(guest)

        begun = [pool.submit(one_root, members) for members in roots.values()]
        failed = [job.exception() for job in begun]
        failed += [job.exception() for job in jobs]
    failed = [error for error in failed if error]
    for error in failed[1:]:
        if isinstance(error, LabError):
            note(str(error))
    if failed:
        raise failed[0]


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
