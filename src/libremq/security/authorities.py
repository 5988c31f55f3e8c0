"""The authorities: their words, their MQAUTH_* values, and which of them an object of each type can have.

Sets of authorities are bit masks, one bit for each MQAUTH_* value, so that a check is one operation on numbers. The
words ALL, ALLADM and ALLMQI mean whatever of their sort the type of object has; CRT is in none of them, because it is
about a type as a whole and never about one object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


class ObjectType(NamedTuple):
    """A type of object that authority records are for."""

    value: int
    """MQOT_*"""
    word: str
    """as MQSC has it: OBJTYPE(QUEUE)"""
    name: str
    """as the control commands have it: -t queue"""
    short_name: str
    text: str
    """in messages"""


OBJECT_TYPES: tuple[ObjectType, ...] = (
    ObjectType(C.MQOT_Q, "QUEUE", "queue", "q", "queue"),
    ObjectType(C.MQOT_Q_MGR, "QMGR", "qmgr", "qmgr", "qmgr"),
    ObjectType(C.MQOT_PROCESS, "PROCESS", "process", "prcs", "process"),
    ObjectType(C.MQOT_NAMELIST, "NAMELIST", "namelist", "nl", "namelist"),
    ObjectType(C.MQOT_TOPIC, "TOPIC", "topic", "top", "topic"),
    ObjectType(C.MQOT_CHANNEL, "CHANNEL", "channel", "chl", "channel"),
    ObjectType(C.MQOT_CLNTCONN_CHANNEL, "CLNTCONN", "clntconn", "clcn", "client-connection channel"),
    ObjectType(C.MQOT_LISTENER, "LISTENER", "listener", "lstr", "listener"),
    ObjectType(C.MQOT_SERVICE, "SERVICE", "service", "srvc", "service"),
    ObjectType(C.MQOT_AUTH_INFO, "AUTHINFO", "authinfo", "authinfo", "authentication information"),
    ObjectType(C.MQOT_COMM_INFO, "COMMINFO", "comminfo", "comminfo", "communication information"),
    ObjectType(C.MQOT_REMOTE_Q_MGR_NAME, "RQMNAME", "rqmname", "rqmn", "remote queue manager name"),
)
TYPES = {row.value: row for row in OBJECT_TYPES}
_TYPES_BY_NAME = {name: row for row in OBJECT_TYPES for name in (row.word.lower(), row.name, row.short_name)}


class Authority(NamedTuple):
    value: int
    """MQAUTH_*"""
    word: str
    """as the control commands have it; MQSC has it in upper case"""
    sort: str
    """MQI, ADMIN or blank: in ALLMQI, in ALLADM, or in neither"""
    types: str
    """the types of object that can have it, by their words; `*` for all that have definitions"""
    text: str


# In the order in which MQ's commands list them
AUTHORITIES: tuple[Authority, ...] = (
    Authority(C.MQAUTH_INPUT, "get", "MQI", "QUEUE", "get messages"),
    Authority(C.MQAUTH_BROWSE, "browse", "MQI", "QUEUE", "browse messages"),
    Authority(C.MQAUTH_OUTPUT, "put", "MQI", "QUEUE RQMNAME", "put messages"),
    Authority(C.MQAUTH_INQUIRE, "inq", "MQI", "QUEUE QMGR PROCESS NAMELIST AUTHINFO", "inquire attributes (MQINQ)"),
    Authority(C.MQAUTH_SET, "set", "MQI", "QUEUE QMGR PROCESS", "set attributes (MQSET)"),
    Authority(C.MQAUTH_CONNECT, "connect", "MQI", "QMGR", "connect to the queue manager"),
    Authority(C.MQAUTH_ALT_USER_AUTHORITY, "altusr", "MQI", "QMGR", "open and put as another user"),
    Authority(C.MQAUTH_CREATE, "crt", "", "* RQMNAME", "create objects of the type"),
    Authority(C.MQAUTH_DELETE, "dlt", "ADMIN", "*", "delete"),
    Authority(C.MQAUTH_CHANGE, "chg", "ADMIN", "*", "change attributes"),
    Authority(C.MQAUTH_DISPLAY, "dsp", "ADMIN", "*", "display attributes"),
    Authority(C.MQAUTH_PASS_IDENTITY_CONTEXT, "passid", "MQI", "QUEUE TOPIC", "pass identity context"),
    Authority(C.MQAUTH_PASS_ALL_CONTEXT, "passall", "MQI", "QUEUE TOPIC", "pass all context"),
    Authority(C.MQAUTH_SET_IDENTITY_CONTEXT, "setid", "MQI", "QUEUE TOPIC QMGR", "set identity context"),
    Authority(C.MQAUTH_SET_ALL_CONTEXT, "setall", "MQI", "QUEUE TOPIC QMGR", "set all context"),
    Authority(C.MQAUTH_CLEAR, "clr", "ADMIN", "QUEUE TOPIC", "clear"),
    Authority(C.MQAUTH_PUBLISH, "pub", "MQI", "TOPIC", "publish"),
    Authority(C.MQAUTH_SUBSCRIBE, "sub", "MQI", "TOPIC", "subscribe"),
    Authority(C.MQAUTH_RESUME, "resume", "MQI", "TOPIC", "resume a subscription"),
    Authority(C.MQAUTH_CONTROL, "ctrl", "ADMIN", "QMGR CHANNEL LISTENER SERVICE TOPIC", "start, stop, ping"),
    Authority(C.MQAUTH_CONTROL_EXTENDED, "ctrlx", "ADMIN", "CHANNEL", "reset, resolve"),
    Authority(C.MQAUTH_SYSTEM, "system", "", "QMGR", "internal operations"),
)
_MQSC_ORDER = (
    *range(C.MQAUTH_ALT_USER_AUTHORITY, C.MQAUTH_SET_IDENTITY_CONTEXT + 1), C.MQAUTH_SUBSCRIBE, C.MQAUTH_RESUME,
    C.MQAUTH_PUBLISH, C.MQAUTH_SYSTEM, C.MQAUTH_CONTROL, C.MQAUTH_CONTROL_EXTENDED,
)  # fmt: skip
GROUPS = {
    "all": C.MQAUTH_ALL,
    "alladm": C.MQAUTH_ALL_ADMIN,
    "allmqi": C.MQAUTH_ALL_MQI,
    "none": C.MQAUTH_NONE,
}
_VALUES = {**{row.word: row.value for row in AUTHORITIES}, **GROUPS}
_WORDS = {value: word for word, value in _VALUES.items()}

# As MQSC has them, in its order
AUTHORITY_WORDS = {_WORDS[value].upper(): value for value in (C.MQAUTH_NONE, *_MQSC_ORDER)}
GROUP_WORDS = {word.upper(): value for word, value in GROUPS.items()}
OBJECT_TYPE_WORDS = {row.word: row.value for row in sorted(OBJECT_TYPES, key=lambda row: row.word)}


def bit(authority: int) -> int:
    """The bit of an MQAUTH_* value in a mask."""
    return 1 << authority


def _mask(rows: Iterable[Authority]) -> int:
    return sum(bit(row.value) for row in rows)


def _applies(row: Authority, object_type: ObjectType) -> bool:
    types = row.types.split()
    return object_type.word in types or ("*" in types and object_type.word != "RQMNAME")


APPLICABLE: dict[int, int] = {of.value: _mask(row for row in AUTHORITIES if _applies(row, of)) for of in OBJECT_TYPES}
"""By MQOT_*: every authority that objects of the type can have."""
_SORTS = {
    C.MQAUTH_ALL: _mask(AUTHORITIES) & ~bit(C.MQAUTH_CREATE),
    C.MQAUTH_ALL_ADMIN: _mask(row for row in AUTHORITIES if row.sort == "ADMIN"),
    C.MQAUTH_ALL_MQI: _mask(row for row in AUTHORITIES if row.sort == "MQI"),
    C.MQAUTH_NONE: 0,
}
CREATE = bit(C.MQAUTH_CREATE)


def object_type(given: int | str, name: str = "") -> ObjectType:
    """The type with this MQOT_* value or word, in any spelling that MQ has."""
    found = TYPES.get(given) if isinstance(given, int) else _TYPES_BY_NAME.get(given.lower())
    if found is None:
        known = ", ".join(row.word for row in OBJECT_TYPES)
        raise mq_error(C.MQRCCF_OBJECT_TYPE_MISSING if given in ("", 0) else C.MQRC_OBJECT_TYPE_ERROR, name,
                       f"{str(given)[:40]!r} is not a type that has authorities; use one of {known}")  # fmt: skip
    return found


def authority_value(given: int | str, name: str = "") -> int:
    """The MQAUTH_* value of a word such as PUT, put or ALLMQI; a value is checked."""
    if isinstance(given, int):
        if given in _WORDS:
            return given
    elif given.lower() in _VALUES:
        return _VALUES[given.lower()]
    raise mq_error(
        C.MQRCCF_AUTH_VALUE_ERROR,
        name,
        f"{str(given)[:40]!r} is not an authority; use one of {', '.join(word.upper() for word in _VALUES)}",
    )


def expand(given: Iterable[int | str], of: int, name: str = "") -> int:
    """The mask that a list of words or MQAUTH_* values means for a type of object (MQOT_*)."""
    mask = 0
    applicable = APPLICABLE[of]
    for one in given:
        value = authority_value(one, name)
        if value in _SORTS:
            mask |= _SORTS[value] & applicable
        elif not bit(value) & applicable:
            raise mq_error(
                C.MQRCCF_AUTH_VALUE_ERROR,
                name,
                f"{_WORDS[value].upper()} is not an authority on a {TYPES[of].text}; "
                f"it has {', '.join(words(applicable)).upper()}",
            )
        else:
            mask |= bit(value)
    return mask


def values(mask: int) -> tuple[int, ...]:
    """The MQAUTH_* values of a mask in the order in which MQSC lists them; none at all is MQAUTH_NONE."""
    return tuple(value for value in _MQSC_ORDER if mask & bit(value)) or (C.MQAUTH_NONE,)


def words(mask: int) -> list[str]:
    """The words of a mask, as and in the order in which the control commands show them."""
    return [row.word for row in AUTHORITIES if mask & bit(row.value)]


def word(authority: int) -> str:
    """The word of an MQAUTH_* value, also of a group."""
    return _WORDS[authority]


def mask_of(authorities: Iterable[int]) -> int:
    """The mask of single MQAUTH_* values, as records have them; MQAUTH_NONE adds nothing."""
    mask = 0
    for value in authorities:
        if value > 0:
            mask |= bit(value)
    return mask
