"""Command events and logger events: what they say, when they are made, and what they keep to themselves."""

from __future__ import annotations

from typing import Any

import pytest
from helper_events import COMMAND_EVENT, LOGGER_EVENT, Events

from libremq.host import lifecycle
from libremq.kernel.events import queue_manager_events
from libremq.kernel.events.masked_text import mask_passwords
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFGR, MQCFIN, MQCFST

CONSOLE = queue_manager_events.EventContext("alice", C.MQEVO_CONSOLE)
MESSAGE = queue_manager_events.EventContext(
    "bob", C.MQEVO_MSG, "QM2", b"t" * 32, "identity", C.MQAT_UNIX, "explorer", "orig"
)  # fmt: skip


def test_an_mqsc_command() -> None:
    session = Events(CMDEV="ENABLED")
    queue_manager_events.command_event(
        session.core, command=C.MQCMD_CREATE_Q, context=CONSOLE, mqsc="DEFINE QLOCAL(A) MAXDEPTH(5)"
    )
    event = session.event(COMMAND_EVENT)
    assert event.reason == C.MQRC_COMMAND_MQSC and event.header.Version == C.MQCFH_VERSION_3
    assert event.md.CorrelId != bytes(24)
    assert event.parameters == [
        (
            C.MQGACF_COMMAND_CONTEXT,
            [
                (C.MQCACF_EVENT_USER_ID, "alice"),
                (C.MQIACF_EVENT_ORIGIN, C.MQEVO_CONSOLE),
                (C.MQCACF_EVENT_Q_MGR, "QM1"),
                (C.MQIACF_COMMAND, C.MQCMD_CREATE_Q),
            ],
        ),
        (C.MQGACF_COMMAND_DATA, [(C.MQCACF_COMMAND_MQSC, "DEFINE QLOCAL(A) MAXDEPTH(5)")]),
    ]


def test_a_pcf_command_from_a_message() -> None:
    session = Events(CMDEV="ENABLED")
    given = [MQCFST(Parameter=C.MQCA_Q_NAME, String="A"), MQCFIN(Parameter=C.MQIA_MAX_Q_DEPTH, Value=5)]
    queue_manager_events.command_event(session.core, command=C.MQCMD_CHANGE_Q, context=MESSAGE, parameters=given)
    event = session.event(COMMAND_EVENT)
    assert event.reason == C.MQRC_COMMAND_PCF
    assert event.parameters == [
        (
            C.MQGACF_COMMAND_CONTEXT,
            [
                (C.MQCACF_EVENT_USER_ID, "bob"),
                (C.MQIACF_EVENT_ORIGIN, C.MQEVO_MSG),
                (C.MQCACF_EVENT_Q_MGR, "QM2"),
                (C.MQBACF_EVENT_ACCOUNTING_TOKEN, b"t" * 32),
                (C.MQCACF_EVENT_APPL_IDENTITY, "identity"),
                (C.MQIACF_EVENT_APPL_TYPE, C.MQAT_UNIX),
                (C.MQCACF_EVENT_APPL_NAME, "explorer"),
                (C.MQCACF_EVENT_APPL_ORIGIN, "orig"),
                (C.MQIACF_COMMAND, C.MQCMD_CHANGE_Q),
            ],
        ),
        (C.MQGACF_COMMAND_DATA, [(C.MQCA_Q_NAME, "A"), (C.MQIA_MAX_Q_DEPTH, 5)]),
    ]


def test_the_one_on_whose_behalf_things_are_done() -> None:
    session = Events(CMDEV="ENABLED")
    with session.core.events.on_behalf_of(CONSOLE):
        queue_manager_events.command_event(session.core, command=C.MQCMD_CREATE_Q, mqsc="DEFINE QLOCAL(A)")
    queue_manager_events.command_event(session.core, command=C.MQCMD_CREATE_Q, mqsc="DEFINE QLOCAL(A)")
    users = [dict(event[C.MQGACF_COMMAND_CONTEXT])[C.MQCACF_EVENT_USER_ID] for event in session.events(COMMAND_EVENT)]
    assert users == ["alice", ""]


