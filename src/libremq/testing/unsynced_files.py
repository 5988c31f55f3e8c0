"""The files of the machine without waiting for the disk, for queue managers that live as long as a test.

Creating and starting a queue manager takes some fifty syncs, and a busy disk may take seconds for them. What was
written is with the system at once, so it survives the end of the process, even by `kill -9`; only a power cut could
take it, and with it the test.
"""

from __future__ import annotations

from libremq.common.files.file_layer import RealFile, RealFiles


class UnsyncedFile(RealFile):
    """A file whose sync returns at once."""

    __slots__ = ()

    def sync(self) -> None:
        pass


class UnsyncedFiles(RealFiles):
    """The machine's file system, in which nothing waits for the disk."""

    __slots__ = ()

    file_type = UnsyncedFile

    def writes_directly(self, folder: str) -> bool:
        return False  # such a write waits for the disk

    def sync_folder(self, path: str) -> None:
        pass
