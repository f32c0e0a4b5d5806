#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""check.py ARRAY GROUP DATA EXTENTS LISTED [--back DRIVE...] [--returned]

Whether every block of a running array that can be computed from what its drives hold is read
with these bytes, or has a reason why not. GROUP is the folder of the simulated drives, DATA
holds what was written, EXTENTS has lines "BYTE SIZE". LISTED is a file that remembers which
sectors were listed as lost by then. --back: drives that came back and that the array has not
taken back. --returned: a member may have been taken back since LISTED was written.

Prints a line "COUNT WHAT" for each kind of block, and a line "wrong: ..." for each finding.

A block can be computed if it can be read from its column; or, in a stripe that is complete, from
the other columns. The tail of a zone is not computed here: its parity is in memory, or in logs.
The columns that count are those in use: of active members, or marked as whole, where the zone
map has them, without placeholders of lost blocks. All of that has to be served. What needs
another column is served, or is not, for one of these reasons, which are counted:

failed      A member that failed or was left out has its drive here. "A failed member is not
            read and not written, whatever it holds" (docs/format.md).
back        A drive that was away is back, and the array has not been started since: the
            kernel has another device for it.
rebuilding  "A column of a rebuilding member takes part only when it is marked as whole in the
            zone map" (docs/failures.md).
read-only   "A member zone that a drive made read-only counts as missing at a start, because its
            write pointer is not defined then, though its data can be read" (docs/failures.md).
