"""The `amqsbcg` sample: browse a queue and show each message: descriptor, properties, and its data in hexadecimal.

Nothing is taken from the queue, and nothing is converted: what is shown is what is there.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from libremq.commands.samples.sample_program import Sample, add_queue_arguments, line, lines
from libremq.mqi import constants as C
from libremq.mqi.errors import NoMessageAvailable
from libremq.mqi.structs import MQGMO, MQMD, MQOD

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.mqi.rfh2 import PropertyValue

_PROPERTIES = {
    0: C.MQGMO_PROPERTIES_AS_Q_DEF,
    1: C.MQGMO_PROPERTIES_IN_HANDLE,
    2: C.MQGMO_NO_PROPERTIES,
    3: C.MQGMO_PROPERTIES_FORCE_MQRFH2,
    4: C.MQGMO_PROPERTIES_COMPATIBILITY,
}
_IN_HANDLE = 1
_ROW = 16  # bytes in a line of the dump
_ROWS_AT_ONCE = 4096
_TEXT = bytes(byte if 32 <= byte < 127 else ord(".") for byte in range(256))

# The label of each field, with the blanks that MQ's own sample has in it, the field, and the width of its text
_FIELDS: tuple[tuple[str, str, int], ...] = (
    ("StrucId  ", "StrucId", 4),
    ("Version ", "Version", 0),
    ("Report   ", "Report", 0),
    ("MsgType ", "MsgType", 0),
    ("Expiry   ", "Expiry", 0),
    ("Feedback ", "Feedback", 0),
    ("Encoding ", "Encoding", 0),
    ("CodedCharSetId ", "CodedCharSetId", 0),
    ("Format ", "Format", 8),
    ("Priority ", "Priority", 0),
    ("Persistence ", "Persistence", 0),
    ("MsgId ", "MsgId", 0),
    ("CorrelId ", "CorrelId", 0),
    ("BackoutCount ", "BackoutCount", 0),
    ("ReplyToQ       ", "ReplyToQ", 48),
    ("ReplyToQMgr    ", "ReplyToQMgr", 48),
    ("** Identity Context", "", 0),
    ("UserIdentifier ", "UserIdentifier", 12),
    ("AccountingToken ", "AccountingToken", 0),
    ("ApplIdentityData ", "ApplIdentityData", 32),
    ("** Origin Context", "", 0),
    ("PutApplType    ", "PutApplType", 1),
    ("PutApplName    ", "PutApplName", 28),
    ("PutDate  ", "PutDate", 8),
    ("PutTime  ", "PutTime", 8),
    ("ApplOriginData ", "ApplOriginData", 4),
    ("GroupId ", "GroupId", 0),
    ("MsgSeqNumber   ", "MsgSeqNumber", 1),
    ("Offset         ", "Offset", 1),
    ("MsgFlags       ", "MsgFlags", 1),
    ("OriginalLength ", "OriginalLength", 1),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_queue_arguments(parser, "the queue to browse")
    parser.add_argument(
        "properties",
        nargs="?",
        type=int,
        choices=sorted(_PROPERTIES),
        default=_IN_HANDLE,
        metavar="PROPERTIES",
        help="how properties are shown: 0 as PROPCTL of the queue says, 1 (default) by name, 2 not at all, "
        "3 in an MQRFH2, 4 in an MQRFH2 if they are those of JMS",
    )


def run(arguments: argparse.Namespace) -> int:
    sample = Sample("amqsbcg", arguments, "\nAMQSBCG0 - starts here\n**********************")
    return sample.run(lambda qm: _browse(sample, arguments, qm))


def _browse(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> None:
    mqi = qm.mqi
    lines(("", f" MQOPEN - '{arguments.queue}'"))
    od = MQOD(ObjectName=arguments.queue)
    with sample.opened(mqi, od, C.MQOO_BROWSE | C.MQOO_FAIL_IF_QUIESCING, "browse") as hobj:
        gmo = MQGMO(Version=C.MQGMO_VERSION_4)
        if arguments.properties == _IN_HANDLE:
            with sample.verb("MQCRTMH"):
                gmo.MsgHandle = mqi.MQCRTMH()
        for number in itertools.count(1):
            gmo.Options = C.MQGMO_BROWSE_NEXT | C.MQGMO_FAIL_IF_QUIESCING | _PROPERTIES[arguments.properties]
            md = MQMD(Version=C.MQMD_VERSION_2)
            with sample.verb("MQGET"):
                try:
                    got = mqi.MQGET(hobj, md, gmo)
                except NoMessageAvailable:
                    break
            lines(("", "", f" MQGET of message number {number}, CompCode:{got.comp_code} Reason:{got.reason}"))
            lines(("****Message descriptor****", "", *descriptor(md)))
            if gmo.MsgHandle:
                with sample.verb("MQINQMP"):
                    found = mqi.binding.properties(gmo.MsgHandle)
                lines(("", "****Message properties****", "", *properties(found)))
            lines(("", "****   Message      ****", "", f" length - {len(got.data)} of {got.length} bytes", ""))
            _print_dump(got.data)
        lines(("", " No more messages "))
        line(" MQCLOSE")
    line(" MQDISC")


def descriptor(md: MQMD) -> Iterator[str]:
    """The fields of a descriptor, one a line."""
    for label, field, width in _FIELDS:
        if not field:
            yield f"  {label}"
            continue
        value = getattr(md, field)
        if isinstance(value, bytes):
            shown = f"X'{value.hex().upper()}'"
        elif width:
            shown = f"'{value:<{width}}'"
        else:
            shown = str(value)
        yield f"  {label}: {shown}"


def properties(values: Mapping[str, PropertyValue]) -> Iterator[str]:
    """The properties of a message, one a line."""
    if not values:
        yield "  None"
    for name, value in values.items():
        if isinstance(value, bool):
            shown = "TRUE" if value else "FALSE"
        elif isinstance(value, str):
            shown = f"'{value}'"
        elif isinstance(value, bytes | bytearray):
            shown = f"X'{value.hex().upper()}'"
        else:
            shown = "NULL" if value is None else str(value)
        yield f"  {name} : {shown}"


def dump(data: bytes, start: int = 0, stop: int | None = None) -> Iterator[str]:
    """Data as lines of offset, 16 bytes in hexadecimal, and the characters that they are in ASCII."""
    for at in range(start, len(data) if stop is None else min(stop, len(data)), _ROW):
        row = data[at : at + _ROW]
        yield f"{at:08X}:  {row.hex(' ', -2).upper():<39} '{row.translate(_TEXT).decode():<{_ROW}}'"


def _print_dump(data: bytes) -> None:
    """In pieces, so that a long message does not make a text many times as long."""
    step = _ROW * _ROWS_AT_ONCE
    for start in range(0, len(data), step):
        lines(dump(data, start, start + step))
