"""What every call of the kernel goes through: what fails becomes a reason code, and what falls due is done.

A call that finds the log or the disk full is tried again once there is room. After it come the checkpoint, if enough
was logged, and the command server, if the call has made a command visible; and at last those are told whom the call
has woken (`Woken`). An answer to a connection is taken apart here (`connection_verb`): the connection hears
what it has to wait for, the caller gets the value. It gets it whatever becomes of the things that follow: a get that
is done has taken its message, and nobody else has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from libremq.common.configuration import TuningSettings
from libremq.common.files.folder_lock import FolderLock
from libremq.common.messages.amq_messages import amq
from libremq.kernel.recovery.restart import Say
from libremq.kernel.running import RunningQueueManager
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, as_mq_error, is_final
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.verb_result import Answer
from libremq.log import LogFull, SlotFile
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.store_errors import StoreFull

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Calls = TypeVar("_Calls", bound="VerbCalls")


class VerbCalls(RunningQueueManager):
    """A started queue manager that takes calls."""

    def __init__(
        self, core: Core, lock: FolderLock, checkpoint_file: SlotFile, say: Say, tuning: TuningSettings | None = None
    ) -> None:
        super().__init__(core, lock, checkpoint_file, say, tuning)
        self.commands_wait = False  # messages may be on the command queue that the command server has not seen
        self._serve_commands: Callable[[], bool] | None = None
        self._serving_commands = False
        self._by_clock = False  # a command is under way: the clock goes on with it, and no verb has to pay for it

    @property
    def serves_commands(self) -> bool:
        """Does the command server run?"""
        return self._serve_commands is not None

    def set_command_server(self, serve: Callable[[], bool] | None) -> None:
        """Who serves commands, with the next verb or turn of the clock; None: they stay on their queue.

        `serve` says whether there may be more: those have to wait until applications had their turn.
        """
        self._serve_commands = serve
        self._by_clock = False
        if serve is not None:
            self._commands_left()

    def _commands_left(self) -> None:
        self.commands_wait = True
        self.deadlines_changed()

    def available(self, queues: Mapping[QueueState, Sequence[int]]) -> None:
        """Messages of these queues may be available now to those who wait."""
        raise AssertionError("a queue manager without verbs has nobody who waits")

    def _say_not_followed(self, error: Exception) -> None:
        self.say(amq(7493, self.name, f"{type(error).__name__}: {error}"))

    def run_commands(self) -> None:
        """The command server's turn, at the end of a verb: a command may change all that the verb worked on.

        What it leaves for later is the clock's: a link runs many verbs in its turn, and each would run a step of it.
        """
        if self._serving_commands or self.failure is not None:
            return
        self.commands_wait = self._by_clock = False
        if self._serve_commands is not None:
            self._serving_commands = True
            try:
                if self._serve_commands():
                    self._by_clock = True
                    self._commands_left()
            finally:
                self._serving_commands = False


def verb(method: Callable[Concatenate[_Calls, _P], _T]) -> Callable[Concatenate[_Calls, _P], _T]:
    """A call: trouble below becomes a reason code, a full log gets another try once it has room."""
    call: Callable[Concatenate[_Calls, _P], _T] = _boundary(method, answers=False)
    return call


def connection_verb(
    method: Callable[Concatenate[_Calls, _P], Answer[_T]],
) -> Callable[Concatenate[_Calls, _P], _T]:
    """A call whose answer goes to a connection, which then waits for the log position that the answer names."""
    call: Callable[Concatenate[_Calls, _P], _T] = _boundary(method, answers=True)
    return call


def _boundary(method: Callable[..., Any], *, answers: bool) -> Any:
    @wraps(method)
    def call(self: VerbCalls, /, *args: object, **kwargs: object) -> Any:
        if self.failure is not None:
            raise mq_error(C.MQRC_CONNECTION_BROKEN, self.name, self.failure)
        before = 0  # what an earlier try may have logged
        core = self.core
        woken = core.woken
        nested, woken.in_call = woken.in_call, True
        is_done = False
        try:
            while True:
                try:
                    result = method(self, *args, **kwargs)
                    break
                except LogFull as error:
                    before = core.log.tail - 1
                    if error.hopeless or not self.make_log_room():
                        raise
                    self._check_alive()
                except StoreFull as error:
                    before = core.log.tail - 1
                    if not self.make_disk_room(error):
                        raise self.disk_error(error) from error.__cause__
                    self._check_alive()
            if answers:
                result, lsn, connection = result
                assert lsn >= 0
                if lsn > connection.lsn or before:
                    connection.depend_on(max(lsn, before))
            is_done = True
            if (
                core.log.position >= self._look_at
                or core.logged_operations >= self._records_due
                or core.checkpoint_wanted
            ):
                self.look_at_log()
        except Exception as error:
            if is_final(error):
                self.fail(str(error))
            elif is_done:
                self._say_not_followed(error)
            if not is_done or is_final(error):
                if isinstance(error, FAILURES):
                    raise as_mq_error(error, self.name) from error
                raise
        finally:
            try:
                if self.commands_wait and not self._by_clock:
                    self.run_commands()
            except Exception as error:
                self._say_not_followed(error)
            finally:
                if not nested:
                    woken.in_call = False
                    if woken.to_tell:
                        woken.tell(self._say_not_followed)
        return result

    return call
