"""Opening a log: first look, changing nothing; then make good what an unorderly end or damage left behind.

The order matters. All that can be refused is refused before anything is written. Then the pages of the last force are
made sure of (tail.py), then the copies are made equal (copies.py), and last the control files say that a new epoch has
begun. Cut short anywhere, it can be done again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from libremq.common.files.file_layer import Files
from libremq.log.config import LogConfig
from libremq.log.copies import Copies, Say, make_equal, open_copies, write_controls
from libremq.log.extents import Extents, GrowingExtents, extent_name, format_extent
from libremq.log.log_control_file import CONTROL_FILE, ControlState, create_control
from libremq.log.log_errors import LogError
from libremq.log.pages import FIRST_LSN
from libremq.log.reader import LogEnd, find_end
from libremq.log.ring import Ring
from libremq.log.sequence import Sequence
from libremq.log.shadow import Shadow
from libremq.log.slots import SlotFile
from libremq.log.tail import find_candidates, forget_pages, secure_tail


@dataclass(slots=True)
class OpenedLog:
    """Everything an open log consists of."""

    state: ControlState
    controls: list[SlotFile]
    extents: GrowingExtents
    shadow: Shadow | None
    end: LogEnd


def create_files(files: Files, folder: str, config: LogConfig) -> None:
    """Make the files of a log. The control file comes last: a creation cut short leaves no log."""
    folders = [folder, config.second_folder] if config.second_folder else [folder]
    if len({path.rstrip("/") for path in folders}) < len(folders):
        raise ValueError(f"{folder}: the second copy of the log needs a folder of its own")
    for path in folders:
        if files.exists(f"{path}/{CONTROL_FILE}"):
            raise LogError(f"{path}: there is a log here already; delete it or choose another folder")
    ring = tuple(range(config.primary_files))
    for path in folders:
        files.make_folder(path)
    try:
        for path in folders:
            for number in ring:
                format_extent(files, path, number, config.extent_bytes).close()
            files.sync_folder(path)
    except OSError:
        for path in folders:
            for number in ring:
                if files.exists(f"{path}/{extent_name(number)}"):
                    files.remove(f"{path}/{extent_name(number)}")
        raise
    media = FIRST_LSN if config.linear else 0
    state = ControlState(secrets.token_bytes(6), 0, config, FIRST_LSN, 0, media, FIRST_LSN, 0, ring)
    for path in reversed(folders):
        create_control(files, path, state).close()


def open_files(
    files: Files, folder: str, settings: dict[str, int | str], say: Say, second_folder: str | None
) -> OpenedLog:
    """Open the files, find the end, repair, and begin a new epoch. `settings` are those of the config to be changed."""
    if second_folder and second_folder.rstrip("/") == folder.rstrip("/"):
        raise ValueError(f"{folder}: the second copy of the log needs a folder of its own")
    copies = open_copies(files, folder, second_folder)
    state = copies.state
    kind = Sequence if state.config.linear else Ring
    extents = kind(files, copies.folders, state.log_id, state.config.extent_bytes)
    shadow = None
    try:
        config = replace(
            state.config,
            second_folder=copies.folders[1] if len(copies.folders) > 1 else "",
            **settings,  # type: ignore[arg-type]
        ).checked()
        # In a linear log the extents before the head are nobody's business but media recovery's.
        skipped = max(0, state.head // state.config.extent_bytes - state.base) if config.linear else 0
        extents.open_all(state.base + skipped, state.ring[skipped:], copies.trusted)
        extents.candidates = find_candidates(files, copies.trusted_folders, extents)
        end = find_end(extents, state)
        try:
            shadow = _repair(files, copies, extents, config, end, say)
        except OSError as error:
            if len(copies.folders) == 1:
                raise
            raise LogError(
                f"{error.filename or folder}: a copy of the log cannot be repaired: {error.strerror}. Correct the "
                "cause, name another second folder, or open the log without a second copy"
            ) from error
        opened = replace(
            state,
            config=config,
            epoch=max(end.epoch, state.epoch) + 1,
            durable=end.lsn,
            change=max(copy.state.change for copy in copies.copies if copy.state is not None) + 1,
            epoch_start=end.page_lsn,
            base=extents.base,
            ring=extents.ring(),
        )
        controls = write_controls(files, copies, opened)
        if isinstance(extents, Ring):
            extents.begin_at(end.page_lsn // extents.extent_bytes)
            for number in extents.strays():
                extents.remove_files(number)
    except BaseException:
        extents.close()
        if shadow is not None:
            shadow.close()
        copies.close()
        raise
    return OpenedLog(opened, controls, extents, shadow, end)


def _repair(files: Files, copies: Copies, extents: Extents, config: LogConfig, end: LogEnd, say: Say) -> Shadow | None:
    secure_tail(files, extents, end.doubtful_lsn, end.page_lsn)
    for folder in set(copies.folders) - set(copies.trusted_folders):
        forget_pages(files, folder)
    make_equal(files, copies, extents, end.page_lsn, say)
    return None if config.rewrites_in_place else Shadow(files, extents)
