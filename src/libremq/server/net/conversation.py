"""One connection of an application over a socket: its calls become verbs of the kernel, in their order.

A call that takes long (a command, the check of a password) is done by another thread; what the conversation sends
meanwhile waits its turn. A get that waits is a waiter in the kernel; its reply follows when it is served. All methods
run in the loop's thread, under the kernel's lock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from libremq.admin.command import Issuer
from libremq.common.messages.amq_messages import amq
from libremq.common.messages.spoken_of import speak_of
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.server.admission.admission_decision import Admitted
from libremq.server.net import deliveries, foreign_clients, known_calls, mqconn, object_calls, put_calls
from libremq.server.net.served_link import UNKNOWN_BYTES
from libremq.server.net.unfinished_flows import relieve
from libremq.wire import calls, session_flows, xa_flows
from libremq.wire.messages import NEXT_CALL, Request, is_next_call, unpack_notification, unpack_request
from libremq.wire.protocol import REPLY, Notice, ProtocolError, Status, Type
from libremq.wire.segments import TSHM_BYTES, Flow, frame, frame_plain

if TYPE_CHECKING:
    from libremq.server.net.client_link import Link
    from libremq.server.net.event_loop import EventLoop

BACKLOG_MAX = 10_000
"""Calls that wait for the one before. Many tasks of one program may put while another one's get waits."""
_FLOW_BYTES = 512
"""What a call takes beyond its body while it waits."""

_REASON_MAX = 0xFFFF
_NO_APPLICATIONS = frozenset({C.MQAT_QMGR, C.MQAT_QMGR_PUBLISH, C.MQAT_DQM, C.MQAT_CHANNEL_INITIATOR})
_NOTHING_RECEIVED = Properties()
"""Stands in a handle until a get puts properties there."""


def _connect_options(asked: session_flows.Connect) -> int:
    """MQCNO options as far as they are told: clients of ours say only whether they reconnect."""
    return asked.connect_options or (C.MQCNO_RECONNECT if asked.reconnectable else C.MQCNO_NONE)


