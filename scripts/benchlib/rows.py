# SPDX-License-Identifier: GPL-2.0
"""What is measured: rows of work, and who does each of them."""

from dataclasses import dataclass
from itertools import product

# In the order in which they take turns.
RAW = ["raw1", "raw5"]
RIVALS = ["md", "dmraid"]
OURS = ["back", "through"]

# Ours where nothing is copied.
TRUSTED = "trusted"

# In guests where everything takes long.
SHORT = ("raw1", "linear", "md", "back", "through", TRUSTED)

WHAT_THEY_ARE = {
    "raw1": "one zoned drive by itself",
    "raw5": "five zoned drives in parallel, no redundancy",
    "linear": "dm-linear over one zoned drive",
    "zero": "dm-zero: no drive, no work but that of who writes",
    "md": "md RAID 5, five conventional drives",
    "dmraid": "dm-raid raid5_ls, five conventional drives",
    "back": "raizn, write_cache=back",
    "through": "raizn, write_cache=through",
    TRUSTED: "raizn, write_cache=back, buffers of users are not copied",
    "rebuilt": "raizn, a drive replaced, and scrubbed",
    "degraded": "raizn, write_cache=back, started without one of its drives",
    "mddegraded": "md RAID 5 without one of its drives",
}

# The drives in each regime: MiB/s of each, microseconds that a command takes.
REGIMES = {"cpu": (0, 0), "bandwidth": (50, 0), "latency": (0, 50)}

# Where zone commands are slow there are other drives; see zone_commands.py.
SLOW_ZONES = ("raw1", "back")

# Other levels, by what goes on: see levels.py.
LEVELS = {
    "raw1": "one zoned drive by itself",
    "raizn6": "raizn, level 6, six drives",
    "raizn6-trusted": "the same, buffers of users are not copied",
    "md6": "md RAID 6, six conventional drives",
    "dmraid6": "dm-raid raid6_nc, six conventional drives",
    "raizn6-one": "raizn, level 6, started without one of its drives",
    "md6-one": "md RAID 6 without one of its drives",
    "dmraid6-one": "dm-raid raid6_nc without one of its drives",
    "raizn6-two": "raizn, level 6, started without two of its drives",
    "md6-two": "md RAID 6 without two of its drives",
    "dmraid6-two": "dm-raid raid6_nc without two of its drives",
    "raizn6-rebuilt": "raizn, level 6, one or two drives replaced",
    "md6-rebuilt": "md RAID 6, one or two drives replaced",
    "raizn1": "raizn, level 1, two drives",
    "raizn1-trusted": "the same, buffers of users are not copied",
    "md1": "md RAID 1, two conventional drives",
    "dmraid1": "dm-raid raid1, two conventional drives",
    "raizn0": "raizn, level 0, four drives",
    "raizn0-trusted": "the same, buffers of users are not copied",
    "stripe0": "dm-stripe, four conventional drives",
}

SIZES = ("4k", "16k", "64k", "256k", "1m")
SYNCS = ("fdatasync1", "fdatasync8", "fdatasync64", "fua")


@dataclass(frozen=True)
class Row:
    """One kind of work: fio's words, more or less.

    rw has some words that fio has not: append (zone appends), mixed (random
    reads and sequential writes, 70 to 30), reset (of written zones), memory
    (of the module, with all zones active), fsync (a write with one each), or a
    file system that the work bs is done on.
    sync is "" or "fua" or "fdatasyncN", N writes between two of them.
    how is a word for what else is unlike other rows; see guest.py and fio.py.
    With cpus, no more of the guest's CPUs are used. A run takes so many times
    as long as others, and everybody has so many times as many turns.
    """
    regime: str
    rw: str
    bs: str
    depth: int = 32
    jobs: int = 1
    engine: str = "libaio"
    sync: str = ""
    cpus: int = 0
    how: str = ""
    contenders: tuple = ()
    quick: bool = False
    times: int = 1
    turns: int = 1

    @property
    def name(self):
        words = [self.regime, self.rw, *self.bs.split()]
        if self.depth:
            words.append(f"d{self.depth}")
        if self.jobs > 1:
            words.append(f"x{self.jobs}")
        if self.engine != "libaio":
            words.append(self.engine)
        if self.sync:
            words.append(self.sync)
        if self.cpus:
            words.append(f"cpus{self.cpus}")
        if self.how:
            words.append(self.how)
        return " ".join(words)


