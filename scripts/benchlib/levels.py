# SPDX-License-Identifier: GPL-2.0
"""Levels 6, 1 and 0 beside md, dm-raid and dm-stripe. Runs in the guest.

The arrays of level 6 have as many drives with data as those of level 5 in the other
rows. dm-stripe does not take zoned drives, so its drives are conventional.
"""

import re
import subprocess
import time
from pathlib import Path

from . import background
from . import contenders as cont
from . import fio
from .rows import REGIMES, Row

# raid6_nc spreads P, Q and data over all drives, as md does by default. Of the
# layouts of dm-raid that are called left-symmetric none does: Q has a drive of its own.
RAID6 = cont.Layout(6, 6, 4, "raid6_nc")
RAID1 = cont.Layout(1, 2, 1, "raid1")
RAID0 = cont.Layout(0, 4, 4)

# Drives that are lost, by the ends of names.
LOST = {"one": 1, "two": 2}

# KiB a second that a rebuild of md takes from users, and at most: more than there is.
MD_SPEED = 1 << 20
MD_SPEEDS = Path("/proc/sys/dev/raid")
LOOK_SECONDS = 0.02


def stripe_table(drives):
    """dm-stripe over all of these."""
    size = cont.sectors(drives[0]) * len(drives)
    return f"0 {size} striped {len(drives)} {cont.CHUNK_KIB * 2} " + \
        " ".join(f"{drive} 0" for drive in drives)


class Stripe(cont.Conventional):
    """dm-stripe."""

    def __init__(self, name):
        super().__init__(name, layout=RAID0)
        cont.run("dmsetup", "create", name, "--table",
                 stripe_table(self.members))


def stripe_over_zoned_drives():
    """What the kernel says to that; nothing if it takes them."""
    name = "stripe-zoned"
    drives = cont.make_drives(name, 2, "zoned", 0, zones=2)
    done = subprocess.run(["dmsetup", "create", name, "--table",
                           stripe_table(drives)], text=True, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True)
    if not done.returncode:
        cont.run("dmsetup", "remove", name)
        return ""
    said = re.findall(r"device-mapper: table: (?:.*?: )?(.*zoned.*)",
                      cont.run("dmesg"))
    return said[-1] if said else done.stderr.strip()


class RebuiltMd(cont.Md):
    """md whose last drives are replaced while it runs; it rebuilds all there is, so it
    has the size of the data."""

    def __init__(self, name, device):
        kib = fio.FILL_MIB * 1024 // RAID6.data
        super().__init__(name, device, RAID6, f"--size={kib}")
        self.spares = cont.make_drives(name + "-new", 2, "conventional",
                                       cont.SUPERBLOCK_MIB)
        for limit in ("min", "max"):
            (MD_SPEEDS / f"speed_limit_{limit}").write_text(str(MD_SPEED))

    def fail_and_replace(self, nr=1):
        """The array rebuilds the last nr members at once; their drives are the next
        spares. Returns when the rebuild began."""
        device = self.devices[0]
        old, new = self.members[-nr:], self.spares[:nr]
        action = self.attributes / "sync_action"
        action.write_text("frozen")
        for drive in old:
            cont.run("mdadm", device, "--fail", drive)
            cont.run("mdadm", device, "--remove", drive)
            cont.run("mdadm", "--zero-superblock", drive)
        for drive in new:
            cont.run("mdadm", device, "--add", drive)
        self.members[-nr:], self.spares = new, old + self.spares[nr:]
        begun = time.time()
        action.write_text("idle")
        return begun

    def until_whole(self):
        deadline = time.time() + background.LONGEST
        while int((self.attributes / "degraded").read_text()):
            if time.time() > deadline:
                raise SystemExit(f"bench: {self.name} is not rebuilt")
            time.sleep(LOOK_SECONDS)


class Rebuilt(cont.Rebuilt):
    """raizn likewise."""

    def __init__(self, name):
        super().__init__(name, RAID6)

    def fail_and_replace(self, nr=1):
        begun = super().fail_and_replace(nr)
        if self.letters()[-nr:] != "R" * nr:
            raise SystemExit("bench: not all of the last members are being "
                             f"rebuilt: {self.letters()}")
        return begun

    def until_whole(self):
        background.until_idle(self)
        if set(self.letters()) != {"A"}:
            raise SystemExit(f"bench: the array is not whole: {self.letters()}")


