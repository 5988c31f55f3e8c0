"""A queue of the asyncio API: put, get, iterate, browse, consume, request.

A Queue object opens what it needs when it is needed, and keeps it open until `close` or until nobody holds the object
any more. Any number of tasks may share it.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable
from contextlib import nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from libremq.aio.awaitable_objects import Opening
from libremq.aio.browser import Browser
from libremq.aio.consumer import Consumer
from libremq.aio.descriptions import described_by
from libremq.aio.message import Message
from libremq.aio.pending_calls import raise_put_off
from libremq.aio.sessions import Session, close_quietly
from libremq.aio.transaction import Transaction
from libremq.client import options as opt
from libremq.client import queue as client
from libremq.client.options import REPLY_MODEL, Data, Identifier, Match, PutOptions, Seconds
from libremq.client.queue_target import QueueTarget
from libremq.client.session import Handle
from libremq.host.statistics_snapshot import QueueStatistics
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.errors import NoMessageAvailable, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

if TYPE_CHECKING:
    from libremq.aio.queue_manager import QueueManager

_INPUT = C.MQOO_INPUT_AS_Q_DEF


@described_by(client.Queue)
class Queue(QueueTarget):
    """A queue of a queue manager; made by `QueueManager.queue`."""

    def __init__(
        self,
        manager: QueueManager,
        name: str,
        *,
        manager_name: str = "",
        exclusive: bool | None = None,
        selector: str | None = None,
        open_options: int = 0,
        alternate_user: str = "",
        dynamic_name: str = "AMQ.*",
        dynamic: bool = False,
    ) -> None:
        super().__init__(
            name,
            manager_name=manager_name,
            exclusive=exclusive,
            selector=selector,
            open_options=open_options,
            alternate_user=alternate_user,
            dynamic_name=dynamic_name,
        )
        self._manager = manager
        self._sessions = manager._sessions
        self._pinned = bool(exclusive) or dynamic
        self._opening = asyncio.Lock()  # so that tasks that open a model queue make one dynamic queue, not several
        self._closed = False
        # What this object opened is closed by the next call of anyone once the object is gone
        self._finalizer = weakref.finalize(self, self._sessions.orphans.append, self._serial)
        self._finalizer.atexit = False

    def __repr__(self) -> str:
        return f"<Queue {self._name} of {self._manager.name}{', closed' if self._closed else ''}>"

    # Putting

    async def put(self, data: Data, **options: Unpack[PutOptions]) -> bytes:
        """Cancelled while it is being put, it returns as if it had not been, and the task is cancelled at its next
        await. CancelledError means that nothing was put.
        """
        session = await self._enter(shared=True)
        try:
            handle = await self._handle(session, C.MQOO_OUTPUT)
            put = opt.this_put(handle.calls, self._name, data, options, syncpoint=session.syncpoint)
            return await session.binding.put_message(
                handle.hobj, put.call, put.data, put.message_id, put.correlation_id, options.get("properties")
            )
        finally:
            self._sessions.leave(session)

    async def put_many(self, messages: Iterable[Data], **options: Unpack[PutOptions]) -> list[bytes]:
        payloads = self._several(messages, "a list of messages")
        if options.get("properties"):
            raise bad_value(C.MQRC_PROPERTY_NOT_AVAILABLE, self._name, "properties go with `put`, message by message")
        async with self._in_a_unit():
            session = await self._enter(shared=False)
            try:
                handle = await self._handle(session, C.MQOO_OUTPUT)
                puts, message_id, correlation_id = opt.these_puts(
                    handle.calls, self._name, payloads, options, syncpoint=session.syncpoint
                )
                if not puts:
                    return []
                return await session.binding.put_messages(handle.hobj, puts, message_id, correlation_id)
            finally:
                self._sessions.leave(session)

    async def put_group(self, messages: Iterable[Data], **options: Unpack[PutOptions]) -> bytes:
        payloads = self._several(messages, "a group is a list of messages")
        if not payloads:
            raise bad_value(C.MQRC_INCOMPLETE_GROUP, self._name, "a group has at least one message")
        group_id = b""
        async with self._in_a_unit():
            session = await self._enter(shared=False)
            try:
                hobj = await self._open(session, C.MQOO_OUTPUT)
                try:
                    for index, data in enumerate(payloads):
                        md = opt.descriptor(options.get("md"), self._name)
                        last = index == len(payloads) - 1
                        md.MsgFlags |= C.MQMF_LAST_MSG_IN_GROUP if last else C.MQMF_MSG_IN_GROUP
                        pmo = MQPMO(
                            Version=C.MQPMO_VERSION_3, Options=C.MQPMO_LOGICAL_ORDER | C.MQPMO_FAIL_IF_QUIESCING
                        )
                        own: PutOptions = {**options, "md": md, "pmo": pmo}
                        md, pmo, payload = opt.for_put(self._name, data, own, syncpoint=session.syncpoint)
                        await session.binding.put(hobj, md, pmo, payload, options.get("properties"))
                        group_id = md.GroupId
                finally:
                    await close_quietly(session, hobj)
            finally:
                self._sessions.leave(session)
        return group_id

    # Getting

    async def get(
        self,
        wait: Seconds | None = None,
        *,
        message_id: Identifier | None = None,
        correlation_id: Identifier | None = None,
        group_id: Identifier | None = None,
        convert: bool | int = False,
        max_length: int | None = None,
        truncate: bool = False,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
    ) -> Message:
        """Cancelled while it waits, either you get the message or it stays on the queue: CancelledError means that it
        stays. If the message has come already, it is returned, and the task is cancelled at its next await instead,
        unless the cancellation was taken back by then: `async with asyncio.timeout(5): message = await queue.get(...)`
        has the message although the time is over. Before Python 3.12 `asyncio.wait_for` itself may drop what it waits
        for when it is cancelled: prefer `asyncio.timeout`, or the `wait` of the get.
        """
        if max_length is not None:
            opt.buffer_length(max_length, self._name)
        match: Match = {"message_id": message_id, "correlation_id": correlation_id, "group_id": group_id}
        session = await self._enter(shared=False)
        try:
            handle = await self._handle(session, _INPUT)
            options = C.MQGMO_ACCEPT_TRUNCATED_MSG if truncate else 0
            get = self._this_get(session, handle.calls, options, wait, match, convert, max_length, md, gmo)
            came = await session.binding.get_message(handle.hobj, *get)
        finally:
            self._sessions.leave(session)
        return Message(opt.checked(came, max_length), self._manager)

    def _this_get(
        self,
        session: Session,
        calls: dict[Hashable, Any],
        options: int,
        wait: Seconds | None,
        match: Match,
        convert: bool | int = False,
        max_length: int | None = None,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
    ) -> opt.ThisGet:
        return opt.this_get(
            calls,
            self._name,
            options=options,
            syncpoint=session.syncpoint,
            wait=wait,
            match=match,
            convert=convert,
            max_length=max_length,
            md=md,
            gmo=gmo,
        )

    async def get_many(
        self,
        count: int,
        wait: Seconds | None = None,
        *,
        convert: bool | int = False,
        gmo: MQGMO | None = None,
        **match: Unpack[Match],
    ) -> list[Message]:
        """Cancelled, it returns those that have come or leaves all on the queue, as `get` does."""
        self._check_count(count)
        session = await self._enter(shared=False)
        try:
            handle = await self._handle(session, _INPUT)
            call, message_id, correlation_id = self._this_get(
                session, handle.calls, 0, wait, match, convert, None, None, gmo
            )
            found = await session.binding.get_messages(handle.hobj, call, count, message_id, correlation_id)
        finally:
            self._sessions.leave(session)
        return [Message(came, self._manager) for came in found]

    async def get_or_none(
        self, wait: Seconds | None = None, *, convert: bool | int = False, **match: Unpack[Match]
    ) -> Message | None:
        try:
            return await self.get(wait, convert=convert, **match)
        except NoMessageAvailable:
            return None

    async def get_group(self, wait: Seconds | None = None, *, group_id: Identifier | None = None) -> list[Message]:
        messages: list[Message] = []
        calls: dict[Hashable, object] = {}
        async with self._in_a_unit():
            session = await self._enter(shared=False)
            try:
                hobj = await self._open(session, _INPUT)
                try:
                    while not messages or messages[-1].gmo.GroupStatus == C.MQGS_MSG_IN_GROUP:
                        get = self._this_get(
                            session,
                            calls,
                            C.MQGMO_LOGICAL_ORDER | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_FAIL_IF_QUIESCING,
                            None if messages else wait,
                            {} if messages else {"group_id": group_id},
                        )
                        came = await session.binding.get_message(hobj, *get)
                        messages.append(Message(opt.checked(came, None), self._manager))
                finally:
                    await close_quietly(session, hobj)
            finally:
                self._sessions.leave(session)
        return messages

    async def iterate(
        self, wait: Seconds | None = None, *, convert: bool | int = False, **match: Unpack[Match]
    ) -> AsyncIterator[Message]:
        while (message := await self.get_or_none(wait, convert=convert, **match)) is not None:
            yield message

    def __aiter__(self) -> AsyncIterator[Message]:
        return self.iterate()

    # Looking without taking

    def browse(
        self,
        wait: Seconds | None = None,
        *,
        lock: bool = False,
        mark: bool = False,
        take: bool = False,
        convert: bool | int = False,
        **match: Unpack[Match],
    ) -> Browser:
        """`async for message in queue.browse():`. In a transaction it ends with that."""
        return Browser(self, wait, match, lock=lock, mark=mark, take=take, convert=convert)

    async def depth(self) -> int:
        return int((await self.inquire(C.MQIA_CURRENT_Q_DEPTH))[0])

    async def inquire(self, *what: int | str) -> list[int | str]:
        selectors = [self._selector_of(name) for name in what]
        session = await self._enter(shared=True)
        try:
            return await session.binding.inquire((await self._handle(session, C.MQOO_INQUIRE)).hobj, selectors)
        finally:
            self._sessions.leave(session)

    async def set(self, **attributes: int | str) -> None:
        values = self._values_to_set(attributes)
        session = await self._enter(shared=True)
        try:
            await session.binding.set((await self._handle(session, C.MQOO_SET)).hobj, values)
        finally:
            self._sessions.leave(session)

    async def statistics(self) -> QueueStatistics:
        values = await self.inquire(
            C.MQIA_CURRENT_Q_DEPTH, C.MQIA_MAX_Q_DEPTH, C.MQIA_OPEN_INPUT_COUNT, C.MQIA_OPEN_OUTPUT_COUNT
        )
        depth, depth_max, inputs, outputs = (int(value) for value in values)
        return QueueStatistics(depth, depth_max, inputs, outputs)

    # Requests

    async def request(
        self, data: Data, *, wait: Seconds | None = float("inf"), **options: Unpack[PutOptions]
    ) -> Message:
        self._usable()
        if self._sessions.unit() is not None:
            raise mq_error(
                C.MQRC_UOW_IN_PROGRESS,
                self._name,
                "a request in a transaction is seen by nobody before the commit, so no reply can come; put it before",
            )
        options = {**options, "message_type": C.MQMT_REQUEST}
        reply_to = options.get("reply_to")
        if reply_to is not None:
            name = reply_to if isinstance(reply_to, str) else getattr(reply_to, "name", None)
            if name is None:
                raise wrong_type(C.MQRC_MISSING_REPLY_TO_Q, self._name, f"reply_to is a queue, not {reply_to!r}")
            async with self._manager.queue(name) as replies:
                return await replies.get(wait, correlation_id=await self.put(data, **options))
        if options.get("persistent"):
            raise bad_value(
                C.MQRC_PERSISTENT_NOT_ALLOWED,
                self._name,
                "the reply to a persistent request is persistent, and a temporary queue takes none; give reply_to",
            )
        async with self._manager.dynamic_queue(REPLY_MODEL) as replies:
            options["reply_to"], options["persistent"] = replies.name, False
            return await replies.get(wait, correlation_id=await self.put(data, **options))

    def consume(
        self,
        callback: Callable[[Message], Awaitable[object]],
        *,
        transaction: bool = True,
        on_error: Callable[[BaseException, Message], Awaitable[object] | object] | None = None,
        start: bool = True,
        convert: bool | int = False,
        **match: Unpack[Match],
    ) -> Opening[Consumer]:
        """Have a coroutine function called with every message, in a task of its own: `async with queue.consume(f):`,
        or `consumer = await queue.consume(f)`.
        """
        consumer = Consumer(self, callback, transaction=transaction, on_error=on_error, convert=convert, match=match)
        return Opening(consumer._opened(start=start))

    # Handles

    async def open(self, mode: str = "input") -> None:
        """Open it now for input, output, browse, inquire or set, instead of when it is used.

        With `exclusive=True` nobody else can get from it from now on.
        """
        wanted = self._mode(mode)
        session = await self._enter(shared=wanted not in (_INPUT, C.MQOO_BROWSE))
        try:
            await self._handle(session, wanted)
        finally:
            self._sessions.leave(session)

    def _usable(self) -> None:
        if self._closed:
            raise mq_error(C.MQRC_HOBJ_ERROR, self._name, "this Queue object was closed; make a new one")
        self._sessions.check()

    async def _enter(self, *, shared: bool) -> Session:
        """A connection for one call; to be given back with `Sessions.leave`."""
        self._usable()
        return await self._sessions.enter(self._serial, shared=shared)

    async def _handle(self, session: Session, mode: int) -> Handle:
        key = (self._serial, mode)
        found = session.handles.get(key)
        if found is not None:
            return found
        async with self._opening:
            found = session.handles.get(key)  # another task may have been faster
            if found is not None:
                return found
            hobj = await self._open_alone(session, mode)
            found = session.handles[key] = Handle(hobj, self._name, {})
            if self._pinned and mode == _INPUT:
                session.pins.add(self._serial)
            raise_put_off()
            return found

    async def _open(self, session: Session, mode: int, more: int = 0) -> int:
        """A handle that is not kept; the caller closes it."""
        async with self._opening:
            hobj = await self._open_alone(session, mode, more)
        try:
            raise_put_off()
        except asyncio.CancelledError:
            session.binding.close_soon(hobj)
            raise
        return hobj

    async def _open_alone(self, session: Session, mode: int, more: int = 0) -> int:
        """A model queue makes a dynamic one, and this object stands for that."""
        if mode == _INPUT:
            await self._sessions.give_up_input(self._serial, session)
        od, options = self._to_open(mode, more)
        hobj = await session.binding.open(od, options)
        self._name = od.ObjectName
        return hobj

    def _in_a_unit(self) -> nullcontext[None] | Transaction:
        """For what is all or none: a transaction of its own, unless the task is in one."""
        self._usable()
        return nullcontext() if self._sessions.unit() is not None else self._manager.transaction()

    async def close(self) -> None:
        """Close what is open through this object; its waiting gets end with HandleError."""
        if not self._closed:
            self._closed = True
            self._finalizer.detach()
            if not self._sessions.closed:
                await self._sessions.close_handles(self._serial)

    async def __aenter__(self) -> Queue:
        """With `exclusive=True` it is opened now."""
        if self._exclusive:
            await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
