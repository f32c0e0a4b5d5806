# SPDX-License-Identifier: GPL-2.0
"""The machine the lab runs on: its tools, its Debian mirror, its locks."""

import contextlib
import fcntl
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from .config import CACHE, LabError, note

KEYRINGS = Path("/usr/share/keyrings")


def need_root():
    if os.geteuid() != 0:
        raise LabError("needs root (mounts and chroots); run it with sudo")


def run_logged(argv, log, what, **kwargs):
    """Run argv with all output to the file log; name the log on failure."""
    with open(log, "ab") as out:
        result = subprocess.run(argv, stdout=out, stderr=subprocess.STDOUT,
                                stdin=subprocess.DEVNULL, check=False,
                                **kwargs)
    if result.returncode:
        disk = Path(log).parent
        if shutil.disk_usage(disk).free < 16 << 20:
            raise LabError(f"{what} failed: the disk of {disk} is full: make "
                           "room, or set RAIZN_CACHE to a folder on another")
        tail = Path(log).read_text(errors="replace").splitlines()[-15:]
        print("\n".join("    " + line for line in tail))
        raise LabError(f"{what} failed (exit {result.returncode}); "
                       f"the whole log is in {log}")


# Several parts of the cache are made at once, each asks for its tools.
_apt = threading.Lock()


def install_tools(tools):
    """tools: {command or path: Debian package}. Installs what is missing."""
    with _apt:
        _install_tools(tools)


def _install_tools(tools):
    missing = sorted({package for tool, package in tools.items()
                      if not (Path(tool).exists() or shutil.which(tool))})
    if not missing:
        return
    if not shutil.which("apt-get"):
        raise LabError(f"please install: {' '.join(missing)} "
                       "(no apt-get on this machine)")
    note(f"installing on this machine through apt: {' '.join(missing)}")
    CACHE.mkdir(parents=True, exist_ok=True)
    log = CACHE / "apt.log"
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    install = apt + ["install", "-y", "--no-install-recommends"] + missing
    simulated = subprocess.run(install + ["-s"], capture_output=True,
                               check=False)
    if simulated.returncode:
        run_logged(apt + ["update"], log, "apt-get update", env=env)
    run_logged(install, log, f"apt-get install {' '.join(missing)}", env=env)


def _debian_bases():
    result = subprocess.run(
        ["apt-get", "indextargets", "--format",
         "$(CREATED_BY)|$(REPO_URI)|$(ORIGIN)|$(LABEL)|$(RELEASE)"],
        capture_output=True, text=True, check=False)
    bases = []
    for line in result.stdout.splitlines():
        created_by, uri, origin, label, release = line.split("|")
        if created_by == "Packages" and origin == label == "Debian" \
           and not re.search("-(updates|backports)", release):
            bases.append(uri.rstrip("/"))
    return bases


def mirror():
    """The Debian archive's base URI, as this machine's apt knows it."""
    if os.environ.get("RAIZN_MIRROR"):
        return os.environ["RAIZN_MIRROR"].rstrip("/")
    if not shutil.which("apt-get"):
        raise LabError("no apt-get here; set RAIZN_MIRROR to the base URI "
                       "of a Debian archive")
    bases = _debian_bases()
    if not bases:
        # Without downloaded lists apt does not know the archives' labels.
        subprocess.run(["apt-get", "update"], capture_output=True,
                       check=False)
        bases = _debian_bases()
    if not bases:
        raise LabError("apt's configuration names no Debian archive; set "
                       "RAIZN_MIRROR to the base URI of one")
    return bases[0]


def suite_is_served(suite):
    # apt's own downloader, so that its proxies and credentials hold here too
    with tempfile.TemporaryDirectory() as scratch:
        result = subprocess.run(
            ["/usr/lib/apt/apt-helper", "download-file",
             f"{mirror()}/dists/{suite}/InRelease", f"{scratch}/InRelease"],
            capture_output=True, check=False)
        return result.returncode == 0


def apt_proxy_options():
    """The machine's apt proxies, for apt inside the root file systems."""
    result = subprocess.run(["apt-config", "dump"], capture_output=True,
                            text=True, check=False)
    return [line for line in result.stdout.splitlines()
            if re.match(r'Acquire::\S*[Pp]roxy\S* "[^"]+";', line)]


def need_archive_keys(release):
    with _apt:
        _need_archive_keys(release)


def _need_archive_keys(release):
    if list(KEYRINGS.glob(f"debian-archive-{release}-automatic.*")):
        return
    note("installing on this machine through apt: debian-archive-keyring")
    CACHE.mkdir(parents=True, exist_ok=True)
    run_logged(["apt-get", "install", "-y", "debian-archive-keyring"],
               CACHE / "apt.log", "apt-get install debian-archive-keyring")
    if not list(KEYRINGS.glob(f"debian-archive-{release}-automatic.*")):
        raise LabError(f"debian-archive-keyring has no keys of {release}; "
                       "upgrade that package, then try again")


@contextlib.contextmanager
def locked(path, waiting_for):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            note(f"waiting for another lab, which works on {waiting_for}; "
                 "it goes on by itself")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def chroot_argv(root, binds, argv, cwd="/", env=None, layer=False):
    """A command line that runs argv inside the root file system root.

    It gets its own mount and process namespaces: nothing stays mounted and
    nothing stays running afterwards, even when it is killed. The root file
    system itself is read-only there; binds ({path inside: host path}) are
    writable. With layer, all of it can be written to: that goes to memory, and
    is gone at the end.
    """
    q = shlex.quote
    r = str(root)
    if layer:
        place = f"{r}.layer"
        memory = q(f"{place}/memory")
        r = f"{place}/root"
        lines = ["set -e", f"mkdir -p {q(place)}", f"mount -t tmpfs tmpfs {q(place)}",
                 f"mkdir {memory} {memory}/upper {memory}/work {q(r)}",
                 "mount -t overlay overlay -o " + q(
                     f"lowerdir={root},upperdir={place}/memory/upper,"
                     f"workdir={place}/memory/work") + f" {q(r)}"]
    else:
        lines = ["set -e", f"mount --bind {q(r)} {q(r)}"]
    lines += [f"mount -t tmpfs tmpfs {q(r)}/tmp",
             f"mount --rbind /dev {q(r)}/dev",
             f"mount -t proc proc {q(r)}/proc"]
    lines += [f"mount --bind {q(str(source))} {q(r + inside)}"
              for inside, source in binds.items()]
    if not layer:
        lines += [f"mount -o remount,bind,ro {q(r)}"]
    lines += ["set +e"]
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:"
                           "/usr/bin:/sbin:/bin",
                   "HOME": "/root", "LC_ALL": "C.UTF-8",
                   "TERM": os.environ.get("TERM", "dumb")}
    environment.update(env or {})
    inner = ["env", "-i"] + [f"{k}={v}" for k, v in environment.items()] + \
        ["sh", "-c", 'cd "$0" && exec "$@"', cwd] + list(argv)
    # sh stays process 1 of the namespace; it must not become the command.
    lines += [f"chroot {q(r)} {shlex.join(inner)}", "exit $?"]
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child",
            "--propagation", "private", "sh", "-c", "\n".join(lines)]