def _sequential_writes():
    everybody = (*RAW, "linear", *RIVALS, *OURS)
    for bs in SIZES:
        trusted = (TRUSTED,) if bs in ("4k", "64k", "1m") else ()
        yield Row("cpu", "write", bs,
                  contenders=(*everybody, *trusted, "zero"),
                  quick=bs == "64k")
        yield Row("cpu", "write", bs, jobs=4,
                  contenders=("raw5", *RIVALS, *OURS, *trusted),
                  quick=bs in ("256k", "1m"))
        yield Row("cpu", "write", bs, depth=1,
                  contenders=("raw1", "linear", *RIVALS, *OURS, *trusted))
        for depth, jobs in ((1, 4), (1, 8), (32, 8)):
            yield Row("cpu", "write", bs, depth=depth, jobs=jobs,
                      contenders=("raw5", *RIVALS, "back"))
    for bs in ("4k", "64k"):
        yield Row("cpu", "write", bs, engine="io_uring",
                  contenders=("raw1", "linear", "zero", *RIVALS, *OURS,
                              TRUSTED),
                  quick=bs == "4k")


def _buffers():
    """Data that comes out of the page cache, or in many small pieces."""
    contenders = ("raw1", "md", "back", TRUSTED)
    yield Row("cpu", "write", "1m", depth=0, how="buffered",
              contenders=contenders)
    yield Row("cpu", "write", "512k", depth=1, how="vectors",
              contenders=contenders)


def _small_blocks():
    yield Row("cpu", "write", "4k", how="blocks512",
              contenders=("raw1", "md", "back"))


def _durable_writes(zones):
    for bs, depth, jobs, sync in product(SIZES, (1, 32), zones, SYNCS):
        alone = jobs == 1
        yield Row("cpu", "write", bs, depth=depth, jobs=jobs, sync=sync,
                  contenders=("raw1" if alone else "raw5", *RIVALS,
                              *(OURS if alone and depth == 1 else ("back",))),
                  quick=(bs, depth, jobs) == ("4k", 1, 1) and
                  sync in ("fdatasync8", "fua"))


def _reads():
    everybody = (*RAW, "linear", *RIVALS, "back", "degraded", "mddegraded")
    for bs in SIZES:
        yield Row("cpu", "read", bs, contenders=everybody)
        yield Row("cpu", "randread", bs, contenders=everybody,
                  quick=bs == "4k")
    lacking = ("degraded", "mddegraded")
    yield Row("cpu", "randread", "4k", engine="io_uring",
              contenders=("raw1", "linear", *RIVALS, "back", *lacking))
    yield Row("cpu", "randread", "4k", engine="io_uring", how="nowait",
              contenders=("raw1", "back", "degraded"))
    yield Row("cpu", "randread", "4k", engine="io_uring", how="polled",
              contenders=("raw1", "linear", "back"))


def _bandwidth():
    contenders = ("raw5", *RIVALS, *OURS)
    for bs in ("4k", "64k", "256k", "1m"):
        yield Row("bandwidth", "write", bs, contenders=("raw1", *contenders),
                  quick=bs != "256k")
    yield Row("bandwidth", "write", "64k", depth=1, sync="fdatasync8",
              contenders=("raw1", *RIVALS, *OURS))
    yield Row("bandwidth", "write", "64k", jobs=8, contenders=contenders)
    readers = (*contenders[:-1], "degraded", "mddegraded")
    for bs in ("256k", "1m"):
        yield Row("bandwidth", "read", bs, contenders=readers,
                  quick=bs == "1m")
    # Of 32 random reads some drives have many, others have none; in the end, when
    # no new ones come, that is so with any number of them.
    for depth in (32, 160):
        yield Row("bandwidth", "randread", "64k", depth=depth,
                  contenders=readers, quick=True, times=6)


# What a timer's wake-up takes changes from second to second, for everybody.
TURNS = 3


def _latency():
    contenders = ("raw1", "linear", *RIVALS, *OURS)
    for bs in ("4k", "16k", "64k", "1m"):
        yield Row("latency", "write", bs, depth=1, contenders=contenders,
                  quick=bs in ("4k", "64k"), turns=TURNS)
    for bs in ("4k", "64k"):
        yield Row("latency", "write", bs, contenders=contenders)
    for bs in ("4k", "16k", "64k"):
        yield Row("latency", "write", bs, depth=1, sync="fua",
                  contenders=contenders, quick=bs == "4k", turns=TURNS)
        yield Row("latency", "write", bs, depth=1, sync="fdatasync1",
                  contenders=contenders)
    for every in (8, 64):
        yield Row("latency", "write", "4k", depth=1, sync=f"fdatasync{every}",
                  contenders=contenders)
    yield Row("latency", "write", "4k", depth=1, engine="io_uring",
              contenders=contenders)
    yield Row("latency", "randread", "4k", depth=1, contenders=contenders[:-1])


def _streams():
    """fsyncs while others have much under way; depth is theirs."""
    for depth in (32, 256):
        yield Row("bandwidth", "fsync", "4k", depth=depth, how="beside stream",
                  contenders=("raw1", "md", "back"), times=12)


