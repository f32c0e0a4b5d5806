#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""resets.py DEVICE N: N times a block is written and its zone reset, in three
zones from zone 10 on."""

import fcntl
import mmap
import os
import struct
import sys

BLKRESETZONE, BLKGETZONESZ = 0x40101283, 0x80041284


def main():
    fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
    size, = struct.unpack("I", fcntl.ioctl(fd, BLKGETZONESZ, bytes(4)))
    block = mmap.mmap(-1, 4096)
    for i in range(int(sys.argv[2])):
        start = (10 + i % 3) * size
        os.pwrite(fd, block, start * 512)
        fcntl.ioctl(fd, BLKRESETZONE, struct.pack("QQ", start, size))


main()
