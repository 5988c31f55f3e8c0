"""The reference model of a queue manager: what the MQI promises, in the most naive way.

It is told of every call that the product gets and says what must come of it. Ids that the queue manager makes up are
taken over from the product's answer (and must be new). Where MQ leaves the outcome open, the model says between what
it may lie: the depth while expired messages wait to be met, and with it whether the queue counts as full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import model_gets as gets
from model_groups import check_length, implied, numbered, position_after, put_broken, segment_sizes
from model_parts import (
    GOT,
    HERE,
    INPUT,
    NO_ID,
    PUT,
    Connection,
    GetRequest,
    Handle,
    Message,
    Outcome,
    PutRequest,
    Queue,
    Refused,
    Waiter,
    failed,
)  # fmt: skip

from libremq.mqi import constants as C

_INDIRECT = (
    C.MQGMO_SYNCPOINT | C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE
    | C.MQGMO_ALL_SEGMENTS_AVAILABLE
)  # fmt: skip
_GROUPED = C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_MSG_IN_GROUP | C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT


@dataclass
class Observed:
    """What the product answered to a put, as far as the model must take it from there."""

    failed: bool
    reason: int
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    group_id: bytes = NO_ID


class Model:
    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.queues: dict[str, Queue] = {}
        self.connections: list[Connection] = []
        self.max_uncommitted = 10_000
        self.mark_interval_ms = 5000
        self._numbers = 0
        self._made_ids: set[bytes] = set()

    def handles(self) -> Iterator[Handle]:
        for connection in self.connections:
            yield from connection.handles

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    # Connections and handles

    def connect(self) -> Connection:
        connection = Connection(self._next())
        self.connections.append(connection)
        return connection

    def disconnect(self, connection: Connection) -> None:
        """MQDISC commits."""
        self.commit(connection)
        for handle in list(connection.handles):
            self.close(handle)
        self.connections.remove(connection)

    def open(self, connection: Connection, queue: Queue, options: int) -> Handle | Outcome:
        inputs = options & INPUT
        if inputs:
            exclusive = self._is_exclusive(queue, inputs)
            others = [handle for handle in self.handles() if handle.queue is queue and handle.has(INPUT)]
            if others and (exclusive or self._is_exclusive(queue, others[0].options & INPUT)):
                return failed(C.MQRC_OBJECT_IN_USE)
            if inputs == C.MQOO_INPUT_AS_Q_DEF:  # decided now, whatever becomes of the definition
                options = options & ~INPUT | (C.MQOO_INPUT_EXCLUSIVE if exclusive else C.MQOO_INPUT_SHARED)
        handle = Handle(connection, queue, options, self._next())
        connection.handles.append(handle)
        return handle

    @staticmethod
    def _is_exclusive(queue: Queue, option: int) -> bool:
        if option == C.MQOO_INPUT_AS_Q_DEF:
            return queue.default_exclusive
        return option == C.MQOO_INPUT_EXCLUSIVE

    def close(self, handle: Handle) -> Outcome:
        handle.closed = True
        handle.connection.handles.remove(handle)
        gets.release_locks(handle)
        for message in handle.queue.messages:
            message.marked_by.discard(handle)
        open_positions = [
            position for position in (handle.put_position, handle.get_position) if position and position.logical
        ]
        self.serve(handle.queue)
        if any(position.in_message for position in open_positions):
            return Outcome(C.MQCC_WARNING, C.MQRC_INCOMPLETE_MSG)
        if open_positions:
            return Outcome(C.MQCC_WARNING, C.MQRC_INCOMPLETE_GROUP)
        return Outcome()

    def input_count(self, queue: Queue) -> int:
        return sum(1 for handle in self.handles() if handle.queue is queue and handle.has(INPUT))

    def output_count(self, queue: Queue) -> int:
        return sum(1 for handle in self.handles() if handle.queue is queue and handle.has(C.MQOO_OUTPUT))

    # MQPUT

    def put(self, handle: Handle, request: PutRequest, observed: Observed, *, put1: bool = False) -> Outcome:
        try:
            return self._put(handle, request, observed, put1)
        except Refused as refused:
            return failed(refused.reason)

    def _put(self, handle: Handle, request: PutRequest, observed: Observed, put1: bool) -> Outcome:
        queue, connection = handle.queue, handle.connection
        options = request.options
        both = C.MQPMO_SYNCPOINT | C.MQPMO_NO_SYNCPOINT
        if not handle.has(C.MQOO_OUTPUT):
            raise Refused(C.MQRC_NOT_OPEN_FOR_OUTPUT)
        if options & both == both or (put1 and options & C.MQPMO_LOGICAL_ORDER):
            raise Refused(C.MQRC_OPTIONS_ERROR)
        if queue.put_inhibited:
            raise Refused(C.MQRC_PUT_INHIBITED)
        self._check_descriptor(request)
        in_unit = bool(options & C.MQPMO_SYNCPOINT)
        if in_unit:
            self.check_unit(connection)
        logical = bool(options & C.MQPMO_LOGICAL_ORDER)
        warning = C.MQRC_NONE
        persistence = request.persistence
        if persistence == C.MQPER_PERSISTENCE_AS_Q_DEF:
            persistence = queue.default_persistence
        priority = request.priority
        if priority == C.MQPRI_PRIORITY_AS_Q_DEF:
            priority = queue.default_priority
        elif priority > 9:
            warning = C.MQRC_PRIORITY_EXCEEDS_MAXIMUM
        check_length(implied(request.flags), len(request.data))
        before = handle.put_position
        if logical and before is not None:
            reason = put_broken(before, request, persistence, in_unit, with_place=False)
            if reason:
                raise Refused(reason)
        final = numbered(request, before, logical, observed.group_id)
        continues = logical and before is not None
        if not observed.failed and not continues and final.group_id not in (NO_ID, request.group_id):
            self._made(final.group_id)
        if not logical and before is not None and before.logical:
            warning = warning or put_broken(before, final, persistence, in_unit, with_place=True)
        msg_id = request.msg_id
        if msg_id == NO_ID or options & C.MQPMO_NEW_MSG_ID:
            msg_id = observed.msg_id
            if not observed.failed:
                self._made(msg_id)
        correl_id = request.correl_id
        if options & C.MQPMO_NEW_CORREL_ID:
            correl_id = observed.correl_id
        message = Message(
            self._next(), 0, final.data, msg_id, correl_id, final.group_id, final.sequence, final.offset, final.flags,
            priority, persistence, None if request.expiry < 0 else self.now_ms + 100 * request.expiry,
        )  # fmt: skip
        self._deliver(queue, message, connection, in_unit, observed)
        if in_unit:
            connection.saved_puts.setdefault(handle, before)
        handle.put_position = position_after(
            final.group_id, final.sequence, final.offset, final.flags, len(final.data),
            persistence=persistence, in_unit=in_unit, logical=logical, whole=False,
        )  # fmt: skip
        if not in_unit:
            self.serve(queue)
        fields = {
            "MsgId": msg_id, "CorrelId": correl_id, "GroupId": final.group_id, "MsgSeqNumber": final.sequence,
            "Offset": final.offset, "Priority": priority, "Persistence": persistence,
        }  # fmt: skip
        return Outcome(C.MQCC_WARNING if warning else C.MQCC_OK, warning, fields=fields)

    def _made(self, identifier: bytes) -> None:
        assert identifier != NO_ID and identifier not in self._made_ids, "an id that the queue manager made is not new"
        self._made_ids.add(identifier)

    @staticmethod
    def _check_descriptor(request: PutRequest) -> None:
        if request.persistence not in (0, 1, 2):
            raise Refused(C.MQRC_PERSISTENCE_ERROR)
        if request.priority < -1:
            raise Refused(C.MQRC_PRIORITY_ERROR)
        if request.expiry < 1 and request.expiry != C.MQEI_UNLIMITED:
            raise Refused(C.MQRC_EXPIRY_ERROR)

    def _deliver(
        self, queue: Queue, message: Message, connection: Connection, in_unit: bool, observed: Observed
    ) -> None:
        parts = [message]
        if len(message.data) > queue.max_length:
            if not message.flags & C.MQMF_SEGMENTATION_ALLOWED:
                raise Refused(C.MQRC_MSG_TOO_BIG_FOR_Q)
            if not in_unit and connection.operations:
                raise Refused(C.MQRC_UOW_NOT_AVAILABLE)
            parts = self._cut(queue, message)
        elif not in_unit and self._hand_over(queue, message):
            return
        least, most = queue.depths(self.now_ms)
        room = len(parts) - 1
        if least + room >= queue.max_depth:
            raise Refused(C.MQRC_Q_FULL)
        if most + room >= queue.max_depth and observed.reason == C.MQRC_Q_FULL:
            raise Refused(C.MQRC_Q_FULL)
        for part in parts:
            part.number = self._next()
            part.chain = queue.default_priority if queue.fifo else min(part.priority, 9)
            part.where = PUT if in_unit else HERE
            queue.messages.append(part)
            if in_unit:
                connection.operations.append((PUT, queue, part))

    @staticmethod
    def _cut(queue: Queue, message: Message) -> list[Message]:
        """Queue-manager segmentation."""
        parts: list[Message] = []
        start = 0
        for size in segment_sizes(len(message.data), queue.max_length):
            part = replace(message, data=message.data[start : start + size], offset=message.offset + start)
            part.marked_by = set()
            part.flags = (message.flags | C.MQMF_SEGMENT) & ~C.MQMF_LAST_SEGMENT
            start += size
            parts.append(part)
        if not message.flags & C.MQMF_SEGMENT or message.flags & C.MQMF_LAST_SEGMENT:
            parts[-1].flags |= C.MQMF_LAST_SEGMENT
        return parts

    # Gets that wait

    def in_turn(self, queue: Queue) -> list[Waiter]:
        """Browses first, then those that want certain messages, then the others; of equals the latest first."""
        latest_first = list(reversed(queue.waiters))
        browses = [waiter for waiter in latest_first if self._only_looks(waiter.request)]
        others = [waiter for waiter in latest_first if not self._only_looks(waiter.request)]
        specific = [waiter for waiter in others if gets.is_specific(waiter.request)]
        general = [waiter for waiter in others if not gets.is_specific(waiter.request)]
        return browses + specific + general

    @staticmethod
    def _only_looks(request: GetRequest) -> bool:
        return request.has(gets.BROWSE) and not request.has(C.MQGMO_LOCK)

    def _hand_over(self, queue: Queue, message: Message) -> bool:
        """From hand to hand: the getter whose turn it is takes the message before it is on the queue."""
        if message.flags & _GROUPED:
            return False
        for waiter in self.in_turn(queue):
            request, handle = waiter.request, waiter.handle
            if self._only_looks(request):
                continue
            wanted = gets.demands(request)
            position = gets.current_position(handle, request)
            if request.has(C.MQGMO_LOGICAL_ORDER):
                wanted["sequence"] = wanted["offset"] = None
            if position is not None:
                wanted = {"group_id": position.group_id, "sequence": position.sequence, "offset": position.offset}
            if not gets.matches(message, wanted):
                continue
            if request.has(_INDIRECT) or request.has(gets.BROWSE):
                return False
            if message.persistent and request.has(C.MQGMO_SYNCPOINT_IF_PERSISTENT):
                return False
            outcome = gets.answer(self, [message], request)
            if outcome.reason == C.MQRC_TRUNCATED_MSG_FAILED:
                return False
            gets.note_position(handle, request, message, outcome, False, whole=False)
            self._complete(waiter, outcome)
            return True
        return False

    def _complete(self, waiter: Waiter, outcome: Outcome) -> None:
        waiter.outcome = outcome
        waiter.handle.queue.waiters.remove(waiter)
        waiter.handle.connection.waiting = None

    def serve(self, queue: Queue) -> None:
        """Something changed: whoever waits and can have a message now has it."""
        again = True
        while again:
            again = False
            for waiter in self.in_turn(queue):
                try:
                    outcome = gets.attempt(self, waiter.handle, waiter.request)
                except Refused as refused:
                    outcome = failed(refused.reason)
                if outcome is not None:
                    self._complete(waiter, outcome)
                    again = True
                    break

    # MQGET

    def get(self, handle: Handle, request: GetRequest, observed: int) -> Outcome | Waiter:
        queue = handle.queue
        try:
            gets.check(self, handle, request)
            if request.has(C.MQGMO_UNLOCK):
                outcome: Outcome | None = gets.unlock(self, handle, observed)
            else:
                if request.has(C.MQGMO_SYNCPOINT):
                    self.check_unit(handle.connection)
                outcome = gets.attempt(self, handle, request)
                if outcome is None and request.has(gets.FIRST_OR_NEXT):
                    gets.release_locks(handle)
        except Refused as refused:
            return failed(refused.reason)
        self.serve(queue)
        if outcome is not None:
            return outcome
        if not request.has(C.MQGMO_WAIT) or not request.wait_ms:
            return failed(C.MQRC_NO_MSG_AVAILABLE)
        until = None if request.wait_ms == C.MQWI_UNLIMITED else self.now_ms + request.wait_ms
        waiter = Waiter(handle, request, until)
        queue.waiters.append(waiter)
        handle.connection.waiting = waiter
        return waiter

    # Units of work

    def check_unit(self, connection: Connection) -> None:
        if len(connection.operations) >= self.max_uncommitted:
            raise Refused(C.MQRC_SYNCPOINT_LIMIT_REACHED)

    def commit(self, connection: Connection) -> None:
        touched = [queue for _, queue, _ in connection.operations]
        for kind, queue, message in connection.operations:
            if kind == PUT:
                message.where = HERE
            else:
                queue.messages.remove(message)
        self._end_unit(connection)
        for queue in touched:
            self.serve(queue)

    def backout(self, connection: Connection) -> None:
        touched = [queue for _, queue, _ in connection.operations]
        for kind, queue, message in connection.operations:
            if kind == PUT:
                queue.messages.remove(message)
            else:
                message.where = HERE
                message.backouts += 1
        for handle, position in connection.saved_gets.items():
            handle.get_position = position
        for handle, position in connection.saved_puts.items():
            handle.put_position = position
        self._end_unit(connection)
        for queue in touched:
            self.serve(queue)

    @staticmethod
    def _end_unit(connection: Connection) -> None:
        connection.operations = []
        connection.saved_gets = {}
        connection.saved_puts = {}

    # Administration, the clock, the end

    def inhibit_get(self, queue: Queue, inhibited: bool) -> None:
        queue.get_inhibited = inhibited
        if inhibited:
            for waiter in list(queue.waiters):
                self._complete(waiter, failed(C.MQRC_GET_INHIBITED))

    def advance(self, milliseconds: int) -> None:
        self.now_ms += milliseconds
        for queue in self.queues.values():
            for waiter in list(queue.waiters):
                if waiter.until_ms is not None and waiter.until_ms <= self.now_ms:
                    self._complete(waiter, failed(C.MQRC_NO_MSG_AVAILABLE))
            self.serve(queue)

    def scan_expired(self) -> None:
        """The expiry scan removes what is expired and nobody has locked."""
        for queue in self.queues.values():
            for message in list(queue.messages):
                if message.where == HERE and message.expired(self.now_ms) and message.lock is None:
                    gets.take(self, queue, message, None)

    def restart(self, *, clean: bool) -> None:
        """The queue manager ends, in good order or killed, and starts again."""
        for queue in self.queues.values():
            queue.waiters = []
        for connection in self.connections:
            self.backout(connection)
        self.connections = []
        for queue in self.queues.values():
            keeps_all = clean and queue.keeps_nonpersistent
            kept = [message for message in queue.messages if message.persistent or keeps_all]
            for message in kept:
                message.leave()
            queue.messages = kept

    def uncommitted(self, queue: Queue) -> int:
        return sum(1 for message in queue.messages if message.where in (PUT, GOT))
