"""The rules table of the dead-letter queue handler: what is understood, what is refused and how, what fits what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH, MQMD
from libremq.tools.dead_letter_rules import Control, RulesError, parse_rules


def problems(text: str) -> list[str]:
    with pytest.raises(RulesError) as caught:
        parse_rules(text)
    return list(caught.value.problems)


def test_control_data_and_its_defaults() -> None:
    assert parse_rules("ACTION(IGNORE)").control == Control("", "", 60, float("inf"))
    table = parse_rules("inputqm(QM1), INPUTQ ( 'DEAD' ) RETRYINT(7) WAIT(no)\nACTION(DISCARD)")
    assert table.control == Control("DEAD", "QM1", 7, 0.0)
    assert parse_rules("INPUTQ(' ') WAIT(12)\nACTION(IGNORE)").control == Control("", "", 60, 12.0)


def test_rules_with_comments_and_continuation() -> None:
    table = parse_rules(
        "* a comment\n"
        "\n"
        "INPUTQ(DEAD)\n"
        "REASON(MQRC_Q_FULL) +\n"
        "* a comment in between\n"
        "     ACTION(RETRY), +\r\n"
        "   RETRY(5)\n"
        "DESTQ(OLD.-\n"
        "QUEUE) action(fwd) fwdq(&replyq) FWDQM(&DESTQM) HEADER(NO) PUTAUT(CTX)"
    )
    first, second = table.rules
    assert (first.line, first.action, first.attempts, first.patterns) == (4, "RETRY", 5, (("REASON", C.MQRC_Q_FULL),))
    assert (second.line, second.forward_queue, second.forward_manager) == (8, "&REPLYQ", "&DESTQM")
    assert (second.keep_header, second.as_context_user, second.attempts) == (False, True, 1)
    assert second.fits(MQMD(), MQDLH(DestQName="OLD.QUEUE"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "AMQ8750E"),
        ("* nothing\n\n", "AMQ8750E"),
        ("INPUTQ(DEAD) WAIT(NO)", "AMQ8750E"),
        ("REASON(2053)", "AMQ8759E: Invalid combination of parameters to dead-letter queue handler on line 1: a rule"),
        ("\n\nACTION(KEEP)", "AMQ8757E: The value of ACTION is not valid on line 3: 'KEEP' is not one of DISCARD"),
        ("ACTION(FWD)", "ACTION(FWD) needs FWDQ"),
        ("ACTION(RETRY) FWDQ(Q)", "FWDQ goes with ACTION(FWD) only"),
        ("ACTION(DISCARD) HEADER(NO)", "HEADER goes with ACTION(FWD) only"),
        ("ACTION(FWD) FWDQ(Q) HEADER(MAYBE)", "The value of HEADER is not valid on line 1"),
        ("ACTION(RETRY) PUTAUT(ALL)", "The value of PUTAUT"),
        ("ACTION(RETRY) RETRY(0)", "The value of RETRY"),
        ("ACTION(RETRY) RETRY(1000000000)", "The value of RETRY"),
        ("ACTION(FWD) FWDQ(&NOPE)", "'&NOPE' is not one of &DESTQ, &REPLYQ"),
        ("ACTION(FWD) FWDQ(" + "Q" * 49 + ")", "AMQ8752E: The parameter FWDQ is longer than 48 characters on line 1."),
        ("APPLNAME(" + "a" * 29 + ") ACTION(IGNORE)", "APPLNAME is longer than 28"),
        ("REASON(MQRC_NOPE) ACTION(IGNORE)", "'MQRC_NOPE' is no number and no name MQRC_..."),
        ("MSGTYPE(MQRC_Q_FULL) ACTION(IGNORE)", "no name MQMT_"),
        ("ACTION(IGNORE) ACTION(IGNORE)", "AMQ8753E: Duplicate parameter ACTION found on line 1."),
        ("COLOUR(RED) ACTION(IGNORE)", "AMQ8755E: Syntax error on line 1: COLOUR is no keyword of a rules table."),
        ("ACTION(IGNORE", "KEYWORD(value) is expected at 'ACTION(IGNORE'"),
        ("ACTION('IGNORE)", "KEYWORD(value) is expected"),
        ("ACTION", "KEYWORD(value) is expected"),
        ("(2053)", "KEYWORD(value) is expected"),
        ("ACTION(IGNORE)\nWAIT(NO)", "control data comes once, before the first rule"),
        ("WAIT(NO) ACTION(IGNORE)", "ACTION does not go with control data"),
        ("WAIT(SOON)\nACTION(IGNORE)", "'SOON' is not 0 to 999999999, YES or NO"),
        ("RETRYINT(0)\nACTION(IGNORE)", "The value of RETRYINT"),
    ],
)
def test_what_is_refused_names_keyword_and_line(text: str, expected: str) -> None:
    (problem,) = problems(text)
    assert expected in problem


def test_all_faults_are_found_in_one_go() -> None:
    found = problems("REASON(X) ACTION(IGNORE)\nACTION(IGNORE)\nNO\nACTION(FWD)")
    assert [text[:8] for text in found] == ["AMQ8757E", "AMQ8755E", "AMQ8759E"]


MD = MQMD(
    MsgType=C.MQMT_REPORT, Feedback=C.MQFB_EXPIRATION, Persistence=C.MQPER_PERSISTENT, ReplyToQ="REPLIES",
    ReplyToQMgr="QM9", UserIdentifier="alice", PutApplType=C.MQAT_UNIX, PutApplName="bin/order entry",
    ApplIdentityData="identity",
)  # fmt: skip
DLH = MQDLH(Reason=C.MQRC_Q_FULL, DestQName="ORDERS.NEW", DestQMgrName="QM1", Format="MQSTR")


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("", True),
        ("REASON(*)", True),
        ("REASON(2053)", True),
        ("REASON(MQRC_Q_FULL)", True),
        ("REASON(mqrc_q_full)", True),
        ("REASON(2085)", False),
        ("REASON(MQFB_TM_ERROR)", False),
        ("DESTQ(ORDERS.NEW)", True),
        ("DESTQ('ORDERS.NEW')", True),
        ("DESTQ(orders.new)", False),
        ("DESTQ(ORDERS)", False),
        ("DESTQ(ORDERS.*)", True),
        ("DESTQ(*.NEW)", True),
        ("DESTQ(*D*N*)", True),
        ("DESTQ(*W*N*)", False),
        ("DESTQ(ORDERS?NEW)", True),
        ("DESTQ(ORDERS.N?)", False),
        ("DESTQ(ORDERSxNEW)", False),
        ("DESTQM(QM?)", True),
        ("DESTQM(QM2)", False),
        ("FORMAT(MQSTR)", True),
        ("FORMAT(MQ*)", True),
        ("FORMAT(MQDEAD)", False),
        ("MSGTYPE(MQMT_REPORT)", True),
        ("MSGTYPE(8)", False),
        ("FEEDBACK(MQFB_EXPIRATION)", True),
        ("FEEDBACK(258)", True),
        ("FEEDBACK(259)", False),
        ("PERSIST(MQPER_PERSISTENT)", True),
        ("PERSIST(0)", False),
        ("REPLYQ(REP*)", True),
        ("REPLYQM(QM9)", True),
        ("USERID(alice)", True),
        ("USERID(bob)", False),
        ("APPLTYPE(MQAT_UNIX)", True),
        ("APPLTYPE(11)", False),
        ("APPLNAME('bin/order entry')", True),
        ("APPLNAME(bin/order*)", True),
        ("APPLIDAT(identity)", True),
        ("APPLIDAT(other)", False),
        ("REASON(2053) DESTQ(ORDERS.*) USERID(a*)", True),
        ("REASON(2053) DESTQ(ORDERS.*) USERID(b*)", False),
        ("REPLYQ('')", False),
    ],
)
def test_which_messages_a_pattern_fits(pattern: str, fits: bool) -> None:
    (rule,) = parse_rules(f"{pattern} ACTION(IGNORE)").rules
    assert rule.fits(MD, DLH) is fits


def test_feedback_counts_for_reports_only() -> None:
    (rule,) = parse_rules("FEEDBACK(0) ACTION(IGNORE)").rules
    assert not rule.fits(MQMD(), DLH)
    (rule,) = parse_rules("FEEDBACK(*) ACTION(IGNORE)").rules
    assert rule.fits(MQMD(), DLH)


def test_the_rules_that_fit_come_in_their_order() -> None:
    table = parse_rules("DESTQ(X) ACTION(IGNORE)\nDESTQ(O*) ACTION(DISCARD)\nACTION(RETRY)")
    assert [rule.action for rule in table.matching(MD, DLH)] == ["DISCARD", "RETRY"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ACTION(RETRY)", ("ORDERS.NEW", "QM1")),
        ("ACTION(FWD) FWDQ(A.Q)", ("A.Q", "")),
        ("ACTION(FWD) FWDQ(A.Q) FWDQM(QM7)", ("A.Q", "QM7")),
        ("ACTION(FWD) FWDQ(&DESTQ) FWDQM(&DESTQM)", ("ORDERS.NEW", "QM1")),
        ("ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&REPLYQM)", ("REPLIES", "QM9")),
        ("ACTION(FWD) FWDQ(&REPLYQ) FWDQM(' ')", ("REPLIES", "")),
    ],
)
def test_where_a_message_goes(text: str, expected: tuple[str, str]) -> None:
    (rule,) = parse_rules(text).rules
    assert rule.destination(MD, DLH) == expected


def test_a_pattern_of_many_asterisks_is_decided_at_once() -> None:
    (rule,) = parse_rules("DESTQ(" + "*a" * 23 + "b) ACTION(IGNORE)").rules
    assert not rule.fits(MD, MQDLH(DestQName="a" * 48))


@given(st.text(alphabet="ACTION(RETRYFWDQ&*+-?')\n ,.2053=", max_size=120))
def test_any_text_is_a_table_or_told_what_is_wrong(text: str) -> None:
    try:
        assert parse_rules(text).rules
    except RulesError as error:
        assert all(problem.startswith("AMQ") for problem in error.problems)
