"""Backup queue managers: what was shipped is there after activation, and nothing else; what cannot be is refused."""

from __future__ import annotations

from typing import Any

import pytest
from helper_backup import LINEAR, LOG, STANDBY, Standby, everything, extents_only, killed
from helper_media import FOLDER, NAME, Life

from libremq.kernel import backup
from libremq.kernel.manager import QueueManager
from libremq.log import CONTROL_FILE, LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, PowerCut, VirtualClock


def make_live(config: LogConfig = LINEAR) -> Life:
    live = Life(config=config)
    for obj in list(live.core.catalogue):
        if obj.name.startswith("SYSTEM.") and obj.kind != "QMGR":
            live.qm.delete(obj.kind, obj.name)
    live.define("A", NPMCLASS="HIGH")
    live.define("B")
    for number in range(6):
        live.put("A", b"first %d" % number)
    live.put("B", bytes(3000))
    return live


def refusal(reason: int, call: Any) -> str:
    with pytest.raises(MQError) as caught:
        call()
    assert caught.value.reason == reason, caught.value
    return str(caught.value)


def branch(life: Life, xid: bytes, *, prepare: bool = True) -> None:
    """Puts a message on A and gets one from B."""
    life.qm.xa_start(life.coordinator, xid)
    life.put("A", b"branch " + xid, syncpoint=True, hconn=life.coordinator)
    life.get("B", syncpoint=True, hconn=life.coordinator)
    life.qm.xa_end(life.coordinator, xid)
    if prepare:
        life.qm.xa_prepare(life.coordinator, xid)
    life.core.log.force()


def activated(live: Life, standby: Standby) -> None:
    """Ship all that there is, activate, and compare with the live one killed at this moment."""
    live.core.log.force()
    standby.ship(live.files)
    standby.start()
    assert everything(standby) == everything(killed(live))


def lives_on(life: Life) -> None:
    """It is a queue manager like any other: verbs, an orderly end, a crash, a media image, media recovery."""
    life.put("A", b"new")
    life.put("A", b"unfinished", syncpoint=True)
    life.backout()
    life.restart()
    life.put("B", b"before the crash")
    before = everything(life)
    life.restart(orderly=False)
    assert everything(life) == before
    assert all(not result.problem for result in life.record())
    life.put("A", b"after the image")
    before = everything(life)
    life.qm.checkpoint()
    for result in life.recover("ql", "A"):
        assert not result.problem, result
    assert everything(life) == before


# From the copy to the queue manager


@pytest.mark.parametrize("hot", [True, False])
def test_a_backup_has_what_the_live_one_had(hot: bool) -> None:
    live = make_live()
    standby = Standby(live, hot=hot)
    activated(live, standby)
    assert not backup.is_backup(standby.files, STANDBY)
    lives_on(standby)


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
    live = make_live(LogConfig(2, 2, 64, "LINEAR", log_management="Automatic"))
    standby = Standby(live, hot=True)
    for _ in range(5):
        live.next_extent()
        standby.ship(live.files)
        live.qm.checkpoint()
        standby.replay()
        live.record()
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
    for number in range(20):
        live.put("A", b"message %d" % number)
        live.core.log.force()
    standby.ship(live.files, extents_only)
    standby.start()
    assert 6 <= standby.qm.depth("A") <= 26
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
    with pytest.raises(Exception, match="sync"):
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
    for call in (standby.replay, standby.start):
        text = refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, call)
        assert "S0000000.LOG" in text and "ship it again" in text, text
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


def backup_generation(standby: Standby) -> int:
    return backup.load_state(standby.files, STANDBY).checkpoint.catalogue_generation


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
    live.put("A", b"more")
    live.core.log.force()
    standby.ship(live.files)
    assert standby.replay()
    assert any(text.startswith("AMQ7472E") for text in standby.said)
    live.put("A", b"and more")
    activated(live, standby)


def test_a_damaged_state_is_refused() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    path = f"{STANDBY}/{backup.STATE_FILE}"
    for at, new in ((0, b"?"), (4, b"\x09"), (40, b"?"), (len(standby.files.content(path)), b"?")):
        good = standby.files.content(path)
        standby.files.overwrite(path, at, new)
        for call in (standby.replay, standby.start):
            assert backup.STATE_FILE in refusal(C.MQRC_OBJECT_DAMAGED, call)
        file = standby.files.open(path)
        file.truncate(0)
        file.write(0, good)
    activated(live, standby)


# Refusals


def test_a_backup_is_not_started_by_accident() -> None:
    standby = Standby(make_live(), hot=True)
    start = lambda: QueueManager.start(standby.files, STANDBY, NAME, standby.clock)  # noqa: E731
    text = refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, start)
    assert "strmqm -r" in text and "strmqm -a" in text


def test_what_is_no_backup_is_neither_replayed_nor_activated() -> None:
    live = make_live()
    live.qm.end()
    replay = lambda: QueueManager.replay_backup(live.files, FOLDER, NAME, live.clock)  # noqa: E731
    activate = lambda: QueueManager.start(live.files, FOLDER, NAME, live.clock, activate=True)  # noqa: E731
    for call in (replay, activate):
        assert "is no backup" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, call)
    nowhere = lambda: QueueManager.replay_backup(live.files, "nowhere", NAME, live.clock)  # noqa: E731
    assert "no queue manager in nowhere" in refusal(C.MQRC_Q_MGR_NAME_ERROR, nowhere)
    live.start()


