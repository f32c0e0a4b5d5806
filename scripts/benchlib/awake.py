# SPDX-License-Identifier: GPL-2.0
"""Keeps the machine's CPUs from sleeping while something is measured.

On a virtual machine a CPU that sleeps is given back, and gets going again tens of
microseconds after what it waited for: as much as a drive of 50 us takes, and never
the same. The kernel is told that no wake-up may take any time at all, see
Documentation/admin-guide/pm/cpuidle.rst: then it polls for work.
"""

import contextlib
import os
import struct

LATENCY = "/dev/cpu_dma_latency"


@contextlib.contextmanager
def cpus_awake():
    """Where the kernel can be told; as long as the file is open."""
    if not os.path.exists(LATENCY):
        yield
        return
    with open(LATENCY, "wb", buffering=0) as wish:
        wish.write(struct.pack("i", 0))
        yield
