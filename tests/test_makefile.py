"""What `make` says, and when: before it does something long it announces it, so nobody looks at an empty screen.

The environment is a folder with commands that stand still until they are let go, so what was said by then was said
before them. No test here looks at a clock.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Says that it has begun, and waits for a word; the next ones do nothing
_COMMAND = """#!/bin/sh
cd "{folder}"
[ -e passed ] && exit 0
echo "<<$0 $*"
read word < go
touch passed
"""


def environment(folder: Path, *, ready: bool) -> Path:
    """A .venv, complete or not, whose first command waits for a line in the pipe `go`."""
    venv = folder / "venv"
    (venv / "bin").mkdir(parents=True)
    for name in ("python", "ruff", "mypy", "lint-imports"):
        command = venv / "bin" / name
        command.write_text(_COMMAND.format(folder=folder))
        command.chmod(0o755)
    os.mkfifo(folder / "go")
    if ready:
        (venv / ".ready").touch()
        later = (ROOT / "pyproject.toml").stat().st_mtime + 10
        os.utime(venv / ".ready", (later, later))
    return venv


def said_before(target: str, folder: Path, *, ready: bool) -> tuple[list[str], str]:
    """The lines that came before the first command that takes long, and what that was."""
    venv = environment(folder, ready=ready)
    words = ["make", "--no-print-directory", target, f"VENV={venv}", f"PYTHON={sys.executable}"]
    go = os.open(folder / "go", os.O_RDWR)
    try:
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as making:
            assert making.stdout is not None
            said: list[str] = []
            for line in making.stdout:
                if line.startswith("<<"):
                    break
                said.append(line.rstrip())
            os.write(go, b"on\n")
            rest = making.stdout.read()
        assert making.returncode == 0, rest
    finally:
        os.close(go)
    return said, line


@pytest.mark.parametrize(
    ("target", "word", "command"),
    [
        ("demo", "demo", "demo_kill"), ("test", "tests", "pytest"), ("test-crash", "power cut", "pytest"),
        ("check", "checks", "ruff check"), ("interop", "pymqi", "interop"), ("bench", "pip is silent", "pip install"),
        ("soak", "minutes", "-m soak"), ("mutants", "bugs", "soak.mutants"), ("bench-pipeline", "dumps", "pipeline.py"),
    ],
)  # fmt: skip
def test_it_says_what_it_is_about_to_do(target: str, word: str, command: str, tmp_path: Path) -> None:
    said, begun = said_before(target, tmp_path, ready=True)
    assert said and word in said[0]
    assert command in begun


@pytest.mark.parametrize("target", ["demo", "test", "check"])
def test_a_first_time_announces_the_long_silence_of_pip(target: str, tmp_path: Path) -> None:
    said, begun = said_before(target, tmp_path, ready=False)
    assert "Setting up" in said[0] and "pip is silent" in said[1]
    assert "pip install" in begun


def test_what_python_says_is_seen_at_once() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "-p", "-n", "clean"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "PYTHONUNBUFFERED := 1" in shown
