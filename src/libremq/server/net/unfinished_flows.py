"""Flows that have begun and are not complete: for how long, and who gives way when they take too much memory.

Whoever begins a long message and does not go on holds memory that is for all. So a flow has a time limit, which grows
with what has come of it: a slow line may take its time, one that stands still may not. And when what all links hold is
too much, the one that holds most is closed, of the address that holds most: not whoever comes next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.security.address_patterns import network
from libremq.wire.segments import SegmentReader

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

SLOWEST_BYTES_S = 1024
"""A flow has a second more for so many bytes that have come of it."""
_STOOD_STILL_S = 5.0  # between two looks: if it was longer, this process did not run, and nobody is blamed for that


class Holder(Protocol):
    """A link, as far as this is about it."""

    peer: str

    @property
    def held_bytes(self) -> int: ...

    def give_way(self, message: AmqMessage) -> None:
        """End it, and hold nothing any more."""


class UnfinishedFlow:
    """The oldest flow of one link that is not complete, looked at once a second."""

    __slots__ = ("_flow", "_looked", "_waited_s")

    def __init__(self) -> None:
        self._flow = (-1, -1)
        self._looked = self._waited_s = 0.0

    def is_late(self, reader: SegmentReader, raw_bytes: int, now: float, limit_s: float) -> bool:
        """Has it taken too long? `raw_bytes`: what has come and is not with the reader yet."""
        held = reader.held_bytes + raw_bytes
        flow = reader.unfinished
        if not held or reader.has_more or flow != self._flow:
            self._waited_s = 0.0  # there is none, this end has not looked at all that came, or it is another one
        else:
            self._waited_s += min(now - self._looked, _STOOD_STILL_S)
        self._flow, self._looked = flow, now
        return self._waited_s > limit_s + held / SLOWEST_BYTES_S


def late_words(limit_s: float) -> str:
    return (
        f"a flow that it began was not complete in {limit_s:g} seconds, and a second for each {SLOWEST_BYTES_S} bytes"
    )


def relieve(event_loop: EventLoop) -> None:
    """See that all links together hold no more than they may."""
    limit = event_loop.limits.buffer_bytes_max
    while event_loop.buffered_bytes > limit:
        links: list[Holder] = [link for link in (*event_loop.links, *event_loop.message_links) if link.held_bytes]
        if not links:
            return
        by_address: dict[str, int] = {}
        for link in links:
            by_address[_host(link)] = by_address.get(_host(link), 0) + link.held_bytes
        most = max(by_address, key=lambda host: by_address[host])
        largest = max((link for link in links if _host(link) == most), key=lambda link: link.held_bytes)
        largest.give_way(amq(9595, largest.peer, largest.held_bytes, limit))


def _host(link: Holder) -> str:
    """What it counts for: its address, or the network of one of IPv6; "local"."""
    host = link.peer.partition("(")[0]
    return network(host) or host
