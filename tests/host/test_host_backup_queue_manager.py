"""Backup queue managers: what was shipped is there after activation, and nothing else; what cannot be is refused."""

from __future__ import annotations

import pytest
from helper_backup import (
    LOG,
    STANDBY,
    Standby,
    activate,
    activated,
    branch,
    everything,
    extents_only,
    killed,
    lives_on,
    make_live,
    refusal,
)
from helper_media import FOLDER, NAME, Life

from libremq.common.files import queue_manager_files
from libremq.host import backup_queue_manager, lifecycle
from libremq.log import CONTROL_FILE, LogConfig, LogError
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import VirtualClock

# From the copy to the queue manager


@pytest.mark.parametrize("hot", [True, False])
def test_a_backup_has_what_the_live_one_had(hot: bool) -> None:
    live = make_live()
    standby = Standby(live, hot=hot)
    activated(live, standby)
    assert not queue_manager_files.is_backup(standby.files, STANDBY)
    lives_on(standby)


@pytest.mark.parametrize("forces", (1, 2, 200, 201))
def test_a_copy_of_a_crashed_queue_manager_is_whole(forces: int) -> None:
    """After many small forces every other version of the last page is beside the log."""
    live = make_live()
    for number in range(forces):
        live.put("A", b"%d" % number)
        live.core.log.force()
    live.qm.abandon()
    lifecycle.create_backup(live.files, FOLDER, STANDBY, NAME)
    qm = activate(live.files, STANDBY, NAME, live.clock)
    assert qm.depth("A") == 6 + forces


@pytest.mark.parametrize("hot", [True, False])
def test_replay_step_by_step_through_all_that_may_happen(hot: bool) -> None:
    live = make_live()
    standby = Standby(live, hot=hot)

    def step() -> None:
        live.core.log.force()
        standby.ship(live.files)
        assert standby.replay() > 0
        assert standby.replay() == 0

    live.put("A", b"one", Priority=7)
    live.get("A")
    step()
    live.put("A", b"committed", syncpoint=True)
    live.get("A", syncpoint=True)
    live.put("B", bytes(9000), syncpoint=True)
    step()
    live.commit()
    live.put("A", b"backed out", syncpoint=True)
    live.get("A", syncpoint=True)
    step()
    live.backout()
    branch(live, b"X1")
    step()
    live.qm.checkpoint()
    live.next_extent()
    live.qm.alter("QLOCAL", "A", {"MAXDEPTH": 77})
    live.define("C", DESCR="new")
    live.put("C", b"on C")
    step()
    live.qm.clear("C")
    live.qm.delete("QLOCAL", "C")
    live.restart()
    step()
    live.put("B", b"unfinished at the crash", syncpoint=True)
    live.restart(orderly=False)
    step()
    live.record()
    live.qm.xa_rollback(live.coordinator, b"X1")
    branch(live, b"X2")
    live.put("A", b"unfinished at the end", syncpoint=True)
    step()
    activated(live, standby)
    assert standby.qm.xa_recover(standby.application) == [b"X2"]
    standby.qm.xa_commit(standby.coordinator, b"X2")
    assert not standby.core.units
    lives_on(standby)


@pytest.mark.parametrize("commits", [True, False])
def test_what_is_in_doubt_stays_so_until_it_is_resolved(commits: bool) -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    branch(live, b"X1")
    live.next_extent()
    standby.ship(live.files)
    standby.replay()
    activated(live, standby)
    standby.restart(orderly=False)
    assert standby.qm.xa_recover(standby.application) == [b"X1"]
    (standby.qm.xa_commit if commits else standby.qm.xa_rollback)(standby.coordinator, b"X1")
    standby.restart()
    assert (standby.qm.depth("A"), standby.qm.depth("B")) == ((7, 0) if commits else (6, 1))


