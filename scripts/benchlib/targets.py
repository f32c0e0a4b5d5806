# SPDX-License-Identifier: GPL-2.0
"""What is to be reached: ratios of one run of the benchmark.

Of raizn, raw drives and dm-linear the median of the repeats counts. Of md and
dm-raid the best single run of either does: in User-Mode Linux their speed goes
up and down by itself, and the comparison should not profit from that.
"""

from .results import active_memory, amplification, cpu, drive_rate, latency, \
    rate, record_bytes, zone_memory

MD = ("md", "dmraid")
# The same of other levels, where both have them.
MD_OF_LEVEL = {level: (f"md{level}", f"dmraid{level}") for level in (6, 1)}


class Target:
    """at_most: smaller is better."""

    def __init__(self, name, limit, ratio, at_most=False):
        self.name = name
        self.limit = limit
        self.ratio = ratio
        self.at_most = at_most

    def judge(self, results):
        """{name, ratio, target, met}; None if it was not measured."""
        ratio = self.ratio(results)
        if ratio is None:
            return None
        met = ratio <= self.limit if self.at_most else ratio >= self.limit
        limit = ("<= " if self.at_most else ">= ") + str(self.limit)
        return {"name": self.name, "ratio": round(ratio, 4), "target": limit,
                "met": met}


def _divided(over, under, factor=1):
    return over / (under * factor) if over and under else None


def _against(row, ours, rival, what=rate, factor=1):
    """Median of ours over median of a rival's, times factor."""
    return lambda results: _divided(results.median(row, ours, what),
                                    results.median(row, rival, what), factor)


def _against_md(row, ours="back", rivals=MD):
    return lambda results: _divided(results.median(row, ours, rate),
                                    results.best(row, rivals, rate))


def _cpu_against_md(row, ours="back", rivals=MD):
    return lambda results: _divided(results.median(row, ours, cpu),
                                    results.best(row, rivals, cpu, min))


def _amplification(row, ours="back"):
    return lambda results: results.median(row, ours, amplification)


def _record_for_each(results):
    """Bytes of records for each byte of the user's, were there one for each write of 4
    KiB. There is, with write_cache=through, but for the last of a stripe's 64."""
    seen = results.median("cpu write 4k d1 fua", "through", record_bytes)
    return seen and seen * 64 / 63


def _bandwidth():
    for bs in ("64k", "256k", "1m"):
        yield Target(f"bandwidth-bound write {bs} d32 / 4/5 of 5 raw drives",
                     0.98, _against(f"bandwidth write {bs} d32", "back",
                                    "raw5", factor=0.8))
    for what in ("read 256k", "read 1m", "randread 64k"):
        yield Target(f"bandwidth-bound {what} d32 / 5 raw drives", 0.97,
                     _against(f"bandwidth {what} d32", "back", "raw5"))
    yield Target("bandwidth-bound randread 64k d160 / 5 raw drives, d32 each",
                 0.97, lambda results: _divided(
                     results.median("bandwidth randread 64k d160", "back",
                                    rate),
                     results.median("bandwidth randread 64k d32", "raw5",
                                    rate)))


def _cpu():
    for row in ("1m d32 x4", "256k d32 x4", "64k d32"):
        yield Target(f"CPU-bound write {row} / best of md and dm-raid", 2,
                     _against_md(f"cpu write {row}"))
    for row in ("1m d32 x4", "256k d32 x4"):
        yield Target(f"CPU s/GiB of write {row} / best of md and dm-raid",
                     0.5, _cpu_against_md(f"cpu write {row}"), True)
    small = "cpu write 4k d32 io_uring"
    yield Target("CPU-bound write 4k d32 io_uring / one raw drive", 0.5,
                 _against(small, "back", "raw1"))
    yield Target("CPU-bound write 4k d32 io_uring / best of md and dm-raid",
                 4, _against_md(small))
    yield Target("random read 4k d32 / dm-linear", 0.97,
                 _against("cpu randread 4k d32", "back", "linear"))


