"""Raw tables made by hand: a few rows with the fields a test cares for, all others empty."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pyarrow as pa

from libremq.pipeline.smf.smf_columns import COMMON, schema_of
from libremq.pipeline.storage import Root
from libremq.pipeline.tables.raw_tables import DumpReport, Holding, RawTables

MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
"""A Monday."""

_files = count()


def interval(start: datetime, seconds: float = 60.0, qmgr: str = "QM01", **more: Any) -> dict[str, Any]:
    """The common columns of a statistics row."""
    length = timedelta(seconds=seconds)
    return {
        "smf_time": start + length,
        "utc_offset_minutes": -240,
        "system": "SYSA",
        "qmgr": qmgr,
        "release": "940",
        "record_type": 115,
        "subtype": 2,
        "interval_start": start,
        "interval_duration": round(seconds * 1_000_000),
        "interval_end": start + length,
        "section_index": 0,
        "source_file": "one.smf",
        "source_offset": 0,
        **more,
    }


def task(moment: datetime, offset: int, **more: Any) -> dict[str, Any]:
    """The common columns of a task row: no interval."""
    return {
        "smf_time": moment,
        "utc_offset_minutes": -240,
        "system": "SYSA",
        "qmgr": "QM01",
        "release": "940",
        "record_type": 116,
        "subtype": 1,
        "section_index": 0,
        "source_file": "one.smf",
        "source_offset": offset,
        **more,
    }


def numbers(name: str, value: int = 0) -> dict[str, int]:
    """All plain counters of a structure, set."""
    common = {common for common, _ in COMMON}
    return {
        field.name: value for field in schema_of(name) if pa.types.is_integer(field.type) and field.name not in common
    }


def write(root: Root, name: str, *rows: dict[str, Any]) -> None:
    """Add rows to a raw table, as an ingest would leave them."""
    schema = schema_of(name)
    unknown = {key for row in rows for key in row} - set(schema.names)
    assert not unknown, unknown
    tables = RawTables(root)
    table = pa.Table.from_pylist([{key: row.get(key) for key in schema.names} for row in rows], schema=schema)
    file = tables.write_rows(table, name, f"by-hand-{next(_files)}")
    report = DumpReport(f"by-hand-{next(_files)}", f"{next(_files):064d}", added=True, days=sorted(file.days))
    tables.commit(Holding([report], [file]))
