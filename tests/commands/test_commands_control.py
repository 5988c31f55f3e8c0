"""The smaller control commands: transactions in doubt, listeners, media images while it runs, files, versions."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands, other_process

import libremq
from helper_serving import LIMIT_S, Process, serving
from libremq.commands.own.link_commands import MARK, linked_names
from libremq.mqi import constants as C
from libremq.server.net.event_loop import EventLoopLimits


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    return Commands(capsys, tmp_path / "data")


# ---- dspmqtrn and rsvmqtrn ----


def doubt(url: str, *xids: bytes) -> None:
    with libremq.connect(url) as qm:
        qm.define_local("Q", defpsist="yes", replace=True)
        for xid in xids:
            with qm.xa.branch(xid):
                qm.put("Q", xid.decode())
            qm.xa.prepare(xid)


@pytest.mark.parametrize("served", [True, False])
def test_transactions_in_doubt_are_shown_and_decided(mq: Commands, served: bool) -> None:
    if served:
        with serving(mq, "QM1") as url:
            decide(mq, url)
    else:
        mq.good("crtmqm", *SMALL, "QM1")
        decide(mq, "embedded:QM1")


def decide(mq: Commands, url: str) -> None:
    code, err = mq.bad("dspmqtrn", "-m", "QM1")
    assert (code, err[:8]) == (102, "AMQ7110E")
    doubt(url, b"one", b"two", b"six")
    first, second, third = json.loads("\n".join(mq.good("dspmqtrn", "-m", "QM1", "--json")))
    assert [bytes.fromhex(row["xid"]) for row in (first, second, third)] == [b"one", b"two", b"six"]
    assert (first["puts"], first["gets"], first["queues"]) == (1, 0, ["Q"])
    number = first["transaction"]
    assert mq.good("dspmqtrn", "-m", "QM1", "-e")[0] == f"AMQ7056I: Transaction number {number} is in-doubt."
    assert mq.good("dspmqtrn", "-m", "QM1", "-q")[:4] == [
        f"AMQ7056I: Transaction number {number} is in-doubt.",
        "    XID: 6F6E65",
        "    1 puts, 0 gets",
        "    Queue: Q",
    ]
    assert mq.bad("dspmqtrn", "-m", "QM1", "-i")[0] == 102
    assert mq.good("rsvmqtrn", "-m", "QM1", "-c", number) == [f"AMQ7057I: Transaction number {number} committed."]
    assert "backed out" in mq.good("rsvmqtrn", "-m", "QM1", "-b", second["transaction"])[0]
    assert mq.bad("rsvmqtrn", "-m", "QM1", "-f", third["transaction"])[0] == 32
    assert mq.good("dspmqtrn", "-m", "QM1", "-h") == [
        f"AMQ7058I: Transaction number {number} was committed by an administrator.",
        f"AMQ7058I: Transaction number {second['transaction']} was backed out by an administrator.",
    ]
    code, err = mq.bad("rsvmqtrn", "-m", "QM1", "-b", number)
    assert (code, err[:8]) == (32, "AMQ7058I")
    with libremq.connect(url) as qm, pytest.raises(libremq.MQError) as told:
        qm.xa.rollback(b"one")
    assert told.value.reason == C.MQRC_OUTCOME_MIXED and "XA_HEURCOM" in told.value.detail
    assert mq.good("rsvmqtrn", "-m", "QM1", "-f", number) == [f"AMQ7057I: Transaction number {number} forgotten."]
    assert mq.bad("rsvmqtrn", "-m", "QM1", "-f", number)[0] == 85
    (left,) = json.loads("\n".join(mq.good("dspmqtrn", "-m", "QM1", "-h", "--json")))
    assert (left["transaction"], left["state"], left["xid"]) == (second["transaction"], "backed out", second["xid"])
    assert mq.bad("rsvmqtrn", "-m", "QM1", "-c", number)[0] == 85
    assert mq.good("rsvmqtrn", "-m", "QM1", "-a")
    with libremq.connect(url) as qm:
        assert [message.text for message in qm.queue("Q").browse()] == ["one"]
        assert qm.xa.recover() == [b"six"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["dspmqtrn", "-m", "NOBODY"], 72),
        (["dspmqtrn", "-m", "b@d"], 72),
        (["dspmqtrn", "--nope"], 36),
        (["rsvmqtrn", "-m", "QM1", "-c"], 36),
        (["rsvmqtrn", "-m", "QM1", "-a", "0,1"], 36),
        (["rsvmqtrn", "-m", "QM1", "-a", "-b", "0,1"], 36),
        (["rsvmqtrn", "-a"], 36),
        (["rsvmqtrn", "-m", "QM1", "-r", "3", "-b", "0,1"], 34),
        (["rsvmqtrn", "-m", "NOBODY", "-a"], 72),
    ],
)
def test_transactions_refused(mq: Commands, words: list[str], expected: int) -> None:
    mq.good("crtmqm", *SMALL, "QM1")
    assert mq.bad(*words)[0] == expected


# ---- runmqlsr and endmqlsr ----


def connects(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


def port_of(listener: Process) -> int:
    listener.until("has started.")
    return int(listener.text.partition("127.0.0.1:")[2].partition(" ")[0])


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL, "endmqlsr", "endmqm"])
def test_a_listener_lives_as_long_as_its_command(mq: Commands, how: object) -> None:
    with serving(mq, "QM1") as url:
        listener = Process("runmqlsr", "-m", "QM1", "-t", "TCP", "-p", "0")
        port = port_of(listener)
        assert connects(port)
        assert f"LISTENER(127.0.0.1:{port})" in mq.good("dspmq", "-m", "QM1", "-o", "all")[0]
        if how == signal.SIGTERM:
            with libremq.connect(url) as qm:
                (answer,) = qm.mqsc(f"DISPLAY LSSTATUS(*) WHERE(PORT EQ {port})")
            assert [(row["listener"], row["status"]) for row in answer.rows] == [("", "RUNNING")]
        if isinstance(how, int):
            code = listener.end(how)
            assert code == (-9 if how == signal.SIGKILL else 0), listener.text
        else:
            if how == "endmqlsr":
                lines = mq.good("endmqlsr", "-m", "QM1", "-w")
                assert lines == [f"AMQ5027I: The listener on 127.0.0.1:{port} has ended."]
            else:
                mq.good("endmqm", "-i", "QM1")
            assert listener.end() == 0
        deadline = time.monotonic() + LIMIT_S
        while connects(port):  # a killed command's listener ends a moment later
            assert time.monotonic() < deadline
        if how != "endmqm":
            code, err = mq.bad("endmqlsr", "-m", "QM1")
            assert (code, "no listener" in err) == (10, True)


def test_listeners_refused(mq: Commands) -> None:
    with serving(mq, "QM1"), socket.create_server(("127.0.0.1", 0)) as taken:
        code, err = mq.bad("runmqlsr", "-m", "QM1", "-t", "tcp", "-p", str(taken.getsockname()[1]))
        assert (code, err[:8]) == (20, "AMQ9218E")
        assert mq.bad("runmqlsr", "-m", "QM1", "-t", "lu62")[0] == 20
        assert mq.bad("runmqlsr", "-m", "QM1")[0] == 20
        assert mq.bad("runmqlsr", "-m", "QM1", "-t", "tcp", "-p", "99999")[0] == 20
        assert mq.bad("runmqlsr", "-m", "QM1", "-t", "tcp", "-i", "no.such.host.invalid", "-p", "0")[0] == 20
    code, err = mq.bad("runmqlsr", "-m", "QM1", "-t", "tcp")
    assert (code, err[:8]) == (20, "AMQ8146E")
    assert mq.bad("runmqlsr", "-m", "NOBODY", "-t", "tcp")[0] == 20
    assert mq.bad("endmqlsr", "-m", "NOBODY")[0] == 20


def test_the_help_of_a_listener_says_how_many_may_wait(mq: Commands) -> None:
    text = " ".join(" ".join(mq.good("runmqlsr", "--help")).split())
    assert f"{EventLoopLimits().backlog} may wait" in text


# ---- media images of a queue manager that serves ----


def test_images_are_recorded_and_objects_recreated_while_it_runs(mq: Commands) -> None:
    with serving(mq, "QM1", "-ll") as url:
        with libremq.connect(url) as qm:
            qm.define_local("Q", defpsist="yes")
            qm.put("Q", "tea")
        lines = mq.good("rcdmqimg", "-m", "QM1", "-t", "ql", "-l", "Q")
        assert lines[0] == "Object Q, type qlocal: recorded."
        assert [line[:8] for line in lines[1:]] == ["AMQ7467I", "AMQ7468I"]
        assert mq.good("rcrmqobj", "-m", "QM1", "-t", "ql", "Q") == ["Object Q, type qlocal: recreated."]
        assert mq.bad("rcdmqimg", "-m", "QM1", "-t", "ql", "NOTHING*")[0] == 128
        with libremq.connect(url) as qm:
            assert qm.queue("Q").get().text == "tea"


def test_one_that_is_embedded_elsewhere_is_left_alone(mq: Commands) -> None:
    mq.good("crtmqm", "-ll", *SMALL, "QM1")
    with other_process("QM1", mq.data):
        assert mq.bad("rcdmqimg", "-m", "QM1", "-t", "all")[0] == 40


# ---- dspmqfls, dspmqver, dspmq ----


def test_files_of_objects(mq: Commands) -> None:
    mq.good("crtmqm", *SMALL, "QM1")
    with libremq.connect("embedded:QM1") as qm:
        qm.define_local("A.QUEUE")
        qm.define_alias("A.NAME", "A.QUEUE")
    lines = mq.good("dspmqfls", "-m", "QM1", "-t", "q", "A.*")
    folder = mq.folder()
    assert lines[:2] == ["LibreMQ Display MQ Files", ""]
    assert f"QLOCAL     A.QUEUE\n           {folder}/queues/A!QUEUE" in "\n".join(lines)
    (alias,) = json.loads("\n".join(mq.good("dspmqfls", "-m", "QM1", "-t", "qa", "A.NAME", "--json")))
    assert (alias["type"], Path(alias["paths"][0]).parent) == ("QALIAS", folder)
    assert mq("dspmqfls", "-m", "QM1", "-t", "q", "NOPE")[0] == 10
    assert mq.bad("dspmqfls", "-m", "QM1", "-t", "q", "no name!")[0] == 36
    assert mq.bad("dspmqfls", "-m", "QM1", "-t", "house")[0] == 36
    assert mq.bad("dspmqfls", "-m", "NOBODY")[0] == 72


def test_version(mq: Commands) -> None:
    lines = mq.good("dspmqver")
    assert lines[0] == "Name:        LibreMQ"
    version = lines[1].split()[1]
    assert mq.good("dspmqver", "-f", "2", "-b") == [version]
    assert mq.good("dspmqver", "-f", "3") == ["Name:        LibreMQ", f"Version:     {version}"]
    found = json.loads("\n".join(mq.good("dspmqver", "-a", "--json")))
    assert (found["Name"], found["Version"], found["DataPath"]) == ("LibreMQ", version, str(mq.data))
    code, err = mq.bad("dspmqver", "-p", "2")
    assert (code, err) == (10, "libremq dspmqver: LibreMQ has no JMS classes.\n")
    assert mq("dspmqver", "-p", "3")[0] == 10
    assert mq.bad("dspmqver", "-f", "x")[0] == 20
    assert mq.bad("dspmqver", "-f", "999999")[0] == 20


def test_dspmq_shows_what_is_asked_for(mq: Commands) -> None:
    mq.good("crtmqm", *SMALL, "QM1")
    name = "QMNAME(QM1)".ljust(58)
    assert mq.good("dspmq") == [f"{name}STATUS(Ended normally)"]
    assert mq.good("dspmq", "-o", "status", "-o", "default") == [f"{name}STATUS(Ended normally) DEFAULT(no)"]
    assert mq.good("dspmq", "-o", "standby") == [f"{name}STANDBY(Not permitted)"]
    assert mq.good("dspmq", "-o", "dr", "-n") == [f"{name}DRROLE()"]
    assert mq.good("dspmq", "-o", "nativeha")[0].startswith(f"{name}ROLE() INSTANCE() INSYNC() QUORUM()")
    assert " INSTNAME(LibreMQ) INSTPATH(" in mq.good("dspmq", "-o", "all")[0]
    (row,) = json.loads("\n".join(mq.good("dspmq", "--json", "-o", "all")))
    assert (row["QMNAME"], row["STATUS"], row["LOGTYPE"]) == ("QM1", "Ended normally", "CIRCULAR")
    with other_process("QM1", mq.data):
        first, second = mq.good("dspmq", "-x")
        assert (first[: len(name)], second.startswith("    INSTANCE("), second.endswith(" MODE(Active)")) == (
            name,
            True,
            True,
        )
    assert mq.bad("dspmq", "-o", "everything")[0] == 36
    assert mq.bad("dspmq", "-m", "NOBODY")[0] == 72


# ---- link-commands ----


def test_bare_names_run_this_installation(mq: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "my $(bin)"
    lines = mq.good("link-commands", str(folder))
    assert lines[0] == f"{len(linked_names())} commands in {folder}."
    assert {"dspmq", "runmqsc", "amqsput", "runmqtrm"} <= set(os.listdir(folder)) == set(linked_names())
    clean = {"PATH": os.environ["PATH"], "LIBREMQ_DATA": str(mq.data)}
    made = subprocess.run([folder / "crtmqm", *SMALL, "QM1"], capture_output=True, env=clean, cwd="/", check=False)
    assert made.returncode == 0, made.stderr
    shown = subprocess.run([folder / "dspmq", "-m", "NOBODY"], capture_output=True, env=clean, cwd="/", check=False)
    assert (shown.returncode, shown.stderr[:8]) == (72, b"AMQ7048E")
    mq.good("link-commands", str(folder))
    mq.good("link-commands", str(folder), "--remove")
    assert os.listdir(folder) == []


@pytest.mark.parametrize("kind", ["file", "link", "folder", "broken link"])
def test_what_is_not_ours_is_never_overwritten(mq: Commands, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    theirs = folder / "dspmq"
    target = tmp_path / "target"
    if kind == "file":
        theirs.write_text("#!/bin/sh\necho the real one\n")
    elif kind == "folder":
        theirs.mkdir()
    else:
        theirs.symlink_to(target)
        if kind == "link":
            target.write_text(f"#!/bin/sh\n{MARK}\n")
    for more in ((), ("--remove",)):
        code, err = mq.bad("link-commands", str(folder), *more)
        assert (code, str(theirs) in err) == (1, True)
        assert os.listdir(folder) == ["dspmq"]
    assert mq.good("link-commands", str(folder), "mqrc", "crtmqm")[0] == f"2 commands in {folder}."
    assert mq.bad("link-commands", str(folder), "nope")[0] == 1
    assert mq.bad("link-commands", str(folder), "pipeline")[0] == 1


def test_a_folder_that_cannot_be_made_is_named(mq: Commands, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, err = mq.bad("link-commands", str(tmp_path / "file" / "bin"))
    told = f"cannot write to {tmp_path}/file/bin: Not a directory; choose a folder that is yours"
    assert (code, err) == (1, f"libremq link-commands: {told}\n")
