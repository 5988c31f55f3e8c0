"""A full disk: the reserve lets a checkpoint give space back, and an end and a start need none."""

from __future__ import annotations

import errno
import os

import pytest
from helper_disk_full import MIB, Application

from libremq.kernel.recovery.disk_room import LOOK_S
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.reserve import RESERVE_FILE, USUAL_BYTES

RESERVE = f"qm/{RESERVE_FILE}"
MANY = [f"M{number:02}" for number in range(30)]
"""Each with a full buffer they need more than the reserve has."""


def reserved(application: Application) -> int:
    return len(application.files.content(RESERVE))


def full(free: int = 3 * MIB, *, reserve: bool = True) -> tuple[Application, int]:
    """One whose queue A has taken what the disk had; how many messages that were."""
    application = Application(reserve=reserve)
    application.define("A", "B", *MANY)
    application.files.set_free_space(free)
    application.fill("A", 50)
    application.qm.checkpoint()
    count = application.fill("A", first=50)
    assert count > free // 21_000 and application.files.free_bytes("qm") < 13 * 21_000
    application.files.set_free_space(0)  # somebody else finds a use for the rest
    return application, count


def overfull() -> tuple[Application, int]:
    """The same, and the buffers of many queues hold more than the reserve."""
    application, count = full()
    for name in MANY:
        assert application.fill(name, 12) == 12
    return application, count


def test_a_drained_queue_gives_its_space_back() -> None:
    application, count = full()
    assert reserved(application) == USUAL_BYTES, "a put does not get it"
    assert application.numbers("A") == list(range(count))
    application.wait()
    assert application.fill("B") > count // 2
    assert application.told(7485) and application.told(7486) and not application.told(7233)
    assert not application.core.disk_full and reserved(application) >= MIB


def test_without_a_reserve_it_would_not() -> None:
    application = Application(reserve=False)
    application.define("A", "B")
    application.fill("A", 100)
    application.qm.checkpoint()  # it describes them all: nothing of theirs can be given back before the next one
    application.files.set_free_space(0)
    application.numbers("A")
    application.wait()
    assert application.fill("B") < 13, "what a buffer holds"
    assert application.told(7233) and not application.files.exists(RESERVE)


def test_fill_and_drain_go_on_for_ever() -> None:
    application, count = full()
    for _ in range(6):
        assert application.numbers("A") == list(range(count))
        application.wait()
        count = application.fill("A")
        assert count > 50


def test_the_error_says_which_file_system_is_full_and_what_to_do() -> None:
    application, _ = full()
    with pytest.raises(MQError, match=r"the file system / has 0 bytes free\. Get messages") as refused:
        application.put("A", 1)
    assert refused.value.reason == C.MQRC_STORAGE_MEDIUM_FULL


def refusing() -> tuple[Application, int]:
    """The reserve is let go, and did not come back: what is left is less than two steps."""
    application, count = overfull()
    application.qm.checkpoint()
    assert application.core.disk_full and reserved(application) == 0
    return application, count


def test_while_the_reserve_is_gone_only_what_needs_no_space_goes_on() -> None:
    application, _ = refusing()
    with pytest.raises(MQError, match="file system / is full: persistent messages are not taken") as refused:
        application.put("B", 1)
    assert refused.value.reason == C.MQRC_STORAGE_MEDIUM_FULL
    application.put("B", 2, persistent=False)
    application.qm.define("QLOCAL", "NEW", {})
    assert application.numbers("A", 1) == [0]
    for number in range(20):
        try:
            application.put("B", number, persistent=False)
        except MQError as error:
            assert error.reason == C.MQRC_STORAGE_MEDIUM_FULL
            break
    else:
        raise AssertionError("what is not persistent must not leave memory either")
    free = application.files.free_bytes("qm")
    assert free >= MIB, "what a checkpoint without success has written is given back"


