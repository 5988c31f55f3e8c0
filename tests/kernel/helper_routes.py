"""Queue managers in memory with transmission queues between them, and agents that are two function calls."""

from __future__ import annotations

from typing import Any

from libremq.host import lifecycle
from libremq.kernel.messages import name_resolution, transmission
from libremq.kernel.state.waiting_gets import Got
from libremq.kernel.verbs import activities, dead_letter
from libremq.kernel.verbs.activities import Tracer
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.mqi.trace_route import Activity, TraceRoute, TraceRouteMessage, read_activities
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock


class Node:
    """One queue manager."""

    def __init__(self, name: str, *partners: str) -> None:
        files, clock = FaultyFiles(), VirtualClock()
        lifecycle.create(files, "qm", name, clock, LogConfig(file_pages=64))
        self.qm = lifecycle.start(files, "qm", name, clock)
        self.core = self.qm.core
        self.name = name
        self.hconn = self.qm.connect("alice", "teller")
        for partner in partners:
            self.queue(partner, USAGE="XMITQ")

    def queue(self, name: str, **attributes: Any) -> None:
        self.qm.define("QLOCAL", name, attributes)

    def alter(self, **attributes: Any) -> None:
        self.qm.alter("QMGR", "", attributes)

    def put(self, queue: str, data: bytes, qmgr: str = "", **fields: Any) -> MQMD:
        md = MQMD(Version=2, **fields)
        self.qm.put1(self.hconn, MQOD(ObjectName=queue, ObjectQMgrName=qmgr), md, MQPMO(), data)
        return md

    def get(self, queue: str) -> tuple[MQMD, bytes]:
        hobj = self.qm.open(self.hconn, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED)
        md = MQMD(Version=2)
        got = self.qm.get(self.hconn, hobj, md, MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
        assert isinstance(got, Got)
        self.qm.close(self.hconn, hobj)
        return md, got.data

    def depth(self, queue: str) -> int:
        return self.qm.depth(queue)

    def activities_on(self, queue: str) -> list[Activity]:
        """All activities of all messages of a queue, which is empty then."""
        found: list[Activity] = []
        while self.depth(queue):
            md, data = self.get(queue)
            read = read_activities(md.Format, data, md.Encoding, "latin-1")
            assert read is not None, md.Format
            found += read
        return found


def send(source: Node, target: Node, *, supports: bool = True) -> bool:
    """What the two agents of the channel do with one message; False if it was not sent."""
    md, data = source.get(target.name)
    tracer = Tracer(
        source.core, None, channel=f"{source.name}.{target.name}", channel_type=C.MQCHT_SENDER,
        partner=target.name, xmitq=target.name, supports=supports,
    )  # fmt: skip
    departure = tracer.departing(md, data) if activities.wants(data) else None
    if departure is not None:
        try:
            data = departure.sent()
        except MQError as error:
            header, _ = transmission.unwrap(data, md)
            names = header.RemoteQName, header.RemoteQMgrName
            message = departure.undelivered(*names, error.reason)
            if dead_letter.send(source.core, message, *names, error.reason, None, source.core.clock.now()):
                raise
            return False
        finally:
            departure.finish(None)
    receive(source, target, md, data)
    return True


def receive(source: Node, target: Node, md: MQMD, data: bytes) -> None:
    core = target.core
    header, message = transmission.unwrap(data, md)
    queue, qmgr, now = header.RemoteQName, header.RemoteQMgrName, core.clock.now()
    tracer = Tracer(
        core, None, channel=f"{source.name}.{target.name}", channel_type=C.MQCHT_RECEIVER, partner=source.name
    )
    arrival = tracer.arriving(message) if activities.wants(data) else None
    try:
        destination = name_resolution.destination_of(core, queue, qmgr)
        if arrival is not None:
            message = arrival.delivered(destination, queue)
        core.deliver(destination, message, None, now)
    except MQError as error:
        if arrival is not None:
            message = arrival.undelivered(queue, qmgr, error.reason)
        assert dead_letter.send(core, message, queue, qmgr, error.reason, None, now) is None
    if arrival is not None:
        arrival.finish(None)


def route(**fields: int) -> bytes:
    """The data of a trace-route message."""
    return TraceRouteMessage(TraceRoute(**fields)).pack()
