"""SET CHLAUTH and DISPLAY CHLAUTH: the rules of channel authentication as records of the catalogue.

A mapping is told from others by its profile, its type and what it looks at; a list (BLOCKUSER, BLOCKADDR) by profile
and type alone, so that ADD and REMOVE work on its entries. All checks come before the first change. RUNCHECK asks the
same function that decides about real connections.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from libremq.kernel.objects.attribute_tables_security import CHLAUTH_TABLES
from libremq.kernel.objects.attributes import GivenValue, Value, convert
from libremq.kernel.objects.channel_definitions import MessageChannel
from libremq.kernel.objects.definitions import Definitions
from libremq.kernel.objects.object_types import ServerConnection
from libremq.kernel.objects.security_records import ChannelAuthentication
from libremq.kernel.state import object_changes
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.security import address_patterns, channel_authentication, distinguished_names
from libremq.security.address_patterns import AddressError, name_matches, names_overlap
from libremq.security.channel_authentication import Facts
from libremq.security.connection_authentication import acting_user

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core

KIND = "CHLAUTH"
ACTIONS = {
    "ADD": C.MQACT_ADD,
    "REPLACE": C.MQACT_REPLACE,
    "REMOVE": C.MQACT_REMOVE,
    "REMOVEALL": C.MQACT_REMOVEALL,
}
MATCHES = {
    "GENERIC": C.MQMATCH_GENERIC,
    "EXACT": C.MQMATCH_EXACT,
    "ALL": C.MQMATCH_ALL,
    "RUNCHECK": C.MQMATCH_RUNCHECK,
}
_LISTS = {C.MQCAUT_BLOCKUSER: "USERLIST", C.MQCAUT_BLOCKADDR: "ADDRLIST"}
_NEEDED = {
    **_LISTS,
    C.MQCAUT_SSLPEERMAP: "SSLPEER",
    C.MQCAUT_ADDRESSMAP: "ADDRESS",
    C.MQCAUT_USERMAP: "CLNTUSER",
    C.MQCAUT_QMGRMAP: "QMNAME",
}
_KEYS = frozenset({"SSLPEER", "SSLCERTI", "ADDRESS", "CLNTUSER", "QMNAME", "ADDRLIST", "USERLIST"})
_PROFILE = re.compile(r"[A-Za-z0-9._/%*]{1,20}\Z")


# SET CHLAUTH


def set_chlauth(
    core: Core,
    profile: str,
    rule_type: int | str,
    attributes: Mapping[str, GivenValue] | None = None,
    action: int | str = C.MQACT_ADD,
) -> int:
    """SET CHLAUTH. The log position that the answer depends on; 0 if nothing had to be changed."""
    profile = profile.rstrip(" ")
    given = {keyword.upper(): value for keyword, value in (attributes or {}).items()}
    chosen = _action(profile, action)
    kind = _type(profile, rule_type)
    _check_profile(profile, kind)
    _check_applicable(profile, kind, given, chosen)
    if chosen == C.MQACT_REMOVEALL:
        return _remove_all(core, profile, kind)
    if chosen == C.MQACT_REPLACE and kind in _LISTS and _is_empty(given.get(_LISTS[kind])):
        return _remove_all(core, profile, kind)
    if _is_empty(given.get(_NEEDED[kind])):
        raise mq_error(C.MQRCCF_PARM_MISSING, profile, f"{_NEEDED[kind]} is missing: TYPE({_type_word(kind)}) needs it")
    wanted = ChannelAuthentication.make(profile, kind, given, core.clock.now())
    _check_values(wanted)
    existing = core.catalogue.find(KIND, wanted.name)
    there = existing if isinstance(existing, ChannelAuthentication) else None
    if chosen == C.MQACT_REMOVE:
        return _remove(core, wanted, there)
    _check_user_source(wanted, given)
    if kind in _LISTS:
        if there is not None and chosen == C.MQACT_ADD:
            wanted = _added(there, wanted, given)
    elif there is not None and chosen == C.MQACT_ADD:
        raise mq_error(
            C.MQRCCF_CHLAUTH_ALREADY_EXISTS,
            profile,
            f"{channel_authentication.described(wanted)} exists; use ACTION(REPLACE)",
        )
    _check_ranges(core.catalogue, wanted)
    return object_changes.install_record(core, wanted)


def _remove(core: Core, wanted: ChannelAuthentication, there: ChannelAuthentication | None) -> int:
    slot = _LISTS.get(wanted.type, "").lower()
    if there is not None and slot:
        entries, gone = getattr(there, slot), getattr(wanted, slot)
        unknown = [one for one in gone if one not in entries]
        if unknown:
            raise _not_found(wanted.chlauth, f"{', '.join(unknown)} is not in {slot.upper()} of the record")
        left = tuple(one for one in entries if one not in gone)
        if left:
            values = {**there.__dict__, slot: left, "altdate": wanted.altdate, "alttime": wanted.alttime}
            wanted.__dict__.update(values)
            return object_changes.install_record(core, wanted)
    if there is None:
        raise _not_found(wanted.chlauth, f"there is no {channel_authentication.described(wanted)}")
    return object_changes.remove_record(core, KIND, there.name)


def _remove_all(core: Core, profile: str, kind: int) -> int:
    lsn = 0
    for rule in rules(core.catalogue):
        if rule.chlauth == profile and rule.type == kind:
            lsn = object_changes.remove_record(core, KIND, rule.name)
    return lsn


def _added(
    there: ChannelAuthentication, wanted: ChannelAuthentication, given: Mapping[str, GivenValue]
) -> ChannelAuthentication:
    """The list with more entries, and with what else was given."""
    keyword = _LISTS[there.type]
    slot = keyword.lower()
    entries = tuple(dict.fromkeys((*getattr(there, slot), *getattr(wanted, slot))))
    most = CHLAUTH_TABLES[there.type_word].find(keyword).max_items
    if len(entries) > most:
        raise mq_error(
            C.MQRCCF_CHLAUTH_MAX_EXCEEDED,
            there.chlauth,
            f"{keyword} would have {len(entries)} entries; {most} are the most",
        )
    kept: dict[str, Value] = {
        name: value
        for name, value in there.__dict__.items()
        if name.upper() not in given and name not in ("altdate", "alttime")
    }
    wanted.__dict__.update({**kept, slot: entries})
    return wanted


# Checks


def _action(profile: str, action: int | str) -> int:
    found = ACTIONS.get(action.strip().upper()) if isinstance(action, str) else action
    if found is None or found not in ACTIONS.values():
        raise mq_error(C.MQRCCF_CHLAUTH_ACTION_ERROR, profile, f"ACTION({action}): permitted is {', '.join(ACTIONS)}")
    return found


def _type(profile: str, rule_type: int | str) -> int:
    found = convert(ChannelAuthentication.table.find("TYPE"), rule_type, profile)
    assert isinstance(found, int)
    return found


def _type_word(kind: int) -> str:
    return ChannelAuthentication.table.find("TYPE").word(kind)


def _check_profile(profile: str, kind: int) -> None:
    if not profile:
        raise mq_error(C.MQRCCF_PROFILE_NAME_MISSING, "", "a channel name, or a pattern with *, is missing")
    if _PROFILE.match(profile) is None:
        raise mq_error(
            C.MQRCCF_CHLAUTH_NAME_ERROR,
            profile[:64],
            f"{profile[:64]!r} is no channel profile: use 1 to 20 of the characters A-Z a-z 0-9 . / _ % and *",
        )
    if kind == C.MQCAUT_BLOCKADDR and profile != "*":
        raise mq_error(C.MQRCCF_CHLAUTH_NAME_ERROR, profile, "TYPE(BLOCKADDR) is for all channels: the profile is *")


def _check_applicable(profile: str, kind: int, given: Mapping[str, GivenValue], action: int) -> None:
    """Refuse attributes that rules of this type do not have, or that the action cannot use."""
    every, word = ChannelAuthentication.table, _type_word(kind)
    of_type = CHLAUTH_TABLES[word].by_keyword
    for keyword in given:
        if keyword in ("CHLAUTH", "TYPE", "ACTION"):
            raise mq_error(C.MQRCCF_CFST_DUPLICATE_PARM, profile, f"{keyword} is given twice")
        if keyword in every.by_keyword and keyword not in of_type:
            raise mq_error(C.MQRCCF_WRONG_CHLAUTH_TYPE, profile, f"{keyword} is not for TYPE({word})")
        usable = action in (C.MQACT_ADD, C.MQACT_REPLACE) or (action == C.MQACT_REMOVE and keyword in _KEYS)
        if keyword in of_type and not usable:
            action_word = next(name for name, value in ACTIONS.items() if value == action)
            raise mq_error(C.MQRCCF_WRONG_CHLAUTH_ACTION, profile, f"{keyword} is not for ACTION({action_word})")


def _is_empty(value: GivenValue | None) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value == () or value == []


def _check_values(rule: ChannelAuthentication) -> None:
    """What the tables cannot say: patterns of addresses and of names, and users."""
    if rule.type == C.MQCAUT_BLOCKADDR:
        for one in rule.addrlist:
            if _parsed(rule.chlauth, one).is_host:
                raise mq_error(
                    C.MQRCCF_IPADDR_ERROR, rule.chlauth, f"{one!r}: ADDRLIST takes IP addresses, no host names"
                )
    elif rule.address:
        _parsed(rule.chlauth, rule.address)
    for keyword, pattern in (("SSLPEER", rule.sslpeer), ("SSLCERTI", rule.sslcerti)):
        try:
            if pattern:
                distinguished_names.parse_pattern(pattern)
        except distinguished_names.DistinguishedNameError as error:
            raise mq_error(C.MQRCCF_SSL_PEER_NAME_ERROR, rule.chlauth, f"{keyword}: {error}") from None
    if "*" in rule.clntuser:
        raise mq_error(C.MQRCCF_CHLAUTH_CLNTUSER_ERROR, rule.chlauth, "CLNTUSER takes one user, no pattern")
    for user in rule.userlist:
        if "*" in user and user != channel_authentication.ADMINISTRATORS:
            raise mq_error(
                C.MQRCCF_ATTR_VALUE_ERROR,
                rule.chlauth,
                f"USERLIST: {user!r} is a pattern; use names of users, or {channel_authentication.ADMINISTRATORS}",
            )


def _parsed(profile: str, text: str) -> address_patterns.AddressPattern:
    try:
        return address_patterns.parse(text)
    except AddressError as error:
        reason = C.MQRCCF_IPADDR_RANGE_ERROR if error.is_range else C.MQRCCF_IPADDR_ERROR
        raise mq_error(reason, profile, str(error)) from None


def _check_user_source(rule: ChannelAuthentication, given: Mapping[str, GivenValue]) -> None:
    """USERSRC says which of MCAUSER, WARN and CHCKCLNT mean something."""
    if rule.type in _LISTS:
        return
    source = rule.usersrc
    if source == C.MQUSRC_MAP and not rule.mcauser:
        raise mq_error(C.MQRCCF_PARM_MISSING, rule.chlauth, "MCAUSER is missing: USERSRC(MAP) needs it")
    wrong = ""
    if source != C.MQUSRC_MAP and rule.mcauser:
        wrong = "MCAUSER is for USERSRC(MAP) only"
    elif source != C.MQUSRC_NOACCESS and "WARN" in given and rule.warn:
        wrong = "WARN(YES) is for USERSRC(NOACCESS) only"
    if wrong:
        raise mq_error(C.MQRCCF_WRONG_CHLAUTH_USERSRC, rule.chlauth, wrong)
    if source == C.MQUSRC_NOACCESS and rule.chckclnt != C.MQCHK_AS_Q_MGR:
        raise mq_error(
            C.MQRCCF_CHLAUTH_CHKCLI_ERROR, rule.chlauth, "CHCKCLNT is not for USERSRC(NOACCESS), which lets nobody in"
        )


def _check_ranges(definitions: Definitions, rule: ChannelAuthentication) -> None:
    """Two ranges of which neither is inside the other leave open which is meant."""
    others = [
        one
        for one in rules(definitions)
        if one.chlauth == rule.chlauth and one.type == rule.type and one.name != rule.name
    ]
    if rule.type == C.MQCAUT_BLOCKADDR:
        pairs = [(one, other) for one in rule.addrlist for other in rule.addrlist if one < other]
    else:
        pairs = [(rule.address, other.address) for other in others if _same_identity(rule, other)]
    for one, other in pairs:
        if one and other and _parsed(rule.chlauth, one).conflicts(_parsed(rule.chlauth, other)):
            raise mq_error(
                C.MQRCCF_IPADDR_RANGE_CONFLICT, rule.chlauth, f"{one} overlaps {other}, and neither is inside the other"
            )


def _same_identity(one: ChannelAuthentication, other: ChannelAuthentication) -> bool:
    slots = ("clntuser", "qmname", "sslpeer", "sslcerti")
    return all(getattr(one, slot) == getattr(other, slot) for slot in slots)


def _not_found(profile: str, detail: str) -> MQError:
    return mq_error(C.MQRCCF_CHLAUTH_NOT_FOUND, profile, detail)


# DISPLAY CHLAUTH


def rules(definitions: Definitions) -> list[ChannelAuthentication]:
    """All records, in a fixed order."""
    return [one for one in definitions.select(KIND) if isinstance(one, ChannelAuthentication)]


def find_records(
    definitions: Definitions,
    profile: str = "*",
    match: int | str = C.MQMATCH_GENERIC,
    rule_type: int | str = C.MQCAUT_ALL,
) -> list[ChannelAuthentication]:
    """DISPLAY CHLAUTH with MATCH(GENERIC), the profiles that a pattern means; EXACT, this very one; or ALL, those that
    have channels in common with it. MQRCCF_CHLAUTH_NOT_FOUND if there are none."""
    found_match = MATCHES.get(match.strip().upper()) if isinstance(match, str) else match
    if found_match not in (C.MQMATCH_GENERIC, C.MQMATCH_EXACT, C.MQMATCH_ALL):
        raise mq_error(C.MQRCCF_WRONG_CHLAUTH_MATCH, profile, f"MATCH({match}): permitted is {', '.join(MATCHES)}")
    every = rule_type in (C.MQCAUT_ALL, "") or (isinstance(rule_type, str) and rule_type.strip().upper() == "ALL")
    kind = C.MQCAUT_ALL if every else _type(profile, rule_type)
    means: dict[int, Callable[[str], bool]] = {
        C.MQMATCH_GENERIC: lambda one: name_matches(profile, one),
        C.MQMATCH_EXACT: lambda one: profile == one,
        C.MQMATCH_ALL: lambda one: names_overlap(profile, one),
    }
    found = [one for one in rules(definitions) if means[found_match](one.chlauth) and kind in (C.MQCAUT_ALL, one.type)]
    if not found:
        raise _not_found(profile, f"no channel authentication record is for {profile[:64]!r}")
    return found


@dataclass(frozen=True, slots=True)
class RunCheck:
    """What MATCH(RUNCHECK) finds out about a connection that somebody might make."""

    records: tuple[ChannelAuthentication, ...]
    """The record that applies, after those that would refuse but only warn."""
    user: str
    """Who the channel would run as."""
    allowed: bool


def match_runcheck(
    definitions: Definitions,
    channel: str,
    address: str,
    *,
    client_user: str = "",
    queue_manager: str = "",
    peer_dn: str = "",
    issuer_dn: str = "",
    host_names: tuple[str, ...] = (),
    is_privileged: Callable[[str], bool],
) -> RunCheck:
    """DISPLAY CHLAUTH MATCH(RUNCHECK): what would become of such a connection, if no password comes with it."""
    wrong = ""
    if not channel or "*" in channel:
        wrong = "it takes the full name of a channel"
    elif not address_patterns.address_parts(address.strip())[0]:
        wrong = f"ADDRESS({address[:64]}) must be one IP address"
    elif bool(client_user) == bool(queue_manager):
        wrong = "it takes CLNTUSER for a client, or QMNAME for a queue manager, and not both"
    elif any("*" in text for text in (client_user, queue_manager)):
        wrong = "it takes no patterns"
    if wrong:
        raise mq_error(C.MQRCCF_CHLAUTH_RUNCHECK_ERROR, channel[:64], f"MATCH(RUNCHECK): {wrong}")
    if definitions.qmgr.chlauth == C.MQCHLA_DISABLED:
        raise mq_error(C.MQRCCF_CHLAUTH_DISABLED, channel, "no rule applies: the queue manager has CHLAUTH(DISABLED)")
    every = rules(definitions)
    address = address.strip()
    warned: list[ChannelAuthentication] = []
    definition = definitions.find("CHANNEL", channel)
    mca_user = definition.mcauser if isinstance(definition, ServerConnection | MessageChannel) else ""
    user = channel_authentication.cut(acting_user(client_user, mca_user, ""))
    for rule in channel_authentication.blocks_address(every, address):
        if not rule.warn:
            return RunCheck((rule,), user, False)
        warned.append(rule)
    facts = Facts(channel, address, host_names, client_user, queue_manager, peer_dn, issuer_dn)
    verdict = channel_authentication.decide(
        channel_authentication.for_partner(every, queue_manager), facts, user, is_privileged
    )
    last = verdict.blocked_by or verdict.rule
    found = (*warned, *verdict.warnings, *([last] if last is not None else []))
    return RunCheck(found, verdict.user, verdict.allowed)
