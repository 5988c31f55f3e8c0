"""`libremq completion`: what bash completes with the script, and that the others have the same in it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from helper_cli import Commands

from libremq.commands.main import COMMANDS
from libremq.commands.own.completion import command_lines


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    for name in ("QM1", "PAY!QM&2"):
        (tmp_path / "data" / "qmgrs" / name).mkdir(parents=True)
    return Commands(capsys, tmp_path / "data")


def completed(mq: Commands, tmp_path: Path, *words: str) -> set[str]:
    """What bash offers for the last of the words."""
    script = tmp_path / "completion.bash"
    script.write_text(mq("completion", "bash")[1])
    line = " ".join(f"'{word}'" for word in words)
    code = (
        f". {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _libremq; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_commands_flags_and_names(mq: Commands, tmp_path: Path) -> None:
    assert completed(mq, tmp_path, "libremq", "runmq") == {c.name for c in COMMANDS if c.name.startswith("runmq")}
    assert {"-m", "-o", "--json"} <= completed(mq, tmp_path, "libremq", "dspmq", "-")
    assert completed(mq, tmp_path, "libremq", "dspmq", "--j") == {"--json"}
    assert completed(mq, tmp_path, "libremq", "dspmq", "-m", "") == {"QM1", "PAY.QM/2"}
    assert completed(mq, tmp_path, "/usr/bin/dspmq", "-m", "Q") == {"QM1"}
    assert completed(mq, tmp_path, "strmqm", "P") == {"PAY.QM/2"}
    assert completed(mq, tmp_path, "dspmq", "-o", "sta") == {"status", "standby"}
    assert completed(mq, tmp_path, "libremq", "completion", "") == {"bash", "zsh", "fish"}
    assert completed(mq, tmp_path, "libremq", "load", "Q", "compl") == {"completion.bash"}
    assert completed(mq, tmp_path, "libremq", "nope", "") == set()
    assert "list" in completed(mq, tmp_path, "libremq", "log", "")


def test_every_command_and_flag_is_in_every_script(mq: Commands) -> None:
    scripts = {shell: mq("completion", shell)[1] for shell in ("bash", "zsh", "fish")}
    for line in command_lines():
        for flag in line.flags:
            for name in flag.names:
                assert f"'{line.name} {name}'" in scripts["bash"] or f"{name}" in scripts["bash"]
                assert f"'{name.lstrip('-')}'" in scripts["fish"]
        for text in scripts.values():
            assert line.name in text
    assert scripts["zsh"].endswith(scripts["bash"])
    assert "bashcompinit" in scripts["zsh"]


def test_an_unknown_shell_is_refused(mq: Commands) -> None:
    assert mq.bad("completion", "tcsh")[0] == 2
