#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The part of scripts/bench that runs in the guest: makes the contenders, lets
them take turns, writes a line of JSON for each run to LAB_DIR/runs.jsonl."""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchlib import background          # noqa: E402
from benchlib import contenders as cont  # noqa: E402
from benchlib import filesystems         # noqa: E402
from benchlib import fio                 # noqa: E402
from benchlib import levels              # noqa: E402
from benchlib import other_drives        # noqa: E402
from benchlib import streams             # noqa: E402
from benchlib import zone_commands       # noqa: E402
from benchlib import zones               # noqa: E402
from benchlib.rows import REGIMES, WHAT_THEY_ARE, Row, level_rows, rows, \
    short_rows, zone_command_rows    # noqa: E402

STARTED = time.monotonic()
LAB_DIR = Path(os.environ.get("LAB_DIR", "/lab"))


# Measures of work that fio cannot do, or that has drives of its own: by Row.rw or Row.how.
MEASURES = {"append": zones.append, "reset": zones.reset,
            "memory": zones.memory, "f2fs": filesystems.measure,
            "btrfs": filesystems.measure, "fsync": zone_commands.measure,
            "blocks512": other_drives.measure, "polled": other_drives.measure,
            "buffered": zones.write_back, "vectors": zones.vectors,
            "beside stream": streams.measure}


def rate(result):
    """MiB/s, or what is done a second where it is not bytes that count."""
    what = result.get("operations", result["bytes"] / (1 << 20))
    return what / max(result["seconds"], 0.001)


def say(text):
    print(f"{time.monotonic() - STARTED:6.0f} s  {text}", flush=True)


def speed_of(contender, seconds):
    """What settings are judged by: MiB/s of two rows, their product's root."""
    work = [Row("cpu", "write", bs, jobs=4) for bs in ("64k", "1m")]
    product = 1
    for row in work:
        product *= max(rate(fio.measure(contender, row, seconds))
                       for _ in range(2))
    return product ** 0.5


def tune(contender, choices, seconds):
    """Tries each of the settings, leaves the best one in force."""
    seen = []
    for settings in choices:
        contender.set(**settings)
        seen.append((speed_of(contender, seconds), settings))
        say(f"{contender.name} with {settings}: {seen[-1][0]:.0f} MiB/s")
    best = max(seen, key=lambda pair: pair[0])[1]
    contender.set(**best)
    return [{"contender": contender.name, "settings": settings,
             "mib_per_s": speed} for speed, settings in seen]


def tune_rivals(md, dmraid, quick):
    """One search, of those that take part; the quick run takes what usually wins."""
    caches, threads = (1024, 4096), (0, 1, 2, 4)
    if md and quick:
        md.set(stripe_cache_size=1024, group_thread_cnt=1)
    seen = []
    if md and not quick:
        seen += tune(md, [{"stripe_cache_size": c, "group_thread_cnt": t}
                          for c in caches for t in threads], 0.4)
        seen += tune(md, [dict(md.settings, skip_copy=c) for c in (0, 1)], 0.4)
    if dmraid and not quick:
        seen += tune(dmraid, [{"stripe_cache_size": c} for c in caches], 0.4)
    return seen


def run_row(everybody, row, options, out):
    cont.set_regime(0, 0)
    names = [n for n in row.contenders if n in everybody]
    measure = MEASURES.get(row.how) or MEASURES.get(row.rw, fio.measure)
    if "read" in row.rw and measure is fio.measure:
        for name in names:
            fio.fill(everybody[name])
    cont.set_regime(*REGIMES.get(row.regime, (0, 0)))
    rates = {name: [] for name in names}
    for repeat in range(options.repeats * row.turns):
        # Nobody is always behind the same one.
        turn = repeat % len(names) if names else 0
        for name in names[turn:] + names[:turn]:
            with cont.on_cpus(row.cpus):
                result = measure(everybody[name], row,
                                 options.seconds * row.times)
            result["repeat"] = repeat
            rates[name].append(rate(result))
            out.write(json.dumps(result) + "\n")
            out.flush()
    say(f"{row.name:42}" + "".join(
        f" {name} {sorted(seen)[len(seen) // 2]:.0f}"
        for name, seen in rates.items()))


def versions():
    """What the figures are of, as far as the guest knows."""
    log = subprocess.run(["dmesg"], text=True, check=False,
                         stdout=subprocess.PIPE).stdout
    xor = re.findall(r"xor: (.*)", log)
    return {"kernel": os.uname().release, "cpus": os.cpu_count(),
            "xor": "xor: " + (xor[-1] if xor else "unknown"),
            "fio": cont.run("fio", "--version").strip(),
            "mdadm": cont.run("mdadm", "--version").strip(),
            "members": cont.MEMBERS, "chunk_kib": cont.CHUNK_KIB,
            "zone_mib": cont.ZONE_MIB, "regimes": REGIMES}


def chosen_rows(options):
    if options.zone_commands:
        return zone_command_rows()
    if options.levels:
        return level_rows()
    return short_rows() if options.short else rows(options.quick)


def prepare(options):
    """Makes the contenders; returns them, and what the figures are of."""
    module = levels if options.levels else \
        zone_commands if options.zone_commands else cont
    everybody = module.make_contenders(options.contenders.split())
    rivals = ("md6", "dmraid6") if options.levels else ("md", "dmraid")
    settings = {"tuning": tune_rivals(*map(everybody.get, rivals),
                                      options.quick or options.short),
                **versions()}
    if options.levels:
        levels.same_settings(everybody)
    if module is not cont:
        settings.update(module.settings())
    for name in everybody.keys() & set(rivals):
        settings[name] = everybody[name].settings
        say(f"{name}: {settings[name]}")
    return everybody, settings


def rebuilds(everybody, options, done):
    if options.levels:
        return levels.rebuilds(everybody, options, done)
    if "rebuilt" in everybody:
        return background.measure(everybody, options, done)
    return ()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--zone-commands", action="store_true")
    parser.add_argument("--levels", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--rows", default="")
    parser.add_argument("--contenders", default=" ".join(WHAT_THEY_ARE))
    options = parser.parse_args()
    everybody, settings = prepare(options)
    (LAB_DIR / "settings.json").write_text(json.dumps(settings, indent=1))
    done = json.loads((LAB_DIR / "done.json").read_text())
    with open(LAB_DIR / "runs.jsonl", "w", encoding="utf-8") as out:
        for result in rebuilds(everybody, options, done):
            out.write(json.dumps(result) + "\n")
            out.flush()
            say(f"{result['row']:42} {result['contender']} "
                f"{rate(result):.0f}")
        for row in chosen_rows(options):
            if re.search(options.rows, row.name) and row.name not in done:
                run_row(everybody, row, options, out)
    # For a profile.
    (LAB_DIR / "kallsyms").write_text(Path("/proc/kallsyms").read_text())


if __name__ == "__main__":
    main()