@pytest.mark.parametrize("commits", [True, False])
def test_what_an_administrator_decided_is_known_to_the_backup_too(commits: bool) -> None:
    live = make_live(LogConfig(3, 2, 64, "LINEAR", second_folder="second"))
    standby = Standby(live, hot=True)
    branch(live, b"X1")
    live.qm.advance_log()
    standby.ship(live.files)
    standby.replay()
    live.qm.resolve_unit(b"X1", commit=commits)
    live.qm.advance_log()
    standby.ship(live.files)
    standby.replay()
    activated(live, standby)
    for _ in range(2):
        assert standby.qm.xa_recover(standby.application, decided=True) == [b"X1"]
        assert [one.is_committed for one in standby.qm.heuristic_outcomes()] == [commits]
        assert (standby.qm.depth("A"), standby.qm.depth("B")) == ((7, 0) if commits else (6, 1))
        standby.restart(orderly=False)


def test_units_of_work_that_go_on_for_many_extents_and_get_soft_images() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    branch(live, b"X1")
    live.put("A", b"long", syncpoint=True)
    live.get("A", syncpoint=True)
    for _ in range(9):
        live.next_extent()
        live.qm.checkpoint()
        standby.ship(live.files)
        assert standby.replay()
    assert live.extent(live.core.log.head) > 3, "nothing was pulled up"
    live.put("A", b"still")
    activated(live, standby)


def test_extents_that_the_live_one_deletes_meanwhile_are_needed_no_more() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    for _ in range(5):
        live.next_extent()
        live.record()
        standby.ship(live.files)
        live.core.log.delete_extents()
        standby.replay()
    assert not live.files.exists(f"{LOG}/S0000000.LOG")
    needed = next(text for text in reversed(standby.said) if text.startswith("AMQ7467I")).split()[-1].rstrip(".")
    for name in standby.files.list(standby.log):
        if name.endswith(".LOG") and name < needed:
            standby.files.remove(f"{standby.log}/{name}")
    assert standby.replay() == 0
    activated(live, standby)


def test_more_extents_than_an_active_log_may_have_are_replayed_at_activation() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    for _ in range(8):
        live.next_extent()
        live.put("A", b"more")
    live.put("A", b"unfinished", syncpoint=True)
    activated(live, standby)
    lives_on(standby)


def test_a_queue_that_is_deleted_and_made_again_gets_a_folder_that_is_free() -> None:
    live = make_live()
    live.define("C")
    live.put("C", b"old")
    standby = Standby(live, hot=True)
    for number in range(3):
        live.qm.delete("QLOCAL", "C", purge=True)
        live.qm.checkpoint()
        live.define("C")
        live.put("C", b"new %d" % number)
        live.qm.checkpoint()
    live.core.log.force()
    standby.ship(live.files)
    standby.replay()
    live.put("C", b"more")
    live.core.log.force()
    standby.ship(live.files)
    standby.replay()
    activated(live, standby)
    assert standby.qm.depth("C") == 2
    lives_on(standby)


def test_a_log_in_another_folder_and_dual_logging_of_the_live_one() -> None:
    live = make_live(LogConfig(2, 2, 64, "LINEAR", second_folder="second"))
    standby = Standby(live, hot=True, log_folder="elsewhere/log")
    assert not standby.files.exists(f"{STANDBY}/log")
    live.put("A", b"more")
    activated(live, standby)
    assert standby.core.log.statistics().copies == 1
    lives_on(standby)


# What comes with a shipment


def test_an_extent_that_is_still_written_to_counts_as_far_as_it_is_certain() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    for number in range(200):
        live.put("A", b"message %d" % number)
        if number % 7 == 0:
            live.core.log.force()
            standby.ship(live.files, extents_only)
            standby.replay()
    activated(live, standby)


def test_extents_alone_lack_at_most_what_is_in_the_page_beside_the_log() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    for number in range(200):
        live.put("A", b"message %d" % number)
        live.core.log.force()
    standby.ship(live.files, extents_only)
    standby.start()
    assert 180 < standby.qm.depth("A") <= 206
    assert [row[0] for row in standby.content("A")[:-1]] == [
        row[0] for row in live.content("A")[: standby.qm.depth("A")]
    ]
    lives_on(standby)


