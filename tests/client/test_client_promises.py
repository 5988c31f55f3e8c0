"""What docs/concepts.md promises of a put that has returned: on disk, or in the hands of a get that was waiting."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import pytest

import libremq
from libremq import Queue, QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO
from libremq.testing import FaultyFiles, temporary_queue_manager

Get = Callable[[Queue], object]


def test_a_put_that_nobody_waits_for_is_on_disk_when_it_returns() -> None:
    files = FaultyFiles()
    with temporary_queue_manager(files=files) as qm:
        qm.define_local("ORDERS")
        qm.queue("ORDERS").put("tea", persistent=True)
        assert found_after_a_power_cut(files) == ["tea"]


def in_hand(queue: Queue) -> object:
    return queue.get(wait=60)


def in_a_transaction(queue: Queue) -> object:
    with queue._manager.transaction():
        return queue.get(wait=60)


def in_syncpoint_if_persistent(queue: Queue) -> object:
    return queue.get(wait=60, gmo=MQGMO(Options=C.MQGMO_SYNCPOINT_IF_PERSISTENT))


def as_a_group(queue: Queue) -> object:
    return queue.get_group(wait=60)


@contextlib.contextmanager
def waiting(qm: QueueManager, get: Get) -> Iterator[Queue]:
    """A thread waits in a get on ORDERS while the block runs; then it has got what was put."""
    got: list[object] = []
    qm.define_local("ORDERS")
    queue = qm.queue("ORDERS")
    core = qm._access.embedded.manager.core  # type: ignore[attr-defined]
    thread = threading.Thread(target=lambda: got.append(get(queue)))
    thread.start()
    while not core.waiters:
        thread.join(0.01)
    yield queue
    thread.join()
    assert got


def log_end(qm: QueueManager) -> int:
    end: int = qm._access.embedded.manager.core.log.tail  # type: ignore[attr-defined]
    return end


def test_a_put_from_hand_to_hand_leaves_nothing_in_the_log() -> None:
    with temporary_queue_manager() as qm, waiting(qm, in_hand) as queue:
        before = log_end(qm)
        queue.put("tea", persistent=True)
        assert log_end(qm) == before


@pytest.mark.parametrize("get", [in_a_transaction, in_syncpoint_if_persistent, as_a_group])
def test_a_get_in_a_unit_of_work_has_it_by_way_of_the_log(get: Get) -> None:
    with temporary_queue_manager() as qm, waiting(qm, get) as queue:
        before = log_end(qm)
        queue.put("tea", persistent=True)
        assert log_end(qm) > before


def put_in_a_transaction(queue: Queue) -> None:
    with queue._manager.transaction():
        queue.put("tea", persistent=True)


def put_many(queue: Queue) -> None:
    queue.put_many(["tea"], persistent=True)


def put_with_a_report(queue: Queue) -> None:
    queue.put("tea", persistent=True, report=C.MQRO_COD, reply_to="ORDERS")


@pytest.mark.parametrize("put", [put_in_a_transaction, put_many, put_with_a_report])
def test_a_put_in_a_unit_of_work_goes_by_way_of_the_log(put: Callable[[Queue], None]) -> None:
    with temporary_queue_manager() as qm, waiting(qm, in_hand) as queue:
        before = log_end(qm)
        put(queue)
        assert log_end(qm) > before


def test_a_consumer_outside_a_transaction_has_it_by_way_of_the_log() -> None:
    got = threading.Event()
    with temporary_queue_manager() as qm:
        qm.define_local("ORDERS")
        with qm.queue("ORDERS").consume(lambda message: got.set(), transaction=False):
            before = log_end(qm)
            qm.put("ORDERS", "tea", persistent=True)
            assert got.wait(60)
            assert log_end(qm) > before


def found_after_a_power_cut(files: FaultyFiles) -> list[str]:
    """What is on ORDERS if nothing that was not synced has reached the disk."""
    state = next(iter(files.disk_states()))
    with temporary_queue_manager(files=state) as qm:
        return [message.text for message in qm.queue("ORDERS").browse()]


def test_a_commit_is_on_disk_when_it_returns() -> None:
    files = FaultyFiles()
    with temporary_queue_manager(files=files) as qm:
        qm.define_local("ORDERS")
        with qm.transaction():
            qm.put("ORDERS", "tea", persistent=True)
            assert found_after_a_power_cut(files) == []
        assert found_after_a_power_cut(files) == ["tea"]
        with contextlib.suppress(libremq.NoMessageAvailable), qm.transaction():
            qm.queue("ORDERS").get()
            raise libremq.NoMessageAvailable(C.MQRC_NO_MSG_AVAILABLE, C.MQCC_FAILED)
        assert found_after_a_power_cut(files) == ["tea"]
