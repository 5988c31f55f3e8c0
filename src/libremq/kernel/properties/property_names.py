"""Names of message properties: which are allowed, which mean the same.

A property lives in a folder, and its full name is `folder.name` or `folder.group.name`. `colour` and
`usr.colour` are one property, `JMSType` and `mcd.Type` another. Everything inside works with one spelling, the
canonical name: without `usr.`, and with the folder in place of the JMS or MQ synonym.
"""

from __future__ import annotations

import re
from functools import lru_cache

from libremq.mqi.constants import (
    MQ_MAX_PROPERTY_NAME_LENGTH,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NAME_LENGTH_ERR,
)
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import ELEMENT_DEPTH_MAX

MD_PREFIX = "Root.MQMD."

JMS_SYNONYMS = {
    "JMSCorrelationID": "jms.Cid",
    "JMSDeliveryMode": "jms.Dlv",
    "JMSDestination": "jms.Dst",
    "JMSExpiration": "jms.Exp",
    "JMSPriority": "jms.Pri",
    "JMSReplyTo": "jms.Rto",
    "JMSTimestamp": "jms.Tms",
    "JMSType": "mcd.Type",
    "JMSXGroupID": "jms.Gid",
    "JMSXGroupSeq": "jms.Seq",
}
"""JMS names whose value an element of an MQRFH2 folder carries."""

JMS_SETTABLE = frozenset({"JMSCorrelationID", "JMSReplyTo", "JMSType", "JMSXGroupID", "JMSXGroupSeq"})

MQ_SYNONYMS = {
    "MQIsRetained": "mqps.Ret",
    "MQPubFormat": "mqps.Pfmt",
    "MQPubLevel": "mqps.Pbl",
    "MQPubOptions": "mqps.Pub",
    "MQPubSeqNum": "mqps.Seq",
    "MQPubStrIntData": "mqps.Sid",
    "MQPubTime": "mqps.Pts",
    "MQSubUserData": "mqps.Sud",
    "MQTopicString": "mqps.Top",
}

_CANONICAL = {**JMS_SYNONYMS, **MQ_SYNONYMS}
_RETURNED = {folder_name: synonym for synonym, folder_name in _CANONICAL.items()}

KEYWORDS = frozenset({"NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"})
"""The words of the selector language: no property may be called so, in any case."""

_NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*(?:\.(?:[^\W\d]|\$)[\w$]*)*")


def canonical_name(name: str) -> str:
    """The one spelling of a property name that is stored and looked up."""
    if name.startswith("usr."):
        return name[4:]
    return _CANONICAL.get(name, name)


def returned_name(canonical: str) -> str:
    """The name an application is told: the synonym where there is one."""
    return _RETURNED.get(canonical, canonical)


def full_name(canonical: str) -> str:
    """The name with its folder, always."""
    return canonical if "." in canonical else f"usr.{canonical}"


def _name_error(name: str, detail: str) -> MQError:
    return mq_error(MQRC_PROPERTY_NAME_ERROR, object_name=name[:100], detail=detail)


def check_length(name: str) -> None:
    """MQRC_PROPERTY_NAME_LENGTH_ERR unless the name has 1 to 4095 bytes."""
    if not isinstance(name, str):
        raise mq_error(MQRC_PROPERTY_NAME_ERROR, detail=f"the name of a property is a str, not {name!r}")
    length = len(name.encode("utf-8", "replace"))
    if not 0 < length <= MQ_MAX_PROPERTY_NAME_LENGTH:
        raise mq_error(
            MQRC_PROPERTY_NAME_LENGTH_ERR,
            detail=f"a property name has 1 to {MQ_MAX_PROPERTY_NAME_LENGTH} bytes, this one {length}",
        )


def check_name(name: str) -> None:
    """MQRC_PROPERTY_NAME_ERROR unless an application may set a property of this name."""
    check_length(name)
    _check_parts(name)


@lru_cache(maxsize=512)  # programs use few names, again and again
def _check_parts(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        raise _name_error(
            name, "parts of a property name begin with a letter, _ or $, go on with letters, digits, _ and $"
        )
    bare = name.removeprefix("usr.")
    if bare.upper() in KEYWORDS:
        raise _name_error(name, "the words of the selector language are not property names")
    if bare.startswith("JMS") and (name != bare or name not in JMS_SETTABLE):
        raise _name_error(name, "names that begin with JMS belong to JMS")
    if name != bare and "." in bare:
        raise _name_error(name, "the usr folder has no groups")
    if bare.startswith(("Root.", "Body.")) or bare in ("Root", "Body"):
        raise _name_error(name, "names in Root and Body belong to MQ")
    lowered = bare[:6].lower()
    dots = bare.count(".")
    if lowered.startswith("mq") and lowered != "mq_usr" and dots > 1:
        raise _name_error(name, "a name that begins with mq has one dot at most, unless it begins with mq_usr")
    if dots >= ELEMENT_DEPTH_MAX:
        raise _name_error(name, f"more than {ELEMENT_DEPTH_MAX} levels")
