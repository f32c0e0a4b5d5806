#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes zone files of a mounted zonefs by direct appends of many sizes, some
of them synchronous, truncates one to nothing and one to its maximum, and
verifies all data, now or in a later mount."""

import mmap
import os
import random
import sys

BLOCK = 4096
ZONES = (0, 1, 2, 5)


def content(zone, seed, size):
    return random.Random(f"{zone} {seed}").randbytes(size)


def append_all(path, data, rng):
    """Direct writes at the end of the file, with and without O_SYNC."""
    buffer = mmap.mmap(-1, 1 << 20)
    at = 0
    while at < len(data):
        size = min(rng.randrange(1, 65) * BLOCK, len(data) - at)
        flags = os.O_WRONLY | os.O_DIRECT
        # A synchronous append becomes a zone append in older kernels.
        if rng.randrange(2):
            flags |= os.O_SYNC | os.O_APPEND
        fd = os.open(path, flags)
        for _ in range(rng.randrange(1, 6)):
            size = min(size, len(data) - at)
            if not size:
                break
            buffer.seek(0)
            buffer.write(data[at:at + size])
            with memoryview(buffer) as view:
                if os.pwrite(fd, view[:size], at) != size:
                    sys.exit(f"{path}: short write at {at}")
            at += size
        if rng.randrange(3) == 0:
            os.fsync(fd)
        os.close(fd)


def read_back(path):
    with open(path, "rb") as f:
        return f.read()


def zone_file(directory, zone):
    return os.path.join(directory, "seq", str(zone))


def size_of(zone, seed, capacity, share):
    blocks = capacity // BLOCK
    if zone == ZONES[0]:
        return capacity
    rng = random.Random(zone * 100 + seed)
    return rng.randrange(1, blocks * share // 100 + 1) * BLOCK


def capacity_of(directory):
    info = os.stat(zone_file(directory, ZONES[0]))
    return info.st_blocks * 512


def write(directory, seed, share):
    rng = random.Random(seed)
    capacity = capacity_of(directory)
    for zone in ZONES:
        path = zone_file(directory, zone)
        os.truncate(path, 0)        # resets the zone
        append_all(path, content(zone, seed,
                                 size_of(zone, seed, capacity, share)), rng)
    # A write that is no append must fail.
    fd = os.open(zone_file(directory, ZONES[1]), os.O_WRONLY | os.O_DIRECT)
    try:
        os.pwrite(fd, mmap.mmap(-1, BLOCK), 0)
        sys.exit("a write at the begin of a written zone succeeded")
    except OSError:
        pass
    os.close(fd)
    verify(directory, seed, share)
    # Truncating to the maximum finishes a zone.
    path = zone_file(directory, 7)
    os.truncate(path, 0)
    append_all(path, content(7, seed, 5 * BLOCK), rng)
    os.truncate(path, capacity)
    if os.stat(path).st_size != capacity:
        sys.exit("truncating to the maximum did not finish the zone")
    verify_finished(directory, seed)


def verify(directory, seed, share):
    capacity = capacity_of(directory)
    for zone in ZONES:
        wanted = content(zone, seed, size_of(zone, seed, capacity, share))
        got = read_back(zone_file(directory, zone))
        if got != wanted:
            sys.exit(f"seq/{zone}: {len(got)} bytes differ from the "
                     f"{len(wanted)} written")
    print(f"{len(ZONES)} zone files right, zones of {capacity >> 20} MiB")


def verify_finished(directory, seed):
    got = read_back(zone_file(directory, 7))[:5 * BLOCK]
    if got != content(7, seed, 5 * BLOCK):
        sys.exit("seq/7: what was written before the finish is gone")


def main():
    action, directory, seed, share = sys.argv[1:]
    if action == "write":
        write(directory, int(seed), int(share))
    else:
        verify(directory, int(seed), int(share))
        verify_finished(directory, int(seed))


main()
