"""Every PCF command of the command table: once as it should be, once wrong, as real messages to the command server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from helper_pcf import Sender, named

from libremq.admin.command_lookup import BY_PCF
from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C
from libremq.testing import temporary_queue_manager

QL, QA = {C.MQIA_Q_TYPE: C.MQQT_LOCAL}, {C.MQIA_Q_TYPE: C.MQQT_ALIAS}
SVRCONN = {C.MQIACH_CHANNEL_TYPE: C.MQCHT_SVRCONN}
TCP = {C.MQIACH_XMIT_PROTOCOL_TYPE: C.MQXPT_TCP}
IDPWOS = {C.MQIA_AUTH_INFO_TYPE: C.MQAIT_IDPW_OS}
TOPIC = {C.MQCA_TOPIC_STRING: "a/b"}
NOT_HERE = C.MQRC_ENVIRONMENT_ERROR
"""Of what only a server can do: an embedded queue manager says so."""
NOT_YET = C.MQRC_FUNCTION_NOT_SUPPORTED
UNKNOWN = C.MQRC_UNKNOWN_OBJECT_NAME
FEW = C.MQRCCF_PARM_COUNT_TOO_SMALL
NOT_TAKEN = C.MQRCCF_CFST_PARM_ID_ERROR


@dataclass(frozen=True)
class Case:
    code: int
    good: dict[int, Any]
    bad: dict[int, Any]
    wrong: int
    """The reason for the bad one."""
    about: int = 0
    """The parameter that the reason is about."""
    reason: int = C.MQRC_NONE
    """Of the good one, where it waits for something."""


def queue(name: str = "ONE") -> dict[int, Any]:
    return {C.MQCA_Q_NAME: name}


def channel(name: str = "ONE") -> dict[int, Any]:
    return {C.MQCACH_CHANNEL_NAME: name}


def listener(name: str = "ONE") -> dict[int, Any]:
    return {C.MQCACH_LISTENER_NAME: name}


def definable(
    codes: tuple[int, int, int, int],
    inquire: tuple[int, ...],
    name: int,
    source: int,
    target: int,
    more: dict[int, Any],
    changed: dict[int, Any] | None = None,
) -> list[Case]:
    """Create, copy, change, delete, and inquire."""
    create, copy, change, delete = codes
    changed = more if changed is None else changed
    return [
        Case(create, {name: "NEW", **more}, more, FEW, name),
        Case(copy, {source: "ONE", target: "TWO", **more}, {source: "NONE", target: "TWO", **more}, UNKNOWN),
        Case(change, {name: "ONE", **changed}, {name: "NONE", **changed}, UNKNOWN),
        *(Case(code, {name: "O*"}, {name: "NONE"}, UNKNOWN) for code in inquire),
        Case(delete, {name: "ONE"}, {name: "NONE"}, UNKNOWN),
    ]


CASES: list[Case] = [
    # Queues
    Case(
        C.MQCMD_CREATE_Q, {**queue("NEW"), **QA, C.MQCA_BASE_Q_NAME: "X"}, queue("NEW"), C.MQRCCF_Q_TYPE_ERROR,
        C.MQIA_Q_TYPE,
    ),
    Case(
        C.MQCMD_COPY_Q, {C.MQCACF_FROM_Q_NAME: "ONE", C.MQCACF_TO_Q_NAME: "TWO", **QL},
        {C.MQCACF_TO_Q_NAME: "TWO", **QL}, FEW, C.MQCACF_FROM_Q_NAME,
    ),
    Case(
        C.MQCMD_CHANGE_Q, {**queue(), **QL, C.MQIA_MAX_Q_DEPTH: 9}, {**queue(), **QL, C.MQIA_MAX_Q_DEPTH: -9},
        C.MQRCCF_ATTR_VALUE_ERROR, C.MQIA_MAX_Q_DEPTH,
    ),
    Case(C.MQCMD_INQUIRE_Q, queue("O*"), queue("NONE"), UNKNOWN),
    Case(C.MQCMD_INQUIRE_Q_NAMES, queue("O*"), queue("NONE"), UNKNOWN),
    Case(C.MQCMD_CLEAR_Q, queue(), queue("NONE"), UNKNOWN),
    Case(
        C.MQCMD_MOVE_Q, {C.MQCACF_FROM_Q_NAME: "ONE", C.MQCACF_TO_Q_NAME: "OTHER"},
        {C.MQCACF_FROM_Q_NAME: "ONE", C.MQCACF_TO_Q_NAME: "NONE"}, UNKNOWN,
    ),
    Case(C.MQCMD_RESET_Q_STATS, queue(), queue("NONE"), UNKNOWN),
    Case(C.MQCMD_INQUIRE_Q_STATUS, queue(), queue("NONE"), UNKNOWN),
    Case(C.MQCMD_DELETE_Q, queue(), queue("NONE"), UNKNOWN),
    # The queue manager
    Case(
        C.MQCMD_CHANGE_Q_MGR, {C.MQCA_Q_MGR_DESC: "mine"}, {C.MQCA_Q_MGR_DESC: 1}, C.MQRCCF_CFIN_PARM_ID_ERROR,
        C.MQCA_Q_MGR_DESC,
    ),
    Case(
        C.MQCMD_INQUIRE_Q_MGR, {C.MQIACF_Q_MGR_ATTRS: [C.MQCA_DEAD_LETTER_Q_NAME]},
        {C.MQIACF_Q_MGR_ATTRS: [C.MQCA_Q_NAME]}, C.MQRC_SELECTOR_ERROR, C.MQCA_Q_NAME,
    ),
    Case(C.MQCMD_PING_Q_MGR, {}, queue(), NOT_TAKEN, C.MQCA_Q_NAME),
    Case(
        C.MQCMD_REFRESH_Q_MGR, {C.MQIACF_REFRESH_TYPE: C.MQRT_CONFIGURATION}, {}, FEW, C.MQIACF_REFRESH_TYPE,
        C.MQRCCF_EVENTS_DISABLED,
    ),
    Case(
        C.MQCMD_RESET_Q_MGR, {C.MQIACF_ACTION: C.MQACT_ADVANCE_LOG}, {}, FEW, C.MQIACF_ACTION, C.MQRCCF_LOG_TYPE_ERROR
    ),
    Case(C.MQCMD_SUSPEND_Q_MGR_CLUSTER, {C.MQCA_CLUSTER_NAME: "C"}, queue(), NOT_TAKEN, C.MQCA_Q_NAME, NOT_YET),
    Case(C.MQCMD_RESUME_Q_MGR_CLUSTER, {C.MQCA_CLUSTER_NAME: "C"}, queue(), NOT_TAKEN, C.MQCA_Q_NAME, NOT_YET),
    Case(C.MQCMD_INQUIRE_Q_MGR_STATUS, {}, queue(), NOT_TAKEN, C.MQCA_Q_NAME),
    Case(
        C.MQCMD_REFRESH_SECURITY, {}, {C.MQIACF_SECURITY_TYPE: 999}, C.MQRCCF_ATTR_VALUE_ERROR, C.MQIACF_SECURITY_TYPE
    ),
    Case(
        C.MQCMD_INQUIRE_CONNECTION, {C.MQBACF_GENERIC_CONNECTION_ID: b""}, {C.MQBACF_CONNECTION_ID: b"x" * 24},
        C.MQRCCF_CONNECTION_ID_ERROR, C.MQBACF_CONNECTION_ID,
    ),
    Case(
        C.MQCMD_STOP_CONNECTION, {C.MQBACF_CONNECTION_ID: b"AMQCQM1         " + (1).to_bytes(8, "big")},
        {C.MQBACF_CONNECTION_ID: b""}, C.MQRCCF_CONNECTION_ID_ERROR, C.MQBACF_CONNECTION_ID, NOT_HERE,
    ),
    # Channels and listeners
    Case(C.MQCMD_CREATE_CHANNEL, {**channel("NEW"), **SVRCONN}, channel("NEW"), FEW, C.MQIACH_CHANNEL_TYPE),
    Case(
        C.MQCMD_COPY_CHANNEL, {C.MQCACF_FROM_CHANNEL_NAME: "ONE", C.MQCACF_TO_CHANNEL_NAME: "TWO", **SVRCONN},
        {C.MQCACF_FROM_CHANNEL_NAME: "ONE", **SVRCONN}, FEW, C.MQCACF_TO_CHANNEL_NAME,
    ),
    Case(
        C.MQCMD_CHANGE_CHANNEL, {**channel(), **SVRCONN, C.MQCACH_DESC: "mine"}, {**channel("NONE"), **SVRCONN},
        C.MQRCCF_CHANNEL_NOT_FOUND,
    ),
    Case(C.MQCMD_INQUIRE_CHANNEL, channel("O*"), channel("NONE"), C.MQRCCF_CHANNEL_NOT_FOUND),
    Case(C.MQCMD_INQUIRE_CHANNEL_NAMES, channel("O*"), channel("NONE"), C.MQRCCF_CHANNEL_NOT_FOUND),
    Case(C.MQCMD_INQUIRE_CHANNEL_STATUS, channel(), {}, FEW, C.MQCACH_CHANNEL_NAME, C.MQRCCF_CHL_STATUS_NOT_FOUND),
    Case(C.MQCMD_START_CHANNEL, channel(), channel("NONE"), C.MQRCCF_CHANNEL_NOT_FOUND, 0, NOT_HERE),
    Case(C.MQCMD_STOP_CHANNEL, channel(), channel("NONE"), C.MQRCCF_CHANNEL_NOT_FOUND, 0, NOT_HERE),
    Case(C.MQCMD_PING_CHANNEL, channel(), {}, FEW, C.MQCACH_CHANNEL_NAME, C.MQRCCF_PING_ERROR),
    Case(C.MQCMD_RESET_CHANNEL, channel(), {}, FEW, C.MQCACH_CHANNEL_NAME, C.MQRCCF_CHANNEL_TYPE_ERROR),
    Case(
        C.MQCMD_RESOLVE_CHANNEL, {**channel(), C.MQIACH_IN_DOUBT: C.MQIDO_COMMIT}, channel(), FEW, C.MQIACH_IN_DOUBT,
        C.MQRCCF_CHANNEL_TYPE_ERROR,
    ),
    Case(C.MQCMD_DELETE_CHANNEL, channel(), channel("NONE"), C.MQRCCF_CHANNEL_NOT_FOUND),
    Case(C.MQCMD_START_CHANNEL_INIT, {}, queue(), NOT_TAKEN, C.MQCA_Q_NAME, NOT_HERE),
    *definable(
        (C.MQCMD_CREATE_LISTENER, C.MQCMD_COPY_LISTENER, C.MQCMD_CHANGE_LISTENER, C.MQCMD_DELETE_LISTENER),
        (C.MQCMD_INQUIRE_LISTENER,), C.MQCACH_LISTENER_NAME, C.MQCACF_FROM_LISTENER_NAME,
        C.MQCACF_TO_LISTENER_NAME, TCP,
    ),
    Case(C.MQCMD_START_CHANNEL_LISTENER, listener(), listener("NONE"), UNKNOWN, 0, NOT_HERE),
    Case(C.MQCMD_STOP_CHANNEL_LISTENER, listener(), listener("NONE"), UNKNOWN, 0, NOT_HERE),
    Case(
        C.MQCMD_INQUIRE_LISTENER_STATUS, {C.MQCACH_LISTENER_NAME: "*"}, {}, FEW, C.MQCACH_LISTENER_NAME,
        C.MQRCCF_LSTR_STATUS_NOT_FOUND,
    ),
    # Clusters
    Case(C.MQCMD_INQUIRE_CLUSTER_Q_MGR, {C.MQCA_CLUSTER_Q_MGR_NAME: "*"}, {}, FEW, C.MQCA_CLUSTER_Q_MGR_NAME, UNKNOWN),
    Case(C.MQCMD_REFRESH_CLUSTER, {C.MQCA_CLUSTER_NAME: "C"}, {}, FEW, C.MQCA_CLUSTER_NAME, NOT_YET),
    Case(C.MQCMD_RESET_CLUSTER, {C.MQCA_CLUSTER_NAME: "C"}, {}, FEW, C.MQCA_CLUSTER_NAME, NOT_YET),
    # Others
    *definable(
        (C.MQCMD_CREATE_SERVICE, C.MQCMD_COPY_SERVICE, C.MQCMD_CHANGE_SERVICE, C.MQCMD_DELETE_SERVICE),
        (C.MQCMD_INQUIRE_SERVICE,), C.MQCA_SERVICE_NAME, C.MQCACF_FROM_SERVICE_NAME, C.MQCACF_TO_SERVICE_NAME, {},
    ),
    Case(C.MQCMD_START_SERVICE, {C.MQCA_SERVICE_NAME: "ONE"}, {C.MQCA_SERVICE_NAME: "NONE"}, UNKNOWN, 0, NOT_HERE),
    Case(C.MQCMD_STOP_SERVICE, {C.MQCA_SERVICE_NAME: "ONE"}, {C.MQCA_SERVICE_NAME: "NONE"}, UNKNOWN, 0, NOT_HERE),
    Case(
        C.MQCMD_INQUIRE_SERVICE_STATUS, {C.MQCA_SERVICE_NAME: "*"}, {}, FEW, C.MQCA_SERVICE_NAME,
        C.MQRCCF_SERV_STATUS_NOT_FOUND,
    ),
    *definable(
        (C.MQCMD_CREATE_PROCESS, C.MQCMD_COPY_PROCESS, C.MQCMD_CHANGE_PROCESS, C.MQCMD_DELETE_PROCESS),
        (C.MQCMD_INQUIRE_PROCESS, C.MQCMD_INQUIRE_PROCESS_NAMES), C.MQCA_PROCESS_NAME, C.MQCACF_FROM_PROCESS_NAME,
        C.MQCACF_TO_PROCESS_NAME, {},
    ),
    *definable(
        (C.MQCMD_CREATE_NAMELIST, C.MQCMD_COPY_NAMELIST, C.MQCMD_CHANGE_NAMELIST, C.MQCMD_DELETE_NAMELIST),
        (C.MQCMD_INQUIRE_NAMELIST, C.MQCMD_INQUIRE_NAMELIST_NAMES), C.MQCA_NAMELIST_NAME, C.MQCACF_FROM_NAMELIST_NAME,
        C.MQCACF_TO_NAMELIST_NAME, {C.MQCA_NAMES: ["A", "BB"]},
    ),
    *definable(
        (C.MQCMD_CREATE_TOPIC, C.MQCMD_COPY_TOPIC, C.MQCMD_CHANGE_TOPIC, C.MQCMD_DELETE_TOPIC),
        (C.MQCMD_INQUIRE_TOPIC, C.MQCMD_INQUIRE_TOPIC_NAMES), C.MQCA_TOPIC_NAME, C.MQCACF_FROM_TOPIC_NAME,
        C.MQCACF_TO_TOPIC_NAME, {C.MQCA_TOPIC_STRING: "c/d"}, {C.MQCA_TOPIC_DESC: "mine"},
    ),
    *definable(
        (C.MQCMD_CREATE_AUTH_INFO, C.MQCMD_COPY_AUTH_INFO, C.MQCMD_CHANGE_AUTH_INFO, C.MQCMD_DELETE_AUTH_INFO),
        (C.MQCMD_INQUIRE_AUTH_INFO, C.MQCMD_INQUIRE_AUTH_INFO_NAMES), C.MQCA_AUTH_INFO_NAME,
        C.MQCACF_FROM_AUTH_INFO_NAME, C.MQCACF_TO_AUTH_INFO_NAME, IDPWOS,
    ),
    *definable(
        (C.MQCMD_CREATE_COMM_INFO, C.MQCMD_COPY_COMM_INFO, C.MQCMD_CHANGE_COMM_INFO, C.MQCMD_DELETE_COMM_INFO),
        (C.MQCMD_INQUIRE_COMM_INFO,), C.MQCA_COMM_INFO_NAME, C.MQCACF_FROM_COMM_INFO_NAME,
        C.MQCACF_TO_COMM_INFO_NAME, {},
    ),
    # Publish/subscribe
    *(
        Case(code, {C.MQCACF_SUB_NAME: "ONE"}, {}, FEW, C.MQCACF_SUB_NAME, NOT_YET)
        for code in (C.MQCMD_CREATE_SUBSCRIPTION, C.MQCMD_CHANGE_SUBSCRIPTION, C.MQCMD_DELETE_SUBSCRIPTION)
    ),
    Case(
        C.MQCMD_COPY_SUBSCRIPTION, {C.MQCACF_FROM_SUB_NAME: "ONE", C.MQCACF_TO_SUB_NAME: "TWO"},
        {C.MQCACF_TO_SUB_NAME: "TWO"}, FEW, C.MQCACF_FROM_SUB_NAME, NOT_YET,
    ),
    Case(C.MQCMD_INQUIRE_SUBSCRIPTION, {C.MQCACF_SUB_NAME: "*"}, {}, FEW, C.MQCACF_SUB_NAME, C.MQRC_NO_SUBSCRIPTION),
    Case(C.MQCMD_INQUIRE_SUB_STATUS, {C.MQCACF_SUB_NAME: "*"}, {}, FEW, C.MQCACF_SUB_NAME, C.MQRC_NO_SUBSCRIPTION),
    Case(C.MQCMD_INQUIRE_TOPIC_STATUS, TOPIC, {}, FEW, C.MQCA_TOPIC_STRING, NOT_YET),
    Case(
        C.MQCMD_CLEAR_TOPIC_STRING, {**TOPIC, C.MQIACF_CLEAR_TYPE: C.MQCLRT_RETAINED}, TOPIC, FEW, C.MQIACF_CLEAR_TYPE,
        NOT_YET,
    ),
    Case(C.MQCMD_INQUIRE_PUBSUB_STATUS, {}, queue(), NOT_TAKEN, C.MQCA_Q_NAME),
    # Security
    Case(
        C.MQCMD_SET_AUTH_REC,
        {
            C.MQCACF_AUTH_PROFILE_NAME: "A.**", C.MQIACF_OBJECT_TYPE: C.MQOT_Q,
            C.MQIACF_AUTH_ADD_AUTHS: [C.MQAUTH_INPUT, C.MQAUTH_OUTPUT], C.MQCACF_GROUP_ENTITY_NAMES: ["nobody"],
        },
        {C.MQCACF_AUTH_PROFILE_NAME: "A.**"}, FEW, C.MQIACF_OBJECT_TYPE,
    ),
    Case(
        C.MQCMD_DELETE_AUTH_REC,
        {
            C.MQCACF_AUTH_PROFILE_NAME: "ONE", C.MQIACF_OBJECT_TYPE: C.MQOT_Q, C.MQCACF_GROUP_ENTITY_NAMES: ["nobody"],
        },
        {C.MQIACF_OBJECT_TYPE: 12345}, C.MQRCCF_ATTR_VALUE_ERROR, C.MQIACF_OBJECT_TYPE,
    ),
    Case(
        C.MQCMD_INQUIRE_AUTH_RECS,
        {
            C.MQIACF_AUTH_OPTIONS: C.MQAUTHOPT_NAME_ALL_MATCHING + C.MQAUTHOPT_ENTITY_EXPLICIT,
            C.MQCACF_AUTH_PROFILE_NAME: "ONE", C.MQIACF_OBJECT_TYPE: C.MQOT_Q,
        },
        {C.MQIACF_AUTH_OPTIONS: 1 << 20}, C.MQRCCF_CFIN_PARM_ID_ERROR, C.MQIACF_AUTH_OPTIONS,
    ),
    Case(
        C.MQCMD_INQUIRE_ENTITY_AUTH,
        {
            C.MQIACF_OBJECT_TYPE: C.MQOT_Q, C.MQCACF_OBJECT_NAME: "ONE", C.MQCACF_ENTITY_NAME: "nobody",
            C.MQIACF_ENTITY_TYPE: C.MQZAET_GROUP,
        },
        {C.MQCACF_OBJECT_NAME: "ONE"}, FEW, C.MQIACF_OBJECT_TYPE,
    ),
    Case(
        C.MQCMD_INQUIRE_AUTH_SERVICE, {C.MQIACF_AUTH_SERVICE_ATTRS: [C.MQIACF_ALL]},
        {C.MQIACF_AUTH_SERVICE_ATTRS: [-1]}, C.MQRC_SELECTOR_ERROR, -1,
    ),
    Case(
        C.MQCMD_SET_CHLAUTH_REC,
        {**channel("CH"), C.MQIACF_CHLAUTH_TYPE: C.MQCAUT_BLOCKUSER, C.MQCACH_MCA_USER_ID_LIST: ["mallory"]},
        channel("CH"), FEW, C.MQIACF_CHLAUTH_TYPE,
    ),
    Case(C.MQCMD_INQUIRE_CHLAUTH_RECS, channel("*"), {}, FEW, C.MQCACH_CHANNEL_NAME),
]  # fmt: skip


def prepare(qm: QueueManager) -> None:
    """An object called ONE of each kind."""
    for text in (
        "DEFINE QLOCAL(ONE)", "DEFINE QLOCAL(OTHER)", "DEFINE CHANNEL(ONE) CHLTYPE(SVRCONN)",
        "DEFINE LISTENER(ONE) TRPTYPE(TCP)", "DEFINE SERVICE(ONE)", "DEFINE PROCESS(ONE)", "DEFINE NAMELIST(ONE)",
        "DEFINE TOPIC(ONE) TOPICSTR('one')", "DEFINE AUTHINFO(ONE) AUTHTYPE(IDPWOS)", "DEFINE COMMINFO(ONE)",
        "SET AUTHREC PROFILE(ONE) OBJTYPE(QUEUE) GROUP('nobody') AUTHADD(GET)",
    ):  # fmt: skip
        (answer,) = qm.mqsc(text)
        assert not answer.reason, answer.lines


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with temporary_queue_manager() as made:
        prepare(made)
        yield made


def _name(case: Case) -> str:
    return next(name for name, value in vars(C).items() if name.startswith("MQCMD_") and value == case.code)


def test_the_cases_are_all_commands_of_the_table() -> None:
    assert {case.code for case in CASES} == set(BY_PCF)


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_command(qm: QueueManager, case: Case) -> None:
    with Sender(qm.mqi) as sender:
        before = definitions(qm)
        assert sender.refused(case.code, case.bad) == (case.wrong, case.about)
        assert definitions(qm) == before
        if case.reason:
            assert sender.refused(case.code, case.good)[0] == case.reason
            assert definitions(qm) == before
        else:
            sender.done(case.code, case.good)
        assert sender.nothing_more()


@pytest.mark.parametrize("case", [case for case in CASES if BY_PCF[case.code][0].shows], ids=_name)
def test_what_is_inquired_can_be_read_in_another_character_set_and_byte_order(qm: QueueManager, case: Case) -> None:
    """The command in EBCDIC with the integers the other way round; the reply is converted by the get."""
    from helper_pcf import parameters_of

    from libremq.mqi.pcf import MQCFH, pack_message

    data = pack_message(MQCFH(Command=case.code), parameters_of(case.good), big_endian=True, charset="cp500")
    with Sender(qm.mqi) as sender:
        found = sender.replies(sender.put(data, CodedCharSetId=500, Encoding=C.MQENC_S390))
        assert found[0].reason == case.reason, named(found)


def definitions(qm: QueueManager) -> dict[str, Any]:
    """All that commands could have changed."""
    kinds = ("QUEUE", "CHANNEL", "LISTENER", "SERVICE", "PROCESS", "NAMELIST", "TOPIC", "AUTHINFO", "COMMINFO", "QMGR")
    found: dict[str, Any] = {}
    for kind in kinds:
        name = "" if kind == "QMGR" else "(*)"
        (answer,) = qm.mqsc(f"DISPLAY {kind}{name} ALL")
        assert answer.rows, answer.lines
        found[kind] = [
            {key: value for key, value in row.items() if key not in ("curdepth", "ipprocs", "opprocs")}
            for row in answer.rows
            if not str(row.get("queue", "")).startswith("PCF.TEST.")
        ]
    for text in ("DISPLAY AUTHREC", "DISPLAY CHLAUTH(*) ALL"):
        (answer,) = qm.mqsc(text)
        found[text] = answer.rows
    return found
