#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What chance leaves of the bandwidth of several drives: each of so many readers has one
read under way at a drive that is chosen at random, and a drive takes the same time for
each. Prints the share of time in which a drive has something to do.

	scripts/benchlib/random_reads.py [DRIVES [DEPTH...]]
"""

import heapq
import random
import sys

READS = 200_000


def busy(drives, depth, rng):
    """The share, of a closed network with constant times of service."""
    waiting = [0] * drives
    ends = []       # (time, drive) of what each busy drive does

    def send(now):
        drive = rng.randrange(drives)
        waiting[drive] += 1
        if waiting[drive] == 1:
            heapq.heappush(ends, (now + 1, drive))

    for _ in range(depth):
        send(0)
    now = 0
    for _ in range(READS):
        now, drive = heapq.heappop(ends)
        waiting[drive] -= 1
        if waiting[drive]:
            heapq.heappush(ends, (now + 1, drive))
        send(now)
    return READS / now / drives


def main():
    drives = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    depths = [int(word) for word in sys.argv[2:]] or [32, 160]
    for depth in depths:
        print(f"{drives} drives, {depth} reads under way: "
              f"{busy(drives, depth, random.Random(1)):.3f}")


if __name__ == "__main__":
    main()
