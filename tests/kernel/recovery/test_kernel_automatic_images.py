"""IMGSCHED(AUTO): images by time and by amount of log, in turns, so that MEDIALOG follows the log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helper_media import LINEAR, Life

from libremq.kernel.recovery.log_room import PULL_UP_OPERATIONS
from libremq.kernel.state import image_in_parts
from libremq.log import LogConfig, LogFull, RecordType
from libremq.mqi import constants as C
from libremq.store.store_errors import damaged_queue

MANUAL = replace(LINEAR, log_management="Manual")


def life_with(**attributes: int) -> Life:
    life = Life(config=MANUAL)
    life.qm.alter("QMGR", life.qm.name, {"imgsched": C.MQMEDIMGSCHED_AUTO, **attributes})
    life.define("Q")
    life.put("Q", b"kept")
    return life


def pass_time(life: Life, seconds: float, ticks: int = 60) -> None:
    life.clock.advance(seconds)
    for _ in range(ticks):
        life.qm.tick()


def test_an_image_is_recorded_when_the_last_one_is_so_many_minutes_old() -> None:
    life = life_with(imgintvl=5)
    life.next_extent()
    before = dict(life.core.media)
    old = [key for key, lsn in before.items() if life.extent(lsn) < life.extent(life.core.log.tail)]
    pass_time(life, 4 * 60)
    assert life.core.media == before
    pass_time(life, 61)
    assert len(old) > 50 and all(life.core.media[key] > before[key] for key in old)
    assert life.core.log.media == min(life.core.media.values())  # a checkpoint has made it count
    assert life.extent(life.core.log.media) == life.extent(life.core.log.tail)


def test_and_again_after_the_same_time_but_not_within_an_extent() -> None:
    life = life_with(imgintvl=5)
    life.next_extent()
    pass_time(life, 301)
    first = dict(life.core.media)
    pass_time(life, 301)
    assert life.core.media == first  # they are in the current extent: others would set nothing free
    life.next_extent()
    pass_time(life, 11)
    assert all(life.core.media[key] > first[key] for key in first if key[1] != "FILLER")


def test_an_image_is_recorded_when_so_much_was_logged_since_the_last_one() -> None:
    life = life_with(imgintvl=C.MQMEDIMGINTVL_OFF, imglogln=1)
    before = life.media("Q")
    pass_time(life, 100_000)
    assert life.media("Q") == before
    while life.core.log.tail - before < 1 << 20:
        life.next_extent()
    pass_time(life, 11)
    assert life.core.log.tail - life.media("Q") < 1 << 20


@pytest.mark.parametrize(
    "attributes", [{"imgsched": C.MQMEDIMGSCHED_MANUAL, "imgintvl": 1}, {"imgintvl": C.MQMEDIMGINTVL_OFF}]
)
def test_there_are_none_where_none_are_wanted(attributes: dict[str, int]) -> None:
    life = life_with(**attributes)
    life.next_extent()
    before = life.media("Q")
    pass_time(life, 100_000)
    assert life.media("Q") == before


def test_a_circular_log_has_none() -> None:
    life = Life(config=LogConfig(file_pages=64))
    life.qm.alter("QMGR", life.qm.name, {"imgsched": C.MQMEDIMGSCHED_AUTO, "imgintvl": 1})
    pass_time(life, 1000)
    assert life.core.media == {} and not life.qm.core.log.config.linear


def test_a_deep_queue_is_recorded_in_turns_between_which_others_work(monkeypatch: pytest.MonkeyPatch) -> None:
    life = life_with(imgintvl=1)
    for number in range(30):
        life.put("Q", b"%d" % number + bytes(900))
    life.next_extent()
    before = life.media("Q")
    monkeypatch.setattr(image_in_parts, "PART_BYTES", 2000)
    monkeypatch.setattr("libremq.kernel.recovery.automatic_images.PART_BYTES", 2000)
    life.clock.advance(70)
    turns = 0
    while life.media("Q") == before:
        life.qm.tick()
        turns += 1
        life.put("Q", b"meanwhile %d" % turns)
        life.get("Q")
    assert turns > 10
    wanted = life.content("Q")
    (result,) = life.recover("ql", "Q")
    assert not result.problem and life.content("Q") == wanted


def test_a_damaged_queue_keeps_what_it_has_and_stops_no_others() -> None:
    life = life_with(imgintvl=1)
    life.define("R")
    life.next_extent()
    queue = life.core.queues["Q"]
    life.core.note_damage(queue, damaged_queue("Q", queue.store.folder, "for this test"))
    before = life.media("Q"), life.media("R")
    pass_time(life, 61)
    assert life.media("Q") == before[0] and life.media("R") > before[1]


# Where the log is full


def deep_with_open_work() -> Life:
    """An image is due that is larger than the log, and a unit of work, too large to be pulled up, holds the log."""
    life = Life()
    life.qm.alter("QMGR", life.qm.name, {"imgsched": C.MQMEDIMGSCHED_AUTO, "imgintvl": 1})
    life.define("Q")
    for number in range(100):
        life.put("Q", b"%d" % number + bytes(20_000))
    life.qm.checkpoint()
    for number in range(PULL_UP_OPERATIONS + 8):
        life.put("Q", b"%d" % number, syncpoint=True)
    life.next_extent()
    return life


def test_no_unit_of_work_is_rolled_back_for_an_image_and_there_is_room_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(image_in_parts, "PART_BYTES", 50_000)
    life = deep_with_open_work()
    before = life.media("Q")
    for _ in range(20):
        pass_time(life, 61, ticks=20)
    assert life.media("Q") == before  # there is no room for it
    life.put("Q", bytes(100_000))  # but for this
    life.commit()
    assert not any("AMQ7469" in text for text in life.said)
    for _ in range(20):
        pass_time(life, 61, ticks=20)
    assert life.media("Q") > before
    wanted = life.content("Q")
    (result,) = life.recover("ql", "Q")
    assert not result.problem and life.content("Q") == wanted


def test_what_is_due_while_the_disk_is_full_is_recorded_once_when_there_is_room() -> None:
    life = life_with(imgintvl=1)
    life.next_extent()
    log = life.core.log
    life.files.set_free_space(0)  # so there are no checkpoints, and nothing frees the log
    with pytest.raises(LogFull):
        while True:
            log.append(RecordType.FILLER, 0, 0, (bytes(500),))
    for _ in range(10):
        pass_time(life, 61, ticks=5)
    assert life.extent(log.media) < life.extent(log.tail)
    life.files.heal()
    logged = log.tail
    for _ in range(5):
        pass_time(life, 61)
    log.force()
    images = [record for record in log.scan(logged) if record.type == RecordType.MEDIA_IMAGE]
    assert 50 < len(images) < 2 * len(life.core.media)
    assert life.extent(log.media) >= life.extent(logged)
