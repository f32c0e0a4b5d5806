# SPDX-License-Identifier: GPL-2.0
"""The contenders, each on drives of its own. Runs in the guest, as root."""

import contextlib
import fcntl
import os
import re
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FASTDRIVE = Path("/sys/module/fastdrive/parameters")
APPENDLOAD = Path("/sys/module/appendload/parameters")
# Of the workers that may run anywhere, which raizn's are.
WORKERS = Path("/sys/devices/virtual/workqueue/cpumask")
MIB = 1 << 20

# A raizn volume's zone is four of these; log zones keep their data, so they
# should not be large.
ZONE_MIB = 128
DATA_ZONES = 64
RESERVED_ZONES = 7      # 5 log zones, 2 spares: all that raizn reserves of 71
SUPERBLOCK_MIB = 8      # md's superblock is in front of its data
MEMBERS = 5
CHUNK_KIB = 64

BLKRESETZONE = 0x40101283


@dataclass(frozen=True)
class Layout:
    """An array's level, its drives, those of them that hold a stripe's data, and
    dm-raid's name for its layout. data is a power of two: raizn's zones have no gaps
    then, which fio would write to."""
    level: int
    members: int
    data: int
    dmraid: str = ""


RAID5 = Layout(5, MEMBERS, MEMBERS - 1, "raid5_ls")


def run(*argv, **kwargs):
    """A command that has to succeed; returns its output."""
    done = subprocess.run([str(word) for word in argv], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False,
                          env=dict(os.environ, MDADM_NO_UDEV="1"), **kwargs)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, argv))}: exit status "
                         f"{done.returncode}\n{done.stdout}")
    return done.stdout


def load_modules():
    for module in ("dm-mod", "dm-raid", "raid456", "xor"):
        run("modprobe", module)
    for name in ("dm-raizn.ko", "fastdrive.ko", "appendload.ko"):
        run("insmod", next(TOP.rglob(name)))
    # The drives keep metadata in pages that are allocated without waiting.
    Path("/proc/sys/vm/min_free_kbytes").write_text(str(128 << 10))


def set_regime(mib_per_s, latency_us):
    (FASTDRIVE / "mib_per_s").write_text(str(mib_per_s))
    (FASTDRIVE / "latency_us").write_text(str(latency_us))


@contextlib.contextmanager
def without_limits():
    """To prepare something, in any regime."""
    names = ("mib_per_s", "latency_us")
    before = [(FASTDRIVE / name).read_text() for name in names]
    set_regime(0, 0)
    yield
    set_regime(*map(str.strip, before))


@contextlib.contextmanager
def on_cpus(number):
    """Our children and the kernel's workers use so many CPUs; 0: all."""
    everywhere, workers = os.sched_getaffinity(0), WORKERS.read_text()
    if number:
        os.sched_setaffinity(0, range(number))
        WORKERS.write_text(f"{(1 << number) - 1:x}")
    yield
    os.sched_setaffinity(0, everywhere)
    WORKERS.write_text(workers)


@contextlib.contextmanager
def drives_with(**settings):
    """Drives that are made meanwhile have other parameters; see fastdrive."""
    before = {name: (FASTDRIVE / name).read_text() for name in settings}
    for name, value in settings.items():
        (FASTDRIVE / name).write_text(str(value))
    yield
    for name, value in before.items():
        (FASTDRIVE / name).write_text(value)


def make_drives(prefix, nr, kind, keep=None, zones=DATA_ZONES,
                zone_mib=ZONE_MIB):
    """kind is zoned or conventional; data is kept only in the first keep MiB.

    Returns the devices.
    """
    if keep is None:
        keep = zones * zone_mib
    for i in range(nr):
        (FASTDRIVE / kind).write_text(f"{prefix}{i} {zones} {zone_mib} {keep}")
    return [f"/dev/{prefix}{i}" for i in range(nr)]


def make_members(prefix, nr):
    """Drives that raizn finds its metadata on."""
    return make_drives(prefix, nr, "zoned", RESERVED_ZONES * ZONE_MIB,
                       DATA_ZONES + RESERVED_ZONES)


def sectors(device):
    number = os.stat(device).st_rdev
    where = f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/size"
    return int(Path(where).read_text())


def reset_zones(device, sector, nr):
    fd = os.open(device, os.O_RDWR)
    fcntl.ioctl(fd, BLKRESETZONE, struct.pack("QQ", sector, nr))
    os.close(fd)


