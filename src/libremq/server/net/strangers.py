"""Sockets over which nobody has logged in yet: how many there may be, of one address and in all.

They cost nothing to open, so whoever opens thousands must not shut out the others. When an address has too many, or all
together are too many, the one that has waited longest without asking for anything gives way, of that address or of the
one that has most. One whose log-in is being looked at stays, unless others would be shut out by its address; where it
stays, the newcomer is refused. The error log hears of it once a minute for each address, with the number.

A message channel may run without anybody knowing who its partner is, and partners call themselves what they like. Such
a one stays a stranger. It gives way to nobody, as it has work to do; there may be half as many, the next is refused.

An IPv6 address counts by its first half: whoever has one address there has a network of them.
"""

from __future__ import annotations

from collections.abc import Callable

from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.security.address_patterns import network

SAID_EVERY_S = 60.0
_PER_ADDRESS, _IN_ALL = "MaxPendingPerAddress", "MaxPendingConnections"


class Stranger:
    """One of them, from `accept` to its log-in or its end."""

    __slots__ = ("_strangers", "is_guest", "shut", "where")

    def __init__(self, strangers: Strangers, where: str) -> None:
        self._strangers = strangers
        self.where = where
        self.is_guest = False
        self.shut: Callable[[], object] = lambda: None
        """Ends the socket. It is set by whoever has the socket."""

    def asks(self) -> None:
        """Its log-in is being looked at: until it is answered, it is this end that takes its time."""
        self._strangers.move(self, asking=True)

    def answered(self) -> None:
        """Its log-in was refused, and it may try another one."""
        self._strangers.move(self, asking=False)

    def stay(self) -> bool:
        """It is served, and still nobody knows who it is. False: there are too many of those."""
        return self.is_guest or self._strangers.take_in(self)

    def leave(self) -> None:
        """It has logged in, or is gone. May be said more than once."""
        self._strangers.forget(self)


class _OfAddress:
    """Those of one address, the one that came first at the beginning."""

    __slots__ = ("asking", "guests", "idle")

    def __init__(self) -> None:
        self.idle: dict[Stranger, None] = {}
        self.asking: dict[Stranger, None] = {}
        self.guests: dict[Stranger, None] = {}

    def __len__(self) -> int:
        return len(self.idle) + len(self.asking)


class Strangers:
    """All methods are for the loop's thread."""

    def __init__(
        self, per_address: int, in_all: int, say: Callable[[AmqMessage], None], now: Callable[[], float]
    ) -> None:
        self._per_address = per_address
        self._in_all = in_all
        self._say = say
        self._now = now
        self._count = self._guests = 0
        self._addresses: dict[str, _OfAddress] = {}
        self._said: dict[tuple[int, str, str, int], tuple[float, int]] = {}  # when, and how many were closed since

    def __len__(self) -> int:
        return self._count

    def came(self, address: str) -> Stranger | None:
        """A socket was accepted; None if it is to be closed."""
        where = network(address)
        if not where or not self._has_room(where):
            return None
        stranger = Stranger(self, where)
        self._addresses.setdefault(where, _OfAddress()).idle[stranger] = None
        self._count += 1
        return stranger

    def _has_room(self, where: str) -> bool:
        """Is there room for one more, perhaps because another one goes?"""
        mine = self._addresses.get(where)
        if mine is not None and len(mine) >= self._per_address:
            self._note(9594, where, _PER_ADDRESS, self._per_address)
            return self._close_one(mine.idle)
        if self._count < self._in_all:
            return True
        most = max(self._addresses, key=lambda one: len(self._addresses[one]))
        largest = self._addresses[most]
        self._note(9594, most, _IN_ALL, self._in_all)
        return self._close_one(largest.idle) or (largest is not mine and self._close_one(largest.asking))

    def _close_one(self, some: dict[Stranger, None]) -> bool:
        if not some:
            return False
        oldest = next(iter(some))
        self.forget(oldest)
        oldest.shut()
        return True

    def move(self, stranger: Stranger, *, asking: bool) -> None:
        found = self._addresses.get(stranger.where)
        if found is None or (stranger not in found.idle and stranger not in found.asking):
            return  # it is none any more
        found.idle.pop(stranger, None)
        found.asking.pop(stranger, None)
        (found.asking if asking else found.idle)[stranger] = None

    def take_in(self, stranger: Stranger) -> bool:
        found = self._addresses.get(stranger.where)
        if found is None or (stranger not in found.idle and stranger not in found.asking):
            return True  # it has given way, and hears so
        of_address, in_all = max(1, self._per_address // 2), max(1, self._in_all // 2)
        if len(found.guests) >= of_address or self._guests >= in_all:
            full = (_PER_ADDRESS, of_address) if len(found.guests) >= of_address else (_IN_ALL, in_all)
            self._note(9597, stranger.where, *full)
            return False
        self.forget(stranger)
        self._addresses.setdefault(stranger.where, found).guests[stranger] = None
        self._guests += 1
        stranger.is_guest = True
        return True

    def forget(self, stranger: Stranger) -> None:
        found = self._addresses.get(stranger.where)
        if found is None:
            return
        if stranger in found.guests:
            del found.guests[stranger]
            self._guests -= 1
        elif stranger in found.idle or stranger in found.asking:
            found.idle.pop(stranger, None)
            found.asking.pop(stranger, None)
            self._count -= 1
        if not len(found) and not found.guests:
            del self._addresses[stranger.where]

    # What the error log hears

    def _note(self, number: int, where: str, setting: str, limit: int) -> None:
        """One is closed. The first is told at once, the others are counted for a minute."""
        key = number, where, setting, limit
        if key in self._said:
            since, count = self._said[key]
            self._said[key] = since, count + 1
        else:
            self._said[key] = self._now(), 0
            self._say(amq(number, 1, where, limit, setting))

    def tick(self) -> None:
        """Now and then: tell what was counted."""
        now = self._now()
        for key, (since, count) in list(self._said.items()):
            if now - since < SAID_EVERY_S:
                continue
            if count:
                self._said[key] = now, 0
                number, where, setting, limit = key
                self._say(amq(number, count, where, limit, setting))
            else:
                del self._said[key]
