"""Two copies of a log: which is good for what when they are opened, and how they are made equal again.

While a log is open every write goes to both copies, and a copy that cannot be written ends the queue manager. So copies
differ only by what was under way when it ended, or because somebody or something changed one of them. The control
files count their changes: a copy that is behind by more than the write under way was not there when the log went on,
and nothing in it is believed. Otherwise damage is made good page by page, from whichever copy has the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from libremq.common.files.file_layer import Files
from libremq.log.extents import Extent, Extents, extent_name
from libremq.log.log_control_file import CONTROL_FILE, ControlState, create_control, open_control
from libremq.log.log_errors import LogDamaged
from libremq.log.pages import BAD, PAGE_BYTES, page_rank
from libremq.log.sequence import Sequence
from libremq.log.slots import SlotFile

Say = Callable[[str], None]

_BLOCK_BYTES = 256 * 1024


@dataclass(slots=True)
class Copy:
    """One copy of a log, as far as its control file tells."""

    folder: str
    control: SlotFile | None = None
    state: ControlState | None = None
    problem: LogDamaged | None = None

    def close(self) -> None:
        if self.control is not None:
            self.control.close()


@dataclass(slots=True)
class Copies:
    """The copies of a log, with what the best control file says."""

    copies: list[Copy]
    state: ControlState
    trusted: list[bool]
    all_extents: bool
    """The control files differ, so every extent is compared and not only the active ones."""
    problems: list[str] = field(default_factory=list)

    @property
    def folders(self) -> list[str]:
        return [copy.folder for copy in self.copies]

    @property
    def trusted_folders(self) -> list[str]:
        return [copy.folder for copy, trusted in zip(self.copies, self.trusted, strict=True) if trusted]

    def close(self) -> None:
        for copy in self.copies:
            copy.close()


def _look(files: Files, folder: str) -> Copy:
    try:
        control, state = open_control(files, folder)
    except LogDamaged as error:
        return Copy(folder, problem=error)
    except OSError as error:
        path = f"{folder}/{CONTROL_FILE}"
        return Copy(folder, problem=LogDamaged(path, f"it cannot be read: {error}", "Check the disk and the log path"))
    return Copy(folder, control, state)


def open_copies(files: Files, folder: str, second_folder: str | None) -> Copies:
    """Open the control files and choose. `second_folder` None: as the log was last used. Changes nothing."""
    first = _look(files, folder)
    second: Copy | None = None
    known_second = first.state.config.second_folder if first.state is not None else second_folder
    wanted_second = known_second if second_folder is None else second_folder
    try:
        if wanted_second:
            second = _look(files, wanted_second)
            return _choose(files, first, second, known_second == wanted_second)
        if first.state is None:
            assert first.problem is not None
            raise first.problem
        return Copies([first], first.state, [True], False)
    except BaseException:
        first.close()
        if second is not None:
            second.close()
        raise


def _choose(files: Files, first: Copy, second: Copy, dual_before: bool) -> Copies:
    copies = [first, second]
    known = [copy.state for copy in copies if copy.state is not None]
    if not known:
        assert first.problem is not None
        raise first.problem
    if len({state.log_id for state in known}) > 1:
        action = "Choose another folder for the second copy, or put back this log's files"
        raise LogDamaged(f"{second.folder}/{CONTROL_FILE}", "the two folders hold two different logs", action)
    if first.state is None and known[0].config.second_folder != second.folder:
        # The second folder holds a log in its own right, not this one's copy.
        assert first.problem is not None
        raise first.problem
    best = max(known, key=lambda state: (state.epoch, state.change))
    if not dual_before:
        assert first.state is not None
        best = first.state
    trusted = [copy.state is not None and copy.state.change >= best.change - 1 for copy in copies]
    if not dual_before:
        trusted[1] = False
    problems = []
    for copy, usable in zip(copies, trusted, strict=True):
        if copy.problem is not None and (dual_before or copy is first):
            problems.append(f"{copy.problem.path}: {copy.problem.what}")
        elif not usable and dual_before:
            problems.append(f"{copy.folder}: this copy of the log is older than the other")
        elif copy.control is not None and copy.control.half_damaged:
            problems.append(f"{copy.control.path}: one of its two slots was damaged or half written; it is made good")
    if not dual_before:
        problems.append(f"{second.folder}: a second copy of the log is made here")
    return Copies(copies, best, trusted, len({state.change for state in known}) > 1 or not all(trusted), problems)


def make_equal(files: Files, copies: Copies, extents: Extents, end_lsn: int, say: Say) -> None:
    """Repair each copy from the other, up to the end of the log. The control files are not touched here."""
    if len(copies.copies) == 1:
        return
    for text in (*copies.problems, *extents.problems):
        say(text)
    extents.problems.clear()
    for copy, folder in enumerate(extents.folders):
        files.make_folder(folder)
        for extent in [*_inactive(copies, extents), *(number for number, _ in extents.entries())]:
            entry = extents.entry(extent)  # one at a time: only a few inactive ones are open together
            if entry is not None and (extent * extents.extent_bytes < end_lsn or entry.files[copy] is None):
                _repair(files, extents, copy, extent, entry, end_lsn, say)
    extents.trusted = [True] * len(extents.folders)


def _inactive(copies: Copies, extents: Extents) -> list[int]:
    """The inactive extents of a linear log that are to be looked at."""
    if not isinstance(extents, Sequence):
        return []
    if copies.all_extents:
        return list(extents.inactive())
    # Their pages are not compared at each opening: that takes time, and readers take the good ones anyway.
    found = []
    for number in extents.inactive():
        if number >= copies.state.media // extents.extent_bytes:
            entry = extents.entry(number)
            if entry is not None and not all(entry.files):
                found.append(number)
    return found


def _repair(files: Files, extents: Extents, copy: int, extent: int, entry: Extent, end_lsn: int, say: Say) -> None:
    folder = extents.folders[copy]
    other = extents.folders[1 - copy]
    path = f"{folder}/{extent_name(entry.number)}"
    if entry.files[copy] is None:
        _copy_whole(files, extents, copy, extent, entry)
        say(f"{path}: the extent was copied from {other}")
        return
    file = entry.files[copy]
    assert file is not None
    repaired = 0
    start = extent * extents.extent_bytes
    for offset in range(0, min(extents.extent_bytes, end_lsn - start), _BLOCK_BYTES):
        best = extents.read(start + offset, min(_BLOCK_BYTES, end_lsn - start - offset))
        try:
            mine = file.read(offset, len(best))
        except OSError:
            mine = b""
        if mine == best:
            continue
        for at in range(0, len(best), PAGE_BYTES):
            page = best[at : at + PAGE_BYTES]
            if page != mine[at : at + PAGE_BYTES] and page_rank(page, extents.log_id, start + offset + at) != BAD:
                file.write(offset + at, page)
                repaired += 1
    if repaired:
        file.sync()
        say(f"{path}: {repaired} damaged or missing pages were repaired from {other}")


def _copy_whole(files: Files, extents: Extents, copy: int, extent: int, entry: Extent) -> None:
    """Make the extent's file anew; it gets its name when it is whole."""
    folder = extents.folders[copy]
    path = f"{folder}/{extent_name(entry.number)}"
    file = files.open(path + ".new", create=True)
    try:
        for offset in range(0, extents.extent_bytes, _BLOCK_BYTES):
            file.write(offset, extents.read(extent * extents.extent_bytes + offset, _BLOCK_BYTES))
        file.truncate(extents.extent_bytes)
        file.sync()
        files.rename(path + ".new", path)
        files.sync_folder(folder)
    except BaseException:
        file.close()
        raise
    entry.files[copy] = file


def write_controls(files: Files, copies: Copies, state: ControlState) -> list[SlotFile]:
    """Bring every control file up to date, making those that are missing, the one that is furthest behind first.

    So none is ever behind by more than one write; and a folder becomes a second copy when the first folder's control
    file says so, by which time it is whole.
    """
    payload = state.pack()

    def how_far(copy: Copy) -> tuple[bool, int]:
        trusted = copies.trusted[copies.copies.index(copy)]
        return trusted, 0 if copy.state is None else copy.state.change

    for copy in sorted(copies.copies, key=how_far):
        if copy.control is None:
            copy.control = create_control(files, copy.folder, state)
        else:
            copy.control.write(payload)
    return [copy.control for copy in copies.copies if copy.control is not None]
