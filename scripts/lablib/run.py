# SPDX-License-Identifier: GPL-2.0
"""Boots a guest, runs a command in it, tells how it ended."""

import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import build, judges, kernel_log, power, qemu, setup, uml
from .config import CACHE, SCRIPTS, LabError, note

TIMED_OUT = 124
GUEST_DIED = 125
SPLAT = 99

# How long a guest that is done or dead may take to end by itself.
GRACE_SECONDS = 20
LOG_TAIL_LINES = 40


class Run:
    """The directory of one run: drives, shares, logs. Gone afterwards."""

    def __init__(self, guest, options):
        base = CACHE / "run"
        base.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(base)
        self.dir = Path(tempfile.mkdtemp(prefix=f"{guest.name}-{os.getpid()}-",
                                         dir=base))
        lab = Path(options.lab_dir).absolute() if options.lab_dir \
            else self.dir / "lab"
        self.shares = {"build": self.dir / "build", "lab": lab,
                       "ctl": self.dir / "ctl"}
        self.shares["ctl"].mkdir()
        self.power = power.Power(self.shares["ctl"]) if guest.server else None
        lab.mkdir(parents=True, exist_ok=True)

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def _remove_abandoned(base):
    for old in base.glob("*-*-*"):
        owner = old.name.rsplit("-", 2)[1]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(old, ignore_errors=True)


def _write_control(run, guest, options):
    """What the guest's init reads: programs, environment, command."""
    ctl = run.shares["ctl"]
    for name in ("init", "uml-init", "server-init", "run-command",
                 "report-hang"):
        shutil.copy(SCRIPTS / "guest" / name, ctl / name)
    size = shutil.get_terminal_size()
    environment = {
        "LAB_GUEST": guest.name, "LAB_RIG": guest.rig, "LAB_DIR": "/lab",
        "LAB_DRIVES": str(options.drives),
        "LAB_DRIVE_MIB": qemu.drive_settings(options)["size"],
        "LAB_DEADLINE": str(int(time.time() + options.timeout)),
        "LAB_SHELL": "1" if options.shell else "",
        "LAB_ROWS": str(size.lines), "LAB_COLUMNS": str(size.columns),
        "TERM": os.environ.get("TERM", "dumb"),
    }
    for setting in options.env:
        name, separator, value = setting.partition("=")
        if not separator or not name.isidentifier():
            raise LabError(f"--env wants NAME=VALUE, not '{setting}'")
        environment[name] = value
    (ctl / "env").write_text("".join(
        f"export {k}={shlex.quote(v)}\n" for k, v in environment.items()))
    (ctl / "command").write_text(shlex.join(options.command) + "\n")
    (ctl / "boots").write_text("0\n")


class Channel:
    """A stream out of the guest: a growing file, or a pipe."""

    def __init__(self, fd, is_pipe, sink):
        self.fd = fd
        self.is_pipe = is_pipe
        self.sink = sink

    def drain(self):
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                self.is_pipe = False    # nobody writes any more
                return
            self.sink(data)


def _pipe(sink):
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    return Channel(read_end, True, sink), write_end


def _growing_file(path, sink):
    path.touch()
    return Channel(os.open(path, os.O_RDONLY | os.O_NONBLOCK), False, sink)


