# SPDX-License-Identifier: GPL-2.0
"""Copies the repository to a guest's build tree and builds it there."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from . import host, packages, setup
from .config import CACHE, REPO, LabError

# What builds leave behind; never copied from the repository, and not needed
# where a guest runs.
PRODUCTS = ("*.o", "*.a", ".*.cmd", "*.mod", "*.mod.c", "*.order",
            "*.symvers", ".module-common.o", ".tmp_*")


def tree_dir(guest):
    return CACHE / "build" / guest.name


def lock(guest):
    return host.locked(CACHE / "build" / f"{guest.name}.lock",
                       f"the build of {guest.name}")


def _is_product(name):
    path = Path(name)
    return any(path.match(p) for p in PRODUCTS) or path.suffix == ".ko"


def repo_files():
    """Tracked and untracked files, without ignored ones."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={REPO}", "-C", REPO, "ls-files", "-z",
         "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.split("\0")
    else:                       # an unpacked archive, not a git clone
        names = [str(p.relative_to(REPO)) for p in REPO.rglob("*")
                 if not p.is_dir()]
    return {name for name in names
            if name and not _is_product(name) and
            (REPO / name).exists() and not (REPO / name).is_dir()}


def _same(source, target):
    try:
        return (source.stat().st_mode == target.stat().st_mode and
                source.read_bytes() == target.read_bytes())
    except OSError:
        return False


def _copy_tree(tree):
    """Brings tree up to date; returns whether anything changed.

    Files are compared by content and changed ones get a new time stamp: two
    clones of the repository may share a cache, and make must see every
    change whatever the files' own times are.
    """
    manifest = tree.with_name(tree.name + ".files")
    names = repo_files()
    try:
        old = set(manifest.read_text().split("\0"))
    except OSError:
        old = set()
    changed = False
    for name in old - names - {""}:
        (tree / name).unlink(missing_ok=True)
        changed = True
    for name in sorted(names):
        source, target = REPO / name, tree / name
        if _same(source, target):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        shutil.copyfile(source, target)
        os.chmod(target, source.stat().st_mode & 0o7777)
        changed = True
    manifest.write_text("\0".join(sorted(names)))
    return changed


def chroot_binds(guest, tree):
    # Before the first build there is none.
    tree.mkdir(parents=True, exist_ok=True)
    binds = {"/build": tree}
    if guest.rig == "uml":
        binds["/kernel"] = setup.uml_dir(guest)
        binds["/src"] = setup.uml_source()[1]
    return binds


def kernel_make(guest):
    """The words of a make command line that reaches the guest's kernel."""
    if guest.rig == "uml":
        return "make -C /kernel ARCH=um"
    return f"make -C /lib/modules/{setup.kernel_version(guest)}/build"


def chroot_env(guest):
    return {"LAB_GUEST": guest.name,
            "LAB_KERNEL": setup.kernel_version(guest),
            "LAB_KERNEL_MAKE": kernel_make(guest)}


def build(guest, make_words=(), verbose=False, patches=()):
    """Copies, patches and builds; the caller holds the lock. The next build copies
    anew what the patches have changed."""
    tree = tree_dir(guest)
    tree.mkdir(parents=True, exist_ok=True)
    done = tree.with_name(tree.name + ".done")
    # make_words may ask for checks that a finished build would skip.
    special = make_words or patches
    manifest = tree.with_name(tree.name + ".files")
    recipe = f"{setup.kernel_version(guest)}\n"
    if not _copy_tree(tree) and not special and not verbose \
       and done.exists() and done.read_text() == recipe:
        return
    done.unlink(missing_ok=True)
    # Files that a patch adds go with the next copy.
    added = re.findall(r"^\+\+\+ b/(\S+)", "".join((REPO / p).read_text() for p in patches),
                       re.MULTILINE)
    manifest.write_text("\0".join({*manifest.read_text().split("\0"), *added}))
    quiet = "" if verbose else "-s --no-print-directory"
    jobs = f"-j{os.cpu_count()}"
    script = ["set -e"]
    script += [f"patch -s -F0 --no-backup-if-mismatch -p1 -i {shlex.quote(patch)}"
               for patch in patches]
    parts = ("tools", "tests")
    if guest.server:
        parts = ("tests",)
        packages.build(setup.root_dir(guest), chroot_binds(guest, tree), repo_files(),
                       chroot_env(guest))
    elif (tree / "Kbuild").exists():
        # Type information would need a vmlinux, which Debian does not ship;
        # asking for it only gives a warning.
        script.append(f"{kernel_make(guest)} {quiet} {jobs} M=/build "
                      'CONFIG_DEBUG_INFO_BTF_MODULES= RAIZN_TESTS=m '
                      'modules "$@"')
    for part in parts:
        if (tree / part / "Makefile").exists():
            script.append(f"make {quiet} {jobs} -C /build/{part}")
    result = subprocess.run(host.chroot_argv(
        setup.root_dir(guest), chroot_binds(guest, tree),
        ["sh", "-c", "\n".join(script), "sh", *make_words], cwd="/build",
        env=chroot_env(guest)), stdin=subprocess.DEVNULL, check=False)
    if result.returncode:
        raise LabError(f"the build for {guest.name} failed")
    if not special:
        done.write_text(recipe)


def snapshot(guest, target):
    """A copy of the built tree for one run, without what only make needs."""
    shutil.copytree(tree_dir(guest), target, symlinks=True,
                    ignore=shutil.ignore_patterns(*PRODUCTS))
