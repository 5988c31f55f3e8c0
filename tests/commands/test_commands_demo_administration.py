"""The part of the demo that shows commands and authorities."""

from __future__ import annotations

import pytest

from libremq.commands.demo import demo_administration


def test_it_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo_administration.main() == 0
    shown = capsys.readouterr().out
    assert "AMQ8006I" in shown and "did you mean MAXDEPTH?" in shown
    assert "AUTHADD(GET)" in shown and "user nobody, queue ORDERS" in shown
