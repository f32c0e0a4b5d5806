#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes a zonefs on a zoned device: resets it and writes the superblock, which
is all that zonefs has on disk. (Debian has no package of its mkfs.)"""

import mmap
import os
import struct
import subprocess
import sys
import uuid
import zlib

MAGIC = 0x5a4f4653


def superblock():
    def pack(crc):
        head = struct.pack("<II64s16sQIII", MAGIC, crc, b"rig",
                           unique, 0, 0, 0, 0o640)
        return head.ljust(4096, b"\0")
    unique = uuid.uuid4().bytes
    # The kernel's crc32() does not invert at the end.
    return pack(zlib.crc32(pack(0)) ^ 0xffffffff)


def main():
    device = sys.argv[1]
    subprocess.run(["blkzone", "reset", device], check=True)
    buffer = mmap.mmap(-1, 4096)
    buffer.write(superblock())
    fd = os.open(device, os.O_WRONLY | os.O_DIRECT)
    if os.pwrite(fd, buffer, 0) != 4096:
        sys.exit("short write")
    os.fsync(fd)
    os.close(fd)


main()