def test_a_checkpoint_without_success_leaves_room_for_one_that_needs_less() -> None:
    application, count = refusing()
    assert application.told(7233) == 1
    for _ in range(3):
        application.qm.checkpoint()
    assert application.told(7233) == 4 and application.files.free_bytes("qm") >= MIB
    assert application.numbers("A") == list(range(count))
    for name in MANY:
        assert application.numbers(name) == list(range(12))
    application.wait()
    assert application.fill("B") > count // 2 and application.told(7486)


def test_room_that_somebody_else_makes_is_found() -> None:
    application, _ = refusing()
    application.files.set_free_space(100 * MIB)
    application.wait()
    application.put("B", 1)
    assert not application.core.disk_full and reserved(application) >= USUAL_BYTES


def test_it_is_looked_for_now_and_then_only() -> None:
    application, _ = refusing()
    application.fill("B", 1)
    before = application.files.operations
    for _ in range(50):
        assert application.fill("B", 1) == 0
    assert application.files.operations == before
    application.clock.advance(LOOK_S)
    assert application.fill("B", 1) == 0
    assert application.files.operations > before


def test_an_end_takes_its_checkpoint_from_the_reserve() -> None:
    application, count = full()
    application.qm.end()
    assert application.qm.failure is None and not application.qm.end_note and application.told(7485)
    application.start()
    assert application.numbers("A") == list(range(count))


def test_an_end_without_room_is_one_without_a_checkpoint_and_nothing_is_lost() -> None:
    application, count = overfull()
    application.put("B", 7, persistent=False)
    application.qm.end()
    assert application.qm.failure is None
    assert application.qm.end_note.startswith("AMQ7487W") and "file system /" in application.qm.end_note
    application.files.set_free_space(0)
    application.start()
    assert application.told(7233) and application.core.disk_full, "the start had no room for one either"
    assert application.numbers("A") == list(range(count))
    assert application.numbers("B") == [], "only an end with a checkpoint keeps what is not persistent"
    for name in MANY:
        assert application.numbers(name) == list(range(12))
    application.files.set_free_space(20 * MIB)
    application.wait()
    application.put("B", 1)
    application.qm.end()
    assert not application.qm.end_note


def test_a_kill_on_a_full_disk_is_recovered_from_without_space() -> None:
    application, count = overfull()
    application.qm.abandon()
    application.files.set_free_space(0)
    application.start()
    assert application.told(7485) == 1, "the start has used the reserve"
    for name in MANY:
        assert application.numbers(name) == list(range(12))
    assert application.numbers("A") == list(range(count))


def test_opening_the_log_may_use_the_reserve() -> None:
    application, count = full()
    application.qm.abandon()
    application.files.remove("qm/log/amqhltal.lfh")
    application.files.set_free_space(0)
    application.start()
    assert application.told(7485) == 1
    assert application.numbers("A") == list(range(count))


def test_a_reserve_that_cannot_be_made_is_told_and_refuses_nothing() -> None:
    application = Application(reserve=False, free=MIB)
    application.qm.keep_reserve()
    assert application.told(7488) == 1 and not application.core.disk_full
    application.define("A")
    application.put("A", 1)
    application.files.set_free_space(None)
    application.qm.end()
    application.files.fail("open", RESERVE, OSError(errno.EACCES, os.strerror(errno.EACCES)))
    application.start(reserve=True)
    assert application.told(7488) == 2 and not application.core.disk_full


def test_an_embedded_queue_manager_has_none_unless_it_was_served() -> None:
    application = Application(reserve=False)
    application.define("A")
    application.qm.checkpoint()
    application.qm.end()
    assert not application.files.exists(RESERVE)
    application.start(reserve=True)
    application.qm.end()
    application.start()
    assert application.core.reserve.bytes == reserved(application) == USUAL_BYTES


def test_other_trouble_of_the_last_checkpoint_is_a_failure_still() -> None:
    application = Application()
    application.define("A")
    application.put("A", 1)
    application.files.fail("sync", "*/queues/A/*")
    application.qm.end()
    assert application.qm.failure is not None and not application.qm.end_note and application.told(7476)
    application.files.heal()
    application.start()
    assert application.numbers("A") == [1]
