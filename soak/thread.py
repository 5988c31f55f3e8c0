"""One thread of the workload: calls to the queue manager, each between its intent and its answer in the ledger."""

from __future__ import annotations

import random
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from libremq import Message, MQError, Queue, QueueManager
from libremq.client.transaction import Transaction
from libremq.mqi import constants as C
from soak.ledger import Ledger
from soak.messages import content, number_of
from soak.queues import QUEUES

# What a busy queue manager may answer; anything else is an alarm
_REFUSALS = {C.MQRC_NO_MSG_AVAILABLE, C.MQRC_NO_MSG_UNDER_CURSOR, C.MQRC_Q_FULL, C.MQRC_RESOURCE_PROBLEM}
_SMALL_BYTES, _MEDIUM_BYTES = 400, 4000


def identify(message: Message, queue: str) -> tuple[str | None, str]:
    """The number that the content proves, and the message id. They are the same unless something is damaged."""
    number = number_of(message.data)
    if QUEUES[queue].grouped and number is not None:
        return number, number
    return number, message.message_id.rstrip(b"\0").decode("ascii", "replace")


class UnitBackedOut(Exception):
    """The queue manager has backed out the unit of work of the thread, for lack of log space."""


@dataclass
class Work:
    """What all threads of a run share."""

    qm: QueueManager
    folder: Path
    run: int
    seed: int
    message_bytes_max: int
    stopping: threading.Event = field(default_factory=threading.Event)


class Unit:
    """A unit of work under way: its name, and whether anything is in it."""

    def __init__(self, name: str, transaction: Transaction | None) -> None:
        self.name = name
        self.transaction = transaction
        self.operations = 0
        self.ended = False


