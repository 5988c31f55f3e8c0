"""The execution controller: the small process that starts a queue manager's process, watches it, and outlives it.

It owns nothing that the queue manager could break: a pipe in which it hears what to tell, and the number of its child.
When the child dies otherwise than in good order, the controller writes that down (error log and first-failure report)
and removes what the dead one left in the way. It never starts a queue manager again by itself: a failure is for people
to look at, and `strmqm` recovers everything. If the controller itself is killed, the queue manager goes on.

In the foreground (for containers and service managers) `strmqm` is the controller. A signal ends the queue manager
quiesced, a second one at once.
"""

from __future__ import annotations

import fcntl
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import NamedTuple

from libremq.common.files.lock_state import locked_by
from libremq.common.files.queue_manager_files import CHECKPOINT, LOCK
from libremq.common.messages.amq_messages import amq
from libremq.server.diagnostics.error_entry import utc
from libremq.server.diagnostics.error_log import FOLDER, configured_log, last_entries
from libremq.server.diagnostics.first_failure_reports import Failure, write_report
from libremq.server.process.run_state import forget_run, load_end
from libremq.server.process.start_options import ServerOptions
from libremq.server.process.start_progress import ProgressReader, ProgressWriter, StartFailure

Say = Callable[[str], None]

STDERR_FILE = f"{FOLDER}/stderr.txt"
"""What the interpreter of the queue manager had to say itself: next to nothing, unless it crashed."""
STATISTICS_FILE = "logger-statistics.json"
"""What the log manager leaves, by its name only: a controller does not load the log manager."""
_PROCESS = "libremq.server.process.server_process"
_STDERR_BYTES = 16384
FAILED = 71
"""The exit status of a queue manager's process that did not start, or has failed and written down why."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGHUP)
_LOOK_S = 5.0


class Outcome(NamedTuple):
    """How a queue manager that was watched came to its end, or to its start."""

    failure: StartFailure | None = None
    """It did not start."""
    in_good_order: bool = True
    """It ended because it was told to. In the background: it runs."""
    how: str = ""
    """If not: what the system says about its process."""


# ---- for strmqm ----


def start_in_background(options: ServerOptions, say: Say) -> Outcome:
    """Start a queue manager and return when applications may connect to it, or with why they may not."""
    reading, writing = os.pipe()
    try:
        launcher = subprocess.Popen(
            [*_python(), "libremq.server.process.controller", options.name, options.dumps(), str(writing)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writing,),
            start_new_session=True,
            cwd="/",
            env=_environment(),
        )
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    progress = ProgressReader()
    with open(reading, "rb", buffering=0) as pipe:
        while not progress.is_ready and progress.failure is None and (data := pipe.read(65536)):
            for text in progress.feed(data):
                say(text)
    launcher.wait()  # it has left the controller behind
    if progress.failure is None and not progress.is_ready:
        return Outcome(StartFailure("its controller ended before the queue manager was started"))
    return Outcome(progress.failure)


def run_in_foreground(options: ServerOptions, say: Say) -> Outcome:
    """Run a queue manager until it has ended. Takes over the signals of this process meanwhile."""
    return _Controller(options, say, ProgressWriter(-1), foreground=True).run()


# ---- the process ----


class _Controller:
    def __init__(self, options: ServerOptions, say: Say, progress: ProgressWriter, *, foreground: bool) -> None:
        self._options = replace(options, controller_id=os.getpid())
        self._say = say
        self._progress = progress
        self._foreground = foreground
        self._heard = ProgressReader()
        self._child: subprocess.Popen[bytes] | None = None
        self._signalled = False  # we were told to end it
        self._started_at = time.time()

    def run(self) -> Outcome:
        with _signals() as signals, selectors.DefaultSelector() as selector:
            pipe, alive = self._spawn()
            try:
                selector.register(signals, selectors.EVENT_READ)
                selector.register(pipe, selectors.EVENT_READ)
                status = self._watch(selector, signals, pipe)
                self._hear_rest(pipe)
            finally:
                os.close(pipe)
                os.close(alive)
        return self._note_end(status)

    def _spawn(self) -> tuple[int, int]:
        """Start the queue manager's process: the end of its pipe to hear it, and the one by which it knows us alive."""
        folder = self._options.folder
        os.makedirs(f"{folder}/{FOLDER}", 0o700, exist_ok=True)
        hear, tell = os.pipe()
        lives, alive = os.pipe()
        stderr = os.open(f"{folder}/{STDERR_FILE}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            self._child = subprocess.Popen(
                [*_python(), _PROCESS, self._options.name, self._options.dumps(), str(tell)],
                stdin=lives,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=(tell,),
                start_new_session=True,
                cwd="/",
                env=_environment(),
            )
        except BaseException:
            os.close(hear)
            os.close(alive)
            raise
        finally:
            for fd in (tell, lives, stderr):
                os.close(fd)
        os.set_blocking(hear, False)
        return hear, alive

    def _watch(self, selector: selectors.BaseSelector, signals: int, pipe: int) -> int:
        """Pass on what the queue manager says and the signals that come, until it has ended; its exit status."""
        assert self._child is not None
        while True:
            status = self._child.poll()
            if status is not None:
                return status
            for key, _ in selector.select(_LOOK_S):
                if key.fd == signals:
                    for number in os.read(signals, 512):
                        if number in (signal.SIGTERM, signal.SIGINT):
                            self._signalled = True
                            self._child.terminate()  # the first is quiesced, the second immediate
                elif not self._hear(pipe):
                    selector.unregister(pipe)

    def _hear(self, pipe: int) -> bool:
        """False if there will be nothing more."""
        try:
            data = os.read(pipe, 65536)
        except BlockingIOError:
            return True
        was_ready = self._heard.is_ready
        for text in self._heard.feed(data):
            if self._foreground:
                self._say(text)
            elif not was_ready:
                self._progress.say(text)
        if self._heard.is_ready and not was_ready:
            self._progress.ready()
            self._progress.close()  # strmqm goes its way
        return bool(data)

    def _hear_rest(self, pipe: int) -> None:
        for _ in range(100):
            with suppress(OSError):
                if not self._hear(pipe):
                    return

    # The end

    def _note_end(self, status: int) -> Outcome:
        options = self._options
        failure = self._heard.failure
        end = load_end(options.folder)
        was_told = end is not None and end.process_id == self._process_id and end.at >= self._started_at
        self._clean_up()
        if failure is not None:
            self._progress.failed(failure)
            return Outcome(failure)
        before_it_listened = self._signalled and status == -signal.SIGTERM and not self._heard.is_ready
        if status == 0 or was_told or before_it_listened:
            if before_it_listened:
                self._log(amq(5072, options.name))
            elif status != 0:
                self._log(amq(5071, self._process_id, options.name, _described(status)))
            if not self._heard.is_ready:
                self._progress.failed(StartFailure("it was ended while it started"))
            return Outcome()
        self._report(status)
        how = _described(status)
        if not self._heard.is_ready:
            failure = StartFailure(f"its process {how} before it was started; its error log may say why")
            self._progress.failed(failure)
        return Outcome(failure, False, how)

    @property
    def _process_id(self) -> int:
        return self._child.pid if self._child is not None else 0

    def _report(self, status: int) -> None:
        options = self._options
        how = _described(status)
        if self._heard.is_ready and status == FAILED:
            self._log(amq(5009, self._process_id, options.name))
            return
        path = write_report(
            options.folder,
            Failure(
                queue_manager=options.name,
                probe="EC001010",
                component="execution controller",
                reason=f"the process {self._process_id} of the queue manager {how}",
                comment="the queue manager has ended; strmqm starts and recovers it",
                major="AMQ5008S",
                minor=how,
                error_log=last_entries(options.folder),
                figures=self._figures(),
                more={"Standard error": self._standard_error() or ["(empty)"]},
            ),
        )
        self._log(amq(5008, self._process_id, options.name, how, f" Report: {path}" if path else ""))

    def _figures(self) -> dict[str, object]:
        """The counters of the log, of the last time when they were written."""
        try:
            with open(f"{self._options.folder}/{STATISTICS_FILE}", "rb") as file:
                content = json.loads(file.read(1 << 20))
            return {"of": content["event"], "at": utc(content["at"]), **content["figures"]}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}

    def _standard_error(self) -> list[str]:
        try:
            with open(f"{self._options.folder}/{STDERR_FILE}", "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _STDERR_BYTES))
                return file.read(_STDERR_BYTES).decode("utf-8", "replace").splitlines()
        except OSError:
            return []

    def _log(self, text: str) -> None:
        configured_log(self._options.folder, self._options.name, "controller").write(text)
        if self._foreground:
            self._say(text)

    def _clean_up(self) -> None:
        """Remove what a queue manager that was killed has left; not what another one, started since, has made."""
        folder = self._options.folder
        with suppress(OSError):
            fd = os.open(f"{folder}/{LOCK}", os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not locked_by(f"{folder}/{CHECKPOINT}"):  # else it runs, and its qm.lock was removed
                    forget_run(folder)
            finally:
                os.close(fd)


def _described(status: int) -> str:
    if status >= 0:
        return f"ended with exit code {status}"
    try:
        return f"was killed by signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"was killed by signal {-status}"


def _python() -> list[str]:
    return [sys.executable, "-P", "-m"]


def _environment() -> dict[str, str]:
    """That of this process; and this very LibreMQ is found, wherever it was loaded from."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))}


@contextmanager
def _signals() -> Iterator[int]:
    """A file descriptor from which the numbers of signals can be read; they do nothing else meanwhile."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    os.set_blocking(reading, False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    waker = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(waker)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reading)
        os.close(writing)


def main() -> int:
    """The controller in the background: `python -m libremq.server.process.controller NAME OPTIONS PIPE`."""
    options = ServerOptions.loads(sys.argv[2])
    if os.fork():
        os._exit(0)  # strmqm must not become the parent of a process that lives longer than it
    progress = ProgressWriter(int(sys.argv[3]))
    try:
        outcome = _Controller(options, lambda text: None, progress, foreground=False).run()
    except Exception as error:
        progress.failed(
            StartFailure(f"its controller failed: {error}", 0, type(error).__name__, getattr(error, "errno", 0) or 0)
        )
        write_report(
            options.folder,
            Failure(options.name, "EC001020", "execution controller", "the controller failed", error=error),
        )
        return FAILED
    finally:
        progress.close()
    return 0 if outcome.in_good_order else FAILED


if __name__ == "__main__":
    sys.exit(main())
