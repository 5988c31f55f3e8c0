"""What the reference model is made of: messages, queues, handles, connections, and what a call asks and answers.

Plain lists and fields, nothing clever: a message is somewhere in its queue's list, and whoever wants to know something
looks through the whole list. Nothing here is shared with the product but constants.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from libremq.mqi import constants as C

NO_ID = bytes(24)
INPUT = C.MQOO_INPUT_SHARED | C.MQOO_INPUT_EXCLUSIVE | C.MQOO_INPUT_AS_Q_DEF

# Where a message is
HERE = "on the queue"
PUT = "put in a unit of work"
GOT = "got in a unit of work"


@dataclass(frozen=True)
class PutRequest:
    data: bytes
    options: int
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    group_id: bytes = NO_ID
    sequence: int = 1
    offset: int = 0
    flags: int = 0
    priority: int = C.MQPRI_PRIORITY_AS_Q_DEF
    persistence: int = C.MQPER_PERSISTENCE_AS_Q_DEF
    expiry: int = C.MQEI_UNLIMITED


@dataclass(frozen=True)
class GetRequest:
    options: int
    match: int = C.MQMO_NONE
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    group_id: bytes = NO_ID
    sequence: int = 1
    offset: int = 0
    buffer: int | None = None
    wait_ms: int = 0

    def has(self, option: int) -> bool:
        return bool(self.options & option)


@dataclass
class Outcome:
    """The answer to a call. `fields`: what it returns in descriptor and options, as far as we compare it."""

    comp_code: int = C.MQCC_OK
    reason: int = C.MQRC_NONE
    data: bytes = b""
    length: int = 0
    fields: dict[str, Any] = field(default_factory=dict)


class Refused(Exception):
    """The call fails with this reason and has changed nothing."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


def failed(reason: int) -> Outcome:
    return Outcome(C.MQCC_FAILED, reason)


@dataclass(eq=False)
class Message:
    """One physical message."""

    number: int  # in order of arrival
    chain: int  # what it counts as when it is delivered: its priority, or DEFPRTY where delivery is FIFO
    data: bytes
    msg_id: bytes
    correl_id: bytes
    group_id: bytes
    sequence: int
    offset: int
    flags: int
    priority: int
    persistence: int
    expires_ms: int | None
    where: str = HERE
    backouts: int = 0
    lock: Handle | None = None
    marked_by: set[Handle] = field(default_factory=set)
    co_op_mark_ms: int | None = None

    @property
    def persistent(self) -> bool:
        return self.persistence == C.MQPER_PERSISTENT

    @property
    def place(self) -> tuple[int, int]:
        return -self.chain, self.number

    def expired(self, now_ms: int) -> bool:
        return self.expires_ms is not None and self.expires_ms <= now_ms

    def leave(self) -> None:
        """It is taken from the queue, for good or until a backout: nobody's lock or mark stays on it."""
        self.lock = None
        self.marked_by.clear()
        self.co_op_mark_ms = None


@dataclass(eq=False)
class Queue:
    name: str
    max_depth: int
    max_length: int
    fifo: bool = False
    default_priority: int = 0
    default_persistence: int = C.MQPER_NOT_PERSISTENT
    keeps_nonpersistent: bool = False  # NPMCLASS(HIGH)
    default_exclusive: bool = False
    get_inhibited: bool = False
    put_inhibited: bool = False
    messages: list[Message] = field(default_factory=list)
    waiters: list[Waiter] = field(default_factory=list)

    def here(self, now_ms: int) -> list[Message]:
        """What is on the queue and not expired, in delivery order."""
        found = [message for message in self.messages if message.where == HERE and not message.expired(now_ms)]
        return sorted(found, key=lambda message: message.place)

    def visible(self, handle: Handle, now_ms: int) -> list[Message]:
        return [message for message in self.here(now_ms) if message.lock in (None, handle)]

    def depths(self, now_ms: int) -> tuple[int, int]:
        """The least and the most that CURDEPTH may be: expired messages go when somebody meets them."""
        counted = [message for message in self.messages if message.where != GOT]
        gone = [message for message in counted if message.where == HERE and message.expired(now_ms)]
        return len(counted) - len(gone), len(counted)


@dataclass(frozen=True)
class Position:
    """Where a handle stands in a group or segmented message that is not at its end."""

    group_id: bytes
    sequence: int
    offset: int
    in_group: bool
    in_message: bool
    last_message: bool
    persistence: int
    in_unit: bool
    logical: bool


@dataclass(eq=False)
class Handle:
    connection: Connection
    queue: Queue
    options: int
    number: int  # order of the opens, for the tests to choose by
    hobj: int = 0
    cursor: tuple[int, int] | None = None  # place of the message browsed last
    under_cursor: Message | None = None  # that message, until somebody takes it
    put_position: Position | None = None
    get_position: Position | None = None
    browse_position: Position | None = None
    browse_logical: bool | None = None
    group_start: tuple[int, int] | None = None  # browsing in logical order: place of the first of the group
    closed: bool = False

    def has(self, option: int) -> bool:
        return bool(self.options & option)


@dataclass(eq=False)
class Connection:
    number: int
    handles: list[Handle] = field(default_factory=list)
    operations: list[tuple[str, Queue, Message]] = field(default_factory=list)
    saved_gets: dict[Handle, Position | None] = field(default_factory=dict)
    saved_puts: dict[Handle, Position | None] = field(default_factory=dict)
    waiting: Waiter | None = None


@dataclass(eq=False)
class Waiter:
    handle: Handle
    request: GetRequest
    until_ms: int | None
    outcome: Outcome | None = None
