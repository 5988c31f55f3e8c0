"""Trace-route messages and activities: what a message has been through, as PCF.

A trace-route message is a PCF message (MQADMIN, or behind an MQEPH, MQHEPCF) whose TraceRoute group says how much to
tell, to whom, and how far to go. Whoever handles it (a channel agent, dspmqrte, any program that cares to) describes
what it did as an activity, a row of operations, and adds it to the message or sends it back as an activity report.

`TraceRouteMessage.read` takes anybody's message apart and leaves every byte alone that it has no business with.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import (
    MQCFBS,
    MQCFGR,
    MQCFH,
    MQCFIN,
    MQCFST,
    MQEPH,
    PCFParameter,
    pack_message,
    pack_parameters,
    unpack_parameters,
)
from libremq.mqi.structs import MQMD

ADMIN, EMBEDDED = C.MQFMT_ADMIN.strip(), C.MQFMT_EMBEDDED_PCF.strip()
FORMATS = frozenset({ADMIN, EMBEDDED})
_BITS = 0xFFFFFFFF
_HIGHEST = 0x7FFFFFFF
_DESCRIPTION_LENGTH = 64
_PARAMETERS_MAX = 20_000  # of a message, those in groups too: whoever takes it apart holds up everybody else

# The parameters of the TraceRoute group, in their order
_TRACE = {
    C.MQIACF_ROUTE_DETAIL: "detail",
    C.MQIACF_RECORDED_ACTIVITIES: "recorded",
    C.MQIACF_UNRECORDED_ACTIVITIES: "unrecorded",
    C.MQIACF_DISCONTINUITY_COUNT: "discontinuities",
    C.MQIACF_MAX_ACTIVITIES: "max_activities",
    C.MQIACF_ROUTE_ACCUMULATION: "accumulate",
    C.MQIACF_ROUTE_FORWARDING: "forward",
    C.MQIACF_ROUTE_DELIVERY: "deliver",
}
# Those of an operation, in their order, with the length of the texts; 0 is a number
_OPERATION = {
    C.MQIACF_OPERATION_TYPE: ("kind", 0),
    C.MQCACF_OPERATION_DATE: ("date", C.MQ_DATE_LENGTH),
    C.MQCACF_OPERATION_TIME: ("time", C.MQ_TIME_LENGTH),
    C.MQCA_Q_MGR_NAME: ("qmgr", C.MQ_Q_MGR_NAME_LENGTH),
    C.MQIACF_FEEDBACK: ("feedback", 0),
    C.MQCA_Q_NAME: ("queue", C.MQ_Q_NAME_LENGTH),
    C.MQCACF_RESOLVED_Q_NAME: ("resolved", C.MQ_Q_NAME_LENGTH),
    C.MQCA_REMOTE_Q_NAME: ("remote_queue", C.MQ_Q_NAME_LENGTH),
    C.MQCACH_CHANNEL_NAME: ("channel", C.MQ_CHANNEL_NAME_LENGTH),
    C.MQIACH_CHANNEL_TYPE: ("channel_type", 0),
    C.MQCACH_XMIT_Q_NAME: ("xmitq", C.MQ_Q_NAME_LENGTH),
    C.MQCA_REMOTE_Q_MGR_NAME: ("remote_qmgr", C.MQ_Q_MGR_NAME_LENGTH),
}
_WORD_BIG, _WORD_LITTLE = struct.Struct(">i"), struct.Struct("<i")
_EMBEDDED_AT = C.MQEPH_STRUC_LENGTH_FIXED - C.MQCFH_STRUC_LENGTH  # where the header of the PCF is in an MQEPH
_CFH_WORDS = (0, 12, 32)  # Type, Command and ParameterCount
_ALWAYS = frozenset({"kind", "date", "time", "qmgr"})
_MESSAGE_BEFORE = C.MQCA_Q_MGR_NAME
# Those of a descriptor, in its order, with their lengths; 0 is a number, a negative length is of bytes
_DESCRIPTOR = {
    C.MQCACF_STRUC_ID: ("StrucId", 4),
    C.MQIACF_VERSION: ("Version", 0),
    C.MQIACF_REPORT: ("Report", 0),
    C.MQIACF_MSG_TYPE: ("MsgType", 0),
    C.MQIACF_EXPIRY: ("Expiry", 0),
    C.MQIACF_FEEDBACK: ("Feedback", 0),
    C.MQIACF_ENCODING: ("Encoding", 0),
    C.MQIA_CODED_CHAR_SET_ID: ("CodedCharSetId", 0),
    C.MQCACH_FORMAT_NAME: ("Format", C.MQ_FORMAT_LENGTH),
    C.MQIACF_PRIORITY: ("Priority", 0),
    C.MQIACF_PERSISTENCE: ("Persistence", 0),
    C.MQBACF_MSG_ID: ("MsgId", -C.MQ_MSG_ID_LENGTH),
    C.MQBACF_CORREL_ID: ("CorrelId", -C.MQ_CORREL_ID_LENGTH),
    C.MQIACF_BACKOUT_COUNT: ("BackoutCount", 0),
    C.MQCACF_REPLY_TO_Q: ("ReplyToQ", C.MQ_Q_NAME_LENGTH),
    C.MQCACF_REPLY_TO_Q_MGR: ("ReplyToQMgr", C.MQ_Q_MGR_NAME_LENGTH),
    C.MQCACF_USER_IDENTIFIER: ("UserIdentifier", C.MQ_USER_ID_LENGTH),
    C.MQBACF_ACCOUNTING_TOKEN: ("AccountingToken", -C.MQ_ACCOUNTING_TOKEN_LENGTH),
    C.MQCACF_APPL_IDENTITY_DATA: ("ApplIdentityData", C.MQ_APPL_IDENTITY_DATA_LENGTH),
    C.MQIA_APPL_TYPE: ("PutApplType", 0),
    C.MQCACF_APPL_NAME: ("PutApplName", C.MQ_APPL_NAME_LENGTH),
    C.MQCACF_PUT_DATE: ("PutDate", C.MQ_PUT_DATE_LENGTH),
    C.MQCACF_PUT_TIME: ("PutTime", C.MQ_PUT_TIME_LENGTH),
    C.MQCACF_APPL_ORIGIN_DATA: ("ApplOriginData", C.MQ_APPL_ORIGIN_DATA_LENGTH),
}
_DESCRIPTOR_2 = {
    C.MQBACF_GROUP_ID: ("GroupId", -C.MQ_GROUP_ID_LENGTH),
    C.MQIACH_MSG_SEQUENCE_NUMBER: ("MsgSeqNumber", 0),
    C.MQIACF_OFFSET: ("Offset", 0),
    C.MQIACF_MSG_FLAGS: ("MsgFlags", 0),
    C.MQIACF_ORIGINAL_LENGTH: ("OriginalLength", 0),
}


@dataclass(slots=True)
class TraceRoute:
    """What a trace-route message wants, and how often it was handled so far."""

    detail: int = C.MQROUTE_DETAIL_MEDIUM
    recorded: int = 0
    unrecorded: int = 0
    discontinuities: int = 0
    """Queue managers on the way that had nothing to tell."""
    max_activities: int = C.MQROUTE_UNLIMITED_ACTIVITIES
    accumulate: int = C.MQROUTE_ACCUMULATE_NONE
    forward: int = C.MQROUTE_FORWARD_IF_SUPPORTED
    deliver: int = C.MQROUTE_DELIVER_NO
    others: tuple[PCFParameter, ...] = ()
    """What programs of their own have put in the group."""

    @property
    def total(self) -> int:
        return self.recorded + self.unrecorded + self.discontinuities

    @property
    def is_exceeded(self) -> bool:
        return 0 < self.max_activities < self.total

    @property
    def accumulates(self) -> bool:
        return self.accumulate in (C.MQROUTE_ACCUMULATE_IN_MSG, C.MQROUTE_ACCUMULATE_AND_REPLY)

    @property
    def wants_reply(self) -> bool:
        return self.accumulate == C.MQROUTE_ACCUMULATE_AND_REPLY

    @property
    def forwarding_refused(self) -> bool:
        """Does it ask for a way of forwarding that must be known to whoever handles it, and is not known here?"""
        known = C.MQROUTE_FORWARD_ALL | C.MQROUTE_FORWARD_IF_SUPPORTED
        return bool(self.forward & ~known & C.MQROUTE_FORWARD_REJ_UNSUP_MASK)

    @property
    def delivery_refused(self) -> bool:
        known = C.MQROUTE_DELIVER_YES | C.MQROUTE_DELIVER_NO
        return bool(self.deliver & ~known & C.MQROUTE_DELIVER_REJ_UNSUP_MASK)

    def group(self) -> MQCFGR:
        numbers = [
            MQCFIN(Parameter=parameter, Value=min(getattr(self, name), _HIGHEST)) for parameter, name in _TRACE.items()
        ]
        return MQCFGR(Parameter=C.MQGACF_TRACE_ROUTE, Parameters=[*numbers, *self.others])

    @classmethod
    def of_group(cls, group: MQCFGR) -> TraceRoute:
        trace, others = cls(), []
        for one in group.Parameters:
            name = _TRACE.get(one.Parameter) if isinstance(one, MQCFIN) else None
            if name is None:
                others.append(one)
            else:
                setattr(trace, name, one.Value)  # type: ignore[union-attr]
        trace.others = tuple(others)
        return trace


@dataclass(slots=True)
class Operation:
    """One thing that was done with a message: MQOPER_*, where and when. What does not belong to it is empty."""

    kind: int
    qmgr: str = ""
    date: str = ""  # yyyy-mm-dd
    time: str = ""  # hh:mm:ss
    queue: str = ""  # as it was opened
    resolved: str = ""  # the local queue that this means
    remote_queue: str = ""
    remote_qmgr: str = ""
    channel: str = ""
    channel_type: int = 0
    xmitq: str = ""
    feedback: int = 0
    length: int | None = None
    md: MQMD | None = None
    embedded: MQMD | None = None
    """The descriptor of the application's message, inside one of a transmission queue."""

    def group(self) -> MQCFGR:
        parameters: list[PCFParameter] = []
        for parameter, (name, length) in _OPERATION.items():
            if parameter == _MESSAGE_BEFORE and self.length is not None:
                parameters.append(self._message())
            value = getattr(self, name)
            if not value and name not in _ALWAYS:
                continue
            if isinstance(value, int):
                parameters.append(MQCFIN(Parameter=parameter, Value=value))
            else:
                parameters.append(_text(parameter, value, length))
        return MQCFGR(Parameter=C.MQGACF_OPERATION, Parameters=parameters)

    def _message(self) -> MQCFGR:
        parameters: list[PCFParameter] = [MQCFIN(Parameter=C.MQIACF_MSG_LENGTH, Value=self.length or 0)]
        for identifier, md in ((C.MQGACF_MQMD, self.md), (C.MQGACF_EMBEDDED_MQMD, self.embedded)):
            if md is not None:
                parameters.append(MQCFGR(Parameter=identifier, Parameters=list(_descriptor_parameters(md))))
        return MQCFGR(Parameter=C.MQGACF_MESSAGE, Parameters=parameters)

    @classmethod
    def of_group(cls, group: MQCFGR) -> Operation:
        operation = cls(C.MQOPER_UNKNOWN)
        for one in group.Parameters:
            if isinstance(one, MQCFGR):
                if one.Parameter == C.MQGACF_MESSAGE:
                    operation._read_message(one)
            elif one.Parameter in _OPERATION:
                name, length = _OPERATION[one.Parameter]
                if isinstance(one, MQCFST) and length:
                    setattr(operation, name, one.String)
                elif isinstance(one, MQCFIN) and not length:
                    setattr(operation, name, one.Value)
        return operation

    def _read_message(self, group: MQCFGR) -> None:
        for one in group.Parameters:
            if isinstance(one, MQCFIN) and one.Parameter == C.MQIACF_MSG_LENGTH:
                self.length = one.Value
            elif isinstance(one, MQCFGR) and one.Parameter == C.MQGACF_MQMD:
                self.md = _descriptor_of(one)
            elif isinstance(one, MQCFGR) and one.Parameter == C.MQGACF_EMBEDDED_MQMD:
                self.embedded = _descriptor_of(one)