class Conversation:
    """An hconn at the other end of a socket."""

    __slots__ = (
        "_backlog", "_busy", "_cut", "_gone", "_privilege_of", "_scratch", "_waiting", "batch",
        "commands", "connection", "consumer_handles", "credentials", "event_loop", "get_flow", "hconn", "link",
        "manager", "number", "ready", "reconnectable", "selections", "sent", "user",
    )  # fmt: skip

    def __init__(self, link: Link, number: int) -> None:
        self.link = link
        self.event_loop: EventLoop = link.event_loop
        self.manager = link.event_loop.manager
        self.number = number
        self.hconn = 0
        self.connection: Connection | None = None
        self.user = ""
        self._privilege_of: str | None = None
        self.commands = False  # no connection of an application
        self.reconnectable = False
        self.ready = False  # a consumer may be called
        self.selections: dict[int, Request] = {}  # by hobj: what requests without one go by; of other products' clients
        self.sent = 0  # messages without a call, for their index
        self.batch: deliveries.Batch | None = None  # the one whose first message is waited for
        self.consumer_handles: dict[int, int] = {}  # message handles of consumers, by hobj
        self.get_flow: Flow | None = None  # the MQGET that waits
        self._backlog: deque[Flow] = deque()
        self._busy = False
        self._cut = False  # the get that waits has less room than it asked for, because of the channel
        self._gone = False
        self.credentials: tuple[str, str] | None = None  # user id and password, until MQCONN
        self._scratch = 0  # the message handle that gets use
        self._waiting: Waiter | None = None

    @property
    def waits(self) -> bool:
        """Does a get wait?"""
        return self._waiting is not None

    @property
    def is_busy(self) -> bool:
        """Is a call under way? A get that waits does not count: it is told."""
        return self._busy or bool(self._backlog)

    @property
    def takes_known(self) -> bool:
        """May a call be run at once, without being taken apart?"""
        return self.hconn != 0 and not (self._busy or self.get_flow or self.batch or self._backlog)

    @property
    def has_call(self) -> bool:
        """Is a call under way, be it a get that waits, or may a consumer be called?"""
        consuming = self.connection is not None and self.connection.consuming
        return self.is_busy or self.waits or self.get_flow is not None or self.batch is not None or consuming

    @property
    def is_gone(self) -> bool:
        """Does nobody wait for what is done for it?"""
        return self._gone

    @property
    def privileged(self) -> bool:
        """May it do everything, still? Who is no longer in mqm may not."""
        if self.connection is not None:
            return self.connection.privileged
        return self._privilege_of is not None and self.event_loop.admission.is_privileged(self._privilege_of)

    @property
    def connected(self) -> bool:
        return self.hconn != 0 or self.commands

    # Calls

    def take(self, flow: Flow) -> None:
        if flow.kind == Type.NOTIFICATION:
            self._notified(flow)
            return
        if self._busy or self.get_flow is not None or self.batch is not None or self._backlog:
            if flow.kind == Type.REQUEST_MSGS and not self._busy and is_next_call(flow.body, flow.big_endian):
                pass
            elif not self.link.known and self.link.backlog_bytes + flow.length > UNKNOWN_BYTES:
                raise ProtocolError(Status.PROTOCOL_GENERAL, "calls, and MQCONN was not answered yet")
            elif len(self._backlog) >= BACKLOG_MAX:
                raise ProtocolError(Status.PROTOCOL_GENERAL, f"{BACKLOG_MAX} calls wait for the one before them")
            else:
                self._backlog.append(flow)
                self.link.note_backlog(flow.length + _FLOW_BYTES)
                return
        self._run(flow)

    def _run(self, flow: Flow) -> None:
        handler = _HANDLERS.get(flow.kind)
        if handler is None:
            raise ProtocolError(Status.PROTOCOL_SEGMENT_TYPE, f"there is no call of type {flow.kind:#x}")
        try:
            if not self.hconn and flow.kind not in _BEFORE_CONNECT and not (self.commands and flow.kind in _COMMANDS):
                raise mq_error(C.MQRC_HCONN_ERROR, self.manager.name, "MQCONN comes first")
            handler(self, flow)
        except ProtocolError:
            raise
        except MQError as error:
            if flow.kind < Type.MQCONN:
                # There is no reply that could say it
                raise ProtocolError(Status.PROTOCOL_GENERAL, f"a segment out of turn: {error}") from error
            self.fail(flow, error)

    def go_on(self) -> None:
        """The call that held up the others is done. What is wrong with what follows is this link's business alone."""
        left = self.link.turn_share
        try:
            while self._backlog and not (self._busy or self.get_flow is not None or self.batch is not None):
                if self._gone or self.link.is_full():
                    return
                if not left:
                    self.link.go_on_soon()  # others have their turn
                    return
                left -= 1
                flow = self._backlog.popleft()
                self.link.note_backlog(-flow.length - _FLOW_BYTES)
                self._run(flow)
        except ProtocolError as error:
            self.link.refuse(error.status, error.detail)
        except Exception as error:
            self.link.refuse_unexpected(error)

    def reply(self, flow: Flow, body: bytes) -> None:
        """Answer a call once the log is on disk as far as the connection depends on it."""
        connection = self.connection
        self.answer(flow, body, connection.lsn if connection is not None else 0)

    def answer(self, flow: Flow, body: bytes, lsn: int) -> None:
        link = self.link
        agreed = link.agreed
        assert agreed is not None
        kind = flow.kind + REPLY
        if agreed.sharing:
            if len(body) + TSHM_BYTES <= link.max_segment:
                link.send(frame(kind, body, self.number, flow.request), lsn)
            else:
                link.send(frame(kind, body, self.number, flow.request, max_segment=link.max_segment), lsn)
        else:
            link.send(frame_plain(kind, body, max_segment=link.max_segment), lsn)

    def fail(self, flow: Flow, error: MQError, body: bytes = b"") -> None:
        """Answer with a reason code, and for a LibreMQ client with what it is about.

        `body` is that of a call that fills structures although it fails.
        """
        connection = self.connection
        lsn = connection.lsn if connection is not None else 0
        link = self.link
        if link.ours:
            words = session_flows.pack_explanation(error.object_name, error.detail)
            link.send(link.framed(Type.PING_DATA, words, self.number, flow.request), lsn)
        if body:
            pass
        elif flow.kind >= Type.XA_START and flow.kind <= Type.XA_COMPLETE:
            body = xa_flows.pack_xa(-error.reason if link.ours else xa_flows.return_value(error.reason, error.detail))
        elif flow.kind == Type.MQCONN:
            body = mqconn.refused(flow, error)
        else:
            body = calls.pack_api(error.comp_code, error.reason, calls.unpack_api(flow.body, flow.big_endian).hobj)
        self.answer(flow, body, lsn)

    # Work for another thread

    def elsewhere(self, flow: Flow, work: Callable[[], bytes]) -> None:
        """Have a body made by another thread; what follows waits."""
        self._busy = True
        event_loop = self.event_loop

        def run() -> bytes | MQError:
            try:
                return work()
            except MQError as error:
                return error

        def done(future: Any) -> None:
            try:
                event_loop.loop.call_soon_threadsafe(self._done_elsewhere, flow, future)
            except RuntimeError:
                pass  # the loop was closed

        try:
            event_loop.commands.submit(copy_context().run, run).add_done_callback(done)
        except RuntimeError:
            self._busy = False
            raise mq_error(C.MQRC_Q_MGR_STOPPING, self.manager.name) from None

    def _done_elsewhere(self, flow: Flow, future: Any) -> None:
        self._busy = False
        if self._gone or future.cancelled():
            return
        error = future.exception()
        try:
            with self.event_loop.lock:
                if error is not None:
                    self.event_loop.say(amq(5080, f"{type(error).__name__}: {error}"))
                    raise mq_error(C.MQRC_UNEXPECTED_ERROR, self.manager.name, f"{type(error).__name__}: {error}")
                outcome = future.result()
                if isinstance(outcome, MQError):
                    raise outcome
                self.answer(flow, outcome, 0)
        except MQError as problem:
            self.fail(flow, problem)
        self._resume()

    def hold_up(self) -> None:
        """Something is done elsewhere for the call that runs; what follows waits until `go_on_with`."""
        self._busy = True

    def go_on_with(self, flow: Flow, work: Callable[[], None]) -> None:
        """What the call waited for is there: do the rest of it, answer if that fails, and serve what waited."""
        self._busy = False
        if self._gone:
            return
        speak_of(self.link.peer)
        with self.event_loop.lock:
            try:
                work()
            except MQError as error:
                self.fail(flow, error)
        self._resume()

    def _resume(self) -> None:
        with self.event_loop.lock:
            self.go_on()
        self.link.flush()
        self.event_loop.settle()

    # MQCONN and MQDISC

    def connected_as(self, admitted: Admitted, asked: session_flows.Connect) -> None:
        """MQCONN succeeded as far as admission goes: the kernel's part of it. Under the lock."""
        self.user = admitted.user
        self._privilege_of = (admitted.privilege_of or admitted.user) if admitted.privileged else None
        self.reconnectable = asked.reconnectable
        # What a queue manager says of a message counts for more than what an application does: nobody passes for one
        kind = C.MQAT_USER if asked.application_type in _NO_APPLICATIONS else asked.application_type
        commands_only = bool(asked.options & session_flows.COMMANDS_ONLY) and self.link.ours
        full = self.event_loop.takes_no_more
        if commands_only or full or self.manager.quiescing:
            # First of all: who lacks connect is refused as with a wrong password, and hears nothing else
            self.manager.authority.check(self.issuer(), C.MQOT_Q_MGR, self.manager.name, C.MQAUTH_CONNECT)
        if commands_only:
            self.commands = True
            self.link.let_in()
            return
        if full:
            detail = f"{self.event_loop.limits.connections_max} connections are open"
            raise mq_error(C.MQRC_MAX_CONNS_LIMIT_REACHED, self.manager.name, detail)
        self.hconn = self.manager.connect(
            admitted.user, asked.application, kind, privileged=admitted.privileged,
            trusted=False, privilege_of=self._privilege_of, wake=self._wake, options=_connect_options(asked),
        )  # fmt: skip
        self.connection = self.manager.connection(self.hconn)
        self.event_loop.conversations[self.hconn] = self
        self.link.let_in()

    def issuer(self) -> Issuer:
        """Who gives the commands of this conversation."""
        privileged = self.privileged
        groups = frozenset[str]() if privileged else self.manager.authority.groups_of(self.user)
        application = self.connection.application if self.connection is not None else ""
        return Issuer(self.user, groups, privileged, application=application)

    def disconnected(self) -> None:
        """MQDISC succeeded: nothing is left of the connection but the socket."""
        self.event_loop.conversations.pop(self.hconn, None)
        self.hconn, self.connection, self._scratch = 0, None, 0
        self.commands = False
        self.link.known_calls.forget()
        self.consumer_handles.clear()
        self.selections.clear()

    def lost(self) -> None:
        """The application is gone without a word: back out, close, delete what was temporary."""
        self._gone = True
        self.link.known_calls.forget()
        self.link.note_backlog(-sum(flow.length + _FLOW_BYTES for flow in self._backlog))
        self._backlog.clear()
        self._stop_waiting()
        if self.hconn:
            hconn, self.hconn, self.connection = self.hconn, 0, None
            try:
                self._leave(hconn)
            except MQError as error:
                self.event_loop.say(amq(5079, error))
                self.manager.give_back_later(partial(self._leave, hconn))

    def _leave(self, hconn: int) -> None:
        self.manager.disconnect(hconn, back_out=True)
        self.event_loop.conversations.pop(hconn, None)

    # Messages

    def get(self, flow: Flow) -> None:
        hobj, md, gmo, length = calls.unpack_get(flow.body, flow.big_endian, flow.charset)
        ours = self.link.ours
        if gmo.MsgHandle and ours:
            gmo.MsgHandle = self.scratch()
        any_length = length == calls.ANY_LENGTH and ours
        if length < 0 and not any_length:
            raise mq_error(C.MQRC_BUFFER_LENGTH_ERROR, detail=f"the length of the buffer is {length}")
        self.check_memory()
        limit = self.length_limit(hobj)
        cut = limit is not None and (any_length or length > limit)
        if cut and not any_length and gmo.Options & C.MQGMO_ACCEPT_TRUNCATED_MSG:
            raise self.too_long(length)
        room = limit if cut else None if any_length else length
        result = self.manager.get(self.hconn, hobj, md, gmo, room, self._pack_got)
        if isinstance(result, Waiter):
            self.get_flow, self._cut = flow, cut
            if any_length and not cut and known_calls.may_be_handed_bytes(self, hobj, md, gmo):
                result.pack_plain = self._pack_plain
            self.wait_for(result)
            return
        if cut and result.reason == C.MQRC_TRUNCATED_MSG_FAILED:
            raise self.too_long(result.length)
        if any_length and not cut and not result.reason:
            self.link.known_calls.note_get(self, flow, hobj, gmo, result.reply)
        self.reply(flow, result.reply)

    def check_memory(self) -> None:
        """Before a message is taken: may another one be held for a client?"""
        limit = self.event_loop.limits.buffer_bytes_max
        if self.event_loop.buffered_bytes > limit:
            relieve(self.event_loop)
        if self.event_loop.buffered_bytes > limit:
            raise mq_error(
                C.MQRC_STORAGE_NOT_AVAILABLE, self.manager.name, f"messages on their way hold over {limit} bytes"
            )

    def length_limit(self, hobj: int) -> int | None:
        """The longest message that the channel carries, if the queue may have longer ones."""
        assert self.link.agreed is not None and self.connection is not None
        limit = self.link.agreed.max_message
        handle = self.connection.handles.get(hobj)
        if handle is None or handle.queue is None or handle.queue.definition.maxmsgl <= limit:
            return None
        return limit

    def check_length(self, length: int) -> None:
        assert self.link.agreed is not None
        if length > self.link.agreed.max_message:
            raise self.too_long(length)

    def too_long(self, length: int) -> MQError:
        assert self.link.agreed is not None
        return mq_error(
            C.MQRC_DATA_LENGTH_ERROR, self.link.channel.name if self.link.channel is not None else "",
            f"{length} bytes; the channel carries messages of up to {self.link.agreed.max_message} (MAXMSGL)",
        )  # fmt: skip

    def scratch(self) -> int:
        """A message handle that receives properties on their way to the client; empty, as `properties_in` can tell."""
        assert self.connection is not None
        if not self._scratch:
            self._scratch = self.connection.message_handles.create()
        self.connection.message_handles.get(self._scratch).properties = _NOTHING_RECEIVED
        return self._scratch

    def _pack_got(self, hobj: int, md: MQMD, gmo: MQGMO, got: Got) -> bytes:
        """The reply to an MQGET, made before its message is taken: `md` and `gmo` are as the client will get them."""
        data = got.data
        if gmo.MsgHandle:
            block = self.properties_in(gmo.MsgHandle)
            gmo.MsgHandle = 0 if block is None else 1 + len(block)
            if block:
                data = block + data
        return calls.pack_get_reply(got.comp_code, got.reason, hobj, md, gmo, got.length, data)

    def _pack_plain(self, hobj: int, body: bytes, gmo: MQGMO, data: bytes, properties: bytes) -> bytes:
        """`_pack_got` of a message whose descriptor is there as bytes, and so are its properties."""
        if gmo.MsgHandle:
            gmo.MsgHandle = 1 + len(properties)  # none, and the handle of our client is empty
        return calls.pack_plain_get_reply(hobj, body, gmo, data, properties)

    def properties_in(self, hmsg: int) -> bytes | None:
        """The properties that a get has left in a handle, encoded; None if it left the handle as it was."""
        assert self.connection is not None
        properties = self.connection.message_handles.get(hmsg).properties
        if properties is _NOTHING_RECEIVED:
            return None
        return properties.encode() if properties else b""

    def wait_for(self, waiter: Waiter) -> None:
        """Answer when the waiter is served, or the queue manager's clock has ended its wait."""
        self._waiting = waiter
        waiter.notify = lambda: self.event_loop.completed(self, waiter)

    def _stop_waiting(self) -> None:
        waiter, self._waiting = self._waiting, None
        self.get_flow = self.batch = None
        if waiter is not None:
            waiter.notify = None
            self.manager.cancel(waiter)

    def waited(self, waiter: Waiter) -> None:
        """A waiting get has a result, or an error."""
        if waiter is not self._waiting:
            return
        self._waiting = None
        flow, self.get_flow = self.get_flow, None
        batch, self.batch = self.batch, None
        if batch is not None:
            batch.came(waiter)
        elif flow is not None:
            if waiter.error is not None:
                self.fail(flow, waiter.error)
            elif self._cut and waiter.result is not None and waiter.result.reason == C.MQRC_TRUNCATED_MSG_FAILED:
                self.fail(flow, self.too_long(waiter.result.length))
            else:
                assert waiter.result is not None
                self.reply(flow, waiter.result.reply)
        if self._backlog:
            self.go_on()

    def _notified(self, flow: Flow) -> None:
        notice = unpack_notification(flow.body, flow.big_endian)
        waiter = self._waiting
        if notice.code != Notice.CANCEL_GET or waiter is None or not self.link.ours:
            return
        if notice.value > _REASON_MAX:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"{notice.value} is no reason code")
        if notice.value:
            name = waiter.handle.object_name
            waiter.fail(mq_error(notice.value, name, "the handle was closed while it waited"))
        else:
            self.manager.cancel(waiter)

    def request_messages(self, flow: Flow) -> None:
        request = unpack_request(flow.body, flow.big_endian)
        if not self.link.ours:
            foreign_clients.select_as_before(self, request)
            deliveries.Batch(self, flow, request).begin()
        elif request.flags & NEXT_CALL:
            self.ready = True
            self.deliver()
        else:
            deliveries.Batch(self, flow, request).begin()

    # Consumers

    def _wake(self) -> None:
        self.event_loop.wake(self)

    def deliver(self) -> None:
        """Send the next call to a consumer, if there is one and the client is ready for it."""
        if self.ready and self.hconn and not self.link.is_full():
            deliveries.next_call(self)

    def go_on_sending(self) -> None:
        """The client takes more: the rest of a batch, calls that waited, the next call to a consumer."""
        batch = self.batch
        if batch is not None and self._waiting is None:
            self.batch = None
            batch.go_on()
        self.go_on()
        self.deliver()


