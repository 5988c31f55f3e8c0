"""Activity recording and trace-route messages: what the agents of channels tell about the messages they move.

A message with MQRO_ACTIVITY asks for a report of every activity on its way; a trace-route message may also carry the
activities along, and says how far it goes. As in MQ it is the agents (and programs such as dspmqrte, on their own
account) that record; queue managers do not look into what applications put and get. ACTIVREC and ROUTEREC of the queue
manager say whether, and where reports and replies go.

An agent has a `Tracer`. `wants` tells from the first bytes of a message that it is none of all this; that is all that
an ordinary message costs.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

from libremq.common.ccsid import charset_of
from libremq.kernel.messages import name_resolution, own_messages, transmission
from libremq.kernel.state.connection import Connection, Destination
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.verbs import reports
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD
from libremq.mqi.trace_route import ADMIN, EMBEDDED, FORMATS, Activity, Operation, TraceRouteMessage, pack_report
from libremq.store.stored_message import Message

APPLICATION = "libremq channel"
SENDING = "Sending Message Channel Agent"
RECEIVING = "Receiving Message Channel Agent"
ACTIVITY_QUEUE = "SYSTEM.ADMIN.ACTIVITY.QUEUE"
TRACE_ROUTE_QUEUE = "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE"
LEVEL = C.MQROUTE_DETAIL_MEDIUM
"""Agents record at this level of detail and above."""

# Where fields of the descriptor are in a message of a transmission queue, and what they may say
_VERSION_AT = 4
_REPORT_AT = 112
_FORMAT = slice(136, 144)
_HEADERS = (*FORMATS, C.MQFMT_MD_EXTENSION.strip())
_CONCERNED = frozenset(name.ljust(8).encode(charset) for name in _HEADERS for charset in ("ascii", "cp037"))


def wants(data: bytes) -> bool:
    """May this message of a transmission queue take part? Cheap, and never False for one that does."""
    if data[_FORMAT] in _CONCERNED:
        return True
    if len(data) <= _REPORT_AT + 3:
        return False
    # The header says by its version which end of the number comes first
    return bool(data[_REPORT_AT if data[_VERSION_AT] == C.MQXQH_VERSION_1 else _REPORT_AT + 3] & C.MQRO_ACTIVITY)


def wants_message(md: MQMD) -> bool:
    """The same for a message that was taken out of its transmission header."""
    return bool(md.Report & C.MQRO_ACTIVITY) or md.Format.strip() in FORMATS


class Tracer:
    """Records the activities of one agent. `supports`: does the partner know what trace-route messages are?"""

    def __init__(
        self,
        core: Core,
        connection: Connection | None,
        *,
        channel: str,
        channel_type: int,
        partner: str,
        xmitq: str = "",
        supports: bool = True,
    ) -> None:
        self.core = core
        self.connection = connection
        self.channel = channel
        self.channel_type = channel_type
        self.partner = partner
        self.xmitq = xmitq
        self.supports = supports

    def departing(self, md: MQMD, data: bytes) -> Departure | None:
        """A message was got from the transmission queue; `md` is what the get returned. None: nothing to record."""
        try:
            header, message = transmission.unwrap(data, md)
        except MQError:
            return None  # none of a transmission queue: whoever sends it finds out
        if not wants_message(message.md):
            return None
        message.md.Expiry = md.Expiry  # what is left of it
        return Departure(self, message, md, data, header.RemoteQName)

    def arriving(self, message: Message) -> Arrival | None:
        """A message has come, out of its transmission header. None: nothing to record."""
        return Arrival(self, message) if wants_message(message.md) else None


class Passage(ABC):
    """A message that takes part, in the hands of an agent.

    The agent asks what to send or put, before each attempt, or what to lay aside; and ends with `finish`.
    """

    def __init__(self, tracer: Tracer, message: Message) -> None:
        self.message = message
        self._tracer = tracer
        self._record: _Record | None = None
        self._ended = False

    @abstractmethod
    def _begin(self) -> _Record:
        """What is recorded of this passage."""

    def undelivered(self, queue: str, qmgr: str, reason: int, *, uses_dead_letter_queue: bool = True) -> Message:
        """The message, for these names, as it goes to the dead-letter queue or is discarded (`dead_letter.send`)."""
        record = self._begin()
        record.refused(queue, qmgr, reason, uses_dead_letter_queue)
        self._ended = True
        return record.result()

    def finish(self, unit: UnitOfWork | None) -> None:
        """Put the reports, in the unit of work in which the message was got or put."""
        if self._record is not None:
            self._record.publish(unit, self._tracer.core.clock.now(), ended=self._ended)


class Departure(Passage):
    """A message from its transmission queue to the network."""

    def __init__(self, tracer: Tracer, message: Message, outer: MQMD, data: bytes, queue: str) -> None:
        super().__init__(tracer, message)
        self._outer = outer
        self._data = data
        self._queue = queue

    def _begin(self) -> _Record:
        xmitq, length = self._tracer.xmitq, len(self._data)
        record = self._record = _Record(self._tracer, self.message, SENDING)
        record.note(C.MQOPER_GET, self._outer, length, embedded=self.message.md, queue=xmitq, resolved=xmitq)
        return record

    def sent(self) -> bytes:
        """What is to be sent: the message, with its transmission header.

        MQError with feedback as its reason if a trace-route message goes no further: lay it aside.
        """
        tracer, data = self._tracer, self._data
        record = self._begin()
        feedback = record.refusal() or record.forwarding_refusal(tracer.supports)
        if feedback:
            raise _refused(self._queue, feedback)
        record.note(
            C.MQOPER_SEND, self._outer, len(data), embedded=self.message.md, channel=tracer.channel,
            channel_type=tracer.channel_type, xmitq=tracer.xmitq, remote_qmgr=tracer.partner,
        )  # fmt: skip
        if not tracer.supports:
            record.interrupted()
        result = record.result().data
        if result is self.message.data:
            return data
        # In front are the transmission header, and the extension of the descriptor if there is one
        return data[: len(data) - len(self.message.data)] + result


class Arrival(Passage):
    """A message from the network to its queue."""

    def _begin(self) -> _Record:
        tracer, message = self._tracer, self.message
        record = self._record = _Record(tracer, message, RECEIVING)
        record.note(
            C.MQOPER_RECEIVE, message.md, len(message.data), channel=tracer.channel, channel_type=tracer.channel_type,
            remote_qmgr=tracer.partner,
        )  # fmt: skip
        return record

    def delivered(self, destination: Destination, queue: str) -> Message:
        """The message for the destination to which the name in its header leads.

        MQError with feedback as its reason if a trace-route message must not get there: lay it aside.
        """
        record = self._begin()
        feedback = record.refusal() or (
            record.forwarding_refusal() if destination.is_remote else record.delivery_refusal()
        )
        if feedback:
            raise _refused(queue, feedback)
        record.note(
            C.MQOPER_PUT, self.message.md, len(self.message.data), queue=queue, resolved=destination.queue.name,
            remote_queue=destination.remote_queue, remote_qmgr=destination.remote_qmgr,
        )  # fmt: skip
        self._ended = not destination.is_remote
        if self._ended:
            record.note_reply()
        return record.result()


def _refused(queue: str, feedback: int) -> MQError:
    return mq_error(feedback, queue, f"a trace-route message: {_REFUSALS[feedback]}")


_REFUSALS = {
    C.MQFB_MAX_ACTIVITIES: "it has been through as many activities as it may",
    C.MQFB_NOT_FORWARDED: "the next queue manager does not know of trace-route messages",
    C.MQFB_NOT_DELIVERED: "it is not to be delivered",
    C.MQFB_UNSUPPORTED_FORWARDING: "it asks for a way of forwarding that is not known here",
    C.MQFB_UNSUPPORTED_DELIVERY: "it asks for a way of delivery that is not known here",
}


class _Record:
    """One activity in the making, and the counts of the message it is about."""

    def __init__(self, tracer: Tracer, message: Message, description: str) -> None:
        core, md = tracer.core, message.md
        qmgr = core.catalogue.qmgr
        self._core = core
        self._by = tracer.connection
        self._message = message
        moment = time.gmtime(core.clock.now())
        self._date, self._time = time.strftime("%Y-%m-%d", moment), time.strftime("%H:%M:%S", moment)
        self._activity = Activity(APPLICATION, C.MQAT_QMGR, description)
        self._route = TraceRouteMessage.read(md.Format, message.data, md.Encoding, charset_of(md.CodedCharSetId))
        trace = self._route.trace if self._route is not None else None
        detailed = trace is None or trace.detail >= LEVEL
        self._reports = (
            detailed
            and bool(md.Report & C.MQRO_ACTIVITY)
            and qmgr.activrec != C.MQRECORDING_DISABLED
            and bool(qmgr.activrec == C.MQRECORDING_Q or md.ReplyToQ)
        )
        self._enabled = qmgr.routerec != C.MQRECORDING_DISABLED
        self._accumulates = detailed and self._enabled and trace is not None and trace.accumulates
        if trace is None:
            return
        if self._reports or self._accumulates:
            trace.recorded += 1
        elif self._enabled or description == SENDING:
            trace.unrecorded += 1
        else:
            trace.discontinuities += 1  # once for each queue manager that records nothing

    # What may become of the message: 0 or the feedback of a refusal

    def refusal(self) -> int:
        if self._route is not None and self._route.trace.is_exceeded:
            return C.MQFB_MAX_ACTIVITIES
        return 0

    def forwarding_refusal(self, supports: bool = True) -> int:
        if self._route is None:
            return 0
        trace = self._route.trace
        if trace.forwarding_refused:
            return C.MQFB_UNSUPPORTED_FORWARDING
        if not supports and not trace.forward & C.MQROUTE_FORWARD_ALL:
            return C.MQFB_NOT_FORWARDED
        return 0

    def delivery_refusal(self) -> int:
        if self._route is None:
            return 0
        trace = self._route.trace
        if trace.delivery_refused:
            return C.MQFB_UNSUPPORTED_DELIVERY
        return 0 if trace.deliver & C.MQROUTE_DELIVER_YES else C.MQFB_NOT_DELIVERED

    def interrupted(self) -> None:
        """It goes where nothing is recorded."""
        if self._route is not None:
            self._route.trace.discontinuities += 1

    # What was done

    def note(self, kind: int, md: MQMD | None, length: int | None, **fields: Any) -> None:
        """An operation on a message with this descriptor and length; the fields are those of `Operation`."""
        self._activity.operations.append(
            Operation(kind, self._core.qmgr_name, self._date, self._time, length=length, md=md, **fields)
        )

    def refused(self, queue: str, qmgr: str, reason: int, uses_dead_letter_queue: bool) -> None:
        """It is discarded, or goes to the dead-letter queue, and its sender may want to hear of it."""
        md, length = self._message.md, len(self._message.data)
        dead = name_resolution.dead_letter_queue(self._core) if uses_dead_letter_queue else None
        if md.Report & C.MQRO_DISCARD_MSG or dead is None:
            self.note(C.MQOPER_DISCARD, md, length, queue=queue, remote_qmgr=qmgr, feedback=reason)
        else:
            self.note(
                C.MQOPER_PUT, md, length, queue=self._core.catalogue.qmgr.deadq, resolved=dead.queue.name,
                feedback=reason,
            )  # fmt: skip
        if md.Report & C.MQRO_EXCEPTION and md.ReplyToQ:
            self._note_put(C.MQOPER_PUT_REPORT, md.ReplyToQ, md.ReplyToQMgr, reason)
        self.note_reply()

    def note_reply(self) -> None:
        if self._replies():
            queue, qmgr = self._reply_names()
            self._note_put(C.MQOPER_PUT_REPLY, queue, qmgr)

    def _note_put(self, kind: int, queue: str, qmgr: str, feedback: int = 0) -> None:
        try:
            found = name_resolution.destination_of(self._core, queue, qmgr)
        except MQError:
            self.note(kind, None, None, queue=queue, feedback=feedback)
            return
        self.note(
            kind, None, None, queue=queue, resolved=found.queue.name, remote_queue=found.remote_queue,
            remote_qmgr=found.remote_qmgr, feedback=feedback,
        )  # fmt: skip

    # What comes of it

    def result(self) -> Message:
        """The message with the activity in it, if it carries its activities, and with its counts. Else as it was."""
        message, route = self._message, self._route
        if route is None:
            return message
        if self._accumulates:
            route.add(self._activity)
        return Message(message.md, message.properties, route.pack(), message.origin)

    def publish(self, unit: UnitOfWork | None, now: float, *, ended: bool) -> None:
        """Put the activity report and the trace-route reply, if there are to be any."""
        if self._reports:
            self._report(unit, now)
        if ended and self._replies():
            self._reply(unit, now)

    def _report(self, unit: UnitOfWork | None, now: float) -> None:
        core, md = self._core, self._message.md
        ccsid = core.catalogue.qmgr.ccsid
        if self._route is not None:
            self._activity.trace = self._route.trace
        report, (queue, qmgr) = reports.make_report(core, md, b"", b"", C.MQFB_ACTIVITY, now)
        data = pack_report(self._activity, ccsid, charset_of(ccsid))
        report.md.Format, report.md.Encoding, report.md.CodedCharSetId = EMBEDDED, C.MQENC_NATIVE, ccsid
        self._send(report.md, data, queue, qmgr, unit, now, core.catalogue.qmgr.activrec, ACTIVITY_QUEUE)

    def _replies(self) -> bool:
        route = self._route
        return (
            route is not None
            and self._enabled
            and route.trace.wants_reply
            and (self._core.catalogue.qmgr.routerec == C.MQRECORDING_Q or bool(self._message.md.ReplyToQ))
        )

    def _reply_names(self) -> tuple[str, str]:
        if self._core.catalogue.qmgr.routerec == C.MQRECORDING_Q:
            return TRACE_ROUTE_QUEUE, ""
        return self._message.md.ReplyToQ, self._message.md.ReplyToQMgr

    def _reply(self, unit: UnitOfWork | None, now: float) -> None:
        core, md, route = self._core, self._message.md, self._route
        assert route is not None
        reply, (queue, qmgr) = reports.make_report(core, md, b"", b"", C.MQFB_NONE, now)
        reply.md.MsgType, reply.md.Format = C.MQMT_REPLY, ADMIN
        self._send(reply.md, route.reply(), queue, qmgr, unit, now, core.catalogue.qmgr.routerec, TRACE_ROUTE_QUEUE)

    def _send(
        self,
        md: MQMD,
        data: bytes,
        queue: str,
        qmgr: str,
        unit: UnitOfWork | None,
        now: float,
        where: int,
        system_queue: str,
    ) -> None:
        core = self._core
        if self._message.md.Report & (C.MQRO_DISCARD_MSG | C.MQRO_PASS_DISCARD_AND_EXPIRY):
            md.Report = C.MQRO_DISCARD_MSG
        md.GroupId, md.MsgSeqNumber, md.Offset, md.MsgFlags, md.OriginalLength = (
            MQMD.GroupId, MQMD.MsgSeqNumber, MQMD.Offset, MQMD.MsgFlags, MQMD.OriginalLength,
        )  # fmt: skip
        message = Message(md, b"", data, self._message.origin)
        if where == C.MQRECORDING_Q:
            own_messages.put(core, message, system_queue, "", unit, now)
        else:
            reports.send_back(core, self._message, message, queue, qmgr, unit, now, self._by)
