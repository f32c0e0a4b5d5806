# SPDX-License-Identifier: GPL-2.0
"""A writer with an fdatasync each, beside a stream of large writes into other zones.
Runs in the guest.

The writer has a zone of its own, and does not pause. What counts is the time of a
write and its fdatasync together: a volume may make either wait.
"""

import json
import mmap
import os
import statistics
import subprocess
import time

from . import contenders as cont
from . import fio
from .zone_commands import BLOCK, percentile

STREAM_BLOCK = "1m"


def _stream(contender, row, seconds):
    """From the zone behind the writer's on."""
    begin = contender.place + contender.zone
    return subprocess.Popen(
        ["fio", "--name=stream", f"--filename={contender.devices[0]}",
         "--rw=write", f"--bs={STREAM_BLOCK}", "--direct=1",
         "--ioengine=libaio", f"--iodepth={row.depth}", f"--offset={begin}",
         f"--size={contender.size - begin}",
         f"--runtime={round(seconds * 1000)}ms", "--disk_util=0",
         "--output-format=json"], text=True, stdout=subprocess.PIPE)


def _write(contender, stream):
    """Until the stream has ended: when each write began, how long it took, and how
    long its fdatasync by itself."""
    seen = []
    block = mmap.mmap(-1, BLOCK)
    block[:] = b"\x5a" * BLOCK
    fd = os.open(contender.devices[0], os.O_WRONLY | os.O_DIRECT)
    offset, end = contender.place, contender.place + contender.zone
    while stream.poll() is None and offset < end:
        begun = time.time()
        offset += os.pwrite(fd, block, offset)
        written = time.time()
        os.fdatasync(fd)
        ended = time.time()
        seen.append((begun, ended - begun, ended - written))
    os.close(fd)
    return seen


def measure(contender, row, seconds):
    """What the writer sees while the stream goes on."""
    fio.prepare(contender, row)
    before = cont.member_statistics(contender.members)
    stream = _stream(contender, row, seconds)
    seen = _write(contender, stream)
    told, _ = stream.communicate()
    if stream.returncode:
        raise SystemExit(f"fio failed: {row.name} on {contender.name}\n{told}")
    job = json.loads(told[told.index("{"):])["jobs"][0]
    start = job["job_start"] / 1000
    seen = [look for look in seen if start <= look[0] < start + seconds]
    if not seen:
        raise SystemExit(f"bench: {row.name}: {contender.name} ended no write")
    _, both, syncs = zip(*seen)
    return {"row": row.name, "contender": contender.name, "bytes": 0,
            "operations": len(both), "seconds": seconds, "start": start,
            "latency_us": statistics.fmean(both) * 1e6,
            "median_us": statistics.median(both) * 1e6,
            "p99_us": percentile(both, 99) * 1e6, "max_us": max(both) * 1e6,
            "sync_us": statistics.median(syncs) * 1e6,
            "sync_p99_us": percentile(syncs, 99) * 1e6,
            "stream_rate": job["write"]["io_bytes"] * 1000 /
            job["write"]["runtime"],
            "members": cont.difference(
                cont.member_statistics(contender.members), before),
            "target": {}}
