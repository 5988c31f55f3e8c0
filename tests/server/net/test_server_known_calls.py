"""Known calls: whoever has their puts and gets run by their bytes cannot tell, and neither can log and queues.

Random plays are tried with known calls and without; rows before them show what matters most. `helper_two_ways` says
what is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from helper_peers import Peer, held_bytes, wait_until
from helper_two_ways import (
    A1,
    A2,
    ALIAS,
    B1,
    CLOSED,
    SMALL_MAX,
    Advance,
    Alter,
    Become,
    Burst,
    Call,
    Get,
    P,
    Put,
    Q,
    Reopen,
    Step,
    Take,
    TwoWays,
    Wait,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from libremq.kernel.properties.message_properties import Properties
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO
from libremq.mqi.variable_headers import MQRFH2
from libremq.server.diagnostics.flow_trace import FlowTrace
from libremq.server.diagnostics.trace_options import TraceOptions
from libremq.testing.serving import served_queue_manager
from libremq.wire import calls
from libremq.wire.protocol import MAX_SEGMENT, REPLY, Type
from libremq.wire.segments import frame

PERSISTENT = ("Persistence", C.MQPER_PERSISTENT)
AS_QUEUE = ("Persistence", C.MQPER_PERSISTENCE_AS_Q_DEF)
ASYNC = C.MQPMO_NO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE
COMMIT, BACKOUT, STATUS = Call(A1, Type.MQCMIT), Call(A1, Type.MQBACK), Call(A1, Type.MQSTAT)
WITH_PROPERTIES = MQRFH2(Format=C.MQFMT_STRING, NameValueData=["<usr><a>1</a></usr>"]).pack() + b"data"
PROPERTIES = Properties({"color": "green"}).encode()
_MANY_KINDS = Properties(
    {"a.b": 1, "yes": True, "maybe.no": False, "none": None, "weight": 1.5, "raw": b"\x80\0", "long": "x" * 200}
)
_MANY_KINDS.set("short", 7, C.MQTYPE_INT16)
_MANY_KINDS.set("ü", "ö")
_FLOAT32, _DESCRIBED = Properties(), Properties({"first": 1})
_FLOAT32.set("small", 1.25, C.MQTYPE_FLOAT32)
_DESCRIBED.set("described", "x", context=C.MQPD_USER_CONTEXT)
BLOCKS = {
    "one": PROPERTIES,
    "of many kinds": _MANY_KINDS.encode(),
    "a float of four bytes": _FLOAT32.encode(),
    "with a descriptor": _DESCRIBED.encode(),
    "two of one name": b"\1\2\3\1a\1x\3\1a\1y",
    "true that is 2": b"\1\1\1\1a\2",
    "a length in more bytes than it needs": b"\1\1\3\1a\x81\0x",
    "a count in more bytes than it needs": b"\1\x81\0\3\1a\1x",
    "no UTF-8": b"\1\1\3\1a\1\xff",
    "a name that is no UTF-8": b"\1\1\3\1\xff\1x",
    "cut short": b"\1\2\3\1a\1x",
    "a byte too many": PROPERTIES + b"x",
    "of a version to come": b"\2" + PROPERTIES[1:],
    "of a type to come": b"\1\1\x0f\1a\1x",
    "none, with a version": b"\1\0",
    "the version alone": b"\1",
    "a value longer than all": b"\1\1\3\1a\x7fx",
}
"""Properties as a client sends them: as ours does, and as nobody should."""
IN_HANDLE = C.MQGMO_NO_SYNCPOINT | C.MQGMO_PROPERTIES_IN_HANDLE
NO_PROPERTIES = MQRFH2(Format=C.MQFMT_STRING).pack() + b"data"


@pytest.fixture(scope="module")
def two_ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoWays]:
    with pytest.MonkeyPatch.context() as patch:
        two = TwoWays(tmp_path_factory.mktemp("data"), patch)
        yield two
        two.end()


def altered(name: str = Q, kind: str = "QLOCAL", **attributes: str) -> Alter:
    return Alter(kind, name, tuple(attributes.items()))


def bursts(*made: Put | Get | Take | Call | Reopen) -> list[Step]:
    """Each for itself: the first of a kind is known when the next comes."""
    return [one if isinstance(one, Reopen) else Burst((one,)) for one in made]


def some(count: int, length: int = 100) -> tuple[int, ...]:
    return (length,) * count


ONE = Put(lengths=some(1))
MANY = Put(lengths=some(10))
TO_Q = Put(put1=True)

ROWS: dict[str, tuple[list[Step], int]] = {
    "ids that are given, and ids that are made": (bursts(ONE, MANY._replace(ids=(0, 1, 2))), 10),
    "new ids": (bursts(*[Put(options=C.MQPMO_NEW_MSG_ID | C.MQPMO_NEW_CORREL_ID, lengths=some(3), ids=(1,))] * 2), 3),
    "persistent": (
        bursts(Put(fields=(PERSISTENT,)), Put(fields=(PERSISTENT,), lengths=some(70)), *[Get(count=70)] * 2),
        60,
    ),
    "a unit of work": (
        bursts(*[Put(fields=(PERSISTENT,), options=C.MQPMO_SYNCPOINT, lengths=some(5))] * 2, COMMIT),
        5,
    ),
    "the next unit of work, which goes on": (
        bursts(*[Put(options=C.MQPMO_SYNCPOINT)] * 2, COMMIT, Put(options=C.MQPMO_SYNCPOINT)),
        2,
    ),
    "what a get has seen": (
        [
            altered(MAXMSGL=str(SMALL_MAX)),
            *bursts(Put(fields=(PERSISTENT,)), Get(B1, options=C.MQGMO_SYNCPOINT)) * 3,
        ],
        4,
    ),
    "the next unit of work, which goes on, of gets": (
        bursts(MANY, *[Get(options=C.MQGMO_SYNCPOINT)] * 2, COMMIT, *[Get(options=C.MQGMO_SYNCPOINT)]),
        2,
    ),
    "a unit of work that is backed out": (
        bursts(
            *[Put(options=C.MQPMO_SYNCPOINT, lengths=some(5))] * 2,
            BACKOUT,
            MANY,
            *[Get()] * 2,
            *[Get(options=C.MQGMO_SYNCPOINT)] * 4,
            BACKOUT,
            *[Get(options=C.MQGMO_SYNCPOINT)] * 3,
        ),
        5,
    ),
    "syncpoint if persistent": (
        bursts(
            *[Put(fields=(PERSISTENT,)), ONE] * 3,
            *[Get(options=C.MQGMO_SYNCPOINT_IF_PERSISTENT)] * 5,
            BACKOUT,
            *[Get()] * 3,
        ),
        4,
    ),
    "no answers": (bursts(Put(options=ASYNC), Put(options=ASYNC, lengths=some(9)), STATUS, STATUS), 9),
    "no context": (bursts(Put(options=C.MQPMO_NO_CONTEXT), Put(options=C.MQPMO_NO_CONTEXT)), 1),
    "the time goes on": ([*bursts(ONE, ONE), Advance(0.37), *bursts(MANY), Advance(0.01), *bursts(MANY)], 21),
    "expiry": (
        [
            *bursts(*[Put(fields=(("Expiry", 50),), lengths=some(3))] * 3, *[Get()] * 2),
            Advance(2.35),
            *bursts(*[Get()] * 2),
            Advance(3),
            *bursts(Get(), MANY, Get(), Get()),
        ],
        6,
    ),
    "CAPEXPRY": ([*bursts(ONE, ONE), altered(CAPEXPRY="20"), *bursts(ONE, MANY), Advance(2), *bursts(Get())], 10),
    "an alias for the reply queue": (bursts(*[Put(fields=(("ReplyToQ", "REPLY.ALIAS"),))] * 3), 0),
    "a reply queue": (bursts(*[Put(fields=(("ReplyToQ", "R"),))] * 3), 2),
    "reports": (
        bursts(*[Put(fields=(("ReplyToQ", "R"), ("Report", C.MQRO_COA | C.MQRO_COD)))] * 3, ONE, *[Get()] * 4),
        0,
    ),
    "a group": (
        bursts(
            MANY,
            MANY,
            Put(fields=(("MsgFlags", C.MQMF_MSG_IN_GROUP),), options=C.MQPMO_LOGICAL_ORDER),
            MANY,
            *[Get()] * 8,
            Get(count=20),
            MANY,
        ),
        10,
    ),
    "a group that a backout forgets": (
        bursts(
            *[Put(options=C.MQPMO_SYNCPOINT)] * 2,
            Put(fields=(("MsgFlags", C.MQMF_MSG_IN_GROUP),), options=C.MQPMO_LOGICAL_ORDER | C.MQPMO_SYNCPOINT),
            BACKOUT,
            MANY,
            MANY,
        ),
        11,
    ),
    "properties in the data": (
        bursts(*[Put(fields=(("Format", "MQHRF2"),), data=WITH_PROPERTIES)] * 3, MANY, *[Get(message_handle=1)] * 6),
        3,
    ),
    "properties of a message handle": (
        bursts(*[Put(properties=PROPERTIES)] * 6, *[Get(message_handle=1)] * 2, *[Get(options=IN_HANDLE)] * 2)
        + bursts(*[Get(options=IN_HANDLE, message_handle=1)] * 3),
        6,
    ),
    "properties of all sorts": (
        bursts(Put(properties=PROPERTIES), ONE, *[Get(options=IN_HANDLE, message_handle=1)] * 2)
        + bursts(*(Put(properties=block, lengths=some(2)) for block in BLOCKS.values()))
        + bursts(*[Get(options=IN_HANDLE, message_handle=1)] * 40, ONE, Get(options=IN_HANDLE, message_handle=1)),
        16,
    ),
    "properties that come and go, answered and not, in units of work, and persistent": (
        bursts(*[Put(properties=PROPERTIES), ONE, Put(properties=_MANY_KINDS.encode(), fields=(PERSISTENT,))] * 3)
        + bursts(*[Put(properties=PROPERTIES, options=ASYNC, lengths=some(3))] * 2, STATUS)
        + bursts(*[Put(properties=PROPERTIES, options=C.MQPMO_SYNCPOINT), MANY._replace(options=C.MQPMO_SYNCPOINT)] * 3)
        + bursts(BACKOUT, *[Get(options=IN_HANDLE, message_handle=1, count=4)] * 3, Take(options=IN_HANDLE)),
        39,
    ),
    "properties, and a limit for them": (
        [
            *bursts(*[Put(properties=PROPERTIES)] * 2),
            altered("", "QMGR", MAXPROPL="3"),
            *bursts(*[Put(properties=PROPERTIES)] * 2),
            altered("", "QMGR", MAXPROPL="12"),
            *bursts(*[Put(properties=PROPERTIES)] * 2, *[Put(properties=_MANY_KINDS.encode())] * 2),
            altered("", "QMGR", MAXPROPL="NOLIMIT"),
            altered(MAXMSGL="99"),
            *bursts(*[Put(properties=PROPERTIES, lengths=(99, 100))] * 2),
        ],
        1,
    ),
    "gets by ids": (
        bursts(*[Put(ids=(1, 2, 0, 1), lengths=some(8))] * 2, Get(ids=3), *[Get(ids=1), Get(), Get(ids=2)] * 3)
        + bursts(*[Get(ids=1, match=C.MQMO_MATCH_CORREL_ID), Get(ids=2, match=C.MQMO_MATCH_MSG_ID)] * 2)
        + bursts(*[Get(ids=9, match=C.MQMO_NONE)] * 2, *[Get(ids=1, options=C.MQGMO_SYNCPOINT)] * 2, BACKOUT)
        + bursts(*[Get(ids=1)] * 9, Get(ids=9)),
        18,
    ),
    "gets by ids, of messages that expire, have priorities, and are passed by": (
        [
            *bursts(
                Put(ids=(1,), fields=(("Expiry", 20),)), Put(ids=(1,)), *[Put(ids=(1,), fields=(("Priority", 7),))] * 2
            )
            + bursts(Get(ids=1), Get(ids=1)),
            Advance(3),
            *bursts(Put(ids=(1,), properties=PROPERTIES), Get(ids=1), Get(ids=1), Get(ids=1), Get()),
        ],
        2,
    ),
    "puts that differ behind their ids": (
        bursts(*[ONE, Put(options=C.MQPMO_SYNCPOINT), Put(fields=(("ReplyToQ", "R"),)), Put(properties=PROPERTIES)] * 3)
        + bursts(*[TO_Q, TO_Q._replace(options=C.MQPMO_SYNCPOINT)] * 3, COMMIT),
        12,
    ),
    "puts that differ in their head only": (
        [
            *bursts(ONE, ONE._replace(to=P)),
            Burst((ONE, ONE._replace(to=P), ONE, Put(fields=(("Priority", 3),)), ONE._replace(request=2), ONE)),
        ],
        3,
    ),
    "properties in the data, behind messages that have none": (
        bursts(*[Put(lengths=(4,))] * 3, *[Put(fields=(("Format", "MQHRF2"),), data=WITH_PROPERTIES)] * 2)
        + bursts(*[Get(message_handle=1)] * 6),
        2,
    ),
    "a get in a group, and one out of it": (
        bursts(*[MANY], *[Put(fields=(("MsgFlags", C.MQMF_MSG_IN_GROUP),), options=C.MQPMO_LOGICAL_ORDER)] * 2)
        + bursts(*[Get()] * 9, MANY, Get(), Get(options=C.MQGMO_LOGICAL_ORDER), Get(), Get(), Get()),
        8,
    ),
    "gets disabled": ([*bursts(MANY, Get(), Get()), altered(GET="DISABLED"), *bursts(Get(), Take())], 1),
    "gets disabled on the alias": (
        [
            *bursts(MANY, Get(source=ALIAS), Get(source=ALIAS)),
            altered(ALIAS, "QALIAS", GET="DISABLED"),
            *bursts(Get(source=ALIAS), Get()),
        ],
        1,
    ),
    "puts disabled on the way": (
        [*bursts(*[Put(to=ALIAS)] * 2), altered(ALIAS, "QALIAS", PUT="DISABLED"), *bursts(Put(to=ALIAS), ONE, ONE)],
        2,
    ),
    "MAXDEPTH": ([altered(MAXDEPTH="7"), *bursts(ONE, MANY, MANY, Get(), ONE, ONE)], 6),
    "MAXDEPTH, and nobody waits for the answer": (
        [
            altered(MAXDEPTH="7", DEFPRESP="ASYNC"),
            *bursts(MANY._replace(options=0), STATUS, Get(count=10)),
            altered(MAXDEPTH="9"),
            *bursts(MANY._replace(options=0), STATUS),
        ],
        0,
    ),
    "an answer by the queue's default, and a put that fails": (
        [
            altered(DEFPRESP="ASYNC", MAXDEPTH="1"),
            *bursts(Put(options=0, lengths=some(2)), Get(), Put(options=0)),
            *bursts(STATUS),
        ],
        0,
    ),
    "a priority that is too high, by the queue's default answer": (
        [altered(DEFPRESP="ASYNC"), *bursts(*[Put(options=0, fields=(("Priority", 12),))] * 3, STATUS)],
        0,
    ),
    "MAXMSGL": ([altered(MAXMSGL="99"), *bursts(ONE, Put(lengths=(99,)), Put(lengths=(99, 100, 99)))], 1),
    "MAXMSGL of the channel": (
        bursts(
            *[Put(B1, lengths=(SMALL_MAX, 1))] * 2,
            Put(B1, lengths=(SMALL_MAX + 1, 1)),
            Put(B1, options=ASYNC),
            Put(B1, options=ASYNC, lengths=(1, SMALL_MAX + 1)),
            Call(B1, Type.MQSTAT),
        ),
        3,
    ),
    "a message that is longer than a channel's MAXMSGL": (
        [
            altered(MAXMSGL=str(SMALL_MAX)),
            *bursts(ONE, ONE, Get(B1), Get(B1)),
            altered(MAXMSGL="4194304"),
            *bursts(*[Put(lengths=(SMALL_MAX, SMALL_MAX + 1))] * 2, *[Get(B1)] * 4, Take(B1)),
        ],
        4,
    ),
    "a message of several segments": (bursts(*[Put(lengths=(80_000,))] * 3, *[Get()] * 3, *[Put()] * 2), 1),
    "MAXUMSGS": (
        [
            altered("", "QMGR", MAXUMSGS="5"),
            *bursts(
                Put(options=C.MQPMO_SYNCPOINT, lengths=some(2)),
                Put(options=C.MQPMO_SYNCPOINT, lengths=some(5)),
                COMMIT,
                Get(options=C.MQGMO_SYNCPOINT),
                Get(options=C.MQGMO_SYNCPOINT),
                Put(options=C.MQPMO_SYNCPOINT, lengths=some(5)),
                COMMIT,
            ),
        ],
        2,
    ),
    "MAXUMSGS, of gets": (
        [
            altered("", "QMGR", MAXUMSGS="3"),
            *bursts(MANY, *[Get(options=C.MQGMO_SYNCPOINT)] * 4, BACKOUT, Take(options=C.MQGMO_SYNCPOINT), COMMIT),
        ],
        2,
    ),
    "a handle that is closed": (
        [
            *bursts(ONE, ONE, Get(), Get()),
            Reopen(A1, Q),
            *bursts(Put(to=CLOSED), Get(source=CLOSED), ONE, ONE, Get(), Get(), Get()),
        ],
        2,
    ),
    "a getter that waits": (
        [
            *bursts(ONE, Put(fields=(PERSISTENT,)), Get(count=2)),
            Wait(Get(B1)),
            *bursts(MANY, Get(count=9)),
            Wait(Get(A2)),
            *bursts(Put(fields=(PERSISTENT,), lengths=some(3)), Get(count=2)),
            Wait(Get(B1, options=C.MQGMO_SYNCPOINT)),
        ],
        10,
    ),
    "calls of one that waits, among those of another": (
        [
            *bursts(ONE, Put(A1, to=P), Put(A2), Get(A2), Get(A2)),
            Wait(Get(A2)),
            Burst((Put(A1, to=P), Put(A2), Put(A1, to=P), ONE, Get(A2))),
        ],
        1,
    ),
    "triggers and events": (
        [
            altered("", "QMGR", PERFMEV="ENABLED", MONQ="HIGH"),
            altered(
                TRIGGER="TRIGGER", TRIGTYPE="EVERY", INITQ="INITQ", QDPHIEV="ENABLED", QDEPTHHI="50", MAXDEPTH="12"
            ),
            *bursts(ONE, MANY, MANY, *[Get()] * 5, Take(count=20), MANY),
        ],
        8,
    ),
    "defaults that change": (
        [
            *bursts(*[Put(fields=(AS_QUEUE,))] * 2),
            altered(DEFPSIST="YES", DEFPRTY="5"),
            *bursts(*[Put(fields=(AS_QUEUE, ("Priority", -1)))] * 3),
            Advance(1),
        ],
        2,
    ),
    "batches": (
        bursts(
            Put(lengths=some(64)),
            MANY,
            Take(count=25),
            Take(count=5, room=1000),
            Take(options=C.MQGMO_SYNCPOINT, count=30),
            BACKOUT,
            Take(count=99),
        ),
        10,
    ),
    "a selection by another number": (bursts(MANY, Take(count=5, selection_index=7)), 0),
    "a queue manager that is about to end": (
        [
            *bursts(
                *[Put(options=C.MQPMO_FAIL_IF_QUIESCING)] * 2, ONE, ONE, *[Get(options=C.MQGMO_FAIL_IF_QUIESCING)] * 2
            ),
            Become(quiescing=True),
            *bursts(
                Put(options=C.MQPMO_FAIL_IF_QUIESCING),
                ONE,
                Get(options=C.MQGMO_FAIL_IF_QUIESCING),
                Take(options=C.MQGMO_FAIL_IF_QUIESCING),
            ),
            Become(),
            *bursts(ONE),
        ],
        4,
    ),
    "a damaged queue": (
        [
            *bursts(*[Put(ids=(1,), lengths=some(3))] * 2, Get(), Get()),
            Become(damaged=True),
            *bursts(Put(ids=(1,)), Get(), Take(), Put(ids=(1,))),
            Become(),
            *bursts(Put(ids=(1,)), Get()),
        ],
        6,
    ),
    "a unit of work that the queue manager has backed out": (
        [
            *bursts(MANY, *[Put(options=C.MQPMO_SYNCPOINT)] * 2, *[Get(options=C.MQGMO_SYNCPOINT)] * 2),
            Become(backed_out=A1),
            *bursts(Put(options=C.MQPMO_SYNCPOINT), Get(options=C.MQGMO_SYNCPOINT)),
            *bursts(Get(options=C.MQGMO_SYNCPOINT)),
            Become(backed_out=A1),
            *bursts(Get(options=C.MQGMO_SYNCPOINT)),
        ],
        2,
    ),
    "puts to a queue that is not opened": (
        bursts(TO_Q, TO_Q, TO_Q._replace(to=ALIAS), TO_Q._replace(lengths=some(4), ids=(0, 1)), TO_Q._replace(by=A2))
        + bursts(TO_Q._replace(to=ALIAS, ids=(2,)), ONE, TO_Q, Get(count=3), Reopen(A1, P), TO_Q),
        7,
    ),
    "such puts in a unit of work": (
        bursts(*[TO_Q._replace(options=C.MQPMO_SYNCPOINT)] * 3, COMMIT, *[TO_Q._replace(fields=(PERSISTENT,))] * 2)
        + bursts(*[TO_Q._replace(options=C.MQPMO_SYNCPOINT)] * 2, BACKOUT, Get(count=9)),
        5,
    ),
    "such puts, while definitions change": (
        [
            *bursts(TO_Q, TO_Q, TO_Q._replace(to=ALIAS)),
            altered(PUT="DISABLED"),
            *bursts(TO_Q, TO_Q, TO_Q._replace(to=ALIAS)),
            altered(PUT="ENABLED", DEFPSIST="YES"),
            *bursts(*[TO_Q._replace(fields=(AS_QUEUE,))] * 3),
            altered(MAXDEPTH="9", MAXMSGL="101"),
            *bursts(TO_Q._replace(lengths=some(5)), TO_Q._replace(lengths=(101, 102))),
        ],
        3,
    ),
    "such puts, with properties, reports, and too long": (
        bursts(*[TO_Q._replace(properties=PROPERTIES)] * 3, TO_Q, TO_Q)
        + bursts(*[TO_Q._replace(fields=(("ReplyToQ", "R"), ("Report", C.MQRO_COA)))] * 2)
        + bursts(*[TO_Q._replace(by=B1, lengths=(SMALL_MAX,))] * 2, TO_Q._replace(by=B1, lengths=(SMALL_MAX + 1,)))
        + bursts(TO_Q._replace(lengths=(80_000,)), TO_Q, *[TO_Q._replace(options=ASYNC)] * 2, STATUS),
        3,
    ),
    "an order of delivery": (
        [
            altered(MSGDLVSQ="FIFO"),
            *bursts(*[Put(fields=(("Priority", 3),)), Put(fields=(("Priority", 7),))] * 2, *[Get()] * 4),
        ],
        2,
    ),
}


def met(wait: Get, *made: Put, then: tuple[Call | Get, ...] = ()) -> list[Step]:
    """The puts are known when the get waits. It has as many messages of each kind to choose from as there were."""
    return [
        altered(MAXMSGL=str(SMALL_MAX)),
        *bursts(*made, *made),
        Burst((Get(count=2 * sum(len(put.lengths) for put in made)),)),
        Wait(wait),
        *bursts(*made, *then),
        *bursts(Get(count=2)),
    ]


BACKOUT_2 = Call(A2, Type.MQBACK)
IF_PERSISTENT = C.MQGMO_SYNCPOINT_IF_PERSISTENT
HANDED: dict[str, list[Step]] = {
    "whatever comes": met(Get(A2), ONE),
    "to another link": met(Get(B1), ONE),
    "the first of many": met(Get(A2), MANY),
    "into a message handle": met(Get(A2, message_handle=1, options=C.MQGMO_PROPERTIES_IN_HANDLE), ONE),
    "by its ids": met(Get(A2, ids=1), ONE, Put(ids=(2,)), Put(ids=(1,))),
    "by its correlation id": met(Get(A2, match=C.MQMO_MATCH_CORREL_ID, ids=1), Put(ids=(3, 2, 1), lengths=some(3))),
    "by its message id": met(Get(A2, match=C.MQMO_MATCH_MSG_ID, ids=2), Put(ids=(3, 2, 1), lengths=some(3))),
    "by no id": met(Get(A2, match=0, ids=1), ONE),
    "persistent": met(Get(A2), Put(fields=(PERSISTENT,))),
    "that expires": met(Get(A2), Put(fields=(("Expiry", 25),))),
    "in syncpoint if it is persistent": met(Get(A2, options=IF_PERSISTENT), ONE, then=(BACKOUT_2,)),
    "whose context is kept": met(Get(A2, source=ALIAS), Put(to=ALIAS, options=C.MQPMO_NO_CONTEXT)),
    "a request": met(Get(A2), Put(fields=(("MsgType", 1), ("ReplyToQ", "R")))),
    "with its properties": met(Get(A2, message_handle=1, options=IN_HANDLE), Put(properties=PROPERTIES, lengths=(50,))),
    "with its properties, by its id": met(
        Get(A2, message_handle=1, options=IN_HANDLE, ids=1), Put(properties=_MANY_KINDS.encode(), ids=(1,))
    ),
}
"""What comes to a get that waits is handed to it as its bytes."""
SPECIAL: dict[str, list[Step]] = {
    "a report": met(Get(A2), Put(fields=(("ReplyToQ", "R"), ("Report", C.MQRO_COD)))),
    "a report that nobody makes here": met(Get(A2), Put(fields=(("Report", C.MQRO_PASS_MSG_ID),))),
    "a flag": met(Get(A2), Put(fields=(("MsgFlags", C.MQMF_SEGMENTATION_ALLOWED),))),
    "a group": met(Get(A2), Put(fields=(("MsgFlags", C.MQMF_LAST_MSG_IN_GROUP), ("GroupId", b"g" * 24)))),
    "into what may not be a message handle": met(Get(A2, message_handle=1), ONE),
    "properties in the data": met(
        Get(A2, message_handle=1, options=C.MQGMO_PROPERTIES_IN_HANDLE),
        Put(fields=(("Format", "MQHRF2"),), data=WITH_PROPERTIES),
    ),
    "properties of a message handle": met(Get(A2, message_handle=1), Put(properties=PROPERTIES)),
    "properties that nobody asked for": met(Get(A2), Put(properties=PROPERTIES)),
    "properties and no handle for them": met(Get(A2, options=IN_HANDLE), Put(properties=PROPERTIES)),
    "another id": met(Get(A2, ids=1), ONE, Put(ids=(2,))),
    "an id with the same checksum": met(
        Get(A2, match=C.MQMO_MATCH_CORREL_ID, ids=1), Put(fields=(("CorrelId", b"another id with 20 b\xdfJ\x96o"),))
    ),
    "syncpoint": met(Get(A2, options=C.MQGMO_SYNCPOINT), ONE, then=(BACKOUT_2,)),
    "syncpoint, because it is persistent": met(
        Get(A2, options=IF_PERSISTENT), Put(fields=(PERSISTENT,)), then=(BACKOUT_2,)
    ),
    "a unit of work": met(Get(A2), Put(options=C.MQPMO_SYNCPOINT), then=(COMMIT,)),
    "a descriptor of version 1": met(Get(A2, version=1), ONE),
    "a length": met(Get(A2, length=50, options=C.MQGMO_ACCEPT_TRUNCATED_MSG), ONE),
    "conversion": met(Get(A2, options=C.MQGMO_CONVERT), Put(fields=(("Format", "MQSTR"),))),
    "logical order": met(Get(A2, options=C.MQGMO_LOGICAL_ORDER), ONE),
    "a length that the channel limits": [
        *bursts(*[Put(lengths=(SMALL_MAX + 1,))] * 2, Get(count=2)),
        Wait(Get(B1)),
        *bursts(Put(lengths=(SMALL_MAX + 1,)), Get()),
    ],
    "a trigger for each": [
        altered(TRIGGER="TRIGGER", TRIGTYPE="EVERY", INITQ="INITQ"),
        *met(Get(A2), ONE),
    ],
}


@pytest.mark.parametrize("row", HANDED)
def test_a_message_is_handed_over_as_its_bytes(two_ways: TwoWays, row: str) -> None:
    assert two_ways.compare(HANDED[row]).calls["handed"] == 1


@pytest.mark.parametrize("row", SPECIAL)
def test_what_is_special_about_a_message_or_a_get_is_looked_at(two_ways: TwoWays, row: str) -> None:
    assert two_ways.compare(SPECIAL[row]).calls["handed"] == 0


@pytest.mark.parametrize("row", ROWS)
def test_both_ways_are_the_same(two_ways: TwoWays, row: str) -> None:
    """In each row so many calls at least are run by their bytes; fewer where the machine has cut a burst in two."""
    steps, least = ROWS[row]
    for _ in range(5):
        played = two_ways.compare(steps)
        if played.calls["puts"] + played.calls["gets"] >= least:
            break
    assert played.calls["puts"] + played.calls["gets"] >= least, played.calls


# What ends a connection, or has no place in a play


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    with served_queue_manager(folder=tmp_path) as served, Peer(served.port) as found:
        served.embedded.admin(lambda: served.event_loop.manager.define("QLOCAL", Q, {}))
        yield found.connect()


def known_put(hobj: int, length: int) -> bytes:
    """In one segment, however long it is."""
    body = calls.pack_put(hobj, MQMD(Version=2), MQPMO(Version=3, Options=C.MQPMO_NO_SYNCPOINT), bytes(length))
    return frame(Type.MQPUT, body, 1, 1)


def test_a_segment_that_is_longer_than_was_agreed_ends_the_connection(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served, Peer(served.port) as peer:
        served.embedded.admin(lambda: served.event_loop.manager.define("QLOCAL", Q, {}))
        hobj = peer.connect().open(Q, C.MQOO_OUTPUT)
        peer.send(known_put(hobj, 1))
        assert peer.answer().kind == Type.MQPUT + REPLY
        (link,) = served.event_loop.links
        served.in_loop(lambda: link.data_received(known_put(hobj, MAX_SEGMENT)))  # all of it in one read
        assert peer.answer().kind == Type.STATUS_DATA
        assert peer.receive() is None


def test_what_is_wrong_behind_known_puts_comes_after_their_answers(peer: Peer) -> None:
    hobj = peer.open(Q, C.MQOO_OUTPUT)
    peer.send(known_put(hobj, 1))
    assert peer.answer().kind == Type.MQPUT + REPLY
    peer.send(known_put(hobj, 1) * 3 + b"no segment")
    assert [peer.answer().kind for _ in range(4)] == [Type.MQPUT + REPLY] * 3 + [Type.STATUS_DATA]
    assert peer.receive() is None


def test_no_answer_leaves_before_its_record_is_on_disk(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served, Peer(served.port) as peer:
        served.embedded.admin(lambda: served.event_loop.manager.define("QLOCAL", Q, {"DEFPSIST": "YES"}))
        hobj = peer.connect().open(Q, C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED)
        (link,) = served.event_loop.links
        gmo = MQGMO(Version=4, Options=C.MQGMO_NO_SYNCPOINT)
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENCE_AS_Q_DEF)
        body = calls.pack_put(hobj, md, MQPMO(Version=3, Options=C.MQPMO_NO_SYNCPOINT), b"durable")
        put = frame(Type.MQPUT, body, 1, 1)
        get = frame(Type.MQGET, calls.pack_get(hobj, MQMD(Version=2), gmo, calls.ANY_LENGTH), 1, 1)

        def is_held(call: bytes) -> bool:
            """Nothing is forced before the loop has its next turn."""
            link.data_received(call)
            return len(link._held) == 1

        for call in (put, put, put, get, get):
            assert served.in_loop(partial(is_held, call))
            peer.answer()


def test_a_trace_that_begins_shows_known_calls_too(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path / "data") as served, Peer(served.port) as peer:
        served.embedded.admin(lambda: served.event_loop.manager.define("QLOCAL", Q, {}))
        hobj = peer.connect().open(Q, C.MQOO_OUTPUT)
        for _ in range(2):
            peer.send(known_put(hobj, 1))
            peer.answer()
        trace = FlowTrace(str(tmp_path), TraceOptions(frozenset({"comms"})), lambda why: None)
        served.event_loop.trace = trace
        peer.send(known_put(hobj, 1) * 3)
        for _ in range(3):
            peer.answer()
        served.event_loop.trace = None
    assert Path(trace.path).read_text().count(" MQPUT ") == 3


def test_who_does_not_read_has_no_more_made_for_it_by_known_gets(tmp_path: Path) -> None:
    size, count = 60_000, 400
    with (
        served_queue_manager(folder=tmp_path) as served,
        Peer(served.port, small_buffer=True) as peer,
        Peer(served.port) as other,
    ):
        served.embedded.admin(lambda: served.event_loop.manager.define("QLOCAL", Q, {}))
        source, target = peer.connect().open(Q, C.MQOO_INPUT_SHARED), other.connect().open(Q, C.MQOO_OUTPUT)
        for _ in range(count + 2):
            other.send(known_put(target, size - 1000))
            other.answer()
        gmo = MQGMO(Version=4, Options=C.MQGMO_NO_SYNCPOINT)
        get = frame(Type.MQGET, calls.pack_get(source, MQMD(Version=2), gmo, calls.ANY_LENGTH), 1, 1)
        for _ in range(2):
            peer.send(get)
            peer.answer()
        peer.send(get * count)
        wait_until(lambda: served.in_loop(lambda: any(link.paused for link in served.event_loop.links)), "it is full")
        assert held_bytes(served) < 3 << 20  # as much as without known calls
        for _ in range(count):
            assert peer.answer().kind == Type.MQGET + REPLY


# Random plays

_PROFILE = settings.get_profile(settings.get_current_profile_name())
PLAYS = 30 if _PROFILE.derandomize else _PROFILE.max_examples
"""They take longer than most examples; who explores has the time."""
_ids = st.lists(st.sampled_from((0, 0, 1, 2, 3)), min_size=1, max_size=4).map(tuple)
_lengths = st.one_of(
    st.lists(st.sampled_from((0, 1, 100, 1000)), min_size=1, max_size=6).map(tuple),
    st.sampled_from(((SMALL_MAX, SMALL_MAX + 1), (5000, 10), (70_000, 1), some(66, 10), some(20, 5000))),
)
_fields = st.lists(
    st.sampled_from(
        (
            PERSISTENT, PERSISTENT, AS_QUEUE, ("Priority", 7), ("Priority", -1), ("Priority", 12), ("Expiry", 25),
            ("Expiry", 100), ("ReplyToQ", "R"), ("ReplyToQ", "REPLY.ALIAS"), ("ReplyToQMgr", "ELSEWHERE"),
            ("MsgType", C.MQMT_REQUEST), ("MsgFlags", C.MQMF_MSG_IN_GROUP), ("MsgFlags", C.MQMF_LAST_MSG_IN_GROUP),
            ("MsgFlags", C.MQMF_SEGMENTATION_ALLOWED), ("Report", C.MQRO_COD), ("Report", C.MQRO_COA),
            ("Report", C.MQRO_EXPIRATION), ("Report", C.MQRO_PASS_MSG_ID), ("Format", "MQSTR"), ("Feedback", 7),
            ("Format", "MQHRF2"), ("Format", "MQDEAD"), ("CodedCharSetId", 0), ("Encoding", 273), ("BackoutCount", 3),
            ("GroupId", b"g" * 24), ("MsgSeqNumber", 4), ("UserIdentifier", "eve"), ("PutApplName", "forged"),
        )
    ),
    max_size=3,
).map(lambda fields: tuple(dict(fields).items()))  # fmt: skip
_put_options = st.tuples(
    st.sampled_from((C.MQPMO_NO_SYNCPOINT, C.MQPMO_NO_SYNCPOINT, C.MQPMO_SYNCPOINT, 0)),
    st.sampled_from((0, 0, C.MQPMO_ASYNC_RESPONSE, C.MQPMO_SYNC_RESPONSE)),
    st.sampled_from(
        (
            0, 0, 0, 0, C.MQPMO_NEW_MSG_ID, C.MQPMO_NEW_CORREL_ID, C.MQPMO_NO_CONTEXT, C.MQPMO_DEFAULT_CONTEXT,
            C.MQPMO_FAIL_IF_QUIESCING, C.MQPMO_LOGICAL_ORDER, C.MQPMO_PASS_ALL_CONTEXT, C.MQPMO_RESOLVE_LOCAL_Q,
        )
    ),
).map(sum)  # fmt: skip
_junk = st.sampled_from(
    ((),) * 6
    + (
        ((84, b"AB\0CD \0 "),),  # Format
        ((152, b"R\0junk behind a zero"),),  # ReplyToQ
        ((148, b"\5\0\0\0"),),  # BackoutCount
        ((24, b"\1"),),  # of the header
        ((424, b"\0\0\0\x40"),),  # an option that there is not
        ((36, b"\0\0\0\0"),),  # the length in the call
    )
)
_data = st.sampled_from((b"", b"", b"", WITH_PROPERTIES, NO_PROPERTIES))
_who = st.sampled_from((A1, A1, A2))
_handles = st.sampled_from((Q, Q, Q, P, ALIAS))
_requests = st.sampled_from((1, 1, 1, 2))
_blocks = st.one_of(st.just(b""), st.just(b""), st.sampled_from((PROPERTIES, *BLOCKS.values())))
_puts = st.builds(
    Put, _who, _handles, _put_options, _fields, _junk, _requests, _ids, _lengths, _data, _blocks, st.booleans()
)
_plain_puts = st.tuples(
    _who, st.just(Q),
    st.sampled_from((C.MQPMO_NO_SYNCPOINT, C.MQPMO_NO_SYNCPOINT, C.MQPMO_SYNCPOINT, C.MQPMO_ASYNC_RESPONSE)),
    st.sampled_from(((), (PERSISTENT,), (PERSISTENT, ("Expiry", 25)), (AS_QUEUE, ("Priority", -1)))),
    st.just(()), st.just(1), _ids, st.lists(st.sampled_from((0, 1, 100)), min_size=2, max_size=10).map(tuple),
    st.just(b""), st.sampled_from((b"", b"", PROPERTIES)), st.sampled_from((False, False, True)),
).map(lambda one: Put(*one))  # fmt: skip
_get_options = st.tuples(
    st.sampled_from((C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT, C.MQGMO_SYNCPOINT_IF_PERSISTENT, 0)),
    st.sampled_from(
        (
            0, 0, 0, C.MQGMO_FAIL_IF_QUIESCING, C.MQGMO_PROPERTIES_IN_HANDLE, C.MQGMO_NO_PROPERTIES,
            C.MQGMO_PROPERTIES_FORCE_MQRFH2, C.MQGMO_CONVERT, C.MQGMO_ACCEPT_TRUNCATED_MSG, C.MQGMO_LOGICAL_ORDER,
        )
    ),
).map(sum)  # fmt: skip
_gets = st.builds(
    Get, _who, _handles, _get_options, st.sampled_from((1, 2, 3, 70)), st.sampled_from((3, 3, 0, 1, 2)),
    st.sampled_from((0, 0, 0, 1)), st.sampled_from((0, 0, 1)), st.sampled_from((-(1 << 31),) * 4 + (0, 500)),
    st.sampled_from((2, 2, 2, 1)),
)  # fmt: skip
_plain_gets = st.tuples(
    _who, st.just(Q), st.sampled_from((C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT, IN_HANDLE)), st.sampled_from((1, 2)),
    st.just(3), st.sampled_from((0, 0, 1, 2)), st.sampled_from((0, 1, 1)),
).map(lambda one: Get(*one))  # fmt: skip
_waits = st.builds(
    Get, st.sampled_from((A2, B1)), _handles, _get_options, st.just(1), st.sampled_from((3, 3, 0, 1, 2)),
    st.sampled_from((0, 0, 1)), st.sampled_from((0, 1)), st.sampled_from((-(1 << 31),) * 4 + (0, 500)),
    st.sampled_from((2, 2, 2, 1)),
)  # fmt: skip
_takes = st.builds(
    Take, _who, _handles, _get_options, st.sampled_from((1, 3, 25, 100)), st.sampled_from((1 << 20, 1000, 90_000)),
    st.sampled_from((-1, -1, 500)), st.sampled_from((1, 1, 7)),
)  # fmt: skip
_plain_takes = st.tuples(_who, st.just(Q), st.sampled_from((C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT))).map(
    lambda one: Take(*one)
)
_calls = st.builds(Call, _who, st.sampled_from((Type.MQCMIT, Type.MQCMIT, Type.MQBACK, Type.MQSTAT)))
_cuts = st.lists(st.floats(0, 1), max_size=3).map(tuple)
_alters = st.one_of(
    st.sampled_from(
        [
            (name, value)
            for name, values in {
                "PUT": ("DISABLED", "ENABLED", "ENABLED"),
                "GET": ("DISABLED", "ENABLED", "ENABLED"),
                "MAXDEPTH": ("3", "5000"),
                "MAXMSGL": ("99", "4194304"),
                "DEFPSIST": ("YES", "NO"),
                "DEFPRTY": ("0", "6"),
                "CAPEXPRY": ("20", "NOLIMIT"),
                "MSGDLVSQ": ("FIFO", "PRIORITY"),
                "MONQ": ("HIGH", "QMGR"),
                "DEFPRESP": ("ASYNC", "SYNC"),
                "DESCR": ("nothing that matters",),
                "QDPHIEV": ("ENABLED",),
                "QDEPTHHI": ("1",),
                "PROPCTL": ("NONE", "FORCE", "ALL", "COMPAT"),
            }.items()
            for value in values
        ]
    ).map(lambda one: Alter("QLOCAL", Q, (one,))),
    st.sampled_from((("PUT", "DISABLED"), ("PUT", "ENABLED"), ("GET", "DISABLED"), ("DEFPRTY", "4"))).map(
        lambda one: Alter("QALIAS", ALIAS, (one,))
    ),
    st.sampled_from(
        (("MAXUMSGS", "4"), ("MAXUMSGS", "10000"), ("PERFMEV", "ENABLED"), ("MONQ", "HIGH"), ("MAXPROPL", "3"))
    ).map(lambda one: Alter("QMGR", "", (one,))),
    st.sampled_from(("FIRST", "EVERY")).map(
        lambda kind: Alter("QLOCAL", Q, (("TRIGGER", "TRIGGER"), ("TRIGTYPE", kind), ("INITQ", "INITQ")))
    ),
)


def _by_b(one: Put | Get | Take) -> Put | Get | Take:
    if isinstance(one, Put):  # what its channel does not carry in any way would end it
        return one._replace(by=B1, lengths=tuple(min(length, 2 * SMALL_MAX) for length in one.lengths))
    return one._replace(by=B1)


@st.composite
def _plays(draw: st.DrawFn) -> list[Step]:
    """Few kinds of calls, so that they come again."""
    plain: list[Put | Get | Take] = [draw(_plain_puts), draw(_plain_gets), draw(_plain_takes)]
    puts = [plain[0], *draw(st.lists(_puts, max_size=2))]
    gets = [plain[1], *draw(st.lists(st.one_of(_gets, _takes), max_size=2))]
    kinds = st.one_of(*map(st.sampled_from, (puts, gets, plain, plain)), _calls)
    of_a = plain[0]._replace(by=A1)
    of_b = st.one_of(st.sampled_from(puts), st.sampled_from(gets)).map(_by_b)
    steps = st.one_of(
        st.builds(Burst, st.lists(kinds, min_size=1, max_size=6).map(tuple), _cuts),
        st.builds(Burst, st.lists(kinds, min_size=1, max_size=1).map(tuple), st.just(())),
        st.builds(Burst, st.lists(of_b, min_size=1, max_size=3).map(tuple), _cuts),
        _waits.map(Wait),
        st.sampled_from((Get(A2), Get(A2, ids=1), Get(A2, options=IF_PERSISTENT))).map(
            lambda get: [*bursts(of_a, of_a), Burst((Get(count=70),)), Wait(get), *bursts(of_a)]
        ),
        _alters,
        st.builds(Advance, st.sampled_from((0.004, 0.5, 3.0))),
        st.builds(Reopen, st.sampled_from((A1, B1)), _handles),
    )
    begin = bursts(MANY, *[plain[0], plain[1], plain[2]] * 2)  # so that each is known
    drawn = draw(st.lists(steps, min_size=6, max_size=20))
    return [*begin, *(one for some in drawn for one in (some if isinstance(some, list) else [some]))]


def test_random_plays_are_the_same_both_ways(two_ways: TwoWays) -> None:
    """In a fair share of the calls there is something to compare."""
    total: Counter[str] = Counter()

    @settings(max_examples=PLAYS)
    @given(_plays())
    def play(steps: list[Step]) -> None:
        total.update(two_ways.compare(steps).calls)

    play()
    assert min(total["puts"], total["gets"], total["taken"]) >= PLAYS // 2 and total["handed"], total
