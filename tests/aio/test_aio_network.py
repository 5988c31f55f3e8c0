"""What only a network has: lost servers, silent ones, shared sockets, addresses that do not answer, large messages."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helper_aio import PATIENCE, run

import libremq
from libremq import aio
from libremq.common.tls.tls_context import server_context
from libremq.testing.serving import Served, served_queue_manager


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("IN", maxmsgl=20_000_000)
        yield served


def links(served: Served) -> int:
    return served.in_loop(lambda: len(served.event_loop.links))


def test_a_lost_connection_is_told_to_all_who_wait_and_stays_lost(served: Served) -> None:
    async def main() -> None:
        qm = await aio.connect(served.url("mq"))
        waiting = [asyncio.create_task(qm.queue("IN").get(wait=float("inf"))) for _ in range(3)]
        while served.in_loop(lambda: len(served.event_loop.manager.core.waiters)) < 3:
            await asyncio.sleep(0)
        served.in_loop(lambda: [link.abort() for link in list(served.event_loop.links)])
        for get in waiting:
            with pytest.raises(libremq.ConnectionBroken):
                await get
        with pytest.raises(libremq.ConnectionBroken):
            await qm.put("IN", "x")
        with pytest.raises(libremq.ConnectionBroken):
            async with qm.transaction():
                await qm.put("IN", "x")
        await qm.close()

    run(main())


def test_with_reconnect_the_next_call_connects_again(served: Served) -> None:
    async def main() -> None:
        async with aio.connect(served.url("mq", reconnect="yes")) as qm:
            await qm.put("IN", "x")
            with pytest.raises(libremq.ConnectionBroken):
                async with qm.transaction():
                    await qm.put("IN", "lost")
                    served.in_loop(lambda: [link.abort() for link in list(served.event_loop.links)])
                    await qm.queue("IN").get(wait=PATIENCE, correlation_id="none")
            assert [message.text async for message in qm.queue("IN")] == ["x"]

    run(main())


def test_a_consumer_that_lost_its_connection_can_be_started_again(served: Served) -> None:
    async def main() -> None:
        async with aio.connect(served.url("mq", reconnect="yes")) as qm:
            seen: asyncio.Queue[str] = asyncio.Queue()

            async def note(message: aio.Message) -> None:
                seen.put_nowait(message.text)

            async with qm.queue("IN").consume(note) as consumer:
                await qm.put("IN", "a")
                assert await seen.get() == "a"
                while not served.in_loop(lambda: len(served.event_loop.manager.core.waiters)):
                    await asyncio.sleep(0)  # until that is committed, and the next is waited for
                served.in_loop(lambda: [link.abort() for link in list(served.event_loop.links)])
                with pytest.raises(libremq.ConnectionBroken):
                    await consumer.wait(PATIENCE)
                consumer.start()
                await qm.put("IN", "b")
                assert await seen.get() == "b"

    run(main())


def test_conversations_share_sockets_as_far_as_the_channel_allows(served: Served) -> None:
    async def main() -> None:
        async with aio.connect(served.url("mq", sharing=5)) as qm:
            queue = qm.queue("IN")
            waiting = [asyncio.create_task(queue.get(wait=PATIENCE)) for _ in range(9)]
            while served.in_loop(lambda: len(served.event_loop.manager.core.waiters)) < 9:
                await asyncio.sleep(0)
            assert links(served) == 2
            for _ in range(2):
                await asyncio.gather(*(queue.put(str(number)) for number in range(9)))
                await asyncio.gather(*waiting)
                waiting = [asyncio.create_task(queue.get(wait=PATIENCE)) for _ in range(9)]
            assert links(served) == 2
            await asyncio.gather(*(queue.put(str(number)) for number in range(9)))
            await asyncio.gather(*waiting)
        while links(served):
            await asyncio.sleep(0)

    run(main())


def test_messages_of_many_segments_and_a_peer_that_reads_slowly(served: Served) -> None:
    big = bytes(range(256)) * 12_000

    async def main() -> None:
        async with aio.connect(served.url("mq")) as qm:
            queue = qm.queue("IN")
            await asyncio.gather(*(queue.put(big, properties={"n": number}) for number in range(5)))
            found = [message async for message in queue]
            assert sorted(int(str(message.properties["n"])) for message in found) == [0, 1, 2, 3, 4]
            assert all(message.data == big for message in found)
            with pytest.raises(libremq.MessageTooBig):
                await queue.put(bytes(4_194_305))

    run(main())


def test_addresses_are_tried_in_turn(served: Served) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        dead = unused.getsockname()[1]

        async def main() -> None:
            async with aio.connect(f"mq://127.0.0.1:{dead},127.0.0.1:{served.port}/QM1") as qm:
                assert qm.name == "QM1"
            with pytest.raises(libremq.MQError, match="no queue manager answers"):
                await aio.connect(f"mq://127.0.0.1:{dead}/QM1")
            with pytest.raises(libremq.MQError, match="OTHER"):
                await aio.connect(f"mq://127.0.0.1:{served.port}/OTHER")
            with pytest.raises(libremq.MQError, match="NOTHING"):
                await aio.connect(served.url("mq", channel="NOTHING"))

        run(main())


def test_what_is_no_queue_manager(tmp_path: Path) -> None:
    async def main() -> None:
        async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)
            await writer.drain()
            writer.close()

        async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        for serve, keys, words in ((babble, "", "no queue manager"), (silence, "?connect_timeout=1", "did not answer")):
            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(libremq.MQError, match=words):
                await aio.connect(f"mq://127.0.0.1:{port}/QM1{keys}")
            server.close()
            await server.wait_closed()
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0)

    run(main())


def test_a_local_queue_manager_that_does_not_run(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(libremq.MQError):
            await aio.connect(f"local:QM9?data={tmp_path}")

    run(main())


def test_a_password_that_is_wrong(served: Served) -> None:
    async def main() -> None:
        with pytest.raises(libremq.NotAuthorized):
            await aio.connect(f"mq://ann:wrong@127.0.0.1:{served.port}/QM1")

    run(main())


class Proxy:
    """Stands between a client and a queue manager, and may let nothing through any more."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._tasks: list[asyncio.Task[None]] = []
        self.silent = False
        self.bytes_up = 0

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
        await asyncio.gather(self._pass(reader, up_writer, up=True), self._pass(up_reader, writer, up=False))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, up: bool) -> None:
        try:
            while data := await reader.read(65536):
                if not self.silent:
                    writer.write(data)
                    if up:
                        self.bytes_up += len(data)
        except ConnectionError:
            pass
        while self.silent:
            await asyncio.sleep(0.01)  # nor that the other end has given up
        writer.close()

    async def stop(self) -> None:
        self.silent = False
        self._server.close()
        await self._server.wait_closed()
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0.001)


