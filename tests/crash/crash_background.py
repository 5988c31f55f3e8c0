"""What happens beside the verbs: checkpoints with verbs in between, extents formatted and archived, media images.

In a server these run in threads of their own. Here one thread does it all in a fixed order: while a checkpoint has let
go of the lock, and at its writes to queue files, the driver's operations run as another thread's would.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import crash_driver as driver
from crash_driver import NAME, Life, Operation, Rng

from libremq.kernel.recovery import checkpoint, media_recovery
from libremq.kernel.state import media_image
from libremq.kernel.state.failure_reasons import FAILURES
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

MESSAGES: tuple[Operation, ...] = (
    driver.put, driver.unit_get, driver.put_large, driver.get, driver.commit, driver.unit_put, driver.put,
    driver.get, driver.put_large, driver.commit, driver.put,
)  # fmt: skip
OBJECTS: tuple[Operation, ...] = (
    driver.define, driver.put_to_new, driver.clear, driver.alter, driver.delete, driver.put, driver.define,
    driver.put_to_new, driver.put, driver.delete, driver.define,
)  # fmt: skip
_BESIDE_THE_LOG = re.compile(r"\b(q|handles\.\d+|QMQMOBJCAT\S*)\b")


class _OtherThread:
    """The lock of a checkpoint: whenever it is free, and at some of the writes meanwhile, an operation runs."""

    def __init__(self, life: Life, rng: Rng, operations: tuple[Operation, ...]) -> None:
        self._life = life
        self._rng = rng
        count = len(operations)
        self._operations = list(operations) if rng is None else rng.choices(operations, k=count)
        self._taken = 0
        self._free = False
        self._boundaries = 0

    def __enter__(self) -> None:
        self._free = False
        if self._taken:
            self._run()
        self._taken += 1

    def __exit__(self, *error: object) -> None:
        if error == (None, None, None):
            self._run()
        self._free = True

    def _run(self) -> None:
        life = self._life
        if self._operations and life.files.powered and life.qm.failure is None and life.qm.core.log.failed is None:
            self._operations.pop(0)(life, self._rng)

    def at_boundary(self, what: str) -> None:
        if self._free and _BESIDE_THE_LOG.search(what) and not self._would_wait():
            self._boundaries += 1
            if self._boundaries % 2:
                # Its own writes are no moments for a third one
                self._free = False
                self._run()
                self._free = True

    def _would_wait(self) -> bool:
        """A file is being opened or made: another thread that needs one waits until it is, so this is no moment."""
        stores: list[Any] = [queue.store for queue in self._life.qm.core.queues.values()]
        return any(store._files._lock.locked() or store._file._opening.locked() for store in stores)


def _fuzzy(life: Life, rng: Rng, operations: tuple[Operation, ...]) -> None:
    other = _OtherThread(life, rng, operations)
    files: Any = life.files
    count: Callable[[str], None] = files._count

    def counted(what: str) -> None:
        count(what)
        other.at_boundary(what)

    files._count = counted
    at_once, checkpoint.QUEUES_AT_ONCE = checkpoint.QUEUES_AT_ONCE, 2  # the lock is free between two captures, too
    try:
        life.qm.run_checkpoint(other)
    except FAILURES as error:
        # As the embedded binding does
        life.qm.fail(f"a checkpoint failed: {error}")
        raise mq_error(C.MQRC_CONNECTION_BROKEN, NAME, str(error)) from error
    finally:
        checkpoint.QUEUES_AT_ONCE = at_once
        del files._count


def checkpoint_meanwhile(life: Life, rng: Rng) -> None:
    """A checkpoint, with puts, gets and a unit of work while it is taken."""
    _fuzzy(life, rng, MESSAGES)


def checkpoint_meanwhile_objects(life: Life, rng: Rng) -> None:
    """A checkpoint, with queues defined, cleared and deleted while it is taken."""
    _fuzzy(life, rng, OBJECTS)


# A linear log


def format_ahead(life: Life, rng: Rng) -> None:
    """What the formatter does in its own time. If it cannot, the extent is formatted when it is needed."""

    def verbs() -> None:
        try:
            life.qm.core.log.prepare_next()
        except OSError:
            pass

    life.do(life.plan(), verbs)


def _media(life: Life, verbs: Callable[[], Any]) -> None:
    try:
        verbs()
    except FAILURES as error:
        life.qm.fail(str(error))
        raise mq_error(C.MQRC_CONNECTION_BROKEN, NAME, str(error)) from error


def record_images(life: Life, rng: Rng) -> None:
    """rcdmqimg for everything: media recovery needs less of the log, so old extents may leave."""
    life.do(life.plan(), lambda: _media(life, lambda: media_image.record_images(life.qm)))


def recover_queues(life: Life, rng: Rng) -> None:
    """rcrmqobj for all queues: what is not persistent is gone."""
    after = life.plan()
    for queue in after.high:
        after = after.without_nonpersistent(queue)

    def verbs() -> None:
        for result in media_recovery.recover_objects(life.qm, "ql", "*"):
            if result.problem:
                raise mq_error(C.MQRC_STORAGE_MEDIUM_FULL, result.name, result.problem)

    life.do(after, lambda: _media(life, verbs))


def archive(life: Life, rng: Rng) -> None:
    """Copy what nothing needs to another folder; with the next checkpoint it leaves."""
    life.do(life.plan(), lambda: _media(life, lambda: life.qm.core.log.archive("archive")))
