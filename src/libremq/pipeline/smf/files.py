"""Dumps on disk: which files a path means, plain or gzip, and where a large one can be cut.

A plain dump is surveyed once, from its start, by the same walk that reads it later: only so are the cuts surely at the
start of a record. The survey reads block by block and can work out the content's digest on the way. A gzip file cannot
be cut; it is read as one piece, and its digest is that of what is inside, so that a dump is the same dump either way.
"""

from __future__ import annotations

import glob
import gzip
import hashlib
import os
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Literal

import numpy as np

from libremq.pipeline.smf.framing import BLOCK_BYTES, Chunk, Damage, Form, Walked, chunk_of, form_of, walks

GZIP_MAGIC = b"\x1f\x8b"
OPENING_BYTES = 64
PIECE_BYTES_MIN = 16 * 1024 * 1024
PIECE_BYTES_MAX = 128 * 1024 * 1024
PIECES_PER_WORKER = 4
"""So that the slowest piece does not keep the others waiting for long."""

FormOption = Literal["auto", "rdw", "bare"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of one file that starts and ends where records do; `end` None is as far as it goes."""

    path: str
    form: Form
    start: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """A file, the pieces it can be read in, and the digest of its content if asked for."""

    path: str
    size: int
    pieces: tuple[Piece, ...]
    digest: str = field(default="")


def list_files(paths: str | Iterable[str]) -> list[str]:
    """The files that paths mean: files, folders with all that is in them, patterns. Hidden files are left out."""
    found: list[str] = []
    for given in [paths] if isinstance(paths, str) else paths:
        path = given.removeprefix("file://") if given.startswith("file:///") else given.removeprefix("file:")
        if os.path.isfile(path):
            found.append(path)
        elif os.path.isdir(path):
            found.extend(_in_folder(path))
        else:
            matches = sorted(glob.glob(path, recursive=True))
            if not matches:
                raise FileNotFoundError(f"no dump at {given}: there is no such file, folder or match")
            for match in matches:
                found.extend(_in_folder(match) if os.path.isdir(match) else [match])
    return list(dict.fromkeys(os.path.abspath(path) for path in found))


def _in_folder(folder: str) -> list[str]:
    found: list[str] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found.extend(os.path.join(parent, name) for name in sorted(names) if not name.startswith((".", "_")))
    return found


class DumpStream:
    """Reads a dump from `start`, unpacking gzip. A broken archive ends the stream early and leaves its `error`."""

    def __init__(self, path: str, start: int = 0, digest: bool = False) -> None:
        self.error = ""
        self.place = start
        self._hash = hashlib.sha256() if digest else None
        self._raw = open(path, "rb")  # noqa: SIM115 - the stream is the context manager
        self.packed = self._raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        self._raw.seek(0 if self.packed else start)
        self._file: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=self._raw) if self.packed else self._raw

    def read(self, size: int, /) -> bytes:
        parts: list[bytes] = []
        wanted = size
        # An archive is unpacked a little at a time: what came before the damage is not lost with it.
        while wanted > 0 and not self.error:
            try:
                part = self._file.read1(wanted) if isinstance(self._file, gzip.GzipFile) else self._file.read(wanted)
            except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
                self.error = f"gzip archive is damaged: {problem}"
                break
            if not part:
                break
            parts.append(part)
            wanted -= len(part)
        data = b"".join(parts) if len(parts) != 1 else parts[0]
        self.place += len(data)
        if self._hash is not None:
            self._hash.update(data)
        return data

    def digest(self) -> str:
        return self._hash.hexdigest() if self._hash is not None else ""

    def __enter__(self) -> DumpStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._raw.close()


def _form(path: str, option: FormOption) -> Form:
    if option != "auto":
        return option
    with DumpStream(path) as stream:
        return form_of(stream.read(OPENING_BYTES))


def survey(path: str, piece_bytes: int, *, form: FormOption = "auto", digest: bool = False) -> Survey:
    """Find out how a file is framed and where to cut it into pieces of about `piece_bytes`."""
    size = os.path.getsize(path)
    framed = _form(path, form)
    with DumpStream(path, digest=digest) as stream:
        if stream.packed or (size <= piece_bytes and not digest):
            if digest:
                _read_through(stream)
            return Survey(path, size, (Piece(path, framed),), stream.digest())
        cuts = [0]
        for walked, _, base in walks(stream, framed):
            _add_cuts(cuts, walked, base, piece_bytes)
        if len(cuts) > 1 and stream.place - cuts[-1] < piece_bytes // 4:
            cuts.pop()
        ends: list[int | None] = [*cuts[1:], None]
        pieces = tuple(Piece(path, framed, start, end) for start, end in zip(cuts, ends))
        return Survey(path, size, pieces, stream.digest())


def _read_through(stream: DumpStream) -> None:
    while stream.read(1 << 20):
        pass


def _add_cuts(cuts: list[int], walked: Walked, base: int, piece_bytes: int) -> None:
    starts, skip = walked.starts, base + walked.lead
    at = bisect_left(starts, cuts[-1] + piece_bytes - skip)
    while at < len(starts):
        cuts.append(starts[at] + skip)
        at = bisect_left(starts, cuts[-1] + piece_bytes - skip)


def piece_bytes_for(sizes: Iterable[int], workers: int) -> int:
    """Size of the pieces that keeps every worker busy, within sensible limits."""
    return max(PIECE_BYTES_MIN, min(PIECE_BYTES_MAX, sum(sizes) // (max(1, workers) * PIECES_PER_WORKER)))


def read_piece(piece: Piece, block_bytes: int = BLOCK_BYTES) -> Iterator[Chunk]:
    """The records of a piece. A file that is empty or a broken archive gives a chunk that says so."""
    with DumpStream(piece.path, piece.start) as stream:
        for walked, block, base in walks(stream, piece.form, piece.start, piece.end, block_bytes):
            if walked.starts or walked.spanned or walked.damage:
                yield chunk_of(walked, block, base)
        if stream.error:
            yield _only_damage(Damage(stream.place, 0, stream.error))
        elif stream.place == 0:
            yield _only_damage(Damage(0, 0, "empty file"))


def _only_damage(damage: Damage) -> Chunk:
    none = np.empty(0, dtype=np.int64)
    return Chunk(np.zeros(1 << 13, dtype=np.uint8), none, none, none, [damage])
