"""Administration with asyncio: the commands of `libremq.QueueManager` under their names, awaited.

What they do, and their arguments, is said there (`aio.descriptions`) and in docs/reference/objects.md. What they
changed is on disk when they return. A command that was sent is waited for, also if the task is cancelled meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from libremq.admin.mqsc_session import Answer
from libremq.aio.descriptions import described_by
from libremq.aio.sessions import Sessions
from libremq.client import queue_manager as client
from libremq.client.administration import object_kind, object_name
from libremq.client.kept_attributes import tell
from libremq.client.options import text
from libremq.client.recovery import absolute_folder, chosen_objects, settled_results
from libremq.client.urls import Address
from libremq.host.binding import AttributeValue
from libremq.host.statistics_snapshot import QueueManagerStatistics
from libremq.kernel.objects.attributes import GivenValue
from libremq.kernel.recovery.inspection import DecidedUnit, ObjectFiles, UnitInDoubt
from libremq.kernel.state.media_image import MediaResult
from libremq.log import ExtentState, Finding, LogStatistics
from libremq.log.management import Archiver
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import wrong_type


@described_by(client.QueueManager)
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
        if like is not None:
            object_name(like)
        kind, name = object_kind(kind), object_name(name)
        tell(await self._command("define", kind, name, attributes, like=like, replace=replace))

    async def define_local(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        await self.define("QLOCAL", name, like=like, replace=replace, **attributes)

    async def define_alias(
        self, name: str, target: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        await self.define("QALIAS", name, like=like, replace=replace, target=target, **attributes)

    async def define_remote(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        await self.define("QREMOTE", name, like=like, replace=replace, **attributes)

    async def define_model(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        await self.define("QMODEL", name, like=like, replace=replace, **attributes)

    async def define_process(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
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
        await self.define("NAMELIST", name, like=like, replace=replace, names=names, **attributes)

    async def alter(self, kind: str, name: str = "", **attributes: GivenValue) -> None:
        tell(await self._command("alter", object_kind(kind), object_name(name), attributes))

    async def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        self._sessions.check()
        await self._sessions.release(object_name(name))
        await self._command("delete", object_kind(kind), name, purge=purge)

    async def clear(self, name: str) -> None:
        self._sessions.check()
        await self._sessions.release(object_name(name))
        await self._command("clear", name)

    async def mqsc(self, commands: str) -> list[Answer]:
        found = await self._command("mqsc", text("commands of MQSC", commands, C.MQRCCF_PARM_SYNTAX_ERROR))
        return cast("list[Answer]", found)

    # Showing

    async def display(self, kind: str, pattern: str = "*") -> list[dict[str, AttributeValue]]:
        found = await self._command("display", object_kind(kind), object_name(pattern))
        return cast("list[dict[str, AttributeValue]]", found)

    async def queue_names(self, pattern: str = "*") -> list[str]:
        names: list[str] = await self._command("names", "QUEUE", object_name(pattern))
        if pattern.startswith("SYSTEM."):
            return names
        return [name for name in names if not name.startswith("SYSTEM.")]

    async def attributes(self) -> dict[str, AttributeValue]:
        return (await self.display("QMGR"))[0]

    async def statistics(self) -> QueueManagerStatistics:
        return cast(QueueManagerStatistics, await self._command("statistics"))

    # Units of work in doubt

    async def in_doubt(self) -> list[bytes]:
        self._sessions.check()
        return await (await self._sessions.common()).binding.xa_recover()

    async def resolve(self, xid: bytes, *, commit: bool) -> None:
        if not isinstance(xid, bytes):
            raise wrong_type(C.MQRC_UOW_NOT_AVAILABLE, self._name, f"an XID is bytes, not {xid!r}")
        await self._command("resolve_unit", xid.hex(), commit=commit)

    # The log

    async def checkpoint(self) -> None:
        await self._command("checkpoint")

    async def log_statistics(self) -> LogStatistics:
        return (await self.statistics()).log

    async def log_findings(self) -> list[Finding]:
        return cast("list[Finding]", await self._command("log_findings"))

    async def log_extents(self) -> list[ExtentState]:
        return cast("list[ExtentState]", await self._command("log_extents"))

    async def archive_log(self, to: Archiver) -> list[str]:
        if not isinstance(to, str) and not callable(to):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, self._name, f"a folder or a function, not {to!r}")
        where = absolute_folder(to, self._name) if isinstance(to, str) else to
        return cast("list[str]", await self._command("archive_log", where))

    async def mark_log_archived(self, name: str) -> None:
        await self._command("mark_log_archived", text("the name of an extent", name, C.MQRC_OPTIONS_ERROR))

    async def delete_log_extents(self) -> list[str]:
        return cast("list[str]", await self._command("delete_log_extents"))

    # What is in doubt, and where things are

    async def units_in_doubt(self) -> list[UnitInDoubt]:
        return cast("list[UnitInDoubt]", await self._command("units_in_doubt"))

    async def decided_units(self) -> list[DecidedUnit]:
        return cast("list[DecidedUnit]", await self._command("decided_units"))

    async def forget_unit(self, xid: str) -> None:
        await self._command("forget_unit", xid)

    async def object_files(self, kind: str = "all", name: str = "*") -> list[ObjectFiles]:
        return cast("list[ObjectFiles]", await self._command("object_files", *chosen_objects(kind, name)))

    # Media and backups

    async def record_images(self, kind: str = "all", name: str = "*") -> list[MediaResult]:
        kind, name = chosen_objects(kind, name)
        return settled_results(await self._command("record_images", kind, name), kind, name)

    async def recover_object(self, kind: str, name: str) -> list[MediaResult]:
        kind, name = chosen_objects(kind, name)
        self._sessions.check()
        await self._sessions.release(name)
        return settled_results(await self._command("recover_objects", kind, name), kind, name)

    async def copy_to_backup(self, data: str, *, log_folder: str = "") -> str:
        target = Address("embedded", self._name, data=absolute_folder(data, self._name)).folder
        log = absolute_folder(log_folder, self._name) if log_folder else ""
        await self._command("copy_to_backup", target, log)
        return target
