"""The same calls of clients, played against two queue managers: one that runs known calls by their bytes, one that does
not. What they answer, log and hold must be the same.

A play is a list of steps. Most are bursts: calls of the conversations of one link, as one piece of bytes that is cut
anywhere. Others come from outside: an administrator, the clock, a get that waits. Each step is over before the next
one begins, so both see the same order.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from libremq.kernel.state.queue_state import QueueState
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO, MQSTS
from libremq.server.net import known_calls
from libremq.server.net.conversation import Conversation
from libremq.server.net.deliveries import Batch
from libremq.server.net.known_calls import KnownCalls
from libremq.store.store_errors import damaged_queue
from libremq.testing import FaultyFiles, VirtualClock
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, session_flows
from libremq.wire.messages import BATCH, SELECTION, Request, pack_request
from libremq.wire.protocol import CONFIRM_REQUEST, MAX_SEGMENT, REPLY, WHOLE, Action, Type
from libremq.wire.segments import TSHM_BYTES, frame, frame_plain

LIMIT_S = 60.0
CHANNEL, SMALL_CHANNEL = "SYSTEM.DEF.SVRCONN", "SMALL.SVRCONN"
SMALL_MAX = 3000
"""MAXMSGL of the second link's channel."""
A1, A2, B1 = "a1", "a2", "b1"
"""Two conversations of one link, and one of another link."""
LINK_OF = {A1: "a", A2: "a", B1: "b"}
NUMBER_OF = {A1: 1, A2: 2, B1: 1}
Q, P, ALIAS = "Q", "P", "ALIAS.Q"
HANDLES = (Q, P, ALIAS)
CLOSED = "a handle that is closed"
_OPEN = C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT | C.MQOO_SAVE_ALL_CONTEXT | C.MQOO_INQUIRE
_LOCAL = {"DEFPSIST": "NO", "DEFPRTY": "0", "SHARE": None}
_QMGR = {"MAXUMSGS": "10000", "MONQ": "OFF", "PERFMEV": "DISABLED", "MAXPROPL": "NOLIMIT", "MAXMSGL": "4194304"}
_WAIT_MS = 5000
_OWN = 1_000_000


class Put(NamedTuple):
    """Puts of one kind: what they have in common, and their ids and data."""

    by: str = A1
    to: str = Q
    options: int = C.MQPMO_NO_SYNCPOINT
    fields: tuple[tuple[str, Any], ...] = ()
    junk: tuple[tuple[int, bytes], ...] = ()
    """Bytes in the segment that no client of ours would write there: where, and which."""
    request: int = 1
    ids: tuple[int, ...] = (0,)
    """Of each message a number that its MsgId and CorrelId are made of; 0: none."""
    lengths: tuple[int, ...] = (100,)
    data: bytes = b""
    properties: bytes = b""
    """Of a message handle of the client: they lie before the data."""
    put1: bool = False
    """MQPUT1: to the queue, not through the handle."""


class Get(NamedTuple):
    """So many gets of one kind."""

    by: str = A1
    source: str = Q
    options: int = C.MQGMO_NO_SYNCPOINT
    count: int = 1  # type: ignore[assignment]  # a tuple has a method of that name, which nobody calls
    match: int = C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID
    ids: int = 0
    message_handle: int = 0
    length: int = calls.ANY_LENGTH
    version: int = 2


class Take(NamedTuple):
    """A batch."""

    by: str = A1
    source: str = Q
    options: int = C.MQGMO_NO_SYNCPOINT
    count: int = 10  # type: ignore[assignment]
    room: int = 1 << 20
    max_length: int = -1
    selection_index: int = 1


class Call(NamedTuple):
    """A call without a message: commit, backout, status."""

    by: str
    kind: int


class Burst(NamedTuple):
    calls: tuple[Put | Get | Take | Call, ...]
    cuts: tuple[float, ...] = ()


class Wait(NamedTuple):
    """A get that waits, if there is nothing."""

    get: Get


class Alter(NamedTuple):
    kind: str
    name: str
    attributes: tuple[tuple[str, str], ...]


class Advance(NamedTuple):
    seconds: float


class Reopen(NamedTuple):
    by: str
    name: str


class Become(NamedTuple):
    """The queue manager is in a state in which calls fail, or no longer is."""

    quiescing: bool = False
    damaged: bool = False
    """The queue Q."""
    backed_out: str = ""
    """Whose unit of work the queue manager has taken back."""


Step = Burst | Wait | Alter | Advance | Reopen | Become


