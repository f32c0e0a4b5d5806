# SPDX-License-Identifier: GPL-2.0
"""Rebuild and scrub of a filled array, without users and beside them. Runs
in the guest."""

import re
import threading
import time

from . import contenders as cont
from . import fio
from .rows import REGIMES, Row

LONGEST = 120
# KiB a second and member that a rebuild takes from users: the default, and
# more than there is.
PACES = {"default pace": 10240, "raised speed_min": 1 << 20}
USERS = [Row("bandwidth", "write", "1m"), Row("bandwidth", "randread", "64k")]
USERS_SECONDS = 3
RAW_SECONDS = 3
# A rebuild notices within a second that there are users.
RAMP_SECONDS = 1
# So much that the rebuild takes longer than all that is measured beside it.
BESIDE_MIB = 8192
# What users write in that time, and more.
WRITE_ZONES = 3


def until_idle(array):
    """When that began and ended. Without looking again and again: that takes the
    guest's CPUs."""
    begun = time.time()
    while True:
        events = array.events()
        if array.action() == "idle":
            return begun, time.time()
        array.wait(events, LONGEST)


def run_of(row, what, members, before, span, contender="rebuilt"):
    """In the form of fio's runs; bytes are those that the work is about."""
    statistics = cont.difference(cont.member_statistics(members), before)
    return {"row": row, "contender": contender, "bytes": statistics[what],
            "seconds": span[1] - span[0], "start": span[0], "latency_us": 0,
            "median_us": 0, "members": statistics, "target": {}}


def _begin(array, mib=fio.FILL_MIB):
    """The rebuild of a filled array; returns the new drive, and its
    statistics before."""
    cont.set_regime(0, 0)
    fio.fill(array, mib)
    cont.set_regime(*REGIMES["bandwidth"])
    before = cont.member_statistics(array.spares)
    array.fail_and_replace()
    return array.members[-1:], before


def rebuild(array, raw):
    """With what a drive by itself takes, right after it."""
    new, before = _begin(array)
    yield run_of("bandwidth rebuild", "written", new, before,
                 until_idle(array))
    if raw:
        yield dict(fio.measure(raw, USERS[0], RAW_SECONDS),
                   row="bandwidth rebuild")


def rebuild_quarter(array, _raw):
    """Of a quarter of the data, in an array of the same size."""
    array.filled = 0
    new, before = _begin(array, fio.FILL_MIB // 4)
    yield run_of("bandwidth rebuild quarter", "written", new, before,
                 until_idle(array))
    array.filled = 0


def scrub(array, _raw):
    cont.set_regime(0, 0)
    fio.fill(array)
    cont.set_regime(*REGIMES["bandwidth"])
    before = cont.member_statistics(array.members)
    array.message("scrub", "check")
    yield run_of("bandwidth scrub", "read", array.members, before,
                 until_idle(array))


class Progress(threading.Thread):
    """How far a rebuild is, from time to time."""

    def __init__(self, array):
        super().__init__(daemon=True)
        self.array = array
        self.seen = []
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(0.2):
            self.seen.append((time.time(), self.array.rebuilt()))

    def rate(self, start, seconds):
        """Bytes a second, between the first and last look in that time."""
        self.stopped.set()
        self.join()
        seen = [look for look in self.seen
                if start <= look[0] <= start + seconds]
        if len(seen) < 2:
            return None
        return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])


def _beside(array, row):
    """What users get, and what the rebuild does meanwhile."""
    progress = Progress(array)
    progress.start()
    result = fio.run(array, row, USERS_SECONDS, RAMP_SECONDS)
    result["rebuild_rate"] = progress.rate(result["start"], USERS_SECONDS)
    if array.action() != "rebuild":
        raise SystemExit("bench: the rebuild ended too early")
    if row.rw == "write":
        array.front += WRITE_ZONES * array.zone
    return result


def beside_rebuild(array, repeats):
    array.filled = 0
    _begin(array, BESIDE_MIB)
    array.front = array.filled
    for repeat in range(repeats):
        for pace, kib in PACES.items():
            array.message("set", "speed_min", kib)
            for row in USERS:
                yield dict(_beside(array, row), repeat=repeat,
                           row=f"{row.name} beside rebuild, {pace}")
    cont.set_regime(0, 0)
    until_idle(array)
    array.front = array.filled = 0


def measure(everybody, options, done):
    """Runs of what options.rows names and is not done; if quick, only what a
    target needs."""
    array, raw = everybody["rebuilt"], everybody.get("raw1")
    chosen = [name for name in ("rebuild", "rebuild quarter", "scrub",
                                "beside rebuild")
              if re.search(options.rows, f"bandwidth {name}") and
              (name == "rebuild" or not options.quick) and
              f"bandwidth {name}" not in done]
    for name, work in (("rebuild", rebuild),
                       ("rebuild quarter", rebuild_quarter),
                       ("scrub", scrub)):
        for repeat in range(options.repeats if name in chosen else 0):
            for result in work(array, raw):
                yield dict(result, repeat=repeat)
    if "beside rebuild" in chosen:
        yield from beside_rebuild(array, options.repeats)
