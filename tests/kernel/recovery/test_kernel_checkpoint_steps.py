"""A checkpoint that captures some queues at a time: each as it was at the beginning, whatever happens in between."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterable

import pytest
from helper_qmgr import Session

from libremq.common.files.file_layer import Buffer
from libremq.kernel.recovery import checkpoint
from libremq.kernel.recovery.checkpoint import Checkpoint
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.store_errors import StoreFailed, StoreFull
from libremq.testing.faulty_files import FaultyFile

_PERSISTENT = C.MQPER_PERSISTENT
_QUEUES = ("A", "B", "C", "D")
_FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(autouse=True)
def one_queue_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "QUEUES_AT_ONCE", 1)


@pytest.fixture
def session() -> Session:
    """Four queues with two messages each that no checkpoint has saved; what was before them is saved."""
    made = Session()
    for name in _QUEUES:
        made.queue(name)
    made.qm.checkpoint()
    for name in _QUEUES:
        made.put(name, b"first of " + name.encode(), Persistence=_PERSISTENT)
        made.put(name, b"second of " + name.encode(), Persistence=_PERSISTENT)
    return made


def begin(session: Session) -> Checkpoint:
    return Checkpoint.begin(session.core, session.qm._checkpoint_file, at_once=False)


def finish(session: Session, current: Checkpoint) -> None:
    while current.capture_some():
        pass
    current.write()
    current.record()
    current.settle()
    current.complete()
    assert session.core.log.checkpoint == current.lsn


def left(session: Session) -> dict[str, list[bytes]]:
    """What a restart after a crash finds, all read."""
    session.kill_and_start()
    found: dict[str, list[bytes]] = {}
    for name in _QUEUES:
        if session.core.catalogue.find("QLOCAL", name) is not None:
            found[name] = [session.get(name)[1] for _ in range(session.depth(name))]
    return found


def all_of_it() -> dict[str, list[bytes]]:
    return {name: [b"first of " + name.encode(), b"second of " + name.encode()] for name in _QUEUES}


def puts(session: Session) -> None:
    for name in _QUEUES:
        session.put(name, b"third", Persistence=_PERSISTENT)


def gets(session: Session) -> None:
    for name in _QUEUES:
        session.get(name)


def clears(session: Session) -> None:
    for name in _QUEUES:
        session.qm.clear(name)


def commits(session: Session) -> None:
    for name in _QUEUES:
        session.get(name, syncpoint=True)
        session.put(name, b"of the unit", syncpoint=True, Persistence=_PERSISTENT)
    session.qm.commit(session.hconn)


def backs_out(session: Session) -> None:
    for name in _QUEUES:
        session.get(name, syncpoint=True)
    session.qm.backout(session.hconn)


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (puts, lambda was: [*was, b"third"]), (gets, lambda was: was[1:]), (clears, lambda was: []),
        (commits, lambda was: [was[1], b"of the unit"]), (backs_out, lambda was: was),
    ],
)  # fmt: skip
@pytest.mark.parametrize("captured", range(len(_QUEUES) + 1))
def test_a_queue_that_changes_before_its_turn_is_captured_as_it_was(
    session: Session, change: Callable[[Session], None], after: Callable[[list[bytes]], list[bytes]], captured: int
) -> None:
    """If a change were in the captured state as well, the replay would meet it a second time."""
    current = begin(session)
    for _ in range(captured):
        current.capture_some()
    change(session)
    finish(session, current)
    assert left(session) == {name: after(was) for name, was in all_of_it().items()}
    assert not session.core.damaged


def test_a_unit_of_work_that_was_open_at_the_beginning_may_end_before_its_queues_are_captured(session: Session) -> None:
    session.get("A", syncpoint=True)
    session.put("D", b"of the unit", syncpoint=True, Persistence=_PERSISTENT)
    current = begin(session)
    session.qm.commit(session.hconn)
    finish(session, current)
    expected = all_of_it()
    assert left(session) == {**expected, "A": expected["A"][1:], "D": [*expected["D"], b"of the unit"]}


@pytest.mark.parametrize("captured", range(len(_QUEUES) + 1))
def test_queues_deleted_and_defined_anew_before_their_turn(session: Session, captured: int) -> None:
    current = begin(session)
    for _ in range(captured):
        current.capture_some()
    session.qm.delete("QLOCAL", "B", purge=True)
    session.qm.delete("QLOCAL", "C", purge=True)
    session.queue("C")
    session.put("C", b"of the new one", Persistence=_PERSISTENT)
    finish(session, current)
    expected = all_of_it()
    assert left(session) == {"A": expected["A"], "C": [b"of the new one"], "D": expected["D"]}


def test_a_queue_that_was_clean_is_left_to_the_next_checkpoint(session: Session) -> None:
    session.open_input("A")  # so that it stays in memory
    session.qm.checkpoint()
    before = session.core.positions[session.core.queues["A"].id]
    current = begin(session)
    session.put("A", b"third", Persistence=_PERSISTENT)
    finish(session, current)
    assert session.core.positions[session.core.queues["A"].id] == before
    assert left(session)["A"][2:] == [b"third"]


def test_what_is_wrong_with_the_disk_is_the_trouble_of_the_checkpoint_and_not_of_a_put(session: Session) -> None:
    current = begin(session)
    session.files.fail("create", "qm/queues/A/*", _FULL)
    session.put("A", b"third", Persistence=_PERSISTENT)
    while current.capture_some():
        pass
    with pytest.raises(StoreFull):
        current.write()
    current.give_up()
    session.files.heal()
    session.qm.checkpoint()  # the next one has it all
    expected = all_of_it()
    assert left(session) == {**expected, "A": [*expected["A"], b"third"]}


def test_a_queue_file_that_can_take_no_more_is_no_trouble_of_a_put_either(session: Session) -> None:
    current = begin(session)
    space = session.core.queues["A"].store.space
    blocks_max, space.blocks_max = space.blocks_max, space.file_blocks
    session.put("A", b"third", Persistence=_PERSISTENT)
    space.blocks_max = blocks_max
    with pytest.raises(StoreFull):
        while current.capture_some():
            pass
    current.give_up()
    session.qm.checkpoint()  # the next one has it all
    expected = all_of_it()
    assert left(session) == {**expected, "A": [*expected["A"], b"third"]}


def test_the_folder_of_new_queues_is_synced_for_all_of_them_before_the_record(session: Session) -> None:
    current = begin(session)
    while current.capture_some():
        pass
    session.files.fail("sync_folder", "qm/queues", after=len(_QUEUES))  # each folder that is made syncs it, too
    with pytest.raises(StoreFailed, match="qm/queues: sync failed"):
        current.write()


def test_one_that_is_given_up_leaves_the_queues_that_it_has_not_captured(session: Session) -> None:
    current = begin(session)
    current.capture_some()
    current.give_up()
    assert all(queue.store.before_change is None for queue in session.core.queues.values())
    puts(session)
    session.qm.checkpoint()
    assert left(session) == {name: [*was, b"third"] for name, was in all_of_it().items()}


def test_definitions_are_those_of_the_beginning(session: Session) -> None:
    """A replay that met the deletion of what the catalogue does not have would not believe it."""
    session.queue("SHORT")
    current = begin(session)
    session.qm.alter("QLOCAL", "A", {"DESCR": "later"})
    session.qm.delete("QLOCAL", "SHORT")
    finish(session, current)
    session.kill_and_start()
    found = session.core.catalogue.find("QLOCAL", "A")
    assert found is not None and found.__dict__["descr"] == "later"
    assert session.core.catalogue.find("QLOCAL", "SHORT") is None


def test_verbs_run_between_the_steps(session: Session) -> None:
    """The lock is let go after each queue, at the beginning and at the end."""
    held = 0
    lets_go: list[int] = []

    class Lock:
        def __enter__(self) -> None:
            nonlocal held
            held += 1

        def __exit__(self, *error: object) -> None:
            nonlocal held
            held -= 1
            session.put("A", b"meanwhile", Persistence=_PERSISTENT)
            lets_go.append(session.depth("A"))

    def give_way() -> None:
        assert not held

    assert session.qm.run_checkpoint(Lock(), give_way=give_way)
    assert len(lets_go) >= 2 * len(_QUEUES)
    expected = all_of_it()
    assert left(session) == {**expected, "A": [*expected["A"], *[b"meanwhile"] * len(lets_go)]}


def test_a_full_disk_does_not_hide_that_the_sync_of_another_queue_failed(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written side by side, both may happen before anybody hears of either."""
    monkeypatch.setattr(checkpoint, "_MANY", 2)
    threads: list[threading.Thread] = []
    both = threading.Barrier(2)

    def at_the_same_time(tasks: Iterable[Callable[[], None]]) -> None:
        for task in tasks:
            threads.append(threading.Thread(target=task))
            threads[-1].start()
        for thread in threads:
            thread.join()

    write, sync = FaultyFile.write, FaultyFile.sync

    def meeting_write(file: FaultyFile, offset: int, data: Buffer) -> None:
        if file.path == "qm/queues/A/q":
            both.wait(60)
        write(file, offset, data)

    def meeting_sync(file: FaultyFile) -> None:
        if file.path == "qm/queues/B/q":
            both.wait(60)
            threads[0].join()  # so the full disk is heard of first
        sync(file)

    monkeypatch.setattr(FaultyFile, "write", meeting_write)
    monkeypatch.setattr(FaultyFile, "sync", meeting_sync)
    session.core.side_by_side = at_the_same_time
    current = begin(session)
    while current.capture_some():
        pass
    session.files.fail("write", "qm/queues/A/q", _FULL)
    session.files.fail("sync", "qm/queues/B/q")
    with pytest.raises(StoreFailed, match="sync failed"):
        current.write()


@pytest.mark.parametrize(
    ("kind", "path"),
    [("sync_folder", "qm/queues"), ("sync_folder", "qm/queues/A"), ("sync", "qm/amqalchk.fil")],
    ids=["of the folder of all queues", "of the folder of a queue", "of the checkpoint file"],
)
def test_a_sync_that_fails_anywhere_in_a_checkpoint_is_the_end(session: Session, kind: str, path: str) -> None:
    """Also where it is part of making a folder: the next try would find the folder and sync nothing."""
    session.files.fail(kind, path)
    with pytest.raises(MQError):
        session.qm.checkpoint()
    assert session.qm.failure is not None and "sync failed" in session.qm.failure


def test_a_sync_that_fails_when_a_put_makes_the_folder_of_its_queue_is_the_end(session: Session) -> None:
    session.queue("E")
    session.files.fail("sync_folder", "qm/queues")
    with pytest.raises(MQError) as caught:
        for _ in range(200):
            session.put("E", bytes(50_000))
    assert caught.value.reason == C.MQRC_CONNECTION_BROKEN
    assert session.qm.failure is not None and "sync failed" in session.qm.failure
