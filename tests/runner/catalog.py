# SPDX-License-Identifier: GPL-2.0
"""The scenarios that there are, and what their files say of them."""

import fnmatch
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
RIG = TESTS / "rig"

# Checks that run on this machine, without a guest.
HOST = {
    "plans": (["tests/run", "--check-plans"], "Every scenario is in a plan, every advice and "
              "every known limit in a scenario."),
    "set-up": (["tests/runner/check-setup"], "Guests that are ready at once are reported "
               "one by one."),
    "kernel-log": (["tests/runner/check-kernel-log"], "Complaints of a kernel fail a run, "
                   "mistakes of emulators do not."),
    "unit": (["tests/unit/run"], "Unit tests of what is pure, and a fuzzer of records."),
    "static": (["scripts/static-checks", "uml"],
               "Checks of the source that run nothing, for the newest kernel."),
    "static-all": (["scripts/static-checks"], "The same for all kernels."),
    "packages": (["tests/runner/check-packages"], "The packages can be built, lintian is "
                 "content, and both kinds have the same files."),
    "model": (["tests/model/run"], "All crash states of small zones, recovered by the "
              "module's own planner."),
    "model-long": (["tests/model/run", "--long"], "The same with more geometries."),
    "model-mutants": (["tests/model/mutants"], "Mistakes that the crash models must find."),
}

# Guests whose kernels and compilers they use.
HOST_GUESTS = {"static": ["uml"],
               "static-all": ["bookworm", "trixie", "backports", "uml"],
               "packages": ["trixie-server"]}

# Files that they need beside a compiler, as {path: Debian package}.
HOST_TOOLS = {"unit": {"/usr/include/cmocka.h": "libcmocka-dev"}}


class BadRequest(Exception):
    """Cannot be run; the reason is one line for a person."""


class Scenario:
    """One file below tests/rig. Its head tells what it shows; a line "# lab: WORDS" in the
    head has options of scripts/lab run for the guest's boot, or the word own-boot: the
    scenario resets the machine, so it has a guest for itself."""

    def __init__(self, path):
        self.name = str(path.relative_to(RIG).with_suffix(""))
        self.suite = self.name.split("/")[0]
        head = _head(path)
        self.about = re.split(r"(?<=[.])\s", " ".join(
            line for line in head if not line.startswith("lab:")).strip(), maxsplit=1)[0]
        words = " ".join(line[4:] for line in head if line.startswith("lab:")).split()
        self.own_boot = "own-boot" in words
        self.lab_words = [word for word in words if word != "own-boot"]


def _head(path):
    """The comment that a file begins with, without its first two lines."""
    lines = []
    for line in path.read_text().splitlines()[1:]:
        if not line.startswith("#"):
            break
        if "SPDX-License-Identifier" not in line:
            lines.append(line[1:].strip())
    return lines


def scenarios():
    """All of them by name."""
    found = {}
    for path in sorted(RIG.glob("*.sh")) + sorted(RIG.glob("*/*.sh")):
        if path.name != "harness.sh" and path.stat().st_mode & 0o100:
            scenario = Scenario(path)
            found[scenario.name] = scenario
    return found


def strays():
    """Scripts below tests/rig that are no scenario, and that no scenario sources."""
    scripts = sorted(RIG.glob("*.sh")) + sorted(RIG.glob("*/*.sh"))
    found = {path: path.read_text() for path in scripts}
    return [str(path.relative_to(RIG)) for path in scripts
            if not path.stat().st_mode & 0o100 and
            not any(re.search(rf"^\. .*/{re.escape(path.name)}\"", text, re.M)
                    for other, text in found.items() if other.parent == path.parent)]


def matching(patterns, known=None):
    """Scenarios of patterns such as operations, operations/replace*, fs/f2fs."""
    known = known or scenarios()
    chosen = []
    for pattern in patterns:
        names = [name for name in known
                 if fnmatch.fnmatch(name, pattern) or
                 known[name].suite == pattern]
        if not names:
            raise BadRequest(f"no scenario matches '{pattern}'; "
                                  "tests/run --list shows them")
        chosen += [known[name] for name in names if known[name] not in chosen]
    return chosen
