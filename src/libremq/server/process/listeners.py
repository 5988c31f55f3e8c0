"""Where a queue manager listens for applications on other machines, and the services that do.

What the command asks for comes first: it must work, or the queue manager does not start. Otherwise the LISTENER objects
with CONTROL(QMGR) say where, or qm.ini; then an address that is in use is only reported, as the queue manager is of use
without it. Each listener is a service of its own that is started again when it fails, on the same port.

An address is listened on for one LISTENER, or for none (`strmqm -p`, `runmqlsr`): two objects may name one address, and
a command about the one must not be taken for one about the other.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from libremq.common.configuration import Configuration
from libremq.common.messages.amq_messages import amq
from libremq.host.embedded import EmbeddedQueueManager
from libremq.kernel.objects.object_types import Listener
from libremq.mqi import constants as C
from libremq.server.net.event_loop import EventLoop
from libremq.server.process.services import Services
from libremq.server.process.start_options import LOOPBACK, HostPort, ServerOptions

_LOOK_S = 0.5
_STARTED_WITH_QMGR = (C.MQSVC_CONTROL_Q_MGR, C.MQSVC_CONTROL_Q_MGR_START)
_DEFAULT_LISTENER = "SYSTEM.DEFAULT.LISTENER.TCP"


def listens_on(listener: Listener) -> HostPort:
    """Where a LISTENER listens. Blank is this machine only; other addresses have to be asked for, all with *."""
    host = listener.ipaddr.strip() or LOOPBACK
    return HostPort("" if host == "*" else host, listener.effective_port)


def wanted_listeners(
    options: ServerOptions, settings: Configuration, embedded: EmbeddedQueueManager
) -> tuple[bool, Sequence[HostPort]]:
    """Where to listen, and whether that must work."""
    if options.no_listener:
        return False, ()
    if options.listen:
        return True, options.listen
    with embedded.locked():
        defined = [
            listens_on(one)
            for one in embedded.manager.definitions
            if isinstance(one, Listener) and one.control in _STARTED_WITH_QMGR
        ]
    return False, tuple(dict.fromkeys(defined)) or (HostPort(LOOPBACK, settings.tcp.port),)


def listener_names(options: ServerOptions, embedded: EmbeddedQueueManager) -> dict[HostPort, str]:
    """For which LISTENER each of those addresses is listened on: of two with one address, the first.

    Where none is defined to start with the queue manager, it is the default one, if that names the address.
    """
    if options.no_listener or options.listen:
        return {}
    with embedded.locked():
        found = [one for one in embedded.manager.definitions.select("LISTENER") if isinstance(one, Listener)]
    started = [one for one in found if one.control in _STARTED_WITH_QMGR]
    chosen = started or [one for one in found if one.name == _DEFAULT_LISTENER]
    return {listens_on(one): one.name for one in reversed(chosen)}


class ListenerState(NamedTuple):
    status: int  # MQSVC_STATUS_*
    pid: int
    started: float
    port: int


class Listening:
    """The TCP listeners of a queue manager, as services."""

    def __init__(
        self, event_loop: EventLoop, services: Services, say: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        self._event_loop = event_loop
        self._services = services
        self._say = say
        self._changed = changed
        self._ports: dict[HostPort, int] = {}
        """By the address that was asked for: the port, which the system chose if that was 0."""
        self._started: dict[HostPort, float] = {}
        self._names: dict[HostPort, str] = {}
        """The LISTENER that an address is listened on for, if it is one."""

    async def start(
        self, addresses: Sequence[HostPort], *, must: bool, names: Mapping[HostPort, str] | None = None
    ) -> None:
        """Start a service for each address, for the LISTENER that `names` has for it.

        OSError if one that must be cannot be had; others are tried again.
        """
        for address in addresses:
            if names and address in names:
                self._names[address] = names[address]
            if must:
                try:
                    await self._listen(address)
                except OSError as error:
                    raise OSError(error.errno, amq(9218, address, error.strerror)) from error
            first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._services.start(f"listener {address}", partial(self._run, address, first), critical=False)
            await first

    async def stop(self) -> None:
        """Start none of them again. Those that listen go on until the event loop ends, to tell applications so."""
        names = [one.name for one in self._services.status() if one.name.startswith("listener ")]
        if names:
            await self._services.stop(*names)

    async def stop_one(self, address: HostPort) -> None:
        """Stop listening there, and do not start it again."""
        port = self._ports.get(address)
        name = f"listener {address}"
        if any(one.name == name for one in self._services.status()):
            await self._services.stop(name)
        self._names.pop(address, None)
        if port is not None:
            self._event_loop.stop_listening_on(port, address.host)
            del self._ports[address]
            self._started.pop(address, None)
            self._say(amq(5027, HostPort(address.host, port)))
            self._changed()

    async def stop_all(self) -> None:
        """`stop_one`, for each."""
        for address in list(self._ports):
            await self.stop_one(address)

    def is_listening(self, address: HostPort) -> bool:
        return self.state_of(address) is not None

    def name_of(self, address: HostPort) -> str:
        """The LISTENER that it listens there for, or would if it could; nothing if it is none."""
        return self._names.get(address, "")

    def names(self) -> dict[HostPort, str]:
        """All of these, by address. From any thread."""
        return dict(self._names)

    def state_of(self, address: HostPort) -> ListenerState | None:
        """What can be said of an address that is listened on; None if it is not."""
        port = self._ports.get(address)
        if port is None or not self._event_loop.listens_on(address.host, port):
            return None
        return ListenerState(C.MQSVC_STATUS_RUNNING, os.getpid(), self._started.get(address, 0.0), port)

    def states(self) -> dict[HostPort, ListenerState]:
        """Of every address that is listened on, by what was asked for."""
        known = {address: self.state_of(address) for address in self._ports}
        return {address: state for address, state in known.items() if state is not None}

    def is_tried(self, address: HostPort) -> bool:
        """Is there a service that listens there, or would if it could?"""
        return self._services.is_at_work(f"listener {address}")

    def addresses(self) -> list[HostPort]:
        """Where it listens now."""
        listens_on = self._event_loop.listens_on
        return [HostPort(one.host, port) for one, port in list(self._ports.items()) if listens_on(one.host, port)]

    async def _listen(self, address: HostPort) -> None:
        """Listen, unless it does: it may be only the service that has failed."""
        port = self._ports.get(address, address.port)
        if port and address in self._ports and self._event_loop.listens_on(address.host, port):
            return
        self._ports[address] = await self._event_loop.listen_tcp(address.host, port, self._backlog(address))
        self._started[address] = time.time()
        self._say(amq(5026, HostPort(address.host, self._ports[address])))
        self._changed()

    def _backlog(self, address: HostPort) -> int:
        """BACKLOG of the LISTENER that it is for; 0 if it is for none."""
        found = self._event_loop.manager.definitions.find("LISTENER", self.name_of(address))
        return found.effective_backlog if isinstance(found, Listener) else 0

    async def _run(self, address: HostPort, first: asyncio.Future[None]) -> None:
        """The service. `first` is done when it has been tried once."""
        try:
            await self._listen(address)
        except OSError as error:
            raise OSError(error.errno, amq(9218, address, error.strerror)) from error
        finally:
            if not first.done():
                first.set_result(None)
        port = self._ports[address]
        while self._event_loop.listens_on(address.host, port):
            await asyncio.sleep(_LOOK_S)
        self._changed()
        raise OSError(f"nothing listens on {HostPort(address.host, port)} any more")
