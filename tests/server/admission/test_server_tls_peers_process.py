"""The quick start of docs/reference/tls.md, word for word, against a queue manager in its own process."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.commands import main
from libremq.mqi import constants as C
from libremq.server.process.run_state import load_run

PASSWORD, KEY_PASSWORD = "Correct-Horse-7391", "Battery-Staple-4402"
VERBS = r"(\* )?(ALTER|DEFINE|REFRESH|SET) "


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "data"))
    assert main.main(["crtmqm", "-lf", "64", "QM1"]) == 0
    found = tmp_path / "data" / "qmgrs" / "QM1"
    yield found
    if load_run(str(found)) is not None:
        main.main(["endmqm", "-p", "QM1"])


def mqsc(*commands: str) -> list[str]:
    """What each command was answered with: done, failed or syntax."""
    with libremq.connect("local:QM1") as qm:
        return [answer.state for answer in qm.mqsc("\n".join(commands))]


def put_and_get(url: str) -> bytes:
    with libremq.connect(url) as qm, qm.queue("QUEUE.NAME") as queue:
        queue.put(b"hello")
        return bytes(queue.get().data)


def test_the_quick_start(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main.main(["strmqm", "-p", "0", "QM1"]) == 0
    run = load_run(str(folder))
    assert run is not None
    port = int(re.findall(r"127\.0\.0\.1:(\d+)", capsys.readouterr().out)[-1])
    tls = str(tmp_path / "tls")
    assert main.main(["tls", "init", "--folder", tls, "--qmgr", "QM1", "--client", "alice"]) == 0
    printed = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{PASSWORD}\n".encode())))
    assert "libremq setmqusr QM1 alice" in printed and main.main(["setmqusr", "QM1", "alice"]) == 0
    commands = [line.removeprefix("* ") for line in printed.splitlines() if re.match(VERBS, line)]
    assert mqsc("DEFINE QLOCAL(QUEUE.NAME)", *commands) == ["done"] * (len(commands) + 1)
    shown = re.search(r"mqs://\S+", printed)
    assert shown is not None
    url = shown[0].replace(":1414", f":{port}")
    assert put_and_get(url) == b"hello"

    for wrong, why in (
        (url.partition("&cert=")[0], "SSLCAUTH(REQUIRED)"),
        (f"mq{url[3:].partition('&')[0]}", "mqs://"),
    ):
        with pytest.raises(libremq.MQError) as caught:
            libremq.connect(wrong)
        assert caught.value.reason == C.MQRC_SSL_INITIALIZATION_ERROR and why in caught.value.detail

    with (
        pytest.raises(libremq.MQError) as ended,
        libremq.connect(f"{url}&reconnect=no") as alice,
        alice.queue("QUEUE.NAME") as queue,
    ):
        queue.put(b"so far it goes")
        assert main.main(["tls", "revoke", "--folder", tls, "alice"]) == 0
        assert mqsc("REFRESH SECURITY TYPE(SSL)", f"ALTER QMGR KEYRPWD('{KEY_PASSWORD}')") == ["done", "done"]
        queue.get()
        queue.get(wait=60)  # who is in with a certificate that was revoked does not stay
    assert ended.value.reason in (C.MQRC_CONNECTION_BROKEN, C.MQRC_CONNECTION_QUIESCING)
    with pytest.raises(libremq.MQError, match="revoked"):
        libremq.connect(url)
    (tmp_path / "tls" / "QM1" / "crl.pem").write_text("rubbish")
    assert mqsc("REFRESH SECURITY TYPE(SSL)") == ["failed"]
    with libremq.connect("local:QM1") as qm:
        lines = "\n".join(line for answer in qm.mqsc("DISPLAY QMGR ALL") for line in answer.lines)
    assert main.main(["endmqm", "-w", "QM1"]) == 0
    log = (folder / "errors" / "AMQERR01.LOG").read_text()
    for number in ("AMQ9637E", "AMQ9639E", "AMQ9654E", "AMQ9660E"):
        assert number in log
    for secret in (PASSWORD, KEY_PASSWORD, "PRIVATE KEY"):
        assert secret not in log + lines + printed
