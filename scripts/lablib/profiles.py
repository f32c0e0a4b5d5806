# SPDX-License-Identifier: GPL-2.0
"""Drives as they are sold: settings from scripts/drive-profile."""

import functools
import subprocess

from .config import SCRIPTS, LabError, note


@functools.cache
def settings(name, kind, *options):
    """Settings that make a drive of a profile, as a dictionary of texts."""
    done = subprocess.run([SCRIPTS / "drive-profile", name, kind, *options],
                          capture_output=True, text=True, check=False)
    remarks = done.stderr.removeprefix("drive-profile: ").strip()
    if done.returncode:
        raise LabError(remarks.splitlines()[0] if done.returncode == 1 else
                       f"no profile '{name}'; scripts/drive-profile lists them")
    if remarks:
        note(remarks)
    return dict(word.split("=", 1) for word in done.stdout.split())
