"""What the table of servers compares: a contender, and the client of it that every client process makes.

A client moves 2 KiB messages. Each of its operations returns how many it moved, 0 for "the queue is empty", so that one
loop drives them all; an operation that has returned is answered for by the server, and a durable one is on its disk.
"""

from __future__ import annotations

import importlib
import os
import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

DATA = random.Random(2048).randbytes(2048)  # nothing that a server could compress
UNIT = 100
DURABLE = ("put", "get", "put_unit", "get_unit")
FAST = ("put_fast", "get_fast")
REPLIES = ("request", "respond")


class Absent(Exception):
    """The server cannot be started here; the text says what is missing."""


@dataclass(frozen=True)
class Contender:
    """A row of the table: how to make a client of it (`module:class`, and what that is given)."""

    name: str
    client: str
    settings: dict[str, Any]
    operations: tuple[str, ...] = DURABLE + FAST + REPLIES
    in_process: bool = False  # it lives in the one process that uses it: many clients are threads of that
    durable_confirmations: bool = True  # on disk when confirmed, puts and gets alike
    is_ours: bool = False
    sets_goals: bool = False  # a peer that the durable columns are measured against
    server_port: int = 0  # of those that have to reach the goals
    environment: tuple[tuple[str, str], ...] = ()  # of its client processes
    with_speed: bool = False  # its server and clients run with libremq-speed, which has goals of its own

    def connect(self) -> Client:
        module, _, name = self.client.partition(":")
        client: Client = getattr(importlib.import_module(module), name)(**self.settings)
        return client


class Client(ABC):
    """One application with one connection."""

    def begin(self, operation: str) -> None:  # noqa: B027 - most have nothing to prepare
        """Called before a round of an operation, untimed."""

    def finish(self, operation: str) -> None:  # noqa: B027
        """Called after a round of it, untimed: what was prefetched goes back."""

    @abstractmethod
    def put(self) -> int:
        """One durable message, confirmed."""

    @abstractmethod
    def get(self) -> int:
        """One durable message, taken off for good."""

    @abstractmethod
    def put_unit(self) -> int:
        """`UNIT` durable messages with one commit, or whatever the server has that is nearest to it."""

    @abstractmethod
    def get_unit(self) -> int:
        """Up to `UNIT` messages, taken off for good with one commit."""

    def put_fast(self) -> int:
        """One message that need not survive the server, answered."""
        raise NotImplementedError

    def get_fast(self) -> int:
        raise NotImplementedError

    def request(self) -> int:
        """A request, not persistent, and its reply."""
        raise NotImplementedError

    def respond(self) -> int:
        """The other side of `request`: echo what comes within a tenth of a second."""
        raise NotImplementedError

    def tidy(self) -> None:  # noqa: B027
        """Called when the queue has been emptied, untimed: what the server would do in a quiet moment."""

    @abstractmethod
    def close(self) -> None: ...


def as_root() -> bool:
    return os.geteuid() == 0
