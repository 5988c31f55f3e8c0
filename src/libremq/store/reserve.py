"""The reserve: a file of real blocks and no content, which is cut to nothing when a checkpoint finds the disk full.

A checkpoint gives back the space of messages that are gone, and needs some itself before that. The file keeps that much
from everybody else. It is never synced and nothing reads it: whatever a crash makes of it, no data is in it.

Cut, the file stays, empty: so the next start knows that the disk was full. It is made again as soon as that takes no
more than half of what is free, and never grows beyond that.
"""

from __future__ import annotations

import errno

from libremq.common.files.file_layer import Files

RESERVE_FILE = "amqreserve.fil"
STEP_BYTES = 1 << 20
USUAL_BYTES = 4 * STEP_BYTES
"""Some 60 KiB of catalogue, and up to 256 KiB of messages and their handles for each of a dozen busy queues."""
BYTES_MAX = 64 * STEP_BYTES
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class DiskReserve:
    """The reserve of one queue manager, in its folder."""

    __slots__ = ("_files", "_folder", "_path", "bytes", "is_kept", "wanted")

    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        self._folder = folder
        self._path = f"{folder}/{RESERVE_FILE}"
        self.bytes = 0
        self.is_kept = False
        """Does this queue manager have one, be it cut to nothing at the moment?"""
        self.wanted = USUAL_BYTES

    def find(self) -> None:
        """At a start: go on with the one that is there. OSError if that is not possible."""
        if not self._files.exists(self._path):
            return
        file = self._files.open(self._path)
        try:
            self.bytes = file.size() // STEP_BYTES * STEP_BYTES
            self.is_kept = True
            if self.bytes:
                file.allocate(self.bytes)  # where it was copied from its blocks may not have come along
        except OSError as error:
            if error.errno not in NO_SPACE:
                raise
            file.truncate(0)
            self.bytes = 0
        finally:
            file.close()

    def want(self, checkpoint_bytes: int) -> None:
        """A checkpoint wrote so much: the next one may, too."""
        steps = -(-checkpoint_bytes // STEP_BYTES)
        self.wanted = max(self.wanted, min(steps * STEP_BYTES, BYTES_MAX))

    def grow(self) -> bool:
        """Make it as large as it should be, but not larger than what then is free; True if it is larger than before.

        OSError if it cannot be made for another reason than lack of space.
        """
        free = self._files.free_bytes(self._folder)
        size = min(self.wanted, (self.bytes + free) // 2) // STEP_BYTES * STEP_BYTES
        if size <= self.bytes:
            return False
        file = self._files.open(self._path, create=True)
        try:
            file.allocate(size)
        except OSError as error:
            file.truncate(self.bytes)
            if error.errno not in NO_SPACE:
                raise
            return False
        finally:
            file.close()
        self.bytes = size
        self.is_kept = True
        return True

    def let_go(self) -> int:
        """Give its blocks to whoever needs them now; how many bytes that were."""
        given, self.bytes = self.bytes, 0
        if given:
            try:
                file = self._files.open(self._path)
            except FileNotFoundError:
                return 0  # somebody has given them away already
            try:
                file.truncate(0)
            finally:
                file.close()
        return given