def _raizn(layout, *options):
    return lambda name: cont.Raizn(name, "back", *options, layout=layout)


MAKERS = {
    "raw1": lambda name: cont.Raw(name, 1),
    "raizn6": _raizn(RAID6),
    "raizn6-trusted": _raizn(RAID6, "--trust-buffers"),
    "md6": lambda name: cont.Md(name, "/dev/md6", RAID6),
    "dmraid6": lambda name: cont.DmRaid(name, layout=RAID6),
    "raizn6-rebuilt": Rebuilt,
    "md6-rebuilt": lambda name: RebuiltMd(name, "/dev/md60"),
    "raizn1": _raizn(RAID1),
    "raizn1-trusted": _raizn(RAID1, "--trust-buffers"),
    "md1": lambda name: cont.Md(name, "/dev/md1", RAID1),
    "dmraid1": lambda name: cont.DmRaid(name, layout=RAID1),
    "raizn0": _raizn(RAID0),
    "raizn0-trusted": _raizn(RAID0, "--trust-buffers"),
    "stripe0": Stripe,
} | {
    f"raizn6-{word}": lambda name, nr=nr: cont.Degraded(name, nr, RAID6)
    for word, nr in LOST.items()
} | {
    f"md6-{word}": lambda name, nr=nr: cont.MdDegraded(
        name, f"/dev/md6{nr}", nr, RAID6)
    for word, nr in LOST.items()
} | {
    f"dmraid6-{word}": lambda name, nr=nr: cont.DmRaid(name, nr, RAID6)
    for word, nr in LOST.items()
}


def make_contenders(names):
    cont.load_modules()
    cont.run("modprobe", "raid1")
    everybody = {name: MAKERS[name](name) for name in names}
    cont.run("dmsetup", "mknodes")
    return everybody


def same_settings(everybody):
    """Arrays that lack drives have the settings of those that do not."""
    for rival in ("md6", "dmraid6"):
        for name in everybody.keys() & {f"{rival}-{word}" for word in
                                        (*LOST, "rebuilt")}:
            if rival in everybody:
                everybody[name].set(**everybody[rival].settings)


def settings():
    said = re.findall(r"raid6: (.*)", cont.run("dmesg"))
    return {"stripe_over_zoned_drives": stripe_over_zoned_drives(),
            "raid6": "; ".join(said)}


# ---- rebuild ----------------------------------------------------------------

def _rebuild(array, row, nr):
    """The last nr drives of a filled array, at once; bytes are what the new ones got,
    read is what the others gave for it."""
    cont.set_regime(0, 0)
    fio.fill(array)
    cont.set_regime(*REGIMES["bandwidth"])
    others = array.members[:-nr]
    before = [cont.member_statistics(drives)
              for drives in (array.spares[:nr], others)]
    begun = array.fail_and_replace(nr)
    array.until_whole()
    result = background.run_of(row, "written", array.members[-nr:], before[0],
                               (begun, time.time()), array.name)
    read = cont.difference(cont.member_statistics(others), before[1])["read"]
    return result | {"drives": nr, "others_read": read}


def rebuilds(everybody, options, done):
    """Runs of what options.rows names and is not done, in turns; with what a drive by
    itself takes."""
    raw = everybody.get("raw1")
    arrays = [array for name, array in everybody.items()
              if name.endswith("-rebuilt")]
    for word, nr in LOST.items():
        row = f"bandwidth rebuild {word}"
        if not re.search(options.rows, row) or row in done:
            continue
        for repeat in range(options.repeats):
            turn = repeat % len(arrays) if arrays else 0
            for array in arrays[turn:] + arrays[:turn]:
                yield dict(_rebuild(array, row, nr), repeat=repeat)
            if raw and nr == 1:
                yield dict(fio.measure(raw, Row("bandwidth", "write", "1m"),
                                       background.RAW_SECONDS),
                           row=row, repeat=repeat)
