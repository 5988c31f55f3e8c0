"""What parameters mean to a command, and what its replies say: over the client API, with real messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helper_pcf import Sender, command, failure, named, parameters_of

from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFBF, MQCFBS, MQCFGR, MQCFIF, MQCFIL, MQCFIN, MQCFIN64, MQCFSF, MQCFSL, MQCFST
from libremq.testing import temporary_queue_manager

NAME, QTYPE, DEPTH = C.MQCA_Q_NAME, C.MQIA_Q_TYPE, C.MQIA_MAX_Q_DEPTH
CHANNEL = C.MQCACH_CHANNEL_NAME
LOCAL = {QTYPE: C.MQQT_LOCAL}


@pytest.fixture(scope="module")
def shared() -> Iterator[QueueManager]:
    """For tests that change nothing but queues of their own."""
    with temporary_queue_manager() as made:
        for text in (
            "DEFINE QLOCAL(IN.1) DESCR('first') MAXDEPTH(10)", "DEFINE QLOCAL(IN.2) DESCR('second') MAXDEPTH(20)",
            "DEFINE QLOCAL(IN.3) DESCR('other') MAXDEPTH(30)", "DEFINE QALIAS(IN.4) TARGET(IN.1)",
            "DEFINE QREMOTE(IN.5) RNAME(X) RQMNAME(Y)", "DEFINE QMODEL(IN.6)",
            "DEFINE NAMELIST(NL.1) NAMES(A,B.B)", "DEFINE NAMELIST(NL.2) NAMES(C)", "DEFINE NAMELIST(NL.3)",
        ):  # fmt: skip
            (answer,) = made.mqsc(text)
            assert not answer.reason, answer.lines
        yield made


@pytest.fixture
def sender(shared: QueueManager) -> Iterator[Sender]:
    with Sender(shared.mqi) as made:
        yield made
        assert made.nothing_more()


def names(found: list[Any]) -> list[str]:
    return [reply[NAME] for reply in found]


# Replies


def test_one_reply_for_each_queue(sender: Sender) -> None:
    found = sender.done(C.MQCMD_INQUIRE_Q, {NAME: "IN.*"})
    assert names(found) == ["IN.1", "IN.2", "IN.3", "IN.4", "IN.5", "IN.6"]
    assert [reply.header.Control for reply in found] == [C.MQCFC_NOT_LAST] * 5 + [C.MQCFC_LAST]
    assert [reply.header.MsgSeqNumber for reply in found] == [1, 2, 3, 4, 5, 6]
    types = [C.MQQT_LOCAL] * 3 + [C.MQQT_ALIAS, C.MQQT_REMOTE, C.MQQT_MODEL]
    assert [reply[QTYPE] for reply in found] == types


def test_texts_are_filled_with_blanks(sender: Sender) -> None:
    (reply,) = sender.done(C.MQCMD_INQUIRE_Q, {NAME: "IN.1", C.MQIACF_Q_ATTRS: [C.MQCA_Q_DESC]})
    lengths = {one.Parameter: one.StringLength for one in reply.parameters if isinstance(one, MQCFST)}
    assert lengths == {NAME: C.MQ_Q_NAME_LENGTH, C.MQCA_Q_DESC: C.MQ_Q_DESC_LENGTH}


def test_only_what_is_asked_for_and_what_tells_which_queue_it_is(sender: Sender) -> None:
    (reply,) = sender.done(C.MQCMD_INQUIRE_Q, {NAME: "IN.2", C.MQIACF_Q_ATTRS: [DEPTH]})
    assert {one.Parameter for one in reply.parameters} == {NAME, QTYPE, DEPTH}
    assert reply[DEPTH] == 20


@pytest.mark.parametrize("given", [{}, {C.MQIACF_Q_ATTRS: [C.MQIACF_ALL]}, {C.MQIACF_Q_ATTRS: C.MQIACF_ALL}])
def test_everything(sender: Sender, given: dict[int, Any]) -> None:
    (reply,) = sender.done(C.MQCMD_INQUIRE_Q, {NAME: "IN.1", **given})
    assert len(reply.parameters) > 40
    assert reply[C.MQIA_CURRENT_Q_DEPTH] == 0


def test_names_are_one_message_of_lists(sender: Sender) -> None:
    (reply,) = sender.done(C.MQCMD_INQUIRE_Q_NAMES, {NAME: "IN.*", QTYPE: C.MQQT_LOCAL})
    assert reply[C.MQCACF_Q_NAMES] == ["IN.1", "IN.2", "IN.3"]
    assert reply[C.MQIACF_Q_TYPES] == [C.MQQT_LOCAL] * 3
    (reply,) = sender.done(C.MQCMD_INQUIRE_NAMELIST_NAMES, {C.MQCA_NAMELIST_NAME: "NL.*"})
    assert reply[C.MQCACF_NAMELIST_NAMES] == ["NL.1", "NL.2", "NL.3"]


def test_lists(sender: Sender) -> None:
    found = sender.done(C.MQCMD_INQUIRE_NAMELIST, {C.MQCA_NAMELIST_NAME: "NL.*"})
    assert [reply[C.MQCA_NAMES] for reply in found] == [["A", "B.B"], ["C"], []]
    assert [reply[C.MQIA_NAME_COUNT] for reply in found] == [2, 1, 0]


def test_groups_of_attributes(sender: Sender) -> None:
    (reply,) = sender.done(C.MQCMD_INQUIRE_Q_MGR, {C.MQIACF_Q_MGR_ATTRS: [C.MQIACF_Q_MGR_EVENT, C.MQCA_Q_MGR_DESC]})
    found = {one.Parameter for one in reply.parameters}
    assert {C.MQIA_AUTHORITY_EVENT, C.MQIA_COMMAND_EVENT, C.MQCA_Q_MGR_DESC, C.MQCA_Q_MGR_NAME} <= found
    assert C.MQIA_MAX_MSG_LENGTH not in found


def test_an_extended_command_gets_standard_replies(sender: Sender) -> None:
    found = sender.send(C.MQCMD_INQUIRE_Q, {NAME: "IN.*"}, Type=C.MQCFT_COMMAND_XR, Version=3)
    assert len(found) == 6
    assert all(reply.header.Type == C.MQCFT_RESPONSE and reply.header.Version == 3 for reply in found)


def test_a_connection_is_24_bytes(sender: Sender) -> None:
    found = sender.done(C.MQCMD_INQUIRE_CONNECTION, {C.MQBACF_GENERIC_CONNECTION_ID: b""})
    mine = found[0][C.MQBACF_CONNECTION_ID]
    assert len(mine) == C.MQ_CONNECTION_ID_LENGTH and mine.startswith(b"AMQCQM1")
    for selector, value in ((C.MQBACF_CONNECTION_ID, mine), (C.MQBACF_GENERIC_CONNECTION_ID, mine[:20])):
        found = sender.done(C.MQCMD_INQUIRE_CONNECTION, {selector: value})
        assert mine in [reply[C.MQBACF_CONNECTION_ID] for reply in found]
    asked = {C.MQBACF_CONNECTION_ID: mine, C.MQIACF_CONN_INFO_TYPE: C.MQIACF_CONN_INFO_HANDLE}
    held = [reply[C.MQCACF_OBJECT_NAME] for reply in sender.done(C.MQCMD_INQUIRE_CONNECTION, asked)]
    assert sender.queue in held
    both = {C.MQBACF_CONNECTION_ID: mine, C.MQBACF_GENERIC_CONNECTION_ID: mine}
    assert sender.refused(C.MQCMD_INQUIRE_CONNECTION, both)[0] == C.MQRCCF_PARM_CONFLICT


# Filters


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (MQCFIF(Parameter=DEPTH, Operator=C.MQCFOP_LESS, FilterValue=20), ["IN.1"]),
        (MQCFIF(Parameter=DEPTH, Operator=C.MQCFOP_NOT_LESS, FilterValue=20), ["IN.2", "IN.3", "IN.6"]),
        (MQCFIF(Parameter=DEPTH, Operator=C.MQCFOP_EQUAL, FilterValue=20), ["IN.2"]),
        (MQCFIF(Parameter=QTYPE, Operator=C.MQCFOP_EQUAL, FilterValue=C.MQQT_ALIAS), ["IN.4"]),
        (MQCFSF(Parameter=C.MQCA_Q_DESC, Operator=C.MQCFOP_LIKE, FilterValue="sec*"), ["IN.2"]),
        (MQCFSF(Parameter=C.MQCA_Q_DESC, Operator=C.MQCFOP_EQUAL, FilterValue="other"), ["IN.3"]),
        (MQCFSF(Parameter=C.MQCA_BASE_OBJECT_NAME, Operator=C.MQCFOP_EQUAL, FilterValue="IN.1"), ["IN.4"]),
    ],
)
def test_filters(sender: Sender, one: MQCFIF | MQCFSF, expected: list[str]) -> None:
    asked = parameters_of({NAME: "IN.*", C.MQIACF_Q_ATTRS: [C.MQCA_CREATION_DATE]})
    found = sender.done(C.MQCMD_INQUIRE_Q, [*asked, one])
    assert names(found) == expected
    assert all(one.Parameter in reply for reply in found)


def test_filters_on_lists(sender: Sender) -> None:
    every = parameters_of({C.MQCA_NAMELIST_NAME: "NL.*"})
    one = MQCFSF(Parameter=C.MQCA_NAMES, Operator=C.MQCFOP_CONTAINS, FilterValue="A")
    assert len(sender.done(C.MQCMD_INQUIRE_NAMELIST, [*every, one])) == 1
    one = MQCFSF(Parameter=C.MQCA_NAMES, Operator=C.MQCFOP_CONTAINS_GEN, FilterValue="B*")
    (found,) = sender.done(C.MQCMD_INQUIRE_NAMELIST, [*every, one])
    assert found[C.MQCA_NAMELIST_NAME] == "NL.1"


@pytest.mark.parametrize(
    ("filters", "reason", "about"),
    [
        ([MQCFIF(Parameter=1, Operator=2)], C.MQRCCF_CFIF_PARM_ID_ERROR, 1),
        ([MQCFIF(Parameter=C.MQCA_Q_DESC, Operator=2)], C.MQRCCF_CFIF_PARM_ID_ERROR, C.MQCA_Q_DESC),
        ([MQCFIF(Parameter=DEPTH, Operator=99)], C.MQRCCF_CFIF_OPERATOR_ERROR, DEPTH),
        ([MQCFIF(Parameter=DEPTH, Operator=C.MQCFOP_LIKE)], C.MQRCCF_CFIF_OPERATOR_ERROR, DEPTH),
        ([MQCFSF(Parameter=DEPTH, Operator=2)], C.MQRCCF_CFSF_PARM_ID_ERROR, DEPTH),
        ([MQCFSF(Parameter=C.MQCA_Q_DESC, Operator=0)], C.MQRCCF_CFSF_OPERATOR_ERROR, C.MQCA_Q_DESC),
        ([MQCFBF(Parameter=DEPTH, Operator=2)], C.MQRCCF_CFBF_PARM_ID_ERROR, DEPTH),
        ([MQCFIF(Parameter=DEPTH, Operator=2)] * 2, C.MQRCCF_TOO_MANY_FILTERS, DEPTH),
    ],
)
def test_filters_that_are_wrong(sender: Sender, filters: list[Any], reason: int, about: int) -> None:
    assert sender.refused(C.MQCMD_INQUIRE_Q, [*parameters_of({NAME: "*"}), *filters]) == (reason, about)


def test_no_filter_where_nothing_is_shown(sender: Sender) -> None:
    one = MQCFIF(Parameter=DEPTH, Operator=2)
    for code in (C.MQCMD_CLEAR_Q, C.MQCMD_INQUIRE_Q_NAMES):
        found = sender.refused(code, [*parameters_of({NAME: "IN.1"}), one])
        assert found == (C.MQRCCF_CFIF_PARM_ID_ERROR, DEPTH)


# Parameters


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [
        (MQCFIN(Parameter=C.MQIACH_BATCH_SIZE), C.MQRCCF_CFIN_PARM_ID_ERROR),
        (MQCFIN64(Parameter=C.MQIACH_BATCH_SIZE), C.MQRCCF_CFIN_PARM_ID_ERROR),
        (MQCFST(Parameter=C.MQCACH_DESC), C.MQRCCF_CFST_PARM_ID_ERROR),
        (MQCFIL(Parameter=C.MQIACF_Q_ATTRS), C.MQRCCF_CFIL_PARM_ID_ERROR),
        (MQCFSL(Parameter=C.MQCA_NAMES), C.MQRCCF_CFSL_PARM_ID_ERROR),
        (MQCFBS(Parameter=C.MQBACF_CONNECTION_ID), C.MQRCCF_CFBS_PARM_ID_ERROR),
        (MQCFGR(Parameter=C.MQGACF_COMMAND_DATA), C.MQRCCF_CFGR_PARM_ID_ERROR),
        # Known, but not in such a structure
        (MQCFST(Parameter=DEPTH, String="5"), C.MQRCCF_CFST_PARM_ID_ERROR),
        (MQCFIN(Parameter=C.MQCA_Q_DESC), C.MQRCCF_CFIN_PARM_ID_ERROR),
        (MQCFBS(Parameter=C.MQCA_Q_DESC, String=b"x"), C.MQRCCF_CFBS_PARM_ID_ERROR),
        # Of another type of queue, and LIKE, which is a command of its own here
        (MQCFST(Parameter=C.MQCA_REMOTE_Q_NAME, String="X"), C.MQRCCF_CFST_PARM_ID_ERROR),
        (MQCFST(Parameter=C.MQCACF_FROM_Q_NAME, String="X"), C.MQRCCF_CFST_PARM_ID_ERROR),
    ],
)
def test_parameters_that_a_command_does_not_take(sender: Sender, parameter: Any, reason: int) -> None:
    given = [*parameters_of({NAME: "NEW", **LOCAL}), parameter]
    assert sender.refused(C.MQCMD_CREATE_Q, given, Version=3) == (reason, parameter.Parameter)
    assert sender.refused(C.MQCMD_INQUIRE_Q, {NAME: "NEW"})[0] == C.MQRC_UNKNOWN_OBJECT_NAME


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [
        (MQCFIN(Parameter=DEPTH, Value=1), C.MQRCCF_CFIN_DUPLICATE_PARM),
        (MQCFST(Parameter=C.MQCA_Q_DESC, String="x"), C.MQRCCF_CFST_DUPLICATE_PARM),
        (MQCFSL(Parameter=C.MQCA_NAMES, Strings=["x"]), C.MQRCCF_CFSL_DUPLICATE_PARM),
        (MQCFBS(Parameter=C.MQBACF_CONNECTION_ID, String=b"x"), C.MQRCCF_CFBS_DUPLICATE_PARM),
    ],
)
def test_a_parameter_that_is_given_twice(sender: Sender, parameter: Any, reason: int) -> None:
    given = [*parameters_of({NAME: "NEW", **LOCAL}), parameter, parameter]
    assert sender.refused(C.MQCMD_CREATE_Q, given) == (reason, parameter.Parameter)


@pytest.mark.parametrize(
    ("code", "given", "reason", "about"),
    [
        (C.MQCMD_INQUIRE_Q, {NAME: "*", C.MQIACF_Q_ATTRS: [DEPTH, DEPTH]}, C.MQRCCF_CFIL_DUPLICATE_VALUE, DEPTH),
        (C.MQCMD_INQUIRE_Q, {NAME: "*", C.MQIACF_Q_ATTRS: [DEPTH, 0]}, C.MQRC_SELECTOR_ERROR, 0),
        (C.MQCMD_INQUIRE_Q, {NAME: "*", C.MQIACF_Q_ATTRS: "x"}, C.MQRCCF_CFST_PARM_ID_ERROR, C.MQIACF_Q_ATTRS),
        (C.MQCMD_INQUIRE_Q_NAMES, {NAME: "*", C.MQIACF_Q_ATTRS: [1]}, C.MQRCCF_CFIL_PARM_ID_ERROR, C.MQIACF_Q_ATTRS),
        (C.MQCMD_INQUIRE_Q, {NAME: 5}, C.MQRCCF_CFIN_PARM_ID_ERROR, NAME),
        (C.MQCMD_INQUIRE_Q, {NAME: ""}, C.MQRCCF_CFST_STRING_LENGTH_ERR, NAME),
        (C.MQCMD_INQUIRE_Q, {NAME: "N" * 49}, C.MQRCCF_CFST_STRING_LENGTH_ERR, NAME),
        (C.MQCMD_INQUIRE_Q, {}, C.MQRCCF_PARM_COUNT_TOO_SMALL, NAME),
        (C.MQCMD_CREATE_Q, {NAME: "NEW", QTYPE: 77}, C.MQRCCF_Q_TYPE_ERROR, QTYPE),
        (C.MQCMD_CREATE_Q, {NAME: "NEW", QTYPE: "x"}, C.MQRCCF_CFST_PARM_ID_ERROR, QTYPE),
        (
            C.MQCMD_CREATE_Q, {NAME: "NEW", **LOCAL, C.MQCA_Q_DESC: "x" * 65}, C.MQRCCF_CFST_STRING_LENGTH_ERR,
            C.MQCA_Q_DESC,
        ),
        (C.MQCMD_CREATE_Q, {NAME: "NEW", **LOCAL, C.MQIACF_REPLACE: 5}, C.MQRCCF_ATTR_VALUE_ERROR, C.MQIACF_REPLACE),
        (C.MQCMD_CREATE_Q, {NAME: "IN.1", **LOCAL}, C.MQRCCF_OBJECT_ALREADY_EXISTS, 0),
        (C.MQCMD_CREATE_Q, {NAME: "not a name", **LOCAL}, C.MQRCCF_OBJECT_NAME_ERROR, 0),
        (C.MQCMD_CHANGE_Q, {NAME: "IN.4", **LOCAL, DEPTH: 5}, C.MQRCCF_OBJECT_WRONG_TYPE, 0),
        (C.MQCMD_START_CHANNEL, {CHANNEL: "A.*"}, C.MQRCCF_CHANNEL_NAME_ERROR, 0),
        (
            C.MQCMD_PING_CHANNEL, {CHANNEL: "A", C.MQIACH_DATA_COUNT: 5}, C.MQRCCF_PING_DATA_COUNT_ERROR,
            C.MQIACH_DATA_COUNT,
        ),
        (C.MQCMD_STOP_CHANNEL, {CHANNEL: "A", C.MQIACF_MODE: 99}, C.MQRCCF_MODE_VALUE_ERROR, C.MQIACF_MODE),
        (
            C.MQCMD_RESOLVE_CHANNEL, {CHANNEL: "A", C.MQIACH_IN_DOUBT: 7}, C.MQRCCF_INDOUBT_VALUE_ERROR,
            C.MQIACH_IN_DOUBT,
        ),
        (
            C.MQCMD_RESET_CHANNEL, {CHANNEL: "A", C.MQIACH_MSG_SEQUENCE_NUMBER: 0}, C.MQRCCF_MSG_SEQ_NUMBER_ERROR,
            C.MQIACH_MSG_SEQUENCE_NUMBER,
        ),
        (
            C.MQCMD_DELETE_CHANNEL, {CHANNEL: "A", C.MQIACH_CHANNEL_TABLE: 9}, C.MQRCCF_CHANNEL_TABLE_ERROR,
            C.MQIACH_CHANNEL_TABLE,
        ),
        (
            C.MQCMD_INQUIRE_CHANNEL_STATUS, {CHANNEL: "A", C.MQIACH_CHANNEL_INSTANCE_TYPE: 4711},
            C.MQRCCF_CHL_INST_TYPE_ERROR, C.MQIACH_CHANNEL_INSTANCE_TYPE,
        ),
        (C.MQCMD_NONE, {}, C.MQRCCF_CFH_COMMAND_ERROR, 0),
        (C.MQCMD_INQUIRE_ARCHIVE, {}, C.MQRCCF_CFH_COMMAND_ERROR, 0),
        (-1, {}, C.MQRCCF_CFH_COMMAND_ERROR, 0),
    ],
)  # fmt: skip
def test_refusals(sender: Sender, code: int, given: dict[int, Any], reason: int, about: int) -> None:
    assert sender.refused(code, given) == (reason, about)


def test_blanks_and_nulls_behind_a_text_do_not_count(sender: Sender) -> None:
    (reply,) = sender.done(C.MQCMD_INQUIRE_Q, {NAME: "IN.1".ljust(48)})
    assert reply[NAME] == "IN.1"
    data = command(C.MQCMD_INQUIRE_Q, {NAME: "IN.1XXXX"}).replace(b"IN.1XXXX", b"IN.1\0\0\0\0")
    (reply,) = sender.replies(sender.put(data))
    assert reply[NAME] == "IN.1"


def test_a_number_may_have_64_bits(sender: Sender) -> None:
    sender.done(C.MQCMD_CREATE_Q, {NAME: "WIDE", **LOCAL})
    change = [*parameters_of({NAME: "WIDE", **LOCAL}), MQCFIN64(Parameter=DEPTH, Value=7)]
    sender.done(C.MQCMD_CHANGE_Q, change)
    assert sender.done(C.MQCMD_INQUIRE_Q, {NAME: "WIDE"})[0][DEPTH] == 7
    change[-1] = MQCFIN64(Parameter=DEPTH, Value=1 << 40)
    assert sender.refused(C.MQCMD_CHANGE_Q, change) == (C.MQRCCF_ATTR_VALUE_ERROR, DEPTH)
    sender.done(C.MQCMD_DELETE_Q, {NAME: "WIDE"})


def test_copy_takes_the_other_queue_and_what_is_to_be_different(sender: Sender) -> None:
    given = {C.MQCACF_FROM_Q_NAME: "IN.3", C.MQCACF_TO_Q_NAME: "COPY", **LOCAL, C.MQCA_Q_DESC: "a copy"}
    sender.done(C.MQCMD_COPY_Q, given)
    (reply,) = sender.done(C.MQCMD_INQUIRE_Q, {NAME: "COPY"})
    assert (reply[DEPTH], reply[C.MQCA_Q_DESC]) == (30, "a copy")
    assert sender.refused(C.MQCMD_COPY_Q, given)[0] == C.MQRCCF_OBJECT_ALREADY_EXISTS
    sender.done(C.MQCMD_COPY_Q, {**given, C.MQIACF_REPLACE: C.MQRP_YES})
    sender.done(C.MQCMD_DELETE_Q, {NAME: "COPY", **LOCAL})


def test_delete_finds_the_type_itself(sender: Sender) -> None:
    for kind in (C.MQQT_LOCAL, C.MQQT_ALIAS, C.MQQT_REMOTE, C.MQQT_MODEL):
        sender.done(C.MQCMD_CREATE_Q, {NAME: "GOES", QTYPE: kind})
        sender.done(C.MQCMD_DELETE_Q, {NAME: "GOES"})
    sender.done(C.MQCMD_CREATE_Q, {NAME: "GOES", QTYPE: C.MQQT_ALIAS})
    assert sender.refused(C.MQCMD_DELETE_Q, {NAME: "GOES", **LOCAL})[0] == C.MQRCCF_OBJECT_WRONG_TYPE
    sender.done(C.MQCMD_DELETE_Q, {NAME: "GOES"})


def test_purge(shared: QueueManager, sender: Sender) -> None:
    sender.done(C.MQCMD_CREATE_Q, {NAME: "FULL", **LOCAL})
    shared.put("FULL", "message")
    assert sender.refused(C.MQCMD_DELETE_Q, {NAME: "FULL"})[0] == C.MQRC_Q_NOT_EMPTY
    sender.done(C.MQCMD_DELETE_Q, {NAME: "FULL", C.MQIACF_PURGE: C.MQPO_YES})


def test_authority_records(sender: Sender) -> None:
    record = {
        C.MQCACF_AUTH_PROFILE_NAME: "PCF.**", C.MQIACF_OBJECT_TYPE: C.MQOT_Q, C.MQCACF_GROUP_ENTITY_NAMES: ["nobody"],
    }  # fmt: skip
    sender.done(C.MQCMD_SET_AUTH_REC, {**record, C.MQIACF_AUTH_ADD_AUTHS: [C.MQAUTH_INPUT, C.MQAUTH_BROWSE]})
    asked = {
        C.MQIACF_AUTH_OPTIONS: C.MQAUTHOPT_NAME_ALL_MATCHING + C.MQAUTHOPT_ENTITY_EXPLICIT,
        C.MQCACF_AUTH_PROFILE_NAME: "PCF.QUEUE", C.MQIACF_OBJECT_TYPE: C.MQOT_Q, C.MQCACF_ENTITY_NAME: "nobody",
        C.MQIACF_ENTITY_TYPE: C.MQZAET_GROUP,
    }  # fmt: skip
    (reply,) = sender.done(C.MQCMD_INQUIRE_AUTH_RECS, asked)
    assert reply[C.MQCACF_AUTH_PROFILE_NAME] == "PCF.**"
    assert sorted(reply[C.MQIACF_AUTHORIZATION_LIST]) == sorted([C.MQAUTH_INPUT, C.MQAUTH_BROWSE])
    exact = {**asked, C.MQIACF_AUTH_OPTIONS: C.MQAUTHOPT_NAME_EXPLICIT + C.MQAUTHOPT_ENTITY_EXPLICIT}
    assert sender.refused(C.MQCMD_INQUIRE_AUTH_RECS, exact)[0] == C.MQRCCF_NONE_FOUND
    sender.done(C.MQCMD_DELETE_AUTH_REC, record)
    assert sender.refused(C.MQCMD_INQUIRE_AUTH_RECS, asked)[0] == C.MQRCCF_NONE_FOUND


# MQSC in a PCF message


def escape(text: str) -> dict[int, Any]:
    return {C.MQIACF_ESCAPE_TYPE: C.MQET_MQSC, C.MQCACF_ESCAPE_TEXT: text}


def test_escape(sender: Sender) -> None:
    found = sender.done(C.MQCMD_ESCAPE, escape("DISPLAY QLOCAL(IN.1) MAXDEPTH"))
    lines = [reply[C.MQCACF_ESCAPE_TEXT] for reply in found]
    assert lines[0].startswith("AMQ8409I")
    assert any("MAXDEPTH(10)" in line for line in lines)
    assert all(reply[C.MQIACF_ESCAPE_TYPE] == C.MQET_MQSC for reply in found)


def test_escape_shows_nothing_that_steers_a_terminal(sender: Sender) -> None:
    sender.done(C.MQCMD_ESCAPE, escape("ALTER QLOCAL(IN.1) DESCR('a\x1b[2J\u202eb\u2066')"))
    found = sender.done(C.MQCMD_ESCAPE, escape("DISPLAY QLOCAL(IN.1) DESCR"))
    assert any("DESCR(a.[2J.b.)" in reply[C.MQCACF_ESCAPE_TEXT] for reply in found), named(found)


def test_escape_of_what_fails_tells_the_lines_and_the_reason(sender: Sender) -> None:
    for text, message in (("DISPLAY QLOCAL(NONE)", "AMQ8147E"), ("DISPLAY NONSENSE", "AMQ8405")):
        found = sender.send(C.MQCMD_ESCAPE, escape(text))
        assert message in found[0][C.MQCACF_ESCAPE_TEXT], named(found)
        assert found[0].reason and found[0].header.CompCode == C.MQCC_FAILED
        assert found[-1].reason == C.MQRCCF_COMMAND_FAILED and not found[-1].parameters


@pytest.mark.parametrize(
    ("given", "reason", "about"),
    [
        ({}, C.MQRCCF_PARM_COUNT_TOO_SMALL, C.MQIACF_ESCAPE_TYPE),
        ({C.MQIACF_ESCAPE_TYPE: C.MQET_MQSC}, C.MQRCCF_PARM_COUNT_TOO_SMALL, C.MQCACF_ESCAPE_TEXT),
        ({**escape("PING QMGR"), C.MQIACF_ESCAPE_TYPE: 9}, C.MQRCCF_ESCAPE_TYPE_ERROR, C.MQIACF_ESCAPE_TYPE),
        ({**escape("PING QMGR"), NAME: "X"}, C.MQRCCF_PARM_COUNT_TOO_BIG, 0),
        ({**escape(""), C.MQCACF_ESCAPE_TEXT: 5}, C.MQRCCF_CFST_PARM_ID_ERROR, C.MQCACF_ESCAPE_TEXT),
        (escape(""), C.MQRCCF_PARM_VALUE_ERROR, C.MQCACF_ESCAPE_TEXT),
        (escape("* a comment"), C.MQRCCF_PARM_VALUE_ERROR, C.MQCACF_ESCAPE_TEXT),
    ],
)
def test_escape_that_is_wrong(sender: Sender, given: dict[int, Any], reason: int, about: int) -> None:
    assert failure(sender.send(C.MQCMD_ESCAPE, given)) == (reason, about)