def _latency():
    yield Target("latency of FUA write 4k d1 / raw FUA", 1.2,
                 _against("latency write 4k d1 fua", "back", "raw1", latency),
                 True)
    for bs in ("4k", "16k", "64k"):
        yield Target(f"latency of write {bs} d1 / raw", 1.15,
                     _against(f"latency write {bs} d1", "back", "raw1",
                              latency), True)


def _scaling():
    for bs in ("4k", "64k"):
        one = f"cpu write {bs} d32 cpus1"
        eight = f"cpu write {bs} d32 x8 cpus2"
        yield Target(f"write {bs}: 8 zones on 2 CPUs / 1 zone on 1 CPU", 1.7,
                     lambda results, one=one, eight=eight: _divided(
                         results.median(eight, "back", rate),
                         results.median(one, "back", rate)))


def _space():
    yield Target("member bytes / user bytes, write 4k d32", 1.26,
                 _amplification("cpu write 4k d32 io_uring"), True)
    yield Target("records of fdatasync every 8 x 4k / a record for each write",
                 0.5, lambda results: _divided(
                     results.median("cpu write 4k d1 fdatasync8", "back",
                                    record_bytes),
                     _record_for_each(results)), True)


def _memory():
    row, stripe_unit = "cpu memory", 64 << 10
    yield Target("module's memory: bytes for each zone", 128,
                 lambda results: results.median(row, "back", zone_memory),
                 True)
    for ours, prefix in (("back", ""), ("degraded", "degraded: ")):
        yield Target(f"{prefix}memory of an active zone / 2 stripe units", 1,
                     lambda results, ours=ours: _divided(
                         results.median(row, ours, active_memory),
                         2 * stripe_unit), True)


def _degraded():
    yield Target("degraded: bandwidth-bound read 1m d32 / healthy", 0.75,
                 _against("bandwidth read 1m d32", "degraded", "back"))


def _background():
    yield Target("rebuild / raw write of one drive", 0.95,
                 _against("bandwidth rebuild", "rebuilt", "raw1"))
    # So the time is that of the data, but for some tenths of a second.
    yield Target("rebuild of a quarter of the data / of all, MiB/s", 0.8,
                 lambda results: _divided(
                     results.median("bandwidth rebuild quarter", "rebuilt",
                                    rate),
                     results.median("bandwidth rebuild", "rebuilt", rate)))


TARGETS = [*_bandwidth(), *_cpu(), *_latency(), *_space(), *_degraded(),
           *_background(), *_scaling(), *_memory()]


def _level_writes(level):
    ours, rivals = f"raizn{level}", MD_OF_LEVEL[level]
    for row in ("64k d32", "256k d32 x4", "1m d32 x4"):
        yield Target(f"level {level}: CPU-bound write {row} / best of md and "
                     "dm-raid", 2, _against_md(f"cpu write {row}", ours, rivals))
        yield Target(f"level {level}: CPU s/GiB of write {row} / best of md and "
                     "dm-raid", 0.5,
                     _cpu_against_md(f"cpu write {row}", ours, rivals), True)


def _level6():
    read = "bandwidth read 1m d32"
    for lost, limit in (("one", 0.75), ("two", 0.6)):
        yield Target(f"level 6, {lost} lost: bandwidth-bound read 1m d32 / "
                     "healthy", limit, _against(read, f"raizn6-{lost}", "raizn6"))
    yield Target("level 6: rebuild of one / raw write of one drive", 0.95,
                 _against("bandwidth rebuild one", "raizn6-rebuilt", "raw1",
                          drive_rate))


LEVEL_TARGETS = [*_level_writes(6), *_level_writes(1), *_level6()]


def summary(results, targets=None):
    judged = (target.judge(results) for target in targets or TARGETS)
    return [verdict for verdict in judged if verdict]
