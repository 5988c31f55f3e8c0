"""Channel authentication by certificate: SSLPEERMAP over real TLS, and what MATCH(RUNCHECK) says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_peers import wait_until
from helper_tls import HOSTS, MUTUAL, SECURE, Site, refused, tls_site

import libremq
from libremq.common.tls.tls_authority import Authority, Issued
from libremq.kernel.authority.channel_authentication_records import match_runcheck, set_chlauth
from libremq.mqi import constants as C

AUTHORITY = Authority.create((("O", "Example"), ("CN", "authority")))
OWN = AUTHORITY.issue([("O", "Example"), ("CN", "QM1")], hosts=HOSTS)
ALICE = AUTHORITY.issue([("O", "Example"), ("OU", "Trade"), ("CN", "alice")])
BOB = AUTHORITY.issue([("O", "Example"), ("CN", "bob")])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with tls_site(tmp_path, AUTHORITY, OWN) as site:
        site.alter_qmgr(CHLAUTH="ENABLED")
        rule(site, "*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")
        yield site


def rule(site: Site, profile: str, rule_type: str, **attributes: Any) -> None:
    core = site.served.event_loop.manager.core
    site.served.embedded.admin(lambda: set_chlauth(core, profile, rule_type, attributes))


def acts_as(site: Site, issued: Issued) -> str:
    """As whom it comes in; and RUNCHECK says the same."""
    links = site.served.event_loop.links
    with libremq.connect(site.client(issued), user="somebody"):
        ((user, peer),) = site.served.in_loop(
            lambda: [(one.user, link.tls) for link in links for one in link.conversations.values()]
        )
    wait_until(lambda: not links)
    assert peer is not None
    told = match_runcheck(
        site.served.event_loop.manager.core.catalogue,
        MUTUAL,
        "127.0.0.1",
        client_user="somebody",
        peer_dn=peer.subject,
        issuer_dn=peer.issuer,
        is_privileged=site.served.event_loop.admission.is_privileged,
    )
    assert (told.user, told.allowed) == (user, True)
    return user


def test_the_owner_of_a_certificate_becomes_a_user(site: Site) -> None:
    rule(site, "*", "SSLPEERMAP", SSLPEER="O=Example", MCAUSER="staff")
    rule(site, "*", "SSLPEERMAP", SSLPEER="CN=alice,OU=Trade", SSLCERTI="CN=authority", MCAUSER="trader")
    rule(site, "*", "USERMAP", CLNTUSER="somebody", USERSRC="NOACCESS")  # a certificate says more
    assert acts_as(site, ALICE) == "trader"
    assert acts_as(site, BOB) == "staff"


def test_whoever_has_no_rule_or_another_issuer_stays_outside(site: Site) -> None:
    rule(site, "*", "SSLPEERMAP", SSLPEER="CN=alice", MCAUSER="trader")
    rule(site, "*", "SSLPEERMAP", SSLPEER="CN=bob", SSLCERTI="CN=another authority", MCAUSER="staff")
    assert acts_as(site, ALICE) == "trader"
    for url in (site.client(BOB), site.client(channel=SECURE)):
        assert refused(url).reason == C.MQRC_NOT_AUTHORIZED
    assert site.heard("AMQ9777E", "CHLAUTH(*) TYPE(ADDRESSMAP)")


def test_one_certificate_can_be_refused(site: Site) -> None:
    rule(site, MUTUAL, "SSLPEERMAP", SSLPEER="O=Example", MCAUSER="staff")
    rule(site, MUTUAL, "SSLPEERMAP", SSLPEER="CN=bob,O=Example", USERSRC="NOACCESS")
    assert acts_as(site, ALICE) == "staff"
    assert refused(site.client(BOB)).reason == C.MQRC_NOT_AUTHORIZED
    assert site.heard("AMQ9777E", "SSLPEER(CN=bob,O=Example)")
