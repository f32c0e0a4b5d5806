# SPDX-License-Identifier: GPL-2.0
"""Work that fio cannot do: zone appends, resets, write-back of the page cache, writes
of many small pieces. Runs in the guest."""

import contextlib
import fcntl
import mmap
import os
import struct
import time
from pathlib import Path

from . import contenders as cont
from . import fio

KIB = 1 << 10
MIB = 1 << 20
# What is written of each zone: less than a stripe.
RESET_BYTES = 128 * KIB
OPEN_BYTES = 192 * KIB
SECTOR = 512
# What is written through the page cache, and how long the kernel leaves it there.
CACHED_BYTES = 256 * MIB
DIRTY = {"dirty_bytes": 4 * CACHED_BYTES,
         "dirty_background_bytes": 2 * CACHED_BYTES,
         "dirty_writeback_centisecs": 360000}
# The most that one system call takes.
VECTORS = 1024


def _statistics(contender):
    return (cont.member_statistics(contender.members),
            getattr(contender, "counters", dict)())


def _run(contender, row, before, span, **figures):
    """In the form of fio's runs."""
    members, counters = _statistics(contender)
    return {"row": row.name, "contender": contender.name, "bytes": 0,
            "seconds": span[1] - span[0], "start": span[0], "latency_us": 0,
            "median_us": 0,
            "members": cont.difference(members, before[0]),
            "target": cont.difference(counters, before[1])} | figures


def _size_kib(text):
    return int(text[:-1]) * {"k": 1, "m": KIB}[text[-1]]


def append(contender, row, seconds):
    """The module appendload's doing."""
    contender.reset()
    before = _statistics(contender)
    kib = _size_kib(row.bs)
    begun = time.time()
    (cont.APPENDLOAD / "run").write_text(
        f"{contender.devices[0]} {kib} {row.depth} {row.jobs} "
        f"{round(seconds * 1000)}")
    number, ns, median = map(
        int, (cont.APPENDLOAD / "result").read_text().split())
    return _run(contender, row, before, (begun, begun + ns / 1e9),
                bytes=number * kib * KIB, median_us=median / 1000)


def _write_bits(contender, size):
    """The begin of each zone of the device."""
    data = mmap.mmap(-1, size)
    fd = os.open(contender.devices[0], os.O_WRONLY | os.O_DIRECT)
    for at in range(0, contender.size, contender.zone):
        os.pwrite(fd, data, at)
    os.fsync(fd)
    os.close(fd)


def reset(contender, row, _seconds):
    """All zones, each with some data, one after the other."""
    contender.reset()
    with cont.without_limits():
        _write_bits(contender, RESET_BYTES)
    before = _statistics(contender)
    zones = range(0, contender.size, contender.zone)
    fd = os.open(contender.devices[0], os.O_RDWR)
    begun = time.time()
    for at in zones:
        fcntl.ioctl(fd, cont.BLKRESETZONE,
                    struct.pack("QQ", at // SECTOR,
                                contender.zone // SECTOR))
    ended = time.time()
    os.close(fd)
    return _run(contender, row, before, (begun, ended), operations=len(zones))


def memory(contender, row, _seconds):
    """Of a module whose zones are all active."""
    contender.reset()
    before = _statistics(contender)
    begun = time.time()
    _write_bits(contender, OPEN_BYTES)
    span = begun, time.time()
    return _run(contender, row, before, span, memory=contender.memory())


@contextlib.contextmanager
def _no_other_write_back():
    """So that nobody but an fsync writes back, and in order."""
    before = {}
    for name, value in DIRTY.items():
        path = Path("/proc/sys/vm") / name
        # Bytes are 0 where a ratio counts, and writing that changes nothing.
        ratio = path.with_name(name.replace("bytes", "ratio"))
        before[ratio] = ratio.read_text()
        path.write_text(str(value))
    yield
    for path, value in before.items():
        path.write_text(value)


def write_back(contender, row, _seconds):
    """Of what was written into the page cache of the device before; that is not
    measured."""
    fio.prepare(contender, row)
    data = mmap.mmap(-1, _size_kib(row.bs) * KIB)
    begin = contender.place
    with _no_other_write_back():
        fd = os.open(contender.devices[0], os.O_WRONLY)
        for at in range(begin, begin + CACHED_BYTES, len(data)):
            os.pwrite(fd, data, at)
        before = _statistics(contender)
        begun = time.time()
        os.fsync(fd)
        span = begun, time.time()
        os.close(fd)
    return _run(contender, row, before, span, bytes=CACHED_BYTES)


def vectors(contender, row, seconds):
    """Writes whose data is in so many pieces of memory; by tests/rig/src."""
    fio.prepare(contender, row)
    before = _statistics(contender)
    begun = time.time()
    done, ns = map(int, cont.run(
        cont.TOP / "tests/rig/bin/small_vectors", contender.devices[0],
        contender.place // SECTOR,
        (contender.size - contender.place) // MIB,
        _size_kib(row.bs) * KIB // VECTORS, VECTORS,
        round(seconds * 1000)).split())
    return _run(contender, row, before, (begun, begun + ns / 1e9), bytes=done)
