"""The queues of the soak, and what the checker may rely on for each of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Queue:
    """A queue: how it is defined, and what follows from that."""

    name: str
    fifo: bool = False  # MSGDLVSQ(FIFO): priorities do not count
    keeps_nonpersistent: bool = False  # NPMCLASS(HIGH): over an orderly end, not over a kill
    one_consumer: bool = False  # one thread gets from it, so messages leave it in their order
    grouped: bool = False  # only whole groups; the queue manager makes their message ids
    depth_max: int = 5000


ORDER = Queue("SOAK.ORDER", one_consumer=True)
FIFO = Queue("SOAK.FIFO", fifo=True, one_consumer=True)
GROUPS = Queue("SOAK.GROUPS", grouped=True)
MIXED = (
    Queue("SOAK.A"),
    Queue("SOAK.B", keeps_nonpersistent=True),
    Queue("SOAK.SHALLOW", depth_max=60),
)
QUEUES = {queue.name: queue for queue in (ORDER, FIFO, GROUPS, *MIXED)}
