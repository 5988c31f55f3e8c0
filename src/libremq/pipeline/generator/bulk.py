"""Dumps of gigabytes for measurements of scale, as fast as the disk takes them.

A pattern of records is made once by the writer; each repetition is a copy of it in which numpy patches the varying
fields: clocks, running counters, and the counters that the totals are kept of. So the file is valid, no two intervals
are equal, and how many records, rows and which sums it holds is known without reading it.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from libremq.pipeline.generator.dump import Writer
from libremq.pipeline.generator.dump_writer import Origin, framed, packed_date
from libremq.pipeline.generator.estate import estate
from libremq.pipeline.generator.generated_site import STARTED, Site
from libremq.pipeline.generator.structures import block, layout_data

BATCH_BYTES: Final = 32 * 2**20
"""Repetitions are made and written in batches of about this size."""

DEFAULT_INTERVAL_MINUTES: Final = 15

SUMMED: Final = {
    "qmst": ("qmstget", "qmstput"),
    "qpst": ("qpstgetp", "qpststw"),
    "qjst": ("qjstbffl", "qjstwrnw"),
    "qis1": ("qis1ppg",),
    "qqst": ("qqstputs",),
    "qctadp": ("qctreqn",),
    "qcst": ("qcstnmsg",),
    "wtas": ("wtascmn",),
    "wq": ("putn", "getn"),
}
"""Fields that vary, and whose sum over the file is told."""

_STUB_BYTES_MAX: Final = 20
_WIDTHS: Final = {4: ">u4", 8: ">u8"}


@dataclass(slots=True)
class Counted:
    """What a bulk file holds."""

    bytes: int = 0
    records: Counter[tuple[int, int]] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)
    """By structure and field, as `qpst.qpstgetp`."""

    def as_json(self) -> dict[str, Any]:
        return {
            "bytes": self.bytes,
            "records": {f"{kind}/{subtype}": count for (kind, subtype), count in sorted(self.records.items())},
            "rows": dict(sorted(self.rows.items())),
            "sums": dict(sorted(self.sums.items())),
        }


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Records of one interval of all queue managers, and where in them what varies lies."""

    data: npt.NDArray[np.uint8]
    clocks: npt.NDArray[np.int64]
    """Places of 8-byte clocks that move with the interval."""
    times: npt.NDArray[np.int64]
    """Places of the SMF header's time, each followed by the date."""
    counters: dict[str, npt.NDArray[np.int64]]
    widths: dict[str, int]
    offsets: npt.NDArray[np.int64]
    """Local minus UTC in seconds, for each record."""
    records: Counter[tuple[int, int]]
    rows: Counter[str]


def _pattern(queue_managers: int, minutes: int, seed: int, statistics_only: bool) -> _Pattern:
    site = Site(estate(queue_managers, seed), seed=seed, interval_minutes=minutes, days=minutes / 1440)
    pieces: list[bytes] = []
    clocks: list[int] = []
    times: list[int] = []
    offsets: list[int] = []
    counters: dict[str, list[int]] = {f"{name}.{key}": [] for name, keys in SUMMED.items() for key in keys}
    records: Counter[tuple[int, int]] = Counter()
    rows: Counter[str] = Counter()
    place = 0
    for owner in site.queue_managers:
        origin = Origin(owner.system, owner.name, owner.release, owner.sharing_group, owner.local_offset)
        (interval,) = site.intervals(owner)
        writer = Writer(origin, class_one=not statistics_only, class_three=not statistics_only)
        for whole in writer.records(interval):
            kind, (subtype,) = whole[5], struct.unpack_from(">H", whole, 22)
            records[kind, subtype] += 1
            times.append(place + 6)
            offsets.append(int(owner.local_offset.total_seconds()))
            _find(whole, kind, subtype, owner.release, place, clocks, counters, rows)
            pieces.append(framed(whole))
            place += len(pieces[-1])
    return _Pattern(
        np.frombuffer(b"".join(pieces), np.uint8),
        np.array(clocks, np.int64),
        np.array(times, np.int64),
        {key: np.array(places, np.int64) for key, places in counters.items() if places},
        {key: _width(key) for key in counters},
        np.array(offsets, np.int64),
        records,
        rows,
    )


def _width(key: str) -> int:
    name, _, wanted = key.partition(".")
    return block(name).fields[wanted].length


