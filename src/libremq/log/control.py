"""The log control file, amqhlctl.lfh: what must be known before the first page can be read.

Above all the ring: which extent file holds which stretch of LSNs. It is written before an extent gets new content, so
that a page is never found where the ring does not say it is.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from libremq.common.files import Files
from libremq.log.config import LogConfig
from libremq.log.errors import LogDamaged
from libremq.log.slots import SlotFile

CONTROL_FILE = "amqhlctl.lfh"
CONTROL_MAGIC = b"LMQLCTL\0"
CONTROL_VERSION = 1

_FIXED = struct.Struct("<8sIBxHHHIIQQQQ")
"""Log id, epoch, type, primaries, secondaries, files in the ring, file pages, buffer pages, head LSN, checkpoint LSN,
durable LSN, number of the ring's first extent; then the ring as u32 file numbers."""

_TYPE_CODES = {"CIRCULAR": 1}
_TYPE_NAMES = {code: name for name, code in _TYPE_CODES.items()}


@dataclass(frozen=True, slots=True)
class ControlState:
    """The control file's payload. Extent number `base + i` lives in file number `ring[i]`."""

    log_id: bytes
    epoch: int
    config: LogConfig
    head: int
    checkpoint: int
    durable: int
    base: int
    ring: tuple[int, ...]

    def pack(self) -> bytes:
        config = self.config
        fixed = _FIXED.pack(
            self.log_id,
            self.epoch,
            _TYPE_CODES[config.type],
            config.primary_files,
            config.secondary_files,
            len(self.ring),
            config.file_pages,
            config.buffer_pages,
            self.head,
            self.checkpoint,
            self.durable,
            self.base,
        )
        return fixed + struct.pack(f"<{len(self.ring)}I", *self.ring)

    @classmethod
    def unpack(cls, payload: bytes) -> ControlState:
        log_id, epoch, type_, primaries, secondaries, count, pages, buffer, head, checkpoint, durable, base = (
            _FIXED.unpack_from(payload)
        )
        ring = struct.unpack_from(f"<{count}I", payload, _FIXED.size)
        config = LogConfig(primaries, secondaries, pages, _TYPE_NAMES[type_], buffer)
        return cls(log_id, epoch, config, head, checkpoint, durable, base, ring)


def create_control(files: Files, folder: str, state: ControlState) -> SlotFile:
    return SlotFile.create(files, folder, CONTROL_FILE, CONTROL_MAGIC, CONTROL_VERSION, state.pack())


def open_control(files: Files, folder: str) -> tuple[SlotFile, ControlState]:
    path = f"{folder}/{CONTROL_FILE}"
    try:
        slots = SlotFile.open(files, folder, CONTROL_FILE, CONTROL_MAGIC, CONTROL_VERSION)
    except FileNotFoundError:
        action = "Check the log path; if the file was lost, restore the log folder from a backup"
        raise LogDamaged(path, "there is no log control file", action) from None
    try:
        return slots, ControlState.unpack(slots.payload)
    except (struct.error, KeyError) as error:
        slots.close()
        what = f"its content makes no sense ({error})"
        raise LogDamaged(path, what, "Restore the log folder from a backup") from error
