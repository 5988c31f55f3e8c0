"""An event message in words, or as JSON, in the manner of MQ's amqsevt.

A PCF message has numbers where people have words. The words are made from the names of MQ's constants, which say what
is meant: MQIA_HIGH_Q_DEPTH is "High Queue Depth", or `highQueueDepth` in JSON; a value has a word if its parameter is
one of those whose values have names, or an attribute for which MQSC has words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from libremq.common.ccsid import charset_of
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attributes import Attribute
from libremq.mqi import constants as C
from libremq.mqi.constant_names import names_of
from libremq.mqi.pcf import MQCFBS, MQCFGR, MQCFH, MQCFIL, MQCFIL64, MQCFIN, MQCFIN64, MQCFSL, MQCFST, PCFParameter
from libremq.mqi.pcf import unpack_message as unpack_pcf
from libremq.mqi.structs import MQMD

_LABEL = 31  # characters before the colon
_INDENT = 2
# The parameters whose values have names, by the constants that these are
_VALUES = {
    C.MQIACF_REASON_QUALIFIER: "MQRQ", C.MQIA_APPL_TYPE: "MQAT", C.MQIACF_EVENT_APPL_TYPE: "MQAT",
    C.MQIACF_EVENT_ORIGIN: "MQEVO", C.MQIACF_COMMAND: "MQCMD", C.MQIACF_OBJECT_TYPE: "MQOT",
    C.MQIACH_CHANNEL_TYPE: "MQCHT", C.MQIA_Q_TYPE: "MQQT",
}  # fmt: skip
_PARAMETERS = (
    "MQIA", "MQCA", "MQIACF", "MQCACF", "MQIACH", "MQCACH", "MQBACF", "MQGACF", "MQIAMO", "MQIAMO64", "MQCAMO",
)  # fmt: skip
_PREFERRED = {("MQAT", C.MQAT_UNIX): "MQAT_UNIX"}  # AIX has the same number
_WHOLE_WORDS = {"Q": "Queue", "MGR": "Mgr", "SSL": "SSL", "CCSID": "CCSID", "MQI": "MQI", "ID": "Id", "XMIT": "Xmit"}


@dataclass(frozen=True, slots=True)
class Event:
    """An event message, read."""

    header: MQCFH
    parameters: tuple[PCFParameter, ...]
    created: datetime | None

    @property
    def kind(self) -> str:
        return _words(names_of("MQCMD").get(self.header.Command), self.header.Command)

    @property
    def reason(self) -> str:
        return _words(names_of("MQRC").get(self.header.Reason), self.header.Reason)


def read_event(data: bytes, md: MQMD) -> Event:
    """MQError or ValueError if the message is no PCF."""
    big_endian = md.Encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
    header, parameters = unpack_pcf(data, big_endian=big_endian, charset=charset_of(md.CodedCharSetId))
    return Event(header, tuple(parameters), _created(md))


def _created(md: MQMD) -> datetime | None:
    try:
        moment = datetime.strptime(f"{md.PutDate}{md.PutTime[:6]}", "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return moment.replace(microsecond=int(md.PutTime[6:8]) * 10_000)
    except ValueError:
        return None


# Words


@cache
def parameter_name(selector: int) -> str:
    """ "High Queue Depth" for MQIA_HIGH_Q_DEPTH; the number of one that has no name."""
    for prefix in _PARAMETERS:
        name = names_of(prefix).get(selector)
        if name is not None:
            return _words(name, selector)
    return f"Parameter {selector}"


def _words(name: str | None, value: int) -> str:
    """The words of a constant's name without its prefix."""
    if name is None:
        return str(value)
    parts = name.split("_")[1:]
    return " ".join(_WHOLE_WORDS.get(part, part.capitalize()) for part in parts)


def _json_name(selector: int) -> str:
    first, *rest = parameter_name(selector).split(" ")
    return first.lower() + "".join(rest)


@cache
def _attributes() -> dict[int, Attribute]:
    found: dict[int, Attribute] = {}
    for table in TABLES.values():
        for row in table:
            found.setdefault(row.selector, row)
    return found


def _number(selector: int, value: int) -> int | str:
    prefix = _VALUES.get(selector)
    if prefix is not None:
        name = _PREFERRED.get((prefix, value)) or names_of(prefix).get(value)
        return _words(name, value) if name else value
    row = _attributes().get(selector)
    return row.word(value) if row is not None and value in row.words.values() else value


def _value(one: PCFParameter) -> Any:
    if isinstance(one, MQCFIN | MQCFIN64):
        return _number(one.Parameter, one.Value)
    if isinstance(one, MQCFIL | MQCFIL64):
        return [_number(one.Parameter, value) for value in one.Values]
    if isinstance(one, MQCFST):
        return one.String.rstrip(" \0")
    if isinstance(one, MQCFSL):
        return [text.rstrip(" \0") for text in one.Strings]
    if isinstance(one, MQCFBS):
        return one.String.hex().upper()
    return str(getattr(one, "FilterValue", ""))


# The two forms


def text_lines(event: Event, number: int, size: int, queue: str) -> Iterator[str]:
    yield f"**** Message #{number} ({size} Bytes) on Queue {queue} ****"
    yield _line("Event Type", f"{event.kind} [{event.header.Command}]")
    yield _line("Reason", f"{event.reason} [{event.header.Reason}]")
    if event.created is not None:
        hundredths = event.created.microsecond // 10_000
        yield _line("Event created", f"{event.created:%Y/%m/%d %H:%M:%S}.{hundredths:02d} GMT")
    yield from _text_of(event.parameters, _INDENT)
    yield ""


def _text_of(parameters: Iterable[PCFParameter], indent: int) -> Iterator[str]:
    for one in parameters:
        name = " " * indent + parameter_name(one.Parameter)
        if isinstance(one, MQCFGR):
            yield f"{name}:"
            yield from _text_of(one.Parameters, indent + _INDENT)
            continue
        value = _value(one)
        for item in value if isinstance(value, list) else [value]:
            yield _line(name, str(item))


def _line(label: str, value: str) -> str:
    return f"{label:<{_LABEL}}: {value}".rstrip()


def as_json(event: Event, queue: str, queue_manager: str) -> dict[str, Any]:
    created = event.created
    found: dict[str, Any] = {
        "eventSource": {"objectName": queue, "objectType": "Queue", "queueMgr": queue_manager},
        "eventType": {"name": event.kind, "value": event.header.Command},
        "eventReason": {"name": event.reason, "value": event.header.Reason},
    }
    if created is not None:
        found["eventCreation"] = {"timeStamp": f"{created:%Y-%m-%dT%H:%M:%SZ}", "epoch": int(created.timestamp())}
    found["eventData"] = _json_of(event.parameters)
    return found


def _json_of(parameters: Iterable[PCFParameter]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in parameters:
        name = _json_name(one.Parameter)
        value = _json_of(one.Parameters) if isinstance(one, MQCFGR) else _value(one)
        if name not in found:
            found[name] = value
        elif isinstance(one, MQCFGR):  # groups of one name are a list
            before = found[name]
            found[name] = [*before, value] if isinstance(before, list) else [before, value]
    return found


def json_text(event: Event, queue: str, queue_manager: str, *, compact: bool) -> str:
    return json.dumps(as_json(event, queue, queue_manager), indent=None if compact else 2, ensure_ascii=False)
