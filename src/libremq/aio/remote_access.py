"""Access to a queue manager in another process, as coroutines: connections over shared sockets, commands as calls.

Where there are several addresses, they are tried in turn until one answers. A connection that is lost stays lost, as
MQ has it, unless the address asks for reconnection: then the next call that needs a connection makes one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from libremq.aio.link import Link
from libremq.aio.remote import RemoteConnection
from libremq.client.connecting import current_application, current_user
from libremq.client.remote import remote_access
from libremq.client.urls import RECONNECT_DISABLED, ClientAddress
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error


class RemoteAccess:
    """A served queue manager, as one `connect` uses it. Made by `RemoteAccess.attach`."""

    def __init__(self, places: Sequence[ClientAddress]) -> None:
        self._places = list(places)
        self._links: list[Link] = []
        self._name = ""
        self._new_links = asyncio.Lock()
        self._one_command = asyncio.Lock()
        self._commands: RemoteConnection | None = None
        self._closed = False

    @classmethod
    async def attach(cls, places: Sequence[ClientAddress]) -> RemoteAccess:
        """Reach the first of the addresses that answers."""
        self = cls(places)
        link = await self._new_link()
        self._links.append(link)
        self._name = link.agreed.queue_manager or places[0].name.removeprefix("*")
        return self

    @property
    def name(self) -> str:
        return self._name

    @property
    def folder(self) -> str:
        return self._places[0].folder

    # Connections

    async def _new_link(self) -> Link:
        """A socket to the first place that answers; MQError tells of all that do not."""
        problems: list[str] = []
        first: MQError | None = None
        for place in self._places:
            for host in place.hosts or (None,):
                where = place.shown if host is None else f"{host[0]}:{host[1]}"
                try:
                    return await Link.open(place, host)
                except MQError as error:
                    first = first or error
                    problems.append(f"{where}: {error.detail}")
                except OSError as error:
                    problems.append(f"{where}: {error.strerror or error}")
        if first is not None and len(problems) == 1:
            raise first
        reason = first.reason if first is not None else C.MQRC_HOST_NOT_AVAILABLE
        raise mq_error(reason, self._places[0].name, f"no queue manager answers ({'; '.join(problems)})")

    async def connect(self, user: str, application: str) -> RemoteConnection:
        return await self._connect(user, application)

    async def _connect(self, user: str, application: str, *, commands: bool = False) -> RemoteConnection:
        link = self._link_with_room()
        if link is None:
            async with self._new_links:
                link = self._link_with_room()  # somebody else may have made one meanwhile
                if link is None:
                    link = await self._new_link()
                    self._links.append(link)
        slot = await link.new_slot()
        place = link.address
        return await RemoteConnection.connect(
            link, slot, place.user or user, place.application or application, commands=commands
        )

    def _link_with_room(self) -> Link | None:
        if self._closed:
            raise mq_error(C.MQRC_HCONN_ERROR, self._name, "the connection was closed; connect again")
        for link in self._links:
            if link.broken is not None and not link.ended and link.address.reconnect == RECONNECT_DISABLED:
                raise link.broken_again()
        self._links = [link for link in self._links if link.broken is None]
        return next((link for link in self._links if link.has_room), None)

    async def close(self) -> None:
        self._closed = True
        commands, self._commands = self._commands, None
        if commands is not None:
            await commands.disconnect()
        links, self._links = self._links, []
        for link in links:
            link.close()
        for link in links:
            await link.closed()

    # Commands

    async def command(self, call: str, /, *args: Any, **kwargs: Any) -> Any:
        """A command goes over a connection of its own, since it may take long; they are done one after the other."""
        asking = _Asking(self._name)
        try:
            getattr(asking, call)(*args, **kwargs)
        except _Asked as asked:
            wire_call, value = asked.call, asked.value
        async with self._one_command:
            if self._commands is None or not self._commands.connected:
                self._commands = await self._connect(current_user(), current_application(), commands=True)
            try:
                asking.answer = await self._commands.command(wire_call, value)
            except TypeError as error:
                raise mq_error(C.MQRC_OPTIONS_ERROR, self._name, f"{call}: {error}") from error
        asking.answered = True
        return getattr(asking, call)(*args, **kwargs)


class _Asked(Exception):
    def __init__(self, call: str, value: dict[str, object]) -> None:
        super().__init__(call)
        self.call = call
        self.value = value


class _Asking(remote_access.RemoteAccess):
    """The commands of the blocking access without a connection: first what one asks, then what its answer means."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.answered = False
        self.answer: Any = None

    def _command(self, call: str, /, **value: object) -> Any:
        if not self.answered:
            raise _Asked(call, value)
        return self.answer
