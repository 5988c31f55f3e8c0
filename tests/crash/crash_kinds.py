"""Kinds of files and of what is done to them: the rows of the tables that faults and damage are counted in."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NamedTuple

from libremq.testing import FaultyFiles

_KINDS = {
    "S*.LOG": "extent",
    "S*.LOG.new": "extent",
    "amqhlctl.lfh*": "control file",
    "amqhlshd.lfh": "shadow file",
    "amqhltal.lfh": "tail file",
    "amqalchk.fil*": "checkpoint file",
    "q": "queue file",
    "handles.*": "handle file",
    "QMQMOBJCAT*": "catalogue",
    "qm.ini*": "qm.ini",
    "qm.lock": "lock file",
    "creating": "creation marker",
    "log": "log folder",
    "second": "log folder",
    "archive": "archive folder",
    "qm": "data folder",
    "queues": "queues folder",
    "*": "other",
}


def kind_of(path: str) -> str:
    """What a file or folder is for."""
    folder, name = posixpath.split(path)
    if posixpath.basename(folder) == "queues":
        return "queue folder"
    if posixpath.basename(folder) == "archive":
        return "archived extent"
    return next(kind for pattern, kind in _KINDS.items() if fnmatchcase(name, pattern))


class Listed(NamedTuple):
    """An operation on a file: which of its kind it is, and its row."""

    number: int
    row: str


class Listing(FaultyFiles):
    """Keeps a list of all operations of a kind, as rows."""

    def __init__(self, template: FaultyFiles, kind: str) -> None:
        super().__init__()
        self.__dict__.update(template.copy().__dict__)
        self._kind = kind
        self._formatting: set[str] = set()
        self.listed: list[str] = []

    def _check(self, kind: str, *paths: str) -> None:
        self._note(kind, paths[0])
        super()._check(kind, *paths)

    def _sync(self, number: int, path: str) -> None:
        self._note("sync", path)
        super()._sync(number, path)
        self._formatting.discard(path)

    def _note(self, kind: str, path: str) -> None:
        file = kind_of(path)
        if kind == "create" and file == "extent":
            self._formatting.add(path)
        if kind == self._kind:
            self.listed.append(f"{file + ' being formatted' if path in self._formatting else file}: {kind}")


def report_outcomes(record_property: Callable[[str, object], None], table: str, rows: dict[str, Counter[str]]) -> None:
    """For the tables at the end of a run."""
    record_property("outcomes", {"table": table, "rows": {row: dict(found) for row, found in rows.items()}})
