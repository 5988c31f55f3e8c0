"""`libremq strmqm`, `endmqm` and `dspmq` with queue managers that serve: real processes, exit codes, statuses."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_cli import SMALL, Commands, other_process

import libremq
from libremq.mqi import constants as C

LIMIT_S = 240.0


class Serving(Commands):
    """Commands, and what there is to know about the queue managers they run."""

    def run_file(self, name: str = "QM1") -> dict[str, Any]:
        path = self.folder(name) / "run.json"
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def status(self, name: str = "QM1") -> str:
        (line,) = self.good("dspmq", "-m", name)
        found = re.search(r" STATUS\((.*?)\)", line)
        assert found is not None
        return found[1]

    def until(self, status: str) -> None:
        deadline = time.monotonic() + LIMIT_S
        while self.status() != status:
            assert time.monotonic() < deadline, self.status()
            time.sleep(0.02)


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    found = Serving(capsys, tmp_path / "data")
    found.good("crtmqm", *SMALL, "QM1")
    yield found
    run = found.run_file()
    if run:
        kill(run["process_id"], signal.SIGCONT)
        found("endmqm", "-p", "QM1")


def kill(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def test_strmqm_and_endmqm(mq: Serving) -> None:
    lines = mq.good("strmqm", "-p", "0", "QM1")
    assert lines[0] == "LibreMQ queue manager 'QM1' starting."
    assert [line.partition(":")[0] for line in lines[1:5]] == ["AMQ7229I", "AMQ7230I", "AMQ7231I", "AMQ7232I"]
    assert re.fullmatch(r"AMQ5026I: The listener on 127\.0\.0\.1:\d+ has started\.", lines[5])
    assert re.fullmatch(r"LibreMQ queue manager 'QM1' started using V.*\.", lines[-1])
    run = mq.run_file()
    shown = mq.good("dspmq", "-o", "all")[0]
    assert shown.startswith(
        "QMNAME(QM1)".ljust(58) + f"STATUS(Running) PROCESS({run['process_id']} (libremq-QM1)) "
        f"CONTROLLER({run['controller_id']}) LISTENER(127.0.0.1:{run['ports'][0]}) "
    )
    assert mq("dspmq", "-a")[0] == 5
    code, err = mq.bad("strmqm", "QM1")
    assert (code, err.startswith("AMQ7005E: The queue manager 'QM1' is running: process")) == (5, True)
    assert mq.bad("dltmqm", "QM1")[0] == 5
    assert mq.good("endmqm", "-w", "QM1") == [
        "LibreMQ queue manager 'QM1' ending.",
        "LibreMQ queue manager 'QM1' ended.",
    ]
    assert mq.status() == "Ended normally"
    assert mq("dspmq", "-a") == (0, "", "")
    assert mq.good("dltmqm", "QM1") == ["LibreMQ queue manager 'QM1' deleted."]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["-i"], "Ended immediately"),
        (["-p"], "Ended preemptively"),
        (["-w"], "Ended normally"),
        (["-w", "-t", "60"], "Ended normally"),
        (["-w", "-tp", "60", "-r"], "Ended normally"),
    ],
)
def test_each_way_to_end_is_remembered(mq: Serving, words: list[str], status: str) -> None:
    mq.good("strmqm", "-ns", "QM1")
    assert mq.good("endmqm", *words, "QM1")[-1] == "LibreMQ queue manager 'QM1' ended."
    assert mq.status() == status
    assert mq.run_file() == {}
    with libremq.connect("embedded:QM1"):
        assert mq.status() == "Running"
    assert mq.status() == "Ended normally"


def test_endmqm_by_default_does_not_wait(mq: Serving) -> None:
    mq.good("strmqm", "-ns", "QM1")
    assert mq.good("endmqm", "QM1") == [
        "Quiesce request accepted: queue manager 'QM1' ends when its applications have disconnected."
    ]
    mq.until("Ended normally")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 36),
        (["-i", "-p", "QM1"], 36),
        (["-t", "1", "-tp", "2", "QM1"], 36),
        (["-t", "soon", "QM1"], 36),
        (["-x", "QM1"], 36),
        (["QM1"], 40),
        (["-p", "QM1"], 40),
        (["NOBODY"], 16),
        (["b@d"], 72),
    ],
)
def test_endmqm_refuses(mq: Serving, words: list[str], expected: int) -> None:
    assert mq.bad("endmqm", *words)[0] == expected


def test_endmqm_leaves_an_application_alone(mq: Serving) -> None:
    with other_process("QM1", mq.data) as process:
        code, err = mq.bad("endmqm", "-p", "QM1")
        assert (code, f"process {process} (python) has it embedded" in err) == (40, True)
        assert mq("endmqm", "-z", "QM1") == (40, "", "")
        assert mq.status() == "Running"


def test_a_process_that_hangs_can_be_ended_preemptively(mq: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    mq.good("strmqm", "-ns", "QM1")
    run = mq.run_file()
    os.kill(run["process_id"], signal.SIGSTOP)
    with monkeypatch.context() as impatient:  # with those that do not answer only: others may be slow
        for name in ("_ANSWER_S", "_ANSWER_PREEMPTIVE_S", "_TERM_S"):
            impatient.setattr(f"libremq.commands.mq.endmqm.{name}", 0.2)
        code, err = mq.bad("endmqm", "-i", "QM1")
        assert (code, err[:8]) == (71, "AMQ6109E")
        assert f"its process {run['process_id']} does not answer" in err
        assert mq.good("endmqm", "-p", "QM1")[-1] == "LibreMQ queue manager 'QM1' ended."
    assert mq.status() == "Ended preemptively"
    deadline = time.monotonic() + LIMIT_S
    log = mq.folder() / "errors" / "AMQERR01.LOG"
    while "AMQ5071W" not in log.read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert "it was ended preemptively. The next start recovers what it left." in log.read_text()
    assert not list((mq.folder() / "errors").glob("*.FDC"))
    mq.good("strmqm", "-ns", "QM1")
    mq.good("endmqm", "-w", "QM1")


def test_one_that_was_killed_is_shown_and_starts_again(mq: Serving) -> None:
    mq.good("strmqm", "-ns", "QM1")
    os.kill(mq.run_file()["process_id"], signal.SIGKILL)
    mq.until("Ended unexpectedly")
    mq.good("strmqm", "-ns", "QM1")
    mq.good("endmqm", "-i", "QM1")
    assert mq.status() == "Ended immediately"


def test_a_start_that_fails_has_its_code(mq: Serving) -> None:
    ini = mq.folder() / "qm.ini"
    good = ini.read_text()
    ini.write_text("Log:\n  LogPrimaryFiles=9999\n")
    code, err = mq.bad("strmqm", "QM1")
    assert (code, "AMQ8041E: The queue manager 'QM1' cannot be started:" in err, "=9999" in err) == (71, True, True)
    ini.write_text(good)
    control = mq.folder() / "log" / "amqhlctl.lfh"
    control.rename(mq.folder() / "aside")
    code, _, err = mq("strmqm", "QM1")
    assert (code, "amqhlctl.lfh" in err, "Traceback" in err) == (23, True, False)
    assert mq("strmqm", "-z", "QM1")[::2] == (23, "")
    (mq.folder() / "aside").rename(control)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        code, _, err = mq("strmqm", "-p", port, "QM1")
    assert (code, err.startswith(f"AMQ9218E: Nothing can listen on 127.0.0.1:{port}: ")) == (71, True)
    assert err.endswith("LibreMQ queue manager 'QM1' was not started.\n")
    assert "choose another port" in err
    assert mq.status() == "Ended normally"
    mq.good("strmqm", "-p", port, "QM1")


@pytest.mark.parametrize("how", ["-w", "-p"])
def test_a_queue_manager_whose_file_is_damaged_is_ended_all_the_same(
    mq: Serving, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("libremq.commands.mq.endmqm._ANSWER_PREEMPTIVE_S", LIMIT_S)  # it is there, but may be slow
    mq.good("strmqm", "-ns", "QM1")
    (mq.folder() / "run.json").write_text("{")
    assert mq.good("endmqm", how, "QM1")[-1] == "LibreMQ queue manager 'QM1' ended."
    assert mq.status() == ("Ended normally" if how == "-w" else "Ended preemptively")


def test_nobody_reads_what_endmqm_says(mq: Serving) -> None:
    mq.good("strmqm", "-ns", "QM1")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = subprocess.run(
            [sys.executable, "-u", "-m", "libremq.commands.main", "endmqm", "-w", "QM1"],
            stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert mq.status() == "Ended normally"


# ---- in the foreground ----


class Foreground:
    """`strmqm --foreground` as a container runs it."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "libremq.commands.main", "strmqm", "--foreground", *words, "QM1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.lines: list[str] = []

    def read_until(self, beginning: str) -> None:
        assert self.process.stdout is not None
        while not self.lines or not self.lines[-1].startswith(beginning):
            assert select.select([self.process.stdout], [], [], LIMIT_S)[0], self.lines
            line = self.process.stdout.readline()
            assert line, self.lines
            self.lines.append(line.decode().rstrip())

    def rest(self) -> tuple[int, list[str], str]:
        out, err = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, out.decode().splitlines(), err.decode()