@pytest.mark.parametrize(
    ("cmdev", "command", "made"),
    [
        ("DISABLED", C.MQCMD_CREATE_Q, 0),
        ("DISABLED", C.MQCMD_INQUIRE_Q, 0),
        ("NODISPLAY", C.MQCMD_CREATE_Q, 1),
        ("NODISPLAY", C.MQCMD_INQUIRE_Q, 0),
        ("NODISPLAY", C.MQCMD_INQUIRE_CHANNEL_STATUS, 0),
        ("NODISPLAY", C.MQCMD_CLEAR_Q, 1),
        ("ENABLED", C.MQCMD_INQUIRE_Q, 1),
    ],
)
def test_which_commands_are_told(cmdev: str, command: int, made: int) -> None:
    session = Events(CMDEV=cmdev)
    queue_manager_events.command_event(session.core, command=command, mqsc="a command")
    assert len(session.events(COMMAND_EVENT)) == made


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("ALTER CHANNEL(A) PASSWORD('it''s me') DESCR(x)", "ALTER CHANNEL(A) PASSWORD('********') DESCR(x)"),
        ("alter qmgr keyrpwd ( secret ) descr('y')", "alter qmgr keyrpwd ( '********') descr('y')"),
        ('DEFINE AUTHINFO(A) LDAPPWD("two words")', "DEFINE AUTHINFO(A) LDAPPWD('********')"),
        ("ALTER CHANNEL(A) PASSWORD('')", "ALTER CHANNEL(A) PASSWORD('')"),
        ("ALTER CHANNEL(A) PASSWORD( )", "ALTER CHANNEL(A) PASSWORD( )"),
        ("ALTER QMGR INITKEY('never ended", "ALTER QMGR INITKEY('********'"),
        ("ALTER CHANNEL(A) PASSWORD(a'b)c'd) DESCR('y')", "ALTER CHANNEL(A) PASSWORD('********') DESCR('y')"),
        ("ALTER CHANNEL(A) PASSWRD(misspelt)", "ALTER CHANNEL(A) PASSWRD('********')"),
        ("ALTER CHANNEL(A) PASWORD(misspelt)", "ALTER CHANNEL(A) PASWORD('********')"),
        ("DEFINE QLOCAL(PASSWORD) DESCR('PASSWORD is here')", "DEFINE QLOCAL(PASSWORD) DESCR('PASSWORD is here')"),
    ],
)
def test_passwords_are_not_told(given: str, told: str) -> None:
    assert mask_passwords(given) == told


def test_passwords_of_pcf_commands_are_not_told() -> None:
    session = Events(CMDEV="ENABLED")
    secret = MQCFST(Parameter=C.MQCACH_PASSWORD, String="secret")
    empty = MQCFST(Parameter=C.MQCA_LDAP_PASSWORD, String="")
    given = [secret, MQCFGR(Parameter=C.MQGACF_COMMAND_DATA, Parameters=[secret, empty])]
    queue_manager_events.command_event(session.core, command=C.MQCMD_CHANGE_CHANNEL, parameters=given)
    masked = (C.MQCACH_PASSWORD, "********")
    data = session.event(COMMAND_EVENT)[C.MQGACF_COMMAND_DATA]
    assert data == [masked, (C.MQGACF_COMMAND_DATA, [masked, (C.MQCA_LDAP_PASSWORD, "")])]


# The logger

LINEAR = LogConfig(type="LINEAR", file_pages=64)


def extents(session: Events, current: str, archive: str = "") -> list[tuple[int, Any]]:
    return [
        (C.MQCA_Q_MGR_NAME, "QM1"),
        (C.MQCACF_CURRENT_LOG_EXTENT_NAME, current),
        (C.MQCACF_RESTART_LOG_EXTENT_NAME, session.core.log.restart_extent),
        (C.MQCACF_MEDIA_LOG_EXTENT_NAME, session.core.log.media_extent),
        (C.MQCACF_ARCHIVE_LOG_EXTENT_NAME, archive),
        (C.MQCACF_LOG_PATH, session.core.log.folder),
    ]


def fill_an_extent(session: Events) -> None:
    before = session.core.log.current_extent
    while session.core.log.current_extent == before:
        session.put("WORK", bytes(20_000), Persistence=1)
        session.get("WORK")


def test_each_new_extent_is_an_event() -> None:
    session = Events(LINEAR, LOGGEREV="ENABLED")
    session.queue("WORK")
    assert session.events(LOGGER_EVENT) == []
    first = session.core.log.current_extent
    for number in (1, 2):
        fill_an_extent(session)
        event = session.event(LOGGER_EVENT)
        assert event.reason == C.MQRC_LOGGER_STATUS
        current = f"S{int(first[1:8]) + number:07}.LOG"
        assert event.parameters == extents(session, current)


def test_a_start_with_a_linear_log_is_a_logger_event() -> None:
    session = Events(LINEAR, LOGGEREV="ENABLED")
    session.qm.end()
    session.qm = lifecycle.start(session.core.files, "qm", "QM1", session.clock)
    session.core = session.qm.core
    session.hconn = session.qm.connect()
    assert session.event(LOGGER_EVENT).parameters == extents(session, session.core.log.current_extent)


def test_logger_events_name_the_extent_that_waits_for_the_archive() -> None:
    session = Events(LogConfig(type="LINEAR", file_pages=64, log_management="Archive"), LOGGEREV="ENABLED")
    session.queue("WORK")
    first = session.core.log.current_extent
    fill_an_extent(session)
    assert session.event(LOGGER_EVENT).parameters == extents(session, session.core.log.current_extent, first)


@pytest.mark.parametrize(("config", "loggerev"), [(LINEAR, "DISABLED"), (LogConfig(file_pages=64), "ENABLED")])
def test_no_logger_event_when_off_or_when_the_log_is_circular(config: LogConfig, loggerev: str) -> None:
    session = Events(config, LOGGEREV=loggerev)
    session.queue("WORK")
    fill_an_extent(session)
    assert session.events(LOGGER_EVENT) == []
