"""From Python arguments to MQI structures: ids, seconds, text and bytes, descriptors and options.

What is wrong with an argument is said here, with the reason code MQ has for it, before anything is called.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar

from libremq.common.ccsid import codec
from libremq.host.binding import GetCall, PutCall, Received
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.byte_order import is_big_endian
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQPMO, Structure

Data = bytes | bytearray | memoryview | str
Identifier = bytes | str
Seconds = float | timedelta

ID_BYTES = 24
REPLY_MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"
"""The queue from which queues for replies are made."""
UTF8 = 1208
_FORMAT_STRING = C.MQFMT_STRING.strip()
_MILLISECONDS_MAX = 2**31 - 1
_TENTHS_MAX = 2**31 - 1
_CCSID_MAX = 2**31 - 1
_GET_SYNCPOINTS = C.MQGMO_SYNCPOINT | C.MQGMO_NO_SYNCPOINT | C.MQGMO_SYNCPOINT_IF_PERSISTENT
_GET_PROPERTIES = (
    C.MQGMO_PROPERTIES_FORCE_MQRFH2
    | C.MQGMO_NO_PROPERTIES
    | C.MQGMO_PROPERTIES_IN_HANDLE
    | C.MQGMO_PROPERTIES_COMPATIBILITY
)
_PUT_SYNCPOINTS = C.MQPMO_SYNCPOINT | C.MQPMO_NO_SYNCPOINT
_ID_REASONS = {
    "message_id": C.MQRC_MSG_ID_ERROR,
    "correlation_id": C.MQRC_CORREL_ID_ERROR,
    "group_id": C.MQRC_GROUP_ID_ERROR,
}


class Named(Protocol):
    """A queue, wherever its name is asked for."""

    @property
    def name(self) -> str: ...


class PutOptions(TypedDict, total=False):
    """The keyword arguments of `Queue.put`, which explains them."""

    persistent: bool | None
    priority: int | None
    expiry: Seconds | None
    correlation_id: Identifier | None
    message_id: Identifier | None
    reply_to: str | Named | None
    reply_to_manager: str
    properties: Mapping[str, object] | None
    format: str | None
    message_type: int | None
    report: int
    md: MQMD | None
    pmo: MQPMO | None


class Match(TypedDict, total=False):
    """The keyword arguments that choose a message by its ids."""

    message_id: Identifier | None
    correlation_id: Identifier | None
    group_id: Identifier | None


def identifier(what: str, value: Identifier, queue: str) -> bytes:
    """An id of 24 bytes from bytes or text; a shorter one is filled with zeros, as MQ does."""
    if isinstance(value, str):
        try:
            value = value.encode()
        except UnicodeEncodeError as error:
            raise bad_value(_ID_REASONS[what], queue, f"{what} has no UTF-8 form: {error.reason}") from None
    elif not isinstance(value, bytes | bytearray | memoryview):
        raise wrong_type(_ID_REASONS[what], queue, f"{what} is bytes or str, not {type(value).__name__}")
    if len(value) > ID_BYTES:
        raise bad_value(_ID_REASONS[what], queue, f"{what} has {len(value)} bytes; the most is {ID_BYTES}")
    return bytes(value).ljust(ID_BYTES, b"\0")


def _seconds(what: str, value: Seconds, reason: int, queue: str) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(reason, queue, f"{what} is a number of seconds, not {value!r}")
    try:
        seconds = float(value)
    except OverflowError:
        raise bad_value(reason, queue, f"{what} is beyond all numbers of seconds") from None
    if math.isnan(seconds):
        raise bad_value(reason, queue, f"{what} is not a number")
    return seconds


def wait_interval(wait: Seconds, queue: str) -> int:
    """Seconds as the WaitInterval of a get, in milliseconds; infinity waits without limit."""
    seconds = _seconds("wait", wait, C.MQRC_WAIT_INTERVAL_ERROR, queue)
    if seconds < 0:
        raise bad_value(C.MQRC_WAIT_INTERVAL_ERROR, queue, f"wait is {wait}; it cannot be negative")
    if math.isinf(seconds):
        return C.MQWI_UNLIMITED
    milliseconds = math.ceil(seconds * 1000)
    if milliseconds > _MILLISECONDS_MAX:
        raise bad_value(C.MQRC_WAIT_INTERVAL_ERROR, queue, "wait is above 24 days; use float('inf') for ever")
    return milliseconds


def expiry_tenths(expiry: Seconds, queue: str) -> int:
    """Seconds as the Expiry of a descriptor, in tenths."""
    seconds = _seconds("expiry", expiry, C.MQRC_EXPIRY_ERROR, queue)
    if math.isinf(seconds) and seconds > 0:
        return C.MQEI_UNLIMITED
    if not 0 < seconds * 10 <= _TENTHS_MAX:
        raise bad_value(C.MQRC_EXPIRY_ERROR, queue, f"expiry is {expiry}; it must be above 0 and below 6 years")
    return math.ceil(seconds * 10)


def _encode(data: Data, md: MQMD, queue: str) -> bytes:
    """The bytes of a message. Text goes out as UTF-8, or in the character set that the descriptor names."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        used = codec(md.CodedCharSetId)
        if used is None:
            raise bad_value(C.MQRC_CODED_CHAR_SET_ID_ERROR, queue, f"CCSID {md.CodedCharSetId} is not known")
        try:
            return used.encode(data, big_endian=is_big_endian(md.Encoding))
        except UnicodeEncodeError as error:
            raise bad_value(
                C.MQRC_CODED_CHAR_SET_ID_ERROR, queue, f"the text has no CCSID {md.CodedCharSetId} form: {error.reason}"
            ) from None
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    raise wrong_type(
        C.MQRC_BUFFER_ERROR, queue, f"a message is bytes or str, not {type(data).__name__}; json.dumps() makes a str"
    )


