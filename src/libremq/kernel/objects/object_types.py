"""The objects of a queue manager: their definitions, nothing else.

An object carries each attribute of its table as a plain Python attribute, named like the MQSC keyword in
lower case and holding the MQI value, so that the verbs read `queue.maxdepth` and pay for nothing more. The
lines `maxdepth: int`, here and in its neighbours, are for type checkers; `make attributes` writes them from the
rows, so that a new attribute is a new row. The messages of a queue and its open handles live elsewhere. Objects
are made and changed by the catalogue in `catalogue.py`, which checks values; nothing is checked here.
"""

from __future__ import annotations

from typing import ClassVar

from libremq.kernel.objects.attribute_tables import INHERITED_SLOTS, TABLES
from libremq.kernel.objects.channel_definitions import CHANNEL_CLASSES, Channel, ClientConnection, ServerConnection
from libremq.kernel.objects.channel_state_record import ChannelState
from libremq.kernel.objects.channel_sync_record import ChannelSync
from libremq.kernel.objects.heuristic_outcome_record import HeuristicOutcome
from libremq.kernel.objects.object_base import DefinedObject, MQObject, date_and_time, new_object
from libremq.kernel.objects.security_records import (
    AuthenticationInformation,
    AuthorityRecord,
    ChannelAuthentication,
    CrlLdap,
    IdpwLdap,
    IdpwOs,
    KeyedRecord,
    Ocsp,
    PasswordCheck,
)
from libremq.mqi.constants import (
    MQCIT_MULTICAST,
    MQOT_COMM_INFO,
    MQOT_LISTENER,
    MQOT_NAMELIST,
    MQOT_PROCESS,
    MQOT_Q,
    MQOT_Q_MGR,
    MQOT_SERVICE,
    MQOT_TOPIC,
    MQQDT_PERMANENT_DYNAMIC,
    MQQDT_PREDEFINED,
    MQQDT_TEMPORARY_DYNAMIC,
    MQQT_ALIAS,
    MQQT_LOCAL,
    MQQT_MODEL,
    MQQT_REMOTE,
    MQTOPT_LOCAL,
    MQUS_TRANSMISSION,
)

__all__ = [
    "CLASSES",
    "MQ_PORT",
    "AliasQueue",
    "AnyQueue",
    "AuthenticationInformation",
    "AuthorityRecord",
    "Channel",
    "ChannelAuthentication",
    "ChannelState",
    "ChannelSync",
    "ClientConnection",
    "CommunicationInformation",
    "CrlLdap",
    "DefinedObject",
    "HeuristicOutcome",
    "IdpwLdap",
    "IdpwOs",
    "KeyedRecord",
    "Listener",
    "LocalQueue",
    "MQObject",
    "ModelQueue",
    "Namelist",
    "Ocsp",
    "PasswordCheck",
    "Process",
    "Queue",
    "QueueManagerObject",
    "RemoteQueue",
    "ServerConnection",
    "Service",
    "Topic",
    "date_and_time",
    "from_model",
    "new_object",
]

MQ_PORT = 1414  # registered for MQ
_BACKLOG = 100


class Queue(DefinedObject):
    """What the four types of queue have in common."""

    object_type = MQOT_Q
    qtype: ClassVar[int]  # MQQT_*

    capexpry: int
    custom: str
    defpresp: int
    defprty: int
    defpsist: int
    put: int


class _ClusterableQueue(Queue):
    """A queue that can be shared with a cluster: all but models."""

    clusnl: str
    cluster: str
    clwlprty: int
    clwlrank: int
    defbind: int
    scope: int


