"""The attributes of channels and listeners: one row each, for every type of channel it applies to.

Data only, in the order DISPLAY uses. A type of channel is a word in `CHANNEL_TYPES` and in the row of CHLTYPE, the
types in the rows that not all channels have, and a class in `objects.py`: nothing else knows how many there are. No
application can open these objects, so MQINQ knows none of the attributes.
"""

from __future__ import annotations

from dataclasses import replace

from libremq.kernel.attributes import Attribute, Kind, Source
from libremq.mqi import constants as mq

SVRCONN = ("SVRCONN",)
CHANNEL_TYPES = SVRCONN

_EXITS_MAX = 8  # in one list; none is loaded, so the number only bounds what is stored

_CHANNEL_ROWS: tuple[Attribute, ...] = (
    Attribute(
        "CHANNEL", mq.MQCACH_CHANNEL_NAME, Kind.NAME, "",
        max_length=mq.MQ_CHANNEL_NAME_LENGTH,
        source=Source.FIXED,
        python_name="name",
        about="name of the channel",
    ),
    Attribute(
        "CHLTYPE", mq.MQIACH_CHANNEL_TYPE, Kind.ENUM, mq.MQCHT_SVRCONN,
        words={"SVRCONN": mq.MQCHT_SVRCONN},
        source=Source.FIXED,
        value_reason=mq.MQRCCF_CHANNEL_TYPE_ERROR,
        about="type of the channel; DEFINE CHANNEL needs it",
    ),
    Attribute(
        "ALTDATE", mq.MQCA_ALTERATION_DATE, Kind.STRING, "",
        max_length=mq.MQ_DATE_LENGTH,
        source=Source.SYSTEM,
        about="date of the last change",
    ),
    Attribute(
        "ALTTIME", mq.MQCA_ALTERATION_TIME, Kind.STRING, "",
        max_length=mq.MQ_TIME_LENGTH,
        source=Source.SYSTEM,
        about="time of the last change",
    ),
    Attribute(
        "CERTLABL", mq.MQCA_CERT_LABEL, Kind.STRING, "",
        max_length=mq.MQ_CERT_LABEL_LENGTH,
        about="label of the certificate; blank is the one of the queue manager",
    ),
    Attribute(
        "COMPHDR", mq.MQIACH_HDR_COMPRESSION, Kind.ENUM_LIST, (mq.MQCOMPRESS_NONE,),
        words={"NONE": mq.MQCOMPRESS_NONE, "SYSTEM": mq.MQCOMPRESS_SYSTEM},
        max_items=2,
        alone="",
        about="compression of headers, best first",
    ),
    Attribute(
        "COMPMSG", mq.MQIACH_MSG_COMPRESSION, Kind.ENUM_LIST, (mq.MQCOMPRESS_NONE,),
        words={
            "NONE": mq.MQCOMPRESS_NONE,
            "RLE": mq.MQCOMPRESS_RLE,
            "ZLIBFAST": mq.MQCOMPRESS_ZLIBFAST,
            "ZLIBHIGH": mq.MQCOMPRESS_ZLIBHIGH,
            "LZ4FAST": mq.MQCOMPRESS_LZ4FAST,
            "LZ4HIGH": mq.MQCOMPRESS_LZ4HIGH,
            "ANY": mq.MQCOMPRESS_ANY,
        },
        max_items=16,
        alone="ANY",
        about="compression of message data, best first",
    ),
    Attribute(
        "DESCR", mq.MQCACH_DESC, Kind.STRING, "",
        max_length=mq.MQ_CHANNEL_DESC_LENGTH,
        about="free description",
    ),
    Attribute(
        "DISCINT", mq.MQIACH_DISC_INTERVAL, Kind.INTEGER, 6000,
        high=999999,
        types=SVRCONN,
        default_by_type={"SVRCONN": 0},
        value_reason=mq.MQRCCF_DISC_INT_ERROR,
        about="seconds without a call after which a client is disconnected; 0 is never",
    ),
    Attribute(
        "HBINT", mq.MQIACH_HB_INTERVAL, Kind.INTEGER, 300,
        high=999999,
        value_reason=mq.MQRCCF_HB_INTERVAL_ERROR,
        about="seconds between heartbeats; the larger value of both ends counts, 0 at both ends is none",
    ),
    Attribute(
        "KAINT", mq.MQIACH_KEEP_ALIVE_INTERVAL, Kind.INTEGER, mq.MQKAI_AUTO,
        high=99999,
        words={"AUTO": mq.MQKAI_AUTO},
        value_reason=mq.MQRCCF_KEEP_ALIVE_INT_ERROR,
        about="seconds between TCP keep-alive packets; AUTO follows HBINT, 0 is none",
    ),
    Attribute(
        "MAXINST", mq.MQIACH_MAX_INSTANCES, Kind.INTEGER, 999999999,
        high=999999999,
        types=SVRCONN,
        value_reason=mq.MQRCCF_MAX_INSTANCES_ERROR,
        about="most instances of the channel at a time; 0 refuses all",
    ),
    Attribute(
        "MAXINSTC", mq.MQIACH_MAX_INSTS_PER_CLIENT, Kind.INTEGER, 999999999,
        high=999999999,
        types=SVRCONN,
        value_reason=mq.MQRCCF_MAX_INSTS_PER_CLNT_ERR,
        about="most instances from one client address at a time; 0 refuses all",
    ),
    Attribute(
        "MAXMSGL", mq.MQIACH_MAX_MSG_LENGTH, Kind.INTEGER, 4194304,
        high=104857600,
        value_reason=mq.MQRCCF_MAX_MSG_LENGTH_ERROR,
        about="longest message in bytes; 0 is the MAXMSGL of the queue manager",
    ),
    Attribute(
        "MCAUSER", mq.MQCACH_MCA_USER_ID, Kind.STRING, "",
        max_length=mq.MQ_MCA_USER_ID_LENGTH,
        about="user that the channel works as; blank is the one that the client asserts",
    ),
    Attribute(
        "MONCHL", mq.MQIA_MONITORING_CHANNEL, Kind.ENUM, mq.MQMON_Q_MGR,
        words={
            "QMGR": mq.MQMON_Q_MGR,
            "OFF": mq.MQMON_OFF,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        about="online monitoring of the channel",
    ),
    Attribute(
        "RCVDATA", mq.MQCACH_RCV_EXIT_USER_DATA, Kind.TEXT_LIST, (),
        max_length=mq.MQ_EXIT_DATA_LENGTH,
        max_items=_EXITS_MAX,
        about="data for the receive exits",
    ),
    Attribute(
        "RCVEXIT", mq.MQCACH_RCV_EXIT_NAME, Kind.TEXT_LIST, (),
        max_length=mq.MQ_EXIT_NAME_LENGTH,
        max_items=_EXITS_MAX,
        value_reason=mq.MQRCCF_RCV_EXIT_NAME_ERROR,
        about="receive exits: library(function)",
    ),
    Attribute(
        "SCYDATA", mq.MQCACH_SEC_EXIT_USER_DATA, Kind.STRING, "",
        max_length=mq.MQ_EXIT_DATA_LENGTH,
        about="data for the security exit",
    ),
    Attribute(
        "SCYEXIT", mq.MQCACH_SEC_EXIT_NAME, Kind.STRING, "",
        max_length=mq.MQ_EXIT_NAME_LENGTH,
        value_reason=mq.MQRCCF_SEC_EXIT_NAME_ERROR,
        about="security exit: library(function)",
    ),
    Attribute(
        "SENDDATA", mq.MQCACH_SEND_EXIT_USER_DATA, Kind.TEXT_LIST, (),
        max_length=mq.MQ_EXIT_DATA_LENGTH,
        max_items=_EXITS_MAX,
        about="data for the send exits",
    ),
    Attribute(
        "SENDEXIT", mq.MQCACH_SEND_EXIT_NAME, Kind.TEXT_LIST, (),
        max_length=mq.MQ_EXIT_NAME_LENGTH,
        max_items=_EXITS_MAX,
        value_reason=mq.MQRCCF_SEND_EXIT_NAME_ERROR,
        about="send exits: library(function)",
    ),
    Attribute(
        "SHARECNV", mq.MQIACH_SHARING_CONVERSATIONS, Kind.INTEGER, 10,
        high=999999999,
        types=SVRCONN,
        value_reason=mq.MQRCCF_SHARING_CONVS_ERROR,
        about="most conversations on one socket; 0 is one, without heartbeats both ways and read ahead",
    ),
    Attribute(
        "SSLCAUTH", mq.MQIACH_SSL_CLIENT_AUTH, Kind.ENUM, mq.MQSCA_REQUIRED,
        words={"REQUIRED": mq.MQSCA_REQUIRED, "OPTIONAL": mq.MQSCA_OPTIONAL},
        types=SVRCONN,
        value_reason=mq.MQRCCF_SSL_CLIENT_AUTH_ERROR,
        about="whether a TLS client needs a certificate",
    ),
    Attribute(
        "SSLCIPH", mq.MQCACH_SSL_CIPHER_SPEC, Kind.STRING, "",
        max_length=mq.MQ_SSL_CIPHER_SPEC_LENGTH,
        value_reason=mq.MQRCCF_SSL_CIPHER_SPEC_ERROR,
        about="CipherSpec, or ANY_TLS12_OR_HIGHER and the like; blank is a channel without TLS",
    ),
    Attribute(
        "SSLPEER", mq.MQCACH_SSL_PEER_NAME, Kind.STRING, "",
        max_length=mq.MQ_SSL_PEER_NAME_LENGTH,
        value_reason=mq.MQRCCF_SSL_PEER_NAME_ERROR,
        about="distinguished names that certificates of clients may have; blank is any",
    ),
    Attribute(
        "TRPTYPE", mq.MQIACH_XMIT_PROTOCOL_TYPE, Kind.ENUM, mq.MQXPT_TCP,
        words={"TCP": mq.MQXPT_TCP},
        value_reason=mq.MQRCCF_XMIT_PROTOCOL_TYPE_ERR,
        about="transport",
    ),
)  # fmt: skip

_LISTENER_ROWS: tuple[Attribute, ...] = (
    Attribute(
        "LISTENER", mq.MQCACH_LISTENER_NAME, Kind.NAME, "",
        max_length=mq.MQ_LISTENER_NAME_LENGTH,
        source=Source.FIXED,
        python_name="name",
        about="name of the listener",
    ),
    Attribute(
        "CONTROL", mq.MQIACH_LISTENER_CONTROL, Kind.ENUM, mq.MQSVC_CONTROL_MANUAL,
        words={
            "MANUAL": mq.MQSVC_CONTROL_MANUAL,
            "QMGR": mq.MQSVC_CONTROL_Q_MGR,
            "STARTONLY": mq.MQSVC_CONTROL_Q_MGR_START,
        },
        about="QMGR starts and ends with the queue manager, STARTONLY only starts with it, MANUAL neither",
    ),
    Attribute(
        "TRPTYPE", mq.MQIACH_XMIT_PROTOCOL_TYPE, Kind.ENUM, mq.MQXPT_TCP,
        words={"TCP": mq.MQXPT_TCP},
        value_reason=mq.MQRCCF_XMIT_PROTOCOL_TYPE_ERR,
        about="transport",
    ),
    Attribute(
        "PORT", mq.MQIACH_PORT, Kind.INTEGER, 0,
        high=65535,
        value_reason=mq.MQRCCF_PORT_NUMBER_ERROR,
        about="port to listen on; 0 is 1414",
    ),
    Attribute(
        "IPADDR", mq.MQCACH_IP_ADDRESS, Kind.STRING, "",
        max_length=mq.MQ_IP_ADDRESS_LENGTH,
        about="address or host name to listen on; blank is all, IPv4 and IPv6",
    ),
    Attribute(
        "BACKLOG", mq.MQIACH_BACKLOG, Kind.INTEGER, 0,
        high=999999999,
        value_reason=mq.MQRCCF_BACKLOG_OUT_OF_RANGE,
        about="connections that may wait to be accepted; 0 is 100",
    ),
    Attribute(
        "DESCR", mq.MQCACH_LISTENER_DESC, Kind.STRING, "",
        max_length=mq.MQ_LISTENER_DESC_LENGTH,
        about="free description",
    ),
    Attribute(
        "ALTDATE", mq.MQCA_ALTERATION_DATE, Kind.STRING, "",
        max_length=mq.MQ_DATE_LENGTH,
        source=Source.SYSTEM,
        about="date of the last change",
    ),
    Attribute(
        "ALTTIME", mq.MQCA_ALTERATION_TIME, Kind.STRING, "",
        max_length=mq.MQ_TIME_LENGTH,
        source=Source.SYSTEM,
        about="time of the last change",
    ),
)  # fmt: skip

CHANNEL_ATTRIBUTES = tuple(replace(row, inquirable=False) for row in _CHANNEL_ROWS)
LISTENER_ATTRIBUTES = tuple(replace(row, inquirable=False) for row in _LISTENER_ROWS)
