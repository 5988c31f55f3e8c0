"""The objects of a queue manager: their definitions, nothing else.

An object carries each attribute of its table as a plain Python attribute, named like the MQSC keyword in
lower case and holding the MQI value, so that the verbs read `queue.maxdepth` and pay for nothing more. The
messages of a queue and its open handles live elsewhere. Objects are made and changed by the catalogue in
`definitions.py`, which checks values; nothing is checked here.
"""

from __future__ import annotations

import time
from typing import ClassVar, TypeVar

from libremq.kernel.attribute_tables import INHERITED_SLOTS, TABLES
from libremq.kernel.attributes import AttributeTable, Value
from libremq.mqi.constants import (
    MQCHT_SVRCONN,
    MQOT_CHANNEL,
    MQOT_LISTENER,
    MQOT_NAMELIST,
    MQOT_PROCESS,
    MQOT_Q,
    MQOT_Q_MGR,
    MQQDT_PERMANENT_DYNAMIC,
    MQQDT_PREDEFINED,
    MQQDT_TEMPORARY_DYNAMIC,
    MQQT_ALIAS,
    MQQT_LOCAL,
    MQQT_MODEL,
    MQQT_REMOTE,
    MQUS_TRANSMISSION,
)

MQ_PORT = 1414  # registered for MQ
_BACKLOG = 100

_Object = TypeVar("_Object", bound="MQObject")


class MQObject:
    """What all objects have: a name, a description, the time of the last change."""

    kind: ClassVar[str]  # the MQSC word: QLOCAL, PROCESS, ...
    object_type: ClassVar[int]  # MQOT_*
    table: ClassVar[AttributeTable]

    name: str
    descr: str
    altdate: str
    alttime: str

    def __repr__(self) -> str:
        return f"{self.kind}({self.name})"


class Queue(MQObject):
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


class Process(MQObject):
    kind = "PROCESS"
    object_type = MQOT_PROCESS
    table = TABLES["PROCESS"]

    applicid: str
    appltype: int
    envrdata: str
    userdata: str


class Namelist(MQObject):
    kind = "NAMELIST"
    object_type = MQOT_NAMELIST
    table = TABLES["NAMELIST"]

    names: tuple[str, ...]

    @property
    def namcount(self) -> int:
        return len(self.names)


class Channel(MQObject):
    """What all types of channel have in common."""

    object_type = MQOT_CHANNEL
    chltype: ClassVar[int]  # MQCHT_*

    certlabl: str
    comphdr: tuple[int, ...]
    compmsg: tuple[int, ...]
    hbint: int
    kaint: int
    maxmsgl: int
    mcauser: str
    monchl: int
    rcvdata: tuple[str, ...]
    rcvexit: tuple[str, ...]
    scydata: str
    scyexit: str
    senddata: tuple[str, ...]
    sendexit: tuple[str, ...]
    sslciph: str
    sslpeer: str
    trptype: int


class ServerConnection(Channel):
    """The end of a client channel at the queue manager."""

    kind = "SVRCONN"
    table = TABLES["SVRCONN"]
    chltype = MQCHT_SVRCONN

    discint: int
    maxinst: int
    maxinstc: int
    sharecnv: int
    sslcauth: int


class Listener(MQObject):
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


class QueueManagerObject(MQObject):
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

CLASSES: dict[str, type[MQObject]] = {
    cls.kind: cls
    for cls in (
        QueueManagerObject,
        LocalQueue,
        ModelQueue,
        AliasQueue,
        RemoteQueue,
        Process,
        Namelist,
        ServerConnection,
        Listener,
    )
}


def new_object(cls: type[_Object], name: str, values: dict[str, Value]) -> _Object:
    """An object with these values, which must be checked and complete."""
    made = cls.__new__(cls)
    made.__dict__.update(values)
    made.name = name
    return made


def date_and_time(now: float) -> tuple[str, str]:
    """The date and time of a definition as MQ shows them, in UTC."""
    stamp = time.strftime("%Y-%m-%d %H.%M.%S", time.gmtime(now))
    return stamp[:10], stamp[11:]


def from_model(model: ModelQueue, name: str, now: float) -> LocalQueue:
    """The definition of a dynamic queue: the attributes of the model, DEFTYPE among them, and a name.

    Attributes that models do not have (all about clusters, and SCOPE) get the supplied defaults, not those of
    SYSTEM.DEFAULT.LOCAL.QUEUE: a dynamic queue is never shared with a cluster by accident.
    """
    queue = new_object(LocalQueue, name, LocalQueue.table.defaults)
    queue.__dict__.update({slot: model.__dict__[slot] for slot in INHERITED_SLOTS})
    queue.crdate, queue.crtime = queue.altdate, queue.alttime = date_and_time(now)
    return queue