class Thread:
    """The base of all kinds of threads. `step` is one thing a thread does, again and again."""

    def __init__(self, work: Work, index: int) -> None:
        self.qm = work.qm
        self.rng = random.Random(f"{work.seed}/{work.run}/{index}")
        self._shared = work
        self._name = f"{work.run}.{index}"
        self._ledger = Ledger(work.folder / str(index))
        self._numbers = 0
        self.log_was_full = False
        self._queues: dict[str, Queue] = {}

    def step(self) -> None:
        raise NotImplementedError

    def work(self) -> None:
        try:
            self.open_queues()
            while not self._shared.stopping.is_set():
                try:
                    self.step()
                except UnitBackedOut:
                    pass  # the ledger has it, and the next step begins anew
        except BaseException:
            self._ledger.write("alarm", traceback.format_exc())
            raise

    def open_queues(self) -> None:
        self._queues = {name: self.qm.queue(name) for name in QUEUES}

    def pause(self, seconds: float) -> None:
        self._shared.stopping.wait(seconds)

    def depth(self, queue: str) -> int:
        return self._queues[queue].depth

    # Messages

    def size(self) -> int:
        """Mostly small, now and then larger than the buffer of a queue."""
        kind = self.rng.random()
        if kind < 0.75:
            return self.rng.randrange(_SMALL_BYTES)
        if kind < 0.97:
            return self.rng.randrange(_MEDIUM_BYTES)
        return self.rng.randrange(self._shared.message_bytes_max)

    def put(
        self,
        queue: str,
        unit: Unit | None = None,
        *,
        priority: int = 4,
        persistent: bool = True,
        expiry: float = 0,
        size: int | None = None,
    ) -> str | None:
        """Put a message; its number, or None if it was refused."""
        number = self._begin_put(queue, unit, priority, persistent, expiry)
        data = content(number, self.size() if size is None else size)
        try:
            self._queues[queue].put(
                data, message_id=number, priority=priority, persistent=persistent, expiry=expiry or None
            )
        except MQError as error:
            self._ledger.write("no", number, error.reason)
            self._refused(error, unit)
            return None
        self._ledger.write("ok", number)
        if unit is not None:
            unit.operations += 1
        return number

    def _begin_put(self, queue: str, unit: Unit | None, priority: int, persistent: bool, expiry: float) -> str:
        self._numbers += 1
        number = f"{self._name}.{self._numbers}"
        name = unit.name if unit is not None else ""
        self._ledger.write("put", number, queue, priority, persistent, expiry, name)
        return number

    def get(self, queue: str, unit: Unit | None = None, *, wait: float | None = None, number: str = "") -> str | None:
        """Get a message, the first or the one with the number; its number, or None if there was none."""
        self._ledger.write("get", queue, unit.name if unit is not None else "", number)
        try:
            message = self._queues[queue].get(wait, message_id=number or None)
        except MQError as error:
            self._ledger.write("none", queue, error.reason)
            self._refused(error, unit)
            return None
        return self._got(message, queue, unit)

    def _got(self, message: Message, queue: str, unit: Unit | None) -> str:
        number, message_id = identify(message, queue)
        self._ledger.write("got", number or message_id, queue, unit.name if unit is not None else "")
        if number != message_id:
            self._ledger.write("alarm", f"damaged: got {message_id} from {queue}, with a content that is not its own")
        if unit is not None:
            unit.operations += 1
        return number or message_id

    def browse(self, queue: str, most: int) -> list[str]:
        """Look at the first few messages; their numbers."""
        found = []
        try:
            with self._queues[queue].browse() as messages:
                for message in messages:
                    number, message_id = identify(message, queue)
                    found.append(message_id)
                    if number != message_id:
                        self._ledger.write("alarm", f"damaged: {message_id} browsed on {queue}")
                    if len(found) == most:
                        break
        except MQError as error:
            self._refused(error, None)
        return found

    def take(self, queue: str, skip: int, unit: Unit | None) -> str | None:
        """Browse to a message somewhere behind the first, and get that."""
        with self._queues[queue].browse(take=True) as browser:
            number = ""
            for _, message in zip(range(skip), browser):
                number = identify(message, queue)[1]
            if not number:
                return None
            self._ledger.write("get", queue, unit.name if unit is not None else "", number)
            try:
                message = browser.take()
            except MQError as error:
                self._ledger.write("none", queue, error.reason)
                self._refused(error, unit)
                return None
            return self._got(message, queue, unit)

    # Groups, always in a unit of work

    def put_group(self, queue: str, unit: Unit, count: int) -> None:
        numbers = [self._begin_put(queue, unit, 4, True, 0) for _ in range(count)]
        try:
            parts = [content(number, self.size() // 4) for number in numbers]
            self._queues[queue].put_group(parts, priority=4, persistent=True)
        except MQError as error:
            for number in numbers:
                self._ledger.write("no", number, error.reason)
            # A part of the group may be in the unit of work: it must not be committed
            self.back_out(unit)
            self._refused(error, None)
            return
        for number in numbers:
            self._ledger.write("ok", number)
        unit.operations += count

    def get_group(self, queue: str, unit: Unit) -> None:
        self._ledger.write("get", queue, unit.name, "")
        try:
            messages = self._queues[queue].get_group()
        except MQError as error:
            self._ledger.write("none", queue, error.reason)
            self.back_out(unit)
            self._refused(error, None)
            return
        numbers = [self._got(message, queue, unit) for message in messages]
        if numbers != sorted(numbers, key=lambda number: int(number.rpartition(".")[2])):
            self._ledger.write("alarm", f"out of order: the group {numbers} from {queue}")

    # Units of work

    @contextmanager
    def unit(self) -> Iterator[Unit]:
        """A unit of work; committed at the end of the block unless it was ended before."""
        self._numbers += 1
        name = f"{self._name}.u{self._numbers}"
        with self.qm.transaction() as transaction:
            unit = Unit(name, transaction)
            yield unit
            if not unit.ended:
                self._commit(unit, transaction)

    def _commit(self, unit: Unit, transaction: Transaction) -> None:
        self._ledger.write("commit", unit.name)
        try:
            transaction.commit()
        except MQError as error:
            if error.reason != C.MQRC_BACKED_OUT:
                raise
            self._ledger.write("backedout", unit.name)
        else:
            self._ledger.write("committed", unit.name)

    def back_out(self, unit: Unit) -> None:
        unit.ended = True
        self._ledger.write("backout", unit.name)
        if unit.transaction is not None:
            unit.transaction.backout()
            self._ledger.write("backedout", unit.name)

    def _refused(self, error: MQError, unit: Unit | None) -> None:
        """Go on after a refusal. Where the queue manager backed out the unit of work, that has to be taken note of."""
        if error.reason == C.MQRC_BACKED_OUT and unit is not None and not unit.ended:
            self.back_out(unit)
            raise UnitBackedOut
        if error.reason not in _REFUSALS:
            raise error
        self.log_was_full |= error.reason == C.MQRC_RESOURCE_PROBLEM

    # Two-phase commit

    @contextmanager
    def branch(self) -> Iterator[Unit]:
        """A branch of a transaction manager: prepared at the end of the block, rolled back if nothing is in it."""
        self._numbers += 1
        unit = Unit(f"{self._name}.u{self._numbers}", None)
        xid = unit.name.encode()
        self.qm.xa.start(xid)
        try:
            yield unit
        finally:
            self.qm.xa.end(xid)
            if unit.ended or not unit.operations:
                unit.ended = True
                self._ledger.write("backout", unit.name)
                self.qm.xa.rollback(xid)
                self._ledger.write("backedout", unit.name)
        if not unit.ended:
            self._ledger.write("prepare", unit.name)
            try:
                self.qm.xa.prepare(xid)
            except MQError as error:
                unit.ended = True
                self._refused(error, None)
                self._ledger.write("backout", unit.name)
                self.qm.xa.rollback(xid)
                self._ledger.write("backedout", unit.name)
            else:
                self._ledger.write("prepared", unit.name)

    def decide(self, name: str, commits: bool) -> None:
        self._ledger.write("decide", name, commits)
        if commits:
            self.qm.xa.commit(name.encode())
        else:
            self.qm.xa.rollback(name.encode())
        self._ledger.write("decided", name)
