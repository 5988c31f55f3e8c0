"""Passwords and the data of messages are in no log, report, state file, output or process list.

A queue manager is fed with secrets on every path that logs something: wrong passwords, passwords in the wrong place,
commands that are none, flows that are none, messages that cannot be delivered, a process that dies. Then all its files
are searched, but for those whose purpose is to hold messages: the queues and the log.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from helper_peers import Peer

import libremq
from libremq.commands import main
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST
from libremq.server.process.run_state import RunState, load_run
from libremq.wire.protocol import CONFIRM_REQUEST, WHOLE, Type
from libremq.wire.segments import frame, frame_plain

LIMIT_S = 240.0
RIGHT = "Correct-Horse-7391"
WRONG = "Battery-Staple-4402"
DATA = "the-account-number-55120"
COMMAND = "hidden-in-a-command-9917"
JUNK = "hidden-in-junk-30175"
STORED = "kept-with-an-object-6120"
SECRETS = (RIGHT, WRONG, DATA, COMMAND, JUNK, STORED)
KEPT_FOR_MESSAGES = ("queues", "log")
CATALOGUE = "QMQMOBJCAT."
"""The file of the definitions: it alone has the passwords that the queue manager itself must give to others."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A developer's queue manager with JSON logging; its processes end with the test."""
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MQ_APP_PASSWORD", RIGHT)
    monkeypatch.setenv("MQ_ADMIN_PASSWORD", RIGHT)
    assert main.main(["crtmqm", "-lf", "64", "--dev", "QM1"]) == 0
    monkeypatch.delenv("MQ_APP_PASSWORD")
    monkeypatch.delenv("MQ_ADMIN_PASSWORD")
    found = tmp_path / "data" / "qmgrs" / "QM1"
    with open(found / "qm.ini", "a") as ini:
        ini.write("DiagnosticMessages:\n  Format=json\n")
    yield found
    if load_run(str(found)) is not None:
        main.main(["endmqm", "-p", "QM1"])


def running(folder: Path) -> RunState:
    found = load_run(str(folder))
    assert found is not None
    return found


