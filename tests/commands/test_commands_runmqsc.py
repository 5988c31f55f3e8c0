"""`libremq runmqsc` as a process of its own on a queue manager that serves: pipes, files, terminals, exit codes."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import libremq
from libremq.commands.shared.runmqsc_terminal import completions, prompt
from libremq.common import users_file
from libremq.common.files.file_layer import RealFiles
from libremq.mqi import constants as C
from libremq.testing.serving import served_queue_manager

_LIMIT_S = 240.0
_AGAIN_S = 10.0  # a program that is only slow has heard the key, and an interrupt while it ends is one too many
_NONE_READ = ["No MQSC commands read.", "No commands have a syntax error.", "All valid MQSC commands were processed."]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("runmqsc") / "data"
    with served_queue_manager(folder=folder, secured=True) as served:
        users_file.set_password(RealFiles(), served.event_loop.folder, "carol", "open sesame")
        yield folder


def environment(data: Path, **more: str) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LIBREMQ", "MQ", "PYTEST"))}
    return {**clean, "LIBREMQ_DATA": str(data), "PYTHONUTF8": "1", "TERM": "dumb", **more}


def command_line(*words: str) -> list[str]:
    return [sys.executable, "-m", "libremq.commands.main", "runmqsc", *words]


def talking(data: Path, *words: str) -> subprocess.Popen[bytes]:
    """One that is not given all its input at once."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command_line(*words), stdin=pipe, stdout=pipe, stderr=pipe, env=environment(data))


def runmqsc(data: Path, *words: str, typed: str | bytes = "") -> tuple[int, list[str], str]:
    """Exit code, lines of standard output, standard error."""
    given = typed if isinstance(typed, bytes) else typed.encode()
    ran = subprocess.run(
        command_line(*words), input=given, capture_output=True, env=environment(data), timeout=_LIMIT_S, check=False
    )
    return ran.returncode, ran.stdout.decode().splitlines(), ran.stderr.decode()


# Pipes and files


