"""Sections to rows: the columns of each structure, converted a whole chunk at a time.

All sections of one structure are lifted into one block of equal rows, which numpy then reads as records. Fields that a
row is too short or too old for are null. With `grouped`, records are put in order of day and queue manager first, so
that the rows of each group lie together and can be written without sorting.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from libremq.pipeline.smf.framing import Bytes, Chunk, Numbers
from libremq.pipeline.smf.smf_columns import (
    COUNTS,
    QUARANTINE,
    TIMESTAMP,
    TextDecoder,
    build,
    columns_of,
    nested,
    numbers,
    opaque,
    row_length,
)
from libremq.pipeline.smf.smf_layout import Field, Structure, layout, structure
from libremq.pipeline.smf.smf_records import (
    REASONS,
    Records,
    Sections,
    days,
    lift,
    parse,
    task_header_places,
)

Mask = npt.NDArray[np.bool_]
Count = tuple[int | None, int | None, str, str]
"""Record type, subtype, outcome, reason."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one day and queue manager."""

    day: int
    """Days since 1970, UTC."""
    qmgr: str


@dataclass(slots=True)
class Decoded:
    """What a chunk gave: rows by structure, what was quarantined, and the fate of each record, counted."""

    batches: dict[str, pa.RecordBatch]
    groups: list[Group]
    bounds: dict[str, list[int]]
    """Where the rows of each group begin and end, in the batch of each structure; only when grouped."""
    quarantine: list[tuple[int, int, str, int | None, int | None]]
    counts: dict[Count, int]


def decode(
    chunk: Chunk,
    source_file: str,
    text: TextDecoder,
    *,
    wanted: Collection[str] | None = None,
    grouped: bool = False,
) -> Decoded:
    """Rows of the wanted structures (all of them by default) out of the records of a chunk."""
    records = parse(chunk)
    counts, quarantine = _fates(records)
    decoded = Decoded({}, [], {}, quarantine, counts)
    if not len(records.good):
        return decoded
    rank: Numbers | None = None
    if grouped:
        decoded.groups, rank = _groups(records, text)
    common = _Common(records, source_file, text)
    for name, found in records.sections.items():
        if wanted is not None and name not in wanted:
            continue
        sections = found
        if rank is not None and len(decoded.groups) > 1:
            sections = found.only(np.argsort(rank[found.record], kind="stable"))
        batch, sections = _rows(records, structure(name), sections, common, text)
        if batch.num_rows == 0:
            continue
        decoded.batches[name] = batch
        if rank is not None:
            edges = np.searchsorted(rank[sections.record], np.arange(len(decoded.groups) + 1))
            decoded.bounds[name] = edges.tolist()
    return decoded


def _fates(records: Records) -> tuple[dict[Count, int], list[tuple[int, int, str, int | None, int | None]]]:
    counts: dict[Count, int] = {}
    triples = np.stack((records.types, records.subtypes, records.codes.astype(np.int64)), axis=1)
    for (kind, subtype, code), count in zip(*np.unique(triples, axis=0, return_counts=True)):
        outcome, reason = REASONS[code]
        counts[_or_none(kind), _or_none(subtype), outcome, reason] = int(count)
    quarantine: list[tuple[int, int, str, int | None, int | None]] = []
    bad = np.flatnonzero([REASONS[code][0] == "quarantined" for code in range(len(REASONS))])
    for at in np.flatnonzero(np.isin(records.codes, bad)):
        chunk = records.chunk
        reason = REASONS[records.codes[at]][1]
        place = (int(chunk.offsets[at]), int(chunk.lengths[at]), reason)
        quarantine.append((*place, _or_none(records.types[at]), _or_none(records.subtypes[at])))
    for damage in records.chunk.damage:
        quarantine.append((damage.offset, damage.length, damage.reason, None, None))
        key: Count = (None, None, "quarantined", damage.reason)
        counts[key] = counts.get(key, 0) + 1
    return counts, quarantine


def _or_none(number: Any) -> int | None:
    return None if number < 0 else int(number)


def _groups(records: Records, text: TextDecoder) -> tuple[list[Group], Numbers]:
    keys = np.stack((days(records), records.qmgr), axis=1)
    unique, rank = np.unique(keys, axis=0, return_inverse=True)
    return [Group(int(day), _name(qmgr, text)) for day, qmgr in unique], rank.reshape(-1)


