"""Gets of whatever comes first: they hand on what is plain, leave what is special, depend on what they have seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_power_cut import Site, site

from libremq.common.checksum import crc32
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


ONE, OTHER = b"1" * 24, b"2" * 24
ALIKE = b"an id of 24 bytes as any", b"another start of it \x8d\x08\x80\x95"
"""Two ids with one hash."""


def _get_by_ids(here: Site, ids: bytes) -> bytes | None:
    hobj = here.open(C.MQOO_INPUT_SHARED)
    found = here.answered(lambda manager, hconn: manager.get_plain(hconn, hobj, C.MQGMO_NO_SYNCPOINT, ids=ids))
    return found[0].message.data if found else None


def test_a_plain_get_by_ids_wants_both(here: Site) -> None:
    here.put(b"first", MsgId=ONE, CorrelId=OTHER)
    here.put(b"second", MsgId=OTHER, CorrelId=ONE)
    assert _get_by_ids(here, bytes(24) + ONE) is None  # an ordinary get makes the index
    here.get(here.open(C.MQOO_BROWSE), C.MQGMO_BROWSE_FIRST, CorrelId=ONE, MsgId=bytes(24))
    here.get(here.open(C.MQOO_BROWSE), C.MQGMO_BROWSE_FIRST, CorrelId=bytes(24), MsgId=ONE)
    assert _get_by_ids(here, ONE + ONE) is None
    assert _get_by_ids(here, bytes(24) + ONE) == b"second"
    assert _get_by_ids(here, ONE + OTHER) == b"first"


def test_a_plain_get_by_id_does_not_take_a_hash_for_an_id(here: Site) -> None:
    assert len(set(map(crc32, ALIKE))) == 1
    for one in ALIKE:
        here.put(one, MsgId=one, CorrelId=one[::-1])
    here.get(here.open(C.MQOO_BROWSE), C.MQGMO_BROWSE_FIRST, MsgId=ALIKE[1], CorrelId=bytes(24))
    assert _get_by_ids(here, ALIKE[1] + bytes(24)) is None
    assert _get_by_ids(here, ALIKE[0] + bytes(24)) == ALIKE[0]
    assert _get_by_ids(here, ALIKE[1] + bytes(24)) == ALIKE[1]


def test_a_plain_get_by_id_leaves_what_another_has_locked(here: Site) -> None:
    here.put(b"locked", MsgId=ONE)
    locking = here.open(C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    here.get(locking, C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK, MsgId=ONE, CorrelId=bytes(24))
    assert _get_by_ids(here, ONE + bytes(24)) is None
