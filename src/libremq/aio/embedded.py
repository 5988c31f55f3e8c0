"""The embedded binding for asyncio: the queue manager inside this process, its calls in a few worker threads.

The kernel has one lock, and a call may wait for the disk, so it is made by a thread and its outcome brought back to
the event loop. A get that waits occupies no thread: the kernel tells when its message is there. A unit of work belongs
to the connection, whichever thread makes its calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from libremq.aio.binding import Id, Properties, answered
from libremq.aio.pending_calls import Call, to_the_end
from libremq.host import embedded_access
from libremq.host.binding import GetCall, GotItem, PutCall, Received, with_ids
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_access import EmbeddedAccess as BlockingAccess
from libremq.host.embedded_connection import EmbeddedConnection as BlockingConnection
from libremq.host.message_calls import PutProperties
from libremq.kernel.state.waiting_gets import Waiter
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, NoMessageAvailable, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

T = TypeVar("T")

_THREADS = 16


class Threads:
    """The worker threads of one access."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.get_running_loop()
        self._name = name
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"libremq-aio-{name}")

    def start(self, work: Callable[[], T]) -> Call[T]:
        """Have something done; the call is settled in the event loop."""
        made = Call[T](self.loop)

        def run() -> None:
            try:
                value = work()
            except BaseException as error:
                self.tell(made.fail, error)
            else:
                self.tell(made.succeed, value)

        if not self.submit(run):
            made.fail(mq_error(C.MQRC_HCONN_ERROR, self._name, "the connection was closed; connect again"))
        return made

    def submit(self, work: Callable[[], None]) -> bool:
        """Have something done by a thread; False if there are none any more. From any thread."""
        try:
            self._pool.submit(work)
        except RuntimeError:
            return False
        return True

    def tell(self, function: Callable[[T], None], value: T) -> None:
        """Call a function in the event loop. From any thread."""
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self.loop.call_soon_threadsafe(function, value)

    def end(self) -> None:
        self._pool.shutdown(wait=False)


class _Get(Call[T]):
    """A get, from the first look at the queue to the message."""

    __slots__ = ("given_up", "hobj", "instead", "waiter")

    def __init__(self, loop: asyncio.AbstractEventLoop, hobj: int) -> None:
        super().__init__(loop)
        self.hobj = hobj
        self.waiter: Waiter | None = None
        self.given_up = False  # it is not to wait (any more)
        self.instead: MQError | None = None


