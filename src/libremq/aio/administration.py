"""Administration with asyncio: the commands of `libremq.QueueManager` under their names, awaited.

What they do, and their arguments, is said there and in docs/reference/objects.md. What they changed is on disk when
they return. A command that was sent is waited for, also if the task is cancelled meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from libremq.admin.mqsc_session import Answer
from libremq.aio.sessions import Sessions
from libremq.client.administration import object_kind, object_name
from libremq.client.options import text
from libremq.client.recovery import absolute_folder, chosen_objects, settled_results
from libremq.client.urls import Address
from libremq.host.binding import AttributeValue
from libremq.host.statistics_snapshot import QueueManagerStatistics
from libremq.kernel.objects.attributes import GivenValue
from libremq.kernel.recovery.inspection import ObjectFiles, UnitInDoubt
from libremq.kernel.state.media_image import MediaResult
from libremq.log import ExtentState, Finding, LogStatistics
from libremq.log.management import Archiver
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import wrong_type


class Administration:
    """The part of `QueueManager` that defines, changes and shows objects, and looks after the log."""

    _sessions: Sessions

    async def _command(self, call: str, /, *args: Any, **kwargs: Any) -> Any:
        self._sessions.check()
        return await self._sessions.access.command(call, *args, **kwargs)

    @property
    def _name(self) -> str:
        return self._sessions.access.name

    # Defining

    async def define(
        self, kind: str, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE: make an object of a kind: qlocal, qalias, qremote, qmodel, process, namelist, channel or listener."""
        if like is not None:
            object_name(like)
        await self._command("define", object_kind(kind), object_name(name), attributes, like=like, replace=replace)

    async def define_local(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QLOCAL: a queue that holds messages."""
        await self.define("QLOCAL", name, like=like, replace=replace, **attributes)

    async def define_alias(
        self, name: str, target: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QALIAS: another name for the queue `target`."""
        await self.define("QALIAS", name, like=like, replace=replace, target=target, **attributes)

    async def define_remote(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QREMOTE: the queue `rname` of queue manager `rqmname`, reached through transmission queue `xmitq`."""
        await self.define("QREMOTE", name, like=like, replace=replace, **attributes)

    async def define_model(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QMODEL: what `dynamic_queue` makes queues from."""
        await self.define("QMODEL", name, like=like, replace=replace, **attributes)

    async def define_process(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE PROCESS: what a trigger message tells a trigger monitor to start."""
        await self.define("PROCESS", name, like=like, replace=replace, **attributes)

    async def define_namelist(
        self,
        name: str,
        names: Sequence[str],
        *,
        like: str | None = None,
        replace: bool = False,
        **attributes: GivenValue,
    ) -> None:
        """DEFINE NAMELIST: a list of names."""
        await self.define("NAMELIST", name, like=like, replace=replace, names=names, **attributes)

    async def alter(self, kind: str, name: str = "", **attributes: GivenValue) -> None:
        """ALTER: change the given attributes and keep the others. `alter("qmgr", deadq="DEAD")` for the manager."""
        await self._command("alter", object_kind(kind), object_name(name), attributes)

    async def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        """DELETE. A queue must not be open elsewhere, nor hold messages unless `purge` throws them away."""
        self._sessions.check()
        await self._sessions.release(object_name(name))
        await self._command("delete", object_kind(kind), name, purge=purge)

    async def clear(self, name: str) -> None:
        """CLEAR QLOCAL: throw away all messages. The queue must not be open elsewhere."""
        self._sessions.check()
        await self._sessions.release(object_name(name))
        await self._command("clear", name)

    async def mqsc(self, commands: str) -> list[Answer]:
        """Run commands of MQSC; a text may have many. Each answer says what became of one."""
        found = await self._command("mqsc", text("commands of MQSC", commands, C.MQRCCF_PARM_SYNTAX_ERROR))
        return cast("list[Answer]", found)

    # Showing

    async def display(self, kind: str, pattern: str = "*") -> list[dict[str, AttributeValue]]:
        """DISPLAY: the objects of a kind, or of all queues with kind "queue", that a name or `ABC*` means."""
        found = await self._command("display", object_kind(kind), object_name(pattern))
        return cast("list[dict[str, AttributeValue]]", found)

    async def queue_names(self, pattern: str = "*") -> list[str]:
        """The names of the queues that a name or `ABC*` means, those of the system left out unless asked for."""
        names: list[str] = await self._command("names", "QUEUE", object_name(pattern))
        if pattern.startswith("SYSTEM."):
            return names
        return [name for name in names if not name.startswith("SYSTEM.")]

    async def attributes(self) -> dict[str, AttributeValue]:
        """DISPLAY QMGR: the attributes of the queue manager itself."""
        return (await self.display("QMGR"))[0]

    async def statistics(self) -> QueueManagerStatistics:
        """Counters of the queue manager and its log at this moment."""
        return cast(QueueManagerStatistics, await self._command("statistics"))

    # Units of work in doubt

    async def in_doubt(self) -> list[bytes]:
        """The XIDs of units of work that are prepared and wait for a decision."""
        self._sessions.check()
        return await (await self._sessions.common()).binding.xa_recover()

    async def resolve(self, xid: bytes, *, commit: bool) -> None:
        """Decide a unit of work that is in doubt, when its transaction manager cannot."""
        if not isinstance(xid, bytes):
            raise wrong_type(C.MQRC_UOW_NOT_AVAILABLE, self._name, f"an XID is bytes, not {xid!r}")
        self._sessions.check()
        await (await self._sessions.common()).binding.xa("xa_commit" if commit else "xa_rollback", xid)

    # The log

    async def checkpoint(self) -> None:
        """Bring the queue files up to the log now, so that the next start has less to do."""
        await self._command("checkpoint")

    async def log_statistics(self) -> LogStatistics:
        """The logger's counters since the start."""
        return (await self.statistics()).log

    async def log_findings(self) -> list[Finding]:
        """What the counters say should be done about the log; empty if all is well."""
        return cast("list[Finding]", await self._command("log_findings"))

    async def log_extents(self) -> list[ExtentState]:
        """Every extent of the log, oldest first, and what it is needed for."""
        return cast("list[ExtentState]", await self._command("log_extents"))

    async def archive_log(self, to: Archiver) -> list[str]:
        """Copy the extents of a linear log that nothing needs any more to a folder; the names of those copied."""
        if not isinstance(to, str) and not callable(to):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, self._name, f"a folder or a function, not {to!r}")
        where = absolute_folder(to, self._name) if isinstance(to, str) else to
        return cast("list[str]", await self._command("archive_log", where))

    async def mark_log_archived(self, name: str) -> None:
        """Take note that somebody has copied an extent away by other means: for LogManagement=Archive."""
        await self._command("mark_log_archived", text("the name of an extent", name, C.MQRC_OPTIONS_ERROR))

    async def delete_log_extents(self) -> list[str]:
        """Delete the extents of a linear log that nothing needs any more; their names."""
        return cast("list[str]", await self._command("delete_log_extents"))

    # What is in doubt, and where things are

    async def units_in_doubt(self) -> list[UnitInDoubt]:
        """dspmqtrn: the units of work that are prepared and not decided, with the queues that they concern."""
        return cast("list[UnitInDoubt]", await self._command("units_in_doubt"))

    async def object_files(self, kind: str = "all", name: str = "*") -> list[ObjectFiles]:
        """dspmqfls: the files, or the folder, in which each object that is meant is kept."""
        return cast("list[ObjectFiles]", await self._command("object_files", *chosen_objects(kind, name)))

    # Media and backups

    async def record_images(self, kind: str = "all", name: str = "*") -> list[MediaResult]:
        """rcdmqimg: write media images of the objects that are meant to the linear log, then take a checkpoint."""
        kind, name = chosen_objects(kind, name)
        return settled_results(await self._command("record_images", kind, name), kind, name)

    async def recover_object(self, kind: str, name: str) -> list[MediaResult]:
        """rcrmqobj: make objects anew from their last media image and the log behind it, then take a checkpoint."""
        kind, name = chosen_objects(kind, name)
        self._sessions.check()
        await self._sessions.release(name)
        return settled_results(await self._command("recover_objects", kind, name), kind, name)

    async def copy_to_backup(self, data: str, *, log_folder: str = "") -> str:
        """Make a backup queue manager of this one, which has a linear log, under the data folder `data`; its folder."""
        target = Address("embedded", self._name, data=absolute_folder(data, self._name)).folder
        log = absolute_folder(log_folder, self._name) if log_folder else ""
        await self._command("copy_to_backup", target, log)
        return target