def _other_sequential_writes():
    """Those of slow drives that rows above do not have."""
    for regime, bs, depth, jobs in product(("bandwidth", "latency"), SIZES,
                                           (1, 32), (1, 4, 8)):
        yield Row(regime, "write", bs, depth=depth, jobs=jobs,
                  contenders=("raw1" if (regime, jobs) == ("latency", 1)
                              else "raw5", *RIVALS, "back"))


def _scaling():
    """One zone on one CPU, eight zones on two; raw drives say what of that
    is the machine's."""
    for bs in ("4k", "64k"):
        for jobs, cpus in ((1, 1), (8, 2)):
            yield Row("cpu", "write", bs, jobs=jobs, cpus=cpus,
                      contenders=("raw1", "back"), quick=True)


def _appends():
    contenders = ("raw1", "linear", *OURS)
    for bs in ("4k", "64k", "256k"):
        yield Row("cpu", "append", bs, contenders=contenders)
    for jobs in (4, 8):
        yield Row("cpu", "append", "64k", jobs=jobs, contenders=contenders)
    yield Row("bandwidth", "append", "256k", contenders=contenders)
    yield Row("latency", "append", "4k", depth=1, contenders=contenders)


def _mixed():
    contenders = ("raw5", *RIVALS, "back", "degraded")
    for bs in ("4k", "64k"):
        yield Row("cpu", "mixed", bs, contenders=contenders)
    yield Row("bandwidth", "mixed", "64k", contenders=contenders)


def _zones():
    for regime in ("cpu", "latency"):
        yield Row(regime, "reset", "", depth=0,
                  contenders=("raw1", "linear", *OURS))
    yield Row("cpu", "memory", "", depth=0, contenders=("back", "degraded"),
              quick=True)


def _file_systems():
    for kind in ("f2fs", "btrfs"):
        for regime, work in (("bandwidth", "write 1m"), ("cpu", "write 1m"),
                             ("latency", "files")):
            yield Row(regime, kind, work, depth=0,
                      contenders=("linear", "md", "back"))


def rows(quick):
    """All rows, or those that the targets need. What there is most of comes last."""
    everything = {}
    for row in (*_sequential_writes(), *_buffers(), *_small_blocks(),
                *_durable_writes((1,)), *_reads(), *_bandwidth(), *_latency(),
                *_streams(), *_scaling(), *_appends(), *_mixed(), *_zones(),
                *_file_systems(), *_durable_writes((4, 8)),
                *_other_sequential_writes()):
        everything.setdefault(row.name, row)
    return [row for row in everything.values() if row.quick or not quick]


def short_rows():
    """Those for a guest in which everything takes long."""
    for bs in ("4k", "64k", "1m"):
        yield Row("cpu", "write", bs, contenders=SHORT)
    # User-Mode Linux has no huge pages.
    yield Row("cpu", "write", "1m", how="hugepages",
              contenders=("raw1", "md", "back", TRUSTED))
    others = [name for name in SHORT if name != TRUSTED]
    yield Row("cpu", "write", "4k", depth=1, sync="fdatasync8",
              contenders=others)
    yield Row("cpu", "append", "64k",
              contenders=[name for name in others if name != "md"])
    yield Row("cpu", "randread", "4k", contenders=others)


def zone_command_rows():
    """A writer with an fsync each, and what goes on beside it."""
    for beside in ("alone", "beside finish", "beside resets",
                   "beside reset all"):
        yield Row("zn540", "fsync", f"4k {beside}", depth=0,
                  contenders=SLOW_ZONES)


def level_rows():
    """Other levels than 5: writes and reads of arrays that are whole, and reads of
    those that lack drives."""
    whole = [name for name in LEVELS if "-" not in name and name != "raw1"]
    writers = [name for name in LEVELS if name in whole or TRUSTED in name]
    lacking = [name for name in LEVELS if name.endswith(("-one", "-two"))]
    level6 = [name for name in LEVELS if name in lacking or
              name in whole and name.endswith("6")]
    for bs, depth, jobs in (("4k", 32, 1), ("64k", 32, 1), ("256k", 32, 1),
                            ("1m", 32, 1), ("64k", 1, 1), ("256k", 32, 4),
                            ("1m", 32, 4)):
        yield Row("cpu", "write", bs, depth=depth, jobs=jobs,
                  contenders=writers)
    everybody = [name for name in LEVELS if name in whole or name in lacking]
    yield Row("cpu", "randread", "4k", contenders=everybody)
    # md's stripe cache has up to 64 MiB of an array that lacks drives, and each run
    # begins with the same data: it has to read more than that.
    yield Row("cpu", "read", "1m", contenders=everybody, times=2)
    yield Row("bandwidth", "read", "1m", contenders=level6, times=2)
