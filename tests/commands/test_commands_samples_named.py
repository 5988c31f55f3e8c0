"""The samples that came later: amqsgbr, amqsinq, amqsset, and those with a c, which are clients and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from helper_amqs import Samples

import libremq
from libremq.commands import main
from libremq.commands.samples.sample_program import CLIENT_SAMPLES
from libremq.mqi import constants as C
from libremq.testing.serving import served_queue_manager


@pytest.fixture
def sample(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Samples:
    samples = Samples(capsys, monkeypatch, tmp_path)
    with libremq.connect("embedded:QM1?create=1", application="setup", user="alice") as qm:
        for name in ("Q1", "ASK", "ANSWERS"):
            qm.define_local(name, defpsist="yes")
    return samples


def test_amqsgbr_shows_the_messages_and_leaves_them(sample: Samples) -> None:
    sample.good("amqsput", "Q1", "QM1", given="tea\ncafé\n".encode())
    for _ in range(2):
        assert sample.good("amqsgbr", "Q1", "QM1") == [
            "Sample AMQSGBR0 (browse) start", "Messages for Q1", "1 <tea>", "2 <café>", "No more messages",
            "Sample AMQSGBR0 (browse) end",
        ]  # fmt: skip
    code, lines, err = sample("amqsgbr", "NOPE", "QM1")
    assert code == C.MQRC_UNKNOWN_OBJECT_NAME % 256
    assert "MQOPEN ended with reason code 2085" in lines and "NOPE" in err


def ask(names: list[str]) -> None:
    with libremq.connect("embedded:QM1") as qm:
        for name in names:
            qm.queue("ASK").put(name, message_type=C.MQMT_REQUEST, reply_to="ANSWERS", persistent=True)


def answers() -> list[tuple[int, int, str]]:
    with libremq.connect("embedded:QM1") as qm:
        queue = qm.queue("ANSWERS")
        found = list(queue.browse())
        qm.clear("ANSWERS")
        return [(one.message_type, one.feedback, one.text) for one in found]


def test_amqsinq_tells_of_the_queues_that_requests_name(sample: Samples) -> None:
    sample.good("amqsput", "Q1", "QM1", given=b"one\ntwo\n")
    ask(["Q1", "NOBODY"])
    code, lines, _ = sample("amqsinq", "ASK", "QM1", "-w", "0")
    assert (code, lines[0], lines[-1]) == (0, "Sample AMQSINQA start", "Sample AMQSINQA end")
    assert answers() == [
        (C.MQMT_REPLY, 0, "Q1 has 2 messages, used by 0 jobs; GET allowed"),
        (C.MQMT_REPORT, C.MQRC_UNKNOWN_OBJECT_NAME, ""),
    ]


def test_amqsset_inhibits_puts_on_the_queues_that_requests_name(sample: Samples) -> None:
    ask(["Q1"])
    code, lines, _ = sample("amqsset", "ASK", "QM1", "-w", "0")
    assert (code, lines[0], lines[-1]) == (0, "Sample AMQSSETA start", "Sample AMQSSETA end")
    assert answers() == [(C.MQMT_REPLY, 0, "Q1 PUT inhibited")]
    code, lines, _ = sample("amqsput", "Q1", "QM1", given=b"no\n")
    assert "MQPUT ended with reason code 2051" in lines


def test_every_client_sample_is_a_sample() -> None:
    modules = {command.name: command.module for command in main.COMMANDS}
    assert {name: modules[name] for name in CLIENT_SAMPLES} == {name: modules[name[:-1]] for name in CLIENT_SAMPLES}


@pytest.mark.parametrize("name", CLIENT_SAMPLES)
def test_a_client_sample_does_not_look_for_a_queue_manager_here(sample: Samples, name: str) -> None:
    words = ("QM1", "Q1", "-R") if name == "amqsblstc" else ("Q1", "QM1")
    code, lines, err = sample(name, *words)
    assert code == C.MQRC_Q_MGR_NAME_ERROR % 256
    assert "MQCONNX ended with reason code 2058" in lines and "MQSERVER" in err


def test_client_samples_go_where_mqserver_points(
    sample: Samples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served_queue_manager("QM2", folder=tmp_path / "served") as served, libremq.connect(served.url()) as qm:
        qm.define_local("Q")
        monkeypatch.setenv("MQSERVER", f"SYSTEM.DEF.SVRCONN/TCP/127.0.0.1({served.port})")
        sample.good("amqsputc", "Q", "QM2", given=b"over a channel\n")
        assert qm.queue("Q").depth == 1
        [row] = qm.mqsc("DISPLAY CHSTATUS(*) ALL")[0].rows[:1]
        assert row["channel"] == "SYSTEM.DEF.SVRCONN"
        assert "1 <over a channel>" in sample.good("amqsgbrc", "Q", "QM2")
        assert any("Message descriptor" in line for line in sample.good("amqsbcgc", "Q", "QM2"))
        assert "message <over a channel>" in sample.good("amqsgetc", "Q", "QM2", "-w", "0")
        assert next(iter(qm.queue("Q").browse()), None) is None
        sample.good("amqsputc", "Q", "QM2", given=b"x\n")
        assert next(iter(qm.queue("Q").browse())).application == "amqsputc"
