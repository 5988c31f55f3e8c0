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
Everything here is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libremq.aio.browser import Browser as Browser
    from libremq.aio.connecting import connect as connect
    from libremq.aio.consumer import Consumer as Consumer
    from libremq.aio.message import Message as Message
    from libremq.aio.queue import Queue as Queue
    from libremq.aio.queue_manager import QueueManager as QueueManager
    from libremq.aio.transaction import Transaction as Transaction

_HOME = {
    "Browser": "browser",
    "Consumer": "consumer",
    "Message": "message",
    "Queue": "queue",
    "QueueManager": "queue_manager",
    "Transaction": "transaction",
    "connect": "connecting",
}
__all__ = ["Browser", "Consumer", "Message", "Queue", "QueueManager", "Transaction", "connect"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
