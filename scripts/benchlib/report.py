# SPDX-License-Identifier: GPL-2.0
"""Tables and plots, of nothing but the JSON in a directory of results."""

import json
import statistics

from . import results as figures
from .rows import LEVELS, TRUSTED, WHAT_THEY_ARE
from .targets import LEVEL_TARGETS, MD, MD_OF_LEVEL, summary


def _cell(results, row, contender, what, digits=0):
    values = results.values(row, contender, what)
    if not values:
        return ""
    median = results.median(row, contender, what)
    return (f"{median:.{digits}f} ({min(values):.{digits}f}"
            f"-{max(values):.{digits}f})")


def _each_cell(results, row, contender, what, digits):
    """Of the members with the lowest and the highest figure."""
    values = results.values(row, contender, what)
    if not values:
        return ""
    low, high = (statistics.median(numbers) for numbers in zip(*values))
    return f"{low:.{digits}f}-{high:.{digits}f}"


def _table(results, rows, what, digits, cell=_cell, contenders=None):
    names = [name for name in contenders or WHAT_THEY_ARE
             if any(results.values(row, name, what) for row in rows)]
    if not names:
        return []
    lines = ["| work | " + " | ".join(names) + " |",
             "|---|" + "---:|" * len(names)]
    for row in rows:
        cells = [cell(results, row, name, what, digits) for name in names]
        if any(cells):
            lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


def _summary_lines(verdicts):
    lines = ["| target | ratio | wanted | met |", "|---|---:|---:|---|"]
    for v in verdicts:
        lines.append(f"| {v['name']} | {v['ratio']:.2f} | {v['target']} | "
                     f"{'yes' if v['met'] else '**no**'} |")
    return lines


# Whose medians are compared with whose, the best of them.
RIVALS_OF = {"back": MD, "through": MD, "degraded": ("mddegraded",)}


def _against_rivals(results, row, ours):
    """Our median for each of theirs, and whether all our runs are below all of
    theirs: work of a second, or bytes."""
    for what in (figures.operations, figures.rate):
        mine = results.median(row, ours, what)
        theirs = max((rival for rival in RIVALS_OF[ours]
                      if results.values(row, rival, what)),
                     key=lambda rival: results.median(row, rival, what),
                     default=None)
        if mine and theirs:
            return (mine / results.median(row, theirs, what),
                    max(results.values(row, ours, what)) <
                    min(results.values(row, theirs, what)))
    return None


def _slower_lines(results):
    """Rows in which a rival has more, the worst first."""
    lines = []
    compared = 0
    for row in results.rows():
        found = [_against_rivals(results, row, ours) for ours in RIVALS_OF]
        seen = [ratio for ratio, _ in filter(None, found)]
        compared += bool(seen)
        if seen and min(seen) < 1:
            cells = [f"{pair[0]:.2f}{'*' if pair[1] else ''}" if pair else ""
                     for pair in found]
            lines.append((min(seen), f"| {row} | {' | '.join(cells)} |"))
    return ["By medians, for each of the better of md and dm-raid; `degraded` for "
            "each of md without a drive. * where all runs are below all of the "
            f"other's. {len(lines)} of {compared} rows, those in which any of the "
            "three is below 1.", "",
            f"| work | {' | '.join(RIVALS_OF)} |",
            "|---|" + "---:|" * len(RIVALS_OF),
            *(line for _, line in sorted(lines))]


def _ratio(results, row, ours, other, what, digits=2):
    """By medians; nothing where one of them has no figure."""
    over, under = (results.median(row, name, what) for name in (ours, other))
    return f"{over / under:.{digits}f}" if over and under else ""


def _copying_lines(results, heading):
    """Rows in which one of ours copies and another does not."""
    lines = []
    for row in results.rows():
        cells = [_ratio(results, row, "back", TRUSTED, what)
                 for what in (figures.rate, figures.cpu)]
        if any(cells):
            lines.append(f"| {row} | {' | '.join(cells)} |")
    if not lines:
        return []
    return ["", f"{heading} What copying costs", "",
            f"`back` for each of `{TRUSTED}`, by medians.", "",
            "| work | throughput | CPU time of each GiB |", "|---|---:|---:|",
            *lines]


def _rivals(boot):
    """Their settings, where they took part."""
    for md, dmraid in (MD, MD_OF_LEVEL[6]):
        if md in boot:
            return (f"; md ran with {boot[md]}, dm-raid with "
                    f"{boot.get(dmraid)}")
    return ""


