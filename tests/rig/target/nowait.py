#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Direct I/O that may not wait, one block at a time. Prints "N of M": how many
were done at once.

    nowait.py read DEVICE NR BLOCKS SEED    anywhere in the first BLOCKS
    nowait.py write DEVICE NR SECTOR        from an empty zone's SECTOR on

A read that was done returns what a plain read returns. A write that was not
done changed nothing: the same block is written again, waiting.

    nowait.py blocks DEVICE FILE ZONES KIB LOST MEMBERS UNIT SEED
    nowait.py ranges DEVICE FILE ZONES KIB LOST MEMBERS UNIT SEED
    nowait.py tail-blocks DEVICE FILE ZONES KIB LOST MEMBERS UNIT SEED

An array of MEMBERS without the member LOST, with stripe units of UNIT KiB. Each
of the first ZONES holds KIB of FILE, from another MiB of it on. "blocks" reads
all blocks, "ranges" reads up to a stripe and a half anywhere, "tail-blocks"
reads the lost member's blocks in incomplete stripes only. Prints "of KIND: N M", where N were answered
and M were not; KIND is "lost" if any of it was on the lost member in a complete
stripe, "tail" if any was on it in an incomplete one, "there" otherwise. What
was answered is right, and what was not is right when it is read again, waiting,
which "tail-blocks" does not do.
"""

import errno
import fcntl
import mmap
import os
import random
import struct
import sys

BLOCK = 4096
BLKGETZONESZ = 0x80041284


def read(fd, nr, blocks, seed):
    fast, plain = mmap.mmap(-1, BLOCK), mmap.mmap(-1, BLOCK)
    rng = random.Random(seed)
    done = 0
    for _ in range(nr):
        offset = rng.randrange(blocks) * BLOCK
        try:
            got = os.preadv(fd, [fast], offset, os.RWF_NOWAIT)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                sys.exit(f"read at {offset}: {error}")
            continue
        done += 1
        os.preadv(fd, [plain], offset)
        if got != BLOCK or fast[:] != plain[:]:
            sys.exit(f"read at {offset}: differs from a plain read")
    return done


def write(fd, nr, sector):
    block = mmap.mmap(-1, BLOCK)
    done = 0
    for i in range(nr):
        offset = sector * 512 + i * BLOCK
        try:
            os.pwritev(fd, [block], offset, os.RWF_NOWAIT)
            done += 1
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EOPNOTSUPP):
                sys.exit(f"write at {offset}: {error}")
            os.pwritev(fd, [block], offset)
    return done


class Degraded:
    """An array without a member. Places are bytes."""

    def __init__(self, fd, data, zones, kib, lost, members, unit, seed):
        self.fd, self.data = fd, data
        self.zones, self.end = zones, kib << 10
        self.lost, self.members, self.unit = lost, members, unit << 10
        self.stripe = (members - 1) * self.unit
        self.zone_size = 512 * struct.unpack("I", fcntl.ioctl(
            fd, BLKGETZONESZ, bytes(4)))[0]
        self.rng = random.Random(seed)
        self.buffer = mmap.mmap(-1, 2 * self.stripe)
        self.counts = {}

    def kind_of_block(self, zone, at):
        stripe = at // self.stripe
        parity = self.members - 1 - (zone + stripe) % self.members
        column = parity + 1 + at % self.stripe // self.unit
        if column % self.members != self.lost:
            return "there"
        return "lost" if (stripe + 1) * self.stripe <= self.end else "tail"

    def kind(self, zone, at, size):
        kinds = {self.kind_of_block(zone, block)
                 for block in range(at, at + size, BLOCK)}
        return next(kind for kind in ("lost", "tail", "there") if kind in kinds)

    def is_right(self, zone, at, size, flags):
        with memoryview(self.buffer)[:size] as view:
            view[:] = b"\xee" * size
            got = os.preadv(self.fd, [view], zone * self.zone_size + at, flags)
            begin = (zone << 20) + at
            return got == size and view == self.data[begin:begin + size]

    def read(self, zone, at, size, wait=True):
        count = self.counts.setdefault(self.kind(zone, at, size), [0, 0])
        what = f"read of {size} bytes at {at} of zone {zone}"
        try:
            if not self.is_right(zone, at, size, os.RWF_NOWAIT):
                sys.exit(f"{what}: wrong")
            count[0] += 1
        except OSError as error:
            if error.errno != errno.EAGAIN:
                sys.exit(f"{what}: {error}")
            count[1] += 1
            if wait and not self.is_right(zone, at, size, 0):
                sys.exit(f"{what}: wrong when it waits")

    def blocks(self):
        for zone in range(self.zones):
            for at in range(0, self.end, BLOCK):
                yield zone, at

    def run(self, what):
        if what == "blocks":
            for zone, at in self.blocks():
                self.read(zone, at, BLOCK)
        elif what == "tail-blocks":
            for zone, at in self.blocks():
                if self.kind_of_block(zone, at) == "tail":
                    self.read(zone, at, BLOCK, wait=False)
        else:
            for _ in range(1000):
                at = self.rng.randrange(0, self.end, BLOCK)
                size = self.rng.randrange(BLOCK, 3 * self.stripe // 2, BLOCK)
                # Units and stripes are hit exactly now and then.
                if self.rng.random() < 0.5:
                    at -= at % self.unit
                self.read(self.rng.randrange(self.zones), at,
                          min(size, self.end - at))
        for kind, (right, again) in self.counts.items():
            print(f"of {kind}: {right} {again}")


def main():
    what, path, *rest = sys.argv[1:]
    fd = os.open(path, os.O_RDWR | os.O_DIRECT)
    if what in ("read", "write"):
        nr, *numbers = map(int, rest)
        done = (read if what == "read" else write)(fd, nr, *numbers)
        print(f"{done} of {nr}")
        return
    with open(rest[0], "rb") as file:
        data = file.read()
    Degraded(fd, data, *map(int, rest[1:])).run(what)


main()