def test_what_the_live_one_lost_in_a_power_cut_was_not_replayed() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    # Written, but not synced: a reader sees it, a power cut takes it
    live.files.fail("sync", "*.LOG")
    live.files.fail("sync", "*.lfh")
    live.put("A", b"not on disk")
    with pytest.raises(LogError):
        live.core.log.force()
    standby.ship(live.files)
    standby.replay()
    live.qm.abandon()
    live.files = next(live.files.disk_states())
    live.start()
    live.put("A", b"on disk")
    live.core.log.force()
    standby.ship(live.files)
    standby.replay()
    activated(live, standby)


def test_a_copy_older_than_the_one_that_was_replayed_is_refused_and_a_newer_one_taken() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    live.put("A", b"one")
    live.core.log.force()
    old = live.files.copy()
    for number in range(60):
        live.put("A", b"more %d" % number)
        live.core.log.force()
    standby.ship(live.files)
    assert standby.replay()
    standby.ship(old)
    extent = live.core.log.current_extent
    for call in (standby.replay, standby.start):
        text = refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, call)
        assert extent in text and "ship it again" in text, text
    activated(live, standby)


def test_an_extent_that_is_missing_in_the_middle_is_named() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    for _ in range(4):
        live.next_extent()
    standby.ship(live.files, lambda name: not name.startswith("S0000002"))
    for call in (standby.replay, standby.start):
        assert "S0000002.LOG" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, call)
    activated(live, standby)


@pytest.mark.parametrize("extent", [0, 1, 2])
def test_a_damaged_extent_is_named(extent: int) -> None:
    live = make_live()
    for _ in range(4):
        live.next_extent()
        if live.extent(live.core.log.tail) == 1:
            standby = Standby(live, hot=True)
    standby.ship(live.files)
    name = f"S{extent:07d}.LOG"
    standby.files.overwrite(f"{standby.log}/{name}", 40 * 4096 + 1000, b"garbage")
    if extent == 0:
        standby.replay()  # it is not needed any more
    else:
        for call in (standby.replay, standby.start):
            assert name in refusal(C.MQRC_OBJECT_DAMAGED, call)
    activated(live, standby)


def test_an_extent_of_another_log_is_refused() -> None:
    live, other = make_live(), make_live()
    standby = Standby(live, hot=True)
    for one in (live, other):
        one.next_extent()
        one.next_extent()
    standby.ship(live.files)
    standby.place("S0000001.LOG", other.files.content(f"{LOG}/S0000001.LOG"))
    for call in (standby.replay, standby.start):
        text = refusal(C.MQRC_OBJECT_DAMAGED, call)
        assert "S0000001.LOG" in text and "another log" in text
    activated(live, standby)


def test_a_control_file_that_was_shipped_too_does_no_harm() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    for _ in range(3):
        live.next_extent()
        live.record()
        standby.ship(live.files)
        standby.place(CONTROL_FILE, live.files.content(f"{LOG}/{CONTROL_FILE}"))
    standby.files.remove(f"{STANDBY}/QMQMOBJCAT.{backup_generation(standby):06d}")
    standby.replay()
    activated(live, standby)
    lives_on(standby)


def test_a_control_file_that_came_without_its_extents() -> None:
    """It says that media recovery needs less than it does here."""
    live = make_live()
    standby = Standby(live, hot=True)
    live.next_extent()
    standby.ship(live.files)
    for _ in range(3):
        live.next_extent()
        live.record()
    standby.place(CONTROL_FILE, live.files.content(f"{LOG}/{CONTROL_FILE}"))
    standby.replay()
    standby.start()
    assert standby.core.log.media <= min(standby.core.media.values()) < live.core.log.media
    lives_on(standby)


def backup_generation(standby: Standby) -> int:
    return backup_queue_manager.load_state(standby.files, STANDBY).checkpoint.catalogue_generation


# Damage on the backup's own disk


def test_a_damaged_catalogue_is_made_anew_from_the_log() -> None:
    live = make_live()
    live.next_extent()
    standby = Standby(live, hot=True)
    live.define("C")
    live.put("C", b"one")
    live.core.log.force()
    standby.files.remove(f"{STANDBY}/QMQMOBJCAT.{backup_generation(standby):06d}")
    standby.ship(live.files)
    standby.replay()
    assert any("made anew from the log" in text for text in standby.said)
    activated(live, standby)
    lives_on(standby)


