"""From joined records to sections: which records are good, when they were written, where each structure lies.

All records of a chunk are looked at together, one numpy operation per question. A record is either good, skipped
because of its type, or quarantined with the first reason found; a record with one bad section gives no rows at all, so
that records in = records decoded + skipped + quarantined.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from libremq.pipeline.smf.framing import Bytes, Chunk, Numbers
from libremq.pipeline.smf.smf_columns import NEVER, clock_microseconds
from libremq.pipeline.smf.smf_layout import (
    HEADER_LENGTH,
    RELEASE_WITH_EXTENSION,
    TRIPLET_LENGTH,
    TRIPLETS_MAX,
    layout,
)

Mask = npt.NDArray[np.bool_]

DECODED = 0
REASONS = (
    ("decoded", ""),
    ("skipped", "record type"),
    ("skipped", "unknown subtype"),
    ("skipped", "internal subtype"),
    ("quarantined", "shorter than its header"),
    ("quarantined", "no subtype"),
    ("quarantined", "date or time is not one"),
    ("quarantined", "queue manager name is not text"),
    ("quarantined", "no header section"),
    ("quarantined", "header section of unknown shape"),
    ("quarantined", "a section outside the record"),
    ("quarantined", "a section shorter than its structure"),
    ("quarantined", "eyecatcher is wrong"),
)
"""Outcome and reason of a record, by code."""
_CODES = {reason: code for code, (_, reason) in enumerate(REASONS)}

_MARKER_LENGTH = 18
_QUARTER_HOUR = 15 * 60 * 1_000_000
_DAY = 24 * 3600 * 1_000_000
_OFFSET_MAX = 16 * 3600 * 1_000_000
"""No zone is farther from UTC."""
_DURATION_MAX = 1 << 53

_QWHS_SHORT, _QWHS_LONG, _QWHC, _QWHX = 36, 52, 92, 16
_STCK_DURATIONS = ((115, 231), (116, 10))
"""Subtypes whose interval duration is in clock units instead of microseconds."""

_TRIPLET = np.dtype([("offset", ">u4"), ("length", ">u2"), ("count", ">u2")])
_HEADER = np.dtype(
    {
        "names": ["flags", "type", "time", "date", "system", "qmgr", "subtype", "release", "triplets"],
        "formats": ["u1", "u1", ">u4", ("u1", (4,)), ">u4", ">u4", ">u2", ("u1", (3,)), (_TRIPLET, (TRIPLETS_MAX,))],
        "offsets": [4, 5, 6, 10, 14, 18, 22, 24, HEADER_LENGTH],
        "itemsize": HEADER_LENGTH + TRIPLET_LENGTH * TRIPLETS_MAX,
    }
)
_QWHS = np.dtype(
    {
        "names": ["length", "clock", "flags", "start", "duration"],
        "formats": [">i2", ">u8", "u1", ">u8", ">u8"],
        "offsets": [0, 16, 32, 36, 44],
        "itemsize": _QWHS_LONG,
    }
)


def lift(data: Bytes, places: Numbers, length: int) -> Bytes:
    """`length` bytes from each place, one row each. The buffer's padding keeps every place inside."""
    windows = np.lib.stride_tricks.as_strided(data, (len(data) - length + 1, length), (1, 1), writeable=False)
    return windows[places]


@dataclass(slots=True)
class Sections:
    """Sections of one structure: the record of each, where it is, how long it is, its number within its triplet."""

    record: Numbers
    place: Numbers
    length: Numbers
    index: Numbers

    def only(self, chosen: Any) -> Sections:
        return Sections(self.record[chosen], self.place[chosen], self.length[chosen], self.index[chosen])


@dataclass(slots=True)
class Records:
    """The good records of a chunk, column by column, and the fate of all of them."""

    chunk: Chunk
    codes: npt.NDArray[np.int8]
    """Fate of every record of the chunk, good or not: an index into `REASONS`."""
    types: Numbers
    """Type and subtype of every record of the chunk; -1 where it has none."""
    subtypes: Numbers

    good: Numbers
    """Indexes of the good ones; everything below is about these only."""
    start: Numbers
    offset: Numbers
    type: Numbers
    subtype: Numbers
    system: Numbers
    qmgr: Numbers
    release: Bytes
    header_place: Numbers
    header_length: Numbers
    """Length of the QWHS; 0 where there is none."""
    has_task_header: Mask
    extension_place: Numbers
    """Where the QWHX is; 0 where there is none."""
    smf_time: Numbers
    utc_offset: Numbers
    utc_offset_known: Mask
    interval_start: Numbers
    interval_duration: Numbers
    interval_known: Mask
    correlator_place: Numbers
    """Where the 16 bytes are that join the task's records; 0 where there are none."""
    sections: dict[str, Sections] = field(default_factory=dict)


