"""How `dspmqrte` shows a route: the queues on it, or each activity with its operations, in as much detail as wanted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.constant_names import names_of
from libremq.mqi.structs import MQMD
from libremq.mqi.trace_route import Activity, Operation, TraceRoute
from libremq.tools.route_tracing import Findings

OPTIONS = ("activity", "identifiers", "message", "msgdelta", "operation", "traceroute")
ALL = frozenset(OPTIONS) - {"msgdelta"}
OUTLINE = frozenset({"activity", "operation"})
_RULE = "-" * 80

_OPERATION_LABELS = {
    "date": "OperationDate", "time": "OperationTime", "qmgr": "QMgrName", "queue": "QName",
    "resolved": "ResolvedQName", "remote_queue": "RemoteQName", "remote_qmgr": "RemoteQMgrName",
    "channel": "ChannelName", "channel_type": "ChannelType", "xmitq": "XmitQName", "feedback": "Feedback",
}  # fmt: skip
_TRACE_LABELS = {
    "detail": "Detail", "recorded": "RecordedActivities", "unrecorded": "UnrecordedActivities",
    "discontinuities": "DiscontinuityCount", "max_activities": "MaxActivities", "accumulate": "Accumulate",
    "forward": "Forward", "deliver": "Deliver",
}  # fmt: skip
# The words for numbers: prefix of the constants, and what of their names is left out
_WORDS = {
    "channel_type": "MQCHT", "detail": "MQROUTE_DETAIL", "accumulate": "MQROUTE_ACCUMULATE",
    "forward": "MQROUTE_FORWARD", "deliver": "MQROUTE_DELIVER",
}  # fmt: skip
_IDENTIFIERS = ("MsgId", "CorrelId")


def word(prefix: str, value: int) -> str:
    """A number by its name: MQCHT, 1 is Sender."""
    name = names_of(prefix).get(value)
    parts = name.removeprefix(f"{prefix}_").split("_") if name else [str(value)]
    return "".join(part.capitalize() for part in parts)


def _application_type(value: int) -> str:
    return "Unix" if value == C.MQAT_UNIX else word("MQAT", value)  # AIX has the same number


def operation_name(kind: int) -> str:
    return word("MQOPER", kind)


def feedback_name(feedback: int) -> str:
    for prefix in ("MQFB", "MQRC"):
        if feedback in names_of(prefix):
            return names_of(prefix)[feedback]
    return str(feedback)


# The summary: one line for each queue that the message was on or meant for


def summary(findings: Findings) -> Iterator[str]:
    gaps = 0
    for activity in findings.activities:
        if activity.trace is not None and activity.trace.discontinuities > gaps:
            yield amq(8684, activity.trace.discontinuities - gaps)
            gaps = activity.trace.discontinuities
        for operation in activity.operations:
            here = operation.kind == C.MQOPER_PUT or (
                operation.kind == C.MQOPER_DISCARD and operation.remote_qmgr in ("", operation.qmgr)
            )
            if here and operation.queue:
                yield amq(8666, operation.resolved or operation.queue, operation.qmgr)


# Outline and more


def details(findings: Findings, wanted: Collection[str]) -> Iterator[str]:
    before: dict[str, object] = {}
    for activity in findings.activities:
        yield _RULE
        yield from _activity(activity, wanted, before)
    if findings.activities:
        yield _RULE
    if findings.unordered:
        yield amq(8660, len(findings.unordered))
        for activity in findings.unordered:
            yield _RULE
            yield from _activity(activity, wanted, before)
        yield _RULE


def _activity(activity: Activity, wanted: Collection[str], before: dict[str, object]) -> Iterator[str]:
    yield "Activity:"
    if "activity" in wanted:
        yield f" ApplName: '{activity.application}'"
        yield f" ApplType: {_application_type(activity.application_type)}"
        yield f" ActivityDesc: '{activity.description}'"
    for operation in activity.operations:
        yield ""
        yield " Operation:"
        yield f"  OperationType: {operation_name(operation.kind)}"
        if "operation" in wanted:
            yield from _fields(operation, _OPERATION_LABELS, "  ")
        yield from _message(operation, wanted, before)
    if "traceroute" in wanted and activity.trace is not None:
        yield ""
        yield " TraceRoute:"
        yield from _fields(activity.trace, _TRACE_LABELS, "  ")


def _fields(of: Operation | TraceRoute, labels: dict[str, str], indent: str) -> Iterator[str]:
    for name, label in labels.items():
        value = getattr(of, name)
        if isinstance(of, Operation) and not value:
            continue
        yield f"{indent}{label}: {_shown(name, value)}"


def _shown(name: str, value: object) -> str:
    if isinstance(value, int):
        if name == "feedback":
            return feedback_name(value)
        if name == "max_activities" and value == C.MQROUTE_UNLIMITED_ACTIVITIES:
            return "Unlimited"
        return word(_WORDS[name], value) if name in _WORDS else str(value)
    return f"'{value}'"


def _message(operation: Operation, wanted: Collection[str], before: dict[str, object]) -> Iterator[str]:
    lines: list[str] = []
    for title, md in (("MQMD", operation.md), ("EmbeddedMQMD", operation.embedded)):
        if md is None:
            continue
        fields = descriptor(md)
        shown = [
            f"    {name}: {_value(value)}"
            for name, value in fields.items()
            if _is_wanted(title, name, value, wanted, before)
        ]
        before.update({f"{title}.{name}": value for name, value in fields.items()})
        if shown:
            lines += [f"   {title}:", *shown]
    if lines or "message" in wanted:
        yield ""
        yield "  Message:"
        if operation.length is not None and "message" in wanted:
            yield f"   MsgLength: {operation.length}"
        yield from lines


def _is_wanted(title: str, name: str, value: object, wanted: Collection[str], before: dict[str, object]) -> bool:
    if "message" in wanted:
        return True
    if "identifiers" in wanted and name in _IDENTIFIERS:
        return True
    return "msgdelta" in wanted and before.get(f"{title}.{name}") != value


def descriptor(md: MQMD) -> dict[str, object]:
    return {name: getattr(md, name) for name in type(md).__annotations__}


def _value(value: object) -> str:
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return f"'{value}'" if isinstance(value, str) else str(value)


# For programs


def as_json(findings: Findings) -> list[dict[str, Any]]:
    return [_activity_json(activity) for activity in (*findings.activities, *findings.unordered)]


def _activity_json(activity: Activity) -> dict[str, Any]:
    operations = []
    for operation in activity.operations:
        row: dict[str, Any] = {"operation": operation_name(operation.kind)}
        row |= {name: getattr(operation, name) for name in _OPERATION_LABELS if getattr(operation, name)}
        if operation.feedback:
            row["feedback"] = feedback_name(operation.feedback)
        if operation.channel_type:
            row["channel_type"] = word("MQCHT", operation.channel_type)
        if operation.length is not None:
            row["length"] = operation.length
        for name, md in (("md", operation.md), ("embedded_md", operation.embedded)):
            if md is not None:
                row[name] = descriptor(md)
        operations.append(row)
    made: dict[str, Any] = {
        "application": activity.application,
        "description": activity.description,
        "operations": operations,
    }
    if activity.trace is not None:
        values = {name: getattr(activity.trace, name) for name in _TRACE_LABELS}
        made["trace_route"] = {
            name: word(_WORDS[name], value) if name in _WORDS else value for name, value in values.items()
        }
    return made
