"""What becomes of a linear log's extents: which are needed for what, and how the others leave.

An extent is needed for restart from the head on, and for media recovery from the media LSN on. Older ones are
unneeded. They are archived (copied away by us, or by somebody who says so) and deleted by command, or at checkpoints
as LogManagement says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from libremq.common.files.file_layer import Files
from libremq.log.extents import FORMAT_BYTES, extent_name, extent_number
from libremq.log.log_errors import LogError
from libremq.log.sequence import Sequence

if TYPE_CHECKING:
    from libremq.log.log import Log

Archiver = str | Callable[[str], None]
"""A folder to copy extents to, or a function that is given the path of each."""


class ExtentState(NamedTuple):
    """An extent file and what it is there for.

    `state` is "active" (needed for restart), "media" (inactive, needed for media recovery), "unneeded", or "free" (in
    the ring of a circular log, or formatted ahead, and without records that matter).
    """

    name: str
    path: str
    extent: int
    first_lsn: int
    state: str
    archived: bool = False


class ArchivedExtents:
    """Which extents are archived: all below `bound`, which is recorded, and some above it, remembered while open."""

    __slots__ = ("_more", "bound")

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._more: set[int] = set()

    def __contains__(self, extent: int) -> bool:
        return extent < self.bound or extent in self._more

    def note(self, extent: int, inactive: list[int]) -> None:
        """An extent is archived. `inactive` are those that are there: what is gone needs no archiving."""
        more = self._more | {extent}
        bound = self.bound
        for number in inactive:
            if number >= bound:
                if number not in more:
                    break
                bound = number + 1
        self.bound = bound
        self._more = {number for number in more if number >= bound}


def list_extents(log: Log, head_lsn: int | None = None, media_lsn: int | None = None) -> list[ExtentState]:
    """All extents, oldest first; the file being written to is the last active one. `None`: what is needed now."""
    files = log._extents
    size = log.config.extent_bytes
    head = (log.head if head_lsn is None else head_lsn) // size
    media = (log.media if media_lsn is None else media_lsn) // size
    # In this order: while we look, an extent may go from the prepared to the active and on to the inactive ones.
    rows: dict[int, int] = {}
    if isinstance(files, Sequence):
        rows.update((number, number) for number in files.prepared())
    rows.update((extent, entry.number) for extent, entry in files.entries())
    if isinstance(files, Sequence):
        rows.update((number, number) for number in files.inactive())
    current = log.tail // size
    found = []
    for extent, number in sorted(rows.items()):
        if extent > current or (extent < head and not log.config.linear):
            state = "free"
        elif extent >= head:
            state = "active"
        else:
            state = "media" if extent >= media else "unneeded"
        archived = log.config.linear and extent in log._archived
        path = f"{log.folder}/{extent_name(number)}"
        found.append(ExtentState(extent_name(number), path, extent, extent * size, state, archived))
    return found


def archive_extents(log: Log, files: Files, to: Archiver) -> list[str]:
    """Archive every unneeded extent that is not archived yet; returns their names. One that fails stops it."""
    done = []
    for extent in list_extents(log):
        if extent.state == "unneeded" and not extent.archived:
            if isinstance(to, str):
                _copy(log, files, extent, to)
            else:
                to(extent.path)
            log.mark_archived(extent.name)
            done.append(extent.name)
    return done


def _copy(log: Log, files: Files, extent: ExtentState, folder: str) -> None:
    """Copy an extent, read from whichever copy is good; it has its name there when it is whole and durable."""
    files.make_folder(folder)
    target = f"{folder}/{extent.name}"
    file = files.open(target + ".new", create=True)
    try:
        offset = 0
        while offset < log.config.extent_bytes:
            block = log._extents.read(extent.first_lsn + offset, FORMAT_BYTES)
            if not block:
                raise LogError(f"{extent.path}: the extent cannot be read, so it was not archived")
            file.write(offset, block)
            offset += len(block)
        file.truncate(offset)
        file.sync()
    finally:
        file.close()
    files.rename(target + ".new", target)
    files.sync_folder(folder)


def delete_extents(log: Log, head_lsn: int, media_lsn: int, most: int | None = None) -> list[str]:
    """Delete every extent that is not needed from these LSNs on (LogManagement=Archive: and is archived).

    `most`: no more than so many, the oldest.
    """
    files = log._extents
    assert isinstance(files, Sequence)
    gone: list[str] = []
    for extent in list_extents(log, head_lsn, media_lsn):
        if len(gone) == most:
            break
        if extent.state == "unneeded" and (extent.archived or log.config.log_management != "Archive"):
            files.forget(extent.extent)
            gone.append(extent.name)
    return gone


def number_in(name: str) -> int:
    """The number in an extent's name; raises ValueError if it is not one."""
    number = extent_number(name)
    if number is None:
        raise ValueError(f"{name} is not the name of a log extent, like {extent_name(0)}")
    return number