def _name(packed: Any, text: TextDecoder) -> str:
    return text.decode(int(packed).to_bytes(4, "big"))


class _Common:
    """The common columns of all good records, from which each structure takes the rows it needs."""

    def __init__(self, records: Records, source_file: str, text: TextDecoder) -> None:
        self._records = records
        self._names: dict[str, tuple[pa.Array, npt.NDArray[np.int32]]] = {}
        for column, packed in (("system", records.system), ("qmgr", records.qmgr)):
            unique, inverse = np.unique(packed, return_inverse=True)
            values = pa.array([_name(value, text) for value in unique], type=pa.string())
            self._names[column] = values, inverse.astype(np.int32).reshape(-1)
        self._names["qsg"], self._names["release"] = self._extension(text)
        self._source = pa.array([source_file], type=pa.string())

    def _extension(self, text: TextDecoder) -> Any:
        """Group and release from the header's extension; without it there is no group, and a short release."""
        records = self._records
        there = records.extension_place > 0
        block = lift(records.chunk.data, records.extension_place, 16)
        release = np.full((len(there), 6), 0x40, dtype=np.uint8)
        release[:, :3] = records.release
        release[there] = block[there, 8:14]
        group = np.where(there[:, None], block[:, 4:8], 0)
        result = []
        for raw in (group, release):
            unique, inverse = np.unique(raw, axis=0, return_inverse=True)
            names = pa.array([text.decode(row.tobytes()) for row in unique], type=pa.string())
            result.append((names, inverse.astype(np.int32).reshape(-1)))
        return result

    def columns(self, sections: Sections) -> list[pa.Array]:
        records, row = self._records, sections.record

        def named(column: str) -> pa.Array:
            values, inverse = self._names[column]
            # Nothing in the field is null, but not in the dictionary: Arrow cannot join dictionaries with nulls.
            empty = np.array([value.as_py() == "" for value in values])[inverse[row]]
            return pa.DictionaryArray.from_arrays(pa.array(inverse[row], mask=empty if empty.any() else None), values)

        known = records.interval_known[row]
        start, duration = records.interval_start[row], records.interval_duration[row]
        return [
            build(TIMESTAMP, records.smf_time[row]),
            build(
                pa.int32(),
                (records.utc_offset[row] // 60_000_000).astype(np.int32),
                records.utc_offset_known[row],
            ),
            named("system"),
            named("qmgr"),
            named("qsg"),
            named("release"),
            build(pa.int16(), records.type[row].astype(np.int16)),
            build(pa.int16(), records.subtype[row].astype(np.int16)),
            build(TIMESTAMP, start, known),
            build(pa.int64(), duration, known),
            build(TIMESTAMP, start + duration, known),
            build(pa.int32(), sections.index.astype(np.int32)),
            pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(row), dtype=np.int32)), self._source),
            build(pa.int64(), records.offset[row]),
        ]


def _rows(
    records: Records, shape: Structure, sections: Sections, common: _Common, text: TextDecoder
) -> tuple[pa.RecordBatch, Sections]:
    data = records.chunk.data
    if shape.slots is not None:
        sections, block = _slots(data, shape, sections)
    else:
        block = lift(data, sections.place, shape.length)
    arrays = common.columns(sections)
    if shape.companion is not None:
        place = task_header_places(records, sections.record)
        there = records.has_task_header[sections.record]
        header = structure(shape.companion)
        length = np.where(there, header.length, 0)
        arrays += _fields(header, lift(data, np.where(there, place, 0), header.length), length, text)
    if shape.name == "wtid":
        place = records.correlator_place[sections.record]
        arrays.append(opaque(lift(data, place, 16), place > 0))
    own = _fields(shape, block, sections.length, text)
    if shape.name == "qwhs":
        # The two are the interval: its start is local and its duration has two units, both settled already.
        names = [field.name for field in shape.fields]
        assert names[-2:] == ["qwhstime", "qwhsdurn"]
        known = records.interval_known[sections.record]
        own[-2] = build(TIMESTAMP, records.interval_start[sections.record], known)
        wide = np.zeros((len(known), 2), dtype="<u8")
        wide[:, 0] = records.interval_duration[sections.record]
        own[-1] = build(own[-1].type, wide, known)
    arrays += own
    schema = columns_of(shape.name).schema
    return pa.RecordBatch.from_arrays(arrays, names=schema.names), sections