"""

import argparse
import collections
import os
import sys
import time

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# pylint: disable=wrong-import-position
from layout import BLOCK, solve
from members import SECTORS, Array, command
from readable import CHUNK, Device

TRIES = 8
PAUSE = 0.25


class Zone:
    """What can be computed of a zone of so many blocks."""

    def __init__(self, array, number, size):
        self.layout = array.layout
        self.number = number
        self.size = size
        rows = self.layout.place(size - 1)[0] // self.layout.unit * self.layout.unit \
            + self.layout.unit
        self.columns = [array.column(number, column, rows)
                        for column in range(self.layout.width)]
        self._solved = {}

    def _row(self, row, in_use):
        """The data of a row, by position."""
        key = (row, in_use)
        if key not in self._solved:
            held = [None if in_use and needs else blocks.get(row)
                    for blocks, needs in self.columns]
            data, parities = self.layout.columns(self.number, row)
            known = [held[column] for column in data]
            if self.layout.is_whole(row, self.size) or self.layout.copies:
                known = solve(known, [held[column] for column in parities],
                              self.layout.copies)
            self._solved[key] = known
        return self._solved[key]

    def block(self, offset):
        """The block, None if it cannot be computed, and why it need not be served."""
        row, position = self.layout.place(offset)
        found = self._row(row, True)[position]
        if found is not None:
            return found, None
        found = self._row(row, False)[position]
        if found is None:
            return None, None
        return found, "+".join(sorted({needs for blocks, needs in self.columns
                                       if needs and row in blocks}))


def extents(path):
    with open(path, encoding="ascii") as lines:
        return [tuple(map(int, line.split())) for line in lines]


def served(device, at, size):
    """What the volume answers, by number of the block; None for an error."""
    blocks = []
    for offset in range(0, size, CHUNK):
        piece = min(CHUNK, size - offset)
        got = device.read(at + offset, piece)
        if got is None:
            blocks += [device.read(at + offset + i, BLOCK) for i in range(0, piece, BLOCK)]
        else:
            blocks += [got[i:i + BLOCK] for i in range(0, piece, BLOCK)]
    return blocks


def size_of_zones(fd):
    number = os.fstat(fd).st_rdev
    with open(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/queue/chunk_sectors",
              encoding="ascii") as file:
        return int(file.read()) // SECTORS


class Look:
    """One look at the array."""

    def __init__(self, options):
        self.options = options
        self.counts = collections.Counter()
        self.listed = set()
        # Final, and those that another look may show to be of the moment.
        self.wrong, self.findings = [], []

    @staticmethod
    def _at(what, zone, offset):
        row, position = zone.layout.place(offset)
        columns = " ".join(f"{number}:{'no' if row not in blocks else needs or 'yes'}"
                           for number, (blocks, needs) in enumerate(zone.columns))
        return (f"zone {zone.number}, block {offset} of {zone.size}: {what} (row {row} of "
                f"columns {columns}; position {position})")

    def _judge(self, zone, offset, read, right):
        if read is not None and read != right:
            self.wrong.append(self._at("the array answers other data", zone, offset))
            return
        found, reason = zone.block(offset)
        if found is not None and found != right:
            self.findings.append(self._at("its drives hold other data", zone, offset))
        elif found is None:
            self.counts["only in memory or logs" if read is not None else "lost"] += 1
        elif read is not None:
            self.counts["served" if not reason else f"served, {reason}"] += 1
        elif reason:
            self.counts[f"not served, {reason}"] += 1
        else:
            self.findings.append(self._at("not served, but can be computed", zone, offset))

    def _listed(self, status, zones, zone_size):
        """Blocks that are newly listed as lost must not be computable. They are looked at
        before they are read, which may heal them."""
        try:
            with open(self.options.listed, encoding="ascii") as file:
                before = {int(line) for line in file}
        except FileNotFoundError:
            before = set()
        now = set()
        for entry in status["lost_blocks"]:
            first = entry["sector"] // SECTORS
            now.update(range(first, first + entry["sectors"] // SECTORS))
        for block in sorted(now - before if not self.options.returned else ()):
            zone, offset = zones.get(block // zone_size), block % zone_size
            if zone and offset < zone.size and zone.block(offset)[0] is not None \
                    and not zone.block(offset)[1]:
                self.wrong.append(self._at("listed as lost, but can be computed", zone, offset))
        self.listed = now

    def take(self):
        status = command("raizn", "status", self.options.array, "--json")["arrays"][0]
        letters = [member["state"] for member in status["members"]]
        array = Array(self.options.group, letters, self.options.back)
        try:
            self._compare(array, status)
        finally:
            array.close()

    def _compare(self, array, status):
        device = Device(f"/dev/mapper/{self.options.array}")
        zone_size = size_of_zones(device.fd)
        todo = [(at // BLOCK // zone_size, at, size)
                for at, size in extents(self.options.extents)]
        zones = {number: Zone(array, number, size // BLOCK) for number, at, size in todo} \
            if array.newest else {}
        self._listed(status, zones, zone_size)
        with open(self.options.data, "rb") as data:
            for number, at, size in todo:
                blocks = served(device, at, size)
                data.seek(at)
                for offset, read in enumerate(blocks):
                    right = data.read(BLOCK)
                    if number in zones:
                        self._judge(zones[number], offset, read, right)
                    elif read is not None and read != right:
                        self.wrong.append(f"zone {number} block {offset}: wrong data")
        os.close(device.fd)


def main():
    parser = argparse.ArgumentParser()
    for name in ("array", "group", "data", "extents", "listed"):
        parser.add_argument(name)
    parser.add_argument("--back", nargs="*", default=[])
    parser.add_argument("--returned", action="store_true")
    options = parser.parse_args()
    for attempt in range(TRIES):
        if attempt:
            # Columns may have moved, or failed, between two glances of one look.
            time.sleep(PAUSE)
        look = Look(options)
        try:
            look.take()
        except (OSError, KeyError, TypeError) as error:
            look.findings.append(f"the drives cannot be looked at: {error!r}")
        if look.wrong or not look.findings:
            break
    for what, nr in sorted(look.counts.items()):
        print(f"{nr} {what}")
    for line in (look.wrong + look.findings)[:20]:
        print(f"wrong: {line}")
    if not look.wrong and not look.findings:
        with open(options.listed, "w", encoding="ascii") as file:
            file.writelines(f"{block}\n" for block in sorted(look.listed))
    return bool(look.wrong or look.findings)


if __name__ == "__main__":
    sys.exit(main())
