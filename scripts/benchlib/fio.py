# SPDX-License-Identifier: GPL-2.0
"""One run of fio on a contender. Runs in the guest."""

import contextlib
import json
import subprocess
from pathlib import Path

from . import contenders as cont
from .contenders import difference, member_statistics

FILL_MIB = 2048
MIB = 1 << 20
# Places at which an array without zones is written in turns: its cache has what was
# written there last.
PLACES = 8
# Options by Row.how.
OPTIONS = {
    "nowait": ["--nowait=1", "--ignore_error=EAGAIN"],
    "polled": ["--hipri=1"],
    "hugepages": ["--mem=shmhuge"],
}
HUGE_PAGES = Path("/proc/sys/vm/nr_hugepages")
# Of 2 MiB, for 32 buffers of 1 MiB and what fio has besides.
ENOUGH_HUGE_PAGES = 24


def _span(contender, row):
    """Bytes of each job: its zones, or its share of what can be read."""
    whole = contender.size
    if row.rw == "mixed":
        return whole
    if "read" in row.rw:
        whole = FILL_MIB * MIB // len(contender.devices)
        return whole // row.jobs // MIB * MIB
    whole -= contender.front
    if not contender.has_zones:
        whole -= PLACES * contender.zone
    return whole // row.jobs // contender.zone * contender.zone


def _sync_words(row):
    if row.sync == "fua":
        # O_DSYNC of an asynchronous direct write is FUA, without a flush.
        return ["--sync=dsync"]
    if row.sync.startswith("fdatasync"):
        return [f"--fdatasync={row.sync[9:]}"]
    return []


def _mixed_words(contender):
    """Writes from the front on, reads from what was filled behind them."""
    return ["--rw=randrw", "--rwmixread=70", "--percentage_random=100,0",
            "--random_distribution=zoned_abs:0/%d:100/%d" % _behind(contender)]


def command(contender, row, seconds):
    span = _span(contender, row)
    words = ["fio", f"--bs={row.bs}", "--direct=1",
             f"--ioengine={row.engine}", f"--iodepth={row.depth}",
             # No threads: in User-Mode Linux those of one process wait for
             # each other in system calls.
             "--group_reporting", "--output-format=json",
             # Before it begins it would look at all drives there are, a second
             # for five of them.
             "--disk_util=0",
             f"--numjobs={row.jobs}", f"--size={span}",
             f"--offset_increment={span}",
             f"--runtime={round(seconds * 1000)}ms",
             "--norandommap", "--randrepeat=0", "--lat_percentiles=1",
             "--clat_percentiles=0"]
    words += _mixed_words(contender) if row.rw == "mixed" \
        else [f"--rw={row.rw}"]
    words += _sync_words(row) + OPTIONS.get(row.how, [])
    if row.rw == "write":
        words.append(f"--offset={contender.front + contender.place}")
    if row.depth > 1 and (row.regime == "cpu" or row.rw != "randread"):
        # A system call for each block would be all that is measured. Slow
        # drives that are chosen at random need all of the depth in use.
        batch = row.depth // 2
        words += [f"--iodepth_batch_submit={batch}",
                  f"--iodepth_batch_complete_min={batch}",
                  f"--iodepth_batch_complete_max={row.depth}"]
    if "read" in row.rw:
        words.append("--time_based")
    for i, device in enumerate(contender.devices):
        words += [f"--name=job{i}", f"--filename={device}"]
    return words


def _behind(contender):
    """The last zone, which is written for mixed work: where, how much."""
    return contender.size - contender.zone, contender.zone


def _write_all(contender, offset, size):
    words = ["fio", "--rw=write", "--bs=1m", "--direct=1",
             "--ioengine=libaio", "--iodepth=8", f"--offset={offset}",
             f"--size={size}"]
    for i, device in enumerate(contender.devices):
        words += [f"--name=fill{i}", f"--filename={device}"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def fill(contender, mib=FILL_MIB):
    """What reads need: written zones from the front."""
    if contender.filled:
        return
    contender.reset()
    contender.filled = mib * MIB // len(contender.devices)
    _write_all(contender, 0, contender.filled)


def prepare(contender, row):
    if "read" in row.rw:
        fill(contender)
        return
    contender.reset()
    if not contender.has_zones:
        contender.place = (contender.place + contender.zone) % \
            (PLACES * contender.zone)
    # Where there are no zones, all can be read.
    if row.rw == "mixed" and contender.has_zones:
        with cont.without_limits():
            _write_all(contender, *_behind(contender))


def _both(sides):
    """Reads and writes together; the median is that of the larger part."""
    read, written = sides
    count = read["total_ios"] + written["total_ios"]
    mean = sum(side["lat_ns"]["mean"] * side["total_ios"]
               for side in sides) / max(count, 1)
    return {"io_bytes": read["io_bytes"] + written["io_bytes"],
            "total_ios": count,
            "runtime": max(read["runtime"], written["runtime"]),
            "lat_ns": dict(read["lat_ns"], mean=mean)}


def _side(job, rw):
    if rw == "mixed":
        return _both((job["read"], job["write"]))
    return job["read" if "read" in rw else "write"]


@contextlib.contextmanager
def _huge_pages(row):
    """For a row that has its buffers in them."""
    if row.how != "hugepages":
        yield
        return
    HUGE_PAGES.write_text(str(ENOUGH_HUGE_PAGES))
    yield
    HUGE_PAGES.write_text("0")


def run(contender, row, seconds, ramp=0):
    """One run; returns what was seen. The CPU time is the host's business."""
    target_counters = getattr(contender, "counters", dict)
    words = command(contender, row, seconds)
    if ramp:
        words.insert(1, f"--ramp_time={ramp}")
    members, target = (member_statistics(contender.members),
                       target_counters())
    with _huge_pages(row):
        done = subprocess.run(words, text=True, stdout=subprocess.PIPE,
                              check=False)
    if done.returncode:
        raise SystemExit(f"fio failed: {row.name} on {contender.name}\n"
                         f"{done.stdout[-2000:]}")
    job = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]
    side = _side(job, row.rw)
    return {
        "row": row.name, "contender": contender.name,
        "bytes": side["io_bytes"], "seconds": side["runtime"] / 1000,
        "start": job["job_start"] / 1000 + ramp,
        "latency_us": side["lat_ns"]["mean"] / 1000,
        "median_us": side["lat_ns"].get("percentile", {})
        .get("50.000000", 0) / 1000,
        "sync_us": job.get("sync", {}).get("lat_ns", {})
        .get("percentile", {}).get("50.000000", 0) / 1000,
        "requests": side["total_ios"], "errors": job.get("total_err", 0),
        "members": difference(member_statistics(contender.members), members),
        "target": difference(target_counters(), target),
    }


def measure(contender, row, seconds):
    """A run of which each one begins with the same."""
    prepare(contender, row)
    return run(contender, row, seconds)
