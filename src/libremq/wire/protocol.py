"""Numbers of the channel protocol: segment types, flags, capabilities, status codes; and the error of all decoding.

What IBM's decoder-visible protocol names has its number here. What is ours (docs/internals/protocol.md) is marked so:
both ends use it only after each has seen the other's product identifier begin with `LMQ`.
"""

from __future__ import annotations

from enum import IntEnum

from libremq.mqi import constants as C
from libremq.mqi.errors import ConnectionBroken

FAP_LEVEL = 13  # the highest whose connect flow every decoder version reads
PRODUCT_CLIENT = "LMQC00010000"
PRODUCT_SERVER = "LMQM00010000"
OURS = "LMQ"
CCSID = 819  # of the text in our segments
ENCODING = 546  # of our segments: little-endian
MAX_SEGMENT = 65536  # bytes of one segment, offered
MIN_SEGMENT = 1024  # bytes: an offer below that is raised; every fixed part fits
MAX_MESSAGE = 104857600


class Type(IntEnum):
    """Segment types. A reply to an API call is its number plus 0x10."""

    INITIAL_DATA = 0x01
    RESYNC_DATA = 0x02
    RESET_DATA = 0x03
    MESSAGE_DATA = 0x04
    STATUS_DATA = 0x05
    SECURITY_DATA = 0x06
    PING_DATA = 0x07
    USERID_DATA = 0x08
    HEARTBEAT = 0x09
    CONAUTH_INFO = 0x0A
    RENEGOTIATE_DATA = 0x0B
    SOCKET_ACTION = 0x0C
    ASYNC_MESSAGE = 0x0D
    REQUEST_MSGS = 0x0E
    NOTIFICATION = 0x0F
    MQCONN = 0x81
    MQDISC = 0x82
    MQOPEN = 0x83
    MQCLOSE = 0x84
    MQGET = 0x85
    MQPUT = 0x86
    MQPUT1 = 0x87
    MQSET = 0x88
    MQINQ = 0x89
    MQCMIT = 0x8A
    MQBACK = 0x8B
    SPI = 0x8C
    MQSTAT = 0x8D
    MQSUB = 0x8E
    MQSUBRQ = 0x8F
    XA_START = 0xA1
    XA_END = 0xA2
    XA_OPEN = 0xA3
    XA_CLOSE = 0xA4
    XA_PREPARE = 0xA5
    XA_COMMIT = 0xA6
    XA_ROLLBACK = 0xA7
    XA_FORGET = 0xA8
    XA_RECOVER = 0xA9
    XA_COMPLETE = 0xAA
    EXTENSION = 0xC1
    """Ours: a call that the protocol has no public layout for."""


REPLY = 0x10

# Control flags
CONFIRM_REQUEST = 0x01
ERROR = 0x02
REQUEST_CLOSE = 0x04
CLOSE_CHANNEL = 0x08
FIRST = 0x10
LAST = 0x20
WHOLE = FIRST | LAST
REQUEST_ACCEPTED = 0x40
DLQ_USED = 0x80

# Control flags, second byte: which parts of a message are compressed
HEADER_COMPRESSED = 0x01
MESSAGE_COMPRESSED = 0x02
COMPRESSED = HEADER_COMPRESSED | MESSAGE_COMPRESSED

# Capabilities of the initial data
CAP1_MSG_SEQUENCE = 0x01
CAP1_CONVERSION = 0x02
CAP1_SPLIT_MESSAGES = 0x04
CAP1_REQUEST_INITIATION = 0x08
CAP1_MQREQUEST = 0x20
CAP1_CLIENT = CAP1_CONVERSION | CAP1_SPLIT_MESSAGES | CAP1_MQREQUEST
CAP1_MESSAGE_CHANNEL = CAP1_MSG_SEQUENCE | CAP1_CONVERSION | CAP1_SPLIT_MESSAGES
CAP1_REQUESTER = CAP1_MESSAGE_CHANNEL | CAP1_REQUEST_INITIATION
CAP2_DIST_LIST = 0x01
CAP2_FAST_MESSAGES = 0x02
CAP2_XAREQUEST = 0x10
CAP2_SPIREQUEST = 0x40
CAP2_TRACE_ROUTE = 0x80
CAP2_OFFERED = CAP2_DIST_LIST | CAP2_XAREQUEST
CAP2_MESSAGE_CHANNEL = CAP2_FAST_MESSAGES
CAP3_MSG_PROP = 0x01
CAP3_PROT_ALGORITHMS = 0x10
CAP3_FRESH_RESYNC = 0x80
"""Ours: both ends of a message channel say back a number that the other one has just made up."""

