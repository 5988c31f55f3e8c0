"""SSLPEER: which names a pattern matches, and which of two patterns is the more specific."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.security.distinguished_names import (
    TYPES,
    DistinguishedNameError,
    matches,
    of_certificate,
    parse,
    parse_pattern,
    specificity,
    text_of,
)
from libremq.security.peer_names import check_partner, check_pattern, pattern_problem

NAME = (
    "SERIALNUMBER=4C:D0:49,MAIL=alice@example.org,UID=a1,CN=Alice Smith,T=Dr,OU=Large,OU=Medium,OU=Small,DC=example,"
    'DC=org,O="Example, Inc.",STREET=Main St 1,L=Berlin,ST=BE,PC=10115,C=DE,UNSTRUCTUREDNAME=host,'
    "UNSTRUCTUREDADDRESS=10.0.0.1,DNQ=7"
)

MATCHING = """
CN=Alice Smith
cn=ALICE SMITH
CN="Alice Smith"
CN = Alice Smith
CN=Alice*
CN=*Smith
CN=*ce Sm*
CN=*
CN=**
CN=Alice Smith,O=Example\\, Inc.
CN=Alice Smith;O="Example, Inc."
O=Example*,CN=Alice*
O="Example, *"
OU=Large
OU=Large,OU=Medium
OU=Large,OU=Medium,OU=Small
OU=*,OU=Medium
OU=*,OU=*,OU=Small
OU=L*, CN=Alice*, OU=M*
DC=example,DC=org
DC=org
SERIALNUMBER=4C:D0:49
SERIALNUMBER=4cd049
SERIALNUMBER=4C:*
MAIL=*@example.org
E=alice@example.org
UID=a1
USERID=a1
T=Dr
STREET=Main*
L=Berlin
ST=BE
SP=BE
S=BE
PC=10115
C=DE
UNSTRUCTUREDNAME=host
UNSTRUCTUREDADDRESS=10.*
DNQ=7
""".strip().splitlines()

OTHER = """
CN=Bob
CN=Alice
CN=*Alice
CN=Smith*
CN=Alice Smith,CN=Alice Smith
CN=Alice Smith,O=Other
CN=\\*
OU=Medium
OU=Small,OU=Large
OU=Large,OU=Small
OU=Large,OU=Medium,OU=Small,OU=*
DC=org,DC=example
SERIALNUMBER=4C:D0
C=D
CN=alice smith ,L=Paris
O=Example
""".strip().splitlines()


@pytest.mark.parametrize("pattern", MATCHING)
def test_a_pattern_that_matches(pattern: str) -> None:
    assert matches(pattern, NAME)


@pytest.mark.parametrize("pattern", OTHER)
def test_a_pattern_that_does_not(pattern: str) -> None:
    assert not matches(pattern, NAME)


def test_an_asterisk_in_a_certificate_is_a_character() -> None:
    assert matches("CN=\\*.example.org", "CN=*.example.org")
    assert not matches("CN=\\*.example.org", "CN=www.example.org")
    assert not matches("CN=www.example.org", "CN=*.example.org")
    assert matches("CN=a\\\\*", "CN=a\\\\b")  # a backslash, then a wildcard


def test_a_value_cannot_pretend_to_be_another_part() -> None:
    name = text_of([("CN", 'mallory,O=Example"\\'), ("O", "Evil")])
    assert not matches("O=Example*", name)
    assert matches("O=Evil", name)


def test_types_that_nobody_knows_do_no_harm_in_a_name_and_are_refused_in_a_pattern() -> None:
    assert matches("CN=x", "GIVENNAME=y,1.2.3.4=z,CN=x")
    with pytest.raises(DistinguishedNameError, match="GIVENNAME"):
        matches("GIVENNAME=y", "GIVENNAME=y")


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("CN", "TYPE=value"),
        ("=x", "TYPE=value"),
        ("CN=", "no value"),
        ("CN=,O=x", "no value"),
        ("CN=a*b", "asterisk"),
        ("CN=a,,O=b", "TYPE=value"),
        ('CN="a', "not closed"),
        ('CN="a"b', "separator"),
        ('CN=a"b', "quotation"),
        ("CN=a\\", "backslash"),
        ("COUNTRY=DE", "COUNTRY"),
        ("CN=" + "x" * 1100, "1024"),
    ],
)
def test_a_pattern_that_makes_no_sense(pattern: str, said: str) -> None:
    with pytest.raises(DistinguishedNameError, match=said):
        parse_pattern(pattern)


RANKED = [
    "SERIALNUMBER=1",
    "MAIL=a@b",
    "UID=1",
    "CN=alice,O=Example",
    "CN=alice",
    "CN=al*,O=Example",
    "CN=al*",
    "CN=a*",
    "CN=*e",
    "CN=*",
    "T=Dr",
    "OU=Large,OU=Medium,OU=Small",
    "OU=Large,OU=Medium",
    "OU=Large,C=DE",
    "OU=Large",
    "OU=*,OU=Medium",
    "DC=org",
    "O=Example",
    "STREET=x",
    "L=Berlin",
    "ST=BE",
    "PC=1",
    "C=DE",
    "C=*",
    "UNSTRUCTUREDNAME=x",
    "UNSTRUCTUREDADDRESS=x",
    "DNQ=1",
]


def test_the_more_specific_pattern_is_greater() -> None:
    assert sorted(RANKED, key=specificity, reverse=True) == RANKED
    assert len({specificity(pattern) for pattern in RANKED}) == len(RANKED)
    assert specificity("O=Example,CN=alice") == specificity("CN=alice;O=Example")


def test_a_name_as_text() -> None:
    parts = [("C", "DE"), ("O", "Example, Inc."), ("OU", "Large"), ("OU", "Small "), ("CN", "alice")]
    text = text_of(parts, serial_number="4CD04")
    assert text == 'SERIALNUMBER=04:CD:04,CN=alice,OU=Large,OU="Small ",O=Example\\, Inc.,C=DE'
    assert [(part.kind, part.value) for part in parse(text)] == [
        ("SERIALNUMBER", "04:CD:04"), ("CN", "alice"), ("OU", "Large"), ("OU", "Small "), ("O", "Example, Inc."),
        ("C", "DE"),
    ]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(TYPES), st.text(max_size=12)), max_size=6))
def test_every_name_survives_being_text(parts: list[tuple[str, str]]) -> None:
    again = [(part.kind, part.value) for part in parse(text_of(parts))]
    assert again == sorted(parts, key=lambda part: TYPES.index(part[0]))


@given(st.text(alphabet='CNOU=*,;"\\ ab', max_size=30), st.text(alphabet='CNOU=*,;"\\ ab', max_size=30))
def test_any_text_is_answered_or_refused(pattern: str, name: str) -> None:
    try:
        assert matches(pattern, name) in (True, False)
    except DistinguishedNameError:
        pass


# Certificates, as Python shows them

CERTIFICATE = {
    "subject": (
        (("countryName", "DE"),),
        (("organizationName", "Example, Inc"),),
        (("organizationalUnitName", "Inner"),),
        (("organizationalUnitName", "Outer"),),
        (("serialNumber", "99"), ("givenName", "Q")),
        (("commonName", "QM1"),),
    ),
    "issuer": ((("commonName", "ca"),),),
    "serialNumber": "4CD049",
}


def test_the_names_in_a_certificate() -> None:
    names = of_certificate(CERTIFICATE)
    assert names.subject == (
        "SERIALNUMBER=4C:D0:49,CN=QM1,OU=Inner,OU=Outer,O=Example\\, Inc,C=DE,OID.2.5.4.5=99,GIVENNAME=Q"
    )
    assert (names.issuer, names.serial_number) == ("CN=ca", "4CD049")
    assert of_certificate(None) == of_certificate({}) == ("", "", "")
    assert not matches("SERIALNUMBER=99", names.subject)


@pytest.mark.parametrize("pattern", ["CN=QM1", "cn = qm1", "OU=Inner, OU=Outer, CN=QM1", "O=Example\\, Inc; C=de"])
def test_a_partner_with_the_right_name(pattern: str) -> None:
    check_partner(pattern, CERTIFICATE)


@pytest.mark.parametrize("pattern", ["CN=QM2", "CN=QM1,L=Berlin", "OU=Outer,OU=Inner", "CN=QM1,CN=QM1", "C=D"])
def test_a_partner_with_another_name(pattern: str) -> None:
    for certificate in (CERTIFICATE, {}, None):
        with pytest.raises(MQError) as caught:
            check_partner(pattern, certificate, "APP.SVRCONN")
        assert caught.value.reason == C.MQRC_SSL_PEER_NAME_MISMATCH
        assert caught.value.object_name == "APP.SVRCONN"


def test_the_reason_for_a_pattern_that_makes_no_sense() -> None:
    with pytest.raises(MQError, match="CN=QM1") as caught:
        check_pattern("QM1")
    assert caught.value.reason == C.MQRC_SSL_PEER_NAME_ERROR
    assert pattern_problem("QM1") and not pattern_problem("CN=QM1") and not pattern_problem("  ")
