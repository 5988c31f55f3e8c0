"""The trigger monitor: what it starts, what it refuses, and that nothing in a trigger message reaches the shell."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQPMO, MQTM, MQTMC2
from libremq.testing.serving import served_queue_manager
from libremq.tools.trigger_monitor import TriggerMonitor, character_form, command_line

INITQ = "SYSTEM.DEFAULT.INITIATION.QUEUE"
SHOW = "import sys; open(sys.argv[1], 'a').write(repr(sys.argv[2:]) + chr(10))"
HOSTILE = (
    "'; touch {0}; '",
    '"; touch {0}; "',
    "$(touch {0})",
    "`touch {0}`",
    "a\\' ; touch {0} #",
    "&& touch {0}",
    "| touch {0}",
)


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[QueueManager]:
    with (
        served_queue_manager(folder=tmp_path / "data") as served,
        libremq.connect(served.url("local")) as manager,
    ):
        manager.define_local("DEAD")
        manager.alter("qmgr", deadq="DEAD")
        yield manager


def program(tmp_path: Path) -> str:
    """An ApplId that appends its arguments to a file."""
    script = tmp_path / "show.py"
    script.write_text(SHOW)
    return f"{sys.executable} {script} {tmp_path}/seen"


def seen(tmp_path: Path) -> list[list[str]]:
    path = tmp_path / "seen"
    return [eval(line) for line in path.read_text().splitlines()] if path.exists() else []


def trigger(qm: QueueManager, applicid: str, **attributes: str) -> list[str]:
    """One trigger message, dealt with; what the monitor said."""
    said: list[str] = []
    monitor = TriggerMonitor(qm, say=said.append)
    qm.define_process("PROC", replace=True, applicid=applicid, **attributes)
    qm.define_local(
        "WORK", replace=True, trigger="trigger", trigtype="first", process="PROC", initq=INITQ, trigdata="td"
    )
    with qm.queue(INITQ) as opened:
        opened.handle("input")
        qm.put("WORK", "go")
        monitor.run_pending()
    monitor.stop()
    return said


def test_a_program_gets_the_trigger_message_in_characters(qm: QueueManager, tmp_path: Path) -> None:
    said = trigger(qm, program(tmp_path), userdata="user data", envrdata="more 'words here'")
    ((text, *more),) = seen(tmp_path)
    form = MQTMC2.unpack(text.encode("latin-1"))
    assert len(text) == 732
    assert (text[:8], text[168:172]) == ("TMC    2", "    ")
    assert (form.QName, form.ProcessName, form.TriggerData) == ("WORK", "PROC", "td")
    assert (form.UserData, form.QMgrName) == ("user data", qm.name)
    assert more == ["more", "words here"]
    assert [line.partition(":")[0] for line in said] == ["AMQ8624I", "AMQ8616I"]
    assert said[-1].endswith("ended with exit code 0.")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_comes_with_a_message_never_reaches_the_shell(qm: QueueManager, tmp_path: Path, hostile: str) -> None:
    bait = tmp_path / "bait"
    text = hostile.format("bait")
    folder = os.getcwd()
    os.chdir(tmp_path)
    try:
        trigger(qm, program(tmp_path), userdata=text)
    finally:
        os.chdir(folder)
    ((given,),) = seen(tmp_path)
    assert given[556:684].rstrip() == text
    assert not bait.exists()


def test_every_character_of_a_field_is_one_word_for_the_shell() -> None:
    everything = "".join(map(chr, range(1, 128)))
    for field in ("UserData", "TriggerData", "QName", "ProcessName"):
        value = everything[: 40 if field != "UserData" else 127]
        form = MQTM(**{field: value, "ApplId": "prog"})
        words = shlex.split(command_line(form, "QM1"))
        assert words == ["prog", character_form(form, "QM1")], field
    assert "\0" not in command_line(MQTM(UserData="a\0b", ApplId="prog"), "QM1")


def test_a_program_whose_path_has_blanks_or_worse(qm: QueueManager, tmp_path: Path) -> None:
    path = tmp_path / "my $(touch bait) program"
    path.write_text(f"#!/bin/sh\necho started > {tmp_path}/marker\n")
    path.chmod(0o700)
    trigger(qm, str(path))
    assert (tmp_path / "marker").read_text() == "started\n"
    assert not Path("bait").exists()


def test_a_program_that_is_missing_is_told_and_the_monitor_goes_on(qm: QueueManager, tmp_path: Path) -> None:
    said = trigger(qm, str(tmp_path / "nothing there"))
    assert any(line.startswith("AMQ8618E") and "is not found" in line for line in said), said
    header, message = qm.queue("DEAD").get().without_dead_letter_header()
    assert (header.Reason, header.DestQName, message.format) == (C.MQFB_APPL_CANNOT_BE_STARTED, INITQ, "MQTRIG")
    plain = tmp_path / "plain"
    plain.write_text("")
    assert any("may not be run" in line for line in trigger(qm, str(plain)))
    trigger(qm, program(tmp_path))
    assert len(seen(tmp_path)) == 1


def test_the_exit_code_of_a_program_is_told(qm: QueueManager) -> None:
    assert trigger(qm, "exit 3;")[-1].startswith("AMQ8616I")
    assert trigger(qm, "sh -c 'exit 3'")[-1].endswith("ended with exit code 3.")


def test_in_the_background_the_monitor_goes_on_at_once(qm: QueueManager, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    script = tmp_path / "wait.sh"
    script.write_text(f"#!/bin/sh\nread line < {gate}\necho $line > {tmp_path}/done\n")
    script.chmod(0o700)
    said = trigger(qm, str(script), envrdata="&")
    assert said[-1].endswith("ended with exit code 0.")  # of the shell; the program waits for us
    assert not (tmp_path / "done").exists()
    gate.write_text("go\n")
    while not (tmp_path / "done").exists():
        threading.Event().wait(0.01)


@pytest.mark.parametrize("kind", ["application", "format", "short", "appltype", "no program"])
def test_what_is_no_trigger_message_goes_to_the_dead_letter_queue(qm: QueueManager, tmp_path: Path, kind: str) -> None:
    bait = tmp_path / "bait"
    form = MQTM(QName="WORK", ProcessName="P", ApplType=C.MQAT_UNIX, ApplId=f"touch {bait} #")
    if kind == "appltype":
        form.ApplType = C.MQAT_CICS
    if kind == "no program":
        form.ApplId = " "
    data = form.pack()[: 100 if kind == "short" else None]
    md = MQMD(Format="MQSTR" if kind == "format" else C.MQFMT_TRIGGER, PutApplType=C.MQAT_QMGR, CodedCharSetId=819)
    options = 0 if kind == "application" else C.MQPMO_SET_ALL_CONTEXT
    queue = qm.queue(INITQ, open_options=C.MQOO_SET_ALL_CONTEXT)
    queue.put(data, md=md, pmo=MQPMO(Version=3, Options=options))
    said: list[str] = []
    monitor = TriggerMonitor(qm, say=said.append)
    assert monitor.run_pending() == 0
    assert (monitor.refused, len(said)) == (1, 1)
    header, message = qm.queue("DEAD").get().without_dead_letter_header()
    expected = {"appltype": C.MQFB_APPL_TYPE_ERROR, "no program": C.MQFB_APPL_CANNOT_BE_STARTED}
    assert header.Reason == expected.get(kind, C.MQFB_TM_ERROR)
    assert message.data == data
    assert not bait.exists()


def test_without_a_dead_letter_queue_it_is_dropped_and_said(qm: QueueManager) -> None:
    qm.alter("qmgr", deadq="")
    qm.put(INITQ, "nonsense")
    said: list[str] = []
    monitor = TriggerMonitor(qm, say=said.append)
    monitor.run_pending()
    assert [line[:8] for line in said] == ["AMQ8617W", "AMQ8620E"]
    assert qm.queue(INITQ).depth == 0


def test_it_ends_when_it_is_stopped(qm: QueueManager) -> None:
    said: list[str] = []
    waiting = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        if text.startswith("AMQ8612I"):
            waiting.set()

    monitor = TriggerMonitor(qm, say=say)
    thread = threading.Thread(target=monitor.run)
    thread.start()
    assert waiting.wait(120)
    monitor.stop()
    thread.join(120)
    assert not thread.is_alive()
    assert [line[:8] for line in said] == ["AMQ8601I", "AMQ8612I", "AMQ8602I"]


def test_a_queue_that_is_not_there(qm: QueueManager) -> None:
    with pytest.raises(libremq.MQError) as caught:
        TriggerMonitor(qm, "NOPE").run()
    assert caught.value.reason == C.MQRC_UNKNOWN_OBJECT_NAME