# What the answer to initial data corrected
ERR1_CCSID = 0x01
ERR1_ENCODING = 0x02
ERR1_MAX_TRANSMISSION = 0x04
ERR1_FAP_LEVEL = 0x08
ERR1_MAX_MSG = 0x10
ERR1_BATCH_SIZE = 0x20
ERR1_SEQUENCE_WRAP = 0x40
ERR1_HEARTBEAT = 0x80
ERR2_HEADER_COMPRESSION = 0x01
ERR2_MESSAGE_COMPRESSION = 0x02


class Status(IntEnum):
    """Codes of STATUS_DATA: why a channel is refused or ended."""

    NO_CHANNEL = 1
    CHANNEL_WRONG_TYPE = 2
    QM_UNAVAILABLE = 3
    MSG_SEQUENCE_ERROR = 4
    QM_TERMINATING = 5
    CAN_NOT_STORE = 6
    USER_CLOSED = 7
    TIMEOUT_EXPIRED = 8
    TARGET_Q_UNKNOWN = 9
    PROTOCOL_SEGMENT_TYPE = 10
    PROTOCOL_LENGTH_ERROR = 11
    PROTOCOL_INVALID_DATA = 12
    PROTOCOL_SEGMENT_ERROR = 13
    PROTOCOL_ID_ERROR = 14
    PROTOCOL_MSH_ERROR = 15
    PROTOCOL_GENERAL = 16
    BATCH_FAILURE = 17
    MESSAGE_LENGTH_ERROR = 18
    SEGMENT_NUMBER_ERROR = 19
    SECURITY_FAILURE = 20
    WRAP_VALUE_ERROR = 21
    CHANNEL_UNAVAILABLE = 22
    CLOSED_BY_EXIT = 23
    CIPHER_SPEC = 24
    PEER_NAME = 25
    CLIENT_CERTIFICATE = 26
    IN_RECOVERY = 27
    SSL_REFRESHING = 28
    INVALID_HOBJ = 29
    CONV_ID_ERROR = 30
    SOCKET_ACTION_TYPE = 31
    STANDBY_Q_MGR = 32
    CCSID_NOT_SUPPORTED = 240
    ENCODING_INVALID = 241
    FAP_LEVEL = 242
    NEGOTIATION_FAILED = 243


class Action(IntEnum):
    """Types of SOCKET_ACTION."""

    START = 1
    END = 2
    ACCEPT = 8


class Notice(IntEnum):
    """Codes of NOTIFICATION."""

    QM_QUIESCING = 7
    STREAMING_FAILURE = 14
    CLIENT_ASYNC_EMPTY = 15
    CANCEL_GET = 0x4C01
    """Ours: the client no longer waits for its get; the get is answered all the same."""
    CONSUMER_CALL = 0x4C02
    """Ours: a consumer is to be called without a message."""


class ProtocolError(ConnectionBroken):
    """Bytes that are not the protocol. The channel cannot go on; `status` is what to tell the other end.

    An application whose queue manager sends such bytes has lost its connection, as far as it can tell.
    """

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(C.MQRC_CONNECTION_BROKEN, detail=detail)
        self.status = status

    def __reduce__(self) -> tuple[type[ProtocolError], tuple[Status, str]]:
        return ProtocolError, (self.status, self.detail)
