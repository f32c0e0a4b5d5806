# SPDX-License-Identifier: GPL-2.0
"""The plan long, which takes many hours, in pieces."""

from . import catalog, plans, queues


def _part(text):
    """k and n of "k/n"."""
    k, _, n = text.partition("/")
    if not k.isdigit() or not n.isdigit() or not 1 <= int(k) <= int(n):
        raise catalog.BadRequest(f"a part is k/n with k from 1 to n, not '{text}'")
    return int(k), int(n)


def _minutes(rows):
    """[(minutes, row)], one for each time that a row is run."""
    return [(minutes, (guest, scale, names, 1))
            for minutes, guest, scale, names, times in rows for _ in range(times)]


def rows():
    """All rows of the plan, without their minutes."""
    return [row for _, row in _minutes(plans.LONG)]


def pieces(n):
    """Rows of each of n pieces: the longest first, each to the piece that has least."""
    parts = [(0, number, []) for number in range(n)]
    for minutes, row in sorted(_minutes(plans.LONG), key=lambda m: -m[0]):
        least = min(parts, key=lambda part: (part[0], part[1]))
        parts.remove(least)
        parts.append((least[0] + minutes, least[1], least[2] + [row]))
    return [rows for _, _, rows in sorted(parts, key=lambda part: part[1])]


def entries(part, seed):
    """Entries of one part, or of all if none is named. Each part has seeds of its own."""
    k, n = _part(part) if part else (1, 1)
    return queues.expand(pieces(n)[k - 1], seed + k, limit=queues.LONG_LIMIT)
