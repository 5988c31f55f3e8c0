"""One of the three queue managers: a process that is started, killed and ended, and takes commands of MQSC.

Commands go through the bindings of this machine, which need no network: a queue manager whose cable is cut answers.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import libremq
from libremq import MQError, QueueManager
from libremq.client.urls import Address
from libremq.common.files.lock_state import locked_by
from libremq.common.files.queue_manager_files import LOCK
from libremq.server.process.run_state import current_run, load_run
from soak.life import Trouble
from soak.messages import number_of

_PATIENCE_S = 240.0
_LOOK_S = 0.02
_AT_ONCE = 500


class Manager:
    """A queue manager of the soak. `start` and what stops it are for one thread at a time: `busy`."""

    def __init__(self, name: str, data: Path, listen: str, prefix: list[str]) -> None:
        self.name = name
        self._data = data
        self._listen = listen
        self._prefix = prefix
        self.folder = Address("embedded", name, data=str(data)).folder
        self.busy = threading.Lock()
        self.port: int | None = None
        """Where it listens; None while it does not run. Kept here, since to ask its lock could disturb a start."""

    def create(self) -> None:
        self._command("crtmqm", "-lp", "4", "-ls", "60", "-lf", "1024", self.name)

    def start(self) -> None:
        self._command("strmqm", "--listen", self._listen, "-d", "minimal", self.name, where=self._prefix)
        run = current_run(self.folder)
        self.port = run.ports[0] if run is not None and run.ports else None

    def start_and_kill(self, after_s: float) -> None:
        """Start it, and kill it before it is ready, or soon after."""
        starting = subprocess.Popen(
            self._words("strmqm", "--listen", self._listen, self.name, where=self._prefix),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(after_s)
        if current_run(self.folder) is None:
            starting.wait()
        self.kill()
        starting.wait()

    def end(self) -> None:
        self.port = None
        self._command("endmqm", "-i", self.name)
        self._wait_until_gone()

    def kill(self) -> None:
        """SIGKILL: no handler, no last words."""
        self.port = None
        run = current_run(self.folder)
        if run is not None:
            os.kill(run.process_id, signal.SIGKILL)
        self._wait_until_gone()

    def _wait_until_gone(self) -> None:
        left = load_run(self.folder)
        deadline = time.monotonic() + _PATIENCE_S
        while locked_by(f"{self.folder}/{LOCK}") or (left is not None and _runs(left.controller_id)):
            if time.monotonic() > deadline:
                raise Trouble(f"{self.name} still runs {_PATIENCE_S:.0f} s after its end")
            time.sleep(_LOOK_S)

    def _command(self, verb: str, *words: str, where: list[str] | None = None) -> None:
        try:
            done = subprocess.run(
                self._words(verb, *words, where=where), capture_output=True, text=True, timeout=_PATIENCE_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise Trouble(f"{verb} {self.name}: nothing for {_PATIENCE_S:.0f} s") from None
        if done.returncode:
            raise Trouble(f"{verb} {self.name}: code {done.returncode}: {done.stdout}{done.stderr}")

    def _words(self, verb: str, *words: str, where: list[str] | None = None) -> list[str]:
        return [*(where or []), sys.executable, "-m", "libremq.commands.main", verb, "-md", str(self._data), *words]

    # Commands and messages

    def connect(self) -> QueueManager:
        return libremq.connect(f"local:{self.name}?data={quote(str(self._data))}")

    def mqsc(self, text: str) -> list[dict[str, Any]]:
        """The rows of one command, or of several that must all work. MQError if the queue manager is not there."""
        with self.connect() as qm:
            answers = qm.mqsc(text)
        for answer in answers:
            if answer.state != "done":
                raise Trouble(f"{self.name}: {answer.command}: {' '.join(answer.lines)}")
        return [row for answer in answers for row in answer.rows]

    def shown(self, text: str) -> list[dict[str, Any]]:
        """The rows of a DISPLAY, which may find nothing."""
        with self.connect() as qm:
            return [row for answer in qm.mqsc(text) for row in answer.rows]

    def told(self, text: str) -> str:
        """What runmqsc would print; for reports."""
        with suppress(MQError), self.connect() as qm:
            return "\n".join(line for answer in qm.mqsc(text) for line in answer.lines)
        return "(it does not run)"

    def numbers(self, queue: str) -> list[str | None]:
        """The numbers of the messages on a queue, in their order."""
        with self.connect() as qm:
            return [number_of(message.data) for message in qm.queue(queue).browse()]

    def empty(self, queue: str) -> None:
        """Get all messages: a channel may have the queue open, so CLEAR QLOCAL would be refused."""
        with self.connect() as qm, suppress(libremq.NoMessageAvailable):
            while qm.queue(queue).get_many(_AT_ONCE):
                pass


def _runs(process: int) -> bool:
    """Does the process run? One that nobody has waited for yet does not."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False
