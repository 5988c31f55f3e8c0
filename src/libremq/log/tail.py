"""Making sure of the last pages when a log is opened.

The pages of the last force have no witness that they reached the disk. They may be in the system's cache only: the
process was killed between write and sync, or the sync failed, after which the cache still shows what the disk has not
got, and a new sync "works" without writing anything. Restart acts on these pages and the log goes on after them, so
they must not vanish later. Hence they are written again, same bytes, same place, and synced.

A power cut in that write could tear a page somebody was promised, so the pages go to a side file first. It is nothing
but a copy of pages, each of which says what it is; where a page of the log is bad, its copy there stands in.
"""

from __future__ import annotations

from libremq.common.files import Files
from libremq.log.extents import Extents
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER, PAGE_MAGIC, page_checksum

TAIL_FILE = "amqhltal.lfh"
_BLOCK_BYTES = 256 * 1024


def _page_lsn(page: bytes, log_id: bytes) -> int | None:
    """The LSN of a whole page of this log; None if it is not one."""
    magic, _, _, _, found_id, lsn, _, checksum = PAGE_HEADER.unpack_from(page)
    if magic != PAGE_MAGIC or found_id != log_id or checksum != page_checksum(memoryview(page), 0):
        return None
    assert isinstance(lsn, int)
    return lsn


def find_copies(files: Files, folder: str, extents: Extents, log_id: bytes) -> dict[int, bytes]:
    """The pages, by LSN, that are whole in the side file and bad in the log. Changes nothing."""
    try:
        file = files.open(f"{folder}/{TAIL_FILE}")
    except FileNotFoundError:
        return {}
    copies: dict[int, bytes] = {}
    try:
        for offset in range(0, file.size() - PAGE_BYTES + 1, PAGE_BYTES):
            copy = file.read(offset, PAGE_BYTES)
            lsn = _page_lsn(copy, log_id)
            if lsn is not None:
                page = extents.read(lsn, PAGE_BYTES)
                if page and _page_lsn(page, log_id) != lsn:
                    copies[lsn] = copy
    finally:
        file.close()
    return copies


def secure_tail(files: Files, folder: str, extents: Extents, first_lsn: int, end_lsn: int) -> None:
    """Make the pages from `first_lsn` up to `end_lsn` durable, whatever the system's cache believes."""
    if extents.copies:
        # The side file may hold the only good copy of these. They must be in place before it is written again.
        for lsn, page in extents.copies.items():
            extents.write_again(lsn, page)
        extents.sync(min(extents.copies), max(extents.copies))
        extents.copies = {}
    if first_lsn >= end_lsn:
        return
    file = files.open(f"{folder}/{TAIL_FILE}", create=True)
    try:
        blocks = []
        lsn = first_lsn
        while lsn < end_lsn:
            block = extents.read(lsn, min(_BLOCK_BYTES, end_lsn - lsn))
            file.write(lsn - first_lsn, block)
            blocks.append((lsn, block))
            lsn += len(block)
        file.truncate(end_lsn - first_lsn)
        file.sync()
        files.sync_folder(folder)
    finally:
        file.close()
    for lsn, block in blocks:
        extents.write_again(lsn, block)
    extents.sync(first_lsn, end_lsn - 1)