def test_heartbeats_keep_a_quiet_line_and_find_a_dead_one(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("libremq.common.silence.ANSWER_MIN_S", PATIENCE)  # as long as both ends are there
    with libremq.connect(served.url("local")) as control:
        control.define("channel", "FAST", chltype="svrconn", hbint=1)

    async def main() -> None:
        proxy = Proxy(served.port)
        port = await proxy.start()
        qm = await aio.connect(f"mq://127.0.0.1:{port}/QM1?channel=FAST&heartbeat=1")
        await qm.queue("IN").get_or_none()
        quiet = proxy.bytes_up
        while proxy.bytes_up == quiet:
            await asyncio.sleep(0.01)  # until a heartbeat goes out
        await qm.put("IN", "x")
        assert (await qm.queue("IN").get()).text == "x"
        monkeypatch.undo()
        proxy.silent = True
        with pytest.raises(libremq.ConnectionBroken, match="silent"):
            await qm.queue("IN").get(wait=float("inf"))
        await qm.close()
        await proxy.stop()

    run(main())


def test_a_call_that_is_not_answered_in_time(served: Served) -> None:
    async def main() -> None:
        proxy = Proxy(served.port)
        port = await proxy.start()
        qm = await aio.connect(f"mq://127.0.0.1:{port}/QM1?call_timeout={PATIENCE}")
        await qm.put("IN", "x")
        proxy.silent = True
        for session in qm._sessions._all:  # from here on: what was to be answered before that may take long
            link = session.binding._link  # type: ignore[attr-defined]
            assert link.address.call_timeout_s == PATIENCE
            link.address = replace(link.address, call_timeout_s=0.05)
        with pytest.raises(libremq.ConnectionBroken, match="in time"):
            await qm.put("IN", "y")
        await qm.close()
        await proxy.stop()

    run(main())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_tls(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=QM1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    context = server_context(str(certificate), str(key))

    with served_queue_manager(folder=tmp_path / "data", tls=lambda: context) as served:
        with libremq.connect(served.url("local")) as admin:
            admin.define("CHANNEL", "TLS", CHLTYPE="SVRCONN", SSLCIPH="ANY_TLS12_OR_HIGHER", SSLCAUTH="OPTIONAL")

        async def main() -> None:
            async with aio.connect(served.url("mqs", ca=certificate, channel="TLS")) as qm:
                await qm.define_local("IN")
                await qm.queue("IN").put_many([bytes(100_000)] * 20)
                assert len(await qm.queue("IN").get_many(20)) == 20
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.01):
                        await qm.queue("IN").get(wait=float("inf"))
            with pytest.raises(libremq.MQError) as caught:
                await aio.connect(served.url("mqs"))
            assert isinstance(caught.value.__cause__, ssl.SSLError)

        run(main())
