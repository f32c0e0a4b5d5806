# SPDX-License-Identifier: GPL-2.0
"""What simulated drives (tests/zonesim) hold of an array, seen from behind the array."""

import json
import mmap
import os
import subprocess

from layout import BLOCK, Layout

SECTORS = BLOCK // 512      # of a block
PIECE = 256                 # blocks read at a time
NOWHERE = (None, False)


def command(*words):
    """The object that a command prints, None if it fails."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          timeout=60, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


class Drive:
    """A drive with power: its zones, its blocks that cannot be read, and its metadata."""

    def __init__(self, folder):
        self.name = os.path.basename(folder)
        self.zones = [line.split()[1:4] for line in self._lines(folder, "zones")]
        self.bad = {int(line) // SECTORS for line in self._lines(folder, "bad_sectors")}
        found = command("raizn", "inspect", f"/dev/{self.name}", "--json")
        self.superblock = found and found.get("superblock")
        self.log = found and Log(found)
        self._fd = None

    @staticmethod
    def _lines(folder, attribute):
        with open(f"{folder}/{attribute}", encoding="ascii") as file:
            return file.read().splitlines()

    def condition(self, zone):
        return self.zones[zone][0]

    def blocks(self, zone, zone_size, nr):
        """Up to so many blocks of a zone by number, as many as can be read."""
        end = min(nr, int(self.zones[zone][2]) // SECTORS)
        start = zone * zone_size
        found, begin = {}, 0
        if self.condition(zone) == "OFFLINE":
            return found
        for at in range(end + 1):
            if at == end or start + at in self.bad or at - begin == PIECE:
                self._read(start, begin, at, found)
                begin = at + 1 if at < end and start + at in self.bad else at
        return found

    def _read(self, start, begin, end, found):
        if begin == end:
            return
        if self._fd is None:
            self._fd = os.open(f"/dev/{self.name}", os.O_RDONLY | os.O_DIRECT)
        with mmap.mmap(-1, (end - begin) * BLOCK) as buffer:
            if os.preadv(self._fd, [buffer], (start + begin) * BLOCK) != len(buffer):
                raise OSError(f"{self.name}: a short read")
            for at in range(begin, end):
                found[at] = buffer[(at - begin) * BLOCK:(at - begin + 1) * BLOCK]

    def close(self):
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class Log:
    """What the general log of a member says."""

    def __init__(self, found):
        self.map, self.map_version = {}, -1
        self.lost, self.lost_version = [], -1
        self.seq = 0
        zones = [zone for zone in found.get("log") or [] if zone["role"] == "general log"
                 and zone["complete"]]
        if zones:
            self._replay(max(zones, key=lambda zone: zone["epoch"])["records"])
        self.states = {zone["logical_zone"]: zone for zone in found.get("zones") or []
                       if "logical_zone" in zone}

    def _replay(self, records):
        for record in sorted((r for r in records if r["verdict"] == "ok"),
                             key=lambda r: r["seq"]):
            self.seq = record["seq"]
            if record["type"] == "zone map" and record["start"] >= self.map_version:
                self.map_version = record["start"]
                for entry in record["entries"]:
                    self.map[entry["zone"], entry["column"]] = (
                        entry["physical"], entry["whole"], entry["distance"])
            elif record["type"] == "bad blocks" and record["start"] >= self.lost_version:
                self.lost_version = record["start"]
                self.lost = record["entries"]


class Array:
    """The members of an array that have power. @letters: state of each slot by the kernel;
    @back: names of drives that came back and that the array has not taken back yet."""

    def __init__(self, group, letters, back):
        drives = [Drive(entry.path) for entry in os.scandir(group) if entry.is_dir()
                  and self._has_power(entry.path)]
        members = [drive for drive in drives if drive.superblock]
        newest = self._newest(members, letters, back)
        self.drives = {}
        self.newest = newest
        self.letters = letters
        self.back = back
        if not newest:
            return
        superblock = self.superblock = newest.superblock
        self.layout = Layout(superblock["level"], superblock["nr_members"],
                             superblock["nr_parity"],
                             superblock["stripe_unit_sectors"] // SECTORS)
        self.zone_size = superblock["zone_size_sectors"] // SECTORS
        for drive in members:
            slot = self._slot(drive)
            if slot is not None:
                self.drives[slot] = drive

    @staticmethod
    def _has_power(folder):
        with open(f"{folder}/state", encoding="ascii") as file:
            return file.read().strip() == "on"

    @staticmethod
    def _newest(members, letters, back):
        """The member with the newest log of those that the array uses."""
        used = [drive for drive in members if drive.name not in back
                and letters[drive.superblock["slot"]] != "failed"]
        return max(used, default=None, key=lambda drive: (
            drive.superblock["era"], drive.superblock["event"], drive.log.seq))

    def _slot(self, drive):
        """Its place in the array, None if another drive has that."""
        slot = drive.superblock["slot"]
        uuid = self.superblock["members"][slot]["uuid"]
        return slot if drive.superblock["member_uuid"] == uuid else None

    def state(self, zone):
        """What the logs of the members in use say of a zone; None if nothing."""
        states = [drive.log.states[zone] for slot, drive in self.drives.items()
                  if zone in drive.log.states and self._member_needs(slot) != "failed"]
        return max(states, default=None, key=lambda state: state["generation"])

    def _member_needs(self, slot):
        """Why the array cannot use a member, though its drive is there; None if it can."""
        state = self.superblock["members"][slot]["state"]
        if "failed" in (state, self.letters[slot]) or self.letters[slot] == "missing":
            return "failed"
        if self.drives[slot].name in self.back:
            return "back"
        return "rebuilding" if state == "rebuilding" else None

    def column(self, zone, column, nr):
        """Blocks of a column by number, as many as its drive holds and can read, and why the
        array cannot use them; None if it can."""
        physical, whole, distance = self.newest.log.map.get(
            (zone, column), (self.superblock["nr_reserved"] + zone, False, 0))
        slot = (column + distance) % self.layout.width
        drive = self.drives.get(slot)
        if drive is None or physical is None:
            return {}, None
        needs = self._member_needs(slot)
        if needs == "failed" and not self._counts(drive, zone, physical):
            return {}, None
        if needs == "rebuilding" and whole:
            needs = None
        place = self.superblock["first_zone"] + physical
        if drive.condition(place) == "READONLY":
            needs = needs or "read-only"
        found = drive.blocks(place, self.zone_size, nr)
        for row in self._placeholders(zone, column, physical):
            found.pop(row, None)
        return found, needs

    def _counts(self, drive, zone, physical):
        """Would the data of a failed member count if it was taken back?"""
        state, own = self.state(zone), drive.log.states.get(zone)
        return (state and own and not state["truncated"]
                and own["generation"] == state["generation"]
                and own["zone"] == self.superblock["first_zone"] + physical)

    def _placeholders(self, zone, column, physical):
        state = self.state(zone)
        for entry in self.newest.log.lost:
            if (entry["placeholder"] and state
                    and (entry["zone"], entry["column"], entry["physical"],
                         entry["generation"]) ==
                    (zone, column, physical, state["generation"])):
                first = entry["sector"] // SECTORS
                yield from range(first, first + entry["sectors"] // SECTORS)

    def close(self):
        for drive in self.drives.values():
            drive.close()
