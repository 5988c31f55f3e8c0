"""Access to a queue manager in another process: connections over shared sockets, commands as calls.

Connections of one program share a socket as far as the channel allows it (SHARECNV). Where there are several addresses,
they are tried in turn until one answers.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from libremq.client.reconnect.reconnect_attempts import Attempts, keep_trying
from libremq.client.reconnect.reconnect_places import Fits, named_alike, same_queue_manager
from libremq.client.reconnect.reconnecting_connection import ReconnectingConnection
from libremq.client.remote.remote_connection import RemoteConnection
from libremq.client.remote.remote_link import RemoteLink
from libremq.client.urls import RECONNECT_DISABLED, RECONNECT_QMGR, ClientAddress
from libremq.host.binding import AttributeValue, Binding
from libremq.host.statistics_snapshot import QueueManagerStatistics
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.wire.protocol import ProtocolError, Status

if TYPE_CHECKING:
    # What commands answer is loaded with the first of them: a program that puts and gets has no use for it
    from libremq.admin.mqsc_session import Answer
    from libremq.kernel.objects.attributes import GivenValue
    from libremq.kernel.recovery.inspection import DecidedUnit, ObjectFiles, UnitInDoubt
    from libremq.kernel.recovery.restart import Say
    from libremq.kernel.state.media_image import MediaResult
    from libremq.log import ExtentState, Finding
    from libremq.log.management import Archiver


def attach(places: Sequence[ClientAddress], say: Say | None = None) -> RemoteAccess:
    """Reach the first of the addresses that answers."""
    return RemoteAccess(places, say)


_P = ParamSpec("_P")
_R = TypeVar("_R")


def _as_promised(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """For a command whose result is made of what the queue manager answers: that may be something else."""

    @functools.wraps(command)
    def checked(*arguments: _P.args, **keywords: _P.kwargs) -> _R:
        try:
            return command(*arguments, **keywords)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            detail = f"the queue manager answered a command with something else: {error}"
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, detail) from error

    return checked


class RemoteAccess:
    """A served queue manager, as one `connect` uses it."""

    def __init__(self, places: Sequence[ClientAddress], say: Say | None = None) -> None:
        self._places = list(places)
        self._say = say
        self._guard = threading.Lock()
        self._links: list[RemoteLink] = []
        self._commands: RemoteConnection | None = None
        self._closed = False
        self._name = ""
        link = self._new_link()
        self._links.append(link)
        self._name = link.agreed.queue_manager or places[0].name.removeprefix("*")

    @property
    def name(self) -> str:
        return self._name

    @property
    def folder(self) -> str:
        return self._places[0].folder

    # Connections

    def _new_link(self, fits: Fits | None = None) -> RemoteLink:
        """A socket to the first place that answers, and fits; MQError tells of all that do not."""
        problems: list[str] = []
        first: MQError | None = None
        for place in self._places:
            for host in place.hosts or (None,):
                try:
                    link = RemoteLink(place, host)
                    if fits is None or fits(link):
                        return link
                    link.close()
                    found = link.agreed.queue_manager
                    raise mq_error(C.MQRC_RECONNECT_QMID_MISMATCH, place.name, f"another queue manager, {found}")
                except MQError as error:
                    first = first or error
                    problems.append(f"{place.shown if host is None else f'{host[0]}:{host[1]}'}: {error.detail}")
                except OSError as error:
                    where = place.shown if host is None else f"{host[0]}:{host[1]}"
                    problems.append(f"{where}: {error.strerror or error}")
        if first is not None and len(problems) == 1:
            raise first
        name = self._places[0].name
        reason = first.reason if first is not None else C.MQRC_HOST_NOT_AVAILABLE
        raise mq_error(reason, name, f"no queue manager answers ({'; '.join(problems)})")

    def connect(self, user: str, application: str) -> Binding:
        first = self._connect(user, application)
        place = first.address
        if place.reconnect == RECONNECT_DISABLED:
            return first
        fits = same_queue_manager(first) if place.reconnect == RECONNECT_QMGR else named_alike
        return ReconnectingConnection(
            first,
            lambda: self._connect(user, application, fits=fits),
            timeout_s=place.reconnect_timeout_s,
            alone=self._has_one_address,
            say=self._say,
        )

    @property
    def _has_one_address(self) -> bool:
        return len(self._places) == 1 and len(self._places[0].hosts) <= 1

    def _connect(
        self, user: str, application: str, *, commands: bool = False, fits: Fits | None = None
    ) -> RemoteConnection:
        if self._closed:
            raise mq_error(C.MQRC_HCONN_ERROR, self._name, "the connection was closed; connect again")
        while True:
            with self._guard:
                self._links = [link for link in self._links if link.broken is None]
                link = next((link for link in self._links if link.has_room and (fits is None or fits(link))), None)
            slot = link.new_slot() if link is not None else None
            if link is None:
                link = self._new_link(fits)
                slot = link.new_slot()
                with self._guard:
                    self._links.append(link)
            if slot is None:
                continue  # others were faster
            try:
                place = link.address
                name = place.application or application
                return RemoteConnection(link, slot, place.user or user, name, commands=commands)
            except BaseException:
                link.end_slot(slot)
                raise

    def close(self) -> None:
        self._closed = True
        commands, self._commands = self._commands, None
        if commands is not None:
            try:
                commands.disconnect()
            except MQError:
                pass
        with self._guard:
            links, self._links = self._links, []
        for link in links:
            link.close()

    # Commands

    def _command(self, call: str, /, **value: object) -> Any:
        commands = self._command_connection()
        try:
            return commands.command(call, **value)
        except TypeError as error:
            raise mq_error(C.MQRC_OPTIONS_ERROR, self._name, f"{call}: {error}") from error

    def _command_connection(self) -> RemoteConnection:
        """A connection that is there at this moment: a command is sent once, since most would not do the same twice."""
        from libremq.client.connecting import current_application, current_user

        with self._guard:
            commands = self._commands
        if commands is not None:
            commands.look()
        if commands is None or not commands.connected:
            place = self._places[0]

            def connect(attempts: Attempts | None = None) -> RemoteConnection:
                return self._connect(current_user(), current_application(), commands=True)

            if commands is None or place.reconnect == RECONNECT_DISABLED:
                commands = connect()
            else:
                commands.let_go()
                commands = keep_trying(
                    connect, name=self._name, timeout_s=place.reconnect_timeout_s, wake=threading.Event(),
                    alone=self._has_one_address,
                )  # fmt: skip
            with self._guard:
                self._commands = commands
        return commands

    def define(
        self, kind: str, name: str, attributes: Mapping[str, GivenValue], *, like: str | None, replace: bool
    ) -> list[str]:
        said = self._command("define", kind=kind, name=name, attributes=dict(attributes), like=like, replace=replace)
        return said or []  # nothing, from a queue manager of an earlier release

    def alter(self, kind: str, name: str, attributes: Mapping[str, GivenValue]) -> list[str]:
        return self._command("alter", kind=kind, name=name, attributes=dict(attributes)) or []

    def delete(self, kind: str, name: str, *, purge: bool) -> None:
        self._command("delete", kind=kind, name=name, purge=purge)

    def clear(self, name: str) -> None:
        self._command("clear", name=name)

    @_as_promised
    def display(self, kind: str, pattern: str) -> list[dict[str, AttributeValue]]:
        found = self._command("display", kind=kind, pattern=pattern)
        return [
            {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()} for row in found
        ]

    def names(self, kind: str, pattern: str) -> list[str]:
        return cast("list[str]", self._command("names", kind=kind, pattern=pattern))

    def checkpoint(self) -> None:
        self._command("checkpoint")

    @_as_promised
    def statistics(self) -> QueueManagerStatistics:
        from libremq.log import LogStatistics

        found = self._command("statistics")
        log: dict[str, Any] = found.pop("log")
        log = {name: tuple(value) if isinstance(value, list) else value for name, value in log.items()}
        return QueueManagerStatistics(**found, log=LogStatistics(**log))

    @_as_promised
    def log_findings(self) -> list[Finding]:
        from libremq.log import Finding

        return [Finding(**found) for found in self._command("log_findings")]

    @_as_promised
    def mqsc(self, text: str) -> list[Answer]:
        from libremq.admin.mqsc_session import Answer

        return [Answer(**found) for found in self._command("mqsc", text=text)]

    @_as_promised
    def log_extents(self) -> list[ExtentState]:
        from libremq.log import ExtentState

        return [ExtentState(**found) for found in self._command("log_extents")]

    def archive_log(self, to: Archiver) -> list[str]:
        if not isinstance(to, str):
            raise mq_error(
                C.MQRC_OPTIONS_ERROR,
                self._name,
                "over a connection the log is archived to a folder of the queue manager",
            )
        return cast("list[str]", self._command("archive_log", to=to))

    def mark_log_archived(self, name: str) -> None:
        self._command("mark_log_archived", name=name)

    def delete_log_extents(self) -> list[str]:
        return cast("list[str]", self._command("delete_log_extents"))

    @_as_promised
    def record_images(self, type_name: str, pattern: str) -> list[MediaResult]:
        from libremq.kernel.state.media_image import MediaResult

        return [MediaResult(**found) for found in self._command("record_images", kind=type_name, pattern=pattern)]

    @_as_promised
    def recover_objects(self, type_name: str, pattern: str) -> list[MediaResult]:
        from libremq.kernel.state.media_image import MediaResult

        return [MediaResult(**found) for found in self._command("recover_objects", kind=type_name, pattern=pattern)]

    @_as_promised
    def units_in_doubt(self) -> list[UnitInDoubt]:
        from libremq.kernel.recovery.inspection import UnitInDoubt

        return [UnitInDoubt(**{**found, "queues": tuple(found["queues"])}) for found in self._command("units_in_doubt")]

    @_as_promised
    def decided_units(self) -> list[DecidedUnit]:
        from libremq.kernel.recovery.inspection import DecidedUnit

        return [DecidedUnit(**found) for found in self._command("decided_units")]

    def resolve_unit(self, xid: str, *, commit: bool) -> None:
        self._command("resolve_unit", xid=xid, commit=commit)

    def forget_unit(self, xid: str) -> None:
        self._command("forget_unit", xid=xid)

    @_as_promised
    def object_files(self, type_name: str, pattern: str) -> list[ObjectFiles]:
        from libremq.kernel.recovery.inspection import ObjectFiles

        found = self._command("object_files", kind=type_name, pattern=pattern)
        return [ObjectFiles(**{**one, "paths": tuple(one["paths"])}) for one in found]

    def copy_to_backup(self, target: str, log_folder: str) -> None:
        self._command("copy_to_backup", target=target, log_folder=log_folder)
