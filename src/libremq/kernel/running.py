"""A started queue manager from the inside: checkpoints, room in log and disk, the orderly end, and fail-stop.

An orderly end is a checkpoint, so that the next start has nothing to replay. A failure below ends everything at once
(contract 4). How it was started is `libremq.host.lifecycle`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from libremq.common.configuration import TuningSettings
from libremq.common.files.folder_lock import FolderLock
from libremq.common.messages.amq_messages import amq
from libremq.kernel.events import queue_manager_events
from libremq.kernel.recovery import disk_room, log_room
from libremq.kernel.recovery.checkpoint import Checkpoint
from libremq.kernel.recovery.restart import Say
from libremq.kernel.state import media_image
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import (
    PASSING,
    is_full_disk,
    is_lack_of_space,
)
from libremq.log import LogError, LogFull, SlotFile
from libremq.log.statistics_file import save_statistics
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.store_errors import StoreFull


def _silent(text: str) -> None:
    """Nobody wants the start messages."""


def _nothing() -> None:
    """For a checkpoint that makes no pauses."""


_COMPLETED = object()


class Checkpoints(Protocol):
    """A binding's way of taking checkpoints while verbs go on. Both are called under the lock."""

    def request(self) -> None:
        """One is due."""

    def wait(self) -> bool:
        """Let the lock go until none is under way; True if one was."""


