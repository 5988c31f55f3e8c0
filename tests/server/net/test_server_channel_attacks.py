"""Message channels over bad lines and with bad partners, at real sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from helper_partners import Partner, define, initial, receiver
from helper_peers import wait_until

from libremq.kernel.messages.transmission import frame
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.testing import VirtualClock
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import message_channel as flows
from libremq.wire import session_flows
from libremq.wire.message_channel import Resync
from libremq.wire.protocol import CAP3_MSG_PROP, MAX_SEGMENT, WHOLE, Status, Type
from libremq.wire.segments import SegmentReader, frame_plain

HEARTBEAT_S = 1
TOO_LONG_S = 4.0  # beyond the interval and the patience that comes on top


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, clock: VirtualClock, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", clock=clock, say=said.append) as served:
        yield served


def tick(served: Served) -> None:
    """What happens once a second."""
    served.in_loop(lambda: served.event_loop.channels.tick(served.event_loop.loop.time()))


def running(served: Served) -> bool:
    with served.event_loop.lock:
        return [one.status for one in served.event_loop.initiator.instances()] == [C.MQCHS_RUNNING]


def give_up(served: Served, clock: VirtualClock) -> None:
    """Let time pass until the silence of the partner has lasted too long.

    The system's buffers may go on taking what was sent to it, or be told a little later that it has it: that is
    progress, too.
    """

    def given_up() -> bool:
        tick(served)
        clock.advance(TOO_LONG_S)
        return not running(served)

    wait_until(given_up)


def test_a_long_message_over_a_slow_line_arrives(served: Served, clock: VirtualClock) -> None:
    receiver(served, HBINT=HEARTBEAT_S)
    define(served, "QLOCAL", "TARGET")
    data = frame("TARGET", "QM1", MQMD(Version=2, Persistence=1, Priority=0, MsgId=b"m" * 24), b"x" * 100_000, 1208)
    segments = flows.pack_message(data, sequence=1, luwid=b"batch__1", max_segment=8192)
    assert len(segments) > 10
    with Partner(served.port) as partner:
        partner.agree(heartbeat_s=HEARTBEAT_S)
        partner.resynchronise()
        for segment in segments:
            (link,) = served.event_loop.message_links
            assert link.agent is not None
            counters = link.agent.counters
            came = counters.bytes_received + len(segment)
            partner.send(segment)
            wait_until(lambda counters=counters, came=came: counters.bytes_received >= came)  # type: ignore[misc]
            clock.advance(2 * HEARTBEAT_S)
            tick(served)
            assert running(served)
        partner.send(flows.confirm_request(b"batch__1"))
        assert flows.unpack_status(partner.answer(Type.STATUS_DATA)).accepted
        give_up(served, clock)
        assert partner.refused().code == Status.TIMEOUT_EXPIRED


@contextmanager
def slow_partner(served: Served) -> Iterator[socket.socket]:
    """A queue manager that is called, has agreed to everything, and takes what it is sent as it likes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        where = f"127.0.0.1({listener.getsockname()[1]})"
        define(served, "QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
        define(served, "SDR", "TO.QM2", XMITQ="QM2", CONNAME=where, HBINT=HEARTBEAT_S)
        event_loop = served.event_loop
        with event_loop.lock:
            hconn = event_loop.manager.connect("", "application")
            od, md = MQOD(ObjectName="TARGET", ObjectQMgrName="QM2"), MQMD(Version=2, Persistence=1)
            event_loop.manager.put1(hconn, od, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x" * 4_000_000)
            event_loop.initiator.start("TO.QM2")
        listener.settimeout(120)
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(120)
            reader = SegmentReader(MAX_SEGMENT, 1 << 26)

            def next_flow() -> bytes:
                while True:
                    for flow in reader.feed(connection.recv(4096)):
                        return flow.body

            offered = session_flows.unpack_initial(next_flow())
            old = (*offered.capabilities[:2], CAP3_MSG_PROP)  # it need not say back what it hears
            answer = session_flows.pack_initial(replace(offered, queue_manager="QM2", capabilities=old))
            connection.sendall(frame_plain(Type.INITIAL_DATA, answer, flags=WHOLE))
            next_flow()
            connection.sendall(Resync(0).pack())
            yield connection


def test_a_partner_that_takes_a_long_message_slowly_is_waited_for(served: Served, clock: VirtualClock) -> None:
    with slow_partner(served) as connection:
        wait_until(lambda: running(served))
        (link,) = served.event_loop.message_links
        agent = link.agent
        assert agent is not None
        wait_until(lambda: agent.counters.messages == 1)
        for _ in range(10):
            taken = served.in_loop(lambda: link._taken)
            left = 100_000
            while left > 0:
                left -= len(connection.recv(left))
            clock.advance(2 * HEARTBEAT_S)

            def look() -> bool:
                tick(served)
                return bool(served.in_loop(lambda: link._taken) > taken)  # noqa: B023

            wait_until(look)
            assert running(served)

        give_up(served, clock)
        assert agent.ended is not None and "9259" in str(agent.ended.message)


def test_a_receiver_that_is_defined_for_a_call_asks_for_tls_as_its_model_does(served: Served, said: list[str]) -> None:
    define(served, "RCVR", "SYSTEM.AUTO.RECEIVER", SSLCIPH="ANY_TLS12_OR_HIGHER")
    with served.event_loop.lock:
        served.event_loop.manager.alter("QMGR", "", {"CHAD": "ENABLED"})
    for _ in range(2):
        with Partner(served.port) as partner:
            partner.bind(channel="NEW.CHANNEL")
            assert partner.refused().code == Status.CIPHER_SPEC
        assert "NEW.CHANNEL" not in served.event_loop.manager.core.catalogue.channels
    lines = [text for text in said if text.startswith("AMQ9639")]
    assert len(lines) == 2 and all("channel 'NEW.CHANNEL'" in line for line in lines)
    define(served, "RCVR", "SYSTEM.AUTO.RECEIVER", SSLCIPH="")
    with Partner(served.port) as partner:
        partner.agree(channel="NEW.CHANNEL")
    assert "NEW.CHANNEL" in served.event_loop.manager.core.catalogue.channels


def test_nothing_gets_past_a_receive_exit(served: Served) -> None:
    exits = Path(served.event_loop.folder) / "exits"
    exits.mkdir(mode=0o700, exist_ok=True)
    file = exits / "mine.py"
    file.write_text(
        "from libremq.mqi import constants as C\n"
        "from libremq.channels.exits import CloseChannel\n"
        "def check(call):\n"
        "    if call.reason == C.MQXR_XMIT and b'evil' in call.data:\n"
        "        raise CloseChannel('evil')\n"
    )
    file.chmod(0o600)
    receiver(served, RCVEXIT=["mine(check)"])
    define(served, "QLOCAL", "TARGET")
    md = MQMD(Version=2, Persistence=1, Priority=0, MsgId=b"m" * 24)

    def batch(sequence: int, data: bytes) -> bytes:
        luwid = b"batch__%d" % sequence
        sent = flows.pack_message(
            frame("TARGET", "QM1", md, data, 1208), sequence=sequence, luwid=luwid, max_segment=32000
        )
        return b"".join(sent) + flows.confirm_request(luwid)

    def depth() -> int:
        core = served.event_loop.manager.core
        with served.event_loop.lock:
            return core.local_queue(core.catalogue.queues["TARGET"]).store.depth  # type: ignore[arg-type]

    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        partner.send(batch(1, b"good"))
        assert flows.unpack_status(partner.answer(Type.STATUS_DATA)).accepted
        partner.send(batch(2, b"evil"))
        assert partner.refused().code == Status.CLOSED_BY_EXIT
    everything = initial() + Resync(1, b"batch__1").pack() + batch(2, b"evil")
    cut = len(everything) - 40
    for early, late in ((everything, b""), (everything[:cut], everything[cut:])):
        with Partner(served.port) as partner:
            partner.send(early)
            partner.answer(Type.INITIAL_DATA)
            with suppress(OSError):
                partner.send(late)
            assert partner.refused().code == Status.PROTOCOL_GENERAL
    assert depth() == 1
