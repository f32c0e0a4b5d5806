# SPDX-License-Identifier: GPL-2.0
"""The guests of a run. Missing ones are made while scenarios run in those that are there."""

import os
import re
import signal
import subprocess
import threading
import time

# The line that scripts/lab setup prints as it finishes a guest.
SET_UP = re.compile(r"^set up: (\S+)$")


class Guests:
    """Runs scripts/lab setup, and knows which guests it has finished."""

    def __init__(self, names, top):
        self.changed = threading.Condition()
        self.missing = set(names)
        self.failed = False
        self.seconds = 0.0      # that the set-up took
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
            if not made:
                print(line, end="", flush=True)
                continue
            with self.changed:
                self.missing.discard(made[1])
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
        """Sleeps until the set-up has news; a second at most."""
        with self.changed:
            self.changed.wait(1)

    def end(self):
        """Ends the set-up and all that it started: another run may begin it anew at once."""
        if self.lab and self.lab.poll() is None:
            os.killpg(self.lab.pid, signal.SIGTERM)
            self.lab.wait()
