"""DISPLAY QSTATUS from the inside: a local queue as it is at this moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from libremq.common.indicator import SHOWN_MAX
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Times are seconds since 1970, 0 if it never happened."""

    depth: int
    input_count: int
    output_count: int
    is_open: bool
    last_put: float
    last_get: float
    uncommitted: bool
    age_of_oldest_s: int
    media_extent: str  # of a linear log: where media recovery of the queue begins
    is_monitored: bool
    times_on_queue: tuple[int, ...]  # QTIME
    file_bytes: int
    file_bytes_max: int


def queue_status(core: Core, definition: LocalQueue) -> QueueStatus:
    queue = core.local_queue(definition)
    queue.store.keep_within(definition.maxfsize)
    media_lsn = core.media.get(("QLOCAL", definition.name))
    return QueueStatus(
        depth=queue.store.depth,
        input_count=queue.input_count,
        output_count=queue.output_count,
        is_open=bool(queue.open_handles),
        last_put=queue.statistics.last_put,
        last_get=queue.statistics.last_get,
        uncommitted=queue.store.has_uncommitted,
        age_of_oldest_s=_age_of_oldest(core, queue),
        media_extent="" if media_lsn is None else core.log.extent_name_of(media_lsn),
        is_monitored=core.is_monitored(definition),
        times_on_queue=queue.statistics.monitoring.times,
        file_bytes=queue.store.file_bytes,
        file_bytes_max=queue.store.file_bytes_max,
    )


def _age_of_oldest(core: Core, queue: QueueState) -> int:
    """Seconds since the first message of the queue was put; 0 if there is none."""
    slot = next(iter(queue.store.chains), None)
    if slot is None:
        return 0
    md = queue.store.descriptor(slot)
    try:
        put = datetime.strptime(md.PutDate + md.PutTime[:6] + "+0000", "%Y%m%d%H%M%S%z").timestamp()
    except ValueError:
        return 0
    return max(0, min(int(core.clock.now() - put), SHOWN_MAX))
