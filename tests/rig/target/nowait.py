#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Direct I/O that may not wait, one block at a time. Prints "N of M": how many
were done at once.

    nowait.py read DEVICE NR BLOCKS SEED    anywhere in the first BLOCKS
    nowait.py write DEVICE NR SECTOR        from an empty zone's SECTOR on

A read that was done returns what a plain read returns. A write that was not
done changed nothing: the same block is written again, waiting.
"""

import errno
import mmap
import os
import random
import sys

BLOCK = 4096


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


def main():
    what, path, nr, *numbers = sys.argv[1:]
    fd = os.open(path, os.O_RDWR | os.O_DIRECT)
    done = (read if what == "read" else write)(fd, int(nr), *map(int, numbers))
    print(f"{done} of {nr}")


main()
