"""Messages whose time is over: discarded when a get or browse meets them, and by a scan of all queues.

Never more than a slice of them in one call: to discard one is as much work as to get it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.kernel.state.journal import EXPIRED
from libremq.kernel.state.turns import DISCARD
from libremq.kernel.verbs import reports
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.space_handles import LINKED

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState

SCAN_INTERVAL_S = 300
_SLOTS = 8  # that are looked at for a unit of work
_WANTS_REPORT = C.MQRO_EXPIRATION_WITH_FULL_DATA


def discard(core: Core, queue: QueueState, slot: int) -> None:
    """Remove an expired message; if its sender asked to be told, in one unit of work with the report."""
    message = queue.store.message(slot)
    if not message.md.Report & _WANTS_REPORT:
        core.take(queue, slot, None, EXPIRED)
        return
    with core.all_or_nothing(None) as unit:
        core.take(queue, slot, unit, EXPIRED)
        reports.expired(core, message, unit, core.clock.now(), in_transit=queue.definition.is_transmission_queue)


class Scan:
    """Discards every expired message of the loaded queues, in slices.

    It goes by slots: what comes to one that is passed has only just come.
    """

    __slots__ = ("_core", "_queues", "_slot", "count")

    def __init__(self, core: Core) -> None:
        self._core = core
        self._queues = list(core.queues.values())
        self._slot = 0  # of the last of these queues: the next to look at
        self.count = 0

    def go_on(self) -> bool:
        left = self._core.turns.slice
        while self._queues and left > 0:
            left = self._slice_of(self._queues[-1], left)
        return bool(self._queues)

    def _slice_of(self, queue: QueueState, left: int) -> int:
        """What is left of the slice when it is used up, or the queue is done."""
        if self._core.queues_by_id.get(queue.id) is not queue:
            # A checkpoint has unloaded it, and it may be loaded anew: what it was here is not the queue any more
            self._queues.pop()
            self._slot = 0
            return left - 1
        handles = queue.store.handles
        flags, expiry_ms = handles.flags, handles.expiry_ms
        now_ms = int(self._core.clock.now() * 1000)
        if not queue.out_of_use and (self._slot or any(expiry_ms)):
            left -= 1
            for slot in range(self._slot, len(handles)):
                if left <= 0:
                    return left
                self._slot = slot + 1
                if slot % _SLOTS == 0:
                    left -= 1
                if 0 < expiry_ms[slot] <= now_ms and flags[slot] & LINKED and slot not in queue.locks:
                    self._slot = slot
                    discard(self._core, queue, slot)
                    self._slot = slot + 1
                    self.count += 1
                    left -= DISCARD
        self._queues.pop()
        self._slot = 0
        return left - 1

    def fail(self, error: MQError) -> None:
        """The next scan will find the rest."""
