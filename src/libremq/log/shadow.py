"""The shadow: one page beside the log, amqhlshd.lfh, where every other version of a partly filled page goes.

With TripleWrite the home of a page and the shadow take turns: what is being written is never where the last good
version is. So a force costs one write and one sync, as if the page were simply overwritten, and a torn write leaves
the version before it. Nothing refers to the shadow; its page says itself what it is.
"""

from __future__ import annotations

from libremq.common.files.file_layer import File, Files
from libremq.log.extents import Extents
from libremq.log.pages import PAGE_BYTES

SHADOW_FILE = "amqhlshd.lfh"


class Shadow:
    """The shadow page, in every copy of the log."""

    __slots__ = ("_extents", "_files")

    def __init__(self, files: Files, extents: Extents) -> None:
        self._extents = extents
        self._files: list[File] = []
        for folder in extents.folders:
            self._files.append(_open(files, folder))

    def write(self, page: bytes) -> None:
        """Replace the page; durable on return."""
        self._extents.write_copies(self._files, 0, [page])
        self._extents.sync_copies([self._files])

    def close(self) -> None:
        for file in self._files:
            file.close()


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
