"""What a served queue manager is started with: handed from `strmqm` to the controller and on to the queue manager.

The three are processes, so the options travel as one JSON argument. Where to listen is written `HOST:PORT`, or
`[ADDRESS]:PORT` for IPv6; an asterisk is every address of the machine, port 0 a free one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import NamedTuple

LOOPBACK = "127.0.0.1"
PORT = 1414
PORT_MAX = 65535


class HostPort(NamedTuple):
    """Where to listen. An empty host is every address of the machine."""

    host: str
    port: int

    def __str__(self) -> str:
        if not self.host:
            return f"*:{self.port}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_host_port(text: str) -> HostPort:
    """ValueError says what is wrong with it."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = LOOPBACK, text
    elif host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"{text[:80]!r}: an address with colons needs brackets: [::1]:{PORT}")
    elif host == "*":
        host = ""
    elif not host:
        raise ValueError(f"{text[:80]!r}: no host before the colon; write *:{port[:8]} for every address")
    if any(character.isspace() or not character.isprintable() for character in host):
        raise ValueError(f"{text[:80]!r}: no host has such a name")
    return HostPort(host, parse_port(port))


def parse_port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= PORT_MAX):
        raise ValueError(f"{text[:40]!r} is no port: choose 0 to {PORT_MAX}, where 0 is a free one")
    return int(text)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to run one queue manager."""

    name: str
    folder: str
    listen: tuple[HostPort, ...] = ()
    """Asked for by name: it does not start if it cannot listen there. None: what its configuration says."""
    no_listener: bool = False
    """Applications on this machine only."""
    end_after_s: float = 0.0
    """A signal ends it quiesced; after half of this time immediately, after all of it preemptively. 0: no hurry."""
    controller_id: int = 0

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> ServerOptions:
        content = json.loads(text)
        content["listen"] = tuple(HostPort(str(host), int(port)) for host, port in content["listen"])
        return cls(**content)
