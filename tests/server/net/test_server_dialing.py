"""Channels that call an address where nobody answers."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from helper_partners import define
from helper_peers import wait_until

from libremq.channels.agent import Agent
from libremq.channels.channel_end import End
from libremq.channels.pinging import PingingAgent
from libremq.common.messages.amq_messages import AmqMessage
from libremq.kernel.objects.channel_definitions import Sender
from libremq.mqi import constants as C
from libremq.server.net.dialing import CallingLink
from libremq.server.net.event_loop import EventLoopLimits
from libremq.testing.serving import served_queue_manager


def test_an_address_that_does_not_answer_is_given_up_after_the_configured_time(tmp_path: Path) -> None:
    said: list[str] = []
    limits = EventLoopLimits(connect_s=0.1)
    with (
        served_queue_manager(folder=tmp_path, limits=limits, say=lambda text: said.append(str(text))) as served,
        socket.socket() as busy,
        socket.socket() as first,
        socket.socket() as second,
    ):
        busy.bind(("127.0.0.1", 0))
        busy.listen(0)  # one connection waits to be accepted, and the system is silent to all others
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(busy.getsockname())
        define(served, "QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
        define(served, "SDR", "TO.QM2", XMITQ="QM2", CONNAME=f"127.0.0.1({busy.getsockname()[1]})")
        with served.event_loop.lock:
            served.event_loop.initiator.start("TO.QM2")

        def retrying() -> bool:
            with served.event_loop.lock:
                return [one.status for one in served.event_loop.initiator.instances()] == [C.MQCHS_RETRYING]

        wait_until(retrying)
    assert any("AMQ9202" in text and "did not answer for 0.1 seconds" in text for text in said), said


def test_a_local_address_that_nobody_knows_is_not_blamed_on_the_other_end(tmp_path: Path) -> None:
    said: list[str] = []
    with served_queue_manager(folder=tmp_path, say=lambda text: said.append(str(text))) as served:
        define(served, "QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
        define(served, "SDR", "TO.QM2", XMITQ="QM2", CONNAME="127.0.0.1(9)", LOCLADDR="nosuch.invalid")
        with served.event_loop.lock:
            served.event_loop.initiator.start("TO.QM2")
        wait_until(lambda: any("AMQ9202" in text for text in said))
    [line] = [text for text in said if "AMQ9202" in text]
    assert "LOCLADDR cannot be used, nosuch.invalid: its name is not known" in line


@pytest.mark.parametrize("how", ["start", "ping"])
def test_what_is_no_queue_manager_at_all_is_told_once(tmp_path: Path, how: str) -> None:
    """Something else listens there and speaks first, as many servers do."""
    said: list[str] = []
    pinged: list[AmqMessage | None] = []
    with (
        served_queue_manager(folder=tmp_path, say=lambda text: said.append(str(text))) as served,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        port = listener.getsockname()[1]
        define(served, "QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
        define(served, "SDR", "TO.QM2", XMITQ="QM2", CONNAME=f"127.0.0.1({port})")
        with served.event_loop.lock:
            if how == "start":
                served.event_loop.initiator.start("TO.QM2")
            else:
                served.event_loop.initiator.ping("TO.QM2", b"data", pinged.append)
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
            wait_until(lambda: bool(pinged) or any("AMQ9999" in text for text in said))
    lines = [str(one) for one in pinged] or [text for text in said if "no segment begins here" in text]
    assert len(lines) == 1 and lines[0].startswith("AMQ9504E"), said
    assert lines[0].count(f"127.0.0.1({port})") == 1


def test_what_comes_before_the_channel_is_there_waits_for_it(tmp_path: Path) -> None:
    """Some event loops read before whoever made the connection hears of it."""
    ended: list[End] = []
    with (
        served_queue_manager(folder=tmp_path) as served,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        event_loop, place = served.event_loop, listener.getsockname()
        define(served, "QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
        define(served, "SDR", "TO.QM2", XMITQ="QM2", CONNAME=f"127.0.0.1({place[1]})")
        link = CallingLink(event_loop, "127.0.0.1(1)")

        async def connect() -> None:
            event_loop.sockets += 1
            await event_loop.loop.create_connection(lambda: link, *place)

        asyncio.run_coroutine_threadsafe(connect(), event_loop.loop).result()
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
            wait_until(lambda: link.counters.bytes_received > 0)

            def build() -> Agent:
                channel = event_loop.manager.core.catalogue.channels["TO.QM2"]
                assert isinstance(channel, Sender)
                agent = PingingAgent(event_loop.initiator._environment, channel, link, link.described(), data=b"data")
                agent.on_end = lambda agent, end: ended.append(end)
                return agent

            served.in_loop(lambda: link.begin(build))
            wait_until(lambda: bool(ended))
    assert [end.message.number if end.message else 0 for end in ended] == [9504], ended
