"""What a command takes beside the attributes of objects acts, or is refused: none of it is read and forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq.admin
from libremq import QueueManager
from libremq.admin import command_options
from libremq.admin.command_table import COMMANDS
from libremq.kernel.objects.attributes import Attribute
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.testing import VirtualClock, temporary_queue_manager

_NONE_THERE = ("SUB", "SBSTATUS", "CLUSQMGR", "TOPIC", "PUBSUB")
"""Of these there are none to choose from, or, of topics, only local ones."""


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with temporary_queue_manager() as made:
        yield made


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP) PORT(1415)", "PORT"),
        ("STOP LISTENER PORT(1415) TRPTYPE(TCP)", "PORT"),
        ("DELETE QLOCAL(Q) DESCR('old')", "DESCR"),
        ("DELETE QLOCAL(Q) QTYPE(QALIAS)", "QTYPE"),
        ("CLEAR QLOCAL(Q) MAXDEPTH(1)", "MAXDEPTH"),
        ("PING CHANNEL(C) CONNAME('elsewhere')", "CONNAME"),
        ("START CHANNEL(C) XMITQ(X)", "XMITQ"),
    ],
)
def test_a_command_that_changes_no_attribute_takes_none(qm: QueueManager, text: str, parameter: str) -> None:
    qm.define_local("Q")
    (answer,) = qm.mqsc(text)
    assert answer.state == "syntax" and f"{parameter} in column" in answer.lines[-1], answer.lines
    assert qm.mqsc("DISPLAY QLOCAL(Q)")[0].state == "done"


def test_every_option_of_a_command_that_is_there_is_read_by_somebody() -> None:
    text = "".join(path.read_text() for path in Path(libremq.admin.__path__[0]).glob("commands_*.py"))
    read = set(re.findall(r"\boptions?\.([A-Z_]+)", text))
    names = {id(row): name for name, row in vars(command_options).items() if isinstance(row, Attribute)}
    unread = {
        f"{spec.words} {row.keyword}"
        for spec in COMMANDS
        if not spec.part and spec.object not in _NONE_THERE
        for row in spec.options
        if id(row) in names and names[id(row)] not in read
    }
    assert not unread


def test_refresh_qmgr_with_inclint_tells_of_what_was_changed_in_these_minutes() -> None:
    clock = VirtualClock()
    with temporary_queue_manager(clock=clock) as qm:
        qm.define_local("OLD")
        clock.advance(600)
        qm.define_local("NEW")
        qm.mqsc("ALTER QMGR CONFIGEV(ENABLED)\nCLEAR QLOCAL(SYSTEM.ADMIN.CONFIG.EVENT)")
        clock.advance(60)

        def told(minutes: int, kind: str = "QLOCAL") -> int:
            done, depth = qm.mqsc(
                f"REFRESH QMGR TYPE(CONFIGEV) OBJECT({kind}) INCLINT({minutes})\n"
                "DISPLAY QLOCAL(SYSTEM.ADMIN.CONFIG.EVENT) CURDEPTH"
            )
            assert done.state == "done"
            qm.mqsc("CLEAR QLOCAL(SYSTEM.ADMIN.CONFIG.EVENT)")
            return int(depth.rows[0]["curdepth"])

        assert told(5) == 1
        assert told(0) == told(999) > 2
        # Authority records have no date: they are always among them
        qm.mqsc("SET AUTHREC OBJTYPE(QMGR) GROUP('root') AUTHADD(CONNECT)\nCLEAR QLOCAL(SYSTEM.ADMIN.CONFIG.EVENT)")
        clock.advance(6000)
        assert told(5, "ALL") == told(5, "AUTHREC") > 0


def test_refresh_qmgr_says_that_there_are_no_configuration_events(qm: QueueManager) -> None:
    (answer,) = qm.mqsc("REFRESH QMGR TYPE(CONFIGEV)")
    assert answer.reason == C.MQRCCF_EVENTS_DISABLED and "CONFIGEV(ENABLED)" in answer.lines[0]


def test_reset_qmgr_removes_no_more_extents_than_reduce_says() -> None:
    with temporary_queue_manager(log_config=LogConfig(type="LINEAR", file_pages=64)) as qm:

        def unneeded() -> list[str]:
            return [extent.name for extent in qm.log_extents() if extent.state == "unneeded"]

        for _ in range(5):
            qm.mqsc("RESET QMGR TYPE(ADVANCELOG)")
        qm.checkpoint()
        qm.record_images()
        before = unneeded()
        assert len(before) >= 4
        for given, gone in (("ONE", 1), ("2", 3), ("AUTO", len(before))):
            (answer,) = qm.mqsc(f"RESET QMGR TYPE(REDUCELOG) REDUCE({given})")
            assert answer.state == "done", answer.lines
            assert unneeded() == before[gone:]


@pytest.mark.parametrize(
    "text",
    [
        "SET AUTHREC OBJTYPE(QMGR) GROUP('root') AUTHADD(CONNECT) SERVCOMP('other')",
        "DISPLAY AUTHREC SERVCOMP('other')",
        "DISPLAY ENTAUTH OBJTYPE(QMGR) GROUP('root') SERVCOMP('other')",
        "DISPLAY AUTHSERV SERVCOMP('other')",
    ],
)
def test_there_is_no_other_component_of_the_authorization_service(qm: QueueManager, text: str) -> None:
    (answer,) = qm.mqsc(text)
    assert answer.reason == C.MQRC_UNKNOWN_COMPONENT_NAME
    assert qm.mqsc(text.replace("'other'", "' '"))[0].reason != C.MQRC_UNKNOWN_COMPONENT_NAME
