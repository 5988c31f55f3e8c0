"""One connection to a queue manager in another process, as coroutines: the MQI over a socket.

Requests and replies are those of the blocking client (`client.remote.remote_calls`); here is only the waiting. Calls
need not wait for each other: they are sent as they come, and the queue manager answers them in that order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from libremq.aio.binding import Id, Properties, answered
from libremq.aio.link import PATIENCE_S, Exchange, Link, Slot, Words
from libremq.aio.pending_calls import to_the_end
from libremq.client.remote import remote_calls as rc
from libremq.client.remote import remote_greeting as greeting
from libremq.client.remote.received_bytes import got_message, one_of_many
from libremq.client.remote.request_bytes import GetBytes, PutBytes
from libremq.host.binding import GetCall, GotItem, PutCall, Received, with_ids
from libremq.kernel.properties.given_properties import encoded_properties
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.kernel.properties.property_names import returned_name
from libremq.kernel.properties.property_types import infer_type
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, NoMessageAvailable, mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQMD, MQOD, MQPMO, MQSTS
from libremq.wire import calls, xa_flows
from libremq.wire.messages import pack_notification
from libremq.wire.protocol import Notice, Type
from libremq.wire.segments import Flow, frame

T = TypeVar("T")

_ASYNC_MESSAGE = int(Type.ASYNC_MESSAGE)
_XA_KINDS = {
    "xa_start": Type.XA_START, "xa_end": Type.XA_END, "xa_prepare": Type.XA_PREPARE, "xa_commit": Type.XA_COMMIT,
    "xa_rollback": Type.XA_ROLLBACK, "xa_forget": Type.XA_FORGET,
}  # fmt: skip


class _BatchExchange(Exchange[list[Received]]):
    """One request, many messages, and a notice at their end."""

    __slots__ = ("_found",)

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop, lambda flow, words: [])
        self._found: list[Received] = []

    def take(self, flow: Flow, words: Words) -> bool:
        try:
            if flow.kind == _ASYNC_MESSAGE:
                self._found.append(one_of_many(flow))
                return False
            rc.batch_end(flow, words)
        except MQError as error:
            self.refuse(error)
            return True
        self.succeed(self._found)
        return True


class RemoteConnection:
    """hconn, over a conversation of its own."""

    def __init__(self, link: Link, slot: Slot) -> None:
        self._link = link
        self._slot = slot
        self._connected = False
        self._handles = MessageHandles(0)
        self._waiting: tuple[Exchange[Any], int] | None = None  # the get that waits, and its handle
        self._instead: MQError | None = None  # what that get hears instead of "no message", if it was ended
        self._hmsg = self._handles.create()  # receives properties of messages that are taken apart at once

    @classmethod
    async def connect(
        cls, link: Link, slot: Slot, user: str, application: str, *, commands: bool = False
    ) -> RemoteConnection:
        """MQCONN. If it fails, or is cancelled, the conversation is over."""
        self = cls(link, slot)
        address = link.address
        try:
            request = greeting.connect_request(address, slot.number, user, application, commands=commands)
            call = Exchange(link.loop, lambda flow, words: rc.outcome(flow, Type.MQCONN, words))
            link.begin(slot, call, request)
            link.limit(call, max(address.connect_timeout_s, 1))
            await call.wait()
            call.result()
        except BaseException:
            link.end_slot(slot)
            raise
        self._connected = True
        return self

    @property
    def connected(self) -> bool:
        return self._connected and self._link.broken is None

    # Calls

    async def _ready(self) -> None:
        if not self._connected:
            raise mq_error(C.MQRC_HCONN_ERROR, self._link.address.name, "the connection is not open, or was ended")
        await self._link.writable()

    def _begin(self, call: Exchange[T], data: bytes, wait_ms: int = 0) -> None:
        link = self._link
        link.begin(self._slot, call, data)
        timeout_s = link.address.call_timeout_s
        if timeout_s and wait_ms >= 0:
            link.limit(call, timeout_s + wait_ms / 1000)

    def _frame(self, kind: int, body: bytes, request: int = 0) -> bytes:
        return frame(kind, body, self._slot.number, request, max_segment=self._link.agreed.max_segment)

    async def _run(self, kind: int, body: bytes, read: Callable[[Flow, Words], T]) -> T:
        """A call that changes something: to its end."""
        return await self._exchange(self._frame(kind, body), read)

    async def _exchange(self, request: bytes, read: Callable[[Flow, Words], T]) -> T:
        await self._ready()
        call = Exchange(self._link.loop, read)
        self._begin(call, request)
        return await to_the_end(call, lambda: self._link.limit(call, PATIENCE_S))

    async def _ask(self, kind: int, body: bytes, read: Callable[[Flow, Words], T]) -> T:
        """A call that changes nothing: nobody needs to wait for it who is cancelled."""
        await self._ready()
        call = Exchange(self._link.loop, read)
        self._begin(call, self._frame(kind, body))
        await call.wait()
        return call.result()

    async def _plain(self, kind: int, body: bytes) -> None:
        await self._run(kind, body, lambda flow, words: rc.outcome(flow, kind, words))

    async def command(self, call: str, value: dict[str, Any]) -> Any:
        """A command of administration."""

        def read(flow: Flow, words: Words) -> Any:
            rc.outcome(flow, Type.EXTENSION, words)
            return calls.unpack_extension(flow.body)[0].get("result")

        return await self._run(Type.EXTENSION, calls.pack_extension(call, value), read)

    # MQDISC

    async def disconnect(self) -> None:
        if not self._connected:
            return
        over = mq_error(C.MQRC_HCONN_ERROR, self._link.address.name, "the connection was ended while the get waited")
        self.end_wait(over)
        self._connected = False
        backout: Exchange[None] = Exchange(self._link.loop, lambda flow, words: None)
        call: Exchange[None] = Exchange(self._link.loop, lambda flow, words: None)
        try:
            self._begin(backout, self._frame(Type.MQBACK, calls.pack_api(0, 0, 0)))  # MQDISC alone would commit
            self._begin(call, self._frame(Type.MQDISC, calls.pack_api(0, 0, 0)))
            self._link.limit(call, PATIENCE_S)
            await to_the_end(call)
        except MQError:
            pass  # it is over either way
        finally:
            self._link.end_slot(self._slot)

    def abandon(self) -> None:
        self._connected = False
        self._link.end_slot(self._slot)

    # Objects

    async def open(self, od: MQOD, options: int) -> int:
        return await self._run(
            Type.MQOPEN, rc.open_request(od, options, ()), lambda flow, words: rc.open_reply(flow, od, words)[0]
        )

    async def close(self, hobj: int) -> None:
        self.end_wait(mq_error(C.MQRC_HOBJ_ERROR, detail="the queue was closed while the get waited"), hobj)
        await self._plain(Type.MQCLOSE, calls.pack_close(hobj, C.MQCO_NONE))

    def close_soon(self, hobj: int) -> None:
        if self.connected:
            self.end_wait(mq_error(C.MQRC_HOBJ_ERROR, detail="the queue was closed while the get waited"), hobj)
            call: Exchange[None] = Exchange(self._link.loop, lambda flow, words: None)
            self._begin(call, self._frame(Type.MQCLOSE, calls.pack_close(hobj, C.MQCO_NONE)))

    async def inquire(self, hobj: int, selectors: Sequence[int]) -> list[int | str]:
        body = rc.inquire_request(hobj, selectors)
        return await self._ask(Type.MQINQ, body, lambda flow, words: rc.inquire_reply(flow, words)[0])

    async def set(self, hobj: int, values: Mapping[int, int | str]) -> None:
        await self._plain(Type.MQSET, rc.set_request(hobj, values))

    # Putting

    def _check_length(self, data: bytes) -> None:
        """The channel would be ended for a message that is too long for it."""
        limit = self._link.agreed.max_message
        if len(data) > limit:
            detail = f"the message has {len(data)} bytes; the channel takes {limit} at most (MAXMSGL)"
            raise mq_error(C.MQRC_DATA_LENGTH_ERROR, self._link.address.channel, detail)

    async def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, properties: Properties) -> None:
        self._check_length(data)
        answered(pmo)
        with _Handle(self._handles, pmo, properties):
            body = rc.put_request(self._handles, hobj, md, pmo, data)
        await self._run(Type.MQPUT, body, lambda flow, words: rc.put_reply(flow, md, pmo, words))

    async def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes, properties: Properties) -> None:
        self._check_length(data)
        answered(pmo)
        with _Handle(self._handles, pmo, properties):
            body = rc.put1_request(self._handles, od, md, pmo, data)
        await self._run(Type.MQPUT1, body, lambda flow, words: rc.put1_reply(flow, od, md, pmo, words))

    async def put_message(
        self, hobj: int, put: PutCall, data: bytes, message_id: Id, correlation_id: Id, properties: Properties
    ) -> bytes:
        self._check_length(data)
        made: PutBytes | None = put.made
        if made is None or not made.is_for(self, hobj):
            pmo = put.pmo.copy()
            answered(pmo)
            like = PutCall(put.md, pmo)
            made = put.made = PutBytes(self, self._slot.number, self._link.agreed.max_segment, hobj, like)
        if made.with_handles:
            md, pmo = with_ids(put.md, message_id, correlation_id), put.pmo.copy()
            await self.put(hobj, md, pmo, data, properties)
            return md.MsgId
        encoded = encoded_properties(self._handles, properties) if properties else None
        return await self._exchange(made.request(data, message_id, correlation_id, encoded), rc.put_message_reply)

    async def put_messages(
        self, hobj: int, puts: Sequence[tuple[PutCall, bytes]], message_id: Id, correlation_id: Id
    ) -> list[bytes]:
        """Sent together, answered once. MQError is that of the first that failed; the others are done all the same."""
        parts: list[bytes] = []
        ids: list[bytes] = []
        for put, data in puts:
            self._check_length(data)
            made: PutBytes | None = put.made
            if made is None or not made.is_for(self, hobj):
                made = PutBytes(self, self._slot.number, self._link.agreed.max_segment, hobj, put, many=True)
                put.made = made
            if made.with_handles:
                raise mq_error(C.MQRC_PROPERTY_NOT_AVAILABLE, detail="properties go with `put`, message by message")
            new_id, new_correlation_id = made.new_ids(message_id, correlation_id)
            ids.append(new_id)
            parts.append(made.request(data, new_id, new_correlation_id))
        sts = MQSTS()
        parts.append(self._frame(Type.MQSTAT, rc.status_request(C.MQSTAT_TYPE_ASYNC_ERROR, sts)))

        def read(flow: Flow, words: Words) -> None:
            rc.status_reply(flow, sts, words)
            if sts.CompCode == C.MQCC_FAILED:
                detail = f"{sts.PutFailureCount} of {len(ids)} messages could not be put"
                raise mq_error(sts.Reason, sts.ObjectName, detail)

        await self._ready()
        call = Exchange(self._link.loop, read)
        self._begin(call, b"".join(parts))
        await to_the_end(call, lambda: self._link.limit(call, PATIENCE_S))
        return ids

    # Getting

    async def get_message(self, hobj: int, get: GetCall, message_id: Id, correlation_id: Id) -> Received:
        """MQGET. Cancelled while it waits, it returns the message or leaves it on the queue."""
        made = self._get_bytes(hobj, get)
        if made.with_handle:
            self._handles.get(get.gmo.MsgHandle)

        def read(flow: Flow, words: Words) -> Received:
            found = None if made.with_handle else got_message(flow, words)
            if found is not None:
                return found
            md, gmo = get.structures(message_id, correlation_id, self._hmsg)
            got = rc.get_reply(self._handles, flow, md, gmo, words)
            item = GotItem(md, gmo, got, self._properties(gmo.MsgHandle))
            if get.brings_properties:
                del gmo.MsgHandle
            return item

        await self._ready()
        call = Exchange(self._link.loop, read)
        return await self._wait_for(call, made.request(message_id, correlation_id), hobj, made.wait_ms)

    def _get_bytes(self, hobj: int, get: GetCall) -> GetBytes:
        made: GetBytes | None = get.made
        if made is None or not made.is_for(self, hobj):
            made = get.made = GetBytes(self, self._slot.number, hobj, get)
        return made

    async def get_messages(
        self, hobj: int, get: GetCall, count: int, message_id: Id, correlation_id: Id
    ) -> Sequence[Received]:
        made = self._get_bytes(hobj, get)
        request = made.batch(count, message_id, correlation_id)
        await self._ready()
        return await self._wait_for(_BatchExchange(self._link.loop), request, hobj, made.wait_ms)

    async def _wait_for(self, call: Exchange[T], data: bytes, hobj: int, wait_ms: int) -> T:
        self._begin(call, data, wait_ms)
        self._instead = None
        self._waiting = (call, hobj)
        try:
            return await to_the_end(call, self._cancel_get)
        except NoMessageAvailable:
            if self._instead is not None:
                raise self._instead from None
            raise
        finally:
            if self._waiting is not None and self._waiting[0] is call:
                self._waiting = None

    def _cancel_get(self) -> None:
        """Ask for the get to end; it is answered all the same, and soon."""
        if self._waiting is not None:
            call, _ = self._waiting
            self._link.write(frame(Type.NOTIFICATION, pack_notification(0, Notice.CANCEL_GET, 0), self._slot.number))
            self._link.limit(call, PATIENCE_S)

    def end_wait(self, error: MQError, hobj: int = 0) -> None:
        if self._waiting is not None and not self._waiting[0].settled and hobj in (0, self._waiting[1]):
            self._instead = error
            self._cancel_get()

    def _properties(self, hmsg: int) -> dict[str, PropertyValue]:
        properties = self._handles.get(hmsg).properties if hmsg else None
        return {returned_name(name): value for name, value in properties.as_dict().items()} if properties else {}

    # Units of work

    async def commit(self) -> None:
        await self._plain(Type.MQCMIT, calls.pack_api(0, 0, 0))

    async def backout(self) -> None:
        await self._plain(Type.MQBACK, calls.pack_api(0, 0, 0))

    async def xa(self, verb: str, xid: bytes, *, one_phase: bool = False) -> None:
        try:
            body = xa_flows.pack_xa(0, xa_flows.TM_ONE_PHASE if one_phase else 0, xa_flows.pack_xid(xid))
        except ValueError as error:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, self._link.address.name, str(error)) from error
        await self._run(_XA_KINDS[verb], body, _xa_outcome)

    async def xa_recover(self) -> list[bytes]:
        body = xa_flows.pack_xa(0, 0, xa_flows.pack_xids([]))
        return await self._ask(
            Type.XA_RECOVER, body, lambda flow, words: xa_flows.unpack_xids(_xa_outcome(flow, words))
        )


def _xa_outcome(flow: Flow, words: Words) -> bytes:
    value, _, rest = xa_flows.unpack_xa(flow.body)
    if value < 0:
        raise mq_error(-value, *(words or ("", "")))
    return rest


class _Handle:
    """A message handle with the properties of one put, for as long as its request is written."""

    __slots__ = ("_handles", "_hmsg", "_pmo", "_properties")

    def __init__(self, handles: MessageHandles, pmo: MQPMO, properties: Properties) -> None:
        self._handles = handles
        self._pmo = pmo
        self._properties = properties
        self._hmsg = 0

    def __enter__(self) -> None:
        if not self._properties:
            return
        self._hmsg = self._handles.create()
        try:
            for name, value in self._properties.items():
                self._handles.set(self._hmsg, None, name, None, infer_type(value), value)
        except BaseException:
            self._handles.delete(self._hmsg)
            raise
        self._pmo.Version = C.MQPMO_VERSION_3
        self._pmo.NewMsgHandle = self._hmsg

    def __exit__(self, *exc: object) -> None:
        if self._hmsg:
            self._pmo.NewMsgHandle = C.MQHM_NONE
            with suppress(MQError):
                self._handles.delete(self._hmsg)
