"""Gets of whatever comes first: they hand on what is plain, leave what is special, depend on what they have seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_power_cut import Site, site

from libremq.kernel.verbs.plain_gets import Plain
from libremq.mqi import constants as C


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site("embedded", tmp_path) as found:
        yield found


def _get_plain(here: Site, options: int) -> bytes | None:
    hobj = here.open(C.MQOO_INPUT_SHARED)
    found = here.answered(lambda manager, hconn: manager.get_plain(hconn, hobj, options))
    return found[0].message.data if found else None


def test_what_a_plain_get_has_seen_survives(here: Site) -> None:
    here.put_in_unit(b"new")
    here.commit()
    assert _get_plain(here, C.MQGMO_SYNCPOINT) == b"new"
    assert here.after_power_cut() == [b"new"]


def test_what_a_plain_get_has_taken_never_comes_back(here: Site) -> None:
    here.put(b"new")
    here.answer()
    assert _get_plain(here, C.MQGMO_NO_SYNCPOINT) == b"new"
    assert here.after_power_cut() == []


def test_a_plain_get_leaves_a_queue_with_gets_disabled_alone(here: Site) -> None:
    here.put(b"new")
    here.command(lambda manager: manager.alter("QLOCAL", "Q", {"GET": "DISABLED"}))
    assert _get_plain(here, C.MQGMO_NO_SYNCPOINT) is None


@pytest.mark.parametrize(
    "fields",
    [{"Report": C.MQRO_COD, "ReplyToQ": "Q"}, {"MsgFlags": C.MQMF_MSG_IN_GROUP}, {"Format": "MQHRF2"}],
    ids=lambda fields: next(iter(fields)),
)
def test_a_plain_get_leaves_a_message_that_is_special(here: Site, fields: dict[str, Any]) -> None:
    here.put(b"special", **fields)
    assert _get_plain(here, C.MQGMO_NO_SYNCPOINT) is None


def test_a_plain_get_shows_what_is_left_of_an_expiry_and_how_often_a_message_was_backed_out(here: Site) -> None:
    here.put(b"new", Expiry=600)
    hobj = here.open(C.MQOO_INPUT_SHARED)

    def get() -> Plain:
        found = here.answered(lambda manager, hconn: manager.get_plain(hconn, hobj, C.MQGMO_SYNCPOINT))
        return found[0]

    first = get()
    assert first.md.BackoutCount == 0 and 0 < first.md.Expiry <= 600
    here.answered(lambda manager, hconn: manager.backout(hconn))
    again = get()
    assert again.md.BackoutCount == 1 and 0 < again.md.Expiry <= first.md.Expiry
    assert again.message.md.BackoutCount == 0, "what is stored stays as it is"


def test_several_are_got_as_far_as_they_are_plain(here: Site) -> None:
    for number in range(3):
        here.put(b"%d" % number)
    here.put(b"special", MsgFlags=C.MQMF_MSG_IN_GROUP)
    hobj = here.open(C.MQOO_INPUT_SHARED)

    def get(most: int) -> list[bytes]:
        found = here.answered(lambda manager, hconn: manager.get_plain(hconn, hobj, C.MQGMO_NO_SYNCPOINT, most=most))
        return [one.message.data for one in found]

    assert get(2) == [b"0", b"1"]
    assert get(5) == [b"2"]
    assert get(5) == []


def test_who_is_asked_before_may_leave_the_rest(here: Site) -> None:
    for number in range(3):
        here.put(b"%d" % number)
    hobj = here.open(C.MQOO_INPUT_SHARED)
    found = here.answered(
        lambda manager, hconn: manager.get_plain(
            hconn, hobj, C.MQGMO_NO_SYNCPOINT, lambda found: sum(one.message.data != b"2" for one in found), 5
        )
    )
    assert [one.message.data for one in found] == [b"0", b"1"]
    assert _get_plain(here, C.MQGMO_NO_SYNCPOINT) == b"2"