def test_commands_from_a_pipe_are_repeated_and_answered_and_counted(data: Path) -> None:
    typed = "* a queue\ndefine qlocal(pipe.1) +\n* in between\n   maxdepth(7)\n\nDIS QL(PIPE.1) MAXDEPTH\nend\nDELETE\n"
    code, lines, err = runmqsc(data, "QM1", typed=typed)
    assert (code, err) == (0, "")
    assert lines[0].startswith("LibreMQ V")
    assert lines[1:] == [
        "Starting MQSC for queue manager QM1.",
        "",
        "",
        "       : * a queue",
        "     1 : define qlocal(pipe.1) +",
        "       : * in between",
        "       :    maxdepth(7)",
        "AMQ8006I: LibreMQ queue created.",
        "       : ",
        "     2 : DIS QL(PIPE.1) MAXDEPTH",
        "AMQ8409I: Queue details.",
        "   QUEUE(PIPE.1)                           TYPE(QLOCAL)",
        "   MAXDEPTH(7)",
        "       : end",
        "2 MQSC commands read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]


def test_without_the_repetition(data: Path) -> None:
    code, lines, err = runmqsc(data, "-e", "QM1", typed="* nothing\nPING QMGR\n")
    assert (code, err) == (0, "")
    assert lines[4].startswith("AMQ8415I")
    assert lines[5:] == ["One MQSC command read.", *_NONE_READ[1:]]


@pytest.mark.parametrize(
    ("typed", "code", "summary"),
    [
        ("", 0, _NONE_READ),
        ("* nothing\n\n", 0, _NONE_READ),
        ("PING QMGR", 0, ["One MQSC command read.", *_NONE_READ[1:]]),
        ("PING QMGR\nPING QMGR;PING QMGR +", 0, ["3 MQSC commands read.", *_NONE_READ[1:]]),
        ("FLY QMGR", 10, ["One MQSC command read.", "One command has a syntax error.", _NONE_READ[2]]),
        ("FLY\nPING\n", 10, ["2 MQSC commands read.", "2 commands have a syntax error.", _NONE_READ[2]]),
        (
            "DELETE QLOCAL(NONE)\nPING QMGR",
            10,
            ["2 MQSC commands read.", _NONE_READ[1], "One valid MQSC command could not be processed."],
        ),
        (
            "DELETE QLOCAL(NONE)\nDISPLAY CHSTATUS(NO)\nDEFINE",
            10,
            [
                "3 MQSC commands read.",
                "One command has a syntax error.",
                "2 valid MQSC commands could not be processed.",
            ],
        ),
    ],
)
def test_the_summary_and_the_exit_code(data: Path, typed: str, code: int, summary: list[str]) -> None:
    ended, lines, err = runmqsc(data, "QM1", typed=typed)
    assert (ended, err) == (code, "")
    assert lines[-3:] == summary


@pytest.mark.parametrize("word", ["END", "exit", " Quit ", "quit;"])
def test_words_that_end_it(data: Path, word: str) -> None:
    code, lines, err = runmqsc(data, "QM1", typed=f"{word}\nDEFINE QLOCAL(NEVER.MADE)\n")
    assert (code, err) == (0, "")
    assert lines[-3:] == _NONE_READ


def test_commands_from_a_file(data: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.mqsc"
    script.write_bytes(b"DEFINE QLOCAL(FROM.FILE) REPLACE\r\nDISPLAY QLOCAL(FROM.FILE) TYPE\r\n")
    code, lines, err = runmqsc(data, "-f", str(script), "QM1", typed="DEFINE QLOCAL(NOT.READ)\n")
    assert (code, err) == (0, "")
    assert "     2 : DISPLAY QLOCAL(FROM.FILE) TYPE" in lines
    assert lines[-3] == "2 MQSC commands read."
    code, lines, err = runmqsc(data, "-f", str(tmp_path / "none"), "QM1")
    assert (code, lines) == (20, [])
    assert "none: No such file" in err
    assert runmqsc(data, "-f", str(tmp_path), "QM1")[0] == 20


def test_input_that_is_no_text(data: Path) -> None:
    typed = b"\xff\xfe\n\0\0\nDEFINE QLOCAL(\xff)\nPING QMGR\n" + b"x" * 100_000 + b"\n\x00PING QMGR"
    code, lines, err = runmqsc(data, "-e", "QM1", typed=typed)
    assert (code, err) == (10, "")
    assert sum(line.startswith("AMQ8415I") for line in lines) == 1
    assert lines[-3] == "6 MQSC commands read."


def test_passwords_are_in_no_report(data: Path) -> None:
    typed = (
        "DEFINE CHANNEL(SECRET.1) CHLTYPE(CLNTCONN) CONNAME(here) PASSWORD('hush!hush!')\n"
        "DEFINE CHANNEL(SECRET.2) CHLTYPE(CLNTCONN) CONNAME(here) +\n  PASSWORD('hush!+\n  hush!')\n"
        "DEFINE CHANNEL(SECRET.3) CHLTYPE(CLNTCONN) PASSWORD('hush!hush!') NONSENSE(1)\n"
        "DEFINE CHANNEL(SECRET.3) CHLTYPE(CLNTCONN) PASSWRD('hush!hush!')\n"
        "DEFINE CHANNEL(SECRET.3) CHLTYPE(CLNTCONN) PASSWORD('hush!hush!hush!')\n"
        "DEFINE CHANNEL(SECRET.3) CHLTYPE(CLNTCONN) PASSWORD('hush!hush!\n"
        " hush!hush! and hush')\n* and\nhush')\n"
        "PING QMGR; ALTER QMGR SSLCRYP('GSK_PKCS11=/lib;token;hush!hush!')\n"
        "ALTER QMGR SSLCRYP 'hush!hush!'\n"
        "DEFINE AUTHINFO(SECRET.4) AUTHTYPE(IDPWLDAP) LDAPPWD 'hush!hush!'\n"
        f"DEFINE AUTHINFO(SECRET.5) LDAPPWD('hush!hush!') DESCR('{'x' * 33000}')\n"
    )
    for words in (("QM1",), ("--json", "QM1"), ("-v", "QM1"), ("-w", "30", "QM1")):
        code, lines, err = runmqsc(data, *words, typed=typed)
        assert code == 10 and "hush" not in err
        assert not [line for line in lines if "hush" in line], words
        assert sum("SECRET.3" in line for line in lines) >= 4


def test_a_queue_manager_that_goes_away_on_the_way(tmp_path: Path) -> None:
    with ExitStack() as serving:
        serving.enter_context(served_queue_manager(folder=tmp_path / "data"))
        ran = talking(tmp_path / "data", "-e", "QM1")
        assert ran.stdin is not None and ran.stdout is not None
        ran.stdin.write(b"DEFINE QLOCAL(BEFORE)\n")
        ran.stdin.flush()
        while not (line := ran.stdout.readline()).startswith(b"AMQ8006I"):
            assert line
        serving.close()
        out, err = ran.communicate(b"DEFINE QLOCAL(AFTER)\n" * 3, timeout=_LIMIT_S)
    assert (ran.returncode, err[:8] in (b"AMQ8145E", b"AMQ8146E")) == (20, True)
    assert out.decode().splitlines() == [
        "One MQSC command read.", "No commands have a syntax error.", "All valid MQSC commands were processed.",
    ]  # fmt: skip


def test_the_name_of_the_application_is_that_of_the_command(data: Path) -> None:
    assert "APPLTAG(runmqsc)" in "".join(runmqsc(data, "-e", "QM1", typed="DISPLAY CONN(*) APPLTAG")[1])


def test_a_file_that_an_editor_of_windows_wrote(data: Path) -> None:
    code, lines, err = runmqsc(data, "-e", "QM1", typed=b"\xef\xbb\xbfPING +\r\n  QMGR\r\nPING QMGR\r\n")
    assert (code, err) == (0, "")
    assert sum(line.startswith("AMQ8415I") for line in lines) == 2


def test_a_long_script_is_read_as_it_comes(data: Path) -> None:
    """5,000 commands; the answer to the first comes before the last is written."""
    with talking(data, "-e", "QM1") as ran:
        assert ran.stdin is not None and ran.stdout is not None
        ran.stdin.write(b"PING QMGR\n")
        ran.stdin.flush()
        while not (line := ran.stdout.readline()).startswith(b"AMQ8415I"):
            assert line
        out, _ = ran.communicate(b"PING QMGR\nDISPLAY QMGR QMNAME +\nMAXMSGL\n" * 2500, timeout=_LIMIT_S)
    lines = out.decode().splitlines()
    assert ran.returncode == 0
    assert sum(line.startswith("AMQ8408I") for line in lines) == 2500
    assert lines[-3] == "5001 MQSC commands read."


def test_a_command_of_many_lines(data: Path) -> None:
    names = [f"NAME.{number:03}.{'X' * 35}" for number in range(200)]
    typed = "DEFINE NAMELIST(MANY) REPLACE NAMES( +\n" + ", +\n".join(names) + ")\nDISPLAY NAMELIST(MANY) NAMCOUNT\n"
    code, lines, err = runmqsc(data, "-e", "QM1", typed=typed)
    assert (code, err) == (0, "")
    assert any("NAMCOUNT(200)" in line for line in lines)


def test_a_reader_that_goes_away(data: Path) -> None:
    with talking(data, "QM1") as ran:
        assert ran.stdin is not None and ran.stdout is not None and ran.stderr is not None
        ran.stdout.readline()
        ran.stdout.close()
        try:
            ran.stdin.write(b"DISPLAY QUEUE(*) ALL\n" * 50)
            ran.stdin.close()
        except BrokenPipeError:
            pass
        ran.wait(_LIMIT_S)
        assert (ran.returncode, ran.stderr.read()) == (1, b"")


def test_an_interrupt(data: Path) -> None:
    with talking(data, "-e", "QM1") as ran:
        assert ran.stdin is not None and ran.stdout is not None and ran.stderr is not None
        ran.stdin.write(b"DEFINE QLOCAL(BEFORE) REPLACE\n")
        ran.stdin.flush()
        while not ran.stdout.readline().startswith(b"AMQ8006I"):
            assert ran.poll() is None
        ran.send_signal(signal.SIGINT)
        ran.wait(_LIMIT_S)
        assert (ran.returncode, ran.stderr.read()) == (130, b"")


def test_json(data: Path) -> None:
    typed = "DISPLAY QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH SHARE\nDELETE QLOCAL(NONE)\nFLY\n* comment\n"
    code, lines, err = runmqsc(data, "--json", "QM1", typed=typed)
    assert (code, err) == (10, "")
    found = [json.loads(line) for line in lines]
    assert [one["state"] for one in found] == ["done", "failed", "syntax"]
    assert found[0]["rows"] == [
        {"queue": "SYSTEM.DEFAULT.LOCAL.QUEUE", "type": "QLOCAL", "maxdepth": 5000, "share": "SHARE"}
    ]
    assert (found[1]["command"], found[1]["reason"]) == ("DELETE QLOCAL(NONE)", C.MQRC_UNKNOWN_OBJECT_NAME)
    assert found[1]["messages"][0].startswith("AMQ8147E")
    assert found[2]["rows"] == []


# Without a queue manager


def test_verify_runs_nothing_and_needs_no_queue_manager(tmp_path: Path) -> None:
    typed = "DEFINE QLOCAL(A)\nDEFINE QLOCAL(A) MAXDEPTH(-1)\nDELETE QLOCAL(NONE)\n"
    code, lines, err = runmqsc(tmp_path, "-v", typed=typed)
    assert (code, err) == (10, "")
    assert lines[-2:] == ["3 MQSC commands read.", "One command has a syntax error."]
    assert any("MAXDEPTH(-1): permitted is 0 to 999999999" in line for line in lines)
    assert runmqsc(tmp_path, "-v", "QM1", typed="DEFINE QLOCAL(A)")[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_verify_leaves_the_queue_manager_as_it_is(data: Path) -> None:
    assert runmqsc(data, "-v", "QM1", typed="DEFINE QLOCAL(VERIFIED)")[0] == 0
    assert runmqsc(data, "QM1", typed="DISPLAY QLOCAL(VERIFIED)")[0] == 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("NO.SUCH",), "AMQ8118E"),
        (("../QM1",), "AMQ8118E"),
        (("Q M",), "name"),
        (("-w", "0", "QM1"), "1 to 999999"),
        (("-w", "x", "QM1"), "1 to 999999"),
        (("-x", "QM1"), "-m and -x go with -w"),
        (("-m", "QM2", "QM1"), "-m and -x go with -w"),
        (("-v", "-w", "5", "QM1"), "-v and -w"),
        (("-w", "5", "-x", "QM1"), "AMQ8124"),
        (("-q", "QM1"), "usage"),
        (("QM1", "QM2"), "usage"),
    ],
)
def test_nothing_is_run(data: Path, words: tuple[str, ...], said: str) -> None:
    code, lines, err = runmqsc(data, *words, typed="DEFINE QLOCAL(NEVER)")
    assert (code, lines) == (20, []), err
    assert said in err
    assert "Traceback" not in err


