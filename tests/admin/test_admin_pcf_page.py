"""docs/reference/pcf.md: its table has every command, and its example works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from libremq.admin.command_lookup import BY_PCF
from libremq.mqi import constants as C

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "pcf.md").read_text()


def test_the_table_has_every_command() -> None:
    told = {int(code): name for name, code in re.findall(r"^\| (MQCMD_\w+) \| (\d+) \|", PAGE, re.MULTILINE)}
    assert set(told) == {*BY_PCF, C.MQCMD_ESCAPE}
    assert all(getattr(C, name) == code for code, name in told.items())


def test_what_waits_for_a_part_is_marked() -> None:
    waiting = {int(code) for code in re.findall(r"^\| MQCMD_\w+ \| (\d+) \|.*\| waits for", PAGE, re.MULTILINE)}
    assert waiting == {code for code, specs in BY_PCF.items() if specs[0].part}


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found
    exec(found[1], {})
    assert "0 ['SYSTEM.ADMIN.COMMAND.QUEUE', 1, 0]" in capsys.readouterr().out
