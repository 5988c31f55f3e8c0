"""Where a queue manager listens for applications on other machines, and the services that do.

What the command asks for comes first: it must work, or the queue manager does not start. Otherwise the LISTENER objects
with CONTROL(QMGR) say where, or qm.ini; then an address that is in use is only reported, as the queue manager is of use
without it. Each listener is a service of its own that is started again when it fails, on the same port.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from libremq.client.embedded import EmbeddedQueueManager
from libremq.common.configuration import Configuration
from libremq.kernel.objects import Listener
from libremq.mqi import constants as C
from libremq.server.engine import Engine
from libremq.server.options import LOOPBACK, HostPort, ServerOptions
from libremq.server.services import Services

_LOOK_S = 0.5
_STARTED_WITH_QMGR = (C.MQSVC_CONTROL_Q_MGR, C.MQSVC_CONTROL_Q_MGR_START)


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
            HostPort(one.ipaddr.strip(), one.effective_port)
            for one in embedded.manager.core.catalogue
            if isinstance(one, Listener) and one.control in _STARTED_WITH_QMGR
        ]
    return False, tuple(dict.fromkeys(defined)) or (HostPort(LOOPBACK, settings.tcp.port),)


class Listening:
    """The TCP listeners of a queue manager, as services."""

    def __init__(
        self, engine: Engine, services: Services, say: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._services = services
        self._say = say
        self._changed = changed
        self._ports: dict[HostPort, int] = {}
        """By the address that was asked for: the port, which the system chose if that was 0."""

    async def start(self, addresses: Sequence[HostPort], *, must: bool) -> None:
        """Start a service for each address. OSError if one that must be cannot be had; others are tried again."""
        for address in addresses:
            if must:
                try:
                    await self._listen(address)
                except OSError as error:
                    raise OSError(error.errno, f"AMQ9218E: it cannot listen on {address}: {error.strerror}") from error
            first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._services.start(f"listener {address}", partial(self._run, address, first), critical=False)
            await first

    async def stop(self) -> None:
        """Start none of them again. Those that listen go on until the engine ends, to tell applications so."""
        names = [one.name for one in self._services.status() if one.name.startswith("listener ")]
        if names:
            await self._services.stop(*names)

    def addresses(self) -> list[HostPort]:
        """Where it listens now."""
        ports = self._engine.ports
        return [HostPort(address.host, port) for address, port in self._ports.items() if port in ports]

    async def _listen(self, address: HostPort) -> None:
        """Listen, unless it does: it may be only the service that has failed."""
        port = self._ports.get(address, address.port)
        if port and port in self._engine.ports and address in self._ports:
            return
        self._ports[address] = await self._engine.listen_tcp(address.host, port)
        self._say(f"AMQ5026I: The listener on {HostPort(address.host, self._ports[address])} has started.")
        self._changed()

    async def _run(self, address: HostPort, first: asyncio.Future[None]) -> None:
        """The service. `first` is done when it has been tried once."""
        try:
            await self._listen(address)
        except OSError as error:
            raise OSError(error.errno, f"AMQ9218E: it cannot listen on {address}: {error.strerror}") from error
        finally:
            if not first.done():
                first.set_result(None)
        port = self._ports[address]
        while port in self._engine.ports:
            await asyncio.sleep(_LOOK_S)
        self._changed()
        raise OSError(f"nothing listens on {HostPort(address.host, port)} any more")
