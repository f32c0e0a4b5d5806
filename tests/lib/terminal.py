#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""terminal.py ANSWER COMMAND...: runs it at a terminal, where somebody gives this answer to
what is asked. The exit status is the command's."""

import os
import pty
import sys


def main():
    pid, fd = pty.fork()
    if not pid:
        os.execvp(sys.argv[2], sys.argv[2:])
    said, answered = b"", False
    while True:
        try:
            got = os.read(fd, 4096)
        except OSError:
            break
        if not got:
            break
        said += got
        if said.endswith(b"[y/N] ") and not answered:
            os.write(fd, sys.argv[1].encode() + b"\n")
            answered = True
    sys.stdout.write(said.decode(errors="replace"))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
