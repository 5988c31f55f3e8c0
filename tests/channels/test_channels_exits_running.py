"""Channel exits at both ends of a channel that runs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from helper_ends import CHANNEL, Node, Pair, Wire, sender_and_receiver
from helper_exits import DATA, IMPORTS, XOR

from libremq.kernel.authority import object_authority
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH
from libremq.wire.protocol import WHOLE, Type
from libremq.wire.segments import Flow


class ExitPair(Pair):
    """Receive exits see segments before they are read, as behind a socket."""

    def step(self, source: Wire) -> bool:
        target = self.far if source is self.near else self.near
        if source.sent and target.agent is not None and not target.closed and target.agent.sees_segments:
            source.sent[0] = target.agent.received(source.sent[0])
        return super().step(source)


def channel_with_exits(
    path: Path, text: str, sending: dict[str, Any], receiving: dict[str, Any], types: str = "SDR RCVR"
) -> tuple[Node, Node]:
    one, two = sender_and_receiver(*types.split())
    (path / "mine.py").write_text(IMPORTS + text)
    path.chmod(0o700)
    (path / "mine.py").chmod(0o600)
    for node, attributes in ((one, sending), (two, receiving)):
        node.environment.exit_path = str(path)
        node.qm.alter(node.channel().kind, CHANNEL, attributes)
    one.put("TARGET", DATA, qmgr="QM2")
    return one, two


def connect(one: Node, two: Node, types: str) -> ExitPair:
    pair = ExitPair(two, one) if types.endswith("RQSTR") else ExitPair(one, two)
    pair.run()
    return pair


def failures(pair: Pair) -> list[int]:
    """The numbers of the messages that ended the two ends."""
    return sorted(end.message.number for end in pair.ends.values() if end.message is not None)


CHALLENGE = """
SECRET = b'swordfish'
def ask(call):  # asks for the password
    if call.reason == C.MQXR_INIT_SEC: return SendSecurity(b'who?', request=True)
    if call.reason == C.MQXR_SEC_MSG:
        if call.data != SECRET: raise CloseChannel('wrong password from ' + call.partner)
        call.mca_user = 'nobody'
def tell(call):  # says it when asked
    if call.reason == C.MQXR_SEC_MSG:
        assert call.data == b'who?'
        return SendSecurity(SECRET)
def lie(call):
    if call.reason == C.MQXR_SEC_MSG: return SendSecurity(b'guess')
def content(call): pass
def mute(call): pass
def greet(call):  # needs no answer
    if call.reason == C.MQXR_INIT_SEC: return SendSecurity(b'hello')
def twice(call):
    if call.reason == C.MQXR_INIT_SEC: return SendSecurity(b'1')
    if call.reason == C.MQXR_SEC_MSG and len(call.data) < 9: return SendSecurity(call.data + b'1')
