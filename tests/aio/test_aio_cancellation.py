"""Cancelling at every await: a message is returned or on the queue, never both, never neither."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from helper_aio import PATIENCE, cancelled_at, run

import libremq
from libremq import aio
from libremq.mqi import constants as C

Get = Callable[[aio.Queue], Coroutine[Any, Any, list[bytes]]]


async def plain_get(queue: aio.Queue) -> list[bytes]:
    return [(await queue.get()).data]


async def waiting_get(queue: aio.Queue) -> list[bytes]:
    return [(await queue.get(wait=PATIENCE)).data]


async def get_many(queue: aio.Queue) -> list[bytes]:
    return [message.data for message in await queue.get_many(5, wait=PATIENCE)]


def depth(control: libremq.QueueManager, name: str = "IN") -> int:
    return control.queue(name).depth


@pytest.mark.parametrize("get", [plain_get, waiting_get, get_many])
@pytest.mark.parametrize("warm", [False, True])
def test_a_get_of_a_message_that_is_there(url: str, control: libremq.QueueManager, get: Get, warm: bool) -> None:
    """`warm`: its queue is open already, so that the first suspension is that of the get itself."""

    async def main() -> None:
        number = 0
        while True:
            async with aio.connect(url) as qm:
                queue = qm.queue("IN")
                if warm:
                    await queue.get_or_none()
                control.put("IN", b"x")
                struck, got, error = await cancelled_at(get(queue), number)
                if got is None:
                    assert isinstance(error, asyncio.CancelledError), (number, error)
                assert depth(control) == (1 if got is None else 0), number
                assert got in (None, [b"x"])
                await drain(queue)
            if not struck:
                assert got == [b"x"]
                break
            number += 1
        assert number >= (1 if warm else 2)

    run(main())


async def drain(queue: aio.Queue) -> None:
    async for _ in queue:
        pass


async def short_get(queue: aio.Queue) -> list[bytes]:
    return [(await queue.get(wait=0.02)).data]


async def short_get_many(queue: aio.Queue) -> list[bytes]:
    return [message.data for message in await queue.get_many(5, wait=0.02)]


@pytest.mark.parametrize("get", [short_get, short_get_many])
@pytest.mark.parametrize("comes", ["never", "in the same moment"])
def test_a_get_that_waits(url: str, control: libremq.QueueManager, get: Get, comes: str) -> None:
    async def main() -> None:
        number = 0
        while True:
            async with aio.connect(url) as qm:
                queue = qm.queue("IN")
                meanwhile = None if comes == "never" else lambda: control.put("IN", b"x")
                struck, got, error = await cancelled_at(get(queue), number, meanwhile)
                assert control.statistics().waiting_gets == 0
                if not struck:
                    assert isinstance(error, libremq.NoMessageAvailable)
                    break
                if got is None:
                    assert isinstance(error, asyncio.CancelledError), (number, error)
                assert depth(control) == (0 if comes == "never" or got is not None else 1), number
                await drain(queue)
            number += 1
        assert number >= 2

    run(main())


def test_cancelled_gets_and_puts_race_for_many_messages(url: str, control: libremq.QueueManager) -> None:
    """Gets are cancelled while messages come: in the end every message was returned once, or is on the queue."""
    total = 200

    async def main() -> list[bytes]:
        got: list[bytes] = []
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")

            async def get() -> None:
                got.append((await queue.get(wait=PATIENCE)).data)

            async def producer() -> None:
                for number in range(total):
                    await qm.put("IN", str(number))

            producing = asyncio.create_task(producer())
            turn = 0
            while not producing.done():
                getting = asyncio.create_task(get())
                for _ in range(turn % 7):
                    await asyncio.sleep(0)
                getting.cancel()
                await asyncio.wait([getting])
                assert getting.cancelled() or getting.exception() is None
                turn += 1
            await producing
            async for message in queue:
                got.append(message.data)
        return got

    got = run(main())
    assert sorted(int(data) for data in got) == list(range(total))


def test_a_get_in_a_transaction(url: str, control: libremq.QueueManager) -> None:
    """Cancelled anywhere in the block, commit included: both queues changed, or neither did."""

    async def main() -> None:
        number = 0
        while True:
            async with aio.connect(url) as qm:

                async def transfer(qm: aio.QueueManager = qm) -> str:
                    async with qm.transaction():
                        message = await qm.queue("IN").get(wait=PATIENCE)
                        await qm.queue("OUT").put(message.data)
                    return "committed"

                control.put("IN", b"x", persistent=True)
                struck, outcome, error = await cancelled_at(transfer(), number)
                if outcome is None:
                    assert isinstance(error, asyncio.CancelledError), (number, error)
                depths = (depth(control, "IN"), depth(control, "OUT"))
                assert depths == ((1, 0) if outcome is None else (0, 1)), number
                assert control.statistics().units_of_work == 0
                await drain(qm.queue("IN"))
                await drain(qm.queue("OUT"))
            if not struck:
                assert outcome == "committed"
                break
            number += 1
        assert number >= 4

    run(main())


@pytest.mark.parametrize("how", ["put", "put1", "put_many"])
def test_a_put_is_done_if_it_returns_and_not_if_it_is_cancelled(
    url: str, control: libremq.QueueManager, how: str
) -> None:
    async def put(qm: aio.QueueManager) -> object:
        if how == "put":
            return await qm.queue("IN").put("x", persistent=True)
        if how == "put1":
            return await qm.put("IN", "x", properties={"n": 1})
        return await qm.queue("IN").put_many(["x"])

    async def main() -> None:
        number = 0
        while True:
            async with aio.connect(url) as qm:
                struck, outcome, error = await cancelled_at(put(qm), number)
                if outcome is None:
                    assert isinstance(error, asyncio.CancelledError), (number, error)
                assert depth(control) == (0 if outcome is None else 1), number
                await drain(qm.queue("IN"))
            if not struck:
                assert outcome is not None
                break
            number += 1
        assert number >= 1

    run(main())


def test_a_request_that_is_cancelled_leaves_no_queue_behind(url: str, control: libremq.QueueManager) -> None:
    before = control.queue_names("AMQ.*")

    async def main() -> None:
        async with aio.connect(url) as qm:
            number = 0
            struck = True
            while struck:
                struck, _, error = await cancelled_at(qm.queue("OUT").request("x", wait=0.02), number)
                assert isinstance(error, asyncio.CancelledError | libremq.NoMessageAvailable), (number, error)
                assert control.queue_names("AMQ.*") == before, number
                number += 1
            assert number > 4

    run(main())


def test_a_connect_that_is_cancelled_leaves_no_connection_behind(url: str, control: libremq.QueueManager) -> None:
    base = control.statistics().connections

    async def connect() -> aio.QueueManager:
        return await aio.connect(url)

    async def main() -> None:
        number = 0
        while True:
            struck, qm, error = await cancelled_at(connect(), number)
            if qm is not None:
                await qm.close()
            else:
                assert isinstance(error, asyncio.CancelledError), (number, error)
            while control.statistics().connections != base:
                await asyncio.sleep(0)  # the server hears of it a little later
            if not struck:
                break
            number += 1
        assert number >= 2

    run(main())


def test_a_close_that_is_cancelled_goes_on_to_its_end(url: str, control: libremq.QueueManager) -> None:
    base = control.statistics().connections

    async def main() -> None:
        number = 0
        while True:
            qm = await aio.connect(url)
            await qm.queue("IN").get_or_none()
            struck, _, error = await cancelled_at(qm.close(), number)
            assert error is None or isinstance(error, asyncio.CancelledError)
            assert qm.closed
            while control.statistics().connections != base:
                await asyncio.sleep(0)
            if not struck:
                break
            number += 1
        assert number >= 2

    run(main())


# What asyncio makes of it


def test_a_timeout_around_a_get(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await queue.get(wait=float("inf"))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(queue.get(wait=float("inf")), 0.01)
            await queue.put("x")
            assert (await queue.get()).data == b"x"

    run(main())


def test_a_message_that_comes_with_the_timeout_is_returned_and_the_task_goes_on(
    url: str, control: libremq.QueueManager
) -> None:
    """The cancellation that `timeout` took back must not strike later."""

    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            await queue.get_or_none()
            returned = 0

            async def attempt() -> aio.Message | None:
                try:
                    async with asyncio.timeout(None) as limit:
                        loop = asyncio.get_running_loop()

                        def both() -> None:
                            control.put("IN", b"x")
                            limit.reschedule(loop.time())

                        loop.call_later(0.005, both)
                        message = await queue.get(wait=float("inf"))
                except TimeoutError:
                    return await queue.get(wait=PATIENCE)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                nonlocal returned
                returned += 1
                return message

            for _ in range(20):
                message = await asyncio.create_task(attempt())
                assert message is not None and message.data == b"x"
                assert depth(control) == 0

    run(main())


def test_a_task_that_is_cancelled_as_its_message_comes_ends_at_its_next_await(
    url: str, control: libremq.QueueManager
) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            seen: list[bytes] = []

            async def work() -> None:
                seen.append((await queue.get()).data)
                await asyncio.sleep(3600)

            await queue.get_or_none()
            control.put("IN", b"x")
            struck, _, error = await cancelled_at(work(), 0)
            assert struck and isinstance(error, asyncio.CancelledError)
            assert len(seen) + depth(control) == 1

    run(main())


def test_a_task_group_ends_those_who_wait(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")

            async def fail() -> None:
                while control.statistics().waiting_gets < 2:
                    await asyncio.sleep(0)
                raise KeyError

            with pytest.raises(ExceptionGroup):
                async with asyncio.TaskGroup() as group:
                    group.create_task(queue.get(wait=float("inf")))
                    group.create_task(queue.get(wait=float("inf")))
                    group.create_task(fail())
            assert control.statistics().waiting_gets == 0

    run(main())


def test_a_failed_put_that_is_cancelled_too(url: str, control: libremq.QueueManager) -> None:
    control.alter("qlocal", "IN", maxdepth=0)

    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            with pytest.raises(libremq.QueueFull):
                await queue.put("x")
            struck, _, error = await cancelled_at(queue.put("x"), 0)
            assert struck and isinstance(error, asyncio.CancelledError)
            assert await queue.inquire(C.MQIA_CURRENT_Q_DEPTH) == [0]

    run(main())
