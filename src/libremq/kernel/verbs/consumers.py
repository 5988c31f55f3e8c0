"""Asynchronous consumers: MQCB registers a function for a handle, MQCTL starts and stops the deliveries.

The kernel has no threads, so it does not call anybody. It keeps what is to be called: `next_delivery` gives the
binding the next call to make (a message, an event, a start or stop call), one at a time for each connection, and
`Connection.wake` tells the binding that it is worth asking again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from libremq.kernel.objects.object_types import AliasQueue, LocalQueue, MQObject
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.wait_clock import Deadline
from libremq.kernel.state.waiting_gets import Got
from libremq.kernel.verbs import getting, taking
from libremq.kernel.verbs.searching import Search
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQCBC, MQCBD, MQGMO, MQMD

Callback = Callable[..., Any]
_BROWSE = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
_KNOWN = (
    C.MQCBDO_START_CALL | C.MQCBDO_STOP_CALL | C.MQCBDO_REGISTER_CALL | C.MQCBDO_DEREGISTER_CALL
    | C.MQCBDO_FAIL_IF_QUIESCING | C.MQCBDO_EVENT_CALL | C.MQCBDO_MC_EVENT_CALL
)  # fmt: skip


@dataclass
class Consumer:
    """A registered function and how it wants its messages."""

    handle: ObjectHandle | None  # None: the event handler of the connection
    callback: Callback
    options: int
    area: object
    max_length: int | None
    md: MQMD
    gmo: MQGMO
    suspended: bool = False
    inhibited: bool = False  # was told that gets are inhibited, and not yet that they are allowed again
    browsed: bool = False
    idle_since: float = 0.0
    deadline: Deadline | None = None  # when it is to be looked at whether it has been idle for long
    looks: bool = False  # its search for the next message takes more than a slice
    search: Search | None = None  # which goes on there


@dataclass
class Delivery:
    """One call for the binding to make: callback(md, gmo, data, cbc), the first three None without a message."""

    consumer: Consumer
    cbc: MQCBC
    md: MQMD | None = None
    gmo: MQGMO | None = None
    data: bytes | None = None
    area: object = field(default=None)
    lsn: int = 0  # the log position that the call depends on
    packed: bytes = b""  # what the binding has made of it


PackDelivery = Callable[[Delivery], bytes]
"""Makes what a binding sends of a delivery: before its message is taken, as `PackReply` does for a get."""


def register(
    core: Core,
    connection: Connection,
    cbd: MQCBD,
    callback: Callback | None,
    handle: ObjectHandle | None,
    md: MQMD,
    gmo: MQGMO,
    area: object = None,
) -> None:
    """MQCB with MQOP_REGISTER: a new consumer, or another function for one that is there."""
    name = handle.object_name if handle else core.qmgr_name
    if callback is None or not callable(callback):
        raise mq_error(C.MQRC_CALLBACK_ROUTINE_ERROR, name, "a callable is needed")
    if cbd.CallbackType not in (C.MQCBT_MESSAGE_CONSUMER, C.MQCBT_EVENT_HANDLER):
        raise mq_error(C.MQRC_CALLBACK_TYPE_ERROR, name, f"callback type {cbd.CallbackType} is not known")
    if cbd.Options & ~_KNOWN:
        raise mq_error(C.MQRC_CBD_OPTIONS_ERROR, name, f"unknown callback options {cbd.Options & ~_KNOWN:#x}")
    limit = None if cbd.MaxMsgLength == C.MQCBD_FULL_MSG_LENGTH else cbd.MaxMsgLength
    if limit is not None and limit < 0:
        raise mq_error(C.MQRC_MAX_MSG_LENGTH_ERROR, name, f"MaxMsgLength {limit} is negative")
    consumer = Consumer(
        handle, callback, cbd.Options, area, limit, md.copy(), gmo.copy(), idle_since=core.clock.monotonic()
    )
    if cbd.CallbackType == C.MQCBT_EVENT_HANDLER:
        connection.event_handler = consumer
    else:
        if handle is None:
            raise mq_error(C.MQRC_HOBJ_ERROR, name, "a message consumer needs the handle of a queue")
        if not (handle.is_input or handle.has(C.MQOO_BROWSE)):
            raise mq_error(C.MQRC_NOT_OPEN_FOR_INPUT, name, "open it for input or browse to consume")
        replaced = connection.consumers.get(handle.hobj)
        if replaced is not None:
            _stop_watching(core, replaced)
        connection.consumers[handle.hobj] = consumer
        if handle.queue is not None:
            handle.queue.consumed.add(handle)
        _watch(core, connection, consumer)
    if cbd.Options & C.MQCBDO_REGISTER_CALL:
        _call(connection, consumer, C.MQCBCT_REGISTER_CALL)
    if connection.consuming and cbd.Options & C.MQCBDO_START_CALL:
        _call(connection, consumer, C.MQCBCT_START_CALL)
    core.woken.add(connection.wake)


def _consumer(core: Core, connection: Connection, handle: ObjectHandle | None) -> Consumer:
    consumer = connection.event_handler if handle is None else connection.consumers.get(handle.hobj)
    if consumer is None:
        raise mq_error(
            C.MQRC_CALLBACK_NOT_REGISTERED,
            handle.object_name if handle else core.qmgr_name,
            "nothing is registered for it",
        )
    return consumer


def operate(core: Core, connection: Connection, operation: int, handle: ObjectHandle | None) -> None:
    """MQCB with MQOP_DEREGISTER, MQOP_SUSPEND or MQOP_RESUME for one consumer."""
    consumer = _consumer(core, connection, handle)
    if operation == C.MQOP_DEREGISTER:
        if handle is None:
            connection.event_handler = None
        else:
            del connection.consumers[handle.hobj]
            _stop_watching(core, consumer)
            if handle.queue is not None:
                handle.queue.consumed.discard(handle)
        if consumer.options & C.MQCBDO_DEREGISTER_CALL:
            _call(connection, consumer, C.MQCBCT_DEREGISTER_CALL)
            core.woken.add(connection.wake)
    elif operation in (C.MQOP_SUSPEND, C.MQOP_RESUME):
        consumer.suspended = operation == C.MQOP_SUSPEND
        consumer.inhibited = False
        _end_search(consumer)
        consumer.idle_since = core.clock.monotonic()
        if handle is not None:
            _watch(core, connection, consumer)
        core.woken.add(connection.wake)
    else:
        raise mq_error(C.MQRC_OPERATION_ERROR, core.qmgr_name, f"operation {operation:#x} is not one of MQCB")


def control(core: Core, connection: Connection, operation: int) -> None:
    """MQCTL: start, stop, suspend or resume the deliveries of a connection."""
    if operation in (C.MQOP_START, C.MQOP_START_WAIT):
        if connection.suspended:
            raise mq_error(C.MQRC_OPERATION_NOT_ALLOWED, core.qmgr_name, "the connection is suspended: resume it")
        if connection.consuming:
            raise mq_error(C.MQRC_HCONN_ASYNC_ACTIVE, core.qmgr_name, "the consumers are started already")
        if operation == C.MQOP_START_WAIT and all(consumer.suspended for consumer in connection.consumers.values()):
            raise mq_error(C.MQRC_NO_CALLBACKS_ACTIVE, core.qmgr_name, "register a consumer with MQCB first")
        connection.consuming, connection.suspended = True, False
        for consumer in connection.consumers.values():
            consumer.idle_since = core.clock.monotonic()
            _watch(core, connection, consumer)
            if consumer.options & C.MQCBDO_START_CALL:
                _call(connection, consumer, C.MQCBCT_START_CALL)
    elif operation == C.MQOP_STOP:
        if connection.consuming:
            for consumer in connection.consumers.values():
                if consumer.options & C.MQCBDO_STOP_CALL:
                    _call(connection, consumer, C.MQCBCT_STOP_CALL)
        connection.consuming = connection.suspended = False
        _end_searches(connection)
    elif operation in (C.MQOP_SUSPEND, C.MQOP_RESUME):
        if not connection.consuming:
            raise mq_error(C.MQRC_OPERATION_NOT_ALLOWED, core.qmgr_name, "the consumers are not started")
        connection.suspended = operation == C.MQOP_SUSPEND
        _end_searches(connection)
        for consumer in connection.consumers.values():
            _watch(core, connection, consumer)
    else:
        raise mq_error(C.MQRC_OPERATION_ERROR, core.qmgr_name, f"operation {operation:#x} is not one of MQCTL")
    core.woken.add(connection.wake)


def _call(connection: Connection, consumer: Consumer, call_type: int, reason: int = C.MQRC_NONE) -> None:
    """Have the binding call the function without a message."""
    connection.calls.append(_event(consumer, call_type, reason))


def _event(consumer: Consumer, call_type: int, reason: int) -> Delivery:
    cbc = MQCBC(CallType=call_type, Hobj=consumer.handle.hobj if consumer.handle else 0)
    if reason:
        cbc.CompCode = C.MQCC_WARNING if reason == C.MQRC_GET_ENABLED else C.MQCC_FAILED
        cbc.Reason = reason
    if consumer.suspended:
        cbc.State = C.MQCS_SUSPENDED
    elif consumer.inhibited:
        cbc.State = C.MQCS_SUSPENDED_TEMPORARY
    return Delivery(consumer, cbc, area=consumer.area)


def next_delivery(core: Core, connection: Connection, pack: PackDelivery | None = None) -> Delivery | None:
    """The next call to make for this connection, or None until `wake` is called.

    A search that takes more than a slice is the work of one call; the connection is woken to go on with it.
    """
    if connection.calls:
        return connection.calls.popleft()
    if not connection.consuming or connection.suspended:
        return None
    # In turn: the consumer that is served goes to the end
    for hobj in list(connection.consumers):
        consumer = connection.consumers[hobj]
        if consumer.suspended:
            continue
        delivery = _try(core, connection, consumer, pack)
        if delivery is not None:
            if hobj in connection.consumers:
                connection.consumers[hobj] = connection.consumers.pop(hobj)
            if isinstance(delivery, Delivery):
                return delivery
            core.turns.add(Again(core, connection))
            return None
    return None


@dataclass(frozen=True)
class Again:
    """The connection is to ask again for its next delivery, when others had their turn."""

    core: Core
    connection: Connection

    def go_on(self) -> bool:
        self.core.woken.add(self.connection.wake)
        return False

    def fail(self, error: MQError) -> None:
        """Nothing in it can fail."""


def _try(
    core: Core, connection: Connection, consumer: Consumer, pack: PackDelivery | None
) -> Delivery | taking.Unfinished | None:
    handle = consumer.handle
    assert handle is not None and handle.queue is not None
    if consumer.inhibited:
        if getting.get_inhibited(handle, handle.queue):
            return None
        consumer.inhibited = False
        return _event(consumer, C.MQCBCT_EVENT_CALL, C.MQRC_GET_ENABLED)
    md, gmo = consumer.md.copy(), consumer.gmo.copy()
    gmo.Options &= ~C.MQGMO_WAIT
    if consumer.browsed and gmo.Options & C.MQGMO_BROWSE_FIRST:
        gmo.Options = gmo.Options & ~C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT
    browsing = bool(gmo.Options & _BROWSE)
    made: list[Delivery] = []

    def make(hobj: int, md: MQMD, gmo: MQGMO, got: Got) -> bytes:
        gmo.Options = consumer.gmo.Options  # it sees them as it gave them
        delivery = _with_message(consumer, hobj, md, gmo, got, browsing=browsing)
        if pack is not None:
            delivery.packed = pack(delivery)
        made[:] = [delivery]
        return b""

    try:
        got = getting.get_if_found(core, connection, handle, md, gmo, consumer.max_length, consumer.search, make)
    except MQError as error:
        _end_search(consumer)
        if error.reason == C.MQRC_NO_MSG_AVAILABLE:
            return None
        # The consumer cannot go on and is told why; the event handler hears only of what concerns all of them
        if error.reason == C.MQRC_GET_INHIBITED:
            consumer.inhibited = True  # until gets are allowed again
        else:
            consumer.suspended = True
        return _event(consumer, C.MQCBCT_EVENT_CALL, error.reason)
    if not isinstance(got, Got):
        consumer.looks, consumer.search = True, got if isinstance(got, Search) else None
        return taking.UNFINISHED
    _end_search(consumer)
    delivery = made[0]
    delivery.lsn = got.lsn
    consumer.idle_since = core.clock.monotonic()
    consumer.browsed = browsing
    if delivery.cbc.State == C.MQCS_SUSPENDED_USER_ACTION:
        consumer.suspended = True  # else the same message would come for ever
    return delivery


def _with_message(consumer: Consumer, hobj: int, md: MQMD, gmo: MQGMO, got: Got, *, browsing: bool) -> Delivery:
    removed = not browsing and got.reason != C.MQRC_TRUNCATED_MSG_FAILED
    cbc = MQCBC(
        CallType=C.MQCBCT_MSG_REMOVED if removed else C.MQCBCT_MSG_NOT_REMOVED,
        Hobj=hobj, CompCode=got.comp_code, Reason=got.reason, DataLength=got.length, BufferLength=len(got.data),
    )  # fmt: skip
    if not removed and not browsing:
        cbc.State = C.MQCS_SUSPENDED_USER_ACTION
    return Delivery(consumer, cbc, md, gmo, got.data, consumer.area)


def _end_search(consumer: Consumer) -> None:
    if consumer.search is not None:
        consumer.search.end()
    consumer.looks, consumer.search = False, None


def _end_searches(connection: Connection) -> None:
    for consumer in connection.consumers.values():
        _end_search(consumer)


def message_arrived(core: Core, queue: QueueState) -> None:
    """Messages became available: wake the connections that consume from the queue."""
    for handle in queue.consumed:
        if handle.connection.consuming:
            core.woken.add(handle.connection.wake)


def definition_changed(core: Core, definition: MQObject | None) -> None:
    """Gets may have been inhibited or allowed again, on a queue or for those who opened an alias."""
    if isinstance(definition, LocalQueue) and definition.name in core.queues:
        message_arrived(core, core.queues[definition.name])
    elif isinstance(definition, AliasQueue):
        for handle in core.alias_handles.get(definition.name, ()):
            if handle.connection.consuming and handle.hobj in handle.connection.consumers:
                core.woken.add(handle.connection.wake)


# A consumer whose wait interval runs out without a message is told so with an event call. Messages come often, so they
# move only `idle_since`: what is on the clock then comes too early, and is put on it again


def _watch(core: Core, connection: Connection, consumer: Consumer) -> None:
    """It may have begun to wait: have its time on the clock."""
    if consumer.deadline is None and _waits(connection, consumer):
        look = partial(_look, core, connection, consumer)
        consumer.deadline = core.wait_clock.add(_idle_until(consumer), look)


def _look(core: Core, connection: Connection, consumer: Consumer) -> None:
    """Has it been idle for its wait interval?"""
    consumer.deadline = None
    now = core.clock.monotonic()
    if consumer.looks:
        consumer.idle_since = now
    if _waits(connection, consumer) and now >= _idle_until(consumer):
        consumer.idle_since = now
        _call(connection, consumer, C.MQCBCT_EVENT_CALL, C.MQRC_NO_MSG_AVAILABLE)
        core.woken.add(connection.wake)
    _watch(core, connection, consumer)


def _stop_watching(core: Core, consumer: Consumer) -> None:
    _end_search(consumer)
    if consumer.deadline is not None:
        core.wait_clock.cancel(consumer.deadline)
        consumer.deadline = None


def _waits(connection: Connection, consumer: Consumer) -> bool:
    """Is it to be told when no message comes? An interval of 0 is no wait: it would be told without end."""
    return (
        connection.consuming
        and not connection.suspended
        and not consumer.suspended
        and bool(consumer.gmo.Options & C.MQGMO_WAIT)
        and consumer.gmo.WaitInterval > 0
    )


def _idle_until(consumer: Consumer) -> float:
    return consumer.idle_since + consumer.gmo.WaitInterval / 1000


def forget(core: Core, connection: Connection, handle: ObjectHandle) -> None:
    """The handle is being closed: its consumer goes with it."""
    consumer = connection.consumers.pop(handle.hobj, None)
    if handle.queue is not None:
        handle.queue.consumed.discard(handle)
    if consumer is None:
        return
    _stop_watching(core, consumer)
    if consumer.options & C.MQCBDO_DEREGISTER_CALL:
        _call(connection, consumer, C.MQCBCT_DEREGISTER_CALL)
        core.woken.add(connection.wake)


def end(core: Core, connection: Connection) -> None:
    """The connection ends: no more deliveries."""
    connection.consuming = False
    _end_searches(connection)
    core.woken.add(connection.wake)