def test_a_damaged_queue_is_recovered_when_the_backup_is_activated() -> None:
    live = make_live()
    live.next_extent()
    standby = Standby(live, hot=True)
    for name in standby.files.list(f"{STANDBY}/queues/A"):
        standby.files.remove(f"{STANDBY}/queues/A/{name}")
    for text in (b"more", b"the page of this one says that the one before is on disk"):
        live.put("A", text)
        live.core.log.force()
    standby.ship(live.files)
    assert standby.replay()
    assert any(text.startswith("AMQ7472E") for text in standby.said)
    live.put("A", b"and more")
    activated(live, standby, damaged=True)


def test_a_damaged_state_is_refused() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    path = f"{STANDBY}/{queue_manager_files.BACKUP}"
    for at, new in ((0, b"?"), (4, b"\x09"), (40, b"?"), (len(standby.files.content(path)), b"?")):
        good = standby.files.content(path)
        standby.files.overwrite(path, at, new)
        for call in (standby.replay, standby.start):
            assert queue_manager_files.BACKUP in refusal(C.MQRC_OBJECT_DAMAGED, call)
        file = standby.files.open(path)
        file.truncate(0)
        file.write(0, good)
    activated(live, standby)


# Non-persistent messages and identifiers


@pytest.mark.parametrize("replays", [True, False])
def test_nonpersistent_messages_of_an_orderly_end_do_not_come_back(replays: bool) -> None:
    live = make_live()
    for number in range(5):
        live.put("A", b"not persistent %d" % number, persistent=False)
    standby = Standby(live, hot=False)
    assert live.qm.depth("A") == 11
    if replays:
        assert standby.replay() == 1  # the checkpoint of the end
        assert standby.replay() == 0
    for _ in range(11):
        live.get("A")
    for number in range(9):
        # In the slots that the others had
        live.put("A", b"persistent %d" % number)
    live.restart()
    live.put("A", b"one more", persistent=False)
    live.qm.end()
    standby.ship(live.files)
    if replays:
        standby.replay()
    standby.start()
    assert [row[0] for row in standby.content("A")[:-1]] == [b"persistent %d" % number for number in range(9)]
    assert standby.qm.depth("A") == 9
    assert not any(text.startswith("AMQ7472E") for text in standby.said), standby.said
    standby.restart(orderly=False)
    assert standby.qm.depth("A") == 9


def test_a_backup_activated_at_once_has_no_nonpersistent_messages() -> None:
    live = make_live()
    live.put("A", b"not persistent", persistent=False)
    standby = Standby(live, hot=False)
    standby.start()
    assert standby.qm.depth("A") == 6
    standby.restart(orderly=False)
    assert standby.qm.depth("A") == 6


def test_ids_of_the_live_one_are_not_given_out_again() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    given = set()

    def take(life: Life) -> None:
        ids = {life.core.identifiers.next_id() for _ in range(50)}
        assert not ids & given
        given.update(ids)

    take(live)
    for _ in range(5):  # within one second
        live.restart()
        take(live)
    for _ in range(2):
        live.put("A", b"the second one says that the first is on disk")
        live.core.log.force()
    standby.ship(live.files)
    assert standby.replay()
    assert backup_queue_manager.load_state(standby.files, STANDBY).checkpoint.next_message == live.core.identifiers.run
    standby.clock = VirtualClock(live.clock.now() - 3600)  # the other machine's clock is slow
    assert standby.replay() == 0
    for _ in range(3):
        live.restart(orderly=False)  # and the backup will not know of it
        take(live)
    standby.start()
    take(standby)
    standby.restart(orderly=False)
    take(standby)


# An activation that is cut short


def test_no_replay_after_an_activation_that_has_begun() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    live.put("A", b"unfinished", syncpoint=True)
    live.core.log.force()
    standby.ship(live.files)
    standby.replay()
    standby.files.fail("write", "*/S*.LOG")
    with pytest.raises(MQError):
        standby.start()
    assert "finish it, strmqm -a" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, standby.replay)
    start = lambda: lifecycle.start(standby.files, STANDBY, NAME, standby.clock)  # noqa: E731
    assert "strmqm -a" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, start)
    standby.start()
    assert everything(standby) == everything(killed(live))
