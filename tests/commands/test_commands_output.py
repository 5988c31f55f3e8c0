"""Displays: tables on a terminal, plain lines in a pipe, and bars only where somebody looks and has to wait."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from helper_cli import Commands

from libremq.commands import output
from libremq.commands.output import Progress

_SCRIPT = "import sys; from libremq.commands import main; sys.exit(main.main(sys.argv[1:]))"


def on_terminal(*words: str, **environment: str) -> str:
    """What a command shows on a terminal."""
    main, other = pty.openpty()
    try:
        done = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, *words], stdout=other, stderr=other, env={**os.environ, **environment}
        )
        os.close(other)
        text = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
        assert done.wait(240) == 0, text
        return text.decode()
    finally:
        os.close(main)


def test_a_table_on_a_terminal_and_plain_lines_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from libremq.commands import main as cli

    environment = {"LIBREMQ_DATA": str(tmp_path), "COLUMNS": "200", "TERM": "xterm"}
    assert cli.main(["crtmqm", "-lf", "64", "--data", str(tmp_path), "QM1"]) == 0
    shown = on_terminal("dspmq", **environment)
    assert "Queue manager" in shown and "QM1" in shown and "QMNAME(" not in shown
    assert "QMNAME(QM1)" in on_terminal("dspmq", LIBREMQ_PLAIN="1", **environment)
    assert on_terminal("dspmq", "--json", **environment).startswith("[")
    capsys.readouterr()
    assert cli.main(["dspmq", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("QMNAME(QM1)")


def test_a_narrow_terminal_tears_no_words_apart(tmp_path: Path) -> None:
    from libremq.commands import main as cli

    assert cli.main(["crtmqm", "-lf", "64", "--data", str(tmp_path), "QM1"]) == 0
    environment = {"LIBREMQ_DATA": str(tmp_path), "TERM": "xterm"}
    for columns in ("80", "200"):
        shown = on_terminal("dspmq", "-o", "all", COLUMNS=columns, **environment)
        assert all(words in shown for words in ("Queue manager", "Ended normally", "Not permitted")), shown
    assert "Queue manager" in on_terminal("dspmq", COLUMNS="80", **environment).splitlines()[1]


def test_output_that_cannot_be_written_is_an_error_and_no_traceback() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    for words in (["mqrc", "2035"], ["dspmqver"], ["completion", "bash"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-c", _SCRIPT, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=240
            )
        assert done.returncode == 71 and len(done.stderr.splitlines()) == 1, (words, done.stderr)
        assert done.stderr == f"libremq {words[0]}: No space left on device\n"


@pytest.mark.parametrize("url", ["mq://app:hu@sh@127.0.0.1:1/QM1", "mqs://app:hush@", "mq://h:1/QM1?password=hush"])
@pytest.mark.parametrize(
    "words", ["runmqtrm -m", "runmqdlq DLQ", "runmqlsr -t tcp -m", "runmqsc", "dmpmqcfg -m", "dspmq -m", "strmqm"]
)
def test_no_error_shows_the_password_of_a_url(
    words: str, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"ACTION(IGNORE)\n")))
    code, out, err = Commands(capsys, tmp_path)(*words.split(), url)
    assert code != 0 and err
    assert "sh@" not in err and "hush" not in out + err


def test_a_bar_comes_on_a_terminal_when_it_takes_long(tmp_path: Path) -> None:
    code = (
        "from libremq.commands import output; output.PATIENCE_S = 0.0\n"
        "import time\n"
        "with output.Progress('Counting', 3) as bar:\n"
        "    deadline = time.monotonic() + 120\n"
        "    while not bar.shown and time.monotonic() < deadline: time.sleep(0.01)\n"
        "    bar.advance(2)\n"
        "    with bar.hidden(): print('a line', flush=True)\n"
        "print('shown', bar.shown)\n"
    )
    main, other = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=other, env={**os.environ, "TERM": "xterm"}
    )
    os.close(other)
    out, _ = done.communicate(timeout=240)
    bars = os.read(main, 65536).decode()
    os.close(main)
    assert (done.returncode, out) == (0, b"a line\nshown True\n")
    assert "Counting" in bars


def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "PATIENCE_S", 0.0)
    with Progress("Counting") as bar:
        bar.advance()
        with bar.hidden():
            pass
    assert not bar.shown
