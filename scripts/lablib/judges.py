# SPDX-License-Identifier: GPL-2.0
"""Test scripts of other projects, which judge the volume from outside.

Debian's binary packages do not have them, its source packages do. They are
kept in the cache, and a run gets a copy beside its build tree: nothing of
them is in the repository, and nothing in them is changed.
"""

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from . import host
from .config import CACHE, NEWEST_SUITE, LabError, note

# Where a judge is among the shares of a run: below the build tree.
INSIDE = "judges"


class Judge:
    """A folder of a Debian source package.

    folder is its path there, script the file that must be in it, override
    the environment variable that names the source to take instead.
    """

    def __init__(self, package, folder, script, override):
        self.package = package
        self.folder = folder
        self.script = script
        self.override = override


JUDGES = {
    "fio": Judge("fio", "t/zbd", "test-zbd-support", "RAIZN_FIO_SOURCE"),
}


def _apt_get(scratch, words):
    """The machine's apt-get, with lists and files of its own in scratch."""
    options = {"Dir::Etc::SourceList": scratch / "sources.list",
               "Dir::Etc::SourceParts": scratch / "parts",
               "Dir::State": scratch, "Dir::State::status": scratch / "status",
               "Dir::Cache": scratch / "cache", "APT::Sandbox::User": "root"}
    argv = ["apt-get", "-q"]
    for name, value in options.items():
        argv += ["-o", f"{name}={value}"]
    return subprocess.run(argv + words, cwd=scratch / "files", check=False,
                          capture_output=True, text=True)


def _download(judge, suite, scratch):
    """The package's source as one archive, or why it cannot be had."""
    for folder in ("parts", "lists/partial", "cache/archives/partial"):
        (scratch / folder).mkdir(parents=True, exist_ok=True)
    shutil.rmtree(scratch / "files", ignore_errors=True)
    (scratch / "files").mkdir()
    (scratch / "status").touch()
    keys = host.KEYRINGS / "debian-archive-keyring.gpg"
    (scratch / "sources.list").write_text(
        f"deb-src [signed-by={keys} check-valid-until=no] "
        f"{host.mirror()} {suite} main\n")
    for words in (["update"], ["source", "--download-only", "--tar-only",
                               judge.package]):
        done = _apt_get(scratch, words)
        if done.returncode:
            return (done.stderr.strip() or done.stdout.strip()).splitlines()[-1]
    found = list((scratch / "files").glob("*.orig.tar.*"))
    return found[0] if found else "the source has no archive"


def _unpack(judge, archive, target):
    """The files of the judge's folder; what else is in there stays there."""
    wanted = re.compile(rf"[^/]+/({re.escape(judge.folder)}/[^/]+)")
    with tarfile.open(archive) as source:
        for member in source:
            match = wanted.fullmatch(member.name)
            if not match or not member.isfile():
                continue
            file = target / match.group(1)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source.extractfile(member).read())
            file.chmod(0o755 if member.mode & 0o100 else 0o644)


def _take(judge, source, target):
    """From a folder or an archive into target."""
    if not source.exists():
        raise LabError(f"{judge.override} is {source}, which does not exist")
    try:
        if not source.is_dir():
            _unpack(judge, source, target)
        elif (source / judge.folder).is_dir():
            shutil.copytree(source / judge.folder, target / judge.folder)
    except tarfile.TarError as error:
        raise LabError(f"{source} is neither a folder nor an archive "
                       f"of {judge.package}'s source") from error
    if not (target / judge.folder / judge.script).exists():
        raise LabError(f"{source} has no {judge.folder}/{judge.script}: not "
                       f"the source of {judge.package}")


def _fetch(judge, guest, target):
    host.need_archive_keys(guest.release)
    with tempfile.TemporaryDirectory() as scratch:
        # Mirrors drop old sources first.
        for suite in (guest.release, NEWEST_SUITE):
            archive = _download(judge, suite, Path(scratch))
            if isinstance(archive, Path):
                break
        else:
            raise LabError(
                f"the source of {judge.package} cannot be had ({archive}); set "
                f"{judge.override} to a folder or archive of it")
        _take(judge, archive, target)
        version = archive.name.split("_")[-1].split(".orig")[0]
        (target / "version").write_text(f"{version} of {suite}\n")
    note(f"took the tests of {judge.package} {version} from {suite}")


def add(name, guest, build):
    """Puts the judge into a run's copy of the build tree."""
    if name not in JUDGES:
        raise LabError(f"no judge named '{name}'; "
                       f"the judges are: {' '.join(JUDGES)}")
    judge = JUDGES[name]
    target = build / INSIDE / name
    target.parent.mkdir(exist_ok=True)
    if os.environ.get(judge.override):
        source = Path(os.environ[judge.override]).absolute()
        _take(judge, source, target)
        (target / "version").write_text(f"of {source.name}\n")
        return
    cached = CACHE / INSIDE / f"{guest.release}-{name}"
    with host.locked(cached.with_suffix(".lock"), f"the tests of {name}"):
        if not cached.exists():
            new = cached.with_suffix(".new")
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            _fetch(judge, guest, new)
            new.rename(cached)
    shutil.copytree(cached, target)
