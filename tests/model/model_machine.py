"""Calls the product and the reference model side by side and compares what they answer.

The machines in `test_model_stateful.py` choose the calls; here each call is made once on either side. After every
step the gets that wait, depth and open counts must agree; from time to time the whole content, browsed by a
connection that does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import note
from hypothesis.stateful import RuleBasedStateMachine, invariant
from model_gets import describe
from model_harness import QMGR, EmbeddedHarness, Harness, Pending
from model_parts import GOT, Connection, GetRequest, Handle, Message, Outcome, PutRequest, Queue, Waiter, failed
from reference_model import Model, Observed

from libremq.host.binding import Binding
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

CONNECTIONS_MAX = 4
HANDLES_MAX = 5
_ALL = C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_OUTPUT
_AUDIT = C.MQOO_BROWSE | C.MQOO_INQUIRE | C.MQOO_SET
_COUNTS = (C.MQIA_CURRENT_Q_DEPTH, C.MQIA_OPEN_INPUT_COUNT, C.MQIA_OPEN_OUTPUT_COUNT)
_GET_FIELDS = (
    "MsgId", "CorrelId", "GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "Priority", "Persistence", "Expiry",
    "BackoutCount",
)  # fmt: skip
_PUT_FIELDS = ("MsgId", "CorrelId", "GroupId", "MsgSeqNumber", "Offset", "Priority", "Persistence")


class WaitingGet:
    """A get that waits on both sides."""

    def __init__(self, expected: Waiter, pending: Pending, md: MQMD, gmo: MQGMO) -> None:
        self.expected = expected
        self.pending = pending
        self.md = md
        self.gmo = gmo


class SideBySide(RuleBasedStateMachine):
    """The steps. Subclasses have the rules that choose among them."""

    harness_factory: Callable[[], Harness] = EmbeddedHarness
    max_uncommitted = 6
    connections_at_start = 3

    def __init__(self) -> None:
        super().__init__()
        self.harness = type(self).harness_factory()
        self.model = Model(int(self.harness.now() * 1000))
        self.bindings: dict[Connection, Binding] = {}
        self.waiting: list[WaitingGet] = []
        self.written = 0
        self.define_queues()
        self.harness.alter("QMGR", QMGR, {"maxumsgs": self.max_uncommitted})
        self.model.max_uncommitted = self.max_uncommitted
        self._audit_connection()
        self._open_some()

    def define_queues(self) -> None:
        raise NotImplementedError

    def queue(self, queue: Queue) -> None:
        """Define a queue on both sides."""
        self.model.queues[queue.name] = queue
        self.harness.define(
            queue.name,
            {
                "maxdepth": queue.max_depth,
                "maxmsgl": queue.max_length,
                "msgdlvsq": C.MQMDS_FIFO if queue.fifo else C.MQMDS_PRIORITY,
                "defprty": queue.default_priority,
                "defpsist": queue.default_persistence,
                "npmclass": C.MQNPM_CLASS_HIGH if queue.keeps_nonpersistent else C.MQNPM_CLASS_NORMAL,
                "share": C.MQQA_SHAREABLE,
                "defsopt": C.MQOO_INPUT_EXCLUSIVE if queue.default_exclusive else C.MQOO_INPUT_SHARED,
            },
        )

    def _audit_connection(self) -> None:
        self.auditor = self.harness.connect()
        self.audit_handles = {name: self.auditor.open(MQOD(ObjectName=name), _AUDIT) for name in self.model.queues}

    def _open_some(self) -> None:
        """Something to work with: without it most steps would find nothing open."""
        for _ in range(self.connections_at_start):
            connection = self.connect()
            for queue in self.model.queues.values():
                self.open(connection, queue, _ALL | C.MQOO_CO_OP)

    def teardown(self) -> None:
        self.harness.end()

    # Choosing

    def idle_connections(self) -> list[Connection]:
        return [connection for connection in self.model.connections if connection.waiting is None]

    def idle_handles(self) -> list[Handle]:
        return [handle for connection in self.idle_connections() for handle in connection.handles]

    def some_queue(self, pick: int) -> Queue:
        queues = list(self.model.queues.values())
        return queues[pick % len(queues)]

    def text(self, size: int) -> bytes:
        """Data of this length, different each time as far as that is possible."""
        self.written += 1
        return (b"<%d>" % self.written).ljust(size, bytes([97 + self.written % 26]))[:size]

    # Calls on both sides

    def connect(self) -> Connection:
        connection = self.model.connect()
        self.bindings[connection] = self.harness.connect()
        return connection

    def disconnect(self, connection: Connection) -> None:
        self.bindings.pop(connection).disconnect()
        self.model.disconnect(connection)

    def open(self, connection: Connection, queue: Queue, options: int) -> None:
        expected = self.model.open(connection, queue, options)
        try:
            hobj = self.bindings[connection].open(MQOD(ObjectName=queue.name), options)
        except MQError as error:
            self._same("open", _error(error), expected if isinstance(expected, Outcome) else Outcome())
            return
        self._same("open", Outcome(), expected if isinstance(expected, Outcome) else Outcome())
        assert isinstance(expected, Handle)
        expected.hobj = hobj

    def close(self, handle: Handle) -> None:
        reason = self.bindings[handle.connection].close(handle.hobj)
        self._same("close", _warning(reason), self.model.close(handle))

    def put(self, handle: Handle, request: PutRequest, *, put1: bool = False) -> None:
        binding = self.bindings[handle.connection]
        md = MQMD(
            Version=2, MsgId=request.msg_id, CorrelId=request.correl_id, GroupId=request.group_id,
            MsgSeqNumber=request.sequence, Offset=request.offset, MsgFlags=request.flags, Priority=request.priority,
            Persistence=request.persistence, Expiry=request.expiry,
        )  # fmt: skip
        pmo = MQPMO(Options=request.options)
        try:
            if put1:
                reason = binding.put1(MQOD(ObjectName=handle.queue.name), md, pmo, request.data)
            else:
                reason = binding.put(handle.hobj, md, pmo, request.data)
            actual = _warning(reason)
            actual.fields = {name: getattr(md, name) for name in _PUT_FIELDS}
            observed = Observed(False, reason, md.MsgId, md.CorrelId, md.GroupId)
        except MQError as error:
            actual = _error(error)
            observed = Observed(True, error.reason)
        if put1:
            handle = Handle(handle.connection, handle.queue, C.MQOO_OUTPUT, 0)
        self._same(f"put {request}", actual, self.model.put(handle, request, observed, put1=put1))

    def get(self, handle: Handle, request: GetRequest) -> None:
        md = MQMD(
            Version=2, MsgId=request.msg_id, CorrelId=request.correl_id, GroupId=request.group_id,
            MsgSeqNumber=request.sequence, Offset=request.offset,
        )  # fmt: skip
        gmo = MQGMO(Version=2, Options=request.options, MatchOptions=request.match, WaitInterval=request.wait_ms)
        try:
            result = self.harness.start_get(self.bindings[handle.connection], handle.hobj, md, gmo, request.buffer)
        except MQError as error:
            actual = _error(error)
        else:
            if not isinstance(result, Got):
                expected = self.model.get(handle, request, C.MQRC_NONE)
                assert isinstance(expected, Waiter), f"get {request}: waits, but should give {expected}"
                self.waiting.append(WaitingGet(expected, result, md, gmo))
                return
            actual = _got(result, md, gmo, filled=not request.has(C.MQGMO_UNLOCK))
        expected = self.model.get(handle, request, actual.reason)
        assert isinstance(expected, Outcome), f"get {request}: should wait, but gives {actual}"
        self._same(f"get {request}", actual, expected)

    def commit(self, connection: Connection) -> None:
        self.bindings[connection].commit()
        self.model.commit(connection)

    def backout(self, connection: Connection) -> None:
        self.bindings[connection].backout()
        self.model.backout(connection)

    def set_inhibited(self, queue: Queue, *, get: bool, inhibited: bool) -> None:
        if get:
            value = C.MQQA_GET_INHIBITED if inhibited else C.MQQA_GET_ALLOWED
            self.auditor.set(self.audit_handles[queue.name], {C.MQIA_INHIBIT_GET: value})
            self.model.inhibit_get(queue, inhibited)
        else:
            value = C.MQQA_PUT_INHIBITED if inhibited else C.MQQA_PUT_ALLOWED
            self.auditor.set(self.audit_handles[queue.name], {C.MQIA_INHIBIT_PUT: value})
            queue.put_inhibited = inhibited

    def alter(self, queue: Queue, *, fifo: bool, default_priority: int, default_persistence: int) -> None:
        self.harness.alter(
            "QLOCAL",
            queue.name,
            {
                "msgdlvsq": C.MQMDS_FIFO if fifo else C.MQMDS_PRIORITY,
                "defprty": default_priority,
                "defpsist": default_persistence,
            },
        )
        queue.fifo, queue.default_priority, queue.default_persistence = fifo, default_priority, default_persistence

    def advance(self, milliseconds: int) -> None:
        self.harness.advance(milliseconds / 1000)
        self.model.advance(milliseconds)
        assert int(self.harness.now() * 1000) == self.model.now_ms

    def scan_expired(self) -> None:
        self.harness.scan_expired()
        self.model.scan_expired()

    def restart(self, *, clean: bool) -> None:
        got = [message for queue in self.model.queues.values() for message in queue.messages if message.where == GOT]
        self.harness.restart(clean=clean)
        self.model.restart(clean=clean)
        self.bindings = {}
        self.waiting = []
        self._audit_connection()
        if not clean:
            self._learn_backout_counts(got)
        self._open_some()

    def _learn_backout_counts(self, got: list[Message]) -> None:
        """A kill may come before the log knows of an uncommitted get: then the message was never got."""
        for name, queue in self.model.queues.items():
            if queue.get_inhibited or not any(message in got for message in queue.messages):
                continue
            for message, (_, fields) in zip(queue.here(self.model.now_ms), self._browse(name), strict=True):
                if message in got and fields["BackoutCount"] == message.backouts - 1:
                    message.backouts -= 1

    # Comparing

    @staticmethod
    def _same(call: str, actual: Outcome, expected: Outcome) -> None:
        note(f"{call} -> {actual.reason}")
        assert actual == expected, f"{call}\n  gave   {actual}\n  should {expected}"

    @invariant()
    def waits_agree(self) -> None:
        self.harness.settle()
        for get in list(self.waiting):
            outcome = get.pending.outcome()
            expected = get.expected.outcome
            if outcome is None and expected is None:
                continue
            assert outcome is not None, f"{get.expected.request} still waits, should give {expected}"
            assert expected is not None, f"{get.expected.request} should still wait, gives {outcome}"
            actual = _error(outcome) if isinstance(outcome, MQError) else _got(outcome, get.md, get.gmo, filled=True)
            self._same(f"waiting get {get.expected.request}", actual, expected)
            self.waiting.remove(get)

    @invariant()
    def counts_agree(self) -> None:
        self.harness.settle()
        for name, queue in self.model.queues.items():
            (depth, inputs, outputs), _ = self.auditor.inquire(self.audit_handles[name], _COUNTS)
            least, most = queue.depths(self.model.now_ms)
            assert least <= int(depth) <= most, f"{name}: depth {depth}, should be {least} to {most}"
            assert inputs == self.model.input_count(queue), f"{name}: {inputs} inputs"
            assert outputs == self.model.output_count(queue), f"{name}: {outputs} outputs"

    def audit(self) -> None:
        """The content of all queues, in order."""
        for name, queue in self.model.queues.items():
            if queue.get_inhibited:
                continue
            seen = self._browse(name)
            expected = [
                (message.data, describe(self.model, message, whole=False))
                for message in queue.here(self.model.now_ms)
                if message.lock is None
            ]
            assert seen == expected, f"{name} holds\n  {seen}\n  should hold\n  {expected}"

    def _browse(self, name: str) -> list[tuple[bytes, dict[str, Any]]]:
        """All that the auditor can see of a queue."""
        seen: list[tuple[bytes, dict[str, Any]]] = []
        option = C.MQGMO_BROWSE_FIRST
        while True:
            md, gmo = MQMD(Version=2), MQGMO(Version=2, Options=option, MatchOptions=C.MQMO_NONE)
            try:
                got = self.auditor.get(self.audit_handles[name], md, gmo)
            except MQError as error:
                assert error.reason == C.MQRC_NO_MSG_AVAILABLE
                return seen
            option = C.MQGMO_BROWSE_NEXT
            seen.append((got.data, _fields(md, gmo)))


def _fields(md: MQMD, gmo: MQGMO) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(md, name) for name in _GET_FIELDS}
    fields["GroupStatus"], fields["SegmentStatus"] = gmo.GroupStatus, gmo.SegmentStatus
    return fields


def _got(got: Got, md: MQMD, gmo: MQGMO, *, filled: bool) -> Outcome:
    return Outcome(got.comp_code, got.reason, got.data, got.length, _fields(md, gmo) if filled else {})


def _error(error: MQError) -> Outcome:
    assert error.comp_code == C.MQCC_FAILED
    return failed(error.reason)


def _warning(reason: int) -> Outcome:
    return Outcome(C.MQCC_WARNING if reason else C.MQCC_OK, reason)
