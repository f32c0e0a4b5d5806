#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""on-terminal.py [--interrupt REGEX] COMMAND...

Runs a command on a terminal of its own, of 100 columns, and prints what the command writes
there: what it wrote over, too. With --interrupt, Ctrl-C is typed once the output matches.
Exits as a shell tells of the command: 128 and its number for a signal.
"""

import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios


def read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the command has ended
        return b""


def main(words):
    interrupt = None
    if words[0] == "--interrupt":
        interrupt = re.compile(words[1].encode())
        words = words[2:]
    child, terminal = pty.fork()
    if not child:
        # A shell has its background processes ignore it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Else Ctrl-C may throw away what the command writes just then.
        settings = termios.tcgetattr(0)
        settings[3] |= termios.NOFLSH
        termios.tcsetattr(0, termios.TCSANOW, settings)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        os.execvp(words[0], words)
    seen = b""
    while piece := read(terminal):
        seen += piece
        os.write(1, piece)
        if interrupt and interrupt.search(seen):
            os.write(terminal, b"\x03")
            interrupt = None
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status


sys.exit(main(sys.argv[1:]))
