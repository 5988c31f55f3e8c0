"""Long messages over the embedded binding: other threads have the kernel between their parts."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_long_puts import DATA, PART, Put, with_short_parts

import libremq
from libremq import MQError, QueueManager
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.giving_way import give_way
from libremq.kernel.manager import QueueManager as Kernel
from libremq.mqi import constants as C
from libremq.testing import temporary_queue_manager

PARTS = len(DATA) // PART + 1


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[Kernel]:
    """Those that were started, with short parts."""
    found: list[Kernel] = []
    begin = EmbeddedQueueManager.__init__

    def noted(self: EmbeddedQueueManager, manager: Kernel, **rest: Any) -> None:
        with_short_parts(manager)
        found.append(manager)
        begin(self, manager, **rest)

    monkeypatch.setattr(EmbeddedQueueManager, "__init__", noted)
    return found


@pytest.fixture
def qm(kernels: list[Kernel]) -> Iterator[QueueManager]:
    with temporary_queue_manager() as found:
        found.define_local("LONG.Q")
        found.define_local("OTHER.Q")
        yield found


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """What is done before each part, by the thread that puts, without the lock; and how often that was."""
    work: list[Callable[[], None]] = []
    go_on = Kernel.go_on_with_put

    def noted(manager: Kernel, long_put: Any) -> None:
        go_on(manager, long_put)
        for one in work:
            one()

    monkeypatch.setattr(Kernel, "go_on_with_put", noted)
    return work


def _puts(qm: QueueManager) -> dict[str, Callable[[], object]]:
    queue = qm.queue("LONG.Q")

    def in_syncpoint() -> None:
        with qm.transaction():
            queue.put(DATA, persistent=True)

    return {
        "put": lambda: queue.put(DATA, persistent=True),
        "put1": lambda: qm.put("LONG.Q", DATA, persistent=True),
        "syncpoint": in_syncpoint,
        "several": lambda: queue.put_many([DATA], persistent=True),
        "properties": lambda: queue.put(DATA, persistent=True, properties={"colour": "red"}),
    }


@pytest.mark.parametrize("way", ["put", "put1", "syncpoint", "several", "properties"])
def test_every_way_of_putting_goes_in_parts(
    qm: QueueManager, kernels: list[Kernel], between: list[Callable[[], None]], way: str
) -> None:
    turns: list[int] = []
    between.append(lambda: turns.append(1))
    put = _puts(qm)[way]
    for _ in range(2):  # the second may be like the first
        put()
    assert len(turns) == 2 * PARTS
    with qm.queue("LONG.Q") as queue:
        found = queue.get_many(3)
        assert [message.data for message in found] == [DATA] * 2
        assert way != "properties" or found[1].properties["colour"] == "red"
    assert not kernels[0].core.units and not kernels[0].core.long_puts


def test_another_thread_is_served_between_the_parts(qm: QueueManager, between: list[Callable[[], None]]) -> None:
    asked, answered = threading.Semaphore(0), threading.Semaphore(0)

    def serve() -> None:
        with qm.queue("OTHER.Q") as queue:
            for _ in range(PARTS):
                asked.acquire()
                queue.put(b"x", persistent=True)
                answered.release()

    other = threading.Thread(target=serve)
    other.start()
    waits: list[int] = []

    def look(*_: object) -> None:
        asked.release()
        waits.append(1)

    between.append(look)
    qm.put("LONG.Q", DATA, persistent=True)
    for _ in waits:
        answered.acquire()
    other.join()
    with qm.queue("OTHER.Q") as queue:
        assert len(queue.get_many(PARTS + 1)) == PARTS


@pytest.mark.parametrize("way", ["put", "put1", "syncpoint"])
def test_an_interrupt_between_parts_has_put_nothing(
    qm: QueueManager, kernels: list[Kernel], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    gave_way: list[int] = []

    def interrupt() -> None:
        gave_way.append(1)
        if len(gave_way) == 4:
            raise KeyboardInterrupt
        give_way()

    monkeypatch.setattr("libremq.host.embedded.give_way", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _puts(qm)[way]()
    assert not kernels[0].core.long_puts
    qm.put("LONG.Q", b"goes on", persistent=True)
    with qm.queue("LONG.Q") as queue:
        assert [message.data for message in queue.get_many(3)] == [b"goes on"]
    assert not kernels[0].core.units


def test_the_end_of_the_queue_manager_in_between(kernels: list[Kernel], between: list[Callable[[], None]]) -> None:
    with temporary_queue_manager() as qm:
        qm.define_local("LONG.Q")
        between.append(kernels[0].end)
        with pytest.raises(MQError) as caught:
            qm.put("LONG.Q", DATA, persistent=True)
        assert caught.value.reason in (C.MQRC_HCONN_ERROR, C.MQRC_CONNECTION_BROKEN, C.MQRC_Q_MGR_STOPPING)


def test_a_long_message_to_a_queue_that_is_inhibited_meanwhile(
    qm: QueueManager, kernels: list[Kernel], between: list[Callable[[], None]]
) -> None:
    def inhibit() -> None:
        kernels[0].alter("QLOCAL", "LONG.Q", {"put": C.MQQA_PUT_INHIBITED})

    between.append(inhibit)
    with pytest.raises(MQError) as caught:
        qm.put("LONG.Q", DATA, persistent=True)
    assert caught.value.reason == C.MQRC_PUT_INHIBITED
    assert not kernels[0].core.units


_KILLED = """
import sys
import libremq
from libremq.kernel.manager import QueueManager as Kernel

