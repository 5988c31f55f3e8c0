"""The handle file: the space handles of a queue as the checkpoints saw them.

Append-only. Each checkpoint of the queue adds one batch: the handles that changed since the one before, or all
of them when the file has grown to several times what it describes (then in a new generation of the file). The
checkpoint record in the log names generation and length, so a batch of a checkpoint that never completed is
simply behind the end, and a damaged one is noticed. Layout: docs/internals/queue-file-format.md.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, starmap
from typing import NamedTuple

from libremq.common.checksum import crc32
from libremq.common.files.file_layer import File, Files, SyncFailed
from libremq.store.store_errors import READS, StoreDamaged, damaged_queue, failed_sync

MAGIC = b"LMQH"
VERSION = 1
_HEADER = struct.Struct("<4sHHII8s")  # magic, version, reserved, queue id, generation, log id; then a CRC
_HEADER_BYTES = _HEADER.size + 4
# CRC of what follows, bytes that follow, number of entries, number of fragment lists, next sequence number
_BATCH = struct.Struct("<IIIIq")

# slot, sequence, message hash, correlation hash, expiry, flags, backout count, length, block, unit of work
ENTRY = struct.Struct("<IqIIqHHIiq")
ENTRY_SLOT = struct.Struct(f"<I{ENTRY.size - 4}x")
_FRAGMENT = struct.Struct("<II")  # slot, number of blocks; then the blocks
_CRC_BYTES = 4
_PIECE_ENTRIES = 16384  # of a large batch, what a load has in memory at a time
# A large batch is written beside running verbs: each write is a moment in which other threads may run
_WRITE_ENTRIES = 512

Entry = tuple[int, int, int, int, int, int, int, int, int, int]


@dataclass(frozen=True)
class HandlePosition:
    """What a checkpoint record says of a queue: this much of this generation is valid. (0, 0): nothing saved."""

    generation: int = 0
    length: int = 0


@dataclass(frozen=True)
class Batch:
    """What a checkpoint wrote, or a piece of it: packed entries, fragment lists by slot, the next sequence number."""

    entries: bytes
    fragments: dict[int, list[int]]
    next_sequence: int


class HandleFile:
    """Writes and reads the batches of one queue."""

    __slots__ = ("_file", "_files", "_folder", "_log_id", "_name", "_others", "_queue_id", "position")

    def __init__(self, files: Files, folder: str, queue_id: int, name: str, log_id: bytes) -> None:
        self._files = files
        self._folder = folder
        self._queue_id = queue_id
        self._name = name
        self._log_id = log_id
        self._file: File | None = None
        self._others = True  # may there be other generations in the folder
        self.position = HandlePosition()

    def _path(self, generation: int) -> str:
        return f"{self._folder}/handles.{generation:06d}"

    def _header(self, generation: int) -> bytes:
        head = _HEADER.pack(MAGIC, VERSION, 0, self._queue_id, generation, self._log_id)
        return head + struct.pack("<I", crc32(head))

    def append(
        self,
        count: int,
        entries: Iterable[Entry],
        fragments: dict[int, list[int]],
        next_sequence: int,
        *,
        renew: bool,
        folder_changed: bool = False,
    ) -> HandlePosition:
        """Write a batch of `count` entries and make it durable; the position to name in the checkpoint record.

        `folder_changed`: another file was made there, and the folder is to be synced for that, too.
        """
        lists = b"".join(
            _FRAGMENT.pack(slot, len(blocks)) + struct.pack(f"<{len(blocks)}I", *blocks)
            for slot, blocks in fragments.items()
        )
        head = _BATCH.pack(0, count * ENTRY.size + len(lists), count, len(fragments), next_sequence)[_CRC_BYTES:]
        generation, length = self.position.generation, self.position.length
        try:
            if renew or not generation:
                self.close()
                generation, length = generation + 1, _HEADER_BYTES
                self._others = True
                self._begin(generation)
            file = self._opened(generation)
            end = _write_batch(file, length, head, entries, lists)
            self._sync(file, generation, folder=folder_changed or length == _HEADER_BYTES)
        except BaseException as error:
            self.close()  # it may be a generation that did not come about
            if isinstance(error, OSError):
                self._give_back(generation, self.position)
            raise
        self.position = HandlePosition(generation, end)
        return self.position

    def _begin(self, generation: int) -> None:
        try:
            self._files.make_folder(self._folder)
        except SyncFailed as error:
            raise failed_sync(self._folder, error) from error
        self._file = self._files.open(self._path(generation), create=True)
        self._file.truncate(0)
        self._file.write(0, self._header(generation))

    def take_back(self, position: HandlePosition) -> None:
        """Be where it was before the last batch. No checkpoint record names that, nor ever will."""
        generation = self.position.generation
        self.position = position
        self._give_back(generation, position)

    def _give_back(self, generation: int, position: HandlePosition) -> None:
        """Free the space of a batch behind the position that did not come about, in this generation or a new one."""
        try:
            if generation == position.generation:
                self._opened(generation).truncate(position.length)
            else:
                self.close()
                self._files.remove(self._path(generation))
        except (OSError, StoreDamaged):
            pass  # it only takes room, and the next batch is written in its place

    def _sync(self, file: File, generation: int, *, folder: bool) -> None:
        try:
            file.sync()
            if folder:
                self._files.sync_folder(self._folder)
        except OSError as error:
            raise failed_sync(self._path(generation), error) from error

    def _opened(self, generation: int) -> File:
        if self._file is None:
            try:
                self._file = self._files.open(self._path(generation))
            except FileNotFoundError:
                raise self._damaged(generation, "the file is missing") from None
        return self._file

    def _damaged(self, generation: int, what: str) -> StoreDamaged:
        return damaged_queue(self._name, self._path(generation), what)

    def load(self, position: HandlePosition) -> Iterator[Batch]:
        """The batches up to this position, in order and in pieces, each checked before any of it is given out."""
        self.position = position
        generation, length = position.generation, position.length
        if not generation:
            return
        file = self._opened(generation)
        if file.size() < length:
            raise self._damaged(generation, f"it has {file.size()} bytes, the last checkpoint wrote {length}")
        if all(file.read(0, _HEADER_BYTES) != self._header(generation) for _ in range(READS)):
            raise self._damaged(generation, f"its header is not that of a version {VERSION} handle file of this queue")
        at = _HEADER_BYTES
        while at < length:
            if at + _BATCH.size > length:
                raise self._damaged(generation, f"the batch at {at} is cut off")
            found = next(filter(None, (_check_batch(file, at, length) for _ in range(READS))), None)
            if found is None:
                raise self._damaged(generation, f"the batch at {at} does not match its checksum")
            for start, size, checksum in found.pieces:
                piece = _read_checked(file, start, size, checksum)
                if piece is None:
                    raise self._damaged(generation, f"the batch at {at} is read differently each time")
                yield Batch(piece, {}, found.next_sequence)
            yield Batch(b"", _read_fragments(found.lists, found.list_count), found.next_sequence)
            at = found.end

    def drop_other_generations(self) -> None:
        """Remove what an interrupted or a completed change of generation left behind."""
        if not self._others or not self.position.generation:
            return
        for name in self._files.list(self._folder):
            if name.startswith("handles.") and name != f"handles.{self.position.generation:06d}":
                self._files.remove(f"{self._folder}/{name}")
        self._others = False

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _write_batch(file: File, at: int, head: bytes, entries: Iterable[Entry], lists: bytes) -> int:
    """Write a batch from `at` on, in one write if it is small; the position behind it."""
    checksum = crc32(head)
    start = end = at + _CRC_BYTES + len(head)
    entries = iter(entries)
    while True:
        piece = b"".join(starmap(ENTRY.pack, islice(entries, _WRITE_ENTRIES)))
        last = len(piece) < _WRITE_ENTRIES * ENTRY.size
        if last:
            piece += lists
        checksum = crc32(piece, checksum)
        if last and end == start:
            file.write(at, checksum.to_bytes(_CRC_BYTES, "little") + head + piece)
            return end + len(piece)
        file.write(end, piece)
        end += len(piece)
        if last:
            file.write(at, checksum.to_bytes(_CRC_BYTES, "little") + head)
            return end


class _CheckedBatch(NamedTuple):
    """A batch that matches its checksum. A large one is not kept in memory: its pieces are read again, and checked."""

    pieces: list[tuple[int, int, int]]  # position, length and checksum of each
    lists: bytes
    list_count: int
    next_sequence: int
    end: int


def _check_batch(file: File, at: int, length: int) -> _CheckedBatch | None:
    """Read a batch; None if it is not what was written. Nothing is used that was not checked."""
    head = file.read(at, _BATCH.size)
    if len(head) < _BATCH.size:
        return None
    crc, size, count, list_count, next_sequence = _BATCH.unpack(head)
    start = at + _BATCH.size
    middle, end = start + count * ENTRY.size, start + size
    if not middle <= end <= length:
        return None
    checksum = crc32(head[_CRC_BYTES:])
    pieces = []
    for position in range(start, middle, _PIECE_ENTRIES * ENTRY.size):
        piece = file.read(position, min(_PIECE_ENTRIES * ENTRY.size, middle - position))
        checksum = crc32(piece, checksum)
        pieces.append((position, len(piece), crc32(piece)))
    lists = file.read(middle, end - middle)
    if crc32(lists, checksum) != crc:
        return None
    return _CheckedBatch(pieces, lists, list_count, next_sequence, end)


def _read_checked(file: File, start: int, size: int, checksum: int) -> bytes | None:
    for _ in range(READS):
        piece = file.read(start, size)
        if len(piece) == size and crc32(piece) == checksum:
            return piece
    return None


def _read_fragments(data: bytes, count: int) -> dict[int, list[int]]:
    fragments: dict[int, list[int]] = {}
    at = 0
    for _ in range(count):
        slot, blocks = _FRAGMENT.unpack_from(data, at)
        at += _FRAGMENT.size
        fragments[slot] = list(struct.unpack_from(f"<{blocks}I", data, at))
        at += 4 * blocks
    return fragments
