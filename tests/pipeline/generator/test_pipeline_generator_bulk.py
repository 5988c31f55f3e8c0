"""Bulk dumps are valid, vary, and hold exactly what they say."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from libremq.pipeline.generator.bulk import Counted, write_bulk

pc = pytest.importorskip("pyarrow.compute")
framing = pytest.importorskip("libremq.pipeline.smf.framing")
decode = pytest.importorskip("libremq.pipeline.smf.decode")
columns = pytest.importorskip("libremq.pipeline.smf.smf_columns")


def read(path: Path, counted: Counted) -> dict[str, Any]:
    records: Counter[Any] = Counter()
    rows: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    seen: dict[str, Any] = {"times": set(), "correl": set(), "wq": set(), "days": set()}
    for chunk in framing.chunks(io.BytesIO(path.read_bytes()), "rdw"):
        assert not chunk.damage
        decoded = decode.decode(chunk, "bulk", columns.TextDecoder())
        assert not decoded.quarantine
        for (kind, subtype, _, _), count in decoded.counts.items():
            records[kind, subtype] += count
        for name, batch in decoded.batches.items():
            rows[name] += batch.num_rows
            for key in counted.sums:
                structure, _, field = key.partition(".")
                if structure == name:
                    sums[key] += int(pc.sum(batch.column(field)).as_py())
        seen["times"] |= set(decoded.batches["qjst"].column("interval_start").to_pylist())
        seen["days"] |= {moment.date() for moment in decoded.batches["qjst"].column("smf_time").to_pylist()}
        if "wtas" in decoded.batches:
            seen["correl"] |= set(decoded.batches["wtas"].column("correl").to_pylist())
            seen["wq"] |= set(decoded.batches["wq"].column("correl").to_pylist())
    return {"records": records, "rows": rows, "sums": sums, **seen}


@pytest.mark.parametrize("statistics_only", [False, True])
def test_counts_and_sums_are_those_told(tmp_path: Path, statistics_only: bool) -> None:
    path = tmp_path / "bulk.dat"
    size = 2_000_000 if statistics_only else 4_000_000
    counted = write_bulk(path, size, queue_managers=2, seed=9, statistics_only=statistics_only, interval_minutes=240)
    assert path.stat().st_size == counted.bytes
    assert size * 0.5 < counted.bytes <= size
    found = read(path, counted)
    assert found["records"] == counted.records
    assert found["rows"] == counted.rows
    assert found["sums"] == counted.sums
    repeats = counted.records[115, 1] // 2
    assert len(found["times"]) == repeats > 5
    assert len(found["days"]) > 1
    assert found["wq"] <= found["correl"]
    assert ((116, 1) in counted.records) != statistics_only
    assert len(found["correl"]) == counted.rows["wtas"], "each task of each interval has a correlator of its own"


def test_the_seed_decides(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in "abc")
    write_bulk(one, 500_000, queue_managers=1, seed=1)
    write_bulk(two, 500_000, queue_managers=1, seed=1)
    write_bulk(three, 500_000, queue_managers=1, seed=2)
    assert one.read_bytes() == two.read_bytes() != three.read_bytes()


def test_batches_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks go on over the border between two batches."""
    import libremq.pipeline.generator.bulk as bulk

    monkeypatch.setattr(bulk, "BATCH_BYTES", 600_000)
    counted = write_bulk(tmp_path / "bulk.dat", 2_000_000, queue_managers=2, statistics_only=True)
    found = read(tmp_path / "bulk.dat", counted)
    assert found["sums"] == counted.sums
    assert len(found["times"]) == counted.records[115, 1] // 2
