"""The asyncio API does what the blocking one does, over every binding."""

from __future__ import annotations

import asyncio
import pickle

import pytest
from helper_aio import PATIENCE, run

import libremq
from libremq import aio
from libremq.mqi import constants as C


def test_put_and_get(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            assert (qm.name, qm.closed) == ("QM1", False)
            queue = qm.queue("IN")
            message_id = await queue.put("Größe", persistent=True, priority=7, properties={"n": 1}, correlation_id="c")
            await qm.put("IN", b"y")
            assert await queue.depth() == 2
            message = await queue.get(message_id=message_id)
            assert (message.text, message.persistent, message.priority) == ("Größe", True, 7)
            assert (message.properties, message.queue) == ({"n": 1}, "IN")
            assert (await queue.get(wait=1)).data == b"y"
            assert await queue.get_or_none() is None
            with pytest.raises(libremq.NoMessageAvailable):
                await queue.get(wait=0.001)
            assert pickle.loads(pickle.dumps(message)).text == "Größe"
        assert qm.closed
        with pytest.raises(libremq.HandleError):
            await qm.put("IN", "z")

    run(main())


def test_connect_may_be_awaited_too(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        qm = await aio.connect(url, user="ann", application="test")
        await qm.put("IN", "x")
        assert (await qm.queue("IN").get()).application == "test"
        await qm.close()
        await qm.close()

    run(main())


def test_errors_are_those_of_the_blocking_api(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            with pytest.raises(libremq.UnknownObject, match="NOWHERE"):
                await qm.queue("NOWHERE").put("x")
            with pytest.raises(libremq.BadValue):
                await qm.queue("IN").get(wait=-1)
            with pytest.raises(libremq.WrongType):
                await qm.queue("IN").put(17)  # type: ignore[arg-type]
            with pytest.raises(libremq.WrongType):
                qm.queue(17)  # type: ignore[arg-type]
            await qm.put("IN", "too long")
            with pytest.raises(libremq.TruncatedMessage):
                await qm.queue("IN").get(max_length=3)
            assert (await qm.queue("IN").get(max_length=3, truncate=True)).data == b"too"

    run(main())


def test_many_at_once_and_groups(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            ids = await queue.put_many([str(number) for number in range(25)], persistent=True)
            assert len(set(ids)) == 25
            found = await queue.get_many(10)
            found += await queue.get_many(100, wait=PATIENCE)
            assert [message.text for message in found] == [str(number) for number in range(25)]
            assert [message.message_id for message in found] == ids
            with pytest.raises(libremq.NoMessageAvailable):
                await queue.get_many(5, wait=0.001)
            group_id = await queue.put_group(["a", "b"])
            group = await queue.get_group(group_id=group_id)
            assert [message.text for message in group] == ["a", "b"]

    run(main())


def test_iterating_and_browsing(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            await queue.put_many(["a", "b", "c"])
            assert [message.text async for message in queue.browse()] == ["a", "b", "c"]
            async with queue.browse(take=True) as browser:
                async for message in browser:
                    if message.text == "b":
                        assert (await browser.take()).text == "b"
            async with qm.transaction() as transaction:
                browser = queue.browse(take=True)
                assert (await anext(browser)).text == "a"
                assert (await browser.take()).text == "a"
                await transaction.backout()
            with pytest.raises(libremq.MQError):
                await browser.take()
            assert [message.text async for message in queue] == ["a", "c"]
            assert await queue.depth() == 0

    run(main())


def test_what_is_got_while_it_is_waited_for(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            gets = [asyncio.create_task(queue.get(wait=PATIENCE)) for _ in range(25)]
            await asyncio.gather(*(queue.put(str(number)) for number in range(25)))
            assert sorted(int(message.text) for message in await asyncio.gather(*gets)) == list(range(25))

    run(main())


# Units of work


def test_a_transaction_commits_or_backs_out(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            source, target = qm.queue("IN"), qm.queue("OUT")
            await source.put("x")
            with pytest.raises(KeyError):
                async with qm.transaction():
                    await target.put((await source.get()).data)
                    raise KeyError
            assert (await source.depth(), await target.depth()) == (1, 0)
            async with qm.transaction():
                message = await source.get()
                assert message.backout_count == 1
                await target.put(message.data)
                assert control.queue("OUT").get_or_none() is None
            assert (await source.depth(), await target.depth()) == (0, 1)
            async with qm.transaction() as transaction:
                await source.put("first")
                await transaction.commit()
                await source.put("second")
                await transaction.backout()
            assert [message.text async for message in source] == ["first"]
            with pytest.raises(libremq.UnitOfWorkError):
                await transaction.commit()

    run(main())


def test_every_task_has_a_transaction_of_its_own(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            both = asyncio.Barrier(2)

            async def work(text: str, fails: bool) -> None:
                async with qm.transaction():
                    await qm.put("IN", text)
                    await both.wait()
                    if fails:
                        raise KeyError

            results = await asyncio.gather(work("good", False), work("bad", True), return_exceptions=True)
            assert isinstance(results[1], KeyError)
            assert [message.text async for message in qm.queue("IN")] == ["good"]

    run(main())


def test_tasks_begun_in_a_transaction_take_part_in_it(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            await qm.put("IN", "x")
            with pytest.raises(KeyError):
                async with qm.transaction():
                    message = await asyncio.wait_for(qm.queue("IN").get(wait=PATIENCE), PATIENCE)
                    await asyncio.gather(qm.put("OUT", message.data), qm.put("OUT", message.data))
                    raise KeyError
            assert (control.queue("IN").depth, control.queue("OUT").depth) == (1, 0)

            async def own() -> None:
                async with qm.transaction():
                    await qm.put("OUT", "own")

            async with qm.transaction() as transaction:
                await qm.put("OUT", "outer")
                await asyncio.create_task(own())
                await transaction.backout()
            assert [message.text async for message in qm.queue("OUT")] == ["own"]

    run(main())


def test_a_task_that_outlives_the_transaction_is_outside_it(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            over = asyncio.Event()

            async def later() -> None:
                await over.wait()
                await qm.put("OUT", "later")

            with pytest.raises(KeyError):
                async with qm.transaction():
                    outlives = asyncio.create_task(later())
                    waits = asyncio.create_task(qm.queue("IN").get(wait=float("inf")))
                    while not control.statistics().waiting_gets:
                        await asyncio.sleep(0)
                    raise KeyError
            with pytest.raises(libremq.UnitOfWorkError):
                await waits
            over.set()
            await outlives
            assert control.queue("OUT").depth == 1

    run(main())


def test_a_transaction_inside_another_is_refused(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            with pytest.raises(libremq.UnitOfWorkError):
                async with qm.transaction(), qm.transaction():
                    pass
            with pytest.raises(libremq.UnitOfWorkError):
                async with qm.transaction():
                    await qm.queue("IN").request("x")

    run(main())


def test_two_phase_commit(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            async with qm.xa.branch(b"one"):
                await qm.put("IN", "x")
            await qm.xa.prepare(b"one")
            assert await qm.in_doubt() == [b"one"]
            await qm.xa.commit(b"one")
            with pytest.raises(KeyError):
                async with qm.xa.branch(b"two"):
                    await qm.put("IN", "y")
                    raise KeyError
            assert [message.text async for message in qm.queue("IN")] == ["x"]

    run(main())


# Queues that cannot be shared


def test_a_queue_that_is_not_shared_is_not_in_its_own_way(url: str, control: libremq.QueueManager) -> None:
    control.define_local("ALONE", share="noshare", defsopt="excl")

    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("ALONE")
            await queue.put_many(["a", "b", "c", "d"])
            await qm.put("IN", "x")
            assert (await queue.get()).text == "a"
            assert (await asyncio.wait_for(queue.get(wait=PATIENCE), PATIENCE)).text == "b"
            async with qm.transaction():
                await qm.queue("IN").get()
                assert (await queue.get()).text == "c"
            assert (await queue.get()).text == "d"

    run(main())


def test_exclusive_use_and_dynamic_queues(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            async with qm.queue("IN", exclusive=True) as queue:
                with pytest.raises(libremq.ObjectInUse):
                    control.queue("IN").get()
                await queue.put("x")
                async with qm.transaction():
                    assert (await queue.get()).text == "x"
            assert control.queue("IN").get_or_none() is None
            async with qm.dynamic_queue() as dynamic:
                assert dynamic.name.startswith("AMQ.")
                await dynamic.put("y")
                assert (await dynamic.get()).text == "y"
            assert control.queue_names("AMQ.*") == []
            with pytest.raises(libremq.BadValue):
                await qm.dynamic_queue("IN")

    run(main())


def test_a_queue_object_that_is_closed_or_dropped(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            queue = qm.queue("IN")
            waiting = asyncio.create_task(queue.get(wait=float("inf")))
            while not control.statistics().waiting_gets:
                await asyncio.sleep(0)
            await queue.close()
            with pytest.raises(libremq.HandleError):
                await waiting
            with pytest.raises(libremq.HandleError):
                await queue.put("x")
            await qm.queue("OUT").get_or_none()
            while control.queue("OUT").statistics().opens_for_input:
                await qm.queue("IN").depth()  # any call closes what was dropped

    run(main())


def test_closing_ends_the_gets_that_wait(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        qm = await aio.connect(url)
        waiting = asyncio.create_task(qm.queue("IN").get(wait=float("inf")))
        while not control.statistics().waiting_gets:
            await asyncio.sleep(0)
        await qm.close()
        with pytest.raises(libremq.HandleError):
            await waiting

    run(main())


# Requests, replies, dead letters


def test_requests_and_replies(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:

            async def answer(message: aio.Message) -> None:
                await message.reply(message.text.upper())

            service = qm.queue("IN")
            async with service.consume(answer):
                assert (await service.request("abc", wait=PATIENCE)).text == "ABC"
                assert (await service.request("def", wait=PATIENCE, reply_to="OUT", persistent=True)).text == "DEF"
            await qm.put("IN", "x", reply_to="OUT", report=C.MQRO_PAN)
            message = await service.get()
            assert await message.report(C.MQFB_NAN) is None
            assert await message.report() is not None
            assert (await qm.queue("OUT").get()).feedback == C.MQFB_PAN

    run(main())


def test_dead_letters(url: str, control: libremq.QueueManager) -> None:
    control.alter("qmgr", deadq="OUT")

    async def main() -> None:
        async with aio.connect(url) as qm:
            await qm.put("IN", "x", properties={"n": 1})
            async with qm.transaction():
                await qm.dead_letter(await qm.queue("IN").get(), C.MQRC_Q_FULL)
            header, message = (await qm.queue("OUT").get()).without_dead_letter_header()
            assert isinstance(message, aio.Message)
            assert (header.Reason, message.text, message.properties) == (C.MQRC_Q_FULL, "x", {"n": 1})

    run(main())


# Administration


def test_administration(url: str, control: libremq.QueueManager) -> None:
    async def main() -> None:
        async with aio.connect(url) as qm:
            await qm.define_local("NEW", maxdepth=5)
            await qm.define_alias("OTHER", "NEW")
            await qm.define_namelist("LIST", ["NEW", "OTHER"])
            assert await qm.queue_names() == ["IN", "NEW", "OTHER", "OUT"]
            assert (await qm.display("qlocal", "NEW"))[0]["maxdepth"] == 5
            assert (await qm.display("namelist", "LIST"))[0]["names"] == ("NEW", "OTHER")
            await qm.alter("qlocal", "NEW", maxdepth=6)
            new = qm.queue("NEW")
            assert await new.inquire("maxdepth") == [6]
            await new.put("x")
            await new.set(get="disabled")
            with pytest.raises(libremq.GetInhibited):
                await new.get()
            assert (await new.statistics()).depth == 1
            await qm.clear("NEW")
            await qm.delete("qalias", "OTHER")
            await qm.delete("qlocal", "NEW")
            with pytest.raises(libremq.ObjectExists):
                await qm.define_local("IN")
            assert (await qm.attributes())["qmname"] == "QM1"
            assert (await qm.statistics()).log == await qm.log_statistics()
            await qm.checkpoint()
            assert await qm.log_extents()

    run(main())


def test_another_event_loop_is_refused(url: str, control: libremq.QueueManager) -> None:
    managers: list[aio.QueueManager] = []

    async def first() -> None:
        qm = await aio.connect(url)
        managers.append(qm)

        def elsewhere() -> None:
            with pytest.raises(libremq.MQError, match="another event loop"):
                asyncio.run(qm.put("IN", "x"))
            with pytest.raises(libremq.MQError, match="another event loop"):
                asyncio.run(qm.close())

        await asyncio.to_thread(elsewhere)
        await qm.close()

    run(first())


def test_a_put_is_answered_whatever_the_definition_says(url: str, control: libremq.QueueManager) -> None:
    control.define_local("TINY", maxdepth=1, defpresp="async")

    async def main() -> None:
        async with aio.connect(url) as qm:
            tiny = qm.queue("TINY")
            message_id = await tiny.put("one")
            for put in (tiny.put("two"), qm.put("TINY", "two"), tiny.put_many(["2", "3"]), tiny.put_group(["2", "3"])):
                with pytest.raises(libremq.QueueFull):
                    await put
            assert (await tiny.get()).message_id == message_id
            assert await tiny.depth() == 0

    run(main())
