"""Mutated sessions against a queue manager that serves: it goes on, says what was wrong, and serves others."""

from __future__ import annotations

import contextlib
import logging
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helper_mutations import mutated
from helper_raw_client import RawClient
from helper_recording import RecordingProxy

import libremq
from libremq import MQError
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQSTS
from libremq.server.net.conversation import BACKLOG_MAX
from libremq.testing.serving import Served, served_queue_manager

LIMIT_S = 240
QUEUE, OTHER = "FUZZ.Q", "OTHER.Q"
EVERYTHING = C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT | C.MQOO_INQUIRE | C.MQOO_SET | C.MQOO_BROWSE
SESSIONS = 60


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
            qm.define_local(OTHER)
            qm.define("CHANNEL", "PLAIN.SVRCONN", CHLTYPE="SVRCONN", SHARECNV=0)
        yield served


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.005)


@contextmanager
def nothing_unexpected(served: Served, said: list[str], caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Afterwards: no traceback, no surprise, no connection left, and the queue manager works."""
    event_loop = served.event_loop
    with caplog.at_level(logging.WARNING):
        yield
        wait_until(lambda: not event_loop.links and event_loop.connection_count() == 0)
        check_it_works(served)
        wait_until(lambda: not event_loop.links and event_loop.connection_count() == 0)
    assert not event_loop.failed.done() and event_loop.manager.failure is None
    assert (event_loop.buffered_bytes, event_loop.instances) == (0, {})
    assert not event_loop.manager.core.waiters
    problems = [text for text in said if "unexpected" in text.lower() or "Traceback" in text]
    assert not problems
    assert not [record.getMessage() for record in caplog.records]


def check_it_works(served: Served) -> None:
    with libremq.connect(served.url("mq")) as qm, qm.queue(OTHER) as queue:
        queue.put(b"still there")
        found = queue.get(wait=LIMIT_S)
        assert found is not None and found.data == b"still there"


def send(port: int, stream: bytes) -> int:
    """All of it, or as much as is taken; how many bytes were answered before the connection was closed."""
    received = 0
    first = int.from_bytes(stream[4:8], "big")
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as connection:
        try:
            if stream[:4] == b"TSH " and stream[9:10] == b"\x01" and 28 <= first <= len(stream):
                # Initial data is waited for, as all clients do
                connection.sendall(stream[:first])
                stream = stream[first:]
                received += len(connection.recv(65536))
            connection.sendall(stream)
            connection.shutdown(socket.SHUT_WR)
            while data := connection.recv(65536):
                received += len(data)
        except OSError as error:
            assert not isinstance(error, TimeoutError)
    return received


# Sessions that are right, to start from


def our_session(port: int) -> None:
    """With all calls that there are, but for those that touch other files."""
    with libremq.connect(f"mq://127.0.0.1:{port}/QM1") as qm:
        mqi = qm.mqi
        hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), EVERYTHING)
        mqi.MQPUT(hobj, MQMD(Format="MQSTR"), MQPMO(Options=C.MQPMO_SYNCPOINT), b"one")
        mqi.MQCMIT()
        hmsg = mqi.MQCRTMH()
        mqi.binding.set_properties(hmsg, {"colour": "blue"})
        mqi.MQPUT(hobj, MQMD(Version=2), MQPMO(Version=3, NewMsgHandle=hmsg), b"two")
        mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_ASYNC_RESPONSE), b"three")
        mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, MQSTS())
        mqi.MQPUT1(MQOD(ObjectName=QUEUE), MQMD(), MQPMO(), bytes(100_000))
        mqi.MQGET(hobj, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST), 100)
        mqi.MQGET(hobj, MQMD(), MQGMO(Version=4, MsgHandle=hmsg, Options=C.MQGMO_PROPERTIES_IN_HANDLE), 100)
        mqi.binding.get_many(hobj, MQMD(), MQGMO(Version=2, MatchOptions=0), 9)
        for options in (C.MQGMO_WAIT, C.MQGMO_NO_SYNCPOINT):
            with pytest.raises(MQError):
                mqi.MQGET(hobj, MQMD(), MQGMO(Options=options, WaitInterval=5), 100)
        mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH, C.MQCA_Q_NAME])
        mqi.MQSET(hobj, {C.MQIA_INHIBIT_GET: C.MQQA_GET_ALLOWED})
        selecting = mqi.MQOPEN(MQOD(ObjectName=QUEUE, Version=4, SelectionString="a = 1"), C.MQOO_INPUT_SHARED)
        mqi.MQCLOSE(selecting)
        records = [MQOR(ObjectName=QUEUE), MQOR(ObjectName="NO.SUCH.Q")]
        many = mqi.MQOPEN(MQOD(Version=2, RecsPresent=2), C.MQOO_OUTPUT, records)
        mqi.MQPUT(many, MQMD(), MQPMO(), b"to two")
        mqi.MQCLOSE(many)
        mqi.binding.xa_start(b"branch")
        mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"in a branch")
        mqi.binding.xa_end(b"branch")
        mqi.binding.xa_rollback(b"branch")
        mqi.binding.callback(C.MQOP_REGISTER, MQCBD(), lambda *arguments: None, hobj, MQMD(), MQGMO())
        mqi.MQCTL(C.MQOP_START)
        mqi.MQCTL(C.MQOP_STOP)
        mqi.MQCLOSE(hobj)
        mqi.MQBACK()


def another_products_session(port: int, channel: str, big: bool) -> None:
    with RawClient(port, channel=channel, big=big, max_segment=2000) as client:
        client.negotiate(keep=True)
        client.log_on("someone", "wrong")
        client.connect("QM1")
        client.connect("QM1")
        hobj = client.open(QUEUE, EVERYTHING, version=4, attributes_bytes=84).api["Hobj"]
        client.put(hobj, bytes(5000))
        client.put1(QUEUE, b"x")
        client.get(hobj)
        if channel != "PLAIN.SVRCONN":
            client.request_messages(hobj, match={"MsgId": bytes(24)})
            client.request_messages(hobj, flags=8)
        client.inquire(hobj, [C.MQIA_CURRENT_Q_DEPTH, C.MQCA_Q_NAME], 1, 48)
        client.close(hobj)
        client.disconnect()


def recorded(served: Served, session: Callable[[int], None]) -> list[bytes]:
    """The segments of the client, on all its sockets."""
    with RecordingProxy(served.port) as proxy:
        session(proxy.port)
        return [segment.raw for each in proxy.finished() for client, segment in each.segments() if client]


SESSION_KINDS: dict[str, Callable[[int], None]] = {
    "ours": our_session,
    "shared": lambda port: another_products_session(port, "SYSTEM.DEF.SVRCONN", False),
    "plain": lambda port: another_products_session(port, "PLAIN.SVRCONN", False),
    "big-endian": lambda port: another_products_session(port, "SYSTEM.DEF.SVRCONN", True),
}


@pytest.mark.parametrize("kind", sorted(SESSION_KINDS))
@pytest.mark.parametrize("block", range(3))
def test_mutated_sessions(
    served: Served, said: list[str], caplog: pytest.LogCaptureFixture, kind: str, block: int
) -> None:
    right = recorded(served, SESSION_KINDS[kind])
    assert len(right) > 10
    answered = 0
    with nothing_unexpected(served, said, caplog), another_client(served) as rounds:
        for seed in range(SESSIONS):
            chance = random.Random(f"{kind} {block} {seed}")
            answered += send(served.port, mutated(chance, right, right)) > 500
        before = len(rounds)
        wait_until(lambda: len(rounds) > before + 2)
    assert answered > SESSIONS // 3, "most mutations should get beyond the first segment"


@contextmanager
def another_client(served: Served) -> Iterator[list[int]]:
    """One that behaves: it puts and gets all the time, and notices if its queue manager does not."""
    rounds: list[int] = []
    over = threading.Event()
    problems: list[BaseException] = []

    def work() -> None:
        try:
            with libremq.connect(served.url("local")) as qm, qm.queue(OTHER) as queue:
                while not over.is_set():
                    queue.put(b"%d" % len(rounds))
                    found = queue.get(wait=LIMIT_S)
                    assert found is not None and found.data == b"%d" % len(rounds)
                    rounds.append(1)
                    over.wait(0.002)
        except BaseException as error:
            problems.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield rounds
    finally:
        over.set()
        thread.join(LIMIT_S)
    assert not problems, problems


def test_random_bytes(served: Served, said: list[str], caplog: pytest.LogCaptureFixture) -> None:
    chance = random.Random(5)
    with nothing_unexpected(served, said, caplog):
        for length in (0, 1, 3, 28, 36, 100, 5000, 300_000):
            for start in (b"", b"TSH ", b"TSHM", b"TSHM" + (length + 36).to_bytes(4, "big") + bytes(8) + b"\x02"):
                if not (start + b"x").startswith(b"\x16"):
                    send(served.port, start + chance.randbytes(length).replace(b"\x16", b"\x17"))


def test_half_a_session_and_then_nothing(served: Served, said: list[str], caplog: pytest.LogCaptureFixture) -> None:
    """Whatever was sent by then: the end of the connection backs out and closes all."""
    stream = b"".join(recorded(served, our_session))
    chance = random.Random(3)
    with nothing_unexpected(served, said, caplog):
        for _ in range(40):
            send(served.port, stream[: chance.randrange(min(len(stream), 20_000))])
    assert not served.in_loop(served.event_loop.connection_count)


def test_calls_without_end_behind_one_that_waits(
    served: Served, said: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """What waits for a call is bounded, and the get goes with its connection."""
    with nothing_unexpected(served, said, caplog), RawClient(served.port) as client:
        client.negotiate()
        client.connect()
        hobj = client.open(QUEUE, EVERYTHING).api["Hobj"]
        body = client.md() + client.gmo(C.MQGMO_WAIT, WaitInterval=-1) + client.number(100)
        client.send(0x85, client.pack("API", {"Hobj": hobj}) + body)
        with contextlib.suppress(ConnectionError):
            for _ in range(BACKLOG_MAX + 200):
                client.send(0x8A, client.pack("API", {}))
        wait_until(lambda: any("wait for the one before" in text for text in said))


def test_memory_for_calls_that_wait_is_bounded(tmp_path: Path) -> None:
    from libremq.server.net.event_loop import EventLoopLimits

    said: list[str] = []
    limits = EventLoopLimits(buffer_bytes_max=1 << 20)
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append, limits=limits) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
        with RawClient(served.port) as client:
            client.negotiate()
            client.connect()
            hobj = client.open(QUEUE, EVERYTHING).api["Hobj"]
            body = client.md() + client.gmo(C.MQGMO_WAIT, WaitInterval=-1) + client.number(100)
            client.send(0x85, client.pack("API", {"Hobj": hobj}) + body)
            put = client.pack("API", {"Hobj": hobj}) + client.md() + client.pmo()
            put += client.number(200_000) + bytes(200_000)
            try:
                for _ in range(30):
                    client.send(0x86, put)
            except ConnectionError:
                pass
            wait_until(lambda: any(text.startswith("AMQ9595E") for text in said))
        wait_until(lambda: not served.event_loop.links)
        assert served.event_loop.buffered_bytes == 0
