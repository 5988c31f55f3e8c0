"""LibreMQ for asyncio: the names of the blocking API, awaited.

    import asyncio
    from libremq import aio

    async def main() -> None:
        async with aio.connect("embedded:QM1?create=1") as qm:
            await qm.define_local("ORDERS", replace=True)
            orders = qm.queue("ORDERS")
            async with qm.transaction():
                await orders.put("two cups of tea", persistent=True)
            print((await orders.get(wait=5)).text)

    asyncio.run(main())

Errors are those of `libremq`. What a cancellation does is said at each method; the rule is in `aio.pending_calls`.
"""

from __future__ import annotations

from libremq.aio.browser import Browser
from libremq.aio.connecting import connect
from libremq.aio.consumer import Consumer
from libremq.aio.message import Message
from libremq.aio.queue import Queue
from libremq.aio.queue_manager import QueueManager
from libremq.aio.transaction import Transaction

__all__ = ["Browser", "Consumer", "Message", "Queue", "QueueManager", "Transaction", "connect"]
