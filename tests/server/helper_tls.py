"""Certificates for tests: an authority, and key repositories with what it issues."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import libremq
from libremq.common.tls.tls_authority import Authority, Issued
from libremq.mqi.errors import MQError
from libremq.server.admission.key_repository import KeyRepository
from libremq.testing.serving import Served, served_queue_manager

QUEUE, SECURE, MUTUAL, PLAIN = "TLS.Q", "SECURE.SVRCONN", "MUTUAL.SVRCONN", "SYSTEM.DEF.SVRCONN"
HOSTS = ["127.0.0.1", "qm1.example"]


class Site:
    """A queue manager with a key repository, and the authority whose certificates count there."""

    def __init__(
        self, served: Served, keys: KeyRepository, authority: Authority, folder: Path, said: list[str]
    ) -> None:
        self.served = served
        self.keys = keys
        self.authority = authority
        self.folder = folder
        self.said = said

    @property
    def repository(self) -> Path:
        return Path(self.served.event_loop.folder, "ssl")

    def define(self, kind: str, name: str, **attributes: Any) -> None:
        with self.served.event_loop.lock:
            self.served.event_loop.manager.define(kind, name, attributes, replace=True)

    def alter_qmgr(self, **attributes: Any) -> None:
        with self.served.event_loop.lock:
            self.served.event_loop.manager.alter("QMGR", "", attributes)

    def client(self, issued: Issued | None = None, **keys: object) -> str:
        """The URL of a client with this certificate, that trusts the authority."""
        found: dict[str, object] = {"channel": MUTUAL, "ca": write(self.folder / "ca.pem", self.authority)}
        if issued is not None:
            found["cert"] = write(self.folder / f"{issued.certificate.serial_number:x}.pem", issued)
        return self.served.url("mqs", **{**found, **keys})

    def heard(self, number: str, *words: str) -> bool:
        """Is there a line in the error log with this number and these words?"""
        return any(number in text and all(word in text for word in words) for text in self.said)


def write(path: Path, what: Authority | Issued | bytes) -> str:
    data = what.own.certificate_pem if isinstance(what, Authority) else what.pem if isinstance(what, Issued) else what
    path.write_bytes(data)
    return str(path)


def long_ago(days: int = 100) -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)


@contextmanager
def tls_site(folder: Path, authority: Authority, own: Issued) -> Iterator[Site]:
    said: list[str] = []
    data = folder / "libremq"
    with served_queue_manager(folder=data, tls=lambda: keys.context(), say=said.append) as served:
        keys = KeyRepository(served.event_loop.manager, served.event_loop.folder, said.append)
        site = Site(served, keys, authority, folder, said)
        site.repository.mkdir(exist_ok=True)
        write(site.repository / "trust.pem", authority)
        write(site.repository / "cert.pem", own)
        site.define("QLOCAL", QUEUE)
        site.define("CHANNEL", SECURE, CHLTYPE="SVRCONN", SSLCIPH="ANY_TLS12_OR_HIGHER", SSLCAUTH="OPTIONAL")
        site.define("CHANNEL", MUTUAL, CHLTYPE="SVRCONN", SSLCIPH="ANY_TLS12_OR_HIGHER")
        yield site


def refused(url: str) -> MQError:
    with pytest.raises(MQError) as caught:
        libremq.connect(url).close()
    return caught.value


def check_works(url: str) -> None:
    libremq.connect(url).close()
