"""The shadow: one page beside the log, amqhlshd.lfh, where every other version of a partly filled page goes.

With TripleWrite the home of a page and the shadow take turns: what is being written is never where the last good
version is. So a force costs one write and one sync, as if the page were simply overwritten, and a torn write leaves
the version before it. Nothing refers to the shadow; its page says itself what it is.
"""

from __future__ import annotations

from libremq.common.files.file_layer import File, Files
from libremq.log.durable import CopiedFile, DurableFolders
from libremq.log.pages import PAGE_BYTES

SHADOW_FILE = "amqhlshd.lfh"


class Shadow(CopiedFile):
    """The shadow page, in every copy of the log."""

    __slots__ = ("_folders",)

    def __init__(self, files: Files, folders: DurableFolders) -> None:
        super().__init__([], SHADOW_FILE)
        self._folders = folders
        for folder in folders.folders:
            self.files.append(_open(files, folder))

    def write(self, page: memoryview) -> None:
        """Replace the page; durable on return."""
        self._folders.put(self, 0, page)
        if self._folders.unsettled:
            self._folders.settle()


def _open(files: Files, folder: str) -> File:
    """Open the file, made at its full size if it is not there; never touched otherwise."""
    path = f"{folder}/{SHADOW_FILE}"
    file = files.open(path, create=True)
    try:
        if file.size() != PAGE_BYTES:
            file.write(0, bytes(PAGE_BYTES))
            file.truncate(PAGE_BYTES)
            file.sync()
            files.sync_folder(folder)
    except BaseException:
        file.close()
        raise
    return file
