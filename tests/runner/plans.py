# SPDX-License-Identifier: GPL-2.0
"""Which scenario runs where, and how much of it: rows (guest, scale in percent,
scenarios, times). Entries of one boot follow each other in this order. Two lanes of four
take boots from the first on, two from the last."""

# Of target, what depends on the kernel's block layer and device mapper. The newest ones are
# those of User-Mode Linux, too: so the oldest kernel runs it in check, all do in long.
KERNEL_TARGETS = "target/append target/flushes target/limits target/module " \
    "target/nowait target/reload target/requests target/reset-all-at-once " \
    "target/uring-degraded"

# Of target, what may show a lock or memory that is used wrongly.
DEBUG_TARGETS = "target/table target/status target/memory target/requests " \
    "target/nowait target/append target/suspend* target/crash target/maintain " \
    "target/module"

# Without fs/btrfs-member-replaced: only before 6.15 btrfs asks for zones while it is written,
# so 6.1 runs it.
FILE_SYSTEMS = "fs/btrfs fs/crypt fs/f2fs fs/linear fs/xfs fs/zonefs "

# Without geometry/file-systems, which has a part of fs for each of them.
GEOMETRIES = "geometry/hc* geometry/pm* geometry/profiles geometry/zn*"

# The others.
OTHER_TARGETS = "target/active-zones target/amplification target/changing-buffers " \
    "target/memory target/trusted-buffers target/backlog* target/comes-again target/reversed " \
    "target/chained-writes target/write-attributes target/degraded* " \
    "target/flushes target/limits target/log-switches target/open-zones " \
    "target/reload target/reset-all-at-once target/nowait-degraded target/polled " \
    "target/vectors target/small-blocks"

# Emulated guests prove what depends on the kernel and on real drivers; User-Mode Linux
# everything else, the debug kernel what lock proving and KASAN may find.
CHECK = (
    ("host", 100, "static plans set-up kernel-log model unit", 1),
    ("trixie-server", 100, "server/boots scsi/reset", 1),
    ("trixie", 12, "resets forced_reboots", 1),
    ("trixie", 100, "pull", 1),
    ("trixie", 50, "scsi/files scsi/replace scsi/zones scsi/twins tools/stop-in-use", 1),
    ("bookworm", 5, "io/write-back", 1),
    ("bookworm", 10, "fs/f2fs fs/btrfs-member-replaced " + KERNEL_TARGETS, 1),
    ("backports", 10, "demo", 1),
    ("uml-debug", 5, "zonemodel io/write-through degraded powercut", 1),
    ("uml-debug", 12, "failures", 1),
    ("uml-debug", 10, DEBUG_TARGETS, 1),
    ("uml", 100, GEOMETRIES, 1),
    ("uml", 10, "tools " + FILE_SYSTEMS + OTHER_TARGETS, 1),
    ("uml", 20, "zonesim badzones", 1),
    ("uml", 100, "judges/zone-tools", 1),
    ("uml", 100, "stalls", 1),
    ("uml", 8, "badmeta", 1),
    ("uml", 12, "equivalence", 1),
    ("uml", 12, "advice", 1),
    ("uml", 15, "computable", 1),
    ("uml", 80, "faults/single faults/pairs faults/pairs-at-start", 1),
    ("uml", 14, "powercut", 1),
    ("uml", 16, "degraded", 1),
    ("uml", 11, "failures", 1),
    ("uml", 100, "operations", 1),
)

# Below tests/rig, but for other purposes.
NO_TESTS = ("bench_start",)

QUICK = (
    ("host", 100, "unit", 1),
    ("uml", 10, "tools", 1),
    ("uml-debug", 10, "zonemodel", 1),
)

MUTANTS = (
    ("host", 100, "model-mutants", 1),
    ("uml", 100, "mutants", 1),
)

# Minutes that a row takes, about, in one lane of four, stand before it: they decide which
# piece has it. Twelve pieces (PART=k/12) are to end within an hour each. The rows at the end
# take longer than they say: so they come to pieces that had time left, and leave the others
# where they are.
LONG = (
    (20, "host", 100, "model-long", 1),
    (5, "host", 100, "static-all", 1),
    # More of what check has.
    (13, "uml", 100, "powercut", 25),
    (13, "uml", 100, "failures", 15),
    (20, "uml-debug", 100, "failures", 10),
    (25, "uml-debug", 125, "powercut", 2),
    (20, "uml-debug", 125, "degraded", 2),
    (35, "uml-debug", 100, "faults/single faults/pairs faults/pairs-at-start", 1),
    (60, "uml", 2500, "faults/single faults/pairs-*", 1),
    (12, "uml", 500, "equivalence", 5),
    (12, "uml", 250, "degraded", 5),
    (15, "uml-debug", 50, "zonemodel", 4),
    (15, "uml-debug", 100, "io", 2),
    (30, "uml-debug", 400, "target", 1),
    (20, "uml-debug", 100, "operations stalls", 1),
    (8, "uml", 100, "tools geometry/file-systems", 1),
    (5, "uml", 30, "zonesim badzones", 1),
    (5, "uml", 15, "badmeta", 1),
    (3, "uml", 100, "stalls", 1),
    # Outside judges.
    (15, "uml", 100, "judges/fio-zbd-*", 1),
    # Stock kernels.
    (10, "trixie", 100, "resets", 1),
    (8, "trixie", 100, "rebuild_resets pull demo", 1),
    (3, "bookworm", 100, "demo", 1),
    (3, "backports", 100, "demo", 1),
    (10, "trixie", 100, "scsi/files scsi/replace scsi/zones", 1),
    (20, "trixie", 100, "target", 1),
    (8, "trixie", 100, "nvme_profile", 1),
    (20, "bookworm", 100, "zonemodel", 1),
    (20, "bookworm", 100, "io", 1),
    (10, "bookworm", 100, "fs", 1),
    (20, "bookworm", 100, "target", 1),
    (20, "bookworm", 100, "tools", 1),
    (8, "bookworm", 100, "pull rebuild_resets", 1),
    (10, "backports", 100, "fs", 1),
    (20, "backports", 100, "target", 1),
    (20, "backports", 100, "tools", 1),
    (8, "backports", 100, "pull rebuild_resets", 1),
    (3, "trixie-server", 100, "server/boots scsi/reset", 1),
    (2, "trixie-server", 100, "server/root", 1),
    (2, "host", 100, "packages", 1),
    (1, "trixie-server", 100, "server/root-dracut", 1),
    (1, "trixie-server", 100, "server/sleep", 1),
    (12, "uml", 300, "advice", 2),
    (12, "uml", 300, "computable", 2),
)