class Contender:
    """What fio works on: devices of one size, and the drives below them."""

    has_zones = True

    def __init__(self, name, members, layout=RAID5):
        self.name = name
        self.members = members
        self.layout = layout
        self.devices = [f"/dev/mapper/{name}"]
        self.zone = ZONE_MIB * MIB * layout.data
        self.filled = 0
        self.front = 0      # where sequential writes begin
        self.place = 0      # ... of this run, behind that

    @property
    def size(self):
        return sectors(self.devices[0]) * 512

    def reset(self):
        """Makes all zones empty."""
        self.filled = 0
        for device in self.devices:
            reset_zones(device, 0, sectors(device))


class Raw(Contender):
    def __init__(self, name, nr):
        devices = make_drives(name + "-", nr, "zoned", 0)
        super().__init__(name, devices)
        self.devices = devices
        self.zone = ZONE_MIB * MIB


class Linear(Contender):
    def __init__(self, name="linear"):
        super().__init__(name, make_drives(name + "-", 1, "zoned", 0))
        self.zone = ZONE_MIB * MIB
        drive = self.members[0]
        run("dmsetup", "create", self.name, "--table",
            f"0 {sectors(drive)} linear {drive} 0")


class Zero(Contender):
    """What fio and the kernel's way to a device mapper target take: nothing is
    below it."""

    has_zones = False

    def __init__(self):
        super().__init__("zero", [])
        run("modprobe", "dm-zero")
        size = (MEMBERS - 1) * DATA_ZONES * ZONE_MIB * MIB
        run("dmsetup", "create", self.name, "--table",
            f"0 {size // 512} zero")

    def reset(self):
        pass


class Raizn(Contender):
    def __init__(self, name, mode="back", *options, layout=RAID5):
        super().__init__(name, make_members(name + "-", layout.members), layout)
        self.tool("create", self.name, *self.members, "--write-cache", mode,
                  "--level", layout.level, "--stripe-unit", f"{CHUNK_KIB}K",
                  *options)

    @staticmethod
    def tool(*words):
        run(TOP / "tools" / "raizn", *words)

    def counters(self):
        """What the target counts, in bytes; see docs/dm-raizn.rst."""
        words = run("dmsetup", "status", self.name).split()
        names = ("user_read user_written member_read data parity "
                 "partial_parity metadata").split()
        return {name: int(word) * 512
                for name, word in zip(names, words[7:])}

    def memory(self):
        """What the target says of its memory: numbers of zones, bytes."""
        words = run("dmsetup", "message", self.name, 0, "memory")
        zones, zone_bytes, active, active_bytes, pools = map(
            int, re.findall(r"\d+", words))
        return {"zones": zones, "zone_bytes": zone_bytes, "active": active,
                "active_bytes": active_bytes, "pools": pools}


class Degraded(Raizn):
    """One without its last drives."""

    def __init__(self, name="degraded", lost=1, layout=RAID5):
        super().__init__(name, layout=layout)
        self.tool("stop", self.name)
        del self.members[-lost:]
        self.tool("start", self.name, *self.members, "--degraded")


class Rebuilt(Raizn):
    """One whose last drives are replaced while it runs. A WD ZN540 lets so many
    zones be active, so idle ones are rebuilt one at a time."""

    MAX_ACTIVE = 14

    def __init__(self, name, layout=RAID5):
        with drives_with(max_active=self.MAX_ACTIVE):
            super().__init__(name, layout=layout)
            self.spares = make_members(name + "-new",
                                       layout.members - layout.data)

    def fail_and_replace(self, nr=1):
        """The array rebuilds its last nr members, each from its own reload on; the
        drives they had are the next spares. Returns when the rebuild began."""
        slots = range(self.layout.members - nr, self.layout.members)
        old, new = self.members[-nr:], self.spares[:nr]
        for slot in slots:
            self.message("fail", slot)
            self.members[slot] = "-"
        begun = []
        for slot, drive in zip(slots, new):
            self.members[slot] = drive
            begun.append(self._load(f"rebuild={slot}"))
        self.spares = old + self.spares[nr:]
        for drive in old:
            reset_zones(drive, 0, sectors(drive))
        return begun[0]

    def _load(self, option):
        """Returns when the array went on."""
        table = run("dmsetup", "table", self.name).split()
        table = table[:4] + self.members + ["1", option]
        run("dmsetup", "load", self.name, "--table", " ".join(table))
        run("dmsetup", "suspend", self.name)
        resumed = time.time()
        run("dmsetup", "resume", self.name)
        return resumed

    def message(self, *words):
        run("dmsetup", "message", self.name, 0, *words)

    def events(self):
        return run("dmsetup", "info", "-c", "--noheadings", "-o", "events",
                   self.name).strip()

    def wait(self, events, seconds):
        """For an event after so many of them."""
        run("dmsetup", "wait", self.name, events, timeout=seconds)

    def _status(self, word):
        return run("dmsetup", "status", self.name).split()[word]

    def letters(self):
        """The states of the members."""
        return self._status(5)

    def action(self):
        return self._status(23)

    def rebuilt(self):
        """Bytes of the new drive that are done."""
        return int(self._status(25)) * 512


