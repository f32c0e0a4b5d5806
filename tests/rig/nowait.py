#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Direct reads that may not wait, one block at a time: how many are answered at
once, and do those return what a plain read returns? Prints "N of M"."""

import errno
import mmap
import os
import random
import sys


def main():
    path, blocks, span = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    fast, plain = mmap.mmap(-1, 4096), mmap.mmap(-1, 4096)
    answered = 0
    for _ in range(blocks):
        offset = random.randrange(span) * 4096
        try:
            done = os.preadv(fd, [fast], offset, os.RWF_NOWAIT)
        except OSError as error:
            if error.errno != errno.EAGAIN:
                sys.exit(f"read at {offset}: {error}")
            continue
        answered += 1
        os.preadv(fd, [plain], offset)
        if done != 4096 or fast[:] != plain[:]:
            sys.exit(f"read at {offset}: differs from a plain read")
    print(f"{answered} of {blocks}")


main()