def _text(parameter: int, value: str, length: int) -> MQCFST:
    """Filled to its length. The message may be in any character set: what is not in all of them is a question mark."""
    plain = value.encode("ascii", "replace").decode("ascii")
    return MQCFST(Parameter=parameter, String=plain[:length].ljust(length))


def _descriptor_parameters(md: MQMD) -> Iterator[PCFParameter]:
    rows = _DESCRIPTOR if md.Version < C.MQMD_VERSION_2 else _DESCRIPTOR | _DESCRIPTOR_2
    for parameter, (name, length) in rows.items():
        value = getattr(md, name)
        if length < 0:
            yield MQCFBS(Parameter=parameter, String=value)
        elif length:
            yield _text(parameter, value, length)
        else:
            yield MQCFIN(Parameter=parameter, Value=_signed(value))


def _signed(value: int) -> int:
    """Options that have the highest bit are unsigned here and signed in PCF."""
    return value - 2**32 if value > _HIGHEST else value


def _descriptor_of(group: MQCFGR) -> MQMD:
    md, rows = MQMD(), _DESCRIPTOR | _DESCRIPTOR_2
    for one in group.Parameters:
        if one.Parameter not in rows:
            continue
        name, length = rows[one.Parameter]
        if (isinstance(one, MQCFBS) and length < 0) or (isinstance(one, MQCFST) and length > 0):
            setattr(md, name, one.String)
        elif isinstance(one, MQCFIN) and not length:
            setattr(md, name, one.Value & _BITS if name in ("Report", "MsgFlags") else one.Value)
    return md


