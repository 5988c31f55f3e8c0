"""The life of one queue manager in the soak: started, put to work, killed, started again, and its books checked.

The folder of a life holds `data` (the queue manager), `before` (a copy of it as the last kill left it, so that a bad
restart can be repeated), `ledger` (a folder a run), `seen.json` (what the last restart left on the queues) and
`worker.log` (what the workers said).
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from soak import history
from soak.checker import Base, Check, Finding, Observation, Seen, Stop
from soak.history import History

ROOT = Path(__file__).parents[1]
_PATIENCE_S = 240
SHORTEST_S, LONGEST_S = 0.05, 1.5
_KILL_IN_RESTART = 0.2
_ORDERLY_END = 0.1
_LEDGERS_KEPT = 3
_CHUNK_BYTES = 256 * 1024


@dataclass
class Figures:
    """What happened, over all lives."""

    kills: int = 0
    kills_in_restart: int = 0
    orderly_ends: int = 0
    puts: int = 0
    gets: int = 0
    in_doubt: int = 0
    restarts: int = 0
    restart_s: float = 0.0
    restart_s_max: float = 0.0

    def restarted(self, seconds: float) -> None:
        self.restarts += 1
        self.restart_s = seconds
        self.restart_s_max = max(self.restart_s_max, seconds)


class Trouble(Exception):
    """A worker did not do what workers do."""


class Worker:
    """A worker process and the two pipes to it."""

    def __init__(self, folder: Path, configuration: str, run: int, seed: int) -> None:
        command = [sys.executable, "-m", "soak.worker", str(folder), configuration, str(run), str(seed)]
        with open(folder / "worker.log", "ab") as said:
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
            )

    def expect(self, word: str) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        ready, _, _ = select.select([stdout], [], [], _PATIENCE_S)
        line = stdout.readline().decode().strip() if ready else f"nothing for {_PATIENCE_S} s"
        if line != word:
            self.kill()
            raise Trouble(f"the worker said {line!r} instead of {word!r}; see worker.log")

    def tell(self, word: str) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(word.encode() + b"\n")
            stdin.flush()
        except BrokenPipeError:
            raise Trouble(f"the worker has ended by itself, code {self._process.wait()}; see worker.log") from None

    def kill(self) -> None:
        """SIGKILL: no handler, no last words."""
        self._process.send_signal(signal.SIGKILL)
        self._close()

    def check_alive(self) -> None:
        if self._process.poll() is not None:
            code = self._process.returncode
            self._close()
            raise Trouble(f"the worker has ended by itself, code {code}; see worker.log")

    def wait(self) -> None:
        try:
            code = self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Trouble("the worker did not end in good order; see worker.log") from None
        self._close()
        if code:
            raise Trouble(f"the worker ended with code {code}; see worker.log")

    def _close(self) -> None:
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


class Life:
    """One queue manager, its books, and how often it was killed."""

    def __init__(
        self, folder: Path, configuration: str, seed: int, figures: Figures, longest_s: float = LONGEST_S
    ) -> None:
        self.folder = folder
        self.configuration = configuration
        self.figures = figures
        self._longest_s = longest_s
        self.findings: list[Finding] = []
        self.base = Base()
        self.run = 0
        self.stop = Stop.KILLED
        self._seed = seed
        self._rng = random.Random(f"{seed}/{configuration}")
        self._restart_s = 0.02
        folder.mkdir(parents=True, exist_ok=True)

    def kill_once(self) -> None:
        """Start it, check it, let it work, kill it; one kill more, perhaps in the middle of the start."""
        try:
            worker = self._start(may_kill=True)
            if worker is None:
                return
            worker.tell("go")
            time.sleep(self._rng.uniform(SHORTEST_S, self._longest_s))
            worker.check_alive()
            if self._rng.random() < _ORDERLY_END:
                self._end(worker)
                return
            worker.kill()
            self.figures.kills += 1
            self.stop = Stop.KILLED
        except Trouble as trouble:
            self._trouble(trouble)

    def check_once(self) -> None:
        """Start it, check it, and end it in good order."""
        try:
            worker = self._start(may_kill=False)
            if worker is None:
                return
            worker.tell("go")
            worker.tell("end")
            worker.wait()
            self.stop = Stop.ENDED
        except Trouble as trouble:
            self._trouble(trouble)

    def _trouble(self, trouble: Trouble) -> None:
        alarms = history.read(self._ledger(self.run), {}).alarms
        self.findings.append(Finding("stopped", "", str(trouble)))
        self.findings.extend(Finding("stopped", "", text) for text in alarms)
        self._keep_evidence()

    def _start(self, *, may_kill: bool) -> Worker | None:
        """A worker that is ready and whose queues were checked; None if it was killed meanwhile."""
        self._copy()
        worker = Worker(self.folder, self.configuration, self.run + 1, self._seed)
        worker.expect("starting")
        if may_kill and self._rng.random() < _KILL_IN_RESTART:
            time.sleep(self._rng.uniform(0, 1.5 * self._restart_s))
            worker.kill()
            self.figures.kills += 1
            self.figures.kills_in_restart += 1
            if self.stop is Stop.ENDED:
                self.stop = Stop.ENDED_THEN_KILLED
            return None
        worker.expect("ready")
        self.check()
        if self.findings:
            worker.kill()
            return None
        self.run += 1
        return worker

    def _end(self, worker: Worker) -> None:
        """An orderly end, or a kill in the middle of it."""
        worker.tell("end")
        if self._rng.random() < 0.5:
            time.sleep(self._rng.uniform(0, 0.1))
            worker.kill()
            self.figures.kills += 1
            self.stop = Stop.ENDED_THEN_KILLED  # it may have been through with it
            return
        worker.wait()
        self.figures.orderly_ends += 1
        self.stop = Stop.ENDED

    # The books

    def check(self) -> Check:
        """Compare the ledger of the last run with what is there; what is wrong goes to `findings`."""
        seen, restart_s = read_observation(self.folder / "seen.json")
        happened = self._history()
        check = Check(self.base, happened, seen, self.stop)
        self._restart_s = max(0.005, restart_s)
        self.figures.restarted(restart_s)
        self.figures.puts += happened.puts_acknowledged
        self.figures.gets += happened.gets_acknowledged
        self.figures.in_doubt += happened.in_doubt
        self.findings.extend(check.findings)
        if check.findings:
            self._keep_evidence()
        else:
            self.base = check.base
        shutil.rmtree(self._ledger(self.run - _LEDGERS_KEPT), ignore_errors=True)
        return check

    def _history(self) -> History:
        return history.read(self._ledger(self.run), self.base.branches)

    def _ledger(self, run: int) -> Path:
        return self.folder / "ledger" / str(run)

    def _keep_evidence(self) -> None:
        lines = [
            f"configuration {self.configuration}, run {self.run}, the queue manager was {self.stop.value}",
            *map(str, self.findings),
            "",
            "known before the run:",
            *(str(put) for put in self.base.messages.values()),
            *(str(unit) for unit in self.base.branches.values()),
        ]
        (self.folder / "findings.txt").write_text("\n".join(lines) + "\n")

    def _copy(self) -> None:
        """Keep what the kill left: a restart changes it."""
        before = self.folder / "before"
        shutil.rmtree(before, ignore_errors=True)
        if (self.folder / "data").exists():
            shutil.copytree(self.folder / "data", before, copy_function=_copy_sparsely)


def _copy_sparsely(source: str, target: str) -> None:
    """Most of a new log is zeros: they are skipped, so that the copies do not keep the disk busy."""
    zeros = bytes(_CHUNK_BYTES)
    with open(source, "rb") as reader, open(target, "wb") as writer:
        while chunk := reader.read(_CHUNK_BYTES):
            if chunk == zeros[: len(chunk)]:
                writer.seek(len(chunk), os.SEEK_CUR)
            else:
                writer.write(chunk)
        writer.truncate()


def read_observation(path: Path) -> tuple[Observation, float]:
    """What a worker listed after its start, and how long the start took in seconds."""
    listing = json.loads(path.read_text())
    queues = {name: [Seen(*one) for one in found] for name, found in listing["queues"].items()}
    return Observation(listing["time"], queues, listing["branches"]), listing["restart_s"]
