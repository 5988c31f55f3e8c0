"""Room on a disk that fills: who gets what is left.

What is left belongs to checkpoints, as they give space back. A checkpoint that finds none is given up like any other
that fails, the reserve is cut, and a new one is taken from its beginning: so no checkpoint knows of the reserve, and
their order of writes is the same with and without it. From then on until there is a reserve again no persistent message
is taken and no other leaves memory (`Core.disk_full`), or puts would be faster than the checkpoint. Gets, commits,
backouts and definitions go on: they need the log only, whose extents have their blocks already.
"""

from __future__ import annotations

from collections.abc import Callable

from libremq.common.files.file_layer import Files
from libremq.common.messages.amq_messages import amq
from libremq.kernel.recovery import checkpoint
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import is_full_disk
from libremq.log import SlotFile
from libremq.store.reserve import DiskReserve
from libremq.store.tidying import may_shrink

LOOK_S = 1.0
"""So often, while the disk is full, a put that finds it so looks whether that can be changed."""
_ADVICE = "Get messages from the queues, remove other files from it, or enlarge it"


def find(core: Core) -> None:
    """At a start: have the reserve that was made before; if it was let go, the disk is full until it is whole again."""
    try:
        core.reserve.find()
    except OSError as error:
        core.say(amq(7488, core.qmgr_name, described(core, error)))
    if core.reserve.is_kept and not core.reserve.bytes:
        core.disk_full = _refusal(core)


def keep(core: Core) -> None:
    """Have a reserve from now on."""
    if _grow(core) and not core.reserve.is_kept:
        core.say(amq(7488, core.qmgr_name, described(core)))


def _grow(core: Core) -> bool:
    """Make the reserve, or enlarge it, if there is room; False if that is not possible for another reason."""
    reserve = core.reserve
    try:
        if reserve.grow() and core.disk_full:
            core.disk_full = ""
            core.say(amq(7486, core.qmgr_name, reserve.bytes, core.files.file_system(core.folder)))
    except OSError as error:
        core.say(amq(7488, core.qmgr_name, described(core, error)))
        return False
    return True


def let_go_for_start(files: Files, folder: str, name: str, error: BaseException, say: Callable[[str], None]) -> bool:
    """A start failed before it had recovered anything: if that was for lack of space, it may be tried again now."""
    if not is_full_disk(error) and not (error.__cause__ is not None and is_full_disk(error.__cause__)):
        return False
    reserve = DiskReserve(files, folder)
    try:
        reserve.find()
        given = reserve.let_go()
    except OSError:
        return False
    if given:
        say(amq(7485, files.file_system(folder), name, given))
    return given > 0


def let_go(core: Core, error: BaseException) -> bool:
    """A checkpoint failed: if that was for lack of space, and there is a reserve, then it may be tried again now."""
    if not is_full_disk(error):
        return False
    try:
        given = core.reserve.let_go()
    except OSError as trouble:
        core.say(amq(7488, core.qmgr_name, described(core, trouble)))
        return False
    if core.reserve.is_kept:
        core.disk_full = _refusal(core)
    if given:
        core.say(amq(7485, core.files.file_system(core.folder), core.qmgr_name, given))
    return given > 0


def take_checkpoint(
    core: Core, checkpoint_file: SlotFile, *, clean: bool = False, settled: Callable[[], None] = lambda: None
) -> None:
    """Take one in one go; with what the reserve gives, if it cannot do without."""
    try:
        checkpoint.take(core, checkpoint_file, clean=clean, settled=settled)
    except Exception as error:
        if not let_go(core, error):
            raise
        checkpoint.take(core, checkpoint_file, clean=clean, settled=settled)
    after_checkpoint(core)


def after_checkpoint(core: Core) -> None:
    """It may have given space back: first of all for the reserve."""
    if core.reserve.is_kept and core.reserve.bytes < core.reserve.wanted:
        _grow(core)


def would_free(core: Core) -> bool:
    """May a checkpoint give space back?"""
    return bool(core.dropped_folders) or any(may_shrink(queue.store) for queue in core.queues.values())


def described(core: Core, error: BaseException | None = None) -> str:
    """What went wrong; of a full disk also which one it is, and what to do."""
    if error is not None and not is_full_disk(error):
        return str(error)
    try:
        free = core.files.free_bytes(core.folder)
    except OSError:
        free = 0  # whatever else is wrong with it, this is for a message
    where = f"the file system {core.files.file_system(core.folder)} has {free} bytes free. {_ADVICE}"
    return f"{error}: {where}" if error is not None else where


def _refusal(core: Core) -> str:
    where = core.files.file_system(core.folder)
    return f"the file system {where} is full: persistent messages are not taken until there is room on it. {_ADVICE}"
