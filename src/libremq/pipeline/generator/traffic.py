"""What moves in one interval: per queue the messages put and got, and what that means for log and pages.

The relations are those of the models (log bytes and pages of a message), so that the records of one interval agree with
each other: the queues' puts add up to the queue manager's, its log bytes are those of its persistent messages, and the
pages in use are those of the messages on the queues.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from libremq.pipeline.generator.estate import Queue, QueueManager
from libremq.pipeline.models.logs.log_volume import get_share_log_bytes, put_share_log_bytes
from libremq.pipeline.models.storage.page_set_space import pages_per_message

PAGE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class QueueTraffic:
    """One queue's interval."""

    queue: Queue
    puts: int
    gets: int
    depth: int
    depth_high: int
    depth_low: int
    log_bytes: int

    @property
    def pages_each(self) -> int:
        return int(pages_per_message(self.queue.message_bytes + 300))


@dataclass(frozen=True, slots=True)
class Traffic:
    """One queue manager's interval before any record is made of it."""

    queue_manager: QueueManager
    number: int
    start: datetime
    """UTC"""
    seconds: float
    load: float
    queues: Mapping[str, QueueTraffic]
    commits: int
    log_bytes: int
    new_logs: int
    running: float | None = None
    """Seconds since the queue manager started; by default all intervals so far."""
    clock: timedelta = timedelta(0)
    """How far the local clock was put forward."""

    @property
    def end(self) -> datetime:
        return self.start + timedelta(seconds=self.seconds)

    @property
    def began(self) -> datetime:
        """When the queue manager's channels were started: with its first interval."""
        running = self.seconds * self.number if self.running is None else self.running
        return self.start - timedelta(seconds=running)

    @property
    def microseconds(self) -> int:
        return int(self.seconds * 1_000_000)

    @property
    def puts(self) -> int:
        return sum(each.puts for each in self.queues.values())

    @property
    def gets(self) -> int:
        return sum(each.gets for each in self.queues.values())

    @property
    def persistent_puts(self) -> int:
        return sum(each.puts for each in self.queues.values() if each.queue.persistent)

    @property
    def persistent_bytes(self) -> int:
        return sum(each.puts * each.queue.message_bytes for each in self.queues.values() if each.queue.persistent)

    @property
    def transient_bytes(self) -> int:
        return sum(each.puts * each.queue.message_bytes for each in self.queues.values() if not each.queue.persistent)

    def on_page_set(self, number: int) -> list[QueueTraffic]:
        return [each for each in self.queues.values() if each.queue.page_set == number]

    def in_structure(self, name: str) -> list[QueueTraffic]:
        return [each for each in self.queues.values() if each.queue.structure == name]


class Flow:
    """The traffic of one queue manager, interval after interval; depths and the log go on from one to the next."""

    def __init__(self, queue_manager: QueueManager) -> None:
        self.queue_manager = queue_manager
        self._depths: dict[str, int] = {}
        self._log_position = 0

    def step(
        self,
        number: int,
        start: datetime,
        seconds: float,
        load: float,
        running: float | None = None,
        clock: timedelta = timedelta(0),
    ) -> Traffic:
        owner = self.queue_manager
        queues = {queue.name: self._queue(queue, load, seconds) for queue in owner.queues}
        log_bytes = sum(each.log_bytes for each in queues.values()) + 20_000
        before = self._log_position // owner.log_bytes
        self._log_position += log_bytes
        return Traffic(
            queue_manager=owner,
            number=number,
            start=start,
            seconds=seconds,
            load=load,
            queues=queues,
            commits=self._commits(queues),
            log_bytes=log_bytes,
            new_logs=self._log_position // owner.log_bytes - before,
            running=running,
            clock=clock,
        )

    def _queue(self, queue: Queue, load: float, seconds: float) -> QueueTraffic:
        puts = int(queue.messages_per_second * load * seconds)
        standing = int(queue.depth * (0.95 + 0.01 * load))
        before = self._depths.get(queue.name, standing)
        depth = max(0, min(standing, before + puts))
        self._depths[queue.name] = depth
        gets = before + puts - depth
        each_put = float(put_share_log_bytes(queue.message_bytes)) if queue.persistent else 0
        each_get = float(get_share_log_bytes(queue.message_bytes)) if queue.persistent else 0
        return QueueTraffic(
            queue=queue,
            puts=puts,
            gets=gets,
            depth=depth,
            depth_high=int(max(depth, before) * 1.1),
            depth_low=int(min(depth, before) * 0.9),
            log_bytes=int(puts * each_put + gets * each_get),
        )

    def _commits(self, queues: Mapping[str, QueueTraffic]) -> int:
        total = 0
        for application in self.queue_manager.applications:
            messages = sum(queues[name].gets for name in application.gets)
            messages += sum(queues[name].puts for name in application.puts)
            total += messages // max(1, application.messages_per_commit)
        return total
