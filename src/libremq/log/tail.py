"""Making sure of the last pages when a log is opened.

The pages of the last force have no witness that they reached the disk. They may be in the system's cache only: the
process was killed between write and sync, or the sync failed, after which the cache still shows what the disk has not
got, and a new sync "works" without writing anything. Restart acts on these pages and the log goes on after them, so
they must not vanish later. Hence they are written again, same bytes, same place, and synced.

A power cut in that write could tear a page somebody was promised, so the pages go to a side file first. It is nothing
but a copy of pages, each of which says what it is. Where the side file or the shadow (shadow.py) has a whole page and
the log has not, or has an earlier version of it, that one counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from libremq.common.files.file_layer import Files
from libremq.log.extents import Extents
from libremq.log.pages import BAD, PAGE_BYTES, PAGE_HEADER, page_rank
from libremq.log.shadow import SHADOW_FILE

TAIL_FILE = "amqhltal.lfh"
_BLOCK_BYTES = 256 * 1024


def find_candidates(files: Files, folders: Sequence[str], extents: Extents) -> dict[int, bytes]:
    """The pages, by LSN, of which the side file or the shadow has a later version. Changes nothing.

    With two copies, what is wrong with these files in one of them is noted in the problems of the extents.
    """
    found: dict[int, bytes] = {}
    for name in (TAIL_FILE, SHADOW_FILE):
        there = [folder for folder in folders if files.exists(f"{folder}/{name}")]
        if name == SHADOW_FILE and 0 < len(there) < len(folders):
            lost = next(folder for folder in folders if folder not in there)
            extents.problems.append(f"{lost}/{name}: it was missing and is made anew")
        for folder in there:
            path = f"{folder}/{name}"
            for page in _pages(files, path, extents, others=len(folders) > 1):
                lsn = PAGE_HEADER.unpack_from(page)[6]
                rank = page_rank(page, extents.log_id, lsn)
                if rank != BAD:
                    known = found.get(lsn) or extents.read(lsn, PAGE_BYTES)
                    if known and rank > page_rank(known, extents.log_id, lsn):
                        found[lsn] = page
                elif len(folders) > 1 and any(page):
                    extents.problems.append(f"{path}: a page in it is damaged or half written; the other copy counts")
    return found


def _pages(files: Files, path: str, extents: Extents, others: bool) -> list[bytes]:
    try:
        file = files.open(path)
    except FileNotFoundError:
        return []
    try:
        return [file.read(offset, PAGE_BYTES) for offset in range(0, file.size() - PAGE_BYTES + 1, PAGE_BYTES)]
    except OSError as error:
        if others:
            extents.problems.append(f"{path}: it cannot be read ({error.strerror}); the other copy counts")
            return []
        raise
    finally:
        file.close()


def forget_pages(files: Files, folder: str) -> None:
    """Delete both files in a folder whose content is not to be believed."""
    for name in (TAIL_FILE, SHADOW_FILE):
        if files.exists(f"{folder}/{name}"):
            files.remove(f"{folder}/{name}")
            files.sync_folder(folder)


def secure_tail(files: Files, extents: Extents, first_lsn: int, end_lsn: int) -> None:
    """Make the pages from `first_lsn` up to `end_lsn` durable in their places, whatever the system's cache believes."""
    extents.candidates = {lsn: page for lsn, page in extents.candidates.items() if lsn < end_lsn}
    _heal(extents)
    blocks = sorted((lsn, page) for lsn, page in extents.candidates.items() if lsn < first_lsn)
    lsn = first_lsn
    while lsn < end_lsn:
        block = extents.read(lsn, min(_BLOCK_BYTES, end_lsn - lsn))
        blocks.append((lsn, block))
        lsn += len(block)
    if not blocks:
        return
    for folder in extents.folders:
        if files.exists(folder):
            _write_side_file(files, folder, blocks)
    touched = []
    for lsn, block in blocks:
        extent, offset = divmod(lsn, extents.extent_bytes)
        entry = extents.entry(extent)
        assert entry is not None
        for file in entry.files:
            if file is not None:
                file.write(offset, block)
        touched.append(entry)
    extents.sync_copies([entry.files for entry in dict.fromkeys(touched)])
    extents.candidates = {}


def _heal(extents: Extents) -> None:
    """Put pages in place where there is no whole one: the side file may have the only one and is written next."""
    touched = []
    for lsn, page in extents.candidates.items():
        extent, offset = divmod(lsn, extents.extent_bytes)
        entry = extents.entry(extent)
        assert entry is not None
        for file in entry.files:
            if file is not None and page_rank(file.read(offset, PAGE_BYTES), extents.log_id, lsn) == BAD:
                file.write(offset, page)
                touched.append(entry)
    extents.sync_copies([entry.files for entry in dict.fromkeys(touched)])


def _write_side_file(files: Files, folder: str, blocks: list[tuple[int, bytes]]) -> None:
    file = files.open(f"{folder}/{TAIL_FILE}", create=True)
    try:
        offset = 0
        for _, block in blocks:
            file.write(offset, block)
            offset += len(block)
        file.truncate(offset)
        file.sync()
        files.sync_folder(folder)
    finally:
        file.close()
