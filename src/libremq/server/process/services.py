"""The services inside the queue manager's process: what must not fail, and what may fail and come back.

A service is a coroutine that runs until it is cancelled; to return or to raise is to fail. A *critical* one (the kernel
with its log, checkpoints) ends the queue manager when it fails: nothing is tried again, because nobody knows what it
left half done. A *restartable* one (a listener, the writer of the error log) begins again, at once the first time and
then after longer and longer pauses; when it fails too often within a minute it stays down, and says so.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from libremq.common.messages.amq_messages import amq

FAILURES_MAX = 5
"""In `WINDOW_S`; with one more a restartable service stays down."""
WINDOW_S = 60.0
PAUSE_FIRST_S = 0.1
PAUSE_LONGEST_S = 5.0

Run = Callable[[], Awaitable[None]]
Say = Callable[[str], None]


class CriticalFailure(Exception):
    """A service without which the queue manager cannot go on has failed."""


class ServiceStatus(NamedTuple):
    name: str
    critical: bool
    state: str
    """`running`, `waiting` for its next try, `down`, or `ended`."""
    failures: int
    """Since the queue manager was started."""


class _Service:
    __slots__ = ("critical", "failed_at", "failures", "name", "run", "state", "task")

    def __init__(self, name: str, run: Run, critical: bool) -> None:
        self.name = name
        self.run = run
        self.critical = critical
        self.state = "ended"
        self.failures = 0
        self.failed_at: deque[float] = deque(maxlen=FAILURES_MAX + 1)
        self.task: asyncio.Task[None] | None = None


class Services:
    """All services of a queue manager. Everything happens in one event loop.

    `on_critical` is called once, with the name of the service and what it failed with; `on_failure` for each failure of
    a restartable one.
    """

    def __init__(
        self,
        say: Say,
        on_critical: Callable[[str, BaseException], None],
        on_failure: Callable[[str, BaseException], None] = lambda name, error: None,
        *,
        pause_first_s: float = PAUSE_FIRST_S,
    ) -> None:
        self._say = say
        self._on_critical = on_critical
        self._on_failure = on_failure
        self._pause_first_s = pause_first_s
        self._services: dict[str, _Service] = {}
        self._broken = False

    def start(self, name: str, run: Run, *, critical: bool) -> None:
        """Start a service, or start one again that is down."""
        known = self._services.get(name)
        if known is not None and known.task is not None and not known.task.done():
            raise ValueError(f"the service '{name}' runs already")
        service = self._services[name] = _Service(name, run, critical)
        watch = self._watch_critical(service) if critical else self._watch_restartable(service)
        service.task = asyncio.get_running_loop().create_task(watch, name=f"service {name}")

    async def stop(self, *names: str) -> None:
        """Stop these services, or all; returns when they have ended."""
        tasks = []
        for name in names or tuple(self._services):
            service = self._services[name]
            if service.task is not None:
                service.task.cancel()
                tasks.append(service.task)
        await asyncio.gather(*tasks, return_exceptions=True)

    def status(self) -> list[ServiceStatus]:
        return [ServiceStatus(one.name, one.critical, one.state, one.failures) for one in self._services.values()]

    def is_at_work(self, name: str) -> bool:
        """Does it run, or wait for its next try?"""
        service = self._services.get(name)
        return service is not None and service.task is not None and not service.task.done()

    async def _watch_critical(self, service: _Service) -> None:
        error = await self._run_once(service)
        service.state = "down"
        if not self._broken:
            self._broken = True
            self._on_critical(service.name, error)

    async def _watch_restartable(self, service: _Service) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            error = await self._run_once(service)
            now = clock()
            service.failed_at.append(now)
            recent = sum(at > now - WINDOW_S for at in service.failed_at)
            self._on_failure(service.name, error)
            what = f"The queue manager task '{service.name}' failed: {_described(error)}."
            if recent > FAILURES_MAX:
                service.state = "down"
                self._say(amq(5053, what, recent))
                return
            pause = min(PAUSE_LONGEST_S, self._pause_first_s * 2 ** (recent - 1)) if recent > 1 else 0.0
            self._say(amq(5052, what, f" in {pause:.1f} seconds" if pause else ""))
            service.state = "waiting"
            await asyncio.sleep(pause)

    async def _run_once(self, service: _Service) -> BaseException:
        """Run it until it fails; with what. Only the end of the queue manager gets out of here as a cancellation."""
        service.state = "running"
        try:
            await service.run()
            error: BaseException = CriticalFailure("it ended by itself")
        except asyncio.CancelledError as cancelled:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                service.state = "ended"
                raise
            error = cancelled  # something within it was cancelled, not the service
        except Exception as failure:
            error = failure
        service.failures += 1
        return error


def _described(error: BaseException) -> str:
    text = str(error)
    if isinstance(error, OSError) and error.filename is None:
        text = error.strerror or text
    if isinstance(error, OSError | CriticalFailure) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
