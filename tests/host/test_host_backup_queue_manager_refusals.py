"""What cannot become a backup queue manager, or is none, is refused; a copy that was cut short passes for nothing."""

from __future__ import annotations

import random

import pytest
from helper_backup import LOG, STANDBY, Standby, activate, activated, make_live, refusal
from helper_media import FOLDER, NAME, Life

from libremq.common.files import queue_manager_files
from libremq.host import lifecycle
from libremq.log import LogConfig, RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, PowerCut, VirtualClock


def test_a_backup_is_not_started_by_accident() -> None:
    standby = Standby(make_live(), hot=True)
    start = lambda: lifecycle.start(standby.files, STANDBY, NAME, standby.clock)  # noqa: E731
    text = refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, start)
    assert "strmqm -r" in text and "strmqm -a" in text


def test_what_is_no_backup_is_neither_replayed_nor_activated() -> None:
    live = make_live()
    live.qm.end()
    replay = lambda: lifecycle.replay_backup(live.files, FOLDER, NAME, live.clock)  # noqa: E731
    activate = lambda: lifecycle.start(live.files, FOLDER, NAME, live.clock, activate=True)  # noqa: E731
    for call in (replay, activate):
        assert "is no backup" in refusal(C.MQRC_Q_MGR_NOT_AVAILABLE, call)
    nowhere = lambda: lifecycle.replay_backup(live.files, "nowhere", NAME, live.clock)  # noqa: E731
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
    text = refusal(C.MQRC_FUNCTION_NOT_SUPPORTED, lambda: lifecycle.copy_to_backup(live.qm, STANDBY))
    assert "circular" in text
    assert not live.files.exists(STANDBY)


def create_backup(live: Life, source: str = FOLDER, name: str = NAME, **keywords: str) -> None:
    lifecycle.create_backup(live.files, source, keywords.pop("target", STANDBY), name, **keywords)


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
    assert STANDBY in refusal(C.MQRC_STORAGE_MEDIUM_FULL, lambda: lifecycle.copy_to_backup(live.qm, STANDBY))
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
    lifecycle.create_backup(whole, FOLDER, STANDBY, NAME, log_folder=log_folder)
    outcomes = set()
    for crash_at in range(1, whole.operations + 1):
        files = template.copy()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            lifecycle.create_backup(files, FOLDER, STANDBY, NAME, log_folder=log_folder)
        for disk in list(files.disk_states(limit=2)):
            again = disk.copy()
            with pytest.raises(MQError) as caught:
                lifecycle.start(disk, STANDBY, NAME, live.clock).abandon()
            outcomes.add(caught.value.reason)
            if "it is a backup queue manager" in str(caught.value) and not disk.exists(f"{STANDBY}/creating"):
                assert lifecycle.replay_backup(again, STANDBY, NAME, live.clock) >= 0
                continue
            for call in (lifecycle.replay_backup, activate):
                with pytest.raises(MQError):
                    call(disk, STANDBY, NAME, live.clock)
            if disk.exists(f"{STANDBY}/{queue_manager_files.CHECKPOINT}"):
                _cut_again(again, log_folder, live.clock)
            lifecycle.create_backup(again, FOLDER, STANDBY, NAME, log_folder=log_folder)
            qm = activate(again, STANDBY, NAME, live.clock)
            assert qm.depth("A") == 6
    assert outcomes == {C.MQRC_Q_MGR_NAME_ERROR, C.MQRC_Q_MGR_NOT_AVAILABLE}


def _cut_again(template: FaultyFiles, log_folder: str, clock: VirtualClock) -> None:
    """The second try is cut short too, while it removes what the first left: it must not pass for anything."""
    rng = random.Random(1)
    for crash_at in range(1, 24):
        files = template.copy()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            lifecycle.create_backup(files, FOLDER, STANDBY, NAME, log_folder=log_folder)
        for disk in files.disk_states(rng, 60):
            for call in (lifecycle.start, lifecycle.replay_backup, activate):
                with pytest.raises(MQError):
                    call(disk, STANDBY, NAME, clock)


# A log that is not understood


@pytest.mark.parametrize(
    ("kind", "payload", "what"),
    [
        (99, b"?", "has type 99, which this release does not know"),
        (RecordType.OBJECT, b'{"op":"rename"}', "operation 'rename'"),
        (RecordType.CHECKPOINT, b'{"redo":1}', "(CHECKPOINT) says what this release does not understand"),
    ],
)
def test_a_record_that_is_not_understood_ends_replay_and_activation(kind: int, payload: bytes, what: str) -> None:
    live = make_live()
    standby = Standby(live, hot=True)
    live.put("A", b"before")
    lsn = live.core.log.append(kind, 0, 0, (payload,))
    for _ in range(3):  # only what a later page says to be on disk is replayed
        live.put("A", b"behind it")
        live.core.log.force()
    standby.ship(live.files)
    state = standby.files.content(f"{STANDBY}/amqbkup.dat")
    text = refusal(C.MQRC_OBJECT_DAMAGED, standby.replay)
    assert f"the record at LSN {lsn} " in text and what in text and "dmpmqlog" in text
    assert refusal(C.MQRC_OBJECT_DAMAGED, standby.start) == text
    assert standby.files.content(f"{STANDBY}/amqbkup.dat") == state


def test_a_copy_of_a_checkpoint_that_is_not_understood_is_refused() -> None:
    live = make_live()
    lsn = live.core.log.append(RecordType.CHECKPOINT, 0, 0, (b'{"later":1}',), reserve=True)
    live.core.log.force()
    live.core.log.record_checkpoint(lsn, live.core.log.head)
    live.qm.abandon()
    copy = lambda: lifecycle.create_backup(live.files, FOLDER, STANDBY, NAME)  # noqa: E731
    text = refusal(C.MQRC_OBJECT_DAMAGED, copy)
    assert f"the record at LSN {lsn} " in text and "later in a checkpoint" in text
    assert not live.files.exists(STANDBY)