class _StoredQueue(Queue):
    """What a queue that holds messages has in common with the model of one."""

    acctq: int
    boqname: str
    bothresh: int
    crdate: str
    crtime: str
    defreada: int
    defsopt: int
    deftype: int
    distl: int
    get: int
    hardenbo: int
    imgrcovq: int
    initq: str
    maxdepth: int
    maxfsize: int
    maxmsgl: int
    monq: int
    msgdlvsq: int
    npmclass: int
    process: str
    propctl: int
    qdepthhi: int
    qdepthlo: int
    qdphiev: int
    qdploev: int
    qdpmaxev: int
    qsvciev: int
    qsvcint: int
    retintvl: int
    share: int
    statq: int
    streamq: str
    strmqos: int
    trigdata: str
    trigdpth: int
    trigger: int
    trigmpri: int
    trigtype: int
    usage: int


class LocalQueue(_ClusterableQueue, _StoredQueue):
    kind = "QLOCAL"
    table = TABLES["QLOCAL"]
    qtype = MQQT_LOCAL

    clchname: str
    clwluseq: int

    @property
    def is_transmission_queue(self) -> bool:
        return self.usage == MQUS_TRANSMISSION

    @property
    def is_dynamic(self) -> bool:
        return self.deftype != MQQDT_PREDEFINED

    @property
    def is_temporary(self) -> bool:
        return self.deftype == MQQDT_TEMPORARY_DYNAMIC

    @property
    def is_permanent_dynamic(self) -> bool:
        return self.deftype == MQQDT_PERMANENT_DYNAMIC


class ModelQueue(_StoredQueue):
    kind = "QMODEL"
    table = TABLES["QMODEL"]
    qtype = MQQT_MODEL


class AliasQueue(_ClusterableQueue):
    kind = "QALIAS"
    table = TABLES["QALIAS"]
    qtype = MQQT_ALIAS

    defreada: int
    get: int
    propctl: int
    targq: str
    targtype: int

    @property
    def target(self) -> str:
        return self.targq


class RemoteQueue(_ClusterableQueue):
    """A remote queue, or with a blank RNAME a queue manager alias or a reply-to queue alias."""

    kind = "QREMOTE"
    table = TABLES["QREMOTE"]
    qtype = MQQT_REMOTE

    rname: str
    rqmname: str
    xmitq: str


class Process(DefinedObject):
    kind = "PROCESS"
    object_type = MQOT_PROCESS
    table = TABLES["PROCESS"]

    applicid: str
    appltype: int
    envrdata: str
    userdata: str


class Namelist(DefinedObject):
    kind = "NAMELIST"
    object_type = MQOT_NAMELIST
    table = TABLES["NAMELIST"]

    names: tuple[str, ...]

    @property
    def namcount(self) -> int:
        return len(self.names)


class Listener(DefinedObject):
    kind = "LISTENER"
    object_type = MQOT_LISTENER
    table = TABLES["LISTENER"]

    backlog: int
    control: int
    ipaddr: str
    port: int
    trptype: int

    @property
    def effective_port(self) -> int:
        """The port that it listens on: PORT(0) means MQ's own."""
        return self.port or MQ_PORT

    @property
    def effective_backlog(self) -> int:
        return self.backlog or _BACKLOG


class Service(DefinedObject):
    """A program that the queue manager starts and ends."""

    kind = "SERVICE"
    object_type = MQOT_SERVICE
    table = TABLES["SERVICE"]

    control: int
    servtype: int
    startarg: str
    startcmd: str
    stderr: str
    stdout: str
    stoparg: str
    stopcmd: str


class Topic(DefinedObject):
    """A node of the topic tree with settings of its own. Nothing publishes yet."""

    kind = "TOPIC"
    object_type = MQOT_TOPIC
    table = TABLES["TOPIC"]
    type: ClassVar[int] = MQTOPT_LOCAL

    capexpry: int
    clroute: int
    cluster: str
    comminfo: str
    custom: str
    defpresp: int
    defprty: int
    defpsist: int
    dursub: int
    mcast: int
    mdurmdl: str
    mndurmdl: str
    npmsgdlv: int
    pmsgdlv: int
    proxysub: int
    pub: int
    pubscope: int
    sub: int
    subscope: int
    topicstr: str
    usedlq: int
    wildcard: int


