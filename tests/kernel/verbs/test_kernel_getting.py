"""MQGET: what it has answered survives a power cut, however new the message is that it saw.

A put whose answer is still on its way may be lost. As soon as somebody was shown its message it may not: the reader's
answer waits for the log records of everything that it depends on, its own and those of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helper_power_cut import Site, site

from libremq.kernel.manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD

_INPUT = C.MQOO_INPUT_SHARED
_XID = b"a branch"


@pytest.fixture(params=["embedded", "mq"])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with site(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site("embedded", tmp_path) as found:
        yield found


# How a message may have come


def _outside_syncpoint(there: Site) -> None:
    there.put(b"new")


def _committed(there: Site) -> None:
    there.put_in_unit(b"new")
    there.commit()


def _committed_with_others(there: Site) -> None:
    """The last operation of the unit is one on another queue."""
    there.command(lambda manager: manager.define("QLOCAL", "OTHER", {}))
    there.put_in_unit(b"new")
    there.put(b"elsewhere", queue="OTHER", options=C.MQPMO_SYNCPOINT)
    there.commit()


def _one_phase_branch(there: Site) -> None:
    there.inside(lambda manager: manager.xa_start(there.writer, _XID))
    there.put_in_unit(b"new")
    there.inside(lambda manager: manager.xa_end(there.writer, _XID))
    there.inside(lambda manager: manager.xa_commit(there.writer, _XID, one_phase=True))


def _two_phase_branch(there: Site) -> None:
    there.inside(lambda manager: manager.xa_start(there.writer, _XID))
    there.put_in_unit(b"new")
    there.inside(lambda manager: manager.xa_end(there.writer, _XID))
    there.inside(lambda manager: manager.xa_prepare(there.writer, _XID))
    there.inside(lambda manager: manager.xa_commit(there.writer, _XID))


def _in_segments(there: Site) -> None:
    there.command(lambda manager: manager.alter("QLOCAL", "Q", {"MAXMSGL": 16}))
    there.put(b"new" * 10, MsgFlags=C.MQMF_SEGMENTATION_ALLOWED)


COMINGS = [_outside_syncpoint, _committed, _committed_with_others, _one_phase_branch, _two_phase_branch]


# How it may be seen, and stay


def _browse(there: Site) -> bytes:
    return there.get(there.open(), C.MQGMO_BROWSE_FIRST)


def _browse_with_lock(there: Site) -> bytes:
    return there.get(there.open(), C.MQGMO_BROWSE_NEXT | C.MQGMO_LOCK)


def _browse_again(there: Site) -> bytes:
    hobj = there.open()
    there.get(hobj, C.MQGMO_BROWSE_FIRST)
    return there.get(hobj, C.MQGMO_BROWSE_MSG_UNDER_CURSOR)


def _get_in_unit(there: Site) -> bytes:
    return there.get(there.open(), C.MQGMO_SYNCPOINT)


def _get_in_unit_by_id(there: Site) -> bytes:
    browsed = MQMD(Version=2)
    hobj = there.open()
    there.reader.get(hobj, browsed, MQGMO(Options=C.MQGMO_BROWSE_FIRST))
    return there.get(hobj, C.MQGMO_SYNCPOINT, MsgId=browsed.MsgId)


def _get_many_in_unit(there: Site) -> bytes:
    found = there.reader.get_many(there.open(_INPUT), MQMD(Version=2), MQGMO(Options=C.MQGMO_SYNCPOINT), 10)
    return found[0].got.data


def _get_and_back_out(there: Site) -> bytes:
    data = _get_in_unit(there)
    there.reader.backout()
    return data


SIGHTS = [
    _browse, _browse_with_lock, _browse_again, _get_in_unit, _get_in_unit_by_id, _get_many_in_unit, _get_and_back_out,
]  # fmt: skip


def _named(function: Callable[..., object]) -> str:
    return function.__name__.strip("_")


@pytest.mark.parametrize("coming", COMINGS, ids=_named)
@pytest.mark.parametrize("sight", SIGHTS, ids=_named)
def test_what_a_reader_has_seen_survives(
    here: Site, coming: Callable[[Site], None], sight: Callable[[Site], bytes]
) -> None:
    coming(here)
    assert sight(here) == b"new"
    assert here.after_power_cut() == [b"new"]


@pytest.mark.parametrize(("coming", "sight"), [(_outside_syncpoint, _browse), (_committed, _get_many_in_unit)])
def test_what_a_client_has_seen_survives(
    tmp_path: Path, coming: Callable[[Site], None], sight: Callable[[Site], bytes]
) -> None:
    with site("mq", tmp_path) as served:
        coming(served)
        assert sight(served) == b"new"
        assert served.after_power_cut() == [b"new"]


def test_a_put_that_nobody_has_seen_may_be_lost(here: Site) -> None:
    """Else the tests above would show nothing: something forced the log for the writer."""
    here.put(b"new")
    assert here.after_power_cut() == []


@pytest.mark.parametrize("coming", COMINGS, ids=_named)
def test_what_was_got_outside_syncpoint_never_comes_back(here: Site, coming: Callable[[Site], None]) -> None:
    coming(here)
    assert here.get(here.open(), C.MQGMO_NO_SYNCPOINT) == b"new"
    assert here.after_power_cut() == []


@pytest.mark.parametrize("coming", [*COMINGS, _in_segments], ids=_named)
def test_what_was_promised_and_got_never_comes_back(there: Site, coming: Callable[[Site], None]) -> None:
    """There is nothing to wait for but the record of the get itself."""
    coming(there)
    there.answer()
    assert there.get(there.open(), C.MQGMO_COMPLETE_MSG)[:3] == b"new"
    assert there.after_power_cut() == []


def test_a_get_that_asks_for_a_report_never_comes_back(here: Site) -> None:
    here.command(lambda manager: manager.define("QLOCAL", "REPORTS", {}))
    here.put(b"new", Report=C.MQRO_COD, ReplyToQ="REPORTS")
    here.answer()
    assert here.get(here.open(), C.MQGMO_NO_SYNCPOINT) == b"new"
    assert (here.after_power_cut(), here.after_power_cut("REPORTS")) == ([], [b""])


def test_what_was_got_and_committed_never_comes_back(there: Site) -> None:
    there.put(b"new")
    assert there.get(there.open(), C.MQGMO_SYNCPOINT) == b"new"
    there.reader.commit()
    assert there.after_power_cut() == []


@pytest.mark.parametrize("coming", [_outside_syncpoint, _committed], ids=_named)
@pytest.mark.parametrize("options", [C.MQGMO_SYNCPOINT, C.MQGMO_BROWSE_NEXT], ids=["get", "browse"])
def test_what_ends_a_wait_survives(there: Site, coming: Callable[[Site], None], options: int) -> None:
    answer = there.waiting_get(there.open(), options)
    coming(there)
    there.settle()
    assert answer() == b"new"
    assert there.after_power_cut() == [b"new"]


def test_the_segments_of_a_message_survive_together(here: Site) -> None:
    _in_segments(here)
    assert here.get(here.open(), C.MQGMO_SYNCPOINT | C.MQGMO_COMPLETE_MSG) == b"new" * 10
    assert here.after_power_cut() == [b"newnewnewnewnewn", b"ewnewnewnewnew"]


def test_the_segments_of_a_message_are_gone_together(here: Site) -> None:
    _in_segments(here)
    assert here.get(here.open(), C.MQGMO_COMPLETE_MSG) == b"new" * 10
    assert here.after_power_cut() == []


def test_a_message_that_another_reader_has_backed_out_survives(here: Site) -> None:
    """Its put was never answered, and the reader who put it back has gone."""
    here.put(b"new")

    def and_back(manager: QueueManager) -> None:
        hobj = manager.open(here.writer, MQOD(ObjectName="Q"), _INPUT)
        manager.get(here.writer, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_SYNCPOINT))
        manager.backout(here.writer)

    here.inside(and_back)
    assert _browse(here) == b"new"
    assert here.after_power_cut() == [b"new"]


def test_a_message_that_does_not_fit_the_buffer_was_seen_all_the_same(here: Site) -> None:
    here.put(b"new")
    hobj = here.open()
    got = here.reader.get(hobj, MQMD(Version=2), MQGMO(), 1)
    assert (got.data, got.reason) == (b"n", C.MQRC_TRUNCATED_MSG_FAILED)
    assert here.after_power_cut() == [b"new"]


def test_nothing_to_see_depends_on_nothing(here: Site) -> None:
    """A get that finds no message does not wait for the log of puts that it may not see."""
    here.put_in_unit(b"not yet")
    with pytest.raises(MQError) as caught:
        here.get(here.open(), C.MQGMO_NO_SYNCPOINT)
    assert caught.value.reason == C.MQRC_NO_MSG_AVAILABLE
    assert here.after_power_cut() == []
