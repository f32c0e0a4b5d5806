# SPDX-License-Identifier: GPL-2.0
"""Plots of the results, as SVG."""

import matplotlib

matplotlib.use("svg")
# The same figures give the same file.
matplotlib.rcParams["svg.hashsalt"] = "raizn"
matplotlib.rcParams["font.size"] = 9

from matplotlib import pyplot   # noqa: E402

from . import results as figures    # noqa: E402

COLOURS = {"raw1": "#bbbbbb", "raw5": "#888888", "linear": "#d8c9a8",
           "md": "#d08770", "dmraid": "#b04a3a", "back": "#2b6cb0",
           "through": "#7fb2e5", "degraded": "#7a5195",
           "rebuilt": "#bc5090", "mddegraded": "#e8b4a0"}
LABELS = {"raw1": "one raw drive", "raw5": "five raw drives",
          "linear": "dm-linear", "md": "md RAID 5", "dmraid": "dm-raid",
          "back": "raizn", "through": "raizn, write-through",
          "degraded": "raizn, a drive missing",
          "rebuilt": "raizn, rebuild", "mddegraded": "md, a drive missing"}


def _bars(axes, results, rows, names, what):
    """Groups of bars: a row each, a contender a bar, min and max on it."""
    width = 0.8 / len(names)
    for i, name in enumerate(names):
        places, heights, below, above = [], [], [], []
        for j, row in enumerate(rows):
            values = results.values(row, name, what)
            if not values:
                continue
            median = results.median(row, name, what)
            places.append(j + (i - (len(names) - 1) / 2) * width)
            heights.append(median)
            below.append(median - min(values))
            above.append(max(values) - median)
        axes.bar(places, heights, width, yerr=[below, above],
                 color=COLOURS[name], label=LABELS[name],
                 error_kw={"elinewidth": 0.7, "ecolor": "#333333"})
    axes.set_xticks(range(len(rows)))
    axes.spines[["top", "right"]].set_visible(False)


def _save(figure, directory, name):
    figure.tight_layout()
    figure.savefig(directory / f"{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def _chart(results, directory, file_name, rows, names, panels):
    """rows: {row: label}; panels: (title, figure of a run)."""
    rows = {row: label for row, label in rows.items()
            if results.contenders(row)}
    names = [name for name in names
             if any(name in results.contenders(row) for row in rows)]
    if not names:
        return
    figure, axes = pyplot.subplots(1, len(panels), squeeze=False,
                                   figsize=(4.6 * len(panels), 3.2))
    for axis, (title, what) in zip(axes[0], panels):
        _bars(axis, results, list(rows), names, what)
        axis.set_xticklabels(rows.values())
        axis.set_title(title)
    axes[0][0].legend(frameon=False, fontsize=7)
    _save(figure, directory, file_name)


def plot(results, directory):
    sizes = ("4k", "16k", "64k", "256k", "1m")
    both = [("MiB/s", figures.rate),
            ("CPU seconds for each GiB", figures.cpu)]
    headline = {"cpu write 64k d32": "write 64k",
                "cpu write 256k d32 x4": "write 256k\n4 zones",
                "cpu write 1m d32 x4": "write 1m\n4 zones"}
    _chart(results, directory, "headline", headline,
           ("md", "dmraid", "through", "back"), both)
    _chart(results, directory, "write-cpu",
           {f"cpu write {bs} d32": bs for bs in sizes},
           ("raw1", "linear", "md", "dmraid", "through", "back"),
           [("one zone, depth 32: MiB/s", figures.rate), both[1]])
    _chart(results, directory, "bandwidth",
           {"bandwidth write 64k d32": "write\n64k",
            "bandwidth write 256k d32": "write\n256k",
            "bandwidth write 1m d32": "write\n1m",
            "bandwidth read 256k d32": "read\n256k",
            "bandwidth read 1m d32": "read\n1m",
            "bandwidth randread 64k d32": "random\nread 64k"},
           ("raw5", "md", "dmraid", "through", "back", "degraded"),
           [("50 MiB/s a drive: MiB/s", figures.rate)])
    _chart(results, directory, "latency",
           {"latency write 4k d1": "4k", "latency write 16k d1": "16k",
            "latency write 64k d1": "64k",
            "latency write 4k d1 fua": "4k FUA"},
           ("raw1", "linear", "md", "dmraid", "through", "back"),
           [("write, depth 1, drives of 50 us: us", figures.latency)])
    _chart(results, directory, "durable",
           {f"cpu write 4k d1 fdatasync{n}": f"fdatasync\nevery {n}"
            for n in (1, 8, 64)} | {"cpu write 4k d1 fua": "FUA"},
           ("raw1", "md", "dmraid", "through", "back"),
           [("4k, depth 1: MiB/s", figures.rate),
            ("members' bytes / user's", figures.amplification)])
    _chart(results, directory, "zones",
           {f"cpu {what} {bs} d32": f"{label}\n{bs}" for what, label in
            (("append", "append"), ("mixed", "70/30"))
            for bs in ("4k", "64k")},
           ("raw1", "raw5", "linear", "md", "dmraid", "back"),
           [both[1]])
    _chart(results, directory, "filesystems",
           {f"latency {kind} files": kind for kind in ("f2fs", "btrfs")},
           ("linear", "md", "back"),
           [("small files with fsync, each second", figures.operations)])
