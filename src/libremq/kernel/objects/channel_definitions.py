"""Channels of all types: definitions only.

Message channels (SDR, SVR, RCVR, RQSTR) are run by the package `channels`, server connections by the server. CLUSSDR,
CLUSRCVR and AMQP channels can be kept, but nothing runs them yet. The classes share what the types share, so that code
which runs channels can ask for a sort of channel.
"""

from __future__ import annotations

from typing import ClassVar

from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.object_base import DefinedObject
from libremq.mqi import constants as mq


class Channel(DefinedObject):
    """What all types of channel have in common."""

    object_type = mq.MQOT_CHANNEL
    chltype: ClassVar[int]  # MQCHT_*

    maxmsgl: int
    sslciph: str
    sslpeer: str


class TransportChannel(Channel):
    """A channel of MQ's own protocol: all but AMQP."""

    comphdr: tuple[int, ...]
    compmsg: tuple[int, ...]
    hbint: int
    kaint: int
    rcvdata: tuple[str, ...]
    rcvexit: tuple[str, ...]
    scydata: str
    scyexit: str
    senddata: tuple[str, ...]
    sendexit: tuple[str, ...]
    trptype: int


class CallingChannel(TransportChannel):
    """A channel that may connect to its partner by itself."""

    conname: str
    locladdr: str
    modename: str
    tpname: str


class MessageChannel(TransportChannel):
    """A channel between queue managers."""

    batchsz: int
    mcauser: str
    monchl: int
    msgdata: tuple[str, ...]
    msgexit: tuple[str, ...]
    npmspeed: int
    seqwrap: int
    statchl: int
    usedlq: int


class SendingChannel(MessageChannel, CallingChannel):
    """A message channel that sends, or whose definition others use to send."""

    batchhb: int
    batchint: int
    batchlim: int
    convert: int
    discint: int
    longrty: int
    longtmr: int
    mcaname: str
    mcatype: int
    propctl: int
    shortrty: int
    shorttmr: int


class ReceivingChannel(MessageChannel):
    """A message channel that receives."""

    certlabl: str
    mrdata: str
    mrexit: str
    mrrty: int
    mrtmr: int
    putaut: int
    sslcauth: int


class ClusterChannel(SendingChannel):
    clusnl: str
    cluster: str
    clwlprty: int
    clwlrank: int
    clwlwght: int


class Sender(SendingChannel):
    kind = "SDR"
    table = TABLES["SDR"]
    chltype = mq.MQCHT_SENDER

    certlabl: str
    password: str
    userid: str
    xmitq: str


class Server(SendingChannel):
    kind = "SVR"
    table = TABLES["SVR"]
    chltype = mq.MQCHT_SERVER

    certlabl: str
    password: str
    sslcauth: int
    userid: str
    xmitq: str


class Receiver(ReceivingChannel):
    kind = "RCVR"
    table = TABLES["RCVR"]
    chltype = mq.MQCHT_RECEIVER


class Requester(ReceivingChannel, CallingChannel):
    kind = "RQSTR"
    table = TABLES["RQSTR"]
    chltype = mq.MQCHT_REQUESTER

    mcaname: str
    mcatype: int
    password: str
    userid: str


class ClientConnection(CallingChannel):
    """The client's end of a client channel, for client tables. It has a set of names of its own."""

    kind = "CLNTCONN"
    table = TABLES["CLNTCONN"]
    chltype = mq.MQCHT_CLNTCONN

    affinity: int
    certlabl: str
    clntwght: int
    defrecon: int
    password: str
    qmname: str
    sharecnv: int
    userid: str


class ServerConnection(TransportChannel):
    """The end of a client channel at the queue manager."""

    kind = "SVRCONN"
    table = TABLES["SVRCONN"]
    chltype = mq.MQCHT_SVRCONN

    certlabl: str
    discint: int
    maxinst: int
    maxinstc: int
    mcauser: str
    monchl: int
    sharecnv: int
    sslcauth: int


class ClusterSender(ClusterChannel):
    kind = "CLUSSDR"
    table = TABLES["CLUSSDR"]
    chltype = mq.MQCHT_CLUSSDR

    password: str
    userid: str


class ClusterReceiver(ClusterChannel, ReceivingChannel):
    kind = "CLUSRCVR"
    table = TABLES["CLUSRCVR"]
    chltype = mq.MQCHT_CLUSRCVR

    netprty: int


class AmqpChannel(Channel):
    kind = "AMQP"
    table = TABLES["AMQP"]
    chltype = mq.MQCHT_AMQP

    amqpka: int
    certlabl: str
    locladdr: str
    maxinst: int
    mcauser: str
    port: int
    sslcauth: int
    tmpmodel: str
    tmpqprfx: str
    tproot: str
    usecltid: int


CHANNEL_CLASSES: tuple[type[Channel], ...] = (
    Sender,
    Server,
    Receiver,
    Requester,
    ClientConnection,
    ServerConnection,
    ClusterSender,
    ClusterReceiver,
    AmqpChannel,
)