def test_no_queue_manager_at_all(tmp_path: Path) -> None:
    code, lines, err = runmqsc(tmp_path, typed="PING QMGR")
    assert (code, lines) == (20, [])
    assert "Traceback" not in err


def test_a_queue_manager_that_does_not_run(tmp_path: Path) -> None:
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}"):
        pass
    code, lines, err = runmqsc(tmp_path, "QM1", typed="PING QMGR")
    assert (code, lines) == (20, [])
    assert err.startswith("AMQ8146E")


# Users


def test_a_user_with_a_password_in_the_first_line(data: Path) -> None:
    code, lines, err = runmqsc(data, "-u", "carol", "QM1", typed="open sesame\nPING QMGR\n")
    assert code in (10, 20), (lines, err)  # she is nobody here: not even a ping, or not even a connection
    assert "open sesame" not in "\n".join(lines) + err
    code, lines, err = runmqsc(data, "-u", "carol", "QM1", typed="close sesame\nPING QMGR\n")
    assert (code, lines) == (20, [])
    assert err.startswith("AMQ8135E")
    assert "close sesame" not in err


def test_the_user_gives_the_commands(data: Path) -> None:
    with libremq.connect(f"local:QM1?data={data}") as qm:
        answers = qm.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('carol') AUTHADD(CONNECT,DSP)")
        assert answers[0].state == "done"
    code, lines, err = runmqsc(
        data, "-e", "-u", "carol", "QM1", typed="open sesame\nPING QMGR\nDEFINE QLOCAL(CAROLS)\n"
    )
    assert (code, err) == (10, "")
    assert lines[4].startswith("AMQ8415I")
    assert lines[5].startswith("AMQ8135E")
    assert "carol" in lines[5]
    assert lines[-1] == "One valid MQSC command could not be processed."