def test_in_the_foreground_a_signal_may_come_before_the_queue_manager_listens_to_signals(mq: Serving) -> None:
    foreground = Foreground("-ns")
    children = Path(f"/proc/{foreground.process.pid}/task/{foreground.process.pid}/children")
    deadline = time.monotonic() + LIMIT_S
    while not children.read_text():
        assert time.monotonic() < deadline
    foreground.process.send_signal(signal.SIGTERM)
    code, _, err = foreground.rest()
    assert (code, err) == (0, "")
    assert not list((mq.folder() / "errors").glob("*.FDC"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_in_the_foreground_a_signal_ends_it(mq: Serving, number: int) -> None:
    foreground = Foreground("-ns")
    foreground.read_until("LibreMQ queue manager 'QM1' started")
    assert mq.run_file()["controller_id"] == foreground.process.pid
    assert mq.status() == "Running"
    foreground.process.send_signal(number)
    code, out, err = foreground.rest()
    assert (code, err) == (0, "")
    assert out[-1] == "LibreMQ queue manager 'QM1' ended normally."
    assert mq.status() == "Ended normally"


def test_in_the_foreground_endmqm_ends_it(mq: Serving) -> None:
    foreground = Foreground("-ns")
    foreground.read_until("LibreMQ queue manager 'QM1' started")
    mq.good("endmqm", "-i", "QM1")
    code, out, err = foreground.rest()
    assert (code, err, out[-1]) == (0, "", "LibreMQ queue manager 'QM1' ended immediately.")


def test_in_the_foreground_a_failure_is_71(mq: Serving) -> None:
    foreground = Foreground("-ns")
    foreground.read_until("LibreMQ queue manager 'QM1' started")
    os.kill(mq.run_file()["process_id"], signal.SIGKILL)
    code, out, err = foreground.rest()
    assert code == 71
    assert out[-1].startswith("AMQ5008S: The process ")
    assert err == "AMQ5073E: The process of queue manager 'QM1' was killed by signal 9 (SIGKILL).\n"


def test_a_signal_in_the_middle_of_a_start_ends_it_in_good_order(mq: Serving) -> None:
    foreground = Foreground("-ns")
    foreground.read_until("LibreMQ queue manager 'QM1' starting.")
    foreground.process.send_signal(signal.SIGTERM)
    code, _, err = foreground.rest()
    assert (code, err) == (0, "")
    assert mq.status() == "Ended normally"


def test_in_the_foreground_a_start_that_fails_has_its_code(mq: Serving) -> None:
    (mq.folder() / "log" / "amqhlctl.lfh").unlink()
    code, _, err = Foreground("-ns").rest()
    assert (code, "amqhlctl.lfh" in err, "Traceback" in err) == (23, True, False)


def test_a_reader_that_goes_away_does_not_end_the_queue_manager(mq: Serving) -> None:
    foreground = Foreground("-ns")
    assert foreground.process.stdout is not None and foreground.process.stderr is not None
    foreground.process.stdout.close()
    mq.until("Running")
    mq.good("endmqm", "-w", "QM1")
    assert b"Traceback" not in foreground.process.stderr.read()
    foreground.process.stderr.close()
    foreground.process.wait(LIMIT_S)
    assert mq.status() == "Ended normally"


# ---- with applications ----


def reason_of(call: Any) -> int:
    with pytest.raises(libremq.MQError) as caught:
        call()
    return int(caught.value.reason)


def test_a_quiesced_end_waits_for_applications(mq: Serving) -> None:
    mq.good("strmqm", "-ns", "QM1")
    with libremq.connect("local:QM1") as qm:
        qm.define_local("ORDERS")
        mq.good("endmqm", "QM1")
        assert mq.status() == "Quiescing"
        assert mq("dspmq", "-a")[0] == 5
        code, err = mq.bad("endmqm", "QM1")
        assert (code, err) == (49, "AMQ5005E: The queue manager 'QM1' is ending already.\n")
        code, err = mq.bad("strmqm", "QM1")
        assert (code, err) == (49, "AMQ5005E: The queue manager 'QM1' is ending: Quiescing.\n")
        assert reason_of(lambda: libremq.connect("local:QM1")) in (C.MQRC_Q_MGR_QUIESCING, C.MQRC_Q_MGR_STOPPING)
    mq.until("Ended normally")
    mq.good("strmqm", "--check", "QM1")


def test_an_immediate_end_breaks_connections_and_backs_out(mq: Serving) -> None:
    mq.good("strmqm", "-ns", "QM1")
    qm = libremq.connect("local:QM1")
    qm.define_local("ORDERS")
    orders = qm.queue("ORDERS")
    orders.put(b"acknowledged", persistent=True)
    with pytest.raises(libremq.MQError) as caught, qm.transaction():
        orders.put(b"not committed", persistent=True)
        mq.good("endmqm", "QM1")
        assert mq.status() == "Quiescing"
        mq.good("endmqm", "-i", "QM1")  # harsher than the one that waits
        assert mq.status() == "Ended immediately"
        orders.put(b"too late", persistent=True)
    assert caught.value.reason in (C.MQRC_CONNECTION_BROKEN, C.MQRC_Q_MGR_STOPPING, C.MQRC_CONNECTION_STOPPING)
    qm.close()
    with libremq.connect("embedded:QM1") as again:
        assert [message.data for message in again.queue("ORDERS")] == [b"acknowledged"]


@pytest.mark.parametrize("words", [["-w", "-t", "1"], ["-w", "-tp", "1"]])
def test_a_target_makes_the_end_harsher(mq: Serving, words: list[str]) -> None:
    mq.good("strmqm", "-ns", "QM1")
    qm = libremq.connect("local:QM1")
    mq.good("endmqm", *words, "QM1")
    assert mq.status() in ("Ended immediately", "Ended preemptively")
    assert reason_of(lambda: qm.queue("SYSTEM.DEFAULT.LOCAL.QUEUE").put(b"x")) != 0
    qm.close()


def test_a_second_signal_is_an_immediate_end(mq: Serving) -> None:
    foreground = Foreground("-ns")
    foreground.read_until("LibreMQ queue manager 'QM1' started")
    qm = libremq.connect("local:QM1")
    foreground.process.send_signal(signal.SIGTERM)
    mq.until("Quiescing")
    assert reason_of(lambda: qm.queue("SYSTEM.DEFAULT.LOCAL.QUEUE").statistics()) == C.MQRC_Q_MGR_QUIESCING
    foreground.process.send_signal(signal.SIGTERM)
    code, out, _ = foreground.rest()
    assert (code, out[-1]) == (0, "LibreMQ queue manager 'QM1' ended immediately.")
    qm.close()


def test_a_killed_queue_manager_keeps_what_it_acknowledged(mq: Serving) -> None:
    mq.good("strmqm", "-ns", "QM1")
    qm = libremq.connect("local:QM1")
    qm.define_local("ORDERS")
    for number in range(20):
        qm.queue("ORDERS").put(str(number), persistent=True)
    os.kill(mq.run_file()["process_id"], signal.SIGKILL)
    assert reason_of(lambda: qm.queue("ORDERS").put("x", persistent=True)) == C.MQRC_CONNECTION_BROKEN
    qm.close()
    mq.until("Ended unexpectedly")
    mq.good("strmqm", "-ns", "QM1")
    with libremq.connect("local:QM1") as again:
        assert [message.text for message in again.queue("ORDERS")] == [str(number) for number in range(20)]
    mq.good("endmqm", "-w", "QM1")


def test_one_client_more_than_the_limit_is_refused_and_noted(mq: Serving) -> None:
    """Local applications do not count."""
    ini = mq.folder() / "qm.ini"
    ini.write_text(ini.read_text() + "Channels:\n   MaxChannels=2\n")
    mq.good("strmqm", "-p", "0", "QM1")
    local = [libremq.connect("local:QM1") for _ in range(4)]
    idpwos = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
    opened = local[0].mqsc(
        f"ALTER QMGR CHLAUTH(DISABLED)\nALTER AUTHINFO({idpwos}) AUTHTYPE(IDPWOS) CHCKCLNT(NONE)\n"
        "REFRESH SECURITY TYPE(CONNAUTH)"
    )
    assert [answer.reason for answer in opened] == [0, 0, 0]
    url = f"mq://127.0.0.1:{mq.run_file()['ports'][0]}/QM1"
    clients = [libremq.connect(url) for _ in range(2)]
    for client in clients:
        client.queue("SYSTEM.DEFAULT.LOCAL.QUEUE").put(b"x")
    assert reason_of(lambda: libremq.connect(url)) == C.MQRC_CHANNEL_NOT_AVAILABLE
    log = mq.folder() / "errors" / "AMQERR01.LOG"
    deadline = time.monotonic() + LIMIT_S
    while "AMQ9513E" not in log.read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert "2 channels are in use (MaxChannels)" in log.read_text()
    local.append(libremq.connect("local:QM1"))
    for qm in (*local, *clients):
        qm.queue("SYSTEM.DEFAULT.LOCAL.QUEUE").put(b"x")
        qm.close()
    mq.good("endmqm", "-w", "QM1")


def test_one_whose_qm_lock_was_removed_is_found_and_ended(mq: Serving) -> None:
    mq.good("strmqm", "-ns", "QM1")
    (mq.folder() / "qm.lock").unlink()
    for _ in range(2):
        assert mq.bad("strmqm", "-ns", "QM1")[0] == 5  # and the second one takes nothing from the first
        assert mq.status() == "Running" and mq.run_file()
    mq.good("endmqm", "-w", "QM1")
    mq.good("strmqm", "-ns", "QM1")
