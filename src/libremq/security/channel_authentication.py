"""Channel authentication: which of the CHLAUTH rules applies to a connection, and what it decides.

All rules that match what is known of a connection are put in one order, and the most specific one counts: first by the
channel profile, then by the certificate's owner and issuer, then by user or queue manager, then by address. A rule with
WARN(YES) that would refuse is only noted, and the next one in the order counts. The user that comes of it is checked
against the BLOCKUSER rule with the most specific profile. Pure functions: connections ask, and so does RUNCHECK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from libremq.mqi import constants as C
from libremq.security import distinguished_names
from libremq.security.address_patterns import AddressError, name_matches, name_specificity, parse

ADMINISTRATORS = "*MQADMIN"
"""In a USERLIST: every privileged user."""

MAPPINGS = (C.MQCAUT_SSLPEERMAP, C.MQCAUT_ADDRESSMAP, C.MQCAUT_USERMAP, C.MQCAUT_QMGRMAP)


class Rule(Protocol):
    """One CHLAUTH record."""

    @property
    def chlauth(self) -> str:
        """The channel profile."""

    @property
    def type(self) -> int: ...
    @property
    def address(self) -> str: ...
    @property
    def addrlist(self) -> Sequence[str]: ...
    @property
    def userlist(self) -> Sequence[str]: ...
    @property
    def clntuser(self) -> str: ...
    @property
    def qmname(self) -> str: ...
    @property
    def sslpeer(self) -> str: ...
    @property
    def sslcerti(self) -> str: ...
    @property
    def mcauser(self) -> str: ...
    @property
    def usersrc(self) -> int: ...
    @property
    def chckclnt(self) -> int: ...
    @property
    def warn(self) -> int: ...


R = TypeVar("R", bound=Rule)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a connection when its channel is to start."""

    channel: str
    address: str = ""
    host_names: tuple[str, ...] = ()
    client_user: str = ""
    """Of a client: the user that it asserts, or was adopted after the check of its password."""
    queue_manager: str = ""
    """Of a message channel: the name of the partner."""
    peer_dn: str = ""
    """The owner of the certificate that it showed; empty without TLS."""
    issuer_dn: str = ""


@dataclass(frozen=True, slots=True)
class Verdict(Generic[R]):
    """What the rules say of a connection."""

    user: str
    """Who it acts as."""
    rule: R | None = None
    """The mapping that applies."""
    blocked_by: R | None = None
    """The rule that refuses it: that mapping, with NOACCESS, or one of type BLOCKUSER."""
    warnings: tuple[R, ...] = field(default=())
    """Rules that would have refused it, but are to warn only."""
    check_client: int = C.MQCHK_AS_Q_MGR

    @property
    def allowed(self) -> bool:
        return self.blocked_by is None

    @property
    def is_mapped(self) -> bool:
        """Does a rule say who it acts as?"""
        return self.rule is not None and self.rule.usersrc == C.MQUSRC_MAP


def applies(rule: Rule, facts: Facts) -> bool:
    """Does a mapping match? One with several conditions matches if all of them do."""
    kind = rule.type
    if kind not in MAPPINGS or not name_matches(rule.chlauth, facts.channel):
        return False
    if rule.address and not _address_matches(rule.address, facts):
        return False
    if kind == C.MQCAUT_USERMAP:
        # A connection is called by the first 12 characters: a rule for those must not be escaped with a thirteenth
        return bool(facts.client_user) and rule.clntuser in (facts.client_user, cut(facts.client_user))
    if kind == C.MQCAUT_QMGRMAP:
        return bool(facts.queue_manager) and name_matches(rule.qmname, facts.queue_manager)
    if kind == C.MQCAUT_SSLPEERMAP:
        return _dn_matches(rule.sslpeer, facts.peer_dn) and (
            not rule.sslcerti or _dn_matches(rule.sslcerti, facts.issuer_dn)
        )
    return bool(rule.address)


def cut(user: str) -> str:
    """A user as a connection of it is called: what a message descriptor can hold."""
    return user.encode("latin-1", "replace").decode("latin-1")[: C.MQ_USER_ID_LENGTH]


def needs_host_names(rules: Iterable[Rule]) -> bool:
    """Does any mapping have a host name for its address?"""
    return any(rule.type in MAPPINGS and rule.address and _is_host(rule.address) for rule in rules)


def _is_host(text: str) -> bool:
    try:
        return parse(text).is_host
    except AddressError:
        return False


def _address_matches(pattern: str, facts: Facts) -> bool:
    try:
        return parse(pattern).matches(facts.address, facts.host_names)
    except AddressError:
        return False


def _dn_matches(pattern: str, dn: str) -> bool:
    try:
        return bool(dn) and distinguished_names.matches(pattern, dn)
    except distinguished_names.DistinguishedNameError:
        return False


_Key = tuple[Any, ...]