def test_the_password_is_not_in_the_file_of_commands(data: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.mqsc"
    script.write_text("PING QMGR\n")
    with libremq.connect(f"local:QM1?data={data}") as qm:
        qm.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('carol') AUTHADD(CONNECT,DSP)")
    code, lines, err = runmqsc(data, "-u", "carol", "-f", str(script), "QM1", typed="open sesame\n")
    assert (code, err) == (0, "")
    assert "     1 : PING QMGR" in lines


# Through the command server


def test_through_the_command_server(data: Path) -> None:
    typed = "DEFINE QLOCAL(REMOTELY) REPLACE\nDISPLAY QLOCAL(REMOTELY) MAXDEPTH\nDELETE QLOCAL(NONE)\nFLY\n"
    code, lines, err = runmqsc(data, "-e", "-w", "30", "QM1", typed=typed)
    assert (code, err) == (10, "")
    text = "\n".join(lines)
    assert "AMQ8006I: LibreMQ queue created." in text
    assert "   MAXDEPTH(5000)" in text
    assert "AMQ8147E" in text
    assert lines[-4:] == [
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
        "3 command responses received.",
    ]
    assert runmqsc(data, "-w", "30", "-m", "QM1", "QM1", typed="PING QMGR")[0] == 0


def test_a_command_server_that_does_not_answer(data: Path) -> None:
    queue = "SYSTEM.ADMIN.COMMAND.QUEUE"
    with libremq.connect(f"local:QM1?data={data}") as qm:
        qm.mqsc(f"ALTER QLOCAL({queue}) GET(DISABLED)")
        try:
            code, lines, err = runmqsc(data, "-e", "-w", "1", "QM1", typed="DEFINE QLOCAL(TOO.LATE)\n")
        finally:
            qm.mqsc(f"CLEAR QLOCAL({queue})\nALTER QLOCAL({queue}) GET(ENABLED)")
    assert (code, err) == (10, "")
    assert lines[4].startswith("AMQ8416")
    assert lines[-1] == "0 command responses received."


# Completion


def names(kind: str, start: str) -> list[str]:
    return [name for name in ("ORDERS", "ORDERS.OLD", "TEA") if kind == "QLOCAL" and name.startswith(start)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "ALTER DEFINE DISPLAY"),
        ("DIS", "DISPLAY"),
        ("de", "DEFINE DELETE"),
        ("DEFINE Q", "QLOCAL QMODEL QALIAS QREMOTE"),
        ("define ", "QLOCAL SERVICE"),
        ("def ql(A) MAXD", "MAXDEPTH"),
        ("DEFINE QLOCAL(A) NOSH", "NOSHARE"),
        ("DEFINE QLOCAL(A) REP", "REPLACE"),
        ("DEFINE QLOCAL(A) MAXDEPTH(5) DEFPSIST(", "YES NO"),
        ("DEFINE CHANNEL(A) CHLTYPE(SV", "SVR SVRCONN"),
        ("DISPLAY QLOCAL(A) CURD", "CURDEPTH"),
        ("DISPLAY QMGR EV", "EVENT"),
        ("DISPLAY QLOCAL(*) WH", "WHERE"),
        ("ALTER QLOCAL(", "ORDERS ORDERS.OLD TEA"),
        ("DISPLAY QL(ORDERS.", "ORDERS.OLD"),
    ],
)
def test_completion_offers(text: str, found: str) -> None:
    offered = completions(text, names)
    assert set(found.split()) <= set(offered)
    last = text.replace("(", " ").split(" ")[-1].upper()
    assert all(word.startswith(last) for word in offered)


