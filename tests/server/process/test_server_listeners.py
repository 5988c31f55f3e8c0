"""Where a queue manager listens, and with which certificate."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_server import NAME, create

from libremq.common.configuration import Configuration, TcpSettings
from libremq.host.embedded import EmbeddedQueueManager
from libremq.server.admission.key_repository import KeyRepository
from libremq.server.process.listeners import Listening, wanted_listeners
from libremq.server.process.services import Services
from libremq.server.process.start_options import HostPort, ServerOptions
from libremq.testing.serving import served_queue_manager

LIMIT_S = 240


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedQueueManager]:
    create(tmp_path / "QM1")
    found = EmbeddedQueueManager.start(str(tmp_path / "QM1"), NAME, say=lambda text: None)
    yield found
    found.end()


def wanted(embedded: EmbeddedQueueManager, port: int = 1414, **options: object) -> tuple[bool, list[HostPort]]:
    settings = Configuration(tcp=TcpSettings(port))
    must, found = wanted_listeners(ServerOptions(NAME, "/", **options), settings, embedded)  # type: ignore[arg-type]
    return must, list(found)


def test_flags_come_before_objects_and_objects_before_qm_ini(embedded: EmbeddedQueueManager) -> None:
    assert wanted(embedded) == (False, [HostPort("127.0.0.1", 1414)])
    assert wanted(embedded, 1500) == (False, [HostPort("127.0.0.1", 1500)])
    for name, attributes in (
        ("ALL", {"CONTROL": "QMGR", "TRPTYPE": "TCP", "IPADDR": "*"}),
        ("BLANK", {"CONTROL": "QMGR", "TRPTYPE": "TCP", "PORT": 1800}),
        ("ONE", {"CONTROL": "STARTONLY", "IPADDR": "127.0.0.2", "PORT": 1600}),
        ("SAME", {"CONTROL": "QMGR", "IPADDR": "127.0.0.2", "PORT": 1600}),
        ("BY.HAND", {"CONTROL": "MANUAL", "PORT": 1700}),
    ):
        embedded.admin(lambda n=name, a=attributes: embedded.manager.define("LISTENER", n, a))  # type: ignore[misc]
    must, found = wanted(embedded, 1500)
    expected = [HostPort("", 1414), HostPort("127.0.0.1", 1800), HostPort("127.0.0.2", 1600)]
    assert (must, sorted(found)) == (False, expected)
    asked = (HostPort("", 0), HostPort("::1", 9))
    assert wanted(embedded, listen=asked) == (True, list(asked))
    assert wanted(embedded, no_listener=True) == (False, [])


def make_certificate(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", str(folder / "key"), "-out", str(folder / "crt")],
        check=True, capture_output=True,
    )  # fmt: skip
    (folder / "cert.pem").write_bytes((folder / "key").read_bytes() + (folder / "crt").read_bytes())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
def test_the_certificate_is_found_and_renewed(embedded: EmbeddedQueueManager, tmp_path: Path) -> None:
    said: list[str] = []
    folder = tmp_path / "QM1"
    repository = KeyRepository(embedded.manager, str(folder), said.append)
    assert repository.context() is None
    make_certificate(folder / "ssl")
    first = repository.context()
    assert isinstance(first, ssl.SSLContext), said
    assert repository.context() is first
    make_certificate(folder / "ssl")
    second = repository.context()
    assert second is not None and second is not first
    assert said == []
    embedded.admin(lambda: embedded.manager.alter("QMGR", "", {"SSLKEYR": str(tmp_path / "keys")}))
    assert (repository.context(), repository.context()) == (second, second)  # what worked goes on
    assert len(said) == 1 and said[0].startswith(f"AMQ9660E: The key repository {tmp_path}/keys cannot be used: ")
    make_certificate(tmp_path / "keys")
    shutil.copy(tmp_path / "keys" / "crt", tmp_path / "keys" / "trust.pem")
    third = repository.context()
    assert third is not None and third.verify_mode == ssl.CERT_OPTIONAL


def test_ports_are_told_while_listeners_come_and_go(tmp_path: Path) -> None:
    """Commands are carried out beside the loop that closes the sockets."""
    over = threading.Event()
    troubles: list[BaseException] = []
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        event_loop, own = served.event_loop, served.port

        def look() -> None:
            while not over.is_set():
                try:
                    assert own in event_loop.ports
                except BaseException as error:
                    troubles.append(error)
                    return

        threads = [threading.Thread(target=look) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(300):
                start = asyncio.run_coroutine_threadsafe(event_loop.listen_tcp("127.0.0.1", 0), event_loop.loop)
                port = start.result(LIMIT_S)
                assert port in event_loop.ports
                served.in_loop(lambda port=port: event_loop.stop_listening_on(port))
                assert port not in event_loop.ports
        finally:
            over.set()
            for thread in threads:
                thread.join(LIMIT_S)
    assert troubles == []


@pytest.mark.parametrize(("given", "waiting"), [(7, 7), (0, 100)])
def test_so_many_may_wait_to_be_accepted_as_backlog_says(tmp_path: Path, given: int, waiting: int) -> None:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        event_loop = served.event_loop
        served.embedded.admin(lambda: served.embedded.manager.define("LISTENER", "ONE", {"BACKLOG": given}))
        address = HostPort("127.0.0.1", 0)

        async def listen() -> int:
            services = Services(lambda text: None, lambda name, error: None)
            listening = Listening(event_loop, services, lambda text: None, lambda: None)
            await listening.start([address], must=True, names={address: "ONE"})
            (port,) = [state.port for state in listening.states().values()]
            (found,) = [one for one, of in event_loop._sockets.items() if of == port]
            size = struct.unpack_from("I", found.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 28)[0]
            await listening.stop_one(address)
            return int(size)

        assert served.run(listen()) == waiting
