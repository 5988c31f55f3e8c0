"""TLS end to end: a queue manager with a certificate, clients that trust it or not, and channels that insist on it."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from helper_peers import Peer, wait_until

import libremq
from libremq.common.tls.tls_context import server_context
from libremq.common.users_file import set_password
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.admission.key_repository import KeyRepository
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import session_flows
from libremq.wire.protocol import Status, Type
from libremq.wire.segments import frame_plain

OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="certificates are made with the openssl command")
QUEUE, SECURE = "TLS.Q", "SECURE.SVRCONN"


def openssl(*arguments: str) -> None:
    assert OPENSSL is not None
    subprocess.run([OPENSSL, *arguments], check=True, capture_output=True, timeout=240)


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two authorities; certificates of the first for the queue manager and for a client, one of the second."""
    folder = tmp_path_factory.mktemp("pki")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("ca", "other"):
        openssl("req", "-x509", *key, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem", "-days", "30",
                "-subj", f"/CN={name}")  # fmt: skip
    for name, authority in (("server", "ca"), ("client", "ca"), ("stranger", "other")):
        openssl("req", *key, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr", "-subj", f"/CN={name}")
        (folder / f"{name}.ext").write_text("subjectAltName=IP:127.0.0.1,DNS:qm1.example\n")
        openssl("x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/{authority}.pem", "-CAkey",
                f"{folder}/{authority}.key", "-CAcreateserial", "-days", "30", "-out", f"{folder}/{name}.pem",
                "-extfile", f"{folder}/{name}.ext")  # fmt: skip
    return folder


def serving(folder: Path, context: ssl.SSLContext | None, said: list[str]) -> AbstractContextManager[Served]:
    return served_queue_manager(folder=folder / "libremq", tls=lambda: context, say=said.append)


def define(served: Served) -> None:
    with libremq.connect(served.url("local")) as qm:
        qm.define_local(QUEUE)
        qm.define("CHANNEL", SECURE, CHLTYPE="SVRCONN", SSLCIPH="ANY_TLS12_OR_HIGHER", SSLCAUTH="OPTIONAL")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, pki: Path, said: list[str]) -> Iterator[Served]:
    context = server_context(f"{pki}/server.pem", f"{pki}/server.key")
    with serving(tmp_path, context, said) as served:
        define(served)
        yield served


def refused(url: str) -> MQError:
    with pytest.raises(MQError) as caught:
        libremq.connect(url).queue(QUEUE).depth  # noqa: B018
    return caught.value


def check_works(url: str) -> None:
    with libremq.connect(url) as qm, qm.queue(QUEUE) as queue:
        data = bytes(range(256)) * 4000  # many records of TLS
        queue.put(data)
        queue.put_many([b"one", b"two"])
        assert queue.get().data == data
        assert [message.data for message in queue.get_many(5)] == [b"one", b"two"]


def test_a_client_that_trusts_the_authority(served: Served, pki: Path) -> None:
    check_works(served.url("mqs", ca=f"{pki}/ca.pem", channel=SECURE))


def test_both_are_served_on_one_port(served: Served, pki: Path) -> None:
    check_works(served.url("mq"))
    check_works(served.url("mqs", ca=f"{pki}/ca.pem", channel=SECURE))


@pytest.mark.parametrize("keys", [{"ca": "other.pem"}, {}], ids=["another authority", "those of the system"])
def test_a_client_that_does_not_trust_it(served: Served, pki: Path, keys: dict[str, str], said: list[str]) -> None:
    found = {name: f"{pki}/{value}" for name, value in keys.items()}
    assert refused(served.url("mqs", channel=SECURE, **found)).reason == C.MQRC_SSL_INITIALIZATION_ERROR
    wait_until(lambda: served.event_loop.sockets == 0)
    check_works(served.url("mq"))


def test_a_certificate_for_another_host(served: Served, pki: Path) -> None:
    url = served.url("mqs", ca=f"{pki}/ca.pem", server_name="elsewhere.example")
    assert refused(url).reason == C.MQRC_SSL_INITIALIZATION_ERROR
    check_works(served.url("mqs", ca=f"{pki}/ca.pem", server_name="qm1.example", channel=SECURE))


def test_the_name_in_the_certificate(served: Served, pki: Path) -> None:
    check_works(served.url("mqs", ca=f"{pki}/ca.pem", peer_name="CN=server", channel=SECURE))
    error = refused(served.url("mqs", ca=f"{pki}/ca.pem", peer_name="CN=somebody"))
    assert error.reason == C.MQRC_SSL_PEER_NAME_MISMATCH


def test_a_plain_client_on_a_channel_that_wants_tls(served: Served) -> None:
    error = refused(served.url("mq", channel=SECURE))
    assert error.reason == C.MQRC_SSL_INITIALIZATION_ERROR and "mqs://" in error.detail
    with Peer(served.port, channel=SECURE) as peer, pytest.raises(AssertionError):
        peer.negotiate()
    wait_until(lambda: served.event_loop.sockets == 0)


