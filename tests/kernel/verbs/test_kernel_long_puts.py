"""Puts of long persistent messages: their data is logged in parts, and others have the kernel in between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.state.image_in_parts import PART_BYTES, ImageInParts
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.verbs.long_puts import LongPut
from libremq.log import LogConfig, RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO

DATA = bytes(range(256)) * 40  # 10 parts, and one of 240 bytes
PART = 1000


class LongSession(Session):
    """Parts of a thousand bytes, of messages that have four times that."""

    def _start(self) -> None:
        super()._start()
        self.core.long_bytes, self.core.part_bytes = 4 * PART, PART

    def begin(
        self, hobj: int, data: bytes = DATA, options: int = C.MQPMO_NO_SYNCPOINT, **fields: Any
    ) -> tuple[LongPut, MQMD, MQPMO]:
        fields.setdefault("Persistence", C.MQPER_PERSISTENT)
        md, pmo = MQMD(Version=2, **fields), MQPMO(Options=options)
        begun = self.qm.begin_long_put(self.hconn, hobj, md, pmo, data)
        assert begun is not None
        return begun, md, pmo

    def begins(self, hobj: int, data: bytes = DATA, options: int = C.MQPMO_NO_SYNCPOINT, **fields: Any) -> bool:
        """Is that put in turns?"""
        fields.setdefault("Persistence", C.MQPER_PERSISTENT)
        begun = self.qm.begin_long_put(self.hconn, hobj, MQMD(Version=2, **fields), MQPMO(Options=options), data)
        if begun is not None:
            self.qm.end_long_put(begun)
        return begun is not None

    def log_all(self, begun: LongPut) -> int:
        """All of its parts; how many turns that took."""
        turns = 0
        while not begun.is_ready:
            self.qm.go_on_with_put(begun)
            if begun.waits_for:
                self.core.log.force(begun.waits_for)
            turns += 1
        return turns

    def put_long(self, hobj: int, data: bytes = DATA, options: int = C.MQPMO_NO_SYNCPOINT, **fields: Any) -> MQMD:
        begun, md, pmo = self.begin(hobj, data, options, **fields)
        try:
            self.log_all(begun)
            self.qm.put(self.hconn, hobj, md, pmo, data, long_put=begun)
        finally:
            self.qm.end_long_put(begun)
        return md

    def logged(self) -> list[RecordType]:
        self.core.log.force()
        return [RecordType(record.type) for record in self.core.log.scan(self.core.log.head)]


@pytest.fixture
def session() -> LongSession:
    found = LongSession()
    found.queue("Q")
    return found


@pytest.fixture
def hobj(session: LongSession) -> int:
    return session.open("Q", C.MQOO_OUTPUT)


def _units(session: LongSession) -> list[UnitOfWork]:
    return list(session.core.units.values())


def test_parts_and_put_and_commit_are_logged(session: LongSession, hobj: int) -> None:
    before = len(session.logged())
    md = session.put_long(hobj)
    kinds = session.logged()[before:]
    assert kinds == [RecordType.PUT_PART] * 11 + [RecordType.PUT, RecordType.COMMIT]
    found, data = session.get("Q")
    assert data == DATA
    assert found.MsgId == md.MsgId
    assert not _units(session)
    assert not session.core.long_puts


def test_nothing_is_put_before_all_is_logged(session: LongSession, hobj: int) -> None:
    begun, md, pmo = session.begin(hobj)
    assert session.log_all(begun) == 11
    assert session.depth("Q") == 0
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    assert session.depth("Q") == 1


def test_others_are_served_between_parts(session: LongSession, hobj: int) -> None:
    other = session.qm.connect("bob", "other")
    begun, md, pmo = session.begin(hobj)
    served = 0
    while not begun.is_ready:
        session.qm.go_on_with_put(begun)
        session.qm.put1(other, MQOD(ObjectName="Q"), MQMD(Persistence=1), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x")
        served += 1
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    assert served == 11
    assert [session.get("Q")[1] for _ in range(12)] == [b"x"] * 11 + [DATA]


@pytest.mark.parametrize("syncpoint", [False, True])
def test_after_a_kill_it_is_there(session: LongSession, hobj: int, syncpoint: bool) -> None:
    md = session.put_long(hobj, options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT, Format="MYFMT")
    if syncpoint:
        session.qm.commit(session.hconn)
    session.kill_and_start()
    found, data = session.get("Q")
    assert data == DATA
    assert (found.MsgId, found.Format.strip()) == (md.MsgId, "MYFMT")


def test_its_image_is_that_of_an_ordinary_put(session: LongSession, hobj: int) -> None:
    session.put_long(hobj, MsgId=b"1" * 24)
    session.put("Q", DATA, Persistence=1, MsgId=b"1" * 24)
    store = session.core.queues["Q"].store
    long_one, other = [store.message(slot).to_image() for slot in store.chains]
    # What differs is the name of the application that MQPUT1 and MQPUT both fill: nothing
    assert long_one == other


def test_after_a_kill_without_commit_it_is_gone(session: LongSession, hobj: int) -> None:
    session.put_long(hobj, options=C.MQPMO_SYNCPOINT)
    session.kill_and_start()
    assert session.depth("Q") == 0
    assert not _units(session)


@pytest.mark.parametrize("syncpoint", [False, True])
def test_parts_without_a_put_are_backed_out_by_the_start(session: LongSession, hobj: int, syncpoint: bool) -> None:
    begun, _, _ = session.begin(hobj, options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT)
    session.qm.go_on_with_put(begun)
    session.kill_and_start()
    assert not _units(session)
    assert session.qm.core.next_unit > begun.logged.unit.id  # it is not given out again
    session.kill_and_start()
    assert session.depth("Q") == 0


def test_a_checkpoint_between_parts_and_put_keeps_the_parts_in_the_log() -> None:
    session = LongSession(LogConfig(file_pages=64, primary_files=3, secondary_files=2))
    session.queue("Q")
    session.queue("OTHER")
    hobj = session.open("Q", C.MQOO_OUTPUT)
    begun, md, pmo = session.begin(hobj)
    session.qm.go_on_with_put(begun)
    first = begun.logged.lsns[0]
    for _ in range(3):  # some extents further on
        session.put("OTHER", bytes(200_000), Persistence=1)
        session.get("OTHER")
        session.qm.checkpoint()
    assert session.core.log.head <= first
    session.log_all(begun)
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.kill_and_start()
    assert session.get("Q")[1] == DATA


def test_it_is_in_the_queue_file_after_a_checkpoint(session: LongSession, hobj: int) -> None:
    session.put_long(hobj)
    session.qm.checkpoint()
    session.kill_and_start()
    assert session.get("Q")[1] == DATA


def test_a_unit_of_work_that_has_parts_under_way_is_not_pulled_up() -> None:
    session = LongSession(LogConfig(file_pages=64, primary_files=3, secondary_files=2))
    session.queue("Q")
    session.queue("OTHER")
    hobj = session.open("Q", C.MQOO_OUTPUT)
    begun, md, pmo = session.begin(hobj, options=C.MQPMO_SYNCPOINT)
    session.qm.go_on_with_put(begun)
    for _ in range(4):
        session.put("OTHER", bytes(190_000), Persistence=1)
        session.get("OTHER")
    session.qm.checkpoint()
    assert RecordType.SOFT_IMAGE not in session.logged()
    session.log_all(begun)
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.qm.commit(session.hconn)
    session.kill_and_start()
    assert session.get("Q")[1] == DATA


def test_what_was_put_in_parts_is_pulled_up_like_the_rest() -> None:
    session = LongSession(LogConfig(file_pages=64, primary_files=3, secondary_files=2))
    session.queue("Q")
    session.queue("OTHER")
    hobj = session.open("Q", C.MQOO_OUTPUT)
    session.qm.end_long_put(session.begin(hobj)[0])
    begun, md, pmo = session.begin(hobj, options=C.MQPMO_SYNCPOINT)
    session.log_all(begun)
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.qm.end_long_put(begun)
    for _ in range(4):
        session.put("OTHER", bytes(190_000), Persistence=1)
        session.get("OTHER")
    session.qm.checkpoint()
    assert RecordType.SOFT_IMAGE in session.logged()
    session.qm.commit(session.hconn)
    session.kill_and_start()
    assert session.get("Q")[1] == DATA


# What is refused


def test_a_put_that_is_refused_at_the_end_leaves_nothing(session: LongSession, hobj: int) -> None:
    begun, md, pmo = session.begin(hobj)
    session.log_all(begun)
    session.qm.alter("QLOCAL", "Q", {"maxdepth": 1})
    session.put("Q", b"first", Persistence=1)
    with pytest.raises(MQError) as refused:
        session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    assert refused.value.reason == C.MQRC_Q_FULL
    session.qm.end_long_put(begun)
    assert not _units(session)
    session.kill_and_start()
    assert session.get("Q")[1] == b"first"
    assert session.depth("Q") == 0


def test_a_put_in_syncpoint_that_is_refused_leaves_the_rest_of_its_unit_of_work(
    session: LongSession, hobj: int
) -> None:
    session.put("Q", b"before", Persistence=1, syncpoint=True)
    begun, md, pmo = session.begin(hobj, options=C.MQPMO_SYNCPOINT)
    session.log_all(begun)
    session.qm.alter("QLOCAL", "Q", {"put": C.MQQA_PUT_INHIBITED})
    with pytest.raises(MQError) as refused:
        session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    assert refused.value.reason == C.MQRC_PUT_INHIBITED
    session.qm.end_long_put(begun)
    session.qm.commit(session.hconn)
    session.kill_and_start()
    assert session.get("Q")[1] == b"before"
    assert session.depth("Q") == 0


def test_what_is_wrong_with_the_call_is_found_with_nothing_logged(session: LongSession, hobj: int) -> None:
    before = session.core.log.position
    assert not session.begins(hobj, DATA[: 4 * PART - 1])
    assert not session.begins(hobj, Persistence=C.MQPER_NOT_PERSISTENT)
    session.qm.alter("QLOCAL", "Q", {"maxmsgl": 5000})
    before = session.core.log.position
    assert not session.begins(hobj)
    assert session.begins(hobj, DATA[:5000])
    assert session.core.log.position == before


def test_a_log_that_cannot_take_it_is_told_before_anything_is_logged() -> None:
    session = LongSession(LogConfig(file_pages=64, primary_files=3, secondary_files=0))
    session.queue("Q", maxmsgl=1_000_000)
    hobj = session.open("Q", C.MQOO_OUTPUT)
    assert not session.begins(hobj, bytes(700_000))


def test_a_waiting_get_takes_it_from_hand_to_hand(session: LongSession, hobj: int) -> None:
    from libremq.mqi.structs import MQGMO

    source = session.open_input("Q")
    waiter = session.qm.get(
        session.hconn, source, MQMD(), MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=1000)
    )
    assert not session.begins(hobj)
    session.qm.cancel(waiter)  # type: ignore[arg-type]
    assert session.begins(hobj)


def test_one_that_comes_to_wait_meanwhile_takes_it_too(session: LongSession, hobj: int) -> None:
    from libremq.mqi.structs import MQGMO

    begun, md, pmo = session.begin(hobj)
    session.log_all(begun)
    source = session.open_input("Q")
    waiter = session.qm.get(
        session.hconn, source, MQMD(), MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=1000)
    )
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.qm.end_long_put(begun)
    assert waiter.result is not None  # type: ignore[union-attr]
    assert waiter.result.data == DATA  # type: ignore[union-attr]
    assert not _units(session)


def test_a_put_names_no_parts_from_before_an_image_that_is_under_way() -> None:
    """It may become complete behind the put, and its recovery begins with it."""
    session = LongSession(LogConfig(file_pages=64, type="LINEAR"))
    session.queue("Q")
    for number in range(5):
        session.put("Q", bytes(PART_BYTES // 2), Persistence=1, Priority=number)
    hobj = session.open("Q", C.MQOO_OUTPUT)
    begun, md, pmo = session.begin(hobj)
    session.log_all(begun)
    definition = session.core.catalogue.find("QLOCAL", "Q")
    assert definition is not None
    image = ImageInParts(session.core, definition)
    assert not image.log_part()
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.qm.end_long_put(begun)
    while not image.log_part():
        pass
    session.core.log.force()
    *_, put = [record for record in session.core.log.scan(session.core.media["QLOCAL", "Q"]) if record.type == 1]
    assert len(put.payload) > len(DATA)


# Who goes meanwhile


@pytest.mark.parametrize("syncpoint", [False, True])
def test_the_end_of_its_connection_ends_it(session: LongSession, hobj: int, syncpoint: bool) -> None:
    begun, _, _ = session.begin(hobj, options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT)
    session.qm.go_on_with_put(begun)
    session.qm.disconnect(session.hconn, back_out=True)
    assert not _units(session)
    assert not session.core.long_puts
    assert begun.is_ready
    session.qm.go_on_with_put(begun)
    assert len(begun.logged.lsns) == 1


def test_the_end_of_the_queue_manager_ends_it(session: LongSession, hobj: int) -> None:
    begun, _, _ = session.begin(hobj)
    session.qm.go_on_with_put(begun)
    session.qm.end()
    assert not session.core.long_puts
    session._start()
    assert not _units(session)


def test_a_unit_of_work_that_was_backed_out_for_log_space_takes_the_put_with_it(
    session: LongSession, hobj: int
) -> None:
    from libremq.kernel.recovery import log_room

    begun, md, pmo = session.begin(hobj, options=C.MQPMO_SYNCPOINT)
    session.qm.go_on_with_put(begun)
    log_room.give_way(session.core)
    assert begun.is_ready
    with pytest.raises(MQError) as refused:
        session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    assert refused.value.reason == C.MQRC_BACKED_OUT
    session.qm.end_long_put(begun)
    session.put_long(hobj, options=C.MQPMO_SYNCPOINT)
    session.qm.commit(session.hconn)
    assert session.depth("Q") == 1


def test_one_whose_own_unit_of_work_was_backed_out_for_log_space_begins_anew(session: LongSession, hobj: int) -> None:
    from libremq.kernel.recovery import log_room

    begun, md, pmo = session.begin(hobj)
    for _ in range(2):
        for _ in range(3):
            session.qm.go_on_with_put(begun)
        log_room.give_way(session.core)
    session.log_all(begun)
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.qm.end_long_put(begun)
    assert session.logged()[-2:] == [RecordType.PUT, RecordType.COMMIT]
    assert not _units(session)
    session.kill_and_start()
    assert session.get("Q")[1] == DATA
    assert session.depth("Q") == 0


def test_one_that_had_all_its_parts_when_that_happened_is_put_as_any_other(session: LongSession, hobj: int) -> None:
    from libremq.kernel.recovery import log_room

    begun, md, pmo = session.begin(hobj)
    session.log_all(begun)
    log_room.give_way(session.core)
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.qm.end_long_put(begun)
    assert session.logged()[-2:] == [RecordType.BACKOUT, RecordType.PUT]
    session.kill_and_start()
    assert session.get("Q")[1] == DATA
    assert session.depth("Q") == 0


def test_but_not_without_end(session: LongSession, hobj: int) -> None:
    from libremq.kernel.recovery import log_room

    begun, md, pmo = session.begin(hobj)
    turns = 0
    while not begun.is_ready:
        session.qm.go_on_with_put(begun)
        log_room.give_way(session.core)
        turns += 1
    assert turns == 4
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)  # as any other, in one go
    session.qm.end_long_put(begun)
    session.kill_and_start()
    assert session.get("Q")[1] == DATA
    assert session.depth("Q") == 0


@pytest.mark.parametrize("end", ["commit", "backout"])
def test_one_whose_unit_of_work_another_thread_ends_is_put_as_any_other(
    session: LongSession, hobj: int, end: str
) -> None:
    begun, md, pmo = session.begin(hobj, options=C.MQPMO_SYNCPOINT)
    session.log_all(begun)
    getattr(session.qm, end)(session.hconn)
    session.qm.put(session.hconn, hobj, md, pmo, DATA, long_put=begun)
    session.qm.end_long_put(begun)
    session.qm.commit(session.hconn)
    session.kill_and_start()
    assert session.get("Q")[1] == DATA


def test_two_at_a_time_in_one_unit_of_work_are_not_mixed_up(session: LongSession, hobj: int) -> None:
    other = DATA[::-1]
    first, md_1, pmo_1 = session.begin(hobj, options=C.MQPMO_SYNCPOINT)
    second, md_2, pmo_2 = session.begin(hobj, other, C.MQPMO_SYNCPOINT)
    while not (first.is_ready and second.is_ready):
        session.qm.go_on_with_put(first)
        session.qm.go_on_with_put(second)
    session.qm.put(session.hconn, hobj, md_2, pmo_2, other, long_put=second)
    session.qm.put(session.hconn, hobj, md_1, pmo_1, DATA, long_put=first)
    session.qm.commit(session.hconn)
    session.kill_and_start()
    assert [session.get("Q")[1] for _ in range(2)] == [other, DATA]


def test_a_full_log_fails_it_with_the_reason_of_any_put(session: LongSession) -> None:
    small = LongSession(LogConfig(file_pages=64, primary_files=3, secondary_files=0))
    small.queue("Q", maxmsgl=1_000_000)
    small.queue("OTHER", maxmsgl=1_000_000)
    small.core.part_bytes = 10_000
    hobj = small.open("Q", C.MQOO_OUTPUT)
    data = bytes(300_000)
    begun, md, pmo = small.begin(hobj, data)
    small.qm.go_on_with_put(begun)
    with suppress(MQError):
        for _ in range(20):
            small.put("OTHER", bytes(50_000), Persistence=1, syncpoint=True)
    small.log_all(begun)
    try:
        small.qm.put(small.hconn, hobj, md, pmo, data, long_put=begun)
    except MQError as error:
        assert error.reason == C.MQRC_RESOURCE_PROBLEM
        put = 0
    else:
        put = 1
    small.qm.end_long_put(begun)
    with suppress(MQError):
        small.qm.backout(small.hconn)
    small.kill_and_start()
    assert small.depth("Q") == put
    assert not _units(small)


def test_gathered_bytes_are_bounded() -> None:
    session = LongSession(LogConfig(file_pages=512, buffer_pages=18))
    session.queue("Q", maxmsgl=4_000_000)
    hobj = session.open("Q", C.MQOO_OUTPUT)
    others = [session.begin(hobj, bytes(400_000))[0] for _ in range(5)]
    log, most = session.core.log, 0
    for _ in range(2000):
        for one in others:
            if not one.waits_for:
                session.qm.go_on_with_put(one)
            most = max(most, log.tail - log.durable)
        if any(one.waits_for for one in others):
            log.force(max(one.waits_for for one in others))
    assert all(one.is_ready for one in others)
    assert most < 18 * 4096 + 2 * 4096 + PART


@pytest.fixture(autouse=True)
def _ends(session: LongSession) -> Iterator[None]:
    yield
    if session.qm.failure is None and not session.qm.ended:
        session.qm.abandon()
