# SPDX-License-Identifier: GPL-2.0
"""A writer with an fsync each, beside zone commands that take as long as those of a
real drive. Runs in the guest, on simulated drives (tests/zonesim) of its own.

The writer appends 4 KiB to one zone, syncs, sleeps a millisecond, and so on. What
counts is the time of a write and its fsync together: a volume may make either wait.
"""

import errno
import fcntl
import functools
import json
import math
import mmap
import os
import statistics
import struct
import subprocess
import time
from pathlib import Path

from . import contenders as cont

GROUPS = Path("/sys/kernel/config/zonesim")
SECTOR = 512
BLOCK = 4096
PAUSE = 0.001
# An fsync that takes as long is one that waited for a zone command.
LONG = 0.1

PROFILE = "zn540-1t"
# The queues that Linux makes for an NVMe drive and two CPUs.
QUEUES = {"queues": 2, "queue_depth": 1023}

BLKREPORTZONE = 0xc0101282
BLKFINISHZONE = 0x40101288


@functools.cache
def profile(*options):
    """Attributes of a simulated drive, from scripts/drive-profile."""
    done = subprocess.run([cont.TOP / "scripts/drive-profile", PROFILE, "zonesim",
                           *options], capture_output=True, text=True, check=True)
    return dict(word.split("=", 1) for word in done.stdout.split())


def times():
    """Attributes that make it as slow to finish and to reset zones as the real one."""
    return {key: value for key, value in profile("--times").items()
            if key not in profile()}


class Drives:
    """Simulated drives of one contender, with a power supply of their own."""

    def __init__(self, name, nr):
        self.group = GROUPS / name
        self.group.mkdir()
        self.names = [f"{name}{i}" for i in range(nr)]
        for drive in self.names:
            (self.group / drive).mkdir()
        self.set(**profile(), **QUEUES)
        (self.group / "power").write_text("1")

    def set(self, **settings):
        for drive in self.names:
            for name, value in settings.items():
                (self.group / drive / name).write_text(f"{value}\n")

    @property
    def devices(self):
        return [f"/dev/{name}" for name in self.names]

    def remove(self):
        for drive in self.names:
            (self.group / drive).rmdir()
        self.group.rmdir()


class RawDrive(cont.Contender):
    """One drive by itself."""

    def __init__(self, name, drives):
        super().__init__(name, drives.devices)
        self.devices = drives.devices

    def remove(self):
        pass


class Volume(cont.Raizn):
    """raizn on five of them."""

    def __init__(self, name, drives):
        cont.Contender.__init__(self, name, drives.devices)
        self.tool("create", name, *drives.devices, "--stripe-unit",
                  f"{cont.CHUNK_KIB}K")
        cont.run("dmsetup", "mknodes")

    def remove(self):
        self.tool("stop", self.name)


KINDS = {"raw1": (RawDrive, 1), "back": (Volume, cont.MEMBERS)}


def make_contenders(names):
    """Names only: each run has new drives."""
    cont.load_modules()
    cont.run("insmod", next(cont.TOP.rglob("zonesim.ko")))
    return {name: name for name in names if name in KINDS}


def settings():
    return {"drive": profile("--times") | QUEUES, "pause_seconds": PAUSE}


# ---- zones of a contender ---------------------------------------------------

