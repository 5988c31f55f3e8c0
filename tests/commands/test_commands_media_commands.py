"""`libremq rcdmqimg` and `rcrmqobj`: images recorded, damaged queues recreated, and everything that is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands, other_process

import libremq

QUEUE = "ORDERS"


@pytest.fixture
def libremq_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """With a queue manager QM1 that has a linear log and 20 messages on a queue."""
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    commands = Commands(capsys, tmp_path / "data")
    commands.good("crtmqm", "-ll", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        qm.define_local(QUEUE, defpsist="yes")
        qm.define_alias("NICK", QUEUE)
        for number in range(20):
            qm.put(QUEUE, f"{number:04}" * 500)
    return commands


def damage(commands: Commands) -> None:
    with (commands.folder() / "queues" / QUEUE / "q").open("r+b") as file:
        file.seek(10_000)
        file.write(b"\xff" * 5_000)


def test_an_image_is_recorded_and_a_damaged_queue_recreated_from_it(libremq_command: Commands) -> None:
    lines = libremq_command.good("rcdmqimg", "-m", "QM1", "-t", "ql", "ORD*")
    assert lines == [f"Object {QUEUE}, type qlocal: recorded."]
    damage(libremq_command)
    with libremq.connect("embedded:QM1") as qm, pytest.raises(libremq.ObjectDamaged):
        list(qm.queue(QUEUE).browse())
    lines = libremq_command.good("rcrmqobj", "-m", "QM1", "-t", "qlocal", QUEUE)
    assert lines == [f"Object {QUEUE}, type qlocal: recreated."]
    with libremq.connect("embedded:QM1") as qm:
        assert [message.text for message in qm.queue(QUEUE)] == [f"{number:04}" * 500 for number in range(20)]


def test_the_extents_that_are_needed(libremq_command: Commands) -> None:
    lines = libremq_command.good("rcdmqimg", "-m", "QM1", "-t", "all", "-l", "*")
    assert f"Object {QUEUE}, type qlocal: recorded." in lines
    assert "Object NICK, type qalias: recorded." in lines
    assert "Object QM1, type qmgr: recorded." in lines
    figures = json.loads("\n".join(libremq_command.good("amqldmpa", "-m", "QM1", "-c", "H", "--json")))
    assert lines[-2:] == [
        f"AMQ7467I: The oldest log file required to start queue manager 'QM1' is {figures['restart_extent']}.",
        "AMQ7468I: The oldest log file required to perform media recovery of queue manager 'QM1' is "
        f"{figures['media_extent']}.",
    ]


def test_types_without_a_name(libremq_command: Commands) -> None:
    for command, done in (("rcdmqimg", "recorded"), ("rcrmqobj", "recreated")):
        assert libremq_command.good(command, "-m", "QM1", "-t", "qmgr") == [f"Object QM1, type qmgr: {done}."]
        assert libremq_command.good(command, "-m", "QM1", "-t", "CATALOG") == [f"Object QM1, type catalog: {done}."]


@pytest.mark.parametrize("command", ["rcdmqimg", "rcrmqobj"])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 36),
        (["-m", "QM1", "-t", "q"], 36),
        (["-m", "QM1", QUEUE], 36),
        (["-t", "q", QUEUE], 36),
        (["-m", "QM1", "-t", "spoon", QUEUE], 36),
        (["-m", "QM1", "-t", "q", ""], 36),
        (["-m", "QM1", "-t", "q", "OR*S"], 36),
        (["-m", "QM1", "-t", "q", "bad name"], 36),
        (["-m", "QM1", "-t", "q", "A", "B"], 36),
        (["-m", "QM1", "-t", "q", QUEUE, "--nope"], 36),
        (["-m", "QM1", "-t", "q", "NOTHING*"], 128),
        (["-m", "QM1", "-t", "syncfile"], 128),
        (["-m", "NOBODY", "-t", "q", "*"], 16),
        (["-m", "b@d", "-t", "q", "*"], 72),
    ],
)
def test_refused(libremq_command: Commands, command: str, words: list[str], expected: int) -> None:
    assert libremq_command.bad(command, *words)[0] == expected
    code, out, err = libremq_command(command, *words, "-z")
    assert (code, out) == (expected, "")
    assert err == "" or err.startswith("usage: ")


@pytest.mark.parametrize("command", ["rcdmqimg", "rcrmqobj"])
def test_not_with_a_circular_log(libremq_command: Commands, command: str) -> None:
    libremq_command.good("crtmqm", *SMALL, "ROUND")
    code, err = libremq_command.bad(command, "-m", "ROUND", "-t", "all", "*")
    assert (code, err.startswith("AMQ7044E: ")) == (68, True)


@pytest.mark.parametrize("command", ["rcdmqimg", "rcrmqobj"])
def test_not_while_another_process_has_it(libremq_command: Commands, command: str) -> None:
    with other_process("QM1", libremq_command.data) as process:
        code, err = libremq_command.bad(command, "-m", "QM1", "-t", "q", QUEUE)
    assert (code, err.startswith("AMQ8146E: ")) == (40, True)
    assert f"process {process} (python) has it open" in err


def test_an_object_that_cannot_be_recorded_is_told_and_does_not_stop_others(libremq_command: Commands) -> None:
    libremq_command.good("rcdmqimg", "-m", "QM1", "-t", "all", "*")
    damage(libremq_command)
    code, out, err = libremq_command("rcdmqimg", "-m", "QM1", "-t", "q", "*")
    assert code == 132
    assert "Object NICK, type qalias: recorded." in out.splitlines()
    assert f"Object {QUEUE}, type qlocal: not recorded: " in err
    assert "1 of " in err.splitlines()[-1]
    assert "type qlocal: recreated." in libremq_command.good("rcrmqobj", "-m", "QM1", "-t", "q", QUEUE)[0]
    libremq_command.good("rcdmqimg", "-m", "QM1", "-t", "q", "*")


def test_without_its_log_nothing_is_recreated(libremq_command: Commands) -> None:
    with libremq.connect("embedded:QM1") as qm:
        while len([one for one in qm.log_extents() if one.state == "media"]) < 2:
            for _ in range(10):
                qm.put(QUEUE, bytes(20_000))
            qm.checkpoint()
    damage(libremq_command)
    for extent in ("S0000000.LOG", "S0000001.LOG"):
        (libremq_command.folder() / "log" / extent).rename(libremq_command.data / extent)
    code, _, err = libremq_command("rcrmqobj", "-m", "QM1", "-t", "q", QUEUE)
    assert (code, "S0000000.LOG" in err) == (66, True)
    for extent in ("S0000000.LOG", "S0000001.LOG"):
        (libremq_command.data / extent).rename(libremq_command.folder() / "log" / extent)
    libremq_command.good("rcrmqobj", "-m", "QM1", "-t", "q", QUEUE)
