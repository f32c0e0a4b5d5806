# SPDX-License-Identifier: GPL-2.0
"""Where the CPU time goes, by perf on the User-Mode Linux process.

The guest's kallsyms give the addresses their names, modules included. Only
samples taken while fio ran count.
"""

import bisect
import collections
import re
import shutil
import subprocess
import time
from pathlib import Path

SAMPLE = re.compile(r"^(?:\d+ )?(\d+) .*PERF_RECORD_SAMPLE")
ADDRESS = re.compile(r"^\.+ +\d+: ([0-9a-f]{16})$")
# Beyond the last function of the guest are programs and the host's kernel.
LONGEST_FUNCTION = 1 << 16
# To block interrupts is a function, which is not what is of interest.
INTERRUPTS = {"um_set_signals", "um_get_signals", "block_signals",
              "unblock_signals", "um_set_signals_trace",
              "os_local_ipi_enable", "os_local_ipi_disable"}


def _uml_process(parent):
    """The first process below parent that is a kernel."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm="],
                                capture_output=True, text=True, check=True)
        rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
        family = {parent}
        for pid, ppid, comm in rows:
            if int(ppid) in family:
                family.add(int(pid))
                if comm == "linux":
                    # Its CPUs are threads, which begin one after the other.
                    time.sleep(1)
                    return int(pid)
        time.sleep(0.1)
    raise SystemExit("bench: found no guest to profile")


class Profiler:
    def __init__(self, lab_dir):
        if not shutil.which("perf"):
            raise SystemExit("bench: --profile needs perf")
        self.lab_dir = Path(lab_dir)
        self.data = self.lab_dir / "perf.data"
        self.perf = None

    def start(self, parent):
        """Follows the guest that parent starts."""
        self.perf = subprocess.Popen(
            ["perf", "record", "-q", "-g", "-k", "realtime", "-F", "997",
             "-p", str(_uml_process(parent)), "-o", self.data],
            stderr=subprocess.DEVNULL)

    def text(self, runs):
        windows = [(run["start"], run["start"] + run["seconds"])
                   for run in runs]
        return profile(self._samples(windows),
                       (self.lab_dir / "kallsyms").read_text())

    def _samples(self, windows):
        """Call chains, innermost address first, from within the windows."""
        self.perf.wait()
        # The raw dump: elsewhere perf makes offsets in files of addresses.
        dump = subprocess.run(["perf", "script", "-D", "-i", self.data],
                              stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=True)
        chain = None
        for line in dump.stdout.splitlines():
            head = SAMPLE.match(line)
            if head:
                moment = int(head[1]) / 1e9
                chain = None
                if any(start <= moment <= end for start, end in windows):
                    chain = []
            elif chain is not None and ADDRESS.match(line):
                chain.append(int(ADDRESS.match(line)[1], 16))
            elif chain:
                yield chain
                chain = None


class Symbols:
    def __init__(self, kallsyms):
        table = sorted((int(words[0], 16), words[2]) for words in
                       map(str.split, kallsyms.splitlines())
                       if words[1] in "tTwW")
        self.addresses = [address for address, _ in table]
        self.names = [name for _, name in table]

    def name(self, address):
        """The function at an address; None if it is the host's."""
        i = bisect.bisect(self.addresses, address) - 1
        if i < 0 or address - self.addresses[i] > LONGEST_FUNCTION:
            return None
        return self.names[i]


def profile(samples, kallsyms):
    """Lines of text: shares of all samples, by function."""
    symbols = Symbols(kallsyms)
    own, inclusive, total = collections.Counter(), collections.Counter(), 0
    for chain in samples:
        guest = [name for name in map(symbols.name, chain) if name]
        total += 1
        # The host's part belongs to whoever in the guest caused it.
        own[next((n for n in guest if n not in INTERRUPTS), "?")] += 1
        inclusive.update(set(guest))
        if not INTERRUPTS.isdisjoint(guest):
            inclusive["(interrupts off and on)"] += 1
    lines = [f"{total} samples", "", "with what it calls", ""]
    lines += [f"{100 * n / total:6.1f}%  {name}"
              for name, n in inclusive.most_common(70)]
    lines += ["", "by itself", ""]
    lines += [f"{100 * n / total:6.1f}%  {name}"
              for name, n in own.most_common(40)]
    return "\n".join(lines) + "\n"
