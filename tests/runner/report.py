# SPDX-License-Identifier: GPL-2.0
"""What a run says at its end."""

# What suites count, and a person wants to know of the whole run.
COUNTS = ("crash states", "power cuts", "faults injected", "pairs of faults injected",
          "failure rounds", "machine resets")


def counts_of(outcomes):
    return {name: sum(o.counts.get(name, 0) for o in outcomes) for name in COUNTS}


def sums_of(outcomes):
    return (sum(o.passed for o in outcomes), sum(o.failed for o in outcomes),
            sum(o.skipped for o in outcomes))


def _rows(outcomes, boots):
    """[suite, guest, scenarios, checks, seconds, CPU seconds], the longest first."""
    rows = {}
    for outcome in outcomes:
        entry = outcome.entry
        row = rows.setdefault((entry.suite, entry.guest),
                              [entry.suite, entry.guest, 0, 0, 0.0, 0.0])
        row[2] += 1
        row[3] += outcome.passed + outcome.failed
        row[4] += outcome.seconds
        row[5] += outcome.cpu
    table = sorted(rows.values(), key=lambda row: -row[4])
    by_guest = {}
    for guest, seconds, cpu in boots:
        row = by_guest.setdefault(guest, ["(build, boot)", guest, 0, 0, 0.0, 0.0])
        row[2] += 1
        row[4] += seconds
        row[5] += cpu
    return table + sorted(by_guest.values(), key=lambda row: -row[4])


def show_table(outcomes, boots):
    rows = _rows(outcomes, boots)
    print(f"# {'suite':16} {'guest':14} {'scenarios':>9} {'checks':>7} {'seconds':>8} "
          f"{'CPU':>5}")
    for suite, guest, scenarios, checks, seconds, cpu in rows:
        print(f"# {suite:16} {guest:14} {scenarios:9} {checks:7} {seconds:8.0f} "
              f"{cpu:5.0f}")
    print(f"# CPU seconds in all: {sum(row[5] for row in rows):.0f}")


def show_slowest(outcomes, nr):
    """The scenarios that would be worth shortening."""
    for outcome in sorted(outcomes, key=lambda o: -o.seconds)[:nr]:
        print(f"# {outcome.seconds:6.0f} s  {outcome.entry.guest} {outcome.entry.name}")


def show_failures(outcomes):
    failed = [o for o in outcomes if o.failed]
    if failed:
        print("# failed:")
    for outcome in failed:
        for why in outcome.failures:
            print(f"#   {outcome.entry.guest}: {why}")
        print(f"#     again: {outcome.entry.repeat()}")


def show_sums(outcomes, boots, wall_seconds):
    """The last three lines."""
    busy = sum(o.seconds for o in outcomes) + sum(s for _, s, _ in boots)
    print(f"time: {busy:.0f} s in all suites, {wall_seconds:.0f} s "
          f"({wall_seconds / 60:.1f} min) from begin to end")
    counts = counts_of(outcomes)
    print("counts: " + (", ".join(f"{name} {n}" for name, n in counts.items() if n) or
                        "none"))
    passed, failed, skipped = sums_of(outcomes)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))


def record_of(outcomes, **facts):
    """What is kept of a run, for tests/runner/records.py."""
    passed, failed, skipped = sums_of(outcomes)
    return dict(facts, passed=passed, failed=failed, skipped=skipped,
                counts={k: v for k, v in counts_of(outcomes).items() if v},
                entries=[{"guest": o.entry.guest, "name": o.entry.name,
                          "seconds": round(o.seconds, 1), "cpu": round(o.cpu, 1),
                          "passed": o.passed, "failed": o.failed} for o in outcomes])
