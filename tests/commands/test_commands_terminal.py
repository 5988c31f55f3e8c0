"""Nothing that somebody else wrote steers the terminal of whoever looks at it: every command that shows names,
descriptions or messages, in a pipe and on a terminal; and no other way out than through `printable`."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_cli import Commands

import libremq
from libremq.commands import main, output
from libremq.commands.output import csv_cell
from libremq.common.printable_text import printable, printable_bytes
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQPMO
from libremq.testing.serving import served_queue_manager

_EVIL = "\x1b]0;mine\x07\x1b[31mred\x9b2J\r\u202e"
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COMMANDS = Path(main.__file__).parent


def test_what_steers_is_shown() -> None:
    assert printable("a\tb\n\x1b[2J\r\x9b\u202e é") == "a\tb\n\\x1b[2J\\x0d\\x9b\\u202e é"
    assert printable("\udc9b\udcff") == "\\x9b\\udcff"  # bytes of a file name that are no text
    assert printable_bytes("\x1b[2J \x9b é\n".encode() + b"\x9b\xe9") == "\\x1b[2J \\x9b é\n".encode() + b"\\x9b\xe9"


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_is_no_formula(first: str) -> None:
    file = io.StringIO()
    csv.writer(file).writerow([csv_cell(f"{first}cmd|' /C calc'!A1"), csv_cell("a-b"), csv_cell(-5), csv_cell(None)])
    (row,) = csv.reader(io.StringIO(file.getvalue()))
    assert row[0].startswith("'") and row[0][1:].startswith(printable(first))
    assert row[1:] == ["a-b", "-5", ""]


# Every command


@pytest.fixture(params=[False, True], ids=["pipe", "terminal"])
def mq(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Commands]:
    """A queue manager whose objects and messages were all made by somebody who means harm."""
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(output, "is_terminal", lambda stream: request.param)
    commands = Commands(capsys, tmp_path / "data")
    with served_queue_manager(folder=tmp_path / "data") as served, libremq.connect(served.url("local")) as qm:
        qm.alter("qmgr", descr=f"a {_EVIL}", deadq="DLQ")
        qm.define_local("Q", descr=f"a queue {_EVIL}", trigdata=_EVIL)
        qm.define_local("DLQ", descr=_EVIL)
        qm.define("process", "P", descr=_EVIL, applicid=_EVIL, userdata=_EVIL, envrdata=_EVIL)
        qm.define("channel", "A.SVRCONN", chltype="svrconn", descr=_EVIL)
        qm.define("service", "S", descr=_EVIL, startcmd=_EVIL, startarg=_EVIL)
        fields: dict[str, Any] = {
            "ApplIdentityData": _EVIL[:-1],
            "PutApplName": _EVIL[:-1],
            "UserIdentifier": _EVIL[:12],
            "ReplyToQ": "REPLIES",
        }
        md = MQMD(Version=2, Format="\x1b[31mX", Persistence=1, CodedCharSetId=1208, Report=C.MQRO_COD, **fields)
        pmo = MQPMO(Version=3, Options=C.MQPMO_SET_ALL_CONTEXT)
        with qm.queue("Q", open_options=C.MQOO_SET_ALL_CONTEXT) as queue:
            queue.put(_EVIL.encode(), md=md, pmo=pmo, properties={"colour": _EVIL})
        qm.define_local("PLAIN")
        qm.put("PLAIN", _EVIL)
        yield commands


_SHOWING: dict[str, tuple[str, ...]] = {
    "dspmq": ("-o", "all"),
    "dmpmqcfg": ("-m", "QM1", "-a"),
    "amqsbcg": ("Q", "QM1"),
    "dmpmqmsg": ("-m", "QM1", "-i", "Q", "-f", "-", "-dt"),
    "load": ("-m", "QM1", "-o", "PLAIN", "-f", "/nowhere"),
    "unload": ("-m", "QM1", "-i", "Q"),
    "amqsget": ("PLAIN", "QM1", "-w", "0"),
    "dspmqrte": ("-m", "QM1", "-q", "Q", "-d", "yes", "-v", "all"),
    "dmpmqaut": ("-m", "QM1"),
    "dspmqaut": ("-m", "QM1", "-t", "qmgr", "-p", "alice"),
    "dspmqfls": ("-m", "QM1", "*"),
    "dspmqtrn": ("-m", "QM1"),
    "dspmqver": (),
    "rcdmqimg": ("-m", "QM1", "-t", "all", "*"),
    "log": ("list", "-m", "QM1"),
    "mqrc": ("2085", _EVIL),
    "runmqdlq": ("DLQ", "QM1"),
    "amqldmpa": ("-m", "QM1"),
    "completion": ("bash",),
}


def _looks_clean(name: str, code: int, out: str, err: str) -> None:
    found = _STEERING.search(out) or _STEERING.search(err)
    assert found is None, f"{name}: {out[max(0, found.start() - 60) : found.end() + 20]!r} {err!r}"
    assert "Traceback" not in err, err


def test_no_command_sends_it(mq: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = 0
    for name, words in [*_SHOWING.items(), ("dmpmqmsg", ("-m", "QM1", "-i", "Q", "-ds"))]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"WAIT(NO)\nACTION(RETRY)\n")))
        code, out, err = mq(name, *words)
        _looks_clean(name, code, out, err)
        shown += "red" in out
    assert shown >= 4, "what was written is there to be seen"


def test_no_display_sends_it(mq: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "".join(f"DISPLAY {kind}(*) ALL\n" for kind in ("QUEUE", "PROCESS", "CHANNEL", "SERVICE", "QSTATUS"))
    for words in (("QM1",), ("-e", "QM1")):
        given = f"DISPLAY QMGR ALL\nDISPLAY CONN(*) ALL\n{typed}DISPLAY QLOCAL('{_EVIL}')\n{_EVIL}\n"
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code, out, err = mq("runmqsc", *words)
        _looks_clean("runmqsc", code, out, err)
        assert "red" in out


def test_the_log_that_is_dumped(mq: Commands) -> None:
    code, out, err = mq("dmpmqlog", "-m", "QM1", "-b")
    _looks_clean("dmpmqlog", code, out, err)


def test_words_that_were_typed_come_back_shown(mq: Commands) -> None:
    for name in ("dspmq", "amqsget", "runmqsc", "dspmqrte", "dmpmqmsg"):
        _looks_clean(name, *mq(name, "-m", _EVIL, f"--{_EVIL}"))


# No other way out

_FREE = frozenset({"demo"})  # they print what they made themselves, and draw bars


def _safe(argument: ast.expr) -> bool:
    """Is it a constant, or something that has been through `printable`, or JSON, which has escapes of its own?"""
    if isinstance(argument, ast.Constant):
        return True
    if isinstance(argument, ast.IfExp):
        return _safe(argument.body) and _safe(argument.orelse)
    if isinstance(argument, ast.Call):
        called = argument.func
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        return name in ("printable", "dumps", "release")
    if isinstance(argument, ast.JoinedStr):
        return all(_safe(part.value) for part in argument.values if isinstance(part, ast.FormattedValue))
    return False


_KNOWN = {
    ("pipeline/pipeline_running.py", "line"),  # made of printable(text), with what moves the cursor before it
    ("pipeline/pipeline_running.py", "line[:shutil.get_terminal_size().columns - 1]"),
    ("pipeline/pipeline_command.py", "COMMAND"),
    ("queue_manager_folders.py", "text"),  # has been through it
    ("queue_manager_folders.py", "command"),
    ("mq/dmpmqmsg.py", "done.messages"),
    ("mq/dmpmqmsg.py", "done.data_bytes"),
    ("samples/sample_program.py", "prompt"),
}


def test_everything_that_is_printed_goes_through_one_place() -> None:
    wrong = []
    for path in sorted(_COMMANDS.rglob("*.py")):
        where = path.relative_to(_COMMANDS)
        if where.parts[0] in _FREE:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                wrong += [
                    (str(where), text)
                    for argument in node.args
                    for text in _unsafe(argument)
                    if (str(where), text) not in _KNOWN
                ]
    assert wrong == [], wrong


def _unsafe(argument: ast.expr) -> list[str]:
    if isinstance(argument, ast.JoinedStr):
        return [
            ast.unparse(one.value)
            for one in argument.values
            if isinstance(one, ast.FormattedValue) and not _safe(one.value)
        ]
    if isinstance(argument, ast.IfExp):
        return _unsafe(argument.body) + _unsafe(argument.orelse)
    return [] if _safe(argument) else [ast.unparse(argument)]
