"""A small file that is replaced as a whole and survives a torn write or a damaged sector: two equal slots.

Each slot holds magic, version, sequence number, payload and checksum. A write goes to one slot, is synced, then goes to
the other and is synced again. So at every instant one slot is whole, and between writes both are: after a power cut the
better one is the state before or after the write, and a slot damaged later costs nothing. (Writing one slot at a time,
in turn, would save a sync; but then damage to the newer slot would silently bring back an older state, and for the ring
of extents an older state is a wrong one.)

After a failed sync the system's cache may show a slot that the disk has not got. Such a slot is the first of an
unfinished pair, or the second of a finished one: `turn` tells which came second, and a write begins there.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from libremq.common.checksum import crc32
from libremq.common.files.file_layer import File, Files
from libremq.log.log_errors import LogDamaged

SLOT_BYTES = 4096

_HEADER = struct.Struct("<8sHHIQI")
"""Magic, version, turn, payload length, sequence number, CRC-32 over the fields before it and the payload."""

_PREFIX = struct.Struct("<8sHHIQ")


class _Slot(NamedTuple):
    """A slot read back; sequence 0 if it is not whole. Compares by how good it is: `rank` is the turn, negated."""

    sequence: int
    rank: int
    number: int
    payload: bytes


class SlotFile:
    """The payload on disk, and the means to replace it."""

    __slots__ = (
        "_file",
        "_magic",
        "_order",
        "_slot_bytes",
        "_unsettled",
        "_version",
        "half_damaged",
        "path",
        "payload",
        "sequence",
    )

    def __init__(self, file: File, path: str, magic: bytes, version: int, slot_bytes: int, best: _Slot) -> None:
        """Used by `create` and `open`."""
        self._file = file
        self.path = path
        self._magic = magic
        self._version = version
        self._slot_bytes = slot_bytes
        self.sequence = best.sequence
        self.payload = best.payload
        self._order = (1 - best.number, best.number)
        self._unsettled: tuple[tuple[int, int], ...] = ()
        """Slots to be written again with the present payload before the next one, each with its turn."""
        self.half_damaged = False
        """One of the slots was not whole when the file was opened."""

    @classmethod
    def create(
        cls,
        files: Files,
        folder: str,
        name: str,
        magic: bytes,
        version: int,
        payload: bytes,
        *,
        slot_bytes: int = SLOT_BYTES,
    ) -> SlotFile:
        """Make or replace the file: it appears under its name whole and durable, or not at all."""
        path = f"{folder}/{name}"
        slot = _encode(magic, version, 0, 1, payload, slot_bytes)
        file = files.open(path + ".new", create=True)
        file.truncate(0)
        file.write_many(0, (slot, slot))
        file.sync()
        files.rename(path + ".new", path)
        files.sync_folder(folder)
        return cls(file, path, magic, version, slot_bytes, _Slot(1, 0, 0, payload))

    @classmethod
    def open(
        cls, files: Files, folder: str, name: str, magic: bytes, version: int, *, slot_bytes: int = SLOT_BYTES
    ) -> SlotFile:
        """Read the better slot; changes nothing. Raises LogDamaged, or FileNotFoundError if there is no file."""
        path = f"{folder}/{name}"
        file = files.open(path)
        try:
            slots = [
                _decode(path, index, file.read(index * slot_bytes, slot_bytes), magic, version) for index in (0, 1)
            ]
            other, best = sorted(slots)
            if best.sequence == 0:
                start = file.read(0, len(magic))
                what = "both copies in it are damaged" if start == magic else "this is not a file of that name's kind"
                raise LogDamaged(path, what, "Restore the file from a backup of the same moment as the others")
        except BaseException:
            file.close()
            raise
        found = cls(file, path, magic, version, slot_bytes, best)
        if other.sequence == 0:
            found._unsettled = ((other.number, 1 - best.rank),)
            found.half_damaged = True
        elif other.sequence < best.sequence:
            # The better one first: if it is in the cache only, the older one must not be lost before it is on disk.
            found._unsettled = ((best.number, 0), (other.number, 1))
        return found

    def settle(self) -> None:
        """Make sure that the payload read stays, whatever happens. To be called before acting on it."""
        for index, turn in self._unsettled:
            self._put(index, turn, self.payload)
        self._unsettled = ()

    def write(self, payload: bytes) -> None:
        """Replace the payload; durable on return. After an OSError the file holds the old or the new one."""
        if len(payload) + _HEADER.size > self._slot_bytes:
            raise ValueError(f"{len(payload)} bytes do not fit in a slot of {self._slot_bytes}")
        self.settle()
        self.sequence += 1
        for turn, index in enumerate(self._order):
            self._put(index, turn, payload)
        self.payload = payload

    def _put(self, index: int, turn: int, payload: bytes) -> None:
        slot = _encode(self._magic, self._version, turn, self.sequence, payload, self._slot_bytes)
        self._file.write(index * self._slot_bytes, slot)
        self._file.sync()

    def close(self) -> None:
        self._file.close()


def _encode(magic: bytes, version: int, turn: int, sequence: int, payload: bytes, slot_bytes: int) -> bytes:
    prefix = _PREFIX.pack(magic, version, turn, len(payload), sequence)
    checksum = crc32(payload, crc32(prefix))
    return (prefix + checksum.to_bytes(4, "little") + payload).ljust(slot_bytes, b"\0")


def _decode(path: str, index: int, data: bytes, magic: bytes, version: int) -> _Slot:
    nothing = _Slot(0, 0, index, b"")
    if len(data) < _HEADER.size:
        return nothing
    found_magic, found_version, turn, length, sequence, checksum = _HEADER.unpack_from(data)
    payload = data[_HEADER.size : _HEADER.size + length]
    if found_magic != magic or len(payload) != length:
        return nothing
    if crc32(payload, crc32(data[: _PREFIX.size])) != checksum:
        return nothing
    if found_version != version:
        what = f"format version {found_version} is not known here (known: {version})"
        raise LogDamaged(path, what, "Open it with the release that wrote it, or a later one")
    return _Slot(sequence, -turn, index, payload)
