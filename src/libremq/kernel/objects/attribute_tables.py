"""All attribute tables by object type: the one declaration of what every object is made of.

The rows of most sorts of object have files of their own; processes and namelists are short and live here.
"""

from __future__ import annotations

from libremq.kernel.objects.attribute_tables_channel import CHANNEL_ATTRIBUTES, CHANNEL_TYPES
from libremq.kernel.objects.attribute_tables_qmgr import QMGR_ATTRIBUTES
from libremq.kernel.objects.attribute_tables_queue import QUEUE_ATTRIBUTES
from libremq.kernel.objects.attribute_tables_security import (
    AUTHINFO_ATTRIBUTES,
    AUTHINFO_TYPES,
    AUTHREC_ATTRIBUTES,
    CHLAUTH_ATTRIBUTES,
)
from libremq.kernel.objects.attribute_tables_service import LISTENER_ATTRIBUTES, SERVICE_ATTRIBUTES
from libremq.kernel.objects.attribute_tables_topic import COMMINFO_ATTRIBUTES, SUB_ATTRIBUTES, TOPIC_ATTRIBUTES
from libremq.kernel.objects.attributes import Attribute, AttributeTable, Effect, Kind, Source
from libremq.mqi import constants as mq

PROCESS_ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "PROCESS",
        mq.MQCA_PROCESS_NAME,
        Kind.NAME,
        "",
        max_length=mq.MQ_PROCESS_NAME_LENGTH,
        source=Source.FIXED,
        python_name="name",
        about="name of the process",
    ),
    Attribute(
        "APPLICID",
        mq.MQCA_APPL_ID,
        Kind.STRING,
        "",
        max_length=mq.MQ_PROCESS_APPL_ID_LENGTH,
        about="what to start",
    ),
    Attribute(
        "APPLTYPE",
        mq.MQIA_APPL_TYPE,
        Kind.INTEGER,
        mq.MQAT_UNIX,
        high=999999999,
        words={
            "CICS": mq.MQAT_CICS,
            "ZOS": mq.MQAT_ZOS,
            "MVS": mq.MQAT_MVS,
            "IMS": mq.MQAT_IMS,
            "OS2": mq.MQAT_OS2,
            "DOS": mq.MQAT_DOS,
            "UNIX": mq.MQAT_UNIX,
            "AIX": mq.MQAT_AIX,
            "QMGR": mq.MQAT_QMGR,
            "OS400": mq.MQAT_OS400,
            "WINDOWS": mq.MQAT_WINDOWS,
            "WINDOWSNT": mq.MQAT_WINDOWS_NT,
            "VMS": mq.MQAT_VMS,
            "NSK": mq.MQAT_NSK,
            "VOS": mq.MQAT_VOS,
            "USER": mq.MQAT_USER,
            "JAVA": mq.MQAT_JAVA,
            "DEF": mq.MQAT_DEFAULT,
        },
        about="kind of application; a user value is 65536 or more",
    ),
    Attribute(
        "ENVRDATA",
        mq.MQCA_ENV_DATA,
        Kind.STRING,
        "",
        max_length=mq.MQ_PROCESS_ENV_DATA_LENGTH,
        about="environment of the application",
    ),
    Attribute(
        "USERDATA",
        mq.MQCA_USER_DATA,
        Kind.STRING,
        "",
        max_length=mq.MQ_PROCESS_USER_DATA_LENGTH,
        about="data for the application",
    ),
    Attribute(
        "DESCR",
        mq.MQCA_PROCESS_DESC,
        Kind.STRING,
        "",
        max_length=mq.MQ_PROCESS_DESC_LENGTH,
        about="free description",
        effect=Effect.FOR_OTHERS,
    ),
    Attribute(
        "ALTDATE",
        mq.MQCA_ALTERATION_DATE,
        Kind.STRING,
        "",
        max_length=mq.MQ_DATE_LENGTH,
        source=Source.SYSTEM,
        about="date of the last change",
    ),
    Attribute(
        "ALTTIME",
        mq.MQCA_ALTERATION_TIME,
        Kind.STRING,
        "",
        max_length=mq.MQ_TIME_LENGTH,
        source=Source.SYSTEM,
        about="time of the last change",
    ),
)