@pytest.mark.parametrize(
    "text", ["FLY ", "DEFINE FLY(A) ", "DEFINE QLOCAL(", "DEFINE QLOCAL(A) MAXDEPTH(", "PING QMGR X", "(", "'"]
)
def test_completion_has_nothing_to_offer(text: str) -> None:
    assert completions(text, names) == []


def test_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MQPROMPT", raising=False)
    assert prompt("QM1") == ""
    monkeypatch.setenv("MQPROMPT", "+QMNAME+ +VERSION+> ")
    assert prompt("QM1").startswith("QM1 ")
    assert prompt("QM1").endswith("> ")
    assert "+" not in prompt("QM1")


# A terminal


class Terminal:
    """runmqsc in a terminal of its own: what is typed there, what is seen there."""

    def __init__(self, data: Path, *words: str) -> None:
        self.seen = b""
        self._pid, self._descriptor = pty.fork()
        if self._pid == 0:
            os.execve(sys.executable, command_line(*words), environment(data, MQPROMPT="+QMNAME+> "))

    def expect(self, text: str, again: str = "") -> None:
        """Wait until it is seen; what came before is dropped.

        `again` is a key that is pressed again after a while: who presses one in the moment in which a program takes
        over the terminal may not be heard.
        """
        until = time.monotonic() + _LIMIT_S
        while text.encode() not in self.seen:
            left = max(0.0, until - time.monotonic())
            ready, _, _ = select.select([self._descriptor], [], [], min(left, _AGAIN_S) if again else left)
            if again and not ready and left:
                self.type(again)
                continue
            assert ready, f"{text!r} is not seen in {self.seen!r}"
            try:
                found = os.read(self._descriptor, 4096)
            except OSError:
                found = b""
            assert found, f"it has ended, and {text!r} is not seen in {self.seen!r}"
            self.seen += found
        self.seen = self.seen.partition(text.encode())[2]

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def ended(self) -> int:
        """Read to the end: it may wait for someone who reads."""
        while True:
            try:
                found = os.read(self._descriptor, 4096)
            except OSError:
                break
            if not found:
                break
            self.seen += found
        _, status = os.waitpid(self._pid, 0)
        os.close(self._descriptor)
        return os.waitstatus_to_exitcode(status)


