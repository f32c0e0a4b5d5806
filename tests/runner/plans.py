# SPDX-License-Identifier: GPL-2.0
"""Which scenario runs where, and how much of it: rows (guest, scale in percent,
scenarios, times). Entries are begun in this order."""

# Of target, what depends on the kernel's block layer and device mapper.
KERNEL_TARGETS = "target/append target/flushes target/limits target/module " \
    "target/nowait target/reload target/requests target/reset-all-at-once " \
    "target/suspend-verified"

# Emulated guests prove what depends on the kernel and on real drivers; User-Mode Linux
# everything else, the debug kernel what lock proving and KASAN may find.
CHECK = (
    ("trixie", 40, "resets rebuild_resets", 1),
    ("trixie", 100, "pull", 1),
    ("trixie-server", 100, "server/boots scsi/reset", 1),
    ("trixie", 50, "scsi/files scsi/replace scsi/zones", 1),
    ("bookworm", 5, "zonemodel io/write-back", 1),
    ("bookworm", 10, "fs demo", 1),
    ("bookworm", 10, KERNEL_TARGETS, 1),
    ("backports", 10, "demo", 1),
    ("backports", 10, KERNEL_TARGETS, 1),
    ("host", 100, "plans static model unit", 1),
    ("uml-debug", 5, "zonemodel io/write-through", 1),
    ("uml-debug", 10, "powercut degraded", 1),
    ("uml-debug", 40, "failures", 1),
    ("uml-debug", 2, "faults", 1),
    ("uml-debug", 10, "target", 1),
    ("uml", 100, "geometry", 1),
    ("uml", 10, "tools fs", 1),
    ("uml", 30, "zonesim badzones", 1),
    ("uml", 100, "judges/zone-tools", 1),
    ("uml", 100, "stalls", 1),
    ("uml", 15, "badmeta", 1),
    ("uml", 100, "equivalence faults powercut", 1),
    ("uml", 50, "degraded", 1),
    ("uml", 60, "failures", 1),
    ("uml", 100, "operations", 1),
)

# Below tests/rig, but for other purposes.
NO_TESTS = ("bench_start",)

QUICK = (
    ("host", 100, "unit", 1),
    ("uml-debug", 10, "tools zonemodel", 1),
)

MUTANTS = (
    ("host", 100, "model-mutants", 1),
    ("uml", 100, "mutants", 1),
)

# Minutes that a row takes on one of two cores stand before it.
LONG = (
    (1, "host", 100, "unit", 1),
)