NAMELIST_ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "NAMELIST",
        mq.MQCA_NAMELIST_NAME,
        Kind.NAME,
        "",
        max_length=mq.MQ_NAMELIST_NAME_LENGTH,
        source=Source.FIXED,
        python_name="name",
        about="name of the namelist",
    ),
    Attribute(
        "NAMES",
        mq.MQCA_NAMES,
        Kind.NAME_LIST,
        (),
        max_length=mq.MQ_OBJECT_NAME_LENGTH,
        max_items=256,
        about="the names",
        effect=Effect.FOR_OTHERS,
    ),
    Attribute(
        "NAMCOUNT",
        mq.MQIA_NAME_COUNT,
        Kind.INTEGER,
        0,
        high=256,
        source=Source.FIXED,
        about="number of names",
    ),
    Attribute(
        "DESCR",
        mq.MQCA_NAMELIST_DESC,
        Kind.STRING,
        "",
        max_length=mq.MQ_NAMELIST_DESC_LENGTH,
        about="free description",
        effect=Effect.FOR_OTHERS,
    ),
    Attribute(
        "ALTDATE",
        mq.MQCA_ALTERATION_DATE,
        Kind.STRING,
        "",
        max_length=mq.MQ_DATE_LENGTH,
        source=Source.SYSTEM,
        about="date of the last change",
    ),
    Attribute(
        "ALTTIME",
        mq.MQCA_ALTERATION_TIME,
        Kind.STRING,
        "",
        max_length=mq.MQ_TIME_LENGTH,
        source=Source.SYSTEM,
        about="time of the last change",
    ),
)

# Definitions that nobody acts on yet: there are no clusters, client tables, topics, AMQP and LDAP
IDLE_TYPES = frozenset(
    {"AMQP", "CLNTCONN", "CLUSRCVR", "CLUSSDR", "COMMINFO", "CRLLDAP", "IDPWLDAP", "OCSP", "TOPIC"}
)  # fmt: skip
QUEUE_TYPES = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE")

TABLES: dict[str, AttributeTable] = {
    "QMGR": AttributeTable("QMGR", QMGR_ATTRIBUTES),
    **{object_type: AttributeTable(object_type, QUEUE_ATTRIBUTES) for object_type in QUEUE_TYPES},
    "PROCESS": AttributeTable("PROCESS", PROCESS_ATTRIBUTES),
    "NAMELIST": AttributeTable("NAMELIST", NAMELIST_ATTRIBUTES),
    **{kind: AttributeTable(kind, CHANNEL_ATTRIBUTES, idle=kind in IDLE_TYPES) for kind in CHANNEL_TYPES},
    "LISTENER": AttributeTable("LISTENER", LISTENER_ATTRIBUTES),
    "SERVICE": AttributeTable("SERVICE", SERVICE_ATTRIBUTES),
    "TOPIC": AttributeTable("TOPIC", TOPIC_ATTRIBUTES, idle=True),
    **{kind: AttributeTable(kind, AUTHINFO_ATTRIBUTES, idle=kind in IDLE_TYPES) for kind in AUTHINFO_TYPES},
    "COMMINFO": AttributeTable("COMMINFO", COMMINFO_ATTRIBUTES, idle=True),
    "CHLAUTH": AttributeTable("CHLAUTH", CHLAUTH_ATTRIBUTES),
    "AUTHREC": AttributeTable("AUTHREC", AUTHREC_ATTRIBUTES),
}

# What DISPLAY SUB shows. There are no subscriptions yet, so no object has this table.
SUB_TABLE = AttributeTable("SUB", SUB_ATTRIBUTES)

# Words that mean any of several types with one set of names.
GENERIC_TYPES: dict[str, tuple[str, ...]] = {
    "QUEUE": QUEUE_TYPES,
    "CHANNEL": CHANNEL_TYPES,
    "AUTHINFO": AUTHINFO_TYPES,
}

# MQINQ tells a selector that no queue has (an error) from one that other queues have (a warning).
QUEUE_SELECTORS: dict[int, Attribute] = {row.selector: row for row in QUEUE_ATTRIBUTES}

# The attributes of a model that a dynamic queue takes over: all that both types have.
INHERITED_SLOTS: tuple[str, ...] = tuple(
    slot for slot in TABLES["QMODEL"].defaults if slot in TABLES["QLOCAL"].defaults
)

_CHAR_LENGTHS: dict[int, int] = {
    row.selector: row.max_length for table in TABLES.values() for row in table if not row.is_integer
}


def char_length(selector: int) -> int:
    """Bytes a character attribute takes in the CharAttrs of MQINQ and MQSET; 0 for an unknown selector.

    MQCA_NAMES takes this many for each name of the namelist.
    """
    return _CHAR_LENGTHS.get(selector, 0)
