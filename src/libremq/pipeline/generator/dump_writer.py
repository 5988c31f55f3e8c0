"""Records and dumps as bytes: header, triplets, sections in their order, and the framing around them.

A record is made whole first, with its record descriptor word; `framed` cuts it into segments where that is wanted or
needed, `bare` takes the descriptor word away. Times in records are of two kinds, and the difference is kept here: the
SMF header and the interval start are local to the z/OS system, the clock of the header section is UTC.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from libremq.pipeline.generator.shapes import (
    CLOCK_UNITS,
    EMPTY_KEEP_PLACE,
    EXTENSION_LEVEL,
    EXTENSION_RELEASE,
    FLAG_MARKER,
    FLAG_SUBTYPES,
    HEADER_BYTES,
    HEADERS,
    INTERNAL_BYTES,
    NEWEST,
    QUEUES_PER_CONTINUATION,
    QUEUES_PER_TASK_RECORD,
    RECORD_BYTES_MAX,
    SEGMENT_BYTES_MAX,
    STUB,
    STUB_SUBTYPES,
    TRIPLET_BYTES,
    TRIPLETS,
    UNDERCOUNTED,
    release_of,
)
from libremq.pipeline.generator.structures import (
    CLOCK_UNITS_PER_MICROSECOND,
    Value,
    Values,
    block,
    clock,
    ebcdic,
    layout_data,
)

RDW_BYTES = 4
HeaderShape = Literal["usual", "old", "none"]
"""`usual` is what the subtype has; `old` a 36-byte header in a 115 record; `none` a triplet that leads to no header."""

_SMF_HEADER = struct.Struct(">HBBBBI4s4s4sH3sx")
_MARKER = struct.Struct(">HBBBBI4s4s")
_TRIPLET = struct.Struct(">IHH")
_RDW = struct.Struct(">HBB")
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who writes: system, queue manager, release, and how far the system's local time is from UTC."""

    system: str
    queue_manager: str
    release: str = NEWEST
    sharing_group: str = ""
    local_offset: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Moment:
    """When a record was cut (UTC) and, in interval records, how long before that the interval began."""

    cut: datetime
    duration: timedelta = timedelta(0)


@dataclass(slots=True)
class Sequences:
    """The running numbers of a queue manager's records: per event and over all."""

    by_event: dict[tuple[int, int], int] = field(default_factory=dict)
    overall: int = 0

    def next(self, kind: tuple[int, int]) -> tuple[int, int]:
        self.overall += 1
        number = self.by_event.get(kind, 0) + 1
        self.by_event[kind] = number
        return number & 0xFFFFFFFF, self.overall & 0xFFFFFFFF


def packed_date(moment: datetime) -> bytes:
    """The date as SMF packs it, 0cyydddF.

    >>> packed_date(datetime(2015, 12, 9)).hex()
    '0115343f'
    """
    century, year = divmod(moment.year - 1900, 100)
    return bytes.fromhex(f"{century:02d}{year:02d}{moment.timetuple().tm_yday:03d}f")


def _hundredths(moment: datetime) -> int:
    return (moment.hour * 3600 + moment.minute * 60 + moment.second) * 100 + moment.microsecond // 10_000


def marker(record_type: Literal[2, 3], system: str, local: datetime) -> bytes:
    """The first (2) or last (3) record of a dump."""
    return _MARKER.pack(
        _MARKER.size, 0, 0, FLAG_MARKER, record_type, _hundredths(local), packed_date(local), ebcdic(system, 4)
    )