@dataclass(slots=True)
class Activity:
    """What one program did with a message, from taking it to letting go of it."""

    application: str
    application_type: int
    description: str
    operations: list[Operation] = field(default_factory=list)
    trace: TraceRoute | None = None
    """In an activity report on a trace-route message: its TraceRoute group after this activity."""

    def group(self) -> MQCFGR:
        parameters: list[PCFParameter] = [
            _text(C.MQCACF_APPL_NAME, self.application, C.MQ_APPL_NAME_LENGTH),
            MQCFIN(Parameter=C.MQIA_APPL_TYPE, Value=self.application_type),
            _text(C.MQCACF_ACTIVITY_DESC, self.description, _DESCRIPTION_LENGTH),
            *(operation.group() for operation in self.operations),
        ]
        if self.trace is not None:
            parameters.append(self.trace.group())
        return MQCFGR(Parameter=C.MQGACF_ACTIVITY, Parameters=parameters)

    @classmethod
    def of_group(cls, group: MQCFGR) -> Activity:
        activity = cls("", 0, "")
        for one in group.Parameters:
            if isinstance(one, MQCFGR):
                if one.Parameter == C.MQGACF_OPERATION:
                    activity.operations.append(Operation.of_group(one))
                elif one.Parameter == C.MQGACF_TRACE_ROUTE:
                    activity.trace = TraceRoute.of_group(one)
            elif isinstance(one, MQCFST) and one.Parameter == C.MQCACF_APPL_NAME:
                activity.application = one.String
            elif isinstance(one, MQCFST) and one.Parameter == C.MQCACF_ACTIVITY_DESC:
                activity.description = one.String
            elif isinstance(one, MQCFIN) and one.Parameter == C.MQIA_APPL_TYPE:
                activity.application_type = one.Value
        return activity


