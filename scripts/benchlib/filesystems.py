# SPDX-License-Identifier: GPL-2.0
"""f2fs and btrfs on raizn, on dm-linear and on md. Runs in the guest.

File systems need their data back, so these drives keep all of it in memory.
All three have 3 GiB; the zoned ones have zones of 32 MiB.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from . import contenders as cont

MIB = cont.MIB
ZONES = 96
ZONE_MIB = 8                # of raizn's members
WRITE_MIB = 128
FILE_BYTES = 16 << 10
FILES_A_DIRECTORY = 100
FILES_SECONDS = 2
CONVENTIONAL = "/dev/fs-f2fs0"


class Stack:
    """A device for file systems, and the drives below it."""

    def __init__(self, name):
        self.name = name
        self.zoned = name != "md"
        self.device = f"/dev/mapper/fs-{name}"
        getattr(self, f"_make_{name}")()
        cont.run("dmsetup", "mknodes")

    def _make_linear(self):
        self.members = cont.make_drives(
            "fs-linear-", 1, "zoned", zones=ZONES, zone_mib=4 * ZONE_MIB)
        drive = self.members[0]
        cont.run("dmsetup", "create", "fs-linear", "--table",
                 f"0 {cont.sectors(drive)} linear {drive} 0")

    def _make_back(self):
        self.members = cont.make_drives(
            "fs-back-", cont.MEMBERS, "zoned",
            zones=ZONES + cont.RESERVED_ZONES, zone_mib=ZONE_MIB)
        cont.Raizn.tool("create", "fs-back", *self.members,
                        "--stripe-unit", f"{cont.CHUNK_KIB}K")

    def _make_md(self):
        self.members = cont.make_drives(
            "fs-md-", cont.MEMBERS, "conventional", zones=ZONES,
            zone_mib=ZONE_MIB)
        self.device = "/dev/md1"
        cont.make_md(self.device, self.members)

    def mkfs(self, kind):
        """Returns what is to be mounted."""
        if kind == "btrfs":
            features = ["-O", "zoned"] if self.zoned else []
            cont.run("mkfs.btrfs", "-q", "-f", *features, "-d", "single",
                     "-m", "single", self.device)
            return self.device
        if not self.zoned:
            cont.run("mkfs.f2fs", "-q", "-f", self.device)
            return self.device
        cont.run("mkfs.f2fs", "-q", "-f", "-m", "-c", self.device,
                 CONVENTIONAL)
        return CONVENTIONAL


STACKS = {}


def _stack(name):
    if not STACKS:
        for module in ("f2fs", "btrfs"):
            cont.run("modprobe", module)
        # For what f2fs cannot write into zones; a larger one takes data, too.
        cont.make_drives("fs-f2fs", 1, "conventional", zones=2,
                         zone_mib=4 * ZONE_MIB)
    if name not in STACKS:
        STACKS[name] = Stack(name)
    return STACKS[name]


def _write(directory):
    """One large file, to its fsync."""
    done = subprocess.run(
        ["fio", "--name=file", f"--directory={directory}", "--rw=write",
         "--bs=1m", f"--size={WRITE_MIB}m", "--end_fsync=1",
         "--ioengine=psync", "--fallocate=none", "--output-format=json"],
        text=True, stdout=subprocess.PIPE, check=True)
    job = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]
    return {"bytes": job["write"]["io_bytes"],
            "seconds": job["write"]["runtime"] / 1000,
            "start": job["job_start"] / 1000}


def _small_file(path, data):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)


def _files(directory):
    """Small files one after the other, each with an fsync."""
    data = os.urandom(FILE_BYTES)
    begun = now = time.time()
    number = 0
    while now - begun < FILES_SECONDS:
        where = f"{directory}/{number // FILES_A_DIRECTORY}"
        if not number % FILES_A_DIRECTORY:
            os.mkdir(where)
        _small_file(f"{where}/{number}", data)
        number += 1
        now = time.time()
    return {"bytes": number * FILE_BYTES, "seconds": now - begun,
            "start": begun, "operations": number}


WORK = {"write 1m": _write, "files": _files}


def measure(contender, row, _seconds):
    """A run on an empty file system; row.rw is its kind, row.bs the work."""
    stack = _stack(contender.name)
    with tempfile.TemporaryDirectory() as directory:
        with cont.without_limits():
            device = stack.mkfs(row.rw)
            cont.run("mount", "-t", row.rw, device, directory)
            os.sync()
        drives = stack.members + [CONVENTIONAL] * (device == CONVENTIONAL)
        before = cont.member_statistics(drives)
        result = WORK[row.bs](Path(directory))
        after = cont.member_statistics(drives)
        with cont.without_limits():
            cont.run("umount", directory)
    return {"row": row.name, "contender": stack.name, "latency_us": 0,
            "median_us": 0, "members": cont.difference(after, before),
            "target": {}} | result
