# SPDX-License-Identifier: GPL-2.0
"""What is to be run: entries, and the queues of those that can share a boot."""

import collections
import shutil
import zlib

from . import catalog

# Seconds a scenario may take. A hang is a failure, not a long test, and the
# scenarios behind it are to have their time.
LIMIT = 1800
# Of what is a piece of a long plan, or named by somebody who waits for it.
LONG_LIMIT = 3600
# All deliberate mistakes are one scenario.
MUTANTS_LIMIT = 7200

# Words of scripts/lab run for every boot of a guest.
GUEST_WORDS = {
    # Linux 6.1 warns when btrfs drops a block group, on any zoned drive, and its zonefs
    # takes synchronous writes for misplaced ones, which fs/zonefs shows on a plain one.
    "bookworm": ["--known-splat", "btrfs_remove_block_group",
                 "--known-splat", "(plain)"],
}


class Entry:
    """One scenario in one guest, or one check of this machine."""

    def __init__(self, guest, scenario, scale, seed, limit=LIMIT):
        self.guest = guest
        self.scenario = scenario
        self.name = scenario.name if guest != "host" else scenario
        self.scale = scale
        self.seed = seed
        self.limit = limit

    @property
    def suite(self):
        return self.name.split("/")[0]

    @property
    def guests(self):
        """Guests that have to be made before it can run."""
        return [self.guest] if self.guest != "host" \
            else catalog.HOST_GUESTS.get(self.name, [])

    def line(self):
        return f"{self.name} {self.scale} {self.seed} {self.limit}"

    def repeat(self):
        """The command that runs it again as it was."""
        if self.guest == "host":
            return f"tests/run host {self.name}"
        return (f"tests/run {self.guest} {self.name} --scale {self.scale} "
                f"--seed {self.seed}")


class Queue:
    """Entries that share a boot; a directory that guests claim them from."""

    def __init__(self, guest, lab_words, own_boot):
        self.guest = guest
        self.lab_words = lab_words
        self.own_boot = own_boot
        self.entries = []
        self.place = None

    @property
    def needs(self):
        """Guests that have to be made first; the same for all entries."""
        return self.entries[0].guests

    def lay_out(self, place):
        self.place = place
        shutil.rmtree(place, ignore_errors=True)
        (place / "claims").mkdir(parents=True)
        (place / "entries").write_text(
            "".join(entry.line() + "\n" for entry in self.entries))

    def claim(self):
        """The next entry, for somebody who runs it on this machine."""
        for number, entry in enumerate(self.entries):
            try:
                (self.place / "claims" / str(number)).mkdir()
                return entry
            except FileExistsError:
                continue
        return None

    def is_empty(self):
        return len(list((self.place / "claims").iterdir())) == len(self.entries)


def seed_of(base, guest, name, number):
    """A seed of its own for each entry, which the seed of the whole run gives."""
    return (base + zlib.crc32(f"{guest} {name} {number}".encode())) & 0x7fffffff


def expand(rows, base_seed, factor=100, limit=LIMIT):
    """Entries of rows (guest, scale, patterns, times), in their order."""
    known = catalog.scenarios()
    entries = []
    # A scenario that is run several times has another seed each time.
    times_of = collections.Counter()
    for guest, scale, patterns, times in rows:
        names = patterns.split()
        chosen = names if guest == "host" else catalog.matching(names, known)
        for scenario in chosen:
            for _ in range(times):
                name = scenario if guest == "host" else scenario.name
                number = times_of[guest, name]
                times_of[guest, name] += 1
                entries.append(Entry(guest, scenario,
                                     max(1, scale * factor // 100),
                                     seed_of(base_seed, guest, name, number), limit))
    return entries


def queues_of(entries):
    """Queues in the order of their first entries."""
    queues = {}
    for number, entry in enumerate(entries):
        words, own = [], False
        if entry.guest != "host":
            words = GUEST_WORDS.get(entry.guest, []) + entry.scenario.lab_words
            own = entry.scenario.own_boot
        key = (entry.guest, *entry.guests, *words, number if own else -1)
        queue = queues.setdefault(key, Queue(entry.guest, words, own))
        queue.entries.append(entry)
    return list(queues.values())


def named(guest, names, seed, scale):
    """What a person names runs with the seed as it is, so that it can be repeated."""
    if guest == "host":
        for name in names:
            if name not in catalog.HOST:
                raise catalog.BadRequest(
                    f"no check of this machine is called '{name}'; "
                    f"there are {', '.join(catalog.HOST)}")
        return [Entry(guest, name, scale, seed, LONG_LIMIT) for name in names]
    return [Entry(guest, scenario, scale, seed, LONG_LIMIT)
            for scenario in catalog.matching(names)]
