# SPDX-License-Identifier: GPL-2.0
"""The command line that boots a QEMU guest."""

import os
import re
import shlex
import subprocess
from pathlib import Path

from . import profiles, setup
from .config import LabError

# QEMU 7.2 looks translated code up by its address. With address space layout randomisation it
# translates a program anew at each start, which then takes four times as long. Mitigations
# have nothing to protect here, and memory that is zeroed when it is allocated would hide a
# use of it without a value.
EMULATED_WORDS = "norandmaps mitigations=off init_on_alloc=0"
# Page tables of five levels only cost time. Each access of the kernel to memory of a user
# ends a translated block with SMAP; a "rep movsb", which kernel and libc prefer with ERMS,
# is emulated byte by byte.
EMULATED_CPU = "max,la57=off,smap=off,smep=off,erms=off"
# Limits of systemd and of the kernel are for CPUs that are not emulated, and not
# shared; what the kernel says while a server boots counts.
SERVER_WORDS = ("nosoftlockup rcupdate.rcu_cpu_stall_timeout=120 "
                "systemd.service_watchdogs=no "
                "systemd.default_timeout_start_sec=600 "
                "systemd.default_device_timeout_sec=600")
ZONE_MIB = 16
ZONE_CAPACITY_MIB = 12
DRIVE_ZONES = 48
MEMORY = "2G"


def _mib(size):
    unit = {"K": 1 / 1024, "M": 1, "G": 1024}.get(size[-1:].upper())
    try:
        return int(float(size[:-1]) * unit) if unit else int(size)
    except ValueError:
        raise LabError(f"--mem wants a size like 2G, not '{size}'") from None


def drive_settings(options):
    """Properties of the zoned drives, and size, of their images, in MiB."""
    zones = options.drive_zones
    if options.profile and options.drives:
        return profiles.settings(
            options.profile, "qemu", "--drives", str(options.drives),
            "--memory", str(_mib(options.mem or MEMORY)),
            *(["--zones", str(zones)] if zones else []))
    return {"size": str((zones or DRIVE_ZONES) * ZONE_MIB),
            "logical_block_size": "4096", "physical_block_size": "4096",
            "zoned.zone_size": f"{ZONE_MIB}M",
            "zoned.zone_capacity": f"{ZONE_CAPACITY_MIB}M",
            "zoned.max_open": "14", "zoned.max_active": "14"}


def _kvm_works():
    # A /dev/kvm on a CPU without the extension hangs the guest.
    return os.access("/dev/kvm", os.R_OK | os.W_OK) and bool(
        re.search(r"\b(svm|vmx)\b", Path("/proc/cpuinfo").read_text()))


def _sparse(path, mib):
    with open(path, "wb") as image:
        try:
            image.truncate(mib << 20)
        except OSError:
            raise LabError(f"{path.parent}: this file system has no files of "
                           f"{mib >> 10} GiB: use --drive-zones, or a cache "
                           "elsewhere (RAIZN_CACHE)") from None
    return path


def _nvme(slot, name, image, zoned=None):
    # Each behind a port of its own, which can be made to lose it.
    port = f"pcie-root-port,id=port-{name},chassis=1,slot={slot},hotplug=off"
    # "unsafe": the host's page cache outlives any crash of the guest, and
    # the drive still has a volatile write cache to the guest.
    drive = (f"id={name},file={image},format=raw,if=none,cache=unsafe,"
             "discard=unmap")
    namespace = f"nvme-ns,drive={name},bus=bus-{name}"
    properties = zoned or {"logical_block_size": "4096",
                           "physical_block_size": "4096"}
    for key, value in properties.items():
        if key != "size":
            namespace += f",{key}={value}"
    controller = f"nvme,serial={name},id=bus-{name},bus=port-{name}"
    if zoned:
        controller += ",zoned.zasl=5"
        namespace += ",zoned=true"
    return ["-drive", drive, "-device", port, "-device", controller,
            "-device", namespace]