class Zones:
    """An open device, by zones."""

    def __init__(self, contender):
        self.size = contender.size
        number = os.stat(contender.devices[0]).st_rdev
        queue = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"
                     "/queue")
        self.bytes = int((queue / "chunk_sectors").read_text()) * SECTOR
        self.nr = self.size // self.bytes
        self.fd = os.open(contender.devices[0], os.O_RDWR | os.O_DIRECT)
        self.block = mmap.mmap(-1, BLOCK)
        self.block[:] = b"\x5a" * BLOCK

    def close(self):
        os.close(self.fd)

    def write(self, zone, offset):
        os.pwrite(self.fd, self.block, zone * self.bytes + offset)

    def _command(self, command, first, nr):
        fcntl.ioctl(self.fd, command, struct.pack(
            "QQ", first * self.bytes // SECTOR, nr * self.bytes // SECTOR))

    def finish(self, zone):
        self._command(BLKFINISHZONE, zone, 1)

    def reset(self, first, nr):
        self._command(cont.BLKRESETZONE, first, nr)

    def write_pointer(self, zone):
        """Bytes from the begin of the zone."""
        report = bytearray(struct.pack("QII", zone * self.bytes // SECTOR,
                                       1, 0) + bytes(64))
        fcntl.ioctl(self.fd, BLKREPORTZONE, report)
        start, _, pointer = struct.unpack_from("QQQ", report, 16)
        return (pointer - start) * SECTOR


# ---- what goes on beside the writer -----------------------------------------

def _timed(work, *words):
    begun = time.monotonic()
    work(*words)
    return time.monotonic() - begun


def _finish(zones, deadline):
    """From the last zone on, each with one block in it."""
    took = []
    zone = zones.nr
    while time.monotonic() < deadline:
        zone -= 1
        zones.write(zone, 0)
        took.append(_timed(zones.finish, zone))
    return took


def _reset_others(zones, _deadline):
    """All but the writer's, at once."""
    return [_timed(zones.reset, 1, zones.nr - 1)]


def _reset_all(zones, _deadline):
    return [_timed(zones.reset, 0, zones.nr)]


BESIDE = {"alone": None, "beside finish": _finish,
          "beside resets": _reset_others, "beside reset all": _reset_all}


class Beside:
    """A process that does the work, and then says how long each of it took."""

    def __init__(self, work, zones, deadline):
        self.pid = 0
        self.took = []
        if not work:
            return
        self.pipe, write_end = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                os.write(write_end, json.dumps(work(zones, deadline)).encode())
                os._exit(0)
            except BaseException as error:      # whatever it is, it is told
                os.write(2, f"bench: {error}\n".encode())
                os._exit(1)
        os.close(write_end)

    def over(self):
        """Whether it has ended; without work that is always so."""
        if self.pid and os.waitpid(self.pid, os.WNOHANG)[0]:
            self._end()
        return not self.pid

    def wait(self):
        if self.pid:
            os.waitpid(self.pid, 0)
            self._end()

    def _end(self):
        told = os.read(self.pipe, 1 << 20)
        os.close(self.pipe)
        self.pid = 0
        if not told:
            raise SystemExit("bench: a zone command failed")
        self.took = json.loads(told)


# ---- the writer -------------------------------------------------------------

def _write_once(zones, offset):
    """Returns the offset behind the block. A zone that was reset meanwhile is
    written from its begin."""
    while True:
        try:
            zones.write(0, offset)
            return offset + BLOCK
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            offset = zones.write_pointer(0)


def _write(zones, beside, deadline):
    """Until the deadline, and until what goes on beside is over. Seconds of each
    write with its fsync, and of the fsync alone."""
    both, syncs = [], []
    offset = 0
    while time.monotonic() < deadline or not beside.over():
        begun = time.monotonic()
        offset = _write_once(zones, offset)
        written = time.monotonic()
        os.fsync(zones.fd)
        ended = time.monotonic()
        both.append(ended - begun)
        syncs.append(ended - written)
        time.sleep(PAUSE)
    return both, syncs


def percentile(values, percent):
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def _work(contender, row, seconds, zones):
    what = row.bs.split(maxsplit=1)[1]
    before = cont.member_statistics(contender.members)
    started, begun = time.time(), time.monotonic()
    # A reset says itself when the run is over.
    deadline = begun if "reset" in what else begun + seconds
    beside = Beside(BESIDE[what], zones, deadline)
    both, syncs = _write(zones, beside, deadline)
    took = time.monotonic() - begun
    beside.wait()
    return {"row": row.name, "contender": contender.name,
            "bytes": len(both) * BLOCK, "operations": len(both),
            "seconds": took, "start": started,
            "latency_us": statistics.fmean(both) * 1e6,
            "median_us": statistics.median(both) * 1e6,
            "p99_us": percentile(both, 99) * 1e6,
            "max_us": max(both) * 1e6,
            "sync_us": statistics.median(syncs) * 1e6,
            "sync_max_us": max(syncs) * 1e6,
            "blocked_seconds": sum(t for t in both if t > LONG),
            "zone_seconds": [round(t, 4) for t in beside.took],
            "members": cont.difference(
                cont.member_statistics(contender.members), before),
            "target": {}}


def measure(name, row, seconds):
    """A run on new drives; for resets all zones but the writer's are full."""
    kind, nr = KINDS[name]
    drives = Drives(f"zn540{name}", nr)
    contender = kind(name, drives)
    zones = Zones(contender)
    for zone in range(1, zones.nr if "reset" in row.bs else 1):
        zones.finish(zone)
    drives.set(**times())
    result = _work(contender, row, seconds, zones)
    zones.close()
    drives.set(**{key: "" for key in times()})
    contender.remove()
    drives.remove()
    return result
