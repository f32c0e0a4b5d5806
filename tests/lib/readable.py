#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""readable.py map DEVICE DATA EXTENTS: which blocks of a device can be read, and are right.
readable.py less BEFORE AFTER: which of them were right before, and are not after.

DATA holds what was written, at the places of the device. EXTENTS is a file with lines
"BYTE SIZE". A map has a line "BYTE r" for each block of 4 KiB that is right, "BYTE x" for one
that cannot be read, and "BYTE w" for one that is wrong.
"""

import errno
import mmap
import os
import sys

BLOCK = 4096
CHUNK = 16 * BLOCK
FAILED = (errno.EIO, errno.ENODATA, errno.EREMOTEIO, errno.ENXIO)


class Device:
    """Reads past the page cache, into memory that is aligned."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
        self.buffer = mmap.mmap(-1, CHUNK)

    def read(self, at, size):
        """None if that fails."""
        try:
            with memoryview(self.buffer) as whole, whole[:size] as part:
                got = os.preadv(self.fd, [part], at)
        except OSError as error:
            if error.errno in FAILED:
                return None
            raise
        return self.buffer[:size] if got == size else None


def judge(device, data, at, size):
    """Lines of the map for up to one chunk."""
    right = os.pread(data, size, at)
    got = device.read(at, size)
    if got == right:
        return [f"{at + i} r" for i in range(0, size, BLOCK)]
    if size > BLOCK:
        return [line for i in range(0, size, BLOCK)
                for line in judge(device, data, at + i, BLOCK)]
    return [f"{at} x" if got is None else f"{at} w"]


def show_map(path, data, extents):
    device = Device(path)
    fd = os.open(data, os.O_RDONLY)
    with open(extents, encoding="ascii") as lines:
        for at, size in (map(int, line.split()) for line in lines):
            for offset in range(0, size, CHUNK):
                print("\n".join(judge(device, fd, at + offset,
                                      min(CHUNK, size - offset))))


def load(path):
    with open(path, encoding="ascii") as lines:
        return {int(at): how for at, how in (line.split() for line in lines)}


def show_less(before, after):
    """Blocks that no map has any more were given up by their owner."""
    now = load(after)
    less = [f"{at} {now[at]}" for at, how in sorted(load(before).items())
            if how == "r" and now.get(at, "r") != "r"]
    print("\n".join(less[:20]))
    return bool(less)


if __name__ == "__main__":
    if sys.argv[1] == "map":
        show_map(*sys.argv[2:])
    else:
        sys.exit(show_less(*sys.argv[2:]))
