"""TLS contexts: real handshakes between two ends in memory, and what is refused before any."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from libremq import MQError
from libremq.common.tls import cipher_specs, tls_context
from libremq.common.tls.tls_channel_names import from_server_name, to_server_name
from libremq.common.tls.tls_context import client_context, server_context
from libremq.common.tls.tls_options import TLSOptions, check_cipher
from libremq.mqi import constants as C

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="certificates are made with the openssl command")


def openssl(*arguments: str) -> None:
    assert OPENSSL is not None
    subprocess.run([OPENSSL, *arguments], check=True, capture_output=True, timeout=240)


def make_certificate(folder: Path, name: str, subject: str, alternative: str = "") -> None:
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr",
            "-subj", subject)  # fmt: skip
    extensions = folder / f"{name}.ext"
    extensions.write_text(f"subjectAltName={alternative}\n" if alternative else "basicConstraints=CA:FALSE\n")
    openssl("x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/ca.pem", "-CAkey", f"{folder}/ca.key",
            "-CAcreateserial", "-days", "30", "-out", f"{folder}/{name}.pem", "-extfile", str(extensions))  # fmt: skip


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pki")
    for name in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/{name}.key", "-out",
                f"{folder}/{name}.pem", "-days", "30", "-subj", f"/CN={name}")  # fmt: skip
    make_certificate(folder, "server", "/C=DE/O=Example/OU=Inner/OU=Outer/CN=QM1", "DNS:qm1.example,IP:127.0.0.1")
    make_certificate(folder, "client", "/CN=alice")
    openssl("rsa", "-in", f"{folder}/client.key", "-aes128", "-passout", "pass:opensesame", "-out",
            f"{folder}/locked.key")  # fmt: skip
    (folder / "both.pem").write_bytes((folder / "client.pem").read_bytes() + (folder / "client.key").read_bytes())
    return folder


def shake_hands(client: tuple[ssl.SSLContext, str], server: ssl.SSLContext) -> tuple[ssl.SSLObject, ssl.SSLObject]:
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client[0].wrap_bio(to_client, to_server, server_hostname=client[1])
    theirs = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(10):
        done = 0
        for end in (ours, theirs):
            try:
                end.do_handshake()
                done += 1
            except ssl.SSLWantReadError:
                pass
        if done == 2:
            return ours, theirs
    raise AssertionError("the handshake does not end")


def make_server(pki: Path, **options: Any) -> ssl.SSLContext:
    return server_context(f"{pki}/server.pem", f"{pki}/server.key", **options)


@needs_openssl
def test_a_client_trusts_a_server_with_the_right_name(pki: Path) -> None:
    client = client_context(TLSOptions(ca=f"{pki}/ca.pem"), "qm1.example")
    ours, _ = shake_hands(client, make_server(pki))
    assert ours.version() == "TLSv1.3"
    shake_hands(client_context(TLSOptions(ca=f"{pki}/ca.pem"), "127.0.0.1"), make_server(pki))
    named = TLSOptions(ca=f"{pki}/ca.pem", server_name="qm1.example")
    assert client_context(named, "10.0.0.1")[1] == "qm1.example"
    shake_hands(client_context(named, "10.0.0.1"), make_server(pki))


@needs_openssl
def test_a_client_does_not_trust_another_name_or_authority(pki: Path) -> None:
    for options, host in (
        (TLSOptions(ca=f"{pki}/ca.pem"), "qm2.example"),
        (TLSOptions(ca=f"{pki}/other.pem"), "qm1.example"),
        (TLSOptions(ca=f"{pki}/other.pem", verify="ca"), "qm1.example"),
        (TLSOptions(), "qm1.example"),
    ):
        with pytest.raises(ssl.SSLCertVerificationError):
            shake_hands(client_context(options, host), make_server(pki))
    shake_hands(client_context(TLSOptions(ca=f"{pki}/ca.pem", verify="ca"), "qm2.example"), make_server(pki))
    shake_hands(client_context(TLSOptions(verify="no"), "qm2.example"), make_server(pki))


@needs_openssl
def test_a_server_that_requires_certificates(pki: Path) -> None:
    server = make_server(pki, ca=f"{pki}/ca.pem", require_client=True)
    trusting = TLSOptions(ca=f"{pki}/ca.pem", cipher="ANY_TLS12")  # in TLS 1.3 a client learns it only afterwards
    with pytest.raises(ssl.SSLError):
        shake_hands(client_context(trusting, "qm1.example"), server)
    for certificate, key in ((f"{pki}/client.pem", f"{pki}/client.key"), (f"{pki}/both.pem", "")):
        known = TLSOptions(ca=f"{pki}/ca.pem", certificate=certificate, key=key)
        _, theirs = shake_hands(client_context(known, "qm1.example"), server)
        peer = theirs.getpeercert()
        assert peer is not None
        assert peer["subject"] == ((("commonName", "alice"),),)
    optional = make_server(pki, ca=f"{pki}/ca.pem")
    _, theirs = shake_hands(client_context(trusting, "qm1.example"), optional)
    assert not theirs.getpeercert()


@needs_openssl
@pytest.mark.parametrize(
    ("spec", "version", "suite"),
    [
        ("ANY_TLS12", "TLSv1.2", ""),
        ("ANY_TLS13", "TLSv1.3", ""),
        ("ANY_TLS13_OR_HIGHER", "TLSv1.3", ""),
        ("ECDHE_RSA_AES_128_GCM_SHA256", "TLSv1.2", "ECDHE-RSA-AES128-GCM-SHA256"),
        ("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "TLSv1.2", "ECDHE-RSA-AES256-SHA384"),
        ("TLS_RSA_WITH_AES_256_GCM_SHA384", "TLSv1.2", "AES256-GCM-SHA384"),
        ("TLS_AES_256_GCM_SHA384", "TLSv1.3", ""),
    ],
)
def test_a_cipher_spec_decides_what_is_spoken(pki: Path, spec: str, version: str, suite: str) -> None:
    secured = TLSOptions(ca=f"{pki}/ca.pem", cipher=spec)
    for client, server in (
        (client_context(secured, "qm1.example"), make_server(pki, cipher="ANY")),
        (client_context(TLSOptions(ca=f"{pki}/ca.pem"), "qm1.example"), make_server(pki, cipher=spec)),
    ):
        if suite in ("ECDHE-RSA-AES256-SHA384", "AES256-GCM-SHA384"):  # not among those a context offers by itself
            server = make_server(pki, cipher=spec)
            client = client_context(secured, "qm1.example")
        ours, _ = shake_hands(client, server)
        cipher = ours.cipher()
        assert cipher is not None
        assert ours.version() == version
        assert suite in ("", cipher[0])


@needs_openssl
def test_ends_that_have_no_version_in_common_do_not_talk(pki: Path) -> None:
    client = client_context(TLSOptions(ca=f"{pki}/ca.pem", cipher="ANY_TLS13"), "qm1.example")
    with pytest.raises(ssl.SSLError):
        shake_hands(client, make_server(pki, cipher="ANY_TLS12"))


def test_every_cipher_spec_can_be_used() -> None:
    for name in cipher_specs.cipher_spec_names():
        assert check_cipher(name.lower()) == name
        context, _ = client_context(TLSOptions(verify="no", cipher=name), "h")
        assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("name", [*cipher_specs.WEAK, "TLS_AES_129_GCM_SHA256", "ALL:@SECLEVEL=0", "x" * 500])
def test_a_cipher_that_is_not_spoken(name: str) -> None:
    with pytest.raises(MQError) as caught:
        check_cipher(name)
    assert caught.value.reason == C.MQRC_UNSUPPORTED_CIPHER_SUITE
    assert "ANY_TLS12_OR_HIGHER" in caught.value.detail


@needs_openssl
def test_files_that_cannot_be_used_are_named(pki: Path) -> None:
    (pki / "rubbish.pem").write_text("hello")
    attempts: list[tuple[Callable[[], object], str]] = [
        (lambda: client_context(TLSOptions(ca="/nowhere/ca.pem"), "h"), "/nowhere/ca.pem: No such file"),
        (lambda: client_context(TLSOptions(ca=f"{pki}/rubbish.pem"), "h"), "does not hold certificates"),
        (lambda: server_context("/nowhere/s.pem"), "/nowhere/s.pem: No such file"),
        (lambda: server_context(f"{pki}/server.pem", "/nowhere/s.key"), "/nowhere/s.key: No such file"),
        (lambda: server_context(f"{pki}/server.pem", f"{pki}/client.key"), "is not that of the certificate"),
        (lambda: server_context(f"{pki}/server.pem"), "does not hold a certificate and its key"),
        (lambda: server_context(f"{pki}/rubbish.pem", f"{pki}/server.key"), "rubbish.pem"),
        (lambda: server_context(""), "needs a certificate"),
        (lambda: server_context(str(pki)), "Is a directory"),
    ]
    for attempt, says in attempts:
        with pytest.raises(MQError, match=says) as caught:
            attempt()
        assert caught.value.reason == C.MQRC_KEY_REPOSITORY_ERROR


@needs_openssl
def test_a_key_with_a_password_never_asks_the_terminal(pki: Path) -> None:
    certificate, key = f"{pki}/client.pem", f"{pki}/locked.key"
    with pytest.raises(MQError, match="none was given"):
        client_context(TLSOptions(certificate=certificate, key=key, verify="no"), "h")
    with pytest.raises(MQError, match="not that of the key") as caught:
        client_context(TLSOptions(certificate=certificate, key=key, key_password="wrong", verify="no"), "h")
    assert "wrong" not in str(caught.value)
    client_context(TLSOptions(certificate=certificate, key=key, key_password="opensesame", verify="no"), "h")


def test_settings_that_contradict_each_other() -> None:
    for options in (
        TLSOptions(verify="maybe"),
        TLSOptions(key="/x.pem"),
        TLSOptions(verify="no", peer_name="CN=QM1"),
    ):
        with pytest.raises(MQError) as caught:
            client_context(options, "h")
        assert caught.value.reason == C.MQRC_SSL_CONFIG_ERROR


@needs_openssl
def test_a_server_that_requires_certificates_must_know_authorities(pki: Path) -> None:
    with pytest.raises(MQError, match="which authorities count") as caught:
        make_server(pki, require_client=True)
    assert caught.value.reason == C.MQRC_SSL_CONFIG_ERROR


# Key repositories


@needs_openssl
def test_a_key_repository_is_a_folder_or_a_file(pki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQKEYRPWD", "pw")
    ca, own = (pki / "ca.pem").read_bytes(), (pki / "both.pem").read_bytes()
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "trust.pem").write_bytes(ca)
    options = tls_context.from_key_repository(str(folder), cipher="ANY_TLS13")
    assert options == TLSOptions(ca=f"{folder}/trust.pem", key_password="pw", verify="ca", cipher="ANY_TLS13")
    (folder / "cert.pem").write_bytes(own)
    assert tls_context.from_key_repository(str(folder), cipher="ANY").certificate == f"{folder}/cert.pem"
    with pytest.raises(MQError, match=r"no .*/keys/mine.pem"):
        tls_context.from_key_repository(str(folder), cipher="ANY", label="mine")
    (folder / "mine.pem").write_bytes(own)
    assert tls_context.from_key_repository(str(folder), cipher="ANY", label="mine").certificate == f"{folder}/mine.pem"
    assert (
        tls_context.from_key_repository(str(folder), cipher="ANY", label="../keys/mine").certificate
        == f"{folder}/mine.pem"
    )

    (tmp_path / "ca-only.pem").write_bytes(ca)
    (tmp_path / "all.pem").write_bytes(own + ca)
    alone = tls_context.from_key_repository(f"{tmp_path}/ca-only.pem", cipher="ANY")
    assert (alone.ca, alone.certificate) == (f"{tmp_path}/ca-only.pem", "")
    whole = tls_context.from_key_repository(f"{tmp_path}/all", cipher="ANY")  # MQ leaves the ending out
    assert (whole.ca, whole.certificate, whole.verify) == (f"{tmp_path}/all.pem", f"{tmp_path}/all.pem", "ca")
    server = make_server(pki, ca=f"{pki}/ca.pem", require_client=True)
    shake_hands(client_context(whole, "another.example"), server)


def test_key_repositories_of_other_kinds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "key.kdb").write_bytes(b"\0\1")
    for path, label, says in (
        (f"{tmp_path}/key", "", "export it to PEM"),
        (f"{tmp_path}/key.kdb", "", "no PEM file"),
        (f"{tmp_path}/none", "", "there is none"),
        ("", "mine", "MQSSLKEYR"),
    ):
        with pytest.raises(MQError, match=says) as caught:
            tls_context.from_key_repository(path, cipher="ANY", label=label)
        assert caught.value.reason == C.MQRC_KEY_REPOSITORY_ERROR
    assert tls_context.from_key_repository("", cipher="ANY").verify == "full"


# Channel names in TLS


def test_channel_names_as_server_names() -> None:
    for channel, name in (
        ("TO.QMGR1", "to2e-qmgr1.chl.mq.ibm.com"),
        ("to.qmgr1", "74-6f-2e-71-6d-67-72-1.chl.mq.ibm.com"),
        ("A%/_2E", "a25-2f-5f-2e.chl.mq.ibm.com"),
    ):
        assert to_server_name(channel) == name
        assert from_server_name(name) == from_server_name(name.upper()) == channel
    for other in (None, "", "qm1.example", ".chl.mq.ibm.com", "a-b.chl.mq.ibm.com", "é.chl.mq.ibm.com", "a" * 99):
        assert from_server_name(other) == ""


def test_a_client_names_its_channel_where_the_host_does_not_count() -> None:
    assert client_context(TLSOptions(verify="ca"), "host", "APP")[1] == "app.chl.mq.ibm.com"
    assert client_context(TLSOptions(), "host", "APP")[1] == "host"
    assert client_context(TLSOptions(verify="ca", server_name="x"), "host", "APP")[1] == "x"
