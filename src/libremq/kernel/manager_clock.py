"""What the clock asks for: waits, expired messages, checkpoints, images, backouts; and MOVE QLOCAL, in steps."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress

from libremq.common.configuration import TuningSettings
from libremq.common.files.folder_lock import FolderLock
from libremq.kernel.manager_administration import Administration
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.recovery.restart import Say
from libremq.kernel.state.core import Core
from libremq.kernel.state.turns import Turn
from libremq.kernel.state.unit_of_work import UNDOING
from libremq.kernel.state.wait_clock import Deadline
from libremq.kernel.units.moving_messages import Move
from libremq.kernel.verb_calls import verb
from libremq.kernel.verbs import expiry
from libremq.log import SlotFile
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

_UNDO_AGAIN_S = 1.0  # until a backout goes on for which the log had no room


class ByTheClock(Administration):
    """What happens later, or again and again: planned on the wait clock, done by `tick`."""

    def __init__(
        self, core: Core, lock: FolderLock, checkpoint_file: SlotFile, say: Say, tuning: TuningSettings | None = None
    ) -> None:
        super().__init__(core, lock, checkpoint_file, say, tuning)
        self._next_undo = 0.0
        self._undo: Deadline | None = None
        self.not_given_back: list[Callable[[], object]] = []
        self._plan_expiry_scan()
        self._plan_timed_checkpoint()
        self.images.begin(self._take_image_turn)
        core.on_unfinished = self._undo_later
        core.turns.begun = self.deadlines_changed
        if core.unfinished:
            self._undo_later()

    def tick(self) -> None:
        """Do what the clock asks for: waits that ran out, the expiry scan, the timed checkpoint, media images; and a
        slice of what is left to do, if anything is. Whoever calls it lets others have their turn before the next one.
        """
        woken = self.core.woken
        woken.in_call = True
        try:
            self.core.wait_clock.run(self.core.clock.monotonic())
            if self.core.turns:
                self.next_turn()
            if self.commands_wait:
                self.run_commands()
        finally:
            woken.end_call(self._say_not_followed)

    def next_deadline(self) -> float:
        """When `tick` should be called next."""
        next_deadline = self.core.wait_clock.next()
        return self.core.clock.monotonic() if self.commands_wait or self.core.turns else next_deadline

    def next_turn(self) -> None:
        """A slice of what has more to do than one. What cannot go on tells those who wait for it."""
        turn = self.core.turns.first()
        more = False
        try:
            more = self._go_on(turn)
        except MQError as error:
            turn.fail(error)
        except Exception as error:
            turn.fail(mq_error(C.MQRC_UNEXPECTED_ERROR, self.name, f"{type(error).__name__}: {error}"))
            raise
        finally:
            self.core.turns.end(turn, more=more)

    @verb
    def _go_on(self, turn: Turn) -> bool:
        return turn.go_on()

    def _plan_expiry_scan(self) -> None:
        core = self.core
        core.wait_clock.add(core.clock.monotonic() + expiry.SCAN_INTERVAL_S, self._expiry_scan_due)

    def _expiry_scan_due(self) -> None:
        self._plan_expiry_scan()
        self.commands_wait = True  # whatever kept the command server from one: it looks again
        self.core.turns.add(expiry.Scan(self.core))

    def _plan_timed_checkpoint(self) -> None:
        core = self.core
        core.wait_clock.add(
            core.clock.monotonic() + 60 * self.tuning.checkpoint_wait_minutes, self._timed_checkpoint_due
        )

    def _timed_checkpoint_due(self) -> None:
        self._plan_timed_checkpoint()
        if self.core.logged_operations - self._records_at_checkpoint >= self.tuning.checkpoint_records_min:
            self._timed_checkpoint()

    def _undo_later(self) -> None:
        """There is a backout to go on with, or somebody to be disconnected: at once, then every now and then."""
        if self._undo is None:
            self._undo = self.core.wait_clock.add(self._next_undo, self._undo_again)

    def _undo_again(self) -> None:
        self._undo = None
        self._next_undo = self.core.clock.monotonic() + _UNDO_AGAIN_S
        with suppress(MQError):
            self.finish_backouts()
        self._give_back_again()
        if self.core.unfinished or self.not_given_back:
            self._undo_later()

    def give_back_later(self, give_back: Callable[[], object]) -> None:
        """Whoever is gone could not be disconnected, as the log is full: try that again until it succeeds.

        What such a one has keeps the log from moving on, and its queues from being opened.
        """
        self.not_given_back.append(give_back)
        self._undo_later()

    def _give_back_again(self) -> None:
        self.not_given_back, left = [], self.not_given_back
        for give_back in left:
            try:
                give_back()
            except MQError as error:
                if error.reason != C.MQRC_HCONN_ERROR:  # else it is gone by now
                    self.not_given_back.append(give_back)

    @verb
    def finish_backouts(self) -> None:
        """Go on with backouts for which the log had no room; what is prepared is for its transaction manager."""
        for unit in [unit for unit in self.core.active_units() if unit.state is UNDOING]:
            self.core.backout(unit)

    @verb
    def scan_expired(self) -> int:
        """Discard every expired message now, in one go; how many there were. The clock takes its time over it."""
        scan = expiry.Scan(self.core)
        while scan.go_on():
            pass
        return scan.count

    @verb
    def _take_image_turn(self) -> None:
        self.images.turn()

    @verb
    def checkpoint(self) -> None:
        self.take_checkpoint()

    @verb
    def _timed_checkpoint(self) -> None:
        self.checkpoint_due()

    # What takes several steps, and is given back if nobody goes on with it

    def move(self, source: LocalQueue, target: LocalQueue, *, add: bool) -> Generator[None, None, int]:
        """MOVE QLOCAL, in steps: all messages in their order, or none. Without `add` the target must be empty."""
        move = self._begin_move(source, target, add)
        try:
            while self._go_on_with(move):
                yield
            return self._end_move(move)
        except GeneratorExit:  # whoever gave the command is gone, and this thread may not have the lock
            self.give_back_later(move.give_up)
            raise
        except BaseException:
            if self.failure is None:
                self._give_up(move)
            raise

    @verb
    def _begin_move(self, source: LocalQueue, target: LocalQueue, add: bool) -> Move:
        return Move(self.core, source, target, add=add)

    @verb
    def _go_on_with(self, move: Move) -> bool:
        return move.go_on()

    @verb
    def _end_move(self, move: Move) -> int:
        return move.commit()

    @verb
    def _give_up(self, move: Move) -> None:
        move.give_up()