def precedence(rule: Rule) -> _Key:
    """The key by which rules that match the same connection are compared: the greatest counts."""
    return (
        name_specificity(rule.chlauth),
        _dn_key(rule.sslpeer),
        _dn_key(rule.sslcerti),
        _identity_key(rule),
        _address_key(rule.address),
    )


def _dn_key(pattern: str) -> _Key:
    if not pattern:
        return (0,)
    try:
        return 1, distinguished_names.specificity(pattern)
    except distinguished_names.DistinguishedNameError:
        return (0,)


def _identity_key(rule: Rule) -> _Key:
    if rule.type == C.MQCAUT_USERMAP:
        return 1, len(rule.clntuser)
    if rule.type == C.MQCAUT_QMGRMAP:
        return 1, *name_specificity(rule.qmname)
    return (0,)


def _address_key(pattern: str) -> _Key:
    try:
        return parse(pattern).specificity if pattern else (0,)
    except AddressError:
        return (0,)


def matching(rules: Iterable[R], facts: Facts) -> list[R]:
    """The mappings that match, the one that counts first."""
    return sorted((rule for rule in rules if applies(rule, facts)), key=precedence, reverse=True)


def blocks_address(rules: Iterable[R], address: str) -> list[R]:
    """The BLOCKADDR rules that have an address in their lists, those that only warn last."""
    found = [
        rule
        for rule in rules
        if rule.type == C.MQCAUT_BLOCKADDR and any(_address_matches(one, Facts("", address)) for one in rule.addrlist)
    ]
    return sorted(found, key=lambda rule: rule.warn)


def for_partner(rules: list[R], queue_manager: str) -> list[R]:
    """The rules that count for a partner: lists of users (BLOCKUSER) are about clients, not about queue managers."""
    return [rule for rule in rules if rule.type != C.MQCAUT_BLOCKUSER] if queue_manager else rules


def user_rules(rules: Iterable[R], channel: str) -> list[R]:
    """The BLOCKUSER rules of a channel, the one that counts first."""
    found = [rule for rule in rules if rule.type == C.MQCAUT_BLOCKUSER and name_matches(rule.chlauth, channel)]
    return sorted(found, key=lambda rule: name_specificity(rule.chlauth), reverse=True)


def blocks_user(rule: Rule, user: str, privileged: bool) -> bool:
    return user in rule.userlist or (privileged and ADMINISTRATORS in rule.userlist)


def decide(
    rules: Sequence[R],
    facts: Facts,
    user: str,
    is_privileged: Callable[[str], bool],
    settle: Callable[[str], str] | None = None,
) -> Verdict[R]:
    """Let a connection in as somebody, or refuse it. `user` is who it acts as if no rule says otherwise.

    `settle`, a security exit, is asked with the user that came of the mappings and decides who it is; lists
    of users are looked at after that.
    """
    warnings: list[R] = []
    chosen: R | None = None
    for rule in matching(rules, facts):
        if rule.usersrc == C.MQUSRC_NOACCESS:
            if not rule.warn:
                return Verdict(user, rule, rule, tuple(warnings), rule.chckclnt)
            warnings.append(rule)
            continue
        chosen = rule
        break
    check_client = C.MQCHK_AS_Q_MGR
    if chosen is not None:
        check_client = chosen.chckclnt
        if chosen.usersrc == C.MQUSRC_MAP:
            user = cut(chosen.mcauser)
    if settle is not None:
        user = settle(user)
    blocker = blocking_rule(rules, facts.channel, user, is_privileged, warnings)
    return Verdict(user, chosen, blocker, tuple(warnings), check_client)


def blocking_rule(
    rules: Iterable[R], channel: str, user: str, is_privileged: Callable[[str], bool], warnings: list[R]
) -> R | None:
    """The BLOCKUSER rule that refuses a user. The most specific profile decides alone, unless it is only to warn."""
    for rule in user_rules(rules, channel):
        if not blocks_user(rule, user, is_privileged(user)):
            return None
        if not rule.warn:
            return rule
        warnings.append(rule)
    return None


def described(rule: Rule) -> str:
    """A rule as an administrator knows it, for messages."""
    words = {
        C.MQCAUT_BLOCKUSER: ("BLOCKUSER", "USERLIST", ",".join(rule.userlist)),
        C.MQCAUT_BLOCKADDR: ("BLOCKADDR", "ADDRLIST", ",".join(rule.addrlist)),
        C.MQCAUT_SSLPEERMAP: ("SSLPEERMAP", "SSLPEER", rule.sslpeer),
        C.MQCAUT_ADDRESSMAP: ("ADDRESSMAP", "", ""),
        C.MQCAUT_USERMAP: ("USERMAP", "CLNTUSER", rule.clntuser),
        C.MQCAUT_QMGRMAP: ("QMGRMAP", "QMNAME", rule.qmname),
    }
    kind, keyword, value = words[rule.type]
    text = f"CHLAUTH({rule.chlauth}) TYPE({kind})"
    if keyword:
        text += f" {keyword}({_short(value)})"
    return text + (f" ADDRESS({rule.address})" if rule.address else "")


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}..."
