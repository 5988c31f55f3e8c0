"""Events in words and as JSON: names of parameters and values, groups, lists, and times."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFBS, MQCFGR, MQCFH, MQCFIL, MQCFIN, MQCFSL, MQCFST, PCFParameter, pack_message
from libremq.mqi.structs import MQMD
from libremq.tools.event_formatting import Event, as_json, json_text, parameter_name, read_event, text_lines


def event(command: int, reason: int, *parameters: PCFParameter, big_endian: bool = False) -> Event:
    header = MQCFH(Type=C.MQCFT_EVENT, Command=command, Reason=reason, CompCode=C.MQCC_WARNING)
    data = pack_message(header, parameters, big_endian=big_endian)
    encoding = 273 if big_endian else 546
    return read_event(data, MQMD(PutDate="20261021", PutTime="07112858", CodedCharSetId=819, Encoding=encoding))


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (C.MQCA_Q_MGR_NAME, "Queue Mgr Name"),
        (C.MQIA_HIGH_Q_DEPTH, "High Queue Depth"),
        (C.MQIACF_REASON_QUALIFIER, "Reason Qualifier"),
        (C.MQCACF_USER_IDENTIFIER, "User Identifier"),
        (C.MQCACH_CHANNEL_NAME, "Channel Name"),
        (C.MQBACF_EVENT_ACCOUNTING_TOKEN, "Event Accounting Token"),
        (999_999, "Parameter 999999"),
    ],
)
def test_names_of_parameters(selector: int, words: str) -> None:
    assert parameter_name(selector) == words


@pytest.mark.parametrize("big_endian", [False, True])
def test_an_event_in_words(big_endian: bool) -> None:
    found = event(
        C.MQCMD_PERFM_EVENT, C.MQRC_Q_FULL,
        MQCFST(Parameter=C.MQCA_Q_MGR_NAME, String="QM1".ljust(48)),
        MQCFIN(Parameter=C.MQIA_HIGH_Q_DEPTH, Value=4),
        big_endian=big_endian,
    )  # fmt: skip
    assert list(text_lines(found, 7, 236, "EVENTS")) == [
        "**** Message #7 (236 Bytes) on Queue EVENTS ****",
        "Event Type                     : Perfm Event [45]",
        "Reason                         : Queue Full [2053]",
        "Event created                  : 2026/10/21 07:11:28.58 GMT",
        "  Queue Mgr Name               : QM1",
        "  High Queue Depth             : 4",
        "",
    ]


def test_an_event_as_json() -> None:
    found = event(
        C.MQCMD_Q_MGR_EVENT, C.MQRC_NOT_AUTHORIZED,
        MQCFIN(Parameter=C.MQIACF_REASON_QUALIFIER, Value=C.MQRQ_CONN_NOT_AUTHORIZED),
        MQCFIN(Parameter=C.MQIA_APPL_TYPE, Value=C.MQAT_UNIX),
        MQCFSL(Parameter=C.MQCA_NAMES, Strings=["A ", "B "]),
        MQCFIL(Parameter=C.MQIA_NAME_COUNT, Values=[1, 2]),
        MQCFBS(Parameter=C.MQBACF_EVENT_ACCOUNTING_TOKEN, String=b"\x01\xff"),
        MQCFIN(Parameter=C.MQIA_INHIBIT_GET, Value=C.MQQA_GET_INHIBITED),
        MQCFGR(
            Parameter=C.MQGACF_COMMAND_CONTEXT,
            Parameters=[MQCFIN(Parameter=C.MQIACF_COMMAND, Value=C.MQCMD_CLEAR_Q)],
        ),
    )  # fmt: skip
    epoch = int(datetime(2026, 10, 21, 7, 11, 28, tzinfo=UTC).timestamp())
    expected = {
        "eventSource": {"objectName": "EVENTS", "objectType": "Queue", "queueMgr": "QM1"},
        "eventType": {"name": "Queue Mgr Event", "value": 44},
        "eventReason": {"name": "Not Authorized", "value": 2035},
        "eventCreation": {"timeStamp": "2026-10-21T07:11:28Z", "epoch": epoch},
        "eventData": {
            "reasonQualifier": "Conn Not Authorized",
            "applType": "Unix",
            "names": ["A", "B"],
            "nameCount": [1, 2],
            "eventAccountingToken": "01FF",
            "inhibitGet": "DISABLED",
            "commandContext": {"command": "Clear Queue"},
        },
    }
    assert as_json(found, "EVENTS", "QM1") == expected
    for compact in (False, True):
        text = json_text(found, "EVENTS", "QM1", compact=compact)
        assert json.loads(text) == expected
        assert ("\n" not in text) == compact


def test_groups_and_lists_in_words() -> None:
    found = event(
        C.MQCMD_COMMAND_EVENT, C.MQRC_COMMAND_PCF,
        MQCFGR(
            Parameter=C.MQGACF_COMMAND_CONTEXT, Parameters=[MQCFST(Parameter=C.MQCACF_EVENT_USER_ID, String="bob ")]
        ),
        MQCFSL(Parameter=C.MQCA_NAMES, Strings=["A", "B"]),
    )  # fmt: skip
    lines = list(text_lines(found, 1, 1, "Q"))
    assert lines[4:8] == [
        "  Command Context:",
        "    Event User Id              : bob",
        "  Names                        : A",
        "  Names                        : B",
    ]


def test_what_is_no_event_is_refused() -> None:
    for data in (b"", b"hello, world", bytes(40)):
        with pytest.raises((MQError, ValueError)):
            read_event(data, MQMD(CodedCharSetId=819))
    assert event(C.MQCMD_Q_MGR_EVENT, 2035).created is not None
