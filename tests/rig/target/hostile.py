#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Requests a zoned volume must turn down, or answer in one way only. One line
for each: "ok WHAT" or "not ok WHAT (why)"."""

import errno
import fcntl
import mmap
import os
import struct
import sys

BLKRESETZONE, BLKOPENZONE, BLKCLOSEZONE, BLKFINISHZONE = (
    0x40101283, 0x40101286, 0x40101287, 0x40101288)
BLKREPORTZONE = 0xc0101282
BLKDISCARD, BLKZEROOUT, BLKSECDISCARD = 0x1277, 0x127f, 0x127d
BLKGETSIZE64, BLKGETZONESZ = 0x80081272, 0x80041284

SECTOR = 512
FAILED = 0


def verdict(what, why=None):
    global FAILED
    if why:
        FAILED = 1
        print(f"not ok {what} ({why})")
    else:
        print(f"ok {what}")


def error_of(function, *args):
    try:
        function(*args)
    except OSError as error:
        return error.errno
    return 0


def names(numbers):
    return " or ".join(errno.errorcode.get(n, str(n)) for n in numbers)


class Volume:
    def __init__(self, path):
        self.path = path
        self.fd = os.open(path, os.O_RDWR | os.O_DIRECT)
        self.size = struct.unpack("Q", fcntl.ioctl(
            self.fd, BLKGETSIZE64, bytes(8)))[0] // SECTOR
        self.zone = struct.unpack("I", fcntl.ioctl(
            self.fd, BLKGETZONESZ, bytes(4)))[0]
        self.cap = self.report(0)[3]
        self.buffer = mmap.mmap(-1, 8 << 20)

    def report(self, number):
        """(start, length, write pointer, capacity, condition)"""
        request = bytearray(struct.pack("QII", number * self.zone, 1, 0) +
                            bytes(64))
        fcntl.ioctl(self.fd, BLKREPORTZONE, request)
        start, length, wp = struct.unpack_from("QQQ", request, 16)
        condition = request[16 + 25]
        capacity, = struct.unpack_from("Q", request, 16 + 32)
        return start, length, wp, capacity, condition

    def zone_op(self, request, sector, sectors, fd=None):
        fcntl.ioctl(self.fd if fd is None else fd, request,
                    struct.pack("QQ", sector, sectors))

    def write(self, sector, sectors, offset=0):
        with memoryview(self.buffer) as view:
            done = os.pwrite(self.fd, view[offset:offset + sectors * SECTOR],
                             sector * SECTOR)
        if done != sectors * SECTOR:
            raise OSError(errno.EIO, "short write")

    def fill(self, number, up_to):
        """Writes a zone up to a sector of it."""
        start, _, wp, _, _ = self.report(number)
        while wp < start + up_to:
            step = min(2048, start + up_to - wp)
            self.write(wp, step)
            wp += step

    def wp(self, number):
        start, _, wp, _, _ = self.report(number)
        return wp - start


def refuse(volume, what, wanted, zones, function, *args):
    """The function must fail with one of the errors and change no zone."""
    before = [volume.report(z) for z in zones]
    error = error_of(function, *args)
    after = [volume.report(z) for z in zones]
    if error not in wanted:
        verdict(what, f"{names([error]) if error else 'it succeeded'}, "
                      f"not {names(wanted)}")
    elif before != after:
        verdict(what, f"zones were {before}, are {after}")
    else:
        verdict(what)


def writes(v):
    io = (errno.EIO,)
    unit = 8
    v.zone_op(BLKRESETZONE, 0, 3 * v.zone)
    refuse(v, "a write into the middle of an empty zone", io, [0],
           v.write, 1024, unit)
    v.fill(0, v.cap - 4 * unit)
    refuse(v, "a write across the capacity", io, [0, 1],
           v.write, v.cap - 4 * unit, 5 * unit)
    refuse(v, "a large write across the capacity", io, [0, 1],
           v.write, v.cap - 4 * unit, 128)
    refuse(v, "a write before the write pointer", io, [0],
           v.write, v.cap - 5 * unit, unit)
    refuse(v, "a write from before the write pointer to behind it", io, [0],
           v.write, v.cap - 5 * unit, 2 * unit)
    v.fill(0, v.cap)
    refuse(v, "a write at the end of a full zone", io, [0, 1],
           v.write, v.cap - unit, unit)
    refuse(v, "a write behind the capacity of a full zone", io, [0, 1],
           v.write, min(v.cap, v.zone - unit), unit)
    if v.cap < v.zone:
        # The block layer may split it there: neither half may pass.
        v.fill(1, 64)
        refuse(v, "a write across the end of a zone", io, [0, 1],
               v.write, v.zone - unit, 2 * unit)
    v.zone_op(BLKRESETZONE, 0, v.zone)
    refuse(v, "a write of half a block", (errno.EINVAL,), [1],
           v.write, v.zone, 1)
    refuse(v, "a write at half a block", (errno.EINVAL,), [1],
           v.write, v.zone + 1, unit)
    refuse(v, "a write behind the end of the volume", (errno.ENOSPC,),
           [1], v.write, v.size, unit)


def zone_operations(v):
    invalid = (errno.EINVAL,)
    v.zone_op(BLKRESETZONE, 0, 3 * v.zone)
    v.fill(0, 64)
    for name, request in (("reset", BLKRESETZONE), ("open", BLKOPENZONE),
                          ("close", BLKCLOSEZONE), ("finish", BLKFINISHZONE)):
        refuse(v, f"a {name} of half a zone", invalid, [0, 1],
               v.zone_op, request, 0, v.zone // 2)
        refuse(v, f"a {name} from the middle of a zone", invalid, [0, 1],
               v.zone_op, request, v.zone // 2, v.zone)
        refuse(v, f"a {name} behind the end", invalid, [0, 1],
               v.zone_op, request, v.size, v.zone)
        refuse(v, f"a {name} that overflows", invalid, [0, 1],
               v.zone_op, request, v.zone, (1 << 64) - v.zone)
        fd = os.open(v.path, os.O_RDONLY)
        refuse(v, f"a {name} without the right to write",
               (errno.EBADF, errno.EPERM), [0, 1],
               v.zone_op, request, 0, v.zone, fd)
        os.close(fd)
    refuse(v, "a close of an empty zone", (errno.EIO,), [1],
           v.zone_op, BLKCLOSEZONE, v.zone, v.zone)
    v.zone_op(BLKFINISHZONE, 0, v.zone)
    refuse(v, "a close of a full zone", (errno.EIO,), [0],
           v.zone_op, BLKCLOSEZONE, 0, v.zone)
    refuse(v, "an open of a full zone", (errno.EIO,), [0],
           v.zone_op, BLKOPENZONE, 0, v.zone)
    error = error_of(v.zone_op, BLKFINISHZONE, 0, v.zone)
    verdict("a finish of a full zone", error and names([error]))
    error = error_of(v.zone_op, BLKRESETZONE, v.zone, v.zone)
    verdict("a reset of an empty zone", error and names([error]))


def erasing(v):
    unsupported = (errno.EOPNOTSUPP,)
    v.zone_op(BLKRESETZONE, 0, v.zone)
    v.fill(0, 1024)
    for name, request in (("discard", BLKDISCARD),
                          ("secure erase", BLKSECDISCARD)):
        refuse(v, f"a {name}", unsupported, [0],
               v.zone_op, request, 0, 64 * SECTOR)
    refuse(v, "zeros over what is written", (errno.EIO, errno.EOPNOTSUPP), [0],
           v.zone_op, BLKZEROOUT, 0, 64 * SECTOR)


def reads(v):
    v.zone_op(BLKRESETZONE, 0, 2 * v.zone)
    v.buffer.seek(0)
    v.buffer.write(b"\xa5" * (64 << 10))
    v.write(0, 128)

    def read(sector, sectors):
        target = mmap.mmap(-1, sectors * SECTOR)
        target.write(b"\xee" * (sectors * SECTOR))
        done = os.preadv(v.fd, [target], sector * SECTOR)
        return bytes(target[:done])

    data = read(0, 256)
    verdict("a read across the write pointer",
            data != b"\xa5" * (128 * SECTOR) + bytes(128 * SECTOR) and
            "not the data and then zeros")
    verdict("a read of an empty zone",
            read(v.zone, 256) != bytes(256 * SECTOR) and "not zeros")
    if v.cap < v.zone:
        verdict("a read behind the capacity",
                read(v.cap, 256) != bytes(256 * SECTOR) and "not zeros")
    verdict("a read across the end of a zone",
            read(v.zone - 128, 256) != bytes(256 * SECTOR) and "not zeros")
    verdict("a read at the end of the volume",
            len(read(v.size - 8, 16)) != 8 * SECTOR and "not short")
    verdict("a read behind the end of the volume",
            len(read(v.size, 8)) != 0 and "not empty")


def main():
    volume = Volume(sys.argv[1])
    for test in (writes, zone_operations, erasing, reads):
        try:
            test(volume)
        except OSError as error:
            verdict(f"{test.__name__} goes to its end", str(error))
    fcntl.ioctl(volume.fd, BLKRESETZONE, struct.pack("QQ", 0, 3 * volume.zone))
    sys.exit(FAILED)


main()