@dataclass(slots=True)
class TraceRouteMessage:
    """The data of a trace-route message, taken apart around its TraceRoute group."""

    trace: TraceRoute
    big_endian: bool = False
    charset: str = "latin-1"
    header: MQCFH = field(
        default_factory=lambda: MQCFH(Type=C.MQCFT_TRACE_ROUTE, Version=C.MQCFH_VERSION_3, Command=C.MQCMD_TRACE_ROUTE)
    )
    embedded: MQEPH | None = None
    before: bytes = b""
    after: bytes = b""
    """Packed parameters around the group; activities are among those behind it."""
    parameters: int = 1
    tail: bytes = b""
    """What is no PCF: the data of a program."""

    @classmethod
    def read(cls, data_format: str, data: bytes, encoding: int, charset: str) -> TraceRouteMessage | None:
        """A trace-route message, or None if the data is something else."""
        data_format = data_format.strip()
        if data_format not in FORMATS:
            return None
        big_endian = encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
        if not _may_be_one(data, _EMBEDDED_AT if data_format == EMBEDDED else 0, big_endian):
            return None
        try:
            return cls._read(data_format, data, big_endian, charset)
        except (MQError, ValueError):
            return None

    @classmethod
    def _read(cls, data_format: str, data: bytes, big_endian: bool, charset: str) -> TraceRouteMessage | None:
        embedded = None
        if data_format == EMBEDDED:
            embedded = MQEPH.unpack(data, big_endian=big_endian, charset=charset)
            header, at, end = embedded.PCFHeader, C.MQEPH_STRUC_LENGTH_FIXED, embedded.StrucLength
        else:
            header, at, end = MQCFH.unpack(data, big_endian=big_endian, charset=charset), C.MQCFH_STRUC_LENGTH, 0
        if (header.Type, header.Command) != (C.MQCFT_TRACE_ROUTE, C.MQCMD_TRACE_ROUTE):
            return None
        if not 1 <= header.ParameterCount <= _PARAMETERS_MAX:
            return None
        start, found, around = at, None, (0, 0)
        for _ in range(header.ParameterCount):
            (one,), behind = unpack_parameters(data, at, 1, big_endian=big_endian, charset=charset)
            if found is None and isinstance(one, MQCFGR) and one.Parameter == C.MQGACF_TRACE_ROUTE:
                found, around = one, (at, behind)
            at = behind
        if found is None:
            return None
        return cls(
            TraceRoute.of_group(found), big_endian, charset, header, embedded,
            data[start : around[0]], data[around[1] : at], header.ParameterCount, data[max(at, end) :],
        )  # fmt: skip

    def add(self, activity: Activity) -> None:
        """Another activity, behind those that are there."""
        self.after += self._packed([replace(activity, trace=None).group()])
        self.parameters += 1

    def activities(self) -> list[Activity]:
        """Those that were accumulated, the first one first."""
        return [
            Activity.of_group(one)
            for one in self._groups()
            if isinstance(one, MQCFGR) and one.Parameter == C.MQGACF_ACTIVITY
        ]

    def _groups(self) -> Iterator[PCFParameter]:
        for data in (self.before, self.after):
            at = 0
            while at < len(data):
                found, at = unpack_parameters(data, at, 1, big_endian=self.big_endian, charset=self.charset)
                yield from found

    def _packed(self, parameters: Sequence[PCFParameter]) -> bytes:
        return pack_parameters(parameters, big_endian=self.big_endian, charset=self.charset)

    def pack(self) -> bytes:
        body = self.before + self._packed([self.trace.group()]) + self.after
        self.header.ParameterCount = self.parameters
        head = self.header.pack(big_endian=self.big_endian, charset=self.charset)
        # The count is worked out from a list of parameters, which are bytes here
        head = head[: C.MQCFH_STRUC_LENGTH - 4] + self.parameters.to_bytes(4, "big" if self.big_endian else "little")
        if self.embedded is None:
            return head + body + self.tail
        front = self.embedded.copy()
        front.Parameters = ()
        fixed = front.pack(big_endian=self.big_endian, charset=self.charset)[: -C.MQCFH_STRUC_LENGTH]
        length = C.MQEPH_STRUC_LENGTH_FIXED + len(body)
        fixed = fixed[:8] + length.to_bytes(4, "big" if self.big_endian else "little") + fixed[12:]
        return fixed + head + body + self.tail

    def reply(self) -> bytes:
        """The data of a trace-route reply, an MQADMIN message: all that was accumulated."""
        groups = [one for one in self._groups() if isinstance(one, MQCFGR) and one.Parameter == C.MQGACF_ACTIVITY]
        header = MQCFH(Type=C.MQCFT_TRACE_ROUTE, Version=C.MQCFH_VERSION_3, Command=C.MQCMD_TRACE_ROUTE)
        return pack_message(header, groups, big_endian=self.big_endian, charset=self.charset)


