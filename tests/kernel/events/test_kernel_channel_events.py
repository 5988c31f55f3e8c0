"""Channel events: which attribute lets which through, and what each of them says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from helper_events import CHANNEL_EVENT, Events

from libremq.kernel.events import channel_events, queue_manager_events
from libremq.mqi import constants as C

QM = (C.MQCA_Q_MGR_NAME, "QM1")
NAME = (C.MQCACH_CHANNEL_NAME, "APP.SVRCONN")
ADDRESS = (C.MQCACH_CONNECTION_NAME, "127.0.0.1")
XMITQ = (C.MQCACH_XMIT_Q_NAME, "QM2")
NO_ERROR: list[tuple[int, Any]] = [
    (C.MQIACF_ERROR_IDENTIFIER, 0), (C.MQIACF_AUX_ERROR_DATA_INT_1, 0), (C.MQIACF_AUX_ERROR_DATA_INT_2, 0),
    (C.MQCACF_AUX_ERROR_DATA_STR_1, ""), (C.MQCACF_AUX_ERROR_DATA_STR_2, ""), (C.MQCACF_AUX_ERROR_DATA_STR_3, ""),
]  # fmt: skip
AN_ERROR: list[tuple[int, Any]] = [
    (C.MQIACF_ERROR_IDENTIFIER, 9208), (C.MQIACF_AUX_ERROR_DATA_INT_1, 104), (C.MQIACF_AUX_ERROR_DATA_INT_2, 7),
    (C.MQCACF_AUX_ERROR_DATA_STR_1, "host"), (C.MQCACF_AUX_ERROR_DATA_STR_2, "TCP"),
    (C.MQCACF_AUX_ERROR_DATA_STR_3, "recv"),
]  # fmt: skip


def qualifier(value: int) -> tuple[int, int]:
    return C.MQIACF_REASON_QUALIFIER, value


USUAL = {"channel": "APP.SVRCONN", "connection_name": "127.0.0.1"}
PEER = {"peer_name": "CN=bob", "issuer_name": "CN=CA"}
PEER_NAMES = [(C.MQCACH_SSL_PEER_NAME, "CN=bob"), (C.MQCA_SSL_CERT_ISSUER_NAME, "CN=CA")]

# The attribute that controls it, the reason, what the caller says, and what the event says
ROWS: list[tuple[str, int, dict[str, Any], list[tuple[int, Any]]]] = [
    ("CHLEV", C.MQRC_CHANNEL_STARTED, USUAL, [NAME, ADDRESS]),
    ("CHLEV", C.MQRC_CHANNEL_STARTED, USUAL | {"xmitq": "QM2"}, [NAME, XMITQ, ADDRESS]),
    (
        "CHLEV", C.MQRC_CHANNEL_STOPPED, USUAL,
        [qualifier(C.MQRQ_CHANNEL_STOPPED_OK), NAME, *NO_ERROR, ADDRESS],
    ),
    (
        "CHLEV", C.MQRC_CHANNEL_STOPPED,
        USUAL | {"qualifier": C.MQRQ_CHANNEL_STOPPED_ERROR, "error": 9208, "aux_ints": (104, 7),
                 "aux_texts": ("host", "TCP", "recv"), "xmitq": "QM2"},
        [qualifier(C.MQRQ_CHANNEL_STOPPED_ERROR), NAME, *AN_ERROR, XMITQ, ADDRESS],
    ),
    ("CHLEV", C.MQRC_CHANNEL_STOPPED_BY_USER, USUAL, [qualifier(C.MQRQ_CHANNEL_STOPPED_DISABLED), NAME]),
    (
        "CHLEV", C.MQRC_CHANNEL_NOT_AVAILABLE, USUAL | {"qualifier": C.MQRQ_SVRCONN_INST_LIMIT, "limit": 5},
        [qualifier(C.MQRQ_SVRCONN_INST_LIMIT), NAME, ADDRESS, (C.MQIACH_MAX_INSTANCES, 5)],
    ),
    (
        "CHLEV", C.MQRC_CHANNEL_NOT_AVAILABLE, USUAL | {"qualifier": C.MQRQ_CLIENT_INST_LIMIT, "limit": 2},
        [qualifier(C.MQRQ_CLIENT_INST_LIMIT), NAME, ADDRESS, (C.MQIACH_MAX_INSTS_PER_CLIENT, 2)],
    ),
    (
        "CHLEV", C.MQRC_CHANNEL_NOT_AVAILABLE, USUAL | {"qualifier": C.MQRQ_MAX_CHANNELS, "limit": 100},
        [qualifier(C.MQRQ_MAX_CHANNELS), NAME, ADDRESS, (C.MQIA_MAX_CHANNELS, 100)],
    ),
    (
        "CHLEV", C.MQRC_CHANNEL_BLOCKED, USUAL | {"qualifier": C.MQRQ_CHANNEL_BLOCKED_ADDRESS},
        [qualifier(C.MQRQ_CHANNEL_BLOCKED_ADDRESS), ADDRESS],
    ),
    (
        "CHLEV", C.MQRC_CHANNEL_BLOCKED,
        USUAL | {"qualifier": C.MQRQ_CHANNEL_BLOCKED_USERID, "user": "mqm", "application": "teller",
                 "application_type": C.MQAT_UNIX},
        [qualifier(C.MQRQ_CHANNEL_BLOCKED_USERID), NAME, (C.MQCACF_USER_IDENTIFIER, "mqm"), ADDRESS,
         (C.MQIA_APPL_TYPE, C.MQAT_UNIX), (C.MQCACF_APPL_NAME, "teller")],
    ),
    (
        "CHLEV", C.MQRC_CHANNEL_BLOCKED_WARNING,
        USUAL | PEER | {"client_user": "bob", "remote_qmgr": "QM2", "user": "not told"},
        [qualifier(C.MQRQ_CHANNEL_BLOCKED_NOACCESS), NAME, ADDRESS, (C.MQCA_REMOTE_Q_MGR_NAME, "QM2"), *PEER_NAMES,
         (C.MQCACH_CLIENT_USER_ID, "bob")],
    ),
    (
        "SSLEV", C.MQRC_CHANNEL_SSL_ERROR, USUAL | {"handshake_stage": "handshake", "return_code": 420},
        [qualifier(C.MQRQ_SSL_HANDSHAKE_ERROR), NAME, ADDRESS, (C.MQCACH_SSL_HANDSHAKE_STAGE, "handshake"),
         (C.MQIACH_SSL_RETURN_CODE, 420)],
    ),
    (
        "SSLEV", C.MQRC_CHANNEL_SSL_ERROR, USUAL | PEER | {"qualifier": C.MQRQ_SSL_PEER_NAME_ERROR},
        [qualifier(C.MQRQ_SSL_PEER_NAME_ERROR), NAME, ADDRESS, *PEER_NAMES],
    ),
    ("SSLEV", C.MQRC_CHANNEL_SSL_WARNING, USUAL, [qualifier(C.MQRQ_SSL_UNKNOWN_REVOCATION), NAME, ADDRESS]),
    (
        "CHADEV", C.MQRC_CHANNEL_AUTO_DEF_OK, USUAL | {"channel_type": C.MQCHT_SVRCONN},
        [NAME, (C.MQIACH_CHANNEL_TYPE, C.MQCHT_SVRCONN), ADDRESS],
    ),
]  # fmt: skip
SWITCHES = ("CHLEV", "SSLEV", "CHADEV")
ALL_WELL = {
    (C.MQRC_CHANNEL_STARTED, None), (C.MQRC_CHANNEL_STOPPED, None), (C.MQRC_CHANNEL_STOPPED, C.MQRQ_CHANNEL_STOPPED_OK),
}  # fmt: skip


@pytest.mark.parametrize(("switch", "reason", "facts", "expected"), ROWS)
def test_channel_events(switch: str, reason: int, facts: dict[str, Any], expected: list[tuple[int, Any]]) -> None:
    session = Events(**{switch: "ENABLED"})
    queue_manager_events.channel_event(session.core, reason, **facts)
    event = session.event(CHANNEL_EVENT)
    assert (event.reason, event.parameters) == (reason, [QM, *expected])
    session.qm.alter("QMGR", "", dict.fromkeys(SWITCHES, "ENABLED") | {switch: "DISABLED"})
    queue_manager_events.channel_event(session.core, reason, **facts)
    assert session.events(CHANNEL_EVENT) == []


@pytest.mark.parametrize(("reason", "facts"), [(row[1], row[2]) for row in ROWS if row[0] == "CHLEV"])
def test_chlev_exception_wants_only_what_went_wrong(reason: int, facts: dict[str, Any]) -> None:
    session = Events(CHLEV="EXCEPTION")
    queue_manager_events.channel_event(session.core, reason, **facts)
    wrong = (reason, facts.get("qualifier")) not in ALL_WELL
    assert session.reasons(CHANNEL_EVENT) == ([reason] if wrong else [])


def test_the_page_has_them_all() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "events.md").read_text(encoding="utf-8")
    section = page[page.index("## Channel events") : page.index("## Configuration events")]
    assert {getattr(C, name) for name in re.findall(r"MQRC_CHANNEL_\w+", section)} == set(channel_events._EVENTS)
