"""Client processes that start together: each has a connection to every contender and runs the rounds it is told to.

A round is a window of time that all processes share: a barrier holds them until the last one is ready, the moment it
opens is the beginning of the window, and what has returned by the end of it counts. A queue that runs empty ends the
window when its last message came.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any

from contenders import Client, Contender

_TROUBLE_S = 30.0
_LEAD_S = 0.005  # from the opening of the barrier to the window: the time that the last of many needs to wake up


class Failed(Exception):
    """A client got an error; its traceback."""


@dataclass(frozen=True)
class Task:
    """One client's part of a round: repeat an operation for so long, or until the queue is empty."""

    operation: str
    seconds: float
    extra_seconds: float = 0.0  # one that answers others goes on until they are done
    count_max: int = sys.maxsize


@dataclass
class Outcome:
    """What clients did within their common window."""

    count: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.count / self.seconds if self.seconds else 0.0


@dataclass
class _Part:
    """What one client did: messages, when the window ran from and to, when the queue was found empty."""

    count: int
    last: float
    end: float
    start: float
    empty: bool
    latencies: list[float]


class _Gate:
    """Opens for all at once and tells them the moment."""

    def __init__(self, parties: int) -> None:
        context = get_context("spawn")
        self._moment = context.Value("d", 0.0, lock=False)
        self._barrier: Barrier = context.Barrier(parties)

    def wait(self) -> float:
        if self._barrier.wait(_TROUBLE_S) == 0:
            self._moment.value = time.perf_counter() + _LEAD_S
        self._barrier.wait(_TROUBLE_S)
        start: float = self._moment.value
        time.sleep(max(0.0, start - time.perf_counter()))
        return start

    def abort(self) -> None:
        self._barrier.abort()

    def repair(self) -> None:
        self._barrier.reset()


def _perform(client: Client, task: Task, gate: _Gate) -> _Part:
    client.begin(task.operation)
    operate = getattr(client, task.operation)
    timed = task.operation == "request"
    answers = task.operation == "respond"
    now = time.perf_counter
    count, latencies, empty = 0, [], False
    start = last = gate.wait()
    end = start + task.seconds + task.extra_seconds
    while (began := now()) < end and count < task.count_max:
        moved = operate()
        if not moved and not answers:
            empty = True
            break
        finished = now()
        if finished > end:
            break
        count += moved
        last = finished
        if timed:
            latencies.append(finished - began)
    client.finish(task.operation)
    return _Part(count, last, end, start, empty, latencies)


class _Worker:
    """Inside a client process: the connections, and the loop that takes orders."""

    def __init__(self, contenders: dict[str, Contender]) -> None:
        self._contenders = contenders
        self._clients: dict[tuple[str, int], Client] = {}

    def _client(self, name: str, number: int) -> Client:
        key = name, number
        if key not in self._clients:
            self._clients[key] = self._contenders[name].connect()
        return self._clients[key]

    def perform(self, name: str, tasks: Sequence[Task], gate: _Gate) -> list[_Part] | str:
        """The parts of this process, each in a thread of its own if there are several; or what went wrong."""
        parts: dict[int, _Part] = {}
        trouble: list[str] = []

        def one(number: int, task: Task) -> None:
            try:
                parts[number] = _perform(self._client(name, number), task, gate)
            except BaseException:
                trouble.append(traceback.format_exc())
                gate.abort()

        if len(tasks) == 1:
            one(0, tasks[0])
        else:
            threads = [threading.Thread(target=one, args=pair) for pair in enumerate(tasks)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return trouble[0] if trouble else [parts[number] for number in range(len(tasks))]

    def drain(self, name: str, operation: str) -> str:
        try:
            client = self._client(name, 0)
            client.begin(operation)
            while getattr(client, operation)():
                pass
            client.finish(operation)
            client.tidy()
        except BaseException:
            return traceback.format_exc()
        return ""

    def close(self) -> None:
        for client in self._clients.values():
            try:
                client.close()
            except Exception:
                pass  # its server may be gone


def _main(orders: Connection, contenders: dict[str, Contender], gates: dict[int, _Gate]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the bench ends us, in good order
    worker = _Worker(contenders)
    orders.send("ready")
    while True:
        try:
            what, *arguments = orders.recv()
        except EOFError:
            break
        if what == "end":
            break
        if what == "perform":
            name, tasks, parties = arguments
            orders.send(worker.perform(name, tasks, gates[parties]))
        else:
            orders.send(worker.drain(*arguments))
    worker.close()


@contextmanager
def _environment(settings: Sequence[tuple[str, str]]) -> Iterator[None]:
    """What processes that are started meanwhile inherit."""
    before = os.environ.copy()
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class ClientProcesses:
    """The processes, from the outside: for each environment that contenders want, as many as the largest round has."""

    def __init__(self, contenders: Sequence[Contender], many: int) -> None:
        context = get_context("spawn")
        self._gates = {parties: _Gate(parties) for parties in {1, 2, many}}
        self._processes: list[Any] = []
        self._orders: dict[tuple[tuple[str, str], ...], list[Connection]] = {}
        self._first_pids: dict[tuple[tuple[str, str], ...], int] = {}
        for settings in dict.fromkeys(contender.environment for contender in contenders):
            by_name = {contender.name: contender for contender in contenders if contender.environment == settings}
            with _environment(settings):
                started = [self._start(context, by_name) for _ in range(many)]
            self._first_pids[settings] = self._processes[-many].pid
            self._orders[settings] = started
        for orders in self._orders.values():
            for one in orders:
                one.recv()

    def _start(self, context: Any, by_name: dict[str, Contender]) -> Connection:
        ours, theirs = context.Pipe()
        process = context.Process(target=_main, args=(theirs, by_name, self._gates), daemon=True)
        process.start()
        theirs.close()
        self._processes.append(process)
        found: Connection = ours
        return found

    def first_pid(self, contender: Contender) -> int:
        """The process that is alone in rounds of one client."""
        return self._first_pids[contender.environment]

    def round(self, contender: Contender, tasks: Sequence[Task]) -> Outcome:
        """Run these at the same time, each in a process of its own (or a thread of one, as the contender is)."""
        shares = [list(tasks)] if contender.in_process else [[task] for task in tasks]
        pool = self._orders[contender.environment]
        for orders, share in zip(pool, shares):
            orders.send(("perform", contender.name, share, len(tasks)))
        answers = [orders.recv() for orders, _ in zip(pool, shares)]
        for answer in sorted((one for one in answers if isinstance(one, str)), key=lambda one: "BrokenBarrier" in one):
            self._gates[len(tasks)].repair()
            raise Failed(f"{contender.name}: {answer}")
        parts: list[_Part] = [part for answer in answers for part in answer]
        outcome = Outcome()
        if any(part.empty for part in parts):
            outcome.seconds = max(part.last for part in parts) - parts[0].start
        else:
            outcome.seconds = parts[0].end - parts[0].start
        for part, task in zip(parts, tasks):
            if task.operation != "respond":
                outcome.count += part.count
                outcome.latencies += part.latencies
        return outcome

    def drain(self, contender: Contender, operation: str) -> None:
        """Take off what is left, and let the server tidy up."""
        first = self._orders[contender.environment][0]
        first.send(("drain", contender.name, operation))
        if trouble := first.recv():
            raise Failed(f"{contender.name}: {trouble}")

    def close(self) -> None:
        for pool in self._orders.values():
            for orders in pool:
                try:
                    orders.send(("end",))
                except OSError:
                    pass
        for process in self._processes:
            process.join(10)
            if process.is_alive():
                process.kill()
