"""`amqsblst`, `amqsreq` and `amqsech`: many messages, and requests with replies."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_amqs import Samples, start

import libremq
from libremq.commands.samples.request_server import trigger_message
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQTM, MQTMC2

_FIGURES = re.compile(r"(\d+) messages (written|read), (\d+) bytes, in \d+\.\d{3} s: \d+ messages/s, \d+\.\d\d MiB/s")


@pytest.fixture
def sample(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Samples:
    return Samples(capsys, monkeypatch, tmp_path)


@pytest.fixture
def qm(sample: Samples) -> Iterator[libremq.QueueManager]:
    """The queue manager, which runs on between the samples of a test."""
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("Q1", defpsist="yes")
        qm.define_local("REPLIES")
        yield qm


def figures(line: str) -> tuple[int, str, int]:
    """Messages, what was done with them, and their bytes."""
    match = _FIGURES.fullmatch(line)
    assert match is not None, line
    return int(match[1]), match[2], int(match[3])


# ---- amqsblst ----


def test_amqsblst_writes_and_reads(sample: Samples, qm: libremq.QueueManager) -> None:
    lines = sample.good("amqsblst", "QM1", "Q1", "-W", "-s", "1,5,2048", "-c", "10")
    assert lines[:2] == ["welcome to blast", "writing 10 messages of 1,5,2048 bytes to Q1"]
    assert [figures(line) for line in lines[2:]] == [(10, "written", 4 * 1 + 3 * 5 + 3 * 2048)]
    found = list(qm.queue("Q1").browse())
    assert [len(message.data) for message in found] == [1, 5, 2048, 1, 5, 2048, 1, 5, 2048, 1]
    assert [message.data[:5] for message in found[:4]] == [b"1", b"2 ABC", b"3 ABC", b"4"]
    lines = sample.good("amqsblst", "QM1", "Q1", "-R", "-c", "4")
    assert lines[1] == "reading 4 messages from Q1"
    assert figures(lines[2]) == (4, "read", 1 + 5 + 2048 + 1)
    lines = sample.good("amqsblst", "QM1", "Q1", "-R")
    assert lines[1] == "reading all messages from Q1"
    assert figures(lines[2])[:2] == (6, "read")
    assert qm.queue("Q1").depth == 0


def test_amqsblst_both_ways_in_units_of_work(sample: Samples, qm: libremq.QueueManager) -> None:
    lines = sample.good("amqsblst", "QM1", "Q1", "-W", "-R", "-c", "25", "-u", "10", "-v", "-p")
    assert [line.rpartition(" in units")[2] for line in lines if line.startswith(("writing", "reading"))] == [
        " of work of 10", " of work of 10",
    ]  # fmt: skip
    done = [figures(line)[:2] for line in lines if _FIGURES.fullmatch(line)]
    assert done == [(25, "written"), (25, "read")]
    times = [line for line in lines if line.startswith(("  MQPUT:", "  MQGET:"))]
    assert len(times) == 2
    for line in times:
        middle, high, slowest = (float(number) for number in re.findall(r"([\d.]+) ms", line))
        assert 0 <= middle <= high <= slowest
    assert qm.queue("Q1").depth == 0


def test_amqsblst_persistence_and_default_count(sample: Samples, qm: libremq.QueueManager) -> None:
    for flags, count, persistent in (((), 100, True), (("-p", "-c", "2"), 2, True), (("-n", "-c", "3"), 3, False)):
        code, _, err = sample("amqsblst", "QM1", "Q1", "-W", *flags)
        assert (code, "note: QM1 runs only as long as this command" in err) == (0, not persistent)
        found = list(qm.queue("Q1"))
        assert [message.persistent for message in found] == [persistent] * count
    assert {len(message.data) for message in found} == {1024}


def test_amqsblst_random_sizes(sample: Samples, qm: libremq.QueueManager) -> None:
    lines = sample.good("amqsblst", "QM1", "Q1", "-W", "-s", "random", "-c", "5")
    sizes = [len(message.data) for message in qm.queue("Q1")]
    assert figures(lines[-1]) == (5, "written", sum(sizes))
    assert all(1 <= size <= 262_144 for size in sizes)


def test_amqsblst_correlation_id(sample: Samples, qm: libremq.QueueManager) -> None:
    sample.good("amqsblst", "QM1", "Q1", "-W", "-C", "mine", "-c", "3")
    qm.put("Q1", "another", correlation_id=b"other")
    lines = sample.good("amqsblst", "QM1", "Q1", "-R", "-C", "mine")
    assert figures(lines[-1])[:2] == (3, "read")
    assert qm.queue("Q1").get().text == "another"


def test_amqsblst_counts_only_what_is_certain(sample: Samples, qm: libremq.QueueManager) -> None:
    qm.alter("qlocal", "Q1", maxdepth=25)
    code, lines, err = sample("amqsblst", "QM1", "Q1", "-W", "-c", "40", "-u", "10")
    assert (code, lines[-2]) == (2053 % 256, "MQPUT ended with reason code 2053")
    assert figures(lines[-1])[:2] == (20, "written")
    assert err.startswith("libremq amqsblst: MQRC_Q_FULL (2053) Q1")
    assert qm.queue("Q1").depth == 20


def test_amqsblst_without_a_direction(sample: Samples, qm: libremq.QueueManager) -> None:
    code, lines, _ = sample("amqsblst", "QM1", "Q1")
    assert (code, lines) == (99, ["welcome to blast", "nothing to do: -W writes messages, -R reads them"])


def test_amqsblst_interrupted_says_how_far_it_came(sample: Samples) -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("Q1")
    child = start("amqsblst", "QM1", "Q1", "-R", "-w", "-1", "-u", "2")
    with child:
        try:
            assert child.stdout is not None and child.stderr is not None
            while not (line := child.stdout.readline()).startswith(b"reading"):
                assert line
        finally:
            child.send_signal(signal.SIGINT)
        assert child.wait(240) == 130
        assert b"messages read" in child.stdout.read()
        assert child.stderr.read() == b""


# ---- amqsreq and amqsech ----


def test_amqsech_answers_what_amqsreq_asks(sample: Samples, qm: libremq.QueueManager) -> None:
    lines = sample.good("amqsreq", "Q1", "QM1", "REPLIES", "-w", "0", given="tea\ncafé\n\n".encode())
    assert lines == [
        "Sample AMQSREQ0 start", "server queue is Q1", "replies to REPLIES", "no more replies", "Sample AMQSREQ0 end",
    ]  # fmt: skip
    requests = list(qm.queue("Q1").browse())
    assert {(message.message_type, message.md.Report, message.reply_to) for message in requests} == {
        (C.MQMT_REQUEST, C.MQRO_EXCEPTION_WITH_DATA, "REPLIES")
    }
    lines = sample.good("amqsech", "Q1", "QM1", "-w", "0")
    assert lines == ["Sample AMQSECHA start", "tea", "café", "no more requests", "Sample AMQSECHA end"]
    replies = list(qm.queue("REPLIES").browse())
    assert [message.text for message in replies] == ["tea", "café"]
    assert [message.correlation_id for message in replies] == [message.message_id for message in requests]
    assert {(message.message_type, message.md.Report) for message in replies} == {(C.MQMT_REPLY, 0)}
    lines = sample.good("amqsreq", "Q1", "QM1", "REPLIES", "-w", "0")
    assert lines[3:5] == ["response <tea>", "response <café>"]
    assert qm.queue("REPLIES").depth == 0


def test_amqsreq_makes_a_reply_queue_of_its_own(sample: Samples, qm: libremq.QueueManager) -> None:
    qm.alter("qlocal", "Q1", defpsist="no")
    with qm.queue("Q1").consume(lambda message: message.reply(message.data.upper())):
        lines = sample.good("amqsreq", "Q1", "QM1", "-e", given=b"tea\ncake\n")
    assert lines[1] == "server queue is Q1"
    assert re.fullmatch(r"replies to AMQ\.[0-9A-F]+", lines[2])
    assert lines[3:] == ["response <TEA>", "response <CAKE>", "no more replies", "Sample AMQSREQ0 end"]
    assert qm.display("qlocal", "AMQ.*") == []


def test_amqsech_replies_to_a_temporary_queue(sample: Samples, qm: libremq.QueueManager) -> None:
    with qm.dynamic_queue() as replies:
        qm.put("Q1", "tea", persistent=True, message_type=C.MQMT_REQUEST, reply_to=replies)
        sample.good("amqsech", "Q1", "QM1", "-w", "0")
        reply = replies.get()
    assert (reply.text, reply.persistent) == ("tea", False)


def test_amqsreq_shows_reports(sample: Samples, qm: libremq.QueueManager) -> None:
    qm.put("REPLIES", "tea", md=MQMD(MsgType=C.MQMT_REPORT, Feedback=2053))
    lines = sample.good("amqsreq", "Q1", "QM1", "REPLIES", "-w", "0")
    assert lines[3:5] == ["response <tea>", "  report with feedback = 2053"]


def test_amqsreq_when_the_reply_queue_is_in_use(sample: Samples, qm: libremq.QueueManager) -> None:
    with qm.queue("REPLIES", exclusive=True):
        code, lines, err = sample("amqsreq", "Q1", "QM1", "REPLIES", given=b"tea\n")
    assert (code, lines[2:]) == (
        2042 % 256,
        ["MQOPEN ended with reason code 2042", "unable to open queue for replies", "Sample AMQSREQ0 end"],
    )
    assert "MQRC_OBJECT_IN_USE (2042) REPLIES" in err
    assert qm.queue("Q1").depth == 0


def test_amqsech_keeps_properties_and_format(sample: Samples, qm: libremq.QueueManager) -> None:
    md = MQMD(MsgType=C.MQMT_REQUEST, Format="MINE", CodedCharSetId=500, ReplyToQ="REPLIES", Report=C.MQRO_PASS_MSG_ID)
    asked = qm.put("Q1", b"\x00\x7f", md=md, properties={"colour": "red"}, message_id=b"id")
    sample.good("amqsech", "Q1", "QM1", "-w", "0")
    (reply,) = qm.queue("REPLIES")
    assert (reply.data, reply.format, reply.md.CodedCharSetId) == (b"\x00\x7f", "MINE", 500)
    assert (reply.properties, reply.message_id) == ({"colour": "red"}, asked)


def test_amqsech_takes_what_is_no_request(sample: Samples, qm: libremq.QueueManager) -> None:
    qm.put("Q1", "just so")
    assert sample.good("amqsech", "Q1", "QM1", "-w", "0")[1:3] == ["just so", "  not a request: no reply"]
    assert qm.queue("Q1").depth == 0


def test_amqsech_puts_what_it_cannot_answer_on_the_dead_letter_queue(sample: Samples, qm: libremq.QueueManager) -> None:
    qm.alter("qmgr", deadq="SYSTEM.DEAD.LETTER.QUEUE")
    gone = MQMD(MsgType=C.MQMT_REQUEST, ReplyToQ="GONE", Report=C.MQRO_EXCEPTION_WITH_DATA)
    qm.put("Q1", "first", md=gone)
    qm.put("Q1", "second", md=MQMD(MsgType=C.MQMT_REQUEST, ReplyToQ="REPLIES"))
    code, lines, err = sample("amqsech", "Q1", "QM1", "-w", "0")
    assert (code, lines[1:]) == (
        0,
        [
            "first",
            "MQPUT1 ended with reason code 2085",
            "  request put on the dead-letter queue",
            "second",
            "no more requests",
            "Sample AMQSECHA end",
        ],
    )
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085) GONE" in err
    header, dead = qm.queue("SYSTEM.DEAD.LETTER.QUEUE").get().without_dead_letter_header()
    assert (dead.text, header.Reason, header.DestQName) == ("first", 2085, "Q1")
    assert qm.queue("REPLIES").get().text == "second"


def test_amqsech_leaves_the_request_if_there_is_no_dead_letter_queue(sample: Samples, qm: libremq.QueueManager) -> None:
    qm.alter("qmgr", deadq="")
    qm.put("Q1", "first", md=MQMD(MsgType=C.MQMT_REQUEST, ReplyToQ="GONE"))
    code, lines, _ = sample("amqsech", "Q1", "QM1", "-w", "0")
    assert (code, lines[-2:]) == (2085 % 256, ["the request stays on its queue", "Sample AMQSECHA end"])
    assert qm.queue("Q1").depth == 1


# ---- Triggering ----


def test_amqsech_started_by_a_trigger_message(sample: Samples, qm: libremq.QueueManager) -> None:
    qm.define_local("CALLS")
    qm.define_process("ECHO", applicid="amqsech")
    qm.alter("qlocal", "Q1", trigger="trigger", trigtype="first", initq="CALLS", process="ECHO")
    calls = qm.queue("CALLS")
    calls.get_or_none()  # opens the initiation queue
    qm.put("Q1", "tea", md=MQMD(MsgType=C.MQMT_REQUEST, ReplyToQ="REPLIES"))
    call = MQTM.unpack(calls.get(wait=30).data)
    argument = MQTMC2(QName=call.QName, ProcessName=call.ProcessName, ApplId=call.ApplId, QMgrName="QM1")
    lines = sample.good("amqsech", os.fsdecode(argument.pack(fill=b" ")), "-w", "0")
    assert lines[1] == "tea"
    assert qm.queue("REPLIES").get().text == "tea"


def test_trigger_messages_as_arguments() -> None:
    whole = os.fsdecode(MQTMC2(QName="Q1", QMgrName="QM1").pack(fill=b" "))
    assert len(whole) == 732
    assert trigger_message(whole) == ("Q1", "QM1")
    assert trigger_message(whole.rstrip()) == ("Q1", "QM1")
    version_1 = os.fsdecode(MQTMC2(Version=C.MQTMC_VERSION_1, QName="Q1").pack(fill=b" "))
    assert trigger_message(version_1) == ("Q1", "")
    assert trigger_message(version_1.rstrip(), "QM2") == ("Q1", "QM2")


@pytest.mark.parametrize("bad", ["TMC    9", "TMC    x" + "Q1", "TMC "])
def test_trigger_messages_that_are_none(sample: Samples, bad: str) -> None:
    with pytest.raises((MQError, ValueError)):
        trigger_message(bad)
    code, _, err = sample("amqsech", bad)
    assert code == 99
    assert err.startswith("libremq amqsech: the trigger message (MQTMC2) is not valid")
