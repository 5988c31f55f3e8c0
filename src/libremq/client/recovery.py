"""The log and what it is good for: its figures and advice, its extents, media images, media recovery, backups.

Commands that choose objects take a type and a name as rcdmqimg and rcrmqobj do. A full name that comes to nothing is an
error; with a generic one (`ORDERS*`) the results say what became of each object.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from libremq.client.options import text
from libremq.client.urls import Address
from libremq.common.names.object_names import is_generic_name, matches
from libremq.host.binding import Access
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.errors import mq_error

if TYPE_CHECKING:
    # Named, not used: a client has no need of a queue manager
    from libremq.client.session import Session
    from libremq.kernel.recovery.inspection import DecidedUnit, ObjectFiles, UnitInDoubt
    from libremq.kernel.state.media_image import MediaResult
    from libremq.log import ExtentState, Finding, LogStatistics
    from libremq.log.management import Archiver


class Recovery(ABC):
    """The part of `QueueManager` that looks after the log, and after what is in doubt or damaged."""

    _access: Access

    @abstractmethod
    def _session(self) -> Session:
        """The connection of this thread; an error if the queue manager is closed."""

    def _usable_access(self) -> Access:
        """The access, after a check that the queue manager is still open."""
        self._session()
        return self._access

    # Units of work

    def in_doubt(self) -> list[bytes]:
        """The XIDs of units of work that are prepared and wait for a decision."""
        return self._session().binding.xa_recover()

    def resolve(self, xid: bytes, *, commit: bool) -> None:
        """rsvmqtrn: decide a unit of work that is in doubt, when its transaction manager cannot. For administrators.

        The transaction manager hears of it when it comes with a decision of its own (MQRC_OUTCOME_MIXED), and the
        outcome is kept until it forgets the branch, or `forget_unit` does.
        """
        access = self._usable_access()
        if not isinstance(xid, bytes):
            raise wrong_type(C.MQRC_UOW_NOT_AVAILABLE, self._access.name, f"an XID is bytes, not {xid!r}")
        access.resolve_unit(xid.hex(), commit=commit)

    # The log

    def checkpoint(self) -> None:
        """Bring the queue files up to the log now, so that the next start has less to do."""
        self._usable_access().checkpoint()

    def log_statistics(self) -> LogStatistics:
        """The logger's counters since the start, as `libremq amqldmpa` shows them."""
        return self._usable_access().statistics().log

    def log_findings(self) -> list[Finding]:
        """What the counters say should be done about the log; empty if all is well."""
        return self._usable_access().log_findings()

    def log_extents(self) -> list[ExtentState]:
        """Every extent of the log, oldest first, and what it is needed for."""
        return self._usable_access().log_extents()

    def archive_log(self, to: Archiver) -> list[str]:
        """Copy the extents of a linear log that nothing needs any more to a folder; the names of those copied.

        `to` may be a function instead, which is given the path of each and does it. An extent counts as archived, for
        LogManagement=Archive too, when its copy is on disk or the function has returned.
        """
        access = self._usable_access()
        if not isinstance(to, str) and not callable(to):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, self._access.name, f"a folder or a function, not {to!r}")
        return access.archive_log(to if not isinstance(to, str) else absolute_folder(to, self._access.name))

    def mark_log_archived(self, name: str) -> None:
        """Take note that somebody has copied an extent away by other means: for LogManagement=Archive."""
        self._usable_access().mark_log_archived(text("the name of an extent", name, C.MQRC_OPTIONS_ERROR))

    def delete_log_extents(self) -> list[str]:
        """Delete the extents of a linear log that nothing needs any more; their names.

        With LogManagement=Archive only those that are archived.
        """
        return self._usable_access().delete_log_extents()

    # What is in doubt, and where things are

    def units_in_doubt(self) -> list[UnitInDoubt]:
        """dspmqtrn: the units of work that are prepared and not decided, with the queues that they concern."""
        return self._usable_access().units_in_doubt()

    def decided_units(self) -> list[DecidedUnit]:
        """dspmqtrn -h: the units of work that an administrator has decided, and nobody has forgotten."""
        return self._usable_access().decided_units()

    def forget_unit(self, xid: str) -> None:
        """rsvmqtrn -f: keep the outcome of a unit of work that was decided no longer. Its XID is in hexadecimal."""
        self._usable_access().forget_unit(xid)

    def object_files(self, kind: str = "all", name: str = "*") -> list[ObjectFiles]:
        """dspmqfls: the files, or the folder, in which each object that is meant is kept."""
        access = self._usable_access()
        return access.object_files(*chosen_objects(kind, name))

    # Media

    def record_images(self, kind: str = "all", name: str = "*") -> list[MediaResult]:
        """rcdmqimg: write media images of the objects that are meant to the linear log, then take a checkpoint.

        Each object stands still while its image is written. A result whose `problem` is not empty is of an object that
        keeps the image it had.
        """
        access = self._usable_access()
        kind, name = chosen_objects(kind, name)
        return settled_results(access.record_images(kind, name), kind, name)

    def recover_object(self, kind: str, name: str) -> list[MediaResult]:
        """rcrmqobj: make objects anew from their last media image and the log behind it, then take a checkpoint.

        A queue must not be open elsewhere. Its non-persistent messages are gone afterwards. Units of work that are not
        ended keep what they have.
        """
        access = self._usable_access()
        kind, name = chosen_objects(kind, name)
        from libremq.kernel.state.media_image import TYPES

        if TYPES.get(kind.lower()) in ("*", "QUEUE", "QLOCAL"):
            session = self._session()
            for handle in list(session.handles.values()):
                if matches(name, handle.name):
                    session.release(handle.name)
        return settled_results(access.recover_objects(kind, name), kind, name)

    # Backups

    def copy_to_backup(self, data: str, *, log_folder: str = "") -> str:
        """Make a backup queue manager of this one, which has a linear log, under the data folder `data`.

        Everybody waits while the files are copied. From then on ship extents of the log to it, and have it replay them
        with `libremq.backup.replay`. Returns the folder of the backup; its log is in `log` there, or in `log_folder`.
        """
        access = self._usable_access()
        target = Address("embedded", self._access.name, data=absolute_folder(data, self._access.name)).folder
        access.copy_to_backup(target, absolute_folder(log_folder, self._access.name) if log_folder else "")
        return target


