"""Tracing a route: put a trace-route message, collect what comes back about it, and put that in order.

The first activity is the put itself: this program records it on its own account, in the message or as a report beside
those of the agents. The route is known to its end when the numbers of the activities leave no gap and the last one
says that the message was put on a local queue, or discarded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from libremq.client.options import REPLY_MODEL
from libremq.common.ccsid import charset_of
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.mqi.trace_route import (
    ADMIN,
    EMBEDDED,
    Activity,
    Operation,
    TraceRoute,
    TraceRouteMessage,
    pack_report,
    read_activities,
)

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.client.verbs import MQI

APPLICATION = "dspmqrte"
DESCRIPTION = "LibreMQ display route application"
_UTF8 = 1208


@dataclass(slots=True)
class RouteRequest:
    """The trace-route message that is wanted."""

    queue: str
    qmgr: str = ""
    trace: TraceRoute = field(default_factory=TraceRoute)
    report: int = C.MQRO_ACTIVITY | C.MQRO_DISCARD_MSG
    reply_queue: str = ""
    reply_qmgr: str = ""
    persistence: int = C.MQPER_NOT_PERSISTENT
    priority: int = C.MQPRI_PRIORITY_AS_Q_DEF
    expiry_s: int = 60
    bind_not_fixed: bool = False

    @property
    def wants_answers(self) -> bool:
        """Does anything come back to a reply queue?"""
        kinds = (
            C.MQRO_ACTIVITY | C.MQRO_COA_WITH_FULL_DATA | C.MQRO_COD_WITH_FULL_DATA
            | C.MQRO_EXCEPTION_WITH_FULL_DATA | C.MQRO_EXPIRATION_WITH_FULL_DATA
        )  # fmt: skip
        return bool(self.report & kinds) or self.trace.wants_reply


@dataclass(slots=True)
class Place:
    """Where the first put goes."""

    queue: str  # the local queue
    qmgr: str
    remote_queue: str = ""
    remote_qmgr: str = ""

    @property
    def is_remote(self) -> bool:
        return bool(self.remote_qmgr)


@dataclass(slots=True)
class Findings:
    """What is known of a route."""

    activities: list[Activity] = field(default_factory=list)
    """In their order, as far as it is known."""
    unordered: list[Activity] = field(default_factory=list)
    """With numbers that others have already: the message was on more than one way."""
    feedback: int = 0
    """Of a report that the message expired, or was not delivered."""
    feedback_qmgr: str = ""
    replied: bool = False

    def end(self) -> Operation | None:
        """The operation after which there was no more message on its way."""
        for activity in reversed(self.activities):
            for operation in activity.operations:
                if operation.kind == C.MQOPER_DISCARD or (operation.kind == C.MQOPER_PUT and not operation.remote_qmgr):
                    return operation
        return None

    def last_put(self) -> Operation | None:
        puts = [one for activity in self.activities for one in activity.operations if one.kind == C.MQOPER_PUT]
        return puts[-1] if puts else None

    @property
    def is_complete(self) -> bool:
        if self.end() is None:
            return False
        numbers = [activity.trace.recorded for activity in self.activities if activity.trace is not None]
        return self.replied or numbers == list(range(1, len(numbers) + 1))


class RouteTracer:
    """One trace over a connection. Close it: its reply queue may be a temporary one."""

    def __init__(self, manager: QueueManager, request: RouteRequest) -> None:
        self._mqi: MQI = manager.mqi
        self._name = manager.name
        self.request = request
        self.message_id = b""
        self.place: Place | None = None
        self._replies = 0  # hobj
        self._own: Activity | None = None

    def __enter__(self) -> RouteTracer:
        return self

    def __exit__(self, *error: object) -> None:
        if self._replies:
            hobj, self._replies = self._replies, 0
            try:
                self._mqi.MQCLOSE(hobj)
            except MQError:
                pass  # the queue manager ends; what was to be said has been said

    def open_replies(self, *, read: bool) -> None:
        """Have a queue for what comes back; a dynamic one if none is named."""
        request = self.request
        if not request.wants_answers or (request.reply_queue and not read):
            return
        od = MQOD(ObjectName=request.reply_queue or REPLY_MODEL)
        options = C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_FAIL_IF_QUIESCING
        self._replies = self._mqi.MQOPEN(od, options)
        request.reply_queue = od.ObjectName

    def resolve(self) -> Place:
        """Where the message would go first."""
        request = self.request
        bind = C.MQOO_BIND_NOT_FIXED if request.bind_not_fixed else C.MQOO_BIND_ON_OPEN
        options = C.MQOO_OUTPUT | C.MQOO_FAIL_IF_QUIESCING | bind
        found = []
        for more in (C.MQOO_RESOLVE_LOCAL_Q, 0):
            od = MQOD(Version=C.MQOD_VERSION_3, ObjectName=request.queue, ObjectQMgrName=request.qmgr)
            self._mqi.MQCLOSE(self._mqi.MQOPEN(od, options | more))
            found.append((od.ResolvedQName, od.ResolvedQMgrName))
        (queue, qmgr), (remote_queue, remote_qmgr) = found
        if remote_qmgr in ("", self._name):
            self.place = Place(queue or request.queue, qmgr or self._name)
        else:
            self.place = Place(queue, qmgr or self._name, remote_queue, remote_qmgr)
        return self.place

    def put(self) -> None:
        """Put the message, and report on that; both or neither."""
        request, place = self.request, self.place or self.resolve()
        reports = bool(request.report & C.MQRO_ACTIVITY) and bool(request.reply_queue)
        trace = request.trace
        now = time.gmtime()
        self._own = Activity(
            APPLICATION, C.MQAT_UNIX, DESCRIPTION,
            [
                Operation(
                    C.MQOPER_PUT, self._name, time.strftime("%Y-%m-%d", now), time.strftime("%H:%M:%S", now),
                    request.queue, place.queue, place.remote_queue, place.remote_qmgr,
                )
            ],
        )  # fmt: skip
        if trace.accumulates or reports:
            trace.recorded += 1
        else:
            trace.unrecorded += 1
        self._own.trace = trace
        message = TraceRouteMessage(trace)
        if trace.accumulates:
            message.add(self._own)
        md = MQMD(
            Version=C.MQMD_VERSION_2, Format=ADMIN, CodedCharSetId=_UTF8, Report=request.report,
            MsgType=C.MQMT_REQUEST if request.reply_queue else C.MQMT_DATAGRAM, Persistence=request.persistence,
            Priority=request.priority, Expiry=request.expiry_s * 10 if request.expiry_s else C.MQEI_UNLIMITED,
            ReplyToQ=request.reply_queue, ReplyToQMgr=request.reply_qmgr or self._name if request.reply_queue else "",
        )  # fmt: skip
        options = C.MQPMO_SYNCPOINT | C.MQPMO_FAIL_IF_QUIESCING
        try:
            od = MQOD(ObjectName=request.queue, ObjectQMgrName=request.qmgr)
            self._mqi.MQPUT1(od, md, MQPMO(Options=options | C.MQPMO_NEW_MSG_ID), message.pack())
            self.message_id = md.MsgId
            if reports:
                self._report(md, options)
            self._mqi.MQCMIT()
        except MQError:
            self._mqi.MQBACK()
            raise

    def _report(self, md: MQMD, options: int) -> None:
        assert self._own is not None
        report = MQMD(
            Version=C.MQMD_VERSION_2, Format=EMBEDDED, CodedCharSetId=_UTF8, MsgType=C.MQMT_REPORT,
            Feedback=C.MQFB_ACTIVITY, CorrelId=md.MsgId, Persistence=md.Persistence, Priority=md.Priority,
            Report=md.Report & C.MQRO_DISCARD_MSG, Expiry=md.Expiry,
        )  # fmt: skip
        if md.Report & C.MQRO_PASS_CORREL_ID:
            report.CorrelId = md.CorrelId
        od = MQOD(ObjectName=self.request.reply_queue, ObjectQMgrName=self.request.reply_qmgr)
        self._mqi.MQPUT1(od, report, MQPMO(Options=options), pack_report(self._own, _UTF8, "utf-8"))

    def collect(self, wait_s: float, clock: Callable[[], float] = time.monotonic) -> Findings:
        """Wait for what comes back, until the route is known to its end or the time is over."""
        findings = Findings()
        if self._own is not None and not (self._replies and self.request.report & C.MQRO_ACTIVITY):
            _add(findings, [self._own])
        if not self._replies:
            return findings
        deadline = clock() + wait_s
        while not self._is_known(findings):
            left = deadline - clock()
            found = _next(self._mqi, self._replies, max(0.0, left), CorrelId=self.message_id)
            if found is None:
                break
            _take(findings, *found)
        return findings

    def _is_known(self, findings: Findings) -> bool:
        if findings.feedback:
            return True
        return findings.replied if self.request.trace.wants_reply else findings.is_complete


def find_earlier(
    manager: QueueManager, queue: str, message_id: bytes, *, browse: bool = False, wait_s: float = 0.0
) -> Findings:
    """What a queue has about a trace-route message: reports on it, the reply, or the message itself."""
    mqi, findings = manager.mqi, Findings()
    options = C.MQOO_BROWSE if browse else C.MQOO_INPUT_SHARED | C.MQOO_BROWSE
    hobj = mqi.MQOPEN(MQOD(ObjectName=queue), options | C.MQOO_FAIL_IF_QUIESCING)
    try:
        for ids in ({"CorrelId": message_id}, {"MsgId": message_id}):
            first = True
            while True:
                found = _next(mqi, hobj, wait_s if first else 0.0, browse=browse, from_start=first, **ids)
                if found is None:
                    break
                first = False
                _take(findings, *found)
            if findings.activities:
                break
    finally:
        mqi.MQCLOSE(hobj)
    return findings


def _next(
    mqi: MQI, hobj: int, wait_s: float, *, browse: bool = False, from_start: bool = True, **ids: bytes
) -> tuple[MQMD, bytes] | None:
    options = C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_CONVERT
    if browse:
        options |= C.MQGMO_BROWSE_FIRST if from_start else C.MQGMO_BROWSE_NEXT
    else:
        options |= C.MQGMO_NO_SYNCPOINT
    if wait_s > 0:
        options |= C.MQGMO_WAIT
    match = C.MQMO_MATCH_CORREL_ID if "CorrelId" in ids else C.MQMO_MATCH_MSG_ID
    md = MQMD(Version=C.MQMD_VERSION_2, CodedCharSetId=_UTF8)
    for name, value in ids.items():
        setattr(md, name, value)
    gmo = MQGMO(Version=C.MQGMO_VERSION_2, Options=options, MatchOptions=match, WaitInterval=int(wait_s * 1000))
    try:
        got = mqi.MQGET(hobj, md, gmo)
    except MQError as error:
        if error.reason == C.MQRC_NO_MSG_AVAILABLE:
            return None
        raise
    return md, got.data


def _take(findings: Findings, md: MQMD, data: bytes) -> None:
    """One message that came back."""
    if md.MsgType == C.MQMT_REPORT and md.Feedback != C.MQFB_ACTIVITY:
        if md.Feedback not in (C.MQFB_COA, C.MQFB_COD):
            findings.feedback, findings.feedback_qmgr = md.Feedback, md.PutApplName
        return
    found = read_activities(md.Format, data, md.Encoding, charset_of(md.CodedCharSetId))
    if found is None:
        return
    if md.MsgType == C.MQMT_REPORT:
        _add(findings, found)
    else:
        # A reply, or the message itself: all activities, in the order in which they were added
        findings.activities, findings.unordered, findings.replied = found, [], True


def _add(findings: Findings, found: list[Activity]) -> None:
    """Reports come in any order. Those of trace-route messages are numbered, others have only their time."""
    if findings.replied:
        return
    for activity in found:
        number = activity.trace.recorded if activity.trace is not None else 0
        numbers = {one.trace.recorded for one in findings.activities if one.trace is not None}
        if number and number in numbers:
            findings.unordered.append(activity)
        else:
            findings.activities.append(activity)
    findings.activities.sort(key=_moment)


def _moment(activity: Activity) -> tuple[int, str, str]:
    first = activity.operations[0] if activity.operations else Operation(C.MQOPER_UNKNOWN)
    return activity.trace.recorded if activity.trace is not None else 0, first.date, first.time