def _boot(guest, words):
    """Kernel and initramfs from the host, root on a disk that stays as it is."""
    boot = setup.boot_dir(guest)
    return ["-kernel", str(boot / "vmlinuz"),
            "-initrd", str(boot / "initrd"),
            "-append", "console=ttyS0 loglevel=6 panic=0 "
            "log_buf_len=4M nmi_watchdog=0 " + words,
            "-drive", f"id=root,file={setup.disk_image(guest)},format=raw,"
            "if=none,readonly=on",
            "-device", "virtio-blk-pci,drive=root,serial=lab-root"]


def _boot_server(guest, words, run, options):
    """All from its own disk: a layer over the one in the cache, or, where it
    is kept and that one may be made anew, a copy."""
    base = setup.disk_image(guest)
    if options.disk:
        disk = Path(options.disk).absolute()
        make = ["convert", "-f", "raw", "-O", "qcow2", base, disk]
    else:
        disk = run.dir / "disk"
        make = ["create", "-q", "-f", "qcow2", "-F", "raw", "-b", base, disk]
    if not disk.exists():
        made = subprocess.run(["qemu-img", *make], capture_output=True,
                              text=True, check=False)
        if made.returncode:
            raise LabError(f"cannot make the disk {disk}: "
                           f"{made.stderr.strip()}")
    # Its GRUB reads the last ones; a comma would end the value.
    words = f"{SERVER_WORDS} {words}".strip().replace(",", ",,")
    return ["-drive", f"id=root,file={disk},format=qcow2,if=none,cache=unsafe",
            "-device", "virtio-blk-pci,drive=root,serial=lab-root,bootindex=0",
            "-smbios", f"type=11,value={words}",
            # Off is not the end: see power.py.
            "-no-shutdown",
            "-chardev", f"socket,id=qmp,fd={run.power.fd()}",
            "-mon", "chardev=qmp,mode=control"]


def command(guest, run, options):
    """argv for one run; run names its directory and channels."""
    kvm = _kvm_works()
    words = options.kernel_args
    if not kvm:
        words = f"{EMULATED_WORDS} {words}".strip()
    argv = ["qemu-system-x86_64", "-nodefaults", "-no-user-config",
            "-display", "none", "-machine", "q35,sata=off",
            "-smp", str(options.cpus), "-m", options.mem or MEMORY,
            # One thread: with several, a guest CPU may run a kernel
            # instruction that another has just patched back (int3 panics).
            "-accel", "kvm" if kvm else "tcg,thread=single",
            "-cpu", "host" if kvm else EMULATED_CPU,
            "-device", "virtio-rng-pci",
            "-chardev", f"file,id=log,path={run.dir}/console,append=on",
            "-serial", "chardev:log",
            "-device", "virtio-serial-pci"]
    argv += _boot_server(guest, words, run, options) if guest.server \
        else _boot(guest, words)
    for share in ("build", "lab", "ctl"):
        path = run.shares[share]
        argv += ["-fsdev", f"local,id={share},path={path},"
                 "security_model=none,multidevs=remap",
                 "-device", f"virtio-9p-pci,fsdev={share},mount_tag={share}"]
    if options.shell:
        argv += ["-chardev", "stdio,id=terminal,signal=off",
                 "-device", "virtconsole,chardev=terminal"]
    else:
        argv += ["-chardev", f"file,id=out,path={run.dir}/output,append=on",
                 "-device", "virtserialport,chardev=out,name=lab.out"]
    settings = drive_settings(options)
    for number in range(options.drives):
        name = f"zns{number}"
        image = _sparse(run.dir / f"{name}.img", int(settings["size"]))
        argv += _nvme(number + 1, name, image, settings)
    if options.drives:
        argv += _nvme(options.drives + 1, "conv0",
                      _sparse(run.dir / "conv0.img", 1024))
    for words in options.qemu_opts:
        argv += shlex.split(words)
    return argv
