"""Services: restartable ones come back, until that makes no sense; a critical one that fails is the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from libremq.server.process.services import FAILURES_MAX, Services


class Watched:
    """Services and what they reported. The pauses between two tries are short."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.critical: list[tuple[str, BaseException]] = []
        self.failed: list[tuple[str, BaseException]] = []
        self.services = Services(
            self.said.append,
            lambda name, error: self.critical.append((name, error)),
            lambda name, error: self.failed.append((name, error)),
            pause_first_s=0.001,
        )

    def state(self, name: str) -> tuple[str, int]:
        (found,) = [one for one in self.services.status() if one.name == name]
        return found.state, found.failures


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.001)


def test_a_restartable_service_comes_back() -> None:
    async def run() -> None:
        watched = Watched()
        runs: list[asyncio.Future[None]] = []

        async def listen() -> None:
            runs.append(asyncio.get_running_loop().create_future())
            await runs[-1]

        watched.services.start("listener", listen, critical=False)
        await until(lambda: len(runs) == 1)
        runs[0].set_exception(OSError(9, "Bad file descriptor"))
        await until(lambda: len(runs) == 2)
        assert watched.said == [
            "AMQ5052W: The queue manager task 'listener' failed: Bad file descriptor. It is started again."
        ]
        runs[1].set_result(None)  # to return is to fail, too
        await until(lambda: len(runs) == 3)
        runs[2].cancel()  # and so is being killed
        await until(lambda: len(runs) == 4)
        assert watched.state("listener") == ("running", 3)
        assert [type(error).__name__ for _, error in watched.failed] == ["OSError", "CriticalFailure", "CancelledError"]
        assert watched.critical == []
        await watched.services.stop()
        assert watched.state("listener")[0] == "ended"

    asyncio.run(run())


def test_one_that_fails_again_and_again_stays_down_until_it_is_started() -> None:
    async def run() -> None:
        watched = Watched()
        tries = 0

        async def broken() -> None:
            nonlocal tries
            tries += 1
            raise RuntimeError("no luck")

        watched.services.start("statistics", broken, critical=False)
        await until(lambda: watched.state("statistics")[0] == "down")
        assert tries == FAILURES_MAX + 1 == len(watched.said)
        assert [text[:9] for text in watched.said] == ["AMQ5052W:"] * FAILURES_MAX + ["AMQ5053E:"]
        assert "RuntimeError: no luck" in watched.said[-1] and "not started again" in watched.said[-1]
        assert watched.critical == []
        with pytest.raises(KeyError):
            await watched.services.stop("nobody")
        hold = asyncio.Event()

        async def mended() -> None:
            await hold.wait()

        watched.services.start("statistics", mended, critical=False)
        with pytest.raises(ValueError, match="runs already"):
            watched.services.start("statistics", mended, critical=False)
        await until(lambda: watched.state("statistics") == ("running", 0))
        await watched.services.stop()

    asyncio.run(run())


async def _raise() -> None:
    raise MemoryError("out of it")


async def _return() -> None:
    return


@pytest.mark.parametrize("fails", [_raise, _return])
def test_a_critical_service_that_fails_is_reported_once_and_not_repeated(fails: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        watched = Watched()
        watched.services.start("kernel", fails, critical=True)
        watched.services.start("log", fails, critical=True)
        await until(lambda: watched.state("kernel")[0] == watched.state("log")[0] == "down")
        assert [name for name, _ in watched.critical] == ["kernel"]
        assert watched.said == []
        await watched.services.stop()

    asyncio.run(run())


def test_to_stop_is_no_failure() -> None:
    async def run() -> None:
        watched = Watched()
        for name, critical in (("kernel", True), ("listener", False)):
            watched.services.start(name, asyncio.Event().wait, critical=critical)  # type: ignore[arg-type]
        await asyncio.sleep(0)
        await watched.services.stop("listener")
        assert (watched.state("listener")[0], watched.state("kernel")[0]) == ("ended", "running")
        await watched.services.stop()
        assert (watched.said, watched.critical, watched.failed) == ([], [], [])

    asyncio.run(run())
