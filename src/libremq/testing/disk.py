"""What a disk holds and what it may still be doing: the model under `FaultyFiles`.

A file is its durable content, its present content, and the operations between the two. After a power cut the disk is
the durable content plus *some* of those operations, some of them torn; `recipes` and `mixtures` say which.
"""

from __future__ import annotations

import posixpath
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

SECTOR_BYTES = 512
_CHUNK = 4096
_ZEROS = bytes(_CHUNK)
_TORN_ALL_MAX = 16
"""A torn write of at most this many sectors is torn at each of them; a larger one at a spread of them."""


class Content:
    """The bytes of a file in immutable chunks; a missing chunk is zeros. Copying shares the chunks."""

    __slots__ = ("chunks", "size")

    def __init__(self, size: int = 0, chunks: dict[int, bytes] | None = None) -> None:
        self.size = size
        self.chunks: dict[int, bytes] = {} if chunks is None else chunks

    def copy(self) -> Content:
        return Content(self.size, self.chunks.copy())

    def read(self, offset: int, length: int) -> bytes:
        end = min(offset + length, self.size)
        if offset >= end:
            return b""
        first, last = offset // _CHUNK, (end - 1) // _CHUNK
        get = self.chunks.get
        data = b"".join([get(number, _ZEROS) for number in range(first, last + 1)])
        start = offset - first * _CHUNK
        return data[start : start + end - offset]

    def write(self, offset: int, data: bytes) -> None:
        if not data:
            return
        chunks = self.chunks
        position = 0
        while position < len(data):
            number, start = divmod(offset + position, _CHUNK)
            piece = data[position : position + _CHUNK - start]
            if len(piece) < _CHUNK:
                old = chunks.get(number, _ZEROS)
                position += len(piece)
                piece = old[:start] + piece + old[start + len(piece) :]
            else:
                position += _CHUNK
            if piece == _ZEROS:
                chunks.pop(number, None)
            else:
                chunks[number] = piece
        self.size = max(self.size, offset + len(data))

    def truncate(self, size: int) -> None:
        if size < self.size:
            last, used = divmod(size, _CHUNK)
            for number in [n for n in self.chunks if n > last or (n == last and not used)]:
                del self.chunks[number]
            if used and last in self.chunks:
                self.chunks[last] = self.chunks[last][:used] + bytes(_CHUNK - used)
        self.size = size


