"""Order: what was put on a queue before something else was begun comes out before it.

Two puts that overlapped in time may have come in either order. But the order seen once is the order for good: a
message keeps its place on the queue through every restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from soak.history import Get, Put


def is_before(one: Put, other: Put, *, fifo: bool) -> bool:
    """Must the one come out before the other, if both can be got?"""
    if not fifo and one.priority != other.priority:
        return one.priority > other.priority
    if one.place is not None and other.place is not None:
        return one.place < other.place
    return one.returned is not None and one.returned < other.began


def of_queue(puts: list[Put], *, fifo: bool) -> Iterator[str]:
    """What is out of order among the messages of a queue, listed as they were browsed."""
    highest: dict[int, Put] = {}  # of each priority: the one that was begun last, of those listed so far
    placed: dict[int, Put] = {}
    lowest: Put | None = None
    for put in puts:
        if not fifo and lowest is not None and put.priority > lowest.priority:
            yield f"{put.number} with priority {put.priority} is behind {lowest.number} with {lowest.priority}"
        lowest = put
        chain = 0 if fifo else put.priority
        latest = highest.get(chain)
        if latest is not None and put.returned is not None and put.returned < latest.began:
            yield f"{put.number} is behind {latest.number}, which was put after it"
        if latest is None or put.began > latest.began:
            highest[chain] = put
        if put.place is not None:
            before = placed.get(chain)
            if before is not None and before.place is not None and put.place < before.place:
                yield f"{put.number} is behind {before.number}; it was in front of it before the restart"
            placed[chain] = put


def of_gets(gets: list[tuple[Get, Put]], left: Iterable[Put], *, fifo: bool) -> Iterator[str]:
    """What came out of order to the only consumer of a queue; `left` is what is still on it."""
    chains: dict[int, list[tuple[int, Put]]] = defaultdict(list)
    for get, put in gets:
        chains[0 if fifo else put.priority].append((get.began, put))
    for put in left:
        chains[0 if fifo else put.priority].append((0, put))
    for chain in chains.values():
        for index, (_, put) in enumerate(chain):
            if put.committed is None or put.returned is None:
                continue
            for began, earlier in chain[:index]:
                if began > put.committed and is_before(put, earlier, fifo=fifo):
                    yield f"{put.number} came after {earlier.number}, although it was there and in front of it"
                    break
