"""Columns of the raw tables: their types in Arrow and in Spark, and how big-endian bytes become them.

Spark has no unsigned numbers, so each is held in the next type that can: 32 bits in a bigint, 64 bits in decimal(20,0).
Clock stamps are UTC timestamps, durations are microseconds as bigint, opaque data is binary, text is decoded and its
padding dropped. A whole column is converted at once; there is no loop over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from libremq.pipeline.smf.smf_layout import Field, structure

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

STCK_TICKS_PER_MICROSECOND = 4096
EPOCH_MICROSECONDS = 0x7D91048BCA000000 // STCK_TICKS_PER_MICROSECOND
"""1970 on the TOD clock, which counts from 1900."""

NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)
"""A clock stamp of all ones stands for no time at all, as zero does."""

TIMESTAMP = pa.timestamp("us", tz="UTC")
UNSIGNED_64 = pa.decimal128(20, 0)

_NUMPY = {
    "uint8": ">u1",
    "int8": ">i1",
    "uint16": ">u2",
    "int16": ">i2",
    "uint32": ">u4",
    "int32": ">i4",
    "uint64": ">u8",
    "int64": ">i8",
    "stck": ">u8",
    "stckdur": ">u8",
    "usec64": ">u8",
}
_ARROW: dict[str, pa.DataType] = {
    "uint8": pa.int16(),
    "int8": pa.int8(),
    "uint16": pa.int32(),
    "int16": pa.int16(),
    "uint32": pa.int64(),
    "int32": pa.int32(),
    "uint64": UNSIGNED_64,
    "int64": pa.int64(),
    "stck": TIMESTAMP,
    "stckdur": pa.int64(),
    "usec64": pa.int64(),
    "ebcdic": pa.string(),
    "bytes": pa.binary(),
}
COMMON: tuple[tuple[str, pa.DataType], ...] = (
    ("smf_time", TIMESTAMP),
    ("utc_offset_minutes", pa.int32()),
    ("system", pa.string()),
    ("qmgr", pa.string()),
    ("qsg", pa.string()),
    ("release", pa.string()),
    ("record_type", pa.int16()),
    ("subtype", pa.int16()),
    ("interval_start", TIMESTAMP),
    ("interval_duration", pa.int64()),
    ("interval_end", TIMESTAMP),
    ("section_index", pa.int32()),
    ("source_file", pa.string()),
    ("source_offset", pa.int64()),
)
"""What every row starts with. `interval_duration` is in microseconds. `utc_offset_minutes` is local minus UTC; where a
record does not tell, it is null and `smf_time` is the local time as recorded."""

QUARANTINE = pa.schema(
    [
        ("source_file", pa.string()),
        ("source_offset", pa.int64()),
        ("length", pa.int64()),
        ("reason", pa.string()),
        ("record_type", pa.int16()),
        ("subtype", pa.int16()),
    ]
)

COUNTS = pa.schema(
    [
        ("source_file", pa.string()),
        ("record_type", pa.int16()),
        ("subtype", pa.int16()),
        ("outcome", pa.string()),
        ("reason", pa.string()),
        ("records", pa.int64()),
    ]
)
"""`outcome` is decoded, skipped or quarantined. Each record, and each stretch of damage, is counted exactly once."""


@dataclass(frozen=True, slots=True)
class Columns:
    """How the rows of one structure are laid out in memory, and the Arrow schema they end up with."""

    record: np.dtype[Any]
    schema: pa.Schema


def _numpy_type(field: Field) -> Any:
    return (np.uint8, (field.length,)) if field.type in ("ebcdic", "bytes") else np.dtype(_NUMPY[field.type])


def arrow_type(field: Field) -> pa.DataType:
    result = _ARROW[field.type]
    for _ in field.dims:
        result = pa.list_(result)
    return result


def _own(name: str) -> list[tuple[str, pa.DataType]]:
    names: list[tuple[str, pa.DataType]] = []
    for field in structure(name).fields:
        names.append((field.name, arrow_type(field)))
        if field.bytes_too:
            names.append((field.name + "_bytes", pa.binary()))
        names.extend((bit, pa.bool_()) for bit in field.bits or ())
    return names


@cache
def columns_of(name: str) -> Columns:
    """The columns of a structure: the common ones, those of the task header where it goes with it, its own."""
    shape = structure(name)
    scalars = [field for field in shape.fields if not field.dims]
    record = np.dtype(
        {
            "names": [field.name for field in scalars],
            "formats": [_numpy_type(field) for field in scalars],
            "offsets": [field.offset for field in scalars],
            "itemsize": row_length(name),
        }
    )
    fields = [*COMMON, *(_own(shape.companion) if shape.companion else ())]
    if name == "wtid":
        fields.append(("correl", pa.binary()))
    return Columns(record, pa.schema([*fields, *_own(name)]))


def row_length(name: str) -> int:
    """Bytes that make one row: the structure, or the header of a slotted one with one slot behind it."""
    shape = structure(name)
    if shape.slots is None:
        return shape.length
    return min(field.offset for field in shape.fields if field.name == shape.slots.name) + shape.slots.stride


def schema_of(name: str) -> pa.Schema:
    """Arrow schema of a raw table: of a structure, of `quarantine` or of `counts`."""
    return {"quarantine": QUARANTINE, "counts": COUNTS}.get(name) or columns_of(name).schema


def spark_schema_of(name: str) -> StructType:
    """The same schema for Spark. Made without a session: workers ask for it too."""
    from pyspark.sql import types as T

    kinds: dict[pa.DataType, T.DataType] = {
        pa.int8(): T.ByteType(),
        pa.int16(): T.ShortType(),
        pa.int32(): T.IntegerType(),
        pa.int64(): T.LongType(),
        pa.bool_(): T.BooleanType(),
        pa.string(): T.StringType(),
        pa.binary(): T.BinaryType(),
        TIMESTAMP: T.TimestampType(),
        UNSIGNED_64: T.DecimalType(20, 0),
    }

    def kind(of: pa.DataType) -> T.DataType:
        return T.ArrayType(kind(of.value_type)) if pa.types.is_list(of) else kinds[of]

    return T.StructType([T.StructField(field.name, kind(field.type)) for field in schema_of(name)])


def build(kind: pa.DataType, values: Array, present: Mask | None = None) -> pa.Array:
    """An Arrow array over numbers of the right width, null where not present."""
    validity = None
    if present is not None and not present.all():
        validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])


def clock_microseconds(stamps: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Microseconds since 1970 of TOD clock stamps."""
    return (stamps >> np.uint64(12)).astype(np.int64) - EPOCH_MICROSECONDS


