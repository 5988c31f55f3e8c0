"""`strmqtrc` and `endmqtrc` on a queue manager that runs as a process: what is in the file, and what is not."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_cli import Commands

import libremq
from helper_serving import serving
from libremq.mqi.errors import MQError
from libremq.server.diagnostics.trace_options import ALL, PROGRAMS_MAX, SIZE_MAX_MB
from libremq.server.process.control_socket import ControlClient
from libremq.server.process.run_state import current_run
from libremq.server.process.trace_commands import START_TRACE


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    commands = Commands(capsys, tmp_path / "data")
    with serving(commands):
        yield commands


def begin(mq: Commands, *words: str) -> Path:
    [line] = mq.good("strmqtrc", "-m", "QM1", *words)
    found = re.fullmatch(r"The trace of queue manager 'QM1' is on: (.*/trace/AMQ\d+\.0\.TRC)", line)
    assert found is not None, line
    return Path(found[1])


def some_work(data: Path, application: str = "worker") -> None:
    with libremq.connect(f"local:QM1?data={data}", application=application) as qm:
        if not qm.queue_names("TRACED"):
            qm.define_local("TRACED")
        qm.queue("TRACED").put("what a message says")
        assert qm.queue("TRACED").get().text == "what a message says"
        with pytest.raises(MQError):
            qm.queue("NOBODY").put("x")


def test_flows_and_calls_in_words(mq: Commands) -> None:
    path = begin(mq)
    some_work(mq.data)
    [line] = mq.good("endmqtrc", "-m", "QM1")
    assert line == f"The trace of queue manager 'QM1' is off: {path}"
    text = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert re.search(r"<- local +\d+\.\d+ +INITIAL_DATA .*channel", text)
    assert re.search(r"<- .* MQCONN .*application 'worker'", text)
    assert re.search(r"<- .* MQOPEN .*MQOT_Q 'TRACED', options 0x", text)
    assert re.search(r"<- .* MQPUT .*19 bytes, format 'MQSTR'", text)
    assert re.search(r"-> .* MQOPEN_REPLY .*MQCC_FAILED, MQRC_UNKNOWN_OBJECT_NAME \(2085\)", text)
    assert re.search(r"<- .* MQDISC ", text)
    assert "'MQOT_Q" not in text and re.search(r"^    00000000: [0-9A-F]{4} ", text, re.MULTILINE)
    some_work(mq.data)
    assert path.read_text() == text  # it is off
    assert mq.good("endmqtrc", "-m", "QM1") == ["'QM1' was not traced."]


def test_calls_only_and_no_data(mq: Commands) -> None:
    path = begin(mq, "-t", "api", "-d", "0")
    some_work(mq.data)
    mq.good("endmqtrc", "-m", "QM1")
    text = path.read_text()
    assert " MQPUT " in text and " INITIAL_DATA " not in text
    assert not re.search(r"^    0", text, re.MULTILINE) and "what a message says" not in text


def test_all_data_of_one_program(mq: Commands) -> None:
    path = begin(mq, "-d", "-1", "-p", "chosen,another")
    some_work(mq.data, "not.chosen")
    some_work(mq.data, "chosen")
    mq.good("endmqtrc", "-m", "QM1")
    text = path.read_text()
    assert "application 'chosen'" in text
    calls = re.findall(r"<- .* (MQOPEN|MQPUT1?) .*", text)
    assert calls
    words = "".join(re.findall(r"'(.{0,16})'$", text, re.MULTILINE))
    assert "what a message says" in words
    assert words.count("what a message says") == 2  # put and got once, by the one that is meant


def test_passwords_are_in_no_trace(mq: Commands) -> None:
    path = begin(mq, "-d", "-1")
    try:
        libremq.connect(f"local:QM1?data={mq.data}", user="carol", password="hush!hush!").close()
    except MQError:
        pass  # whether she is let in is not the question
    with libremq.connect(f"local:QM1?data={mq.data}") as qm:
        qm.mqsc("DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) CONNAME('x') SHORTUSR('sn') LDAPPWD('hush!hush!')")
    mq.good("endmqtrc", "-m", "QM1")
    text = path.read_text()
    assert "password not shown" in text
    assert "hush" not in "".join(re.findall(r"'(.{0,16})'$", text, re.MULTILINE)) and b"hush".hex() not in text


def test_what_does_not_work(mq: Commands) -> None:
    for words in (("-t", "everything"), ("-d", "x"), ("-l", "0"), ("-p", ",")):
        assert mq("strmqtrc", "-m", "QM1", *words)[0] == 36
    code, text = mq.bad("strmqtrc", "-m", "NOBODY")
    assert code == 16, text
    mq.good("crtmqm", "-lf", "64", "IDLE")
    code, text = mq.bad("endmqtrc", "-m", "IDLE")
    assert (code, "does not run" in text) == (40, True)


def test_the_limits_of_several_options_together(mq: Commands) -> None:
    half, rest = [f"p{n}" for n in range(13)], [f"q{n}" for n in range(PROGRAMS_MAX - 13)]
    begin(mq, "-p", ",".join(half), "-p", ",".join(rest))
    code, text = mq.bad("strmqtrc", "-m", "QM1", "-p", ",".join(half), "-p", ",".join([*rest, "more"]))
    assert (code, "25 programs at the most, not of 26" in text) == (71, True)


@pytest.mark.parametrize("size_mb, names, good", [
    (SIZE_MAX_MB, PROGRAMS_MAX, True), (SIZE_MAX_MB + 1, 0, False), (0, 0, False), (1, PROGRAMS_MAX + 1, False),
])  # fmt: skip
def test_the_queue_manager_knows_the_limits_too(mq: Commands, size_mb: int, names: int, good: bool) -> None:
    running = current_run(str(mq.folder()))
    assert running is not None
    client = ControlClient(running.control, 30.0)
    try:
        programs = [f"p{n}" for n in range(names)]
        answer = client.ask(START_TRACE, types=[ALL], programs=programs, data_bytes=0, size_mb=size_mb)
    finally:
        client.close()
    assert bool(answer.get("ok")) is good, answer
