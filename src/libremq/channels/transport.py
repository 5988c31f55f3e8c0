"""The way to the other end of a channel instance, as an agent sees it, and who is there.

The server has sockets behind it, a simulation has lists and a clock of its own. An agent is told of flows, of time and
of losses by whoever owns the transport, under the kernel's lock, and never calls back into the network itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Transport(Protocol):
    """The way to the other end of one channel instance."""

    def send(self, data: bytes, lsn: int = 0) -> None:
        """Whole segments. They leave in order, and none before the log is on disk as far as it depends on it."""

    def is_full(self) -> bool:
        """Is more on its way than the other end takes? Then `Agent.pump` is called again when it has taken it."""

    def limit(self, *, max_segment: int, max_flow: int) -> None:
        """How long the segments and the messages may be that come from the other end."""

    def pause(self, paused: bool) -> None:
        """Stop taking flows from the other end, or go on: the agent has its hands full."""

    def close(self) -> None:
        """Close once what was sent has left. `Agent.lost` is called then."""

    def abort(self) -> None:
        """Close at once, without what has not left."""

    def wake(self) -> None:
        """Call `Agent.pump` soon. From any thread that holds the kernel's lock."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end of a socket, as far as the transport knows."""

    address: str = ""  # host(port)
    cipher: str = ""  # CipherSpec; blank without TLS
    protocol: str = ""  # of TLS, such as TLSV13
    subject: str = ""  # distinguished names of the certificate
    issuer: str = ""
    local_address: str = ""
    mca_user: str | None = None  # that channel authentication has found; None: that of the definition

    @property
    def host(self) -> str:
        return self.address.partition("(")[0]