_Template = TypeVar("_Template", bound=Structure)


def _from_template(kind: type[_Template], template: object, reason: int, queue: str) -> _Template:
    """A copy, because what a caller hands in to start from stays as it is."""
    if not isinstance(template, kind):
        raise wrong_type(reason, queue, f"an {kind.__name__} is asked for, not {type(template).__name__}")
    return template.copy()


def descriptor(template: MQMD | None, queue: str) -> MQMD:
    """The descriptor to start from: a copy of the caller's, or a new one."""
    if template is None:
        return MQMD(Version=C.MQMD_VERSION_2)
    return _from_template(MQMD, template, C.MQRC_MD_ERROR, queue)


def for_put(queue: str, data: Data, options: PutOptions, *, syncpoint: bool) -> tuple[MQMD, MQPMO, bytes]:
    """Descriptor, put options and bytes of a put."""
    md, pmo = _put_structures(queue, options, syncpoint=syncpoint, text=isinstance(data, str))
    return md, pmo, _encode(data, md, queue)


def _put_structures(queue: str, options: PutOptions, *, syncpoint: bool, text: bool) -> tuple[MQMD, MQPMO]:
    md = descriptor(options.get("md"), queue)
    put_template = options.get("pmo")
    if put_template is None:
        pmo = MQPMO(Version=C.MQPMO_VERSION_3, Options=C.MQPMO_FAIL_IF_QUIESCING)
    else:
        pmo = _from_template(MQPMO, put_template, C.MQRC_PMO_ERROR, queue)
    if not pmo.Options & _PUT_SYNCPOINTS:
        pmo.Options |= C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT
    for name, value in options.items():
        if value is not None:
            _set_field(md, name, value, queue)
    if text:
        if md.CodedCharSetId <= 0:
            md.CodedCharSetId = UTF8
        if not md.Format.strip():
            md.Format = _FORMAT_STRING
    return md, pmo


# Calls that differ in ids, properties and data only are made once, and kept with the handle

_CALLS_MAX = 256  # of a handle


class ThisPut(NamedTuple):
    """What a put has of its own."""

    call: PutCall
    data: bytes
    message_id: bytes | None
    correlation_id: bytes | None