def searched(folder: Path) -> dict[str, bytes]:
    """The files in which no secret may be."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] not in KEPT_FOR_MESSAGES
    }


def spellings(secret: str) -> list[bytes]:
    return [secret.encode(), secret.encode("utf-16-le"), secret.encode("cp500"), secret.encode().hex().encode()]


def leaks(folder: Path, printed: str) -> list[tuple[str, str]]:
    content = {**searched(folder), "(printed)": printed.encode()}
    return [
        (name, secret)
        for name, data in content.items()
        for secret in SECRETS
        if not (secret == STORED and name.startswith(CATALOGUE))
        and any(spelling in data or spelling.upper() in data for spelling in spellings(secret))
    ]


def wrong_passwords(port: int) -> None:
    for user, password in (("app", WRONG), ("nobody", RIGHT)):
        with pytest.raises(MQError):
            libremq.connect(f"mq://127.0.0.1:{port}/QM1?channel=DEV.APP.SVRCONN", user=user, password=password)
    with pytest.raises(MQError):
        libremq.connect(f"mq://app:{WRONG}@127.0.0.1:{port}/QM1?channel=DEV.ADMIN.SVRCONN")


def bad_commands(qm: libremq.QueueManager) -> None:
    """Whoever reads the command queue finds nonsense there, in MQSC, in PCF and in neither."""
    text = f"DEFINE AUTHINFO(X) AUTHTYPE(IDPWLDAP) LDAPPWD('{COMMAND}') NOSUCH({COMMAND})"
    header = MQCFH(Type=C.MQCFT_COMMAND, Command=C.MQCMD_ESCAPE, ParameterCount=2)
    escape = MQCFIN(Parameter=C.MQIACF_ESCAPE_TYPE, Value=C.MQET_MQSC)
    command = MQCFST(Parameter=C.MQCACF_ESCAPE_TEXT, String=text)
    for data in (header.pack() + escape.pack() + command.pack(), COMMAND.encode() * 40, header.pack() + b"\xff" * 64):
        qm.put("SYSTEM.ADMIN.COMMAND.QUEUE", data, format=C.MQFMT_ADMIN)
    qm.put("SYSTEM.ADMIN.COMMAND.QUEUE", text)


def stored_passwords(qm: libremq.QueueManager) -> None:
    """Those that belong to an object: taken, and never told again, by displays, dumps and command events."""
    definition = "DEFINE AUTHINFO(X) AUTHTYPE(IDPWLDAP) CONNAME('host') SHORTUSR('u') LDAPUSER('cn=a')"
    text = f"""ALTER QMGR CMDEV(ENABLED)
        {definition} LDAPPWD('{STORED}')
        ALTER QMGR KEYRPWD('{STORED}')
        DEFINE CHANNEL(C1) CHLTYPE(SDR) CONNAME('host') XMITQ(X) USERID('u') PASSWORD('{STORED[:12]}')
        DISPLAY AUTHINFO(X) ALL
        DISPLAY QMGR ALL
        DISPLAY CHANNEL(C1) ALL"""
    answers = qm.mqsc(text)
    assert [answer.state for answer in answers] == ["done"] * 7
    for answer in answers:
        assert STORED[:12] not in "\n".join(answer.lines) + repr(answer.rows)
    for wrong in (f"DEFINE AUTHINFO(Y) LDAPPWD('{COMMAND}') NOSUCH(1)", f"ALTER '{COMMAND}", f"NONSENSE({COMMAND})"):
        assert qm.mqsc(wrong)[0].state == "syntax"
    events = list(qm.queue("SYSTEM.ADMIN.COMMAND.EVENT").browse())
    assert events
    assert not any(STORED[:12].encode() in event.data for event in events)


def undeliverable(qm: libremq.QueueManager) -> None:
    qm.define_local("SMALL", maxdepth=1, trigger="TRIGGER", trigtype="FIRST", initq="NOWHERE")
    for _ in range(2):
        with suppress(MQError):
            qm.put("SMALL", DATA.encode() * 100)
    with pytest.raises(MQError):
        qm.put(DATA, DATA)
    qm.put("SYSTEM.DEFAULT.LOCAL.QUEUE", DATA, format=C.MQFMT_PCF)
    with suppress(MQError):
        qm.queue("SYSTEM.DEFAULT.LOCAL.QUEUE").get(convert=True)


def drained(peer: Peer, data: bytes) -> None:
    """Send the last that comes from here, and read until the queue manager has closed its end."""
    peer.send(data)
    peer.socket.shutdown(socket.SHUT_WR)
    while peer.socket.recv(65536):
        pass


def junk(port: int) -> None:
    flags = WHOLE | CONFIRM_REQUEST
    for data in (
        JUNK.encode() * 20,
        f"GET /{JUNK} HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
        b"\x16\x03\x01" + JUNK.encode() * 20,
        frame_plain(Type.INITIAL_DATA, JUNK.encode() * 8, flags=flags),
    ):
        with Peer(port) as peer, suppress(OSError):
            drained(peer, data)
    for kind in (Type.MQPUT, Type.MQOPEN, Type.USERID_DATA):
        with Peer(port, channel="SYSTEM.DEF.SVRCONN") as peer, suppress(OSError, ValueError, MQError, AssertionError):
            peer.negotiate()
            drained(peer, frame(kind, JUNK.encode() * 30, 1))


def test_no_secret_is_ever_written_or_shown(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main.main(["strmqm", "-p", "0", "QM1"]) == 0
    run = running(folder)
    (port,) = run.ports
    wrong_passwords(port)
    junk(port)
    with libremq.connect("local:QM1") as qm:
        undeliverable(qm)
        bad_commands(qm)
        stored_passwords(qm)
    assert main.main(["dmpmqcfg", "-m", "QM1", "-a"]) == 0
    for process in (run.process_id, run.controller_id):
        arguments = Path(f"/proc/{process}/cmdline").read_bytes()
        assert arguments
        assert not any(secret.encode() in arguments for secret in SECRETS)
    os.kill(run.process_id, signal.SIGKILL)
    deadline = time.monotonic() + LIMIT_S
    while not list((folder / "errors").glob("*.FDC")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert main.main(["strmqm", "-ns", "QM1"]) == 0
    assert main.main(["endmqm", "-i", "QM1"]) == 0
    for command in (["dspmq", "-o", "all"], ["dspmq"]):
        assert main.main(command) == 0
    printed = capfd.readouterr()
    found = searched(folder)
    assert leaks(folder, printed.out + printed.err) == []
    # And that something was there to be searched: each path has left its mark
    text = found["errors/AMQERR01.LOG"].decode()
    told = {json.loads(line)["ibm_messageId"] for line in found["errors/AMQERR01.json"].splitlines()}
    assert "AMQ5008S" in told
    assert {"AMQ9557E", "AMQ5534E", "AMQ9777E", "AMQ9776E"} & told, told
    assert {"AMQ9999E", "AMQ9635E"} & told, told
    assert "EXPLANATION:" in text
    assert any(name.endswith(".FDC") for name in found)


def test_the_search_finds_what_it_looks_for(tmp_path: Path) -> None:
    (tmp_path / "errors").mkdir()
    (tmp_path / "errors" / "AMQERR01.LOG").write_text(f"x {WRONG} x")
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "S0000000.LOG").write_text(DATA)
    (tmp_path / "run.json").write_bytes(DATA.encode().hex().upper().encode())
    assert sorted(leaks(tmp_path, f"printed {JUNK}")) == [
        ("(printed)", JUNK),
        ("errors/AMQERR01.LOG", WRONG),
        ("run.json", DATA),
    ]
