"""Authority records: SET, DELETE and DISPLAY AUTHREC, DISPLAY ENTAUTH.

A record says what one user or group may do with the objects of one type that one profile means. CRT is about a type
as a whole: whatever profile it is given with, it is kept under the profile @class of the type. A record without any
authority is not the same as none: it keeps less specific profiles of the entity from counting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from libremq.kernel.events import configuration_events
from libremq.kernel.objects.object_types import AuthorityRecord, MQObject
from libremq.kernel.objects.security_records import QMGR_PROFILE
from libremq.kernel.state import object_changes
from libremq.kernel.state.authority_state import CLASS
from libremq.kernel.state.core import Core
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.security import authorities, profiles
from libremq.security.authorities import APPLICABLE, CREATE, GROUPS, TYPES, expand, mask_of, values

Given = int | str
_ENTITY_LENGTH = C.MQ_ENTITY_NAME_LENGTH
_KINDS = {
    C.MQOT_Q: "QUEUE",
    C.MQOT_PROCESS: "PROCESS",
    C.MQOT_NAMELIST: "NAMELIST",
    C.MQOT_TOPIC: "TOPIC",
    C.MQOT_CHANNEL: "CHANNEL",
    C.MQOT_CLNTCONN_CHANNEL: "CLNTCONN",
    C.MQOT_LISTENER: "LISTENER",
    C.MQOT_SERVICE: "SERVICE",
    C.MQOT_AUTH_INFO: "AUTHINFO",
    C.MQOT_COMM_INFO: "COMMINFO",
}
MATCHES = ("PROFILE", "EXACT", "MEMBERSHIP", "WILDCARD")


def type_of(obj: MQObject) -> int:
    """The type (MQOT_*) under which authority records for an object are kept."""
    return C.MQOT_CLNTCONN_CHANNEL if obj.kind == "CLNTCONN" else obj.object_type


# SET AUTHREC


def set_authority(
    core: Core,
    profile: str,
    object_type: Given,
    *,
    principals: Iterable[str] = (),
    groups: Iterable[str] = (),
    add: Sequence[Given] = (),
    remove: Sequence[Given] = (),
    must_exist: bool = False,
    known: bool = False,
) -> int:
    """SET AUTHREC: give and take authorities. Returns the log position that the answer depends on.

    A single authority counts for more than a group of them: AUTHRMV(ALL) AUTHADD(PUT) leaves exactly PUT. With
    `must_exist` a profile that is not generic must be the name of an object. `known` says that the users are.
    """
    of = authorities.object_type(object_type, profile).value
    profile = checked_profile(core, profile, of, must_exist=must_exist)
    if not add and not remove:
        raise mq_error(C.MQRCCF_AUTH_VALUE_MISSING, profile, "say which authorities to give or to take")
    change = _Change(add, remove, of, profile)
    entities = checked_entities(core, principals, groups, profile, of, known=known)
    lsn = 0
    for kind, entity in entities:
        for where, mine in ((profile, change.without_create), (CLASS, change.create)):
            if mine is None:
                continue
            before = find_record(core, where, of, kind, entity)
            mask = mine(mask_of(before.authlist) if before is not None else 0)
            if before is None or mask != mask_of(before.authlist):
                lsn = _install(core, AuthorityRecord.make(where, of, kind, entity, values(mask)))
    return lsn


def _install(core: Core, record: AuthorityRecord) -> int:
    before = configuration_events.image(core, record.kind, record.name)
    lsn = object_changes.install_record(core, record)
    configuration_events.object_changed(core, before, record)
    return lsn


def _remove(core: Core, record: AuthorityRecord) -> int:
    lsn = object_changes.remove_record(core, record.kind, record.name)
    configuration_events.object_changed(core, record, None)
    return lsn


class _Change:
    """What a command does to the authorities of a record, and to those of the type as a whole."""

    def __init__(self, add: Sequence[Given], remove: Sequence[Given], of: int, profile: str) -> None:
        self._give, self._give_groups = self._split(add, of, profile)
        self._take, self._take_groups = self._split(remove, of, profile)
        both = self._give & self._take
        if both:
            raise mq_error(
                C.MQRCCF_AUTH_VALUE_ERROR,
                profile,
                f"{', '.join(authorities.words(both)).upper()} cannot be given and taken at once",
            )
        single = self._give | self._take
        only_create = single == CREATE and not self._has_groups(add) and not self._has_groups(remove)
        kept_apart = of != C.MQOT_Q_MGR
        if profile == CLASS and (single & ~CREATE or self._give_groups):
            raise mq_error(C.MQRCCF_AUTH_VALUE_ERROR, profile, "the profile @class has no authority but CRT")
        self._mask = ~CREATE if kept_apart else -1
        self.without_create = None if kept_apart and (only_create or profile == CLASS) else self._ordinary
        self.create = self._create if kept_apart and (single & CREATE or profile == CLASS) else None

    @staticmethod
    def _split(given: Sequence[Given], of: int, profile: str) -> tuple[int, int]:
        single = [one for one in given if authorities.authority_value(one, profile) > 0]
        several = [one for one in given if authorities.authority_value(one, profile) <= 0]
        return expand(single, of, profile), expand(several, of, profile)

    @staticmethod
    def _has_groups(given: Sequence[Given]) -> bool:
        return any(authorities.authority_value(one) in GROUPS.values() for one in given)

    def _ordinary(self, before: int) -> int:
        mask = before & ~self._take_groups | self._give_groups
        return (mask & ~self._take | self._give) & self._mask

    def _create(self, before: int) -> int:
        return (before & ~self._take | self._give) & CREATE


def checked_profile(core: Core, profile: str, of: int, *, must_exist: bool = False) -> str:
    """The profile under which a record is kept. The queue manager has one only, whatever it is called."""
    if of == C.MQOT_Q_MGR:
        return QMGR_PROFILE
    if not profile:
        raise mq_error(C.MQRCCF_PROFILE_NAME_MISSING, "", f"a profile for {TYPES[of].word} is needed")
    if profile.lower() == CLASS:
        return CLASS
    profiles.check_profile(profile)
    named = must_exist and of in _KINDS and not profiles.is_generic(profile)
    if named and core.catalogue.find(_KINDS[of], profile) is None:
        raise mq_error(
            C.MQRC_UNKNOWN_OBJECT_NAME,
            profile,
            f"there is no {TYPES[of].text} of this name; a generic profile may be given before there is one",
        )
    return profile


def checked_entities(
    core: Core, principals: Iterable[str], groups: Iterable[str], profile: str, of: int, *, known: bool = False
) -> list[tuple[int, str]]:
    """Who a record is for. Those who have a record already need not be known any more."""
    given = [
        *((C.MQZAET_PRINCIPAL, name) for name in _names(principals)),
        *((C.MQZAET_GROUP, name) for name in _names(groups)),
    ]
    if not given:
        raise mq_error(C.MQRCCF_ENTITY_NAME_MISSING, profile, "name a principal or a group")
    for kind, name in given:
        if known or find_record(core, profile, of, kind, name) is not None:
            continue
        check_entity(core, kind, name)
    return given


def _names(given: Iterable[str]) -> list[str]:
    return [name for name in ([given] if isinstance(given, str) else given) if name]


def check_entity(core: Core, kind: int, name: str) -> None:
    """Refuse a user or group that nobody knows, unless the policy is that users are known elsewhere."""
    entities = core.authorities.entities
    usable = 0 < len(name) <= _ENTITY_LENGTH and name.isprintable() and name == name.strip()
    if kind == C.MQZAET_GROUP:
        fine = usable and entities.has_group(name)
    else:
        fine = usable and (core.authorities.external_users or entities.has_principal(name))
    if not fine:
        what, how = ("group", "") if kind == C.MQZAET_GROUP else ("user", "; setmqusr makes one for this queue manager")
        raise mq_error(
            C.MQRC_UNKNOWN_ENTITY, name[:64], f"neither the system nor users.json knows the {what} {name[:64]!r}{how}"
        )


# DELETE AUTHREC


def delete_authority(
    core: Core, profile: str, object_type: Given, *, principals: Iterable[str] = (), groups: Iterable[str] = ()
) -> int:
    """DELETE AUTHREC. All of the records are there, or none is deleted."""
    lsn = 0
    for record in records_to_delete(core, profile, object_type, principals=principals, groups=groups):
        lsn = _remove(core, record)
    return lsn


def records_to_delete(
    core: Core, profile: str, object_type: Given, *, principals: Iterable[str] = (), groups: Iterable[str] = ()
) -> list[AuthorityRecord]:
    """The records of these entities for exactly this profile. MQRC_UNKNOWN_OBJECT_NAME if one is not there."""
    of = authorities.object_type(object_type, profile).value
    profile = checked_profile(core, profile, of)
    found: list[AuthorityRecord] = []
    for kind, entity in checked_entities(core, principals, groups, profile, of, known=True):
        record = find_record(core, profile, of, kind, entity)
        if record is None:
            raise no_record(profile, of, entity)
        found.append(record)
    return found


def no_record(profile: str, of: int, entity: str) -> MQError:
    return mq_error(
        C.MQRC_UNKNOWN_OBJECT_NAME,
        profile,
        f"{entity!r} has no authority record for profile {profile} of type {TYPES[of].word}",
    )


def remove_records_of(core: Core, object_type: int, name: str) -> None:
    """The records of exactly this name go with the object, so that another of the name begins without."""
    for record in _records(core):
        if record.profile == name and record.objtype == object_type:
            _remove(core, record)


# DISPLAY AUTHREC and DISPLAY ENTAUTH


def find_record(core: Core, profile: str, of: int, kind: int, entity: str) -> AuthorityRecord | None:
    found = core.catalogue.authrecs.get(AuthorityRecord.key_of(profile, of, kind, entity))
    return found if isinstance(found, AuthorityRecord) else None


def _records(core: Core) -> list[AuthorityRecord]:
    return [record for record in core.catalogue.authrecs.values() if isinstance(record, AuthorityRecord)]


def select_records(
    core: Core,
    profile: str = "",
    object_type: Given = "",
    entity: tuple[int, str] | None = None,
    match: str = "PROFILE",
) -> list[AuthorityRecord]:
    """DISPLAY AUTHREC. `entity` is MQZAET_* and a name.

    PROFILE: those whose profile means the given name, or is the given generic profile. EXACT: only those with exactly
    this profile. MEMBERSHIP: as PROFILE, and those of the groups of the user. WILDCARD: those whose profile, as a
    name, the given profile means.
    """
    match = match.upper()
    if match not in MATCHES:
        raise mq_error(C.MQRCCF_ATTR_VALUE_ERROR, profile, f"MATCH({match[:40]}): use one of {', '.join(MATCHES)}")
    of = authorities.object_type(object_type, profile).value if object_type else 0
    wanted: set[tuple[int, str]] = {entity} if entity is not None else set()
    if entity is not None and entity[0] == C.MQZAET_PRINCIPAL and match == "MEMBERSHIP":
        wanted.update((C.MQZAET_GROUP, group) for group in core.authorities.entities.groups_of(entity[1]))
    found = [
        record
        for record in _records(core)
        if (not of or record.objtype == of)
        and (not wanted or (record.enttype, record.entity) in wanted)
        and (not profile or _profile_fits(core, record, profile, match))
    ]
    return sorted(found, key=lambda record: (record.objtype, record.profile, record.enttype, record.entity))


def _profile_fits(core: Core, record: AuthorityRecord, profile: str, match: str) -> bool:
    if record.objtype == C.MQOT_Q_MGR:
        if profile.lower() == QMGR_PROFILE or profile == core.qmgr_name:
            return True
    elif profile.lower() == CLASS or record.profile == CLASS:
        return profile.lower() == record.profile
    if record.profile == profile:
        return True
    if match == "EXACT":
        return False
    if match == "WILDCARD":
        return profiles.matches(profile, record.profile)
    return not profiles.is_generic(profile) and profiles.matches(record.profile, profile)


def entity_authority(core: Core, kind: int, entity: str, object_type: Given, name: str = "") -> int:
    """DISPLAY ENTAUTH: all that a user (with its groups) or a group may do with an object, as a mask."""
    of = authorities.object_type(object_type, name).value
    if of != C.MQOT_Q_MGR and not name:
        raise mq_error(C.MQRCCF_PROFILE_NAME_MISSING, "", f"the name of a {TYPES[of].text} is needed")
    if not any(record.entity == entity and record.enttype == kind for record in _records(core)):
        check_entity(core, kind, entity)
    state = core.authorities
    if kind == C.MQZAET_GROUP:
        if state.is_administrator("", (entity,)):
            return APPLICABLE[of]
        return state.group_rights(core, entity, of, name)
    groups = state.entities.groups_of(entity)
    if state.is_administrator(entity, groups):
        return APPLICABLE[of]
    return state.rights(core, entity, groups, of, name)