class Inode:
    """A file apart from its names: what is on the disk for sure, and what a reader sees now."""

    __slots__ = ("current", "current_owned", "durable", "durable_owned")

    def __init__(self, durable: Content, current: Content) -> None:
        self.durable = durable
        self.current = current
        self.durable_owned = self.current_owned = False

    def copy(self) -> Inode:
        self.durable_owned = self.current_owned = False
        return Inode(self.durable, self.current)

    def change(self, operation: Operation, *, durable: bool) -> None:
        """Apply a write or truncate to what readers see, or to what is on the disk; copies before it writes."""
        if durable:
            if not self.durable_owned:
                self.durable = self.durable.copy()
                self.durable_owned = True
            content = self.durable
        else:
            if not self.current_owned:
                self.current = self.current.copy()
                self.current_owned = True
            content = self.current
        if operation.kind == "write":
            content.write(operation.offset, operation.data)
        else:
            content.truncate(operation.offset)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing the disk may or may not have done yet."""

    kind: str
    path: str
    inode: int = 0
    offset: int = 0
    data: bytes = b""
    target: str = ""

    @property
    def on_file(self) -> bool:
        return self.kind in ("write", "truncate")

    def concerns(self, folder: str) -> bool:
        if self.on_file:
            return False
        return folder == parent(self.path) or (self.target != "" and folder == parent(self.target))

    def __str__(self) -> str:
        name = posixpath.basename(self.path)
        if self.kind == "write":
            return f"write {name} @{self.offset}+{len(self.data)}"
        if self.kind == "truncate":
            return f"truncate {name} to {self.offset}"
        if self.target:
            return f"{self.kind} {name} -> {posixpath.basename(self.target)}"
        return f"{self.kind} {name}"


Recipe = tuple[str, tuple[Operation, ...]]


def recipes(pending: tuple[Operation, ...], atom_bytes: int = 0) -> list[Recipe]:
    """The systematic states: which operations survived, with a label; no two the same.

    `atom_bytes`: so many aligned bytes are always written as a whole. 0: any sector may arrive, or be garbage.
    """
    found: list[Recipe] = [("nothing unsynced survived", ())]
    if not pending:
        return found
    found.append(("everything survived", pending))
    total = len(pending)
    for count in range(1, total):
        found.append((f"first {count} of {total} survived", pending[:count]))
    for index in range(total - 1):
        # Losing the last one alone is the longest prefix; of two, losing the first is not.
        found.append((f"only [{pending[index]}] lost", pending[:index] + pending[index + 1 :]))
    last = pending[-1]
    if last.kind == "write" and last.data:
        for label, torn in _tears(last, atom_bytes):
            found.append((f"{label}, all before it survived", pending[:-1] + torn))
            if total > 1:
                found.append((f"{label}, nothing before it survived", torn))
    return found


def _tears(write: Operation, atom_bytes: int) -> Iterator[Recipe]:
    """The ways one write may have half arrived, sectors counted from the start of the file."""
    start, end = write.offset, write.offset + len(write.data)
    unit = atom_bytes or SECTOR_BYTES
    cuts = list(range((start // unit + 1) * unit, end, unit))
    if len(cuts) > _TORN_ALL_MAX:
        step = len(cuts) / _TORN_ALL_MAX
        cuts = sorted({cuts[0], cuts[-1], *(cuts[int(i * step)] for i in range(_TORN_ALL_MAX))})
    for cut in cuts:
        yield f"[{write}] torn at {cut}", (part(write, start, cut),)
        yield f"[{write}] only from {cut}", (part(write, cut, end),)
    if atom_bytes:
        return
    for cut in {start, *cuts[:1], *cuts[-1:]}:
        stop = min(end, (cut // SECTOR_BYTES + 1) * SECTOR_BYTES)
        middle = (cut + stop) // 2
        noise = garbage(write.path, cut, stop - middle)
        parts = (part(write, start, middle), replaced(write, middle, noise))
        yield f"[{write}] torn inside the sector at {cut} with garbage", parts


def mixtures(pending: tuple[Operation, ...], rng: random.Random, atom_bytes: int = 0) -> Iterator[Recipe]:
    """Random subsets, each surviving write whole or in random sectors (or atoms, see `recipes`)."""
    unit = atom_bytes or SECTOR_BYTES
    number = 0
    while True:
        number += 1
        keep = rng.choice((0.2, 0.5, 0.8, 0.95))
        survivors: list[Operation] = []
        for operation in pending:
            if rng.random() >= keep:
                continue
            if operation.kind != "write" or rng.random() < 0.7:
                survivors.append(operation)
                continue
            start, end = operation.offset, operation.offset + len(operation.data)
            while start < end:
                stop = min(end, (start // unit + 1) * unit)
                draw = rng.random()
                if draw < 0.6:
                    survivors.append(part(operation, start, stop))
                elif draw < 0.7 and not atom_bytes:
                    survivors.append(replaced(operation, start, rng.randbytes(stop - start)))
                start = stop
        yield f"random mixture {number}", tuple(survivors)


def part(write: Operation, start: int, end: int) -> Operation:
    return replaced(write, start, write.data[start - write.offset : end - write.offset])


def replaced(write: Operation, offset: int, data: bytes) -> Operation:
    return Operation("write", write.path, write.inode, offset, data)


def half(write: Operation, atom_bytes: int) -> list[Operation]:
    """The first half of a write, the last of its sectors as garbage."""
    middle = write.offset + (len(write.data) + 1) // 2
    if atom_bytes:
        middle = max(write.offset, middle - middle % atom_bytes)
        return [part(write, write.offset, middle)]
    start = max(write.offset, (middle - 1) // SECTOR_BYTES * SECTOR_BYTES)
    noise = garbage(write.path, start, middle - start)
    return [part(write, write.offset, middle), replaced(write, start, noise)]


def garbage(path: str, offset: int, length: int) -> bytes:
    return random.Random(f"{path}:{offset}").randbytes(length)


@lru_cache(maxsize=4096)
def parent(path: str) -> str:
    """The folder a cleaned path is in; none for the two roots."""
    return "" if path in ("/", ".") else posixpath.dirname(path) or "."
