"""The queue manager of the asyncio API. All tasks of an event loop may share it, and its Queue objects."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Unpack

from libremq.aio.administration import Administration
from libremq.aio.awaitable_objects import Opening
from libremq.aio.binding import Access
from libremq.aio.descriptions import described_by
from libremq.aio.message import Message
from libremq.aio.queue import Queue
from libremq.aio.sessions import Sessions
from libremq.aio.transaction import Transaction
from libremq.aio.xa import XA
from libremq.client import options as opt
from libremq.client import queue_manager as client
from libremq.client import replies
from libremq.client.connecting import current_application, current_user
from libremq.client.options import REPLY_MODEL, Data, Named, PutOptions
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.structs import MQOD

if TYPE_CHECKING:
    from libremq.aio.consumer import Consumer


@described_by(client.QueueManager)
class QueueManager(Administration):
    """A connected queue manager; made by `libremq.aio.connect`, in the event loop that uses it."""

    def __init__(self, access: Access, *, url: str, user: str | None, application: str | None) -> None:
        self.url = url
        self.user = current_user() if user is None else user
        self.application = current_application() if application is None else application
        self._sessions = Sessions(access, self.user, self.application)
        self._consumers: set[Consumer] = set()
        self.xa = XA(self._sessions)
        """Two-phase commit, for transaction managers."""

    @property
    def name(self) -> str:
        return self._sessions.access.name

    @property
    def folder(self) -> str:
        return self._sessions.access.folder

    def __repr__(self) -> str:
        return f"<QueueManager {self.name}{', closed' if self.closed else ''}>"

    # Messages

    def queue(
        self,
        name: str,
        *,
        manager: str = "",
        exclusive: bool | None = None,
        selector: str | None = None,
        open_options: int = 0,
        alternate_user: str = "",
    ) -> Queue:
        """With `exclusive=True` it is opened for input by the first get, or by `async with qm.queue(...)`, or by
        `await queue.open()`.
        """
        return Queue(
            self,
            name,
            manager_name=manager,
            exclusive=exclusive,
            selector=selector,
            open_options=open_options,
            alternate_user=alternate_user,
        )

    def dynamic_queue(self, model: str = REPLY_MODEL, name: str = "AMQ.*") -> Opening[Queue]:
        """`async with qm.dynamic_queue() as queue:`, or `queue = await qm.dynamic_queue()`."""
        return Opening(self._dynamic_queue(model, name))

    async def _dynamic_queue(self, model: str, name: str) -> Queue:
        queue = Queue(self, model, dynamic_name=name, dynamic=True)
        try:
            await queue.open("input")
            if queue.name == model:
                raise bad_value(C.MQRC_Q_TYPE_ERROR, model, "it is no model queue, so no queue is made from it")
        except BaseException:
            await queue.close()
            raise
        return queue

    async def put(self, queue: str | Named, data: Data, **options: Unpack[PutOptions]) -> bytes:
        name = getattr(queue, "name", queue)
        if not isinstance(name, str):
            raise wrong_type(C.MQRC_UNKNOWN_OBJECT_NAME, "", f"the name of a queue is a str, not {queue!r}")
        return await self._put1(MQOD(ObjectName=name), data, options)

    async def _put1(self, od: MQOD, data: Data, options: PutOptions) -> bytes:
        session = await self._sessions.enter(shared=True)
        try:
            md, pmo, payload = opt.for_put(od.ObjectName, data, options, syncpoint=session.syncpoint)
            await session.binding.put1(od, md, pmo, payload, options.get("properties"))
        finally:
            self._sessions.leave(session)
        return md.MsgId

    def transaction(self) -> Transaction:
        """A unit of work of this task: `async with qm.transaction():`."""
        return Transaction(self._sessions)

    async def dead_letter(
        self, message: Message, reason: int, *, queue: str = "", queue_manager: str = ""
    ) -> bytes | None:
        plan = replies.dead_letter_plan(self.name, message, reason, queue, queue_manager)
        message_id: bytes | None = None
        if plan.bury:
            dead_letter_queue = str((await self.attributes())["deadq"])
            where = (queue or message.queue, queue_manager or self.name)
            message_id = await self._put1(*plan.burial(dead_letter_queue, self.application, message, reason, where))
        if plan.report is not None:
            await self._put1(*plan.report)
        return message_id

    # The end

    async def close(self) -> None:
        """End all connections, and the queue manager if it is embedded and nobody else uses it.

        A waiting get whose message has come returns it. Cancelled, it goes on to its end all the same.
        """
        if self.closed:
            return
        self._sessions.check_loop()
        for consumer in list(self._consumers):
            await consumer.close()
        await self._sessions.close()

    @property
    def closed(self) -> bool:
        return self._sessions.closed

    async def __aenter__(self) -> QueueManager:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
