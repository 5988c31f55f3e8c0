"""Channel authentication rules: which one counts. A table of rules, connections and outcomes, and what always holds."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.security import channel_authentication
from libremq.security.address_patterns import name_matches, name_specificity, names_overlap, parse
from libremq.security.channel_authentication import Facts, Verdict, decide, for_partner, matching

PRIVILEGED = {"mqm", "owner"}


@dataclass(frozen=True)
class Record:
    chlauth: str
    type: int
    address: str = ""
    addrlist: tuple[str, ...] = ()
    userlist: tuple[str, ...] = ()
    clntuser: str = ""
    qmname: str = ""
    sslpeer: str = ""
    sslcerti: str = ""
    mcauser: str = ""
    usersrc: int = C.MQUSRC_MAP
    chckclnt: int = C.MQCHK_AS_Q_MGR
    warn: int = C.MQWARN_NO


def _outcome(word: str) -> dict[str, object]:
    """`no`, `warn` or `channel` for USERSRC; anything else is the user of USERSRC(MAP)."""
    special = {
        "no": {"usersrc": C.MQUSRC_NOACCESS},
        "warn": {"usersrc": C.MQUSRC_NOACCESS, "warn": C.MQWARN_YES},
        "channel": {"usersrc": C.MQUSRC_CHANNEL},
    }
    return special.get(word, {"usersrc": C.MQUSRC_MAP, "mcauser": word})


def adr(profile: str, address: str, outcome: str) -> Record:
    return Record(profile, C.MQCAUT_ADDRESSMAP, address=address, **_outcome(outcome))  # type: ignore[arg-type]


def usr(profile: str, user: str, outcome: str, address: str = "") -> Record:
    return Record(profile, C.MQCAUT_USERMAP, clntuser=user, address=address, **_outcome(outcome))  # type: ignore[arg-type]


def qmg(profile: str, name: str, outcome: str, address: str = "") -> Record:
    return Record(profile, C.MQCAUT_QMGRMAP, qmname=name, address=address, **_outcome(outcome))  # type: ignore[arg-type]


def ssl(profile: str, peer: str, outcome: str, address: str = "", issuer: str = "") -> Record:
    extra = _outcome(outcome)
    return Record(profile, C.MQCAUT_SSLPEERMAP, sslpeer=peer, sslcerti=issuer, address=address, **extra)  # type: ignore[arg-type]


def block(profile: str, *users: str, warn: bool = False) -> Record:
    return Record(profile, C.MQCAUT_BLOCKUSER, userlist=users, warn=C.MQWARN_YES if warn else C.MQWARN_NO)


DEFAULTS = (
    adr("SYSTEM.ADMIN.SVRCONN", "*", "channel"),
    adr("SYSTEM.*", "*", "no"),
    block("*", "*MQADMIN"),
)
BY_ALICE = Facts("APP.SVRCONN", "10.1.2.3", client_user="alice")
TLS = Facts(
    "APP.SVRCONN",
    "10.1.2.3",
    client_user="alice",
    peer_dn="CN=alice,OU=Trade,O=Example,C=DE",
    issuer_dn="CN=CA,O=Example",
)
SIX = Facts("APP.SVRCONN", "2001:db8::7", client_user="alice")
NAMED = Facts("APP.SVRCONN", "10.1.2.3", ("pc7.example.com",), "alice")
TWELVE = Facts("APP.SVRCONN", "10.1.2.3", client_user="alice.sister")
LONG = Facts("APP.SVRCONN", "10.1.2.3", client_user="alice.sisters")
PARTNER = Facts("TO.QM1", "10.1.2.3", queue_manager="QM2")

# What it shows; the rules; the connection; who it acts as, or "no" and the rule (by number) that refuses it
TABLE: list[tuple[str, tuple[Record, ...], Facts, str]] = [
    ("no rules: the channel's user", (), BY_ALICE, "alice"),
    ("an address map", (adr("APP.SVRCONN", "*", "app"),), BY_ALICE, "app"),
    ("the rule of another channel", (adr("OTHER", "*", "app"),), BY_ALICE, "alice"),
    (
        "a full channel name over a pattern",
        (adr("*", "*", "no"), adr("APP.SVRCONN", "*", "channel")),
        BY_ALICE,
        "alice",
    ),
    ("a longer pattern over a shorter", (adr("A*", "*", "one"), adr("APP.*", "*", "two")), BY_ALICE, "two"),
    (
        "what precedes the asterisk over what follows it",
        (adr("*.SVRCONN", "*", "one"), adr("A*", "*", "two")),
        BY_ALICE,
        "two",
    ),
    ("an asterisk inside", (adr("*", "*", "no"), adr("APP*CONN", "*", "app")), BY_ALICE, "app"),
    ("the channel name over any identity", (ssl("*", "CN=alice", "one"), adr("APP.*", "*", "two")), TLS, "two"),
    ("certificate over user", (usr("*", "alice", "one"), ssl("*", "O=Example", "two")), TLS, "two"),
    ("certificate over address", (adr("*", "10.1.2.3", "one"), ssl("*", "O=Example", "two")), TLS, "two"),
    ("user over address", (adr("*", "10.1.2.3", "one"), usr("*", "alice", "two")), BY_ALICE, "two"),
    ("queue manager over address", (adr("*", "10.1.2.3", "one"), qmg("*", "QM*", "two")), PARTNER, "two"),
    ("a full queue manager name over a pattern", (qmg("*", "QM*", "one"), qmg("*", "QM2", "two")), PARTNER, "two"),
    ("the longer queue manager pattern", (qmg("*", "*", "one"), qmg("*", "Q*", "two")), PARTNER, "two"),
    ("a client has no queue manager", (qmg("*", "*", "no"),), BY_ALICE, "alice"),
    ("a partner has no client user", (usr("*", "", "no"), adr("*", "*", "app")), PARTNER, "app"),
    ("a thirteenth character is not past a rule", (usr("*", "alice.sister", "no"),), LONG, "no 0"),
    ("nor past one that has it", (usr("*", "alice.sisters", "no"),), LONG, "no 0"),
    ("a thirteenth of the rule alone", (usr("*", "alice.sisters", "no"),), TWELVE, "alice.sister"),
    ("users count as they are written", (usr("*", "ALICE", "no"),), BY_ALICE, "alice"),
    (
        "a user with an address over one without",
        (usr("*", "alice", "one"), usr("*", "alice", "two", "10.*")),
        BY_ALICE,
        "two",
    ),
    ("a user from elsewhere", (usr("*", "alice", "one", "10.9.*"), adr("*", "*", "two")), BY_ALICE, "two"),
    ("more of the name over less", (ssl("*", "O=Example", "one"), ssl("*", "CN=alice,O=Example", "two")), TLS, "two"),
    (
        "the common name over the organisation",
        (ssl("*", "O=Example,C=DE", "one"), ssl("*", "CN=al*", "two")),
        TLS,
        "two",
    ),
    (
        "with the issuer over without",
        (ssl("*", "CN=alice", "one"), ssl("*", "CN=alice", "two", issuer="O=Example")),
        TLS,
        "two",
    ),
    ("another issuer", (ssl("*", "CN=alice", "no", issuer="O=Other"), adr("*", "*", "app")), TLS, "app"),
    ("a certificate rule without a certificate", (ssl("*", "CN=alice", "no"),), BY_ALICE, "alice"),
    (
        "a certificate with an address",
        (ssl("*", "CN=alice", "one"), ssl("*", "CN=alice", "two", "10.1.2.*")),
        TLS,
        "two",
    ),
    ("one address over a range", (adr("*", "10.1.2.1-9", "one"), adr("*", "10.1.2.3", "two")), BY_ALICE, "two"),
    ("a range over an asterisk", (adr("*", "10.1.2.*", "one"), adr("*", "10.1.2.1-9", "two")), BY_ALICE, "two"),
    (
        "a narrow range over a wide one",
        (adr("*", "10.1.2.1-99", "one"), adr("*", "10.1.2.2-4", "two")),
        BY_ALICE,
        "two",
    ),
    ("the left part counts first", (adr("*", "10.*.2.3", "one"), adr("*", "10.1.*", "two")), BY_ALICE, "two"),
    ("outside the range", (adr("*", "10.1.2.4-9", "no"),), BY_ALICE, "alice"),
    ("a middle asterisk that stands for two parts", (adr("*", "10.*.3", "app"),), BY_ALICE, "app"),
    ("IPv6", (adr("*", "*", "one"), adr("*", "2001:db8:*", "two")), SIX, "two"),
    ("an IPv6 range", (adr("*", "2001:db8::1-f", "app"),), SIX, "app"),
    ("IPv4 rules are not for IPv6", (adr("*", "10.*", "no"),), SIX, "alice"),
    ("IPv4 inside IPv6", (adr("*", "10.1.2.*", "app"),), Facts("C", "::ffff:10.1.2.3"), "app"),
    ("a host name over the asterisk", (adr("*", "*", "one"), adr("*", "*.Example.com", "two")), NAMED, "two"),
    (
        "an address pattern over a host name",
        (adr("*", "pc7.example.com", "one"), adr("*", "10.*", "two")),
        NAMED,
        "two",
    ),
    (
        "a full host name over a pattern",
        (adr("*", "*.example.com", "one"), adr("*", "pc7.example.com", "two")),
        NAMED,
        "two",
    ),
    ("a host name that is not known", (adr("*", "pc7.example.com", "no"),), BY_ALICE, "alice"),
    ("no access", (adr("*", "*", "no"),), BY_ALICE, "no 0"),
    ("no access by default, one lets in", (adr("*", "*", "no"), usr("*", "alice", "channel")), BY_ALICE, "alice"),
    ("warning only", (adr("*", "*", "warn"),), BY_ALICE, "alice"),
    ("warning only, and the next one counts", (usr("*", "alice", "warn"), adr("*", "*", "app")), BY_ALICE, "app"),
    ("warning only, and the next one refuses", (usr("*", "alice", "warn"), adr("*", "*", "no")), BY_ALICE, "no 1"),
    ("a blocked user", (block("*", "bob", "alice"),), BY_ALICE, "no 0"),
    ("the user that is mapped to is what is blocked", (block("*", "alice"), usr("*", "alice", "app")), BY_ALICE, "app"),
    ("mapped to a blocked user", (block("*", "app"), usr("*", "alice", "app")), BY_ALICE, "no 0"),
    ("mapped to a privileged user", (block("*", "*MQADMIN"), usr("*", "alice", "mqm")), BY_ALICE, "no 0"),
    (
        "the list of the nearest profile alone",
        (block("*", "*MQADMIN"), block("APP.*", "nobody"), usr("*", "alice", "mqm")),
        BY_ALICE,
        "mqm",
    ),
    (
        "a list that warns leaves it to the next",
        (block("*", "alice"), block("APP.*", "alice", warn=True)),
        BY_ALICE,
        "no 0",
    ),
    ("a list that warns, alone", (block("*", "alice", warn=True),), BY_ALICE, "alice"),
    ("the defaults: a SYSTEM channel", DEFAULTS, Facts("SYSTEM.DEF.SVRCONN", "10.1.2.3", client_user="alice"), "no 1"),
    (
        "the defaults: the administrators' channel",
        DEFAULTS,
        Facts("SYSTEM.ADMIN.SVRCONN", "::1", client_user="alice"),
        "alice",
    ),
    ("the defaults: a privileged user", DEFAULTS, Facts("APP", "::1", client_user="mqm"), "no 2"),
    ("the defaults: anybody else", DEFAULTS, Facts("APP", "::1", client_user="bob"), "bob"),
]


def verdict_of(rules: tuple[Record, ...], facts: Facts) -> Verdict[Record]:
    return decide(rules, facts, facts.client_user, PRIVILEGED.__contains__)


@pytest.mark.parametrize(("about", "rules", "facts", "expected"), TABLE, ids=[row[0] for row in TABLE])
@pytest.mark.parametrize("turned", [False, True], ids=["", "turned round"])
def test_which_rule_counts(about: str, rules: tuple[Record, ...], facts: Facts, expected: str, turned: bool) -> None:
    verdict = verdict_of(rules[::-1] if turned else rules, facts)
    if expected.startswith("no "):
        assert verdict.blocked_by == rules[int(expected[3:])]
    else:
        assert verdict.allowed
        assert verdict.user == expected


def test_warnings_name_every_rule_that_would_have_refused() -> None:
    rules = (usr("*", "alice", "warn"), adr("*", "*", "warn"), block("APP.*", "alice", warn=True))
    verdict = verdict_of(rules, BY_ALICE)
    assert verdict.allowed
    assert verdict.warnings == rules


def test_a_user_is_called_by_what_a_descriptor_can_hold() -> None:
    """Lists of users are compared with that name, too."""
    rules = (adr("*", "10.1.2.3", "a.very.long.name"), block("*", "a.very.long."))
    verdict = verdict_of(rules, BY_ALICE)
    assert (verdict.user, verdict.blocked_by) == ("a.very.long.", rules[1])


def test_lists_of_users_are_not_about_queue_managers() -> None:
    rules = [adr("*", "10.1.2.3", "app"), block("*", "app")]
    assert for_partner(rules, "QM2") == rules[:1]
    assert for_partner(rules, "") == rules


def test_a_rule_says_whether_a_password_is_needed() -> None:
    strict = Record("*", C.MQCAUT_ADDRESSMAP, "*", usersrc=C.MQUSRC_CHANNEL, chckclnt=C.MQCHK_REQUIRED)
    assert verdict_of((strict,), BY_ALICE).check_client == C.MQCHK_REQUIRED
    assert verdict_of((), BY_ALICE).check_client == C.MQCHK_AS_Q_MGR


def test_blocked_addresses() -> None:
    rules = (
        Record("*", C.MQCAUT_BLOCKADDR, addrlist=("10.1.*", "2001:db8::1-f")),
        adr("*", "192.0.2.1", "no"),
    )
    blocked = {
        one: channel_authentication.blocks_address(rules, one)
        for one in ("10.1.9.9", "10.2.0.1", "2001:db8::3", "192.0.2.1")
    }
    assert [bool(found) for found in blocked.values()] == [True, False, True, False]


def test_host_names_are_asked_for_only_if_a_rule_has_one() -> None:
    assert not channel_authentication.needs_host_names(DEFAULTS)
    assert channel_authentication.needs_host_names((*DEFAULTS, adr("*", "*.example.com", "no")))
    assert not channel_authentication.needs_host_names((Record("*", C.MQCAUT_BLOCKADDR, addrlist=("10.*",)),))


def test_a_rule_is_described_as_it_is_written() -> None:
    assert (
        channel_authentication.described(usr("A*", "alice", "no", "10.*"))
        == "CHLAUTH(A*) TYPE(USERMAP) CLNTUSER(alice) ADDRESS(10.*)"
    )
    assert channel_authentication.described(block("*", "*MQADMIN")) == "CHLAUTH(*) TYPE(BLOCKUSER) USERLIST(*MQADMIN)"


# What always holds

_NAMES = st.text("AB.", min_size=1, max_size=4)
_PATTERNS = st.text("AB.*", min_size=1, max_size=5)
_PART = st.one_of(
    st.integers(0, 3).map(str),
    st.just("*"),
    st.tuples(st.integers(0, 1), st.integers(1, 3)).map(lambda pair: f"{pair[0]}-{pair[1]}"),
)
_ADDRESSES = st.lists(_PART, min_size=4, max_size=4).filter(lambda parts: parts[-2:] != ["*", "*"]).map(".".join)
_ONE_ADDRESS = st.lists(st.integers(0, 3).map(str), min_size=4, max_size=4).map(".".join)
_RULES = st.lists(
    st.one_of(
        st.builds(adr, _PATTERNS, _ADDRESSES | st.just("*"), st.just("x")),
        st.builds(usr, _PATTERNS, st.sampled_from(["u", "v"]), st.just("x"), _ADDRESSES | st.just("")),
        st.builds(qmg, _PATTERNS, _PATTERNS, st.just("x"), _ADDRESSES | st.just("")),
        st.builds(ssl, _PATTERNS, st.sampled_from(["CN=u", "CN=*", "CN=u,O=o", "O=o"]), st.just("x")),
    ),
    max_size=8,
)
_FACTS = st.one_of(
    st.builds(
        Facts, _NAMES, _ONE_ADDRESS, client_user=st.sampled_from(["u", "v"]), peer_dn=st.sampled_from(["", "CN=u,O=o"])
    ),
    st.builds(Facts, _NAMES, _ONE_ADDRESS, queue_manager=_NAMES),
)


def _narrower(one: Record, other: Record) -> bool:
    """Does every connection that `one` matches match `other`, and not the other way round? Told without the keys."""

    def parts(rule: Record) -> tuple[str, str, str, str]:
        return rule.chlauth, rule.clntuser, rule.qmname, rule.sslpeer

    if parts(one) != parts(other) or one.type != other.type:
        return False
    mine, its = parse(one.address or "*"), parse(other.address or "*")
    return its.covers(mine) and not mine.covers(its)


@given(_RULES, _FACTS)
def test_the_winner_is_never_less_specific_than_another_match(rules: list[Record], facts: Facts) -> None:
    found = matching(rules, facts)
    assert sorted(map(id, found)) == sorted(id(rule) for rule in rules if channel_authentication.applies(rule, facts))
    if not found:
        return
    first, *others = found
    for other in others:
        assert ("*" not in first.chlauth) >= ("*" not in other.chlauth)
        if first.chlauth == other.chlauth:
            rank = [C.MQCAUT_ADDRESSMAP, 0, C.MQCAUT_SSLPEERMAP]
            kinds = [0 if rule.type in (C.MQCAUT_USERMAP, C.MQCAUT_QMGRMAP) else rule.type for rule in (first, other)]
            assert rank.index(kinds[0]) >= rank.index(kinds[1])
        assert not _narrower(other, first)


@given(_PATTERNS, _PATTERNS)
def test_a_pattern_inside_another_is_above_it(one: str, other: str) -> None:
    """All names of up to six characters stand for all names: that is enough for patterns of this size."""
    universe = [name for name in _universe() if name_matches(one, name)]
    inside = all(name_matches(other, name) for name in universe)
    if inside and not all(name_matches(one, name) for name in _universe() if name_matches(other, name)):
        assert name_specificity(one) > name_specificity(other)


def _universe(known: list[str] = []) -> list[str]:  # noqa: B006
    if not known:
        level = [""]
        for _ in range(6):
            level = [name + char for name in level for char in "AB.x"]
            known += level
    return known


@given(_PATTERNS, _PATTERNS)
def test_patterns_overlap_if_they_have_a_name_in_common(one: str, other: str) -> None:
    common = any(name_matches(one, name) and name_matches(other, name) for name in ["", *_universe()])
    if common:
        assert names_overlap(one, other)
    elif len(one) + len(other) <= 6:  # then the shortest common name would be among those
        assert not names_overlap(one, other)
    assert names_overlap(one, other) == names_overlap(other, one)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("A*B*C", "AxxBxxC", True),
        ("A*B*C", "AC", False),
        ("A*A", "A", False),
        ("*", "", True),
        ("**", "ABC", True),
        ("*B*B*", "aBa", False),
        ("A.B", "AxB", False),
        ("a", "A", False),
    ],
)
def test_names_with_asterisks(pattern: str, name: str, expected: bool) -> None:
    assert name_matches(pattern, name) == expected
