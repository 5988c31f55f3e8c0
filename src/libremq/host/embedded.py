"""The embedded binding (fastpath): the queue manager inside the application's process.

One lock around the kernel, one thread for the clock. A verb runs under the lock; its answer leaves only when the log
is forced as far as the connection depends on, and that wait is outside the lock, so that the records of other threads
gather meanwhile and go out with the next force (contract 2).

Ctrl-C can strike the main thread between any two instructions. While a get waits, that is harmless. In the middle of a
verb it would leave memory half changed, so the queue manager then stops as after a failure (contract 4): the log has
what was acknowledged, and the next start brings it back.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import TracebackType
from typing import ParamSpec, TypeVar

from libremq.admin.command import Outcome
from libremq.admin.command_server import CommandServer
from libremq.admin.executor import Executor
from libremq.admin.pending_outcome import Pending
from libremq.admin.steps import Steps
from libremq.common.clock import Clock, SystemClock
from libremq.common.configuration import TuningSettings
from libremq.common.files.file_layer import Files, RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.common.operating_system import in_child_after_fork
from libremq.host import lifecycle
from libremq.host.amq_logger import to_logger
from libremq.host.checkpointer import Checkpointer
from libremq.host.giving_way import GIVE_WAY_S, give_way
from libremq.kernel.manager import QueueManager
from libremq.kernel.recovery.restart import Say
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.failure_reasons import FAILURES, as_mq_error, as_start_error, is_final
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.kernel.verbs.long_puts import LongPut
from libremq.log import LogConfig, LogError
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.queue_store import StoreLimits

_P = ParamSpec("_P")
_T = TypeVar("_T")
_LOOK_FOR_SIGNALS_S = 0.5
_OUTCOME_S = 300.0  # for a command whose outcome comes over the network: longer than any such wait
_here: weakref.WeakSet[EmbeddedQueueManager] = weakref.WeakSet()


class EmbeddedQueueManager:
    """A queue manager in this process, shared by the threads of the application."""

    def __init__(self, manager: QueueManager, *, background: bool = True) -> None:
        self.manager = manager
        self.executor = Executor(manager)
        self.command_server = CommandServer(manager, self.executor)
        _here.add(self)
        self.lock = threading.RLock()
        self._ended = False
        self._is_copy = False  # in the child of a fork
        self._late: dict[int, BaseException] = {}  # by connection: an interrupt that came together with a message
        self._clock_changed = threading.Condition(self.lock)
        self._timer: threading.Thread | None = None
        self._checkpointer: Checkpointer | None = None
        manager.after_checkpoint = manager.save_statistics
        if background:
            if isinstance(manager.core.files, RealFiles):  # other files are for one thread
                self._checkpointer = Checkpointer(manager, self.lock)
            self._timer = threading.Thread(target=self._watch_clock, name=f"libremq-{manager.name}", daemon=True)
            manager.core.wait_clock.sooner = self._clock_changed.notify
            self._timer.start()

    @classmethod
    def start(
        cls,
        folder: str,
        name: str,
        *,
        create: bool = False,
        files: Files | None = None,
        clock: Clock | None = None,
        limits: StoreLimits | None = None,
        log_config: LogConfig | None = None,
        log_folder: str = "",
        tuning: TuningSettings | None = None,
        say: Say | None = None,
        background: bool = True,
    ) -> EmbeddedQueueManager:
        """Start the queue manager in the folder; `create` makes it first if it is not there.

        What it has to say goes to its Python logger, unless there is a `say`.
        """
        files = files or RealFiles()
        clock = clock or SystemClock()
        if create and not _is_there(files, folder, name):
            lifecycle.create(files, folder, name, clock, log_config, log_folder=log_folder, tuning=tuning)
        manager = lifecycle.start(files, folder, name, clock, limits=limits, say=say or to_logger(name))
        return cls(manager, background=background)

    @property
    def name(self) -> str:
        return self.manager.name

    def serve_commands(self, *, trusting: bool = False) -> None:
        """Start the command server, if SCMDSERV says so.

        `trusting` is for a queue manager inside an application: a user that no connection knows is the application.
        """
        with self.lock:
            self.manager.core.authorities.trusting = trusting
            self.command_server.start_with_manager()

    # Calls

    def check_open(self) -> None:
        if self._ended:
            raise mq_error(C.MQRC_HCONN_ERROR, self.name, "the embedded queue manager has been ended")
        if self.manager.failure is not None:
            raise mq_error(C.MQRC_CONNECTION_BROKEN, self.name, self.manager.failure)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Work on the kernel. An interrupt in the middle of it stops the queue manager."""
        with self.lock:
            self.check_open()
            try:
                yield
            except Exception:
                raise
            except BaseException:
                self._interrupted()
                raise

    def _interrupted(self) -> None:
        self.manager.fail("it was interrupted in the middle of a call; what was acknowledged is safe, connect again")

    def call(self, hconn: int, verb: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a verb for a connection; return when what it depends on is on disk."""
        connections = self.manager.core.connections
        with self.lock:
            if self._late:
                self._raise_late(hconn)
            self.check_open()
            try:
                result = verb(*args, **kwargs)
                connection = connections.get(hconn)
                lsn = connection.lsn if connection is not None else 0
            except Exception:
                raise
            except BaseException:
                self._interrupted()
                raise
        self.force(lsn)
        return result

    def admin(self, verb: Callable[[], int]) -> None:
        """Run a command that returns the log position it depends on."""
        with self.locked():
            lsn = verb()
        self.force(lsn)

    def put_in_parts(self, hconn: int, long_put: LongPut, put: Callable[[], _T]) -> _T:
        """Go on with a long put, part by part, and then put; others have their turn in between. Without the lock."""
        manager = self.manager
        try:
            while True:
                with self.locked():
                    manager.go_on_with_put(long_put)
                    is_ready, lsn = long_put.is_ready, long_put.waits_for
                if is_ready:
                    break
                if lsn:
                    self.force(lsn)
                give_way()
            return self.call(hconn, put)
        finally:
            with self.lock, suppress(MQError):  # if there is no room for it now, the backout goes on later
                manager.end_long_put(long_put)

    def run_command(self, command: Callable[[AbstractContextManager[object]], _T]) -> _T:
        """Run a long command, which is given the lock and takes it when it needs it; others go on in between."""
        lock = _CheckedLock(self)
        with lock:
            pass
        try:
            return command(lock)
        except FAILURES as error:
            if is_final(error):
                with self.lock:
                    self.manager.fail(str(error))
            raise as_mq_error(error, self.name) from error
        except Exception:
            raise
        except BaseException:
            with self.lock:
                self._interrupted()
            raise

    def run_steps(self, steps: Steps[_T]) -> _T:
        """Run a command that works in steps, each under the lock; others have their turn in between."""
        while True:
            with self.locked():
                try:
                    next(steps)
                except StopIteration as end:
                    result: _T = end.value
                    return result
            give_way()

    def await_outcome(self, pending: Pending[Outcome]) -> None:
        """Return when the outcome of a command has come, at the latest when the queue manager ends. Without the lock.

        It has failed if nothing came in time.
        """
        for _ in range(round(_OUTCOME_S / _LOOK_FOR_SIGNALS_S)):
            if pending.wait(_LOOK_FOR_SIGNALS_S):
                return
            with self.lock:
                if self._ended or self.manager.failure is not None or self.manager.core.quiescing:
                    message, reason = amq(8156), C.MQRC_Q_MGR_QUIESCING
                    break
        else:
            message, reason = amq(8498, "the other end did not answer in time"), C.MQRCCF_COMMAND_FAILED
        with self.lock:
            pending.complete(Outcome([message], reason=reason, comp_code=C.MQCC_FAILED))

    def force(self, lsn: int) -> None:
        """Return when the log is on disk up to this position. Call without the lock."""
        log = self.manager.core.log
        if lsn < log.durable:
            return
        try:
            log.force(lsn)
        except LogError as error:
            with self.lock:
                self.manager.fail(str(error))
            raise mq_error(C.MQRC_CONNECTION_BROKEN, self.name, str(error)) from error

    def get(self, hconn: int, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None) -> Got:
        """MQGET: waits in this thread if the options ask for it. Interrupted, it leaves the message on the queue."""
        manager = self.manager
        with self.lock:
            if self._late:
                self._raise_late(hconn)
            self.check_open()
            try:
                connection = manager.connection(hconn)
                result = manager.get(hconn, hobj, md, gmo, buffer_length)
            except Exception:
                raise
            except BaseException:
                self._interrupted()
                raise
            if isinstance(result, Waiter):
                result = self._wait(hconn, result)
            lsn = connection.lsn
        self.force(lsn)
        return result

    def _wait(self, hconn: int, waiter: Waiter) -> Got:
        """Wait under the lock's condition of this waiter; the lock is free meanwhile."""
        arrived = threading.Condition(self.lock)
        waiter.notify = arrived.notify
        # A signal that comes just before the main thread falls asleep does not wake it: it must look by itself
        look = _LOOK_FOR_SIGNALS_S if threading.current_thread() is threading.main_thread() else None
        try:
            while not waiter.done:
                if self._has_long_work_here:
                    self.manager.tick()
                    if not waiter.done:
                        arrived.wait(GIVE_WAY_S)
                    continue
                timeout = look
                if waiter.deadline is not None and self._timer is None:  # else the clock ends the wait
                    left = max(0.0, waiter.deadline - self.manager.core.clock.monotonic())
                    if left == 0.0:
                        self.manager.cancel(waiter)
                        break
                    timeout = left if look is None else min(left, look)
                arrived.wait(timeout)
        except BaseException as interruption:
            if not self.lock._is_owned():  # type: ignore[attr-defined]
                self.lock.acquire()  # it struck inside the wait, while the lock was given up
            if waiter.result is None:
                self.manager.cancel(waiter)
                raise
            # The message came in the same moment: it is handed out, and the next call hears of the interrupt
            self.postpone(hconn, interruption)
        if waiter.error is not None:
            raise waiter.error
        assert waiter.result is not None
        return waiter.result

    def postpone(self, hconn: int, error: BaseException) -> None:
        """Have the next call of the connection raise this: what came with it is to reach the program first."""
        self._late[hconn] = error

    def _raise_late(self, hconn: int) -> None:
        if hconn in self._late:
            raise self._late.pop(hconn)

    # The clock

    def _watch_clock(self) -> None:
        """Expiry scans, timed checkpoints, wait intervals of consumers; long work, one slice after the other."""
        manager = self.manager
        with self.lock:
            while not self._ended and manager.failure is None:
                delay = manager.next_deadline() - manager.core.clock.monotonic()
                if delay > 0:
                    self._clock_changed.wait(min(delay, 60.0))
                    continue
                try:
                    manager.tick()
                except Exception as error:
                    # If it is final, every later call hears of it; else there is a next time. Whatever it is, the
                    # clock goes on: gets that wait rely on it
                    manager.say(amq(7484, manager.name, error))
                if manager.next_deadline() <= manager.core.clock.monotonic():
                    self._clock_changed.wait(GIVE_WAY_S)  # there is more to do: others have the lock first

    def await_news(self, news: threading.Condition) -> None:
        """Wait for news of the kernel, a condition of its lock. If no thread runs the clock, long work goes on here."""
        if self._has_long_work_here:
            self.manager.tick()
            news.wait(GIVE_WAY_S)
        else:
            news.wait()

    @property
    def _has_long_work_here(self) -> bool:
        """Is something under way, a command perhaps, that whoever waits has to go on with? No thread runs the clock."""
        return self._timer is None and (bool(self.manager.core.turns) or self.manager.commands_wait)

    def run_clock(self) -> None:
        """Do what the clock asks for now: for a clock that is moved by hand, and has no thread that watches it."""
        with self.locked():
            self.manager.tick()

    def checkpoint(self) -> None:
        """Take a checkpoint; other threads go on meanwhile."""
        if self._checkpointer is None:
            with self.locked():
                self.manager.checkpoint()
            return
        with self.locked():
            pass
        try:
            self._checkpointer.take()
        except Exception as error:
            with self.lock:
                self.manager.fail(f"a checkpoint failed: {error}")
            raise mq_error(C.MQRC_CONNECTION_BROKEN, self.name, str(error)) from error
        except BaseException:
            with self.lock:
                self._interrupted()
            raise

    # The end

    def connection(self, hconn: int) -> Connection:
        return self.manager.connection(hconn)

    def end(self) -> None:
        """End the queue manager in good order. Unfinished units of work are backed out."""
        with self.lock:
            if self._ended or self._is_copy:
                return
            self._ended = True
            self._clock_changed.notify_all()
            if self._checkpointer is not None:
                self._checkpointer.stop()
            self.manager.end()
        if self._timer is not None and self._timer is not threading.current_thread():
            self._timer.join(5)
        if self._checkpointer is not None:
            self._checkpointer.join()

    def forget_after_fork(self) -> None:
        """In the child of a fork: the files belong to the parent. Only the copy of the lock is given back."""
        self._is_copy = True
        self.lock = threading.RLock()  # another thread of the parent may have held it, and that thread is not here
        self._timer = None
        self._checkpointer = self.manager.checkpoints = None
        self.manager.forsake("it belongs to the parent of this process; connect after the fork")


class _CheckedLock:
    """The lock, for a command that takes it several times: whenever it does, the queue manager must still be there."""

    __slots__ = ("_embedded",)

    def __init__(self, embedded: EmbeddedQueueManager) -> None:
        self._embedded = embedded

    def __enter__(self) -> None:
        self._embedded.lock.acquire()
        try:
            self._embedded.check_open()
        except BaseException:
            self._embedded.lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._embedded.lock.release()


def _is_there(files: Files, folder: str, name: str) -> bool:
    try:
        return lifecycle.exists(files, folder)
    except OSError as error:
        raise as_start_error(error, name) from error


def _after_fork_in_child() -> None:
    for embedded in list(_here):
        embedded.forget_after_fork()


in_child_after_fork(_after_fork_in_child)
