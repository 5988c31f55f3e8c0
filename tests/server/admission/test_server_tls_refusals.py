"""Who does not get in with TLS: each hears why, and the error log says it too."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_peers import wait_until
from helper_tls import HOSTS, MUTUAL, PLAIN, SECURE, Site, check_works, long_ago, refused, tls_site, write

import libremq
from libremq import aio
from libremq.common.tls.tls_authority import Authority, Issued
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import unpack_message

AUTHORITY, OTHER = Authority.create(), Authority.create((("CN", "somebody else"),))
OWN = AUTHORITY.issue([("O", "Example"), ("CN", "QM1")], hosts=HOSTS)
ALICE = AUTHORITY.issue([("O", "Example"), ("OU", "Trade"), ("OU", "Desk"), ("CN", "alice")])
BOB = AUTHORITY.issue([("CN", "bob")])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with tls_site(tmp_path_factory.mktemp("site"), AUTHORITY, OWN) as site:
        yield site


@pytest.fixture(autouse=True)
def silence(site: Site) -> None:
    wait_until(lambda: site.served.event_loop.sockets == 0)
    site.said.clear()


def check_refused(site: Site, url: str, why: str, number: str, *words: str) -> None:
    """The client hears 2393 and why; the log has the number and the words; nothing is left open."""
    error = refused(url)
    assert error.reason == C.MQRC_SSL_INITIALIZATION_ERROR
    assert why in error.detail
    wait_until(lambda: site.heard(number, *words), f"{number} with {words}")
    wait_until(lambda: site.served.event_loop.sockets == 0)


def test_a_client_with_a_good_certificate(site: Site) -> None:
    for cipher in ("ANY_TLS12", "ANY_TLS13"):
        check_works(site.client(ALICE, cipher=cipher))
        check_works(site.client(channel=SECURE, cipher=cipher))
    assert not site.said


@pytest.mark.parametrize("cipher", ["ANY_TLS12", "ANY_TLS13"])
@pytest.mark.parametrize(
    ("shown", "why", "logged"),
    [
        (OTHER.issue([("CN", "alice")]), "does not trust", "not trusted"),
        (AUTHORITY.issue([("CN", "alice")], begins=long_ago(), days=10), "has expired", "has expired"),
        (AUTHORITY.issue([("CN", "alice")], begins=long_ago(-10)), "does not accept our certificate", "not valid yet"),
    ],
    ids=["another authority", "expired", "not yet valid"],
)
def test_a_client_with_a_bad_certificate(site: Site, shown: Issued, why: str, logged: str, cipher: str) -> None:
    check_refused(site, site.client(shown, cipher=cipher), why, "AMQ9654E", "127.0.0.1", logged)
    check_refused(site, site.client(shown, cipher=cipher, channel=SECURE), why, "AMQ9654E", logged)


@pytest.mark.parametrize("cipher", ["ANY_TLS12", "ANY_TLS13"])
def test_a_client_without_a_certificate(site: Site, cipher: str) -> None:
    check_refused(site, site.client(cipher=cipher), "SSLCAUTH(REQUIRED)", "AMQ9637E", MUTUAL, "127.0.0.1")


def test_a_client_that_sslpeer_does_not_accept(site: Site) -> None:
    name = "PEER.SVRCONN"
    site.define("CHANNEL", name, CHLTYPE="SVRCONN", SSLCIPH="ANY", SSLPEER="CN=al*,OU=Trade,OU=*,O=Example")
    check_works(site.client(ALICE, channel=name))
    check_refused(site, site.client(BOB, channel=name), "SSLPEER", "AMQ9636E", name, "CN=bob")
    site.define("CHANNEL", name, CHLTYPE="SVRCONN", SSLCIPH="ANY", SSLPEER="CN=alice", SSLCAUTH="OPTIONAL")
    check_refused(site, site.client(channel=name), "SSLPEER", "AMQ9636E", name, "no certificate")


def test_plain_text_on_a_channel_with_tls(site: Site) -> None:
    check_refused(site, site.served.url("mq", channel=SECURE), "mqs://", "AMQ9639E", SECURE, "127.0.0.1")


def test_tls_on_a_channel_without(site: Site) -> None:
    check_refused(site, site.client(ALICE, channel=PLAIN), "SSLCIPH is blank", "AMQ9641E", PLAIN)


def test_another_cipher_than_that_of_the_channel(site: Site) -> None:
    spec, name = "ECDHE_ECDSA_AES_128_GCM_SHA256", "CIPHER.SVRCONN"
    site.define("CHANNEL", name, CHLTYPE="SVRCONN", SSLCIPH=spec)
    check_works(site.client(ALICE, channel=name, cipher=spec))
    for cipher in ("ANY_TLS13", "ECDHE_ECDSA_AES_256_GCM_SHA384", "ANY_TLS12"):
        check_refused(site, site.client(ALICE, channel=name, cipher=cipher), "CipherSpec", "AMQ9631E", name, spec)
        site.said.clear()
    site.define("CHANNEL", name, CHLTYPE="SVRCONN", SSLCIPH="ANY_TLS13_OR_HIGHER")
    check_refused(site, site.client(ALICE, channel=name, cipher="ANY_TLS12"), "CipherSpec", "AMQ9631E", "ANY_TLS13_OR")


def test_a_cipher_that_the_certificate_cannot_serve(site: Site) -> None:
    url = site.client(ALICE, cipher="ECDHE_RSA_AES_256_GCM_SHA384")  # the key of the queue manager is not RSA
    check_refused(site, url, "no cipher in common", "AMQ9633E", "no cipher that both ends have")


@pytest.mark.parametrize(
    ("keys", "why", "logged"),
    [
        ({"ca": OTHER}, "its authority is not trusted", "does not trust"),
        ({"server_name": "other.example"}, "another host", "does not accept our certificate"),
    ],
    ids=["another authority", "another host"],
)
def test_a_client_that_does_not_trust_the_queue_manager(
    site: Site, keys: dict[str, object], why: str, logged: str
) -> None:
    found = {key: write(site.folder / "x.pem", it) if isinstance(it, Authority) else it for key, it in keys.items()}
    check_refused(site, site.client(ALICE, **found), why, "AMQ9665E", "127.0.0.1", logged)


def test_a_client_that_expects_another_queue_manager(site: Site) -> None:
    check_works(site.client(ALICE, peer_name="CN=QM1,O=Example"))
    error = refused(site.client(ALICE, peer_name="CN=QM2"))
    assert error.reason == C.MQRC_SSL_PEER_NAME_MISMATCH and "CN=QM1" in error.detail


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_an_old_version_of_tls(site: Site, version: ssl.TLSVersion) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    with socket.create_connection(("127.0.0.1", site.served.port), timeout=30) as plain:
        with pytest.raises(ssl.SSLError) as caught:
            context.wrap_socket(plain)
        assert caught.value.reason == "TLSV1_ALERT_PROTOCOL_VERSION"
    wait_until(lambda: site.heard("AMQ9633E", "TLS 1.2 is the least"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("weak", ["NULL-SHA256", "ECDHE-ECDSA-NULL-SHA", "AES128-SHA", "ADH-AES128-GCM-SHA256"])
def test_a_weak_cipher(site: Site, weak: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{weak}:@SECLEVEL=0")
    with socket.create_connection(("127.0.0.1", site.served.port), timeout=30) as plain:
        with pytest.raises(ssl.SSLError) as caught:
            context.wrap_socket(plain)
        assert caught.value.reason == "SSLV3_ALERT_HANDSHAKE_FAILURE"
    wait_until(lambda: site.heard("AMQ9633E", "no cipher that both ends have"))


def test_a_client_that_goes_away_in_the_handshake(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.served.port), timeout=30) as plain:
        plain.sendall(b"\x16\x03\x01\x02\x00\x01\x00")
    wait_until(lambda: site.heard("AMQ9665E", "127.0.0.1"))
    wait_until(lambda: site.served.event_loop.sockets == 0)


def test_the_asyncio_client_hears_it_too(site: Site) -> None:
    async def connect(url: str) -> MQError:
        with pytest.raises(MQError) as caught:
            await aio.connect(url)
        return caught.value

    for url, why in (
        (site.client(OTHER.issue([("CN", "alice")])), "does not trust"),
        (site.client(), "SSLCAUTH(REQUIRED)"),
        (site.client(ALICE, ca=write(site.folder / "y.pem", OTHER)), "its authority is not trusted"),
    ):
        error = asyncio.run(connect(url))
        assert error.reason == C.MQRC_SSL_INITIALIZATION_ERROR and why in error.detail


def test_events(site: Site) -> None:
    queue = "SYSTEM.ADMIN.CHANNEL.EVENT"
    site.alter_qmgr(SSLEV="ENABLED")
    for url in (
        site.client(),
        site.served.url("mq", channel=SECURE),
        site.client(OTHER.issue([("CN", "alice")])),
    ):
        refused(url)
        wait_until(lambda: site.served.event_loop.sockets == 0)
    site.alter_qmgr(SSLEV="DISABLED")
    refused(site.client())
    with libremq.connect(site.served.url("local")) as qm, qm.queue(queue) as events:
        found = [unpack_message(message.data) for message in events.get_many(10)]
    seen = []
    for header, parameters in found:
        assert header.Reason == C.MQRC_CHANNEL_SSL_ERROR
        values = {one.Parameter: getattr(one, "Value", getattr(one, "String", None)) for one in parameters}
        channel = str(values.get(C.MQCACH_CHANNEL_NAME, "")).strip()
        assert str(values[C.MQCACH_CONNECTION_NAME]).strip() == "127.0.0.1"
        seen.append((values[C.MQIACF_REASON_QUALIFIER], channel, values.get(C.MQIACH_SSL_RETURN_CODE)))
    assert seen == [
        (C.MQRQ_SSL_CLIENT_AUTH_ERROR, MUTUAL, None),
        (C.MQRQ_SSL_CIPHER_SPEC_ERROR, SECURE, None),
        (C.MQRQ_SSL_HANDSHAKE_ERROR, "", 20),
    ]


def test_the_event_loop_of_a_server_lets_the_alert_out_too(tmp_path: Path) -> None:
    uvloop = pytest.importorskip("uvloop")
    policy = asyncio.get_event_loop_policy()
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    try:
        with tls_site(tmp_path, AUTHORITY, OWN) as site:
            assert isinstance(site.served.event_loop.loop, uvloop.Loop)
            check_works(site.client(ALICE))
            stranger = site.client(OTHER.issue([("CN", "alice")]))
            for _ in range(5):
                check_refused(site, stranger, "does not trust", "AMQ9654E", "not trusted")
    finally:
        asyncio.set_event_loop_policy(policy)


def test_who_the_server_knows_a_client_as(site: Site) -> None:
    """For channel authentication: subject, issuer and serial number."""
    with libremq.connect(site.client(ALICE)):
        (link,) = site.served.in_loop(lambda: list(site.served.event_loop.links))
        peer = link.tls
        assert peer is not None
        serial = f"{ALICE.certificate.serial_number:X}"
        assert peer.subject.startswith("SERIALNUMBER=") and peer.subject.endswith(
            ",CN=alice,OU=Trade,OU=Desk,O=Example"
        )
        assert peer.subject.partition(",")[0].replace(":", "").removeprefix("SERIALNUMBER=").lstrip("0") == serial
        assert (peer.issuer, peer.version, peer.protocol) == ("CN=LibreMQ local authority", "TLSv1.3", "TLSV13")
        assert peer.cipher_spec.startswith("TLS_")
