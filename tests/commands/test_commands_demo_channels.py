"""The part of the demo with three queue managers in a row."""

from __future__ import annotations

import pytest

from libremq.commands.demo import demo_channels


def test_it_shows_what_it_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_channels, "ORDERS", 600)
    monkeypatch.setattr(demo_channels, "KILLS", 1)
    code = demo_channels.main()
    shown = capsys.readouterr().out
    assert code == 0, shown
    assert "AMQ8666I: Queue 'SOUTH' on queue manager 'MIDDLE'." in shown
    assert "kill -9 number 1 of MIDDLE" in shown
    assert shown.count("LSTSEQNO(600)") == 4 and "WRONG" not in shown
