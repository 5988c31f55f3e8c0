"""The samples against a queue manager that is served, over TCP as MQSERVER names it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import libremq
from libremq.commands import main
from libremq.testing.serving import served_queue_manager


def test_samples_go_where_mqserver_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with served_queue_manager(folder=tmp_path / "data") as served, libremq.connect(served.url()) as qm:
        qm.define_local("Q")
        monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "elsewhere"))
        monkeypatch.setenv("MQSERVER", f"SYSTEM.DEF.SVRCONN/TCP/127.0.0.1({served.port})")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one tea\n")))
        assert main.main(["amqsput", "Q", "QM1"]) == 0
        assert qm.queue("Q").depth == 1
        assert main.main(["amqsbcg", "Q", "QM1"]) == 0
        assert main.main(["amqsget", "Q", "QM1", "-w", "0"]) == 0
        assert main.main(["amqsblst", "QM1", "Q", "-W", "-c", "20"]) == 0
        assert qm.queue("Q").depth == 20
        assert main.main(["amqsblst", "QM1", "Q", "-R", "-c", "20"]) == 0
        assert qm.queue("Q").depth == 0
        shown = capsys.readouterr().out
        assert "message <one tea>" in shown
        assert "20 messages read" in shown
