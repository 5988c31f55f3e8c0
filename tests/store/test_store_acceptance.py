"""What the design says of the store and of its interplay with the log, item by item.

Each test bears the number of its item in the list of acceptance tests that the design came with. Those that ask for
channels, agents or publish/subscribe are not here; crashes at every write are the business of tests/crash.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import pytest

from libremq.common.configuration import TuningSettings
from libremq.host import lifecycle
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.store.queue_store import DETAILS_MAX, LogGate, QueueStore, StoreLimits
from libremq.store.space_handles import FRAGMENTED, NONE
from libremq.store.space_map import FREE, FREE_UNBACKED, NONPERSISTENT, PERSISTENT
from libremq.store.stored_message import IMAGE_OVERHEAD, Message
from libremq.testing.faulty_files import FaultyFiles, PowerCut
from libremq.testing.virtual_clock import VirtualClock

QUEUE = "ACCEPTANCE"
ALL = C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT | C.MQOO_BROWSE


class WatchedFiles(FaultyFiles):
    """Files that note what was written and synced."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[str] = []
        self.syncs: list[str] = []
        self.before_sync: Callable[[str], None] = lambda path: None

    def _write(self, number: int, path: str, offset: int, data: bytes) -> None:
        super()._write(number, path, offset, data)
        self.writes.append(path)

    def _sync(self, number: int, path: str) -> None:
        self.before_sync(path)
        super()._sync(number, path)
        self.syncs.append(path)


class Setup:
    """A queue manager with one queue and one application."""

    def __init__(self, files: FaultyFiles | None = None, limits: StoreLimits | None = None) -> None:
        self.files = files if files is not None else WatchedFiles()
        self.clock = VirtualClock()
        self.limits = limits
        self.start(create=True)
        self.embedded.admin(lambda: self.manager.define("QLOCAL", QUEUE, {}))

    def start(self, *, create: bool = False) -> None:
        self.embedded = EmbeddedQueueManager.start(
            "qm", "QM1", create=create, files=self.files, clock=self.clock, limits=self.limits,
            log_config=LogConfig(file_pages=256), background=False,
        )  # fmt: skip
        self.manager = self.embedded.manager
        self.log = self.manager.core.log
        self.connection = EmbeddedConnection(self.embedded)
        if not create:
            self.open()

    def open(self) -> None:
        self.hobj = self.connection.open(MQOD(ObjectName=QUEUE), ALL)

    @property
    def store(self) -> QueueStore:
        return self.manager.core.queues[QUEUE].store

    def put(self, data: bytes = b"data", *, persistent: bool = True, syncpoint: bool = False, **fields: Any) -> MQMD:
        md = MQMD(Version=2, Persistence=int(persistent), **fields)
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT)
        self.connection.put(self.hobj, md, pmo, data)
        return md

    def get(self, *, syncpoint: bool = False, **fields: Any) -> tuple[bytes, MQMD]:
        md = MQMD(Version=2, **fields)
        gmo = MQGMO(Version=2, Options=C.MQGMO_SYNCPOINT if syncpoint else C.MQGMO_NO_SYNCPOINT)
        return self.connection.get(self.hobj, md, gmo).data, md

    def contents(self) -> list[tuple[bytes, int]]:
        """Data and backout count of every message."""
        browser = EmbeddedConnection(self.embedded)
        hobj = browser.open(MQOD(ObjectName=QUEUE), C.MQOO_BROWSE)
        found = []
        while True:
            md = MQMD(Version=2)
            gmo = MQGMO(Version=2, Options=C.MQGMO_BROWSE_NEXT, MatchOptions=C.MQMO_NONE)
            try:
                found.append((browser.get(hobj, md, gmo).data, md.BackoutCount))
            except MQError:
                browser.disconnect()
                return found

    def start_waiting(self, connection: EmbeddedConnection, hobj: int, options: int = C.MQGMO_NO_SYNCPOINT) -> Waiter:
        gmo = MQGMO(Version=2, Options=C.MQGMO_WAIT | options, WaitInterval=C.MQWI_UNLIMITED)
        waiter = self.manager.get(connection.hconn, hobj, MQMD(Version=2), gmo)
        assert isinstance(waiter, Waiter)
        return waiter


@pytest.fixture
def setup() -> Iterator[Setup]:
    made = Setup()
    made.open()
    yield made
    made.embedded.end()


