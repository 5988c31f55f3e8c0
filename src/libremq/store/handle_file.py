"""The handle file: the space handles of a queue as the checkpoints saw them.

Append-only. Each checkpoint of the queue adds one batch: the handles that changed since the one before, or all
of them when the file has grown to several times what it describes (then in a new generation of the file). The
checkpoint record in the log names generation and length, so a batch of a checkpoint that never completed is
simply behind the end, and a damaged one is noticed. Layout: docs/internals/queue-file-format.md.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from libremq.common.files import File, Files
from libremq.store.errors import StoreDamaged, StoreFailed

MAGIC = b"LMQH"
VERSION = 1
_HEADER = struct.Struct("<4sHHII")  # magic, version, reserved, queue id, generation; then a CRC
_HEADER_BYTES = _HEADER.size + 4
# CRC of what follows, bytes that follow, number of entries, number of fragment lists, next sequence number
_BATCH = struct.Struct("<IIIIq")

# slot, sequence, message hash, correlation hash, expiry, flags, backout count, length, block, unit of work
ENTRY = struct.Struct("<IqIIqHHIiq")
_FRAGMENT = struct.Struct("<II")  # slot, number of blocks; then the blocks

Entry = tuple[int, int, int, int, int, int, int, int, int, int]


@dataclass(frozen=True)
class HandlePosition:
    """What a checkpoint record says of a queue: this much of this generation is valid. (0, 0): nothing saved."""

    generation: int = 0
    length: int = 0


@dataclass(frozen=True)
class Batch:
    entries: Iterator[Entry]
    fragments: dict[int, list[int]]
    next_sequence: int


class HandleFile:
    """Writes and reads the batches of one queue."""

    __slots__ = ("_file", "_files", "_folder", "_name", "_queue_id", "position")

    def __init__(self, files: Files, folder: str, queue_id: int, name: str) -> None:
        self._files = files
        self._folder = folder
        self._queue_id = queue_id
        self._name = name
        self._file: File | None = None
        self.position = HandlePosition()

    def _path(self, generation: int) -> str:
        return f"{self._folder}/handles.{generation:06d}"

    def _header(self, generation: int) -> bytes:
        head = _HEADER.pack(MAGIC, VERSION, 0, self._queue_id, generation)
        return head + struct.pack("<I", zlib.crc32(head))

    def append(
        self, entries: list[Entry], fragments: dict[int, list[int]], next_sequence: int, *, renew: bool
    ) -> HandlePosition:
        """Write a batch and make it durable; the position to name in the checkpoint record."""
        parts = [ENTRY.pack(*entry) for entry in entries]
        for slot, blocks in fragments.items():
            parts.append(_FRAGMENT.pack(slot, len(blocks)))
            parts.append(struct.pack(f"<{len(blocks)}I", *blocks))
        body = b"".join(parts)
        rest = _BATCH.pack(0, len(body), len(entries), len(fragments), next_sequence)[4:] + body
        batch = struct.pack("<I", zlib.crc32(rest)) + rest
        generation, length = self.position.generation, self.position.length
        if renew or not generation:
            self.close()
            generation += 1
            self._files.make_folder(self._folder)
            self._file = self._files.open(self._path(generation), create=True)
            self._file.truncate(0)
            batch = self._header(generation) + batch
            length = 0
        file = self._opened(generation)
        file.write(length, batch)
        try:
            file.sync()
            if not length:
                self._files.sync_folder(self._folder)
                self._files.sync_folder(self._folder.rsplit("/", 1)[0])
        except OSError as error:
            raise StoreFailed(f"{self._path(generation)}: sync failed: {error}") from error
        self.position = HandlePosition(generation, length + len(batch))
        return self.position

    def _opened(self, generation: int) -> File:
        if self._file is None:
            try:
                self._file = self._files.open(self._path(generation))
            except FileNotFoundError:
                raise self._damaged(generation, "the file is missing") from None
        return self._file

    def _damaged(self, generation: int, what: str) -> StoreDamaged:
        return StoreDamaged(
            self._name, self._path(generation), what, "Restore the queue manager's folder from a backup"
        )

    def load(self, position: HandlePosition) -> Iterator[Batch]:
        """The batches up to this position, in order, each checked before it is given out."""
        self.position = position
        generation, length = position.generation, position.length
        if not generation:
            return
        data = memoryview(self._opened(generation).read(0, length))
        if len(data) != length:
            raise self._damaged(generation, f"it has {len(data)} bytes, the last checkpoint wrote {length}")
        if bytes(data[:_HEADER_BYTES]) != self._header(generation):
            raise self._damaged(generation, f"its header is not that of a version {VERSION} handle file of this queue")
        at = _HEADER_BYTES
        while at < length:
            if at + _BATCH.size > length:
                raise self._damaged(generation, f"the batch at {at} is cut off")
            crc, size, count, lists, next_sequence = _BATCH.unpack_from(data, at)
            start, end = at + _BATCH.size, at + _BATCH.size + size
            if end > length or zlib.crc32(data[at + 4 : end]) != crc:
                raise self._damaged(generation, f"the batch at {at} does not match its checksum")
            middle = start + count * ENTRY.size
            yield Batch(ENTRY.iter_unpack(data[start:middle]), _read_fragments(data, middle, lists), next_sequence)
            at = end

    def drop_other_generations(self) -> None:
        """Remove what an interrupted or a completed change of generation left behind."""
        for name in self._files.list(self._folder):
            if name.startswith("handles.") and name != f"handles.{self.position.generation:06d}":
                self._files.remove(f"{self._folder}/{name}")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _read_fragments(data: memoryview, at: int, count: int) -> dict[int, list[int]]:
    fragments: dict[int, list[int]] = {}
    for _ in range(count):
        slot, blocks = _FRAGMENT.unpack_from(data, at)
        at += _FRAGMENT.size
        fragments[slot] = list(struct.unpack_from(f"<{blocks}I", data, at))
        at += 4 * blocks
    return fragments