class RunningQueueManager:
    """A started queue manager, as far as it does not concern applications."""

    def __init__(
        self,
        core: Core,
        lock: FolderLock,
        checkpoint_file: SlotFile,
        say: Say = _silent,
        tuning: TuningSettings | None = None,
    ) -> None:
        self.core = core
        self.say = say
        self.tuning = tuning or TuningSettings()
        self.checkpoints: Checkpoints | None = None
        self.after_checkpoint: Callable[[str], None] = lambda event: None  # "checkpoint", or "end" for the last one
        self.failure: str | None = None
        self.ended = False
        self.end_note = ""
        """What whoever ends it should know: it could not do all that belongs to an end."""
        self._disk_look = -math.inf
        self._lock = lock
        self._checkpoint_file = checkpoint_file
        self._checkpoint_due = self._records_due = self._records_at_checkpoint = 0
        self._look_at = 0  # before the log has grown to this position nothing is due by it
        core.events.fail = self.fail
        self._plan_checkpoint()
        self._extent_end = self._end_of_extent()

    def deadlines_changed(self) -> None:
        """The clock has to be looked at sooner than whoever watches it knows."""
        self.core.wait_clock.sooner()

    def end_connections(self) -> None:
        """Back out and close what applications left; the verbs know how."""
        raise AssertionError("a queue manager without verbs has no connections")

    @property
    def name(self) -> str:
        return self.core.qmgr_name

    # The end

    def end(self) -> None:
        """End in good order: connections ended, temporary queues gone, a last checkpoint taken."""
        if self.failure is None and (path := self._lock.replaced()):
            self.fail(self._say_replaced(path))
        self.tell_end(quiescing=self.core.quiescing)
        self.ended = True
        if self.failure is None:
            for waiter in list(self.core.waiters):
                waiter.fail(mq_error(C.MQRC_Q_MGR_STOPPING, self.name, "the queue manager ended while the get waited"))
            try:
                self.end_connections()
                for unit in self.core.active_units():
                    self.core.backout(unit)  # a branch that no connection was in
                if self.core.log.config.linear:
                    for _ in media_image.record_cheap(self.core):
                        pass
                disk_room.take_checkpoint(self.core, self._checkpoint_file, clean=True)
                self._report_checkpoint("end")
            except Exception as error:
                # What the log holds is enough for the next start, whatever went wrong here
                if is_lack_of_space(error):
                    self._end_without_checkpoint(error)
                else:
                    self.fail(f"the last checkpoint failed: {error}")
                    self.say(amq(7476, self.name, error))
        self._let_go()

    def _end_without_checkpoint(self, error: Exception) -> None:
        """There is no room for it. The end is in good order all the same, but for what only that would have saved."""
        self.end_note = amq(7487, self.name, disk_room.described(self.core, error))
        self.say(self.end_note)
        self._report_checkpoint("end")

    def quiesce(self) -> None:
        """From now on nobody connects, and calls that want to fail then do."""
        self.core.quiescing = True

    def end_waits(self) -> None:
        """The queue manager quiesces: gets that wait, and want to fail then, do."""
        for waiter in list(self.core.waiters):
            if waiter.gmo.Options & C.MQGMO_FAIL_IF_QUIESCING:
                waiter.fail(mq_error(C.MQRC_Q_MGR_QUIESCING, self.name))

    def tell_end(self, *, quiescing: bool) -> None:
        """Make the event that says so, before those who may be waiting for it are gone."""
        if self.failure is None and not self.ended:
            queue_manager_events.queue_manager_stopping(self.core, quiescing=quiescing)

    def _let_go(self) -> None:
        self.ended = True
        try:
            for queue in self.core.queues.values():
                queue.store.close()
            if self.failure is None:
                try:
                    self.core.log.close()
                except LogError as error:
                    self.fail(str(error))
            else:
                self.core.log.abandon()
            self._checkpoint_file.close()
        finally:
            self._lock.release()

    def abandon(self) -> None:
        """Stop as if the process had been killed: for tests, and after a failure."""
        self.fail("the queue manager was stopped without an orderly end")
        self._let_go()

    def fail(self, why: str) -> None:
        """Fail-stop (contract 4): nothing more is written, every waiting and later call is told why."""
        if self.failure is None:
            self.failure = why
            for waiter in list(self.core.waiters):
                waiter.fail(mq_error(C.MQRC_CONNECTION_BROKEN, self.name, why))
            for connection in self.core.connections.values():
                self.core.woken.add(connection.wake)
            self.core.woken.tell()

    def forsake(self, why: str) -> None:
        """In the child of a fork: this is a copy, the files are the parent's. The copy of the lock is let go."""
        self.failure = why
        self._lock.release()

    # Checkpoints and the clock

    def take_checkpoint(self) -> None:
        """Take a checkpoint now, in one go. A full disk or log only postpones it: the log still holds everything."""
        self.run_checkpoint(nullcontext())

    def run_checkpoint(
        self,
        lock: AbstractContextManager[object],
        pause: Callable[[], None] = _nothing,
        give_way: Callable[[], None] = _nothing,
    ) -> bool:
        """Take a checkpoint; verbs may go on meanwhile, as the lock is held only at its beginning and end.

        And not for long at once: `give_way` is called between two steps there, `pause` now and then between two writes.
        False if another one is under way, or this one would not be worth it.
        """
        if self.core.log.config.linear:
            self._record_images(lock, give_way)
        with lock:
            current = self._begin_checkpoint()
        if current is None:
            return False
        is_captured = False
        try:
            while not is_captured:
                give_way()
                with lock:
                    self._check_alive()
                    is_captured = not current.capture_some()
            current.write(pause)
            with lock:
                self._check_alive()
                current.state()
            parts = current.parts()
            with lock:
                self._check_alive()
                self._check_in_place()
                current.record(parts)
            current.settle()
        except BaseException as error:
            with lock:
                current.give_up(error if is_captured else None)  # before that nothing was written
                self._plan_checkpoint()
                if not isinstance(error, PASSING):
                    raise
                again = self._postponed(error)
            return self.run_checkpoint(lock, pause, give_way) if again else True
        steps = current.completing()
        more = True
        while more:
            with lock:
                if self.failure is not None:
                    current.give_up()
                self._check_alive()
                more = next(steps, _COMPLETED) is not _COMPLETED
                if not more:
                    self._plan_checkpoint()
                    disk_room.after_checkpoint(self.core)
            give_way()
        self._report_checkpoint("checkpoint")
        return True

    def _begin_checkpoint(self) -> Checkpoint | None:
        core = self.core
        try:
            if not self._may_begin():
                return None
            for _ in self._cheap_images():
                pass  # all of them but for a few, if somebody gave way before
            return Checkpoint.begin(core, self._checkpoint_file, at_once=False)
        except PASSING as error:
            self._plan_checkpoint()
            return self._begin_checkpoint() if self._postponed(error) else None

    def _may_begin(self) -> bool:
        core = self.core
        if core.checkpoint is not None or self.failure is not None or self.ended:
            return False
        self._check_in_place()
        log_room.pull_up(core)
        space = core.log.space()
        room = space.capacity_bytes - space.used_bytes - core.undo_bytes
        # Else it would only use up the room that is kept to end units of work
        return room >= space.capacity_bytes - space.limit_bytes or log_room.frees_log(core)

    def _cheap_images(self) -> Iterator[None]:
        """Before a checkpoint that may remove extents, in steps."""
        config = self.core.log.config
        return media_image.record_cheap(self.core) if config.linear and config.log_management != "Manual" else iter(())

    def _record_images(self, lock: AbstractContextManager[object], give_way: Callable[[], None]) -> None:
        """Most of them are made before the checkpoint begins. What goes wrong here, that will meet, too."""
        steps = self._cheap_images()
        more = True
        while more:
            with lock:
                try:
                    more = self._may_begin() and next(steps, _COMPLETED) is not _COMPLETED
                except PASSING:
                    return
            give_way()

    def _postponed(self, error: Exception) -> bool:
        """A checkpoint could not be taken; True if it can be now, as the reserve was let go for it."""
        if disk_room.let_go(self.core, error):
            return True
        self.say(amq(7233, self.name, disk_room.described(self.core, error)))
        return False

    def _check_alive(self) -> None:
        """The queue manager may have failed in another thread since the lock was let go."""
        if self.failure is not None:
            raise LogError(self.failure)

    def _check_in_place(self) -> None:
        """Somebody has put other files in the place of ours: theirs must not be written, nor what refers to them."""
        path = self._lock.replaced()
        if path:
            raise LogError(self._say_replaced(path))

    def _say_replaced(self, path: str) -> str:
        text = amq(7494, self.name, path)
        self.say(text)
        return text

    def _report_checkpoint(self, event: str) -> None:
        self.after_checkpoint(event)
        if self.core.log.config.linear:
            self.say_extents()

    def save_statistics(self, event: str) -> None:
        """Leave the logger's counters where a command in another process finds them."""
        core = self.core
        save_statistics(
            core.files, core.folder, core.log.statistics(), queue_manager=self.name, at=core.clock.now(), event=event
        )

    def say_extents(self) -> None:
        """Which extents of a linear log are still needed: the administrator may archive or delete those before."""
        log = self.core.log
        self.say(amq(7467, self.name, log.restart_extent))
        self.say(amq(7468, self.name, log.media_extent))

    def make_log_room(self) -> bool:
        """The log is full: have a checkpoint free some of it, after the oldest unit of work if that holds it back.

        False if nothing can be done. The verb that found no room has changed nothing and is tried again after this.
        """
        core = self.core
        if core.checkpoint is not None:
            return self.checkpoints is not None and self.checkpoints.wait()
        extent_bytes = core.log.config.extent_bytes
        before = core.log.head // extent_bytes
        if core.log.tail // extent_bytes == before:
            return False  # there is no extent to be freed, whoever gives way
        try:
            while not log_room.frees_log(core):
                if not log_room.pull_up(core):
                    log_room.give_way(core)
        except LogFull as error:
            self.say(amq(7477, self.name, error))
            return False
        self.take_checkpoint()
        return core.log.head // extent_bytes > before

    def make_disk_room(self, error: StoreFull) -> bool:
        """The disk is full: have a checkpoint give back the space of messages that are gone, if there are any.

        False if nothing can be done, or was tried a moment ago. The verb has changed nothing and is tried again once.
        """
        core = self.core
        monotonic = core.clock.monotonic
        if monotonic() < self._disk_look + disk_room.LOOK_S or not (core.disk_full or is_full_disk(error)):
            return False
        try:
            if core.checkpoint is not None:
                return self.checkpoints is not None and self.checkpoints.wait()
            if not core.disk_full and not disk_room.would_free(core):
                return False
            self.take_checkpoint()  # and if that succeeds, the reserve is made again
            return not core.disk_full
        finally:
            self._disk_look = monotonic()

    def disk_error(self, error: StoreFull) -> StoreFull:
        """The same with what an operator has to know."""
        return StoreFull(disk_room.described(self.core, error))

    def keep_reserve(self) -> None:
        """Have space on the disk that is for checkpoints only: for a queue manager that is to run for long."""
        disk_room.keep(self.core)

    def _plan_checkpoint(self) -> None:
        """The next one is due after so many logged operations, or a quarter of the log, whichever comes first."""
        log = self.core.log
        self._records_due = self.core.logged_operations + self.tuning.checkpoint_records_max
        self._records_at_checkpoint = self.core.logged_operations
        self._checkpoint_due = log.tail + log.space().capacity_bytes // 4
        self._look_at = 0  # the next call finds out

    def _end_of_extent(self) -> float:
        """Where the log goes on in another extent, as far as anybody may want to know: only a linear log has events."""
        config = self.core.log.config
        return (self.core.log.tail // config.extent_bytes + 1) * config.extent_bytes if config.linear else math.inf

    def look_at_log(self) -> None:
        """Do what falls due by the log, if it has grown so far, or a checkpoint is wanted."""
        core = self.core
        tail = core.log.tail
        if core.logged_operations >= self._records_due or tail >= self._checkpoint_due or core.checkpoint_wanted:
            self.checkpoint_due()
        if tail >= self._extent_end:
            self._extent_end = self._end_of_extent()
            queue_manager_events.logger_event(core)
        self._look_at = core.log.position_at(int(min(self._checkpoint_due, self._extent_end)))

    def checkpoint_due(self) -> None:
        """Enough has been logged for a checkpoint, or one is wanted."""
        self.core.checkpoint_wanted = False
        if self.checkpoints is None:
            self.take_checkpoint()
        else:
            self.checkpoints.request()
