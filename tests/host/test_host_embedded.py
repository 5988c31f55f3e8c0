"""The embedded binding: waits that end, calls that are answered when they are on disk, and what follows its end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from libremq.admin.command import Outcome
from libremq.admin.pending_outcome import Pending
from libremq.host import embedded as embedded_module
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQPMO, MQSTS
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

_PERSISTENT = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
_SHORT_MS = 20


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedQueueManager]:
    found = EmbeddedQueueManager.start(str(tmp_path / "qm"), "QM1", create=True, log_config=LogConfig(file_pages=64))
    found.admin(lambda: found.manager.define("QLOCAL", "Q", {}))
    yield found
    found.end()


@pytest.fixture
def connection(embedded: EmbeddedQueueManager) -> EmbeddedConnection:
    return EmbeddedConnection(embedded, "alice", "teller")


def _reason(verb: Callable[[], object]) -> int:
    with pytest.raises(MQError) as caught:
        verb()
    return caught.value.reason


def _waiting(milliseconds: int) -> MQGMO:
    return MQGMO(Options=C.MQGMO_WAIT, WaitInterval=milliseconds)


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_a_wait_ends_when_its_time_is_over(connection: EmbeddedConnection, in_main_thread: bool) -> None:
    hobj = connection.open(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    reasons: list[int] = []

    def wait() -> None:
        reasons.append(_reason(lambda: connection.get(hobj, MQMD(Version=2), _waiting(_SHORT_MS))))

    if in_main_thread:
        wait()
    else:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
    assert reasons == [C.MQRC_NO_MSG_AVAILABLE]


def test_the_clock_goes_on_after_whatever_fails_on_it(
    embedded: EmbeddedQueueManager, connection: EmbeddedConnection
) -> None:
    """Gets that wait have no other clock."""
    hobj = connection.open(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)

    def fails() -> None:
        raise ValueError("for a test")

    with embedded.lock:
        embedded.manager.core.wait_clock.add(embedded.manager.core.clock.monotonic(), fails)
    assert _reason(lambda: connection.get(hobj, MQMD(Version=2), _waiting(20))) == C.MQRC_NO_MSG_AVAILABLE


def test_a_wait_ends_with_a_message(embedded: EmbeddedQueueManager, connection: EmbeddedConnection) -> None:
    hobj = connection.open(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    found: list[bytes] = []
    thread = threading.Thread(
        target=lambda: found.append(connection.get(hobj, MQMD(Version=2), _waiting(C.MQWI_UNLIMITED)).data)
    )
    thread.start()
    other = EmbeddedConnection(embedded, "bob", "writer")
    other.put1(MQOD(ObjectName="Q"), MQMD(Version=2), MQPMO(), b"x")
    thread.join()
    assert found == [b"x"]


def test_a_disconnect_ends_the_waits_of_its_connection(
    embedded: EmbeddedQueueManager, connection: EmbeddedConnection
) -> None:
    hobj = connection.open(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    reasons: list[int] = []
    gmo = _waiting(C.MQWI_UNLIMITED)
    thread = threading.Thread(
        target=lambda: reasons.append(_reason(lambda: connection.get(hobj, MQMD(Version=2), gmo)))
    )
    thread.start()
    while not embedded.manager.core.waiters:
        thread.join(0.002)
    connection.disconnect()
    thread.join()
    assert len(reasons) == 1


def test_mqstat_tells_of_puts_that_nobody_waited_for(connection: EmbeddedConnection) -> None:
    hobj = connection.open(MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    for _ in range(2):
        connection.put(hobj, MQMD(Version=2), MQPMO(Options=C.MQPMO_ASYNC_RESPONSE), b"x")
    sts = MQSTS()
    connection.status(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
    assert (sts.CompCode, sts.PutSuccessCount) == (C.MQCC_OK, 2)


def test_after_its_end_there_are_no_more_calls(embedded: EmbeddedQueueManager, connection: EmbeddedConnection) -> None:
    embedded.end()
    put = MQOD(ObjectName="Q")
    assert _reason(lambda: connection.put1(put, MQMD(Version=2), MQPMO(), b"x")) == C.MQRC_HCONN_ERROR


def _on_faulty_files() -> tuple[FaultyFiles, EmbeddedQueueManager, EmbeddedConnection]:
    files = FaultyFiles()
    config = LogConfig(file_pages=64)
    embedded = EmbeddedQueueManager.start(
        "qm", "QM1", create=True, files=files, clock=VirtualClock(), log_config=config, background=False
    )
    embedded.admin(lambda: embedded.manager.define("QLOCAL", "Q", {}))
    return files, embedded, EmbeddedConnection(embedded, "alice", "teller")


def test_what_is_answered_is_on_disk() -> None:
    """A put, a get, a commit, a disconnect that commits, a command: nothing of them waits for a sync afterwards."""
    files, embedded, connection = _on_faulty_files()
    put = MQOD(ObjectName="Q")
    hobj = connection.open(put, C.MQOO_INPUT_SHARED)

    def of_its_own() -> None:
        connection.put1(put, _PERSISTENT.copy(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x")

    def got() -> None:
        connection.get(hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))

    def command() -> None:
        embedded.admin(lambda: embedded.manager.alter("QLOCAL", "Q", {"DESCR": "altered"}))

    def in_a_unit(end: Callable[[], object]) -> None:
        connection.put1(put, _PERSISTENT.copy(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"x")
        end()

    for call in (
        of_its_own,
        got,
        command,
        lambda: in_a_unit(connection.commit),
        lambda: in_a_unit(connection.backout),
        lambda: in_a_unit(connection.disconnect),
    ):
        call()
        assert embedded.manager.durable_lsn >= embedded.manager.core.log.tail
        assert not [one for one in files.unsynced() if "log/" in one]


def test_what_a_consumer_is_given_is_on_disk() -> None:
    """The put was never answered: as soon as somebody has seen its message, it may not be lost."""
    _, embedded, connection = _on_faulty_files()
    log = embedded.manager.core.log
    seen: list[tuple[bytes, bool]] = []

    def take(md: MQMD, gmo: MQGMO, data: bytes, cbc: object) -> None:
        seen.append((data, log.durable >= log.tail))
        connection.control(C.MQOP_STOP)

    hobj = connection.open(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    connection.callback(C.MQOP_REGISTER, MQCBD(), take, hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
    with embedded.lock:
        writer = embedded.manager.connect("bob", "writer")
        pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        embedded.manager.put1(writer, MQOD(ObjectName="Q"), _PERSISTENT.copy(), pmo, b"x")
    assert log.durable < log.tail
    connection.control(C.MQOP_START_WAIT)
    assert seen == [(b"x", True)]


def test_a_consumer_that_has_nothing_to_do_lets_others_have_the_kernel(
    embedded: EmbeddedQueueManager, connection: EmbeddedConnection
) -> None:
    seen: list[bytes] = []
    came = threading.Event()

    def take(md: MQMD, gmo: MQGMO, data: bytes, cbc: object) -> None:
        seen.append(data)
        came.set()

    hobj = connection.open(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    connection.callback(C.MQOP_REGISTER, MQCBD(), take, hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
    connection.control(C.MQOP_START)
    other = EmbeddedConnection(embedded, "bob", "writer")
    for data in (b"one", b"two"):
        came.clear()
        other.put1(MQOD(ObjectName="Q"), MQMD(Version=2), MQPMO(), data)
        came.wait()
    connection.control(C.MQOP_STOP)
    assert seen == [b"one", b"two"]


def test_a_log_that_cannot_be_written_ends_it_and_says_so() -> None:
    files, embedded, connection = _on_faulty_files()
    files.fail("sync", "qm/log/*", times=None)
    put = MQOD(ObjectName="Q")

    def again() -> None:
        connection.put1(put, _PERSISTENT.copy(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x")

    assert _reason(again) == C.MQRC_CONNECTION_BROKEN
    assert embedded.manager.failure is not None
    files.heal()
    assert _reason(again) == C.MQRC_CONNECTION_BROKEN


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_a_long_search_lets_others_have_the_kernel(
    embedded: EmbeddedQueueManager, connection: EmbeddedConnection, in_main_thread: bool
) -> None:
    """With slices of one message each, somebody else's put comes in between, and the get is still looking."""
    embedded.admin(lambda: embedded.manager.define("QLOCAL", "OTHER", {}))
    embedded.manager.core.turns.slice = 1
    turns = embedded.manager.core.turns
    out = connection.open(MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    for _ in range(400):
        connection.put(out, MQMD(Version=2), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"")
    hobj = connection.open(MQOD(Version=4, ObjectName="Q", SelectionString="colour = 'red'"), C.MQOO_INPUT_SHARED)
    other = EmbeddedConnection(embedded, "bob", "other")
    reasons: list[int] = []
    between: list[bool] = []

    def look() -> None:
        reasons.append(_reason(lambda: connection.get(hobj, MQMD(Version=2), MQGMO())))

    def put() -> None:
        while not turns and not reasons:
            pass
        other.put1(MQOD(ObjectName="OTHER"), MQMD(Version=2), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"")
        between.append(bool(turns))

    elsewhere = threading.Thread(target=put if in_main_thread else look)
    elsewhere.start()
    (look if in_main_thread else put)()
    elsewhere.join()
    assert between == [True] and reasons == [C.MQRC_NO_MSG_AVAILABLE]


def test_without_a_clock_a_get_goes_on_with_its_own_search() -> None:
    files = FaultyFiles()
    config = LogConfig(file_pages=64)
    found = EmbeddedQueueManager.start(
        "qm", "QM1", create=True, files=files, clock=VirtualClock(), log_config=config, background=False
    )
    found.admin(lambda: found.manager.define("QLOCAL", "Q", {}))
    found.manager.core.turns.slice = 1
    connection = EmbeddedConnection(found, "alice", "teller")
    out = connection.open(MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    for number in range(20):
        md = MQMD(Version=2, Priority=number % 9)
        connection.put(out, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"")
    hobj = connection.open(MQOD(Version=4, ObjectName="Q", SelectionString="JMSPriority = 0"), C.MQOO_INPUT_SHARED)
    md = MQMD(Version=2)
    connection.get(hobj, md, MQGMO())
    assert md.Priority == 0
    found.end()


def test_a_command_that_waits_for_its_outcome_hears_of_the_end(embedded: EmbeddedQueueManager) -> None:
    pending: Pending[Outcome] = Pending()
    waits = threading.Thread(target=embedded.await_outcome, args=(pending,))
    waits.start()
    embedded.end()
    waits.join()
    outcome = pending.value
    assert (outcome.comp_code, outcome.reason) == (C.MQCC_FAILED, C.MQRC_Q_MGR_QUIESCING)
    assert [message.number for message in outcome.messages] == [8156]


def test_a_command_whose_outcome_never_comes_has_failed(
    embedded: EmbeddedQueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_module, "_OUTCOME_S", 0.5)
    pending: Pending[Outcome] = Pending()
    embedded.await_outcome(pending)
    outcome = pending.value
    assert (outcome.comp_code, outcome.reason) == (C.MQCC_FAILED, C.MQRCCF_COMMAND_FAILED)
