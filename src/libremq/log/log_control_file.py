"""The log control file, amqhlctl.lfh: what must be known before the first page can be read.

Above all which extent file holds which stretch of LSNs. It is written before an extent gets new content, so that a
page is never found where the control file does not say it is.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from libremq.common.files.file_layer import Files
from libremq.log.config import CHOICES, LogConfig
from libremq.log.log_errors import LogDamaged
from libremq.log.slots import SlotFile

CONTROL_FILE = "amqhlctl.lfh"
CONTROL_MAGIC = b"LMQLCTL\0"
CONTROL_VERSION = 2

_FIXED = struct.Struct("<6sBBIHHIIQQQQQQQQIBxH")
"""Log id, type, write integrity, epoch, primaries, secondaries, file pages, buffer pages, change number, head LSN,
checkpoint LSN, media LSN, durable LSN, number of the first extent, extents archived, LSN of the epoch's first page,
files, management, length of the second folder's path; then the ring as u32 file numbers (circular only); then it."""


@dataclass(frozen=True, slots=True)
class ControlState:
    """The control file's payload. Extent number `base + i` lives in file number `ring[i]`."""

    log_id: bytes
    epoch: int
    config: LogConfig
    head: int
    checkpoint: int
    media: int
    """Oldest LSN that media recovery needs; 0 in a circular log."""
    durable: int
    base: int
    ring: tuple[int, ...]
    archived: int = 0
    """Extents with lower numbers are archived."""
    change: int = 0
    """One more with each write of the control file; tells which of two copies is the newer."""
    epoch_start: int = 0
    """LSN of the epoch's first page: a page of an earlier epoch at or after it does not count."""

    def pack(self) -> bytes:
        config = self.config
        second = config.second_folder.encode()
        fixed = _FIXED.pack(
            self.log_id,
            CHOICES["type"].index(config.type) + 1,
            CHOICES["write_integrity"].index(config.write_integrity) + 1,
            self.epoch,
            config.primary_files,
            config.secondary_files,
            config.file_pages,
            config.buffer_pages,
            self.change,
            self.head,
            self.checkpoint,
            self.media,
            self.durable,
            self.base,
            self.archived,
            self.epoch_start,
            len(self.ring),
            CHOICES["log_management"].index(config.log_management) + 1,
            len(second),
        )
        ring = b"" if config.linear else struct.pack(f"<{len(self.ring)}I", *self.ring)
        return fixed + ring + second

    @classmethod
    def unpack(cls, payload: bytes) -> ControlState:
        (
            log_id,
            type_,
            integrity,
            epoch,
            primaries,
            secondaries,
            file_pages,
            buffer_pages,
            change,
            head,
            checkpoint,
            media,
            durable,
            base,
            archived,
            epoch_start,
            count,
            management,
            second_bytes,
        ) = _FIXED.unpack_from(payload)
        linear = _choice("type", type_) == "LINEAR"
        ring = tuple(range(base, base + count)) if linear else struct.unpack_from(f"<{count}I", payload, _FIXED.size)
        rest = _FIXED.size + (0 if linear else 4 * count)
        config = LogConfig(
            primaries,
            secondaries,
            file_pages,
            _choice("type", type_),
            buffer_pages,
            _choice("write_integrity", integrity),
            payload[rest : rest + second_bytes].decode(),
            _choice("log_management", management),
        )
        return cls(log_id, epoch, config, head, checkpoint, media, durable, base, ring, archived, change, epoch_start)


def _choice(name: str, code: int) -> str:
    if code == 0:
        raise IndexError(f"0 stands for no {name}")
    return CHOICES[name][code - 1]


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
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        slots.close()
        what = f"its content makes no sense ({error})"
        raise LogDamaged(path, what, "Restore the log folder from a backup") from error


def log_identity(files: Files, folder: str) -> tuple[bytes, LogConfig]:
    """The id and the settings of the log in a folder, as its control file tells them; changes nothing."""
    slots, state = open_control(files, folder)
    slots.close()
    return state.log_id, state.config