go_on = Kernel.go_on_with_put

def noted(manager, long_put):
    go_on(manager, long_put)
    if len(long_put.logged.lsns) == 5:
        manager.core.log.force()
        print("five", flush=True)
        sys.stdin.read()

with libremq.connect("embedded:QM1?create=true&data=" + sys.argv[1]) as qm:
    qm.define_local("LONG.Q", replace=True)
    qm.put("LONG.Q", bytes(4 << 20)[:-300], persistent=True)
    print("put", flush=True)
    Kernel.go_on_with_put = noted
    from libremq.host.embedded import _here
    for embedded in list(_here):
        embedded.manager.core.long_bytes, embedded.manager.core.part_bytes = 1 << 20, 1 << 18
    if sys.argv[2] == "syncpoint":
        with qm.transaction():
            qm.put("LONG.Q", bytes(3 << 20), persistent=True)
    else:
        qm.put("LONG.Q", bytes(3 << 20), persistent=True)
"""


@pytest.mark.parametrize("way", ["outside", "syncpoint"])
def test_a_kill_between_parts_leaves_nothing_of_it(tmp_path: Path, way: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path), way], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["put\n", "five\n"]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with libremq.connect(f"embedded:QM1?data={tmp_path}") as qm, qm.queue("LONG.Q") as queue:
        assert [len(message.data) for message in queue.get_many(3)] == [(4 << 20) - 300]


def test_a_backup_is_replayed_between_parts_and_put() -> None:
    from helper_backup import Standby, activated, make_live

    live = make_live()
    standby = Standby(live, hot=True)
    outside = Put(live.qm, live.application, "A")
    inside = Put(live.qm, live.application, "B", DATA[::-1], syncpoint=True)
    never = Put(live.qm, live.coordinator, "B")
    for put in (outside, inside, never):
        put.log(4)
    steps: list[Callable[[], None]] = [live.core.log.force, live.qm.checkpoint, live.next_extent]
    for step in steps:
        step()
        live.core.log.force()
        standby.ship(live.files)
        standby.replay()
        assert standby.replay() == 0
    outside.finish()
    inside.finish()
    live.core.log.force()
    standby.ship(live.files)
    standby.replay()
    live.commit()
    live.put("A", b"behind")
    never.begun.end()
    activated(live, standby)
    depth = standby.qm.depth("A")
    assert [standby.get("A") for _ in range(depth)][-2:] == [DATA, b"behind"]
    assert DATA[::-1] in [standby.get("B") for _ in range(standby.qm.depth("B"))]
