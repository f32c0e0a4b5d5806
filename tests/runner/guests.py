# SPDX-License-Identifier: GPL-2.0
"""The guests of a run: made when they are missing, while what needs others runs already."""

import os
import re
import signal
import subprocess
import threading
import time

# What scripts/lab setup says of each guest.
SET_UP = re.compile(r"^set up: (\S+)$")


class Guests:
    """Guests that are being made, each with the set-up of its own."""

    def __init__(self, names, top):
        self.changed = threading.Condition()
        self.missing = set(names)
        self.failed = False
        self.seconds = 0.0      # until all were made
        self.lab = None
        if not names:
            return
        self.lab = subprocess.Popen(
            ["scripts/lab", "setup", *sorted(names)], cwd=top, text=True,
            stdout=subprocess.PIPE, start_new_session=True)
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self):
        begin = time.monotonic()
        for line in self.lab.stdout:
            made = SET_UP.match(line)
            with self.changed:
                self.missing -= {made[1]} if made else set()
                self.changed.notify_all()
        status = self.lab.wait()
        with self.changed:
            self.seconds = time.monotonic() - begin
            self.failed = bool(status or self.missing)
            self.changed.notify_all()

    def have(self, names):
        """Whether all of these are made."""
        return not self.missing & set(names)

    def wait(self):
        """Until one more is made, or something went wrong; a second at most."""
        with self.changed:
            self.changed.wait(1)

    def end(self):
        """What builds there ends, too: another run may begin the same at once."""
        if self.lab and self.lab.poll() is None:
            os.killpg(self.lab.pid, signal.SIGTERM)
            self.lab.wait()
