"""The kinds of threads: a producer and a consumer whose order is checked, threads that do everything, checkpoints."""

from __future__ import annotations

from soak.queues import FIFO, GROUPS, MIXED, ORDER
from soak.thread import Thread, Unit, Work

_DEPTH_LOW, _DEPTH_HIGH = 30, 150
_BRANCHES_MAX = 2
_ORDERED = (ORDER.name, FIFO.name)
_MIXED = tuple(queue.name for queue in MIXED)
# What becomes of a non-persistent message that a branch has got, when the queue keeps such messages, is left open
_FOR_BRANCHES = tuple(queue.name for queue in MIXED if not queue.keeps_nonpersistent)


class Producer(Thread):
    """Puts on the queues that have one consumer, in and outside syncpoint."""

    def step(self) -> None:
        rng = self.rng
        queue = rng.choice(_ORDERED)
        if self.depth(queue) > _DEPTH_HIGH:
            self.pause(0.01)
        elif rng.random() < 0.5:
            self.put(queue, priority=rng.choice((2, 4)))
        else:
            with self.unit() as unit:
                for _ in range(rng.randrange(1, 9)):
                    self.put(queue, unit, priority=rng.choice((2, 4)))
                if rng.random() < 0.2:
                    self.back_out(unit)


class Consumer(Thread):
    """The one consumer: waits for messages, in and outside syncpoint, and gives some of them back."""

    def step(self) -> None:
        rng = self.rng
        queue = rng.choice(_ORDERED)
        if rng.random() < 0.4:
            self.get(queue, wait=0.01)
            return
        with self.unit() as unit:
            for _ in range(rng.randrange(1, 9)):
                if self.get(queue, unit) is None:
                    break
            if rng.random() < 0.2:
                self.back_out(unit)


class Mixed(Thread):
    """Does everything, on queues that all share."""

    def __init__(self, work: Work, index: int) -> None:
        super().__init__(work, index)
        self.branches: list[str] = []  # prepared, and for this thread to decide

    def step(self) -> None:
        rng = self.rng
        queue = rng.choice(_MIXED)
        if self.branches and (len(self.branches) > _BRANCHES_MAX or self.log_was_full or rng.random() < 0.05):
            self.decide(self.branches.pop(rng.randrange(len(self.branches))), rng.random() < 0.6)
            self.log_was_full = False
            return
        kind = rng.random()
        if kind < 0.08:
            self._transfer(queue)
        elif kind < 0.12:
            self._prepare(rng.choice(_FOR_BRANCHES))
        elif kind < 0.20:
            self._group()
        elif kind < 0.24:
            self._look(queue)
        else:
            depth = self.depth(queue)
            share_of_puts = 0.9 if depth < _DEPTH_LOW else 0.1 if depth > _DEPTH_HIGH else 0.5
            if rng.random() < share_of_puts:
                self._put_some(queue)
            else:
                self._get_some(queue)

    def _put(self, queue: str, unit: Unit | None = None) -> None:
        rng = self.rng
        kind = rng.random()
        self.put(
            queue,
            unit,
            priority=rng.choice((0, 4, 9)),
            persistent=kind < 0.85,
            expiry=rng.choice((1, 3)) if kind > 0.95 or kind < 0.08 else 0,
        )

    def _put_some(self, queue: str) -> None:
        rng = self.rng
        if rng.random() < 0.4:
            self._put(queue)
            return
        with self.unit() as unit:
            for _ in range(rng.choice((1, 2, 3, 5, 8, 30))):
                self._put(queue if rng.random() < 0.7 else rng.choice(_MIXED), unit)
            if rng.random() < 0.15:
                self.back_out(unit)

    def _get_some(self, queue: str) -> None:
        rng = self.rng
        if rng.random() < 0.4:
            self.get(queue, wait=rng.choice((None, 0.005)))
            return
        with self.unit() as unit:
            for _ in range(rng.choice((1, 2, 3, 5, 8, 30))):
                if self.get(queue, unit) is None:
                    break
            if rng.random() < 0.25:
                self.back_out(unit)

    def _transfer(self, queue: str) -> None:
        """From one queue to another: there is never one of them too many, nor one too few."""
        rng = self.rng
        with self.unit() as unit:
            for _ in range(rng.randrange(1, 4)):
                if self.get(queue, unit) is not None and self.put(rng.choice(_MIXED), unit) is None:
                    self.back_out(unit)
                    return
            if rng.random() < 0.15:
                self.back_out(unit)

    def _prepare(self, queue: str) -> None:
        rng = self.rng
        with self.branch() as branch:
            for _ in range(rng.randrange(1, 4)):
                if rng.random() < 0.5:
                    self.put(queue, branch, priority=rng.choice((0, 4, 9)))
                else:
                    self.get(queue, branch)
            if rng.random() < 0.2:
                branch.ended = True  # rolled back, unprepared
        if not branch.ended:
            self.branches.append(branch.name)

    def _group(self) -> None:
        deep = self.depth(GROUPS.name) > _DEPTH_LOW
        with self.unit() as unit:
            if self.rng.random() < (0.2 if deep else 0.7):
                self.put_group(GROUPS.name, unit, self.rng.randrange(1, 6))
            else:
                self.get_group(GROUPS.name, unit)
            if not unit.ended and self.rng.random() < 0.2:
                self.back_out(unit)

    def _look(self, queue: str) -> None:
        rng = self.rng
        if rng.random() < 0.3:
            self.take(queue, rng.randrange(1, 6), None)
            return
        found = self.browse(queue, rng.randrange(1, 20))
        if found:
            self.get(queue, number=rng.choice(found))


class Checkpointer(Thread):
    """Takes checkpoints at odd moments, some of them close together."""

    def step(self) -> None:
        self.pause(self.rng.choice((0.002, 0.02, 0.05, 0.1)))
        self.qm.checkpoint()
