"""The state file of a backup queue manager, amqbkup.dat: how far its files are, in place of a checkpoint in the log.

That it is there is what makes a backup one. It is replaced as a whole: behind a header with a checksum it has, in JSON,
what the log of a live queue manager has in a checkpoint record, and what its control file has.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from libremq.common.files.file_layer import Files
from libremq.common.files.queue_manager_files import BACKUP
from libremq.kernel.state import journal
from libremq.kernel.state.journal import CheckpointState
from libremq.store.store_errors import StoreDamaged

MAGIC = b"LMQB"
VERSION = 1
_HEADER = struct.Struct("<4sHHII")  # magic, version, reserved, length, CRC-32 of the content


@dataclass
class BackupState:
    """Where the next replay goes on, and whether there may be one."""

    checkpoint: CheckpointState
    media: int
    """The LSN from which on media recovery needs the log."""
    activating: bool = False
    """Its activation has begun: what is in its log may be its own."""


def save_state(files: Files, folder: str, state: BackupState) -> None:
    """Replace the state file: whatever happens, the old one is there or the new one."""
    content = {
        "media": state.media,
        "activating": state.activating,
        "checkpoint": journal.read_json(state.checkpoint.parts()[0]),
    }
    (body,) = journal.json_parts(content)
    path = f"{folder}/{BACKUP}"
    file = files.open(f"{path}.new", create=True)
    try:
        file.truncate(0)
        file.write(0, _HEADER.pack(MAGIC, VERSION, 0, len(body), zlib.crc32(body)) + body)
        file.sync()
    finally:
        file.close()
    files.rename(f"{path}.new", path)
    files.sync_folder(folder)


def load_state(files: Files, folder: str) -> BackupState:
    """StoreDamaged if it cannot be used."""
    path = f"{folder}/{BACKUP}"
    file = files.open(path)
    try:
        data = file.read(0, file.size())
    finally:
        file.close()
    body = data[_HEADER.size :]
    if len(data) < _HEADER.size or _HEADER.unpack_from(data)[::3] != (MAGIC, len(body)):
        raise _damaged(path, "it is not the state of a backup, or it is cut off")
    _, version, _, _, checksum = _HEADER.unpack_from(data)
    if version != VERSION:
        what = f"it has format version {version}, this release knows {VERSION}"
        raise StoreDamaged("backup state", path, what, "Use a newer release")
    if checksum != zlib.crc32(body):
        raise _damaged(path, "its content does not match its checksum")
    content = journal.read_json(body)
    (state,) = journal.json_parts(content["checkpoint"])
    return BackupState(CheckpointState.read(state), content["media"], content["activating"])


def _damaged(path: str, what: str) -> StoreDamaged:
    return StoreDamaged("backup state", path, what, "Make the backup again from the live queue manager")
