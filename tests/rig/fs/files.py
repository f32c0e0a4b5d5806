#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes files of random content and size below a directory, changes and
deletes some of them, keeps a manifest of checksums, and verifies them later."""

import argparse
import errno
import hashlib
import json
import os
import random
import sys

MIB = 1 << 20


def content(seed, size):
    return random.Random(seed).randbytes(size)


def digest(path):
    total = hashlib.sha1()
    with open(path, "rb") as f:
        while chunk := f.read(MIB):
            total.update(chunk)
    return total.hexdigest()


def some_size(rng):
    kind = rng.randrange(10)
    if kind < 4:
        return rng.randrange(1, 16 << 10)
    if kind < 8:
        return rng.randrange(1, 512 << 10)
    return rng.randrange(1, 4 * MIB)


class Writer:
    def __init__(self, directory, seed):
        self.directory = directory
        self.rng = random.Random(seed)
        self.seed = seed
        self.sums = {}
        self.written = 0

    def path(self, name):
        return os.path.join(self.directory, name)

    def new_file(self, number):
        """False when the file system is full."""
        name = f"d{number % 7}/f{self.seed}-{number}"
        data = content(self.seed * 1000003 + number, some_size(self.rng))
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        try:
            with open(self.path(name), "wb", buffering=0) as f:
                at = 0
                while at < len(data):
                    at += f.write(data[at:at + self.rng.randrange(1, MIB)])
                if self.rng.randrange(5) == 0:
                    os.fsync(f.fileno())
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            os.unlink(self.path(name))
            return False
        self.sums[name] = hashlib.sha1(data).hexdigest()
        self.written += len(data)
        return True

    def churn(self):
        """Deletes a third of the files and overwrites parts of others."""
        for name in sorted(self.sums):
            what = self.rng.randrange(6)
            if what < 2:
                os.unlink(self.path(name))
                del self.sums[name]
            elif what == 2:
                size = os.path.getsize(self.path(name))
                at = self.rng.randrange(size)
                data = self.rng.randbytes(min(64 << 10, size - at))
                with open(self.path(name), "r+b", buffering=0) as f:
                    f.seek(at)
                    f.write(data)
                    os.fsync(f.fileno())
                self.sums[name] = digest(self.path(name))


def write(options):
    writer = Writer(options.directory, options.seed)
    number = 0
    full = False
    while writer.written < options.mib * MIB and not full:
        full = not writer.new_file(number)
        number += 1
        if options.churn and number % 200 == 0:
            writer.churn()
    if options.churn and not full:
        writer.churn()
    with open(options.manifest, "w", encoding="utf-8") as f:
        json.dump(writer.sums, f)
    print(f"{len(writer.sums)} files kept, {writer.written // MIB} MiB written"
          + (", full" if full else ""))
    return 0 if writer.sums else 1


def verify(options):
    with open(options.manifest, encoding="utf-8") as f:
        sums = json.load(f)
    wrong = 0
    for name, wanted in sums.items():
        try:
            got = digest(os.path.join(options.directory, name))
        except OSError as error:
            got = str(error)
        if got != wanted:
            wrong += 1
            if wrong <= 10:
                print(f"{name}: {got}, should be {wanted}")
    print(f"{len(sums)} files, {wrong} wrong")
    return 1 if wrong or not sums else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("write", "verify"))
    parser.add_argument("directory")
    parser.add_argument("manifest")
    parser.add_argument("--mib", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--churn", action="store_true",
                        help="delete and overwrite too")
    options = parser.parse_args()
    return {"write": write, "verify": verify}[options.action](options)


if __name__ == "__main__":
    sys.exit(main())
