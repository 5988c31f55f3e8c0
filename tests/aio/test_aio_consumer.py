"""Consumers of the asyncio API: a task that calls a coroutine function, a transaction for each message."""

from __future__ import annotations

import asyncio

import pytest
from helper_aio import PATIENCE, run

import libremq
from libremq import aio


def test_a_consumer_is_called_in_a_transaction(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:

            async def copy(message: aio.Message) -> None:
                await qm.put("OUT", message.data)

            out = qm.queue("OUT")
            async with qm.queue("IN").consume(copy) as consumer:
                await qm.queue("IN").put_many([str(number) for number in range(5)])
                texts = [(await out.get(wait=PATIENCE)).text for _ in range(5)]
                assert consumer.running
                assert repr(consumer) == "<Consumer of IN, running>"
            assert texts == [str(number) for number in range(5)]
            assert not consumer.running
            assert control.statistics().units_of_work == 0

    run(main())


def test_what_its_function_raises_backs_out_and_stops_it(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:

            async def fail(message: aio.Message) -> None:
                await qm.put("OUT", message.data)
                raise KeyError(message.text)

            await qm.put("IN", "x")
            consumer = await qm.queue("IN").consume(fail)
            with pytest.raises(KeyError, match="x"):
                await consumer.wait(PATIENCE)
            assert (control.queue("IN").depth, control.queue("OUT").depth) == (1, 0)
            await consumer.close()
            with pytest.raises(KeyError):
                async with qm.queue("IN").consume(fail) as consumer:
                    await consumer._stopped.wait()

    run(main())


@pytest.mark.parametrize("awaited", [False, True])
def test_with_on_error_it_goes_on(url: str, control: libremq.QueueManager, awaited: bool) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            failures: list[tuple[str, int]] = []

            async def third_time(message: aio.Message) -> None:
                if message.backout_count < 2:
                    raise KeyError(message.text)
                await qm.put("OUT", message.data)

            def failed(error: BaseException, message: aio.Message) -> None:
                failures.append((type(error).__name__, message.backout_count))

            async def failed_slowly(error: BaseException, message: aio.Message) -> None:
                failed(error, message)

            async with qm.queue("IN").consume(third_time, on_error=failed_slowly if awaited else failed):
                await qm.put("IN", "x")
                assert (await qm.queue("OUT").get(wait=PATIENCE)).text == "x"
            assert failures == [("KeyError", 0), ("KeyError", 1)]

    run(main())


def test_stop_suspend_and_resume(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            seen: asyncio.Queue[str] = asyncio.Queue()

            async def note(message: aio.Message) -> None:
                seen.put_nowait(message.text)

            consumer = await qm.queue("IN").consume(note, transaction=False, start=False)
            assert not consumer.running
            consumer.start()
            with pytest.raises(libremq.CallInProgress):
                consumer.start()
            await qm.put("IN", "a")
            assert await seen.get() == "a"
            await consumer.suspend()
            assert control.statistics().waiting_gets == 0
            await qm.put("IN", "b")
            assert control.queue("IN").depth == 1
            assert not await consumer.wait(0)
            consumer.resume()
            assert await seen.get() == "b"
            await consumer.stop()
            await qm.put("IN", "c")
            assert control.queue("IN").depth == 1
            assert await consumer.wait()
            consumer.start()
            assert await seen.get() == "c"
            await consumer.close()
            with pytest.raises(libremq.HandleError):
                consumer.start()

    run(main())


def test_its_function_may_stop_it(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:

            async def once(message: aio.Message) -> None:
                await qm.put("OUT", message.data)
                await consumer.close()

            consumer = await qm.queue("IN").consume(once)
            await qm.queue("IN").put_many(["a", "b"])
            assert await consumer.wait(PATIENCE)
            assert (control.queue("IN").depth, control.queue("OUT").depth) == (1, 1)

    run(main())


def test_closing_the_queue_manager_stops_its_consumers(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async def nothing(message: aio.Message) -> None:
            pass

        async with aio.connect(url) as qm:
            consumers = [await qm.queue("IN").consume(nothing) for _ in range(3)]
        assert not any(consumer.running for consumer in consumers)

    run(main())


def test_the_end_of_the_loop_ends_it(url: str, control: libremq.QueueManager) -> None:
    """A program that forgets to close: its tasks are cancelled, and the message in work goes back."""
    started = False

    async def main() -> None:
        nonlocal started
        qm = await aio.connect(url)
        inside = asyncio.Event()

        async def slow(message: aio.Message) -> None:
            inside.set()
            await asyncio.sleep(3600)

        await qm.put("IN", "x")
        consumer = await qm.queue("IN").consume(slow)
        await inside.wait()
        assert consumer._task is not None
        consumer._task.cancel()
        await asyncio.wait([consumer._task])
        assert not consumer.running
        await qm.close()
        started = True

    run(main())
    assert started
    assert control.queue("IN").depth == 1


def test_what_it_cannot_do(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:

            async def nothing(message: aio.Message) -> None:
                pass

            with pytest.raises(libremq.MQError):
                await qm.queue("IN").consume("print")  # type: ignore[arg-type]
            before = control.statistics().connections
            with pytest.raises(libremq.UnknownObject):
                await qm.queue("NOWHERE").consume(nothing)
            assert control.statistics().connections <= before + 1
            async with qm.queue("IN").consume(nothing) as consumer:
                await qm.queue("IN").set(get="disabled")
                with pytest.raises(libremq.GetInhibited):
                    await consumer.wait(PATIENCE)
                await qm.queue("IN").set(get="enabled")
                consumer.start()

    run(main())
