# SPDX-License-Identifier: GPL-2.0
"""A small initramfs: busybox, the modules that find the root, one script."""

import lzma
import subprocess
from pathlib import Path

# Virtio disk, console ports and 9p shares; the rest comes from the root disk.
MODULES = ["virtio_pci", "virtio_blk", "virtio_console", "9p",
           "9pnet_virtio", "crc32c_generic", "ext4", "overlay"]


def _cpio_entry(name, mode, data=b"", rdev=(0, 0), inode=[0]):
    inode[0] += 1
    encoded = name.encode() + b"\0"
    fields = [inode[0], mode, 0, 0, 1, 0, len(data), 0, 0, rdev[0], rdev[1],
              len(encoded), 0]
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + encoded
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


def _module_files(tree):
    """MODULES and what they need, in loading order."""
    depends = {}
    for line in (tree / "modules.dep").read_text().splitlines():
        path, needs = line.split(":")
        depends[path] = needs.split()
    by_name = {Path(p).name.split(".")[0].replace("-", "_"): p
               for p in depends}
    order = []
    for name in MODULES:
        path = by_name.get(name)
        if not path:
            continue            # built in
        for needed in reversed(depends[path]):
            if needed not in order:
                order.append(needed)
        if path not in order:
            order.append(path)
    return order


def _uncompressed(path):
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes())
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], capture_output=True,
                              check=True).stdout
    return path.read_bytes()


def make(target, root, version, script):
    tree = root / "usr/lib/modules" / version
    out = [_cpio_entry(d, 0o040755) for d in
           ("bin", "dev", "proc", "sys", "modules", "disk", "over", "new")]
    out.append(_cpio_entry("dev/console", 0o020600, rdev=(5, 1)))
    out.append(_cpio_entry("bin/busybox", 0o100755,
                           (root / "usr/bin/busybox").read_bytes()))
    out.append(_cpio_entry("bin/sh", 0o120777, b"busybox"))
    for number, path in enumerate(_module_files(tree)):
        out.append(_cpio_entry(f"modules/{number:02}.ko", 0o100644,
                               _uncompressed(tree / path)))
    out.append(_cpio_entry("init", 0o100755, script.encode()))
    out.append(_cpio_entry("TRAILER!!!", 0))
    target.write_bytes(b"".join(out))
