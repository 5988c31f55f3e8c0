"""The rules of definitions that are about more than one value: types, reasons, and attributes that depend on others.

Tables first: which word says the type of an object, which attributes a type cannot do without, and what commands
answer. Nothing here changes anything, so a command that is refused leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from libremq.common.ccsid import codec
from libremq.common.tls.cipher_specs import check_sslciph
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, QUEUE_TYPES, TABLES
from libremq.kernel.objects.attribute_tables_channel import CHANNEL_TYPES
from libremq.kernel.objects.attribute_tables_security import AUTHINFO_TYPES
from libremq.kernel.objects.attributes import GivenValue, Value, convert
from libremq.mqi import constants as mq
from libremq.mqi.errors import mq_error
from libremq.security.peer_names import pattern_problem

DEFAULT_OBJECTS: dict[str, str] = {
    "QLOCAL": "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "QMODEL": "SYSTEM.DEFAULT.MODEL.QUEUE",
    "QALIAS": "SYSTEM.DEFAULT.ALIAS.QUEUE",
    "QREMOTE": "SYSTEM.DEFAULT.REMOTE.QUEUE",
    "PROCESS": "SYSTEM.DEFAULT.PROCESS",
    "NAMELIST": "SYSTEM.DEFAULT.NAMELIST",
    "SDR": "SYSTEM.DEF.SENDER",
    "SVR": "SYSTEM.DEF.SERVER",
    "RCVR": "SYSTEM.DEF.RECEIVER",
    "RQSTR": "SYSTEM.DEF.REQUESTER",
    "CLNTCONN": "SYSTEM.DEF.CLNTCONN",
    "SVRCONN": "SYSTEM.DEF.SVRCONN",
    "CLUSSDR": "SYSTEM.DEF.CLUSSDR",
    "CLUSRCVR": "SYSTEM.DEF.CLUSRCVR",
    "AMQP": "SYSTEM.DEF.AMQP",
    "LISTENER": "SYSTEM.DEFAULT.LISTENER.TCP",
    "SERVICE": "SYSTEM.DEFAULT.SERVICE",
    "TOPIC": "SYSTEM.DEFAULT.TOPIC",
    "CRLLDAP": "SYSTEM.DEFAULT.AUTHINFO.CRLLDAP",
    "OCSP": "SYSTEM.DEFAULT.AUTHINFO.OCSP",
    "IDPWOS": "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
    "IDPWLDAP": "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP",
    "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
}

BASE_TOPIC = "SYSTEM.BASE.TOPIC"
_CLUSTER_TRANSMISSION_QUEUE = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"

# What people are told that can be defined
DEFINABLE = ", ".join(
    (*QUEUE_TYPES, "PROCESS", "NAMELIST", "CHANNEL", "LISTENER", "SERVICE", "TOPIC", "AUTHINFO", "COMMINFO")
)


class Reasons(NamedTuple):
    """What commands answer: those on channels have reason codes of their own."""

    name: int
    exists: int
    unknown: int
    wrong_type: int


_REASONS = Reasons(
    mq.MQRCCF_OBJECT_NAME_ERROR,
    mq.MQRCCF_OBJECT_ALREADY_EXISTS,
    mq.MQRC_UNKNOWN_OBJECT_NAME,
    mq.MQRCCF_OBJECT_WRONG_TYPE,
)
_CHANNEL_REASONS = Reasons(
    mq.MQRCCF_CHANNEL_NAME_ERROR,
    mq.MQRCCF_CHANNEL_ALREADY_EXISTS,
    mq.MQRCCF_CHANNEL_NOT_FOUND,
    mq.MQRCCF_WRONG_CHANNEL_TYPE,
)


def reasons(kind: str) -> Reasons:
    return _CHANNEL_REASONS if kind == "CHANNEL" or kind in CHANNEL_TYPES else _REASONS


# Types


class _TypeWord(NamedTuple):
    """The attribute that says of which type an object is."""

    keyword: str
    wrong: int  # reason where it does not fit
    missing: int  # reason where a command cannot do without it


_CHLTYPE = _TypeWord("CHLTYPE", mq.MQRCCF_CHANNEL_TYPE_ERROR, mq.MQRCCF_CHANNEL_TYPE_ERROR)
_AUTHTYPE = _TypeWord("AUTHTYPE", mq.MQRCCF_ATTR_VALUE_ERROR, mq.MQRCCF_PARM_MISSING)
_TYPE_WORDS: dict[str, _TypeWord] = {
    **dict.fromkeys(("CHANNEL", *CHANNEL_TYPES), _CHLTYPE),
    **dict.fromkeys(("AUTHINFO", *AUTHINFO_TYPES), _AUTHTYPE),
    # One type each: it may be said, and says nothing new
    "TOPIC": _TypeWord("TYPE", mq.MQRCCF_TOPIC_TYPE_ERROR, 0),
    "COMMINFO": _TypeWord("TYPE", mq.MQRCCF_COMM_INFO_TYPE_ERROR, 0),
}


def typed(kind: str, attributes: Mapping[str, GivenValue], name: str) -> tuple[str, Mapping[str, GivenValue]]:
    """A channel or AUTHINFO is of the type that CHLTYPE or AUTHTYPE names, if given; the attributes without it."""
    type_word = _TYPE_WORDS.get(kind)
    if type_word is None:
        return kind, attributes
    given = [keyword for keyword in attributes if keyword.upper() == type_word.keyword]
    if not given:
        return kind, attributes
    if len(given) > 1:
        raise mq_error(mq.MQRCCF_CFIN_DUPLICATE_PARM, object_name=name, detail=f"{type_word.keyword} is given twice")
    row = TABLES[GENERIC_TYPES[kind][0] if kind in GENERIC_TYPES else kind].find(type_word.keyword)
    word = row.word(cast(int, convert(row, attributes[given[0]], name)))
    rest = {keyword: value for keyword, value in attributes.items() if keyword != given[0]}
    if type_word.missing == 0:
        return kind, rest
    if kind not in GENERIC_TYPES and kind != word:
        raise mq_error(type_word.wrong, object_name=name, detail=f"{row.keyword}({word}) is not for a {kind}")
    return word, rest


def definable(kind: str, name: str) -> None:
    """Refuse kinds that DEFINE cannot make, or not without a type."""
    type_word = _TYPE_WORDS.get(kind)
    if kind in GENERIC_TYPES and type_word is not None:
        raise mq_error(
            type_word.missing,
            object_name=name,
            detail=f"{type_word.keyword} is missing; use one of {', '.join(GENERIC_TYPES[kind])}",
        )
    if kind not in DEFAULT_OBJECTS:
        raise mq_error(
            mq.MQRC_OBJECT_TYPE_ERROR,
            object_name=name,
            detail=f"{kind} cannot be defined; use {DEFINABLE}",
        )


# Attributes that depend on others

_CONNAME = ("CONNAME", mq.MQRCCF_MISSING_CONN_NAME)
_XMITQ = ("XMITQ", mq.MQRCCF_XMIT_Q_NAME_ERROR)

# What a type cannot do without, and the reason where it is missing. Default objects are templates and have none of it.
_REQUIRED: dict[str, tuple[tuple[str, int], ...]] = {
    "SDR": (_CONNAME, _XMITQ),
    "SVR": (_XMITQ,),
    "RQSTR": (_CONNAME,),
    "CLNTCONN": (_CONNAME,),
    "CLUSSDR": (_CONNAME,),
    "CRLLDAP": (_CONNAME,),
    "IDPWLDAP": (_CONNAME, ("SHORTUSR", mq.MQRCCF_PARM_MISSING)),
    "OCSP": (("OCSPURL", mq.MQRCCF_PARM_MISSING),),
}


_SAY_HOW = frozenset({"SDR", "SVR", "CLUSSDR", "CLUSRCVR", "CLNTCONN"})  # message data are to be compressed


def check_together(kind: str, values: Mapping[str, Value], name: str) -> None:
    """Refuse attributes that are each valid but do not go together, and types without what they need."""
    if name != DEFAULT_OBJECTS.get(kind):
        for keyword, reason in _REQUIRED.get(kind, ()):
            if not values.get(keyword.lower()):
                raise mq_error(reason, object_name=name, detail=f"a {kind} needs {keyword}, and it is blank")
    if wrong := check_sslciph(str(values.get("sslciph", ""))):
        raise mq_error(mq.MQRCCF_SSL_CIPHER_SPEC_ERROR, object_name=name, detail=f"SSLCIPH: {wrong}")
    if wrong := pattern_problem(str(values.get("sslpeer", ""))):
        raise mq_error(mq.MQRCCF_SSL_PEER_NAME_ERROR, object_name=name, detail=f"SSLPEER: {wrong}")
    if values.get("cluster") and values.get("clusnl"):
        raise mq_error(
            mq.MQRCCF_CLUSTER_NAME_CONFLICT,
            object_name=name,
            detail="CLUSTER and CLUSNL cannot both be set; blank one",
        )
    if values.get("repos") and values.get("reposnl"):
        raise mq_error(
            mq.MQRCCF_REPOS_NAME_CONFLICT, object_name=name, detail="REPOS and REPOSNL cannot both be set; blank one"
        )
    if values.get("scope") == mq.MQSCO_CELL:
        raise mq_error(
            mq.MQRCCF_CELL_DIR_NOT_AVAILABLE,
            object_name=name,
            detail="SCOPE(CELL) needs a cell directory; use SCOPE(QMGR)",
        )
    transmission = values.get("usage") == mq.MQUS_TRANSMISSION
    if transmission and (values.get("cluster") or values.get("clusnl")):
        raise mq_error(
            mq.MQRCCF_CLUSTER_Q_USAGE_ERROR,
            object_name=name,
            detail="a transmission queue cannot be in a cluster; use USAGE(NORMAL) or blank CLUSTER and CLUSNL",
        )
    if values.get("clchname") and not transmission:
        raise mq_error(
            mq.MQRCCF_CLUS_XMIT_Q_USAGE_ERROR, object_name=name, detail="CLCHNAME is for queues with USAGE(XMITQ)"
        )
    if values.get("defxmitq") == _CLUSTER_TRANSMISSION_QUEUE:
        raise mq_error(
            mq.MQRCCF_DEF_XMIT_Q_CLUS_ERROR,
            object_name=name,
            detail=f"DEFXMITQ cannot be {_CLUSTER_TRANSMISSION_QUEUE}, which serves clusters only",
        )
    if kind in _SAY_HOW and mq.MQCOMPRESS_ANY in cast("tuple[int, ...]", values.get("compmsg", ())):
        raise mq_error(
            mq.MQRCCF_ATTR_VALUE_ERROR,
            object_name=name,
            detail=f"COMPMSG(ANY) is for RCVR, RQSTR and SVRCONN; a {kind} names what it wants, best first",
        )
    if values.get("mcaname"):
        raise mq_error(mq.MQRCCF_MCA_NAME_ERROR, object_name=name, detail="MCANAME can only be blank")
    url = values.get("ocspurl")
    if isinstance(url, str) and url and not url.lower().startswith("http://"):
        raise mq_error(mq.MQRC_OCSP_URL_ERROR, object_name=name, detail="OCSPURL has to begin with http://")


def check_queue_manager_ccsid(ccsid: int, name: str) -> None:
    """The queue manager writes names and headers in its CCSID: one that it knows, and that begins as ASCII does."""
    found = codec(ccsid)
    if found is None:
        detail = f"CCSID({ccsid}) is not one that is known here; docs/reference/conversion.md lists those that are"
    elif not found.fits_headers:
        detail = f"CCSID({ccsid}) takes two bytes for a character, and names in headers have one; use 1208 for Unicode"
    elif found.kind.is_ebcdic:
        detail = f"CCSID({ccsid}) is EBCDIC, and this machine works in ASCII; messages may be in it all the same"
    else:
        return
    raise mq_error(mq.MQRCCF_CCSID_ERROR, object_name=name, detail=detail)


# What would protect if it were done, and is not: who sets it must not believe that it is
_NOT_ENFORCED = {
    "suiteb": "Suite B is not enforced by this release; name a CipherSpec such as ECDHE_ECDSA_AES_128_GCM_SHA256 in "
    "SSLCIPH of the channels instead",
    "sslcrlnl": "revocation is not looked up by LDAP or OCSP in this release; put revocation lists in crl.pem of the "
    "key repository (SSLKEYR) instead",
}


def not_enforced(values: Mapping[str, Value]) -> str:
    """Why settings of TLS like these cannot be kept to; nothing if they can."""
    for name, why in _NOT_ENFORCED.items():
        value = values.get(name)
        if value and value != (mq.MQ_SUITE_B_NONE,):
            return f"{name.upper()}: {why}"
    return ""


def check_enforced(given: Mapping[str, Value], name: str) -> None:
    """Refuse what is given anew and nobody would keep to. What is set already is not in the way of other changes."""
    if wrong := not_enforced(given):
        raise mq_error(mq.MQRCCF_ATTR_VALUE_ERROR, object_name=name, detail=wrong)


def check_topic_string(name: str, wanted: Value | None, before: str | None, others: Mapping[str, str]) -> None:
    """A topic object has a topic string, keeps it, and shares it with no other object.

    `before` is the one it has, None if it is new; `others` has those of the other objects.
    """
    if before is not None:
        if wanted != before:
            raise mq_error(
                mq.MQRCCF_ATTR_VALUE_FIXED,
                object_name=name,
                detail=f"TOPICSTR({before}) cannot be changed; delete the topic and define it anew",
            )
        return
    if not wanted:
        if name not in (BASE_TOPIC, DEFAULT_OBJECTS["TOPIC"]):
            raise mq_error(mq.MQRCCF_PARM_MISSING, object_name=name, detail="a TOPIC needs TOPICSTR, and it is blank")
        return
    for other, string in others.items():
        if string == wanted:
            raise mq_error(
                mq.MQRCCF_TOPICSTR_ALREADY_EXISTS, object_name=name, detail=f"topic {other} has TOPICSTR({string})"
            )