def _may_be_one(data: bytes, at: int, big_endian: bool) -> bool:
    """Is it worth taking apart: a trace-route message of not too many parameters? Costs little, whatever it is."""
    word = _WORD_BIG if big_endian else _WORD_LITTLE
    try:
        kind, command, left = (word.unpack_from(data, at + offset)[0] for offset in _CFH_WORDS)
        if (kind, command) != (C.MQCFT_TRACE_ROUTE, C.MQCMD_TRACE_ROUTE):
            return False
        at += C.MQCFH_STRUC_LENGTH
        for _ in range(_PARAMETERS_MAX):
            if not left:
                return True
            kind, length = word.unpack_from(data, at)[0], word.unpack_from(data, at + 4)[0]
            if length <= 0:
                return False
            left += (word.unpack_from(data, at + 12)[0] if kind == C.MQCFT_GROUP else 0) - 1
            at += length
    except struct.error:  # it ends too early
        pass
    return False


def pack_report(activity: Activity, ccsid: int, charset: str) -> bytes:
    """The data of an activity report, in native byte order: MQFMT_EMBEDDED_PCF."""
    return MQEPH(
        CodedCharSetId=C.MQCCSI_UNDEFINED,
        Encoding=C.MQENC_NATIVE,
        Flags=C.MQEPH_CCSID_EMBEDDED,
        PCFHeader=MQCFH(Type=C.MQCFT_REPORT, Version=C.MQCFH_VERSION_3, Command=C.MQCMD_ACTIVITY_MSG),
        Parameters=[_in_character_set(activity.group(), ccsid)],
    ).pack(charset=charset)