def this_put(
    calls: dict[Hashable, Any], queue: str, data: Data, options: PutOptions, *, syncpoint: bool, many: bool = False
) -> ThisPut:
    """A put, with the descriptor and options of those like it. `many`: it is one of several that go together."""
    message_id = correlation_id = None
    text = isinstance(data, str)
    key: Hashable = (many, text, syncpoint)
    if options:
        options = options.copy()
        given_id, given_correlation_id = options.pop("message_id", None), options.pop("correlation_id", None)
        if given_id is not None:
            message_id = identifier("message_id", given_id, queue)
        if given_correlation_id is not None:
            correlation_id = identifier("correlation_id", given_correlation_id, queue)
        properties = options.pop("properties", None)
        if properties is not None:
            _check_properties(properties, queue)
        reply_to = options.get("reply_to")
        if reply_to is not None:
            options["reply_to"] = getattr(reply_to, "name", reply_to)
        if options.get("md") is not None or options.get("pmo") is not None:
            key = None  # they may say something else the next time
        else:
            # 1 is no True, and 1.0 no 1, in an argument
            key = (many, text, syncpoint, *options.items(), *map(type, options.values()))
    call: PutCall | None = None
    try:
        call = calls.get(key)
    except TypeError:  # a value that cannot be a key, and is refused below
        key = None
    if call is None:
        call = PutCall(*_put_structures(queue, options, syncpoint=syncpoint, text=text))
        if key is not None:
            _keep(calls, key, call)
    return ThisPut(call, data if type(data) is bytes else _encode(data, call.md, queue), message_id, correlation_id)


def these_puts(
    calls: dict[Hashable, Any], queue: str, messages: Sequence[Data], options: PutOptions, *, syncpoint: bool
) -> tuple[list[tuple[PutCall, bytes]], bytes | None, bytes | None]:
    """Puts that go together: descriptors and options with data, and the ids that all of them have."""
    like: dict[bool, PutCall] = {}  # text, and bytes
    found: list[tuple[PutCall, bytes]] = []
    message_id = correlation_id = None
    for data in messages:
        text = isinstance(data, str)
        call = like.get(text)
        if call is None:
            call, encoded, message_id, correlation_id = this_put(
                calls, queue, data, options, syncpoint=syncpoint, many=True
            )
            like[text] = call
        else:
            encoded = data if type(data) is bytes else _encode(data, call.md, queue)
        found.append((call, encoded))
    return found, message_id, correlation_id


def _keep(calls: dict[Hashable, Any], key: Hashable, call: object) -> None:
    if len(calls) >= _CALLS_MAX:
        calls.clear()
    calls[key] = call


def _set_field(md: MQMD, name: str, value: object, queue: str) -> None:
    if name == "persistent":
        if not isinstance(value, bool):
            raise wrong_type(C.MQRC_PERSISTENCE_ERROR, queue, f"persistent is True, False or None, not {value!r}")
        md.Persistence = C.MQPER_PERSISTENT if value else C.MQPER_NOT_PERSISTENT
    elif name == "priority":
        md.Priority = _integer(name, value, C.MQRC_PRIORITY_ERROR, queue)
    elif name == "expiry":
        md.Expiry = expiry_tenths(value, queue)  # type: ignore[arg-type]
    elif name == "correlation_id":
        md.CorrelId = identifier(name, value, queue)  # type: ignore[arg-type]
    elif name == "message_id":
        md.MsgId = identifier(name, value, queue)  # type: ignore[arg-type]
    elif name == "reply_to":
        md.ReplyToQ = text(name, getattr(value, "name", value), C.MQRC_MISSING_REPLY_TO_Q, queue)
    elif name == "reply_to_manager":
        md.ReplyToQMgr = text(name, value, C.MQRC_MISSING_REPLY_TO_Q, queue)
    elif name == "format":
        md.Format = text(name, value, C.MQRC_FORMAT_ERROR, queue)
    elif name == "message_type":
        md.MsgType = _integer(name, value, C.MQRC_MSG_TYPE_ERROR, queue)
    elif name == "report":
        md.Report |= _integer(name, value, C.MQRC_REPORT_OPTIONS_ERROR, queue)
    elif name == "properties":
        _check_properties(value, queue)


def _check_properties(value: object, queue: str) -> None:
    if not isinstance(value, Mapping):
        raise wrong_type(C.MQRC_PROPERTY_TYPE_ERROR, queue, f"properties is a dict, not {type(value).__name__}")
    for key in value:
        text("the name of a property", key, C.MQRC_PROPERTY_NAME_ERROR, queue)


