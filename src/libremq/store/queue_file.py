"""The queue file `q`: message images in 512-byte blocks, block 0 being the header.

It is made when the first message leaves the buffers, so a queue that lives in memory costs no file. Blocks that
the last checkpoint describes are never overwritten (the store frees them only after the next one), so a torn
write can only hit data that the log still holds. Layout: docs/internals/queue-file-format.md.
"""

from __future__ import annotations

import struct
import threading

from libremq.common.checksum import crc32
from libremq.common.files.file_layer import File, Files
from libremq.store.space_map import BLOCK_BYTES
from libremq.store.store_errors import READS, StoreDamaged, damaged_queue, failed_sync

MAGIC = b"LMQQ"
VERSION = 1
_HEADER = struct.Struct("<4sHHI8s48s")  # magic, version, reserved, queue id, log id, queue name; then a CRC


class QueueFile:
    """Blocks on disk. Opened or made on first use: by a verb, or by a checkpoint that is written beside it."""

    __slots__ = (
        "_file", "_files", "_folder", "_log_id", "_name", "_new", "_opening", "_path", "_queue_id", "_unsynced",
        "_unsynced_folder",
    )  # fmt: skip

    def __init__(self, files: Files, folder: str, queue_id: int, name: str, log_id: bytes) -> None:
        self._files = files
        self._folder = folder
        self._path = folder + "/q"
        self._queue_id = queue_id
        self._name = name
        self._log_id = log_id
        self._file: File | None = None
        self._opening = threading.Lock()
        self._new = False
        self._unsynced = False
        self._unsynced_folder = False

    def _header(self) -> bytes:
        head = _HEADER.pack(MAGIC, VERSION, 0, self._queue_id, self._log_id, self._name.encode())
        return (head + struct.pack("<I", crc32(head))).ljust(BLOCK_BYTES, b"\0")

    def _opened(self) -> File:
        with self._opening:
            if self._file is None:
                self._file = self._made() if self._new else self._found()
                self._new = False
            return self._file

    def _found(self) -> File:
        """The file that a checkpoint describes; its header reached the disk with the first of them."""
        try:
            file = self._files.open(self._path)
        except FileNotFoundError:
            raise self._damaged("the file is missing") from None
        try:
            if all(file.read(0, BLOCK_BYTES) != self._header() for _ in range(READS)):
                raise self._damaged(f"its header is not that of a version {VERSION} queue file of this queue")
        except BaseException:
            file.close()
            raise
        return file

    def _made(self) -> File:
        self._files.make_folder(self._folder)
        file = self._files.open(self._path, create=True)
        try:
            file.truncate(0)
            file.write(0, self._header())
        except BaseException:
            file.close()  # without a header it is no queue file: the next use begins again
            raise
        return file

    def _damaged(self, what: str) -> StoreDamaged:
        return damaged_queue(self._name, self._path, what)

    def renew(self) -> None:
        """The first write makes the file anew, whatever one of that name holds: no checkpoint describes it."""
        self._new = self._file is None

    def for_writing(self) -> File:
        """The open file, for a verb that will write blocks to it."""
        is_new = self._new
        file = self._opened()
        self._unsynced = True
        self._unsynced_folder |= is_new
        return file

    def for_checkpoint(self) -> File:
        """The open file, for a checkpoint that has taken on what is to be synced, its own blocks included."""
        return self._opened()

    def read(self, block: int, length: int, *, more: int = 0) -> bytes:
        """So many bytes from a block on; with `more` so many behind them, as far as the file goes."""
        try:
            data = self._opened().read(block * BLOCK_BYTES, length + more)
        except FileNotFoundError:
            raise self._damaged("the file is missing") from None
        if len(data) < length:
            raise self._damaged(f"it ends before block {block} and the {length} bytes that start there")
        return data

    def damaged_block(self, block: int, what: str) -> StoreDamaged:
        return self._damaged(f"block {block}: {what}")

    def take_unsynced(self, *, writes: bool) -> tuple[bool, bool]:
        """Is there anything to sync, and the folder too? The caller takes it on; what is written later counts anew.

        `writes`: the caller will write blocks, too, and so will make the file if there is none.
        """
        taken = self._unsynced or writes, self._unsynced_folder or (writes and self._new)
        self._unsynced = self._unsynced_folder = False
        return taken

    def give_back_unsynced(self, taken: tuple[bool, bool]) -> None:
        """It was not synced, or nobody knows."""
        self._unsynced |= taken[0]
        self._unsynced_folder |= taken[1]

    def sync(self, taken: tuple[bool, bool]) -> None:
        """Make durable what was taken on, but for the folder: whoever writes to that last of all syncs it.

        May run beside reads and writes; the file is open if there is anything.
        """
        unsynced, _ = taken
        if self._file is None or not unsynced:
            return
        try:
            self._file.sync()
        except OSError as error:
            raise failed_sync(self._path, error) from error

    def truncate(self, blocks: int) -> None:
        if not self._new:
            self._opened().truncate(blocks * BLOCK_BYTES)
            self._unsynced = True

    def size_blocks(self) -> int:
        return 0 if self._new else self._opened().size() // BLOCK_BYTES

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