class CommunicationInformation(DefinedObject):
    """Settings of multicast, which does not exist here: the object is only kept."""

    kind = "COMMINFO"
    object_type = MQOT_COMM_INFO
    table = TABLES["COMMINFO"]
    type: ClassVar[int] = MQCIT_MULTICAST

    bridge: int
    ccsid: int
    commev: int
    encoding: int
    grpaddr: str
    mchbint: int
    mcprop: tuple[int, ...]
    monint: int
    msghist: int
    nsubhist: int
    port: int


class QueueManagerObject(DefinedObject):
    kind = "QMGR"
    object_type = MQOT_Q_MGR
    table = TABLES["QMGR"]

    # Which system objects it was given: no attribute, but kept with them
    system_level: int

    acctcono: int
    acctint: int
    acctmqi: int
    acctq: int
    activrec: int
    actvcono: int
    actvtrc: int
    advcap: int
    amqpcap: int
    authevsc: int
    authorev: int
    ccsid: int
    certlabl: str
    certvpol: int
    chad: int
    chadev: int
    chadexit: str
    chlauth: int
    chlev: int
    clwldata: str
    clwlexit: str
    clwllen: int
    clwlmruc: int
    clwluseq: int
    cmdev: int
    cmdlevel: int
    commandq: str
    configev: int
    connauth: str
    crdate: str
    crtime: str
    custom: str
    deadq: str
    defclxq: int
    defxmitq: str
    distl: int
    imgintvl: int
    imglogln: int
    imgrcovo: int
    imgrcovq: int
    imgsched: int
    inhibtev: int
    initkey: str
    ipaddrv: int
    keyrpwd: str
    localev: int
    loggerev: int
    markint: int
    maxhands: int
    maxmsgl: int
    maxpropl: int
    maxprty: int
    maxumsgs: int
    monacls: int
    monchl: int
    monq: int
    parent: str
    perfmev: int
    platform: int
    psclus: int
    psmode: int
    psnpmsg: int
    psnpres: int
    psrtycnt: int
    pssyncpt: int
    qmid: str
    remoteev: int
    repos: str
    reposnl: str
    revdns: int
    routerec: int
    schinit: int
    scmdserv: int
    splcap: int
    sslcrlnl: str
    sslcryp: str
    sslev: int
    sslfips: int
    sslkeyr: str
    sslrkeyc: int
    statacls: int
    statchl: int
    statint: int
    statmqi: int
    statq: int
    strstpev: int
    suiteb: tuple[int, ...]
    syncpt: int
    treelife: int
    trigint: int
    version: str
    xrcap: int

    @property
    def qmname(self) -> str:
        return self.name


AnyQueue = LocalQueue | AliasQueue | RemoteQueue | ModelQueue

_CLASSES: tuple[type[MQObject], ...] = (
    QueueManagerObject,
    LocalQueue,
    ModelQueue,
    AliasQueue,
    RemoteQueue,
    Process,
    Namelist,
    *CHANNEL_CLASSES,
    Listener,
    Service,
    Topic,
    CrlLdap,
    Ocsp,
    IdpwOs,
    IdpwLdap,
    CommunicationInformation,
    ChannelAuthentication,
    AuthorityRecord,
    ChannelSync,
    ChannelState,
    HeuristicOutcome,
)

CLASSES: dict[str, type[MQObject]] = {cls.kind: cls for cls in _CLASSES}


def from_model(model: ModelQueue, name: str, now: float) -> LocalQueue:
    """The definition of a dynamic queue: the attributes of the model, DEFTYPE among them, and a name.

    Attributes that models do not have (all about clusters, and SCOPE) get the supplied defaults, not those of
    SYSTEM.DEFAULT.LOCAL.QUEUE: a dynamic queue is never shared with a cluster by accident.
    """
    queue = new_object(LocalQueue, name, LocalQueue.table.defaults)
    queue.__dict__.update({slot: model.__dict__[slot] for slot in INHERITED_SLOTS})
    queue.crdate, queue.crtime = queue.altdate, queue.alttime = date_and_time(now)
    return queue
