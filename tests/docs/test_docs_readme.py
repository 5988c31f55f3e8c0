"""The README, typed from top to bottom by somebody with an empty home: every block, in one shell, in its order.

A block of Python is saved under the name that stands before it ("Save this as `client.py`"), and run when a block of
the shell says so. What is left out is in `LEFT_OUT`, with the reason. Ports are free ones.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from helper_docs import ROOT

from helper_ports import free_port

README = ROOT / "README.md"
LEFT_OUT = {
    "make demo": "takes minutes; its parts have tests of their own (tests/commands/test_commands_demo_*.py)",
    "make test": "is what runs here",
    ". .venv/bin/activate": "the environment of this test is on the path",
    "pip install": "it is installed, and there may be no network",
    "libremq pipeline ingest": "a minute of Spark; tests/commands/test_commands_pipeline.py does it with less data",
    "libremq pipeline findings": "the same",
    "libremq pipeline report": "the same",
}
"""Lines that are not typed, by how they begin."""
QUEUE_MANAGERS = ("QM1", "LONDON", "PARIS")
PORTS = ("1414", "1421", "1422")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"Save this as `([\w.]+)`")
_MARK = "## block "


class Block(NamedTuple):
    language: str
    text: str
    file: str
    """Under what name it is saved, if the text before it says so."""


def blocks() -> list[Block]:
    text = README.read_text(encoding="utf-8")
    found, end = [], 0
    for fence in _FENCE.finditer(text):
        names = _NAME.findall(text[end : fence.start()])
        found.append(Block(fence[1], fence[2], names[-1] if names else ""))
        end = fence.end()
    return found


def left_out(line: str) -> bool:
    return line.startswith(tuple(LEFT_OUT))


def typed(ports: dict[str, str]) -> str:
    """All that is typed, as a script that says before each block which it is."""
    lines: list[str] = []
    for number, block in enumerate(blocks()):
        text = re.sub("|".join(PORTS), lambda found: ports[found[0]], block.text)
        if block.language == "python":
            lines += [f"cat > {block.file} <<'END OF FILE'", text.rstrip("\n"), "END OF FILE"]
            continue
        kept = [line for line in text.splitlines() if not left_out(line)]
        lines += [f"echo '{_MARK}{number}'", *kept]
    return "\n".join(lines) + "\n"


class Session(NamedTuple):
    home: Path
    said: dict[str, list[str]]
    """The lines that came, by the first line of the block."""
    complaints: str
    code: int


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    home = tmp_path_factory.mktemp("home")
    script = tmp_path_factory.mktemp("script") / "readme.sh"
    script.write_text(typed({port: str(free_port()) for port in PORTS}), encoding="utf-8")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LIBREMQ", "PYTEST", "MQ"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**clean, "HOME": str(home), "PATH": path}
    try:
        ran = subprocess.run(
            ["sh", "-e", str(script)],
            cwd=home, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1800,
        )  # fmt: skip
    finally:
        for name in QUEUE_MANAGERS:
            end = [sys.executable, "-m", "libremq.commands.main", "endmqm", "-p", "-z", name]
            subprocess.run(end, env=environment, capture_output=True, timeout=1800, check=False)
    every, current = blocks(), ""
    said: dict[str, list[str]] = {}
    for line in ran.stdout.splitlines():
        if line.startswith(_MARK):
            current = every[int(line.removeprefix(_MARK))].text.partition("\n")[0]
            said[current] = []
        else:
            said[current].append(line)
    yield Session(home, said, ran.stderr, ran.returncode)


def said_by(session: Session, beginning: str) -> list[str]:
    """What came for the block that begins so."""
    (found,) = [lines for first, lines in session.said.items() if first.startswith(beginning)]
    return found


def test_every_block_is_run_or_saved_and_run() -> None:
    every = blocks()
    shell = "\n".join(block.text for block in every if block.language == "")
    assert {block.language for block in every} == {"", "python"}
    for block in every:
        if block.language == "python":
            assert block.file, f"no name to save it under: {block.text}"
            assert re.search(rf"^(python|pytest) {re.escape(block.file)}$", shell, re.MULTILINE), block.file


def test_what_is_left_out_is_still_there() -> None:
    lines = [line for block in blocks() if block.language == "" for line in block.text.splitlines()]
    assert [start for start in LEFT_OUT if not any(line.startswith(start) for line in lines)] == []


def test_nothing_goes_wrong(session: Session) -> None:
    assert (session.code, session.complaints) == (0, ""), session.said
    every = [line for lines in session.said.values() for line in lines]
    assert not [line for line in every if re.match(r"AMQ\d+[EWS]:|Traceback", line)]
    shell = [block for block in blocks() if block.language == ""]
    assert len(session.said) == len(shell)


def test_the_fifteen_lines(session: Session) -> None:
    lines = said_by(session, "python cafe.py")
    assert lines[0] == "b'one tea'"
    assert [line.partition("}")[0] for line in lines[1:]] == ["two espressos {'table': 7", "one cake {"]
    assert (session.home / ".libremq" / "qmgrs" / "CAFE").is_dir()


def test_the_server(session: Session) -> None:
    lines = said_by(session, "MQ_APP_PASSWORD=")
    assert any(re.fullmatch(r"AMQ5026I: The listener on 127.0.0.1:\d+ has started.", line) for line in lines)
    assert lines.count("****   Message      ****") == 2
    assert lines[lines.index("two espressos") :] == [
        "two espressos",
        "Sample AMQSGET0 start",
        "message <one tea>",
        "no more messages",
        "Sample AMQSGET0 end",
    ]


def test_the_commands(session: Session) -> None:
    lines = said_by(session, "libremq runmqsc QM1")
    assert any("MAXDEPTH(10000)" in line for line in lines)
    assert "DEFINE QLOCAL('ORDERS')" in (session.home / "qm1.mqsc").read_text(encoding="utf-8")
    assert (session.home / "bin" / "runmqsc").is_file()
    assert lines[-1] == "LibreMQ queue manager 'QM1' ended."


def test_the_two_queue_managers(session: Session) -> None:
    lines = said_by(session, "libremq crtmqm LONDON")
    got = lines.index("Sample AMQSGET0 start")
    assert lines[got + 1 : got + 3] == ["message <two espressos>", "message <one tea>"]
    assert any("INDOUBT(NO)" in line for line in lines) and any("LSTSEQNO(2)" in line for line in lines)
    assert lines[-1] == "LibreMQ queue manager 'PARIS' ended."


def test_the_test(session: Session) -> None:
    assert any("1 passed" in line for line in said_by(session, "pytest test_orders.py"))


def test_the_dumps(session: Session) -> None:
    lines = said_by(session, "pip install")
    assert any((session.home / "trial" / "dumps").iterdir())
    assert any("log-ceiling" in line for line in lines)
