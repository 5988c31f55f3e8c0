"""Channel SSL events of message channels: the end that calls knows its channel, also when the handshake fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_partners import Partner
from helper_tls import HOSTS, Site, tls_site, write

import libremq
from libremq.common.tls.tls_authority import Authority
from libremq.mqi import constants as C
from libremq.mqi.pcf import unpack_message
from libremq.wire.protocol import CAP1_MESSAGE_CHANNEL, CAP1_REQUESTER

AUTHORITY, OTHER = Authority.create(), Authority.create((("CN", "somebody else"),))
OWN = AUTHORITY.issue([("CN", "QM1")], hosts=HOSTS)
CHANNEL, XMITQ = "TO.ITSELF", "WAY.OUT"
CIPHER = "ANY_TLS12_OR_HIGHER"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with tls_site(tmp_path, AUTHORITY, OWN) as site:
        site.define("QLOCAL", XMITQ, USAGE="XMITQ")
        site.alter_qmgr(SSLEV="ENABLED", CHLEV="ENABLED")
        yield site


def call(site: Site, kind: str, **attributes: object) -> list[tuple[int, dict[int, object]]]:
    """Start a channel that calls in vain; the events that name it, up to that of its end."""
    way = {"CONNAME": f"127.0.0.1({site.served.port})", "SHORTRTY": 0, "LONGRTY": 0, "XMITQ": XMITQ}
    if kind == "RQSTR":
        way = {"CONNAME": way["CONNAME"]}
    site.define("CHANNEL", CHANNEL, CHLTYPE=kind, SSLCIPH=CIPHER, **{**way, **attributes})
    with site.served.event_loop.lock:
        site.served.event_loop.initiator.start(CHANNEL)
    return events(site, C.MQRC_CHANNEL_STOPPED)


def events(site: Site, last: int) -> list[tuple[int, dict[int, object]]]:
    """Those that name the channel, up to one with this reason."""
    found: list[tuple[int, dict[int, object]]] = []
    with libremq.connect(site.served.url("local")) as qm, qm.queue("SYSTEM.ADMIN.CHANNEL.EVENT") as queue:
        while not found or found[-1][0] != last:
            header, parameters = unpack_message(queue.get(wait=120).data)
            values = {one.Parameter: getattr(one, "Value", getattr(one, "String", None)) for one in parameters}
            values = {key: value.strip() if isinstance(value, str) else value for key, value in values.items()}
            if values.get(C.MQCACH_CHANNEL_NAME) == CHANNEL:
                found.append((header.Reason, values))
    return found


@pytest.mark.parametrize(
    ("trusts", "sslpeer", "qualifier"),
    [(OTHER, "", C.MQRQ_SSL_HANDSHAKE_ERROR), (AUTHORITY, "CN=SOMEBODY.ELSE", C.MQRQ_SSL_PEER_NAME_ERROR)],
)
@pytest.mark.parametrize("kind", ["SDR", "RQSTR"])
def test_the_event_names_the_channel_its_queue_and_where_it_called(
    site: Site, kind: str, trusts: Authority, sslpeer: str, qualifier: int
) -> None:
    write(site.repository / "trust.pem", trusts)
    (refused, told), (ended, last) = call(site, kind, SSLPEER=sslpeer)
    assert (refused, ended) == (C.MQRC_CHANNEL_SSL_ERROR, C.MQRC_CHANNEL_STOPPED)
    assert told[C.MQIACF_REASON_QUALIFIER] == qualifier
    assert told[C.MQCACH_CONNECTION_NAME] == f"127.0.0.1({site.served.port})"
    assert told.get(C.MQCACH_XMIT_Q_NAME) == (XMITQ if kind == "SDR" else None)
    for field in (C.MQCACH_CONNECTION_NAME, C.MQCACH_XMIT_Q_NAME):
        assert told.get(field) == last.get(field)


def test_a_server_that_is_called_names_its_queue_but_no_port(site: Site) -> None:
    site.define("CHANNEL", CHANNEL, CHLTYPE="SVR", SSLCIPH=CIPHER, XMITQ=XMITQ)
    with Partner(site.served.port) as requester:
        requester.bind(channel=CHANNEL, capabilities=(CAP1_REQUESTER | CAP1_MESSAGE_CHANNEL, 0, 0))
        requester.refused()
    ((_, told),) = events(site, C.MQRC_CHANNEL_SSL_ERROR)
    assert told[C.MQIACF_REASON_QUALIFIER] == C.MQRQ_SSL_CIPHER_SPEC_ERROR
    assert (told[C.MQCACH_XMIT_Q_NAME], told[C.MQCACH_CONNECTION_NAME]) == (XMITQ, "127.0.0.1")