class EmbeddedConnection:
    """hconn of an embedded queue manager."""

    def __init__(self, threads: Threads, embedded: EmbeddedQueueManager, inner: BlockingConnection, hmsg: int) -> None:
        self._threads = threads
        self._embedded = embedded
        self._inner = inner
        self._get: _Get[Any] | None = None
        self._hmsg = hmsg

    @property
    def connected(self) -> bool:
        return self._inner.connected

    async def _run(self, work: Callable[[], T]) -> T:
        return await to_the_end(self._threads.start(work))

    async def disconnect(self) -> None:
        over = mq_error(C.MQRC_HCONN_ERROR, self._inner.qmgr_name, "the connection was ended while the get waited")
        self.end_wait(over)
        with suppress(MQError):
            await self._run(self._end)

    def abandon(self) -> None:
        self._threads.start(self._end)

    def _end(self) -> None:
        with suppress(MQError):
            self._inner.backout()
        with suppress(MQError):
            self._inner.disconnect()

    # Objects

    async def open(self, od: MQOD, options: int) -> int:
        return await self._run(lambda: self._inner.open(od, options))

    async def close(self, hobj: int) -> None:
        await self._run(lambda: self._inner.close(hobj))

    def close_soon(self, hobj: int) -> None:
        self._threads.start(lambda: self._inner.close(hobj))  # whatever comes of it

    async def inquire(self, hobj: int, selectors: Sequence[int]) -> list[int | str]:
        return (await self._run(lambda: self._inner.inquire(hobj, selectors)))[0]

    async def set(self, hobj: int, values: Mapping[int, int | str]) -> None:
        await self._run(lambda: self._inner.set(hobj, values))

    # Putting

    async def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, properties: Properties) -> None:
        answered(pmo)

        def work() -> None:
            if not properties:
                self._inner.put(hobj, md, pmo, data)
                return
            with PutProperties(self._inner, pmo, properties):
                self._inner.put(hobj, md, pmo, data)

        await self._run(work)

    async def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes, properties: Properties) -> None:
        answered(pmo)

        def work() -> None:
            if not properties:
                self._inner.put1(od, md, pmo, data)
                return
            with PutProperties(self._inner, pmo, properties):
                self._inner.put1(od, md, pmo, data)

        await self._run(work)

    async def put_message(
        self, hobj: int, put: PutCall, data: bytes, message_id: Id, correlation_id: Id, properties: Properties
    ) -> bytes:
        md, pmo = with_ids(put.md, message_id, correlation_id), put.pmo.copy()
        await self.put(hobj, md, pmo, data, properties)
        return md.MsgId

    async def put_messages(
        self, hobj: int, puts: Sequence[tuple[PutCall, bytes]], message_id: Id, correlation_id: Id
    ) -> list[bytes]:
        return await self._run(lambda: self._inner.put_messages(hobj, puts, message_id, correlation_id))

    # Getting

    async def get_message(self, hobj: int, get: GetCall, message_id: Id, correlation_id: Id) -> Received:
        md, gmo = get.structures(message_id, correlation_id, self._hmsg)

        def found(got: Any) -> GotItem:
            return self._item(get, md, gmo, got)

        return await self._wait_for(hobj, md, gmo, get.max_length, found)

    def _item(self, get: GetCall, md: MQMD, gmo: MQGMO, got: Any) -> GotItem:
        properties = self._inner.properties(gmo.MsgHandle) if gmo.MsgHandle else {}
        if get.brings_properties:
            del gmo.MsgHandle
        return GotItem(md, gmo, got, properties)

    async def get_messages(
        self, hobj: int, get: GetCall, count: int, message_id: Id, correlation_id: Id
    ) -> Sequence[Received]:
        md, gmo = get.structures(message_id, correlation_id, self._hmsg)

        def found(got: Any) -> Sequence[Received]:
            first = self._item(get, md, gmo, got)
            if count == 1 or got.reason == C.MQRC_TRUNCATED_MSG_FAILED:
                return [first]
            following = get.without_wait()
            with suppress(MQError):  # there are no more, or the next call hears of it
                return [first, *self._inner.get_messages(hobj, following, count - 1, message_id, correlation_id)]
            return [first]

        return await self._wait_for(hobj, md, gmo, None, found)

    async def _wait_for(self, hobj: int, md: MQMD, gmo: MQGMO, max_length: int | None, found: Callable[[Any], T]) -> T:
        """MQGET in the kernel; if it waits, the rest is done by a thread when its message is there."""
        embedded, inner, threads = self._embedded, self._inner, self._threads
        manager = embedded.manager
        call = _Get[T](threads.loop, hobj)

        def begin() -> None:
            try:
                with embedded.lock:
                    embedded.check_open()
                    connection = manager.connection(inner.hconn)
                    result = manager.get(inner.hconn, hobj, md, gmo, max_length)
                    if isinstance(result, Waiter):
                        result.notify = ready
                        call.waiter = result
                        if call.given_up:
                            manager.cancel(result)
                        return
                    lsn = connection.lsn
                embedded.force(lsn)
                threads.tell(call.succeed, found(result))
            except BaseException as error:
                threads.tell(call.fail, error)

        def ready() -> None:
            threads.submit(end)

        def end() -> None:
            waiter = call.waiter
            assert waiter is not None
            try:
                if waiter.error is not None:
                    raise waiter.error
                assert waiter.result is not None
                embedded.force(waiter.handle.connection.lsn)
                threads.tell(call.succeed, found(waiter.result))
            except BaseException as error:
                threads.tell(call.fail, error)

        self._get = call
        if not threads.submit(begin):
            call.fail(mq_error(C.MQRC_HCONN_ERROR, inner.qmgr_name, "the connection was closed; connect again"))
        try:
            return await to_the_end(call, lambda: self._give_up(call))
        except NoMessageAvailable:
            if call.instead is not None:
                raise call.instead from None
            raise
        finally:
            if self._get is call:
                self._get = None

    def _give_up(self, call: _Get[Any]) -> None:
        """The get is to wait no longer. If its message has come already, it keeps it."""

        def cancel() -> None:
            with self._embedded.lock:
                call.given_up = True
                if call.waiter is not None:
                    self._embedded.manager.cancel(call.waiter)

        self._threads.submit(cancel)

    def end_wait(self, error: MQError, hobj: int = 0) -> None:
        call = self._get
        if call is not None and not call.settled and hobj in (0, call.hobj):
            call.instead = error
            self._give_up(call)

    # Units of work

    async def commit(self) -> None:
        await self._run(self._inner.commit)

    async def backout(self) -> None:
        await self._run(self._inner.backout)

    async def xa(self, verb: str, xid: bytes, *, one_phase: bool = False) -> None:
        if verb == "xa_commit":
            await self._run(lambda: self._inner.xa_commit(xid, one_phase=one_phase))
        else:
            await self._run(lambda: getattr(self._inner, verb)(xid))

    async def xa_recover(self) -> list[bytes]:
        return await self._run(self._inner.xa_recover)


class EmbeddedAccess:
    """One user of an embedded queue manager. Made by `EmbeddedAccess.attach`."""

    def __init__(self, threads: Threads, inner: BlockingAccess) -> None:
        self._threads = threads
        self._inner = inner

    @classmethod
    async def attach(cls, folder: str, name: str, **settings: Any) -> EmbeddedAccess:
        """Start the queue manager if this process has not started it yet."""
        threads = Threads(name)
        starting = threads.start(lambda: embedded_access.attach(folder, name, **settings))
        try:
            inner = await finished(starting, lambda access: threads.start(access.close))
        except BaseException:
            threads.end()
            raise
        return cls(threads, inner)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def folder(self) -> str:
        return self._inner.folder

    async def connect(self, user: str, application: str) -> EmbeddedConnection:
        def work() -> tuple[BlockingConnection, int]:
            inner = self._inner.connect(user, application)
            return inner, inner.create_message_handle()

        inner, hmsg = await finished(self._threads.start(work), lambda made: self._threads.start(made[0].disconnect))
        return EmbeddedConnection(self._threads, self._inner.embedded, inner, hmsg)

    async def command(self, call: str, /, *args: Any, **kwargs: Any) -> Any:
        return await to_the_end(self._threads.start(lambda: getattr(self._inner, call)(*args, **kwargs)))

    async def close(self) -> None:
        try:
            await to_the_end(self._threads.start(self._inner.close))
        finally:
            self._threads.end()


async def finished(call: Call[T], undo: Callable[[T], Call[Any]]) -> T:
    """The result of a call that can be undone: cancelled, it waits for both, and nothing is left behind."""
    try:
        await call.wait()
    except asyncio.CancelledError:
        undone: Call[Any] | None = None
        while undone is None or not undone.settled:
            if undone is None and call.settled:
                if call.error is not None:
                    break
                undone = undo(call.result())
            with suppress(asyncio.CancelledError):
                await (call if undone is None else undone).wait()
        raise
    return call.result()
