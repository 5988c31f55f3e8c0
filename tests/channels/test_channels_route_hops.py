"""The route of a message over three queue managers, with real agents on every hop."""

from __future__ import annotations

from typing import Any

import pytest
from helper_ends import Node, Pair

from libremq.mqi import constants as C
from libremq.mqi.trace_route import Activity, TraceRoute, TraceRouteMessage, read_activities
from libremq.testing import VirtualClock

NAMES = ("QM1", "QM2", "QM3")
GET, SEND, RECEIVE, PUT = C.MQOPER_GET, C.MQOPER_SEND, C.MQOPER_RECEIVE, C.MQOPER_PUT


class Chain:
    """QM1, QM2 and QM3 in a row, with channels both ways."""

    def __init__(self) -> None:
        clock = VirtualClock()
        self.nodes = {name: Node(name, clock) for name in NAMES}
        for here, there in (("QM1", "QM2"), ("QM2", "QM3"), ("QM3", "QM2"), ("QM2", "QM1")):
            channel = f"{here}.TO.{there}"
            self.nodes[here].define("QLOCAL", there, USAGE=C.MQUS_TRANSMISSION)
            self.nodes[here].define("SDR", channel, XMITQ=there, CONNAME=f"{there.lower()}(1414)", NPMSPEED="NORMAL")
            self.nodes[there].define("RCVR", channel, NPMSPEED="NORMAL")
        self.nodes["QM1"].define("QREMOTE", "QM3", RQMNAME="QM3", XMITQ="QM2")
        self.nodes["QM3"].define("QREMOTE", "QM1", RQMNAME="QM1", XMITQ="QM2")
        self.nodes["QM1"].define("QLOCAL", "REPLIES")
        self.nodes["QM3"].define("QLOCAL", "TARGET")

    def run(self) -> None:
        """Every channel, until all that is on its way has come to rest."""
        for here, there in (("QM1", "QM2"), ("QM2", "QM3"), ("QM3", "QM2"), ("QM2", "QM1")):
            Pair(self.nodes[here], self.nodes[there], f"{here}.TO.{there}").run()

    def put(self, data: bytes, **fields: Any) -> None:
        self.nodes["QM1"].put("TARGET", data, qmgr="QM3", ReplyToQ="REPLIES", **fields)

    def replies(self) -> list[Activity]:
        node, found = self.nodes["QM1"], []
        while node.depth("REPLIES"):
            md, data = node.get("REPLIES")
            read = read_activities(md.Format, data, md.Encoding, "utf-8")
            assert read is not None
            found += read
        return found


@pytest.fixture
def chain() -> Chain:
    return Chain()


def hops(found: list[Activity]) -> list[tuple[str, list[int]]]:
    return [(one.operations[0].qmgr, [operation.kind for operation in one.operations]) for one in found]


def route(**fields: int) -> bytes:
    return TraceRouteMessage(TraceRoute(**fields)).pack()


@pytest.mark.parametrize("persistent", [True, False])
def test_all_agents_report(chain: Chain, persistent: bool) -> None:
    report = C.MQRO_ACTIVITY | C.MQRO_DISCARD_MSG
    chain.put(route(), Format="MQADMIN", Report=report, persistent=persistent)
    chain.run()
    found = sorted(chain.replies(), key=lambda one: one.trace.recorded if one.trace is not None else 0)
    assert hops(found) == [
        ("QM1", [GET, SEND]),
        ("QM2", [RECEIVE, PUT]),
        ("QM2", [GET, SEND]),
        ("QM3", [RECEIVE, C.MQOPER_DISCARD]),
    ]
    assert [one.operations[0].channel or one.operations[1].channel for one in found] == [
        "QM1.TO.QM2", "QM1.TO.QM2", "QM2.TO.QM3", "QM2.TO.QM3",
    ]  # fmt: skip
    assert found[-1].operations[-1].feedback == C.MQFB_NOT_DELIVERED
    assert chain.nodes["QM3"].depth("TARGET") == 0


def test_a_reply_comes_back(chain: Chain) -> None:
    data = route(accumulate=C.MQROUTE_ACCUMULATE_AND_REPLY, deliver=C.MQROUTE_DELIVER_YES)
    chain.put(data, Format="MQADMIN")
    chain.run()
    assert [name for name, _ in hops(chain.replies())] == ["QM1", "QM2", "QM2", "QM3"]
    assert chain.nodes["QM3"].depth("TARGET") == 1


def test_an_ordinary_message_that_asks(chain: Chain) -> None:
    chain.put(b"hello", Report=C.MQRO_ACTIVITY)
    chain.run()
    assert chain.nodes["QM3"].content("TARGET") == [b"hello"]
    assert sorted(hops(chain.replies())) == [
        ("QM1", [GET, SEND]),
        ("QM2", [GET, SEND]),
        ("QM2", [RECEIVE, PUT]),
        ("QM3", [RECEIVE, PUT]),
    ]


def test_the_limit_of_activities_ends_it_on_the_way(chain: Chain) -> None:
    report = C.MQRO_ACTIVITY | C.MQRO_DISCARD_MSG
    chain.put(route(max_activities=2), Format="MQADMIN", Report=report)
    chain.run()
    found = sorted(chain.replies(), key=lambda one: one.trace.recorded if one.trace is not None else 0)
    assert hops(found)[-1] == ("QM2", [GET, C.MQOPER_DISCARD])
    assert found[-1].operations[-1].feedback == C.MQFB_MAX_ACTIVITIES