def numbers(field: Field, raw: Array, present: Mask | None) -> pa.Array:
    """A flat column of numbers, stamps or durations, from their big-endian form."""
    kind = _ARROW[field.type]
    if field.unset is not None:
        present = _both(present, raw != field.unset)
    if field.type == "uint64":
        wide = np.zeros((len(raw), 2), dtype="<u8")
        wide[:, 0] = raw
        return build(kind, wide, present)
    if field.type == "stck":
        stamps = raw.astype(np.uint64)
        return build(kind, clock_microseconds(stamps), _both(present, (stamps != 0) & (stamps != NEVER)))
    if field.type == "stckdur":
        return build(kind, (raw.astype(np.uint64) >> np.uint64(12)).astype(np.int64), present)
    values = raw.astype(kind.to_pandas_dtype())
    if field.type == "usec64":
        present = _both(present, values >= 0)
    return build(kind, values, present)


def _both(one: Mask | None, other: Mask) -> Mask:
    return other if one is None else one & other


class TextDecoder:
    """EBCDIC text to Arrow strings, for a single-byte code page."""

    def __init__(self, encoding: str = "cp037") -> None:
        self.encoding = encoding
        try:
            table = bytes(range(256)).decode(encoding, errors="replace")
        except LookupError:
            raise ValueError(f"there is no code page {encoding!r}; cp037, cp500, cp273 and cp1140 are usual") from None
        if len(table) != 256:
            raise ValueError(f"{encoding} is not a single-byte code page")
        self._table = np.array([ord(character) for character in table], dtype=np.uint16)
        self._ascii = np.where(self._table < 128, self._table, 255).astype(np.uint8)

    def decode(self, raw: bytes) -> str:
        return raw.decode(self.encoding, errors="replace").rstrip(" \0")

    def column(self, raw: Array, present: Mask | None = None) -> pa.Array:
        """Text of fixed length, one row each, without the blanks or zeros it is filled up with."""
        rows, width = raw.shape
        text = self._ascii[raw]
        if text.max(initial=0) == 255:
            values = [self.decode(row.tobytes()) for row in np.ascontiguousarray(raw)]
            return pa.array(values, type=pa.string(), mask=None if present is None else ~present)
        filled = (text != 32) & (text != 0)
        lengths = np.where(filled.any(axis=1), width - np.argmax(filled[:, ::-1], axis=1), 0)
        offsets = np.zeros(rows + 1, dtype=np.int32)
        np.cumsum(lengths, out=offsets[1:])
        packed = text[np.arange(width) < lengths[:, None]]
        validity = None
        if present is not None and not present.all():
            validity = pa.py_buffer(np.packbits(present, bitorder="little"))
        return pa.Array.from_buffers(
            pa.string(), rows, [validity, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(packed))]
        )


def opaque(raw: Array, present: Mask | None = None) -> pa.Array:
    """Bytes of fixed length as a binary column."""
    rows, width = raw.shape
    offsets = np.arange(0, (rows + 1) * width, width, dtype=np.int32)[: rows + 1]
    validity = None
    if present is not None and not present.all():
        validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    data = pa.py_buffer(np.ascontiguousarray(raw))
    return pa.Array.from_buffers(pa.binary(), rows, [validity, pa.py_buffer(offsets), data])


def nested(values: pa.Array, dims: tuple[tuple[int, int], ...], rows: int, present: Mask | None) -> pa.Array:
    """Put flat values, row after row, into lists of the dimensions; an absent row is a null list."""
    for level in range(len(dims) - 1, -1, -1):
        count = dims[level][0]
        outer = rows
        for above, _ in dims[:level]:
            outer *= above
        offsets = pa.py_buffer(np.arange(0, (outer + 1) * count, count, dtype=np.int32)[: outer + 1])
        validity = None
        if level == 0 and present is not None and not present.all():
            validity = pa.py_buffer(np.packbits(present, bitorder="little"))
        values = pa.Array.from_buffers(pa.list_(values.type), outer, [validity, offsets], children=[values])
    return values
