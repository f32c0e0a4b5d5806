# SPDX-License-Identifier: GPL-2.0
"""Lanes take queues of scenarios side by side and follow the guests that run them."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import threading
import time

from lablib import host

from . import catalog

# How long a guest may be silent beyond the limit of the scenario that it runs: it
# ends a scenario that hangs by itself, unless its kernel does not live any more.
GRACE_SECONDS = 90
BOOT_SECONDS = 900
# Of a boot with many scenarios; each has a limit of its own.
LAB_TIMEOUT = 36000
# Guests at a time, on two cores.
NR_LANES = 4
# Lines of a suite that say how much it did, for the report.
COUNT = re.compile(r"^# ([a-z ]+): (\d+)$")
CHECK = re.compile(r"^(ok|not ok|skip) - ")
# Where a scenario begins and ends; what it printed last may lack its end of line.
MARK = re.compile(r"^(.*)@(?:begin (\d+)|end \d+ (\d+) ([\d.]+))$")
# Lines behind a failed check that a person sees at once.
REASON_LINES = 40


class Interrupted(Exception):
    """The run was told to end."""


class Outcome:
    """What became of one entry."""

    def __init__(self, entry):
        self.entry = entry
        self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0
        self.cpu = 0.0          # seconds of all processes, as far as they can be told
        self.counts = {}
        self.failures = []
        self.lines = []
        self.reason_left = 0    # lines that may still say why a check failed

    def line(self, text):
        """Takes a line of its output; whether a person should see it now."""
        self.lines.append(text)
        check = CHECK.match(text)
        if check or not text.startswith("#"):
            self.reason_left = REASON_LINES if text.startswith("not ok") else 0
        elif self.reason_left:
            self.reason_left -= 1
            return True
        if check and check[1] == "ok":
            self.passed += 1
        elif check and check[1] == "skip":
            self.skipped += 1
        elif check:
            self.failed += 1
            self.failures.append(text[len("not ok - "):])
        count = COUNT.match(text)
        if count:
            self.counts[count[1]] = self.counts.get(count[1], 0) + int(count[2])
        return bool(check) and check[1] != "ok"

    def fail(self, why):
        self.line(f"not ok - {self.entry.name}: {why}")


class Lanes:
    """Runs all queues; .outcomes has what became of the entries."""

    def __init__(self, queues, guests, results, nr_lanes, top):
        self.queues = queues
        self.guests = guests
        self.results = results
        self.nr_lanes = nr_lanes
        self.top = top
        self.outcomes = []
        # (guest, seconds not spent in scenarios, CPU seconds of all of it)
        self.boots = []
        self.lock = threading.Lock()
        self.processes = set()
        self.stopped = False
        for number, queue in enumerate(queues):
            queue.lay_out(results / "queues" / f"{number}-{queue.guest}")

    def run(self):
        threads = [threading.Thread(target=self._lane, args=(number,), daemon=True)
                   for number in range(self.nr_lanes)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.5)
                    if self.guests.failed and not self.stopped:
                        self.stop()
        except BaseException:
            self.stop()
            raise

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.processes:
                _signal(process)

    def lost(self, entries):
        """Entries of which nothing is known are failures."""
        known = {id(outcome.entry) for outcome in self.outcomes}
        missing = [entry for entry in entries if id(entry) not in known]
        for entry in missing:
            outcome = Outcome(entry)
            outcome.fail("was not run")
            self._show(outcome, outcome.lines[-1])
            self.done(outcome, 1)
        return bool(missing)

    # ---- one lane -------------------------------------------------------------

    def _lane(self, number):
        try:
            while queue := self._next(number):
                self._serve(queue)
        except Interrupted:
            return
        except Exception as error:      # a lane that dies silently hides failures
            self._say(f"not ok - lane {number}: {error!r}")
            with self.lock:
                self.outcomes.append(_failed_lane(number, error))
            raise

    def _order(self, number):
        """From the first to the last, which keep a CPU busy, or from the last to the first,
        which wait more than they work: the lanes meet in the middle."""
        return self.queues if number % 2 == 0 else self.queues[::-1]

    def _next(self, number):
        """The first queue with entries left whose guests are made; waits until there is one.
        None if nothing is left to run."""
        while not self.stopped and not self.guests.failed:
            left = [queue for queue in self._order(number) if not queue.is_empty()]
            if not left:
                break
            for queue in left:
                if self.guests.have(queue.needs):
                    return queue
            self.guests.wait()
        return None

    def _serve(self, queue):
        if queue.guest == "host":
            entry = queue.claim()
            if entry:
                self._run_here(entry)
            return
        command = ["scripts/lab", "run", queue.guest, "--timeout", str(LAB_TIMEOUT)]
        command += queue.lab_words
        known = [word for flag, word in zip(queue.lab_words, queue.lab_words[1:])
                 if flag == "--known-splat"]
        command += ["--env", f"LAB_KNOWN_SPLAT={' '.join(known)}"]
        if queue.own_boot:
            entry = queue.claim()
            if not entry:
                return
            command += ["--", "tests/lib/scenarios", "--only", *entry.line().split()]
        else:
            command += ["--lab-dir", str(queue.place), "--",
                        "tests/lib/scenarios", "/lab"]
        Boot(self, queue, command).follow()

    def _run_here(self, entry):
        outcome = Outcome(entry)
        self._say(f"# host: {entry.name} begins")
        host.install_tools(catalog.HOST_TOOLS.get(entry.name, {}))
        begin = time.monotonic()
        process = self._popen(catalog.HOST[entry.name][0])
        deadline = begin + entry.limit

        def take(line):
            if outcome.line(line):
                self._show(outcome, line)

        def late():
            nonlocal deadline
            deadline += GRACE_SECONDS
            outcome.fail(f"ends within {entry.limit} s")
            self._show(outcome, outcome.lines[-1])

        with self._ended(process):
            follow(process, lambda: deadline, take, late)
        status, outcome.cpu = self._reap(process)
        outcome.seconds = time.monotonic() - begin
        self.done(outcome, status)

    def _popen(self, command):
        with self.lock:
            if self.stopped:
                raise Interrupted
            process = subprocess.Popen(
                command, cwd=self.top, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True)
            self.processes.add(process)
        return process

    def _reap(self, process):
        """Exit status, and CPU seconds of the process and all that it waited for."""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with self.lock:
            self.processes.discard(process)
        return process.returncode, usage.ru_utime + usage.ru_stime

    @contextlib.contextmanager
    def _ended(self, process):
        """A process whose output cannot be taken any more is ended."""
        try:
            yield
        except BaseException:
            process.stdout.close()
            _signal(process)
            self._reap(process)
            raise

    # ---- what is seen ------------------------------------------------------------

    def _say(self, text):
        with self.lock:
            print(text, flush=True)

    def _show(self, outcome, line):
        check = CHECK.match(line)
        if check:
            line = f"{check[1]} - {outcome.entry.guest}: {line[check.end():]}"
        self._say(line)

    def done(self, outcome, status, guest_died=False):
        """An entry came to its end, with the exit status of its program."""
        entry = outcome.entry
        if status and not outcome.failed:
            outcome.fail(f"ended with status {status}")
            self._show(outcome, outcome.lines[-1])
            guest_died = True
        if guest_died:
            for line in _what_matters(outcome.lines):
                self._say(line)
        elif not outcome.passed and not outcome.failed and not outcome.skipped:
            outcome.fail("made no check")
            self._show(outcome, outcome.lines[-1])
        log = self.results / f"{entry.guest}.{entry.name.replace('/', '.')}.log"
        with self.lock:
            with open(log, "a", encoding="utf-8", errors="replace") as file:
                file.write("".join(line + "\n" for line in outcome.lines))
            self.outcomes.append(outcome)
        if outcome.failed:
            self._say(f"# again: {entry.repeat()}")
        self._say(f"# {entry.guest}: {entry.name}: {outcome.passed} passed, "
                  f"{outcome.failed} failed, {outcome.seconds:.0f} s")


def _signal(process):
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except OSError:
        pass


def follow(process, deadline, take, late):
    """Calls take() for each line of a process until it closes its output. When deadline()
    is over, late() is called, which sets a new one, and the process is told to end."""
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    rest = b""
    while True:
        if selector.select(5):
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                take(line.decode(errors="replace").rstrip("\r"))
        if time.monotonic() > deadline():
            late()
            _signal(process)
    if rest:
        take(rest.decode(errors="replace"))


def _failed_lane(number, error):
    class _Nothing:
        guest, name, suite = "host", f"lane-{number}", "runner"

        @staticmethod
        def repeat():
            return "tests/run"
    outcome = Outcome(_Nothing())
    outcome.fail(repr(error))
    return outcome


def _what_matters(lines):
    """Of a long report somebody may see the beginning only: the reason, what was done
    last, who waits, and then the rest."""
    reason = [i for i, line in enumerate(lines) if re.match(r"lab: .*: failed: ", line)]
    chosen = lines[reason[0]:reason[0] + 6] if reason else []
    chosen += [line for line in lines if line.startswith("ok - ")][-1:]
    chosen += [line for line in lines if "lab: waiting: " in line]
    return [f"# {line}" for line in chosen + lines[-150:]]


class Boot:
    """One boot of a guest and the scenarios that it claims."""

    def __init__(self, lanes, queue, command):
        self.lanes = lanes
        self.queue = queue
        self.command = command
        self.outcome = None     # of the scenario that runs
        self.begun = 0.0
        self.cpu_before = 0.0
        self.pid = 0
        self.deadline = 0.0
        # Seconds, and CPU seconds
        self.in_scenarios = 0.0
        self.cpu_in_scenarios = 0.0
        self.stray = []         # lines outside of scenarios

    def follow(self):
        begin = time.monotonic()
        self.deadline = begin + BOOT_SECONDS
        process = self.lanes._popen(self.command)
        self.pid = process.pid
        with self.lanes._ended(process):
            follow(process, lambda: self.deadline, self._line, self._late)
        status, cpu = self.lanes._reap(process)
        self._over(status, cpu)
        with self.lanes.lock:
            self.lanes.boots.append((
                self.queue.guest, time.monotonic() - begin - self.in_scenarios,
                cpu - self.cpu_in_scenarios))
            number = len(self.lanes.boots)
        if self.stray:
            log = self.lanes.results / f"{self.queue.guest}.boot-{number}.log"
            log.write_text("".join(line + "\n" for line in self.stray),
                           errors="replace")

    def _late(self):
        """The lab ends the guest, and says what its kernel logged last."""
        self._line("# no word from the guest in time: it is ended")
        self.deadline = time.monotonic() + GRACE_SECONDS

    def _line(self, text):
        mark = MARK.match(text)
        if mark and mark[1]:
            self._text(mark[1])
        if not mark:
            self._text(text)
        elif mark[2]:
            self._begin(self.queue.entries[int(mark[2])])
        elif self.outcome:
            self._end(int(mark[3]), float(mark[4]))

    def _text(self, text):
        if not self.outcome:
            self.stray.append(text)
        elif self.outcome.line(text):
            self.lanes._show(self.outcome, text)

    def _begin(self, entry):
        # A scenario that resets the machine begins again in the next boot.
        if self.outcome and not self.queue.own_boot:
            self.outcome.fail("the guest booted again while it ran")
            self._end(1, time.monotonic() - self.begun)
        self.deadline = time.monotonic() + entry.limit + GRACE_SECONDS
        if self.outcome is None:
            self.outcome = Outcome(entry)
            self.begun = time.monotonic()
            self.cpu_before = cpu_seconds(self.pid)

    def _end(self, status, seconds):
        self.outcome.seconds = seconds if not self.queue.own_boot \
            else time.monotonic() - self.begun
        self._account(cpu_seconds(self.pid))
        self.lanes.done(self.outcome, status)
        self.outcome = None
        self.deadline = time.monotonic() + BOOT_SECONDS

    def _account(self, cpu):
        self.outcome.cpu = cpu - self.cpu_before
        self.in_scenarios += self.outcome.seconds
        self.cpu_in_scenarios += self.outcome.cpu

    def _over(self, status, cpu):
        if self.outcome:
            self.outcome.seconds = time.monotonic() - self.begun
            self._account(cpu)
            self.lanes.done(self.outcome, status or 1, guest_died=True)
            return
        # 75: a scenario failed and said so; the next one has a fresh guest.
        if status not in (0, 75):
            self._blame_boot(status)

    def _blame_boot(self, status):
        """It ended badly outside of all scenarios: a failure of its own, and what is
        left of the queue cannot be expected to fare better."""
        outcome = Outcome(self.queue.entries[0])
        outcome.lines = list(self.stray)
        outcome.fail(f"the guest {self.queue.guest} ends well (status {status})")
        self.lanes.done(outcome, status)
        for line in _what_matters(self.stray):
            self.lanes._say(line)
        while True:
            entry = self.queue.claim()
            if not entry:
                break
            lost = Outcome(entry)
            lost.fail("was not run: its guest does not boot")
            self.lanes.done(lost, status)


def cpu_seconds(root):
    """Of a process, of those that it began, and of those that these waited for."""
    children, used = {}, {}
    for path in os.scandir("/proc"):
        if not path.name.isdigit():
            continue
        try:
            with open(f"/proc/{path.name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.name))
        used[int(path.name)] = sum(int(field) for field in fields[11:15])
    ticks, family = 0, [root]
    while family:
        pid = family.pop()
        ticks += used.get(pid, 0)
        family += children.get(pid, [])
    return ticks / os.sysconf("SC_CLK_TCK")