def _in_character_set(group: MQCFGR, ccsid: int) -> MQCFGR:
    """With MQEPH_CCSID_EMBEDDED every text says what character set it is in."""
    for one in group.Parameters:
        if isinstance(one, MQCFGR):
            _in_character_set(one, ccsid)
        elif isinstance(one, MQCFST):
            one.CodedCharSetId = ccsid
    return group


def read_activities(data_format: str, data: bytes, encoding: int, charset: str) -> list[Activity] | None:
    """The activities of a report, a reply or a trace-route message; None if the data is none of them."""
    data_format = data_format.strip()
    if data_format not in FORMATS:
        return None
    big_endian = encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
    try:
        if data_format == EMBEDDED:
            whole = MQEPH.unpack(data, big_endian=big_endian, charset=charset)
            header, parameters = whole.PCFHeader, whole.Parameters
        else:
            header = MQCFH.unpack(data, big_endian=big_endian, charset=charset)
            parameters, _ = unpack_parameters(
                data, C.MQCFH_STRUC_LENGTH, header.ParameterCount, big_endian=big_endian, charset=charset
            )
    except (MQError, ValueError):
        return None
    if header.Command not in (C.MQCMD_TRACE_ROUTE, C.MQCMD_ACTIVITY_MSG):
        return None
    groups = [one for one in parameters if isinstance(one, MQCFGR) and one.Parameter == C.MQGACF_ACTIVITY]
    return [Activity.of_group(one) for one in groups]
