"""Who gets in: authentication information objects, channel authentication rules, authority records.

Rules and records have no name in MQ: several fields together tell one from another. Here they are objects of the
catalogue all the same, under a synthetic name that is made from those fields, so that they are logged, recovered and
backed up as every definition is. The name is a key and nothing else: no path is ever built from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar, Self, cast

from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attribute_tables_security import CHLAUTH_TABLES
from libremq.kernel.objects.attributes import Attribute, GivenValue, Value
from libremq.kernel.objects.object_base import DefinedObject, MQObject, date_and_time, new_object
from libremq.mqi import constants as mq
from libremq.mqi.errors import mq_error

QMGR_PROFILE = "self"  # how the queue manager is called in the profile of an authority record


class AuthenticationInformation(DefinedObject):
    """What all types of AUTHINFO have in common."""

    object_type = mq.MQOT_AUTH_INFO
    authtype: ClassVar[int]  # MQAIT_*


class PasswordCheck(AuthenticationInformation):
    """An AUTHINFO that CONNAUTH can name: it says which connections need a password, and what comes of it."""

    adoptctx: int
    chckclnt: int
    chcklocl: int
    faildlay: int


class CrlLdap(AuthenticationInformation):
    kind = "CRLLDAP"
    table = TABLES["CRLLDAP"]
    authtype = mq.MQAIT_CRL_LDAP

    conname: str
    ldappwd: str
    ldapuser: str


class Ocsp(AuthenticationInformation):
    kind = "OCSP"
    table = TABLES["OCSP"]
    authtype = mq.MQAIT_OCSP

    ocspurl: str


class IdpwOs(PasswordCheck):
    kind = "IDPWOS"
    table = TABLES["IDPWOS"]
    authtype = mq.MQAIT_IDPW_OS

    authenmd: int


class IdpwLdap(PasswordCheck):
    kind = "IDPWLDAP"
    table = TABLES["IDPWLDAP"]
    authtype = mq.MQAIT_IDPW_LDAP

    authormd: int
    basedng: str
    basednu: str
    classgrp: str
    classusr: str
    conname: str
    findgrp: str
    grpfield: str
    ldappwd: str
    ldapuser: str
    nestgrp: int
    seccomm: int
    shortusr: str
    usrfield: str


class KeyedRecord(MQObject, ABC):
    """An object without a name of its own."""

    @property
    @abstractmethod
    def key(self) -> str:
        """The synthetic name that its fields give."""

    def check(self) -> None:
        """Refuse a record that cannot be kept: fields that nobody could read, or a name that is not its key."""
        if self.name != self.key:
            raise ValueError(f"{self.name!r} is not the key {self.key!r} of the {self.kind}")
        if not self.name.isprintable():
            raise mq_error(
                mq.MQRCCF_ATTR_VALUE_ERROR,
                detail=f"{self.kind}: {self.name!r} has characters that cannot be printed",
            )


class AuthorityRecord(KeyedRecord):
    """What one user or group may do with the objects of one type that one profile means."""

    kind = "AUTHREC"
    object_type = mq.MQOT_AUTH_REC
    table = TABLES["AUTHREC"]

    authlist: tuple[int, ...]  # MQAUTH_*, ascending; empty is none at all
    entity: str
    enttype: int  # MQZAET_*
    objtype: int  # MQOT_*
    profile: str  # QMGR_PROFILE for the queue manager

    @staticmethod
    def key_of(profile: str, objtype: int, enttype: int, entity: str) -> str:
        table = TABLES["AUTHREC"]
        # No profile has a blank in it, so this can be read in one way only
        return f"{profile} {table.find('OBJTYPE').word(objtype)} {table.find('ENTTYPE').word(enttype)} {entity}"

    @property
    def key(self) -> str:
        return self.key_of(self.profile, self.objtype, self.enttype, self.entity)

    @classmethod
    def make(cls, profile: str, objtype: int, enttype: int, entity: str, authorities: Iterable[int]) -> Self:
        """A record of these authorities, in a fixed order; the profile of the queue manager is always the same."""
        values: dict[str, Value] = {
            "profile": QMGR_PROFILE if objtype == mq.MQOT_Q_MGR else profile,
            "objtype": objtype,
            "enttype": enttype,
            "entity": entity,
            "authlist": tuple(sorted({one for one in authorities if one != mq.MQAUTH_NONE})),
        }
        made = new_object(cls, "", values)
        made.name = made.key
        return made


# What tells rules of one type and one profile from each other
_RULE_KEYS: dict[int, tuple[str, ...]] = {
    mq.MQCAUT_BLOCKUSER: (),
    mq.MQCAUT_BLOCKADDR: (),
    mq.MQCAUT_SSLPEERMAP: ("SSLPEER", "SSLCERTI", "ADDRESS"),
    mq.MQCAUT_ADDRESSMAP: ("ADDRESS",),
    mq.MQCAUT_USERMAP: ("CLNTUSER", "ADDRESS"),
    mq.MQCAUT_QMGRMAP: ("QMNAME", "ADDRESS"),
}


class ChannelAuthentication(KeyedRecord):
    """A rule about who may use which channels, as which user."""

    kind = "CHLAUTH"
    object_type = mq.MQOT_CHLAUTH
    table = TABLES["CHLAUTH"]

    address: str
    addrlist: tuple[str, ...]
    altdate: str
    alttime: str
    chckclnt: int
    chlauth: str  # the profile of channel names
    clntuser: str
    custom: str
    descr: str
    mcauser: str
    qmname: str
    sslcerti: str
    sslpeer: str
    type: int  # MQCAUT_*
    userlist: tuple[str, ...]
    usersrc: int
    warn: int

    @staticmethod
    def key_of(profile: str, rule_type: int, values: Mapping[str, Value]) -> str:
        """The key of a rule; `values` has the fields by their Python names, and those it lacks are blank."""
        parts = [profile, TABLES["CHLAUTH"].find("TYPE").word(rule_type)]
        for keyword in _RULE_KEYS.get(rule_type, ()):
            value = str(values.get(keyword.lower(), "")).replace("'", "''")
            if value:
                parts.append(f"{keyword}('{value}')")
        return " ".join(parts)

    @property
    def key(self) -> str:
        return self.key_of(self.chlauth, self.type, self.__dict__)

    @property
    def type_word(self) -> str:
        return self.table.find("TYPE").word(self.type)

    @property
    def shown_rows(self) -> tuple[Attribute, ...]:
        """What DISPLAY shows: the rows of the type, MCAUSER only where it counts, and WARN where something blocks."""
        left_out = set()
        if self.type not in (mq.MQCAUT_BLOCKUSER, mq.MQCAUT_BLOCKADDR):
            if self.usersrc != mq.MQUSRC_MAP:
                left_out.add("MCAUSER")
            if self.usersrc != mq.MQUSRC_NOACCESS:
                left_out.add("WARN")
            else:
                left_out.add("CHCKCLNT")
        return tuple(row for row in CHLAUTH_TABLES[self.type_word] if row.keyword not in left_out)

    @classmethod
    def make(cls, profile: str, rule_type: int | str, attributes: Mapping[str, GivenValue], now: float) -> Self:
        """A rule with these attributes, checked one by one; those of other types of rule are refused."""
        whole = TABLES["CHLAUTH"]
        given = whole.convert_all({"CHLAUTH": profile, "TYPE": rule_type}, profile)
        table = CHLAUTH_TABLES[whole.find("TYPE").word(cast(int, given["type"]))]
        values: dict[str, Value] = {**whole.defaults, **table.convert_all(attributes, profile), **given}
        values["altdate"], values["alttime"] = date_and_time(now)
        made = new_object(cls, "", values)
        made.name = made.key
        return made
