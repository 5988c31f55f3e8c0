"""`libremq runmqtrm` with a queue manager that serves: from a put to the program's reply, and how it ends."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from helper_cli import Commands

import libremq
from helper_serving import Process, serving, until_there

PROGRAM = """\
import sys, libremq
form = sys.argv[1]
queue, manager = form[8:56].strip(), form[684:732].strip()
with libremq.connect("local:" + manager) as qm:
    with qm.transaction():
        for message in qm.queue(queue):
            message.reply("done: " + message.text)
"""


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    return Commands(capsys, tmp_path / "data")


def define(qm: libremq.QueueManager, program: str, initq: str = "SYSTEM.DEFAULT.INITIATION.QUEUE") -> None:
    qm.define_process("WORKER", applicid=program, replace=True)
    qm.define_local("WORK", trigger="trigger", trigtype="first", process="WORKER", initq=initq, replace=True)
    qm.define_local("REPLIES", replace=True)


def test_a_put_triggers_a_program_that_gets_the_message_and_replies(mq: Commands, tmp_path: Path) -> None:
    program = tmp_path / "worker.py"
    program.write_text(PROGRAM)
    with serving(mq, "QM1") as url, libremq.connect(url) as qm:
        define(qm, f"{sys.executable} {program}")
        monitor = Process("runmqtrm", "-m", "QM1")
        monitor.until("AMQ8612I")
        replies = qm.queue("REPLIES")
        for text in ("tea", "cake"):
            number = qm.put("WORK", text, reply_to="REPLIES")
            assert replies.get(60, correlation_id=number).text == f"done: {text}"
            monitor.until("ended with exit code 0")
            monitor.text = ""
        assert qm.queue("WORK").depth == 0
        assert monitor.end(signal.SIGTERM) == 0
        assert monitor.text.rstrip().endswith("AMQ8602I: LibreMQ trigger monitor ended.")


def test_it_goes_on_when_a_program_is_missing(mq: Commands, tmp_path: Path) -> None:
    with serving(mq, "QM1") as url, libremq.connect(url) as qm:
        qm.define_local("MY.INIT")
        define(qm, "/nowhere/to/be/found", "MY.INIT")
        monitor = Process("runmqtrm", "-m", "QM1", "-q", "MY.INIT")
        monitor.until("AMQ8612I")
        qm.put("WORK", "go")
        monitor.until("AMQ8618E")
        define(qm, f"touch {tmp_path}/started; echo yes > {tmp_path}/started #", "MY.INIT")
        qm.queue("WORK").get()
        qm.put("WORK", "go")
        assert until_there(tmp_path / "started") == "yes\n"
        assert monitor.end(signal.SIGINT) == 0


def test_it_ends_when_the_queue_manager_quiesces(mq: Commands) -> None:
    with serving(mq, "QM1"):
        monitor = Process("runmqtrm", "-m", "QM1")
        monitor.until("AMQ8612I")
        mq.good("endmqm", "-w", "QM1")
        assert monitor.end() == 0
        assert "AMQ8602I" in monitor.text


def test_it_is_interrupted_when_the_queue_manager_ends_at_once(mq: Commands) -> None:
    with serving(mq, "QM1"):
        monitor = Process("runmqtrm", "-m", "QM1")
        monitor.until("AMQ8612I")
        mq.good("endmqm", "-i", "QM1")
        assert monitor.end() in (0, 10)
        assert ("AMQ8602I" in monitor.text) != ("AMQ8608E" in monitor.text)


def test_a_program_that_runs_outlives_the_monitor(mq: Commands, tmp_path: Path) -> None:
    with serving(mq, "QM1") as url, libremq.connect(url) as qm:
        script = tmp_path / "slow.sh"
        script.write_text(
            f"#!/bin/sh\necho up > {tmp_path}/up\nuntil [ -e {tmp_path}/go ]; do sleep 0.05; done\n"
            f"echo end > {tmp_path}/end\n"
        )
        script.chmod(0o700)
        define(qm, f"{script} > /dev/null 2>&1")
        monitor = Process("runmqtrm", "-m", "QM1")
        monitor.until("AMQ8612I")
        qm.put("WORK", "go")
        until_there(tmp_path / "up")
        assert monitor.end(signal.SIGTERM) == 0
        (tmp_path / "go").write_text("now")
        assert until_there(tmp_path / "end") == "end\n"


def test_refused(mq: Commands) -> None:
    mq.good("crtmqm", "-lf", "64", "QM1")
    code, err = mq.bad("runmqtrm", "-m", "QM1")
    assert (code, err[:8], "strmqm" in err) == (20, "AMQ8607E", True)
    assert mq.bad("runmqtrm", "-m", "NOBODY")[0] == 20
    assert mq.bad("runmqtrm", "-m", "b@d")[0] == 20
    assert mq.bad("runmqtrm", "QM1")[0] == 20
    mq.good("strmqm", "-ns", "QM1")
    try:
        code, err = mq.bad("runmqtrm", "-m", "QM1", "-q", "NOPE")
        assert (code, err[:8]) == (20, "AMQ8611E")
    finally:
        mq("endmqm", "-i", "QM1")