"""


@pytest.mark.parametrize("types", ["SDR RCVR", "SVR RCVR", "SVR RQSTR"])
@pytest.mark.parametrize(
    ("sending", "receiving", "numbers"),
    [
        ("tell", "ask", []),
        ("ask", "tell", []),
        ("content", "content", []),
        ("content", "", []),
        ("", "content", []),
        ("twice", "twice", []),
        ("lie", "ask", [9536, 9546]),
        ("ask", "lie", [9536, 9546]),
        ("", "ask", [9546, 9552]),
        ("ask", "", [9546, 9552]),
        ("mute", "ask", [9546, 9552]),
        ("ask", "mute", [9546, 9552]),
    ],
)
def test_security_exits_find_together_or_end_the_channel(
    tmp_path: Path, types: str, sending: str, receiving: str, numbers: list[int]
) -> None:
    def exit(name: str) -> dict[str, Any]:
        return {"SCYEXIT": f"mine({name})"} if name else {}

    one, two = channel_with_exits(tmp_path, CHALLENGE, exit(sending), exit(receiving), types)
    for name, kind in (("", "QMGR"), ("TARGET", "QUEUE")):
        words = ["CONNECT", "SETALL"] if kind == "QMGR" else ["PUT", "SETALL"]
        object_authority.set_authority(two.qm.core, name, kind, principals=["nobody"], add=words)
    pair = connect(one, two, types)
    assert failures(pair) == numbers
    assert two.content("TARGET") == ([] if numbers else [DATA])
    assert one.depth("QM2") == (1 if numbers else 0)
    if receiving == "ask" and not numbers:
        assert pair.receiver.user == "nobody"
    if 9552 in numbers:
        asked = pair.sender if sending == "ask" else pair.receiver
        message = pair.ends[asked].message
        assert message is not None and message.number == 9552, "it is told where the exit waits for an answer"


@pytest.mark.parametrize(("types", "numbers"), [("SDR RCVR", []), ("SVR RQSTR", [9546, 9552])])
def test_an_exit_that_needs_no_answer_and_an_end_without_one(tmp_path: Path, types: str, numbers: list[int]) -> None:
    """A caller could not even say it: the end that was called has not told it of an exit."""
    one, two = channel_with_exits(tmp_path, CHALLENGE, {}, {"SCYEXIT": "mine(greet)"}, types)
    assert failures(connect(one, two, types)) == numbers
    assert two.content("TARGET") == ([] if numbers else [DATA])


def test_a_security_flow_that_no_exit_waits_for(tmp_path: Path) -> None:
    one, two = channel_with_exits(tmp_path, "", {}, {})
    pair = connect(one, two, "SDR RCVR")
    pair.receiver.take(Flow(Type.SECURITY_DATA, WHOLE, 0, 0, b"who?"))
    message = pair.ends[pair.receiver].message
    assert message is not None and message.number == 9504 and "security" in message


@pytest.mark.parametrize("user", ["nobody-at-all", "n\u014dbody", " " + "nobody-at-all"])
def test_a_user_that_does_not_fit_is_refused_not_cut(tmp_path: Path, user: str) -> None:
    """Cut to twelve characters it could be the name of somebody who may."""
    text = f"def name(call):\n    if call.reason == C.MQXR_INIT_SEC: call.mca_user = {user!r}\n"
    one, two = channel_with_exits(tmp_path, text, {}, {"SCYEXIT": "mine(name)"})
    cut = user.strip()[:12].encode("latin-1", "replace").decode("latin-1")
    for name, kind in (("", "QMGR"), ("TARGET", "QUEUE")):
        words = ["CONNECT", "SETALL"] if kind == "QMGR" else ["PUT", "SETALL"]
        object_authority.set_authority(two.qm.core, name, kind, principals=[cut], add=words, known=True)
    pair = connect(one, two, "SDR RCVR")
    assert failures(pair) == [9546, 9787]
    assert any(user.strip() in str(end.message) for end in pair.ends.values())
    assert two.content("TARGET") == []
    assert one.depth("QM2") == 1


def test_segments_of_a_running_channel_go_through_exits_at_both_ends(tmp_path: Path) -> None:
    there = {"SENDEXIT": ("mine(twist)", "mine(longer)"), "SENDDATA": ("key", "x")}
    back = {"RCVEXIT": ("mine(shorter)", "mine(twist)"), "RCVDATA": ("x", "key")}
    one, two = channel_with_exits(tmp_path, XOR, {**there, **back}, {**there, **back})
    noise = random.Random(5).randbytes(100_000)
    one.put("TARGET", noise, qmgr="QM2")
    pair = ExitPair(one, two)
    pair.run()
    assert two.content("TARGET") == [DATA, noise]
    assert one.depth("QM2") == 0
    assert pair.ends == {}
    pair.sender.stop(C.MQMODE_QUIESCE)
    pair.run()
    assert failures(pair) == []


KITCHEN = """
def f(call):
    if call.reason == C.MQXR_MSG:
        if b'decaf' in call.data: raise SuppressMessage('not served', 70001)
        return call.data + call.user_data.encode()
def patient(call):
    if call.reason == C.MQXR_RETRY:
        if call.attempt > 3: return SuppressMessage()
        call.retry_interval = 200 * call.attempt
