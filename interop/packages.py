"""The packages: fetched once at fixed versions, put where Python finds them, nothing compiled.

ibmmq's wheel has a binary that needs IBM's client library; where that is absent its import fails, and the package
goes on to look for a top-level `ibmmqc`. Of pymqi there is no wheel for Linux: its Python files are taken from the
source archive. ibmmq's tests and examples are only in its source archive, whose build asks for the header files of
IBM's client before pip may have it: an empty file of that name is enough, because nothing is built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

IBMMQ = "ibmmq==2.1.2"
PYMQI = "pymqi==1.12.13"
HELPERS = ("ddt==1.7.2",)
"""What ibmmq's tests import besides pytest."""
_ROOT = Path(__file__).resolve().parent.parent


class Trouble(Exception):
    """The packages cannot be had."""


@dataclass(frozen=True)
class Packages:
    site: Path
    """To be put on the path of Python."""
    tests: Path
    examples: Path


def prepare(folder: Path) -> Packages:
    """Everything in a folder; what is there from the last time stays."""
    made = Packages(folder / "site", folder / "ibmmq" / "tests", folder / "ibmmq" / "examples")
    ready = folder / "ready"
    wanted = "\n".join((IBMMQ, PYMQI, *HELPERS))
    if ready.exists() and ready.read_text() == wanted:
        _install_compat(made.site)
        return made
    shutil.rmtree(folder, ignore_errors=True)
    made.site.mkdir(parents=True)
    _pip("install", "--no-deps", "--only-binary=:all:", f"--target={made.site}", IBMMQ, *HELPERS)
    with _unpacked(PYMQI, folder) as source:
        shutil.copytree(source / "code" / "pymqi", made.site / "pymqi", ignore=shutil.ignore_patterns("*.c", "*.h"))
    with _unpacked(IBMMQ, folder) as source:
        shutil.copytree(source / "code" / "tests", made.tests)
        shutil.copytree(source / "code" / "examples", made.examples)
    _install_compat(made.site)
    ready.write_text(wanted)
    return made


def _install_compat(site: Path) -> None:
    """The distribution with the two names, as `libremq[compat]` installs it."""
    for old in (*site.glob("libremq_compat-*"), site / "pymqe.py", site / "ibmmqc.py"):
        shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
    copy = site.parent / "compat"  # a build leaves files beside its source
    shutil.rmtree(copy, ignore_errors=True)  # of a run that was cut short
    shutil.copytree(_ROOT / "packages" / "compat", copy)
    _pip("install", "--no-deps", f"--target={site}", str(copy))
    shutil.rmtree(copy)


class _unpacked:
    """A source archive, unpacked for a while."""

    def __init__(self, requirement: str, folder: Path) -> None:
        self._requirement = requirement
        self._folder = folder / "source"

    def __enter__(self) -> Path:
        headers = self._folder / "mq" / "inc"
        headers.mkdir(parents=True)
        (headers / "cmqc.h").touch()
        name = self._requirement.partition("=")[0]
        _pip(
            "download", "--no-deps", f"--no-binary={name}", f"--dest={self._folder}", self._requirement,
            MQ_FILE_PATH=str(self._folder / "mq"),
        )  # fmt: skip
        (archive,) = self._folder.glob("*.tar.gz")
        unpack(archive, self._folder)
        (source,) = self._folder.glob(f"{name}-*/")
        return source

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)


def unpack(archive: Path, folder: Path) -> None:
    """The files of a source archive, below the folder; Trouble if one would be elsewhere. Links are left out.

    Python has had filters for that since 3.11.4: this does with any 3.11.
    """
    with tarfile.open(archive) as tar:
        for member in tar:
            target = (folder / member.name).resolve()
            if not target.is_relative_to(folder.resolve()):
                raise Trouble(f"{archive.name} has {member.name!r}, which is not below its own folder")
            content = tar.extractfile(member) if member.isfile() else None
            if content is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                with content, target.open("wb") as copy:
                    shutil.copyfileobj(content, copy)


def _pip(*arguments: str, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    ended = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    if ended.returncode:
        raise Trouble(f"pip {' '.join(arguments)}\n{ended.stdout}{ended.stderr}".rstrip())
