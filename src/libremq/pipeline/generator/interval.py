"""The rows of one interval of one queue manager, by structure, before they become bytes.

Sickness works on these: it changes rows, and the writer neither knows nor cares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from libremq.pipeline.generator.estate import QueueManager
from libremq.pipeline.generator.traffic import Traffic

Row = dict[str, Any]


@dataclass(slots=True)
class Task:
    """Accounting of one task: who it is, its totals, its queues, and the short class 1 record."""

    application: str
    identity: Row
    totals: Row
    queues: list[Row]
    header: Row
    processor: Row
    sizes: Row

    def queue(self, name: str) -> Row:
        return next(row for row in self.queues if row["basename"] == name)

    def uses(self, name: str) -> bool:
        return any(row["basename"] == name for row in self.queues)


@dataclass(slots=True)
class Interval:
    traffic: Traffic
    rows: dict[str, list[Row]] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)

    @property
    def queue_manager(self) -> QueueManager:
        return self.traffic.queue_manager

    def one(self, structure: str) -> Row:
        """The only row of a structure that does not repeat."""
        (row,) = self.rows[structure]
        return row

    def find(self, structure: str, **wanted: Any) -> Row:
        """The row with these values."""
        return next(row for row in self.rows[structure] if all(row.get(key) == value for key, value in wanted.items()))

    def tasks_on(self, queue: str) -> list[Task]:
        return [task for task in self.tasks if task.uses(queue)]
