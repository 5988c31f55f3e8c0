"""An embedded queue manager that checks authorities: what a test suite can do about them without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

import libremq
from libremq.mqi import constants as C

_USER = "nobody"
_GRANTS = f"""
    SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{_USER}') AUTHADD(CONNECT)
    SET AUTHREC PROFILE('APP.**') OBJTYPE(QUEUE) PRINCIPAL('{_USER}') AUTHADD(PUT, DSP)
"""


@pytest.fixture
def owner(tmp_path: Path) -> libremq.QueueManager:
    manager = libremq.connect(f"embedded:QM1?create=1&data={tmp_path}")
    manager.define_local("APP.ONE")
    manager.define_local("OTHER")
    return manager


def as_user(tmp_path: Path) -> libremq.QueueManager:
    return libremq.connect(f"embedded:QM1?data={tmp_path}&authority=1", user=_USER)


def refused(reason: int = C.MQRC_NOT_AUTHORIZED) -> pytest.RaisesExc[libremq.MQError]:
    return pytest.raises(libremq.MQError, check=lambda error: error.reason == reason)


def test_without_a_record_nobody_connects(owner: libremq.QueueManager, tmp_path: Path) -> None:
    with owner, refused():
        as_user(tmp_path).queue("APP.ONE").put(b"x")


def test_what_is_granted_works_and_nothing_else(owner: libremq.QueueManager, tmp_path: Path) -> None:
    with owner:
        assert [answer.state for answer in owner.mqsc(_GRANTS)] == ["done", "done"]
        with as_user(tmp_path) as user:
            user.queue("APP.ONE").put(b"x")
            with refused():
                user.queue("APP.ONE").get()
            with refused():
                user.queue("OTHER").put(b"x")
            assert [row["queue"] for row in user.display("queue")] == ["APP.ONE"]
            assert user.queue_names() == ["APP.ONE"]
        assert owner.queue("APP.ONE").get().data == b"x"


def test_commands_are_checked_in_every_syntax(owner: libremq.QueueManager, tmp_path: Path) -> None:
    with owner:
        owner.mqsc(_GRANTS)
        with as_user(tmp_path) as user:
            with refused():
                user.define_local("APP.TWO")
            with refused():
                user.alter("qlocal", "APP.ONE", maxdepth=1)
            with refused():
                user.delete("qlocal", "APP.ONE")
            with refused():
                user.clear("APP.ONE")
            answers = user.mqsc("DEFINE QLOCAL(APP.TWO)\nALTER QMGR DESCR('x')\nDIS QL(*)\nDIS QL(OTHER)")
            assert [answer.reason for answer in answers] == [2035, 2035, 0, 2035]
            assert [row["queue"] for row in answers[2].rows] == ["APP.ONE"]
        assert not owner.display("qlocal", "APP.TWO")


def test_the_owner_is_not_checked(owner: libremq.QueueManager, tmp_path: Path) -> None:
    with owner, libremq.connect(f"embedded:QM1?data={tmp_path}", user=_USER) as other:
        other.queue("OTHER").put(b"x")
        assert other.queue("OTHER").get().data == b"x"


def test_the_key_takes_yes_and_no(tmp_path: Path) -> None:
    with pytest.raises(libremq.MQError, match="authority=maybe"):
        libremq.connect(f"embedded:QM1?data={tmp_path}&authority=maybe")
