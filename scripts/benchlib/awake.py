# SPDX-License-Identifier: GPL-2.0
"""Keeps the machine's CPUs from sleeping while latency is measured.

On a virtual machine a CPU that has nothing to do is given back, and gets going
again tens of microseconds after whatever it waited for: as much as a drive of 50
us takes, and never the same. So each CPU has a process that does nothing but run,
at the policy that gives way to everybody else at once.
"""

import contextlib
import os
import subprocess
import sys

# It ends with who started it. Its argument is a file, see cpus_awake().
RUN = """
import os, sys, time
parent = os.getppid()
while os.getppid() == parent:
    if os.path.exists(sys.argv[1]):
        for _ in range(1000000): pass
    else:
        time.sleep(0.05)
"""


def _give_way(cpu):
    os.sched_setaffinity(0, [cpu])
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


@contextlib.contextmanager
def cpus_awake(wish):
    """As long as the file wish exists, which the guest makes and removes."""
    processes = [subprocess.Popen([sys.executable, "-c", RUN, wish],
                                  preexec_fn=lambda cpu=cpu: _give_way(cpu))
                 for cpu in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
