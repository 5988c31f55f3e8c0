"""`dspmqrte`: routes that end on this queue manager, what is shown of them, and what cannot be asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands

import libremq
from libremq.mqi import constants as C
from libremq.mqi.trace_route import TraceRouteMessage

OBJECTS = """
DEFINE QLOCAL(QM2) USAGE(XMITQ)
DEFINE QREMOTE(REMOTE) RNAME(TARGET) RQMNAME(QM2)
DEFINE QALIAS(ALIAS) TARGQ(REMOTE)
DEFINE QLOCAL(HERE)
DEFINE QALIAS(NEAR) TARGQ(HERE)
DEFINE QLOCAL(REPLIES)
"""


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    commands = Commands(capsys, tmp_path / "data")
    commands.good("crtmqm", *SMALL, "QM1")
    with libremq.connect(f"embedded:QM1?data={tmp_path / 'data'}") as qm:
        for line in OBJECTS.strip().splitlines():
            qm.mqsc(line)
        yield commands


def lines(mq: Commands, *words: str, code: int = 0) -> list[str]:
    got, out, err = mq("dspmqrte", "-m", "QM1", *words)
    assert (got, err) == (code, ""), err
    return out.splitlines()


def ids(shown: list[str]) -> list[str]:
    return [line.partition(":")[0] for line in shown]


def test_a_local_queue_gets_no_message_unless_it_is_to_be_delivered(mq: Commands) -> None:
    assert ids(lines(mq, "-q", "NEAR")) == ["AMQ8661W", "AMQ8652I"]
    shown = lines(mq, "-q", "NEAR", "-d", "yes")
    assert ids(shown) == ["AMQ8659I", "AMQ8657I", "AMQ8674I", "AMQ8666I", "AMQ8662I", "AMQ8652I"]
    assert "AMQ8666I: Queue 'HERE' on queue manager 'QM1'." in shown
    with libremq.connect("embedded:QM1") as qm:
        message = qm.queue("HERE").get()
        found = TraceRouteMessage.read(message.md.Format, message.data, C.MQENC_NATIVE, "utf-8")
        assert found is not None and found.trace.recorded == 1 and found.activities() == []
        assert qm.queue("HERE").depth == 0


def test_a_route_that_nobody_continues_ends_on_the_transmission_queue(mq: Commands) -> None:
    shown = lines(mq, "-q", "ALIAS", "-w", "0", code=20)
    assert ids(shown) == ["AMQ8659I", "AMQ8657I", "AMQ8674I", "AMQ8666I", "AMQ8688W", "AMQ8652I"]
    assert "AMQ8666I: Queue 'QM2' on queue manager 'QM1'." in shown
    assert "last seen on queue 'QM2' of queue manager 'QM1'" in shown[-2]


def test_outline(mq: Commands) -> None:
    shown = lines(mq, "-q", "ALIAS", "-w", "0", "-v", "outline", "traceroute", code=20)
    text = "\n".join(shown)
    for part in (
        "Activity:\n ApplName: 'dspmqrte'",
        " Operation:\n  OperationType: Put\n",
        "  QName: 'ALIAS'\n  ResolvedQName: 'QM2'\n  RemoteQName: 'TARGET'\n  RemoteQMgrName: 'QM2'\n",
        " TraceRoute:\n  Detail: Medium\n  RecordedActivities: 1\n",
        "  MaxActivities: Unlimited\n  Accumulate: None\n  Forward: IfSupported\n  Deliver: No\n",
    ):
        assert part in text


def test_json(mq: Commands) -> None:
    (activity,) = json.loads("\n".join(lines(mq, "-q", "NEAR", "-d", "yes", "-s", "5", "--json")))
    assert activity["operations"][0]["resolved"] == "HERE"
    assert activity["trace_route"]["max_activities"] == 5


def test_the_message_itself_shows_its_route_later(mq: Commands) -> None:
    shown = lines(mq, "-q", "NEAR", "-d", "yes", "-ac", "-ro", "none", "-n")
    assert ids(shown) == ["AMQ8659I", "AMQ8657I", "AMQ8652I"]
    found = re.search("'([0-9A-F]{48})'", shown[1])
    assert found is not None
    for _ in range(2):
        shown = lines(mq, "-q", "HERE", "-i", found[1], "-b")
        assert ids(shown) == ["AMQ8666I", "AMQ8662I", "AMQ8652I"]
    assert len(lines(mq, "-q", "HERE", "-i", found[1])) == 3
    code, err = mq.bad("dspmqrte", "-m", "QM1", "-q", "HERE", "-i", found[1])
    assert code == 20 and err.startswith("AMQ8687E")


def test_reports_on_a_queue_show_the_route_later(mq: Commands) -> None:
    shown = lines(mq, "-q", "NEAR", "-d", "yes", "-n", "-rq", "REPLIES")
    found = re.search("'([0-9A-F]{48})'", shown[1])
    assert found is not None
    shown = lines(mq, "-q", "REPLIES", "-i", found[1], "-v", "activity")
    assert " ActivityDesc: 'LibreMQ display route application'" in shown


def test_what_the_message_is_like(mq: Commands) -> None:
    lines(
        mq, "-q", "HERE", "-d", "yes", "-l", "yes", "-p", "7", "-xs", "30", "-xp", "yes", "-t", "high", "-f", "all",
        "-ro", "activity,coa", "exception", "-rq", "REPLIES", "-ac", "-ar", "-n",
    )  # fmt: skip
    with libremq.connect("embedded:QM1") as qm:
        message = qm.queue("HERE").get()
        md = message.md
        assert (md.Persistence, md.Priority, md.ReplyToQ, md.MsgType) == (1, 7, "REPLIES", C.MQMT_REQUEST)
        assert 290 <= md.Expiry <= 300
        assert md.Report == C.MQRO_ACTIVITY | C.MQRO_COA | C.MQRO_EXCEPTION | C.MQRO_PASS_DISCARD_AND_EXPIRY
        found = TraceRouteMessage.read(message.md.Format, message.data, C.MQENC_NATIVE, "utf-8")
        assert found is not None and len(found.activities()) == 1
        trace = found.trace
        assert (trace.detail, trace.forward) == (C.MQROUTE_DETAIL_HIGH, C.MQROUTE_FORWARD_ALL)
        assert trace.wants_reply and trace.deliver == C.MQROUTE_DELIVER_YES


@pytest.mark.parametrize(
    "words",
    [
        ["-q"],
        [],
        ["-q", "HERE", "-d", "maybe"],
        ["-q", "HERE", "-v", "everything"],
        ["-q", "HERE", "-v", "all", "summary"],
        ["-q", "HERE", "-v", "message", "msgdelta"],
        ["-q", "HERE", "-ar"],
        ["-q", "HERE", "-b"],
        ["-q", "HERE", "-n"],
        ["-q", "HERE", "-l", "yes"],
        ["-q", "HERE", "-rqm", "QM2"],
        ["-q", "HERE", "-ro", "none", "coa"],
        ["-q", "HERE", "-ro", "everything"],
        ["-q", "HERE", "-p", "10"],
        ["-q", "HERE", "-s", "0"],
        ["-q", "HERE", "-xs", "-5"],
        ["-q", "HERE", "-i", "1234"],
    ],
)
def test_arguments_that_make_no_sense(mq: Commands, words: list[str]) -> None:
    assert mq.bad("dspmqrte", "-m", "QM1", *words)[0] == 10


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-q", "NOWHERE"], "AMQ8664E"),
        (["-q", "X", "-qm", "ELSEWHERE"], "AMQ8664E"),
        (["-q", "HERE", "-d", "yes", "-rq", "NOWHERE"], "AMQ8665E"),
        (["-q", "NOWHERE", "-i", "00" * 24], "AMQ8672E"),
    ],
)
def test_what_cannot_be_done(mq: Commands, words: list[str], message: str) -> None:
    code, err = mq.bad("dspmqrte", "-m", "QM1", *words)
    assert code == 20 and err.startswith(message)


def test_no_queue_manager(mq: Commands) -> None:
    code, err = mq.bad("dspmqrte", "-m", "NOBODY", "-q", "Q")
    assert code == 20 and err.startswith("AMQ8668E")
    code, err = mq.bad("dspmqrte", "-m", "b@d", "-q", "Q")
    assert code == 20


def test_a_put_that_fails_leaves_nothing(mq: Commands) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.mqsc("ALTER QLOCAL(HERE) PUT(DISABLED)")
    code, err = mq.bad("dspmqrte", "-m", "QM1", "-q", "HERE", "-d", "yes", "-rq", "REPLIES")
    assert code == 20 and err.startswith("AMQ8658E")
    with libremq.connect("embedded:QM1") as qm:
        assert qm.queue("REPLIES").depth == 0