def record(
    record_type: int,
    subtype: int,
    sections: Mapping[str, Sequence[bytes]],
    origin: Origin,
    moment: Moment,
    *,
    task: Values | None = None,
    header: Values | None = None,
    sequences: Sequences | None = None,
    internal: Mapping[int, bytes] | None = None,
    shape: HeaderShape = "usual",
) -> bytes:
    """One whole record with its descriptor word: sections by structure name, each a list of equal-sized blocks.

    `task` holds QWHC fields (type 116), `header` overrides QWHS fields, `internal` the sections IBM keeps to itself.
    """
    kind = (record_type, subtype)
    if kind not in TRIPLETS:
        raise ValueError(f"no record {record_type}/{subtype} is known")
    triplets = 2 if shape == "none" else TRIPLETS[kind]
    by_triplet = _by_triplet(kind, sections)
    if kind == (116, 1) and 3 not in by_triplet:
        triplets -= 1
    for number, length in INTERNAL_BYTES.get(kind, {}).items():
        by_triplet[number] = [(internal or {}).get(number, bytes(length))]
    head = _header_section(kind, origin, moment, task or {}, header or {}, triplets, sequences, shape)
    return _assembled(kind, origin, moment, by_triplet, triplets, head)


def _assembled(
    kind: tuple[int, int],
    origin: Origin,
    moment: Moment,
    by_triplet: Mapping[int, Sequence[bytes]],
    triplets: int,
    head: bytes,
) -> bytes:
    """Sections one after the other in triplet order, the header section last, or first where it is only a stub."""
    order = [0, *range(1, triplets)] if kind in STUB_SUBTYPES else [*range(1, triplets), 0]
    place = HEADER_BYTES + TRIPLET_BYTES * triplets
    table = [bytes(TRIPLET_BYTES)] * triplets
    parts: list[bytes] = []
    for number in order:
        blocks = [head] if number == 0 else by_triplet.get(number, ())
        if not blocks:
            if number in EMPTY_KEEP_PLACE.get(kind, ()):
                table[number] = _TRIPLET.pack(place, block(_structure_at(kind, number), origin.release).length, 0)
            continue
        length = len(blocks[0])
        if any(len(each) != length for each in blocks):
            raise ValueError(f"sections of one triplet differ in length in a {kind[0]}/{kind[1]} record")
        table[number] = _TRIPLET.pack(place, length, len(blocks))
        parts.extend(blocks)
        place += length * len(blocks)
    if place > RECORD_BYTES_MAX:
        raise ValueError(f"a {kind[0]}/{kind[1]} record of {place} bytes is more than the {RECORD_BYTES_MAX} SMF takes")
    local = moment.cut + origin.local_offset
    start = _SMF_HEADER.pack(
        place,
        0,
        0,
        FLAG_SUBTYPES,
        kind[0],
        _hundredths(local),
        packed_date(local),
        ebcdic(origin.system, 4),
        ebcdic(origin.queue_manager, 4),
        kind[1],
        _level(origin.release).encode("cp037"),
    )
    return b"".join((start, *table, *parts))


def _level(release: str) -> str:
    level = release_of(release)
    return EXTENSION_LEVEL if level >= EXTENSION_RELEASE else "".join(str(part) for part in level)


def _by_triplet(kind: tuple[int, int], sections: Mapping[str, Sequence[bytes]]) -> dict[int, Sequence[bytes]]:
    found: dict[int, Sequence[bytes]] = {}
    known = {entry["structure"]: entry for entry in layout_data()["record_types"][str(kind[0])][str(kind[1])]}
    for name, blocks in sections.items():
        if name not in known:
            raise ValueError(f"a {kind[0]}/{kind[1]} record has no {name}")
        if len(blocks) > 1 and not known[name]["repeats"]:
            raise ValueError(f"a {kind[0]}/{kind[1]} record has one {name}, not {len(blocks)}")
        if blocks:
            found[known[name]["triplet"]] = blocks
    return found


def _structure_at(kind: tuple[int, int], triplet: int) -> str:
    entries = layout_data()["record_types"][str(kind[0])][str(kind[1])]
    return str(next(entry["structure"] for entry in entries if entry["triplet"] == triplet))