def parse(chunk: Chunk) -> Records:
    """Judge all records of a chunk and find the sections of the good ones."""
    header = lift(chunk.data, chunk.starts, _HEADER.itemsize).view(_HEADER)[:, 0]
    lengths = chunk.lengths
    types = header["type"].astype(np.int64)
    subtypes = np.where((header["flags"] & 0x40) != 0, header["subtype"].astype(np.int64), -1)
    too_short = lengths < _MARKER_LENGTH
    types[lengths < 6] = -1
    subtypes[lengths < 24] = -1
    codes = np.zeros(len(lengths), dtype=np.int8)

    def give_up(where: Mask, reason: str) -> None:
        codes[where & (codes == DECODED)] = _CODES[reason]

    of_mq = (types == 115) | (types == 116)
    give_up(too_short, "shorter than its header")
    give_up(~of_mq, "record type")
    give_up(lengths < HEADER_LENGTH, "shorter than its header")
    give_up(subtypes < 0, "no subtype")
    kinds = types * 65536 + subtypes
    known = layout().sections
    give_up(~np.isin(kinds, [kind * 65536 + subtype for kind, subtype in known]), "unknown subtype")
    give_up(np.isin(kinds, [a * 65536 + b for (a, b), sections in known.items() if not sections]), "internal subtype")
    local, valid = _local_time(header)
    give_up(~valid, "date or time is not one")
    give_up(~_is_text(header["qmgr"]), "queue manager name is not text")

    triplets = header["triplets"]
    offset, length, count = (triplets[name].astype(np.int64) for name in ("offset", "length", "count"))
    used = _used_triplets(offset, count, lengths)
    give_up(~used[:, 0] | (length[:, 0] < 4), "no header section")
    give_up(offset[:, 0] + length[:, 0] > lengths, "no header section")

    found = _find_sections(chunk, kinds, codes, (offset, length, count, used), give_up)

    good = np.flatnonzero(codes == DECODED)
    shape = _HeaderShape(chunk, header, offset[:, 0], length[:, 0], types, good)
    codes[good[~shape.understood]] = _CODES["header section of unknown shape"]
    keep = np.flatnonzero(shape.understood)
    good = good[keep]
    shape = shape.only(keep)

    records = Records(
        chunk=chunk,
        codes=codes,
        types=types,
        subtypes=subtypes,
        good=good,
        start=chunk.starts[good],
        offset=chunk.offsets[good],
        type=types[good],
        subtype=subtypes[good],
        system=header["system"][good].astype(np.int64),
        qmgr=header["qmgr"][good].astype(np.int64),
        release=header["release"][good],
        header_place=shape.place,
        header_length=shape.length,
        has_task_header=shape.has_task_header,
        extension_place=shape.extension_place,
        smf_time=local[good],
        utc_offset=np.zeros(len(good), dtype=np.int64),
        utc_offset_known=np.zeros(len(good), dtype=bool),
        interval_start=np.zeros(len(good), dtype=np.int64),
        interval_duration=np.zeros(len(good), dtype=np.int64),
        interval_known=np.zeros(len(good), dtype=bool),
        correlator_place=_correlators(chunk.starts, kinds, (offset, length, count, used), good),
    )
    _settle_times(records, shape)
    position = np.full(len(lengths), -1, dtype=np.int64)
    position[good] = np.arange(len(good))
    for name, parts in found.items():
        joined = _concatenate(parts)
        joined.record = position[joined.record]
        records.sections[name] = joined.only(joined.record >= 0)
    _add_header_sections(records)
    return records