def make_store(files: FaultyFiles, **limits: int) -> QueueStore:
    """A store of its own, with a log on which everything is always on disk."""
    files.make_folder("queues")
    gate = LogGate(lambda: 1, lambda lsn: None)
    store = QueueStore(files, "queues/Q", 3, "Q", gate, StoreLimits(**limits))
    store.load(store.position)
    store.recovered()
    return store


def store_message(store: QueueStore, data: bytes, *, persistent: bool = True, msg_id: bytes = b"m" * 24) -> int:
    message = Message(MQMD(Version=2, MsgId=msg_id), b"", data)
    store.make_room(message, persistent)
    slot = store.insert(message, 0, persistent)
    store.link(slot)
    return slot


def take(store: QueueStore, slot: int) -> None:
    store.unlink(slot)
    store.remove(slot)


# 1-4: what is logged and forced


def test_item_01_a_unit_of_work_of_nonpersistent_messages_logs_nothing(setup: Setup) -> None:
    before = setup.log.tail
    setup.put(persistent=False, syncpoint=True)
    setup.connection.commit()
    setup.get(syncpoint=True)
    setup.connection.backout()
    setup.get(syncpoint=True)
    setup.connection.commit()
    assert setup.log.tail == before


def test_item_02_a_persistent_put_outside_syncpoint_is_on_disk_before_it_returns(setup: Setup) -> None:
    setup.put()
    assert setup.log.durable == setup.log.tail


def test_item_02_inside_syncpoint_nothing_is_forced_until_the_commit_and_then_once(setup: Setup) -> None:
    setup.put(b"to be got")
    writes, durable = setup.log.statistics().logical_writes, setup.log.durable
    for _ in range(5):
        setup.put(syncpoint=True)
    setup.get(syncpoint=True)
    assert (setup.log.statistics().logical_writes, setup.log.durable) == (writes, durable)
    setup.connection.commit()
    assert setup.log.statistics().logical_writes == writes + 1
    assert setup.log.durable == setup.log.tail


