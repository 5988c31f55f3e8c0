"""Listeners that commands ask for: `runmqlsr` has one as long as it runs, `endmqlsr` ends all there are.

A listener of `runmqlsr` belongs to the connection on which it was asked for: when that breaks, however the command came
to its end, the listener ends too. It listens inside the queue manager's process, as every listener does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libremq.server.process.control_socket import Request
from libremq.server.process.listeners import Listening
from libremq.server.process.start_options import PORT_MAX, HostPort

LISTEN, END_LISTENERS = "listen", "end listeners"


class ListenerCommands:
    """`listening` gives the listeners of a queue manager that has started and does not end; None otherwise."""

    def __init__(self, listening: Callable[[], Listening | None]) -> None:
        self._listening = listening

    def _usable(self) -> Listening:
        found = self._listening()
        if found is None:
            raise ValueError("the queue manager is starting or ending")
        return found

    async def listen(self, request: Request) -> dict[str, Any]:
        """ValueError if it listens there already, or cannot."""
        listening, address = self._usable(), _address(request)
        if listening.is_listening(address):
            raise ValueError(f"it listens on {address} already")
        try:
            await listening.start([address], must=True)
        except OSError as error:
            raise ValueError(error.strerror or str(error)) from error
        state = listening.state_of(address)
        return {"address": str(HostPort(address.host, state.port if state is not None else address.port))}

    async def end_all(self) -> dict[str, Any]:
        listening = self._usable()
        ended = [str(address) for address in listening.addresses()]
        await listening.stop_all()
        return {"ended": ended}

    async def gone(self, request: Request) -> None:
        """A command has let go of its connection."""
        listening = self._listening()
        if request.get("command") == LISTEN and listening is not None:
            await listening.stop_one(_address(request))


def _address(request: Request) -> HostPort:
    host, port = request["host"], request["port"]
    if not isinstance(host, str) or not isinstance(port, int) or not 0 <= port <= PORT_MAX:
        raise ValueError("there is no such address")
    return HostPort(host, port)