def _integer(name: str, value: object, reason: int, queue: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(reason, queue, f"{name} is an int, not {value!r}")
    return value


def text(name: str, value: object, reason: int, queue: str = "") -> str:
    """The argument, if it is text."""
    if not isinstance(value, str):
        raise wrong_type(reason, queue, f"{name} is a str, not {value!r}")
    return value


class ThisGet(NamedTuple):
    """What a get has of its own."""

    call: GetCall
    message_id: bytes | None
    correlation_id: bytes | None


def this_get(
    calls: dict[Hashable, Any],
    queue: str,
    *,
    syncpoint: bool,
    wait: Seconds | None,
    match: Match,
    convert: bool | int,
    options: int = 0,
    max_length: int | None = None,
    md: MQMD | None = None,
    gmo: MQGMO | None = None,
) -> ThisGet:
    """A get or browse, with the descriptor and options of those like it."""
    message_id = correlation_id = group_id = None
    for what, value in match.items():
        if what not in _ID_REASONS:
            raise TypeError(f"{what!r} is no argument of a get; messages are chosen by {', '.join(_ID_REASONS)}")
        if value is None:
            continue
        wanted = identifier(what, value, queue)  # type: ignore[arg-type]
        if what == "message_id":
            message_id = wanted
        elif what == "correlation_id":
            correlation_id = wanted
        else:
            group_id = wanted
    key: Hashable = None
    call: GetCall | None = None
    if md is None and gmo is None and group_id is None:
        key = (options, syncpoint, wait, wait.__class__, convert, convert.__class__, max_length)
        try:
            call = calls.get(key)
        except TypeError:  # a value that cannot be a key, and is refused below
            key = None
    if call is None:
        md, gmo, brings_properties = _get_structures(
            queue, options=options, syncpoint=syncpoint, wait=wait, group_id=group_id, convert=convert, md=md, gmo=gmo
        )
        call = GetCall(md, gmo, max_length=max_length, brings_properties=brings_properties)
        if key is not None:
            _keep(calls, key, call)
    return ThisGet(call, message_id, correlation_id)


def _get_structures(
    queue: str,
    *,
    options: int,
    syncpoint: bool,
    wait: Seconds | None,
    group_id: bytes | None,
    convert: bool | int,
    md: MQMD | None,
    gmo: MQGMO | None,
) -> tuple[MQMD, MQGMO, bool]:
    """Descriptor and get options, and whether properties come with the message."""
    md = descriptor(md, queue)
    if gmo is None:
        gmo = MQGMO(Version=C.MQGMO_VERSION_4, Options=options | C.MQGMO_FAIL_IF_QUIESCING)
    else:
        gmo = _from_template(MQGMO, gmo, C.MQRC_GMO_ERROR, queue)
        gmo.Version = max(gmo.Version, C.MQGMO_VERSION_4)
        gmo.Options |= options
    if not gmo.Options & _GET_SYNCPOINTS:
        gmo.Options |= C.MQGMO_SYNCPOINT if syncpoint else C.MQGMO_NO_SYNCPOINT
    brings_properties = not gmo.Options & _GET_PROPERTIES
    if brings_properties:
        gmo.Options |= C.MQGMO_PROPERTIES_IN_HANDLE
    if wait is not None:
        gmo.Options |= C.MQGMO_WAIT
        gmo.WaitInterval = wait_interval(wait, queue)
    if group_id is not None:
        md.GroupId = group_id
        gmo.MatchOptions |= C.MQMO_MATCH_GROUP_ID
    if convert:
        gmo.Options |= C.MQGMO_CONVERT
        md.CodedCharSetId = UTF8 if convert is True else _target_ccsid(convert, queue)
    return md, gmo, brings_properties


def checked(came: Received, max_length: int | None) -> Received:
    """The message, if it was short enough."""
    if came.reason == C.MQRC_TRUNCATED_MSG_FAILED:
        raise mq_error(
            came.reason,
            came.queue,
            f"the message has {came.length} bytes, more than max_length={max_length}; it is still on the queue",
            C.MQCC_WARNING,
        )
    return came


def _target_ccsid(convert: int, queue: str) -> int:
    if not isinstance(convert, int):
        raise wrong_type(C.MQRC_TARGET_CCSID_ERROR, queue, f"convert is True, False or a CCSID, not {convert!r}")
    if not 0 < convert <= _CCSID_MAX:
        raise bad_value(C.MQRC_TARGET_CCSID_ERROR, queue, f"convert={convert:#x} is no CCSID")
    return convert


def buffer_length(max_length: int, queue: str) -> int:
    """The length of the buffer of a get."""
    if isinstance(max_length, bool) or not isinstance(max_length, int):
        raise wrong_type(C.MQRC_BUFFER_LENGTH_ERROR, queue, f"max_length is an int, not {max_length!r}")
    if max_length < 0:
        raise bad_value(C.MQRC_BUFFER_LENGTH_ERROR, queue, "max_length cannot be negative")
    return max_length