def _local_time(header: npt.NDArray[Any]) -> tuple[Numbers, Mask]:
    """Microseconds since 1970 of the local date and time in the SMF header, and whether they are a date and time."""
    date = header["date"].astype(np.int64)
    high, low = date >> 4, date & 15
    year = 1900 + 100 * low[:, 0] + 10 * high[:, 1] + low[:, 1]
    day = 100 * high[:, 2] + 10 * low[:, 2] + high[:, 3]
    hundredths = header["time"].astype(np.int64)
    digits = (high[:, 1:] <= 9).all(axis=1) & (low[:, 1:3] <= 9).all(axis=1)
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    valid = digits & (high[:, 0] == 0) & (low[:, 0] <= 1) & (low[:, 3] == 15) & (day >= 1) & (day <= 365 + leap)
    valid &= (hundredths < 24 * 360_000) & (year >= 1970)
    first = (np.where(valid, year, 1970) - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return (first + np.where(valid, day, 1) - 1) * _DAY + hundredths * 10_000, valid


def _is_text(names: npt.NDArray[Any]) -> Mask:
    """EBCDIC characters only: no control codes, though blanks and fill are fine."""
    characters = np.ascontiguousarray(names).view(np.uint8).reshape(-1, 4)
    return np.asarray(((characters >= 0x40) & (characters < 0xFF)).all(axis=1))


def _used_triplets(offset: Numbers, count: Numbers, lengths: Numbers) -> Mask:
    """Which triplets are really there: they run up to the lowest offset that one of them names.

    The count in the header section is not used: some records of 8.0.0 say one less than they have.
    """
    there = np.zeros(offset.shape, dtype=bool)
    lowest = lengths.copy()
    going_on = np.ones(len(lengths), dtype=bool)
    for number in range(TRIPLETS_MAX):
        going_on = going_on & (HEADER_LENGTH + TRIPLET_LENGTH * (number + 1) <= lowest)
        there[:, number] = going_on & (count[:, number] > 0)
        lowest = np.where(there[:, number], np.minimum(lowest, offset[:, number]), lowest)
    return there


def _find_sections(
    chunk: Chunk, kinds: Numbers, codes: npt.NDArray[np.int8], triplets: tuple[Any, ...], give_up: Any
) -> dict[str, list[Sections]]:
    offset, length, count, used = triplets
    found: dict[str, list[Sections]] = {}
    alive = codes == DECODED
    for (record_type, subtype), entries in layout().sections.items():
        of_kind = alive & (kinds == record_type * 65536 + subtype)
        if not of_kind.any():
            continue
        for entry in entries:
            shape = layout().structures[entry.structure]
            number = entry.triplet
            here = of_kind & used[:, number]
            if entry.only_if_length is not None:
                here &= length[:, number] == entry.only_if_length
            times = count[:, number] if entry.repeats else np.minimum(count[:, number], 1)
            give_up(here & (length[:, number] < shape.minimum), "a section shorter than its structure")
            outside = (offset[:, number] + length[:, number] * times > chunk.lengths) | (
                offset[:, number] < HEADER_LENGTH
            )
            give_up(here & outside, "a section outside the record")
            record = np.flatnonzero(here & (codes == DECODED))
            repeat = times[record]
            each = np.repeat(record, repeat)
            index = np.arange(len(each)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
            size = length[each, number]
            place = chunk.starts[each] + offset[each, number] + index * size
            if shape.eyecatcher is not None:
                wanted = int.from_bytes(shape.eyecatcher.encode("cp037"), "big")
                wrong = lift(chunk.data, place + 4, 4).view(">u4")[:, 0] != wanted
                if wrong.any():
                    bad = np.zeros(len(kinds), dtype=bool)
                    bad[each[wrong]] = True
                    give_up(bad, "eyecatcher is wrong")
            found.setdefault(entry.structure, []).append(Sections(each, place, size, index))
    return found


class _HeaderShape:
    """The header section of each good record: which of its shapes it has, and what that shape holds."""

    def __init__(
        self,
        chunk: Chunk,
        header: npt.NDArray[Any],
        offset: Numbers,
        length: Numbers,
        types: Numbers,
        good: Numbers,
    ) -> None:
        self.place = chunk.starts[good] + offset[good]
        given = length[good]
        self.fields = lift(chunk.data, self.place, _QWHS_LONG).view(_QWHS)[:, 0]
        own = self.fields["length"].astype(np.int64)
        of_115 = types[good] == 115
        none = given == 4
        stub = ~none & of_115 & (own == 1)
        fits = given >= np.maximum(own, _QWHS_SHORT)
        self.is_long = ~none & fits & (own >= _QWHS_LONG)
        short = ~none & fits & ~of_115 & (own == _QWHS_SHORT)
        old = ~none & fits & of_115 & (own >= _QWHS_SHORT) & (own < _QWHS_LONG)
        self.understood: Mask = none | stub | self.is_long | short | old
        self.has_clock: Mask = self.is_long | short | old
        self.length = np.where(self.is_long, _QWHS_LONG, np.where(self.has_clock, _QWHS_SHORT, 0))
        self.has_task_header: Mask = short & (given >= _QWHS_SHORT + _QWHC)
        # The extension is announced by a flag, but old accounting records hold leftovers there: the level decides.
        digits = (header["release"][good] & 15).astype(np.int64)
        new_level = digits[:, 0] * 100 + digits[:, 1] * 10 + digits[:, 2] >= RELEASE_WITH_EXTENSION
        announced = (self.fields["flags"] & 0x40) != 0
        extension = np.where(self.is_long & announced & (of_115 | new_level), _QWHS_LONG, 0)
        extension = np.where(short & announced & new_level, _QWHS_SHORT + _QWHC, extension)
        extension = np.where(stub & new_level, 4, extension)
        there = (extension > 0) & (given >= extension + _QWHX)
        self.extension_place = np.where(there, self.place + extension, 0)

    def only(self, keep: Numbers) -> _HeaderShape:
        for name, value in vars(self).items():
            setattr(self, name, value[keep])
        return self


def _correlators(starts: Numbers, kinds: Numbers, triplets: tuple[Any, ...], good: Numbers) -> Numbers:
    """What joins the records of a task: in the last queue of the record, else in the task totals, else nowhere."""
    offset, length, count, used = triplets
    place = np.zeros(len(good), dtype=np.int64)
    # Subtype, triplet, place within the structure, whether it repeats: task totals, queues behind them, queues alone.
    for subtype, triplet, within, repeats in ((1, 2, 8, False), (1, 3, 16, True), (2, 2, 16, True)):
        here = (kinds[good] == 116 * 65536 + subtype) & used[good, triplet]
        last = length[good, triplet] * (count[good, triplet] - 1) if repeats else 0
        place = np.where(here, starts[good] + offset[good, triplet] + last + within, place)
    return place


def _settle_times(records: Records, shape: _HeaderShape) -> None:
    """Move local times to UTC. The zone is not recorded: it is the distance of the header's time from the clock."""
    stamps = shape.fields["clock"].astype(np.uint64)
    clock = clock_microseconds(stamps)
    has_clock = shape.has_clock & (stamps != 0) & (stamps != NEVER)
    apart = records.smf_time - clock
    known = has_clock & (np.abs(apart) <= _OFFSET_MAX)
    quarters = np.where(known, np.rint(apart / _QUARTER_HOUR), 0).astype(np.int64) * _QUARTER_HOUR
    quarters, known = _from_neighbours(records.system, quarters, known)
    records.utc_offset, records.utc_offset_known = quarters, known
    records.smf_time = records.smf_time - quarters

    start = clock_microseconds(shape.fields["start"].astype(np.uint64))
    raw = shape.fields["duration"].astype(np.uint64)
    in_ticks = np.zeros(len(raw), dtype=bool)
    for record_type, subtype in _STCK_DURATIONS:
        in_ticks |= (records.type == record_type) & (records.subtype == subtype)
    duration = np.where(in_ticks, raw >> np.uint64(12), raw)
    records.interval_known = shape.is_long & (shape.fields["start"] != 0) & (duration < _DURATION_MAX)
    records.interval_duration = np.where(records.interval_known, duration, 0).astype(np.int64)
    # The clocks may have been changed during the interval, so its start has an offset of its own.
    apart = start + records.interval_duration - clock
    near = has_clock & (np.abs(apart) <= _OFFSET_MAX)
    own = np.where(near, np.rint(apart / _QUARTER_HOUR), 0).astype(np.int64) * _QUARTER_HOUR
    records.interval_start = start - np.where(near, own, quarters)


def _from_neighbours(system: Numbers, values: Numbers, known: Mask) -> tuple[Numbers, Mask]:
    """Records without a clock take the offset of the nearest earlier, else later, record of the same system."""
    if known.all() or not known.any():
        return values, known
    order = np.argsort(system, kind="stable")
    sorted_known = known[order]
    places = np.arange(len(order))
    first = np.maximum.accumulate(np.where(np.r_[True, np.diff(system[order]) != 0], places, 0))
    last = np.minimum.accumulate(np.where(np.r_[np.diff(system[order]) != 0, True], places, len(order))[::-1])[::-1]
    before = np.maximum.accumulate(np.where(sorted_known, places, -1))
    after = np.minimum.accumulate(np.where(sorted_known, places, len(order))[::-1])[::-1]
    source = np.where(before >= first, before, np.where(after <= last, after, -1))
    settled = np.empty_like(values)
    settled[order] = np.where(source >= 0, values[order][source], 0)
    is_known = np.empty_like(known)
    is_known[order] = source >= 0
    return settled, is_known


def _concatenate(parts: list[Sections]) -> Sections:
    if len(parts) == 1:
        return parts[0]
    joined = Sections(
        np.concatenate([part.record for part in parts]),
        np.concatenate([part.place for part in parts]),
        np.concatenate([part.length for part in parts]),
        np.concatenate([part.index for part in parts]),
    )
    return joined.only(np.argsort(joined.record, kind="stable"))


def _add_header_sections(records: Records) -> None:
    for name, there, within, length in (
        ("qwhs", records.header_length > 0, 0, records.header_length),
        ("qwhc", records.has_task_header, _QWHS_SHORT, np.full(len(records.good), _QWHC)),
    ):
        record = np.flatnonzero(there)
        if len(record):
            zero = np.zeros(len(record), dtype=np.int64)
            records.sections[name] = Sections(record, records.header_place[record] + within, length[record], zero)


def task_header_places(records: Records, record: Numbers) -> Numbers:
    """Where the QWHC of these records is."""
    return records.header_place[record] + _QWHS_SHORT


def days(records: Records) -> Numbers:
    """Days since 1970 of the time each record was written, in UTC."""
    return records.smf_time // _DAY
