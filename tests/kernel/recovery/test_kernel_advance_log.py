"""RESET QMGR TYPE(ADVANCELOG): the log goes on in the next extent, and whoever reads it finds nothing in between."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helper_media import LINEAR, Life

from libremq.kernel.recovery.log_room import PULL_UP_OPERATIONS
from libremq.log import RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError


def test_the_log_goes_on_in_the_next_extent() -> None:
    life = Life(config=replace(LINEAR, log_management="Manual"))
    life.define("Q")
    life.put("Q", b"before")
    first = life.core.log.current_extent
    for _ in range(3):
        before = life.extent(life.core.log.tail)
        lsn = life.qm.advance_log()
        assert life.extent(life.core.log.tail) == before + 1 and life.extent(lsn) == before
    life.put("Q", b"behind")
    life.restart(orderly=False)
    assert [row[0] for row in life.content("Q")[:-1]] == [b"before", b"behind"]
    life.record()
    states = {extent.name: extent.state for extent in life.core.log.extents()}
    assert states[first] == "unneeded"  # it can be archived now


def test_media_recovery_reads_over_it() -> None:
    life = Life()
    life.define("Q")
    life.put("Q", b"before")
    life.qm.advance_log()
    life.put("Q", b"behind")
    wanted = life.content("Q")
    (result,) = life.recover("ql", "Q")
    assert not result.problem and life.content("Q") == wanted


def test_it_says_so_in_a_logger_event() -> None:
    life = Life()
    life.qm.alter("QMGR", life.qm.name, {"loggerev": C.MQEVR_ENABLED})
    life.qm.advance_log()
    assert life.qm.depth("SYSTEM.ADMIN.LOGGER.EVENT") >= 1


def test_an_extent_that_has_no_room_for_a_record_is_left_too() -> None:
    life = Life()
    log = life.core.log
    while log.left_in_extent > 40:
        log.append(RecordType.FILLER, 0, 0, (bytes(max(0, min(60_000, log.left_in_extent - 28 - 12))),))
    before = life.extent(log.tail)
    life.qm.advance_log()
    assert life.extent(log.tail) == before + 1
    life.restart(orderly=False)


def test_nobodys_work_is_rolled_back_for_it() -> None:
    life = Life()
    life.define("Q")
    for number in range(PULL_UP_OPERATIONS + 8):
        life.put("Q", b"%d" % number, syncpoint=True)
    advanced = 0
    with pytest.raises(MQError) as caught:
        while advanced < 20:
            life.qm.advance_log()
            advanced += 1
    assert caught.value.reason == C.MQRC_RESOURCE_PROBLEM and "UOWLOGDA" in str(caught.value)
    assert advanced
    life.put("Q", bytes(100_000))  # and there is room for others
    life.commit()
    for _ in range(20):
        before = life.extent(life.core.log.tail)
        life.qm.advance_log()
        assert life.extent(life.core.log.tail) > before
    life.restart(orderly=False)
    assert life.qm.depth("Q") == PULL_UP_OPERATIONS + 9


def test_a_small_unit_of_work_is_no_obstacle() -> None:
    life = Life()
    life.define("Q")
    life.put("Q", b"one", syncpoint=True)
    for _ in range(20):
        life.qm.advance_log()
    life.commit()
    life.restart(orderly=False)
    assert life.qm.depth("Q") == 1


@pytest.mark.parametrize("lost", ["qm/log", "second"])
def test_both_copies_of_a_dual_log_go_on_in_the_next_extent(lost: str) -> None:
    life = Life(config=replace(LINEAR, second_folder="second"))
    life.define("Q")
    life.put("Q", b"before")
    life.put("Q", b"open", syncpoint=True)
    life.qm.advance_log()
    life.put("Q", b"behind")
    life.stop(orderly=False)
    for name in life.files.list(lost):
        if name.startswith("S0"):
            life.files.overwrite(f"{lost}/{name}", 8192, b"\xff" * 20_000)
    life.start()
    assert [row[0] for row in life.content("Q")[:-1]] == [b"before", b"behind"]