class Played(NamedTuple):
    """What there is to compare of a play."""

    replies: dict[str, bytes]
    log: list[tuple[int, int, int, bytes]]
    state: dict[str, Any]
    calls: dict[str, int]


class _Line:
    """The client's end of a link: what it was sent, by conversation."""

    def __init__(self, port: int, channel: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(LIMIT_S)
        self.received: dict[int, list[bytes]] = {}
        self.is_closed = False
        self._rest = b""
        self._request = _OWN
        flags = WHOLE | CONFIRM_REQUEST
        offer = session_flows.InitialData(channel)
        self.socket.sendall(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(offer), flags=flags))
        agreed = session_flows.unpack_initial(self.socket.recv(1 << 16)[28:])
        if session_flows.corrected(agreed):
            self.socket.sendall(frame(Type.INITIAL_DATA, session_flows.pack_initial(agreed), 1, flags=flags))
            self.socket.recv(1 << 16)
        self.socket.sendall(frame(Type.USERID_DATA, session_flows.pack_user("peer"), 1))

    def read(self) -> None:
        """Take what is there apart by conversation."""
        data = self.socket.recv(1 << 20)
        if not data:
            self.is_closed = True
        data = self._rest + data
        while len(data) >= TSHM_BYTES:
            length = int.from_bytes(data[4:8], "big")
            if len(data) < length:
                break
            conversation = int.from_bytes(data[8:12], "big")
            self.received.setdefault(conversation, []).append(data[:length])
            data = data[length:]
        self._rest = data

    def call(self, number: int, kind: int, body: bytes) -> bytes:
        """A call, and the segment of its answer; after it nothing is to come."""
        self._request += 1  # no other call has this number
        self.socket.sendall(frame(kind, body, number, self._request))
        return self.until(number, kind + REPLY, self._request)

    def until(self, number: int, kind: int, request: int) -> bytes:
        found = self.received.setdefault(number, [])
        tail = bytes((2, kind))
        while not (found and found[-1][16:18] == tail and int.from_bytes(found[-1][12:16], "big") == request):
            self.read()
            assert not self.is_closed, "the queue manager has closed the connection"
        return found[-1]