def _slots(data: Bytes, shape: Structure, sections: Sections) -> tuple[Sections, Bytes]:
    """One row per slot in use, each with the structure's own header in front of it."""
    assert shape.slots is not None
    count, stride = shape.slots.count, shape.slots.stride
    first = shape.field(shape.slots.name).offset
    each = np.repeat(np.arange(len(sections.record)), count)
    slot = np.tile(np.arange(count), len(sections.record))
    place = sections.place[each] + slot * stride
    name = data[place + first]
    used = np.flatnonzero((name >= 0x40) & (name < 0xFF))
    each, slot, place = each[used], slot[used], place[used]
    block = lift(data, place, row_length(shape.name))
    block[:, :first] = lift(data, sections.place[each], first)
    length = np.full(len(each), row_length(shape.name))
    return Sections(sections.record[each], place, length, sections.index[each] * count + slot), block


def _fields(shape: Structure, block: Bytes, length: Numbers, text: TextDecoder) -> list[pa.Array]:
    """The columns of a structure's own fields, out of a block with one row each."""
    record = columns_of(shape.name).record
    rows = block.view(record)[:, 0] if len(block) else np.empty(0, dtype=record)
    shortest = int(length.min(initial=shape.length))
    masks: dict[tuple[int | None, int | None, int], Mask | None] = {}

    def present(field: Field) -> Mask | None:
        reach = field.end if field.end > shortest else 0
        key = field.longer_than, field.version, reach
        if key not in masks:
            mask: Mask | None = length >= reach if reach else None
            for limit, of in ((field.longer_than, shape.length_field), (field.version, shape.version_field)):
                if limit is not None and of is not None:
                    there = rows[of] > limit if of == shape.length_field else rows[of] >= limit
                    mask = there if mask is None else mask & there
            masks[key] = None if mask is None or mask.all() else mask
        return masks[key]

    arrays: list[pa.Array] = []
    for field in shape.fields:
        here = present(field)
        if field.only_if is not None:
            switched = (rows[field.only_if[0]] & field.only_if[1]) != 0
            here = switched if here is None else here & switched
        arrays.append(_column(field, block, rows, here, text))
        if field.bytes_too:
            arrays.append(opaque(rows[field.name], here))
        for mask_of_bit in (field.bits or {}).values():
            on = (rows[field.name] & mask_of_bit) != 0
            arrays.append(pa.array(on, mask=None if here is None else ~here))
    return arrays


def _column(field: Field, block: Bytes, rows: npt.NDArray[Any], here: Mask | None, text: TextDecoder) -> pa.Array:
    if not field.dims:
        return _flat(field, rows[field.name], here, text)
    counts = tuple(count for count, _ in field.dims)
    strides = tuple(stride for _, stride in field.dims)
    tail = block[:, field.offset :]
    view = np.lib.stride_tricks.as_strided(
        tail, (len(block), *counts, field.length), (block.strides[0], *strides, 1), writeable=False
    )
    raw = np.ascontiguousarray(view).reshape(-1, field.length)
    values = raw if field.type in ("ebcdic", "bytes") else raw.view(_element(field))[:, 0]
    return nested(_flat(field, values, None, text), field.dims, len(block), here)


def _element(field: Field) -> np.dtype[Any]:
    kind = "i" if field.type.startswith("int") else "u"
    return np.dtype(f">{kind}{field.length}")


def _flat(field: Field, raw: npt.NDArray[Any], here: Mask | None, text: TextDecoder) -> pa.Array:
    if field.type == "ebcdic":
        return text.column(raw, here)
    if field.type == "bytes":
        return opaque(raw, here)
    return numbers(field, raw, here)


def plain(batch: pa.RecordBatch, name: str) -> pa.RecordBatch:
    """The batch without dictionaries, as Spark takes it."""
    schema = columns_of(name).schema
    arrays = [column.dictionary_decode() if pa.types.is_dictionary(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def quarantine_batch(source_file: str, rows: Iterable[tuple[int, int, str, int | None, int | None]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [dict(zip(QUARANTINE.names, (source_file, *row))) for row in rows], schema=QUARANTINE
    )


def counts_batch(source_file: str, counts: dict[Count, int]) -> pa.RecordBatch:
    rows = [dict(zip(COUNTS.names, (source_file, *key, records))) for key, records in counts.items()]
    return pa.RecordBatch.from_pylist(rows, schema=COUNTS)


def structures() -> list[str]:
    """Names of all structures that make a raw table."""
    return sorted(layout().structures)
