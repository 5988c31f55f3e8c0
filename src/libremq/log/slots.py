"""A small file that is replaced as a whole and survives a torn write or a damaged sector: two equal slots.

Each slot holds magic, version, sequence number, payload and checksum. A write goes to the worse slot first (the
damaged or older one), is synced, then goes to the other and is synced again. So at every instant one slot is whole,
and between writes both are: after a power cut the better one is the state before or after the write, and a slot
damaged later costs nothing. (Writing one slot at a time, in turn, would save a sync; but then damage to the newer slot
would silently bring back an older state, and for the ring of extents an older state is a wrong one.)
"""

from __future__ import annotations

import struct
from zlib import crc32

from libremq.common.files import File, Files
from libremq.log.errors import LogDamaged

SLOT_BYTES = 4096

_HEADER = struct.Struct("<8sHHIQI")
"""Magic, version, zero, payload length, sequence number, CRC-32 over the fields before it and the payload."""

_PREFIX = struct.Struct("<8sHHIQ")


class SlotFile:
    """The payload on disk, and the means to replace it."""

    __slots__ = ("_file", "_magic", "_order", "_slot_bytes", "_version", "path", "payload", "sequence")

    def __init__(
        self,
        file: File,
        path: str,
        magic: bytes,
        version: int,
        slot_bytes: int,
        sequence: int,
        payload: bytes,
        order: tuple[int, int],
    ) -> None:
        self._file = file
        self.path = path
        self._magic = magic
        self._version = version
        self._slot_bytes = slot_bytes
        self.sequence = sequence
        self.payload = payload
        self._order = order

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
        slot = _encode(magic, version, 1, payload, slot_bytes)
        file = files.open(path + ".new", create=True)
        file.truncate(0)
        file.write_many(0, (slot, slot))
        file.sync()
        files.rename(path + ".new", path)
        files.sync_folder(folder)
        return cls(file, path, magic, version, slot_bytes, 1, payload, (0, 1))

    @classmethod
    def open(
        cls, files: Files, folder: str, name: str, magic: bytes, version: int, *, slot_bytes: int = SLOT_BYTES
    ) -> SlotFile:
        """Read the better slot; changes nothing. Raises LogDamaged, or FileNotFoundError if there is no file."""
        path = f"{folder}/{name}"
        file = files.open(path)
        try:
            slots = []
            for index in (0, 1):
                data = file.read(index * slot_bytes, slot_bytes)
                found = _decode(path, data, magic, version)
                slots.append((found[0], found[1], index) if found is not None else (0, b"", index))
            slots.sort()
            sequence, payload, _ = slots[1]
            if sequence == 0:
                start = file.read(0, len(magic))
                what = "both copies in it are damaged" if start == magic else "this is not a file of that name's kind"
                raise LogDamaged(path, what, "Restore the file from a backup of the same moment as the others")
        except BaseException:
            file.close()
            raise
        order = (slots[0][2], slots[1][2])
        return cls(file, path, magic, version, slot_bytes, sequence, payload, order)

    def write(self, payload: bytes) -> None:
        """Replace the payload; durable on return. After an OSError the file holds the old or the new one."""
        slot = _encode(self._magic, self._version, self.sequence + 1, payload, self._slot_bytes)
        for index in self._order:
            self._file.write(index * self._slot_bytes, slot)
            self._file.sync()
        self.sequence += 1
        self.payload = payload

    def close(self) -> None:
        self._file.close()


def _encode(magic: bytes, version: int, sequence: int, payload: bytes, slot_bytes: int) -> bytes:
    if len(payload) + _HEADER.size > slot_bytes:
        raise ValueError(f"{len(payload)} bytes do not fit in a slot of {slot_bytes}")
    prefix = _PREFIX.pack(magic, version, 0, len(payload), sequence)
    checksum = crc32(payload, crc32(prefix))
    return (prefix + checksum.to_bytes(4, "little") + payload).ljust(slot_bytes, b"\0")


def _decode(path: str, data: bytes, magic: bytes, version: int) -> tuple[int, bytes] | None:
    """Sequence number and payload of a slot; None if it is not whole."""
    if len(data) < _HEADER.size:
        return None
    found_magic, found_version, _, length, sequence, checksum = _HEADER.unpack_from(data)
    payload = data[_HEADER.size : _HEADER.size + length]
    if found_magic != magic or len(payload) != length:
        return None
    if crc32(payload, crc32(data[: _PREFIX.size])) != checksum:
        return None
    if found_version != version:
        what = f"format version {found_version} is not known here (known: {version})"
        raise LogDamaged(path, what, "Open it with the release that wrote it, or a later one")
    return sequence, payload
