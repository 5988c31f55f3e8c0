"""The process of a queue manager that serves: start it, run its services, end it.

`python -m libremq.server.process.server_process NAME OPTIONS PIPE`, started by the controller. The event loop owns
everything but the start and the end of the kernel, which take long and happen in a thread, so that `endmqm` is answered
meanwhile. There are two ways out: an end that somebody asked for, in one of three modes that only ever become harsher,
and a failure, after which nothing more is written but a report.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable
from dataclasses import asdict, replace
from typing import Any

from libremq.channels.initiator import ChannelRules
from libremq.common import configuration
from libremq.common.configuration import Configuration, ConfigurationError
from libremq.common.files.file_layer import RealFiles
from libremq.common.files.lock_state import locked_by
from libremq.common.files.queue_manager_files import LOCK
from libremq.common.messages.amq_messages import amq
from libremq.common.names.socket_paths import socket_path
from libremq.common.release import release
from libremq.host.embedded import EmbeddedQueueManager
from libremq.kernel.properties.selector import load_parser
from libremq.kernel.state.failure_reasons import FAILURES
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.admission.key_repository import KeyRepository
from libremq.server.diagnostics.error_log import ErrorLog
from libremq.server.diagnostics.first_failure_reports import Failure, write_report
from libremq.server.net.event_loop import EventLoop, EventLoopLimits
from libremq.server.net.limits import memory_bytes, raise_open_files, server_limits
from libremq.server.process.control_socket import ControlServer, control_path
from libremq.server.process.controller import FAILED
from libremq.server.process.listener_commands import END_LISTENERS, LISTEN, ListenerCommands
from libremq.server.process.listeners import Listening, listener_names, wanted_listeners
from libremq.server.process.run_state import (
    ENDED,
    ENDING,
    MODES,
    RUNNING,
    STARTING,
    EndMode,
    EndState,
    RunState,
    forget_run,
    save_end,
    save_run,
)
from libremq.server.process.server_operations import ServerOperations
from libremq.server.process.service_programs import Programs
from libremq.server.process.services import CriticalFailure, Services
from libremq.server.process.start_options import ServerOptions
from libremq.server.process.start_progress import LOCKED, ProgressWriter, StartFailure
from libremq.server.process.trace_commands import END_TRACE, START_TRACE, TraceCommands

HARD_END_S = 10.0
"""So long a preemptive end, or what follows a failure, may take; then the process just stops."""
_WATCH_S = 0.5
_STATISTICS_S = 60.0
_LEFT_OUT_S = 10.0
"""So often it is looked whether messages were left out of the error log, while nobody says anything."""
_SWITCH_S = 0.0005
"""How long the loop may keep the interpreter from the thread that has forced the log: replies wait for it."""
_GC_THRESHOLD = 20_000
_LOCK_TRIES = 20
_LOCK_PAUSE_S = 0.05


class Server:
    """One queue manager in this process."""

    def __init__(self, options: ServerOptions, progress: ProgressWriter) -> None:
        self._options = options
        self._name = options.name
        self._folder = options.folder
        self._progress = progress
        self._loop = asyncio.get_running_loop()
        self._log = ErrorLog(options.folder, options.name, "queue manager")
        self._to_flush = asyncio.Event()
        self.services = Services(self.say, self._critical, self._service_failed)
        self._listeners = ListenerCommands(lambda: self._listening if self._mode is None else None)
        self._traces = TraceCommands(options.folder, lambda: self.event_loop if self._mode is None else None, self.say)
        self._control = ControlServer(control_path(options.folder), self._command, self._listeners.gone)
        self._state = RunState(
            options.name,
            os.getpid(),
            options.controller_id,
            STARTING,
            time.time(),
            release(),
            socket=socket_path(options.folder),
            control=self._control.path,
        )
        self._settings = Configuration()
        self._has_lock = False
        self._embedded: EmbeddedQueueManager | None = None
        self.event_loop: EventLoop | None = None
        self._listening: Listening | None = None
        self._programs: Programs | None = None
        self._mode: EndMode | None = None
        self._end_is_saved = False
        self._farewell: dict[str, Any] | None = None
        """For whoever asked for the end, once it was in good order."""
        self._reconnect = False
        self._changed = asyncio.Event()
        """An end was asked for, or a harsher one, or something failed."""
        self._failure: tuple[str, BaseException] | None = None

    async def run(self) -> int:
        """The exit status of the process, once the queue manager has ended."""
        self._loop.set_exception_handler(self._unexpected)
        threading.excepthook = self._thread_failed
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._signalled)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.services.start("error log", self._write_error_log, critical=False)
        try:
            status = await self._run()
        except Exception as error:
            status = await self._fail("queue manager", error)
        await self.services.stop()
        self._log.tell_left_out(all_of_them=True)
        self._log.flush()
        self._control.close(self._farewell)
        return status

    async def _run(self) -> int:
        try:
            await self._start()
        except (MQError, ConfigurationError, *FAILURES) as error:
            return await self._not_started(error)
        await self._changed.wait()
        return await self._end()

    # What is said

    def say(self, text: str, told: str = "") -> None:
        """A message for the error log and, perhaps in other words, for whoever started it. From any thread."""
        if text == f"LibreMQ queue manager '{self._name}' started.":
            return  # for the kernel it is; until applications may connect there is more to do
        self._log.note(text)
        self._progress.say(told or text)
        try:
            self._loop.call_soon_threadsafe(self._to_flush.set)
        except RuntimeError:  # the loop has ended
            self._log.flush()

    async def _write_error_log(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEFT_OUT_S):
                    await self._to_flush.wait()
            self._to_flush.clear()
            self._log.tell_left_out()
            if not await asyncio.to_thread(self._log.flush):
                await asyncio.sleep(1.0)  # the disk is full, or the folder gone: perhaps not for ever
                self._to_flush.set()

    def _set_state(self, **values: Any) -> None:
        self._state = replace(self._state, **values)
        try:
            save_run(self._folder, self._state)
        except OSError as error:
            self.say(amq(5074, self._name, error))

    # The start

    async def _start(self) -> None:
        self._settings = configuration.load(RealFiles(), self._folder)
        self._log.configure(self._settings)
        embedded = self._embedded = await asyncio.to_thread(self._start_kernel)
        embedded.manager.after_checkpoint = self._after_checkpoint
        limits = server_limits(self._settings, raise_open_files(), memory_bytes())
        for warning in limits.warnings:
            self.say(warning)
        self.key_repository = KeyRepository(embedded.manager, self._folder, self.say)
        event_loop = self.event_loop = EventLoop(
            embedded,
            self._folder,
            limits=EventLoopLimits(
                connections_max=limits.connections_max,
                links_max=limits.links_max,
                buffer_bytes_max=limits.buffer_bytes_max,
                connect_s=self._settings.tcp.connect_timeout_s,
                pending_max=limits.pending_max,
                pending_per_address_max=limits.pending_per_address_max,
            ),
            say=self.say,
            tls=self.key_repository.context,
            keep_alive=self._settings.tcp.keep_alive == "Yes",
            pipeline_length=self._settings.channels.pipeline_length,
            channel_rules=ChannelRules.of(self._settings.channels),
        )
        await event_loop.start([("unix", self._state.socket)])
        self.services.start("kernel", self._watch_kernel, critical=True)
        self.services.start("statistics", self._save_statistics, critical=False)
        self.services.start("controller watch", self._watch_controller, critical=False)
        self._listening = Listening(event_loop, self.services, self.say, self._listeners_changed)
        self._programs = Programs(embedded.manager, self._folder, self.say)
        embedded.executor.operations = ServerOperations(
            event_loop, self._listening, self._programs, self.key_repository.refresh
        )
        must, addresses = wanted_listeners(self._options, self._settings, embedded)
        await self._listening.start(addresses, must=must, names=listener_names(self._options, embedded))
        with embedded.locked():
            self._programs.start_all()
        embedded.serve_commands()
        event_loop.channels.start()
        self.say(amq(5075, self._name, limits.connections_max, limits.links_max, limits.open_files))
        self._set_state(state=ENDING[self._mode] if self._mode else RUNNING, connections_max=limits.connections_max)
        started = amq(8003, self._name, release())
        await asyncio.to_thread(self._log.write, started)
        # What a start has made stays for ever: the collector need not look at it again, nor look all the time
        gc.collect()
        gc.freeze()
        gc.set_threshold(_GC_THRESHOLD, 20, 50)
        self._progress.ready(started.text)
        event_loop.background(asyncio.ensure_future(asyncio.to_thread(load_parser)))

    def _start_kernel(self) -> EmbeddedQueueManager:
        """In a thread. Someone who only looked whether it runs has the lock for a moment; others have it for long."""
        for _ in range(_LOCK_TRIES):
            try:
                return self._with_reserve()
            except MQError as error:
                refused = error.reason == C.MQRC_Q_MGR_NOT_AVAILABLE and error.__cause__ is None
                if self._has_lock or not refused or locked_by(f"{self._folder}/{LOCK}"):
                    raise
                time.sleep(_LOCK_PAUSE_S)
        return self._with_reserve()

    def _with_reserve(self) -> EmbeddedQueueManager:
        embedded = EmbeddedQueueManager.start(self._folder, self._name, say=self._say_while_starting)
        with embedded.lock:
            embedded.manager.keep_reserve()
        return embedded

    def _say_while_starting(self, text: str) -> None:
        """The kernel speaks for the first time when it has the lock: from then on the folder may say who runs it."""
        if not self._has_lock:
            self._has_lock = True
            forget_run(self._folder)
            self._set_state()
            self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._open_control()))
        self.say(text)

    async def _open_control(self) -> None:
        try:
            await self._control.start()
        except (OSError, MQError) as error:
            self.say(amq(6125, self._name, error))

    async def _not_started(self, error: Exception) -> int:
        """Let go of what there is; nothing has been promised to anybody."""
        text = str(error)
        if isinstance(error, MQError):
            text = error.detail or text
        elif isinstance(error, OSError) and error.filename is None:
            text = error.strerror or text
        self.say(amq(8041, self._name, text))
        await self.services.stop("error log")
        if self.event_loop is not None:
            await self.event_loop.end("preemptive")
        if self._embedded is not None:
            await asyncio.to_thread(self._embedded.end)
        below = error.__cause__ if isinstance(error, MQError) and error.__cause__ is not None else error
        kinds = [kind.__name__ for kind in type(below).__mro__]
        cause = next((kind for kind in ("LogError", "OSError") if kind in kinds), kinds[0])
        number = below.errno if isinstance(below, OSError) else None
        reason = error.reason if isinstance(error, MQError) else 0
        if reason == C.MQRC_Q_MGR_NOT_AVAILABLE and below is error and not self._has_lock:
            cause = LOCKED
        self._progress.failed(StartFailure(text, reason, cause, number or 0))
        return FAILED

    # Services

    async def _watch_kernel(self) -> None:
        """Returns never; raises when the kernel or its log has failed."""
        assert self._embedded is not None and self.event_loop is not None
        manager, failed = self._embedded.manager, self.event_loop.failed
        while not failed.done() and manager.failure is None:
            await asyncio.wait({failed}, timeout=_WATCH_S)
        raise CriticalFailure(manager.failure or failed.result())

    async def _save_statistics(self) -> None:
        """Keep the counters in their file fresh, for amqldmpa, also when no checkpoint is due for long."""
        assert self._embedded is not None
        embedded = self._embedded
        while True:
            await asyncio.sleep(_STATISTICS_S)
            with embedded.locked():
                embedded.manager.save_statistics("checkpoint")

    async def _watch_controller(self) -> None:
        """Standard input is a pipe from the controller, in which nothing ever comes but its end."""
        gone = asyncio.Event()
        try:
            self._loop.add_reader(0, gone.set)
        except OSError:  # a file or terminal: it was started by hand
            await asyncio.Event().wait()
        await gone.wait()
        self._loop.remove_reader(0)
        self._set_state(controller_id=0)
        self.say(amq(5070, self._options.controller_id, self._name))
        await asyncio.Event().wait()

    def _listeners_changed(self) -> None:
        assert self._listening is not None
        listening = self._listening.addresses()
        self._set_state(ports=tuple(one.port for one in listening), listeners=tuple(map(str, listening)))

    def _after_checkpoint(self, event: str) -> None:
        assert self._embedded is not None
        self._embedded.manager.save_statistics(event)
        if event == "end":
            forget_run(self._folder)  # while the lock is still ours
            if not self._end_is_saved:
                self._save_end()  # in the block that the other file had

    # Commands and signals

    def _signalled(self) -> None:
        if self._mode is None:
            self._ask_end("quiesce")
            self._hurry(self._options.end_after_s, preemptive=True)
        elif self._mode == "quiesce":
            self._ask_end("immediate")

    def _command(self, request: dict[str, Any]) -> dict[str, Any] | Awaitable[dict[str, Any]]:
        command = request["command"]
        if command == LISTEN:
            return self._listeners.listen(request)
        if command == END_LISTENERS:
            return self._end_listeners()
        if command == START_TRACE:
            return self._traces.start(request)
        if command == END_TRACE:
            return self._traces.stop()
        if command == "status":
            services = [one._asdict() for one in self.services.status()]
            return {"run": asdict(self._state), "services": services}
        if command != "end":
            raise ValueError(f"there is no command {str(command)[:40]!r}")
        mode, seconds = request["mode"], float(request.get("seconds", 0))
        if mode not in MODES or not 0 <= seconds < 1e9:
            raise ValueError("there is no such way to end")
        before = self._mode
        if before is not None and MODES.index(before) >= MODES.index(mode):
            return {"before": before, "mode": before}
        self._reconnect = self._reconnect or bool(request.get("reconnect"))
        self._ask_end(mode)
        self._hurry(seconds, preemptive=bool(request.get("preemptive")))
        return {"before": before or "", "mode": mode}

    async def _end_listeners(self) -> dict[str, Any]:
        answer = await self._listeners.end_all()
        self._control.release(LISTEN)
        return answer

    def _ask_end(self, mode: EndMode) -> None:
        if self._mode is None or MODES.index(mode) > MODES.index(self._mode):
            self._mode = mode
            if self._embedded is not None:
                with self._embedded.lock:  # from this moment on, not only when the event loop comes to it
                    self._embedded.manager.quiesce()
            self._set_state(state=ENDING[mode])
            self._changed.set()

    def _hurry(self, seconds: float, *, preemptive: bool) -> None:
        """The end has this target: harsher after half of it, preemptive after all of it."""
        if seconds > 0:
            self._loop.call_later(seconds / 2, self._ask_end, "immediate")
            if preemptive:
                self._loop.call_later(seconds, self._ask_end, "preemptive")

    # The end

    async def _end(self) -> int:
        assert self._embedded is not None and self.event_loop is not None and self._listening is not None
        if self._failure is None:
            ending = amq(5077, self._name, self._state.state.lower())
            self.say(ending, ending.text)
            await self._listening.stop()
            if self._programs is not None:
                with self._embedded.lock:
                    self._programs.stop_all()
                await asyncio.to_thread(self._programs.wait_for_all)
            await self._end_connections(self.event_loop)
        if self._failure is not None:
            return await self._fail(*self._failure)
        mode = self._mode or "quiesce"
        if mode == "preemptive":
            _stop_hard_after(HARD_END_S, 0)
        await self.services.stop("kernel", "statistics")
        self._save_end()
        await asyncio.to_thread(self._embedded.end)
        failure = self._embedded.manager.failure
        if failure is not None:
            self._report("QM001030", "kernel", "the last checkpoint failed", CriticalFailure(failure))
            return FAILED
        ended = amq(8004, self._name, ENDED[mode].lower())
        self.say(ended, ended.text)
        self._farewell = {"ended": True, "note": self._embedded.manager.end_note}
        return 0

    def _save_end(self) -> None:
        """Say how it ended. On a full disk that may not be possible yet."""
        try:
            save_end(self._folder, EndState(os.getpid(), ENDED[self._mode or "quiesce"], time.time()))
            self._end_is_saved = True
        except OSError as error:
            self.say(amq(5074, self._name, error))

    async def _end_connections(self, event_loop: EventLoop) -> None:
        """Until the last one is gone, or something fails; again in a harsher way if that is asked for."""
        attempts: list[asyncio.Task[None]] = []
        while self._failure is None:
            mode = self._mode or "quiesce"
            self._changed.clear()
            ended = self._loop.create_task(event_loop.end(mode, self._reconnect))
            changed = self._loop.create_task(self._changed.wait())
            attempts.append(ended)
            limit = HARD_END_S / 2 if mode == "preemptive" else None
            await asyncio.wait({ended, changed}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
            if ended.done() or mode == "preemptive":
                break  # if not all are gone then, it does not matter any more
        _, late = await asyncio.wait(attempts, timeout=1.0) if attempts else (set(), set())
        for attempt in late:
            attempt.cancel()
        for attempt in attempts:
            if attempt.done() and not attempt.cancelled():
                attempt.result()

    # Failures

    def _critical(self, service: str, error: BaseException) -> None:
        self._failure = self._failure or (service, error)
        self._changed.set()

    def _service_failed(self, service: str, error: BaseException) -> None:
        """A restartable one. An address that is in use, or a disk that is full, is not a failure of the program."""
        if not isinstance(error, OSError):
            self._report("QM001020", service, f"the service '{service}' failed and is started again", error)

    def _thread_failed(self, args: Any) -> None:
        name = args.thread.name if args.thread is not None else "unknown"
        error = args.exc_value or CriticalFailure(str(args.exc_type))
        self._loop.call_soon_threadsafe(self._critical, f"thread {name}", error)

    def _unexpected(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception that nobody awaited: reported, and the queue manager goes on."""
        error = context.get("exception")
        self._report("QM001040", "event loop", str(context.get("message", "")), error)

    def _report(self, probe: str, component: str, reason: str, error: BaseException | None) -> None:
        path = write_report(
            self._folder,
            Failure(
                queue_manager=self._name,
                probe=probe,
                component=component,
                reason=reason,
                comment=f"state: {self._state.state}",
                error=error,
                error_log=tuple(self._log.recent),
                figures=self._figures(),
                more={"Services": [f"{one.name:<28} {one.state}, {one.failures} failures" for one in
                                   self.services.status()]},
            ),
        )  # fmt: skip
        where = f"Report: {path}" if path else "No report: there are enough of this kind, or it could not be written."
        self.say(amq(6119, reason, f"{type(error).__name__}: {error}", where))

    def _figures(self) -> dict[str, object]:
        """What is known without waiting for a lock."""
        figures: dict[str, object] = {"up for seconds": round(time.time() - self._state.started)}
        try:
            if self._embedded is not None:
                figures |= self._embedded.manager.figures()
        except Exception as error:
            figures["not all figures"] = repr(error)
        return figures

    async def _fail(self, service: str, error: BaseException) -> int:
        """Fail-stop (contract 4): report, tell the applications, write nothing more."""
        _stop_hard_after(HARD_END_S, FAILED)
        self._report("QM001010", service, f"the service '{service}', which the queue manager needs, failed", error)
        self.say(amq(5050, self._name, service, str(error) or type(error).__name__))
        await asyncio.to_thread(self._log.flush)
        if self._embedded is not None:
            await asyncio.to_thread(self._abandon, self._embedded, str(error))
        if self.event_loop is not None:
            try:
                await asyncio.wait_for(self.event_loop.end("preemptive"), HARD_END_S / 4)
            except Exception as late:
                self.say(amq(5076, self._name, repr(late)))
        if self._embedded is not None:
            forget_run(self._folder)
            await asyncio.to_thread(self._embedded.end)
        if self._state.state == STARTING:
            self._progress.failed(StartFailure(f"'{service}' failed: {error}"))
        return FAILED

    @staticmethod
    def _abandon(embedded: EmbeddedQueueManager, why: str) -> None:
        with embedded.lock:
            embedded.manager.fail(why or "a part of the queue manager failed")


def _stop_hard_after(seconds: float, status: int) -> None:
    """Whatever else happens, the process is gone after this time."""
    timer = threading.Timer(seconds, os._exit, (status,))
    timer.daemon = True
    timer.start()


async def serve(options: ServerOptions, progress: ProgressWriter) -> int:
    return await Server(options, progress).run()


def _event_loop() -> asyncio.AbstractEventLoop:
    """uvloop where there is one: it is twice as fast."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def main(argv: list[str] | None = None) -> int:
    words = sys.argv if argv is None else argv
    faulthandler.enable()
    options = ServerOptions.loads(words[2])
    sys.argv = [f"libremq-{options.name}"]  # what others are told about who has the queue manager open
    progress = ProgressWriter(int(words[3]))
    os.umask(0o077)
    sys.setswitchinterval(_SWITCH_S)
    with asyncio.Runner(loop_factory=_event_loop) as runner:
        status = runner.run(serve(options, progress))
    progress.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