class TwoWays:
    """Two queue managers that were created alike, and have lived alike since."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder, self._patch = folder, patch
        self._stack = ExitStack()
        self._sides: list[_Side] = []
        self._number = 0
        self.is_alike = False

    def _begin(self) -> None:
        self._number += 1
        for on in (True, False):
            clock = VirtualClock()
            folder = self._folder / f"{self._number}{on:d}"
            config = LogConfig(file_pages=1024)
            served = self._stack.enter_context(
                served_queue_manager(folder=folder, files=FaultyFiles(), clock=clock, log_config=config)
            )
            self._sides.append(_Side(served, clock))
        self.is_alike = True

    def play(self, steps: Sequence[Step]) -> tuple[Played, Played]:
        """With known calls, and without."""
        if not self.is_alike:
            self.end()
            self._begin()
        self.is_alike = False
        played: list[Played] = []
        for side, on in zip(self._sides, (True, False), strict=True):
            with _counted(self._patch, on=on) as counts:
                played.append(side.play(steps, counts))
        self.is_alike = True
        return played[0], played[1]

    def compare(self, steps: Sequence[Step]) -> Played:
        """Play it, and say what differs. How it was with known calls."""
        by_bytes, ordinary = self.play(steps)
        self.is_alike = False  # until it is seen
        assert not sum(ordinary.calls[kind] for kind in ("puts", "gets", "taken", "handed"))
        for conversation, replies in ordinary.replies.items():
            assert _frames(by_bytes.replies[conversation]) == _frames(replies), conversation
        assert by_bytes.log == ordinary.log
        for what, found in ordinary.state.items():
            assert by_bytes.state[what] == found, what
        assert by_bytes.state.keys() == ordinary.state.keys()
        self.is_alike = True
        return by_bytes

    def end(self) -> None:
        self._stack.close()
        self._sides.clear()


@contextmanager
def _counted(patch: pytest.MonkeyPatch, *, on: bool) -> Iterator[dict[str, int]]:
    """Known calls on or off, and how many calls were run so."""
    counts = {"puts": 0, "gets": 0, "taken": 0, "handed": 0, "longest": 0}
    with patch.context() as patched:
        patched.setattr(known_calls, "_ENABLED", on)

        def counting(kind: str, method: Callable[..., tuple[int, int]]) -> Callable[..., tuple[int, int]]:
            def run(self: KnownCalls, *arguments: Any) -> tuple[int, int]:
                used, count = method(self, *arguments)
                counts[kind] += count
                counts["longest"] = max(counts["longest"], count)
                return used, count

            return run

        patched.setattr(KnownCalls, "_run_puts", counting("puts", KnownCalls._run_puts))
        patched.setattr(KnownCalls, "_run_put1", counting("puts", KnownCalls._run_put1))
        patched.setattr(KnownCalls, "_run_get", counting("gets", KnownCalls._run_get))
        take_plain = Batch._take_plain

        def taking(self: Batch, most: int) -> bool:
            taken = take_plain(self, most)
            counts["taken"] += taken
            return taken

        patched.setattr(Batch, "_take_plain", taking)
        pack_plain = Conversation._pack_plain

        def handing(self: Conversation, hobj: int, body: bytes, gmo: MQGMO, data: bytes, properties: bytes) -> bytes:
            counts["handed"] += 1
            return pack_plain(self, hobj, body, gmo, data, properties)

        patched.setattr(Conversation, "_pack_plain", handing)
        yield counts


def _frames(data: bytes) -> list[bytes]:
    """For a difference that can be read."""
    found = []
    while data:
        length = int.from_bytes(data[4:8], "big")
        found.append(data[:length])
        data = data[length:]
    return found


class _Side:
    """One of the two."""

    def __init__(self, served: Served, clock: VirtualClock) -> None:
        self.served, self.clock = served, clock
        self.manager = served.event_loop.manager
        self._lines: dict[str, _Line] = {}
        self._handles: dict[tuple[str, str], int] = {}
        self._hconns: dict[str, int] = {}
        self._waiting: set[str] = set()
        self.admin(lambda: self.manager.define("QLOCAL", "INITQ", {}))
        self.admin(lambda: self.manager.define("QREMOTE", "REPLY.ALIAS", {"RNAME": "R", "RQMNAME": "FAR"}))
        self.admin(
            lambda: self.manager.define("CHANNEL", SMALL_CHANNEL, {"CHLTYPE": "SVRCONN", "MAXMSGL": str(SMALL_MAX)})
        )

    def admin(self, work: Callable[[], Any]) -> None:
        self.served.embedded.admin(lambda: work() or 0)

    def play(self, steps: Sequence[Step], counts: dict[str, int]) -> Played:
        self._prepare()
        log = self.manager.core.log
        start = log.tail
        for step in steps:
            self._do(step)
        for by in sorted(self._waiting):
            self._end_wait(by)
        for by in (A1, A2, B1):
            self._settle(by)
        state = self.served.in_loop(self._state)
        replies = {by: b"".join(self._lines[LINK_OF[by]].received[NUMBER_OF[by]]) for by in (A1, A2, B1)}
        self.served.embedded.force(log.tail - 1)
        own = self.served.data.encode()  # the queue manager's definition names its folder
        records = [(one.type, one.flags, one.txn, one.payload.replace(own, b"FOLDER")) for one in log.scan(start)]
        self._leave()
        return Played(replies, records, state, dict(counts))

    # Before and after

    def _prepare(self) -> None:
        manager = self.manager
        self.admin(lambda: manager.alter("QMGR", "", _QMGR))
        for name in (Q, P, "R"):
            if manager.find("QLOCAL", name) is not None:
                self.admin(partial(manager.delete, "QLOCAL", name, purge=True))
            self.admin(partial(manager.define, "QLOCAL", name, {}))
        if manager.find("QALIAS", ALIAS) is not None:
            self.admin(lambda: manager.delete("QALIAS", ALIAS))
        self.admin(lambda: manager.define("QALIAS", ALIAS, {"TARGET": Q}))
        for name in ("INITQ", "SYSTEM.ADMIN.PERFM.EVENT"):
            self.admin(partial(manager.clear, name))
        self._lines = {"a": _Line(self.served.port, CHANNEL), "b": _Line(self.served.port, SMALL_CHANNEL)}
        self._waiting.clear()
        action = session_flows.pack_action(2, Action.START)
        for by in (A1, A2, B1):
            line, number = self._lines[LINK_OF[by]], NUMBER_OF[by]
            if by == A2:
                line.socket.sendall(frame(Type.SOCKET_ACTION, action, 2, 5, flags=0))
                line.until(2, Type.SOCKET_ACTION, 5)
            body = session_flows.pack_connect(session_flows.Connect("", by, C.MQAT_UNIX))
            answer = line.call(number, Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body)
            self._hconns[by] = calls.unpack_api(answer[TSHM_BYTES:]).hobj
            for name in HANDLES:
                self._open(by, name)
        self._lines["b"].call(1, Type.MQOPEN, calls.pack_open(0, MQOD(ObjectName="INITQ"), C.MQOO_INPUT_SHARED))

    def _open(self, by: str, name: str) -> None:
        line, number = self._lines[LINK_OF[by]], NUMBER_OF[by]
        options = _OPEN & ~C.MQOO_INQUIRE if name == ALIAS else _OPEN
        answer = line.call(number, Type.MQOPEN, calls.pack_open(0, MQOD(ObjectName=name), options))
        api = calls.unpack_api(answer[TSHM_BYTES:])
        assert api.reason == C.MQRC_NONE, api
        self._handles[by, name] = api.hobj

    def _leave(self) -> None:
        for line in self._lines.values():
            line.socket.close()
        deadline = time.monotonic() + LIMIT_S
        while self.served.in_loop(lambda: len(self.served.event_loop.links)):
            assert time.monotonic() < deadline

    # Steps

    def _do(self, step: Step) -> None:
        if isinstance(step, Burst):
            self._burst(step)
        elif isinstance(step, Wait):
            self._wait(step.get)
        elif isinstance(step, Alter):
            self.admin(lambda: self.manager.alter(step.kind, step.name, dict(step.attributes)))
        elif isinstance(step, Advance):
            self.clock.advance(step.seconds)
        elif isinstance(step, Become):
            self.served.in_loop(lambda: self._become(step))
        elif step.by not in self._waiting:
            line, number = self._lines[LINK_OF[step.by]], NUMBER_OF[step.by]
            hobj = self._handles[step.by, CLOSED] = self._handles[step.by, step.name]
            line.call(number, Type.MQCLOSE, calls.pack_close(hobj, 0))
            self._open(step.by, step.name)

    def _become(self, step: Become) -> None:
        core = self.manager.core
        core.quiescing = step.quiescing
        core.queues[Q].damage = damaged_queue(Q, "its file", "not what it was") if step.damaged else None
        if step.backed_out:
            core.connections[self._hconns[step.backed_out]].backed_out = True

    def _burst(self, step: Burst) -> None:
        data = b"".join(part for call in step.calls for part in self._bytes_of(call))
        who = sorted({call.by for call in step.calls})
        line = self._lines[LINK_OF[who[0]]]
        ends = sorted({int(cut * len(data)) for cut in step.cuts} | {len(data)})
        start = 0
        for end in ends:
            line.socket.sendall(data[start:end])
            start = end
            self.served.in_loop(lambda: None)  # the server reads it before the rest comes, or nearly always
        for by in who:
            if by in self._waiting:
                self._end_wait(by)
            self._settle(by)

    def _settle(self, by: str) -> None:
        """All calls of this conversation are answered."""
        line, number = self._lines[LINK_OF[by]], NUMBER_OF[by]
        line.call(number, Type.MQINQ, calls.pack_inquire(99_999, [C.MQIA_CURRENT_Q_DEPTH]))

    def _wait(self, get: Get) -> None:
        by = get.by
        if by in self._waiting:
            return
        line, number = self._lines[LINK_OF[by]], NUMBER_OF[by]
        before = len(line.received[number])
        get = get._replace(options=get.options | C.MQGMO_WAIT, count=1)
        line.socket.sendall(b"".join(self._bytes_of(get)))
        line.socket.setblocking(False)
        try:
            while True:
                try:
                    line.read()
                except BlockingIOError:
                    pass
                if len(line.received[number]) > before:
                    return
                if self.served.in_loop(lambda: self._conversation(by).waits):
                    self._waiting.add(by)
                    return
        finally:
            line.socket.settimeout(LIMIT_S)

    def _end_wait(self, by: str) -> None:
        self._waiting.discard(by)
        self.clock.advance(_WAIT_MS / 1000 + 1)

    def _conversation(self, by: str) -> Conversation:
        return self.served.event_loop.conversations[self._hconns[by]]

    # Calls as bytes

    def _bytes_of(self, call: Put | Get | Take | Call) -> Iterator[bytes]:
        number = NUMBER_OF[call.by]
        if isinstance(call, Put):
            hobj = self._handles[call.by, call.to]
            for index, length in enumerate(call.lengths):
                one = call.ids[index % len(call.ids)]
                md = MQMD(Version=2, **dict(call.fields))
                if one:
                    md.MsgId, md.CorrelId = bytes([one]) * 24, bytes([one, 0] * 12)
                data = call.data or bytes((length + at) % 251 for at in range(min(length, 300))).ljust(length, b"x")
                pmo = MQPMO(Version=3, Options=call.options)
                if call.properties:
                    pmo.NewMsgHandle = 1 + len(call.properties)
                if call.put1:
                    body = calls.pack_put1(MQOD(ObjectName=call.to), md, pmo, call.properties + data)
                else:
                    body = calls.pack_put(hobj, md, pmo, call.properties + data)
                kind = Type.MQPUT1 if call.put1 else Type.MQPUT
                whole = frame(kind, body, number, call.request, max_segment=MAX_SEGMENT)
                for at, junk in call.junk:
                    whole = whole[:at] + junk + whole[at + len(junk) :]
                yield whole
        elif isinstance(call, Get):
            md = MQMD(Version=call.version)
            if call.ids:
                md.MsgId, md.CorrelId = bytes([call.ids]) * 24, bytes([call.ids, 0] * 12)
            wait_ms = _WAIT_MS if call.options & C.MQGMO_WAIT else 0
            gmo = MQGMO(Version=4, Options=call.options, MatchOptions=call.match, WaitInterval=wait_ms)
            gmo.MsgHandle = call.message_handle
            body = calls.pack_get(self._handles[call.by, call.source], md, gmo, call.length)
            yield frame(Type.MQGET, body, number, 1) * call.count
        elif isinstance(call, Take):
            request = Request(
                self._handles[call.by, call.source], requested_bytes=call.room, max_length=call.max_length,
                options=call.options, flags=BATCH | SELECTION, count=call.count, md=MQMD(Version=2),
                selection_index=call.selection_index,
            )  # fmt: skip
            yield frame(Type.REQUEST_MSGS, pack_request(request), number, 1)
        elif call.kind == Type.MQSTAT:
            yield frame(Type.MQSTAT, calls.pack_stat(C.MQSTAT_TYPE_ASYNC_ERROR, MQSTS()), number, 9)
        else:
            yield frame(call.kind, calls.pack_api(0, 0, 0), number, 9)

    # State

    def _state(self) -> dict[str, Any]:
        core = self.manager.core
        state: dict[str, Any] = {
            name: _of_queue(core.queues[name]) for name in sorted(core.queues) if core.queues[name].statistics.enqueued
        }
        for by, hconn in self._hconns.items():
            connection = core.connections[hconn]
            unit, status = connection.unit, connection.async_puts
            state[by] = {
                "position": connection.lsn,
                "unit": None if unit is None else (
                    unit.id, unit.message_count,
                    [(one.kind, one.queue.name, one.slot, one.lsn) for one in unit.operations],
                    [handle.hobj for handle in unit.put_groups], [handle.hobj for handle in unit.get_groups],
                ),
                "async": (status.successes, status.warnings, status.failures, status.reason),
                "groups": [(one.hobj, len(one.put_groups), one.get_group) for one in connection.handles.values()],
                "context": [
                    (one.hobj, one.saved_context and _fields(one.saved_context)) for one in connection.handles.values()
                ],
            }  # fmt: skip
        state["sent"] = sorted(link.counters.bytes_sent for link in self.served.event_loop.links)
        state["ids"] = core.identifiers.next_id()
        state["units"] = sorted(core.units)
        return state


def _fields(md: MQMD) -> dict[str, Any]:
    return {name: getattr(md, name) for name in MQMD.__annotations__}


def _of_queue(queue: QueueState) -> dict[str, Any]:
    store, statistics = queue.store, queue.statistics
    handles = store.handles
    messages = []
    for slot in store.chains:
        message = store.message(slot)
        messages.append(
            (
                slot, handles.sequence[slot], handles.expiry_ms[slot], handles.flags[slot], store.backout_count(slot),
                message.body, _fields(message.md), message.properties, message.data, message.weight, message.lsn,
            )
        )  # fmt: skip
    counted = {name: getattr(statistics, name) for name in statistics.__slots__ if name not in ("monitoring", "since")}
    monitoring = {name: repr(getattr(statistics.monitoring, name)) for name in statistics.monitoring.__slots__}
    return {
        "messages": messages,
        "depth": store.depth,
        "visible": queue.visible_lsn,
        "statistics": counted,
        "monitoring": {} if any(" object at " in value for value in monitoring.values()) else monitoring,
        "waiters": len(queue.waiters),
    }
