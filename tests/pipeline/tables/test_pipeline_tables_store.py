"""Which days of the tables are due, and what a build that dies or meets another one does. No Spark."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from libremq.pipeline import findings
from libremq.pipeline.forecast import build as forecast
from libremq.pipeline.tables import conformed, marts
from libremq.pipeline.tables.conformed_store import Ledger, Store, at_once
from libremq.pipeline.tables.raw import TablesBusyError

MONDAY, TUESDAY, SUNDAY = "2026-03-02", "2026-03-03", "2026-03-08"


def touch(root: Path, table: str, day: str, file: str, qmgr: str = "QM01") -> None:
    folder = root / "raw" / table / f"day={day}" / f"qmgr={qmgr}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_bytes(b"")


def test_a_day_is_due_when_its_files_are_others(tmp_path: Path) -> None:
    store, ledger = Store(tmp_path), Ledger(tmp_path, "mark")
    for table, day, file in (
        ("qpst", MONDAY, "a.parquet"),
        ("qlst", MONDAY, "a.parquet"),
        ("qlst", TUESDAY, "a.parquet"),
    ):
        touch(tmp_path, table, day, file)
    tables = [store.raw("qpst"), store.raw("qlst"), store.raw("absent")]
    now = store.fingerprints(tables)
    assert ledger.days_due(now) == (MONDAY, TUESDAY)
    ledger.done(now, now)
    assert ledger.days_due(store.fingerprints(tables)) == ()
    touch(tmp_path, "qpst", TUESDAY, "b.parquet")
    touch(tmp_path, "qpst", SUNDAY, "b.parquet", qmgr="QM02")
    assert ledger.days_due(store.fingerprints(tables)) == (TUESDAY, SUNDAY)


def test_a_build_that_died_has_left_to_do_what_it_had_not_done(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "mark")
    now = {MONDAY: "1", TUESDAY: "2", SUNDAY: "3"}
    ledger.done(now, now)
    ledger.begin(now)
    ledger.done([MONDAY], now)
    assert ledger.days_due(now) == (TUESDAY, SUNDAY)
    # A day whose raw files are gone in the meantime is due too: its rows have to go.
    assert ledger.days_due({MONDAY: "1", SUNDAY: "3"}) == (TUESDAY, SUNDAY)
    ledger.done([TUESDAY, SUNDAY], {MONDAY: "1", SUNDAY: "3"})
    assert ledger.days_due({MONDAY: "1", SUNDAY: "3"}) == ()


def test_other_descriptions_make_all_days_due(tmp_path: Path) -> None:
    now = {MONDAY: "1", TUESDAY: "2"}
    Ledger(tmp_path, "old").done(now, now)
    fresh = Ledger(tmp_path, "new")
    assert fresh.days_due({MONDAY: "1"}) == (MONDAY, TUESDAY)
    fresh.begin([MONDAY, TUESDAY])
    fresh.done([MONDAY], now)
    assert fresh.days_due(now) == (TUESDAY,)


@pytest.mark.parametrize(("layer", "build"), [("conformed", conformed.build), ("marts", marts.build)])
def test_a_second_build_is_refused_and_one_that_died_is_cleared_away(tmp_path: Path, layer: str, build: object) -> None:
    for name in ("raw", "conformed"):
        (tmp_path / name).mkdir()
    left = tmp_path / layer / "_staging" / "lock" / "day=2026-03-02"
    left.mkdir(parents=True)
    assert callable(build)
    with Store(tmp_path).building(layer):
        assert not left.exists()
        with pytest.raises(TablesBusyError, match=rf"another build .* {tmp_path}/{layer}; try again when it is done"):
            build(None, tmp_path)
    assert build(None, tmp_path) == conformed.BuildReport((), {})


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


def _written(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "rows").write_text(text)


def test_what_is_written_aside_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.replacing("findings") as fresh:
        _written(fresh, "first")
    with pytest.raises(KeyboardInterrupt), store.replacing("findings") as fresh:
        _written(fresh, "broken off")
        raise KeyboardInterrupt
    assert (tmp_path / "findings" / "rows").read_text() == "first"
    with store.replacing("findings") as fresh:
        _written(fresh, "second")
    assert (tmp_path / "findings" / "rows").read_text() == "second"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["conformed", "findings"]


def test_what_was_cut_off_between_the_two_moves_is_mended(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.replacing("forecast") as fresh:
        _written(fresh, "first")
    (tmp_path / "forecast").rename(tmp_path / "_forecast.old")
    with pytest.raises(OSError, match="no room"), store.replacing("forecast"):
        raise OSError("no room")
    assert (tmp_path / "forecast" / "rows").read_text() == "first"
    (tmp_path / "forecast").rename(tmp_path / "_forecast.old")
    with store.building("conformed"):
        assert not store.mended("forecast").exists()
    assert (store.mended("forecast") / "rows").read_text() == "first"


def test_findings_and_forecasts_wait_for_nobody_and_spoil_nothing(tmp_path: Path) -> None:
    """They are refused while the tables change or another of them is at work; no Spark is needed to say so."""
    nobody: Any = None
    with Store(tmp_path).building("conformed"):
        with pytest.raises(TablesBusyError):
            findings.find(nobody, tmp_path)
        with pytest.raises(TablesBusyError):
            forecast.build(nobody, tmp_path)