def test_the_status_that_a_plain_client_is_refused_with(served: Served) -> None:
    with Peer(served.port, channel=SECURE) as peer:
        peer.send(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(session_flows.InitialData(SECURE))))
        assert session_flows.unpack_status(peer.answer().body) == Status.CIPHER_SPEC


def test_a_client_with_tls_and_a_queue_manager_without_a_certificate(tmp_path: Path, pki: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, None, said) as served:
        define(served)
        error = refused(served.url("mqs", ca=f"{pki}/ca.pem"))
        assert error.reason == C.MQRC_SSL_INITIALIZATION_ERROR and "certificate" in error.detail
        assert any("AMQ9635E" in text for text in said)
        check_works(served.url("mq"))


def test_clients_that_must_show_a_certificate(tmp_path: Path, pki: Path) -> None:
    context = server_context(f"{pki}/server.pem", f"{pki}/server.key", f"{pki}/ca.pem", True)
    said: list[str] = []
    with serving(tmp_path, context, said) as served:
        define(served)
        good = {"cert": f"{pki}/client.pem", "key": f"{pki}/client.key"}
        check_works(served.url("mqs", ca=f"{pki}/ca.pem", channel=SECURE, **good))
        for keys, why in (
            ({}, "it wants a certificate"),
            ({"cert": f"{pki}/stranger.pem", "key": f"{pki}/stranger.key"}, "it does not trust"),
        ):
            error = refused(served.url("mqs", ca=f"{pki}/ca.pem", channel=SECURE, **keys))
            assert error.reason == C.MQRC_SSL_INITIALIZATION_ERROR and why in error.detail
        wait_until(lambda: any("AMQ9654E" in text for text in said), "the error log says so")
        wait_until(lambda: served.event_loop.sockets == 0)


def test_the_key_repository_of_a_queue_manager(tmp_path: Path, pki: Path) -> None:
    """The folder `ssl` beside its data; a certificate that is renewed there is used for the next client."""
    with served_queue_manager(folder=tmp_path / "libremq", tls=lambda: keys.context()) as served:
        keys = KeyRepository(served.event_loop.manager, served.event_loop.folder, lambda text: None)
        define(served)
        assert refused(served.url("mqs", ca=f"{pki}/ca.pem")).reason == C.MQRC_SSL_INITIALIZATION_ERROR
        folder = Path(served.event_loop.folder, "ssl")
        folder.mkdir()
        for name, authority in (("server", "ca"), ("stranger", "other")):
            pem = (pki / f"{name}.pem").read_bytes() + (pki / f"{name}.key").read_bytes()
            (folder / "cert.pem").write_bytes(pem + b"\n" * len(name))
            check_works(served.url("mqs", ca=f"{pki}/{authority}.pem", channel=SECURE))


def test_users_and_passwords_inside_tls(served: Served, pki: Path) -> None:
    set_password(served.event_loop.manager.core.files, served.event_loop.folder, "app", "secret")
    url = served.url("mqs", ca=f"{pki}/ca.pem", channel=SECURE)
    check_works(url.replace("mqs://", "mqs://app:secret@"))
    assert refused(url.replace("mqs://", "mqs://app:guess@")).reason == C.MQRC_NOT_AUTHORIZED


@pytest.mark.parametrize("sent", [b"\x16", b"\x16\x03\x01\x02\x00\x01\x00", b"\x16not at all TLS" * 100])
def test_who_does_not_end_the_handshake_is_shown_out(served: Served, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=240) as stuck:
        stuck.sendall(sent)
        check_works(served.url("mq"))
    # With a short limit from here on: nobody who ends the handshake comes any more
    served.event_loop.limits = replace(served.event_loop.limits, handshake_s=0.5)
    with socket.create_connection(("127.0.0.1", served.port), timeout=240) as stuck:
        stuck.sendall(sent)
        try:
            while stuck.recv(4096):
                pass
        except ConnectionResetError:
            pass
    wait_until(lambda: served.event_loop.sockets == 0)


def test_many_threads_share_one_secure_socket(served: Served, pki: Path) -> None:
    """Some read while others write: TLS itself cannot, so the client has to see to it."""
    with libremq.connect(served.url("mqs", ca=f"{pki}/ca.pem", channel=SECURE)) as qm:
        wrong: list[object] = []

        def work(number: int) -> None:
            queue = qm.queue(QUEUE)
            correlation = b"%024d" % number
            for turn in range(40):
                data = b"%d" % turn * (1 + 997 * turn)
                queue.put(data, correlation_id=correlation, persistent=False)
                found = queue.get(wait=30, correlation_id=correlation)
                if found.data != data:
                    wrong.append((number, turn))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not wrong and not any(thread.is_alive() for thread in threads)
        assert qm.queue(QUEUE).depth == 0