_COMMANDS = frozenset({Type.EXTENSION, Type.MQDISC})
_BEFORE_CONNECT = frozenset({Type.MQCONN, Type.CONAUTH_INFO})
_HANDLERS: dict[int, Callable[[Conversation, Flow], None]] = {
    Type.CONAUTH_INFO: mqconn.take_credentials,
    Type.REQUEST_MSGS: Conversation.request_messages,
    Type.MQCONN: mqconn.connect,
    Type.MQDISC: mqconn.disconnect,
    Type.MQOPEN: object_calls.open_object,
    Type.MQCLOSE: object_calls.close,
    Type.MQGET: Conversation.get,
    Type.MQPUT: put_calls.put,
    Type.MQPUT1: put_calls.put1,
    Type.MQSET: object_calls.set_attributes,
    Type.MQINQ: object_calls.inquire,
    Type.MQCMIT: object_calls.commit,
    Type.MQBACK: object_calls.backout,
    Type.MQSTAT: object_calls.status,
    Type.MQSUB: object_calls.not_here,
    Type.MQSUBRQ: object_calls.not_here,
    Type.SPI: object_calls.no_internals,
    Type.XA_COMPLETE: object_calls.no_internals,
    Type.EXTENSION: object_calls.extension,
    **dict.fromkeys(object_calls.XA_VERBS, object_calls.transaction_manager),
    Type.XA_RECOVER: object_calls.transaction_manager,
    Type.XA_OPEN: object_calls.transaction_manager,
    Type.XA_CLOSE: object_calls.transaction_manager,
}