"""


@pytest.mark.parametrize("at", ["QM1", "QM2"])
def test_a_message_exit_of_a_running_channel_changes_and_suppresses(tmp_path: Path, at: str) -> None:
    exit = {"MSGEXIT": ("mine(f)",), "MSGDATA": (", please",)}
    one, two = channel_with_exits(tmp_path, KITCHEN, exit if at == "QM1" else {}, exit if at == "QM2" else {})
    for node in (one, two):
        node.define("QLOCAL", "DEAD")
        node.qm.alter("QMGR", node.name, {"DEADQ": "DEAD"})
    for order in (b"decaf", b"cake"):
        one.put("TARGET", order, qmgr="QM2")
    pair = connect(one, two, "SDR RCVR")
    assert pair.ends == {}
    assert two.content("TARGET") == [DATA + b", please", b"cake, please"]
    assert one.depth("QM2") == 0
    dead, other = (one, two) if at == "QM1" else (two, one)
    assert other.depth("DEAD") == 0
    (buried,) = dead.content("DEAD")
    header = MQDLH.unpack(buried)
    assert (header.Reason, header.DestQName, buried[-5:]) == (70001, "TARGET", b"decaf")
    assert pair.sender.instance().exit_time[0] > 0 if at == "QM1" else pair.receiver.instance().exit_time[0] > 0


def test_a_retry_exit_of_a_running_channel(tmp_path: Path) -> None:
    one, two = channel_with_exits(tmp_path, KITCHEN, {}, {"MREXIT": "mine(patient)", "MRRTY": 50, "MRTMR": 99999})
    two.define("QLOCAL", "DEAD")
    two.qm.alter("QMGR", "QM2", {"DEADQ": "DEAD"})
    two.qm.alter("QLOCAL", "TARGET", {"MAXDEPTH": 1})
    one.put("TARGET", b"one too many", qmgr="QM2")
    pair = connect(one, two, "SDR RCVR")
    assert pair.receiver.status == C.MQCHS_PAUSED
    pair.pass_time(1.19)  # 200, 400 and 600 milliseconds
    assert (pair.receiver.status, two.depth("DEAD")) == (C.MQCHS_PAUSED, 0)
    pair.pass_time(0.02)
    assert (pair.receiver.status, two.depth("DEAD")) == (C.MQCHS_RUNNING, 1)
    assert MQDLH.unpack(two.content("DEAD")[0]).Reason == C.MQRC_Q_FULL
    assert one.depth("QM2") == 0


def test_a_receive_exit_without_its_send_exit_ends_the_channel_and_loses_nothing(tmp_path: Path) -> None:
    one, two = channel_with_exits(tmp_path, XOR, {}, {"RCVEXIT": ("mine(shorter)",)})
    pair = connect(one, two, "SDR RCVR")
    assert failures(pair) == [9190, 9546]
    assert one.depth("QM2") == 1
    assert two.content("TARGET") == []


def test_a_channel_whose_exit_is_missing_does_not_start(tmp_path: Path) -> None:
    one, two = channel_with_exits(tmp_path, "", {}, {"MSGEXIT": ("mine(f)",)})
    pair = connect(one, two, "SDR RCVR")
    assert 9535 in failures(pair)
    assert one.depth("QM2") == 1


@pytest.mark.parametrize("sending", [{"MSGEXIT": ("mine(f)",), "SENDEXIT": ("mine(g)", "mine(g)")}, {}])
def test_the_time_of_exits_is_that_of_a_message(tmp_path: Path, sending: dict[str, Any]) -> None:
    """All that exits did for it is one sample, whatever their kinds and however often they were called."""
    one, two = channel_with_exits(
        tmp_path, "def f(call): pass\ndef g(call): pass\n", sending, {"RCVEXIT": ("mine(f)",)}
    )
    for _ in range(4):
        one.put("TARGET", DATA, qmgr="QM2")
    pair = connect(one, two, "SDR RCVR")
    assert two.depth("TARGET") == 5
    assert pair.sender.counters.exit_time.samples == (5 if sending else 0)
    assert pair.receiver.counters.exit_time.samples == 5
    assert pair.receiver.counters.exit_time.long > 0