def test_item_03_commits_that_come_together_share_forces() -> None:
    """The first force is held until every other commit is in the log: the rest then needs one more."""
    files = WatchedFiles()
    setup = Setup(files)
    committers = 8
    commits = 0
    all_there = threading.Event()
    real_commit = setup.manager.core.commit

    def counting_commit(unit: Any) -> int:
        nonlocal commits
        lsn = real_commit(unit)
        commits += 1
        if commits == committers:
            all_there.set()
        return lsn

    def hold(path: str) -> None:
        if "/log/" in path:
            assert all_there.wait(30)

    connections = [EmbeddedConnection(setup.embedded) for _ in range(committers)]
    for connection in connections:
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT)
        connection.put1(MQOD(ObjectName=QUEUE), MQMD(Version=2, Persistence=1), pmo, b"shared")
    before = setup.log.statistics().logical_writes
    setup.manager.core.commit = counting_commit  # type: ignore[method-assign]
    files.before_sync = hold
    threads = [threading.Thread(target=connection.commit) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert commits == committers and not any(thread.is_alive() for thread in threads)
    assert setup.log.durable == setup.log.tail
    assert setup.log.statistics().logical_writes - before <= 2
    setup.embedded.end()


def test_item_04_nonpersistent_messages_spill_without_log_and_without_sync() -> None:
    files = WatchedFiles()
    setup = Setup(files, StoreLimits(nonpersistent_buffer_bytes=4096))
    setup.open()
    before = setup.log.tail
    files.writes.clear()
    files.syncs.clear()
    large = bytes(range(256)) * 80
    setup.put(large, persistent=False)
    setup.put(b"small", persistent=False)
    assert setup.store.spilled_messages == 1
    assert set(files.writes) == {f"qm/queues/{QUEUE}/q"}
    assert files.syncs == [] and setup.log.tail == before
    assert setup.get()[0] == large
    setup.embedded.end()


# 5-7: space


def test_item_05_a_fragmented_message_survives() -> None:
    files = FaultyFiles()
    store = make_store(files, persistent_buffer_bytes=1)
    slots = [store_message(store, b"one block") for _ in range(12)]
    store_message(store, b"the last one")  # whatever comes next writes the one before it to the file
    for number, slot in enumerate(slots):
        if number % 3:
            take(store, slot)  # most of the file is free, but no gap has three blocks
    data = random.Random(5).randbytes(1300 - IMAGE_OVERHEAD)
    large = store_message(store, data)
    store_message(store, b"and another")
    assert store.handles.flags[large] & FRAGMENTED
    blocks = store._fragments[large]
    assert len(blocks) == 3 and max(blocks) - min(blocks) > 2
    assert store.message(large).data == data
    captured = store.capture()
    assert captured is not None
    captured.write()
    captured.done()
    store.close()
    again = QueueStore(files, "queues/Q", 3, "Q", LogGate(lambda: 1, lambda lsn: None))
    again.load(store.position)
    again.recovered()
    assert again.message(large).data == data


def test_item_06_codes_of_the_space_map() -> None:
    store = make_store(FaultyFiles(), persistent_buffer_bytes=1, nonpersistent_buffer_bytes=1)
    assert store.space.code(1) == FREE_UNBACKED == 0b10
    persistent = store_message(store, b"persistent")
    store_message(store, b"next")
    other = store_message(store, b"not persistent", persistent=False)
    store_message(store, b"next", persistent=False)
    first, second = store.handles.block[persistent], store.handles.block[other]
    assert store.space.code(first) == PERSISTENT == 0b01
    assert store.space.code(second) == NONPERSISTENT == 0b00
    take(store, persistent)
    take(store, other)
    assert store.space.code(first) == store.space.code(second) == FREE == 0b11
    assert store.space.code(store.space.file_blocks) == FREE_UNBACKED


def test_item_07_blocks_of_an_uncommitted_get_are_not_used_again() -> None:
    setup = Setup(limits=StoreLimits(persistent_buffer_bytes=1024))
    setup.open()
    data = b"must not be overwritten " * 20
    setup.put(data)
    setup.put(b"x" * 900)
    setup.manager.checkpoint()
    assert setup.get(syncpoint=True)[0] == data
    others = EmbeddedConnection(setup.embedded)
    for _ in range(30):
        pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        others.put1(MQOD(ObjectName=QUEUE), MQMD(Version=2, Persistence=1), pmo, b"y" * 900)
    setup.connection.backout()
    returned, md = setup.get()
    assert (returned, md.BackoutCount) == (data, 1)
    setup.embedded.end()


# 8-9: from hand to hand


@pytest.mark.parametrize("persistent", [False, True])
def test_item_08_a_waiting_getter_takes_the_message_without_queue_and_log(setup: Setup, persistent: bool) -> None:
    getter = EmbeddedConnection(setup.embedded)
    waiter = setup.start_waiting(getter, getter.open(MQOD(ObjectName=QUEUE), C.MQOO_INPUT_SHARED))
    tail, sequence = setup.log.tail, setup.store.next_sequence
    setup.put(b"hand to hand", persistent=persistent)
    assert isinstance(waiter.result, Got) and waiter.result.data == b"hand to hand"
    assert setup.manager.depth(QUEUE) == 0
    assert setup.log.tail == tail and setup.store.next_sequence == sequence


def test_item_08_a_put_in_a_unit_of_work_goes_by_way_of_the_queue(setup: Setup) -> None:
    getter = EmbeddedConnection(setup.embedded)
    waiter = setup.start_waiting(getter, getter.open(MQOD(ObjectName=QUEUE), C.MQOO_INPUT_SHARED))
    tail = setup.log.tail
    setup.put(b"by the queue", syncpoint=True)
    assert not waiter.done and setup.manager.depth(QUEUE) == 1 and setup.log.tail > tail
    setup.connection.commit()
    assert isinstance(waiter.result, Got) and waiter.result.data == b"by the queue"
    assert setup.manager.depth(QUEUE) == 0


def test_item_09_one_of_several_waiting_getters_stays_hot(setup: Setup) -> None:
    getters = [EmbeddedConnection(setup.embedded) for _ in range(4)]
    handles = [getter.open(MQOD(ObjectName=QUEUE), C.MQOO_INPUT_SHARED) for getter in getters]
    waiters = [setup.start_waiting(getter, hobj) for getter, hobj in zip(getters, handles, strict=True)]
    served = [0, 0, 0, 0]
    for _ in range(40):
        setup.put()
        for number, waiter in enumerate(waiters):
            if waiter.done:
                served[number] += 1
                waiters[number] = setup.start_waiting(getters[number], handles[number])
    assert sum(served) == 40 and max(served) > 30


# 10-13: search, details, files


def test_item_10_equal_hashes_do_not_confuse_a_get(setup: Setup) -> None:
    one, start = b"an id of 24 bytes as any", b"another start of it "
    # The four bytes more that give it the same hash: CRC-32 is linear, so it is enough to know what each bit does
    zero = crc32(start + bytes(4))
    basis = [crc32(start + (1 << bit).to_bytes(4, "little")) ^ zero for bit in range(32)]
    other = start + _solve(basis, crc32(one) ^ zero).to_bytes(4, "little")
    assert one != other and crc32(one) == crc32(other)
    setup.put(b"first", MsgId=one, CorrelId=other)
    setup.put(b"second", MsgId=other, CorrelId=one)
    gmo = MQGMO(Version=2, Options=C.MQGMO_NO_SYNCPOINT, MatchOptions=C.MQMO_MATCH_CORREL_ID)
    assert setup.connection.get(setup.hobj, MQMD(Version=2, CorrelId=one), gmo).data == b"second"
    assert setup.get(MsgId=one)[0] == b"first"


def _solve(basis: list[int], wanted: int) -> int:
    """Which of the basis vectors give `wanted` when they are added (modulo 2)."""
    rows = [(value, 1 << number) for number, value in enumerate(basis)]
    answer = 0
    for bit in range(32):
        pivot = next((row for row in rows if row[0] >> bit & 1), None)
        if pivot is None:
            continue
        rows = [
            (value ^ pivot[0], mask ^ pivot[1]) if value >> bit & 1 else (value, mask)
            for value, mask in rows
            if (value, mask) != pivot
        ]
        if wanted >> bit & 1:
            wanted ^= pivot[0]
            answer ^= pivot[1]
    assert not wanted
    return answer


def test_item_11_the_details_cache_holds_512_messages_at_most() -> None:
    store = make_store(FaultyFiles(), persistent_buffer_bytes=1)
    slots = [store_message(store, b"%d" % number) for number in range(DETAILS_MAX + 100)]
    for number, slot in enumerate(slots):
        assert store.message(slot).data == b"%d" % number
        assert store.descriptor(slot).MsgId == store.message(slot).md.MsgId
    assert len(store._details) == DETAILS_MAX == 512
    assert slots[0] not in store._details and slots[-2] in store._details


@pytest.mark.parametrize(("kept", "gone", "shrinks"), [(0, 32, False), (0, 40, True), (5000, 40, False)])
def test_item_12_a_file_is_cut_when_it_is_too_large_by_16_kb_and_by_one_percent(
    kept: int, gone: int, shrinks: bool
) -> None:
    store = make_store(FaultyFiles(), persistent_buffer_bytes=1)
    for _ in range(kept):
        store_message(store, b"")
    store_message(store, b"here to stay")
    store_message(store, b"here to stay too")
    slots = [store_message(store, b"") for _ in range(gone)]
    last = store_message(store, b"writes the one before")
    for slot in [*slots, last]:
        take(store, slot)
    store_message(store, b"something for the checkpoint")
    before = store.space.file_blocks
    # Blocks of the last checkpoint are free only after the next: none of these was ever in one
    captured = store.capture()
    assert captured is not None
    captured.write()
    assert store.space.file_blocks >= before
    captured.done()
    assert (store.space.file_blocks < before) is shrinks
    assert store._file.size_blocks() == store.space.file_blocks


def test_item_13_a_queue_that_nobody_uses_is_unloaded_at_the_second_checkpoint(setup: Setup) -> None:
    setup.put(b"still there")
    setup.manager.checkpoint()
    setup.connection.close(setup.hobj)
    setup.manager.checkpoint()
    assert QUEUE in setup.manager.core.queues
    setup.manager.checkpoint()
    assert QUEUE not in setup.manager.core.queues
    setup.open()
    assert setup.get()[0] == b"still there"


def test_item_13_a_queue_that_is_used_again_stays_loaded(setup: Setup) -> None:
    setup.manager.checkpoint()
    setup.connection.close(setup.hobj)
    setup.manager.checkpoint()
    setup.open()
    setup.manager.checkpoint()
    setup.manager.checkpoint()
    assert QUEUE in setup.manager.core.queues


# 14-16: checkpoints and restarts


def test_item_14_checkpoints_come_by_count_and_by_the_clock() -> None:
    files = WatchedFiles()
    tuning = TuningSettings(checkpoint_records_max=1000)
    lifecycle.create(files, "qm", "QM1", VirtualClock(), LogConfig(file_pages=256), tuning=tuning)
    setup = Setup(files)
    setup.open()
    setup.manager.checkpoint()
    before = setup.log.checkpoint
    for _ in range(tuning.checkpoint_records_max - 1):
        setup.put()
    assert setup.log.checkpoint == before
    setup.put()
    counted = setup.log.checkpoint
    assert counted > before
    for _ in range(tuning.checkpoint_records_min - 1):
        setup.put()
    setup.clock.advance(60 * tuning.checkpoint_wait_minutes + 1)
    setup.manager.tick()
    assert setup.log.checkpoint == counted, "fewer than 100 records are not worth one"
    setup.put()
    setup.clock.advance(60 * tuning.checkpoint_wait_minutes + 1)
    setup.manager.tick()
    assert setup.log.checkpoint > counted
    setup.embedded.end()


XID = b"branch 1"


Step = tuple[Callable[[], object], Callable[[set[bytes]], None]]


def _steps(setup: Setup, transaction: EmbeddedConnection) -> list[Step]:
    """Steps of a workload, each with what it changes of the messages that a restart must find."""

    def in_branch(data: bytes) -> None:
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT)
        transaction.put1(MQOD(ObjectName=QUEUE), MQMD(Version=2, Persistence=1), pmo, data)

    return [
        (lambda: setup.put(b"alone"), lambda there: there.add(b"alone")),
        (lambda: setup.put(b"committed 1", syncpoint=True), lambda there: None),
        (lambda: setup.put(b"committed 2", syncpoint=True), lambda there: None),
        (setup.connection.commit, lambda there: there.update((b"committed 1", b"committed 2"))),
        (lambda: transaction.xa_start(XID), lambda there: None),
        (lambda: in_branch(b"prepared"), lambda there: None),
        (lambda: transaction.xa_end(XID), lambda there: None),
        (lambda: transaction.xa_prepare(XID), lambda there: None),
        (lambda: setup.get(syncpoint=True), lambda there: None),
        (lambda: setup.put(b"in flight", syncpoint=True), lambda there: None),
        (setup.manager.checkpoint, lambda there: None),
        (setup.connection.backout, lambda there: None),
        (lambda: setup.put(b"in flight again", syncpoint=True), lambda there: None),
    ]


