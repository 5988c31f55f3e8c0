"""`libremq runmqchl` and `runmqchi`: requests to a queue manager that serves."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from helper_cli import Commands

import libremq
from helper_serving import serving


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    return Commands(capsys, tmp_path / "data")


def test_channels_and_initiators(mq: Commands) -> None:
    with serving(mq, "QM1") as url, libremq.connect(url) as qm, socket.create_server(("127.0.0.1", 0)) as silent:
        qm.define_local("QM2", usage="xmitq")
        qm.define_local("MY.INITQ")
        conname = f"127.0.0.1({silent.getsockname()[1]})"
        qm.define("channel", "to.QM2", chltype="sdr", conname=conname, xmitq="QM2")
        assert mq.good("runmqchl", "-c", "to.QM2", "-m", "QM1") == ["AMQ8018I: Request to start a channel accepted."]
        silent.settimeout(60)
        silent.accept()[0].close()  # it calls
        assert mq.good("runmqchi", "-q", "MY.INITQ", "-m", "QM1") == ["AMQ8024I: LibreMQ channel initiator started."]
        for words, code, number in (
            (["runmqchl", "-c", "NOBODY"], 10, "AMQ8227E"),
            (["runmqchl", "-c", "A) REPLACE("], 20, "AMQ7027E"),
            (["runmqchi", "-q", "NO.QUEUE"], 10, "AMQ8147E"),
            (["runmqchi"], 10, "AMQ8148E"),  # it runs since the queue manager was started
        ):
            found, err = mq.bad(*words, "-m", "QM1")
            assert (found, err[:8]) == (code, number), err
    assert mq.bad("runmqchl", "-c", "TO.QM2", "-m", "QM1")[0] == 20
    assert mq.bad("runmqchl", "-m", "QM1")[0] == 20
    assert mq.bad("runmqchi", "-m", "NOBODY")[0] == 20
