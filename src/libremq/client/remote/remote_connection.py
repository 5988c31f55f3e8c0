"""One connection to a queue manager in another process: the MQI over a socket, local or TCP.

A call is sent and its reply waited for. Three things are not one call, one reply: puts with MQPMO_ASYNC_RESPONSE, which
nobody waits for; batches, which are one request and many messages; and consumers, whose calls come by themselves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from libremq.client.remote import read_ahead
from libremq.client.remote import remote_calls as rc
from libremq.client.remote import remote_greeting as greeting
from libremq.client.remote.read_ahead import ReadAhead, not_persistent
from libremq.client.remote.received_bytes import got_message, in_structures, one_of_many
from libremq.client.remote.remote_branches import RemoteBranches
from libremq.client.remote.remote_consumers import RemoteConsumers
from libremq.client.remote.remote_link import RemoteLink, Slot
from libremq.client.remote.remote_message_handles import RemoteMessageHandles
from libremq.client.remote.remote_puts import RemotePuts
from libremq.client.remote.request_bytes import GetBytes, Requests, batch_request
from libremq.client.urls import ClientAddress
from libremq.host.binding import GetCall, GotItem, Received
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQRR, MQSTS
from libremq.wire import calls, session_flows
from libremq.wire.extensions import read_responses
from libremq.wire.messages import pack_notification
from libremq.wire.protocol import Notice, Type
from libremq.wire.segments import Flow, frame

_ASYNC_MESSAGE = int(Type.ASYNC_MESSAGE)
_SILENCE_S = 0.02


class RemoteConnection(RemoteMessageHandles, RemoteConsumers, RemoteBranches, RemotePuts):
    """hconn. Threads may share it; a call runs at a time."""

    def __init__(self, link: RemoteLink, slot: Slot, user: str, application: str, *, commands: bool = False) -> None:
        self._link = link
        self._slot = slot
        self._lock = threading.RLock()
        self._connected = False
        self._late: BaseException | None = None
        self._requests = Requests()
        self._read_ahead: dict[int, ReadAhead] = {}
        self._responses: dict[int, list[MQRR]] = {}
        self._opened: set[int] = set()  # handles, but for those of distribution lists
        self._unanswered: set[int] = set()  # handles of queues with DEFPRESP(ASYNC)
        self._open_async = False  # puts were sent whose outcome nobody knows
        self._untold: MQSTS | None = None  # what became of such puts, for the next MQSTAT
        self._waiting = 0  # the handle whose get waits, in some thread
        self._closing: list[int] = []  # handles that threads are about to close; 0 for all
        self._connect(user, application, commands)
        RemoteMessageHandles.__init__(self, self.hconn)
        RemoteConsumers.__init__(self)

    def _connect(self, user: str, application: str, commands: bool) -> None:
        link, slot, address = self._link, self._slot, self._link.address
        request = greeting.connect_request(address, slot.number, user, application, commands=commands)
        flow = link.exchange(slot, request, time.monotonic() + max(address.connect_timeout_s, 1))
        api = rc.outcome(flow, Type.MQCONN, self._words())
        self.hconn = api.hobj
        answer = session_flows.unpack_connect(flow.body, calls.API_BYTES, big_endian=flow.big_endian)
        self._name = answer.queue_manager
        self._connected = True

    @property
    def qmgr_name(self) -> str:
        return self._name

    @property
    def connected(self) -> bool:
        return self._connected and self._link.broken is None

    # For a connection that takes the place of another one: see `reconnect`

    @property
    def lost(self) -> bool:
        """Is the line broken, and not ended by this program?"""
        broken = self._link.broken
        return broken is not None and broken.reason != C.MQRC_HCONN_ERROR

    @property
    def why(self) -> str:
        """What broke the line."""
        return self._link.broken.detail if self._link.broken is not None else ""

    @property
    def where(self) -> str:
        return self._link.where

    @property
    def address(self) -> ClientAddress:
        return self._link.address

    @property
    def link(self) -> RemoteLink:
        return self._link

    def broken_by(self, error: MQError) -> bool:
        """Does this error say that the line is broken, and not what the queue manager has answered?"""
        broken = self._link.broken
        return self.lost and broken is not None and (error.reason, error.detail) == (broken.reason, broken.detail)

    def look(self, silence_s: float = _SILENCE_S) -> None:
        """After some silence: is the line still there? What is not sent is not in doubt."""
        link = self._link
        if link.broken is None and time.monotonic() - link.spoke >= silence_s:
            link.tick()

    def let_go(self) -> None:
        """Nobody uses it any more, and there is nothing to say to the queue manager."""
        self._link.end_slot(self._slot)

    def take_over(self, lost: RemoteConnection) -> None:
        """Message handles belong to the program, and so does an interrupt that it has not heard of."""
        self._message_handles = lost._message_handles
        self._late, lost._late = lost._late, None

    def take_over_read_ahead(self, hobj: int, lost: RemoteConnection, lost_hobj: int) -> None:
        """Messages that were read ahead are off their queue, but for those that went back with a unit of work."""
        ahead = lost._read_ahead.pop(lost_hobj, None)
        if ahead is not None and hobj in self._read_ahead:
            ahead.outlive()
            self._read_ahead[hobj] = ahead

    # Calls

    def _words(self) -> tuple[str, str] | None:
        words, self._slot.explanation = self._slot.explanation, None
        return words

    def _check(self) -> None:
        if self._late is not None:
            late, self._late = self._late, None
            raise late
        self._check_connected()
        if self._consuming:
            self._check_thread()

    def _check_connected(self) -> None:
        if not self._connected:
            raise mq_error(C.MQRC_HCONN_ERROR, self._name, "the connection is not open, or was ended")

    def _deadline(self, wait_ms: int = 0) -> float | None:
        timeout = self._link.address.call_timeout_s
        return time.monotonic() + timeout + wait_ms / 1000 if timeout and wait_ms >= 0 else None

    def _call(self, kind: int, body: bytes) -> Any:
        """One call; the reply after the check that it succeeded is for the caller to read."""
        return self._link.call(self._slot, kind, body, self._deadline())

    def _plain(self, kind: int, body: bytes) -> calls.Api:
        with self._lock:
            self._check()
            return rc.outcome(self._call(kind, body), kind, self._words())

    def _extension(
        self, name: str, value: dict[str, Any], blob: bytes = b"", hobj: int = 0
    ) -> tuple[dict[str, Any], bytes, int]:
        with self._lock:
            self._check()
            return self._extension_unchecked(calls.pack_extension(name, value, blob, hobj=hobj))

    def _extension_unchecked(self, body: bytes) -> tuple[dict[str, Any], bytes, int]:
        flow = self._call(Type.EXTENSION, body)
        api = rc.outcome(flow, Type.EXTENSION, self._words())
        answer, rest = calls.unpack_extension(flow.body)
        return answer, rest, api.reason

    def command(self, call: str, /, **value: object) -> Any:
        """A command of administration."""
        answer = self._extension(call, value)[0]
        if answer.get("call") != call:
            raise mq_error(C.MQRC_CONNECTION_BROKEN, self._name, f"the reply to {call} is that to another call")
        return answer.get("result")

    def _end_wait(self, hobj: int, reason: int) -> None:
        """A handle, or with hobj 0 each, is about to be closed: a get of another thread must not hold that up."""
        if self._waiting and hobj in (0, self._waiting):
            notice = pack_notification(self._waiting, Notice.CANCEL_GET, reason)
            self._link.send(frame(Type.NOTIFICATION, notice, self._slot.number))

    @contextmanager
    def _ending_wait(self, hobj: int, reason: int) -> Iterator[None]:
        """`_end_wait`, also for a get that is just about to wait."""
        self._closing.append(hobj)
        try:
            self._end_wait(hobj, reason)
            yield
        finally:
            self._closing.remove(hobj)

    def end_waits(self) -> None:
        self._end_wait(0, C.MQRC_HCONN_ERROR)

    # MQDISC

    def disconnect(self) -> None:
        self._end_wait(0, C.MQRC_HCONN_ERROR)
        self._finish_consumers()
        with self._ending_wait(0, C.MQRC_HCONN_ERROR), self._lock:
            self._check_connected()
            self._connected = False
            try:
                rc.outcome(self._call(Type.MQDISC, calls.pack_api(0, 0, 0)), Type.MQDISC, self._words())
            finally:
                self._link.end_slot(self._slot)
        self._join()

    # Objects

    def open(self, od: MQOD, options: int, records: Sequence[MQOR] = ()) -> int:
        body = rc.open_request(od, options, records)
        with self._lock:
            self._check()
            flow = self._call(Type.MQOPEN, body)
            hobj, responses = rc.open_reply(flow, od, self._words())
            if records:
                self._responses[hobj] = responses
                return hobj
            self._opened.add(hobj)
            response, default = rc.open_defaults(flow)
            if response == C.MQPRT_ASYNC_RESPONSE:
                self._unanswered.add(hobj)
            ahead = read_ahead.for_handle(options, default)
            if ahead is not None:
                self._read_ahead[hobj] = ahead
            return hobj

    def responses(self, hobj: int) -> list[MQRR]:
        rc.check_handle(hobj)
        return read_responses(self._extension("responses", {}, hobj=hobj)[0])

    def close(self, hobj: int, options: int = C.MQCO_NONE) -> int:
        body = rc.close_request(hobj, options)
        with self._ending_wait(hobj, C.MQRC_HOBJ_ERROR), self._lock:
            self._check()
            ahead = self._read_ahead.get(hobj)
            if ahead is not None and ahead.messages and not ahead.browses and options & C.MQCO_QUIESCE:
                return C.MQRC_READ_AHEAD_MSGS
            reason = rc.outcome(self._call(Type.MQCLOSE, body), Type.MQCLOSE, self._words()).reason
            self._opened.discard(hobj)
            self._unanswered.discard(hobj)
            self._read_ahead.pop(hobj, None)
            self._forget_consumer(hobj)
            return reason

    def inquire(self, hobj: int, selectors: Sequence[int]) -> tuple[list[int | str], int]:
        body = rc.inquire_request(hobj, selectors)
        with self._lock:
            self._check()
            return rc.inquire_reply(self._call(Type.MQINQ, body), self._words())

    def set(self, hobj: int, values: Mapping[int, int | str]) -> None:
        self._plain(Type.MQSET, rc.set_request(hobj, values))

    def status(self, kind: int, sts: MQSTS) -> None:
        body = rc.status_request(kind, sts)
        with self._lock:
            self._check()
            self._open_async = False
            rc.status_reply(self._call(Type.MQSTAT, body), sts, self._words())
            if self._untold is not None and kind == C.MQSTAT_TYPE_ASYNC_ERROR:
                rc.add_status(sts, self._untold)
                self._untold = None

    # Getting: puts are in RemotePuts

    def get(self, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None = None) -> Got:
        """MQGET. Interrupted while it waits, either the message is returned or it stays on the queue."""
        if self._read_ahead:
            ahead = self._read_ahead.get(hobj)
            if ahead is not None and ahead.is_for(gmo):
                with self._lock:
                    if self._fill_ahead(ahead, hobj, md, gmo):
                        return ahead.take(self._message_handles, md, gmo, buffer_length)
        number = self._slot.number
        request = self._requests.get(self, number, hobj, md, gmo, buffer_length)
        if request is None:
            body = rc.get_request(self._message_handles, hobj, md, gmo, buffer_length)
            request = frame(Type.MQGET, body, number)
        wait_ms = gmo.WaitInterval if gmo.Options & C.MQGMO_WAIT else 0
        with self._lock:
            self._check()
            return rc.get_reply(
                self._message_handles, self._get_flow(hobj, request, wait_ms), md, gmo, self._words()
            )  # fmt: skip

    def get_message(
        self, hobj: int, get: GetCall, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Received:
        if self._read_ahead:
            ahead = self._read_ahead.get(hobj)
            if ahead is not None and ahead.is_for(get.gmo):
                return self._message_ahead(ahead, hobj, get, message_id, correlation_id)
        return self._message_now(hobj, get, message_id, correlation_id)

    def _message_now(self, hobj: int, get: GetCall, message_id: bytes | None, correlation_id: bytes | None) -> Received:
        made: GetBytes | None = get.made
        if made is None or not made.is_for(self, hobj):
            made = get.made = GetBytes(self, self._slot.number, hobj, get)
        request = made.request(message_id, correlation_id)
        handles = self._message_handles
        if made.with_handle:
            handles.get(get.gmo.MsgHandle)
        with self._lock:
            self._check()
            flow = self._get_flow(hobj, request, made.wait_ms)
            words = self._words()
            found = got_message(flow, words) if not made.with_handle else None
            if found is not None:
                return found
            hmsg = self.receiving_handle()
            md, gmo = get.structures(message_id, correlation_id, hmsg)
            got = rc.get_reply(handles, flow, md, gmo, words)
            properties = self.properties(gmo.MsgHandle) if gmo.MsgHandle else {}
            if get.brings_properties:
                del gmo.MsgHandle
            return GotItem(md, gmo, got, properties)

    def _get_flow(self, hobj: int, request: bytes, wait_ms: int) -> Flow:
        if wait_ms:
            return self._get_waiting(hobj, request, self._deadline(wait_ms))
        return self._link.exchange(self._slot, request, self._deadline())

    def _get_waiting(self, hobj: int, request: bytes, deadline: float | None) -> Flow:
        """Wait for the reply to a get. An interrupt cancels it; if a message came first, the next call hears of it."""
        link, slot = self._link, self._slot
        slot.interrupted = False
        try:
            self._waiting = hobj
            link.send(request)
            if hobj in self._closing or 0 in self._closing:  # by somebody who may have seen no get that waits
                self._end_wait(hobj, C.MQRC_HOBJ_ERROR)
            return link.receive(slot, deadline)
        except MQError:
            raise
        except BaseException as interruption:
            if link.broken is not None:
                raise
            if not slot.interrupted:
                link._break("a get was interrupted as it began or ended")
                raise
            link.send(frame(Type.NOTIFICATION, pack_notification(0, Notice.CANCEL_GET, 0), slot.number))
            flow = link.receive(slot, time.monotonic() + 30)
            if calls.unpack_api(flow.body).comp_code == C.MQCC_FAILED:
                self._words()
                raise
            self._late = interruption
            return flow
        finally:
            self._waiting = 0

    # Several messages in one go

    def get_many(self, hobj: int, md: MQMD, gmo: MQGMO, count: int) -> list[GotItem]:
        request = batch_request(self._slot.number, hobj, md, gmo, count)
        with self._lock:
            self._check()
            found = self._batch(request, gmo)
        return [in_structures(rc.arrived(flow)) for flow in found]

    def get_messages(
        self, hobj: int, get: GetCall, count: int, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> list[Received]:
        made: GetBytes | None = get.made
        if made is None or not made.is_for(self, hobj):
            made = get.made = GetBytes(self, self._slot.number, hobj, get)
        request = made.batch(count, message_id, correlation_id)
        with self._lock:
            self._check()
            found = self._batch(request, get.gmo)
        return [one_of_many(flow) for flow in found]

    def _batch(self, request: bytes, gmo: MQGMO) -> list[Flow]:
        """The messages, as they came."""
        link, slot = self._link, self._slot
        replies = slot.replies
        link.send(request)
        found: list[Flow] = []
        deadline = self._deadline(gmo.WaitInterval if gmo.Options & C.MQGMO_WAIT else 0)
        try:
            while True:
                flow = link.receive(slot, deadline)
                while flow.kind == _ASYNC_MESSAGE:
                    found.append(flow)
                    if not replies:
                        break
                    flow = replies.popleft()
                else:
                    rc.batch_end(flow, self._words())
                    return found
        except MQError:
            if link.broken is None or gmo.Options & C.MQGMO_SYNCPOINT:
                raise
            # What came is off its queue, but for what a lost unit of work has put back
            if gmo.Options & C.MQGMO_SYNCPOINT_IF_PERSISTENT:
                found = not_persistent(found)
            if not found:
                raise
            return found
        except BaseException:
            # Interrupted: what came, and what is still on its way, must not be lost without a word
            if link.broken is None:
                link.send(frame(Type.NOTIFICATION, pack_notification(0, Notice.CANCEL_GET, 0), slot.number))
                link._break("a batch of messages was interrupted")
            raise

    # Read ahead

    def _message_ahead(
        self, ahead: ReadAhead, hobj: int, get: GetCall, message_id: bytes | None, correlation_id: bytes | None
    ) -> Received:
        if get.max_length is not None or not get.brings_properties:
            return super().get_message(hobj, get, message_id, correlation_id)
        md, gmo = get.structures(message_id, correlation_id, C.MQHM_NONE)
        with self._lock:
            if self._fill_ahead(ahead, hobj, md, gmo):
                return one_of_many(ahead.messages.popleft())
        return self._message_now(hobj, get, message_id, correlation_id)

    def _fill_ahead(self, ahead: ReadAhead, hobj: int, md: MQMD, gmo: MQGMO) -> bool:
        """See that there is a message; False if an ordinary get has to wait for it."""
        self._check()
        if ahead.messages:
            ahead.check(md, gmo)
            return True
        try:
            ahead.messages.extend(self._batch(ahead.request(self._slot.number, hobj, md, gmo), gmo))
        except MQError as error:
            if ahead.waits_alone(gmo, error.reason):
                return False
            raise
        return True

    # Units of work

    def begin(self) -> int:
        return self._extension("begin", {})[2]

    def commit(self) -> None:
        self._plain(Type.MQCMIT, calls.pack_api(0, 0, 0))

    def backout(self) -> None:
        self._plain(Type.MQBACK, calls.pack_api(0, 0, 0))

    # Consumers: see RemoteConsumers

    def callback(
        self,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any] | None,
        hobj: int = 0,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
        area: object = None,
    ) -> None:
        """MQCB. The function is called as function(md, gmo, data, cbc) from the connection's own thread."""
        self._register(operation, cbd, function, hobj, md or MQMD(), gmo or MQGMO(), area)

    def control(self, operation: int) -> None:
        """MQCTL. MQOP_START_WAIT calls the consumers in this thread until one of them stops the connection."""
        self._control(operation)
