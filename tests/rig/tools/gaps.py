#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads and writes the first zone of a volume with data in 256 pieces of 512
bytes each; writes it again after a reset. What fails is said; that is no error
here."""

import fcntl
import mmap
import os
import struct
import sys

BLKRESETZONE, BLKGETZONESZ = 0x40101283, 0x80041284
PIECES, APART, SIZE = 256, 1024, 512


def main():
    fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
    size = fcntl.ioctl(fd, BLKGETZONESZ, bytes(4))
    view = memoryview(mmap.mmap(-1, PIECES * APART))
    pieces = [view[i * APART:i * APART + SIZE] for i in range(PIECES)]
    for _ in range(2):
        for function in os.preadv, os.pwritev:
            try:
                function(fd, pieces, 0)
            except OSError as error:
                print(function.__name__, error)
        fcntl.ioctl(fd, BLKRESETZONE,
                    struct.pack("QQ", 0, *struct.unpack("I", size)))


main()
