"""Gets that wait: a pending result, completed by a put, a commit, a backout, the clock or a close.

A waiter is on its queue, on its handle and on the clock while it waits, nowhere once it has a result or an error.
A get whose search takes more than a slice is one too, also if it is not to wait for a message: until the search is over
it is `unfinished`. No message that comes is offered to it, as there may be one before that; its search hears of it. Nor
is one that comes while it tries: a report on a message that it discards may come to the same queue, and a get has one
message.
The binding gives it a `notify` to call at the end of the call that completed it (`woken.py`), and does its own waiting
for that (contract 1: the kernel has no threads).

A message that comes must not have to ask everybody: those who wait for a message or correlation id are found by it, and
of those who take whatever comes only as many are asked as there are messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from libremq.kernel.state.verb_result import UNSAID
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.stored_message import Origin

if TYPE_CHECKING:
    from libremq.kernel.state.connection import ObjectHandle
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState
    from libremq.kernel.state.turns import Turn
    from libremq.kernel.state.wait_clock import Deadline


@dataclass(slots=True)
class Got:
    """What a get gives back besides the descriptor and options, which it fills in place."""

    data: bytes
    length: int  # of the whole message, also when `data` was cut
    comp_code: int = C.MQCC_OK
    reason: int = C.MQRC_NONE
    origin: Origin | None = field(default=None, repr=False, compare=False)  # for channels that send it on
    lsn: int = field(default=UNSAID, repr=False, compare=False)  # the log position that handing it out depends on
    reply: bytes = field(default=b"", repr=False, compare=False)  # what the binding has made of it, if it wanted to


PackReply = Callable[[int, MQMD, MQGMO, Got], bytes]
"""Makes a binding's answer of hobj, descriptor, options and result: before the message is taken, so that one that no
answer can be made of stays where it is. It may be called more than once for a get."""
PackPlain = Callable[[int, bytes, MQGMO, bytes, bytes], bytes]
"""The same of hobj, packed descriptor, options and data, for a message about which there is nothing to decide."""


def no_message(queue: QueueState) -> MQError:
    return mq_error(C.MQRC_NO_MSG_AVAILABLE, queue.name, "no message that fits is available")


# Who is served first: browses, which take nothing away; gets that want certain messages; gets that take any
BROWSES = 0
SPECIFIC = 1
GENERAL = 2

Ids = tuple[int | None, int | None]
"""Hashes of the message id and the correlation id that a message must have; None: of either any will do."""
WHATEVER_COMES: Ids = (None, None)


class Search(Protocol):
    """How it finds its message; what it is, is up to the verbs."""

    left: int

    def go_on(self, left: int) -> int: ...

    def note_all(self, slots: Sequence[int]) -> None: ...

    def begin_anew(self) -> None: ...

    def watch(self) -> None: ...

    def end(self) -> None: ...


class Waiter:
    """One waiting get."""

    lsn = 0  # nothing depends on the log before there is a result, which says on what it does

    __slots__ = (
        "_on_clock", "buffer_length", "core", "deadline", "error", "gmo", "handle", "ids", "interval_ms", "md",
        "notify", "number", "pack", "pack_plain", "queue", "rank", "result", "search", "tries", "turn", "waits",
    )  # fmt: skip

    def __init__(
        self,
        core: Core,
        handle: ObjectHandle,
        queue: QueueState,
        md: MQMD,
        gmo: MQGMO,
        buffer_length: int | None,
        rank: int,
        ids: Ids | None = None,
        search: Search | None = None,
        pack: PackReply | None = None,
        *,
        waits: bool = True,
    ) -> None:
        self.core = core
        self.handle = handle
        self.queue = queue
        self.md = md
        self.gmo = gmo
        self.buffer_length = buffer_length
        self.rank = rank
        self.ids = ids  # None: that does not tell; it must be asked whatever comes
        self.search = search  # None: whatever comes first will do
        self.pack = pack
        self.pack_plain: PackPlain | None = None  # of a get that is for plain messages, by no more than their ids
        self.waits = waits  # False: it ends with its search
        self.turn: Turn | None = None  # with which its search goes on
        self.tries = False  # right now: it has a result soon, or looks at what has come by itself
        self.number = 0  # rises with each that waits on the queue
        self.interval_ms = gmo.WaitInterval
        self.deadline: float | None = None  # None: unlimited
        self._on_clock: Deadline | None = None
        if waits and gmo.WaitInterval != C.MQWI_UNLIMITED:
            self.deadline = core.clock.monotonic() + gmo.WaitInterval / 1000
            self._on_clock = core.wait_clock.add(self.deadline, self.time_is_over)
        self.result: Got | None = None
        self.error: MQError | None = None
        self.notify: Callable[[], None] | None = None
        queue.waiters.add(self)
        handle.waiters.add(self)
        core.waiters.add(self)

    @property
    def done(self) -> bool:
        return self.result is not None or self.error is not None

    @property
    def unfinished(self) -> bool:
        """Is there more for it to look at?"""
        return self.tries or (self.queue.takers_turn if self.search is None else self.turn) is not None

    def complete(self, result: Got) -> None:
        assert result.lsn >= 0
        self.handle.connection.depend_on(result.lsn)
        self.result = result
        self._leave()

    def fail(self, error: MQError) -> None:
        self.error = error
        self._leave()

    def give_up(self) -> None:
        """No message has come in time, or the application does not wait any longer."""
        self.fail(no_message(self.queue))

    def time_is_over(self) -> None:
        """It does not wait any longer. What was there when it began is looked at to the end."""
        if self.unfinished:
            self.waits = False
        else:
            self.give_up()

    def _leave(self) -> None:
        if self._on_clock is not None:
            self.core.wait_clock.cancel(self._on_clock)
        if self.turn is not None:
            self.core.turns.discard(self.turn)
            self.turn = None
        if self.search is not None:
            self.search.end()
        self.queue.waiters.remove(self)
        self.handle.waiters.discard(self)
        self.core.waiters.discard(self)
        self.core.woken.add(self.notify)


class WaitingGets(dict[Waiter, None]):
    """The gets that wait on one queue, oldest first, and by what they wait for."""

    __slots__ = ("_by_ids", "_latest", "_others", "_takers")

    def __init__(self) -> None:
        self._latest = 0
        self._takers: dict[Waiter, None] = {}  # of whatever comes
        self._by_ids: dict[Ids, dict[Waiter, None]] = {}
        self._others: dict[Waiter, None] = {}  # must be asked each time: selectors, groups, browses

    def add(self, waiter: Waiter) -> None:
        self._latest += 1
        waiter.number = self._latest
        self[waiter] = None
        if waiter.ids is WHATEVER_COMES:
            self._takers[waiter] = None
        elif waiter.ids is None:
            self._others[waiter] = None
        else:
            self._by_ids.setdefault(waiter.ids, {})[waiter] = None

    def remove(self, waiter: Waiter) -> None:
        """It may have left already, if an interrupt came in between."""
        if waiter not in self:
            return
        del self[waiter]
        if waiter.ids is WHATEVER_COMES:
            del self._takers[waiter]
        elif waiter.ids is None:
            del self._others[waiter]
        else:
            alike = self._by_ids[waiter.ids]
            del alike[waiter]
            if not alike:
                del self._by_ids[waiter.ids]

    @property
    def look_at_ids(self) -> bool:
        """Does anybody wait for a message with certain ids?"""
        return bool(self._by_ids)

    def takers(self) -> list[Waiter]:
        """Those who take whatever comes, in their turn."""
        return list(reversed(self._takers))

    def everybody(self) -> list[Waiter]:
        """All of them in the order of their rank; of equals the latest first, so that one stays hot."""
        return sorted(self, key=_turn)

    def in_turn(self, arrived: Iterable[tuple[int, int]] | None = None) -> Iterator[Waiter]:
        """Those who may want one of the messages with these hashes of their ids; None: any message at all.

        In the same order. Those who take whatever comes are given out as long as each has got something: if nothing is
        left for one of them, there is nothing for the others.
        """
        takers, more = self._takers, True
        for waiter in self._particular(arrived):
            if waiter.rank == GENERAL:
                while more and takers and (latest := next(reversed(takers))).number > waiter.number:
                    yield latest
                    more = latest.done
            yield waiter
        while more and takers:
            latest = next(reversed(takers))
            yield latest
            more = latest.done

    def _particular(self, arrived: Iterable[tuple[int, int]] | None) -> list[Waiter]:
        if not self._by_ids:
            found = list(self._others)
        elif arrived is None:
            found = [waiter for waiter in self if waiter.ids is not WHATEVER_COMES]
        else:
            wanted = self._others.copy()
            for message_hash, correl_hash in arrived:
                for ids in ((message_hash, None), (None, correl_hash), (message_hash, correl_hash)):
                    if ids in self._by_ids:
                        wanted.update(self._by_ids[ids])
            found = list(wanted)
        if len(found) > 1:
            found.sort(key=_turn)
        return found


def _turn(waiter: Waiter) -> tuple[int, int]:
    return waiter.rank, -waiter.number


def cancel_waits(handle: ObjectHandle) -> None:
    """The handle is closed: its waiting gets end."""
    for waiter in list(handle.waiters):
        waiter.fail(mq_error(C.MQRC_HOBJ_ERROR, handle.object_name, "the handle was closed while it waited"))
