# SPDX-License-Identifier: GPL-2.0
"""The buttons of a QEMU machine: reset, and power after it went off or sleeps.

The guest asks by writing a word to /ctl/ask. A server that powers itself off
stays in its process, where its drives keep their state, and is switched on
again: only a command that has ended ends the run. One that sleeps is woken at once.
"""

import json
import os
import socket

from .config import note


class Power:
    """QEMU's control channel (QMP), over one end of a socket pair."""

    def __init__(self, ctl):
        self.ask = ctl / "ask"
        self.log = ctl / "power"
        self.boots = ctl / "boots"
        self.told = None        # the boot whose end was told
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.received = b""
        self.switching_on = False
        self._send("qmp_capabilities")

    def fd(self):
        """The end for QEMU; hand it over, then call started()."""
        return self.theirs.fileno()

    def started(self):
        self.theirs.close()

    def _send(self, command):
        try:
            self.ours.send(json.dumps({"execute": command}).encode() + b"\n")
        except OSError:
            pass                # QEMU has ended

    def _messages(self):
        try:
            while data := self.ours.recv(1 << 16):
                self.received += data
        except OSError:
            pass
        *lines, self.received = self.received.split(b"\n")
        return [json.loads(line) for line in lines if line.strip()]

    def _tell(self, what):
        """The guest finds in /ctl/power why it is booting: a line for each boot. Firmware
        may reset the machine again before the guest is up: that is still the same."""
        boot = self.boots.read_text(encoding="ascii")
        if boot == self.told:
            return
        self.told = boot
        with open(self.log, "a", encoding="ascii") as log:
            log.write(what + "\n")

    def follow(self):
        """Answers what has come; returns whether the machine is off."""
        off = False
        for message in self._messages():
            event = message.get("event")
            if "error" in message:
                note(f"QEMU refuses: {message['error'].get('desc')}")
            elif event == "SHUTDOWN" and \
                    message["data"]["reason"] == "guest-shutdown":
                off = True
            elif event == "SUSPEND":
                self._send("system_wakeup")
            elif event == "RESET":
                reason = message["data"]["reason"]
                if self.switching_on:
                    self._send("cont")
                elif reason == "guest-reset":
                    self._tell("reboot")
                self.switching_on = False
        self._answer()
        return off

    def switch_on(self):
        self._tell("power")
        self.switching_on = True
        self._send("system_reset")

    def _answer(self):
        try:
            word = self.ask.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return
        if not word:
            return              # its data is still on the way
        os.unlink(self.ask)
        if word == "reset":
            self._tell("reset")
            self._send("system_reset")
        else:
            note(f"the guest asks for '{word}', which nobody knows")