class Conventional(Contender):
    has_zones = False

    def __init__(self, name, keep=0, layout=RAID5):
        super().__init__(name, make_drives(name + "-", layout.members,
                                           "conventional", keep), layout)

    def reset(self):
        pass


def make_md(device, members, layout=RAID5, *options):
    # A mirror has no chunks.
    chunk = [f"--chunk={CHUNK_KIB}"] if layout.level != 1 else []
    run("mdadm", "--create", device, f"--level={layout.level}", "--run",
        f"--raid-devices={layout.members}", *chunk, "--assume-clean",
        "--bitmap=none", *options, *members)


class Md(Conventional):
    """md; without bitmap and journal, so nothing but data and parity."""

    def __init__(self, name="md", device="/dev/md0", layout=RAID5, *options):
        super().__init__(name, SUPERBLOCK_MIB, layout)
        self.devices = [device]
        self.settings = {}
        make_md(device, self.members, layout, *options)

    @property
    def attributes(self):
        return Path("/sys/block") / os.path.basename(self.devices[0]) / "md"

    def set(self, **settings):
        for name, value in settings.items():
            (self.attributes / name).write_text(str(value))
        self.settings.update(settings)


class MdDegraded(Md):
    """md without its last drives."""

    def __init__(self, name="mddegraded", device="/dev/md2", lost=1,
                 layout=RAID5):
        super().__init__(name, device, layout)
        for drive in self.members[-lost:]:
            run("mdadm", device, "--fail", drive)
            run("mdadm", device, "--remove", drive)
        del self.members[-lost:]


class DmRaid(Conventional):
    """The same code below device mapper; it has no worker threads to set. The last
    drives may be missing."""

    def __init__(self, name="dmraid", lost=0, layout=RAID5):
        super().__init__(name, layout=layout)
        del self.members[layout.members - lost:]
        self.settings = {}
        self.up = False
        # A mirror has no stripes.
        self.set(**({} if layout.level == 1 else {"stripe_cache_size": 4096}))

    def set(self, **settings):
        if self.up:
            run("dmsetup", "remove", "--retry", self.name)
        self.up = True
        self.settings = settings
        run("dmsetup", "create", self.name, "--table", self._table())

    def _table(self):
        """dm-raid takes no nosync at level 6, and does not resync such an array without
        metadata."""
        layout = self.layout
        length = sectors(self.members[0]) * layout.data
        words = [0 if layout.level == 1 else CHUNK_KIB * 2]
        if layout.level != 6:
            words.append("nosync")
        if self.settings:
            words += ["stripe_cache", self.settings["stripe_cache_size"]]
        words = [layout.dmraid, len(words), *words, layout.members]
        for member in self.members:
            words += ["-", member]
        words += ["-", "-"] * (layout.members - len(self.members))
        return f"0 {length} raid " + " ".join(map(str, words))


def member_statistics(members):
    """Bytes, commands and flushes of all members, from diskstats, and of each."""
    each = {"read": [], "written": [], "commands": [], "flushes": []}
    for member in members:
        words = Path(f"/sys/class/block/{os.path.basename(member)}/stat") \
            .read_text().split()
        each["read"].append(int(words[2]) * 512)
        each["written"].append(int(words[6]) * 512)
        each["commands"].append(int(words[0]) + int(words[4]))
        each["flushes"].append(int(words[15]))
    return {what: sum(numbers) for what, numbers in each.items()} | \
        {"each": each}


def difference(after, before):
    if isinstance(after, dict):
        return {key: difference(after[key], before[key]) for key in after}
    if isinstance(after, list):
        return [difference(a, b) for a, b in zip(after, before)]
    return after - before


MAKERS = {
    "raw1": lambda: Raw("raw1", 1),
    "raw5": lambda: Raw("raw5", MEMBERS),
    "linear": Linear,
    "zero": Zero,
    "md": Md,
    "dmraid": DmRaid,
    "back": lambda: Raizn("back"),
    "through": lambda: Raizn("through", "through"),
    "trusted": lambda: Raizn("trusted", "back", "--trust-buffers"),
    "rebuilt": lambda: Rebuilt("rebuilt"),
    "degraded": Degraded,
    "mddegraded": MdDegraded,
}


def make_contenders(names):
    load_modules()
    everybody = {name: MAKERS[name]() for name in names}
    run("dmsetup", "mknodes")
    return everybody
