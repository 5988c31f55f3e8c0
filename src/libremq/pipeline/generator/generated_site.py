"""A simulated site: several queue managers over days or weeks, healthy but for the sickness it is given.

Everything follows from the seed: the same arguments give the same bytes. Chance is drawn per queue manager and
interval, so that a sickness on one queue manager changes nothing on the others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import merge

from libremq.pipeline.generator import rows_initiator, rows_queue_manager, rows_tasks
from libremq.pipeline.generator.dump import Writer
from libremq.pipeline.generator.dump_writer import Origin
from libremq.pipeline.generator.estate import QueueManager, estate
from libremq.pipeline.generator.interval import Interval
from libremq.pipeline.generator.sickness import Case
from libremq.pipeline.generator.site_load import Load
from libremq.pipeline.generator.timeline import Event, slots
from libremq.pipeline.generator.traffic import Flow, Traffic

STARTED = datetime(2025, 3, 3, tzinfo=UTC)
"""A Monday."""


@dataclass(frozen=True, slots=True)
class Site:
    """What to simulate. `cases` are the sicknesses, each on one queue manager from a moment on."""

    queue_managers: tuple[QueueManager, ...] = field(default_factory=estate)
    start: datetime = STARTED
    days: float = 1
    interval_minutes: int = 15
    seed: int = 1
    growth_per_week: float = 0.01
    cases: Sequence[Case] = ()
    events: Sequence[Event] = ()
    """Restarts, short intervals, idle and overloaded times, changes of the clock."""

    def __post_init__(self) -> None:
        if not 1 <= self.interval_minutes <= 1440:
            raise ValueError(f"an interval of {self.interval_minutes} minutes is not between 1 minute and a day")
        if self.start.tzinfo is None:
            raise ValueError("the start needs a time zone")
        known = {each.name for each in self.queue_managers}
        strangers = sorted(
            {each.queue_manager for each in self.cases} - known | {each.queue_manager for each in self.events} - known
        )
        if strangers:
            raise ValueError(f"no such queue manager: {', '.join(strangers)}")

    @property
    def interval_count(self) -> int:
        return int(self.days * 1440 // self.interval_minutes)

    def intervals(self, queue_manager: QueueManager) -> Iterator[Interval]:
        """The intervals of one queue manager, sickness applied."""
        load = Load(self.start, self.growth_per_week)
        flow = Flow(queue_manager)
        seconds = self.interval_minutes * 60
        cases = [case for case in self.cases if case.queue_manager == queue_manager.name]
        events = [event for event in self.events if event.queue_manager == queue_manager.name]
        for number, slot in enumerate(slots(self.start, self.interval_count, seconds, events)):
            chance = random.Random(f"{self.seed}/{queue_manager.name}/{number}")
            level = load.at(slot.start + queue_manager.local_offset, chance) * slot.load
            whole = int(slot.seconds) if slot.seconds == int(slot.seconds) else slot.seconds
            interval = healthy(flow.step(number, slot.start, whole, level, slot.running, slot.clock), chance)
            for case in cases:
                if case.active(interval.traffic):
                    case.sickness.apply(interval, case.elapsed(interval.traffic))
            yield interval

    def records(self) -> Iterator[tuple[QueueManager, Interval, bytes]]:
        """All records of all queue managers in order of time."""
        writers = {
            each.name: Writer(Origin(each.system, each.name, each.release, each.sharing_group, each.local_offset))
            for each in self.queue_managers
        }
        streams = [_owned(each, self.intervals(each)) for each in self.queue_managers]
        # In order of time; of one moment, in that of the queue managers.
        for owner, interval in merge(*streams, key=lambda pair: pair[1].traffic.end):
            writer = writers[owner.name]
            writer.origin = replace(writer.origin, local_offset=owner.local_offset + interval.traffic.clock)
            for whole in writer.records(interval):
                yield owner, interval, whole


def _owned(owner: QueueManager, intervals: Iterator[Interval]) -> Iterator[tuple[QueueManager, Interval]]:
    for interval in intervals:
        yield owner, interval


def healthy(traffic: Traffic, chance: random.Random) -> Interval:
    """All rows of an interval in which nothing is wrong."""
    manager, initiator = rows_queue_manager, rows_initiator
    return Interval(
        traffic,
        rows={
            "qmst": [manager.message_manager(traffic)],
            "qist": [manager.data_manager(traffic)],
            "qlst": [manager.locks(traffic)],
            "qtst": [manager.topics(traffic)],
            "qsst": [manager.storage_counters(traffic)],
            "qpst": manager.pools(traffic),
            "qis1": manager.page_sets(traffic),
            "qjst": [manager.log(traffic, chance)],
            "q5st": [manager.db2(traffic)],
            "qest": manager.structures(traffic),
            "qesd": manager.shared_message_sets(traffic),
            "qqst": manager.queues(traffic),
            "qsph": manager.storage_pools(traffic),
            "qsgm": manager.storage_requests(traffic),
            "qsrs": manager.storage_regions(traffic),
            "qcct": [initiator.totals(traffic)],
            "qctdsp": initiator.dispatchers(traffic),
            "qctadp": initiator.adapters(traffic),
            "qctssl": initiator.tls_tasks(traffic),
            "qctdns": initiator.name_service(traffic),
            "qcst": initiator.channels(traffic),
        },
        tasks=rows_tasks.tasks(traffic),
    )