def chosen_objects(kind: str, name: str) -> tuple[str, str]:
    """Type and name of what a command is about, checked."""
    kind = text("a type of object", kind, C.MQRC_OBJECT_TYPE_ERROR)
    name = text("the name of an object", name, C.MQRCCF_OBJECT_NAME_ERROR)
    if "*" in name and not is_generic_name(name):
        detail = f"{name[:64]!r} is no generic name: an asterisk stands at the end"
        raise bad_value(C.MQRCCF_OBJECT_NAME_ERROR, name[:64], detail)
    return kind, name


def settled_results(results: list[MediaResult], kind: str, name: str) -> list[MediaResult]:
    """The results, unless one object was meant, by its full name, and it came to nothing."""
    if not name.endswith("*"):
        if not results:
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, name, f"there is no object of type {kind} of this name")
        problems = [result.problem for result in results if result.problem]
        if problems:
            in_use = "MQRC_OBJECT_IN_USE" in problems[0]
            raise mq_error(C.MQRC_OBJECT_IN_USE if in_use else C.MQRC_OBJECT_DAMAGED, name, problems[0])
    return results


def absolute_folder(path: str, manager: str) -> str:
    """The path of a folder, as it is from here."""
    text("the path of a folder", path, C.MQRC_OPTIONS_ERROR, manager)
    if not path or "\0" in path:
        raise bad_value(C.MQRC_OPTIONS_ERROR, manager, f"{path!r} is not the path of a folder")
    return os.path.abspath(os.path.expanduser(path))
