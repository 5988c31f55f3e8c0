"""Messages whose time is over: discarded when a get or browse meets them, and by a scan of all queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.kernel.state.journal import EXPIRED
from libremq.kernel.verbs import reports
from libremq.mqi import constants as C

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState

SCAN_INTERVAL_S = 300
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


def scan(core: Core) -> int:
    """Discard every expired message of the loaded queues; how many there were."""
    now_ms = int(core.clock.now() * 1000)
    count = 0
    for queue in list(core.queues.values()):
        if queue.damage is not None:
            continue
        expiry_ms = queue.store.handles.expiry_ms
        if not any(expiry_ms):
            continue
        for slot in [slot for slot in queue.store.chains if 0 < expiry_ms[slot] <= now_ms and slot not in queue.locks]:
            discard(core, queue, slot)
            count += 1
    return count


def remaining(expiry_ms: int, now: float) -> int:
    """The Expiry that a get returns: tenths of a second left."""
    return C.MQEI_UNLIMITED if not expiry_ms else max(1, (expiry_ms - int(now * 1000)) // 100)
