# SPDX-License-Identifier: GPL-2.0
"""Each entry of the lists at the end of docs/failures.md names scenarios that show it, as
(`operations/lost-blocks`), or says "No scenario:" and why."""

import re

from . import catalog

PAGE = catalog.TESTS.parent / "docs" / "failures.md"
LISTS = ("What is known to be wrong", "What is left out")
NAMED = re.compile(r"\((`[\w-]+/[\w-]+`(?:, `[\w-]+/[\w-]+`)*)\)")


def _entries(text):
    for heading in LISTS:
        entries = re.split(r"^- ", text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0],
                           flags=re.M)[1:]
        yield from (" ".join(entry.split()) for entry in entries or [f"{heading}: no entries"])


def complaints():
    """What is missing, a line each."""
    known = catalog.scenarios()
    wrong = []
    for entry in _entries(PAGE.read_text()):
        names = re.findall(r"[\w/-]+", " ".join(NAMED.findall(entry)))
        wrong += [f"docs/failures.md: no scenario {name}" for name in names if name not in known]
        if not names and not re.search(r"No scenario(?: of that)?: \w", entry):
            wrong.append(f"docs/failures.md: '{entry[:60]}...' names no scenario")
    return wrong
