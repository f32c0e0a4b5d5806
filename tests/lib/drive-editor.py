#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Copies members as a power cut leaves them, and forges their metadata.

Reads commands from its standard input, one line each, words separated by tabs;
answers each with one line, which begins with "error: " if it failed. It is a
process that goes on, because starting a program takes long in a guest
(tests/lib/editor.sh starts it).

    forge DEVICE EDIT...        rewrite the superblock of a new member
    keep DEVICE...              from now on forge begins with what it says now
    copy FROM TO EDIT...        what a drive holds, to another one
    rewrite DEVICE ZONE EDIT... change records of a log zone
    dump DATA DEVICE...         what the drives hold, to a file; the answer says
                                what it has: DRIVE:ZONE:CONDITION:SECTORS ...
    load DATA DEVICE... WHAT... from a file that dump made, to empty drives
    records DEVICE ZONE SEQ FILE
                                a file of data that looks like log records
    partition DEVICE            make a partition of 4 MiB
    hold DEVICE                 open a drive exclusively
    release                     close that
"""

import fcntl
import mmap
import os
import struct
import sys

BLKREPORTZONE, BLKRESETZONE, BLKFINISHZONE, BLKPG = (
    0xc0101282, 0x40101283, 0x40101288, 0x1269)
READ_ONLY, FULL, OFFLINE = 13, 14, 15   # conditions of a zone
PIECE = 1 << 20
BLOCK = 4096
buffer = mmap.mmap(-1, PIECE)   # O_DIRECT wants aligned memory


# ---- drives ----------------------------------------------------------------

def queue(device, attribute):
    node = os.path.basename(os.path.realpath(device))
    with open(f"/sys/class/block/{node}/queue/{attribute}",
              encoding="ascii") as file:
        return int(file.read())


def report(fd, nr):
    """Start, write pointer, condition and capacity of every zone."""
    data = bytearray(16 + 64 * nr)
    struct.pack_into("<QII", data, 0, 0, nr, 0)
    fcntl.ioctl(fd, BLKREPORTZONE, data)
    nr, flags = struct.unpack_from("<II", data, 8)
    for i in range(nr):
        start, length, wp, _, cond, _, _, capacity = struct.unpack_from(
            "<QQQBBBB4xQ", data, 16 + 64 * i)
        yield start, wp, cond, capacity if flags & 1 else length


def zone_operation(fd, request, sector, nr_sectors):
    fcntl.ioctl(fd, request, struct.pack("<QQ", sector, nr_sectors))


# ---- records of the format (docs/format.md) --------------------------------

FIELDS = {  # offset in the superblock record, format
    "magic": (0, "<Q"), "version": (12, "<H"), "type": (14, "<H"),
    "payload_len": (16, "<I"), "seq": (40, "<Q"), "member": (56, "<H"),
    "ro_compat": (136, "<Q"), "incompat": (144, "<Q"),
    "member_uuid": (152, "16s"), "name": (168, "64s"), "label": (232, "64s"),
    "event": (296, "<Q"), "flags": (304, "<I"), "nr_members": (308, "B"),
    "nr_parity": (309, "B"), "level": (310, "B"), "stripe_unit": (312, "<I"),
    "first_zone": (320, "<I"), "nr_reserved": (324, "<I"),
    "nr_zones": (328, "<I"), "zone_size": (336, "<Q"),
    "zone_capacity": (344, "<Q"),
}
HEADER = 128            # bytes of a record's header
MEMBER_TABLE, MEMBER_ENTRY, MEMBER_STATE, MEMBER_EVENT = HEADER + 384, 32, 16, 24
FAILED = 1              # state of a member
PARTIAL_PARITY, ZONE_TABLE = 2, 3       # types of records


def crc_table():
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
        yield i


TABLE = tuple(crc_table())


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc


def seal(data):
    """Make the CRC of a record right."""
    data[8:12] = bytes(4)
    struct.pack_into("<I", data, 8, crc32c(data))
    return data


def add_noise(data, seed):
    """Random bytes, but in what makes it a superblock of this array."""
    import random
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 40)):
        data[rng.randint(40, 1600)] = rng.choice(
            (0, 1, 127, 255, rng.randint(0, 255)))


def edit(data, key, value):
    """Change one thing of a superblock record."""
    if key == "noise":
        add_noise(data, int(value))
    elif key == "events":       # of all members, in the member table
        for i in range(data[FIELDS["nr_members"][0]]):
            struct.pack_into("<Q", data,
                             MEMBER_TABLE + MEMBER_ENTRY * i + MEMBER_EVENT,
                             int(value))
    elif key == "lost":         # a member, failed and at its first event
        at = MEMBER_TABLE + MEMBER_ENTRY * int(value)
        data[at + MEMBER_STATE] = FAILED
        struct.pack_into("<Q", data, at + MEMBER_EVENT, 1)
    else:
        offset, form = FIELDS[key]
        value = (value.encode().decode("unicode_escape").encode("latin-1")
                 if form.endswith("s") else int(value, 0))
        struct.pack_into(form, data, offset, value)


def zone_table(superblock, generation):
    """A record that gives zone 0 a generation, behind this superblock."""
    record = bytearray(2 * BLOCK)
    record[:72] = superblock[:72]
    struct.pack_into("<HI", record, 14, ZONE_TABLE, BLOCK)
    struct.pack_into("<Q", record, 40, 2)
    struct.pack_into("<I", record, 76, 1)
    struct.pack_into("<Q", record, BLOCK, generation)
    return seal(record)


def disturb(data, seed):
    """Change fields of some records of a log, and make their CRCs right."""
    import random
    rng = random.Random(seed)
    at = 0
    while at < len(data):
        payload, = struct.unpack_from("<I", data, at + 16)
        size = BLOCK + payload
        if rng.random() < 0.2 and payload <= 2 * BLOCK:
            for _ in range(rng.randint(1, 3)):
                # Not magic, version, length and array.
                field = rng.choice((14, 20, 40, 48, 56, 58, 59, 64, 72, 76, 80,
                                    88, 96, 100, 296, 304, 360, 368, 4096, 4104))
                if field < size:
                    data[at + field] = rng.choice((0, 1, 2, 8, 127, 255))
            data[at:at + size] = seal(data[at:at + size])
        at += size


# ---- commands --------------------------------------------------------------

def first_blocks(device):
    """Superblock and checkpoint of a new member."""
    fd = os.open(device, os.O_RDONLY | os.O_DIRECT)
    os.preadv(fd, [memoryview(buffer)[:2 * BLOCK]], 0)
    os.close(fd)
    return buffer[:2 * BLOCK]


kept = {}


def keep(*devices):
    for device in devices:
        kept[device] = first_blocks(device)
    return "kept"


def forge(device, *edits):
    """Rewrite superblock and checkpoint of a member that was just made.

    Edits are FIELD=VALUE (the CRC is made right), bad-crc, drop-checkpoint,
    noise=SEED (random bytes, CRC right), events=N (of all members), lost=SLOT and
    generation=N (of zone 0)."""
    blocks = kept.get(device) or first_blocks(device)
    data, checkpoint = bytearray(blocks[:BLOCK]), bytearray(blocks[BLOCK:])
    fd = os.open(device, os.O_RDWR | os.O_DIRECT)
    table, flip = b"", 0
    for key, _, value in (e.partition("=") for e in edits):
        if key == "bad-crc":
            flip = 1
        elif key == "drop-checkpoint":
            checkpoint = b""
        elif key == "generation":
            table = zone_table(data, int(value, 0))
            struct.pack_into("<Q", checkpoint, 40, 3)
            seal(checkpoint)
        else:
            edit(data, key, value)
    seal(data)
    data[8] ^= flip
    data += table + checkpoint
    memoryview(buffer)[:len(data)] = data
    zone_operation(fd, BLKRESETZONE, 0, queue(device, "chunk_sectors"))
    for block in range(0, len(data), BLOCK):
        os.pwritev(fd, [memoryview(buffer)[block:block + BLOCK]], block)
    os.fsync(fd)
    os.close(fd)
    return "forged"


def move(fd, sector, sectors, transfer):
    """Pieces of a zone, each of which `transfer` takes with its place."""
    while sectors:
        n = min(PIECE // 512, sectors)
        transfer(fd, memoryview(buffer)[:n * 512], sector * 512)
        sector, sectors = sector + n, sectors - n


def dump(path, *devices):
    """What drives hold, for images that outlive them (tests/images)."""
    said = []
    with open(path, "wb") as file:
        def read(fd, view, at):
            os.preadv(fd, [view], at)
            file.write(view)
        for number, device in enumerate(devices):
            fd = os.open(device, os.O_RDONLY | os.O_DIRECT)
            for zone, (start, wp, cond, capacity) in enumerate(
                    report(fd, queue(device, "nr_zones"))):
                sectors = capacity if cond == FULL else wp - start
                # Those have no write pointer.
                if sectors and cond not in (READ_ONLY, OFFLINE):
                    said.append(f"{number}:{zone}:"
                                f"{'full' if cond == FULL else 'open'}:{sectors}")
                    move(fd, start, sectors, read)
            os.close(fd)
    return " ".join(said)


def load(path, *words):
    """The opposite."""
    devices = [word for word in words if word.startswith("/")]
    fds = [os.open(device, os.O_RDWR | os.O_DIRECT) for device in devices]
    with open(path, "rb") as file:
        def write(fd, view, at):
            if file.readinto(view) != len(view):
                raise ValueError("the data end too early")
            os.pwritev(fd, [view], at)
        for word in words[len(devices):]:
            drive, zone, _, sectors = word.split(":")
            drive = int(drive)
            move(fds[drive], int(zone) * queue(devices[drive], "chunk_sectors"),
                 int(sectors), write)
    for fd in fds:
        os.fsync(fd)
        os.close(fd)
    return "loaded"


def written(fd, device, zone):
    """Bytes of what was written to a zone that is not full."""
    start, wp, _, _ = list(report(fd, queue(device, "nr_zones")))[zone]
    view = memoryview(buffer)[:(wp - start) * 512]
    os.preadv(fd, [view], start * 512)
    return bytes(view)


def split(data):
    """The records of a log zone."""
    while data:
        size = BLOCK + struct.unpack_from("<I", data, 16)[0]
        yield bytearray(data[:size])
        data = data[size:]


def rewrite(device, zone, *edits):
    """Change records of a log zone, as it was at the first time: without
    edits it gets that again.

    Edits are RECORD:FIELD=VALUE, records counted from 0, or from -1 at the
    end, and FIELD of FIELDS; RECORD:!FIELD=VALUE, which leaves the CRC as it
    was; and add=TYPE, a record of that type behind the last one."""
    zone = int(zone)
    fd = os.open(device, os.O_RDWR | os.O_DIRECT)
    key = device, zone
    if key not in kept:
        kept[key] = written(fd, device, zone)
    records = list(split(kept[key]))
    for what, _, value in (e.partition("=") for e in edits):
        if what == "add":
            record = bytearray(records[0][:HEADER]) + bytes(BLOCK - HEADER)
            edit(record, "type", value)
            edit(record, "seq", str(struct.unpack_from(
                "<Q", records[-1], FIELDS["seq"][0])[0] + 1))
            records.append(seal(record))
            continue
        number, _, field = what.partition(":")
        record = records[int(number)]
        edit(record, field.lstrip("!"), value)
        if not field.startswith("!"):
            seal(record)
    data = b"".join(records)
    size = queue(device, "chunk_sectors")
    zone_operation(fd, BLKRESETZONE, zone * size, size)
    memoryview(buffer)[:len(data)] = data
    os.pwritev(fd, [memoryview(buffer)[:len(data)]], zone * size * 512)
    os.fsync(fd)
    os.close(fd)
    return "rewritten"


class Edits:
    """What a copy does not have, or has otherwise: cut=ZONE:SECTORS (no more
    than these of a zone survive), lose=ZONE:SECTORS (so many at the end of it
    do not), flip=ZONE:SECTOR (a byte of it is another one), noise=ZONE:SEED
    (the records of a log zone say something else, with the right CRC)."""

    def __init__(self, words):
        self.cut, self.lose, self.noise, self.flip = {}, {}, {}, {}
        for key, _, value in (word.partition("=") for word in words):
            zone, number = map(int, value.split(":"))
            if key == "flip":
                self.flip.setdefault(zone, []).append(number)
            else:
                getattr(self, key)[zone] = number

    def end(self, zone, length):
        """Sectors of a zone that survive, of those written."""
        return min(length, self.cut.get(zone, length)) - self.lose.get(zone, 0)

    def is_short(self, zone):
        return zone in self.cut or zone in self.lose

    def apply(self, zone, first, view):
        """Edit what was read of a zone from a sector of it on."""
        for sector in self.flip.get(zone, ()):
            if 0 <= sector - first < len(view) // 512:
                view[(sector - first) * 512 + 5] ^= 1
        if zone in self.noise:
            data = bytearray(view)
            disturb(data, self.noise[zone])
            view[:] = data


def copy(source, target, *words):
    """What a drive holds, to another one: as it would be without power."""
    edits = Edits(words)
    a = os.open(source, os.O_RDONLY | os.O_DIRECT)
    b = os.open(target, os.O_RDWR | os.O_DIRECT)
    size = queue(target, "chunk_sectors")
    zone_operation(b, BLKRESETZONE, 0, size * queue(target, "nr_zones"))
    for zone, (start, wp, cond, capacity) in enumerate(
            report(a, queue(source, "nr_zones"))):
        end = edits.end(zone, capacity if cond == FULL else wp - start)
        at = 0
        while at < end:
            n = min(PIECE // 512, end - at)
            view = memoryview(buffer)[:n * 512]
            os.preadv(a, [view], (start + at) * 512)
            edits.apply(zone, at, view)
            os.pwritev(b, [view], (start + at) * 512)
            at += n
        # A zone that was full without being written up to its end.
        if cond == FULL and not edits.is_short(zone):
            zone_operation(b, BLKFINISHZONE, start, size)
    os.close(a)
    os.close(b)
    return "copied"


def records(device, zone, seq, path):
    """A file with what looks like records of the log in that zone."""
    fd = os.open(device, os.O_RDONLY | os.O_DIRECT)
    view = memoryview(buffer)[:BLOCK]
    os.preadv(fd, [view], int(zone) * queue(device, "chunk_sectors") * 512)
    os.close(fd)
    with open(path, "wb") as file:
        for i in range(4):
            record = bytearray(view[:HEADER]) + bytes(BLOCK - HEADER)
            struct.pack_into("<H", record, 14, PARTIAL_PARITY)
            struct.pack_into("<Q", record, 40, int(seq) + i)
            file.write(seal(record))
    return "written"


def partition(device):
    """Make a partition of 4 MiB, whatever tables this kernel reads."""
    import ctypes
    fd = os.open(device, os.O_RDWR)
    entry = ctypes.create_string_buffer(struct.pack("qqi64s64s4x", 1 << 20,
                                                    4 << 20, 1, b"", b""))
    fcntl.ioctl(fd, BLKPG, struct.pack("iii4xP", 1, 0, len(entry) - 1,
                                       ctypes.addressof(entry)))
    os.close(fd)
    return "made"


held = []


def hold(device):
    held.append(os.open(device, os.O_RDONLY | os.O_EXCL))
    return "held"


def release():
    os.close(held.pop())
    return "released"


COMMANDS = {f.__name__: f for f in (forge, keep, copy, rewrite, dump, load,
                                    records, partition, hold, release)}


def main():
    for line in sys.stdin:
        command, *words = line.rstrip("\n").split("\t")
        try:
            answer = COMMANDS[command](*words)
        except Exception as error:
            answer = f"error: {command}: {error!r}"
        print(answer, flush=True)


main()
