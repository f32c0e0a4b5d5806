# SPDX-License-Identifier: GPL-2.0
"""CPU time of a guest, seen from outside: a User-Mode Linux kernel's own
accounting goes by timer ticks, the host's does not."""

import bisect
import os
import threading
import time
from pathlib import Path

INTERVAL = 0.05
TICK = os.sysconf("SC_CLK_TCK")


def _statistics(pid):
    """(parent, CPU seconds with those of children that ended) of a process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    words = text[text.rindex(")") + 2:].split()
    return int(words[1]), sum(map(int, words[11:15])) / TICK


def _family(root):
    """root's descendants; without it, which is the lab and not the guest."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            found = _statistics(entry)
            if found:
                children.setdefault(found[0], []).append(int(entry))
    family, todo = [], [root]
    while todo:
        more = children.get(todo.pop(), [])
        family += more
        todo += more
    return family


class Sampler(threading.Thread):
    """Follows the CPU time of a process's descendants."""

    def __init__(self, root):
        super().__init__(daemon=True)
        self.root = root
        self.times = []
        self.seconds = []
        self.stopped = threading.Event()

    def run(self):
        family, listed = [], 0
        while not self.stopped.wait(INTERVAL):
            # fio's processes come and go: what they used is their parent's.
            if time.monotonic() - listed > 4 * INTERVAL:
                family, listed = _family(self.root), time.monotonic()
            found = [_statistics(pid) for pid in family]
            self.times.append(time.time())
            self.seconds.append(sum(f[1] for f in found if f))

    def stop(self):
        self.stopped.set()
        self.join()

    def _at(self, moment):
        i = bisect.bisect(self.times, moment)
        if not 0 < i < len(self.times):
            return None
        t0, t1 = self.times[i - 1:i + 1]
        s0, s1 = self.seconds[i - 1:i + 1]
        return s0 + (s1 - s0) * (moment - t0) / (t1 - t0)

    def between(self, start, end):
        """CPU seconds from one moment to another, or None."""
        first, last = self._at(start), self._at(end)
        return None if first is None or last is None else last - first