def _find(
    whole: bytes,
    kind: int,
    subtype: int,
    release: str,
    place: int,
    clocks: list[int],
    counters: dict[str, list[int]],
    rows: Counter[str],
) -> None:
    """Note the places of clocks and counters in one record that lies at `place`."""
    (head, length, _) = struct.unpack_from(">IHH", whole, 28)
    if length > _STUB_BYTES_MAX:
        rows["qwhs"] += 1
        clocks.append(place + head + 16)
        if struct.unpack_from(">H", whole, head)[0] == 52:
            clocks.append(place + head + 36)
        elif kind == 116:
            rows["qwhc"] += 1
    triplets = whole[head + 6] if length > _STUB_BYTES_MAX else 2
    for entry in layout_data()["record_types"][str(kind)][str(subtype)]:
        if entry["triplet"] >= triplets:
            continue
        at, each, count = struct.unpack_from(">IHH", whole, 28 + 8 * entry["triplet"])
        name = entry["structure"]
        made = block(name, release)
        if made.slot_count:
            first = made.fields[layout_data()["structures"][name]["slots"]["name"]].places[0]
            rows[name] += sum(
                1 for number in range(made.slot_count) if whole[at + first + number * made.slot_bytes] > 0x40
            )
        else:
            rows[name] += count
        for number in range(count):
            start = place + at + number * each
            for key in SUMMED.get(name, ()):
                counters[f"{name}.{key}"].append(start + made.fields[key].places[0])
            for key in _moving(name):
                if struct.unpack_from(">Q", whole, at + number * each + made.fields[key].places[0])[0]:
                    clocks.append(start + made.fields[key].places[0])


def _moving(name: str) -> tuple[str, ...]:
    """Fields that move with the interval; a correlator begins with the clock of its task."""
    return {
        "wtas": ("wtasints", "wtasinte", "wtasstrt"),
        "wq": ("correl", "opentime", "clostime"),
        "qcst": ("qcstcltm",),
        "qwac": ("qwacbsc", "qwacesc"),
    }.get(name, ())


def write_bulk(
    target: Path,
    total_bytes: int,
    *,
    queue_managers: int = 4,
    interval_minutes: int = DEFAULT_INTERVAL_MINUTES,
    seed: int = 1,
    statistics_only: bool = False,
    start: datetime = STARTED,
) -> Counted:
    """Write about `total_bytes` (whole intervals, at least one) of valid dump, and tell what is in it."""
    pattern = _pattern(queue_managers, interval_minutes, seed, statistics_only)
    repeats = max(1, total_bytes // len(pattern.data))
    each = max(1, min(repeats, BATCH_BYTES // len(pattern.data)))
    chance = np.random.default_rng(seed)
    counted = Counted()
    with target.open("wb", buffering=0) as out:
        for first in range(0, repeats, each):
            number = min(each, repeats - first)
            batch = _batch(pattern, first, number, interval_minutes, start, chance, counted)
            _write_all(out, batch)
            counted.bytes += batch.nbytes
    counted.records = Counter({key: count * repeats for key, count in pattern.records.items()})
    counted.rows = Counter({key: count * repeats for key, count in pattern.rows.items() if count})
    return counted


def _write_all(out: BinaryIO, batch: npt.NDArray[np.uint8]) -> None:
    rest = batch.data.cast("B")
    while rest:
        rest = rest[out.write(rest) :]


def _batch(
    pattern: _Pattern,
    first: int,
    number: int,
    minutes: int,
    start: datetime,
    chance: np.random.Generator,
    counted: Counted,
) -> npt.NDArray[np.uint8]:
    batch = np.tile(pattern.data, (number, 1))
    later = np.arange(first, first + number, dtype=np.int64) * minutes * 60
    _move_clocks(batch, pattern, later, start)
    _stamp(batch, pattern, later, start, minutes)
    for key, places in pattern.counters.items():
        width = pattern.widths[key]
        fresh = chance.integers(0, 2**30, size=(number, len(places)), dtype=np.int64)
        counted.sums[key] += int(fresh.sum())
        _patch(batch, places, fresh.astype(_WIDTHS[width]), width)
    return batch


def _patch(batch: npt.NDArray[np.uint8], places: npt.NDArray[np.int64], values: Any, width: int) -> None:
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(len(batch), len(places), width)
    for byte in range(width):
        batch[:, places + byte] = raw[:, :, byte]


def _move_clocks(
    batch: npt.NDArray[np.uint8], pattern: _Pattern, later: npt.NDArray[np.int64], start: datetime
) -> None:
    places = pattern.clocks
    raw = pattern.data[places[:, None] + np.arange(8)]
    base = np.ascontiguousarray(raw).view(">u8").reshape(1, -1).astype(np.uint64)
    shift = later + int((start - STARTED).total_seconds())
    moved = base + (shift * 1_000_000 * 4096).astype(np.uint64)[:, None]
    _patch(batch, places, moved.astype(">u8"), 8)


def _stamp(
    batch: npt.NDArray[np.uint8], pattern: _Pattern, later: npt.NDArray[np.int64], start: datetime, minutes: int
) -> None:
    """Time and date of the SMF header, which are local: one of each per repetition and distance from UTC."""
    for offset in np.unique(pattern.offsets):
        places = pattern.times[pattern.offsets == offset]
        for row, seconds in enumerate(later):
            local = start + timedelta(seconds=int(seconds) + minutes * 60 + int(offset))
            of_day = local.hour * 3600 + local.minute * 60 + local.second
            stamp = struct.pack(">I", of_day * 100) + packed_date(local)
            for byte, value in enumerate(stamp):
                batch[row, places + byte] = value
