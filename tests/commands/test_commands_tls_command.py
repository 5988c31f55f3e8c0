"""`libremq tls`: an authority, certificates that work, files that nobody else can read, and revocation."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.commands.main import main
from libremq.server.admission.key_repository import KeyRepository
from libremq.testing.serving import Served, served_queue_manager


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "tls"


def init(folder: Path, *words: str) -> int:
    return main(["tls", "init", "--folder", str(folder), *words])


def test_what_it_makes_is_for_its_owner_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = os.umask(0)
    try:
        assert init(folder, "--qmgr", "QM1", "--client", "alice", "bob") == 0
    finally:
        os.umask(before)
    made = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert made == {
        "authority", "authority/ca.pem", "authority/ca.key", "QM1", "QM1/cert.pem", "QM1/trust.pem", "alice",
        "alice/cert.pem", "alice/trust.pem", "bob", "bob/cert.pem", "bob/trust.pem",
    }  # fmt: skip
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    out = capsys.readouterr().out
    assert f"ALTER QMGR SSLKEYR('{folder}/QM1')" in out and "REFRESH SECURITY TYPE(SSL)" in out
    assert "SSLPEER('CN=alice')" in out and "SSLCAUTH(REQUIRED)" in out
    assert "PRIVATE KEY" not in out


def test_what_is_there_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(folder, "--client", "alice")
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    assert init(folder, "--client", "alice", "--client", "bob") == 0
    assert "was there" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in before} == before
    assert (folder / "bob" / "trust.pem").read_bytes() == (folder / "authority" / "ca.pem").read_bytes()
    assert init(folder, "--client", "alice", "--renew") == 0
    assert (folder / "alice" / "cert.pem").read_bytes() != before[folder / "alice" / "cert.pem"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--client", "../alice"], "--client"),
        (["--client", ""], "--client"),
        (["--client", ".."], "--client"),
        (["--client", "authority"], "is taken"),
        (["--qmgr", "QM1", "--client", "QM1"], "is taken"),
        (["--qmgr", ".."], "cannot be"),
        (["--qmgr", "A/B"], "cannot be"),
        (["--qmgr", "QM 1"], "QM 1"),
        (["--qmgr", "QM1", "--name", "a b"], "--name"),
        (["--days", "0"], "--days"),
        (["--days", "99999"], "--days"),
    ],
)
def test_names_that_cannot_be(folder: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert init(folder, *words) != 0
    assert says in capsys.readouterr().err
    assert not folder.exists()


def test_an_authority_that_cannot_be_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(folder)
    (folder / "authority" / "ca.key").write_text("rubbish")
    assert init(folder, "--client", "alice") != 0
    assert "cannot be used" in capsys.readouterr().err
    assert not (folder / "alice").exists()
    (folder / "authority" / "ca.key").unlink()
    assert init(folder, "--client", "alice") != 0
    assert "ca.key" in capsys.readouterr().err


def test_without_the_package_it_says_what_to_install(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "libremq.common.tls.tls_authority", raising=False)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert init(folder, "--client", "alice") != 0
    assert "pip install 'libremq[tls]'" in capsys.readouterr().err
    assert not folder.exists()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", tls=lambda: keys.context()) as served:
        keys = KeyRepository(served.event_loop.manager, served.event_loop.folder, lambda text: None)
        yield served


@pytest.mark.parametrize("kind", [[], ["--rsa"]], ids=["P-256", "RSA"])
def test_certificates_that_work_until_they_are_revoked(
    served: Served, folder: Path, kind: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert init(folder, "--qmgr", "QM1", "--name", "127.0.0.1", "localhost", "--client", "alice", "bob", *kind) == 0
    shown = re.search(r"mqs://\S+", capsys.readouterr().out)
    assert shown is not None
    url = shown[0].replace(":1414", f":{served.port}")
    with served.event_loop.lock:
        manager = served.event_loop.manager
        manager.alter("QMGR", "", {"SSLKEYR": f"{folder}/QM1"})
        manager.define("CHANNEL", "APP.TLS", {"CHLTYPE": "SVRCONN", "SSLCIPH": "ANY_TLS12_OR_HIGHER"})
    libremq.connect(url).close()
    assert main(["tls", "revoke", "--folder", str(folder), "alice"]) == 0
    with pytest.raises(libremq.MQError, match="revoked"):
        libremq.connect(url)
    libremq.connect(url.replace("/alice/", "/bob/")).close()
    assert init(folder, "--client", "alice", "--renew") == 0
    libremq.connect(url).close()  # a new certificate, that is not on the list


def test_revoking_what_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(folder, "--client", "alice")
    assert main(["tls", "revoke", "--folder", str(folder), "zoe"]) != 0
    assert "zoe" in capsys.readouterr().err
    assert main(["tls", "revoke", "--folder", str(folder), "../x"]) != 0
    assert main(["tls", "revoke", "--folder", str(folder / "nowhere"), "alice"]) != 0
    assert not (folder / "alice" / "crl.pem").exists()