@pytest.mark.parametrize("cut", range(14))
def test_item_15_after_a_kill_what_was_committed_is_there_and_what_was_prepared_is_in_doubt(cut: int) -> None:
    setup = Setup()
    setup.open()
    expected: set[bytes] = set()
    for step, change in _steps(setup, EmbeddedConnection(setup.embedded))[:cut]:
        step()
        change(expected)
    setup.manager.abandon()
    setup.start()
    assert {data for data, _ in setup.contents()} == expected
    assert setup.connection.xa_recover() == ([XID] if cut > 7 else [])
    if cut > 7:
        setup.connection.xa_commit(XID)
        assert {data for data, _ in setup.contents()} == expected | {b"prepared"}
    setup.embedded.end()


def test_item_16_a_kill_in_the_middle_of_the_undo_does_not_undo_twice() -> None:
    """The power goes at every operation of the restart that undoes; what comes after must undo each get once."""
    setup = Setup()
    setup.open()
    for number in range(3):
        setup.put(b"%d" % number)
    for _ in range(3):
        setup.get(syncpoint=True)
    setup.put(b"never committed", syncpoint=True)
    setup.log.force()
    setup.manager.abandon()
    begin = setup.files
    crash_at = 0
    while True:
        crash_at += 1
        setup.files = begin.copy()
        setup.files.crash_at = setup.files.operations + crash_at
        try:
            setup.start()
        except PowerCut:
            states = list(setup.files.disk_states(random.Random(crash_at), limit=6))
        else:
            break
        for state in states:
            setup.files = state
            setup.start()
            assert setup.contents() == [(b"0", 1), (b"1", 1), (b"2", 1)]
            setup.manager.abandon()
    assert crash_at > 10, "the restart had nothing to write"
    setup.manager.abandon()


def test_item_27_a_unit_of_work_takes_no_more_than_maxumsgs(setup: Setup) -> None:
    setup.embedded.admin(lambda: setup.manager.alter("QMGR", "QM1", {"maxumsgs": 3}))
    for _ in range(2):
        setup.put(syncpoint=True)
    setup.put(b"outside")
    setup.get(syncpoint=True)
    for call in (setup.put, setup.get):
        with pytest.raises(MQError) as caught:
            call(syncpoint=True)
        assert caught.value.reason == C.MQRC_SYNCPOINT_LIMIT_REACHED
    setup.connection.commit()
    setup.put(syncpoint=True)
    assert setup.manager.depth(QUEUE) == 3
    assert setup.store.handles.block[0] == NONE