def _boots(results):
    """What was measured in which boot of which machine."""
    for boot in results.boots:
        rows = results.rows_of(boot["boot"])
        some = f": {', '.join(rows)}" if len(results.boots) > 1 else ""
        yield (f"- boot of {boot['boot']}, {len(rows)} rows of "
               f"{boot['seconds']} s{some}. Linux {boot['kernel']} with "
               f"{boot['cpus']} CPUs on {boot['host']['cpus']} of "
               f"{boot['host']['model']}; dm-raizn {boot['commit']}, "
               f"{boot['fio']}; {boot['xor']}{_rivals(boot)}.")


def _table_of_contenders(results, rows, columns):
    """A line for each contender of each row; columns: (title, figure, digits)."""
    lines = ["| work | contender | " + " | ".join(c[0] for c in columns) + " |",
             "|---|---|" + "---:|" * len(columns)]
    for row in rows:
        for name in results.contenders(row):
            cells = [_cell(results, row, name, what, digits)
                     for _, what, digits in columns]
            lines.append(f"| {row} | {name} | {' | '.join(cells)} |")
    return lines


def _stream_lines(results):
    """Writers beside a stream; see streams.py."""
    rows = [row for row in results.rows() if row.endswith("beside stream")]
    if not rows:
        return []
    lines = ["", "## Fsyncs beside a stream of 1 MiB writes", "",
             "A write of 4 KiB and its fdatasync, to one zone, without a pause; d is "
             "the depth of the stream, which goes to other zones.", "",
             *_table_of_contenders(results, rows, (
                 ("writes each second", figures.operations, 0),
                 ("median, ms", figures.median_ms, 2),
                 ("99 of 100 within, ms", figures.p99_ms, 1),
                 ("longest, ms", figures.longest_ms, 0),
                 ("99 of 100 fdatasyncs within, ms", figures.sync_p99_ms, 1),
                 ("stream, MiB/s", figures.stream, 0))),
             "", "Time of `back` for each of md's, by medians:", "",
             "| work | median | 99 of 100 within |", "|---|---:|---:|"]
    for row in rows:
        cells = [_ratio(results, row, "back", "md", what, 3)
                 for what in (figures.median_ms, figures.p99_ms)]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return lines


def _markdown(results, verdicts):
    rows = results.rows()
    nowait = [row for row in rows if row.endswith("nowait")]
    writes = [row for row in rows if "beside" not in row and
              {"write", "append", "files"} & set(row.split())]
    slow = [row for row in rows if row.startswith("latency ")]
    lines = ["# Benchmark", "",
             "Median (lowest-highest) of the repeats, which took turns. Ratios "
             "count, not figures.", ""]
    lines += [f"- `{name}`: {text}" for name, text in WHAT_THEY_ARE.items()]
    lines += ["", *_boots(results), "", "## Targets", ""]
    lines += _summary_lines(verdicts)
    lines += ["", "## Where md or dm-raid is faster", "",
              *_slower_lines(results), *_copying_lines(results, "##")]
    for title, chosen, what, digits in (
            ("MiB/s", rows, figures.rate, 0),
            ("Resets, files or fsyncs each second", rows,
             figures.operations, 0),
            ("Of 100 requests that do not wait, those that got EAGAIN", nowait,
             figures.again, 1),
            ("MiB/s that the rebuild does meanwhile", rows, figures.rebuild,
             1),
            ("CPU seconds for each GiB", rows, figures.cpu, 2),
            ("Median latency, microseconds, of drives of 50 us", slow,
             figures.latency, 0),
            ("Median time of an fdatasync, microseconds, of drives of 50 us",
             slow, figures.sync_latency, 0),
            ("Bytes written to members for each byte of the user's", writes,
             figures.amplification, 3),
            ("Commands to members for each MiB of the user's", writes,
             figures.commands, 1),
            ("Flushes of members for each MiB of the user's", writes,
             figures.flushes, 2),
            ("The module's memory: bytes for each zone", rows,
             figures.zone_memory, 1),
            ("On top, for each zone that is active", rows,
             figures.active_memory, 0),
            ("Reserves and tables, KiB", rows, figures.pool_memory, 0)):
        table = _table(results, chosen, what, digits)
        lines += ["", f"## {title}", "", *table] if table else []
    for title, what, digits in (
            ("Bytes written to each member for each byte of the user's: the "
             "member with the least, the one with the most",
             figures.each_written, 3),
            ("Commands to each member for each MiB of the user's",
             figures.each_commands, 1),
            ("Flushes of each member for each MiB of the user's",
             figures.each_flushes, 2)):
        lines += ["", f"## {title}", "",
                  *_table(results, writes, what, digits, _each_cell)]
    return "\n".join(lines + _stream_lines(results)) + "\n"


