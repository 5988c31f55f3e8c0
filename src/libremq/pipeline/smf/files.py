"""Dumps on disk: which files a path means, plain or gzip, and the records of a piece of one.

Only ordinary files are dumps: a pipe or a device could keep a reader waiting for ever. A file that cannot be opened, or
is no longer the one that was surveyed, is an `OSError` that says which file and why.
"""

from __future__ import annotations

import glob
import gzip
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Literal, NamedTuple

import numpy as np

from libremq.pipeline.smf.blocks import Deblocked
from libremq.pipeline.smf.framing import BLOCK_BYTES, Chunk, Damage, Form, chunk_of, form_of, walks

GZIP_MAGIC = b"\x1f\x8b"

FormOption = Literal["auto", "rdw", "bare", "blocked"]

_OPENING_BYTES = 64


class Stamp(NamedTuple):
    """By what a file is known to be unchanged."""

    size: int
    changed_ns: int


class FileChangedError(OSError):
    """A dump is not the one that was surveyed any more."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of one file that starts and ends where records do; `end` None is as far as it goes."""

    path: str
    form: Form
    start: int = 0
    end: int | None = None
    stamp: Stamp | None = None
    """What the file was when it was cut; None when nobody looked."""


def list_files(paths: str | Iterable[str]) -> list[str]:
    """The files that paths mean: files, folders with all that is in them, patterns. Hidden files are left out."""
    found: list[str] = []
    for given in [paths] if isinstance(paths, str) else paths:
        path = given.removeprefix("file://") if given.startswith("file:///") else given.removeprefix("file:")
        matches = [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))
        if not matches:
            raise FileNotFoundError(f"no dump at {given}: there is no such file, folder or match")
        for match in matches:
            found.extend(_in_folder(match) if os.path.isdir(match) else [match])
    return list(dict.fromkeys(os.path.abspath(path) for path in found))


def _in_folder(folder: str) -> list[str]:
    """Files below a folder. Links to folders are not followed: they may lead in a circle."""
    found: list[str] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        files = (os.path.join(parent, name) for name in sorted(names) if not name.startswith((".", "_")))
        found.extend(path for path in files if os.path.isfile(path))
    return found


def stamp_of(path: str) -> Stamp:
    """The stamp of a file, which must be an ordinary one that can be read."""
    told = os.stat(path)
    if not stat.S_ISREG(told.st_mode):
        raise OSError(f"{path} is not a file but {'a folder' if stat.S_ISDIR(told.st_mode) else 'a pipe or a device'}")
    return Stamp(told.st_size, told.st_mtime_ns)


class DumpStream:
    """Reads a dump from `start`, unpacking gzip and taking out the words of blocks.

    A broken archive ends the stream early and leaves its `error`. What is `packed`, in an archive or in blocks, is read
    from its beginning.
    """

    def __init__(self, path: str, start: int = 0, *, form: FormOption = "auto") -> None:
        self.error = ""
        self.place = start
        self.stamp = stamp_of(path)
        self._path = path
        self._raw = open(path, "rb")  # noqa: SIM115 - the stream is the context manager
        self._archived = self._raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        self._raw.seek(0)
        self._file: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=self._raw) if self._archived else self._raw
        self.form: Form = form_of(self._read(_OPENING_BYTES)) if form == "auto" else form
        self._blocks = Deblocked(self._read) if self.form == "blocked" else None
        self.packed = self._archived or self._blocks is not None
        self.error = ""
        self._file.seek(0 if self.packed else start)

    def read(self, size: int, /) -> bytes:
        data = self._blocks.read(size) if self._blocks is not None else self._read(size)
        self.place += len(data)
        return data

    def _read(self, size: int) -> bytes:
        if not self._archived:
            return self._file.read(size)
        parts: list[bytes] = []
        wanted = size
        # An archive is unpacked a little at a time: what came before the damage is not lost with it.
        while wanted > 0 and not self.error:
            try:
                part = self._file.read1(wanted)  # type: ignore[union-attr]
            except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
                self.error = f"gzip archive is damaged: {problem}"
                break
            if not part:
                break
            parts.append(part)
            wanted -= len(part)
        return b"".join(parts)

    def check_unchanged(self, since: Stamp | None = None) -> None:
        """Make sure that what was read is one state of the file, and that of the survey if there was one."""
        if stamp_of(self._path) != self.stamp or (since is not None and since != self.stamp):
            raise FileChangedError(f"{self._path} changed while it was read; add it again when it is complete")

    def __enter__(self) -> DumpStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._raw.close()


def read_piece(piece: Piece, block_bytes: int = BLOCK_BYTES) -> Iterator[Chunk]:
    """The records of a piece. A file that is empty or a broken archive gives a chunk that says so."""
    with DumpStream(piece.path, piece.start, form=piece.form) as stream:
        for walked, block, base in walks(stream, piece.form, piece.start, piece.end, block_bytes):
            if walked.starts or walked.spanned or walked.damage:
                yield chunk_of(walked, block, base)
        if stream.error:
            yield only_damage(Damage(stream.place, 0, stream.error))
        elif stream.place == 0:
            yield only_damage(Damage(0, 0, "empty file"))
        stream.check_unchanged(piece.stamp)


def only_damage(damage: Damage) -> Chunk:
    """A chunk without records."""
    none = np.empty(0, dtype=np.int64)
    return Chunk(np.zeros(1 << 13, dtype=np.uint8), none, none, none, [damage])
