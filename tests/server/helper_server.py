"""Queue managers that serve, for tests: real processes, ended when the test is over."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from libremq.common.files.lock_state import locked_by
from libremq.host.embedded import EmbeddedQueueManager
from libremq.log import LogConfig
from libremq.server.diagnostics.error_log import FILES
from libremq.server.process.controller import start_in_background
from libremq.server.process.run_state import RunState, current_run, load_run
from libremq.server.process.start_options import HostPort, ServerOptions
from libremq.testing.serving import open_to_clients

NAME = "QM1"
ANY_PORT = HostPort("127.0.0.1", 0)
LIMIT_S = 240.0
_MOMENTS = 50


@dataclass
class Served:
    """The folder of a queue manager, and the processes that run it."""

    folder: Path
    said: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def options(self, **values: object) -> ServerOptions:
        return ServerOptions(NAME, str(self.folder), **{"listen": (ANY_PORT,), **values})  # type: ignore[arg-type]

    def start(self, **values: object) -> RunState:
        outcome = start_in_background(self.options(**values), self.said.append)
        assert outcome.failure is None, outcome
        return self.run

    @property
    def run(self) -> RunState:
        found = current_run(str(self.folder))
        assert found is not None, self.said
        self.seen |= {found.process_id, found.controller_id} - {0}
        return found

    def log(self) -> str:
        path = self.folder / "errors" / FILES[0]
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def reports(self) -> list[str]:
        return [path.read_text(encoding="utf-8") for path in sorted((self.folder / "errors").glob("*.FDC"))]

    def locked(self) -> bool:
        """Has a queue manager the lock? Its controller takes it for a moment, too, when it tidies up."""
        for _ in range(_MOMENTS):
            if not locked_by(f"{self.folder}/qm.lock"):
                return False
            time.sleep(0.01)
        return True


def create(folder: Path, *, secured: bool = False) -> None:
    embedded = EmbeddedQueueManager.start(
        str(folder), NAME, create=True, log_config=LogConfig(2, 1, 64), say=lambda text: None
    )
    if not secured:
        open_to_clients(embedded)
    embedded.end()


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """A new queue manager, not started. Whatever still runs it in the end is killed."""
    create(folder)
    found = Served(folder)
    try:
        yield found
    finally:
        left = load_run(str(folder))
        if left is not None and found.locked():
            found.seen |= {left.process_id, left.controller_id} - {0}
        for process in filter(_is_server, found.seen - {os.getpid()}):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        until(lambda: not found.locked())


def _is_server(process: int) -> bool:
    """Is it still the process that was started, and not another one that has its number now?"""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return b"libremq.server." in file.read()
    except OSError:
        return False


def until(condition: Callable[[], object], what: str = "") -> None:
    """Wait for something that other processes do."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, f"it did not happen: {what}"
        time.sleep(0.01)


def is_alive(process: int) -> bool:
    """Does the process run? One that nobody has waited for yet does not."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False
