"""`amqsput`, `amqsget`, `amqsbcg`: what they say, do, and end with."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_amqs import Samples, start

import libremq
from libremq.commands.samples.amqsbcg import dump
from libremq.commands.samples.sample_program import character_set, exit_code
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD


@pytest.fixture
def sample(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Samples:
    samples = Samples(capsys, monkeypatch, tmp_path)
    with libremq.connect("embedded:QM1?create=1", application="setup", user="alice") as qm:
        qm.define_local("Q1", defpsist="yes")  # it ends with each sample, and with it all that is not persistent
    return samples


@pytest.fixture
def process(sample: Samples) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that are killed at the end, if they still run."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for child in started:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                stream.close()


def messages(queue: str = "Q1") -> list[bytes]:
    with libremq.connect("embedded:QM1") as qm:
        return [message.data for message in qm.queue(queue).browse()]


# ---- amqsput ----


def test_amqsput_and_amqsget(sample: Samples) -> None:
    lines = sample.good("amqsput", "Q1", "QM1", given="tea\ncafé\n\nnot this\n".encode())
    assert lines == ["Sample AMQSPUT0 start", "target queue is Q1", "Sample AMQSPUT0 end"]
    with libremq.connect("embedded:QM1") as qm:
        found = list(qm.queue("Q1").browse())
    assert [message.text for message in found] == ["tea", "café"]
    assert {(message.format, message.md.CodedCharSetId, message.application) for message in found} == {
        ("MQSTR", 1208, "amqsput")
    }
    assert {message.correlation_id for message in found} == {bytes(24)}
    lines = sample.good("amqsget", "Q1", "QM1", "-w", "0")
    assert lines == [
        "Sample AMQSGET0 start", "message <tea>", "message <café>", "no more messages", "Sample AMQSGET0 end",
    ]  # fmt: skip
    assert messages() == []


def test_the_end_of_the_input_ends_amqsput_without_an_empty_line(sample: Samples) -> None:
    sample.good("amqsput", "Q1", "QM1", given=b"first\nsecond, with no newline")
    assert messages() == [b"first", b"second, with no newline"]


def test_amqsput_without_a_standard_input(sample: Samples, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSAMP_USER_ID", "bob")
    assert sample.good("amqsput", "Q1", "QM1", given=None)[-1] == "Sample AMQSPUT0 end"
    assert messages() == []


def test_amqsput_with_all_arguments(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.define_model("MODEL", deftype="permdyn", defpsist="yes")
    lines = sample.good("amqsput", "MODEL", "QM1", "8208", "0x0", "QM1", "MADE.*", given=b"tea\n")
    assert lines == [
        "Sample AMQSPUT0 start",
        "target queue is MODEL",
        "open  options are 8208",
        "close options are 0",
        "target queue manager is QM1",
        "dynamic queue name is MADE.*",
        "Sample AMQSPUT0 end",
    ]
    with libremq.connect("embedded:QM1") as qm:
        (made,) = qm.display("qlocal", "MADE.*")
    assert messages(str(made["queue"])) == [b"tea"]


def test_close_options_are_used(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.define_model("MODEL", deftype="permdyn", defpsist="yes")
    sample.good("amqsput", "MODEL", "QM1", "8208", str(C.MQCO_DELETE_PURGE), "", "MADE.*", given=b"tea\n")
    with libremq.connect("embedded:QM1") as qm:
        assert qm.display("qlocal", "MADE.*") == []


def test_controls_are_shown_and_other_bytes_are_not(sample: Samples, process: list[subprocess.Popen[bytes]]) -> None:
    data = b"\xff\xfe\x00\r binary \x80"
    sample.good("amqsput", "Q1", "QM1", given=data + b"\n")
    with libremq.connect("embedded:QM1") as qm:
        (message,) = qm.queue("Q1").browse()
        assert (message.data, message.md.CodedCharSetId) == (data, 819)
        qm.clear("Q1")
        qm.put("Q1", data)  # without a format nothing is converted
    process.append(start("amqsget", "Q1", "QM1", "-w", "0"))
    out, err = process[0].communicate(timeout=240)
    # What would steer a terminal is shown
    assert b"message <\xff\xfe\\x00\\x0d binary \\x80>\n" in out, err
    assert process[0].returncode == 0


def test_amqsput_says_what_will_not_last(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.alter("qlocal", "Q1", defpsist="no")
    code, lines, err = sample("amqsput", "Q1", "QM1", given=b"tea\n")
    assert (code, lines[-1]) == (0, "Sample AMQSPUT0 end")
    assert err.startswith("libremq amqsput: note: QM1 runs only as long as this command")
    assert messages() == []
    sample.good("amqsput", "Q1", "QM1")  # nothing put, nothing lost


def test_character_sets() -> None:
    assert [character_set(data) for data in (b"tea", "é".encode(), b"\xe9")] == [1208, 1208, 819]


# ---- amqsget ----


def test_amqsget_converts_to_utf8(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.put("Q1", "zwölf".encode("cp500"), md=MQMD(Format="MQSTR", CodedCharSetId=500))
    assert "message <zwölf>" in sample.good("amqsget", "Q1", "QM1", "-w", "0")


def test_a_message_that_cannot_be_converted_is_shown_with_a_warning(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.put("Q1", b"as it is", md=MQMD(Format="UNKNOWN", CodedCharSetId=500))
    code, lines, err = sample("amqsget", "Q1", "QM1", "-w", "0")
    assert (code, lines[1:3]) == (0, ["MQGET ended with reason code 2110", "message <as it is>"])
    assert err.startswith("libremq amqsget: MQRC_FORMAT_ERROR (2110) Q1")
    assert messages() == []


def test_amqsget_shows_reports(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.put("Q1", "tea", md=MQMD(MsgType=C.MQMT_REPORT, Feedback=C.MQFB_COA))
    lines = sample.good("amqsget", "Q1", "QM1", "-w", "0")
    assert lines[1:3] == ["message <tea>", f"  report with feedback = {C.MQFB_COA}"]


def test_amqsget_whose_reader_goes_away_loses_nothing(sample: Samples, process: list[subprocess.Popen[bytes]]) -> None:
    with libremq.connect("embedded:QM1") as qm:
        for number in range(5):
            qm.put("Q1", str(number))
    child = start("amqsget", "Q1", "QM1", "-w", "-1")
    process.append(child)
    assert child.stdout is not None and child.stderr is not None and child.stdin is not None
    read = [child.stdout.readline() for _ in range(6)]
    assert read[1:] == [b"message <%d>\n" % number for number in range(5)]  # each line at once, though it goes on
    child.send_signal(signal.SIGINT)
    assert child.wait(240) == 130
    assert child.stderr.read() == b""
    with libremq.connect("embedded:QM1") as qm:
        for number in range(5):
            qm.put("Q1", str(number) * 100_000)
    child = start("amqsget", "Q1", "QM1", "-w", "-1")
    process.append(child)
    assert child.stdout is not None and child.stderr is not None
    assert child.stdout.readline() == b"Sample AMQSGET0 start\n"
    child.stdout.close()
    assert child.wait(240) == 1
    assert child.stderr.read() == b""
    left = messages()
    assert left and left[-1] == b"4" * 100_000


def test_amqsget_with_open_options_that_do_not_let_it_get(sample: Samples) -> None:
    code, lines, err = sample("amqsget", "Q1", "QM1", "8208", "-w", "0")
    assert lines[1:] == ["open  options are 8208", "MQGET ended with reason code 2037", "Sample AMQSGET0 end"]
    assert (code, "MQRC_NOT_OPEN_FOR_INPUT (2037)" in err) == (2037 % 256, True)


# ---- Errors, the same in all samples ----


@pytest.mark.parametrize("command", ["amqsput", "amqsget", "amqsbcg", "amqsreq", "amqsech"])
def test_no_queue_manager(sample: Samples, command: str) -> None:
    code, lines, err = sample(command, "Q1", "NOPE")
    assert code == 2058 % 256
    assert lines[-1] == "MQCONNX ended with reason code 2058"
    assert err.startswith(f"libremq {command}: MQRC_Q_MGR_NAME_ERROR (2058) NOPE")
    assert not (sample.data / "qmgrs" / "NOPE").exists()


@pytest.mark.parametrize(
    ("command", "purpose"),
    [("amqsput", "output"), ("amqsget", "input"), ("amqsbcg", "browse"), ("amqsreq", "output"), ("amqsech", "input")],
)
def test_no_queue(sample: Samples, command: str, purpose: str) -> None:
    code, lines, err = sample(command, "NO.QUEUE", "QM1")
    assert code == 2085 % 256
    at = lines.index("MQOPEN ended with reason code 2085")
    assert lines[at + 1] == f"unable to open queue for {purpose}"
    assert command == "amqsbcg" or re.fullmatch(r"Sample AMQS\w+ end", lines[-1])
    assert err.startswith(f"libremq {command}: MQRC_UNKNOWN_OBJECT_NAME (2085) NO.QUEUE")


@pytest.mark.parametrize("command", ["amqsput", "amqsget", "amqsbcg", "amqsreq", "amqsech", "amqsblst"])
def test_the_name_of_the_queue_is_missing(sample: Samples, command: str) -> None:
    code, lines, err = sample(command)
    assert (code, lines[-1], err) == (99, "Required parameter missing - queue name", "")


@pytest.mark.parametrize(
    "words",
    [
        ("amqsput", "Q1", "QM1", "much"),
        ("amqsput", "Q1", "QM1", "-1"),
        ("amqsput", "Q1", "QM1", "8208", "9" * 5000),
        ("amqsput", "Q1", "QM1", "8208", "0", "QM1", "D.*", "more"),
        ("amqsget", "Q1", "QM1", "-w", "soon"),
        ("amqsget", "Q1", "QM1", "-w", "nan"),
        ("amqsget", "Q1", "QM1", "-w", "-2"),
        ("amqsget", "--nope"),
        ("amqsbcg", "Q1", "QM1", "5"),
        ("amqsbcg", "Q1", "QM1", "x"),
        ("amqsblst", "QM1", "Q1", "-W", "-c", "0"),
        ("amqsblst", "QM1", "Q1", "-W", "-c", "many"),
        ("amqsblst", "QM1", "Q1", "-W", "-s", "10,,20"),
        ("amqsblst", "QM1", "Q1", "-W", "-s", "999999999"),
        ("amqsblst", "QM1", "Q1", "-W", "-C", "x" * 25),
        ("amqsblst", "QM1", "Q1", "-W", "-p", "-n"),
    ],
)
def test_arguments_that_make_no_sense(sample: Samples, words: tuple[str, ...]) -> None:
    code, lines, err = sample(*words)
    assert (code, lines) == (99, [])
    assert "error:" in err and "Traceback" not in err


@pytest.mark.parametrize("name", ["b@d", "x" * 49, "mq:QM1", "embedded:QM1?what=1", "nope:QM1"])
def test_bad_names_of_queue_managers(sample: Samples, name: str) -> None:
    code, lines, err = sample("amqsput", "Q1", name, given=b"tea\n")
    assert code != 0
    assert lines[1].startswith("MQCONNX ended with reason code ")
    assert err.startswith("libremq amqsput: MQRC_")


@pytest.mark.parametrize("name", ["no queue!", "x" * 49, "café"])
def test_bad_names_of_queues(sample: Samples, name: str) -> None:
    code, lines, err = sample("amqsput", name, "QM1", given=b"tea\n")
    assert code != 0
    assert lines[-2:] == ["unable to open queue for output", "Sample AMQSPUT0 end"]
    assert err.startswith("libremq amqsput: MQRC_")


def test_amqsput_ends_at_the_first_put_that_fails(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.alter("qlocal", "Q1", maxdepth=2)
    code, lines, err = sample("amqsput", "Q1", "QM1", given=b"1\n2\n3\n4\n")
    assert (code, lines[-2:]) == (2053 % 256, ["MQPUT ended with reason code 2053", "Sample AMQSPUT0 end"])
    assert err.count("MQRC_Q_FULL (2053)") == 1
    assert messages() == [b"1", b"2"]


def test_exit_codes_are_never_those_of_success() -> None:
    assert [exit_code(reason) for reason in (2085, 2059, 2048, 256)] == [37, 11, 1, 1]


def test_the_queue_manager_by_url(sample: Samples, tmp_path: Path) -> None:
    sample.good("amqsput", "Q1", f"embedded:QM1?data={tmp_path}", given=b"tea\n")
    assert messages() == [b"tea"]


def test_the_queue_manager_is_left_out(sample: Samples) -> None:
    sample.good("amqsput", "Q1", given=b"tea\n")  # there is only one
    assert messages() == [b"tea"]


def test_mqserver_is_asked_where_the_queue_manager_is(sample: Samples, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", "nonsense")
    code, lines, err = sample("amqsput", "Q1", "QM1", given=b"tea\n")
    assert (code, lines[-1]) == (2539 % 256, "MQCONNX ended with reason code 2539")
    assert "MQSERVER" in err
    assert messages() == []


# ---- amqsbcg ----


def test_amqsbcg(sample: Samples) -> None:
    with libremq.connect("embedded:QM1", user="alice", application="maker") as qm:
        first = qm.put("Q1", "Hello Q1", persistent=True, priority=7, correlation_id=b"corr", reply_to="REPLIES")
        qm.put(
            "Q1",
            b"",
            properties={"colour": "red", "weight": 12, "ok": True, "raw": b"\x01\xff", "nothing": None},
        )
    lines = sample.good("amqsbcg", "Q1", "QM1")
    head = ["", "AMQSBCG0 - starts here", "**********************", "", " MQOPEN - 'Q1'", "", ""]
    assert lines[: len(head)] == head
    assert lines[7:9] == [" MQGET of message number 1, CompCode:0 Reason:0", "****Message descriptor****"]
    second = lines.index(" MQGET of message number 2, CompCode:0 Reason:0")
    for shown in (
        "  StrucId  : 'MD  '",
        "  Version : 2",
        "  Report   : 0",
        "  MsgType : 8",
        "  Expiry   : -1",
        "  Feedback : 0",
        "  CodedCharSetId : 1208",
        "  Format : 'MQSTR   '",
        "  Priority : 7",
        "  Persistence : 1",
        f"  MsgId : X'{first.hex().upper()}'",
        f"  CorrelId : X'{b'corr'.hex().upper()}{'00' * 20}'",
        "  BackoutCount : 0",
        f"  ReplyToQ       : '{'REPLIES':<48}'",
        f"  ReplyToQMgr    : '{'QM1':<48}'",
        "  ** Identity Context",
        "  UserIdentifier : 'alice       '",
        "  ** Origin Context",
        f"  PutApplName    : '{'maker':<28}'",
        "  MsgSeqNumber   : '1'",
        "  OriginalLength : '-1'",
    ):
        assert lines[:second].count(shown) == 1, shown
    at = lines.index("****   Message      ****")
    assert lines[at : at + 5] == [
        "****   Message      ****",
        "",
        " length - 8 of 8 bytes",
        "",
        "00000000:  4865 6C6C 6F20 5131                     'Hello Q1        '",
    ]
    at = lines.index("****Message properties****")
    assert lines[at + 2] == "  None"
    at = lines.index("****Message properties****", second)
    assert set(lines[at + 2 : at + 7]) == {
        "  colour : 'red'",
        "  weight : 12",
        "  ok : TRUE",
        "  raw : X'01FF'",
        "  nothing : NULL",
    }
    assert lines[-4:] == ["", " No more messages ", " MQCLOSE", " MQDISC"]
    assert len(messages()) == 2


def test_amqsbcg_property_options(sample: Samples) -> None:
    with libremq.connect("embedded:QM1") as qm:
        qm.put("Q1", "tea", properties={"colour": "red"})

    def shown(option: str) -> tuple[bool, bool]:
        """Whether properties are shown by name, and whether there is an MQRFH2."""
        lines = sample.good("amqsbcg", "Q1", "QM1", option)
        return "  colour : 'red'" in lines, any(line.startswith("00000000:  5246 4820") for line in lines)

    assert shown("1") == (True, False)
    assert shown("2") == (False, False)
    assert shown("3") == (False, True)
    with libremq.connect("embedded:QM1") as qm:
        qm.alter("qlocal", "Q1", propctl="none")
    assert shown("0") == (False, False)
    with libremq.connect("embedded:QM1") as qm:
        qm.alter("qlocal", "Q1", propctl="force")
    assert shown("0") == (False, True)


def test_dump() -> None:
    data = bytes(range(0x1E, 0x3E)) + b"\x7f\xff"
    assert list(dump(data)) == [
        "00000000:  1E1F 2021 2223 2425 2627 2829 2A2B 2C2D '.. !\"#$%&'()*+,-'",
        "00000010:  2E2F 3031 3233 3435 3637 3839 3A3B 3C3D './0123456789:;<='",
        "00000020:  7FFF                                    '..              '",
    ]
    assert list(dump(b"ABC")) == ["00000000:  4142 43                                 'ABC             '"]
    assert list(dump(b"")) == []


def test_amqsbcg_dumps_long_messages_whole(sample: Samples) -> None:
    data = bytes(index % 251 for index in range(150_001))
    with libremq.connect("embedded:QM1") as qm:
        qm.put("Q1", data)
    lines = sample.good("amqsbcg", "Q1", "QM1")
    rows = [line for line in lines if line[8:11] == ":  "]
    assert [int(row[:8], 16) for row in rows] == list(range(0, 150_001, 16))
    assert bytes.fromhex("".join(row[11:50] for row in rows).replace(" ", "")) == data
    assert " length - 150001 of 150001 bytes" in lines


# ---- Users ----


def test_the_password_is_the_first_line_of_the_input(sample: Samples, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSAMP_USER_ID", "bob")
    lines = sample.good("amqsput", "Q1", "QM1", given=b"secret\ntea\n")
    assert lines == ["Sample AMQSPUT0 start", "Enter password: ", "target queue is Q1", "Sample AMQSPUT0 end"]
    with libremq.connect("embedded:QM1") as qm:
        (message,) = qm.queue("Q1").browse()
    assert (message.data, message.user) == (b"tea", "bob")