def test_a_session_at_a_terminal(data: Path) -> None:
    terminal = Terminal(data, "QM1")
    terminal.expect("QM1> ")
    terminal.type("DEFINE QLOCAL(TYPED) REPLACE +\n")
    terminal.type("DESCR('by hand')\n")
    terminal.expect("AMQ8006I")
    terminal.expect("QM1> ")
    terminal.type("DEFINE CHANNEL(SECRET) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(X) REPLACE PASSWORD('hidden1')\n")
    terminal.expect("QM1> ")
    terminal.type("ALTER CHANNEL(SECRET) CHLTYPE(SDR) PASSWORD +\n")
    terminal.type("('hidden2')\n")
    terminal.expect("QM1> ")
    terminal.type("FLY\n")
    terminal.expect("AMQ8426")
    terminal.expect("QM1> ")
    terminal.type("end\n")
    terminal.expect("4 MQSC commands read.")
    assert terminal.ended() == 10
    history = data / "runmqsc_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    kept = history.read_text()
    assert "DESCR('by hand')" in kept
    assert "FLY" in kept
    assert "hidden" not in kept
    assert "PASSWORD" not in kept


def test_the_end_of_input_and_an_interrupt_at_a_terminal(data: Path) -> None:
    for typed, key in (("", "\x04"), ("DEFINE QLO", "\x03")):
        terminal = Terminal(data, "QM1")
        terminal.expect("QM1> ")
        terminal.type(typed + key)
        terminal.expect("No MQSC commands read.", again=key)
        assert terminal.ended() == 0


def test_the_tab_key(data: Path) -> None:
    pytest.importorskip("readline")
    terminal = Terminal(data, "QM1")
    terminal.expect("QM1> ")
    terminal.type("DISP\t QMG\t QMNA\t\n")
    terminal.expect("QMNAME(QM1)")
    terminal.expect("QM1> ")
    terminal.type("DISPLAY LISTENER(SYSTEM.DEFAULT.LIS\t) TRPTYPE\n")
    terminal.expect("TRPTYPE(TCP)")
    terminal.expect("QM1> ")
    terminal.type("\x04")
    terminal.expect("MQSC commands read.", again="\x04")
    assert terminal.ended() == 0
