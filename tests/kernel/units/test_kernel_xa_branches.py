"""Two-phase commit: who may do what with a branch, and what each answer promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helper_power_cut import PERSISTENT, Site, site

from libremq.kernel.manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.mqi.xid import XID_BYTES_MAX

_XID = b"a branch"
_PUT = MQPMO(Options=C.MQPMO_SYNCPOINT)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site("embedded", tmp_path) as found:
        yield found


@pytest.fixture
def reader(here: Site) -> Iterator[Site]:
    """Its branch is begun and has put a message, and nobody has forced the log for it."""
    here.reader.xa_start(_XID)
    here.reader.put1(MQOD(ObjectName="Q"), MQMD(Version=2, Persistence=PERSISTENT), _PUT, b"of the branch")
    yield here


def _refused(reason: int, verb: Callable[[], object]) -> None:
    with pytest.raises(MQError) as caught:
        verb()
    assert caught.value.reason == reason


def _in_doubt_after_power_cut(here: Site) -> list[bytes]:
    return here.restarted(lambda manager: manager.xa_recover(manager.connect("bob", "recovery")))


def test_a_prepare_that_was_answered_is_in_doubt_after_a_power_cut(reader: Site) -> None:
    reader.reader.xa_end(_XID)
    assert _in_doubt_after_power_cut(reader) == []
    reader.reader.xa_prepare(_XID)
    assert _in_doubt_after_power_cut(reader) == [_XID]


def test_a_commit_that_was_answered_is_committed_after_a_power_cut(reader: Site) -> None:
    reader.reader.xa_end(_XID)
    reader.reader.xa_prepare(_XID)
    reader.reader.xa_commit(_XID)
    assert reader.after_power_cut() == [b"of the branch"]
    assert _in_doubt_after_power_cut(reader) == []


def test_a_commit_in_one_phase_is_on_disk_when_it_is_answered(reader: Site) -> None:
    reader.reader.xa_end(_XID)
    reader.reader.xa_commit(_XID, one_phase=True)
    assert reader.after_power_cut() == [b"of the branch"]


def test_a_rollback_that_was_answered_is_not_in_doubt_after_a_power_cut(reader: Site) -> None:
    reader.reader.xa_end(_XID)
    reader.reader.xa_prepare(_XID)
    reader.reader.xa_rollback(_XID)
    assert _in_doubt_after_power_cut(reader) == []
    assert reader.after_power_cut() == []


def test_only_a_prepared_branch_is_committed_in_two_phases(reader: Site) -> None:
    reader.reader.xa_end(_XID)
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.reader.xa_commit(_XID))
    reader.reader.xa_prepare(_XID)
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.reader.xa_prepare(_XID))
    reader.reader.xa_commit(_XID)
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.reader.xa_commit(_XID))


def test_a_branch_is_ended_before_it_is_decided(reader: Site) -> None:
    for verb in (reader.reader.xa_prepare, reader.reader.xa_commit, reader.reader.xa_rollback):
        _refused(C.MQRC_UOW_IN_PROGRESS, lambda verb=verb: verb(_XID))  # type: ignore[misc]
    reader.reader.xa_end(_XID)
    reader.reader.xa_rollback(_XID)
    assert reader.inside(lambda manager: manager.depth("Q")) == 0


def test_only_who_has_started_a_branch_ends_it(reader: Site) -> None:
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.reader.xa_end(b"another"))
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.inside(lambda manager: manager.xa_end(reader.writer, _XID)))
    reader.reader.xa_end(_XID)
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.reader.xa_end(_XID))


def test_a_branch_is_joined_when_nobody_is_in_it(reader: Site) -> None:
    def join(manager: QueueManager) -> None:
        manager.xa_start(reader.writer, _XID)

    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.inside(join))
    reader.reader.xa_end(_XID)
    reader.inside(join)
    reader.put_in_unit(b"of another")
    reader.inside(lambda manager: manager.xa_end(reader.writer, _XID))
    assert len(reader.inside(lambda manager: manager.core.units)) == 1
    reader.reader.xa_prepare(_XID)
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: reader.inside(join))
    reader.reader.xa_commit(_XID)
    assert reader.after_power_cut() == [b"of the branch", b"of another"]


def test_a_connection_has_one_unit_of_work(here: Site) -> None:
    here.put_in_unit(b"of its own")
    _refused(C.MQRC_UOW_IN_PROGRESS, lambda: here.inside(lambda manager: manager.xa_start(here.writer, _XID)))
    here.reader.xa_start(_XID)
    _refused(C.MQRC_UOW_IN_PROGRESS, lambda: here.reader.xa_start(b"another"))


@pytest.mark.parametrize("length", [0, XID_BYTES_MAX + 1])
def test_an_xid_that_is_none(here: Site, length: int) -> None:
    _refused(C.MQRC_UOW_NOT_AVAILABLE, lambda: here.reader.xa_start(bytes(length)))


@pytest.mark.parametrize("length", [1, XID_BYTES_MAX])
def test_an_xid_of_the_least_and_the_most_bytes(here: Site, length: int) -> None:
    here.reader.xa_start(b"x" * length)
    here.reader.xa_end(b"x" * length)
    here.reader.xa_prepare(b"x" * length)
    assert here.reader.xa_recover() == [b"x" * length]


def test_what_is_in_doubt_is_not_forgotten(reader: Site) -> None:
    reader.reader.xa_end(_XID)
    reader.reader.xa_prepare(_XID)
    _refused(C.MQRC_UOW_IN_PROGRESS, lambda: reader.reader.xa_forget(_XID))
    reader.reader.xa_commit(_XID)
    reader.reader.xa_forget(_XID)