def test_an_activated_backup_cannot_be_one_again() -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    activated(live, standby)
    standby.qm.end()
    assert "is no backup" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, standby.replay)


def test_a_circular_log_has_no_extents_to_ship() -> None:
    live = make_live(LogConfig(file_pages=64))
    text = refusal(C.MQRC_FUNCTION_NOT_SUPPORTED, lambda: live.qm.copy_to_backup(STANDBY))
    assert "circular" in text
    assert not live.files.exists(STANDBY)


def create_backup(live: Life, source: str = FOLDER, name: str = NAME, **keywords: str) -> None:
    QueueManager.create_backup(live.files, source, keywords.pop("target", STANDBY), name, **keywords)


def test_a_cold_copy_needs_an_ended_queue_manager() -> None:
    live = make_live()
    assert "close it there first" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, lambda: create_backup(live))
    assert not live.files.exists(STANDBY)


def test_places_where_a_backup_cannot_be_made() -> None:
    live = make_live()
    live.qm.end()
    exists = C.MQRC_OBJECT_ALREADY_EXISTS
    create_backup(live)
    assert "already" in refusal(exists, lambda: create_backup(live))
    assert "already" in refusal(exists, lambda: create_backup(live, target=FOLDER))
    assert "backup itself" in refusal(
        C.MQRC_Q_MGR_NOT_AVAILABLE, lambda: create_backup(live, STANDBY, target="third")
    )  # fmt: skip
    assert "not empty" in refusal(exists, lambda: create_backup(live, target="third", log_folder=LOG))
    assert f"holds queue manager {NAME}" in refusal(
        C.MQRC_Q_MGR_NAME_ERROR, lambda: create_backup(live, name="QM2", target="third")
    )
    live.files.make_folder("other")
    live.files.open("other/file", create=True)
    assert "holds files" in refusal(exists, lambda: create_backup(live, target="other"))
    assert not live.files.exists("third")
    live.start()


def test_no_space_for_the_copy() -> None:
    live = make_live()
    live.files.set_free_space(100_000)
    assert STANDBY in refusal(C.MQRC_STORAGE_MEDIUM_FULL, lambda: live.qm.copy_to_backup(STANDBY))
    live.files.heal()
    live.put("A", b"the live one goes on")
    activated(live, Standby(live, hot=True))


# A copy that is cut short


@pytest.mark.parametrize("log_folder", ["", "elsewhere"])
def test_a_copy_that_is_cut_short_is_no_queue_manager_and_can_be_made_again(log_folder: str) -> None:
    live = make_live()
    live.qm.end()
    template = next(live.files.disk_states())
    whole = template.copy()
    QueueManager.create_backup(whole, FOLDER, STANDBY, NAME, log_folder=log_folder)
    outcomes = set()
    for crash_at in range(1, whole.operations + 1):
        files = template.copy()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            QueueManager.create_backup(files, FOLDER, STANDBY, NAME, log_folder=log_folder)
        for disk in list(files.disk_states(limit=2)):
            again = disk.copy()
            with pytest.raises(MQError) as caught:
                QueueManager.start(disk, STANDBY, NAME, live.clock).abandon()
            outcomes.add(caught.value.reason)
            if "it is a backup queue manager" in str(caught.value) and not disk.exists(f"{STANDBY}/creating"):
                assert QueueManager.replay_backup(again, STANDBY, NAME, live.clock) >= 0
                continue
            for call in (QueueManager.replay_backup, _activate):
                with pytest.raises(MQError):
                    call(disk, STANDBY, NAME, live.clock)
            _cut_again(again, log_folder, live.clock, crash_at)
            QueueManager.create_backup(again, FOLDER, STANDBY, NAME, log_folder=log_folder)
            qm = _activate(again, STANDBY, NAME, live.clock)
            assert qm.depth("A") == 6
    assert outcomes == {C.MQRC_Q_MGR_NAME_ERROR, C.MQRC_Q_MGR_NOT_AVAILABLE}


def _activate(files: FaultyFiles, folder: str, name: str, clock: VirtualClock) -> QueueManager:
    return QueueManager.start(files, folder, name, clock, activate=True)


def _cut_again(files: FaultyFiles, log_folder: str, clock: VirtualClock, seed: int) -> None:
    """The second try is cut short too, while it removes what the first left: it must not pass for anything."""
    files = files.copy()
    files.crash_at = 1 + seed % 23
    try:
        QueueManager.create_backup(files, FOLDER, STANDBY, NAME, log_folder=log_folder)
    except PowerCut:
        for disk in files.disk_states(limit=12):
            for call in (QueueManager.start, QueueManager.replay_backup, _activate):
                with pytest.raises(MQError):
                    call(disk, STANDBY, NAME, clock)


# Non-persistent messages and identifiers


@pytest.mark.parametrize("replays", [True, False])
def test_nonpersistent_messages_of_an_orderly_end_do_not_come_back(replays: bool) -> None:
    live = make_live()
    for number in range(5):
        live.put("A", b"not persistent %d" % number, persistent=False)
    standby = Standby(live, hot=False)
    assert live.qm.depth("A") == 11
    if replays:
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
    standby.ship(live.files)
    assert standby.replay()
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
    start = lambda: QueueManager.start(standby.files, STANDBY, NAME, standby.clock)  # noqa: E731
    assert "strmqm -a" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, start)
    standby.start()
    assert everything(standby) == everything(killed(live))
