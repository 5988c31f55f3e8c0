"""`libremq runmqdlq`: rules from a pipe and from a file, faults told, and nothing lost or doubled when it is killed."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands

import libremq
from helper_serving import Process, serving
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH, MQMD


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    return Commands(capsys, tmp_path / "data")


def fill(qm: libremq.QueueManager, count: int, queue: str = "WORK") -> None:
    for name in ("WORK", "DEAD"):
        qm.define_local(name, defpsist="yes", replace=True)
    qm.alter("qmgr", deadq="DEAD")
    header = MQDLH(Reason=C.MQRC_Q_FULL, DestQName=queue, DestQMgrName=qm.name, Format="MQSTR", CodedCharSetId=1208)
    md = MQMD(Version=2, Format="MQDEAD", CodedCharSetId=819)
    with qm.transaction(), qm.queue("DEAD") as dead:
        for number in range(count):
            dead.put(header.pack() + f"{number:05}".encode(), md=md)


def test_rules_from_standard_input(mq: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    mq.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        fill(qm, 3)
    rules = b"INPUTQ(OTHER) WAIT(NO)\nREASON(MQRC_Q_FULL) ACTION(RETRY)\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rules)))
    lines = mq.good("runmqdlq", "DEAD", "QM1")
    assert lines == [
        "AMQ8708I: Dead-letter queue handler started to process INPUTQ(DEAD).",
        "AMQ8709I: Dead-letter queue handler ending: 3 messages retried, 0 forwarded, 0 discarded, 0 left.",
    ]
    with libremq.connect("embedded:QM1") as qm:
        assert [message.text for message in qm.queue("WORK")] == ["00000", "00001", "00002"]


def test_rules_from_a_file_name_the_queue_and_its_manager(mq: Commands, tmp_path: Path) -> None:
    mq.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        fill(qm, 2)
    rules = tmp_path / "rules"
    rules.write_text("INPUTQ(DEAD) INPUTQM(QM1) WAIT(NO)\nACTION(DISCARD)\n")
    assert mq.good("runmqdlq", "--rules", str(rules), "--check") == ["The rules table has 1 rules and no errors."]
    found = json.loads("\n".join(mq.good("runmqdlq", "--rules", str(rules), "--json")))
    assert found == {"retried": 0, "forwarded": 0, "discarded": 2, "left": 0}


def test_every_fault_is_told_and_nothing_is_done(mq: Commands, tmp_path: Path) -> None:
    mq.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        fill(qm, 1)
    rules = tmp_path / "rules"
    rules.write_text("WAIT(NO)\nACTION(DISCARD)\nACTION(BURN)\nACTION(FWD)\n")
    code, err = mq.bad("runmqdlq", "DEAD", "QM1", "--rules", str(rules))
    assert code == 20
    assert [line[:8] for line in err.splitlines()] == ["AMQ8757E", "AMQ8759E", "AMQ8758E"]
    assert "on line 3" in err and "on line 4" in err
    with libremq.connect("embedded:QM1") as qm:
        assert qm.queue("DEAD").depth == 1


def test_refused(mq: Commands, tmp_path: Path) -> None:
    mq.good("crtmqm", *SMALL, "QM1")
    rules = tmp_path / "rules"
    rules.write_text("WAIT(NO)\nACTION(DISCARD)\n")
    assert mq.bad("runmqdlq", "DEAD", "NOBODY", "--rules", str(rules))[0] == 20
    code, err = mq.bad("runmqdlq", "NOPE", "QM1", "--rules", str(rules))
    assert (code, err[:8], "2085" in err or "no queue" in err) == (10, "AMQ8742E", True)
    assert mq.bad("runmqdlq", "DEAD", "QM1", "--rules", str(tmp_path / "nope"))[0] == 20


def test_users_of_messages_are_checked_only_by_a_queue_manager_that_serves(mq: Commands, tmp_path: Path) -> None:
    """PUTAUT(CTX) asks for the authorities of whoever put a message: in one's own process that would be nobody's."""
    mq.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        fill(qm, 1)
    rules = tmp_path / "rules"
    rules.write_text("WAIT(NO)\nACTION(RETRY) PUTAUT(CTX)\n")
    code, err = mq.bad("runmqdlq", "DEAD", "QM1", "--rules", str(rules))
    assert (code, err[:8]) == (20, "AMQ8741E")
    with libremq.connect("embedded:QM1") as qm:
        assert (qm.queue("DEAD").depth, qm.queue("WORK").depth) == (1, 0)


def test_killed_again_and_again_no_message_is_lost_or_doubled(mq: Commands) -> None:
    seed = random.Random(11)
    count = 400
    rules = b"INPUTQ(DEAD) WAIT(YES)\nACTION(RETRY)\n"
    with serving(mq, "QM1") as url, libremq.connect(url) as qm:
        fill(qm, count)
        work = qm.queue("WORK")
        seen: list[str] = []
        for _ in range(4):
            handler = Process("runmqdlq", "DEAD", "QM1", given=rules)
            # In the middle of its work: after this many more messages have come
            for _ in range(seed.randrange(5, 60)):
                seen.append(work.get(60).text)
            handler.process.kill()
            handler.end()
        handler = Process("runmqdlq", "DEAD", "QM1", given=rules.replace(b"WAIT(YES)", b"WAIT(NO)"))
        assert handler.end() == 0, handler.text
        seen += [message.text for message in work]
        assert seen == [f"{number:05}" for number in range(count)]
        assert qm.queue("DEAD").depth == 0
