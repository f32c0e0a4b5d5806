# SPDX-License-Identifier: GPL-2.0
"""Contenders once more, on drives unlike those of the other rows: with blocks of 512
bytes, or with queues for polled commands. Runs in the guest.
"""

from . import contenders as cont
from . import fio

# Parameters of tests/fastdrive, by what rows say of their drives.
SETTINGS = {"blocks512": {"logical_block": 512}, "polled": {"poll_queues": 2}}

MAKERS = {
    "raw1": lambda name: cont.Raw(name, 1),
    "linear": cont.Linear,
    "md": lambda name: cont.Md(name, "/dev/md3"),
    "back": cont.Raizn,
}
MADE = {}


def _other(contender, kind):
    name = f"{kind}-{contender.name}"
    if name not in MADE:
        with cont.drives_with(**SETTINGS[kind]):
            MADE[name] = MAKERS[contender.name](name)
        cont.run("dmsetup", "mknodes")
        if contender.name == "md":
            MADE[name].set(**contender.settings)
    return MADE[name]


def measure(contender, row, seconds):
    """A run of fio on the contender's namesake."""
    other = _other(contender, row.how)
    with cont.without_limits():
        fio.prepare(other, row)
    return fio.run(other, row, seconds) | {"contender": contender.name}
