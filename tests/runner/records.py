# SPDX-License-Identifier: GPL-2.0
"""Writes into docs/testing.md which piece of the plan long last ran to its end."""

import collections
import json
import re

BEGIN = "<!-- pieces: tests/record writes what follows -->\n"
END = "<!-- end of pieces -->\n"
HEAD = ("| piece | what | date | commit | minutes | passed | failed | counts | seed |\n"
        "|---|---|---|---|---|---|---|---|---|\n")


class RecordError(Exception):
    """A result that cannot be recorded, in one line."""


def load(results):
    """The record of a run of one piece, which came to its end."""
    try:
        record = json.loads((results / "record.json").read_text())
    except (OSError, ValueError) as error:
        raise RecordError(f"{results}: no record of a run that came to its end "
                          f"({error})") from error
    if record["plan"] != "long" or not record["part"]:
        raise RecordError(f"{results}: not a piece of the plan long, but "
                          f"'{record['plan']}'")
    if record["scale"] != 100 or not record["complete"]:
        raise RecordError(f"{results}: not a whole piece")
    if record["commit"].endswith("-dirty"):
        raise RecordError(f"{results}: run from files that are not committed")
    return record


def contents(record):
    """What was run, in a few words."""
    words = {}
    for entry in record["entries"]:
        key = f"{entry['guest']} {entry['name'].split('/')[0]}"
        words.setdefault(key, collections.Counter())[entry["name"]] += 1
    return ", ".join(key + (f" x{max(names.values())}" if max(names.values()) > 1 else "")
                     for key, names in words.items())


def _row(record):
    counts = ", ".join(f"{n:,} {name}" for name, n in record["counts"].items())
    return (f"| {record['part']} | {contents(record)} | {record['date']} | "
            f"{record['commit']} | {record['seconds'] / 60:.0f} | {record['passed']} | "
            f"{record['failed']} | {counts} | {record['seed']} |\n")


def _number(row):
    return int(re.match(r"\| (\d+)/", row)[1])


def write(document, record):
    """
    Puts the row of a record in the place of an older one of the same piece. Returns how many
    rows went because they are pieces of another number of pieces.
    """
    text = document.read_text()
    head, _, rest = text.partition(BEGIN)
    table, _, tail = rest.partition(END)
    if not tail and not text.endswith(END):
        raise RecordError(f"{document}: has no table of pieces")
    nr_pieces = record["part"].split("/")[1]
    old = [row for row in table.splitlines(keepends=True) if re.match(r"\| \d+/", row)]
    kept = [row for row in old if re.match(rf"\| \d+/{nr_pieces} \|", row)]
    rows = [row for row in kept if not row.startswith(f"| {record['part']} |")]
    rows = sorted(rows + [_row(record)], key=_number)
    document.write_text(head + BEGIN + HEAD + "".join(rows) + END + tail)
    return len(old) - len(kept)
