# SPDX-License-Identifier: GPL-2.0
"""The runs of one benchmark, read back from its JSON."""

import json
import statistics

GIB = 1 << 30
MIB = 1 << 20


def read(directory):
    """What a run in User-Mode Linux left, if there was one."""
    return _read(directory / "runs.json") or Results([], [])


def read_other(directory):
    """The same of the short run in QEMU, or None."""
    return _read(directory / "qemu.json")


def read_zone_commands(directory):
    """The same of writers beside slow zone commands, or None."""
    return _read(directory / "zone-commands.json")


def read_levels(directory):
    """The same of levels other than 5, or None."""
    return _read(directory / "levels.json")


def _read(path):
    return Results(**json.loads(path.read_text())) if path.exists() else None


class Results:
    """Runs by row and contender, in the order in which they were made."""

    def __init__(self, settings, runs):
        self.boots = settings
        self.runs = {}
        for run in runs:
            self.runs.setdefault(run["row"], {}) \
                .setdefault(run["contender"], []).append(run)

    def rows(self):
        return list(self.runs)

    def rows_of(self, boot):
        return [row for row, contenders in self.runs.items()
                if any(run["boot"] == boot for runs in contenders.values()
                       for run in runs)]

    def contenders(self, row):
        return list(self.runs.get(row, {}))

    def values(self, row, contender, what):
        """A figure of each of a contender's runs."""
        runs = self.runs.get(row, {}).get(contender, [])
        return [value for value in map(what, runs) if value is not None]

    def median(self, row, contender, what):
        values = self.values(row, contender, what)
        return statistics.median(values) if values else None

    def best(self, row, contenders, what, choose=max):
        """The best single run of several contenders."""
        values = [value for contender in contenders
                  for value in self.values(row, contender, what)]
        return choose(values) if values else None


# ---- figures of a run -------------------------------------------------------

def rate(run):
    """MiB/s"""
    if not run["bytes"] or not run["seconds"]:
        return None
    return run["bytes"] / run["seconds"] / MIB


def operations(run):
    """resets, files, ... each second"""
    if "operations" not in run or not run["seconds"]:
        return None
    return run["operations"] / run["seconds"]


def again(run):
    """percent of requests that got EAGAIN, of a row whose requests do not wait"""
    if not run["row"].endswith("nowait"):
        return None
    return 100 * run["errors"] / max(run["requests"], 1)


def rebuild(run):
    """MiB/s that a rebuild does meanwhile"""
    done = run.get("rebuild_rate")
    return done / MIB if done else None


def cpu(run):
    """CPU seconds for each GiB"""
    if run.get("cpu_seconds") is None or not run["bytes"]:
        return None
    return run["cpu_seconds"] / (run["bytes"] / GIB)


def latency(run):
    """microseconds, the median of a run"""
    return run["median_us"] or None


def sync_latency(run):
    """microseconds, the median of a run's fdatasyncs"""
    return run.get("sync_us") or None


def _of_members(run, what, unit):
    """of all of them; None if there are none, or nothing to do for them"""
    if not run["members"]["commands"] or not run["bytes"]:
        return None
    return run["members"][what] / (run["bytes"] / unit)


def amplification(run):
    """bytes that members wrote for each byte of the user's"""
    return _of_members(run, "written", 1)


def commands(run):
    """members' commands for each MiB"""
    return _of_members(run, "commands", MIB)


def flushes(run):
    """members' flushes for each MiB"""
    return _of_members(run, "flushes", MIB)


def _each(run, what, unit):
    """the lowest and the highest of a run's members, if it has several"""
    each = run["members"]["each"][what]
    if len(each) < 2 or not run["bytes"]:
        return None
    return min(each) / (run["bytes"] / unit), max(each) / (run["bytes"] / unit)


def each_written(run):
    """bytes that each member wrote for each byte of the user's"""
    return _each(run, "written", 1)


def each_commands(run):
    """each member's commands for each MiB"""
    return _each(run, "commands", MIB)


def each_flushes(run):
    """each member's flushes for each MiB"""
    return _each(run, "flushes", MIB)


def record_bytes(run):
    """bytes of partial parity for each byte of the user's"""
    if not run["target"] or not run["bytes"]:
        return None
    return run["target"]["partial_parity"] / run["bytes"]


# ---- of a rebuild -----------------------------------------------------------

def seconds(run):
    """seconds of the rebuild of drives"""
    return run["seconds"] if "drives" in run else None


def drive_rate(run):
    """MiB/s of each drive that is written"""
    return rate(run) / run.get("drives", 1) if run["bytes"] else None


def read_of_others(run):
    """bytes read of the other drives for each byte rebuilt"""
    if "others_read" not in run or not run["bytes"]:
        return None
    return run["others_read"] / run["bytes"]


# ---- of a writer with fsyncs beside something else --------------------------

def median_ms(run):
    """milliseconds of a write and its fsync"""
    return run["median_us"] / 1000


def p99_ms(run):
    """milliseconds that one of 100 writes exceeds"""
    return run["p99_us"] / 1000


def sync_p99_ms(run):
    """milliseconds that one of 100 fdatasyncs exceeds"""
    return run["sync_p99_us"] / 1000


def stream(run):
    """MiB/s of the stream beside it"""
    return run["stream_rate"] / MIB


def longest_ms(run):
    """milliseconds of the longest one"""
    return run["max_us"] / 1000


def blocked(run):
    """percent of the time that writes of more than 100 ms took"""
    return 100 * run["blocked_seconds"] / run["seconds"]


def zone_command(run):
    """seconds of a zone command, or of resets that came as one request"""
    took = run["zone_seconds"]
    return statistics.median(took) if took else None


# ---- of the module's memory -------------------------------------------------

def zone_memory(run):
    """bytes for each zone"""
    seen = run.get("memory")
    return seen["zone_bytes"] / seen["zones"] if seen else None


def active_memory(run):
    """bytes for each zone that is active, on top"""
    seen = run.get("memory")
    return seen["active_bytes"] / seen["active"] if seen else None


def pool_memory(run):
    """KiB that are kept whatever is going on"""
    return run["memory"]["pools"] / 1024 if "memory" in run else None
