"""Key repositories that change while the queue manager runs: new certificates, revocation lists, passwords, FIPS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_peers import wait_until
from helper_tls import HOSTS, MUTUAL, SECURE, Site, check_works, refused, tls_site, write

import libremq
from libremq.common.tls import tls_context
from libremq.common.tls.tls_authority import Authority
from libremq.mqi import constants as C

AUTHORITY, OTHER = Authority.create(), Authority.create((("CN", "somebody else"),))
OWN = AUTHORITY.issue([("CN", "QM1")], hosts=HOSTS)
ALICE, BOB = AUTHORITY.issue([("CN", "alice")]), AUTHORITY.issue([("CN", "bob")])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with tls_site(tmp_path, AUTHORITY, OWN) as site:
        yield site


def test_refresh_security_takes_the_new_certificate(site: Site) -> None:
    check_works(site.client(channel=SECURE))
    with libremq.connect(site.client(channel=SECURE)) as before, before.queue("TLS.Q") as queue:
        write(site.repository / "cert.pem", OTHER.issue([("CN", "QM1")], hosts=HOSTS))
        assert site.keys.refresh() == ""
        queue.put(b"connections that are there stay")
    assert refused(site.client(channel=SECURE)).reason == C.MQRC_SSL_INITIALIZATION_ERROR
    check_works(site.client(channel=SECURE, ca=write(site.folder / "other.pem", OTHER)))


@pytest.mark.parametrize("damaged", ["cert.pem", "trust.pem", "crl.pem"])
def test_what_cannot_be_used_replaces_nothing(site: Site, damaged: str) -> None:
    check_works(site.client(ALICE))
    write(site.repository / damaged, b"rubbish")
    assert "the certificate of before stays in use" in site.keys.refresh()
    assert site.heard("AMQ9660E", damaged)
    check_works(site.client(ALICE))


def test_another_key_repository_and_label(site: Site, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(elsewhere / "trust.pem", AUTHORITY)
    write(elsewhere / "second.pem", AUTHORITY.issue([("CN", "second")], hosts=HOSTS))
    site.alter_qmgr(SSLKEYR=str(elsewhere), CERTLABL="second")
    assert site.keys.refresh() == ""
    check_works(site.client(ALICE, peer_name="CN=second"))
    site.alter_qmgr(CERTLABL="third")
    assert "third.pem" in site.keys.refresh()
    whole = OWN.pem + AUTHORITY.own.certificate_pem
    write(tmp_path / "stem.pem", whole)
    site.alter_qmgr(SSLKEYR=str(tmp_path / "stem"))
    assert site.keys.refresh() == ""
    check_works(site.client(ALICE, peer_name="CN=QM1"))


@pytest.mark.parametrize("cipher", ["ANY_TLS12", "ANY_TLS13"])
def test_a_channel_with_a_certificate_of_its_own(site: Site, cipher: str) -> None:
    name = "Own_Label.SVRCONN"
    site.define("CHANNEL", name, CHLTYPE="SVRCONN", SSLCIPH="ANY", CERTLABL="special")
    error = refused(site.client(ALICE, channel=name, verify="ca", cipher=cipher))
    assert error.reason == C.MQRC_SSL_INITIALIZATION_ERROR
    wait_until(lambda: site.heard("AMQ9642E", name, "special.pem"))
    write(site.repository / "special.pem", AUTHORITY.issue([("CN", "special")], hosts=HOSTS))
    check_works(site.client(ALICE, channel=name, verify="ca", cipher=cipher, peer_name="CN=special"))
    check_works(site.client(ALICE, verify="ca", cipher=cipher, peer_name="CN=QM1"))
    stranger = OTHER.issue([("CN", "alice")])
    assert "does not trust" in refused(site.client(stranger, channel=name, verify="ca", cipher=cipher)).detail


def test_a_key_with_a_password(site: Site) -> None:
    locked = OWN.certificate_pem + OWN.key_pem("opensesame")
    write(site.repository / "cert.pem", locked)
    assert "none was given" in site.keys.refresh()
    site.alter_qmgr(KEYRPWD="wrong")
    assert "not that of the key" in site.keys.refresh()
    site.alter_qmgr(KEYRPWD="opensesame")
    assert site.keys.refresh() == ""
    site.alter_qmgr(KEYRPWD="")
    write(site.repository / "cert.pwd", b"opensesame\n")
    assert site.keys.refresh() == ""
    check_works(site.client(ALICE))
    assert not any("opensesame" in text or "wrong" in text for text in site.said)


@pytest.mark.parametrize("cipher", ["ANY_TLS12", "ANY_TLS13"])
def test_a_revoked_client(site: Site, cipher: str) -> None:
    write(site.repository / "crl.pem", AUTHORITY.revocation_list())
    assert site.keys.refresh() == ""
    check_works(site.client(ALICE, cipher=cipher))
    write(site.repository / "crl.pem", AUTHORITY.revocation_list([ALICE.certificate]))
    assert site.keys.refresh() == ""
    error = refused(site.client(ALICE, cipher=cipher))
    assert error.reason == C.MQRC_SSL_INITIALIZATION_ERROR and "revoked" in error.detail
    wait_until(lambda: site.heard("AMQ9654E", "revoked", "127.0.0.1"))
    check_works(site.client(BOB, cipher=cipher))


def test_an_issuer_without_a_list_and_a_list_that_is_out_of_date(site: Site) -> None:
    write(site.repository / "crl.pem", OTHER.revocation_list())
    assert site.keys.refresh() == ""
    refused(site.client(BOB))
    wait_until(lambda: site.heard("AMQ9654E", "no revocation list of its issuer"))
    write(site.repository / "crl.pem", AUTHORITY.revocation_list(days=0))
    assert site.keys.refresh() == ""
    refused(site.client(BOB))
    wait_until(lambda: site.heard("AMQ9654E", "has expired"))


def test_a_client_that_finds_the_queue_manager_revoked(site: Site, tmp_path: Path) -> None:
    good = write(tmp_path / "good.pem", AUTHORITY.revocation_list())
    bad = write(tmp_path / "bad.pem", AUTHORITY.revocation_list([OWN.certificate]))
    check_works(site.client(ALICE, crl=good))
    error = refused(site.client(ALICE, crl=bad))
    assert error.reason == C.MQRC_SSL_CERTIFICATE_REVOKED and "revoked" in error.detail


def test_fips_is_done_or_refused(site: Site) -> None:
    site.alter_qmgr(SSLFIPS="YES")
    if tls_context.fips_mode():
        check_works(site.client(ALICE))
        return
    assert "FIPS" in site.keys.refresh()
    assert refused(site.client(ALICE)).reason == C.MQRC_SSL_INITIALIZATION_ERROR
    assert site.heard("AMQ9719E", "FIPS")
    site.alter_qmgr(SSLFIPS="NO")
    assert site.keys.refresh() == ""
    check_works(site.client(ALICE))


@pytest.mark.parametrize(
    ("name", "value", "good"),
    [("suiteb", (C.MQ_SUITE_B_128_BIT,), (C.MQ_SUITE_B_NONE,)), ("sslcrlnl", "CRLS", "")],
)
def test_what_an_older_release_has_taken_and_nobody_does_leaves_no_tls(
    site: Site, name: str, value: object, good: object
) -> None:
    setattr(site.served.event_loop.manager.definitions.qmgr, name, value)
    assert name.upper() in site.keys.refresh()
    assert refused(site.client(ALICE)).reason == C.MQRC_SSL_INITIALIZATION_ERROR
    assert site.heard("AMQ9719E", name.upper())
    setattr(site.served.event_loop.manager.definitions.qmgr, name, good)
    assert site.keys.refresh() == ""
    check_works(site.client(ALICE))


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"SSLCIPH": "NULL_SHA"}, C.MQRCCF_SSL_CIPHER_SPEC_ERROR),
        ({"SSLCIPH": "TLS_RSA_WITH_3DES_EDE_CBC_SHA"}, C.MQRCCF_SSL_CIPHER_SPEC_ERROR),
        ({"SSLCIPH": "ECDHE_RSA_RC4_128_SHA256"}, C.MQRCCF_SSL_CIPHER_SPEC_ERROR),
        ({"SSLCIPH": "NONSENSE"}, C.MQRCCF_SSL_CIPHER_SPEC_ERROR),
        ({"SSLPEER": "alice"}, C.MQRCCF_SSL_PEER_NAME_ERROR),
        ({"SSLPEER": "CN=a*b"}, C.MQRCCF_SSL_PEER_NAME_ERROR),
    ],
)
def test_a_definition_that_makes_no_sense_changes_nothing(site: Site, attributes: dict[str, str], reason: int) -> None:
    with pytest.raises(libremq.MQError) as caught:
        site.define("CHANNEL", MUTUAL, CHLTYPE="SVRCONN", **attributes)
    assert caught.value.reason == reason and next(iter(attributes)) in caught.value.detail
    check_works(site.client(ALICE))