def _start_lines(settings, starts):
    """What a start costs; see tests/rig/bench_start.sh."""
    lines = ["", "## Seconds of a start, by zones of each of five members",
             "", f"Boot of {settings['boot']}, dm-raizn {settings['commit']}.",
             "", "| zones | stopped by | open zones | seconds | CPU seconds |",
             "|---:|---|---:|---:|---:|"]
    for row in starts:
        if "filled" in row:
            continue
        how = "stop" if row["after"] == "stop" else "power cut"
        times = [f"{statistics.median(row[what]):.3f} "
                 f"({min(row[what]):.3f}-{max(row[what]):.3f})"
                 for what in ("seconds", "cpu_seconds")]
        lines.append(f"| {row['zones']} | {how} | {row['open']} | "
                     f"{' | '.join(times)} |")
    lines += ["", "Eight open zones at the power cut, so full; member zones of 16 MiB:", "",
              "| full | debris of a column that stays | seconds | MiB moved | KiB left in place |",
              "|---:|---:|---:|---:|---:|"]
    for row in starts:
        if "filled" in row:
            lines.append(f"| {row['filled']} % | {row['relocation_max']} KiB | "
                         f"{statistics.median(row['seconds']):.3f} | "
                         f"{statistics.median(row['moved']) / 2048:.1f} | "
                         f"{statistics.median(row['spoilt']) / 2:.0f} |")
    return "\n".join(lines) + "\n"


def _geometry_lines(settings, arrays):
    """Steps on drives as they are sold; see tests/rig/geometry."""
    names = list(arrays)
    steps = list(dict.fromkeys(step for array in arrays.values()
                               for step in array))
    lines = ["", "## Seconds of the steps of tests/rig/geometry, by drives",
             "", f"Boot of {settings['boot']}, dm-raizn {settings['commit']}. "
             "The drives answer at once; five members where no number is "
             "named.", "", f"| step | {' | '.join(names)} |",
             f"|---|{'---:|' * len(names)}"]
    for step in steps:
        times = [arrays[name].get(step, "") for name in names]
        lines.append(f"| {step} | {' | '.join(times)} |")
    return "\n".join(lines) + "\n"


def _other_lines(results):
    """The short run in QEMU."""
    lines = ["", "## A stock kernel in QEMU", "",
             "A few rows. The emulator does the work of both of the guest's "
             "CPUs in one thread: CPU seconds are little more than the "
             "reciprocal of the speed.", "", *_boots(results)]
    for title, what, digits in (
            ("MiB/s", figures.rate, 0),
            ("CPU seconds for each GiB", figures.cpu, 2),
            ("Bytes written to members for each byte of the user's",
             figures.amplification, 3)):
        rows = [row for row in results.rows() if what != figures.amplification
                or " write " in row]
        lines += ["", f"### {title}", "",
                  *_table(results, rows, what, digits)]
    lines += _copying_lines(results, "###")
    return "\n".join(lines) + "\n"


def _zone_command_lines(results):
    """Writers beside slow zone commands; see zone_commands.py."""
    columns = (("writes each second", figures.operations, 0),
               ("median, ms", figures.median_ms, 2),
               ("99 of 100 within, ms", figures.p99_ms, 1),
               ("longest, ms", figures.longest_ms, 0),
               ("blocked, percent", figures.blocked, 0),
               ("zone command, s", figures.zone_command, 2))
    lines = ["", "## Fsyncs beside slow zone commands", "",
             "A write of 4 KiB and its fsync, to one zone, with pauses of 1 ms, on "
             "drives that take as long as a WD ZN540 of 1 TB to finish and reset "
             "zones. `blocked`: time in writes of more than 100 ms. `zone command`: a "
             "finish, or the request that resets zones.", "", *_boots(results), "",
             *_table_of_contenders(results, results.rows(), columns)]
    return "\n".join(lines) + "\n"


LEVEL6 = ("raizn6", "md6", "dmraid6")
# Contenders that each table of a level has: ours, of which the first one is compared with
# the better of the others.
LEVEL_TABLES = {
    "Level 6": (("raizn6", f"raizn6-{TRUSTED}"), LEVEL6[1:]),
    "Level 6, one drive lost": (("raizn6-one",), ("md6-one", "dmraid6-one")),
    "Level 6, two drives lost": (("raizn6-two",), ("md6-two", "dmraid6-two")),
    "Level 1": (("raizn1", f"raizn1-{TRUSTED}"), MD_OF_LEVEL[1]),
    "Level 0": (("raizn0", f"raizn0-{TRUSTED}"), ("stripe0",)),
}


