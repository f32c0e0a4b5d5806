# SPDX-License-Identifier: GPL-2.0
"""Where the blocks of a volume are on its members, and what their parity is: docs/format.md,
written once more, so that tests can judge the module by it. Quantities are blocks of 4 KiB."""

BLOCK = 4096
POLYNOMIAL = 0x11d


def _powers():
    """Powers of 2 in GF(2^8)."""
    powers = [1]
    while len(powers) < 255:
        double = powers[-1] << 1
        powers.append(double ^ POLYNOMIAL if double > 255 else double)
    return powers


POWERS = _powers()
LOGARITHMS = {power: exponent for exponent, power in enumerate(POWERS)}
_tables = {}


def _times(block, exponent):
    """2^exponent times each byte."""
    exponent %= 255
    if exponent not in _tables:
        _tables[exponent] = bytes(
            POWERS[(LOGARITHMS[byte] + exponent) % 255] if byte else 0
            for byte in range(256))
    return block.translate(_tables[exponent])


def _sum(blocks):
    total = 0
    for block in blocks:
        total ^= int.from_bytes(block, "little")
    return total.to_bytes(BLOCK, "little")


def _one_by_q(data, q, hole):
    rest = _sum([q] + [_times(block, position) for position, block in enumerate(data)
                       if block is not None])
    return _times(rest, -hole)


def _two(data, p, q, first, second):
    """Units x and y: x + y = a, 2^first x + 2^second y = b."""
    a = _sum([p] + [block for block in data if block is not None])
    b = _sum([q] + [_times(block, position) for position, block in enumerate(data)
                    if block is not None])
    factor = LOGARITHMS[POWERS[first] ^ POWERS[second]]
    x = _times(_sum([b, _times(a, second)]), -factor)
    return x, _sum([a, x])


def solve(data, parities, copies):
    """The data of one row of a stripe, by position; None where it cannot be computed. In
    @data and @parities, None stands for what is not there."""
    data = list(data)
    holes = [position for position, block in enumerate(data) if block is None]
    p, q = (list(parities) + [None, None])[:2]
    if not holes:
        return data
    if copies:
        return [next((block for block in parities if block is not None), None)]
    if len(holes) == 1 and p is not None:
        data[holes[0]] = _sum([p] + [block for block in data if block is not None])
    elif len(holes) == 1 and q is not None:
        data[holes[0]] = _one_by_q(data, q, holes[0])
    elif len(holes) == 2 and p is not None and q is not None:
        data[holes[0]], data[holes[1]] = _two(data, p, q, *holes)
    return data


class Layout:
    """@unit: blocks of a stripe unit."""

    def __init__(self, level, width, nr_parity, unit):
        self.copies = level == 1
        self.width = width
        self.nr_parity = nr_parity
        self.nr_data = width - nr_parity
        self.unit = unit

    def columns(self, zone, row):
        """Of the stripe that has this row of the columns: those of the data by position, and
        those of the parities."""
        first = self.width - 1 - (row // self.unit + zone) % self.width
        around = [(first + i) % self.width for i in range(self.width)]
        return around[self.nr_parity:], around[:self.nr_parity]

    def place(self, offset):
        """Row of the columns and position in the stripe of a block of a zone."""
        stripe, inside = divmod(offset, self.nr_data * self.unit)
        position, row = divmod(inside, self.unit)
        return stripe * self.unit + row, position

    def is_whole(self, row, size):
        """Is the stripe of this row complete in a zone of so many blocks?"""
        return (row // self.unit + 1) * self.nr_data * self.unit <= size
