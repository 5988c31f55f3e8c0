"""A message of the asyncio API: all that `libremq.Message` says, and replies that are awaited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from libremq.aio.descriptions import described_by
from libremq.client import message as client
from libremq.client import replies
from libremq.client.message import MessageContent
from libremq.client.options import Data, PutOptions
from libremq.mqi import constants as C

if TYPE_CHECKING:
    from libremq.aio.queue_manager import QueueManager


@described_by(client.Message)
class Message(MessageContent):
    """What `get` and `browse` return."""

    __slots__ = ()

    async def reply(self, data: Data, **options: Unpack[PutOptions]) -> bytes:
        return await self._connected()._put1(*replies.reply_to(self, data, options))

    async def report(self, feedback: int = C.MQFB_PAN) -> bytes | None:
        manager = self._connected()
        put = replies.report_on(manager.name, self, feedback)
        return None if put is None else await manager._put1(*put)

    def _connected(self) -> QueueManager:
        manager: QueueManager = self._still_connected()
        return manager