def _ratio_to_best(results, row, ours, rivals, what, choose=max):
    """By medians; nothing where one side has no figure."""
    mine = results.median(row, ours, what)
    theirs = [value for value in (results.median(row, rival, what)
                                  for rival in rivals) if value]
    return f"{mine / choose(theirs):.2f}" if mine and theirs else ""


def _level_table(results, title, contenders, rivals):
    """Throughput and CPU time, and ours for each of the better of the others."""
    ours = contenders[0]
    lines = []
    for unit, what, digits, choose in (
            ("MiB/s", figures.rate, 0, max),
            ("CPU seconds for each GiB", figures.cpu, 2, min)):
        rows = [row for row in results.rows()
                if results.values(row, ours, what)]
        table = _table(results, rows, what, digits,
                       contenders=contenders + rivals)
        ratios = [_ratio_to_best(results, row, ours, rivals, what, choose)
                  for row in rows]
        ends = [f" {ours} for each of the better |", "---:|",
                *(f" {ratio} |" for ratio in ratios)]
        if table:
            lines += ["", f"### {title}: {unit}", "",
                      *(line + end for line, end in zip(table, ends))]
    return lines


def _lost_table(results):
    """Reads of each array that lacks drives, for each of it when it is whole."""
    lines = []
    for row in results.rows():
        cells = [_ratio(results, row, f"{name}-{lost}", name, figures.rate)
                 for lost in ("one", "two") for name in LEVEL6]
        if any(cells):
            lines.append(f"| {row} | {' | '.join(cells)} |")
    if not lines:
        return []
    names = [f"{name}, {lost} lost" for lost in ("one", "two")
             for name in LEVEL6]
    return ["", "### Level 6: throughput with drives lost, for each of that "
            "with none", "", f"| work | {' | '.join(names)} |",
            "|---|" + "---:|" * len(names), *lines]


def _level_lines(results, verdicts):
    """Levels other than 5; see levels.py."""
    said = dict.fromkeys(
        "dm-stripe over zoned drives: "
        f"{boot['stripe_over_zoned_drives'] or 'taken'}. Code for P and Q, of md as "
        f"of raizn: {boot['raid6']}." for boot in results.boots)
    lines = ["", "## Levels 6, 1 and 0", "",
             *(f"- `{name}`: {text}" for name, text in LEVELS.items()), "",
             *said, "", *_boots(results), ""]
    lines += _summary_lines(verdicts)
    for title, (contenders, rivals) in LEVEL_TABLES.items():
        lines += _level_table(results, title, contenders, rivals)
    lines += _lost_table(results)
    rows = [row for row in results.rows() if "rebuild" in row]
    if rows:
        lines += ["", "### Level 6: rebuild of one drive, and of two at once", "",
                  *_table_of_contenders(results, rows, (
                      ("seconds", figures.seconds, 1),
                      ("MiB/s of each new drive", figures.drive_rate, 1),
                      ("bytes read of the others for each byte rebuilt",
                       figures.read_of_others, 2),
                      ("CPU seconds for each GiB", figures.cpu, 2)))]
    return "\n".join(lines) + "\n"


def report(directory):
    """Everything that follows from the JSON of the runs."""
    results = figures.read(directory)
    verdicts = summary(results)
    (directory / "summary.json").write_text(
        json.dumps(verdicts, indent=1) + "\n")
    text = _markdown(results, verdicts)
    if (directory / "start.json").exists():
        text += _start_lines(**json.loads(
            (directory / "start.json").read_text()))
    if (directory / "geometry.json").exists():
        text += _geometry_lines(**json.loads(
            (directory / "geometry.json").read_text()))
    other = figures.read_other(directory)
    if other:
        text += _other_lines(other)
    beside = figures.read_zone_commands(directory)
    if beside:
        text += _zone_command_lines(beside)
    levels = figures.read_levels(directory)
    if levels:
        of_levels = summary(levels, LEVEL_TARGETS)
        text += _level_lines(levels, of_levels)
        verdicts = verdicts + of_levels
    (directory / "table.md").write_text(text)
    try:
        from . import plots
    except ImportError as error:
        print(f"bench: no plots: {error}; install python3-matplotlib, then "
              "scripts/bench --report")
    else:
        plots.plot(results, directory)
    return verdicts
