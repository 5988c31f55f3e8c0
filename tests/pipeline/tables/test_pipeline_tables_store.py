"""Which days of the tables are due, and what a build that dies or meets another one does. No Spark."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
import helper_tables_raw

from libremq.pipeline import findings
from libremq.pipeline.forecast import build as forecast
from libremq.pipeline.tables import conformed, marts
from libremq.pipeline.tables.conformed_store import Layer, Part, Store, at_once
from libremq.pipeline.tables.raw import TablesBusyError

MONDAY, TUESDAY, SUNDAY = "2026-03-02", "2026-03-03", "2026-03-08"


def committed(layer: Layer, day: str, source: str, description: str = "mark", rows: int = 1) -> None:
    """A day as a build leaves it, with one table."""
    build = layer.new_build()
    (layer.place / "lock" / build / f"day={day}" / "part.parquet").write(b"rows")
    written = {"lock": {day: Part(build, rows, 4, ["QM01"])}} if rows else {}
    layer.commit([day], written, {day: source}, description)


def test_a_day_is_due_when_its_source_is_another(tmp_path: Path) -> None:
    now = {MONDAY: "1", TUESDAY: "2"}
    assert Store(tmp_path).conformed.days_due(now, "mark") == (MONDAY, TUESDAY)
    for day, source in now.items():
        committed(Store(tmp_path).conformed, day, source)
    layer = Store(tmp_path).conformed
    assert layer.days_due(now, "mark") == ()
    assert layer.days_due({**now, TUESDAY: "3", SUNDAY: "4"}, "mark") == (TUESDAY, SUNDAY)
    assert layer.days_due(now, "described anew") == (MONDAY, TUESDAY)
    # A day whose dumps are gone is due too: its rows have to go. When they are, it is not.
    assert layer.days_due({MONDAY: "1"}, "mark") == (TUESDAY,)
    committed(layer, TUESDAY, "gone", rows=0)
    assert Store(tmp_path).conformed.days_due({MONDAY: "1"}, "mark") == ()


def test_a_day_is_as_it_was_or_as_it_is(tmp_path: Path) -> None:
    """Rows that no document names are read by nobody; those that one took the place of go."""
    layer = Store(tmp_path).conformed
    committed(layer, MONDAY, "1")
    [first] = layer.folders("lock")
    build = layer.new_build()
    (layer.place / "lock" / build / f"day={MONDAY}" / "part.parquet").write(b"broken off")
    assert Store(tmp_path).conformed.folders("lock") == [first]
    committed(layer, MONDAY, "2")
    [second] = Store(tmp_path).conformed.folders("lock")
    assert second != first and second.exists() and not first.exists()
    with layer.building():
        layer.clear_left_over(["lock"])
    assert [entry.name for entry in (layer.place / "lock").entries() if entry.is_folder] == [second.path.split("/")[-2]]


@pytest.mark.parametrize(("layer", "build"), [("conformed", conformed.build), ("marts", marts.build)])
def test_a_second_build_is_refused(tmp_path: Path, layer: str, build: object) -> None:
    assert callable(build)
    helper_tables_raw.write(tmp_path, "qlst", helper_tables_raw.interval(helper_tables_raw.MORNING))
    committed(Store(tmp_path).conformed, MONDAY, "1")
    store = Store(tmp_path)
    told = rf"another build .* {tmp_path}/{layer}; try again when it is done"
    held = store.conformed if layer == "conformed" else store.marts
    with held.building(), pytest.raises(TablesBusyError, match=told):
        build(None, tmp_path)


def test_nothing_is_made_where_there_is_nothing(tmp_path: Path) -> None:
    """A name mistyped leaves no folder behind."""
    for build in (conformed.build, marts.build):
        assert build(None, tmp_path / "no" / "such") == conformed.BuildReport((), {})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_after_a_failure_nothing_further_is_begun() -> None:
    begun: list[int] = []
    failing = threading.Event()

    def work(item: int) -> int:
        begun.append(item)
        if item == 0:
            failing.set()
            raise KeyboardInterrupt
        failing.wait()
        time.sleep(0.1)  # all of them would take far longer than it takes to see the failure
        return item

    with pytest.raises(KeyboardInterrupt):
        at_once(work, range(1000))
    assert 0 < len(begun) < 1000
    assert at_once(lambda item: item * 2, range(9)) == [item * 2 for item in range(9)]


def test_what_is_written_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.current("findings") is None
    with store.replacing("findings") as fresh:
        (fresh / "rows").write(b"first")
    with pytest.raises(KeyboardInterrupt), store.replacing("findings") as fresh:
        (fresh / "rows").write(b"broken off")
        raise KeyboardInterrupt
    found = store.current("findings")
    assert found is not None and (found / "rows").read() == b"first"
    with store.replacing("findings") as fresh:
        (fresh / "rows").write(b"second")
    found = store.current("findings")
    assert found is not None and (found / "rows").read() == b"second"
    assert {path.name for path in (tmp_path / "findings").iterdir()} == {"_current", found.path.split("/")[-1]}


def test_findings_and_forecasts_wait_for_nobody_and_spoil_nothing(tmp_path: Path) -> None:
    """They are refused while the tables change or another of them is at work; no Spark is needed to say so."""
    nobody: Any = None
    with Store(tmp_path).conformed.building():
        with pytest.raises(TablesBusyError):
            findings.find(nobody, tmp_path)
        with pytest.raises(TablesBusyError):
            forecast.build(nobody, tmp_path)