def _header_section(
    kind: tuple[int, int],
    origin: Origin,
    moment: Moment,
    task: Values,
    overrides: Values,
    triplets: int,
    sequences: Sequences | None,
    shape: HeaderShape,
) -> bytes:
    if shape == "none":
        return bytes(4)
    extended = release_of(origin.release) >= EXTENSION_RELEASE
    extension = _extension(origin) if extended else b""
    if kind in STUB_SUBTYPES:
        return STUB + extension
    short = shape == "old" or (kind[0] == 116 and kind != (116, 10))
    constants = HEADERS[kind]
    event_number, overall = sequences.next(kind) if sequences else (0, 0)
    counted = triplets - 1 if kind in UNDERCOUNTED and release_of(origin.release) < UNDERCOUNTED[kind] else triplets
    values: dict[str, Value] = {
        "qwhslen": 36 if short else 52,
        "qwhstyp": 1,
        "qwhsrmid": constants.component,
        "qwhsiid": constants.event,
        "qwhsnsda": counted,
        "qwhsrn": constants.writer,
        "qwhsssid": origin.queue_manager,
        "qwhsstck": clock(moment.cut),
        "qwhsiseq": event_number,
        "qwhswseq": overall,
        "qwhsflag1": 0x40 if extended else 0,
    }
    if not short and moment.duration:
        microseconds = moment.duration // _MICROSECOND
        values["qwhstime"] = clock(moment.cut - moment.duration + origin.local_offset)
        values["qwhsdurn"] = microseconds * (CLOCK_UNITS_PER_MICROSECOND if kind in CLOCK_UNITS else 1)
    head = block("qwhs", origin.release, 36 if short else 52).section({**values, **overrides})
    if short and kind[0] == 116:
        head += block("qwhc", origin.release).section({"qwhclen": 92, "qwhctyp": 2, **task})
    return head + extension


def _extension(origin: Origin) -> bytes:
    """QWHX: the queue-sharing group and the release in six digits."""
    digits = "".join(f"{part:02d}" for part in release_of(origin.release))
    return struct.pack(">HBx4s6sxx", 16, 0x10, ebcdic(origin.sharing_group, 4), digits.encode("cp037"))


def framed(whole: bytes, cuts: Sequence[int] = ()) -> bytes:
    """The record as it lies in a dump: in one piece, or in segments cut before these places of the whole record.

    >>> [len(framed(marker(2, "SYS1", datetime(2024, 1, 1)), cuts)) for cuts in ((), (8,), (8, 12))]
    [18, 22, 26]
    """
    places = [RDW_BYTES, *cuts, len(whole)]
    if places != sorted(set(places)):
        raise ValueError(f"a record of {len(whole)} bytes cannot be cut at {list(cuts)}")
    room = SEGMENT_BYTES_MAX - RDW_BYTES
    pieces = [
        whole[at : min(at + room, end)] for start, end in itertools.pairwise(places) for at in range(start, end, room)
    ]
    if len(pieces) == 1:
        return _RDW.pack(len(whole), 0, 0) + whole[RDW_BYTES:]
    codes = [1, *([3] * (len(pieces) - 2)), 2]
    return b"".join(_RDW.pack(len(piece) + RDW_BYTES, code, 0) + piece for code, piece in zip(codes, pieces))


def bare(whole: bytes) -> bytes:
    """The record without its descriptor word, as in files that come without."""
    return whole[RDW_BYTES:]


def task_records(
    identity: Values,
    totals: Values,
    queues: Sequence[Values],
    origin: Origin,
    moment: Moment,
    *,
    task: Values | None = None,
    sequences: Sequences | None = None,
) -> Iterator[bytes]:
    """Class 3 accounting of one task: a 116/1 record, and as many 116/2 as its further queues need."""
    release = origin.release
    who = block("wtid", release).section(identity)
    blocks = [block("wq", release).section(queue) for queue in queues]
    first = {
        "wtid": [who],
        "wtas": [block("wtas", release).section({"wtaswqct": len(blocks), **totals})],
        "wq": blocks[:QUEUES_PER_TASK_RECORD],
    }
    yield record(116, 1, first, origin, moment, task=task, sequences=sequences)
    for start in range(QUEUES_PER_TASK_RECORD, len(blocks), QUEUES_PER_CONTINUATION):
        more = {"wtid": [who], "wq": blocks[start : start + QUEUES_PER_CONTINUATION]}
        yield record(116, 2, more, origin, moment, task=task, sequences=sequences)