def _write_stdout(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


class Monitor:
    """Follows a guest to its end."""

    def __init__(self, guest, run, options):
        self.guest = guest
        self.run = run
        self.options = options
        self.log = bytearray()
        self.ended_by = None    # "timeout", "panic" or "signal", when we ended it

    def start(self):
        inherited = []
        self.errors = open(self.run.dir / "errors", "w+b")
        messages = self.errors
        if self.guest.rig == "uml":
            console, console_fd = _pipe(self.log.extend)
            output, output_fd = _pipe(_write_stdout)
            inherited = [console_fd, output_fd]
            # What UML says before its console works belongs to the log.
            messages = console_fd
            argv = uml.command(self.guest, self.run, self.options,
                               console_fd, output_fd)
        else:
            console = _growing_file(self.run.dir / "console", self.log.extend)
            output = _growing_file(self.run.dir / "output", _write_stdout)
            if self.run.power:
                inherited = [self.run.power.fd()]
            argv = qemu.command(self.guest, self.run, self.options)
        self.channels = [console, output]
        self.process = subprocess.Popen(
            argv, pass_fds=inherited, stderr=messages,
            stdin=None if self.options.shell else subprocess.DEVNULL,
            stdout=None if self.options.shell else messages,
            # Ctrl-C is for the lab, which then ends the guest itself.
            start_new_session=not self.options.shell)
        if self.run.power:
            self.run.power.started()
        else:
            for fd in inherited:
                os.close(fd)

    def _told_to_end(self, _signal, _frame):
        self.ended_by = self.ended_by or "signal"

    def follow(self):
        # Until then it ends the lab; from now on the guest, whose last words are kept.
        signal.signal(signal.SIGTERM, self._told_to_end)
        deadline = time.monotonic() + self.options.timeout
        status_file = self.run.shares["ctl"] / "status"
        grace_ends = None
        searched = 0
        while True:
            pipes = [c.fd for c in self.channels if c.is_pipe]
            select.select(pipes, [], [], 0.03)
            over = self.process.poll() is not None
            for channel in self.channels:
                channel.drain()
            if over:
                return
            if self.run.power and self.run.power.follow():
                if status_file.exists() or self.options.shell:
                    self.kill()
                    return
                self.run.power.switch_on()
            now = time.monotonic()
            if grace_ends is None:
                if self.ended_by == "signal":
                    grace_ends = now
                elif status_file.exists():
                    grace_ends = now + GRACE_SECONDS
                elif kernel_log.PANIC.search(
                        self.log[searched:].decode(errors="replace")):
                    # The stack traces come after the line that says so.
                    self.ended_by = "panic"
                    grace_ends = now + 2
                elif now > deadline and not self.options.shell:
                    self.ended_by = "timeout"
                    grace_ends = now
                searched = max(0, len(self.log) - 200)
            if grace_ends is not None and now >= grace_ends:
                self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def status(self):
        try:
            return int((self.run.shares["ctl"] / "status").read_text())
        except (OSError, ValueError):
            return None

    def errors_text(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip()


def _indented(lines):
    print("\n".join("  | " + line for line in lines), file=sys.stderr,
          flush=True)


def _verdict(monitor):
    """The exit code of the run, after saying what is not obvious."""
    guest, options = monitor.guest, monitor.options
    status = monitor.status()
    lines = kernel_log.lines_of(monitor.log.decode(errors="replace"))
    # A server's boot and shutdown are under test, too.
    judged = lines if guest.server else kernel_log.of_commands(lines)
    splat = kernel_log.splat(judged, known=options.known_splat)
    if status is None:
        if monitor.ended_by == "timeout":
            reason, code = f"no end after {options.timeout} s", TIMED_OUT
        elif monitor.ended_by == "signal":
            reason, code = "it was told to end", TIMED_OUT
        elif monitor.ended_by == "panic" or any(
                kernel_log.PANIC.search(line) for line in lines):
            reason, code = "the kernel panicked", GUEST_DIED
        else:
            reason, code = "the guest ended before the command", GUEST_DIED
        note(f"{guest.name}: failed: {reason}; the kernel log:")
        cause = kernel_log.first(kernel_log.PANIC, lines)
        tail_starts = max(0, len(lines) - LOG_TAIL_LINES)
        if splat and lines.index(splat[0]) < tail_starts:
            _indented(splat + ["..."])
        elif cause is not None and cause - 10 < tail_starts:
            tail_starts = max(0, cause - 10)
        _indented(lines[tail_starts:])
        if monitor.errors_text():
            _indented(monitor.errors_text().splitlines()[-10:])
        return code
    boot_splat = kernel_log.splat(lines, 10, options.known_splat)
    if splat and not options.allow_splat:
        note(f"{guest.name}: failed: the kernel complained "
             f"(the command's exit code was {status}):")
        _indented(splat)
        return status or SPLAT
    if boot_splat and not splat and \
       kernel_log.KNOWN_AT_BOOT not in "".join(boot_splat):
        note(f"{guest.name}: the kernel complained while it booted, before "
             f"the command; ignored: {boot_splat[-1].strip()}")
    return status


def _terminated(_signal, _frame):
    raise KeyboardInterrupt


def run(guest, options):
    if options.disk and not guest.server:
        raise LabError(f"--disk is for servers; {guest.name} is none")
    if options.drives is None:
        options.drives = 5 if guest.rig == "qemu" else 0
    if options.profile and guest.rig == "uml":
        raise LabError("User-Mode Linux has no NVMe drives; in it: nullblk "
                       f"create NAME $(drive-profile {options.profile} nullblk)")
    setup.setup(guest)
    signal.signal(signal.SIGTERM, _terminated)
    this_run = Run(guest, options)
    monitor = Monitor(guest, this_run, options)
    try:
        with build.lock(guest):
            if options.build:
                build.build(guest, options.make, patches=options.patch)
            build.snapshot(guest, this_run.shares["build"])
        for judge in options.judge:
            judges.add(judge, guest, this_run.shares["build"])
        _write_control(this_run, guest, options)
        monitor.start()
        try:
            monitor.follow()
        finally:
            monitor.kill()
        if options.log:
            Path(options.log).write_bytes(bytes(monitor.log))
        if options.shell:
            return monitor.status() or 0
        return _verdict(monitor)
    finally:
        this_run.remove()
