"""States of channels that are kept: over restarts, in checkpoints, images, backups and dumps of the log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from helper_backup import Standby, everything, killed, make_live
from helper_media import FOLDER, LINEAR, Life

from libremq.kernel.objects.catalogue import RecordError, from_record, to_record
from libremq.kernel.objects.object_types import ChannelState
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.recovery.log_dump import LogFormatter
from libremq.kernel.units import channel_state_changes
from libremq.log import LogConfig, Record, RecordType
from libremq.log.log_dump_reader import dump
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

CIRCULAR = LogConfig(primary_files=3, secondary_files=2, file_pages=64)
STOPPED, RETRYING = C.MQCHS_STOPPED, C.MQCHS_RETRYING


@pytest.fixture(params=[CIRCULAR, LINEAR], ids=["circular", "linear"])
def life(request: pytest.FixtureRequest) -> Life:
    return Life(config=request.param)


def kept(life: Life) -> dict[str, tuple[int, int, int]]:
    found = life.core.catalogue.channel_states
    return {name: (one.status, one.short_retries, one.long_retries) for name, one in found.items()}


def keep(life: Life, name: str, status: int, *left: int) -> int:
    return channel_state_changes.keep(life.qm, ChannelState.make(name, status, *left))


@pytest.mark.parametrize("orderly", [True, False])
def test_states_survive_restarts_until_they_are_forgotten(life: Life, orderly: bool) -> None:
    assert keep(life, "A", STOPPED)
    assert keep(life, "B", RETRYING, 3, 4)
    assert keep(life, "B", RETRYING, 2, 4)
    assert keep(life, "B", RETRYING, 2, 4) == 0, "nothing new is not logged"
    for _ in range(2):
        life.restart(orderly=orderly)
        assert kept(life) == {"A": (STOPPED, 0, 0), "B": (RETRYING, 2, 4)}
    assert channel_state_changes.forget(life.qm, "B")
    assert channel_state_changes.forget(life.qm, "B") == 0
    life.restart(orderly=orderly)
    assert kept(life) == {"A": (STOPPED, 0, 0)}
    assert channel_state_changes.state_of(life.core, "B") is None


@pytest.mark.parametrize(
    "wrong",
    [
        ("", STOPPED),
        ("N" * 21, STOPPED),
        ("A B", STOPPED),
        ("A", C.MQCHS_RUNNING),
        ("A", RETRYING, -1, 0),
        ("A", RETRYING, 0, 1_000_000_000),
    ],
)
def test_what_cannot_be_is_not_kept(life: Life, wrong: tuple[Any, ...]) -> None:
    tail = life.core.log.tail
    with pytest.raises(MQError):
        keep(life, *wrong)
    assert not kept(life) and life.core.log.tail == tail


def test_no_command_makes_states_but_deleting_the_channel_ends_them(life: Life) -> None:
    with pytest.raises(MQError):
        life.qm.define("CHSTATE", "A", {})
    life.qm.define("RCVR", "A", {})
    keep(life, "A", STOPPED)
    keep(life, "B", STOPPED)
    with pytest.raises(MQError):
        life.qm.alter("CHSTATE", "A", {"STATUS": "RETRYING"})
    life.qm.define("CLNTCONN", "B", {"CONNAME": "host"})
    life.qm.delete("CLNTCONN", "B")
    life.qm.delete("RCVR", "A")
    life.restart(orderly=False)
    assert kept(life) == {"B": (STOPPED, 0, 0)}


def test_states_are_in_checkpoints(life: Life) -> None:
    keep(life, "A", RETRYING, 1, 999_999_999)
    for _ in range(2):
        life.qm.checkpoint()
        for _ in range(8):
            life.next_extent()
        life.restart(orderly=False)
        assert kept(life) == {"A": (RETRYING, 1, 999_999_999)}


def test_a_dump_of_the_log_names_them(life: Life) -> None:
    keep(life, "A.TO.B", RETRYING, 7, 8)
    life.core.log.force()
    lines = [line for line in dump(life.files, f"{FOLDER}/log") if isinstance(line, Record)]
    text = LogFormatter().render([line for line in lines if line.type == RecordType.OBJECT][-1])
    assert "set CHSTATE A.TO.B" in text and "STATUS 5, SHORTRTS 7, LONGRTS 8" in text


def test_a_record_must_fit_its_name() -> None:
    record = to_record(ChannelState.make("A", STOPPED))
    assert vars(from_record(record)) == vars(ChannelState.make("A", STOPPED))
    with pytest.raises(RecordError):
        from_record({**record, "name": "B"})


@pytest.mark.parametrize("management", ["Automatic", "Manual"])
def test_a_lost_catalogue_is_made_anew_with_its_states(management: str) -> None:
    life = Life(config=replace(LINEAR, log_management=management))
    keep(life, "A", STOPPED)
    keep(life, "GONE", STOPPED)
    for left in range(3, 0, -1):
        keep(life, "B", RETRYING, left, 9)
        life.next_extent()
        life.qm.checkpoint()
    channel_state_changes.forget(life.qm, "GONE")
    life.core.log.force()
    life.qm.abandon()
    life.files.remove(catalogue_file.path_of(FOLDER, life.core.catalogue_generation))
    life.start()
    assert any("made anew" in text for text in life.said)
    assert kept(life) == {"A": (STOPPED, 0, 0), "B": (RETRYING, 1, 9)}


def test_an_idle_state_does_not_keep_the_log_and_images_restore_it() -> None:
    life = Life(config=LINEAR)
    keep(life, "A", RETRYING, 2, 3)
    key = "CHSTATE", "A"
    began = life.core.media[key]
    for _ in range(4):
        life.next_extent()
        life.qm.checkpoint()
    assert life.core.media[key] > began
    (result,) = life.record("syncfile")
    assert (result.kind, result.name, result.problem) == (*key, "")
    life.core.catalogue.channel_states["A"].short_retries = 99
    (result,) = life.recover("syncfile", "*")
    assert not result.problem
    life.restart(orderly=False)
    assert kept(life) == {"A": (RETRYING, 2, 3)}


@pytest.mark.parametrize("hot", [True, False])
def test_a_backup_has_them(hot: bool) -> None:
    live = make_live()
    keep(live, "A", STOPPED)
    keep(live, "B", RETRYING, 5, 5)
    standby = Standby(live, hot=hot)
    keep(live, "B", RETRYING, 4, 5)
    channel_state_changes.forget(live.qm, "A")
    keep(live, "C", STOPPED)
    live.core.log.force()
    standby.ship(live.files)
    standby.start()
    assert everything(standby) == everything(killed(live))
    assert kept(standby) == {"B": (RETRYING, 4, 5), "C": (STOPPED, 0, 0)}
